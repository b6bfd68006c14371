"""The door to many calls in one: ``batched``."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..dispatch.arguments import signature_of
from ..dispatch.called_directly import as_python
from ..dispatch.dispatcher import Dispatcher
from ..dispatch.fallback import told, warn_once
from ..errors import InternalError, SourcediffError
from ..runtime.arrays import library
from ..runtime.arrays.library import on_device, on_host
from ..runtime.derivative import form
from ..runtime.function_cache import kept
from ..runtime.structures import copied
from ..runtime.trees import leaves, mapped
from ..syntax.function import held, plain

Axes = int | None | tuple[int | None, ...]
POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def batched(function: Any = ..., in_axes: Axes = 0) -> Any:
    """Many calls of a function as one: of arrays with one axis more, the results stacked along their first. Also a decorator.

    ``in_axes`` is the axis of each positional argument along which the calls differ, None for one that is the same in all; a single
    number is for all arguments. Of a dict, list or tuple it is the axis of every array in it; keywords are the same in all calls. The
    function may be a derivative: ``batched(grad(loss))``.

    Where the compiler can give each operation a leading axis there is one call of generated code, checked against two plain calls
    when it is new; else there is a loop, with the same result. ``sourcediff.explain(batched(f), args=…)`` says which, and why.

    Raises ValueError for axes that do not fit, or are of different lengths, and what the function raises.

    >>> import numpy as np, sourcediff
    >>> def loss(x, y):
    ...     return np.sum((x - y) ** 2)
    >>> sourcediff.batched(loss, (0, None))(np.array([[1.0, 2.0], [3.0, 4.0]]), np.zeros(2))
    array([ 5., 25.])
    """
    if function is ...:
        return functools.partial(batched, in_axes=in_axes)
    return Batched(function, in_axes)


class Batched:
    """What :func:`batched` returns. It is pickled as what it was made of."""

    def __init__(self, function: Callable[..., Any], in_axes: Axes):
        if not callable(function):
            raise TypeError(f"batched takes a function, not {function!r}")
        functools.update_wrapper(self, function, updated=())
        self.function = function
        self.in_axes = in_axes

    def __repr__(self) -> str:
        return f"<batched {self.function!r} over {self.in_axes}>"

    def __reduce__(self) -> Any:
        return Batched, (self.function, self.in_axes)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        axes = self.axes(args)
        moved = in_front(args, axes)
        count = number_of_calls(moved, axes)
        found = self.together(moved, axes, kwargs, count)
        return self.one_by_one(moved, axes, kwargs, range(count)) if found is None else found[0]

    def axes(self, args: Sequence[Any]) -> tuple[int | None, ...]:
        """The axis of each argument. Raises ValueError unless there is one for each."""
        if not isinstance(self.in_axes, tuple):
            return (self.in_axes,) * len(args)
        if len(self.in_axes) != len(args):
            raise ValueError(f"{len(args)} arguments were given, and in_axes has {len(self.in_axes)} entries")
        return self.in_axes

    def one_by_one(self, args: Sequence[Any], axes: Sequence[int | None], kwargs: Mapping[str, Any], calls: Sequence[int]) -> Any:
        """The results of some calls, stacked."""
        like = next((leaf for _, leaf in leaves([*args]) if on_device(leaf)), None)
        return stacked([self.function(*one_call(args, axes, k), **kwargs) for k in calls], like)

    def together(self, args: Sequence[Any], axes: Sequence[int | None], kwargs: Mapping[str, Any], count: int) -> tuple[Any] | None:
        """The result of one call of generated code; None where there is none."""
        vectorised = self.vectorised(axes)
        return None if vectorised is None else vectorised(self, args, axes, kwargs, count)

    def vectorised(self, axes: Sequence[int | None]) -> Vectorised | None:
        """What calls generated code for these axes; None where the parameters of the function are not known one by one."""
        first = held_by(self.function)[0]
        function = form(as_python(self.function))
        try:
            inner = plain(function)
            parameters = list(signature_of(inner).parameters.values())
        except SourcediffError:
            return None
        own = parameters[len(first):len(first) + len(axes)]
        if len(own) < len(axes) or any(parameter.kind not in POSITIONAL for parameter in parameters):
            return None
        wrt = tuple(parameter.name for parameter, axis in zip(own, axes) if axis is not None)
        return kept(inner, ("vectorised", wrt), lambda: Vectorised(inner, wrt))

    def explained(self, args: Sequence[Any] | None) -> str:
        """What a call does, in words, and the generated text."""
        if args is None:
            raise ValueError("how many calls are made one depends on their arguments: give args=(…)")
        axes = self.axes(args)
        moved = in_front(copied(tuple(args)), axes)
        self.together(moved, axes, {}, number_of_calls(moved, axes))
        made = self.vectorised(axes)
        if made is None or made.refused is not None:
            why = "its parameters are not positional ones" if made is None else str(made.refused)
            return f"# {self.function.__qualname__} is called in a loop:\n" + "".join(f"#   {line}\n" for line in why.splitlines())
        last = made.dispatcher.last()
        return "# All calls are one call of generated code.\n\n" + (last.text if last is not None else "")


class Vectorised:
    """The generated code for many calls of a function, with respect to what differs from call to call.

    ``refused`` is why there was none for the last call, ``checked`` whether it was right in the first.
    """

    def __init__(self, function: types.FunctionType, wrt: tuple[str, ...]):
        self.dispatcher = Dispatcher(function, wrt, False, True, mode="vectorised", as_given=True)
        self.refused: Exception | None = None
        self.checked: dict[Any, bool] = {}

    def __call__(
        self, batched: Batched, args: Sequence[Any], axes: Sequence[int | None], kwargs: Mapping[str, Any], count: int,
    ) -> tuple[Any] | None:
        """The result in a tuple; None where the calls are to be made one by one."""
        first, named = held_by(batched.function)
        whole, example = (
            self.dispatcher.bound((*first, *given), {**named, **kwargs}) for given in (args, one_call(args, axes, 0)))
        if self.dispatcher.holds_variables(whole):
            return None
        self.refused = None
        try:
            entry = self.dispatcher.entry(example)
            found = copied(self.dispatcher.called(entry, [*whole, count]))
        except SourcediffError as error:
            self.refused = error
            if isinstance(error, InternalError):
                function = self.dispatcher.function
                warn_once(told(function), f"the calls of {function.__qualname__} are made in a loop", error)
            return None
        except Exception:  # the function's own, which the loop raises as the function does
            return None
        if entry.call not in self.checked:
            some = sorted({0, count - 1})
            plainly = batched.one_by_one(copied(args), axes, kwargs, some)
            self.checked[entry.call] = alike(mapped(lambda part: part[some], found), plainly)
        if not self.checked[entry.call]:
            self.refused = ArithmeticError("generated code gives another result")
            return None
        return (found,)


def held_by(function: Any) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """What a method or a partial gives the function before the arguments of a call, and by name."""
    try:
        return held(form(as_python(function)))
    except SourcediffError:  # there is no Python function
        return (), {}


def in_front(args: Sequence[Any], axes: Sequence[int | None]) -> list[Any]:
    """The arguments, each with its axis in front."""
    return [arg if axis is None else mapped(functools.partial(to_front, axis), arg) for arg, axis in zip(args, axes)]


def to_front(axis: int, part: Any) -> Any:
    """An array with the axis in front."""
    if not np.ndim(part) or not -np.ndim(part) <= axis < np.ndim(part):
        raise ValueError(f"in_axes names axis {axis}, and an argument has the shape {np.shape(part)}")
    return np.moveaxis(part if hasattr(part, "shape") else np.asarray(part), axis, 0) if axis else part


def number_of_calls(args: Sequence[Any], axes: Sequence[int | None]) -> int:
    """The length of all axes in front. Raises ValueError where there is no one length."""
    lengths = {len(leaf) for arg, axis in zip(args, axes) if axis is not None for _, leaf in leaves(arg)}
    if len(lengths) != 1 or lengths == {0}:
        raise ValueError(f"the axes of in_axes have the lengths {sorted(lengths)}" if lengths else "in_axes names no axis of an argument")
    return lengths.pop()


def one_call(args: Sequence[Any], axes: Sequence[int | None], k: int) -> list[Any]:
    """The arguments of the call ``k``."""
    return [arg if axis is None else mapped(lambda part: part[k], arg) for arg, axis in zip(args, axes)]


def stacked(results: Sequence[Any], like: Any = None) -> Any:
    """Structures of arrays and numbers as one of arrays, on a device if ``like`` is."""
    first = results[0]
    if isinstance(first, dict):
        return {key: stacked([result[key] for result in results], like) for key in first}
    if isinstance(first, (list, tuple)):
        return type(first)(stacked(parts, like) for parts in zip(*results)) if type(first) in (list, tuple) else type(first)(
            *(stacked(parts, like) for parts in zip(*results)))
    return None if first is None else library.stacked(results, 0, like)


def alike(one: Any, other: Any) -> bool:
    """Whether two structures are the same but for rounding."""
    pairs = list(zip(leaves(one), leaves(other)))
    if len(pairs) != len(list(leaves(other))):
        return False
    arrays = [(p == q, np.asarray(on_host(x)), np.asarray(on_host(y))) for (p, x), (q, y) in pairs]
    return all(
        matching and x.shape == y.shape and x.dtype == y.dtype
        and np.allclose(x, y, 1e-9 if x.dtype == float else 1e-4, 1e-12 * np.max(np.abs(y), initial=0), equal_nan=True)
        for matching, x, y in arrays
    )
