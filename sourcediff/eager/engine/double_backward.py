"""The backward of a rule, run on Variables: so it is recorded, and can be differentiated again."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from contextlib import suppress
from functools import wraps
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from ...errors import MissingRuleError, SourcediffError
from ...rules.frames import Rule, rule_for, spelling
from ...rules.own import FormulaNames
from ...runtime.arrays import is_array, keep_zeros
from ...runtime.whose_error import pass_on
from .apply import apply
from .devices import CREATING, on_device_instead
from .graph import results
from .nodes import Node, Recorded
from .plans import HELPERS, Plan, numpys, quietly, restore_sequence, sound
from .variable import constant, on_graph
from .zero_length_limits import with_limits


class Again:
    """What a plan does where the walk is recorded: the same formula, with what was saved linked to its place in the graph.

    ``device``: what it makes itself is made on the device.
    """

    __slots__ = ("guarded", "plain", "plan")

    def __init__(self, plan: Plan, device: bool = False):
        self.plan = plan
        self.plain = recording(plan.rule, plan.backward, HELPERS, device)
        self.guarded = quietly(recording(plan.rule, plan.unquieted, HELPERS, device))

    def __call__(self, node: Node, g: Any, selected: bool) -> Any:
        """The contributions as Variables."""
        plan = self.plan
        assert node.saved is not None
        values = map(numpys, node.saved) if plan.rule.singular else node.saved
        saved = [self.linked(name, value, node) if kind == "value" else value for (name, kind), value in zip(plan.reads, values)]
        backward = self.guarded if selected and plan.rule.singular else self.plain
        found = backward(tuple(g) if isinstance(g, tuple) else g, saved)
        if plan.rule.text.quotient_of_length and np.any(zero := node.saved[plan.reads.index(("z", "value"))] == 0):
            apart = [number if name == "z" else value for (name, _), number, value in zip(plan.reads, node.saved, saved)]
            found = with_limits(found, node, g, zero, lambda adjoint: self.plain(adjoint, apart))
        if not selected or not plan.singular or plan.rule.singular:
            return found
        return kept_variables(found, g) if plan.single else tuple([kept_variables(c, g) for c in found])

    def linked(self, name: str, value: Any, node: Node) -> Any:
        """A saved value as a Variable at the place in the graph where it stood."""
        plan = self.plan
        if name == "z":
            if isinstance(value, tuple):
                return tuple([on_graph(part, place) if is_float(part) else part for part, place in zip(value, results(node, value))])
            return on_graph(value, node)
        if name in plan.wanted:
            if plan.restore is not restore_sequence:
                return on_graph(value, node.edges[plan.wanted.index(name)])
            parts: list[Any] = list(value)
            for edge, (position, _) in zip(node.edges, node.restore or ()):
                parts[position] = on_graph(parts[position], edge)
            return parts
        if name == "self" and plan.rule.of_method:
            return OBJECTS["stand-in"](None, value)
        if name in plan.rule.differentiable and is_array(value):
            return constant(value)  # whose methods are to take Variables: a.T.dot(g)
        return value


def kept_variables(c: Any, g: Any) -> Any:
    """A contribution, a Variable, with the zeros of a selection kept, should one have become NaN."""
    return c if sound(c._value if isinstance(c, Recorded) else c) else apply(rule_for(keep_zeros), (c, g), {})


def is_float(value: Any) -> bool:
    """Whether a value is a floating-point number or an array of them."""
    return isinstance(value, float) or getattr(getattr(value, "dtype", None), "kind", "") in ("f", "c")


def recording(rule: Rule, function: Any, helpers: Mapping[str, Any], device: bool = False) -> Any:
    """The same function, with the helpers that it calls recorded; NumPy's functions record by themselves, by protocol."""
    if rule.own:
        assert isinstance(rule.formula, FunctionType)
        scope: dict[str, Any] = FormulaNames(rule.formula, lambda value: seen_by_own(value, rule))
    else:
        scope = {name: seen(value, device) for name, value in function.__globals__.items()}
    scope.update({name: seen(value, device) for name, value in helpers.items()}, _spread=np.broadcast_to, __builtins__=builtins)
    return FunctionType(function.__code__, scope)


def on_device(value: Any) -> Any:
    """A helper that computes on a device; anything else as it is."""
    from ...on_cupy import counterpart

    return counterpart(value)


