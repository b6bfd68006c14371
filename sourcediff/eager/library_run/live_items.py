"""Items of recorded arrays: reading, storing, and asking whether a value is among them."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..engine.apply import raw, stacked, variables_in
from ..engine.nodes import VOLATILE, Node, tick
from ..engine.scopes import OFF
from ..engine.variable import Variable
from .live import INDEXING, Live
from .live_steps import number

ndarray, new = np.ndarray, object.__new__
usual_item, usual_store = Variable.__getitem__, Variable.__setitem__
BOUNDS = frozenset({int, type(None)})


def is_simple_operand(key: Any) -> bool:
    """Whether a key is made of plain integers and slices of these."""
    for part in key if type(key) is tuple else (key,):
        if type(part) is slice:
            if type(part.start) not in BOUNDS or type(part.stop) not in BOUNDS or type(part.step) not in BOUNDS:
                return False
        elif type(part) is not int:
            return False
    return True


def live_item(self: Live, key: Any) -> Any:
    """``x[key]``: an entry, or a view that follows the changes of the array."""
    x = self._value
    if type(x) is not ndarray or OFF or x.dtype.kind != "f" or not is_simple_operand(key):
        return usual_item(self, key)
    xn = self._node
    if xn is VOLATILE:
        return usual_item(self, key)
    z = x[key]
    if type(z) is not ndarray:
        return z if xn is None else number(INDEXING, z, (x, key), (xn,))
    node = None
    if xn is not None:
        node = new(Node)
        node.plan = INDEXING
        node.edges = (xn,)
        node.saved = INDEXING.save(z, x, key)
        node.seq = tick()
        node.kind = node.restore = None
    view = new(Live)
    view._value = z
    view._place = node
    view._parent = self
    view._how = (operator.getitem, (self, key), {})
    view._buffer = self._buffer
    view._seen = self._seen
    return view


def live_store(self: Live, key: Any, value: Any) -> None:
    """``x[key] = value``; nothing where that is the last step of ``x[key] op= y``, and the view has been changed already."""
    if not is_simple_operand(key):
        usual_store(self, key, value)
    elif type(value) is not Live or value._parent is not self or value._how is None or value._how[0] is not operator.getitem or (
        value._how[1][1] != key
    ):
        if OFF or not self._store_simply(key, value):
            self._store(key, value)


def contains(self: Live, value: Any) -> bool:
    """``value in x``."""
    return raw(stacked(value) if variables_in([value]) else value) in self._value
