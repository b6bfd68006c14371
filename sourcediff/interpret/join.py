"""Join two states: after a branch, and where a loop begins again.

What differs is assigned at the ends of both blocks, part by part; structures of the same form are the same structure afterwards, if no
other way leads to one of them alone.
"""

from __future__ import annotations

from typing import Any

from ..runtime.user_objects import is_users
from ..syntax import nodes as n
from ..syntax.quote import clone, expression
from .nodes_of_values import parts_of
from .places import assign, base_of, opened, parted, same, split, text_of, variable_after, widened
from .state import Block, Place, State
from .values import LOST, Choice, Closure, Frame, Grown, Known, OneOf, Replaced, Row, Run, Selected, Series, Structure, Unsettled, Value


def several(value: Value) -> list[Value]:
    """The functions or objects of which a value is one."""
    return [*value.functions] if isinstance(value, Choice) else [*value.objects] if isinstance(value, OneOf) else [value]


class Match:
    """What has to be done so that the state ``after`` has the form of the state ``before``: both are held parts by number.

    ``copies``: what is to be assigned to the name of a place, as the state ``after`` ends; ``wide``: the places of the state ``before``
    that need a name first, each with the object of which that is the key, if it is one in a container of the text; ``choices``: those
    that stand for one function there and for another one after, if that is ``choosing``.
    """

    def __init__(
        self, state: State, before: dict[int, dict[Any, Value]], after: dict[int, dict[Any, Value]], choosing: bool = False,
    ):
        self.state, self.before, self.after, self.choosing = state, before, after, choosing
        self.choices: dict[Place, tuple[Choice | OneOf, n.expr]] = {}  # with the number of the function after
        self.copies: dict[Place, Value] = {}
        self.wide: dict[Place, Row | None] = {}
        self.split: set[Place] = set()  # places of tuples of which others may hold the same one
        self.outside: set[tuple[bool, Place]] = set()  # places of objects from outside, beside ones made here: in the second state, or not
        self.apart: dict[Place, Place] = {}  # places of objects that are others in both states, by their places in the second
        self.lost: set[tuple[Place, Place]] = set()  # places of which only the run tells whether there is something, in both states
        self.beside: dict[int, int] = {}
        self.there: dict[int, int] = {}
        self.back: dict[int, int] = {}
        self.seen: set[tuple[int, int]] = set()
        self.around: set[int] = set()  # the numbers of the frames of the calls at hand

    def values(self, where: Place, one: Value, other: Value) -> None:
        """Match the values of one place in both states."""
        if isinstance(one, Row) or isinstance(other, Row):
            self.row(where, one, other)
        elif isinstance(one, (Selected, Series)) or isinstance(other, (Selected, Series)):
            if one is not other:
                raise Unsettled
        elif one is LOST or other is LOST:
            if not self.choosing and one is not LOST:
                raise Unsettled
            self.lost.add((where, (self.beside.get(where[0], where[0]), where[1])))
        elif self.choosing and where[0] > 0 and one is not other and self.are_objects(one, other):
            self.choose(where, one, other)
        elif self.choosing and where[0] > 0 and self.are_apart(one, other):
            self.apart[where] = self.beside.get(where[0], where[0]), where[1]
        elif isinstance(one, Structure) and isinstance(other, Structure) and not self.of_other_lengths(one, other):
            if issubclass(one.kind, tuple) and one.identity != other.identity and one.identity not in self.state.private:
                if where[0] < 0 or one.kind is not other.kind:
                    raise Unsettled
                self.split.add(where)
            else:
                self.structures(one, other)
        elif same(one, other):
            self.inner(one, other, where)
        elif self.choosing and where[0] > 0 and self.is_function(self.before, one) and self.is_function(self.after, other) and (
                getattr(one, "tree", None) is not getattr(other, "tree", None) or not isinstance(one, Closure)):
            self.choose(where, one, other)
        elif text_of(self.before, one) is not None and (node := text_of(self.after, other)) is not None:
            if where[0] < 0:
                raise Unsettled
            name = self.state.named.get(where)
            if isinstance(one, Run) and isinstance(one.node, n.Name) and one.node.id == name:
                self.copies[where] = Run(node)
            else:
                self.wide[where] = None
        elif type(one) is type(other) and not isinstance(one, (Known, Run)):
            self.inner(one, other, where)
        elif self.choosing and where[0] > 0 and self.is_beside(one, other):
            second = isinstance(other, Run)
            self.outside.add((second, (self.beside.get(where[0], where[0]), where[1]) if second else where))
        else:
            for value in (one, other):  # a list that was there before may become one of the text
                if isinstance(value, Structure) and value.kind is list and value.identity in self.before and value.identity in self.after:
                    raise Grown(value.identity, list)
            raise Unsettled(*(value for value in (one, other) if isinstance(value, Structure)))

    def row(self, where: Place, one: Value, other: Value) -> None:
        """Match two objects in one container of the text, or one of these and None: its key gets a name."""
        if one is other:
            return
        both = [value for value in (one, other) if isinstance(value, Row)]
        of, replaced = both[0].of, both[0].replaced
        alike = all(value.of.identity == of.identity and value.replaced == replaced for value in both)
        others = [value for value in (one, other) if not isinstance(value, Row)]
        known = of.identity in self.before and of.identity in self.after
        if where[0] < 0 or not alike or not known or not all(isinstance(value, Known) and value.object is None for value in others):
            raise Unsettled
        perhaps = bool(others) or any(value.perhaps for value in both)
        nothing = n.Constant(value=None, kind=None)
        named = isinstance(one, Row) and one.perhaps == perhaps and isinstance(one.key, n.Name)
        if named and one.key.id == self.state.named.get(where):  # type: ignore[attr-defined]
            self.copies[where] = Run(clone(other.key) if isinstance(other, Row) else nothing)
        else:
            self.wide[where] = Row(of, nothing, replaced, perhaps)

    def choose(self, where: Place, one: Value, other: Value) -> None:
        """Let a place stand for a function or an object of both states, by a number."""
        first, second = map(several, (one, other))
        number: n.expr = n.Constant(value=len(first), kind=None)
        if isinstance(other, (Choice, OneOf)):
            number = expression("$n + $k", n=clone(other.number), k=len(first))
        name, of_objects = expression(self.state.number_of(where, base_of(where[1]))), isinstance(first[0], Structure)
        self.choices[where] = (OneOf if of_objects else Choice)(name, first + second), number  # type: ignore[arg-type]

    def are_objects(self, one: Value, other: Value) -> bool:
        """Whether two values are objects that were there before both blocks, and not one and the same."""
        parts = [*several(one), *several(other)]
        if not all(isinstance(part, Structure) and is_users(part.kind) and not issubclass(part.kind, tuple) for part in parts):
            return False
        numbers = [part.identity for part in parts]  # type: ignore[attr-defined]
        return len(set(numbers)) > 1 and all(number in self.before and number in self.after for number in numbers)

    def are_apart(self, one: Value, other: Value) -> bool:
        """Whether two values are objects of one class, of which one is new, and the other one is known in both states."""
        if not isinstance(one, Structure) or not isinstance(other, Structure) or one.kind is not other.kind or not is_users(one.kind):
            return False
        both = one.identity in self.after, other.identity in self.before
        return one.identity != other.identity and not issubclass(one.kind, tuple) and any(both) and not all(both)

    def is_beside(self, one: Value, other: Value) -> bool:
        """Whether one of two values is an object from outside that does not change, and the other one of its class, made here."""
        made, given = (one, other) if isinstance(one, Structure) else (other, one)
        found = self.state.attributes(given) if isinstance(made, Structure) and isinstance(given, Run) else None
        return found is not None and isinstance(made, Structure) and found[0] is made.kind

    def is_function(self, held: dict[int, dict[Any, Value]], value: Value) -> bool:
        """Whether a value is a function that knows only of calls of which both states know."""
        if isinstance(value, Choice):
            return all(self.is_function(held, each) for each in value.functions)
        if isinstance(value, Closure):
            frame = value.frame
            while frame is not None and frame.identity in self.before and frame.identity in self.after:
                frame = frame.around
            return frame is None and not value.defaults
        return isinstance(value, Known) and callable(value.object)

    def of_other_lengths(self, one: Structure, other: Structure) -> bool:
        """Whether two values are tuples of which one is longer."""
        return one.kind is other.kind is tuple and len(self.before.get(one.identity, ())) != len(self.after.get(other.identity, ()))

    def inner(self, one: Value, other: Value, where: Place) -> None:
        """Match what is within two values that are no structures."""
        if isinstance(one, OneOf) and one is not other:
            raise Unsettled
        if isinstance(one, Closure) and (one.tree is not other.tree):  # type: ignore[attr-defined]
            raise Unsettled
        first, second = parts_of(one), parts_of(other)
        if len(first) != len(second) or one is not other and any(
            getattr(one, name, None) != getattr(other, name, None) for name in ("name", "after", "kind")
        ):
            raise Unsettled
        for each, its in zip(first, second):
            if isinstance(each, Frame):
                frame: Frame | None = each
                other_frame: Frame | None = its
                while frame is not None and other_frame is not None:
                    self.held(frame.identity, other_frame.identity, True)
                    frame, other_frame = frame.around, other_frame.around
            elif isinstance(each, Structure) and isinstance(its, Structure):
                if issubclass(each.kind, tuple) and each.identity != its.identity:
                    raise Unsettled
                self.structures(each, its)
            elif not same(each, its) and (type(each) is not type(its) or isinstance(each, (Known, Run))):
                raise Unsettled
            else:
                self.inner(each, its, where)

    def structures(self, one: Structure, other: Structure) -> None:
        """Match two structures: they are one afterwards."""
        if one.kind is not other.kind or self.state.factories.get(one.identity) is not self.state.factories.get(other.identity):
            raise Unsettled
        if issubclass(one.kind, tuple):
            pass  # its parts are the same for good, but not what they hold
        elif self.there.setdefault(one.identity, other.identity) != other.identity:
            raise Unsettled
        elif self.back.setdefault(other.identity, one.identity) != one.identity:
            raise Unsettled
        self.held(one.identity, other.identity, kind=one.kind)

    def held(self, one: int, other: int, variables: bool = False, kind: type | None = None) -> None:
        """Match the parts of two structures of a ``kind``, or the ``variables`` of two frames, of which the other one may have more."""
        if (one, other) in self.seen:
            return
        self.seen.add((one, other))
        self.beside[one] = other
        first, second = self.before.get(one), self.after.get(other)
        if first is None or second is None:
            raise Unsettled
        if variables and (first.keys() <= second.keys() or one == other and one in self.around):
            first = {key: value for key, value in first.items() if key in second}
            second = {key: second[key] for key in first}
        if list(first) != list(second):
            if one == other and kind is not None and (kind is list or kind is dict or is_users(kind)):
                keys = tuple(dict.fromkeys(key for key in (*first, *second) if key not in first or key not in second))
                raise Grown(one, kind, keys=keys, chosen=self.choosing)
            held = (*first.values(), *second.values())
            if kind is list and one in self.after and not any(isinstance(value, Structure) for value in held):
                raise Grown(one, list) if self.state.replaces else Replaced  # another one takes its place, longer or shorter
            raise Unsettled
        for key, value in first.items():
            self.values((one, key), value, second[key])

    def roots(self, before: dict[Place, Value], after: dict[Place, Value]) -> None:
        """Match what the calls at hand hold."""
        self.around = {number for number, _ in before}
        for where, value in before.items():
            if value is LOST:
                continue
            if where not in after:
                raise Unsettled
            self.values(where, value, after[where])


