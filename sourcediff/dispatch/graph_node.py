"""A compiled function that is called with Variables is one node of their graph, and generated code is its backward.

The node's outputs are the value and its gradients, from one call of generated code. What arrives at the value goes back times the
gradient; what arrives at a gradient (of a loss that is made of gradients, or under ``create_graph``) goes back by the Hessian, which the
eager engine applies: it runs the function again on what the node has saved. So derivatives of any order follow; what the function reads
from outside has to be then as it was at the call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..eager.engine.apply import raw
from ..eager.engine.backward import grad
from ..eager.engine.function import Function
from ..eager.engine.nodes import Recorded
from ..eager.engine.variable import Variable
from ..eager.library_run.recording import run_gradient
from ..eager.library_run.watch import WATCH
from ..errors import InternalError, SourcediffError
from ..runtime.arrays import has_complex, is_array, is_plain_array, keep_zeros, library_of
from ..runtime.structures import copied
from ..runtime.trees import leaves, mapped
from ..runtime.user_objects import is_users
from .arguments import as_float, holds_variables
from .dispatcher import Dispatcher
from .entry import Entry
from .fallback import Fall
from .replayable import Lasting

CONTAINERS = (dict, list, tuple)


class RecordedCall:
    """One call with Variables: the arguments, and where in them the floats are that have a gradient.

    Arrays and containers among the arguments are copied, since the program may change them before the call is made again.
    """

    def __init__(self, dispatcher: Dispatcher, entry: Entry, values: Sequence[Any], names: tuple[str, ...]):
        self.dispatcher = dispatcher
        self.function = dispatcher.function  # it lives as long as the graph: it may be run again
        self.entry = entry
        self.values = {name: copied(value, True) for name, value in zip(dispatcher.parameters, values)}
        self.names = names
        others = {name: [part for part in parts_of_value(value) if not is_copied(part)] for name, value in self.values.items()}
        self.outside = Lasting(entry.surroundings, others)

    @property
    def leaves(self) -> list[Any]:
        """The floats among the arguments, in order: Variables, arrays and numbers."""
        return [leaf for name in self.names for _, leaf in leaves(self.values[name])]

    def arguments(self, found: Sequence[Any]) -> dict[str, Any]:
        """The arguments by name, with these in place of the leaves."""
        rest = iter(found)
        return {name: mapped(lambda _: next(rest), value) if name in self.names else raw(value) for name, value in self.values.items()}

    def outputs(self, found: Sequence[Any]) -> tuple[Any, ...]:
        """The value and the gradients by generated code, flat."""
        value, gradients = self.dispatcher.called(self.entry, list(self.arguments(found).values()))
        return (value, *(leaf for gradient in gradients for _, leaf in leaves(gradient)))

    def second(self, found: Sequence[Any], cotangents: Sequence[Any]) -> list[Any]:
        """The Hessian times ``cotangents``, as far as it concerns those of the leaves that are Variables on a graph (else all)."""
        self.outside.check()
        on_graph = any(isinstance(leaf, Recorded) for leaf in found)
        at = list(found) if on_graph else [Variable(leaf, requires_grad=True) for leaf in found]
        _, gradients = run_gradient(self.function, self.arguments(at), self.names)
        pairs = [
            (output, u) for output, u in zip((leaf for part in gradients for _, leaf in leaves(part)), cotangents)
            if isinstance(output, Variable) and output.requires_grad
        ]
        asked = [leaf for leaf in at if isinstance(leaf, Variable) and leaf.requires_grad]
        if not pairs or not asked:
            return [None] * len(at)
        outputs, seeds = zip(*pairs)
        results = iter(grad(outputs, asked, seeds, create_graph=on_graph, allow_unused=True))
        return [next(results) if isinstance(leaf, Variable) and leaf.requires_grad else None for leaf in at]


class Compiled(Function):
    """The node."""

    @staticmethod
    def forward(ctx: Any, call: RecordedCall, *found: Any) -> Any:
        outputs = call.outputs(found)
        ctx.call = call
        ctx.save_for_backward(*found, *outputs[1:])
        return outputs

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        g, *others = cotangents
        count = len(ctx.saved_tensors) // 2
        found, gradients = ctx.saved_tensors[:count], ctx.saved_tensors[count:]
        contributions = [times(g, gradient) for gradient in gradients]
        if any(getattr(u, "requires_grad", False) or np.any(raw(u)) for u in others):
            second = ctx.call.second(found, others)
            contributions = [c if more is None else c + more for c, more in zip(contributions, second)]
            if not any(isinstance(part, Recorded) for part in (*cotangents, *ctx.saved_tensors)):
                contributions = list(map(raw, contributions))
        return (None, *contributions)


def times(g: Any, gradient: Any) -> Any:
    """What arrives at the value, times a gradient; an adjoint that is zero stays zero where the gradient is infinite."""
    if isinstance(g, Recorded) or isinstance(gradient, Recorded):
        return g * gradient
    with np.errstate(invalid="ignore"):
        return keep_zeros(g * gradient, g)


def one_node(dispatcher: Dispatcher, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, tuple[Any, ...]] | None:
    """The value and the gradients of a call with Variables, as outputs of one node; None where the eager engine is to run it.

    It is where the function changes its arguments, reads Variables from outside or draws random numbers, where arguments are of uncommon
    kinds or objects are differentiated, where the compiler refuses, and within another run of the eager engine, which keeps its own books.
    """
    values = dispatcher.bound(args, kwargs)
    named = {path.split(".")[0] for path in dispatcher.wrt}
    objects = [(name, value) for name, value in zip(dispatcher.parameters, values) if is_users(type(value))]
    if any(name in named or holds_variables(value) for name, value in objects):
        return None
    if WATCH.depth or holds_variables(dispatcher.surroundings.data_now()) or not all(map(ordinary, values)):
        return None
    active = [name for name, value in zip(dispatcher.parameters, values) if holds_variables(value)]
    names = tuple(name for name in dispatcher.parameters if name in active or name in dispatcher.wrt)
    values = [as_float(value) if name in names else value for name, value in zip(dispatcher.parameters, values)]
    inner = gradient_for(dispatcher, names)
    try:
        entry = inner.entry([raw(value) for value in values])
    except SourcediffError as error:
        if isinstance(error, InternalError):
            Fall(dispatcher.function, "the node", error).say("")
        elif error.at_run_time:
            raise
        return None
    if entry.mutated:
        return None
    call = RecordedCall(inner, entry, values, names)
    if not call.outside.known:
        return None
    value, *found = Compiled.apply(call, *call.leaves)
    rest = iter(found)
    gradients = {name: mapped(lambda _: next(rest), part) for name, part in call.values.items() if name in names}
    return value, tuple(gradients[name] for name in dispatcher.wrt)


def gradient_for(dispatcher: Dispatcher, names: tuple[str, ...]) -> Dispatcher:
    """The dispatcher of the value and the gradients with respect to ``names``, one for each choice of these."""
    if names not in dispatcher.beside:
        dispatcher.beside[names] = Dispatcher(dispatcher.function, names, False, True)
    return dispatcher.beside[names]


def ordinary(value: Any) -> bool:
    """Whether a value is what compiled code takes, once Variables are arrays: no other library's arrays, no containers of other types."""
    return all(
        type(part) in CONTAINERS if isinstance(part, CONTAINERS) else not has_complex(raw(part)) and is_known_constant(raw(part))
        for part in parts_of_value(value)
    )


def is_known_constant(data: Any) -> bool:
    return not is_array(data) or is_plain_array(data)


def is_copied(part: Any) -> bool:
    """Whether a part of an argument is one of those that the node has for itself, or watches."""
    return isinstance(part, (Recorded, *CONTAINERS)) or bool(library_of(part))


def parts_of_value(value: Any) -> Iterator[Any]:
    """A value and all within it."""
    yield value
    if isinstance(value, CONTAINERS):
        for part in value.values() if isinstance(value, dict) else value:
            yield from parts_of_value(part)
