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
import functools
from typing import Any

import numpy as np

from ...analysis.abstract import Abstract
from ...analysis.bindings import is_method
from ...analysis.literals import constant
from ...analysis.scope import MISSING
from ...syntax import nodes as n
from ...syntax.quote import as_read, as_target, clone, expression, place, statement
from ..room import Room
from .comprehension_loops import bound_by, loops


class Comprehensions(Room):
    """Knows the loops that stand inside expressions."""

    def comprehended(self, node: n.expr, target: str = "") -> n.expr:
        """A comprehension as a list (called ``target``, if that is given) or a dict."""
        if isinstance(node, n.DictComp):
            shown = self.unrolled(node)
            return self.filled_in_a_loop(node) if shown is None else self.value(shown)
        if isinstance(node, n.SetComp):
            return self.refused(node, "a set", "its order is not defined", "use a list")
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
        """``sum``, ``max``, ``list`` … of a generator or of ``map``, ``functools.reduce``, or None if the call is none of these."""
        function = self.scope.resolve(node.func)
        if function is functools.reduce and len(node.args) in (2, 3) and not node.keywords:
            return self.reduced(*node.args)
        if node.args and (mapped := self.mapped(node.args[0])) is not None:
            node = place(n.Call(func=node.func, args=[mapped, *node.args[1:]], keywords=node.keywords), node)
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

    def mapped(self, node: n.expr) -> n.expr | None:
        """``map(f, xs)`` as a generator; None if the expression is no such call."""
        if not isinstance(node, n.Call) or self.scope.resolve(node.func) is not builtins.map or len(node.args) != 2 or node.keywords:
            return None
        function, iterated = self.named_function(node.args[0]), node.args[1]
        item = self.scope.fresh("item")
        element = place(n.Call(func=function, args=[expression(item)], keywords=[]), node)
        loop = n.comprehension(target=as_target(expression(item)), iter=iterated, ifs=[], is_async=0)
        if self.carries(iterated):
            self.state.names.add(item)
        return place(n.GeneratorExp(elt=element, generators=[loop]), node)

    def named_function(self, node: n.expr) -> n.expr:
        """A lambda or a partial that is called more than once as a name; anything else as it is."""
        return self.value(node) if isinstance(node, n.Lambda) or self.lower.attributes.is_partial(node) else node

    def reduced(self, function: n.expr, iterated: n.expr, first: n.expr | None = None) -> n.expr:
        """``functools.reduce(f, xs, first)`` as a loop."""
        function = self.named_function(function)
        items = self.operand(iterated, always=True)
        total, item = expression(self.scope.fresh("total")), expression(self.scope.fresh("item"))
        self.scope.flags.add(total.id)
        self.state.names |= {total.id, item.id}
        at = place(n.Pass(), iterated)
        self.lower.assignments.assign(as_target(total), expression("$s[0]", s=items) if first is None else first, at)
        step = place(statement("$t = $f($t, $v)", t=total, f=function, v=item), iterated)
        over = items if first is not None else self.operand(place(expression("$s[1:]", s=items), iterated), always=True)
        self.statement(place(n.For(target=as_target(item), iter=over, body=[step], orelse=[], type_comment=None), iterated))
        return as_read(total)
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

    def filled_in_a_loop(self, node: n.DictComp) -> n.expr:
        """A dict comprehension as a loop that stores."""
        target = self.scope.fresh("entries")
        self.state.out.append(place(statement("$d = {}", d=target), node))
        self.state.names.add(target)
        self.state.kinds[target] = Abstract("mapping")
        pairs = n.ListComp(elt=n.Tuple(elts=[node.key, node.value], ctx=n.Load()), generators=node.generators)
        self.looped(place(pairs, node), lambda pair: statement("$d[$k] = $v", d=target, k=pair.elts[0], v=pair.elts[1]))
        return expression(target)

    def unrolled(self, node: n.DictComp) -> n.expr | None:
        """A dict comprehension over keys that are known, as a display; None of another one."""
        (loop, *others) = node.generators
        entries = None if others or loop.ifs else self.entries_of(loop)
        if entries is None:
            return None
        keys = [clone(node.key, bound) for bound in entries]
        values = [clone(node.value, bound) for bound in entries]
        if any(constant(key) is MISSING for key in keys):
            return None
        return place(n.Dict(keys=keys, values=values), node)

    def entries_of(self, loop: n.comprehension) -> list[dict[str, n.AST]] | None:
        """What the names of a comprehension's loop stand for, trip by trip; None if that is not known."""
        method = loop.iter.func.attr if isinstance(loop.iter, n.Call) and isinstance(loop.iter.func, n.Attribute) else ""
        iterated = loop.iter.func.value if method in ("items", "keys") and not loop.iter.args else loop.iter
        if isinstance(iterated, n.Call) and self.scope.resolve(iterated.func) is builtins.zip and not iterated.keywords:
            if all(isinstance(part, (n.List, n.Tuple)) for part in iterated.args):
                rows = zip(*(part.elts for part in iterated.args))
                iterated = n.List(elts=[n.Tuple(elts=list(row), ctx=n.Load()) for row in rows], ctx=n.Load())
        if isinstance(iterated, (n.List, n.Tuple)) and not method:
            found = [_matched_targets(loop.target, part) for part in iterated.elts]
            return None if None in found else found  # type: ignore[return-value]
        known = self.known(iterated)
        named = known.kind == "mapping" and isinstance(iterated, n.Name) and bool(known.items)
        if not named or not self.lower.star_arguments.lasting(iterated):
            return None
        keys = [n.Constant(value=key, kind=None) for key, _ in known.items]
        shown: list[n.expr] = list(keys)
        if method == "items":
            shown = [n.Tuple(elts=[key, expression("$d[$k]", d=iterated, k=key)], ctx=n.Load()) for key in keys]
        found = [_matched_targets(loop.target, part) for part in shown]
        return None if None in found else found  # type: ignore[return-value]


def _matched_targets(target: n.expr, value: n.expr) -> dict[str, n.AST] | None:
    """What each name of a target stands for when it is bound to a value; None if that cannot be told."""
    if isinstance(target, n.Name):
        return {target.id: value}
    if not isinstance(target, (n.Tuple, n.List)) or not isinstance(value, (n.Tuple, n.List)) or len(target.elts) != len(value.elts):
        return None
    found: dict[str, n.AST] = {}
    for part, given in zip(target.elts, value.elts):
        inner = _matched_targets(part, given)
        if inner is None:
            return None
        found.update(inner)
    return found
