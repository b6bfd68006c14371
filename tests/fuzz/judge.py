"""Judging a program: every engine against differences of the plain function, and against one another."""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Callable, Mapping
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from itertools import count, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import sourcediff
from sourcediff.errors import AliasingError, UnsupportedSyntaxError
from tests.corpus.judge import Reference, copied, differing_bits, leaves, reference, wrong_gradient

from .expressions import SHAPES
from .program import Program, shrunk

CLOSER = 2e-5
"""A step for a second look."""

BESIDE = 3e-3, 1.3e-3
"""Steps for another one: what differences with these say otherwise is rounding."""

TINY = tuple(sign * 10.0 ** -power for power in range(5, 13) for sign in (1, -1))
"""Steps over which a smooth function does not change to speak of."""

CAREFUL = (
    "the reverse sweep goes over it once more", "what is left of it then is not known", "leaving a try",
    "a block that ends in several ways", "what stands for values of several kinds, by the way that was taken",
)
"""Why a program may be refused that could be taken, if more were known of it: whether what a loop goes over changes meanwhile, which way
was taken.
"""

Engine = Callable[[Callable[..., Any], tuple[int, ...], tuple[Any, ...]], tuple[Any, Any]]


def _engine(mode: str) -> Engine:
    return lambda function, wrt, args: sourcediff.value_and_grad(function, wrt, mode=mode)(*args)


def _forward(function: Callable[..., Any], wrt: tuple[int, ...], args: tuple[Any, ...]) -> tuple[Any, Any]:
    """Value and gradient by compiled forward mode, an entry at a time; ``args`` are left as the last run leaves them."""
    start = copied(args)
    gradient = [np.zeros(np.shape(start[i])) for i in wrt]
    for k, i in enumerate(wrt):
        for index in np.ndindex(np.shape(start[i])):
            tangents = [np.zeros(np.shape(arg)) if np.ndim(arg) else 0.0 for arg in start]
            if index:
                tangents[i][index] = 1.0
            else:
                tangents[i] = 1.0
            given = copied(start)
            value, gradient[k][index] = sourcediff.jvp(function, given, tangents, mode="compiled")
    for arg, after in zip(args, given):
        if np.ndim(arg):
            arg[...] = after
    return value, tuple(part if part.ndim else float(part) for part in gradient)


ENGINES: Mapping[str, Engine] = {**{mode: _engine(mode) for mode in ("compiled", "eager")}, "forward": _forward}


class Verdict(NamedTuple):
    """``wrong``: what is wrong, empty if nothing; ``refused``: the engines that raised AliasingError; ``reasons``: why, by engine."""

    wrong: tuple[str, ...]
    refused: tuple[str, ...]
    reasons: tuple[str, ...] = ()


def arguments(program: Program) -> tuple[Any, ...]:
    """The arguments of a program, the same ones at every call."""
    made = []
    for name in program.parameters:
        rng = np.random.default_rng([program.seed, zlib.crc32(name.encode())])
        numbers = rng.uniform(-1.5, 1.5, SHAPES[name])
        made.append(numbers if SHAPES[name] else float(numbers))
    return tuple(made)


_files = count()


def load(program: Program, folder: Path) -> Callable[..., Any]:
    """Write the program to a file of its own and import its function."""
    path = folder / f"program_{program.seed}_{next(_files)}.py"
    path.write_text(program.source)
    spec = spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f  # type: ignore[no-any-return]


LARGEST = 1e8
"""What arguments may come to: the sine of a larger number has no differences."""


class Wild(BaseException):
    """A program overflows, or divides by zero. (No exception, which it might catch itself.)"""


def wild(what: str, flag: int) -> None:
    """Called by NumPy."""
    raise Wild(what)


def truth(program: Program, function: Callable[..., Any]) -> Reference | None:
    """The numbers to judge by; None where the program fails, sits beside a kink, or is too wild for differences."""
    args = arguments(program)
    try:
        with np.errstate(divide="call", over="call", invalid="call", call=wild):
            found = reference(function, args, {}, tuple(range(len(args))))
    except (Wild, ArithmeticError, NameError, IndexError, TypeError):  # a shrunk program may well miss a definition, or a return
        return None
    steep = max((float(np.max(np.abs(s), initial=0.0)) for s in found.slopes.values()), default=0.0)
    large = max(float(np.max(np.abs(arg), initial=0.0)) for arg in found.after[0])
    tame = isinstance(found.value, (float, np.floating)) and abs(found.value) < 1e4 and steep < 1e5 and large < LARGEST
    return found if tame and all(np.all(found.smooth(path)) for path in found.slopes) else None


def jumps(function: Callable[..., Any], args: tuple[Any, ...], found: Reference) -> bool:
    """Whether the function jumps at its arguments: it compares numbers that are equal but for rounding. Central differences may miss it."""
    steep = 1 + max(float(np.max(np.abs(slope), initial=0.0)) for slope in found.slopes.values())
    for (i, arg), step in product(enumerate(args), TINY):
        for index in np.ndindex(np.shape(arg)):
            moved = list(copied(args))
            if index:
                moved[i][index] += step
            else:
                moved[i] += step
            with np.errstate(all="ignore"):
                if abs(function(*moved) - found.value) > 100 * abs(step) * steep + 1e-9 * (1 + abs(found.value)):
                    return True
    return False


