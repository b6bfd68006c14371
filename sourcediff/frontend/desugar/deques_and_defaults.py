"""Write deques as lists, and default dicts as dicts, where nobody can tell the difference.

>>> from sourcediff.api.explain import text_after
>>> def recent(x):
...     last = deque(maxlen=2)
...     sums = defaultdict(float)
...     for k in range(4):
...         last.append(x[k])
...         sums[k % 2] += last[0]
...     return sum(v for v in sums.values())
>>> from collections import defaultdict, deque
>>> print(text_after("unbound_names", recent))
last = []
sums = {}
for k in range(4):
    t = x[k]
    last.append(t)
    if len(last) > 2:
        popped = last.pop(0)
    key = k % 2
    if key not in sums:
        sums[key] = 0.0
    t1 = last[0]
    sums[key] += t1
total = 0.0
for key1 in list(sums.keys()):
    v = sums[key1]
    total = total + v
value = total

What is asked of a name must be known: its entries, its length, what it goes over, and the methods that lists and dicts have in some form.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable
from typing import Any

from ...analysis.scope import Scope
from ...analysis.statements import nested
from ...syntax import nodes as n
from .default_dicts import Defaulting
from .deques import Queue
from .plain_containers import CannotRewrite, Plain

Block = list[n.stmt]

KINDS = (deque, defaultdict, Counter)


def plain_body(
    body: Block, scope: Scope, given: set[str], refused: Callable[[n.AST, str, str, str], Any], wide: set[str], known: dict[str, Plain],
    lists: set[str],
) -> Block:
    """A body with deques and default dicts as lists and dicts. ``refused`` is told of default dicts that cannot be written so.

    Of names in ``wide``, which other bodies use too, it is written how they are made; ``known`` is where to find what writes the rest.
    ``lists`` are the names of lists in bodies before.
    """
    parts = [part for node in body for part in n.walk(node)]
    for name, calls in makers(body, scope).items():
        kinds = {scope.resolve(call.func) for call in calls}
        stores = [part for part in parts if isinstance(part, n.Name) and part.id == name and isinstance(part.ctx, n.Store)]
        try:
            if len(kinds) > 1 or len(stores) > len(calls) or name in given:
                raise CannotRewrite
            (kind,) = kinds
            written = (Queue if kind is deque else Defaulting)(name, kind, calls, scope, body)
            if name in wide:
                if name in lists and name not in known:  # it was a list in what is written already
                    raise CannotRewrite
                body, known[name] = written.wide(body, known.get(name)), written
            else:
                body = written.block(body)
        except CannotRewrite:
            if name in wide:
                refused(calls[0], f"this {calls[0].func.id if isinstance(calls[0].func, n.Name) else 'container'}",
                        "what other functions do with it is not followed", "use a list or a dict")
            elif kinds == {defaultdict}:
                refused(calls[0], "this defaultdict", "that asking makes an entry is not followed in all that is done with it",
                        "use a dict, and get")
    return body


def makers(body: Block, scope: Scope) -> dict[str, list[Any]]:
    """The names that are bound to new deques and default dicts, with the calls that make these."""
    made: dict[str, list[Any]] = {}
    for part in nested(body):
        if isinstance(part, n.Assign) and len(part.targets) == 1 and isinstance(part.targets[0], n.Name) and isinstance(part.value, n.Call):
            if scope.resolve(part.value.func) in KINDS:
                made.setdefault(part.targets[0].id, []).append(part.value)
    return made
