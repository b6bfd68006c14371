"""Abstract values: what is known of a value before the program runs: kind, dtype, number of dimensions, lengths (``lengths.py``)."""

from __future__ import annotations

import dataclasses
import functools
import sys
import types
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..rules.frames import is_singleton
from ..rules.library_objects import FROZEN, Record, frozen_from, record_for
from ..runtime.arrays.library import is_array, is_host_array, is_number, is_plain_array, library_of
from ..runtime.derivative import form
from ..runtime.user_objects import DEEPEST, active, computes, held_by, is_open, is_users
from ..syntax.function import MISSING
from .complex_data import is_complex_data, is_of_complex
from .environment.callables import Same
from .environment.words import DICTS, MANY
from .lengths import NOT_ONE, Computed, Dim, Length, can_be_one, length_of, of_symbol, symbols_of


class Abstract(NamedTuple):
    """``kind`` is ``python`` or ``numpy`` (scalars), ``array``, ``sequence``, ``mapping``, ``mixed``, ``static``, ``function``,
    ``bound`` (a method, or a function that was partly given its arguments), ``object``, ``foreign`` or ``unknown``.

    ``dims`` are an array's lengths; ``items`` the value that every item of a sequence has, a tuple of values, a
    mapping's values by key, a function itself, what is bound and to what, or an object's class, its attributes by name, and
    which of them have a gradient (``dtype`` of a sequence: complex, if some of them are), and of what is unknown the array that it is
    if it is not None;
    ``length`` the symbolic value of an int, and the number of a mapping's entries, if no others than ``items`` can be in it.
    """

    kind: str
    dtype: Any = None
    dims: tuple[Dim, ...] = ()
    items: Any = None
    length: Dim = None

    def __eq__(self, other: object) -> bool:
        """Equal in every part. An unknown dtype equals no known one, though NumPy says that ``np.dtype(float) == None``."""
        if not isinstance(other, Abstract) or (self.dtype is None) != (other.dtype is None):
            return False
        return tuple.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return tuple.__hash__(self)

    @property
    def scalar(self) -> bool:
        """Whether it is certainly a scalar, which nothing can change in place."""
        return self.kind in ("python", "numpy")

    @property
    def certain(self) -> Abstract:
        """What it is where something is computed with it: of what may be None, what it is otherwise."""
        return self.items if self.kind == "unknown" and isinstance(self.items, Abstract) else self

    @property
    def either(self) -> tuple[Abstract, Abstract] | None:
        """The number, and the array, one of which it is; None of what is known to be one of the two, or nothing."""
        known = self.kind == "unknown" and type(self.items) is tuple and self.items[:1] == (OR_ARRAY,)
        return (self.items[1], self.items[2]) if known else None

    @property
    def rank(self) -> int | None:
        """The number of dimensions, None if unknown."""
        return 0 if self.scalar else len(self.dims) if self.kind == "array" else None

    @property
    def floating(self) -> bool:
        """Whether its dtype is known to be floating."""
        return self.dtype is not None and self.dtype.kind == "f"

    @property
    def inexact(self) -> bool:
        """Whether its dtype is known to be floating, or complex."""
        return self.dtype is not None and self.dtype.kind in "fc"


UNKNOWN = Abstract("unknown")
NEVER = Abstract("never")  # what a call gives that is being found out: nothing yet
STATIC = Abstract("static")
KEY = Abstract("unknown", items="key")  # which has a hash, and is no list, dict or array
SET = Abstract("set")  # of which the items share no memory with anything
MIXED = Abstract("mixed")  # a list, tuple or dict on one path, something else on another: operators mean different things
FOREIGN = Abstract("foreign")  # an object for which operators mean what its class says
MATRIX = Abstract("foreign", items="matrix")  # one of which the parts are such objects: a masked array, an array of another library
TABLE = Abstract("foreign", items="table")  # a table of pandas, each name of which stands for one column of numbers
SPARSE = Abstract("foreign", items="sparse")  # one that gives a plain array when it is multiplied by one
SPARSE_MATRIX = Abstract("foreign", items="sparse matrix")  # the same, for which * is the matrix product
COLUMN = Abstract("foreign", items="column")  # a column of a table, which a loop takes plain numbers from
FLOAT = Abstract("python", np.dtype(float))
COMPLEX = Abstract("python", np.dtype(complex))
INT = Abstract("python", np.dtype(int))
BOOL = Abstract("python", np.dtype(bool))
OTHER = np.dtype("V")
"""What stands in ``dtype`` of a mapping that is given, and is no plain dict, and of a tuple that ``np.ix_`` gives."""

