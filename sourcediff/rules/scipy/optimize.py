"""SciPy's solvers: the derivative of an answer by the equation that it solves (the implicit function theorem).

S. G. Krantz, H. R. Parks, "The Implicit Function Theorem", 2002. Of a minimum the equation is that the gradient is zero; parameters at
their bounds stay there.
"""

import inspect
from typing import Any

import numpy as np
from scipy import optimize

from ...errors import MissingRuleError, NonDifferentiableError
from ...runtime.solving import linearised, newton_step, root_at, settled, withheld
from ..frames import constant, named
from ..library_functions import composite, functional, repeated


def minimum_at(objective, x, free=None, limit=None, equal=None):
    """Where a function is least, found near ``x``; only the entries ``free`` of ``x`` can move. Of ``limit``, a function, the values
    ``equal`` stay 0, and the others do not fall below it."""
    if np.ndim(x) and free is not None and not np.all(free):
        def full(moved):
            whole = np.array(x)
            whole[free] = moved
            return whole

        within = None if limit is None else lambda moved: limit(full(moved))
        return full(minimum_at(lambda moved: objective(full(moved)), x[free], None, within, equal)) if np.any(free) else np.array(x)
    if limit is None:
        return root_at(lambda v: linearised(objective, v)[1], x)
    held, pull = holding(linearised(objective, x)[1], *linearised(limit, x), x, equal)

    def conditions(both):
        v, pulling = both[:len(x)], both[len(x):]
        left, normals = linearised(lambda v: limit(v)[held], v)
        return np.concatenate([linearised(objective, v)[1] - pulling @ normals, left])

    found = np.concatenate([x, pull])
    once = newton_step(conditions, found)
    if np.any(np.abs(settled(lambda: once) - found)[:len(x)] > 0.01 * np.max(np.abs(x), initial=1e-3)):
        raise uncertain("the minimum is not exact enough")
    refined = newton_step(conditions, once)
    return (refined + (found - settled(lambda: refined)))[:len(x)]


def holding(slope, left, normals, x, equal):
    """Which constraints hold a minimum, and their multipliers (W. Karush, 1939; H. W. Kuhn, A. W. Tucker, 1951)."""
    slope, left, normals = settled(lambda: (slope, left, normals))
    held = equal | (left <= 1e-6 * np.maximum(1.0, np.abs(normals) @ np.abs(x)))
    pull, _, rank, _ = np.linalg.lstsq(np.transpose(normals[held]), slope)
    if rank < len(pull):
        raise uncertain("one more of them holds it than is needed")
    force = pull * np.max(np.abs(normals[held]), axis=1, initial=0.0)
    if np.any(force[~equal[held]] <= 1e-3 * np.max(np.abs(slope), initial=0.0)):
        raise uncertain("one of them is met there and does not push")
    return held, pull


def uncertain(why):
    """The error of a minimum that constraints hold, where which ones do may change."""
    return NonDifferentiableError(
        "which constraints hold the minimum that scipy.optimize.minimize has found is not certain", why=why,
        remedy="leave out constraints that others imply, or give a smaller tol=", at_run_time=True,
    )


def sides_of(constraints):
    """Constraints as functions of ``x`` that do not fall below 0, each with whether it is to be 0."""
    found = []
    for each in constraints:
        if isinstance(each, dict):
            args = as_tuple(each.get("args", ()))
            found.append((lambda v, fun=each["fun"], args=args: np.ravel(fun(v, *args)), each["type"].lower() == "eq"))
            continue
        fun = (lambda v, A=each.A: A @ v) if hasattr(each, "A") else each.fun
        low, high = np.atleast_1d(each.lb), np.atleast_1d(each.ub)
        apart = low != high
        below, above = (low, 1.0, apart & np.isfinite(low)), (high, -1.0, apart & np.isfinite(high))
        for part, equal in (((low, 1.0, ~apart), True), (below, False), (above, False)):
            if np.any(part[2]):
                found.append((lambda v, fun=fun, part=part: distance(fun(v), *part), equal))
    return found


