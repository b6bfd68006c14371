"""Refuse what is made here, or unpacked into locals, and handed on whole, once the program is written."""

from __future__ import annotations

import builtins
from typing import Any

from ...analysis.statements import binds, simple
from ...syntax import nodes as n
from ...syntax.quote import names, place, statement
from ...syntax.source import Source
from ..inline.bodies import Named
from ..room import Block, Room


class Escapes(Room):
    """Looks at a whole program."""

    def beginning(self, body: list[Any], source: Source) -> Block:
        """The statements that give names to what a body reads of the parts of what is differentiated."""
        read = set().union(*(names(part) for part in body if part is not None))
        done: Block = []
        for local, value in reversed(self.state.heads.items()):
            if local in read:
                read |= names(value)
                done.append(place(statement("$x = $v", x=local, v=value), source.tree))
        return done[::-1]

    def uncalled(self, named: Named, source: Source, owners: set[str]) -> None:
        """Refuse an inner function that is not only called, and an object that is made here, or is differentiated, as a whole."""
        parts = [part for each in [*named, named.result] if each is not None for part in n.walk(each)]
        if not any(isinstance(part, n.Try) for part in parts):  # of what an exception tells nothing is read here
            raised = {inner for part in parts if isinstance(part, n.Raise) for inner in n.walk(part)}
            parts = [part for part in parts if part not in raised]
        read = {part.id for part in parts if isinstance(part, n.Name)} if self.state.defined else set()
        for node in self.lower.attributes.changeable(parts):
            self.refused(node, f"{node.id}, of which more than its parts is used,", "what was read of it might be exchanged",
                         "use its entries, attributes and methods alone", source)
        for node in parts:
            known = self.lower.attributes.instance(node)
            made = known is not None and (not known.path or any(known is self.state.instances.get(owner) for owner in owners))
            if made or isinstance(node, n.Name) and node.id in self.state.partly and node.id not in self.state.outer:
                holding = [each for each in simple(list(named)) if any(part is node for part in n.walk(each))]
                self.lower.construction.refused_object(node if hasattr(node, "lineno") or not holding else holding[-1], source)
            if isinstance(node, n.Name) and node.id in self.state.standing_in and isinstance(self.scope.functions[node.id], type):
                self.refused(node, f"the class {self.scope.functions[node.id].__name__}, as it is reached here,",
                             "by what name it can be read is not known", "call it by its name, or as module.name", source)
            if isinstance(node, n.Call) and self.scope.resolve(node.func) is builtins.super:
                self.refused(node, "super() here", "which class's method that is, is not followed", "call the method by its class", source)
        made_here = {owner for owner, known in self.state.instances.items() if not known.path}
        given = binds(list(named))
        for (owner, attribute), local in self.state.locals.items():
            if owner in self.state.leaves and local in self.state.opened and attribute in self.state.instances[owner].active:
                self.refused(source.tree, f"{attribute} of an object in a container that is differentiated", "it would be a constant",
                             "give a named tuple, or a dict", source)
            if owner in made_here and local not in given and local not in self.state.opened and local not in self.scope.free:
                unbound = next((part for part in parts if isinstance(part, n.Name) and part.id == local), None)
                if unbound is not None:
                    self.refused(unbound, f"an attribute, {attribute}, that is read without having been stored",
                                 "it would raise an AttributeError", "store it where the object is made, as None if it comes later", source)
        for name in sorted(read & set(self.state.defined)):
            tree, around = self.state.defined[name]
            self.refused(tree, "an inner function that is more than called", "functions made at run time are not followed",
                         "define it at module level, or call it directly", around)
