"""Functions of ``heapq`` on a list without an order, written in Python: what the compiler reads where an entry carries a derivative.

The least item comes out whatever stands where, and of items that are equal any: nothing but that can be seen of a heap, as long as the list
is only asked for its first item, its length, and whether there is one.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any


def heapify(heap: list[Any]) -> None:
    """Nothing: the least item is looked for where one is taken."""


def heappush(heap: list[Any], item: Any) -> None:
    """Put an item into the list."""
    heap.append(item)


def heappop(heap: list[Any]) -> Any:
    """The least item, taken out of the list. Raises ValueError where there is none.

    >>> heap = [3.0, 1.0, 2.0]
    >>> heappop(heap), heap
    (1.0, [3.0, 2.0])
    """
    return heap.pop(heap.index(min(heap)))


def heappushpop(heap: list[Any], item: Any) -> Any:
    """The least of the items and another one, which is put into the list; it is taken out."""
    heap.append(item)
    return heap.pop(heap.index(min(heap)))


def heapreplace(heap: list[Any], item: Any) -> Any:
    """The least item, taken out of the list; another one is put into that."""
    found = heap.pop(heap.index(min(heap)))
    heap.append(item)
    return found


ON_HEAPS: dict[Any, Callable[..., Any]] = {
    heapq.heapify: heapify, heapq.heappush: heappush, heapq.heappop: heappop, heapq.heappushpop: heappushpop,
    heapq.heapreplace: heapreplace,
}
"""The functions that stand for those of the standard library."""
