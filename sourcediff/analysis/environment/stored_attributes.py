"""The attributes to which functions store, by their bytecode: others of an object from outside stay what they are while these run."""

from __future__ import annotations

import dis
import types
from collections.abc import Iterable
from functools import cache

UNSEEN = frozenset(("setattr", "delattr", "vars", "exec", "eval", "__dict__", "__setattr__", "__setstate__", "__init__"))
"""The names by which attributes are stored that the bytecode does not name, and by which an object is made anew."""

WRITTEN = ("__init__", "__setattr__", "__delattr__")
"""The methods that ``dataclasses`` writes, which store to the object that is being made, or refuse to store."""


def stored_attributes(functions: Iterable[types.FunctionType]) -> frozenset[str] | None:
    """The names of attributes that are stored to, but for those of the object that is being made; None where they are not known.

    >>> def move(body, dt):
    ...     body.x += body.v * dt
    >>> sorted(stored_attributes([move]))
    ['x']
    """
    found = [stored_in(function.__code__) for function in functions]
    return None if None in found else frozenset().union(*found)  # type: ignore[arg-type]


@cache
def stored_in(code: types.CodeType) -> frozenset[str] | None:
    """The same of a function's code, and of that of functions in it."""
    if code.co_filename == "<string>" and code.co_name in WRITTEN:
        return frozenset()
    making = code.co_name in ("__init__", "__post_init__") and code.co_argcount > 0
    if not UNSEEN.isdisjoint({*code.co_names} - ({"__init__"} if making else set())):  # super().__init__()
        return None
    names: set[str] = set()
    before = None
    for each in dis.get_instructions(code):
        if each.opname in ("STORE_ATTR", "DELETE_ATTR"):
            loaded = before.argval if before is not None and before.opname.startswith("LOAD_FAST") else None
            if not making or code.co_varnames[0] not in (loaded, *(loaded[-1:] if isinstance(loaded, tuple) else ())):
                names.add(each.argval)
        before = each
    inner = [stored_in(part) for part in code.co_consts if isinstance(part, types.CodeType)]
    return None if None in inner else frozenset(names.union(*inner))  # type: ignore[arg-type]
