"""Sparse Jacobians and Hessians: the pattern that is found is the one that is known, the entries are the dense ones."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import sourcediff
import sourcediff.api.sparsity.detection
from sourcediff import hessian, jacobian
from sourcediff.errors import FALLS_BACK, NonDifferentiableError
from sourcediff.runtime.trees import leaves, mapped
from tests.sampling import sampled

from . import test_transforms

sparse = pytest.importorskip("scipy.sparse", reason="sparse matrices are SciPy's")


RANDOM = np.random.default_rng(0)
SIDE = 9
FEM = RANDOM.integers(0, 40, (60, 3))


class Problem(NamedTuple):
    f: Callable[..., Any]
    args: tuple[Any, ...]
    pattern: Any
    colours: int


def tridiagonal(x):
    """Broyden's."""
    out = (3 - 2 * x) * x + 1
    out[1:] -= x[:-1]
    out[:-1] -= 2 * x[1:]
    return out


def bratu(u, rate):
    """The five-point stencil on a square."""
    padded = np.zeros((SIDE + 2, SIDE + 2))
    padded[1:-1, 1:-1] = u
    laplacian = padded[2:, 1:-1] + padded[:-2, 1:-1] + padded[1:-1, 2:] + padded[1:-1, :-2] - 4 * u
    return laplacian + rate * np.exp(u)


def brusselator(y, size):
    u, v = y[:size], y[size:]
    diffusion = np.concatenate([u[1:2], u[2:] + u[:-2], u[-2:-1]]) - 2 * u
    reaction = u ** 2 * v
    return np.concatenate([1 + reaction - 4 * u + 0.02 * diffusion, 3 * u - reaction])


def arrow(x):
    """The first entry meets all others: rows have few colours, columns none to spare."""
    return np.concatenate([np.sum(x ** 2)[None], x[0] * np.sin(x[1:])])


def rotated(points, rotation):
    angle = np.sqrt(np.sum(rotation ** 2, axis=1))[:, None]
    axis = rotation / angle
    along = np.sum(points * axis, axis=1)[:, None]
    return np.cos(angle) * points + np.sin(angle) * np.cross(axis, points) + along * (1 - np.cos(angle)) * axis


def bundle(x, cameras, i, j, seen):
    """Reprojection errors (Agarwal et al., "Bundle adjustment in the large", 2010)."""
    camera = x[:9 * cameras].reshape(cameras, 9)[i]
    point = rotated(x[9 * cameras:].reshape(-1, 3)[j], camera[:, :3]) + camera[:, 3:6]
    flat = -point[:, :2] / point[:, 2:]
    n = np.sum(flat ** 2, axis=1)
    factor = (1 + camera[:, 7] * n + camera[:, 8] * n ** 2) * camera[:, 6]
    return (flat * factor[:, None] - seen).ravel()


def triangles(x):
    """Element by element into an assembled vector."""
    out = np.zeros(40)
    for a, b, c in FEM:
        stretch = x[a] * x[b] * x[c]
        out[a] += stretch
        out[b] += np.sin(stretch)
        out[c] += stretch ** 2
    return out


def of_bundle(cameras: int, points: int, seen: int) -> tuple[Any, ...]:
    draw = np.random.default_rng(1)
    camera = draw.normal(0, 0.1, (cameras, 9)) + [0, 0, 0, 0, 0, -5, 1, 0, 0]
    x = np.concatenate([camera.ravel(), draw.normal(size=3 * points)])
    return x, cameras, draw.integers(0, cameras, seen), np.arange(seen) % points, draw.normal(size=(seen, 2))


def entries(rows: Any, columns: Any, shape: tuple[int, int]) -> Any:
    return np.asarray(sparse.coo_array((np.ones(np.size(rows)), (np.ravel(rows), np.ravel(columns))), shape).toarray() != 0)


def band(size: int, *diagonals: int) -> Any:
    return sum(np.eye(size, k=k) for k in diagonals) != 0


def of_triangles() -> Any:
    rows, columns = np.broadcast_arrays(FEM[:, :, None], FEM[:, None])
    return entries(rows, columns, (40, 40))


def of_projections(args: tuple[Any, ...]) -> Any:
    x, cameras, i, j, _ = args
    columns = np.concatenate([9 * i[:, None] + np.arange(9), 9 * cameras + 3 * j[:, None] + np.arange(3)], axis=1)
    return entries(np.arange(2 * len(i))[:, None].repeat(12, 1), columns.repeat(2, 0), (2 * len(i), len(x)))


