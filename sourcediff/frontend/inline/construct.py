"""Scalar replacement of objects that are made here: what ``__init__`` stores are variables, the object is never made.

>>> from sourcediff.api.explain import text_after
>>> class Spring:
...     def __init__(self, stiffness, rest=0.0):
...         self.stiffness = stiffness
...         self.rest = rest
...     def energy(self, x):
...         return 0.5 * self.stiffness * (x - self.rest) ** 2
>>> def stretched(k, x):
...     spring = Spring(k)
...     spring.rest = x / 2
...     return spring.energy(x)
>>> print(text_after("unbound_names", stretched))
stiffness = k
rest = x / 2
t = 0.5 * stiffness
t1 = (x - rest) ** 2
value = t * t1
"""

from __future__ import annotations

import dataclasses
import dis
import types
from collections.abc import Collection, Sequence
from typing import Any

from ...analysis.abstract import UNKNOWN
from ...analysis.applications import record_of
from ...analysis.environment.captured import Surroundings, defaults_of
from ...analysis.literals import literal
from ...analysis.scope import MISSING
from ...analysis.statements import base
from ...rules.frames import is_singleton
from ...rules.library_functions import composite_for
from ...runtime.function_cache import forget_function, kept
from ...runtime.user_objects import DATA, is_composite, is_named, is_users, member
from ...syntax import nodes as n
from ...syntax.function import codes
from ...syntax.quote import clone, expression, place, remade, statement
from ...syntax.source import Source
from ..room import Room
from .attributes import Instance

REQUIRED = object()
"""The default of a field that has none."""

MADE_ANEW = getattr(dataclasses, "_HAS_DEFAULT_FACTORY", REQUIRED)
"""The default in the ``__init__`` of a dataclass of a field that is made anew for each object."""

REMEDY = "write a class with an __init__ that stores its arguments, or a dataclass"


