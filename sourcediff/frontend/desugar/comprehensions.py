"""Write comprehensions of differentiated values as loops.

>>> from sourcediff.api.explain import text_after
>>> def spread(xs, p):
...     squares = [x ** 2 for x in xs if x > 0]
...     return sum(w * s for w, s in zip(p, squares))
>>> print(text_after("unbound_names", spread))
items = []
for k in range(len(xs)):
    x1 = xs[k]
    if x1 > 0:
        t = x1 ** 2
        items.append(t)
squares = items
total = 0
for k1 in range(min(len(p), len(squares))):
    w1 = p[k1]
    s1 = squares[k1]
    t1 = w1 * s1
    total = total + t1
"""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from ...analysis.abstract import Abstract
from ...analysis.bindings import is_method
from ...analysis.scope import MISSING
from ...syntax import nodes as n
from ...syntax.quote import as_read, as_target, clone, expression, place, statement
from ..room import Room
from .comprehension_loops import bound_by, loops


class Comprehensions(Room):
    """Knows the loops that stand inside expressions."""

    def comprehended(self, node: n.expr, target: str = "") -> n.expr:
        """A comprehension as a list, called ``target`` if that is given."""
        if not isinstance(node, n.ITEM_BY_ITEM):  # the interpreter writes dicts as loops
            return self.refused(node, "a set or dict in a comprehension", "its order is not followed here", "use a list")
        target = target or self.scope.fresh("parts")
        self.state.out.append(place(statement("$l = []", l=target), node))
        self.state.names.add(target)
        self.state.lists.add(target)
        self.state.kinds[target] = Abstract("sequence")
        self.looped(node, lambda element: statement("$l.append($v)", l=target, v=element))
        return expression(target)

    def collected(self, node: n.expr, target: str = "") -> n.expr:
        """``[*a, b]``, where it is not known how long ``a`` is, as a list that grows."""
        parts = self.bound(target or self.scope.fresh("parts"), n.List(elts=[], ctx=n.Load()), node)
        self.state.names.add(parts.id)
        for part in node.elts:
            item = expression(self.scope.fresh("item")) if isinstance(part, n.Starred) else part
            step = place(statement("$l.append($v)", l=as_read(parts), v=item), node)
            if isinstance(part, n.Starred):
                self.state.names.add(item.id)
                step = place(n.For(target=as_target(item), iter=part.value, body=[step], orelse=[], type_comment=None), node)
            self.statement(step)
        self.state.kinds[parts.id] = Abstract("sequence")
        return parts

    def looped(self, node: Any, step: Any) -> None:
        """The loops of a comprehension; ``step`` makes the innermost statement of its element."""
        renamed = {name: expression(new) for name in bound_by(node) if (new := self.lower.bodies.own(name)) != name}
        self.state.names |= {new.id for name, new in renamed.items() if name in self.state.names}
        self.statement(loops(node, [place(step(clone(node.elt, renamed)), node)], renamed))

    def consumed(self, node: n.Call) -> n.expr | None:
        """``sum``, ``max``, ``list`` … of a generator, or None if the call is none of these."""
        function = self.scope.resolve(node.func)
        if (whole := self.itemised(node)) is not node:
            return self.lower.comprehended(whole)
        if function in (builtins.max, builtins.min) and any(isinstance(part, n.Starred) for part in node.args) and not node.keywords:
            return place(n.Call(func=node.func, args=[self.collected(n.List(elts=node.args, ctx=n.Load()))], keywords=[]), node)
        if function in (builtins.sum, builtins.max, builtins.min) and self.drained(node):
            return self.lower.consumed(place(n.Call(func=node.func, args=[self.one_by_one(node.args[0])], keywords=[]), node))
        if len(node.args) not in (1, 2) or node.keywords or not isinstance(node.args[0], n.ITEM_BY_ITEM):
            return None
        if function is builtins.sum:
            total = self.bound(self.scope.fresh("total"), node.args[1] if len(node.args) == 2 else n.Constant(value=0.0, kind=None), node)
            self.state.names.add(total.id)
            self.scope.flags.add(total.id)
            self.looped(node.args[0], lambda element: statement("$t = $t + $v", t=as_read(total), v=element))
            return total
        if len(node.args) == 1 and function in (builtins.max, builtins.min):
            return place(n.Call(func=node.func, args=[self.lower.comprehended(node.args[0])], keywords=[]), node)
        return None

    def itemised(self, node: n.expr) -> n.expr:
        """``list(xs)``, ``tuple(xs)`` and ``sorted(xs)`` as comprehensions; anything else as it is."""
        function = self.scope.resolve(node.func) if isinstance(node, n.Call) else None
        if function is builtins.sorted:
            return self.one_by_one(node)
        if function not in (builtins.list, builtins.tuple) or len(node.args) != 1 or node.keywords:
            return node
        (given,) = node.args
        if isinstance(given, n.ITEM_BY_ITEM):
            return place(n.ListComp(elt=given.elt, generators=given.generators), node)
        shown = isinstance(given, (*n.COMPREHENSIONS, n.Tuple, n.List)) or self.known(given).kind == "mapping"
        return node if shown else self.one_by_one(given)

    def drained(self, node: n.Call) -> bool:
        """Whether a call takes all that ``itertools.accumulate`` or ``d.values()`` gives."""
        if len(node.args) != 1 or node.keywords or not isinstance(node.args[0], n.Call):
            return False
        (given,) = node.args
        return self.lower.index_loops.accumulates(given) or is_method(given, "values") and self.scope.resolve(given.func) is MISSING

    def one_by_one(self, node: n.expr) -> n.expr:
        """``[item for item in xs]``."""
        element = expression(self.scope.fresh("item"))
        self.state.names.add(element.id)
        loop = n.comprehension(target=as_target(element), iter=node, ifs=[], is_async=0)
        return place(n.ListComp(elt=element, generators=[loop]), node)

    def in_order(self, node: n.Call) -> n.expr:
        """``sorted(xs)`` as an array in NumPy's order, in which equal ones stay in theirs, as Python keeps them."""
        backwards = [keyword.value for keyword in node.keywords if keyword.arg == "reverse"]
        literal = all(isinstance(value, n.Constant) for value in backwards)
        if len(node.args) != 1 or len(backwards) != len(node.keywords) or not literal:
            return self.refused(node, "sorted with a key", "which value goes where is not followed", "index with np.argsort of the keys")
        numpy = self.scope.known(np, "np", self.state.sources[0].function)
        values = node.args[0]
        if isinstance(values, (n.List, n.Tuple)) or self.known(values).kind == "sequence":
            values = place(expression("$np.array($x)", np=numpy, x=values), node)
        back = bool(backwards and backwards[0].value)
        text = "-$np.sort(-$x)" if back else "$np.sort($x)"
        return place(expression(text, np=numpy, x=values), node)
