"""Scalar replacement of objects: an attribute becomes a local name, a method a function that is called with its object.

>>> import numpy as np
>>> from sourcediff.api.explain import text_after
>>> class Spring:
...     unit = 0.5
...     def __init__(self, stiffness):
...         self.stiffness = stiffness
...     def force(self, x):
...         return -self.stiffness * x
...     def energy(self, x):
...         return self.unit * np.sum(self.force(x) * x)
>>> print(text_after("unbound_names", Spring(2.0).energy, "x"))
t = -self_stiffness
t1 = t * x
t2 = t1 * x
t3 = np.sum(t2)
value = self_unit * t3
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...analysis.abstract import UNKNOWN, Abstract, known_callables, record_known
from ...analysis.abstraction import abstract
from ...analysis.literals import constant
from ...analysis.scope import MISSING, bound_names
from ...naming import as_part, is_name
from ...runtime.counters import count_up
from ...runtime.held_twice import check_apart
from ...runtime.linked_calls import RUNNING
from ...runtime.user_objects import DATA, member, stores_plainly
from ...syntax import nodes as n
from ...syntax.quote import expression, place, remade
from ..room import Room

LOOKING = (len, print, isinstance, type, id, repr, str, count_up, check_apart)
"""Functions that change nothing that is read of what they are given."""

GOING = (enumerate, zip, reversed)
"""Functions that give the items of what they are given."""


def stores_through(loop: n.For) -> bool:
    """Whether something is stored into the items of a loop, or they change."""
    items = {part.id for part in n.walk(loop.target) if isinstance(part, n.Name)}
    stored = [part for part in n.walk(loop) if isinstance(part, (n.Attribute, n.Subscript)) and not isinstance(part.ctx, n.Load)]
    return any(isinstance(part, n.Name) and part.id in items for node in stored for part in n.walk(node.value))


class Instance(NamedTuple):
    """An object: its class, what it holds, and how it is reached ("" if it is made inside, in so many ``loops``); ``active`` are
    the attributes that have a gradient."""

    kind: type
    held: dict[str, Abstract]
    path: str
    loops: int = 0
    active: tuple[str, ...] = ()


class Entries(dict[Any, Any]):
    """What is asked for of each entry of a container of objects."""


class Words(Entries):
    """The same of a plain dict of numbers."""


class Bound(NamedTuple):
    """A function that was given some arguments already: they come before those of a call, and by name."""

    callee: n.expr
    first: tuple[n.expr, ...]
    named: dict[str, n.expr]


class Attributes(Room):
    """Knows which names stand for objects, and which for functions that are known."""

    def knows(self, name: str, value: Abstract, path: str) -> None:
        """Note what a name stands for that is reached from outside by ``path``."""
        self.state.paths[name] = path
        self.state.openable |= {name} if value.kind != "foreign" and known_callables(value) else set()
        self.state.kinds[name] = value
        if (known := record_known(value)) is not None:
            self.scope.records[name] = known
        if value.kind == "function":
            self.scope.functions[name] = value.items.value
        elif value.kind == "object":
            kind, held, active = value.items
            self.state.instances[name] = Instance(kind.value, dict(held), path, active=active)
        elif value.kind == "bound":
            callee, first, named = value.items
            self.state.outer.add(name)
            self.knows(inner := self.scope.fresh(f"{name}_func"), callee, f"{path}.func")
            self.state.opened[inner] = f"{path}.func"
            self.state.partly[name] = Bound(
                expression(inner), tuple(expression(self.reached(name, key, part, f"{path}.{key}")) for key, part in first),
                {key: expression(self.reached(name, key, part, f"{path}.keywords[{key!r}]")) for key, part in named},
            )

    def reached(self, owner: str, key: str, value: Abstract, path: str, position: Any = MISSING) -> str:
        """A local name for a part of what ``owner`` stands for: of what is differentiated, its entry at a ``position``."""
        if (owner, key) not in self.state.locals:
            local = self.state.locals[owner, key] = self.scope.fresh(f"{owner}_{as_part(key)}")
            if owner in self.state.leaves and position is not MISSING:
                self.state.heads[local] = expression("$x[$k]", x=owner, k=n.Constant(value=position, kind=None))
                self.state.leaves.add(local)
                self.state.names.add(local)
            else:
                self.state.opened[local] = path
            self.knows(local, value, path)
        return self.state.locals[owner, key]

    def knows_free(self) -> None:
        """Note the objects among the free names of the program, and the functions that were partly given their arguments."""
        for name, free in list(self.scope.free.items()):
            if name not in self.state.seen:
                self.state.seen.add(name)
                known = abstract(free.value, name)
                if known.kind in ("object", "bound") or known.kind in ("mapping", "sequence"):
                    self.knows(name, known, name)

    def open(self, node: Any) -> Any:
        """A statement or an expression with the attributes of objects as local names, and their methods as functions."""
        return self.rewritten(node) if any(map(self.concerns, n.walk(node))) else node

    def concerns(self, part: n.AST) -> bool:
        """Whether a node may speak of an object, of a method, or of a function in a container."""
        if isinstance(part, n.Attribute) and isinstance(part.value, n.Name):
            found = self.scope.lookup(part.value.id)
            return part.value.id in self.state.instances or found is not MISSING and found is not np
        if isinstance(part, n.Name):
            return part.id in self.state.instances or part.id in self.state.partly or part.id in self.state.openable | self.state.parted
        return isinstance(part, n.Attribute)

    def rewritten(self, node: Any) -> Any:
        if isinstance(node, n.SCOPES) and (hidden := bound_names(node) & self.state.instances.keys()):
            outer = self.state.instances
            self.state.instances = {name: known for name, known in outer.items() if name not in hidden}
            try:
                return remade(node, self.rewritten)
            finally:
                self.state.instances = outer
        if isinstance(node, n.Call):
            return self.lower.methods.call(node)
        if isinstance(node, n.Attribute):
            return self.lower.methods.attribute(node)
        if isinstance(node, n.Name) and isinstance(node.ctx, n.Load) and not self.stands(node) and (shown := self.shown(node)) is not None:
            return shown
        if isinstance(node, n.Return) and self.instance(node.value) is not None:
            return node
        if isinstance(node, n.Subscript) and (shown := self.shown(node.value)) is not None:
            position = constant(node.slice)
            if isinstance(position, int) and -len(shown.elts) <= position < len(shown.elts):
                return place(shown.elts[position], node)
        if isinstance(node, n.Subscript) and isinstance(node.ctx, n.Load) and (found := self.entry(node)) is not None:
            return found
        if isinstance(node, n.AugAssign) and isinstance(node.target, n.Attribute) and (array := self.array(node.target)) is not None:
            return place(n.AugAssign(target=array, op=node.op, value=self.rewritten(node.value)), node)
        if isinstance(node, n.Assign):  # what it reads first: it may store what it reads
            value = node.value if self.names_again(node) else self.rewritten(node.value)
            return place(n.Assign(targets=[self.rewritten(target) for target in node.targets], value=value, type_comment=None), node)
        if isinstance(node, n.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], (n.Is, n.IsNot)):
            other = node.comparators[0]
            if self.instance(node.left) and isinstance(other, n.Constant) and other.value is None:
                return place(n.Constant(value=isinstance(node.ops[0], n.IsNot), kind=None), node)
        return remade(node, self.rewritten)

    def entry(self, node: n.Subscript) -> n.expr | None:
        """A local name for a function or an object, one of a library's, too, in a container from outside; None for anything else."""
        owner = self.rewritten(node.value)
        known = self.known(place(n.Subscript(value=owner, slice=node.slice, ctx=n.Load()), node))
        followed = known.kind in ("function", "bound") or record_known(known) is not None or holds_object(known)
        divided = self.state.divided.get(getattr(owner, "id", ""), set())
        followed = followed or isinstance(node.slice, n.Constant) and (
            node.slice.value in divided or self.state.locals.get((getattr(owner, "id", ""), repr(node.slice.value))) in self.state.parted)
        if not followed or not isinstance(owner, n.Name) or owner.id not in self.state.paths or not isinstance(node.slice, n.Constant):
            return None
        key = node.slice.value
        self.state.drawn.setdefault(owner.id, set()).add(key)
        return place(expression(self.reached(owner.id, repr(key), known, f"{self.state.paths[owner.id]}[{key!r}]", key)), node)

    def changeable(self, parts: list[n.AST]) -> Iterator[n.Name]:
        """The uses of objects and containers from outside by which what was read of them might be exchanged."""
        objects = {owner for owner, _ in self.state.locals if (known := self.state.instances.get(owner)) and known.path}
        read = self.state.drawn.keys() | {owner for owner in objects if not issubclass(self.state.instances[owner].kind, tuple)}
        harmless: set[n.AST] = set()
        for part in parts:
            if isinstance(part, n.Subscript):
                name = getattr(part.value, "id", "")
                known, numbers = self.state.drawn.get(name, set()), self.state.divided.get(name, set())
                if isinstance(part.ctx, n.Load) and not numbers or isinstance(part.slice, n.Constant) and part.slice.value not in known:
                    harmless.add(part.value)
            elif isinstance(part, n.Attribute) and part.attr != "__dict__":
                harmless.add(part.value)
            elif isinstance(part, n.Call) and self.scope.resolve(part.func) in LOOKING:
                harmless |= set(part.args)
            elif isinstance(part, n.Call) and self.scope.resolve(part.func) in RUNNING and isinstance(part.args[0], n.Tuple):
                harmless |= set(part.args[0].elts)  # it is made sure of at run time that they stay as they are
            elif isinstance(part, n.Call) and self.lower.methods.only_asks(part):
                harmless |= {*part.args, *(keyword.value for keyword in part.keywords)}
            elif isinstance(part, n.Call) and self.scope.resolve(part.func) is list:
                harmless |= {name for given in part.args for name in n.walk(given) if self.lower.construction.shows(name)}
            elif isinstance(part, n.Compare):
                harmless |= {part.left, *part.comparators}
            elif isinstance(part, n.For) and not stores_through(part):
                goes = isinstance(part.iter, n.Call) and self.scope.resolve(part.iter.func) in GOING
                over = part.iter.args if goes else [part.iter]
                harmless |= {node for node in over if not self.state.divided.get(getattr(node, "id", ""))}
        return (part for part in parts if isinstance(part, n.Name) and part.id in read and part not in harmless)

    def array(self, node: n.Attribute) -> n.expr | None:
        """The local name of an array in an object from outside, to be changed in place; None if the attribute may be something else."""
        owner = self.rewritten(node.value)
        instance = self.instance(owner)
        if instance is None or not instance.path or instance.held.get(node.attr, UNKNOWN).kind != "array":
            return None
        if not stores_plainly(instance.kind):
            return None
        target = expression(self.local(owner.id, node.attr))
        target.ctx = n.Store()
        return target

    def local(self, owner: str, attribute: str) -> str:
        """The local name of an object's attribute."""
        instance = self.state.instances[owner]
        if instance.path:
            fields = getattr(instance.kind, "_fields", ())
            position = fields.index(attribute) if attribute in fields else MISSING
            return self.reached(owner, attribute, instance.held[attribute], f"{instance.path}.{attribute}", position)
        if (owner, attribute) not in self.state.locals:
            shared = (local for (other, known), local in self.state.locals.items()
                      if known == attribute and self.state.instances.get(other) is instance)  # by another name of the object
            self.state.locals[owner, attribute] = next(shared, "") or self.scope.fresh(f"{owner}_{attribute.strip('_')}")
        instance.held.setdefault(attribute, UNKNOWN)
        local = self.state.locals[owner, attribute]
        if owner in self.state.names:
            self.state.names.add(local)
        return local

    def stored(self, owner: n.expr, instance: Instance, node: n.Attribute) -> n.expr:
        """An attribute that is stored to: of an object that is made inside it is a local name."""
        found = member(instance.kind, node.attr)
        usual = stores_plainly(instance.kind) and (found is None or not hasattr(type(found), "__set__"))
        if instance.path or not usual and not isinstance(found, types.MemberDescriptorType):
            return place(n.Attribute(value=owner, attr=node.attr, ctx=node.ctx), node)
        if callable(found):
            self.refused(node, f"an attribute that hides {instance.kind.__name__}.{node.attr}",
                         "which of the two is called is not known where it may be stored later, or never", "give it a name of its own")
        if node.attr not in instance.held and hasattr(instance.kind, node.attr) and isinstance(found, DATA):
            self.refused(node, f"an attribute that is {instance.kind.__name__}.{node.attr} until it is stored to",
                         "what stores to it was not known when the object was made", f"store {node.attr} in __init__")
        target = expression(self.local(owner.id, node.attr))  # type: ignore[attr-defined]
        target.ctx = node.ctx
        return place(target, node)

    def shown(self, node: n.AST) -> Any:
        """A named tuple as the tuple of its entries; None if the expression is none."""
        instance = self.instance(node)
        if instance is None or not issubclass(instance.kind, tuple):
            return None
        fields = instance.kind._fields  # type: ignore[attr-defined]
        return place(n.Tuple(elts=[expression(self.local(node.id, name)) for name in fields], ctx=n.Load()), node)  # type: ignore[attr-defined]

    def stands(self, node: n.Name) -> bool:
        """Whether a name is of an object from outside of which nothing carries a derivative: it can stand where it stands."""
        instance = self.state.instances.get(node.id)
        return instance is not None and bool(instance.path) and not self.varies(node.id)

    def varies(self, name: str) -> bool:
        """Whether an object, or a part of it, carries a derivative."""
        parts = [local for (owner, _), local in self.state.locals.items() if owner == name != local]
        return name in self.state.names or any(map(self.varies, parts))

    def names_again(self, node: n.Assign) -> bool:
        """Whether a statement gives an object another name, which can be no other object later."""
        names = [target.id for target in node.targets if isinstance(target, n.Name)]
        known = len(names) == len(node.targets) and self.instance(node.value) is not None
        return known and not any(name in self.state.often or name in self.state.kinds or name in self.state.instances for name in names)

    def instance(self, node: n.AST) -> Instance | None:
        """The object that an expression is the name of."""
        return self.state.instances.get(node.id) if isinstance(node, n.Name) else None

    def asked(self, path: str, at: n.AST) -> Any:
        """What a gradient is asked for, as a name; of an object, the object's name and what is asked for of each attribute."""
        owner, *attributes = path.split(".")
        for attribute in attributes:
            instance = self.state.instances.get(owner)
            if instance is None or attribute not in instance.active:
                self.refused(at, f"{path} as what to differentiate by", "it is not known to be an attribute with a gradient",
                             "give an attribute that is a float or an array of floats, and example arguments to gradient_source")
                return path
            owner = self.local(owner, attribute)
        instance = self.state.instances.get(owner)
        for name in () if instance is None else instance.active:
            if not is_name(name):
                self.refused(at, f"an object with an attribute {name!r}", "that is no name, or a keyword of Python's",
                             f"give the attribute another name, or leave the object out of wrt ({path})")
        if instance is None:
            return self.asked_of_entries(owner, at)
        return owner, {name: self.asked(self.local(owner, name), at) for name in instance.active}

    def asked_of_entries(self, owner: str, at: n.AST) -> Any:
        """The same of a container with objects in it, by position or key; the name of anything else."""
        known = self.state.kinds.get(owner, UNKNOWN)
        parts = dict(known.items) if known.kind == "mapping" else dict(enumerate(known.items)) if type(known.items) is tuple else {}
        if known.kind not in ("sequence", "mapping") or not any(map(holds_mutable, parts.values())) and owner not in self.state.parted:
            return owner
        path, found = self.state.paths[owner], Words() if owner in self.state.parted else Entries()
        for key, part in parts.items():
            self.state.drawn.setdefault(owner, set()).add(key)
            if part.kind == "mapping" and part.length and part.dtype is None and all(map(is_word_of_number, part.items)):
                inner = self.reached(owner, repr(key), part, f"{path}[{key!r}]")
                self.state.parted.add(inner)
                found[key] = self.asked(inner, at)
                continue
            if part.kind == "unknown" or part.kind in ("sequence", "mapping") and not holds_object(part):
                self.refused(at, f"a container of objects and of others, as in {path}",
                             "which entry an index or a loop takes is not followed", "let an object hold the others")
            is_number = part.inexact and part.kind in ("array", "python", "numpy")
            self.state.divided.setdefault(owner, set()).update([key] * is_number)
            is_asked = part.items[2] if part.kind == "object" else is_number or holds_object(part)
            found[key] = self.asked(self.reached(owner, repr(key), part, f"{path}[{key!r}]"), at) if is_asked else None
        return owner, found

