"""Plans: what backward of one rule does for one choice of wanted inputs, compiled once from the rule's own formula.

The formula is sliced to the wanted contributions, and what the slice reads becomes the parameters of a plain function
``backward(g, saved)``. Those values, and nothing else, are what a node saves: of metadata the tuple, not the array.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache
from math import isfinite
from typing import Any, ClassVar

import numpy as np

from ...rules.frames import Rule
from ...runtime.arrays import blank, contribution, is_foreign, keep_zeros, on_device, store
from ...runtime.placement import is_refused, not_taken
from .graph import restored
from .nodes import Kind, Node, Recorded

ndarray, float64 = np.ndarray, np.float64


def shape_of(a: Any) -> tuple[int, ...]:
    """``np.shape`` without the detour through NumPy's protocol."""
    kind = type(a)
    return a.shape if kind is np.ndarray else () if kind is float or kind is np.float64 else np.shape(a)


METADATA: dict[str, Callable[[Any], Any]] = {  # with an underscore: sum() has a parameter that is called dtype
    "_shape": shape_of, "_ndim": np.ndim, "_size": np.size, "_dtype": lambda array: getattr(array, "dtype", np.dtype(float)), "_len": len,
}


class Plan:
    """How to go backward through ``rule`` where the parameters ``wanted`` want a contribution.

    ``backward(g, saved)`` gives the contributions (the bare one if ``single``), ``guarded`` the same with the zeros of a selection
    kept, if it is not the same (``singular``; ``unquieted``: with NumPy's warnings); ``save(z, *arguments)`` picks what it reads, ``reads``
    names that, ``holds`` are the positions of what it picks as it is; ``device``: it is for arrays on a device, and computes with
    their library.
    ``recorded`` runs it on Variables. ``adds``: the contribution is ``g`` among zeros, at the index that ``saved`` begins with.
    ``stores``: the first contribution is ``g`` with zeros at that index.
    """

    __slots__ = (
        "adds", "backward", "device", "guarded", "holds", "keeps", "name", "reads", "recorded", "restore", "rule", "save", "selects",
        "single", "singular", "stores", "unquieted", "wanted",
    )
    again: ClassVar[Any]
    """``double_backward.Again``, which needs Variables."""

    def __init__(self, rule: Rule, wanted: tuple[str, ...], device: bool = False):
        self.rule = rule
        self.device = device
        self.name = rule.name
        self.wanted = wanted
        self.selects = rule.selects
        self.singular = rule.singular
        self.single = len(wanted) == 1
        sequence = rule.sequence and next(iter(rule.parameters)) in wanted
        self.restore: Callable[[Any, Any], Any] = restore_sequence if sequence else restore
        self.reads, self.save, self.backward, guarded = _compiled(rule, wanted, device)
        self.keeps = bool(self.reads)
        values = {name for name, kind in self.reads if kind == "value"}
        self.holds = tuple(position for position, name in enumerate(("z", *rule.parameters)) if name in values)
        if rule.kind == "elementwise" and not rule.singular and any(kind == "value" for _, kind in self.reads):
            self.singular = True  # what it reads may be infinite
            guarded = (kept_backward if device else watched_backward)(self.backward, self.single)
        self.adds = rule.function is operator.getitem
        self.stores = rule.function is store and wanted[0] == "a"
        self.unquieted = guarded if rule.singular else self.backward
        self.guarded = guarded if guarded and (device or not rule.singular) else quietly(guarded) if guarded else self.backward
        if device and not rule.own:
            self.backward, self.guarded = (taken(found, rule) for found in (self.backward, self.guarded))
        self.recorded: Callable[[Node, Any, bool], Any] = self._recorded

    def __repr__(self) -> str:
        return f"<plan of {self.name} for {', '.join(self.wanted)}>"

    def _recorded(self, node: Node, g: Any, selected: bool) -> Any:
        by_numpy = plan_for(self.rule, self.wanted) if self.device else self
        again = self.again(by_numpy, self.device)  # once: it is needed for higher derivatives only
        self.recorded = taken(again, self.rule) if self.device and not self.rule.own else again
        return self.recorded(node, g, selected)


def taken(backward: Callable[..., Any], rule: Rule) -> Callable[..., Any]:
    """A backward on a device: what CuPy does not have, or does not take, raises UnsupportedSyntaxError."""

    def called(*given: Any) -> Any:
        try:
            return backward(*given)
        except Exception as error:
            if not is_refused(error):
                raise
            raise not_taken(f"the derivative of {rule.name}", error) from error

    return called


