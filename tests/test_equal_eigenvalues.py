"""Eigenvalues and singular values that are equal: the derivative of what is smooth there, to second order; a refusal of what is not."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff import NonDifferentiableError, SourcediffError
from sourcediff.errors import DegenerateError
from sourcediff.runtime.equal_spectra import close
from tests.sampling import sampled

rng = np.random.default_rng(5)
B, C = rng.normal(size=(2, 4, 4))
Y = rng.normal(size=4)
Q = np.linalg.qr(rng.normal(size=(5, 5)))[0]
TALL = rng.normal(size=(4, 1))

MATRICES = {
    "identity": np.eye(4), "multiple": 2.0 * np.eye(4), "pairs": np.diag([1.0, 1.0, 3.0, 3.0]), "low rank": TALL @ TALL.T + 0.5 * np.eye(4),
    "turned": np.linalg.qr(B)[0] @ np.diag([2.0, 2.0, 2.0, 0.7]) @ np.linalg.qr(B)[0].T,
    "nearly": np.diag([1.0, 1.0 + 1e-13, 1.0 + 3e-9, 2.0]), "close": np.diag([1.0, 1.0 + 1e-6, 1.5, 1.5 + 1e-11]),
}
RECTANGLES = {
    "identity": np.eye(3), "orthogonal": 2.0 * np.linalg.qr(B)[0], "tall": Q[:, :3], "wide": 1.5 * Q[:2],
    "a pair": Q[:, :3] @ np.diag([2.0, 2.0, 0.7]) @ np.linalg.qr(C[:3, :3])[0], "apart": B[:, :3],
}


def exponential(a: Any) -> Any:
    w, v = np.linalg.eigh(a)
    return np.sum((v * np.exp(w)) @ v.T * B)


def logarithm(a: Any) -> Any:
    w, v = np.linalg.eigh(a)
    return np.sum(v @ np.diag(np.log(w)) @ v.T * B)


def entry_of_the_logarithm(a: Any) -> Any:  # at the identity every adjoint of w and v is zero, and the derivative is not
    w, v = np.linalg.eigh(a)
    return (v @ np.diag(np.log(w)) @ v.T)[1, 0]


def root(a: Any) -> Any:
    w, v = np.linalg.eigh(a)
    return np.sum(np.einsum("ij,j,kj->ik", v, np.sqrt(w), v) * C)


def likelihood(a: Any) -> Any:
    w, v = np.linalg.eigh(a)
    return np.sum((v.T @ Y) ** 2 / w) + np.sum(np.log(w))


def product(a: Any) -> Any:
    w, v = np.linalg.eigh(a)
    e = (v * np.exp(-w)) @ v.T
    return np.sum(e @ B @ e * C) + np.sum(v @ (v.T * w[:, None] ** 2) * B)


def determinant(a: Any) -> Any:
    return np.sum(np.log(np.linalg.eigh(a)[0]))


def spread(a: Any) -> Any:
    return np.var(np.linalg.eigvalsh(a)) + np.sum(np.linalg.eigvalsh(a)) ** 2


def polar(a: Any) -> Any:
    u, _, vt = np.linalg.svd(a, full_matrices=False)
    return np.sum(u @ vt * B5[:a.shape[0], :a.shape[1]])


def shrunk(a: Any) -> Any:
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return np.sum((u * np.tanh(s)) @ vt * B5[:a.shape[0], :a.shape[1]])


def whitened(a: Any) -> Any:
    _, s, vt = np.linalg.svd(a, full_matrices=False)
    return np.sum((vt.T / s) @ vt * B5[:a.shape[1], :a.shape[1]])


def made_again(a: Any) -> Any:
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return np.sum(u @ np.diag(s) @ vt * B5[:a.shape[0], :a.shape[1]])


def nuclear(a: Any) -> Any:
    return np.sum(np.linalg.svd(a, compute_uv=False))


def of_all_three(a: Any) -> Any:
    _, s, _ = np.linalg.svd(a, full_matrices=False)
    return np.sum(s**3)


B5 = rng.normal(size=(5, 5))
SMOOTH = [exponential, logarithm, entry_of_the_logarithm, root, likelihood, product, determinant, spread]
OF_RECTANGLES = [polar, shrunk, whitened, made_again, nuclear, of_all_three]


def along(f: Any, a: Any, d: Any) -> float:
    """The derivative along a direction by differences, extrapolated twice."""

    def slope(h: float) -> Any:
        return (f(a + h * d) - f(a - h * d)) / (2 * h)

    h = 4e-3
    return float((64 * slope(h / 4) - 20 * slope(h / 2) + slope(h)) / 45)


def along_both(f: Any, a: Any, d: Any, e: Any) -> float:
    """The second derivative along two directions by differences, extrapolated twice."""

    def curve(h: float) -> Any:
        return (f(a + h * d + h * e) - f(a + h * d - h * e) - f(a - h * d + h * e) + f(a - h * d - h * e)) / (4 * h * h)

    h = 2e-2
    return float((64 * curve(h / 4) - 20 * curve(h / 2) + curve(h)) / 45)


CASES = [pytest.param(f, a, True, id=f"{f.__name__} of {name}") for f in SMOOTH for name, a in MATRICES.items()]
CASES += [pytest.param(f, a, False, id=f"{f.__name__} of {name}") for f in OF_RECTANGLES for name, a in RECTANGLES.items()]


@pytest.mark.parametrize("mode", ["auto", "eager"])
@sampled(6, "f, a, symmetric", CASES)
def test_what_is_smooth_has_its_derivative(f: Any, a: Any, symmetric: bool, mode: str) -> None:
    d, e = np.random.default_rng(1).normal(size=(2, *a.shape)) / 3
    if symmetric:
        d, e = d + d.T, e + e.T
    lower = np.tril if symmetric else np.asarray
    first, second = along(f, a, d), along_both(f, a, d, e)
    assert np.sum(sourcediff.grad(f, mode=mode)(a) * lower(d)) == pytest.approx(first, rel=1e-8, abs=1e-8)
    assert sourcediff.jvp(f, (a,), (d,), mode=mode)[1] == pytest.approx(first, rel=1e-8, abs=1e-8)
    assert np.sum(sourcediff.hvp(f, mode=mode)(a, lower(d)) * lower(e)) == pytest.approx(second, rel=1e-5, abs=1e-5)


def test_every_door_takes_the_limit() -> None:
    a, d = np.eye(3), np.arange(9.0).reshape(3, 3)

    def f(a: Any) -> Any:
        w, v = np.linalg.eigh(a)
        return (v * np.exp(w)) @ v.T

    due = np.e * (np.tril(d) + np.tril(d, -1).T)
    np.testing.assert_allclose(sourcediff.jvp(f, (a,), (d,))[1], due, atol=1e-13)
    columns = sourcediff.jacobian(f)(a)
    np.testing.assert_allclose(np.tensordot(columns, d, 2), due, atol=1e-13)
    np.testing.assert_allclose(np.tensordot(sourcediff.jacobian(f, direction="forward")(a), d, 2), due, atol=1e-13)
    weights = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]])
    matrix = a.copy()
    _, pull = sourcediff.vjp(f, matrix)
    matrix[:] = 7.0  # the pullback keeps what it reads
    np.testing.assert_allclose(pull(weights)[0], np.e * (np.tril(weights) + np.tril(weights.T, -1)), atol=1e-13)
    value, gradient = sourcediff.value_and_grad(exponential)(np.eye(4))
    assert value == pytest.approx(np.e * np.trace(B))
    np.testing.assert_allclose(gradient, np.e * (np.tril(B) + np.tril(B.T, -1)), atol=1e-13)
    second = sourcediff.hessian(spread)(np.eye(4))
    np.testing.assert_allclose(second, np.transpose(second, (2, 3, 0, 1)), atol=1e-12)


def test_through_a_matrix_of_low_rank_and_a_multiple_of_the_identity() -> None:
    def f(w: Any) -> Any:
        values, vectors = np.linalg.eigh(w @ w.T + 0.3 * np.eye(6))
        return np.sum((vectors / np.sqrt(values)) @ vectors.T @ weights) + np.sum(np.log(values))

    weights, w, d = rng.normal(size=(6, 6)), rng.normal(size=(6, 2)), rng.normal(size=(6, 2))
    assert np.sum(sourcediff.grad(f)(w) * d) == pytest.approx(along(f, w, d), rel=1e-8)


def test_a_stack_of_matrices() -> None:
    def f(a: Any) -> Any:
        w, v = np.linalg.eigh(a)
        return np.sum((v * np.exp(w)[..., None, :]) @ np.matrix_transpose(v) * weights)

    weights = rng.normal(size=(3, 4, 4))
    stack = np.stack([np.eye(4), B @ B.T + np.eye(4), np.diag([1.0, 2.0, 2.0, 3.0])])
    for k, gradient in enumerate(sourcediff.grad(f)(stack)):
        d = rng.normal(size=(4, 4))
        d = d + d.T
        single = np.where(np.arange(3)[:, None, None] == k, d, 0)
        assert np.sum(gradient * np.tril(d)) == pytest.approx(along(f, stack, single), rel=1e-7)


def test_what_was_read_of_a_matrix_before_is_read_no_more() -> None:
    def f(a: Any) -> Any:
        w, v = np.linalg.eigh(a)
        a[:] = 0.0
        return np.sum((v * np.exp(w)) @ v.T * B)

    given = np.eye(4)
    np.testing.assert_allclose(sourcediff.grad(f)(given), np.e * (np.tril(B) + np.tril(B.T, -1)), atol=1e-13)
    assert not np.any(given)


def test_float32() -> None:
    def f(a: Any) -> Any:
        w, v = np.linalg.eigh(a)
        return np.sum((v * np.exp(w)) @ v.T * B.astype(np.float32))

    gradient = sourcediff.grad(f)(np.eye(4, dtype=np.float32))
    assert gradient.dtype == np.float32
    np.testing.assert_allclose(gradient, np.e * (np.tril(B) + np.tril(B.T, -1)), rtol=1e-5, atol=1e-5)


def reproduction(x: Any) -> Any:
    new = np.zeros((4, 4))
    new[0] = x
    return np.max(np.linalg.eigvals(new @ np.linalg.inv(np.diag(1 + x) - np.diag(x[1:], -1))).real)


def growth(x: Any) -> Any:
    w, _ = np.linalg.eig(np.outer(x, x[::-1]))
    return w[np.argmax(w.real)].real


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("f", [reproduction, growth])
def test_the_leading_eigenvalue_where_others_are_equal(f: Any, mode: str) -> None:
    x, step = np.array([0.5, 0.7, 0.4, 0.9]), 1e-5
    expected = [(f(x + step * unit) - f(x - step * unit)) / (2 * step) for unit in np.eye(4)]
    np.testing.assert_allclose(sourcediff.grad(f, mode=mode)(x), expected, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_one_of_equal_eigenvalues_of_no_symmetric_matrix_is_refused(mode: str) -> None:
    with pytest.raises(DegenerateError, match="no derivative where they meet"):
        sourcediff.grad(lambda a: np.linalg.eigvals(a)[0].real, mode=mode)(np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 3.0], [0.0, 0.0, 5.0]]))


def first_vector(a: Any) -> Any:
    return np.linalg.eigh(a)[1][0, 0] ** 2


def least(a: Any) -> Any:
    return np.linalg.eigvalsh(a)[0]


def least_of_both(a: Any) -> Any:
    w, _ = np.linalg.eigh(a)
    return w[0]


def weighted(a: Any) -> Any:
    _, v = np.linalg.eigh(a)
    return np.sum((v * np.array([1.0, 2.0, 3.0, 4.0])) @ v.T * B)


def first_left(a: Any) -> Any:
    u, _, _ = np.linalg.svd(a, full_matrices=False)
    return u[0, 0] ** 2


def largest_and_others(a: Any) -> Any:
    return np.linalg.svd(a, compute_uv=False)[0]


ROUGH = [first_vector, least, least_of_both, weighted, first_left, largest_and_others]


@pytest.mark.parametrize("mode", ["auto", "eager", "compiled"])
@pytest.mark.parametrize("f", ROUGH)
def test_what_is_not_smooth_is_refused_with_its_place(f: Any, mode: str) -> None:
    a = np.eye(4)
    d = rng.normal(size=(4, 4))
    for call in (
        lambda: sourcediff.grad(f, mode=mode)(a), lambda: sourcediff.jvp(f, (a,), (d + d.T,), mode=mode),
        lambda: sourcediff.hvp(f, mode=mode)(a, d), lambda: sourcediff.jacobian(f, mode=mode)(a),
    ):
        with pytest.raises(SourcediffError) as caught:
            call()
        assert isinstance(caught.value, NonDifferentiableError) and caught.value.at_run_time
        assert caught.value.places and caught.value.places[0].file == __file__ and "np.linalg" in caught.value.places[0].text


@pytest.mark.parametrize("f", [largest_and_others, least])
def test_where_the_values_are_apart_nothing_is_refused(f: Any) -> None:
    a = np.diag([1.0, 1.0 + 1e-9, 2.0, 3.0])
    gradient = sourcediff.grad(f)(a)
    assert np.count_nonzero(np.round(gradient, 6)) == 1


def test_compiled_code_alone_says_who_knows() -> None:
    with pytest.raises(NonDifferentiableError, match="the eager engine takes the limit") as caught:
        sourcediff.grad(exponential, mode="compiled")(np.eye(4))
    assert caught.value.at_run_time


def test_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sourcediff.grad(exponential)(np.eye(4))
        sourcediff.hvp(exponential)(np.eye(4), B)


def test_a_singular_value_that_is_zero() -> None:
    a = np.outer(B[0], C[0])
    left, _, right = np.linalg.svd(a)
    np.testing.assert_allclose(sourcediff.grad(nuclear)(a), np.outer(left[:, 0], right[0]), atol=1e-13)  # abs(0) has the derivative 0
    for mode in ("auto", "eager"):
        squares = sourcediff.grad(lambda a: np.sum(np.linalg.svd(a, full_matrices=False)[1] ** 2), mode=mode)
        np.testing.assert_allclose(squares(a), 2 * a, atol=1e-12)
        with pytest.raises(NonDifferentiableError, match="not differentiable"):
            sourcediff.grad(polar, mode=mode)(a)


def test_pairs_and_runs() -> None:
    assert close(np.array([1.0, 1.0 + 1e-12, 2.0])).sum() == 2
    assert not close(np.zeros(0)).size


HERMITIAN = np.kron(np.array([[1.0, 1j], [-1j, 2.0]]), np.eye(2))  # two pairs of equal eigenvalues
ENTRIES = np.arange(16.0).reshape(4, 4)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_of_complex_matrices(mode):
    def cubes(a: Any) -> Any:
        return np.sum(np.linalg.eigvalsh(a) ** 3)

    def of_vectors(a: Any) -> Any:
        w, v = np.linalg.eigh(a)
        return np.sum(np.real((v * np.exp(w)) @ np.conj(v.T)) * ENTRIES)

    def of_phases(a: Any) -> Any:
        return np.sum(np.imag(np.linalg.eigh(a)[1]) * ENTRIES)

    found = sourcediff.grad(cubes, mode=mode)(HERMITIAN)
    whole = 3 * (HERMITIAN @ HERMITIAN).T
    np.testing.assert_allclose(found, 2 * np.tril(whole, -1) + np.diag(np.diagonal(whole)), atol=1e-12)
    for function in (of_vectors, of_phases):
        with pytest.raises(NonDifferentiableError, match="equal"):
            sourcediff.grad(function, mode=mode)(HERMITIAN)
    apart = np.diag([1.0, 2.0, 3.0, 5.0]) + 0j
    assert np.isfinite(sourcediff.grad(of_vectors, mode=mode)(apart)).all()
    with pytest.raises(NonDifferentiableError, match="jumps where the entry that is real"):
        sourcediff.grad(of_phases, mode=mode)(apart)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("values, half", [
    (lambda a: np.linalg.eigvalsh(a, "U"), np.tril), (lambda a: np.linalg.eigvalsh(a, UPLO="L"), np.triu),
    (lambda a: np.linalg.eigh(a, "u")[0], np.tril), (lambda a: np.linalg.eigh(a)[0], np.triu),
])
def test_the_other_triangle_is_not_read(values, half, mode):
    a = np.diag([1.0, 2.0, 3.0]) + half(np.ones((3, 3)), 0) - np.eye(3)
    found = sourcediff.grad(lambda a: np.sum(values(a) ** 3), mode=mode)(a)
    np.testing.assert_allclose(found, np.diag([3.0, 12.0, 27.0]), atol=1e-10)
