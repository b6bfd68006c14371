"""Rules of one's own: derivatives for functions that cannot be read, or that should not be.

A function in C or Fortran, a simulator that runs elsewhere, a solver whose adjoint one knows: it gets a rule, and from then on it is
a function like NumPy's, in compiled code and on the eager engine, in both modes and to any order. A rule is a formula as the table's
are, written in one of six kinds; the kind says what the Jacobian looks like, and that makes both modes of the one formula.

========================  =====================================================================================================
``elementwise(f)``        each entry of the result depends on one entry of each argument (broadcasting allowed): ``c(g)``
``reduction(f)``          the array is taken together to one number, or along ``axis``: ``c(g)``, in the space of the array
``linear(f)``             f is linear in what is differentiated: its adjoint. Forward mode is ``f`` itself
``multilinear(f)``        linear in each argument: an adjoint for each
``general(f)``            anything else: an adjoint for each argument; ``@rule.pushforward`` is the forward formula
``constant(f)``           the derivative is zero: no formula
``external(f, vjp=…)``    anything, by functions instead of a formula; ``numerical(f)``: by differences, with their error
``record(class, …)``      objects of a library: constant ones whose methods have rules, and plain classes for the others
========================  =====================================================================================================

The formula's parameters are ``g`` (the adjoint of the result), ``z`` (the result), and then the function's own, under their own names.
It is some assignments and then one return: a contribution for each parameter, ``None`` for one without a derivative. What takes
more than that is computed by a function that the formula calls; to differentiate twice, that one has a rule too.

>>> import math, numpy as np, sourcediff
>>> from sourcediff import extend
>>> erf = np.vectorize(math.erf)  # stands for a function of some library
>>> def response(x, gain=1.0):
...     return gain * erf(x)
>>> @extend.elementwise(response)
... def response_rule(g, z, x, gain):
...     return g * gain * 1.1283791670955126 * np.exp(-x**2), None
>>> @sourcediff.grad
... def loss(x):
...     return np.sum(response(x, gain=3.0))
>>> loss(np.array([0.0, 1.0])).round(4)
array([3.3851, 1.2453])

A function with a rule is taken to be pure: it gives new arrays, and nothing else depends on its being called. ``check_rule(f, *args)``
tries a rule on a call.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import linecache
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from .checks.numeric import numeric_jvp
from .eager.engine.apply import call, variables_in
from .errors import NonDifferentiableError, RuleError
from .rules import library_functions, library_objects
from .rules.own import OwnRule, register, register_constant

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[Callable[..., Any]], OwnRule]

__all__ = [
    "constant", "elementwise", "external", "general", "linear", "multilinear", "numerical", "record", "recorded", "reduction",
]


def elementwise(
    *functions: Callable[..., Any], singular: bool = False, selects: bool = False, holomorphic: bool = False,
    only: Mapping[str, tuple[Any, ...]] | None = None,
) -> Decorator:
    """The rule of functions that treat each entry alike. Broadcasting and dtypes are undone by the frame, not by the formula.

    ``singular``: the derivative can be infinite, so that the zero of what was not selected is to be kept. ``selects``: the function
    picks among its arguments. ``holomorphic``: the formula holds for complex numbers too. ``only``: the values of a keyword with
    which the formula is right. Raises RuleError for a formula that is no rule.

    >>> import numpy as np
    >>> def cube(x):
    ...     return x * x * x
    >>> @elementwise(cube)
    ... def cube_rule(g, z, x):
    ...     return 3 * g * x**2
    >>> cube_rule
    <elementwise rule of cube>
    """
    return _registering("elementwise", functions, singular=singular, selects=selects, holomorphic=holomorphic, only=only)


def reduction(
    *functions: Callable[..., Any], singular: bool = False, selects: bool = False, holomorphic: bool = False,
    only: Mapping[str, tuple[Any, ...]] | None = None,
) -> Decorator:
    """The rule of functions that take the entries of one array together; ``axis`` and ``keepdims``, if there are such, mean NumPy's.

    ``g`` and ``z`` arrive so that they broadcast against the array. Otherwise as :func:`elementwise`.

    >>> import numpy as np
    >>> def energy(x):
    ...     return np.vdot(x, x)
    >>> @reduction(energy)
    ... def energy_rule(g, z, x):
    ...     return 2 * g * x
    """
    return _registering("reduction", functions, singular=singular, selects=selects, holomorphic=holomorphic, only=only)


def linear(
    *functions: Callable[..., Any], selects: bool = False, holomorphic: bool = True, only: Mapping[str, tuple[Any, ...]] | None = None,
) -> Decorator:
    """The rule of functions that are linear in all that is differentiated together: their adjoint, in the argument's shape.

    >>> import numpy as np
    >>> def rolled(x, places):
    ...     return np.roll(x, places)
    >>> @linear(rolled)
    ... def rolled_rule(g, z, x, places):
    ...     return np.roll(g, -places)
    """
    return _registering("linear", functions, selects=selects, holomorphic=holomorphic, only=only)


def multilinear(
    *functions: Callable[..., Any], holomorphic: bool = True, only: Mapping[str, tuple[Any, ...]] | None = None,
) -> Decorator:
    """The rule of products: functions that are linear in each differentiated argument, an adjoint for each.

    >>> import numpy as np
    >>> def product(a, b):
    ...     return a @ b
    >>> @multilinear(product)
    ... def product_rule(g, z, a, b):
    ...     return g @ b.T, a.T @ g
    """
    return _registering("multilinear", functions, holomorphic=holomorphic, only=only)


def general(
    *functions: Callable[..., Any], outputs: int = 1, singular: bool = False, selects: bool = False, holomorphic: bool = False,
    only: Mapping[str, tuple[Any, ...]] | None = None,
) -> Decorator:
    """The rule of any function: an adjoint for each argument, and the forward formula by ``@rule.pushforward``.

    ``outputs``: how many results there are; if more than one, ``g`` and ``z`` are tuples of that length. The forward formula is
    ``formula(z, *tangents, *parameters)``, with one tangent for each differentiable parameter; it is needed for ``jvp`` alone.

    >>> import numpy as np
    >>> def solved(a, b):
    ...     return np.linalg.solve(a, b)
    >>> @general(solved)
    ... def solved_rule(g, z, a, b):
    ...     b_bar = np.linalg.solve(a.T, g)
    ...     return -np.outer(b_bar, z), b_bar
    >>> @solved_rule.pushforward
    ... def solved_forward(z, da, db, a, b):
    ...     return np.linalg.solve(a, db - da @ z)
    """
    return _registering(
        "general", functions, outputs=outputs, singular=singular, selects=selects, holomorphic=holomorphic, only=only,
    )


def constant(*functions: Callable[..., Any]) -> None:
    """Functions whose derivative is zero wherever there is one: counts, labels, look-ups.

    >>> def label(x):
    ...     return int(x > 0)
    >>> constant(label)
    """
    for function in functions:
        register_constant(function)


def external(
    function: F, *, vjp: Callable[..., Any], jvp: Callable[..., Any] | None = None, wrt: Sequence[str] | None = None,
) -> F:
    """Give a function of another library its derivative as functions: the way out where a formula is more than some assignments.

    ``vjp(g, z, *arguments)`` gives a sequence with the adjoint of each argument in ``wrt`` (names; all of them, if left out), of the
    argument's shape, for the adjoint ``g`` of the result ``z``; ``jvp(z, *tangents, *arguments)`` the tangent of the result for a tangent
    of each of these. Both take and give plain arrays, and are called anew for each derivative. Second derivatives need rules for what the
    two call. Returns the function, so it can be used where that is defined. Raises RuleError for a function without a signature.

    >>> import numpy as np, sourcediff
    >>> def simulate(force, steps):
    ...     return np.cumsum(force) / steps  # stands for a program in Fortran
    >>> _ = external(simulate, vjp=lambda g, z, force, steps: [np.cumsum(g[::-1])[::-1] / steps], wrt=["force"])
    >>> sourcediff.grad(lambda force: np.sum(simulate(force, 2) ** 2))(np.array([1.0, 3.0]))
    array([2.5, 2. ])
    """
    names = parameters_of_call(function)
    differentiated = list(names if wrt is None else wrt)
    results = ", ".join(f"found[{differentiated.index(name)}]" if name in differentiated else "None" for name in names)
    listed = ", ".join(names)
    rule = register("general", function, made_formula(
        f"def {function.__name__}_rule(g, z, {listed}):\n    found = vjp(g, z, {listed})\n    return {results}\n", {"vjp": vjp}), {})
    if jvp is not None:
        moved = ", ".join(f"d_{name}" for name in differentiated)
        rule.pushforward(made_formula(
            f"def {function.__name__}_forward(z, {moved}, {listed}):\n    return jvp(z, {moved}, {listed})\n", {"jvp": jvp}))
    return function


def numerical(function: F, *, wrt: Sequence[str] | None = None, rtol: float = 1e-6) -> F:
    """Let differences be the derivative of a function: some ten calls for each entry of each argument in ``wrt``.

    Central differences, extrapolated, with an estimate of their own error (Ridders 1982): where that exceeds ``rtol`` of the largest entry,
    NonDifferentiableError says what was reached. Nothing is ever differentiated so unless it is asked for by this function. First
    derivatives, both modes. Returns the function.

    >>> import numpy as np, sourcediff
    >>> def table(x):
    ...     return np.sin(x) * x[0]  # stands for something that cannot be read
    >>> _ = numerical(table)
    >>> sourcediff.grad(lambda x: np.sum(table(x)))(np.array([0.5, 1.0])).round(8)
    array([1.7596878 , 0.27015115])
    """
    names = parameters_of_call(function)
    differentiated = list(names if wrt is None else wrt)
    places = [names.index(name) for name in differentiated]

    def slope(arguments: Sequence[Any], place: int, tangent: Any) -> Any:
        held = [tangent if k == place else None for k in range(len(arguments))]
        found = numeric_jvp(function, arguments, held, complex_step=False)
        size = max(float(np.max(np.abs(found.value), initial=0.0)), 1e-12)
        if not np.max(found.error, initial=0.0) <= rtol * size:
            raise NonDifferentiableError(
                f"the differences of {function.__name__} are good to {np.max(found.error) / size:.1e} of their size only",
                why=f"rtol={rtol} was asked for", remedy="give a larger rtol, smoother arguments, or a rule",
            )
        return found.value

    def vjp(g: Any, z: Any, *arguments: Any) -> list[Any]:
        adjoints = []
        for place in places:
            adjoint = np.zeros(np.shape(arguments[place]))
            for index in np.ndindex(adjoint.shape):
                unit = np.zeros(adjoint.shape)
                unit[index] = 1.0
                adjoint[index] = np.sum(g * slope(arguments, place, unit if adjoint.shape else 1.0))
            adjoints.append(adjoint if adjoint.shape else float(adjoint))
        return adjoints

    def jvp(z: Any, *given: Any) -> Any:
        tangents, arguments = given[:len(places)], given[len(places):]
        return sum(slope(arguments, place, tangent) for place, tangent in zip(places, tangents))

    return external(function, vjp=vjp, jvp=jvp, wrt=wrt)


def record(kind: type, *makers: Any, plain: type | None = None, methods: Mapping[str, Any] | None = None, alike: str = "") -> None:
    """Let objects of another library's class take part: constant ones by methods with rules, differentiated ones by a plain class.

    ``methods`` maps the name of a method (``__call__``, ``__matmul__``) to the function that it is, of the object and the arguments, which
    has a rule, where that is not the class's own function; ``makers`` are functions that make such objects; ``alike`` names the attributes
    and methods that give another one. ``plain`` is a class in plain NumPy Python, with an ``__init__`` of the same parameters and the
    methods that have a derivative: it stands for the class where that is made of what is differentiated.

    >>> import numpy as np, sourcediff
    >>> class Curve:  # stands for a class that cannot be read
    ...     def __init__(self, c):
    ...         self.c = c
    ...     def __call__(self, x):
    ...         return self.c * np.asarray(x) ** 2
    >>> def curve_value(self, x):
    ...     return self.c * np.asarray(x) ** 2
    >>> @elementwise(curve_value)
    ... def curve_rule(g, z, self, x):
    ...     return None, 2 * g * self.c * x
    >>> record(Curve, methods={"__call__": curve_value})
    """
    library_objects.record(kind, *makers, methods=methods, alike=alike)
    if plain is not None:
        library_functions.COMPOSITES[kind] = plain


def parameters_of_call(function: Any) -> list[str]:
    """The names of a function's parameters. Raises RuleError where they are not known, or any number."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (ValueError, TypeError):
        parameters = None
    if parameters is None or any(part.kind in (part.VAR_POSITIONAL, part.VAR_KEYWORD) for part in parameters):
        raise RuleError(f"{getattr(function, '__name__', function)!r} does not say what it takes",
                        remedy="wrap it in a function with named parameters: def f(x, k): return library.f(x, k)")
    return [part.name for part in parameters]


