"""Rows of the distributions of whole numbers."""

from scipy import stats

from ..frames import constant
from .distributions import discrete

discrete(
    "poisson", valid="mu >= 0", logpmf="special.xlogy(z, mu) - special.gammaln(z + 1) - mu", cdf="special.gammaincc(z + 1, mu)",
    sf="special.gammainc(z + 1, mu)", mean="mu", var="mu",
)
discrete(
    "bernoulli", high="1", valid="(p >= 0) & (p <= 1)", logpmf="special.xlogy(z, p) + special.xlog1py(1 - z, -p)", cdf="1 - p + 0 * z",
    sf="p + 0 * z", mean="p", var="p * (1 - p)", entropy="special.entr(p) + special.entr(1 - p)",
)
discrete(
    "binom", high="n", valid="(n >= 0) & (n == np.floor(n)) & (p >= 0) & (p <= 1)", mean="n * p", var="n * p * (1 - p)",
    logpmf="special.gammaln(n + 1) - special.gammaln(z + 1) - special.gammaln(n - z + 1) + special.xlogy(z, p) + special.xlog1py(n "
           "- z, -p)",
    cdf="special.betainc(n - z, z + 1, 1 - p)", sf="special.betainc(z + 1, n - z, p)",
)
discrete(
    "geom", low="1", valid="(p > 0) & (p <= 1)", logpmf="np.log(p) + special.xlog1py(z - 1, -p)", cdf="-np.expm1(z * np.log1p(-p))",
    sf="np.exp(z * np.log1p(-p))", logsf="z * np.log1p(-p)", mean="1 / p", var="(1 - p) / p**2",
)
discrete(
    "nbinom", valid="(n > 0) & (p > 0) & (p <= 1)", cdf="special.betainc(n, z + 1, p)", sf="special.betainc(z + 1, n, 1 - p)",
    logpmf="special.gammaln(n + z) - special.gammaln(z + 1) - special.gammaln(n) + n * np.log(p) + special.xlog1py(z, -p)",
    mean="n * (1 - p) / p", var="n * (1 - p) / p**2",
)
discrete(
    "betabinom", high="n", valid="(n >= 0) & (n == np.floor(n)) & (a > 0) & (b > 0)", mean="n * a / (a + b)",
    logpmf="-np.log(n + 1) - special.betaln(n - z + 1, z + 1) + special.betaln(z + a, n - z + b) - special.betaln(a, b)",
    var="n * a * b * (a + b + n) / ((a + b)**2 * (a + b + 1))",
)

for _one in (stats.hypergeom, stats.randint):  # whole numbers all
    constant(_one.pmf, _one.logpmf, _one.cdf, _one.sf)
for _one in (stats.poisson, stats.binom, stats.bernoulli, stats.geom, stats.nbinom, stats.betabinom):  # steps
    constant(_one.ppf, _one.isf)
