"""Second derivatives where a norm, a standard deviation or an absolute value is zero: the limit, or refused; first ones stay."""

import math

import numpy as np
import pytest

from sourcediff import grad, gradient_source, hessian, hvp, jacobian, jvp
from sourcediff.errors import DegenerateError
from tests.sampling import sampled

CENTRE = np.array([0.3, 0.7])


def bell(x):
    return np.exp(-np.linalg.norm(x - CENTRE) ** 2)


def of_rows(x):
    return np.sum(np.cos(np.linalg.norm(x, axis=1)))


def of_hypot(x):
    return np.cosh(3 * np.hypot(x[0], x[1]))


def of_python(x):
    return math.hypot(x[0], x[1]) ** 2 + np.sum(x) ** 3


def of_vector_norm(x):
    return np.log(1 + np.linalg.vector_norm(x) ** 2)


def of_deviation(x):
    return np.exp(2 * np.std(x) ** 2)


def of_deviations(x):
    return np.sum(np.std(x, axis=1, ddof=1) ** 2) + np.sum(np.nanstd(x, axis=0) ** 4)


def of_magnitude(x):
    return np.exp(-np.abs((1 + 2j) * (x[0] + 1j * x[1])) ** 2)


def of_cut(x):
    r = np.linalg.norm(x)
    return np.where(r < 3, np.exp(-r ** 2), 0.0)


def of_smoothed(x):
    return np.sqrt(np.linalg.norm(x) ** 2 + 0.25)


def of_loop(x):
    total = 0.0
    for i in range(len(x)):
        total += np.exp(-np.linalg.norm(x[i]) ** 2) * (1 + np.sum(x ** 2))
    return total


def differences(f, x, step=1e-4):
    """The Hessian by second differences of values, which lie away from the point itself or are those of a smooth function."""
    n = x.size
    units = step * np.eye(n).reshape(n, *x.shape)
    found = [[(f(x + a + b) - f(x + a - b) - f(x - a + b) + f(x - a - b)) / (4 * step ** 2) for b in units] for a in units]
    return np.array(found).reshape(x.shape * 2)


SMOOTH = [
    (bell, CENTRE), (of_rows, np.array([[0.0, 0.0], [1.0, 2.0], [0.0, 0.0]])), (of_hypot, np.zeros(2)), (of_python, np.zeros(2)),
    (of_vector_norm, np.zeros(3)), (of_deviation, np.full(3, 0.5)), (of_deviations, np.array([[1.0, 1.0], [1.0, 2.0]])),
    (of_magnitude, np.zeros(2)), (of_cut, np.zeros(2)), (of_smoothed, np.zeros(2)), (of_loop, np.array([[0.0, 0.0], [0.5, 1.0]])),
]


