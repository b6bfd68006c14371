"""Drop code whose result is not used.

>>> import numpy as np
>>> from sourcediff.api.explain import text_after
>>> def energy(x, k):
...     unused = np.exp(x)
...     return k * x ** 2
>>> print(text_after("inline_temporaries", energy, args=(2.0, 3.0)))
x_bar = k * (2 * x)
return x_bar
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from functools import cache

from ...analysis.applications import application
from ...analysis.scope import MISSING, Scope
from ...analysis.source.changing_calls import alters
from ...analysis.source.out_arguments import among
from ...analysis.statements import ALTERING, base, breaks, checked, is_add_at, is_unset, loads, mutates, shrunk, target_names
from ...runtime import linked_calls as calls
from ...runtime.counters import ONCE
from ...syntax import nodes as n
from ...syntax.quote import place

Block = list[n.stmt]
ASKED = "? "
"""Before a name that is live: all that is asked of it is whether it is bound."""


class DeadCode:
    """Strong liveness: a statement's operands count only if its result does; then what does not count is dropped.

    ``kept`` says of a statement that it must stay whatever is read later (a print, a store that the caller can see); ``sharing``, by
    which other names a store into an array may be read.
    """

    def __init__(self, kept: Callable[[n.stmt], bool], sharing: Mapping[str, frozenset[str]]):
        self.kept = kept
        self.sharing = sharing
        self.hollow = False
        self.loads = cache(loads)  # a loop's body is gone through until nothing changes

    def drop(self, body: Block, out: frozenset[str]) -> Block:
        """The block without dead code, if ``out`` are the names read after it."""
        return self._block(body, out, True)[0]

    def _block(self, body: Block, live: frozenset[str], drop: bool) -> tuple[Block, frozenset[str]]:
        done: Block = []
        for node in reversed(body):
            kept, live = self._statement(node, live, drop)
            if kept is not None:
                done.append(kept)
        done.reverse()
        return done, live

    def _statement(self, node: n.stmt, live: frozenset[str], drop: bool) -> tuple[n.stmt | None, frozenset[str]]:
        if isinstance(node, n.If):
            then, live_then = self._block(node.body, live, drop)
            other, live_other = self._block(node.orelse, live, drop)
            if not then and not other and not self.kept(node):
                return None, live
            if not drop:
                return node, live_then | live_other | self.loads(node.test)
            if not then:
                made = n.If(test=n.UnaryOp(op=n.Not(), operand=node.test), body=other, orelse=[])
            else:
                made = n.If(test=node.test, body=then, orelse=other)
            return place(made, node), live_then | live_other | self.loads(node.test)
        if isinstance(node, (n.For, n.While)):
            return self._loop(node, live, drop)
        if (name := checked(node)) is not None:
            return node, live | {ASKED + name}
        bound: set[str] = set().union(*map(target_names, node.targets)) if isinstance(node, n.Assign) else set()
        known = {ASKED + name for name in bound}
        if self._needed(node, live):
            if not live.isdisjoint(bound | known):
                live = live - bound - known
            read = self.loads(node)
            return node, live if read <= live else live | read
        if not live.isdisjoint(known) and not is_unset(node):  # that it is bound is all that is asked
            made = n.Assign(targets=node.targets, value=n.Constant(value=None, kind=None), type_comment=None)
            return place(made, node), live - known
        return None, live

    def _loop(self, node: n.For | n.While, live: frozenset[str], drop: bool) -> tuple[n.stmt | None, frozenset[str]]:
        bound = target_names(node.target) if isinstance(node, n.For) else set()
        body, head = self._head(node, bound, live, drop)
        if not (bound | {ASKED + name for name in bound}) & live and not self.kept(node):
            if not body or breaks(node.body) and not self._head(node, bound, live, drop=False, hollow=True)[0]:
                return None, live
        if isinstance(node, n.For):
            made: n.stmt = n.For(target=node.target, iter=node.iter, body=body or [n.Pass()], orelse=[], type_comment=None)
            return place(made, node), head | self.loads(node.iter)
        return place(n.While(test=node.test, body=body or [n.Pass()], orelse=[]), node), head

    def _head(
        self, node: n.For | n.While, bound: set[str], live: frozenset[str], drop: bool, hollow: bool = False,
    ) -> tuple[Block, frozenset[str]]:
        """What is kept of a loop's body, and the names live at its head; ``hollow``: what only decides when it is left does not count."""
        outer, self.hollow = self.hollow, hollow
        head = live if hollow else live | self.loads(node.iter if isinstance(node, n.For) else node.test)
        while True:
            body, inner = self._block(node.body, head, drop)
            new = head | (inner - bound - {ASKED + name for name in bound})
            if new == head:
                break
            head = new
        self.hollow = outer
        return body, head

    def _needed(self, node: n.stmt, live: frozenset[str]) -> bool:
        if self.kept(node):
            return True
        if isinstance(node, n.Assign):
            target = node.targets[0]
            if self._read(shrunk(node), live):
                return True
            return self._read(base(target), live) if isinstance(target, n.Subscript) else bool(target_names(target) & live)
        if isinstance(node, n.AugAssign):
            return self._read(base(node.target), live)
        if isinstance(node, n.Expr) and isinstance(node.value, n.Call):  # saved.append(x), np.add.at(x_bar, i, g)
            found = base(node.value.args[0]) if is_add_at(node.value) else base(node.value.func)
            return self._read(found, live)
        return not isinstance(node, n.Pass) and not (self.hollow and isinstance(node, n.Break))

    def _read(self, changed: str | None, live: frozenset[str]) -> bool:
        """Whether what a name stands for is read later, by this name or another."""
        return changed is not None and (changed in live or not live.isdisjoint(self.sharing.get(changed, ())))