def distance(value, end, sign, counts):
    """How far a function of constraints is from an end, for the entries that have one."""
    value = np.atleast_1d(value)
    at = np.flatnonzero(np.broadcast_to(counts, np.shape(value)))
    return sign * (value[at] - np.broadcast_to(end, np.shape(value))[at])


def inside(x, bounds):
    """Which entries of ``x`` are not at their bounds."""
    if bounds is None:
        return None
    pairs = np.array([(-np.inf if low is None else low, np.inf if high is None else high) for low, high in zip(
        *(np.broadcast_to(part, np.shape(x)) for part in (bounds.lb, bounds.ub)))] if hasattr(bounds, "lb") else
        [(-np.inf if low is None else low, np.inf if high is None else high) for low, high in bounds], dtype=float)
    room = 1e-7 * np.maximum(1.0, np.abs(x))
    return (x - pairs[:, 0] > room) & (pairs[:, 1] - x > room)


def refuse(function, **given):
    """Raise MissingRuleError for keywords that are not taken."""
    for name, value in given.items():
        if value is not None and not (isinstance(value, (tuple, list)) and not value):
            raise MissingRuleError(f"{function} has a derivative rule, but not with the keyword {name}=", remedy=f"leave {name}= out")


def with_parts(found, **parts):
    """A solver's result object with parts that are differentiable, its other arrays withheld."""
    for name in ("jac", "hess", "hess_inv", "grad", "fun", "cost", "optimality", "x", "root", "final_simplex", "fjac", "qtf", "r",
                 "multipliers", "v", "lagrangian_grad", "constr", "constr_violation"):
        if name in found and name not in parts:
            found[name] = withheld(name)
    found.update(parts)
    return found


def bracketing(solver):
    def bracketed(f, a, b, args=(), *positions, full_output=False, **options):
        found = settled(solver, f, a, b, args, *positions, full_output=full_output, **options)
        x = root_at(lambda v: f(v, *as_tuple(args)), found[0] if full_output else found)
        return (x, with_parts(found[1], root=x)) if full_output else x

    return bracketed


def as_tuple(args):
    """Arguments that may be given as one."""
    return args if isinstance(args, tuple) else (args,)


def left_at(x, f, a, b, args=(), *positions, **options):
    return f(x, *args)


def left_from(x, func, x0, fprime=None, args=(), *positions, **options):
    return func(x, *args)


def left_of_any(x, f, args=(), *positions, **options):
    return f(x, *args)


def left_of_all(x, func, x0, args=(), *positions, **options):
    return np.reshape(np.asarray(func(x, *args)), np.shape(x))


def left_of_fixed(x, func, x0, args=(), *positions, **options):
    return func(x, *args) - x


def by_equation(solver, left, part="", ranks=None):
    """Let generated code derive what a solver finds, if that is real and nothing else is asked, by the equation that it solves."""
    position = list(inspect.signature(left).parameters).index("args") - 1

    def settle(*given, **options):
        answer = solver(*given, **options)
        x = getattr(answer, part) if part else answer
        args = given[position] if len(given) > position else options.get("args", ())
        usual = isinstance(args, tuple) and not any(value is True for value in (*given, options.get("jac"), options.get("fprime")))
        return answer, x if usual and (isinstance(x, float) or getattr(x, "dtype", None) == np.float64) else None

    repeated(solver, settle, left, (part,) if part else (), True, ranks)


for _solver in named(optimize, "brentq brenth ridder bisect toms748"):
    functional(_solver)(bracketing(_solver))
    by_equation(_solver, left_at, ranks=0)


@functional(optimize.newton)
def newton(func, x0, fprime=None, args=(), *positions, full_output=False, **options):
    found = settled(optimize.newton, func, x0, fprime, args, *positions, full_output=full_output, **options)
    x = root_at(lambda v: func(v, *as_tuple(args)), found[0] if full_output else found)
    return (x, with_parts(found[1], root=x) if isinstance(found[1], dict) else found[1], *found[2:]) if full_output else x


