"""The functions of ``cmath``: of real numbers they give complex ones."""

import cmath

import numpy as np

from ..library_functions import composite


def beyond_zero(z):
    """A number as a complex one. ValueError where the logarithm has its pole, as the function itself raises."""
    if z == 0:
        raise ValueError("math domain error")
    return complex(z)


@composite(cmath.exp)
def exp(z):
    return np.exp(complex(z))


@composite(cmath.sqrt)
def sqrt(z):
    return np.sqrt(complex(z))


@composite(cmath.sin)
def sin(z):
    return np.sin(complex(z))


@composite(cmath.cos)
def cos(z):
    return np.cos(complex(z))


@composite(cmath.tan)
def tan(z):
    return np.tan(complex(z))


@composite(cmath.sinh)
def sinh(z):
    return np.sinh(complex(z))


@composite(cmath.cosh)
def cosh(z):
    return np.cosh(complex(z))


@composite(cmath.tanh)
def tanh(z):
    return np.tanh(complex(z))


@composite(cmath.asin)
def asin(z):
    return np.arcsin(complex(z))


@composite(cmath.acos)
def acos(z):
    return np.arccos(complex(z))


@composite(cmath.atan)
def atan(z):
    return np.arctan(complex(z))


@composite(cmath.asinh)
def asinh(z):
    return np.arcsinh(complex(z))


@composite(cmath.acosh)
def acosh(z):
    return np.arccosh(complex(z))


@composite(cmath.atanh)
def atanh(z):
    return np.arctanh(complex(z))


@composite(cmath.log)
def log(z, base=None):
    found = np.log(beyond_zero(z))
    return found if base is None else found / np.log(beyond_zero(base))


@composite(cmath.log10)
def log10(z):
    return np.log10(beyond_zero(z))


@composite(cmath.phase)
def phase(z):
    return np.angle(complex(z))


@composite(cmath.polar)
def polar(z):
    return abs(complex(z)), np.angle(complex(z))


@composite(cmath.rect)
def rect(r, phi):
    return r * np.cos(phi) + 1j * (r * np.sin(phi))
