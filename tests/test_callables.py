"""What can be differentiated besides plain functions, and with respect to what: partials, objects, lambdas; attributes."""

from __future__ import annotations

import dataclasses
import functools
import math
import pathlib
import runpy
import types
import typing
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng, power, rand

import sourcediff
from sourcediff.errors import NonDifferentiableError, UnknownParameterError, UnsupportedSyntaxError
from tests.corpus.asserts import assert_right
from tests.corpus.calls import sigmoid
from tests.corpus.objects import DAMPED, Damped, Spring, applied, scaled_power

MODES = ("compiled", "eager")
X = np.array([0.4, -0.7, 1.1])


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@dataclasses.dataclass
class Inner:
    scale: float
    w: np.ndarray


@dataclasses.dataclass(frozen=True)
class Params:
    w: np.ndarray
    b: float
    inner: Inner
    steps: int = 3
    name: str = "net"
    parts: tuple = ()


class Slotted:
    __slots__ = ("k", "m", "shape")

    def __init__(self, k, m):
        self.k, self.m, self.shape = k, m, np.sin

    def response(self, x):
        return np.sum(self.shape(self.k * x) * self.m)


class Pair(typing.NamedTuple):
    w: np.ndarray
    b: float


def params() -> Params:
    return Params(0.3 * X, 0.5, Inner(0.7, 0.1 * X), parts=(1.0 * X, 2.0))


def loss(p, x):
    y = x
    for _ in range(p.steps):
        y = np.tanh(p.w * y + p.b) * p.inner.scale + p.inner.w
    return np.sum(y) * p.parts[1]


def of_a_pair(p, x):
    w, b = p
    return np.sum(np.tanh(p.w * x + b)) * p[1] + w[0]


def differences(function, value, h=1e-6):
    """The gradient of a function of one array or float, by differences."""
    if isinstance(value, float):
        return (function(value + h) - function(value - h)) / (2 * h)
    steps = h * np.eye(value.size).reshape(value.size, *value.shape)
    return np.array([(function(value + step) - function(value - step)) / (2 * h) for step in steps]).reshape(value.shape)


def test_partials_and_objects_and_lambdas(mode: str) -> None:
    for function, args in (
        (functools.partial(applied, sigmoid), (X,)), (functools.partial(applied, np.sin, times=3), (X,)),
        (functools.partial(functools.partial(applied, times=1), np.tanh), (X,)), (DAMPED, (X,)),
        (lambda x: np.sum(scaled_power(x, 2.0)), (X,)), (functools.partial(lambda k, x: np.sum(k * x), 2.0), (X,)),
    ):
        got = sourcediff.grad(function, mode=mode)(*args)
        np.testing.assert_allclose(got, differences(function, *args), rtol=1e-6)
        value, tangent = sourcediff.jvp(function, args, (np.ones(3),), mode=mode)
        assert value == pytest.approx(function(*args)) and tangent == pytest.approx(np.sum(got))


def test_what_a_partial_is_given_by_name_can_be_given_again_and_asked_for(mode: str) -> None:
    held = functools.partial(scaled_power, scale=2.0)
    assert sourcediff.grad(held, mode=mode)(3.0, scale=0.5) == 3.0
    assert sourcediff.grad(held, wrt="scale", mode=mode)(3.0) == 9.0


def test_a_lambda_is_found_among_others_on_its_line() -> None:
    double, cube = (lambda x: 2 * x), (lambda x, n=3: x ** n)
    assert sourcediff.grad(double, mode="compiled")(1.5) == 2.0
    assert sourcediff.grad(cube, mode="compiled")(2.0) == 12.0


def test_methods_read_what_their_object_holds_now(mode: str) -> None:
    spring = Spring(2.0)
    gradient = sourcediff.grad(spring.energy, mode=mode)
    first = gradient(X)
    spring.stiffness = 3.0
    np.testing.assert_allclose(gradient(X), differences(spring.energy, X), rtol=1e-6)
    assert not np.allclose(first, gradient(X))
    spring.shape = np.sin
    np.testing.assert_allclose(gradient(X), differences(spring.energy, X), rtol=1e-6)
    spring.rest = 0.1 * X
    np.testing.assert_allclose(gradient(X), differences(spring.energy, X), rtol=1e-6)


