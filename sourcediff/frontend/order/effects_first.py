"""Put calls with side effects into statements of their own, after what Python evaluates before them.

>>> import numpy as np
>>> from sourcediff.syntax.source import read
>>> from sourcediff.syntax.text import to_source
>>> def noisy(x, rng):
...     y = x * 1
...     def doubled():
...         y[:] = 2 * y
...         return y[1]
...     return y[0] * doubled() + y[rng.integers(3)]
>>> for node in sequenced(read(noisy)).tree.body[2:]:
...     print(to_source(node))
t = y[0]
t1 = doubled()
t2 = t * t1
t3 = rng.integers(3)
return t2 + y[t3]
"""

from __future__ import annotations

import builtins
from typing import Any

from ...analysis.source.effects import Effective
from ...analysis.source.out_arguments import among
from ...syntax import nodes as n
from ...syntax.quote import altered, as_read, as_target, clone, expression, names, place, remade, statement, unused
from ...syntax.source import Source
from ..desugar.comprehension_loops import bound_by, loops
from ..function_trees import defaults_in_tree, with_defaults
from .branches import as_branch

Block = list[n.stmt]

LAZY = (n.BoolOp, n.IfExp, n.Lambda, *n.COMPREHENSIONS)
"""Expressions whose parts are evaluated elsewhere, or not at all, or many times."""

TRANSPARENT = (n.Tuple, n.List, n.Slice, n.Starred, n.JoinedStr, n.FormattedValue, n.keyword)
"""What has no name itself, only its parts."""

WHOLE = {builtins.sum, builtins.max, builtins.min, builtins.list, builtins.tuple, builtins.sorted}
"""Functions that take every item of a generator, so that a list does as well."""


def sequenced(source: Source) -> Source:
    """The source of a function whose calls that may change something stand alone, wherever the order could matter."""
    if source.own is not None:  # written by the compiler
        return source
    known = Effective(source.function, source.tree)
    if not any(known.counts(part) for part in n.walk(source.tree)):
        return source
    body = Sequencer(known, source.tree).block(source.tree.body)
    return source._replace(tree=altered(source.tree, body=body), own=frozenset(names(source.tree)))


