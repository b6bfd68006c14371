"""Samples of SciPy's sparse matrices: of solvers with constant ones, and of products and solutions in coordinate form."""

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from sourcediff.rules.frames import named
from sourcediff.rules.scipy import loaded
from sourcediff.runtime import (
    converged,
    coordinate_dense,
    coordinate_product,
    coordinate_solution,
    determined,
    solution,
    transposed_solution,
)

from ..calls import call, positive, x

loaded("sparse")

MATRIX = sparse.csc_array(np.array([[4.0, 1.0, 0.0], [0.5, 5.0, -1.0], [0.0, 2.0, 6.0]]))
SYMMETRIC = sparse.csc_array(np.array([[4.0, 1.0, 0.0], [1.0, 5.0, -1.0], [0.0, -1.0, 6.0]]))
ROWS, COLUMNS = np.array([0, 0, 1, 2, 2, 0]), np.array([0, 2, 1, 0, 2, 2])

SAMPLES = {
    linalg.spsolve: [call(MATRIX, x(3)), call(MATRIX, x(3, 2))], linalg.expm_multiply: [call(MATRIX, x(3)), call(MATRIX, x(3, 2))],
    coordinate_dense: [call(x(6), ROWS, COLUMNS, (3, 3)), call(x(6), ROWS, COLUMNS, (3, 4))],
    coordinate_product: [call(x(6), x(3, seed=1), ROWS, COLUMNS, (3, 3)), call(x(6), x(4, 2, seed=1), ROWS, COLUMNS, (3, 4))],
    coordinate_solution: [call(positive(6), right, ROWS, COLUMNS, (3, 3)) for right in (x(3, seed=1), x(3, 2, seed=1))],
    converged: [call(x(3), 0)],
    determined: [call(x(3), x(3, seed=1))], **{key: [call(x(3), linalg.factorized(MATRIX))] for key in (solution, transposed_solution)},
    linalg.cg: [call(SYMMETRIC, x(3), rtol=1e-13)], linalg.minres: [call(SYMMETRIC, x(3), rtol=1e-13)],
} | {solver: [call(MATRIX, x(3), rtol=1e-13)] for solver in named(linalg, "cgs bicg bicgstab tfqmr gmres")}
