"""State: what a function may leave behind that is seen elsewhere than in its result."""

from __future__ import annotations

import builtins
import types
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import SourceUnavailableError
from ..syntax import nodes as n
from ..syntax.source import Source, read
from .effects import base, mutates
from .scope import MISSING, bound_names
from .surroundings import current, is_user_function

CHANGING = frozenset("append extend insert pop remove clear sort reverse update setdefault popitem".split())
"""Methods after which a list or dict may have other entries."""

IN_PLACE = CHANGING | {"fill", "put", "partition", "itemset", "resize", "setflags", "add", "discard"}
"""Methods that may change what they are called on."""

UNSEEN = frozenset(getattr(builtins, name) for name in "eval exec compile locals globals vars __import__ setattr delattr".split())
"""Builtins that reach names and attributes by their text."""

STATELESS = (
    types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type, np.ufunc, np.ndarray, np.generic, np.dtype, int, float, complex,
    str, bytes, bool, tuple, list, dict, frozenset, type(None), np.random.Generator, np.random.RandomState,
)
"""What a free name may stand for whose methods are called: there is no state in it that carries a derivative, or it is looked for."""


def everything(node: n.AST) -> list[n.AST]:
    """A node and all within, handlers and what a context manager is called included."""
    found = [node]
    for part in found:
        found += n.iter_child_nodes(part)
    return found


def changed(parts: Sequence[n.AST]) -> set[str]:
    """The names of which nodes may change what they stand for, in place."""
    found = mutates([part for part in parts if isinstance(part, n.stmt)])
    for part in parts:
        if isinstance(part, n.Attribute) and not isinstance(part.ctx, n.Load):
            found.add(base(part) or "")
        if isinstance(part, n.Call) and isinstance(part.func, n.Attribute) and part.func.attr in IN_PLACE:
            found.add(base(part.func) or "")
        if isinstance(part, n.keyword) and part.arg == "out":
            found.add(base(part.value) or "")
    return found


def leaves_state(source: Source, callers: tuple[Any, ...] = ()) -> bool:
    """Whether a function, or one that it calls, may change an object, a global, or something that a closure holds.

    What it does to local names is its own affair, and to arrays that it is given is looked for elsewhere.
    """
    parts = everything(source.tree)
    local = bound_names(source.tree)
    kept = (part for part in parts if isinstance(part, n.Attribute) and not isinstance(part.ctx, n.Load))
    if any(kept) or any(isinstance(part, (n.Global, n.Nonlocal)) for part in parts) or not changed(parts) <= local:
        return True
    for part in parts:
        if not isinstance(part, n.Call):
            continue
        owner = base(part.func)
        value = current(source.function, owner) if owner is not None and owner not in local else MISSING
        if isinstance(part.func, n.Attribute):
            if value is not MISSING and not isinstance(value, STATELESS):
                return True
            value = reached(part.func, source)
        if value is not MISSING and any(value is known for known in UNSEEN):
            return True
        known = value is source.function or value in callers
        if is_user_function(value) and not known and any_state(value, (*callers, source.function)):
            return True
    return False


def any_state(function: Any, callers: tuple[Any, ...]) -> bool:
    """The same of a function that is called; without source it may do anything."""
    try:
        return leaves_state(read(function), callers)
    except SourceUnavailableError:
        return True


def reached(node: n.AST, source: Source) -> Any:
    """What ``module.part.name`` stands for in a function, or MISSING."""
    if isinstance(node, n.Attribute):
        owner = reached(node.value, source)
        return getattr(owner, node.attr, MISSING) if isinstance(owner, (types.ModuleType, type)) else MISSING
    return current(source.function, node.id) if isinstance(node, n.Name) else MISSING
