"""What a kind means: the two modes of every rule, as plain calls.

This is the reference for both engines. The eager engine may run it as it is; the compiler writes out the same steps.
``bound`` is what ``Rule.bind`` returned: the arguments of one call by NumPy's parameter names.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np

from ..runtime.arrays import has_complex, keep_zeros, sum_to
from ..runtime.structures import spread as spread_over
from ..syntax.text import to_source
from .formula import Slice
from .frames import Rule
from .own import FormulaNames

Bound = Mapping[str, Any]


def rule_pullback(rule: Rule, g: Any, z: Any, bound: Bound, wanted: Sequence[str], selected: bool = False) -> tuple[Any, ...]:
    """The contributions of the adjoint ``g`` of the result ``z`` to the parameters ``wanted``, each in its parameter's shape.

    ``selected``: ``g`` has passed a selection, so its zeros stay zeros even where the derivative is infinite.
    The dtype is the formula's: that of ``g`` and the arguments; of complex ``g`` or arguments, a real argument gets the real part.

    >>> from sourcediff.rules import RULES
    >>> rule = RULES[np.multiply]
    >>> bound = rule.bind((np.array([1.0, 2.0]), 3.0), {})
    >>> rule_pullback(rule, np.ones(2), call(rule, bound), bound, ["x", "y"])
    (array([3., 3.]), np.float64(3.0))
    """
    if on_complex(rule, z, bound):
        rule = rule.over_complex()
        found = contributed(rule, g, z, bound, wanted, selected)
        return tuple(c if has_complex(bound[name]) else mapped_real(c) for name, c in zip(wanted, found))
    return contributed(rule, g, z, bound, wanted, selected)


def contributed(rule: Rule, g: Any, z: Any, bound: Bound, wanted: Sequence[str], selected: bool) -> tuple[Any, ...]:
    """The contributions by the rule's own formula, in the frame of its kind."""
    contributions = sliced_rule(rule.variant(ranks(rule, bound)), tuple(wanted))
    if rule.kind == "elementwise":
        found = guarded(rule, contributions(g, z, **bound), g, selected)
        return tuple(sum_to(c, np.shape(bound[name])) for name, c in zip(wanted, found))
    if rule.kind == "reduction":
        array, *_ = rule.parameters
        shape = np.shape(bound[array])
        g = spread(g, len(shape), bound)
        found = guarded(rule, contributions(g, spread(z, len(shape), bound), **bound), g, selected)
        return tuple(np.broadcast_to(c, shape) for c in found)
    return contributions(g, z, **bound)


def pushforward(rule: Rule, z: Any, bound: Bound, tangents: Mapping[str, Any]) -> Any:
    """The tangent of the result ``z`` for these tangents of arguments, by name (a missing one is zero).

    The tangent of a sequence is a sequence of arrays alike.

    >>> from sourcediff.rules import RULES
    >>> rule = RULES[np.sum]
    >>> bound = rule.bind((np.ones((2, 3)),), {"axis": 1})
    >>> pushforward(rule, call(rule, bound), bound, {"a": np.full((2, 3), 0.5)})
    array([1.5, 1.5])
    """
    if rule.kind == "constant":
        return np.zeros_like(z)
    if on_complex(rule, z, bound):
        rule = rule.over_complex()
        tangent = pushed_by_rule(rule, z, bound, tangents)
        return tangent if has_complex(z) else mapped_real(tangent)
    return pushed_by_rule(rule, z, bound, tangents)


def pushed_by_rule(rule: Rule, z: Any, bound: Bound, tangents: Mapping[str, Any]) -> Any:
    """The tangent by the rule's own formula, in the frame of its kind."""
    if rule.tangent is not None:
        zero = tuple(name for name in rule.differentiable if name not in tangents)
        formula = shortened_rule(rule, zero) if rule.own and rule.kind == "general" and zero else rule.tangent
        return formula(z, *(tangents.get(name, zero_of(bound[name])) for name in rule.differentiable), **bound)
    if rule.kind == "elementwise":
        parts = [sliced_rule(rule, (name,))(tangent, z, **bound)[0] for name, tangent in tangents.items()]
        return np.broadcast_to(sum(parts[1:], parts[0]), np.shape(z))
    if rule.kind == "reduction":
        (array, tangent), = tangents.items()
        spread_z = spread(z, np.ndim(bound[array]), bound)
        (part,) = sliced_rule(rule, (array,))(tangent, spread_z, **bound)
        return np.sum(part, axis=bound.get("axis"), keepdims=bound.get("keepdims", False))
    if rule.kind == "linear":
        moved = {name: tangents.get(name, zero_of(bound[name])) for name in rule.differentiable}
        return call(rule, {**bound, **moved})
    if rule.kind == "multilinear":
        parts = [call(rule, {**bound, name: tangent}) for name, tangent in tangents.items()]
        return sum(parts[1:], parts[0])
    raise TypeError(f"the general rule of {rule.name} has no pushforward")


