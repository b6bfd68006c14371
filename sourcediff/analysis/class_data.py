"""What is known of the data that the user's classes hold."""

from __future__ import annotations

import abc
from typing import Any

import numpy as np

from ..runtime.arrays.library import is_plain_array
from ..runtime.user_objects import is_users
from .abstract import UNKNOWN, Abstract, without_lengths
from .abstraction import abstract


def is_row(part: Any) -> bool:
    """Whether a value is a tuple of numbers, which is watched as it is.

    >>> is_row((1.0, 0.0)), is_row([1.0, 0.0])
    (True, False)
    """
    return type(part) is tuple and all(type(number) in (int, float, bool) for number in part)


def class_data(owner: Any, name: str) -> Abstract:
    """What is known of a number, an array, or a tuple of numbers that a user's class holds under a name; ``captured.py`` watches over that
    much of it.
    """
    if type(owner) not in (type, abc.ABCMeta) or not is_users(owner):
        return UNKNOWN
    base = next((base for base in owner.__mro__ if name in vars(base)), object)
    part = vars(base).get(name)
    if not is_users(base) or not (type(part) in (int, float, bool) or isinstance(part, np.generic) or is_plain_array(part) or is_row(part)):
        return UNKNOWN
    return without_lengths(abstract(part, name)) or UNKNOWN
