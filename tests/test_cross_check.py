"""The cross-check: right gradients agree, a planted error is found, and the first wrong line is named."""

from __future__ import annotations

import inspect
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff import CrossCheckError
from sourcediff.checks.cross import check_file, cross_check
from sourcediff.dispatch import cache
from sourcediff.errors import AliasingError, SourcediffError, UnsupportedSyntaxError
from tests.corpus import CASES
from tests.corpus.case import with_known_faults
from tests.corpus.judge import copied, differing_bits
from tests.golden.experts import EXPERTS, arguments, heat, logistic, loss, newton_sqrt, pendulum, rnn
from tests.sampling import name_of, sampled

SAMPLE = CASES


@pytest.mark.parametrize("name", EXPERTS)
def test_the_seven_programs_agree(name):
    program, _, wrt, _ = EXPERTS[name]
    report = cross_check(program, *arguments(name), wrt=wrt)
    assert report.intermediates >= 10 and report.largest < 1e-9 and report.remark == ""
    assert program.__name__ in str(report) and str(report.intermediates) in str(report)


MOMENTS = dict.fromkeys(
    ("factories.derivatives_of_what_is_made",),
    "adjoints in what stands for one function are compared at another moment",
) | dict.fromkeys(
    ("dicts.keys_that_are_tuples", "entries.row_swap_arrays", "shrinking.pop_expr", "shrinking.mixed_pop", "dicts.items_of_new",
     "dicts.rebuilt", "assigned.emptied_in_a_condition",
     "sequenced.draws_in_comprehensions", "shaped.entries_under_keys_that_are_not_known", "iterators.over_a_generator_without_end",
     "sequenced.grown_in_a_condition", "positions.index_shortened", "queues.recent_values_of_two_objects", "spelled.crossed"),
    "adjoints in the loops that stand for one line, and of lists that become shorter, are compared at another moment",
) | dict.fromkeys(
    ("shared.variable_of_entries_that_is_bound_anew",),
    "adjoints of two dicts that a variable stands for in two functions, one after the other, are compared at another moment",
) | dict.fromkeys(
    ("sequenced.attribute_of_the_class_until_it_is_stored", "objects.attribute_of_the_class_until_an_inner_function_stores_it"),
    "an adjoint that is equal to a value has its name from the beginning: it is compared before its statement",
) | dict.fromkeys(
    ("lists.extended_by_a_sum",),
    "of a loop that is written out over a constant and over what is differentiated, the constant has no adjoint",
)


@sampled(32, "case", with_known_faults(SAMPLE, MOMENTS), ids=name_of)
def test_the_corpus_agrees_and_the_arguments_stay(case):
    args, kwargs = case.make()
    given = copied((args, kwargs))
    try:
        report = cross_check(case.function, *given[0], wrt=case.wrt, **given[1])
    except (AliasingError, UnsupportedSyntaxError) as refusal:
        pytest.skip(f"the compiler refuses it: {refusal.problem}")  # whether it may is judged in test_corpus.py
    assert report.remark == "" and report.largest < 1e-9
    assert not differing_bits(given, (args, kwargs))


def test_most_of_the_sample_is_compared_inside():
    counts = []
    for case in SAMPLE[::40]:
        args, kwargs = case.make()
        try:
            counts.append(cross_check(case.function, *args, wrt=case.wrt, **kwargs).intermediates)
        except SourcediffError:
            continue
    assert np.median(counts) >= 8


# Planted errors


def planted(tmp_path: Path, program: Any, args: tuple[Any, ...], wrt: Any, right: str, wrong: str) -> tuple[Path, int]:
    """The generated file of a program with one line changed; its path and the line's number."""
    text = sourcediff.gradient_source(program, wrt, args=args)
    places = [number for number, line in enumerate(text.splitlines(), 1) if line.partition("  #")[0].strip() == right]
    assert len(places) == 1, text
    lines = text.splitlines(keepends=True)
    lines[places[0] - 1] = lines[places[0] - 1].replace(right, wrong)
    path = tmp_path / "planted.py"
    path.write_text("".join(lines))
    return path, places[0]


