"""One rule on one call, against numbers. What this accepts, both engines may rely on."""

from __future__ import annotations

from typing import Any

import numpy as np

from sourcediff.arrays import sum_to
from sourcediff.check import compare, leaves, mapped, moved, numeric_jvp, vector
from sourcediff.rules import Rule
from sourcediff.rules.modes import call, pullback, pushforward, ranks, spread

from .dual import Dual
from .samples import Sample


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


class Trial:
    """A rule, the arguments of one call by name in one dtype, and random directions."""

    def __init__(self, rule: Rule, sample: Sample, dtype: Any = np.float64):
        self.rule, self.sample, self.dtype = rule, sample, dtype
        self.bound = {name: self.cast(value) for name, value in rule.bind(sample.args, sample.kwargs).items()}
        self.wanted = tuple(name for name in rule.differentiable if is_active(self.bound[name]))
        self.random = np.random.default_rng(0)
        self.z = self.value(self.bound)
        self.g, self.other_g = self.direction(self.z), self.direction(self.z)
        self.tangents = {name: self.direction(self.bound[name]) for name in self.wanted}

    def cast(self, value: Any) -> Any:
        """The floating-point arrays (and sequences of them) in the dtype of the trial; anything else as it is."""
        if isinstance(value, (list, tuple)) and any(isinstance(part, np.ndarray) for part in value):
            return type(value)(map(self.cast, value))
        return value.astype(self.dtype) if isinstance(value, (np.ndarray, np.floating)) and value.dtype.kind == "f" else value

    def value(self, bound: dict[str, Any]) -> Any:
        if self.sample.symmetric:
            bound = {**bound, **symmetric({name: bound[name] for name in self.wanted})}
        return call(self.rule, bound)

    def direction(self, at: Any) -> Any:
        """A random structure like ``at``: no entry is zero or nearly so."""

        def random(part: Any) -> Any:
            entries = self.random.uniform(0.5, 1.5, np.shape(part)) * self.random.choice([-1, 1], np.shape(part))
            return entries.astype(self.dtype)[()]

        return mapped(random, at)

    def pull(self, g: Any, bound: dict[str, Any] | None = None, z: Any = None) -> dict[str, Any]:
        """The contributions by name; at the trial's own arguments, or at others and their result."""
        at = (self.z, self.bound) if bound is None else (z, bound)
        return dict(zip(self.wanted, pullback(self.rule, g, *at, self.wanted)))

    def push(self, tangents: dict[str, Any]) -> Any:
        return pushforward(self.rule, self.z, self.bound, tangents)

    def at(self, step: Any) -> dict[str, Any]:
        """The arguments, a step along the tangents."""
        names = list(self.bound)
        return dict(zip(names, moved([self.bound[name] for name in names], [self.tangents.get(name) for name in names], step)))


def is_active(value: Any) -> bool:
    """Whether a derivative with respect to it is asked for: a floating-point number or array, or a sequence of such."""
    parts = [np.asarray(part) for _, part in leaves(value) if isinstance(part, (float, np.ndarray, np.generic))]
    return len(parts) == len(list(leaves(value))) > 0 and all(part.dtype.kind == "f" for part in parts)


def symmetric(tree: Any) -> Any:
    return mapped(lambda part: 0.5 * (part + np.swapaxes(part, -1, -2)), tree)


def zeros(tree: Any) -> Any:
    return mapped(lambda part: np.zeros(np.shape(part)), tree)


def check_shapes_and_purity(trial: Trial) -> None:
    given = [trial.bound[name] for name in trial.wanted], trial.z, trial.g, trial.tangents
    before = mapped(np.array, given)
    contributions = trial.pull(trial.g)
    tangent = trial.push(trial.tangents)
    compare(given, before, rtol=0, atol=1e-300, what="afterwards, what the rule was given")
    compare(zeros(tangent), zeros(trial.z), what="of zeros: the tangent")
    for name, contribution in contributions.items():
        compare(zeros(contribution), zeros(trial.bound[name]), what=f"of zeros: the contribution to {name}")


def check_linearity(trial: Trial) -> None:
    def mixed(g: Any, h: Any) -> Any:
        return 2.5 * g - h

    found = trial.pull(mapped(mixed, trial.g, trial.other_g))
    expected = mapped(mixed, trial.pull(trial.g), trial.pull(trial.other_g))
    compare(found, expected, rtol=1e-9, atol=1e-9, what="of 2.5 g - h: the contributions")


