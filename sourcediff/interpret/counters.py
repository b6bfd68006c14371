"""Interpret counters: attributes of objects from outside, and of classes, that are added to and read nowhere else.

The text counts where the function does, and nothing of it depends on how far.
"""

from __future__ import annotations

from typing import Any

from ..analysis.scope import MISSING
from ..runtime.counters import count_up
from ..runtime.user_objects import is_users
from ..syntax import nodes as n
from ..syntax.quote import place
from .attributes import Attributes
from .values import Known, NotInterpreted, Run, Value

LOOKING = frozenset({"vars", "getattr", "asdict", "astuple", "deepcopy", "__dict__", "setattr", "eval", "exec"})
"""Names of what may read an attribute without its name."""


class Counters(Attributes):
    """What is done to counters."""

    counters: set[str]
    """The attributes that were counted."""

    def count(self, owner: Value, target: Any, node: Any) -> None:
        """``owner.name += by`` of a number that is a counter."""
        amount = self.value(node.value)
        text = self.text(amount)
        if not self.is_counter(owner, target.attr) or not isinstance(node.op, n.Add) or self.state.carries(text):
            raise NotInterpreted("a store to an attribute of what is not made here")
        self.counters.add(target.attr)
        given = [self.text(owner), n.Constant(value=target.attr, kind=None), text]
        if isinstance(amount, Known) and amount.object == 1:
            given.pop()
        self.state.emit(place(n.Expr(value=n.Call(func=self.outside.helper(count_up), args=given, keywords=[])), node))

    def is_counter(self, owner: Value, name: str) -> bool:
        """Whether an attribute of an object from outside, or of a class, is an integer, and stored to as those of plain objects are."""
        if isinstance(owner, Known) and isinstance(owner.object, type):
            kind, held = owner.object, getattr(owner.object, name, MISSING)
            return is_users(kind) and type(kind).__setattr__ is type.__setattr__ and type(held) is int
        found = self.outside.kind_of(owner) if isinstance(owner, Run) else None
        if found is None or self.member(found, "__setattr__") is not object.__setattr__:
            return False
        member = self.member(found, name)
        if hasattr(type(member), "__set__") and hasattr(member, "fget"):
            return False
        known = self.outside.known(n.Attribute(value=self.text(owner), attr=name, ctx=n.Load()))
        return type(member) is int if known is None else known.kind == "python" and known.dtype is not None and known.dtype.kind == "i"

    def check_counters(self) -> None:
        """Raise NotInterpreted where something else may read a counter."""
        if not self.counters:
            return
        if self.outside.has_links:
            raise NotInterpreted("a counter beside functions that are called as they are")
        for source in self.outside.sources.values():
            parts = n.walk(source.tree)
            assigned = [(part.targets[0], part.value) for part in parts if isinstance(part, n.Assign)]
            counted = {id(value.left) for target, value in assigned if counting(target, value) is not None}
            for part in parts:
                if id(part) in counted:
                    continue
                word = part.attr if isinstance(part, n.Attribute) else part.id if isinstance(part, n.Name) else ""
                if word in LOOKING or isinstance(part, n.Attribute) and isinstance(part.ctx, n.Load) and word in self.counters:
                    raise NotInterpreted("a counter that is read")


def counting(target: Any, value: Any) -> Any:
    """``owner.name = owner.name + by`` as ``owner.name += by``; None for any other assignment."""
    if not isinstance(target, n.Attribute) or not isinstance(value, n.BinOp) or not isinstance(value.left, n.Attribute):
        return None
    of, read = target.value, value.left.value
    if target.attr != value.left.attr or not isinstance(of, n.Name) or not isinstance(read, n.Name) or of.id != read.id:
        return None
    return place(n.AugAssign(target=target, op=value.op, value=value.right), value)
