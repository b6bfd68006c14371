"""``sourcediff.supported``: what the tables say, and that it is so."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sourcediff
from sourcediff import extend, supported


@pytest.mark.parametrize("function, kind, differentiable", [
    (np.sin, "elementwise", ("x",)), ("np.sum", "reduction", ("a",)), (np.argmax, "constant", ()), ("numpy.fft.fft", "linear", ("a",)),
    ("scipy.signal.lfilter", "general", ("b", "a", "x")), (math.exp, "elementwise", ("x",)), ("abs", "elementwise", ("x",)),
    (np.copyto, "composite", ()), (sum, "composite", ()), (np.vectorize, "composite", ()), (math.fsum, "composite", ("seq",)),
    ("scipy.optimize.brentq", "functional", ("f", "a", "b", "args", "positions", "full_output", "options")),
    ("scipy.stats.norm", "record", ("loc", "scale")), ("scipy.stats.norm.logpdf", "composite", ("x", "loc", "scale")),
    ("scipy.sparse.linalg.is_sptriangular", None, ()), (np.array_equiv, None, ()),
])
def test_kinds(function, kind, differentiable):
    found = supported(function)
    assert (found.kind, found.differentiable) == (kind, differentiable)


def test_keywords_and_the_values_that_are_taken():
    assert supported(np.clip).keywords.keys() >= {"a_min", "a_max"} - set(supported(np.clip).differentiable)
    assert supported("scipy.ndimage.gaussian_filter").differentiable == ("input",)
    only = [found for found in supported() if found.kind and any(found.keywords.values())]
    for found in only:
        assert all(isinstance(values, tuple) for values in found.keywords.values())
    assert only


def test_complex_numbers_and_forward_mode():
    assert supported(np.exp).complex and not supported(np.arctan2).complex and supported(np.exp).forward


def test_methods_of_records():
    assert {"logpdf", "cdf", "ppf"} <= set(supported("scipy.stats.gamma").methods)
    assert "__matmul__" in supported("scipy.sparse.csr_array").methods


def test_functions_of_ones_own():
    def cube(x):
        return x * x * x

    assert supported(cube).note == "it has no rule: its source is read"

    @extend.elementwise(cube)
    def cube_rule(g, z, x):
        return 3 * g * x**2

    assert supported(cube)[1:3] == ("elementwise", ("x",)) and supported(cube).lines == 2


def test_a_name_that_nothing_has():
    with pytest.raises(sourcediff.MissingRuleError, match=r"scipy\.signal\.lfliter"):
        supported("scipy.signal.lfliter")


def test_of_every_public_function_there_is_a_kind_or_a_reason():
    table = supported()
    assert len({found.name for found in table}) == len(table) > 1000
    assert not [found.name for found in table if (found.kind is None) != bool(found.note) and found.note != "on the eager engine alone"]
    names = {found.name for found in table}
    assert {"numpy.linalg.solve", "scipy.special.erf", "scipy.spatial.transform.Rotation", "scipy.interpolate.CubicSpline"} <= names


def test_what_is_said_to_have_no_derivative_is_refused():
    """And of what is said to have one, one is asked for."""
    x = np.array([[0.6, 0.2], [0.1, 0.9]])
    tried = [found for found in supported() if found.kind == "elementwise" and len(found.differentiable) == 1 and not found.keywords
             and found.name.startswith("numpy.")]
    for found in tried:
        function = getattr(np, found.name.split(".")[1], None)
        if isinstance(function, np.ufunc):
            with np.errstate(all="ignore"):
                sourcediff.grad(lambda v, f=function: np.sum(f(v)), mode="compiled")(x)
    assert len(tried) > 20
    with pytest.raises(sourcediff.MissingRuleError, match="nextafter"):
        sourcediff.grad(lambda v: np.sum(np.nextafter(v, 1.0)), mode="compiled")(x)
    assert supported(np.nextafter).kind is None