by_equation(optimize.newton, left_from)


@functional(optimize.root_scalar)
def root_scalar(f, args=(), *positions, fprime=None, **options):
    found = settled(optimize.root_scalar, f, args, *positions, fprime=fprime, **options)
    first = (lambda v: f(v, *as_tuple(args))[0]) if fprime is True else lambda v: f(v, *as_tuple(args))
    return with_parts(found, root=root_at(first, found.root))


by_equation(optimize.root_scalar, left_of_any, "root", (0,))


@functional(optimize.root)
def root(fun, x0, args=(), method="hybr", jac=None, **options):
    found = settled(optimize.root, fun, x0, args, method, jac, **options)
    first = (lambda v: fun(v, *as_tuple(args))[0]) if jac is True else lambda v: fun(v, *as_tuple(args))
    x = root_at(lambda v: np.asarray(first(v)), found.x)
    return with_parts(found, x=x, fun=first(x))


by_equation(optimize.root, left_of_all, "x")


@functional(optimize.fsolve)
def fsolve(func, x0, args=(), fprime=None, full_output=0, *positions, **options):
    found = settled(optimize.fsolve, func, x0, args, fprime, full_output, *positions, **options)
    x = root_at(lambda v: np.reshape(func(v, *as_tuple(args)), np.shape(v)), found[0] if full_output else found)
    return (x, with_parts(found[1], fvec=withheld("fvec")), *found[2:]) if full_output else x


by_equation(optimize.fsolve, left_of_all)


@functional(optimize.fixed_point)
def fixed_point(func, x0, args=(), *positions, **options):
    return root_at(lambda v: func(v, *as_tuple(args)) - v, settled(optimize.fixed_point, func, x0, args, *positions, **options))


by_equation(optimize.fixed_point, left_of_fixed)


@functional(optimize.minimize)
def minimize(fun, x0, args=(), method=None, jac=None, hess=None, hessp=None, bounds=None, constraints=(), **options):
    every = constraints if isinstance(constraints, (list, tuple)) else [constraints]
    sides = sides_of(every)
    known = constraints
    if sides and not all(isinstance(each, dict) for each in every):
        known = [{"type": "eq" if equal else "ineq", "fun": limit} for limit, equal in sides]
    found = settled(optimize.minimize, fun, x0, args, method, jac, hess, hessp, bounds, known, **options)
    first = (lambda v: fun(v, *as_tuple(args))[0]) if jac is True else lambda v: fun(v, *as_tuple(args))
    equal = [np.full(np.size(limit(found.x)), equal) for limit, equal in sides]
    within = (lambda v: np.concatenate([limit(v) for limit, _ in sides]), np.concatenate(equal)) if sides else ()
    x = minimum_at(first, found.x, inside(found.x, settled(lambda: bounds)), *within)
    return with_parts(found, x=x, fun=first(x))


@functional(optimize.minimize_scalar)
def minimize_scalar(fun, bracket=None, bounds=None, args=(), *positions, **options):
    found = settled(optimize.minimize_scalar, fun, bracket, bounds, args, *positions, **options)
    x = minimum_at(lambda v: fun(v, *as_tuple(args)), found.x)
    return with_parts(found, x=x, fun=fun(x, *as_tuple(args)))


@functional(optimize.fmin, optimize.fmin_bfgs, optimize.fmin_cg, optimize.fmin_powell)
def fmin(func, x0, *positions, **options):
    raise MissingRuleError("scipy.optimize.fmin and its like have no derivative rule", remedy="use scipy.optimize.minimize")


LOSSES: dict[str, Any] = {
    "linear": lambda z: z, "soft_l1": lambda z: 2 * ((1 + z) ** 0.5 - 1), "cauchy": np.log1p, "arctan": np.arctan,
    "huber": lambda z: np.where(z <= 1, z, 2 * np.where(z <= 1, 1.0, z) ** 0.5 - 1),
}
"""The loss functions of ``least_squares``, of squared residuals."""