OR_NONE = "or None"
"""What stands in ``items`` of a number that may be None."""

OR_ARRAY = "or an array"
"""What stands in ``items`` of a value that is a number or an array, before what is known of either."""

UNLIKE = 32
"""The length up to which the items of a list are known one by one that have nothing in common."""

ANY_KEY = object()
"""The key under which stands what the entries of a mapping are of which the key is not known."""


def abstract(value: Any, name: str) -> Abstract:
    """The abstract value of an argument; ``name`` makes the symbols of its lengths."""
    if library_of(value):
        dims = tuple(length if length < 2 else of_symbol(f"{name}.{axis}") for axis, length in enumerate(value.shape))
        if is_number(value):
            return Abstract("numpy", value.dtype)
        if not is_plain_array(value):
            return of_data(UNKNOWN if isinstance(value, np.memmap) or value.dtype.names else MATRIX, value)  # records have no operators
        return Abstract("array", value.dtype, dims)
    if isinstance(value, (np.generic, int, float, complex)) and type(value) is not float and computes(type(value)):
        return FOREIGN
    if isinstance(value, np.generic):
        return Abstract("numpy", value.dtype)
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        return INT._replace(length=of_symbol(name))
    if isinstance(value, (float, complex)):
        return FLOAT if isinstance(value, float) else COMPLEX
    if type(value) in (list, tuple):
        items = tuple(abstract(item, f"{name}[{position}]") for position, item in enumerate(value))
        if (isinstance(value, list) or len(items) > 8) and not known_callables(items):
            whole = Abstract("sequence", items=joined_all(items))
            unlike = len(items) <= UNLIKE and whole.items == UNKNOWN and UNKNOWN not in items
            if unlike or len(items) <= MANY and is_mixed(whole) and not any(map(is_mixed, items)):
                return Abstract("sequence", items=items)
            return whole._replace(dtype=COMPLEX.dtype) if any(map(holds_complex, items)) and not holds_complex(whole) else whole
        return Abstract("sequence", items=items)
    if type(value) in DICTS:
        found = of_entries({key: abstract(item, f"{name}[{key!r}]") for key, item in value.items()})
        return found if type(value) is dict else found._replace(dtype=OTHER)
    if value is None or value is ... or isinstance(value, (str, bytes)):
        return STATIC
    if str(type(value).__module__).startswith("scipy."):
        known = UNKNOWN
        if str(type(value).__module__).startswith("scipy.sparse") and computes(type(value)):
            known = SPARSE_MATRIX if isinstance(value, sys.modules["scipy.sparse"].spmatrix) else SPARSE
        elif (distribution := frozen_from(value)) is not None:
            known = Abstract("foreign", items=f"scipy.stats:{distribution.name}")
        elif record_for(type(value)) is not None:
            known = Abstract("foreign", items=f"{type(value).__module__}:{type(value).__qualname__}")
        if known.kind == "foreign":
            return known._replace(dtype=COMPLEX.dtype) if is_complex_record(value) else known
    if hasattr(type(value), "__array_priority__"):
        return COLUMN if is_column(value) else of_table(value) if is_table(value) else of_data(MATRIX, value)
    return of_callable(value, name) if callable(value) and not is_users(type(value)) else of_object(value, name)


