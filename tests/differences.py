"""Programs of five numbers against central differences, compiled."""

from __future__ import annotations

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError

POINTS = (
    np.array([0.7, -1.3, 0.95, 0.2, -0.4]), np.array([-0.31, 1.27, 0.53, -0.84, 0.66]), np.array([1.9, 0.45, -0.77, -0.12, 0.58]),
)


def by_differences(program, x):
    """The gradient of a program of numbers by central differences."""
    return np.array([(program(x + 1e-6 * e) - program(x - 1e-6 * e)) / 2e-6 for e in np.eye(len(x))])


def assert_compiled(program):
    """Assert that a program compiles, and that its value and gradient are right at all points."""
    slope = sourcediff.value_and_grad(program, mode="compiled")
    for x in POINTS:
        value, slopes = slope(x.copy())
        assert value == pytest.approx(program(x), rel=1e-12)
        np.testing.assert_allclose(slopes, by_differences(program, x), rtol=1e-5, atol=1e-6)


def assert_refused(program, match):
    """Assert that a program is left to the eager engine, which is right."""
    with pytest.raises(SourcediffError, match=match):
        sourcediff.grad(program, mode="compiled")(POINTS[0].copy())
    found = sourcediff.grad(program, mode="eager")(POINTS[0].copy())
    np.testing.assert_allclose(found, by_differences(program, POINTS[0]), rtol=1e-5, atol=1e-6)
