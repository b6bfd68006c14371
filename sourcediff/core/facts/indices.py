"""Abstract values of what is indexed: a slice, an entry, a row."""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from ...analysis.abstract import ANY_KEY, OTHER, STATIC, UNKNOWN, Abstract, is_closed, item_of, joined, joined_all
from ...analysis.assumed_lengths import positive_parts
from ...analysis.lengths import NOT_ONE, Dim, Length, every, least, length_of, number_of, plus
from ...analysis.literals import constant, ends_of_text
from ...analysis.scope import MISSING
from ...runtime.arrays import flat_index
from ...syntax import nodes as n
from .evaluator import Evaluator


@cache
def signature(function: Any) -> inspect.Signature:
    """The parameters of a function. Raises ValueError for one that does not tell."""
    return inspect.signature(function)


MOST_DIMS = 64
"""How many dimensions an array of NumPy's may have, and so the lengths of a shape that ``(1,) * n`` writes."""


def longer(known: Abstract, item: Abstract) -> Abstract:
    """The abstract value of a list that was given one more item."""
    return Abstract("sequence", items=item if known.items == () else joined(item_of(known), item))


def list_of(node: n.BinOp, left: Abstract, right: Abstract) -> Abstract | None:
    """The abstract value of ``xs + ys`` and ``xs * n`` of lists; None of what is anything else."""
    if isinstance(node.op, n.Add) and STATIC in (left, right):  # None on a path on which nothing is added
        whole = right if left == STATIC else left
        return Abstract("sequence", items=item_of(whole)) if whole.kind == "sequence" else None
    if isinstance(node.op, n.Add) and left.kind == right.kind == "sequence":
        if type(left.items) is type(right.items) is tuple:
            return Abstract("sequence", items=left.items + right.items)
        return joined(Abstract("sequence", items=item_of(left)), Abstract("sequence", items=item_of(right)))
    if isinstance(node.op, n.Mult) and "sequence" in (left.kind, right.kind):
        parts, times = (left, right) if left.kind == "sequence" else (right, left)
        if times.kind == "python" and times.dtype == int:
            count = times.length if isinstance(node.left, n.Tuple) and type(times.length) is int else MOST_DIMS + 1
            if type(parts.items) is tuple and 0 <= count <= MOST_DIMS:
                return parts._replace(items=parts.items * count)
            return parts if parts.items == () else Abstract("sequence", items=item_of(parts))
    return None


def entries_between(value: Abstract, head: str, tail: str) -> tuple[Abstract, ...]:
    """The entries of a mapping whose keys may be a text with this beginning and this end; none if others may be, too."""
    known = dict(value.items or ())
    found = [part for key, part in known.items()
             if isinstance(key, str) and key.startswith(head) and key.endswith(tail) and len(key) >= max(len(head), len(tail))]
    return () if ANY_KEY in known else tuple(found)


def indexed(value: Abstract, index: n.expr, values: Evaluator, environment: Mapping[str, Abstract]) -> Abstract:
    """The abstract value of ``value[index]``."""
    if value.kind in ("sequence", "mapping"):
        key = constant(index)
        if isinstance(index, n.Slice):
            bounds = [constant(part, None) for part in (index.lower, index.upper, index.step)]
            known = type(value.items) is tuple and all(bound is None or type(bound) is int for bound in bounds)
            return Abstract("sequence", items=value.items[slice(*bounds)] if known else item_of(value))
        if key is MISSING and value.kind == "mapping" and is_closed(value) and (ends := ends_of_text(index)) != ("", ""):
            return joined_all(entries_between(value, *ends)) if entries_between(value, *ends) else item_of(value)
        return item_of(value, None if key is MISSING else key)
    if value.kind != "array":
        return UNKNOWN
    if isinstance(index, n.Call) and values.scope.resolve(index.func) in (np.unravel_index, flat_index):
        return Abstract("numpy", value.dtype) if index.args and values.of(index.args[0], environment).scalar else UNKNOWN
    whole = UNKNOWN if isinstance(index, (n.Tuple, n.List, n.Slice)) else values.of(index, environment)
    if whole.kind == "sequence" and whole.dtype == OTHER and len(whole.items) <= len(value.dims):  # np.ix_(…)
        return value._replace(dims=(None,) * len(whole.items) + value.dims[len(whole.items):])
    parts = list(index.elts) if isinstance(index, n.Tuple) else [index]
    if whole.kind == "sequence":
        return UNKNOWN  # a list takes entries, a tuple is an index for each axis: which of them it is, is not known
    consumed = [part for part in parts if not (_ellipsis(part) or _newaxis(part))]
    dims: list[Dim] = []
    source = list(value.dims)
    if len(consumed) > len(source):
        return UNKNOWN
    for part in parts:
        if _ellipsis(part):
            rest = len(consumed) - sum(1 for p in parts[: parts.index(part)] if p in consumed)
            keep = len(source) - rest
            dims += source[:keep]
            source = source[keep:]
        elif _newaxis(part):
            dims.append(1)
        elif isinstance(part, n.Slice):
            dims.append(sliced_dims(source.pop(0), part, values, environment))
        elif is_slice(part, values):
            dims.append(None)
            source.pop(0)
        else:
            kind = values.of(part, environment)
            if not (kind.scalar and kind.dtype is not None and kind.dtype.kind in "iu"):
                gathered = _positions(kind)
                others = [other for other in parts if other is not part]
                if gathered is None or not all(isinstance(other, n.Slice) for other in others):
                    return UNKNOWN  # several of them broadcast; a number beside one moves its axis
                taken = len(gathered.dims) if gathered.dtype.kind == "b" else 1
                dims += (None,) if gathered.dtype.kind == "b" else gathered.dims
                source = source[taken:]
                continue
            source.pop(0)
    dims += source
    if dims or any(map(_ellipsis, parts)):
        return Abstract("array", value.dtype, tuple(dims))
    return Abstract("numpy", value.dtype)


