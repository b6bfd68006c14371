"""The methods of Variable: NumPy's names and PyTorch's, ``dim``/``axis`` and ``keepdim``/``keepdims`` both accepted.

Where the two traditions disagree NumPy wins, because the same function must run on arrays.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...rules.frames import rule_for
from ...runtime.arrays import has_complex, is_array
from ..engine.apply import apply
from ..engine.operators import PAIRS, UFUNCS
from ..engine.variable import Variable
from .conversions import CONVERSIONS
from .ordering import ORDERINGS
from .probabilities import PROBABILITIES
from .reducing import REDUCTIONS
from .shaping import SHAPINGS, Flat
from .spelling import Method, numpy_method, variadic
from .updates import updates


def maximum(x: Variable, y: Any) -> Any:
    """``np.maximum(x, y)`` without the detour through NumPy's protocol."""
    result = PAIRS[np.maximum][0](x, y)
    return np.maximum(x, y) if result is NotImplemented else result


def put(x: Variable, indices: Any, values: Any, mode: str = "raise") -> None:
    """``np.put(x, indices, values)``: entries by their numbers in C order, changed in place."""
    np.put(x, indices, values, mode)  # type: ignore[arg-type]


def relu(x: Variable) -> Any:
    """The entries, and 0 for those below it: ``np.maximum(x, 0)``."""
    return maximum(x, 0)


def clamp(x: Variable, min: Any = None, max: Any = None) -> Any:
    """The entries limited to [min, max]; one of the two may be missing."""
    if min is None and max is None:
        raise ValueError("clamp and clip need a bound: min=, max= or both")
    if max is None:
        return maximum(x, min)
    return np.minimum(x, max) if min is None else np.clip(x, min, max)


def rsqrt(x: Variable) -> Any:
    """1 / sqrt(x)."""
    return 1 / np.sqrt(x)


def frac(x: Variable) -> Any:
    """x without its whole part, with its sign: x − trunc(x)."""
    return x - np.trunc(x)


def add(x: Variable, y: Any, z: Any = None, *, alpha: Any = None) -> Any:
    """x + y; with three, as in ``x.add(alpha, y)``, x + alpha y."""
    return x + (y if z is alpha is None else scaled(alpha, y) if z is None else scaled(y, z))


def sub(x: Variable, y: Any, z: Any = None, *, alpha: Any = None) -> Any:
    """x − y; with three, as in ``x.sub(alpha, y)``, x − alpha y."""
    return x - (y if z is alpha is None else scaled(alpha, y) if z is None else scaled(y, z))


def scaled(factor: Any, y: Any) -> Any:
    """factor · y; y itself for None."""
    return y if factor is None else factor * y


def addmm(x: Variable, a: Any, b: Any, *, beta: Any = None, alpha: Any = None) -> Any:
    """beta x + alpha (a @ b)."""
    return scaled(beta, x) + scaled(alpha, np.matmul(a, b))


def addcmul(x: Variable, *factors: Any, value: Any = None) -> Any:
    """x + value a b, for ``x.addcmul(value, a, b)`` or ``x.addcmul(a, b, value=value)``."""
    *first, a, b = factors
    return x + scaled(first[0] if first else value, a * b)


def addcdiv(x: Variable, *factors: Any, value: Any = None) -> Any:
    """x + value a / b, for ``x.addcdiv(value, a, b)`` or ``x.addcdiv(a, b, value=value)``."""
    *first, a, b = factors
    return x + scaled(first[0] if first else value, a / b)


def lerp(x: Variable, y: Any, weight: Any) -> Any:
    """x + weight (y − x)."""
    return x + weight * (y - x)


def matrix_product(name: str, rank: int, other: int, meaning: str) -> Method:
    """A matrix product that takes arrays of these ranks only: a program's wish to be told of others is kept."""

    matmul = PAIRS[np.matmul][0]

    def method(self: Variable, y: Any) -> Any:
        a = self._value
        b = y._value if isinstance(y, Variable) else y
        if type(a) is np.ndarray is type(b) and a.ndim == rank and b.ndim == other:
            return matmul(self, y)
        ranks = np.ndim(a), np.ndim(b)
        if ranks != (rank, other):
            raise ValueError(f"{name} is {meaning}, and got arrays of {ranks[0]} and {ranks[1]} dimensions: x @ y takes any")
        return self @ y

    method.__doc__ = f"{meaning[0].upper()}{meaning[1:]}: ``x @ y``."
    return method


