"""Where a function stands in each mode: its gradient is right, or it is refused by an error of the library's own. There is no third."""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

import sourcediff
from sourcediff.errors import FallbackWarning, SourcediffError
from tests.corpus.case import Case
from tests.corpus.judge import Reference, copied, differing_bits, leaves, wrong_gradient

MODES = ("compiled", "auto", "eager")
RIGHT = ""


def standing(case: Case, mode: str, truth: Reference, answer: Any = None) -> str:
    """``RIGHT``, or the refusal as a line. AssertionError where the answer is wrong, or the error is none of the library's.

    ``answer`` is the gradient where differences cannot tell it: at a kink, or beside an infinity. A refusal has to leave the arguments
    as they were, or as one plain call leaves them.
    """
    before = case.make()
    given = copied(before)
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("error")
            if mode == "auto":
                warnings.simplefilter("ignore", FallbackWarning)
            value, gradient = sourcediff.value_and_grad(case.function, case.wrt, mode=mode)(*given[0], **given[1])
    except SourcediffError as refusal:
        assert not differing_bits(given, before) or not differing_bits(given, truth.after), f"arguments after the refusal: {given}"
        return spelled(refusal)
    wrong = []
    if answer is None:
        wrong += wrong_gradient(gradient, case.function, *given, case.wrt, truth)
    elif not same(gradient, answer):
        wrong.append(f"gradient: expected {answer!r}, got {gradient!r}")
    if np.ndim(value) or not np.isclose(value, truth.value, rtol=1e-12, atol=1e-14, equal_nan=True):
        wrong.append(f"value: expected {truth.value!r}, got {value!r}")
    if differing_bits(given, truth.after):
        wrong.append(f"arguments afterwards: expected {truth.after}, got {given}")
    assert not wrong, "\n".join((f"{case.name}, {mode}", *wrong))
    return RIGHT


def same(one: Any, other: Any) -> bool:
    """Whether two structures hold the same numbers, up to rounding; NaN and infinities where the other has them."""
    pairs = list(leaves(one)), list(leaves(other))
    return [path for path, _ in pairs[0]] == [path for path, _ in pairs[1]] and all(
        np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-12, atol=1e-13, equal_nan=True) for (_, a), (_, b) in zip(*pairs)
    )


def spelled(refusal: SourcediffError) -> str:
    """A refusal in one line: its class, and what is refused, each thing once and without the places.

    >>> from sourcediff.errors import Place, UnsupportedSyntaxError
    >>> places = [Place("f.py", line, None, "", "a lambda is not taken by the compiler") for line in (3, 5)]
    >>> spelled(UnsupportedSyntaxError("f cannot be compiled because of 2 places", places=places))
    'UnsupportedSyntaxError: a lambda'
    """
    problems = [place.problem.removesuffix(" is not taken by the compiler") for place in refusal.places]
    if not problems or all(problem.startswith("in ") for problem in problems):  # the eager engine says where it was, not what
        problems = [refusal.problem]
    return f"{type(refusal).__name__}: {'; '.join(dict.fromkeys(problems))}"


def table(found: Mapping[str, Mapping[str, str]]) -> str:
    """The text of a table of refusals, ready to be kept: functions that are right in every mode are not in it."""
    lines = ["REFUSED: dict[str, dict[str, str]] = {"]
    for name, standings in found.items():
        if any(standings.values()):
            lines.append(f'    "{name}": {{')
            lines += [f"        {quoted(mode)}: {wrapped(refusal)}," for mode, refusal in standings.items() if refusal]
            lines.append("    },")
    return "\n".join([*lines, "}"]) + "\n"


def wrapped(text: str) -> str:
    """A string literal, over several lines where one would be too long.

    >>> print(wrapped("short"), wrapped("long " * 40).count(chr(10)))
    "short" 3
    """
    if len(text) <= 110:
        return quoted(text)
    lines = textwrap.wrap(text, 110, drop_whitespace=False, break_long_words=False)
    return "(\n" + "\n".join(f"            {quoted(line)}" for line in lines) + "\n        )"


def quoted(text: str) -> str:
    """A string literal in double quotes.

    >>> print(quoted('a "word"'))
    "a \\"word\\""
    """
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