def is_mixed(value: Abstract) -> bool:
    """Whether a value may be, or hold, dicts of several kinds: their entries are known of each alone."""
    if value.kind == "mapping":
        return value.length is None or any(is_mixed(part) for _, part in value.items or ())
    items = value.items if type(value.items) is tuple else (value.items,)
    return value == MIXED or value.kind == "sequence" and any(isinstance(part, Abstract) and is_mixed(part) for part in items)


def is_sparse(value: Abstract) -> bool:
    """Whether a value is a sparse array or matrix."""
    return value.items in (SPARSE.items, SPARSE_MATRIX.items)


def is_complex_record(value: Any) -> bool:
    """Whether an object of a library's holds complex numbers."""
    held = [value, *getattr(value, "__dict__", {}).values()]
    return any(getattr(getattr(part, "dtype", None), "kind", "") == "c" for part in held)


def frozen_name(value: Abstract) -> str:
    """What SciPy calls the distribution that a value is a frozen one of, '' of all else."""
    return str(value.items).removeprefix("scipy.stats:") if str(value.items).startswith("scipy.stats:") else ""


def record_known(value: Abstract) -> Record | None:
    """What is known of an object of a library's that a value is."""
    if is_sparse(value):
        return record_for(getattr(sys.modules["scipy.sparse"], "csr_array" if value.items == SPARSE.items else "csr_matrix"))
    if value.kind != "foreign" or ":" not in str(value.items):
        return None
    module, name = value.items.split(":")
    found = getattr(sys.modules[module], name, None)
    return FROZEN[found] if frozen_name(value) else record_for(found)


def is_column(value: Any) -> bool:
    """Whether a value is a column of numbers of a table of pandas."""
    known = isinstance(getattr(value, "dtype", None), np.dtype) and str(type(value).__module__).split(".")[0] == "pandas"
    return known and value.ndim == 1 and value.dtype.kind in "fiub"


def is_table(value: Any) -> bool:
    """Whether a value is a table of pandas of which each column is of numbers, and has a name of its own."""
    if str(type(value).__module__).split(".")[0] != "pandas" or value.ndim != 2:
        return False
    kinds = [getattr(dtype, "kind", "") if isinstance(dtype, np.dtype) else "" for dtype in value.dtypes]
    return bool(value.columns.is_unique) and set(kinds) <= {*"fiub"}


def of_table(value: Any) -> Abstract:
    """The abstract value of such a table, with the dtype of its columns if they have all the same one."""
    dtypes = set(value.dtypes)
    return TABLE._replace(dtype=dtypes.pop()) if len(dtypes) == 1 else TABLE


def of_callable(value: Any, name: str) -> Abstract:
    """The abstract value of a function, a class, a method, or a function that was partly given its arguments."""
    value = form(value)
    if isinstance(value, types.MethodType) and isinstance(value.__func__, (types.FunctionType, functools.partial)):
        if is_singleton(value.__self__):  # a function of a distribution's
            return Abstract("function", items=Same(value))
        owner = abstract(value.__self__, f"{name}:__self__")
        return Abstract("bound", items=(of_callable(value.__func__, name), (("__self__", owner),), ()))
    if isinstance(value, functools.partial):
        first = tuple((f"args[{k}]", abstract(part, f"{name}:args[{k}]")) for k, part in enumerate(value.args))
        named = tuple((key, abstract(part, f"{name}:{key}")) for key, part in value.keywords.items())
        return Abstract("bound", items=(of_callable(value.func, name), first, named))
    return Abstract("function", items=Same(value))


def of_data(known: Abstract, value: Any) -> Abstract:
    """What is known of data that are not looked into, but for complex numbers in them."""
    return known._replace(dtype=COMPLEX.dtype) if is_complex_data(value) else known


