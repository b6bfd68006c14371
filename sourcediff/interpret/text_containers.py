"""Interpret lists and dicts that become ones of the text, where what is done with them is not known before it runs.

That happens before the outermost loop or branch around which knows the container, so that it is one thing on all ways: :class:`Grown`
goes there, and what was interpreted since is done again.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from ..analysis.statements import base, binds, loads, mutates, simple
from ..runtime.user_objects import is_users
from ..syntax import nodes as n
from ..syntax.quote import clone, expression
from .applications import Applications
from .nodes_of_values import parts_of
from .state import Block, Place
from .values import LOST, PERHAPS, Bound, Closure, Grown, Items, Method, NotInterpreted, Run, Structure, Value


def direct(value: Any) -> list[int]:
    """The numbers of the structures that a value is, or is made of."""
    if isinstance(value, Structure):
        return [value.identity]
    return [number for part in parts_of(value) for number in direct(part)] if isinstance(value, Value) else []


def is_unread(tree: Any, name: str) -> bool:
    """Whether nothing in a function reads a name that it binds."""
    return isinstance(tree, n.FunctionDef) and loaded_in(tree).isdisjoint((name, "locals", "vars", "eval", "exec"))


@lru_cache(256)
def loaded_in(tree: n.FunctionDef) -> frozenset[str]:
    """The names that a function, or one within it, reads or has in common with what is around it."""
    declared = [part.names for part in n.walk(tree) if isinstance(part, (n.Global, n.Nonlocal))]
    read = [part.id for part in n.walk(tree) if isinstance(part, n.Name) and not isinstance(part.ctx, n.Store)]
    updated = [part.target.id for part in n.walk(tree) if isinstance(part, n.AugAssign) and isinstance(part.target, n.Name)]
    return frozenset(read).union(updated, *declared)


def once(tree: Any, name: str) -> bool:
    """Whether a function binds a name in one place."""
    bound = [part for part in n.walk(tree) if isinstance(part, n.Name) and part.id == name and not isinstance(part.ctx, n.Load)]
    return len(bound) == 1


class TextContainers(Applications):
    """Containers that the text makes."""

    ahead: list[tuple[Block, Any]]  # the statements of what is computed before the loop that asks for it first, and where that stands

    begun: list[int]  # how many structures there were where the loops and branches around began, the outermost first
    @contextmanager
    def around(self) -> Iterator[None]:
        """A loop or a branch, within which a container cannot become one of the text that was there before."""
        self.begun.append(self.state.count)
        try:
            yield
        finally:
            self.begun.pop()

    def rerun(self, run: Callable[[], Any]) -> Any:
        """What a loop or a branch gives, begun once more where a container from before it has to be one of the text."""
        state = self.state
        saved, depth = state.saved(), len(state.waiting)
        made: set[tuple[int, str | tuple[Any, ...]]] = set()
        while True:
            try:
                with self.around():
                    return run()
            except Grown as growth:
                if growth.chosen and is_users(growth.kind):  # what one way asks for first, and the class computes once
                    words = (key for key in growth.keys if type(key) is str)
                    growth.name = next((key for key in words if isinstance(self.member(growth.kind, key), functools.cached_property)), "")
                ahead = growth.keys if self.known_ones and self.makes_ahead(growth.identity) else ()
                late = growth.keys if self.comes_late(growth) else ()
                step = (growth.identity, growth.name or ahead or late)
                if step in made or any(begun >= growth.identity for begun in self.begun):
                    raise
                made.add(step)
                del state.waiting[depth:]
                state.abandon(saved)
                if growth.name:
                    of = Structure(growth.identity, growth.kind)
                    member = self.member(growth.kind, growth.name)
                    begun = len(state.out)
                    if isinstance(member, functools.cached_property):
                        if not self.effective.object_is_pure(member.func):
                            raise NotInterpreted("what a class computes once does more than that") from None
                        value = self.called(self.bound(member.func, of), [], {}, state.at or n.Pass())
                    else:
                        value = self.of_class(member, growth.name, of, growth.kind)
                    state.store((growth.identity, growth.name), value, growth.name)
                    if isinstance(member, functools.cached_property):
                        self.ahead.append((state.out[begun:], self.state.at))
                elif ahead:
                    self.make_ahead(growth.identity, ahead)
                elif late:
                    state.held[growth.identity].update({PERHAPS: PERHAPS, **dict.fromkeys(late, LOST)})
                else:
                    self.as_text(growth.identity, growth.kind)
                saved = state.saved()

    def check_ahead(self, body: Block) -> None:
        """Raise NotInterpreted where a text changes what was read ahead of a loop that may ask for it in no trip, or of a branch: where it
        is asked for later it would be computed then.
        """
        statements = simple(body)
        for made, at in self.ahead:
            if not any(node is each for node in statements for each in made):
                continue  # it was interpreted once more
            reads = loads(made) - binds(made)
            alike = [(node.targets[0].id, base(node.value)) for node in statements if isinstance(node, n.Assign) and isinstance(
                node.targets[0], n.Name) and isinstance(node.value, (n.Name, n.Attribute, n.Subscript))]
            shared = {*reads}
            while added := {name for pair in alike if not shared.isdisjoint(pair) for name in pair if name} - shared:
                shared |= added
            last = max(place_ for place_, node in enumerate(statements) if any(node is each for each in made))
            if not reads.isdisjoint(binds(statements[last + 1:])) or not shared.isdisjoint(mutates(statements[last + 1:])):
                self.state.at = at
                raise NotInterpreted("what is computed once reads what changes later")

    def comes_late(self, growth: Grown) -> bool:
        """Whether an attribute, or an entry of a dict, that a loop or a branch stores first may be read in it after that alone."""
        words = all(type(part) in (str, int) for key in growth.keys for part in (key if type(key) is tuple else (key,)))
        known = is_users(growth.kind) or self.known_ones and growth.kind is dict and growth.identity not in self.state.factories
        return words and known

    def makes_ahead(self, identity: int) -> bool:
        """Whether the entries of a ``defaultdict`` may be made before they are asked for: they hold nothing yet."""
        return self.state.factories.get(identity) in (list, dict, int, float)

    def make_ahead(self, identity: int, keys: tuple[Any, ...]) -> None:
        """Make entries of a ``defaultdict`` before a loop or a branch that may ask for them. Which it has is not known from here on."""
        self.state.held[identity][PERHAPS] = PERHAPS
        for key in keys:
            self.state.store((identity, key), self.made_entry(self.state.factories[identity], self.state.at or n.Pass()), str(key))

    def become_text(self, of: Structure) -> Run:
        """The name of a list or dict that is one of the text from here on."""
        nested = any(isinstance(part, Structure) and part.kind in (list, dict) for part in self.state.held[of.identity].values())
        known = self.known_ones or self.known_rows and nested
        if known or of.kind not in (list, dict) or of.identity in self.state.frozen or of.identity in self.state.shown:
            raise NotInterpreted(f"which part of a {of.kind.__name__} is meant")
        if any(begun >= of.identity for begun in self.begun):
            raise Grown(of.identity, of.kind)
        return self.as_text(of.identity, of.kind)

    def as_text(self, identity: int, kind: type) -> Run:
        """Make a list or dict of the text of one that is known, wherever it is held."""
        state = self.state
        if PERHAPS in state.held[identity]:
            raise NotInterpreted("which entries a dict has is not known")
        if identity in state.viewed:
            raise NotInterpreted("which attribute of an object is meant")
        for part in list(state.held[identity].values()):
            if isinstance(part, Structure) and part.kind in (list, dict):
                self.as_text(part.identity, part.kind)
        for part in state.held[identity].values():
            self.separate(identity, part)
        keys, parts = list(state.held[identity]), [self.text(part, True) for part in state.held[identity].values()]
        shown: n.expr = n.List(elts=parts, ctx=n.Load())
        if kind is dict:
            shown = n.Dict(keys=[self.outside.key(key) for key in keys], values=parts)
        if (where := self.only_variable(identity)) is not None:
            state.at, outer = state.placed.get(where, state.at), state.at
            state.store(where, Run(shown), where[1])
            state.at = outer
            name = expression(state.named[where])
        else:
            name = state.temporary(shown, "items" if kind is list else "entries").node
        if kind is list:
            state.lists.add(name.id)
        if identity in state.factories:
            state.factories[name.id] = state.factories[identity]
        if identity in state.sites:
            state.sites[name.id] = state.sites[identity]
        state.gone.add(identity)

        self.exchange(identity, Run(name))
        return Run(clone(name))

    def exchange(self, identity: int, other: Value) -> None:
        """Let another value stand wherever a structure stood."""

        def now(value: Any) -> Any:
            if identity not in direct(value):
                return value
            if isinstance(value, Structure):
                return Run(clone(other.node)) if isinstance(other, Run) else other
            if isinstance(value, Method) and isinstance(other, Run):
                return Run(n.Attribute(value=clone(other.node), attr=value.name, ctx=n.Load()))
            if isinstance(value, Items):
                return dataclasses.replace(value, parts=[now(part) for part in value.parts])
            if isinstance(value, Bound):
                named = {key: now(part) for key, part in value.named.items()}
                return Bound(now(value.function), [now(part) for part in value.given], named)
            if isinstance(value, Closure):
                return dataclasses.replace(value, defaults={key: now(part) for key, part in value.defaults.items()})
            if isinstance(other, Run):
                return value
            raise NotInterpreted("an object that changes in a container of the text")

        for held in self.state.held.values():
            for key, value in held.items():
                held[key] = now(value)
        for waiting in self.state.waiting:
            waiting[:] = map(now, waiting)

    def only_variable(self, identity: int) -> Place | None:
        """The variable that alone holds a container, and is bound to nothing else."""
        owners = self.state.reached() | {owner for owner, _ in self.state.roots() if owner > 0}
        places = [(owner, key) for owner in owners for key, value in self.state.held[owner].items() if identity in direct(value)]
        trees = {frame.identity: frame.tree for frame in self.state.frames}
        (owner, name), *others = places or [(0, None)]
        return (owner, name) if owner in trees and not others and trees[owner] is not None and once(trees[owner], name) else None

    def stays_known(self, value: Structure) -> None:
        """Refuse a container over which a loop goes that is written out, if it has become one of the text meanwhile."""
        if value.identity in self.state.gone:
            raise NotInterpreted("a container that changes while a loop goes over it")
