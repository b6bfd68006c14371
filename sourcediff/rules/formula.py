"""The text of a rule, and slices of it: only what the wanted contributions need."""

from __future__ import annotations

import inspect
import textwrap
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ..syntax import nodes as n
from ..syntax.quote import names

if TYPE_CHECKING:
    from .frames import Rule

METADATA = ("shape", "ndim", "size", "dtype")
HELPERS = {"shapes": "shape", "len": "shape"}  # shapes(arrays): the metadata of each array of a sequence


class Slice(NamedTuple):
    """The part of a formula that some contributions need.

    ``assignments`` and ``contributions`` are trees over the rule's own parameter names (share nothing with the caller:
    clone before use). ``values`` are the parameters (and ``z``, never ``g``) whose values they read, ``metadata`` those of
    which only the shape, the number of dimensions, the size or the dtype is read, and ``local`` the names assigned.
    """

    assignments: tuple[n.stmt, ...]
    contributions: tuple[n.expr, ...]
    values: frozenset[str]
    metadata: frozenset[str]
    local: frozenset[str]


def metadata_read(node: n.AST) -> tuple[str, str] | None:
    """``(name, attribute)`` if the node is ``np.shape(x)``, ``np.ndim(x)``, ``np.size(x)``, ``shapes(x)`` or ``x.shape`` … ."""
    if isinstance(node, n.Attribute) and node.attr in METADATA and isinstance(node.value, n.Name):
        return node.value.id, node.attr
    if (
        isinstance(node, n.Call) and len(node.args) == 1 and isinstance(node.args[0], n.Name)
        and isinstance(node.func, n.Attribute) and node.func.attr in METADATA
        and isinstance(node.func.value, n.Name) and node.func.value.id == "np"
    ):
        return node.args[0].id, node.func.attr
    if (
        isinstance(node, n.Call) and len(node.args) == 1 and isinstance(node.args[0], n.Name)
        and isinstance(node.func, n.Name) and node.func.id in HELPERS
    ):
        return node.args[0].id, HELPERS[node.func.id]
    return None


def reads(node: n.AST) -> tuple[set[str], set[str]]:
    """The names whose values a tree reads, and the names of which it reads metadata."""
    values: set[str] = set()
    metadata: set[str] = set()

    def visit(part: n.AST) -> None:
        found = metadata_read(part)
        if found:
            metadata.add(found[0])
        elif isinstance(part, n.Name):
            values.add(part.id)
        else:
            for child in n.iter_child_nodes(part):
                visit(child)

    visit(node)
    return values, metadata


class Formula:
    """A rule's function, parsed once: assignments, then one return."""

    def __init__(self, rule: Rule):
        assert rule.formula is not None
        (function,) = n.parse(textwrap.dedent(inspect.getsource(rule.formula))).body
        body = [s for s in function.body if not (isinstance(s, n.Expr) and isinstance(s.value, n.Constant))]
        *assignments, last = body
        if not isinstance(last, n.Return) or not all(isinstance(s, n.Assign) for s in assignments):
            raise TypeError(f"the rule of {rule.name} is not assignments and then one return")
        self.parameters = [parameter.id for parameter in (*function.args.args, *function.args.kwonlyargs)]
        self.assignments = assignments
        several = isinstance(last.value, n.Tuple)
        self.contributions: list[n.expr] = list(last.value.elts) if several else [last.value]
        self.differentiable = tuple(
            name for name, value in zip(self.parameters[2:], self.contributions)
            if not (isinstance(value, n.Constant) and value.value is None)
        )
        self.slice = lru_cache(maxsize=None)(self._slice)

    def _slice(self, wanted: tuple[str, ...]) -> Slice:
        """The slice for the contributions to the parameters ``wanted``, in that order."""
        positions = [self.parameters.index(name) - 2 for name in wanted]
        contributions = tuple(self.contributions[position] for position in positions)
        needed = names(list(contributions))
        kept: list[n.stmt] = []
        for assignment in reversed(self.assignments):
            if names(assignment.targets) & needed:
                kept.append(assignment)
                needed |= names(assignment.value)
        kept.reverse()
        local = frozenset(names([target for s in kept for target in s.targets]))
        values: set[str] = set()
        metadata: set[str] = set()
        for tree in [*(s.value for s in kept), *contributions]:
            more_values, more_metadata = reads(tree)
            values |= more_values
            metadata |= more_metadata
        own = set(self.parameters) - {"g"}
        values &= own
        return Slice(tuple(kept), contributions, frozenset(values), frozenset(metadata & own) - values, local)
