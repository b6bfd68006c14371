"""A formula differentiated once more, by the table itself: every call in its text is pushed forward by its own rule."""

from __future__ import annotations

import builtins
import functools
import operator
from collections import ChainMap
from typing import Any

import numpy as np

from ..errors import MissingRuleError
from ..runtime.arrays.library import is_number, library_of
from ..syntax import nodes as n
from .frames import Rule, rule_for, spelling
from .methods import ATTRIBUTES, METHODS, VARIADIC
from .modes import pushforward, zero_of

OPERATORS: dict[type, Any] = {
    n.Add: np.add, n.Sub: np.subtract, n.Mult: np.multiply, n.Div: np.divide, n.Pow: np.power, n.MatMult: np.matmul, n.USub: np.negative,
    n.FloorDiv: np.floor_divide, n.Mod: np.remainder, n.UAdd: np.positive,
    n.BitAnd: np.bitwise_and, n.BitOr: np.bitwise_or, n.Invert: np.invert, n.Eq: operator.eq, n.NotEq: operator.ne, n.Lt: operator.lt,
    n.LtE: operator.le, n.Gt: operator.gt, n.GtE: operator.ge, n.Is: operator.is_, n.IsNot: operator.is_not,
    n.In: lambda part, whole: part in whole, n.NotIn: lambda part, whole: part not in whole,
}

OF_SEQUENCES: dict[type, Any] = {n.Add: operator.add, n.Mult: operator.mul}

METADATA = ("shape", "ndim", "size", "dtype", "nbytes", "itemsize", "strides")


