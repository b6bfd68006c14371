"""Whether a function can be called again with the same result, and whether it uses up what it is given."""

from __future__ import annotations

import functools
import random
import types
from typing import Any

import numpy as np

from ...errors import SourceUnavailableError
from ...rules.frames import rule_for
from ...runtime.copies import GENERATORS as RANDOM
from ...runtime.counters import ONCE
from ...runtime.linked_calls import RUNNING
from ...runtime.parts import ASKING
from ...runtime.user_objects import is_users
from ...syntax import nodes as n
from ...syntax.container_methods import GROWING
from ...syntax.function import MISSING, TRANSFORMS
from ...syntax.source import read
from ..abstract import FOREIGN, Abstract
from ..environment.asked_of_classes import is_helper
from ..environment.captured import is_user_function
from ..scope import Scope
from ..statements import INSIDE
from .changing_calls import alters
from .effects import CHANGING, READING_METHODS, STEADY, WORLD, Effective
from .out_arguments import among


def repeats(function: Any) -> bool:
    """Whether a function does the same when it runs again on the same values, as far as the source tells: it draws no random numbers,
    takes nothing else from the world, and tells it nothing.

    It does if nothing does otherwise that it names. The functions and classes of the user's that it names are to be asked on their own.
    """
    try:
        tree = read(function).tree
    except SourceUnavailableError:
        return bool(function.__code__.co_filename.startswith("<"))
    known, parts = Effective(function, tree), list(n.walk(tree))
    if any(isinstance(part, (n.Import, n.ImportFrom)) for part in parts):  # what it brings in is not looked at
        return False
    named = [known.resolve(part) for part in parts if isinstance(part, (n.Name, n.Attribute))]
    return all(_repeats(known, found) for found in named if found is not MISSING)


def uses_up(function: Any, drawn: bool) -> bool:
    """Whether a function names one that takes from the world, such as ``input``; ``drawn``: or the random numbers of a module."""
    try:
        tree = read(function).tree
    except SourceUnavailableError:
        return False
    known = Effective(function, tree)
    named = [known.resolve(part) for part in n.walk(tree) if isinstance(part, (n.Name, n.Attribute))]
    return any(among(found, ASKING) or drawn and (among(found, (random, np.random)) or isinstance(getattr(found, "__self__", None), RANDOM))
               for found in named)


def is_repeated(call: n.Call, known: Effective, scope: Scope) -> bool:
    """Whether a call in a program does the same once more, and leaves nothing behind but in the lists and arrays of the program."""
    function = scope.resolve(call.func)
    if function is MISSING:
        return isinstance(call.func, n.Attribute) and call.func.attr in READING_METHODS | GROWING | INSIDE | {"pop"}
    if is_helper(function) and function not in ONCE:
        return True
    return not alters(call, scope) and known.object_is_pure(scope.resolve(call.args[1]) if function in RUNNING else function)


def lasts(known: Abstract) -> bool:
    """Whether a value can be read as often as one likes: no iterator is in it, no file, nothing of which nobody knows what it is."""
    if known.kind in ("sequence", "mapping", "object", "bound"):
        return all(map(lasts, _parts_of(known.items)))
    return known.kind not in ("unknown", "mixed") and known != FOREIGN


def _parts_of(items: Any) -> list[Abstract]:
    if isinstance(items, Abstract):
        return [items]
    return [part for item in items for part in _parts_of(item)] if type(items) is tuple else []


def _repeats(known: Effective, found: Any) -> bool:
    if not callable(found):
        return found not in (random, np.random) if isinstance(found, types.ModuleType) else True
    kind = found if isinstance(found, type) else type(found)
    if rule_for(found) is not None or is_user_function(found) or is_users(kind):
        return True
    module = (getattr(found, "__module__", None) or kind.__module__ or "").split(".")
    if isinstance(found, type):
        return issubclass(found, BaseException) or module[0] in STEADY and module[:2] != ["numpy", "random"]
    if isinstance(getattr(found, "__self__", None), RANDOM) or among(found, WORLD) or module[0] == "scipy":
        return False
    if isinstance(found, (types.MethodType, functools.partial)):
        return True
    return among(found, TRANSFORMS) or among(found, CHANGING) or hasattr(found, "sourcediff") or known.object_is_pure(found)
