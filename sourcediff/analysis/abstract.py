"""Abstract values: what is known of a value before the program runs: kind, dtype, number of dimensions, lengths (``lengths.py``)."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..rules.library_objects import FROZEN, Record, record_for
from ..runtime.user_objects import computes
from ..syntax.function import MISSING
from .complex_data import is_of_complex
from .environment.callables import Same
from .lengths import NOT_ONE, Dim, can_be_one


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
        if self.kind == "unknown" and (either := self.either) is not None:
            return None if either[1].dims else 0
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


ANY_KEY = object()
"""The key under which stands what the entries of a mapping are of which the key is not known."""


def is_mixed(value: Abstract) -> bool:
    """Whether a value may be, or hold, dicts of several kinds: their entries are known of each alone."""
    if value.kind == "mapping":
        return value.length is None or any(is_mixed(part) for _, part in value.items or ())
    items = value.items if type(value.items) is tuple else (value.items,)
    return value == MIXED or value.kind == "sequence" and any(isinstance(part, Abstract) and is_mixed(part) for part in items)


def is_sparse(value: Abstract) -> bool:
    """Whether a value is a sparse array or matrix."""
    return value.items in (SPARSE.items, SPARSE_MATRIX.items)


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
