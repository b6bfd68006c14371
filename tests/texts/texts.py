"""The texts of a program, in each form of the derivative, without what says where it was found; and their hashes."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

import sourcediff
from sourcediff.compiler.pipeline import compile_gradient
from sourcediff.dispatch.request import requested
from sourcediff.errors import SourcediffError, UnsupportedSyntaxError

from .programs import Program, program

FORMS: dict[str, dict[str, Any]] = {
    "gradient": {"value": True},
    "general": {},
    "tangent": {"mode": "forward"},
    "pullback": {"mode": "pullback"},
    "batched": {"mode": "batched"},
    "second": {"mode": "forward"},
}
"""What is asked of the compiler; ``general`` without arguments, ``second`` of the gradient."""

RANDOM_FORMS = ("gradient", "tangent")
"""Of random programs there are many: of these two forms say enough."""

LINE = r"([\w.]+\.py):(\d+)"
"""How a line of a file is named."""

HASHES = Path(__file__).with_name("hashes.txt")


def forms(name: str) -> tuple[str, ...]:
    """The forms that are kept of a program."""
    return RANDOM_FORMS if name.startswith("random/") else tuple(FORMS)


def text(given: Program, form: str) -> str:
    """The generated text of one form; of a refusal its kind, and the line that it speaks of, since its words are held elsewhere."""
    function: Any = sourcediff.grad(given.function, given.wrt) if form == "second" else given.function
    args, kwargs = (None, {}) if form == "general" else (given.args, given.kwargs)
    try:
        inner, request = requested(function, given.wrt, args, **FORMS[form], **kwargs)
        try:
            found = compile_gradient(inner, request).text
        except UnsupportedSyntaxError:
            if form != "gradient":
                raise
            found = "# with calls that the eager engine answers\n" + compile_gradient(inner, request._replace(islands=True)).text
    except SourcediffError as error:
        lines = "".join(f" {place.file}:{place.line}" for place in error.places[:1])
        found = f"{type(error).__name__}{lines}\n"
    return placeless(found, given.function.__code__.co_filename)


def placeless(found: str, file: str) -> str:
    """A text in which lines are counted from the first one that it has of their file, and the program's file has no name.

    >>> placeless("# source: f.py = /tmp/f.py\\nx = 1  # f.py:12\\ny = x  # f.py:13", "/tmp/f.py")
    'x = 1  # program.py:+0\\ny = x  # program.py:+1'
    """
    found = re.sub(r"^# source: .*\n", "", found, flags=re.MULTILINE)
    found = re.sub(r"\S*/(?=[\w.]+:\d)", "", found).replace(Path(file).stem, "program")
    first: dict[str, int] = {}
    for name, number in re.findall(LINE, found):
        first[name] = min(int(number), first.get(name, int(number)))
    return re.sub(LINE, lambda at: f"{at[1]}:{int(at[2]) - first[at[1]]:+d}", found)


def texts(name: str) -> dict[str, str]:
    """All texts of a program, by form."""
    given = program(name)
    return {} if given is None else {form: text(given, form) for form in forms(name)}


def hashed(found: str) -> str:
    """What stands for a text in the file."""
    return hashlib.sha256(found.encode()).hexdigest()[:8]


def line(name: str) -> str:
    """The line of a program in the file: its name, and a hash for each form."""
    return " ".join([name, *map(hashed, texts(name).values())])


def stored() -> dict[str, list[str]]:
    """The hashes as they were committed, by program."""
    lines = map(str.split, HASHES.read_text().splitlines()) if HASHES.exists() else ()
    return {name: hashes for name, *hashes in lines}
