"""Interpret statements and bodies.

What ends a block early is returned: ``"return"``, ``"break"``, ``"continue"``; ``"left"`` if the text says it.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from ..analysis.scope import imported_names
from ..syntax import nodes as n
from ..syntax.quote import altered, expression, place
from .join import joined
from .loop_state import TRIPS
from .state import Block
from .trees import RESULT, leaves, may_be_left
from .values import (
    Items,
    Kept,
    Known,
    NotInterpreted,
    Run,
    Structure,
    TooLong,
    Unsettled,
    Value,
)
from .ways_out import WaysOut

CONSTANTS = ("math", "cmath", "numpy", "scipy.constants")
"""The modules of which the numbers are constants."""


class Leaving(n.Pass):  # type: ignore[misc]
    """The end of a block, where what is done when it is left is done."""


class Acting(Exception):
    """A test of a loop that does more than look."""


class Statements(WaysOut):
    """What statements do."""

    imports: dict[str, n.stmt]  # what imports a function in the text, by its name there

    def block(self, body: Block) -> Any:
        """Interpret statements one after the other."""
        for number, node in enumerate(body):
            if isinstance(node, n.If):
                test = self.condition(node.test)
                known = self.truth(test)
                rest = body[number + 1:]
                if known is not None:
                    if (ended := self.block(node.body if known else node.orelse)) is not None:
                        return ended
                    continue
                self.state.at = node
                left = leaves([node])
                ended = self.either_block(test, node, rest if left else [])
                if left or ended is not None:
                    return ended
                continue
            if isinstance(node, Leaving):
                self.finish(len(self.state.finals) - 1)
            elif isinstance(node, (n.With, n.Try)) and may_be_left(node):
                begun = self.begun_block(node, body[number + 1:])
                return begun if isinstance(begun, str) else self.block([*begun, Leaving(), *body[number + 1:]])
            elif (ended := self.statement(node)) is not None:
                return ended
        return None

    def either_block(self, test: Value, node: Any, rest: Block) -> Any:
        """The one or the other block of an ``if``, and then the rest."""
        return self.branch(test, lambda: self.block([*node.body, *rest]), lambda: self.block([*node.orelse, *rest]), node)

    def branch(self, test: Value, first: Callable[[], Any], second: Callable[[], Any], at: n.AST) -> Any:
        """What two blocks do, by a test; what ends them early is returned."""
        if (known := self.truth(test)) is not None:
            return first() if known else second()
        return self.rerun(lambda: self.branched(test, first, second, at))

    def branched(self, test: Value, first: Callable[[], Any], second: Callable[[], Any], at: n.AST) -> Any:
        """What two blocks do, by a test that runs."""
        node = self.text(test)
        state = self.state
        before, given = state.saved(), set(state.used_up)
        found, used_up = [], set(state.used_up)
        for each in (first, second):
            state.restore(before)
            state.used_up = set(given)
            with state.block() as block, self.within():
                ended = each()
                found.append((block, ended, state.held, state.roots()))
            used_up |= state.used_up
        state.used_up = used_up
        (one, ended, held, roots), (two, other, held2, roots2) = found
        if ended == "left" or other == "left":
            state.held = held2 if ended == "left" else held
            result = other if ended == "left" else ended
        elif ended != other and not self.alike(ended, other):
            raise NotInterpreted("a block that ends in several ways")
        else:
            if ended != other and RESULT in (ended, other):
                for ends, parts, its in ((ended, held, roots), (other, held2, roots2)):
                    frame = state.frames[-1]
                    if ends is None:
                        parts[frame.identity][RESULT] = its[frame.identity, RESULT] = Known(None)
            state.held = joined(state, [(one, held, roots), (two, held2, roots2)])
            result = ended or other
        self.write_if(node, one, two, at)
        return result

    def alike(self, one: Any, other: Any) -> bool:
        """Whether two ends are one, since nothing follows."""
        return {one, other} == {None, "continue"} or {one, other} == {None, "return"} and len(self.loops) == self.base

    def statement(self, node: n.stmt) -> Any:
        """Interpret one statement."""
        method = getattr(self, f"_{type(node).__name__}", None)
        self.state.at = node
        if method is None:
            raise NotInterpreted(f"a {type(node).__name__.lower()} statement")
        return method(node)

    def _Expr(self, node: Any) -> Any:
        if isinstance(node.value, n.Yield):
            return self.yielded(self.value(node.value.value) if node.value.value else Known(None))
        if isinstance(node.value, n.YieldFrom):
            return self.drive(self.value(node.value.value), self.yielded, node)
        if isinstance(node.value, (n.BoolOp, n.IfExp)):
            return self.block([as_branch(node)])
        if isinstance(node.value, n.Tuple) and not any(isinstance(part, n.Starred) for part in node.value.elts):
            return self.block([place(n.Expr(value=part), part) for part in node.value.elts])
        value = self.state.as_whole(self.value(node.value))
        said = (n.Call, n.Subscript, n.Attribute, n.BinOp) if self.trying else n.Call
        if isinstance(value, Run) and any(isinstance(part, said) for part in n.walk(value.node)):
            self.state.emit(place(n.Expr(value=value.node), node))
        return None

    def _Pass(self, node: Any) -> Any:
        return None

    def _Assert(self, node: Any) -> Any:
        test = self.condition(node.test)
        if self.truth(test) is True:
            return None
        text, said = self.text(test), None
        if node.msg is not None:
            saved = self.state.saved()
            with self.state.block() as block:
                said = self.text(self.shown(self.value(node.msg)))
            said = self.with_values(block, said)
            if block or self.state.changed(saved):
                raise NotInterpreted("what an assert says")
        self.state.emit(place(n.Assert(test=text, msg=said), node))
        return None

    def _Raise(self, node: Any) -> Any:
        kind = None if node.exc is None else self.value(node.exc.func if isinstance(node.exc, n.Call) else node.exc)
        if isinstance(kind, Known) and isinstance(kind.object, type) and issubclass(kind.object, BaseException):
            self.raises(kind.object)
        value, cause = (None if part is None else self.text(self.state.as_whole(self.value(part))) for part in (node.exc, node.cause))
        self.state.emit(place(n.Raise(exc=value, cause=cause), node))
        return "left"

    def _Import(self, node: Any) -> Any:
        frame = self.state.frames[-1]
        for alias in node.names:
            called = alias.asname or alias.name.split(".")[0]
            try:
                value = imported_names(altered(node, names=[alias]))[called]
            except (ImportError, AttributeError, KeyError):
                raise NotInterpreted("this import inside of a function") from None
            if isinstance(value, float) and getattr(node, "module", "") in CONSTANTS:
                self.state.held[frame.identity][called] = Known(value)
                continue
            if not isinstance(value, types.ModuleType) and not callable(value):
                raise NotInterpreted("an import of what is no function")
            shown = next((name for name, other in self.outside.own.items() if other is value), None)
            if shown is None:
                shown = self.state.fresh(called)
                self.outside.own[shown] = value
                self.state.final.add(shown)
                whole = "." in alias.name and alias.asname is None and isinstance(node, n.Import)
                said = [alias] if whole or shown == called else [altered(alias, asname=shown)]
                self.imports[shown] = place(altered(node, names=said), node)
            self.state.held[frame.identity][called] = Known(value, expression(shown))
        return None

    _ImportFrom = _Import

    def _Global(self, node: Any) -> Any:
        if not self.state.frames[-1].bound.isdisjoint(node.names):
            raise NotInterpreted("a global that is bound")
        return None

    def _Nonlocal(self, node: Any) -> Any:
        if self.state.frames[-1].around is None:
            raise NotInterpreted("a nonlocal of a function that is around")
        return None

    def _FunctionDef(self, node: Any) -> Any:
        given = [part for part in node.decorator_list if not (isinstance(part, n.Call) and self.is_wraps(part.func))]
        decorators = [self.state.pinned(value) for value in self.several(given)]
        value: Value = self.closure(node, node.args)
        for decorator in reversed(decorators):
            value = self.called(decorator, [value], {}, node)
        self.assign(expression(node.name), value)
        return None

    def is_wraps(self, node: n.expr) -> bool:
        """Whether an expression is ``functools.wraps``, which changes no result."""
        value = self.value(node) if isinstance(node, (n.Name, n.Attribute)) else None
        return isinstance(value, Known) and value.object is functools.wraps

    def _Return(self, node: Any) -> Any:
        if any(loop is not None and loop.frame is self.state.frames[-1] for loop in self.loops):
            raise NotInterpreted("a return in a loop")
        value = Known(None) if node.value is None else self.value(node.value)
        frame = self.state.frames[-1].identity
        over = [number for number, final in enumerate(self.state.finals) if final.frame == frame]
        self.state.held[frame][RESULT] = self.state.pinned(value) if self.trying or over else value
        if over:
            self.finish(over[0])
        return "return"

    def _Break(self, node: Any) -> Any:
        return self.leaves(node, "break")

    def _Continue(self, node: Any) -> Any:
        return self.leaves(node, "continue")

    def _For(self, node: Any) -> Any:
        return self.with_replacement(lambda: self.for_loop(node))

    def _While(self, node: Any) -> Any:
        return self.with_replacement(lambda: self.while_loop(node))

    def for_loop(self, node: Any) -> Any:
        """A loop over items."""
        if node.orelse:
            raise NotInterpreted("else of a loop")
        if self.one_by_one and not any(isinstance(part, (n.Yield, n.YieldFrom)) for part in n.walk(node)):
            with self.as_they_run():
                return self.for_loop(node)
        iterable = self.state.as_whole(self.value(node.iter))
        iterable = self.state.pinned(iterable) if not isinstance(iterable, Run) else iterable
        frame = self.state.frames[-1]

        def one(item: Value | None) -> Any:
            outer = self.state.frames
            self.state.frames = outer if outer[-1] is frame else [*outer, frame]
            if item is not None:
                self.assign(node.target, item)
            ended = self.block(node.body)
            self.state.frames = outer
            return None if ended == "continue" else ended

        self.state.waiting.append([iterable])
        saved, count, outer_loops = self.state.saved(), len(self.loops), self.odd
        depth = len(self.state.waiting) - 1
        try:
            return self.drive(iterable, one, node, node.target)
        except (Unsettled, NotInterpreted) as problem:
            if isinstance(iterable, Structure) and iterable.kind in (list, tuple) and leaves(node.body) and not self.known_ones:
                del self.loops[count:]
                del self.state.waiting[depth:]
                self.state.abandon(saved)
                if self.holds_changing(self.structure(tuple, self.parts(iterable))) and not self.one_by_one:
                    self.state.waiting.append([iterable])
                    return self.written_out_flagged(self.parts(iterable), one, node)
                self.state.waiting.append([])
                whole = self.become_text(iterable) if iterable.kind is list else self.tuple_text(iterable)
                return self.drive(whole, one, node, node.target)
            flagged = isinstance(iterable, (Items, Known)) and leaves(node.body)
            if not isinstance(iterable, (Items, Known, Run)) or not flagged and self.text_of(iterable) is None or outer_loops:
                raise problem
            del self.loops[count:]
            del self.state.waiting[depth:]
            self.state.abandon(saved)
            self.state.waiting.append([iterable])
            items = self.items_of(iterable)
            if items is None:
                raise
            try:
                return self.taken_ahead(iterable, lambda: self.written_out_flagged(items, one, node) if flagged else (
                    self.written_out(items, one)), node)
            except TooLong:
                if self.first:
                    raise
                raise problem from None
        finally:
            self.state.waiting.pop()

    def while_loop(self, node: Any) -> Any:
        """A loop under a condition."""
        if node.orelse:
            raise NotInterpreted("else of a loop")
        if self.one_by_one:
            raise Kept

        shown: Any = None

        def body() -> Any:
            nonlocal shown
            saved = self.state.saved()
            test = self.condition(node.test)
            if self.state.out or self.state.changed(saved):
                raise Acting
            shown = self.text(test)
            return self.block(node.body)

        saved, count, depth = self.state.saved(), len(self.loops), len(self.state.waiting)
        if isinstance(node.test, n.Compare):
            runs = self.truth(self.condition(node.test))
            if runs is False and not self.state.changed(saved):
                return None
            self.state.abandon(saved)
        try:
            return self.looped(body, lambda block: place(n.While(test=shown, body=block or [n.Pass()], orelse=[]), node))
        except Acting:
            del self.loops[count:]
            del self.state.waiting[depth:]
            self.state.abandon(saved)
        except (NotInterpreted, Unsettled) as problem:
            del self.loops[count:]
            del self.state.waiting[depth:]
            self.state.abandon(saved)
            if self.truth(self.condition(node.test)) is not True or isinstance(node.test, n.Constant) and not self.now:
                raise problem
            return self.repeated(node, problem)
        leaves = place(n.If(test=node.test, body=[n.Pass()], orelse=[place(n.Break(), node)]), node)
        return self.while_loop(place(altered(node, test=expression("True"), body=[leaves, *node.body]), node))


    def repeated(self, node: Any, problem: Exception) -> Any:
        """Each trip of a ``while`` after the other, as long as it is known whether there is another one."""
        self.loops.append(None)
        try:
            for _ in range(TRIPS):
                if (known := self.truth(self.condition(node.test))) is None:
                    raise problem
                ended = self.block(node.body) if known else "break"
                if ended in ("break", "return", "left"):
                    return None if ended == "break" else ended
            raise TooLong
        finally:
            self.loops.pop()


def as_branch(node: Any) -> n.stmt:
    """A statement of ``and``, ``or``, or a conditional expression as an ``if``."""
    def said(value: n.expr) -> list[n.stmt]:
        return [place(n.Expr(value=value), node)]

    value = node.value
    if isinstance(value, n.IfExp):
        return place(n.If(test=value.test, body=said(value.body), orelse=said(value.orelse)), node)
    first, *others = value.values
    rest = said(others[0] if len(others) == 1 else altered(value, values=others))
    body = rest if isinstance(value.op, n.And) else [place(n.Pass(), node)]
    return place(n.If(test=first, body=body, orelse=[] if body is rest else rest), node)
