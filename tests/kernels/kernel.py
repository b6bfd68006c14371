"""What a kernel is: a function over arrays, written for its result, with a recipe for each argument."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.corpus.case import Recipe, made

KERNELS: list[Kernel] = []
SIZES = {"n": 5, "m": 4, "k": 3}


@dataclass(frozen=True, eq=False)
class Kernel:
    """A function and its arguments by name; ``make()`` gives them afresh, the same ones at every call."""

    function: Callable[..., Any]
    recipes: dict[str, Any]

    @property
    def name(self) -> str:
        """The module and the function, as the table of refusals has it."""
        return f"{self.function.__module__.rpartition('.')[2]}.{self.function.__name__}"

    def make(self) -> dict[str, Any]:
        """Fresh arguments."""
        rng = np.random.default_rng(zlib.crc32(self.function.__name__.encode()))
        return {name: made(recipe, rng, SIZES, np.float64) for name, recipe in self.recipes.items()}


def kernel(function: Callable[..., Any], **recipes: Any) -> None:
    """Enter a kernel."""
    KERNELS.append(Kernel(function, recipes))


def scaled(recipe: Recipe, factor: float, offset: float = 0.0) -> Recipe:
    """What another recipe makes, times a factor, plus a number."""
    return Recipe(lambda *how: recipe.make(*how) * factor + offset, recipe.differentiable)
