"""Errors of other people's code in library runs: the program's own come through, those that the engine has caused become refusals."""

from __future__ import annotations

import datetime
import operator
from fractions import Fraction

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import NonDifferentiableError, SourcediffError

X = np.array([0.75, 1.625, -0.5])
SEEN: list[int] = []
SETTINGS = {"calls": 0, "scale": np.array([2.0])}
UNREACHED: list[int] = []


def by_fraction(x):
    return float(Fraction(x[0]).limit_denominator(8)) * x[1]


def by_timedelta(x):
    return datetime.timedelta(seconds=x[0]).total_seconds()


def by_bytes(x):
    return np.frombuffer(memoryview(x))[0]


def by_limited_fraction(x):
    try:
        return Fraction.from_float(x[0]).limit_denominator(8) * x[1]
    except TypeError as error:
        raise LookupError("no fraction") from error


DOORS = {
    "grad": lambda f, x, mode: sourcediff.grad(f, mode=mode)(x),
    "value_and_grad": lambda f, x, mode: sourcediff.value_and_grad(f, mode=mode)(x),
    "vjp": lambda f, x, mode: sourcediff.vjp(f, x, mode=mode),
    "jvp": lambda f, x, mode: sourcediff.jvp(f, (x,), (np.ones_like(x),), mode=mode),
    "jacobian": lambda f, x, mode: sourcediff.jacobian(f, mode=mode)(x),
    "hvp": lambda f, x, mode: sourcediff.hvp(f, mode=mode)(x, np.ones_like(x)),
    "hessian": lambda f, x, mode: sourcediff.hessian(f, mode=mode)(x),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("mode", ["eager", pytest.param("auto", marks=pytest.mark.filterwarnings("ignore::sourcediff.FallbackWarning"))])
@pytest.mark.parametrize("function", [by_fraction, by_timedelta, by_bytes, by_limited_fraction])
def test_what_a_plain_call_does_not_raise_is_refused_with_the_line(function, mode, door):
    with pytest.raises(SourcediffError) as caught:
        DOORS[door](function, X, mode)
    assert __file__ in str(caught.value) and "Live" not in str(caught.value)


@pytest.mark.parametrize("door", DOORS)
def test_within_another_run_it_is_refused_too(door):
    with pytest.raises(SourcediffError, match="plain numbers"):
        sourcediff.grad(lambda x: np.sum(DOORS[door](by_timedelta, x, "eager")[0]), mode="eager")(X)


def adds_text(x):
    return np.sum(x) * (x[0] + "3")


def raises_after_changes(x):
    x[0] = 5.0
    SETTINGS["calls"] += 1
    SETTINGS["scale"][0] += 1.0
    SEEN.append(SETTINGS["calls"])
    return operator.index(x[0])


def test_the_error_of_the_program_says_what_it_says_in_a_plain_call():
    with pytest.raises(TypeError) as plain:
        adds_text(X)
    with pytest.raises(TypeError) as caught:
        sourcediff.grad(adds_text, mode="eager")(X)
    assert str(caught.value) == str(plain.value) and not isinstance(caught.value, SourcediffError)


def test_after_the_error_of_the_program_all_is_as_one_call_leaves_it():
    SETTINGS["calls"], SETTINGS["scale"][0] = 0, 2.0
    SEEN.clear()
    x = X.copy()
    with pytest.raises(TypeError, match="integer"):
        sourcediff.grad(raises_after_changes, mode="eager")(x)
    assert x[0] == 5.0 and SETTINGS == {"calls": 1, "scale": np.array([3.0])} and SEEN == [1]


class Counter:
    total = 0

    def __init__(self):
        self.count = 0
        self.held = {"w": [1.0]}


COUNTER = Counter()


def refused_after_changes(x, rng):
    x[0] = 5.0
    SETTINGS["calls"] += 1
    SETTINGS["scale"][0] += 1.0
    y = Fraction(x[1]) + Fraction(1)
    UNREACHED.append(1)
    COUNTER.count += 1
    COUNTER.held["w"].append(2.0)
    Counter.total += 1
    rng.standard_normal(3)
    np.random.standard_normal(3)  # noqa: NPY002
    return float(y)


def test_a_refusal_leaves_no_trace_of_the_plain_call_that_it_has_made():
    rng, fresh = np.random.default_rng(1), np.random.default_rng(1)
    state = np.random.get_state()[1].tolist()  # noqa: NPY002
    SETTINGS["calls"], SETTINGS["scale"][0] = 0, 2.0
    x = X.copy()
    with pytest.raises(NonDifferentiableError):
        sourcediff.grad(refused_after_changes, mode="eager")(x, rng)
    np.testing.assert_array_equal(x, X)
    assert SETTINGS == {"calls": 0, "scale": np.array([2.0])} and not UNREACHED
    assert vars(COUNTER) == {"count": 0, "held": {"w": [1.0]}} and Counter.total == 0
    assert rng.random() == fresh.random() and np.random.get_state()[1].tolist() == state  # noqa: NPY002


def read_only(x, scale):
    scale[0] *= 2
    return np.sum(x * scale)


def test_arguments_that_cannot_be_written_to_cannot_in_the_plain_call():
    scale = np.ones(3)
    scale.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        sourcediff.grad(read_only, mode="eager")(X, scale)


def test_equality_with_a_number_that_the_run_computes():
    for function, wanted in [
        (lambda x: np.sum(np.where(x == np.max(x), x**2, x)), [1.0, 3.25, 1.0]),
        (lambda x: np.sum((x[2] == x) * x * 3), [0.0, 0.0, 3.0]),
        (lambda x: np.sum((np.max(x) != x) * x * 3), [3.0, 0.0, 3.0]),
        (lambda x: np.sum(x[x == x.max()] ** 2), [0.0, 3.25, 0.0]),
    ]:
        for mode in ("eager", "compiled"):
            np.testing.assert_allclose(sourcediff.grad(function, mode=mode)(X), wanted)
