"""What both modes write with: code at a place of the program, over names of which the abstract values are known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ... import runtime
from ...analysis.abstract import Abstract
from ...analysis.fresh import is_fresh
from ...analysis.literals import constant
from ...analysis.statements import base, binds
from ...errors import UnsupportedSyntaxError
from ...syntax import nodes as n
from ...syntax.quote import Filling, as_index, clone, expression, place, tree
from ..facts.activity import Activity
from ..facts.complexes import Complexes, holds_complex
from ..facts.values import Values
from .powers import doubtful_powers

Block = list[n.stmt]


@dataclass
class Moment:
    """Where a sweep is while it is written: shared by all that write it.

    ``values``, ``complexes``, ``activity``: the facts.
    ``pointer``: statement, problem, why, remedy → Place.
    ``runs_again``: whether the program may be run once more.
    ``last``: whether the text is what runs, and not derived again.
    ``code``: the block that is being written.
    ``at``: the statement that it belongs to.
    ``environment``: what is known of the names there.
    """

    values: Values
    complexes: Complexes
    activity: Activity
    pointer: Any
    runs_again: Callable[[], bool] = bool
    last: bool = False
    code: Block = field(default_factory=list)
    at: n.stmt | None = None
    environment: dict[str, Abstract] = field(default_factory=dict)


class Emitter:
    """Writes at a moment of a sweep."""

    def __init__(self, moment: Moment):
        self.moment = moment
        self.values, self.complexes, self.activity, self.pointer = moment.values, moment.complexes, moment.activity, moment.pointer
        self.scope = moment.values.scope
        self.helpers = moment.values.scope.helpers

    def emit(self, node: n.stmt) -> n.stmt:
        """Add a statement to the code of the moment."""
        if self.moment.at is not None:
            place(node, self.moment.at)
        self.moment.code.append(node)
        return node

    def helper(self, name: str, *args: Filling) -> n.expr:
        """A call of a helper of ``runtime/``."""
        spelled = self.scope.imported(name, getattr(runtime, name))
        return n.Call(func=expression(spelled), args=[clone(tree(argument)) for argument in args], keywords=[])

    def numpy(self, text: str, **holes: Filling) -> n.expr:
        """An expression that calls NumPy."""
        spelled = self.scope.imported("np", np)
        made = expression(text, **holes)
        return made if spelled == "np" else clone(made, {"np": expression(spelled)})

    def as_index(self, index: n.expr) -> n.expr:
        """An index as an argument of a call."""
        return as_index(index, lambda: self.scope.imported("np", np))

    def copied(self, node: Filling, known: Abstract) -> n.expr:
        """A copy of an array, or of a structure of arrays."""
        return expression("$x.copy()", x=node) if known.kind == "array" else self.helper("copied", node)

    def is_new(self, node: n.expr) -> bool:
        """Whether an expression certainly makes a new array; or is a helper's sum or selection of one, unless it is derived again."""
        function = self.helpers.get(node.func.id) if isinstance(node, n.Call) and isinstance(node.func, n.Name) else None
        passing = self.moment.last and function in (runtime.sum_to, runtime.sum_to_stored, runtime.keep_zeros)
        return function is runtime.copied or (self.is_new(node.args[0]) if passing else is_fresh(node))

    def may_be_complex(self, node: n.expr, known: Abstract | None = None) -> bool:
        """Whether the value of an expression may be complex (or hold what is)."""
        if not self.complexes.names:
            return False
        known = self.value_of(node) if known is None else known
        return known.dtype.kind == "c" if known.dtype is not None else holds_complex(known) or self.complexes.may_be(node)

    def check_entry(self, target: n.Subscript, holder: Abstract) -> None:
        """Refuse a store into what is a list or dict on one path and an array on another, and one of several entries at once."""
        outer, several = base(target) in self.scope.free, isinstance(target.slice, n.Slice) or constant(target.slice) is ...
        if outer or holder.kind == "mixed" or holder.kind == "sequence" and several:
            what, why = "this is a list on one path only", "on the other the same store means something else"
            if holder.kind != "mixed":
                what, why = "several entries of a list are stored at once", "how many there are then is not followed"
            if outer:
                what, why = "this list or dict is not the function's own", "a gradient must not change outer state"
            place_ = self.pointer(self.moment.at, what, why, "use an array, or store one entry at a time into one that the function makes")
            raise UnsupportedSyntaxError("a store into a list or dict is not taken by the compiler", places=[place_])

    @cached_property
    def made_once(self) -> dict[str, n.expr | None]:
        """By what each name is bound; None for one that is bound more than once."""
        found: dict[str, n.expr | None] = dict.fromkeys(next(iter(self.values.before.values()), {}))  # arguments, before any binding
        for node in self.values.before:
            value = node.value if isinstance(node, n.Assign) else None
            for name in binds(node) if not isinstance(node, (n.If, n.While)) else ():
                found[name] = None if name in found else value
        return found

    def checks_of_powers(self, node: n.stmt) -> list[n.expr]:
        """Calls that refuse the powers in a statement which are complex, if there may be any."""
        return [self.helper("check_power", *power) for power in doubtful_powers(node, self.values, self.made_once)]

    def value_of(self, node: n.expr) -> Abstract:
        """The abstract value of an expression at this point."""
        return self.values.remembering(node, self.moment.environment)
