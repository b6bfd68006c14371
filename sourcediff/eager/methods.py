"""The methods of Variable: NumPy's names and PyTorch's, ``dim``/``axis`` and ``keepdim``/``keepdims`` both accepted.

Where the two traditions disagree NumPy wins, because the same function must run on arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..rules.frames import rule_for
from .apply import apply, plain
from .variable import Variable

Method = Callable[..., Any]


def _axis(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Keywords in NumPy's spelling."""
    if "dim" in kwargs:
        kwargs["axis"] = kwargs.pop("dim")
    if "keepdim" in kwargs:
        kwargs["keepdims"] = kwargs.pop("keepdim")
    return kwargs


def numpy_method(function: Any) -> Method:
    """The method that is a NumPy function of the array."""

    def method(self: Variable, *args: Any, **kwargs: Any) -> Any:
        return function(self, *args, **_axis(kwargs))

    method.__doc__ = f"``np.{function.__name__}(x, …)``; ``dim`` and ``keepdim`` are accepted for ``axis`` and ``keepdims``."
    return method


def variadic(function: Any) -> Method:
    """A method that takes its shape or axes as one tuple or as several arguments."""

    def method(self: Variable, *args: Any, **kwargs: Any) -> Any:
        if not args:
            return function(self, **kwargs)
        return function(self, args[0] if len(args) == 1 else args, **kwargs)

    method.__doc__ = f"``np.{function.__name__}(x, …)``, the last argument as a tuple or as several."
    return method


def extremum(function: Any, position: Any) -> Method:
    """``max`` or ``min``: with ``dim`` PyTorch's (values, indices), with ``axis`` NumPy's values."""

    def method(self: Variable, *args: Any, **kwargs: Any) -> Any:
        if "dim" not in kwargs:
            return function(self, *args, **_axis(kwargs))
        indices = position(self._value, axis=kwargs["dim"], keepdims=bool(kwargs.get("keepdim", False)))
        return function(self, **_axis(kwargs)), indices

    method.__doc__ = f"``np.{function.__name__}(x, …)``; with ``dim`` the values and the indices."
    return method


def along(x: Variable, index: Any, axis: int) -> Any:
    """The entries that ``np.take_along_axis`` takes, by plain indexing."""
    index = np.asarray(plain(index))
    places = list(np.ogrid[tuple(slice(length) for length in index.shape)])
    places[axis] = index
    return x[tuple(places)]


def softmax(x: Variable, dim: int = -1, axis: int | None = None) -> Any:
    """exp(x) over its sum along ``dim``, the largest entry taken out first."""
    e = np.exp(x - np.max(x._value, axis=dim if axis is None else axis, keepdims=True))
    return e / np.sum(e, axis=dim if axis is None else axis, keepdims=True)


def logsumexp(x: Variable, dim: Any = None, axis: Any = None, keepdim: bool = False, keepdims: bool = False) -> Any:
    """log(sum(exp(x))), the largest entry taken out first."""
    where = dim if axis is None else axis
    top = np.max(x._value, axis=where, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0).astype(x.dtype)
    total = np.log(np.sum(np.exp(x - top), axis=where, keepdims=keepdim or keepdims))
    return total + (top if keepdim or keepdims else np.squeeze(top, axis=where))


def log_softmax(x: Variable, dim: int = -1, axis: int | None = None) -> Any:
    """x − logsumexp(x) along ``dim``."""
    return x - logsumexp(x, dim=dim if axis is None else axis, keepdim=True)


def sigmoid(x: Variable) -> Any:
    """1 / (1 + exp(−x)), without overflow."""
    return 0.5 * (np.tanh(0.5 * x) + 1)


