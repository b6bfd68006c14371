"""Arrays of objects: what is done to one of their entries is nobody's derivative rule, so a differentiated value may not get into one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...analysis.abstract import UNKNOWN, Abstract
from ...analysis.applications import application
from ...analysis.source.may_be_active import carries
from ...analysis.statements import base, target_names, within
from ...errors import UnsupportedSyntaxError
from ...syntax import nodes as n
from ..facts.activity import Activity
from ..facts.values import Values


def check_object_arrays(body: list[n.stmt], values: Values, activity: Activity, pointer: Any) -> None:
    """Raise UnsupportedSyntaxError where what is differentiated becomes an array of objects, is stored into one, or computed with one."""
    places = [pointer(
        node, "an array of objects meets what is differentiated", "what NumPy does with its entries is said by their classes",
        "use a list, or an array of floats",
    ) for node in within(body) if meets_objects(node, values, activity)]
    if places:
        raise UnsupportedSyntaxError("arrays of objects have no derivative", places=list(dict.fromkeys(places)))


def meets_objects(node: n.stmt, values: Values, activity: Activity) -> bool:
    """Whether a statement makes an array of objects of what is differentiated, or has one as an operand of it."""
    if not isinstance(node, (n.Assign, n.AugAssign)) or node not in activity.varied:
        return False
    before, after = values.before[node], values.after[node]
    if not carries(node.value, activity.varied[node], values.scope):
        return False
    for target in node.targets if isinstance(node, n.Assign) else [node.target]:
        if any(of_objects(after.get(name, UNKNOWN)) for name in target_names(target)):
            return True
        if isinstance(target, n.Subscript) and base(target) and of_objects(values.of(target.value, before)):
            return True
    return any(of_objects(known) for known in operands_of_store(node.value, values, before))


def operands_of_store(node: n.expr, values: Values, environment: Mapping[str, Abstract]) -> list[Abstract]:
    """What is known of the arrays that a function is applied to, other than an index, and of those in a list."""
    applied = application(node, values.scope)
    if applied is None or isinstance(node, n.Subscript):
        return []
    parts = [part for given in applied.args for part in (given.elts if isinstance(given, (n.Tuple, n.List)) else [given])]
    return [values.of(part, environment) for part in parts if isinstance(part, (n.Name, n.Attribute, n.Subscript, n.Call))]


def of_objects(known: Abstract) -> bool:
    """Whether a value is known to be an array of objects."""
    return known.dtype is not None and bool(known.dtype.kind == "O")
