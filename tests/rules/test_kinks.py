"""The published kinks and selections (docs/kinks.md), each by value."""

from __future__ import annotations

import operator
from pathlib import Path

import numpy as np
import pytest

from sourcediff.rules import RULES
from sourcediff.rules.modes import call, pushforward, rule_pullback
from sourcediff.runtime import arrays

nan, inf = np.nan, np.inf


def pulled(function, *args, g=None, selected=False, **kwargs):
    """The contributions to the arguments that have a derivative, of an adjoint of ones."""
    rule = RULES[function]
    bound = rule.bind(args, kwargs)
    with np.errstate(all="ignore"):
        z = call(rule, bound)
        wanted = [name for name in rule.differentiable if np.asarray(bound[name]).dtype.kind not in "iO"]
        return rule_pullback(rule, np.ones(np.shape(z)) if g is None else g, z, bound, wanted, selected)


KINKS = [
    (np.abs, (np.array([-2.0, 0.0, 3.0]),), ([-1, 0, 1],)),
    (np.maximum, (np.array([1.0, 0.0, -1.0]), 0.0), ([1, 1, 0], 1)),  # the first argument wins a tie: relu passes at 0
    (np.minimum, (np.array([1.0, 0.0, -1.0]), 0.0), ([0, 1, 1], 1)),
    (np.maximum, (np.array([nan, 1.0]), np.array([1.0, nan])), ([0, 0], [1, 1])),
    (np.fmax, (np.array([nan, 1.0, 2.0]), np.array([1.0, nan, 2.0])), ([0, 1, 1], [1, 0, 0])),
    (np.fmin, (np.array([nan, 1.0, 2.0]), np.array([1.0, nan, 2.0])), ([0, 1, 1], [1, 0, 0])),
    (np.max, (np.array([1.0, 3.0, 3.0]),), ([0, 0.5, 0.5],)),  # ties share evenly
    (np.min, (np.array([1.0, 1.0, 1.0, 3.0]),), ([1 / 3, 1 / 3, 1 / 3, 0],)),
    (arrays.largest, (np.array([1.0, 3.0, 3.0]),), ([0, 1, 0],)),  # Python's own: the first one's
    (arrays.smallest, (np.array([1.0, 1.0, 3.0]),), ([1, 0, 0],)),
    (np.nanmax, (np.array([1.0, nan, 3.0, 3.0]),), ([0, 0, 0.5, 0.5],)),
    (np.ptp, (np.array([1.0, 1.0, 3.0]),), ([-0.5, -0.5, 1],)),
    (np.sort, (np.array([2.0, 1.0, 2.0]),), ([1, 1, 1],)),
    (np.median, (np.array([3.0, 3.0, 1.0]),), ([1, 0, 0],)),  # ties in their own order: no sharing
    (np.quantile, (np.array([1.0, 5.0, 5.0, 7.0]), 0.5), ([0, 0.5, 0.5, 0],)),
    (np.nansum, (np.array([nan, 1.0]),), ([0, 1],)), (np.nan_to_num, (np.array([nan, inf, 1.0]),), ([0, 0, 1],)),
    (np.nanstd, (np.full(3, 2.0),), ([0, 0, 0],)), (np.sinc, (np.array([0.0]),), ([0],)),
    (np.interp, (np.array([-1.0, 0.0, 1.0, 2.0, 3.0]), np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 5.0])),
     ([0, 1, 4, 4, 0], [-1, -4, -4], [2, 1, 2])),  # on a point the slope to its right (of the last one, to its left)
    (np.copysign, (np.array([0.0, -0.0]), np.array([-1.0, 1.0])), ([-1, -1],)),
    (np.cumprod, (np.array([2.0, 0.0, 3.0]),), ([1, 8, 0],)), (np.nanprod, (np.array([0.0, nan, 3.0]),), ([3, 0, 0],)),
    (np.linalg.vector_norm, (np.zeros(3),), ([0, 0, 0],)),
    (np.clip, (np.array([-2.0, -1.0, 0.0, 1.0, 2.0]), -1.0, 1.0), ([0, 1, 1, 1, 0], 1, 1)),  # passes on the closed interval
    (np.clip, (np.array([-2.0, 0.0, 2.0]), 1.0, -1.0), ([0, 0, 0], 0, 3)),  # bounds the wrong way round: the upper one wins
    (np.sqrt, (np.array([0.0, 4.0]),), ([inf, 0.25],)),  # as in calculus
    (np.cbrt, (np.array([0.0, 1.0]),), ([inf, 1 / 3],)),
    (np.log, (np.array([0.0, 2.0]),), ([inf, 0.5],)),
    (np.hypot, (np.array([0.0, 3.0]), np.array([0.0, 4.0])), ([0, 0.6], [0, 0.8])),
    (np.arctan2, (np.array([0.0, 1.0]), np.array([0.0, 0.0])), ([0, 0], [0, -1])),
    (np.linalg.norm, (np.zeros(3),), ([0, 0, 0],)),
    (np.std, (np.full(3, 2.0),), ([0, 0, 0],)),
    (np.prod, (np.array([0.0, 2.0, 3.0]),), ([6, 0, 0],)),
    (np.prod, (np.array([0.0, 0.0, 3.0]),), ([0, 0, 0],)),
    (np.power, (np.array([0.0, 0.0, 0.0]), 2), ([0, 0, 0],)),
    (np.power, (np.array([0.0, -3.0]), 1), ([1, 1],)),
    (np.power, (np.array([0.0, -3.0]), 0), ([0, 0],)),
    (np.power, (np.array([0.0, 2.0]), 0.5), ([inf, 0.5 / np.sqrt(2)], np.sqrt(2) * np.log(2))),
    (np.power, (np.zeros(3), np.array([0.0, 1.0, 2.5])), ([0, 1, 0], [0, 0, 0])),  # the exponent, at base 0
    (np.power, (np.array([0.0]), np.array([-1.0])), ([-inf], [-inf])),
    (np.sign, (np.array([-1.0, 0.0]),), ()), (np.floor, (np.array([1.0, 1.5]),), ()),
    (np.where, (np.array([True, False]), np.array([1.0, 2.0]), np.array([3.0, 4.0])), ([1, 0], [0, 1])),
    (np.linalg.det, (np.array([[1.0, 2.0], [2.0, 4.0]]),), ([[4, -2], [-2, 1]],)),  # a singular matrix: its cofactors
    (np.linalg.det, (np.zeros((2, 3, 3)),), (np.zeros((2, 3, 3)),)),
]


