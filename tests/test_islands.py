"""Statements that the compiler does not take run as islands of the eager engine, in mode ``"auto"``: right, or the whole function is."""

from __future__ import annotations

import contextlib
import io
import operator
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

import sourcediff
from sourcediff import grad
from sourcediff.errors import AliasingError, FallbackWarning
from tests.corpus.asserts import assert_as_eager

X = np.array([0.4, 1.2, 0.7])
RATE = 3.0
COLLECTED: list[object] = []


def in_a_loop(x):
    y = np.zeros(3)
    for i in range(3):
        with open(os.devnull, "w") as file:
            file.write(str(i))
            v = x[i] ** 2 * RATE
        y[i] = v + x[i]
    return np.sum(y ** 2)


def without_a_derivative(x):
    y = x * 2
    for _ in range(3):
        names = {"a", "b"}
        y = y * len(names)
    return np.sum(np.sin(y))


def of_a_closure():
    scale = 2.5

    def f(x):
        with contextlib.nullcontext():
            y = x * scale
        return np.sum(y ** 2)

    return f


reads_a_cell = of_a_closure()


def left_early(x):
    for i in range(3):
        with contextlib.nullcontext():
            if x[i] > 1:
                break
            x = x * 1.5
    return np.sum(x ** 2)


def on_one_way(x):
    if x[0] > 0:
        with contextlib.nullcontext():
            w = x * 3
    else:
        w = x
    return np.sum(w ** 2)


def island(x):
    """A function of the user's by the name that the first island would have."""
    return x * 2


def two_of_them(x):
    with contextlib.nullcontext():
        y = island(x)
    with contextlib.nullcontext():
        z = y * x
    return np.sum(z ** 2) + np.sum(island(y))


def several_results(x):
    with contextlib.nullcontext():
        a = np.sum(x ** 2)
        n = len(x)
        b = x * a
    return np.sum(b) * n + a


ISLANDS = [in_a_loop, without_a_derivative, reads_a_cell, left_early, on_one_way, two_of_them, several_results]


def stores(x):
    y = x.copy()
    with contextlib.nullcontext():
        y[0] = y[1] * y[2]
    return np.sum(y ** 2)


def appends(x):
    parts = [x]
    with contextlib.nullcontext():
        parts.append(x * 2)
    return np.sum(parts[1] ** 2)


def keeps_outside(x):
    with contextlib.nullcontext():
        COLLECTED.append(x * 2)
        COLLECTED.reverse()
    return np.sum(COLLECTED.pop() ** 2)


def evaluates(x):
    y = x * 1.5
    z = eval("np.sin(y) * 2")
    return np.sum(z * y)


def returns_inside(x):
    with contextlib.nullcontext():
        return np.sum(x ** 2)


WHOLE = [stores, appends, keeps_outside, evaluates, returns_inside]


