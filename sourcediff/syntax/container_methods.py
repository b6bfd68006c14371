"""What the methods of lists, dicts, sets, deques and arrays do to what they are called on: the one table of it."""

from __future__ import annotations

import functools

MUTATING: dict[str, frozenset[str]] = {kind: frozenset(names.split()) for kind, names in {
    "list": "append clear extend insert pop remove reverse sort",
    "dict": "clear pop popitem setdefault update",
    "set": "add clear difference_update discard intersection_update pop remove symmetric_difference_update update",
    "deque": "append appendleft clear extend extendleft insert pop popleft remove reverse rotate",
    "array": "byteswap fill itemset partition put resize setfield setflags sort",
}.items()}
"""Kind → the methods after which it has, or may have, other entries."""

RESULT_MATTERS = frozenset("pop popitem popleft setdefault".split())
"""Those that also give what programs use; the others are statements."""

GROWING = frozenset("append insert".split())
"""Those that put one item into a list."""

RESIZING = MUTATING["list"] - {"reverse", "sort"}
"""Those after which a list has another length."""

WRITING_FILES = frozenset("dump tofile".split())
"""Methods of arrays that change the world."""


@functools.cache
def mutating(*kinds: str) -> frozenset[str]:
    """The methods that change what they are called on, if that is of one of some kinds; of any kind, if none is named.

    >>> sorted(mutating("dict"))
    ['clear', 'pop', 'popitem', 'setdefault', 'update']
    """
    return frozenset().union(*(MUTATING[kind] for kind in kinds or MUTATING))


def kinds_with(method: str) -> tuple[str, ...]:
    """The kinds of container that a method changes.

    >>> kinds_with("popleft"), kinds_with("update"), kinds_with("copy")
    (('deque',), ('dict', 'set'), ())
    """
    return tuple(kind for kind, names in MUTATING.items() if method in names)
