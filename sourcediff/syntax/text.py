"""Tree → text, through astor; the only file that knows astor's habits."""

from __future__ import annotations

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
