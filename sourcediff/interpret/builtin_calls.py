"""Interpret calls of builtins, and of their like in Python's library: of what is known; the others stay."""

from __future__ import annotations

import abc
import collections
import copy
import dataclasses
import functools
import itertools
import operator
import types
from typing import Any

from ..analysis.environment.captured import is_user_function
from ..analysis.scope import MISSING
from ..rules.composites.deques import Deque
from ..runtime.user_objects import DATA, is_users
from ..syntax import nodes as n
from ..syntax.quote import clone, expression
from .builtin_iterators import BuiltinIterators
from .trees import binds_more
from .values import Bound, Closure, Columns, Items, Known, Method, NotInterpreted, Run, Selected, Series, Structure, Value

LAZY = {range: "range", zip: "zip", enumerate: "enumerate", map: "map", filter: "filter", reversed: "reversed",
        itertools.chain: "chain", itertools.product: "product", itertools.pairwise: "pairwise", itertools.islice: "islice",
        itertools.repeat: "repeat", itertools.combinations: "combinations"}
"""What gives items one after the other."""


CONTAINERS = (list, tuple, dict, set, str)
"""Classes of which no number and no array is an instance."""

FORWARDS = Known(False)


class BuiltinCalls(BuiltinIterators):
    """The values of calls of builtins."""

    def _len(self, args: list[Value], named: Any, node: n.expr) -> Value | None:
        value = args[0]
        if isinstance(value, Structure) and value.kind is Columns:
            return self.run(expression("len($x)", x=self.column(value)), node)
        if isinstance(value, Series):
            return self.run(self.number(value), node)
        if isinstance(value, Selected):
            return self.run(expression("len($x)", x=clone(value.keys)), node)
        if isinstance(value, Structure) and (value.kind in (list, dict) or issubclass(value.kind, tuple)):
            return Known(len(self.all_parts(value)))
        if isinstance(value, Structure):
            return self.called(self.attribute(value, "__len__", node), [], {}, node)
        if isinstance(value, Run) and self.outside.path(value.node) is not None and (objects := self.outside.objects(value)) is not None:
            self.outside.counted = True
            return Known(len(objects))
        kind = self.kind_of(value) if isinstance(value, Run) else None
        if kind is not None and is_user_function(self.member(kind, "__len__")):
            return self.called(self.attribute(value, "__len__", node), [], {}, node)
        return None

    def _lazy(self, kind: str, args: list[Value], named: dict[str, Value]) -> Value | None:
        """What makes an iterator: ``range``, ``zip`` and their like."""
        if kind == "range":
            if not all(isinstance(arg, Known) for arg in args):
                return None
            return None if len(range(*(arg.object for arg in args))) > 10**6 else Items("range", args)  # type: ignore[attr-defined]
        start = named.pop("start", args[1] if len(args) > 1 else Known(0)) if kind == "enumerate" else Known(0)
        named.pop("strict", None)
        plain = all(isinstance(arg, Run) or isinstance(arg, Known) and isinstance(arg.object, (int, type(None))) for arg in args)
        if kind in ("repeat", "pairwise", "combinations", "islice") and plain or kind == "product" and named:
            return None
        if named:
            raise NotInterpreted(f"options of {kind}")
        parts = [self.pinned_iterable(arg) for arg in ([args[0], start] if kind == "enumerate" else args)]
        return Items(kind, parts, self.state.new({}))

    def _list(self, args: list[Value], named: Any, node: n.expr) -> Value | None:
        return self.structure(list, []) if not args else self.listed(args[0], node)

    def _tuple(self, args: list[Value], named: Any, node: n.expr) -> Value | None:
        return self.structure(tuple, []) if not args else self.listed(args[0], node, tuple)

    def filled(self, pairs: Items, node: n.AST) -> Run:
        """A dict of the text, of which only the run tells the keys (``comprehensions.py``)."""
        raise NotImplementedError

    def _dict(self, args: list[Value], named: dict[str, Value], node: n.expr) -> Value | None:
        held: dict[Any, Value] = {}
        if args and (isinstance(args[0], Items) or isinstance(args[0], Structure) and args[0].kind in (list, tuple)):
            items = self.items_of(args[0])
            if items is None and isinstance(args[0], Items) and args[0].kind == "zip" and len(args[0].parts) == 2 and not named:
                return self.filled(args[0], node)
            if items is None:
                raise NotInterpreted("which entries a dict has is not known")
            for item in items:
                pair = self.items_of(item)
                if pair is None or len(pair) != 2:
                    raise NotInterpreted("which entries a dict has is not known")
                held[self.key(pair[0])] = pair[1]
        elif args and isinstance(args[0], Run) and not named and self.outside.entries(args[0]) is None:
            return None
        elif args:
            held |= self.entries(args[0])
        return self.structure(dict, held | named)

    def _flat(self, args: list[Value], named: Any, node: n.expr) -> Value | None:
        return None if isinstance(args[0], Run) else Items("flat", [self.pinned_iterable(args[0])], self.state.new({}))

    def _fromkeys(self, args: list[Value], named: Any, node: n.expr) -> Value | None:
        items = self.items_of(args[0])
        if items is None or not all(isinstance(item, Known) for item in items):
            return None
        value = self.state.pinned(args[1] if len(args) > 1 else Known(None))
        return self.structure(dict, {self.key(item): value for item in items})

    def _sum(self, args: list[Value], named: dict[str, Value], node: n.expr) -> Value | None:
        if isinstance(args[0], Run) or isinstance(args[0], Known):
            return None
        start = named.get("start", args[1] if len(args) > 1 else Known(0))
        return self.reduced(args[0], start, lambda total, item: self.operation(n.Add(), total, item, node), node)

    def reduced(self, items: Value, start: Value | None, step: Any, node: n.expr) -> Value:
        """An accumulation over items (``loops.py``)."""
        raise NotImplementedError

    def _reduce(self, args: list[Value], named: dict[str, Value], node: n.expr) -> Value | None:
        start = args[2] if len(args) > 2 else None
        return self.reduced(args[1], start, lambda total, item: self.called(args[0], [total, item], {}, node), node)

    def _partial(self, args: list[Value], named: dict[str, Value], node: n.expr) -> Value | None:
        return Bound(args[0], [self.state.pinned(arg) for arg in args[1:]], {name: self.state.pinned(arg) for name, arg in named.items()})

    def _isinstance(self, args: list[Value], named: Any, node: n.expr) -> Value | None:
        value, kinds = args
        known = [kind.object for kind in (kinds, *(self.parts(kinds) if isinstance(kinds, Structure) else ())) if isinstance(kind, Known)]
        if self.factory_of(value) is not None or collections.OrderedDict in known:
            raise NotInterpreted("isinstance(…)")
        if isinstance(value, Structure) and isinstance(kinds, Known) and isinstance(kinds.object, type):
            return Known(issubclass(value.kind, kinds.object))
        if isinstance(value, Structure) and isinstance(kinds, Structure):
            found = self.parts(kinds)
            if all(isinstance(kind, Known) for kind in found):
                return Known(issubclass(value.kind, tuple(kind.object for kind in found)))  # type: ignore[attr-defined]
        if isinstance(value, Known) and isinstance(kinds, Known):
            return Known(isinstance(value.object, kinds.object))
        if not isinstance(value, Run):
            raise NotInterpreted("isinstance(…)")
        asked = [kinds] if isinstance(kinds, Known) else self.parts(kinds) if isinstance(kinds, Structure) else []
        of_users = [isinstance(kind, Known) and isinstance(kind.object, type) and is_plain_class(kind.object) for kind in asked]
        if of_users and all(of_users) and (kind := self.outside.kind_of(value)) is not None:
            return Known(any(issubclass(kind, each.object) for each in asked))  # type: ignore[attr-defined]
        held = self.outside.kinds_held(value.node)
        if held and asked and all(isinstance(kind, Known) and isinstance(kind.object, type) for kind in asked):
            answers = {any(issubclass(of, kind.object) for kind in asked) for of in held}  # type: ignore[attr-defined]
            if len(answers) == 1:
                return Known(answers.pop())
        none_of_these = bool(asked) and all(
            of or isinstance(kind, Known) and any(kind.object is each for each in CONTAINERS) for of, kind in zip(of_users, asked))
        return Known(False) if none_of_these and self.outside.is_numeric(value.node) else None

    def _type(self, args: list[Value], named: Any, node: n.expr) -> Value | None:
        kind = self.kind_of(args[0]) if len(args) == 1 else None
        return None if kind is None or not is_users(kind) else self.class_of(kind, args[0])

    def _abs(self, args: list[Value], named: Any, node: n.expr) -> Value | None:
        return self.called(self.attribute(args[0], "__abs__", node), [], {}, node) if isinstance(args[0], Structure) else None

    def _callable(self, args: list[Value], named: Any, node: n.expr) -> Value | None:
        if isinstance(args[0], (Closure, Bound, Method)):
            return Known(True)
        if isinstance(args[0], Structure):
            return Known(is_users(args[0].kind) and self.member(args[0].kind, "__call__") is not None)
        if isinstance(args[0], Run) and self.outside.is_numeric(args[0].node):
            return Known(False)
        return Known(callable(args[0].object)) if isinstance(args[0], Known) else None

    def _getattr(self, args: list[Value], named: Any, node: n.expr) -> Value | None:
        name = self.key(args[1])
        if len(args) == 3:
            if self._has(args[0], name) is False:
                return args[2]
            if self._has(args[0], name) is None:
                raise NotInterpreted("getattr(…)")
        return self.attribute(args[0], name, node)

    def _has(self, value: Value, name: str) -> bool | None:
        if isinstance(value, Structure) and is_users(value.kind):
            self.loaded(self.state.held[value.identity].get(name, Known(None)))
            return name in self.state.held[value.identity] or self.member(value.kind, name) is not MISSING
        if isinstance(value, Structure) and value.kind in (tuple, list, dict):
            return hasattr(value.kind, name)
        if isinstance(value, Known) and isinstance(value.object, (types.ModuleType, type, types.NoneType, int, float, complex, str)):
            return hasattr(value.object, name)
        return None

    def _hasattr(self, args: list[Value], named: Any, node: n.expr) -> Value | None:
        found = self._has(args[0], self.key(args[1]))
        if found is None and isinstance(args[0], Run) and self.outside.kind_of(args[0]) is None:
            return None
        if found is None:
            raise NotInterpreted("hasattr(…)")
        return Known(found)

    def _setattr(self, args: list[Value], named: Any, node: n.expr) -> Value | None:
        self.assign_attribute(args[0], self.key(args[1]), args[2], node)
        return Known(None)

    def _vars(self, args: list[Value], named: Any, node: n.expr) -> Value | None:
        value = args[0]
        if isinstance(value, Structure) and is_users(value.kind):
            return self.viewed(value)
        if isinstance(value, Run) and (found := self.outside.attributes(value)) is not None:
            shown = self.structure(dict, found)
            self.state.frozen.add(shown.identity)
            return shown
        raise NotInterpreted("vars(…)")

    def _defaultdict(self, args: list[Value], named: dict[str, Value], node: n.expr) -> Value | None:
        factory = args[0] if len(args) == 1 and not named else None
        factory = factory.object if isinstance(factory, Known) else factory
        if not isinstance(factory, Closure) and factory not in (int, float, list, dict, set):
            raise NotInterpreted("which entries a defaultdict makes")
        rows = self.columns_at(node, dict) if factory is list else None
        made = rows or self.sited(self.structure(dict, {}), node)
        self.state.factories[made.identity] = factory
        return made

    def _counter(self, args: list[Value], named: dict[str, Value], node: n.expr) -> Value | None:
        if args or named:
            return None
        made = self.structure(dict, {})
        self.state.factories[made.identity] = collections.Counter
        return made

    def _deque(self, args: list[Value], named: dict[str, Value], node: n.expr) -> Value | None:
        return self.construct(Known(Deque), Deque, args, named, node)

    def _all_any(self, args: list[Value], named: Any, node: n.expr) -> Value | None:
        if isinstance(args[0], (Run, Known)):
            return None
        saved, before = self.state.saved(), len(self.state.out)
        items = self.items_of(args[0])
        whole = isinstance(args[0], Items) and args[0].kind == "generator expression" and not binds_more(args[0].parts[2])
        if items is None and not whole:
            raise NotInterpreted("what is asked of some items alone")
        if items and None in map(self.truth, items):
            if self.does_more(self.state.out[before:]):
                raise NotInterpreted("what is asked of some items alone")
            op = n.And() if self.outside.meant(node.func) is all else n.Or()
            test = n.BoolOp(op=op, values=list(map(self.text, items))) if len(items) > 1 else self.text(items[0])
            found: Value = self.run(n.Call(func=expression("bool"), args=[test], keywords=[]), node)
        else:
            found = self.stays(Known(None, node.func), [self.in_row(args[0], node)], {}, node)
        if whole:
            asked: Any = args[0]
            self.state.held[asked.parts[1].identity].clear()
            self.state.used_up.discard(asked.born)
            first, _, tree = asked.parts
            made_by = self.outside.meant(getattr(tree.generators[0].iter, "func", tree))
            if isinstance(first, Items) and made_by in (zip, enumerate, reversed):
                self.state.used_up.discard(first.born)  # nobody else knows it
        if self.state.changed(saved):
            raise NotInterpreted("what is asked of some items alone")
        return found

    def _extremum(self, args: list[Value], named: Any, node: n.expr) -> Value | None:
        function: Any = self.outside.meant(node.func)
        if len(args) > 1 and not named and all(isinstance(arg, Known) and type(arg.object) is int for arg in args):
            return Known(function(arg.object for arg in args))  # type: ignore[attr-defined]
        if len(args) == 1 and not named and (key := self.order_of(args[0])) is not None:
            named = {"key": key}
        if len(args) == 1 and isinstance(args[0], (Items, Structure)) and not named:
            items = self.items_of(args[0])
            if items is not None and len(items) == 1:
                return items[0]
            if items is not None:
                return self.run(n.Call(func=clone(node.func), args=[self.text(item) for item in items], keywords=[]), node)
            return self.run(n.Call(func=clone(node.func), args=[self.text(self.listed(args[0], node))], keywords=[]), node)
        if len(args) == 1 and set(named) == {"key"} and self.are_rows(args[0]):
            return self.in_order(args[0], named["key"], node.func, "", node)
        items = self.items_of(args[0]) if len(args) == 1 and set(named) == {"key"} and isinstance(args[0], (Items, Structure)) else None
        if not items or not any(map(self.is_apart, items)) and not all(map(self.is_word, items)):
            return None
        keys = [self.called(named["key"], [item], {}, node) for item in items]
        if all(map(self.is_told, keys)):
            return function(zip(map(self.key, keys), items), key=lambda pair: pair[0])[1]  # type: ignore[no-any-return]
        return self.by_number(self.ordered(node.func, keys).node, items, node)

    def ordered(self, function: n.expr, keys: list[Value], backwards: Known = FORWARDS) -> Run:
        """The number of the first or last of some keys, or all numbers in order."""
        held = self.state.temporary(n.List(elts=[self.text(key) for key in keys], ctx=n.Load()), "keys")
        options = ", reverse=True" if backwards.object else ""
        text = expression(f"$f(range({len(keys)}), key=$k.__getitem__{options})", f=clone(function), k=held.node)
        return self.state.temporary(text, "number")

    def _sorted(self, args: list[Value], named: dict[str, Value], node: n.expr) -> Value | None:
        """A list in the order of keys that are known."""
        args = [self.words_of_set(args[0]) or args[0], *args[1:]]
        key, backwards = named.get("key", self.order_of(args[0])), named.get("reverse", Known(False))
        if key is None and isinstance(backwards, Known) and (found := self.sorted_keys(args[0], node.func, backwards)) is not None:
            return found
        if key is not None and isinstance(backwards, Known) and self.are_rows(args[0]):
            return self.in_order(args[0], key, node.func, ", reverse=True" if backwards.object else "", node)
        of_dict = isinstance(args[0], Run) and (self.known_ones or self.known_rows)
        view = self.outside.viewed(args[0]) if of_dict else None  # type: ignore[arg-type]
        of_words = isinstance(args[0], Known) and self.is_of_words(args[0].object)
        told = not isinstance(args[0], (Run, Known)) or view is not None or of_words
        if not told or not isinstance(backwards, Known) or not set(named) <= {"key", "reverse"}:
            return None
        keys_of: list[Value] = [] if view is None else [self.outside.known_key(key) for key in view[1]]
        items = self.items_of(args[0]) if view is None else keys_of if view[0] == "keys" else None
        if items is None:
            return None
        keys = [item if key is None else self.called(key, [item], {}, node) for item in items]
        keys = self.first_parts(keys) or keys
        if not all(map(self.is_told, keys)) and (any(map(self.is_apart, items)) or all(map(self.is_word, items))):
            self.state.waiting.append(items)
            in_order = self.ordered(node.func, keys, backwards)
            items = self.state.waiting.pop()
            numbers = [expression(f"$o[{place}]", o=clone(in_order.node)) for place in range(len(items))]
            return self.structure(list, [self.by_number(number, items, node) for number in numbers])
        if not all(map(self.is_told, keys)):
            return None if of_words or key is not None else self.stays(Known(sorted, node.func), [self.structure(list, items)], named, node)
        order = sorted(range(len(items)), key=lambda place: self.key(keys[place]), reverse=bool(backwards.object))
        return self.structure(list, [items[place] for place in order])

    def first_parts(self, keys: list[Value]) -> list[Value] | None:
        """The first parts of tuples, where these are known and decide in which order the tuples come; None where they do not."""
        tuples = [key for key in keys if isinstance(key, Structure) and key.kind is tuple]
        parts = [part for key in tuples for part in self.parts(key)[:1] if self.is_told(part)]
        apart = len(parts) == len(keys) and len({self.key(part) for part in parts}) == len(keys)
        return parts if apart else None

    def words_of_set(self, value: Value) -> Structure | None:
        """The words of a set that is made of known ones, each once; None of anything else."""
        call = value.node if isinstance(value, Run) else None
        if not isinstance(call, n.Call) or self.outside.meant(call.func) is not set or not isinstance((call.args or [None])[0], n.List):
            return None
        words = [part.value if isinstance(part, n.Constant) else None for part in call.args[0].elts]
        return self.structure(tuple, list(map(Known, dict.fromkeys(words)))) if all(type(word) is str for word in words) else None

    def is_of_words(self, value: Any) -> bool:
        """Whether a container from outside holds words, or tables have them as keys."""
        return type(value) in (dict, list, tuple) and bool(value) and all(type(part) is str for part in value)

    def is_apart(self, value: Value) -> bool:
        """Whether a value is, or holds, an object, or is a dict: what is known part by part."""
        return self.holds_object(value) or isinstance(value, Structure) and value.kind is dict

    def is_word(self, value: Value) -> bool:
        """Whether a value is a word that is known."""
        return isinstance(value, Known) and isinstance(value.object, str)

    def is_told(self, value: Value) -> bool:
        """Whether a value is a number or a word that is known, or a tuple of such."""
        if isinstance(value, Structure):
            return value.kind is tuple and all(map(self.is_told, self.parts(value)))
        return isinstance(value, Known) and isinstance(value.object, (int, float, str))


    def _attrgetter(self, args: list[Value], named: dict[str, Value], node: n.expr) -> Value | None:
        name = args[0].object if len(args) == 1 and isinstance(args[0], Known) else None
        if type(name) is not str or not all(map(str.isidentifier, name.split("."))):
            return None
        return self.value(expression(f"lambda of: of.{name}"))

    def _itemgetter(self, args: list[Value], named: dict[str, Value], node: n.expr) -> Value | None:
        keys = [arg.object if isinstance(arg, Known) else None for arg in args]
        items = [f"of[{key!r}]" for key in keys if type(key) in (str, int)]
        return self.value(expression(f"lambda of: ({', '.join(items)})")) if items and len(items) == len(keys) else None


