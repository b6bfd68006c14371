"""Constants and arguments of other packages' kinds: they reach other people's code as they are; what would lose a gradient is refused."""

from __future__ import annotations

import enum
import functools

import numpy as np
import pytest
import scipy.interpolate
import scipy.linalg
import scipy.sparse
import scipy.sparse.linalg
import scipy.spatial

import sourcediff
from sourcediff.errors import SourcediffError

X = np.array([0.75, 1.625, -0.5, 2.0])
A = np.array([[4.0, 1, 0, 0], [1, 3, 1, 0], [0, 1, 5, 1], [0, 0, 1, 6]])
L = np.linalg.cholesky(A)
B, GRID = np.ones(4), np.linspace(0, 1, 5)
MATRIX = scipy.sparse.csr_matrix(A)


def triangle():
    rows, columns = np.array([0, 1]), np.array([1, 2])
    return scipy.sparse.coo_matrix((np.array([1.0, 2.0]), (rows, columns)), shape=(4, 4)).tocsr().T @ B


CONSTANTS = {
    "lists of diagonals": lambda: scipy.sparse.diags([[1.0, 2.0, 3.0, 4.0], [1.0, 1.0, 1.0]], [0, 1]) @ B,
    "arrays of diagonals": lambda: scipy.sparse.diags([np.ones(4), np.ones(3)], [0, 1]).toarray() @ B,
    "a tuple of entries and places": triangle,
    "a sparse matrix": lambda: scipy.sparse.csr_matrix(A) @ B + (scipy.sparse.eye(4) * 2.0 + MATRIX) @ B,
    "a sparse solution": lambda: scipy.sparse.linalg.spsolve(scipy.sparse.csc_matrix(A), B),
    "a pair of a factor and a flag": lambda: scipy.linalg.cho_solve((L, True), B),
    "factors": lambda: scipy.linalg.cho_solve(scipy.linalg.cho_factor(A), B) + scipy.linalg.lu_solve(scipy.linalg.lu_factor(A), B),
    "a tuple of grids": lambda: scipy.interpolate.RegularGridInterpolator((GRID, GRID), np.outer(GRID, GRID**2))([[0.3, 0.4]])[0] * B,
    "a spline": lambda: scipy.interpolate.CubicSpline([0.0, 1.0, 2.0], [1.0, 3.0, 2.0])(np.array([0.1, 0.5, 1.2, 1.9])),
    "triangles": lambda: scipy.spatial.Delaunay(np.array([[0.0, 0], [0, 1], [1, 0], [1, 1.5]])).simplices.sum() * B,
    "neighbours": lambda: scipy.spatial.cKDTree(np.array([[0.0, 0], [0, 1], [1, 0]])).query([0.4, 0.1])[0] * B,
    "a question of kinds": lambda: B * (scipy.sparse.issparse(MATRIX) and isinstance(scipy.sparse.csr_matrix(A), scipy.sparse.spmatrix)),
}


@pytest.mark.filterwarnings("ignore::sourcediff.FallbackWarning")
@pytest.mark.parametrize("mode", ["eager", "auto"])
@pytest.mark.parametrize("name", CONSTANTS)
def test_constants_reach_foreign_code_as_they_are(name, mode):
    constant = CONSTANTS[name]
    np.testing.assert_allclose(sourcediff.grad(lambda x: np.sum(constant() * x**2), mode=mode)(X), 2 * constant() * X)


def test_arguments_that_are_constants_reach_it_too():
    def loss(x, m, w):
        return np.sum((scipy.sparse.diags([w], [0]) @ w) * x**2) + np.sum(scipy.linalg.cho_solve(scipy.linalg.cho_factor(m), m[0]) * x)

    np.testing.assert_allclose(sourcediff.grad(loss, mode="eager")(X, A, B * 3), 18 * X + [1.0, 0.0, 0.0, 0.0], atol=1e-12)