@functional(optimize.least_squares)
def least_squares(
    fun, x0, jac="2-point", bounds=(-np.inf, np.inf), *positions, loss="linear", f_scale=1.0, args=(), kwargs=None, **options,
):
    options = {"loss": loss, "f_scale": f_scale, "args": args, "kwargs": kwargs, **options}
    found = settled(optimize.least_squares, fun, x0, jac, bounds, *positions, **options)

    def residuals(v):
        return np.atleast_1d(fun(v, *args, **(kwargs or {})))

    def cost(v):
        return 0.5 * f_scale**2 * np.sum(LOSSES[loss]((residuals(v) / f_scale) ** 2))

    x = minimum_at(cost, found.x, inside(found.x, bounds if hasattr(bounds, "lb") else optimize.Bounds(*settled(lambda: bounds))))
    left, slope = linearised(residuals, x)
    return with_parts(found, x=x, fun=left, jac=slope, cost=cost(x))


@functional(optimize.curve_fit)
def curve_fit(
    f, xdata, ydata, p0=None, sigma=None, absolute_sigma=False, check_finite=None, bounds=(-np.inf, np.inf), method=None, jac=None,
    *, full_output=False, **options,
):
    found = settled(optimize.curve_fit, f, xdata, ydata, p0, sigma, absolute_sigma, check_finite, bounds, method, jac,
                    full_output=full_output, **options)
    if np.ndim(sigma) == 2:
        refuse("scipy.optimize.curve_fit", sigma=sigma)

    def residuals(p):
        left = np.ravel(f(xdata, *p) - ydata)
        return left if sigma is None else left / sigma

    p = minimum_at(lambda v: 0.5 * np.sum(residuals(v) ** 2), found[0], inside(found[0], optimize.Bounds(*settled(lambda: bounds))))
    left, slope = linearised(residuals, p)
    covariance = np.linalg.inv(np.transpose(slope) @ slope)
    if not absolute_sigma:
        covariance = covariance * np.sum(left**2) / (np.size(left) - np.size(p))
    return (p, covariance + (found[1] - settled(lambda: covariance)), *found[2:])  # the solver's own digits


@functional(optimize.leastsq)
def leastsq(func, x0, args=(), Dfun=None, full_output=False, **options):
    found = settled(optimize.leastsq, func, x0, args, Dfun, full_output, **options)
    x = minimum_at(lambda v: 0.5 * np.sum(np.asarray(func(v, *as_tuple(args))) ** 2), found[0])
    return (x, *(withheld("part of the answer of scipy.optimize.leastsq") if k < len(found) - 3 else part
                 for k, part in enumerate(found[1:])))


@functional(optimize.lsq_linear)
def lsq_linear(A, b, bounds=(-np.inf, np.inf), **options):
    found = settled(optimize.lsq_linear, A, b, bounds, **options)
    limits = bounds if hasattr(bounds, "lb") else optimize.Bounds(*settled(lambda: bounds))
    x = minimum_at(lambda v: 0.5 * np.sum((A @ v - b) ** 2), found.x, inside(found.x, limits))
    return with_parts(found, x=x, fun=A @ x - b, cost=0.5 * np.sum((A @ x - b) ** 2))


@composite(optimize.rosen)
def rosen(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2.0) ** 2.0 + (1 - x[:-1]) ** 2.0, axis=0)


@composite(optimize.rosen_der)
def rosen_der(x):
    bent = 200 * (x[1:] - x[:-1] ** 2)
    none = np.zeros_like(x[:1])
    return np.concatenate([none, bent]) + np.concatenate([-2 * bent * x[:-1] - 2 * (1 - x[:-1]), none])


@functional(optimize.nnls)
def nnls(A, b, **options):
    held = settled(optimize.nnls, A, b, **options)[0] > 0
    part = A[:, held]
    x = np.zeros(np.shape(A)[1])
    x[held] = np.linalg.solve(np.transpose(part) @ part, np.transpose(part) @ b)
    return x, np.sqrt(np.sum((A @ x - b) ** 2))


constant(*named(optimize, "linear_sum_assignment"))
