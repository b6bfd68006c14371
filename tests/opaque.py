"""Functions that no compiler can read, with rules of their own: C through ctypes, a program beside this one, NumPy in disguise."""

from __future__ import annotations

import atexit
import ctypes
import ctypes.util
import functools
import json
import subprocess
import sys
from typing import Any

import numpy as np

from sourcediff import extend

LIBM = ctypes.CDLL(ctypes.util.find_library("m"))
for _name in ("cbrt", "erf"):
    getattr(LIBM, _name).restype, getattr(LIBM, _name).argtypes = ctypes.c_double, [ctypes.c_double]


def plainly(*values: Any) -> None:
    """What C would do: take arrays and numbers, and nothing that only looks like one."""
    for value in values:
        assert type(value) in (np.ndarray, np.float64, np.float32, float, int), type(value)


def in_c(name: str, x: Any) -> Any:
    plainly(x)
    found = np.array([getattr(LIBM, name)(float(entry)) for entry in np.ravel(x)]).reshape(np.shape(x))
    return found if np.ndim(x) else float(found)


@extend.recorded
def erf(x):
    return in_c("erf", x)


@extend.recorded
def bell(x):
    plainly(x)
    return 2 / np.sqrt(np.pi) * np.exp(-np.asarray(x) ** 2)[()]


@extend.elementwise(erf)
def erf_rule(g, z, x):
    return g * bell(x)


@extend.elementwise(bell)
def bell_rule(g, z, x):
    return -2 * g * x * z


@extend.recorded
def drag(v, k=0.5, *, power=2):
    """A law of resistance, elementwise, with a keyword that has no derivative."""
    plainly(v, k)
    return k * np.abs(v) ** power * np.sign(v)


@extend.recorded
def drag_slope(v, k, power):
    plainly(v, k)
    return k * power * np.abs(v) ** (power - 1)


@extend.recorded
def drag_curve(v, k, power):
    plainly(v, k)
    return k * power * (power - 1) * np.abs(v) ** (power - 2) * np.sign(v)


@extend.elementwise(drag)
def drag_rule(g, z, v, k, *, power):
    return g * drag_slope(v, k, power), g * z / k


@extend.elementwise(drag_slope)
def drag_slope_rule(g, z, v, k, power):
    return g * drag_curve(v, k, power), g * z / k, None


@extend.recorded
def energy(x):
    """A reduction without an axis."""
    plainly(x)
    return float(np.vdot(x, x))


@extend.reduction(energy)
def energy_rule(g, z, x):
    return 2 * g * x


@extend.recorded
def root_mean_square(x, axis=None):
    """A reduction with one."""
    plainly(x)
    return np.sqrt(np.mean(np.square(x), axis=axis))


@extend.reduction(root_mean_square, singular=True)
def root_mean_square_rule(g, z, x, axis):
    return g * x / (z * (x.size / z.size))


@extend.recorded
def smoothed(x, width):
    """Linear: each entry the mean of its neighbours on a ring."""
    plainly(x)
    return sum(np.roll(x, k) for k in range(-width, width + 1)) / (2 * width + 1)


@extend.linear(smoothed)
def smoothed_rule(g, z, x, width):
    return smoothed(g, width)


@extend.recorded
def bilinear(a, m, b):
    plainly(a, m, b)
    return a @ m @ b


@extend.multilinear(bilinear)
def bilinear_rule(g, z, a, m, b):
    return g * (m @ b), g * np.outer(a, b), g * (m.T @ a)


@extend.recorded
def conditioned(a, b):
    """Two results and a count: the solution, its length, the steps that an iterative solver would have taken."""
    plainly(a, b)
    x = np.linalg.solve(a, b)
    return x, float(np.sqrt(x @ x)), 7


@extend.general(conditioned, outputs=3)
def conditioned_rule(g, z, a, b):
    b_bar = np.linalg.solve(a.T, g[0] + g[1] * z[0] / z[1])
    return -np.outer(b_bar, z[0]), b_bar


@conditioned_rule.pushforward
def conditioned_forward(z, da, db, a, b):
    dx = np.linalg.solve(a, db - da @ z[0])
    return dx, z[0] @ dx / z[1], 0


PROGRAM = """
import json, sys
for line in sys.stdin:
    x, k = json.loads(line)
    print(json.dumps([k * entry ** 3 for entry in x]), flush=True)
"""


@functools.cache
def server() -> Any:
    """A program of somebody else's that computes when it is asked."""
    process = subprocess.Popen([sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(process.communicate)
    return process


@extend.recorded
def simulated(x, k):
    plainly(x, k)
    server().stdin.write(json.dumps([list(x), float(k)]) + "\n")
    server().stdin.flush()
    return np.array(json.loads(server().stdout.readline()))


@extend.elementwise(simulated)
def simulated_rule(g, z, x, k):
    return 3 * g * z / x, g * z / k


@extend.recorded
def label(x):
    plainly(x)
    return int(np.sum(x) > 0)


extend.constant(label)
