"""What a gradient that stands alone asks of its arguments before anything else: that they are of the kinds that it was made for.

The functions that raise are pasted into the module that ``save_gradient`` writes; :func:`required` writes their calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..analysis.abstract import Abstract
from ..analysis.lengths import Length
from ..naming import is_name

# Pasted


def require_array(name: str, value: Any, kinds: str, dims: Sequence[Any]) -> None:
    """Raise TypeError or ValueError for what is no plain array of these kinds of numbers and axes: "n" is 2 or more."""
    if not isinstance(value, np.ndarray) or value.__array_priority__ > 0 or value.dtype.kind not in kinds:
        found = getattr(value, "dtype", "")
        raise TypeError(f"{name} is a {type(value).__name__} {found}, and this gradient was made for an array of dtype.kind {kinds[0]!r}")
    if value.ndim != len(dims) or any(length < 2 if dim == "n" else dim not in (None, length) for length, dim in zip(value.shape, dims)):
        form = ", ".join("any" if dim is None else str(dim) for dim in dims)
        raise ValueError(f"{name} has shape {value.shape}, and this gradient was made for ({form}), where n is 2 or more")


def require_number(name: str, value: Any, kinds: str) -> None:
    """Raise TypeError for what is no number of these kinds: "f" for a float, "i" for an integer, "c", "b"."""
    if isinstance(value, np.ndarray) or np.ndim(value) or np.asarray(value).dtype.kind not in kinds:
        raise TypeError(f"{name} is a {type(value).__name__}, and this gradient was made for a number of dtype.kind {kinds[0]!r}")


def require_entries(name: str, value: Any, count: Any) -> None:
    """Raise TypeError for what is no list or tuple, ValueError for another number of entries than ``count`` (None: any)."""
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"{name} is a {type(value).__name__}, and this gradient was made for a list or tuple")
    if count is not None and len(value) != count:
        raise ValueError(f"{name} has {len(value)} entries, and this gradient was made for {count}")


def require_keys(name: str, value: Any, keys: Sequence[Any]) -> None:
    """Raise TypeError for what is no dict, ValueError for one with other keys."""
    if not isinstance(value, dict):
        raise TypeError(f"{name} is a {type(value).__name__}, and this gradient was made for a dict")
    if set(value) != set(keys):
        raise ValueError(f"{name} has the keys {list(value)}, and this gradient was made for {list(keys)}")


def require_equal(one: tuple[Any, ...], other: tuple[Any, ...]) -> None:
    """Raise ValueError where two lengths differ: each of a value along an axis (of an int itself, axis None), less a number."""
    found = [value if axis is None else np.shape(value)[axis] if axis else len(value) for _, value, axis, _ in (one, other)]
    if max(0, found[0] - one[3]) != max(0, found[1] - other[3]):
        said = [name if less == 0 else f"{name} - {less}" for name, _, _, less in (one, other)]
        raise ValueError(f"{said[0]} is not {said[1]} ({found[0]} and {found[1]}), and this gradient was made for equal lengths")


# Written

ALIKE = {"f": "fiu", "i": "iu", "u": "iu", "c": "cfiu", "b": "b"}
"""The kinds of numbers that do where a Python number or a NumPy scalar of a kind stood."""

LITERAL = (str, int, float, bool, bytes, type(None))


def required(at: str, known: Abstract, each: str = "entry") -> Iterator[str]:
    """The calls that make sure of what is known of what the expression ``at`` reads; ``each`` is a name for the entries of a list.

    >>> list(required("u", Abstract("array", np.dtype(float), (Length((("u.0", 1),)), 1))))
    ["require_array('u', u, 'f', ('n', 1))"]
    >>> list(required("p", Abstract("sequence", items=(Abstract("python", np.dtype(float)),) * 2)))[:2]
    ["require_entries('p', p, 2)", "require_number('p[0]', p[0], 'fiu')"]
    """
    if known.kind == "array" and known.dtype is not None:
        dims = tuple("n" if isinstance(dim, Length) else dim for dim in known.dims)
        kinds = "iu" if known.dtype.kind in "iu" else known.dtype.kind
        yield f"require_array({at!r}, {at}, {kinds!r}, {dims!r})"
    elif known.kind in ("python", "numpy") and known.dtype is not None and known.dtype.kind in ALIKE:
        yield f"require_number({at!r}, {at}, {ALIKE[known.dtype.kind]!r})"
    elif known.kind == "sequence" and type(known.items) is tuple:
        yield f"require_entries({at!r}, {at}, {len(known.items)})"
        for position, item in enumerate(known.items):
            yield from required(f"{at}[{position}]", item, each)
    elif known.kind == "sequence":
        yield f"require_entries({at!r}, {at}, None)"
        inner = list(required(each, known.items, each)) if isinstance(known.items, Abstract) and at != each else []
        yield from [f"for {each} in {at}:", *(f"    {line}" for line in inner)] if inner else []
    elif known.kind == "mapping" and known.length is not None:
        if all(type(key) in LITERAL for key, _ in known.items):
            yield f"require_keys({at!r}, {at}, {tuple(key for key, _ in known.items)!r})"
            for key, item in known.items:
                yield from required(f"{at}[{key!r}]", item, each)


def equal_requirement(pair: tuple[str, str]) -> str | None:
    """The call that makes sure of two equal lengths, by the names that they have among the facts; None for what has no name here.

    >>> equal_requirement(("m:weights.1", "p[1].0-2"))
    "require_equal(('m.weights.shape[1]', m.weights, 1, 0), ('len(p[1])', p[1], 0, 2))"
    """
    sides = [measured(symbol) for symbol in pair]
    return None if None in sides else f"require_equal({sides[0]}, {sides[1]})"


def measured(symbol: str) -> str | None:
    """A length as :func:`require_equal` takes it: ``x.0``, ``p[1].0-2``, ``m:weights.1``; an int of a call, ``n``; a number."""
    if " + " in symbol or " * " in symbol:
        return None
    stem, _, minus = symbol.rpartition("-")
    symbol, less = (stem, int(minus)) if stem and minus.isdigit() else (symbol, 0)
    if symbol.isdigit() or is_name(symbol):
        return f"({symbol!r}, {symbol}, None, {less})"
    path, _, axis = symbol.rpartition(".")
    if not axis.isdigit() or ":" in path and "[" in path:  # a key may hold anything
        return None
    path = path.replace(":", ".")
    said = f"{path}.shape[{axis}]" if int(axis) else f"len({path})"
    return f"({said!r}, {path}, {axis}, {less})"
