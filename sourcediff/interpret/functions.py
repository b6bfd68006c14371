"""Interpret the bodies of functions and of generators, in place of their calls."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from ..analysis.scope import current
from ..core.single_exit import unify
from ..syntax import nodes as n
from ..syntax.quote import altered, clone, place, statement
from .accumulations import Accumulations
from .calls import DEEPEST
from .loop_state import Begin, Consume
from .nodes_of_values import within
from .state import Names
from .trees import RESULT, bound_in, count_loops, leaves, leaving_last, own_parts, returning_after, stopping, without_else
from .values import (
    Choice,
    Closure,
    Frame,
    Items,
    Known,
    NotInterpreted,
    OneOf,
    Recursing,
    Row,
    Run,
    Value,
)


class Functions(Accumulations):
    """The values of bodies."""

    def is_item_of_data(self, node: n.expr) -> bool:
        """Whether an expression is the variable of a loop over data (``assignments.py``)."""
        raise NotImplementedError

    trees: dict[Any, Any]  # functions as they are written, and as they are interpreted

    def function(self, closure: Closure, args: Sequence[Value], named: dict[str, Value], node: n.expr) -> Value:
        """The body of a function in place of its call; of a generator what gives its items."""
        tree = self.with_one_exit(closure.tree, closure.function)
        if sum(frame.tree is not None for frame in self.state.frames) > DEEPEST:
            raise NotInterpreted("calls within calls")
        deep = sum(frame.tree is tree for frame in self.state.frames)
        if deep > 12 or deep > 4 and len(self.begun) >= deep:  # each loop on the way is interpreted twice
            raise Recursing(closure.function)
        body = [tree.body] if isinstance(tree, n.Lambda) else tree.body
        inner = [part for statement_ in body for part in n.walk(statement_)]
        outer = frozenset(name for part in own_parts(tree) if isinstance(part, n.Nonlocal) for name in part.names)
        bound = bound_in(tree)
        frame = Frame(self.state.new({}), bound, closure.function, closure.frame, tree, closure.owner, outer)
        lasting = any(isinstance(part, n.SCOPES) for part in inner)
        yields = any(isinstance(part, (n.Yield, n.YieldFrom)) for part in inner)
        values = self.arguments(tree, closure, list(args), named)
        often = {part.id for part in inner if isinstance(part, n.Name) and isinstance(part.ctx, n.Store)}
        for name, value in values.items():
            binds = isinstance(value, Run) and (name in often or not self.steady(value) or yields and not self.is_item_of_data(value.node))
            if isinstance(value, Run) and binds:
                self.state.store((frame.identity, name), value, name)
                if name not in often and (self.outside.path(value.node) is not None or isinstance(value.node, (n.Call, n.BinOp))):
                    self.state.stands[self.state.name_of((frame.identity, name), name)] = value.node
            else:
                self.state.held[frame.identity][name] = self.state.pinned(value) if isinstance(value, (Choice, OneOf, Row)) else value
        if any(isinstance(part, (n.Yield, n.YieldFrom)) for part in own_parts(tree)):
            return Items("generator", [frame, closure], self.state.new({}))
        self.state.frames = [*self.state.frames, frame]
        loops, self.loops, base = self.loops, [*self.loops], self.base
        self.base = len(loops)
        at = self.state.at
        try:
            if isinstance(tree, n.Lambda):
                result = self.value(tree.body)
            else:
                self.block(tree.body)
                result = self.state.held[frame.identity].get(RESULT, Known(None))
        finally:
            self.loops, self.base = loops, base
        self.state.at = at
        self.state.frames = [each for each in self.state.frames if each is not frame]
        if lasting and frame.identity in within(self.state.held, [result, *self.state.roots().values()]):
            for name, value in self.state.held[frame.identity].items():
                if isinstance(value, Run) and name not in often:
                    self.state.held[frame.identity][name] = self.state.pinned(value)
        return result

    def with_one_exit(self, tree: Any, function: Any) -> Any:
        """A function of which no loop has a return or an ``else``; it has the one tree for all calls. ``function``: whose names."""
        if tree not in self.trees:
            self.trees[tree], whole = tree, tree
            parts = own_parts(tree)
            if any(is_counting(part, function) for part in parts):
                taken = Names({part.id for part in n.walk(tree) if isinstance(part, n.Name)})
                tree = altered(tree, body=count_loops(tree.body, lambda node: is_counting(node, function), taken.fresh))
                self.trees[whole] = tree
                parts = own_parts(tree)
            loops = [part for part in parts if isinstance(part, (n.For, n.While))]
            inner = [part for loop in loops for part in own_parts(loop)]
            made = tree
            if any(isinstance(part, n.Return) for part in inner) or any(loop.orelse for loop in loops):
                yields = any(isinstance(part, (n.Yield, n.YieldFrom)) for part in parts)
                if yields or not any(isinstance(part, (n.Try, n.With)) for part in parts):
                    made = altered(tree, body=leaving_last(tree.body) if yields else returning_after(tree.body))
                names_ = Names({part.id for part in n.walk(tree) if isinstance(part, n.Name)})
                blocks = [part for part in parts if isinstance(part, (n.Try, n.With))]  # which unify does not look into
                made = altered(tree, body=without_else(made.body if yields else tree.body, names_.fresh)) if blocks else made
                if not leaves(blocks) and not yields:
                    made = altered(made, body=unify(clone(made).body, names_.fresh("value"), names_.fresh, self.known_rows))
                self.trees[whole] = made
            return self.trees[whole]
        return self.trees[tree]

    def steady(self, value: Run) -> bool:
        """Whether an argument may stand in place of a parameter: nothing changes it while the function runs."""
        node = value.node
        if isinstance(node, n.Constant) or isinstance(node, n.Name) and node.id in self.state.final | self.outside.own.keys():
            return True
        trees = [frame.tree for frame in self.state.frames if frame.tree is not None]
        if not isinstance(node, n.Name) or any(isinstance(part, n.Nonlocal) for tree in trees for part in n.walk(tree)):
            return False
        places = ((frame.identity, name) for frame in self.state.frames for name in frame.bound)
        return any(self.state.named.get(where) == node.id for where in places)

    def arguments(self, tree: Any, closure: Closure, args: list[Value], named: dict[str, Value]) -> dict[str, Value]:
        """The values of the parameters of a function."""
        given = tree.args
        positional = [part.id for part in (*given.posonlyargs, *given.args)]
        values: dict[str, Value] = dict(zip(positional, args))
        if len(args) > len(positional):
            if given.vararg is None:
                raise NotInterpreted("too many arguments")
        if given.vararg is not None:
            values[given.vararg.id] = self.structure(tuple, args[len(positional):])
        others: dict[Any, Value] = {}
        for name, value in named.items():
            if name in values:
                raise NotInterpreted("an argument that is given twice")
            if name in positional or name in [part.id for part in given.kwonlyargs]:
                values[name] = value
            elif given.kwarg is not None:
                others[name] = value
            else:
                raise NotInterpreted(f"an argument {name} that there is not")
        if given.kwarg is not None:
            values[given.kwarg.id] = self.structure(dict, others)
        for name in (*positional, *(part.id for part in given.kwonlyargs)):
            if name not in values:
                if name not in closure.defaults:
                    raise NotInterpreted(f"no argument {name}")
                values[name] = closure.defaults[name]
        return values

    def generate(self, value: Items, consume: Consume, stops: bool = False, begin: Begin | None = None) -> Any:
        """Run a generator, what consumes its items in place of each ``yield``; where that ``stops`` it, there is a flag that says so.
        ``begin`` runs its body, or does not.
        """
        frame, _ = value.parts
        if frame.identity in self.consumers:
            raise NotInterpreted("a generator that is asked twice")
        user, flag = self.state.frames[-1], ""
        if stops:
            flag, tree = self.stoppable(frame.tree)
            frame = frame._replace(bound=bound_in(tree), tree=tree)
        self.consumers[frame.identity] = (consume, user, flag)
        self.state.frames = [*self.state.frames, frame]
        base, self.base = self.base, len(self.loops) + 1
        self.loops.append(None)
        try:
            ended = (begin or self.block)(frame.tree.body)
        finally:
            self.base = base
            self.loops.pop()
            del self.consumers[frame.identity]
            self.state.frames = [each for each in self.state.frames if each is not frame]
        return None if ended == "return" else ended

    def stoppable(self, tree: Any) -> tuple[str, Any]:
        """A generator that returns after an item if a flag is set; the flag's name."""
        if ("stops", tree) not in self.trees:
            taken = Names({part.id for part in n.walk(tree) if isinstance(part, n.Name)})
            flag = taken.fresh("stopped")
            if any(isinstance(part, (n.Try, n.With)) for part in own_parts(tree)):
                raise NotInterpreted("a generator that is left in a block")
            body = [place(statement("$f = False", f=flag), tree.body[0]), *unify(stopping(tree.body, flag, taken.fresh), fresh=taken.fresh)]
            self.trees["stops", tree] = flag, altered(tree, body=body)
        found: tuple[str, Any] = self.trees["stops", tree]
        return found

    def yielded(self, item: Value) -> Any:
        """An item of the generator at hand: what consumes it, here."""
        frame = self.state.frames[-1]
        while frame.identity not in self.consumers:
            if frame.around is None:
                raise NotInterpreted("a yield")
            frame = frame.around
        consume, user, flag = self.consumers[frame.identity]
        outer, flags = self.state.frames, self.flags
        self.state.frames = [*outer, user]
        self.flags = (*flags, (len(self.loops), frame.identity, flag)) if flag else flags
        item = self.state.pinned(item)
        ended = consume(item)
        self.state.frames, self.flags = outer, flags
        if ended not in (None, "continue"):
            raise NotInterpreted("a loop over a generator that is left")
        return None


def is_counting(node: n.AST, function: Any) -> bool:
    """Whether a statement is a loop over ``itertools.count`` that a ``return`` ends."""
    if not isinstance(node, n.For) or not isinstance(node.iter, n.Call) or node.iter.keywords or node.orelse:
        return False
    if not any(isinstance(part, n.Return) for part in own_parts(node)):
        return False
    called = node.iter.func
    owner = current(function, called.value.id) if isinstance(called, n.Attribute) and isinstance(called.value, n.Name) else None
    found = current(function, called.id) if isinstance(called, n.Name) else getattr(owner, "count", None) if owner is itertools else None
    return found is itertools.count