class Dual:
    """The values and the tangents (None: constant) of a formula's names, and what its expressions make of them."""

    def __init__(self, rule: Rule, values: dict[str, Any], tangents: dict[str, Any]):
        assert rule.formula is not None
        self.scope: ChainMap[str, Any] = ChainMap({}, rule.namespace, vars(builtins))
        self.values, self.tangents = dict(values), dict(tangents)

    def run(self, rule: Rule, wanted: tuple[str, ...]) -> list[tuple[Any, Any]]:
        """The contributions to ``wanted`` with their tangents."""
        part = rule.text.slice(wanted)
        for assignment in part.assignments:
            (target,) = assignment.targets
            self.values[target.id], self.tangents[target.id] = self.of(assignment.value)
        return [self.of(contribution) for contribution in part.contributions]

    def of(self, node: n.AST) -> tuple[Any, Any]:
        """The value and the tangent of an expression. Raises MissingRuleError for a form that is not followed."""
        method = getattr(self, f"of_{type(node).__name__}", None)
        if method is None:
            raise MissingRuleError(f"the formula has an expression ({type(node).__name__}) that is not followed here")
        return method(node)  # type: ignore[no-any-return]

    def of_Constant(self, node: Any) -> tuple[Any, Any]:
        return node.value, None

    def of_Name(self, node: Any) -> tuple[Any, Any]:
        return (self.values[node.id], self.tangents.get(node.id)) if node.id in self.values else (self.scope[node.id], None)

    def of_Tuple(self, node: Any) -> tuple[Any, Any]:
        return self.joined(tuple, [self.of(item) for item in node.elts])

    def of_List(self, node: Any) -> tuple[Any, Any]:
        return self.joined(list, [self.of(item) for item in node.elts])

    def joined(self, kind: type, pairs: list[tuple[Any, Any]]) -> tuple[Any, Any]:
        """A sequence, and that of the tangents."""
        constant = all(tangent is None for _, tangent in pairs)
        return kind(value for value, _ in pairs), None if constant else kind(zero_of(v) if dv is None else dv for v, dv in pairs)

    def of_Attribute(self, node: Any) -> tuple[Any, Any]:
        value, tangent = self.of(node.value)
        if tangent is not None and node.attr in ATTRIBUTES:
            return self.called(ATTRIBUTES[node.attr], [(value, tangent)], {})
        if tangent is not None and node.attr not in METADATA:
            raise MissingRuleError(f".{node.attr}, which the formula asks for, has no rule")
        return getattr(value, node.attr), None

    def of_IfExp(self, node: Any) -> tuple[Any, Any]:
        return self.of(node.body if self.of(node.test)[0] else node.orelse)

    def of_BoolOp(self, node: Any) -> tuple[Any, Any]:
        value = isinstance(node.op, n.And)
        for part in node.values:
            value = self.of(part)[0]
            if bool(value) != isinstance(node.op, n.And):
                break
        return value, None

    def of_Compare(self, node: Any) -> tuple[Any, Any]:
        operands = [self.of(part)[0] for part in (node.left, *node.comparators)]
        value = True
        for op, left, right in zip(node.ops, operands, operands[1:]):
            value = OPERATORS[type(op)](left, right)
            if len(node.ops) > 1 and not value:
                break
        return value, None

    def of_BinOp(self, node: Any) -> tuple[Any, Any]:
        left, right = self.of(node.left), self.of(node.right)
        if left[1] is None and right[1] is None and isinstance(left[0], (tuple, list)):  # of shapes
            return OF_SEQUENCES[type(node.op)](left[0], right[0]), None
        return self.called(OPERATORS[type(node.op)], [left, right], {})

    def of_UnaryOp(self, node: Any) -> tuple[Any, Any]:
        operand = self.of(node.operand)
        return (not operand[0], None) if isinstance(node.op, n.Not) else self.called(OPERATORS[type(node.op)], [operand], {})

    def of_Slice(self, node: Any) -> tuple[Any, Any]:
        return slice(*(None if part is None else self.of(part)[0] for part in (node.lower, node.upper, node.step))), None

    def of_Subscript(self, node: Any) -> tuple[Any, Any]:
        value, tangent = self.of(node.value)
        index = self.of(node.slice)[0]
        return value[index], None if tangent is None else tangent[index]

    def of_Call(self, node: Any) -> tuple[Any, Any]:
        args, kwargs = [self.of(arg) for arg in node.args], {k.arg: self.of(k.value) for k in node.keywords}
        if isinstance(node.func, n.Attribute) and node.func.attr in METHODS:
            owner = self.of(node.func.value)
            if library_of(owner[0]) or is_number(owner[0]):
                args = [self.joined(tuple, args)] if node.func.attr in VARIADIC and len(args) > 1 else args
                return self.called(METHODS[node.func.attr], [owner, *args], kwargs)
        return self.called(self.of(node.func)[0], args, kwargs)

    def called(self, function: Any, args: list[tuple[Any, Any]], kwargs: dict[str, tuple[Any, Any]]) -> tuple[Any, Any]:
        if function is builtins.sum and len(args) == 1 and not kwargs:
            parts, tangents = args[0]
            pairs = [(part, None) for part in parts] if tangents is None else zip(parts, tangents)
            return functools.reduce(lambda total, pair: self.called(np.add, [total, pair], {}), pairs, (0, None))
        rule = rule_for(function)
        values, keywords = [value for value, _ in args], {key: value for key, (value, _) in kwargs.items()}
        result: Any = function(*values, **keywords)
        if all(tangent is None for _, tangent in [*args, *kwargs.values()]) or rule is not None and rule.kind == "constant":
            return result, None
        if rule is None:
            raise MissingRuleError(f"{spelling(function)}, which the formula calls, has no rule")
        bound = rule.bind(tuple(values), keywords)
        positional = [name for name, parameter in rule.parameters.items() if parameter.kind is not parameter.KEYWORD_ONLY]
        given = dict(zip(positional, (tangent for _, tangent in args))) | {key: tangent for key, (_, tangent) in kwargs.items()}
        moving = {name: given[name] for name in rule.differentiable if given.get(name) is not None}
        return result, pushforward(rule, result, bound, moving) if moving else None
