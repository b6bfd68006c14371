"""Expressions whose value is certainly a new array."""

from __future__ import annotations

from ..syntax import nodes as n

ALLOCATING = frozenset(
    "add subtract multiply divide where sum outer matmul dot exp log sin cos tan sinh cosh tanh sqrt sign full_like zeros_like copy "
    "cumsum cumprod concatenate stack maximum minimum array tensordot solve inv zeros".split()
)


def is_fresh(node: n.expr) -> bool:
    """Whether evaluating the expression certainly makes a new array (not a view, nor an array that something else holds)."""
    if isinstance(node, (n.BinOp, n.UnaryOp, n.Compare)):
        return True
    if isinstance(node, n.IfExp):
        return is_fresh(node.body) and is_fresh(node.orelse)
    if isinstance(node, n.Call) and isinstance(node.func, n.Attribute):
        return is_product(node) or node.func.attr in ALLOCATING and not may_not_copy(node)
    return False


def is_product(node: n.Call) -> bool:
    """Whether a call is an ``einsum`` of several arrays, which gives a view of none of them."""
    named = isinstance(node.func, n.Attribute) and node.func.attr == "einsum" and len(node.args) > 2
    return named and isinstance(node.args[0], n.Constant) and all(keyword.arg == "optimize" for keyword in node.keywords)


def may_not_copy(node: n.expr) -> bool:
    """Whether a call may give its argument back: it is told so with ``copy=``, or is the method ``conj`` (of real numbers)."""
    if isinstance(node, n.Call) and isinstance(node.func, n.Attribute) and node.func.attr in ("conj", "conjugate") and not node.args:
        return True
    return isinstance(node, n.Call) and any(
        keyword.arg == "copy" and not (isinstance(keyword.value, n.Constant) and keyword.value.value is True) for keyword in node.keywords
    )


def always_copies(node: n.expr) -> bool:
    """Whether an expression calls the method ``flatten``, which copies where ``ravel`` may not, or ``einsum`` of several arrays."""
    return isinstance(node, n.Call) and isinstance(node.func, n.Attribute) and (node.func.attr == "flatten" or is_product(node))
