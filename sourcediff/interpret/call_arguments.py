"""Interpret the arguments of calls that stay calls: what is given away, and what solvers hand on."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..analysis.environment.captured import is_user_function
from ..analysis.scope import MISSING
from ..runtime.user_objects import is_users
from ..syntax import nodes as n
from .text_dicts import TextDicts
from .values import Bound, Closure, Known, NotInterpreted, Run, Structure, Value

OF_TIME = ("odeint", "solve_ivp")
"""Solvers whose function takes a state and a time before what they hand on."""


class CallArguments(TextDicts):
    """What a call of the text is given."""

    def as_array(self, value: Value) -> Value:
        """A list or tuple of numbers as an array, for what takes either."""
        known = self.outside.known(value.node) if isinstance(value, Run) else None
        if known is None or known.kind != "sequence":
            if not isinstance(value, Structure) or value.kind not in (list, tuple) or any(
                    isinstance(part, Structure) for part in self.parts(value)):
                return value
        return Run(n.Call(func=self.outside.helper(np.array), args=[self.text(value)], keywords=[]))

    def with_order(self, args: list[Value], named: dict[str, Value]) -> dict[str, Value]:
        """The options of a call that puts objects of the text in order, with the key that their class goes by."""
        record = self.state.records.of_items(args[0].node) if len(args) == 1 and isinstance(args[0], Run) else None
        key = self.order_of_class(record.kind) if record is not None and "key" not in named else None
        return named if key is None else {**named, "key": key}

    def is_given_object(self, value: Value) -> bool:
        """Whether a value is an object from outside of which something is differentiated."""
        known = self.outside.known(value.node) if isinstance(value, Run) and self.state.carries(value.node) else None
        return known is not None and known.kind == "object"

    def call_of_object(self, value: Value, node: n.expr) -> Value:
        """The method that calls an object, for an object that is called; anything else as it is."""
        is_called = isinstance(value, Structure) and is_users(value.kind) and self.member(value.kind, "__call__") is not MISSING
        return self.attribute(value, "__call__", node) if is_called else value

    def with_given(self, solver: Any, args: list[Value], named: dict[str, Value]) -> tuple[list[Value], dict[str, Value]]:
        """The arguments of a solver, the dicts and objects among what it would hand on (``args=``) in the function that it calls."""
        rest = named.get("args")
        if any(isinstance(value, (Closure, Bound)) or isinstance(value, Known) and callable(value.object) for value in named.values()):
            return args, named
        if not isinstance(rest, Structure) or rest.kind is not tuple or not self.holds_changing(rest):
            return args, named
        closure, given = self.unbound(args[0])
        of = [part.id for part in (*closure.tree.args.posonlyargs, *closure.tree.args.args)][len(given.given):]
        handed = of[2 if solver.__name__ in OF_TIME else 1:]
        if len(handed) < len(self.parts(rest)) or not given.named.keys().isdisjoint(of):
            raise NotInterpreted("what a solver hands on")
        return [Bound(args[0], [], dict(zip(handed, self.parts(rest)))), *args[1:]], {
            name: value for name, value in named.items() if name != "args"}

    def of_partial(self, part: Any, node: n.expr) -> Value:
        """What a partial from outside holds."""
        if is_user_function(part):
            return self.outside.function(part)
        return self.outside.wrapped(part, (self.outside.node_of(part) if callable(part) else None) or node)

    def given_away(self, value: Value, reached: set[int]) -> Value:
        """An argument of a function that may change it or keep it: a container that is known elsewhere is one of the text."""
        if not self.holds_changing(value):
            return value
        if isinstance(value, Structure) and value.kind in (list, dict):
            return self.become_text(value) if value.identity in reached else value
        if isinstance(value, Structure) and value.kind is tuple:
            return self.structure(tuple, [self.given_away(part, reached) for part in self.parts(value)])
        raise NotInterpreted("an object is given to a function that is not known")

    def holds_changing(self, value: Value) -> bool:
        """Whether a value is a structure that a function could change."""
        return isinstance(value, Structure) and (value.kind is not tuple or any(map(self.holds_changing, self.parts(value))))
