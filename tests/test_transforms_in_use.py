"""What one may rely on in using the transforms: types, structures, nesting, state, threads, names."""

from __future__ import annotations

import inspect
import math
import threading
import types
from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff import Variable, elementwise_grad, grad, hessian, hvp, jacobian, jvp, stop_gradient, value_and_grad, vjp
from sourcediff.checks.numeric import numeric_jvp

# what the compiler refuses of jvp, and says, is asked in test_forward.py
pytestmark = pytest.mark.filterwarnings("ignore:(vjp|jvp|jacobian|hessian|hvp|elementwise_grad) of:sourcediff.FallbackWarning")

X = np.array([0.3, 0.5, -0.7, 1.2])
Pair = namedtuple("Pair", "a b")
SCALE = np.array([1.0, 2.0, 3.0, 4.0])
STATE: dict[str, Any] = {"calls": 0, "last": None}


def cube(x):
    return x ** 3


def energy(x, scale=1.0):
    """The energy of x."""
    return scale * np.sum(x ** 4)


def eager_grad(f, wrt=0):
    return grad(f, wrt, mode="eager")


TRANSFORMS = {
    "grad": lambda f, x: eager_grad(f)(x), "value_and_grad": lambda f, x: value_and_grad(f, mode="eager")(x),
    "vjp": lambda f, x: vjp(f, x)[1](1.0), "jvp": lambda f, x: jvp(f, (x,), (np.ones_like(x),)),
    "jacobian": lambda f, x: jacobian(f)(x), "jacobian forward": lambda f, x: jacobian(f, direction="forward")(x),
    "hessian": lambda f, x: hessian(f)(x), "hvp": lambda f, x: hvp(f)(x, np.ones_like(x)),
}
every_transform = pytest.mark.parametrize("name", TRANSFORMS)


# Types


def test_results_have_the_dtype_and_shape_of_the_argument():
    x = X.astype(np.float32)
    assert jacobian(cube)(x).dtype == jacobian(cube, direction="forward")(x).dtype == hessian(energy)(x).dtype == np.float32
    assert vjp(cube, x)[1](X)[0].dtype == jvp(cube, (x,), (X,))[1].dtype == hvp(energy)(x, X).dtype == np.float32
    assert elementwise_grad(cube)(x).dtype == np.float32
    assert jacobian(cube)(np.ones((2, 3))).shape == (2, 3, 2, 3)
    assert type(jacobian(cube)(np.float32(2))) is type(hessian(cube)(np.float32(2))) is np.float32
    at_a_point = jacobian(cube)(np.array(2.0))
    assert type(at_a_point) is np.ndarray and at_a_point.shape == ()


def test_python_floats_give_floats_and_ints_count_as_floats():
    for x in (2.0, 2):
        found = [jacobian(cube)(x), hessian(cube)(x), hvp(cube)(x, 1)]
        found += [vjp(cube, x)[1](1)[0], jvp(cube, (x,), (1,))[1], elementwise_grad(cube)(x)]
        assert found == [12.0, 12.0, 12.0, 12.0, 12.0, 12.0] and {type(part) for part in found} == {float}


def test_a_float_to_an_array_and_back():
    assert jacobian(lambda t: t * SCALE)(2.0).tolist() == SCALE.tolist()
    assert jacobian(lambda t: t * SCALE, direction="forward")(2.0).tolist() == SCALE.tolist()
    assert jacobian(lambda x: np.sum(x * SCALE))(X).tolist() == SCALE.tolist()


def test_structures_come_back_as_they_went_in():
    def f(p, q):
        return {"y": p.a * q[0], "z": (np.sum(p.b["c"]) * 2,)}

    p, q = Pair(X, {"c": X[:2]}), [2.0]
    blocks = jacobian(f, wrt=("p", "q"))(p, q)
    assert list(blocks) == ["y", "z"] and type(blocks["z"]) is tuple
    by_p, by_q = blocks["y"]
    assert type(by_p) is Pair and type(by_q) is list and by_p.a.shape == (4, 4) and by_p.b["c"].shape == (4, 2)
    assert by_q[0].tolist() == X.tolist() and blocks["z"][0][0].b["c"].tolist() == [2.0, 2.0]
    adjoints = vjp(f, p, q)[1]({"y": np.ones(4), "z": (None,)})
    assert type(adjoints[0]) is Pair and adjoints[0].b["c"].tolist() == [0.0, 0.0] and adjoints[1] == [pytest.approx(np.sum(X))]