def test_a_method_that_is_exchanged_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = sourcediff.grad(Damped(2.0, 0.3).energy, mode="compiled")
    before = gradient(X)
    monkeypatch.setattr(Spring, "force", lambda self, x: self.stiffness * x ** 3)
    np.testing.assert_allclose(gradient(X), differences(Damped(2.0, 0.3).energy, X), rtol=1e-6)
    assert not np.allclose(before, gradient(X))
    monkeypatch.setattr(Damped, "force", lambda self, x: self.stiffness * x ** 2)
    np.testing.assert_allclose(gradient(X), differences(Damped(2.0, 0.3).energy, X), rtol=1e-6)


def test_functions_of_one_place_with_other_cells(mode: str) -> None:
    gradient = sourcediff.grad(lambda f, x: np.sum(f(x)), wrt=1, mode=mode)
    for k in (2.0, 5.0):
        np.testing.assert_allclose(gradient(lambda x, power=2, k=k: k * x ** power, X), 2 * k * X)
        np.testing.assert_allclose(gradient(functools.partial(scaled_power, scale=k), X), 2 * k * X)
        np.testing.assert_allclose(gradient(maker(k), X), np.full(3, k))


def maker(k):
    return lambda x: k * x


def test_an_attribute_as_a_parameter(mode: str) -> None:
    def with_stiffness(k):
        return Damped(k, 0.3).energy(X)

    damped = Damped(2.0, 0.3)
    got = sourcediff.grad(damped.energy, wrt="self.stiffness", mode=mode)(X)
    assert got == pytest.approx(differences(with_stiffness, 2.0), rel=1e-6)
    value, (k, x) = sourcediff.value_and_grad(Damped.energy, wrt=("self.stiffness", "x"), mode=mode)(damped, X)
    assert k == got and value == damped.energy(X)
    np.testing.assert_allclose(x, differences(damped.energy, X), rtol=1e-6)
    assert damped.stiffness == 2.0 and type(damped.stiffness) is float


def test_a_gradient_with_the_structure_of_a_dataclass(mode: str) -> None:
    given = params()
    got = sourcediff.grad(loss, mode=mode)(given, X)
    assert type(got) is Params and type(got.inner) is Inner and got.steps is None and got.name is None
    np.testing.assert_allclose(got.w, differences(lambda w: loss(dataclasses.replace(given, w=w), X), given.w), rtol=1e-5, atol=1e-8)
    assert got.b == pytest.approx(differences(lambda b: loss(dataclasses.replace(given, b=b), X), given.b))
    inner = differences(lambda a: loss(dataclasses.replace(given, inner=Inner(a, given.inner.w)), X), given.inner.scale)
    assert got.inner.scale == pytest.approx(inner) and not np.shares_memory(got.w, given.w)
    assert got.parts[1] == pytest.approx(loss(given, X) / 2) and not np.any(got.parts[0])
    part = sourcediff.grad(loss, wrt="p.inner", mode=mode)(given, X)
    assert type(part) is Inner and part.scale == got.inner.scale


def test_gradients_of_other_objects(mode: str) -> None:
    slotted = sourcediff.grad(Slotted.response, wrt="self", mode=mode)(Slotted(0.3, 2.0 * X), X)
    assert type(slotted) is Slotted and slotted.shape is None
    np.testing.assert_allclose(slotted.m, np.sin(0.3 * X))
    pair = sourcediff.grad(of_a_pair, mode=mode)(Pair(0.2 * X, 0.3), X)
    assert type(pair) is Pair
    np.testing.assert_allclose(pair.w, differences(lambda w: of_a_pair(Pair(w, 0.3), X), 0.2 * X), rtol=1e-6)
    plain = sourcediff.grad(lambda p, x: np.sum(p.w * x) * p.b, mode=mode)(types.SimpleNamespace(w=X, b=0.5, label="a"), X)
    np.testing.assert_allclose(plain.w, 0.5 * X)
    assert plain.label is None


def test_an_array_in_an_object_may_be_changed(mode: str) -> None:
    def changing(p, x):
        p.w[1:] *= x[1:]
        return np.sum(p.w ** 2) * p.b

    given = Params(1.0 * X, 0.5, Inner(0.7, 0.1 * X))
    got = sourcediff.grad(changing, mode=mode)(given, X)
    np.testing.assert_allclose(got.w, X * np.where([False, True, True], X ** 2, 1.0))
    np.testing.assert_array_equal(given.w, X * np.where([False, True, True], X, 1.0))