GRID = np.kron(np.eye(SIDE), band(SIDE, -1, 0, 1)) + np.kron(band(SIDE, -1, 1), np.eye(SIDE)) != 0
SHOTS = of_bundle(5, 20, 60)
HEAD = np.eye(50, dtype=bool)
HEAD[0] = HEAD[:, 0] = True

PROBLEMS = {
    "tridiagonal": Problem(tridiagonal, (RANDOM.normal(size=300),), band(300, -1, 0, 1), 3),
    "bratu": Problem(bratu, (RANDOM.normal(size=(SIDE, SIDE)), 2.0), GRID, 8),
    "brusselator": Problem(brusselator, (RANDOM.normal(size=200), 100), np.block(
        [[band(100, -1, 0, 1), band(100, 0)], [band(100, 0), band(100, 0)]]), 5),
    "arrow": Problem(arrow, (RANDOM.normal(size=50) + 3,), HEAD, 50),
    "bundle": Problem(bundle, SHOTS, of_projections(SHOTS), 12),
    "triangles": Problem(triangles, (RANDOM.normal(size=40) + 2,), of_triangles(), 40),
}


@sampled(2, "name, direction, mode", PROBLEMS, ["auto", "forward", "reverse"], ["compiled", "auto", "eager"])
def test_the_pattern_found_is_the_pattern_given(name, direction, mode):
    f, args, pattern, colours = PROBLEMS[name]
    dense = jacobian(f)(*args).reshape(pattern.shape)
    found = jacobian(f, direction=direction, sparsity="detect", mode=mode)(*args)
    np.testing.assert_array_equal(entries(*found.nonzero(), pattern.shape), pattern)
    given = jacobian(f, direction=direction, sparsity=sparse.csr_array(pattern), mode=mode)(*args)
    for matrix in (found, given):
        assert sparse.issparse(matrix) and matrix.has_canonical_format and matrix.dtype == float
        np.testing.assert_allclose(matrix.toarray(), dense, rtol=1e-12, atol=1e-12)
    assert sourcediff.api.sparsity.pattern.Pattern(pattern).reading("auto").number <= colours


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def surface(u):
    return np.sum(np.sqrt(1 + (u[1:, :-1] - u[:-1, :-1]) ** 2 + (u[:-1, 1:] - u[:-1, :-1]) ** 2))


def hub(x):
    return np.sum(x[0] ** 2 * np.sin(x[1:])) + x[0] ** 4


def chain_of_loops(x):
    total = 0.0
    for k in range(len(x) - 2):
        total += x[k] ** 2 * np.exp(x[k + 1] * x[k + 2])
    return total


HESSIANS = {  # and how many colours a star colouring may take
    "rosenbrock": (rosenbrock, RANDOM.normal(size=80), 3), "surface": (surface, RANDOM.normal(size=(7, 8)), 9),
    "hub": (hub, RANDOM.normal(size=60) + 2, 2), "chain_of_loops": (chain_of_loops, RANDOM.normal(size=30), 5),
}


@pytest.mark.parametrize("name", HESSIANS)
@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_hessians_are_the_dense_ones(name, mode):
    f, x, colours = HESSIANS[name]
    dense = hessian(f)(x).reshape(x.size, x.size)
    found = hessian(f, sparsity="detect", mode=mode)(x)
    np.testing.assert_array_equal(entries(*found.nonzero(), dense.shape), dense != 0)
    np.testing.assert_allclose(found.toarray(), dense, rtol=1e-12, atol=1e-12)
    lower = np.tril(dense != 0)  # half of it says all
    np.testing.assert_allclose(hessian(f, sparsity=lower, mode=mode)(x).toarray(), dense, rtol=1e-12, atol=1e-12)
    assert sourcediff.api.sparsity.pattern.Pattern(dense).reading("symmetric").number <= colours


@pytest.mark.parametrize("seed", range(30))
def test_each_entry_can_be_read(seed):
    """A matrix comes back from its products, whatever its pattern."""
    draw = np.random.default_rng(seed)
    rows, columns = draw.integers(1, 30, 2)
    matrix = draw.normal(size=(rows, columns)) * (draw.random((rows, columns)) < draw.random() ** 2)
    square = matrix[:, :rows] if columns >= rows else np.pad(matrix, ((0, 0), (0, rows - columns)))
    square = square + square.T
    for dense, direction in ((matrix, "forward"), (matrix, "reverse"), (matrix, "auto"), (square, "symmetric")):
        pattern = sourcediff.api.sparsity.pattern.Pattern(dense)
        reading = pattern.reading(direction)
        vectors = sourcediff.api.sparsity.pattern.seeds(reading)[:-1]
        products = vectors @ (dense.T if reading.forward else dense)
        np.testing.assert_array_equal(pattern.with_entries(products[reading.colour, reading.place]).toarray(), dense)
    star, columnwise = pattern.reading("symmetric").number, pattern.reading("forward").number
    assert star <= columnwise + 2  # both are greedy


