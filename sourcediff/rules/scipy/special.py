"""SciPy's special functions.

The derivatives are those of the NIST Digital Library of Mathematical Functions (https://dlmf.nist.gov): 5.2 (gamma), 6.2, 7.2 and 8.19
(integrals), 7.10 (error functions), 8.8 (incomplete gamma and beta functions), 19.4 and 22.13 (elliptic), 25.11 (Hurwitz zeta).
"""

import math

import numpy as np
from scipy import special

from ...runtime.arrays import inexact, sum_to
from ..frames import alias, constant, elementwise, general, named, reduction
from ..library_functions import composite
from ..slopes import slopes
from . import bessel, incomplete, polynomials  # noqa: F401  (the rules of families of functions)

# 1.128… is 2/√π, 0.886… is √π/2, 0.398… is 1/√(2π), 2.506… is √(2π), 1.772… is √π, 0.392… is π/8, 2.302… is log 10, 0.0174… is π/180

slopes({
    (special.erf, math.erf): lambda x: 1.1283791670955126 * np.exp(-(x**2)),
    (special.erfc, math.erfc): lambda x: -1.1283791670955126 * np.exp(-(x**2)),
    special.erfcx: lambda z, x: 2 * x * z - 1.1283791670955126,
    special.erfi: lambda x: 1.1283791670955126 * np.exp(x**2),
    special.dawsn: lambda z, x: 1 - 2 * x * z,
    special.wofz: lambda z, x: 1.1283791670955126j - 2 * x * z,
    special.wrightomega: lambda z, x: z / (1 + z),
    special.lambertw: lambda z, x, k=0, tol=1e-8: np.exp(-z) / (1 + z),
}, holomorphic=True)

slopes({
    special.expit: lambda z, x: z * (1 - z),
    special.log_expit: lambda x: special.expit(-x),
    special.ndtr: lambda x: 0.3989422804014327 * np.exp(-0.5 * x**2),
    special.log_ndtr: lambda z, x: 0.3989422804014327 * np.exp(-0.5 * x**2 - z),
    special.rgamma: lambda z, x: -z * special.psi(x),
    special.exprel: lambda x: 0.5 * special.hyp1f1(2.0, 3.0, x),
    special.exp10: lambda z, x: z * 2.302585092994046,
    special.cosm1: lambda x: -np.sin(x),
    special.sindg: lambda x: 0.017453292519943295 * special.cosdg(x),
    special.cosdg: lambda x: -0.017453292519943295 * special.sindg(x),
    special.tandg: lambda z, x: 0.017453292519943295 * (1 + z**2),
    special.cotdg: lambda z, x: -0.017453292519943295 * (1 + z**2),
    special.diric: lambda z, x, n: 0.5 * (np.cos(0.5 * n * x) / np.sin(0.5 * x) - z / np.tan(0.5 * x)),
})

slopes({
    special.logit: lambda x: 1 / (x * (1 - x)),
    special.ndtri: lambda z, x: 2.5066282746310002 * np.exp(0.5 * z**2),
    special.ndtri_exp: lambda z, x: 2.5066282746310002 * np.exp(x + 0.5 * z**2),
    special.erfinv: lambda z, x: 0.886226925452758 * np.exp(z**2),
    special.erfcinv: lambda z, x: -0.886226925452758 * np.exp(z**2),
    special.entr: lambda x: -(np.log(x) + 1),
    (special.gamma, math.gamma): lambda z, x: z * special.psi(x),
    (special.gammaln, special.loggamma, math.lgamma): lambda x: special.psi(x),
    special.psi: lambda x: special.zeta(2.0, x),
    special.polygamma: lambda n, x: special.polygamma(n + 1, x),
    special.expi: lambda x: np.exp(x) / x,
    special.exp1: lambda x: -np.exp(-x) / x,
    special.expn: lambda z, n, x: np.where(n == 0, -z * (1 + 1 / x), -special.expn(np.maximum(n - 1, 0), x)),
    special.spence: lambda x: -1 / special.exprel(np.log(x)),
    special.ellipk: lambda x: 0.39269908169872414 * special.hyp2f1(1.5, 1.5, 2.0, x),
    special.ellipkm1: lambda z, x: (z - special.ellipe(1 - x) / x) / (2 * (1 - x)),
    special.ellipe: lambda x: -0.39269908169872414 * special.hyp2f1(0.5, 1.5, 2.0, x),
}, singular=True)

# Distribution functions, whose slopes are densities, and their inverses

slopes({
    special.pdtr: lambda k, x: -np.exp(special.xlogy(np.floor(inexact(k)), x) - x - special.gammaln(np.floor(inexact(k)) + 1.0)),
    special.pdtrc: lambda k, x: np.exp(special.xlogy(np.floor(inexact(k)), x) - x - special.gammaln(np.floor(inexact(k)) + 1.0)),
}, singular=True)


