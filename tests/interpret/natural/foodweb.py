"""Ecology: generalised food web with Holling type III, seasonally forced, adaptive Heun step; species below a threshold go extinct."""
import numpy as np

NAMES = ["algae", "daphnia", "perch", "pike"]
EXTINCT = 1e-6


def functional_response(prey, pred_pref, handling, half):
    weighted = pred_pref * prey**2
    return weighted / (half**2 + np.sum((1 + handling * prey) * weighted))


def make_rhs(par, web):
    growth, mortality = par["growth"], par["mortality"]
    conv = 0.35

    def rhs(t, n, alive):
        dn = np.zeros_like(n)
        season = 1 + 0.4 * np.sin(2 * np.pi * t / 12)
        dn[0] = growth * season * n[0] * (1 - n[0] / par["capacity"])
        for j in range(1, n.shape[0]):
            if not alive[j]:
                continue
            eaten = par["attack"] * functional_response(n, web[j], par["handling"], par["half"]) * n[j]
            dn[j] += conv * eaten.sum() - mortality[j - 1] * n[j]
            dn -= eaten
        return dn

    return rhs


def integrate(rhs, n0, t_end, atol=1e-4, h0=0.1):
    t, h = 0.0, h0
    n = n0.astype(float)
    alive = n > EXTINCT
    accepted, rejected = 0, 0
    trajectory = [(t, n.copy())]
    while t < t_end:
        h = min(h, t_end - t)
        k1 = rhs(t, n, alive)
        k2 = rhs(t + h, n + h * k1, alive)
        err = np.max(np.abs(h * (k2 - k1) / 2))
        if err > atol * 10 and h > 1e-3:
            h *= 0.5
            rejected += 1
            continue
        n = n + h / 2 * (k1 + k2)
        n[n < EXTINCT] = 0.0
        alive &= n > 0
        t += h
        accepted += 1
        trajectory.append((t, n.copy()))
        if err < atol:
            h = min(2 * h, 1.0)
    return trajectory, {"accepted": accepted, "rejected": rejected}


def f(par, n0, observed):
    traj, stats = integrate(make_rhs(par, WEB), n0, 6.0)
    times, states = zip(*traj)
    states = np.vstack(states)
    loss = 0.0
    for name, series in observed.items():
        col = states[:, NAMES.index(name)]
        model = np.interp(series["t"], times, col)
        loss += np.mean((np.log(model + 1e-3) - np.log(series["y"])) ** 2)
    if stats["rejected"] > 500:
        print("too many rejected steps", stats)
    shannon = states[-1] / states[-1].sum()
    return loss - 0.1 * -(shannon * np.log(shannon + 1e-12)).sum()


WEB = np.array([[0, 0, 0, 0], [1.0, 0, 0, 0], [0.1, 0.9, 0, 0], [0, 0.2, 0.8, 0]])
WRT = (0, 1)


def args():
    par = {"growth": 1.2, "capacity": 5.0, "attack": 1.5, "handling": 0.3, "half": 1.1, "mortality": np.array([0.15, 0.1, 0.05])}
    obs = {"algae": {"t": np.array([1.05, 2.1, 4.3, 5.7]), "y": np.array([2.0, 3.0, 3.5, 3.0])}, "perch": {"t": np.array([2.2, 5.1]), "y": np.array([0.5, 0.4])}}
    return par, np.array([1.0, 0.8, 0.4, 0.1]), obs