def quietly(guarded: Callable[..., Any]) -> Callable[..., Any]:
    """A guarded backward that does not warn of the singular values which the guard has answered rightly, with zeros.

    What is infinite or undefined for all that is computed again, so that NumPy warns of it as the program has asked it to.
    """

    def backward(g: Any, saved: Any) -> Any:
        if (type(g) is float64 or type(g) is float) and g:
            return guarded(g, saved)  # a number that is not zero has nothing to keep
        with np.errstate(all="ignore"):
            found = guarded(g, saved)
        if type(found) is float64 or type(found) is float:
            return found if isfinite(found) else guarded(g, saved)
        values = [part._value if isinstance(part, Recorded) else part for part in (found if isinstance(found, tuple) else (found,))]
        return found if all(map(without_poles, values)) else guarded(g, saved)

    return backward


def without_poles(value: Any) -> bool:
    """Whether a contribution is finite; of one on a device nobody asks."""
    kind = type(value)
    if kind is float64 or kind is float:
        return isfinite(value)
    if kind is ndarray and value.dtype.kind == "f":  # the sum of finite squares is finite, or too great to tell
        return isfinite(np.vdot(value, value)) or bool(np.isfinite(value).all())
    return on_device(value) or bool(np.all(np.isfinite(value)))


def watched_backward(backward: Callable[..., Any], single: bool) -> Callable[..., Any]:
    """The backward of a rule whose derivative is infinite only where what it reads is: with the zeros kept, should one have become NaN."""

    def guarded(g: Any, saved: Any) -> Any:
        found = backward(g, saved)
        if single:
            return found if sound(found) else keep_zeros(found, g)
        return tuple([c if sound(c) else keep_zeros(c, g) for c in found])

    return guarded


def kept_backward(backward: Callable[..., Any], single: bool) -> Callable[..., Any]:
    """The same on a device, of which nobody asks whether there is a NaN: that would wait."""

    def guarded(g: Any, saved: Any) -> Any:
        found = backward(g, saved)
        return without_zeros_lost(found, g) if single else tuple([without_zeros_lost(c, g) for c in found])

    return guarded


def without_zeros_lost(c: Any, g: Any) -> Any:
    """:func:`~sourcediff.runtime.arrays.broadcasting.keep_zeros` on a device."""
    from ...on_cupy import keep_zeros as kept

    return kept(c, g)


def sound(c: Any) -> bool:
    """Whether no entry is NaN, found the quickest way."""
    kind = type(c)
    if kind is float64 or kind is float:
        return bool(c == c)
    if kind is ndarray:
        square = np.vdot(c, c)
        return bool(square == square)
    return not on_device(c) and bool(np.all(c == c))  # nobody asks of one on a device: that would wait


@cache
def plan_for(rule: Rule, wanted: tuple[str, ...], device: bool = False) -> Plan:
    """The plan of a rule for these wanted parameters; ``device``: for arrays on a device."""
    return Plan(rule, wanted, device)


def restore(contributions: Any, kinds: tuple[Kind | None, ...]) -> Any:
    if len(kinds) == 2:
        (a, b), (first, second) = contributions, kinds
        return a if first is None else restored(a, first), b if second is None else restored(b, second)
    return [c if kind is None else restored(c, kind) for c, kind in zip(contributions, kinds)]


def restore_sequence(contributions: Any, parts: tuple[tuple[int, Kind], ...]) -> Any:
    (contribution,) = contributions
    return [restored(contribution[position], kind) for position, kind in parts]


ZERO = float64(0)


def chosen(mask: Any, g: Any) -> Any:
    """``np.where(mask, g, 0)``: of a large array by its bits, which takes no guesses of what the mask says next.

    Times 1 a number keeps its bits, whatever they stand for, and times 0 all of them are those of 0.0, also of inf and nan.

    >>> chosen(np.arange(6) > 2, np.array([1.0, np.inf, np.nan, -1.0, np.inf, np.nan]))
    array([ 0.,  0.,  0., -1., inf, nan])
    """
    if type(g) is float64 and type(mask) is np.bool:
        return g if mask else ZERO
    if type(g) is np.ndarray and g.size > 500 and type(mask) is np.ndarray and mask.shape == g.shape:
        bits = BITS.get(g.dtype)
        if bits is not None:
            kept = np.empty_like(g)
            np.multiply(g.view(bits), mask, out=kept.view(bits))
            return kept
    if type(mask) is bool and is_foreign(g):
        return g if mask else blank(np.shape(g), g)
    return np.where(mask, g, 0)


