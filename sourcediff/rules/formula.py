"""The text of a rule, and slices of it: only what the wanted contributions need."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from ..runtime.arrays import shapes
from ..syntax import nodes as n
from ..syntax.function import current
from ..syntax.quote import expression, names, remade
from ..syntax.text import to_source
from .families import itself

METADATA = ("shape", "ndim", "size", "dtype")
HELPERS = {"shapes": "shape", "len": "len"}  # shapes(arrays): the metadata of each array of a sequence
FUNCTIONS = {"shapes": shapes, "len": len}


def named_for(name: str, node: Any) -> Any:
    """The text of a formula in which ``itself`` is the function of that name."""
    if isinstance(node, n.Name) and node.id == itself.__name__:
        return expression(name.removeprefix("scipy."))
    return remade(node, lambda part: named_for(name, part))


class Slice(NamedTuple):
    """The part of a formula that some contributions need.

    ``assignments`` and ``contributions`` are trees over the rule's own parameter names (share nothing with the caller:
    clone before use). ``values`` are the parameters (and ``z``, never ``g``) whose values they read, ``metadata`` those of
    which only the shape, the number of dimensions, the size or the dtype is read, and ``local`` the names assigned. ``short``: what
    is computed may have to be broadcast to the shape of ``z``.
    """

    assignments: tuple[n.stmt, ...]
    contributions: tuple[n.expr, ...]
    values: frozenset[str]
    metadata: frozenset[str]
    local: frozenset[str]
    short: bool = False


def helpers_of(formula: Any) -> dict[str, str]:
    """Those of the helpers that a formula means by these names: one of one's own may have a function that is called like one."""
    return {name: attribute for name, attribute in HELPERS.items() if current(formula, name) is FUNCTIONS[name]}


def metadata_read(node: n.AST, helpers: Mapping[str, str] = HELPERS) -> tuple[str, str] | None:
    """``(name, attribute)`` if the node is ``np.shape(x)``, ``np.ndim(x)``, ``np.size(x)``, ``shapes(x)``, ``len(x)`` or ``x.shape`` … ."""
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
        and isinstance(node.func, n.Name) and node.func.id in helpers
    ):
        return node.args[0].id, helpers[node.func.id]
    return None


def reads(node: n.AST, helpers: Mapping[str, str] = HELPERS) -> tuple[set[str], set[str]]:
    """The names whose values a tree reads, and the names of which it reads metadata."""
    values: set[str] = set()
    metadata: set[str] = set()

    def visit(part: n.AST) -> None:
        found = metadata_read(part, helpers)
        if found:
            metadata.add(found[0])
        elif isinstance(part, n.Name):
            values.add(part.id)
        else:
            for child in n.below(part):
                visit(child)

    visit(node)
    return values, metadata


def parsed(rule: Any, function: Callable[..., Any]) -> tuple[n.FunctionDef, list[n.stmt], n.expr]:
    """The definition of a rule's function, its assignments, and what it returns."""
    (definition,) = n.parse(textwrap.dedent(inspect.getsource(function))).body
    definition = named_for(rule.name, definition)
    body = [s for s in definition.body if not (isinstance(s, n.Expr) and isinstance(s.value, n.Constant))]
    *assignments, last = body
    if not isinstance(last, n.Return) or not all(isinstance(s, n.Assign) for s in assignments):
        raise TypeError(f"the rule of {rule.name} is not assignments and then one return")
    return definition, assignments, last.value


LENGTH = "np.where(z == 0, 1, z)"


def marked(function: n.FunctionDef) -> bool:
    """Mark the denominators of what is divided by a length that may be 0; whether there are any. See ``runtime/zero_lengths.py``."""
    found = [node for node in n.walk(function) if isinstance(node, n.Call) and len(node.args) == 3 and to_source(node) == LENGTH]
    for node in found:
        node.length = True
    return bool(found)


