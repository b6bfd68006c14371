"""scipy.integrate."""

import numpy as np
import scipy.integrate as integrate
from scipy.integrate import (
    cumulative_trapezoid,
    dblquad,
    fixed_quad,
    odeint,
    quad,
    quad_vec,
    romb,
    simpson,
    solve_bvp,
    solve_ivp,
    trapezoid,
)

from tests.corpus.case import array, number, positive

from .call import call, increasing, near


@call(number(1.3))
def quad_of_a_lambda(a):
    return quad(lambda t: np.exp(-a * t), 0, 1)[0]


def integrand(x, a, b):
    return a * x**2 + b


@call(number(2.0), number(1.0))
def quad_with_args(a, b):
    I, err = quad(integrand, 0, 1, args=(a, b))
    return I


@call(number(0.2), number(1.7))
def quad_of_its_limits(lower, upper):
    return integrate.quad(lambda t: np.exp(-(t**2)), lower, upper)[0] ** 2


@call(number(1.5))
def quad_to_infinity(n):
    return quad(lambda t, n: np.exp(-n * t) / (1 + t**2), 0, np.inf, args=(n,))[0]


@call(number(0.6))
def period_of_a_pendulum(amplitude):
    k = np.sin(amplitude / 2)
    value, _ = quad(lambda u: 1 / np.sqrt(1 - k**2 * np.sin(u) ** 2), 0, np.pi / 2)
    return 4 * value


@call(positive("4"))
def several_integrals(rates):
    return sum(quad(lambda t, r=r: t * np.exp(-r * t), 0, 2)[0] for r in rates)


@call(number(0.8))
def double_integral(a):
    return dblquad(lambda y, x: np.exp(-a * x * y), 0, 1, 0, lambda x: x)[0]


@call(number(1.4))
def vector_valued(a):
    y, err = quad_vec(lambda x: np.cos(a * x * np.arange(4)), 0, 2)
    return np.sum(y**2)


@call(number(0.5), number(2.0))
def gaussian_quadrature(a, b):
    return fixed_quad(np.cos, a, b, n=5)[0]


@call(array("9"), increasing(0.0, 2.0, "9"))
def area_under_points(y, x):
    return trapezoid(y**2, x)


@call(array("5 9"))
def areas_of_rows(y):
    return np.sum(integrate.trapezoid(y, dx=0.1, axis=1) ** 2)


@call(array("9"), np.linspace(0, 1, 9))
def running_area(y, x):
    F = cumulative_trapezoid(y, x, initial=0)
    return np.sum(F**2)


@call(array("9"), np.linspace(0, 1, 9))
def simpsons_rule(y, x):
    return simpson(y**2, x=x)


@call(array("9"))
def romberg(y):
    return romb(np.sin(y), dx=0.125)


def pendulum(y, t, b, c):
    theta, omega = y
    return [omega, -b * omega - c * np.sin(theta)]


@call(number(0.25), number(5.0))
def damped_pendulum(b, c):
    sol = odeint(pendulum, [np.pi - 0.1, 0.0], np.linspace(0, 2, 11), args=(b, c), rtol=1e-11, atol=1e-11)
    return np.mean(sol[:, 0] ** 2)


@call(near(1.5, 0.4))
def odeint_of_initial_values(y0):
    y = odeint(lambda y, t: [y[1], -y[0] ** 3], y0, np.linspace(0, 1.5, 7), rtol=1e-11, atol=1e-11)
    return np.sum(y[-1] ** 2)


@call(number(0.5), near(2.0, 4.0, 8.0))
def exponential_decay(k, y0):
    sol = solve_ivp(lambda t, y: -k * y, [0, 3], y0, rtol=1e-10, atol=1e-12)
    return np.sum(sol.y[:, -1] ** 2)


def lotkavolterra(t, z, a, b, c, d):
    x, y = z
    return [a * x - b * x * y, -c * y + d * x * y]


@call(number(1.5), number(1.0), number(3.0), number(1.0))
def predator_and_prey(a, b, c, d):
    t = np.linspace(0, 2, 9)
    sol = solve_ivp(lotkavolterra, [0, 2], [2, 1], args=(a, b, c, d), t_eval=t, rtol=1e-10, atol=1e-10)
    return np.sum(sol.y**2)


@call(number(1.2), np.linspace(0.0, 1.0, 6))
def solution_at_given_times(a, ts):
    def fun(t, y):
        return -a * y + np.sin(t)

    return np.sum(solve_ivp(fun, (0, 1), [a], t_eval=ts, rtol=1e-10, atol=1e-12).y)


@call(number(2.0), near(1.0, 0.5))
def dop853_of_an_oscillator(omega, y0):
    f = lambda t, y: np.array([y[1], -(omega**2) * y[0]])  # noqa: E731
    return solve_ivp(f, (0.0, 1.0), y0, method="DOP853", rtol=1e-11, atol=1e-11).y[0, -1]


@call(number(3.0))
def stiff_van_der_pol(mu):
    def vdp(t, y):
        return [y[1], mu * (1 - y[0] ** 2) * y[1] - y[0]]

    return solve_ivp(vdp, (0, 1.5), [2.0, 0.0], method="Radau", rtol=1e-10, atol=1e-10).y[0, -1]


@call(near(0.04, 1.0, 2.0))
def reaction_kinetics(k):
    def rates(t, c):
        r1, r2 = k[0] * c[0], k[1] * c[1] * c[2]
        return np.array([-r1 + r2, r1 - r2 - k[2] * c[1] ** 2, k[2] * c[1] ** 2])

    sol = solve_ivp(rates, (0, 5), [1.0, 0.0, 0.0], method="BDF", rtol=1e-9, atol=1e-11)
    return sol.y[2, -1]


@call(number(0.9))
def lsoda_by_name(a):
    sol = solve_ivp(lambda t, y: a * y * (1 - y), (0, 4), [0.1], method="LSODA", rtol=1e-10, atol=1e-12)
    return sol.y[0, -1]


@call(number(0.7), np.linspace(0.2, 1.8, 5))
def dense_output(k, t):
    sol = solve_ivp(lambda t, y: [-k * y[0] ** 2], [0, 2], [3.0], dense_output=True, rtol=1e-10, atol=1e-12)
    return np.sum(sol.sol(t)[0] ** 2)


def hit_ground(t, y):
    return y[0]


hit_ground.terminal = True
hit_ground.direction = -1


@call(number(9.81), number(5.0))
def cannon_until_it_hits_the_ground(g, v):
    sol = solve_ivp(lambda t, y: [y[1], -g - 0.1 * y[1]], [0, 10], [1.0, v], events=hit_ground, rtol=1e-10, atol=1e-10)
    return sol.t_events[0][0]


@call(number(1.0))
def boundary_values(a):
    def bratu(x, y):
        return np.vstack((y[1], -a * np.exp(y[0])))

    sol = solve_bvp(bratu, lambda ya, yb: np.array([ya[0], yb[0]]), np.linspace(0, 1, 6), np.zeros((2, 6)), tol=1e-8)
    return sol.sol(0.5)[0]
