"""How one writes what the normal form spells out, where kinds and ranks are known."""

from __future__ import annotations

from collections.abc import Callable, Set

from ...analysis.abstract import Abstract
from ...analysis.literals import constant
from ...syntax import nodes as n
from ...syntax.quote import expression, names

Known = Callable[[n.expr], Abstract]


class Spellings(n.NodeTransformer):
    """``np.stack((1.0, np.stack((x, y))))`` of numbers becomes ``np.array([1.0, [x, y]])``.

    ``np.expand_dims(a, 1)`` becomes ``a[:, None]``, a factor ``-(-x)`` becomes ``x``. Signs of adjoints (``bars``), which are of floats,
    are taken of sums. ``known`` is what is known of an expression wherever it stands, ``numpy`` how the program spells NumPy.
    """

    def __init__(self, known: Known, numpy: str, bars: Set[str]):
        self.known = known
        self.numpy = numpy
        self.bars = bars

    def visit_Call(self, node: n.Call) -> n.expr:
        self.generic_visit(node)
        name = self.called(node)
        if name == "stack" and (listed := self.listed(node)) is not None:
            return expression("$np.array($l)", np=self.numpy, l=listed)
        if name == "sum" and len(node.args) == 1 and self.is_adjoint(node.args[0]):  # without an array
            node.args[0] = node.args[0].operand
            return n.UnaryOp(op=n.USub(), operand=node)
        if name == "expand_dims" and len(node.args) == 2 and not node.keywords:
            value, axis = self.known(node.args[0]), constant(node.args[1])
            if value.kind == "array" and value.dims and type(axis) is int and isinstance(node.args[0], n.Name):
                place = axis % (len(value.dims) + 1)
                index = [n.Slice(lower=None, upper=None, step=None) for _ in range(place)] + [n.Constant(value=None, kind=None)]
                return n.Subscript(value=node.args[0], slice=index[0] if not place else n.Tuple(elts=index, ctx=n.Load()), ctx=n.Load())
        return node

    def visit_BinOp(self, node: n.BinOp) -> n.expr:
        self.generic_visit(node)
        node.left, node.right = positive(node.left), positive(node.right)
        if isinstance(node.op, n.Add) and self.is_adjoint(node.right):
            node.op, node.right = n.Sub(), node.right.operand
        return node

    def visit_AugAssign(self, node: n.AugAssign) -> n.stmt:
        self.generic_visit(node)
        if isinstance(node.op, (n.Add, n.Sub)) and self.is_adjoint(node.value):
            node.op, node.value = n.Sub() if isinstance(node.op, n.Add) else n.Add(), node.value.operand
        return node

    def is_adjoint(self, node: n.expr) -> bool:
        """Whether an expression is an adjoint with another sign."""
        return is_negative(node) and not self.bars.isdisjoint(names(node))

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


def positive(node: n.expr) -> n.expr:
    """An operand without two signs that cancel."""
    return node.operand.operand if is_negative(node) and is_negative(node.operand) else node


def is_negative(node: n.expr) -> bool:
    """Whether an expression begins with a sign that is taken of all of it."""
    return isinstance(node, n.UnaryOp) and isinstance(node.op, n.USub)
