"""Solvers of equations that objects speak of, loops that end where they have converged, and constants that are made once."""

from __future__ import annotations

import itertools
from collections import namedtuple
from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import PchipInterpolator
from scipy.optimize import brentq

import sourcediff

X = np.array([0.7, 1.3, 0.95, 0.4])
OTHERS = np.array([1.31, 0.27, 0.53, 0.84]), np.array([0.9, 1.45, 0.77, 0.12])
Constituent = namedtuple("Constituent", "speed factor")
TABLE = {"M2": (1.1, 0.3), "S2": (1.7, -0.2), "K1": (0.6, 0.9)}


class Pipe:
    def __init__(self, diameter, slope):
        self.diameter, self.slope = diameter, slope

    def flow(self, angle):
        return self.diameter ** 2 * (angle - np.sin(angle)) * np.sqrt(self.slope)


def the_angle_of_a_pipe(x):
    pipes = [Pipe(x[0], x[1] ** 2), Pipe(x[2], x[3] ** 2)]
    last = pipes[-1]
    wanted = 0.5 * last.flow(3.0)
    angle = brentq(lambda a: last.flow(a) - wanted * x[0], 0.01, 6.2, xtol=1e-14, rtol=1e-14)
    return angle * pipes[0].flow(angle)


def rates_by_temperature(x):
    temperature = PchipInterpolator(np.linspace(0.0, 2.0, 5), np.array([1.0, 1.4, 1.2, 0.8, 1.1]))

    def rhs(t, y):
        return [-x[0] * float(temperature(t)) * y[0], x[1] * y[0] - x[2] * y[1]]

    found = solve_ivp(rhs, (0.0, 2.0), [1.0, x[3]], rtol=1e-12, atol=1e-13)
    return found.y[0, -1] * found.y[1, -1]


def raked(weights, targets, tolerance=1e-13):
    weights = weights.copy()
    for sweep in itertools.count(1):
        worst = 0.0
        for k in range(2):
            factor = targets[k] / weights[k:k + 2].sum()
            weights[k:k + 2] *= factor
            worst = max(worst, abs(factor - 1))
        if worst < tolerance:
            return weights
        if sweep >= 2000:
            raise RuntimeError(f"no convergence after {sweep} sweeps")
    return None


def weights_that_converge(x):
    return np.sum(raked(x[:3] + 0.5, (2.0, 1.0 + x[3])) ** 2)


@cache
def constituent(name, year):
    speed, factor = TABLE[name]
    return Constituent(speed, 1.0 + factor * np.cos(year))


def constants_by_name(x):
    total = 0.0
    for name, amplitude in {"M2": x[0], "S2": x[1], "K1": x[2]}.items():
        c = constituent(name, 0.4)
        total += amplitude * c.factor * np.cos(c.speed * x[3])
    return total


def by_differences(program, x, step=1e-3):
    near, far = ([(program(x + h * e) - program(x - h * e)) / (2 * h) for e in np.eye(len(x))] for h in (step, 2 * step))
    return (4 * np.array(near) - np.array(far)) / 3


@pytest.mark.parametrize("program", [the_angle_of_a_pipe, rates_by_temperature, weights_that_converge, constants_by_name])
def test_gradients(program):
    slope = sourcediff.value_and_grad(program, mode="compiled")
    for x in (X, *OTHERS):
        value, slopes = slope(x)
        assert value == pytest.approx(program(x), rel=1e-9)
        np.testing.assert_allclose(slopes, by_differences(program, x), rtol=1e-5, atol=1e-6)
