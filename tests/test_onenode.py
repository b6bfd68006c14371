"""A compiled function that is called with Variables is one node of their graph, with the same derivatives to any order."""

from __future__ import annotations

import functools
import gc
import random
import time
from types import SimpleNamespace

import numpy as np
import pytest

from sourcediff import Variable, autograd, detect_anomaly, grad, no_grad, value_and_grad
from sourcediff.errors import AliasingError, GraphFreedError, InPlaceError
from tests import opaque

RANDOM = np.random.default_rng(0)
W, B, X = RANDOM.normal(size=(3, 2)), RANDOM.normal(size=2), RANDOM.normal(size=(4, 3))


def loss(p, x, power=3):
    h = np.tanh(x @ p["w"] + p["b"])
    for _ in range(2):
        h = h - 0.1 * h ** 2
    return np.sum(h ** power)


def parameters():
    return {"w": Variable(W, requires_grad=True), "b": Variable(B, requires_grad=True)}


def nodes_behind(variable):
    """The names of the nodes that a Variable was made by, itself first."""
    found, pending = [], [variable._node]
    while pending:
        node = pending.pop(0)
        if node is not None and node not in found:
            found.append(node)
            pending += getattr(node, "edges", ())
    return [getattr(node.plan, "name", "") for node in found if hasattr(node, "plan")]


def both(run):
    """What a program gives with compiled gradients and with eager ones."""
    return [run(mode) for mode in ("compiled", "eager")]


def same(run):
    compiled, eager = both(run)
    for mine, theirs in zip(compiled, eager):
        np.testing.assert_allclose(mine, theirs, rtol=1e-10, atol=1e-12)


def test_it_is_one_node():
    value, gradient = value_and_grad(loss, mode="compiled")(parameters(), X)
    assert isinstance(value, Variable) and "Compiled" in nodes_behind(value)
    assert not {"np.tanh", "np.matmul", "np.sum"} & set(nodes_behind(value))
    assert set(gradient) == {"w", "b"} and gradient["w"].shape == W.shape


def test_backward_of_the_value():
    def run(mode):
        p, x = parameters(), Variable(X, requires_grad=True)
        value, _ = value_and_grad(loss, mode=mode)(p, 2 * x)
        (value * 3).backward()
        return p["w"].grad.data, p["b"].grad.data, x.grad.data

    same(run)


def test_generated_code_is_what_runs(monkeypatch):
    import sourcediff.dispatch.graph_node

    monkeypatch.setattr(sourcediff.dispatch.graph_node, "run_gradient", None)
    p = parameters()
    value, _ = value_and_grad(loss)(p, X)
    value.backward()
    assert p["w"].grad.data.any()


def test_of_a_loss_made_of_gradients():
    def run(mode):
        p, x = parameters(), Variable(X, requires_grad=True)
        g = grad(loss, mode=mode)(p, x)
        penalty = (g["w"] ** 2).sum() + g["b"].sum()
        return [found.data for found in autograd.grad([penalty], [p["w"], p["b"], x])]

    same(run)


def test_third_order():
    def run(mode):
        p, x = parameters(), Variable(X, requires_grad=True)
        value, g = value_and_grad(loss, mode=mode)(p, x)
        first = autograd.grad([value + (g["w"] ** 2).sum()], [p["w"], x], create_graph=True)
        return [found.data for found in autograd.grad([(first[0] ** 2).sum() + first[1].sum()], [p["w"], p["b"], x])]

    same(run)


def test_numbers_and_several_parameters():
    def f(a, b, xs):
        return a * b ** 2 + sum(x * a for x in xs)

    def run(mode):
        a, c = Variable(2.0, requires_grad=True), Variable(0.5, requires_grad=True)
        value, (g_b, g_a) = value_and_grad(f, ("b", "a"), mode=mode)(a * 2, 3.0, [c, 1.0])
        found = autograd.grad([value * g_b], [a, c], retain_graph=True)
        return [value.item(), g_b.item(), g_a.item(), *(part.item() for part in found)]

    same(run)


def test_descent():
    def run(mode):
        step = value_and_grad(loss, mode=mode)
        p = parameters()
        for _ in range(5):
            value, _ = step(p, X, power=2)
            value.backward()
            for name in p:
                p[name] = Variable(p[name].data - 0.1 * p[name].grad.data, requires_grad=True)
        return p["w"].data, p["b"].data

    same(run)