@pytest.mark.parametrize("function, args, expected", KINKS, ids=lambda part: getattr(part, "__name__", ""))
def test_kink(function, args, expected):
    if RULES[function].kind == "constant":
        assert not np.any(pushforward(RULES[function], function(*args), {}, {}))
        return
    found = pulled(function, *args)
    assert len(found) == len(expected)
    for contribution, values in zip(found, expected):
        np.testing.assert_allclose(contribution, values, rtol=1e-12, atol=1e-12)


SINGULAR = {
    np.divide: ([1.0], [0.0]), np.remainder: ([1.0], [0.0]), np.fmod: ([1.0], [0.0]), np.power: ([0.0], [-0.5]),
    np.float_power: ([0.0], [0.5]), np.reciprocal: ([0.0],), np.sqrt: ([0.0],), np.cbrt: ([0.0],), np.log: ([0.0],),
    np.log2: ([0.0],), np.log10: ([0.0],), np.log1p: ([-1.0],), np.logaddexp: ([-inf], [-inf]), np.logaddexp2: ([-inf], [-inf]),
    np.tan: ([inf],), np.arcsin: ([1.0],), np.arccos: ([-1.0],), np.arccosh: ([1.0],), np.arctanh: ([1.0],),
    np.std: ([inf, 1.0],), np.nanstd: ([inf, 1.0],), np.linalg.norm: ([inf, 1.0],), np.linalg.vector_norm: ([inf, 1.0],),
}
"""For each rule whose derivative can be infinite, a point where it is (or is not a number)."""
SINGULAR_RULES = [rule for rule in RULES.values() if rule.singular and rule.name.startswith("np.")]


