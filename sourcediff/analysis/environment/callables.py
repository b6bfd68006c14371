"""Functions and classes as parts of abstract values."""

from __future__ import annotations

import types
from typing import Any

from ...rules.frames import spelling


class Same:
    """A function, method or class as a part of what can be compared: equal to itself alone."""

    __slots__ = ("value",)

    def __init__(self, value: Any):
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and (self.value is other.value or self.is_method and self.value == other.value)

    def __hash__(self) -> int:
        return hash(self.value) if self.is_method else id(self.value)

    @property
    def is_method(self) -> bool:
        """Whether it is a bound method, which is a new object each time that it is read."""
        return isinstance(self.value, types.MethodType)

    def __repr__(self) -> str:
        return f"{getattr(self.value, '__module__', '')}.{getattr(self.value, '__qualname__', '') or spelling(self.value)}"
