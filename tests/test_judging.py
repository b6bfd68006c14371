"""Errors of generated code that a plain call does not raise: refused by the compiler, answered by the eager engine under auto."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import FallbackWarning, InternalError, SourcediffError
from tests.messages import message

X = np.array([0.75, 1.625, -0.5])


class Column:
    """A column of a table, whose entries are found by labels, not by positions."""

    def __init__(self, values):
        self.values = np.array(values)
        self.dtype = self.values.dtype

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype)

    def __len__(self):
        return len(self.values)

    def __getitem__(self, label):
        raise KeyError(label)


TABLE = {"x": Column([-1.0, 1.0, 3.0]), "y": Column([2.0, 4.0, 0.0])}
DAYS = np.array(["2020-01-01", "2020-01-02", "2020-01-05"], dtype="datetime64[D]")


def interpolated(x, table):
    return np.sum(np.interp(x, table["x"], table["y"]))


def by_days(x, days):
    return np.sum(x**2 * (days - days[0]).astype(float))


@pytest.mark.parametrize(("function", "given", "wanted"), [
    (interpolated, TABLE, [1.0, -2.0, 1.0]), (by_days, DAYS, [0.0, 3.25, -4.0]),
])
def test_what_a_plain_call_does_not_raise_is_answered_or_refused(function, given, wanted):
    np.testing.assert_allclose(sourcediff.grad(function, mode="eager")(X, given), wanted)
    for door in (sourcediff.grad, lambda f, mode: lambda *a: sourcediff.value_and_grad(f, mode=mode)(*a)[1],
                 sourcediff.jacobian, lambda f, mode: lambda *a: sourcediff.vjp(f, *a, wrt=0, mode=mode)[1](1.0)):
        try:
            found = door(function, mode="compiled")(X, given)
        except SourcediffError as error:
            assert function is interpolated and ("a plain call does not" in str(error) or "the compiler failed" in str(error))
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", FallbackWarning)
                    found = door(function, mode="auto")(X, given)
            except InternalError:  # in the reverse sweep of a pullback: it may be asked for when the arguments have changed
                continue
        np.testing.assert_allclose(found, wanted)


def shapes_differ(x, w):
    return np.sum(x * w)


def asserts(x, w):
    if len(w) != 3:
        raise AssertionError("three weights")
    return np.sum(x * w)


@pytest.mark.parametrize("function", [shapes_differ, asserts])
@pytest.mark.parametrize("mode", ["compiled", "auto", "eager"])
def test_the_error_of_the_function_comes_through(function, mode):
    w = np.ones(2)
    with pytest.raises((ValueError, AssertionError)) as plain:
        function(X, w)
    for door in (sourcediff.grad(function, mode=mode), lambda *a: sourcediff.jvp(function, a, (X, None), mode=mode)):
        with pytest.raises(type(plain.value)) as caught:
            door(X, w)
        assert message(caught.value) == str(plain.value) and not isinstance(caught.value, SourcediffError)
