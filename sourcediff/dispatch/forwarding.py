"""The derivative of a function that takes ``*args`` or ``**kwargs``: one for each way of calling it, as :mod:`.wrappers` finds them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import UnknownParameterError
from ..syntax.function import held, is_called, plain
from .parcels import parcel_of
from .sent import Parcel
from .wrappers import as_called, as_it_is, asked_of_call


class Forwarding:
    """What a transform makes of such a function: for each way of being called, ``make(function, wrt)`` of the function for it.

    ``extra``: so many arguments are given behind the function's own.
    """

    def __init__(self, function: Any, wrt: Any, make: Callable[[Any, Any], Any], extra: int = 0):
        self.callable = function
        self.function = plain(function)
        self.wrt = wrt
        self.make = make
        self.extra = extra
        self.held = 0 if is_called(function) else len(held(function)[0])
        self.made: dict[tuple[int, tuple[str, ...]], Any] = {}

    def at(self, count: int, keywords: tuple[str, ...]) -> Any:
        """What has been made for one way of being called: with ``count`` arguments by position, and these by keyword."""
        if (count, keywords) not in self.made:
            function = as_called(as_it_is(self.callable), count - self.extra, keywords)
            wrt = asked_of_call(self.callable, self.wrt, function, count - self.extra - self.held)
            self.made[count, keywords] = self.make(function, wrt)
        return self.made[count, keywords]

    def source(self) -> str:
        """The generated text of the last kind of call. Raises UnknownParameterError before the first."""
        if not self.made:
            raise UnknownParameterError(
                f"{self.function.__qualname__} takes any arguments, and its derivative has not been called yet", remedy="call it first",
            )
        text: str = self.made[next(reversed(self.made))].source
        return text

    def parcel(self) -> Parcel:
        """What is sent with it to another process."""
        return parcel_of(self)

    def file(self) -> str | None:
        """The file that this text is in."""
        return self.made[next(reversed(self.made))].file if self.made else None

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self.at(len(args), tuple(kwargs))(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<what is made of each call of {self.function.__qualname__} with respect to {self.wrt}>"
