"""Classes and builtins of a library run that take a Variable for the array or number that it stands for.

``float(x)`` must be recorded, while ``type(x) is float``, ``isinstance(x, float)``, ``case float():`` and ``dtype=float`` go on
meaning what they mean. So for such a class there is another class, which is equal to it and knows its instances.
"""

from __future__ import annotations

import ast
import builtins
import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from ...errors import MissingRuleError, NonDifferentiableError, UnsupportedSyntaxError
from ...rules.frames import rule_for
from ...runtime.arrays import is_array, is_host_array, is_plain_array, is_plain_class, like_numpys, memory_order, to_device
from ...runtime.user_objects import HEAP
from ..engine.apply import apply, raw, records, stacked, variables_in
from ..engine.nodes import Node
from ..engine.variable import Variable
from .live import Live, LiveNumber
from .looping import Vectorized
from .run import Run
from .watch import WATCH, refuse_shown, refused

EXACT = (Decimal, Fraction)
"""Python's numbers that have no derivative."""


class Replacement:
    """What stands in for something of NumPy's in one run."""

    def __init__(self, rebinder: Run, original: Any):
        self.rebinder = rebinder
        self.original = original

    def __repr__(self) -> str:
        return repr(self.original)


class TypeProxy(type):
    """The class of classes that stand in for another, ``original``."""

    original: type

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if not variables_in(args):
            if not issubclass(cls.original, (int, np.integer)):
                refuse_shown(args)
            made = cls.original(*args, **kwargs)
            if not is_plain_array(made) or made.dtype.kind not in "fc":
                return made
            if WATCH.on_device and is_host_array(made):
                return Live(to_device(made))
            return Live(made) if made.base is None else made
        if issubclass(cls.original, (complex, np.complexfloating)) and not any(is_array(raw(arg)) for arg in args):
            return apply(rule_for(complex), args, kwargs, cls.original)
        if cls.original in EXACT:
            raise refused(NonDifferentiableError(
                f"a {cls.original.__name__} is made of a value that is being differentiated",
                why="it computes in a way of its own, without derivatives", remedy="compute with floats",
            ))
        (variable,) = args
        if issubclass(cls.original, (int, np.integer)):
            return cls.original(raw(variable))  # piecewise constant
        if cls.original is not float and is_array(raw(variable)):
            return variable.astype(cls.original)
        if cls.original is not float and isinstance(variable, (list, tuple)):
            return np.stack(variable).astype(cls.original)  # type: ignore[arg-type]
        return apply(rule_for(float), (variable,), {}, cls.original)

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(standing_for(value), cls.original)

    def __subclasscheck__(cls, kind: type) -> bool:
        return issubclass(original_of(kind), cls.original)

    def __getattr__(cls, name: str) -> Any:
        return getattr(type.__getattribute__(cls, "original"), name)

    @property
    def dtype(cls) -> Any:
        return np.dtype(cls.original)

    def __eq__(cls, other: object) -> bool:
        return cls.original is original_of(other)

    def __hash__(cls) -> int:
        return hash(cls.original)

    def __or__(cls, other: Any) -> Any:
        return cls.original | original_of(other)

    def __ror__(cls, other: Any) -> Any:
        return original_of(other) | cls.original

    def __repr__(cls) -> str:
        return repr(cls.original)


class InC(TypeProxy):
    """The class of classes that stand in for one of SciPy's that computes in C: it is made of constants, as they are."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        variables = variables_in([*args, *kwargs.values()])
        if variables and records(variables):
            name = f"{cls.original.__module__.split('.')[0]}.{cls.original.__name__}"
            raise refused(MissingRuleError(
                f"{name} of a value that is being differentiated has no derivative rule", why="it computes in C",
                remedy="use NumPy's functions on plain arrays, or keep the value that is being differentiated out of it",
            ))
        return cls.original(*map(raw, args), **{name: raw(value) for name, value in kwargs.items()})


def in_c(kind: Any) -> bool:
    """Whether a class of SciPy's computes in C: it is one of sparse matrices, or derived from a class that Python has not made."""
    module = kind.__module__
    if module.startswith("scipy.sparse") and not module.startswith("scipy.sparse.linalg"):
        return True
    foreign = [base for base in kind.__mro__ if base.__module__.split(".")[0] == "scipy"]
    return any(not base.__flags__ & HEAP or any(type(part).__name__ in COMPILED for part in vars(base).values()) for base in foreign)


COMPILED = ("cython_function_or_method", "fused_cython_function", "fortran", "_Function")
"""What the types of functions are called that Cython, f2py and uarray (for scipy.fft) make."""


@cache
def stand_in_c(kind: Any) -> Any:
    """What a run sees instead of such a class."""
    return InC(kind.__name__, (), {"original": kind, "__module__": kind.__module__})


class Types:
    """``type``: of a Variable, what it stands for."""

    original = type

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 1:
            return stand_in(type(standing_for(args[0])))  # type: ignore[arg-type]
        return _build(*args, **kwargs)

    def __mro_entries__(self, bases: Any) -> tuple[type]:
        return (type,)

    def __getattr__(self, name: str) -> Any:
        return getattr(type, name)

    def __eq__(self, other: object) -> bool:
        return original_of(other) is type

    def __hash__(self) -> int:
        return hash(type)

    def __or__(self, other: Any) -> Any:
        return type | original_of(other)

    def __repr__(self) -> str:
        return repr(type)


TYPE = Types()


def _build(name: str, bases: tuple[Any, ...], *args: Any, **kwargs: Any) -> Any:
    return type(name, tuple(map(original_of, bases)), *args, **kwargs)


