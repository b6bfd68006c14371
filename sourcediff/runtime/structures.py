"""Adjoints of whole structures: lists, tuples and dicts of arrays and numbers. Helpers that generated code may call.

The adjoint of a structure mirrors it, with lists for tuples (so that entries can be added to); ``like`` gives it back its types.
"""

from __future__ import annotations

import collections
import copy
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ..errors import NonDifferentiableError
from .arrays import on_device, sum_to

NUMBERS = frozenset({int, float, bool, np.float64, np.float32, np.int64, np.bool_})
"""The types of numbers that are met most."""


def zeros_like(x: Any) -> Any:
    """A zero adjoint for ``x``: an array of zeros, ``0.0``, or a list or dict of these.

    >>> zeros_like({"w": np.ones(2), "b": 1.0})
    {'w': array([0., 0.]), 'b': 0.0}
    """
    if type(x) in NUMBERS:
        return 0.0
    if isinstance(x, np.ndarray):
        return np.zeros_like(x) if x.dtype.kind in "fc" else np.zeros(x.shape)
    if isinstance(x, dict):
        return {key: zeros_like(value) for key, value in x.items()}
    if isinstance(x, (list, tuple)):
        return [zeros_like(value) for value in x]
    return 0.0


def added(a: Any, b: Any) -> Any:
    """The sum of two adjoints of one structure, entry by entry; neither is changed. Of a list that was taken as an array it may be one.

    >>> added([1.0, np.ones(2)], [2.0, np.ones(2)])
    [3.0, array([2., 2.])]
    >>> added(np.ones((2, 1)), [np.ones(1), np.ones(1)])
    [array([2.]), array([2.])]
    """
    if type(a) in NUMBERS and type(b) in NUMBERS or type(a) is type(b) is np.ndarray:
        return a + b
    if isinstance(a, dict):
        return {key: added(value, b[key]) if key in b else value for key, value in a.items()}
    if isinstance(a, (list, tuple)) or np.ndim(a) and isinstance(b, (list, tuple)):
        return [added(x, y) for x, y in zip(a, b)]
    return copied(b) if isinstance(b, (dict, list, tuple)) else a + b  # a number for a structure is its zero


def added_at(x_bar: Any, index: Any, g: Any) -> Any:
    """``x_bar`` with ``g`` added to its entry (or entries, each as often as the index names it), in place.

    >>> added_at(np.zeros(3), [0, 0, 2], np.ones(3))
    array([2., 0., 1.])
    """
    if isinstance(x_bar, np.ndarray):
        np.add.at(x_bar, index, g if x_bar.dtype.kind == "c" else real_part(g))
    elif isinstance(x_bar, (float, np.generic)):  # all of a number: x[()], x[None]
        return x_bar + np.sum(g)
    else:
        x_bar[index] = added_in_kind(x_bar[index], g)
    return x_bar


def added_in_kind(entry: Any, g: Any) -> Any:
    """The sum of an entry and of ``g``, of which a real number or array takes the real part alone.

    >>> added_in_kind(1.0, 2 + 1j), added_in_kind(1j, 2 + 1j)
    (3.0, (2+2j))
    """
    is_real = isinstance(entry, (np.ndarray, float, np.floating)) and not np.iscomplexobj(entry)
    return added(entry, real_part(g) if is_real else g)


def with_added(x_bar: Any, index: Any, part: Any) -> Any:
    """The same as another structure, ``x_bar`` not changed: what stands for ``added_at`` where that is differentiated in turn.

    >>> with_added({"w": 1.0, "b": 2.0}, "b", 3.0)
    {'w': 1.0, 'b': 5.0}
    """
    if isinstance(x_bar, np.ndarray):
        return added_at(x_bar.copy(), index, part)
    if isinstance(x_bar, (float, np.generic)):
        return x_bar + np.sum(part)
    found = dict(x_bar) if isinstance(x_bar, dict) else list(x_bar)
    found[index] = added_in_kind(found[index], part)
    return found


def with_entry(x_bar: Any, index: Any, entry: Any) -> Any:
    """The same as another structure with another entry, ``x_bar`` not changed.

    >>> with_entry([1.0, 2.0], 0, 3.0)
    [3.0, 2.0]
    """
    found = x_bar.copy()
    found[index] = entry
    return found


def copied(x: Any, alike: bool = False) -> Any:
    """A copy of an array or of a structure of arrays; what is none of these is itself, and so is a tuple that is more than its entries.

    ``alike``: the copies lie in memory as the arrays do.

    >>> copied([np.ones(1), 2.0])
    [array([1.]), 2.0]
    """
    if type(x) in NUMBERS:
        return x
    if type(x) is np.ndarray:
        return laid_out_alike(x) if alike else x.copy()
    if isinstance(x, dict):
        return {key: copied(value, alike) for key, value in x.items()}
    if isinstance(x, list):
        return [copied(value, alike) for value in x]
    if isinstance(x, tuple):
        return x if hasattr(x, "more") else tuple.__new__(type(x), [copied(value, alike) for value in x])
    if alike and isinstance(x, np.ndarray):
        return laid_out_alike(x)
    return x.copy() if isinstance(x, (np.ndarray, set)) or on_device(x) else x


