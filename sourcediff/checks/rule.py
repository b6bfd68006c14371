"""One rule on one call, against numbers: what this accepts, both engines may rely on."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..errors import CrossCheckError, MissingRuleError, NonDifferentiableError, SourcediffError
from ..rules import Rule, rule_for
from ..rules.dual import Dual
from ..rules.modes import call, pushforward, ranks, rule_pullback, spread
from ..runtime.arrays import sum_to
from ..runtime.arrays.library import is_array, is_number
from ..runtime.trees import leaves, mapped
from ..runtime.whose_error import pass_on
from ..syntax.function import definition
from .numeric import compare, moved_along, numeric_jvp, taylor_slope, vector


class RuleCheck(NamedTuple):
    """What was tried of a rule, and what could not be."""

    rule: str
    passed: tuple[str, ...]
    remarks: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join([f"{self.rule} is right on this call: {', '.join(self.passed)}", *(f"  {remark}" for remark in self.remarks)])


def check_rule(function: Callable[..., Any], *args: Any, **kwargs: Any) -> RuleCheck:
    """Try the rule of a function on one call: ``check_rule(f, *args, **kwargs)``.

    What is tried: shapes, linearity in ``g``, that the function and the formula leave their arguments alone and give arrays of their
    own, both modes against differences or the complex step, u·(Jv) = (Jᵀu)·v, the slope of the Taylor remainder, second derivatives
    (by the rules of what the formula calls), operands that broadcast, and single precision. Choose float64 arguments without two equal
    entries, and off any kink.

    Raises CrossCheckError that says what is wrong and where the rule is written, MissingRuleError for a function without a rule,
    NonDifferentiableError where numbers cannot judge.

    >>> import numpy as np
    >>> from sourcediff import extend
    >>> def softplus(x):
    ...     return np.logaddexp(0.0, x)
    >>> @extend.elementwise(softplus)
    ... def softplus_rule(g, z, x):
    ...     return g / (1 + np.exp(-x))
    >>> print(check_rule(softplus, np.array([0.3, -1.2])))
    softplus_rule is right on this call: purity, shapes, linearity, both modes, numbers, Taylor slope, second order, float32
    """
    rule = rule_for(function)
    if rule is None or rule.kind == "constant":
        name = getattr(function, "__qualname__", repr(function))
        raise MissingRuleError(f"{name} has no rule to check", remedy="write one with sourcediff.extend")
    trial = Trial(rule, args, kwargs)
    if not trial.wanted:
        raise NonDifferentiableError(
            f"no argument of {rule.name} can be differentiated in this call", why=f"the rule is for {', '.join(rule.differentiable)}",
            remedy="give float64 arrays or floats",
        )
    passed, remarks = [], []
    for what, check in CHECKS.items():
        try:
            if check(trial) is not False:
                passed.append(what)
        except Untried as untried:
            remarks.append(f"{what} not tried: {untried}")
        except (CrossCheckError, NonDifferentiableError) as error:
            raise at_rule(error, rule, what) from None
    name = getattr(rule.formula, "__name__", rule.name) if rule.own else f"the rule of {rule.name}"
    return RuleCheck(name, tuple(passed), tuple(remarks))


class Untried(Exception):
    """A check that does not apply to this rule or this call, with the reason."""


def at_rule(error: SourcediffError, rule: Rule, what: str) -> SourcediffError:
    """The error with the rule's line and the check's name."""
    formula: Any = rule.formula
    place = definition(formula, f"found by the check of {what}")
    return type(error)(f"the rule of {rule.name}: {error.problem}", why=error.why, remedy=error.remedy, places=[place])


class Trial:
    """A rule, the arguments of one call by name in one dtype, and random directions.

    ``symmetric``: the function reads its matrix as a symmetric one.
    """

    def __init__(
        self, rule: Rule, args: tuple[Any, ...], kwargs: dict[str, Any], *, symmetric: bool = False, weak: bool = False,
        dtype: Any = np.float64,
    ):
        self.rule, self.symmetric, self.weak, self.dtype = rule, symmetric, weak, dtype
        self.args, self.kwargs = args, kwargs
        self.bound = {name: self.cast(value) for name, value in rule.bind(args, kwargs).items()}
        self.wanted = tuple(name for name in rule.differentiable if is_differentiated(self.bound[name]))
        self.random = np.random.default_rng(0)
        self.z = self.value(self.bound)
        self.g, self.other_g = self.direction(self.z), self.direction(self.z)
        self.tangents = {name: self.direction(self.bound[name]) for name in self.wanted}

    def again(self, dtype: Any) -> Trial:
        """The same call in another dtype."""
        return Trial(self.rule, self.args, self.kwargs, symmetric=self.symmetric, weak=self.weak, dtype=dtype)

    def cast(self, value: Any) -> Any:
        """The floating-point arrays (and sequences of them) in the dtype of the trial; anything else as it is."""
        if isinstance(value, (list, tuple)) and any(map(is_array, value)):
            return type(value)(map(self.cast, value))
        return value.astype(self.dtype) if (is_array(value) or is_number(value)) and value.dtype.kind == "f" else value

    def value(self, bound: dict[str, Any]) -> Any:
        if self.symmetric:
            bound = {**bound, **symmetric({name: bound[name] for name in self.wanted})}
        return call(self.rule, bound)

    def direction(self, at: Any) -> Any:
        """A random structure like ``at``: no entry is zero or nearly so; of what is no float, zeros."""

        def random(part: Any) -> Any:
            entries = self.random.uniform(0.5, 1.5, np.shape(part)) * self.random.choice([-1, 1], np.shape(part))
            if np.asarray(part).dtype.kind not in "fc":
                return np.zeros(np.shape(part))[()]
            return entries.astype(self.dtype)[()]

        return mapped(random, at)

    def pull(self, g: Any, bound: dict[str, Any] | None = None, z: Any = None) -> dict[str, Any]:
        """The contributions by name; at the trial's own arguments, or at others and their result."""
        at = (self.z, self.bound) if bound is None else (z, bound)
        return dict(zip(self.wanted, rule_pullback(self.rule, g, *at, self.wanted)))

    def push(self, tangents: dict[str, Any]) -> Any:
        return pushforward(self.rule, self.z, self.bound, tangents)

    @property
    def pushes(self) -> bool:
        """Whether there is a forward mode."""
        return self.rule.kind != "general" or self.rule.tangent is not None

    def at(self, step: Any) -> dict[str, Any]:
        """The arguments, a step along the tangents."""
        names = list(self.bound)
        return dict(zip(names, moved_along([self.bound[name] for name in names], [self.tangents.get(name) for name in names], step)))


