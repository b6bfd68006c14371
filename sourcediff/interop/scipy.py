"""SciPy's optimisers and solvers with exact derivatives, for parameters and states of any structure: ``sourcediff.interop.scipy``."""

from __future__ import annotations

import functools
import hashlib
import linecache
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import scipy.integrate
import scipy.optimize

from ..api.gradients import grad, value_and_grad
from ..api.prepared import prepared
from ..api.ravel import Layout
from ..api.transforms import hessian, jacobian
from ..runtime.arrays.library import is_plain_array
from ..runtime.function_cache import lasting
from ..runtime.user_objects import active, is_floating, is_open, own

WITHOUT_GRADIENT = frozenset(("nelder-mead", "powell", "cobyla", "cobyqa"))
WITH_PRODUCTS = frozenset(("newton-cg", "trust-ncg", "trust-krylov", "trust-constr"))
WITH_HESSIAN = frozenset(("dogleg", "trust-exact"))
IMPLICIT = frozenset(("Radau", "BDF", "LSODA"))
"""The methods that ask for the Jacobian of the right-hand side."""


def minimize(
    f: Callable[..., Any], start: Any, args: tuple[Any, ...] = (), method: str | None = None, bounds: Any = None, constraints: Any = (),
    callback: Callable[..., Any] | None = None, **options: Any,
) -> Any:
    """``scipy.optimize.minimize`` of ``f(parameters, *args)``, a number, with the derivatives that the method takes.

    ``start`` is an array, a number, or a structure of them (a dict, a dataclass: see :func:`sourcediff.ravel`), and so is ``f``'s first
    argument. The value and the gradient come from one sweep. A method that takes products with the Hessian gets them from one forward
    sweep of the gradient at each point, and a pullback of it for each vector; ``dogleg`` and ``trust-exact`` get the Hessian.

    ``bounds`` is what SciPy takes, or a pair ``(lower, upper)``, each a structure like ``start``, in which a number may stand for an array
    or a structure, and None (or nothing, in a dict) for no bound. ``constraints`` is what SciPy takes, where functions take parameters
    like ``start``; their derivatives are computed. ``callback`` gets such parameters, too. Other options are SciPy's.

    What is returned is SciPy's result, in which ``x`` and ``jac`` have the structure of ``start``, and ``vector`` is ``x`` as SciPy has it.
    Raises what SciPy raises, and what :func:`sourcediff.grad` does.

    >>> def rosenbrock(p):
    ...     return (1 - p["x"]) ** 2 + 100 * (p["y"] - p["x"] ** 2) ** 2
    >>> {name: round(value, 5) for name, value in minimize(rosenbrock, {"x": -1.0, "y": 2.0}, method="trust-ncg").x.items()}
    {'x': 1.0, 'y': 1.0}
    """
    problem = problem_of(f, start, len(args))
    taken = (method or "").lower()
    given: dict[str, Any] = {"jac": True} if taken not in WITHOUT_GRADIENT else {}
    fun = problem.value if taken in WITHOUT_GRADIENT else problem.value_and_gradient
    if taken in WITH_PRODUCTS and "hess" not in options and "hessp" not in options:
        given["hessp"] = problem.products()
    if taken in WITH_HESSIAN and "hess" not in options:
        given["hess"] = hessian(problem.value)
    if callback is not None:
        given["callback"] = lambda x, *state: callback(problem.restore(x), *state)
    each = constraints if isinstance(constraints, (list, tuple)) else [constraints]
    result = scipy.optimize.minimize(
        fun, problem.flat(start), args, method=method, bounds=problem.bounds(bounds),
        constraints=[problem.constraint(one, taken == "trust-constr") for one in each], **given, **options)
    result.vector, result.x = result.x, problem.restore(result.x)
    if "jac" in result and np.shape(result.jac) == np.shape(result.vector):
        result.jac = problem.restore(result.jac)
    return result


