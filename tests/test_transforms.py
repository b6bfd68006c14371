"""vjp, jvp, jacobian, hessian, hvp, elementwise_grad: numbers judge every one of them, on functions of many kinds."""

from __future__ import annotations

import contextlib
import inspect
import io
from collections import namedtuple
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import sourcediff
from sourcediff.checks.numeric import check_gradient, check_jvp, compare, numeric_jvp, taylor_slope, vector
from sourcediff.checks.numeric import in_structure_of as with_entries
from sourcediff.dispatch import linear_maps
from sourcediff.eager.engine.linear import linearise

from .corpus import CASES
from .sampling import name_of, sampled

# what the compiler refuses of jvp, and says, is asked in test_forward.py
pytestmark = pytest.mark.filterwarnings("ignore:(vjp|jvp|jacobian|hessian|hvp|elementwise_grad) of:sourcediff.FallbackWarning")

X = np.array([0.3, 0.5, -0.7, 1.2])
A = np.array([[2.0, 0.3, -0.4], [0.1, 1.5, 0.2], [-0.3, 0.6, 1.8]])
Line = namedtuple("Line", "slope offset")


def smooth(x):
    return np.sin(x) * np.exp(x[::-1]) + np.sum(x ** 2)


def a_loop_into_a_buffer(x):
    y = np.zeros(6)
    for i in range(6):
        y[i] = x[i % 4] * (y[i - 1] + 1) if i else np.cos(x[0])
    return y


def a_branch(x):
    total = 1.0
    for value in x:
        if value > 0:
            total = total * np.exp(value)
        else:
            total = total + value ** 3
    return total


def changes_in_place(x):
    y = x * 2
    y[1:] += y[:-1] * x[1:]
    y[0] *= y[3]
    y[1], y[2] = y[2], y[1]
    return y * y


def changes_its_argument(x):
    x[0] = x[1] * x[2]
    x *= 2
    return np.sum(x ** 3)


def of_containers(p):
    hidden = np.tanh(p["w"] @ p["b"][0] + p["b"][1])
    return {"h": hidden, "norm": (np.sum(hidden ** 2), p["b"][1] * 2)}


def of_a_named_tuple(line, x):
    return line.slope * np.exp(-line.offset * x)


def of_zero_dimensions(x):
    return np.sin(x) * x


def of_numbers(x, y):
    return x * y ** 2 / (x + y)


def several_results(x, y):
    return x * y, [np.sum(x * x), y[0] ** 3], 4.0


def sorts_and_selects(x):
    return np.where(x > 0, np.sort(x) ** 2, 3 * x) + np.maximum(x, x[::-1] ** 2) * np.max(x)


def linear_algebra(a, b):
    return np.linalg.solve(a @ a.T, b) * np.linalg.det(a) + np.diag(np.linalg.inv(a))


def recursion(x, n=4):
    return x if n == 0 else recursion(np.sin(x) + x * x / n, n - 1)


def of_an_outer_product(x, y):
    return np.outer(x, y) ** 2


def nowhere_dependent(x):
    return np.ones(3) * 2


class Example(NamedTuple):
    f: Callable[..., Any]
    args: tuple[Any, ...]

    @property
    def loose(self) -> list[Any]:
        return [loose(arg) for arg in self.args]

    def fresh(self) -> list[Any]:
        return [copied(arg) for arg in self.args]


def copied(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {key: copied(value) for key, value in tree.items()}
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*map(copied, tree))
    if isinstance(tree, (list, tuple)):
        return type(tree)(map(copied, tree))
    return np.array(tree) if isinstance(tree, np.ndarray) else tree


