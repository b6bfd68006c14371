"""Names that are bound to a list everywhere."""

from __future__ import annotations

from collections.abc import Callable

from ...syntax import nodes as n

Block = list[n.stmt]


def certain(
    body: Block, given: set[str], sequences: set[str], multiplies: Callable[[n.expr], bool | None],
) -> tuple[set[str], set[str]]:
    """The names of a body that stand for a list (or tuple) wherever they are bound, and those that do so at one time only.

    ``given`` are the parameters, ``sequences`` those of them that are lists, ``multiplies`` tells of
    what is no list whether it is an array, with which ``*`` is no operation on lists.
    """
    bound: dict[str, list[n.expr | None]] = {}
    for part in (part for node in body for part in n.walk(node)):
        if isinstance(part, n.Assign):
            for target in part.targets:
                note(target, part.value, bound)
        elif isinstance(part, (n.For, n.comprehension)):
            note(part.target, None, bound)
        elif isinstance(part, n.NamedExpr):
            note(part.target, part.value, bound)
    lists = {*bound} - given | sequences
    while True:
        fewer = {name for name in lists if all(value is not None and is_list(value, lists, multiplies) for value in bound.get(name, []))}
        if fewer == lists:
            break
        lists = fewer
    return lists, {name for name, values in bound.items() if name not in lists and (len(values) > 1 or name in given)}


def note(target: n.expr, value: n.expr | None, bound: dict[str, list[n.expr | None]]) -> None:
    """Note what the names of a target are bound to; None where that is not said."""
    if isinstance(target, n.Name):
        bound.setdefault(target.id, []).append(value)
    elif isinstance(target, (n.Tuple, n.List)):
        given = value.elts if isinstance(value, (n.Tuple, n.List)) and len(value.elts) == len(target.elts) else [None] * len(target.elts)
        for part, shown in zip(target.elts, given):
            note(part, shown, bound)
    elif isinstance(target, n.Starred):
        note(target.value, n.List(elts=[], ctx=n.Load()), bound)


def is_list(node: n.expr, lists: set[str], multiplies: Callable[[n.expr], bool | None]) -> bool:
    """Whether an expression looks like a list or tuple, if ``lists`` are names of such."""
    if isinstance(node, n.Name):
        return node.id in lists
    if isinstance(node, (n.List, n.Tuple, n.ListComp)):
        return True
    if isinstance(node, n.IfExp):
        return is_list(node.body, lists, multiplies) and is_list(node.orelse, lists, multiplies)
    if isinstance(node, n.Subscript):
        return isinstance(node.slice, n.Slice) and is_list(node.value, lists, multiplies)
    if isinstance(node, n.BinOp):
        sides = is_list(node.left, lists, multiplies), is_list(node.right, lists, multiplies)
        if isinstance(node.op, n.Add) or all(sides):
            return all(sides)
        return any(sides) and isinstance(node.op, n.Mult) and not multiplies(node.right if sides[0] else node.left)
    if isinstance(node, n.Call) and isinstance(node.func, n.Attribute):
        return node.func.attr == "copy" and is_list(node.func.value, lists, multiplies)
    return isinstance(node, n.Call) and isinstance(node.func, n.Name) and node.func.id in ("list", "sorted", "tuple")
