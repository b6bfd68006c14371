"""scipy.special."""

import numpy as np
import scipy.special
import scipy.special as sc
from scipy import special
from scipy.special import (
    betaln,
    erf,
    erfc,
    eval_legendre,
    expit,
    gamma,
    gammaln,
    jv,
    lambertw,
    log_softmax,
    logit,
    logsumexp,
    ndtr,
    ndtri,
    psi,
    softmax,
    xlogy,
)

from tests.corpus.case import array, number, positive

from .call import between, call, probabilities


@call(array("5"))
def error_function(x):
    return np.sum(0.5 * (1 + erf(x / np.sqrt(2))) + erfc(x) ** 2)


@call(positive("5"))
def gamma_functions(x):
    return np.sum(gamma(x)) + np.sum(gammaln(x) * psi(x))


@call(positive("4"), positive("4"))
def beta_functions(a, b):
    return np.sum(special.beta(a, b) + betaln(a, b))


@call(array("6"))
def log_of_a_sum(x):
    return logsumexp(x)


@call(array("4 5"), positive("5"))
def weighted_log_of_sums(a, b):
    return np.sum(logsumexp(a, axis=1, b=b, keepdims=True))


@call(array("4 5"), array("4 5"))
def softmax_by_rows(x, w):
    return np.sum(w * softmax(x, axis=1))


@call(array("4 5"))
def cross_entropy(scores):
    return -np.mean(log_softmax(scores, axis=-1)[np.arange(4), [0, 2, 1, 4]])


@call(array("5"), between(0.1, 0.9, "5"))
def logistic_loss(z, p):
    return np.sum(expit(z) * p) + np.sum(logit(p))


@call(positive("5"), positive("5"))
def x_log_y(x, y):
    return np.sum(xlogy(x, y)) + np.sum(sc.xlog1py(x, y))


@call(probabilities("5"), probabilities("5"))
def relative_entropies(p, q):
    return np.sum(special.entr(p)) + np.sum(special.rel_entr(p, q)) + np.sum(special.kl_div(q, p))


@call(array("5"), between(0.1, 0.9, "5"))
def normal_tables(x, p):
    return np.sum(ndtr(x)) + np.sum(ndtri(p)) + np.sum(special.log_ndtr(x))


@call(positive("5"))
def bessel_by_order(x):
    return np.sum(jv(2, x) ** 2)


@call(positive("5"))
def bessel_zero_and_one(r):
    return np.sum(special.j0(r) * special.j1(r) + special.y0(r))


@call(positive("5"))
def modified_bessel(x):
    return np.sum(special.iv(1, x) * special.kv(1, x)) + np.sum(np.log(special.i0(x)) + special.k0(x) + special.i0e(x))


@call(positive("4"))
def spherical_bessel(x):
    return np.sum(special.spherical_jn(2, x) ** 2)


@call(between(-0.9, 0.9, "5"))
def legendre_polynomials(x):
    return np.sum(eval_legendre(3, x) ** 2) + np.sum(special.legendre(2)(x))


@call(array("5"))
def hermite_and_laguerre(x):
    return np.sum(special.eval_hermite(3, x) * np.exp(-(x**2))) + np.sum(special.eval_genlaguerre(2, 0.5, x))


@call(between(-2.0, 2.0, "5"))
def airy_functions(x):
    ai, aip, bi, bip = special.airy(x)
    return np.sum(ai * bi)


@call(between(0.1, 0.9, "5"))
def elliptic_integrals(m):
    return np.sum(special.ellipk(m) - special.ellipe(m))


@call(number(0.8), between(0.1, 0.9, "4"))
def incomplete_elliptic(phi, m):
    return np.sum(special.ellipkinc(phi, m))


@call(positive("5"))
def incomplete_gamma(x):
    return np.sum(special.gammainc(2.5, x) + special.gammaincc(0.7, x))


@call(between(0.1, 0.9, "5"))
def incomplete_beta(x):
    return np.sum(special.betainc(2.0, 3.5, x))


@call(between(-0.8, 0.8, "4"))
def hypergeometric(z):
    return np.sum(special.hyp2f1(0.5, 1.5, 2.0, z))


@call(positive("5"))
def exponential_and_sine_integrals(x):
    si, ci = special.sici(x)
    return np.sum(special.expi(x) + special.exp1(x)) + np.sum(si * ci)


@call(positive("5"))
def product_logarithm(x):
    return np.sum(lambertw(x).real)


@call(between(-0.8, 0.8, "5"))
def inverse_error_function(x):
    return np.sum(special.erfinv(x) ** 2)


@call(array("5"))
def voigt_and_dawson(x):
    return np.sum(special.voigt_profile(x, 0.8, 0.3)) + np.sum(special.dawsn(x)) + np.sum(special.erfcx(x))


@call(positive("5"))
def box_cox_and_powers(x):
    return np.sum(special.boxcox(x, 0.4)) + np.sum(special.cbrt(x) + special.exprel(x) + special.exp10(-x))


@call(array("6"))
def robust_losses(r):
    return np.sum(special.huber(1.3, r)) + np.sum(special.pseudo_huber(1.0, r))


@call(positive("4"))
def polygamma_of_order_one(x):
    return np.sum(scipy.special.polygamma(1, x)) + special.multigammaln(5.0 + x[0], 2)


@call(number(0.7), number(1.2))
def spherical_harmonic(theta, phi):
    return special.sph_harm_y(2, 1, theta, phi).real


@call(positive("4"))
def fresnel_integrals(x):
    s, c = special.fresnel(x)
    return np.sum(s**2 + c**2)
