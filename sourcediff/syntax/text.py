"""Tree → text, through astor; the only file that knows astor's habits."""

from __future__ import annotations

import os
import warnings
from typing import Any

import gast

from . import nodes as n

with warnings.catch_warnings():  # astor still looks up ast.Num and its like, which warn from Python 3.12 on
    warnings.simplefilter("ignore", DeprecationWarning)
    from astor.code_gen import SourceGenerator


def _generated(tree: n.AST) -> str:
    generator = SourceGenerator("    ", False, pretty_string=lambda text, *_, **__: repr(text))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        generator.visit(gast.gast_to_ast(tree))
    return "".join(part for part in generator.result if isinstance(part, str))


def to_source(tree: Any) -> str:
    """The Python text of an expression or a statement, without outer parentheses and without a final newline."""
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
        head = f"{'if' if isinstance(node, n.If) else 'while'} {to_source(node.test)}:"
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
    return f"{file.replace(os.sep, '/').rpartition('/')[2]}:{node.lineno}" if file else ""
