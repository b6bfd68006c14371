"""Variables of the runs that the library makes of a user's function: in-place programs simply work.

Every array of floats, real or complex, in such a run is a :class:`Live` Variable over the very memory that a plain call would use,
so the values are NumPy's own, views included. What is kept beside them is how the graph sees that memory:

* a *buffer* (one allocation) counts its changes; a view whose node is older than the latest change takes it again from its parent;
* a change through a view is carried up to the root as a functional store, so the root's node stands for the whole buffer;
* before a buffer is written, what nodes have saved of it is replaced by copies. Nothing is copied that is never overwritten.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...errors import AliasingError, NonDifferentiableError
from ...rules.frames import rule_for
from ...runtime import arrays
from ...runtime.arrays import has_complex, is_array, is_number, on_device
from ...runtime.checks import check_overlap
from ..engine.apply import apply, binder, node_for, raw, stacked, variables_in
from ..engine.graph import record, results
from ..engine.inplace import apart, is_basic, stored_node
from ..engine.mutation import owner_of, same_memory
from ..engine.nodes import VOLATILE, Node, Recorded
from ..engine.plans import plan_for
from ..engine.variable import on_graph
from .arraylike import ArrayLike
from .before import Before
from .dict_keys import refuse_lookup
from .watch import refused

STORE = rule_for(arrays.store)
GETITEM = rule_for(operator.getitem)
assert STORE is not None and GETITEM is not None
INDEXING = plan_for(GETITEM, ("a",))
STORING = plan_for(STORE, ("a", "value"))
CLEARING = plan_for(STORE, ("a",))
FILLING = plan_for(STORE, ("value",))

ndarray, float64 = np.ndarray, np.float64
FLOAT64 = np.dtype(float)


class Buffer:
    """One allocation: the number of its changes, the nodes that saved parts of it, and why it must not be written (if so).

    ``foreign``: it is neither an argument nor made in the run, so others may read it: active values must not be written to it.
    ``keep`` is called before the first change: it notes the entries of an array that is not the run's own.
    """

    version = 0
    frozen = ""
    foreign = False
    keep: Callable[[], None] | None = None

    savers: Any = ()

    def note(self, node: Node) -> None:
        """Note that a node saved a part of it."""
        if self.savers:
            self.savers.append(node)
        else:
            self.savers = [node]


class Live(ArrayLike):
    """An array or a number in a library run."""

    __slots__ = ("_buffer", "_how", "_parent", "_place", "_seen")
    _leads = True

    def __init__(self, data: Any, node: Any = None, buffer: Buffer | None = None, parent: Live | None = None, how: Any = None):
        self._value = data
        self._place = node
        self._parent = parent
        self._how = how
        if buffer is None:
            self._buffer = Buffer()
            self._seen = 0
        else:
            self._buffer = buffer
            self._seen = buffer.version

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
                if function is operator.getitem and is_basic(args[1]):
                    view._place = indexed(parent._place, parent._value, args[1], view._value)
                    continue
                rule = rule_for(function)
                assert rule is not None
                values = binder(rule, len(args), tuple(kwargs))(args, kwargs)
                if rule.outputs == 1:
                    view._place = node_for(rule, values, view._value)
                else:
                    parts = _parts_of_index(view)
                    whole = node_for(rule, values, parts)
                    view._place = whole and results(whole, parts)[_position_of(view, parts)]

    # What results become

    def _number(self, z: Any, node: Any) -> LiveNumber:
        return LiveNumber(z, node)

    def _result(self, z: Any, node: Any, function: Any, args: Any, kwargs: Any) -> Any:
        inputs = [v for v in variables_in([*args, *kwargs.values()] if kwargs else args) if isinstance(v, Live)]
        if is_array(z) and z.dtype.kind in "fc":
            parent = _sharing(z, inputs)
            if parent is None:
                result = Live(z, node)
            else:
                how = (function, args, kwargs) if rule_for(function) is not None else None
                result = Live(z, node, parent._buffer, parent, how)
            _guard(node, [*inputs, result])
            return result
        if isinstance(z, (float, complex)) or is_number(z) and z.dtype.kind in "fc":
            _guard(node, inputs)
            return z if node is None and not on_device(z) else LiveNumber(z, node)  # a number of CuPy's does not leave z += v to us
        if function is np.equal and z is np.True_:
            refuse_lookup(*args)
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
        if not buffer.savers:
            return
        owner = owner_of(self._value)
        copies: dict[int, Any] = {}
        for node in buffer.savers:
            saved = []
            for value in node.saved or ():
                if type(value) not in PLAIN and is_array(value) and owner_of(value) is owner:
                    if id(value) not in copies:
                        copies[id(value)] = value, np.copy(value)  # the original too, so that its id stays its own
                    value = copies[id(value)][1]
                saved.append(value)
            if node.saved is not None:
                node.saved = tuple(saved)
        buffer.savers = ()

    def _overwrite(self, result: Any, operation: str) -> Live:
        data, value = self._value, raw(result)
        if np.shape(value) != data.shape and np.broadcast_shapes(np.shape(value), data.shape) != data.shape:
            raise ValueError(f"{operation}: a result of shape {np.shape(value)} does not fit into an array of shape {data.shape}")
        node = result._node if isinstance(result, Recorded) else None
        if node is not None and np.shape(value) != data.shape:
            node = apply(rule_for(np.broadcast_to), (result, data.shape), {})._node
        self._write(node, lambda: np.copyto(data, value, casting="same_kind"))
        return self

    def _store(self, key: Any, value: Any) -> None:
        data = self._value
        if not is_array(data):
            raise TypeError(f"'{type(data).__name__}' object does not support item assignment")
        if isinstance(value, (list, tuple)) and variables_in(value):
            value = stacked(value)
        if isinstance(value, Live) and value._buffer is self._buffer and _is_view_at(value._value, data, key):
            return  # the last step of x[key] op= y: the view has been changed already
        if isinstance(value, Live) and value._buffer is self._buffer and is_basic(key):
            try:
                check_overlap(data[key], value._value)
            except AliasingError as error:
                raise refused(error) from None
        node = stored_node(self, key, value)

        def write() -> None:
            data[key] = apart(raw(value), data)

        self._write(node, write)

    def _store_simply(self, key: Any, value: Any) -> bool:
        """The same at integers and slices, of what is of the array's own dtype and lies in other memory; whether it is that."""
        data, kind, there, other = self._value, type(value), None, value
        if type(data) is not ndarray or data.dtype.kind != "f":
            return False
        if kind is Live and value._buffer is not self._buffer:
            there, other = value._node, value._value
            if type(other) is not ndarray or other.dtype is not data.dtype:
                return False
        elif kind is LiveNumber:
            there, other = value._node, value._value
            if data.dtype is not FLOAT64 or type(other) is not float64 and type(other) is not float:
                return False
        elif kind is not float and kind is not float64 and kind is not int:
            return False
        here = self._node
        if there is VOLATILE or here is VOLATILE:
            return False
        self._before_change(here is not None or there is not None)
        node = None
        if there is None:
            if here is not None:
                node = record(CLEARING, (here,), CLEARING.save(None, data, key, other))
        elif here is None:
            node = record(FILLING, (there,), FILLING.save(None, data, key, other))
        else:
            node = record(STORING, (here, there), STORING.save(None, data, key, other))
        data[key] = other
        self._after_change(node)
        return True

    def _write(self, node: Any, write: Any) -> None:
        self._before_change(node is not None)
        write()
        self._after_change(node)

    def _before_change(self, active: bool) -> None:
        if self._buffer.foreign and active:
            raise refused(AliasingError(
                "an active value is written to an array that is no argument of the function (a global, an attribute, a cached one)",
                why="whoever else reads that array would lose its gradient", remedy="work on a copy: array = array.copy()",
            ))
        self._node  # noqa: B018  (fresh, and so are its parents: the state before the change)
        self._protect()

    def _after_change(self, node: Any) -> None:
        self._buffer.version += 1
        child: Live = self
        child._place = node
        child._seen = self._buffer.version
        while child._parent is not None:
            parent = child._parent
            parent._place = _changed_through(parent, child)
            parent._seen = self._buffer.version
            child = parent


