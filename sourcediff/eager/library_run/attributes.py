"""The attributes of Live Variables: to a program those of what they stand for, to this package all that a Variable has.

Programs find out by ``x.shape`` or ``getattr(x, "requires_grad", False)`` what they were given. A number has no shape, and an
array no graph; but a program that works with Variables of the user's finds what these have in all that it computes.
"""

from __future__ import annotations

import inspect
import sys
from typing import Any

import numpy as np

from . import methods  # noqa: F401  (which gives Live some of them)
from .live import Live, LiveNumber
from .watch import WATCH


class OfVariables:
    """An attribute that what a Live Variable stands for may not have. (``__getattr__`` says so, as it does of all that is missing.)"""

    def __init__(self, name: str, member: Any):
        self.name = name
        self.member = member

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is not None and not self._is_seen(instance, sys._getframe(1).f_globals):
            raise AttributeError(self.name)
        return self.member.__get__(instance, owner)

    def __set__(self, instance: Any, value: Any) -> None:
        if not hasattr(self.member, "__set__") or not self._is_seen(instance, sys._getframe(1).f_globals):
            raise AttributeError(f"'{type(instance._value).__name__}' object has no attribute '{self.name}'")
        self.member.__set__(instance, value)

    def _is_seen(self, instance: Any, around: dict[str, Any]) -> bool:
        ours = around.get("__name__", "").startswith("sourcediff.")
        return ours or WATCH.variables or hasattr(instance._value, self.name)


def install_attributes() -> None:
    """Give Live and LiveNumber these attributes."""
    kinds: Any = (Live, dir(np.ndarray)), (LiveNumber, ("data", *dir(float), *dir(complex)))
    for kind, own in kinds:
        for name in dir(kind):
            member = inspect.getattr_static(kind, name)
            if not name.startswith("_") and name not in own and not isinstance(member, OfVariables):
                setattr(kind, name, OfVariables(name, member))


install_attributes()
