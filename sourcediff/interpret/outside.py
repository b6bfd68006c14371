"""What the interpreted function reads from outside: modules, functions and classes as they are, data by an expression that reads them."""

from __future__ import annotations

import builtins
import dataclasses
import enum
import functools
import re
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..analysis.abstract import Abstract
from ..analysis.environment.captured import is_user_function
from ..analysis.environment.reads import names_of
from ..analysis.environment.words import DICTS, MANY, WITHIN, attributes_worded, wording
from ..analysis.scope import MISSING, current
from ..rules.frames import rule_for
from ..rules.library_objects import record_for
from ..runtime.arrays.library import is_array
from ..runtime.user_objects import is_users
from ..syntax import nodes as n
from ..syntax.function import defaults_of, unjitted
from ..syntax.quote import clone, expression, place
from ..syntax.source import Source, read
from .class_around import class_around
from .known_parts import KnownParts, is_row
from .nodes_of_values import LITERALS, as_node
from .state import State
from .values import PERHAPS, Closure, Known, NotInterpreted, ObjectKey, Run, Structure, Value

TOLD = (str, bool, type(None), enum.Enum)
"""What is known of the attributes of an object from outside."""

MANY_FUNCTIONS = 16
"""Of how many functions in a table one may be called."""


class Outside(KnownParts):
    """The names that are read from outside, and what the arguments are known to be."""

    def __init__(
        self, source: Source, arguments: Mapping[str, Abstract], local: frozenset[str], state: State, settled: Mapping[str, Any],
    ):
        self.source, self.arguments, self.state, self.settled = source, dict(arguments), state, settled
        self.used, self.counted, self.opened = {}, False, []
        self.local = local
        self.given: dict[str, tuple[Any, Any, str]] = dict(source.given)
        self.own = {}
        self.sources: dict[Any, Source] = {source.function: source}
        self.about = {}
        self.classes: dict[type, n.expr] = {}  # by classes how the text speaks of them, if by an object
        self.worded: set[int] = set()  # containers of which the words are watched
        self.followed: list[Any] = []
        self.linked: Callable[[Source], bool] = lambda source: False
        self.has_links = False
        self.may_stay: Callable[[Any], bool] = lambda function: True
        self.constants: dict[int, Structure] = {}  # objects that nothing changes, by their ids

    def named(self, name: str, function: Any, at: n.expr) -> Value:
        """What a free name of a function stands for."""
        if function is self.source.function and name in self.source.given:
            value = self.source.given[name][0]
        else:
            value = current(function, name)
        if value is MISSING:
            value = getattr(builtins, name, MISSING)
            if value is MISSING:
                raise NotInterpreted(f"{name} is not defined")
        self.note(value)
        return self.wrapped(value, place(expression(self.name_of(name, function, value)), at))

    def note_class(self, kind: type, node: n.Attribute | n.Subscript) -> None:
        """Note how the text speaks of the class of an object that is read from outside."""
        root: Any = node.value
        while isinstance(root, (n.Attribute, n.Subscript)) or isinstance(root, n.Name) and root.id in self.state.stands:
            root = self.state.stands[root.id] if isinstance(root, n.Name) else root.value
        if self.meant(root) is not MISSING:
            self.classes[kind] = node

    def note(self, value: Any) -> None:
        """Note the containers whose words are watched: a name, or a member of a class or a module, stands for the outermost."""
        if wording(value) is None:
            return
        pending = [(value, WITHIN)]
        for part, depth in pending:
            self.worded.add(id(part))
            named = attributes_worded(part, depth)
            held = part if type(part) in (list, tuple) else part.values() if named is None else named.values()
            depth -= named is not None
            pending += [(inner, depth) for inner in held if type(inner) in (*DICTS, list, tuple) and len(inner) <= MANY or (
                attributes := attributes_worded(inner, depth)) is not None and len(attributes) <= MANY]

    def name_of(self, name: str, function: Any, value: Any) -> str:
        """The name of the text for a name of a function."""
        if function is self.source.function and name not in self.local:
            self.own.setdefault(name, value)
            if self.own[name] is value:
                return name
        if name not in self.local and name not in self.own and current(self.source.function, name) is value:
            self.own[name] = value
            return name
        for known, other in self.own.items():
            if other is value and (known == name or isinstance(value, (types.ModuleType, types.FunctionType, type, np.ufunc))):
                return known
        if getattr(builtins, name, MISSING) is value and name not in self.local:
            return name
        new = self.state.fresh(name)
        self.own[new] = value
        self.given[new] = (value, function, name)
        return new

    def helper(self, function: Any) -> n.expr:
        """One of the functions that generated code calls."""
        known = next((name for name, value in self.own.items() if value is function), None)
        numpy, called = next((name for name, value in self.own.items() if value is np), None), function.__name__
        if known is None and numpy is not None and getattr(np, called, None) is function:
            return expression(f"{numpy}.{called}")
        if known is None:
            known = self.state.fresh(called)
            self.own[known] = function
            self.given[known] = (function, None, function.__name__)
        return expression(known)

    def wrapped(self, value: Any, node: n.expr | None) -> Value:
        """An object from outside as a value: what can be called, a module or a container as it is, data by the expression."""
        value = unjitted(value)
        if isinstance(value, types.FunctionType) and is_user_function(value):
            return Known(value, node)
        as_object = not isinstance(value, (types.ModuleType, type)) and is_users(type(value))
        if isinstance(value, (types.ModuleType, type)) or callable(value) and (node is None or not as_object):
            return Known(value, node)
        if type(value) in (*DICTS, list, tuple) or isinstance(value, (str, bool, type(None), type(...), re.Pattern)):
            return Known(value, node)
        if node is None:
            raise NotInterpreted("how the text reads this")
        return Run(node)

    def function(self, function: Any) -> Closure:
        """A function of the user's as what is called: its tree, and the values of its defaults."""
        function = unjitted(function)
        if function not in self.sources:
            self.sources[function] = read(function)
            self.followed.append(function)
        source = self.sources[function]
        defaults: dict[str, Value] = {}
        for name, value in defaults_of(function).items():
            if callable(value) and (node := self.node_of(value)) is not None:
                defaults[name] = Known(value, node)
            elif (constant := self.constant_object(value)) is not None:
                defaults[name] = constant
            elif isinstance(value, enum.Enum) and (kind := self.node_of(type(value))) is not None:
                defaults[name] = Known(value, n.Attribute(value=kind, attr=value.name, ctx=n.Load()))
            elif is_array(value) or is_users(type(value)) and not isinstance(value, tuple):
                defaults[name] = Run(self.default(name, value, function))
            elif type(value) in DICTS and not all(type(part) in LITERALS for part in value.values()) or type(value) in (
                    list, tuple) and any(is_users(type(part)) for part in value):
                defaults[name] = Known(value, self.default(name, value, function))
            else:
                defaults[name] = Known(value.item() if type(value) in (np.float64, np.complex128) else value)
        return Closure(source.tree, None, function, defaults, class_around(function))

    def default(self, name: str, value: Any, function: types.FunctionType) -> n.expr:
        """The name of the text for what is the default of a parameter."""
        place_ = f"{name}="
        new = next((known for known, given in self.given.items() if given[1] is function and given[2] == place_), None)
        if new is None:
            new = self.state.fresh(name)
            self.own[new] = value
            self.given[new] = (value, function, place_)
        return expression(new)

    def constant_object(self, value: Any) -> Structure | None:
        """A frozen dataclass or a named tuple of numbers and words as a structure of them, None of anything else: nothing changes it."""
        kind = type(value)
        frozen = dataclasses.is_dataclass(kind) and kind.__dataclass_params__.frozen  # type: ignore[attr-defined]
        if not is_users(kind) or not (frozen or isinstance(value, tuple) and hasattr(kind, "_fields")):
            return None
        held = dict(enumerate(value)) if isinstance(value, tuple) else {
            field.name: getattr(value, field.name) for field in dataclasses.fields(kind)}
        if not all(type(part) in LITERALS for part in held.values()):
            return None
        parts: dict[Any, Value] = {key: Known(part) for key, part in held.items()}
        if id(value) not in self.constants:
            self.constants[id(value)] = Structure(self.state.new(dict(parts)), kind)
        found = self.constants[id(value)]
        self.state.held.setdefault(found.identity, parts)
        return found

    def stays(self, function: Any) -> bool:
        """Whether the call of a function stays one."""
        self.function(function)
        linked = self.linked(self.sources[function])
        self.has_links = self.has_links or linked
        return linked

    def node_of(self, value: Any) -> n.expr | None:
        """How the text speaks of a function, a class or a module."""
        if isinstance(value, type) and value in self.classes:
            return clone(self.classes[value])
        for known, other in self.own.items():
            if other is value and known not in self.local:
                return expression(known)
        if getattr(builtins, getattr(value, "__name__", ""), MISSING) is value:
            return expression(value.__name__)
        for function in self.sources:
            for name, other in function.__globals__.items():
                if other is value and name in names_of(function.__code__):
                    return expression(self.name_of(name, function, value))
        name = getattr(value, "__name__", None)
        if name is not None and (isinstance(value, np.ufunc) or getattr(np, name, None) is value):
            for function in self.sources:
                for alias, other in function.__globals__.items():
                    if other is np and getattr(np, name, None) is value:
                        return n.Attribute(value=expression(self.name_of(alias, function, np)), attr=name, ctx=n.Load())
        return None

    def key(self, key: Any) -> n.expr:
        """A key of a dict as the text spells it."""
        if isinstance(key, ObjectKey):
            raise NotInterpreted("an object as a key")
        if isinstance(key, tuple):
            return n.Tuple(elts=[self.key(part) for part in key], ctx=n.Load())
        if not isinstance(key, enum.Enum):
            return n.Constant(value=key, kind=None)
        if (kind := self.node_of(type(key))) is None:
            raise NotInterpreted("how the text reads a key")
        return n.Attribute(value=kind, attr=key.name, ctx=n.Load())

    def known_key(self, key: Any) -> Value:
        """The same as a value."""
        if key is PERHAPS:
            raise NotInterpreted("which entries a dict has is not known")
        if isinstance(key, ObjectKey):
            return Structure(key.identity, key.kind)
        if isinstance(key, tuple) and any(isinstance(part, ObjectKey) for part in key):
            raise NotInterpreted("an object in a key")
        return Known(key, self.key(key) if isinstance(key, enum.Enum) else None)

    def meant(self, node: n.AST) -> Any:
        """What a name of the text stands for, or a member of a module; MISSING for anything else."""
        if isinstance(node, n.Attribute):
            owner = self.meant(node.value)
            of_method = isinstance(owner, types.MethodType) and node.attr == "__self__"
            return getattr(owner, node.attr, MISSING) if isinstance(owner, types.ModuleType) or of_method else MISSING
        if not isinstance(node, n.Name) or node.id in self.local:
            return MISSING
        return self.own.get(node.id, getattr(builtins, node.id, MISSING))

    def is_constant(self, function: n.expr) -> bool:
        """Whether an expression is of a function of which the derivative is zero."""
        rule = rule_for(found) if (found := self.meant(function)) is not MISSING else None
        return rule is not None and rule.kind == "constant"

    def is_made_by_library(self, value: Value) -> bool:
        """Whether a value is an object of a library's, made of what is differentiated: an interpolant, say."""
        node = value.node if isinstance(value, Run) else None
        node = self.state.once.get(node.id, node) if isinstance(node, n.Name) else node
        if not isinstance(node, n.Call) or not self.state.carries(node):
            return False
        found = self.meant(node.func)
        return found is not MISSING and record_for(found) is not None

    def attribute(self, value: Known, name: str, node: n.expr) -> Value:
        """An attribute of something from outside."""
        found = getattr(value.object, name, MISSING) if isinstance(value.object, (types.ModuleType, type)) else MISSING
        owner = value.node if value.node is not None else self.node_of(value.object)
        if owner is None and isinstance(value.object, (str, int, float)):
            owner = n.Constant(value=value.object, kind=None)
        if owner is None:
            raise NotInterpreted(f"what {name} is an attribute of")
        read_ = place(n.Attribute(value=clone(owner), attr=name, ctx=n.Load()), node)
        self.note(found)
        if isinstance(found, enum.Enum) and isinstance(value.object, enum.EnumMeta):
            return Known(found, read_)
        return Run(read_) if found is MISSING else self.wrapped(found, read_)

    def entry(self, owner: Known, at: Value) -> Value | None:
        """What stands under a known key of a container from outside; None if that is data, or not known."""
        if not isinstance(at, Known) or not isinstance(at.object, (str, int)) or not isinstance(owner.object, (dict, list, tuple)):
            return None
        held: Any = owner.object
        try:
            found = held[at.object]
        except (KeyError, IndexError):
            return None
        if owner.node is None:
            return Known(found) if type(found) in (*LITERALS, tuple) else None
        if isinstance(found, (str, bool, type(None))) and id(held) not in self.worded:
            return None
        if callable(found) and not is_user_function(found) and (spelled := self.node_of(found)) is not None:
            return Known(found, spelled)
        read_ = n.Subscript(value=clone(owner.node), slice=n.Constant(value=at.object, kind=None), ctx=n.Load())
        if isinstance(found, type):
            self.note_class(found, read_)
        return self.wrapped(found, read_)

    def functions(self, value: Value) -> dict[Any, Value] | None:
        """The functions by key of a container from outside that holds nothing else; None of anything else."""
        node = as_node(value)
        known = None if node is None else self.known(node)
        if known is None or known.kind not in ("mapping", "sequence") or not is_row(known.items):
            return None
        held = dict(known.items) if known.kind == "mapping" else dict(enumerate(known.items))
        kinds = {part.kind if isinstance(part, Abstract) else "" for part in held.values()}
        if len(held) > MANY_FUNCTIONS or not kinds <= {"function", "bound"}:
            return None
        partly = "bound" in kinds
        table = self.object_of(node) if partly else {key: part.items.value for key, part in held.items()}
        if table is MISSING or partly and not all(is_user_function(table[key]) or type(table[key]) is functools.partial for key in held):
            return None
        return {key: self.wrapped(table[key], n.Subscript(value=clone(node), slice=n.Constant(value=key, kind=None), ctx=n.Load()))
                for key in held}

    def object_of(self, node: n.expr) -> Any:
        """The object that an expression from outside reads now, MISSING if it is no attribute or entry of something from outside."""
        if isinstance(node, n.Name) and node.id in self.state.stands:
            return self.object_of(self.state.stands[node.id])
        if isinstance(node, n.Attribute):
            owner = self.object_of(node.value)
            return MISSING if owner is MISSING else getattr(owner, node.attr, MISSING)
        if isinstance(node, n.Subscript) and isinstance(node.slice, n.Constant):
            owner = self.object_of(node.value)
            return MISSING if owner is MISSING else owner[node.slice.value]
        return self.own.get(node.id, MISSING) if isinstance(node, n.Name) and node.id not in self.local else MISSING

    def word_of(self, node: n.expr, name: str) -> Known | None:
        """The word that is an attribute of an object in a container from outside, if the words in that are watched."""
        root: Any = node
        while isinstance(root, (n.Attribute, n.Subscript)) or isinstance(root, n.Name) and root.id in self.state.stands:
            root = self.state.stands[root.id] if isinstance(root, n.Name) else root.value
        watched = type(self.object_of(root)) in (*DICTS, list, tuple)  # which another object would not be: its words are not looked at
        owner = self.object_of(node) if watched else MISSING
        found = (attributes_worded(owner) or {}).get(name, MISSING) if id(owner) in self.worded else MISSING
        is_row = type(found) in (list, tuple) and id(found) in self.worded
        return Known(found, n.Attribute(value=clone(node), attr=name, ctx=n.Load())) if is_row or isinstance(found, TOLD) else None

    def held_function(self, node: n.expr) -> Value | None:
        """The function that an attribute or an entry from outside is, if it is one."""
        known = self.known(node)
        if known is not None and known.kind == "bound" and (found := self.object_of(node)) is not MISSING:
            return Known(found, node)
        if known is None or known.kind != "function":
            return None
        return self.wrapped(known.items.value, self.node_of(known.items.value) or node)

    def from_the_front(self, owner: Value, at: Value) -> Value:
        """An index into a list or a tuple from outside, of which the length is known, counted from its front."""
        negative = isinstance(at, Known) and type(at.object) is int and at.object < 0
        known = self.known(owner.node) if negative and isinstance(owner, Run) else None
        if known is None or known.kind != "sequence" or not is_row(known.items):
            return at
        return Known(at.object + len(known.items)) if at.object >= -len(known.items) else at  # type: ignore[attr-defined]

    def listed(self, value: Known) -> list[Value] | None:
        """The items of a list or a tuple from outside, if it holds functions or words, or is a default, and the members of an enumeration;
        None of anything else.
        """
        held = value.object
        if isinstance(held, enum.EnumMeta):
            members: list[Any] = list(held)
            return [self.known_key(member) for member in members]
        if type(held) is not list and type(held) is not tuple:
            return None
        if value.node is not None and id(held) not in self.worded and not any(map(callable, held)):
            return None
        found = [self.entry(value, Known(position)) for position in range(len(held))]
        if value.node is None and None in found:
            return None
        return [self.read_entry(value, position) if each is None else each for position, each in enumerate(found)]

    def entries(self, value: Value) -> dict[Any, Value] | None:
        """The entries of a dict from outside, by key."""
        if isinstance(value, Known) and type(value.object) in DICTS and value.node is not None:
            if all(isinstance(key, (str, int)) for key in value.object):
                return {key: self.entry(value, Known(key)) or self.read_entry(value, key) for key in value.object}
        known = self.known(value.node) if isinstance(value, Run) else None
        if isinstance(value, Run) and known is not None and known.kind == "mapping" and known.length is not None:
            self.opened.append(known)
            return {key: self.part(value.node, key) for key in dict(known.items or ())}
        return None

    def viewed(self, value: Run) -> tuple[str, dict[Any, Value]] | None:
        """The entries of a dict that is given, and how it is asked for them (``items``, ``keys`` or ``values``), if it is known which."""
        call: Any = value.node
        is_call = isinstance(call, n.Call) and isinstance(call.func, n.Attribute) and not call.args
        method = call.func.attr if is_call else "keys"
        found = self.entries(Run(call.func.value) if is_call else value) if method in ("items", "keys", "values") else None
        return None if found is None else (method, found)

    def read_entry(self, value: Known, key: Any) -> Run:
        """An entry of a dict from outside as the text reads it."""
        assert value.node is not None
        return Run(n.Subscript(value=clone(value.node), slice=n.Constant(value=key, kind=None), ctx=n.Load()))