def test_wrt_decides_between_one_and_a_tuple():
    def f(x, y):
        return x * x * y

    assert vjp(f, 2.0, 3.0)[1](1.0) == (12.0, 4.0)
    assert vjp(f, 2.0, 3.0, wrt="y")[1](1.0) == 4.0
    assert vjp(f, 2.0, 3.0, wrt=(1, "x"))[1](1.0) == (4.0, 12.0)
    assert vjp(f, 2.0, wrt=1, y=3.0)[1](1.0) == 4.0
    assert hessian(f, wrt=("x", "y"))(2.0, 3.0) == ((6.0, 4.0), (4.0, 0.0))
    assert hvp(f, wrt=(0, 1))(2.0, 3.0, (1.0, None)) == (6.0, 4.0)
    assert elementwise_grad(f, wrt=(0, 1))(X, SCALE)[1].tolist() == (X * X).tolist()
    assert vjp(lambda *xs: xs[0] * xs[1], 2.0, 3.0)[1](1.0) == (3.0, 2.0)
    assert jvp(lambda *xs: xs[0] * xs[1], (2.0, 3.0), (None, 1.0)) == (6.0, 2.0)


def test_what_is_not_differentiated_can_be_anything():
    def f(x, name, table):
        return x * table[name]

    assert jvp(f, (2.0, "k", {"k": np.arange(3)}), (1.0, None, None))[1].tolist() == [0, 1, 2]
    assert jvp(f, (2.0, "k", {"k": 3}), (None, None, None)) == (6.0, 0.0)
    assert jacobian(f)(2.0, table={"k": 5.0}, name="k") == 5.0


def test_a_result_that_is_no_float_has_no_tangent_and_takes_no_cotangent():
    def f(x):
        return x * 2, "label", np.argmax(x), None

    assert [None if part is None else part.tolist() for part in jvp(f, (X,), (X,))[1]] == [(X * 2).tolist(), None, None, None]
    assert vjp(f, X)[1]((X, None, None, None))[0].tolist() == (X * 2).tolist()


def test_with_has_aux_the_rest_of_the_result_is_handed_on():
    def f(x):
        return np.sum(x ** 2), {"size": x.size}

    aux = {"size": 4}
    value, gradient = np.sum(X ** 2), 2 * X
    assert vjp(f, X, has_aux=True)[0::2] == (value, aux) and jvp(f, (X,), (X,), has_aux=True)[0::2] == (value, aux)
    for transform in (lambda f, **options: grad(f, mode="eager", **options), jacobian):
        found, rest = transform(f, has_aux=True)(X)
        assert found.tolist() == gradient.tolist() and rest == aux
    assert value_and_grad(f, mode="eager", has_aux=True)(X)[0] == (value, aux)
    assert hessian(f, has_aux=True)(X)[1] == hvp(f, has_aux=True)(X, X)[1] == aux


# Pullbacks


def test_a_pullback_is_linear_and_can_be_called_again():
    _, pullback = vjp(lambda x: np.sin(x) * x[0], X)
    u, v = np.arange(4.0), np.array([1.0, -1.0, 0.5, 2.0])
    first = pullback(u)[0]
    first_as_it_was = first.copy()
    combined = pullback(2 * u - 3 * v)[0]
    np.testing.assert_allclose(combined, 2 * first - 3 * pullback(v)[0], rtol=1e-13)
    first[:] = 99.0  # a result is the caller's
    assert pullback(u)[0].tolist() == first_as_it_was.tolist()


