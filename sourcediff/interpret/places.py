"""Places of two states that are joined: what is written to their names, and what they stand for from then on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..runtime.user_objects import is_users
from ..syntax import nodes as n
from ..syntax.quote import clone, names
from .nodes_of_values import LITERALS, as_node
from .state import Place, State
from .values import LOST, Known, Row, Run, Structure, Value


def same(one: Value, other: Value) -> bool:
    """Whether two values are the same, wherever the text is."""
    if one is other:
        return True
    if isinstance(one, Known) and isinstance(other, Known):
        return one.object is other.object or type(one.object) is type(other.object) and isinstance(one.object, (int, str, float)) and (
            repr(one.object) == repr(other.object))
    return isinstance(one, Run) and isinstance(other, Run) and isinstance(one.node, n.Name) and isinstance(other.node, n.Name) and (
        one.node.id == other.node.id)


def text_of(held: dict[int, dict[Any, Value]], value: Value) -> n.expr | None:
    """A new tree for a value that is one expression, or a tuple of such; None if it is none."""
    if not isinstance(value, Structure) or value.kind is not tuple:
        return as_node(value)
    parts = [text_of(held, part) for part in held.get(value.identity, {}).values()]
    return None if None in parts else n.Tuple(elts=parts, ctx=n.Load())


def base_of(key: Any) -> str:
    """What the name of a place begins with."""
    if key == "return":
        return "value"
    return key if isinstance(key, str) and not key.startswith("__") else "part"


def is_own(state: State, where: Place, value: Value) -> bool:
    """Whether the text has a value under the name of its place, or the key of an object."""
    node = value.node if isinstance(value, Run) else value.key if isinstance(value, Row) else None
    return isinstance(node, n.Name) and node.id == state.named.get(where)


def assign(state: State, copies: dict[Place, Value]) -> None:
    """Write assignments to the names of places, all of them at once."""
    pending = {state.named[where]: as_node(value) for where, value in copies.items()}
    pending = {name: node for name, node in pending.items() if not (isinstance(node, n.Name) and node.id == name)}
    for name in list(pending):
        if any(name in names(other) for target, other in pending.items() if target != name):
            for target, other in pending.items():  # each reads what was there before
                if not isinstance(other, n.Constant):
                    pending[target] = state.temporary(other).node
            break
    for name, node in pending.items():
        state.bind(name, clone(node))


def split(state: State, places: dict[Place, int]) -> None:
    """Give each of the places a tuple of its own, of which readers get a copy; of the number that it has there, if it has one."""
    for (identity, key), number in sorted(places.items(), key=str):
        value = state.held[identity][key]
        assert isinstance(value, Structure)
        places[identity, key] = number = number or state.new({})
        state.held[number] = dict(state.held[value.identity])
        state.private.add(number)
        state.held[identity][key] = Structure(number, value.kind)


def parted(state: State, states: Sequence[dict[int, dict[Any, Value]]], places: Sequence[Place]) -> None:
    """Let the places, one in each of the states, stand for one object that is like the one there; nobody may change any of these then."""
    number = state.new({})
    for held, (identity, key) in zip(states, places):
        value = held[identity][key]
        assert isinstance(value, Structure)
        held[number] = dict(held[value.identity])
        held[identity][key] = Structure(number, value.kind)
        state.frozen |= {number, value.identity}


def opened(state: State, held: dict[int, dict[Any, Value]], where: Place) -> None:
    """Let a place stand for a structure, of an object from outside that does not change: of its attributes, as they are read."""
    identity, key = where
    value = held[identity][key]
    found = state.attributes(value)
    assert found is not None
    kind, parts = found
    number = state.new({})
    held[number] = parts
    held[identity][key] = Structure(number, kind)


def widened(state: State, places: dict[Place, Row | None]) -> None:
    """Give the places a name in the text, each of them, in the state at hand; of an object in a container of the text its key."""
    for where, row in sorted(places.items(), key=lambda item: str(item[0])):
        identity, key = where
        value = state.held[identity][key]
        node = clone(value.key) if isinstance(value, Row) else text_of(state.held, value)
        assert node is not None
        outer, state.at = state.at, state.placed.get(where, state.at)
        name = (state.name_of if row is None else state.number_of)(where, base_of(key))
        named = state.bind(name, node)
        state.held[identity][key] = named if row is None else replace(row, key=named.node)
        state.at = outer


def variable_after(state: State, where: Place, value: Value, tuples: bool = False) -> Value:
    """A variable that only one of two ways binds, as it is after both: a literal is bound in the text, too, and a tuple if that is asked
    for; what the text does not bind is lost.
    """
    shown = text_of(state.held, value) if tuples and isinstance(value, Structure) else None
    if shown is not None and not state.of_trips.isdisjoint(names(shown)):
        shown = None  # no way may read what another one only binds
    if isinstance(value, Known) and type(value.object) in LITERALS:
        shown = as_node(value)
    if isinstance(value, Row):
        value = replace(value, key=state.bind(state.number_of(where, base_of(where[1])), value.key).node)
    if shown is not None:
        value = state.bind(state.name_of(where, base_of(where[1])), shown)
    if not is_own(state, where, value):
        return LOST
    state.doubtful.add(state.named[where])
    return value


def left_structure(
    state: State, held: dict[int, dict[Any, Value]], frozen: set[int], value: Value, former: Value | None, around: tuple[int, ...] = (),
) -> Structure | None:
    """What is like a structure where a loop is left, or like the ``former`` one of another way out of it: each part stands under a name
    of its own in the text, and nobody may change either after the loop. None for what has no such form. Its parts are ``held`` by number.
    """
    if not isinstance(value, Structure) or value.identity in around or not (value.kind in (tuple, dict) or is_users(value.kind)):
        return None
    if former is not None and (not isinstance(former, Structure) or former.kind is not value.kind
                               or list(held[former.identity]) != list(state.held[value.identity])):
        return None
    number = former.identity if isinstance(former, Structure) else state.new({})
    found: dict[Any, Value] = {}
    for key, part in state.held[value.identity].items():
        there = held[number][key] if former is not None else None
        made: Value | None = None
        if isinstance(part, Structure):
            made = left_structure(state, held, frozen, part, there, (*around, value.identity))
        elif isinstance(part, Run) and (there is None or isinstance(there, Run)) and state.of_trips.isdisjoint(names(part.node)):
            made = state.bind(state.name_of((number, key), base_of(key)), part.node)
            state.doubtful.add(state.named[number, key])
        elif isinstance(part, Known) and (there is None or same(there, part)):
            made = part
        if made is None:
            return None
        found[key] = made
    held[number] = found
    frozen |= {number, value.identity}
    return Structure(number, value.kind)
