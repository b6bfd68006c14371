"""Interpret blocks that do something when they are left: tries, managers, and ways out of them."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..syntax import nodes as n
from ..syntax.quote import altered, clone, place
from ..syntax.source import read
from .assignments import Assignments
from .state import Block
from .trees import ends_with_items, ends_with_return, leaves, own_parts
from .values import (
    LOST,
    Final,
    Items,
    Known,
    NotInterpreted,
    Raised,
    Run,
    Structure,
    Value,
)

FILTERS = (warnings.simplefilter, warnings.filterwarnings)


SHOWING = ("ignore", "default", "always", "module", "once")
"""What sets the filters of warnings, and the actions with which a warning is none or is shown."""


class WaysOut(Assignments):
    """What blocks do that are left."""

    def begun_block(self, node: Any, rest: Block) -> Any:
        """The statements of a block that may be left, begun: what is done at its end is noted. Of one that stays one in the text, which is
        left at its end alone, how it ends.
        """
        node = self.suppressing(node)
        if isinstance(node, n.Try):
            if node.handlers and ends_with_return([*node.body, *node.orelse]):
                return self._Try(node)
            body: list[Any] = [*node.body, *node.orelse]
            if node.handlers and len(body) > 1 and isinstance(body[-1], (n.Break, n.Continue)) and not leaves(body[:-1]):  # neither raises
                return self.block([altered(node, body=body[:-1], orelse=[]), body[-1]])
            if node.handlers or leaves(node.finalbody):
                raise NotInterpreted("leaving a try")
            self.push(lambda: self.block(node.finalbody))
            return [*node.body, *node.orelse]
        item, *others = node.items
        manager = self.state.as_whole(self.value(item.context_expr))
        if isinstance(manager, Run) and ends_with_return(node.body):
            return self.managed(node, manager)
        parts = [part for statement_ in node.body for part in n.walk(statement_)]
        quiet = isinstance(manager, Run) and isinstance(manager.node, n.Call) and self.outside.meant(manager.node.func) is np.errstate
        if quiet and not any(isinstance(part, (n.Break, n.Continue)) for part in parts):
            return self.managed(altered(node, body=[*node.body, *rest]), manager)  # what follows is quiet, too
        if not isinstance(manager, Structure) or is_catching(self.member(manager.kind, "__exit__")):
            raise NotInterpreted("a block with a manager that is left")
        value = self.called(self.attribute(manager, "__enter__", node), [], {}, node)
        self.push(lambda: self.called(self.attribute(manager, "__exit__", node), [Known(None)] * 3, {}, node))
        if item.optional_vars is not None:
            self.assign(item.optional_vars, value)
        return [altered(node, items=others)] if others else node.body

    def suppressing(self, node: Any) -> Any:
        """A block with ``contextlib.suppress`` as one of which exceptions are caught; any other one as it is."""
        call = node.items[0].context_expr if isinstance(node, n.With) and len(node.items) == 1 else None
        if not isinstance(call, n.Call) or not isinstance(call.func, (n.Name, n.Attribute)):
            return node
        function = self.value(call.func)
        if not isinstance(function, Known) or function.object is not contextlib.suppress:
            return node
        caught = n.ExceptHandler(type=n.Tuple(elts=call.args, ctx=n.Load()), name=None, body=[n.Pass()])
        return place(n.Try(body=node.body, handlers=[caught], orelse=[], finalbody=[]), node)

    def push(self, run: Callable[[], Any]) -> None:
        """Note what is done when the block that begins is left."""
        self.state.finals = (*self.state.finals, Final(self.state.frames[-1].identity, len(self.loops), run))

    def finish(self, first: int) -> None:
        """Do what is done at the end of the blocks from the ``first`` one on, the innermost first; they are over."""
        while len(self.state.finals) > first:
            *others, final = self.state.finals
            self.state.finals = tuple(others)
            final.run()

    catching: list[tuple[int, int, Any]]
    """The blocks around of which exceptions are caught: how many loops and branches, and blocks with an end, were around each, and its
    handlers with the exceptions that each catches.
    """

    trying = 0
    """How many blocks are around of which an exception is caught."""

    def leaves(self, node: n.stmt, how: str) -> Any:
        """The end of a trip, or of a loop: in a loop of the text it is written."""
        loop = self.loops[-1]
        frame = self.state.frames[-1].identity
        over = [number for number, final in enumerate(self.state.finals) if final.frame == frame and final.loops == len(self.loops)]
        if over:
            self.finish(over[0])
        if how == "break" and self.flags and self.flags[-1][0] == len(self.loops):
            return self.stop()
        if loop is None or how == "continue" and loop.frame is not self.state.frames[-1]:
            return how
        if loop.frame is not self.state.frames[-1]:
            running = [frame for frame in self.state.frames if frame.identity in self.consumers]
            if loop.frame not in running or not all(ends_with_items(frame.tree) for frame in running):
                raise NotInterpreted(f"{how} in a loop over a generator")
        loop.left, loop.broken = True, loop.broken or how == "break"
        self.settle(loop)
        for where, value in self.show_new(loop, how == "break").items():
            former = loop.bound.get(where, value)
            loop.bound[where] = value if former is not LOST and isinstance(former, Structure) == isinstance(value, Structure) else LOST
        self.state.emit(place(clone(node), node))
        return "left"

    def _With(self, node: Any) -> Any:
        """A block with a manager: of a generator of the user's it stands in place of the ``yield``; of others it stays one, if it can."""
        if isinstance(tried := self.suppressing(node), n.Try):
            return self._Try(tried)
        with self.closing():
            return self.with_manager(node)

    def with_manager(self, node: Any) -> Any:
        """The same, within what is closed."""
        item, *others = node.items
        body = node.body if not others else [altered(node, items=others)]
        manager = self.state.as_whole(self.value(item.context_expr))
        if isinstance(manager, Items) and manager.kind == "manager":
            times = 0

            def once(value: Value) -> Any:
                nonlocal times
                times += 1
                outer = self.state.frames
                self.state.frames = [*outer, frame]
                if item.optional_vars is not None:
                    self.assign(item.optional_vars, value)
                ended = self.block(body)
                self.state.frames = outer
                return ended

            frame = self.state.frames[-1]
            ended = self.generate(manager, once)
            if times != 1:
                raise NotInterpreted("a manager that yields more than once")
            return ended
        if isinstance(manager, Structure):
            value = self.called(self.attribute(manager, "__enter__", node), [], {}, node)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value)
            if is_catching(self.member(manager.kind, "__exit__")):
                ended = self.tried(lambda: self.block(body), [n.ExceptHandler(type=None, name=None, body=[n.Pass()])], node)
            else:
                ended = self.block(body)
            if ended == "left":
                return "left"
            self.called(self.attribute(manager, "__exit__", node), [Known(None)] * 3, {}, node)
            return None
        return self.managed(node, manager)

    def managed(self, node: Any, manager: Value) -> Any:
        """A block with a manager of the text."""
        item, *others = node.items
        body = node.body if not others else [altered(node, items=others)]
        text = self.text(manager)
        if self.state.carries(text) or item.optional_vars is not None:
            raise NotInterpreted("a manager that is not known")
        if isinstance(text, n.Call) and not text.args and not text.keywords and self.outside.meant(text.func) is warnings.catch_warnings:
            return self.block([part for part in body if not self.is_filter(part)])
        self.trying += 1
        try:
            with self.state.block() as block:
                ended = self.block(body)
        finally:
            self.trying -= 1
        self.state.emit(place(altered(node, items=[altered(item, context_expr=text)], body=block or [n.Pass()]), node))
        return ended

    def is_filter(self, node: n.stmt) -> bool:
        """Whether a statement says which warnings are shown, and makes no error of one."""
        call = node.value if isinstance(node, n.Expr) else None
        if not isinstance(call, n.Call) or not isinstance(call.func, (n.Name, n.Attribute)):
            return False
        function = self.value(call.func)
        if not isinstance(function, Known) or not any(function.object is each for each in FILTERS):
            return False
        if not call.args or not isinstance(call.args[0], n.Constant) or call.args[0].value not in SHOWING:
            raise NotInterpreted("a warning that becomes an error")
        return True

    def _Try(self, node: Any) -> Any:
        """A block of which the way without exceptions is taken: the text says what would be caught."""
        if leaves(node.finalbody):
            raise NotInterpreted("leaving a finally")
        if (branch := self.entry_or_else(node)) is not None:
            return self.block([branch])
        if node.finalbody:
            with self.closing():
                return self.tried_at_last(node)
        return self.tried_at_last(node)

    def entry_or_else(self, node: Any) -> n.If | None:
        """The branch that asks first whether a dict has an entry, for a ``try`` that reads it and does something else where it has not."""
        handler = node.handlers[0] if len(node.handlers) == 1 else None
        first = node.body[0] if len(node.body) == 1 else None
        read = first.value if isinstance(first, (n.Assign, n.Return)) else None
        if handler is None or handler.type is None or handler.name or node.finalbody or not isinstance(read, n.Subscript):
            return None
        again = any(isinstance(part, n.Raise) and part.exc is None for part in n.walk(handler))
        targets = first.targets if isinstance(first, n.Assign) else []
        if again or not all(isinstance(target, n.Name) for target in targets) or not isinstance(read.value, (n.Name, n.Attribute)):
            return None
        if any(isinstance(part, (n.Call, n.NamedExpr, n.Subscript, *n.SCOPES)) for part in n.walk(read.slice)):
            return None
        kind, owner = self.value(handler.type), self.value(read.value)
        if not isinstance(kind, Known) or kind.object is not KeyError or self.factory_of(owner) is not None:
            return None
        known = self.outside.known(owner.node) if isinstance(owner, Run) else None
        own = isinstance(owner, Run) and isinstance(owner.node, n.Name) and owner.node.id in self.state.dicts
        plain = known is not None and known.kind == "mapping" and known.dtype is None  # no defaultdict, which raises nothing
        if not own and not plain and not (isinstance(owner, Structure) and owner.kind is dict):
            return None
        test = place(n.Compare(left=clone(read.slice), ops=[n.In()], comparators=[clone(read.value)]), node)
        return place(n.If(test=test, body=[*node.body, *node.orelse], orelse=handler.body), node)

    closed = 0
    """How many blocks are around that do something when they are left, whatever leaves them."""

    @contextlib.contextmanager
    def closing(self) -> Iterator[None]:
        """A block that does something when it is left."""
        self.closed += 1
        try:
            yield
        finally:
            self.closed -= 1

    def tried_at_last(self, node: Any) -> Any:
        """The same, within what is closed."""
        body: Block = [*node.body, *node.orelse]
        if not node.handlers:
            if (ended := self.block(body)) not in (None, "return"):
                return ended
            return self.block(node.finalbody) or ended
        handlers, caught = [], []
        for handler in node.handlers:
            kind = None if handler.type is None else self.value(handler.type)
            handlers.append(altered(handler, type=None if kind is None else self.text(kind), name=None, body=[n.Pass()]))
            again = any(isinstance(part, n.Raise) and part.exc is None for part in n.walk(handler))
            plain = not (node.orelse or again or node.finalbody and leaves(handler.body))
            caught.append((self.kinds_of(kind) if plain else None, handler))
        ended = self.tried(lambda: self.block(body), handlers, node, caught)
        return self.block(node.finalbody) or ended if ended in (None, "return") else ended

    def kinds_of(self, value: Value | None) -> tuple[type, ...] | None:
        """The exceptions that a handler catches, None where they are not known."""
        if value is None:
            return (BaseException,)
        parts = self.parts(value) if isinstance(value, Structure) and value.kind is tuple else [value]
        kinds = tuple(part.object for part in parts if isinstance(part, Known) and isinstance(part.object, type))
        return kinds if len(kinds) == len(parts) else None

    def raises(self, kind: type) -> None:
        """Leave for the ``try`` that catches an exception, if it is certainly raised in it: in no branch and no loop of the text."""
        for level, (deep, closed, caught) in reversed([*enumerate(self.catching)]):
            for kinds, handler in caught:
                if kinds is None or issubclass(kind, kinds):
                    if kinds is None or self.deep > deep or self.closed + len(self.state.finals) > closed or handler.name is not None:
                        return
                    raise Raised(level, handler)

    def tried(self, run: Callable[[], Any], handlers: list[Any], node: Any, caught: Any = ()) -> Any:
        """What a block does of which exceptions are caught: all that it computes is computed within it."""
        frames, depth, loops, base = self.state.frames, len(self.state.waiting), [*self.loops], self.base
        asked = self.wanting, self.one_by_one
        level, ended, handler = len(self.catching), None, None
        self.catching.append((self.deep, self.closed + len(self.state.finals), caught))
        self.trying += 1
        try:
            with self.state.block() as block:
                try:
                    ended = run()
                except Raised as raised:
                    if raised.level != level:
                        raise
                    handler = raised.handler
                    self.state.frames, self.loops, self.base = frames, loops, base
                    self.wanting, self.one_by_one = asked
                    del self.state.waiting[depth:]
        finally:
            self.trying -= 1
            self.catching.pop()
        if block:
            self.state.emit(place(n.Try(body=block, handlers=handlers, orelse=[], finalbody=[]), node))
        return ended if handler is None else self.block(handler.body)


def is_catching(function: Any) -> bool:
    """Whether the ``__exit__`` of a manager may say that an exception ends there."""
    returned = [part.value for part in own_parts(read(function).tree) if isinstance(part, n.Return) and part.value is not None]
    return any(not isinstance(value, n.Constant) or bool(value.value) for value in returned)