def test_within_no_grad_and_without_requires_grad():
    with no_grad():
        value, _ = value_and_grad(loss, mode="compiled")(parameters(), X)
    assert not value.requires_grad
    value, gradient = value_and_grad(loss, mode="compiled")({"w": Variable(W), "b": B}, X)
    assert isinstance(value, Variable) and not value.requires_grad and not gradient["w"].requires_grad


def test_a_graph_is_freed_and_what_it_saved_is_watched():
    p = parameters()
    value, _ = value_and_grad(loss, mode="compiled")(p, X)
    value.backward()
    with pytest.raises(GraphFreedError):
        value.backward()
    w = p["w"] * 1.0
    value, _ = value_and_grad(loss, mode="compiled")({"w": w, "b": B}, X)
    w += 1.0
    with pytest.raises(InPlaceError):
        value.backward()


def test_variables_from_outside_run_eagerly():
    outside = Variable(B, requires_grad=True)

    def f(w):
        return np.sum(w ** 2 * outside)

    def run(mode):
        w = Variable(W, requires_grad=True)
        value, _ = value_and_grad(f, mode=mode)(w * 2)
        outside.grad = None
        value.backward()
        return [w.grad.data, outside.grad.data]

    same(run)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_a_function_that_changes_a_variable_is_refused(mode):
    def f(w):
        w[0] = w[1] ** 2
        return np.sum(w * w)

    w = Variable(W.copy(), requires_grad=True)
    with pytest.raises(AliasingError, match="the memory of a Variable"):
        value_and_grad(f, mode=mode)(w * 2)


def test_opaque_functions():
    def f(v, k):
        return np.sum(opaque.drag(v, k) ** 2)

    def run(mode):
        v, k = Variable(X[0], requires_grad=True), Variable(0.3, requires_grad=True)
        value, g = value_and_grad(f, (0, 1), mode=mode)(v, k)
        found = autograd.grad([value + (g[0] ** 2).sum() * g[1]], [v, k])
        return [part.data for part in found]

    same(run)


def test_the_zeros_of_a_seed_stay_zeros():
    def f(x):
        return np.sum(np.sqrt(x))

    x = Variable([0.0, 4.0], requires_grad=True)
    with np.errstate(divide="ignore"):
        value, _ = value_and_grad(f, mode="compiled")(x)
    (found,) = autograd.grad([value], [x], [np.float64(0.0)])
    np.testing.assert_array_equal(found.data, 0.0)


def test_anomalies_are_found_inside():
    def f(x):
        return np.sum(np.sqrt(x))

    with np.errstate(divide="ignore"), detect_anomaly(), pytest.raises(Exception, match="the adjoint of x became inf"):
        value_and_grad(f, mode="compiled")(Variable([0.0, 4.0], requires_grad=True))


def second_after(f, change=lambda: None, args=(), mode="compiled"):
    """The gradient of the sum of f's gradient, walked after a change; and what it is for f = sum(c * a ** 3), by the gradient itself."""
    a = Variable(X[0] + 2.0, requires_grad=True)
    g = grad(f, mode=mode)(a, *args)
    expected = 2 * g.data / a.data
    change()
    g.sum().backward()
    return a.grad.data, expected


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_plain_arguments_may_change_before_the_second_derivative(mode):
    def f(a, b):
        return np.sum(a ** 3 * b)

    def of_list(a, parts):
        return np.sum(a ** 3 * parts[0] * parts[1])

    def of_object(a, box):
        return np.sum(a ** 3 * box.k)

    b, k, parts = np.array([1.0, 2.0, 3.0]), np.array([1, 2, 3]), [np.ones(3), 2.0]
    np.testing.assert_allclose(*second_after(f, lambda: b.fill(0), (b,), mode))
    np.testing.assert_allclose(*second_after(f, lambda: k.fill(0), (k,), mode))
    np.testing.assert_allclose(*second_after(of_list, lambda: parts.append(parts.pop(0) * 5), (parts,), mode))
    np.testing.assert_allclose(*second_after(of_object, args=(SimpleNamespace(k=2.0),), mode=mode))
    a, b = Variable(X[0], requires_grad=True), np.ones(3)
    g, _ = grad(f, (0, 1), mode=mode)(a, b)  # a gradient with respect to a plain array
    b[:] = 0
    g.sum().backward()
    np.testing.assert_allclose(a.grad.data, 6 * X[0])


