"""Words in what a function reads from outside: in containers, and in the objects in them. Where they are others, so is the text."""

from __future__ import annotations

import collections
import enum
import re
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ...runtime.arrays.library import is_plain_array
from ...runtime.user_objects import is_users

WORDS = (str, bytes, bool, type(None), np.dtype, re.Pattern)
"""Data of which the compiler reads what they are, as options: where they are others, so is the text."""


DICTS = (dict, collections.OrderedDict, types.MappingProxyType)
"""Dicts that may be read from outside."""

MANY = 64
"""The number of entries from which on the words in a container are not looked at."""


WITHIN = 2
"""How deep objects in a container are looked into for words."""


def wording(value: Any) -> tuple[Any, ...] | None:
    """The words in a list, tuple or dict and in the objects in it, where they stand, and the types of what else is there; None where what
    is known of it without looking at words says as much, or it is long.

    >>> wording({"names": ["a", "b"], "rate": 2.0})
    ('dict', 'names', ('list', 'a', 'b'), 'rate', <class 'float'>)
    >>> wording([1.0, 2.0])
    """
    found = parts_worded(value) if type(value) in (*DICTS, list, tuple) else None
    return found if type(found) is tuple and holds_words(found) else None


def parts_worded(value: Any, depth: int = WITHIN) -> Any:
    """The same, whether there are words or not."""
    kind = type(value)
    if kind is list or kind is tuple:
        return kind if len(value) > MANY else (kind.__name__, *(parts_worded(part, depth) for part in value))
    if isinstance(value, (*WORDS, enum.Enum)):
        return value
    named = attributes_worded(value, depth) if kind not in DICTS else value
    if named is None or len(named) > MANY:
        return kind
    depth -= kind not in DICTS
    return ("dict" if kind in DICTS else "object", *(part for key, held in named.items() for part in (key, parts_worded(held, depth))))


def attributes_worded(value: Any, depth: int = WITHIN) -> dict[str, Any] | None:
    """The attributes of an object of the user's that is looked into for words, the fields of a named tuple; None of anything else."""
    if depth > 0 and isinstance(value, tuple) and is_users(type(value)) and hasattr(value, "_fields"):
        return dict(zip(value._fields, value))
    return vars(value) if depth > 0 and is_users(type(value)) and hasattr(value, "__dict__") and not isinstance(value, enum.Enum) else None


def holds_words(parts: tuple[Any, ...]) -> bool:
    """Whether there is a word among the entries of a container, a container without entries, or one in a list."""
    words = (*WORDS, enum.Enum)
    if parts[0] == "object" or parts[0] == "dict" and len(parts) > 1:
        return any(isinstance(part, words) or type(part) is tuple and holds_words(part) for part in parts[2::2])
    return len(parts) == 1 or any(
        isinstance(part, words) or type(part) is tuple and (part[:1] != ("object",) or holds_words(part)) for part in parts[1:])


def is_telling(value: Any) -> bool:
    """Whether there is a word in a container or in its rows, or anything else than rows, numbers and arrays.

    >>> is_telling([(1.0, 2.0), (3.0, 4.0)]), is_telling([("a", 2.0)])
    (False, True)
    """
    if type(value) in (list, tuple):
        return any(map(is_telling, value))
    return isinstance(value, WORDS) or not (isinstance(value, (int, float, complex, np.generic)) or is_plain_array(value))


def worded(read: Callable[[], Any]) -> Callable[[], Any]:
    """What gives the words in what ``read`` gives."""
    return lambda: wording(read())
