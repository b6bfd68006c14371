"""Context managers of the user's: what happens where something is raised in their block."""

from __future__ import annotations

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import UnsupportedSyntaxError

from .corpus.asserts import assert_right

X = np.array([0.7, 1.3, 0.4])


class Swallowing:
    def __enter__(self):
        return 2.0

    def __exit__(self, kind, value, traceback):
        return kind is ValueError


class Closing:
    def __enter__(self):
        return 3.0

    def __exit__(self, kind, value, traceback):
        return None


def checked(x, limit):
    if limit > 1:
        raise ValueError("too much")
    return x ** 2


def swallowed(x, limit):
    y = x
    with Swallowing() as scale:
        y = scale * checked(x, limit)
    return np.sum(y)


def closed(x, limit):
    with Closing() as scale:
        return np.sum(scale * checked(x, limit))


def test_what_a_manager_would_swallow_is_refused() -> None:
    assert_right(swallowed, X, 0.5)
    with pytest.raises(UnsupportedSyntaxError, match="ValueError was raised in a try"):
        sourcediff.grad(swallowed, mode="compiled")(X, 2.0)
    np.testing.assert_array_equal(sourcediff.grad(swallowed, mode="eager")(X, 2.0), np.ones(3))


def test_what_it_lets_through_comes_through() -> None:
    assert_right(closed, X, 0.5)
    for mode in ("compiled", "eager"):
        with pytest.raises(ValueError, match="too much"):
            sourcediff.grad(closed, mode=mode)(X, 2.0)