class Creating:
    """NumPy as a formula sees it that is recorded on a device: what makes arrays makes them there."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(np, name)
        if not callable(found) or found not in CREATING:
            return found

        def made(*args: Any, **kwargs: Any) -> Any:
            recorded = any(isinstance(value, Recorded) for value in (*args, *kwargs.values()))
            return (found if recorded else on_device_instead(found))(*args, **kwargs)

        return made


OBJECTS: dict[str, Any] = {}
"""``stand-in``: what a formula sees instead of an object of a library's, whose methods record (``library_run/records.py``)."""


class SeenModule:
    """A module of SciPy's as a formula sees it, its functions as ones that record."""

    def __init__(self, module: ModuleType):
        self.module = module

    def __getattr__(self, name: str) -> Any:
        return seen(getattr(self.module, name))


def seen(value: Any, device: bool = False) -> Any:
    """What a formula sees instead of a value: a helper, SciPy's, or a function with a rule of one's own, as one that records.

    On a device NumPy is one that makes arrays there, and a helper computes there.
    """
    if value is np and device:
        return Creating()
    if isinstance(value, ModuleType) and value.__name__.startswith("scipy."):
        return SeenModule(value)
    known = rule_for(value)
    scipys = not isinstance(value, np.ufunc) and str(getattr(value, "__module__", "")).startswith("scipy.")
    helper = (isinstance(value, FunctionType) or scipys) and known is not None and not value.__module__.startswith("numpy")
    compute = on_device(value) if device else None
    if not helper and (known is None or not known.own):
        return compute if device else value
    return wraps(value)(lambda *args, **kwargs: apply(known, args, kwargs, compute))  # helpers are told by its name which function it is


def seen_by_own(value: Any, rule: Rule) -> Any:
    """What a formula of one's own sees instead of a value."""
    numpys = isinstance(value, (type, np.ufunc)) or str(getattr(value, "__module__", "")).startswith("numpy")
    return seen(value) if numpys or not callable(value) or rule_for(value) is not None else without_rule(value, rule)


def without_rule(function: Any, rule: Rule) -> Any:
    """A function without a rule that a formula calls: it may be NumPy, which records by itself; if it is not, it lacks a rule."""
    function = with_rules_inside(function, {})

    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except SourcediffError:
            raise
        except Exception as error:
            pass_on(error)
            if not any(isinstance(value, Recorded) for value in (*args, *kwargs.values())):
                raise
            raise MissingRuleError(
                f"{spelling(function)}, which the rule {rule.label} calls, has no derivative rule",
                why=f"for second derivatives, or tangents on this engine, it is given Variables, and said: {error or type(error).__name__}",
                remedy="write a rule for it with sourcediff.extend",
            ) from error

    return called


def with_rules_inside(function: Any, known: dict[Any, Any]) -> Any:
    """A function in Python that calls functions with rules of one's own, by a copy for which they record; any other value as it is."""
    if type(function) is not FunctionType or str(function.__module__).split(".")[0] in ("numpy", "scipy", "sourcediff"):
        return function
    if function in known:
        return known[function]

    def inside(value: Any) -> Any:
        rule = rule_for(value) if callable(value) else None
        return with_rules_inside(value, known) if rule is None else seen(value) if rule.own else value

    scope, cells = dict(function.__globals__), tuple([CellType() for _ in function.__closure__ or ()])
    known[function] = copied = FunctionType(function.__code__, scope, function.__name__, None, cells)
    copied.__defaults__ = tuple(map(inside, function.__defaults__ or ()))
    copied.__kwdefaults__ = function.__kwdefaults__
    scope.update({name: inside(scope[name]) for name in names_in(function.__code__) if name in scope})
    changed = any(scope[name] is not value for name, value in function.__globals__.items())
    changed = changed or any(one is not other for one, other in zip(copied.__defaults__, function.__defaults__ or ()))
    for cell, own in zip(cells, function.__closure__ or ()):
        with suppress(ValueError):  # it is empty yet
            cell.cell_contents = inside(own.cell_contents)
            changed = changed or cell.cell_contents is not own.cell_contents
    known[function] = copied if changed else function
    return known[function]


def names_in(code: CodeType) -> set[str]:
    """The names that a function's code reads from outside, that of functions inside of it too."""
    return {*code.co_names, *(name for part in code.co_consts if isinstance(part, CodeType) for name in names_in(part))}