def test_what_is_no_attribute_with_a_gradient(mode: str) -> None:
    with pytest.raises(UnknownParameterError, match="has no attribute 'mass'"):
        sourcediff.grad(Spring(2.0).energy, wrt="self.mass", mode=mode)(X)
    with pytest.raises(NonDifferentiableError, match=r"p\.steps of loss is an int"):
        sourcediff.grad(loss, wrt="p.steps", mode=mode)(params(), X)
    with pytest.raises(UnknownParameterError):
        sourcediff.grad(loss, wrt="q.w", mode=mode)


def test_objects_in_a_list() -> None:
    def kept_in_a_list(k, x):
        springs = [Spring(k), Spring(2 * k)]
        return sum(spring.energy(x) for spring in springs)

    got = sourcediff.grad(kept_in_a_list, mode="compiled")(1.5, X)
    assert got == pytest.approx(differences(lambda k: kept_in_a_list(k, X), 1.5), rel=1e-6)


def test_what_changes_an_object_from_outside_is_run_eagerly() -> None:
    class Counting:
        def __init__(self):
            self.calls = 0

        def square(self, x):
            self.calls += 1
            return x ** 2

    counting = Counting()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sourcediff.errors.FallbackWarning)
        assert sourcediff.grad(counting.square)(3.0) == 6.0
    assert counting.calls == 1


class Pendulum:
    def __init__(self, rate, drive):
        self.rate = rate
        self.drive = drive

    def acceleration(self, x):
        return self.drive - self.rate * math.sin(x)

    def path(self, x, v, dt, steps):
        for _ in range(steps):
            v = v + dt * self.acceleration(x)
            x = x + dt * v
        return x ** 2


PENDULUM_GRAD = """
def path_grad(self, x, v, dt, steps):
    self_rate = self.rate
    self_drive = self.drive
    saved = []
    for _ in range(steps):
        t = math.sin(x)
        v = v + dt * (self_drive - self_rate * t)
        saved.append((x, t))
        x = x + dt * v
    x_bar = 2 * x
    self_drive_bar = self_rate_bar = v_bar = 0.0
    for _ in reversed(range(steps)):
        x, t = saved.pop()
        v_bar += x_bar * dt
        t2_bar = v_bar * dt
        self_drive_bar += t2_bar
        t1_bar = -t2_bar
        self_rate_bar += t1_bar * t
        x_bar += t1_bar * self_rate * np.cos(x)
    return alike(self, rate=float(self_rate_bar), drive=float(self_drive_bar))
"""


def test_the_text_of_a_method_reads_as_one_would_write_it() -> None:
    text = sourcediff.gradient_source(Pendulum.path, wrt="self", args=(Pendulum(2.0, 1.5), 0.3, 0.1, 0.01, 4))
    body = "\n".join(line.split("  #")[0] for line in text[text.index("def "):].splitlines())
    assert body.strip() == PENDULUM_GRAD.strip(), body


def test_methods_that_call_methods_twice_are_not_copied_without_end(tmp_path: pathlib.Path) -> None:
    methods = "".join(f"    def h{k}(self, x):\n        return self.h{k - 1}(x) + self.h{k - 1}(x * 0.5)\n\n" for k in range(1, 13))
    path = tmp_path / "doubling.py"
    path.write_text(f"class Doubling:\n    def h0(self, x):\n        return x * x\n\n{methods}")
    doubling = runpy.run_path(str(path))["Doubling"]()
    with pytest.raises(UnsupportedSyntaxError, match="too much would be written out"):
        sourcediff.grad(doubling.h12, mode="compiled")(2.0)


def test_arrays_of_objects_that_share_memory_are_noticed() -> None:
    def changing(p, q):
        p.w *= 2
        return np.sum(p.w * q.w * p.v)

    def made(w, v):
        return types.SimpleNamespace(w=w, v=v)

    one, other, third = X.copy(), X.copy(), X.copy()
    got = sourcediff.grad(changing, mode="compiled")(made(one, third), made(other, None))
    np.testing.assert_allclose(got.w, 2 * X * X)
    for p, q in ((made(one, third), made(one, None)), (made(one, one), made(other, None)), (made(one, one[::-1]), made(other, None))):
        with pytest.raises(sourcediff.errors.AliasingError, match="shares its memory"):
            sourcediff.grad(changing, mode="compiled")(p, q)


def first_exchanged(fs, x):
    fs[0] = np.cos
    return np.sum(fs[0](x))


def reversed_before(fs, x):
    fs = fs[::-1]
    return np.sum(fs[0](x))


def exchanged_by_another_name(fs, x):
    others = fs
    others[1] = np.exp
    return np.sum(fs[1](x))


