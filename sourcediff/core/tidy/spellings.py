"""How one writes what the normal form spells out, where kinds and ranks are known."""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import Any

from ...analysis.abstract import Abstract
from ...analysis.lengths_within import dims_said
from ...analysis.literals import constant
from ...analysis.statements import base
from ...syntax import nodes as n
from ...syntax.quote import expression, names, place, statement
from .fold_factors import Factors, is_power_of_two

Known = Callable[[n.expr], Abstract]


class Spellings(n.NodeTransformer):
    """``np.stack((1.0, np.stack((x, y))))`` of numbers becomes ``np.array([1.0, [x, y]])``.

    ``np.expand_dims(a, 1)`` becomes ``a[:, None]``, a factor ``-(-x)`` becomes ``x``, one that meets an array of the shape to which it is
    broadcast is not broadcast. Signs of adjoints (``bars``), which are of floats,
    are taken of sums. ``known`` is what is known of an expression wherever it stands, ``alike`` of one over adjoints, too, which are alike
    to their variables; ``numpy`` how the program spells NumPy.
    """

    def __init__(self, known: Known, numpy: str, bars: Set[str], alike: Known, scatters: Set[str], limited: bool):
        self.known, self.alike = known, alike
        self.numpy = numpy
        self.scatters = scatters  # how the helper is called
        self.limited = limited  # whether min and max are Python's
        self.made: dict[str, Abstract] = {}  # numbers that rules have given names
        self.bars = bars
        self.loops = 0
        self.shapeless = False  # whether some shape is read no more

    def visited(self, body: list[n.stmt]) -> list[n.stmt]:
        """The statements of a block, spelled."""
        found = (self.visit(node) for node in body)
        return [node for each in found for node in (each if isinstance(each, list) else [each])]

    def visit_For(self, node: n.For | n.While) -> n.stmt:
        self.loops += 1
        self.generic_visit(node)
        self.loops -= 1
        return node

    visit_While = visit_For

    def visit_Assign(self, node: n.Assign) -> n.stmt:
        self.generic_visit(node)
        target = node.targets[0]
        if isinstance(target, n.Name) and target.id not in self.bars and (found := self.alike(node.value)).scalar:
            self.made.setdefault(target.id, found)
        return node

    def visit_Call(self, node: n.Call) -> n.expr:
        self.generic_visit(node)
        name = self.called(node)
        plain = len(node.args) == 3 and not node.keywords and name in ("clip", "where")
        numbers = plain and all(self.alike(part).scalar for part in node.args)
        if name == "clip" and numbers and self.limited:
            return expression("min(max($x, $a), $b)", x=node.args[0], a=node.args[1], b=node.args[2])
        if name == "zeros_like" and self.loops and not node.keywords and is_double(self.known(node.args[0])):  # takes a sixth of the time
            return expression("$np.zeros($x.shape)", np=self.numpy, x=node.args[0])
        if name == "transpose" and len(node.args) == 1 and not node.keywords and self.alike(node.args[0]).kind == "array":
            return self.transposed(node.args[0])
        if name == "where" and numbers:
            test, one, other = node.args  # of numbers, where a conditional expression takes a tenth of the time
            return n.IfExp(test=test, body=number(one), orelse=number(other)) if isinstance(test, n.Compare) else node
        if name == "stack" and (listed := self.listed(node)) is not None:
            return expression("$np.array($l)", np=self.numpy, l=listed)
        if name == "sum" and len(node.args) == 1 and (without := self.negated(node.args[0])) is not None:  # without an array
            node.args[0] = without
            return n.UnaryOp(op=n.USub(), operand=node)
        if name == "expand_dims" and len(node.args) == 2 and not node.keywords:
            value, axis = self.known(node.args[0]), constant(node.args[1])
            if value.kind == "array" and value.dims and type(axis) is int and isinstance(node.args[0], n.Name):
                place = axis % (len(value.dims) + 1)
                index = [n.Slice(lower=None, upper=None, step=None) for _ in range(place)] + [n.Constant(value=None, kind=None)]
                return n.Subscript(value=node.args[0], slice=index[0] if not place else n.Tuple(elts=index, ctx=n.Load()), ctx=n.Load())
        return node

    def transposed(self, node: n.expr) -> n.expr:
        """``x.T``, of a product of matrices of which one is transposed the product of the others."""
        if isinstance(node, n.Attribute) and node.attr == "T":
            return node.value
        if isinstance(node, n.BinOp) and isinstance(node.op, n.MatMult):
            parts = [node.left, node.right]
            is_one = any(isinstance(part, n.Attribute) and part.attr == "T" for part in parts)
            if is_one and all(self.alike(part).rank == 2 for part in parts):
                return n.BinOp(left=self.transposed(node.right), op=n.MatMult(), right=self.transposed(node.left))
        return n.Attribute(value=node, attr="T", ctx=n.Load())

    def visit_UnaryOp(self, node: n.UnaryOp) -> n.expr:
        self.generic_visit(node)
        without = self.negated(node.operand) if isinstance(node.op, n.USub) else None
        return without if isinstance(without, n.BinOp) else node  # -(-x) is a new array, x is not

    def visit_BinOp(self, node: n.BinOp) -> n.expr:
        self.generic_visit(node)
        if (part := self.broadcast(node.left, node.right)) is not None:
            node.left = part
            if isinstance(node.op, n.Mult):
                node = factored(node)
        elif (part := self.broadcast(node.right, node.left)) is not None:
            node.right = part
        if isinstance(node.op, (n.Add, n.Sub)) and (without := self.negated(node.right)) is not None:
            node.op, node.right = n.Sub() if isinstance(node.op, n.Add) else n.Add(), without
        first, last = ([], []) if self.bars.isdisjoint(names(node)) or not isinstance(node.op, n.Add) else (
            self.outers(node.left), self.outers(node.right))
        if first and last:  # written once, where each of them would be an array
            sides = [n.List(elts=list(side), ctx=n.Load()) for side in zip(*first, *last)]
            return expression("$np.array($a).T @ $np.array($b)", np=self.numpy, a=sides[0], b=sides[1])
        return node

    def outers(self, node: n.expr) -> list[list[n.expr]]:
        """The vectors of outer products that are added up to a matrix, pair by pair; empty for anything else."""
        if isinstance(node, n.Call) and self.called(node) == "outer" and len(node.args) == 2 and not node.keywords:
            return [node.args] if all(self.alike(part).rank == 1 for part in node.args) else []
        sides = [node.left, node.right] if isinstance(node, n.BinOp) and isinstance(node.op, n.MatMult) else []
        calls = [side.value if isinstance(side, n.Attribute) else side for side in sides]
        lists = [call.args[0].elts for call in calls if isinstance(call, n.Call) and self.called(call) == "array" and len(call.args) == 1
                 and isinstance(call.args[0], n.List)]
        return [[one, other] for one, other in zip(*lists)] if len(lists) == 2 and isinstance(sides[0], n.Attribute) else []

    def visit_AugAssign(self, node: n.AugAssign) -> Any:
        self.generic_visit(node)
        if (parts := self.scattered(node.value)) and isinstance(node.op, n.Add) and isinstance(node.target, n.Name):
            self.shapeless = True
            return [place(statement("$x[$i] += $g", x=node.target.id, i=index, g=value), node) for value, index in parts]
        if base(node.target) in self.bars and (part := self.broadcast(node.value)) is not None:
            node.value = part
        if isinstance(node.op, (n.Add, n.Sub)) and (without := self.negated(node.value)) is not None:
            node.op, node.value = n.Sub() if isinstance(node.op, n.Add) else n.Add(), without
        return node

    def scattered(self, node: n.expr) -> list[tuple[n.expr, n.expr]]:
        """What a sum of zeros with a value at one place each adds, and where; empty for any other expression."""
        if isinstance(node, n.BinOp) and isinstance(node.op, n.Add):
            left, right = self.scattered(node.left), self.scattered(node.right)
            return left + right if left and right else []
        if not isinstance(node, n.Call) or getattr(node.func, "id", "") not in self.scatters or len(node.args) != 3:
            return []
        value, _, index = node.args
        known = self.alike(index)
        return [(value, index)] if known.scalar and known.dtype is not None and known.dtype.kind in "iu" else []

    def broadcast(self, node: n.expr, other: n.expr | None = None) -> n.expr | None:
        """What a call of ``np.broadcast_to`` spreads, if what it meets has that shape (None: it has); None of any other expression."""
        if not isinstance(node, n.Call) or self.called(node) != "broadcast_to" or node.keywords:
            return None
        known = None if other is None else self.known(other)
        if known and (known.kind != "array" or None in known.dims or dims_said(self.known(node.args[1])) != known.dims):
            return None
        self.shapeless = True
        return node.args[0]

    def negated(self, node: n.expr) -> n.expr | None:
        """An adjoint without the sign that it, or its first factor, begins with; None of one without a sign."""
        return None if self.bars.isdisjoint(names(node)) else unsigned(node)

    def called(self, node: n.Call) -> str:
        """The name of the function of NumPy's that is called; "" for any other."""
        owner = node.func.value if isinstance(node.func, n.Attribute) else None
        return node.func.attr if isinstance(owner, n.Name) and owner.id == self.numpy else ""

    def listed(self, node: n.expr) -> n.expr | None:
        """The list of lists of numbers that makes the same array; None where there may be other things in it."""
        if isinstance(node, n.Call) and self.called(node) == "array" and len(node.args) == 1 and isinstance(node.args[0], n.List):
            return node.args[0]
        if not isinstance(node, n.Call) or self.called(node) != "stack" or len(node.args) != 1 or node.keywords:
            return node if self.known(node).scalar else None
        if not isinstance(node.args[0], (n.Tuple, n.List)) or not node.args[0].elts:
            return None
        parts = [self.listed(part) or self.row(part) for part in node.args[0].elts]
        written = any(isinstance(part, n.List) for part in parts) or all(part is not None and self.known(part).scalar for part in parts)
        return n.List(elts=parts, ctx=n.Load()) if written and None not in parts else None

    def row(self, node: n.expr) -> n.expr | None:
        """The name of an array, which may stand among lists; None of anything else."""
        return node if isinstance(node, n.Name) and self.known(node).kind == "array" else None


