"""Integrals and initial value problems: integrand, limits, parameters, initial values, output times, events; both engines."""

import numpy as np
import pytest

import sourcediff
from sourcediff.dispatch.transform_calls import TransformCall

integrate = pytest.importorskip("scipy.integrate", reason="SciPy is not installed")

A = np.array([0.7, 0.4])


def finite(a):
    return integrate.quad(lambda t: np.exp(-a[0] * t) * np.cos(a[1] * t), 0, a[0])[0]


def infinite(a):
    tail = integrate.quad(lambda t: np.exp(-a[0] * t), a[1], np.inf)[0]
    return tail + integrate.quad(lambda t, k: np.exp(-k * t * t), -np.inf, np.inf, args=(a[1],))[0]


def nested(a):
    value, _ = integrate.dblquad(lambda y, x: a[0] * x * y**2 + a[1] * x, 0, a[1], 0, lambda x: x * a[0])
    return value * 3


def gauss(a):
    return integrate.fixed_quad(lambda t: np.exp(-a[0] * t), 0, a[1], n=6)[0]


def oscillator(t, y, a, b):
    return [y[1], -a * y[0] - b * y[1]]


def solved_by(method, tolerance=1e-9):
    def f(a):
        start, times = [a[0], 0.0], np.linspace(0, 2, 5)
        sol = integrate.solve_ivp(oscillator, (0, 2), start, method, times, args=(2 * a[0], a[1]), rtol=tolerance, atol=tolerance)
        return np.sum(sol.y[0] ** 2) + sol.y[1, -1]

    f.__name__ = method
    return f


def until(a):
    def decay(t, y):
        return -a[0] * y + np.sin(t * a[1])

    sol = integrate.solve_ivp(decay, (0, a[1] * 4), [a[0]], rtol=1e-8, atol=1e-8)
    return sol.y[0, -1] ** 2


def ground(t, y):
    return y[0]


ground.terminal = True


def thrown(a):
    sol = integrate.solve_ivp(lambda t, y: [y[1], -9.8 * a[0]], (0, 100), [a[1] + 1, 3.0], events=ground, rtol=1e-9, atol=1e-9)
    return sol.t[-1] ** 2 + sol.t_events[0][0]


def dense(a):
    sol = integrate.solve_ivp(lambda t, y: -a[0] * y, (0, 1), [a[1]], rtol=1e-8, atol=1e-8, dense_output=True)
    return sol.sol(0.3)[0] + np.sum(sol.sol(np.array([0.1, 0.9])))


def pendulum(a):
    y = integrate.odeint(lambda y, t: [y[1], -a[0] * np.sin(y[0]) - a[1] * y[1]], [1.0, a[0]], np.linspace(0, 2, 5), rtol=1e-10, atol=1e-10)
    return np.sum(y[:, 0] ** 2)


def stiff(a):
    fast = integrate.solve_ivp(lambda t, y: [-1e4 * a[0] * (y[0] - np.cos(t)) - a[1]], (0, 0.1), [0.0], "BDF", rtol=1e-7, atol=1e-9)
    return fast.y[0, -1] * 1e3


def from_above(a):
    falling = integrate.quad(lambda t: np.exp(-a[0] * t), a[1] + 1, a[1])[0]
    tail = integrate.quad(lambda t: np.exp(a[0] * t) * (t + 3), a[1], -np.inf)[0]
    return falling + tail * integrate.quad(gaussian, np.inf, a[1], (a[0],))[0]


def gaussian(t, k):
    return np.exp(-k * t * t) * (1 + t)


def between_moving_times(a):
    times = np.linspace(0, 1, 4) * a[0]
    sol = integrate.solve_ivp(lambda t, y: [-a[1] * y[0] + t], (a[0], 0.0), [a[1]], t_eval=times[::-1], rtol=1e-9, atol=1e-9)
    return np.sum(sol.t * sol.y[0]) + len(sol.message)


def at_the_solvers_own_times(a):
    sol = integrate.solve_ivp(oscillator, (0, 2), [a[0], 0.5], "LSODA", args=(a[0], a[1]), rtol=1e-9, atol=1e-9)
    return sol.y[0, -1] + sol.y[1, -1] * sol.t[-1]


def differences(f, h=1e-3):
    return np.array([(8 * (f(A + h * e) - f(A - h * e)) - (f(A + 2 * h * e) - f(A - 2 * h * e))) / (12 * h) for e in np.eye(2)])


COMPILED = [finite, infinite, nested, solved_by("RK45"), solved_by("DOP853"), solved_by("LSODA"), until, thrown, pendulum,
            from_above, between_moving_times, solved_by("Radau"), stiff]
EAGER = [gauss, from_above, between_moving_times, dense, stiff, solved_by("Radau"), solved_by("RK23", 1e-7)]


@pytest.mark.parametrize("f, mode", [
    *((f, "compiled") for f in [*COMPILED, gauss]), *((f, "eager") for f in EAGER),
], ids=lambda part: getattr(part, "__name__", part))
def test_derivatives(f, mode):
    value, gradient = sourcediff.value_and_grad(f, mode=mode)(A)
    np.testing.assert_allclose(value, f(A), rtol=1e-12)
    loose = 3e-5 if f is stiff else 2e-6  # the solver's own digits
    np.testing.assert_allclose(gradient, differences(f), rtol=loose, atol=loose)


@pytest.mark.parametrize("f", [
    finite, infinite, from_above, at_the_solvers_own_times, solved_by("DOP853"), solved_by("BDF"), until, pendulum,
], ids=lambda f: f.__name__)
def test_generated_code_repeats_the_steps(f, monkeypatch):
    monkeypatch.setattr(TransformCall, "recorded", None)  # the eager engine's
    g = sourcediff.grad(f, mode="compiled")
    np.testing.assert_allclose([g(A), g(A)], [differences(f)] * 2, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("f", [finite, solved_by("RK45", 1e-8)], ids=lambda f: f.__name__)
def test_second_order(f):
    g = sourcediff.grad(f, mode="eager")
    np.testing.assert_allclose(sourcediff.hessian(f, mode="eager")(A), differences(g), rtol=1e-5, atol=1e-5)


def test_the_text_calls_the_solver():
    assert "with_pullback((a,), quad_solved, (0,))" in sourcediff.gradient_source(finite, args=(A,))


@pytest.mark.parametrize("method", ["RK45", "DOP853"])
def test_more_output_times_take_no_more_slopes(method):
    taken = []

    def slope(t, y, k):
        taken.append(t)
        return -k * y * np.cos(t)

    def f(k, times):
        found = integrate.solve_ivp(slope, (0, 4), [1.0], method, t_eval=times, args=(k,), rtol=1e-11, atol=1e-12)
        return np.mean(found.y[0] ** 2)

    counts = []
    for times in (np.linspace(0, 4, 300), np.linspace(0, 4, 600)):
        taken.clear()
        expected = np.mean(-2 * np.sin(times) * np.exp(-2 * 0.7 * np.sin(times)))
        assert sourcediff.grad(f, mode="eager")(0.7, times) == pytest.approx(expected, rel=1e-7)
        counts.append(len(taken))
    assert counts[0] == counts[1]