def least_squares(
    f: Callable[..., Any], start: Any, args: tuple[Any, ...] = (), bounds: Any = (-np.inf, np.inf), sparsity: Any = None, **options: Any,
) -> Any:
    """``scipy.optimize.least_squares`` of the residuals ``f(parameters, *args)``, an array of any shape, with their exact Jacobian.

    ``start`` and ``bounds`` are as for :func:`minimize`. With ``sparsity`` (``"detect"``, or the pattern, as :func:`sourcediff.jacobian`
    takes it) the Jacobian is sparse. In the result ``x`` has the structure of ``start``, and ``vector`` is ``x`` as SciPy has it.

    >>> t = np.linspace(0, 1, 5)
    >>> def misfit(p, y):
    ...     return p["size"] * np.exp(-p["rate"] * t) - y
    >>> found = least_squares(misfit, {"size": 1.0, "rate": 1.0}, (3 * np.exp(-2 * t),))
    >>> {name: round(value, 6) for name, value in found.x.items()}
    {'size': 3.0, 'rate': 2.0}
    """
    problem = problem_of(f, start, len(args), "np.ravel({})")
    sparse = {} if sparsity is None else {"sparsity": sparsity}
    result = scipy.optimize.least_squares(
        problem.value, problem.flat(start), jacobian(problem.value, **sparse), problem.bounds(bounds), args=args, **options)
    result.vector, result.x = result.x, problem.restore(result.x)
    return result


def solve_ivp(
    f: Callable[..., Any], t_span: Sequence[float], start: Any, method: str = "Radau", args: tuple[Any, ...] = (), events: Any = None,
    **options: Any,
) -> Any:
    """``scipy.integrate.solve_ivp`` of ``f(t, state, *args)``, with its exact Jacobian where the method is implicit.

    ``start`` is an array, or a structure of arrays and numbers as :func:`sourcediff.ravel` takes it, and so are the states and the rates
    that ``f`` returns. ``args`` are parameters of any kind. ``events`` get such states. Where ``start`` is no vector, the result's ``y``
    is a list of states, one for each time, and so are its ``y_events``; ``sol(t)`` gives one for a time, ``vectors`` is SciPy's ``y``.

    >>> def reactions(t, c, k):
    ...     rate = k["fast"] * c["a"] * c["b"]
    ...     return {"a": -rate, "b": k["slow"] * c["a"] - rate}
    >>> found = solve_ivp(reactions, (0, 1), {"a": 1.0, "b": 0.0}, args=({"fast": 1e4, "slow": 1.0},))
    >>> round(found.y[-1]["a"], 3), found.njev < 10
    (0.368, True)
    """
    problem = problem_of(f, start, len(args), "flat({})", before="t, ")
    if method in IMPLICIT:
        options.setdefault("jac", jacobian(problem.value, 1))
    if problem.vectors:
        return scipy.integrate.solve_ivp(problem.value, t_span, start, method, args=args or None, events=events, **options)
    watched = events if isinstance(events, (list, tuple)) or events is None else [events]
    given = None if watched is None else [problem.of_states(event) for event in watched]
    result = scipy.integrate.solve_ivp(problem.value, t_span, problem.flat(start), method, args=args or None, events=given, **options)
    result.vectors, result.y = result.y, [problem.restore(y) for y in result.y.T]
    if result.y_events is not None:
        result.y_events = [[problem.restore(y) for y in ys] for ys in result.y_events]
    if result.sol is not None:
        result.sol = functools.partial(lambda sol, t: problem.restore(sol(t)), result.sol)
    return result


