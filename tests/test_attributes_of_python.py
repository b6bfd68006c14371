"""Python's own numbers and containers have no methods of arrays: what raises in a plain call is no answer of a derivative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import UnsupportedSyntaxError


def summed(x):
    return x.sum() * 2


def first(x):
    return (x.reshape(-1) ** 2)[0]


def multiplied(x):
    return x.dot(x)


def turned(x):
    return np.sum(x.T)


def of_a_part(x):
    return x[0].sum()


def of_a_display(x):
    return [x[0], x[1]].sum()


OF_LISTS = (summed, first, multiplied, turned, of_a_part, of_a_display)
LISTS = [(function, given) for function in OF_LISTS for given in ([1.0, 2.0], (1.0, 2.0))]


@pytest.mark.filterwarnings("ignore::sourcediff.FallbackWarning")
@pytest.mark.parametrize(("function", "given"), [*LISTS, (summed, 2.0), (multiplied, 2.0), (turned, 3)])
def test_an_attribute_that_is_not_there(function: Callable[[Any], Any], given: Any) -> None:
    with pytest.raises(AttributeError):
        function(given)
    with pytest.raises(UnsupportedSyntaxError, match=r"\.(sum|reshape|dot|T) of a (list or tuple|Python number)"):
        sourcediff.grad(function, mode="compiled")(given)
    for mode in ("auto", "eager"):
        with pytest.raises(AttributeError, match="has no attribute"):
            sourcediff.grad(function, mode=mode)(given)


def made_an_array(x):
    x = np.array(x)
    return x.sum() * x.T[0]


def parts_of_an_array(x):
    first, *others = np.array(x)
    return first.sum() * others[0].item()


def gathered(x):
    parts = [v * 2 for v in x]
    parts = np.array(parts)
    return parts.mean() + np.float64(parts[0]).sum()


@pytest.mark.parametrize("given", [[1.0, 2.0], (1.0, 2.0), np.array([1.0, 2.0])], ids=["list", "tuple", "array"])
@pytest.mark.parametrize("function", [made_an_array, parts_of_an_array, gathered])
def test_one_that_is_there(function: Callable[[Any], Any], given: Any) -> None:
    found = sourcediff.grad(function, mode="compiled")(given)
    np.testing.assert_allclose(found, sourcediff.grad(function, mode="eager")(given))
    assert type(found) is type(given)
