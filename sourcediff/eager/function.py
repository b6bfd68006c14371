"""Function: an operation of the user's own, with a forward on arrays and a backward."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InPlaceError, MissingRuleError, NonDifferentiableError
from .apply import leader, mixed_node, plain, records, variables_in
from .graph import Kind, Node, Recorded, kind_of, record, restored, results, tick
from .mutation import note_change
from .variable import Variable, on_graph
from .watch import refused


class Context:
    """What ``forward`` leaves for ``backward``: ``save_for_backward``, any attribute, and ``needs_input_grad``."""

    needs_input_grad: tuple[bool, ...] = ()

    def __init__(self) -> None:
        self._saved: tuple[Any, ...] = ()
        self._fixed: tuple[Any, ...] = ()
        self._dirty: tuple[Any, ...] = ()

    def save_for_backward(self, *arrays: Any) -> None:
        """Keep inputs and outputs for ``backward``, where ``saved_tensors`` gives them (as Variables under ``create_graph``)."""
        self._saved = arrays

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What ``save_for_backward`` was given."""
        return self._saved

    saved_variables = saved_tensors

    def mark_non_differentiable(self, *outputs: Any) -> None:
        """These outputs have no gradient."""
        self._fixed = outputs

    def mark_dirty(self, *inputs: Any) -> None:
        """These inputs were changed in place (and are returned)."""
        self._dirty = inputs