EXAMPLES = [Example(*both) for both in (
    (smooth, (X,)), (a_loop_into_a_buffer, (X,)), (a_branch, (X,)), (changes_in_place, (X,)), (changes_its_argument, (X,)),
    (of_containers, ({"w": A, "b": [X[:3], 0.4]},)), (of_a_named_tuple, (Line(1.5, 0.3), X)), (of_zero_dimensions, (np.array(0.8),)),
    (of_numbers, (1.3, 0.4)), (several_results, (X, X[::-1] + 0.1)), (sorts_and_selects, (X,)), (linear_algebra, (A, X[:3])),
    (recursion, (X,)), (of_an_outer_product, (X[:2], X)), (nowhere_dependent, (X,)),
)]
every_example = pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.f.__name__)
both_ways = pytest.mark.parametrize("direction", ["reverse", "forward", "auto"])


def directions(tree: Any, seed: int = 0) -> Any:
    """A structure like ``tree`` of other numbers."""
    return with_entries(tree, np.random.default_rng(seed).normal(size=vector(tree).size))


def plainly(example: Example) -> Callable[..., Any]:
    """The function for the oracles: it changes no arguments, and takes tuples for named tuples."""
    return lambda *args: example.f(*(copied(typed(arg, own)) for arg, own in zip(args, example.args)))


def loose(tree: Any) -> Any:
    """A structure with tuples for named tuples."""
    return tuple(tree) if hasattr(tree, "_fields") else tree


def typed(tree: Any, as_in: Any) -> Any:
    """A structure with the types of ``as_in``."""
    if isinstance(as_in, dict):
        return {key: typed(tree[key], value) for key, value in as_in.items()}
    if isinstance(as_in, tuple) and hasattr(as_in, "_fields"):
        return type(as_in)(*map(typed, tree, as_in))
    return type(as_in)(map(typed, tree, as_in)) if isinstance(as_in, (list, tuple)) else tree


# Against numbers


@every_example
def test_a_tangent_is_the_derivative_along_the_tangents(example):
    tangents = tuple(typed(directions(arg, i), arg) for i, arg in enumerate(example.args))
    value, tangent = sourcediff.jvp(example.f, example.fresh(), tangents)
    compare(value, plainly(example)(*example.loose), rtol=1e-14, what="the value")
    loosely = [loose(part) for part in tangents]
    check_jvp(plainly(example), tangent, example.loose, loosely)
    assert taylor_slope(plainly(example), example.loose, loosely, tangent) > 1.8


@every_example
def test_an_adjoint_is_the_gradient_of_the_weighted_result(example):
    value, pullback = sourcediff.vjp(example.f, *example.fresh())
    compare(value, plainly(example)(*example.loose), rtol=1e-14, what="the value")
    seed = directions(value, 7)
    for i, adjoint in enumerate(pullback(seed)):
        check_gradient(plainly(example), loose(adjoint), example.loose, i, seed=seed)
        assert type(adjoint) is type(example.args[i])


@every_example
@both_ways
def test_a_jacobian_has_the_derivatives_of_every_entry(example, direction):
    found = sourcediff.jacobian(example.f, wrt=tuple(range(len(example.args))), direction=direction)(*example.fresh())
    value = plainly(example)(*example.loose)
    for i, arg in enumerate(example.args):
        size = vector(arg).size
        columns = []
        for k in range(size):
            tangents = [loose(with_entries(arg, np.eye(size)[k])) if j == i else None for j in range(len(example.args))]
            columns.append(vector(numeric_jvp(plainly(example), example.loose, tangents).value))
        np.testing.assert_allclose(matrix(found, value, i, arg), np.stack(columns, -1), rtol=1e-6, atol=1e-7)


def matrix(found: Any, value: Any, i: int, arg: Any) -> Any:
    """The blocks of a Jacobian (with the i-th argument's, at the leaves of the value's structure) as one matrix."""
    if isinstance(value, dict):
        return np.concatenate([matrix(found[key], part, i, arg) for key, part in value.items()])
    if isinstance(value, (list, tuple)):
        return np.concatenate([matrix(block, part, i, arg) for block, part in zip(found, value)])
    return row(found[i], arg, np.shape(value))