def norm(x: Variable, p: float = 2, dim: Any = None, axis: Any = None, keepdim: bool = False, keepdims: bool = False) -> Any:
    """The p-norm of the entries, over all of them or along ``dim``."""
    where = dim if axis is None else axis
    keep = keepdim or keepdims
    if p == 2:
        return np.linalg.norm(x, axis=where, keepdims=keep) if where is not None else np.linalg.norm(np.ravel(x))
    if p == 1:
        return np.sum(np.abs(x), axis=where, keepdims=keep)
    return np.sum(np.abs(x) ** p, axis=where, keepdims=keep) ** (1 / p)


def clamp(x: Variable, min: Any = None, max: Any = None) -> Any:
    """The entries limited to [min, max]; one of the two may be missing."""
    if max is None:
        return np.maximum(x, min)
    return np.minimum(x, max) if min is None else np.clip(x, min, max)


def copied(x: Variable) -> Any:
    """``x.copy()``: in C order, as the method of an array (``np.copy`` keeps the order)."""
    return apply(rule_for(np.copy), (x,), {}, compute=_own_copy)


def flatten(x: Variable) -> Any:
    """``x.flatten()``: always a copy, where ``x.ravel()`` is a view if it can be one."""
    return apply(rule_for(np.ravel), (x,), {}, compute=_own_flat)


def _own_copy(data: Any) -> Any:
    return data.copy() if isinstance(data, np.ndarray) else np.copy(data)


def _own_flat(data: Any) -> Any:
    return np.ravel(data).copy()


def split(x: Variable, size: int | list[int], dim: int = 0, axis: int | None = None) -> tuple[Any, ...]:
    """Consecutive parts along ``dim``: of ``size`` entries each (the last may be shorter), or of the listed sizes."""
    dim = dim if axis is None else axis
    length = x.shape[dim]
    sizes = size if isinstance(size, (list, tuple)) else [min(size, length - start) for start in range(0, length, size)]
    ends = np.cumsum(sizes)
    return tuple(x[(slice(None),) * (dim % x.ndim) + (slice(int(end) - s, int(end)),)] for s, end in zip(sizes, ends))


