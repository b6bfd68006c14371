"""What is known of each name at one moment. Moments that follow one another share most of it, so each holds what is new alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from .abstract import Abstract

MOST = 64
"""Entries of its own from which on an environment passes them on as a layer to share: copies stay short, and layers few."""


class Environment(dict[str, Abstract]):
    """A dict of what is known of names: entries of its own, and under them layers that it shares with others, which do not change.

    >>> from .abstract import FLOAT, INT
    >>> before = Environment({"x": FLOAT})
    >>> after = extended(before, {"n": INT})
    >>> list(after), "n" in before, after["x"] is before["x"], after == {"x": FLOAT, "n": INT}
    (['x', 'n'], False, True, True)
    """

    __slots__ = ("below",)

    def __init__(self, own: Mapping[str, Abstract] | Iterable[tuple[str, Abstract]] = (), below: tuple[Mapping[str, Abstract], ...] = ()):
        super().__init__(own)
        self.below = below

    def __missing__(self, name: str) -> Abstract:
        for layer in self.below:
            if name in layer:
                return layer[name]
        raise KeyError(name)

    def get(self, name: str, default: Any = None) -> Any:
        """What is known of a name, ``default`` where nothing is."""
        found = dict.get(self, name)
        if found is not None:
            return found
        for layer in self.below:
            if (found := layer.get(name)) is not None:
                return found
        return default

    def __contains__(self, name: object) -> bool:
        if dict.__contains__(self, name):
            return True
        for layer in self.below:
            if name in layer:
                return True
        return False

    def __iter__(self) -> Iterator[str]:
        return iter(self.flat())

    def __len__(self) -> int:
        return len(self.flat())

    def keys(self) -> Any:
        """The names."""
        return self.flat().keys()

    def items(self) -> Any:
        """The names, and what is known of them."""
        return self.flat().items()

    def values(self) -> Any:
        """What is known of the names."""
        return self.flat().values()

    def __eq__(self, other: object) -> bool:
        return self.flat() == (other.flat() if isinstance(other, Environment) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]

    def own(self) -> dict[str, Abstract]:
        """The entries of its own."""
        return dict(dict.items(self))

    def flat(self) -> dict[str, Abstract]:
        """All of it as a plain dict."""
        found: dict[str, Abstract] = {}
        for layer in reversed(self.below):
            found.update(layer)
        found.update(super().items())
        return found


def extended(environment: Mapping[str, Abstract], more: Mapping[str, Abstract] | None = None) -> Environment:
    """An environment like another one, with some names more; the other one stays as it is, and is not to be changed any more."""
    if not isinstance(environment, Environment):
        made = Environment(below=(environment,))
    elif dict.__len__(environment) <= MOST:
        made = Environment(environment.own(), environment.below)
    else:
        made = Environment(below=(environment.flat(),))
    if more:
        made.update(more)
    return made


def under(environment: Mapping[str, Abstract], first: Mapping[str, Abstract]) -> Environment:
    """An environment in which ``first`` says what names mean that it knows, and ``environment`` the rest."""
    below = (environment.own(), *environment.below) if isinstance(environment, Environment) else (environment,)
    return Environment(below=(first, *below))


def joined_environments(
    a: Mapping[str, Abstract], b: Mapping[str, Abstract], join: Callable[[str, Abstract, Abstract], Abstract],
) -> Environment:
    """What is known of each name where two paths meet. Of a name that one path did not bind: what the other knows."""
    if (
        isinstance(a, Environment) and isinstance(b, Environment)
        and len(a.below) == len(b.below) and all(map(same_state, a.below, b.below))
    ):
        met = Environment({**a.own(), **b.own()}, a.below)
        names: Iterable[str] = met.own()
    else:
        met, names = Environment({**dict(a.items()), **dict(b.items())}), b
    for name in names:
        one, other = a.get(name), b.get(name)
        if one is not None and other is not None:
            dict.__setitem__(met, name, other if one is other else join(name, one, other))
    return met


def same_state(one: Any, other: Any) -> bool:
    """Whether two layers are one."""
    return one is other


def everything(environments: Iterable[Mapping[str, Abstract]]) -> Iterator[tuple[str, Abstract]]:
    """All that is known of names in some of the environments, a layer that several share once."""
    seen: set[int] = set()
    for environment in environments:
        layers = (environment.own(), *environment.below) if isinstance(environment, Environment) else (environment,)
        for position, layer in enumerate(layers):
            if position == 0 and isinstance(environment, Environment) or id(layer) not in seen:
                seen.add(id(layer))
                yield from layer.items()
