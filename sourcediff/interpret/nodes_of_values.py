"""What values hold: the structures within them, and the expressions of the text that they are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..syntax import nodes as n
from ..syntax.quote import clone, expression
from .values import (
    Bound,
    Cached,
    Choice,
    Closure,
    Frame,
    Items,
    Known,
    Method,
    OneOf,
    Row,
    Run,
    Selected,
    Series,
    Structure,
    Super,
    Value,
)

LITERALS = (int, float, complex, bool, str, bytes, type(None), type(...))


def within(held: dict[int, dict[Any, Value]], roots: Iterable[Value]) -> set[int]:
    """The numbers of the structures and frames that values lead to."""
    found: set[int] = set()
    pending: list[Any] = list(roots)
    for part in pending:
        frame = part
        while isinstance(frame, Frame):
            if frame.identity not in found:
                found.add(frame.identity)
                pending += held[frame.identity].values()
            frame = frame.around
        if isinstance(part, Structure) and part.identity not in found:
            found.add(part.identity)
            pending += held[part.identity].values()
        elif isinstance(part, Value):
            pending += parts_of(part)
    return found


def parts_of(value: Value) -> list[Any]:
    """The values within a value that is no structure, and the frames."""
    if isinstance(value, Closure):
        return [*([value.frame] if value.frame else ()), *value.defaults.values(), *([value.attributes] if value.attributes else ())]
    if isinstance(value, Bound):
        return [value.function, *value.given, *value.named.values()]
    if isinstance(value, Cached):
        return [value.function]
    if isinstance(value, Choice):
        return [*value.functions]
    if isinstance(value, OneOf):
        return [*value.objects]
    if isinstance(value, (Method, Super, Row, Selected)):
        return [value.of]
    if isinstance(value, Series):
        return [value.row]
    if isinstance(value, Items):
        return [part for part in value.parts if isinstance(part, (Value, Frame))]
    return []


def is_metadata(node: n.AST) -> bool:
    """Whether an expression gives a length, a shape, a test, whatever it is of."""
    if isinstance(node, n.Attribute):
        return node.attr in ("shape", "ndim", "size", "dtype") or is_metadata(node.value)
    if isinstance(node, n.Subscript):
        return is_metadata(node.value)
    if isinstance(node, n.Compare):
        return True
    return isinstance(node, n.Call) and isinstance(node.func, n.Name) and node.func.id in (
        "len", "isinstance", "range", "bool", "int")


def as_node(value: Value) -> n.expr | None:
    """A new tree for a value that is one expression, None if it is none."""
    if isinstance(value, Run):
        return clone(value.node)
    if isinstance(value, Known) and type(value.object) is str:
        return n.Constant(value=value.object, kind=None)
    if isinstance(value, Known) and value.node is not None:
        return clone(value.node)
    if isinstance(value, Known) and type(value.object) in (int, float) and value.object < 0:
        return expression(f"-{-value.object!r}")  # which is raised to a power as a whole
    if isinstance(value, Known) and type(value.object) in LITERALS:
        return n.Constant(value=value.object, kind=None)
    return None


def is_literal(value: Value) -> bool:
    """Whether a value is a known number or word, or a tuple of such.

    >>> is_literal(Known(("port", 2))), is_literal(Known(len))
    (True, False)
    """
    known = value.object if isinstance(value, Known) else value
    return all(is_literal(Known(part)) for part in known) if type(known) is tuple else type(known) in LITERALS
