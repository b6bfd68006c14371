"""One rule on one call, against numbers. What this accepts, both engines may rely on."""

from __future__ import annotations

from typing import Any

import numpy as np

from sourcediff.check import compare, leaves, like, mapped, moved, numeric_jvp, vector
from sourcediff.rules import Rule
from sourcediff.rules.modes import call, pullback, pushforward, ranks, spread
from sourcediff.arrays import sum_to

from .dual import Dual
from .samples import Sample

FLOATS = (float, np.floating)


def is_active(value: Any) -> bool:
    """Whether a derivative with respect to the value is asked for: floating-point numbers and arrays, and sequences of them."""
    parts = [part for _, part in leaves(value)]
    return bool(parts) and all(isinstance(part, float) or (hasattr(part, "dtype") and np.issubdtype(part.dtype, np.floating)) for part in parts)


class Trial:
    """A rule, the arguments of one call by name in one dtype, and random directions."""

    def __init__(self, rule: Rule, sample: Sample, dtype: Any = np.float64, seed: int = 0):
        self.rule, self.sample = rule, sample
        convert = lambda part: part.astype(dtype) if isinstance(part, np.ndarray | np.floating) and part.dtype == np.float64 else part  # noqa: E731
        self.bound = rule.bind(*mapped_arguments(convert, sample))
        self.wanted = tuple(name for name in rule.differentiable if is_active(self.bound[name]))
        self.dtype, self.random = dtype, np.random.default_rng(seed)
        self.z = self.value(self.bound)
        self.cotangent, self.other = self.direction(self.z), self.direction(self.z)
        self.tangents = {name: self.direction(self.bound[name]) for name in self.wanted}

    def value(self, bound: dict[str, Any]) -> Any:
        if self.sample.symmetric:
            (name,) = self.wanted
            bound = {**bound, name: 0.5 * (bound[name] + np.swapaxes(bound[name], -1, -2))}
        return call(self.rule, bound)

    def direction(self, at: Any) -> Any:
        """A random structure like ``at``: no entry is zero or nearly so."""
        def random(part: Any) -> Any:
            entries = self.random.uniform(0.5, 1.5, np.shape(part)) * self.random.choice([-1, 1], np.shape(part))
            return entries.astype(self.dtype)[()]

        return mapped(random, at if isinstance(at, (list, tuple)) else at)

    def pull(self, g: Any, bound: dict[str, Any] | None = None, z: Any = None) -> dict[str, Any]:
        bound = self.bound if bound is None else bound
        return dict(zip(self.wanted, pullback(self.rule, g, self.z if z is None else z, bound, self.wanted)))

    def at(self, step: Any) -> dict[str, Any]:
        """The arguments, a step along the tangents."""
        names = list(self.bound)
        return dict(zip(names, moved([self.bound[n] for n in names], [self.tangents.get(n) for n in names], step)))


def mapped_arguments(convert: Any, sample: Sample) -> tuple[tuple[Any, ...], dict[str, Any]]:
    def walk(value: Any) -> Any:
        if isinstance(value, (list, tuple)) and any(isinstance(part, np.ndarray) and part.dtype == np.float64 for part in value):
            return type(value)(convert(part) for part in value)
        return convert(value)

    return tuple(map(walk, sample.args)), {key: walk(value) for key, value in sample.kwargs.items()}


def check_rule(rule: Rule, sample: Sample) -> None:
    """Raise (an AssertionError or a CrossCheckError) unless the rule is right on this call, in both modes and twice."""
    trial = Trial(rule, sample)
    assert trial.wanted, "the sample has nothing to differentiate"
    check_shapes_and_purity(trial)
    check_linearity(trial)
    check_modes(trial)
    check_numbers(trial)
    check_second_order(trial)
    check_selection(trial)
    check_single_precision(trial)


def check_shapes_and_purity(trial: Trial) -> None:
    before = mapped(np.array, [list(trial.tangents.values()), trial.z, trial.cotangent, [trial.bound[name] for name in trial.wanted]])
    found = trial.pull(trial.cotangent)
    pushforward(trial.rule, trial.z, trial.bound, trial.tangents)
    after = [list(trial.tangents.values()), trial.z, trial.cotangent, [trial.bound[name] for name in trial.wanted]]
    compare(after, before, rtol=0, what="what the rule was given, afterwards,")
    for name in trial.wanted:
        compare(mapped(lambda part: np.zeros(np.shape(part)), found[name]), mapped(lambda part: np.zeros(np.shape(part)), trial.bound[name]), what=f"the contribution to {name}")


def check_linearity(trial: Trial) -> None:
    one, two = trial.pull(trial.cotangent), trial.pull(trial.other)
    mixed = mapped(lambda g, h: 2.5 * g - h, trial.cotangent, trial.other)
    compare(trial.pull(mixed), mapped(lambda g, h: 2.5 * g - h, one, two), rtol=1e-9, atol=1e-9, what="the contribution of 2.5 g - h")


