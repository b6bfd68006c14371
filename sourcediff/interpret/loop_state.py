"""A loop that is kept in the text, while its body is interpreted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..syntax import nodes as n
from .state import Place
from .values import Frame, Row, Value

TRIPS = 64
"""How many trips of a loop are written out at most."""

Consume = Callable[[Value], Any]

Begin = Callable[[list[n.stmt]], Any]


@dataclass
class Loop:
    """A loop that is kept in the text, while its body is interpreted."""

    held: Any  # the parts of structures as it begins
    roots: Any
    frame: Frame
    begun: int = 0  # how many structures there were then
    node: Any = None
    wide: dict[Place, Row | None] = field(default_factory=dict)
    split: set[Place] = field(default_factory=set)
    left: bool = False  # whether a trip may end before its last statement
    broken: bool = False  # whether one may be the last
    bound: dict[Place, Value] = field(default_factory=dict)  # the variables that it has bound where it is left
    copies: dict[int, dict[Any, Value]] = field(default_factory=dict)  # the parts of structures that it returns, by number
    frozen: set[int] = field(default_factory=set)  # these, and what they are like
    match: Any = None  # of what it begins with and what its last trip leaves


def may_be_none(row: Row | None) -> bool:
    """Whether what a name stands for is an object in a container of the text, or None."""
    return row is not None and row.perhaps