def is_differentiated(value: Any) -> bool:
    """Whether a derivative with respect to it is asked for: a floating-point number or array, or a sequence of such."""
    parts = [np.asarray(part) for _, part in leaves(value) if isinstance(part, float) or is_array(part) or is_number(part)]
    return len(parts) == len(list(leaves(value))) > 0 and all(part.dtype.kind == "f" for part in parts)


def symmetric(tree: Any) -> Any:
    return mapped(lambda part: 0.5 * (part + np.swapaxes(part, -1, -2)), tree)


def zeros(tree: Any) -> Any:
    return mapped(lambda part: np.zeros(np.shape(part)), tree)


def check_purity(trial: Trial) -> None:
    """The function changes none of its arguments, and what it gives is its own, for good."""
    bound = mapped(np.copy, {name: trial.bound[name] for name in trial.wanted})
    given = {**trial.bound, **bound}
    z = call(trial.rule, given)
    compare(bound, {name: trial.bound[name] for name in trial.wanted}, rtol=0, atol=1e-300, what="afterwards, the function's argument")
    before = mapped(np.array, z)
    for _, result in leaves(z):
        for name, argument in bound.items():
            if any(np.shares_memory(np.asarray(result), np.asarray(part)) for _, part in leaves(argument)):
                raise CrossCheckError(f"the result shares memory with {name}", remedy="return a copy")
    again = mapped(np.array, call(trial.rule, {**given, **mapped(np.copy, bound)}))
    compare(again, before, rtol=1e-12, atol=0, what="of the same call once more, the result")
    call(trial.rule, trial.at(1e-3))
    compare(z, before, rtol=0, atol=1e-300, what="after another call, the first result")