def of_object(value: Any, name: str) -> Abstract:
    """The abstract value of an object of a user's class: what is known of its attributes."""
    depth = name.count(":")
    if not is_users(type(value)) or depth > DEEPEST or depth == 0 and not is_open(value):
        return of_data(FOREIGN if computes(type(value)) else UNKNOWN, value)
    held = tuple((key, abstract(part, f"{name}:{key}")) for key, part in sorted(held_by(value).items()))
    return Abstract("object", items=(Same(type(value)), held, active(value, depth)))


def holds_complex(known: Abstract) -> bool:
    """Whether a value is known to be complex, or to hold complex numbers."""
    if known.dtype is not None and known.dtype != OTHER:
        return is_of_complex(known.dtype)
    if known.kind == "object":
        return any(holds_complex(part) for _, part in known.items[1])
    if known.kind == "sequence":
        items = known.items if type(known.items) is tuple else (known.items,)
        return any(holds_complex(item) for item in items if isinstance(item, Abstract))
    return known.kind == "mapping" and any(holds_complex(item) for _, item in known.items or ())


def of_entries(entries: Mapping[Any, Abstract], complete: bool = True) -> Abstract:
    """The abstract value of a dict, of which these entries are known; ``complete``: it has no others."""
    return Abstract("mapping", items=tuple(entries.items()), length=len(entries) if complete else None)


def without_an_entry(value: Abstract) -> Abstract:
    """What is known of a container that has lost one of its entries: of a dict what each of the others is, of anything else nothing."""
    if value.kind != "mapping":
        return UNKNOWN
    others = tuple(part for _, part in value.items or ())
    return of_entries({ANY_KEY: joined_all(others)} if others and is_closed(value) else {}, complete=value.length == 0)


def is_closed(value: Abstract) -> bool:
    """Whether a mapping has no entries but those that are known, by their keys or by :data:`ANY_KEY`."""
    return value.length is not None or ANY_KEY in dict(value.items or ())


def joined_attributes(some: tuple[tuple[str, Abstract], ...], others: Mapping[str, Abstract]) -> tuple[tuple[str, Abstract], ...]:
    """What is known of the attributes that two objects have, by name."""
    return tuple((name, joined(part, others[name])) for name, part in some if name in others)


def is_constant(kind: type) -> bool:
    """Whether objects of a class do not change: of a named tuple, of a frozen dataclass."""
    return issubclass(kind, tuple) or dataclasses.is_dataclass(kind) and bool(kind.__dataclass_params__.frozen)  # type: ignore[attr-defined]


def is_overloaded(value: Abstract) -> bool:
    """Whether operators may mean something else on a value than on numbers and arrays."""
    if value.kind == "object":
        return computes(value.items[0].value)
    return value.kind == "foreign" or value.kind == "function" and computes(type(value.items.value))


def known_callables(value: Any) -> list[Any]:
    """The functions and classes in an abstract value (or a tuple of them, or of anything), those of objects of libraries included."""
    if isinstance(value, Same):
        return [value.value]
    if isinstance(value, Abstract) and (record := record_known(value)) is not None and not is_sparse(value):
        return [getattr(sys.modules["scipy.stats"], name) if (name := frozen_name(value)) else record.kind]
    if isinstance(value, Abstract):
        return [] if value.items is None else known_callables(value.items)
    return [found for part in value for found in known_callables(part)] if isinstance(value, tuple) else []


def item_of(value: Abstract, key: Any = None) -> Abstract:
    """The abstract value of an item of a sequence or mapping (``key`` None: of any)."""
    if value.kind == "sequence":
        if isinstance(value.items, Abstract):
            return value.items
        if isinstance(key, int) and type(value.items) is tuple and -len(value.items) <= key < len(value.items):
            return value.items[key]
        return joined_all(value.items) if type(value.items) is tuple else UNKNOWN
    if value.kind == "mapping":
        known = dict(value.items or ())
        if key in known:
            return known[key]
        whole = joined_all(tuple(known.values())) if key is None or ANY_KEY in known else UNKNOWN
        return whole if is_closed(value) or is_overloaded(whole) else UNKNOWN
    if value.kind == "object" and isinstance(key, int):
        fields = getattr(value.items[0].value, "_fields", ())
        return dict(value.items[1]).get(fields[key], UNKNOWN) if -len(fields) <= key < len(fields) else UNKNOWN
    return MATRIX if value.items == TABLE.items else value if value == MATRIX or is_sparse(value) else UNKNOWN


