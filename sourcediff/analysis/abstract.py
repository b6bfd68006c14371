"""Abstract values: what is known of a value before the program runs: kind, dtype, number of dimensions, symbolic lengths.

A length is an ``int``, a :class:`Length` or None (unknown). A parameter's length that is neither 0 nor 1 is a symbol: two such symbols
that meet in broadcasting are equal, for else NumPy would have raised. ``Length((("x.0", 1),), -2)`` is ``max(0, n - 2)``.
"""

from __future__ import annotations

import functools
import math
import sys
import types
import warnings
from collections.abc import Callable, Iterable, Mapping, Set
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..rules.frames import is_singleton
from ..rules.library_objects import FROZEN, Record, frozen_from, record_for
from ..runtime.arrays.library import is_array, is_host_array, is_number, is_plain_array, library_of
from ..runtime.derivative import form
from ..runtime.user_objects import DEEPEST, active, computes, held_by, is_open, is_users
from ..syntax.function import MISSING
from .environment.callables import Same


class Computed(NamedTuple):
    """The symbol of a length that a statement gives an array, as it has run last: its number, what it binds, and the axis."""

    statement: int
    name: str
    axis: int
    may_be_one: bool = True

    def __str__(self) -> str:
        return f"{self.name}@{self.statement}.{self.axis}"


class Length(NamedTuple):
    """A linear form in symbols. As the length of a dimension it is cut off at 0; as the value of an int it is exact.

    With a ``step`` it is the length of every second (third …) entry of such a dimension, and never the value of an int.
    A symbol is ``x.0`` (a parameter's own dimension, 2 or more), ``n`` (an int among the parameters), the length of a dimension, or
    :class:`Computed`.
    """

    terms: tuple[tuple[Any, int], ...]
    constant: int = 0
    step: int = 1

    @property
    def of_call(self) -> bool:
        """Whether it can be told from the arguments of a call."""
        return self.step == 1 and all(type(symbol) is str for symbol, _ in self.terms)

    def __str__(self) -> str:
        parts = [f"{'' if times == 1 else f'{times} * '}{symbol}" for symbol, times in self.terms]
        parts += [str(self.constant)] if self.constant > 0 else []
        form = f"{' + '.join(parts)}{self.constant if self.constant < 0 else ''}"
        return form if self.step == 1 else f"({form}) / {self.step}"


def of_symbol(symbol: Any) -> Length:
    """The length that a symbol stands for."""
    return Length(((symbol, 1),))


BEYOND = ">"
"""What stands in a symbol between that of a length and a number: ``x.0>3`` is how much longer than 3 it is."""


def split_bound(symbol: str) -> tuple[str, int]:
    """The symbol of a length, and how much longer than what number it stands for; 0 for the length itself.

    >>> split_bound("x.0>3"), split_bound("p['a>b'].0")
    (('x.0', 3), ("p['a>b'].0", 0))
    """
    base, _, number = symbol.rpartition(BEYOND)
    return (base, int(number)) if number.isdigit() and base else (symbol, 0)


def at_least(symbol: str, number: int) -> Length:
    """A length that is not less than a number."""
    return Length(((f"{symbol}{BEYOND}{number}", 1),), number)


NOT_ONE = of_symbol(Computed(-1, "", 0, may_be_one=False))  # some length that is not 1

Dim = int | Length | None


