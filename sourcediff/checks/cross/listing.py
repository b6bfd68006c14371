"""A text as a list of statements: which lines each takes, the names it reads and writes, the user's line it comes from."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

COMMENT = re.compile(r"#\s*(?P<place>[^#]+:\d+)\s*$")


class Line(NamedTuple):
    """A statement, or the head of a compound one.

    ``number`` and ``last`` are its first and last line, the block within included; ``top`` the first line of the statement of the
    function's body that it is in; ``user`` its provenance (``heat.py:12``); ``writes`` are names that it binds, or whose contents
    it changes (``changes``); ``keeps`` is the name that a list or variable of saved values is for, if it saves a whole value.
    """

    number: int
    last: int
    top: int
    user: str
    reads: frozenset[str]
    writes: frozenset[str]
    changes: bool
    loop: bool
    compound: bool
    returns: bool
    keeps: str = ""


class Listing:
    """The one function of a generated text (or the one of that name), statement by statement."""

    def __init__(self, text: str, name: str):
        self.text = text
        self.rows = text.splitlines()
        tree = ast.parse(text)
        (function,) = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name]
        self.partial = frozenset(name for node in ast.walk(function) if isinstance(node, ast.stmt) for name in terms(node))
        self.lines: list[Line] = []
        self._at: dict[int, Line] = {}
        self._user = self._said(function.lineno)
        for node in function.body:
            self._block(node, node.lineno)

    def at(self, number: int) -> Line | None:
        """The statement that a line number belongs to (of compound ones the innermost)."""
        return self._at.get(number)

    def _said(self, *numbers: int) -> str:
        for number in numbers:
            if found := COMMENT.search(self.rows[number - 1]):
                return found["place"].strip()
        return ""

    def _block(self, node: ast.stmt, top: int) -> None:
        inner = [*getattr(node, "body", []), *getattr(node, "orelse", [])]
        end = node.end_lineno or node.lineno
        head = max(node.lineno, inner[0].lineno - 1) if inner else end
        self._user = self._said(*range(node.lineno, head + 1)) or self._user
        line = statement_in_words(node, end, top, self._user)
        self.lines.append(line)
        for number in range(node.lineno, head + 1):
            self._at[number] = line
        for part in inner:
            self._block(part, top)


def statement_in_words(node: ast.stmt, end: int, top: int, user: str) -> Line:
    """What is to be known of a statement; of a compound one its head."""
    loop = isinstance(node, (ast.For, ast.While))
    parts: list[ast.AST] = [node]
    targets: list[ast.expr] = []
    if isinstance(node, ast.For):
        parts, targets = [node.iter], [node.target]
    elif isinstance(node, (ast.While, ast.If)):
        parts = [node.test]
    elif isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AugAssign):
        targets = [node.target]
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        targets = node.value.args[:1] if node.value.func.attr == "at" else []  # np.add.at(x_bar, i, g)
    writes = frozenset(name for target in targets for name in bases(target))
    reads = frozenset(
        part.id for whole in parts for part in ast.walk(whole) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
    )
    changes = isinstance(node, (ast.AugAssign, ast.Expr)) or any(isinstance(target, ast.Subscript) for target in targets)
    compound = loop or isinstance(node, ast.If)
    returns = isinstance(node, ast.Return)
    return Line(node.lineno, end, top, user, reads - writes, writes, changes, loop, compound, returns, keeps_value(node))


def terms(node: ast.stmt) -> Iterator[str]:
    """The names that are terms of a sum in the value of a statement that does not bind them."""
    if isinstance(node, (ast.Assign, ast.AugAssign)):
        own = {name for target in (node.targets if isinstance(node, ast.Assign) else [node.target]) for name in bases(target)}
        for part in ast.walk(node.value):
            if isinstance(part, ast.BinOp) and isinstance(part.op, (ast.Add, ast.Sub)):
                yield from {side.id for side in (part.left, part.right) if isinstance(side, ast.Name)} - own


def bases(target: ast.AST) -> Iterator[str]:
    """The names that a target binds, or whose contents it changes."""
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, (ast.Tuple, ast.List)):
        for part in target.elts:
            yield from bases(part)
    elif isinstance(target, (ast.Subscript, ast.Attribute, ast.Starred)):
        yield from bases(target.value)


def keeps_value(node: ast.stmt) -> str:
    """``theta`` for ``theta_saved.append(theta)`` and for ``theta_saved1 = theta.copy()``; empty where a part is saved, or nothing."""
    kept = ast.unparse(node) if isinstance(node, (ast.Expr, ast.Assign)) else ""
    match = re.fullmatch(r"(\w+)_saved\d*(?:\.append\((\w+)(?:\.copy\(\))?\)| = (\w+)(?:\.copy\(\))?)", kept)
    return match[1] if match else ""
