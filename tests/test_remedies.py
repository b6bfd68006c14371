"""What an error says to write instead helps: where it names a function or a keyword, that is taken, and gives the same."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import sourcediff
from sourcediff import FallbackWarning, MissingRuleError, SourcediffError
from sourcediff.checks.numeric import numeric_jvp

fftpack = pytest.importorskip("scipy.fftpack", reason="what SciPy calls as NumPy does")

A = np.array([[2.0, 0.5], [0.5, 3.0]])
V = np.array([1.0, -2.0, 0.5])


PAIRS = {  # as it is refused, as the remedy says, what the remedy says, a point
    "pinv": (lambda a: np.sum(np.linalg.pinv(a, rcond=1e-9) ** 2), lambda a: np.sum(np.linalg.pinv(a) ** 2), "leave rcond out", A),
    "fft": (lambda x: np.sum(np.abs(fftpack.fft(x)) ** 3), lambda x: np.sum(np.abs(np.fft.fft(x)) ** 3),
            "use np.fft.fft, which has a rule", V),
    "packed": (lambda x: fftpack.rfft(x)[1], lambda x: np.real(np.fft.rfft(x)[1]), "use np.fft.rfft, which gives complex numbers", V),
}


@pytest.mark.parametrize("name", PAIRS)
def test_what_the_remedy_says_is_taken_and_is_the_same(name):
    refused, instead, said, at = PAIRS[name]
    with pytest.raises(MissingRuleError) as caught:
        sourcediff.grad(refused, mode="compiled")(at)
    assert said in str(caught.value), caught.value
    np.testing.assert_allclose(instead(at), refused(at), rtol=1e-12)
    direction = np.arange(1.0, 1.0 + at.size).reshape(at.shape)
    direction = direction + direction.T  # a symmetric matrix stays one
    expected = numeric_jvp(lambda t: refused(at + t * direction), (0.0,), (1.0,)).value
    for mode in ("compiled", "eager"):
        found = sourcediff.grad(instead, mode=mode)(at)
        np.testing.assert_allclose(np.sum(found * direction), expected, rtol=1e-6)


@pytest.mark.parametrize("name", PAIRS)
def test_auto_says_it_once(name):
    refused, _, said, at = PAIRS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # no warning beside the error
        with pytest.raises(SourcediffError) as caught:
            sourcediff.grad(refused)(at)
    assert said in str(caught.value)


def test_a_fall_says_what_it_costs_once():
    code = "def f(x):\n    return (x ** 3).sum()\n"
    space: dict = {}
    exec(code, space)
    gradient = sourcediff.grad(space["f"])
    with pytest.warns(FallbackWarning) as said:
        np.testing.assert_allclose(gradient(V), 3 * V**2)
    assert len(said) == 1 and "cost: this call took" in str(said[0].message) and "a tenth of it for small ones" in str(said[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gradient(2 * V)


def of_names(x):
    return eval("x * 3.0")


def refused_in_a_loop(x, weights):
    return [sourcediff.grad(lambda x, w=w: of_names(x) * w)(x) for w in weights]


def test_what_is_made_of_one_function_says_a_refusal_once():
    with pytest.warns(FallbackWarning) as said:
        assert sourcediff.grad(of_names)(2.0) == 3.0
        assert sourcediff.value_and_grad(of_names)(2.0) == (6.0, 3.0)
        assert sourcediff.jvp(of_names, (2.0,), (1.0,)) == (6.0, 3.0)
        assert sourcediff.vjp(of_names, 2.0)[1](1.0) == (3.0,)
    assert len(said) == 1, [str(one.message) for one in said]


def test_a_function_that_is_made_in_a_loop_says_it_once():
    with pytest.warns(FallbackWarning) as said:
        assert refused_in_a_loop(2.0, [1.0, 2.0, 3.0]) == [3.0, 6.0, 9.0]
    assert len(said) == 1, [str(one.message) for one in said]


def test_where_warnings_are_errors_each_fall_is_one():
    for _ in range(2):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(FallbackWarning, match="of_names runs on the eager engine"):
                sourcediff.grad(of_names)(2.0)


def test_articles_and_numbers_of_things():
    with pytest.raises(SourcediffError, match="is an object, which has no derivative"):
        sourcediff.grad(lambda x: x)(object())
    with pytest.raises(SourcediffError, match=r"an array of 1 dimension\b"):
        sourcediff.gradient_source(lambda x: x * 2.0, args=(V,))