PLANTED = [
    # what, program, wrt, the right line, the wrong one
    ("a wrong sign", heat, 0, "u_bar[1:-1] -= 2 * t5_bar", "u_bar[1:-1] += 2 * t5_bar"),
    ("a wrong index", heat, 0, "u_bar[2:] += t5_bar", "u_bar[1:-1] += t5_bar"),
    ("a wrong factor", pendulum, (0, 1), "theta_bar = 2 * theta", "theta_bar = 3 * theta"),
    ("a wrong operand", loss, (0, 1), "residual_bar = 2 * residual", "residual_bar = 2 * t"),
    ("a wrong forward line", pendulum, (0, 1), "omega = omega - dt * np.sin(theta)", "omega = omega - dt * np.cos(theta)"),
    ("a missing update", pendulum, (0, 1), "omega_bar += theta_bar * dt", "omega_bar = theta_bar * dt"),
    ("a value taken back from the wrong end", pendulum, (0, 1), "theta = theta_saved.pop()", "theta = theta_saved.pop(0)"),
    ("another value saved", pendulum, (0, 1), "theta_saved.append(theta)", "theta_saved.append(omega)"),
    ("a missing term", newton_sqrt, 0, "x_bar = t2_bar - t2_bar * (a / x) / x", "x_bar = t2_bar"),
    ("a missing transposition", rnn, 0, "h_bar = params_wh.T @ t3_bar", "h_bar = params_wh @ t3_bar"),
    ("an overwritten sum", rnn, 0, "params_b_bar += t3_bar", "params_b_bar = t3_bar"),
    ("a forward line that does nothing", pendulum, (0, 1), "theta = theta + dt * omega", "theta = theta"),
    ("a sign in a sum", logistic, (0, 1), "z_bar = -t3_bar * y + t3_bar * np.exp(z - t1)", "z_bar = -t3_bar * y - t3_bar * np.exp(z - t1)"),
]


@pytest.mark.parametrize(("what", "program", "wrt", "right", "wrong"), PLANTED, ids=[row[0] for row in PLANTED])
def test_a_planted_error_is_found_and_its_line_named(what, program, wrt, right, wrong, tmp_path):
    args = arguments(program.__name__)
    path, number = planted(tmp_path, program, args, wrt, right, wrong)
    with pytest.raises(CrossCheckError) as caught:
        check_file(path, program, *args, wrt=wrt)
    generated, mine = caught.value.places
    assert (generated.file, generated.line) == (str(path), number), str(caught.value)
    assert wrong in generated.text and wrong in str(caught.value)
    lines, first = inspect.getsourcelines(program)
    assert mine.file == inspect.getsourcefile(program) and first < mine.line < first + len(lines)
    assert mine.text.strip() == lines[mine.line - first].strip()


def test_a_forgotten_line_is_missed_where_its_result_was_left_unfinished(tmp_path):
    args = arguments("heat")
    path, number = planted(tmp_path, heat, args, 0, "u_bar[2:] += t5_bar", "pass")
    with pytest.raises(CrossCheckError) as caught:
        check_file(path, heat, *args)
    assert caught.value.places[0].line == number - 1  # the last line that wrote u_bar


def test_a_forgotten_pop_is_found(tmp_path):
    args = arguments("pendulum")
    path, _ = planted(tmp_path, pendulum, args, (0, 1), "theta = theta_saved.pop()", "theta_saved.pop()")
    with pytest.raises(CrossCheckError) as caught:
        check_file(path, pendulum, *args, wrt=(0, 1))
    assert "theta_bar -= omega_bar" in caught.value.places[0].text  # the first that reads the stale theta


def test_generated_code_that_raises_is_found(tmp_path):
    args = arguments("heat")
    path, number = planted(tmp_path, heat, args, 0, "u_bar[:-2] += t5_bar", "u_bar[:-3] += t5_bar")
    with pytest.raises(CrossCheckError, match="ValueError") as caught:
        check_file(path, heat, *args)
    assert caught.value.places[0].line == number
    assert isinstance(caught.value.__cause__, ValueError)


def test_a_wrong_return_is_found(tmp_path):
    args = arguments("heat")
    path, number = planted(tmp_path, heat, args, 0, "return u_bar", "return -u_bar")
    with pytest.raises(CrossCheckError) as caught:
        check_file(path, heat, *args)
    assert caught.value.places[0].line == number


def test_an_unchanged_file_agrees(tmp_path):
    path, _ = planted(tmp_path, heat, arguments("heat"), 0, "return u_bar", "return u_bar")
    assert check_file(path, heat, *arguments("heat")).path == str(path)


# What must not be taken for an error


def cancelling(x):
    p = np.exp(x - np.max(x))
    return np.sum(p / np.sum(p))


