"""A function's derivatives against numbers: both modes, to second order, in one line.

Agreement of the two engines proves the compiler, for they share the table of rules; differences and complex steps share nothing.
Where they cannot judge, at a kink, this says so, and names it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..dispatch.arguments import as_float, parameters_named, signature_of
from ..dispatch.called_directly import as_python
from ..dispatch.wrappers import forwarding_of_call, forwards
from ..errors import CrossCheckError, NonDifferentiableError, article
from ..runtime.arrays.library import on_host
from ..runtime.copies import copied
from ..runtime.trees import leaves, mapped
from ..runtime.user_objects import is_mixed
from ..syntax.function import definition, plain
from .cross.copying import Bench, check_readable
from .cross.kinks import nearest_kink
from .numeric import alike, in_structure_of, moved_along, numeric_jvp, taylor_slope, vector

ENTRIES = 40
"""Of how many entries the gradient is checked one by one; of a larger one as many, drawn at random, and a direction."""


class GradCheck(NamedTuple):
    """What was compared with numbers, and how near they came."""

    function: str
    wrt: tuple[str, ...]
    entries: int
    size: int
    largest: float
    slope: float
    passed: tuple[str, ...]

    def __str__(self) -> str:
        entries = f"{self.entries} entries" if self.entries == self.size else f"{self.entries} of {self.size} entries"
        slope = "linear there" if math.isinf(self.slope) else f"{self.slope:.2f}"
        return "\n".join([
            f"{self.function}: its derivatives agree with numbers ({', '.join(self.passed)})",
            f"  {entries} of the gradient with respect to {', '.join(self.wrt)}, largest relative difference {self.largest:.1g}",
            f"  slope of the Taylor remainder: {slope} (2 is right, 1 is wrong)",
        ])


def check_grads(
    function: Callable[..., Any], *args: Any, wrt: Any = None, order: int = 2, mode: str = "auto", rtol: float = 1e-6, atol: float = 1e-8,
    **kwargs: Any,
) -> GradCheck:
    """Check the derivatives of a function at these arguments against numbers.

    The gradient entry by entry (of results that are no scalar, that of their dot product with random numbers), a directional
    derivative, the dot-product identity u·(Jv) = (Jᵀu)·v between the modes, the slope of the Taylor remainder; with ``order=2`` also the
    product of Hessian and vector, against differences of the gradient (not of objects). Numbers are complex steps where the function
    takes complex numbers, else extrapolated differences. ``wrt`` as in :func:`~sourcediff.grad`; all that holds floats, if left out. The
    arguments should be float64. They stay as they are.

    Raises CrossCheckError that names the worst entry with both numbers, NonDifferentiableError that names the kink where numbers cannot
    judge, and what the function itself and its transforms raise.

    >>> import numpy as np
    >>> def energy(x, k):
    ...     return k * np.sum(x ** 3)
    >>> print(str(check_grads(energy, np.array([1.0, -2.0]), 0.5)).splitlines()[0])
    energy: its derivatives agree with numbers (gradient, tangent, dot products, Taylor slope, second order)
    """
    return Judge(function, args, kwargs, wrt, mode, rtol, atol).report(order)


class Judge:
    """One function at one point, and random directions there."""

    def __init__(
        self, function: Any, args: Sequence[Any], kwargs: dict[str, Any], wrt: Any, mode: str, rtol: float, atol: float,
    ):
        function = as_python(function)
        if forwards(function, () if wrt is None else wrt):
            function, wrt = forwarding_of_call(function, len(args), tuple(kwargs), wrt)
        self.function = plain(function)
        self.mode, self.rtol, self.atol = mode, rtol, atol
        owner = getattr(function, "__self__", None)
        call = signature_of(self.function).bind(*(() if owner is None else (owner,)), *args, **kwargs)
        call.apply_defaults()
        check_readable(self.function, call.arguments.values())
        self.call = call
        found = [name for name, value in call.arguments.items() if is_active(value)]
        self.wrt = parameters_named(function, wrt)[0] if wrt is not None else tuple(found)
        if not self.wrt:
            raise NonDifferentiableError(
                f"no argument of {self.function.__qualname__} holds floating-point numbers", why="there is nothing to differentiate",
                remedy="give float64 arrays or floats",
            )
        self.at = [as_float(call.arguments[name]) for name in self.wrt]
        for path, part in (leaf for name, value in zip(self.wrt, self.at) for leaf in leaves(value, name)):
            if not isinstance(part, complex) and not is_float_leaf(part) and not hasattr(part, "dtype"):
                raise NonDifferentiableError(
                    f"{path} of {self.function.__qualname__} is {article(type(part).__name__)}",
                    why="numbers are compared for floats alone", remedy="check a function of the floats, or leave wrt out",
                )
        self.bench = Bench([])
        self.random = np.random.default_rng(0)
        self.v = self.direction(self.at)
        self.u: Any = None

    def direction(self, at: Any) -> Any:
        """Random numbers in the structure of ``at``, none near zero; in its dtypes."""
        return mapped(lambda part: alike(np.asarray(
            self.random.uniform(0.5, 1.5, np.shape(part)) * self.random.choice([-1.0, 1.0], np.shape(part)),
            getattr(part, "dtype", float))[()], part), at)

    def arguments(self, at: Sequence[Any]) -> dict[str, Any]:
        """The arguments by name, with others for those that are differentiated; copies, since the function may write to them."""
        made: dict[str, Any] = copied({**self.call.arguments, **dict(zip(self.wrt, at))})
        return made

    def plainly(self, *at: Any) -> Any:
        """The function itself: its result, or that of a scalar that stands for it."""
        call = type(self.call)(self.call.signature, self.arguments(at))
        with self.bench.run():
            return self.weighted(self.function(*call.args, **call.kwargs))

    def weighted(self, value: Any) -> Any:
        """The dot product of the floats of a result with the numbers ``u``, drawn when the first result is seen."""
        floats = [part for _, part in leaves(value) if is_float_leaf(part) or np.iscomplexobj(part)]
        if not floats:
            raise NonDifferentiableError(f"{self.function.__qualname__} returns no floating-point number")
        if len(floats) == 1 and not np.ndim(floats[0]):
            return on_host(floats[0])
        if self.u is None:
            self.u = self.direction(floats)
        return vector(self.u) @ vector(floats)

    def scalar(self) -> bool:
        """Whether the function returns one number."""
        return self.u is None

    def gradient(self, *at: Any) -> tuple[Any, ...]:
        """The gradient by the library, of the function or of the scalar that stands for it."""
        from ..api.gradients import grad
        from ..api.transforms import vjp

        arguments = self.arguments(at)
        call = type(self.call)(self.call.signature, arguments)
        with self.bench.run():
            if self.scalar():
                found = grad(self.function, self.wrt, mode=self.mode)(*call.args, **call.kwargs)
                return tuple(found)
            value, pullback = vjp(self.function, *call.args, wrt=self.wrt, **call.kwargs)
            return tuple(pullback(self.seeds(value)))

    def seeds(self, value: Any) -> Any:
        """The numbers ``u`` in the structure of a result; None for what holds no floats."""
        parts = iter(self.u)
        return mapped(lambda part: next(parts) if is_float_leaf(part) else None, value)

    def tangent(self) -> Any:
        """The derivative along ``v`` by forward mode."""
        from ..api.transforms import jvp

        call = type(self.call)(self.call.signature, self.arguments(self.at))
        tangents = dict.fromkeys(self.call.arguments) | dict(zip(self.wrt, self.v))
        moving = type(self.call)(self.call.signature, tangents)
        with self.bench.run():
            _, tangent = jvp(self.function, call.args, moving.args, mode=self.mode, **call.kwargs)
        parts = [part for _, part in leaves(tangent)]
        return on_host(parts[0]) if self.scalar() else vector(self.u) @ vector(parts)

    # -- judgements -----------------------------------------------------------------------------------------------------

    def report(self, order: int) -> GradCheck:
        self.plainly(*self.at)
        gradient = self.gradient(*self.at)
        passed = ["gradient", "tangent", "dot products", "Taylor slope"]
        entries, largest = self.check_entries(gradient)
        along = sum(vector(part) @ vector(v) for part, v in zip(gradient, self.v))
        expected, error = self.numbers(self.plainly, self.v)
        scale = self.scale(gradient)
        self.compare(along, expected, scale, error, "the gradient, along a random direction,")
        if any(parameter.kind is parameter.KEYWORD_ONLY for name, parameter in self.call.signature.parameters.items() if name in self.wrt):
            passed = [what for what in passed if what not in ("tangent", "dot products")]  # jvp takes tangents by position
        else:
            tangent = self.tangent()
            self.compare(tangent, expected, scale, error, "the tangent along a random direction")
            self.compare(tangent, along, scale, 0.0, "u·(Jv)", (1e-10 if self.double() else 1e-4))
        slope = taylor_slope(self.plainly, self.at, self.v, along)
        if slope < 1.5 and self.double():
            raise self.wrong(f"the Taylor remainder vanishes with the power {slope:.2g} of the step, not 2")
        if order > 1 and self.scalar() and not is_mixed(self.at):  # hvp does not take them
            self.check_second_order()
            passed.append("second order")
        return GradCheck(self.function.__qualname__, self.wrt, entries, vector(self.at).size, largest, slope, tuple(passed))

    def double(self) -> bool:
        """Whether all is in double precision."""
        return all(np.asarray(on_host(part)).dtype.itemsize >= 8 for _, part in leaves(self.at))

    def scale(self, gradient: Any) -> float:
        """The size of what a directional derivative is summed from."""
        return float(np.max(np.abs(vector(gradient)), initial=0.0)) * float(np.sum(np.abs(vector(self.v))))

    def check_entries(self, gradient: Any) -> tuple[int, float]:
        """The gradient entry by entry; how many, and the largest relative difference."""
        found, size = vector(gradient), vector(self.at).size
        chosen = np.arange(size) if size <= ENTRIES else np.sort(self.random.choice(size, ENTRIES, replace=False))
        names = [f"{name}{path}{subscript(index)}" for name, value in zip(self.wrt, self.at) for path, leaf in leaves(value)
                 for index in np.ndindex(np.shape(leaf))]
        scale = float(np.max(np.abs(found), initial=0.0, where=np.isfinite(found)))
        worst = (0.0, "")
        largest = 0.0
        for i in chosen:
            unit = np.zeros(size)
            unit[i] = 1.0
            expected, error = self.numbers(self.plainly, in_structure_of(self.at, unit), names[i])
            off = abs(found[i] - expected)
            allowed = self.atol + error + self.tolerance() * max(abs(expected), 1e-3 * scale)
            largest = max(largest, off / max(abs(expected), scale, 1e-300))
            if not off / allowed <= max(1.0, worst[0]):
                worst = (off / allowed if off == off else math.inf, f"{names[i]}: {found[i]:.10g}, but should be {expected:.10g}")
        if worst[1]:
            raise self.wrong(f"the gradient is wrong, the most with respect to {worst[1]}")
        return len(chosen), float(largest)

    def check_second_order(self) -> None:
        """The Hessian times ``v`` against differences of the gradient."""
        from ..api.transforms import hvp

        call = type(self.call)(self.call.signature, self.arguments(self.at))
        with self.bench.run():
            found = hvp(self.function, self.wrt)(*call.args, tuple(self.v), **call.kwargs)
        expected, error = self.numbers(lambda *at: vector(self.gradient(*at)), self.v, complex_step=False)
        scale = float(np.max(np.abs(expected), initial=0.0))
        for i, (mine, theirs) in enumerate(zip(vector(found), np.ravel(expected))):
            self.compare(mine, theirs, scale, error, f"entry {i} of the Hessian times a vector", 10 * self.tolerance())

    def numbers(self, f: Callable[..., Any], tangents: Any, what: str = "", complex_step: bool = True) -> tuple[Any, float]:
        """The derivative by numbers, and a bound of its error. A kink is named."""
        try:
            value, error = numeric_jvp(f, self.at, tangents, rtol=1e-7 if self.double() else 1e-2, complex_step=complex_step)
        except NonDifferentiableError as error:
            kink = nearest_kink(self.function, self.wrt, lambda step: self.arguments(moved_along(self.at, tangents, step)))
            problem = f"numbers cannot judge the derivative of {self.function.__qualname__}" + (f" with respect to {what}" if what else "")
            remedy = "check at another point, some way off"
            if kink is not None:
                raise NonDifferentiableError(
                    f"{problem}: {kink.words}", places=[kink.place], why=error.problem, remedy=remedy,
                ) from None
            place = definition(self.function, "asked of this function")
            raise NonDifferentiableError(f"{problem}: {error.problem}", places=[place], why=error.why, remedy=remedy) from None
        return value, error

    def tolerance(self) -> float:
        return self.rtol if self.double() else max(self.rtol, 2e-3)

    def compare(self, found: Any, expected: Any, scale: float, error: float, what: str, rtol: float | None = None) -> None:
        """Raise CrossCheckError unless two numbers agree, relative to the size of what they are summed from."""
        allowed = self.atol + error + (self.tolerance() if rtol is None else rtol) * max(abs(expected), scale)
        if not abs(found - expected) <= allowed and not (np.isnan(found) and np.isnan(expected)):
            raise self.wrong(f"{what} is {found:.10g}, but should be {expected:.10g}")

    def wrong(self, what: str) -> CrossCheckError:
        return CrossCheckError(
            f"the derivative of {self.function.__qualname__} is wrong: {what}",
            places=[definition(self.function, "the function that was checked")],
            why="numbers say something else", remedy="cross_check names the line where the engines part; check_rule tries one's own rules",
        )


def subscript(index: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, index))}]" if index else ""


def is_float_leaf(value: Any) -> bool:
    """Whether a value is a real floating-point number or an array of them."""
    return isinstance(value, float) or getattr(getattr(value, "dtype", None), "kind", "") == "f"


def is_active(value: Any) -> bool:
    """Whether a value holds floats, and nothing else."""
    parts = [part for _, part in leaves(value)]
    return bool(parts) and all(map(is_float_leaf, parts))
