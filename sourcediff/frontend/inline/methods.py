"""Resolve method calls: of an object whose class is known a method is a function of the object; a property too.

>>> from sourcediff.api.explain import text_after
>>> class Spring:
...     def __init__(self, stiffness):
...         self.stiffness = stiffness
...     @property
...     def softness(self):
...         return 1 / self.stiffness
...     def stretched(self, force):
...         return force * self.softness
>>> def length(k, force):
...     return Spring(k).stretched(force)
>>> print(text_after("unbound_names", length))
stiffness = k
t = 1 / stiffness
value = force * t
"""

from __future__ import annotations

import builtins
import collections
import types
from typing import Any

import numpy as np

from ...analysis.abstract import Abstract
from ...analysis.environment.callables import Same
from ...analysis.environment.captured import current, is_user_function
from ...analysis.scope import MISSING
from ...analysis.source.effects import Effective
from ...rules.library_functions import composite_for
from ...runtime.user_objects import DATA, is_composite, is_users, member
from ...syntax import nodes as n
from ...syntax.function import name_of
from ...syntax.quote import altered, clone, expression, place
from ...syntax.source import read
from ..room import Room
from .attributes import LOOKING, Attributes, Bound, Instance

SEQUENCES = (list, tuple, collections.deque, np.ndarray)
"""What has the attributes that are read of a sequence."""