class RecordedItems(list[Any]):
    """The items that a loop has taken of an iterable, which is gone over once, as far as the loop goes."""

    def __init__(self, iterable: Any):
        super().__init__()
        self.left = iter(iterable)
        self.begun = False

    def __iter__(self) -> Iterator[Any]:
        return super().__iter__() if self.begun else self.taken()

    def __reversed__(self) -> Iterator[Any]:
        """From the last item back; all of them, where no loop has asked for any."""
        for _ in self.taken() if not self.begun else ():
            pass
        return super().__reversed__()

    def taken(self) -> Iterator[Any]:
        """The items, each of them noted when it is asked for."""
        self.begun = True
        for item in self.left:
            self.append(item)
            yield item


def recorded(iterable: Any) -> Any:
    """The items of an iterable that may be gone over only once, for a loop and, backwards, for its reverse sweep.

    >>> items = recorded(iter("abcd"))
    >>> for item in items:
    ...     if item == "c":
    ...         break
    >>> list(reversed(items)), next(items.left)
    (['c', 'b', 'a'], 'd')
    """
    return RecordedItems(iterable)


def laid_out_alike(x: Any) -> Any:
    """A copy of an array that lies in memory as it does: whether ``x.ravel()`` is a view is for the copy as for the array.

    >>> laid_out_alike(np.ones((4, 4))[::2, ::-1]).strides
    (64, -8)
    """
    if x.flags.c_contiguous:
        return x.copy()
    if x.flags.forc or 0 in (*x.shape, *x.strides) or x.dtype.hasobject:
        return x.copy(order="K")
    reach = [(n - 1) * stride for n, stride in zip(x.shape, x.strides)]
    before = -sum(part for part in reach if part < 0)
    memory = np.empty(before + sum(part for part in reach if part > 0) + x.itemsize, np.uint8)
    made = np.ndarray(x.shape, x.dtype, memory, before, x.strides)
    made[...] = x
    return made


def own(x_bar: Any, x: Any) -> Any:
    """A copy of the adjoint of ``x`` that may be changed in place as ``x`` may: arithmetic on 0-d arrays has made numbers of it.

    >>> own(np.float64(1.0), np.array(2.0))
    array(1.)
    """
    return np.array(x_bar, dtype=np.result_type(x_bar, x)) if isinstance(x, np.ndarray) else copied(x_bar)


def real_part(x_bar: Any) -> Any:
    """The adjoint of something real, of which the imaginary part means nothing.

    >>> real_part([1j, 2.0])
    [0.0, 2.0]
    """
    if isinstance(x_bar, dict):
        return {key: real_part(value) for key, value in x_bar.items()}
    if isinstance(x_bar, list):
        return [real_part(value) for value in x_bar]
    return np.real(x_bar) if np.iscomplexobj(x_bar) else x_bar


def like(x_bar: Any, x: Any) -> Any:
    """A finished adjoint in the structure, shape and dtype of its variable: writable, and shared with nothing. What is no float in a
    structure has None.

    >>> like([0.5, [np.ones(2)]], (1.0, [np.zeros(2, np.float32)]))
    (0.5, [array([1., 1.], dtype=float32)])
    >>> like({"rate": 0.5, "name": 0.0}, {"rate": 2.0, "name": "decay"})
    {'rate': 0.5, 'name': None}
    """
    if type(x) is np.ndarray and type(x_bar) is np.ndarray and x.shape == x_bar.shape and x.dtype == x_bar.dtype and x.dtype.kind == "f":
        return x_bar.copy()
    if isinstance(x, dict):
        return filled(x, {key: None if has_no_gradient(value) else like(x_bar[key], value) for key, value in x.items()})
    if isinstance(x, (list, tuple)):
        return refilled(x, [None if has_no_gradient(value) else like(part, value) for part, value in zip(x_bar, x)])
    if np.iscomplexobj(x_bar):
        raise NonDifferentiableError("a complex value is on the way to the output", why="the rules take real numbers",
                                     remedy="compute with the real and the imaginary part", at_run_time=True)
    if isinstance(x, np.ndarray):
        return np.array(np.broadcast_to(x_bar, x.shape), dtype=x.dtype if x.dtype.kind == "f" else float)
    if isinstance(x, np.generic):
        return x.dtype.type(x_bar)
    return float(x_bar)


