"""Source that travels with a function: that of one which is pickled by value, and is then somewhere where its file is not.

It is found by what the code does and where it stood, since the code object itself is made anew, under another name of a file.
"""

from __future__ import annotations

import hashlib
import linecache
import os
import types
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..runtime.function_cache import MOST


class Sent(NamedTuple):
    """The lines of one function: the name of its file, the number of the first line, and a text in which it stands at its place."""

    file: str
    first: int
    lines: tuple[str, ...]
    text: str


_arrived: dict[str, Sent] = {}


def arrive(sources: Mapping[str, Sent]) -> None:
    """Note sources that have come with functions; tracebacks show their lines, where there is no file of that name."""
    for key, sent in sources.items():
        while len(_arrived) >= 16 * MOST:
            _arrived.pop(next(iter(_arrived)))
        _arrived[key] = sent
        if not os.path.exists(sent.file):
            shown = list(linecache.getlines(sent.file))
            shown += ["\n"] * (sent.first - 1 + len(sent.lines) - len(shown))
            shown[sent.first - 1:sent.first - 1 + len(sent.lines)] = [f"{line}\n" for line in sent.lines]
            linecache.cache[sent.file] = sum(map(len, shown)), None, shown, sent.file


def arrived(code: types.CodeType) -> Sent | None:
    """The source that has come with a function of this code."""
    return _arrived.get(digest(code)) if _arrived else None


def digest(code: types.CodeType) -> str:
    """What a function does and in which lines it stood, in few digits that any process finds."""
    return hashlib.sha256(_described(code).encode("utf-8", "surrogatepass")).hexdigest()


def _described(code: types.CodeType) -> str:
    lines = [line for _, _, line in code.co_lines()]
    names = code.co_name, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    return repr((code.co_firstlineno, lines, code.co_code, names, [constant(part) for part in code.co_consts]))


def constant(value: Any) -> str:
    """A constant of a code object as text that any process writes alike.

    >>> constant(frozenset(("b", "a")))
    "{'a', 'b'}"
    """
    if isinstance(value, types.CodeType):
        return _described(value)
    if isinstance(value, frozenset):
        return f"{{{', '.join(sorted(map(constant, value)))}}}"
    return f"({', '.join(map(constant, value))})" if isinstance(value, tuple) else repr(value)
