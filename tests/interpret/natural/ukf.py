"""Unscented Kalman filter tracking a re-entering vehicle with radar: negative innovation log-likelihood of noise and drag parameters."""
import numpy as np
from scipy.linalg import cholesky, cho_factor, cho_solve
from scipy.stats import multivariate_normal

class SigmaPoints:
    def __init__(self, n, alpha=0.5, beta=2.0, kappa=0.0):
        self.n = n
        self.lam = alpha**2 * (n + kappa) - n
        self.Wm = np.full(2 * n + 1, 0.5 / (n + self.lam))
        self.Wc = self.Wm.copy()
        self.Wm[0] = self.lam / (n + self.lam)
        self.Wc[0] = self.Wm[0] + 1 - alpha**2 + beta

    def __call__(self, mean, cov):
        U = cholesky((self.n + self.lam) * cov)
        pts = [mean]
        pts.extend(mean + row for row in U)
        pts.extend(mean - row for row in U)
        return np.array(pts)

    def moments(self, pts, noise):
        mean = self.Wm @ pts
        d = pts - mean
        return mean, d.T @ (self.Wc[:, None] * d) + noise, d

class UKF:
    def __init__(self, transition, observe, Q, R):
        self.fx, self.hx, self.Q, self.R = transition, observe, Q, R
        self.sp = SigmaPoints(len(Q))
        self.loglik = 0.0

    def predict(self, x, P):
        pts = np.apply_along_axis(self.fx, 1, self.sp(x, P))
        x, P, _ = self.sp.moments(pts, self.Q)
        return x, P

    def update(self, x, P, z):
        pts = self.sp(x, P)
        zhat, S, dz = self.sp.moments(np.array([self.hx(p) for p in pts]), self.R)
        cross = (pts - x).T @ (self.sp.Wc[:, None] * dz)
        K = cho_solve(cho_factor(S), cross.T).T
        innov = z - zhat
        self.loglik += multivariate_normal.logpdf(innov, cov=S)
        x = x + K @ innov
        P = P - K @ S @ K.T
        return x, 0.5 * (P + P.T)

    def run(self, x, P, measurements):
        for z in measurements:
            x, P = self.predict(x, P)
            if z is None:            # radar drop-out
                continue
            x, P = self.update(x, P, z)
            yield x, P

def make_dynamics(scale_height, dt, substeps=2):
    def fx(s):
        s = s.copy()
        h = dt / substeps
        for _ in range(substeps):
            pos, vel, logb = s[:2], s[2:4], s[4]
            speed = np.linalg.norm(vel)
            drag = -np.exp(logb) * np.exp(-pos[1] / scale_height) * speed * vel
            acc = drag + np.array([0.0, -9.81e-3])
            s[:2] += h * vel + 0.5 * h**2 * acc
            s[2:4] += h * acc
        return s
    return fx

def radar(s, site=np.array([0.0, 0.0])):
    dx, dy = s[:2] - site
    return np.array([np.hypot(dx, dy), np.arctan2(dy, dx)])

def f(log_q, log_r, scale_height, x0, measurements, dt=2.0):
    Q = np.diag(np.exp(2 * log_q[[0, 0, 1, 1, 2]]))
    R = np.diag(np.exp(2 * log_r))
    ukf = UKF(make_dynamics(scale_height, dt), radar, Q, R)
    track = list(ukf.run(x0, np.diag([0.5, 0.5, 0.01, 0.01, 0.1]), measurements))
    final_sd = np.sqrt(np.trace(track[-1][1][:2, :2]))
    return -ukf.loglik / len(track) + 0.1 * final_sd

def args():
    rng = np.random.default_rng(83)
    s, zs, fx = np.array([60.0, 75.0, -1.5, -2.0, -0.6]), [], make_dynamics(9.0, 2.0)
    for k in range(16):
        s = fx(s)
        zs.append(None if k in (5, 6) else radar(s) + rng.normal(size=2) * [0.1, 0.002])
    return np.log([0.02, 0.005, 0.05]), np.log([0.1, 0.002]), 8.7, np.array([60.2, 74.8, -1.48, -2.0, -0.5]), zs

WRT = (0, 1, 2, 3)
