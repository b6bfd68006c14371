"""One application of a user's Function: what ``forward`` has left in ctx, and how backward goes through it."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import MissingRuleError, NonDifferentiableError, article
from ...runtime.arrays import blank, is_array, is_foreign, is_number
from .apply import raw
from .graph import record, restored, results
from .hooks import read_only, sealed
from .nodes import Kind, Node, Recorded, kind_of
from .variable import on_graph

CONSTANT, INPUT, OUTPUT, UNKNOWN = "constant", "input", "output", "unknown"


class Context:
    """What ``forward`` leaves for ``backward``: ``save_for_backward``, any attribute, and ``needs_input_grad``.

    Each run of ``backward`` gets a context of its own: what it assigns there, the next run does not see.
    """

    needs_input_grad: tuple[bool, ...] = ()

    def __init__(self) -> None:
        self._saved: tuple[Any, ...] = ()
        self._fixed: tuple[Any, ...] = ()
        self._dirty: tuple[Any, ...] = ()

    def __copy__(self) -> Context:
        own = type(self).__new__(type(self))
        vars(own).update(vars(self))
        return own

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


class UserApplication:
    """The plan of one application of a Function.

    What the node saves is the context, what ``save_for_backward`` was given, and the arrays among the context's attributes: so the
    engine sees them all, frees them, and refuses those that were overwritten. ``sources`` says of each what it is.
    """

    selects = singular = single = adds = stores = False

    def __init__(self, cls: Any, needs: tuple[bool, ...], several: bool, count: int, attributes: tuple[str, ...], sources: Any, like: Any):
        self.cls = cls
        self.name = cls.__name__
        self.needs = needs
        self.several = several
        self.count = count
        self.attributes = attributes
        self.sources = sources
        self.like = like
        self.guarded = self.backward

    def backward(self, g: Any, saved: Sequence[Any]) -> list[Any]:
        ctx, *kept = saved
        return [None if part is None else raw(part) for part in self._run(g, ctx, kept)]

    def recorded(self, node: Node, g: Any, selected: bool) -> list[Any]:
        assert node.saved is not None
        ctx, *kept = node.saved
        edges = dict(zip((position for position, needs in enumerate(self.needs) if needs), node.edges))
        places = results(node, g) if self.several else [node]
        names = [f"something that {self.name}.forward saved"] * self.count + [f"ctx.{name}" for name in self.attributes]
        for i, (kind, position) in enumerate(self.sources):
            if kind is UNKNOWN:
                raise MissingRuleError(
                    f"{self.name}.backward cannot be differentiated",
                    why=f"it reads {names[i]}, computed by forward, whose own dependence on the inputs is not recorded",
                    remedy="save inputs and outputs only, and compute the rest from them in backward",
                )
            if kind is not CONSTANT:
                kept[i] = on_graph(kept[i], edges[position] if kind is INPUT else places[position])
        return self._run(g, ctx, kept)

    def _run(self, g: Any, ctx: Context, kept: list[Any]) -> list[Any]:
        own = copy.copy(ctx)
        own._saved = tuple(kept[:self.count])
        vars(own).update(zip(self.attributes, kept[self.count:]))
        try:
            found = self.cls.backward(own, *map(sealed, g)) if self.several else self.cls.backward(own, sealed(g))
        except ValueError as error:
            if "read-only" in str(error):
                raise read_only(f"{self.name}.backward", "g = g * 2 for g *= 2") from error
            raise
        found = found if isinstance(found, (tuple, list)) else (found,)
        if len(found) < len(self.needs) or any(extra is not None for extra in found[len(self.needs):]):
            raise NonDifferentiableError(
                f"{self.name}.backward returned {len(found)} gradients for {len(self.needs)} arguments of forward",
                why="each argument gets its own, by position",
                remedy="return one for each, None for an argument without gradient",
            )
        return [gradient for gradient, needs in zip(found, self.needs) if needs]

    def restore(self, contributions: Any, kinds: tuple[Kind, ...]) -> list[Any]:
        return [self._gradient(gradient, kind) for gradient, kind in zip(contributions, kinds)]

    def _gradient(self, gradient: Any, kind: Kind) -> Any:
        """What backward returned for an argument of this kind, as its contribution."""
        if gradient is None:
            return blank(kind[0], self.like, kind[1])
        if not (isinstance(gradient, (int, float, complex, Recorded)) or is_array(gradient) or is_number(gradient)):
            what = f"{article(type(gradient).__name__)}"
        elif getattr(gradient, "dtype", np.dtype(float)).kind not in "biufc":
            what = f"an array of {gradient.dtype}"
        elif np.shape(gradient) != kind[0]:
            what = f"a gradient of shape {np.shape(gradient)}"
        else:
            given = gradient[...] if is_array(raw(gradient)) else gradient  # a view: others may have that array, so no grad will be it
            return restored(given, kind)
        raise NonDifferentiableError(
            f"{self.name}.backward returned {what} for an argument of shape {kind[0]}",
            why="a gradient is an array of the shape of what it belongs to",
            remedy="sum it over the axes that forward has broadcast, or return None",
        )


def applied(cls: Any, ctx: Context, args: tuple[Any, ...], given: list[Any], outputs: tuple[Any, ...], several: bool) -> Node:
    """The node of an application: ``given`` is what ``forward`` got for the ``args``, and then for keywords."""
    needs = ctx.needs_input_grad
    attributes = tuple(name for name, value in vars(ctx).items() if not name.startswith("_") and _is_float(value))
    kept = [_held(value) for value in (*ctx._saved, *(getattr(ctx, name) for name in attributes))]
    sources = [_source(value, given, outputs, ctx) for value in kept]
    like = next((blank((0,), output) for output in outputs if is_foreign(output)), None)  # of the library of the gradients
    plan = UserApplication(cls, needs, several, len(ctx._saved), attributes, sources, like)
    inputs = [arg for arg, needed in zip(args, needs) if needed]
    own = copy.copy(ctx)
    own._saved = own._fixed = own._dirty = ()
    for name in attributes:
        delattr(own, name)
    return record(plan, tuple(v._node for v in inputs), (own, *kept), tuple(kind_of(v._value) for v in inputs))


def _source(value: Any, given: list[Any], outputs: tuple[Any, ...], ctx: Context) -> tuple[str, int]:
    """What a value that ``forward`` left is: an input or an output (and which), a constant, or computed, nobody knows how."""
    needs = ctx.needs_input_grad
    for position, arg in enumerate(given):
        if arg is value and not any(value is dirty for dirty in ctx._dirty):  # else it is the output by now
            return (INPUT, position) if position < len(needs) and needs[position] else (CONSTANT, 0)
    for position, output in enumerate(outputs):
        if output is value:
            return (CONSTANT, 0) if any(value is fixed for fixed in ctx._fixed) else (OUTPUT, position)
    return (UNKNOWN if _is_float(value) else CONSTANT), 0


def _is_float(value: Any) -> bool:
    """Whether a value is an array or a NumPy number of floats, or holds one. (A Python float says itself that it is a constant.)"""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return any(map(_is_float, value))
    return hasattr(value, "dtype") and value.dtype.kind in "fc"


def _held(value: Any) -> Any:
    """What the node keeps of a value that ``forward`` left; of a container a copy, since only arrays are watched for changes."""
    return copy.deepcopy(value) if isinstance(value, (dict, list, tuple)) and _is_float(value) else value
