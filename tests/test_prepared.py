"""``prepared``: both sweeps of a function, the same as ``vjp`` gives, for later calls without further questions."""

from __future__ import annotations

import dataclasses
import functools
import pickle
import time
import types
from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff import NonDifferentiableError, UnknownParameterError, grad, prepared, value_and_grad, vjp
from sourcediff.dispatch.pullbacks import Again
from sourcediff.runtime.trees import leaves

X = np.array([0.5, -2.0, 3.0])
M = np.arange(6.0).reshape(2, 3) / 3
Line = namedtuple("Line", "w b")


def scaled(x, s=3.0):
    return x * s


def itself(x):
    return x


def summed(x, y):
    return x + y


def stored(x):
    y = np.zeros(3)
    y[:] = x
    y[0] = 2 * y[1]
    return y, y[1]


def reshaped(m):
    return m.T, m.reshape(-1)[:2]


def line(p, x):
    return {"y": p["w"] * x + p["b"], "both": (p["b"], [x])}


def changed(x):
    x[0] *= 2.0
    return x * x[0]


def loop(m, v):
    total = 0.0
    for row in m:
        if row[0] > 0.5:
            total += np.dot(row, v)
    return total, v


def of_line(p, x):
    return p.w * x + p.b


def of_parts(x):
    return x.sum(), 3, "name", np.arange(2)


def dimensionless(x):
    return np.array(x) * 2.0


def number_kept(s):
    k = 0
    while k < 3 and s < 2:
        s = s * 1.2
        k += 1
    if k == 3:
        s = s ** 3
    return s + 0.1 * s ** 2


CALLS = {
    "a number in a loop": (number_kept, (0.5,)),
    "scaled": (scaled, (X, 2.0)),
    "a default": (scaled, (X,)),
    "a number": (scaled, (0.5, 2.0)),
    "a NumPy number": (scaled, (np.float64(0.5), 2.0)),
    "float32": (scaled, (X.astype(np.float32), np.float64(2.0))),
    "itself": (itself, (X,)),
    "itself, a dict": (itself, ({"a": X, "b": 2.0},)),
    "broadcast": (summed, (M, X)),
    "twice the same": (summed, (X, X)),
    "stored": (stored, (X,)),
    "views": (reshaped, (M,)),
    "dict": (line, ({"w": X, "b": 0.5}, X)),
    "changed": (changed, (X,)),
    "loop": (loop, (M, X)),
    "named tuple": (of_line, (Line(X, 2.0), X)),
    "not all floats": (of_parts, (X,)),
    "without dimensions": (dimensionless, (np.array(2.0),)),
    "empty": (scaled, (np.zeros((0, 2)), 2.0)),
}


def copied(tree: Any) -> Any:
    return pickle.loads(pickle.dumps(tree))


def like(value: Any, rng: np.random.Generator) -> Any:
    """A cotangent of a value: None for what is no float."""
    if isinstance(value, dict):
        return {key: like(part, rng) for key, part in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(like(part, rng) for part in value))
    if isinstance(value, (list, tuple)):
        return type(value)(like(part, rng) for part in value)
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return rng.normal(size=value.shape).astype(value.dtype)
    return type(value)(rng.normal()) if isinstance(value, (float, np.floating)) else None


def same(one: Any, other: Any) -> None:
    for (path, a), (there, b) in zip(leaves(one), leaves(other), strict=True):
        assert path == there and type(a) is type(b) and getattr(a, "dtype", None) == getattr(b, "dtype", None), (path, a, b)
        if a is None or isinstance(a, str):
            assert a == b
            continue
        np.testing.assert_allclose(a, b, rtol=1e-6 if getattr(a, "dtype", None) == np.float32 else 1e-13, err_msg=path)


@pytest.mark.parametrize("name", CALLS)
def test_it_is_vjp_at_every_call(name: str) -> None:
    f, args = CALLS[name]
    rng = np.random.default_rng(0)
    p = prepared(f)
    wanted, expected = vjp(f, *copied(args), mode="eager")
    g = like(wanted, rng)
    for time_ in range(3):
        given = copied(args)
        value, pull = p.forward(*given)
        same(value, wanted)
        kept = copied(g)
        for scale in (g, g, like(wanted, rng)):
            found = pull(scale)
            same(found, expected(scale))
            held = [leaf for _, leaf in leaves((scale, value, given)) if isinstance(leaf, np.ndarray)]
            for _, adjoint in leaves(found):
                assert not any(np.shares_memory(adjoint, other) for other in held)
                if isinstance(adjoint, np.ndarray):
                    assert adjoint.flags.writeable
                    adjoint[...] = np.nan  # nobody else's
        same(kept, g)
        again = vjp(f, *copied(args))
        same(again[0], wanted)
        same(again[1](g), expected(g))
    assert isinstance(pull, Again) or name == "named tuple"


