"""Steady: a position that is found in what its own statement changes gets a name, so that the statement can be undone there; so does
the position of a part that is taken of what changes in place later.

>>> import numpy as np
>>> from sourcediff.api.explain import text_after
>>> def levelled(x, load):
...     for v in x:
...         load[np.argmin(load)] += v
...     return np.sum(load ** 2)
>>> print(text_after("unbound_names", levelled, args=(np.ones(3), np.zeros(2))))
for k in range(len(x)):
    v = x[k]
    t = np.argmin(load)
    load[t] += v
t1 = load ** 2
value = np.sum(t1)
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cached_property
from typing import Any

from ...analysis.literals import constant
from ...analysis.scope import Scope
from ...analysis.source.sharing import connected, groups
from ...analysis.statements import base, binds, grown, loads, mutates, popped, shrunk, simple
from ...rules.formula import reads
from ...runtime.structures import copied
from ...syntax import nodes as n
from ...syntax.quote import altered, expression, place, statement
from ...syntax.text import to_source

Block = list[n.stmt]


def steadied(body: Block, scope: Scope, dicts: Iterable[str] = ()) -> Block:
    """The block with names for such positions; ``dicts`` are names of dicts, which get longer by a store."""
    return Steady(body, scope, set(dicts)).block(body)


class Steady:
    """Knows what may be the same container."""

    def __init__(self, body: Block, scope: Scope, dicts: set[str]):
        self.body = body
        self.scope = scope
        self.given = dicts
        self.before: Block = []

    @cached_property
    def groups(self) -> dict[str, set[str]]:
        """For each name all that may share memory with it: asked of few programs."""
        return groups(self.body, self.scope)

    @cached_property
    def dicts(self) -> set[str]:
        """The names of what may be a dict."""
        made = {name for node in simple(self.body) if isinstance(node, n.Assign) and self.is_dict(node.value) for name in binds(node)}
        return connected(self.body, self.given | made, self.scope)

    def is_dict(self, node: n.expr) -> bool:
        """Whether an expression gives a dict, or what may be one."""
        if not isinstance(node, n.Call):
            return isinstance(node, (n.Dict, n.DictComp))
        function = self.scope.resolve(node.func)
        return isinstance(function, type) and issubclass(function, dict) or getattr(function, "__name__", "") == "fromkeys"

    def block(self, body: Block) -> Block:
        """The statements of a block, each after the names that it needs."""
        done: Block = []
        for node in body:
            inner = {field: self.block(part) for field in ("body", "orelse") if (part := getattr(node, field, None))}
            node = altered(node, **inner) if inner else self.statement(node)
            done += [place(part, node) for part in self.before]
            self.before = []
            done.append(node)
        return done

    def statement(self, node: Any) -> Any:
        """A simple statement; the names that come before it are noted."""
        if isinstance(node, n.Assign) and isinstance(node.targets[0], n.Subscript):
            return altered(node, targets=[self.target(node.targets[0])])
        if isinstance(node, n.AugAssign) and isinstance(node.target, n.Subscript):
            return altered(node, target=self.target(node.target))
        if isinstance(node, n.Assign) and isinstance(node.value, n.Subscript) and base(node.value) in self.moving:
            return altered(node, value=self.target(node.value, self.stored))
        call = node.value if isinstance(node, (n.Assign, n.Expr)) and isinstance(node.value, n.Call) else None
        if call is None or not isinstance(call.func, n.Attribute) or not isinstance(call.func.value, n.Name):
            return node
        if popped(call) is not None and isinstance(node, n.Assign) and call.args or call.func.attr == "insert" and len(call.args) == 2:
            first = self.from_start(self.named(call.args[0], call.func.value.id, longer=True), call.func.value.id, len(call.args) == 2)
            given = [*call.args[1:]] if first is None else [first, *call.args[1:]]
            return node if first is call.args[0] else altered(node, value=altered(call, args=given))
        return node

    def from_start(self, index: n.expr, holder: str, new: bool) -> n.expr | None:
        """A place in a list counted from its beginning, None for its end: where an entry is put back, or taken out again, the list is of
        another length. ``new``: for an entry that is put in, where Python cuts the place off.
        """
        known = constant(index)
        if holder in self.dicts or known == 0 or type(known) is int and known > 0 and not new:
            return index
        if known == -1 and not new:
            return None
        text = "len(range(len($l))[:$i])" if new else "range(len($l))[$i]"
        made = self.scope.once.get(index.id) if isinstance(index, n.Name) else None
        if made is not None and to_source(made).startswith(("len(range(len(", "range(len(")):
            return index
        name = self.scope.fresh("place")
        self.before.append(statement("$p = $v", p=name, v=expression(text, l=holder, i=index)))
        return place(expression(name), index)

    @cached_property
    def moving(self) -> set[str]:
        """The names of what changes in place somewhere: a part of it is another one later."""
        return self.with_groups(mutates(self.body))

    @cached_property
    def stored(self) -> set[str]:
        """Those into which something is stored, or put: a position found in them is another one later. (``i += 1`` binds a number anew.)"""
        changing = [node for node in simple(self.body) if isinstance(node, (n.Assign, n.Expr, n.Delete))
                    or isinstance(node, n.AugAssign) and isinstance(node.target, n.Subscript)]
        return self.with_groups(mutates(changing))

    def with_groups(self, changed: set[str]) -> set[str]:
        """Some names, and all that may share memory with them."""
        return changed.union(*(self.groups.get(name, ()) for name in changed))

    @cached_property
    def resized(self) -> set[str]:
        """The names of lists and dicts that become longer or shorter."""
        return self.dicts.union(name for node in simple(self.body) if (name := grown(node) or shrunk(node)))

    def target(self, node: n.Subscript, seen: Collection[str] = ()) -> n.Subscript:
        """What a statement stores to, or takes a part of; ``seen``: what else changes, and when."""
        holder = base(node)
        value = self.target(node.value, seen) if isinstance(node.value, n.Subscript) else node.value
        index = self.named(node.slice, holder, False, seen) if holder is not None else node.slice
        return node if value is node.value and index is node.slice else altered(node, value=value, slice=index)

    def named(self, index: Any, holder: str, longer: bool, seen: Collection[str] = ()) -> Any:
        """An index into ``holder``; by a name, if the statement changes what it reads, or one of ``seen`` is read. ``longer``: the length
        changes, too."""
        if isinstance(index, n.Constant) or index is None or isinstance(index, n.Attribute):
            return index
        if isinstance(index, n.Tuple):
            parts = [self.named(part, holder, longer, seen) for part in index.elts]
            return index if all(one is other for one, other in zip(parts, index.elts)) else altered(index, elts=parts)
        if isinstance(index, n.Slice):
            ends = {field: self.named(getattr(index, field), holder, longer, seen) for field in ("lower", "upper", "step")}
            return index if all(end is getattr(index, field) for field, end in ends.items()) else altered(index, **ends)
        if isinstance(index, n.Name) and index.id != holder:
            return index
        values, metadata = reads(index)
        asked = {*values, *(metadata if longer or holder in self.dicts else metadata & self.resized)} & loads(index)
        if not asked & {holder, *self.groups.get(holder, ()), *seen}:
            return index
        name = self.scope.fresh("place")
        value = expression("$c($i)", c=self.scope.imported("copied", copied), i=index) if isinstance(index, n.Name) else index
        self.before.append(statement("$p = $i", p=name, i=value))
        return place(expression(name), index)
