"""The source of a lambda, which is only a part of a statement: found by its line and by the code that it compiles to."""

from __future__ import annotations

import ast
import linecache
import types
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from .unwarned import unwarned

NAME = "function"
"""What a lambda is called in a tree."""


def lambda_definition(function: types.FunctionType, own: Callable[[Any], bool], text: str | None = None) -> Any:
    """The lambda as the definition of a function that returns its body; None if its source is not there (in its file, or in ``text``).

    ``own`` says whether such a definition compiles to the code that the function runs. Of two lambdas on one line that do the
    same, either will do.
    """
    code = function.__code__
    for node in lambdas_of("".join(linecache.getlines(code.co_filename, function.__globals__)) if text is None else text):
        if node.lineno <= code.co_firstlineno <= (node.end_lineno or node.lineno) and own(node):
            made: Any = ast.parse(f"def {NAME}(): return").body[0]
            made.args, made.body[0].value = node.args, node.body
            ast.copy_location(made.body[0], node.body)
            return ast.copy_location(made, node)
    return None


@lru_cache(maxsize=16)
@unwarned()
def lambdas_of(text: str) -> list[ast.Lambda]:
    """The lambdas of a file, in order."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return []
    return [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
