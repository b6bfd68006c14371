"""Turn loops over values that may carry a derivative into loops over their indices, or a dict's keys.

>>> from sourcediff.api.explain import text_after
>>> def weighted(xs, ws):
...     total = 0.0
...     for x, w in zip(xs, ws):
...         total += w * x
...     return total
>>> print(text_after("unbound_names", weighted))
total = 0.0
for k in range(min(len(xs), len(ws))):
    x = xs[k]
    w = ws[k]
    t = w * x
    total += t
"""

from __future__ import annotations

import builtins
import itertools
from collections.abc import Iterator
from typing import Any

from ...analysis.applications import is_user_function
from ...analysis.bindings import is_method
from ...analysis.literals import constant
from ...analysis.scope import MISSING
from ...analysis.source.may_be_active import is_over_keys
from ...analysis.source.out_arguments import among
from ...analysis.statements import base, breaks, mutates, target_names
from ...core.prepare.view_inverse import SPLITTING
from ...rules import rule_for
from ...runtime.arrays.library import is_array, is_plain_array
from ...runtime.user_objects import computes
from ...syntax import nodes as n
from ...syntax.quote import altered, as_read, as_target, clone, expression, names, place, statement
from ..room import Block, Room
from .forms import bound_anew

FEW = 4
"""Arrays of which each is rather written out than kept in a list."""


