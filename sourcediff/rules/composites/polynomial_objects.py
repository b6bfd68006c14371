"""Polynomials as objects: ``np.poly1d`` and the classes of ``np.polynomial``."""

import numpy as np

from ...errors import MissingRuleError
from ..frames import general
from ..library_functions import composite
from ..library_objects import record


def polynomial_slope(self, x, m=1):
    """A derivative of a constant polynomial at places."""
    return self.deriv(m)(x)


@general(np.poly1d.__call__, np.polynomial.Polynomial.__call__, holomorphic=True)
def polynomial(g, z, self, x):
    return None, g * polynomial_slope(self, x)


@polynomial.pushforward
def polynomial_forward(z, dx, self, x):
    return dx * polynomial_slope(self, x)


@general(polynomial_slope, holomorphic=True)
def polynomial_bend(g, z, self, x, m=1):
    return None, g * polynomial_slope(self, x, m + 1)


@polynomial_bend.pushforward
def polynomial_bend_forward(z, dx, self, x, m=1):
    return dx * polynomial_slope(self, x, m + 1)


record(np.poly1d, alike="deriv integ")
record(np.polynomial.Polynomial, alike="deriv integ")
record(np.polynomial.Chebyshev, alike="deriv integ")
record(np.polynomial.Legendre, alike="deriv integ")


@composite(np.poly1d)
class Poly1d:
    """A polynomial of which the coefficients are differentiated, the highest first."""

    def __init__(self, c_or_r, r=False, variable=None):
        self.coeffs = np.poly(c_or_r) if r else np.atleast_1d(c_or_r)

    def __call__(self, val):
        return np.polyval(self.coeffs, val)

    def deriv(self, m=1):
        return Poly1d(np.polyder(self.coeffs, m))

    def integ(self, m=1, k=0):
        return Poly1d(np.polyint(self.coeffs, m, k))


class Series:
    """A polynomial, or a sum of others, of which the coefficients are differentiated, the lowest first."""

    def __init__(self, coef, domain=None, window=None, symbol="x"):
        if domain is not None or window is not None:
            raise MissingRuleError("polynomials have a derivative rule in their coefficients, but not with a domain or a window",
                                   remedy="scale what they are given")
        self.coef = np.atleast_1d(coef)


@composite(np.polynomial.Polynomial)
class Polynomial(Series):
    def __call__(self, arg):
        return np.polynomial.polynomial.polyval(arg, self.coef)

    def deriv(self, m=1):
        return Polynomial(np.polynomial.polynomial.polyder(self.coef, m))


@composite(np.polynomial.Chebyshev)
class Chebyshev(Series):
    def __call__(self, arg):
        return np.polynomial.chebyshev.chebval(arg, self.coef)

    def deriv(self, m=1):
        return Chebyshev(np.polynomial.chebyshev.chebder(self.coef, m))


@composite(np.polynomial.Legendre)
class Legendre(Series):
    def __call__(self, arg):
        return np.polynomial.legendre.legval(arg, self.coef)

    def deriv(self, m=1):
        return Legendre(np.polynomial.legendre.legder(self.coef, m))
