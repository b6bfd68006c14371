"""Every door to a derivative, for structures with arrays on a device: the numbers are those on the host, and none lies there."""

from __future__ import annotations

import collections
import copy
import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff.checks.rule import is_differentiated
from sourcediff.errors import NonDifferentiableError, SourcediffError, UnsupportedSyntaxError
from sourcediff.rules import RULES
from tests.rules.samples import SAMPLES
from tests.sampling import sampled
from tests.standin import mapped, to_device, to_host, transfers
from tests.standin.judge import numbers, same

X = np.array([1.5, -2.0, 0.5, 0.25])
V = X[::-1].copy()
M = np.arange(1.0, 7.0).reshape(2, 3) / 5

Pair = collections.namedtuple("Pair", "a b")


@dataclasses.dataclass
class Line:
    w: Any
    b: Any


def plain(x):
    return np.sum(np.sin(x) * x**2)


def of_vector(x):
    return np.tanh(x) * x


def power(x, k):
    return np.sum(x**k) * k


def of_dict(p):
    return np.sum(p["w"] ** 2 * p["b"])


def dict_of(p):
    return {"y": p["w"] * p["b"], "n": np.sum(p["w"])}


def tuple_of(p):
    return p[0] * p[1], np.sum(p[1])


def of_line(p):
    return np.sum(p.w**2 * p.b)


def of_pair(p):
    return np.sum(p.a**2 * p.b)


def of_list(p):
    return np.sum(p[0] * p[1]) + p[2]


def nested(p):
    return np.sum(p["l"][0]["w"] ** 2) * p["s"]


def two(x, y):
    return np.sum(x**2 * np.exp(y))


def products(a, b):
    return np.sum((a @ b.T) ** 2)


def entry(x):
    return x[0] * x[1] ** 2


def stored(x):
    y = x.copy()
    y[0] = x[1] ** 2
    return np.sum(y * x)


CALLS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "plain": (plain, (X,)), "float32": (plain, (X.astype(np.float32),)), "empty": (plain, (np.zeros(0),)),
    "vector": (of_vector, (X,)), "power": (power, (X + 3, 2.0)), "two": (two, (X, V)), "products": (products, (M, 2 * M)),
    "dict": (of_dict, ({"w": X, "b": V},)), "dict of both": (of_dict, ({"w": X, "b": 2.0},)), "to a dict": (dict_of, ({"w": X, "b": V},)),
    "to a tuple": (tuple_of, ((X, V),)), "object": (of_line, (Line(X, V),)), "object of both": (of_line, (Line(X, 2.0),)),
    "named tuple": (of_pair, (Pair(X, V),)), "list": (of_list, ([X, V, 3.0],)), "nested": (nested, ({"l": [{"w": X}], "s": 2.0},)),
    "entry": (entry, (X,)), "stored": (stored, (X,)),
}


def halves(tree: Any) -> Any:
    return mapped(lambda leaf: np.full_like(leaf, 0.5) if isinstance(leaf, np.ndarray) else 0.5, tree)


def with_zeros(tree: Any) -> Any:
    return mapped(lambda leaf: np.arange(leaf.size, dtype=leaf.dtype).reshape(leaf.shape) if isinstance(leaf, np.ndarray) else 0.0, tree)


def twice(tree: Any) -> Any:
    return mapped(lambda leaf: np.stack([leaf, 2 * leaf]), tree)


def squares(tree: Any) -> Any:
    total = 0.0
    for part in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, (list, tuple)) else ():
        total = total + squares(part)
    return total if isinstance(tree, (dict, list, tuple)) else np.sum(tree**2)


def twice_pulled(f: Any, args: Any, g: Any, mode: str) -> Any:
    prepared = sourcediff.prepared(f, mode=mode)
    found = []
    for _ in range(2):
        value, pull = prepared.forward(*args)
        found.append((value, pull(g), pull(g)))
    return found


def raveled(f: Any, args: Any) -> Any:
    vector, restore = sourcediff.ravel(args[0])
    return vector, restore(2 * vector), sourcediff.vjp(lambda v: f(restore(v), *args[1:]), vector)[0]


def gradient_of_gradient(f: Any, args: Any, mode: str) -> Any:
    return sourcediff.grad(lambda *given: squares(sourcediff.grad(f)(*given)), mode=mode)(*args)


def gradient_of_raveled(f: Any, args: Any) -> Any:
    vector, restore = sourcediff.ravel(args[0])
    return sourcediff.grad(lambda v: f(restore(v), *args[1:]))(vector)


class Call:
    """A function and its arguments, on the host or where ``to`` takes them, and what is asked along."""

    def __init__(self, name: str, to: Callable[[Any], Any], mode: str):
        self.f, host = CALLS[name]
        self.to, self.mode = to, mode
        self.args = to(host)
        self.host = host
        self.value = self.f(*host)

    def seed(self) -> Any:
        return self.to(halves(self.value))

    def along(self, make: Callable[[Any], Any] = halves) -> Any:
        return self.to(make(self.host))


