"""Objects of libraries: constant ones, of which methods have rules, and what they are made of, differentiated."""

import numpy as np
import pytest

import sourcediff
from tests.sampling import name_of, sampled

from .eager.numbers import differences

sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed")
linalg = pytest.importorskip("scipy.sparse.linalg", reason="SciPy is not installed")
interpolate = pytest.importorskip("scipy.interpolate", reason="SciPy is not installed")
stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")

X = np.array([0.3, 1.2, 2.6])
KNOTS = np.linspace(0.0, 3.0, 8)
SPLINE = interpolate.CubicSpline(KNOTS, np.sin(KNOTS))
PLANE = interpolate.CubicSpline(KNOTS, np.stack([np.sin(KNOTS), np.cos(KNOTS)], axis=1))
A = sparse.random(4, 3, density=0.6, random_state=1, format="csr")
ARRAY = sparse.csc_array(A)


class Model:
    def __init__(self, matrix, curve):
        self.matrix = matrix
        self.curve = curve

    def energy(self, x):
        return np.sum((self.matrix @ self.curve(x)) ** 2)


def argument(x, matrix=A):
    return np.sum((matrix @ np.exp(x)) ** 2)


def from_outside(x):
    return np.sum((ARRAY @ x) ** 3) + np.sum(A * x) + np.sum(x @ A.T)


def made_here(x):
    laplacian = sparse.diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(3, 3))
    return x @ (laplacian @ x) + np.sum(sparse.eye(3).tocsr() @ np.outer(x, x))


def spline(x):
    return np.sum(SPLINE(x) ** 2) + SPLINE(x[0], 1) * SPLINE.derivative()(x[1]) + np.sum(PLANE(x) ** 2)


def spline_made_here(x):
    curve = interpolate.PchipInterpolator(KNOTS, KNOTS ** 2)
    return np.sum(curve(x) * x)


def held(x):
    return Model(A, SPLINE).energy(x)


def frozen(x):
    noise = stats.norm(x[0], scale=np.exp(x[1]))
    return np.sum(noise.logpdf(X)) + stats.norm(0.5, x[2]).logpdf(0.2)


SQUARE = sparse.csc_matrix(np.array([[4.0, 1.0, 0.0], [0.5, 5.0, -1.0], [0.0, 2.0, 6.0]]))
ROWS, COLUMNS = np.array([0, 1, 2, 0]), np.array([0, 1, 2, 1])


def solved(x):
    solve = linalg.factorized(SQUARE)
    return np.sum(linalg.splu(SQUARE).solve(x, "T") ** 2) + np.sum(solve(x) ** 3) + np.sum(linalg.spsolve(SQUARE, x) * x)


def iterated(x):
    found, _ = linalg.gmres(SQUARE, x, rtol=1e-13)
    return np.sum(found ** 2) + np.sum(linalg.cg(SQUARE + SQUARE.T, x, rtol=1e-13)[0] ** 2)


def operator(x):
    known = linalg.aslinearoperator(SQUARE)
    return np.sum((known @ x) ** 2) + np.sum(known.matvec(x) ** 3) + np.sum(known.T.dot(x) ** 2)


def of_values(x):
    K = sparse.csr_matrix((np.exp(x), (ROWS[:3], COLUMNS[:3])), shape=(3, 3)) + SQUARE
    return np.sum(linalg.spsolve(K.tocsc(), x) ** 2) + np.sum(K.T @ x) + np.sum((K * x) ** 2)


def of_rows(x):
    return np.sum(sparse.csr_array((x, COLUMNS[:3], np.array([0, 2, 2, 3])), shape=(3, 3)).toarray() ** 2)


def repeated_places(x):
    return np.sum(sparse.coo_array((x, (np.array([0, 0, 1]), np.array([1, 1, 0]))), shape=(2, 2)).power(2).toarray())


def diagonals(x):
    D = sparse.diags(x) + sparse.diags(x[:2], 1)
    return x @ (D @ SQUARE @ sparse.diags(x) @ x) + np.sum((2.0 * D - SQUARE).toarray() ** 2) + np.sum((x @ D) ** 2)


def scaled_by_a_number(x):
    return np.sum(linalg.spsolve(SQUARE + x[0] * sparse.eye(3, format="csc"), x) ** 2)


def multiplied(x):
    return SQUARE.multiply(x).power(2).sum() + np.sum((ARRAY * x).toarray() ** 3)


def factorised_values(x):
    return np.sum(linalg.splu(sparse.csc_matrix(np.outer(x, x) + SQUARE.toarray())).solve(x) ** 2)


class Scaling:
    """``scaling @ x`` is ``factor * x``."""

    __array_ufunc__ = None

    def __init__(self, factor):
        self.factor = factor

    def __matmul__(self, other):
        return self.factor * other

    def __rmatmul__(self, other):
        return other / self.factor

    def __neg__(self):
        return Scaling(-self.factor)


def own_operators(x):
    return np.sum((Scaling(x) @ np.sin(x)) ** 2) + np.sum(x**2 @ -Scaling(x[0]))


PROGRAMS = [
    argument, from_outside, made_here, spline, spline_made_here, held, frozen, solved, iterated, operator, of_values, of_rows,
    repeated_places, diagonals, multiplied, factorised_values, own_operators,
]


def stacked(x):
    return np.sum((sparse.vstack([SQUARE, sparse.diags(x)]) @ x) ** 2) + np.sum((sparse.kron(sparse.diags(x), SQUARE) @ np.ones(9)) ** 2)


