"""``backward`` and ``grad``: seeds in, gradients out, in the shape and dtype of what they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import InPlaceError, NonDifferentiableError, article
from ...runtime.arrays import as_number, has_complex, is_array, is_foreign, is_number
from .graph import restored, walk_graph
from .hooks import ADDING
from .mutation import REWRITTEN
from .nodes import Leaf, Node, Recorded, kind_of
from .scopes import enable_grad, is_grad_enabled
from .variable import Variable, constant, on_graph
from .views import refresh


def backward(
    variables: Sequence[Variable] | Variable, gradients: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
) -> None:
    """Add the gradient of the sum of ``variables``, each weighted by its seed in ``gradients``, to ``grad`` of the leaves.

    A seed is an array of its Variable's shape, or None for one entry (1.0). Raises as :meth:`Variable.backward` does.
    """
    if create_graph and not is_grad_enabled():
        with enable_grad():
            backward(variables, gradients, retain_graph, create_graph)
        return
    if isinstance(variables, Recorded):
        variables, gradients = [variables], [gradients]
    seeds = _seeds(variables, gradients, create_graph)
    found = walk_graph(seeds, retain=create_graph if retain_graph is None else retain_graph, recording=create_graph)
    owned = _Owned(seeds)
    for leaf, g in found.items():
        owner = leaf.owner()
        if owner is None or type(owner._node) is not Leaf:  # gone, or it requires grad no more (or again: then it has another Leaf)
            continue
        gradient = owned.gradient(g, owner._value)
        with ADDING:
            have = owner.grad
            if have is None:
                owner._grad = gradient
            elif create_graph:
                owner._grad = have + gradient
            else:
                owner._grad = on_graph(have._value + gradient._value, None)


def of_variable(
    self: Variable, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
    retain_variables: bool | None = None,
) -> None:
    """Add the gradient of this Variable to ``grad`` of every leaf that it depends on.

    ``gradient`` is the seed, of this Variable's shape; one entry needs none (1.0). The graph is freed unless
    ``retain_graph`` (by default what ``create_graph`` is: the gradients can be differentiated again), which was called
    ``retain_variables`` in PyTorch 0.1.
    Raises NonDifferentiableError without a graph or without a seed where one is needed, GraphFreedError the second time.
    """
    backward((self,), (gradient,), retain_variables if retain_graph is None else retain_graph, create_graph)


of_variable.__name__, of_variable.__qualname__ = "backward", "Variable.backward"
Variable.backward = of_variable  # type: ignore[method-assign]


def grad(
    outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
    allow_unused: bool = False, only_inputs: bool = True,
) -> tuple[Variable | None, ...]:
    """The gradients of ``outputs`` with respect to ``inputs`` as Variables; no ``grad`` is touched.

    ``grad_outputs`` are the seeds, one for each output; ``create_graph`` records the walk, so that the gradients can be
    differentiated again. An input that the outputs do not depend on raises NonDifferentiableError, or gives None if ``allow_unused``.
    ``only_inputs=False``, which in PyTorch 0.2 filled ``grad`` of the other leaves too, raises ValueError.

    >>> x = Variable(3.0, requires_grad=True)
    >>> first, = grad(x * x * x, x, create_graph=True)
    >>> second, = grad(first, x)
    >>> first.item(), second.item()
    (27.0, 18.0)
    """
    if not only_inputs:
        raise ValueError("grad gives the gradients of its inputs only: to add those of all leaves to their .grad, use backward")
    if create_graph and not is_grad_enabled():
        with enable_grad():
            return grad(outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused)
    if isinstance(outputs, Recorded):
        listed = isinstance(grad_outputs, (list, tuple)) and len(grad_outputs) == 1 and hasattr(grad_outputs[0], "shape")
        outputs, grad_outputs = [outputs], grad_outputs if listed else [grad_outputs]
    if isinstance(inputs, Recorded):
        inputs = [inputs]
    inputs = _variables(inputs, "inputs")
    for position, variable in enumerate(inputs):
        if not variable.requires_grad:
            raise NonDifferentiableError(
                f"input {position} does not require grad", why="nothing is recorded for it",
                remedy="make it with Variable(data, requires_grad=True)",
            )
    seeds = _seeds(outputs, grad_outputs, create_graph)
    nodes = [variable._node for variable in inputs]
    found = walk_graph(seeds, nodes, retain=create_graph if retain_graph is None else retain_graph, recording=create_graph)
    owned = _Owned(seeds)
    gradients: list[Variable | None] = []
    for position, (variable, node) in enumerate(zip(inputs, nodes)):
        if node in found:
            gradients.append(owned.gradient(found[node], variable._value))
        elif allow_unused:
            gradients.append(None)
        else:
            raise NonDifferentiableError(
                f"the outputs do not depend on input {position}", why="a gradient of zeros would hide a graph that was cut on the way",
                remedy="give allow_unused=True to get None for it",
            )
    return tuple(gradients)


def grad_of_leaves(output: Variable, leaves: Sequence[Variable], nodes: list[Node]) -> list[Variable | None]:
    """The gradients of a scalar with respect to all the leaves of its graph, of which these are the ``nodes``."""
    seeds = _seeds([output], None, False)
    found = walk_graph(seeds, retain=False, nodes=nodes)
    owned = _Owned(seeds)
    return [owned.gradient(found[leaf._node], leaf._value) if leaf._node in found else None for leaf in leaves]


def _seeds(outputs: Sequence[Variable], gradients: Any, create_graph: bool) -> list[tuple[Any, Any, bool]]:
    """The adjoints to start from: node, seed, and whether the seed is the caller's (a selection)."""
    outputs = _variables(outputs, "outputs")
    if gradients is None:
        gradients = [None] * len(outputs)
    if isinstance(gradients, Recorded) or len(gradients) != len(outputs):
        raise NonDifferentiableError(
            f"{len(outputs)} outputs need a sequence of {len(outputs)} seeds", why="each output has a seed of its own",
            remedy="give a list with an array for each, or None for one of a single entry",
        )
    seeds = []
    for output, gradient in zip(outputs, gradients):
        if REWRITTEN:
            refresh(output)
        if not output.requires_grad:
            raise NonDifferentiableError(
                "this Variable does not require grad: nothing leads from it to a leaf",
                why="it is volatile, detached, or made under no_grad() or from Variables that do not require grad",
                remedy="make the leaves with Variable(data, requires_grad=True)",
            )
        g = _one_gradient(output) if gradient is None else _fitting(gradient, output, create_graph)
        if create_graph and not isinstance(g, Recorded):
            g = constant(g)
        seeds.append((output._node, g, gradient is not None))
    return seeds


