"""Functions with a rule that are differentiated as they are, ``grad(np.sum)``: by a Python function that calls them."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from typing import Any


def as_python(function: Any) -> Any:
    """A Python function that calls one that has a rule, or is said by others: one of NumPy's or SciPy's, or with a rule of one's own;
    any other value itself.

    >>> import numpy as np
    >>> as_python(np.sum)(np.ones(3)), as_python(np.sum) is as_python(np.sum), as_python(np.fromstring) is np.fromstring
    (np.float64(3.0), True, True)
    """
    from ..rules.frames import OWN, rule_for
    from ..rules.library_functions import composite_for

    if isinstance(function, types.FunctionType) and getattr(function, "__recorded__", function) in OWN:
        return _calling(function)
    owner = getattr(function, "__self__", None) if isinstance(function, types.MethodType) else None
    module = getattr(function if owner is None else type(owner), "__module__", None) or type(function).__module__
    if not callable(function) or str(module).split(".")[0] not in ("numpy", "scipy", "math", "builtins"):
        return function
    rule = rule_for(function)
    known = composite_for(function) if rule is None or rule.own else rule
    return function if known is None else _calling(function)


@functools.cache
def _calling(function: Callable[..., Any]) -> Callable[..., Any]:
    from ..rules.frames import rule_for
    from ..rules.library_functions import composite_for

    def called(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    rule, plain = rule_for(function), composite_for(function)
    called.__name__ = called.__qualname__ = function.__name__
    called.__doc__ = function.__doc__
    called.__module__ = "__main__"
    called.__code__ = called.__code__.replace(co_filename=f"<{function.__name__}>", co_firstlineno=1)
    called.__wrapped__ = function  # type: ignore[attr-defined]
    called.__library__ = function  # type: ignore[attr-defined]
    try:
        inspect.signature(function)
    except ValueError:  # it is written in C
        parameters = list(inspect.signature(plain).parameters.values() if rule is None else rule.parameters.values())
        called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return called
