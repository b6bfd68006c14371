"""What a pass is: a row of a table, which can be run, shown and looked at."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, NamedTuple

from ..syntax import nodes as n
from ..syntax.source import Source


class Pass(NamedTuple):
    """One step of the compiler.

    ``phase``: the room that its module is in.
    ``name``: its module; of a pass over a whole program, the function in ``compiler/stages/``.
    ``run``: what it does; its docstring says what that is.
    ``of``: what it is run on: the whole ``"program"``, the ``"source"`` or the ``"body"`` of every function, or a ``"callee"`` alone.
    ``gone``: the classes of statements and expressions that are not there any more after it, but for those in inner functions.
    ``core``: whether a program is in the core form (:mod:`sourcediff.core.form`) after it.
    """

    phase: str
    name: str
    run: Callable[..., Any]
    of: str = "program"
    gone: frozenset[type] = frozenset()
    core: bool = False

    def __repr__(self) -> str:
        return f"<{self.phase}/{self.name}: {self.says}>"

    @property
    def says(self) -> str:
        """What it does, in a line."""
        return (self.run.__doc__ or "").strip().splitlines()[0]


def entered() -> None:
    """Nothing is done yet."""


ENTERED = Pass("read", "enter", entered, "source")
"""The row before the first one, of each table."""

AFTER: ContextVar[tuple[Callable[[Pass, list[n.stmt], Source], None], ...]] = ContextVar("AFTER", default=())
"""What looks at the body of a function before the first row and after each: ``explain`` shows it, the tests verify its form. What another
thread compiles meanwhile is not looked at."""


def look(row: Pass, body: list[n.stmt], source: Source) -> None:
    """A pass has left this body of a function."""
    for looking in AFTER.get():
        looking(row, body, source)
