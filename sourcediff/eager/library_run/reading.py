"""What a library run refuses before it begins, from reading the code of a function."""

from __future__ import annotations

import dis
import functools
import itertools
import types

import numpy as np

from ...errors import UnsupportedSyntaxError
from ...syntax.function import codes
from .namespaces import ASSIGNS_REMEDY, ASSIGNS_WHY
from .watch import refused


def refuse_by_code(function: types.FunctionType) -> None:
    """Raise UnsupportedSyntaxError if the function (or one defined in it) does what a run cannot follow."""
    _refuse_assigned_globals(function)
    _refuse_identity_of_classes(function)


def _refuse_assigned_globals(function: types.FunctionType) -> None:
    for name in _assigned_globals(function.__code__):
        raise refused(UnsupportedSyntaxError(
            f"{function.__qualname__} assigns to the global {name}", why=ASSIGNS_WHY, remedy=ASSIGNS_REMEDY,
        ))


@functools.lru_cache(maxsize=4096)
def _assigned_globals(code: types.CodeType) -> tuple[str, ...]:
    instructions = (instruction for part in codes(code) for instruction in dis.get_instructions(part))
    return tuple(instruction.argval for instruction in instructions if instruction.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"))


def _refuse_identity_of_classes(function: types.FunctionType) -> None:
    """Refuse a function that may ask by ``is`` whether the ``type`` of a dtype is one of NumPy's classes.

    What the function sees of these is equal to them, but it is not them (``type_proxies.py``); of a dtype no stand-in can be made.
    """
    for code in _codes(function.__code__):
        names = [(name, getattr(np, name, None), function.__globals__.get(name)) for name in _identities(code)]
        found = [name for name, *kinds in names if any(isinstance(kind, type) and issubclass(kind, np.generic) for kind in kinds)]
        if found:
            raise refused(UnsupportedSyntaxError(
                f"{function.__qualname__} may ask by \"is\" whether the type of a dtype is {found[0]}",
                why="in a run on the eager engine other classes, equal to NumPy's, stand in for these", remedy="compare by ==",
            ))


_codes = functools.lru_cache(maxsize=4096)(codes)


@functools.lru_cache(maxsize=4096)
def _identities(code: types.CodeType) -> tuple[str, ...]:
    """The names in code where an attribute ``type``, as it is read or by way of a variable, may be compared by ``is``; else none."""
    if "type" not in code.co_names:
        return ()
    found = list(dis.get_instructions(code))
    stored = {other.argval for one, other in itertools.pairwise(found) if _reads_type(one) and other.opname.startswith("STORE")}
    for position, instruction in enumerate(found):
        if instruction.opname == "IS_OP" and found[position - 1].argrepr != "None":
            start = position
            while found[start - 1].opname.startswith("LOAD"):
                start -= 1
            if any(_reads_type(each) or each.argval in stored for each in found[start:position]):
                return code.co_names
    return ()


def _reads_type(instruction: dis.Instruction) -> bool:
    return instruction.opname == "LOAD_ATTR" and instruction.argval == "type"