class IndexLoops(Room):
    """Writes loops over values as loops that the reverse sweep can run backwards."""

    def indexed(self, node: n.For) -> None:
        """A loop over values that carry becomes a loop over their positions, or over the keys of a dict."""
        if (is_method(node.iter, "items") or is_method(node.iter, "values")) and self.scope.resolve(node.iter.func) is MISSING:
            self.entries(node, node.iter.func)
            return
        if self.known(node.iter).kind == "mapping" or is_over_keys(node, node.body):
            self.over_keys(node, node.target, node.iter, None)
            return
        if self.changes_each(node, shown := self.shown_items(node.iter)):
            for part in shown:
                self.lower.assignments.assign(node.target, part, node)
                for inner in node.body:
                    self.statement(clone(inner))
            return
        function = self.scope.resolve(node.iter.func) if isinstance(node.iter, n.Call) else MISSING
        taken: Any = node.iter.args[0] if function in (builtins.list, builtins.tuple) and len(node.iter.args) == 1 else node
        if (is_method(taken, "items") or is_method(taken, "values")) and (base(taken.func.value) or "") not in mutates(node.body):
            self.entries(node, taken.func)
            return
        if function is builtins.sorted and node.iter.args and self.known(node.iter.args[0]).kind == "mapping":
            self.over_keys(node, node.target, node.iter.args[0], None, node.iter)
            return
        if function is builtins.sorted and node.iter.args and is_method(node.iter.args[0], "items") and self.sorts_keys(node.iter):
            self.entries(node, node.iter.args[0].func, node.iter)
            return
        if function is itertools.product and not breaks(node.body) and (nested := self.crossed(node)) is not None:
            self.statement(nested)
            return
        if (turns := self.in_turn(node)) is not None:
            self.statement(turns)
            return
        counts = self.counts_from_zero(node)
        position = node.target.elts[0] if counts else expression(self.scope.fresh("k"))
        self.state.counters.add(position.id)
        if counts:
            element, length = self.lower.element(node.iter.args[0], position, node)
            target = node.target.elts[1]
        else:
            element, length = self.lower.element(node.iter, position, node)
            target = node.target
        with self.state.apart() as body:
            self.lower.assignments.assign(target, element, node)
            for part in node.body:
                self.statement(part)
        self.repeat(as_target(position), expression("range($n)", n=length), body, node)

    def in_turn(self, node: n.For) -> n.stmt | None:
        """``for x, row in zip(xs, rows)``, where ``rows`` may be anything, goes over ``zip(range(len(xs)), rows)``; None of others."""
        function = self.scope.resolve(node.iter.func) if isinstance(node.iter, n.Call) else MISSING
        if function not in (builtins.zip, builtins.enumerate) or all(map(self.by_position, parts := list(self.zipped_parts(node.iter)))):
            return None
        if any(self.carries(part) and not isinstance(part, (n.Name, n.Attribute, n.Subscript)) for part in parts):
            return None
        iterable, target, value = self.with_places(node.iter, node)
        body = [place(statement("$t = $v", t=node.target, v=value), node), *node.body]
        return place(n.For(target=target, iter=iterable, body=body, orelse=[], type_comment=None), node)

    def zipped_parts(self, node: n.expr) -> Iterator[n.expr]:
        """What ``zip`` and ``enumerate`` go over, at any depth."""
        function = self.scope.resolve(node.func) if isinstance(node, n.Call) else MISSING
        if isinstance(node, n.Call) and node.args and function in (builtins.zip, builtins.enumerate):
            for part in node.args if function is builtins.zip else node.args[:1]:
                yield from self.zipped_parts(part)
        else:
            yield node

    def with_places(self, node: n.expr, at: n.For) -> tuple[n.expr, n.expr, n.expr]:
        """An iterable in which what carries is gone over by its places, the target for its items, and what they stand for."""
        if isinstance(node, n.Call) and [node] != list(self.zipped_parts(node)):
            counted = self.scope.resolve(node.func) is builtins.enumerate
            parts = [self.with_places(part, at) for part in (node.args[:1] if counted else node.args)]
            args = [*(part for part, _, _ in parts), *node.args[len(parts):]]
            iterable = place(n.Call(func=node.func, args=args, keywords=node.keywords), node)
            number = expression(self.scope.fresh("k"))
            targets, values = [part for _, part, _ in parts], [part for _, _, part in parts]
            if counted:
                targets, values = [as_target(number), *targets], [number, *values]
            return iterable, n.Tuple(elts=targets, ctx=n.Store()), n.Tuple(elts=values, ctx=n.Load())
        if not self.carries(node):
            item = expression(self.scope.fresh("item"))
            return node, as_target(item), item
        sequence, k = self.iterated(node, at), expression(self.scope.fresh("k"))
        return expression("range(len($s))", s=sequence), as_target(k), expression("$s[$k]", s=sequence, k=k)

    def by_position(self, node: n.expr) -> bool:
        """Whether an iterable has a length, and gives its items by their positions, as far as can be told."""
        if self.carries(node):
            return True
        if isinstance(node, n.Call):
            function = self.scope.resolve(node.func)
            module = getattr(function, "__module__", None) or ""
            return function in (builtins.range, builtins.list, builtins.tuple, builtins.sorted) or module.split(".")[0] == "numpy"
        known = self.known(node).kind
        if known in ("array", "sequence"):
            return True
        if known in ("foreign", "mapping") or isinstance(node, (n.GeneratorExp, n.Attribute)):
            return False
        if (outside := self.scope.resolve(node)) is not MISSING:
            return is_plain_array(outside) or isinstance(outside, (list, tuple, str, bytes, range)) and not computes(type(outside))
        if isinstance(node, n.Subscript):
            return self.by_position(node.value) if isinstance(node.slice, n.Slice) else self.has_rows(node)
        if not isinstance(node, n.Name):
            return True
        before = [part for block in (*self.state.around, self.state.out) for part in block]
        bound = [part.value for part in before if isinstance(part, n.Assign) and node.id in target_names(part.targets[0])]
        return node.id not in self.state.odd and all(map(self.by_position, bound))

    def has_rows(self, node: n.Subscript) -> bool:
        """The same of an entry: whether what it is taken from is certainly an array, and no list, table or dict."""
        owner = node.value
        while isinstance(owner, n.Subscript) and isinstance(owner.slice, n.Slice):
            owner = owner.value
        outside = self.scope.resolve(owner)
        if self.known(owner).kind == "sequence" or not is_array(outside) and outside is not MISSING:
            return False
        return self.by_position(owner) and not isinstance(constant(node.slice), str)

    def shown_items(self, node: n.expr) -> list[n.expr]:
        """The items of a display, and of ``enumerate`` and ``zip`` of displays of one length; none of anything else."""
        function = self.scope.resolve(node.func) if isinstance(node, n.Call) and not node.keywords else None
        if function is builtins.enumerate and len(node.args) == 1:
            items = enumerate(self.shown_items(node.args[0]))
            return [n.Tuple(elts=[n.Constant(value=position, kind=None), item], ctx=n.Load()) for position, item in items]
        if function is builtins.zip:
            columns = list(map(self.shown_items, node.args))
            rows = zip(*columns) if len(set(map(len, columns))) == 1 else ()
            return [n.Tuple(elts=list(row), ctx=n.Load()) for row in rows]
        return list(node.elts) if isinstance(node, (n.Tuple, n.List)) else []

    def changes_each(self, node: n.For, shown: list[n.expr]) -> bool:
        """Whether a loop like ``for u in (a, b): u *= 2`` changes a few arrays in place that have names: then each has its turn."""
        if not 0 < len(shown) <= FEW or breaks(node.body):
            return False
        names_ = names(node.iter)
        calls = [part for inner in node.body for part in n.walk(inner) if isinstance(part, n.Call) and self.called(part) is not None]
        changed = mutates(node.body) | {name for call in calls for name in names(call)}
        displays = all(self.is_part(item, mutates(node.body)) for item in shown)
        if not displays or not changed & target_names(node.target):
            return False
        return not names_ & (bound_anew(node.body) | target_names(node.target))

    def is_part(self, node: n.expr, changed: set[str]) -> bool:
        """Whether an expression is a name, a part of an array that is a view whenever it is taken, or a tuple of these."""
        if isinstance(node, n.Tuple):
            return all(self.is_part(part, changed) for part in node.elts)
        if not isinstance(node, n.Subscript):
            return isinstance(node, (n.Name, n.Constant))
        parts = node.slice.elts if isinstance(node.slice, n.Tuple) else [node.slice]
        sliced = any(isinstance(part, n.Slice) for part in parts) and all(isinstance(part, (n.Slice, n.Constant)) for part in parts)
        if not sliced or not isinstance(node.value, n.Name) or any(isinstance(part, n.Call) for part in n.walk(node.slice)):
            return False
        known = self.known(node.value).kind  # of a list it would be a copy
        return known == "array" or known == "unknown" and node.value.id not in {*self.state.lists, *self.state.unsure, *changed}

    def repeat(self, target: n.expr, iterable: n.expr, body: Block, at: n.stmt) -> None:
        """Append a loop over what carries nothing. Where a name of its target carries something elsewhere, it is bound by an assignment."""
        renamed = {name: self.scope.fresh(name) for name in sorted(target_names(target) & self.state.names)}
        bound = [place(statement("$x = $y", x=name, y=new), at) for name, new in renamed.items()]
        target = clone(target, {name: expression(new) for name, new in renamed.items()})
        self.state.out.append(place(n.For(target=target, iter=iterable, body=[*bound, *body], orelse=[], type_comment=None), at))

    def accumulates(self, node: n.Call) -> bool:
        """Whether a call is of ``itertools.accumulate``, without a start."""
        given = len(node.args) + len(node.keywords)
        function = self.scope.resolve(node.func)
        return function is itertools.accumulate and 0 < len(node.args) <= given < 3 and all(k.arg == "func" for k in node.keywords)

    def accumulated(self, node: n.Call) -> n.expr:
        """``itertools.accumulate(xs, f)`` as a list that grows."""
        items = self.bound(self.scope.fresh("items"), n.List(elts=[], ctx=n.Load()), node)
        item = expression(self.scope.fresh("item"))
        self.state.names |= {items.id, item.id}
        last = expression("$l[-1]", l=items)
        function = next(iter([*node.args[1:], *(keyword.value for keyword in node.keywords)]), None)
        added = n.BinOp(left=last, op=n.Add(), right=item) if function is None else n.Call(func=function, args=[last, item], keywords=[])
        whole = node.args[0]
        if isinstance(whole, (n.Call, n.GeneratorExp)) or self.known(whole).kind == "mapping":  # perhaps of what has no length
            whole = place(n.ListComp(elt=clone(item), generators=[
                n.comprehension(target=as_target(item), iter=whole, ifs=[], is_async=0)]), node)
        whole = self.operand(whole, always=True)
        for part, value in ((expression("$s[:1]", s=whole), item), (expression("$s[1:]", s=whole), added)):
            step = place(statement("$l.append($v)", l=items, v=place(clone(value), node)), node)
            self.statement(place(n.For(target=as_target(item), iter=part, body=[step], orelse=[], type_comment=None), node))
        return as_read(items)

    def crossed(self, node: n.For) -> n.stmt | None:
        """A loop over ``itertools.product(a, b)`` as nested loops; None where its targets are not names of their own."""
        targets = node.target.elts if isinstance(node.target, n.Tuple) else []
        repeats = [k.value.value for k in node.iter.keywords if k.arg == "repeat" and isinstance(k.value, n.Constant)]
        parts = list(node.iter.args)
        if len(repeats) != len(node.iter.keywords) or not all(isinstance(target, n.Name) for target in targets):
            return None
        parts = [self.operand(part, always=True) for part in parts] * (repeats[0] if repeats else 1)
        if len(parts) != len(targets) or any(isinstance(part, n.Call) for part in parts):
            return None
        body = node.body
        for target, part in reversed(list(zip(targets, parts))):
            body = [place(n.For(target=target, iter=part, body=body, orelse=[], type_comment=None), node)]
        return body[0]

    def counts_from_zero(self, node: n.For) -> bool:
        """Whether the loop is ``for i, x in enumerate(xs)``: then ``i`` itself is the position."""
        iterated, target = node.iter, node.target
        return (
            isinstance(iterated, n.Call) and self.scope.resolve(iterated.func) is builtins.enumerate and len(iterated.args) == 1
            and not iterated.keywords and isinstance(target, n.Tuple) and len(target.elts) == 2 and isinstance(target.elts[0], n.Name)
            and target.elts[0].id not in self.state.names
        )

    def element(self, iterated: n.expr, position: n.expr, at: n.For) -> tuple[n.expr, n.expr]:
        """What an iterable gives at a position, and its length."""
        at_position = as_read(position)
        function = self.scope.resolve(iterated.func) if isinstance(iterated, n.Call) else MISSING
        if function is builtins.zip and iterated.args and not iterated.keywords:
            parts = [self.lower.element(part, position, at) for part in iterated.args]
            lengths = [length for _, length in parts]
            shortest = lengths[0] if len(lengths) == 1 else n.Call(func=expression("min"), args=lengths, keywords=[])
            return n.Tuple(elts=[part for part, _ in parts], ctx=n.Load()), shortest
        if function is builtins.enumerate and iterated.args:
            given = [*iterated.args[1:], *(keyword.value for keyword in iterated.keywords)]
            number = expression("$k + $s", k=at_position, s=self.operand(given[0], always=True)) if given else at_position
            value, length = self.lower.element(iterated.args[0], position, at)
            return n.Tuple(elts=[number, value], ctx=n.Load()), length
        if function is builtins.reversed:
            sequence = self.iterated(iterated.args[0], at)
            return expression("$s[len($s) - 1 - $k]", s=sequence, k=at_position), expression("len($s)", s=sequence)
        if isinstance(iterated, n.Call) and self.accumulates(iterated):
            if names(iterated) & mutates(at.body):
                return (self.refused(iterated, "running sums of what changes in the loop over them", "each is added when it is asked for",
                                     "loop over a copy"),) * 2
            iterated, function = self.accumulated(iterated), MISSING
        if function is builtins.sorted:
            of_keys = iterated.args and (self.known(iterated.args[0]).kind == "mapping" or is_method(iterated.args[0], "keys"))
            as_it_is = of_keys or not self.carries(iterated)
            made = self.bound(self.scope.fresh("t"), iterated, at) if as_it_is else self.lower.in_order(iterated)
            iterated, function = made, MISSING
        if (is_method(iterated, "items") or is_method(iterated, "values")) and function is MISSING:
            mapping = self.iterated(iterated.func.value, at)
            keys = self.bound(self.scope.fresh("keys"), expression("list($d.keys())", d=mapping), at)
            value = expression("$d[$l[$k]]", d=mapping, l=keys, k=at_position)
            pair = n.Tuple(elts=[expression("$l[$k]", l=keys, k=at_position), value], ctx=n.Load())
            return pair if iterated.func.attr == "items" else value, expression("len($l)", l=keys)
        if isinstance(iterated, n.Name) and self.known(iterated).kind == "mapping":  # its keys
            iterated = self.bound(self.scope.fresh("keys"), expression("list($d)", d=iterated), at)
        known = function is MISSING or function in (builtins.range, builtins.list) or is_user_function(function) or rule_for(function)
        if isinstance(iterated, n.Call) and not known:
            self.refused(iterated, "this loop over values that are differentiated",
                         "only sequences, enumerate, zip, reversed and dict.items are followed", "loop over range(len(...)) and index")
        sequence = self.iterated(iterated, at)
        if among(function, SPLITTING) and type(count := constant(iterated.args[1]) if len(iterated.args) == 2 else None) is int:
            return expression("$s[$k]", s=sequence, k=at_position), n.Constant(value=count, kind=None)
        return expression("$s[$k]", s=sequence, k=at_position), expression("len($s)", s=sequence)

    def iterated(self, node: n.expr, at: n.For) -> n.expr:
        """A name for what a loop goes over, which keeps what it began with."""
        if isinstance(node, n.Name) and node.id in self.scope.iterators:
            return self.refused(node, "a loop over an iterator that has a name", "what is left of it then is not known", "loop over a list")
        sequence = self.operand(node, always=True)
        if isinstance(sequence, n.Name) and sequence.id in bound_anew(at.body):
            return self.bound(self.scope.fresh("t"), sequence, at)
        return sequence

    def sorts_keys(self, node: n.Call) -> bool:
        """Whether ``sorted(d.items())`` orders by the keys: no two are equal, so values are not asked."""
        return all(keyword.arg != "key" for keyword in node.keywords)

    def entries(self, node: n.For, method: n.Attribute, order: n.Call | None = None) -> None:
        """``for key, value in d.items()`` and ``for value in d.values()`` become loops over the keys."""
        key, target = expression(self.scope.fresh("key")), node.target
        if method.attr == "items":
            if not isinstance(target, n.Tuple) or len(target.elts) != 2:
                self.refused(target, "this target of items()", "a key and a value are expected", "write for key, value in d.items()")
                return
            shown, target = target.elts
            if isinstance(shown, n.Name):
                key = shown
            else:  # a key that is a tuple
                self.state.names -= target_names(shown)
                parts = place(n.Assign(targets=[shown], value=as_read(key), type_comment=None), node)
                node = altered(node, body=[parts, *node.body])
        self.over_keys(node, key, method.value, target, order)

    def over_keys(self, node: n.For, key: n.expr, mapping: n.expr, target: n.expr | None, order: n.Call | None = None) -> None:
        """A loop over the keys of a dict, each entry bound to ``target`` first; ``order`` is a call of ``sorted`` on the dict."""
        mapping = self.iterated(mapping, node)
        self.state.names -= target_names(key)
        with self.state.apart() as body:
            if target is not None:
                self.lower.assignments.assign(target, expression("$d[$k]", d=mapping, k=as_read(key)), node)
            for part in node.body:
                self.statement(part)
        iterable = expression("list($d.keys())", d=mapping)
        if order is not None:
            iterable = place(n.Call(func=order.func, args=[expression("$d.keys()", d=mapping)], keywords=order.keywords), order)
        self.repeat(as_target(key), iterable, body, node)
