"""Write NumPy functions without a rule in terms of functions that have one.

>>> import numpy as np
>>> from sourcediff.api.explain import text_after
>>> def piecewise(x, y):
...     chosen = np.select([x > 1, x > 0], [x, x * y])
...     return np.sum(np.block([chosen, y]))
>>> print(text_after("unbound_names", piecewise))
t = x > 1
t1 = x > 0
t2 = x * y
t3 = np.where(t1, t2, 0)
chosen = np.where(t, x, t3)
t4 = np.atleast_1d(chosen)
t5 = np.atleast_1d(y)
t6 = np.concatenate([t4, t5], axis=-1)
value = np.sum(t6)
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...analysis.literals import constant
from ...analysis.source.out_arguments import among
from ...runtime.arrays import chosen_among, einsum_pairs, einsum_subscripts, roots_of, store
from ...syntax import nodes as n
from ...syntax.quote import expression, place

Displays = (n.List, n.Tuple)


class Writing(NamedTuple):
    """How a substitute is written: ``numpy`` and ``imported`` give the names of NumPy and of a helper, ``named`` the name of a value;
    ``carries`` says whether one is differentiated, ``known`` what it is."""

    numpy: Callable[[], str]
    imported: Callable[[str, Any], str]
    named: Callable[[n.expr], n.expr]
    carries: Callable[[n.expr], bool]
    known: Callable[[n.expr], Any]

    def parts(self, node: n.expr) -> list[n.expr] | None:
        """The items of a list or tuple that is shown, or has a name and so many items; None of anything else."""
        if isinstance(node, Displays):
            return list(node.elts)
        items = self.known(node).items if isinstance(node, n.Name) else None
        return [expression(f"$a[{k}]", a=node) for k in range(len(items))] if type(items) is tuple else None

    def is_condition(self, node: n.expr) -> bool:
        """Whether an expression is certainly of truth values, which ``np.select`` insists on."""
        return is_condition(node) or self.known(node).dtype == bool

    def __call__(self, text: str, **holes: Any) -> n.expr:
        return expression(text, np=self.numpy(), **holes)


def substituted(function: Any, node: n.Call, writing: Writing) -> n.expr | None:
    """A call of such a function by means of others, None for any other call."""
    module = getattr(function, "__module__", None)
    known_module = module in ("numpy", "numpy.linalg", "builtins", "_operator")
    substitute = SUBSTITUTES[function] if known_module and among(function, SUBSTITUTES) else None
    known = {keyword.arg: keyword.value for keyword in node.keywords}
    if substitute is None or None in known or any(isinstance(argument, n.Starred) for argument in node.args):
        return None
    made = substitute(node.args, known, writing)
    return None if made is None else place(made, node)


def _select(args: list[n.expr], keywords: dict[str, n.expr], write: Writing) -> n.expr | None:
    """``np.select([c, d], [a, b], e)`` as ``np.where(c, a, np.where(d, b, e))``."""
    if not 2 <= len(args) <= 3 or set(keywords) - {"default"}:
        return None
    conditions, choices = map(write.parts, args[:2])
    if not conditions or not choices or len(conditions) != len(choices) or not all(map(write.is_condition, conditions)):
        return None
    chosen = args[2] if len(args) == 3 else keywords.get("default", expression("0"))
    for condition, choice in zip(reversed(conditions), reversed(choices)):
        chosen = write("$np.where($c, $a, $b)", c=condition, a=choice, b=chosen)
    return chosen


def _piecewise(args: list[n.expr], keywords: dict[str, n.expr], write: Writing) -> n.expr | None:
    """``np.piecewise(x, [c, d], [f, 0.5])`` as zeros in which what ``f`` gives for the entries that ``c`` chooses is stored, and so on."""
    if len(args) != 3 or keywords or not isinstance(args[2], Displays):
        return None
    x = write.named(args[0])
    conditions = [write.named(part) for part in (args[1].elts if isinstance(args[1], Displays) else [args[1]])]
    if len(args[2].elts) == len(conditions) + 1:
        conditions.append(write("~($c)", c=functools.reduce(lambda a, b: expression("$a | $b", a=a, b=b), conditions)))
    if len(args[2].elts) != len(conditions):
        return None
    found, spelled = write("$np.zeros_like($x)", x=x), write.imported("store", store)
    for condition, part in zip(conditions, args[2].elts):
        number = isinstance(constant(part), (int, float))
        value = part if number else write("$f($x[$c])", f=part, x=x, c=condition)
        found = write("$s($a, $c, $v)", s=spelled, a=found, c=condition, v=value)
    return found


def _quantiles(function: Any) -> Any:
    """The substitute of ``np.quantile(a, [p, q])`` and its like: the stack of one for each."""
    names = tuple(inspect.signature(function).parameters)

    def substitute(args: list[n.expr], keywords: dict[str, n.expr], write: Writing) -> n.expr | None:
        given = {**dict(zip(names, args)), **keywords}
        if not isinstance(given.get("q"), Displays) or "a" not in given:
            return None
        array, several = write.named(given.pop("a")), given.pop("q").elts
        more = [n.keyword(arg=name, value=value) for name, value in given.items()]
        each = [n.Call(func=write(f"$np.{function.__name__}"), args=[array, q], keywords=more) for q in several]
        return write("$np.stack($w)", w=n.List(elts=each, ctx=n.Load()))

    return substitute


def is_condition(node: n.expr) -> bool:
    """Whether an expression is certainly of truth values, which ``np.select`` insists on."""
    if isinstance(node, n.BinOp):
        return isinstance(node.op, (n.BitAnd, n.BitOr, n.BitXor)) and is_condition(node.left) and is_condition(node.right)
    return isinstance(node, n.Compare) or isinstance(node, n.UnaryOp) and isinstance(node.op, n.Invert) and is_condition(node.operand)


def _block(args: list[n.expr], keywords: dict[str, n.expr], write: Writing) -> n.expr | None:
    """``np.block([[a, b], [c, d]])`` as a column of rows, each joined along its last axis; ``np.block([a, b])`` as one row."""
    rows = write.parts(args[0]) if len(args) == 1 and not keywords else None
    if not rows:
        return None
    columns = [write.parts(row) for row in rows]
    deep = all(columns)
    blocks = [block for row in columns for block in row or ()] if deep else rows
    if any(write.parts(block) is not None for block in blocks):
        return None

    def row_of(parts: list[n.expr], rank: int) -> n.expr:
        whole = n.List(elts=[write(f"$np.atleast_{rank}d($p)", p=part) for part in parts], ctx=n.Load())
        joined: n.expr = write("$np.concatenate($w, axis=-1)", w=whole)
        return joined

    if not deep:
        return row_of(rows, 1)
    column: n.expr = write("$np.concatenate($w, axis=-2)", w=n.List(elts=[row_of(row or [], 2) for row in columns], ctx=n.Load()))
    return column


def _meshgrid(args: list[n.expr], keywords: dict[str, n.expr], write: Writing) -> n.expr | None:
    """``np.meshgrid(x, y)``: rows that are ``x``, columns that are ``y``, or the other way round with ``indexing="ij"``; of more arrays,
    and with ``sparse=True``, each along an axis of its own."""
    indexing, sparse = constant(keywords.get("indexing"), "xy"), constant(keywords.get("sparse"), False)
    if len(args) < 2 or set(keywords) - {"indexing", "sparse"} or indexing not in ("xy", "ij") or type(sparse) is not bool:
        return None
    arrays = [write.named(part) for part in args]
    axes = [1, 0, *range(2, len(args))] if indexing == "xy" else [*range(len(args))]
    if len(args) > 2 or sparse:
        columns = [write(f"$np.reshape($x, {(*(1,) * k, -1, *(1,) * (len(args) - 1 - k))})", x=x) for k, x in zip(axes, arrays)]
        sizes = n.Tuple(elts=[write("$np.size($x)", x=arrays[axes[k]]) for k in range(len(args))], ctx=n.Load())
        return n.List(elts=columns if sparse else [write("$np.broadcast_to($x, $s)", x=x, s=sizes) for x in columns], ctx=n.Load())
    across, down = arrays if indexing == "xy" else reversed(arrays)
    rows = write("$np.tile($x, ($np.size($y), 1))", x=across, y=down)
    columns = write("$np.repeat($np.reshape($y, (-1, 1)), $np.size($x), axis=1)", x=across, y=down)
    return n.List(elts=[rows, columns] if indexing == "xy" else [columns, rows], ctx=n.Load())


def _choose(args: list[n.expr], keywords: dict[str, n.expr], write: Writing) -> n.expr | None:
    """``np.choose(i, [a, b, c])`` as ``np.where(i == 0, a, np.where(i == 1, b, c))``, for an ``i`` that NumPy takes."""
    if len(args) != 2 or set(keywords) - {"mode"} or not isinstance(args[1], Displays) or not args[1].elts:
        return None
    chosen_from = args[1].elts
    mode = keywords.get("mode", expression("'raise'"))
    helper = write.imported("chosen_among", chosen_among)
    numbers = write.named(write("$f($a, $n, $mode)", f=helper, a=args[0], n=len(chosen_from), mode=mode))
    *others, chosen = chosen_from
    for number, choice in reversed([*enumerate(others)]):
        chosen = write("$np.where($a == $n, $c, $o)", a=numbers, n=number, c=choice, o=chosen)
    return chosen if others else write("$np.where($a == 0, $c, $c)", a=numbers, c=write.named(chosen))


def _broadcast_arrays(args: list[n.expr], keywords: dict[str, n.expr], write: Writing) -> n.expr | None:
    """``np.broadcast_arrays(x, y)`` as the pair of both, broadcast to the shape that they have together."""
    if keywords or not args:
        return None
    arrays = [write.named(part) for part in args]
    shapes = [write("$np.shape($a)", a=part) for part in arrays]
    shape = write.named(place(n.Call(func=write("$np.broadcast_shapes"), args=shapes, keywords=[]), args[0]))
    return n.Tuple(elts=[write("$np.broadcast_to($a, $s)", a=part, s=shape) for part in arrays], ctx=n.Load())


def _gradient(args: list[n.expr], keywords: dict[str, n.expr], write: Writing) -> n.expr | None:
    """``np.gradient(f, h, k)``, and ``np.gradient(f, axis=(0, 1))``, as one gradient for each axis."""
    axis = keywords.get("axis")
    if len(args) < 3 and not isinstance(axis, Displays):
        return None
    axes = list(range(len(args) - 1)) if axis is None else axis.elts if isinstance(axis, Displays) else []
    if len(axes) < 2 or len(args) > 2 and len(args) - 1 != len(axes):
        return None
    array = write.named(args[0])
    steps = [write.named(step) for step in args[1:]]
    steps = steps * len(axes) if len(steps) == 1 else steps
    more = [n.keyword(arg=name, value=value) for name, value in keywords.items() if name != "axis"]
    return n.Tuple(elts=[
        n.Call(func=write("$np.gradient"), args=[array, *steps[i:i + 1]],
               keywords=[n.keyword(arg="axis", value=expression("$k", k=k)), *more])
        for i, k in enumerate(axes)
    ], ctx=n.Load())


def for_each(function: Any, node: n.Call, count: int) -> n.Call:
    """``np.gradient(f)``, which ``count`` names are to stand for, with the axes that these are along."""
    if function is not np.gradient or any(keyword.arg in ("axis", None) for keyword in node.keywords) or count < 2:
        return node
    axes = n.Tuple(elts=[expression("$k", k=k) for k in range(count)], ctx=n.Load())
    return place(n.Call(func=node.func, args=node.args, keywords=[*node.keywords, n.keyword(arg="axis", value=axes)]), node)


def _divmod(args: list[n.expr], keywords: dict[str, n.expr], write: Writing) -> n.expr | None:
    """``np.divmod(x, y)`` as the pair of ``np.floor_divide`` and ``np.remainder``."""
    if len(args) != 2 or keywords:
        return None
    x, y = map(write.named, args)
    return n.Tuple(elts=[write(f"$np.{name}($x, $y)", x=x, y=y) for name in ("floor_divide", "remainder")], ctx=n.Load())


def _python_divmod(args: list[n.expr], keywords: dict[str, n.expr], write: Writing) -> n.expr | None:
    """``divmod(x, y)`` as the pair of ``x // y`` and ``x % y``."""
    if len(args) != 2 or keywords:
        return None
    x, y = map(write.named, args)
    return n.Tuple(elts=[expression(f"$x {operator} $y", x=x, y=y) for operator in ("//", "%")], ctx=n.Load())