@pytest.mark.parametrize("shape", [(500, 300), (300, 500), (1, 700), (700, 1), (3, 0), (0, 3)])
def test_a_pattern_is_found_in_blocks(shape):
    draw = np.random.default_rng(sum(shape))
    matrix = draw.normal(size=shape) * (draw.random(shape) < 0.01)
    found = sourcediff.api.sparsity.detection.detected(lambda vectors: vectors @ matrix.T, shape)
    np.testing.assert_array_equal(found.where.toarray(), matrix != 0)


def test_a_pattern_that_does_not_hold_is_refused():
    f, args, pattern, _ = PROBLEMS["tridiagonal"]
    for mode in ("compiled", "eager"):
        with pytest.raises(NonDifferentiableError, match=r"entries outside of its sparsity, in row 0 and 298 others"):
            jacobian(f, sparsity=np.tril(pattern), mode=mode)(*args)
        with pytest.raises(NonDifferentiableError, match=r"entries outside of its sparsity"):
            hessian(rosenbrock, sparsity=np.eye(80), mode=mode)(HESSIANS["rosenbrock"][1])


def test_a_pattern_that_was_found_grows():
    derivative = jacobian(lambda x: x[1:] * x[:-1], sparsity="detect")
    assert derivative(np.zeros(5)).nnz == 0
    np.testing.assert_array_equal(derivative(np.ones(5)).toarray(), np.eye(4, 5) + np.eye(4, 5, k=1))
    assert derivative(np.zeros(5)).nnz == 8  # it does not shrink


def test_what_is_not_finite_stays_in_its_entry():
    x = np.array([0.0, 4.0, np.nan, 9.0])
    with np.errstate(divide="ignore", invalid="ignore"):
        dense = jacobian(chained, direction="reverse")(x)
        for mode in ("compiled", "eager"):
            np.testing.assert_array_equal(jacobian(chained, sparsity=band(3, 0, 1) @ np.eye(3, 4) != 0, mode=mode)(x).toarray(), dense)


def chained(x):
    return np.sqrt(x[:-1]) + x[:-1] ** 2


@pytest.mark.parametrize("example", test_transforms.EXAMPLES, ids=lambda example: example.f.__name__)
@pytest.mark.filterwarnings("ignore:jacobian of:sourcediff.FallbackWarning")
def test_products_are_those_of_forward_mode(example):
    tangents = tuple(mapped(lambda x: RANDOM.normal(size=np.shape(x)), arg) for arg in example.args)
    tangents = tuple(type(arg)(*t) if isinstance(arg, test_transforms.Line) else t for arg, t in zip(example.args, tangents))
    _, along = sourcediff.jvp(example.f, tuple(example.fresh()), mapped(lambda t: t if t.ndim else float(t), tangents), mode="eager")
    vector, product = (np.concatenate([np.ravel(part) for _, part in leaves(tree)]) for tree in (tangents, along))
    for mode in ("auto", "eager"):
        matrix = jacobian(example.f, tuple(range(len(example.args))), sparsity="detect", mode=mode)(*example.fresh())
        np.testing.assert_allclose(matrix @ vector, product, rtol=1e-10, atol=1e-12)


def test_several_arguments_and_results_make_one_matrix():
    def f(x, p):
        return {"a": x * p["scale"], "b": (np.sum(x[:2]), p["shift"] ** 2)}

    args = np.array([1.0, 2.0, 3.0]), {"scale": 2.0, "shift": np.array([4.0, 5.0])}
    found = jacobian(f, ("x", "p"), sparsity="detect")(*args)
    expected = [[2, 0, 0, 1, 0, 0], [0, 2, 0, 2, 0, 0], [0, 0, 2, 3, 0, 0], [1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 8, 0], [0, 0, 0, 0, 0, 10]]
    np.testing.assert_array_equal(found.toarray(), expected)
    assert jacobian(lambda x: (x ** 2, "aux"), sparsity="detect", has_aux=True)(np.ones(2))[1] == "aux"
    assert jacobian(tridiagonal, sparsity="detect")(np.ones(5, np.float32)).dtype == np.float32


