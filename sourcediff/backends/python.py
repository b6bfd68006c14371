"""Runs generated text as it is, and leads an error in it back to the user's line.

Generated text says itself where it comes from. Its head names the user's files, each under the short label that the
provenance comments use::

    # source: heat.py = /home/me/heat.py

and a statement ends in, or follows a line that is, a provenance comment::

    u_bar[2:] += t_bar  # heat.py:12
"""

from __future__ import annotations

import ast
import linecache
import os
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..errors import line_at
from ..naming import one_line, read_path, written_path
from ..runtime.whose_error import from_outside
from ..syntax.function import name_of
from ..syntax.unwarned import unwarned

_HEAD = re.compile(r"# source: (?P<label>.+?) = (?P<path>.+)")
_PROVENANCE = re.compile(r"#\s*(?P<label>[^#]+):(?P<line>\d+)\s*$")

_texts: dict[str, str] = {}
"""Every text that was executed, by its path."""


class Origin(NamedTuple):
    """The user's line that a generated line was made from."""

    label: str
    path: str
    line: int

    @property
    def text(self) -> str:
        """The line itself, stripped; empty where the file cannot be read any more."""
        return line_at(self.path, self.line).strip()

    def __str__(self) -> str:
        return f"{self.label}:{self.line}: {one_line(self.text)}".rstrip(": ")


def entry_name(function: Any, mode: str, value: bool = False) -> str:
    """The name of a generated function: ``f_grad``, ``f_value_and_grad``; ``f_jvp`` in forward mode; ``f_forward`` and ``f_pullback``."""
    suffixes = {"forward": "jvp", "batched": "jvps", "vectorised": "vectorised", "pullback": "forward", "back": "pullback"}
    return f"{name_of(function)}_{suffixes.get(mode, 'value_and_grad' if value else 'grad')}"


def source_head(files: Mapping[str, str]) -> str:
    """The lines that name the user's files, label → full path, for the head of a generated text.

    >>> print(source_head({"heat.py": "/home/me/heat.py"}), end="")
    # source: heat.py = /home/me/heat.py
    """
    return "".join(f"# source: {one_line(label)} = {written_path(path)}\n" for label, path in files.items())


def execute(text: str, path: str) -> dict[str, Any]:
    """Run a module's text under the name ``path`` and return its namespace.

    ``path`` is a real file or a pseudo name in angle brackets; either way tracebacks, ``pdb``, ``inspect`` and coverage show
    this very text, also when the file is changed or deleted later. Raises whatever the text raises.
    """
    with unwarned():
        code = compile(text, path, "exec", dont_inherit=True)
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)  # no time stamp: never thought stale
    _texts[path] = text
    name = os.path.splitext(os.path.basename(path.strip("<>").rpartition(" ")[2]))[0]
    namespace: dict[str, Any] = {"__name__": f"sourcediff.generated.{name}", "__file__": path}
    exec(code, namespace)
    return namespace


def withdrawal(path: str) -> Callable[[], None]:
    """What forgets a text that was executed, unless another one has been executed by that name since."""
    entry, text = linecache.cache.get(path), _texts.get(path)

    def withdraw() -> None:
        if linecache.cache.get(path) is entry and _texts.get(path) is text:
            linecache.cache.pop(path, None)
            _texts.pop(path, None)

    return withdraw


def origin(text: str, line: int) -> Origin | None:
    """Where line ``line`` (from 1) of a generated text comes from: its own provenance comment, or the nearest above it.

    A statement over several lines has its comment at its end. Lines of another function say nothing about this one, so the
    search ends at the ``def``. None where nothing is said.

    >>> text = source_head({"heat.py": "/home/me/heat.py"}) + "def f(u):\\n    a = 1  # heat.py:12\\n    return a\\n"
    >>> origin(text, 4)
    Origin(label='heat.py', path='/home/me/heat.py', line=12)
    """
    files = {match["label"]: read_path(match["path"]) for match in _HEAD.finditer(text)}
    for candidate in reversed(text.splitlines()[:_last_line(text, line)]):
        found = _PROVENANCE.search(candidate)
        if found and found["label"] in files:
            return Origin(found["label"], files[found["label"]], int(found["line"]))
        if candidate.lstrip().startswith("def "):
            break
    return None


def _last_line(text: str, line: int) -> int:
    """The last line of the statement that ``line`` is in."""
    ends = (
        node.end_lineno or line
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.stmt) and not hasattr(node, "body") and node.lineno <= line <= (node.end_lineno or line)
    )
    return max(ends, default=line)


def annotate(error: BaseException) -> None:
    """Add a note with the user's line to an error whose traceback passes through generated text.

    The innermost generated frame counts. The note reads ``while differentiating heat.py:12: u[1:-1] += …``; an error that
    has it already, and one that never was in generated text, stays as it is. Python 3.10 prints no notes, so there the
    message itself grows, where the error is one message and nothing else.
    """
    if not isinstance(error, Exception) or from_outside(error):  # nothing that a line is to blame for
        return
    if (place := blamed(error)) is not None:
        _add_note(error, f"while differentiating {place}")


def loop_around(path: str, line: int) -> Origin | None:
    """The user's line of the loop that a line of a generated text is in, or of that line itself; None where nothing is said."""
    text = _texts.get(path, "")
    lines = text.splitlines()[:line]
    inner = _indent(lines[-1]) if lines else 0
    for number in range(len(lines) - 1, 0, -1):
        if _indent(lines[number - 1]) < inner:
            inner = _indent(lines[number - 1])
            if lines[number - 1].lstrip().startswith(("for ", "while ")):
                return origin(text, number)
    return origin(text, line) if lines else None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def blamed(error: BaseException) -> Origin | None:
    """The user's line that the innermost generated frame of an error's traceback comes from, if there is one."""
    frames = generated_frames(error)
    return origin(*frames[-1]) if frames else None


def generated_frames(error: BaseException) -> list[tuple[str, int]]:
    """The generated frames of an error's traceback, outer ones first: the text and the line in it."""
    found = []
    traceback = error.__traceback__
    while traceback is not None:
        path = traceback.tb_frame.f_code.co_filename
        if path in _texts:
            found.append((_texts[path], traceback.tb_lineno))
        traceback = traceback.tb_next
    return found


def _add_note(error: Exception, note: str) -> None:
    if note in getattr(error, "__notes__", ()) or any(isinstance(part, str) and part.endswith(note) for part in error.args):
        return
    if sys.version_info >= (3, 11):
        error.add_note(note)
    elif len(error.args) == 1 and isinstance(error.args[0], str) and not isinstance(error, KeyError):  # its argument is the key
        error.args = (f"{error.args[0]}\n{note}",)
    else:
        error.__notes__ = [*getattr(error, "__notes__", ()), note]


def outside_of_library() -> int:
    """How far up the stack the first line is that is neither the library's nor generated: there a warning points."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in ("sourcediff", "numpy"):
        level, frame = level + 1, frame.f_back
    return level
