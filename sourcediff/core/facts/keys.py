"""What is known of the keys of a mapping."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...analysis.abstract import (
    FLOAT,
    INT,
    KEY,
    STATIC,
    Abstract,
)


def keys_of(value: Abstract) -> Abstract:
    """The abstract value of the keys of a mapping: ints, or tuples of such and of words, where all of them are known to be."""
    keys = [key for key, _ in value.items or ()]
    if value.length is not None and keys and all(type(key) is tuple and len(key) == len(keys[0]) for key in keys):
        return Abstract("sequence", items=tuple(kind_of_keys(column) for column in zip(*keys)))
    return kind_of_keys(keys)


def kind_of_keys(keys: Sequence[Any]) -> Abstract:
    """The abstract value of any of some keys."""
    kinds = set(map(type, keys)) or {str}
    return INT if kinds == {int} else FLOAT if kinds == {float} else STATIC if kinds <= {str, bytes, type(None)} else KEY
