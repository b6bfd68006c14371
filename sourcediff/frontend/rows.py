"""What a pass is to the front end: a row of a table, which can be run, shown and looked at."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, NamedTuple

from ..syntax import nodes as n
from ..syntax.source import Source


class Row(NamedTuple):
    """A pass over a function.

    ``name``: the module that it is in.
    ``run``: what it makes of the function; its docstring says what that is.
    ``gone``: the classes of statements and expressions that are not there any more after it, but for those in inner functions.
    """

    name: str
    run: Callable[..., Any]
    gone: frozenset[type] = frozenset()

    def __repr__(self) -> str:
        return f"<{self.name}: {self.says}>"

    @property
    def says(self) -> str:
        """What it does, in a line."""
        return (self.run.__doc__ or "").strip().splitlines()[0]


def entered() -> None:
    """Nothing is done yet."""


ENTERED = Row("enter", entered)
"""The row before the first one, of each table."""

AFTER: ContextVar[tuple[Callable[[Row, list[n.stmt], Source], None], ...]] = ContextVar("AFTER", default=())
"""What looks at the body of a function before the first row and after each: ``explain`` shows it, the tests verify its form. What another
thread compiles meanwhile is not looked at."""


def look(row: Row, body: list[n.stmt], source: Source) -> None:
    """A row has left this body of a function."""
    for looking in AFTER.get():
        looking(row, body, source)
