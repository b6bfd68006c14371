"""What the interpreter knows a value as.

What exists only when the generated text runs is an expression of it (:class:`Run`); what exists now is itself (:class:`Known`); tuples,
lists, dicts and objects that the function makes are structures with an identity, of which the state holds the parts (``state.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..errors import UnsupportedSyntaxError
from ..syntax import nodes as n


class NotInterpreted(UnsupportedSyntaxError):
    """What the interpreter does not take: the function is refused for the reason for which it has come here."""


class TooLong(NotInterpreted):
    """What would be written out is too long."""

    def __init__(self) -> None:
        super().__init__("too much would be written out")


class Recursing(NotInterpreted):
    """A function that calls itself without an end that is known: its call stays one."""

    def __init__(self, function: Any):
        super().__init__("a function that calls itself")
        self.function = function


class Grown(Exception):
    """A list that a loop makes longer, or a container of which it is not known what is done with it: it becomes one of the text before.
    Of an object that gets an attribute of the ``name`` that its class has as well: it has its own before. Of a ``defaultdict`` the ``keys``
    of entries that only one way makes; ``chosen``: one of a branch.
    """

    def __init__(self, identity: int, kind: type = list, name: str = "", keys: tuple[Any, ...] = (), chosen: bool = False):
        self.identity, self.kind, self.name, self.keys, self.chosen = identity, kind, name, keys, chosen


class Unsettled(Exception):
    """What a loop leaves in another form than it found it: it is written out, if its trips are known."""


class Replaced(Unsettled):
    """The same, of a list that another one takes the place of: where no trips are known, it becomes one of the text."""


class Kept(Exception):
    """A loop that would be kept where each item is asked for."""


class Unordered(Exception):
    """A heap with an entry that carries a derivative, or a first item that was asked for before it was found to be that of a heap."""


class Raised(Exception):
    """An exception that is certainly raised, and caught by a ``try`` that is interpreted: ``level`` is the number of that, ``handler``
    what it does then.
    """

    def __init__(self, level: int, handler: Any):
        self.level, self.handler = level, handler


class Value:
    """What an expression stands for."""


@dataclass(frozen=True, eq=False)
class Run(Value):
    """What exists when the text runs: the expression for it."""

    node: n.expr


@dataclass(frozen=True, eq=False)
class Known(Value):
    """An object that exists now; ``node`` is how the text speaks of it, if it can."""

    object: Any
    node: n.expr | None = None


@dataclass(frozen=True, eq=False)
class Structure(Value):
    """A tuple, list, dict or object that the function makes: ``kind`` is its class, its parts are what the state holds under its number."""

    identity: int
    kind: type


class Columns:
    """The kind of a structure that is a list or a dict of objects: it holds the list or dict of the text for each of their attributes."""


class Listed:
    """The class of the "objects" in a dict of lists, if the text holds its items so: each has one attribute, its ``items``."""


@dataclass(frozen=True, eq=False)
class Row(Value):
    """An object in such a list or dict, under a key; ``replaced``: how often one had been replaced there when it was read; ``perhaps``:
    whether another one refers to it, and it may be None.
    """

    of: Structure
    key: n.expr
    replaced: int
    perhaps: bool = False


@dataclass(frozen=True, eq=False)
class Selected(Value):
    """Some of the objects in such a list or dict, in a list: those under ``keys``, an expression that gives one after the other."""

    of: Structure
    keys: n.expr
    replaced: int


@dataclass(frozen=True, eq=False)
class Series(Value):
    """A list that such an object has as an attribute; with a ``method``, that method of it. ``there``: what tells in the text whether there
    is one, and no empty one stands for it.
    """

    row: Row
    name: str
    method: str = ""
    there: n.expr | None = None


class ObjectKey(NamedTuple):
    """An object that is the key of a dict: which one it is."""

    identity: int
    kind: type


class Lost(Value):
    """What a variable stands for of which only the run tells whether it is bound, or to what."""


LOST = Lost()

PERHAPS = Lost()
"""The key, and its value, of a dict of which it is not known which of the entries that are known it has."""


class Frame(NamedTuple):
    """A call: where its variables are, the names it binds, whose names it reads from outside, and the frame around it."""

    identity: int
    bound: frozenset[str]
    function: Any  # a types.FunctionType
    around: Frame | None
    tree: Any
    owner: Any = None  # of a method, the class in which it is defined
    outer: frozenset[str] = frozenset()  # the variables of the frames around it that it binds


class Final(NamedTuple):
    """What is done when a block is left: of which call it is, how many loops were around, and what it does."""

    frame: int
    loops: int
    run: Callable[[], Any]


@dataclass(frozen=True, eq=False)
class Closure(Value):
    """A function that is called where it is known: its tree, the frame around it, the values of its defaults by parameter."""

    tree: Any
    frame: Frame | None
    function: Any  # whose names it reads from outside
    defaults: Mapping[str, Value]
    owner: Any = None
    attributes: Structure | None = None  # of a function that is defined here


@dataclass(frozen=True, eq=False)
class Bound(Value):
    """A function with some of its arguments: a method, a partial."""

    function: Value
    given: Sequence[Value]
    named: Mapping[str, Value]


@dataclass(frozen=True, eq=False)
class Cached(Value):
    """A function that remembers what it gives (``functools.cache``): what it has given once may not be changed."""

    function: Value


@dataclass(frozen=True, eq=False)
class Choice(Value):
    """One function out of several, of which the run tells the number."""

    number: n.expr
    functions: Sequence[Value]


@dataclass(frozen=True, eq=False)
class OneOf(Value):
    """One object out of several, of which the run tells the number."""

    number: n.expr
    objects: Sequence[Structure]


@dataclass(frozen=True, eq=False)
class Method(Value):
    """A method of a structure, of the given name."""

    of: Structure
    name: str


@dataclass(frozen=True, eq=False)
class Super(Value):
    """``super()``: the object, and the class after which its methods are looked up."""

    of: Value
    after: type


@dataclass(frozen=True, eq=False)
class Items(Value):
    """An iterator: ``range``, ``zip``, ``enumerate``, ``map``, a generator and their like, of what they are made of."""

    kind: str
    parts: Sequence[Any]
    born: int = 0  # how many structures there were then
