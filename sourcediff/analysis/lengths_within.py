"""The lengths within what is known of values: taken for equal, forgotten, and found in the values themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..runtime.arrays.library import is_array
from ..runtime.user_objects import DEEPEST, held_by, is_open, is_users
from .abstract import Abstract
from .lengths import NOT_ONE, Computed, Dim, Length, can_be_one, length_of, symbols_of


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