class Methods(Room):
    """Knows what a call of a method calls, and what an attribute stands for."""

    @property
    def objects(self) -> Attributes:
        """What is known of objects."""
        return self.lower.attributes

    def call(self, node: n.Call) -> n.expr:
        """A call of a method as one of a function, an object called as one of its ``__call__``."""
        function: n.expr = node.func
        first: list[n.expr] = []
        if isinstance(function, n.Attribute):
            owner = function.value if self.objects.instance(function.value) is not None else self.objects.rewritten(function.value)
            function = place(n.Attribute(value=owner, attr=function.attr, ctx=n.Load()), function)
            if (parent := self.parent(node.func)) is not None:
                function, first = parent
            elif (instance := self.objects.instance(owner)) is not None and function.attr not in instance.held:
                if not self.only_reads(instance, function.attr, node):
                    function, first = self.method(owner, instance, function)
            elif isinstance(method := self.scope.resolve(function), types.MethodType) and is_users(type(method.__self__)):
                function, first = self.standing(method.__func__), [owner]
            elif isinstance(method, types.MethodType) and isinstance(method.__self__, type) and is_user_function(method.__func__):
                function, first = self.standing(method.__func__), [owner]
            else:
                function = self.attribute(function)
        elif self.objects.instance(function) is None:
            function = self.objects.rewritten(function)
        called = self.objects.instance(function)
        if called is not None and isinstance(inner := member(called.kind, "__call__"), types.FunctionType):
            function, first = self.standing(inner), [function]
        one = len(node.args) == 1 and not node.keywords
        if self.scope.resolve(function) is type and one and self.objects.instance(node.args[0]) is not None:
            return place(self.class_of(node.args[0].id), node)
        inner = isinstance(function, n.Name) and (function.id in self.state.functions or function.id in self.state.partly)
        found = self.scope.resolve(function)
        said = composite_for(found) is not None and is_composite(self.lower.called(node))
        whole = inner or said or is_user_function(found) or found is builtins.isinstance
        taken = callable(found) and not any(found is looking for looking in (dict, *LOOKING))  # with its entries as they are

        def given(part: n.expr) -> n.expr:
            kept = whole and self.objects.instance(part) is not None
            value: n.expr = part if kept else taken and self.objects.shown(part) or self.objects.rewritten(part)
            return value

        keywords = [altered(keyword, value=given(keyword.value)) for keyword in node.keywords]
        made = place(n.Call(func=function, args=[*first, *map(given, node.args)], keywords=keywords), node)
        if found is builtins.isinstance and len(node.args) == 2 and (asked := self.objects.instance(made.args[0])):
            kinds = self.scope.resolve(made.args[1])
            if isinstance(kinds, type):
                try:
                    return place(n.Constant(value=issubclass(asked.kind, kinds), kind=None), node)
                except TypeError:  # of a protocol with data
                    return self.refused(node, "this isinstance", "it asks for more than the class", "ask for a class")
        return made

    def only_reads(self, instance: Instance, name: str, node: n.Call) -> bool:
        """Whether a call of a method of an object from outside stays one: nothing in it is differentiated, and it changes nothing."""
        found = member(instance.kind, name)
        if not instance.path or not isinstance(found, types.FunctionType) or self.carries(node):
            return False
        return Effective(found, read(found).tree).object_is_pure(found)

    def only_asks(self, node: n.Call) -> bool:
        """Whether a call is one of a user's function, which changes nothing."""
        function = self.scope.resolve(node.func)
        return is_user_function(function) and Effective(function, read(function).tree).object_is_pure(function)

    def parent(self, node: n.Attribute) -> tuple[n.expr, list[n.expr]] | None:
        """The function that ``super().method`` is, and what it is called with first."""
        found = self.inherited(node)
        name = self.state.selves[-1][1] if self.state.selves else ""
        if isinstance(found, types.FunctionType):
            return self.standing(found), [expression(name)] if name in self.state.instances else []
        if isinstance(found, (classmethod, staticmethod)) and isinstance(found.__func__, types.FunctionType):
            owner = self.class_of(name) if name in self.state.instances else expression(name)
            return self.standing(found.__func__), [owner] if isinstance(found, classmethod) else []
        return None

    def inherited(self, node: n.Attribute) -> Any:
        """What ``super().attr`` stands for in a method, as the class holds it; MISSING for anything else."""
        made = node.value
        if not isinstance(made, n.Call) or made.args or self.scope.resolve(made.func) is not builtins.super or not self.state.selves:
            return MISSING
        function, name = self.state.selves[-1]
        kind = self.state.instances[name].kind if name in self.state.instances else self.scope.lookup(name)
        if not isinstance(kind, type) or "__class__" not in function.__code__.co_freevars:
            return MISSING
        around = current(function, "__class__")
        order = kind.__mro__
        return next((vars(base)[node.attr] for base in order[order.index(around) + 1:] if node.attr in vars(base)), MISSING)

    def method(self, owner: n.expr, instance: Instance, node: n.Attribute) -> tuple[n.expr, list[n.expr]]:
        """The function that a method is, and what it is called with first."""
        found = member(instance.kind, node.attr)
        if isinstance(found, types.FunctionType):
            return self.standing(found), [owner]
        if isinstance(found, staticmethod) and isinstance(found.__func__, types.FunctionType):
            return self.standing(found.__func__), []
        if isinstance(found, classmethod) and isinstance(found.__func__, types.FunctionType):
            return self.standing(found.__func__), [self.class_of(owner.id)]  # type: ignore[attr-defined]
        return self.attribute(node), []

    def class_of(self, name: str) -> n.expr:
        """The class of an object: as the text speaks of it that makes the object, else as the object has it."""
        instance = self.state.instances[name]
        if instance.path:
            value = Abstract("function", items=Same(instance.kind))
            return expression(self.objects.reached(name, "__class__", value, f"{instance.path}.__class__"))
        if instance.kind in self.state.classes:
            return clone(self.state.classes[instance.kind])
        known = next((name for name, free in self.scope.free.items() if free.value is instance.kind), None)
        return self.standing(instance.kind) if known is None else expression(known)

    def standing(self, function: Any) -> n.expr:
        """A name for a function of a class, or for a class that the text has no name for."""
        for name in self.state.standing_in:
            if self.scope.functions[name] is function:
                return expression(name)
        name = self.scope.fresh(name_of(function))
        self.scope.functions[name] = function
        self.state.standing_in.add(name)
        return expression(name)

    def attribute(self, node: n.Attribute) -> n.expr:
        """An attribute of an object as a local name, a property as a call of its function."""
        if (found := self.inherited(node)) is not MISSING:
            owned = self.state.selves[-1][1] in self.state.instances
            if isinstance(found, property) and isinstance(found.fget, types.FunctionType) and owned:
                return place(n.Call(func=self.standing(found.fget), args=[expression(self.state.selves[-1][1])], keywords=[]), node)
            return self.refused(node, "super() for anything but methods and properties", "which class's value that is, is not followed",
                                "read it of self, or of the class by its name")
        owner = node.value if self.objects.instance(node.value) is not None else self.objects.rewritten(node.value)
        instance = self.objects.instance(owner)
        if instance is None:
            if self.state.sources and self.known(owner).kind == "sequence" and not any(hasattr(kind, node.attr) for kind in SEQUENCES):
                return self.refused(node, f"the attribute {node.attr} of what is followed as a tuple", "its entries have lost their names",
                                    "give a named tuple one name, or read its entries by position")
            return place(n.Attribute(value=owner, attr=node.attr, ctx=node.ctx), node)
        if not isinstance(node.ctx, n.Load):
            return self.objects.stored(owner, instance, node)
        if node.attr in instance.held:
            return place(expression(self.objects.local(owner.id, node.attr)), node)
        made_here = not instance.path and instance.kind in self.state.classes
        of_class = made_here and any(node.attr in vars(kind) for kind in instance.kind.__mro__)
        if of_class and isinstance(member(instance.kind, node.attr), DATA):
            return place(n.Attribute(value=clone(self.state.classes[instance.kind]), attr=node.attr, ctx=n.Load()), node)
        if node.attr == "__class__":
            return place(self.class_of(owner.id), node)
        found = member(instance.kind, node.attr)
        if isinstance(found, property) and isinstance(found.fget, types.FunctionType):
            return place(n.Call(func=self.standing(found.fget), args=[owner], keywords=[]), node)
        written = isinstance(getattr(found, "__func__", found), types.FunctionType)
        if written and isinstance(found, (types.FunctionType, staticmethod, classmethod)) and owner.id not in self.state.often:
            function, first = self.method(owner, instance, node)
            if isinstance(function, n.Name):
                name = self.scope.fresh(node.attr)
                self.state.partly[name] = Bound(function, tuple(first), {})
                self.state.names.add(name)
                return place(expression(name), node)
        return place(n.Attribute(value=owner, attr=node.attr, ctx=node.ctx), node)
