"""Kinds that are known without being written: of the user's calls that stay calls, of what may be None, of lists of unlike arrays, of
attributes of objects from outside. Where they are known no sum asks for a shape; where they change the gradient is right, or refused.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.stats import gamma

import sourcediff
from sourcediff.errors import SourcediffError

X = np.array([0.3, 0.7, 1.1])
TABLE: dict[str, Any] = {"a": 1.0}
OBSERVED = [np.ones(3), None, np.arange(3.0), None, np.array([2.0, 0.5, 1.0])]
MASSES = {1: 0.4 * np.ones(3), 3: np.ones(3)}
CACHE: dict[int, Any] = {}


class Row(NamedTuple):
    rate: Any
    share: float


@dataclasses.dataclass
class Part:
    rate: Any
    share: float


ROWS = [Row(1.0 * k, 2.0) for k in range(20)]
PARTS = [Part(1.0 * k, 2.0) for k in range(20)]


# -- calls of which nothing is differentiated ---------------------------------------------------------------------------


def weather(k):
    out = np.zeros(3)
    for i in range(3):
        out[i] = np.sin(k * i)
    return out


def several(k):
    if k == 0:
        return 1.0
    return np.array([1.0, 2.0, 3.0]) if k == 1 else np.ones((2, 3))


def counted(k):
    counts: dict[Any, int] = {}
    for letter in "abcab"[k:]:
        counts[letter] = counts.get(letter, 0) + 1
    return list(counts), np.array(list(counts.values()))


def found(key):
    return TABLE[key]


def change():
    TABLE["a"] = np.array([1.0, 2.0, 3.0])


def cached(k):
    if k not in CACHE:
        CACHE[k] = np.arange(3.0) * k
    return CACHE[k]


def factorial(k):
    return 1 if k <= 1 else k * factorial(k - 1)


def rising(k):
    yield 1.0 * k
    yield 2.0 * k


def days(n):
    for k in range(n):
        yield np.array([1.0, 2.0, 3.0]) * k
    yield from [np.ones(3), np.zeros(3)]


def of_days(x):
    total = 0.0
    for day in days(3):
        total = total + np.sum(x * day)
    return total


def of_weather(x):
    return sum(np.sum(x * weather(k)) * np.tanh(x[0]) for k in range(3))


def of_counts(x):
    total = 0.0
    for k in range(2):
        letters, number = counted(k)
        for i in range(len(letters)):
            total = total + number[i] * x[i] ** 2
    return total


def of_quantiles(x):
    rates = gamma.ppf((np.arange(4) + 0.5) / 4, 0.5, scale=2.0)
    return sum(rates[k] * x[k] ** 2 for k in range(3))


def of_several(x):
    return sum(np.sum(x * several(k)) for k in range(3))


def of_a_table_that_changes(x):
    total = 0.0
    for _ in range(3):
        total = total + np.sum(x * found("a"))
        change()
    return total


def of_a_cache(x):
    return sum(np.sum(x * cached(k)) for k in range(3))


def of_factorials(x):
    return sum(x[0] ** factorial(k) / factorial(k) for k in range(4))


def of_a_generator(x):
    return sum(np.sum(x * v) for k in range(3) for v in rising(k))


# -- arrays, or None ----------------------------------------------------------------------------------------------------


def of_gaps(x):
    total, state, last = x[0], x * 2, None
    for k, seen in enumerate(OBSERVED):
        if seen is not None:
            total = total + np.sum(state * seen)
            state = state + 0.1 * (seen - state)
        mass = MASSES.get(k)
        if mass is not None:
            state = state - x[0] * mass
        if last is not None:
            total = total + np.sum((state - last) ** 2)
        last = state
    return total


def asked_before_it_changes(x):
    total, taken, now = 0.0, False, None
    for k in range(4):
        if taken:
            total = total + (np.sum(x * now) if now is not None else x[0])
        now = OBSERVED[k] if k < 2 else np.ones((2, 3))
        taken = now is not None
    return total


def asked_for_its_rank(x):
    return sum(np.sum(x * seen) if np.ndim(seen) == 1 else x[0] for seen in OBSERVED)


def compared_with_none(x):
    return sum(np.sum(np.where(np.equal(seen, None), x, x ** 2)) for seen in OBSERVED)


# -- attributes of objects ----------------------------------------------------------------------------------------------


def of_rows(x):
    total = 0.0
    for row in ROWS:
        total = total + np.sum(x * row.rate) * row.share
    return total


def of_parts(x):
    total = 0.0
    for part in PARTS:
        total = total + np.sum(x * part.rate) * part.share
    return total


def of_parts_that_change(x):
    total = 0.0
    for part in PARTS:
        total = total + np.sum(x * part.rate) * part.share
        part.rate = np.ones(3) * part.share
    return total


def by_differences(f: Callable[[Any], Any], reset: Callable[[], Any]) -> np.ndarray:
    def at(x: Any) -> Any:
        reset()
        return f(x)

    return np.array([(at(X + d) - at(X - d)) / 2e-6 for d in 1e-6 * np.eye(3)])


@pytest.fixture(autouse=True)
def reset() -> Callable[[], None]:
    def again() -> None:
        TABLE["a"] = 1.0
        CACHE.clear()

    again()
    return again


KNOWN = [of_weather, of_days, of_counts, of_quantiles, of_rows, of_parts]
OTHERS = [of_several, of_a_table_that_changes, of_a_cache, of_factorials, of_a_generator, of_gaps, asked_before_it_changes,
          asked_for_its_rank, compared_with_none]


@pytest.mark.parametrize("f", KNOWN + OTHERS, ids=lambda f: f.__name__)
def test_the_gradient(f, reset):
    gradient = sourcediff.grad(f, mode="compiled")
    for _ in range(2):
        reset()
        np.testing.assert_allclose(gradient(X), by_differences(f, reset), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("f", KNOWN, ids=lambda f: f.__name__)
def test_no_shape_is_asked_for(f):
    gradient = sourcediff.grad(f, mode="compiled")
    gradient(X)
    assert "sum_to" not in gradient.source and "np.shape" not in gradient.source


def test_what_may_be_none_is_an_array_where_it_was_asked():
    gradient = sourcediff.grad(of_gaps, mode="compiled")
    gradient(X)
    assert "scalar_output" not in gradient.source  # the total is a number for certain


@pytest.mark.parametrize("f, objects, kind", [(of_rows, ROWS, Row), (of_parts, PARTS, Part)], ids=["rows", "parts"])
@pytest.mark.parametrize("rate", [np.array([1.0, 2.0, 3.0]), np.ones((2, 3)), np.float32(1.5), 3])
def test_other_attributes_are_seen(f, objects, kind, rate):
    gradient, former = sourcediff.grad(f, mode="compiled"), objects[3]
    gradient(X)
    objects[3] = kind(rate, 2.0)
    try:
        np.testing.assert_allclose(gradient(X), by_differences(f, lambda: None), rtol=1e-6, atol=1e-6)
    finally:
        objects[3] = former


def test_a_store_to_an_attribute_is_refused():
    with pytest.raises(SourcediffError):
        sourcediff.grad(of_parts_that_change, mode="compiled")(X)


WEIGHTS = [np.arange(6.0).reshape(3, 2) / 7 + 0.1, np.array([0.1, 0.2]), np.array([[0.3], [0.4]]), np.array([0.5])]


def net(weights):
    h = np.array([[0.3, 0.7, 1.1], [0.2, -0.4, 0.5]])
    for w, b in zip(weights[::2], weights[1::2]):
        h = np.tanh(h @ w + b)
    return np.sum(h)


def changed(weights):
    weights = list(weights)
    weights[1] = weights[1] * 2
    weights.append(weights[1])
    return sum(np.sum(part ** 2) for part in weights)


def turned(weights):
    back = weights[::-1]
    return np.sum(back[0]) * np.sum(back[-1][0])


def largest(weights):
    best = None
    for part in weights:
        if best is None or np.sum(part) > np.sum(best):
            best = part
    return np.sum(best ** 2)


@pytest.mark.parametrize("f", [net, changed, turned, largest], ids=lambda f: f.__name__)
def test_a_list_of_unlike_arrays(f):
    gradient = sourcediff.grad(f, mode="compiled")
    for weights in (WEIGHTS, WEIGHTS[:2], WEIGHTS):  # a list of another length is another program
        found = gradient([part.copy() for part in weights])
        for k, part in enumerate(weights):
            for place in np.ndindex(part.shape):
                moved = [[other.copy() for other in weights] for _ in range(2)]
                moved[0][k][place] += 1e-6
                moved[1][k][place] -= 1e-6
                assert found[k][place] == pytest.approx((f(moved[0]) - f(moved[1])) / 2e-6, rel=1e-5, abs=1e-6)


def test_a_net_of_a_list_of_weights_asks_for_no_shape():
    gradient = sourcediff.grad(net, mode="compiled")
    for weights in (WEIGHTS, WEIGHTS[:2]):  # of another length it is another program
        gradient(weights)
    assert "sum_to" not in gradient.source
