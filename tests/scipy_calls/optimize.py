"""scipy.optimize."""

import numpy as np
import scipy.optimize as opt
from scipy import optimize
from scipy.optimize import (
    bisect,
    brentq,
    curve_fit,
    fixed_point,
    fsolve,
    least_squares,
    leastsq,
    linear_sum_assignment,
    lsq_linear,
    minimize,
    minimize_scalar,
    newton,
    nnls,
    root,
    root_scalar,
    rosen,
    rosen_der,
)

from tests.corpus.case import array, number, positive

from .call import call, near

TIMES = np.linspace(0, 2, 12)
DECAY = 2.5 * np.exp(-1.3 * TIMES) + 0.05 * np.cos(7.0 * np.arange(12))


def f(x, a):
    return x**3 + a * x - 1


@call(number(0.8))
def brentq_with_args(a):
    return brentq(f, 0, 2, args=(a,), xtol=1e-14)


@call(number(0.8))
def brentq_of_a_closure(a):
    x = brentq(lambda x: np.cos(x) - a * x, 0, 2, xtol=1e-14)
    return x**2


@call(positive("4"))
def a_root_for_each(a):
    return sum(brentq(f, 0, 2, args=(ai,), xtol=1e-14) for ai in a)


@call(number(0.8))
def bisection(a):
    return bisect(f, 0, 2, args=(a,), xtol=1e-14)


@call(number(0.8))
def newton_with_a_derivative(a):
    return newton(f, 1.0, fprime=lambda x, a: 3 * x**2 + a, args=(a,), tol=1e-13)


@call(number(1.2))
def secant(c):
    return optimize.newton(lambda x: np.exp(x) - 3 * c, 0.8, tol=1e-14)


@call(positive("5"))
def vectorised_newton(a):
    return np.sum(newton(lambda x: x**3 - a, np.ones(5), fprime=lambda x: 3 * x**2, tol=1e-14))


@call(number(0.3))
def keplers_equation(e):
    sol = root_scalar(lambda E: E - e * np.sin(E) - 1.0, bracket=[0, 3], method="brentq", xtol=1e-14)
    return sol.root


def equations(x, a, b):
    return [x[0] * np.cos(x[1]) - a, x[1] * x[0] - x[1] - b]


@call(number(4.0), number(5.0))
def system_by_fsolve(a, b):
    x = fsolve(equations, [1, 1], args=(a, b), xtol=1e-13)
    return np.sum(x**2)


@call(near(0.5, 1.2))
def system_by_root(p):
    def fun(x):
        return np.array([x[0] + 0.5 * (x[0] - x[1]) ** 3 - p[0], 0.5 * (x[1] - x[0]) ** 3 + x[1] - p[1]])

    sol = root(fun, [0, 0], method="hybr", tol=1e-13)
    return sol.x[0] * sol.x[1]


@call(number(0.6), number(1.1))
def fixed_point_of_a_map(c1, c2):
    return float(fixed_point(lambda x: np.sqrt(c1 / (x + c2)), 1.2, xtol=1e-13))


@call(number(1.2), number(0.7))
def minimum_with_args(a, b):
    def cost(x, a, b):
        return (x[0] - a) ** 2 + b * (x[1] - x[0] ** 2) ** 2 + 0.1 * x[1] ** 4

    res = minimize(cost, [0.5, 0.5], args=(a, b), tol=1e-10)
    return np.sum(res.x**2)


@call(array("3"))
def minimum_of_a_closure(y):
    def slope(x):
        return 2 * (x - y) + np.sinh(x)

    res = minimize(lambda x: np.sum((x - y) ** 2) + np.sum(np.cosh(x)), np.zeros(3), method="BFGS", jac=slope, options={"gtol": 1e-12})
    return np.sum(res.x**2)


@call(number(1.1))
def minimum_with_a_gradient(a):
    res = minimize(lambda x: rosen(x) + a * x @ x, np.zeros(3), jac=lambda x: rosen_der(x) + 2 * a * x, method="L-BFGS-B", tol=1e-15)
    return res.x[0] + res.x[2]


@call(number(0.9))
def value_at_the_minimum(a):
    return minimize(lambda x: (x[0] - a) ** 2 + np.exp(x[0]), [0.0], tol=1e-10).fun


@call(number(1.4))
def minimum_of_a_line(a):
    res = minimize_scalar(lambda x: (x - a) ** 2 + 0.3 * x**4, bracket=(0, 1), tol=1e-12)
    return res.x


@call(number(0.6))
def bounded_minimum(a):
    return minimize_scalar(lambda x: np.exp(x) - 3 * a * x, bounds=(0, 2), method="bounded", options={"xatol": 1e-10}).fun


@call(near(*DECAY))
def residuals_with_args(y):
    res = least_squares(lambda p, t, y: p[0] * np.exp(-p[1] * t) - y, [1.0, 1.0], args=(TIMES, y), xtol=1e-14, ftol=1e-14, gtol=1e-14)
    return np.sum(res.x**2)


@call(near(*DECAY))
def residuals_within_bounds(y):
    def fun(p):
        return p[0] * np.exp(-p[1] * TIMES) - y

    return least_squares(fun, [1.0, 1.0], bounds=([0, 0], [5, 5]), xtol=1e-14, ftol=1e-14, gtol=1e-14).x[1]


@call(near(*DECAY))
def leastsq_as_it_was(y):
    p, ier = leastsq(lambda p: y - p[0] * np.exp(-p[1] * TIMES), [1.0, 1.0], xtol=1e-14, ftol=1e-14)
    return p[0] / p[1]


def func(x, a, b, c):
    return a * np.exp(-b * x) + c


@call(near(*DECAY + 0.5))
def fitted_curve(y):
    popt, pcov = curve_fit(func, TIMES, y, xtol=1e-14, ftol=1e-14)
    return np.sum(popt**2)


def slopes(x, a, b, c):
    return np.stack([np.exp(-b * x), -a * x * np.exp(-b * x), np.ones(12)], axis=1)


@call(near(*DECAY + 0.5), positive("12"))
def fitted_with_sigma(y, sigma):
    popt, _ = curve_fit(func, TIMES, y, p0=[2.0, 1.0, 0.3], sigma=sigma, jac=slopes, xtol=1e-14, ftol=1e-14)
    return popt[1]


@call(positive("6 3"), positive("6"))
def non_negative(A, b):
    x, rnorm = nnls(A, b)
    return np.sum(x**2)


@call(array("6 3"), array("6"))
def linear_within_bounds(A, b):
    return np.sum(lsq_linear(A, b, bounds=(-10, 10), tol=1e-14).x ** 2)


@call(array("4 4"))
def cost_of_an_assignment(cost):
    row_ind, col_ind = linear_sum_assignment(cost)
    return cost[row_ind, col_ind].sum()


@call(array("5"))
def rosenbrock(x):
    return opt.rosen(x)