class LiveNumber(Live):
    """A number in a library run. It has the attributes of a number only; see ``attributes.py``.

    A number is never changed in place: of what follows the memory of arrays it has nothing of its own.
    """

    __slots__ = ()
    _buffer = Buffer()
    _parent = _how = None
    _seen = 0
    _node = Live._place  # type: ignore[misc, assignment]  # the slot itself: it is never stale

    def __init__(self, data: Any, node: Any = None):
        self._value = data
        self._place = node


def live(data: Any, node: Any = None) -> Live:
    """The Live Variable of an array or a number."""
    return Live(data, node) if is_array(data) else LiveNumber(data, node)


def _sharing(z: Any, inputs: list[Live]) -> Live | None:
    """The input that ``z`` is a view of."""
    if z.base is None and not any(z is variable._value for variable in inputs):
        return None
    owner = owner_of(z)
    for variable in inputs:
        if is_array(variable._value) and owner_of(variable._value) is owner:
            return variable
    return None


def _guard(node: Any, holders: list[Live]) -> None:
    """Note with their buffers that a node saved arrays; arrays that belong to none of them are saved as copies."""
    if type(node) is not Node or not node.saved:
        return
    noted: list[Buffer] = []
    for value in node.saved:
        if type(value) in PLAIN or not is_array(value):
            continue
        holder = _holder(value, holders)
        if holder is None:
            node.saved = tuple([np.copy(part) if part is value else part for part in node.saved])
        elif holder._buffer not in noted:
            noted.append(holder._buffer)
            holder._buffer.note(node)