RIGHT = {
    "a pair of a factor and a flag": lambda x: np.sum(scipy.linalg.cho_solve((L, True), x) ** 2),
    "a sparse product": lambda x: np.sum((scipy.sparse.csr_matrix(A) @ x) ** 2),
    "a sparse product, global": lambda x: np.sum((MATRIX @ x) ** 2),
    "a spline": lambda x: np.sum(scipy.interpolate.CubicSpline([0.0, 1.0, 2.0], [1.0, 3.0, 2.0])(x) ** 2),
    "a sparse matrix of it": lambda x: scipy.sparse.csr_matrix(np.outer(x, x)).sum(),
    "a sparse solution": lambda x: np.sum(scipy.sparse.linalg.spsolve(scipy.sparse.csc_matrix(A), x)),
    "a factorised solution": lambda x: np.sum(scipy.sparse.linalg.splu(scipy.sparse.csc_matrix(A)).solve(x)),
    "neighbours": lambda x: scipy.spatial.cKDTree(np.eye(2)).query(x[:2])[0],
}


@pytest.mark.filterwarnings("ignore::sourcediff.FallbackWarning")
@pytest.mark.parametrize("mode", ["eager", "auto", "compiled"])
@pytest.mark.parametrize("name", RIGHT)
def test_what_is_differentiated_goes_through_objects_that_are_constants(name, mode):
    expected = [(RIGHT[name](X + step) - RIGHT[name](X - step)) / 2e-6 for step in 1e-6 * np.eye(4)]
    np.testing.assert_allclose(sourcediff.grad(RIGHT[name], mode=mode)(X), expected, rtol=1e-6)


LOSING = {
    "a hull": lambda x: scipy.spatial.ConvexHull(np.outer(X, [1.0, 2.0]) + np.outer(x, x)[:, :2]).volume,
    "distances from a tree to a tree": lambda x: np.sum(
        scipy.spatial.cKDTree(np.eye(2)).sparse_distance_matrix(scipy.spatial.cKDTree(np.stack([x[:2], x[2:]])), 3.0).toarray()),
    "the factors of a sparse matrix of it": lambda x: np.sum(
        scipy.sparse.linalg.splu(scipy.sparse.csc_matrix(A + np.outer(x, x))).U.toarray()),
    "a singular value of a sparse matrix of it": lambda x: scipy.sparse.linalg.svds(scipy.sparse.csc_matrix(np.outer(x, x)), 1)[1][0],
}


@pytest.mark.filterwarnings("ignore::sourcediff.FallbackWarning")
@pytest.mark.parametrize("mode", ["eager", "auto", "compiled"])
@pytest.mark.parametrize("name", LOSING)
def test_what_is_differentiated_is_refused_by_name(name, mode):
    with pytest.raises(SourcediffError):
        sourcediff.grad(LOSING[name], mode=mode)(X)


def tables():
    pandas = pytest.importorskip("pandas", reason="its tables are the subject")
    xarray = pytest.importorskip("xarray", reason="its arrays are the subject")
    table = pandas.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "g": ["u", "v", "u", "v"]}, index=[3, 5, 7, 9])
    return pandas, table, xarray.DataArray([1.0, 2.0, 3.0, 4.0], dims="t")


def test_tables_and_labelled_arrays_as_constants():
    pandas, table, array = tables()
    column, weights = table["a"], np.array([1.0, 2.0, 3.0, 4.0])
    days = pandas.date_range("2020-01-01", periods=4)
    for factors in [
        lambda: column.values, lambda: column.to_numpy(), lambda: np.asarray(column), lambda: np.array(table[["a"]])[:, 0],
        lambda: np.exp(np.log(column)).to_numpy(), lambda: [row.a for row in table.itertuples()],
        lambda: [row["a"] for _, row in table.iterrows()],
        lambda: array.values, lambda: [float(part) for part in array], lambda: (days - days[0]).days.values + 1.0,
    ]:
        np.testing.assert_allclose(sourcediff.grad(lambda x: np.sum(np.array(factors()) * x**2), mode="eager")(X), 2 * weights * X)  # noqa: B023
    for number in (
        lambda: column.mean(), lambda: column[5] + column.iloc[0] - 0.5, lambda: array.mean().item(), lambda: float(array.sel(t=1)) + 0.5,
    ):
        np.testing.assert_allclose(sourcediff.grad(lambda x: number() * np.sum(x**2), mode="eager")(X), 5 * X)  # noqa: B023
    given = sourcediff.grad(lambda x, t, a: np.sum(t["a"].values * x * a.values), mode="eager")(X, table, array)
    np.testing.assert_allclose(given, weights**2)
    np.testing.assert_allclose(sourcediff.grad(lambda x: sum(v * x[0] for v in column), mode="eager")(X), [10.0, 0.0, 0.0, 0.0])
    np.testing.assert_allclose(
        sourcediff.grad(lambda x: sum(g["a"].sum() * x[len(k)] for k, g in table.groupby("g")), mode="eager")(X), [0.0, 10.0, 0.0, 0.0])