@pytest.mark.parametrize("function", [first_exchanged, reversed_before, exchanged_by_another_name])
def test_functions_in_a_list_that_changes_are_refused(function: typing.Callable) -> None:
    with pytest.raises(UnsupportedSyntaxError):
        sourcediff.grad(function, wrt="x", mode="compiled")([np.sin, np.tanh], X)
    got = sourcediff.grad(function, wrt="x", mode="eager")([np.sin, np.tanh], X)
    np.testing.assert_allclose(got, differences(lambda x: function([np.sin, np.tanh], x), X), rtol=1e-6)


def test_an_attribute_that_is_read_by_name_is_that_attribute() -> None:
    def f(p, x):
        w = getattr(p, "w")  # noqa: B009
        w[0] = 2.0
        return np.sum(p.w * x)

    for mode in ("compiled", "eager"):
        given = types.SimpleNamespace(w=1.0 * X)
        np.testing.assert_allclose(sourcediff.grad(f, wrt="x", mode=mode)(given, X), [2.0, *X[1:]])
        assert given.w[0] == 2.0


@pytest.mark.parametrize("use", ["p.__dict__['w']"])
def test_an_object_whose_attributes_are_reached_in_other_ways_is_refused(use: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "other_ways.py"
    path.write_text(f"import numpy as np\n\n\ndef f(p, x):\n    w = {use}\n    w[0] = 2.0\n    return np.sum(p.w * x)\n")
    f = runpy.run_path(str(path))["f"]
    given = types.SimpleNamespace(w=1.0 * X)
    with pytest.raises(UnsupportedSyntaxError, match="more than its parts is used"):
        sourcediff.grad(f, wrt="x", mode="compiled")(given, X)
    np.testing.assert_allclose(sourcediff.grad(f, wrt="x", mode="eager")(given, X), [2.0, *X[1:]])


def test_one_of_two_methods_is_refused() -> None:
    def either(x):
        spring = Spring(2.0)
        method = spring.force if x[0] > 0 else spring.squared
        return np.sum(method(x))

    with pytest.raises(UnsupportedSyntaxError, match="several kinds"):
        sourcediff.grad(either, mode="compiled")(X)
    np.testing.assert_allclose(sourcediff.grad(either, mode="eager")(X), differences(either, X), rtol=1e-6)


def test_an_object_that_holds_a_whole_program_is_not_looked_into(mode: str) -> None:
    class Everything:
        def __init__(self, k):
            self.k = k
            self.parts = [types.SimpleNamespace(number=number, whole=[self]) for number in range(1000)]

    everything = Everything(2.0)
    got = sourcediff.grad(lambda x: np.sum(x ** 2) * everything.k, mode=mode)(X)
    np.testing.assert_allclose(got, 4 * X)


@pytest.mark.parametrize("door", [sourcediff.jacobian, sourcediff.hessian])
@pytest.mark.parametrize("wrt", ["self", "self.stiffness"])
def test_other_transforms_refuse_objects(door: typing.Callable, wrt: str, mode: str) -> None:
    with pytest.raises(NonDifferentiableError, match="taken by grad, value_and_grad, vjp and jvp alone"):
        door(Spring.energy, wrt=wrt, mode=mode)(Spring(2.0), X)


def test_named_tuples_in_all_transforms(mode: str) -> None:
    def line(p, x):
        return p.w * x + p.b

    given = Pair(1.0 * X, 2.0)
    pulled = sourcediff.vjp(line, given, X, wrt="p", mode=mode)[1](np.ones(3))
    matrix = sourcediff.jacobian(line, mode=mode, direction="forward")(given, X)
    _, tangent = sourcediff.jvp(line, (given, X), (Pair(X, 0.5), None), mode=mode)
    assert type(pulled) is type(matrix) is Pair
    np.testing.assert_allclose(pulled.w, X)
    np.testing.assert_allclose(matrix.w, np.diag(X))
    np.testing.assert_allclose(matrix.b, np.ones(3))
    np.testing.assert_allclose(tangent, X * X + 0.5)


def test_gradients_of_objects_are_cross_checked() -> None:
    def changing(p, x):
        p.w[1:] *= x[1:]
        return np.sum(p.w ** 2) * p.b

    given = types.SimpleNamespace(w=1.0 * X, b=0.5)
    got = sourcediff.grad(changing, mode="compiled", check=True)(given, X)
    np.testing.assert_allclose(given.w, [X[0], *X[1:] ** 2])  # as one call leaves it
    np.testing.assert_allclose(got.w, [X[0], *X[1:] ** 3])


def test_variables_in_objects(mode: str) -> None:
    spring = Spring(sourcediff.Variable(2.0, requires_grad=True))
    plain = sourcediff.grad(Spring.energy, wrt="self")(Spring(2.0), X)
    got = sourcediff.grad(Spring.energy, wrt="self", mode=mode)(spring, X)
    assert isinstance(got.stiffness, sourcediff.Variable) and float(got.stiffness.data) == pytest.approx(plain.stiffness)


def test_second_derivatives_through_super_on_the_eager_engine() -> None:
    slope = sourcediff.grad(DAMPED.energy, mode="eager")
    got = sourcediff.grad(lambda x: np.sum(slope(x)), mode="eager")(X)
    np.testing.assert_allclose(got, differences(lambda x: np.sum(slope(x)), X), rtol=1e-6)


def test_the_derivative_of_a_function_that_is_given() -> None:
    def of_what(f, x):
        return sourcediff.grad(f)(x) * x

    assert sourcediff.grad(of_what, 1, mode="compiled")(lambda x: x ** 3, 2.0) == 36.0


CHANGING = {"one": np.sin, "other": np.cos}


def by_name(x, name):
    return np.sum(CHANGING[name](x))


def test_a_table_of_functions_is_read_at_each_call(monkeypatch) -> None:
    slope = sourcediff.grad(by_name, mode="compiled")
    x = np.array([0.3, 0.7])
    np.testing.assert_allclose(slope(x, "one"), np.cos(x))
    monkeypatch.setitem(CHANGING, "one", np.exp)
    np.testing.assert_allclose(slope(x, "one"), np.exp(x))
    monkeypatch.setitem(CHANGING, "new", np.tanh)
    np.testing.assert_allclose(slope(x, "new"), 1 / np.cosh(x) ** 2)
    with pytest.raises(KeyError, match="missing"):
        sourcediff.grad(by_name, mode="eager")(x, "missing")
    with pytest.raises(UnsupportedSyntaxError, match="cannot tell what function"):
        sourcediff.grad(by_name, mode="compiled")(x, "missing")


class Unit:
    activation = staticmethod(np.sin)

    def __init__(self, w):
        self.w = w


def activated(x):
    return np.sum(Unit(x[0]).activation(x))


def test_a_static_method_that_is_a_library_function():
    for mode in ("compiled", "eager"):
        np.testing.assert_allclose(sourcediff.grad(activated, mode=mode)(np.array([0.3, 0.5])), np.cos([0.3, 0.5]))


def test_functions_of_numpy_that_do_not_say_where_they_are_from():
    add_at = np.add.at

    def at(x):
        counts = np.zeros(3)
        add_at(counts, [0, 0, 2], 1.0)
        return np.sum(x ** 2 * counts)

    def made(x):
        return np.sum(x ** 2 * default_rng(0).normal(size=3))

    def drawn(x):
        return np.sum(x ** 2 * power(2.0, size=3)) * rand()  # noqa: NPY002

    x = np.array([0.5, 1.5, -2.0])
    for f in (at, made, drawn):
        found = []
        for mode in ("compiled", "eager"):
            np.random.seed(0)  # noqa: NPY002
            found.append(sourcediff.grad(f, mode=mode)(x))
        np.testing.assert_allclose(*found)


# Optional functions: whether one is given is known where the call is


def driven(step, x, stop=None, scale=None):
    for _ in range(4):
        x = step(x)
        if stop is not None and stop(x):
            break
    if scale:
        x = scale(x)
    return x if scale is None or not stop else 2 * x


def with_neither(x):
    return driven(lambda v: v * x[0], x[1])


def with_one(x):
    def ends(v):
        return v > 2

    return driven(lambda v: v * x[0], x[1], ends)


def with_both(x):
    def growing(v):
        return v * x[0] + 1

    return driven(growing, x[1], scale=lambda v: v ** 2, stop=lambda v: v > 3)


def with_none_by_name(x):
    return driven(np.sin, x[1], stop=None) + driven(np.sin, x[2], None, None)


def of_an_inner_function(x):
    def both(first, second=None):
        if second is None:
            return first(x[0])
        return first(second(x[0]))

    return both(lambda v: v * x[1]) + both(lambda v: v * x[2], lambda v: v ** 3)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("function", [with_neither, with_one, with_both, with_none_by_name, of_an_inner_function],
                         ids=lambda function: function.__name__)
def test_optional_functions(function: Callable[..., Any], mode: str) -> None:
    assert_right(function, np.array([1.3, 0.7, 1.9]), mode=mode)