def joined_all(values: tuple[Abstract, ...]) -> Abstract:
    """What is known of each of the values, lengths forgotten unless equal."""
    if not values:
        return UNKNOWN
    result = values[0]
    for value in values[1:]:
        result = joined(result, value)
    return result


def same_dtype(a: Abstract, b: Abstract) -> bool:
    """Whether two values certainly have the same dtype."""
    return a.dtype is not None and b.dtype is not None and bool(a.dtype == b.dtype)


def joined(a: Abstract, b: Abstract) -> Abstract:
    """What is known of a value that is ``a`` or ``b``."""
    if a == b or b == NEVER:
        return a
    if a == NEVER:
        return b
    if a.certain is not a or b.certain is not b:
        return or_none(b if a == STATIC else a if b == STATIC else joined(a.certain, b.certain))
    if (both := number_or_array(a, b)) is not None:
        return both
    if a.kind != b.kind:
        if a.scalar and b.scalar:
            return Abstract("numpy", a.dtype if same_dtype(a, b) else None, items=a.items or b.items)
        if is_overloaded(a) or is_overloaded(b):
            return FOREIGN
        if a == STATIC or b == STATIC:  # None: it has no entries to ask for, and no adjoint
            held = b if a == STATIC else a
            if held.scalar:  # what is computed with it is computed with the number
                return Abstract("numpy", held.dtype, items=OR_NONE)
            return held if held.kind in ("sequence", "mapping") else or_none(held)
        kinds = {a.kind, b.kind}
        return MIXED if kinds & {"sequence", "mapping", "mixed"} and not kinds & {"unknown", "set"} else UNKNOWN
    if a.kind == "object" and a.items[0] == b.items[0]:
        attributes = joined_attributes(a.items[1], dict(b.items[1]))
        some = tuple(dict.fromkeys((*a.items[2], *b.items[2])))  # an int in one, a float in another
        return FOREIGN if is_overloaded(a) else Abstract("object", items=(a.items[0], attributes, some))
    if a.kind in ("function", "bound", "object"):
        return FOREIGN if is_overloaded(a) or is_overloaded(b) else UNKNOWN
    dtype = a.dtype if same_dtype(a, b) else None
    if a.kind == "array":
        if len(a.dims) != len(b.dims):
            return UNKNOWN
        return Abstract("array", dtype, tuple(
            p if p == q else None if can_be_one(p) or can_be_one(q) else NOT_ONE for p, q in zip(a.dims, b.dims)
        ))
    if a.kind == "sequence":
        if () in (a.items, b.items):  # of no item everything is true, but of their number
            held = b if a.items == () else a
            return Abstract("sequence", items=item_of(held)) if type(held.items) is tuple else held
        if type(a.items) is tuple and type(b.items) is tuple and len(a.items) == len(b.items):
            return Abstract("sequence", items=tuple(map(joined, a.items, b.items)))
        return Abstract("sequence", items=joined(item_of(a), item_of(b)))
    if a.kind == "mapping":
        known, other = dict(a.items or ()), dict(b.items or ())
        shared = {key: joined_entries(item, other[key]) for key, item in known.items() if key in other}
        single = [item for one, two in ((known, other), (other, known)) for key, item in one.items() if key not in two]
        if single and is_closed(a) and is_closed(b):
            shared[ANY_KEY] = joined_all((*([shared[ANY_KEY]] if ANY_KEY in shared else []), *single))
        return of_entries(shared, len(shared) == a.length == b.length)
    return Abstract(a.kind, dtype, items=a.items or b.items if a.scalar else None)


