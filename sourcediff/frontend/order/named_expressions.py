"""Hoist ``:=`` out of expressions into statements, where that keeps the order of evaluation.

Calls of inner functions in conditions too.

>>> from sourcediff.api.explain import text_after
>>> def clipped(x):
...     while (y := x * x) > 9 and (z := y - 4) > x:
...         x = y / 3
...     return x + y
>>> print(text_after("unbound_names", clipped))
while True:
    y = x * x
    t = y > 9
    if t:
        z = y - 4
        t = z > x
    if t:
        x = y / 3
    else:
        break
value = x + y
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import Any

from ...analysis.scope import bound_names
from ...analysis.statements import grown
from ...syntax import nodes as n
from ...syntax.quote import altered, clone, expression, names, place, remade, statement
from ..function_trees import around_of
from ..inline.calls import Inner
from ..room import Room

HEADS = {n.If: "test", n.While: "test", n.For: "iter"}
"""The expression of a compound statement that is evaluated before its blocks."""


class NamedExpressions(Room):
    """Takes the assignments out of a statement's expressions before the statement is brought into normal form."""

    def prepared(self, node: n.stmt) -> n.stmt:
        """A statement with objects opened, whose own expressions hold no stars and no assignments any more."""
        node = self.spread_own(self.lower.statements.ready(node))
        self.state.popping = self.lower.pops_first.shrinking(node)
        return self.hoisted(node)

    def spread_own(self, node: n.stmt) -> n.stmt:
        """The statement with the stars of its own expressions written out."""
        field = HEADS.get(type(node))
        if field is None:
            return self.lower.star_arguments.spread(node)  # type: ignore[no-any-return]
        return altered(node, **{field: self.lower.star_arguments.spread(getattr(node, field))})

    def hoisted(self, node: n.stmt) -> n.stmt:
        """The statement without assignments in its own expressions; they stand in the block before it."""
        node = self.settled(node, HEADS.get(type(node)))
        field = HEADS.get(type(node))
        own: list[Any] = [getattr(node, field)] if field else [node]
        if isinstance(node, n.FunctionDef) or not any(map(assigns, own)) and not (field and self.moves(own[0])) and not self.state.popping:
            return node
        if isinstance(node, n.While):
            body = place(n.If(test=node.test, body=node.body, orelse=[place(n.Break(), node)]), node)
            return place(n.While(test=n.Constant(value=True, kind=None), body=[body], orelse=[]), node)
        if isinstance(node, n.Assert) and node.msg is not None and self.moves(node.msg):
            self.refused(node.msg, "this message", "it is computed only where the assertion fails", "assert without it")
            return emptied(node)
        if (problem := _unordered(own[0])) is not None:
            self.refused(problem, "this :=", "what the statement reads before it is not followed", "assign on a line of its own")
            return emptied(node)
        outer, self.state.early = self.state.early, frozenset(_read_early(own[0]))
        made = self.stated(node, field)
        self.state.early = outer
        self.lower.pops_first.left_alone(made, field)
        return made

    def stated(self, node: n.stmt, field: str | None) -> n.stmt:
        """What is left of a statement without its assignments."""
        if field:
            own = getattr(node, field)
            made: n.stmt = altered(node, **{field: self.without(self.truth(own) if field == "test" else own, node)})
        elif isinstance(node, n.Assign):  # the value first, as Python does
            value = self.without(node.value, node)
            made = altered(node, value=value, targets=[self.without(target, node) for target in node.targets])
        elif grown(node) in self.state.popping:  # parts.append(parts.pop(0)): it is the list itself, not what it holds by then, that grows
            made = altered(node, value=altered(node.value, args=[self.without(part, node) for part in node.value.args]))
        else:
            made = remade(node, lambda part: self.without(part, node) if isinstance(part, n.expr) else part)
        return made

    def truth(self, node: n.expr) -> n.expr:
        """A condition whose parts, each asked for its truth alone, say so: of a list, another answer may come later."""
        if isinstance(node, n.BoolOp) and any(map(self.moves, node.values)):
            return place(n.BoolOp(op=node.op, values=[self.truthful(part) for part in node.values]), node)
        return node

    def truthful(self, node: n.expr) -> n.expr:
        """The truth of a value."""
        if isinstance(node, n.BoolOp):
            return self.truth(node)
        if isinstance(node, (n.Compare, n.Constant)) or isinstance(node, n.UnaryOp) and isinstance(node.op, n.Not):
            return node
        if isinstance(node, n.Call) and self.scope.resolve(node.func) is bool:
            return node
        return place(expression("bool($v)", v=node) if "bool" not in self.scope.taken else expression("not not $v", v=node), node)

    def without(self, node: Any, at: n.stmt) -> Any:
        """An expression whose assignments have been appended to the block, in the order of evaluation."""
        if isinstance(node, n.Name) and node in self.state.early:
            return self.kept(node, at)
        if not self.moves(node) and not any(part in self.state.early for part in n.walk(node)):
            return node
        if isinstance(node, n.NamedExpr):
            self.lower.assignments.assign(node.target, self.without(node.value, at), at)
            given = place(expression(node.target.id), node)
            return self.kept(given, at) if node in self.state.early else given
        if isinstance(node, n.Lambda):
            return node  # when it is called
        if (found := self.searched(node, at)) is not None:
            return found
        if isinstance(node, n.COMPREHENSIONS):
            return self.passed(node)
        if isinstance(node, n.Compare) and any(map(self.moves, node.comparators[1:])):  # a < b < c: c is asked only where a < b
            left, middle = self.kept(self.without(node.left, at), at), self.kept(self.without(node.comparators[0], at), at)
            first = place(n.Compare(left=left, ops=node.ops[:1], comparators=[middle]), node)
            rest = place(n.Compare(left=middle, ops=node.ops[1:], comparators=node.comparators[1:]), node)
            return self.without(place(n.BoolOp(op=n.And(), values=[first, rest]), node), at)
        if isinstance(node, n.BoolOp) and any(map(self.moves, node.values[1:])):
            given = self.kept(self.without(node.values[0], at), at)
            self.further(given, node, 1, at)
            return given
        if isinstance(node, n.IfExp) and (self.moves(node.body) or self.moves(node.orelse)):
            target = self.scope.fresh("t")
            test = self.without(node.test, at)
            blocks = []
            for part in (node.body, node.orelse):
                with self.state.apart() as block:
                    self.bound(target, self.value(self.without(part, at)), at)
                blocks.append(block)
            self.state.out.append(place(n.If(test=test, body=blocks[0], orelse=blocks[1]), at))
            return expression(target)
        made = remade(node, lambda part: self.without(part, at))
        taken = isinstance(node, n.Call) and self.is_inner(node) or self.lower.pops_first.asks(node)
        return self.kept(made, at) if taken else made

    def further(self, given: n.expr, node: n.BoolOp, position: int, at: n.stmt) -> None:
        """``a and b and c`` from a position on, of which ``given`` holds what it is so far: each is asked where it matters."""
        before = node.values[position - 1]
        test = clone(given) if self.truthful(before) is before else self.truthful(clone(given))
        test = test if isinstance(node.op, n.And) else place(n.UnaryOp(op=n.Not(), operand=test), node)
        with self.state.apart() as then:
            self.bound(given.id, self.value(self.without(node.values[position], at)), at)
            if position + 1 < len(node.values):
                self.further(given, node, position + 1, at)
        self.state.out.append(place(n.If(test=test, body=then, orelse=[]), at))

    def searched(self, node: n.expr, at: n.stmt) -> n.expr | None:
        """``any`` or ``all`` of a generator that assigns as a loop that ends where they do; None of anything else."""
        function = self.scope.resolve(node.func) if isinstance(node, n.Call) else None
        if function not in (builtins.any, builtins.all) or len(node.args) != 1 or not assigns(node.args[0]):
            return None
        if not isinstance(node.args[0], n.GeneratorExp) or len(node.args[0].generators) > 1:
            return None
        found = self.scope.fresh("t")
        self.scope.flags.add(found)
        anyone = function is builtins.any
        self.state.out.append(place(statement("$t = $v", t=found, v=not anyone), at))
        text = f"if {'' if anyone else 'not '}$v:\n    $t = {anyone}\n    break"
        self.lower.comprehensions.looped(node.args[0], lambda element: statement(text, t=found, v=element))
        return expression(found)

    def passed(self, node: n.expr) -> n.expr:
        """A comprehension: what it assigns is assigned once a trip, so it is a loop, whatever it carries."""
        if self.carries(node) or not any(isinstance(part, n.NamedExpr) for part in n.walk(node)):
            return node
        if isinstance(node, n.ListComp):
            return self.lower.comprehended(node)
        return self.refused(node, "a := in here", "how often it is passed is not known", "write a loop")

    def settled(self, node: n.stmt, field: str | None) -> n.stmt:
        """The statement with another name for what it reads before a call that binds the name anew, as ``k`` in ``k + bump()``."""
        if isinstance(node, n.FunctionDef):
            return node
        parts = _in_order(getattr(node, field) if field else node)
        calls = {position: names for position, part in enumerate(parts) if isinstance(part, n.Call) and (names := self.rebinds(part))}
        last = max(calls, default=0)
        bound = set().union(*calls.values())
        later = {inner for part in parts if isinstance(part, n.COMPREHENSIONS) for inner in _each_trip(part)}  # a loop's own statements
        early = [part for part in parts[:last] if isinstance(part, n.Name) and part.id in bound and part not in later]
        updated = isinstance(node, n.AugAssign) and isinstance(node.target, n.Name) and node.target.id in bound
        if not early and not updated:
            return node
        if updated or len(calls) > 1 or isinstance(node, n.While):
            self.refused(parts[last], "a call that binds a name anew which this statement reads", "it reads what was there before the call",
                         "call it in a statement of its own")
            return emptied(node)
        kept = {part: self.bound(self.scope.fresh(part.id), part, node) for part in early}

        def other(part: Any) -> Any:
            return kept.get(part) or remade(part, other)

        if field is None:
            return other(node)  # type: ignore[no-any-return]
        return altered(node, **{field: other(getattr(node, field))})

    def rebinds(self, call: n.Call) -> set[str]:
        """The names that a call binds anew: those around an inner function that it may run, whoever has it; attributes of objects."""
        found = self.lower.construction.changed_by(call)
        seen: set[str] = set()
        inside = set().union(*(names(part) for part in n.walk(call) if isinstance(part, n.Lambda)))
        pending: list[Any] = [call]
        while pending:
            new = names(pending.pop()) - seen
            seen |= new
            for name in sorted(new):
                function = self.state.functions.get(name)  # a derivative is none: that of a function with nonlocal is refused
                if isinstance(function, Inner):
                    found |= around_of(function.tree)
                    inside |= names(function.tree)
                    pending += [function.tree, *(default for default in function.defaults.values() if isinstance(default, n.AST))]
                if (given := self.state.partly.get(name)) is not None:
                    pending += [given.callee, *given.first, *given.named.values()]
        inside &= {name for name, instance in self.state.instances.items() if not instance.path}
        return found | {local for name in inside for _, local in self.lower.construction.locals_of(name)}

    def rebound(self, body: list[n.stmt]) -> set[str]:
        """The names that a block binds anew, by itself or by what it calls."""
        parts = [part for node in body for part in n.walk(node)]
        called = [self.rebinds(part) for part in parts if isinstance(part, n.Call)]
        return self.lower.construction.attributes_stored(parts).union(*called, *map(bound_names, body))

    def moves(self, node: n.AST) -> bool:
        """Whether an expression assigns, or calls an inner function, whose statements then stand before it."""
        parts = list(n.walk(node))
        if any(isinstance(part, n.Name) and part.id in self.state.popping for part in parts):
            return True
        return assigns(node) or any(isinstance(part, n.Call) and self.is_inner(part) for part in parts)

    def is_inner(self, node: n.Call) -> bool:
        """Whether a call is of a function that the generated text has no name for, or gives one an object that is never made."""
        if isinstance(node.func, n.Name) and node.func.id in {*self.state.functions, *self.state.partly, *self.state.standing_in}:
            return True
        return self.called(node) is not None and any(self.lower.attributes.instance(argument) for argument in node.args)

    def lifted(self, node: n.expr) -> n.expr:
        """An expression that carries nothing, without calls that must be inlined: these stand in the block before it."""
        outer, self.state.popping = self.state.popping, frozenset()  # what these lose has been asked already
        lifted: n.expr = self.without(node, node) if not assigns(node) and self.moves(node) else node
        self.state.popping = outer
        return lifted

    def kept(self, node: n.expr, at: n.stmt) -> Any:
        """A new name for the value of an expression."""
        return self.bound(self.scope.fresh("t"), self.value(node), at)


