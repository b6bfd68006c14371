"""Python text coloured for a terminal, by the tokens that Python itself reads."""

from __future__ import annotations

import io
import keyword
import os
import tokenize
from typing import TextIO

_RESET = "\x1b[0m"
_COLOURS = {"keyword": "\x1b[1;34m", "definition": "\x1b[1m", "string": "\x1b[32m", "number": "\x1b[36m", "comment": "\x1b[2m"}
_STRINGS = {tokenize.STRING} | {
    getattr(tokenize, name) for name in ("FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END") if hasattr(tokenize, name)
}


def wanted(when: str, stream: TextIO) -> bool:
    """Whether to colour what goes to ``stream``; ``when`` is ``always``, ``never`` or ``auto``.

    ``auto`` colours on a terminal that can, unless ``$NO_COLOR`` is set.
    """
    if when == "auto":
        return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return when == "always"


def coloured(text: str) -> str:
    """The text with colours; without the colours it is the same text. What is no Python comes back as it is.

    >>> coloured("return 2  # two")
    '\\x1b[1;34mreturn\\x1b[0m \\x1b[36m2\\x1b[0m  \\x1b[2m# two\\x1b[0m'
    >>> coloured("'unfinished")
    "'unfinished"
    """
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return text
    if any(token.type == tokenize.ERRORTOKEN for token in tokens):
        return text
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    pieces = []
    done = 0
    previous = ""
    for token in tokens:
        if kind := _token_kind(token, previous):
            first = starts[token.start[0] - 1] + token.start[1]
            last = starts[token.end[0] - 1] + token.end[1]
            pieces += [text[done:first], _painted(text[first:last], _COLOURS[kind])]
            done = last
        previous = token.string
    return "".join(pieces) + text[done:]


def _token_kind(token: tokenize.TokenInfo, previous: str) -> str | None:
    if token.type == tokenize.COMMENT:
        return "comment"
    if token.type in _STRINGS:
        return "string"
    if token.type == tokenize.NUMBER:
        return "number"
    if token.type == tokenize.NAME:
        if keyword.iskeyword(token.string):
            return "keyword"
        if previous in ("def", "class"):
            return "definition"
    return None


def _painted(text: str, colour: str) -> str:
    """Each line painted by itself, so that a pager may cut anywhere."""
    return "\n".join(f"{colour}{line}{_RESET}" if line else line for line in text.split("\n"))