class Construction(Room):
    """Knows how objects are made, and what becomes of them."""

    def made(self, node: n.Call) -> type | None:
        """The user's class that a call makes an object of."""
        found = self.scope.resolve(node.func)
        if isinstance(found, type) and is_users(found):
            return found
        plain = composite_for(found) if found is not MISSING and (self.carries(node) or is_singleton(found)) else None
        return plain if isinstance(plain, type) else None

    def constructed(self, node: n.Call, target: str = "") -> n.expr:
        """The attributes of a new object, called ``target`` if that is given, in local names; the object's name."""
        kind, before = self.made(node), len(self.state.places)
        assert kind is not None
        again = not target or target in self.state.often or target in self.state.instances  # it may be made of what the name stood for
        name = self.scope.fresh(target or kind.__name__.lower()) if again else target
        usual = is_named(kind) or member(kind, "__new__") is object.__new__
        if not usual or type(kind) is not type and "__call__" in vars(type(kind)):
            return self.refused(node, f"a {kind.__name__}", "how it is made is not known", REMEDY)
        if self.is_plain(name):
            return self.refused_name(name, node)
        self.state.instances[name] = Instance(kind, {}, "", self.state.loops)
        if base(node.func) in self.scope.free or base(node.func) in self.state.paths:
            self.state.classes[kind] = node.func
        if self.carries(node):
            self.state.names.add(name)
        later = sorted(self.stored_later(kind))  # until then it is the class's
        if later and kind not in self.state.classes:
            why = f"its {later[0]} is the class's until it is stored to, and how the class is called here is not known"
            return self.refused(node, f"a {kind.__name__}", why, f"store {later[0]} in __init__")
        for attribute in later:
            value = n.Attribute(value=clone(self.state.classes[kind]), attr=attribute, ctx=n.Load())
            self.bound(self.lower.attributes.local(name, attribute), place(value, node), node)
        init = member(kind, "__init__")
        if is_named(kind):
            fields = kind._fields  # type: ignore[attr-defined]
            self.filled(name, node, dict.fromkeys(fields, REQUIRED) | defaults_of(kind.__new__), fields)
        elif isinstance(init, types.FunctionType) and init.__code__.co_filename != "<string>":  # that of a dataclass the interpreter writes
            self.inlined(init, place(n.Call(func=node.func, args=[expression(name), *node.args], keywords=node.keywords), node))
        elif init is not object.__init__:
            return self.refused(node, f"a {kind.__name__}", "its __init__ is not written in Python", REMEDY)
        if len(self.state.places) > before:
            self.state.spoilt.add(name)
        if target and name != target:
            self.moved(target, name, node)
            return expression(target)
        return expression(name)

    def stored_later(self, kind: type) -> set[str]:
        """The attributes of a class that something may store to for one of its objects."""
        fields: Any = getattr(kind, "__dataclass_fields__", {})
        own = {name for base in kind.__mro__ for name in vars(base) if not name.startswith("__") and name not in fields}
        data = {name for name in own if isinstance(member(kind, name), DATA)}
        if not data:
            return set()
        reached = [self.state.sources[0].function, member(kind, "__init__"), member(kind, "__post_init__"), *self.scope.functions.values()]
        functions = [function for part in reached if isinstance(function := getattr(part, "__func__", part), types.FunctionType)]
        return data & set().union(*(stored_attributes(function, (kind,)) for function in functions))

    def filled(self, name: str, node: n.Call, defaults: dict[str, Any], positional: Sequence[str]) -> None:
        """Give a new object its fields, those that a call gives and the ``defaults`` of the others."""
        if all(any(defaults.get(key) is other for other in (REQUIRED, dataclasses.MISSING)) for key in positional):
            node = self.lower.arguments.unstarred(node, positional)
        given = dict(zip(positional, node.args))
        given |= {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg is not None}
        shown = {key: value if isinstance(value, n.expr) else literal(value) for key, value in defaults.items()}
        missing = [key for key, value in shown.items() if key not in given and value is None]
        if missing or len(given) != len(node.args) + len(node.keywords) or given.keys() - defaults.keys():
            self.refused(node, "this call of a class", "which fields it fills is not known", "give each field")
            return
        operands = {key: self.operand(value, always=True) for key, value in given.items()}
        for key, default in shown.items():
            value = operands.get(key) or self.value(place(default, node))
            self.bound(self.lower.attributes.local(name, key), value, node)

    def moved(self, target: str, name: str, at: n.AST) -> None:
        """Let ``target`` be the object that ``name`` stands for, which nobody else knows."""
        instance, before = self.state.instances[name], self.state.instances.get(target)
        shared = any(known is before for other, known in self.state.instances.items() if other != target)
        if self.is_plain(target) or before is not None and (before.kind is not instance.kind or before.path or shared):
            self.refused_name(target, at)
            return
        self.state.instances[target] = Instance(instance.kind, {} if before is None else before.held, "", self.state.loops)
        if name in self.state.names:
            self.state.names.add(target)
        for attribute in instance.held:
            local, own = self.lower.attributes.local(name, attribute), self.lower.attributes.local(target, attribute)
            if local in self.state.instances:
                self.moved(own, local, at)
            else:
                self.bound(own, expression(local), at)

    def named_again(self, target: str, name: str, at: n.AST) -> None:
        """Let ``target`` be another name of an object, if it can be no other object later."""
        instance = self.state.instances[name]
        anew = target in self.state.often or target in self.state.instances or self.is_plain(target)
        first = anew and target not in self.state.instances
        if first and issubclass(instance.kind, tuple) and self.lower.attributes.stands(expression(name)):
            self.state.kinds[target] = UNKNOWN
            self.state.out.append(place(statement("$t = $v", t=target, v=name), at))
            return
        if anew or not instance.path and (name in self.state.often or instance.loops not in (0, self.state.loops)):
            self.refused(at, "a second name for an object", "which object it is is not known where names are bound anew", "use one name")
            return
        self.state.instances[target] = instance
        if instance.path and name in self.state.kinds:
            self.state.kinds[target] = self.state.kinds[name]
            if name in self.state.leaves:
                self.state.leaves.add(target)
                self.state.heads[target] = expression(name)
            else:
                self.state.opened[target] = instance.path
        for attribute in instance.held:
            self.state.locals[target, attribute] = self.lower.attributes.local(name, attribute)

    def shows(self, node: n.AST) -> bool:
        """Whether an expression is the name of an object that is what it was after it has been asked for its items."""
        instance = self.lower.attributes.instance(node)
        if instance is None:
            return False
        gives = member(instance.kind, "__iter__")
        return not isinstance(gives, types.FunctionType) or not stored_attributes(gives, (instance.kind,))

    def is_plain(self, name: str) -> bool:
        """Whether a name has been bound to something that is no object."""
        return name in self.state.kinds and name not in self.state.instances

    def refused_name(self, name: str, at: n.AST) -> n.expr:
        """Refuse a name for several objects, or for an object and something else."""
        return self.refused(at, f"{name}, which stands for several things,", "which one it is is not known before the program runs",
                            "use a name for each")

    def returned_object(self, target: str, name: str, before: Collection[str], at: n.AST) -> None:
        """Let ``target`` be the object that a function returned: one that it has made, or one of those known ``before``."""
        instance = self.state.instances[name]
        if name in before or any(known is instance for other, known in self.state.instances.items() if other != name):
            self.named_again(target, name, at)
        else:
            self.moved(target, name, at)

    def owned(self, node: n.expr) -> n.expr:
        """``Spring(k).energy(x)``, ``make(k).rest``, ``Layer(w)(x)``, ``partial(f, x)(y)``, and chains, with a name for what is made."""
        part = node.func if isinstance(node, n.Call) else node
        owner = part.value if isinstance(part, (n.Attribute, n.Subscript)) else part
        if isinstance(part, n.Attribute) and isinstance(owner, (n.BinOp, n.UnaryOp, n.Subscript)) and self.lower.operators.concerns(owner):
            value = self.value(owner)
        elif owner is node or not isinstance(owner, n.Call) or isinstance(part, n.Subscript) and not is_composite(self.called(owner)):
            return node
        else:
            value = self.lower.operators.written(self.owned(owner))
        if record_of(value, self.scope) is not None and not self.carries(value):
            value = self.bound(self.scope.fresh("t"), value, node)
        called = isinstance(value, n.Call) and self.called(value) is not None
        if isinstance(value, n.Call) and self.made(value) or called:
            value = self.value(value)
        elif value is owner:
            return node
        if self.lower.attributes.instance(value) is None and getattr(value, "id", "") not in self.state.partly:
            value = self.bound(self.scope.fresh("t"), value, node)

        def other(inner: n.AST) -> n.AST:
            return value if inner is owner else remade(inner, other) if inner in (node, part) else inner

        opened: n.expr = self.lower.attributes.open(other(node))
        if called and isinstance(opened, n.Name) and part is node:  # the next call may bind the attribute anew
            return self.bound(self.scope.fresh("t"), opened, node)
        return opened

    def refused_object(self, node: n.AST, source: Source | None = None) -> n.expr:
        """Refuse an object that is more than its attributes."""
        return self.refused(node, "an object that is used as a whole", "only its attributes and methods are followed",
                            "use its attributes, or pass them one by one", source)


def stored_attributes(function: types.FunctionType, kinds: tuple[type, ...]) -> frozenset[str]:
    """The attributes that a function which is given objects may store to, with what it calls; ``__init__`` does not count."""
    kept_by = ("stores", tuple(map(id, kinds)))  # which are held with what was found
    surroundings, found = kept(function, kept_by, lambda: _stored_attributes(function, kinds))
    if not surroundings.unchanged():
        forget_function(function, kept_by)
        return stored_attributes(function, kinds)
    return found


def _stored_attributes(function: types.FunctionType, kinds: tuple[type, ...]) -> tuple[Surroundings, frozenset[str]]:
    """The same, and what it was found by."""
    surroundings = Surroundings(function, kinds)
    makers = ("__init__", "__post_init__")
    functions = [found for found in surroundings.functions if found is function or found.__name__ not in makers]
    read = [code for found in functions for code in codes(found.__code__)]
    return surroundings, frozenset(step.argval for code in read for step in dis.get_instructions(code) if step.opname == "STORE_ATTR")
