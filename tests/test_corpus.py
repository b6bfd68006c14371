"""Every function of the corpus, on every engine: value, gradient, structure, the caller's arguments, repetition, other shapes."""

from __future__ import annotations

import inspect
import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import AliasingError, FallbackWarning, SourcediffError
from tests.corpus import CASES
from tests.corpus.case import LEFT, Case, with_known_faults
from tests.corpus.judge import Reference, copied, differing_bits, leaves, reference, without_output, wrong_gradient
from tests.golden.experts import EXPERTS, arguments
from tests.sampling import chosen, name_of, sampled
from tests.texts.proven import proven

MODES = {"compiled": {"mode": "compiled"}, "eager": {"mode": "eager"}, "checked": {"mode": "auto", "check": True}}
SINGLE = [case for case in CASES if case.float32]
SEVERAL = [case for case in CASES if isinstance(case.wrt, tuple) and not case.may_refuse]
REFUSABLE = [case for case in CASES if case.may_refuse]


@cache
def truth(case: Case, size: int, dtype: Any = np.float64) -> Reference:
    return reference(case.function, *case.make(case.sizes[size], dtype), case.wrt)


def told(case: Case, mode: str, args: Any, kwargs: Any, wrong: list[str]) -> str:
    """The whole story of a failure: the function, its generated gradient, what is wrong."""
    try:
        generated = sourcediff.gradient_source(case.function, case.wrt, args=(*args, *kwargs.values()), value=True)
    except (SourcediffError, TypeError) as error:
        generated = f"no generated source: {type(error).__name__}: {error}"
    shapes = ", ".join(f"{path}: {np.shape(leaf)}" for path, leaf in leaves((args, kwargs)))
    return "\n\n".join((
        f"{case.name} under {mode}, wrt={case.wrt!r}, shapes {shapes}", inspect.getsource(case.function), generated, *wrong,
    ))


def judged(case: Case, mode: str, transformed: Any, size: int, dtype: Any = np.float64) -> tuple[Any, Any]:
    """Call a transformed function once and hold everything about it against the plain function; returns its result."""
    args, kwargs = case.make(case.sizes[size], dtype)
    expected = truth(case, size, dtype)
    given = copied((args, kwargs))
    (value, gradient), printed = without_output(transformed, *given[0], **given[1])
    wrong = wrong_gradient(gradient, case.function, *given, case.wrt, expected)
    if np.ndim(value) or type(value).__module__.startswith("sourcediff"):
        wrong.append(f"value: a plain scalar expected, got {value!r}")
    # the eager engine may call np.sin where the function calls math.sin: the last bit can differ, no more
    elif not np.isclose(value, expected.value, rtol=1e-6 if dtype == np.float32 else 1e-14, atol=0):
        wrong.append(f"value: expected {expected.value!r}, got {value!r}")
    if differing_bits(given, expected.after):
        wrong.append(f"arguments afterwards:\n  expected {expected.after}\n  got      {given}")
    if mode != "checked" and printed != expected.printed:  # a check runs the function a second time
        wrong.append(f"printed: expected {expected.printed!r}, got {printed!r}")
    assert not wrong, told(case, mode, args, kwargs, wrong)
    return value, gradient


def same(one: Any, other: Any) -> bool:
    return all(np.array_equal(a, b, equal_nan=True) for (_, a), (_, b) in zip(leaves(one), leaves(other), strict=True))


def run(case: Case, mode: str, dtype: Any = np.float64) -> None:
    """All sizes in a row through one transformed function, the first twice."""
    with warnings.catch_warnings():
        # the corpus is inside the compiler's language; where a refusal is allowed, the eager answer is judged instead
        warnings.simplefilter("ignore" if case.may_refuse else "error", FallbackWarning)
        transformed = sourcediff.value_and_grad(case.function, case.wrt, **MODES[mode])
        first = judged(case, mode, transformed, 0, dtype)
        for size in range(1, len(case.sizes)):
            judged(case, mode, transformed, size, dtype)
        assert same(first, judged(case, mode, transformed, 0, dtype)), "the same call gave another answer later on"


TO_COMPUTE = chosen(10, CASES)


@sampled(4, "case", CASES, ids=name_of)
def test_compiled_gradient(case: Case) -> None:
    """Of every fourth function those whose generated text is not the one of which the hash is kept, and some others; all with --long."""
    if case in TO_COMPUTE or not proven(f"corpus/{case.name}"):
        check_that_it_is_smooth(case)
        judge(case, "compiled")


@sampled(24, "case, mode", CASES, ["eager", "checked"], ids=name_of)
def test_gradient(case: Case, mode: str) -> None:
    judge(case, mode)


def judge(case: Case, mode: str) -> None:
    try:
        run(case, mode)
    except AliasingError as refusal:
        if not case.may_refuse:
            raise
        assert refusal.remedy or any(place.remedy for place in refusal.places), refusal


@pytest.mark.parametrize("case", LEFT, ids=name_of)
def test_what_is_left_to_the_eager_engine_is_refused_and_right_there(case: Case) -> None:
    args, kwargs = case.make()
    with pytest.raises(SourcediffError, match=r"cannot be compiled|is not taken"):
        without_output(sourcediff.grad(case.function, case.wrt, mode="compiled"), *args, **kwargs)
    judge(case, "eager")


@sampled(3, "case, mode", SINGLE, ["compiled", "eager"], ids=name_of)
def test_gradient_in_single_precision(case: Case, mode: str) -> None:
    run(case, mode, np.float32)


