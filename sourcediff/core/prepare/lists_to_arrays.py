"""Convert lists and tuples to arrays where NumPy takes an array, once their abstract values show what they are.

>>> import numpy as np
>>> from sourcediff.api.explain import text_after
>>> def distance(p, q, first):
...     return np.linalg.norm(p if first else q)
>>> print(text_after("rewrite_views", distance, args=([1.0, 2.0], [3.0, 4.0], True)))
t = np.array(p)
value = np.linalg.norm(t)

To a list ``+`` and ``*`` mean something else than to an array, and a rule is written for arrays. What is seen to be a list where the
program is brought into normal form is an array there already.
"""

from __future__ import annotations

import numpy as np

from ...analysis.applications import Application, application
from ...analysis.scope import Scope
from ...analysis.source.out_arguments import among
from ...rules.facts import FACTS
from ...syntax import nodes as n
from ...syntax.quote import altered, clone, expression, place, statement
from ..facts.values import Values

Block = list[n.stmt]


def gathered(body: Block, values: Values, scope: Scope) -> Block:
    """The block with arrays for such lists; the very same one if there are none."""
    if not any(known.kind == "sequence" for node, found in values.before.items() if isinstance(node, n.Assign) for known in found.values()):
        return body
    return Gather(values, scope).block(body)


class Gather:
    """Walks a block, with what is known of the names at each statement."""

    def __init__(self, values: Values, scope: Scope):
        self.values = values
        self.scope = scope

    def block(self, body: Block) -> Block:
        done: Block = []
        for node in body:
            inner = {field: self.block(part) for field in ("body", "orelse") if (part := getattr(node, field, None))}
            if inner:
                done.append(altered(node, **inner) if any(part is not getattr(node, field) for field, part in inner.items()) else node)
            elif isinstance(node, n.Assign) and isinstance(node.targets[0], n.Name):
                done += self.assigned(node)
            else:
                done.append(node)
        return done if len(done) != len(body) or any(one is not other for one, other in zip(done, body)) else body

    def assigned(self, node: n.Assign) -> Block:
        """A statement, after the arrays that it computes with."""
        lists = self.lists(node)
        if not lists:
            return [node]
        names = {name: self.scope.fresh("t") for name in lists}
        numpy = expression(self.scope.imported("np", np))
        made = [place(statement("$t = $np.array($p)", t=new, np=numpy, p=name), node) for name, new in names.items()]
        return [*made, altered(node, value=self.renamed(node.value, names))]

    def renamed(self, value: n.expr, names: dict[str, str]) -> n.expr:
        return clone(value, {name: expression(new) for name, new in names.items()})  # type: ignore[no-any-return]

    def lists(self, node: n.Assign) -> list[str]:
        """The names of lists to which a statement applies a function of arrays."""
        applied = application(node.value, self.scope)
        if applied is None or applied.rule is None or applied.rule.sequence or applied.rule.own or isinstance(node.value, n.Subscript):
            return []
        known = {part.id: self.values.of(part, self.values.before[node]) for part in operands_of_call(applied) if isinstance(part, n.Name)}
        found = [name for name, value in known.items() if value.kind == "sequence"]
        if isinstance(node.value, n.Call):
            return found if is_numpys(applied) else []
        arrays = [value for value in known.values() if value.kind in ("array", "numpy")]
        return found if isinstance(node.value, n.BinOp) and arrays else []


def operands_of_call(applied: Application) -> list[n.expr]:
    """The arguments of an application that can be differentiated."""
    assert applied.rule is not None
    given = {**dict(zip(applied.rule.parameters, applied.args)), **applied.kwargs}
    return [part for name, part in given.items() if name in applied.rule.differentiable]


def is_numpys(applied: Application) -> bool:
    """Whether a function is one of NumPy's or SciPy's for arrays."""
    module = getattr(applied.function, "__module__", None) or "numpy"
    return module.startswith(("numpy", "scipy")) and not among(applied.function, FACTS["converts"] | {np.copy})

