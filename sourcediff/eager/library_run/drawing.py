"""Random draws by values that are being differentiated: those of a location and a scale, and draws from, or in the order of, values.

A draw is a function of its parameters and of noise that does not depend on them, and its derivative is that of this function at the noise
that was drawn: the pathwise derivative (Kingma and Welling, "Auto-encoding variational Bayes", 2014; Rezende, Mohamed and Wierstra,
"Stochastic backpropagation and approximate inference in deep generative models", 2014). The noise is drawn once, as in the plain call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...errors import OF_A_DRAW, MissingRuleError
from ..engine.apply import call, raw, records, stacked, variables_in
from .watch import refused

GENERATORS = (np.random.Generator, np.random.RandomState)


class Path(NamedTuple):
    """A distribution: its ``parameters`` with their defaults, those by which it is ``differentiable``, the method that draws its
    ``noise`` and what that is called with beside the size, and the draw as a function of the noise and of the parameters.

    ``scales``: the parameters that must not be negative.
    """

    parameters: dict[str, Any]
    noise: str
    given: tuple[Any, ...]
    draw: Callable[..., Any]
    scales: tuple[str, ...] = ("scale",)


REQUIRED = object()
PLACE = {"loc": 0.0, "scale": 1.0}


def shifted(noise: Any, loc: Any, scale: Any) -> Any:
    return loc + scale * noise


def by_scale(noise: Any, scale: Any) -> Any:
    return scale * noise


PATHS = {
    "normal": Path(PLACE, "normal", (0.0, 1.0), shifted),
    "laplace": Path(PLACE, "laplace", (0.0, 1.0), shifted),
    "logistic": Path(PLACE, "logistic", (0.0, 1.0), shifted),
    "gumbel": Path(PLACE, "gumbel", (0.0, 1.0), shifted),
    "uniform": Path({"low": 0.0, "high": 1.0}, "uniform", (0.0, 1.0), lambda noise, low, high: low + (high - low) * noise, ()),
    "exponential": Path({"scale": 1.0}, "standard_exponential", (), by_scale),
    "rayleigh": Path({"scale": 1.0}, "rayleigh", (1.0,), by_scale),
    "lognormal": Path(
        {"mean": 0.0, "sigma": 1.0}, "normal", (0.0, 1.0), lambda noise, mean, sigma: np.exp(mean + sigma * noise), ("sigma",)),
    "weibull": Path({"a": REQUIRED}, "standard_exponential", (), lambda noise, a: noise ** (1 / a), ("a",)),
    "pareto": Path({"a": REQUIRED}, "standard_exponential", (), lambda noise, a: np.expm1(noise / a), ("a",)),
}
"""The distributions of which a draw is a smooth function of all parameters, at given noise, and of which NumPy draws it in this way."""


def drawn(method: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``rng.normal(mean, deviation)`` and its like; ``rng.shuffle(x)``, ``rng.permutation(x)`` or ``rng.choice(x, …)``.

    Raises MissingRuleError for other draws. The generator draws as in a plain call.
    """
    name = method.__name__
    if not is_drawn_from_variables([*args, *kwargs.values()]) and not (name == "shuffle" and isinstance(args[0], list)):
        return call(method, args, kwargs)
    if name in PATHS:
        return along_path(method, PATHS[name], args, kwargs)
    if name == "multivariate_normal":
        return around_mean(method, args, kwargs)
    if name == "gamma":
        return of_gamma(method, args, kwargs)
    return reordered(method, args, kwargs)


def is_drawn_from_variables(values: list[Any]) -> bool:
    """Whether something among values is being differentiated."""
    variables = variables_in(values)
    return bool(variables) and records(variables)


