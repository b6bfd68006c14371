"""Which values are unknown since something before them is: what is refused of such a value follows from that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from typing import Any

from ...syntax import nodes as n
from ...syntax.quote import names
from ..applications import application
from ..scope import Scope
from ..statements import BLOCKS, base, grown, simple, target_names, targets
from .may_be_active import carries

ITERATORS = (iter, enumerate, zip, map, filter, reversed)
"""What goes over values, and has no derivative to lack: how it is used may be refused."""


def without_rule(node: n.AST, carried: Set[str], scope: Scope) -> tuple[n.Call, Any] | None:
    """The first call within a node of a function without a rule, to which one of the names that carry is given, and that function."""
    for part in n.walk(node):
        applied = application(part, scope) if isinstance(part, n.Call) and carries(part, carried, scope) else None
        if applied is not None and applied.rule is None and applied.function not in ITERATORS:
            return part, applied.function
    return None


def come_of(body: list[n.stmt], begins: Callable[[n.stmt], Any], spoilt: Iterable[str] = ()) -> dict[str, Any]:
    """The names whose values come of a statement for which ``begins`` gives something, each with that of the first one.

    >>> from sourcediff.syntax.quote import statement
    >>> body = [statement("y = strange(x)"), statement("z = y + 1"), statement("w = x + 1"), statement("parts.append(z)")]
    >>> come_of(body, lambda node: "strange" if "strange" in names(node) else None)
    {'y': 'strange', 'z': 'strange', 'parts': 'strange'}
    """
    found = dict.fromkeys(spoilt, "")
    for node in simple(body):
        read: Any = node.iter if isinstance(node, n.For) else node if type(node) not in BLOCKS else None
        if read is None:
            continue
        cause = next((found[name] for name in sorted(names(read)) if name in found), None)
        if cause is None:
            cause = begins(read)
        if cause is not None:
            bound = {name for target in targets(node) for name in target_names(target) or {base(target) or ""}} | {grown(node) or ""}
            found |= dict.fromkeys(sorted(bound - {"", *found}), cause)
    return found