DOORS: dict[str, Callable[[Call], Any]] = {
    "vjp": lambda c: [pull(c.seed()) for _, pull in [sourcediff.vjp(c.f, *c.args, mode=c.mode)] * 2],
    "prepared": lambda c: twice_pulled(c.f, c.args, c.seed(), c.mode),
    "jvp": lambda c: sourcediff.jvp(c.f, c.args, c.along(), mode=c.mode),
    "jvp along zeros": lambda c: sourcediff.jvp(c.f, c.args, c.along(with_zeros), mode=c.mode),
    "jacobian": lambda c: sourcediff.jacobian(c.f, mode=c.mode)(*c.args),
    "jacobian forwards": lambda c: sourcediff.jacobian(c.f, direction="forward", mode=c.mode)(*c.args),
}
"""Those of any function."""

OF_SCALARS: dict[str, Callable[[Call], Any]] = {
    "gradient": lambda c: sourcediff.value_and_grad(c.f, tuple(range(len(c.args))), mode=c.mode)(*c.args),
    "check": lambda c: sourcediff.grad(c.f, check=True, mode=c.mode)(*c.args),
    "hessian": lambda c: sourcediff.hessian(c.f, mode=c.mode)(*c.args),
    "hvp": lambda c: sourcediff.hvp(c.f, mode=c.mode)(*c.args, c.along()[0]),
    "gradient twice": lambda c: gradient_of_gradient(c.f, c.args, c.mode),
}
IN_ONE_MODE: dict[str, Callable[[Call], Any]] = {
    "ravel": lambda c: raveled(c.f, c.args),
    "batched": lambda c: sourcediff.batched(c.f)(*c.to(twice(c.host))),
    "sparse": lambda c: sourcediff.jacobian(c.f, sparsity="detect")(*c.args).toarray(),
    "elementwise": lambda c: sourcediff.elementwise_grad(of_vector)(c.to(X)),
}
OF_SCALARS_IN_ONE_MODE: dict[str, Callable[[Call], Any]] = {
    "ravel's gradient": lambda c: gradient_of_raveled(c.f, c.args),
    "sparse hessian": lambda c: sourcediff.hessian(c.f, sparsity="detect")(*c.args).toarray(),
    "check_grads": lambda c: sourcediff.check_grads(c.f, *c.args).entries,
    "cross_check": lambda c: sourcediff.cross_check(c.f, *c.args).wrt,
    "cross_check forwards": lambda c: sourcediff.cross_check(c.f, *c.args, mode="forward").wrt,
}


def asked() -> list[tuple[str, str, str]]:
    """The calls, doors and modes that go together."""
    found = []
    for name, (function, args) in CALLS.items():
        scalar = isinstance(function(*args), np.floating)
        doors = DOORS | (OF_SCALARS if scalar else {})
        once = IN_ONE_MODE | (OF_SCALARS_IN_ONE_MODE if scalar and name not in ("float32", "empty") else {})
        found += [(name, door, mode) for mode in ("auto", "compiled", "eager") for door in doors if (name, door) not in NOT_ASKED]
        found += [(name, door, "auto") for door in once if (name, door) not in NOT_ASKED]
    return found


NOT_ASKED = {
    *((name, "batched") for name in ("dict of both", "object", "object of both", "named tuple", "list", "nested", "power")),
    *((name, door) for name in ("object", "object of both") for door in ("gradient twice", "check_grads", "cross_check forwards")),
    ("named tuple", "cross_check forwards"),
}
"""The axis of a number, the sum of an object's attributes, and what is not taken on the host either."""

EVERY_DOOR = DOORS | OF_SCALARS | IN_ONE_MODE | OF_SCALARS_IN_ONE_MODE


def own(tree: Any) -> Any:
    """The tree with copies of its arrays."""
    return mapped(lambda leaf: leaf.copy() if isinstance(leaf, np.ndarray) else leaf, tree)


@pytest.mark.filterwarnings("ignore::sourcediff.FallbackWarning", "ignore::sourcediff.DeviceWarning")
@sampled(32, "name, door, mode", asked())
def test_what_a_door_gives_is_what_it_gives_on_the_host(device, name, door, mode):
    try:
        wanted = numbers(EVERY_DOOR[door](Call(name, own, mode)))
    except SourcediffError as refusal:
        with pytest.raises(type(refusal)):
            EVERY_DOOR[door](Call(name, to_device, mode))
        return
    found = EVERY_DOOR[door](Call(name, to_device, mode))
    there, parts = numbers(found), numbers(to_host(found))
    assert len(parts) == len(wanted) and all(same(one, other, 1e-6) for one, other in zip(parts, wanted)), f"{found} for {wanted}"
    assert all(one.dtype == other.dtype for one, other in zip(parts, wanted) if hasattr(one, "dtype") and hasattr(other, "dtype"))
    assert "sparse" in door or not any(isinstance(part, np.ndarray) for part in there), "an array in the memory of the computer"


