"""The class in which a function from outside is defined."""

from __future__ import annotations

import types


def class_around(function: types.FunctionType) -> type | None:
    """The class in which a function is defined, None of one that is not defined in a class."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    if "__class__" in cells:  # of every function that says super()
        found = cells["__class__"].cell_contents
    else:
        found = function.__globals__.get(function.__qualname__.split(".")[0])
    return found if isinstance(found, type) else None