def check_shapes(trial: Trial) -> None:
    given = [trial.bound[name] for name in trial.wanted], trial.z, trial.g, trial.tangents
    before = mapped(np.array, given)
    contributions = trial.pull(trial.g)
    if trial.pushes:
        compare(zeros(trial.push(trial.tangents)), zeros(trial.z), what="of zeros: the tangent")
    compare(given, before, rtol=0, atol=1e-300, what="afterwards, what the rule was given")
    for name, contribution in contributions.items():
        compare(zeros(contribution), zeros(trial.bound[name]), what=f"of zeros: the contribution to {name}")


def check_linearity(trial: Trial) -> None:
    def mixed(g: Any, h: Any) -> Any:
        return 2.5 * g - h

    found = trial.pull(mapped(mixed, trial.g, trial.other_g))
    expected = mapped(mixed, trial.pull(trial.g), trial.pull(trial.other_g))
    compare(found, expected, rtol=1e-9, atol=1e-9, what="of 2.5 g - h: the contributions")


def check_modes(trial: Trial) -> None:
    """u . (J v) = (J' u) . v, for each argument, for all but one, and for all together."""
    if not trial.pushes:
        raise Untried("the rule has no forward formula")
    contributions = trial.pull(trial.g)
    alone = [{name: tangent} for name, tangent in trial.tangents.items()]
    others = [{name: trial.tangents[name] for name in trial.wanted if name != left} for left in trial.wanted] if len(alone) > 2 else []
    for tangents in [*alone, *others, trial.tangents]:
        forward = vector(trial.g) @ vector(trial.push(tangents))
        reverse = sum(vector(contributions[name]) @ vector(tangent) for name, tangent in tangents.items())
        compare(forward, reverse, rtol=1e-9, atol=1e-9, what=f"the tangent for {', '.join(tangents)}, dotted with g,")


def check_by_numbers(trial: Trial) -> None:
    """Both modes, for each argument alone, against differences or the complex step."""
    names = list(trial.bound)
    args = [trial.bound[name] for name in names]
    contributions = trial.pull(trial.g)
    for name, tangent in trial.tangents.items():
        tangents = [tangent if other == name else None for other in names]
        expected, error = numeric_jvp(lambda *args: trial.value(dict(zip(names, args))), args, tangents)
        if trial.pushes:
            compare(trial.push({name: tangent}), expected, rtol=1e-6, atol=1e-6 + error, what=f"the tangent for {name}")
        reverse, numbers = vector(contributions[name]) @ vector(tangent), vector(trial.g) @ vector(expected)
        compare(reverse, numbers, rtol=1e-6, atol=1e-6, what=f"the contribution to {name}, dotted with a tangent,")


def check_taylor(trial: Trial) -> None:
    """What is left of u . f after the first order vanishes with the square of the step."""
    names = list(trial.bound)

    def weighted(*args: Any) -> Any:
        return vector(trial.g) @ vector(trial.value(dict(zip(names, args))))

    derivative = sum(vector(part) @ vector(trial.tangents[name]) for name, part in trial.pull(trial.g).items())
    slope = taylor_slope(weighted, list(trial.bound.values()), [trial.tangents.get(name) for name in names], derivative)
    if slope < 1.6:
        raise CrossCheckError(f"the Taylor remainder vanishes with the power {slope:.2g} of the step, not 2", why="the derivative is wrong")


