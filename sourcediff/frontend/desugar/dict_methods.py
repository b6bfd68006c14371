"""Write ``get``, ``setdefault`` and ``update`` of dicts as tests, reads and stores.

>>> from sourcediff.api.explain import text_after
>>> def counted(x):
...     sums = {}
...     for k in range(4):
...         sums[k % 2] = sums.get(k % 2, 0.0) + x[k]
...     return sums[0] * sums[1]
>>> print(text_after("unbound_names", counted))
sums = {}
for k in range(4):
    key = k % 2
    if key in sums:
        t = sums[key]
    else:
        t = 0.0
    t1 = x[k]
    t2 = t + t1
    sums[k % 2] = t2
t3 = sums[0]
t4 = sums[1]
value = t3 * t4
"""

from __future__ import annotations

from typing import Any

from ...syntax import nodes as n
from ...syntax.quote import expression, placed, statement, statements
from ..room import Room


class DictMethods(Room):
    """Knows what the methods of dicts do."""

    def listed(self, node: n.expr, target: str = "") -> n.expr | None:
        """``d.get(k, v)`` as ``d[k] if k in d else v``, and all that is done with lists."""
        function = node.func if isinstance(node, n.Call) and not node.keywords and 0 < len(node.args) < 3 else None
        if not isinstance(function, n.Attribute) or function.attr != "get" or self.known(function.value).kind != "mapping":
            return self.lower.list_methods.listed(node, target)
        key = self.key(node.args[0])
        default = node.args[1] if len(node.args) == 2 else expression("None")
        chosen = expression("$d[$k] if $k in $d else $v", d=function.value, k=key, v=default)
        return self.value(placed(chosen, node))

    def altered(self, node: n.Expr) -> bool:
        """Append a call of a dict's method as stores, and all that other methods do."""
        call: Any = node.value
        owner = call.func.value if isinstance(call.func, n.Attribute) else None
        if not isinstance(owner, n.Name) or self.known(owner).kind != "mapping":
            return self.lower.list_methods.altered(node)
        if call.func.attr == "setdefault" and len(call.args) == 2 and not call.keywords:
            written = statements("if $k not in $d:\n    $d[$k] = $v", d=owner, k=self.key(call.args[0]), v=call.args[1])
            self.lower.list_methods.each(written, node)
            return True
        if call.func.attr != "update" or len(call.args) > 1 or any(keyword.arg is None for keyword in call.keywords):
            return self.lower.list_methods.altered(node)
        given = self.lower.kinds.displayed(call.args[0]) if call.args else n.Dict(keys=[], values=[])
        pairs = list(zip(given.keys, given.values)) if isinstance(given, n.Dict) and None not in given.keys else []
        if not isinstance(given, n.Dict):
            if self.known(given).kind != "mapping":
                return self.lower.list_methods.altered(node)
            whole, k = self.operand(given, always=True), self.scope.fresh("key")
            self.lower.list_methods.each(statements(f"for {k} in $w:\n    $d[{k}] = $w[{k}]", w=whole, d=owner), node)
        pairs += [(n.Constant(value=keyword.arg, kind=None), keyword.value) for keyword in call.keywords]
        values = [self.bound(self.scope.fresh("t"), self.value(value), node) for _, value in pairs]  # all before the first store
        self.lower.list_methods.each([statement("$d[$k] = $v", d=owner, k=key, v=value) for (key, _), value in zip(pairs, values)], node)
        return True

    def key(self, node: n.expr) -> n.expr:
        """A key that can be asked twice."""
        return node if isinstance(node, (n.Name, n.Constant)) else self.bound(self.scope.fresh("key"), self.value(node), node)
