"""Calls of libraries as programs make them: lists for arrays, answers of solvers under one name, interpolants in lists."""

import heapq

import numpy as np
import pytest
from scipy import integrate, interpolate, optimize, stats

from ..differences import assert_compiled


def parameters_in_lists(x):
    found = stats.norm.logpdf(x[:2], loc=[0.1, 0.2], scale=[1.0, 2.0]).sum() + stats.norm.logpdf([x[2], x[3]], 0.0, 1 + x[4] ** 2).sum()
    return found + stats.gamma.logpdf(np.exp(x[:2]), a=[1.5, 2.5]).sum() + stats.beta.logpdf([0.2, 0.3], np.exp(x[0]), np.exp(x[1])).sum()


def left(z, a, b):
    return np.array([z[0] + 0.1 * z[1] ** 3 - a, z[1] + 0.1 * z[0] - b])


def solved(a, b):
    z = np.array([0.5, 0.5])
    z[0] = 0.6
    answer = optimize.root(left, z, args=(a, b), tol=1e-13)
    if np.max(np.abs(answer.fun)) > 1e-6:
        raise RuntimeError(answer.message)
    return answer.x


def what_a_solver_leaves(x):
    return np.sum(solved(1 + x[0] ** 2, np.exp(x[1])) ** 2) * x[2]


def rises(feed, rate):
    return lambda t, y: [feed(t) - rate * y[0]]


def fed(rate, start):
    feeds = (0.0, 1.0, lambda t: start), (1.0, 2.0, lambda t: start * np.exp(-t))
    y, found = np.array([start]), {}
    for begin, end, feed in feeds:
        answer = integrate.solve_ivp(rises(feed, rate), (begin, end), y, t_eval=[end], rtol=1e-10, atol=1e-12)
        found[end] = answer.y[:, 0]
        y = answer.y[:, -1]
    return found


def phases_of_a_solver(x):
    found = fed(1 + x[0] ** 2, np.exp(x[1]))
    return (found[1.0] * x[2] + found[2.0] ** 2).sum()


def splines_in_a_list(x):
    nodes = np.linspace(0.0, 1.0, 5)
    splines = [interpolate.CubicSpline(nodes, row, bc_type="natural") for row in (x, x ** 2)]
    total = 0.0
    for k in range(4):
        for i, sign in enumerate((1.0, -1.0)):
            total += sign * splines[i](0.1 + 0.2 * k) ** 2
    return total


def queued(x):
    queue = []
    for k in range(5):
        heapq.heappush(queue, (x[k], k, "in" if k % 2 else "out", x[k] * k))
    return queue


def a_queue_that_is_returned(x):
    queue = queued(x)
    total = 0.0
    while queue:
        time, _, what, amount = heapq.heappop(queue)
        total += time * (len(queue) + 1) + (amount if what == "in" else -amount)
    return total


def a_place_on_the_diagonal(x):
    matrix = np.outer(x[:3], x[1:4])
    matrix[np.diag_indices_from(matrix)] += x[4] * np.trace(matrix)
    matrix[np.tril_indices_from(matrix, -1)] *= 2.0
    i, j = np.triu_indices_from(matrix, k=1)
    return (matrix ** 3).sum() + matrix[i, j].sum()


def series_of_polynomials(x):
    slopes = np.polynomial.chebyshev.chebder(x, 2)
    return slopes @ slopes + np.polynomial.polynomial.polyder(x)[-1] * np.polynomial.legendre.legder(x).sum()


def sums_by_simpson(x):
    places = np.array([0.0, 0.3, 0.7, 1.2, 1.5])
    if not hasattr(integrate, "cumulative_simpson"):
        return x.sum()
    return np.sum(integrate.cumulative_simpson(x, x=places, initial=0) ** 2) + np.sum(integrate.cumulative_simpson(x, dx=0.2)[::2])


@pytest.mark.parametrize("program", [
    parameters_in_lists, what_a_solver_leaves, phases_of_a_solver, splines_in_a_list, a_queue_that_is_returned, a_place_on_the_diagonal,
    series_of_polynomials, sums_by_simpson,
])
def test_it_is_right(program):
    assert_compiled(program)
