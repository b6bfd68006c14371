"""What an exhibit is: a function that another tool got wrong, where that was reported, and the numbers that are right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.corpus.case import Case, Recipe, differentiable

EXHIBITS: list[Exhibit] = []


@dataclass(frozen=True, eq=False)
class Exhibit:
    """``case``: the function (its docstring tells what went wrong) and its arguments; ``references``: where, as ``owner/name#number``.

    ``answer`` is the gradient where differences cannot tell it; ``second``: whether the second derivative exists there;
    ``hessians``, of each argument, where differences of a gradient that has a kink cannot tell them.
    """

    case: Case
    references: tuple[str, ...]
    answer: Any
    second: bool
    hessians: tuple[Any, ...] | None = None

    @property
    def links(self) -> list[str]:
        """The addresses of the reports."""
        return ["https://github.com/{}/issues/{}".format(*reference.split("#")) for reference in self.references]


def given(value: Any, differentiable: bool = True) -> Recipe:
    """An argument that is this very value: a number, or an array made of a list."""
    return Recipe(lambda rng, sizes, dtype: np.array(value) if isinstance(value, list) else value, differentiable)


def exhibit(
    function: Callable[..., Any], reference: str, *recipes: Any,
    wrt: Any = None, answer: Any = None, second: bool | None = None, hessians: tuple[Any, ...] | None = None,
) -> None:
    """Hang up a function. Every argument that holds floats is differentiated, unless ``wrt`` says otherwise.

    ``second`` is true where the answer comes from differences, or Hessians are given, unless said otherwise.
    """
    if wrt is None:
        positions = tuple(position for position, recipe in enumerate(recipes) if differentiable(recipe))
        wrt = positions if len(positions) > 1 else positions[0]
    case = Case(function, recipes, {}, wrt)
    smooth = answer is None or hessians is not None
    EXHIBITS.append(Exhibit(case, tuple(reference.split()), answer, smooth if second is None else second, hessians))