@pytest.mark.parametrize("changed", ["argument", "value", "global", "mask", "constant argument"])
def test_a_pullback_keeps_what_it_reads(changed):
    scale, mask, x, c = SCALE.copy(), np.array([True, False, True, True]), X.copy(), X[::-1].copy()

    def f(x, c):
        return np.exp(np.where(mask, x * scale, x ** 2) * c)

    value, pullback = vjp(f, x, c)
    before = pullback(np.ones(4))
    for name, array in {"argument": x, "value": value, "global": scale, "constant argument": c}.items():
        if name == changed:
            array *= 5.0
    if changed == "mask":
        mask[:] = False
    for old, new in zip(before, pullback(np.ones(4))):
        assert old.tolist() == new.tolist()


def test_results_share_no_memory():
    def same(x, y):
        return x

    value, pullback = vjp(same, X, X.copy())
    seed = np.ones(4)
    adjoint, zero = pullback(seed)
    assert value is X and not np.shares_memory(adjoint, seed) and zero.tolist() == [0.0] * 4
    _, tangent = jvp(same, (X, X.copy()), (seed, seed))
    assert not np.shares_memory(tangent, seed)


# Zeros


def test_what_a_seed_leaves_out_is_zero_however_steep_the_function_is():
    at = np.array([0.0, 4.0])
    for root in (lambda x: x ** 0.5, lambda x: np.sqrt(x), lambda x: np.exp(0.5 * np.log(x))):
        with np.errstate(divide="ignore", invalid="ignore"):
            assert vjp(root, at)[1](np.array([0.0, 1.0]))[0].tolist() == [0.0, 0.25]
            assert jvp(root, (at,), (np.array([0.0, 1.0]),))[1].tolist() == [0.0, 0.25]
            for direction in ("reverse", "forward"):
                assert jacobian(root, direction=direction)(at)[:, 1].tolist() == [0.0, 0.25]


def test_an_infinite_derivative_stays_infinite():
    with np.errstate(divide="ignore"):
        assert jvp(lambda x: np.sqrt(x), (0.0,), (1.0,))[1] == np.inf
        assert jacobian(lambda x: x ** 0.5, direction="forward")(np.array([0.0, 4.0]))[0, 0] == np.inf


def test_no_dependence_gives_zeros():
    def constant(x):
        return np.ones(3), 2.0

    assert jacobian(constant)(X)[0].tolist() == np.zeros((3, 4)).tolist() and jacobian(constant)(X)[1].tolist() == [0.0] * 4
    assert vjp(constant, X)[1]((np.ones(3), 1.0))[0].tolist() == [0.0] * 4
    assert jvp(constant, (X,), (X,))[1][0].tolist() == [0.0] * 3
    for second in (hessian(lambda x: 1.0)(X), hessian(lambda x: np.sum(x))(X)):
        assert second.tolist() == np.zeros((4, 4)).tolist()
    assert hvp(lambda x: np.sum(x))(X, X).tolist() == [0.0] * 4


def test_empty_arrays():
    assert jacobian(cube)(np.ones(0)).shape == (0, 0) and jacobian(lambda x: np.sum(x))(np.ones(0)).shape == (0,)
    assert hessian(energy)(np.ones(0)).shape == (0, 0) and jvp(cube, (np.ones(0),), (np.ones(0),))[1].shape == (0,)


# Nesting


def test_no_perturbation_is_taken_for_another():
    assert eager_grad(lambda x: x * eager_grad(lambda y: x + y)(1.0))(3.0) == 1.0
    assert eager_grad(lambda x: x * eager_grad(lambda y: x * y)(1.0))(3.0) == 6.0
    assert eager_grad(lambda x: x * jvp(lambda y: x * y, (1.0,), (1.0,))[1])(3.0) == 6.0
    assert jvp(lambda x: x * jvp(lambda y: x * y, (1.0,), (1.0,))[1], (3.0,), (1.0,))[1] == 6.0
    assert jacobian(lambda x: x * vjp(lambda y: x * y, 1.0)[1](1.0)[0])(3.0) == 6.0
    assert jacobian(lambda x: x * hessian(lambda y: x * y ** 2)(1.0))(3.0) == 12.0
    assert jacobian(lambda x: x * hvp(lambda y: x * y ** 2)(1.0, x))(3.0) == 2 * 27.0
    assert eager_grad(lambda x: x * elementwise_grad(lambda y: x * y)(1.0))(3.0) == 6.0


