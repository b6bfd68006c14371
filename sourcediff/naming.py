"""What may be written of names, paths and words that come from outside: all that gets into a generated text or an error goes through here.

A file, a function, an attribute can be called anything: with line breaks (what stands after one is no comment any more), quotes, control
characters, halves of surrogate pairs, marks that turn the direction of writing. As a part of a program only a name of Python's is taken;
in a comment or a message everything else is escaped, on one line.
"""

from __future__ import annotations

import ast
import keyword
import os
import re
import unicodedata
from functools import lru_cache
from typing import Any

LONGEST = 120
"""How much of a file's name stands in the comments that name it."""

_BREAKING = re.compile(r"[#=\"'\\]")
"""What would end the name of a file in a comment, or turn it into something else."""


def is_name(text: Any) -> bool:
    """Whether a text is a name that can be written in a program and means itself there: no keyword, and in the form that Python reads.

    >>> is_name("rate"), is_name("class"), is_name("a b"), is_name("\\ufb01t"), is_name("rate\\nimport os")
    (True, False, False, False, False)
    """
    if not isinstance(text, str) or not text.isidentifier() or keyword.iskeyword(text):
        return False
    return text.isascii() or unicodedata.normalize("NFKC", text) == text


def is_path_of_names(text: Any) -> bool:
    """Whether a text is names with dots between them, as a module's: ``scipy.special``."""
    return isinstance(text, str) and all(map(is_name, text.split(".")))


def as_part(text: str, otherwise: str = "") -> str:
    """What of a text can be a part of a name; ``otherwise`` if nothing can.

    >>> as_part("'heat (J)'"), as_part("σ²"), as_part("+", "entry")
    ('heatJ', 'σ2', 'entry')
    """
    found = "".join(letter for letter in unicodedata.normalize("NFKC", text) if f"_{letter}".isidentifier()).strip("_")
    return found or otherwise


def one_line(text: Any) -> str:
    """A text on one line, of characters that can be seen: others are written as Python writes them in a string.

    >>> print(one_line("a\\nimport os\\x1b[31m\\u202e\\udce9"))
    a\\nimport os\\x1b[31m\\u202e\\udce9
    """
    text = str.__str__(text) if isinstance(text, str) else str(text)
    return text if text.isprintable() else "".join(map(_escaped, text))


def readable(text: str) -> str:
    """A message as it may be shown on a terminal: its lines stay, what steers a terminal or turns the direction of writing is escaped."""
    return text if text.isprintable() else "".join(letter if letter in "\n\t" else _escaped(letter) for letter in text)


def _escaped(letter: str) -> str:
    return letter if letter.isprintable() else letter.encode("unicode_escape", "surrogatepass").decode()


@lru_cache(maxsize=1024)
def label(file: str) -> str:
    """How the comments of a generated text name a file: its base name, without what ends a comment's words.

    >>> label("/home/me/heat.py"), label("/tmp/a#b\\n.py")
    ('heat.py', 'a_b_n.py')
    """
    name = one_line(file.replace(os.sep, "/").rpartition("/")[2])
    name = _BREAKING.sub("_", name).strip()
    return name if len(name) <= LONGEST else f"{name[:LONGEST]}…"


def written_path(path: str) -> str:
    """A path as it stands at the end of a comment: as it is, or, where that is not one visible line, as a string of Python's.

    >>> print(written_path("/home/me/heat.py"), written_path("/tmp/a\\n.py"))
    /home/me/heat.py '/tmp/a\\n.py'
    """
    return path if path.isprintable() and path == path.strip() and path[:1] not in ("'", '"', "") else repr(str(path))


def read_path(text: str) -> str:
    """The path that :func:`written_path` has written.

    >>> read_path(written_path("/tmp/a\\n.py")) == "/tmp/a\\n.py"
    True
    """
    if text[:1] in ("'", '"'):
        try:
            return str(ast.literal_eval(text))
        except (ValueError, SyntaxError):  # a text that was written by hand
            return text
    return text
