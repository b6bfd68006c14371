"""Rows of the continuous distributions. 0.918… is log √(2π), 0.577… Euler's constant."""

import numpy as np
from scipy import special

from .distributions import continuous, formula_helper


@formula_helper
def normal_mass(a, b):
    """How much of the standard normal distribution is between two points."""
    return np.where(a > 0, special.ndtr(-a) - special.ndtr(-b), special.ndtr(b) - special.ndtr(a))


@formula_helper
def log_normal_mass(a, b):
    """Its logarithm, far out, too."""
    left, right = np.where(a > 0, -b, a), np.where(a > 0, -a, b)
    top = special.log_ndtr(right)
    return top + np.log1p(-np.exp(special.log_ndtr(left) - top))


@formula_helper
def log_power(c, z):
    """log(1 + c z) / c, which is z where c is 0."""
    zero = c == 0
    return np.where(zero, z - 0.5 * c * z**2, np.log1p(c * z) / np.where(zero, 1.0, c))


@formula_helper
def inverse_log_power(c, y):
    """(exp(c y) - 1) / c, which is y where c is 0."""
    zero = c == 0
    return np.where(zero, y + 0.5 * c * np.where(np.isinf(y), 0.0, y)**2, np.expm1(c * y) / np.where(zero, 1.0, c))


@formula_helper
def point_between(a, b):
    """A number between two, which may be infinite."""
    return 0.5 * (np.maximum(a, np.minimum(b, 0.0) - 1) + np.minimum(b, np.maximum(a, 0.0) + 1))


# On the whole line

continuous(
    "norm", logpdf="-0.5 * z**2 - 0.9189385332046727", cdf="special.ndtr(z)", sf="special.ndtr(-z)", logcdf="special.log_ndtr(z)",
    logsf="special.log_ndtr(-z)", ppf="special.ndtri(q)", isf="-special.ndtri(q)", mean="0", var="1", entropy="1.4189385332046727",
)
continuous(
    "t", valid="df > 0", cdf="special.stdtr(df, z)", sf="special.stdtr(df, -z)", ppf="np.where(q <= 0, -np.inf, special.stdtrit(df, q))",
    isf="np.where(q <= 0, np.inf, -special.stdtrit(df, q))",
    logpdf="special.gammaln((df + 1) / 2) - special.gammaln(df / 2) - 0.5 * np.log(df * np.pi) - (df + 1) / 2 * np.log1p(z**2 / df)",
    mean="np.where(df > 1, 0.0, np.inf)", var="np.where(df > 2, df / np.where(df > 2, df - 2, 1.0), np.where(df > 1, np.inf, np.nan))",
    entropy="(df + 1) / 2 * (special.psi((df + 1) / 2) - special.psi(df / 2)) + 0.5 * np.log(df) + special.betaln(df / 2, 0.5)",
)
continuous(
    "laplace", logpdf="-np.abs(z) - np.log(2.0)", mean="0", var="2", entropy="np.log(2.0) + 1",
    cdf="np.where(z > 0, 1 - 0.5 * np.exp(-np.where(z > 0, z, 0.0)), 0.5 * np.exp(np.where(z > 0, 0.0, z)))",
    sf="np.where(z > 0, 0.5 * np.exp(-np.where(z > 0, z, 0.0)), 1 - 0.5 * np.exp(np.where(z > 0, 0.0, z)))",
    ppf="np.where(q > 0.5, -np.log(2 * (1 - q)), np.log(2 * q))", isf="np.where(q > 0.5, np.log(2 * (1 - q)), -np.log(2 * q))",
)
continuous(
    "cauchy", logpdf="-np.log(np.pi) - np.log1p(z**2)", cdf="np.arctan2(1, -z) / np.pi", sf="np.arctan2(1, z) / np.pi",
    ppf="np.where(q >= 1, np.inf, -1 / np.tan(np.pi * q))", isf="np.where(q >= 1, -np.inf, 1 / np.tan(np.pi * q))",
    entropy="np.log(4 * np.pi)",
)
continuous(
    "logistic", logpdf="special.log_expit(z) + special.log_expit(-z)", cdf="special.expit(z)", logcdf="special.log_expit(z)",
    sf="special.expit(-z)", logsf="special.log_expit(-z)", ppf="special.logit(q)", isf="-special.logit(q)", mean="0", var="np.pi**2 / 3",
    entropy="2.0",
)
continuous(
    "gumbel_r", logpdf="-z - np.exp(-z)", cdf="np.exp(-np.exp(-z))", logcdf="-np.exp(-z)", sf="-np.expm1(-np.exp(-z))",
    ppf="-np.log(-np.log(q))", isf="-np.log(-np.log1p(-q))", mean="np.euler_gamma", var="np.pi**2 / 6", entropy="1 + np.euler_gamma",
)
continuous(
    "gumbel_l", logpdf="z - np.exp(z)", cdf="-np.expm1(-np.exp(z))", sf="np.exp(-np.exp(z))", logsf="-np.exp(z)",
    ppf="np.log(-np.log1p(-q))", isf="np.log(-np.log(q))", mean="-np.euler_gamma", var="np.pi**2 / 6", entropy="1 + np.euler_gamma",
)
continuous(
    "skewnorm", logpdf="np.log(2.0) - 0.5 * z**2 - 0.9189385332046727 + special.log_ndtr(a * z)",
    cdf="special.ndtr(z) - 2 * special.owens_t(z, a)", mean="np.sqrt(2 / np.pi) * a / np.sqrt(1 + a**2)",
    var="1 - 2 / np.pi * a**2 / (1 + a**2)",
)
continuous(
    "vonmises", valid="kappa >= 0", logpdf="kappa * special.cosm1(z) - np.log(2 * np.pi * special.i0e(kappa))",
    entropy="kappa * (1 - special.i1e(kappa) / special.i0e(kappa)) + np.log(2 * np.pi * special.i0e(kappa))",
)
continuous(
    "loggamma", valid="c > 0", logpdf="c * z - np.exp(z) - special.gammaln(c)", cdf="special.gammainc(c, np.exp(z))",
    sf="special.gammaincc(c, np.exp(z))", ppf="np.log(special.gammaincinv(c, q))", isf="np.log(special.gammainccinv(c, q))",
    mean="special.psi(c)", var="special.polygamma(1, c)",
)

