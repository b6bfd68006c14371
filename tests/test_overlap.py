"""Stores between overlapping vectors: right where NumPy copies as if there were no overlap, refused where its result depends on order."""

import numpy as np
import pytest

import sourcediff

MODES = ("compiled", "eager", "auto")


def column_into_a_row(a):
    a[1, 1:] = a[:, 3]
    return np.sum(np.sin(a))


def every_other_from_the_front(b, y):
    y *= b[0]
    b[::2] = b[:2]
    return np.sum(b) + np.sum(y)


def shifted(a):
    a[0, 1:] = a[0, :-1]
    return np.sum(np.sin(a))


def test_numpy_itself_depends_on_its_order_here():
    a = np.arange(12.0).reshape(3, 4)
    column = a[:, 3].copy()
    a[1, 1:] = a[:, 3]
    assert not np.array_equal(a[1, 1:], column), "NumPy copies safely now: drop check_overlap"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("function, shapes", [(column_into_a_row, [(3, 4)]), (every_other_from_the_front, [(3,), (2,)])])
def test_what_depends_on_the_order_of_copying_is_refused_and_undone(function, shapes, mode):
    given = [np.arange(1.0, 1.0 + np.prod(shape)).reshape(shape) for shape in shapes]
    kept = [array.copy() for array in given]
    with pytest.raises(sourcediff.AliasingError, match="another stride") as refusal:
        sourcediff.grad(function, mode=mode)(*given)
    assert "copy()" in str(refusal.value)
    assert all(map(np.array_equal, given, kept))


@pytest.mark.parametrize("mode", MODES)
def test_a_shift_is_right(mode):
    a = np.arange(8.0).reshape(2, 4)
    gradient = sourcediff.grad(shifted, mode=mode)(a.copy())
    expected = np.cos(np.array([a[0], a[1]]))
    expected[0] = [np.cos(a[0, 0]) * 2, np.cos(a[0, 1]), np.cos(a[0, 2]), 0.0]
    assert np.allclose(gradient, expected, rtol=1e-14)
