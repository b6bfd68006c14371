"""Python's deque, written in Python: what the compiler reads where a function makes one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any


class Deque:
    """A list with a front, and with room for ``maxlen`` items.

    >>> last = Deque([1.0, 2.0], maxlen=2)
    >>> last.append(3.0)
    >>> list(last), last.maxlen
    ([2.0, 3.0], 2)
    """

    def __init__(self, iterable: Iterable[Any] = (), maxlen: int | None = None):
        self.queue = list(iterable)
        self.maxlen = maxlen
        if maxlen is not None and len(self.queue) > maxlen:
            self.queue = self.queue[len(self.queue) - maxlen:]

    def append(self, item: Any) -> None:
        self.queue.append(item)
        if self.maxlen is not None and len(self.queue) > self.maxlen:
            self.queue.pop(0)

    def appendleft(self, item: Any) -> None:
        self.queue.insert(0, item)
        if self.maxlen is not None and len(self.queue) > self.maxlen:
            self.queue.pop()

    def extend(self, iterable: Iterable[Any]) -> None:
        for item in iterable:
            self.append(item)

    def extendleft(self, iterable: Iterable[Any]) -> None:
        for item in iterable:
            self.appendleft(item)

    def pop(self) -> Any:
        return self.queue.pop()

    def popleft(self) -> Any:
        return self.queue.pop(0)

    def clear(self) -> None:
        self.queue.clear()

    def copy(self) -> Deque:
        return Deque(self.queue, self.maxlen)

    def rotate(self, n: int = 1) -> None:
        for _ in range(n if n > 0 else -n):
            if n > 0:
                self.queue.insert(0, self.queue.pop())
            else:
                self.queue.append(self.queue.pop(0))

    def __len__(self) -> int:
        return len(self.queue)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.queue)

    def __getitem__(self, place: int) -> Any:
        return self.queue[place]

    def __setitem__(self, place: int, item: Any) -> None:
        self.queue[place] = item

    def __contains__(self, item: Any) -> bool:
        return item in self.queue
