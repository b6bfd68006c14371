"""The adjoint of a function as a function: what the bridges differentiate again for second derivatives."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np

from ..api.gradients import grad
from ..runtime.trees import leaves


def adjoint(f: Callable[..., Any], places: tuple[str, ...], wrt: tuple[int, ...]) -> Any:
    """``(*cotangents, *arguments)`` → the adjoints of the arguments in the positions ``wrt``; a cotangent for each part of the result in ``places``.

    It is the gradient of the sum of all cotangents times these parts, as a function in Python, so that it has derivatives itself.

    >>> def f(x):
    ...     return {"square": x ** 2, "rest": (x ** 3, "a label")}
    >>> adjoint(f, ("['square']", "['rest'][0]"), (0,))(np.array([1.0, 0.0]), np.array([0.0, 1.0]), np.array([2.0, 3.0]))
    (array([ 4., 27.]),)
    """
    cotangents = [f"g{k}" for k in range(len(places))]
    terms = " + ".join(f"np.sum({g} * value{place})" for g, place in zip(cotangents, places))
    text = f"def contracted({', '.join(cotangents)}, *arguments):\n    value = f(*arguments)\n    return {terms}\n"
    file = f"<adjoint of {getattr(f, '__qualname__', f)}: {', '.join(places)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names: dict[str, Any] = {"f": f, "np": np}
    exec(compile(text, file, "exec"), names)
    return grad(names["contracted"], tuple([len(places) + position for position in wrt]))


def paths(tree: Any) -> tuple[str, ...]:
    """Where the parts of a structure are that are not None, as subscripts."""
    return tuple([path for path, _ in leaves(tree)])
