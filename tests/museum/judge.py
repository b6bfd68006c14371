"""Judging an exhibit: by the number that it comes with, or by differences; in second order by differences of the gradient."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np

import sourcediff
from sourcediff.errors import SourcediffError
from tests.corpus.judge import Reference, copied, reference, without_output, wrt_paths
from tests.standing import RIGHT, spelled

from .exhibit import Exhibit


@cache
def truth(exhibit: Exhibit) -> Reference:
    """What a plain call does, and the slopes by differences (which mean something where there is no other answer)."""
    args, kwargs = exhibit.case.make()
    with np.errstate(all="ignore"):
        if exhibit.answer is None:
            return reference(exhibit.case.function, args, kwargs, exhibit.case.wrt)
        after = copied((args, kwargs))
        value, printed = without_output(exhibit.case.function, *after[0], **after[1])
    return Reference(value, printed, after, {}, {})


def standing_of_second(exhibit: Exhibit) -> str:
    """``RIGHT``, or the refusal of the Hessian with respect to one of the arguments; AssertionError where a number is wrong.

    Arguments that are containers, or complex, are left out: their second derivatives are judged elsewhere.
    """
    wanted = wrt_paths(exhibit.case.function, *exhibit.case.make(), exhibit.case.wrt)
    for order, ((_, position), argument) in enumerate(wanted):
        if not np.isrealobj(argument) or isinstance(argument, (list, tuple, dict)):
            continue
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore", sourcediff.FallbackWarning)
                found = sourcediff.hessian(exhibit.case.function, position)(*copied(exhibit.case.make()[0]))
        except SourcediffError as refusal:
            return spelled(refusal)
        expected = _by_differences(exhibit, position) if exhibit.hessians is None else exhibit.hessians[order]
        assert np.allclose(found, expected, rtol=1e-6, atol=1e-7), (
            f"{exhibit.case.name}: second derivative with respect to argument {position}: expected\n{expected}\ngot\n{found}"
        )
    return RIGHT


def _by_differences(exhibit: Exhibit, position: Any) -> Any:
    """The Hessian with respect to one argument: central differences of the gradient, extrapolated twice."""
    gradient = sourcediff.grad(exhibit.case.function, position, mode="eager")

    def at(index: tuple[int, ...], step: float) -> Any:
        args = list(copied(exhibit.case.make()[0]))
        argument = np.array(args[position], dtype=float)
        argument[index] += step
        args[position] = argument if isinstance(args[position], np.ndarray) else float(argument)
        with np.errstate(all="ignore"):
            return gradient(*args)

    argument = np.asarray(exhibit.case.make()[0][position])
    columns = []
    for index in np.ndindex(argument.shape):
        coarse, middle, fine = ((at(index, h) - at(index, -h)) / (2 * h) for h in (2e-3, 1e-3, 5e-4))
        columns.append((16 * (4 * fine - middle) - (4 * middle - coarse)) / 45)
    rank = argument.ndim
    return np.moveaxis(np.reshape(columns, argument.shape * 2), range(rank), range(rank, 2 * rank))
