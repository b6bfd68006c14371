"""What a library run keeps an eye on: refusals that the program swallows, and values that leave it as text.

A refusal must end the run: a program's own ``except`` may catch it on its way, and what it does then would be differentiated as if
that were the function. Text has to be made freely (programs print), but a number read from it has lost its derivative.
"""

from __future__ import annotations

import dis
import io
import re
import threading
from types import FrameType, TracebackType
from typing import Any, TypeVar

from ...errors import NonDifferentiableError, Place, SourcediffError, line_at

E = TypeVar("E", bound=SourcediffError)


class Watch(threading.local):
    """The library runs of one thread: how many are going on, the first refusal in the innermost one, the words that were shown."""

    def __init__(self) -> None:
        self.depth = 0
        self.refusal: SourcediffError | None = None
        self.variables = False  # whether the program of the innermost run works with Variables of the user's
        self.outside = False  # whether it reads some from outside
        self.on_device = False  # whether it is over arrays on a device
        self.hashed: tuple[int, int] | None = None  # where a key was looked for last: the frame and the instruction
        self.words: set[str] = set()
        self.numbers: set[float] = set()  # those that were made into text by the operator %, in whatever format

    def __enter__(self) -> Watch:
        self.depth += 1
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.depth -= 1
        if not self.depth:
            self.refusal = None
            self.words = set()
            self.numbers = set()


WATCH = Watch()


def refused(error: E) -> E:
    """Note a refusal that is about to be raised, so that the run ends with it though the program may catch it."""
    if WATCH.depth and WATCH.refusal is None:
        WATCH.refusal = error
    return error


def shown(text: str) -> str:
    """Note text that an active value was made into."""
    if WATCH.depth:
        WATCH.words.update(WORD.findall(text))
    return text


def refuse_shown(values: Any) -> None:
    """Raise NonDifferentiableError if there is text of an active value in ``values``, which numbers are about to be read from."""
    if not WATCH.words and not WATCH.numbers:
        return
    for value in values:
        if type(value) in (list, tuple):
            refuse_shown(value)
        elif isinstance(value, io.StringIO):
            refuse_shown([value.getvalue()])
        elif isinstance(value, str) and any(map(_was_shown, WORD.findall(value))):
            raise refused(NonDifferentiableError(
                f"a number is read from the text {value.strip()!r}, which was made from a value that is being differentiated",
                why="text has no derivative, so the number would silently lose its gradient",
                remedy="use the value itself; np.round for one with fewer digits",
            ))


def formatting(frame: FrameType) -> bool:
    """Whether the instruction at which a frame is is the operator ``%``: of text, if it asks a value for a number.

    >>> import sys
    >>> formatting(sys._getframe())
    False
    """
    code = frame.f_code.co_code
    name = dis.opname[code[frame.f_lasti]]
    return name in ("BINARY_MODULO", "INPLACE_MODULO") or name == "BINARY_OP" and "%" in REMAINDER[code[frame.f_lasti + 1]]


def looking_up(frame: FrameType) -> bool:
    """Whether the instruction at which a frame is, one that compares keys, may give what is held under them.

    That is ``d[key]``, what goes through an iterator (which may be ``map(d.get, keys)``), and a call, unless sets are made there.

    >>> letters = (letter for letter in "ab")
    >>> next(letters)
    'a'
    >>> looking_up(letters.gi_frame)  # it yields
    False
    """
    code = frame.f_code
    name = dis.opname[code.co_code[frame.f_lasti]]
    if name.startswith(("CALL", "PRECALL")):
        return not LOOKUPS.isdisjoint(code.co_names) or COLLECTING.isdisjoint(code.co_names)
    return name in LOOKING


LOOKUPS = frozenset(("get", "setdefault", "pop"))
"""The methods by which a dict is asked for what it holds."""

