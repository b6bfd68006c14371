"""Write all operations on lists as ``append``, ``insert``, ``pop`` and stores of entries.

>>> import numpy as np
>>> from sourcediff.api.explain import text_after
>>> def window(x):
...     last = [0.0, 0.0]
...     for v in x:
...         last.insert(0, v * last[0])
...         del last[-1]
...     return sum(last * 2)
>>> print(text_after("unbound_names", window, args=(np.ones(3),)))
part = 0.0
part1 = 0.0
for k in range(len(x)):
    v = x[k]
    t = part
    t1 = part1
    t2 = v * part
    part = t2
    part1 = t
    part2 = t1
    t3 = part
    t4 = part1
    t5 = part2
    part = t3
    part1 = t4
t6 = part
t7 = part1
t8 = part
t9 = part1
total = 0 + t6
total = total + t7
total = total + t8
total = total + t9
"""

from __future__ import annotations

import builtins
from typing import Any

from ...analysis.literals import constant
from ...analysis.scope import MISSING
from ...analysis.source.out_arguments import among
from ...analysis.statements import altered_container, popped
from ...runtime.arrays import repeats
from ...syntax import nodes as n
from ...syntax.container_methods import RESIZING
from ...syntax.quote import expression, place, placed, put_in, statement, statements, taken_out
from ..room import Block, Room

WALKING = (builtins.enumerate, builtins.zip, builtins.reversed, builtins.map, builtins.filter)

OWN = ("only lists that the function makes itself are followed",)


