"""Calls that generated code makes of functions which are not written into it: each leaves its value and its derivative.

A function that calls itself, and one that the compiler does not take, stays a call. In the forward sweep ``with_pullback`` runs it and
keeps what its pullback needs, ``result`` is the value, and in the reverse sweep ``pulled`` takes the adjoint through it. In forward mode
``with_tangent`` waits for the tangents, since the function is to run once.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..errors import AliasingError, NonDifferentiableError
from .arrays import has_complex, library_of
from .structures import NUMBERS, added, copied, zeros_like

ENGINE: dict[str, Callable[..., Any]] = {}
"""What runs the functions: ``pull``, ``push``, ``pull_again``, ``pull_along`` and ``value`` of ``call_derivatives.py``."""


class Link(tuple[Any, ...]):
    """One call: the tuple of its arguments, that is. An adjoint of it has an adjoint for each.

    ``moving`` are the positions of those that are differentiated; what the call has given is added as it becomes known.
    """

    more = True
    """It stands for more than its entries, so it is copied and compared as one thing."""

    def __new__(cls, args: tuple[Any, ...], function: Callable[..., Any], moving: Sequence[int]) -> Link:
        return super().__new__(cls, args)

    def __init__(self, args: tuple[Any, ...], function: Callable[..., Any], moving: Sequence[int]):
        self.given = tuple(args)
        self.args: tuple[Any, ...] = copied(self.given, True)  # as they are now: the program may change its arrays later
        self.function = function
        self.asked = tuple(moving)
        self.moving: Sequence[int] = [position for position in moving if moves(args[position])]
        self.pull: Callable[[Any], Sequence[Any]] | None = None
        self.value: Any = None
        self.ran = False

    @classmethod
    def done(
        cls, args: tuple[Any, ...], function: Callable[..., Any], asked: tuple[int, ...], moving: tuple[int, ...], value: Any,
        pull: Callable[[Any], Sequence[Any]],
    ) -> Link:
        """A call that generated code has answered, which leaves its arguments as they are."""
        link = tuple.__new__(cls, args)
        link.given, link.function, link.asked, link.moving = args, function, asked, moving
        link.value, link.pull, link.ran = value, pull, True
        link.args = tuple([arg if type(arg) in NUMBERS else copied(arg, True) for arg in args])
        return link

    def run(self, compute: Callable[[], tuple[Any, Any]]) -> Any:
        """Run the function, which gives its value and something more; that is given back.

        Raises AliasingError if the function changes an argument in place, and undoes that, or if there are objects among what goes in and
        comes out: what they hold could be changed unseen. Complex numbers are not followed through calls.
        """
        pairs = zip(leaves_of_link(self.given), leaves_of_link(self.args))
        arrays = [(array, kept) for array, kept in pairs if library_of(array)]
        containers = [(container, container.copy()) for container in containers_in(self.given)]
        if any(map(has_state, leaves_of_link(self.given))):
            raise self.refusal("takes an object")
        if any(has_complex(leaf) for position in self.asked for leaf in leaves_of_link(self.args[position])):
            raise self.refusal("takes complex numbers")
        with followed(self.function):
            self.value, more = compute()
        self.ran = True
        changed = [(array, kept) for array, kept in arrays if not same_bits(array, kept)]
        grown = [(container, kept) for container, kept in containers if not same(container, kept)]
        for array, kept in changed:
            array[...] = kept
        for container, kept in grown:
            container.clear()
            (container.update if isinstance(container, dict) else container.extend)(kept)
        if changed or grown:
            raise self.refusal("changes an argument in place")
        if any(map(has_state, leaves_of_link(self.value))):
            raise self.refusal("gives an object")
        return more

    def refusal(self, problem: str) -> AliasingError:
        """The error of a call that cannot stay a call."""
        return refusal(self.function, problem)

    def spread(self, found: Sequence[Any]) -> LinkedParts:
        """What there is for the arguments that move, with 0.0 for the others, or a list or dict of zeros."""
        moving = dict(zip(self.moving, found))
        return LinkedParts(moving[position] if position in moving else zeros_like(arg) if isinstance(arg, (list, tuple, dict)) else 0.0
                     for position, arg in enumerate(self.args))

    def picked(self, parts: Sequence[Any]) -> dict[int, Any]:
        """Those of an entry for each argument that belong to the ones that move."""
        return {position: parts[position] for position in self.moving}


@contextmanager
def followed(function: Callable[..., Any]) -> Iterator[None]:
    """Where a function runs: what it raises because it is followed is a refusal of the call."""
    try:
        yield
    except (NonDifferentiableError, RecursionError) as error:
        raise unfollowed(function, error) from error


def unfollowed(function: Callable[..., Any], error: Exception) -> AliasingError:
    """The refusal of a call of which this was raised."""
    deep = isinstance(error, RecursionError)  # what stands between two calls takes some of the stack too
    return refusal(function, "calls itself more often than there is room for on Python's stack" if deep else "has no derivative here")


def refusal(function: Callable[..., Any], problem: str) -> AliasingError:
    """The error of a call that cannot stay a call."""
    name = getattr(function, "__qualname__", repr(function))
    return AliasingError(
        f"{name} {problem}, in a call that the compiler does not write out",
        why="what is changed there could not be followed back", remedy=f"let {name} take and give arrays, and change copies",
    )


def leaves_of_link(value: Any) -> list[Any]:
    """The arrays and numbers of a structure."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else None
    return [value] if parts is None else [leaf for part in parts for leaf in leaves_of_link(part)]