@pytest.mark.parametrize("f", ISLANDS + WHOLE)
def test_the_derivatives_are_right_in_both_modes(f):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        expected = assert_as_eager(f, X)
        np.testing.assert_allclose(grad(f, check=True)(X), expected, rtol=1e-12)
        np.testing.assert_allclose(sourcediff.vjp(f, X, wrt=0)[1](1.0), expected, rtol=1e-12)
        np.testing.assert_allclose(sourcediff.hessian(f)(X), sourcediff.hessian(f, mode="eager")(X), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("f", ISLANDS)
def test_only_a_part_runs_on_the_eager_engine(f):
    gradient = grad(f)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        gradient(X)
    assert gradient.sourcediff.dispatcher is not None


@pytest.mark.parametrize("f", WHOLE)
def test_what_cannot_be_lifted_takes_the_whole_function_along(f):
    gradient = grad(f)
    with pytest.warns(FallbackWarning, match=f"{f.__name__} runs on the eager engine"):
        gradient(X)
    assert gradient.sourcediff.dispatcher is None


def test_the_warning_lists_the_reasons_with_their_lines():
    sourcediff.cache.forget()  # what was made of it by other tests, who have been told
    with pytest.warns(FallbackWarning) as said:
        grad(in_a_loop)(X)
    (text,) = [str(found.message) for found in said]
    assert text.startswith("a part of in_a_loop runs on the eager engine")
    assert "with is not taken by the compiler" in text
    assert 'with open(os.devnull, "w") as file:' in text
    assert said[0].filename == __file__


def test_another_process_makes_the_islands_of_a_cached_file_again(tmp_path):
    (tmp_path / "program.py").write_text("""
import contextlib, warnings
import numpy as np, sourcediff
def f(x):
    with contextlib.nullcontext():
        y = x ** 3
    return np.sum(y)
warnings.simplefilter("ignore")
print(sourcediff.grad(f)(np.array([1.0, 2.0])), sourcediff.cache.info().files)
""")
    environment = {**os.environ, "SOURCEDIFF_CACHE_DIR": str(tmp_path / "cache")}
    runs = [subprocess.run([sys.executable, tmp_path / "program.py"], env=environment, capture_output=True, text=True) for _ in range(2)]
    assert [run.stderr for run in runs] == ["", ""]
    assert runs[0].stdout == runs[1].stdout == "[ 3. 12.] 2\n"  # the refusal of the whole has a file too


def test_a_function_that_changes_state_is_not_linked_either():
    def helper(x):
        names = {"a"}
        COLLECTED.append(x * len(names))
        return np.sum(x)

    def f(x):
        total = helper(x)
        return total + np.sum(COLLECTED.pop() ** 2)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        np.testing.assert_allclose(grad(f)(X), 1 + 2 * X)


def asked_for(x, table):
    try:
        table["k"]
        a = np.sum(x ** 2)
    except KeyError:
        a = np.sum(x ** 3)
    return a


def test_what_may_raise_in_a_try_is_asked_though_nobody_reads_it():
    np.testing.assert_allclose(grad(asked_for)(X, {"k": 1}), 2 * X)
    with pytest.raises(sourcediff.SourcediffError, match="KeyError was raised in a try"):
        grad(asked_for, mode="compiled")(X, {})


# What a call may change or leave behind without a trace in its arguments: each was once taken for a call that does nothing of the kind.

BUFFER = np.zeros(3)
NUMBERS = np.random.RandomState(0)
LOOSE = np.array([0.0, 1.2, 0.7])


class Total:
    """Something that adds up."""

    def __init__(self):
        self.sum = 0.0

    def __call__(self, x):
        self.sum = self.sum + x

    def __lshift__(self, x):
        self(x)


TOTAL = Total()


def pushed_to(held, x):
    held.append(x)


def adds_a_bias(y, bias):
    y += bias


def by_a_bound_method(x):
    push = COLLECTED.append
    with contextlib.nullcontext():
        push(x * 2)
    return np.sum(COLLECTED.pop() ** 2)


def by_a_helper(x):
    with contextlib.nullcontext():
        pushed_to(COLLECTED, x * 2)
    return np.sum(COLLECTED.pop() ** 2)


def by_another_name(x):
    with contextlib.nullcontext():
        held = COLLECTED
        held.append(x * 2)
    return np.sum(COLLECTED.pop() ** 2)


def by_a_function_of_python(x):
    with contextlib.nullcontext():
        operator.iadd(COLLECTED, [x * 2])
    return np.sum(COLLECTED.pop() ** 2)


def by_an_object_that_is_called(x):
    TOTAL.sum = 0.0
    with contextlib.nullcontext():
        TOTAL(x[0])
    return TOTAL.sum ** 2 + x[1]


def by_an_operator_of_an_object(x):
    TOTAL.sum = 0.0
    with contextlib.nullcontext():
        TOTAL << x[0]
    return TOTAL.sum ** 2 + x[1]


def adds_what_is_zero(x):
    y = x * 2
    with contextlib.nullcontext():
        z = y
        z += x[0]
    return np.sum(y ** 2)


def adds_to_what_is_iterated_over(x):
    parts = {"a": x * 2, "b": x * 3}
    with contextlib.nullcontext():
        for _, part in parts.items():
            part += x[0]
    return np.sum(parts["a"] ** 2)


def adds_in_a_helper(x):
    y = x * 2
    with contextlib.nullcontext():
        adds_a_bias(y, x[0])
    return np.sum(y ** 2)


def adds_at(x):
    y = x * 2
    with contextlib.nullcontext():
        np.add.at(y, [1, 2], x[0])
    return np.sum(y ** 2)


def adds_to_a_view(x):
    y = x * 2
    with contextlib.nullcontext():
        z = np.asarray(y).ravel()
        z += x[0]
    return np.sum(y ** 2)


def draws(x):
    NUMBERS.seed(0)
    y = x
    for _ in range(3):
        with contextlib.nullcontext():
            n = y ** 2 * NUMBERS.randn(3)
        y = n + x * NUMBERS.randn()
    return np.sum(y)


def ends_early(x):
    y = x * 3
    with contextlib.suppress(ValueError):
        float("a")
        y = x * 2
    return np.sum(y ** 2)


UNSEEN = [
    by_a_bound_method, by_a_helper, by_another_name, by_a_function_of_python, by_an_object_that_is_called, by_an_operator_of_an_object,
    adds_what_is_zero, adds_to_what_is_iterated_over, adds_in_a_helper, adds_at, adds_to_a_view, draws, ends_early,
]


@pytest.mark.parametrize("f", UNSEEN)
def test_what_is_changed_without_a_trace_is_seen(f):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        assert_as_eager(f, LOOSE)
        np.testing.assert_allclose(sourcediff.hessian(f)(LOOSE), sourcediff.hessian(f, mode="eager")(LOOSE), rtol=1e-10, atol=1e-12)


def written_through_a_function(x):
    with contextlib.nullcontext():
        np.copyto(BUFFER, x * 2)
    return np.sum(BUFFER ** 2)


def written_by_position(x):
    with contextlib.nullcontext():
        np.multiply(x, 2, BUFFER)
    return np.sum(BUFFER ** 2)


@pytest.mark.parametrize("f", [written_through_a_function, written_by_position])
def test_a_global_array_is_not_written_to_unseen(f):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        for call in (lambda: grad(f)(X), lambda: sourcediff.jvp(f, (X,), (X,))):
            with pytest.raises(AliasingError, match="is no argument of the function"):
                call()


def runs_once(x):
    y = x
    for i in range(3):
        with contextlib.nullcontext():
            z = y ** 2 + 0.0 * (print(i, file=COUNTING) or 0)
        y = z * x
    return np.sum(y)


COUNTING = io.StringIO()


def test_an_island_in_a_loop_runs_once_a_trip():
    COUNTING.seek(COUNTING.truncate(0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        grad(runs_once)(X)
    assert COUNTING.getvalue().split() == ["0", "1", "2"]


def fails_beside(x):
    x *= 2
    with contextlib.nullcontext():
        y = np.linalg.inv(np.zeros((2, 2)))  # noqa: F841  (an unused result is what is tried)
    return np.sum(x)


def test_what_an_unused_island_raises_comes_through():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        for call in (lambda x: grad(fails_beside)(x), lambda x: sourcediff.jvp(fails_beside, (x,), (X,))):
            given = X.copy()
            with pytest.raises(np.linalg.LinAlgError):
                call(given)
            np.testing.assert_array_equal(given, 2 * X)
