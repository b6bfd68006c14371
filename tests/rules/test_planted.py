"""Rules that are wrong, each in its own way: the check that the table passes must catch them all."""

from __future__ import annotations

import operator

import numpy as np
import pytest

from sourcediff.errors import CrossCheckError
from sourcediff.rules import RULES, Rule
from sourcediff.runtime.arrays import sum_to  # noqa: F401  (a formula below calls it)

from .checker import check_rule
from .samples import call, positive, regular, x


def wrong_factor(g, z, x):
    return g / z


def wrong_sign(g, z, x):
    return g * np.sin(x)


def missing_term(g, z, a, axis=None, *, keepdims=False):
    return 2 * g * a / np.size(a)


def swapped(g, z, x, y):
    return g * x, g * y


def nonlinear(g, z, x):
    return g * g / np.abs(g) * z


def affine(g, z, x):
    return g * np.cos(x) + 0.001


def wrong_shape(g, z, a, axes=None):
    return np.transpose(g)[..., None]


def untransposed(g, z, a, b):
    return g @ b, a @ g


def wrong_axis(g, z, a, axis=None):
    return np.flip(np.cumsum(np.flip(g, 0), 0), 0)


def forgotten_ddof(g, z, a, axis=None, *, ddof=0, keepdims=False):
    return 2 * g * (a - np.mean(a, axis=axis, keepdims=True)) / np.size(a)


def lost_duplicates(g, z, a, index):
    return np.where(np.arange(4) == 3, np.sum(g), 0)


def not_a_selection(g, z, x, y):
    return g * (x >= y), g * (x < y)


def upcast(g, z, x):
    return g * (np.array(2.0) * x)


def destructive(g, z, x):
    return np.multiply(g, z, out=g)


def destructive_of_saved(g, z, x):
    return np.multiply(g, z, out=z)


def right_once(g, z, x):
    return g * (2 * np.round(x, 300))


def without_a_rule(g, z, x):
    return g * np.asarray_chkfinite(np.cos(x))


def not_linear_in_x(g, z, a):
    return g * 2 * a


def transposed_inverse(g, z, a):
    return -(z @ g @ z)


def inverse(g, z, a):
    return -(np.matrix_transpose(z) @ g @ np.matrix_transpose(z))


def wrong_forward(z, da, a):
    return z @ da @ z


def half(g, z, x):
    return g * np.where(x > 0, 1, 0.5)


PLANTED = [
    (wrong_factor, "elementwise", np.sqrt, call(positive(3))), (wrong_sign, "elementwise", np.cos, call(x(3))),
    (missing_term, "reduction", np.var, call(x(3))), (swapped, "elementwise", np.multiply, call(x(3), x(3, seed=1))),
    (nonlinear, "elementwise", np.exp, call(x(3))), (affine, "elementwise", np.sin, call(x(3))),
    (wrong_shape, "linear", np.transpose, call(x(2, 3))), (untransposed, "multilinear", np.matmul, call(x(2, 2), x(2, 2, seed=1))),
    (wrong_axis, "linear", np.cumsum, call(x(2, 3), axis=1)), (forgotten_ddof, "reduction", np.var, call(x(3), ddof=1)),
    (lost_duplicates, "linear", operator.getitem, call(x(4), [0, 3])),
    (not_a_selection, "elementwise", np.maximum, call(x(3), x(3, seed=1))),
    (upcast, "elementwise", np.square, call(x(3))), (destructive, "elementwise", np.exp, call(x(3))),
    (destructive_of_saved, "elementwise", np.exp, call(x(3))), (right_once, "elementwise", np.square, call(x(3))),
    (without_a_rule, "elementwise", np.sin, call(x(3))), (not_linear_in_x, "linear", np.square, call(x(3))),
    (transposed_inverse, "general", np.linalg.inv, call(regular(3, 3))), (inverse, "general", np.linalg.inv, call(regular(3, 3))),
    (half, "elementwise", np.positive, call(x(4))),
]


@pytest.mark.parametrize("formula, kind, function, sample", PLANTED, ids=lambda part: getattr(part, "__name__", ""))
def test_caught(formula, kind, function, sample):
    rule = Rule(kind, function, formula, selects=RULES[function].selects, singular=RULES[function].singular)
    if kind == "general":
        rule.tangent = wrong_forward if formula is inverse else RULES[function].tangent
    check_rule(RULES[function], sample)  # the sample itself is fair
    with pytest.raises((CrossCheckError, AssertionError)):
        check_rule(rule, sample)
