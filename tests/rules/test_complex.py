"""Complex numbers: g = ∂u/∂x − i ∂u/∂y, by numbers, for every rule that takes them; and a refusal by name for every other one.

The samples are those of real numbers with imaginary parts added: to all arguments, and to each of several alone. For u = real(sum(w * z))
the adjoint of z is w, so that real(sum(contribution * direction)) is the derivative of u along any complex direction of an argument.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from sourcediff.checks.numeric import compare, moved_along, numeric_jvp, vector
from sourcediff.errors import CrossCheckError, NonDifferentiableError
from sourcediff.rules import RULES, Rule
from sourcediff.rules.dual import Dual
from sourcediff.rules.modes import call, on_complex, pushforward, ranks, rule_pullback, spread
from sourcediff.runtime import arrays, sparse, structures
from sourcediff.runtime.arrays import has_complex, sum_to
from sourcediff.runtime.trees import mapped

from ..sampling import chosen
from .checker import is_active, on_each
from .samples import COMPLEX, SAMPLES, Sample

REAL_ALONE = {np.fft.rfft, np.fft.ihfft, np.fft.rfftn, np.fft.rfft2, structures.like, structures.tangent_like, sparse.solution,
              sparse.transposed_solution}
"""They take real arguments alone; the results of NumPy's are complex."""


class Trial:
    """A rule and the arguments of one call, those named in ``made_complex`` with imaginary parts."""

    def __init__(self, rule: Rule, sample: Sample, made_complex: tuple[str, ...]):
        self.rule = rule
        self.random = np.random.default_rng(1)
        self.bound = rule.bind(sample.args, sample.kwargs)
        self.wanted = tuple(name for name in rule.differentiable if is_active(self.bound[name]))
        for name in made_complex:
            self.bound[name] = mapped(lambda part: (part + 0.5j * self.random.uniform(-1, 1, np.shape(part)))[()], self.bound[name])
        self.z = call(rule, self.bound)
        self.g, self.dg = self.direction(self.z), self.direction(self.z)

    def direction(self, at: Any) -> Any:
        """A random structure like ``at``, complex where that is."""

        def random(part: Any) -> Any:
            real, imaginary = self.random.uniform(-1, 1, (2, *np.shape(part)))
            return (real + 1j * imaginary if has_complex(part) else real)[()]

        return mapped(random, at)

    def along(self, tangents: dict[str, Any], step: float) -> dict[str, Any]:
        names = list(self.bound)
        return dict(zip(names, moved_along([self.bound[name] for name in names], [tangents.get(name) for name in names], step)))


def parts(tree: Any) -> Any:
    """Real and imaginary parts, so that numbers are compared part by part."""
    return mapped(lambda part: [np.real(part), np.imag(part)], tree)


def subsets(rule: Rule, sample: Sample) -> list[tuple[str, ...]]:
    """Which arguments can be made complex: all of them, and each of several alone."""
    bound = rule.bind(sample.args, sample.kwargs)
    active = tuple(name for name in rule.differentiable if is_active(bound[name]))
    return [active] if len(active) == 1 else [active, *((name,) for name in active)]


def complexified(rule: Rule, sample: Sample) -> list[tuple[str, ...]]:
    """Which arguments to make complex; none, of what makes real ones complex."""
    some = [] if rule.function in REAL_ALONE else [names for names in subsets(rule, sample) if not casts(rule, sample, names)]
    return [*some, ()] if any(sample is known for known in COMPLEX.get(rule.function, ())) else some