@pytest.mark.filterwarnings("ignore::sourcediff.FallbackWarning")
@pytest.mark.parametrize("mode", ["eager", "auto", "compiled"])
def test_tables_and_labelled_arrays_of_what_is_differentiated_are_refused_or_right(mode):
    pandas, table, array = tables()
    for function, wanted in (
        (lambda x: pandas.Series(x).mean(), np.full(4, 0.25)), (lambda x: pandas.DataFrame({"a": x})["a"].sum(), np.ones(4)),
        (lambda x: np.sum(table["a"] * x**2), 2 * table["a"].values * X), (lambda x: np.sum(x**2 * table["a"]), 2 * table["a"].values * X),
        (lambda x: table.assign(z=x)["z"].sum(), np.ones(4)), (lambda x: float((array * x).sum()), array.values),
    ):
        try:
            found = sourcediff.grad(function, mode=mode)(X)
        except SourcediffError as error:
            assert __file__ in str(error)
        else:
            np.testing.assert_allclose(found, wanted)
    for given in (table["a"], array):
        with pytest.raises(SourcediffError, match="has no derivative"):
            sourcediff.grad(lambda s: float((s**2).sum()), mode=mode)(given)


@pytest.mark.parametrize("mode", ["eager", "auto"])
def test_arrays_of_objects_are_refused_with_the_reason(mode):
    for given in (np.array([1.0, 2.0], dtype=object), np.array([np.ones(2), np.ones(3)], dtype=object)):
        with pytest.raises(SourcediffError, match="floating-point"):
            sourcediff.grad(lambda x: np.sum(x[0] * 2.0), mode=mode)(given)
        with pytest.raises(SourcediffError, match="holds no numbers"):
            sourcediff.Variable(given)
    with pytest.raises(SourcediffError):
        sourcediff.grad(lambda x: np.sum(x.astype(object) ** 2), mode="eager")(X)


class Mode(enum.Enum):
    FAST, SLOW = "fast", "slow"

    @property
    def other(self):
        return next(mode for mode in type(self) if mode is not self)

    def factor(self):
        return 2.0 if self is Mode.FAST else 3.0


class Planet(enum.Enum):
    EARTH = (5.0, 2.0)

    def __init__(self, mass, radius):
        self.mass, self.radius = mass, radius


class Rights(enum.Flag):
    READ, WRITE = 1, 2

    def count(self):
        return sum(part in self for part in Rights) * 1.0


class Apply(enum.Enum):
    DOUBLE = functools.partial(np.multiply, 2.0)

    def __call__(self, x):
        return self.value(x)


@pytest.mark.filterwarnings("ignore::sourcediff.FallbackWarning")
@pytest.mark.parametrize("mode", ["eager", "auto"])
def test_enumerations_as_arguments(mode):
    for function, given, factor in [
        (lambda x, e: np.sum(x**2) * e.factor() * e.other.factor(), Mode.FAST, 6.0),
        (lambda x, e: np.sum(x**2) if e["mode"] is Mode.SLOW else x[0], {"mode": Mode.SLOW}, 1.0),
        (lambda x, e: np.sum(x**2) * e.mass / e.radius, Planet.EARTH, 2.5),
        (lambda x, e: np.sum(x**2) * e.count(), Rights.READ | Rights.WRITE, 2.0),
        (lambda x, e: np.sum(e(x) * x), Apply.DOUBLE, 2.0),
        (lambda x, e: np.sum(x**2) * len(e) * e("fast").factor(), Mode, 4.0),
    ]:
        np.testing.assert_allclose(sourcediff.grad(function, mode=mode)(X, given), 2 * factor * X)


@pytest.mark.filterwarnings("ignore::sourcediff.FallbackWarning")
@pytest.mark.parametrize("mode", ["eager", "auto"])
def test_callable_of_what_a_closure_holds(mode):
    for held in (np.array([1.0, 2.0, 3.0, 4.0]), lambda: np.array([1.0, 2.0, 3.0, 4.0])):
        def weighed(x):
            weights = held() if callable(held) else held  # noqa: B023
            return np.sum(x**2 * weights)

        np.testing.assert_allclose(sourcediff.grad(weighed, mode=mode)(X), 2 * np.array([1.0, 2.0, 3.0, 4.0]) * X)