def is_slice(part: n.expr, values: Evaluator) -> bool:
    """Whether an index is a slice that has a name, or is made by a call."""
    made = values.scope.once.get(part.id, part) if isinstance(part, n.Name) else part
    return isinstance(made, n.Slice) or isinstance(made, n.Call) and values.scope.resolve(made.func) is builtins.slice


def joined_row(parts: list[n.expr], values: Evaluator, environment: Mapping[str, Abstract]) -> Abstract:
    """The abstract value of ``np.r_[…]`` of numbers and arrays."""
    known = [values.of(part, environment) for part in parts if not isinstance(part, n.Slice)]
    if not known or any(value.rank not in (0, 1) or value.dtype is None for value in known):
        return UNKNOWN
    total: Dim = 0 if len(known) == len(parts) else None
    for value in known:
        total = plus(total, number_of(value.dims[0]) if value.dims else 1)
    dtypes = {value.dtype for value in known}
    double = len(known) == len(parts) and dtypes <= {np.dtype(float), np.dtype(int)}
    return Abstract("array", np.result_type(*dtypes) if double else None, (length_of(total),))


def _positions(index: Abstract) -> Abstract | None:
    """An index that takes several entries: an array of ints or booleans, or a list of ints; None if it is neither."""
    if index.kind == "array" and index.dtype is not None and index.dtype.kind in "iub":
        return index
    items = index.items if index.kind == "sequence" else None
    if type(items) is tuple and all(item.kind == "python" and item.dtype == int for item in items):
        return Abstract("array", np.dtype(int), (len(items),))
    return None


def _ellipsis(part: n.expr) -> bool:
    return isinstance(part, n.Constant) and part.value is Ellipsis


def _newaxis(part: n.expr) -> bool:
    if isinstance(part, n.Constant):
        return part.value is None
    return isinstance(part, n.Attribute) and part.attr == "newaxis"


def sliced_dims(dim: Dim, part: n.Slice, values: Evaluator, environment: Mapping[str, Abstract]) -> Dim:
    """The length of a slice; None where it is not known how far its bounds are from an end."""
    lower, upper, step = (constant(bound, None) for bound in (part.lower, part.upper, part.step))
    if step is not None and not isinstance(step, int):
        return None
    if lower is upper is None:
        return every(dim, abs(step or 1))
    start = 0 if lower is None else values.of(part.lower, environment).length if lower is MISSING else lower
    stop = number_of(dim) if upper is None else values.of(part.upper, environment).length if upper is MISSING else upper
    asked = max(upper if isinstance(upper, int) else 0, -lower if isinstance(lower, int) else 0)
    if asked > least(dim):
        values.equal.ask(dim, asked)
    return None if dim is None or dim == NOT_ONE or step is not None and step < 1 else every(between(start, stop, dim, values), step or 1)


def between(start: Dim, stop: Dim, dim: Dim, values: Evaluator) -> Dim:
    """How many entries there are between two bounds."""
    if isinstance(dim, int) and isinstance(start, int) and isinstance(stop, int):
        return len(range(dim)[start:stop])
    left_out = from_end(stop, dim)
    if isinstance(start, int) and start >= 0 and left_out is not None:
        return length_of(plus(dim, start + left_out, -1))
    return length_of(plus(position(stop, dim, values), position(start, dim, values), -1))


def from_end(bound: Dim, dim: Dim) -> int | None:
    """How many entries an upper bound leaves out; None where that is not known."""
    if isinstance(bound, int):
        return -bound if bound < 0 else None
    for whole in (dim, number_of(dim)):
        rest = plus(whole, bound, -1)
        if isinstance(rest, int) and rest >= 0 and (rest <= 2 or least(bound) >= 0):  # one below 0 would count from the end
            return rest
    return None


def position(bound: Dim, dim: Dim, values: Evaluator) -> Dim:
    """The place among the entries that a bound stands for; None where it may be outside."""
    whole = number_of(dim)
    if isinstance(bound, int) and bound < 0:
        return plus(whole, bound) if is_at_most(-bound, whole, values) else None
    return bound if bound is not None and is_at_most(0, bound, values) and is_at_most(bound, whole, values) else None


def is_at_most(one: Dim, other: Dim, values: Evaluator) -> bool:
    """Whether an int is certainly no larger than another one, or taken for that; noted where it may be taken for it."""
    apart = plus(other, one, -1)
    if apart is None or isinstance(apart, int) or least(apart) >= 0:
        return apart is not None and least(apart) >= 0
    pair = positive_parts(apart)
    if pair is None or pair in values.scope.ordered:
        return pair is not None
    if isinstance(pair[0], Length) and isinstance(pair[1], Length):
        values.equal.ordered.add(pair)
    return False
