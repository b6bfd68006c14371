"""Iterators of ``itertools``, written in Python: what the compiler reads where a function calls one."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ..library_functions import composite


def takewhile(predicate: Callable[[Any], Any], iterable: Iterable[Any]) -> Iterator[Any]:
    """The items before the first for which ``predicate`` is false.

    >>> list(takewhile(lambda year: year < 3, [1, 2, 3, 1]))
    [1, 2]
    """
    for item in iterable:
        if not predicate(item):
            break
        yield item


def starmap(function: Callable[..., Any], iterable: Iterable[Iterable[Any]]) -> Iterator[Any]:
    """What ``function`` gives for each item, its parts as arguments.

    >>> list(starmap(pow, [(2, 5), (3, 2)]))
    [32, 9]
    """
    for parts in iterable:
        yield function(*parts)


def groups(iterable: Iterable[Any], key: Callable[[Any], Any]) -> Iterator[tuple[Any, list[Any]]]:
    """What ``itertools.groupby`` gives, the groups as lists: items that stand side by side and have the same key.

    >>> list(groups([1, 3, 2, 5], lambda number: number % 2))
    [(1, [1, 3]), (0, [2]), (1, [5])]
    """
    items = list(iterable)
    keys = [key(item) for item in items]
    begins = [k for k in range(len(keys)) if k == 0 or keys[k] != keys[k - 1]]
    for begin, end in zip(begins, [*begins[1:], len(keys)]):
        yield keys[begin], items[begin:end]


@composite(np.fromiter)
def fromiter(iter: Iterable[Any], dtype: Any, count: int = -1) -> Any:
    """An array of the first ``count`` items, of all of them without it: nothing more is asked for.

    >>> fromiter(itertools.count(2.0), float, 3)
    array([2., 3., 4.])
    """
    items = []
    if count < 0:
        for item in iter:
            items.append(item)
    else:
        for _, item in zip(range(count), iter):
            items.append(item)
    return np.array(items, dtype)


IN_PYTHON: dict[Any, Callable[..., Any]] = {itertools.takewhile: takewhile, itertools.starmap: starmap, np.fromiter: fromiter}
"""The functions that stand for those of the standard library."""
