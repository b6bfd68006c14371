"""What is not selected has a zero gradient, though what it is multiplied by is no number."""

import numpy as np
import pytest

import sourcediff

from .differences import POINTS, by_differences

BOUNDS = np.arange(5.0) - 2.0


def roots(x):
    with np.errstate(invalid="ignore"):
        return np.sqrt(BOUNDS) * x


def selected(x):
    return np.sum(np.where(BOUNDS > 0, roots(x), 0.0))


def sliced(x):
    return np.sum(roots(x)[2:] ** 2)


def masked(x):
    scaled = roots(x)
    return np.sum(scaled[np.isfinite(scaled)])


def left_out(x):
    return np.nansum(x * np.array([np.nan, np.nan, 0.0, 1.0, 2.0])) + np.nanmean(roots(x))


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("program", [selected, sliced, masked, left_out])
def test_gradients(program, mode):
    for x in POINTS:
        found = sourcediff.grad(program, mode=mode)(x.copy())
        np.testing.assert_allclose(found, by_differences(program, x), rtol=1e-5, atol=1e-6)
