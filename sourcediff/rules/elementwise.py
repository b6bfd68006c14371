"""Elementwise functions. Each contribution is ``g`` times a partial derivative; the frame undoes broadcasting."""

import math

import numpy as np

from ..runtime.arrays import i0_slope, inexact
from .frames import alias, constant, elementwise, named

# Arithmetic


@elementwise(np.add, holomorphic=True)
def add(g, z, x, y):
    return g, g


@elementwise(np.subtract, holomorphic=True)
def subtract(g, z, x, y):
    return g, -g


@elementwise(np.multiply, holomorphic=True)
def multiply(g, z, x, y):
    return g * y, g * x


@elementwise(np.divide, singular=True, holomorphic=True)
def divide(g, z, x, y):
    return g / y, -g * z / y


@elementwise(np.remainder, singular=True)
def remainder(g, z, x, y):
    return g, -g * np.floor(x / y)


@elementwise(np.fmod, singular=True)
def fmod(g, z, x, y):
    return g, -g * np.trunc(x / y)


@elementwise(np.power, singular=True)
def power(g, z, x, y):
    # 0 ** 0 is constant in the base, though its formula says 0 * 0 ** -1; an exponent that is literally 2 leaves 2 * x
    base = x if np.ndim(y) == 0 and y != 0 else np.where((x == 0) & (y == 0), 1, x)
    return g * (y * base ** (inexact(y) - 1)), g * z * np.log(np.where((x == 0) & (y >= 0), 1, inexact(x)))


@power.of_complex
def power_of_complex(g, z, x, y):
    base = x if np.ndim(y) == 0 and y != 0 else np.where((x == 0) & (y == 0), 1, x)
    return g * (y * base ** (inexact(y) - 1)), g * z * np.log(np.where((x == 0) & (np.real(y) >= 0), 1 + 0j, x))


@elementwise(np.negative, holomorphic=True)
def negative(g, z, x):
    return -g


@elementwise(np.positive, holomorphic=True)
def positive(g, z, x):
    return g


@elementwise(np.absolute, np.fabs)
def absolute(g, z, x):
    return g * np.sign(x)


@absolute.of_complex
def absolute_of_complex(g, z, x):
    return g * np.conjugate(x) / np.where(z == 0, 1, z)


@elementwise(np.reciprocal, singular=True, holomorphic=True)
def reciprocal(g, z, x):
    return -g * z**2


@elementwise(np.square, holomorphic=True)
def square(g, z, x):
    return g * (2 * x)


@elementwise(np.sqrt, singular=True, holomorphic=True)
def sqrt(g, z, x):
    return g * 0.5 / z


@elementwise(np.cbrt, singular=True)
def cbrt(g, z, x):
    return g / (3 * z**2)


@elementwise(np.hypot)
def hypot(g, z, x, y):
    r = np.where(z == 0, 1, z)
    return g * x / r, g * y / r


# Parts of complex numbers; a real number is its own real part


@elementwise(np.conjugate)
def conjugate(g, z, x):
    return g


@conjugate.of_complex
def conjugate_of_complex(g, z, x):
    return np.conjugate(g)


@elementwise(np.real)
def real(g, z, val):
    return g


@real.of_complex
def real_of_complex(g, z, val):
    return g


@elementwise(np.real_if_close)
def real_if_close(g, z, a, tol=100):
    return g


@real_if_close.of_complex
def real_if_close_of_complex(g, z, a, tol=100):
    return np.where(np.iscomplexobj(z), g, np.real(g))  # where the imaginary part is rounding it is dropped, and so is its adjoint


@elementwise(np.imag)
def imag(g, z, val):
    return np.zeros_like(g)


@imag.of_complex
def imag_of_complex(g, z, val):
    return -1j * g


@elementwise(np.angle)
def angle(g, z, x, deg=False):
    return np.zeros_like(g)