class Formula:
    """A rule's function, parsed once: assignments, then one return."""

    def __init__(self, rule: Any):
        assert rule.formula is not None
        function, assignments, returned = parsed(rule, rule.formula)
        self.quotient_of_length = not rule.own and marked(function)
        self.parameters = [parameter.id for parameter in (*function.args.args, *function.args.kwonlyargs)]
        self.assignments = assignments
        self.helpers = helpers_of(rule.formula)
        self.contributions: list[n.expr] = list(returned.elts) if isinstance(returned, n.Tuple) else [returned]
        self.differentiable = tuple(
            name for name, value in zip(self.parameters[2:], self.contributions)
            if not (isinstance(value, n.Constant) and value.value is None)
        )
        self.slice = lru_cache(maxsize=None)(self._slice)

    def _slice(self, wanted: tuple[str, ...]) -> Slice:
        """The slice for the contributions to the parameters ``wanted``, in that order."""
        positions = [self.parameters.index(name) - 2 for name in wanted]
        contributions = tuple(self.contributions[position] for position in positions)
        return sliced(self.assignments, contributions, frozenset(self.parameters) - {"g"}, self.helpers)


class Pushforward:
    """A rule's forward formula, parsed once: ``formula(z, *tangents, *parameters)``."""

    def __init__(self, rule: Any):
        assert rule.tangent is not None
        function, self.assignments, self.returned = parsed(rule, rule.tangent)
        parameters = [parameter.id for parameter in (*function.args.args, *function.args.kwonlyargs)]
        self.new = parameters[0]
        self.tangents = tuple(parameters[1:1 + len(rule.differentiable)])
        self.own = frozenset(parameters) - set(self.tangents)
        self.helpers = helpers_of(rule.tangent)
        self.without = lru_cache(maxsize=None)(self._without)

    def _without(self, zero: frozenset[str]) -> Slice:
        """The formula where the tangents ``zero`` are zero: it is linear in them, so the terms that they are in are left out."""
        gone = set(zero)
        kept = []
        for assignment in self.assignments:
            value = remaining(assignment.value, gone)
            if value is None:
                gone |= names(assignment.targets)
            else:
                kept.append(n.Assign(targets=assignment.targets, value=value, type_comment=None))
        result = remaining(self.returned, gone)
        assert result is not None
        return sliced(kept, (result,), self.own, self.helpers)


def remaining(node: n.expr, zero: set[str]) -> n.expr | None:
    """What is left of an expression that is linear in the names ``zero``, where these are zero; None where all of it is.

    >>> from ..syntax.quote import expression
    >>> from ..syntax.text import to_source
    >>> to_source(remaining(expression("np.linalg.solve(a, db - da @ x)"), {"db"}))
    'np.linalg.solve(a, -(da @ x))'
    """
    if isinstance(node, n.Name):
        return None if node.id in zero else node
    if isinstance(node, n.BinOp):
        left, right = remaining(node.left, zero), remaining(node.right, zero)
        if left is not None and right is not None:
            return n.BinOp(left=left, op=node.op, right=right)
        if not isinstance(node.op, (n.Add, n.Sub)):
            return None
        return left if right is None else right if isinstance(node.op, n.Add) else n.UnaryOp(op=n.USub(), operand=right)
    if isinstance(node, n.IfExp):
        body, other = remaining(node.body, zero), remaining(node.orelse, zero)
        if None in (body, other) and all(part is None or isinstance(part, n.Constant) for part in (body, other)):
            return None
        nothing = n.Constant(value=0, kind=None)
        return n.IfExp(test=node.test, body=body or nothing, orelse=other or nothing)
    if not isinstance(node, (n.Call, n.UnaryOp, n.Subscript)):
        return node
    linear = node.args if isinstance(node, n.Call) else [node.operand if isinstance(node, n.UnaryOp) else node.value]
    parts = {part: remaining(part, zero) for part in linear}
    return None if None in parts.values() else remade(node, lambda part: parts.get(part, part))  # type: ignore[arg-type, return-value]


def sliced(assignments: Sequence[n.stmt], returned: tuple[n.expr, ...], own: frozenset[str], helpers: Mapping[str, str]) -> Slice:
    """What is returned, with those of the assignments that it needs; ``own`` are the parameters whose reading counts."""
    needed = names(list(returned))
    kept: list[n.stmt] = []
    for assignment in reversed(assignments):
        if names(assignment.targets) & needed:
            kept.append(assignment)
            needed |= names(assignment.value)
    kept.reverse()
    local = frozenset(names([target for s in kept for target in s.targets]))
    values: set[str] = set()
    metadata: set[str] = set()
    for tree in [*(s.value for s in kept), *returned]:
        more_values, more_metadata = reads(tree, helpers)
        values |= more_values
        metadata |= more_metadata
    values = (values | metadata & local) & own  # of a parameter that is assigned to, the shape is not always its argument's
    return Slice(tuple(kept), returned, frozenset(values), frozenset(metadata & own) - values, local)