def containers_in(value: Any) -> list[Any]:
    """The lists and dicts of a structure, outer ones first."""
    own = [value] if isinstance(value, (list, dict)) else []
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return own + [container for part in parts for container in containers_in(part)]


def same_bits(array: Any, kept: Any) -> bool:
    """Whether two arrays of one shape hold the same bits."""
    return bool(array.tobytes() == kept.tobytes())


def same(container: Any, kept: Any) -> bool:
    """Whether a list or a dict holds the very things that it held."""
    entries = [list(part.items()) if isinstance(part, dict) else [(k, v) for k, v in enumerate(part)] for part in (container, kept)]
    return len(container) == len(kept) and all(key == other and value is old for (key, value), (other, old) in zip(*entries))


PLAIN = (
    int, float, complex, str, bytes, type(None), type, range, slice, set, frozenset, np.dtype,
    types.FunctionType, types.BuiltinFunctionType, types.ModuleType,
)
"""What may go in and come out beside arrays."""

INTERPOLATION = "scipy.interpolate."
"""The package of the objects that may go in and come out: they are functions of the points that they were made of."""


def has_state(value: Any) -> bool:
    """Whether a value is an object that may hold something else tomorrow (an array is looked at, and a Variable like one)."""
    return not isinstance(value, PLAIN) and not hasattr(value, "dtype") and not type(value).__module__.startswith(INTERPOLATION)


def moves(value: Any) -> bool:
    """Whether a value has a derivative: a float, an array of floats, or a structure with one in it.

    >>> moves(1.0), moves(1), moves(np.arange(3)), moves({"w": [np.ones(2)]})
    (True, False, False, True)
    """
    if type(value) is np.ndarray:
        return bool(value.dtype.kind == "f")
    return any(isinstance(leaf, float) or getattr(getattr(leaf, "dtype", None), "kind", "") == "f" for leaf in leaves_of_link(value))


def with_pullback(args: tuple[Any, ...], function: Callable[..., Any], moving: tuple[int, ...]) -> Link:
    """Run ``function(*args)``, and keep what its pullback needs with respect to the arguments at the positions ``moving``."""
    if (done := ENGINE["quick"](function, args, moving)) is not None:
        return done  # type: ignore[no-any-return]
    link = Link(args, function, moving)
    if link.moving:
        link.pull = link.run(lambda: ENGINE["pull"](function, args, link.moving))
    else:
        link.run(lambda: (function(*args), None))
    return link


def with_tangent(args: tuple[Any, ...], function: Callable[..., Any], moving: tuple[int, ...]) -> Link:
    """``function(*args)``, which runs when the tangents are known (:func:`pushed`), or its :func:`result` is asked for."""
    return Link(args, function, moving)


def result(link: Link) -> Any:
    """The value of the call."""
    if not link.ran:
        link.run(lambda: (link.function(*link.given), None))
    return link.value


def plain_call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """A call on arrays of a device of which nothing is differentiated: what it creates lies there too, and its numbers are values."""
    return ENGINE["value"](function, args, kwargs)


RUNNING = (with_pullback, with_tangent)
"""What runs a function: once, whatever is computed again in the reverse sweep."""


class LinkedParts(list[Any]):
    """An adjoint (or a tangent) for each argument of a call. A sum is one entry by entry."""

    def __add__(self, other: Any) -> LinkedParts:
        return LinkedParts(map(added, self, other))


def pulled(link: Link, g: Any) -> LinkedParts:
    """The adjoints of all arguments of the call for the adjoint ``g`` of its value; 0.0 for one that is not differentiated."""
    return link.spread([] if link.pull is None else link.pull(g))


def pushed(link: Link, tangents: Sequence[Any]) -> Any:
    """The tangent of the call's value, for a tangent of each argument. Of what has run before, it runs again."""
    given = link.picked(tangents)
    if link.ran:
        return ENGINE["push"](link.function, link.args, given)[1]
    return link.run(lambda: ENGINE["push"](link.function, link.given, given))


def pulled_again(link: Link, g: Any, tangents: Sequence[Any]) -> LinkedParts:
    """The adjoints of the arguments for g · J t: what :func:`pulled` contributes to them where t is the adjoint of its result."""
    return link.spread(ENGINE["pull_again"](link.function, link.args, link.moving, g, link.picked(tangents)))


def pulled_along(link: Link, tangents: Sequence[Any], g: Any) -> LinkedParts:
    """The tangent of :func:`pulled` for a tangent of each argument of the call."""
    return link.spread(ENGINE["pull_along"](link.function, link.args, link.moving, g, link.picked(tangents)))
