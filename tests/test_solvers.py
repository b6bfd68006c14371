"""Solvers: the derivative of an answer by the equation that it solves, to second order."""

import numpy as np
import pytest

import sourcediff
from sourcediff.dispatch.transform_calls import TransformCall

optimize = pytest.importorskip("scipy.optimize", reason="SciPy is not installed")

A = np.array([0.7, 0.4])
TIGHT = {"xtol": 1e-14, "ftol": 1e-14, "gtol": 1e-14}


def bracketed(a):
    return optimize.brentq(lambda v: v**3 - a[0] * v - a[1], 0.5, 4) ** 2 + a[0]


def bracketed_with_args(a):
    return sum(solver(lambda v, p, q: v**3 - p * v - q, 0.5, 4.0, args=(a[0], a[1])) for solver in (optimize.brenth, optimize.toms748))


def system(x, a):
    return np.array([x[0] ** 2 + x[1] - a[0], x[0] - a[1] * x[1] ** 3])


def roots(a):
    return np.sum(optimize.root(system, [1.0, 1.0], args=(a,), tol=1e-13).x ** 2) + optimize.fsolve(system, [1.0, 1.0], (a,), xtol=1e-13)[1]


def minimum(a):
    def energy(x):
        return (x[0] - a[0]) ** 2 + a[1] * (x[1] - x[0] ** 2) ** 2 + 0.1 * x[1] ** 4

    def slope(x):
        bent = 2 * a[1] * (x[1] - x[0] ** 2)
        return np.array([2 * (x[0] - a[0]) - 2 * bent * x[0], bent + 0.4 * x[1] ** 3])

    found = optimize.minimize(energy, [0.5, 0.5], method="BFGS", jac=slope, options={"gtol": 1e-13})
    return found.x[0] * found.x[1] + found.fun


def at_a_bound(a):
    def residuals(x):
        return np.array([x[0] - a[0], x[1] - a[1] * x[0], 0.3 * x[0] * x[1]])

    found = optimize.least_squares(residuals, [0.1, 0.5], bounds=([0, 0], [0.2, 9]), **TIGHT)
    return found.x[1] ** 2 + found.cost + found.x[0]


def robust(a):
    return np.sum(optimize.least_squares(lambda x: x - a * np.array([1.0, 5.0]), [0.1, 0.5], loss="soft_l1", **TIGHT).x ** 3)


def fitted(a):
    t = np.linspace(0, 1, 8)
    y = a[1] * np.exp(-a[0] * t) + 0.05 * np.cos(9 * t)

    def slopes(t, k, m):
        return np.stack([-m * t * np.exp(-k * t), np.exp(-k * t)], axis=1)

    fit = optimize.curve_fit(lambda t, k, m: m * np.exp(-k * t), t, y, p0=[1.0, 1.0], jac=slopes, ftol=1e-15, xtol=1e-15)
    return np.sum(fit[0] ** 2) + fit[1][0, 1]


def scalars(a):
    def image(x):
        return np.cos(x) * a[0]

    lowest = optimize.root_scalar(lambda v: np.exp(v) - 3 * a[1], bracket=(-2, 2), xtol=1e-14).root
    return optimize.fixed_point(image, 0.5, xtol=1e-13) + optimize.newton(lambda v: v**2 - a[1], 1.0, tol=1e-14) + lowest


def nonnegative(a):
    x, left = optimize.nnls(np.array([[1.0, 2.0, 0.3], [0.2, 1.0, 1.0], [2.0, 0.1, -1.0]]) * a[0], np.array([1.0, -0.4, a[1]]))
    return np.sum(x**2) + left


def constrained(a):
    held = [
        {"type": "eq", "fun": lambda x, c: x[0] + c * x[1] - a[0], "args": (2.0,)},
        {"type": "ineq", "fun": lambda x: np.array([a[1] - x[1] ** 2 - x[2], x[3] + 10])},
    ]
    found = optimize.minimize(lambda x: np.sum(np.cosh(x - np.arange(4.0) * a[1])), np.zeros(4), constraints=held,
                              bounds=[(-5, 5), (-5, 5), (-5, 5), (-1, 0.5)], method="SLSQP", options={"ftol": 1e-15})
    return np.sum(found.x**2 * np.arange(1.0, 5)) + found.fun


def on_a_sphere(a):
    sphere = {"type": "eq", "fun": lambda x: x @ x - a[0], "jac": lambda x: 2 * x}
    return optimize.minimize(lambda x: x @ np.array([1.0, a[1], 2.0]), np.array([-1.0, 0.1, -1.0]), constraints=sphere, tol=1e-14).x[1]


def sphere_in_closed_form(a):
    """What :func:`on_a_sphere` finds, which it finds to nine digits: too few for differences."""
    return -np.sqrt(a[0]) * a[1] / np.sqrt(5.0 + a[1] ** 2)


