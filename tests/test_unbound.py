"""Local names that a path leaves unbound, and unpacking of the wrong length: what the plain call raises, every transform raises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sourcediff import grad, gradient_source, hvp, jacobian, jvp, value_and_grad, vjp
from tests.messages import message
from tests.sampling import name_of, sampled

MODES = ("compiled", "eager")
DOORS: dict[str, Callable[..., Any]] = {
    "grad": lambda f, args, mode: grad(f, mode=mode)(*args),
    "value_and_grad": lambda f, args, mode: value_and_grad(f, mode=mode)(*args),
    "vjp": lambda f, args, mode: vjp(f, *args, wrt=0, mode=mode)[1](1.0),
    "jvp": lambda f, args, mode: jvp(f, args, (ones(args[0]), *[None] * (len(args) - 1)), mode=mode),
    "jacobian": lambda f, args, mode: jacobian(f, mode=mode)(*args),
    "hvp": lambda f, args, mode: hvp(f, mode=mode)(*args, ones(args[0])),
}


def ones(x: Any) -> Any:
    return [1.0] * len(x) if isinstance(x, list) else np.ones_like(x) if isinstance(x, np.ndarray) else 1.0


def nobody_needs_it(x: Any) -> Any:
    if x > 0:
        y = x * 2
    z = y  # noqa: F841
    return x


def times_zero(x: Any) -> Any:
    if x > 0:
        y = x * 2
    return x + 0 * y


def last_of(x: Any, n: Any) -> Any:
    for i in range(n):
        y = x * i
    return y


def the_counter(x: Any, n: Any) -> Any:
    for i in range(n):
        pass
    return x * i


def last_of_while(x: Any, n: Any) -> Any:
    while n > 0:
        y = x * n
        n = n - 1
    return x ** 2 + y


def an_int(x: Any) -> Any:
    if x > 0:
        k = 2
    return x * k


def updated(x: Any) -> Any:
    if x > 0:
        y = x
    y += 1.0
    return y


def too_early(x: Any) -> Any:
    total = 0.0
    for i in range(3):
        if i == 1:
            y = x * i
        total = total + y
    return total


def stored_into(x: Any) -> Any:
    if x > 0:
        y = np.ones(3) * x
    y[0] = 1.0
    return x * x


def in_a_list(x: Any) -> Any:
    if x > 0:
        y = x * 3
    return [x, y][0]


def in_a_helper(x: Any) -> Any:
    return inner(x) * x


def inner(x: Any) -> Any:
    if x > 0:
        t = x
    return t


def asked_for(x: Any) -> Any:
    if x > 0:
        k = 3
    if k > 2:
        pass
    return x ** 2


UNBOUND: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (nobody_needs_it, (-1.0,)), (times_zero, (-1.0,)), (last_of, (2.0, 0)), (the_counter, (2.0, 0)), (last_of_while, (2.0, 0)),
    (an_int, (-1.0,)), (updated, (-1.0,)), (too_early, (2.0,)), (stored_into, (-1.0,)), (in_a_list, (-1.0,)),
    (in_a_helper, (-1.0,)), (asked_for, (-1.0,)),
]


@sampled(3, "program, door, mode", UNBOUND, DOORS, MODES, ids=name_of)
def test_a_name_that_the_path_leaves_unbound_raises_as_in_the_plain_call(program: Any, door: str, mode: str) -> None:
    f, args = program
    with pytest.raises(UnboundLocalError) as plain:
        f(*args)
    with pytest.raises(UnboundLocalError) as caught:
        DOORS[door](f, args, mode)
    assert message(caught.value) == str(plain.value)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("f", "args", "expected"), [
    (times_zero, (2.0,), (2.0, 1.0)), (last_of, (2.0, 3), (4.0, 2.0)), (the_counter, (2.0, 3), (4.0, 2.0)), (an_int, (3.0,), (6.0, 2.0)),
    (last_of_while, (2.0, 2), (6.0, 5.0)), (updated, (2.0,), (3.0, 1.0)), (stored_into, (3.0,), (9.0, 6.0)),
    (in_a_list, (2.0,), (2.0, 1.0)), (in_a_helper, (3.0,), (9.0, 6.0)),
])
def test_the_other_path_gives_its_derivative(f: Callable[..., Any], args: tuple[Any, ...], expected: Any, mode: str) -> None:
    assert value_and_grad(f, mode=mode)(*args) == expected
    assert vjp(f, *args, wrt=0, mode=mode)[1](1.0) == expected[1]
    assert jvp(f, args, (1.0, *[None] * (len(args) - 1)), mode=mode) == expected


def both_paths(x: Any) -> Any:
    if x > 0:
        y = x * 3
    else:
        y = -x
    for i in range(3):
        last = y * i
    while True:
        end = last * 2
        if x < 10:
            break
    return end


def returned_early(x: Any) -> Any:
    if x > 0:
        y = x * 3
    if x < 0:
        return x
    return y


def test_what_every_path_binds_is_not_asked_for() -> None:
    assert "check_bound" not in gradient_source(both_paths, args=(1.0,))
    assert value_and_grad(both_paths, mode="compiled")(1.0) == (12.0, 12.0)
    assert value_and_grad(returned_early, mode="compiled")(-1.0) == (-1.0, 1.0)
    assert value_and_grad(returned_early, mode="compiled")(1.0) == (3.0, 3.0)


def test_where_python_raises_by_itself_nothing_is_asked() -> None:
    for f, args in ((in_a_helper, (1.0,)), (the_counter, (2.0, 1))):
        assert "check_bound" not in gradient_source(f, args=args, value=True)


# Unpacking


def star_between(x: Any) -> Any:
    a, *_, c = x
    return a * c


def star_last(x: Any) -> Any:
    a, b, *_ = x
    return a * b


def star_first(x: Any) -> Any:
    *_, _, c = x
    return c


def nested_star(x: Any) -> Any:
    (a, *b), c = x  # noqa: RUF059
    return c


def star_of_a_part(x: Any, k: int) -> Any:
    a, *_, c = x[:k]
    return a * c


def star_of_grown(x: Any) -> Any:
    parts = []
    for v in x:
        parts.append(v * 2)
    a, *_, c = parts
    return a * c


def star_of_a_range(x: Any, n: int) -> Any:
    a, *_, _ = range(n)
    return x * a


def pair_of_grown(x: Any) -> Any:
    parts = []
    for v in x:
        parts.append(v * 2)
    a, b = parts
    return a * b


def pair_of_a_part(x: Any, k: int) -> Any:
    a, b = x[:k]
    return a * b


def pair_of_chosen(x: Any) -> Any:
    a, b = [v for v in x if v > 0]
    return a * b


def pair_of_sums(x: Any) -> Any:
    a, b = np.cumsum(x)
    return a * b


def pair_of_a_helper(x: Any) -> Any:
    a, b = entries(x)
    return a * b


def entries(x: Any) -> Any:
    found = []
    for v in x:
        found.append(v)
    return found


def pair_of_argument(x: Any) -> Any:
    a, b = x
    return a * b


UNPACKED: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (star_between, (np.array([3.0]),)), (star_between, ([3.0],)), (star_last, (np.array([3.0]),)), (star_last, ([3.0],)),
    (star_first, (np.array([3.0]),)), (star_first, ([3.0],)), (star_of_a_part, (np.ones(4), 1)), (star_of_grown, (np.array([3.0]),)),
    (star_of_a_range, (3.0, 1)), (pair_of_grown, (np.ones(3),)), (pair_of_grown, (np.ones(1),)), (pair_of_a_part, (np.ones(3), 3)),
    (pair_of_chosen, (np.ones(3),)), (pair_of_sums, (np.ones(3),)), (pair_of_a_helper, (np.ones(3),)), (pair_of_argument, (np.ones(3),)),
    (pair_of_argument, ([1.0],)),
]


@sampled(3, "program, door, mode", UNPACKED, DOORS, MODES, ids=name_of)
def test_unpacking_what_has_another_length_raises_as_in_the_plain_call(program: Any, door: str, mode: str) -> None:
    f, args = program
    with pytest.raises(ValueError, match="values to unpack"):
        f(*args)
    with pytest.raises(ValueError, match="values to unpack"):
        DOORS[door](f, args, mode)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("f", "args", "gradient"), [
    (star_between, (np.array([3.0, 2.0, 5.0]),), [5, 0, 3]), (star_last, (np.array([3.0, 2.0]),), [2, 3]),
    (star_first, ([3.0, 2.0],), [0, 1]),
    (star_of_a_part, (np.array([3.0, 2.0, 1.0]), 2), [2, 3, 0]), (star_of_grown, (np.array([3.0, 2.0]),), [8, 12]),
    (pair_of_grown, (np.array([3.0, 2.0]),), [8, 12]), (pair_of_a_part, (np.array([3.0, 2.0, 1.0]), 2), [2, 3, 0]),
    (pair_of_chosen, (np.array([3.0, -1.0, 2.0]),), [2, 0, 3]), (pair_of_sums, (np.array([3.0, 2.0]),), [8, 3]),
    (pair_of_a_helper, (np.array([3.0, 2.0]),), [2, 3]),
])
def test_what_has_the_length_is_taken_apart(f: Callable[..., Any], args: tuple[Any, ...], gradient: list[float], mode: str) -> None:
    np.testing.assert_allclose(grad(f, mode=mode)(*args), gradient)
    np.testing.assert_allclose(jvp(f, args, (ones(args[0]), *[None] * (len(args) - 1)), mode=mode)[1], sum(gradient))


@pytest.mark.parametrize("mode", MODES)
def test_a_nested_star_of_an_empty_list_raises(mode: str) -> None:
    with pytest.raises(ValueError, match="not enough values"):
        grad(nested_star, mode=mode)([[], 3.0])


# Arguments by a star


def product(a: Any, b: Any) -> Any:
    return a * b


def product_of_grown(x: Any) -> Any:
    parts = []
    for v in x:
        parts.append(v * 2)
    return product(*parts)


def product_of_sums(x: Any) -> Any:
    return product(*np.cumsum(x))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("f", "args"), [
    (product_of_grown, (np.ones(3),)), (product_of_grown, (np.ones(1),)),
    (product_of_sums, (np.ones(3),)),
])
def test_a_call_with_another_number_of_arguments_raises(f: Callable[..., Any], args: tuple[Any, ...], door: str, mode: str) -> None:
    with pytest.raises(TypeError, match="product"):
        f(*args)
    with pytest.raises(TypeError, match="product"):
        DOORS[door](f, args, mode)


@pytest.mark.parametrize("mode", MODES)
def test_a_call_with_the_right_number_is_differentiated(mode: str) -> None:
    np.testing.assert_allclose(grad(product_of_grown, mode=mode)(np.array([3.0, 2.0])), [8, 12])
    np.testing.assert_allclose(hvp(product_of_sums, mode=mode)(np.array([3.0, 2.0]), np.array([1.0, 0.0])), [2, 1])
