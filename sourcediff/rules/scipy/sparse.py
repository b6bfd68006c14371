"""SciPy's sparse matrices: as constants, in products with what is differentiated."""

from scipy import sparse

from ..frames import multilinear, named, record


@multilinear(sparse.csr_array.__matmul__)
def matmul(g, z, self, other):
    return None, self.T @ g


@multilinear(sparse.csr_array.__rmatmul__)
def rmatmul(g, z, self, other):
    return None, g @ self.T


ALIKE = "T mT H transpose conj conjugate copy tocsr tocsc tocoo todia tobsr tolil todok astype power multiply operators"
MAKERS = """
    diags diags_array spdiags eye eye_array identity kron kronsum block_diag block_array bmat hstack vstack random random_array tril triu"""

record(next(base for base in sparse.csr_array.__mro__ if "__matmul__" in vars(base)), *named(sparse, MAKERS), alike=ALIKE)
record(sparse.spmatrix, alike=ALIKE, methods={
    name: getattr(sparse.csr_matrix, name) for name in dir(sparse.csr_matrix) if callable(getattr(sparse.csr_matrix, name, None))
} | {"__mul__": sparse.csr_matrix.__matmul__, "__rmul__": sparse.csr_matrix.__rmatmul__})