class Function:
    """Base of operations with a backward of their own: subclass, and call ``Sub.apply(*args)``.

    ``forward(ctx, *args, **kwargs)`` computes on arrays; ``backward(ctx, *gradients)`` gets one gradient for each output and returns
    one for each positional argument, None for one without. Under ``create_graph`` it gets Variables and is recorded in turn.

    >>> class Cube(Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x ** 3
    ...
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         (x,) = ctx.saved_tensors
    ...         return g * 3 * x ** 2
    >>> x = Variable(2.0, requires_grad=True)
    >>> Cube.apply(x).backward()
    >>> x.grad.item()
    12.0
    """

    @staticmethod
    def forward(ctx: Context, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("a Function needs a static forward(ctx, *args)")

    @staticmethod
    def backward(ctx: Context, *grad_outputs: Any) -> Any:
        raise NotImplementedError("a Function needs a static backward(ctx, *grad_outputs)")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        name = type(self).__name__
        raise NonDifferentiableError(
            f"{name} was called as an instance, the old style",
            why="what one application saves on an instance the next one would overwrite",
            remedy=f"make forward and backward static, with ctx first, and write {name}.apply(…)",
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run ``forward`` on the arrays of the arguments, and record ``backward`` if one of them requires grad."""
        for style in ("forward", "backward"):
            if not isinstance(cls._static(style), staticmethod):
                raise NonDifferentiableError(
                    f"{cls.__name__}.{style} is not static", why="what it needs to remember is kept in ctx, one for each application",
                    remedy=f"write @staticmethod def {style}(ctx, …)",
                )
        variables = variables_in([*args, *kwargs.values()])
        hidden = {id(v) for v in variables} - {id(arg) for arg in args}
        if any(v.requires_grad for v in variables if id(v) in hidden):
            raise refused(MissingRuleError(
                f"{cls.__name__}.apply got a Variable that requires grad in a keyword or a container",
                why="backward returns gradients for the positional arguments only", remedy="pass it as a positional argument",
            ))
        ctx = Context()
        active = bool(variables) and records(variables)
        ctx.needs_input_grad = tuple(active and isinstance(arg, Recorded) and arg._node is not None for arg in args)
        z = cls.forward(ctx, *map(plain, args), **{name: plain(value) for name, value in kwargs.items()})
        if not variables:
            return z
        lead = leader(variables)
        if not active:
            return lead._result(z, mixed_node(variables), None, (), {})
        return cls._recorded(ctx, args, z, lead)

    @classmethod
    def _static(cls, name: str) -> Any:
        return next(vars(base)[name] for base in cls.__mro__ if name in vars(base))

    @classmethod
    def _recorded(cls, ctx: Context, args: tuple[Any, ...], z: Any, lead: Variable) -> Any:
        outputs = z if isinstance(z, tuple) else (z,)
        inputs = [arg for arg, needs in zip(args, ctx.needs_input_grad) if needs]
        step = _Backward(cls, tuple(map(plain, args)), ctx.needs_input_grad, z)
        node = record(step, tuple(v._node for v in inputs), (ctx, *ctx._saved), tuple(kind_of(v._value) for v in inputs))
        made = []
        for output, place in zip(outputs, results(node, outputs) if isinstance(z, tuple) else [node]):
            if any(output is fixed for fixed in ctx._fixed):
                made.append(lead._result(output, None, None, args, {}))
            elif any(output is dirty for dirty in ctx._dirty):
                made.append(_changed(cls, next(arg for arg in args if plain(arg) is output), place))
            else:
                made.append(lead._result(output, place, None, args, {}))
        ctx._fixed = ctx._dirty = ()
        return tuple(made) if isinstance(z, tuple) else made[0]


def _changed(cls: type[Function], variable: Any, node: Node) -> Any:
    """The input that ``forward`` has changed in place, at its new place in the graph."""
    if variable._leads or variable.is_leaf and variable.requires_grad:
        raise refused(InPlaceError(
            f"{cls.__name__} changes a leaf that requires grad in place", why="its gradient is that of the value it had",
            remedy="return a new array from forward",
        ))
    note_change(variable._value, f"{cls.__name__}.forward", tick(), rewrites=True)
    node.seq = tick()
    variable._node = node
    return variable


class _Backward:
    """The plan of one application of a Function."""

    selects = singular = single = False

    def __init__(self, cls: type[Function], args: tuple[Any, ...], needs: tuple[bool, ...], z: Any):
        self.cls = cls
        self.name = cls.__name__
        self.needs = needs
        self.several = isinstance(z, tuple)
        self.args = [id(arg) for arg in args]
        self.results = [id(output) for output in (z if self.several else (z,))]
        self.guarded = self.backward

    def backward(self, g: Any, ctx: Context, *saved: Any) -> list[Any]:
        ctx._saved = saved
        found = self.cls.backward(ctx, *g) if self.several else self.cls.backward(ctx, g)
        found = found if isinstance(found, tuple) else (found,)
        if len(found) != len(self.needs) and not (len(found) > len(self.needs) and all(g is None for g in found[len(self.needs):])):
            raise NonDifferentiableError(
                f"{self.name}.backward returned {len(found)} gradients for {len(self.needs)} arguments of forward",
                why="each argument gets its own, by position",
                remedy="return one for each, None for an argument without gradient",
            )
        return [g for g, needs in zip(found, self.needs) if needs]

    def recorded(self, node: Node, g: Any, selected: bool) -> list[Any]:
        assert node.saved is not None
        ctx, *saved = node.saved
        edges = dict(zip((position for position, needs in enumerate(self.needs) if needs), node.edges))
        linked = []
        for value in saved:
            if id(value) in self.args:
                value = on_graph(value, edges.get(self.args.index(id(value))))
            elif id(value) in self.results:
                places = results(node, g) if self.several else [node]
                value = on_graph(value, places[self.results.index(id(value))])
            elif _is_float_array(value):
                raise _unlinked(self.name, "something saved that is neither an input nor an output")
            linked.append(value)
        for name, value in vars(ctx).items():
            if not name.startswith("_") and _is_float_array(value) and id(value) not in self.args:
                raise _unlinked(self.name, f"the array ctx.{name}")
        return self.backward(g, ctx, *linked)

    def restore(self, contributions: Any, kinds: tuple[Kind, ...]) -> list[Any]:
        made = []
        for g, (shape, dtype) in zip(contributions, kinds):
            if g is None:
                g = np.zeros(shape, dtype)
            elif np.shape(g) != shape:
                raise NonDifferentiableError(
                    f"{self.name}.backward returned a gradient of shape {np.shape(g)} for an argument of shape {shape}",
                    why="a gradient has the shape of what it belongs to", remedy="sum it over the axes that forward has broadcast",
                )
            made.append(restored(g, (shape, dtype)))
        return made


def _is_float_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind == "f"


def _unlinked(name: str, what: str) -> MissingRuleError:
    return MissingRuleError(
        f"{name}.backward cannot be differentiated", why=f"it reads {what}, whose own dependence on the inputs is not recorded",
        remedy="save inputs and outputs only (ctx.save_for_backward), and compute the rest from them in backward",
    )


