"""Doubly robust ATE with stratified survey weights: raking, logistic propensity, AIPW."""
from collections import defaultdict, namedtuple

import numpy as np
from scipy import linalg
from scipy.special import expit

Unit = namedtuple("Unit", "stratum psu x treated y base_weight")


def by_key(units, key):
    groups = defaultdict(list)
    for i, u in enumerate(units):
        groups[getattr(u, key)].append(i)
    return {k: np.array(v) for k, v in groups.items()}


def rake(weights, margins, targets, max_iter=20, tol=1e-10):
    """Iterative proportional fitting of the weights to known margins."""
    w = weights.copy()
    for _ in range(max_iter):
        worst = 0.0
        for name, groups in margins.items():
            for level, idx in groups.items():
                ratio = targets[name][level] / w[idx].sum()
                w[idx] *= ratio
                worst = max(worst, abs(ratio - 1))
        if worst < tol:
            break
    return w


def fit_logistic(X, z, w, ridge, n_iter=12):
    beta = np.zeros(X.shape[1])
    for _ in range(n_iter):
        p = expit(X @ beta)
        grad = X.T @ (w * (z - p)) - ridge * beta
        H = (X * (w * p * (1 - p))[:, None]).T @ X + ridge * np.eye(X.shape[1])
        step = linalg.solve(H, grad, assume_a="pos")
        beta = beta + step
        if np.linalg.norm(step) < 1e-12:
            break
    return beta


def wls(X, y, w, ridge):
    G = (X.T * w) @ X
    G[np.diag_indices_from(G)] += ridge
    c = linalg.cho_factor(G)
    return linalg.cho_solve(c, X.T @ (w * y))


class AIPW:
    def __init__(self, ridge=1e-2, trim=0.02):
        self.ridge = ridge
        self.trim = trim

    def fit(self, X, z, y, w):
        e = expit(X @ fit_logistic(X, z, w, self.ridge))
        self.e = self.trim + (1 - 2 * self.trim) * e
        mu = {}
        for arm in (0, 1):
            sel = z == arm
            mu[arm] = X @ wls(X[sel], y[sel], w[sel], self.ridge)
        self.psi = (mu[1] - mu[0] + z * (y - mu[1]) / self.e
                    - (1 - z) * (y - mu[0]) / (1 - self.e))
        return self


def linearised_variance(psi, w, units, theta):
    """Between-PSU variance within strata (Taylor linearisation)."""
    resid = w * (psi - theta) / w.sum()
    var = 0.0
    for h, idx in by_key(units, "stratum").items():
        totals = defaultdict(float)
        for i in idx:
            totals[units[i].psu] += resid[i]
        t = np.array(list(totals.values()))
        m = len(t)
        if m < 2:
            continue
        var += m / (m - 1) * np.sum((t - t.mean()) ** 2)
    return var


def f(y, base_weights, targets, ridge, units):
    X = np.array([[1.0, *u.x] for u in units])
    z = np.array([u.treated for u in units])
    margins = {"stratum": by_key(units, "stratum"), "sex": {}}
    sex = X[:, 1] > 0
    margins["sex"] = {"F": np.flatnonzero(sex), "M": np.flatnonzero(~sex)}
    w = rake(base_weights, margins, targets)
    w = w * len(w) / w.sum()
    est = AIPW(ridge).fit(X, z, y, w)
    ate = np.average(est.psi, weights=w)
    se = np.sqrt(linearised_variance(est.psi, w, units, ate))
    deff = len(w) * np.sum(w**2) / w.sum() ** 2
    return ate - 1.645 * se + 0.01 * deff


def args():
    rng = np.random.default_rng(12)
    units = []
    for i in range(120):
        h = "ABC"[i % 3]
        x = np.array([1.0 if rng.random() < 0.5 else -1.0, rng.standard_normal(), rng.standard_normal()])
        z = int(rng.random() < expit(0.4 * x[1] - 0.3 * x[0]))
        y = 1.0 + 0.8 * z + 0.5 * x[1] - 0.4 * x[2] + 0.3 * z * x[0] + 0.5 * rng.standard_normal()
        units.append(Unit(h, f"{h}{rng.integers(4)}", x, z, y, {"A": 5.0, "B": 8.0, "C": 12.0}[h] * rng.uniform(0.8, 1.2)))
    y = np.array([u.y for u in units])
    bw = np.array([u.base_weight for u in units])
    targets = {"stratum": {"A": 230.0, "B": 300.0, "C": 470.0}, "sex": {"F": 515.0, "M": 485.0}}
    return y, bw, targets, 0.01, units


WRT = (0, 1, 2, 3)