BITS: dict[Any, Any] = {np.dtype(np.float32): np.dtype(np.int32), np.dtype(np.float64): np.dtype(np.int64)}
"""The integers of which a product keeps the bits of these floats or takes them all."""


def spread_gradient(c: Any, shape: tuple[int, ...]) -> Any:
    """``np.broadcast_to`` into an array of its own: much quicker for small arrays, and writable.

    >>> spread_gradient(np.ones((1, 2)), (2, 2))
    array([[1., 1.],
           [1., 1.]])
    """
    if shape_of(c) == shape:
        return c
    full = np.empty_like(c, shape=shape) if is_foreign(c) else np.empty(shape, getattr(c, "dtype", float))
    full[...] = c
    return full


def numpys(value: Any) -> Any:
    """A Python float as NumPy's; anything else as it is."""
    return np.float64(value) if type(value) is float else value


def unreduced(g: Any, kept: tuple[int, ...]) -> Any:
    """What belongs to a reduction's result with the axes kept as ones: ``np.reshape``, which takes long to ask what it was given."""
    return g.reshape(kept) if hasattr(g, "reshape") else np.reshape(g, kept)


def kept_shape(a: Any, axis: Any) -> tuple[int, ...]:
    """The shape of a reduction of ``a`` over ``axis`` with the axes kept as ones."""
    shape = shape_of(a)
    if axis is None or not shape:
        return (1,) * len(shape)
    axes = [i % len(shape) for i in (axis if isinstance(axis, (tuple, list)) else (axis,))]
    return tuple(1 if i in axes else length for i, length in enumerate(shape))


def _compiled(rule: Rule, wanted: tuple[str, ...], device: bool) -> tuple[tuple[tuple[str, str], ...], Any, Any, Any]:
    """What the slice reads, ``save``, ``backward``, and the guarded ``backward`` of a singular rule."""
    from ...rules.formula import metadata_read
    from ...syntax import nodes as n
    from ...syntax.quote import clone, expression
    from ...syntax.text import to_source

    part = rule.text.slice(wanted)
    reads: list[tuple[str, str]] = [(name, "value") for name in ("z", *rule.parameters) if name in part.values]

    class Metadata(n.NodeTransformer):  # type: ignore[misc]
        def visit(self, node: Any) -> Any:
            found = metadata_read(node, rule.text.helpers)
            if found is None or found[0] not in part.metadata:
                return self.generic_visit(node)
            if found not in reads:
                reads.append(found)
            return expression(f"{found[0]}_{found[1]}")

    def text(tree: Any) -> str:
        return to_source(quicker(Metadata().visit(clone(tree)), matrices=rule.ranks == (2, 2), floats=rule.kind == "elementwise"))

    body = [text(statement) for statement in part.assignments]
    contributions = [text(contribution) for contribution in part.contributions]
    if rule.kind == "reduction":
        reads += [("_kept", "_kept"), ("_full", "_full")]
        body[:0] = [f"{name} = _unreduced({name}, _kept)" for name in ("g", "z") if name == "g" or name in part.values]
    if rule.own and rule.kind not in ("elementwise", "reduction"):
        reads += [(name, "shape") for name in wanted if (name, "shape") not in reads]
    if rule.own:
        due = {"elementwise": "_shape(g)", "reduction": "_full"}
        contributions = [
            f"_contribution({c}, {due.get(rule.kind, name + '_shape')}, {rule.label!r}, {rule.kind == 'reduction'})"
            for c, name in zip(contributions, wanted)
        ]
    names = [name if kind in ("value", name) else f"{name}_{kind}" for name, kind in reads]
    unpack = [f"{', '.join(names)}, = _saved"] if names else []
    picks = [_pick(rule, name, kind) for name, kind in reads]
    saved = "".join(pick + ", " for pick in picks)
    save = _function("save", f"z, {', '.join(rule.parameters)}", [], f"({saved})", {**METADATA, "kept_shape": kept_shape})
    assert rule.formula is not None
    made = []
    for guard in (False, True) if rule.singular else (False,):
        results = [f"_keep_zeros({c}, g)" for c in contributions] if guard else contributions
        if rule.kind == "reduction":
            results = [f"_spread({c}, _full)" for c in results]
        made.append(_function(rule.formula.__name__, "g, _saved", unpack + body, ", ".join(results), scope_of(rule, device), rule.singular))
    return tuple(reads), save, made[0], made[1] if rule.singular else None


