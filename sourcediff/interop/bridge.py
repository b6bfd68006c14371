"""What the bridges share: the adjoint of a function as a function, for second derivatives, and what they refuse."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..api.gradients import grad
from ..errors import ComplexError, NonDifferentiableError
from ..runtime.trees import leaves


def adjoint(f: Callable[..., Any], places: tuple[str, ...], wrt: tuple[int, ...]) -> Any:
    """``(*cotangents, *arguments)`` → the adjoints of the arguments in the positions ``wrt``, with a cotangent for each of ``places``.

    It is the gradient of the sum of cotangents times parts of the result, a function of NumPy's that has derivatives itself.

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
    """The parts of a structure that are not None, as subscripts.

    >>> paths({"a": (1.0, None)})
    ("['a'][0]",)
    """
    return tuple([path for path, _ in leaves(tree)])


def fitted(part: Any, shape: Sequence[int | None], dtype: Any) -> Any:
    """A part of a result as an array of the shape and dtype that were said before (None: any length).

    Raises NonDifferentiableError where it is something else; of floats the precision may be another.

    >>> fitted(1.5, (), "float32"), fitted([1.0, 2.0], (None,), "float64")
    (array(1.5, dtype=float32), array([1., 2.]))
    """
    array = np.asarray(part)
    if array.dtype != dtype and not np.can_cast(array.dtype, dtype, "same_kind") or array.ndim != len(shape) or any(
            size != length and size is not None for size, length in zip(shape, array.shape)):
        raise NonDifferentiableError(
            f"the result is an array of {array.dtype} {array.shape}, which was said to be of {np.dtype(dtype)} {tuple(shape)}",
            why="the other library has to know before", remedy="return one kind of result for one kind of arguments, or give out=",
        )
    return array if array.dtype == dtype else array.astype(dtype)


def of_complex(library: str) -> ComplexError:
    """The error for complex numbers in an argument or in a result."""
    return ComplexError(
        f"a function of complex numbers in {library}", why="a gradient is the conjugate of NumPy's there",
        remedy="give and return the real and the imaginary part",
    )
