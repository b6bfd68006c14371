"""Econometrics: unobserved components (trend + cycle + AR noise) state space with missing observations, diffuse start, steady-state shortcut."""
import logging

import numpy as np
from scipy.linalg import block_diag, solve_discrete_lyapunov

logger = logging.getLogger("ucm")


class StateSpace:
    def __init__(self, T, Z, Q, H):
        self.T, self.Z, self.Q, self.H = T, Z, Q, H
        self.loglik_obs = []

    def filter(self, y, a, P, steady_tol=1e-9):
        n = len(y)
        loglik = 0.0
        converged = False
        F = K = None
        for t in range(n):
            if np.isnan(y[t]):
                a = self.T @ a
                P = self.T @ P @ self.T.T + self.Q
                converged = False
                continue
            v = y[t] - self.Z @ a
            if not converged:
                F = self.Z @ P @ self.Z + self.H
                K = self.T @ P @ self.Z / F
            a = self.T @ a + K * v
            if not converged:
                L = self.T - np.outer(K, self.Z)
                P_new = self.T @ P @ L.T + self.Q
                if np.max(np.abs(P_new - P)) < steady_tol:
                    converged = True
                    logger.debug("steady state at t=%s", t)
                P = P_new
            if t < 3:
                continue  # burn-in for the diffuse elements
            ll = -0.5 * (np.log(2 * np.pi) + np.log(F) + v**2 / F)
            self.loglik_obs.append(ll)
            loglik += ll
        return loglik


def transform(x):
    """Unconstrained to constrained parameters."""
    keys = ["var_level", "var_slope", "var_cycle", "var_obs"]
    p = {k: np.exp(v) for k, v in zip(keys, x)}
    p["rho"] = 1 / (1 + np.exp(-x[4]))
    p["freq"] = 0.1 + 0.8 / (1 + np.exp(-x[5]))
    p["phi"] = np.tanh(x[6])
    return p


def build(p):
    trend = np.array([[1.0, 1.0], [0.0, 1.0]])
    c, s = np.cos(p["freq"]), np.sin(p["freq"])
    cycle = p["rho"] * np.array([[c, s], [-s, c]])
    T = block_diag(trend, cycle, [[p["phi"]]])
    Q = np.diag([p["var_level"], p["var_slope"], p["var_cycle"], p["var_cycle"], 0.1])
    Z = np.array([1.0, 0, 1, 0, 1])
    return StateSpace(T, Z, Q, p["var_obs"])


def f(x, y):
    model = build(transform(x))
    P0 = np.zeros((5, 5))
    P0[:2, :2] = 1e3 * np.eye(2)
    P0[2:, 2:] = solve_discrete_lyapunov(model.T[2:, 2:], model.Q[2:, 2:])
    ll = model.filter(y, np.zeros(5), P0)
    return -ll / len(model.loglik_obs)


def args():
    rng = np.random.default_rng(8)
    t = np.arange(60)
    y = np.cumsum(0.1 + 0.2 * rng.normal(size=60)) + np.sin(0.5 * t) + 0.3 * rng.normal(size=60)
    y[[7, 8, 31]] = np.nan
    return np.array([-2.0, -4.0, -2.0, -1.5, 1.5, 0.1, 0.3]), y
