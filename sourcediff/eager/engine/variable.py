"""Variable: an array (or a number) and its place in the graph."""

from __future__ import annotations

import copy
import operator
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import InPlaceError, NonDifferentiableError
from ...runtime.arrays import has_complex, is_array, is_foreign, is_host_array
from . import printing
from .accepting import accepted, differentiable, plainly
from .apply import raw, variables_in
from .graph import results
from .mutation import REWRITTEN, note_change, owner_of
from .nodes import VOLATILE, Leaf, Node, Recorded, tick
from .views import DETACHED, link, refresh

new = object.__new__


class Size(int):
    """The number of entries, which can also be called, as in PyTorch: ``x.size``, ``x.size()`` and ``x.size(0)``."""

    shape: tuple[int, ...]

    def __call__(self, dim: int | None = None) -> Any:
        return self.shape if dim is None else self.shape[dim]


class Variable(Recorded):
    """An array or a number that operations are recorded for.

    ``data`` is an array of floats, real or complex (wrapped without copying), a nested list or a number; with ``requires_grad`` it
    becomes a leaf whose ``grad`` is filled by :meth:`backward`. ``volatile``: nothing made from it is recorded.
    Raises NonDifferentiableError for what has no gradient: integers with ``requires_grad``, object and masked arrays.

    >>> x = Variable([1.0, 2.0], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> x.grad.data
    array([2., 4.])
    """

    __slots__ = ("__weakref__", "_base", "_grad", "_node", "_value")
    _base: tuple[Any, Any] | None
    _leads = False
    __hash__ = object.__hash__

    if TYPE_CHECKING:  # given to the class by install.py

        def __getitem__(self, key: Any) -> Any: ...

        def __setitem__(self, key: Any, value: Any) -> None: ...

        def backward(
            self, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
            retain_variables: bool | None = None,
        ) -> None: ...

        def __abs__(self) -> Any: ...

        def __neg__(self) -> Any: ...

        def __add__(self, other: Any) -> Any: ...

        __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __add__
        __matmul__ = __rmatmul__ = __mod__ = __rmod__ = __floordiv__ = __rfloordiv__ = __add__

    def __init__(self, data: Any, requires_grad: bool = False, volatile: bool = False):
        if type(data) is not np.ndarray or data.dtype.kind != "f":  # the commonest need not be looked into
            if isinstance(data, Variable):
                data._refuse("Variable()")
            data = accepted(data)
            if requires_grad and not volatile:
                differentiable(data)
        self._value = data
        self._node = None
        if REWRITTEN and is_array(data) and id(owner_of(data)) in REWRITTEN:
            self._base = DETACHED  # made of the .data of another: the numbers as they are now
        if volatile:
            if requires_grad:
                raise ValueError("a Variable is volatile or requires grad, not both")
            self._node = VOLATILE
        elif requires_grad:
            self._node = Leaf(self)
            settle(self)

    # The array and its facts

    @property
    def data(self) -> Any:
        """The array (or number) itself. Assigning it changes the value without being recorded.

        Raises NonDifferentiableError for what cannot require grad where this Variable does, ValueError for an array of another shape
        where the graph, or a gradient that ``grad`` has already, is of this one.
        """
        return self._value

    @data.setter
    def data(self, value: Any) -> None:
        value = accepted(raw(value))
        if value is self._value and is_array(value):  # w.data -= … has changed it in place
            note_change(value, ".data = …", tick(), rewrites=False)
        else:
            if self.requires_grad:
                differentiable(value)
            if np.shape(value) != self.shape and (self.grad is not None or not self.is_leaf):
                what = "has a graph" if not self.is_leaf else "has a gradient (x.grad = None takes it away)"
                raise ValueError(f"data of shape {np.shape(value)} were assigned to a Variable of shape {self.shape} that {what}")
            self._base = None
            if self.requires_grad:
                self._node.kind = None
        self._value = value
        settle(self)

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
        data = self._value
        return data.item(*index) if hasattr(data, "item") else np.asarray(data).item(*index)

    def numpy(self) -> Any:
        """The array; raises NonDifferentiableError if it requires grad."""
        return np.asarray(self)

    def tolist(self) -> Any:
        """The entries as nested lists, without their graph."""
        data = self._value
        return data.tolist() if hasattr(data, "tolist") else np.asarray(data).tolist()

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
            self._node = VOLATILE if self.volatile else None
            return
        differentiable(self._value)
        if not self.requires_grad:
            self._node = Leaf(self)
            settle(self)

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
        if REWRITTEN:
            refresh(self)
        return self._node if isinstance(self._node, Node) else None

    creator = grad_fn

    @property
    def grad(self) -> Variable | None:
        """The gradient, accumulated over calls of ``backward``, or None."""
        return getattr(self, "_grad", None)

    @grad.setter
    def grad(self, value: Any) -> None:
        if value is not None and not isinstance(value, Variable):
            value = Variable(value)
        if value is not None and value.shape != self.shape:
            raise ValueError(f"a gradient of shape {value.shape} was assigned to a Variable of shape {self.shape}")
        self._grad = value

    def detach(self) -> Variable:
        """A Variable of the same array, without a graph. A volatile one stays volatile."""
        return constant(self._value, VOLATILE if self._node is VOLATILE else None)

    def detach_(self) -> Variable:
        """Cut this Variable itself off its graph: it becomes a leaf that requires no grad."""
        self._node = VOLATILE if self._node is VOLATILE else None
        self._base = DETACHED
        return self

    # Results: the places where a library run's Variables differ

    def _result(self, z: Any, node: Any, function: Any, args: Any, kwargs: Any) -> Any:
        """The Variable (or Variables, or plain value) that a function's result ``z`` becomes."""
        if type(z) is np.ndarray or isinstance(z, (np.number, float, complex)) or is_host_array(z) or is_foreign(z):
            if type(z) is not np.ndarray and is_host_array(z):
                plainly(z)
            if isinstance(z, (float, complex)) or z.dtype.kind in "fc" or z.dtype == self.dtype:  # integers of integers
                made = on_graph(z, node)
                if getattr(z, "base", None) is not None or any(z is raw(arg) for arg in args):
                    link(made, variables_in([*args, *kwargs.values()]), function, args)
                return made
            if z.dtype.kind == "O" and node is not None and node is not VOLATILE:
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
        z = function(*map(raw, args), **{name: raw(value) for name, value in kwargs.items()})
        return self._result(z, node, function, args, kwargs)

    # NumPy's protocols

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        self._refuse("np.asarray or a function that is not NumPy's")
        if is_foreign(self._value):
            raise NonDifferentiableError(
                f"a Variable of a {type(self._value).__module__} array was given to np.asarray or a function that is not NumPy's",
                why="it lies in another memory, and is not moved unasked", remedy="use variable.cpu() first",
            )
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
        return operator.index(self._value)

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
        return raw(value) in self._value

    def __repr__(self) -> str:
        return printing.printed(self) + printing.maker(self)

    def __str__(self) -> str:
        return printing.printed(self)

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if spec else str(self)

    # Copies: the value, its gradient, whether it requires grad or is volatile; never the graph

    def __copy__(self) -> Variable:
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: Any) -> Variable:
        self._refuse_graph("copied")
        copied = Variable(copy.deepcopy(self._value, memo), self.requires_grad, self.volatile)
        copied.grad = copy.deepcopy(self.grad, memo)
        return copied

    def __reduce__(self) -> Any:
        self._refuse_graph("pickled")
        return Variable, (self._value, self.requires_grad, self.volatile), self.grad

    def __setstate__(self, gradient: Variable) -> None:
        self.grad = gradient

    def _refuse_graph(self, what: str) -> None:
        if not self.is_leaf:
            raise NonDifferentiableError(
                f"only leaves can be {what}", why=f"this Variable has a graph, which would be {what} with it",
                remedy="use variable.detach(), or variable.clone() for a copy that is recorded",
            )


class ComplexVariable(Variable):
    """A Variable of complex numbers: what requires grad and is complex is one of these.

    The operators of a class of its own go the general way, which asks the rules about complex numbers; so that of real numbers need not.
    """

    __slots__ = ()


def settle(variable: Variable) -> None:
    """Give a Variable that was told to require grad, or was given other data, the class that its numbers ask for."""
    if type(variable) is Variable and variable._node is not None and has_complex(variable._value):
        variable.__class__ = ComplexVariable


def on_graph(data: Any, node: Any) -> Variable:
    """The Variable of an array at a place in the graph."""
    variable = new(Variable if node is None or not has_complex(data) else ComplexVariable)
    variable._value = data
    variable._node = node
    return variable


def constant(data: Any, node: Any = None) -> Variable:
    """The Variable of the numbers that are in an array now, whatever was recorded of its memory."""
    variable = on_graph(data, node)
    variable._base = DETACHED
    return variable
