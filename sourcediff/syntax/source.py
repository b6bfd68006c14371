"""Function → tree: find the source of a function, parse it, and keep what is needed to point at it."""

from __future__ import annotations
import __future__

import ast
import inspect
import linecache
import types
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import Place, SourceUnavailableError, line_at
from ..naming import is_name
from ..runtime.whose_error import pass_on
from . import nodes as n
from .function import Forwards, definition, plain
from .instructions import asserted, rewritten, same_code
from .lambdas import lambda_definition
from .matching import unmatched
from .quote import clone, place
from .sent import Sent, arrived
from .unwarned import unwarned

__all__ = ["Source", "located_in", "plain", "read"]

FEATURES = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)


class Source(NamedTuple):
    """A function as its author wrote it: the object, its tree (positions count as in the file, columns in characters; without
    its decorators, which are no part of it), its file and lines.

    Of a tree that the compiler has written, ``given`` says what its free names stand for (the object, and the function and the name
    under which it is read at each call), ``own`` which of its names are the user's, ``tapes`` which are lists that are empty again at
    the end, ``copies`` which are lists of copies alone, ``numbers`` which are numbers
    wherever they are bound, ``quiet`` which floating-point errors are silenced, ``tried`` what a ``try`` would catch on which line,
    ``followed`` which functions it was made of, and ``equal`` which lengths it takes to be equal.
    """

    function: Any  # a types.FunctionType
    tree: n.FunctionDef
    file: str
    first_line: int
    lines: tuple[str, ...]
    given: Mapping[str, tuple[Any, Any, str]] = {}
    own: frozenset[str] | None = None
    tapes: frozenset[str] = frozenset()
    copies: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    quiet: frozenset[str] = frozenset()
    tried: Mapping[tuple[str, int], tuple[type, ...]] = {}
    followed: tuple[Any, ...] = ()
    equal: frozenset[frozenset[Any]] = frozenset()

    def line(self, number: int) -> str:
        """The text of line ``number`` of the file, if it belongs to the function."""
        index = number - self.first_line
        return self.lines[index] if 0 <= index < len(self.lines) else ""

    def place(self, node: n.AST, problem: str, why: str = "", remedy: str = "") -> Place:
        """The spot of ``node``, for an error."""
        line, file = getattr(node, "lineno", self.first_line), getattr(node, "file", self.file)  # of a function that is written out
        text = (self.line(line) if file == self.file else "") or line_at(file, line)
        return Place(file, line, getattr(node, "col_offset", None), text, problem, why, remedy)


def read(function: Any) -> Source:
    """The source of a plain Python function.

    Raises SourceUnavailableError if there is none to be found, or none that is still the function's own.
    """
    inner = plain(function)
    if (forwards := inner.__dict__.get("__forwards__")) is not None:
        return _forwarding(inner, forwards)
    if (made := inner.__dict__.get("__tree__")) is not None:
        return made._replace(function=inner, tree=clone(made.tree))  # type: ignore[no-any-return]
    sent = arrived(inner.__code__)
    file = inner.__code__.co_filename if sent is None else sent.file
    known = _known.get(id(inner.__code__))
    try:
        if sent is None:
            file = known.source.file if known is not None else inspect.getsourcefile(inner.__code__) or file
            linecache.checkcache(file)
    except ValueError as error:  # no file can have that name
        raise _unread(inner, error) from None
    text = _text(file) if sent is None else sent.lines
    if known is not None and known.text is text:
        return known.source._replace(function=inner, tree=clone(known.source.tree))
    try:
        found, first = _lines(inner.__code__, file) if sent is None else ([f"{line}\n" for line in sent.lines], sent.first)
    except (OSError, TypeError, ValueError) as error:
        pass_on(error)
        raise _unread(inner, error) from None
    if inner.__code__.co_name == "<lambda>":
        parsed = _lambda(inner, None if sent is None else sent.text)
        if parsed is not None and sent is None:
            first, found = parsed.lineno, [line_at(file, line) for line in range(parsed.lineno, parsed.end_lineno + 1)]
    else:
        parsed = _parsed("".join(found), first)
        if parsed is None:  # lines of a string, or of an expression over several, that begin further left
            found, first = inspect.getsourcelines(inner.__code__)
            parsed = _parsed("".join(found), first)
        parsed = parsed if parsed is not None and _own(parsed, inner) else None
    if parsed is None:
        raise SourceUnavailableError(
            f"the source of {inner.__qualname__} is no longer its own", places=[definition(inner, "this is not what is running")],
            why="the file has changed since it was imported, or the function was made in another way",
            remedy="import it again; mode='eager' needs no source",
        )
    lines = tuple(line.rstrip("\n") for line in found)
    parsed.decorator_list = []
    tree = n.from_ast(parsed)
    owner = _owner(inner).lstrip("_")
    for node in n.walk(tree):
        if getattr(node, "lineno", None) is not None:
            node.col_offset = _character(lines, node.lineno - first, node.col_offset)
            node.file = file
        for field in ("id", "attr"):
            if owner and _private(name := getattr(node, field, None)):
                setattr(node, field, f"_{owner}{name}")
    tree = unmatched(_Unannotated().visit(tree) if any(isinstance(node, n.AnnAssign) for node in n.walk(tree)) else tree)
    source = Source(inner, tree, file, first, lines)
    if (text := _text(file) if sent is None else sent.lines) is not None:
        if len(_known) >= MANY:
            _known.clear()
        _known[id(inner.__code__)] = _Known(inner.__code__, text, source._replace(function=None, tree=clone(tree)))
    return source


