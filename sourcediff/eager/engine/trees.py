"""Structures of arrays and numbers as the list of their entries, and back: dicts, lists, tuples and named tuples of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...errors import NonDifferentiableError, article
from ...runtime.arrays import as_array, blank, is_array, is_foreign, is_number, on_device, on_host
from ...runtime.structures import has_no_gradient
from ...runtime.user_objects import active, is_mixed, is_open, object_alike, own
from ..library_run.entering import Structured, mapped_into_run, rebuilt
from ..library_run.live import live
from ..library_run.watch import WATCH
from .graph import restored
from .nodes import VOLATILE, Leaf, Recorded, kind_of
from .variable import Variable, on_graph

GOLDEN = 0.6180339887498949


class Slot:
    """One array or number of a structure: the ``path`` to it, its place in the graph (``node``, None if it has none), and its kind.

    ``dtype`` is ``float`` (or ``complex``) for a Python number, None for what is neither a number with a derivative nor an array of them.
    """

    __slots__ = ("data_kind", "dtype", "foreign", "is_array", "node", "path", "shape")

    def __init__(self, value: Any, path: str):
        data = value._value if isinstance(value, Recorded) else value
        node = value._node if isinstance(value, Recorded) else None
        floating = isinstance(data, (float, complex)) or (is_array(data) or is_number(data)) and data.dtype.kind in "fc"
        self.path = path
        self.node = None if node is VOLATILE or not floating else node
        self.is_array = is_array(data)
        self.foreign = data if is_foreign(data) else None
        self.data_kind = data.dtype if self.is_array else type(data)
        self.shape: tuple[int, ...] = ()
        self.dtype: Any = None
        if floating:
            self.shape, self.dtype = kind_of(data)

    @property
    def what(self) -> str:
        """What the value was, in words."""
        return f"an array of {self.data_kind}" if self.is_array else self.data_kind.__name__

    def by(self, other: Slot) -> Slot:
        """The block of derivatives of this by ``other``: in the dtype of the latter, or, if that is a Python number, of the former."""
        block = Slot(0.0, self.path)
        block.shape = self.shape + other.shape
        block.is_array = other.is_array or block.shape != ()
        block.dtype = self.dtype if other.dtype is float and block.is_array else other.dtype
        block.foreign = self.foreign if other.foreign is None else other.foreign
        return block

    @property
    def size(self) -> int:
        """The number of entries."""
        return int(np.prod(self.shape))

    def zeros(self) -> Any:
        """A zero of this kind."""
        return self.cast(blank(self.shape, self.foreign, self.dtype))

    def filled(self, seed: Any) -> Any:
        """A seed, or a zero where there is none; 0.0 for what has no derivative."""
        return seed if seed is not None else 0.0 if self.dtype is None else self.zeros()

    def one(self) -> Any:
        """The seed of a single entry."""
        return self.cast(blank(self.shape, self.foreign, self.dtype) + 1)

    def basis(self) -> Iterator[Any]:
        """The unit vectors, entry after entry."""
        for k in range(self.size):
            unit = blank((self.size,), self.foreign, self.dtype)
            unit[k] = 1
            yield self.cast(np.reshape(unit, self.shape))

    def generic(self) -> Variable:
        """A leaf of this kind, of which no entry is zero and no two cancel: where an adjoint made of it is zero, it is so for all."""
        entries = 0.5 + np.arange(1.0, self.size + 1, like=self.foreign) * GOLDEN % 1
        leaf = on_graph(self.cast(np.reshape(entries, self.shape)), None)
        leaf._node = Leaf(leaf)
        return leaf

    def cast(self, data: Any) -> Any:
        """An array of this shape as what this is: an array (its own copy), a NumPy scalar or a Python number."""
        if self.is_array or self.foreign is not None:
            return as_array(data, self.foreign, self.dtype)
        if on_device(data):
            return data
        return self.dtype(data) if self.dtype is float or self.dtype is complex else self.dtype.type(data)

    def placed(self, g: Any) -> Any:
        """A cotangent of this, on the device if this lies there."""
        return as_array(g, self.foreign) if self.foreign is not None and isinstance(g, (float, complex, np.generic)) else g

    def finished(self, g: Any, variable: bool) -> Any:
        """An adjoint or tangent (None: zero) as a result: shared with nothing; as a ``variable`` with its place in the graph."""
        if g is None:
            data, node = self.zeros(), None
        else:
            g = restored(g._value if isinstance(g, Recorded) and not variable else g, (self.shape, self.dtype))
            data, node = (self.cast(g._value), g._node) if isinstance(g, Recorded) else (self.cast(g), None)
        return handed_out(data, node) if variable else data

    def seed(self, given: Any, what: str, name: str) -> Any:
        """A cotangent or tangent that the caller has given for this, in its dtype.

        Raises NonDifferentiableError for one of another shape or of no floating-point numbers.
        """
        of = f"the {what} of {self.path} of {name}"
        if self.dtype is None:
            raise NonDifferentiableError(f"{of} was given, and that is {self.what}", why="it has no derivative", remedy="give None there")
        data = given._value if isinstance(given, Recorded) else float(given) if type(given) is int else given
        if not isinstance(data, (float, complex)) and not is_array(data) and not is_number(data):
            raise NonDifferentiableError(
                f"{of} is {article(type(data).__name__)}", why=f"it belongs to {self.described()}", remedy=f"give {self.described()}",
            )
        shape, dtype = kind_of(data)
        kind = np.dtype(dtype).kind
        if kind not in ("fc" if np.dtype(self.dtype).kind == "c" else "f"):
            raise NonDifferentiableError(
                f"{of} is of {np.dtype(dtype)}", why=f"it belongs to {self.described()}",
                remedy="give its real part" if kind == "c" else "give floats, for example by .astype(float)",
            )
        if shape != self.shape:
            raise NonDifferentiableError(
                f"{of} has the shape {shape}", why=f"it belongs to {self.described()}", remedy=f"give {self.described()}",
            )
        if (self.is_array or is_array(data)) and on_device(data) != on_device(self.foreign):
            raise NonDifferentiableError(
                f"{of} is {'on a device' if on_device(data) else 'in the memory of the computer'}, and {self.path} is not",
                why="CuPy does not compute with both", remedy="give its .get()" if on_device(data) else "give cupy.asarray of it",
            )
        if isinstance(given, Recorded):
            return restored(given, (self.shape, self.dtype))
        return self.cast(data)

    def described(self) -> str:
        """The kind, in words."""
        return f"an array of shape {self.shape}" if self.is_array else "a number"


class Tree:
    """A structure, as the list of its ``slots``. ``path`` says what it is; of a tuple of arguments ``names`` do.

    Objects among arguments have slots for what has a gradient, and None for all else.
    """

    def __init__(self, value: Any, path: str, names: Sequence[str] = ()):
        self.slots: list[Slot] = []
        self.path = path
        self.names = names
        self.opened = bool(names) and is_mixed(value)
        self.structure = self._taken(value, path)

    @property
    def size(self) -> int:
        """The number of entries of all slots."""
        return sum(slot.size for slot in self.slots)

    def parted(self, vector: Any) -> list[Any]:
        """The parts of a vector with all entries, one after the other, each as its slot is. The vector is NumPy's."""
        parts = np.split(vector, np.cumsum([slot.size for slot in self.slots])[:-1])
        return [slot.cast(np.reshape(part, slot.shape)) for slot, part in zip(self.slots, parts)]

    def joined(self, parts: Sequence[Any]) -> Any:
        """The inverse of :meth:`parted`; zeros for None."""
        given = zip(self.slots, parts)
        found = (on_host(slot.zeros() if part is None else part) for slot, part in given)
        return np.concatenate([np.zeros(0, np.float32), *map(np.ravel, found)])

    def _at(self, path: str, key: Any) -> str:
        return f"{path}[{key!r}]" if path else f"the argument {self.names[key]}"

    def _taken(self, value: Any, path: str) -> Any:
        if isinstance(value, Structured):
            return self._opened(value.value, value.held, path)
        if isinstance(value, (dict, list, tuple)):
            items = value.items() if isinstance(value, dict) else enumerate(value)
            return rebuilt(value, {key: self._taken(item, self._at(path, key)) for key, item in items})
        if self.opened and has_no_gradient(value):
            return None
        if self.opened and is_open(value) and (names := active(value)):
            return self._opened(value, {name: own(value)[name] for name in names}, path)
        self.slots.append(Slot(value, path))
        return self.slots[-1]

    def _opened(self, value: Any, held: dict[str, Any], path: str) -> Structured:
        return Structured(object_alike(value), {name: self._taken(part, f"{path}.{name}") for name, part in held.items()})

    def like(self, values: Sequence[Any]) -> Any:
        """The structure with ``values`` in place of its slots."""
        return _put(self.structure, iter(values))

    def flat(self, values: Any) -> list[Any]:
        """The inverse of :meth:`like`."""
        return list(_taken(self.structure, values))

    def seeds(self, given: Any, what: str, name: str) -> list[Any]:
        """The ``what`` (cotangent, tangent) that the caller has given for each slot; None where it is None for it or what it is in.

        Raises NonDifferentiableError where the structure is another one, or an entry does not fit its slot.
        """
        return list(self._paired(self.structure, given, self.path, what, name))

    def _paired(self, part: Any, given: Any, path: str, what: str, name: str) -> Iterator[Any]:
        if isinstance(part, Slot):
            yield None if given is None else part.seed(given, what, name)
            return
        if part is None:
            if given is not None:
                raise NonDifferentiableError(
                    f"the {what} of {path} of {name} is {given!r}", why="what is there has no derivative", remedy="give None for it",
                )
            return
        if given is not None:
            _same_structure(part, given, f"the {what} of {path} of {name}")
        if isinstance(part, Structured):
            for attribute, item in part.held.items():
                yield from self._paired(item, own(given).get(attribute) if given is not None else None, f"{path}.{attribute}", what, name)
            return
        for key, item in part.items() if isinstance(part, dict) else enumerate(part):
            yield from self._paired(item, None if given is None else given[key], self._at(path, key), what, name)