def _svd(args: list[n.expr], keywords: dict[str, n.expr], write: Writing) -> n.expr | None:
    """``np.linalg.svd(a, compute_uv=False)`` as ``np.linalg.svdvals(a)``."""
    alone = len(args) == 1 and not set(keywords) - {"full_matrices", "compute_uv"} and constant(keywords.get("compute_uv")) is False
    return write("$np.linalg.svdvals($a)", a=args[0]) if alone else None


def _cond(args: list[n.expr], keywords: dict[str, n.expr], write: Writing) -> n.expr | None:
    """``np.linalg.cond(a)`` as the greatest singular value by the least one."""
    if len(args) != 1 or keywords:
        return None
    sizes = write.named(write("$np.linalg.svdvals($a)", a=args[0]))
    return expression("$s[..., 0] / $s[..., -1]", s=sizes)


def _without_nan(text: str) -> Any:
    """The substitute of ``np.nancumsum`` and its like, in which ``$a`` has a neutral number for what is none."""
    def substitute(args: list[n.expr], keywords: dict[str, n.expr], write: Writing) -> n.expr | None:
        if not 1 <= len(args) <= 2 or set(keywords) - {"axis"}:
            return None
        axis = args[1] if len(args) == 2 else keywords.get("axis", expression("None"))
        return write(text, a=write.named(args[0]), axis=axis)

    return substitute


