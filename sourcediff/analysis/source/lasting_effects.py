"""Effects that outlive a call: what a function may leave behind elsewhere than in its result."""

from __future__ import annotations

import builtins
import inspect
import types
from typing import Any

import numpy as np

from ...errors import SourceUnavailableError
from ...runtime.arrays.library import library_of
from ...runtime.copies import GENERATORS
from ...syntax import nodes as n
from ...syntax.source import Source, read
from ..environment.captured import current, is_user_function
from ..scope import MISSING, bound_names
from ..statements import base
from .mutated_names import Asked, reached, touched

UNSEEN = frozenset(getattr(builtins, name) for name in "eval exec compile locals globals vars __import__ setattr delattr input".split())
"""Builtins that reach names and attributes by their text, and one that does not give the same twice."""

STATELESS = (
    types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type, np.ufunc, np.generic, np.dtype, int, float, complex,
    str, bytes, bool, tuple, list, dict, set, frozenset, range, slice, type(None), type(...), type(NotImplemented), types.GenericAlias,
    type(np.sum), types.MethodDescriptorType,
)
"""What a free name may stand for: there is no state in it that carries a derivative, or it is looked for; an array too."""

DRAWING = frozenset(name for kind in GENERATORS for name in vars(kind) if not name.startswith("_")) - {"power", "bytes"}
"""Their methods."""


def leaves_state(source: Source, seen: list[Any] | None = None, asked: Asked | None = None) -> bool:
    """Whether a function, or one that it reads, may change an object, a global, or something that a closure holds, or draws numbers.

    What it does to local names is its own affair, and to what it is given is looked for elsewhere. ``seen`` are functions that are looked
    at besides, ``asked`` what has been found of them.
    """
    seen, asked = [source.function] if seen is None else seen, asked or Asked()
    parts = n.walk(source.tree)
    local = bound_names(source.tree) - kept_defaults(source.function)
    given = {part.id for part in parts if isinstance(part, n.Name) and isinstance(part.ctx, n.Param)}
    stored = any(isinstance(part, n.Attribute) and not isinstance(part.ctx, n.Load) for part in parts)
    if stored or any(isinstance(part, (n.Global, n.Nonlocal)) for part in parts) or not touched(source, parts, asked=asked) <= local:
        return True
    plain = {part.value for part in parts if isinstance(part, n.Attribute) and is_plain_value(part, source)}
    for part in parts:
        if isinstance(part, n.Attribute) and reached(part.value, source) is MISSING and part.attr in DRAWING:
            return True
        if isinstance(part, n.Call) and isinstance(part.func, (n.Name, n.Subscript)) and base(part.func) in given:
            return True  # who knows what it does
        if not isinstance(part, (n.Name, n.Attribute)) or not isinstance(part.ctx, n.Load):
            continue
        value = reached(part, source)
        if value is MISSING or part in plain:
            continue
        owner = getattr(value, "__self__", None)
        stateless = isinstance(value, STATELESS) or library_of(value)
        if not stateless or isinstance(owner, GENERATORS) or any(value is known for known in UNSEEN):
            return True
        if is_user_function(value) and value is not source.function and value not in seen:
            seen.append(value)
            if any_state(value, seen, asked):
                return True
    return False


def is_plain_value(node: n.Attribute, source: Source) -> bool:
    """Whether an attribute is only looked up in an object from outside, and is nothing that has state in turn."""
    owner = current(source.function, node.value.id) if isinstance(node.value, n.Name) else MISSING
    if owner is MISSING or isinstance(owner, STATELESS):
        return False
    value = inspect.getattr_static(owner, node.attr, MISSING)
    return isinstance(value, STATELESS) and not callable(value)


def kept_defaults(function: Any) -> set[str]:
    """The parameters whose default is one and the same list, dict, array or object at every call."""
    parameters = inspect.signature(function).parameters.values()
    immutable = (int, float, complex, str, bytes, tuple, frozenset, type(None), type, types.FunctionType, np.generic)
    return {part.name for part in parameters if part.default is not part.empty and not isinstance(part.default, immutable)}


def any_state(function: Any, seen: list[Any], asked: Asked) -> bool:
    """The same of a function that is called; without source it may do anything."""
    try:
        return leaves_state(read(function), seen, asked)
    except SourceUnavailableError:
        return True
