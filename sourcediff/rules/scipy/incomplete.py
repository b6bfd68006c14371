"""Incomplete gamma and beta functions, and the distribution functions made of them, in all of their arguments."""

import numpy as np
from scipy import special

from ...runtime.arrays import inexact
from ...runtime.incomplete import beta_score, beta_slope, gamma_slope, student_slope
from ..frames import elementwise


@elementwise(gamma_slope, singular=True)
def gamma_slope_rule(g, z, a, x, order=1):
    s = np.log(x) - special.psi(a)
    wide = special.polygamma(1, a)
    score = s if order == 1 else s**2 - wide if order == 2 else s**3 - 3 * s * wide - special.polygamma(2, a)
    return g * gamma_slope(a, x, order + 1), g * np.exp(special.xlogy(a - 1.0, x) - x - special.gammaln(inexact(a))) * score


@elementwise(beta_slope, singular=True)
def beta_slope_rule(g, z, a, b, x, first=1, second=0):
    density = np.exp(special.xlogy(a - 1.0, x) + special.xlog1py(b - 1.0, -x) - special.betaln(a, b))
    score = beta_score(a, b, np.log(x), np.log1p(-x), first, second)
    return g * beta_slope(a, b, x, first + 1, second), g * beta_slope(a, b, x, first, second + 1), g * density * score


@elementwise(beta_score)
def beta_score_rule(g, z, a, b, log_t, log_rest, first, second):
    by_a = beta_score(a, b, log_t, log_rest, first + 1, second) - z * beta_score(a, b, log_t, log_rest, 1, 0)
    by_b = beta_score(a, b, log_t, log_rest, first, second + 1) - z * beta_score(a, b, log_t, log_rest, 0, 1)
    by_t = first * beta_score(a, b, log_t, log_rest, np.maximum(first - 1, 0), second)
    return g * by_a, g * by_b, g * by_t, g * second * beta_score(a, b, log_t, log_rest, first, np.maximum(second - 1, 0))


@elementwise(student_slope, singular=True)
def student_slope_rule(g, z, df, t):
    height = np.exp(-special.betaln(0.5 * df, 0.5) - 0.5 * (df + 1) * np.log1p(t**2 / df)) / np.sqrt(df)
    score = np.log1p(t**2 / df) + special.psi(0.5 * df) - special.psi(0.5 * df + 0.5)
    twice = -0.125 * np.sign(t) * beta_slope(0.5 * df, 0.5, df / (df + t**2), 2)
    return g * (twice + 0.25 * height * t / df * score), -0.5 * g * height * score


@elementwise(special.gammainc, singular=True)
def gammainc(g, z, a, x):
    return g * gamma_slope(a, x), g * np.exp(special.xlogy(a - 1.0, x) - x - special.gammaln(inexact(a)))


@elementwise(special.gammaincc, singular=True)
def gammaincc(g, z, a, x):
    return -g * gamma_slope(a, x), -g * np.exp(special.xlogy(a - 1.0, x) - x - special.gammaln(inexact(a)))


@elementwise(special.gammaincinv, singular=True)
def gammaincinv(g, z, a, y):
    share = np.exp(z + special.gammaln(inexact(a)) - special.xlogy(a - 1.0, z))
    return -g * share * gamma_slope(a, z), g * share


@elementwise(special.gammainccinv, singular=True)
def gammainccinv(g, z, a, y):
    share = np.exp(z + special.gammaln(inexact(a)) - special.xlogy(a - 1.0, z))
    return -g * share * gamma_slope(a, z), -g * share


@elementwise(special.betainc, singular=True)
def betainc(g, z, a, b, x):
    density = np.exp(special.xlogy(a - 1.0, x) + special.xlog1py(b - 1.0, -x) - special.betaln(a, b))
    return g * beta_slope(a, b, x), g * beta_slope(a, b, x, 0, 1), g * density


@elementwise(special.betaincc, singular=True)
def betaincc(g, z, a, b, x):
    density = np.exp(special.xlogy(a - 1.0, x) + special.xlog1py(b - 1.0, -x) - special.betaln(a, b))
    return -g * beta_slope(a, b, x), -g * beta_slope(a, b, x, 0, 1), -g * density


@elementwise(special.betaincinv, singular=True)
def betaincinv(g, z, a, b, y):
    share = np.exp(special.betaln(a, b) - special.xlogy(a - 1.0, z) - special.xlog1py(b - 1.0, -z))
    return -g * share * beta_slope(a, b, z), -g * share * beta_slope(a, b, z, 0, 1), g * share


@elementwise(special.betainccinv, singular=True)
def betainccinv(g, z, a, b, y):
    share = np.exp(special.betaln(a, b) - special.xlogy(a - 1.0, z) - special.xlog1py(b - 1.0, -z))
    return -g * share * beta_slope(a, b, z), -g * share * beta_slope(a, b, z, 0, 1), -g * share


# Distribution functions, whose slopes are densities, and their inverses


@elementwise(special.chdtr, singular=True)
def chdtr(g, z, v, x):
    density = np.exp(special.xlogy(0.5 * v - 1, 0.5 * x) - 0.5 * x - special.gammaln(0.5 * v))
    return 0.5 * g * gamma_slope(0.5 * v, 0.5 * x), 0.5 * g * density


@elementwise(special.chdtrc, singular=True)
def chdtrc(g, z, v, x):
    density = np.exp(special.xlogy(0.5 * v - 1, 0.5 * x) - 0.5 * x - special.gammaln(0.5 * v))
    return -0.5 * g * gamma_slope(0.5 * v, 0.5 * x), -0.5 * g * density


@elementwise(special.chdtri, singular=True)
def chdtri(g, z, v, p):
    share = np.exp(0.5 * z + special.gammaln(0.5 * v) - special.xlogy(0.5 * v - 1, 0.5 * z))
    return -g * share * gamma_slope(0.5 * v, 0.5 * z), -2 * g * share


@elementwise(special.stdtr, singular=True)
def stdtr(g, z, df, t):
    density = np.exp(-special.betaln(0.5 * df, 0.5) - 0.5 * (df + 1) * np.log1p(t**2 / df)) / np.sqrt(df)
    return g * (student_slope(df, t) - 0.5 * density * t / df), g * density


@elementwise(special.stdtrit, singular=True)
def stdtrit(g, z, df, p):
    share = np.exp(special.betaln(0.5 * df, 0.5) + 0.5 * (df + 1) * np.log1p(z**2 / df)) * np.sqrt(df)
    return g * (0.5 * z / df - share * student_slope(df, z)), g * share


@elementwise(special.gdtr, singular=True)
def gdtr(g, z, a, b, x):
    density = np.exp(special.xlogy(b - 1.0, a * x) - a * x - special.gammaln(inexact(b)))
    return g * x * density, g * gamma_slope(b, a * x), g * a * density


@elementwise(special.gdtrc, singular=True)
def gdtrc(g, z, a, b, x):
    density = np.exp(special.xlogy(b - 1.0, a * x) - a * x - special.gammaln(inexact(b)))
    return -g * x * density, -g * gamma_slope(b, a * x), -g * a * density
