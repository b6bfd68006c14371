"""Tree → function: a definition made of a part of a function's tree, run where that function was."""

from __future__ import annotations

import ast
import types
from collections.abc import Mapping

import gast

from . import nodes as n
from .quote import clone
from .source import FEATURES
from .unwarned import unwarned


@unwarned()
def made(tree: n.FunctionDef, like: types.FunctionType, more: Mapping[str, types.CellType] | None = None) -> types.FunctionType:
    """The function that a definition is in the place of ``like``: with its globals, and its closure for what is free there.

    ``more`` are further cells that it may read.

    >>> def outer(x):
    ...     return x
    >>> tree = n.parse("def inner(y):\\n    return outer(y) + 1").body[0]
    >>> made(tree, outer).__name__
    'inner'
    """
    cells = dict(zip(like.__code__.co_freevars, like.__closure__ or ())) | dict(more or {})
    definition = gast.gast_to_ast(n.Module(body=[clone(tree)], type_ignores=[])).body[0]
    around = ast.parse(f"def around({', '.join(cells)}): pass").body[0]
    assert isinstance(around, ast.FunctionDef)
    around.body = [definition]
    module = ast.fix_missing_locations(ast.Module(body=[around], type_ignores=[]))
    compiled = compile(module, like.__code__.co_filename, "exec", flags=like.__code__.co_flags & FEATURES, dont_inherit=True)
    (outer,) = (part for part in compiled.co_consts if isinstance(part, types.CodeType))
    (code,) = (part for part in outer.co_consts if isinstance(part, types.CodeType) and part.co_name == tree.name)
    return types.FunctionType(code, like.__globals__, tree.name, None, tuple(cells[name] for name in code.co_freevars))