@pytest.mark.parametrize("mode", ["auto", "eager"])
@pytest.mark.parametrize("f, x", SMOOTH, ids=[f.__name__ for f, _ in SMOOTH])
def test_smooth_functions_of_lengths_have_their_hessian(f, x, mode):
    due = differences(f, x)
    assert np.abs(due).max() > 0.1
    np.testing.assert_allclose(hessian(f, mode=mode)(x), due, rtol=1e-5, atol=1e-5)
    v = np.linspace(-1.0, 0.7, x.size).reshape(x.shape)
    np.testing.assert_allclose(hvp(f, mode=mode)(x, v), np.tensordot(due, v, x.ndim), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("mode", ["auto", "eager"])
def test_by_every_door(mode):
    x, v = CENTRE.copy(), np.array([1.0, 2.0])
    first = grad(bell, mode=mode)
    np.testing.assert_allclose(jacobian(first, mode=mode)(x), -2 * np.eye(2))
    np.testing.assert_allclose(jvp(first, (x,), (v,), mode=mode)[1], -2 * v)
    np.testing.assert_allclose(grad(lambda x: np.sum(grad(bell)(x) * v), mode=mode)(x), -2 * v)
    np.testing.assert_array_equal(first(x), np.zeros(2))


@pytest.mark.parametrize("f, x", SMOOTH, ids=[f.__name__ for f, _ in SMOOTH])
def test_compiled_code_refuses_what_it_cannot_tell(f, x):
    with pytest.raises(DegenerateError, match="is 0") as caught:
        hvp(f, mode="compiled")(x, np.linspace(-1.0, 0.7, x.size).reshape(x.shape))
    assert caught.value.places


@pytest.mark.parametrize("mode", ["auto", "eager", "compiled"])
def test_a_cone_has_no_second_derivative_at_its_tip(mode):
    for f in (lambda x: np.linalg.norm(x), lambda x: (np.linalg.norm(x) - 1) ** 2, lambda x: np.std(x) + np.sum(x)):
        with pytest.raises(DegenerateError):
            hessian(f, mode=mode)(np.zeros(3))


def repulsion(x):
    r = np.linalg.norm(x[:, None] - x[None], axis=-1)
    return np.sum(np.exp(-r)) + np.sum(np.where(r > 0, 1 / np.where(r > 0, r, 1), 0.0))


def repulsion_of_pairs(x):
    i, j = np.triu_indices(len(x), 1)
    r = np.sqrt(np.sum((x[i] - x[j]) ** 2, axis=-1))
    return 2 * np.sum(np.exp(-r) + 1 / r)


def by_mask(x):
    r = np.linalg.norm(x[:, None] - x[None], axis=-1)
    return np.sum(1 / r[~np.eye(len(x), dtype=bool)]) + np.sum(np.exp(-r))


def by_diagonal(x):
    r = np.linalg.norm(x[:, None] - x[None], axis=-1)
    np.fill_diagonal(r, np.inf)
    return np.sum(1 / r + np.exp(-r))


def by_triangle(x):
    r = np.linalg.norm(x[:, None] - x[None], axis=-1)
    return 2 * np.sum(np.triu(np.exp(-r), 1)) + np.sum(1 / r[r > 0])


@pytest.mark.parametrize("mode", ["auto", "eager", "compiled"])
@pytest.mark.parametrize("f", [repulsion, by_mask, by_diagonal, by_triangle])
def test_points_and_themselves(f, mode):
    x = np.array([[0.0, 1.0], [2.0, 0.5], [1.0, 3.0]])
    due = differences(repulsion_of_pairs, x)
    np.testing.assert_allclose(hessian(f, mode=mode)(x), due, rtol=1e-4, atol=1e-6)
    v = np.arange(6.0).reshape(3, 2) ** 2
    np.testing.assert_allclose(hvp(f, mode=mode)(x, v), np.tensordot(due, v, 2), rtol=1e-4, atol=1e-5)


MASKED = [
    lambda x: np.sum(np.where(np.linalg.norm(x, axis=1) > 0, np.linalg.norm(x, axis=1) ** 0.3, 0.0)),
    lambda x: np.sum(1 / np.linalg.norm(x, axis=1)[1:]),
    lambda x: np.sum(np.maximum(np.linalg.norm(x, axis=1), 0.5) ** 3),
    lambda x: sum(1 / np.linalg.norm(p) for p in x if np.linalg.norm(p) > 0),
]


@pytest.mark.parametrize("mode", ["auto", "eager"])
@pytest.mark.parametrize("f", MASKED)
def test_what_is_masked_is_as_it_was(f, mode):
    x = np.array([[0.0, 0.0], [1.0, 2.0]])
    found = hessian(f, mode=mode)(x)
    due = np.zeros((2, 2, 2, 2))
    due[1, :, 1] = differences(lambda row: f(np.array([[0.0, 0.0], row])), x[1])
    np.testing.assert_allclose(found, due, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("mode", ["auto", "eager", "compiled"])
def test_a_tip_that_does_not_move_does_not_matter(mode):
    def f(x):
        return np.sum(np.linalg.norm(x, axis=1)) + np.linalg.norm(x) ** 3

    x, v = np.array([[0.0, 0.0], [1.0, 2.0]]), np.array([[0.0, 0.0], [1.0, 1.0]])
    due = np.tensordot(differences(lambda row: np.linalg.norm(row) + np.linalg.norm(row) ** 3, x[1]), v[1], 1)
    np.testing.assert_allclose(hvp(f, mode=mode)(x, v), [[0.0, 0.0], due], rtol=1e-5)


def test_first_derivatives_are_written_as_before():
    text = gradient_source(bell, args=(CENTRE,))
    assert "/ (1.0 if" in text and "of_length" not in text


@pytest.mark.parametrize("mode", ["auto", "compiled"])
@sampled(2, "f, x", SMOOTH, name=lambda case: case[0].__name__)
def test_derivatives_of_tangents_are_refused(f, x, mode):
    v = np.linspace(-1.0, 0.7, x.size).reshape(x.shape)

    def tangent(x):
        return jvp(f, (x,), (v,))[1]

    with pytest.raises(DegenerateError, match="of a tangent"):
        grad(tangent, mode=mode)(x)
    with pytest.raises(DegenerateError, match="of a tangent"):
        jvp(tangent, (x,), (v,), mode=mode)


@pytest.mark.parametrize("mode", ["auto", "eager", "compiled"])
@pytest.mark.parametrize("f", [repulsion, by_mask, by_triangle])
def test_tangents_of_points_and_themselves(f, mode):
    x, v = np.array([[0.0, 1.0], [2.0, 0.5], [1.0, 3.0]]), np.arange(6.0).reshape(3, 2) ** 2
    due = np.tensordot(differences(repulsion_of_pairs, x), v, 2)
    np.testing.assert_allclose(grad(lambda x: jvp(f, (x,), (v,))[1], mode=mode)(x), due, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(jvp(lambda x: jvp(f, (x,), (v,))[1], (x,), (v,), mode=mode)[1], np.sum(due * v), rtol=1e-4)
