"""Structural time series for river nitrate: local linear trend + annual cycle + discharge
regression, irregular sampling with gaps.  Kalman filter and RTS smoother, keeping every
step in a list.  Objective = -loglik/n + roughness of smoothed trend."""
import numpy as np
from scipy.linalg import expm, cho_factor, cho_solve, solve_triangular, block_diag

NX = 5     # level, slope, cos, sin, discharge coefficient


def transition(dt, hyp):
    F = np.zeros((NX, NX))
    F[0, 1] = 1.0
    w = 2 * np.pi
    F[2:4, 2:4] = [[-hyp["damp"], w], [-w, -hyp["damp"]]]
    A = expm(F * dt)
    s2, c2, b2 = np.exp(2 * hyp["log_sig_trend"]), np.exp(2 * hyp["log_sig_cyc"]), np.exp(2 * hyp["log_sig_b"])
    Qt = s2 * np.array([[dt ** 3 / 3, dt ** 2 / 2], [dt ** 2 / 2, dt]])
    Qc = c2 * dt * np.eye(2)
    return A, block_diag(Qt, Qc, b2 * dt)


class Step:
    """what we remember about one sampling date"""
    def __init__(self, t, m_pred, P_pred, A):
        self.t, self.m_pred, self.P_pred, self.A = t, m_pred, P_pred, A
        self.m, self.P, self.ll = m_pred, P_pred, 0.0

    def update(self, y, H, Rm):
        ok = ~np.isnan(y)
        if not ok.any():
            return
        H, Rm = H[ok], Rm[np.ix_(ok, ok)]
        v = y[ok] - H @ self.m_pred
        S = H @ self.P_pred @ H.T + Rm
        L = np.linalg.cholesky(S)
        K = cho_solve((L, True), H @ self.P_pred).T
        self.m = self.m_pred + K @ v
        I_KH = np.eye(NX) - K @ H
        self.P = I_KH @ self.P_pred @ I_KH.T + K @ Rm @ K.T      # Joseph form
        z = solve_triangular(L, v, lower=True)
        self.ll = -0.5 * z @ z - np.log(np.diag(L)).sum() - 0.5 * ok.sum() * np.log(2 * np.pi)


def kalman_filter(hyp, t, Y, logq):
    m = np.array(hyp["m0"])
    P = np.diag(np.exp(hyp["log_p0"]))
    # two laboratories, second with its own gain, correlated errors
    sd = np.exp(hyp["log_sd"])
    rho = np.tanh(hyp["z_rho"])
    Rm = np.array([[sd[0] ** 2, rho * sd[0] * sd[1]], [rho * sd[0] * sd[1], sd[1] ** 2]])
    steps, cache = [], {}
    for k in range(len(t)):
        if k > 0:
            nb = int(round(24 * (t[k] - t[k - 1])))          # half-month bins
            if nb not in cache:
                cache[nb] = transition(nb / 24.0, hyp)
            A, Q = cache[nb]
            m, P = A @ m, A @ P @ A.T + Q
        else:
            A = np.eye(NX)
        st = Step(t[k], m, P, A)
        row = np.array([1.0, 0.0, 1.0, 0.0, logq[k]])
        st.update(Y[k], np.vstack([row, hyp["gain2"] * row]), Rm)
        m, P = st.m, st.P
        steps.append(st)
    return steps


def rts(steps):
    steps[-1].ms, steps[-1].Ps = steps[-1].m, steps[-1].P
    for cur, nxt in zip(steps[-2::-1], steps[:0:-1]):
        G = cho_solve(cho_factor(nxt.P_pred), nxt.A @ cur.P).T
        cur.ms = cur.m + G @ (nxt.ms - nxt.m_pred)
        cur.Ps = cur.P + G @ (nxt.Ps - nxt.P_pred) @ G.T
    return steps


def f(hyp, t, Y, logq):
    steps = rts(kalman_filter(hyp, t, Y, logq))
    ll = sum(s.ll for s in steps)
    slope = np.array([s.ms[1] for s in steps])
    unc = np.mean([np.sqrt(s.Ps[0, 0]) for s in steps])
    return float(-ll / len(t) + 0.2 * np.mean(np.diff(slope) ** 2) + 0.1 * unc)


def args():
    rng = np.random.default_rng(2024)
    t = np.cumsum(rng.integers(1, 5, 45)) / 24.0
    logq = 0.6 * np.cos(2 * np.pi * (t - 0.1)) + 0.3 * rng.standard_normal(45)
    truth = 4 - 0.15 * t + 0.9 * np.cos(2 * np.pi * t) + 0.5 * logq
    Y = np.column_stack([truth, 1.05 * truth]) + 0.2 * rng.standard_normal((45, 2))
    Y[rng.random(45) < 0.15] = np.nan
    Y[:15, 1] = np.nan
    hyp = {"damp": 0.05, "log_sig_trend": -1.5, "log_sig_cyc": -1.2, "log_sig_b": -2.0,
           "log_sd": np.array([-1.4, -1.6]), "z_rho": 0.2, "gain2": 1.03,
           "m0": [3.8, 0.0, 0.5, 0.1, 0.3], "log_p0": np.array([0.0, -2.0, -0.5, -0.5, -1.0])}
    return hyp, t, Y, logq


WRT = (0, 3)
