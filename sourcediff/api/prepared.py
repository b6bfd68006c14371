"""``prepared``: both sweeps of a function, looked up once and called again and again. ``vjp`` is one call of it."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from ..dispatch.arguments import parameters_named
from ..dispatch.called_directly import as_python
from ..dispatch.parcels import parcel_of
from ..dispatch.pullbacks import Puller, puller
from ..dispatch.sent import Parcel
from ..dispatch.transform_calls import TransformCall, check_mode
from ..dispatch.wrappers import forwarding_of_call, forwards
from ..errors import DegenerateError
from ..runtime.function_cache import kept, known
from ..syntax.function import held, is_called, plain
from .gradients import Wrt


class Prepared:
    """What :func:`prepared` returns: :meth:`forward` computes the value of a call and its pullback."""

    def __init__(self, function: Callable[..., Any], wrt: Wrt | None, mode: str, has_aux: bool):
        self.given = function
        self.function = as_python(function)
        self.wrt = wrt
        self.mode = check_mode(mode, has_aux, plain(self.function))
        self.has_aux = has_aux
        self.forwards = forwards(self.function, () if wrt is None else wrt)
        self.single = wrt is not None and not isinstance(wrt, (tuple, list))
        self.first, self.named = held(self.function)
        self.again: dict[int, Puller] = {}  # by the number of arguments that are given by position
        self.called: dict[tuple[int, tuple[str, ...]], Prepared] = {}

    def forward(self, /, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """``(value, pull)`` of a call with these arguments, and the aux with ``has_aux``.

        ``pull(cotangent)`` can be called any number of times; changing arrays between two calls does not change it.
        """
        pull = self.again.get(len(args))
        if pull is not None:
            own = (*self.first, *args) if self.first else args
            found = pull.again(own, {**self.named, **kwargs} if self.named else kwargs, self.mode, self.single)
            if found is not None and found.value is not None:
                return found.value, found
        return self.answered(args, kwargs)

    def answered(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """The same, with all that is to be asked about the arguments and about who answers."""
        if self.forwards:
            return self.in_one_way(args, tuple(kwargs)).forward(*args, **kwargs)
        call = TransformCall(self.function, args, kwargs, self.mode, "vjp")
        names = call.positional()[0] if self.wrt is None else parameters_named(self.function, self.wrt)[0]
        linear, value, aux = call.answered(lambda: call.linearised(names, self.has_aux))
        call.refuse_none(value)

        def pull(cotangent: Any) -> Any:
            try:
                adjoints = linear.pulled(linear.outputs.seeds(cotangent, "cotangent", call.name))
            except DegenerateError as error:
                again = call.where_degenerate(error, linear).recorded(names, self.has_aux)[0]
                adjoints = again.pulled(again.outputs.seeds(cotangent, "cotangent", call.name))
            if self.wrt is None:
                return call.by_position(dict(zip(names, adjoints)))
            return adjoints[0] if self.single else adjoints

        if self.has_aux:
            return value, pull, aux
        if not is_called(self.function):  # the class of an object that is called may be given another __call__
            self.again[len(args)] = puller(call.function, tuple(names))
            if self.wrt is None and not self.named and self.function is call.function:
                kept(call.function, ("pull", self.mode, len(args)), lambda: self.again[len(args)])
        return value, pull

    def in_one_way(self, args: tuple[Any, ...], keywords: tuple[str, ...]) -> Prepared:
        """What is prepared for calls with so many arguments by position and these by keyword, of a function that takes any."""
        way = len(args), keywords
        if way not in self.called:
            self.called[way] = Prepared(*forwarding_of_call(self.function, *way, self.wrt), self.mode, self.has_aux)
        return self.called[way]

    def __reduce_ex__(self, protocol: Any) -> Any:
        """As of a derivative: from protocol 4 on with what was generated for it."""
        return again, (self.given, self.wrt, self.mode, self.has_aux, parcel_of(plain(self.function)) if protocol >= 4 else None)

    def __dask_tokenize__(self) -> Any:
        from dask.base import normalize_token

        return "sourcediff", "prepared", normalize_token(self.given), normalize_token([self.wrt, self.mode, self.has_aux])

    def __repr__(self) -> str:
        asked = "all that is given by position" if self.wrt is None else repr(self.wrt)
        return f"<{plain(self.function).__qualname__} and its pullback with respect to {asked}, prepared>"


def prepared(function: Callable[..., Any], wrt: Wrt | None = None, *, mode: str = "auto", has_aux: bool = False) -> Prepared:
    """A function whose value and pullback are asked for again and again: ``prepared(f).forward(*args)`` is ``vjp(f, *args)``.

    ``value, pull = p.forward(*args, **keywords)``; ``pull(cotangent)`` takes a cotangent in the structure and the shapes of the value
    (None for a part without one) and returns the adjoint of each argument that was given by position, as a tuple; with ``wrt`` the
    adjoint of that parameter, or a tuple for a tuple. An adjoint has the structure, shapes and dtypes of its argument. Each kind of
    call is compiled once; a later one costs what its two sweeps cost. JAX calls the pair ``fwd_and_bwd``.

    Raises what :func:`~sourcediff.vjp` raises, when ``forward`` and ``pull`` are called.

    >>> import numpy as np, sourcediff
    >>> def scaled(x, s):
    ...     return x * s
    >>> p = sourcediff.prepared(scaled, wrt="x")
    >>> value, pull = p.forward(np.array([1.0, 2.0]), 3.0)
    >>> value, pull(np.array([1.0, 0.0])), pull(np.array([0.0, 1.0]))
    (array([3., 6.]), array([3., 0.]), array([0., 3.]))
    """
    return Prepared(function, wrt, mode, has_aux)


def again(function: Any, wrt: Any, mode: str, has_aux: bool, parcel: Parcel | None) -> Prepared:
    """One that was pickled."""
    return Prepared(function, wrt, mode, has_aux)


def forward_again(function: Any, primals: tuple[Any, ...], mode: str) -> tuple[Any, Any] | None:
    """The value and the pullback of a function, not prepared, of which calls with so many arguments were answered before."""
    found = known(function) if isinstance(function, types.FunctionType) else None
    pull = None if found is None else found.get(("pull", mode, len(primals)))
    answer = None if pull is None else pull.again(primals, {}, mode, False)
    return None if answer is None or answer.value is None else (answer.value, answer)