class Problem:
    """A function of a structure as one of a vector: ``value``, which the compiler reads, and what SciPy asks for beside it.

    ``vectors``: the structure is a vector already.
    """

    def __init__(self, f: Callable[..., Any], layout: Layout, vectors: bool, count: int, result: str, before: str):
        self.restore, self.flat = layout.restore, layout.flat
        self.size = layout.size
        self.vectors = vectors
        self.value = on_vectors(f, layout, vectors, count, result, before)

    @functools.cached_property
    def value_and_gradient(self) -> Callable[..., Any]:
        """The value and the gradient, a vector."""
        return value_and_grad(self.value)

    def products(self) -> Callable[..., Any]:
        """Products of the Hessian with vectors: one forward sweep of the gradient at a point, one pullback of it for each vector.

        The Hessian is its own transpose.
        """
        forward, at, pull = prepared(grad(self.value), 0).forward, np.full(self.size, np.nan), None

        def product(x: Any, v: Any, *args: Any) -> Any:
            nonlocal pull
            if pull is None or not np.array_equal(x, at):
                at[:], pull = x, forward(x, *args)[1]
            return pull(np.asarray(v, float))

        return product

    def bounds(self, bounds: Any) -> Any:
        """Bounds for a vector."""
        if self.vectors or not isinstance(bounds, tuple) or len(bounds) != 2:
            return bounds
        of = self.restore(np.zeros(self.size))
        return scipy.optimize.Bounds(*(np.concatenate([np.zeros(0), *ends(end, of, free)]) for end, free in zip(bounds, (-np.inf, np.inf))))

    def constraint(self, given: Any, second: bool) -> Any:
        """A constraint for a vector, with its Jacobian, and its ``second`` derivatives."""
        if isinstance(given, dict):
            value = problem_of(given["fun"], self.restore(np.zeros(self.size)), len(given.get("args", ())), "np.ravel({})").value
            return {"jac": jacobian(value), **given, "fun": value}
        if isinstance(given, scipy.optimize.NonlinearConstraint):
            value = problem_of(given.fun, self.restore(np.zeros(self.size)), 0, "np.ravel({})").value
            curved = {"hess": hessian(lambda x, v: np.sum(v * value(x))), "keep_feasible": given.keep_feasible} if second else {}
            return scipy.optimize.NonlinearConstraint(value, given.lb, given.ub, jacobian(value), **curved)
        return given

    def of_states(self, event: Any) -> Any:
        """An event of states as one of vectors; it may say whether and in which direction it ends the solution."""

        @functools.wraps(event)
        def called(t: Any, y: Any, *args: Any) -> Any:
            return event(t, self.restore(y), *args)

        return called


def problem_of(f: Callable[..., Any], start: Any, count: int, result: str = "{}", before: str = "") -> Problem:
    """The problem of a function whose first parameter is like ``start`` (after what stands ``before``), with ``count`` more.

    It is kept with the function for structures of the same layout.
    """
    layout, vectors = Layout(start), is_plain_array(start) and start.ndim == 1
    key = Problem, layout.text, tuple(map(id, layout.held.values())), vectors, count, result, before
    if not isinstance(f, types.FunctionType):
        return Problem(f, layout, vectors, count, result, before)
    return lasting(f, key, lambda: Problem(f, layout, vectors, count, result, before))


def on_vectors(f: Callable[..., Any], layout: Layout, vectors: bool, count: int, result: str, before: str) -> Any:
    """A function of a vector that calls one of a structure, as text: ``result`` says what is made of what that returns."""
    more = "".join(f", argument{k}" for k in range(count))
    inner = f"f({before}{'vector' if vectors else 'restore(vector)'}{more})"
    text = f"def of_vector({before}vector{more}):\n    return {inner if vectors and 'flat' in result else result.format(inner)}\n"
    file = f"<{getattr(f, '__qualname__', type(f).__qualname__)} of a vector {hashlib.sha256(text.encode()).hexdigest()[:16]}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names: dict[str, Any] = {"f": f, "np": np, "restore": layout.restore, "flat": layout.flat}
    exec(compile(text, file, "exec"), names)
    return names["of_vector"]


def ends(given: Any, of: Any, free: float) -> Iterator[Any]:
    """One end of the bounds of a structure, vector by vector: a number, or None for ``free``, may stand for whatever has numbers."""
    if given is None:
        given = free
    if is_floating(of) and not isinstance(of, (dict, list, tuple)):
        yield np.broadcast_to(np.asarray(given, float), np.shape(of)).ravel()
    elif isinstance(of, (dict, list, tuple)):
        if isinstance(given, dict) and (others := set(given) - set(of)):
            raise KeyError(f"bounds for {', '.join(map(repr, others))}, and there is no such parameter")
        for key, part in of.items() if isinstance(of, dict) else enumerate(of):
            held = given.get(key) if isinstance(given, dict) else given[key] if isinstance(given, (list, tuple)) else given
            yield from ends(held, part, free)
    elif is_open(of):
        for name in active(of):
            yield from ends(getattr(given, name) if type(given) is type(of) else given, own(of)[name], free)