@pytest.mark.parametrize("mode", ["auto", "eager"])
def test_cotangents_of_the_other_library_are_refused(device, mode):
    for to, other in ((to_device, own), (own, to_device)):
        _, pull = sourcediff.vjp(of_vector, to(X), mode=mode)
        with pytest.raises(NonDifferentiableError, match=r"of the result of of_vector is (.|\n)*, and the result is not"):
            pull(other(V))
        with pytest.raises(NonDifferentiableError, match=r"of the argument x of of_vector is (.|\n)*, and the argument x is not"):
            sourcediff.jvp(of_vector, (to(X),), (other(V),), mode=mode)


def test_a_pullback_and_a_tangent_do_not_wait(device):
    x, v = to_device(X), to_device(V)
    prepared = sourcediff.prepared(of_vector)
    for _ in range(2):
        with transfers("wait") as found:
            prepared.forward(x)[1](v)
            sourcediff.jvp(of_vector, (x,), (v,))
    assert not found


# Arrays from outside, which lie on the device too


W, TABLE, ROWS, MASK, PLACES, HOLED, WAVE = (
    V, np.arange(1.0, 17.0).reshape(4, 4) / 7, [2 * X, 3 * X], X > 0, np.array([2, 0, 1]), np.array([1.0, np.inf, 2.0, np.nan]), X + 1j,
)


def weighted(x):
    return np.sum(W * x**2) + np.sum(TABLE @ x)


def gone_over(x):
    s = 0.0
    for w, row in zip(ROWS, TABLE):
        s = s + np.sum(w * row * x)
    return s


def chosen(x):
    return np.sum(np.where(MASK, x**2, x)) + np.sum(x[MASK] ** 2) + np.sum(x[PLACES] ** 3)


def with_holes(x):
    return np.sum(np.where(np.isfinite(HOLED), HOLED, 0.0) * x)


def waves(x):
    return np.sum(np.real(WAVE * x) ** 2)


def changing(x):
    W[0] += 0.0
    return np.sum(W * x)


def asking(x):
    return np.sum(x**2) if isinstance(x, np.ndarray) else np.sum(x)


def running_products(x):
    return np.sum(np.cumprod(x)) + np.sum(np.cumsum(x) ** 2) + np.median(x) + np.prod(x)


def made_here(x):
    y = np.zeros(4)
    for i in range(4):
        y[i] = x[i] ** 2
    return np.sum(y * np.arange(4.0)) + np.sum(np.stack([x, W]) ** 2) + np.sum(np.eye(4) @ x) + np.trace(np.outer(x, x))


OUTSIDE = (weighted, gone_over, chosen, with_holes, waves, changing, asking, running_products, made_here)


def of_variables(f: Any, to: Any, mode: str) -> Any:
    """The gradient of a loss that is made of a gradient: the derivative is one node of the graph of Variables, or is run on them."""
    v = sourcediff.Variable(to(X.copy()), requires_grad=True)
    value, gradient = sourcediff.value_and_grad(f, mode=mode)(v)
    (np.sum(gradient**2) + value).backward()
    return value.data, gradient.data, v.grad.data


OF_OUTSIDE: dict[str, Callable[[Any, Any, str], Any]] = {
    "gradient": lambda f, to, mode: sourcediff.value_and_grad(f, mode=mode)(to(X)),
    "jvp": lambda f, to, mode: sourcediff.jvp(f, (to(X),), (to(V),), mode=mode),
    "hessian": lambda f, to, mode: sourcediff.hessian(f, mode=mode)(to(X)),
    "check": lambda f, to, mode: sourcediff.grad(f, check=True, mode=mode)(to(X)),
    "Variables": of_variables,
    "cross_check": lambda f, to, mode: sourcediff.cross_check(f, to(X)).wrt,
    "cross_check forwards": lambda f, to, mode: sourcediff.cross_check(f, to(X), mode="forward").wrt,
}
FREE = ("W", "TABLE", "ROWS", "MASK", "PLACES", "HOLED", "WAVE")


@pytest.mark.filterwarnings("ignore::sourcediff.FallbackWarning", "ignore::sourcediff.DeviceWarning")
@pytest.mark.parametrize("door", OF_OUTSIDE)
@pytest.mark.parametrize("function", OUTSIDE)
def test_arrays_from_outside_may_lie_on_the_device(device, monkeypatch, function, door):
    host = {name: globals()[name] for name in FREE}
    for mode in ("compiled", "eager"):
        found = []
        for to in (own, to_device):
            for name in FREE:
                monkeypatch.setitem(globals(), name, to(host[name]))
            found.append(OF_OUTSIDE[door](function, to, mode))
        wanted, there = found
        parts = numbers(to_host(there))
        assert len(parts) == len(numbers(wanted)) and all(same(one, other, 1e-9) for one, other in zip(parts, numbers(wanted)))
        assert not any(isinstance(part, np.ndarray) for part in numbers(there))


