"""The functions of ``cmath``, of complex numbers and of real ones, beyond their branch points too, against central differences."""

from __future__ import annotations

import cmath
import linecache

import numpy as np
import pytest

import sourcediff
from sourcediff.rules.composites import complex_numbers
from sourcediff.rules.library_functions import COMPOSITES

X = np.array([0.4, 0.7])
OF_ONE = "exp sqrt sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh log log10".split()

PROGRAMS = """
def of_complex(x):
    z = cmath.{name}(complex(x[0], x[1]))
    return z.real * 2 + z.imag * x[1]

def of_real(x):
    z = cmath.{name}(x[0])
    return abs(z) ** 2 + z.imag * x[1] + z.real

def of_negative(x):
    z = cmath.{name}(-1.7 * x[0])
    w = cmath.{name}(z * 1j + 0.3)
    return w.real * x[1] + z.imag + w.imag
"""


def made(text):
    name = f"<cmath {len(linecache.cache)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope = {"cmath": cmath, "np": np}
    exec(compile(text, name, "exec"), scope)
    return scope


def polar(x):
    r, phi = cmath.polar(complex(x[0], x[1]))
    return r ** 2 * phi + cmath.phase(x[0] * 1j * x[1] + 2.0)


def rect(x):
    return abs(cmath.rect(x[0], x[1]) + 2.0) ** 2 + cmath.log(x[0], 2.0).real


def is_right(f, mode):
    value, found = sourcediff.value_and_grad(f, mode=mode)(X)
    np.testing.assert_allclose(value, f(X), rtol=1e-12)
    slopes = [(f(X + step) - f(X - step)) / 2e-6 for step in 1e-6 * np.eye(2)]
    np.testing.assert_allclose(found, slopes, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("name", OF_ONE)
def test_a_function_of_one(name, mode):
    scope = made(PROGRAMS.format(name=name))
    for program in ("of_complex", "of_real", "of_negative"):
        is_right(scope[program], mode)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("program", [polar, rect])
def test_polar_coordinates(program, mode):
    is_right(program, mode)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_a_pole_of_the_logarithm_raises(mode):
    with pytest.raises(ValueError, match="math domain error"):
        sourcediff.grad(lambda x: cmath.log(x[0] - 0.4).real, mode=mode)(X)


def test_all_are_tried():
    said = {function.__name__ for function, plain in COMPOSITES.items() if getattr(plain, "__module__", "") == complex_numbers.__name__}
    assert said == {*OF_ONE, "polar", "phase", "rect"}
