"""Numbers and arrays that a class holds for its methods: what the text takes for known of them is seen when it changes."""

from __future__ import annotations

import numpy as np
import pytest

import sourcediff


@pytest.fixture
def cell():
    class Cell:
        KNOTS = np.array([0.0, 0.5, 1.0])
        SCALE = 2.0

        def voltage(self, x):
            return self.SCALE * np.interp(x, self.KNOTS, np.array([1.0, 3.0, 4.0]))

    class Warm(Cell):
        SCALE = 3.0

    def run(x):
        kept, state = [], x
        for _ in range(3):
            out = Warm().voltage(state)
            state = state + 0.01 * out
            kept.append((out, state))
        return np.sum(np.array([out for out, _ in kept]) ** 2)

    return Cell, Warm, run, sourcediff.value_and_grad(run, mode="compiled")


def by_differences(run, x):
    return (run(x + 1e-6) - run(x - 1e-6)) / 2e-6


def test_an_array_of_a_class_has_a_known_rank(cell):
    """The state is a number then, of which the list holds no view."""
    _, warm, _, _ = cell

    def run(x):
        kept, state = [], x
        for _ in range(3):
            out = warm().voltage(state)
            state += 0.01 * out
            kept.append((out, state))
        return np.sum(np.array([out for out, _ in kept]) ** 2)

    value, slope = sourcediff.value_and_grad(run, mode="compiled")(0.2)
    assert value == pytest.approx(run(0.2)) and slope == pytest.approx(by_differences(run, 0.2))


@pytest.mark.parametrize("scale", [5, np.float32(1.5), np.array(2.5), np.array([1.0, -2.0]), np.array([[1.0, -2.0], [0.5, 1.5]])])
def test_other_data_are_seen(cell, scale):
    _, warm, run, gradient = cell
    gradient(0.2)
    warm.SCALE = scale
    x = 0.2 * np.ones(np.shape(scale))
    value, slope = gradient(x if x.ndim else 0.2)
    steps = [np.reshape(row, x.shape) for row in 1e-6 * np.eye(x.size)]
    expected = np.reshape([(run(x + step) - run(x - step)) / 2e-6 for step in steps], x.shape)
    assert value == pytest.approx(run(x))
    np.testing.assert_allclose(slope, expected, rtol=1e-5)


def test_data_that_a_class_has_no_more_are_those_of_its_base(cell):
    base, warm, run, gradient = cell
    before = gradient(0.2)
    del warm.SCALE
    base.SCALE = np.float64(0.5)
    value, slope = gradient(0.2)
    assert value == pytest.approx(run(0.2)) and slope == pytest.approx(by_differences(run, 0.2)) and value != pytest.approx(before[0])
