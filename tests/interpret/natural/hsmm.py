"""
Explicit-duration hidden semi-Markov model, forward recursion in log space.
Negative log likelihood of several animal-movement tracks (step length: gamma,
turning angle: von Mises), duration: shifted negative binomial.
"""
import numpy as np
from scipy.special import gammaln, i0e, logsumexp

DMAX = 12
K = 3


def unpack(w):
    """working -> natural parameters"""
    par = {}
    pos = 0

    def take(n):
        nonlocal pos
        out = w[pos:pos + n]
        pos += n
        return out

    par["mu"] = np.cumsum(np.exp(take(K)))       # ordered mean step lengths
    par["sd"] = np.exp(take(K))
    par["kappa"] = np.exp(take(K))
    par["size"] = np.exp(take(K))
    par["prob"] = 1 / (1 + np.exp(-take(K)))
    # off-diagonal transition logits, zeros on the diagonal (no self transitions)
    logits = take(K * (K - 2))
    A = np.full((K, K), -np.inf)
    it = iter(logits)
    for i in range(K):
        cols = [j for j in range(K) if j != i]
        A[i, cols[0]] = 0.0
        for j in cols[1:]:
            A[i, j] = next(it)
    A = A - logsumexp(A, axis=1, keepdims=True)
    par["logA"] = A
    d = np.append(0.0, take(K - 1))
    par["logpi"] = d - logsumexp(d)
    assert pos == len(w)
    return par


def log_gamma_pdf(x, mean, sd):
    shape = mean**2 / sd**2
    scale = sd**2 / mean
    return (shape - 1) * np.log(x) - x / scale - gammaln(shape) - shape * np.log(scale)


def log_vonmises(phi, kappa):
    return kappa * (np.cos(phi) - 1) - np.log(2 * np.pi * i0e(kappa))


def log_duration(par):
    u = np.arange(DMAX)                  # d - 1
    lp = np.zeros((K, DMAX))
    for j in range(K):
        r, p = par["size"][j], par["prob"][j]
        lp[j] = gammaln(u + r) - gammaln(r) - gammaln(u + 1) + r * np.log(p) + u * np.log1p(-p)
    return lp - logsumexp(lp, axis=1)[:, None]


def forward(step, angle, par, logD):
    T = len(step)
    logb = np.zeros((T, K))
    for j in range(K):
        logb[:, j] = log_gamma_pdf(step, par["mu"][j], par["sd"][j])
        ok = ~np.isnan(angle)
        logb[ok, j] += log_vonmises(angle[ok], par["kappa"][j])
    cum = np.vstack([np.zeros(K), np.cumsum(logb, axis=0)])
    # alpha[t, j]: state j ends at t;  start[t, j]: state j begins at t
    start = np.full((T + 1, K), -np.inf)
    start[0] = par["logpi"]
    for t in range(1, T + 1):
        dm = min(t, DMAX)
        terms = []
        for d in range(1, dm + 1):
            terms.append(start[t - d] + logD[:, d - 1] + cum[t] - cum[t - d])
        alpha = logsumexp(np.array(terms), axis=0)
        start[t] = logsumexp(alpha[:, None] + par["logA"], axis=0)
    return logsumexp(alpha)


def f(w, tracks):
    par = unpack(w)
    logD = log_duration(par)
    nll = 0.0
    for tr in tracks:
        nll -= forward(tr["step"], tr["angle"], par, logD)
    return nll


def args():
    rng = np.random.default_rng(11)
    tracks = []
    for n in (35, 50):
        s = np.repeat(rng.integers(0, 3, n // 5 + 1), 5)[:n]
        step = rng.gamma(4.0, np.array([0.15, 0.5, 1.2])[s])
        angle = rng.vonmises(0.0, np.array([0.4, 1.5, 5.0])[s])
        angle[0] = np.nan
        tracks.append({"step": step, "angle": angle})
    w = np.concatenate([np.log([0.6, 1.3, 2.5]), np.log([0.4, 1.0, 2.2]), np.log([0.5, 1.4, 4.0]),
                        np.log([2.0, 3.0, 2.5]), np.array([-0.3, 0.1, -0.6]), np.array([0.2, -0.4, 0.5]),
                        np.array([0.1, -0.2])])
    return w, tracks
