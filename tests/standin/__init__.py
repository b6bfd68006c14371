"""A strict stand-in for CuPy, without a GPU.

>>> from tests.standin import installed, transfers
>>> with installed() as cupy, transfers("wait") as waits:
...     a = cupy.arange(3.0)
...     t = a[0]
...     a[0] = 5
...     value = float(t)
>>> value, len(waits)
(5.0, 1)
"""

from __future__ import annotations

import contextlib
import copy
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from .library import library
from .transfers import Transfer, transfers

__all__ = ["MODULES", "Transfer", "cupy", "install", "installed", "to_device", "to_host", "transfers"]

MODULES: dict[str, ModuleType] = library()
cupy: Any = MODULES["cupy"]


def install() -> Callable[[], None]:
    """Put the stand-in in CuPy's place; what is returned takes it away again."""
    before = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] in ("cupy", "cupyx")}
    sys.modules.update(MODULES)

    def uninstall() -> None:
        for name in MODULES:
            sys.modules.pop(name, None)
        sys.modules.update(before)

    return uninstall


@contextlib.contextmanager
def installed() -> Iterator[Any]:
    uninstall = install()
    try:
        yield cupy
    finally:
        uninstall()


def mapped(move: Callable[[Any], Any], tree: Any) -> Any:
    """The tree with other leaves; dicts, lists, tuples and objects with attributes are branches."""
    if isinstance(tree, dict):
        return type(tree)((key, mapped(move, part)) for key, part in tree.items())
    if isinstance(tree, (list, tuple)):
        parts = [mapped(move, part) for part in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    if hasattr(tree, "__dict__") and not callable(tree) and type(tree).__module__.partition(".")[0] not in ("numpy", "scipy", "cupy"):
        made = copy.copy(tree)
        for name, part in vars(tree).items():
            object.__setattr__(made, name, mapped(move, part))
        return made
    return move(tree)


def to_device(tree: Any, library: Any = None) -> Any:
    """The tree with arrays of floats, integers and truth values on the device."""
    library = library or sys.modules["cupy"]
    return mapped(lambda leaf: library.array(leaf) if isinstance(leaf, np.ndarray) and leaf.dtype.kind in "biufc" else leaf, tree)


def to_host(tree: Any) -> Any:
    """The tree with the device's arrays as NumPy's."""
    return mapped(lambda leaf: leaf.get() if type(leaf).__module__.partition(".")[0] == "cupy" and hasattr(leaf, "get") else leaf, tree)
