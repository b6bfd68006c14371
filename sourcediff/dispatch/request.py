"""What is asked of the compiler for a function and example arguments, and the digest of the library that a cached text depends on."""

from __future__ import annotations

import types
from collections.abc import Iterable
from typing import Any

from ..analysis.abstract import Abstract
from ..analysis.abstraction import abstract
from ..analysis.environment.words import MANY, WITHIN
from ..analysis.lengths import split_bound
from ..analysis.lengths_within import symbolic_lengths
from ..errors import NonDifferentiableError, UnsupportedSyntaxError
from ..runtime.placement import library_of_call
from ..runtime.user_objects import DEEPEST, is_open, is_users, own
from ..syntax.function import definition, held, plain
from .arguments import as_float, checked_parts, parameters_named, signature_of
from .called_directly import as_python
from .internal_errors import own_error
from .wrappers import forwards, of_example


def length_named(text: str, known: dict[str, int]) -> int | None:
    """The length that ``x.0``, ``x.0-2``, ``2 * x.0 + n + 1`` or ``3`` stands for in a call, None if it cannot be told."""
    if text.isdigit():
        return int(text)
    if text in known:
        return known[text]
    symbol, number = split_bound(text)
    if number and symbol in known:
        return max(0, known[symbol] - number)
    form, _, minus = text.rpartition("-")
    if form and minus.isdigit():
        found = length_named(form, known)
        return None if found is None else max(0, found - int(minus))
    times, _, symbol = text.partition(" * ")
    if times.isdigit() and symbol in known:
        return int(times) * known[symbol]
    one, _, rest = text.partition(" + ")
    found, other = (length_named(part, known) for part in (one, rest)) if rest else (None, None)
    return None if found is None or other is None else found + other


DECIDING = (str, int, bool, type(None))
"""The types of values in arguments that may decide how a function is written."""


def sizes_of(arguments: Iterable[tuple[str, Any]]) -> dict[str, int]:
    """The lengths of the arguments of a call, by their symbols."""
    return {symbol: size for name, value in arguments for symbol, size in symbolic_lengths(value, name).items()}