def along_path(method: Any, path: Path, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A draw by its parameters, one of which is being differentiated."""
    parameters, size = bound_parameters(method, path.parameters, args, kwargs)
    values = {name: raw(value) for name, value in parameters.items()}
    if any(np.any(np.less(values[name], 0)) for name in path.scales):
        method(*values.values(), size)  # raises
    shape = np.broadcast_shapes(*map(np.shape, values.values())) if size is None else size
    noise = getattr(method.__self__, path.noise)(*path.given, None if shape == () and size is None else shape)
    if np.broadcast_shapes(np.shape(noise), *map(np.shape, values.values())) != np.shape(noise):
        method(*values.values(), size)  # raises
    made = path.draw(noise, **parameters)
    return made if np.shape(raw(made)) == np.shape(noise) else np.broadcast_to(made, np.shape(noise))


def bound_parameters(method: Any, parameters: dict[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """The parameters of a draw by name, with arrays for lists, and its size. Where they are not what it takes, it says so itself."""
    names = [*parameters, "size"]
    given = {**dict(zip(names, args)), **kwargs}
    found = {**parameters, "size": None, **given}
    if len(args) > len(names) or len(given) < len(args) + len(kwargs) or found.keys() != {*names} or REQUIRED in found.values():
        method(*map(raw, args), **{name: raw(value) for name, value in kwargs.items()})  # raises
    size = raw(found.pop("size"))
    return {name: stacked(value) for name, value in found.items()}, size


def around_mean(method: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``rng.multivariate_normal(mean, cov, …)``, of which only the mean is differentiated."""
    given = {**dict(zip(("mean", "cov", "size", "check_valid", "tol"), args)), **kwargs}
    if "mean" not in given or is_drawn_from_variables([value for name, value in given.items() if name != "mean"]):
        raise without_path(method)
    mean = stacked(given.pop("mean"))
    return mean + method(np.zeros_like(raw(mean)), **{name: raw(value) for name, value in given.items()})


def of_gamma(method: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``rng.gamma(shape, scale)``, of which only the scale is differentiated."""
    parameters, size = bound_parameters(method, {"shape": REQUIRED, "scale": 1.0}, args, kwargs)
    if is_drawn_from_variables([parameters["shape"]]):
        raise without_path(method)
    path = Path({"scale": 1.0}, "gamma", (), lambda noise, shape, scale: scale * noise, ("shape", "scale"))
    values = [raw(value) for value in parameters.values()]
    if any(np.any(np.less(value, 0)) for value in values):
        method(*values, size)  # raises
    shape = np.broadcast_shapes(*map(np.shape, values)) if size is None else size
    noise = method(values[0], 1.0, None if shape == () and size is None else shape)
    return path.draw(noise, **parameters)


def reordered(method: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A draw of positions."""
    first, *rest = args or (None,)
    name = method.__name__
    if name in ("shuffle", "permutation", "choice") and variables_in([first]) and not is_drawn_from_variables([*rest, *kwargs.values()]):
        rest, kwargs = raw(rest), raw(kwargs)
        axis = kwargs.get("axis", 0)
        positions = np.arange(np.shape(raw(first))[axis])
        along = {key: value for key, value in kwargs.items() if key != "axis"}
        if name == "shuffle" and isinstance(first, list):
            items = list(first)
            order = list(positions)
            method(order)
            first[:] = [items[position] for position in order]
            return None
        if name == "shuffle" and (np.ndim(raw(first)) == 1 or not rest and "axis" not in kwargs):
            method(positions)
            first[...] = first[positions]
            return None
        if name == "permutation" and np.ndim(raw(first)) == 1 or name == "choice":
            array = stacked(first)
            chosen = method(positions, *rest, **along)
            return np.take(array, chosen, axis=axis) if np.ndim(chosen) or array.ndim > 1 else array[chosen]
    raise without_path(method)


def without_path(method: Any) -> MissingRuleError:
    """The refusal of a draw that is no function with a derivative of what is being differentiated."""
    return refused(MissingRuleError(
        f"the random draw .{method.__name__}() has no derivative rule for its parameters",
        why="a value that is being differentiated is one of them, and what is drawn would silently lose its gradient",
        remedy=OF_A_DRAW,
    ))