@angle.of_complex
def angle_of_complex(g, z, x, deg=False):
    turn = 57.29577951308232 if deg else 1.0
    return np.where(x == 0, 0, -1j * turn * g / np.where(x == 0, 1, x))


@elementwise(complex, holomorphic=True)
def complex_number(g, z, real, imag=0.0):
    return g, 1j * g


# Exponentials and logarithms (0.6931… is log 2, 2.302… is log 10: Python numbers leave float32 as it is)


@elementwise(np.exp, overflows=True, holomorphic=True)
def exp(g, z, x):
    return g * z


@elementwise(np.exp2, overflows=True, holomorphic=True)
def exp2(g, z, x):
    return g * z * 0.6931471805599453


@elementwise(np.expm1, overflows=True, holomorphic=True)
def expm1(g, z, x):
    return g * (z + 1)


@elementwise(np.log, singular=True, holomorphic=True)
def log(g, z, x):
    return g / x


@elementwise(np.log2, singular=True, holomorphic=True)
def log2(g, z, x):
    return g / (x * 0.6931471805599453)


@elementwise(np.log10, singular=True, holomorphic=True)
def log10(g, z, x):
    return g / (x * 2.302585092994046)


@elementwise(np.log1p, singular=True, holomorphic=True)
def log1p(g, z, x):
    return g / (1 + x)


@elementwise(np.logaddexp, singular=True)
def logaddexp(g, z, x, y):
    return g * np.exp(x - z), g * np.exp(y - z)


@elementwise(np.logaddexp2, singular=True)
def logaddexp2(g, z, x, y):
    return g * np.exp2(x - z), g * np.exp2(y - z)


# Trigonometry


@elementwise(np.sin, holomorphic=True)
def sin(g, z, x):
    return g * np.cos(x)


@elementwise(np.cos, holomorphic=True)
def cos(g, z, x):
    return -g * np.sin(x)


@elementwise(np.tan, singular=True, holomorphic=True)
def tan(g, z, x):
    return g * (1 + z**2)


@elementwise(np.arcsin, singular=True, holomorphic=True)
def arcsin(g, z, x):
    return g / np.sqrt(1 - x**2)


@elementwise(np.arccos, singular=True, holomorphic=True)
def arccos(g, z, x):
    return -g / np.sqrt(1 - x**2)


@elementwise(np.arctan, holomorphic=True)
def arctan(g, z, x):
    return g / (1 + x**2)


@elementwise(np.arctan2)
def arctan2(g, z, y, x):
    r2 = inexact(x) ** 2 + inexact(y) ** 2
    r2 = np.where(r2 == 0, 1, r2)
    return g * x / r2, -g * y / r2


@elementwise(np.deg2rad, np.radians)
def deg2rad(g, z, x):
    return g * 0.017453292519943295


@elementwise(np.rad2deg, np.degrees)
def rad2deg(g, z, x):
    return g * 57.29577951308232


@elementwise(np.sinh, overflows=True, holomorphic=True)
def sinh(g, z, x):
    return g * np.cosh(x)


@elementwise(np.cosh, overflows=True, holomorphic=True)
def cosh(g, z, x):
    return g * np.sinh(x)


@elementwise(np.tanh, holomorphic=True)
def tanh(g, z, x):
    return g * (1 - z**2)


@elementwise(np.arcsinh, holomorphic=True)
def arcsinh(g, z, x):
    return g / np.sqrt(x**2 + 1)


@elementwise(np.arccosh, singular=True)
def arccosh(g, z, x):
    return g / np.sqrt(x**2 - 1)


@arccosh.of_complex
def arccosh_of_complex(g, z, x):
    return g / (np.sqrt(x - 1) * np.sqrt(x + 1))


@elementwise(np.arctanh, singular=True, holomorphic=True)
def arctanh(g, z, x):
    return g / (1 - x**2)