def casts(rule: Rule, sample: Sample, names: tuple[str, ...]) -> bool:
    """Whether the call says itself that it wants real numbers: then NumPy drops the imaginary part, and warns of it."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            Trial(rule, sample, names)
        except (TypeError, ValueError):
            assert rule.function in CASTING or rule.name.startswith("scipy."), rule.name  # an alias, of real numbers alone
            return True
    return any(warning.category is np.exceptions.ComplexWarning for warning in seen)


CASTING = {float, np.float64, arrays.cast, np.interp}


TAKING = [
    rule for rule in RULES.values() if rule.kind != "constant" and rule.for_complex is not None and not rule.name.startswith("math.")
]


@pytest.mark.parametrize("rule", TAKING, ids=lambda rule: rule.name)
def test_rule(rule):
    samples = [*SAMPLES.get(rule.function, []), *COMPLEX.get(rule.function, [])]
    calls = [(sample, names) for sample in samples for names in complexified(rule, sample)]
    on_each(lambda call: check(rule, *call), [calls[i] for i in chosen(3, range(len(calls)), rule.name)])


def check(rule, sample, names):
    trial = Trial(rule, sample, names)
    assert on_complex(rule, trial.z, trial.bound), "nothing in this call is complex"
    contributions = dict(zip(trial.wanted, rule_pullback(rule, trial.g, trial.z, trial.bound, trial.wanted)))
    for name in trial.wanted:
        assert has_complex(contributions[name]) <= has_complex(trial.bound[name]), "a real argument got a complex contribution"
        for turn in (1 + 0j, 1j) if has_complex(trial.bound[name]) else (1.0,):
            direction = mapped(lambda part, turn=turn: turn * trial.random.uniform(-1, 1, np.shape(part)), trial.bound[name])
            expected, error = numeric_jvp(lambda t, at={name: direction}: parts(call(rule, trial.along(at, t))), [0.0], [1.0])
            found = pushforward(rule, trial.z, trial.bound, {name: direction})
            compare(parts(found), expected, rtol=1e-6, atol=1e-6 + error, what=f"the tangent for {name}")
            du = np.real(vector(trial.g) @ vector(found))
            compare(np.real(vector(contributions[name]) @ vector(direction)), du, rtol=1e-9, atol=1e-9, what=f"the contribution to {name}")
    check_second_order(trial)


def check_second_order(trial: Trial) -> None:
    """The formula, pushed forward by the rules of what it calls, against differences of the pullback."""
    bound = trial.bound
    tangents = {name: trial.direction(bound[name]) for name in trial.wanted}
    dz = pushforward(trial.rule, trial.z, bound, tangents)
    rule = trial.rule.over_complex()
    rule = rule.variant(ranks(rule, bound))
    given = trial.g, trial.dg, trial.z, dz
    if rule.kind == "reduction":
        array, *_ = rule.parameters
        given = tuple(spread(part, np.ndim(bound[array]), bound) for part in given)
    g, dg, z, dz = given
    dual = Dual(rule, {"g": g, "z": z, **bound}, {"g": dg, "z": dz, **tangents})
    found = {}
    for name, (_, tangent) in zip(trial.wanted, dual.run(rule, trial.wanted)):
        if tangent is None:  # the contribution does not depend on anything
            tangent = mapped(np.zeros_like, bound[name])
        elif rule.kind == "elementwise":
            tangent = sum_to(np.broadcast_to(tangent, np.shape(trial.z)), np.shape(bound[name]))
        elif rule.kind == "reduction":
            tangent = np.broadcast_to(tangent, np.shape(bound[name]))
        found[name] = tangent if has_complex(bound[name]) else mapped(np.real, tangent)

    def pulled(step: Any) -> Any:
        at = trial.along(tangents, step)
        g = mapped(lambda g, dg: g + step * dg, trial.g, trial.dg)
        return parts(dict(zip(trial.wanted, rule_pullback(trial.rule, g, call(trial.rule, at), at, trial.wanted))))

    expected, error = numeric_jvp(pulled, [0.0], [1.0])
    compare(parts(found), expected, rtol=1e-5, atol=1e-5 + error, what="the second derivative")


def accepted(rule: Rule) -> tuple[str, ...] | None:
    """Arguments that NumPy's function takes as complex ones; None if there are none."""
    sample = SAMPLES[rule.function][0]
    for names in subsets(rule, sample):
        try:
            Trial(rule, sample, names)
        except (TypeError, ValueError, UserWarning, np.exceptions.ComplexWarning):
            continue
        return names
    return None


def test_every_other_rule_is_refused_by_name():
    tried = []

    def refused(rule):
        if names := accepted(rule):
            tried.append(rule)
            trial = Trial(rule, SAMPLES[rule.function][0], names)
            at = trial.z, trial.bound
            for attempt in (lambda: rule_pullback(rule, trial.g, *at, trial.wanted), lambda: pushforward(rule, *at, {})):
                with pytest.raises(NonDifferentiableError, match=f"{rule.name} has a derivative rule, but not for complex numbers"):
                    attempt()

    on_each(refused, [rule for rule in RULES.values() if rule.for_complex is None and rule.differentiable and not rule.of_method])
    assert len(tried) >= 60


KINKS = [
    (np.abs, (np.array([0j, 3 - 4j]),), ([0, 0.6 + 0.8j],)), (np.angle, (np.array([0j, 2j]),), ([0, -0.5],)),
    (np.linalg.norm, (np.zeros(2, complex),), ([0, 0],)), (np.std, (np.full(2, 1j),), ([0, 0],)),
    (np.power, (np.array([0j, 2j]), 2), ([0, 4j],)), (np.power, (np.array([0j, 1j]), 1), ([1, 1],)),
    (np.power, (np.array([0j, 1j]), 0), ([0, 0],)), (np.power, (np.array([0j]), np.array([2.0 + 0j])), ([0], [0])),
    (np.power, (np.array([-1.0]), np.array([2 + 0j])), ([-2], [1j * np.pi])),
    (np.prod, (np.array([0j, 2j, 3.0]),), ([6j, 0, 0],)), (np.linalg.det, (np.array([[1, 2j], [1j, -2]]),), ([[-2, -1j], [-2j, 1]],)),
    (np.arccosh, (np.array([-2 + 1j, -2 - 1j]),), (1 / (np.sqrt(np.array([-3 + 1j, -3 - 1j])) * np.sqrt(np.array([-1 + 1j, -1 - 1j]))),)),
]


@pytest.mark.parametrize("function, args, expected", KINKS, ids=lambda part: getattr(part, "__name__", ""))
def test_at_zero_and_on_cuts(function, args, expected):
    rule = RULES[function]
    bound = rule.bind(args, {})
    z = call(rule, bound)
    wanted = [name for name in rule.differentiable if not isinstance(bound[name], int)]
    for contribution, values in zip(rule_pullback(rule, np.ones_like(z), z, bound, wanted), expected, strict=True):
        np.testing.assert_allclose(contribution, values, rtol=1e-12, atol=1e-12)


def test_constants_of_real_numbers_alone():
    assert [rule.name for rule in RULES.values() if rule.kind == "constant" and rule.for_complex is None] == ["np.sign"]


def test_a_wrong_complex_formula_is_caught():
    """The check is worth something: the formula of real numbers, tried on complex ones, fails."""
    for function in (np.absolute, np.var, np.linalg.norm, np.vdot, np.arccosh):
        known = RULES[function]
        rule = Rule(known.kind, function, known.formula, singular=known.singular, holomorphic=True)
        sample = SAMPLES[function][0]
        shifted = sample._replace(args=tuple(part - 4.0 for part in sample.args)) if function is np.arccosh else sample
        with pytest.raises(CrossCheckError):
            check(rule, shifted, rule.differentiable)
