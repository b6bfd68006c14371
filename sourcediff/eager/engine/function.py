"""Function: an operation of the user's own, with a forward on arrays and a backward."""

from __future__ import annotations

from typing import Any

from ...errors import InPlaceError, MissingRuleError, NonDifferentiableError
from ...runtime.arrays import is_array, is_number
from ..library_run.watch import refused
from .application import Context, applied
from .apply import leader, mixed_node, raw, records, variables_in
from .graph import results
from .inplace import change
from .nodes import Node, Recorded


class Function:
    """Base of operations with a backward of their own: subclass, and call ``Sub.apply(*args)``.

    ``forward(ctx, *args, **kwargs)`` computes on arrays; ``backward(ctx, *gradients)`` gets one gradient for each output and returns
    one for each positional argument, None for one without. Under ``create_graph`` it gets Variables and is recorded in turn.
    What it gets it may not write to, since others may have been given the same array: that raises InPlaceError.

    >>> from sourcediff.eager import Variable
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
        cls._refuse_old_style()
        variables = variables_in([*args, *kwargs.values()])
        direct = {id(arg) for arg in args}
        if any(variable.requires_grad for variable in variables if id(variable) not in direct):
            raise refused(MissingRuleError(
                f"{cls.__name__}.apply got a Variable that requires grad in a keyword or a container",
                why="backward returns gradients for the positional arguments only", remedy="pass it as a positional argument",
            ))
        ctx = Context()
        active = bool(variables) and records(variables)
        ctx.needs_input_grad = tuple(active and isinstance(arg, Recorded) and arg._node is not None for arg in args)
        given = told_apart(args)
        constants = {name: raw(value) for name, value in kwargs.items()}
        z = cls.forward(ctx, *given, **constants)
        if not variables:
            return z
        several = isinstance(z, (tuple, list))
        outputs = tuple(z) if several else (z,)
        if active:
            cls._refuse_unrecorded(outputs)
            node = applied(cls, ctx, args, [*given, *constants.values()], outputs, several)
            places = results(node, outputs) if several else [node]
        else:
            places = [mixed_node(variables)] * len(outputs)
        changed = cls._changed(ctx, args, given, outputs)
        lead = leader(variables)
        made = []
        for output, place in zip(outputs, places):
            if id(output) in changed:
                made.append(_in_place(cls, changed[id(output)], place))
            else:
                fixed = any(output is part for part in ctx._fixed)
                made.append(lead._result(output, mixed_node(variables) if fixed else place, None, args, {}))
        return tuple(made) if several else made[0]

    @classmethod
    def _refuse_unrecorded(cls, outputs: tuple[Any, ...]) -> None:
        for output in outputs:
            if isinstance(output, (Recorded, dict, list, tuple)):
                raise refused(NonDifferentiableError(
                    f"{cls.__name__}.forward returned a {type(output).__name__}",
                    why="its results are arrays and numbers: what else it returns has no place in the graph",
                    remedy="return an array or a tuple of arrays; a Variable that forward reads is to be an argument of apply",
                ))

    @classmethod
    def _refuse_old_style(cls) -> None:
        for style in ("forward", "backward"):
            if not isinstance(next(vars(base)[style] for base in cls.__mro__ if style in vars(base)), staticmethod):
                raise NonDifferentiableError(
                    f"{cls.__name__}.{style} is not static", why="what it needs to remember is kept in ctx, one for each application",
                    remedy=f"write @staticmethod def {style}(ctx, …)",
                )

    @classmethod
    def _changed(cls, ctx: Context, args: tuple[Any, ...], given: list[Any], outputs: tuple[Any, ...]) -> dict[int, Any]:
        """The arguments that ``forward`` has changed in place, by the identity of their arrays; all of them have to be returned."""
        changed = {}
        for dirty in ctx._dirty:
            if not any(dirty is output for output in outputs):
                raise refused(InPlaceError(
                    f"{cls.__name__}.forward marks an input as changed in place, and does not return it",
                    why="what the input has become has no place in the graph then", remedy="return it, or work on a copy of it",
                ))
            changed[id(dirty)] = next((arg for arg, value in zip(args, given) if value is dirty), dirty)
        return changed


def _in_place(cls: type[Function], variable: Any, node: Any) -> Any:
    """The input that ``forward`` has changed in place, at its new place in the graph."""
    if not hasattr(variable, "_node"):
        return variable  # an array that is no Variable's
    if variable._leads or isinstance(node, Node) and variable.is_leaf and variable.requires_grad:
        raise refused(InPlaceError(
            f"{cls.__name__} changes a leaf that requires grad in place", why="its gradient is that of the value it had",
            remedy="return a new array from forward",
        ))
    change(variable, node, f"{cls.__name__}.forward", lambda: None)  # it was changed already
    return variable


def told_apart(args: tuple[Any, ...]) -> list[Any]:
    """The arrays and numbers of the arguments, a different object for each, so that what ``forward`` saves can be told apart.

    The same array may come as an input that requires grad and as a constant (``x`` and ``x.detach()``), whose derivatives differ.
    """
    owner: dict[int, Any] = {}
    given = []
    for arg in args:
        value = raw(arg)
        if owner.setdefault(id(value), arg) is not arg:
            if is_array(value):
                value = value[...]
            elif isinstance(value, float) or is_number(value) and value.dtype.kind in "fc":
                value = type(value)(1) * value  # type: ignore[operator]
        given.append(value)
    return given