def number(node: n.expr) -> n.expr:
    """A number as a float, where it is a zero that is written."""
    return expression("0.0") if type(constant(node)) is int and constant(node) == 0 else node


def is_double(known: Abstract) -> bool:
    """Whether a value is an array of numbers in double precision."""
    return known.kind == "array" and known.dtype is not None and known.dtype == float


def factored(node: n.BinOp) -> n.BinOp:
    """A product with the literal factor of the second, larger array before the first one, if it is a power of two: ``a * (2 * x)``."""
    product = node.right
    if not (isinstance(product, n.BinOp) and isinstance(product.op, n.Mult) and is_power_of_two(constant(product.left))):
        return node
    return n.BinOp(left=scaled(product.left, node.left), op=n.Mult(), right=product.right)


def scaled(factor: n.expr, node: n.expr) -> n.expr:
    """A literal times an array, within what gives it more axes."""
    parts = [] if not isinstance(node, n.Subscript) else node.slice.elts if isinstance(node.slice, n.Tuple) else [node.slice]
    if parts and all(map(is_axis, parts)):
        return n.Subscript(value=scaled(factor, node.value), slice=node.slice, ctx=n.Load())
    return Factors(lambda node: True).multiplied(n.BinOp(left=factor, op=n.Mult(), right=node), True)


def is_axis(node: n.expr) -> bool:
    """Whether a part of an index is ``:`` or None."""
    if isinstance(node, n.Slice):
        return node.lower is node.upper is node.step is None
    return isinstance(node, n.Constant) and node.value is None


def unsigned(node: n.expr) -> n.expr | None:
    """A product or quotient without the sign of its first factor; None of one without a sign."""
    if isinstance(node, n.UnaryOp) and isinstance(node.op, n.USub):
        return node.operand
    if isinstance(node, n.BinOp) and isinstance(node.op, (n.Mult, n.Div, n.MatMult)) and (left := unsigned(node.left)) is not None:
        return n.BinOp(left=left, op=node.op, right=node.right)
    return None
