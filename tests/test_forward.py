"""Compiled forward mode: every function of the corpus against the eager engine, against compiled reverse mode, and in single precision."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff.check import compare, like, vector
from sourcediff.errors import AliasingError

from .corpus import CASES
from .corpus.case import Case
from .corpus.judge import copied, differing_bits, without_output


def by_name(case: Case, args: Any, kwargs: Any) -> dict[str, Any]:
    """All arguments of a case, by the function's parameters and in their order."""
    bound = inspect.signature(case.function).bind(*args, **kwargs)
    bound.apply_defaults()
    return dict(bound.arguments)


def differentiated(case: Case) -> list[str]:
    """The names of the parameters that a case asks for."""
    names = list(inspect.signature(case.function).parameters)
    return [names[which] if isinstance(which, int) else which for which in (case.wrt if isinstance(case.wrt, tuple) else (case.wrt,))]


def direction(value: Any, seed: int) -> Any:
    """A random tangent, no entry of which is zero."""
    random = np.random.default_rng(seed)
    size = vector(value).size
    return like(value, random.uniform(0.5, 1.5, size) * random.choice([-1.0, 1.0], size))


def positional(case: Case) -> list[str]:
    """The parameters that can be given by position: to those a tangent can belong."""
    parameters = inspect.signature(case.function).parameters
    return [name for name, parameter in parameters.items() if parameter.kind is not parameter.KEYWORD_ONLY]


def keywords(case: Case, given: dict[str, Any]) -> dict[str, Any]:
    """The other arguments."""
    return {name: value for name, value in given.items() if name not in positional(case)}


def pushed(case: Case, given: dict[str, Any], tangents: dict[str, Any], mode: str) -> tuple[Any, Any]:
    """Value and tangent of a case's function."""
    primals, moved = [given[name] for name in positional(case)], [tangents.get(name) for name in positional(case)]
    return sourcediff.jvp(case.function, primals, moved, mode=mode, **keywords(case, given))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_tangents_of_the_corpus(case: Case) -> None:
    try:
        for sizes in (*case.sizes, case.sizes[0]):
            judged(case, *case.make(sizes))
    except AliasingError:
        if not case.may_refuse:
            raise


def judged(case: Case, args: Any, kwargs: Any) -> None:
    """Hold the compiled tangent against the eager one and against the compiled gradient; the arguments against a plain call's."""
    given = by_name(case, args, kwargs)
    tangents = {name: direction(given[name], seed) for seed, name in enumerate(differentiated(case)) if name in positional(case)}
    plain, once, before = copied(given), copied(given), copied(tangents)
    expected, _ = without_output(case.function, *[plain[name] for name in positional(case)], **keywords(case, plain))
    (value, tangent), _ = without_output(pushed, case, once, tangents, "compiled")
    assert not differing_bits(once, plain), "the arguments are not as after one plain call"
    assert not differing_bits(tangents, before), "the tangents that were given have changed"
    assert np.array_equal(value, expected) or np.isclose(value, expected, rtol=1e-15)
    (_, by_the_graph), _ = without_output(pushed, case, copied(given), tangents, "eager")
    compare(tangent, by_the_graph, rtol=1e-10, atol=1e-11)
    gradient, _ = without_output(sourcediff.grad(case.function, tuple(tangents), mode="compiled"), *copied(args), **copied(kwargs))
    pulled = sum(vector(part) @ vector(moved) for part, moved in zip(gradient, tangents.values()))
    np.testing.assert_allclose(tangent, pulled, rtol=1e-9, atol=1e-9, err_msg="u · (J v) is not (Jᵀ u) · v")
