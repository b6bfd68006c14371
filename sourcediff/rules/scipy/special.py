"""SciPy's special functions.

The derivatives are those of the NIST Digital Library of Mathematical Functions (https://dlmf.nist.gov): 5.2 (gamma), 7.10 (error
functions), 8.8 (incomplete gamma and beta functions), 10.6 and 10.29 (Bessel functions), 25.11 (Hurwitz zeta).
"""

import math

import numpy as np
from scipy import special

from ...runtime.arrays import inexact
from ..frames import alias, constant, elementwise, general, reduction

# Probability: the logistic and the normal distribution, entropies (1.128… is 2/√π, 0.398… is 1/√(2π), 2.506… is √(2π))


@elementwise(special.expit)
def expit(g, z, x):
    return g * z * (1 - z)


@elementwise(special.log_expit)
def log_expit(g, z, x):
    return g * special.expit(-x)


@elementwise(special.logit, singular=True)
def logit(g, z, x):
    return g / (x * (1 - x))


@elementwise(special.ndtr)
def ndtr(g, z, x):
    return g * 0.3989422804014327 * np.exp(-0.5 * x**2)


@elementwise(special.log_ndtr)
def log_ndtr(g, z, x):
    return g * 0.3989422804014327 * np.exp(-0.5 * x**2 - z)


@elementwise(special.ndtri, singular=True)
def ndtri(g, z, x):
    return g * 2.5066282746310002 * np.exp(0.5 * z**2)


@elementwise(special.xlogy, singular=True)
def xlogy(g, z, x, y):
    return special.xlogy(g, y), g * x / np.where((x == 0) & (y == 0), 1, y)


@elementwise(special.xlog1py, singular=True)
def xlog1py(g, z, x, y):
    return special.xlog1py(g, y), g * x / np.where((x == 0) & (y == -1), 1, 1 + y)


@elementwise(special.entr, singular=True)
def entr(g, z, x):
    return -g * (np.log(x) + 1)


@elementwise(special.rel_entr, singular=True)
def rel_entr(g, z, x, y):
    return g * (np.log(x / y) + 1), -g * x / y


@elementwise(special.kl_div, singular=True)
def kl_div(g, z, x, y):
    return g * np.log(x / y), g * (1 - x / y)


@reduction(special.logsumexp)
def logsumexp(g, z, a, axis=None, *, keepdims=False):
    return g * np.exp(a - z)


@general(special.softmax)
def softmax(g, z, x, axis=None):
    return z * (g - np.sum(g * z, axis=axis, keepdims=True))


@softmax.pushforward
def softmax_forward(z, dx, x, axis=None):
    return z * (dx - np.sum(dx * z, axis=axis, keepdims=True))


@general(special.log_softmax)
def log_softmax(g, z, x, axis=None):
    return g - np.exp(z) * np.sum(g, axis=axis, keepdims=True)


@log_softmax.pushforward
def log_softmax_forward(z, dx, x, axis=None):
    return dx - np.sum(dx * np.exp(z), axis=axis, keepdims=True)


@elementwise(special.boxcox, singular=True, refuses=("lmbda",))
def boxcox(g, z, x, lmbda):
    return g * x ** (lmbda - 1.0), None


@elementwise(special.huber, refuses=("delta",))
def huber(g, z, delta, r):
    return None, g * np.clip(r, -1.0 * delta, delta)


# The error function


@elementwise(special.erf, math.erf)
def erf(g, z, x):
    return g * 1.1283791670955126 * np.exp(-(x**2))


@elementwise(special.erfc, math.erfc)
def erfc(g, z, x):
    return -g * 1.1283791670955126 * np.exp(-(x**2))


@elementwise(special.erfcx)
def erfcx(g, z, x):
    return g * (2 * x * z - 1.1283791670955126)


@elementwise(special.erfinv, singular=True)
def erfinv(g, z, y):
    return g * 0.886226925452758 * np.exp(z**2)


@elementwise(special.erfcinv, singular=True)
def erfcinv(g, z, y):
    return -g * 0.886226925452758 * np.exp(z**2)


@elementwise(special.dawsn)
def dawsn(g, z, x):
    return g * (1 - 2 * x * z)


# The gamma function and what is made of it


@elementwise(special.gamma, math.gamma, singular=True)
def gamma(g, z, x):
    return g * z * special.psi(x)


@elementwise(special.gammaln, special.loggamma, math.lgamma, singular=True)
def gammaln(g, z, x):
    return g * special.psi(x)


@elementwise(special.rgamma)
def rgamma(g, z, x):
    return -g * z * special.psi(x)


@elementwise(special.psi, singular=True)
def psi(g, z, x):
    return g * special.zeta(2.0, x)


@elementwise(special.polygamma, singular=True, refuses=("n",))
def polygamma(g, z, n, x):
    return None, g * special.polygamma(n + 1, x)


@elementwise(special.zeta, singular=True, refuses=("x",))
def zeta(g, z, x, q=None):
    return None, -g * x * special.zeta(x + 1.0, q)


@elementwise(special.beta, singular=True)
def beta(g, z, a, b):
    both = special.psi(a + b)
    return g * z * (special.psi(a) - both), g * z * (special.psi(b) - both)


