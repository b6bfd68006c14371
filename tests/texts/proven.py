"""What has been judged: the values of a program were right when the hashes of its texts were stored.

As long as the compiler generates the same text for it, the tests compute them again for a sample of the programs only, or with ``--long``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from tests.corpus.case import Case
from tests.corpus.judge import reference
from tests.fuzz.generator import generate
from tests.fuzz.judge import judge
from tests.kernels import KERNELS
from tests.kernels.judge import folder, of_kernel
from tests.museum import EXHIBITS
from tests.museum.judge import truth
from tests.standing import standing

from .programs import program
from .texts import forms, hashed, stored, text

kept = cache(stored)


@cache
def proven(name: str, form: str = "gradient") -> bool:
    """Whether the text of a program is the one of which the hash is kept."""
    hashes = dict(zip(forms(name), kept().get(name, ())))
    given = program(name)
    return given is not None and hashes.get(form) == hashed(text(given, form))


def check_by_differences(own: str, group: str) -> None:
    given = program(f"{group}/{own}")
    assert given is not None
    case = Case(given.function, given.args, given.kwargs, given.wrt)
    standing(case, "compiled", reference(given.function, given.args, given.kwargs, given.wrt))


def check_exhibit(own: str) -> None:
    (exhibit,) = (exhibit for exhibit in EXHIBITS if exhibit.case.name == own)
    standing(exhibit.case, "compiled", truth(exhibit), exhibit.answer)


def check_kernel(own: str) -> None:
    (kernel,) = (kernel for kernel in KERNELS if kernel.name == own)
    standing(of_kernel(kernel).case, "compiled", of_kernel(kernel).truth)


def check_random(own: str) -> None:
    verdict = judge(generate(int(own)), folder())
    assert verdict is None or not verdict.wrong, verdict.wrong


CHECKS: dict[str, Callable[[str], None]] = {
    "golden": lambda own: check_by_differences(own, "golden"), "corpus": lambda own: check_by_differences(own, "corpus"),
    "museum": check_exhibit, "kernels": check_kernel, "random": check_random,
}


def wrong(name: str) -> str:
    """What is wrong with a program's values; nothing where they are right, or refused."""
    group, own = name.split("/")
    try:
        CHECKS[group](own)
    except AssertionError as error:
        return f"{name}: {error}\n"
    return ""