def _lambda(function: types.FunctionType, text: str | None = None) -> Any:
    """The definition that a lambda is, in its file or in another text; None if it is not there."""
    return lambda_definition(function, lambda node: _own(ast.copy_location(ast.Expr(value=node), node), function), text)


def to_send(function: types.FunctionType) -> Sent | None:
    """The source of a function for where its file may not be; None where there is none to be found.

    Of a lambda the text holds the lambda alone, at its place.
    """
    if "__forwards__" in function.__dict__ or "__tree__" in function.__dict__:  # which is made of others there, too
        return None
    try:
        source = read(function)
    except SourceUnavailableError:
        return None
    if (sent := arrived(function.__code__)) is not None:
        return sent
    text = ""
    if function.__code__.co_name == "<lambda>":
        found = _lambda(function)
        rows = [line.encode() for line in source.lines]
        rows[-1] = rows[-1][:found.end_col_offset]
        rows[0] = rows[0][found.col_offset:]
        own = b"\n".join(rows).decode()
        before = f"({' ' * (found.col_offset - 1)}" if found.col_offset else ""
        text = f"{before}{own}{')' * bool(before)}\n" if found.lineno == 1 else (
            "\n" * (found.lineno - 2) + f"(\n{' ' * found.col_offset}{own})\n")
    return Sent(source.file, source.first_line, source.lines, text)


def _unread(function: types.FunctionType, error: Exception) -> SourceUnavailableError:
    """The error for a function whose lines are not to be had."""
    typed = function.__code__.co_filename == "<stdin>"
    return SourceUnavailableError(
        f"the source of {function.__qualname__} cannot be read",
        why="what is typed at the prompt keeps its source from Python 3.13 on" if typed else str(error),
        remedy="put the function into a file (or a notebook cell); mode='eager' needs no source",
    )


def _lines(code: types.CodeType, file: str) -> tuple[list[str], int]:
    """What ``inspect.getsourcelines`` gives, which goes through all modules for a file on disk, and through all tokens. Raises OSError."""
    lines, first = linecache.getlines(file), code.co_firstlineno
    if not 0 < first <= len(lines):
        return inspect.getsourcelines(code)
    return _indented(lines[first - 1:]), first


def _indented(lines: list[str]) -> list[str]:
    """A definition, its decorators included, at the beginning of some lines, as far as its indentation tells where it ends."""
    left = width(lines[0])
    begun, end = False, 0
    for position, line in enumerate(lines):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        if begun and width(line) <= left and text[0] not in ")]}":
            break
        begun = begun or text.startswith(("def ", "async def ", "lambda"))
        end = position + 1
    return lines[:end]


def width(line: str) -> int:
    """How far a line is indented; a form feed begins the line anew.

    >>> width("    x"), width("\\fx")
    (4, 0)
    """
    return len(line[:len(line) - len(line.lstrip())].rpartition("\f")[2])


def _forwarding(function: types.FunctionType, forwards: Forwards) -> Source:
    """The source of a function that only calls another one; every place in it is where that other one is defined."""
    code = function.__code__
    tree = n.parse(forwards.text).body[0]
    for node in n.walk(tree):
        if hasattr(node, "lineno"):
            node.lineno, node.col_offset, node.file = code.co_firstlineno, 0, code.co_filename
    line = line_at(code.co_filename, code.co_firstlineno)
    return Source(function, tree, code.co_filename, code.co_firstlineno, (line,))