def logs(x):
    return np.sum(np.where(x > 0, np.log(x), x)) + np.sum(np.sqrt(x))


def noisy(x):
    return np.sum(np.random.standard_normal(3) * x) + random.random()  # noqa: NPY002


GENERATOR = np.random.default_rng(5)


def seeded(x):
    return np.sum(GENERATOR.standard_normal(3) * x)


def talkative(x):
    print("hello")
    return np.sum(x ** 2)


def test_rounding_where_everything_cancels_is_no_error():
    assert cross_check(cancelling, np.linspace(0, 3, 7)).largest < 1e-9


def test_nan_and_inf_agree_with_themselves():
    assert cross_check(logs, np.array([0.5, 0.0, -2.0, np.nan, np.inf])).path


def test_single_precision_has_its_own_tolerance():
    x = np.random.default_rng(0).standard_normal((40, 3)).astype(np.float32)
    report = cross_check(lstsq, x, np.ones(3, np.float32))
    assert report.largest < 1e-4


def lstsq(x, w):
    r = x @ w
    return np.sum(np.tanh(r) ** 2)


@pytest.mark.parametrize("function", [noisy, seeded])
def test_both_engines_draw_the_same_numbers_and_the_state_is_as_before(function):
    before = np.random.get_state()[1].copy(), random.getstate(), GENERATOR.bit_generator.state  # noqa: NPY002
    try:
        cross_check(function, np.ones(3))
    except SourcediffError as error:
        assert not isinstance(error, CrossCheckError), error
    after = np.random.get_state()[1], random.getstate(), GENERATOR.bit_generator.state  # noqa: NPY002
    assert np.array_equal(before[0], after[0]) and before[1:] == after[1:]


def test_it_prints_nothing_and_leaves_the_trace_function(capsys):
    def trace(frame, event, arg):
        return None

    others = sys.gettrace()
    sys.settrace(trace)
    try:
        cross_check(talkative, np.ones(3))
        assert sys.gettrace() is trace
    finally:
        sys.settrace(others)
    assert capsys.readouterr().out == ""


def test_an_error_of_the_function_comes_through():
    with pytest.raises(ValueError, match="broadcast"):
        cross_check(mismatched, np.ones(3), np.ones(2))


def mismatched(x, y):
    return np.sum(x * y)


# check=True


def test_a_checked_transform_checks_the_file_that_it_uses(monkeypatch):
    """The generated text is spoiled on its way into the cache: the first call says so."""
    real = cache.fetch
    monkeypatch.setattr(cache, "fetch", lambda key, build, stem: real(key, lambda: build().replace("2 * x", "3 * x"), stem))
    cache.clear()
    spoiled = sourcediff.grad(talkative, mode="compiled", check=True)
    with pytest.raises(CrossCheckError) as caught:
        spoiled(np.ones(3))
    assert "3 * x" in caught.value.places[0].text
    cache.clear()


def test_a_checked_transform_checks_once_for_each_specialisation(monkeypatch):
    from sourcediff.checks import cross as crosscheck

    calls = []
    real = crosscheck.check_entry
    monkeypatch.setattr(crosscheck, "check_entry", lambda *given: calls.append(given) or real(*given))
    checked = sourcediff.value_and_grad(lstsq, ("x", "w"), check=True)
    for length in (2, 3, 2):
        checked(np.ones((length, 3)), np.ones(3))
    assert len(calls) == 1
    checked(np.ones((2, 3), np.float32), np.ones(3, np.float32))
    assert len(calls) == 2


def test_a_run_that_is_too_long_is_compared_by_its_results(monkeypatch):
    from sourcediff.checks.cross import reference

    monkeypatch.setattr(reference.Watching.__init__, "__defaults__", (1000,))
    report = cross_check(heat, *arguments("heat"))
    assert report.intermediates == 0 and "too long" in str(report)


def test_a_wrong_result_is_found_without_intermediates_too(monkeypatch, tmp_path):
    from sourcediff.checks.cross import reference

    monkeypatch.setattr(reference.Watching.__init__, "__defaults__", (1000,))
    args = arguments("heat")
    path, _ = planted(tmp_path, heat, args, 0, "u_bar[2:] += t5_bar", "u_bar[2:] -= t5_bar")
    with pytest.raises(CrossCheckError, match="gradient with respect to u"):
        check_file(path, heat, *args)
