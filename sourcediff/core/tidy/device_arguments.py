"""Give the functions of a device's library arrays where NumPy's take numbers and lists: CuPy's ``sum`` refuses a float."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...analysis.abstract import Abstract
from ...analysis.scope import MISSING, Scope
from ...analysis.statements import base, simple, target_names, targets
from ...rules.facts import FACTS
from ...runtime.device_lists import gathered, sent_each
from ...syntax import nodes as n
from ...syntax.quote import altered, expression, place, remade

Block = list[n.stmt]

CREATING = FACTS["creates"] | FACTS["converts"]

JOINING = frozenset(("array", "asarray", "stack", "concatenate", "hstack", "vstack", "dstack", "column_stack"))
"""Functions whose first argument is a list of what is joined."""

OF_SHAPE = frozenset(("shape", "ndim", "size", "result_type", "broadcast_shapes", "isscalar", "iscomplexobj", "finfo", "iinfo"))
"""Functions that answer on the computer."""

STILL = frozenset(("T", "real", "imag", "mT"))


class DeviceArguments:
    """Writes the calls of one program.

    ``arrays_of(function)`` says of each parameter whether the device's function takes arrays alone, ``known`` what is known of a name.
    """

    def __init__(
        self, body: Block, scope: Scope, numpy: str, known: Callable[[str], Abstract | None], arrays_of: Callable[[Any], tuple[bool, ...]],
    ):
        self.scope = scope
        self.numpy = numpy
        self.known = known
        self.arrays_of = arrays_of
        self.bound: dict[str, list[Any]] = {}
        for node in simple(body):
            self.bind(node)
        self.sure = set(self.bound)
        before = -1
        while len(self.sure) != before:
            before = len(self.sure)
            self.sure = {name for name in self.sure if all(map(self.is_there, self.bound[name]))}

    def bind(self, node: n.stmt) -> None:
        """Note what a statement binds to names, or puts into the lists that they stand for; None for what cannot be told."""
        if isinstance(node, n.Assign) and isinstance(node.targets[0], n.Name):
            if not (isinstance(node.value, n.List) and not node.value.elts):
                self.bound.setdefault(node.targets[0].id, []).append(node.value)
        elif isinstance(node, n.For):
            for name in target_names(node.target):
                self.bound.setdefault(name, []).append(node.iter if isinstance(node.target, n.Name) else None)
        elif isinstance(node, n.Expr) and isinstance(node.value, n.Call) and isinstance(node.value.func, n.Attribute):
            owner = base(node.value.func.value)
            if owner is not None and node.value.func.attr == "append" and isinstance(node.value.func.value, n.Name):
                self.bound.setdefault(owner, []).append(node.value.args[0])
        elif not isinstance(node, n.AugAssign):
            for target in targets(node):
                for name in target_names(target):
                    self.bound.setdefault(name, []).append(None)

    def is_there(self, node: Any) -> bool:
        """Whether the value of an expression is certainly an array of the device (or a number there)."""
        if isinstance(node, n.Name):
            known = self.known(node.id) if node.id not in self.scope.adjoints else None
            return node.id in self.sure or known is not None and known.kind == "array"
        if isinstance(node, n.BinOp):
            return self.is_there(node.left) or self.is_there(node.right)
        if isinstance(node, (n.Subscript, n.UnaryOp)):
            return self.is_there(node.value if isinstance(node, n.Subscript) else node.operand)
        if isinstance(node, n.Compare):
            return any(map(self.is_there, (node.left, *node.comparators)))
        if isinstance(node, n.Attribute):
            return node.attr in STILL and self.is_there(node.value)
        if isinstance(node, n.Call):
            found = self.scope.resolve(node.func)
            if found is MISSING:
                return isinstance(node.func, n.Attribute) and node.func.attr not in ("item", "tolist") and self.is_there(node.func.value)
            module = str(getattr(found, "__module__", None) or "numpy")
            if getattr(found, "__name__", "") in OF_SHAPE:
                return False
            return not isinstance(found, type) and module.startswith(("numpy", "scipy")) and (
                any(found is function for function in CREATING) or any(map(self.is_there, node.args)))
        return False

    def block(self, body: Block) -> Block:
        """The statements with their calls."""
        return [self.rewritten(node) for node in body]

    def rewritten(self, node: Any) -> Any:
        """A statement or an expression with its calls."""
        node = remade(node, self.rewritten)
        if isinstance(node, n.Assign) and isinstance(node.targets[0], n.Subscript) and isinstance(node.value, (n.List, n.Tuple)):
            known = self.known(base(node.targets[0]) or "")
            return altered(node, value=self.array(self.gathered(node.value))) if known is not None and known.kind == "array" else node
        if not isinstance(node, n.Call) or not node.args or isinstance(node.args[0], n.Starred):
            return node
        found = self.scope.resolve(node.func)
        module = str(getattr(found, "__module__", None) or "numpy")
        if found is MISSING or isinstance(found, type) or not module.startswith(("numpy", "scipy")):
            return node
        name = getattr(found, "__name__", "")
        first, *others = node.args
        if name in JOINING:
            if self.is_there(first) and not isinstance(first, n.Name) or isinstance(first, n.Constant):
                return node
            return altered(node, args=[self.gathered(first, sent_each if name not in ("array", "asarray") else gathered), *others])
        if name == "where" and len(node.args) == 3 and not self.is_there(first):
            return altered(node, args=[self.array(first), *others])
        if isinstance(found, np.ufunc):  # which takes numbers, and no lists
            lists = [self.array(self.gathered(part)) if isinstance(part, (n.List, n.Tuple)) else part for part in node.args]
            return altered(node, args=lists)
        wanted = self.arrays_of(found)
        args = [self.array(part) if k < len(wanted) and wanted[k] and not self.is_there(part) and not isinstance(part, n.Starred) else part
                for k, part in enumerate(node.args)]
        return altered(node, args=args)

    def array(self, node: n.expr) -> n.expr:
        """A number or a list as an array of the device."""
        return place(expression("$np.asarray($v)", np=self.numpy, v=node), node)

    def gathered(self, node: n.expr, helper: Any = gathered) -> n.expr:
        """A list of what is joined, with arrays for its numbers."""
        if isinstance(node, (n.List, n.Tuple)) and all(map(self.is_there, node.elts)):
            return node
        return place(expression("$f($v)", f=self.scope.imported(helper.__name__, helper), v=node), node)