def on_complex(rule: Rule, z: Any, bound: Bound) -> bool:
    """Whether complex numbers go through this call: the result is complex, or an argument that has a derivative."""
    return has_complex((z, *(bound[name] for name in rule.differentiable)))


def mapped_real(contribution: Any) -> Any:
    """The real part of a contribution, or of each in a sequence of them."""
    return [mapped_real(part) for part in contribution] if isinstance(contribution, (list, tuple)) else np.real(contribution)


def ranks(rule: Rule, bound: Bound) -> tuple[int, ...]:
    """The numbers of dimensions of the differentiable arguments, by which a variant is chosen."""
    return tuple(np.ndim(bound[name]) for name in rule.differentiable) if rule.variants else ()


def spread(reduced: Any, ndim: int, bound: Bound) -> Any:
    """What a reduction gave, in the rank of its array (length 1 along the axes), so that it broadcasts against that."""
    axis = bound.get("axis")
    return reduced if bound.get("keepdims") or axis is None else np.expand_dims(reduced, axis)


def guarded(rule: Rule, contributions: tuple[Any, ...], g: Any, selected: bool) -> tuple[Any, ...]:
    """The contributions, with the zeros of a selected adjoint kept."""
    return tuple(keep_zeros(c, g) for c in contributions) if selected else contributions


def zero_of(value: Any) -> Any:
    """The zero tangent of an argument."""
    return [zero_of(item) for item in value] if isinstance(value, (list, tuple)) else np.zeros_like(value)


def call(rule: Rule, bound: Bound) -> Any:
    """The function itself, called as NumPy wants its parameters: by position, or by keyword if its signature says so.

    What has its default is left out.
    """
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for name, parameter in rule.parameters.items():
        if parameter.default is not parameter.empty and bound[name] is parameter.default:
            continue
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY or len(args) < list(rule.parameters).index(name):
            kwargs[name] = bound[name]
        else:
            args.append(bound[name])
    return rule.function(*args, **kwargs)


@cache
def sliced_rule(rule: Rule, wanted: tuple[str, ...]) -> Callable[..., tuple[Any, ...]]:
    """The rule as a function that computes the contributions to ``wanted`` alone, as a tuple."""
    part = rule.text.slice(wanted)
    returned = f"{', '.join(map(to_source, part.contributions))},"
    assert rule.formula is not None
    return written(part, rule, rule.formula.__name__, ["g", "z", *rule.parameters], returned, rule.namespace)


def shortened_rule(rule: Rule, zero: tuple[str, ...]) -> Callable[..., Any]:
    """The forward formula of a rule of one's own without the terms of the tangents ``zero``, as the compiler writes it out."""
    text = rule.forward_text
    part = text.without(frozenset(text.tangents[rule.differentiable.index(name)] for name in zero))
    assert isinstance(rule.tangent, FunctionType)
    parameters = [text.new, *text.tangents, *rule.parameters]
    formula = written(part, rule, rule.tangent.__name__, parameters, to_source(part.contributions[0]), FormulaNames(rule.tangent))
    return formula if not part.short else lambda z, *tangents, **bound: spread_over(formula(z, *tangents, **bound), z)


def written(part: Slice, rule: Rule, name: str, parameters: list[str], returned: str, scope: dict[str, Any]) -> Callable[..., Any]:
    """A slice of a formula as a function."""
    body = [*map(to_source, part.assignments), f"return {returned}"]
    text = f"def {name}({', '.join(parameters)}):\n" + "".join(f"    {line}\n" for line in body)
    namespace: dict[str, Any] = {}
    exec(compile(text, f"<rule of {rule.name}>", "exec"), scope, namespace)
    return namespace[name]
