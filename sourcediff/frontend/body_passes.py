"""The passes over the body of one function, the outermost one or a callee, in the order in which they run: a row each.

Each takes a body and gives a body; what it knows of the function stands in a :class:`Frame`, which does not change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..analysis.scope import Scope
from ..core.single_exit import unify
from ..syntax import nodes as n
from ..syntax.quote import expression, following
from ..syntax.source import Source
from .lower.certain_lists import certain
from .lower.list_repetition import grounded, once_bound
from .lower.mutating_calls import mutations_as_stores
from .order.with_and_try import opened
from .passes import ENTERED, Pass, look
from .room import Block


@dataclass(frozen=True)
class Frame:
    """What the passes over a body know of its function.

    ``source``: the function itself.
    ``scope``: the names of the program.
    ``lowering``: what writes the program; it is asked what is known of names, and told what is found.
    ``given``: the parameters, by the names that they have in the program.
    ``start``: the names that may carry a derivative at the beginning.
    ``result``: the name of what is returned.
    ``wide``: names that other functions bind as well, attributes and nonlocal variables.
    ``shared``: attributes, and names that inner functions bind as well.
    """

    source: Source
    scope: Scope
    lowering: Any
    given: frozenset[str]
    start: frozenset[str]
    result: str
    wide: frozenset[str]
    shared: frozenset[str]


def _open(body: Block, frame: Frame) -> Block:
    """Write out with and try, of which the way without exceptions is taken."""
    return opened(body, frame.scope)


def _note(body: Block, frame: Frame) -> Block:
    """Note what the names stand for that are bound once: numbers by which lists are repeated."""
    once = once_bound(body, frame.scope).items()
    frame.scope.once |= grounded({name: None if name in frame.given | frame.wide else value for name, value in once})
    return body


def _unify(body: Block, frame: Frame) -> Block:
    """Leave one return, at the end, and one way out of each loop."""
    frame.lowering.bodies.counted(body)
    return unify(body, frame.result, frame.lowering.bodies.flag)


def _store(body: Block, frame: Frame) -> Block:
    """Write calls that change arrays as stores."""
    kinds, bodies, state = frame.lowering.kinds, frame.lowering.bodies, frame.lowering.state
    sequences = {name for name in frame.given if kinds.known(expression(name)).kind == "sequence"}
    lists, unsure = certain(body, set(frame.given), sequences, kinds.multiplies)
    state.unsure |= unsure
    objects = state.instances.keys() | bodies.made_in(body) | lists | bodies.lists_around()
    body = mutations_as_stores(body, frame.scope, frame.source.function, objects)
    if not any(isinstance(part, n.Name) and part.id == frame.result for node in body for part in n.walk(node)):
        frame.scope.release(frame.result)
    return body


BODY = (
    Pass("order", "with_and_try", _open, "body", frozenset({n.With, n.Try})),
    Pass("lower", "list_repetition", _note, "body"),
    Pass("lower", "single_exit", _unify, "body", frozenset({n.Continue})),
    Pass("lower", "mutating_calls", _store, "body"),
)
"""The passes, in order."""

def body_after_passes(body: Block, frame: Frame) -> Block:
    """A body after all passes; every statement has a place in the source."""
    look(ENTERED, body, frame.source)
    for row in BODY:
        body = row.run(body, frame)
        following(body, frame.source.tree)
        look(row, body, frame.source)
    return body
