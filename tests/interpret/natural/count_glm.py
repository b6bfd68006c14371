"""Zero-inflated count regression with formula-like terms, link functions by name, Laplace approximation for random effects by inner Newton."""
import numpy as np
from scipy.special import gammaln, expit, log_expit

LINKS = {"log": (np.log, np.exp), "sqrt": (np.sqrt, np.square), "softplus": (lambda m: np.log(np.expm1(m)), lambda e: np.logaddexp(0, e))}


def poisson(y, mu):
    return y * np.log(mu) - mu - gammaln(y + 1)


def negbin(y, mu, size):
    return gammaln(y + size) - gammaln(size) - gammaln(y + 1) + size * np.log(size / (size + mu)) + y * np.log(mu / (size + mu))


def zero_inflate(logp, y, logit):
    with np.errstate(divide="ignore"):
        inflated = np.logaddexp(log_expit(logit), log_expit(-logit) + logp)
    return np.where(y == 0, inflated, log_expit(-logit) + logp)


TERMS = {
    "intercept": lambda d: np.ones(len(d["y"])),
    "dose": lambda d: d["dose"],
    "dose^2": lambda d: d["dose"] ** 2 - np.mean(d["dose"] ** 2),
    "female": lambda d: (d["sex"] == "f").astype(float),
}


def design(d, terms):
    cols = [TERMS[t](d) for t in terms]
    return np.stack(cols, axis=-1)


def laplace_groups(eta, y, group, n_groups, tau, iterations=8):
    """Poisson random intercepts: log of the integral over each, by Newton."""
    b = np.zeros(n_groups)
    sums = np.bincount(group, weights=y, minlength=n_groups)
    for _ in range(iterations):
        total = np.bincount(group, weights=np.exp(eta + b[group]), minlength=n_groups)
        b = b + (sums - total - b / tau**2) / (total + 1 / tau**2)
    curvature = np.bincount(group, weights=np.exp(eta + b[group]), minlength=n_groups) + 1 / tau**2
    return b, -0.5 * np.log(curvature * tau**2) - 0.5 * b**2 / tau**2


def f(theta, data, terms=("intercept", "dose", "dose^2", "female"), family="negbin", link="log"):
    p = len(terms)
    X = design(data, terms)
    beta, logit, log_size, log_tau = theta[:p], theta[p], theta[p + 1], theta[p + 2]
    eta = X @ beta
    _, inverse = LINKS[link]
    tau = np.exp(log_tau)
    b, correction = laplace_groups(eta, data["y"], data["clinic"], 4, tau)
    mu = inverse(eta + b[data["clinic"]])
    if family == "negbin":
        logp = negbin(data["y"], mu, np.exp(log_size))
    elif family == "poisson":
        logp = poisson(data["y"], mu)
    else:
        raise NotImplementedError(family)
    ll = zero_inflate(logp, data["y"], logit).sum() + correction.sum()
    penalty = 0.5 * beta[1:] @ beta[1:] / 4 + (log_tau + 1) ** 2
    return (penalty - ll) / len(data["y"])


def args():
    rng = np.random.default_rng(34)
    n = 60
    dose = rng.uniform(0, 2, n)
    y = rng.poisson(np.exp(0.5 + 0.6 * dose)) * (rng.random(n) > 0.2)
    data = {"y": y, "dose": dose, "sex": rng.choice(np.array(["f", "m"]), n), "clinic": rng.integers(0, 4, n)}
    return np.array([0.4, 0.5, 0.05, -0.1, -1.4, 1.0, -0.7]), data