class _Unannotated(n.NodeTransformer):  # type: ignore[misc]
    """``y: float = x`` as ``y = x``, which is the same to Python."""

    def visit_AnnAssign(self, node: Any) -> n.stmt:
        made = n.Pass() if node.value is None else n.Assign(targets=[node.target], value=node.value, type_comment=None)
        return place(made, node)


class _Known(NamedTuple):
    """A function's source as it was read from a file of this text. (The code is held, since its identity is the key.)"""

    code: types.CodeType
    text: Any
    source: Source


MANY = 256
_known: dict[int, _Known] = {}


def _text(file: str) -> Any:
    """The lines of a file as they were read last: the same list as long as the file stays as it is."""
    entry = linecache.cache.get(file)
    return entry[2] if entry is not None and len(entry) == 4 else None


def _character(lines: Sequence[str], line: int, offset: int) -> int:
    """A column in characters, given one in bytes of UTF-8, which is how Python's parser counts."""
    text = lines[line] if 0 <= line < len(lines) else ""
    return offset if text.isascii() else len(text.encode()[:offset].decode(errors="ignore"))


def _owner(function: types.FunctionType) -> str:
    """The class in whose body a function was written, which is part of the private names in it; "" if none."""
    path = getattr(function.__code__, "co_qualname", function.__qualname__).split(".")[:-1]
    while path and path[-1].startswith("<"):  # a comprehension, or a function around it
        path = path[:-2] if path[-1] == "<locals>" else path[:-1]
    return path[-1] if path and is_name(path[-1]) else ""  # before 3.11 a function may say anything


def _private(name: Any) -> bool:
    """Whether a name in a class is ``__private``, to which Python adds the name of the class."""
    return isinstance(name, str) and name.startswith("__") and not name.endswith("__")


@unwarned()
def _parsed(text: str, first_line: int) -> Any:
    """The one function definition in a piece of source, which may be indented; None if it is something else."""
    indented = width(text) > 0
    try:  # under an "if", so that strings over several lines stay as they are
        blank = "\n" * (first_line - 1 - indented)
        module = ast.parse(f"{blank}if True:\n{text}" if indented else blank + text)
    except SyntaxError:
        return None
    body = module.body[0].body if indented and isinstance(module.body[0], ast.If) else module.body
    return body[0] if len(body) == 1 and isinstance(body[0], (ast.FunctionDef, ast.AsyncFunctionDef)) else None


@unwarned()
def _own(parsed: Any, function: types.FunctionType) -> bool:
    """Whether a definition compiles to the code that the function runs.

    Of a function whose asserts pytest has written anew, the rest is compared.
    """
    code = function.__code__
    body: list[Any] = [parsed]
    if owner := _owner(function):
        around: Any = ast.parse(f"class {owner}: pass").body[0]
        around.body = body
        body = [around]
    if code.co_freevars:  # within a function that binds its free names
        maker: Any = ast.parse(f"def maker({', '.join(code.co_freevars)}): pass").body[0]
        maker.body = body
        body = [maker]
    modules = [ast.alias(name) for name in code.co_names if isinstance(function.__globals__.get(name), types.ModuleType)]
    if modules:  # calls through what is imported are compiled in another way
        body.insert(0, ast.fix_missing_locations(ast.Import(modules)))
    module = ast.Module(body=body, type_ignores=[])
    try:
        compiled = compile(module, code.co_filename, "exec", flags=code.co_flags & FEATURES, dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    found = _named(compiled, code.co_name)
    if found is None:
        return False
    if found == code:
        return True
    return same_code(found, code, asserted(parsed) if rewritten(code) else ())


def _named(code: types.CodeType, name: str) -> types.CodeType | None:
    """The code of the first function of that name in the constants of another code."""
    inner = [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return next((part for part in inner if part.co_name == name), None) or next(
        (found for part in inner if (found := _named(part, name)) is not None), None)


def located_in(node: n.AST, file: str, problem: str, why: str = "", remedy: str = "") -> Place:
    """The spot of a node of a file, for an error; the line is read again from the file."""
    line = getattr(node, "lineno", 0)
    return Place(file, line, getattr(node, "col_offset", None), line_at(file, line), problem, why, remedy)
