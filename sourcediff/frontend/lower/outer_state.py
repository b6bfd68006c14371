"""Refuse in-place changes of what modules, classes, functions or captured objects own."""

from __future__ import annotations

import re
import types
from typing import Any

import numpy as np

from ...analysis.source.caches import keeps_results
from ...analysis.source.changing_calls import alters
from ...analysis.source.may_be_active import carrying
from ...analysis.source.sharing import connected, holders
from ...analysis.statements import base, binds, mutates, simple, target_names, targets
from ...runtime.arrays.library import library_of
from ...runtime.user_objects import changeable_in
from ...syntax import nodes as n
from ...syntax.quote import names
from ...syntax.source import Source
from ...syntax.text import to_source
from ..inline.bodies import Named
from ..room import Room


class OuterState(Room):
    """Refuses changes in place that nobody would undo, or that would not be seen."""

    def unshared(self, named: Named, source: Source) -> None:
        """Refuse changes in place of what a class, a module or a function holds: nobody would undo them, or see them at all."""
        for node in simple(named):
            heads: list[n.AST] = [node.iter] if isinstance(node, n.For) else [] if isinstance(node, (n.If, n.While)) else [node]
            for part in (part for head in heads for part in n.walk(head) if isinstance(part, n.Attribute)):
                held = self.held(part)
                mutable = isinstance(held, MUTABLE) or library_of(held)
                if mutable and (self.changes(named, node, base(part)) or self.changes_array(named, held)):
                    self.refused(part, f"changing what {to_source(part)} stands for", "all who know it would see another one",
                                 f"change a copy of it: {part.attr} = {to_source(part)}.copy()", source)
            given = node.value if isinstance(node, n.Assign) and isinstance(node.value, n.Call) else n.Pass()
            if keeps_results(self.scope.resolve(getattr(given, "func", given))):
                if connected(named, binds(node), self.scope) & mutates(named):
                    self.refused(given, "changing what a cached function returns", "the next call of it would return what has been changed",
                                 "change a copy of it", source)

    def unaltered(self, named: Named, source: Source, start: set[str]) -> None:
        """Refuse calls that change an array which may carry a derivative, where no store has been made of them."""
        carried: set[str] | None = None
        for node in simple(named):
            heads = [node.iter] if isinstance(node, n.For) else [node.test] if isinstance(node, (n.If, n.While)) else [node]
            parts = [part for head in heads for part in n.walk(head) if type(part) is n.Call or type(part) is n.NamedExpr]
            for part in parts:
                if isinstance(part, n.NamedExpr):
                    self.refused(part, "a := here", "what it assigns is not followed there", "assign it in a statement of its own", source)
                    continue
                if not alters(part, self.scope):
                    continue
                carried = carrying(list(named), start, self.scope) if carried is None else carried
                if names(part) & carried:
                    self.refused(part, "a call that changes an array within an expression", "what it changes is not followed there",
                                 "call it in a statement of its own", source)

    def held(self, node: n.AST) -> Any:
        """What a class, a module, a function or an object from outside holds: None for anything else."""
        if isinstance(node, n.Name):
            return self.scope.free[node.id].value if node.id in self.scope.free else None
        if not isinstance(node, n.Attribute):
            return None
        owner = self.held(node.value)
        if isinstance(owner, (types.ModuleType, types.FunctionType, type)):
            return getattr(owner, node.attr, None)
        return getattr(owner, "__dict__", {}).get(node.attr)

    def changes_array(self, named: Named, held: Any) -> bool:
        """Whether a program changes an array in place by a name from outside that shares memory with what something else holds."""
        if not library_of(held):
            return False
        roots = {local: re.split(r"\W", path, maxsplit=1)[0] for local, path in self.state.opened.items()}
        known = {name: self.scope.free[root].value for name, root in ({name: name for name in self.scope.free} | roots).items()
                 if root in self.scope.free}
        alike = {name for name, value in known.items()
                 if any(library_of(part) == library_of(held) and np.may_share_memory(part, held) for part in changeable_in(value))}
        return bool(alike) and bool(connected(named, alike, self.scope) & mutates(named))

    def changes(self, named: Named, node: n.stmt, owner: str | None) -> bool:
        """Whether a statement changes what it reads of an ``owner`` in place, or another one does by the name that this one gives it."""
        value = node.iter if isinstance(node, n.For) else getattr(node, "value", None)
        given = isinstance(node, (n.Assign, n.For)) and owner in holders(value, self.scope)
        bound = {name for target in targets(node) for name in target_names(target)} if given else set()
        return owner in mutates([node]) if not bound else bool(connected(named, bound, self.scope) & mutates(named))


MUTABLE = (list, tuple, dict, set)
"""What can be changed in place, or holds what can; an array too."""
