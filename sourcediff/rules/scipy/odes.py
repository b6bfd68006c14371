"""SciPy's initial value problems: the derivative of the discrete solution, step by step.

Of the explicit methods (RK23, RK45, DOP853) the accepted steps are repeated with what is differentiated: the result is the derivative of
the numbers that the solver gives, exactly, step sizes being constants (E. Hairer, S. P. Nørsett, G. Wanner, "Solving Ordinary Differential
Equations I", 1993, II.4-6). The others (LSODA, BDF, Radau, and ``odeint``) are repeated by DOP853 with the same tolerances, or, where
that takes many more calls (a stiff equation), on their own steps by the Radau IIA method of order 5 (part II, IV.8): the derivative differs
from that of the exact solution by what the tolerances allow. Output times, the ends of the interval and events are differentiated too.
"""

import itertools
from functools import cached_property
from typing import Any

import numpy as np
from scipy import integrate

from ...runtime.solving import linearised, root_at, settled
from ..library_functions import functional, repeated
from .optimize import as_tuple, refuse


def tables_of(kind):
    """The tables of a method: its stages, those of the end and of the dense output too, their times, the number of the end, and the dense
    output, ``y(x) = y + h * (powers of x) @ dense @ slopes``."""
    first, size = kind.n_stages, kind.n_stages + 1 + len(getattr(kind, "C_EXTRA", ()))
    stages, times = np.zeros((size, size)), np.array([*kind.C, 1.0, *getattr(kind, "C_EXTRA", ())])
    stages[:first, :kind.A.shape[1]] = kind.A[:first]
    stages[first, :first] = kind.B
    if kind is not integrate.DOP853:
        return stages, times, first, kind.P.T
    stages[first + 1:] = kind.A_EXTRA
    moved = stages[first]
    start, end = np.eye(size)[0], np.eye(size)[first]
    rows = [moved, start - moved, 2 * moved - (end + start), *kind.D]
    x, rest = np.polynomial.Polynomial([0.0, 1.0]), np.polynomial.Polynomial([1.0, -1.0])
    dense = np.zeros((len(rows), size))
    for k, row in enumerate(rows):
        shape = (x ** (k // 2 + 1) * rest ** ((k + 1) // 2)).coef[1:]
        dense[:len(shape)] += np.outer(shape, row)
    return stages, times, first, dense


EXPLICIT = {name: tables_of(getattr(integrate, name)) for name in ("RK23", "RK45", "DOP853")}
"""The explicit methods and their tables."""

STIFF = 4
"""So many times more calls an explicit method may need than an implicit one."""

ROOT6 = 6.0**0.5
RADAU_C = [(4 - ROOT6) / 10, (4 + ROOT6) / 10, 1.0]
RADAU_A = [
    [(88 - 7 * ROOT6) / 360, (296 - 169 * ROOT6) / 1800, (-2 + 3 * ROOT6) / 225],
    [(296 + 169 * ROOT6) / 1800, (88 + 7 * ROOT6) / 360, (-2 - 3 * ROOT6) / 225],
    [(16 - ROOT6) / 36, (16 + ROOT6) / 36, 1 / 9],
]


class ExplicitStep:
    """One step of an explicit Runge-Kutta method from ``y`` at ``t``, and its dense output."""

    def __init__(self, tables, fun, t, y, h):
        (self.stages, self.times, last, self.dense), self.fun, self.t, self.y, self.h = tables, fun, t, y, h
        self.slopes = [fun(t, y)]
        self.add_slopes(last)
        self.end = self.at_stage(last)

    def at_stage(self, number):
        """The values at a stage."""
        return self.y + self.h * combined(self.stages[number].tolist(), self.slopes)

    def add_slopes(self, count):
        """Compute the slopes at the stages up to a number of them."""
        for number in range(len(self.slopes), count):
            self.slopes.append(self.fun(self.t + float(self.times[number]) * self.h, self.at_stage(number)))

    @cached_property
    def parts(self):
        """What the solution within the step is a polynomial of: of the powers of x."""
        self.add_slopes(len(self.times))
        return [self.h * combined(row, self.slopes) for row in self.dense.tolist()]

    def at(self, t):
        """The solution within the step."""
        x = (t - self.t) / self.h
        value = 0.0
        for part in reversed(self.parts):
            value = (value + part) * x
        return self.y + value


class RadauStep:
    """One step of the Radau IIA method of order 5, near the values ``guess`` at its three stages, and its collocation polynomial."""

    def __init__(self, guess, fun, t, y, h):
        self.t, self.y, self.h = t, y, h
        stages = guess
        for _ in range(2):
            stages = self.corrected(stages, fun)
        self.stages = stages
        self.end = stages[-1]

    def corrected(self, stages, fun):
        """The stages after a step of Newton's method."""
        size = np.size(stages[0])
        slopes, changes = zip(*(linearised(at_time(fun, self.t + c * self.h), stage) for c, stage in zip(RADAU_C, stages)))
        left = [stage - self.y - self.h * combined(row, slopes) for stage, row in zip(stages, RADAU_A)]
        rows = [[(k == j) * np.eye(size) - self.h * weight * change for j, (weight, change) in enumerate(zip(row, changes))]
                for k, row in enumerate(RADAU_A)]
        matrix = np.concatenate([np.concatenate(row, axis=1) for row in rows])
        moved = np.linalg.solve(matrix, np.concatenate(left))
        return [stage - moved[k * size:(k + 1) * size] for k, stage in enumerate(stages)]

    def at(self, t):
        """The solution within the step: the polynomial through its beginning and its stages."""
        x = (t - self.t) / self.h
        nodes = [0.0, *RADAU_C]
        total = 0.0
        for k, value in enumerate([self.y, *self.stages]):
            share = 1.0
            for other in [node for j, node in enumerate(nodes) if j != k]:
                share = share * (x - other) / (nodes[k] - other)
            total = total + share * value
        return total


class StiffError(Exception):
    """An explicit method takes too many calls."""


def counted(fun, most):
    """A function that may be called so many times."""
    left = [max(most, 400)]

    def called(t, y):
        left[0] -= 1
        if left[0] < 0:
            raise StiffError
        return fun(t, y)

    return called


def combined(weights, parts):
    """The sum of parts, each with its weight."""
    total = 0.0
    for weight, part in zip(weights, parts):
        if weight:
            total = total + weight * part
    return total


def at_time(fun, t):
    """The slope as a function of the values alone."""
    return lambda y: fun(t, y)


class Trajectory:
    """The steps of a solution: called with a time it gives the values there."""

    def __init__(self, steps, t0, y0, forward):
        self.steps, self.t0, self.y0, self.forward = steps, t0, y0, forward
        self.starts = settled(list, [step.t for step in steps])

    def __call__(self, t):
        return np.transpose(self.along(t)) if np.ndim(t) else self.along(np.stack([t]))[0]

    def along(self, times):
        """The values at some times, a row for each."""
        if not self.steps:
            return np.stack([self.y0 for _ in times])
        rows = []
        for k, places in itertools.groupby(range(len(times)), [self.number(time) for time in settled(list, times)].__getitem__):
            first, *others = places
            rows.append(self.steps[k].at(np.expand_dims(times[first:first + len(others) + 1], 1)))
        return np.concatenate(rows)

    def number(self, time):
        """Which of the steps a time lies in."""
        later = [k for k, start in enumerate(self.starts) if (start < time if self.forward else start > time)]
        return later[-1] if later else 0


def explicit(fun, span, y0, method, found, options):
    """The tables of an explicit method, and a solution by it: the one that a solver has found, or by DOP853; None where it is stiff."""
    if method in EXPLICIT:
        return EXPLICIT[method], found.sol
    given = {key: options[key] for key in ("rtol", "atol") if key in options}
    try:
        again = settled(integrate.solve_ivp, counted(fun, STIFF * found.nfev), (span[0], float(found.sol.ts[-1])), y0, "DOP853", None, True,
                        **given)
    except StiffError:
        return None, found.sol
    return EXPLICIT["DOP853"], again.sol


def trajectory(fun, t_span, y0, method, found, options):
    """The solution that a solver has found, its steps repeated."""
    start, end = t_span
    first, last = settled(list, t_span)
    kind, solution = explicit(fun, (first, last), y0, method, found, options)
    places = (solution.ts - first) / (last - first)
    y: Any = y0
    steps: list[Any] = []
    for left, right in itertools.pairwise(places):
        t, h = start + left * (end - start), (right - left) * (end - start)
        if kind is not None:
            steps.append(ExplicitStep(kind, fun, t, y, h))
        else:
            times = settled(lambda t=t, h=h: [t + c * h for c in RADAU_C])
            steps.append(RadauStep([solution(time) for time in times], fun, t, y, h))
        y = steps[-1].end
    return Trajectory(steps, start, y0, last >= first)


def settle_ivp(fun, t_span, y0, method="RK45", t_eval=None, dense_output=False, events=None, vectorized=False, args=None, **options):
    """The answer of ``solve_ivp`` and its steps, where nothing but times and values are asked of it."""
    if not isinstance(method, str) or dense_output or events is not None or vectorized:
        return None, None
    found = integrate.solve_ivp(fun, t_span, y0, method, None, True, args=args, **options)
    if t_eval is not None and found.success:
        found.t, found.y = np.asarray(t_eval), found.sol(t_eval)
    return found, steps_of(lambda t, y: np.asarray(fun(t, y, *(args or ()))), t_span, y0, method, found, options)


def steps_of(fun, t_span, y0, method, found, options):
    """The steps of a solution and its output times as parts of its interval, the numbers of the first output in each step, and the tables
    of the method."""
    if not found.success or found.y.dtype != np.float64 or t_span[0] == t_span[1]:
        return None
    tables, solution = explicit(fun, t_span, y0, method, found, options)
    sign = 1.0 if t_span[1] > t_span[0] else -1.0
    steps = np.maximum(np.searchsorted(sign * solution.ts[:-1], sign * found.t) - 1, 0)
    places, outputs = ((times - t_span[0]) / (t_span[1] - t_span[0]) for times in (solution.ts, found.t))
    return None if tables is None else (places, outputs, np.searchsorted(steps, np.arange(len(places))), *tables)


def steps_again(steps, fun, t_span, y0, t_eval, args):
    """The times of output and the values there, a row for each, the steps being given."""
    places, outputs, first, stages, moments, last, dense = steps
    start, end = t_span
    times = start + outputs * (end - start) if t_eval is None else np.asarray(t_eval)
    y = np.asarray(y0) + 0.0
    slopes = np.zeros((len(moments), len(y)))
    slopes[last] = fun(start, y, *args)
    rows = np.zeros((len(times), len(y)))
    for k in range(len(places) - 1):
        t = start + places[k] * (end - start)
        h = (places[k + 1] - places[k]) * (end - start)
        slopes[0] = slopes[last]
        for s in range(1, len(moments) if first[k + 1] > first[k] else last + 1):
            slopes[s] = fun(t + moments[s] * h, y + h * (stages[s, :s] @ slopes[:s]), *args)
        for j in range(first[k], first[k + 1]):
            x = (times[j] - t) / h
            rows[j] = y + h * (x ** np.arange(1, len(dense) + 1) @ dense @ slopes)
        y = y + h * (stages[last, :last] @ slopes[:last])
    return times, rows


def ivp_again(steps, fun, t_span, y0, method="RK45", t_eval=None, dense_output=False, events=None, vectorized=False, args=(), **options):
    times, rows = steps_again(steps, fun, t_span, y0, t_eval, args)
    return times, np.transpose(rows)


repeated(integrate.solve_ivp, settle_ivp, ivp_again, ("t", "y"), ranks=(1, 2))


def settle_odeint(func, y0, t, args=(), Dfun=None, col_deriv=0, full_output=0, *positions, rtol=None, atol=None, tfirst=False, **options):
    """The answer of ``odeint``, and the steps of an explicit method with the same tolerances."""
    answer = integrate.odeint(func, y0, t, args, Dfun, col_deriv, full_output, *positions, rtol=rtol, atol=atol, tfirst=tfirst, **options)
    if full_output or not isinstance(args, tuple):
        return None, None

    def slope(time, y):
        return np.asarray(func(time, y, *args) if tfirst else func(y, time, *args))

    span, tolerances = (t[0], t[-1]), {"rtol": 1.49e-8 if rtol is None else rtol, "atol": 1.49e-8 if atol is None else atol}
    found = integrate.solve_ivp(slope, span, np.atleast_1d(y0), "LSODA", None, True, **tolerances)
    found.t = np.asarray(t)
    return answer, steps_of(slope, span, np.atleast_1d(y0), "LSODA", found, tolerances)


def odeint_again(steps, func, y0, t, args=(), *positions, tfirst=False, **options):
    slope = func if tfirst else lambda time, y, *given: func(y, time, *given)
    return steps_again(steps, slope, (t[0], t[-1]), np.atleast_1d(y0), t, args)[1]


repeated(integrate.odeint, settle_odeint, odeint_again, ranks=2)


@functional(integrate.solve_ivp)
def solve_ivp(fun, t_span, y0, method="RK45", t_eval=None, dense_output=False, events=None, vectorized=False, args=None, **options):
    if not isinstance(method, str):
        refuse("scipy.integrate.solve_ivp", method=method)
    given = () if args is None else as_tuple(args)

    def slope(t, y):
        return np.asarray(fun(t, y, *given)) + 0.0 * y

    y0 = np.asarray(y0) + 0.0
    found = settled(integrate.solve_ivp, fun, t_span, y0, method, None, True, events, vectorized, args, **options)
    if not found.success:
        return settled(integrate.solve_ivp, fun, t_span, y0, method, t_eval, dense_output, events, vectorized, args, **options)
    path = trajectory(slope, t_span, y0, method, found, options)
    happened = [events] if callable(events) else events or []
    stop = None
    if events is not None:
        times = [[event_time(event, time, path, given) for time in known] for event, known in zip(happened, found.t_events)]
        stop = next((known[-1] for event, known in zip(happened, times) if getattr(event, "terminal", False) and known
                     and settled(lambda known=known: known[-1]) == found.t[-1]), None)
        found.t_events = [np.stack(known) if known else np.empty(0) for known in times]
        found.y_events = [np.stack([path(time) for time in known]) if known else np.empty((0,)) for known in times]
    if t_eval is None:
        start, end = t_span
        places = (found.t - found.t[0]) / (settled(list, t_span)[1] - found.t[0])
        times = [start + place * (end - start) for place in places]
    else:
        times = [time for time in t_eval if stop is None or (time - found.t[-1]) * (found.t[-1] - found.t[0]) <= 0]
    if stop is not None and t_eval is None:
        times[-1] = stop
    t = np.stack(times) if t_eval is None or stop is not None else np.asarray(t_eval)
    y = path(t)
    plain = settled(found.sol, t)
    found.t, found.y = t, y + (plain - settled(lambda: y))
    found.sol = path if dense_output else None
    return found


def event_time(event, time, path, given):
    """When an event happens, near a time."""
    return root_at(lambda t: event(t, path(t), *given), float(time))


@functional(integrate.odeint)
def odeint(func, y0, t, args=(), Dfun=None, col_deriv=0, full_output=0, *positions, rtol=None, atol=None, tfirst=False, **options):
    options = {"rtol": rtol, "atol": atol, "tfirst": tfirst, **options}
    found = settled(integrate.odeint, func, y0, t, args, Dfun, col_deriv, full_output, *positions, **options)
    y0 = np.atleast_1d(np.asarray(y0)) + 0.0
    given = as_tuple(args)

    def slope(time, y):
        return np.asarray(func(time, y, *given) if tfirst else func(y, time, *given)) + 0.0 * y

    tolerances = {"rtol": 1.49e-8 if rtol is None else rtol, "atol": 1.49e-8 if atol is None else atol}
    span = (t[0], t[-1])
    near = settled(integrate.solve_ivp, slope, span, y0, "LSODA", None, True, **tolerances)
    path = trajectory(slope, span, y0, "LSODA", near, tolerances)
    y = path.along(t)
    values = found[0] if full_output else found
    y = y + (values - settled(lambda: y))
    return (y, found[1]) if full_output else y
