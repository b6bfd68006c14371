"""What is known of arguments, of what is read from outside, and of their parts: kinds, lengths, classes, words."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..analysis.abstract import OR_NONE, Abstract, joined_all, record_known
from ..analysis.abstraction import abstract
from ..analysis.lengths import Length, of_symbol
from ..analysis.scope import MISSING
from ..runtime.user_objects import is_users
from ..syntax import nodes as n
from ..syntax.quote import clone
from .nodes_of_values import as_node
from .state import State
from .values import Known, Run, Structure, Value

TELLING = (str, bool, type(None))
"""The types of arguments of which the value is taken for known."""

NUMBERS_OF: dict[type, Callable[[int, int], int]] = {n.Add: operator.add, n.Sub: operator.sub, n.Mult: operator.mul}


class KnownParts:
    """What is known of what the text reads from outside."""

    state: State
    arguments: dict[str, Abstract]
    settled: Mapping[str, Any]
    used: dict[str, Any]  # what has been used of what is settled
    counted: bool  # whether the length of a list among the arguments has been asked for
    opened: list[Abstract]  # the dicts of which it has been asked which entries they have
    own: dict[str, Any]  # by names of the text what they stand for
    local: frozenset[str]
    about: dict[int, Abstract | None]  # what is known of objects that are read from outside

    def held_function(self, node: n.expr) -> Value | None:
        """The function that an attribute or an entry from outside is, if it is one (``outside.py``)."""
        raise NotImplementedError

    def key(self, key: Any) -> n.expr:
        """A key of a dict as the text spells it (``outside.py``)."""
        raise NotImplementedError

    def meant(self, node: n.AST) -> Any:
        """What a name of the text stands for, or a member of a module (``outside.py``)."""
        raise NotImplementedError

    def is_numeric(self, node: n.expr) -> bool:
        """Whether an expression certainly gives numbers or arrays, and no object of the user's."""
        if isinstance(node, n.Constant):
            return isinstance(node.value, (int, float, complex))
        if isinstance(node, n.BinOp):
            return self.is_numeric(node.left) and self.is_numeric(node.right)
        if isinstance(node, n.UnaryOp):
            return self.is_numeric(node.operand)
        if isinstance(node, n.Call):
            found = self.meant(node.func)
            return isinstance(found, np.ufunc) or found in (float, int, abs, len) or getattr(found, "__module__", "") == "numpy"
        if isinstance(node, n.Name) and node.id in self.state.numeric:
            return node.id not in self.state.other
        known = self.known(node)
        if known is not None:
            return known.kind in ("array", "python", "numpy") and known.items != OR_NONE
        return isinstance(node, n.Subscript) and self.is_numeric(node.value)

    def turns(self, owner: n.expr, at: Value | None, value: Value, sliced: bool) -> bool:
        """Whether a store may let an entry of an argument, of which something is known, become something of another kind."""
        known = self.known(owner)
        if known is None or known.kind not in ("mapping", "sequence"):
            return False
        held = dict(known.items or ()) if known.kind == "mapping" else dict(enumerate(known.items)) if is_row(known.items) else {}
        key = at.object if isinstance(at, Known) else MISSING
        if known.kind == "mapping" and key is not MISSING and key not in held:
            return False
        numeric = all(part.kind in ("array", "python", "numpy") for part in (
            [held[key]] if key in held else held.values() if held else [known.items] if isinstance(known.items, Abstract) else ()))
        stored = self.state.held[value.identity].values() if sliced and isinstance(value, Structure) else [value]
        nodes = map(as_node, stored)
        return not numeric or not all(node is not None and self.is_numeric(node) for node in nodes)

    def is_number(self, node: n.expr) -> bool:
        """Whether an expression certainly gives a number."""
        if isinstance(node, n.Constant):
            return isinstance(node.value, (int, float, complex))
        if isinstance(node, (n.BinOp, n.UnaryOp)):
            return all(map(self.is_number, [node.operand] if isinstance(node, n.UnaryOp) else [node.left, node.right]))
        if isinstance(node, n.Call):
            found = self.meant(node.func)
            elementwise = isinstance(found, np.ufunc) and found.nout == 1 and not node.keywords and all(map(self.is_number, node.args))
            return elementwise or found in (float, int, len) or getattr(found, "__module__", "") == "math"
        if isinstance(node, n.Name) and node.id in self.state.scalar:
            return node.id not in self.state.unlike
        known = self.known(node)
        if known is None and isinstance(node, n.Subscript) and isinstance(node.slice, n.Constant) and type(node.slice.value) is int:
            row = self.known(node.value)
            return row is not None and row.kind == "array" and len(row.dims) == 1
        return known is not None and known.scalar

    def is_number_of_python(self, node: n.expr, around: frozenset[str] = frozenset()) -> bool:
        """Whether an expression certainly gives a number of Python's own, if the names ``around`` do."""
        if isinstance(node, n.Constant):
            return isinstance(node.value, (int, float, complex))
        if isinstance(node, (n.BinOp, n.UnaryOp)):
            parts = [node.operand] if isinstance(node, n.UnaryOp) else [node.left, node.right]
            return all(self.is_number_of_python(part, around) for part in parts)
        if isinstance(node, n.Name) and (made := self.state.makers.get(node.id)):
            certain = all(self.is_number_of_python(each, around | {node.id}) for each in made)
            return node.id in around or node.id in self.state.final and certain
        known = self.known(node)
        return known is not None and known.kind == "python" and known.items is None

    def is_array(self, node: n.expr, around: frozenset[str] = frozenset()) -> bool:
        """Whether an expression certainly gives an array that has dimensions, if the names ``around`` do."""
        if isinstance(node, n.Name) and (made := self.state.makers.get(node.id)):
            return node.id in around or all(self.is_array(each, around | {node.id}) for each in made)
        if isinstance(node, n.BinOp) and not isinstance(node.op, n.MatMult):
            arrays = [self.is_array(each, around) for each in (node.left, node.right)]
            return any(arrays) and all(known or self.is_numeric(each) for known, each in zip(arrays, (node.left, node.right)))
        if isinstance(node, n.UnaryOp):
            return self.is_array(node.operand, around)
        if isinstance(node, n.Subscript) and isinstance(node.slice, n.Slice):
            return self.is_array(node.value, around)
        if isinstance(node, n.Call) and isinstance(self.meant(node.func), np.ufunc) and not node.keywords:
            return any(self.is_array(each, around) for each in node.args)
        known = self.known(node)
        return known is not None and known.kind == "array" and bool(known.dims)

    def attributes(self, value: Run) -> dict[str, Value] | None:
        """The attributes of an argument that is an object."""
        known = self.known(value.node)
        if known is None or known.kind != "object" or known.items[1] is None:
            return None
        return {name: Run(n.Attribute(value=clone(value.node), attr=name, ctx=n.Load())) for name in dict(known.items[1])}

    def known(self, node: n.expr) -> Abstract | None:
        """What is known of an argument, or of a part of one."""
        if isinstance(node, n.Name):
            if node.id in self.state.kinds:
                known: Abstract = self.state.kinds[node.id]
                return known
            if node.id in self.state.stands:
                return self.known(self.state.stands[node.id])
            return self.arguments[node.id] if node.id in self.arguments else self.known_outside(node)
        if isinstance(node, n.Attribute) and (owner := self.known(node.value)) is not None and owner.kind == "object":
            found = dict(owner.items[1] or ()).get(node.attr)
            return found if isinstance(found, Abstract) else None
        if isinstance(node, n.Attribute):
            return self.known_outside(node)
        if isinstance(node, n.Subscript) and isinstance(node.slice, n.Constant) and (owner := self.known(node.value)) is not None:
            if owner.kind == "mapping":
                found = dict(owner.items or ()).get(node.slice.value)
                return found if isinstance(found, Abstract) else None
            if owner.kind == "sequence":
                position = node.slice.value
                if type(owner.items) is tuple and not isinstance(owner.items, Abstract):
                    return owner.items[position] if type(position) is int and -len(owner.items) <= position < len(owner.items) else None
                return owner.items if isinstance(owner.items, Abstract) else None
            if owner.kind == "array" and len(owner.dims) > 1:
                return owner._replace(dims=owner.dims[1:])
        return None

    def known_outside(self, node: n.expr) -> Abstract | None:
        """What is known of an object, or of a container, that is read from outside."""
        found = self.meant(node)
        if id(found) not in self.about and found is not MISSING:
            known = abstract(found, "outside")
            self.about[id(found)] = known if known.kind in ("object", "mapping", "sequence") else None
        return self.about.get(id(found))

    def path(self, node: n.expr) -> str | None:
        """What a part of an argument is called among the symbols of lengths."""
        if isinstance(node, n.Name):
            if node.id in self.state.stands:
                return self.path(self.state.stands[node.id])
            return node.id if node.id in self.arguments and node.id not in self.rebound else None
        if isinstance(node, n.Subscript) and isinstance(node.slice, n.Constant) and (owner := self.path(node.value)) is not None:
            return f"{owner}[{node.slice.value!r}]"
        if isinstance(node, n.Attribute) and (owner := self.path(node.value)) is not None and self.known(node.value) is not None:
            return f"{owner}:{node.attr}"
        return None

    def part(self, node: n.expr, key: Any) -> Value:
        """What stands at a position of an argument, or under a key: a word as it is."""
        at = self.key(key)
        path = self.path(node)
        word = None if path is None else self.settled.get(f"{path}[{key!r}]")
        if type(word) is str:
            self.used[f"{path}[{key!r}]"] = word
            return Known(word)
        return Run(n.Subscript(value=clone(node), slice=at, ctx=n.Load()))

    def word_held(self, node: n.expr, name: str) -> Known | None:
        """The word that is an attribute of an object that is given, or the tuple of words that its class holds."""
        path = self.path(node)
        if path is None or not isinstance(word := self.settled.get(f"{path}:{name}", MISSING), (*TELLING, tuple)):
            return None
        self.used[f"{path}:{name}"] = word
        return Known(word, n.Attribute(value=clone(node), attr=name, ctx=n.Load()))

    def got(self, node: n.expr, args: list[Value]) -> Value | None:
        """What ``get`` gives of a dict that is given, if it is known which entries that has, and this is a container, or there is none."""
        known = self.known(node) if self.is_given(node) else None
        key = args[0].object if args and isinstance(args[0], Known) else MISSING
        if known is None or known.kind != "mapping" or known.length is None or key is MISSING:
            return None
        held = dict(known.items or ())
        other = args[1] if len(args) > 1 else Known(None)
        if key in held and held[key].kind not in ("mapping", "sequence") or key not in held and not isinstance(other, Structure):
            return None
        self.opened.append(known)
        return self.part(node, key) if key in held else other

    def holds_words(self, node: n.expr) -> bool:
        """Whether there are words in an argument, or in a part of one."""
        path = self.path(node)
        return path is not None and any(type(word) is str and at.startswith(f"{path}[") for at, word in self.settled.items())

    rebound: frozenset[str] = frozenset()
    """The parameters that the function binds anew."""

    def length(self, node: n.expr) -> int | None:
        """The length of an argument, or of a part of one, if it is known."""
        path, known = self.path(node), self.known(node)
        if known is not None and known.kind == "sequence" and type(known.items) is tuple and not isinstance(known.items, Abstract):
            self.counted = True
            return len(known.items)
        held = self.meant(node)
        if type(held) is tuple:
            return len(held)
        if path is None or known is None or known.kind not in ("array", "sequence") or known.kind == "array" and not known.dims:
            return None
        self.counted = self.counted or known.kind == "sequence"
        if known.kind == "array" and isinstance(known.dims[0], int):
            return known.dims[0]
        rows = known.dims[0] if known.kind == "array" else None  # of a row of an argument its second length
        symbol = rows.terms[0][0] if isinstance(rows, Length) and rows.terms and rows == of_symbol(rows.terms[0][0]) else f"{path}.0"
        found = self.settled.get(symbol)
        if found is not None:
            self.used[symbol] = found
        return found

    def holds_any(self, node: n.expr) -> bool | None:
        """Whether a list, a tuple or a dict that is given, or read from outside, has entries, if that is known."""
        known = self.known(node)
        if known is not None and known.kind == "mapping" and known.length is not None:
            self.opened.append(known)
            return bool(known.length)
        if known is not None and (self.objects(Run(node)) is not None or self.is_empty(node)):
            self.counted = True
            return bool(known.items)
        return None

    def is_empty(self, node: n.expr) -> bool:
        """Whether a list or a tuple that is a part of an argument certainly has no items."""
        known = self.known(node) if self.is_given(node) and self.path(node) is not None else None
        found = known is not None and known.kind == "sequence" and type(known.items) is tuple and not known.items
        self.counted = self.counted or found
        return found

    def length_of_each(self, node: n.expr) -> int | None:
        """The length of what is computed from an argument number by number, if it is known."""
        if isinstance(node, n.UnaryOp):
            return self.length_of_each(node.operand)
        if isinstance(node, n.BinOp) and isinstance(node.left, n.Constant):
            return self.length_of_each(node.right)
        if isinstance(node, n.BinOp) and isinstance(node.right, n.Constant):
            return self.length_of_each(node.left)
        if isinstance(node, n.Call) and len(node.args) == 1 and not node.keywords:
            function = self.meant(node.func)
            return self.length_of_each(node.args[0]) if isinstance(function, np.ufunc) and function.nout == 1 else None
        known = self.known(node)
        return self.length(node) if known is not None and known.kind == "array" else None

    def number(self, node: n.expr) -> int | None:
        """The int that an expression is of lengths of arguments and of numbers, if it is one."""
        if isinstance(node, n.Constant):
            return node.value if type(node.value) is int else None
        named = isinstance(node, (n.Name, n.Attribute, n.Subscript))
        if named and (path := self.path(node)) is not None and type(self.settled.get(path)) is int:
            self.used[path] = self.settled[path]
            return self.used[path]  # type: ignore[no-any-return]
        if isinstance(node, n.Name) and node.id in self.state.stands:
            return self.number(self.state.stands[node.id])
        if isinstance(node, n.Name) and node.id in self.state.final and len(made := self.state.makers.get(node.id, [])) == 1:
            return self.number(made[0])
        if isinstance(node, n.Call) and getattr(node.func, "id", "") == "len" and len(node.args) == 1:
            return self.length(node.args[0])
        if isinstance(node, n.Subscript) and getattr(node.value, "attr", "") == "shape" and getattr(node.slice, "value", None) == 0:
            known = self.known(node.value.value)
            return self.length(node.value.value) if known is not None and known.kind == "array" else None
        if isinstance(node, n.UnaryOp) and isinstance(node.op, n.USub):
            return None if (number := self.number(node.operand)) is None else -number
        if isinstance(node, n.BinOp) and type(node.op) in NUMBERS_OF:
            one, other = self.number(node.left), self.number(node.right)
            return None if one is None or other is None else NUMBERS_OF[type(node.op)](one, other)
        return None

    def number_taken(self, node: n.expr) -> int | None:
        """The same, of what is already taken for settled."""
        used, counted = dict(self.used), self.counted
        if (found := self.number(node)) is not None and len(self.used) == len(used):
            return found
        self.used, self.counted = used, counted
        return None

    def kind_of(self, value: Run) -> type | None:
        """The class of an argument, or of what is read from outside, that is an object of the user's."""
        known = self.known(value.node)
        kind = known.items[0].value if known is not None and known.kind == "object" else None
        return kind if isinstance(kind, type) and is_users(kind) else None

    def kinds_held(self, node: n.expr) -> tuple[type, ...]:
        """Of which classes a list, a tuple or a dict may be that is an argument, or a part of one; none of anything else."""
        known = self.known(node)
        if known is not None and known.kind == "mapping" and known.dtype is None:
            return (dict,)
        return (list, tuple) if known is not None and known.kind == "sequence" else ()

    def is_part(self, node: n.expr) -> bool:
        """Whether an expression is an item, an entry or an attribute of an argument, of which something is known."""
        while isinstance(node, n.Name) and node.id in self.state.stands:
            node = self.state.stands[node.id]
        return (not isinstance(node, n.Name) or node.id in self.state.kinds) and self.known(node) is not None

    def is_fixed(self, node: n.expr) -> bool:
        """Whether an expression is a name from outside, or of an object in what is given or read from there: which one stays."""
        if isinstance(node, n.Name) and node.id in self.own and node.id not in self.local or self.is_object(node):
            return True
        return self.is_given(node) and (self.objects(Run(node)) is not None or self.is_table(node))

    def is_object(self, node: n.expr) -> bool:
        """Whether an expression is of an object of the user's in what is given or read from outside, or a name for good of a dict there."""
        if isinstance(node, n.Name) and node.id in self.state.once:
            return self.is_dict(self.state.once[node.id])
        return self.is_dict(node) or self.is_given(node) and (self.kind_of(Run(node)) is not None or self.objects(Run(node)) is not None)

    def is_dict(self, node: n.expr) -> bool:
        """Whether an expression is of a dict in a container that is given, of which it is known which entries it has."""
        known = self.known(node) if isinstance(node, n.Subscript) and self.path(node) is not None else None
        return known is not None and known.kind == "mapping" and known.length is not None

    def is_given(self, node: n.expr) -> bool:
        """Whether an expression is a part of an argument, or of something read from outside."""
        root: Any = node
        while isinstance(root, n.Attribute) or isinstance(root, n.Subscript) and isinstance(root.slice, n.Constant):
            root = root.value
        return isinstance(root, n.Name) and (root.id in self.own or root.id in self.arguments and root.id not in self.rebound)

    def is_table(self, node: n.expr) -> bool:
        """Whether an expression is of a container from outside in which there are objects or functions: it stays as it is."""
        known = self.known(node)
        if known is None or known.kind not in ("sequence", "mapping") or not is_row(known.items):
            return False
        parts = known.items if known.kind == "sequence" else [part for _, part in known.items]
        return any(isinstance(part, Abstract) and part.kind in ("object", "function", "bound") for part in parts)

    def object_of_all(self, value: Value) -> Abstract | None:
        """What is known of each object in a container from outside, if they are of one class and nothing in them carries a derivative."""
        node = as_node(value)
        known = None if node is None or self.objects(value) is None or self.state.carries(node) else self.known(node)
        kinds = set() if known is None else {part.items[0] if part.kind == "object" else None for part in known.items}
        return Abstract("object", items=(*kinds, None, ())) if len(kinds) == 1 and None not in kinds else None

    def held_by_class(self, value: Value) -> dict[Any, Abstract]:
        """The objects in a container from outside in which nothing carries a derivative: by their places, what is known of all that are of
        the same class; nothing of a container in which there is anything else.
        """
        node = as_node(value)
        known = None if node is None or self.state.carries(node) else self.known(node)
        if known is None or known.kind not in ("sequence", "mapping") or known.kind == "sequence" and not is_row(known.items):
            return {}
        held = dict(enumerate(known.items) if known.kind == "sequence" else known.items or ())
        if not all(isinstance(part, Abstract) and part.kind == "object" for part in held.values()):
            return {}
        alike: dict[Any, list[Abstract]] = {}
        for part in held.values():
            alike.setdefault(part.items[0], []).append(part)
        found = {kind: joined_all(tuple(parts)) for kind, parts in alike.items()}
        return {key: found[part.items[0]] for key, part in held.items()} if all(part.kind == "object" for part in found.values()) else {}

    def is_record(self, node: n.expr) -> bool:
        """Whether an expression is of a constant object of a library's, the methods of which have derivatives."""
        known = self.known(node)
        return known is not None and record_known(known) is not None

    def holds_records(self, value: Value) -> bool:
        """Whether a container from outside holds nothing but such objects, all of one class."""
        node = as_node(value)
        known = None if node is None else self.known(node)
        if known is None or known.kind not in ("sequence", "mapping") or not is_row(known.items):
            return False
        kinds = set(known.items if known.kind == "sequence" else [part for _, part in known.items])
        return len(kinds) == 1 and isinstance(kind := kinds.pop(), Abstract) and record_known(kind) is not None

    def holds_rows(self, value: Value) -> bool:
        """Whether a list or tuple from outside holds others, or nothing, as a tree does."""
        known = self.known(value.node) if isinstance(value, Run) else None
        items: Any = known.items if known is not None and known.kind == "sequence" else None
        return is_row(items) and all(isinstance(item, Abstract) and item.kind == "sequence" for item in items)

    def item_of_all(self, value: Value) -> Abstract | None:
        """What is known of each item of a list or tuple that is an argument, or a part of one, if they are alike: dicts, rows or arrays."""
        node = as_node(value)
        known = None if node is None or self.path(node) is None else self.known(node)
        items = known.items if known is not None and known.kind == "sequence" else None
        if is_row(items) and items and all(item == items[0] for item in items):
            items = items[0]
        if not isinstance(items, Abstract) or items.kind == "mapping" and (items.length is None or items.dtype is not None):
            return None
        return items if items.kind in ("mapping", "sequence", "array") else None

    def holds_numbers(self, node: n.expr) -> bool:
        """Whether an expression is of a list or a tuple, of which it is known that there is nothing in it but numbers and arrays."""
        known = self.known(node)
        items = known.items if known is not None and known.kind == "sequence" else None
        return items is not None and all(item.rank is not None for item in (items if is_row(items) else [items]))

    def holds_unlike(self, node: n.expr) -> bool:
        """Whether an expression is of a dict, of which it is known that its entries are not alike."""
        known = self.known(node)
        return known is not None and known.kind == "mapping" and len({part for _, part in known.items or ()}) > 1

    def objects(self, value: Value) -> list[Value] | None:
        """The items of a list or a tuple, given or read from outside, in which there are objects; None of anything else."""
        node = as_node(value)
        known = None if node is None else self.known(node)
        if known is None or known.kind != "sequence" or not is_row(known.items):
            return None
        if node is None or not any(map(holds_object, known.items)):
            return None
        found = [self.part(node, place_) for place_ in range(len(known.items))]
        return [(self.held_function(part.node) if isinstance(part, Run) else None) or part for part in found]

    def axes(self, node: n.expr) -> list[Value] | None:
        """The lengths in the shape of an argument, each by itself, if it is known how many there are."""
        made = self.state.makers.get(node.id, []) if isinstance(node, n.Name) and node.id in self.state.final else [node]
        shape = made[0] if len(made) == 1 else None
        known = self.known(shape.value) if isinstance(shape, n.Attribute) and shape.attr == "shape" else None
        if known is None or known.kind != "array":
            return None
        places = [n.Constant(value=axis, kind=None) for axis in range(len(known.dims))]
        return [Run(n.Subscript(value=clone(node), slice=place_, ctx=n.Load())) for place_ in places]

    def is_something(self, value: Run) -> bool:
        """Whether a value is certainly not None."""
        if isinstance(value.node, (n.BinOp, n.Compare)) or self.is_numeric(value.node):
            return True
        known = self.known(value.node)
        return known is not None and known.kind in ("array", "python", "numpy", "mapping", "sequence", "object") and known.items != OR_NONE


def holds_object(known: Abstract) -> bool:
    """Whether a value is an object of the user's, or a list or tuple with one in it."""
    return known.kind == "object" or known.kind == "sequence" and is_row(known.items) and any(map(holds_object, known.items))


def is_row(items: Any) -> bool:
    """Whether it is known of a container one by one what it holds."""
    return type(items) is tuple and not isinstance(items, Abstract)
