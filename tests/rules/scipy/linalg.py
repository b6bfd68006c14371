"""Samples of SciPy's linear algebra."""

import numpy as np
import scipy
from scipy import linalg

from sourcediff.rules.scipy import loaded

from ..calls import call, definite, positive, regular, x

loaded("linalg")

NEWER = tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 16)
BATCHED = [call(regular(2, 3, 3), x(2, 3, 1, seed=1))] if NEWER else []
SMALL = 0.1 * x(3, 3)
BANDS = x(3, 5) + np.array([[0.0], [5.0], [0.0]])
LU = linalg.lu_factor(regular(3, 3)[[2, 0, 1]])
HALF = np.diag([1.0, 3.0, 7.0]) + 0.4 * np.random.default_rng(0).normal(size=(3, 3))
APART = HALF + HALF.T

SAMPLES = {
    linalg.solve_triangular: [
        call(regular(3, 3), x(3, seed=1)), call(regular(3, 3), x(3, 2, seed=1), lower=True), call(regular(3, 3), x(3, seed=1), 1),
        call(regular(3, 3), x(3, 2, seed=1), trans=1, lower=True), *BATCHED,
    ],
    linalg.inv: [call(regular(3, 3))], linalg.det: [call(regular(3, 3), weak=True)],
    linalg.solve: [call(regular(3, 3), x(3, seed=1)), call(regular(3, 3), x(3, 2, seed=1))],
    linalg.norm: [call(x(3)), call(x(2, 3)), call(x(2, 3), axis=1), call(x(2, 3), "fro"), call(x(2, 3), keepdims=True)],
    linalg.expm: [call(x(3, 3)), call(x(2, 2, 2)), call(x(1, 1))],
    **{function: [call(SMALL)] for function in (linalg.sinm, linalg.cosm, linalg.tanm, linalg.sinhm, linalg.coshm, linalg.tanhm)},
    linalg.solve_banded: [
        call((1, 1), BANDS, x(5)), call((0, 2), BANDS[[0, 2, 1]], x(5, 2)), call((2, 0), BANDS[[1, 0, 2]], x(5)),
        call((0, 0), positive(1, 3), x(3)),
    ],
    linalg.lu: [call(regular(3, 3)[[2, 0, 1]]), call(regular(2, 3, 3))],
    linalg.lu_factor: [call(regular(3, 3)[[2, 0, 1]], weak=True)],
    linalg.solve_sylvester: [
        call(definite(3, 3), definite(2, 2), x(3, 2)), *([call(definite(2, 3, 3), definite(2, 3, 3), x(2, 3, 3))] if NEWER else []),
    ],
    linalg.solve_discrete_lyapunov: [call(SMALL, x(3, 3, seed=1)), call(SMALL, x(3, 3, seed=1), "bilinear")],
    linalg.solve_continuous_are: [call(x(1, 1), x(1, 1, seed=1), positive(1, 1), positive(1, 1, seed=1))],
    linalg.eigh: [call(APART), call(APART, lower=False)],
    linalg.eigh_tridiagonal: [call(np.array([1.0, 3.0, 7.0]), positive(2))],
}
NEGATIVE = np.diag([1.0, -2.0, 3.0]) + SMALL
CUT = np.random.default_rng(4).normal(size=(3, 3))
COMPLEX = {
    linalg.logm: [call(NEGATIVE)], linalg.sqrtm: [call(NEGATIVE), call(CUT)], linalg.fractional_matrix_power: [call(NEGATIVE, 0.3)],
}
COMPOSITES = {
    linalg.norm: [call(x(3), 1), call(x(2, 3), 1), call(x(2, 3), 2), call(x(2, 3), 1, axis=1), call(x(2, 3), check_finite=False)],
    linalg.inv: [call(regular(3, 3), check_finite=False)], linalg.det: [call(regular(3, 3), check_finite=False)],
    linalg.pinv: [call(x(4, 2)), call(x(2, 4))],
    linalg.svdvals: [call(x(4, 2))],
    linalg.svd: [call(x(4, 2), full_matrices=False), call(regular(3, 3)), call(x(4, 2), compute_uv=False)],
    linalg.qr: [call(x(4, 2), mode="economic"), call(regular(3, 3)), call(regular(3, 3), mode="r")],
    linalg.lstsq: [call(x(4, 2), x(4, seed=1)), call(x(4, 2), x(4, 3, seed=1))],
    linalg.polar: [call(regular(3, 3)), call(regular(3, 3), "left"), call(x(4, 2))],
    linalg.orthogonal_procrustes: [call(x(4, 3), x(4, 3, seed=1))],
    linalg.solve: [
        *(call(definite(3, 3), x(3), assume_a=form) for form in ("pos", "sym", "gen")), call(regular(3, 3), x(3), transposed=True),
        call(definite(3, 3), x(3, 2), True, assume_a="pos"), *([call(regular(3, 3), x(3), assume_a="lower triangular")] if NEWER else []),
    ],
    linalg.toeplitz: [call(x(3)), call(x(3), x(4, seed=1))], linalg.hankel: [call(x(3)), call(x(3), x(4, seed=1))],
    linalg.circulant: [call(x(4))], linalg.khatri_rao: [call(x(2, 3), x(4, 3, seed=1))],
    linalg.solve_toeplitz: [call(x(3) + [6, 0, 0], x(3, seed=1)), call((x(3) + [6, 0, 0], x(3, seed=1)), x(3, 2))],
    linalg.solve_circulant: [call(x(3) + [6, 0, 0], x(3, seed=1))],
    linalg.block_diag: [call(x(2, 2)), call(x(2, 3), x(3), x(1, 2))],
    linalg.cholesky: [call(definite(3, 3)), call(definite(3, 3), lower=True, check_finite=False)],
    linalg.cho_factor: [call(definite(3, 3)), call(definite(3, 3), lower=True)],
    linalg.cho_solve: [call((regular(3, 3), True), x(3)), call((regular(3, 3), False), x(3, 2))],
    linalg.lu_solve: [call(LU, x(3)), call(LU, x(3, 2), 1)],
    linalg.solveh_banded: [call(BANDS[:2], x(5)), call(BANDS[1:], x(5, 2), lower=True), call(positive(1, 3), x(3))],
    linalg.expm_frechet: [call(x(3, 3), x(3, 3, seed=1)), call(x(3, 3), x(3, 3, seed=1), compute_expm=False)],
    linalg.solve_continuous_lyapunov: [call(regular(3, 3), x(3, 3, seed=1))],
    linalg.eigh: [
        call(definite(3, 3), eigvals_only=True), call(definite(3, 3), definite(3, 3) + np.eye(3)),
        call(definite(3, 3), definite(3, 3) + np.diag([1.0, 2.0, 3.0]), lower=False, eigvals_only=True),
    ],
    linalg.eigvalsh: [call(definite(3, 3)), call(definite(3, 3), definite(3, 3) + np.eye(3), subset_by_index=(0, 1))],
    linalg.eigvalsh_tridiagonal: [call(x(4), positive(3))],
}
