"""Jacobians of functions of gathered rows: residuals that are rows of ``F(C[i], P[j])`` with integer arrays ``i`` and ``j``.

Each row of the result depends on its own row of ``C[i]`` and of ``P[j]`` alone. So a pullback to what is gathered, instead of to ``C`` and
``P``, gives one entry of every row at once, and as many pullbacks as a row has entries give all: they need no colouring. (The result is
partially separable: Griewank and Toint, "On the unconstrained optimization of partially separable functions", 1982.)
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...eager.engine.graph import reachable, walk_graph
from ...eager.engine.linear import Linear
from ...runtime.arrays.library import is_array, on_host
from ...runtime.trees import leaves, mapped
from .pattern import differs, probe

MOST = 16
"""Entries of a row of the result, at most: above, colours may be fewer."""
LAYOUTS = ("rows", "blocks")
"""How the rows of the result stand in it: one after the other, or the first entries of all rows, then the second ones."""


def indexed_by_arrays(function: types.FunctionType, values: Mapping[str, Any]) -> bool:
    """Whether a function may gather: an argument, a global or an outer variable that it reads holds an array of integers."""
    cells = [cell.cell_contents for cell in function.__closure__ or () if cell_holds(cell)]
    outside = [function.__globals__.get(name) for name in function.__code__.co_names]
    return any(
        is_array(leaf) and leaf.dtype.kind in "iu" and leaf.ndim
        for value in (*values.values(), *cells, *outside) for part in (value, *vars_of(value)) for _, leaf in leaves(part)
    )


def cell_holds(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:  # it is empty yet
        return False


def vars_of(value: Any) -> Sequence[Any]:
    """The attributes of an object of the user's."""
    return () if isinstance(value, (type, types.ModuleType, types.FunctionType)) else list(getattr(value, "__dict__", {}).values())


def by_gathers(linear: Linear, layouts: Sequence[str]) -> tuple[Any, str] | None:
    """The Jacobian as a SciPy ``csr_array``, and how the rows stand in the result; None where it does not have this form."""
    found = gathered(linear)
    lengths = {entries.shape[0] if entries.ndim else 0 for entries in found.values()}
    size = linear.outputs.size
    if len(linear.outputs.slots) != 1 or len(lengths) != 1 or linear.variables:
        return None
    (length,) = lengths
    if not length or size % length or size // length > MOST:
        return None
    for layout in layouts if size > length else layouts[:1]:
        parts = pulled_rows(linear, found, length, size // length, layout)
        if parts is not None:
            return assembled(linear, found, parts, layout), layout
    return None


def gathered(linear: Linear) -> dict[Any, NDArray[Any]]:
    """The nodes of the arrays between which and the inputs there are only selections, each with the numbers of the inputs' entries
    that are in it, if one at least is selected by an array; else nothing."""
    numbers: dict[Any, NDArray[Any]] = {}
    start = 0
    for slot in linear.inputs.slots:
        numbers[slot.node] = np.arange(start, start + slot.size).reshape(slot.shape)
        start += slot.size
    ends: dict[Any, NDArray[Any]] = {}
    gathers: set[Any] = set()
    roots = [slot.node for slot in linear.outputs.slots if slot.node is not None]
    for node in sorted(reachable(roots), key=lambda node: node.seq):
        own = [edge for edge in node.edges if edge in numbers]
        made = selection(node, numbers[own[0]]) if len(own) == 1 and own[0] not in gathers else None
        if made is None:
            ends.update((edge, numbers[edge]) for edge in own)
        else:
            numbers[node] = made
            if is_gather(node):
                gathers.add(node)
    ends.update((node, numbers[node]) for node in roots if node in numbers)
    known = all(node.edges == () or node.plan.adds for node in ends)  # of a reshaped array the shape is not known
    return ends if known and not gathers.isdisjoint(ends) else {}


def selection(node: Any, numbers: NDArray[Any]) -> NDArray[Any] | None:
    """What a node selects of the entries with these numbers; None where it does something else."""
    if node.saved is None or len(node.edges) != 1 or node.restore is not None:
        return None
    if node.plan.adds:  # x[index], of which it saves the index and the shape of x
        index, shape = node.saved
        return np.asarray(numbers.reshape(shape)[mapped(on_host, index)])
    if node.plan.name in ("np.reshape", "np.ravel") and "C" in node.saved:
        return numbers  # of which only the order counts: a selection of it says the shape
    return None


def is_gather(node: Any) -> bool:
    """Whether a node selects by an array of integers."""
    index = node.saved[0] if node.plan.adds else ()
    return any(isinstance(part, list) or is_array(part) for part in (index if isinstance(index, tuple) else (index,)))


def row_seeds(length: int, width: int, layout: str) -> Iterator[NDArray[Any]]:
    """For each entry of a row the cotangent that has a one there in every row."""
    for k in range(width):
        seed = np.zeros((length, width) if layout == "rows" else (width, length))
        seed[(slice(None), k) if layout == "rows" else k] = 1
        yield seed


def pulled_rows(linear: Linear, found: Mapping[Any, NDArray[Any]], length: int, width: int, layout: str) -> Any:
    """For each entry of a row the derivatives of all rows by what they were gathered from; None where rows depend on those of others."""
    parts = [pulled_to(linear, found, seed) for seed in row_seeds(length, width, layout)]
    weights = probe(length * width)
    one_by_one = weights.reshape(length, width).T if layout == "rows" else weights.reshape(width, length)
    for k, product in enumerate(pulled_to(linear, found, weights)):
        rows = [part[k] for part in parts]
        total = sum(w[:, None] * row for w, row in zip(one_by_one, rows))
        size = sum(abs(w[:, None] * row) for w, row in zip(one_by_one, rows))
        if np.any(differs(product, total, size, linear.eps)):
            return None
    return [np.concatenate(part, axis=1) for part in parts]


def pulled_to(linear: Linear, found: Mapping[Any, NDArray[Any]], seed: NDArray[Any]) -> list[NDArray[Any]]:
    """The adjoints of what is gathered, as matrices with its rows, for a cotangent of the result."""
    (output,) = linear.outputs.slots
    adjoints = walk_graph([(output.node, output.cast(seed.reshape(output.shape)), True)], list(found), retain=True)
    return [
        np.broadcast_to(on_host(adjoints.get(node, 0.0)), entries.shape).reshape(len(entries), -1) for node, entries in found.items()
    ]


def assembled(linear: Linear, found: Mapping[Any, NDArray[Any]], parts: Sequence[NDArray[Any]], layout: str) -> Any:
    """The matrix, of the derivatives for each entry of a row."""
    from scipy.sparse import csr_array

    columns = np.concatenate([entries.reshape(len(entries), -1) for entries in found.values()], axis=1)
    data = np.stack(parts, axis=1 if layout == "rows" else 0)
    indices = np.repeat(columns, len(parts), axis=0) if layout == "rows" else np.tile(columns, (len(parts), 1))
    rows = len(indices)
    shape = rows, linear.inputs.size
    made = csr_array((data.reshape(-1), indices.reshape(-1), np.arange(rows + 1) * columns.shape[1]), shape=shape)
    if np.any(columns[:, 1:] <= columns[:, :-1]):
        made.sum_duplicates()
    return made