@elementwise(special.betaln, singular=True)
def betaln(g, z, a, b):
    both = special.psi(a + b)
    return g * (special.psi(a) - both), g * (special.psi(b) - both)


@elementwise(special.gammainc, singular=True, refuses=("a",))
def gammainc(g, z, a, x):
    return None, g * np.exp(special.xlogy(a - 1.0, x) - x - special.gammaln(inexact(a)))


@elementwise(special.gammaincc, singular=True, refuses=("a",))
def gammaincc(g, z, a, x):
    return None, -g * np.exp(special.xlogy(a - 1.0, x) - x - special.gammaln(inexact(a)))


@elementwise(special.betainc, singular=True, refuses=("a", "b"))
def betainc(g, z, a, b, x):
    return None, None, g * np.exp(special.xlogy(a - 1.0, x) + special.xlog1py(b - 1.0, -x) - special.betaln(inexact(a), inexact(b)))


# Integrals


@elementwise(special.expi, singular=True)
def expi(g, z, x):
    return g * np.exp(x) / x


@elementwise(special.exp1, singular=True)
def exp1(g, z, x):
    return -g * np.exp(-x) / x


# Bessel functions; their order has no derivative here


@elementwise(special.j0)
def j0(g, z, x):
    return -g * special.j1(x)


@elementwise(special.j1)
def j1(g, z, x):
    return g * 0.5 * (special.j0(x) - special.jv(2.0, x))


@elementwise(special.jv, refuses=("v",))
def jv(g, z, v, x):
    return None, g * 0.5 * (special.jv(v - 1.0, x) - special.jv(v + 1.0, x))


@elementwise(special.y0, singular=True)
def y0(g, z, x):
    return -g * special.y1(x)


@elementwise(special.y1, singular=True)
def y1(g, z, x):
    return g * (special.y0(x) - z / x)


@elementwise(special.yv, singular=True, refuses=("v",))
def yv(g, z, v, x):
    return None, g * 0.5 * (special.yv(v - 1.0, x) - special.yv(v + 1.0, x))


@elementwise(special.i0)
def i0(g, z, x):
    return g * special.i1(x)


@elementwise(special.i1)
def i1(g, z, x):
    return g * 0.5 * (special.i0(x) + special.iv(2.0, x))


@elementwise(special.iv, refuses=("v",))
def iv(g, z, v, x):
    return None, g * 0.5 * (special.iv(v - 1.0, x) + special.iv(v + 1.0, x))


@elementwise(special.i0e)
def i0e(g, z, x):
    return g * (special.i1e(x) - np.sign(x) * z)


@elementwise(special.i1e)
def i1e(g, z, x):
    return g * (0.5 * (special.i0e(x) + special.ive(2.0, x)) - np.sign(x) * z)


@elementwise(special.ive, refuses=("v",))
def ive(g, z, v, x):
    return None, g * (0.5 * (special.ive(v - 1.0, x) + special.ive(v + 1.0, x)) - np.sign(x) * z)


@elementwise(special.k0, singular=True)
def k0(g, z, x):
    return -g * special.k1(x)


@elementwise(special.k1, singular=True)
def k1(g, z, x):
    return -g * (special.k0(x) + z / x)


@elementwise(special.kv, singular=True, refuses=("v",))
def kv(g, z, v, x):
    return None, -g * 0.5 * (special.kv(v - 1.0, x) + special.kv(v + 1.0, x))


# NumPy's functions under other names


@elementwise(special.exp10)
def exp10(g, z, x):
    return g * z * 2.302585092994046


@elementwise(special.cosm1)
def cosm1(g, z, x):
    return -g * np.sin(x)


@elementwise(special.chdtr, singular=True, refuses=("v",))
def chdtr(g, z, v, x):
    return None, 0.5 * g * np.exp(special.xlogy(0.5 * v - 1, 0.5 * x) - 0.5 * x - special.gammaln(0.5 * v))


@elementwise(special.chdtrc, singular=True, refuses=("v",))
def chdtrc(g, z, v, x):
    return None, -0.5 * g * np.exp(special.xlogy(0.5 * v - 1, 0.5 * x) - 0.5 * x - special.gammaln(0.5 * v))


@elementwise(special.stdtr, refuses=("df",))
def stdtr(g, z, df, t):
    height = np.exp(special.gammaln(0.5 * (df + 1.0)) - special.gammaln(0.5 * df)) / np.sqrt(np.pi * df)
    return None, g * height * (1 + t**2 / df) ** (-0.5 * (df + 1.0))


@elementwise(special.pdtr)
def pdtr(g, z, k, m):
    n = np.floor(inexact(k))
    return None, -g * np.exp(special.xlogy(n, m) - m - special.gammaln(n + 1.0))


@elementwise(special.yn, singular=True)
def yn(g, z, n, x):
    return None, g * 0.5 * (special.yv(n - 1.0, x) - special.yv(n + 1.0, x))


constant(special.gammasgn)


for _function, _like in (
    (special.expm1, np.expm1), (special.log1p, np.log1p), (special.cbrt, np.cbrt), (special.exp2, np.exp2),
):
    alias(_function, _like)