def conj(self: Variable) -> Any:
    """``x.conj()``: of real numbers, where ``np.conj`` makes a new array, the very same one."""
    return apply(rule_for(np.conjugate), (self,), {}, compute=lambda data: data.conjugate()) if has_complex(self._value) else self


def set_real(self: Variable, value: Any) -> None:
    """``x.real = value``: stored into the real part."""
    if not is_array(self._value):
        raise AttributeError(f"attribute 'real' of '{type(self._value).__name__}' objects is not writable")
    self.real[...] = value


def set_imag(self: Variable, value: Any) -> None:
    """``x.imag = value``: stored into the imaginary part, which real numbers have none of."""
    if not is_array(self._value):
        raise AttributeError(f"attribute 'imag' of '{type(self._value).__name__}' objects is not writable")
    if not has_complex(self._value):
        raise TypeError("array does not have imaginary part to set")
    self.imag[...] = value


def operation(symbol: str) -> Method:
    """An operator as a method."""
    function = OPERATORS[symbol]

    def method(self: Variable, y: Any) -> Any:
        return function(self, y)

    method.__doc__ = f"``x {symbol} y``."
    return method


OPERATORS = {
    "*": operator.mul, "/": operator.truediv, "**": operator.pow, "@": operator.matmul, "==": operator.eq, "!=": operator.ne,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}
FUNCTIONS: dict[str, Method] = {
    **{name: UFUNCS[getattr(np, name)] for name in (
        "exp log log1p log2 log10 expm1 sqrt square sin cos tan arcsin arccos arctan sinh cosh tanh abs reciprocal"
    ).split()},
    **{name: UFUNCS[getattr(np, f"arc{name[1:]}")] for name in ("asin", "acos", "atan")}, "neg": UFUNCS[np.negative],
    **{name: numpy_method(getattr(np, name)) for name in (
        "sign floor ceil trunc round cumsum cumprod argmax argmin dot outer cross angle remainder fmod"
    ).split()},
    "conj": conj, "conjugate": conj, "atan2": numpy_method(np.arctan2), "rsqrt": rsqrt, "frac": frac,
    **PROBABILITIES, "put": put, "relu": relu, "clamp": clamp, "clip": clamp, "lerp": lerp,
    "add": add, "sub": sub, "mul": operation("*"), "div": operation("/"), "pow": operation("**"), "matmul": operation("@"),
    "eq": operation("=="), "ne": operation("!="), "lt": operation("<"), "le": operation("<="), "gt": operation(">"), "ge": operation(">="),
    "mm": matrix_product("mm", 2, 2, "the product of two matrices"),
    "mv": matrix_product("mv", 2, 1, "the product of a matrix and a vector"),
    "bmm": matrix_product("bmm", 3, 3, "the products of two batches of matrices"), "ger": numpy_method(np.outer),
    "addmm": addmm, "addmv": addmm, "baddbmm": addmm, "addcmul": addcmul, "addcdiv": addcdiv,
}


METHODS: dict[str, Method] = {**SHAPINGS, **REDUCTIONS, **ORDERINGS, **CONVERSIONS, **FUNCTIONS}
METHODS |= {**updates(METHODS), "nelement": Variable.numel, "element_size": lambda x: x.itemsize}


def fact(name: str) -> property:
    """An attribute that is the array's own; of a Python number, that of its array."""

    def of(self: Variable) -> Any:
        data = self._value
        return getattr(data if hasattr(data, "dtype") else np.asarray(data), name)

    return property(of, doc=f"``x.data.{name}``.")


PROPERTIES: dict[str, Any] = {
    "T": property(variadic(np.transpose)), "mT": property(lambda self: np.swapaxes(self, -1, -2)),
    "real": property(lambda self: np.real(self) if self.dtype.kind == "c" else self, set_real),
    "imag": property(lambda self: np.imag(self if self.dtype.kind == "c" else self._value), set_imag),
    "flat": property(Flat, lambda self, value: Flat(self).__setitem__(slice(None), value)),
    "is_cuda": property(lambda self: hasattr(self._value, "__cuda_array_interface__")),
    **{name: fact(name) for name in ("nbytes", "itemsize", "strides", "flags")},
}
