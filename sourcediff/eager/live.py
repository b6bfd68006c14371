"""Variables of the runs that the library makes of a user's function: in-place programs simply work.

Every float array of such a run is a :class:`Live` Variable over the very memory that a plain call would use, so the values are
NumPy's own, views included. What is kept beside them is how the graph sees that memory:

* a *buffer* (one allocation) counts its changes; a view whose node is older than the latest change takes it again from its parent;
* a change through a view is carried up to the root as a functional store, so the root's node stands for the whole buffer;
* before a buffer is written, what nodes have saved of it is replaced by copies. Nothing is copied that is never overwritten.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .. import arrays
from ..errors import AliasingError, MissingRuleError, NonDifferentiableError
from ..rules.frames import rule_for
from ..structures import check_overlap
from .apply import apply, binder, node_for, plain, variables_in
from .before import Before
from .graph import Node, Recorded
from .inplace import is_basic, stored_node
from .mutation import owner_of
from .variable import Variable, entry_at, on_graph
from .watch import refused, shown

STORE = rule_for(arrays.store)


class Buffer:
    """One allocation: the number of its changes, the nodes that saved parts of it, and why it must not be written (if so).

    ``foreign``: it is neither an argument nor made in the run, so others may read it: active values must not be written to it.
    ``keep`` is called before the first change: it notes the entries of an array that is not the run's own.
    """

    __slots__ = ("foreign", "frozen", "keep", "savers", "version")

    def __init__(self, foreign: bool = False, keep: Callable[[], None] | None = None):
        self.version = 0
        self.savers: list[Node] = []
        self.frozen = ""
        self.foreign = foreign
        self.keep = keep


class Live(Variable):
    """An array or a number in a library run. It looks like the array that it stands for."""

    __slots__ = ("_buffer", "_how", "_parent", "_place", "_seen")
    _leads = True

    def __init__(self, data: Any, node: Any = None, buffer: Buffer | None = None, parent: Live | None = None, how: Any = None):
        self._value = data
        self._place = node
        self._parent = parent
        self._how = how
        self._buffer = buffer or Buffer()
        self._seen = self._buffer.version

    @property  # type: ignore[override]
    def _node(self) -> Any:
        if self._seen != self._buffer.version:
            self._refresh()
        return self._place

    @_node.setter
    def _node(self, node: Any) -> None:
        self._place = node

    def _refresh(self) -> None:
        """Take the view again from its parent, whose memory has changed; without recursion, however long the chain of views."""
        version = self._buffer.version
        stale: list[Live] = []
        view: Live | None = self
        while view is not None and view._seen != version:
            stale.append(view)
            view = view._parent
        for view in reversed(stale):
            parent = view._parent
            view._seen = version
            view._place = None
            if parent is not None and parent._place is not None:
                if view._how is None:
                    raise refused(AliasingError(
                        "a view made by a function without a rule shares memory that an active value was written to",
                        why="how its entries depend on that value is not known", remedy="take a copy of the view before, or index instead",
                    ))
                function, args, kwargs = view._how
                rule = rule_for(function)
                assert rule is not None
                view._place = node_for(rule, binder(rule, len(args), tuple(kwargs))(args, kwargs), view._value)

    # What results become

    def _result(self, z: Any, node: Any, function: Any, args: Any, kwargs: Any) -> Any:
        inputs = [v for v in variables_in([*args, *kwargs.values()]) if isinstance(v, Live)]
        if isinstance(z, np.ndarray) and z.dtype.kind == "f":
            parent = _sharing(z, inputs)
            if parent is None:
                result = Live(z, node)
            else:
                how = (function, args, kwargs) if rule_for(function) is not None else None
                result = Live(z, node, parent._buffer, parent, how)
            _guard(node, [*inputs, result])
            return result
        if isinstance(z, (float, np.floating)):
            _guard(node, inputs)
            return z if node is None else Live(z, node)
        return super()._result(z, node, function, args, kwargs)

    def _ruleless(self, function: Any, args: Any, kwargs: Any, node: Any) -> Any:
        for variable in variables_in([*args, *kwargs.values()]):
            if isinstance(variable, Live):
                variable._protect()  # the function may write to its arguments
        return super()._ruleless(function, args, kwargs, node)

    # Changes in place

    def _protect(self) -> None:
        """Before the buffer is written: copies for the nodes that saved parts of it."""
        buffer = self._buffer
        if buffer.frozen:
            raise refused(AliasingError(
                f"an array is changed in place, {buffer.frozen}",
                why="the change would be seen through both, and what that makes of their derivatives is not followed",
                remedy="give the function a copy of one of them: y.copy()",
            ))
        if buffer.keep is not None:
            buffer.keep()
            buffer.keep = None
        owner = owner_of(self._value)
        copies: dict[int, Any] = {}
        for node in buffer.savers:
            saved = []
            for value in node.saved or ():
                if isinstance(value, np.ndarray) and owner_of(value) is owner:
                    if id(value) not in copies:
                        copies[id(value)] = value, np.array(value)  # the original too, so that its id stays its own
                    value = copies[id(value)][1]
                saved.append(value)
            if node.saved is not None:
                node.saved = tuple(saved)
        buffer.savers.clear()

    def _overwrite(self, result: Any, operation: str) -> Live:
        data, value = self._value, plain(result)
        if np.broadcast_shapes(np.shape(value), data.shape) != data.shape:
            raise ValueError(f"{operation}: a result of shape {np.shape(value)} does not fit into an array of shape {data.shape}")
        node = result._node if isinstance(result, Recorded) else None
        if node is not None and np.shape(value) != data.shape:
            node = apply(rule_for(np.broadcast_to), (result, data.shape), {})._node
        self._write(node, lambda: np.copyto(data, value, casting="same_kind"))
        return self

    def _store(self, key: Any, value: Any) -> None:
        data = self._value
        if not isinstance(data, np.ndarray):
            raise TypeError(f"'{type(data).__name__}' object does not support item assignment")
        if isinstance(value, (list, tuple)) and variables_in(value):
            value = stacked(value)
        if isinstance(value, Live) and value._buffer is self._buffer and _is_view_at(value._value, data, key):
            return  # the last step of x[key] op= y: the view has been changed already
        if isinstance(value, Live) and value._buffer is self._buffer and is_basic(key):
            check_overlap(data[key], value._value)
        node = stored_node(self, key, value)

        def write() -> None:
            data[key] = plain(value)

        self._write(node, write)

    def _write(self, node: Any, write: Any) -> None:
        if self._buffer.foreign and node is not None:
            raise refused(AliasingError(
                "an active value is written to an array that is no argument of the function (a global, an attribute, a cached one)",
                why="whoever else reads that array would lose its gradient", remedy="work on a copy: array = array.copy()",
            ))
        self._node  # noqa: B018  (fresh, and so are its parents: the state before the change)
        self._protect()
        write()
        self._buffer.version += 1
        child: Live = self
        child._place = node
        child._seen = self._buffer.version
        while child._parent is not None:
            parent = child._parent
            parent._place = _changed_through(parent, child)
            parent._seen = self._buffer.version
            child = parent

    # Like the array or number it stands for

    @property  # type: ignore[misc]
    def data(self) -> Any:  # type: ignore[override]
        """To this package the array, as of every Variable; to a program what its arrays have by that name, memory without a derivative."""
        if sys._getframe(1).f_globals.get("__name__", "").startswith("sourcediff."):
            return self._value
        self._refuse(".data")
        return self._value.data

    @property
    def shape(self) -> tuple[int, ...]:
        return np.shape(self._value)

    @shape.setter
    def shape(self, shape: Any) -> None:
        raise refused(NonDifferentiableError(
            "the shape of an array that is being differentiated is assigned",
            why="what is recorded of it stands for its entries as they lie", remedy="make a view: y = np.reshape(y, shape)",
        ))

    @property
    def real(self) -> Live:
        return self

    def item(self, *index: Any) -> Any:
        entry = self[entry_at(index, self.shape)] if index else self
        return apply(rule_for(float), (entry,), {})

    def tolist(self) -> Any:
        return [row.tolist() if isinstance(row, Live) else row for row in self] if self.ndim else self.item()

    def view(self, dtype: Any = None, type: Any = None) -> Any:
        dtype = getattr(dtype, "original", dtype)
        if type is None and (dtype is None or np.dtype(dtype) == self.dtype):
            return self[...]
        raise refused(MissingRuleError(
            "the method .view as another dtype or class is not recorded", why="the result would silently lose its gradient",
            remedy="use x.astype(dtype) for its values, or np.reshape for another shape",
        ))

    def astype(self, dtype: Any, *, copy: bool = True) -> Any:
        dtype = getattr(dtype, "original", dtype)
        if not copy and np.dtype(dtype) == self.dtype:
            return self
        return Variable.astype(self, dtype)  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(self._value)  # a number can be a key, an array cannot

    def __deepcopy__(self, memo: Any) -> Any:
        return np.copy(self) if isinstance(self._value, np.ndarray) else self

    def __reduce__(self) -> Any:
        raise refused(NonDifferentiableError(
            "a value that is being differentiated cannot be pickled", why="the copy would silently lose its gradient",
            remedy="save it after the gradient was computed",
        ))

    def __index__(self) -> int:
        return operator.index(self._value)  # of a float: the TypeError that it is in a plain call

    def __repr__(self) -> str:
        return self._shown(repr(self._value))

    def __str__(self) -> str:
        return self._shown(str(self._value))

    def __format__(self, spec: str) -> str:
        return self._shown(format(self._value, spec))

    def _shown(self, text: str) -> str:
        return shown(text) if self.requires_grad else text

    def _refuse(self, what: str) -> None:
        if self.requires_grad:
            raise refused(NonDifferentiableError(
                f"{what} was applied to a value that is being differentiated",
                why="the result would be a plain number or array and silently lose its gradient",
                remedy="use NumPy's functions on it (np.stack for a list of numbers), and f-strings to print it",
            ))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(self._value, name):
            raise AttributeError(f"'{type(self._value).__name__}' object has no attribute '{name}'")
        if name in ("nbytes", "itemsize", "strides", "flags", "imag", "is_integer"):
            return getattr(self._value, name)
        raise refused(MissingRuleError(
            f"the attribute or method .{name} is not recorded", why="its result would silently lose its gradient",
            remedy="use the NumPy function that it is, if that has a rule, or indexing",
        ))


def _sharing(z: Any, inputs: list[Live]) -> Live | None:
    """The input that ``z`` is a view of."""
    if z.base is None and not any(z is variable._value for variable in inputs):
        return None
    owner = owner_of(z)
    for variable in inputs:
        if isinstance(variable._value, np.ndarray) and owner_of(variable._value) is owner:
            return variable
    return None


def _guard(node: Any, holders: list[Live]) -> None:
    """Note with their buffers that a node saved arrays; arrays that belong to none of them are saved as copies."""
    if not isinstance(node, Node) or not any(isinstance(value, np.ndarray) for value in node.saved or ()):
        return
    holders = [holder for holder in holders if isinstance(holder._value, np.ndarray)]
    owners = {id(owner_of(holder._value)) for holder in holders}
    node.saved = tuple(
        np.array(value) if isinstance(value, np.ndarray) and id(owner_of(value)) not in owners else value for value in node.saved or ()
    )
    for holder in holders:
        holder._buffer.savers.append(node)


def _is_view_at(part: Any, data: Any, key: Any) -> bool:
    if not isinstance(part, np.ndarray) or not is_basic(key):
        return False
    target = data[key]
    return isinstance(target, np.ndarray) and target.__array_interface__ == part.__array_interface__


def _changed_through(parent: Live, child: Live) -> Any:
    """The node of ``parent`` after the memory of its view ``child`` was changed."""
    if parent._place is None and child._place is None:
        return None
    if child._how is None:
        raise refused(AliasingError(
            "an active value was written to a view that a function without a rule made",
            why="which entries of the array it has changed is not known", remedy="write to the array itself, by index",
        ))
    base, part = on_graph(parent._value, parent._place), on_graph(child._value, child._place)
    function, args, kwargs = child._how
    if function.__name__ == "getitem":
        return stored_node(base, args[1], part)
    # any other view: the entries of the parent that it consists of, by number
    numbers = np.arange(base.size).reshape(base.shape)
    places = function(*(numbers if arg is parent else plain(arg) for arg in args), **{name: plain(arg) for name, arg in kwargs.items()})
    flat = apply(STORE, (np.ravel(base), np.ravel(places), np.ravel(part)), {})
    return np.reshape(flat, base.shape)._node  # type: ignore[attr-defined]


def stacked(values: Any) -> Any:
    """``np.array`` of a (nested) list with Variables in it."""
    if not isinstance(values, (list, tuple)):
        return values
    return np.stack([stacked(value) for value in values]) if variables_in(values) else np.array(values)


def external(data: Any, before: Before, foreign: bool = False) -> Live:
    """The Live Variable of an array that is the caller's (or, if ``foreign``, someone else's), which ``before`` can bring back."""
    if isinstance(data, np.ma.MaskedArray):
        raise refused(NonDifferentiableError(
            "a masked array cannot be differentiated", why="it computes in a way of its own",
            remedy="use a plain array, and np.where for the mask",
        ))
    return Live(data, None, Buffer(foreign, partial(before.array, data) if isinstance(data, np.ndarray) else None))
