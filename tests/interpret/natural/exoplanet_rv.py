"""Radial velocities of a two-planet system: Kepler's equation by Newton's method, several instruments with jitter, GP-free likelihood with priors."""
from dataclasses import dataclass
import numpy as np
from scipy import stats


@dataclass
class Orbit:
    period: float
    K: float
    ecc: float
    omega: float
    phase: float

    def mean_anomaly(self, t):
        return 2 * np.pi * (t / self.period) + self.phase

    def velocity(self, t):
        E = kepler(self.mean_anomaly(t), self.ecc)
        nu = 2 * np.arctan2(np.sqrt(1 + self.ecc) * np.sin(E / 2), np.sqrt(1 - self.ecc) * np.cos(E / 2))
        return self.K * (np.cos(nu + self.omega) + self.ecc * np.cos(self.omega))


def kepler(M, e, tol=1e-13):
    E = M + e * np.sin(M)
    while True:
        step = (E - e * np.sin(E) - M) / (1 - e * np.cos(E))
        E = E - step
        if np.all(np.abs(step) < tol):
            return E


def parse(planet):
    h, k = planet["sqe_cos"], planet["sqe_sin"]
    return Orbit(
        period=np.exp(planet["log_P"]),
        K=np.exp(planet["log_K"]),
        ecc=h * h + k * k,
        omega=np.arctan2(k, h),
        phase=planet["phase"],
    )


PRIORS = {
    "log_K": lambda x: stats.norm.logpdf(x, 1.0, 2.0),
    "ecc": lambda x: stats.beta.logpdf(x, 0.867, 3.03),
    "jitter": lambda x: stats.halfcauchy.logpdf(x, scale=2.0),
}


def log_prior(orbits, jitters):
    lp = sum(PRIORS["ecc"](o.ecc) + PRIORS["log_K"](np.log(o.K)) for o in orbits)
    lp += sum(map(PRIORS["jitter"], jitters))
    return lp


def f(planets, log_jitter, data):
    orbits = [parse(p) for p in planets]
    jitters = {name: np.exp(s) for name, s in log_jitter.items()}
    total = log_prior(orbits, jitters.values())
    for name, (t, rv, err) in data.items():
        model = np.zeros(len(t))
        for orbit in orbits:
            model += orbit.velocity(t)
        var = err**2 + jitters[name] ** 2
        offset = np.average(rv - model, weights=1 / var)
        resid = rv - model - offset
        total -= 0.5 * np.sum(resid**2 / var + np.log(2 * np.pi * var))
    return -total


WRT = (0, 1)


def args():
    rng = np.random.default_rng(29)
    truth = [Orbit(4.2, 12.0, 0.2, 0.7, 0.3), Orbit(11.0, 5.0, 0.1, -1.0, 2.0)]
    data = {}
    for name, n, off in (("harps", 18, 3.0), ("hires", 12, -8.0)):
        t = np.sort(rng.uniform(0, 30, n))
        data[name] = (t, off + sum(o.velocity(t) for o in truth) + 1.5 * rng.normal(size=n), np.full(n, 1.0))
    planets = [
        {"log_P": np.log(4.21), "log_K": 2.4, "sqe_cos": 0.3, "sqe_sin": 0.25, "phase": 0.35},
        {"log_P": np.log(10.9), "log_K": 1.7, "sqe_cos": 0.2, "sqe_sin": -0.3, "phase": 1.9},
    ]
    return planets, {"harps": 0.1, "hires": 0.4}, data
