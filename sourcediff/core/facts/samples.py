"""What a function of the table gives, found by calling it on small arrays: kind and dtype, number of dimensions, lengths.

A call is made three times. Each symbol of a length has another size in each, so that a length of the result is that of an argument
(or that and a constant) only if it is so in all three; what depends on the numbers themselves differs, and is unknown. Lengths that a
function insists on being equal are found by giving symbols one size.
"""

from __future__ import annotations

import itertools
import math
import operator
import types
import warnings
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np

from ...analysis.abstract import INT, STATIC, UNKNOWN, Abstract, joined, joined_all
from ...analysis.applications import Application
from ...analysis.lengths import (
    NOT_ONE,
    Computed,
    Dim,
    Length,
    can_be_one,
    least_of_symbol,
    of_symbol,
    symbols_of,
)
from ...analysis.literals import constant
from ...analysis.scope import MISSING
from ...analysis.source.out_arguments import among
from ...rules.facts import FACTS
from ...runtime.arrays.binning import binned, cell_numbers, counted
from ...runtime.arrays.library import is_host_array
from ...syntax import nodes as n
from .evaluator import Evaluator
from .sample_sizes import FEW, KNOWN, NOT_KNOWN, UNKNOWN_INT, Display, Sizes, attempts, dim_of, in_terms_of, lengths, renamed, size_of

IN_CELLS = (np.histogramdd, counted, cell_numbers, binned)
"""What has a dimension for each column of points: sampled, that is very many cells."""

LARGEST = 60_000
"""Entries of an array that is made for a call."""

COMPLEX_OF_SOME = frozenset("scipy.linalg.sqrtm scipy.linalg.logm scipy.linalg.fractional_matrix_power".split())
"""The functions of SciPy that give complex numbers for some real ones."""

PURE = ("numpy.polynomial.", "scipy.linalg.", "scipy.ndimage.", "scipy.signal.", "scipy.spatial.", "scipy.special.")
"""How the names of modules begin of which no function has an effect."""

LONGEST = 1000
"""The largest int that is given to a function."""


class Literal(NamedTuple):
    """An argument of which the value is written in the program; ``spelled`` tells 1, 1.0 and True apart."""

    value: Any
    spelled: str


class Bounds(NamedTuple):
    """A slice, which some versions of Python cannot look up."""

    lower: int | None
    upper: int | None
    step: int | None


Argument = Abstract | Literal | Display