@elementwise(special.fdtr, singular=True, refuses=("dfn", "dfd"))
def fdtr(g, z, dfn, dfd, x):
    t = dfn * x / dfd
    height = np.exp(-special.betaln(0.5 * dfn, 0.5 * dfd) - 0.5 * (dfn + dfd) * np.log1p(t))
    return None, None, g * height * t ** (0.5 * dfn - 1) * dfn / dfd


@elementwise(special.fdtrc, singular=True, refuses=("dfn", "dfd"))
def fdtrc(g, z, dfn, dfd, x):
    t = dfn * x / dfd
    height = np.exp(-special.betaln(0.5 * dfn, 0.5 * dfd) - 0.5 * (dfn + dfd) * np.log1p(t))
    return None, None, -g * height * t ** (0.5 * dfn - 1) * dfn / dfd


@elementwise(special.bdtr, refuses=("n",))
def bdtr(g, z, k, n, p):
    first = np.floor(1.0 * k)
    rest = n - first
    return None, None, -g * np.exp(special.xlogy(first, p) + special.xlog1py(rest - 1, -p) - special.betaln(rest, first + 1))


@elementwise(special.owens_t)
def owens_t(g, z, h, a):
    by_h = -0.1994711402007164 * np.exp(-0.5 * h**2) * special.erf(0.7071067811865476 * a * h)
    return g * by_h, g * np.exp(-0.5 * (1 + a**2) * h**2) / (2 * np.pi * (1 + a**2))


@elementwise(special.voigt_profile, singular=True)
def voigt_profile(g, z, x, sigma, gamma):
    at = (x + 1j * gamma) / (1.4142135623730951 * sigma)
    slope = (1.1283791670955126j - 2 * at * special.wofz(at)) / (3.5449077018110318 * sigma**2)
    return g * np.real(slope), -g * (z / sigma + 1.4142135623730951 * np.real(at * slope)), -g * np.imag(slope)


@elementwise(*named(special, "softplus"))
def softplus(g, z, x):
    return g * special.expit(x)


@elementwise(special.zeta, singular=True, refuses=("x",))
def zeta(g, z, x, q=None):
    return None, -g * x * special.zeta(x + 1.0, q)


@elementwise(special.xlogy, singular=True)
def xlogy(g, z, x, y):
    return special.xlogy(g, y), g * x / np.where((x == 0) & (y == 0), 1, y)


@elementwise(special.xlog1py, singular=True)
def xlog1py(g, z, x, y):
    return special.xlog1py(g, y), g * x / np.where((x == 0) & (y == -1), 1, 1 + y)


@elementwise(special.rel_entr, singular=True)
def rel_entr(g, z, x, y):
    return g * (np.log(x / y) + 1), -g * x / y


@elementwise(special.kl_div, singular=True)
def kl_div(g, z, x, y):
    return g * np.log(x / y), g * (1 - x / y)


@reduction(special.logsumexp)
def logsumexp(g, z, a, axis=None, *, keepdims=False):
    return g * np.exp(a - z)


@composite(special.logsumexp)
def logsumexp_of_weighted(a, axis=None, b=None, keepdims=False, return_sign=False):
    top = np.max(a, axis=axis, keepdims=True)
    terms = np.exp(a - top) if b is None else b * np.exp(a - top)
    total = np.sum(terms, axis=axis, keepdims=keepdims)
    top = top if keepdims else np.sum(top, axis=axis)
    return (np.log(np.abs(total)) + top, np.sign(total)) if return_sign else np.log(total) + top


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


@elementwise(special.beta, singular=True)
def beta(g, z, a, b):
    both = special.psi(a + b)
    return g * z * (special.psi(a) - both), g * z * (special.psi(b) - both)


@elementwise(special.betaln, singular=True)
def betaln(g, z, a, b):
    both = special.psi(a + b)
    return g * (special.psi(a) - both), g * (special.psi(b) - both)


# Changes of scale of Box and Cox: (exp(t) - 1) / t is exprel(t), whose slope is hyp1f1(2, 3, t) / 2


@elementwise(special.boxcox, singular=True)
def boxcox(g, z, x, lmbda):
    log = np.log(x)
    return g * x ** (lmbda - 1.0), g * 0.5 * log**2 * special.hyp1f1(2.0, 3.0, lmbda * log)


@elementwise(special.boxcox1p, singular=True)
def boxcox1p(g, z, x, lmbda):
    log = np.log1p(x)
    return g * np.exp((lmbda - 1.0) * log), g * 0.5 * log**2 * special.hyp1f1(2.0, 3.0, lmbda * log)


@elementwise(special.inv_boxcox, singular=True)
def inv_boxcox(g, z, y, lmbda):
    slope = z ** (1.0 - lmbda)
    return g * slope, -0.5 * g * slope * np.log(z) ** 2 * special.hyp1f1(2.0, 3.0, lmbda * np.log(z))


