"""Variables that are views of others: what they are views of, so that a change through the one is seen through the other.

A view keeps its *base*, the Variable that it was taken of, and the index (where it was one). After a change through the base, or
through another view of it, the view is taken again; a change through the view is a store into the base, and into the base's base.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from ...errors import InPlaceError
from ...rules.facts import having
from ...rules.frames import rule_for
from ...runtime.arrays import is_array
from .mutation import REWRITTEN, changed_since
from .nodes import VOLATILE
from .regions import entries_within, owner_of
from .scopes import OFF, is_grad_enabled

BY_ENTRIES = object()
"""Stands for the index of a view that was not made by indexing: which entries it has is read from the memory."""

DETACHED: tuple[Any, Any] = (None, None)
"""The base of a Variable that stands for the numbers in its memory as constants, whatever was recorded of them."""

VIEWS = {rule.name for function in having("view", "may share") if (rule := rule_for(function))} | {"np.positive", "pick", "collect"}
"""The names of what gives, or may give, other views of the same entries."""


def lineage(variable: Any) -> Iterator[Any]:
    """What the Variable is a view of, what that is a view of …, the nearest first. (There may be very many.)"""
    base = getattr(variable, "_base", None)
    while base is not None and base is not DETACHED:
        yield base[0]
        base = getattr(base[0], "_base", None)


def link(variable: Any, candidates: Iterable[Any], function: Any, args: tuple[Any, ...]) -> None:
    """Note what the result of a function is a view of, if it shares its memory with one of the ``candidates``."""
    owner = owner_of(variable._value)
    rule = rule_for(function)
    if rule is None or rule.name not in VIEWS:
        return
    for candidate in candidates:
        if is_array(candidate._value) and owner_of(candidate._value) is owner:
            recording = not OFF or is_grad_enabled()
            variable._base = (candidate, args[1] if function is operator.getitem else BY_ENTRIES) if recording else DETACHED
            return


def refresh(variable: Any) -> None:
    """Bring the place of a Variable in the graph up to date, where its memory was changed through another Variable.

    Raises InPlaceError where that cannot be done: the two are not known to be views of one another.
    """
    stale = []
    for view in chain((variable,), lineage(variable)):
        if not is_stale(view):
            break
        stale.append(view)
    for view in reversed(stale):
        _take_again(view)


def is_stale(variable: Any) -> bool:
    """Whether the graph of a Variable stands for entries that were changed since."""
    return _change_of(variable) is not None


def _change_of(variable: Any) -> Any:
    data = variable._value
    node = variable._node
    if not is_array(data) or node is VOLATILE or node is None and getattr(variable, "_base", None) is DETACHED:
        return None
    return changed_since(data, 0 if node is None else node.seq, REWRITTEN)


def _take_again(view: Any) -> None:
    parent, index = getattr(view, "_base", None) or DETACHED
    if index is BY_ENTRIES:
        index = entries_within(view._value, parent._value)
        if index is None:
            parent = None
    if parent is None:
        change = _change_of(view)
        operation = "an in-place operation" if change is None else f"the in-place operation {change.operation}"
        raise InPlaceError(
            f"this Variable shares memory with one that was changed by {operation}",
            why="its values have changed, but its graph still stands for the old ones",
            remedy="take the view again after the change, change a copy (x.clone()), or read the numbers as constants (x.detach())",
        )
    view._take_from(parent, index)
