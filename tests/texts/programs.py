"""The programs: those of the golden texts, the corpus, the museum and the kernels, and random ones; each with example arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tests.corpus import CASES
from tests.corpus.case import Case
from tests.fuzz.generator import generate
from tests.fuzz.judge import arguments as numbers
from tests.fuzz.judge import load
from tests.golden.experts import EXPERTS, arguments
from tests.kernels import KERNELS
from tests.kernels.judge import folder
from tests.kernels.loss import NoDerivative, loss_around
from tests.museum import EXHIBITS

RANDOM = 2000


class Program(NamedTuple):
    """A function, what it is differentiated by, and example arguments."""

    function: Callable[..., Any]
    wrt: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def of_case(case: Case) -> Program:
    """A case of the corpus, or one like these."""
    return Program(case.function, case.wrt, *case.make())


def golden(name: str) -> Program:
    """A program of which the whole text is kept."""
    function, _, wrt, _ = EXPERTS[name]
    return Program(function, wrt, arguments(name), {})


def kernel(name: str) -> Program | None:
    """A kernel with a loss around it; None where there is no derivative."""
    (found,) = (kernel for kernel in KERNELS if kernel.name == name)
    try:
        return of_case(loss_around(found.function, found.make(), folder()))
    except NoDerivative:
        return None


def fuzzed(seed: str) -> Program:
    """A random program."""
    program = generate(int(seed))
    return Program(load(program, folder()), tuple(range(len(program.parameters))), numbers(program), {})


_corpus = {case.name: case for case in CASES}
_museum = {exhibit.case.name: exhibit.case for exhibit in EXHIBITS}

GROUPS: dict[str, tuple[Callable[[str], Program | None], tuple[str, ...]]] = {
    "golden": (golden, tuple(EXPERTS)),
    "corpus": (lambda name: of_case(_corpus[name]), tuple(_corpus)),
    "museum": (lambda name: of_case(_museum[name]), tuple(_museum)),
    "kernels": (kernel, tuple(kernel.name for kernel in KERNELS)),
    "random": (fuzzed, tuple(map(str, range(RANDOM)))),
}

NAMES = tuple(f"{group}/{name}" for group, (_, names) in GROUPS.items() for name in names)
"""Every program, by its group and its name there."""


def program(name: str) -> Program | None:
    """The program of a name."""
    group, own = name.split("/")
    return GROUPS[group][0](own)
