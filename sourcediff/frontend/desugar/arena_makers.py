"""Make containers whose values are in an arena: the values are appended there, the containers hold their indices."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from ...syntax import nodes as n
from ...syntax.quote import altered, clone, expression, names, statement, statements
from .arena_classes import COMPREHENDED, IN_A_ROW, AliasClass
from .arena_state import ArenaState, fresh
from .plain_containers import CannotRewrite


class ArenaMakers(ArenaState):
    """What is made of displays, comprehensions and calls."""

    def created(self, node: Any) -> Any:
        """A new directory for a new container."""
        cell = self.containers.of(node)
        if cell is None:
            raise CannotRewrite
        if isinstance(node, n.Call):
            if self.scope.resolve(node.func) is defaultdict:
                return n.Dict(keys=[], values=[])
            if not node.args:
                return node
            if cell.kind == "deque":
                longest = [self.read(part) for part in node.args[1:]]
                return altered(node, args=[self.places(node.args[0]), *longest], keywords=[self.read(part) for part in node.keywords])
            given = self.cell(node.args[0])
            if given is None:
                return self.listed(node, node.args[0], cell)
            self.handed |= cell.item.held
            return altered(node, args=[self.path(node.args[0])])
        if isinstance(node, n.Subscript):  # a slice
            self.handed |= cell.item.held
            return altered(node, value=self.path(node.value), slice=self.read(node.slice))
        if isinstance(node, n.BinOp):
            self.handed |= cell.item.held
            right = self.path(node.right) if isinstance(node.op, n.Add) else self.read(node.right)
            return altered(node, left=self.path(node.left), right=right)
        if type(node) in COMPREHENDED:
            if cell.item.held and self.taking or self.taking and not self.active:
                raise CannotRewrite
            if cell.item.held:
                return self.comprehended(node, self.path)
            return self.listed(node, node, cell) if self.active else self.comprehended(node, self.read)
        parts = node.values if isinstance(node, n.Dict) else node.elts
        if cell.item.held:
            self.handed |= not all(map(fresh, parts))
            made = [self.path(part) for part in parts]
        elif not self.active:
            made = [self.value(part) for part in parts]
        elif isinstance(node, n.Dict) or not any(isinstance(part, n.Starred) for part in parts):
            made = self.put_each([self.value(part) for part in parts])
        elif len(parts) == 1:
            return self.places(parts[0].value)
        else:
            raise CannotRewrite
        if isinstance(node, n.Dict):
            return altered(node, keys=[self.read(key) for key in node.keys], values=made)
        return altered(node, elts=made)

    def put(self, value: n.expr) -> n.expr:
        """The place of a value, once it is in the pool."""
        if not self.active:
            return value
        self.before.append(statement("$p.append($v)", p=self.values, v=value))
        return expression("len($p) - 1", p=self.values)

    def put_each(self, values: list[n.expr]) -> list[n.expr]:
        """The places of some values, once they are in the pool."""
        if not values:
            return []
        if not self.alone:
            raise CannotRewrite
        first = self.scope.fresh("first")
        self.before.append(statement("$f = len($p)", f=first, p=self.values))
        self.before += [statement("$p.append($v)", p=self.values, v=value) for value in values]
        return [expression("$f + $k", f=first, k=k) if k else expression(first) for k in range(len(values))]

    def places(self, value: Any) -> n.expr:
        """The places of the items of a sequence, once these are in the pool."""
        cell = self.cell(value) or (None if isinstance(value, (n.Name, n.Subscript)) else self.containers.of(value))
        if cell is not None and cell.kind in IN_A_ROW and (self.concerns(value) or not isinstance(value, n.BinOp)):
            self.handed |= cell.item.held
            return self.path(value)
        if cell is not None and (cell in self.cells or cell.item.held):
            raise CannotRewrite
        given = self.value(value)
        if not self.active:
            return given
        if not self.alone:
            raise CannotRewrite
        first = self.scope.fresh("first")
        self.before += statements("$f = len($p)\n$p.extend($v)", f=first, p=self.values, v=given)
        return expression("list(range($f, len($p)))", f=first, p=self.values)

    def listed(self, node: Any, given: Any, cell: AliasClass) -> n.expr:
        """A directory for ``list(xs)`` or a comprehension."""
        if cell.item.held:
            raise CannotRewrite
        if not self.active:
            return self.read(node)
        if not self.alone:
            raise CannotRewrite
        if isinstance(node, n.DictComp):
            return self.written_out(node)
        if cell.kind != "list":
            raise CannotRewrite
        first = self.scope.fresh("first")
        value = self.read(given) if given is not node else self.comprehended(node, self.read) if self.concerns(node) else node
        self.before += statements("$f = len($p)\n$p.extend($v)", f=first, p=self.values, v=value)
        return expression("list(range($f, len($p)))", f=first, p=self.values)

    def written_out(self, node: n.DictComp) -> n.expr:
        """A directory for a dict comprehension, as a loop."""
        if self.concerns(node):
            raise CannotRewrite
        bound = sorted(set().union(*(names(loop.target) for loop in node.generators)))
        new = {name: expression(self.scope.fresh(name)) for name in bound}
        target = self.scope.fresh("entries")
        self.scope.directories.add(target)
        body = statements("$p.append($v)\n$d[$k] = len($p) - 1", p=self.values, v=clone(node.value, new), d=target, k=clone(node.key, new))
        for position, loop in reversed(list(enumerate(node.generators))):
            for test in reversed(loop.ifs):
                body = [n.If(test=clone(test, new), body=body, orelse=[])]
            over = clone(loop.iter, new) if position else loop.iter
            body = [n.For(target=clone(loop.target, new), iter=over, body=body, orelse=[], type_comment=None)]
        self.before += [statement("$d = {}", d=target), *body]
        return expression(target)