def chunk(x: Variable, chunks: int, dim: int = 0, axis: int | None = None) -> tuple[Any, ...]:
    """At most ``chunks`` parts of equal size along ``dim`` (the last may be shorter)."""
    dim = dim if axis is None else axis
    return split(x, -(-x.shape[dim] // chunks), dim)


def expand(x: Variable, *sizes: Any) -> Any:
    """The array repeated along axes of length 1; −1 keeps a length."""
    shape = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else sizes
    have = (1,) * (len(shape) - x.ndim) + x.shape
    return np.broadcast_to(x, tuple(h if s == -1 else s for s, h in zip(shape, have)))


def squeeze(x: Variable, axis: Any = None, dim: Any = None) -> Any:
    """Without the axes of length 1; with PyTorch's ``dim``, an axis of another length stays."""
    if dim is not None:
        return np.squeeze(x, dim) if x.shape[dim] == 1 else x
    return np.squeeze(x) if axis is None else np.squeeze(x, axis)


def view(x: Variable, *shape: Any) -> Any:
    """The same entries in another shape; without one, as NumPy's ``view()``, the same memory as a view of its own."""
    return np.reshape(x, shape[0] if len(shape) == 1 else shape) if shape else x[...]


def convert(x: Variable, dtype: Any) -> Any:
    """The array in another dtype."""
    kind = np.dtype(dtype).kind
    if kind not in "iubf":
        x._refuse(f"a conversion to {np.dtype(dtype)}")
    return np.asarray(x._value).astype(dtype) if kind != "f" else _astype(x, dtype)


def _astype(x: Variable, dtype: Any) -> Any:
    from ..rules.frames import rule_for
    from .apply import apply

    return apply(rule_for(np.array), (x,), {"dtype": np.dtype(dtype)})


def in_place(name: str, operation: Callable[..., Any]) -> Method:
    """The method that writes the operation's result into the Variable itself."""

    def method(self: Variable, *args: Any, **kwargs: Any) -> Variable:
        return self._overwrite(operation(self, *args, **kwargs), f".{name}")

    method.__doc__ = f"As ``{name[:-1]}``, in place. Raises InPlaceError on a leaf that requires grad."
    return method


def zero_(self: Variable) -> Variable:
    """Set every entry to zero; a gradient's way to start anew."""
    if isinstance(self._value, np.ndarray):
        return self._overwrite(np.zeros((), self.dtype), ".zero_")
    self._value = type(self._value)(0)
    return self


def cuda(self: Variable) -> Variable:
    """The Variable on the GPU; raises ImportError where CuPy is missing."""
    try:
        import cupy
    except ImportError as error:
        raise ImportError("Variable.cuda() needs CuPy: pip install 'sourcediff[cuda]'") from error
    return Variable(cupy.asarray(self._value), self.requires_grad)


def cpu(self: Variable) -> Variable:
    """The Variable in the computer's own memory: itself, where it is there already."""
    return self if not hasattr(self._value, "get") else Variable(self._value.get(), self.requires_grad)


METHODS: dict[str, Method] = {
    **{name: numpy_method(getattr(np, name)) for name in (
        "exp log log1p log2 log10 expm1 sqrt square sin cos tan arcsin arccos arctan sinh cosh tanh abs sign floor ceil reciprocal clip "
        "sum mean prod var std cumsum dot diagonal trace take repeat swapaxes ravel argmax argmin argsort all any nonzero round outer"
    ).split()},
    "max": extremum(np.max, np.argmax), "min": extremum(np.min, np.argmin),
    "reshape": variadic(np.reshape), "transpose": variadic(np.transpose), "permute": variadic(np.transpose),
    "view": view, "expand": expand, "squeeze": squeeze, "flatten": flatten,
    "unsqueeze": lambda x, dim: np.expand_dims(x, dim),
    "t": numpy_method(np.transpose), "mm": numpy_method(np.matmul), "bmm": numpy_method(np.matmul), "matmul": numpy_method(np.matmul),
    "addmm": lambda x, a, b: x + np.matmul(a, b),
    "pow": numpy_method(np.power), "rsqrt": lambda x: 1 / np.sqrt(x), "neg": numpy_method(np.negative),
    "add": numpy_method(np.add), "sub": numpy_method(np.subtract), "mul": numpy_method(np.multiply), "div": numpy_method(np.divide),
    "sigmoid": sigmoid, "relu": lambda x: np.maximum(x, 0), "softmax": softmax, "log_softmax": log_softmax, "logsumexp": logsumexp,
    "norm": norm, "clamp": clamp, "split": split, "chunk": chunk,
    "index_select": lambda x, dim, index: np.take(x, plain(index), axis=dim),
    "gather": lambda x, dim, index: along(x, index, dim),
    "masked_fill": lambda x, mask, value: np.where(plain(mask), value, x),
    "masked_select": lambda x, mask: x[np.broadcast_to(plain(mask), x.shape)],
    "where": lambda x, condition, y: np.where(plain(condition), x, y),
    "clone": numpy_method(np.copy), "copy": copied,
    "astype": convert, "type": convert, "float": lambda x: convert(x, np.float32), "double": lambda x: convert(x, np.float64),
    "cuda": cuda, "cpu": cpu,
    "zero_": zero_, "fill_": in_place("fill_", lambda x, value: value), "copy_": in_place("copy_", lambda x, value: value),
    "add_": in_place("add_", lambda x, y: x + y), "sub_": in_place("sub_", lambda x, y: x - y),
    "mul_": in_place("mul_", lambda x, y: x * y), "div_": in_place("div_", lambda x, y: x / y), "clamp_": in_place("clamp_", clamp),
    "fill": lambda x, value: x.__setitem__(Ellipsis, value),
}


def install() -> None:
    """Give Variable its methods."""
    for name, method in METHODS.items():
        setattr(Variable, name, method)
    setattr(Variable, "T", property(lambda self: np.transpose(self)))  # noqa: B010


install()
