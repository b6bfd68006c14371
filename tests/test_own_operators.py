"""Objects for which operators mean what their class says: what computes with them is right, or refused, however they are reached."""

from __future__ import annotations

import sys
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError

sparse = pytest.importorskip("scipy.sparse")
linalg = pytest.importorskip("scipy.sparse.linalg")


class Squaring:
    """``op * x`` is ``x ** 2``."""

    def __init__(self):
        self.rate = 0.5

    def __mul__(self, other):
        return other ** 2

    __rmul__ = __add__ = __radd__ = __sub__ = __rsub__ = __matmul__ = __rmatmul__ = __mul__


class Ten(float):
    """A float that multiplies by ten times itself."""

    def __mul__(self, other):
        return float(self) * other * 10

    __rmul__ = __mul__


class Own(np.ndarray):
    """An array that multiplies by squares."""

    def __mul__(self, other):
        return np.asarray(self) * other ** 2

    __rmul__ = __mul__


OP = Squaring()
MASKED = np.ma.masked_array(np.ones(3), [0, 1, 0])
HELD, MANY, TABLE = types.SimpleNamespace(op=OP), [OP, OP], {"s": OP, "rate": 2.0}
MATRIX = sparse.csr_matrix(np.eye(3) * 2)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    DENSE = np.asmatrix(np.eye(3))
OPERATOR = linalg.aslinearoperator(np.eye(3) * 2)
OWN = np.ones(3).view(Own)
TWENTY = Ten(2.0)
MOD = sys.modules[__name__]  # of which all of them can be read
X = np.array([1.1, 0.7, 1.9])


def get():
    return MOD.OP


def in_a_dict(x):
    table = {"k": OP}
    return table["k"] * x[0]


def in_a_loop(x):
    total = 0.0
    for op in [OP, OP]:
        total = total + op * x[0]
    return total


def in_place(x):
    y = x[0]
    y *= MOD.OP
    return y


def masked_inside(x):
    weights = np.ma.masked_less(np.array([1.0, 2.0, 3.0]), 1.5)
    return np.mean(weights * x)


def masked_copy(x):
    weights = MOD.MASKED.copy()
    return np.sum(weights * x)


REFUSED: dict[str, Callable[..., Any]] = {
    "list": lambda x: [OP, OP][0] * x[0],
    "condition": lambda x, k=0: (OP if k == 0 else 2.0) * x[0],
    "or": lambda x: (MOD.OP or 1.0) * x[0],
    "lambda": lambda x: (lambda: OP)() * x[0],
    "call": lambda x: get() * x[0],
    "next": lambda x: next(iter(MOD.MANY)) * x[0],
    "getattr": lambda x: getattr(MOD, "OP") * x[0],  # noqa: B009
    "generator": lambda x: sum(op * x[0] for op in (OP, OP)),
    "dict": in_a_dict,
    "loop": in_a_loop,
    "in place": in_place,
    "module": lambda x: MOD.OP * x[0],
    "module minus": lambda x: MOD.OP - x[0],
    "module object": lambda x: MOD.HELD.op * x[0],
    "module list": lambda x: MOD.MANY[0] * x[0],
    "module dict": lambda x: MOD.TABLE["s"] * x[0],
    "module values": lambda x: sum([op * x[0] for op in {"s": MOD.OP}.values()]),
    "ufunc": lambda x: np.multiply(MOD.OP, x[0]),
    "float": lambda x, w=TWENTY: np.sum(w * x),
    "masked": lambda x: np.sum(MOD.MASKED * x),
    "masked slice": lambda x: np.sum(MOD.MASKED[:] * x),
    "masked root": lambda x: np.sum(np.sqrt(MOD.MASKED) * x),
    "masked made": lambda x: np.sum(np.ma.masked_array(np.ones(3), [0, 1, 0]) * x),
    "masked inside": masked_inside,
    "masked copy": masked_copy,
    "sparse": lambda x: np.sum(MATRIX @ x),
    "sparse right": lambda x: np.sum(x @ MATRIX),
    "sparse module": lambda x: np.sum(MOD.MATRIX @ x),
    "sparse module right": lambda x: np.sum(x @ MOD.MATRIX),
    "sparse dot": lambda x: np.sum(MOD.MATRIX.dot(x)),
    "sparse made": lambda x: np.sum(sparse.csr_matrix(np.eye(3)) @ x),
    "operator": lambda x: np.sum((OPERATOR @ x) ** 2),
    "matrix": lambda x: np.sum(DENSE @ x),
    "matrix made": lambda x: np.sum(np.asmatrix(np.eye(3)) @ x),
    "subclass": lambda x: np.sum(OWN * x),
    "subclass module": lambda x: np.sum(MOD.OWN * x),
    "subclass view": lambda x: np.sum(np.ones(3).view(Own) * x),
}


