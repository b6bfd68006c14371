"""Functions and classes as parts of abstract values."""

from __future__ import annotations

from typing import Any

from ...rules.frames import spelling


class Same:
    """A function or class as a part of what can be compared: equal to itself alone."""

    __slots__ = ("value",)

    def __init__(self, value: Any):
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)

    def __repr__(self) -> str:
        return f"{getattr(self.value, '__module__', '')}.{getattr(self.value, '__qualname__', '') or spelling(self.value)}"
