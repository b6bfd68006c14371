"""What kind of container an expression is certainly: a list, a dict, a set."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...analysis.abstract import UNKNOWN, Abstract, item_of, of_entries
from ...analysis.bindings import is_method
from ...analysis.scope import Scope
from ...analysis.source.may_be_active import carries
from ...analysis.source.out_arguments import among
from ...rules import rule_for
from ...rules.facts import having
from ...runtime.structures import copied, zeros_like
from ...syntax import nodes as n
from ...syntax.quote import expression, place
from ..desugar.numpy_functions import is_condition
from ..room import Room
from .list_repetition import multiplies

CONDITION = UNKNOWN._replace(dtype=np.dtype(bool))
"""What is known of a comparison: nothing but that it gives truth values."""


class Kinds(Room):
    """Asked by all rooms."""

    def carries(self, node: n.expr) -> bool:
        return carries(node, self.state.names, self.scope)

    def known(self, node: n.expr) -> Abstract:
        """What is known of a value as a container; UNKNOWN of everything else."""
        if isinstance(node, n.Name):
            return self.state.kinds.get(node.id, UNKNOWN)
        if isinstance(node, n.Subscript) and isinstance(node.slice, n.Constant):
            return item_of(self.known(node.value), node.slice.value)
        if isinstance(node, n.Subscript) and isinstance(node.slice, n.Name):
            return item_of(held) if (held := self.known(node.value)).kind in ("sequence", "mapping") else UNKNOWN
        if isinstance(node, n.Attribute) and (owner := self.known(node.value)).kind == "object":
            return dict(owner.items[1] or ()).get(node.attr, UNKNOWN)
        if isinstance(node, n.Dict):
            return mapping_of(node, self.known)
        if isinstance(node, (n.List, n.Tuple)):
            return Abstract("sequence") if has_stars(node) else Abstract("sequence", items=tuple(map(self.known, node.elts)))
        if isinstance(node, (n.Subscript, n.BinOp, n.ListComp)):
            return Abstract("sequence") if self.makes_list(node) else UNKNOWN
        if isinstance(node, n.Call):
            function = self.scope.resolve(node.func)
            if function is dict:
                return self.known(shown) if (shown := self.displayed(node)) is not node else Abstract("mapping")
            if function is copied and node.args:
                return self.known(node.args[0])
            if is_method(node, "copy") and (owner := self.known(node.func.value)).kind == "mapping":
                return owner
            return Abstract("sequence") if function in (list, tuple, sorted) or self.makes_list(node) else UNKNOWN
        return CONDITION if is_condition(node) else UNKNOWN

    def multiplies(self, times: n.expr) -> bool | None:
        """Whether a list times this multiplies the entries, since it is an array; False: it is an int; None: it may be either."""
        return self.is_array(times) or multiplies(times, self.scope, self.state.kinds)

    def is_array(self, node: n.expr) -> bool:
        """Whether the value of an expression is an array, as is seen at once: a call that makes one, and arithmetic with it."""
        if isinstance(node, n.BinOp):
            return not isinstance(node.op, n.MatMult) and (self.is_array(node.left) or self.is_array(node.right))
        if isinstance(node, n.Call):
            return among(self.scope.resolve(node.func), having("creates", "converts", "joins"))
        return isinstance(node, n.Name) and node.id in self.state.arrays

    def makes_list(self, node: n.expr) -> bool:
        """Whether an expression is an operation on lists that gives a list."""
        if isinstance(node, n.ListComp):
            return True
        if isinstance(node, n.Subscript):
            return isinstance(node.slice, n.Slice) and self.is_sequence(node.value)
        if isinstance(node, n.BinOp):
            if isinstance(node.op, n.Add):  # the right side first: of a long sum it is the short one
                return self.is_sequence(node.right) and self.is_sequence(node.left)
            if not isinstance(node.op, n.Mult) or (right := self.is_sequence(node.right)) == self.is_sequence(node.left):
                return False
            times = node.left if right else node.right
            return not self.multiplies(times) and not self.carries(times)
        method = node.func if isinstance(node, n.Call) and not node.args else None
        return isinstance(method, n.Attribute) and method.attr == "copy" and self.is_sequence(method.value)

    def is_sequence(self, node: n.expr) -> bool:
        """Whether the value of an expression is certainly a list or a tuple."""
        if isinstance(node, n.Name) and node.id in self.state.unsure:
            return False
        return self.known(node).kind == "sequence"

    def displayed(self, node: n.expr) -> n.expr:
        """``dict(a=1)`` as ``{"a": 1}``, ``dict(d)`` as ``d.copy()``, ``dict(zip(names, values))`` as a comprehension; else as it is."""
        function = self.scope.resolve(node.func) if isinstance(node, n.Call) and len(node.args) == 1 and not node.keywords else None
        if function is dict and self.known(node.args[0]).kind == "mapping":
            return place(expression("$d.copy()", d=node.args[0]), node)
        if function is dict and isinstance(node.args[0], n.Call) and self.scope.resolve(node.args[0].func) is zip:
            key, entry_ = self.scope.fresh("key"), self.scope.fresh("entry")
            return place(expression(f"{{{key}: {entry_} for {key}, {entry_} in $z}}", z=node.args[0]), node)
        if not isinstance(node, n.Call) or self.scope.resolve(node.func) is not dict or node.args or not all(k.arg for k in node.keywords):
            return node
        keys = [n.Constant(value=keyword.arg, kind=None) for keyword in node.keywords]
        return place(n.Dict(keys=keys, values=[keyword.value for keyword in node.keywords]), node)

    def new_list(self, node: n.Call) -> bool:
        """Whether a call makes a list (or an adjoint that may be one) which nobody else knows."""
        function = self.scope.resolve(node.func)
        return function in (zeros_like, list, sorted) or function is copied and self.is_sequence(node.args[0])

    def is_set(self, node: n.expr) -> bool:
        """Whether an expression is certainly a set of something that carries nothing."""
        if isinstance(node, n.BinOp):
            return self.is_set(node.left) and self.is_set(node.right)
        if isinstance(node, n.Name):
            return node.id in self.state.sets
        called = isinstance(node, n.Call) and self.scope.resolve(node.func) in (set, frozenset)
        return (called or isinstance(node, (n.Set, n.SetComp))) and not self.carries(node)


def has_stars(node: n.expr) -> bool:
    """Whether an expression is a display like ``[*a, b]``."""
    return isinstance(node, (n.Tuple, n.List)) and any(isinstance(part, n.Starred) for part in node.elts)


def star_of(node: n.Call) -> n.AST | None:
    """The first star in a call."""
    parts = (*node.args, *node.keywords)
    return next((part for part in parts if isinstance(part, n.Starred) or isinstance(part, n.keyword) and part.arg is None), None)


def mapping_of(node: n.Dict, known: Callable[[n.expr], Abstract]) -> Abstract:
    """What is known of a dict display: its entries, if all keys are literals."""
    if not all(isinstance(key, n.Constant) for key in node.keys):
        return Abstract("mapping")
    return of_entries({key.value: known(value) for key, value in zip(node.keys, node.values)})


def certainly_array(node: n.expr, scope: Scope) -> bool:
    """Whether the value of an expression is an array (or a number), and no list."""
    if isinstance(node, n.BinOp):
        sides = node.left, node.right
        return any(isinstance(side, n.Constant) and type(side.value) is float or certainly_array(side, scope) for side in sides)
    function = scope.resolve(node.func) if isinstance(node, n.Call) else None
    rule = rule_for(function) if function is not None else None
    listed = (np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit, np.shape, np.nonzero, np.meshgrid)
    return rule is not None and getattr(function, "__module__", "") == "numpy" and function not in listed