def _multi_dot(args: list[n.expr], keywords: dict[str, n.expr], write: Writing) -> n.expr | None:
    """``np.linalg.multi_dot([a, b, c])`` as ``a @ b @ c``."""
    if len(args) != 1 or keywords or not isinstance(args[0], Displays) or len(args[0].elts) < 2:
        return None
    product, *others = args[0].elts
    for other in others:
        product = write("$np.dot($a, $b)", a=product, b=other)
    return product


def _written(text: str) -> Any:
    """The substitute of a function that is an operator."""
    def substitute(args: list[n.expr], keywords: dict[str, n.expr], write: Writing) -> n.expr | None:
        return None if keywords or len(args) != text.count("$") else write(text, **dict(zip("ab", args)))

    return substitute


def _einsum(args: list[n.expr], keywords: dict[str, n.expr], write: Writing) -> n.expr | None:
    """``np.einsum("i,ij,j->", x, a, y)`` as products of two: ``np.einsum("j,j->", np.einsum("i,ij->j", x, a), y)``; and
    ``np.einsum(x, [0, 1], [1])`` as ``np.einsum("ab->b", x)``."""
    given = args
    if (len(args) > 3 or len(args) > 1 and write.carries(args[0])) and not isinstance(constant(args[0]), str):
        lists = [*args[1:2 * (len(args) // 2):2], *args[-1:][:len(args) % 2]]
        axes = [known for part in lists if (known := axes_of(part)) is not None]
        if len(axes) < len(lists):
            return None
        result = axes.pop() if len(args) % 2 else None
        args = [n.Constant(value=einsum_subscripts(axes, result), kind=None), *args[0:2 * len(axes):2]]
    subscripts = constant(args[0]) if len(args) > 3 else None
    order = sorted(range(len(args) - 1), key=lambda position: not write.carries(args[position + 1]))
    pairs = einsum_pairs(subscripts, order) if isinstance(subscripts, str) and not set(keywords) - {"optimize"} else []
    if not pairs:
        call = n.Call(func=write("$np.einsum"), args=args, keywords=[n.keyword(arg=name, value=value) for name, value in keywords.items()])
        return None if args is given else call
    product = args[order[0] + 1]
    for step, position in zip(pairs, order[1:]):
        other = args[position + 1]
        product = write("$np.einsum($s, $a, $b)", s=n.Constant(value=step, kind=None), a=product, b=other)
    return product


def axes_of(node: n.expr) -> list[Any] | None:
    """The numbers of axes that a list says, None where it is none of constants."""
    if not isinstance(node, (n.List, n.Tuple)):
        return None
    axes = [Ellipsis if isinstance(part, n.Name) and part.id == "Ellipsis" else constant(part) for part in node.elts]
    return axes if all(axis is Ellipsis or type(axis) is int and 0 <= axis < 52 for axis in axes) else None


def _roots(args: list[n.expr], keywords: dict[str, n.expr], write: Writing) -> n.expr | None:
    """``np.roots(p)`` as the same with a word on its being complex, perhaps."""
    return None if len(args) != 1 or keywords else write("$f($p, $np.complex128)", f=write.imported("roots_of", roots_of), p=args[0])


def _matrix_power(args: list[n.expr], keywords: dict[str, n.expr], write: Writing) -> n.expr | None:
    """``np.linalg.matrix_power(a, 3)`` as ``a @ a @ a``: squares of squares, as NumPy has them."""
    power = constant(args[1]) if len(args) == 2 and not keywords else None
    if type(power) is not int or abs(power) < 2:
        return None
    square = write.named(args[0] if power > 0 else write("$np.linalg.inv($a)", a=args[0]))
    if power == 3 or power == -3:
        return write("$np.matmul($np.matmul($a, $a), $a)", a=square)
    found: n.expr | None = None
    power = abs(power)
    while power:
        power, odd = divmod(power, 2)
        if odd:
            found = square if found is None else write("$np.matmul($a, $b)", a=found, b=square)
        if power:
            square = write.named(write("$np.matmul($a, $a)", a=square))
    return found


def _as(text: str, count: int = 1, **defaults: str) -> Any:
    """The substitute ``text`` of a function of ``count`` arguments by position, and of some by name that have these ``defaults``."""

    def substitute(args: list[n.expr], keywords: dict[str, n.expr], write: Writing) -> n.expr | None:
        if len(args) != count or set(keywords) - set(defaults):
            return None
        return write(text, **dict(zip("ab", args)), **{name: keywords.get(name, expression(text)) for name, text in defaults.items()})

    return substitute


SUBSTITUTES: dict[Any, Any] = {
    np.piecewise: _piecewise,
    **{function: _quantiles(function) for function in (np.quantile, np.percentile, np.nanquantile, np.nanpercentile)},
    np.select: _select, np.block: _block, np.meshgrid: _meshgrid, np.choose: _choose,
    np.broadcast_arrays: _broadcast_arrays, np.gradient: _gradient, np.divmod: _divmod, np.roots: _roots,
    divmod: _python_divmod, np.linalg.cond: _cond, np.linalg.svd: _svd,
    np.nancumsum: _without_nan("$np.cumsum($np.where($np.isnan($a), 0, $a), $axis)"),
    np.nancumprod: _without_nan("$np.cumprod($np.where($np.isnan($a), 1, $a), $axis)"),
    np.einsum: _einsum, np.linalg.multi_dot: _multi_dot, np.linalg.matrix_power: _matrix_power,
    np.linalg.matrix_norm: _as("$np.linalg.norm($a, axis=(-2, -1))"),
    np.linalg.diagonal: _as("$np.diagonal($a, $offset, -2, -1)", offset="0"),
    np.linalg.trace: _as("$np.trace($a, $offset, -2, -1)", offset="0"),
    np.linalg.matrix_transpose: _as("$np.matrix_transpose($a)"),
    np.linalg.tensordot: _as("$np.tensordot($a, $b, $axes)", count=2, axes="2"),
    operator.add: _written("$a + $b"), operator.sub: _written("$a - $b"), operator.mul: _written("$a * $b"),
    operator.truediv: _written("$a / $b"), operator.pow: _written("$a ** $b"), operator.matmul: _written("$a @ $b"),
    operator.neg: _written("-$a"),
    np.linalg.matmul: _as("$np.matmul($a, $b)", count=2), np.linalg.vecdot: _as("$np.vecdot($a, $b)", count=2),
}
