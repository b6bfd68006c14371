"""Programs with SciPy's linear algebra, as people write them, in both engines and against differences."""

import numpy as np
import pytest

import sourcediff

from ..eager.numbers import differences

linalg = pytest.importorskip("scipy.linalg", reason="SciPy is not installed")

X = np.array([0.3, -0.5, 0.7, 1.2])


def regulator(x):
    q, r = np.outer(x[:2], x[:2]) + np.eye(2), np.exp(x[2]) * np.eye(2)
    return np.sum(linalg.solve_continuous_are(np.outer(x[2:], x[:2]), np.diag(x[2:]), q, r) ** 2)


def diffusion(x):
    y = x
    for _ in range(3):
        ab = np.stack([-0.5 * y, 2.0 + y**2, -0.3 * np.exp(y)])
        y = linalg.solve_banded((1, 1), ab, y, check_finite=False)
    return np.sum(y**2)


def marginal_likelihood(x):
    factor = linalg.cho_factor(np.outer(x, x) + np.diag(np.exp(x)), lower=True)
    return -0.5 * x @ linalg.cho_solve(factor, x) - np.sum(np.log(np.diag(factor[0])))


def factored_once(x):
    factors = linalg.lu_factor(np.outer(np.sin(x), x) + np.diag([0.1, 5.0, 4.0, 3.0])[[1, 0, 2, 3]])
    return np.sum(linalg.lu_solve(factors, x) ** 2) + x @ linalg.lu_solve(factors, x**2, trans=1)


def propagated(x):
    whole = linalg.block_diag(np.outer(x[:2], x[2:]), linalg.toeplitz(x[1:]))
    return linalg.norm(linalg.expm(0.3 * whole), 2) + np.sum(np.cos(linalg.sqrtm(np.outer(x, x) + np.eye(4))))


def modes(x):
    w, v = linalg.eigh(np.diag(x) + np.ones((4, 4)), np.diag(1.0 + x**2))
    return w[0] * w[-1] + np.sum(v[:, 0] ** 4) + np.linalg.norm(x, 3) + np.linalg.norm(np.outer(x, x**2), np.inf)


def stability(x):
    w, v = np.linalg.eig(np.outer(x, x**2) + np.diag([1.0, 2.0, 4.0, 8.0]))
    return np.max(np.abs(w)) + np.sum(np.abs(v[0]) ** 3) + np.max(np.abs(linalg.eigvals(np.outer(x, x) + np.diag(x[1:], 1))))


SNAPSHOTS = np.random.default_rng(0).normal(size=(4, 9)) + 1j * np.random.default_rng(1).normal(size=(4, 9))


def beamformer(x):
    steering = np.exp(1j * np.pi * np.arange(4) * np.sin(x[0])) * (1 + 0.1 * x)
    R = SNAPSHOTS @ SNAPSHOTS.conj().T + np.exp(x[1]) * np.outer(steering, steering.conj()) + x[2] ** 2 * np.eye(4)
    w = linalg.cho_solve(linalg.cho_factor(R), steering)
    L = linalg.cholesky(R, lower=True)
    white = linalg.solve_triangular(L, steering * x[3], lower=True)
    back = linalg.solve_triangular(L, white, trans="C", lower=True)
    power = 1 / np.real(np.vdot(steering, w)) + np.sum(np.abs(back - linalg.solve(R, steering, assume_a="her")) ** 2)
    return power + np.sum(np.abs(white) ** 2) + 2 * np.sum(np.log(np.real(np.diag(L))))


PROGRAMS = [beamformer, stability, regulator, diffusion, marginal_likelihood, factored_once, propagated, modes]


@pytest.mark.parametrize("mode", ["eager", "compiled"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(f, mode):
    np.testing.assert_allclose(sourcediff.grad(f, mode=mode)(X.copy()), differences(f, X)[0], rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("mode", ["eager", "compiled"])
@pytest.mark.parametrize("call", [
    lambda x: np.sum(linalg.lu(np.outer(x, x[:2]))[2]),
    lambda x: np.sum(linalg.svd(np.outer(x, x[:2]))[0]),
    lambda x: np.sum(linalg.qr(np.outer(x, x[:2]))[0]),
])
def test_vectors_that_are_not_determined_are_refused(call, mode):
    with pytest.raises(sourcediff.errors.NonDifferentiableError, match="square"):
        sourcediff.grad(call, mode=mode)(X.copy())


NEGATIVE = [np.random.default_rng(seed).normal(size=(3, 3)) for seed in (0, 4, 10)]  # each with a negative eigenvalue


@pytest.mark.parametrize("mode", ["eager", "compiled"])
@pytest.mark.parametrize("a", [*NEGATIVE, np.stack(NEGATIVE), np.diag([-1.0, -2.0, 3.0])], ids=["0", "4", "10", "stack", "diagonal"])
def test_square_roots_of_matrices_with_negative_eigenvalues(a, mode):
    try:
        linalg.sqrtm(a)
    except ValueError:
        pytest.skip("this SciPy takes no stacks of matrices")

    def f(a):
        return np.sum(np.imag(linalg.sqrtm(a)) * np.arange(9.0).reshape(3, 3))

    np.testing.assert_allclose(sourcediff.grad(f, mode=mode)(a), differences(f, a)[0], rtol=1e-5, atol=1e-6)
    tangent = np.cos(np.arange(a.size)).reshape(a.shape)
    assert np.isclose(sourcediff.jvp(f, (a,), (tangent,), mode=mode)[1], np.sum(differences(f, a)[0] * tangent), rtol=1e-5)


@pytest.mark.parametrize("mode", ["eager", "compiled"])
@pytest.mark.parametrize("a", NEGATIVE, ids=["0", "4", "10"])
@pytest.mark.parametrize("function", [linalg.logm, lambda a: linalg.fractional_matrix_power(a, 0.3)], ids=["logm", "power"])
def test_logarithms_and_powers_on_the_cut_are_right_or_refused(function, a, mode):
    def f(a):
        return np.sum(np.imag(function(a)) * np.arange(9.0).reshape(3, 3))

    with pytest.raises(sourcediff.NonDifferentiableError, match="on the cut"):
        sourcediff.grad(f, mode=mode)(a)
    apart = a + 1e-3j * np.eye(3)
    assert np.isfinite(sourcediff.vjp(f, apart, mode=mode)[1](1.0)[0]).all()
