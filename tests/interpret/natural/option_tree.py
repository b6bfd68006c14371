"""Calibration error of a trinomial tree (Boyle) to a strip of listed options.

Discrete cash dividends are handled with the escrowed-dividend model: the tree
is built on S minus the present value of dividends paid before expiry.
"""
from typing import NamedTuple

import numpy as np

DIVIDENDS = [  # (time in years, cash amount)
    (0.12, 0.85),
    (0.37, 0.85),
    (0.62, 0.90),
    (0.87, 0.90),
]


class Option(NamedTuple):
    kind: str
    strike: float
    expiry: float
    style: str
    quote: float


BOOK = [
    Option("call", 95.0, 0.25, "american", 8.30),
    Option("call", 105.0, 0.50, "american", 5.05),
    Option("put", 100.0, 0.50, "american", 6.80),
    Option("put", 90.0, 0.75, "american", 4.20),
    Option("put", 110.0, 1.00, "european", 14.60),
    Option("call", 100.0, 1.00, "european", 10.20),
]


def zero_rate(t, curve):
    """Nelson-Siegel curve, curve = (level, slope, curvature, tau)."""
    b0, b1, b2, tau = curve
    x = t / tau
    loading = (1 - np.exp(-x)) / x
    return b0 + b1 * loading + b2 * (loading - np.exp(-x))


def smile_vol(opt, spot, vol):
    """Quadratic smile in standardised log-moneyness with a flat term slope."""
    k = np.log(opt.strike / spot) / np.sqrt(opt.expiry)
    return vol["atm"] + vol["skew"] * k + vol["curv"] * k ** 2 + vol["term"] * opt.expiry


def pv_dividends(t, expiry, curve, scale=1.0):
    total = 0.0
    for td, amount in DIVIDENDS:
        if td < t:
            continue
        if td > expiry:
            break
        total += scale * amount * np.exp(-zero_rate(td, curve) * (td - t))
    return total


def trinomial_price(opt, spot, sigma, curve, n=60):
    r = zero_rate(opt.expiry, curve)
    dt = opt.expiry / n
    u = np.exp(sigma * np.sqrt(2 * dt))
    a = np.exp(r * dt / 2)
    b_up, b_dn = np.exp(sigma * np.sqrt(dt / 2)), np.exp(-sigma * np.sqrt(dt / 2))
    pu = ((a - b_dn) / (b_up - b_dn)) ** 2
    pd = ((b_up - a) / (b_up - b_dn)) ** 2
    pm = 1 - pu - pd
    disc = np.exp(-r * dt)

    sign = {"call": 1.0, "put": -1.0}[opt.kind]
    s_star = spot - pv_dividends(0.0, opt.expiry, curve)
    powers = u ** np.arange(n, -n - 1, -1)
    # smooth the kink at the strike: average the payoff over the terminal node cell
    s_t = s_star * powers
    width = 0.5 * s_t * (u - 1)
    m = sign * (s_t - opt.strike)
    values = np.where(np.abs(m) < width, (m + width) ** 2 / (4 * width), np.maximum(m, 0))

    for step in range(n - 1, -1, -1):
        values = disc * (pu * values[:-2] + pm * values[1:-1] + pd * values[2:])
        if opt.style == "american":
            t = step * dt
            s = s_star * powers[n - step:n + step + 1] + pv_dividends(t, opt.expiry, curve)
            exercise = sign * (s - opt.strike)
            values = np.maximum(values, exercise)
    return values[0]


def f(spot, vol, curve):
    error = 0.0
    for opt in BOOK:
        sigma = smile_vol(opt, spot, vol)
        price = trinomial_price(opt, spot, sigma, curve)
        weight = 1.0 / (0.05 + 0.02 * opt.quote)
        error += (weight * (price - opt.quote)) ** 2
    # keep the smile convex-ish and the curve near the last fixing
    error += 10.0 * vol["skew"] ** 2 + 1e3 * np.sum((curve[:3] - [0.04, -0.01, 0.005]) ** 2)
    return error / len(BOOK)


def args():
    vol = {"atm": 0.24, "skew": -0.11, "curv": 0.05, "term": 0.01}
    return 100.0, vol, np.array([0.041, -0.012, 0.004, 1.7])


WRT = (0, 1, 2)
