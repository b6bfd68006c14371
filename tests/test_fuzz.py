"""Random programs: two dozen by default, two thousand with ``--long``; and the fuzzer's own tests."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.corpus.judge import reference, wrong_gradient
from tests.fuzz.generator import generate
from tests.fuzz.judge import Verdict, arguments, counterexample, doubted, judge, jumps, load
from tests.fuzz.program import Compound, Program, shrunk, size, smaller
from tests.fuzz.second import judge_twice
from tests.sampling import sampled

SHORT, LONG = range(24), range(2000)


@functools.cache
def sources(number: int) -> list[str]:
    """The texts of the first programs."""
    return [generate(seed).source for seed in range(number)]


def pytest_generate_tests(metafunc: Any) -> None:
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", LONG if metafunc.config.getoption("--long", False) else SHORT)


@pytest.fixture(scope="module")
def verdicts() -> dict[int, Verdict | None]:
    return {}


def test_program(seed: int, tmp_path: Path, verdicts: dict[int, Verdict | None]) -> None:
    program = generate(seed)
    verdict = verdicts[seed] = judge(program, tmp_path)
    if verdict is not None and verdict.wrong:
        pytest.fail(counterexample(program, tmp_path), pytrace=False)


@sampled(8, "start", range(0, 32, 4))
def test_second_derivatives_of_programs(start: int, tmp_path: Path) -> None:
    for program in map(generate, range(start, start + 4)):
        verdict = judge_twice(program, tmp_path)
        if verdict is not None and verdict.wrong:
            pytest.fail(counterexample(program, tmp_path, judged=judge_twice), pytrace=False)


def test_most_programs_were_judged_and_few_were_refused(verdicts: dict[int, Verdict | None]) -> None:
    """Runs after the programs. A fuzzer that judges nothing, or an engine that refuses everything, would pass above."""
    if len(verdicts) < len(SHORT):
        pytest.skip("not all programs were run in this process, and a few are no sample")
    done = {seed: verdict for seed, verdict in verdicts.items() if verdict is not None}
    assert len(done) >= 0.9 * len(verdicts)
    for aliasing, share in ((False, 0.05), (True, 0.6)):
        those = {seed: verdict for seed, verdict in done.items() if generate(seed).aliasing == aliasing}
        refused = [seed for seed, verdict in those.items() if verdict.refused]
        assert len(refused) <= share * len(those) + 1, f"{'with' if aliasing else 'without'} aliases, refused: {refused} of {len(those)}"


# The fuzzer itself.


def test_a_seed_always_gives_the_same_program() -> None:
    assert [generate(seed).source for seed in range(20)] == [generate(seed).source for seed in range(20)]
    assert len(set(sources(600))) == 600


def test_programs_run_and_can_be_judged_by_differences(tmp_path: Path) -> None:
    verdicts = [judge(generate(seed), tmp_path, engines={}) for seed in range(1000, 1030)]
    assert sum(verdict is not None for verdict in verdicts) >= 27


@pytest.mark.parametrize("construct", [
    r"for \w+ in range\(\w+\)", r"range\(3, -1, -1\)", r"range\(0\)", r"enumerate\(", r"zip\(", r"while k\d+ < 3", r"while s\d+ < 1\.2",
    r"elif ", r"else:", r" if .* else ", r" and | or ", r"bump\(x", r"drain\(", r"cube\(.*scale=", r"decay\(", r" @ ", r"np\.where",
    r"\w+\[\w+\] = ", r"\[1:\] [*+/-]= ", r"\[::-1\] = ", r"\[::2\] [*+/-]= ", r"(\w+)\[.*\], \1\[.*\] = ", r"\w+\[\w+ > .*\] = ",
    r"^ {12,}\w+\[.*\] = ", r"^    x = ", r"^ +v\d+ = \w+$", r"^ +v\d+ = \w+\[.*:.*\]$", r"\[:, ", r"\[\[0, -1, 0\]\]", r" \+ 1\]",
])
def test_every_construct_occurs(construct: str) -> None:
    assert sum(bool(re.search(construct, source, re.MULTILINE)) for source in sources(600)) >= 3


def test_a_planted_error_is_found_and_shrunk(tmp_path: Path) -> None:
    """An engine that forgets what an augmented store does to the gradient: the counterexample is a few lines."""

    def forgetful(function: Any, wrt: Any, args: Any) -> Any:
        """The right answer, by differences, of a program whose augmented stores are left out."""
        text = Path(function.__code__.co_filename).read_text()
        careless = re.sub(r"^( +)(\w+\[.*\] [*/]= .*)$", r"\1pass", text, flags=re.MULTILINE)
        space: dict[str, Any] = {}
        exec(compile(careless, "careless", "exec"), space)
        wrong, right = (reference(f, args, {}, wrt) for f in (space["f"], function))
        for given, after in zip(args, right.after[0]):
            if getattr(given, "ndim", 0):
                given[...] = after
        return right.value, tuple(slopes if slopes.ndim else float(slopes) for slopes in wrong.slopes.values())

    engines = {"forgetful": forgetful}
    found = []
    for seed in range(14):
        verdict = judge(generate(seed), tmp_path, engines)
        if verdict and verdict.wrong:
            found.append(seed)
    assert len(found) >= 3, "the planted error went unnoticed"
    story = counterexample(generate(found[0]), tmp_path, engines)
    start = story.index("def f(")
    function = story[start:story.index("\nf(", start)]
    assert re.search(r"\[.*\] [*/]= ", story), story
    assert len(function.strip().splitlines()) <= 7, story


def test_shrinking_keeps_what_matters() -> None:
    branch = Compound((("if u > 0", ("w = 3.0", "needle")), ("else", ("t = 4.0",))))
    loop = Compound((("for i in range(3)", ("v = 2.0", branch)),))
    program = Program(0, ("x",), ("u = 1.0", loop, "z = 5.0"), ("u", "v"), "u > 0", ("z",))
    small = shrunk(program, lambda candidate: "needle" in candidate.source)
    assert small.body == ("needle",) and len(small.terms) == 1 and not small.condition
    assert all(size(candidate.body) <= size(program.body) for candidate in smaller(program))


def test_the_judge_reports_refusals_and_crashes(tmp_path: Path) -> None:
    program = generate(0)
    function = load(program, tmp_path)
    args = arguments(program)
    found = reference(function, args, {}, tuple(range(len(args))))
    assert wrong_gradient((), function, args, {}, tuple(range(len(args))), found)

    def crashing(function: Any, wrt: Any, args: Any) -> Any:
        raise RuntimeError("crashed")

    verdict = judge(program, tmp_path, {"crashing": crashing})
    assert verdict and "crashed" in verdict.wrong[0]


def test_a_program_that_jumps_at_its_arguments_is_not_judged() -> None:
    def by_rounding(x: Any) -> Any:
        x -= x[0] - -1.3
        x[x > -1.3] = 2.0  # of x[0] rounding decides, on either side alike: central differences see nothing
        return float(np.sum(x))

    def smooth(x: Any) -> Any:
        return float(np.sum(np.exp(3 * x)))

    at = np.array([1.36, 0.4, 1.2])
    given = {function: reference(function, (at,), {}, (0,)) for function in (by_rounding, smooth)}
    assert jumps(by_rounding, (at,), given[by_rounding]) and not jumps(smooth, (at,), given[smooth])


def test_differences_that_round_are_not_trusted_further_than_they_settle() -> None:
    def rounding(x: Any) -> Any:
        return float(np.sum(np.sin(4e4 + x)))

    at = (np.linspace(-1, 1, 40),)
    found = reference(rounding, at, {}, (0,))
    off = np.abs(found.slopes[0, 0] - np.cos(4e4 + at[0]))
    honest = doubted(rounding, at, found).errors[0, 0]
    assert np.sum(off > 10 * found.errors[0, 0]) > 4 and not np.any(off > 10 * honest)
    wrong = (1.000001 * np.cos(4e4 + at[0]),)
    assert wrong_gradient(wrong, rounding, at, {}, (0,), doubted(rounding, at, found))


def test_a_program_that_overflows_is_left_at_once(tmp_path: Path) -> None:
    caught = Compound((("try", ("t = np.exp(t) + t",)), ("except Exception", ("pass",))))
    endless = Program(0, ("x",), ("t = np.float64(10.0)", Compound((("while t > 0", (caught,)),))), ("t",))
    assert "while t > 0:\n        try:" in endless.source
    assert judge(endless, tmp_path, engines={}) is None