def test_transforms_of_transforms():
    def f(x):
        return np.sum(np.sin(x) * x[::-1] ** 2)

    h = hessian(f)(X)
    for other in (jacobian(eager_grad(f)), jacobian(eager_grad(f), direction="forward"), jacobian(jacobian(f)),
                  lambda x: np.stack([eager_grad(lambda x, v=v: jvp(f, (x,), (v,))[1])(x) for v in np.eye(4)]),
                  lambda x: np.stack([jvp(eager_grad(f), (x,), (v,))[1] for v in np.eye(4)]),
                  lambda x: np.stack([vjp(eager_grad(f), x)[1](v)[0] for v in np.eye(4)]),
                  lambda x: np.stack([hvp(f)(x, v) for v in np.eye(4)])):
        np.testing.assert_allclose(other(X), h, rtol=1e-12, atol=1e-14)
    third = numeric_jvp(lambda x: hessian(f)(x), [X], [SCALE]).value
    np.testing.assert_allclose(jvp(hessian(f), (X,), (SCALE,))[1], third, rtol=1e-6)
    np.testing.assert_allclose(eager_grad(lambda x: np.sum(hvp(f)(x, SCALE) * X))(X), third @ X, rtol=1e-6)
    assert jvp(elementwise_grad(elementwise_grad(cube)), (2.0,), (1.0,)) == (12.0, 6.0)


def test_a_pullback_is_differentiable_in_its_cotangent_and_beyond():
    def f(v):
        value, pullback = vjp(lambda x: x ** 3, SCALE)
        return np.sum(pullback(v * v)[0] * value)

    np.testing.assert_allclose(eager_grad(f)(X), 6 * SCALE ** 5 * X, rtol=1e-13)


def test_a_function_that_calls_grad_inside_has_a_hessian():
    def steepness(x):
        g = eager_grad(lambda y: np.sum(y ** 3))(x)
        g[0] = g[0] * 2  # a gradient is an array like any other
        return np.sum(g ** 2)

    np.testing.assert_allclose(hessian(steepness)(X), np.diag(9 * 12 * X ** 2 * [4, 1, 1, 1]), rtol=1e-12)


def test_what_an_inner_function_changes_in_place_is_changed_for_the_outer_one():
    def squares(b):
        b[0] = 7.0 * b[1]
        b *= 2
        return np.sum(b ** 2)

    def outer(x):
        whole = np.zeros(4)
        whole[1:3] = x
        value = vjp(squares, whole[1:3])[0]
        return np.sum(whole ** 3) + value + np.sum(eager_grad(squares)(x * 1.0))

    x = np.array([1.0, 2.0])
    np.testing.assert_allclose(eager_grad(outer)(x), numeric_jvp_gradient(x), rtol=1e-7)


def test_one_array_as_two_arguments():
    assert [part.tolist() for part in vjp(lambda a, b: a * a * b, X, X)[1](np.ones(4))] == [(2 * X * X).tolist(), (X * X).tolist()]

    def outer(x):
        b = x * 2
        by_a, _ = vjp(lambda a, b: a * a * b, b, b)[1](np.ones(4))
        b *= 3  # which is nobody else's by now
        return np.sum(by_a * b)

    np.testing.assert_allclose(eager_grad(outer)(X), 144 * X ** 2)

    def changes_one(a, b):
        a *= 2
        return np.sum(a * b)

    with pytest.raises(sourcediff.AliasingError, match=r"shares? its memory"):
        vjp(changes_one, X, X)


def numeric_jvp_gradient(x):
    """Of the same sum, written out: b becomes (14 x1, 2 x1), and the gradient of the squares by it (0, 400 x1)."""
    def f(x):
        return 14.0 ** 3 * x[1] ** 3 + 8 * x[1] ** 3 + 200 * x[1] ** 2 + 400 * x[1]

    return [numeric_jvp(f, [x], [unit]).value for unit in np.eye(2)]