def emptied(node: n.stmt) -> n.stmt:
    """What stands for a statement that is refused."""
    return place(n.Return(value=None) if isinstance(node, n.Return) else n.Pass(), node)


def assigns(node: n.AST) -> bool:
    """Whether an expression holds a ``:=`` (of a comprehension's own, too) that is passed when the expression is."""
    found = [node]
    for part in found:
        if isinstance(part, n.NamedExpr):
            return True
        if not isinstance(part, n.Lambda):
            found += n.below(part)
    return False


def _read_early(node: n.AST) -> Iterator[n.AST]:
    """The names, and the ``:=``, whose values are asked before another ``:=`` of the same expression binds the name anew."""
    seen: list[tuple[str, n.AST]] = []
    for part in _in_order(node):
        if isinstance(part, n.NamedExpr):
            own = set(n.walk(part))
            yield from (read for name, read in seen if name == part.target.id and read not in own)
            seen.append((part.target.id, part))
        elif isinstance(part, n.Name) and isinstance(part.ctx, n.Load):
            seen.append((part.id, part))


def _unordered(node: n.AST) -> n.AST | None:
    """A ``:=`` that cannot stand before its statement, for what would come before it then; None if all can."""
    parts = list(_in_order(node))
    if isinstance(node, n.AugAssign) and isinstance(node.target, n.Name):  # its value is asked first
        early = [part for part in parts if isinstance(part, n.NamedExpr) and part.target.id == node.target.id]
        if early:
            return early[0]
    keys = [key for part in parts if isinstance(part, n.Dict) for key in part.keys if key is not None and assigns(key)]
    if keys:
        return keys[0]
    whole = [part for part in parts if isinstance(part, n.COMPREHENSIONS)]
    for position, part in enumerate(parts):
        if isinstance(part, n.NamedExpr):
            around = [comprehension for comprehension in whole if any(inner is part for inner in n.walk(comprehension))]
            touched = names(around[-1] if around else part)
            for earlier in parts[:position]:
                if isinstance(earlier, n.COMPREHENSIONS) and earlier not in around and not any(earlier in n.walk(one) for one in around):
                    bound = {inner.target.id for inner in n.walk(earlier) if isinstance(inner, n.NamedExpr)}
                    if part.target.id in names(earlier) or bound & touched:
                        return part
    return None


def _each_trip(node: Any) -> Iterator[n.AST]:
    """The parts of a comprehension that are evaluated again in every trip: all but what its first loop runs over."""
    first, *rest = node.generators
    for part in (*(part for part in n.below(node) if part is not first), first.target, *first.ifs, *rest):
        yield from n.walk(part)


def _in_order(node: n.AST) -> list[n.AST]:
    """The parts of an expression as they are evaluated, each after what it is made of."""
    parts = [node.test, node.body, node.orelse] if isinstance(node, n.IfExp) else [] if isinstance(node, n.Lambda) else n.below(node)
    if isinstance(node, n.COMPREHENSIONS):
        parts = [*node.generators, *(part for part in parts if part not in node.generators)]
    if isinstance(node, n.Assign):
        parts = [node.value, *node.targets]
    found: list[n.AST] = []
    for part in parts:
        found += _in_order(part)
    found.append(node)
    return found
