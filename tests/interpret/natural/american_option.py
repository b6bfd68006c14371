"""American put: implicit finite differences with projected SOR, then price, delta and vega hedge at the spot by interpolation."""
import numpy as np

DEFAULTS = {"n_space": 24, "n_time": 8, "omega": 1.2, "tol": 1e-10, "max_sweeps": 400}


class ConvergenceError(RuntimeError):
    pass


class Grid:
    def __init__(self, strike, maturity, options):
        self.s = np.linspace(0.0, 3 * strike, options["n_space"] + 1)
        self.dt = maturity / options["n_time"]
        self.payoff = np.maximum(strike - self.s, 0.0)

    @property
    def inner(self):
        return self.s[1:-1]

    def __len__(self):
        return self.s.size


def coefficients(grid, sigma, rate):
    i = np.arange(1, len(grid) - 1)
    a = 0.5 * grid.dt * (rate * i - sigma**2 * i**2)
    b = 1 + grid.dt * (sigma**2 * i**2 + rate)
    c = -0.5 * grid.dt * (rate * i + sigma**2 * i**2)
    return a, b, c


def psor(v, rhs, a, b, c, payoff, omega, tol, max_sweeps):
    v = v.copy()
    sweeps = 0
    while True:
        change = 0.0
        for j in range(1, len(v) - 1):
            gs = (rhs[j - 1] - a[j - 1] * v[j - 1] - c[j - 1] * v[j + 1]) / b[j - 1]
            new = max(payoff[j], v[j] + omega * (gs - v[j]))
            change += (new - v[j]) ** 2
            v[j] = new
        sweeps += 1
        if change < tol**2:
            return v, sweeps
        if sweeps >= max_sweeps:
            raise ConvergenceError(f"PSOR did not converge: {change:.3e} after {sweeps} sweeps")


def price(spot, strike, sigma, rate, maturity, **overrides):
    options = {**DEFAULTS, **overrides}
    grid = Grid(strike, maturity, options)
    v = grid.payoff.copy()
    a, b, c = coefficients(grid, sigma, rate)
    for step in range(options["n_time"]):
        v, sweeps = psor(v, v[1:-1], a, b, c, grid.payoff, options["omega"], options["tol"], options["max_sweeps"])
    k = int(np.searchsorted(grid.s, spot)) - 1
    w = (spot - grid.s[k]) / (grid.s[k + 1] - grid.s[k])
    return (1 - w) * v[k] + w * v[k + 1]


def f(sigma, rate, spots, quotes):
    try:
        model = np.array([price(s, 100.0, sigma, rate, 0.5, n_time=6) for s in spots])
    except ConvergenceError as exc:
        print(exc)
        return np.inf
    return np.sqrt(np.mean((model - quotes) ** 2))


WRT = (0, 1)


def args():
    return 0.28, 0.04, np.array([83.0, 97.0, 110.0]), np.array([18.2, 8.9, 3.7])
