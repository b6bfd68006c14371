"""Regime-switching returns: HMM forward algorithm with selectable emission families and a sticky Dirichlet prior."""
from functools import partial
import numpy as np
from scipy import stats
from scipy.special import logsumexp, gammaln, log_softmax

EMISSIONS = {
    "normal": lambda y, mu, sd, **kw: stats.norm.logpdf(y, loc=mu, scale=sd),
    "student": lambda y, mu, sd, df=4.0: stats.t.logpdf(y, df, loc=mu, scale=sd),
    "laplace": lambda y, mu, sd, **kw: stats.laplace.logpdf(y, mu, sd),
}


def forward(log_pi, log_A, log_B):
    alpha = log_pi + log_B[0]
    for t in range(1, len(log_B)):
        alpha = logsumexp(alpha[:, None] + log_A, axis=0) + log_B[t]
    return logsumexp(alpha)


def stationary(A):
    k = A.shape[0]
    M = np.vstack([A.T - np.eye(k), np.ones(k)])
    rhs = np.zeros(k + 1)
    rhs[-1] = 1.0
    return np.linalg.lstsq(M, rhs, rcond=None)[0]


def dirichlet_logpdf(log_p, conc):
    norm = gammaln(conc.sum()) - gammaln(conc).sum()
    return norm + np.dot(conc - 1, log_p)


def f(params, y, family="student", start="stationary", **options):
    mu = np.cumsum(np.concatenate([params["mu0"][None], np.exp(params["gaps"])]))
    sd = np.exp(params["log_sd"])
    log_A = log_softmax(params["A"], axis=1)
    K = len(mu)
    try:
        emit = partial(EMISSIONS[family], **options)
    except KeyError:
        raise ValueError(f"no emission family {family}")
    log_B = np.column_stack([emit(y, mu[k], sd[k]) for k in range(K)])
    if start == "stationary":
        log_pi = np.log(stationary(np.exp(log_A)))
    else:
        log_pi = np.full(K, -np.log(K))
    ll = forward(log_pi, log_A, log_B)
    prior = 0.0
    for k, row in enumerate(log_A):
        conc = np.ones(K)
        conc[k] += 4.0
        prior += dirichlet_logpdf(row, conc)
    prior += stats.norm.logpdf(params["log_sd"], 0, 1).sum()
    return -(ll + prior) / len(y)


def args():
    rng = np.random.default_rng(11)
    z = np.repeat([0, 2, 1, 0, 1], 12)
    y = np.array([-0.8, 0.1, 1.2])[z] + np.array([0.5, 0.2, 0.7])[z] * rng.normal(size=z.size)
    return {"mu0": np.array(-0.6), "gaps": np.array([-0.4, 0.1]), "log_sd": np.array([-0.6, -1.2, -0.3]), "A": np.eye(3) + 0.2 * rng.normal(size=(3, 3))}, y
