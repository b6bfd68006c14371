"""Changing a Variable in place: ``x += y``, ``x[i] = y``, ``x.mul_(y)``. Right, or refused with the operation and the remedy."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import InPlaceError, NonDifferentiableError
from ...rules.frames import rule_for
from ...runtime import arrays
from ...runtime.arrays import is_array, is_foreign, on_device
from ...runtime.checks import check_floating, check_overlap
from ..library_run.watch import refused
from ..numpy_api.indexing import GETITEM, index_of, is_basic
from .apply import apply, node_for, raw, variables_in
from .hooks import Keep, retain_grad
from .mutation import REWRITTEN, note_change, owner_of
from .nodes import VOLATILE, Leaf, Node, Recorded, tick
from .operators import BINARY
from .regions import entries_within, same_memory
from .scopes import OFF, is_grad_enabled
from .variable import Variable, settle
from .views import BY_ENTRIES, DETACHED, VIEWS, lineage, refresh

STORE = rule_for(arrays.store)
SYMBOLS = {"add": "+=", "sub": "-=", "mul": "*=", "truediv": "/=", "pow": "**=", "matmul": "@=", "mod": "%=", "floordiv": "//="}


def overwrite(variable: Variable, result: Any, operation: str) -> Variable:
    """Make ``result`` (a Variable, array or number, broadcast) the value of ``variable``, in its own memory."""
    data = variable._value
    if not is_array(data):
        raise InPlaceError(
            f"{operation} on a number, which cannot be changed in place", why="numbers are immutable",
            remedy="assign the result: x = x + y",
        )
    value = raw(result)
    shape = np.broadcast_shapes(np.shape(value), data.shape)
    if shape != data.shape:
        raise ValueError(f"a result of shape {np.shape(value)} does not fit in place into a Variable of shape {data.shape}")
    node = getattr(result, "_node", None)
    if _active(result):
        if np.shape(value) != data.shape:
            node = apply(rule_for(np.broadcast_to), (result, data.shape), {})._node
        _keep_own_inputs(node, data)
    change(variable, node, operation, lambda: np.copyto(data, value, casting="same_kind"))
    return variable


def store(variable: Variable, key: Any, value: Any) -> None:
    """``variable[key] = value``."""
    data = variable._value
    if not is_array(data):
        raise TypeError("an entry of a number cannot be assigned")
    if isinstance(value, Recorded) and _completes(variable, key, value):
        return
    if isinstance(value, (list, tuple)) and variables_in(value):
        raise NonDifferentiableError(
            "a list of Variables cannot be stored", why="the store would lose their gradients", remedy="store np.stack(list)",
        )
    if _active(value):
        check_floating(data)
    if REWRITTEN and (not OFF or is_grad_enabled()):
        for part in (variable, value):
            if isinstance(part, Recorded):
                refresh(part)
    node = VOLATILE if getattr(value, "_node", None) is VOLATILE else stored_node(variable, key, value)

    def write() -> None:
        if isinstance(value, Recorded) and is_basic(key):
            check_overlap(data[key], value._value)
        data[key] = apart(raw(value), data)

    change(variable, node, "x[…] = y", write, entries(data, key))


def apart(value: Any, data: Any) -> Any:
    """What is stored into an array: a copy, if it shares memory with that on a device, which copies in any order."""
    return value.copy() if on_device(value) and np.may_share_memory(value, data) else value


def entries(data: Any, key: Any) -> Any:
    """The view of the entries that a store at ``key`` changes; all of them where that is not a view."""
    if not is_basic(key):
        return data
    parts = key if isinstance(key, tuple) else (key,)
    return data[parts if any(part is Ellipsis for part in parts) else (*parts, ...)]  # with an Ellipsis a single entry is a view too


def stored_node(variable: Any, key: Any, value: Any) -> Node | None:
    """The node of ``variable`` after ``variable[key] = value``; None where neither of the two is active."""
    if not _active(variable) and not _active(value):
        return None
    assert STORE is not None
    if is_foreign(variable._value) and not is_basic(key):
        _refuse_repeated(variable._value, key)
    return node_for(STORE, (variable, key, value), variable._value)


def _refuse_repeated(data: Any, key: Any) -> None:
    """Raise InPlaceError for an index that names an entry of another library's array twice."""
    numbers = np.reshape(np.arange(data.size, like=data), data.shape)[key]
    if int(np.unique(numbers).size) != numbers.size:
        raise refused(InPlaceError(
            "values are stored at an index that names an entry twice, on a device",
            why="the stores have no order there, so which of the values stays is not known",
            remedy="name each entry once, or compute on NumPy arrays: variable.cpu()",
        ))


def _active(value: Any) -> bool:
    node = getattr(value, "_node", None)
    return node is not None and node is not VOLATILE


