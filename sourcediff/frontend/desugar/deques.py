"""Write a deque as a list, where nobody can tell the difference."""

from __future__ import annotations

from typing import Any

from ...analysis.literals import constant
from ...runtime.structures import longest_of
from ...syntax import nodes as n
from ...syntax.function import MISSING
from ...syntax.quote import altered, expression, statement, statements
from ..room import Block
from .plain_containers import CannotRewrite, Plain, settled


def fits(first: Any, longest: n.expr) -> bool:
    """Whether what a deque begins with is no longer than it may be: ``[0.0] * n`` of one that may be ``n`` long."""
    if any(isinstance(part, n.Starred) for part in n.walk(first)):
        return False
    if isinstance(first, (n.List, n.Tuple)):
        room = constant(longest)
        return len(first.elts) <= (room if type(room) is int else 0)
    if isinstance(first, n.BinOp) and isinstance(first.op, n.Mult):
        sides = [first.left, first.right]
        one = [side for side in sides if isinstance(side, n.List) and len(side.elts) == 1]
        times = [side for side in sides if isinstance(side, (n.Name, n.Constant))]
        return bool(one) and any(n.dump(side) == n.dump(longest) for side in times)
    return False


class Queue(Plain):
    """A deque as a list."""

    def prepare(self, calls: list[Any]) -> None:
        most = set()
        for call in calls:
            given = {keyword.arg: keyword.value for keyword in call.keywords}
            given |= dict(zip(("maxlen",), call.args[1:]))
            if len(call.args) > 2 or given.keys() - {"maxlen"}:
                raise CannotRewrite
            longest = constant(given.get("maxlen"), None)
            if longest is not None and longest is not MISSING and type(longest) is not int or longest == 0:
                raise CannotRewrite
            first = call.args[0] if call.args else n.List(elts=[], ctx=n.Load())
            if longest is not None and not fits(first, given["maxlen"]):
                raise CannotRewrite
            most.add(longest)
        if len(most) > 1:
            raise CannotRewrite
        (self.most,) = most
        self.counted = self.most is MISSING  # when it is made
        if self.counted:
            self.most = self.scope.fresh("longest")

    @property
    def form(self) -> Any:
        return self.most

    def created(self, call: Any) -> n.expr:
        if self.counted:
            most = call.args[1] if len(call.args) > 1 else call.keywords[0].value
            asked = self.scope.imported("longest_of", longest_of)
            self.before.append(statement("$m = $l($n)", m=self.most, l=asked, n=self.read(most)))
        first = call.args[0] if call.args else n.List(elts=[], ctx=n.Load())
        if isinstance(first, (n.List, n.Tuple)):
            return n.List(elts=[self.read(part) for part in first.elts], ctx=n.Load())
        if isinstance(first, n.BinOp) and any(isinstance(side, n.List) for side in (first.left, first.right)):
            return self.read(first)  # type: ignore[no-any-return]
        item = self.scope.fresh("item")
        return expression(f"[{item} for {item} in $w]", w=self.read(first))

    def method(self, node: Any) -> str:
        called = isinstance(node, n.Call) and isinstance(node.func, n.Attribute) and self.is_it(node.func.value) and not node.keywords
        return node.func.attr if called else ""

    def simple(self, node: Any) -> Block:
        method = self.method(node.value) if isinstance(node, n.Expr) else ""
        if method in ("append", "appendleft") and len(node.value.args) == 1:
            value = self.read(node.value.args[0])
            text = "$q.append($v)" if method == "append" else "$q.insert(0, $v)"
            done = statements(text, q=self.name, v=value)
            if self.most is not None:
                last = "0" if method == "append" else ""
                done += settled(statements(f"if len($q) > $m:\n    $q.pop({last})", q=self.name, m=self.most))
            return done
        if method == "rotate":
            times = constant(node.value.args[0]) if node.value.args else 1
            if times not in (1, -1):
                raise CannotRewrite
            text = "$t = $q.pop()\n    $q.insert(0, $t)" if times == 1 else "$t = $q.pop(0)\n    $q.append($t)"
            return settled(statements(f"if len($q) > 1:\n    {text}", q=self.name, t=self.scope.fresh("item")))
        if method == "clear" or method == "extend" and self.most is None and len(node.value.args) == 1:
            return [altered(node, value=altered(node.value, args=[self.read(part) for part in node.value.args]))]
        return super().simple(node)

    def read(self, node: Any) -> Any:
        method = self.method(node)
        if method == "popleft" and not node.args:
            return expression("$q.pop(0)", q=self.name)
        if method == "pop" and (not node.args or constant(node.args[0]) == 0):  # or that is written already
            return node
        if isinstance(node, n.Subscript) and self.is_it(node.value):
            if isinstance(node.slice, n.Slice) or isinstance(node.ctx, n.Del):
                raise CannotRewrite
            return altered(node, slice=self.read(node.slice))
        return super().read(node)