PLAIN = frozenset((float, int, bool, str, type(None), tuple, np.float64))


def _holder(array: Any, holders: list[Live]) -> Live | None:
    """Which of the Variables has the memory of an array."""
    for holder in holders:
        if holder._value is array:
            return holder
    owner = owner_of(array)
    return next((holder for holder in holders if is_array(holder._value) and owner_of(holder._value) is owner), None)


def _is_view_at(part: Any, data: Any, key: Any) -> bool:
    return is_array(part) and is_basic(key) and same_memory(data[key], part)


def _changed_through(parent: Live, child: Live) -> Any:
    """The node of ``parent`` after the memory of its view ``child`` was changed."""
    if parent._place is None and child._place is None:
        return None
    if child._how is None:
        raise refused(AliasingError(
            "an active value was written to a view that a function without a rule made",
            why="which entries of the array it has changed is not known", remedy="write to the array itself, by index",
        ))
    function, args, kwargs = child._how
    if function is operator.getitem and parent._place is not None and child._place is not None and is_basic(args[1]):
        return record(STORING, (parent._place, child._place), STORING.save(None, parent._value, args[1], child._value))
    base, part = on_graph(parent._value, parent._place), on_graph(child._value, child._place)
    if function.__name__ == "getitem":
        return stored_node(base, args[1], part)
    if has_complex(parent._value) and not has_complex(child._value):  # one of the two parts, the other stays as it is
        whole = part + 1j * np.imag(base) if function is np.real else np.real(base) + 1j * part  # type: ignore[call-overload]
        return whole._node
    # any other view: the entries of the parent that it consists of, by number
    numbers = np.arange(base.size).reshape(base.shape)

    given = {name: raw(arg) for name, arg in kwargs.items()}
    places = function(*(numbers if arg is parent else raw(arg) for arg in args), **given)
    if isinstance(places, (list, tuple)):
        places = places[_position_of(child, _parts_of_index(child))]
    flat = apply(STORE, (np.ravel(base), np.ravel(places), np.ravel(part)), {})
    return np.reshape(flat, base.shape)._node  # type: ignore[attr-defined]


def _parts_of_index(view: Live) -> Any:
    """All the parts of an array of which ``view`` is one: what the function that made it gives."""
    function, args, kwargs = view._how
    return function(*map(raw, args), **{name: raw(arg) for name, arg in kwargs.items()})


def _position_of(view: Live, parts: Any) -> int:
    """Which of the parts of an array a view is."""
    return next(i for i, part in enumerate(parts) if same_memory(part, view._value))


def indexed(node: Node, array: Any, key: Any, part: Any) -> Node:
    """The node of a part of an array, by a key of integers and slices."""
    return record(INDEXING, (node,), INDEXING.save(part, array, key))


def external(data: Any, before: Before, foreign: bool = False) -> Live:
    """The Live Variable of an array that is the caller's (or, if ``foreign``, someone else's), which ``before`` can bring back."""
    if isinstance(data, np.ma.MaskedArray):
        raise refused(NonDifferentiableError(
            "a masked array cannot be differentiated", why="it computes in a way of its own",
            remedy="use a plain array, and np.where for the mask",
        ))
    made = live(data)
    if is_array(data):
        made._buffer.foreign = foreign
        made._buffer.keep = partial(before.array, data)
    return made