def by_samples(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """The abstract value of a call of a function that has a rule, or is pure; UNKNOWN where its arguments are not known well enough."""
    rule = applied.rule
    sampled = is_pure(applied.function) if rule is None else not rule.own and not rule.of_method
    sampled = sampled and getattr(type(applied.function), "__hash__", None) is not None
    return sampled_call(values, applied, environment) if sampled else UNKNOWN


def is_pure(function: Any) -> bool:
    """Whether a function has no rule and no effect, so that it may be called to see what it gives.

    >>> is_pure(np.polynomial.legendre.leggauss), is_pure(np.save)
    (True, False)
    """
    return function in FACTS["pure"] or isinstance(function, types.FunctionType) and function.__module__.startswith(PURE)


def drawn(values: Evaluator, node: n.Call, environment: Mapping[str, Abstract]) -> Abstract:
    """The abstract value of a draw from a generator that the program makes: ``rng.normal(size=4)``; UNKNOWN of any other call."""
    owner = node.func.value if isinstance(node.func, n.Attribute) else node
    made = values.scope.once.get(owner.id) if isinstance(owner, n.Name) else None
    maker = values.scope.resolve(made.func) if isinstance(made, n.Call) else MISSING
    if maker not in (np.random.default_rng, np.random.RandomState) or any(keyword.arg is None for keyword in node.keywords):
        return UNKNOWN
    named = {str(keyword.arg): keyword.value for keyword in node.keywords}
    return sampled_call(values, Application(draws(maker, node.func.attr), None, tuple(node.args), named), environment)


@cache
def draws(maker: Any, method: str) -> Any:
    """A method of a generator, as a function that draws the same again."""
    return lambda *args, **kwargs: getattr(maker(0), method)(*args, **kwargs)


def sampled_call(values: Evaluator, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
    """The abstract value of a call that may be made."""
    rule = applied.rule
    if applied.function in FACTS["rank depends on lengths"]:
        return UNKNOWN
    longest = LARGEST if applied.function in FACTS["as long as said"] else LONGEST
    given = [argument(part, values, environment, longest) for part in applied.args]
    named = {name: argument(part, values, environment, longest) for name, part in applied.kwargs.items()}
    parts = [part for part in (*given, *named.values()) if part is not None]
    if len(parts) < len(given) + len(named):
        return UNKNOWN
    if applied.function is operator.getitem and [getattr(part, "kind", "") for part in parts] not in (["array", "array"], ["array", tuple]):
        return UNKNOWN  # it may be a list, or a tuple
    symbols: dict[Any, Any] = {}
    try:
        found, equal = called(applied.function, *numbered(given, named, symbols))
    except TypeError:  # a literal that has no hash
        return UNKNOWN
    names = {numbered: symbol for symbol, numbered in symbols.items()}
    found = renamed(found, names)
    values.equal.update(frozenset(names[symbol] for symbol in pair) for pair in equal)
    unknown = applied.function in FACTS["dtype depends on numbers"] or rule is not None and rule.name in COMPLEX_OF_SOME
    unknown = unknown or not all(map(has_dtypes, parts))
    return without_dtypes(found) if unknown else found


def argument(node: n.expr, values: Evaluator, environment: Mapping[str, Abstract], longest: int = LONGEST) -> Argument | None:
    """What is known of an argument; None where that is too little, or an int is larger than ``longest``."""
    if isinstance(node, n.Name) and node.id in environment and isinstance(once := values.scope.once.get(node.id), n.Constant):
        node = once
    if (literal := constant(node)) is not MISSING:
        return as_literal(literal) if is_small(literal, longest) else None
    if isinstance(node, n.Slice):
        bounds = (node.lower, node.upper, node.step)
        return as_literal(Bounds(*(constant(bound, None) for bound in bounds))) if all(
            type(constant(bound, 0)) is int for bound in bounds) else None
    if isinstance(node, (n.Tuple, n.List)) and not any(isinstance(part, n.Starred) for part in node.elts):
        parts = tuple(argument(part, values, environment) for part in node.elts)
        return None if None in parts else Display(list if isinstance(node, n.List) else tuple, parts)
    if isinstance(node, n.Attribute) and node.attr == "dtype":
        dtype = values.of(node.value, environment).dtype
        return None if dtype is None else as_literal(dtype)
    known = values.of(node, environment)
    made = values.scope.once.get(node.id) if isinstance(node, n.Name) else node
    if isinstance(made, n.Call) and among(values.scope.resolve(made.func), FACTS["gives a tuple"]) and type(known.items) is tuple:
        return Display(tuple, known.items)
    if known.kind in ("array", "numpy", "python", "sequence"):
        return known if can_be_made(known) else None
    outside = values.scope.resolve(node) if isinstance(node, (n.Name, n.Attribute)) else MISSING
    return as_literal(outside) if outside is None or isinstance(outside, (type, np.dtype, str, bool)) else None


def as_literal(value: Any) -> Literal:
    """A value as an argument."""
    return Literal(value, repr(value))


def is_small(value: Any, longest: int) -> bool:
    """Whether a literal makes no large array, as a length, as the lengths of a matrix, or as a shape."""
    return largest(value) <= longest and entries(value) <= LARGEST


def largest(value: Any) -> int:
    """The largest int in a literal."""
    return max(map(largest, value), default=0) if isinstance(value, tuple) else abs(value) if isinstance(value, int) else 0


def entries(value: Any) -> int:
    """The number of entries of an array with this shape."""
    return math.prod(map(entries, value)) if isinstance(value, tuple) else max(1, largest(value))


def can_be_made(known: Argument) -> bool:
    """Whether values of this kind can be made."""
    if isinstance(known, Literal) or known.kind in ("array", "numpy", "python"):
        return True
    items = known.items if type(known.items) is tuple else (known.items,)
    return known.kind == "sequence" and all(isinstance(item, Abstract) and can_be_made(item) for item in items)


def numbered(
    given: Sequence[Any], named: Mapping[str, Any], symbols: dict[Any, Any],
) -> tuple[tuple[Any, ...], tuple[tuple[str, Any], ...]]:
    """The arguments with ``symbols`` that have numbers for names, and with one for each length that is not known."""
    numbers = itertools.count()

    def short(symbol: Any) -> Any:
        number = next(numbers)
        if isinstance(symbol, Computed):
            return Computed(KNOWN, "", number, symbol.may_be_one)
        return f"{number}.0" if least_of_symbol(symbol) > 1 else f"{number}"

    def dim_with_symbols(dim: Dim) -> Dim:
        if dim in (None, NOT_ONE):
            return of_symbol(Computed(NOT_KNOWN, "", next(numbers), dim is None))
        for symbol in sorted(symbols_of(dim) - symbols.keys(), key=str):
            symbols[symbol] = short(symbol)
        return in_terms_of(dim, symbols)

    def with_symbols(part: Argument) -> Argument:
        if isinstance(part, Literal):
            return part
        if isinstance(part, Display):
            return Display(part.kind, tuple(map(with_symbols, part.items)))
        length = None if part.length in (None, NOT_ONE) else dim_with_symbols(part.length)
        items: Any = next(numbers) if part.scalar else part.items  # by which numbers differ from one another
        if part.kind == "sequence":
            items = tuple(map(with_symbols, items)) if type(items) is tuple else with_symbols(items)
        return part._replace(dims=tuple(map(dim_with_symbols, part.dims)), length=length, items=items)

    return tuple(map(with_symbols, given)), tuple((name, with_symbols(part)) for name, part in named.items())


@lru_cache(4096)
def called(function: Any, args: tuple[Any, ...], kwargs: tuple[tuple[str, Any], ...]) -> tuple[Abstract, frozenset[frozenset[str]]]:
    """What a function gives, and which lengths of parameters have to be equal for it."""
    dims = list(dict.fromkeys(lengths((*args, *(part for _, part in kwargs)))))
    if any(function is other for other in IN_CELLS) and not all(isinstance(dim, int) for dim in dims):
        return UNKNOWN, frozenset()
    symbols = list(dict.fromkeys(symbol for dim in dims for symbol in sorted(symbols_of(dim), key=str)))
    written = sorted({dim for dim in dims if isinstance(dim, int) and dim > 1}) if symbols else []
    room = max((-dim.constant for dim in dims if isinstance(dim, Length)), default=0)
    for classes, sizes in attempts(symbols, written, max(0, room)):
        if (results := calls(function, args, kwargs, sizes)) is None:
            continue
        joint = [symbol for members in classes or () if len(members) > 1 for symbol in members]
        unequal = ([{**row, symbol: row[symbol] + 3} for row in sizes] for symbol in joint)
        by_numbers = function in FACTS["lengths depend on numbers"] or function is np.arange and any(map(is_inexact, args))
        if classes is None or by_numbers or len(symbols) > FEW and joint or any(
                calls(function, args, kwargs, rows) is not None for rows in unequal):
            return abstracted(results, None), frozenset()
        loose = {symbol for symbol in joint if can_be_one(of_symbol(symbol))}
        certain = [dim for dim in dims if isinstance(dim, Length) and symbols_of(dim).isdisjoint(loose)]
        found = abstracted(results, {dim: tuple(size_of(dim, row) for row in sizes) for dim in certain})
        turned = [dict(zip(row, reversed(row.values()))) for row in sizes]
        if len(classes) > 1 and not joint :
            results = calls(function, args, kwargs, turned)
            other = None if results is None else abstracted(results, {dim: tuple(size_of(dim, row) for row in turned) for dim in certain})
            found = without_lengths(found) if other is None else joined(found, other)
        equal = {frozenset((members[0], other)) for members in classes for other in members[1:]}
        return found, frozenset(pair for pair in equal if all(of_symbol(name).of_call for name in pair))
    return UNKNOWN, frozenset()


def is_inexact(part: Argument) -> bool:
    """Whether an argument may be a number that is no int, and is not written in the program."""
    return not isinstance(part, Literal) and not (isinstance(part, Abstract) and part.dtype is not None and part.dtype.kind in "iub")


def without_lengths(known: Abstract) -> Abstract:
    """What is known of a value but for its lengths."""
    items = tuple(map(without_lengths, known.items)) if known.kind == "sequence" and type(known.items) is tuple else known.items
    return known._replace(dims=(None,) * len(known.dims), items=items)


def without_dtypes(known: Abstract) -> Abstract:
    """What is known of a value but for its dtypes."""
    items = tuple(map(without_dtypes, known.items)) if known.kind == "sequence" and type(known.items) is tuple else known.items
    return known._replace(dtype=None if known.kind in ("array", "numpy") else known.dtype, items=items)


def has_dtypes(part: Argument) -> bool:
    """Whether the dtypes of an argument are known."""
    if isinstance(part, Literal):
        return True
    if isinstance(part, Display) or part.kind == "sequence":
        return all(map(has_dtypes, part.items if type(part.items) is tuple else (part.items,)))
    return part.dtype is not None


def calls(function: Any, args: tuple[Any, ...], kwargs: tuple[tuple[str, Any], ...], sizes: list[dict[str, int]]) -> list[Any] | None:
    """The results of calls with these sizes; None where the function takes no such arguments."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return [
                function(*(sample(part, k, row) for part in args), **{name: sample(part, k, row) for name, part in kwargs})
                for k, row in enumerate(sizes)
            ]
        except Exception:  # whatever a function says of arguments that it does not take
            return None


def sample(known: Argument, turn: int, sizes: Sizes) -> Any:
    """A value of which this is known. Raises ValueError for one that is too large."""
    if isinstance(known, Literal):
        return slice(*known.value) if isinstance(known.value, Bounds) else known.value
    if isinstance(known, Display):
        return known.kind(sample(item, turn, sizes) for item in known.items)
    if known.kind == "sequence":
        items = known.items if type(known.items) is tuple else (known.items,) * (2 + turn)
        made = [sample(item, turn, sizes) for item in items]
        return tuple(made) if all(isinstance(item, int) for item in made) else made
    dtype = known.dtype or np.dtype(float)
    if known.kind == "array":
        return array(tuple(size_of(dim, sizes) for dim in known.dims), dtype, turn)
    if known.kind == "python" and dtype.kind == "i" and known.length is not None:
        return size_of(known.length, sizes)
    if known.kind == "python" and dtype.kind == "i" and UNKNOWN_INT in sizes:
        return sizes[UNKNOWN_INT]
    number = {"f": (1.3, 2.6, 0.4), "c": (1.3, 2.6, 0.4), "b": (True, False, True)}.get(dtype.kind, (1, 2, 0))[(turn + known.items) % 3]
    one = dtype.type(number) if dtype.kind in "fciub" else np.ones((), dtype)[()]
    return one if known.kind == "numpy" else one.item()


def array(shape: tuple[int, ...], dtype: Any, turn: int) -> Any:
    """An array of other numbers at each turn; a square one is well conditioned, symmetric in all turns but one."""
    count = int(np.prod(shape))
    if count > LARGEST:
        raise ValueError("too large")
    if dtype.kind == "b":
        return np.arange(count).reshape(shape) % (turn + 1) == 0
    if dtype.kind in "iu":
        return (np.arange(count).reshape(shape) % (turn + 1) + (turn + 1) % 3).astype(dtype)
    if dtype.kind not in "fc":
        return np.ones(shape, dtype)
    made = (np.arange(count).reshape(shape) + 1.0) / (count + 1.0 + turn)
    if len(shape) > 1:  # of full rank
        made = 1000 * made * made % 0.97
    if len(shape) > 1 and shape[-1] == shape[-2]:
        upper = np.triu(made, 1)
        made = (shape[-1] + 1) * np.eye(shape[-1]) + upper + np.swapaxes(upper, -1, -2) * (-1 if turn == 2 else 1)
    return np.asarray(made, dtype)


def abstracted(results: Sequence[Any], known: Mapping[Length, tuple[int, ...]] | None) -> Abstract:
    """What is known of the results of all calls, the ``known`` lengths by their sizes; None: no length is."""
    first = results[0]
    if all(is_host_array(result) for result in results):
        if len({result.ndim for result in results}) > 1:
            return UNKNOWN
        dtype = first.dtype if all(result.dtype == first.dtype for result in results) else None
        return Abstract("array", dtype, tuple(dim_of(sizes, known) for sizes in zip(*(result.shape for result in results))))
    if all(isinstance(result, np.generic) for result in results):
        return Abstract("numpy", first.dtype if all(result.dtype == first.dtype for result in results) else None)
    if any(type(result) is not type(first) for result in results):
        return UNKNOWN
    if type(first) is int and min(results) == max(results) >= 0:
        return INT._replace(length=first)
    if isinstance(first, (bool, int, float, complex)):
        return Abstract("python", np.dtype(type(first)))
    if isinstance(first, (tuple, list)):
        if len({len(result) for result in results}) == 1:
            return Abstract("sequence", items=tuple(abstracted(parts, known) for parts in zip(*results)))
        return Abstract("sequence", items=joined_all(tuple(abstracted((part,), None) for result in results for part in result)))
    return STATIC if first is None else UNKNOWN