def change(variable: Variable, node: Any, operation: str, write: Callable[[], Any], part: Any = None) -> None:
    """Let ``write`` change the memory of ``variable`` (of it only ``part``, a view), which ``node`` stands for from then on.

    Raises InPlaceError for a leaf that requires grad, and where views of it are involved that cannot be followed.
    """
    recording = not OFF or is_grad_enabled()
    if recording:
        _refuse_leaf(variable, operation)
        if variable._node is VOLATILE:
            node = VOLATILE
        for base in lineage(variable) if REWRITTEN else ():
            refresh(base)
    write()
    rewrites = recording and (node is not None or variable._node is not None)
    note_change(variable._value if part is None else part, operation, tick(), rewrites=rewrites)
    if rewrites:
        if isinstance(node, Node):
            node.seq = tick()  # the node stands for the memory after the change
        place(variable, node)
        _carry(variable)


def place(variable: Variable, node: Any) -> None:
    """Give a changed Variable its new place in the graph; what ``retain_grad`` has registered goes along."""
    before = variable._node
    kept = [hook for hook in getattr(before, "hooks", ()) if isinstance(hook, Keep)]
    if kept:
        before.hooks[:] = [hook for hook in before.hooks if hook not in kept]
    variable._node = node
    if node is None and getattr(variable, "_base", None) is None:
        variable._base = DETACHED  # overwritten with constants: it stands for the numbers that are there now
    settle(variable)
    if kept and isinstance(node, Node):
        retain_grad(variable)


def take_from(view: Variable, parent: Variable, index: Any) -> None:
    """Take a view again, after a change of what it is a view of."""
    node = parent._node
    if node is not None and node is not VOLATILE:
        assert GETITEM is not None
        node = node_for(GETITEM, (parent, index), view._value)
    place(view, node)


def _carry(view: Variable) -> None:
    """A change of a view is a store into what it is a view of."""
    for parent in lineage(view):
        assert view._base is not None
        index = view._base[1]
        if index is BY_ENTRIES:
            index = entries_within(view._value, parent._value)
            if index is None:
                return  # the parent stays stale
        place(parent, VOLATILE if view._node is VOLATILE else stored_node(parent, index, view))
        view = parent


def _refuse_leaf(variable: Variable, operation: str) -> None:
    """Raise InPlaceError if the memory is that of a leaf that requires grad, also where it is reached through a view."""
    node = variable._node
    while isinstance(node, Node) and len(node.edges) == 1 and node.plan.name in VIEWS:
        node = node.edges[0]
    if isinstance(node, Leaf):
        leaf = node.owner()
        if leaf is None or leaf is not variable and owner_of(leaf._value) is not owner_of(variable._value):
            return
        raise InPlaceError(
            f"the in-place operation {operation} would change a leaf that requires grad",
            why="its gradient is that of the value it had; the graph cannot say which",
            remedy="write x = x + … , or, to update a parameter, with no_grad(): x += … or x.data += …",
        )


def _keep_own_inputs(node: Any, data: Any) -> None:
    """What the operation itself saved of the memory that it is about to overwrite becomes a copy."""
    if isinstance(node, Node) and node.saved:
        node.saved = tuple(np.copy(a) if is_array(a) and np.may_share_memory(a, data) else a for a in node.saved)


def _completes(variable: Variable, key: Any, value: Any) -> bool:
    """Whether this is the last step of ``x[key] op= y``, where Python stores the changed view: the change has been carried to x already."""
    base = getattr(value, "_base", None) or DETACHED
    return base[0] is variable and is_basic(key) and is_array(value._value) and same_memory(variable._value[key], value._value)


def updating(name: str, function: Any) -> Any:
    """The method of an operator that changes its left operand."""
    rule = rule_for(function)
    symbol = SYMBOLS[name]

    def method(self: Variable, other: Any) -> Any:
        if not is_array(self._value):
            result = getattr(operator, name)(self, other)
            if self._leads or type(self._node) is not Leaf or not OFF or is_grad_enabled():
                return result
            self._value = type(self._value)(raw(result))  # under no_grad: a parameter that is a number stays one
            return self
        if not self._leads and (not OFF or is_grad_enabled()):
            _refuse_leaf(self, symbol)
        result = apply(rule, (self, other), {})
        if np.shape(raw(result)) != self.shape:
            raise ValueError(f"{symbol}: a result of shape {np.shape(raw(result))} does not fit into one of shape {self.shape}")
        return self._overwrite(result, symbol)

    return method


METHODS: dict[str, Callable[..., Any]] = {
    **{f"__i{name}__": updating(name, function) for name, function in BINARY.items()},
    "_overwrite": overwrite, "_store": store, "_take_from": take_from,
    "__setitem__": lambda self, key, value: self._store(index_of(key), value),
}
"""The in-place operators of Variable."""