def has_no_gradient(value: Any) -> bool:
    """Whether a part of a structure has no gradient: an int, a test, a word or None, or an array of them."""
    return value is None or isinstance(value, (str, int)) or getattr(getattr(value, "dtype", None), "kind", "f") not in "fcO"


def filled(x: dict[Any, Any], entries: dict[Any, Any]) -> dict[Any, Any]:
    """A dict of the kind of ``x`` (a defaultdict with its default) that holds these entries.

    >>> filled(collections.Counter(a=2), {"a": 0.5})
    Counter({'a': 0.5})
    """
    if type(x) is dict:
        return entries
    made = copy.copy(x)
    made.clear()
    for key, value in entries.items():
        made[key] = value
    return made


def refilled(x: Any, parts: Iterable[Any]) -> Any:
    """A list or tuple of the kind of ``x`` (a named tuple with its names) that holds these parts.

    >>> refilled((1.0, 2.0), [0.5, 3.0])
    (0.5, 3.0)
    """
    return tuple.__new__(type(x), parts) if hasattr(x, "_fields") else type(x)(parts)


def matched(g_of: Any, x: Any) -> Any:
    """The adjoint of ``like``: what was broadcast is summed to the shape of ``x``, in lists for tuples.

    >>> matched((1.0, np.ones(2)), [0.0, 0.5])
    [1.0, np.float64(2.0)]
    """
    if isinstance(x, dict):
        return {key: matched(g_of[key], value) for key, value in x.items()}
    if isinstance(x, (list, tuple)):
        return [matched(g, value) for g, value in zip(g_of, x)]
    return sum_to(np.asarray(g_of) if isinstance(g_of, (list, tuple)) else g_of, np.shape(x))


def complex_like(z_bar: Any, z: Any) -> Any:
    """A finished adjoint of a complex array or number, in its shape and dtype: writable, and shared with nothing.

    >>> complex_like(1.0, np.zeros(2, complex))
    array([1.+0.j, 1.+0.j])
    """
    found = np.array(np.broadcast_to(z_bar, np.shape(z)), dtype=np.result_type(z))
    return found if isinstance(z, np.ndarray) else found[()]


def tangent_like(x_dot: Any, x: Any) -> Any:
    """A finished tangent in the structure, shape and dtype of its value; None stands for zero, and is the tangent of what is no float.

    >>> tangent_like([0.5, None, 0.0], (1.0, np.zeros(2, np.float32), 7))
    (0.5, array([0., 0.], dtype=float32), None)
    """
    if isinstance(x, dict):
        return filled(x, {key: tangent_like(None if x_dot is None else x_dot[key], value) for key, value in x.items()})
    if isinstance(x, (list, tuple)):
        parts = map(tangent_like, [None] * len(x) if x_dot is None else x_dot, x)
        return refilled(x, parts)
    if isinstance(x, float) and not isinstance(x, np.generic) or getattr(x, "dtype", np.dtype(bool)).kind in "fc":
        return like(0.0 if x_dot is None else x_dot, x)
    return None


def spread(x_dot: Any, x: Any) -> Any:
    """A tangent in the shape of its value, which may have been broadcast; of a structure entry by entry.

    >>> spread(1.0, np.zeros(2)), spread(1.0, 3.0)
    (array([1., 1.]), 1.0)
    """
    if isinstance(x, dict):
        return {key: spread(x_dot[key], value) for key, value in x.items()}
    if isinstance(x, (list, tuple)):
        return refilled(x, map(spread, x_dot, x))
    return np.full_like(x, x_dot) if isinstance(x, np.ndarray) and np.shape(x_dot) != x.shape else x_dot


def updated(x_dot: Any, value: Any) -> Any:
    """The tangent after ``x op= v``: a number's is another one, an array's is changed in place.

    >>> updated(np.zeros(2), 1.0), updated(0.0, 1.0)
    (array([1., 1.]), 1.0)
    """
    if not isinstance(x_dot, np.ndarray):
        return value
    x_dot[...] = value
    return x_dot


def order(keys: Any, reverse: bool = False) -> list[int]:
    """The places of keys in their order, in which equal ones stay as they are.

    >>> order([0.3, 0.1, 0.3], True)
    [0, 2, 1]
    """
    if isinstance(keys, np.ndarray):  # tuples that a cross-check has made an array of
        keys = keys.tolist()
    return sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)


def place_of(extreme: Any, keys: Any) -> int:
    """The place of the first of the largest (``max``) or the smallest (``min``) keys.

    >>> place_of(max, [0.3, 0.1, 0.3])
    0
    """
    return int(extreme(range(len(keys)), key=keys.__getitem__))


def longest_of(maxlen: int | None) -> int:
    """The most items that a deque of this ``maxlen`` holds. Raises what ``deque`` raises.

    >>> longest_of(3)
    3
    """
    found = collections.deque(maxlen=maxlen).maxlen
    return 2 ** 63 if found is None else found