def number_or_array(a: Abstract, b: Abstract) -> Abstract | None:
    """What is known of a value that is ``a`` or ``b``, one of which may be a number, and one an array; None of others.

    >>> number_or_array(FLOAT, Abstract("array", FLOAT.dtype, (None,))).either[1].rank
    1
    """
    parts = [part for value in (a, b) for part in value.either or (value,)]
    numbers = [part for part in parts if part.scalar and part.items is None]
    arrays = [part for part in parts if part.kind == "array"]
    if not numbers or not arrays or len(numbers) + len(arrays) < len(parts):
        return None
    number, array = joined_all(tuple(numbers)), joined_all(tuple(arrays))
    return Abstract("unknown", items=(OR_ARRAY, number, array)) if array.kind == "array" else None


def joined_entries(a: Abstract, b: Abstract) -> Abstract:
    """The same of the entries of two dicts: of a list or dict, or None, it is asked which it is."""
    held = b if a == STATIC else a if b == STATIC else None
    return UNKNOWN if held is not None and held.kind in ("sequence", "mapping") else joined(a, b)


def or_none(value: Abstract) -> Abstract:
    """What is known of an array (but for its lengths), or None: nothing, until something is computed with it.

    >>> or_none(Abstract("array", FLOAT.dtype, (None,))).certain.rank
    1
    """
    held = value.certain
    return Abstract("unknown", items=without_lengths(held)) if held.kind == "array" else UNKNOWN


def with_entry_known(holder: Abstract, path: list[Any], value: Abstract) -> Abstract:
    """What is known of a container once an entry of it, or of a container in it, is another one. A key that is not known may be any."""
    return with_entry_changed(holder, path, lambda entry: value)


def with_entry_changed(holder: Abstract, path: list[Any], change: Callable[[Abstract], Abstract]) -> Abstract:
    """The same once an entry has been changed; ``change`` gives what is known of it then."""
    key, *inner = path
    if holder.kind not in ("sequence", "mapping"):
        return holder

    def new(item: Abstract) -> Abstract:
        return with_entry_changed(item, inner, change) if inner else change(item)

    if isinstance(holder.items, Abstract):
        items: Any = joined(holder.items, new(holder.items))
    elif holder.kind == "sequence" and type(holder.items) is tuple:
        at = key % len(holder.items) if isinstance(key, int) and holder.items else None
        items = tuple(new(item) if k == at else item if at is not None else joined(item, new(item)) for k, item in enumerate(holder.items))
    elif holder.kind == "mapping":
        known = dict(holder.items or ())
        if key is MISSING:
            entries = {k: joined(item, new(item)) for k, item in known.items()}
            rest = {ANY_KEY: new(UNKNOWN)} if is_closed(holder) and ANY_KEY not in known else {}
            return of_entries({**entries, **rest}, complete=False)
        return of_entries({**known, key: new(known.get(key, UNKNOWN))}, holder.length is not None)
    else:
        return holder
    return holder._replace(items=items)


def dims_said(shape: Abstract) -> tuple[Dim, ...] | None:
    """The lengths that a shape (an int, or a list or tuple of them) says; None where their number is not known."""
    items = (shape,) if shape.kind == "python" else shape.items if shape.kind == "sequence" else None
    return tuple(length_of(item.length) for item in items) if type(items) is tuple else None


def with_lengths(value: Any, change: Callable[[Length], Dim]) -> Any:
    """An abstract value (or a tuple of them, or of anything) with other lengths for the symbolic ones in it."""
    if isinstance(value, Length):
        return change(value)
    if isinstance(value, Abstract):
        return value if value.scalar and value.length is None else Abstract(*(with_lengths(part, change) for part in value))
    return tuple(with_lengths(part, change) for part in value) if type(value) is tuple else value


