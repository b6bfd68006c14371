"""scipy.stats."""

import numpy as np
import scipy.stats as st
from scipy import stats
from scipy.stats import beta, gamma, gaussian_kde, multivariate_normal, norm, poisson

from tests.corpus.case import array, definite, number, positive

from .call import between, call, near, probabilities

COUNTS = np.array([0, 2, 1, 4, 3])


@call(array("6"), number(0.3), positive(""))
def normal_log_likelihood(x, mu, sigma):
    return norm.logpdf(x, mu, sigma).sum()


@call(array("6"), number(1.3))
def frozen_normal(v, s):
    return np.sum(norm(0, s).logpdf(v))


@call(array("6"))
def standard_normal_density(x):
    return np.sum(stats.norm.pdf(x))


@call(number(100.0), number(0.2))
def black_scholes(S, sigma):
    d1 = (np.log(S / 95.0) + 0.03 + sigma**2 / 2) / sigma
    return S * norm.cdf(d1) - 95.0 * np.exp(-0.03) * norm.cdf(d1 - sigma)


@call(between(0.1, 0.9, "5"), number(0.4), number(1.7))
def normal_quantiles(q, loc, scale):
    return np.sum(norm.ppf(q, loc=loc, scale=scale) ** 2)


@call(array("5"), number(1.5))
def normal_tails(x, s):
    return np.sum(norm.sf(x, scale=s)) + np.sum(norm.logcdf(x)) + norm.isf(0.1, 0, s)


@call(positive("6"), number(2.2), number(0.8))
def gamma_log_density(x, a, s):
    return np.sum(stats.gamma.logpdf(x, a, scale=s))


@call(number(2.2), number(0.8))
def moments_of_a_gamma(a, s):
    rv = gamma(a, scale=s)
    return rv.mean() + rv.var() + rv.std()


@call(between(0.1, 0.9, "5"), number(2.3), number(3.1))
def beta_density(x, a, b):
    return np.sum(beta.pdf(x, a, b)) + np.sum(beta.logpdf(x, a, b))


@call(between(0.1, 0.9, "5"))
def beta_distribution(x):
    return np.sum(stats.beta(2, 3).cdf(x))


@call(positive("5"), number(1.4))
def exponential_waiting_times(t, rate):
    return np.sum(stats.expon.logpdf(t, scale=1 / rate)) + stats.expon(scale=1 / rate).mean()


@call(number(2.4))
def poisson_counts(mu):
    return np.sum(poisson.logpmf(COUNTS, mu))


@call(array("2"), array("5"))
def poisson_regression(w, x):
    return -stats.poisson(np.exp(w[0] + w[1] * x)).logpmf(COUNTS).mean()


@call(number(0.35))
def binomial_counts(p):
    return np.sum(stats.binom.logpmf(COUNTS, 6, p)) + stats.binom.pmf(2, 5, p)


@call(number(0.35), number(3.2))
def negative_binomial(p, n):
    return np.sum(stats.nbinom.logpmf(COUNTS, n, p)) + stats.bernoulli.logpmf(1, p)


@call(array("6"), number(4.5), number(0.2), number(1.1))
def student_t(x, df, loc, scale):
    return np.sum(stats.t.logpdf(x, df, loc, scale))


@call(array("5"))
def student_tail(x):
    return np.sum(stats.t.sf(np.abs(x), df=7) * 2) + np.sum(stats.t(5).ppf(0.4 + 0.05 * np.tanh(x)))


@call(positive("5"), number(0.3), number(0.6))
def lognormal(x, mu, s):
    return np.sum(stats.lognorm.pdf(x, s, scale=np.exp(mu)))


@call(positive("5"), number(1.8), number(1.2))
def weibull_failures(x, c, lam):
    return np.sum(stats.weibull_min.logpdf(x, c, scale=lam)) + np.sum(stats.weibull_min.logsf(x, c, scale=lam))


