"""Mark where a program on arrays of a device waits: ``if x[0] > 0`` asks for a value that the device computes."""

from __future__ import annotations

import builtins
import math
from collections.abc import Iterator, Mapping
from typing import Any

from ...analysis.abstract import Abstract
from ...analysis.scope import MISSING, Scope
from ...analysis.statements import base, simple, target_names, targets
from ...runtime.waits import fetched
from ...syntax import nodes as n
from ...syntax.quote import altered, expression, place, remade

Block = list[n.stmt]

OF_SHAPE = frozenset(("shape", "ndim", "size", "dtype", "itemsize", "nbytes"))
"""What is known of an array without asking a device, as an attribute or by a function of NumPy's."""

ASKING = frozenset((float, int, bool, complex, builtins.max, builtins.min, builtins.range, builtins.round, builtins.sorted))
"""The builtins that ask for values."""

METHODS = frozenset(("item", "tolist"))
KNOWN = frozenset((len, isinstance, type, hasattr, id, callable, enumerate))


class DeviceWaits:
    """Writes ``fetched(value)`` where a value is asked for that may lie on the device: what comes of its arrays, and of NumPy's functions.

    A condition that has a name is fetched where it is bound, since the reverse sweep asks for it once more.
    """

    def __init__(self, scope: Scope, body: Block, environment: Mapping[str, Abstract]):
        self.scope = scope
        statements = simple(body)
        self.conditions = conditions(statements)
        self.there = {name for name, known in environment.items() if may_hold_array(known)}
        before = -1
        while len(self.there) != before:
            before = len(self.there)
            for node in statements:
                self.there |= self.moved(node) - self.conditions

    def moved(self, node: n.stmt) -> set[str]:
        """The names to which a statement binds what may lie on the device."""
        if isinstance(node, n.Assign) and self.lies_there(node.value):
            return {name for target in node.targets for name in (target_names(target) or filter(None, [base(target)]))}
        if isinstance(node, n.AugAssign) and self.lies_there(node.value):
            return set(filter(None, [base(node.target)]))
        if isinstance(node, n.For) and self.lies_there(node.iter):
            return target_names(node.target)
        if isinstance(node, n.Expr) and isinstance(node.value, n.Call) and isinstance(node.value.func, n.Attribute):
            owner = base(node.value.func.value)  # saved.append(x[i])
            return {owner} if owner is not None and any(map(self.lies_there, node.value.args)) else set()
        return set()

    def lies_there(self, node: Any) -> bool:
        """Whether the value of an expression, or a part of it, may lie on the device."""
        if isinstance(node, n.Name):
            return node.id in self.there
        if isinstance(node, n.Attribute) and node.attr in OF_SHAPE:
            return False
        if isinstance(node, n.Compare) and isinstance(node.ops[0], (n.Is, n.IsNot)):
            return False
        if isinstance(node, n.Call):
            found = self.scope.resolve(node.func)
            if found is fetched or is_one_of(found, KNOWN | ASKING) or isinstance(node.func, n.Attribute) and node.func.attr in METHODS:
                return False
            name, module = getattr(found, "__name__", ""), str(getattr(found, "__module__", None) or "")
            if found is not MISSING and (module == "math" or name in OF_SHAPE):
                return False
            if module.split(".")[0] in ("numpy", "scipy") and not isinstance(found, type) or type(found).__name__ == "ufunc":
                return True
        return any(map(self.lies_there, n.iter_child_nodes(node)))

    def block(self, body: Block) -> Block:
        """The statements with their waits marked."""
        return [self.statement(node) for node in body]

    def statement(self, node: n.stmt) -> n.stmt:
        """A statement with its waits marked."""
        def below(part: Any) -> Any:
            return self.statement(part) if isinstance(part, n.stmt) else self.inside(part)

        node = remade(node, below)
        if isinstance(node, (n.If, n.While, n.Assert)):
            return altered(node, test=self.asked(node.test))
        if isinstance(node, n.Assign) and base(node.targets[0]) in self.conditions and decides(node.value):
            return altered(node, value=self.asked(node.value))
        return node

    def inside(self, node: Any) -> Any:
        """An expression with its waits marked."""
        node = remade(node, self.inside)
        if isinstance(node, n.IfExp):
            return altered(node, test=self.asked(node.test))
        if isinstance(node, n.BoolOp):
            return altered(node, values=[*map(self.asked, node.values[:-1]), node.values[-1]])
        if isinstance(node, n.Call):
            found = self.scope.resolve(node.func)
            of_math = getattr(found, "__module__", None) == "math" and found is not math.prod
            if found is not MISSING and (of_math or is_one_of(found, ASKING)):
                return altered(node, args=[part if isinstance(part, n.Starred) else self.fetched(part) for part in node.args])
        return node

    def asked(self, node: n.expr) -> n.expr:
        """A condition: each operand of ``not``, ``and`` and ``or`` by itself."""
        if isinstance(node, n.BoolOp):
            return altered(node, values=[*map(self.asked, node.values)])
        if isinstance(node, n.UnaryOp) and isinstance(node.op, n.Not):
            return altered(node, operand=self.asked(node.operand))
        return self.fetched(node)

    def fetched(self, node: n.expr) -> n.expr:
        """An expression whose value is asked for."""
        if not self.lies_there(node):
            return node
        return place(expression("$f($v)", f=self.scope.imported("fetched", fetched), v=node), node)


def is_one_of(function: Any, known: frozenset[Any]) -> bool:
    """Whether a function is among some."""
    return callable(function) and any(function is other for other in known)


def decides(node: n.expr) -> bool:
    """Whether an expression is a comparison, or puts some together."""
    return isinstance(node, (n.Compare, n.BoolOp)) or isinstance(node, n.UnaryOp) and isinstance(node.op, n.Not)


def conditions(statements: Block) -> set[str]:
    """The names that are tested by a branch or a loop, and that comparisons alone are bound to, or what is taken from a tape."""
    tested = {node.test.id for node in statements if isinstance(node, (n.If, n.While)) and isinstance(node.test, n.Name)}
    bound: dict[str, list[bool]] = {}
    for node in statements:
        for target in targets(node):
            for name in target_names(target) & tested:
                value = node.value if isinstance(node, n.Assign) and isinstance(target, n.Name) else None
                taken = isinstance(value, n.Call) and isinstance(value.func, n.Attribute) and value.func.attr == "pop"
                bound.setdefault(name, []).append(taken or value is not None and decides(value))
    return {name for name, found in bound.items() if all(found)}


def may_hold_array(known: Abstract) -> bool:
    """Whether an argument is an array or a number of its library, or may hold one."""
    if known.kind in ("array", "numpy", "unknown", "mixed"):
        return True
    items = known.items if isinstance(known.items, tuple) else (known.items,)
    return any(may_hold_array(part) for part in flattened(items))


def flattened(items: Any) -> Iterator[Abstract]:
    """The abstract values in nested tuples."""
    for part in items if isinstance(items, tuple) and not isinstance(items, Abstract) else (items,):
        if isinstance(part, Abstract):
            yield part
        elif isinstance(part, tuple):
            yield from flattened(part)