def joined(state: State, bodies: list[tuple[Block, dict[int, dict[Any, Value]], dict[Place, Value]]]) -> dict[int, dict[Any, Value]]:
    """The state after two blocks that may have run, each with what it leaves and its roots: statements are added to the ends of both."""
    (first, one, roots), (second, other, others) = bodies
    for where in roots.keys() & others.keys():
        if roots[where] is LOST or others[where] is LOST:
            one[where[0]][where[1]] = other[where[0]][where[1]] = roots[where] = others[where] = LOST
    while True:
        match = Match(state, one, other, True)
        match.roots({where: value for where, value in roots.items() if where in others or where[0] < 0}, others)
        if not match.wide and not match.split and not match.apart and not match.outside:
            break
        for after, where in match.outside:
            opened(state, other if after else one, where)
        for where, place_ in match.apart.items():
            parted(state, (one, other), (where, place_))
        if match.apart or match.outside:
            roots = {where: one[where[0]][where[1]] if where[0] > 0 else value for where, value in roots.items()}
            others = {where: other[where[0]][where[1]] if where[0] > 0 else value for where, value in others.items()}
            continue
        around = state.out, state.held
        state.out, state.held = first, one
        widened(state, match.wide)
        split(state, dict.fromkeys(match.split, 0))
        state.out, state.held = around
        roots = {where: one[where[0]][where[1]] if where[0] > 0 else value for where, value in roots.items()}
    for (identity, name), _ in match.lost:
        one[identity][name] = LOST
    outer = state.out
    for (identity, name), (choice, number) in match.choices.items():
        held_first = one[identity][name]
        state.out = first
        zero: n.expr = n.Constant(value=0, kind=None)
        state.bind(state.named[identity, name], clone(held_first.number) if isinstance(held_first, (Choice, OneOf)) else zero)
        match.copies[identity, name] = Run(number)
        one[identity][name] = choice
    state.out = second
    assign(state, match.copies)
    shown = {where: variable_after(state, where, others[where]) for where in others if where not in roots and where[0] > 0}
    state.out = first
    shown |= {where: variable_after(state, where, roots[where]) for where in roots if where not in others and where[0] > 0}
    state.out = outer
    held = {identity: dict(parts) for identity, parts in one.items()}
    for (identity, name), value in shown.items():
        if identity in held:
            held[identity][name] = value
    return held