def made_formula(text: str, names: dict[str, Any]) -> Any:
    """A formula from its text."""
    file = f"<rule {next(NUMBERS)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), names)
    return next(value for value in names.values() if getattr(getattr(value, "__code__", None), "co_filename", "") == file)


NUMBERS = itertools.count()


def recorded(function: F) -> F:
    """The function, recorded where it is called with Variables of one's own. Also a decorator.

    In a function that :func:`~sourcediff.grad` and its like are given, a function with a rule is recorded as it is; this is for
    programs that make their Variables themselves.

    >>> import numpy as np
    >>> from sourcediff import Variable
    >>> @recorded
    ... def halved(x):
    ...     return np.asarray(x) / 2
    >>> @linear(halved)
    ... def halved_rule(g, z, x):
    ...     return g / 2
    >>> x = Variable([2.0, 4.0], requires_grad=True)
    >>> halved(x).sum().backward()
    >>> x.grad.data
    array([0.5, 0.5])
    """

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        return call(called, args, kwargs) if variables_in([*args, *kwargs.values()]) else function(*args, **kwargs)

    called.__recorded__ = getattr(function, "__recorded__", function)  # type: ignore[attr-defined]
    return called  # type: ignore[return-value]


def _registering(kind: str, functions: tuple[Any, ...], **options: Any) -> Decorator:
    for function in functions or (None,):
        if not callable(function):
            raise RuleError(f"{kind} takes functions, not {function!r}", remedy=f"write @{kind}(function) above the rule")
        try:
            hash(function)
        except TypeError:  # a function of ctypes
            what = f"a {type(function).__name__} cannot be the key of a table"
            raise RuleError(what, remedy="wrap it: def f(x): return library.f(x)") from None

    def decorator(formula: Callable[..., Any]) -> OwnRule:
        rules = [register(kind, function, formula, options) for function in functions]
        return rules[0]

    return decorator