@pytest.mark.parametrize("given", ["find", 3, np.ones(3), None.__class__])
def test_what_is_no_pattern_is_refused(given):
    with pytest.raises(ValueError, match="sparsity is 'detect' or a matrix"):
        jacobian(tridiagonal, sparsity=given)


def test_a_pattern_of_another_shape_is_refused():
    with pytest.raises(ValueError, match=r"sparsity has the shape \(3, 3\), and the Jacobian of tridiagonal \(4, 4\)"):
        jacobian(tridiagonal, sparsity=np.eye(3))(np.ones(4))


def test_it_is_not_differentiated_in_turn():
    pattern = jacobian(tridiagonal, sparsity="detect")
    with pytest.raises(FALLS_BACK, match="jacobian"):
        sourcediff.grad(lambda x: np.sum(jacobian(tridiagonal, sparsity="detect")(x)), mode="compiled")(np.ones(3))
    with pytest.raises(NonDifferentiableError, match="hold none"):
        sourcediff.grad(lambda x: np.sum(pattern(x)), mode="eager")(np.ones(3))


def test_it_is_handed_about():
    again = pickle.loads(pickle.dumps(jacobian(tridiagonal, sparsity=band(4, -1, 0, 1))))
    assert again(np.ones(4)).nnz == 10
    assert "sparsity=<10 entries of 4 by 4>" in repr(again) and "sparsity='detect'" in repr(jacobian(tridiagonal, sparsity="detect"))


# Gathers


def by_columns(table, i, weights):
    """The first entries of all rows, then the second ones."""
    rows = table[i]
    return np.concatenate([rows[:, 0] * weights, np.sin(rows[:, 1]) + rows[:, 0]])


def neighbours(x, i):
    """Not rows: what is gathered is mixed."""
    rows = x[i]
    return rows * np.roll(rows, 1)


def twice_the_same(x, i, j):
    return x[i] * x[j] ** 2


def beside_all(x, i):
    points = x.reshape(4, 3)
    return (points * points[i] ** 2).ravel()


def changing(x, i):
    x[0] = 2.0
    return x[i] ** 2


I, J = np.array([0, 2, 2, 1, 3]), np.array([0, 1, 2, 3, 3])


@pytest.mark.parametrize(("f", "args"), [
    (by_columns, (RANDOM.normal(size=(4, 2)), I, RANDOM.normal(size=5))), (neighbours, (RANDOM.normal(size=4), I)),
    (twice_the_same, (RANDOM.normal(size=4), I, J)), (beside_all, (RANDOM.normal(size=12), I[1:])), (changing, (RANDOM.normal(size=4), I)),
], ids=lambda part: getattr(part, "__name__", ""))
def test_gathered_rows(f, args):
    dense = jacobian(f)(*map(np.copy, args))
    for _ in range(2):
        found = jacobian(f, sparsity="detect")(*map(np.copy, args))
        np.testing.assert_allclose(found.toarray(), dense.reshape(found.shape), rtol=1e-13)


def test_gathered_rows_that_are_mixed_later_are_found_out():
    def f(x, i, mixed):
        rows = x[i] ** 2
        return rows * rows[::-1] if mixed else rows

    derivative = jacobian(f, sparsity="detect")
    for mixed in (False, True, False):
        np.testing.assert_allclose(derivative(np.arange(1.0, 5), I, mixed).toarray(), jacobian(f)(np.arange(1.0, 5), I, mixed))


def test_bundle_adjustment_takes_ten_objectives():
    """30,000 residuals with assembly: 8 times the objective on a quiet machine; the bound leaves room for a busy one."""
    args = of_bundle(50, 5000, 15000)
    derivative = jacobian(bundle, sparsity="detect")
    assert derivative(*args).shape == (30000, 15450)
    ratios = []
    for _ in range(5):
        times = [time.process_time()]
        for call in (bundle, derivative):
            call(*args)
            times.append(time.process_time())
        ratios.append((times[2] - times[1]) / (times[1] - times[0]))
    assert min(ratios) < 12


def test_least_squares_takes_it():
    from scipy.optimize import least_squares

    def residuals(x):
        return 10 * (x[1:] - x[:-1] ** 2)

    solved = least_squares(residuals, np.linspace(0.5, 1.5, 50), jac=jacobian(residuals, sparsity="detect"), xtol=1e-12, gtol=1e-12)
    assert solved.cost < 1e-12
