"""Interpret calls that are computed now, as all that they are given is known, and calls of functions that remember what they give."""

from __future__ import annotations

import functools
import re
import types
from typing import Any

from ..syntax import nodes as n
from .container_methods import ContainerMethods
from .nodes_of_values import LITERALS, within
from .state import OF_TEXTS
from .values import Bound, Cached, Closure, Grown, Kept, Known, NotInterpreted, Run, Structure, Unsettled, Value

OF_WORDS = (
    len, int, float, ord, re.findall, re.split, re.sub, re.match, re.fullmatch, re.search, re.compile,
)
"""Functions that are computed now, if all that they are given is known, and a word is among it."""


class KnownNow(ContainerMethods):
    """The values of calls that leave nothing to be run, and of those that are made once."""

    now = False
    """Whether nothing may be left to be run."""

    loops: list[Any]  # those around (``loops.py``)
    base = 0
    """How many loops were around when the function at hand was called."""

    def of_words(self, function: Any, args: list[Value], named: dict[str, Value]) -> Value | None:
        """What a function makes of words that are known, None of any other call."""
        given = [*args, *named.values()]
        if not all(isinstance(value, Known) and type(value.object) in (str, int, bool, type(None)) for value in given):
            return None
        method = isinstance(function, types.BuiltinMethodType) and isinstance(function.__self__, (str, *OF_TEXTS))
        if not method and not (any(function is each for each in OF_WORDS) and any(type(value.object) is str for value in given)):  # type: ignore[attr-defined]
            return None
        now: Any = [value.object for value in args]  # type: ignore[attr-defined]
        try:
            found = function(*now, **{name: value.object for name, value in named.items()})  # type: ignore[attr-defined]
        except Exception as error:
            self.raises(type(error))
            return None
        if type(found) in (list, tuple) and all(type(part) in LITERALS for part in found):
            return self.structure(type(found), [Known(part) for part in found])
        return Known(found) if isinstance(found, (*LITERALS, *OF_TEXTS)) else None

    def _cache(self, args: list[Value], named: dict[str, Value], node: n.expr) -> Value | None:
        function = args[0] if args else None
        if isinstance(function, (Closure, Bound)) or isinstance(function, Known) and isinstance(function.object, types.FunctionType):
            return Cached(self.state.pinned(function))
        return Known(functools.cache) if all(isinstance(value, Known) for value in (*args, *named.values())) else None

    def known_now(self, function: Any, args: list[Value], named: dict[str, Value], node: n.expr) -> Value | None:
        """What a function makes of words, or of nothing, if all of it is known now and nothing has to run for it; None of anything else."""
        given = [*args, *named.values()]
        if not all(isinstance(value, Known) for value in given) or given and not any(type(value.object) is str for value in given):  # type: ignore[attr-defined]
            return None
        saved, depth, around, before = self.state.saved(), len(self.state.waiting), (self.loops, self.base), len(self.state.out)
        outer, self.now = self.now, True
        try:
            with self.state.block() as block:
                value = self.function(self.outside.function(function), args, named, node)
            if not block and self.is_known_now(value):
                return value
        except (NotInterpreted, Unsettled, Grown, Kept):
            del self.state.waiting[depth:]
            self.loops, self.base = around
        finally:
            self.now = outer
        assert len(self.state.out) == before
        self.state.abandon(saved)
        return None

    def is_known_now(self, value: Value) -> bool:
        """Whether a value, and all that it holds, is known."""
        held = [part for identity in within(self.state.held, [value]) for part in self.state.held[identity].values()]
        return all(isinstance(part, (Known, Structure)) for part in (value, *held))

    def remembered(self, function: Value, args: list[Value], named: dict[str, Value], node: n.expr) -> Value:
        """The value of a call of a function that remembers what it gives: it is computed at each call, and stays as it is."""
        saved, before = self.state.saved(), len(self.state.out)
        value = self.called(function, args, named, node)
        if self.state.changed(saved) or self.does_more(self.state.out[before:]):
            raise NotInterpreted("a function that remembers what it gives does more than that")
        return self.unchanging(value)

    def unchanging(self, value: Value) -> Value:
        """A value that nothing may change."""
        if isinstance(value, Structure) and value.kind is tuple:
            return self.structure(tuple, [self.unchanging(part) for part in self.parts(value)])
        if isinstance(value, Structure):
            raise NotInterpreted("a list, a dict or an object that a function remembers")
        if isinstance(value, Run) and not self.outside.is_number(value.node):
            value = self.state.temporary(value.node)
            self.state.shared.add(value.node.id)
        return value
