"""Changing a Variable in place: ``x += y``, ``x[i] = y``, ``x.mul_(y)``. Right, or refused with the operation and the remedy."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .. import arrays
from ..errors import InPlaceError, NonDifferentiableError
from ..rules.frames import rule_for
from ..structures import check_overlap
from .apply import apply, node_for, plain, variables_in
from .graph import VOLATILE, Leaf, Node, Recorded, tick
from .indexing import index_of, is_basic
from .mutation import REWRITTEN, note_change, owner_of, refuse_stale
from .operators import BINARY
from .scopes import OFF, is_grad_enabled
from .variable import Variable
from .watch import refused

STORE = rule_for(arrays.store)
SYMBOLS = {"add": "+=", "sub": "-=", "mul": "*=", "truediv": "/=", "pow": "**=", "matmul": "@=", "mod": "%=", "floordiv": "//="}


def overwrite(variable: Variable, result: Any, operation: str) -> Variable:
    """Make ``result`` (a Variable, array or number, broadcast) the value of ``variable``, in its own memory."""
    data = variable._value
    if not isinstance(data, np.ndarray):
        raise InPlaceError(
            f"{operation} on a number, which cannot be changed in place", why="numbers are immutable",
            remedy="assign the result: x = x + y",
        )
    value = plain(result)
    shape = np.broadcast_shapes(np.shape(value), data.shape)
    if shape != data.shape:
        raise ValueError(f"a result of shape {np.shape(value)} does not fit in place into a Variable of shape {data.shape}")
    node = getattr(result, "_node", None)
    if _active(result):
        if np.shape(value) != data.shape:
            node = apply(rule_for(np.broadcast_to), (result, data.shape), {})._node
        _keep_own_inputs(node, data)
    _change(variable, node, operation, lambda: np.copyto(data, value, casting="same_kind"))
    return variable


def store(variable: Variable, key: Any, value: Any) -> None:
    """``variable[key] = value``."""
    if isinstance(value, Recorded) and _completes(variable, key, value):
        return
    data = variable._value
    if not isinstance(data, np.ndarray):
        raise TypeError("an entry of a number cannot be assigned")
    if isinstance(value, (list, tuple)) and variables_in(value):
        raise NonDifferentiableError(
            "a list of Variables cannot be stored", why="the store would lose their gradients", remedy="store np.stack(list)",
        )
    if REWRITTEN:
        for part in (variable, value):
            if isinstance(part, Recorded):
                refuse_stale(part)
    node = VOLATILE if getattr(value, "_node", None) is VOLATILE else stored_node(variable, key, value)

    def write() -> None:
        if isinstance(value, Recorded) and is_basic(key):
            check_overlap(data[key], value._value)
        data[key] = plain(value)

    _change(variable, node, "x[…] = y", write)


def stored_node(variable: Any, key: Any, value: Any) -> Node | None:
    """The node of ``variable`` after ``variable[key] = value``; None where neither of the two is active."""
    if not _active(variable) and not _active(value):
        return None
    assert STORE is not None
    return node_for(STORE, (variable, key, value), variable._value)


def _active(value: Any) -> bool:
    node = getattr(value, "_node", None)
    return node is not None and node is not VOLATILE


def _change(variable: Variable, node: Any, operation: str, write: Any) -> None:
    recording = not OFF or is_grad_enabled()
    if recording:
        _refuse_leaf(variable, operation)
        if variable._node is VOLATILE:
            node = VOLATILE
    write()
    rewrites = recording and (_active(variable) or node is not None)
    note_change(variable._value, operation, tick(), rewrites=rewrites)
    if rewrites:
        if isinstance(node, Node):
            node.seq = tick()  # the node stands for the memory after the change
        variable._node = node


def _refuse_leaf(variable: Variable, operation: str) -> None:
    """Raise InPlaceError if the memory is that of a leaf that requires grad, also where it is reached through a view."""
    node = variable._node
    while isinstance(node, Node) and len(node.edges) == 1 and node.plan.name in VIEWS:
        node = node.edges[0]
    if isinstance(node, Leaf):
        leaf = node.owner()
        if leaf is None or leaf is not variable and not np.may_share_memory(leaf._value, variable._value):
            return
        raise InPlaceError(
            f"the in-place operation {operation} would change a leaf that requires grad",
            why="its gradient is that of the value it had; the graph cannot say which",
            remedy="write x = x + … , or, to update a parameter, with no_grad(): x += … or x.data += …",
        )


VIEWS = frozenset("operator.getitem np.reshape np.ravel np.transpose np.squeeze np.expand_dims np.swapaxes np.moveaxis np.diagonal "
                  "np.matrix_transpose np.atleast_1d np.atleast_2d np.atleast_3d np.flip np.rot90 np.asarray np.positive".split())


def _keep_own_inputs(node: Any, data: Any) -> None:
    """What the operation itself saved of the memory that it is about to overwrite becomes a copy."""
    if isinstance(node, Node) and node.saved:
        node.saved = tuple(np.array(a) if isinstance(a, np.ndarray) and np.may_share_memory(a, data) else a for a in node.saved)


def _completes(variable: Variable, key: Any, value: Any) -> bool:
    """The last step of ``x[key] op= y``, where Python stores the changed view: take over its node, the memory is changed already.

    So it is if the last change of the memory was that of ``value``, which is the view ``x[key]``, and x was up to date before.
    """
    data, part = variable._value, value._value
    if not (isinstance(data, np.ndarray) and isinstance(part, np.ndarray) and is_basic(key) and part.base is not None):
        return False
    target = data[key]
    if not isinstance(target, np.ndarray) or target.__array_interface__ != part.__array_interface__:
        return False
    change = REWRITTEN.get(id(owner_of(data)))
    if change is None:
        return True  # nothing that the graph follows was changed: storing the view into itself changes nothing
    if change.before > (variable._node.seq if variable._node is not None else 0) or value._node is None or value._node.seq < change.seq:
        return False
    node = stored_node(variable, key, value)
    if node is not None:
        variable._node = node
    return True


def install() -> None:
    """Give Variable its in-place operators and indexing."""

    def updating(name: str, function: Any) -> Any:
        rule = rule_for(function)
        symbol = SYMBOLS[name]

        def method(self: Variable, other: Any) -> Any:
            if not isinstance(self._value, np.ndarray):
                return getattr(operator, name)(self, other)
            if not self._leads and (not OFF or is_grad_enabled()):
                _refuse_leaf(self, symbol)
            result = apply(rule, (self, other), {})
            if np.shape(plain(result)) != self.shape:
                raise ValueError(f"{symbol}: a result of shape {np.shape(plain(result))} does not fit into one of shape {self.shape}")
            return self._overwrite(result, symbol)

        return method

    for name, function in BINARY.items():
        setattr(Variable, f"__i{name}__", updating(name, function))
    methods = {
        "_overwrite": overwrite, "_store": store, "_into": _into,
        "__setitem__": lambda self, key, value: self._store(index_of(key), value),
    }
    for name, method in methods.items():
        setattr(Variable, name, method)


def _into(self: Variable, ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``np.f(…, out=…)`` and ``array += variable``."""
    from .protocols import apply_ufunc

    out, *more = kwargs.pop("out")
    if more or not isinstance(out, Variable):
        raise refused(InPlaceError(
            f"np.{ufunc.__name__} would write a value that is being differentiated into a plain array",
            why="a plain array has no place in the graph: the gradient would silently be lost",
            remedy="write a = a + v for a += v, or make the array a Variable first",
        ))
    result = apply_ufunc(ufunc, method, inputs, kwargs)
    return out._overwrite(result, f"np.{ufunc.__name__}(out=…)")


install()