def differences(function: Callable[..., Any]) -> np.ndarray:
    step = 1e-6
    return np.array([(function(X + e) - function(X - e)) / (2 * step) for e in step * np.eye(3)])


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")  # that there is np.matrix
@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("name", REFUSED)
def test_right_or_refused(name: str, mode: str) -> None:
    function = REFUSED[name]
    try:
        found = sourcediff.grad(function, mode=mode)(X.copy())
    except SourcediffError as refusal:
        assert refusal.remedy or refusal.places
    else:
        np.testing.assert_allclose(found, differences(function), rtol=1e-5, atol=1e-7)


RIGHT: dict[str, Callable[..., Any]] = {
    "attribute": lambda x: OP.rate * x[0] + MOD.OP.rate * x[1],
    "other entry": lambda x: MOD.TABLE["rate"] * x[0] + MOD.TABLE.get("rate") * x[1],
    "length": lambda x: len(MOD.MANY) * np.sum(x),
    "product before": lambda x: np.sum(MOD.MATRIX @ np.ones(3) * x),
    "plain": lambda x: np.sum(MOD.MATRIX.toarray() @ x) + np.sum(np.asarray(DENSE) @ x) + np.sum(MATRIX.diagonal() * x),
    "filled": lambda x: np.sum(MOD.MASKED.filled(0.0) * x) + MOD.MASKED.sum() * x[0],
    "solved": lambda x: linalg.spsolve(MOD.MATRIX.tocsc(), np.ones(3)) @ x,
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_such_objects_give_may_be_plain(name: str) -> None:
    function = RIGHT[name]
    np.testing.assert_allclose(sourcediff.grad(function, mode="compiled")(X.copy()), differences(function), rtol=1e-5)


POLYNOMIALS = np.polynomial.Polynomial([1.0, 2.0, 3.0]), np.poly1d([1.0, 2.0, 3.0])
FIRST, SECOND = POLYNOMIALS


def test_objects_that_are_called_and_have_no_hash() -> None:
    def first(x):
        return np.sum(FIRST(x))

    def second(x):
        return np.sum(SECOND(x))

    def numbers(x):
        return np.sum(FIRST(2.0) * x) + SECOND(3.0) * x[0]

    for function in (first, second, numbers):
        for mode in ("eager", "compiled"):
            np.testing.assert_allclose(sourcediff.grad(function, mode=mode)(X.copy()), differences(function), rtol=1e-5)


class Column:
    """Numbers of which a part is a column again, and an entry is twice the number."""

    def __init__(self, numbers):
        self.numbers = numbers

    def __getitem__(self, key):
        if isinstance(key, slice):
            return Column(self.numbers[key])
        return 2 * self.numbers[key]

    def total(self):
        return np.sum(self.numbers**2)


class Doubled(Column):
    def __getitem__(self, key):
        return 2 * self.numbers[key]


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_subscripts_that_a_class_says(mode: str) -> None:
    def entries(x):
        column = Doubled(x)
        return column[0] * column[-1] + sum(column[i] for i in range(3)) + np.sum(column[1:] ** 2)

    np.testing.assert_allclose(sourcediff.grad(entries, mode=mode)(X.copy()), differences(entries), rtol=1e-5)


def test_subscripts_that_give_one_thing_or_another() -> None:
    def parts(x):
        return Column(x)[1:].total() + Column(x)[0]

    for mode in ("compiled", "eager"):
        np.testing.assert_allclose(sourcediff.grad(parts, mode=mode)(X.copy()), differences(parts), rtol=1e-5)
