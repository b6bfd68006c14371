"""Whether all is as it was: many comparisons by identity, written as one expression and compiled, so that a call costs next to nothing.

>>> import math, types
>>> tools = types.SimpleNamespace(rate=2.0)
>>> kept = [Item(vars(tools), "rate", tools.rate), Item(vars(tools), "step", MISSING)]
>>> is_unchanged = unchanged(kept)
>>> is_unchanged()
True
>>> tools.step = 0.1
>>> is_unchanged()
False
"""

from __future__ import annotations

import functools
import types
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ...syntax.function import MISSING


class _Itself:
    """Stands for the function that is asked about, which is not to be kept alive by what is known of it."""

    def __repr__(self) -> str:
        return "ITSELF"


ITSELF: Any = _Itself()


class Item(NamedTuple):
    """What a dict (that of a class, or of a module) holds under a name, MISSING for nothing."""

    namespace: Mapping[Any, Any]
    name: Any
    value: Any

    def text(self, spell: Callable[[Any], str]) -> str:
        if self.value is MISSING:
            return f"{spell(self.name)} not in {spell(self.namespace)}"
        return f"{spell(self.namespace)}[{spell(self.name)}] is {spell(self.value)}"


class Kind(NamedTuple):
    """What a dict holds under a name is data: of which type it is; of an array, its dtype and the number of its dimensions, too."""

    namespace: Mapping[Any, Any]
    name: Any
    value: type
    dtype: Any = None
    rank: int = 0

    def text(self, spell: Callable[[Any], str]) -> str:
        if self.dtype is None:
            return f"type({spell(self.namespace)}[{spell(self.name)}]) is {spell(self.value)}"
        of = f"type(a := {spell(self.namespace)}[{spell(self.name)}]) is {spell(self.value)}"
        return f"{of} and a.ndim == {self.rank} and a.dtype == {spell(self.dtype)}"


class Word(NamedTuple):
    """A name stands for a word, or a dtype, which the compiler reads: the same, or an equal one. ``read()`` gives what is there."""

    read: Callable[[], Any]
    name: str
    value: Any

    def text(self, spell: Callable[[Any], str]) -> str:
        value = spell(self.value)
        return f"((w := {spell(self.read)}()) is {value} or type(w) is {spell(type(self.value))} and w == {value})"


class Absent(NamedTuple):
    """The names of which a class holds none."""

    namespace: Mapping[Any, Any]
    names: frozenset[str]

    def text(self, spell: Callable[[Any], str]) -> str:
        return f"{spell(self.names)}.isdisjoint({spell(self.namespace)})"


class Member(NamedTuple):
    """What an object (a module that computes its members) gives for a name."""

    owner: Any
    name: str
    value: Any

    def text(self, spell: Callable[[Any], str]) -> str:
        return f"getattr({spell(self.owner)}, {spell(self.name)}, {spell(MISSING)}) is {spell(self.value)}"


class ClosureCell(NamedTuple):
    """What a function holds of a variable of the functions around it, MISSING before it is bound."""

    function: types.FunctionType
    position: int
    value: Any

    def text(self, spell: Callable[[Any], str]) -> str:
        cell = f"{spell(self.function)}.__closure__[{self.position}]"
        if self.value is MISSING:
            return f"{spell(_is_empty)}({cell})"
        return f"{cell}.cell_contents is {spell(self.value)}"


class Body(NamedTuple):
    """A function itself: its code and its defaults."""

    function: types.FunctionType
    code: types.CodeType
    defaults: Any
    named: Any

    def text(self, spell: Callable[[Any], str]) -> str:
        function = spell(self.function)
        given = f"{function}.__defaults__ is {spell(self.defaults)} and {function}.__kwdefaults__ is {spell(self.named)}"
        return f"{function}.__code__ is {spell(self.code)} and {given}"


class Bases(NamedTuple):
    """The order in which the bases of a class are looked at."""

    kind: type
    order: tuple[type, ...]

    def text(self, spell: Callable[[Any], str]) -> str:
        return f"{spell(self.kind)}.__mro__ is {spell(self.order)}"


Condition = Item | Kind | Word | Absent | Member | ClosureCell | Body | Bases

LOST = (KeyError, AttributeError, ValueError, IndexError, TypeError)
"""What is raised where something is gone."""


def unchanged(conditions: Sequence[Condition], function: types.FunctionType | None = None) -> Callable[[], bool]:
    """A function that asks whether all of these conditions hold; ITSELF in them is ``function``, which it does not keep alive."""
    names: dict[int, str] = {id(None): "None", id(ITSELF): "function"}
    values: list[Any] = []

    def spell(value: Any) -> str:
        if id(value) not in names:
            names[id(value)] = f"v{len(values)}"
            values.append(value)
        return names[id(value)]

    text = " and ".join(dict.fromkeys(condition.text(spell) for condition in conditions)) or "True"
    found: Callable[[], bool] = _maker(text, len(values))(*values, reference=None if function is None else weakref.ref(function), lost=LOST)
    return found


@functools.lru_cache(maxsize=256)
def _maker(text: str, count: int) -> Any:
    """What makes such a function, of the values that are compared."""
    parameters = "".join(f"v{number}, " for number in range(count))
    lines = [
        f"def maker({parameters}reference, lost):",
        "    def is_unchanged():",
        *(["        function = reference()"] if "function" in text else []),
        "        try:",
        f"            return {text}",
        "        except lost:",
        "            return False",
        "    return is_unchanged",
    ]
    namespace: dict[str, Any] = {"__name__": __name__}  # by which a debugger is told to leave it out
    exec(compile("\n".join(lines), "<sourcediff unchanged>", "exec"), namespace)
    return namespace["maker"]


def _is_empty(cell: types.CellType) -> bool:
    """Whether nothing has been bound in a cell."""
    try:
        assert cell.cell_contents is not cell
    except ValueError:
        return True
    return False
