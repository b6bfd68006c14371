r"""Split a name that stands for a growing list first, and for something else later, into two.

>>> from sourcediff.analysis.scope import Scope
>>> from sourcediff.syntax.quote import statements
>>> from sourcediff.syntax.text import to_source
>>> body = statements("means = []\nfor v in rows:\n    means.append(v.mean())\nmeans = np.array(means)\nm = means / means.sum()")
>>> scope = Scope()
>>> scope.taken.add("means")
>>> for node in split_rebound(body, scope, set()):
...     print(to_source(node))
means = []
for v in rows:
    means.append(v.mean())
means1 = np.array(means)
m = means1 / means1.sum()

What is bound in a branch or a loop keeps its name, unless it is begun there and used nowhere else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from ...analysis.applications import METHODS
from ...analysis.scope import MISSING, Scope
from ...syntax import nodes as n
from ...syntax.container_methods import RESIZING, mutating
from ...syntax.quote import altered, as_target, clone, expression, names, place

Block = list[n.stmt]

LISTS = (n.List, n.ListComp, n.Name, n.Subscript, n.Starred)


def split_rebound(body: Block, scope: Scope, wide: set[str]) -> Block:
    """The statements of a function.

    Of names in ``wide``, which other bodies use too, it is the list that gets the new name, where nobody else can see it.
    """
    if not any(map(grown_in, body)):
        return body
    body = _parted(body, scope, wide)
    return _within(body, scope, wide, counted_names(body))


def _within(block: Block, scope: Scope, kept: set[str], seen: Counter[str]) -> Block:
    """The statements of a block with other names in the blocks in it; how often the names of the function are ``seen``."""
    done: Block = []
    for node in block:
        blocks: dict[str, Any] = {}
        for field in n.BLOCKS if grown_in(node) and not isinstance(node, n.FunctionDef) else ():
            if type(inner := getattr(node, field, None)) is list and inner:
                here = counted_names(inner)
                own = {name for name in map(list_bound_by, inner) if name and here[name] == seen[name] and begins(name, inner)} - kept
                blocks[field] = _within(_parted(inner, scope, set(), own) if own else inner, scope, kept, seen)
        done.append(altered(node, **blocks) if blocks else node)
    return done


def counted_names(body: Sequence[n.AST]) -> Counter[str]:
    """How often each name is seen."""
    return Counter(part.id for node in body for part in n.walk(node) if isinstance(part, n.Name))


def begins(name: str, block: Block) -> bool:
    """Whether the first statement of a block that has a name binds it anew."""
    first = next(node for node in block if name in names(node))
    return list_bound_by(first) == name and name not in names(first.value)  # type: ignore[attr-defined]


def _parted(body: Block, scope: Scope, wide: set[str], own: set[str] | None = None) -> Block:
    """The statements of one block; only names that are its ``own``, where these are given."""
    inner = {name for node in body for part in n.walk(node) if isinstance(part, (n.FunctionDef, n.Lambda)) for name in names(part)}
    done: Block = []
    rest: list[Any] = list(body)
    grown: set[str] = set()
    while rest:
        node = rest.pop(0)
        name = list_bound_by(node)
        if name and name not in inner and name in grown and (own is None or name in own) and other(node.value):
            if name not in wide:
                new = expression(scope.fresh(name))
                node = place(n.Assign(targets=[as_target(new)], value=node.value, type_comment=None), node)
                rest = [clone(later, {name: new}) for later in rest]
            elif (start := is_list_from_start(name, done, scope)) is not None:
                new = expression(scope.fresh(name))
                done[start:] = [clone(part, {name: new}) for part in done[start:]]
                node = place(n.Assign(targets=node.targets, value=clone(node.value, {name: new}), type_comment=None), node)
            grown.discard(name)
        done.append(node)
        grown |= grown_in(node)
    return done


def list_bound_by(node: n.stmt) -> str:
    """The name that a statement binds, if that is all it does."""
    target = node.targets[0] if isinstance(node, n.Assign) and len(node.targets) == 1 else None
    return target.id if isinstance(target, n.Name) else ""


def is_list_from_start(name: str, body: list[Any], scope: Scope) -> int | None:
    """Where a name is bound for the last time that has been bound here; None if others may see it since."""
    found = [position for position, node in enumerate(body) if list_bound_by(node) == name and name not in names(node.value)]
    if not found:
        return None
    parts = [part for node in body[found[-1]:] for part in n.walk(node)]
    seen = any(isinstance(part, n.Return) or isinstance(part, n.Call) and not is_alone(part, scope) for part in parts)
    return None if seen else found[-1]


def is_alone(call: n.Call, scope: Scope) -> bool:
    """Whether a call runs no function of the user's: it is one of a library's, or of a method of containers or arrays."""
    function = scope.resolve(call.func)
    if function is MISSING:
        return isinstance(call.func, n.Attribute) and (call.func.attr in METHODS or call.func.attr in mutating())
    module = getattr(function, "__module__", None) or type(function).__module__
    return module.split(".")[0] in ("builtins", "collections", "math", "numpy", "scipy")


def grown_in(node: n.stmt) -> set[str]:
    """The names of lists that a statement makes longer or shorter."""
    calls = [part.func for part in n.walk(node) if isinstance(part, n.Call) and isinstance(part.func, n.Attribute)]
    return {call.value.id for call in calls if call.attr in RESIZING and isinstance(call.value, n.Name)}


def other(value: n.expr) -> bool:
    """Whether an expression looks like no list: a call of what is not ``list`` or ``sorted``, or arithmetic."""
    if isinstance(value, n.Call):
        return not (isinstance(value.func, n.Name) and value.func.id in ("list", "sorted", "reversed", "deque"))
    return not isinstance(value, LISTS)
