"""Sparse matrices of which the values are differentiated: their parts, exponentials and eigenvalues."""

from __future__ import annotations

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import MissingRuleError, NonDifferentiableError
from tests.sampling import name_of, sampled

sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed")
linalg = pytest.importorskip("scipy.sparse.linalg", reason="SciPy is not installed")

ROWS, COLUMNS = np.array([0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 0]), np.array([0, 1, 0, 1, 2, 1, 2, 3, 2, 3, 0])
VALUES = np.array([4.0, -1.0, -1.0, 5.0, -1.0, -1.0, 6.0, -2.0, -2.0, 5.0, 0.5])
RIGHT, FREE, MASK = np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 2, 3]), np.array([True, False, True, True])
STIFFNESS = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(11, 11)).tocsr()
PLACES = np.linspace(0.0, 1.0, 11)


def free_degrees_of_freedom(v):
    K = sparse.coo_matrix((v, (ROWS, COLUMNS)), shape=(4, 4)).tocsr()
    return np.sum(linalg.spsolve(K[FREE][:, FREE], RIGHT[FREE]) ** 2)


def crossed(v):
    K = sparse.csr_matrix((v, (ROWS, COLUMNS)), shape=(4, 4))
    u = np.zeros(4)
    u[FREE] = linalg.spsolve(K[np.ix_(FREE, FREE)], RIGHT[FREE])
    return u @ (K @ u) + np.sum(u**3)


def prescribed(v):
    K = sparse.csr_array((v, (ROWS, COLUMNS)), shape=(4, 4))
    inner, edge = K[FREE, :][:, FREE], K[FREE, :][:, [1]]
    return np.sum(linalg.spsolve(inner, RIGHT[FREE] - edge @ np.array([0.5])) ** 2)


def ranges(v):
    K = sparse.csr_matrix((v, (ROWS, COLUMNS)), shape=(4, 4)) + 2 * sparse.diags([1.0, 2.0, 3.0, 4.0])
    n = K.shape[0]
    return np.sum(linalg.spsolve(K[1:n - 1, 1:-1].tocsc(), RIGHT[1:-1]) ** 2)


def rows_and_columns_of_matrices(v):
    K = sparse.csr_matrix((v, (ROWS, COLUMNS)), shape=(4, 4))
    return np.sum((K[1] @ RIGHT) ** 2) + np.sum((K[:, -1].T @ RIGHT) ** 2)


def entries(v):
    K = sparse.csr_array((v, (ROWS, COLUMNS)), shape=(4, 4))
    return np.sum((K[1:3, ::-1] @ RIGHT) ** 2) + K[0, 0] ** 2 + K[-1, -1] * K[0, 1]


def masks_and_diagonals(v):
    K = sparse.csr_array((v, (ROWS, COLUMNS)), shape=(4, 4))
    return np.sum(K[MASK, :][:, [0, 0, 3]].toarray() ** 2) + np.sum(K.diagonal() ** 2) + K.trace() ** 3


def spread(v):
    A = STIFFNESS + sparse.diags(v)
    return np.sum(linalg.expm_multiply(-2 * A, np.outer(PLACES, PLACES) + v[0]) ** 3)


def spread_in_time(v):
    return np.sum(linalg.expm_multiply(-v[0] * STIFFNESS, PLACES) ** 2)


def states(v):
    w, psi = linalg.eigsh(STIFFNESS + sparse.diags(v), k=3, which="SA")
    return w[1] - w[0] + psi[:, 0] ** 4 @ PLACES + w[2] ** 2


def modes(v):
    K = (STIFFNESS + sparse.diags(v)).tocsc()
    return np.sum(linalg.eigsh(K, k=2, sigma=0.0, return_eigenvectors=False) ** 3)


STEP = 0.1


def scaled_by_numbers_from_outside(v):
    A, eye = sparse.diags(v), sparse.identity(11, format="csc")
    lu, onwards = linalg.splu(eye + 0.5 * STEP * A), eye - 0.5 * STEP * A
    u = PLACES
    for _ in range(3):
        u = lu.solve(onwards @ u)
    return np.sum(u**2)