def keeps(scope: Scope, local: set[str]) -> Callable[[n.stmt], bool]:
    """Which statements must stay: effects (print, assert, calls of unknown functions), changes that can be seen outside.

    ``local`` are the arrays that nothing outside the function, and no other name, can see.
    """

    @cache
    def kept(node: n.stmt) -> bool:
        if isinstance(node, n.Pass):
            return False
        if scope.tried and (getattr(node, "file", ""), getattr(node, "lineno", 0)) in scope.tried:
            return True  # whether it raises is to be seen
        if scope.iterators and not isinstance(node, (n.If, n.For, n.While)) and loads(node) & scope.iterators:
            return True  # what is taken is not there any more
        if isinstance(node, (n.Assert, n.Return, n.Raise)):
            return True
        if isinstance(node, n.Expr):
            function = node.value.func if isinstance(node.value, n.Call) else None
            return not (isinstance(function, n.Attribute) and function.attr in {"append", "insert", "pop", "at", *ALTERING})
        if (name := shrunk(node)) is not None:
            return name not in local
        if isinstance(node, (n.Assign, n.AugAssign)):
            if (changed := mutates([node])) and not changed <= local:
                return True
            return not pure(node.value, scope)
        if isinstance(node, (n.If, n.While)):
            return bool(loads(node.test) & scope.iterators) or not pure(node.test, scope)
        return isinstance(node, n.For) and (bool(loads(node.iter) & scope.iterators) or not pure(node.iter, scope))

    return kept


def pure(node: n.expr, scope: Scope) -> bool:
    """Whether evaluating an expression does nothing but give a value."""
    for part in n.walk(node):
        if isinstance(part, n.NamedExpr):
            return False
        if isinstance(part, n.Call):
            if alters(part, scope):
                return False
            if isinstance(part.func, n.Name) and scope.helper(part.func.id):
                if scope.helpers[part.func.id] in ONCE:  # who knows what a function does
                    return False
                if scope.helpers[part.func.id] is calls.result and calls.with_tangent in scope.helpers.values():  # it may run only now
                    return False
                continue
            function = scope.resolve(part.func)
            if function is MISSING:
                if application(part, scope) is None:
                    return False
                continue
            known = scope.rule(part.func) is not None or type(function).__name__ == "ufunc" or among(function, PURE)
            module = (getattr(function, "__module__", None) or "").split(".")[0]
            if not known and not (module in ("numpy", "math") and "random" not in (getattr(function, "__module__", "") or "")):
                return False
    return True


PURE = frozenset({
    builtins.abs, builtins.len, builtins.range, builtins.min, builtins.max, builtins.sum, builtins.float, builtins.int, builtins.bool,
    builtins.isinstance, builtins.enumerate, builtins.zip, builtins.list, builtins.tuple, builtins.reversed, builtins.round,
    builtins.sorted, builtins.pow, builtins.type, builtins.complex, builtins.dict, builtins.str,
})
