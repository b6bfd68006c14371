"""Bootstrapped discount curve -> bond portfolio duration gap."""
from bisect import bisect_right
from typing import NamedTuple
import numpy as np

class Quote(NamedTuple):
    kind: str        # depo | swap
    maturity: float
    freq: int = 1

class Bond(NamedTuple):
    coupon: float
    maturity: float
    freq: int
    notional: float

    def cashflows(self):
        t = self.maturity
        while t > 1e-9:
            yield t, self.notional * self.coupon / self.freq
            t -= 1.0 / self.freq
        yield self.maturity, self.notional

class Curve:
    def __init__(self, method="loglinear"):
        self.times, self.log_df = [0.0], [0.0]
        self.method = method

    def add(self, t, logdf):
        self.times.append(t)
        self.log_df.append(logdf)

    def pop(self):
        del self.times[-1], self.log_df[-1]

    def df(self, t):
        ts, ld = self.times, self.log_df
        if t >= ts[-1]:
            return np.exp(ld[-1] * t / ts[-1])      # flat zero rate
        i = bisect_right(ts, t) - 1
        w = (t - ts[i]) / (ts[i + 1] - ts[i])
        if self.method == "linearzero":
            z1 = -ld[i + 1] / ts[i + 1]
            z0 = -ld[i] / ts[i] if i > 0 else z1
            return np.exp(-((1 - w) * z0 + w * z1) * t)
        return np.exp((1 - w) * ld[i] + w * ld[i + 1])

def swap_npv(curve, rate, quote):
    n = int(round(quote.maturity * quote.freq))
    annuity = sum(curve.df((k + 1) / quote.freq) for k in range(n)) / quote.freq
    return rate * annuity + curve.df(quote.maturity) - 1.0

def bootstrap(quotes, rates, method="loglinear", tol=1e-13) -> Curve:
    curve = Curve(method)
    for q, r in zip(quotes, rates):
        if q.kind == "depo":
            curve.add(q.maturity, -np.log(1.0 + r * q.maturity))
            continue
        def npv(x):
            curve.add(q.maturity, x)
            try:
                return swap_npv(curve, r, q)
            finally:
                curve.pop()
        # secant on the new node's log discount factor
        x0, x1 = -r * q.maturity, -1.02 * r * q.maturity
        g0, g1 = npv(x0), npv(x1)
        for _ in range(20):
            x0, x1, g0 = x1, x1 - g1 * (x1 - x0) / (g1 - g0), g1
            g1 = npv(x1)
            if abs(g1) < tol:
                break
        curve.add(q.maturity, x1)
    return curve

def price_and_duration(bond, curve):
    flows = [(t, c * curve.df(t)) for t, c in bond.cashflows()]
    pv, dur, conv = (sum(t ** k * d for t, d in flows) for k in range(3))
    return pv, dur / pv, conv / pv

def f(rates, weights, quotes, bonds, method):
    curve = bootstrap(quotes, rates, method)
    stats = [price_and_duration(b, curve) for b in bonds]
    pv = sum(w * s[0] for w, s in zip(weights, stats))
    D = sum(w * p * d for w, (p, d, _) in zip(weights, stats)) / pv
    C = sum(w * p * c for w, (p, _, c) in zip(weights, stats)) / pv
    return 10.0 * (1.0 - pv / 320.0) ** 2 + (D - 4.75) ** 2 + 0.05 * (C - 30.0) ** 2 / 30.0 \
        - 0.1 * np.log(curve.df(9.3)) / 9.3

def args():
    quotes = [Quote("depo", 0.25), Quote("depo", 0.5), Quote("depo", 1.0),
              Quote("swap", 2.0), Quote("swap", 3.0), Quote("swap", 5.0, 2),
              Quote("swap", 7.0), Quote("swap", 10.0)]
    rates = np.array([0.031, 0.0325, 0.034, 0.0352, 0.0361, 0.0374, 0.0383, 0.0391])
    bonds = [Bond(0.04, 2.35, 2, 100.0), Bond(0.025, 4.8, 1, 100.0),
             Bond(0.055, 8.1, 2, 100.0), Bond(0.0, 11.6, 1, 100.0)]
    weights = np.array([1.0, 0.8, 1.1, 0.4])
    return rates, weights, quotes, bonds, "loglinear"

WRT = (0, 1)
