"""Recognise views, and where what is stored into a view goes in its array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...analysis.abstract import UNKNOWN
from ...analysis.applications import Application, application
from ...analysis.literals import constant
from ...analysis.scope import MISSING, Scope
from ...analysis.statements import base, entry_put_in, grown, simple, target_names, targets
from ...rules.formula import reads
from ...runtime import arrays
from ...runtime.arrays import inverse
from ...syntax import nodes as n
from ...syntax.quote import clone, expression, statement
from ..facts.aliases import Aliases
from ..facts.values import Values

Block = list[n.stmt]
Back = Callable[[str, str, Scope], Block]
"""(mirror, array, scope) → the statements that store the one into its place in the other."""


class Site(NamedTuple):
    """What a statement binds a name to: a view of ``array``, perhaps (or ``certain``), or, where that is "", to something of its own."""

    array: str = ""
    view: n.expr | None = None
    certain: bool = True
    back: Back | None = None


def sites(name: str, body: Block, aliases: Aliases, changed: set[str]) -> dict[n.stmt, Site] | None:
    """How the statements that bind a name do so; None if one of them takes no view that is known here, or none of them takes one."""
    found = {}
    bound: dict[str, list[n.stmt]] = {}
    for node in simple(body):
        for one in set().union(*map(target_names, targets(node))):
            bound.setdefault(one, []).append(node)
    for node in simple(body):
        if name not in set().union(*map(target_names, targets(node))) or isinstance(node, n.AugAssign):
            continue
        target = node.targets[0] if isinstance(node, n.Assign) else None
        if not isinstance(target, n.Name) or aliases.values.after[node].get(name, UNKNOWN).kind != "array":
            return None
        shared = bool(aliases.sources(node.value, node))
        site = (traced(node.value, aliases.values, node, changed) or part(node.value, bound, aliases, node, changed)) if shared else Site()
        if site is None or site.array == name or site.back is None and site.array and name in changed:
            return None
        found[node] = site
    return found if any(site.array for site in found.values()) else None


def traced(node: n.expr, values: Values, at: n.stmt, changed: set[str]) -> Site | None:
    """What an expression is a view of, if that is known."""
    environment = values.before[at]
    if isinstance(node, n.Name):
        return Site(node.id, node, back=whole) if values.of(node, environment).kind == "array" else None
    applied = application(node, values.scope)
    array = applied.args[0] if applied is not None and applied.args else None
    if applied is None or not isinstance(array, n.Name) or values.of(array, environment).kind != "array":
        return None
    if isinstance(node, n.Subscript):
        return Site(array.id, node, back=indexed_view(node)) if basic(node.slice, values, at) else None
    given = set().union(*(reads(part)[0] for part in [*applied.args[1:], *applied.kwargs.values()]))
    if applied.function not in VIEWS or any(values.scope.lookup(name) is MISSING and name in changed for name in given):
        return None
    certain, back = VIEWS[applied.function]
    kind = (values.of(array, environment).dtype or np.dtype(object)).kind
    if applied.function is np.real and kind in "fiub":
        return Site(array.id, node, back=whole)
    if applied.function in (np.real, np.imag) and kind != "c":
        return None
    return Site(array.id, node, certain, back(applied) if back is not None else None)


def part(node: n.expr, bound: dict[str, list[n.stmt]], aliases: Aliases, at: n.stmt, changed: set[str]) -> Site | None:
    """Which part of an array ``parts[0]`` is after ``parts = np.split(a, 2)``."""
    values = aliases.values
    holder = node.value if isinstance(node, n.Subscript) else None
    if not isinstance(holder, n.Name) or holder.id in changed or not whole_number(node.slice, values, at):
        return None
    made = bound.get(holder.id, [])
    if len(made) != 1 or not isinstance(made[0], n.Assign):
        return None
    applied, environment = application(made[0].value, values.scope), values.before[made[0]]
    if applied is None or not is_split(made[0].value, values.scope) or len(applied.args) < 2:
        return None
    array = applied.args[0]
    if not isinstance(array, n.Name):
        return None
    known = values.of(array, environment)
    axis = SPLITTING[applied.function]
    axis = constant(_argument(applied, "axis", 2, expression("0"))) if axis is None else min(axis, len(known.dims) - 1)
    where = cut(applied, node.slice) if known.kind == "array" and isinstance(axis, int) else None
    given = bound.get(array.id, [])
    if where is None or len(given) > 1 or not aliases.together(made[0], at) and not aliases.outermost(made[0]):
        return None
    if given and not aliases.together(given[0], made[0]) and not aliases.outermost(given[0]):
        return None
    asked = set().union(*(reads(argument)[0] for argument in [*applied.args[1:], *applied.kwargs.values()]))
    if not all(aliases.together(node, made[0]) for name in asked for node in bound.get(name, [])):  # it may mean something else by now
        return None
    axis %= len(known.dims)
    view = n.Subscript(value=made[0].value, slice=node.slice, ctx=n.Load())

    def back(mirror: str, name: str, scope: Scope) -> Block:
        numpy = expression(scope.imported("np", np))
        holes = {"hole_a_": expression(name), "hole_x_": n.Constant(value=axis, kind=None), "hole_np_": numpy}
        named: Block = []
        limits = []
        for limit, word in zip(where, ("start", "stop")):
            if limit is not None and not isinstance(limit, n.Constant):
                named.append(statement("$n = $v", n=scope.fresh(word), v=clone(limit, holes)))
                limit = expression(named[-1].targets[0].id)
            limits.append(limit)
        slices = [n.Slice(lower=None, upper=None, step=None) for _ in range(axis)] + [n.Slice(lower=limits[0], upper=limits[1], step=None)]
        index = slices[0] if len(slices) == 1 else n.Tuple(elts=slices, ctx=n.Load())
        return [*named, statement("$a[$i] = $m", a=name, i=index, m=mirror)]

    return Site(array.id, view, back=back)


def is_split(node: n.expr, scope: Scope) -> bool:
    """Whether an expression is a list of the parts of an array."""
    applied = application(node, scope) if isinstance(node, n.Call) else None
    return applied is not None and applied.function in SPLITTING


def parts_in(node: n.expr, scope: Scope) -> int | None:
    """How many parts a split has, None where that is not known, or it is no split."""
    if not is_split(node, scope):
        return None
    sections = application(node, scope).args[1]  # type: ignore[union-attr]
    if isinstance(sections, (n.List, n.Tuple)):
        return len(sections.elts) + 1
    number = constant(sections)
    return number if type(number) is int else None


def cut(applied: Application, place: n.expr) -> tuple[n.expr | None, n.expr | None] | None:
    """Where a part of what is split begins and ends, with holes for the array, NumPy and the axis; None if that is not known here."""
    sections = applied.args[1]
    number = constant(place)
    if isinstance(sections, (n.List, n.Tuple)):
        if not isinstance(number, int):
            return None
        limits = [None, *sections.elts, None]
        return limits[number % (len(limits) - 1)], limits[number % (len(limits) - 1) + 1]
    count = constant(sections)
    if not isinstance(count, int) or count < 1:
        return None
    first = n.Constant(value=number % count, kind=None) if isinstance(number, int) else expression("$k % $n", k=place, n=count)
    following = n.Constant(value=number % count + 1, kind=None) if isinstance(number, int) else expression("$k % $n + 1", k=place, n=count)
    even = "hole_np_.shape(hole_a_)[hole_x_] * $k // $n"
    uneven = "$k * (hole_np_.shape(hole_a_)[hole_x_] // $n) + hole_np_.minimum($k, hole_np_.shape(hole_a_)[hole_x_] % $n)"
    text = uneven if applied.function is np.array_split else even
    begins = None if number in (0, -count) else expression(text, k=first, n=count)
    return begins, None if number in (-1, count - 1) else expression(text, k=following, n=count)


def followers(name: str, aliases: Aliases) -> set[str] | None:
    """The names that may come to be, or to hold, what a name stands for, whichever way; None where a list that grows does."""
    found, before = {name}, 0
    while len(found) > before:
        before = len(found)
        for node in aliases.before:
            if isinstance(node, (n.Assign, n.For)):
                value = node.value if isinstance(node, n.Assign) else node.iter
                target = targets(node)[0]
                holder = base(target)
                if isinstance(target, n.Subscript) and aliases.values.of(target.value, aliases.values.before[node]).kind == "array":
                    continue  # it copies
                after = aliases.values.after.get(node, {})
                bound = {one for one in target_names(target) | ({holder} if holder else set()) if not after.get(one, UNKNOWN).scalar}
                if not bound <= found and found & aliases.sources(value, node):
                    found |= bound
            elif grown(node) is not None and found & aliases.sources(entry_put_in(node), node):
                return None
    return found


def basic(index: n.expr, values: Values, at: n.stmt) -> bool:
    """Whether an index is certainly of integers and slices alone, so that what it gives is a view."""
    for part in index.elts if isinstance(index, n.Tuple) else [index]:
        numbers = [part.lower, part.upper, part.step] if isinstance(part, n.Slice) else [part]
        if isinstance(part, n.Constant) and part.value in (None, Ellipsis) or isinstance(part, n.Attribute) and part.attr == "newaxis":
            continue
        if not all(number is None or whole_number(number, values, at) for number in numbers):
            return False
    return True


def whole_number(node: n.expr, values: Values, at: n.stmt) -> bool:
    """Whether an expression is certainly an integer, the same one until a name in it is bound anew."""
    known = values.of(node, values.before[at])
    fixed = all(values.of(expression(name), values.before[at]).scalar for name in reads(node)[0] if values.scope.lookup(name) is MISSING)
    return fixed and known.scalar and known.dtype is not None and known.dtype.kind in "iu"


# How what is stored into a view gets to its place


def whole(mirror: str, array: str, scope: Scope) -> Block:
    """The view is the array."""
    return [statement("$a[...] = $m", a=array, m=mirror)]


def indexed_view(node: n.Subscript) -> Back:
    """The view is a part of the array."""
    return lambda mirror, array, scope: [statement("$a[$i] = $m", a=array, i=clone(node.slice), m=mirror)]


def axes_moved(text: str, **holes: Any) -> Back:
    """The view has the entries of the array in other places."""

    def back(mirror: str, array: str, scope: Scope) -> Block:
        moved_back = scope.fresh("t")
        numpy = expression(scope.imported("np", np))
        helper = expression(scope.imported("inverse", inverse)) if "inverse(" in text else numpy
        call = clone(expression(text, m=mirror, a=array, **holes), {"np": numpy, "inverse": helper})
        return [statement("$t = $c", t=moved_back, c=call), statement("$a[...] = $t", a=array, t=moved_back)]

    return back


def _argument(applied: Application, name: str, position: int, default: Any = None) -> Any:
    """The argument of a call, as an expression, or what it is by default."""
    if len(applied.args) > position:
        return applied.args[position]
    return applied.kwargs.get(name, default)


def _reshape_inverse(position: int) -> Callable[[Application], Back | None]:
    def back(applied: Application) -> Back | None:
        order = _argument(applied, "order", position)
        order = "C" if order is None else constant(order)
        text = {"C": "np.reshape($m, np.shape($a))", "F": "np.reshape($m, np.shape($a), 'F')"}.get(order)
        return None if text is None else axes_moved(text)

    return back


def _in_shape(applied: Application) -> Back:
    return axes_moved("np.reshape($m, np.shape($a))")


def _transpose_inverse(applied: Application) -> Back:
    axes = _argument(applied, "axes", 1)
    return axes_moved("np.transpose($m)") if axes is None or constant(axes) is None else axes_moved("np.transpose($m, inverse($p))", p=axes)


def _flipped(applied: Application) -> Back:
    axis = _argument(applied, "axis", 1)
    return axes_moved("np.flip($m)") if axis is None else axes_moved("np.flip($m, $i)", i=axis)


def _rotated(applied: Application) -> Back:
    turns, axes = _argument(applied, "k", 1, expression("1")), _argument(applied, "axes", 2, expression("(0, 1)"))
    return axes_moved("np.rot90($m, -$k, $x)", k=turns, x=axes)


def _joined_with(other: str) -> Callable[[Application], Back]:
    """The view is the real or the imaginary part of complex numbers; ``other`` is the name of the other one."""
    def back(mirror: str, array: str, scope: Scope) -> Block:
        numpy = scope.imported("np", np)
        kept, turned, total = scope.fresh("t"), scope.fresh("t"), scope.fresh("t")
        real, imag = (mirror, kept) if other == "imag" else (kept, mirror)
        return [
            statement(f"$t = $np.{other}($a)", t=kept, np=numpy, a=array), statement("$t = 1j * $i", t=turned, i=imag),
            statement("$t = $r + $i", t=total, r=real, i=turned), statement("$a[...] = $t", a=array, t=total),
        ]

    return lambda applied: back


def _axes(text: str, *names: str) -> Callable[[Application], Back | None]:
    """Of a function that takes its axes by position or by name."""
    def back(applied: Application) -> Back | None:
        given = {name: _argument(applied, name, position) for position, name in enumerate(names, start=1)}
        return None if None in given.values() else axes_moved(text, **given)

    return back


def _as_it_is(applied: Application) -> Back:
    return whole


SPLITTING: dict[Any, int | None] = {np.split: None, np.array_split: None, np.vsplit: 0, np.hsplit: 1, np.dsplit: 2}
"""Function that splits an array → along which axis (None: the caller says)."""

VIEWS: dict[Any, tuple[bool, Callable[[Application], Back | None] | None]] = {
    np.reshape: (False, _reshape_inverse(2)), np.ravel: (False, _reshape_inverse(1)),
    **dict.fromkeys((np.squeeze, np.expand_dims, np.atleast_1d, np.atleast_2d, np.atleast_3d), (True, _in_shape)),
    np.transpose: (True, _transpose_inverse), np.matrix_transpose: (True, lambda applied: axes_moved("np.matrix_transpose($m)")),
    np.swapaxes: (True, _axes("np.swapaxes($m, $axis1, $axis2)", "axis1", "axis2")),
    np.moveaxis: (True, _axes("np.moveaxis($m, $destination, $source)", "source", "destination")),
    np.flip: (True, _flipped), np.fliplr: (True, lambda applied: axes_moved("np.fliplr($m)")),
    np.flipud: (True, lambda applied: axes_moved("np.flipud($m)")), np.rot90: (True, _rotated),
    **dict.fromkeys((np.asarray, np.asanyarray, np.ascontiguousarray, np.array, arrays.astype), (False, _as_it_is)),
    np.real: (True, _joined_with("imag")), np.imag: (True, _joined_with("real")),
    **dict.fromkeys((np.rollaxis, np.diagonal, np.diag, np.broadcast_to), (False, None)),
}
"""Function whose result may be a view → whether it certainly is one, and how what is stored into that goes back (None: it does not)."""