# From zero on

continuous(
    "expon", low="0", safe="1.0", smooth=True, logpdf="-z", cdf="-np.expm1(-z)", sf="np.exp(-z)", logsf="-z", ppf="-np.log1p(-q)",
    isf="-np.log(q)", mean="1", var="1", entropy="1.0",
)
continuous(
    "gamma", low="0", safe="1.0", valid="a > 0", logpdf="special.xlogy(a - 1, z) - z - special.gammaln(a)", cdf="special.gammainc(a, z)",
    sf="special.gammaincc(a, z)", ppf="special.gammaincinv(a, q)", isf="special.gammainccinv(a, q)", mean="a", var="a",
    entropy="a + special.gammaln(a) + (1 - a) * special.psi(a)",
)
continuous(
    "chi2", low="0", safe="1.0", valid="df > 0", cdf="special.gammainc(df / 2, z / 2)", sf="special.gammaincc(df / 2, z / 2)",
    logpdf="special.xlogy(df / 2 - 1, z) - z / 2 - special.gammaln(df / 2) - np.log(2.0) * df / 2",
    ppf="2 * special.gammaincinv(df / 2, q)", isf="2 * special.gammainccinv(df / 2, q)", mean="df", var="2 * df",
    entropy="df / 2 + np.log(2.0) + special.gammaln(df / 2) + (1 - df / 2) * special.psi(df / 2)",
)
continuous(
    "lognorm", low="0", closed=False, safe="1.0", valid="s > 0", logpdf="-0.5 * (np.log(z) / s)**2 - np.log(s * z) - 0.9189385332046727",
    cdf="special.ndtr(np.log(z) / s)", sf="special.ndtr(-np.log(z) / s)", logcdf="special.log_ndtr(np.log(z) / s)",
    logsf="special.log_ndtr(-np.log(z) / s)", ppf="np.exp(s * special.ndtri(q))", isf="np.exp(-s * special.ndtri(q))",
    mean="np.exp(s**2 / 2)", var="np.expm1(s**2) * np.exp(s**2)", entropy="0.5 * (1 + np.log(2 * np.pi) + 2 * np.log(s))",
)
continuous(
    "halfnorm", low="0", safe="1.0", smooth=True, logpdf="0.5 * np.log(2 / np.pi) - 0.5 * z**2", cdf="special.erf(z / np.sqrt(2.0))",
    sf="special.erfc(z / np.sqrt(2.0))", ppf="np.sqrt(2.0) * special.erfinv(q)", isf="np.sqrt(2.0) * special.erfcinv(q)",
    mean="np.sqrt(2 / np.pi)", var="1 - 2 / np.pi", entropy="0.5 * np.log(np.pi / 2) + 0.5",
)
continuous(
    "halfcauchy", low="0", safe="1.0", smooth=True, logpdf="np.log(2 / np.pi) - np.log1p(z**2)", cdf="2 / np.pi * np.arctan(z)",
    sf="2 / np.pi * np.arctan2(1, z)", ppf="np.where(q >= 1, np.inf, np.tan(0.5 * np.pi * q))", isf="1 / np.tan(0.5 * np.pi * q)",
    entropy="np.log(2 * np.pi)",
)
continuous(
    "weibull_min", low="0", safe="1.0", valid="c > 0", logpdf="np.log(c) + special.xlogy(c - 1, z) - z**c", cdf="-np.expm1(-z**c)",
    sf="np.exp(-z**c)", logsf="-z**c", ppf="(-np.log1p(-q))**(1 / c)", isf="(-np.log(q))**(1 / c)", mean="special.gamma(1 + 1 / c)",
    var="special.gamma(1 + 2 / c) - special.gamma(1 + 1 / c)**2", entropy="np.euler_gamma * (1 - 1 / c) - np.log(c) + 1",
)
continuous(
    "rayleigh", low="0", high="np.inf", closed=False, safe="1.0", logpdf="np.log(z) - 0.5 * z**2", cdf="-np.expm1(-0.5 * z**2)",
    sf="np.exp(-0.5 * z**2)", logsf="-0.5 * z**2", ppf="np.sqrt(-2 * np.log1p(-q))", isf="np.sqrt(-2 * np.log(q))",
    mean="np.sqrt(np.pi / 2)", var="2 - np.pi / 2", entropy="0.5 * np.euler_gamma + 1 - 0.5 * np.log(2.0)",
)
continuous(
    "maxwell", low="0", closed=False, safe="1.0", logpdf="0.5 * np.log(2 / np.pi) + 2 * np.log(z) - 0.5 * z**2",
    cdf="special.gammainc(1.5, z**2 / 2)", sf="special.gammaincc(1.5, z**2 / 2)", ppf="np.sqrt(2 * special.gammaincinv(1.5, q))",
    isf="np.sqrt(2 * special.gammainccinv(1.5, q))", mean="2 * np.sqrt(2 / np.pi)", var="3 - 8 / np.pi",
    entropy="np.euler_gamma + 0.5 * np.log(2 * np.pi) - 0.5",
)
continuous(
    "invgamma", low="0", closed=False, safe="1.0", valid="a > 0", logpdf="-(a + 1) * np.log(z) - special.gammaln(a) - 1 / z",
    cdf="special.gammaincc(a, 1 / z)", sf="special.gammainc(a, 1 / z)", ppf="1 / special.gammainccinv(a, q)",
    isf="1 / special.gammaincinv(a, q)", mean="np.where(a > 1, 1 / np.where(a > 1, a - 1, 1.0), np.inf)",
    var="np.where(a > 2, 1 / np.where(a > 2, (a - 1)**2 * (a - 2), 1.0), np.inf)",
    entropy="a - (a + 1) * special.psi(a) + special.gammaln(a)",
)
continuous(
    "invgauss", low="0", high="np.inf", closed=False, safe="1.0", valid="mu > 0", mean="mu", var="mu**3",
    logpdf="-0.9189385332046727 - 1.5 * np.log(z) - 0.5 * ((z - mu) / mu)**2 / z",
    cdf="special.ndtr((z / mu - 1) / np.sqrt(z)) + np.exp(2 / mu + special.log_ndtr(-(z / mu + 1) / np.sqrt(z)))",
    sf="special.ndtr((1 - z / mu) / np.sqrt(z)) - np.exp(2 / mu + special.log_ndtr(-(z / mu + 1) / np.sqrt(z)))",
)
continuous(
    "f", outside="(z < 0) | (z == np.inf)", above="z > 0", safe="1.0", valid="(dfn > 0) & (dfd > 0)",
    logpdf="special.xlogy(dfn / 2, dfn) + special.xlogy(dfd / 2, dfd) + special.xlogy(dfn / 2 - 1, z) - (dfn "
           "+ dfd) / 2 * np.log(dfd + dfn * z) - special.betaln(dfn / 2, dfd / 2)",
    cdf="special.betainc(dfn / 2, dfd / 2, dfn * z / (dfd + dfn * z))", sf="special.betainc(dfd / 2, dfn / 2, dfd / (dfd + dfn * z))",
    ppf="dfd / dfn * (1 / special.betaincinv(dfd / 2, dfn / 2, 1 - q) - 1)",
    isf="dfd / dfn * (1 / special.betaincinv(dfd / 2, dfn / 2, q) - 1)",
    mean="np.where(dfd > 2, dfd / np.where(dfd > 2, dfd - 2, 1.0), np.inf)",
    var="np.where(dfd > 4, 2 * dfd**2 * (dfn + dfd - 2) / np.where(dfd > 4, dfn * (dfd - 2)**2 * (dfd - 4), 1.0), np.inf)",
)