def blocks(x):
    return np.sum((sparse.block_diag((sparse.diags(x), np.outer(x, x))) @ np.ones(6)) ** 2)


@pytest.mark.parametrize("f", [stacked, blocks, scaled_by_a_number], ids=lambda f: f.__name__)
def test_what_only_the_eager_engine_takes(f):
    np.testing.assert_allclose(sourcediff.grad(f, mode="eager")(X), *differences(f, X), rtol=1e-6, atol=1e-7)
    with pytest.raises(sourcediff.errors.SourcediffError):
        sourcediff.grad(f, mode="compiled")(X)


@pytest.mark.parametrize("mode", ["compiled", "auto", "eager"])
def test_what_is_stored_in_a_constant_object_is_refused(mode):
    def f(x):
        matrix = SQUARE.copy()
        matrix.data = matrix.data * x[0]
        return np.sum(matrix @ x)

    with pytest.raises(sourcediff.errors.SourcediffError):
        sourcediff.grad(f, mode=mode)(X)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_an_adjoint_that_does_not_converge_is_refused(mode):
    def f(x):
        return np.sum(linalg.gmres(SQUARE, x, rtol=1e-14, maxiter=1)[0] ** 2) + np.sum(linalg.cgs(SQUARE, x, rtol=1e-14, maxiter=1)[0])

    with pytest.raises(sourcediff.errors.NonDifferentiableError, match="converge"):
        sourcediff.grad(f, mode=mode)(X)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@sampled(2, "f", PROGRAMS, ids=name_of)
def test_derivatives(f, mode):
    np.testing.assert_allclose(sourcediff.grad(f, mode=mode)(X), *differences(f, X), rtol=1e-6, atol=1e-7)
    slope = sourcediff.jvp(f, (X,), (np.ones(3),), mode=mode)[1]
    np.testing.assert_allclose(slope, np.sum(differences(f, X)[0]), rtol=1e-6, atol=1e-7)
    rows = [differences(lambda x, k=k: sourcediff.grad(f, mode=mode)(x)[k], X)[0] for k in range(3)]
    np.testing.assert_allclose(sourcediff.hessian(f, mode=mode)(X), rows, rtol=1e-5, atol=1e-5)


def filled(x, n=3):
    matrix = sparse.lil_array((n, n))
    for i in range(n):
        matrix[i, i] = 2.0
    matrix = matrix.tocsr()
    return np.sum((matrix @ x) ** 2)


def changed_between(x, matrix):
    y = matrix @ x**2
    matrix.data[:] = 7.0
    z = matrix @ y
    matrix.data = np.arange(1.0, 1.0 + matrix.nnz)
    return np.sum(matrix @ z) + np.sum(y)


def stored_between(x, matrix):
    matrix = matrix.tolil()
    y = matrix @ x**2
    matrix[0, 0] = 5.0
    return np.sum(matrix @ y)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("f", [filled, changed_between, stored_between], ids=lambda f: f.__name__)
def test_an_object_that_changes_is_what_it_was(f, mode):
    given = () if f is filled else (sparse.csr_array(np.array([[1.0, 0, 2], [0, 3, 0], [4, 0, 5]])),)
    right = differences(lambda x: f(x, *(part.copy() for part in given)), X)
    try:
        found = sourcediff.grad(f, mode=mode)(X, *(part.copy() for part in given))
    except sourcediff.errors.SourcediffError:
        assert mode == "compiled" and f is changed_between
    else:
        np.testing.assert_allclose(found, *right, rtol=1e-6)


def test_another_object_is_another_gradient():
    g = sourcediff.grad(argument)
    for matrix in (A, sparse.coo_array(A), A.toarray(), A.astype(complex)):
        expected = 2 * np.exp(X) * np.real(A.T @ (A @ np.exp(X)))
        if np.iscomplexobj(matrix.data) if sparse.issparse(matrix) else False:
            with pytest.raises(sourcediff.errors.NonDifferentiableError):
                g(X, matrix)
        else:
            np.testing.assert_allclose(g(X, matrix), expected)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_a_method_without_a_rule_is_refused_by_its_name(mode):
    def f(x):
        return np.sum(A.power(x[0]).toarray())

    with pytest.raises(sourcediff.errors.SourcediffError, match="power"):
        sourcediff.grad(f, mode=mode)(X)


def test_the_gradient_speaks_of_the_object():
    text = sourcediff.gradient_source(argument, args=(X, A))
    assert "x_bar = matrix.T @ (2.0 * (matrix @ t)) * t" in text


def test_the_saved_gradient_takes_the_object_as_it_is(tmp_path):
    sourcediff.save_gradient(argument, tmp_path / "saved.py", args=(X, A))
    scope = {"__name__": "saved"}
    exec(compile((tmp_path / "saved.py").read_text(), "saved.py", "exec"), scope)
    np.testing.assert_allclose(scope["argument_grad"](X, A), sourcediff.grad(argument)(X, A))
    assert "object of another library's class" in str(sourcediff.explain(argument, args=(X, A)))


def test_an_array_over_the_memory_of_cython_has_an_owner():
    turn = pytest.importorskip("scipy.spatial.transform", reason="SciPy is not installed").Rotation.from_rotvec([0.1, 0.2, 0.3])
    np.testing.assert_allclose(sourcediff.grad(lambda m: np.sum(m**2), mode="eager")(turn.as_matrix()), 2 * turn.as_matrix())