def check_modes(trial: Trial) -> None:
    """u . (J v) = (J' u) . v, for each argument and for all together."""
    contributions = trial.pull(trial.g)
    for tangents in [*({name: tangent} for name, tangent in trial.tangents.items()), trial.tangents]:
        forward = vector(trial.g) @ vector(trial.push(tangents))
        reverse = sum(vector(contributions[name]) @ vector(tangent) for name, tangent in tangents.items())
        compare(forward, reverse, rtol=1e-9, atol=1e-9, what=f"the tangent for {', '.join(tangents)}, dotted with g,")


def check_numbers(trial: Trial) -> None:
    """Both modes, for each argument alone, against differences or the complex step."""
    names = list(trial.bound)
    args = [trial.bound[name] for name in names]
    contributions = trial.pull(trial.g)
    for name, tangent in trial.tangents.items():
        tangents = [tangent if other == name else None for other in names]
        expected, error = numeric_jvp(lambda *args: trial.value(dict(zip(names, args))), args, tangents)
        compare(trial.push({name: tangent}), expected, rtol=1e-6, atol=1e-6 + error, what=f"the tangent for {name}")
        reverse, numbers = vector(contributions[name]) @ vector(tangent), vector(trial.g) @ vector(expected)
        compare(reverse, numbers, rtol=1e-6, atol=1e-6, what=f"the contribution to {name}, dotted with a tangent,")


def check_second_order(trial: Trial) -> None:
    """The formula, pushed forward by the rules of what it calls, against differences of the pullback."""
    rule = trial.rule.variant(ranks(trial.rule, trial.bound))
    g, dg, z, dz = trial.g, trial.other_g, trial.z, trial.push(trial.tangents)
    if rule.kind == "reduction":
        array, *_ = rule.parameters
        g, dg, z, dz = (spread(part, np.ndim(trial.bound[array]), trial.bound) for part in (g, dg, z, dz))
    dual = Dual(rule, {"g": g, "z": z, **trial.bound}, {"g": dg, "z": dz, **trial.tangents})
    found = {}
    for name, (_, tangent) in zip(trial.wanted, dual.run(rule, trial.wanted)):
        if tangent is None:  # the contribution does not depend on anything
            tangent = zeros(trial.bound[name])
        elif rule.kind == "elementwise":
            tangent = sum_to(np.broadcast_to(tangent, np.shape(trial.z)), np.shape(trial.bound[name]))
        elif rule.kind == "reduction":
            tangent = np.broadcast_to(tangent, np.shape(trial.bound[name]))
        found[name] = tangent

    def pulled(step: Any) -> Any:
        bound = trial.at(step)
        return trial.pull(mapped(lambda g, dg: g + step * dg, trial.g, trial.other_g), bound, trial.value(bound))

    expected, error = numeric_jvp(pulled, [0.0], [1.0])
    if trial.sample.symmetric:
        found, expected = symmetric(found), symmetric(expected)
    compare(found, expected, rtol=1e-5, atol=1e-5 + error, what="the second derivative")


def check_selection(trial: Trial) -> None:
    """What a selecting rule did not select gets a zero even from an infinite adjoint."""
    if trial.rule.selects and np.size(trial.z):
        with np.errstate(invalid="ignore"):
            found = trial.pull(np.full(np.shape(trial.z), np.inf))
        assert not np.any(np.isnan(vector(found))), "an infinite adjoint reaches what was not selected, as nan"


def check_single_precision(trial: Trial) -> None:
    """float32 in, float32 through and out, and about the same numbers."""
    if not any(isinstance(part, (np.ndarray, np.generic)) for _, part in leaves([trial.bound[name] for name in trial.wanted])):
        return
    single = Trial(trial.rule, trial.sample, np.float32)
    contributions = single.pull(single.g)
    compare(contributions, trial.pull(mapped(np.float64, single.g)), rtol=2e-3, atol=2e-3, what="in float32: the contributions")
    if not trial.sample.weak:
        dtype = np.asarray(single.z[0] if isinstance(single.z, (list, tuple)) else single.z).dtype
        for path, part in leaves({"tangent": single.push(single.tangents), **contributions}):
            assert np.asarray(part).dtype == dtype, f"{path} is {np.asarray(part).dtype}, from {dtype}"