class Sequencer:
    """Writes statements anew."""

    def __init__(self, known: Effective, tree: n.FunctionDef):
        self.known = known
        self.taken = names(tree) | known.bound
        self.around = {name for part in n.walk(tree) if isinstance(part, (n.Nonlocal, n.Global)) for name in part.names}
        self.maps = any(known.resolve(part.func) is builtins.map for part in n.walk(tree) if isinstance(part, n.Call))
        self.out: Block = []
        self.touching = False  # whether a call that counts of the statement at hand may change an array, a list or a name
        self.anew: set[str] = set()  # the names that the statement's own ``:=`` bind

    def block(self, body: Block) -> Block:
        """The statements of a block in order."""
        outer, self.out = self.out, []
        for node in body:
            self.statement(node)
        done, self.out = self.out, outer
        return done

    def statement(self, node: Any) -> None:
        """Append one statement, what has to come before it first."""
        node = self.unmapped(as_branch(node))
        fields: dict[str, Any] = {field: getattr(node, field, None) for field in n.BLOCKS}
        blocks = {field: self.block(part) for field, part in fields.items() if part}
        if handlers := getattr(node, "handlers", None):
            blocks["handlers"] = [altered(handler, body=self.block(handler.body)) for handler in handlers]
        node = altered(node, **blocks) if blocks else node
        if isinstance(node, n.If):
            self.out.append(altered(node, test=self.head(node.test)))
        elif isinstance(node, n.For):
            self._for(node)
        elif isinstance(node, n.While):
            self._while(node)
        elif isinstance(node, n.Assign):
            self._assign(node)
        elif isinstance(node, n.AugAssign):
            self._update(node)
        elif isinstance(node, n.Return) and self.known.changes_array(node.value):
            self.out.append(altered(node, value=self.named(node.value)))
        elif isinstance(node, (n.Return, n.Expr)) and node.value is not None:
            self.out.append(altered(node, value=self.value(node.value)))
        elif isinstance(node, n.Assert):
            self.out.append(altered(node, test=self.head(node.test)))
        else:
            self.out.append(node)

    def _for(self, node: n.For) -> None:
        """A loop; one over a generator that does something whenever it is asked is one over what that one goes over."""
        if not self.takes_turns(node.iter):
            self.out.append(altered(node, iter=self.head(node.iter, False)))
        elif isinstance(node.iter, n.GeneratorExp) and len(node.iter.generators) == 1 and not node.orelse:
            renamed = {name: expression(self.fresh(name)) for name in bound_by(node.iter)}
            given = n.Assign(targets=[node.target], value=clone(node.iter.elt, renamed), type_comment=None)
            self.statement(loops(node.iter, [place(given, node), *node.body], renamed))
        else:
            self.out.append(node)

    def unmapped(self, node: Any) -> Any:
        """A statement with generators in place of ``map(f, xs)`` where ``f`` changes something."""
        blocks = {part for field in ("body", "orelse", "finalbody", "handlers") for part in getattr(node, field, None) or ()}

        def one(part: Any) -> Any:
            if part in blocks:
                return part
            part = remade(part, one)
            if not isinstance(part, n.Call) or self.known.resolve(part.func) is not builtins.map or not self.known.counts(part):
                return part
            if len(part.args) != 2 or isinstance(part.args[1], n.Starred) or not isinstance(part.args[0], (n.Name, n.Attribute, n.Lambda)):
                return part
            item = expression(self.fresh("item"))
            loop = n.comprehension(target=as_target(item), iter=part.args[1], ifs=[], is_async=0)
            function = self.named(part.args[0]) if isinstance(part.args[0], n.Lambda) else part.args[0]
            called = n.Call(func=function, args=[item], keywords=[])
            return place(n.GeneratorExp(elt=place(called, part), generators=[place(loop, part)]), part)

        return one(node) if self.maps else node

    def _while(self, node: n.While) -> None:
        outer, self.out = self.out, []
        test = self.head(node.test)
        before, self.out = self.out, outer
        if not before or node.orelse:
            self.out.append(node)
            return
        leaves = place(n.If(test=test, body=node.body, orelse=[place(n.Break(), node)]), node)
        self.out.append(altered(node, test=n.Constant(value=True, kind=None), body=[*before, leaves]))

    def _assign(self, node: Any) -> None:
        targets = node.targets if isinstance(node, n.Assign) else [node.target]
        if isinstance(targets[0], (n.Tuple, n.List)) and self.known.is_iterator(node.value):
            node = altered(node, value=place(expression("list($v)", v=node.value), node.value))
        if not any(map(self.counting, targets)):
            self.out.append(altered(node, value=self.value(node.value)))
            return
        self.expect(node)
        (first, *others) = targets
        if others or isinstance(first, (n.Tuple, n.List)):
            value = self.named(node.value)
            for target in targets:
                self.spread(target, clone(value))
        else:
            made = altered(node, value=self.now(node.value, self.count(first)))
            self.out.append(altered(made, targets=[self.slot(first, 0)]) if isinstance(node, n.Assign) else
                            altered(made, target=self.slot(first, 0)))

    def spread(self, target: Any, value: n.expr) -> None:
        """Store to one target after the other, each evaluated when what stands left of it has been stored."""
        if not isinstance(target, (n.Tuple, n.List)):
            self.statement(place(n.Assign(targets=[target], value=value, type_comment=None), target))
            return
        parts = [expression(self.fresh()) for _ in target.elts]
        pairs = list(zip(target.elts, parts))
        named = [altered(part, value=as_target(new)) if isinstance(part, n.Starred) else as_target(new) for part, new in pairs]
        self.out.append(place(n.Assign(targets=[altered(target, elts=named)], value=value, type_comment=None), target))
        for part, new in pairs:
            self.spread(part.value if isinstance(part, n.Starred) else part, new)

    def _update(self, node: n.AugAssign) -> None:
        """``a[i] op= v``: the place is known, and what is there has been read, before ``v`` is computed."""
        if not self.counting(node):
            self.out.append(node)
            return
        self.expect(node)
        target: Any = self.slot(node.target, self.count(node.value))
        if self.is_plain(node.value):  # the call stays, and if it changes what is there, that is read first
            self.out.append(altered(node, target=target))
        elif not self.touching or isinstance(target, n.Name) and target.id not in self.around | self.anew:
            self.out.append(altered(node, target=target, value=self.now(node.value, 0)))
        else:
            old = self.named(as_read(target))
            self.out.append(altered(node, target=as_target(old), value=self.now(node.value, 0)))
            self.out.append(place(n.Assign(targets=[target], value=old, type_comment=None), node))

    def slot(self, target: Any, left: int) -> Any:
        """A target whose container and index are known, while so many calls are to come."""
        if isinstance(target, n.Subscript):
            return altered(target, value=self.now(target.value, left + self.count(target.slice)), slice=self.now(target.slice, left))
        return altered(target, value=self.now(target.value, left)) if isinstance(target, n.Attribute) else target

    def count(self, node: n.AST) -> int:
        """How many calls that count, and ``:=``, an expression holds; what is in a lambda runs when that is called."""
        if isinstance(node, n.Lambda):
            return sum(map(self.count, defaults_in_tree(node)))
        own = isinstance(node, n.NamedExpr) or self.known.counts(node)
        return own + sum(map(self.count, n.below(node)))

    def head(self, node: n.expr, condition: bool = True) -> n.expr:
        """What a compound statement evaluates before its blocks, with all calls that count before it."""
        if not self.counting(node):
            return node
        self.expect(node)
        if not condition and isinstance(node, n.Call) and not self.known.counts(node) and not self.is_apart(node):
            return self.parts(node, 0)  # enumerate and its like are the loop's own
        return self.now(self.truth(node) if condition else node, 0)

    def truth(self, node: n.expr) -> n.expr:
        """A condition whose parts say whether they are true, since what a name stands for may change before that is asked."""
        if isinstance(node, n.BoolOp):
            return altered(node, values=list(map(self.truth, node.values)))
        if isinstance(node, (n.Compare, n.Constant)) or isinstance(node, n.UnaryOp) and isinstance(node.op, n.Not):
            return node
        return place(expression("not not $v" if "bool" in self.taken else "bool($v)", v=node), node)

    def value(self, node: n.expr) -> n.expr:
        """The value of a statement. The last call that counts stays where it is if it is the whole."""
        if self.is_plain(node):
            return node
        if self.is_apart(node):
            return self.apart(node)
        self.expect(node)
        return self.parts(node, 0) if self.known.counts(node) else self.now(node, 0)

    def is_plain(self, node: n.expr) -> bool:
        """Whether no order can go wrong: nothing counts but perhaps one call, which is the whole, or what that one is given."""
        if not self.counting(node):
            return True
        if not isinstance(node, n.Call):
            return isinstance(node, n.COMPREHENSIONS) and not self.is_loop(node)
        inner = [*node.args, *(keyword.value for keyword in node.keywords)]
        owner = node.func.value if isinstance(node.func, n.Attribute) else None
        chained = isinstance(owner, n.Call) and not any(map(self.count, inner)) and self.is_plain(owner)
        if self.count(node.func) and not chained or self.around & names(node):
            return False
        if not any(map(self.count, inner)):
            return True
        simply = isinstance(node.func, n.Name) or isinstance(node.func, n.Attribute) and isinstance(node.func.value, n.Name)
        return simply and self.known.counts(node) and len(inner) == 1 and isinstance(inner[0], n.Call) and self.is_plain(inner[0])

    def counting(self, node: n.AST) -> list[n.Call]:
        """The calls that count. (The hoister knows about ``:=``, where there is nothing else.)"""
        if isinstance(node, n.Lambda):
            return [call for part in defaults_in_tree(node) for call in self.counting(part)]
        own = [node] if self.known.counts(node) else []
        return [*own, *(call for part in n.below(node) for call in self.counting(part))]

    def expect(self, node: n.AST) -> None:
        """Note what the calls of a statement may do: a draw of random numbers changes no array, no list and no name."""
        calls = self.counting(node)
        self.anew = {part.target.id for part in n.walk(node) if isinstance(part, n.NamedExpr)}
        self.touching = bool(self.anew) or not all(map(self.known.draws, calls))

    def now(self, node: Any, left: int) -> Any:
        """An expression for what another one gives, of which the value is used when ``left`` calls that count have come after it."""
        if not self.count(node):
            return self.kept(node, left)
        if isinstance(node, n.Lambda):
            return with_defaults(node, lambda part: self.now(part, left + self.count(node)))
        if isinstance(node, n.Compare) and any(map(self.count, node.comparators[1:])):
            node = self.chained(node)
        if self.is_apart(node):
            return self.apart(node) if self.is_loop(node) or isinstance(node, (n.IfExp, n.BoolOp)) else self.named(node)
        made = self.parts(node, left)
        if isinstance(node, n.NamedExpr):
            self.out.append(place(statement("$x = $v", x=node.target, v=made.value), node))
            return self.named(as_read(node.target))
        return self.named(made) if self.known.counts(node) else self.kept(made, left)

    def parts(self, node: Any, left: int) -> Any:
        """An expression with its parts in the order of evaluation, each as it is then."""
        parts = n.below(node)
        if isinstance(node, n.Dict):
            parts = [part for pair in zip(node.keys, node.values) for part in pair if part is not None]
        later = left if isinstance(node, TRANSPARENT) else 0
        made: dict[n.AST, Any] = {}
        for position, part in enumerate(parts):
            after = later + sum(map(self.count, parts[position + 1:]))
            called = isinstance(node, n.Call) and part is node.func
            made[part] = self.called(part, after) if called else self.now(part, after)
        return remade(node, lambda part: made[part])

    def called(self, node: Any, left: int) -> Any:
        """What a call is of: an object has the same methods later, if its name stands for the same object."""
        if not isinstance(node, n.Attribute):
            return self.now(node, left) if self.count(node) or isinstance(node, n.Lambda) else node
        steady = isinstance(node.value, n.Name) and node.value.id not in self.around | self.anew
        return node if steady else altered(node, value=self.now(node.value, left))

    def kept(self, node: Any, left: int) -> Any:
        """A name for what the calls to come might change, or the expression itself where they cannot."""
        if not left or not self.touching or isinstance(node, n.Constant) or self.known.is_fixed(node):
            return node
        if isinstance(node, n.FormattedValue):  # it is written out now
            text = self.named(place(n.JoinedStr(values=[node]), node))
            return place(n.FormattedValue(value=text, conversion=-1, format_spec=None), node)
        if isinstance(node, n.Lambda):
            return with_defaults(node, lambda part: self.kept(part, left))
        if isinstance(node, n.Name):
            return self.named(node) if node.id in self.around | self.anew and isinstance(node.ctx, n.Load) else node
        if isinstance(node, n.Starred):
            return altered(node, value=self.named(n.List(elts=[node], ctx=n.Load())))
        return remade(node, lambda part: self.kept(part, left)) if isinstance(node, TRANSPARENT) else self.named(node)

    def named(self, node: n.expr) -> n.expr:
        """A new name for what an expression gives: one that stays, where evaluating it later would give something else."""
        calls = self.counting(node)
        new, before = self.fresh("drawn" if calls and all(map(self.known.draws, calls)) else "t"), (self.touching, self.anew)
        self.statement(self.giving(new, node))
        self.touching, self.anew = before
        return place(expression(new), node)

    def fresh(self, stem: str = "t") -> str:
        """A name that the function does not use."""
        return unused(stem, self.taken)

    def giving(self, name: str, value: n.expr) -> n.stmt:
        """``name = value``."""
        return place(statement("$x = $v", x=name, v=value), value)

    def is_apart(self, node: n.AST) -> bool:
        """Whether an expression with calls that count cannot be taken apart from left to right."""
        given = node.args if isinstance(node, n.Call) else ()
        return isinstance(node, LAZY) or any(isinstance(part, n.GeneratorExp) and self.count(part) for part in given)

    def apart(self, node: Any) -> n.expr:
        """``a and b``, ``b if a else c`` and comprehensions as statements; the name of what they give."""
        new = self.fresh("t")
        if isinstance(node, n.IfExp):
            made = n.If(test=node.test, body=[self.giving(new, node.body)], orelse=[self.giving(new, node.orelse)])
            self.statement(place(made, node))
        elif isinstance(node, n.BoolOp):
            first, *rest = node.values
            self.statement(self.giving(new, first))
            test = expression(new) if isinstance(node.op, n.And) else n.UnaryOp(op=n.Not(), operand=expression(new))
            other = rest[0] if len(rest) == 1 else altered(node, values=rest)
            self.statement(place(n.If(test=place(test, node), body=[self.giving(new, other)], orelse=[]), node))
        elif isinstance(node, n.Call):
            return self.taking(node)
        elif self.is_loop(node):
            before = self.touching, self.anew
            self.looped(node, new)
            self.touching, self.anew = before
        else:
            return node  # type: ignore[no-any-return]
        return place(expression(new), node)

    def taking(self, node: n.Call) -> n.expr:
        """A call that is given a generator, which is a list of its own if the call takes all of it."""
        if not among(self.known.resolve(node.func), WHOLE) or len(node.args) > 1 or not isinstance(node.args[0], n.GeneratorExp):
            return node
        whole = n.ListComp(elt=node.args[0].elt, generators=node.args[0].generators)
        return altered(node, args=[self.apart(place(whole, node.args[0]))]) if self.is_loop(whole) else node

    def takes_turns(self, node: n.AST) -> bool:
        """Whether a generator in what a loop goes over does something whenever it is asked for an item."""
        if isinstance(node, n.Call) and among(self.known.resolve(node.func), WHOLE):
            return False
        return isinstance(node, n.GeneratorExp) and bool(self.counting(node)) or any(map(self.takes_turns, n.below(node)))

    def is_loop(self, node: Any) -> bool:
        """Whether a comprehension has to be a loop for what its parts evaluate to stand in order."""
        if not isinstance(node, (n.ListComp, n.DictComp)):
            return False
        tests = [test for loop in node.generators for test in loop.ifs] + [loop.iter for loop in node.generators[1:]]
        plain = self.is_plain(node.elt) if isinstance(node, n.ListComp) else not self.count(node.key) and not self.count(node.value)
        return not plain or any(map(self.count, tests))

    def looped(self, node: Any, new: str) -> None:
        """Append a comprehension as loops that fill a list or a dict."""
        renamed = {name: expression(self.fresh(name)) for name in bound_by(node)}
        if isinstance(node, n.DictComp):
            self.out.append(self.giving(new, place(n.Dict(keys=[], values=[]), node)))
            key = self.fresh("key")
            filled = [statement("$k = $v", k=key, v=clone(node.key, renamed)),
                      statement("$d[$k] = $v", d=new, k=key, v=clone(node.value, renamed))]
        else:
            self.out.append(self.giving(new, place(n.List(elts=[], ctx=n.Load()), node)))
            filled = [statement("$l.append($v)", l=new, v=clone(node.elt, renamed))]
        self.statement(loops(node, [place(part, node) for part in filled], renamed))

    def chained(self, node: n.Compare) -> n.expr:
        """``a < b < c`` as ``a < b and b < c``, where ``a`` and ``b`` are known by now."""
        later = sum(map(self.count, node.comparators[1:]))
        left, middle = self.now(node.left, later + self.count(node.comparators[0])), self.now(node.comparators[0], later)
        first = place(n.Compare(left=left, ops=node.ops[:1], comparators=[middle]), node)
        rest = place(n.Compare(left=middle, ops=node.ops[1:], comparators=node.comparators[1:]), node)
        return place(n.BoolOp(op=n.And(), values=[first, rest]), node)