def holds_object(known: Any) -> bool:
    """Whether a value is an object of the user's, or a container with one in it."""
    if not isinstance(known, Abstract) or known.kind not in ("sequence", "mapping") or type(known.items) is not tuple:
        return isinstance(known, Abstract) and known.kind == "object"
    return any(map(holds_object, known.items if known.kind == "sequence" else dict(known.items).values()))


def holds_mutable(known: Any) -> bool:
    """Whether a value is an object of the user's other than a named tuple, or a container with one in it."""
    if isinstance(known, Abstract) and known.kind == "object":
        return not issubclass(known.items[0].value, tuple)
    if not isinstance(known, Abstract) or known.kind not in ("sequence", "mapping") or type(known.items) is not tuple:
        return False
    return any(map(holds_mutable, known.items if known.kind == "sequence" else dict(known.items).values()))


def read_by_entry(tree: n.AST, kinds: Mapping[str, Abstract]) -> set[str]:
    """The dicts of numbers and arrays, by their names, of which a text reads entries by keys that are written, and does nothing else."""
    found = {name for name, known in kinds.items() if known.kind == "mapping" and known.dtype is None and known.items
             and all(map(is_word_of_number, known.items))}
    parts = list(n.walk(tree)) if found else []
    entries = set()
    for part in parts:
        if isinstance(part, n.Subscript) and isinstance(part.ctx, n.Load) and getattr(part.value, "id", "") in found:
            entries |= {part.value} if constant(part.slice) in dict(kinds[part.value.id].items) else set()  # type: ignore[attr-defined]
    others = {part.id for part in parts if isinstance(part, n.Name) and part not in entries and not isinstance(part.ctx, n.Param)}
    return found - others


def is_word_of_number(item: tuple[Any, Abstract]) -> bool:
    """Whether an entry of a dict is a number or an array to differentiate by, and its key a word."""
    key, known = item
    return type(key) is str and known.inexact and known.kind in ("array", "python", "numpy")


def leaves_of(asked: Any) -> list[str]:
    """The names that a gradient is asked for of, those of attributes in place of objects."""
    if asked is None or isinstance(asked, str):
        return [] if asked is None else [asked]
    return [name for part in (asked[1].values() if isinstance(asked, tuple) else asked) for name in leaves_of(part)]


def owners_of(asked: Any) -> set[str]:
    """The names of the objects that a gradient is asked for of."""
    if not isinstance(asked, tuple):
        return set()
    return {asked[0]}.union(*map(owners_of, asked[1].values()))
