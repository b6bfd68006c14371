"""Interpret the methods of tuples, lists and dicts that are known part by part."""

from __future__ import annotations

from typing import Any

from ..syntax import nodes as n
from ..syntax.container_methods import MUTATING
from ..syntax.quote import clone, expression, place
from .builtin_calls import BuiltinCalls
from .values import Columns, Items, Known, Method, NotInterpreted, OneOf, Run, Structure, Value


class ContainerMethods(BuiltinCalls):
    """The values of calls of methods of containers."""

    def method(self, function: Method, args: list[Value], named: dict[str, Value], node: n.expr) -> Value:
        """A call of a method of a tuple, a list, a dict."""
        of, name = function.of, function.name
        if of.kind is Columns:
            return self.method_of_columns(of, name, args, named, node)
        held = self.state.held[of.identity]
        if name in MUTATING["dict"] | MUTATING["list"]:
            self.state.check_changeable(of.identity)
        if name == "__init__ of object":
            return Known(None)
        if name == "_replace" and not args:
            fields: tuple[str, ...] = of.kind._fields  # type: ignore[attr-defined]
            return self.structure(of.kind, [named.get(field, part) for field, part in zip(fields, self.parts(of))])
        if name == "_asdict":
            return self.structure(dict, dict(zip(of.kind._fields, self.parts(of))))  # type: ignore[attr-defined]
        if of.kind is list and name == "sort":
            found = self._sorted([of], named, place(n.Call(func=expression("sorted"), args=[], keywords=[]), node))
            if not isinstance(found, Structure):
                return self.called(self.method_of(of, name), args, named, node)
            if any(isinstance(part, OneOf) for part in self.parts(found)):
                self.separate(of.identity, self.parts(of)[0])
            self.replace(of, dict(enumerate(self.parts(found))))
            return Known(None)
        if named and name not in ("update",):
            raise NotInterpreted(f".{name}(…)")
        if of.kind is list:
            if name == "append":
                self.state.store((of.identity, len(held)), args[0], "part")
                return Known(None)
            if name == "extend" and (items := self.items_of(args[0])) is not None:
                for item in items:
                    self.state.store((of.identity, len(held)), item, "part")
                return Known(None)
            if name == "insert" and isinstance(args[0], Known) and type(args[0].object) is int:
                parts = [self.state.pinned(part) for part in self.parts(of)]
                parts.insert(args[0].object, self.state.pinned(args[1]))
                self.replace(of, dict(enumerate(parts)))
                return Known(None)
            if name == "pop" and all(isinstance(arg, Known) for arg in args):
                at = args[0].object if args else -1  # type: ignore[attr-defined]
                parts = [self.state.pinned(part) for part in self.parts(of)]
                if -len(parts) <= at < len(parts):
                    found = parts.pop(at)
                    self.replace(of, dict(enumerate(parts)))
                    return found
            if name in ("index", "remove") and len(args) == 1 and (at := self.place_of(of, args[0], node)) is not None:
                if name == "index":
                    return Known(at)
                parts = [self.state.pinned(part) for part in self.parts(of)]
                self.replace(of, dict(enumerate(parts[:at] + parts[at + 1:])))
                return Known(None)
            if name == "copy":
                return self.structure(list, self.parts(of))
            if name == "reverse":
                self.replace(of, dict(enumerate([self.state.pinned(part) for part in self.parts(of)][::-1])))
                return Known(None)
        if of.kind is dict:
            if name in ("items", "keys", "values"):
                return Items(name, [of])
            if name == "get" and of.identity in self.state.shown and args and not self.is_known_part(of, args[0]):
                getter = n.Attribute(value=clone(self.state.shown[of.identity]), attr=name, ctx=n.Load())
                return self.run(n.Call(func=getter, args=[self.text(arg) for arg in args], keywords=[]), node)
            if name in ("get", "setdefault", "pop") and args and not self.is_known_part(of, args[0]):
                return self.called(self.method_of(of, name), args, named, node)
            if name in ("get", "setdefault", "pop") and args:
                key, held = self.key(args[0]), self.all_parts(of)
                if key in held:
                    found = self.loaded(held[key])
                    if name == "pop":
                        found = self.state.pinned(found)
                        del held[key]
                    return found
                other = args[1] if len(args) > 1 else Known(None)
                if name == "setdefault":
                    self.state.store((of.identity, key), other, str(key))
                    return self.loaded(held[key])
                if name == "get" or len(args) > 1:
                    return other
            if name == "update" and len(args) < 2:
                entries = {**(self.entries(args[0]) if args else {}), **named}
                for key, value in {key: self.state.pinned(value) for key, value in entries.items()}.items():
                    self.state.store((of.identity, key), value, str(key))
                return Known(None)
            if name == "copy" and of.identity not in self.state.factories:
                return self.structure(dict, self.entries(of))
        if of.kind in (list, dict):
            return self.called(self.method_of(of, name), args, named, node)
        raise NotInterpreted(f".{name}() of a {of.kind.__name__}")

    def place_of(self, of: Structure, item: Value, node: n.expr) -> int | None:
        """The place in a list of what is certainly in it, None if that is not known."""
        found = self.place_in(self.parts(of), item, node)
        return None if found == -1 else found

    def method_of(self, of: Structure, name: str) -> Run:
        """A method of a container, which is one of the text from here on."""
        return Run(n.Attribute(value=self.become_text(of).node, attr=name, ctx=n.Load()))

    def replace(self, of: Structure, parts: dict[Any, Value]) -> None:
        """Give a list other parts, which are pinned."""
        self.state.held[of.identity] = {}
        for key, part in parts.items():
            self.state.store((of.identity, key), part, "part")