@elementwise(special.inv_boxcox1p, singular=True)
def inv_boxcox1p(g, z, y, lmbda):
    log = np.log1p(z)
    slope = np.exp((1.0 - lmbda) * log)
    return g * slope, -0.5 * g * slope * log**2 * special.hyp1f1(2.0, 3.0, lmbda * log)


@elementwise(special.huber)
def huber(g, z, delta, r):
    return g * np.maximum(np.abs(r) - delta, 0), g * np.clip(r, -1.0 * delta, delta)


@elementwise(special.pseudo_huber, singular=True)
def pseudo_huber(g, z, delta, r):
    slope = r / np.sqrt(1 + (r / delta) ** 2)
    return g * (2 * z - r * slope) / delta, g * slope


@elementwise(special.powm1, singular=True)
def powm1(g, z, x, y):
    return g * y * x ** (y - 1.0), special.xlogy(g * (z + 1), x)


# Factorials


@elementwise(special.binom)
def binom(g, z, n, k):
    rest = special.psi(n - k + 1.0)
    return g * z * (special.psi(n + 1.0) - rest), g * z * (rest - special.psi(k + 1.0))


@elementwise(special.comb, only={"exact": (False,), "repetition": (False,)})
def comb(g, z, N, k, *, exact=False, repetition=False):
    rest = special.psi(N - k + 1.0)
    return g * z * (special.psi(N + 1.0) - rest), g * z * (rest - special.psi(k + 1.0))


@elementwise(special.perm, only={"exact": (False,)})
def perm(g, z, N, k, exact=False):
    rest = special.psi(N - k + 1.0)
    return g * z * (special.psi(N + 1.0) - rest), g * z * rest


@elementwise(special.poch)
def poch(g, z, x, m):
    above = special.psi(x + m)
    return g * z * (above - special.psi(x)), g * z * above


@elementwise(special.factorial, only={"exact": (False,)})
def factorial(g, z, n, exact=False):
    return g * z * special.psi(n + 1.0)


@elementwise(special.multigammaln, singular=True)
def multigammaln(g, z, a, d):
    return g * np.sum(special.psi(np.expand_dims(a, -1) - 0.5 * np.arange(d)), axis=-1), None


# Integrals, elliptic functions


@elementwise(special.ellipkinc, singular=True)
def ellipkinc(g, z, phi, m):
    root = np.sqrt(1 - m * np.sin(phi) ** 2)
    rest = 0.5 * np.sin(2 * phi) / ((1 - m) * root)
    return g / root, g * 0.5 * ((special.ellipeinc(phi, m) / (1 - m) - z) / m - rest)


@elementwise(special.ellipeinc, singular=True)
def ellipeinc(g, z, phi, m):
    return g * np.sqrt(1 - m * np.sin(phi) ** 2), g * 0.5 * (z - special.ellipkinc(phi, m)) / m


@general(special.ellipj, outputs=4, refuses=("m",))
def ellipj(g, z, u, m):
    bar = g[0] * z[1] * z[2] - g[1] * z[0] * z[2] - g[2] * m * z[0] * z[1] + g[3] * z[2]
    return sum_to(bar, np.shape(u)), None


@ellipj.pushforward
def ellipj_forward(z, du, u, m):
    return du * z[1] * z[2], -du * z[0] * z[2], -du * m * z[0] * z[1], du * z[2]


@general(special.sici, outputs=2, holomorphic=True)
def sici(g, z, x):
    return g[0] * np.sinc(x / np.pi) + g[1] * np.cos(x) / x


@sici.pushforward
def sici_forward(z, dx, x):
    return dx * np.sinc(x / np.pi), dx * np.cos(x) / x


@general(special.shichi, outputs=2)
def shichi(g, z, x):
    return g[0] * 0.5 * (special.exprel(x) + special.exprel(-x)) + g[1] * np.cosh(x) / x


@shichi.pushforward
def shichi_forward(z, dx, x):
    return dx * 0.5 * (special.exprel(x) + special.exprel(-x)), dx * np.cosh(x) / x


@general(special.fresnel, outputs=2, holomorphic=True)
def fresnel(g, z, x):
    return g[0] * np.sin(0.5 * np.pi * x**2) + g[1] * np.cos(0.5 * np.pi * x**2)


@fresnel.pushforward
def fresnel_forward(z, dx, x):
    return dx * np.sin(0.5 * np.pi * x**2), dx * np.cos(0.5 * np.pi * x**2)


constant(special.gammasgn, special.round)
constant(*named(special, "roots_legendre roots_hermite roots_hermitenorm roots_laguerre roots_chebyt roots_chebyu"))  # of n alone


for _function, _like in (
    (special.expm1, np.expm1), (special.log1p, np.log1p), (special.cbrt, np.cbrt), (special.exp2, np.exp2),
):
    alias(_function, _like)
