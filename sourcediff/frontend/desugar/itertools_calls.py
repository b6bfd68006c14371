"""Loop over what ``itertools`` makes of sequences by indices.

>>> import itertools
>>> from sourcediff.api.explain import text_after
>>> def rough(x):
...     total = 0.0
...     for u, v in itertools.pairwise(x):
...         total += (u - v) ** 2
...     return total
>>> print(text_after("unbound_names", rough))
total = 0.0
for k in range(len(x) - 1):
    u = x[k]
    v = x[k + 1]
    t = u - v
    t1 = t ** 2
    total += t1
"""

from __future__ import annotations

import builtins
import itertools
from typing import Any

from ...analysis.literals import constant
from ...analysis.scope import MISSING
from ...syntax import nodes as n
from ...syntax.quote import as_read, as_target, expression, place, statement, statements
from ..room import Room

CHOOSING = (itertools.combinations, itertools.permutations, itertools.combinations_with_replacement)


class ItertoolsCalls(Room):
    """Knows what the functions of ``itertools`` give, trip by trip."""

    def indexed(self, node: n.For) -> None:
        """A loop over values that carry; one over ``combinations(xs, 2)`` goes over those of the places."""
        function = self.function_in(node.iter)
        count = constant(node.iter.args[1]) if function in CHOOSING and len(node.iter.args) == 2 and not node.iter.keywords else None
        if type(count) is not int:
            self.lower.index_loops.indexed(node)
            return
        whole = self.operand(node.iter.args[0], always=True)
        places = [expression(self.scope.fresh("k")) for _ in range(count)]
        self.state.counters |= {place_.id for place_ in places}
        chosen = n.Call(func=node.iter.func, args=[expression("range(len($w))", w=whole), node.iter.args[1]], keywords=[])
        items = n.Tuple(elts=[expression("$w[$k]", w=whole, k=k) for k in places], ctx=n.Load())
        body = [place(statement("$t = $v", t=node.target, v=items), node), *node.body]
        target = n.Tuple(elts=[as_target(k) for k in places], ctx=n.Store())
        self.statement(place(n.For(target=target, iter=place(chosen, node), body=body, orelse=[], type_comment=None), node))

    def element(self, iterated: n.expr, position: n.expr, at: n.For) -> tuple[n.expr, n.expr]:
        """What an iterable gives at a position, and its length."""
        function = self.function_in(iterated)
        if function is builtins.zip and iterated.args:
            return self.zipped(iterated, position, at)
        if function is getattr(itertools, "pairwise", MISSING) and len(iterated.args) == 1:
            first, length = self.lower.element(iterated.args[0], position, at)
            second, _ = self.lower.element(iterated.args[0], expression("$k + 1", k=as_read(position)), at)
            return n.Tuple(elts=[first, second], ctx=n.Load()), expression("$n - 1", n=length)
        if function is itertools.islice and 2 <= len(iterated.args) <= 3 and all(type(constant(part)) is int for part in iterated.args[1:]):
            start, stop = (expression("0"), iterated.args[1]) if len(iterated.args) == 2 else iterated.args[1:]
            first, length = self.lower.element(iterated.args[0], expression("$k + $s", k=as_read(position), s=start), at)
            return first, expression("min($n, $e) - $s", n=length, e=stop, s=start)
        if function is itertools.repeat and len(iterated.args) == 2:
            return self.operand(iterated.args[0], always=True), self.operand(iterated.args[1], always=True)
        if function is itertools.zip_longest:
            return self.filled_up(iterated, position, at)
        return self.lower.index_loops.element(iterated, position, at)

    def function_in(self, node: n.expr) -> Any:
        """The function that an expression calls, MISSING if that is not known."""
        return self.scope.resolve(node.func) if isinstance(node, n.Call) else MISSING

    def zipped(self, node: n.Call, position: n.expr, at: n.For) -> tuple[n.expr, n.expr]:
        """``zip(a, b)``: what is endless has no say in how long it is; with ``strict=`` all must be as long."""
        parts, lengths = [], []
        for part in node.args:
            if (endless := self.endless(part, position)) is not None:
                parts.append(endless)
                continue
            item, length = self.lower.element(part, position, at)
            parts.append(item)
            lengths.append(length)
        strict = [keyword.value for keyword in node.keywords if keyword.arg == "strict"]
        if not lengths or len(strict) != len(node.keywords):
            self.refused(node, "this zip", "how long it is is not known", "zip sequences")
            return expression("None"), expression("0")
        if strict and len(lengths) > 1:
            differ = n.Compare(left=lengths[0], ops=[n.NotEq() for _ in lengths[1:]], comparators=lengths[1:]) if len(lengths) == 2 else (
                expression("len({$l}) > 1".replace("$l", ", ".join(f"$l{k}" for k in range(len(lengths)))),
                           **{f"l{k}": length for k, length in enumerate(lengths)}))
            text = 'if $s and $d:\n    raise ValueError("zip() arguments are not of the same length")'
            self.state.out += [place(part, node) for part in statements(text, s=strict[0], d=differ)]
        shortest = lengths[0] if len(lengths) == 1 else n.Call(func=expression("min"), args=lengths, keywords=[])
        return n.Tuple(elts=parts, ctx=n.Load()), shortest

    def endless(self, node: n.expr, position: n.expr) -> n.expr | None:
        """What ``count``, ``cycle`` and ``repeat(v)`` give at a position; None of anything that ends."""
        function, k = self.function_in(node), as_read(position)
        if function is itertools.count and not node.keywords and len(node.args) < 3:
            start, step = [*(self.operand(part, always=True) for part in node.args), *(expression("0"), expression("1"))[len(node.args):]]
            return expression("$a + $k * $s", a=start, k=k, s=step)
        if function is itertools.cycle and len(node.args) == 1:
            return expression("$s[$k % len($s)]", s=self.operand(node.args[0], always=True), k=k)
        if function is itertools.repeat and len(node.args) == 1 and not node.keywords:
            return self.operand(node.args[0], always=True)
        return None

    def filled_up(self, node: n.Call, position: n.expr, at: n.For) -> tuple[n.expr, n.expr]:
        """``zip_longest(a, b, fillvalue=v)``: what has ended gives ``v``."""
        fill = next((self.operand(keyword.value, always=True) for keyword in node.keywords), expression("None"))
        found = [self.lower.element(part, position, at) for part in node.args]
        items = [n.IfExp(test=expression("$k < $n", k=as_read(position), n=length), body=item, orelse=fill) for item, length in found]
        lengths = [length for _, length in found]
        longest = lengths[0] if len(lengths) == 1 else n.Call(func=expression("max"), args=lengths, keywords=[])
        return n.Tuple(elts=items, ctx=n.Load()), longest
