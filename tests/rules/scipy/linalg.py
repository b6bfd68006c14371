"""Samples of SciPy's linear algebra."""

import scipy
from scipy import linalg

from sourcediff.rules.scipy import loaded

from ..calls import call, regular, x

loaded("linalg")

BATCHED = [call(regular(2, 3, 3), x(2, 3, 1, seed=1))] if tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 16) else []

SAMPLES = {
    linalg.solve_triangular: [
        call(regular(3, 3), x(3, seed=1)), call(regular(3, 3), x(3, 2, seed=1), lower=True), call(regular(3, 3), x(3, seed=1), 1),
        call(regular(3, 3), x(3, 2, seed=1), trans=1, lower=True), *BATCHED,
    ],
    linalg.inv: [call(regular(3, 3))], linalg.det: [call(regular(3, 3), weak=True)],
    linalg.solve: [call(regular(3, 3), x(3, seed=1)), call(regular(3, 3), x(3, 2, seed=1))],
    linalg.norm: [call(x(3)), call(x(2, 3)), call(x(2, 3), axis=1), call(x(2, 3), "fro"), call(x(2, 3), keepdims=True)],
}
