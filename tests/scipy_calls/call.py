"""What a call is: a function of a few lines, and how its arguments are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.corpus.case import Case, Recipe, differentiable, shape_of

CALLS: list[Case] = []


def call(*recipes: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enter a function. What a recipe makes is differentiated; anything else is handed over as it is, a constant."""

    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        CALLS.append(Case(function, recipes, wrt=tuple(n for n, recipe in enumerate(recipes) if differentiable(recipe))))
        return function

    return enter


def between(low: float, high: float, dims: str) -> Recipe:
    """A float array of numbers from an interval."""
    return Recipe(lambda rng, sizes, dtype: rng.uniform(low, high, shape_of(dims, sizes)))


def increasing(low: float, high: float, dim: str) -> Recipe:
    """A float array of increasing numbers, from ``low`` to below ``high``, unevenly spaced."""

    def make(rng: np.random.Generator, sizes: Any, dtype: Any) -> Any:
        (size,) = shape_of(dim, sizes)
        return low + (high - low) * (np.arange(size) + rng.uniform(0.0, 0.6, size)) / size

    return Recipe(make)


def near(*numbers: Any) -> Recipe:
    """A float array of these numbers."""
    return Recipe(lambda rng, sizes, dtype: np.array(numbers, dtype=np.float64))


def probabilities(dim: str) -> Recipe:
    """A float array of positive numbers that sum to one."""

    def make(rng: np.random.Generator, sizes: Any, dtype: Any) -> Any:
        weights = rng.uniform(0.5, 2.0, shape_of(dim, sizes))
        return weights / weights.sum()

    return Recipe(make)