def _taken(part: Any, value: Any) -> Iterator[Any]:
    """What stands in a structure in the places of slots."""
    if isinstance(part, Slot):
        yield value
    elif isinstance(part, Structured):
        for name, item in part.held.items():
            yield from _taken(item, own(value)[name])
    elif part is not None:
        for key, item in part.items() if isinstance(part, dict) else enumerate(part):
            yield from _taken(item, value[key])


def _put(part: Any, values: Iterator[Any]) -> Any:
    """A structure of slots with the next of ``values`` for each."""
    if isinstance(part, Slot):
        return next(values)
    if isinstance(part, Structured):
        return object_alike(part.value, **{name: _put(item, values) for name, item in part.held.items()})
    if part is None:
        return None
    items = part.items() if isinstance(part, dict) else enumerate(part)
    return rebuilt(part, {key: _put(item, values) for key, item in items})


def _same_structure(part: Any, given: Any, of: str) -> None:
    """Raise NonDifferentiableError unless ``given`` is a container with the entries of ``part``, or an object of its class."""
    keyed = isinstance(part, dict)
    wanted = f"a dict with the keys {', '.join(map(repr, part))}" if keyed else f"{article(type(part).__name__)} of {len(part)}"
    if isinstance(part, Structured):
        if type(given) is type(part.value):
            return
        problem, wanted = f"{of} is {article(type(given).__name__)}", article(type(part.value).__name__)
    elif not isinstance(given, dict if keyed else (list, tuple)):
        problem = f"{of} is {article(type(given).__name__)}"
    elif isinstance(given, dict) and given.keys() != part.keys():
        problem = f"{of} has the keys {', '.join(map(repr, given))}"
    elif len(given) != len(part):
        problem = f"{of} is {article(type(given).__name__)} of {len(given)}"
    else:
        return
    raise NonDifferentiableError(problem, why=f"it belongs to {wanted}", remedy=f"give {wanted}, with None for what has none")


def handed_out(data: Any, node: Any) -> Variable:
    """What a transform computed on Variables, for the caller's program: in a library run it looks like the array that it is."""
    return live(data, node) if WATCH.depth else on_graph(data, node)


def handed_on(tree: Any, inside: bool) -> Any:
    """The Variables that a run has left, for the caller's program: in memory of their own, and without a graph unless ``inside`` one."""

    def handed(variable: Any) -> Variable:
        data, node = variable._value, variable._node
        return handed_out(np.copy(data) if is_array(data) else data, node if inside and node is not VOLATILE else None)

    return mapped_into_run(tree, handed)
