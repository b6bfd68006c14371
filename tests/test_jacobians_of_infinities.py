"""A NaN or an infinity in an argument is its own column's affair: the other entries of a Jacobian are what they are without it."""

import numpy as np
import pytest

import sourcediff


def squares(x):
    return x ** 2


def several(x):
    return np.concatenate([x ** 2, x, np.sqrt(x)])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("bad", [np.inf, np.nan, -np.inf])
@pytest.mark.parametrize("direction", ["auto", "forward", "reverse"])
@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_one_entry_that_is_no_number(bad, direction, mode):
    found = sourcediff.jacobian(squares, direction=direction, mode=mode)(np.array([bad, 1.0, 2.0]))
    np.testing.assert_array_equal(found, np.diag([2 * bad, 2.0, 4.0]))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("mode", ["compiled", "auto", "eager"])
def test_an_infinite_derivative(mode):
    found = sourcediff.jacobian(several, mode=mode)(np.array([0.0, 4.0]))
    np.testing.assert_array_equal(found, [[0, 0], [0, 8], [1, 0], [0, 1], [np.inf, 0], [0, 0.25]])