class Abstract(NamedTuple):
    """``kind`` is ``python`` or ``numpy`` (scalars), ``array``, ``sequence``, ``mapping``, ``mixed``, ``static``, ``function``,
    ``bound`` (a method, or a function that was partly given its arguments), ``object``, ``foreign`` or ``unknown``.

    ``dims`` are an array's lengths; ``items`` the value that every item of a sequence has, a tuple of values, a
    mapping's values by key, a function itself, what is bound and to what, or an object's class, its attributes by name, and
    which of them have a gradient (``dtype`` of a sequence: complex, if some of them are);
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
STATIC = Abstract("static")
MIXED = Abstract("mixed")  # a list, tuple or dict on one path, something else on another: operators mean different things
FOREIGN = Abstract("foreign")  # an object for which operators mean what its class says
MATRIX = Abstract("foreign", items="matrix")  # one of which the parts are such objects: a masked array, an array of another library
SPARSE = Abstract("foreign", items="sparse")  # one that gives a plain array when it is multiplied by one
SPARSE_MATRIX = Abstract("foreign", items="sparse matrix")  # the same, for which * is the matrix product
COLUMN = Abstract("foreign", items="column")  # a column of a table, which a loop takes plain numbers from
FLOAT = Abstract("python", np.dtype(float))
COMPLEX = Abstract("python", np.dtype(complex))
INT = Abstract("python", np.dtype(int))
BOOL = Abstract("python", np.dtype(bool))
OR_NONE = "or None"
"""What stands in ``items`` of a number that may be None."""

ANY_KEY = object()
"""The key under which stands what the entries of a mapping are of which the key is not known."""


def abstract(value: Any, name: str) -> Abstract:
    """The abstract value of an argument; ``name`` makes the symbols of its lengths."""
    if library_of(value):
        dims = tuple(length if length < 2 else of_symbol(f"{name}.{axis}") for axis, length in enumerate(value.shape))
        if is_number(value):
            return Abstract("numpy", value.dtype)
        if not is_plain_array(value):
            return UNKNOWN if isinstance(value, np.memmap) or value.dtype.names else MATRIX  # records have no operators
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
            return whole._replace(dtype=COMPLEX.dtype) if any(map(holds_complex, items)) and not holds_complex(whole) else whole
        return Abstract("sequence", items=items)
    if type(value) is dict:
        return of_entries({key: abstract(item, f"{name}[{key!r}]") for key, item in value.items()})
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
        return COLUMN if is_column(value) else MATRIX
    return of_callable(value, name) if callable(value) and not is_users(type(value)) else of_object(value, name)


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


def of_object(value: Any, name: str) -> Abstract:
    """The abstract value of an object of a user's class: what is known of its attributes."""
    depth = name.count(":")
    if not is_users(type(value)) or depth > DEEPEST or depth == 0 and not is_open(value):
        return FOREIGN if computes(type(value)) else UNKNOWN
    held = tuple((key, abstract(part, f"{name}:{key}")) for key, part in sorted(held_by(value).items()))
    return Abstract("object", items=(Same(type(value)), held, active(value, depth)))


def holds_complex(known: Abstract) -> bool:
    """Whether a value is known to be complex, or to hold complex numbers."""
    if known.dtype is not None:
        return bool(known.dtype.kind == "c")
    if known.kind == "sequence":
        items = known.items if type(known.items) is tuple else (known.items,)
        return any(holds_complex(item) for item in items if isinstance(item, Abstract))
    return known.kind == "mapping" and any(holds_complex(item) for _, item in known.items or ())


def of_entries(entries: Mapping[Any, Abstract], complete: bool = True) -> Abstract:
    """The abstract value of a dict, of which these entries are known; ``complete``: it has no others."""
    return Abstract("mapping", items=tuple(entries.items()), length=len(entries) if complete else None)


def is_closed(value: Abstract) -> bool:
    """Whether a mapping has no entries but those that are known, by their keys or by :data:`ANY_KEY`."""
    return value.length is not None or ANY_KEY in dict(value.items or ())


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
    return value if value == MATRIX or is_sparse(value) else UNKNOWN


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
    if a == b:
        return a
    if a.kind != b.kind:
        if a.scalar and b.scalar:
            return Abstract("numpy", a.dtype if same_dtype(a, b) else None, items=a.items or b.items)
        if is_overloaded(a) or is_overloaded(b):
            return FOREIGN
        if a == STATIC or b == STATIC:  # None: it has no entries to ask for, and no adjoint
            held = b if a == STATIC else a
            if held.scalar:  # what is computed with it is computed with the number
                return Abstract("numpy", held.dtype, items=OR_NONE)
            return held if held.kind in ("sequence", "mapping") else UNKNOWN
        kinds = {a.kind, b.kind}
        return MIXED if kinds & {"sequence", "mapping", "mixed"} and "unknown" not in kinds else UNKNOWN
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
        shared = {key: joined(item, other[key]) for key, item in known.items() if key in other}
        single = [item for one, two in ((known, other), (other, known)) for key, item in one.items() if key not in two]
        if single and is_closed(a) and is_closed(b):
            shared[ANY_KEY] = joined_all((*([shared[ANY_KEY]] if ANY_KEY in shared else []), *single))
        return of_entries(shared, len(shared) == a.length == b.length)
    return Abstract(a.kind, dtype, items=a.items or b.items if a.scalar else None)


def with_entry_known(holder: Abstract, path: list[Any], value: Abstract) -> Abstract:
    """What is known of a container once an entry of it, or of a container in it, is another one. A key that is not known may be any."""
    key, *inner = path
    if holder.kind not in ("sequence", "mapping"):
        return holder

    def new(item: Abstract) -> Abstract:
        return with_entry_known(item, inner, value) if inner else value

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