def forgotten(value: Any, first: int = 0) -> Any:
    """An abstract value (or a tuple of them) without the lengths that statements from a number on have made."""
    def change(dim: Length) -> Dim:
        if not any(isinstance(symbol, Computed) and symbol.statement >= first for symbol in symbols_of(dim)):
            return dim
        return None if can_be_one(dim) else NOT_ONE

    return with_lengths(value, change)


def without_lengths(value: Abstract) -> Abstract | None:
    """A value of which only kinds, dtypes and numbers of dimensions are known; None where it is none that has these."""
    if value.kind == "sequence" and type(value.items) is tuple:
        items = tuple(map(without_lengths, value.items))
        return None if None in items else Abstract("sequence", value.dtype, items=items)
    if value.kind == "sequence" and isinstance(value.items, Abstract):
        return None if (item := without_lengths(value.items)) is None else value._replace(items=item)
    if value.kind == "mapping" and value.items is not None:
        return value._replace(items=tuple((key, without_lengths(part) or UNKNOWN) for key, part in value.items))
    if value.scalar and value.items == OR_NONE:
        return value
    if value.kind not in ("python", "numpy", "array") or value.items is not None:
        return value if value in (STATIC, NEVER) else None
    return Abstract(value.kind, value.dtype, (None,) * len(value.dims))


def with_equal(value: Any, same: Mapping[str, Dim]) -> Any:
    """An abstract value of an argument (or a tuple of them), with the lengths that some of its symbols are the ``same`` as."""
    return with_lengths(value, lambda dim: same.get(dim.terms[0][0], dim) if dim.constant == 0 else dim) if same else value


def symbols_told(value: Any) -> frozenset[str]:
    """The symbols of the dimensions of arrays in arguments, which :func:`symbolic_lengths` tells of a call."""
    if isinstance(value, Abstract) and value.kind == "array":
        return frozenset().union(*map(symbols_of, value.dims))
    if isinstance(value, Abstract):
        return symbols_told(value.items) if value.kind in ("sequence", "mapping", "object") else frozenset()
    return frozenset().union(*map(symbols_told, value)) if type(value) is tuple else frozenset()


def symbolic_lengths(value: Any, name: str) -> dict[str, int]:
    """The lengths of an argument by the symbols that ``abstract`` gives them."""
    if is_array(value):
        return {f"{name}.{axis}": length for axis, length in enumerate(value.shape)}
    if type(value) is int:
        return {name: value}
    found: dict[str, int] = {}
    if type(value) in (list, tuple):
        found[f"{name}.0"] = len(value)
        for position, item in enumerate(value):
            found.update(symbolic_lengths(item, f"{name}[{position}]"))
    elif type(value) is dict:
        for key, item in value.items():
            found.update(symbolic_lengths(item, f"{name}[{key!r}]"))
    elif is_users(type(value)) and (is_open(value) if ":" not in name else name.count(":") <= DEEPEST):
        for key, item in held_by(value).items():
            found.update(symbolic_lengths(item, f"{name}:{key}"))
    return found


def _one(kind: str, dtype: Any, rank: int) -> Any:
    if kind == "array":
        return np.ones((1,) * rank, dtype)
    one = np.ones((), dtype)[()]  # with the unit of a time
    return one if kind == "numpy" else one.item()


@cache
def sampled(function: Any, operands: tuple[tuple[str, Any, int], ...]) -> Abstract:
    """Kind and dtype of an elementwise function's result, found by calling it on ones of the operands' kinds and dtypes."""
    values = [_one(*operand) for operand in operands]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = function(*values)
        except (TypeError, ValueError, ArithmeticError):
            return UNKNOWN
    if is_host_array(result):
        return Abstract("array", result.dtype, (None,) * result.ndim)
    if isinstance(result, np.generic):
        return Abstract("numpy", result.dtype)
    return {bool: BOOL, int: INT, float: FLOAT, complex: COMPLEX}.get(type(result), UNKNOWN)
