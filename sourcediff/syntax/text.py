"""Tree → text, through astor; the only file that knows astor's habits."""

from __future__ import annotations

import ast
import threading
import warnings
from typing import Any

import gast

from ..naming import label
from . import nodes as n

with warnings.catch_warnings():  # astor still looks up ast.Num and its like, which warn from Python 3.12 on
    warnings.simplefilter("ignore", DeprecationWarning)
    from astor.code_gen import SourceGenerator


_OTHERWISE = ("ExceptHandler", "arguments", "FunctionDef", "AsyncFunctionDef", "ClassDef", "Module")
"""What gast writes in another way than Python, under the same fields."""


def _alike() -> dict[Any, Any]:
    """The classes of nodes that gast has as Python has them → Python's."""
    kinds: list[Any] = [kind for name, kind in vars(gast).items() if isinstance(kind, type) and name not in _OTHERWISE]
    others = {kind: getattr(ast, kind.__name__, None) for kind in kinds if issubclass(kind, n.AST)}
    return {kind: other for kind, other in others.items() if other is not None and kind._fields == other._fields}


_ALIKE = _alike()
_BARE = {kind: other() for kind, other in _ALIKE.items() if not other._fields}  # operators and contexts: one of each will do


def _python(tree: Any) -> Any:
    """Python's own tree, as ``gast.gast_to_ast`` makes it, several times as fast for what generated code is made of."""
    kind = type(tree)
    if kind is n.Name:
        made = ast.Name.__new__(ast.Name)
        made.id, made.ctx = tree.id, _CONTEXT
        return made
    if kind in _BARE:
        return _BARE[kind]
    if kind not in _ALIKE:
        return gast.gast_to_ast(tree)
    made = ast.AST.__new__(_ALIKE[kind])
    held = made.__dict__
    for name in kind._fields:
        value = getattr(tree, name, None)
        if isinstance(value, n.AST):
            value = _python(value)
        elif type(value) is list:
            value = [_python(item) if isinstance(item, n.AST) else item for item in value]
        held[name] = value
    return made


_CONTEXT = ast.Load()  # of names, whatever they stand for: text does not tell


class _Generator(SourceGenerator):  # type: ignore[misc]
    """astor's generator, for one tree after the other: to make one costs as much as to write a statement."""

    def __init__(self) -> None:
        super().__init__("    ", False, pretty_string=lambda text, *_, **__: repr(text))

    def written(self, tree: ast.AST) -> str:
        """The text of a tree."""
        self.result.clear()
        self.indentation, self.new_lines, self.colinfo = 0, 0, (0, 0)
        self.visit(tree)
        return "".join(part for part in self.result if isinstance(part, str))

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """An f-string as astor writes it, or, where that is no f-string or another one (of quotes in quotes, say), as Python does."""
        begun = len(self.result)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            super().visit_JoinedStr(node)
        text = "".join(part for part in self.result[begun:] if isinstance(part, str))
        if not _says(text, node) and _says(other := ast.unparse(node), node):
            self.result[begun:] = [other]


def _says(text: str, node: ast.expr) -> bool:
    """Whether a text is that of an expression."""
    try:
        return ast.dump(ast.parse(text.strip(), mode="eval").body) == ast.dump(node)
    except SyntaxError:
        return False


class _Own(threading.local):
    """A thread's own generator."""

    def __init__(self) -> None:
        self.generator = _Generator()


_own = _Own()


def _generated(tree: n.AST) -> str:
    return _own.generator.written(_python(tree))


def to_source(tree: Any) -> str:
    """The Python text of an expression or a statement, without outer parentheses and without a final newline."""
    if type(tree) is n.Name:
        return tree.id  # type: ignore[no-any-return]
    if isinstance(tree, n.expr):  # as a statement of its own it needs no outer parentheses
        tree = n.Expr(value=tree)
    return _generated(tree).strip("\n")


def block_lines(body: list[n.stmt], indent: int, last: list[str], comments: bool = True) -> list[str]:
    """The lines of a block, each statement's provenance (``# heat.py:12``) on the first line of a run made from one user line.

    ``last`` holds the provenance said last, across nested blocks.
    """
    lines: list[str] = []
    margin = "    " * indent
    for node in body:
        said = _provenance(node)
        comment = ""
        if comments and said and said != last[0]:
            comment, last[0] = f"  # {said}", said
        if isinstance(node, (n.If, n.For, n.While)):
            lines += _compound(node, margin, comment, indent, last, comments)
            continue
        first, *rest = _generated(node).strip("\n").split("\n")
        lines.append(f"{margin}{first}" + ("" if rest else comment))
        lines += [margin + line for line in rest]
        if rest:
            lines[-1] += comment
    return lines


def _compound(node: Any, margin: str, comment: str, indent: int, last: list[str], comments: bool) -> list[str]:
    if isinstance(node, n.For):
        head = f"for {to_source(node.target)} in {to_source(node.iter)}:"
    else:
        test = f"({to_source(node.test)})" if isinstance(node.test, n.Tuple) else to_source(node.test)
        head = f"{'if' if isinstance(node, n.If) else 'while'} {test}:"
    lines = [f"{margin}{head}{comment}", *block_lines(node.body or [n.Pass()], indent + 1, last, comments)]
    orelse = node.orelse
    if len(orelse) == 1 and isinstance(orelse[0], n.If):
        nested = block_lines(orelse, indent, last, comments)
        lines += [margin + "el" + nested[0].lstrip(), *nested[1:]]
    elif orelse:
        lines += [f"{margin}else:", *block_lines(orelse, indent + 1, last, comments)]
    return lines


def _provenance(node: n.AST) -> str:
    file = getattr(node, "file", None)
    return f"{label(file)}:{node.lineno}" if file else ""