@call(array("5"), number(0.7))
def cauchy_laplace_logistic(x, s):
    return np.sum(st.cauchy.logpdf(x, 0, s) + st.laplace.logpdf(x, 0, s) + st.logistic.logpdf(x, scale=s))


@call(positive("4"), number(2.5))
def pareto_and_chi_squared(x, b):
    return np.sum(stats.pareto.logpdf(1 + x, b)) + np.sum(stats.chi2.sf(x, 3)) + np.sum(stats.chi2.logpdf(x, 4))


@call(between(-0.8, 0.8, "4"), number(0.2), number(0.9))
def truncated_normal(x, loc, scale):
    a, b = (-1 - loc) / scale, (1 - loc) / scale
    return np.sum(stats.truncnorm.logpdf(x, a, b, loc=loc, scale=scale))


@call(positive("5"), number(0.8))
def extreme_values(x, s):
    return np.sum(stats.gumbel_r.logpdf(x, 0.5, s)) + np.sum(stats.genextreme.logpdf(x, 0.1, loc=1.0, scale=s))


@call(positive("5"), number(2.2))
def inverse_gamma_and_half_normal(x, a):
    return np.sum(stats.invgamma.logpdf(x, a)) + np.sum(stats.halfnorm.logpdf(x, scale=a)) + np.sum(stats.uniform.cdf(x, 0, 3))


@call(array("4 3"), array("3"), definite("3"))
def multivariate_log_likelihood(x, mean, cov):
    return multivariate_normal.logpdf(x, mean, cov).sum()


@call(array("3"), definite("3"))
def frozen_multivariate(x, cov):
    rv = multivariate_normal(mean=np.zeros(3), cov=cov)
    return rv.pdf(x)


@call(array("3"), array("3"), definite("3"))
def multivariate_student(x, loc, shape):
    return stats.multivariate_t.logpdf(x, loc, shape, df=5)


@call(positive("4"))
def dirichlet_density(alpha):
    return stats.dirichlet.logpdf(np.array([0.1, 0.2, 0.3, 0.4]), alpha)


@call(definite("3"), definite("3"))
def wishart_density(x, scale):
    return stats.wishart.logpdf(x, df=5, scale=scale)


@call(array("8"), array("3"))
def kernel_density(x, t):
    kde = gaussian_kde(x)
    return np.sum(np.log(kde(t)))


@call(array("6"))
def z_scores(x):
    return np.sum(stats.zscore(x) ** 3)


@call(positive("6"))
def means_of_other_kinds(x):
    return stats.gmean(x) * stats.hmean(x)


@call(array("7"), array("7"))
def correlation(x, y):
    r, p = stats.pearsonr(x, y)
    return r


@call(array("7"), array("7"))
def regression_line(x, y):
    res = stats.linregress(x, y)
    return res.slope + res.intercept


@call(array("7"))
def skewness_and_kurtosis(x):
    return stats.skew(x) + stats.kurtosis(x)


@call(array("6"), array("7"))
def t_test(a, b):
    return stats.ttest_ind(a, b).statistic


@call(probabilities("5"), probabilities("5"))
def entropies(p, q):
    return stats.entropy(p) + stats.entropy(p, q)


@call(number(1.7), number(2.4))
def entropy_of_a_distribution(s, a):
    return float(stats.norm(0, s).entropy() + stats.gamma.entropy(a))


@call(array("6"))
def standard_error_and_fit(x):
    mu, std = norm.fit(x)
    return stats.sem(x) + mu * std


@call(array("6"), array("6"))
def earth_movers_distance(u, v):
    return stats.wasserstein_distance(u, v)


@call(array("5"), number(1.8))
def von_mises_and_skew_normal(x, kappa):
    return np.sum(stats.vonmises.logpdf(x, kappa)) + np.sum(stats.skewnorm.logpdf(x, kappa))


@call(near(0.5, -0.2, 1.4, 0.9))
def trimmed_and_described(x):
    return stats.trim_mean(x, 0.25) + stats.describe(x).variance
