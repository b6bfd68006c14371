"""What the parts of a library run ask of the run itself, which ``rebind.py`` is."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, Protocol


class Run(Protocol):
    """One library run."""

    known: dict[int, tuple[Any, Any]]
    originals: dict[int, Any]
    copies: dict[int, FunctionType]
    caches: list[Callable[[], None]]
    builtins: dict[str, Any]
    shadows: Any
    on_device: bool

    def knows(self, value: Any, made: Any) -> None:
        """Note that ``made`` stands in for ``value``."""

    def rebound(self, value: Any) -> Any:
        """What the function sees instead of a value."""

    def wrapped(self, value: Any, foreign: bool) -> Any:
        """Float arrays as Live Variables."""

    def function(self, function: FunctionType) -> FunctionType:
        """The copy of a function."""

    def method(self, function: Any) -> Any:
        """The copy of a function that a class holds."""