def test_what_is_read_from_outside_may_not_change_before_the_second_derivative():
    k, array, box = 2.0, np.ones(3), SimpleNamespace(k=2.0, parts=[np.ones(3)])

    def number(a):
        return np.sum(a ** 3 * k)

    def of_array(a):
        return np.sum(a ** 3 * array)

    def attribute(a):
        return np.sum(a ** 3 * box.k)

    def part(a):
        return np.sum(a ** 3 * box.parts[0])

    def own(a):
        return np.sum(a ** 3 * own.k)

    own.k = 2.0

    def of_object(a, box):
        return np.sum(a ** 3 * box.k)

    def through(a):
        return number(a)

    def change():
        nonlocal k
        k = 3.0

    for f, changes in (
        (number, change), (of_array, lambda: array.fill(2.0)), (attribute, lambda: setattr(box, "k", 3.0)),
        (part, lambda: box.parts[0].fill(2.0)), (own, lambda: setattr(own, "k", 3.0)), (of_object, lambda: setattr(box, "k", 4.0)),
        (through, change),
    ):
        args = (box,) if f is of_object else ()
        np.testing.assert_allclose(*second_after(f, args=args))
        k = 2.0
        with pytest.raises(InPlaceError, match="has changed since the call"):
            second_after(f, changes, args, mode="auto")
        np.testing.assert_allclose(*second_after(f, args=args))


def test_draws_are_not_made_again():
    rng = np.random.default_rng(0)
    box = SimpleNamespace(rng=np.random.default_rng(1))
    numbers, makers = iter([1.0, 2.0]), {"rng": np.random.default_rng}

    def draw():
        return rng.normal(size=3)

    def named(a):
        again = rng.normal
        return np.sum(a ** 3 * again(size=3))

    def taking(a, source):
        return np.sum(a ** 3 * source.normal(size=3))

    def importing(a):
        from numpy.random import rand
        return np.sum(a ** 3 * rand(3))  # noqa: NPY002

    for f in (
        importing, lambda a: np.sum(a ** 3 * rng.normal(size=3)), lambda a: np.sum(a ** 3 * np.random.normal(size=3)),  # noqa: NPY002
        lambda a: np.sum(a ** 3 * random.random()), lambda a: np.sum(a ** 3 * random.gauss(0.0, 1.0)),
        lambda a: np.sum(a ** 3 * np.random.default_rng().normal(size=3)), lambda a: np.sum(a ** 3 * box.rng.normal(size=3)),
        lambda a: np.sum(a ** 3 * draw()), lambda a: np.sum(a ** 3 * next(numbers)), lambda a: np.sum(a ** 3 * (time.time() % 1e-3)), named,
        lambda a: np.sum(a ** 3 * makers["rng"]().normal(size=3)),
    ):
        np.testing.assert_allclose(*second_after(f, mode="auto"))
    np.testing.assert_allclose(*second_after(taking, args=(rng,), mode="auto"))


def test_objects_and_their_functions_stay_one_node():
    model = SimpleNamespace(w=np.ones(3), act=np.tanh)

    def f(a, power=2, kind=ValueError):
        if not isinstance(power, int):
            raise kind("power")
        parts = [part ** power for part in model.act(a * model.w)]
        return sum(parts) + np.linalg.norm(a)

    value, _ = value_and_grad(f, mode="compiled")(Variable(X[0], requires_grad=True))
    assert "Compiled" in nodes_behind(value)


def test_what_prints_prints_once(capsys):
    def f(a):
        print("here")
        return np.sum(a ** 3)

    np.testing.assert_allclose(*second_after(f, mode="auto"))
    assert capsys.readouterr().out == "here\n"


def test_types_of_numbers_among_the_arguments():
    def f(a, kind=np.float64):
        return np.sum(a ** 2) + np.zeros(3, dtype=kind).sum()

    a = Variable(X[0], requires_grad=True)
    value, _ = value_and_grad(f, mode="compiled")(a)
    value.backward()
    assert "Compiled" in nodes_behind(value)
    np.testing.assert_allclose(a.grad.data, 2 * X[0])


def test_the_function_lives_as_long_as_the_graph_that_may_run_it_again():
    def made(x):
        @functools.partial(grad, wrt=1)
        def slope(k, y):
            return np.sum(k * y**2)

        return np.sum(slope(x[1], x))

    x = Variable(np.array([0.5, -0.3, 0.8]), requires_grad=True)
    value = made(x)
    gc.collect()
    (found,) = autograd.grad(value, [x])
    expected = np.full(3, 2 * x.data[1])
    expected[1] += 2 * np.sum(x.data)
    np.testing.assert_allclose(getattr(found, "data", found), expected, rtol=1e-12)