@sampled(40, "case", CASES, ids=name_of)
def test_grad_agrees_with_value_and_grad(case: Case) -> None:
    try:
        gradient, _ = without_output(sourcediff.grad(case.function, case.wrt, mode="compiled"), *(made := case.make())[0], **made[1])
        _, expected = judged(case, "compiled", sourcediff.value_and_grad(case.function, case.wrt, mode="compiled"), 0)
    except AliasingError:
        assert case.may_refuse
        return
    args, kwargs = case.make()
    wrong = wrong_gradient(gradient, case.function, args, kwargs, case.wrt, truth(case, 0))
    assert not wrong, told(case, "compiled, grad alone", args, kwargs, wrong)
    assert all(np.allclose(a, b, rtol=1e-13, atol=1e-13) for (_, a), (_, b) in zip(leaves(gradient), leaves(expected), strict=True))


ALONE = {"kinds.mixed_precision": "1.0 times a np.float32 is one too, and so is its sum with a Python number: seven digits"}


@sampled(12, "case", with_known_faults(SEVERAL, ALONE), ids=name_of)
def test_each_argument_alone_agrees_with_all_at_once(case: Case) -> None:
    """A single ``wrt`` changes what is active, hence what is saved: the numbers must stay."""
    for alone in case.wrt:
        part = Case(case.function, case.recipes, case.keywords, alone)
        judged(part, "compiled", sourcediff.value_and_grad(case.function, alone, mode="compiled"), 0)


@pytest.mark.parametrize("name", EXPERTS)
@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_the_hand_written_gradient_is_met(name: str, mode: str) -> None:
    program, expert, wrt, with_value = EXPERTS[name]
    by_hand = expert(*arguments(name))
    expected = by_hand if with_value else (program(*arguments(name)), by_hand)
    got = sourcediff.value_and_grad(program, wrt, mode=mode)(*arguments(name))
    for (path, a), (_, b) in zip(leaves(got), leaves(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-12, err_msg=f"{name} at {path}")


# The judges themselves.


def check_that_it_is_smooth(case: Case) -> None:
    """Differences must be trustworthy at every point chosen, else the case proves nothing."""
    for size in range(len(case.sizes)):
        found = truth(case, size)
        assert np.ndim(found.value) == 0 and np.isfinite(found.value)
        assert found.slopes, "nothing is differentiated"
        for path in found.slopes:
            assert np.all(found.smooth(path)), f"{path}: the differences do not settle, errors {found.errors[path]}"


def test_the_corpus_can_tell_right_from_wrong() -> None:
    """Few functions have a zero gradient, so an engine that returns zeros fails nearly everywhere."""
    dull = [case.name for case in TO_COMPUTE if not any(np.any(slopes) for slopes in truth(case, 0).slopes.values())]
    assert len(dull) <= 4, dull
    assert len(CASES) >= 120 and len(SINGLE) >= 12 and len(REFUSABLE) <= len(CASES) // 10
    assert len({case.name for case in CASES}) == len(CASES)


@pytest.mark.parametrize("name", EXPERTS)
def test_the_hand_written_gradients_are_right(name: str) -> None:
    program, expert, wrt, with_value = EXPERTS[name]
    args = arguments(name)
    found = reference(program, args, {}, wrt)
    gradient = expert(*arguments(name))
    wrong = wrong_gradient(gradient[1] if with_value else gradient, program, args, {}, wrt, found)
    assert all(np.all(found.smooth(path)) for path in found.slopes), "the point sits beside a kink"
    assert not wrong, "\n".join(wrong)


def test_the_judge_sees_every_kind_of_mistake() -> None:
    def f(x, p):
        return np.sum(x ** 2) * p["s"]

    args = (np.array([1.0, -2.0]), {"s": 3.0})
    found = reference(f, args, {}, (0, 1))
    right = (2 * args[0] * 3.0, {"s": 5.0})
    assert not wrong_gradient(right, f, args, {}, (0, 1), found)
    read_only = right[0].copy()
    read_only.flags.writeable = False
    mistakes = {
        "numbers": (right[0] * (1 + 1e-8), right[1]),
        "NaN": (right[0] * np.nan, right[1]),
        "shape": (right[0][:, None], right[1]),
        "dtype": (right[0].astype(np.float32), right[1]),
        "list": (right[0].tolist(), right[1]),
        "shared": (args[0], right[1]),
        "read-only": (read_only, right[1]),
        "structure": (right[0], 5.0),
        "keys": (right[0], {"t": 5.0}),
        "scalar type": (right[0], {"s": np.array(5.0)}),
        "no tuple": right[0],
        "too few": right[:1],
    }
    for name, mistake in mistakes.items():
        assert wrong_gradient(mistake, f, args, {}, (0, 1), found), f"{name}: {mistake!r} went unnoticed"


def test_the_judge_sees_changed_arguments() -> None:
    before = (np.array([1.0, np.nan]), {"s": 3.0, "k": [1, "a"]})
    assert not differing_bits(copied(before), before)
    for other in (np.array([1.0, 2.0]), np.array([[1.0, np.nan]]), np.array([1.0, np.nan], dtype=np.float32), [1.0, np.nan]):
        assert differing_bits((other, before[1]), before), other
    for key, other in (("s", 3.5), ("s", 3), ("k", [1, "b"]), ("k", [1]), ("t", 0.0)):
        assert differing_bits((before[0], {**before[1], key: other}), before), (key, other)