def doubted(function: Callable[..., Any], args: tuple[Any, ...], found: Reference) -> Reference:
    """The numbers to judge by, with an error as large as what other steps give instead: the extrapolation's own bound sees no rounding."""
    others = [reference(function, args, {}, tuple(range(len(args))), step) for step in BESIDE]
    errors = {path: np.max([error, *(np.abs(other.slopes[path] - found.slopes[path]) for other in others)], axis=0)
              for path, error in found.errors.items()}
    return found._replace(errors=errors)


def judge(program: Program, folder: Path, engines: Mapping[str, Engine] = ENGINES) -> Verdict | None:
    """Run a program on all engines and hold the answers against differences and against each other; None if it cannot be judged."""
    try:
        function = load(program, folder)
    except SyntaxError:  # shrunk to a break outside of a loop
        return None
    found = truth(program, function)
    if found is None:
        return None
    wrt = tuple(range(len(program.parameters)))
    wrong: list[str] = []
    refused: list[str] = []
    reasons: list[str] = []
    answers: dict[str, Any] = {}
    for name, engine in engines.items():
        args = copied(arguments(program))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                value, gradient = engine(function, wrt, args)
        except (AliasingError, UnsupportedSyntaxError) as refusal:
            raised = isinstance(refusal, UnsupportedSyntaxError)  # in a try; all else that is generated is meant to be taken
            if raised and not refusal.at_run_time and not {place.why for place in refusal.places} <= {*CAREFUL}:
                wrong.append(f"{name}: {type(refusal).__name__}: {refusal}")
                continue
            if raised or not refusal.at_run_time:  # of a store whose result depends on NumPy's order of copying there is no right gradient
                refused.append(name)
                why = next((place.why for place in refusal.places if place.why), refusal.why)
                reasons.append(f"{name}: {type(refusal).__name__}: {why}")
            if differing_bits(args, arguments(program)) and differing_bits(args, found.after[0]):
                wrong.append(f"{name}: after the refusal the arguments are neither as before nor as a plain call leaves them")
            continue
        except Exception as error:  # whatever it is, it is a finding
            wrong.append(f"{name}: {type(error).__name__}: {error}")
            continue
        messages = wrong_gradient(gradient, function, args, {}, wrt, found)
        if messages and not wrong_gradient(gradient, function, args, {}, wrt, reference(function, arguments(program), {}, wrt, CLOSER)):
            return None  # a kink within the step of the differences: they looked settled, and were not
        if messages and not wrong_gradient(gradient, function, args, {}, wrt, doubted(function, arguments(program), found)):
            return None  # it rounds more than its value tells: the sine of something large
        if messages and jumps(function, arguments(program), found):
            return None
        wrong += [f"{name}: {message}" for message in messages]
        if value is None or not np.isclose(value, found.value, rtol=1e-13, atol=0):
            wrong.append(f"{name}: value {value!r}, expected {found.value!r}")
        if differing_bits(args, found.after[0]):
            wrong.append(f"{name}: arguments afterwards\n  expected {found.after[0]}\n  got      {args}")
        answers[name] = gradient
    if not wrong:
        first, *others = answers.items() or [("none", ())]
        wrong += [message for other in others for message in _disagreement(first, other, found)]
    return Verdict(tuple(wrong), tuple(refused), tuple(reasons))


def _disagreement(one: tuple[str, Any], other: tuple[str, Any], found: Reference) -> list[str]:
    """Two engines on one rule table agree far more closely than differences can tell: as closely as the numbers that they share round."""
    scale = max(map(found.scale, found.slopes), default=1.0)
    for (path, a), (_, b) in zip(leaves(one[1]), leaves(other[1]), strict=True):
        if not np.allclose(a, b, rtol=1e-11, atol=1e-11 * scale):
            return [f"{one[0]} and {other[0]} disagree at {path}:\n  {a}\n  {b}"]
    return []


def counterexample(
    program: Program, folder: Path, engines: Mapping[str, Engine] = ENGINES, judged: Callable[..., Verdict | None] | None = None,
) -> str:
    """The whole story of a wrong program, shrunk as far as it goes; ``judged`` is another judge than ``judge``."""
    verdict_of = judged or partial(judge, engines=engines)

    def fails(candidate: Program) -> bool:
        verdict = verdict_of(candidate, folder)
        return verdict is not None and bool(verdict.wrong)

    small = shrunk(program, fails)
    verdict = verdict_of(small, folder)
    assert verdict is not None
    given = ", ".join(f"{name}={value!r}" for name, value in zip(small.parameters, arguments(small)))
    return "\n\n".join((f"seed {program.seed}, shrunk:", small.source, f"f({given})", *verdict.wrong))
