"""Joint (h-) likelihood of a 2-compartment oral population PK model."""
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve, expm


@dataclass(frozen=True)
class Event:
    time: float
    kind: str            # "dose", "infusion", "infusion_end", "obs"
    value: float = 0.0


class Subject:
    def __init__(self, sid, weight, events):
        self.sid = sid
        self.weight = weight
        self.events = sorted(events, key=lambda e: (e.time, e.kind != "obs"))


def individual_params(theta, eta, weight):
    """Allometric scaling plus log-normal between-subject variability."""
    size = weight / 70.0
    return {
        "CL": np.exp(theta["lCL"] + eta[0]) * size ** 0.75,
        "V1": np.exp(theta["lV1"] + eta[1]) * size,
        "ka": np.exp(theta["lka"] + eta[2]),
        "Q": np.exp(theta["lQ"]) * size ** 0.75,
        "V2": np.exp(theta["lV2"]) * size,
        "F": 1.0 / (1.0 + np.exp(-theta["logitF"])),
    }


def rate_matrix(p):
    k10, k12, k21 = p["CL"] / p["V1"], p["Q"] / p["V1"], p["Q"] / p["V2"]
    # last row/column carries the (constant) infusion rate
    return np.array([
        [-p["ka"], 0.0, 0.0, 0.0],
        [p["ka"], -(k10 + k12), k21, 1.0],
        [0.0, k12, -k21, 0.0],
        [0.0, 0.0, 0.0, 0.0],
    ])


def concentrations(subject, p):
    A = rate_matrix(p)
    x = np.zeros(4)
    t = 0.0
    cache = {}
    for ev in subject.events:
        dt = ev.time - t
        if dt > 0:
            if dt not in cache:
                cache[dt] = expm(A * dt)
            x = cache[dt] @ x
            t = ev.time
        if ev.kind == "dose":
            x[0] += p["F"] * ev.value
        elif ev.kind == "infusion":
            x[3] += ev.value
        elif ev.kind == "infusion_end":
            x[3] -= ev.value
        else:
            yield ev, x[1] / p["V1"]


def f(theta, etas, chol_omega, log_sigma, subjects, lloq=0.02):
    prop, add = np.exp(log_sigma)
    omega = np.tril(chol_omega) @ np.tril(chol_omega).T
    cf = cho_factor(omega, lower=True)
    logdet = 2.0 * np.sum(np.log(np.diag(cf[0])))
    nll = 0.0
    for subj in subjects:
        eta = etas[subj.sid]
        p = individual_params(theta, eta, subj.weight)
        for ev, conc in concentrations(subj, p):
            if ev.value < lloq:           # M1: drop below quantification limit
                continue
            var = (prop * conc) ** 2 + add ** 2
            nll += 0.5 * ((ev.value - conc) ** 2 / var + np.log(2 * np.pi * var))
        nll += 0.5 * (eta @ cho_solve(cf, eta) + logdet)
    return nll


def args():
    rng = np.random.default_rng(17)
    theta = {"lCL": np.log(5.0), "lV1": np.log(30.0), "lka": np.log(1.1),
             "lQ": np.log(3.0), "lV2": np.log(50.0), "logitF": 0.8}
    L = np.array([[0.3, 0, 0], [0.1, 0.25, 0], [0.0, 0.05, 0.4]])
    subjects, etas = [], {}
    for i in range(4):
        sid = f"S{i:02d}"
        ev = [Event(12.0 * k, "dose", 100.0) for k in range(3)]
        if i % 2:
            ev += [Event(30.0, "infusion", 20.0), Event(32.0, "infusion_end", 20.0)]
        w = rng.uniform(50, 95)
        dummy = Subject(sid, w, ev + [Event(t, "obs") for t in (0.0, 1.0, 4.0, 11.5, 25.0, 31.0, 36.0)])
        truth = individual_params(theta, L @ rng.standard_normal(3), w)
        obs = [Event(e.time, "obs", c * (1 + 0.12 * rng.standard_normal()))
               for e, c in concentrations(dummy, truth)]
        subjects.append(Subject(sid, w, ev + obs))
        etas[sid] = 0.2 * rng.standard_normal(3)
    return theta, etas, L, np.log([0.15, 0.05]), subjects


WRT = (0, 1, 2, 3)