def test_where_a_variable_comes_in_variables_come_out():
    x = Variable(np.array([1.0, 2.0]), requires_grad=True)
    for found in (jacobian(cube)(x), vjp(cube, x)[1](np.ones(2))[0], jvp(cube, (x,), (np.ones(2),))[1], hvp(energy)(x, np.ones(2)),
                  vjp(cube, x)[0], hessian(energy)(x), elementwise_grad(cube)(x)):
        assert type(found) is Variable and found.requires_grad
    hvp(energy)(x, np.ones(2)).sum().backward()
    assert x.grad.data.tolist() == [24.0, 48.0]
    w = Variable(3.0, requires_grad=True)  # or where the function reads one
    (by_w,) = sourcediff.autograd.grad(jacobian(lambda x: x * w * w)(2.0), w)
    assert by_w.item() == 6.0


class Squared(sourcediff.Function):
    """What its backward reads is no input, so that it cannot be differentiated."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(2 * x)
        return x ** 2

    @staticmethod
    def backward(ctx, g):
        (slope,) = ctx.saved_tensors
        return g * slope


def test_what_can_only_be_pulled_back_is_pulled_back_and_never_pushed():
    def f(x):
        return np.outer(SCALE, Squared.apply(x))

    expected = SCALE[:, None, None] * np.diag(2 * X)
    for direction in ("auto", "reverse"):
        np.testing.assert_allclose(jacobian(f, direction=direction)(X), expected)
    for call in (lambda: jvp(f, (X,), (X,)), lambda: jacobian(f, direction="forward")(X)):
        with pytest.raises(sourcediff.MissingRuleError, match="Squared"):
            call()


def test_stop_gradient_makes_constants():
    def f(p):
        held = stop_gradient({"a": [p["x"]]})
        held["a"][0][0] = 5.0  # a copy
        return p["x"] * held["a"][0]

    np.testing.assert_array_equal(jacobian(f)({"x": X})["x"], np.diag([5.0, *X[1:]]))
    np.testing.assert_array_equal(jvp(f, ({"x": X},), ({"x": X},))[1], X * [5.0, *X[1:]])
    assert not stop_gradient(Variable(2.0, requires_grad=True)).requires_grad

    def scaled(x):
        return np.sum(x * stop_gradient(x ** 2))

    for mode in ("compiled", "eager"):
        np.testing.assert_array_equal(grad(scaled, mode=mode)(X), X ** 2)


# State


def remembers(x):
    STATE["calls"] += 1
    STATE["last"] = np.sum(x)
    return np.sum(x * SCALE ** 2)


@every_transform
def test_arguments_and_state_are_as_after_one_plain_call(name):
    def f(x):
        x[1:] *= x[:-1]
        return remembers(x)

    plain, given = X.copy(), X.copy()
    STATE.update(calls=0)
    f(plain)
    after = dict(STATE)
    STATE.update(calls=0)
    TRANSFORMS[name](f, given)
    assert given.tolist() == plain.tolist() and STATE == after and type(STATE["last"]) is np.float64
    assert SCALE.tolist() == [1.0, 2.0, 3.0, 4.0]


@every_transform
def test_the_programs_modules_and_globals_are_never_changed(name):
    def fails(x, depth=3):
        if depth:
            return fails(np.sin(x), depth - 1)
        raise KeyError("the program's own")

    namespaces = globals(), vars(np), vars(math), vars(sourcediff)
    seen = [dict(namespace) for namespace in namespaces]
    with pytest.raises(KeyError, match="own"):
        TRANSFORMS[name](fails, X.copy())
    TRANSFORMS[name](energy, X.copy())
    assert all(namespace.get(key) is value for namespace, before in zip(namespaces, seen) for key, value in before.items())
    assert inspect.getclosurevars(fails).nonlocals == {"fails": fails} and type(np.sin) is np.ufunc


@every_transform
def test_threads_do_not_disturb_each_other(name):
    def f(x):
        total = np.zeros(1)
        for value in x:
            total[0] += np.sin(value) * value
        return total[0]

    starts = [X + i for i in range(4)]
    alone = [TRANSFORMS[name](f, start) for start in starts]
    found: dict[int, Any] = {}

    def work(i):
        for _ in range(5):
            found[i] = TRANSFORMS[name](f, starts[i].copy())

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i in range(4):
        np.testing.assert_equal(found[i], alone[i])


def test_one_pullback_serves_several_threads():
    _, pullback = vjp(lambda x: np.cumsum(np.sin(x) * x), X)
    expected = pullback(np.ones(4))[0]
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.extend(pullback(np.ones(4))[0] for _ in range(20))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 80 and all(part.tolist() == expected.tolist() for part in found)


# Doors


@pytest.mark.parametrize("transform", [jacobian, hessian, hvp, elementwise_grad, grad])
def test_names_and_docstrings_are_its_own_and_signatures_the_functions(transform):
    made = transform(energy)
    assert made.__name__ == f"energy_{transform.__name__}" and made.__wrapped__ is energy
    assert "of energy with respect to x." in made.__doc__ and made.__doc__.endswith("\nThe energy of x.")
    assert inspect.signature(made) == inspect.signature(energy)


def test_as_decorators_with_and_without_arguments_on_functions_and_methods():
    @jacobian
    def first(x):
        return x ** 2

    @hessian(wrt="y", mode="eager")
    def second(x, y):
        return x * y ** 3

    class Model:
        k = 2.0

        @jacobian
        def slopes(self, x):
            return self.k * x ** 2

        @hvp(wrt="x")
        def product(self, x):
            return self.k * x ** 3

        def energy(self, x):
            return self.k * x ** 2

    model = Model()
    assert first(3.0) == 6.0 and second(2.0, 3.0) == 36.0 and second(y=3.0, x=2.0) == 36.0
    assert model.slopes(3.0) == 12.0 and model.product(1.0, 2.0) == 24.0
    assert jacobian(model.energy).__self__ is model and jacobian(model.energy)(3.0) == 12.0
    assert isinstance(model.slopes, types.MethodType) and model.slopes.__self__ is model
    assert vjp(model.energy, 3.0)[1](1.0) == (12.0,) and jvp(model.energy, (3.0,), (1.0,)) == (18.0, 12.0)


@pytest.mark.parametrize("mode", ["auto", "eager"])
def test_the_modes_that_there_are(mode):
    assert jacobian(cube, mode=mode)(2.0) == hessian(lambda x: x ** 4 / 4, mode=mode)(2.0) == 12.0
    assert vjp(cube, 2.0, mode=mode)[1](1.0) == (12.0,) and jvp(cube, (2.0,), (1.0,), mode=mode) == (8.0, 12.0)
    assert hvp(cube, mode=mode)(2.0, 1.0) == elementwise_grad(cube, mode=mode)(2.0) == 12.0


WEIGHTS = np.array([2.0, 3.0, 4.0])


def by_one_name(x):
    h = x[::-1]
    h = h * h
    return h


def by_a_view_of_a_global(x):
    h = WEIGHTS[::-1]
    h = h * x
    return h


@pytest.mark.parametrize("function", [by_one_name, by_a_view_of_a_global])
def test_a_pullback_keeps_what_its_caller_changes_afterwards(function):
    x, weights = np.array([1.1, 0.7, 1.9]), WEIGHTS.copy()
    _, pullback = sourcediff.vjp(function, x, mode="compiled")
    before = pullback(np.ones(3))[0].copy()
    x[...], WEIGHTS[...] = 99.0, -77.0
    after = pullback(np.ones(3))[0]
    WEIGHTS[...] = weights
    np.testing.assert_array_equal(after, before)


def test_a_batch_changes_nothing_outside_twice():
    y = np.array([1.0, 2.0])

    def scaled(a):
        y[1] = y[1] + 1.0
        return a * y

    np.testing.assert_allclose(sourcediff.jacobian(scaled, mode="compiled", direction="forward")(np.ones(2)), np.diag([1.0, 3.0]))
    np.testing.assert_array_equal(y, [1.0, 3.0])
