"""Function → tree: find the source of a function, parse it, and keep what is needed to point at it."""

from __future__ import annotations

import inspect
import linecache
import os
import types
from typing import Any, NamedTuple

from ..errors import Place, SourceUnavailableError, UnsupportedSyntaxError
from . import nodes as n


class Source(NamedTuple):
    """A function as its author wrote it: the object, its tree (positions count as in the file), its file and lines."""

    function: types.FunctionType
    tree: n.FunctionDef
    file: str
    first_line: int
    lines: tuple[str, ...]
    indent: int

    def line(self, number: int) -> str:
        """The text of line ``number`` of the file, if it belongs to the function."""
        index = number - self.first_line
        return self.lines[index] if 0 <= index < len(self.lines) else ""

    def place(self, node: n.AST, problem: str, why: str = "", remedy: str = "") -> Place:
        """The spot of ``node``, for an error."""
        line = getattr(node, "lineno", self.first_line)
        column = getattr(node, "col_offset", None)
        return Place(self.file, line, None if column is None else column, self.line(line), problem, why, remedy)


def plain(function: Any) -> types.FunctionType:
    """The Python function behind a callable (a method's function, what ``functools.wraps`` wrapped).

    Raises SourceUnavailableError for a callable without Python source.
    """
    inner = inspect.unwrap(function) if callable(function) else function
    inner = getattr(inner, "__func__", inner)
    if isinstance(inner, types.FunctionType):
        return inner
    name = getattr(function, "__qualname__", None) or repr(function)
    raise SourceUnavailableError(
        f"{name} has no Python source to differentiate",
        why=f"it is a {type(function).__name__}, not a function written in Python",
        remedy="wrap it in a Python function whose calls have derivative rules",
    )


def read(function: Any) -> Source:
    """The source of a plain Python function.

    Raises SourceUnavailableError if there is none to be found, UnsupportedSyntaxError for a lambda.
    """
    inner = plain(function)
    file = inspect.getsourcefile(inner) or inner.__code__.co_filename
    try:
        lines, first = inspect.getsourcelines(inner)
    except (OSError, TypeError) as error:
        raise SourceUnavailableError(
            f"the source of {inner.__qualname__} cannot be read", why=str(error),
            remedy="put the function into a file (or a notebook cell); mode='eager' needs no source",
        ) from error
    indent = len(lines[0]) - len(lines[0].lstrip())
    text = "".join(line[indent:] if line[:indent].isspace() or not indent else line for line in lines)
    tree = None
    if inner.__name__ != "<lambda>":
        try:
            body = n.parse(text).body
        except SyntaxError:
            body = []
        if len(body) == 1 and type(body[0]).__name__ in ("FunctionDef", "AsyncFunctionDef"):
            tree = body[0]
    if tree is None:
        raise UnsupportedSyntaxError(
            f"{inner.__qualname__} cannot be compiled",
            places=[Place(file, first, 0, lines[0].rstrip("\n"), "a lambda is not taken by the compiler",
                          "its source is only a part of a line", "give it a name with def")],
        )
    for node in n.walk(tree):
        if getattr(node, "lineno", None) is not None:
            node.lineno += first - 1
            node.col_offset += indent
            node.file = file
    return Source(inner, tree, file, first, tuple(line.rstrip("\n") for line in lines), indent)


def located(node: n.AST, file: str, problem: str, why: str = "", remedy: str = "") -> Place:
    """The spot of a node of a file, for an error; the line is read again from the file."""
    line = getattr(node, "lineno", 0)
    return Place(file, line, getattr(node, "col_offset", None), linecache.getline(file, line).rstrip("\n"), problem, why, remedy)


def short(file: str) -> str:
    """How a provenance comment names a file."""
    return os.path.basename(file)
