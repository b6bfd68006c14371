"""Functions and classes in the lists and dicts that classes hold: what looks one up in such a table may call any of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..abstract import known_callables
from ..abstraction import abstract
from .callables import Same
from .words import DICTS


def tables_of(classes: Iterable[type], names: set[str], known: dict[tuple[type, str], tuple[Same, ...]]) -> list[Same]:
    """The functions and classes in the tables that classes hold under some names, if the tables are not ``known`` yet; then they are."""
    found: list[Same] = []
    for kind in classes:
        for name in sorted(names & vars(kind).keys()):
            if type(vars(kind)[name]) in (*DICTS, list, tuple) and (kind, name) not in known:
                known[kind, name] = held_by_table(vars(kind)[name])
                found += known[kind, name]
    return found


def held_by_table(value: Any) -> tuple[Same, ...]:
    """The functions and classes in a list, a tuple or a dict.

    >>> held_by_table({"exact": abs, "order": 2})
    (builtins.abs,)
    """
    return tuple(map(Same, known_callables(abstract(value, "table"))))


def called_by_table(read: Callable[[], Any]) -> Callable[[], tuple[Same, ...]]:
    """What gives the functions and classes in the table that ``read`` gives."""
    return lambda: held_by_table(read())
