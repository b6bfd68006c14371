"""The caller's lists, dicts, sets and deques after any transform: as one plain call of the function leaves them."""

from __future__ import annotations

import collections
import copy
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sourcediff import FallbackWarning, grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp
from tests.sampling import sampled


def powers(x: Any, ks: Any) -> Any:
    total = 0.0
    while ks:
        total = total + x ** ks.pop()
    return total


def from_the_front(x: Any, ks: Any) -> Any:
    total = 0.0
    while len(ks) > 1:
        k = ks.pop(0)
        total = total + x ** k * ks[0]
    return total


def read_before_it_goes(x: Any, ks: Any) -> Any:
    total = 0.0
    while len(ks) > 1:
        last = ks[-1]
        k = ks.pop()
        total = total + np.sin(x * last) * k * len(ks)
    return total


def some_trips(x: Any, ks: Any) -> Any:
    left = 2
    while ks and left:
        k = ks.pop()
        left = left - 1
        x = x * k + np.sin(x) if k > 1 else x ** 2
    return x


def shuffled(x: Any, ks: Any) -> Any:
    ks.append(4)
    ks.insert(0, 3)
    ks.reverse()
    del ks[1]
    total = 0.0
    for k in ks:
        total = total + x ** k
    ks.sort()
    return total


def of_a_dict(x: Any, given: Any) -> Any:
    total = x * given.pop("a")
    while given:
        _, k = given.popitem()
        total = total + x ** k
    return total


def of_a_deque(x: Any, queue: Any) -> Any:
    total = 0.0
    while queue:
        k = queue.popleft()
        total = total + x ** k
        if k == 3:
            queue.append(2)
    return total


def of_nested_lists(x: Any, rows: Any) -> Any:
    total = 0.0
    while rows[0]:
        total = total + x ** rows[0].pop()
    return total * rows[1][0]


class Work:
    def __init__(self) -> None:
        self.todo = [1, 2]
        self.weights = {"a": [1, 3]}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Work) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return 0


def of_an_object(x: Any, work: Any) -> Any:
    total = 0.0
    while work.todo:
        total = total + x ** work.todo.pop()
    return total * work.weights["a"].pop()


PROGRAMS: list[tuple[Callable[..., Any], Any]] = [
    (powers, [1, 2]), (powers, [1.5, 2.5]), (powers, {1, 2}), (from_the_front, [1, 2, 3]), (read_before_it_goes, [1, 2, 3]),
    (some_trips, [1, 2, 5]), (some_trips, [1]), (shuffled, [1, 2]), (of_a_dict, {"b": 2, "c": 3, "a": 1}),
    (of_a_deque, collections.deque([3, 1])), (of_nested_lists, [[1, 2], [3]]), (of_an_object, Work()),
]
X = 1.3
DOORS: dict[str, Callable[..., Any]] = {
    "grad": lambda f, given, mode: (f(X, copy.deepcopy(given)), grad(f, mode=mode)(X, given)),
    "value_and_grad": lambda f, given, mode: value_and_grad(f, mode=mode)(X, given),
    "vjp": lambda f, given, mode: pulled(*vjp(f, X, given, wrt=0, mode=mode)),
    "jvp": lambda f, given, mode: jvp(f, (X, given), (1.0, None), mode=mode),
    "jacobian": lambda f, given, mode: (f(X, copy.deepcopy(given)), jacobian(f, mode=mode)(X, given)),
    "forward": lambda f, given, mode: (f(X, copy.deepcopy(given)), jacobian(f, direction="forward", mode=mode)(X, given)),
}
SECOND: dict[str, Callable[..., Any]] = {
    "hvp": lambda f, given, mode: hvp(f, mode=mode)(X, given, 1.0), "hessian": lambda f, given, mode: hessian(f, mode=mode)(X, given),
}


def pulled(value: Any, pullback: Callable[..., Any]) -> Any:
    assert pullback(1.0) == pullback(1.0)
    return value, pullback(1.0)


def slope(f: Callable[..., Any], given: Any) -> tuple[float, float]:
    values = [f(X + step, copy.deepcopy(given)) for step in (-1e-5, 0.0, 1e-5)]
    return (values[2] - values[0]) / 2e-5, (values[2] - 2 * values[1] + values[0]) / 1e-10


@sampled(3, "number, door, mode", range(len(PROGRAMS)), [*DOORS, *SECOND], ["auto", "eager"])
def test_what_the_function_is_given_is_as_a_plain_call_leaves_it(number: int, door: str, mode: str) -> None:
    f, given = PROGRAMS[number]
    plainly, mine = copy.deepcopy(given), copy.deepcopy(given)
    value = f(X, plainly)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        if door in DOORS:
            found, derivative = DOORS[door](f, mine, mode)
            assert found == pytest.approx(value)
            assert float(derivative) == pytest.approx(slope(f, given)[0], rel=1e-6)
        else:
            assert float(SECOND[door](f, mine, mode)) == pytest.approx(slope(f, given)[1], rel=1e-3)
    assert mine == plainly


def scaled(x: Any, ws: Any) -> Any:
    total = 0.0
    while len(ws) > 1:
        w = ws.pop()
        total = total + np.sum(x * w) ** 2 * ws[0][0]
    return total


def test_a_list_that_gets_shorter_may_hold_an_array_twice() -> None:
    w = np.array([1.0, 2.0])
    ws = [w, w, w]
    value, gradient = value_and_grad(scaled, mode="compiled")(np.ones(2), ws)
    assert value == 18.0
    np.testing.assert_allclose(gradient, [12.0, 24.0])
    assert len(ws) == 1
    assert ws[0] is w
