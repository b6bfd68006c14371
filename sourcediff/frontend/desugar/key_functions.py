"""Write ``sorted``, ``min`` and ``max`` with ``key=`` as indices found from a list of the keys.

>>> import numpy as np
>>> from sourcediff.api.explain import text_after
>>> def nearest(x, p):
...     first = min(x, key=lambda v: abs(v - p))
...     return first ** 2
>>> print(text_after("unbound_names", nearest, args=(np.ones(3), 0.5)))
keys = []
for k in range(len(x)):
    item1 = x[k]
    t = item1 - p
    value = abs(t)
    keys.append(value)
place = place_of(min, keys)
first = x[place]
value1 = first ** 2
"""

from __future__ import annotations

import operator
from typing import Any

from ...analysis.abstract import Abstract, item_of
from ...runtime.structures import order, place_of
from ...syntax import nodes as n
from ...syntax.quote import as_read, as_target, expression, place, placed, statements
from ..lower.applications import EXTREMES
from ..room import Room


class KeyFunctions(Room):
    """Knows what ``key=`` and ``default=`` mean."""

    def in_order(self, node: n.Call) -> n.expr:
        """``sorted(xs)`` as an array, or with a key as a list."""
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        of_numbers = len(node.args) == 1 and is_vector(self.known(node.args[0]))
        if is_none_constant(given.get("key", NONE)) and of_numbers or len(node.args) != 1 or given.keys() - {"key", "reverse"}:
            plain = [keyword for keyword in node.keywords if keyword.arg != "key"]
            return self.lower.comprehensions.in_order(n.Call(func=node.func, args=node.args, keywords=plain))
        whole = self.operand(node.args[0], always=True)
        return self.reordered(whole, given, node)

    def reordered(self, whole: n.expr, given: dict[str | None, n.expr], at: n.AST, target: str = "") -> n.expr:
        """A list of the items of another one, in the order of their keys."""
        keys = whole if is_none_constant(given.get("key", NONE)) else self.keys_of(whole, given["key"], at)
        called = n.Call(func=expression(self.scope.imported("order", order)), args=[keys], keywords=[])
        called.args += [self.operand(given["reverse"])] if "reverse" in given else []
        places, k = self.bound(self.scope.fresh("places"), placed(called, at), at), self.scope.fresh("k")
        return self.lower.comprehended(placed(expression(f"[$w[{k}] for {k} in $p]", w=whole, p=places), at), target)

    def sorted_in_place(self, name: str, given: dict[str | None, n.expr], at: n.stmt) -> None:
        """``xs.sort()``: the entries become those of another list."""
        ordered, k = self.scope.fresh("ordered"), self.scope.fresh("k")
        self.reordered(expression(name), given, at, ordered)
        self.lower.list_methods.each(statements(f"for {k} in range(len($l)):\n    $l[{k}] = $w[{k}]", w=ordered, l=name), at)

    def consumed(self, node: n.Call) -> n.expr | None:
        """``max`` and ``min`` with a key or a default, and all that other passes know."""
        function = self.scope.resolve(node.func)
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        if function in EXTREMES and not given and self.of_pairs(node.args):
            return self.largest_pair(node)
        if function not in EXTREMES or not given or given.keys() - {"key", "default"} or not node.args:
            return self.lower.comprehensions.consumed(node)
        whole = self.whole(node)
        if "default" not in given:
            return self.extreme(node, whole, given.get("key", NONE))
        target = self.scope.fresh("t")
        with self.state.apart() as then:
            self.bound(target, self.value(self.extreme(node, whole, given.get("key", NONE))), node)
        with self.state.apart() as other:
            self.bound(target, self.value(given["default"]), node)
        self.state.out.append(place(n.If(test=placed(expression("len($w) > 0", w=whole), node), body=then, orelse=other), node))
        self.state.names.add(target)
        return expression(target)

    def whole(self, node: n.Call) -> n.expr:
        """What ``max`` is asked for the largest of, as one list."""
        if self.lower.comprehensions.drained(placed(n.Call(func=node.func, args=node.args, keywords=[]), node)):
            return self.lower.comprehended(self.lower.comprehensions.one_by_one(node.args[0]))
        several = n.List(elts=node.args, ctx=n.Load())
        return self.operand(node.args[0] if len(node.args) == 1 else placed(several, node), always=True)

    def extreme(self, node: n.Call, whole: n.expr, key: n.expr) -> n.expr:
        """``max(xs)``, with or without a key."""
        if is_none_constant(key):
            return placed(n.Call(func=node.func, args=[whole], keywords=[]), node)  # type: ignore[no-any-return]
        return self.chosen_by_key(node, whole, key)

    def of_pairs(self, given: list[n.expr]) -> bool:
        """Whether ``max`` is certainly asked for the largest of tuples or lists."""
        parts: list[Any] = given
        if len(given) == 1:
            only: Any = given[0]
            parts = only.elts if isinstance(only, (n.Tuple, n.List)) else []
            if isinstance(only, n.ITEM_BY_ITEM):
                parts = [only.elt]
        return bool(parts) and all(isinstance(part, (n.Tuple, n.List)) for part in parts)

    def largest_pair(self, node: n.Call) -> n.expr:
        """``max(pairs)`` as an entry of them: which one it is, Python's own comparison says."""
        whole = self.whole(node)
        known = item_of(self.known(whole))
        chosen = self.chosen_by(node, whole, whole)
        largest: Any = self.bound(self.scope.fresh("largest"), chosen, node)
        self.state.kinds[largest.id] = known if known.kind == "sequence" else Abstract("sequence")
        return largest  # type: ignore[no-any-return]

    def chosen_by_key(self, node: n.Call, whole: n.expr, key: n.expr) -> n.expr:
        """``max(xs, key=f)`` as an entry of ``xs``."""
        return self.chosen_by(node, whole, self.keys_of(whole, key, node))

    def chosen_by(self, node: n.Call, whole: n.expr, keys: n.expr) -> n.expr:
        """The entry of ``xs`` that has the largest of the keys."""
        called = n.Call(func=expression(self.scope.imported("place_of", place_of)), args=[node.func, keys], keywords=[])
        place_ = self.bound(self.scope.fresh("place"), placed(called, node), node)
        return placed(expression("$w[$p]", w=whole, p=place_), node)  # type: ignore[no-any-return]

    def keys_of(self, whole: n.expr, key: n.expr, at: n.AST) -> n.expr:
        """The keys of all items, as a list."""
        item = expression(self.scope.fresh("item"))
        self.state.names.add(item.id)
        getter = key if isinstance(key, n.Call) and self.scope.resolve(key.func) is operator.itemgetter and len(key.args) == 1 else None
        called = n.Call(func=key, args=[as_read(item)], keywords=[]) if getter is None else expression("$i[$k]", i=item, k=getter.args[0])
        loop = n.comprehension(target=as_target(item), iter=whole, ifs=[], is_async=0)
        made = placed(n.ListComp(elt=called, generators=[loop]), at)
        return self.lower.comprehended(made, self.scope.fresh("keys"))


def is_vector(known: Abstract) -> bool:
    """Whether what is sorted is certainly an array of numbers: of lists and tuples Python compares one entry after the other."""
    return known.kind == "array" and len(known.dims) == 1 or known.kind == "sequence" and item_of(known).scalar


NONE = n.Constant(value=None, kind=None)


def is_none_constant(node: Any) -> bool:
    """Whether an expression is ``None``."""
    return isinstance(node, n.Constant) and node.value is None
