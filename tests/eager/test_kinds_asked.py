"""What a program asks of the kind of a value: answered as in a plain call, in both engines."""

from __future__ import annotations

import abc
import collections.abc
import functools
import numbers
from collections import namedtuple

import numpy as np
import pytest

import sourcediff
from sourcediff import Variable
from sourcediff.errors import UnsupportedSyntaxError

X = np.array([0.75, 1.625, -0.5])
W = Variable([1.0, 2.0, 3.0])
G = Variable([1.0, 2.0, 3.0], requires_grad=True)


class Vector(abc.ABC):  # noqa: B024  (classes are registered with it)
    pass


class Scale:
    factor = 3.0


Vector.register(np.ndarray)
Vector.register(Scale)
SCALE = Scale()


@functools.singledispatch
def power(x):
    return np.sum(x)


@power.register(np.ndarray)
def _(x):
    return np.sum(x**2)


@power.register(numbers.Real)
def _(x):
    return x**3


def matched(x):
    match x:
        case [_, *_]:
            return np.sum(x)
        case float() | int():
            return x
        case np.ndarray():
            return np.sum(x**2)


# Each is the sum of squares where the kinds are seen as they are.
SQUARES = {
    "an array": lambda x: np.sum(x**2) if isinstance(x, np.ndarray) else np.sum(x),
    "its type": lambda x: np.sum(x**2) if type(x) is np.ndarray and type(x) in {np.ndarray, list} else np.sum(x),
    "a number of NumPy's": lambda x: sum(v**2 for v in x) if isinstance(x[0], np.floating) and isinstance(x[1], float) else x[0],
    "a real number": lambda x: sum(v**2 for v in x) if isinstance(x[0], numbers.Real) and not isinstance(x[0], numbers.Integral) else x[0],
    "no sequence": lambda x: np.sum(x) if isinstance(x, (list, tuple, collections.abc.Sequence)) else np.sum(x**2),
    "sized and iterable": lambda x: np.sum(x**2) if isinstance(x, (collections.abc.Sized, collections.abc.Iterable)) else np.sum(x),
    "a number has no length": lambda x: np.sum(x) if hasattr(x[0], "__len__") or hasattr(x[0], "__iter__") else np.sum(x**2),
    "no scalar": lambda x: np.sum(x) if np.isscalar(x) or np.ndim(x) != 1 else np.sum(x**2),
    "a scalar": lambda x: np.sum(x**2) if np.isscalar(x[0]) and np.ndim(x[0]) == 0 else np.sum(x),
    "an abstract class": lambda x: np.sum(x**2) if isinstance(x, Vector) and not isinstance(x[0], Vector) else np.sum(x),
    "an object of an abstract class": lambda x: np.sum(x**2) if isinstance(SCALE, Vector) and issubclass(Scale, Vector) else np.sum(x),
    "an object made of such a class": lambda x: np.sum(x**2) if isinstance(Scale(), Vector) else np.sum(x),
    "no Variable": lambda x: np.sum(x) if isinstance(x, Variable) else np.sum(x**2),
    "a Variable from outside": lambda x: np.sum(x**2) if isinstance(W, Variable) and not isinstance(W, np.ndarray) else np.sum(x),
    "a pattern of a class": matched,
    "single dispatch": power,
}


@pytest.mark.filterwarnings("ignore::sourcediff.FallbackWarning")
@pytest.mark.parametrize("mode", ["eager", "auto"])
@pytest.mark.parametrize("name", SQUARES)
def test_the_kind_of_a_value(name, mode):
    np.testing.assert_allclose(sourcediff.grad(SQUARES[name], mode=mode)(X), 2 * X)


def computed(x):
    y = G * x
    return np.sum(x * x) if isinstance(y, np.ndarray) else np.sum(y * y).data


def argument(x):
    return np.sum(G * x * x) if isinstance(x, np.ndarray) else np.sum(x)


def test_whether_a_value_would_be_a_variable_is_not_guessed():
    with pytest.raises(UnsupportedSyntaxError, match="isinstance asks whether a computed value"):
        sourcediff.grad(computed, mode="eager")(X)
    np.testing.assert_allclose(sourcediff.grad(argument, mode="eager")(X).data, 2 * G.data * X)


Point = namedtuple("Point", "x parts")


@pytest.mark.parametrize("mode", ["eager", "auto", "compiled"])
def test_a_named_tuple_with_a_field_called_x(mode):
    def area(p):
        return p.x**2 * p.parts

    gradient = sourcediff.grad(area, mode=mode)(Point(3.0, 2.0))
    assert type(gradient) is Point and gradient == (12.0, 9.0)
    assert sourcediff.jvp(area, (Point(3.0, 2.0),), (Point(1.0, 1.0),), mode=mode)[1] == 21.0
    assert sourcediff.vjp(area, Point(3.0, 2.0), wrt=0, mode=mode)[1](1.0) == (12.0, 9.0)
