"""Check that a name is bound where a path may leave it unbound: Python raises there, and derived code is to raise too.

>>> from sourcediff.api.explain import text_after
>>> def last(x, n):
...     for i in range(n):
...         y = x * i
...     return y ** 2
>>> print(text_after("unbound_names", last, args=(2.0, 3)))
for i in range(n):
    y = x * i
check_bound(y, 'y')
value = y ** 2

Both sweeps may bind such a name beforehand, where a value is kept or an adjoint is made for all paths: to ``...``, which the check
knows. Where nobody does, and the name is read anyway, Python's own error comes without it (:func:`unneeded`).
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Set

from ...analysis.scope import Scope
from ...analysis.statements import binds, checked, is_unset, target_names
from ...runtime.checks import check_bound
from ...syntax import nodes as n
from ...syntax.quote import altered, expression, place

Block = list[n.stmt]
Bound = frozenset[str] | None
"""The names that are certainly bound; None where nobody comes."""

def ensured(body: Block, output: str, own: Set[str], given: Iterable[str], scope: Scope) -> Block:
    """The block with checks of the user's ``own`` names that it binds, and that may not be bound where they are read.

    ``output`` is read at its end; those ``given`` are bound from the beginning. A name of a function that was written into another
    may have got a number.
    """
    local = {name for name in binds(body).difference(given, scope.flags, scope.counters) if name in own or name.rstrip("0123456789") in own}
    if not local:
        return body
    ensure = Ensure(local, scope)
    done, end = ensure.block(body, frozenset())
    if end is not None and output in local - end:
        done.append(ensure.check(output, body[-1]))
    return done


class Ensure:
    """Goes through a block with the names that are bound on every path to where it is."""

    def __init__(self, local: set[str], scope: Scope):
        self.local = local
        self.scope = scope
        self.left: list[list[Bound]] = []  # by break, of each loop around

    def block(self, body: Block, bound: Bound) -> tuple[Block, Bound]:
        """The block with checks, and what is bound at its end."""
        done: Block = []
        for node in body:
            if bound is None:
                done.append(node)
                continue
            first = node.test if isinstance(node, (n.If, n.While)) else node.iter if isinstance(node, n.For) else node
            missing = sorted((asked(first) & self.local) - bound)
            if missing and not checked(node) is not None:
                done += [self.check(name, node) for name in missing]
            node, bound = self.statement(node, bound | set(missing))
            done.append(node)
        return done, bound

    def check(self, name: str, at: n.stmt) -> n.stmt:
        call = expression("$c($x, $s)", c=self.scope.imported("check_bound", check_bound), x=name, s=n.Constant(value=name, kind=None))
        return place(n.Expr(value=place(call, at)), at)

    def statement(self, node: n.stmt, bound: frozenset[str]) -> tuple[n.stmt, Bound]:
        """A statement of which what it reads is bound, and what is bound after it."""
        if isinstance(node, n.If):
            then, after = self.block(node.body, bound)
            other, otherwise = self.block(node.orelse, bound)
            if other == node.orelse and then == node.body:
                return node, met(after, otherwise)
            return altered(node, body=then, orelse=other), met(after, otherwise)
        if isinstance(node, (n.For, n.While)):
            return self.loop(node, bound)
        if isinstance(node, n.Break):
            self.left[-1].append(bound)
            return node, None
        if isinstance(node, (n.Continue, n.Return, n.Raise)):
            return node, None
        return node, bound | binds([node])

    def loop(self, node: n.For | n.While, bound: frozenset[str]) -> tuple[n.stmt, Bound]:
        """A loop, which may make no trip, unless it is known to make some."""
        target = target_names(node.target) if isinstance(node, n.For) else set()
        self.left.append([])
        body, end = self.block(node.body, bound | target)
        left = self.left.pop()
        after: Bound = bound
        if isinstance(node, n.While) and isinstance(node.test, n.Constant) and node.test.value:
            after = None
        elif isinstance(node, n.For) and self.is_run(node.iter) and not any(isinstance(part, n.Continue) for part in n.walk(node)):
            after = end
        for way in left:
            after = met(after, way)
        return (node if body == node.body else altered(node, body=body)), after

    def is_run(self, node: n.expr) -> bool:
        """Whether what is gone over certainly has entries: ``range(3)``."""
        if not isinstance(node, n.Call) or self.scope.resolve(node.func) is not builtins.range or node.keywords:
            return isinstance(node, (n.Tuple, n.List)) and any(not isinstance(part, n.Starred) for part in node.elts)
        known = [part.value for part in node.args if isinstance(part, n.Constant) and isinstance(part.value, int)]
        return len(known) == len(node.args) and bool(known) and 0 not in known[2:] and len(range(*known)) > 0


def met(one: Bound, other: Bound) -> Bound:
    """What is bound where two paths meet."""
    return one if other is None else other if one is None else one & other


def asked(node: n.AST) -> set[str]:
    """The names that are certainly read when a statement (or an expression) begins to be evaluated and nothing is raised."""
    if isinstance(node, n.Name):
        return {node.id} if isinstance(node.ctx, n.Load) else set()
    if isinstance(node, n.IfExp):
        return asked(node.test)
    if isinstance(node, n.BoolOp):
        return asked(node.values[0])
    if isinstance(node, n.Compare):
        return asked(node.left) | asked(node.comparators[0])
    if isinstance(node, n.COMPREHENSIONS):
        return asked(node.generators[0].iter)
    if isinstance(node, (n.Lambda, n.FunctionDef)):
        return set()
    found: set[str] = set().union(*map(asked, n.below(node)))
    return found | {node.target.id} if isinstance(node, n.AugAssign) and isinstance(node.target, n.Name) else found


def unneeded(body: Block) -> Block:
    """The block without the checks of names that nobody binds beforehand, and that are read soon: there Python raises by itself."""
    return _without(body, {name for node in body if is_unset(node) for name in binds([node])})


def _without(body: Block, held: set[str]) -> Block:
    done: Block = []
    for position, node in enumerate(body):
        name = checked(node)
        if name is not None and name not in held and _read_soon(name, body[position + 1:]):
            continue
        inner = {field: _without(part, held) for field in ("body", "orelse") if (part := getattr(node, field, None))}
        done.append(altered(node, **inner) if any(part != getattr(node, field) for field, part in inner.items()) else node)
    return done


def _read_soon(name: str, following: Block) -> bool:
    for node in following:
        if isinstance(node, (n.If, n.While, n.For)):
            return name in asked(node.iter if isinstance(node, n.For) else node.test)
        if checked(node) is None and name in asked(node):
            return True
        if isinstance(node, (n.Break, n.Continue)) or name in binds([node]):
            return False
    return False
