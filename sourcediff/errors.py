"""The one family of errors. Each says what, where (file:line, the line, a caret), why, and what to write instead."""

from __future__ import annotations

import linecache
from collections.abc import Sequence
from typing import Any, NamedTuple

from .naming import readable


def line_at(file: str, number: int) -> str:
    """A line of a file, without its end; empty where there is none, or where the file's name is none that a file can have."""
    try:
        return linecache.getline(file, number).rstrip("\n")
    except ValueError:  # a NUL, or half of a surrogate pair
        return ""


class Place(NamedTuple):
    """One spot in a user's source that something has to be said about.

    ``column`` counts from 0 and is None where it is not known; ``text`` is the source line itself.
    """

    file: str
    line: int
    column: int | None
    text: str
    problem: str
    why: str = ""
    remedy: str = ""

    def __str__(self) -> str:
        lines = [f"{self.file}:{self.line}: {self.problem}"]
        if self.text.strip():
            indent = len(self.text) - len(self.text.lstrip())
            lines.append("    " + self.text.strip())
            if self.column is not None:
                lines.append("    " + " " * max(0, self.column - indent) + "^")
        if self.why:
            lines.append(f"  why: {self.why}")
        if self.remedy:
            lines.append(f"  instead: {self.remedy}")
        return "\n".join(lines)


OF_A_DRAW = "draw from the standard distribution and transform: mean + deviation * rng.standard_normal(n), low + width * rng.random(n)"
"""What to write for a random draw whose parameters are differentiated."""


NO_SCALAR = "the gradient was asked for of a function that does not return a scalar"
OF_SEVERAL = ("return a scalar, for example np.sum(...) of it; of several numbers there is sourcediff.jacobian, "
              "and sourcediff.elementwise_grad where each depends on its own entry alone")
"""What is said of a result that has no gradient since it is more than one number, and what to write for its derivatives."""


def article(word: str) -> str:
    """A word with its article.

    >>> article("int"), article("float"), article("Array")
    ('an int', 'a float', 'an Array')
    """
    return f"{'an' if word[:1].lower() in 'aeio' else 'a'} {word}"


def counted(number: int, word: str) -> str:
    """A number of things.

    >>> counted(1, "dimension"), counted(2, "dimension")
    ('1 dimension', '2 dimensions')
    """
    return f"{number} {word}{'' if number == 1 else 's'}"


class SourcediffError(Exception):
    """Base of every error that sourcediff raises on purpose.

    ``places`` are the spots in the user's source that are meant, in reading order; ``why`` and ``remedy`` are the
    reason and what to write instead. ``at_run_time``: a call was refused, not the function.
    """

    def __init__(self, problem: str, *, why: str = "", remedy: str = "", places: Sequence[Place] = (), at_run_time: bool = False):
        self.problem = problem
        self.at_run_time = at_run_time
        self.why = why
        self.remedy = remedy
        self.places = tuple(places)
        lines = [problem]
        lines += [str(place) for place in self.places]
        if why:
            lines.append(f"  why: {why}")
        if remedy:
            lines.append(f"  instead: {remedy}")
        super().__init__(readable("\n".join(lines)))

    def in_short(self) -> str:
        """What and why, where, in a line each; of several reasons the first, and how many there are."""
        first = next(iter(self.places), None)
        reason: Any = self if first is None or not first.why else first
        more = f", and {counted(len(self.places) - 1, 'other reason')}" if reason is first and len(self.places) > 1 else ""
        line = f"{reason.problem}{f': {reason.why}' if reason.why else ''}{more} (sourcediff.explain says all)"
        where = "" if first is None else f"\n  {first.file}:{first.line}{': ' if first.text.strip() else ''}{first.text.strip()}"
        return readable(line + where)

    def said(self, problem: str, places: Sequence[Place]) -> Any:
        """The same error in other words, or of other places."""
        error = type(self)(problem, why=self.why, remedy=self.remedy, places=places, at_run_time=self.at_run_time)
        vars(error).update({name: value for name, value in vars(self).items() if name not in ("problem", "places")})
        return error


class UnsupportedSyntaxError(SourcediffError):
    """The function uses Python that the compiler does not take (yet); every such place is listed."""


class HandledError(UnsupportedSyntaxError):
    """Generated code, which takes the way without exceptions, came upon one that the function may handle: in this call alone."""


class MissingRuleError(SourcediffError):
    """A value that needs a derivative goes through a function (or a keyword) without a derivative rule."""


class RuleError(SourcediffError, ValueError):
    """A rule of one's own is no rule: its signature, its text, or the shape of what it gives."""


class SourceUnavailableError(SourcediffError):
    """The function's source cannot be read (built-in, C extension, plain REPL before 3.13, ``exec`` without source)."""


class AliasingError(SourcediffError):
    """Two names share memory and one of them is overwritten in a way whose gradient cannot be proven right."""


class NonDifferentiableError(SourcediffError, TypeError):
    """A gradient was asked for something that has none: an integer array, an object, an output that is no scalar."""


class DegenerateError(NonDifferentiableError):
    """The function has no derivative at a point (equal eigenvalues, a division by 0); ``undecided``: or generated code cannot tell."""

    undecided = False


class ComplexError(NonDifferentiableError):
    """A complex value where the compiler takes real ones. The eager engine takes both."""


def complex_refused(what: str, *places: Place) -> ComplexError:
    """The error for what may be complex where the compiler takes real values."""
    return ComplexError(
        f"{what} may be complex", why="compiled code takes real numbers there",
        remedy="compute with the real and the imaginary part, or on the eager engine: mode=\"eager\"", places=places,
    )


class InPlaceError(SourcediffError):
    """An in-place change of a Variable would make a gradient wrong (a leaf, or a value that backward needs)."""


class GraphFreedError(SourcediffError):
    """Backward walked a graph for the second time after its saved arrays had been freed."""


class CrossCheckError(SourcediffError):
    """The compiled gradient and the eager graph disagree; the first wrong line is named."""


class DeviceError(SourcediffError, RuntimeError):
    """A Variable cannot be moved to a GPU (there is none, or its driver does not answer), or NumPy cannot read a tensor where it is."""


class AnomalyError(SourcediffError):
    """A NaN or an infinity was born in a backward pass under ``detect_anomaly``."""


class InternalError(SourcediffError):
    """The compiler failed on a function, without meaning to refuse it: a fault of the library. ``__cause__`` is what it met."""


class UnknownParameterError(SourcediffError, ValueError):
    """``wrt`` names a parameter that the function does not have."""


class FallbackWarning(UserWarning):
    """``mode="auto"`` ran a function on the eager engine. Three lines: what and why, where, what it costs; ``explain`` says the rest."""


class DeviceWarning(UserWarning):
    """Generated code waits for a device more often than ten times in a call: the loop is named."""


FALLS_BACK = (UnsupportedSyntaxError, SourceUnavailableError, AliasingError, ComplexError, MissingRuleError, InternalError)
"""What ``mode="auto"`` answers by running the function on the eager engine."""
