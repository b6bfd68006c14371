"""The state of the interpreter: what structures and variables hold, and the text that is written.

Two disciplines make it sound, and both are here. **One place, one name**: each variable and each part of a structure has a name of its
own in the text, and what is stored there is assigned to it, so branches and loops change structures as they change variables. **Pin**:
what is stored in a structure, captured or given mentions no name that the text binds anew; of such a name a copy is taken first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from ..naming import is_name
from ..syntax import nodes as n
from ..syntax.quote import expression, names, place, statement
from .nodes_of_values import is_metadata, within
from .records import Records
from .values import (
    Choice,
    Final,
    Frame,
    NotInterpreted,
    OneOf,
    Row,
    Run,
    TooLong,
    Value,
)

Block = list[n.stmt]
Place = tuple[int, Any]
Site = tuple[Any, int, int]  # a function, and the place in its text

STATEMENTS = 500
"""How many statements may be written for a function besides its own."""


OF_TEXTS = (re.Pattern, re.Match)
"""The classes of regular expressions and of what they find, whose methods are computed now as those of words are."""


@dataclass
class Rows:
    """What is known of a list or dict of objects that the text holds by attributes: their class, ``list`` or ``dict``, where it is made,
    and how often an object in it was replaced.
    """

    kind: type
    container: type
    site: Site
    links: frozenset[str]  # the attributes that are others of the objects: the text has their keys
    series: frozenset[str]  # the attributes that are lists: the text has their items by key and position, and how many there are by key
    replaced: int = 0


class Names:
    """The names of the text."""

    def __init__(self, taken: set[str]):
        self.taken = taken
        self.counts: dict[str, int] = {}

    def fresh(self, base: str) -> str:
        """A name that nothing else in the text has."""
        base = base if is_name(base) else "part"
        name = base
        while name in self.taken:
            self.counts[base] = self.counts.get(base, 0) + 1
            name = f"{base}{'_' * base[-1].isdigit()}{self.counts[base]}"
        self.taken.add(name)
        return name

    def saved(self) -> Any:
        """What :meth:`restore` goes back to."""
        return set(self.taken), dict(self.counts)

    def restore(self, saved: Any) -> None:
        """Forget the names that were given since."""
        taken, counts = saved
        self.taken.intersection_update(taken)
        self.counts = dict(counts)


class State:
    """What is known at a point of the function."""

    def __init__(self, names_: Names):
        self.names = names_
        self.fresh = names_.fresh
        self.held: dict[int, dict[Any, Value]] = {}
        self.replaces = False  # whether a list that another one takes the place of becomes one of the text
        self.out: Block = []
        self.named: dict[Place, str] = {}
        self.final: set[str] = set()  # names that are bound in one place of the text, and of no variable
        self.is_fixed: Callable[[n.expr], bool] = lambda node: False  # whether an expression is always of the same from outside
        self.is_object: Callable[[n.expr], bool] = lambda node: False  # whether it is of an object of the user's
        self.is_numeric: Callable[[n.expr], bool] = lambda node: False  # whether it certainly gives numbers or arrays
        self.numeric: set[str] = set()  # names that the text binds to numbers and arrays
        self.other: set[str] = set()  # names that it binds to what may be something else
        self.is_number: Callable[[n.expr], bool] = lambda node: False  # whether it certainly gives a number
        self.is_constant: Callable[[n.expr], bool] = lambda node: False  # whether a function has the derivative zero
        self.attributes: Callable[[Value], tuple[type, dict[Any, Value]] | None] = lambda value: None  # of objects that do not change
        self.given: set[str] = set()  # names of arguments that have not been bound to anything else
        self.scalar: set[str] = set()  # names that the text binds to numbers
        self.unlike: set[str] = set()  # names that it binds to what may be no number
        self.stands: dict[str, n.expr] = {}  # names that are bound once, by what of an argument they stand for
        self.stored: set[str] = set()  # names of attributes that have been stored to
        self.renewed: set[str] = set()  # those that are stored to more than once
        self.is_part: Callable[[n.expr], bool] = lambda node: False  # whether an expression is an argument, or a part of one
        self.slices: dict[str, n.expr] = {}  # variables that are bound once, by what slice of an argument they stand for
        self.once: dict[str, n.expr] = {}  # temporaries, by what they stand for
        self.kinds: dict[str, Any] = {}  # variables of loops that stand for objects from outside, by what is known of these
        self.lists: set[str] = set()  # names of lists that the text makes
        self.dicts: set[str] = set()  # names of dicts that the text makes
        self.makers: dict[str, list[n.expr]] = {}  # all that the text has bound its names to
        self.records = Records(self.makers)
        self.sites: dict[int | str, Site] = {}  # where containers are made, by the numbers of structures and by names of the text
        self.rows: dict[int, Rows] = {}  # the structures that are columns of objects
        self.shared: set[str] = set()  # names of what a function remembers, too
        self.doubtful: set[str] = set()  # names that the text binds on some ways only
        self.early: set[str] = set()  # names that it reads before anything binds them
        self.of_trips: set[str] = set()  # those that a loop without a trip leaves unbound
        self.gone: set[int] = set()  # lists and dicts that have become ones of the text
        self.used_up: set[int] = set()  # iterators that have given their items
        self.private: set[int] = set()  # tuples of a loop, of which a copy is read
        self.frozen: set[int] = set()  # structures that only show what another one holds, and objects of which another may be a copy
        self.viewed: set[int] = set()  # objects that are seen as dicts, too: ``vars(…)``
        self.factories: dict[int | str, Any] = {}  # of dicts that make the entries that are asked for: by number, or name in the text
        self.shown: dict[int, n.expr] = {}  # structures that show a dict of the text, by how it speaks of that
        self.active: set[str] = set()  # names that may carry a derivative
        self.frames: list[Frame] = []
        self.finals: tuple[Final, ...] = ()  # of the blocks at hand, the outermost first
        self.waiting: list[list[Value]] = []  # the operands of the expressions at hand
        self.placed: dict[Place, n.AST | None] = {}  # where what is known was stored
        self.latest: Run | None = None  # a call that was written last, if nothing holds what it gives
        self.at: n.AST | None = None
        self.count = 0
        self.written, self.most = 0, STATEMENTS

    def new(self, parts: dict[Any, Value]) -> int:
        """The number of a new structure or frame."""
        self.count += 1
        self.latest = None
        self.held[self.count] = parts
        return self.count

    def emit(self, node: n.stmt) -> None:
        """Write a statement."""
        self.written += 1
        self.latest = None
        if self.written > self.most:
            raise TooLong
        if self.at is not None and getattr(node, "lineno", None) is None:
            place(node, self.at)
        if isinstance(node, (n.Assign, n.AugAssign)):
            self.note_numeric(node)
        if self.sites and isinstance(node, n.Assign) and isinstance(node.value, n.Name) and isinstance(node.targets[0], n.Name):
            if node.value.id in self.sites:  # another name of a container
                self.sites[node.targets[0].id] = self.sites[node.value.id]
        if self.shared:
            self.note_shared(node)
        if self.records.asked:
            self.records.note(node)
        self.out.append(node)

    def note_shared(self, node: Any) -> None:
        """Note which names stand for what a function remembers as well. Raises NotInterpreted for what may change that."""
        targets = [node.target] if isinstance(node, n.AugAssign) else getattr(node, "targets", [])
        stored = [target for target in targets if not isinstance(target, (n.Name, n.Tuple)) or isinstance(node, n.AugAssign)]
        given = [part for part in n.walk(node) if isinstance(part, n.keyword) and part.arg == "out"]
        given += [node] if isinstance(node, n.Expr) else []
        if not self.shared.isdisjoint(names([*stored, *given])):
            raise NotInterpreted("a change of what a function remembers")
        if isinstance(node, n.Assign) and not isinstance(node.value, (n.BinOp, n.UnaryOp, n.Compare)) and names(node.value) & self.shared:
            self.shared |= names(targets)

    def marks(self) -> set[tuple[str, str]]:
        """What has been found of names so far, which is not taken back."""
        kinds = {"active": self.active, "other": self.other, "unlike": self.unlike, "renewed": self.renewed, "shared": self.shared,
                 "of": self.records.of}
        return {(kind, name) for kind, found in kinds.items() for name in found}

    def note_numeric(self, node: Any) -> None:
        """Note which names an assignment binds to numbers, which to arrays or numbers, and which to what may be something else."""
        numeric, scalar = self.is_numeric(node.value), self.is_number(node.value)
        for target in [node.target] if isinstance(node, n.AugAssign) else node.targets:
            if isinstance(target, (n.Subscript, n.Attribute)):
                continue
            single = isinstance(target, n.Name)
            for name in names(target):
                self.note_bound(name, single and numeric, single and scalar)

    def note_bound(self, name: str, numeric: bool, scalar: bool) -> None:
        """Note what a name is bound to once more."""
        if name in self.given:  # what was an argument before
            numeric, scalar = numeric and self.is_numeric(expression(name)), scalar and self.is_number(expression(name))
            self.given.remove(name)
        (self.numeric if numeric else self.other).add(name)
        (self.scalar if scalar else self.unlike).add(name)

    def carries(self, node: n.AST) -> bool:
        """Whether an expression may carry a derivative."""
        return not self.active.isdisjoint(names(node)) and self.moves(node)

    def moves(self, node: n.AST) -> bool:
        """The same, of one that speaks of what is differentiated."""
        if isinstance(node, n.Name):
            return node.id in self.active
        if is_metadata(node) or isinstance(node, n.UnaryOp) and isinstance(node.op, n.Not):
            return False
        if isinstance(node, n.Call) and self.is_constant(node.func):
            return False
        return any(map(self.moves, n.below(node)))

    def bind(self, name: str, node: n.expr) -> Run:
        """Write ``name = node``."""
        if not (isinstance(node, n.Name) and node.id == name):
            self.kinds.pop(name, None)
            (self.dicts.add if isinstance(node, n.Dict) else self.dicts.discard)(name)
            self.makers.setdefault(name, []).append(node)
            self.emit(statement("$x = $y", x=name, y=node))
        if self.carries(node):
            self.active.add(name)
        return Run(expression(name))

    def temporary(self, node: n.expr, base: str = "t") -> Run:
        """Write an assignment to a name that nothing else binds."""
        name = self.fresh(base)
        self.final.add(name)
        self.once[name] = node
        if isinstance(node, (n.Name, n.Subscript, n.Attribute)):
            self.stands[name] = node
        return self.bind(name, node)

    def call(self, node: n.Call) -> Run:
        """Write a call that is made now."""
        self.latest = made = self.temporary(node)
        return made

    def as_whole(self, value: Value) -> Value:
        """The value of a statement: of a call that was made for it alone, the call."""
        if value is self.latest is not None:
            last: Any = self.out.pop()
            return Run(last.value)
        return value

    def name_of(self, where: Place, base: str) -> str:
        """The name of a place in the text."""
        if where not in self.named:
            self.named[where] = self.fresh(base)
        return self.named[where]

    def number_of(self, where: Place, base: str) -> str:
        """The same, of a place of which the text has the number or key of what it stands for. Raises NotInterpreted where the name was read
        before.
        """
        name = self.name_of(where, base)
        if name in self.early:
            raise NotInterpreted(f"{where[1]} may be unbound")
        return name

    def store(self, where: Place, value: Value, base: str) -> None:
        """Store a value into a variable, or into a part of a structure."""
        identity, key = where
        self.check_changeable(identity)
        self.latest = None
        if isinstance(value, Run) and not self.is_object(value.node):
            name = self.name_of(where, base)
            if all(frame.identity != identity for frame in self.frames):
                self.note_stored(name, value.node)
            value = self.bind(name, value.node)
        else:
            self.placed[where] = self.at
            if isinstance(value, (Choice, OneOf, Row)):
                value = self.pinned(value)
        self.held[identity][key] = value

    def check_changeable(self, identity: int) -> None:
        """Raise NotInterpreted where a structure shows what another one holds, or the other way round."""
        if identity in self.frozen:
            raise NotInterpreted("a store to what only shows what something else holds")

    def is_unchanged(self, written: int) -> bool:
        """Whether the text has only bound names to new lists and to literals since it had so many statements."""
        since = self.written - written
        return since <= len(self.out) and all(
            isinstance(node, n.Assign) and isinstance(node.targets[0], n.Name) and isinstance(node.value, (n.List, n.Constant))
            for node in self.out[len(self.out) - since:])

    def is_list_for_good(self, node: n.expr) -> bool:
        """Whether an expression is the one name of a list that the text makes."""
        return isinstance(node, n.Name) and node.id in self.lists and node.id in self.once

    def is_list(self, node: n.expr, around: frozenset[str] = frozenset()) -> bool:
        """Whether an expression is a name of a list that the text makes, or is bound to names of such alone (and names ``around``)."""
        made = self.makers.get(node.id, []) if isinstance(node, n.Name) else []
        if not isinstance(node, n.Name) or node.id in self.lists | around:
            return isinstance(node, n.Name)
        return bool(made) and all(self.is_list(each, around | {node.id}) for each in made)

    def note_stored(self, name: str, node: n.expr) -> None:
        """Note which part of an argument an attribute stands for, until it is stored to again."""
        self.stands.pop(name, None)
        if name in self.stored:
            self.renewed.add(name)
        elif name not in self.renewed and self.is_part(node):
            self.stands[name] = node
        self.stored.add(name)

    def pinned(self, value: Value, base: str = "t") -> Value:
        """The value as something that mentions no name that the text binds anew."""
        self.latest = None
        if isinstance(value, (Choice, OneOf)) and not (isinstance(value.number, n.Name) and value.number.id in self.final):
            return replace(value, number=self.temporary(value.number, "number").node)
        if isinstance(value, Row) and isinstance(value.key, n.Name) and value.key.id not in self.final:
            return replace(value, key=self.temporary(value.key, "key").node)
        if not isinstance(value, Run) or isinstance(value.node, n.Name) and value.node.id in self.final or self.is_fixed(value.node):
            return value
        return self.temporary(value.node, base)

    @contextmanager
    def block(self) -> Iterator[Block]:
        """A block of its own for what is written meanwhile."""
        outer, self.out = self.out, []
        try:
            yield self.out
        finally:
            self.out = outer

    def saved(self) -> Any:
        """What :meth:`restore` and :meth:`abandon` go back to."""
        names_ = dict(self.named), set(self.final), self.written, self.names.saved(), set(self.gone), set(self.used_up), set(self.stored)
        return {identity: dict(parts) for identity, parts in self.held.items()}, (self.frames, self.finals), len(self.out), names_

    def restore(self, saved: Any) -> None:
        """Go back to what was known then; what was written since stays somewhere in the text."""
        held, (self.frames, self.finals), _, _ = saved
        self.held = {identity: dict(parts) for identity, parts in held.items()}

    def changed(self, saved: Any) -> bool:
        """Whether anything that was known then is known otherwise now."""
        held, *_, (*_, used_up, _) = saved
        return not self.used_up & held.keys() <= used_up or any(
            list(now) != list(parts) or any(now[key] is not part for key, part in parts.items())
            for identity, parts in held.items() for now in [self.held[identity]])

    def abandon(self, saved: Any) -> None:
        """Go back to the state and the text as they were, in the block in which that was."""
        self.restore(saved)
        _, _, length, (named, final, self.written, names_, gone, used_up, stored) = saved
        self.named, self.final, self.used_up = dict(named), set(final), set(used_up)
        self.gone, self.stored = set(gone), set(stored)
        self.names.restore(names_)
        for about in (self.stands, self.once, self.slices, self.makers):
            for name in about.keys() - self.names.taken:
                del about[name]
        self.records.forget(self.names.taken)
        del self.out[length:]

    def reached(self) -> set[int]:
        """The numbers of all structures and frames that can be reached."""
        return within(self.held, self.roots().values())

    def roots(self) -> dict[Place, Value]:
        """The values that can be reached without going through a structure: variables of the calls at hand, operands that wait."""
        found: dict[Place, Value] = {}
        for frame in self.frames:
            each: Frame | None = frame
            while each is not None:
                found.update({(each.identity, name): value for name, value in self.held[each.identity].items()})
                each = each.around
        for row, operands in enumerate(self.waiting):
            found.update({(-1 - row, column): value for column, value in enumerate(operands)})
        return found
