"""Write a default dict or a counter as a dict, where nobody can tell the difference."""

from __future__ import annotations

import builtins
from collections import Counter, defaultdict
from typing import Any

from ...syntax import nodes as n
from ...syntax.quote import altered, expression, names, statement, statements
from ..room import Block
from .plain_containers import DEFAULTS, FOLLOWED, CannotRewrite, Plain, settled


class Defaulting(Plain):
    """A default dict, or a counter, as a dict."""

    def prepare(self, calls: list[Any]) -> None:
        for call in calls:
            if call.keywords or len(call.args) != (1 if self.kind is defaultdict else 0):
                raise CannotRewrite
        factories = [self.default_of(call.args[0]) for call in calls if call.args] or [DEFAULTS[int]]
        if any(type(part.value) is not type(factories[0].value) or part.value != factories[0].value for part in factories):
            raise CannotRewrite
        self.default = factories[0]

    def default_of(self, node: n.expr) -> Any:
        """The default of each entry, from what makes it."""
        if isinstance(node, n.Lambda) and not names(node.args) and isinstance(node.body, n.Constant):
            return node.body
        made = self.scope.resolve(node)
        if made not in (builtins.float, builtins.int, builtins.complex):
            raise CannotRewrite
        return DEFAULTS[made]

    @property
    def form(self) -> Any:
        return self.kind, type(self.default.value), self.default.value

    def created(self, call: Any) -> n.expr:
        return n.Dict(keys=[], values=[])

    def simple(self, node: Any) -> Block:
        if isinstance(node, n.AugAssign) and isinstance(node.target, n.Subscript) and self.is_it(node.target.value):
            key = self.key(node.target.slice, node.value)
            if self.kind is Counter and self.name in names(node.value):
                value = expression("$d.get($k, $v)", d=self.name, k=key, v=self.default)
                added = n.BinOp(left=value, op=node.op, right=self.read(node.value))
                return [n.Assign(targets=[altered(node.target, slice=key)], value=added, type_comment=None)]
            self.filled(key)
            target = altered(node.target, slice=key)
            return [altered(node, target=target, value=self.read(node.value))]
        return super().simple(node)

    def key(self, node: n.expr, beside: n.AST) -> n.expr:
        """A key that can be asked again: it has a name."""
        if any(isinstance(part, (n.Call, n.NamedExpr)) for part in n.walk(beside)) and not isinstance(node, (n.Name, n.Constant)):
            if any(isinstance(part, (n.Call, n.NamedExpr)) for part in n.walk(node)):
                raise CannotRewrite
        node = self.read(node)
        if isinstance(node, (n.Name, n.Constant)):
            return node
        name = self.scope.fresh("key")
        self.before.append(statement("$k = $v", k=name, v=node))
        return expression(name)

    def filled(self, key: n.expr) -> None:
        """Make an entry before the statement, if there is none."""
        self.before += settled(statements("if $k not in $d:\n    $d[$k] = $v", d=self.name, k=key, v=self.default))

    def read(self, node: Any) -> Any:
        if isinstance(node, n.Subscript) and self.is_it(node.value):
            if isinstance(node.ctx, n.Store):
                return altered(node, slice=self.read(node.slice))
            if isinstance(node.ctx, n.Del):
                raise CannotRewrite
            if self.kind is Counter or not self.alone and not self.whole:  # which makes no entry when it is asked, or none that is seen
                return expression("$d.get($k, $v)", d=self.name, k=self.read(node.slice), v=self.default)
            if not self.alone or self.asked or any(isinstance(part, (n.Call, n.NamedExpr)) for part in n.walk(node.slice)):
                raise CannotRewrite
            key = self.key(node.slice, node.slice)
            self.filled(key)
            return altered(node, slice=key)
        if isinstance(node, n.Call) and isinstance(node.func, n.Attribute) and self.is_it(node.func.value):
            if node.func.attr not in FOLLOWED[dict] or node.keywords:
                raise CannotRewrite
            self.asked = True
            return altered(node, args=[self.read(part) for part in node.args])
        return super().read(node)