def _variables(given: Any, what: str) -> Sequence[Variable]:
    """Some Variables, as they were given. Raises NonDifferentiableError for anything else: nothing is recorded of an array."""
    several = hasattr(given, "__iter__") and not hasattr(given, "dtype")
    parts = given if isinstance(given, (list, tuple)) else list(given) if several else [given]
    for part in parts:
        if not isinstance(part, Recorded):
            raise NonDifferentiableError(
                f"something of type {type(part).__name__} was given among the {what}",
                why="only what is computed from Variables has a graph to walk",
                remedy="give Variables; of a function of arrays, sourcediff.grad makes the gradient",
            )
    return parts


def _one_gradient(output: Variable) -> Any:
    """The seed of an output with one entry."""
    data = output._value
    if isinstance(data, np.floating):
        return type(data)(1)
    if np.size(data) != 1:
        raise NonDifferentiableError(
            f"an output of shape {output.shape} needs a seed", why="only a single entry has a gradient by itself",
            remedy="call .sum() first, or give the seed: v.backward(gradient) with an array of that shape",
        )
    if has_complex(data):
        raise NonDifferentiableError(
            "grad can be implicitly created only for real scalar outputs, and this one is complex",
            why="a complex number has no largest direction",
            remedy="differentiate np.real(v), np.imag(v) or np.abs(v), or give the seed: v.backward(1.0)",
        )
    return np.ones_like(data) if is_array(data) or is_foreign(data) else data.dtype.type(1) if hasattr(data, "dtype") else 1.0


