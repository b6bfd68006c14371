"""Powers of negative Python numbers, which are complex: their derivative is right, or they are refused when the program runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sourcediff import NonDifferentiableError, grad, gradient_source, hvp, jvp, value_and_grad, vjp


def root(a: Any) -> Any:
    return abs(a ** 0.5)


def power(a: Any, p: Any) -> Any:
    return abs(pow(a, p))


def updated(a: Any) -> Any:
    a **= 1.5
    return abs(a)


def shifted(a: Any) -> Any:
    return abs((a - 1.0) ** 1.5) ** 2


def as_a_factor(a: Any) -> Any:
    return abs(a * (-2.0 + 0 * len(str(a))) ** 0.5)


def in_a_loop(a: Any) -> Any:
    total = 0.0
    for k in range(3):
        total = total + abs((a + k) ** 0.5)
    return total


PROGRAMS: list[tuple[Callable[..., Any], tuple[float, ...]]] = [
    (root, (-2.0,)), (power, (-2.0, 1.5)), (updated, (-2.0,)), (shifted, (-2.0,)), (in_a_loop, (-1.5,)),
]
DOORS: dict[str, Callable[..., Any]] = {
    "grad": lambda f, args, mode: grad(f, mode=mode)(*args),
    "value_and_grad": lambda f, args, mode: value_and_grad(f, mode=mode)(*args)[1],
    "vjp": lambda f, args, mode: vjp(f, *args, wrt=0, mode=mode)[1](1.0),
    "jvp": lambda f, args, mode: jvp(f, args, (1.0, *[None] * (len(args) - 1)), mode=mode)[1],
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_a_complex_power_is_refused_by_the_compiler(f: Callable[..., Any], args: Any, door: str) -> None:
    with pytest.raises(NonDifferentiableError, match=r"the power -\d.* is complex"):
        DOORS[door](f, args, "compiled")
    with pytest.raises(NonDifferentiableError, match="is complex"):
        hvp(f, mode="compiled")(*args, 1.0)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_on_the_eager_engine_it_is_right(f: Callable[..., Any], args: Any, door: str) -> None:
    a, *rest = args
    slope = (f(a + 1e-6, *rest) - f(a - 1e-6, *rest)) / 2e-6
    assert DOORS[door](f, args, "eager") == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("f", "args"), [(f, (abs(args[0]), *args[1:])) for f, args in PROGRAMS])
def test_of_a_base_that_is_positive_nothing_changes(f: Callable[..., Any], args: Any, door: str, mode: str) -> None:
    a, *rest = args
    slope = (f(a + 1e-6, *rest) - f(a - 1e-6, *rest)) / 2e-6
    assert DOORS[door](f, args, mode) == pytest.approx(slope, rel=1e-6)


def whole_numbers(a: Any, k: Any) -> Any:
    return a ** 2 + a ** 2.0 + a ** -1 + a ** k


def never_negative(a: Any, b: Any) -> Any:
    t = a * a
    return t ** 0.5 + (a ** 2 + b ** 2) ** 0.5 + abs(a) ** 1.5


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_where_it_cannot_happen_nothing_is_asked(mode: str) -> None:
    assert "check_power" not in gradient_source(whole_numbers, args=(-2.0, 3))
    assert grad(whole_numbers, mode=mode)(-2.0, 3) == pytest.approx(-4.0 - 4.0 - 0.25 + 12.0)
    assert "check_power" not in gradient_source(never_negative, args=(-2.0, 1.0))
    expected = -1.0 - 2.0 / 5 ** 0.5 - 1.5 * 2 ** 0.5
    assert grad(never_negative, mode=mode)(-2.0, 1.0) == pytest.approx(expected)
    assert "check_power" not in gradient_source(root, args=(np.float64(2.0),))
    assert "check_power" not in gradient_source(root, args=(np.ones(()),))


def rebound(x: Any) -> Any:
    y = abs(x ** 0.5)
    x = x * x
    return y * x


def test_an_argument_that_becomes_a_square_was_none_before() -> None:
    with pytest.raises(NonDifferentiableError, match="is complex"):
        grad(rebound, mode="compiled")(-2.0)