def check_second_order(trial: Trial) -> None:
    """The formula, pushed forward by the rules of what it calls, against differences of the pullback."""
    if not trial.pushes:
        raise Untried("the rule has no forward formula")
    rule = trial.rule.variant(ranks(trial.rule, trial.bound))
    g, dg, z, dz = trial.g, trial.other_g, trial.z, trial.push(trial.tangents)
    if rule.kind == "reduction":
        array, *_ = rule.parameters
        g, dg, z, dz = (spread(part, np.ndim(trial.bound[array]), trial.bound) for part in (g, dg, z, dz))
    dual = Dual(rule, {"g": g, "z": z, **trial.bound}, {"g": dg, "z": dz, **trial.tangents})
    found = {}
    try:
        pairs = dual.run(rule, trial.wanted)
    except MissingRuleError as missing:
        raise Untried(missing.problem) from None
    for name, (_, tangent) in zip(trial.wanted, pairs):
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
    if trial.symmetric:
        found, expected = symmetric(found), symmetric(expected)
    compare(found, expected, rtol=1e-5, atol=1e-5 + error, what="the second derivative")


def check_broadcasting(trial: Trial) -> bool:
    """Of an elementwise rule: each array in turn a number, and a single row."""
    tried = False
    for name in trial.wanted:
        value = trial.bound[name]
        if trial.rule.kind != "elementwise" or len(trial.wanted) < 2 or not np.ndim(value):
            continue
        for less in (value.flat[0], value[:1]):
            try:
                fewer = narrowed(trial, name, less)
            except Exception as error:  # a function need not take everything
                pass_on(error)
                continue
            check_shapes(fewer)
            check_modes(fewer)
            check_by_numbers(fewer)
            tried = True
    return tried


def narrowed(trial: Trial, name: str, value: Any) -> Trial:
    """The same call with another value of one parameter."""
    bound = {**trial.bound, name: value}
    positional = {key: part for key, part in bound.items() if trial.rule.parameters[key].kind is not inspect.Parameter.KEYWORD_ONLY}
    return Trial(trial.rule, tuple(positional.values()), {key: part for key, part in bound.items() if key not in positional})


def check_selection(trial: Trial) -> bool:
    """What a selecting rule did not select gets a zero even from an infinite adjoint."""
    if not trial.rule.selects or not np.size(trial.z):
        return False
    with np.errstate(invalid="ignore"):
        found = trial.pull(np.full(np.shape(trial.z), np.inf))
    if np.any(np.isnan(vector(found))):
        raise CrossCheckError("an infinite adjoint reaches what was not selected, as nan")
    return True


def check_single_precision(trial: Trial) -> bool:
    """float32 in, float32 through and out, and about the same numbers."""
    if not any(is_array(part) or is_number(part) for _, part in leaves([trial.bound[name] for name in trial.wanted])):
        return False
    try:
        single = trial.again(np.float32)
    except Exception as error:  # a function need not take everything
        pass_on(error)
        raise Untried(f"the function raised {type(error).__name__}") from None
    contributions = single.pull(single.g)
    compare(contributions, trial.pull(mapped(np.float64, single.g)), rtol=2e-3, atol=2e-3, what="in float32: the contributions")
    if not trial.weak and not trial.rule.own:  # what an own function computes in is its own affair: the engines cast
        dtype = np.asarray(single.z[0] if isinstance(single.z, (list, tuple)) else single.z).dtype
        for path, part in leaves({"tangent": single.push(single.tangents), **contributions}):
            if np.asarray(part).dtype != dtype:
                raise CrossCheckError(f"{path} is {np.asarray(part).dtype}, from {dtype}")
    return True


CHECKS: dict[str, Callable[[Trial], bool | None]] = {
    "purity": check_purity, "shapes": check_shapes, "linearity": check_linearity, "both modes": check_modes, "numbers": check_by_numbers,
    "Taylor slope": check_taylor, "second order": check_second_order, "broadcasting": check_broadcasting,
    "selection": check_selection, "float32": check_single_precision,
}