EXACT = {on_a_sphere: sphere_in_closed_form}


def differences(f, h=2e-3):
    return np.array([(8 * (f(A + h * e) - f(A - h * e)) - (f(A + 2 * h * e) - f(A - 2 * h * e))) / (12 * h) for e in np.eye(2)])


PROGRAMS = [bracketed, bracketed_with_args, roots, minimum, at_a_bound, robust, fitted, scalars, nonnegative, constrained, on_a_sphere]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_derivatives(f):
    g = sourcediff.grad(f, mode="eager")
    np.testing.assert_allclose(sourcediff.value_and_grad(f, mode="eager")(A)[0], f(A), rtol=1e-8)
    np.testing.assert_allclose(g(A), differences(EXACT.get(f, f)), rtol=2e-6, atol=2e-6)
    np.testing.assert_allclose(sourcediff.hessian(f, mode="eager")(A), differences(g), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("f", [bracketed, roots, scalars], ids=lambda f: f.__name__)
def test_generated_code_derives_what_solves_an_equation(f, monkeypatch):
    monkeypatch.setattr(TransformCall, "recorded", None)  # the eager engine's
    g = sourcediff.grad(f, mode="compiled")
    np.testing.assert_allclose([g(A), g(A)], [differences(f)] * 2, rtol=2e-6, atol=2e-6)


def test_what_a_solver_computes_on_its_way_is_withheld():
    def f(a):
        return np.sum(optimize.minimize(lambda x: np.sum((x - a) ** 2), [0.0, 0.0]).hess_inv)

    with pytest.raises(sourcediff.errors.MissingRuleError, match="hess_inv"):
        sourcediff.grad(f, mode="eager")(A)


EXACTLY = {"ftol": 1e-15}


def on_the_sphere(c):
    held = {"type": "ineq", "fun": lambda x, r: r**2 - np.sum(x**2), "args": (1.0,)}
    found = optimize.minimize(lambda x: np.sum((x - c) ** 2), np.zeros(2), constraints=held, options=EXACTLY)
    return found.x[0] * found.x[1] ** 2 + found.fun


def on_the_sphere_by_hand(c):
    x = c / np.sqrt(np.sum(c**2))
    return x[0] * x[1] ** 2 + np.sum((x - c) ** 2)


def on_a_line(c):
    held = [optimize.LinearConstraint(np.array([[1.0, 1.0], [1.0, -1.0]]), [-np.inf, -9.0], [1.0, 9.0])]
    found = optimize.minimize(lambda x: np.sum((x - c) ** 2 * [1.0, 2.0]), np.zeros(2), method="SLSQP", constraints=held, options=EXACTLY)
    return found.x[0] ** 2 + 3 * found.x[1]


def on_a_line_by_hand(c):
    x = c - (np.sum(c) - 1) * np.array([2.0, 1.0]) / 3
    return x[0] ** 2 + 3 * x[1]


def on_a_circle(c):
    held = optimize.NonlinearConstraint(lambda x: c[0] * np.sum(x**2), 1.0, 1.0)
    found = optimize.minimize(lambda x: -x @ c, np.array([0.5, 0.5]), constraints=held, bounds=[(0, 9), (0, 9)], options=EXACTLY)
    return found.x[0] ** 2 + 3 * found.x[1]


def on_a_circle_by_hand(c):
    x = c / np.sqrt(c[0] * np.sum(c**2))
    return x[0] ** 2 + 3 * x[1]


def in_the_open(c):
    held = {"type": "ineq", "fun": lambda x: 10 - np.sum(x**2)}
    return optimize.minimize(lambda x: np.sum((x - c) ** 2), np.zeros(2), constraints=held, options=EXACTLY).x[1] ** 2


@pytest.mark.parametrize("mode", ["auto", "eager"])
@pytest.mark.parametrize("f, by_hand", [
    (on_the_sphere, on_the_sphere_by_hand), (on_a_line, on_a_line_by_hand), (on_a_circle, on_a_circle_by_hand),
    (in_the_open, lambda c: c[1] ** 2),
], ids=lambda part: part.__name__)
@pytest.mark.filterwarnings("ignore::sourcediff.errors.FallbackWarning")
def test_minima_under_constraints(f, by_hand, mode):
    c = np.array([1.0, 2.0])
    value, gradient = sourcediff.value_and_grad(f, mode=mode)(c)
    np.testing.assert_allclose(value, by_hand(c), rtol=1e-6)
    np.testing.assert_allclose(gradient, sourcediff.grad(by_hand)(c), rtol=1e-6)
    np.testing.assert_allclose(sourcediff.hessian(f, mode=mode)(c), sourcediff.hessian(by_hand)(c), rtol=1e-5, atol=1e-6)


def test_a_constraint_that_is_touched_without_need_is_refused():
    with pytest.raises(sourcediff.NonDifferentiableError, match="constraints hold the minimum"):
        sourcediff.grad(on_the_sphere, mode="eager")(np.array([0.6, 0.8]))


@pytest.mark.parametrize("bounds", [[1.0, 1.0], [0.8]])
def test_constraints_of_which_one_decides_nothing_are_refused(bounds):
    def f(a):  # where the constraint holds with no force, or twice
        held = [{"type": "ineq", "fun": lambda x, bound=bound: x[0] - bound} for bound in bounds]
        return optimize.minimize(lambda x: np.sum((x - a) ** 2), [2.0, 2.0], constraints=held, tol=1e-14).x[0]

    with pytest.raises(sourcediff.errors.NonDifferentiableError, match="constraints"):
        sourcediff.grad(f, mode="eager")(np.array([0.8, 0.3]))


def cubic(x, a, b):
    return x**3 + a * x - b


@sourcediff.implicit(cubic)
def root_of_cubic(a, b):
    x = np.ones_like(b)
    while np.max(np.abs(cubic(x, a, b))) > 1e-15:
        x = x - cubic(x, a, b) / (3 * x**2 + a)
    return x


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_a_solver_of_ones_own(mode):
    def f(a):
        return np.sum(root_of_cubic(a[0], np.array([1.0, 2.0]) * a[1]) ** 2)

    np.testing.assert_allclose(sourcediff.grad(f, mode=mode)(A), differences(f), rtol=1e-8)
    np.testing.assert_allclose(sourcediff.hessian(f, mode=mode)(A), differences(sourcediff.grad(f)), rtol=1e-7)
    assert sourcediff.check_grads(f, A)


def test_the_way_out_by_differences_and_by_functions():
    def table(x, k):
        return np.sin(x) * k

    sourcediff.extend.numerical(table, wrt=["x"])
    for mode in ("compiled", "eager"):
        np.testing.assert_allclose(sourcediff.grad(lambda x: np.sum(table(x, 3.0) ** 2), mode=mode)(A), 9 * np.sin(2 * A), rtol=1e-7)

    def rough(x):
        return np.sum(x**2 + 1e-4 * np.sin(1e5 * x))

    sourcediff.extend.numerical(rough)
    with pytest.raises(sourcediff.errors.SourcediffError, match=r"differences|settle|kink"):
        sourcediff.grad(lambda x: rough(x), mode="eager")(A)


def with_a_default(a):
    k = a
    def equation(x, k=k):
        return x**2 - k
    k = 5.0
    return optimize.brentq(equation, 0, 3, xtol=1e-14) * a * k


def with_a_history(a):
    history = []
    found = optimize.minimize(lambda x: np.sum((x - a) ** 2), [0.0, 0.0], callback=lambda x: history.append(x), tol=1e-10)
    return np.sum(found.x**2)


def in_a_loop(a):
    total = 0.0
    for k in range(3):
        def equation(x):
            return x**3 + k * x - a  # noqa: B023  (it is called in the same trip)
        total = total + optimize.brentq(equation, 0, 4, xtol=1e-14)
    return total


def handed_on(a):
    def root_of(function, end):
        return optimize.brentq(function, 0, end, xtol=1e-14)

    return root_of(lambda x: x**2 - a, 3.0)


def of_an_object(a):
    class Model:
        def __init__(self, a):
            self.a = a

        def residual(self, x):
            return x**2 - self.a

    return optimize.brentq(Model(a).residual, 0, 4, xtol=1e-14)


@pytest.mark.parametrize("f", [with_a_default, with_a_history, in_a_loop, handed_on, of_an_object], ids=lambda f: f.__name__)
def test_what_the_function_of_a_solver_reads(f):
    right = (8 * (f(1.701) - f(1.699)) - (f(1.702) - f(1.698))) / 0.012
    np.testing.assert_allclose(sourcediff.grad(f, mode="eager")(1.7), right, rtol=1e-7)
    try:
        found = sourcediff.grad(f, mode="compiled")(1.7)
    except sourcediff.errors.SourcediffError:
        assert f is not in_a_loop
    else:
        np.testing.assert_allclose(found, right, rtol=1e-7)


def test_a_minimum_under_constraints_is_that_of_a_plain_call():
    def f(a):
        held = {"type": "ineq", "fun": lambda x: a[0] + 2 - np.sum(np.exp(x)), "jac": lambda x: -np.exp(x)}
        return optimize.minimize(lambda x: np.sum(np.cosh(x - 2 * a)), np.zeros(2), constraints=held).x[1]

    assert sourcediff.value_and_grad(f, mode="eager")(A)[0] == f(A)
