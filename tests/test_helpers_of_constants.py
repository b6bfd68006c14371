"""Helpers that are given constants: what they do to names of their own is their own affair, what they do to others is done once."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.signal
import scipy.stats

import sourcediff


def norm_const(d):
    t = 0.25 * d * (d - 1) * math.log(math.pi)
    for j in range(d):
        t += math.lgamma(j + 1.0)
    return t


def tally(words):
    found = {}
    for word in words:
        found[word] = found.get(word, 0) + 1
    return found


def log_factorial(n):
    s, k = 0.0, 1
    while k <= n:
        s += math.log(k)
        k += 1
    return s


def weights(n):
    w = np.zeros(n)
    for k in range(n):
        w[k] = math.lgamma(k + 1.5)
    w /= w.sum()
    return w


def in_a_term(x, d):
    return x.sum() ** 2 - 2 * norm_const(d) * x[0]


def in_an_index(x, words):
    return x[tally(words)["b"]] ** 2 * tally(words)["a"] + 3 * len(tally(words)) * x[1]


def in_a_condition(x, n):
    y = x**2
    if log_factorial(n) > 1 and x[0] > 0:
        y = y * log_factorial(n)
    return np.sum(y) if log_factorial(n + 1) > 3 else x[0]


def in_a_product(x, n):
    return np.sum(np.log(x)) - log_factorial(n) * x[2] ** 2 / (1 + log_factorial(n - 1)) + x**2 @ weights(n)


X = np.array([1.5, 0.5, 2.0])

PROGRAMS: list[tuple[Any, Any]] = [(in_a_term, 3), (in_an_index, ["a", "b", "a"]), (in_a_condition, 4), (in_a_product, 3)]


@pytest.mark.parametrize(("function", "given"), PROGRAMS)
def test_a_helper_that_keeps_to_itself_runs_as_it_is(function: Any, given: Any) -> None:
    expected = [(function(X + e, given) - function(X - e, given)) / 2e-6 for e in np.eye(3) * 1e-6]
    assert sourcediff.grad(function, mode="compiled")(X, given) == pytest.approx(expected, rel=1e-7)
    _, tangent = sourcediff.jvp(lambda x: function(x, given), (X,), (np.ones(3),), mode="compiled")
    assert tangent == pytest.approx(sum(expected), rel=1e-7)


def shifted(a):
    b = np.asarray(a)
    b += 1.0
    return b.sum()


def of_a_part(a):
    b = a[1:]
    b[0] = 2 * b[1]
    return b.sum()


def by_an_alias(a):
    t = a * 2
    t += 1
    t = a
    t += 1
    return t.sum()


@pytest.mark.parametrize("helper", [shifted, of_a_part, by_an_alias])
def test_a_helper_that_changes_what_it_is_given_does_so_once_a_call(helper: Any) -> None:
    def f(x, a):
        s = x.sum() - 2 * helper(a) + x[0] * helper(a)
        if helper(a) > 3 and x[0] > 0:
            s = s * helper(a) * x[1]
        return s

    plain, taken = np.ones((3, 2)), np.ones((3, 2))
    expected = [(f(X + e, np.ones((3, 2))) - f(X - e, np.ones((3, 2)))) / 2e-6 for e in np.eye(3) * 1e-6]
    value, gradient = sourcediff.value_and_grad(f)(X, taken)
    assert value == pytest.approx(f(X, plain))
    assert gradient == pytest.approx(expected, rel=1e-6)
    assert np.array_equal(plain, taken)


S = np.random.default_rng(5).normal(size=12)
FLAG: Any = True
OF_LIBRARIES = {
    "a flag": ((True, False), lambda k: lambda x: np.sum(np.cov(x.reshape(3, 4), bias=k) * np.arange(3))),
    "a density": ((1, 0), lambda k: lambda x: np.histogram(S, 3, weights=x**2, density=k)[0] @ np.arange(3)),
    "an order": ((1, 2, np.inf, "fro"), lambda k: lambda x: np.linalg.norm(x.reshape(3, 4), k)),
    "degrees of freedom": ((0, 1), lambda k: lambda x: np.sum(scipy.stats.zscore(x, ddof=k) ** 3)),
    "a proportion": ((0.1, 0.3), lambda k: lambda x: scipy.stats.trim_mean(x, k) ** 2),
    "a derivative": ((0, 1), lambda k: lambda x: np.sum(scipy.signal.savgol_filter(x, 5, 2, deriv=k) ** 2)),
    "what was a number": ((0, "C", "F"), lambda k: lambda x: np.sum(np.ravel(x.reshape(3, 4), k or "C") * np.arange(12))),
    "a norm": ((None, "ortho"), lambda k: lambda x: np.sum(np.abs(np.fft.fft(x, norm=k)) ** 3)),
}


def slopes_of(f: Any) -> Any:
    return np.array([(f(S + e) - f(S - e)) / 2e-6 for e in 1e-6 * np.eye(12)])


@pytest.mark.parametrize("mode", ["auto", "compiled"])
@pytest.mark.filterwarnings("ignore::sourcediff.errors.FallbackWarning")
@pytest.mark.parametrize("name", OF_LIBRARIES)
def test_a_library_is_given_what_an_outer_variable_is_now(name: str, mode: str) -> None:
    options, made = OF_LIBRARIES[name]
    f = made(options[0])
    g = sourcediff.grad(f, mode=mode)
    for k in options:
        f.__closure__[0].cell_contents = k
        for h, derivative in (f, g), (made(k), sourcediff.grad(made(k), mode=mode)):
            try:
                assert derivative(S) == pytest.approx(slopes_of(h), rel=1e-6, abs=1e-6)
            except sourcediff.errors.SourcediffError:
                assert mode == "compiled"


def test_a_library_is_given_what_a_global_flag_is_now(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x):
        return np.sum(np.cov(x.reshape(3, 4), bias=FLAG) * np.arange(3))

    g = sourcediff.grad(f)
    for k in (True, False, None, 0, True, 1, False, 2.5):
        monkeypatch.setitem(globals(), "FLAG", k)
        assert g(S) == pytest.approx(slopes_of(f), rel=1e-6, abs=1e-6)
