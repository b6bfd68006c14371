"""HBV-type rainfall-runoff model with snow routine, soil moisture and two reservoirs; triangular unit hydrograph; 1 - NSE with warm-up."""
import logging
from dataclasses import dataclass, asdict

import numpy as np

log = logging.getLogger(__name__)
SECONDS_PER_DAY = 86400
WARMUP = 10


@dataclass
class Stores:
    snow: float = 0.0
    liquid: float = 0.0
    soil: float = 60.0
    upper: float = 5.0
    lower: float = 20.0

    def total(self):
        return sum(asdict(self).values())


def snow_routine(s: Stores, p, t, par):
    """Degree-day melt with refreezing. Returns water that leaves the pack."""
    if t < par["tt"]:
        s.snow += p * par["sfcf"]
        refreeze = min(s.liquid, 0.05 * par["cfmax"] * (par["tt"] - t))
        s.snow += refreeze
        s.liquid -= refreeze
        return 0.0
    melt = min(s.snow, par["cfmax"] * (t - par["tt"]))
    s.snow -= melt
    s.liquid += melt + p
    capacity = 0.1 * s.snow
    if s.liquid > capacity:
        out = s.liquid - capacity
        s.liquid = capacity
        return out
    return 0.0


def unit_hydrograph(maxbas, length=7):
    k = np.arange(length)
    w = np.clip(maxbas / 2 - np.abs(k + 0.5 - maxbas / 2), 0, None)
    return w / w.sum()


def simulate(par, forcing):
    s = Stores()
    n = len(forcing["precip"])
    runoff = np.empty(n)
    for day, (p, t, pet) in enumerate(zip(forcing["precip"], forcing["temp"], forcing["pet"])):
        water = snow_routine(s, p, t, par)
        recharge = water * (max(s.soil, 1e-6) / par["fc"]) ** par["beta"]
        s.soil += water - recharge
        et = pet * min(1.0, s.soil / (par["lp"] * par["fc"]))
        s.soil = max(s.soil - et, 0.0)
        s.upper += recharge
        perc = min(par["perc"], s.upper)
        s.upper -= perc
        s.lower += perc
        q0 = par["k0"] * max(s.upper - par["uzl"], 0)
        q1, q2 = par["k1"] * s.upper, par["k2"] * s.lower
        s.upper -= q0 + q1
        s.lower -= q2
        if s.upper < 0:
            log.warning("negative store on day %d", day)
        runoff[day] = q0 + q1 + q2
    log.debug("final storage %s", s)
    return np.convolve(runoff, unit_hydrograph(par["maxbas"]))[:n]


def f(par, forcing, observed):
    q = simulate(par, forcing)[WARMUP:]
    obs = observed[WARMUP:]
    return np.sum((q - obs) ** 2) / np.sum((obs - obs.mean()) ** 2)


def args():
    rng = np.random.default_rng(1)
    n = 70
    forcing = {"precip": rng.gamma(0.6, 6.0, n), "temp": 4 * np.sin(np.arange(n) / 11) + rng.normal(size=n), "pet": np.full(n, 1.7)}
    par = dict(tt=0.1, cfmax=3.1, sfcf=0.9, fc=180.0, beta=2.3, lp=0.7, perc=1.2, k0=0.3, k1=0.12, k2=0.04, uzl=12.0, maxbas=3.3)
    return par, forcing, simulate({**par, "fc": 150.0, "k1": 0.2}, forcing)
