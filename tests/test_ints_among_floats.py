"""Ints, flags and names among differentiated numbers stay what they are: where a call stays a call, and where jvp is given no tangent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sourcediff import NonDifferentiableError, grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp


def power_of_pair(p: Any) -> Any:
    a, n = p
    if not isinstance(n, int):
        return a * 1000
    return a if n == 0 else a * power_of_pair((a, n - 1))


def power_of_list(p: Any) -> Any:
    if not isinstance(p[1], int):
        return p[0] * 1000
    return p[0] if p[1] == 0 else p[0] * power_of_list([p[0], p[1] - 1])


def power_of_dict(p: Any) -> Any:
    if p["really"] is not True or p["kind"] != "power":
        return p["a"] * 1000
    return p["a"] if p["n"] == 0 else p["a"] * power_of_dict({**p, "n": p["n"] - 1})


def from_pair(x: Any) -> Any:
    return power_of_pair((x, 2))


def from_list(x: Any) -> Any:
    return power_of_list([x, 2])


def from_dict(x: Any) -> Any:
    return power_of_dict({"a": x, "n": 2, "really": True, "kind": "power"})


MODES = ("compiled", "eager")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("f", [from_pair, from_list, from_dict])
def test_a_recursion_over_a_pair_with_an_int_counts_with_ints(f: Callable[..., Any], mode: str) -> None:
    assert f(2.0) == 8.0
    assert value_and_grad(f, mode=mode)(2.0) == (8.0, 12.0)
    assert jvp(f, (2.0,), (1.0,), mode=mode) == (8.0, 12.0)
    value, pullback = vjp(f, 2.0, mode=mode)
    assert (value, pullback(1.0)) == (8.0, (12.0,))
    assert jacobian(f, mode=mode)(2.0) == 12.0
    assert hvp(f, mode=mode)(2.0, 1.0) == 12.0
    assert hessian(f, mode=mode)(2.0) == 12.0


def sum_up_to(p: Any) -> Any:
    x, i = p
    if i == len(x):
        return 0.0
    total = x[i] ** 2
    for k in range(i):
        total = total + x[k]
    return total + sum_up_to((x, i + 1))


def indexed(x: Any) -> Any:
    return sum_up_to((x, 0))


@pytest.mark.parametrize("mode", MODES)
def test_an_int_of_a_pair_is_an_index_and_a_range(mode: str) -> None:
    x, v = np.array([1.0, 2.0, 3.0]), np.array([1.0, 0.0, 0.5])
    gradient = 2 * x + [2, 1, 0]  # x₀ is added for i = 1, 2, x₁ for i = 2
    value, found = value_and_grad(indexed, mode=mode)(x)
    assert value == indexed(x) == 18.0
    np.testing.assert_allclose(found, gradient)
    np.testing.assert_allclose(jvp(indexed, (x,), (v,), mode=mode)[1], gradient @ v)
    np.testing.assert_allclose(hvp(indexed, mode=mode)(x, v), 2 * v)


@pytest.mark.parametrize("mode", MODES)
def test_what_has_no_tangent_stays_what_it_is(mode: str) -> None:
    assert jvp(power_of_pair, ((2.0, 2),), ((1.0, None),), mode=mode) == (8.0, 12.0)
    given = {"a": 2.0, "n": 2, "really": True, "kind": "power"}
    assert jvp(power_of_dict, (given,), ({"a": 1.0, "n": None, "really": None, "kind": None},), mode=mode) == (8.0, 12.0)


@pytest.mark.parametrize("mode", ("auto", "eager"))
@pytest.mark.parametrize("zero", (0, 0.0, np.float64(0.0)))
def test_an_int_that_is_not_moved_stays_one(zero: Any, mode: str) -> None:
    assert jvp(power_of_pair, ((2.0, 2),), ((1.0, zero),), mode=mode) == (8.0, 12.0)
    assert jvp(power_of_list, ([2.0, 2],), ([1.0, zero],), mode=mode) == (8.0, 12.0)
    given = {"a": 2.0, "n": 2, "really": True, "kind": "power"}
    assert jvp(power_of_dict, (given,), ({"a": 1.0, "n": zero, "really": None, "kind": None},), mode=mode) == (8.0, 12.0)


@pytest.mark.parametrize("mode", MODES)
def test_an_int_alone_that_is_not_moved_stays_an_index(mode: str) -> None:
    def chosen(n: int, x: float) -> Any:
        return x * x * np.array([1.0, 10.0, 100.0])[n]

    assert jvp(chosen, (2, 3.0), (0.0, 1.0), mode=mode) == (900.0, 600.0)
    assert jvp(lambda n, x: n * x, (2, 3.0), (0.0, 0.0), mode=mode) == (6.0, 0.0)
    assert jvp(lambda n: n * n, (2,), (0.0,), mode=mode) == (4.0, 0.0)


def product(p: Any) -> Any:
    return p[0] * p[1]


@pytest.mark.parametrize("mode", MODES)
def test_an_int_that_is_differentiated_counts_as_a_float(mode: str) -> None:
    assert value_and_grad(product, mode=mode)((2.0, 3)) == (6.0, (3.0, 2.0))
    assert jvp(product, ((2.0, 3),), ((1.0, 1.0),), mode=mode) == (6.0, 5.0)
    with pytest.raises(NonDifferentiableError, match=r"the argument p\[1\] of product is a str"):
        jvp(product, ((2.0, "a"),), ((1.0, 1.0),), mode=mode)
    with pytest.raises(NonDifferentiableError, match=r"astype\(float\)"):
        jvp(product, ((2.0, np.arange(3)),), ((1.0, np.ones(3)),), mode=mode)


def entry(x: Any, n: int) -> Any:
    return x[n] * 2.0


def times(x: float, n: int) -> float:
    total = 0.0
    for _ in range(n):
        total = total + x
    return total


def entry_of_dict(p: Any) -> Any:
    return np.sum(p["x"][p["n"]] ** 2)


DOORS: dict[str, Callable[[str], Any]] = {
    "vjp": lambda mode: vjp(entry, np.arange(3.0), 1, mode=mode),
    "jvp": lambda mode: jvp(entry, (np.arange(3.0), 1), (np.ones(3), 1.0), mode=mode),
    "jacobian": lambda mode: jacobian(entry, wrt=(0, 1), mode=mode)(np.arange(3.0), 1),
    "grad": lambda mode: grad(times, wrt=(0, 1), mode=mode)(2.0, 3),
    "value_and_grad": lambda mode: value_and_grad(entry_of_dict, mode=mode)({"x": np.arange(3.0), "n": 1}),
    "hvp": lambda mode: hvp(entry_of_dict, mode=mode)({"x": np.arange(3.0), "n": 1}, {"x": np.ones(3), "n": 0.0}),
}


@pytest.mark.parametrize("mode", ("auto", *MODES))
@pytest.mark.parametrize("door", DOORS)
def test_an_index_or_a_length_is_not_differentiated(door: str, mode: str) -> None:
    with pytest.raises(NonDifferentiableError, match=r"needs [np] to be an int, or to hold one.*\n.*called with it"):
        DOORS[door](mode)


@pytest.mark.parametrize("mode", ("auto", *MODES))
def test_what_the_function_raises_of_ints_comes_through(mode: str) -> None:
    with pytest.raises(IndexError):
        jacobian(entry, wrt=(0, 1), mode=mode)(np.arange(3.0), 7)
    with pytest.raises((IndexError, TypeError)):
        vjp(entry, np.arange(3.0), 1.0, mode=mode)