def entries_of(arr: Any) -> Iterator[tuple[tuple[int, ...], Any]]:
    """``np.ndenumerate``."""
    array = stacked(arr)
    for index in np.ndindex(np.shape(raw(array))):
        yield index, array[index]


def iterating(*args: Any, **kwargs: Any) -> Any:
    """``np.nditer``, which hands out parts of arrays by itself: of an active one its entries, to be read; of more it is refused."""
    if len(args) == 1 and not kwargs and isinstance(args[0], Live):
        return (args[0][index] for index in memory_order(raw(args[0])))
    if variables_in([*args, *kwargs.values()]):
        raise refused(MissingRuleError(
            "np.nditer of a value that is being differentiated is not recorded",
            why="the entries that it hands out would silently lose their gradient",
            remedy="loop over np.ndindex(x.shape) and index, or over np.ravel(x)",
        ))
    return np.nditer(*args, **kwargs)


OTHERS: dict[Any, Any] = {type: TYPE, np.nditer: iterating, np.ndenumerate: entries_of, np.vectorize: Vectorized}


@cache
def stand_in(kind: Any) -> Any:
    """What a run sees instead of a class of Python's or of NumPy's; the class itself where that will do.

    >>> stand_in(float) is float, stand_in(float) == float, isinstance(1.0, stand_in(float)), stand_in(str) is str
    (False, True, True, True)
    """
    if kind in OTHERS:
        return OTHERS[kind]
    if kind in (float, int, complex, *EXACT) or is_plain_class(kind) or issubclass(kind, (np.inexact, np.integer)):
        bases = (kind,) if type(kind) is type else ()  # an abstract class asks all of its subclasses what theirs are
        return TypeProxy(kind.__name__, bases, {"original": kind, "__module__": kind.__module__})
    return kind


setattr(Live, "_kind", staticmethod(stand_in))  # noqa: B010  (the class that ``x.__class__`` is)


def original_of(value: Any) -> Any:
    """The function or class that a replacement stands for; any other value itself."""
    if isinstance(value, (Replacement, Types)) or isinstance(value, TypeProxy):
        return value.original
    if value is Vectorized or value is entries_of or value is iterating:
        return {Vectorized: np.vectorize, entries_of: np.ndenumerate, iterating: np.nditer}[value]
    return value


def standing_for(value: Any) -> Any:
    """The array or number that a Live Variable stands for, the original of a replacement; any other value itself."""
    if isinstance(value, Live):
        return like_numpys(value._value)
    return original_of(value) if isinstance(value, Replacement) else value


def is_instance(value: Any, classes: Any) -> bool:
    """``isinstance`` that takes a Variable of the run for the array or number that it stands for; one of the user's is what it is."""
    plain_classes = _originals(classes)
    answer = isinstance(standing_for(value), plain_classes)
    if WATCH.outside and type(value) in (Live, LiveNumber) and type(value._node) is Node and answer != isinstance(SAMPLE, plain_classes):
        raise refused(UnsupportedSyntaxError(
            "isinstance asks whether a computed value is an array or a number, in a function that reads Variables from outside",
            why="in a plain call it is a Variable if it is made of one of these, which a run does not note",
            remedy="give the Variables to the function as arguments, or test the arguments",
        ))
    return answer


SAMPLE = Variable(0.0)
"""A Variable of the user's, to be asked what it is an instance of."""


def is_subclass(kind: Any, classes: Any) -> bool:
    """``issubclass`` of classes for which others may stand."""
    return issubclass(original_of(kind), _originals(classes))


def _originals(classes: Any) -> Any:
    return tuple(map(_originals, classes)) if isinstance(classes, tuple) else original_of(classes)


def has_attribute(value: Any, name: str) -> bool:
    """``hasattr`` that takes a Variable of the run for the array or number that it stands for."""
    return hasattr(standing_for(value), name)


def is_callable(value: Any) -> bool:
    """``callable`` that takes a Variable of the run for the array or number that it stands for."""
    return callable(standing_for(value))


def build_class(body: Callable[..., Any], name: str, *bases: Any, **kwargs: Any) -> Any:
    """The ``class`` statement: a class is derived from the classes themselves, not from what stands in for them.

    The statements in it look for globals in the dict itself, so while they run it holds the names that they may look for.
    """
    if kwargs.get("metaclass") is TYPE:
        kwargs["metaclass"] = type
    around = body.__globals__  # type: ignore[attr-defined]
    original = getattr(around, "original", {})
    lent = [part for part in body.__code__.co_names if part in original and not dict.__contains__(around, part)]  # type: ignore[attr-defined]
    for part in lent:
        dict.__setitem__(around, part, around[part])
    try:
        return builtins.__build_class__(body, name, *map(original_of, bases), **kwargs)
    finally:
        for part in lent:
            dict.__delitem__(around, part)


READING = (json.loads, ast.literal_eval)
"""Functions of Python's library that read numbers from text."""


def reading(function: Callable[..., Any]) -> Callable[..., Any]:
    """What stands in for such a function."""

    def read(text: Any, *args: Any, **kwargs: Any) -> Any:
        refuse_shown([text])
        return function(text, *args, **kwargs)

    return read


standing_in: dict[str, Any] = {
    "float": stand_in(float), "int": stand_in(int), "complex": stand_in(complex), "type": TYPE, "isinstance": is_instance,
    "issubclass": is_subclass, "hasattr": has_attribute, "callable": is_callable, "__build_class__": build_class,
}
"""The builtins of a library run that are not Python's own."""
