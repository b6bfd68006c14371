"""What a text does with objects in containers: comparisons with None, loops over them, what is stored to them."""

from __future__ import annotations

from typing import Any

from ..syntax import nodes as n
from .record_forms import KEPT, Form, Listing, Record, Reference


def is_nothing(form: Form, node: n.expr) -> bool:
    """Whether a container of keys is given None, or one of lists of keys an empty one."""
    nothing = isinstance(node, n.Constant) and node.value is None
    return nothing if isinstance(form, Reference) else isinstance(form, Listing) and is_empty(form.item, node)


def is_empty(form: Form, node: n.expr) -> bool:
    """Whether an expression makes a list that holds nothing yet: ``[None] * size``."""
    if isinstance(node, n.BinOp) and isinstance(node.op, n.Mult) and isinstance(node.left, n.List):
        return len(node.left.elts) == 1 and is_nothing(form, node.left.elts[0])
    return isinstance(form, KEPT) and isinstance(node, n.List) and all(is_nothing(form, part) for part in node.elts)


def is_row(node: n.expr, rows: set[str]) -> bool:
    """Whether an expression reads a part of an object by its position."""
    while isinstance(node, n.Subscript) and isinstance(node.slice, n.Constant) and type(node.slice.value) is int:
        node = node.value
    return isinstance(node, n.Name) and node.id in rows


def is_compared(call: n.Call, record: Form) -> bool:
    """Whether a call that puts objects in order compares what a key says of them, or tuples."""
    return any(keyword.arg == "key" for keyword in call.keywords) or isinstance(record, Record) and issubclass(record.kind, tuple) and (
        is_tuple(record))


def is_tuple(record: Form) -> bool:
    """Whether an object is compared as the tuple of its parts, or not at all."""
    if not isinstance(record, Record):
        return False
    plain: Any = tuple if issubclass(record.kind, tuple) else object
    compared = all(getattr(record.kind, name) is getattr(plain, name) for name in ("__lt__", "__gt__", "__eq__"))
    return compared and all(is_tuple(form) for _, form in record.parts if form is not None)


def stored_by(node: n.AST) -> tuple[n.expr | None, list[Any], bool]:
    """The container into which a statement stores, what it stores, and whether it is certainly a dict."""
    value = getattr(node, "value", None)
    call = value if isinstance(node, (n.Expr, n.Assign)) and isinstance(value, n.Call) else None
    if call is not None and isinstance(call.func, n.Attribute) and call.func.attr == "append":
        return call.func.value, call.args, False
    if not isinstance(node, n.Assign) or len(node.targets) != 1:
        return None, [], False
    (target,) = node.targets
    if isinstance(target, n.Subscript):
        return target.value, [value], False
    if isinstance(target, n.Name) and isinstance(value, (n.List, n.Dict)):
        return target, value.elts if isinstance(value, n.List) else value.values, isinstance(value, n.Dict)
    return None, [], False