def symbols_of(dim: Dim) -> frozenset[Any]:
    """The symbols that a length is a form of."""
    terms = dim.terms if isinstance(dim, Length) else ()
    return frozenset().union(*(symbols_of(symbol) if isinstance(symbol, Length) else {symbol} for symbol, _ in terms))


def length_at(dim: Dim, sizes: Mapping[Any, int]) -> int | None:
    """How long a dimension is where its symbols have these sizes.

    >>> length_at(Length((("x.0", 2),), -1), {"x.0": 3}), length_at(Length((("x.0", 1),), -4), {"x.0": 3})
    (5, 0)
    """
    if not isinstance(dim, Length) or not symbols_of(dim) <= sizes.keys():
        return None if isinstance(dim, Length) else dim
    parts = [times * (length_at(symbol, sizes) or 0 if isinstance(symbol, Length) else sizes[symbol]) for symbol, times in dim.terms]
    return -(-max(0, sum(parts) + dim.constant) // dim.step)


def least(dim: Dim) -> float:
    """The least that a form may be, before it is cut off."""
    if not isinstance(dim, Length):
        return dim or 0
    lowest = sum(least_of_symbol(symbol) * times if times > 0 else -math.inf for symbol, times in dim.terms) + dim.constant
    return lowest if dim.step == 1 else -(-max(0, lowest) // dim.step)


def least_of_symbol(symbol: Any) -> float:
    """The least that a symbol stands for."""
    if isinstance(symbol, Length):
        return max(0, least(symbol))
    if isinstance(symbol, Computed) or split_bound(symbol)[1]:
        return 0
    return 2 if symbol.rpartition(".")[2].isdigit() else -math.inf


def number_of(dim: Dim) -> Dim:
    """The value of an int that is the length of a dimension."""
    if not isinstance(dim, Length) or dim == NOT_ONE or dim.step == 1 and least(dim) >= 0:
        return dim
    return of_symbol(dim)


def every(dim: Dim, step: int) -> Dim:
    """The length of every second (third …) entry of a dimension."""
    if dim is None or dim == NOT_ONE or step == 1:
        return dim if step == 1 else None
    if isinstance(dim, int):
        return -(-dim // step)
    return (dim if dim.step == 1 else of_symbol(dim))._replace(step=step)


def length_of(number: Dim) -> Dim:
    """The length of a dimension that is as long as an int says."""
    if isinstance(number, Length) and len(number.terms) == 1 and number.constant <= 0:
        ((inner, times),) = number.terms
        if isinstance(inner, Length) and times == 1 and (inner.step == 1 or not number.constant):
            return inner._replace(constant=inner.constant + number.constant)
    return number


def dims_said(shape: Abstract) -> tuple[Dim, ...] | None:
    """The lengths that a shape (an int, or a list or tuple of them) says; None where their number is not known."""
    items = (shape,) if shape.kind == "python" else shape.items if shape.kind == "sequence" else None
    return tuple(length_of(item.length) for item in items) if type(items) is tuple else None


def plus(a: Dim, b: Dim, factor: int = 1) -> Dim:
    """The value of ``a + factor * b`` of ints.

    >>> str(plus(of_symbol("n"), 2)), plus(of_symbol("n"), of_symbol("n"), -1)
    ('n + 2', 0)
    """
    if a is None or b is None or NOT_ONE in (a, b):
        return None
    one, other = (Length((), part) if isinstance(part, int) else part if part.step == 1 else of_symbol(part) for part in (a, b))
    total = dict(one.terms)
    for symbol, many in other.terms:
        total[symbol] = total.get(symbol, 0) + factor * many
    terms = sorted((term for term in total.items() if term[1]), key=str)
    constant = one.constant + factor * other.constant
    return Length(tuple(terms), constant) if terms else constant


def times(a: Dim, b: Dim) -> Dim:
    """The value of ``a * b`` of ints, one of which is known."""
    return plus(0, b, a) if isinstance(a, int) else plus(0, a, b) if isinstance(b, int) else None


def quotient(a: Dim, b: Dim) -> Dim:
    """The value of ``a // b`` of ints, where the first is not below 0 and the second is known.

    >>> str(quotient(of_symbol("x.0"), 2))
    '(x.0-1) / 2'
    """
    known = isinstance(b, int) and b > 0 and a is not None and least(a) >= 0
    return number_of(every(length_of(plus(a, b - 1, -1)), b)) if known and isinstance(b, int) else None


def can_be_one(dim: Dim) -> bool:
    """Whether a length may be 1 at run time."""
    if not isinstance(dim, Length):
        return dim is None or dim == 1
    if dim.step == 1 and (1 - dim.constant) % math.gcd(*(times for _, times in dim.terms)):
        return False
    alone = dim.terms[0][0] if len(dim.terms) == 1 and dim == of_symbol(dim.terms[0][0]) else None
    return least(dim) < 2 and not (isinstance(alone, Computed) and not alone.may_be_one)


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


def with_equal(value: Any, same: Mapping[str, Dim]) -> Any:
    """An abstract value of an argument (or a tuple of them), with the lengths that some of its symbols are the ``same`` as."""
    return with_lengths(value, lambda dim: same.get(dim.terms[0][0], dim) if dim.constant == 0 else dim) if same else value


class Equalities(set[frozenset[Any]]):
    """Pairs of lengths that NumPy would insist on being equal, by name; ``likely``: such that are equal unless one of them is 1.

    ``least`` are by symbols the numbers of entries that slices of arrays ask for, ``ordered`` pairs of which slices ask that the second
    is no smaller.
    """

    def __init__(self) -> None:
        super().__init__()
        self.likely: set[frozenset[Dim]] = set()
        self.least: dict[str, int] = {}
        self.ordered: set[tuple[Dim, Dim]] = set()

    def ask(self, dim: Dim, number: int) -> None:
        """Note that a slice asks for a number of entries of a dimension of which a call tells the length."""
        if isinstance(dim, Length) and len(dim.terms) == 1 and type(symbol := dim.terms[0][0]) is str and dim.terms[0][1] == 1:
            base, had = split_bound(symbol)
            self.least[base] = max(self.least.get(base, 0), number - dim.constant + had)


def prolonged(asked: Mapping[str, int], known: Mapping[str, Dim], told: Set[str], sizes: Any = True) -> dict[str, Length]:
    """By symbols that are ``told`` the lengths that they have where they are not less than what is ``asked`` of them.

    >>> str(prolonged({"x.0": 3}, {}, {"x.0"})["x.0"])
    'x.0>3 + 3'
    """
    found = {}
    for symbol, number in asked.items():
        had = known.get(symbol)
        longer = isinstance(had, Length) and split_bound(str(had.terms[0][0])) == (symbol, had.constant) and had.constant < number
        enough = not isinstance(sizes, tuple) or dict(sizes).get(symbol, 0) >= number
        if symbol in told and enough and (had is None or longer):
            found[symbol] = at_least(symbol, number)
    return found


def positive_parts(number: Length) -> tuple[Dim, Dim] | None:
    """Two lengths that can be told of a call, of which the second less the first is the value of an int.

    >>> tuple(map(str, positive_parts(Length((("n", -1), ("x.0", 1)), -1)) or ()))
    ('n + 1', 'x.0')
    """
    if not number.of_call:
        return None
    positive = Length(tuple(term for term in number.terms if term[1] > 0), max(0, number.constant))
    less = plus(positive, number, -1)
    return less, positive if positive.terms else positive.constant


def symbols_told(value: Any) -> frozenset[str]:
    """The symbols of the dimensions of arrays in arguments, which :func:`symbolic_lengths` tells of a call."""
    if isinstance(value, Abstract) and value.kind == "array":
        return frozenset().union(*map(symbols_of, value.dims))
    if isinstance(value, Abstract):
        return symbols_told(value.items) if value.kind in ("sequence", "mapping", "object") else frozenset()
    return frozenset().union(*map(symbols_told, value)) if type(value) is tuple else frozenset()


def sizes_at(dim: Dim, sizes: tuple[tuple[str, int], ...]) -> dict[str, int]:
    """The sizes of the symbols of a length, by those of dimensions of arguments."""
    known, bounds = dict(sizes), {symbol: split_bound(symbol) for symbol in symbols_of(dim)}
    return {symbol: max(0, known[base] - number) for symbol, (base, number) in bounds.items() if base in known}


def may_be_taken(pair: tuple[Dim, Dim], told: Set[str], sizes: Any) -> bool:
    """Whether the second of two lengths may be taken for no smaller than the first one: it can be told of a call, and is so of examples."""
    one, other = (length_at(dim, sizes_at(dim, sizes)) for dim in pair) if isinstance(sizes, tuple) else (0, 0)
    return all(symbols_of(dim) <= told for dim in pair) and one is not None and other is not None and one <= other


def solved(likely: Iterable[frozenset[Dim]], known: Mapping[str, Dim], told: Set[str], sizes: Any = True) -> dict[str, Dim]:
    """By symbols that are ``told`` the lengths that they have where ``likely`` pairs are equal, and ``known`` ones.

    ``sizes`` are those of example arguments, True where there are none.

    >>> pairs = [frozenset((Length((("a.0", 1),), -2), Length((("b.0", 1),), -1))), frozenset((of_symbol("c.0"), 3))]
    >>> {symbol: str(dim) for symbol, dim in sorted(solved(pairs, {}, {"a.0", "b.0", "c.0"}).items())}
    {'a.0': 'b.0 + 1', 'c.0': '3'}
    """
    found = dict(known)
    for one, other in sorted((sorted(pair, key=str) for pair in likely), key=str):
        while isinstance(one, Length) and isinstance(other, Length) and one.step == other.step > 1:
            one, other = (length_of(part._replace(step=1)) for part in (one, other))
        if isinstance(sizes, tuple) and length_at(one, sizes_at(one, sizes)) != length_at(other, sizes_at(other, sizes)):
            continue
        apart = plus(one, other, -1)
        apart = apart if isinstance(apart, Length) else Length((), 0)
        for symbol, many in apart.terms:  # the substitution so far
            if symbol in found:
                apart = plus(plus(apart, of_symbol(symbol), -many), found[symbol], many) or 0
                apart = apart if isinstance(apart, Length) else Length((), 0)
        terms = [(symbol, many) for symbol, many in apart.terms if symbol in told]
        if len(terms) < len(apart.terms) or [many for _, many in terms] not in ([1], [-1], [1, -1], [-1, 1]):
            continue
        symbol, many = terms[-1]
        if len(terms) == 2 and -many * apart.constant < 0:  # what is longer is told by what is shorter
            symbol, many = terms[0]
        dim = plus(of_symbol(symbol), apart, -many)
        if dim is not None and least(dim) > 1:
            found = {key: plus(plus(value, of_symbol(symbol), -count), dim, count) for key, value in found.items()
                     for count in [dict(value.terms).get(symbol, 0) if isinstance(value, Length) else 0]}
            found[symbol] = dim
    return found


def broadcast(*shapes: tuple[Dim, ...], equal: Equalities | None = None) -> tuple[Dim, ...]:
    """The lengths that shapes broadcast to. Different lengths that have to be equal for that are noted in ``equal``."""
    rank = max(map(len, shapes))
    result: list[Dim] = []
    for axis in range(-rank, 0):
        dims = [shape[axis] for shape in shapes if len(shape) >= -axis]
        others = [dim for dim in dims if dim != 1]
        if not others:
            result.append(1)
        elif all(dim == others[0] for dim in others):
            result.append(others[0])
        else:  # lengths that are certainly not 1 must be equal; if there is one, it is the result
            if equal is not None:
                same_length(equal, *(dim for dim in others if not can_be_one(dim)))
                told = [dim for dim in others if dim is not None and all(type(symbol) is str for symbol in symbols_of(dim))]
                pairs = (frozenset((told[0], dim)) for dim in told[1:] if dim != told[0])
                equal.likely.update(pair for pair in pairs if any(isinstance(dim, int) or can_be_one(dim) for dim in pair))
            certain = [dim for dim in others if not can_be_one(dim)]
            result.append(next((dim for dim in certain if isinstance(dim, int)), certain[0] if certain else None))
    return tuple(result)


def agreed(equal: set[frozenset[Any]], *dims: Dim) -> Dim:
    """What is known of one length of several that must be equal."""
    same_length(equal, *dims)
    known = [dim for dim in dims if dim is not None and dim != NOT_ONE]
    return next((dim for dim in known if isinstance(dim, int)), known[0] if known else NOT_ONE if NOT_ONE in dims else None)


def same_length(equal: set[frozenset[Any]], *dims: Dim) -> None:
    """Note that these lengths must be equal, where that can be asked of a call's arguments."""
    known = sorted({str(dim) for dim in dims if isinstance(dim, Length) and dim.of_call})
    equal.update(frozenset((known[0], other)) for other in known[1:])


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


def unbroadcast(operand: tuple[Dim, ...], result: tuple[Dim, ...]) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """How the result's adjoint is summed to the operand's shape: leading axes to drop, axes to keep with length 1.

    ``((), ())`` if no broadcasting happened, None if that is not known.
    """
    extra = len(result) - len(operand)
    if extra < 0:  # a store, which drops axes
        return None
    kept = []
    for axis, dim in enumerate(operand):
        other = result[axis + extra]
        if dim == other and dim is not None:
            continue
        if dim == 1:  # right where the other one is 1, too
            kept.append(axis + extra)
        elif not can_be_one(dim):
            continue  # not 1 here, so the result has the same length
        else:
            return None
    return tuple(range(extra)), tuple(kept)


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