COLLECTING = frozenset(
    "set frozenset add discard remove update union intersection difference issubset issuperset isdisjoint dict fromkeys Counter".split()
)
"""Names of what is called to compare keys, and not for what is held under them."""

LOOKING = frozenset("BINARY_SUBSCR FOR_ITER UNPACK_SEQUENCE UNPACK_EX LIST_EXTEND YIELD_FROM SEND".split())
"""The instructions that may give what a dict holds, but for calls."""

REMAINDER = [symbol for _, symbol in getattr(dis, "_nb_ops", ())]
"""The operators of BINARY_OP, by number (from Python 3.11 on)."""


def number_shown(value: float) -> None:
    """Note a number that an active value was made into text by, in a format that is not known."""
    if WATCH.depth:
        WATCH.numbers.add(value)


def _was_shown(word: str) -> bool:
    """Whether a word is one that was shown, the text of a number that was, or made of such a word: cut, with a sign, with an exponent."""
    if word in WATCH.words or _tells_number(word):
        return True
    digits = _mantissa(word)
    return len(digits) > 2 and any(
        shown.startswith(digits) or len(shown) > 2 and digits.startswith(shown) for shown in map(_mantissa, WATCH.words)
    )


def _mantissa(word: str) -> str:
    """The digits of a number, with its point: ``12.5`` of ``-12.5e3``; nothing of other text."""
    return MANTISSA.match(word)[1]  # type: ignore[index]


def _tells_number(word: str) -> bool:
    """Whether a word may be the text of a noted number, to as many digits as it has."""
    try:
        told = float(word)
    except ValueError:
        return False
    mantissa = word.lower().partition("e")[0]
    decimals, digits = len(mantissa.partition(".")[2]), max(1, sum(map(str.isdigit, mantissa)))
    formats = (f".{decimals}f", f".{decimals}e", f".{digits}g")
    return any(told == int(number) or told in (float(format(number, form)) for form in formats) for number in WATCH.numbers)


WORD = re.compile(r"[^\s\[\](),=:{}]+")
MANTISSA = re.compile(r"[+-]?(\d*\.?\d*)")
NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
"""A number in the text of a program, without its sign."""


def refusal_in(error: BaseException) -> SourcediffError | None:
    """The refusal that an exception is, or that NumPy has wrapped into one of its own."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, SourcediffError):
        cause = cause.__cause__
    return cause


def locate(error: SourcediffError, function: Any, trace: TracebackType | None, is_users: Any) -> None:
    """Give an error the line of the user's that was running, the innermost one of ``trace``, or else that of ``function``."""
    if error.places:
        return
    place = definition_of_run(function)
    while trace is not None:
        if is_users(trace.tb_frame):
            place = _running(trace.tb_frame, trace.tb_lineno, trace.tb_lasti)
        trace = trace.tb_next
    SourcediffError.__init__(error, error.problem, why=error.why, remedy=error.remedy, places=[place] if place else [])


def definition_of_run(function: Any) -> Place | None:
    """Where a function is defined; None for one that is not written in Python."""
    function = getattr(function, "__func__", function)
    while (runner := getattr(function, "sourcediff", None)) is not None:  # of what it is the derivative
        function = runner.function
    code = getattr(function, "__code__", None)
    if code is None:
        return None
    text = line_at(code.co_filename, code.co_firstlineno)
    return Place(code.co_filename, code.co_firstlineno, None, text, f"in {function.__qualname__}")


def _running(frame: FrameType, line: int, instruction: int) -> Place:
    code = frame.f_code
    text = line_at(code.co_filename, line)
    column = None
    if hasattr(code, "co_positions"):  # from Python 3.11 on
        start, _, offset, _ = list(code.co_positions())[instruction // 2]
        if start == line and offset is not None:
            column = len(text.encode()[:offset].decode(errors="replace"))  # Python counts bytes
    return Place(code.co_filename, line, column, text, f"in {getattr(code, 'co_qualname', code.co_name)}")