def row(block: Any, arg: Any, shape: tuple[int, ...]) -> Any:
    if isinstance(arg, dict):
        return np.concatenate([row(block[key], part, shape) for key, part in arg.items()], 1)
    if isinstance(arg, (list, tuple)):
        assert type(block) is type(arg)
        return np.concatenate([row(part, inner, shape) for part, inner in zip(block, arg)], 1)
    assert np.shape(block) == shape + np.shape(arg)
    return np.reshape(block, (int(np.prod(shape)), np.size(arg)))


def squared_length(f: Callable[..., Any], arguments: int) -> Callable[..., Any]:
    if arguments == 1:
        return lambda x: np.sum(vector_of(f(x)) ** 2)
    return lambda x, y: np.sum(vector_of(f(x, y)) ** 2)


def vector_of(value: Any) -> Any:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else None
    return np.ravel(value) if parts is None else np.concatenate([vector_of(part) for part in parts])


@sampled(2, "example", EXAMPLES, ids=lambda example: example.f.__name__, name=lambda example: example.f.__name__)
def test_second_derivatives(example):
    """Of the squared length of each example's result: the gradient against numbers, the Hessian against those of the gradient."""
    example = Example(squared_length(example.f, len(example.args)), example.args)
    wrt = tuple(range(len(example.args)))
    gradient = sourcediff.grad(example.f, wrt, mode="eager")
    for i in wrt:
        check_gradient(plainly(example), loose(gradient(*example.fresh())[i]), example.loose, i)
    v = tuple(typed(directions(arg, i), arg) for i, arg in enumerate(example.args))
    product = sourcediff.hvp(example.f, wrt)(*example.fresh(), v)
    of_copies = plainly(Example(gradient, example.args))
    check_jvp(lambda *args: tuple(map(loose, of_copies(*args))), tuple(map(loose, product)), example.loose, [loose(part) for part in v])
    hessian = sourcediff.hessian(example.f, wrt)(*example.fresh())
    whole = np.concatenate([
        np.concatenate([matrix(block, own, i, arg) for i, arg in enumerate(example.args)], 1) for block, own in zip(hessian, example.args)
    ])
    np.testing.assert_allclose(whole @ vector(v), vector(product), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(whole, whole.T, rtol=1e-9, atol=1e-9)


ELEMENTWISE = {"tanh": np.tanh, "square": np.square, "where": lambda x: np.where(x > 0, x ** 3, np.exp(x)), "x": lambda x: x}


@pytest.mark.parametrize("f", ELEMENTWISE.values(), ids=ELEMENTWISE)
def test_elementwise_derivatives(f):
    def of(x):
        return f(x)

    check_jvp(f, sourcediff.elementwise_grad(of)(X), [X], [np.ones(4)])
    check_jvp(sourcediff.elementwise_grad(of), sourcediff.elementwise_grad(sourcediff.elementwise_grad(of))(X), [X], [np.ones(4)])
    assert sourcediff.elementwise_grad(of)(0.5) == pytest.approx(float(numeric_jvp(f, [0.5], [1.0]).value))


@sampled(20, "case", CASES, ids=name_of)
def test_pushing_and_pulling_agree_on_the_corpus(case):
    """u · (J v) = (Jᵀ u) · v: the gradients of these functions are judged by numbers elsewhere (test_library_runs)."""
    args, kwargs = case.make(case.sizes[0], np.float64)
    bound = inspect.signature(case.function).bind(*args, **kwargs)
    bound.apply_defaults()
    names = list(bound.arguments)
    wrt = case.wrt if isinstance(case.wrt, tuple) else (case.wrt,)
    with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
        derivative, _, _ = linearise(case.function, dict(bound.arguments), [names[w] if isinstance(w, int) else w for w in wrt])
        v = [slot.cast(np.random.default_rng(0).normal(size=slot.shape)) for slot in derivative.inputs.slots]
        (tangent,) = derivative.push(v)
        adjoints = derivative.pull([derivative.outputs.slots[0].one()])
    expected = sum(float(np.real(np.sum(adjoint * part))) for adjoint, part in zip(adjoints, v) if adjoint is not None)
    # along a complex argument it is the real part that counts, on both sides: jvp refuses these
    np.testing.assert_allclose(0.0 if tangent is None else np.real(tangent), expected, rtol=1e-10, atol=1e-10)


def test_jax_has_the_same_jacobians_and_hessians():
    jax = pytest.importorskip("jax", reason="jax is not installed: nothing to compare with")
    jax.config.update("jax_enable_x64", True)

    def net(x, np=np):
        w = np.reshape(np.arange(12.0), (3, 4)) / 10
        return np.sin(w @ x) * np.exp(-x[:3]) + np.where(x[1:] > 0.4, np.cumsum(x)[1:] ** 2, np.sort(x)[1:])

    def energy(x, np=np):
        return np.sum(net(x, np) ** 2) + np.linalg.det(np.outer(x[:3], x[1:]) + np.eye(3))

    for ours, theirs, f in (
        (sourcediff.jacobian, jax.jacobian, net), (sourcediff.hessian, jax.hessian, energy), (sourcediff.jacobian, jax.jacfwd, energy),
    ):
        np.testing.assert_allclose(ours(f)(X), theirs(lambda x, f=f: f(x, jax.numpy))(X), rtol=1e-12, atol=1e-12)


def test_later_calls_of_vjp_are_as_the_first() -> None:
    def pair(x: Any, y: Any) -> Any:
        return np.sum(x * y * x), x + y

    for _ in range(3):
        x, y = np.arange(3.0), np.ones(3)
        value, pullback = sourcediff.vjp(pair, x, y)
        x[:], value[1][:] = 9.0, 7.0  # what is changed afterwards has no part in it
        np.testing.assert_array_equal(pullback((1.0, np.zeros(3))), ([0.0, 2.0, 4.0], [0.0, 1.0, 4.0]))
        np.testing.assert_array_equal(pullback((None, np.ones(3))), np.ones((2, 3)))
        for cotangent, said in ((np.ones(3), "is a ndarray"), ((1.0, np.ones(4)), r"the shape \(4,\)")):
            with pytest.raises(sourcediff.NonDifferentiableError, match=said):
                pullback(cotangent)
        assert sourcediff.vjp(pair, 2, 3.0)[1]((1.0, 0.0)) == (12.0, 4.0)


def chain(theta, base):
    """Bones that each hang on one before, as a list of matrices."""
    bones = []
    for i in range(8):
        a, b, c = theta[3 * i:3 * i + 3]
        local = np.array([[1.0, -c, b], [c, 1.0, -a], [-b, a, 1.0]])
        bones.append(local if i == 0 else bones[i // 2] @ local)
    points = np.zeros((len(base), 3))
    for bone in bones:
        points += base @ bone.T * theta[24]
    return (points + theta[25]).ravel()


def chain_without_a_batched_sweep(theta, base):
    return chain(theta, base) + np.convolve(theta, [1.0, 0.5], "same")[0]


@pytest.mark.parametrize("f, pushes", [(chain, 0), (chain_without_a_batched_sweep, 26)])
def test_a_jacobian_takes_no_more_sweeps_than_it_has_columns(f, pushes, monkeypatch):
    taken = []

    def counting(name, inner):
        monkeypatch.setattr(linear_maps.Generated, name, lambda self, vectors: taken.append(name) or inner(self, vectors))

    counting("pull", linear_maps.Generated.pull)
    counting("push", linear_maps.Generated.push)
    rng = np.random.default_rng(0)
    theta, base = 0.3 * rng.standard_normal(26), rng.standard_normal((192, 3))
    found = sourcediff.jacobian(f, mode="compiled")(theta, base)
    assert found.shape == (576, 26) and taken == ["push"] * pushes
    for k, unit in enumerate(np.eye(26)):
        np.testing.assert_allclose(found[:, k], numeric_jvp(f, (theta, base), (unit, None)).value, rtol=1e-6, atol=1e-7)
