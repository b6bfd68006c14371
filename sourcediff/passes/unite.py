"""Unite two names of one array, so that a change in place through one is a change of the other."""

from __future__ import annotations

from ..analysis.effects import binds, mutates, simple, target_names
from ..analysis.values import Values
from ..syntax import nodes as n
from ..syntax.quote import clone, expression

Block = list[n.stmt]


def unite(body: Block, values: Values, output: str) -> Block:
    """Replace a name that is a plain copy ``y = x`` of an array's name by that name, where both stay bound as they are.

    >>> import numpy as np
    >>> from sourcediff.explaining import text_after
    >>> def doubled(x):
    ...     a = x * 2
    ...     b = a
    ...     b += 1
    ...     return np.sum(a * b)
    >>> print(text_after("analyse", doubled, args=(np.ones(2),)))
    a = x * 2
    a += 1
    t = a * a
    value = np.sum(t)
    """
    changed = mutates(body)
    while (found := _copy(body, values, changed, output)) is not None:
        node, old, new = found
        body = _without(body, node, {old: expression(new)})
        changed = mutates(body)
    return body


def _copy(body: Block, values: Values, changed: set[str], output: str) -> tuple[n.stmt, str, str] | None:
    """A statement ``y = x`` of arrays of which one is changed in place, each name bound only there (or as a parameter)."""
    for node in simple(body):
        if not (isinstance(node, n.Assign) and isinstance(node.targets[0], n.Name) and isinstance(node.value, n.Name)):
            continue
        old, new = node.targets[0].id, node.value.id
        known = values.before.get(node, {}).get(new)
        if old in (new, output) or known is None or known.kind != "array" or not {old, new} & changed:
            continue
        if _bindings(body, old) == 1 and old not in values.before[body[0]] and _settled(body, new, node, values):
            return node, old, new
    return None


def _settled(body: Block, name: str, at: n.stmt, values: Values) -> bool:
    """Whether a name is bound for good before a statement: a parameter never bound anew, or bound once, above it."""
    count = _bindings(body, name)
    if name in values.before[body[0]]:
        return count == 0 or count == 1 and _bound_above(body, name, at)
    return count == 1 and _bound_above(body, name, at)


def _bound_above(body: Block, name: str, at: n.stmt) -> bool:
    for node in body:
        if node is at or at in simple([node]):
            return False
        if isinstance(node, n.Assign) and name in binds([node]):
            return True
    return False


def _bindings(body: Block, name: str) -> int:
    """How often a name is bound to something new (an update in place binds nothing)."""
    count = 0
    for node in simple(body):
        targets = node.targets if isinstance(node, n.Assign) else [node.target] if isinstance(node, n.For) else []
        count += sum(name in target_names(target) for target in targets)
    return count


def _without(body: Block, gone: n.stmt, renamed: dict[str, n.AST]) -> Block:
    done: Block = []
    for node in body:
        if node is gone:
            continue
        copied = clone(node, renamed)
        for field in ("body", "orelse"):
            if getattr(node, field, None):
                setattr(copied, field, _without(getattr(node, field), gone, renamed) or [n.Pass()])
        done.append(copied)
    return done
