"""What a case is: a plain function and a recipe for its arguments."""

from __future__ import annotations

import inspect
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

Sizes = Mapping[str, int]
SIZES: tuple[Sizes, ...] = ({"n": 5, "m": 3, "k": 2}, {"n": 6, "m": 4, "k": 3})
UNIT_SIZES: tuple[Sizes, ...] = ({"n": 1, "m": 3, "k": 2}, {"n": 4, "m": 1, "k": 1})


class Recipe:
    """How one argument is made: ``make(rng, sizes, dtype)`` gives it afresh."""

    def __init__(self, make: Callable[[np.random.Generator, Sizes, Any], Any], differentiable: bool = True):
        self.make = make
        self.differentiable = differentiable


def shape_of(dims: str, sizes: Sizes) -> tuple[int, ...]:
    """The shape that ``"n 1 m"`` means under these sizes: a dimension is a name or a literal.

    >>> shape_of("n 1", {"n": 5})
    (5, 1)
    """
    return tuple(sizes[dim] if dim in sizes else int(dim) for dim in dims.split())


def array(dims: str) -> Recipe:
    """A float array of normal numbers; ``""`` is 0-d."""
    return Recipe(lambda rng, sizes, dtype: np.asarray(rng.standard_normal(shape_of(dims, sizes)), dtype=dtype))


def positive(dims: str) -> Recipe:
    """A float array of numbers between 0.5 and 2."""
    return Recipe(lambda rng, sizes, dtype: np.asarray(rng.uniform(0.5, 2.0, shape_of(dims, sizes)), dtype=dtype))


def definite(dim: str) -> Recipe:
    """A symmetric positive definite matrix."""

    def make(rng: np.random.Generator, sizes: Sizes, dtype: Any) -> Any:
        (size,) = shape_of(dim, sizes)
        root = rng.standard_normal((size, size))
        return (root @ root.T + size * np.eye(size)).astype(dtype)

    return Recipe(make)


def complex_array(dims: str) -> Recipe:
    """A complex array of normal numbers."""
    def make(rng: np.random.Generator, sizes: Sizes, dtype: Any) -> Any:
        shape = shape_of(dims, sizes)
        return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)

    return Recipe(make)


def complex_number(value: complex) -> Recipe:
    """A Python complex number."""
    return Recipe(lambda rng, sizes, dtype: complex(value))


def number(value: float) -> Recipe:
    """A Python float."""
    return Recipe(lambda rng, sizes, dtype: float(value))


def numpy_number(value: float) -> Recipe:
    """A NumPy scalar."""
    return Recipe(lambda rng, sizes, dtype: np.dtype(dtype).type(value))


def count(dim: str, plus: int = 0) -> Recipe:
    """A Python int: the length of a dimension and a constant."""
    return Recipe(lambda rng, sizes, dtype: shape_of(dim, sizes)[0] + plus, differentiable=False)


def integers(dims: str, below: int) -> Recipe:
    """An integer array with entries from 0 to ``below - 1``, repeats likely."""
    return Recipe(lambda rng, sizes, dtype: rng.integers(0, below, shape_of(dims, sizes)), differentiable=False)


def mask(dims: str) -> Recipe:
    """A boolean array with both values in it (from two elements on)."""

    def make(rng: np.random.Generator, sizes: Sizes, dtype: Any) -> Any:
        chosen = rng.random(shape_of(dims, sizes)) < 0.5
        chosen.flat[:1], chosen.flat[1:2] = True, False
        return chosen

    return Recipe(make, differentiable=False)


def differentiable(recipe: Any) -> bool:
    """Whether an argument holds floats, perhaps deep in a container."""
    if isinstance(recipe, Recipe):
        return recipe.differentiable
    if isinstance(recipe, dict):
        return any(map(differentiable, recipe.values()))
    return isinstance(recipe, (list, tuple)) and any(map(differentiable, recipe))


def made(recipe: Any, *how: Any) -> Any:
    if isinstance(recipe, Recipe):
        return recipe.make(*how)
    if isinstance(recipe, dict):
        return {key: made(part, *how) for key, part in recipe.items()}
    if isinstance(recipe, (list, tuple)):
        return type(recipe)(made(part, *how) for part in recipe)
    return recipe


@dataclass(frozen=True, eq=False)
class Case:
    """A function of the corpus.

    ``wrt`` is what ``grad`` is asked for; ``may_refuse``: an AliasingError is as good as the right gradient;
    ``float32``: it is run with float32 arrays too; ``sizes``: the dimensions of the calls, one after another.
    """

    function: Callable[..., Any]
    recipes: tuple[Any, ...]
    keywords: dict[str, Any] = field(default_factory=dict)
    wrt: Any = 0
    may_refuse: bool = False
    float32: bool = False
    sizes: tuple[Sizes, ...] = SIZES

    @property
    def name(self) -> str:
        return f"{self.function.__module__.rpartition('.')[2]}.{self.function.__name__}"

    def make(self, sizes: Sizes = SIZES[0], dtype: Any = np.float64) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Fresh arguments, the same ones at every call."""
        rng = np.random.default_rng(zlib.crc32(self.function.__name__.encode()))
        return made(self.recipes, rng, sizes, dtype), made(self.keywords, rng, sizes, dtype)


REGISTERED: list[Case] = []
LEFT: list[Case] = []
"""What the compiler leaves to the eager engine."""


def case(
    function: Callable[..., Any], *recipes: Any, wrt: Any = None, may_refuse: bool = False, float32: bool = False, units: bool = False,
    left: bool = False, **keywords: Any,
) -> None:
    """Enter a function into the corpus. Without ``wrt`` every argument that holds floats is differentiated; ``left``: the compiler leaves
    it to the eager engine.
    """
    if wrt is None:
        names = [position for position, recipe in enumerate(recipes) if differentiable(recipe)]
        names += [name for name, recipe in keywords.items() if differentiable(recipe)]  # type: ignore[misc]
        wrt = tuple(names) if len(names) > 1 else names[0]
    inspect.signature(function).bind(*recipes, **keywords)
    sizes = SIZES + UNIT_SIZES if units else SIZES
    (LEFT if left else REGISTERED).append(Case(function, recipes, keywords, wrt, may_refuse, float32, sizes))


def with_known_faults(cases: Iterable[Case], faults: Mapping[str, str]) -> list[Any]:
    """Cases as parameters, those with a known fault expected to fail (and to be taken off the list when they do not)."""
    fails = {name: pytest.mark.xfail(strict=True, reason=reason) for name, reason in faults.items()}
    return [pytest.param(case, marks=[fails[case.name]] if case.name in fails else []) for case in cases]
