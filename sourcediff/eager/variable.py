"""Variable: an array (or a number) and its place in the graph."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InPlaceError, NonDifferentiableError
from . import printing
from .accepting import accepted, differentiable, plainly
from .apply import plain
from .graph import HOOKED, VOLATILE, Leaf, Node, Recorded, results, tick
from .mutation import note_change

new = object.__new__


class Size(int):
    """The number of entries, which can also be called, as in PyTorch: ``x.size``, ``x.size()`` and ``x.size(0)``."""

    shape: tuple[int, ...]

    def __call__(self, dim: int | None = None) -> Any:
        return self.shape if dim is None else self.shape[dim]


class Variable(Recorded):
    """An array or a number that operations are recorded for.

    ``data`` is a float array (wrapped without copying), a nested list or a number; with ``requires_grad`` it becomes a leaf
    whose ``grad`` is filled by :meth:`backward`. ``volatile``: nothing made from it is recorded.
    Raises NonDifferentiableError for what has no gradient: integers with ``requires_grad``, object, masked or complex arrays.

    >>> x = Variable([1.0, 2.0], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> x.grad.data
    array([2., 4.])
    """

    __slots__ = ("__weakref__", "_grad", "_node", "_value")
    _leads = False
    __hash__ = object.__hash__

    if TYPE_CHECKING:  # given to the class by indexing.py, operators.py, inplace.py and methods.py

        def __getattr__(self, name: str) -> Any: ...

        def __getitem__(self, key: Any) -> Any: ...

        def __setitem__(self, key: Any, value: Any) -> None: ...

        def __abs__(self) -> Any: ...

        def __neg__(self) -> Any: ...

        def __add__(self, other: Any) -> Any: ...

        __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __add__
        __matmul__ = __rmatmul__ = __mod__ = __rmod__ = __floordiv__ = __rfloordiv__ = __add__

    def __init__(self, data: Any, requires_grad: bool = False, volatile: bool = False):
        data = accepted(data)
        self._value = data
        self._node = None
        if volatile:
            if requires_grad:
                raise ValueError("a Variable is volatile or requires grad, not both")
            self._node = VOLATILE
        elif requires_grad:
            self.requires_grad = True

    # The array and its facts

    @property
    def data(self) -> Any:
        """The array (or number) itself. Assigning it changes the value without being recorded."""
        return self._value

    @data.setter
    def data(self, value: Any) -> None:
        value = accepted(plain(value))
        if isinstance(value, np.ndarray) and value is self._value:  # w.data -= … has changed it in place
            note_change(value, ".data = …", tick(), rewrites=False)
        self._value = value

    @property
    def shape(self) -> tuple[int, ...]:
        return np.shape(self._value)

    @property
    def ndim(self) -> int:
        return np.ndim(self._value)

    @property
    def size(self) -> Size:
        size = Size(np.size(self._value))
        size.shape = self.shape
        return size

    @property
    def dtype(self) -> np.dtype[Any]:
        return getattr(self._value, "dtype", None) or np.asarray(self._value).dtype

    def dim(self) -> int:
        """The number of dimensions."""
        return self.ndim

    def numel(self) -> int:
        """The number of entries."""
        return int(self.size)

    def item(self, *index: Any) -> Any:
        """The one entry (or that at ``index``, by number or indices) as a Python number, without its graph."""
        return np.asarray(self._value).item(*index)

    def numpy(self) -> Any:
        """The array; raises NonDifferentiableError if it requires grad."""
        return np.asarray(self)

    def tolist(self) -> Any:
        """The entries as nested lists, without their graph."""
        return np.asarray(self._value).tolist()

    # The graph

    @property
    def requires_grad(self) -> bool:
        """Whether gradients flow to this Variable; settable on leaves."""
        return self._node is not None and self._node is not VOLATILE

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if not self.is_leaf:
            raise InPlaceError(
                "requires_grad can be set on leaves only", why="this Variable was made by an operation, which decides it",
                remedy="use variable.detach() for a copy without a graph",
            )
        if not value:
            self._node = None
            return
        differentiable(self._value)
        if not self.requires_grad:
            self._node = Leaf(self)

    @property
    def volatile(self) -> bool:
        """Whether nothing made from this Variable is recorded."""
        return self._node is VOLATILE

    @volatile.setter
    def volatile(self, value: bool) -> None:
        if value:
            if not self.is_leaf:
                raise ValueError("volatile can be set on leaves only")
            self._node = VOLATILE
        elif self._node is VOLATILE:
            self._node = None

    @property
    def is_leaf(self) -> bool:
        """Whether the user made this Variable, or nothing was recorded for it."""
        return not isinstance(self._node, Node)

    @property
    def grad_fn(self) -> Node | None:
        """The node that made this Variable; None for a leaf."""
        return self._node if isinstance(self._node, Node) else None

    creator = grad_fn

    @property
    def grad(self) -> Variable | None:
        """The gradient, accumulated over calls of ``backward``, or None."""
        try:
            return self._grad  # type: ignore[no-any-return]
        except AttributeError:
            return None

    @grad.setter
    def grad(self, value: Any) -> None:
        if value is not None and not isinstance(value, Variable):
            value = Variable(value)
        if value is not None and value.shape != self.shape:
            raise ValueError(f"a gradient of shape {value.shape} was assigned to a Variable of shape {self.shape}")
        self._grad = value

    def backward(self, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False) -> None:
        """Add the gradient of this Variable to ``grad`` of every leaf that it depends on.

        ``gradient`` is the seed, of this Variable's shape; one entry needs none (1.0). The graph is freed unless
        ``retain_graph`` (by default what ``create_graph`` is: the gradients can be differentiated again).
        Raises NonDifferentiableError without a graph or without a seed where one is needed, GraphFreedError the second time.
        """
        from .backward import backward

        backward([self], [gradient], retain_graph, create_graph)

    def detach(self) -> Variable:
        """A Variable of the same array, without a graph. A volatile one stays volatile."""
        return on_graph(self._value, VOLATILE if self._node is VOLATILE else None)

    def detach_(self) -> Variable:
        """Cut this Variable itself off its graph: it becomes a leaf that requires no grad."""
        self._node = VOLATILE if self._node is VOLATILE else None
        return self

    def register_hook(self, hook: Callable[[Variable], Any]) -> Callable[[], None]:
        """Call ``hook(gradient)`` when this Variable's gradient is known; what it returns, unless None, replaces it.

        Returns a function that removes the hook.
        """
        if not self.requires_grad:
            raise NonDifferentiableError(
                "a hook needs a Variable that requires grad", why="no gradient ever comes to this one",
                remedy="make it with Variable(data, requires_grad=True), or of such Variables",
            )

        def called(g: Any) -> Any:
            if isinstance(g, Recorded):
                return hook(g)  # type: ignore[arg-type]
            changed = hook(on_graph(g, None))
            return None if changed is None else plain(changed)

        node = self._node
        if not hasattr(node, "hooks"):
            node.hooks = []
        node.hooks.append(called)
        HOOKED.append(True)
        return lambda: node.hooks.remove(called)

    def retain_grad(self) -> None:
        """Keep the gradient of this Variable in ``grad``, though it is no leaf."""
        import weakref

        if self.is_leaf:
            return
        myself = weakref.ref(self)

        def keep(gradient: Variable) -> None:
            variable = myself()
            if variable is not None:
                have = variable.grad
                variable._grad = gradient if have is None else have + gradient

        self.register_hook(keep)

    # Results: the places where a library run's Variables differ

    def _result(self, z: Any, node: Any, function: Any, args: Any, kwargs: Any) -> Any:
        """The Variable (or Variables, or plain value) that a function's result ``z`` becomes."""
        if isinstance(z, (np.ndarray, np.inexact, float)):
            if type(z) is not np.ndarray and isinstance(z, np.ndarray):
                plainly(z)
            if isinstance(z, float) or z.dtype.kind == "f":
                return on_graph(z, node)
            if z.dtype.kind in "cO" and node is not None and node is not VOLATILE:
                differentiable(z)
            return z
        if isinstance(z, (tuple, list)) and z:
            if node is None or node is VOLATILE:
                values = [self._result(part, node, function, args, kwargs) for part in z]
            else:
                values = [self._result(*both, function, args, kwargs) for both in zip(z, results(node, z))]
            return type(z)(*values) if hasattr(z, "_fields") else type(z)(values) if type(z) in (tuple, list) else z
        return z

    def _ruleless(self, function: Any, args: Any, kwargs: Any, node: Any) -> Any:
        """Call a function that has no rule on arguments of which none requires grad."""
        z = function(*map(plain, args), **{name: plain(value) for name, value in kwargs.items()})
        return self._result(z, node, function, args, kwargs)

    # NumPy's protocols

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        raise NotImplementedError  # given by protocols.py

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        raise NotImplementedError  # given by protocols.py

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        self._refuse("np.asarray or a function that is not NumPy's")
        return np.array(self._value, dtype=dtype, copy=copy)

    def _refuse(self, what: str) -> None:
        if self.requires_grad:
            raise NonDifferentiableError(
                f"{what} was applied to a Variable that requires grad",
                why="the result would be a plain number or array and silently lose its gradient",
                remedy="use .item() or .data (or .detach()) where a constant is meant, and NumPy's functions (np.stack for a list of "
                       "Variables) where not",
            )

    def __float__(self) -> float:
        self._refuse("float()")
        return float(self._value)

    def __int__(self) -> int:
        self._refuse("int()")
        return int(self._value)

    def __index__(self) -> int:
        self._refuse("an index or range()")
        return self._value.__index__()  # type: ignore[no-any-return]

    def __complex__(self) -> complex:
        self._refuse("complex()")
        return complex(self._value)

    # A sequence of its rows

    def __bool__(self) -> bool:
        return bool(self._value)

    def __len__(self) -> int:
        return len(self._value)

    def __iter__(self) -> Iterator[Any]:
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d Variable")
        return (self[i] for i in range(len(self._value)))

    def __contains__(self, value: Any) -> bool:
        return plain(value) in self._value

    def __repr__(self) -> str:
        return printing.shown(self)

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if spec else str(self)

    # Copies: the value and whether it requires grad, never the graph

    def __copy__(self) -> Variable:
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: Any) -> Variable:
        if not self.is_leaf:
            raise NonDifferentiableError(
                "only leaves can be copied or pickled", why="this Variable has a graph, which would be copied with it",
                remedy="use variable.clone() or variable.detach()",
            )
        copied = Variable(np.array(self._value) if isinstance(self._value, np.ndarray) else self._value, self.requires_grad, self.volatile)
        if self.grad is not None:
            copied.grad = self.grad.__deepcopy__(memo)
        return copied

    def __reduce__(self) -> Any:
        if not self.is_leaf:
            raise NonDifferentiableError(
                "only leaves can be copied or pickled", why="this Variable has a graph, which would be stored with it",
                remedy="use variable.detach()",
            )
        return Variable, (self._value, self.requires_grad, self.volatile)


def entry_at(index: tuple[Any, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    """The indices of the entry that ``array.item(*index)`` gives.

    >>> entry_at((-1,), (2, 3)), entry_at((0, 1), (2, 3)), entry_at(((0, 1),), (2, 3))
    ((1, 2), (0, 1), (0, 1))
    """
    if len(index) == 1 and isinstance(index[0], tuple):
        (index,) = index
    if len(index) == 1 and len(shape) != 1:
        return tuple(map(int, np.unravel_index(range(math.prod(shape))[index[0]], shape)))
    if len(index) != len(shape):
        raise ValueError("incorrect number of indices for array")
    return index


def on_graph(data: Any, node: Any) -> Variable:
    """The Variable of an array at a place in the graph."""
    variable = new(Variable)
    variable._value = data
    variable._node = node
    return variable