def of_a_number(x):
    return np.sum(x**2) if isinstance(x[0], float) else np.sum(x)


def of_a_type(x):
    s = x[0] * 2
    return np.sum(x**2) if type(s) is np.float64 else np.sum(x)


def of_a_scalar(x):
    return np.sum(x**2) if np.isscalar(x[0]) else np.sum(x)


@pytest.mark.filterwarnings("ignore::sourcediff.FallbackWarning")
@pytest.mark.parametrize("function", [of_a_number, of_a_type, of_a_scalar])
def test_what_a_number_is_is_answered_as_on_the_host_or_refused(device, function):
    """On a device it is an array without dimensions."""
    with pytest.raises(UnsupportedSyntaxError, match="of what may be a number"):
        sourcediff.grad(function, mode="compiled")(to_device(X))
    for mode in ("auto", "eager"):
        np.testing.assert_array_equal(to_host(sourcediff.grad(function, mode=mode)(to_device(X))), 2 * X)


# Rules


def of_sample(function: Any, sample: Any, to: Any, order: str) -> Any:
    """A derivative of one call of a function by the rule that it has, on the eager engine."""
    args, kwargs = to(copy.deepcopy(sample.args)), to(copy.deepcopy(sample.kwargs))
    where = [position for position, arg in enumerate(sample.args) if is_differentiated(arg)]

    def called(*moving: Any) -> Any:
        full = list(args)
        for position, part in zip(where, moving):
            full[position] = part
        return function(*full, **kwargs)

    def total(*moving: Any) -> Any:
        result = called(*moving)
        return sum(np.sum(part**2) for part in (result if isinstance(result, tuple) else (result,)) if part.dtype.kind == "f")

    moving = tuple(args[position] for position in where)
    along = to(tuple(halves(sample.args[position]) for position in where))
    if order == "vjp":
        value, pull = sourcediff.vjp(called, *moving, mode="eager")
        return value, pull(to(halves(to_host(value))))
    if order == "jvp":
        return sourcediff.jvp(called, moving, along, mode="eager")
    return sourcediff.hvp(total, tuple(range(len(where))), mode="eager")(*moving, along)


OF_ANY_SIGN = ("np.linalg.eigh", "np.linalg.svd")
"""Functions whose vectors have another sign where another library computes them."""

OF_ARRAYS = [
    (RULES[function].name, number, order) for function, samples in SAMPLES.items() for number, sample in enumerate(samples)
    if RULES[function].name.startswith("np.") and RULES[function].name not in OF_ANY_SIGN
    if any(isinstance(arg, np.ndarray) for arg in sample.args)
    for order in ("vjp", "jvp", "hvp")
]
BY_NAME = {RULES[function].name: function for function in SAMPLES}


@pytest.mark.filterwarnings("ignore")
@sampled(24, "name, number, order", OF_ARRAYS)
def test_rules_compute_on_the_device_to_second_order(device, name, number, order):
    function, sample = BY_NAME[name], SAMPLES[BY_NAME[name]][number]
    try:
        wanted = numbers(of_sample(function, sample, own, order))
    except (SourcediffError, AttributeError):
        pytest.skip("there is no such derivative on the host")
    try:
        found = of_sample(function, sample, to_device, order)
    except SourcediffError as refusal:
        assert any(word in str(refusal) for word in ("CuPy", "device")), refusal
        return
    parts = numbers(to_host(found))
    assert len(parts) == len(wanted) and all(same(one, other, 1e-6) for one, other in zip(parts, wanted)), f"{found} for {wanted}"
    assert not any(isinstance(part, np.ndarray) for part in numbers(found))


def rolled(x):
    return np.sum(np.roll(x, (1, 2), axis=(0, 1)) * x**2)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_numbers_of_a_list_are_sent(device, mode):
    np.testing.assert_allclose(to_host(sourcediff.grad(rolled, mode=mode)(to_device(M))), sourcediff.grad(rolled, mode=mode)(M))


def of_a_float(k):
    return np.sum(W * k**2) + np.sum(np.arange(4.0) * W * k)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_a_number_beside_arrays_from_outside(device, monkeypatch, mode):
    wanted = sourcediff.grad(of_a_float, mode=mode)(2.0)
    monkeypatch.setitem(globals(), "W", to_device(W))
    assert float(sourcediff.grad(of_a_float, mode=mode)(2.0)) == pytest.approx(wanted)