def check_modes(trial: Trial) -> None:
    """u . (J v) = (J' u) . v, for each argument and for all together."""
    found = trial.pull(trial.cotangent)
    each = [{name: tangent} for name, tangent in trial.tangents.items()]
    for tangents in [*each, trial.tangents]:
        forward = pushforward(trial.rule, trial.z, trial.bound, tangents)
        compare(mapped(np.shape, forward), mapped(np.shape, trial.z), what="the shape of the tangent")
        left = vector(trial.cotangent) @ vector(forward)
        right = sum(vector(found[name]) @ vector(tangent) for name, tangent in tangents.items())
        compare(left, right, rtol=1e-9, atol=1e-9, what=f"the tangent for {', '.join(tangents)} dotted with g")


def check_numbers(trial: Trial) -> None:
    """Both modes, for each argument alone, against differences or the complex step."""
    names = list(trial.bound)
    args = [trial.bound[name] for name in names]
    found = trial.pull(trial.cotangent)
    for name, tangent in trial.tangents.items():
        expected, error = numeric_jvp(lambda *a: trial.value(dict(zip(names, a))), args, [tangent if n == name else None for n in names])
        forward = pushforward(trial.rule, trial.z, trial.bound, {name: tangent})
        compare(forward, expected, rtol=1e-6, atol=1e-6 + error, what=f"the tangent for {name}")
        compare(vector(found[name]) @ vector(tangent), vector(trial.cotangent) @ vector(expected), rtol=1e-6, atol=1e-6, what=f"the contribution to {name}")


def check_second_order(trial: Trial) -> None:
    """The formula, pushed forward by the rules of what it calls, against differences of the pullback."""
    rule = trial.rule.variant(ranks(trial.rule, trial.bound))
    dz = pushforward(trial.rule, trial.z, trial.bound, trial.tangents)
    g, dg, z = trial.cotangent, trial.other, trial.z
    if rule.kind == "reduction":
        array, *_ = rule.parameters
        rank = np.ndim(trial.bound[array])
        g, dg, z, dz = (spread(part, rank, trial.bound) for part in (g, dg, z, dz))
    dual = Dual(rule, {"g": g, "z": z, **trial.bound}, {"g": dg, "z": dz, **trial.tangents})
    found = {}
    for name, (_, tangent) in zip(trial.wanted, dual.run(rule, trial.wanted)):
        shape = np.shape(trial.bound[name]) if not rule.sequence else None
        if tangent is None:  # the contribution does not depend on anything
            tangent = mapped(lambda part: np.zeros(np.shape(part)), trial.bound[name])
        if rule.kind == "elementwise":
            tangent = sum_to(np.broadcast_to(tangent, np.shape(trial.z)), shape)
        elif rule.kind == "reduction":
            tangent = np.broadcast_to(tangent, shape)
        found[name] = tangent

    def pulled(step: Any) -> Any:
        bound = trial.at(step)
        cotangent = mapped(lambda a, b: a + step * b, trial.cotangent, trial.other)
        return trial.pull(cotangent, bound, trial.value(bound))

    expected, error = numeric_jvp(pulled, [0.0], [1.0])
    if trial.sample.symmetric:
        return compare(symmetric(found), symmetric(expected), rtol=1e-5, atol=1e-5 + error, what="the second derivative")
    return compare(found, expected, rtol=1e-5, atol=1e-5 + error, what="the second derivative")


def symmetric(tree: Any) -> Any:
    return mapped(lambda part: 0.5 * (part + np.swapaxes(part, -1, -2)), tree)


def check_selection(trial: Trial) -> None:
    """What a selecting rule did not select gets a zero even from an infinite adjoint."""
    if trial.rule.selects and np.size(trial.z):
        infinite = np.full(np.shape(trial.z), np.inf, trial.dtype)
        with np.errstate(invalid="ignore"):
            found = trial.pull(infinite)
        assert not np.any(np.isnan(vector(found))), "an infinite adjoint reaches what was not selected, as nan"


def check_single_precision(trial: Trial) -> None:
    """float32 in, float32 through and out, and about the same numbers."""
    if not any(hasattr(part, "dtype") for _, part in leaves(list(trial.bound.values()))):
        return
    single = Trial(trial.rule, trial.sample, np.float32)
    compare(single.pull(single.cotangent), trial.pull(mapped(np.float64, single.cotangent)), rtol=2e-3, atol=2e-3, what="in float32 the contribution")
    if trial.sample.weak:
        return
    forward = pushforward(single.rule, single.z, single.bound, single.tangents)
    assert_dtypes(forward, single.z, "the tangent")
    for name, contribution in single.pull(single.cotangent).items():
        assert_dtypes(contribution, single.z, f"the contribution to {name}")


def assert_dtypes(found: Any, z: Any, what: str) -> None:
    (_, first), *_ = list(leaves(z))
    for path, part in leaves(found):
        assert np.asarray(part).dtype == np.asarray(first).dtype, f"{what}{path} is {np.asarray(part).dtype}, from {np.asarray(first).dtype}"