@elementwise(np.sinc, holomorphic=True)
def sinc(g, z, x):
    # near 0, where the two terms cancel, the series of (cos(pi x) - sinc(x)) / x
    t = (np.pi * x) ** 2
    series = -3.289868133696453 * x * (1 - t / 10 * (1 - t / 28 * (1 - t / 54 * (1 - t / 88))))
    near = np.abs(t) < 0.09
    return g * np.where(near, series, (np.cos(np.pi * x) - z) / np.where(near, 1, x))


@elementwise(np.i0)
def i0(g, z, x):
    return g * i0_slope(x, 1)


@elementwise(np.unwrap, refuses=("period",))
def unwrap(g, z, p, discont=None, axis=-1, *, period=6.283185307179586):
    return g


# Selections: np.where and not a product with the mask, so that what was not selected gets 0 even from inf or nan


@elementwise(np.maximum, selects=True)
def maximum(g, z, x, y):
    return np.where(x >= y, g, 0), np.where(x >= y, 0, g)


@elementwise(np.minimum, selects=True)
def minimum(g, z, x, y):
    return np.where(x <= y, g, 0), np.where(x <= y, 0, g)


@elementwise(np.fmax, np.fmin, selects=True)
def fmax(g, z, x, y):
    return np.where(x == z, g, 0), np.where(x == z, 0, g)


@elementwise(np.where, selects=True, holomorphic=True)
def where(g, z, condition, x, y):
    return None, np.where(condition, g, 0), np.where(condition, 0, g)


@elementwise(np.clip, selects=True)
def clip(g, z, a, a_min, a_max):
    raised = a if a_min is None else np.maximum(a, a_min)
    return np.where(a == z, g, 0), np.where((a < a_min) & (z == a_min), g, 0), np.where(z < raised, g, 0)


@elementwise(np.nan_to_num, selects=True, only={"copy": (True,)})
def nan_to_num(g, z, x, copy=True, nan=0.0, posinf=None, neginf=None):
    return np.where(np.isfinite(x), g, 0)


@elementwise(np.ldexp)
def ldexp(g, z, x1, x2):
    return np.ldexp(g, x2), None


@elementwise(np.copysign)
def copysign(g, z, x1, x2):
    return g * np.copysign(1, x1) * np.copysign(1, x2), None


@elementwise(np.heaviside, selects=True)
def heaviside(g, z, x, h):
    return None, np.where(x == 0, g, 0)


# Piecewise constant functions


constant(
    np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal, np.logical_and, np.logical_or,
    np.logical_xor, np.logical_not, np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert, np.left_shift, np.right_shift,
    np.isnan, np.isfinite, np.isinf, np.signbit, np.isclose, np.allclose, np.array_equal, np.isin,
    np.floor, np.ceil, np.rint, np.trunc, np.fix, np.round, np.around, np.floor_divide,
    np.isreal, np.isrealobj, np.iscomplex, np.iscomplexobj, np.issubdtype,
    round, int, bool, math.floor, math.ceil, math.trunc, math.isnan, math.isinf, math.isfinite, math.isclose,
)
constant(np.sign, holomorphic=False)  # of a complex number it is z / |z|


# The same functions by other names, and of Python numbers


alias(np.float_power, np.power)
alias(abs, np.absolute)
alias(pow, np.power)
alias(float, np.positive)
alias(np.float64, np.positive)
for _function in named(math, "sin cos tan atan2 sinh cosh tanh exp expm1 log1p log2 log10 sqrt hypot pow fabs fmod exp2 cbrt copysign "
                       "ldexp"):
    alias(_function, getattr(np, {"atan2": "arctan2", "pow": "power"}.get(_function.__name__, _function.__name__)))
for _function in named(math, "asin acos atan asinh acosh atanh"):
    alias(_function, getattr(np, "arc" + _function.__name__[1:]))
alias(math.log, np.log)
alias(math.radians, np.deg2rad)
alias(math.degrees, np.rad2deg)