# With other bounds

continuous(
    "uniform", low="0", high="1", safe="0.5", smooth=True, logpdf="0 * z", pdf="1 + 0 * z", cdf="z", sf="1 - z", ppf="q", mean="0.5",
    var="1 / 12", entropy="0.0",
)
continuous(
    "beta", low="0", high="1", safe="0.5", valid="(a > 0) & (b > 0)", mean="a / (a + b)", var="a * b / ((a + b)**2 * (a + b + 1))",
    logpdf="special.xlogy(a - 1, z) + special.xlog1py(b - 1, -z) - special.betaln(a, b)", cdf="special.betainc(a, b, z)",
    sf="special.betainc(b, a, 1 - z)", ppf="special.betaincinv(a, b, q)", isf="1 - special.betaincinv(b, a, q)",
    entropy="special.betaln(a, b) - (a - 1) * special.psi(a) - (b - 1) * special.psi(b) + (a + b - 2) * special.psi(a + b)",
)
continuous(
    "triang", low="0", high="1", safe="0.5", valid="(c >= 0) & (c <= 1)", mean="(1 + c) / 3", var="(1 - c + c**2) / 18",
    logpdf="np.log(np.where((z < c) | (c == 1), 2 * z / c, 2 * (1 - z) / (1 - c)))",
    pdf="np.where((z < c) | (c == 1), 2 * z / c, 2 * (1 - z) / (1 - c))",
    cdf="np.where((z < c) | (c == 1), z**2 / c, 1 - (1 - z)**2 / (1 - c))",
    sf="np.where((z < c) | (c == 1), 1 - z**2 / c, (1 - z)**2 / (1 - c))",
    ppf="np.where(q < c, np.sqrt(c * q), 1 - np.sqrt((1 - c) * (1 - q)))", entropy="0.5 - np.log(2.0) + 0 * c",
)
continuous(
    "truncnorm", low="a", high="b", safe="point_between(a, b)", smooth=True, valid="a < b",
    logpdf="-0.5 * z**2 - 0.9189385332046727 - log_normal_mass(a, b)", cdf="normal_mass(a, z) / normal_mass(a, b)",
    sf="normal_mass(z, b) / normal_mass(a, b)", mean="0.3989422804014327 * (np.exp(-0.5 * a**2) - np.exp(-0.5 * b**2)) / normal_mass(a, b)",
)
continuous(
    "pareto", low="1", safe="2.0", valid="b > 0", logpdf="np.log(b) - (b + 1) * np.log(z)", cdf="-np.expm1(-b * np.log(z))", sf="z**-b",
    logsf="-b * np.log(z)", ppf="np.exp(-np.log1p(-q) / b)", isf="q**(-1 / b)", entropy="1 + 1 / b - np.log(b)",
    mean="np.where(b > 1, b / np.where(b > 1, b - 1, 1.0), np.inf)",
    var="np.where(b > 2, b / np.where(b > 2, (b - 2) * (b - 1)**2, 1.0), np.inf)",
)
continuous(
    "loguniform", low="a", high="b", safe="np.sqrt(a * b)", valid="(a > 0) & (b > a)", logpdf="-np.log(z) - np.log(np.log(b / a))",
    cdf="np.log(z / a) / np.log(b / a)", sf="np.log(b / z) / np.log(b / a)", ppf="a * (b / a)**q", mean="(b - a) / np.log(b / a)",
)
continuous(
    "genextreme", outside="(c * z >= 1) | np.isinf(z)", above="z > 0", safe="0.0",
    logpdf="(c - 1) * log_power(-c, z) - np.exp(-log_power(-c, z))", cdf="np.exp(-np.exp(-log_power(-c, z)))",
    logcdf="-np.exp(-log_power(-c, z))", sf="-np.expm1(-np.exp(-log_power(-c, z)))", ppf="inverse_log_power(-c, -np.log(-np.log(q)))",
    isf="inverse_log_power(-c, -np.log(-np.log1p(-q)))",
)
continuous(
    "genpareto", outside="(z < 0) | (c * z < -1) | (z == np.inf)", above="z > 0", safe="0.5 / (1 + np.abs(c))",
    logpdf="-(c + 1) * log_power(c, z)", cdf="-np.expm1(-log_power(c, z))", sf="np.exp(-log_power(c, z))", logsf="-log_power(c, z)",
    ppf="inverse_log_power(c, -np.log1p(-q))", isf="inverse_log_power(c, -np.log(q))", entropy="1 + c",
)