@pytest.mark.parametrize("rule", SINGULAR_RULES, ids=lambda rule: rule.name)
def test_a_zero_that_passed_a_selection_stays_zero(rule):
    args = [np.array(entries) for entries in SINGULAR[rule.function]]
    g = np.zeros(np.shape(pulled(rule.function, *args)[0]) if rule.kind == "elementwise" else ())
    assert any(np.any(np.isnan(c)) for c in pulled(rule.function, *args, g=g)), "the point is not singular"
    for contribution in pulled(rule.function, *args, g=g, selected=True):
        np.testing.assert_array_equal(contribution, np.zeros(np.shape(contribution)))


def test_a_chain_of_selection_and_root():
    """np.where(x > 0, np.sqrt(x), 0) at 0."""
    at = np.array([0.0, 4.0])
    with np.errstate(divide="ignore", invalid="ignore"):
        root_bar, _ = pulled(np.where, at > 0, np.sqrt(at), 0.0)
        (free,), (kept,) = pulled(np.sqrt, at, g=root_bar), pulled(np.sqrt, at, g=root_bar, selected=True)
    np.testing.assert_array_equal(free, [nan, 0.25])
    np.testing.assert_array_equal(kept, [0.0, 0.25])


def test_a_zero_by_coincidence_keeps_its_derivative():
    """Guarding is for 0 * inf alone: where the derivative is finite, the guard is transparent at any order."""
    rule = RULES[arrays.keep_zeros]
    bound = rule.bind((np.array([0.0, nan, nan]), np.array([0.0, 0.0, 1.0])), {})
    (contribution,) = rule_pullback(rule, np.ones(3), arrays.keep_zeros(bound["c"], bound["adjoint"]), bound, ["c"])
    np.testing.assert_array_equal(contribution, [1, 0, 1])


@pytest.mark.parametrize("function, args, expected", [
    (np.maximum, (np.array([1.0, -1.0]), np.zeros(2)), ([inf, 0], [0, inf])),
    (np.where, (np.array([True, False]), np.zeros(2), np.zeros(2)), ([inf, 0], [0, inf])),
    (np.clip, (np.array([0.0, 2.0]), -1.0, 1.0), ([inf, 0], 0, inf)),
    (np.max, (np.array([1.0, 3.0]),), ([0, inf],)),
    (np.tril, (np.ones((2, 2)),), ([[inf, 0], [inf, inf]],)),
    (operator.getitem, (np.ones(3), 1), ([0, inf, 0],)),
    (arrays.store, (np.ones(2), 0, 5.0), ([0, inf], inf)),
    (np.diag, (np.ones((2, 2)),), ([[inf, 0], [0, inf]],)),
], ids=lambda part: getattr(part, "__name__", ""))
def test_what_is_not_selected_gets_zero_even_from_infinity(function, args, expected):
    g = np.full(np.shape(function(*args)), inf)
    for contribution, values in zip(pulled(function, *args, g=g), expected):
        np.testing.assert_array_equal(contribution, values)


def test_stores_at_one_place_count_the_last():
    a_bar, value_bar = pulled(arrays.store, np.zeros(3), [0, 0, 2], np.array([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(a_bar, [0, 1, 0])
    np.testing.assert_array_equal(value_bar, [0, 1, 1])


def test_integer_conversions_cut_the_dependence():
    assert not np.any(pulled(arrays.astype, np.ones(2), int)[0])
    assert not np.any(pulled(np.full, 2, 1.5, int)[0])


def test_the_page_tells_of_every_selection():
    """Each rule that selects, and each that can be singular, stands in docs/kinks.md."""
    page = (Path(__file__).parents[2] / "docs" / "kinks.md").read_text()
    for rule in RULES.values():
        if rule.name.startswith("np.") and (rule.selects or rule.singular):
            assert f"`{rule.name.removeprefix('np.').removeprefix('linalg.')}`" in page, rule.name
