"""What a node has saved, by name, and the memory that this keeps alive."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...runtime.arrays import is_array
from ..engine.function import Context
from ..engine.nodes import Node, Recorded
from ..engine.plans import Plan
from .facts import Saved

NAMES = {"value": "{}", "_kept": "kept shape", "_full": "full shape"}
"""How what a plan reads of a parameter is called; any other metadata ``x.shape``, and so on."""


def holdings(node: Node) -> list[tuple[str, Any]]:
    """What the node has saved, with names: those of the rule's parameters, or of ctx."""
    if node.saved is None:
        return []
    if isinstance(node.plan, Plan):
        return [
            (NAMES.get(what, f"{{}}.{what}").format("result" if name == "z" else name), value)
            for (name, what), value in zip(node.plan.reads, node.saved)
        ]
    context, *saved = node.saved if node.saved and isinstance(node.saved[0], Context) else (None, *node.saved)
    own = ("_saved", "_fixed", "_dirty", "needs_input_grad")
    attributes = [(f"ctx.{name}", value) for name, value in (vars(context) if context else {}).items() if name not in own]
    return [(f"saved_tensors[{i}]", value) for i, value in enumerate(saved)] + attributes


def weighed(named: list[tuple[str, Any]]) -> tuple[tuple[Saved, ...], dict[int, int]]:
    """What was saved as facts, and the bytes of the memory behind it, by the identity of its owner."""
    facts = []
    owners: dict[int, int] = {}
    for name, value in named:
        arrays = list(arrays_held(value))
        behind = dict(map(memory, arrays))
        owners.update(behind)
        single = hasattr(value, "dtype") and hasattr(value, "shape")  # not a sequence or an index that holds some
        shape, dtype = (value.shape, value.dtype) if single else (None, None)
        facts.append(Saved(name, shape, dtype, sum(array.nbytes for array in arrays), sum(behind.values())))
    return tuple(facts), owners


def arrays_held(value: Any) -> Iterator[Any]:
    """The arrays that a saved value is or holds (an index may hold some, a sequence of inputs does)."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, Recorded):
        value = value._value
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from arrays_held(part)
    elif is_array(value):
        yield value


def memory(array: Any) -> tuple[int, int]:
    """The owner of the memory of an array, by identity, and how many bytes that is.

    >>> import numpy as np
    >>> x = np.zeros((100, 100))
    >>> memory(x[0]) == memory(x) == (id(x), 80_000), memory(np.broadcast_to(x[0, 0], (5, 5)))[1]
    (True, 8)
    """
    owner, size = array, array.nbytes
    while (base := getattr(owner, "base", None)) is not None:
        owner = base
        size = getattr(owner, "nbytes", size)
    if not hasattr(owner, "nbytes"):
        try:
            size = memoryview(owner).nbytes  # a file that is mapped, bytes that were read
        except TypeError:
            pass  # no buffer: what the last array says is all that is known
    return id(owner), size