def test_later_changes_of_arguments_and_values_do_not_matter() -> None:
    x, p = X.copy(), {"w": X.copy(), "b": 0.5}
    _, expected = vjp(line, copied(p), X)
    g = {"y": X, "both": (2.0, [X])}
    made = prepared(line)
    for _ in range(2):
        x[:], p["w"][:] = X, X
        value, pull = made.forward(p, x)
        x[:], p["w"][:] = 7.0, 8.0
        value["y"][:] = 9.0
        del value["both"]
        same(pull(g), expected(g))
        same(pull({"y": None, "both": (1.0, None)}), expected({"y": None, "both": (1.0, None)}))
        with pytest.raises(NonDifferentiableError, match="has the keys"):
            pull({"y": X})


@pytest.mark.parametrize("wrt", [0, "s", ("s",), ("s", "x"), -1])
def test_with_respect_to(wrt: Any) -> None:
    p = prepared(scaled, wrt)
    for _ in range(2):
        value, pull = p.forward(X, s=2.0)
        np.testing.assert_array_equal(value, 2 * X)
        same(pull(X), vjp(scaled, X, 2.0, wrt=wrt)[1](X))
        same(p.forward(X)[1](X), vjp(scaled, X, wrt=wrt)[1](X))


def test_other_shapes_and_functions_that_change() -> None:
    factor = 2.0

    def f(x):
        return factor * x

    p = prepared(f, 0)
    for x in (X, M, 2.0, X, M[:, :2], 2, np.float32(2.0)):
        np.testing.assert_allclose(p.forward(x)[1](np.ones_like(x) if np.ndim(x) else 1.0), np.full(np.shape(x), 2.0))
    factor = 5.0
    np.testing.assert_allclose(p.forward(X)[1](X), 5 * X)
    factor = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(p.forward(X)[1](X), factor * X)


@dataclasses.dataclass
class Layer:
    w: np.ndarray
    b: float
    name: str = "layer"
    size: int = 3


@dataclasses.dataclass
class Net:
    layer: Layer
    scales: list[float]


def dense(p, x):
    return np.tanh(p.w * p.w * x + p.b) * p.size


def nested(p, x):
    return np.sum(p.layer.w**2 * x) * p.scales[0] + p.scales[1] + p.layer.b


def deep(layers, x):
    for layer in layers:
        x = np.tanh(layer.w * x + layer.b)
    return x


def of_dict(p, x):
    return np.sum(p["a"].w * x + p["a"].b) * p["n"]


OBJECTS = {
    "dataclass": (dense, lambda: Layer(X.copy(), 2.0)),
    "in a dataclass": (nested, lambda: Net(Layer(X.copy(), 2.0), [0.5, 2.0])),
    "in a list": (deep, lambda: [Layer(X.copy(), 0.1), Layer(X.copy(), -0.1)]),
    "in a dict": (of_dict, lambda: {"a": Layer(X.copy(), 0.1), "n": 2.0}),
    "namespace": (dense, lambda: types.SimpleNamespace(w=X.copy(), b=0.5, size=2, name="x")),
}


@pytest.mark.filterwarnings("ignore::sourcediff.FallbackWarning")
@pytest.mark.parametrize("mode", ["auto", "eager"])
@pytest.mark.parametrize("name", OBJECTS)
def test_objects(name: str, mode: str) -> None:
    f, make = OBJECTS[name]
    p = prepared(f, mode=mode)
    wanted = f(make(), X)
    for g in (1.0, 2.0, 3.0) if np.ndim(wanted) == 0 else (X, M[0], X):
        given = make()
        value, pull = p.forward(given, X)
        same(value, wanted)
        expected = grad(lambda p, x: np.sum(f(p, x) * g), wrt=(0, 1), mode="eager")(make(), X)  # noqa: B023
        for _ in range(2):
            found = pull(g)
            assert type(found[0]) is type(given)
            same(found, expected)
            if isinstance(given, (Layer, types.SimpleNamespace)) and given.w is not None:  # what it was then is differentiated
                given.w[:], given.w, given.b, given.name = 7.0, None, None, "another"
        zero = pull(None)
        assert all(np.all(leaf == 0) for _, leaf in leaves(zero) if leaf is not None)


@pytest.mark.parametrize("mode", ["auto", "eager"])
def test_attributes(mode: str) -> None:
    layer = Layer(X, 2.0)
    for _ in range(2):
        whole = vjp(dense, layer, X, mode=mode)[1](M[0])[0]
        same(vjp(dense, layer, X, wrt="p.w", mode=mode)[1](M[0]), whole.w)
        same(vjp(dense, layer, X, wrt=("p.b", "p.w"), mode=mode)[1](M[0]), (whole.b, whole.w))
    for wrt, error in (("p.size", NonDifferentiableError), ("p.nothing", UnknownParameterError)):
        with pytest.raises(error):
            vjp(dense, layer, X, wrt=wrt, mode=mode)
    g = sourcediff.Variable(M[0].copy(), requires_grad=True)
    for _ in range(2):
        assert isinstance(vjp(dense, layer, X, wrt="p.w", mode=mode)[1](g), sourcediff.Variable)


