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


def each_doubled(us):
    for u in us:
        u *= 2
    return np.sum(us[0] * us[1])


@pytest.mark.parametrize("shared", [lambda a: [a, a], lambda a: [a[1:], a[:-1]], lambda a: [a, a[::-1]]])
def test_entries_of_one_argument_that_share_memory_are_refused_where_one_is_changed(shared):
    a = np.arange(1.0, 4.0)
    with pytest.raises(sourcediff.AliasingError, match="shares its memory"):
        sourcediff.grad(each_doubled, mode="compiled")(shared(a))
    assert np.array_equal(a, [1.0, 2.0, 3.0])


def test_entries_of_one_argument_that_share_nothing_are_taken():
    gradient = sourcediff.grad(each_doubled, mode="compiled")([np.ones(2), 3 * np.ones(2)])
    assert [part.tolist() for part in gradient] == [[12.0, 12.0], [4.0, 4.0]]


def row_after_row(state):
    state["u"][1, 1:] = state["u"][:, 3]
    return np.sum(state["u"])


def test_what_is_in_a_container_is_as_it_was_after_a_refusal():
    given = np.arange(12.0).reshape(3, 4)
    with pytest.raises(sourcediff.AliasingError, match="another stride"):
        sourcediff.grad(row_after_row, mode="compiled")({"u": given})
    assert np.array_equal(given, np.arange(12.0).reshape(3, 4))


def diagonal_with_a_column(x):
    m = np.diag(x)
    m[1:, 0] = x[:-1]
    return np.sum(m * x)


def diagonal_of_a_matrix(x):
    v = np.diag(x)
    x[0, 0] = 2.0
    return np.sum(v * x)


@pytest.mark.parametrize("mode", MODES)
def test_a_diagonal_matrix_is_new_and_a_diagonal_a_view(mode):
    np.testing.assert_allclose(sourcediff.grad(diagonal_with_a_column, mode=mode)(np.array([1.0, 2.0, 3.0])), [6.0, 5.0, 6.0])
    np.testing.assert_allclose(sourcediff.grad(diagonal_of_a_matrix, mode=mode)(np.eye(2)), [[0.0, 1.0], [2.0, 2.0]])