def _fitting(gradient: Any, output: Variable, create_graph: bool) -> Any:
    """The caller's seed, which has to have the output's shape; a Variable under ``create_graph`` stays one."""
    data = output._value
    if has_complex(gradient) and not has_complex(data):
        raise NonDifferentiableError(
            "a complex seed was given for a real output", why="it has no imaginary part that could be weighed",
            remedy="give the real part of the seed",
        )
    g: Any
    if not isinstance(gradient, Variable):
        g = seed_like(data, gradient)
    elif not create_graph:
        g = seed_like(data, gradient._value)
    else:
        g = gradient if gradient.dtype == output.dtype else gradient.astype(output.dtype)
    if np.size(g) == output.size == 1:  # in PyTorch 0.3 numbers were arrays of one entry, and so were their seeds
        g = np.reshape(g, output.shape)
    if np.shape(g) != output.shape:
        raise NonDifferentiableError(
            f"a seed of shape {np.shape(g)} was given for an output of shape {output.shape}",
            why="a seed weighs each entry of the output", remedy="give one of the output's shape: np.broadcast_to(seed, output.shape)",
        )
    return g


def seed_like(data: Any, gradient: Any) -> Any:
    """A seed that the caller gave, in the dtype of what it weighs."""
    if is_foreign(data):
        if not is_foreign(gradient):
            raise NonDifferentiableError(
                f"a seed in {article(type(gradient).__name__)} was given for an output in a {type(data).__module__}.{type(data).__name__}",
                why="arrays of the one are not moved to the other unasked", remedy="give the seed in the output's kind of array",
            )
        return gradient.astype(data.dtype)
    return np.asarray(gradient, kind_of(data)[1])


class _Owned:
    """Makes sure that no two gradients, and no gradient and no seed, share memory: where they would, copies."""

    __slots__ = ("seen",)

    def __init__(self, seeds: list[tuple[Any, Any, bool]]):
        self.seen = {id(g._value if isinstance(g, Recorded) else g) for _, g, _ in seeds}

    def gradient(self, g: Any, like: Any) -> Variable:
        """The adjoint ``g`` as the gradient of what has the value ``like``."""
        if type(g) is np.ndarray is type(like) and g.dtype is like.dtype and g.shape == like.shape:  # the commonest fits as it is
            return on_graph(np.copy(g) if self._shared(g) else g, None)
        kind = kind_of(like)
        if np.shape(g) != kind[0]:
            raise InPlaceError(
                f"a Variable of shape {np.shape(g)} was given data of shape {kind[0]} between forward and backward",
                why="a gradient has the shape of what it belongs to",
                remedy="assign .data of another shape before the forward pass, or make a new Variable",
            )
        g = restored(g, kind)
        if isinstance(g, Recorded):
            if self._shared(g._value):
                g = np.copy(g)  # type: ignore[call-overload]
            return g  # type: ignore[return-value]
        if is_number(g) and is_foreign(g):
            g = as_number(g)
        elif kind[1] is float or kind[1] is complex:
            g = kind[1](g)
        elif not is_array(like):
            g = kind[1].type(g)
        elif self._shared(g):
            g = np.copy(g)
        elif not is_array(g):
            g = np.array(g)
        return on_graph(g, None)

    def _shared(self, array: Any) -> bool:
        if type(array) is not np.ndarray and not is_array(array):
            return False
        shared = array.base is not None or id(array) in self.seen or not getattr(array.flags, "writeable", True)
        self.seen.add(id(array))
        return shared