class Model:
    def __init__(self, k: float) -> None:
        self.k = k

    def force(self, x):
        return self.k * x**2

    def __call__(self, x):
        return self.k * x**2


def both(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return 2.0 * f(*args, **kwargs)

    return wrapper


@pytest.mark.parametrize("f", [
    Model(2.0).force, Model(2.0), functools.partial(scaled, s=2.0), both(scaled), grad(lambda x: np.sum(x**3)), np.sin,
    lambda *xs: xs[0]**2,
])
def test_what_can_be_called(f: Any) -> None:
    p = prepared(f)
    expected = vjp(f, X, mode="eager")
    for _ in range(3):
        value, pull = p.forward(X)
        same(value, expected[0])
        same(pull(M[1]), expected[1](M[1]))


def test_a_class_is_given_another_call() -> None:
    class Scaled(Model):
        pass

    p = prepared(Scaled(2.0))
    for _ in range(2):
        np.testing.assert_allclose(p.forward(X)[1](X)[0], 4 * X**2)
    Scaled.__call__ = lambda self, x: self.k * x**3  # type: ignore[method-assign]
    np.testing.assert_allclose(p.forward(X)[1](X)[0], 6 * X**3)


def test_variables_and_aux() -> None:
    x = sourcediff.Variable(X.copy(), requires_grad=True)
    p = prepared(scaled, 0)
    for _ in range(2):
        p.forward(X)
    value, pull = p.forward(x)
    assert isinstance(value, sourcediff.Variable)
    value.sum().backward()
    np.testing.assert_allclose(x.grad, np.full(3, 3.0))
    g = sourcediff.Variable(X.copy(), requires_grad=True)
    found = p.forward(X)[1](g)
    assert isinstance(found, sourcediff.Variable)
    value, pull, aux = prepared(lambda x: (x**2, "more"), has_aux=True).forward(X)
    assert aux == "more"
    np.testing.assert_allclose(pull(X)[0], 2 * X**2)


def test_errors() -> None:
    with pytest.raises(ValueError, match="mode is one of"):
        prepared(scaled, mode="fast")
    with pytest.raises(UnknownParameterError):
        prepared(scaled, "nothing").forward(X)
    p = prepared(scaled, 0)
    for _ in range(2):
        _, pull = p.forward(X)
        for wrong in (X[:2], X.astype(int), "no", [X], X + 1j, 1.0, {"a": X}):
            with pytest.raises(NonDifferentiableError, match="the cotangent of the result of scaled"):
                pull(wrong)
        with pytest.raises(TypeError):
            p.forward(X, 1.0, 2.0)
        with pytest.raises(TypeError):
            p.forward(X, nothing=2.0)
    nothing = prepared(lambda x: None)
    for _ in range(2):
        with pytest.raises(NonDifferentiableError, match="returned None"):
            nothing.forward(X)

    def divided(x):
        return np.array([x.sum() / len(x)])

    p = prepared(divided)
    for _ in range(2):
        np.testing.assert_allclose(p.forward(X)[1](np.ones(1))[0], np.full(3, 1 / 3))
    assert np.isnan(p.forward(np.zeros(0))[0])


def test_it_is_pickled_as_what_it_was_made_of() -> None:
    p = pickle.loads(pickle.dumps(prepared(scaled, "s")))
    assert p.forward(X, 2.0)[1](X) == X @ X and repr(p) == "<scaled and its pullback with respect to 's', prepared>"
    assert "all that is given by position" in repr(prepared(scaled))


def network(w, b, v, x):
    return np.sum((np.tanh(x @ w + b) @ v) ** 2)


@dataclasses.dataclass
class Timed:
    """The least time of some calls, taken in turn, so that what else the machine does meets all of them."""

    functions: tuple[Any, ...]

    def least(self, rounds: int = 60, number: int = 20) -> list[float]:
        best = [np.inf] * len(self.functions)
        for _ in range(rounds):
            for k, f in enumerate(self.functions):
                began = time.process_time()
                for _ in range(number):
                    f()
                best[k] = min(best[k], time.process_time() - began)
        return best


@pytest.mark.parametrize("wrt", [0, (0, 1)])
def test_both_sweeps_cost_what_a_gradient_costs(wrt: Any) -> None:
    rng = np.random.default_rng(0)
    args = rng.normal(size=(8, 16)), rng.normal(size=16), rng.normal(size=(16, 4)), rng.normal(size=(32, 8))
    gradient, p = value_and_grad(network, wrt), prepared(network, wrt)

    def sweeps() -> Any:
        _, pull = p.forward(*args)
        return pull(1.0)

    one, two = Timed((lambda: gradient(*args), sweeps)).least()
    assert two < 1.9 * one, two / one  # 1.3 to 1.45, measured on a quiet machine
