"""The names that a code object reads from outside, and the modules that they come from."""

from __future__ import annotations

import dis
import functools
import sys
import types
from typing import Any, NamedTuple


class Read(NamedTuple):
    """The names that a code reads from outside, those of attributes, and those of the modules that it imports."""

    outer: tuple[str, ...]
    attributes: tuple[str, ...]
    imports: tuple[str, ...]


@functools.lru_cache(maxsize=1024)
def read_by(code: types.CodeType) -> Read:
    """What a code reads; in the lambdas, comprehensions and functions within too. (Test runners add names that are no identifiers.)

    >>> read_by((lambda x: [abs(part.real) for part in x.T]).__code__)
    Read(outer=('abs',), attributes=('T', 'real'), imports=())
    """
    outer: dict[str, None] = dict.fromkeys(code.co_freevars)
    attributes: dict[str, None] = {}
    imports: dict[str, None] = {}
    for step in dis.get_instructions(code):
        if step.opcode in NAMES:
            (imports if step.opname == "IMPORT_NAME" else attributes if step.opname in OF_OBJECTS else outer)[step.argval] = None
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            within = read_by(inner)
            outer.update((name, None) for name in within.outer if name not in code.co_cellvars)
            attributes.update(dict.fromkeys(within.attributes))
            imports.update(dict.fromkeys(within.imports))
    return Read(tuple(filter(str.isidentifier, outer)), tuple(attributes), tuple(imports))


NAMES = frozenset(dis.hasname)


OF_OBJECTS = frozenset((
    "LOAD_ATTR", "STORE_ATTR", "DELETE_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR", "LOAD_SUPER_METHOD", "LOAD_ZERO_SUPER_ATTR",
    "LOAD_ZERO_SUPER_METHOD", "IMPORT_FROM",
))
"""The operations of which the name is that of an attribute."""


def names_of(code: types.CodeType) -> list[str]:
    """The names that a code reads from outside, and those of attributes; in the lambdas, comprehensions and functions within too."""
    found = [*code.co_names, *code.co_freevars]
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            found += [name for name in names_of(inner) if name not in code.co_cellvars]
    return list(dict.fromkeys(found))


def is_of_scipy(value: Any) -> bool:
    """Whether a value is SciPy, one of its modules, or a function of one."""
    scipy = sys.modules.get("scipy.special")
    name = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None) or ""
    return name.split(".")[0] == "scipy" or scipy is not None and getattr(scipy, getattr(value, "__name__", ""), None) is value


def _foreign(owner: Any) -> bool:
    """Whether a module or a class may hold functions of the user's."""
    return _package(owner) not in ("numpy", "scipy", "math", "builtins", "sourcediff")


def _package(owner: Any) -> str:
    """The package that a module or a class is in."""
    module: str = owner.__name__ if isinstance(owner, types.ModuleType) else str(owner.__module__)
    return module.split(".")[0]