class ListMethods(Room):
    """Knows what the methods and operators of lists do."""

    def listed(self, node: n.expr, target: str = "") -> n.expr | None:
        """``xs + ys``, ``xs * n``, ``xs[1:]``, ``xs.copy()`` and ``xs.pop(i)`` in normal form; None if the expression is none of these."""
        if (name := popped(node)) is not None and name not in self.state.lists and self.scope.resolve(node.func) is MISSING:
            return self.refused(node, "pop from this object", *OWN, "begin with parts = []")
        if name in self.state.lists:
            return taken_out(name, self.place_of(node.args, name, node, False)) if node.args else node
        if isinstance(node, n.BinOp):
            return self.joined(node, target)
        if isinstance(node, n.Subscript) and self.lower.kinds.makes_list(node) and self.state.lists & self.state.changing:
            whole = self.operand(node.value, always=True)
            k = self.scope.fresh("k")
            made = expression(f"[$w[{k}] for {k} in range(len($w))[$i]]", w=whole, i=node.slice)
            return self.lower.comprehended(placed(made, node), target)
        if (whole := self.copied(node)) is not None:
            return self.lower.comprehended(self.lower.comprehensions.one_by_one(whole), target)
        return None

    def copied(self, node: n.expr) -> n.expr | None:
        """``xs`` of ``xs.copy()`` and of ``copy.copy(xs)``, if that is a list."""
        if not isinstance(node, n.Call) or node.keywords or not isinstance(node.func, n.Attribute) or node.func.attr != "copy":
            return None
        whole = node.args[0] if len(node.args) == 1 and self.scope.resolve(node.func) is not MISSING else node.func.value
        return whole if len(node.args) < 2 and self.lower.kinds.is_sequence(whole) else None

    def joined(self, node: n.BinOp, target: str = "") -> n.expr | None:
        """``xs + ys`` and ``xs * n`` as a list that grows."""
        if not self.lower.kinds.makes_list(node):
            return None
        if isinstance(node.op, n.Add):
            parts = [n.Starred(value=self.operand(part, always=True), ctx=n.Load()) for part in (node.left, node.right)]
            return self.lower.comprehensions.collected(placed(n.List(elts=parts, ctx=n.Load()), node), target)
        unsure = self.lower.kinds.multiplies(node.right if self.lower.kinds.is_sequence(node.left) else node.left) is None
        left, right = (self.operand(part, always=self.lower.kinds.is_sequence(part)) for part in (node.left, node.right))
        whole, times = (left, right) if self.lower.kinds.is_sequence(node.left) else (right, left)
        if unsure:
            times = expression(f"{self.scope.imported('repeats', repeats)}($t)", t=times)
        trip, item = self.scope.fresh("k"), self.scope.fresh("item")
        self.state.names.add(item)
        repeated = expression(f"[{item} for {trip} in range($t) for {item} in $w]", t=times, w=whole)
        return self.lower.comprehended(placed(repeated, node), target)

    def place_of(self, given: list[n.expr], name: str | None, at: n.AST, new: bool) -> list[n.expr]:
        """A place in a list as a number that is not negative; ``new``: for an item that is put in, where Python cuts it off."""
        (index,) = given
        known = constant(index)
        if type(known) is int and (known >= 0 and not new or known == 0):
            return [index]
        if known == -1 and not new:
            return []
        text = "len(range(len($l))[:$i])" if new else "range(len($l))[$i]"
        return [self.bound(self.scope.fresh("k"), placed(expression(text, l=name, i=index), at), at)]

    def altered(self, node: n.Expr) -> bool:
        """Append the normal form of a call of a list's method of which the result is thrown away; False if it is none."""
        call: Any = node.value
        name = call.func.value.id if isinstance(call.func, n.Attribute) and isinstance(call.func.value, n.Name) else ""
        if name not in self.state.lists:
            return False
        if popped(call) is not None:
            self.statement(placed(statement("$t = $c", t=self.scope.fresh("popped"), c=call), node))
        elif call.func.attr == "insert" and len(call.args) == 2 and not call.keywords:
            value = self.operand(call.args[1]) if self.carries(call.args[1]) else call.args[1]
            self.state.kinds[name] = self.state.kinds[name]._replace(items=None)
            self.state.out.append(placed(n.Expr(value=put_in(name, self.place_of(call.args[:1], name, node, True), value)), node))
        elif call.func.attr == "clear" and not call.args:
            self.emptied(name, node)
        elif call.func.attr == "reverse" and not call.args:
            k = self.scope.fresh("k")
            text = f"for {k} in range(len($l) // 2):\n    $l[{k}], $l[len($l) - 1 - {k}] = $l[len($l) - 1 - {k}], $l[{k}]"
            self.each(statements(text, l=name), node)
        elif call.func.attr == "remove" and len(call.args) == 1:
            index = expression("$l.index($v)", l=name, v=call.args[0])
            self.statement(placed(n.Delete(targets=[n.Subscript(value=expression(name), slice=index, ctx=n.Del())]), node))
        elif call.func.attr == "sort" and not call.args:
            self.lower.key_functions.sorted_in_place(name, {keyword.arg: keyword.value for keyword in call.keywords}, node)
        else:
            return False
        return True

    def of_set(self, node: n.Expr) -> bool:
        """Append a call of a set's method that changes it, or of a method of what is in a container that is made here. The call stays as it
        is: neither holds anything that is differentiated, or a set is only asked what is in it.
        """
        name = altered_container(node)
        kept = name in self.state.sets or self.is_inert(name) and isinstance(node.value.func.value, n.Subscript)  # type: ignore[attr-defined]
        asked = name in self.state.sets and is_asked_alone(self.state.sources[-1].tree, name)
        if not kept or not asked and any(map(self.carries, [*node.value.args, node.value.func])):  # type: ignore[attr-defined]
            return False
        self.state.out.append(node)
        return True

    def is_inert(self, name: str | None) -> bool:
        """Whether a name is of a container that is made here, of which nothing is differentiated."""
        made = name in self.state.lists or name in self.state.kinds and self.state.kinds[name].kind in ("mapping", "sequence")
        return made and name not in self.state.paths and name not in self.state.names

    def is_own_dict(self, name: str) -> bool:
        """Whether a name is of a dict that is made here."""
        made = name in self.state.kinds and self.state.kinds[name].kind == "mapping"
        return made and name not in self.state.paths

    def gone_over(self, node: n.expr) -> set[str]:
        """The names of the lists of which a loop takes one item a trip, aliases included."""
        if isinstance(node, n.Name):
            return self.lower.bindings.sharing(node.id, once=True) if node.id in self.state.lists else set()
        function = self.scope.resolve(node.func) if isinstance(node, n.Call) else MISSING
        walking = among(function, WALKING) or getattr(function, "__module__", "") == "itertools"
        return set().union(*map(self.gone_over, node.args)) if walking and node.args else set()

    def resized_in(self, body: Block, lists: set[str]) -> str:
        """One of some lists that statements make longer or shorter; empty if there is none."""
        for part in (part for inner in body for part in n.walk(inner)) if lists else ():
            changed = part.target if isinstance(part, n.AugAssign) else part.value if isinstance(part, n.Subscript) else None
            if isinstance(part, n.Subscript) and not isinstance(part.ctx, n.Del):
                changed = None
            if isinstance(part, n.Call) and isinstance(part.func, n.Attribute) and part.func.attr in RESIZING:
                changed = part.func.value
            if isinstance(changed, n.Name) and changed.id in lists:
                return changed.id
        return ""

    def emptied(self, name: str, at: n.stmt) -> None:
        """``xs.clear()``: one item after the other."""
        k, item = self.scope.fresh("k"), self.scope.fresh("popped")
        self.each(statements(f"for {k} in range(len($l)):\n    {item} = $l.pop()", l=name), at)

    def each(self, body: Block, at: n.AST) -> None:
        """Append statements that stand for one of the user's."""
        for part in body:
            self.statement(placed(part, at))

    def deleted(self, node: n.Delete) -> None:
        """``del xs[i]``: the entry is popped, and thrown away."""
        for target in node.targets:
            if isinstance(target, n.Subscript):
                name = target.value.id if isinstance(target.value, n.Name) else ""
                if name not in self.state.lists and not isinstance(target.slice, n.Slice) and self.state.sources[-1].followed:
                    self.state.out.append(place(n.Delete(targets=[target]), node))  # the compiler's own: an entry that was not there before
                    continue
                if self.is_own_dict(name):
                    slot = n.Subscript(value=expression(name), slice=self.lower.expressions.steady(target.slice), ctx=n.Del())
                    self.state.out.append(place(n.Delete(targets=[slot]), node))
                    continue
                if name not in self.state.lists or isinstance(target.slice, n.Slice):
                    self.refused(node, "del of an entry", *OWN, "make a new one without it")
                    continue
                call = n.Call(func=n.Attribute(value=expression(name), attr="pop", ctx=n.Load()), args=[target.slice], keywords=[])
                self.statement(placed(statement("$t = $c", t=self.scope.fresh("popped"), c=call), node))


def is_asked_alone(tree: n.FunctionDef, name: str) -> bool:
    """Whether nothing is done with a set of a function but to put items in and out, and to ask what is in it, and how much."""
    uses = [part for part in n.walk(tree) if isinstance(part, n.Name) and part.id == name and isinstance(part.ctx, n.Load)]
    asked: list[n.expr] = []
    for part in n.walk(tree):
        if isinstance(part, n.Compare) and len(part.ops) == 1 and isinstance(part.ops[0], (n.In, n.NotIn)):
            asked += part.comparators
        elif isinstance(part, n.Attribute) and part.attr in ("add", "discard", "remove", "clear"):
            asked.append(part.value)
        elif isinstance(part, n.Call) and getattr(part.func, "id", "") == "len":
            asked += part.args
    return bool(uses) and all(any(use is other for other in asked) for use in uses)