def quicker(tree: Any, matrices: bool, floats: bool = True) -> Any:
    """The same numbers by the operations that take NumPy the least time on small arrays.

    ``matrices``: the operands of every ``@`` are matrices, whose product ``.dot`` starts in a third of the time. ``floats``: names are
    of floats (not of positions and axes).

    >>> from sourcediff.syntax.quote import expression
    >>> from sourcediff.syntax.text import to_source
    >>> to_source(quicker(expression("g * (1 - z ** 2) @ b.T"), matrices=True))
    '(g * (1.0 - z * z)).dot(b.T)'
    """
    from ...syntax import nodes as n
    from ...syntax.quote import clone, expression
    from ...syntax.text import to_source

    class Quicker(n.NodeTransformer):  # type: ignore[misc]
        def visit_BinOp(self, node: Any) -> Any:
            self.generic_visit(node)
            left, right = node.left, node.right
            if isinstance(node.op, n.Pow) and isinstance(left, n.Name) and getattr(right, "value", None) == 2:
                return expression("$x * $x", x=left)
            if floats and isinstance(node.op, (n.Add, n.Sub)) and type(getattr(left, "value", None)) is int:
                node.left = n.Constant(value=float(left.value), kind=None)  # an int is converted for each array anew
            if isinstance(node.op, n.MatMult) and matrices:
                return expression("$a.dot($b)", a=left, b=right)
            return node

        def visit_Call(self, node: Any) -> Any:
            self.generic_visit(node)
            if to_source(node.func) == "np.where" and getattr(node.args[-1], "value", None) == 0 and isinstance(node.args[1], n.Name):
                return expression("_chosen($mask, $g)", mask=node.args[0], g=node.args[1])
            return node

    return Quicker().visit(clone(tree))


def _pick(rule: Rule, name: str, kind: str) -> str:
    """How ``save`` gets one of the things that a slice reads."""
    first = next(iter(rule.parameters))
    if kind == "value":
        return name
    if kind in ("_kept", "_full"):
        axis = "axis" if "axis" in rule.parameters else None  # a reduction of one's own may have none
        return f"kept_shape({first}, {axis})" if kind == "_kept" else f"_shape({first})"
    if kind == "size" and rule.kind == "reduction":
        return f"(_size({name}) or 1)"  # of no entries nobody has a share
    return f"tuple(map(_{kind}, {name}))" if rule.sequence and name == first and kind != "len" else f"_{kind}({name})"


HELPERS = {
    "_keep_zeros": keep_zeros, "_spread": spread_gradient, "_unreduced": unreduced, "_contribution": contribution, "_shape": shape_of,
    "_numpys": numpys, "_chosen": chosen,
}
"""What the frames call, under names that no formula has."""


def scope_of(rule: Rule, device: bool) -> dict[str, Any]:
    """The names that a backward of a rule's text reads from outside; on a device NumPy's stand for its library's."""
    scope = rule.namespace if rule.own else dict(rule.namespace)
    scope.update(HELPERS)
    if device and not rule.own:
        from ...on_cupy import counterpart, spread_number

        scope = {name: counterpart(value) for name, value in scope.items()} | {"_spread": spread_number}
    return scope


def _function(name: str, parameters: str, body: list[str], result: str, scope: dict[str, Any], steep: bool = False) -> Any:
    """A function from its text. ``steep``: what it saved may be Python's numbers, which raise where NumPy's become infinite."""
    lines = [*body, f"return {result}"]
    if steep:
        again = "g, _saved = _numpys(g), [*map(_numpys, _saved)]"
        lines = ["try:", *(f"    {line}" for line in lines), "except (ZeroDivisionError, OverflowError):",
                 *(f"    {line}" for line in [again, *lines])]
    text = "\n".join([f"def {name}({parameters}):", *(f"    {line}" for line in lines)])
    exec(compile(text, f"<backward of {name}>", "exec"), scope)
    return scope[name]