def telling(arguments: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """What may decide how a function is written: the lengths of arguments by their symbols, ints, strings, tests and None by their places:
    ``kind``, ``data[0][1]``, ``options['name']``.
    """
    arguments = list(arguments)
    found: dict[str, Any] = sizes_of(arguments)
    pending = [(name, value, 0) for name, value in arguments]  # with how deep objects are looked into
    for name, value, within in pending:
        if type(value) in DECIDING:
            found[name] = value
        elif type(value) in (list, tuple, dict) and len(value) <= MANY and len(pending) < MANY**2:
            entries = value.items() if type(value) is dict else enumerate(value)
            pending += [(f"{name}[{key!r}]", part, within) for key, part in entries
                        if type(part) in (*DECIDING, list, tuple, dict) or is_users(type(part))]
        elif is_users(type(value)) and len(held := own(value)) <= MANY and len(pending) < MANY**2:
            within = within or (DEEPEST + 1 if is_open(value) else WITHIN)
            inside = (*DECIDING, list, tuple, dict) if within > WITHIN else DECIDING
            pending += [(f"{name}:{key}", part, within) for key, part in held.items()
                        if name.count(":") < within and (type(part) in inside or is_users(type(part)))]
            found |= {f"{name}:{key}": words for key, words in words_of_class(type(value)).items() if key not in held}
    return found


def words_of_class(kind: type) -> dict[str, tuple[str, ...]]:
    """The tuples of words that a class, or one that it is derived from, holds under names.

    >>> words_of_class(type("Model", (), {"names": ("rate", "scale"), "rate": 2.0}))
    {'names': ('rate', 'scale')}
    """
    held = {name: part for base in reversed(kind.__mro__) if is_users(base) for name, part in vars(base).items()}
    return {name: part for name, part in held.items()
            if type(part) is tuple and part and not name.startswith("__") and all(type(word) is str for word in part)}


def settled_now(settled: Iterable[tuple[str, Any]], arguments: Iterable[tuple[str, Any]]) -> tuple[tuple[str, Any], ...]:
    """What an entry takes for ``settled``, as it is of the arguments of a call."""
    if not settled:
        return ()
    known = telling(arguments)
    return tuple([(path, known.get(path)) for path, _ in settled])


def measured(error: NonDifferentiableError, arguments: Iterable[tuple[str, Any]]) -> NonDifferentiableError:
    """The error of an output that is no scalar, with the output's shape in a call where that can be told."""
    known = sizes_of(arguments)
    dims = [dim if isinstance(dim, int) else length_named(str(dim), known) for dim in getattr(error, "dims", ())]
    if not dims or None in dims:
        return error
    why = f"it returns an array of shape {tuple(dims)}"
    return NonDifferentiableError(error.problem, why=why, remedy=error.remedy, places=error.places)


def going_on(function: types.FunctionType) -> UnsupportedSyntaxError:
    """The error of a function that goes on changing while it is compiled."""
    return UnsupportedSyntaxError(
        f"{function.__qualname__} changes while it is compiled", at_run_time=True,
        places=[definition(function, "a function that this one reads is exchanged, again and again")],
        remedy="exchange functions between the calls of a gradient, not during them, or pass them as arguments",
    )


def are_as_assumed(pairs: Iterable[tuple[str, str, str]], arguments: Iterable[tuple[str, Any]]) -> bool:
    """Whether lengths of the arguments of a call are what they are taken for."""
    known = sizes_of(arguments)
    for left, relation, right in pairs:
        one, other = length_named(left, known), length_named(right, known)
        if one is None or other is None or (one != other if relation == "==" else one > other):
            return False
    return True


def requested(
    function: Any, wrt: Any, args: Any = None, value: bool = False, mode: str = "reverse", **kwargs: Any,
) -> tuple[types.FunctionType, Any]:
    """A plain function and the compiler's Request for its gradient (tangent): for these example arguments, or the general one without.

    Raises UnknownParameterError, NonDifferentiableError for an argument that cannot be differentiated, TypeError for arguments
    that the function does not take.
    """
    from ..compiler.pipeline import Request

    if args is not None and not isinstance(args, (tuple, list)):
        raise NonDifferentiableError(
            f"args is of type {type(args).__name__}", why="it holds example arguments, one for each parameter",
            remedy="give a tuple of them, for example args=(1.0,)",
        )
    function = as_python(function)
    if forwards(function, wrt):
        function, wrt = of_example(function, wrt, args)
    inner = plain(function)
    names, single = parameters_named(function, wrt)
    first, named = held(function)
    call = signature_of(inner).bind_partial(*first, *(args or ()), **{**named, **kwargs})
    if args is not None:
        call = signature_of(inner).bind(*call.args, **call.kwargs)
        call.apply_defaults()
    try:
        arguments = tuple((name, known_argument(name, given, names, inner)) for name, given in call.arguments.items())
    except RecursionError as error:
        raise own_error(error, inner, call.arguments.items()) from error
    library = library_of_call(inner, call.arguments.items(), ())
    guarded = args is None or mode != "reverse" or library != "numpy"
    sizes = tuple(sizes_of(call.arguments.items()).items())
    settled = tuple(telling(call.arguments.items()).items()) if args is not None else ()
    return inner, Request(
        names, single, value, arguments, mode=mode, library=library, guarded=guarded, assuming=sizes, settled=settled)


def known_argument(name: str, value: Any, wrt: tuple[str, ...], function: types.FunctionType) -> Abstract:
    """The abstract value of an example argument. Raises NonDifferentiableError for one that cannot be differentiated."""
    given = as_float(value) if name in wrt else value
    checked_parts(name, given, wrt, function)
    return abstract(given, name)
