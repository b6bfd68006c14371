r"""Part: a name for a list that grows, and for something else from some statement on, is two names.

>>> from sourcediff.syntax.quote import statements
>>> from sourcediff.syntax.text import to_source
>>> body = statements("means = []\nfor v in rows:\n    means.append(v.mean())\nmeans = np.array(means)\nm = means / means.sum()")
>>> for node in parted(body, lambda name: f"{name}1"):
...     print(to_source(node))
means = []
for v in rows:
    means.append(v.mean())
means1 = np.array(means)
m = means1 / means1.sum()
"""

from __future__ import annotations

from collections.abc import Callable

from ..syntax import nodes as n
from ..syntax.quote import as_target, clone, expression, names, place

Block = list[n.stmt]

GROWING = ("append", "insert", "extend", "pop")
LISTS = (n.List, n.ListComp, n.Name, n.Subscript, n.Starred)


def parted(body: Block, fresh: Callable[[str], str]) -> Block:
    """The statements of a function; ``fresh`` gives names that it does not have. What is bound in a branch or a loop keeps its name."""
    inner = {name for node in body for part in n.walk(node) if isinstance(part, (n.FunctionDef, n.Lambda)) for name in names(part)}
    done: Block = []
    grown: set[str] = set()
    for position, node in enumerate(body):
        target = node.targets[0] if isinstance(node, n.Assign) and len(node.targets) == 1 else None
        name = target.id if isinstance(target, n.Name) else ""
        if name and name not in inner and name in grown and other(node.value):
            new = expression(fresh(name))
            bound = place(n.Assign(targets=[as_target(new)], value=node.value, type_comment=None), node)
            return [*done, bound, *parted([clone(later, {name: new}) for later in body[position + 1:]], fresh)]
        done.append(node)
        grown |= grown_in(node)
    return done


def grown_in(node: n.stmt) -> set[str]:
    """The names of lists that a statement makes longer or shorter."""
    calls = [part.func for part in n.walk(node) if isinstance(part, n.Call) and isinstance(part.func, n.Attribute)]
    return {call.value.id for call in calls if call.attr in GROWING and isinstance(call.value, n.Name)}


def other(value: n.expr) -> bool:
    """Whether an expression looks like no list: a call of what is not ``list`` or ``sorted``, or arithmetic."""
    if isinstance(value, n.Call):
        return not (isinstance(value.func, n.Name) and value.func.id in ("list", "sorted", "reversed", "deque"))
    return not isinstance(value, LISTS)