CASES = [
    scaled_by_numbers_from_outside, free_degrees_of_freedom, crossed, prescribed, ranges, rows_and_columns_of_matrices, entries,
    masks_and_diagonals, spread, spread_in_time, states, modes,
]


def slopes(f, v, h=1e-4):
    return np.array([(8 * (f(v + e) - f(v - e)) - (f(v + 2 * e) - f(v - 2 * e))) / (12 * h) for e in h * np.eye(v.size)])


@sampled(2, "f", CASES, ids=name_of)
def test_it_is_what_differences_say(f):
    v = VALUES + 0.1 * np.sin(np.arange(11.0))
    expected = slopes(f, v)
    for mode in ("compiled", "eager"):
        value, found = sourcediff.value_and_grad(f, mode=mode)(v)
        assert abs(value - f(v)) <= 1e-12 * abs(value), mode
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-8, err_msg=mode)
        tangent = sourcediff.jvp(f, (v,), (np.cos(v),), mode=mode)[1]
        np.testing.assert_allclose(tangent, expected @ np.cos(v), rtol=1e-7, atol=1e-8, err_msg=mode)


@pytest.mark.parametrize("f", [free_degrees_of_freedom, states], ids=lambda f: f.__name__)
def test_second_derivatives(f):
    v, along = VALUES + 0.1 * np.sin(np.arange(11.0)), np.cos(np.arange(11.0))
    expected = slopes(lambda u: sourcediff.grad(f)(u) @ along, v)
    for mode in ("compiled", "eager"):
        np.testing.assert_allclose(sourcediff.hvp(f, mode=mode)(v, along), expected, rtol=1e-6, atol=1e-8, err_msg=mode)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_what_is_no_matrix_is_refused(mode):
    def row(v):
        return sparse.csr_array((v, (ROWS, COLUMNS)), shape=(4, 4))[0] @ RIGHT

    with pytest.raises(MissingRuleError, match="only one that is a matrix itself"):
        sourcediff.grad(row, mode=mode)(VALUES)


@pytest.mark.filterwarnings("ignore:Matrix is exactly singular")
@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_eigenvalues_that_meet_are_refused(mode):
    def second(v):
        return linalg.eigsh(sparse.diags(np.append(v[:-1], v[0])), k=2, which="SA", return_eigenvectors=False)[1]

    with pytest.raises(NonDifferentiableError, match="where eigenvalues are equal"):
        sourcediff.grad(second, mode=mode)(np.append(PLACES, 0.0))


def a_csr_of_places(values):
    return sparse.csr_matrix((values, (ROWS, COLUMNS)), shape=(4, 4))


def a_coo_in_csr(values):
    return sparse.coo_matrix((values, (ROWS, COLUMNS)), shape=(4, 4)).tocsr()


def a_copy(values):
    return sparse.coo_matrix((values, (ROWS, COLUMNS)), shape=(4, 4)).copy()


def diagonals(values):
    return sparse.diags(values[:4])


def a_full_one(values):
    return sparse.csr_matrix(np.reshape(values[:8], (2, 4)))


def a_coo(values):
    return sparse.coo_matrix((values, (ROWS, COLUMNS)), shape=(4, 4))


def a_csr_of_rows(values):
    return sparse.csr_matrix((values, COLUMNS, np.array([0, 2, 5, 8, 11])), shape=(4, 4))


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("made", [a_csr_of_places, a_coo_in_csr, a_copy, diagonals, a_full_one, a_coo, a_csr_of_rows],
                         ids=lambda part: part.__name__)
def test_what_values_are_changed_to_shows_in_a_matrix_that_shares_them_alone(made, mode):
    def f(v):
        values = v**2
        whole = made(values)
        values[:] = 7.0 * v[1]
        return np.sum(whole @ RIGHT) + values[0]

    value, gradient = sourcediff.value_and_grad(f, mode=mode)(VALUES)
    np.testing.assert_allclose(value, f(VALUES))
    np.testing.assert_allclose(gradient, slopes(f, VALUES), rtol=1e-6, atol=1e-7)