def is_plain_class(kind: type) -> bool:
    """Whether a class is one of the user's, and derived from nothing else, of which no number and no array counts as an instance."""
    if type(kind) not in (type, abc.ABCMeta) or any(issubclass(each, kind) for each in DATA):
        return False
    return all(is_users(base) or base in (object, abc.ABC) for base in kind.__mro__)


BUILTINS: dict[Any, str] = {
    len: "_len", list: "_list", tuple: "_tuple", dict: "_dict", sum: "_sum", functools.reduce: "_reduce", functools.partial: "_partial",
    isinstance: "_isinstance", abs: "_abs", type: "_type", callable: "_callable", getattr: "_getattr", hasattr: "_hasattr",
    setattr: "_setattr", vars: "_vars", all: "_all_any", any: "_all_any", sorted: "_sorted", min: "_extremum", max: "_extremum",
    iter: "_iter", next: "_next", dataclasses.replace: "_replace", dataclasses.asdict: "_asdict", copy.copy: "_copy",
    copy.deepcopy: "_deepcopy", collections.defaultdict: "_defaultdict", collections.Counter: "_counter",
    collections.OrderedDict: "_dict", collections.deque: "_deque", dict.fromkeys: "_fromkeys",
    itertools.chain.from_iterable: "_flat", itertools.accumulate: "_accumulate", itertools.groupby: "_groupby",
    itertools.count: "_count", operator.attrgetter: "_attrgetter", operator.itemgetter: "_itemgetter",
    functools.lru_cache: "_cache", functools.cache: "_cache",
}
"""The methods for the calls of builtins."""
