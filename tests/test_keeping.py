"""What is kept of a function goes with it, and what is made of many functions does not grow without end."""

from __future__ import annotations

import functools
import gc
import linecache
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff.dispatch import cache
from sourcediff.runtime import function_cache as keeping
from tests.sampling import sampled

X = np.array([1.0, 2.0])


def closing_over(data: Any) -> Callable[..., Any]:
    def helper(x):
        return np.sum(x * x) * data[0]

    def f(x):
        return helper(x) + np.sum(x) * data[1]

    return f


def recursive(data: Any) -> Callable[..., Any]:
    def f(x, n=2):
        return np.sum(x * x) * data[0] if n == 0 else f(x, n - 1)

    return f


def in_a_circle(data: Any) -> Callable[..., Any]:
    def f(x, n=2):
        return g(x, n) * data[0]

    def g(x, n):
        return np.sum(x * x) if n == 0 else f(x, n - 1)

    return f


DOORS: dict[str, Callable[[Any], Any]] = {
    "grad": lambda f: sourcediff.grad(f)(X),
    "jvp": lambda f: [sourcediff.jvp(f, (X,), (t,)) for t in (X, X, np.array([1.0, 0.0]))],
    "vjp": lambda f: sourcediff.vjp(f, X)[1](1.0),
    "jacobian": lambda f: [sourcediff.jacobian(f, direction=direction)(X) for direction in ("forward", "reverse")],
    "hvp": lambda f: sourcediff.hvp(f)(X, X),
    "hessian": lambda f: sourcediff.hessian(f)(X),
}


@sampled(2, "door, make", DOORS, [closing_over, recursive])
def test_a_closure_is_let_go_with_what_it_closes_over(door: str, make: Callable[..., Any]) -> None:
    data = np.ones(1000)
    reference = weakref.ref(data)
    f = make(data)
    DOORS[door](f)
    del f, data
    gc.collect()
    assert reference() is None


@pytest.mark.parametrize("door", ["jvp", "vjp", "jacobian"])
def test_it_is_let_go_at_once(door: str) -> None:
    f = closing_over(np.ones(2))
    DOORS[door](f)
    gc.collect()
    gc.disable()
    try:
        reference = weakref.ref(f)
        del f
        assert reference() is None
    finally:
        gc.enable()


def test_of_functions_that_hold_one_another_only_the_last_are_kept() -> None:
    references = []
    for _ in range(keeping.MOST_HELD + 8):
        data = np.ones(100)
        references.append(weakref.ref(data))
        DOORS["jvp"](in_a_circle(data))
        del data
    gc.collect()
    assert [reference() is None for reference in references[:5]] == [True] * 5


def test_a_bound_method_and_a_partial_are_let_go() -> None:
    class Model:
        def __init__(self) -> None:
            self.w = np.ones(1000)

        def loss(self, x):
            return np.sum(x * x) * self.w[0]

    model = Model()
    reference = weakref.ref(model)
    sourcediff.jvp(model.loss, (X,), (X,))
    sourcediff.vjp(functools.partial(Model.loss, model), X)[1](1.0)
    del model
    gc.collect()
    assert reference() is None


def test_what_was_made_is_found_again_while_the_function_lives() -> None:
    f = closing_over(np.ones(2))
    sourcediff.jvp(f, (X,), (X,))
    before = cache.info()
    for _ in range(3):
        np.testing.assert_array_equal(sourcediff.jvp(f, (X,), (X,))[1], 2 * X @ X + np.sum(X))
    after = cache.info()
    assert (after.memory_hits, after.disk_hits, after.misses) == (before.memory_hits, before.disk_hits, before.misses)


def test_a_pullback_outlives_its_function() -> None:
    f = closing_over(np.array([2.0, 3.0]))
    pullback = sourcediff.vjp(f, X)[1]
    del f
    gc.collect()
    np.testing.assert_array_equal(pullback(1.0)[0], 4 * X + 3)


def test_generated_modules_are_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "RECENT", 3)
    paths = []
    for number in range(8):
        loaded = cache.fetch(f"{number + 1:x}" * 64, lambda number=number: f"answer = {number}", "example")
        assert loaded.namespace["answer"] == number
        paths.append(loaded.path)
    kept = loaded
    del loaded
    gc.collect()
    assert [path in linecache.cache for path in paths] == [False] * 5 + [True] * 3
    cache.forget()
    gc.collect()
    assert [path in linecache.cache for path in paths] == [False] * 7 + [True] and kept.text == "answer = 7\n"
