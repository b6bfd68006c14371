"""Applications of functions with rules, and the rules' text over the program's names: what both modes inline."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Set
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from ...analysis.abstract import FLOAT, Abstract, is_overloaded
from ...analysis.applications import Application, application
from ...analysis.lengths_within import dims_said
from ...analysis.literals import constant
from ...analysis.scope import MISSING
from ...analysis.source.may_be_active import carries
from ...analysis.states import extended
from ...errors import MissingRuleError, NonDifferentiableError, UnsupportedSyntaxError, complex_refused
from ...rules import RULES, Rule
from ...rules.facts import FACTS
from ...rules.formula import Slice
from ...rules.suggestions import missing_rule
from ...runtime.arrays import inexact, sum_to
from ...syntax import nodes as n
from ...syntax.quote import clone, expression, names, remade
from ..facts.activity import Activity
from ..facts.infinities import holds_infinities, may_be_infinite
from .emit import Emitter
from .fold import fold

RAISING = FACTS["divides"] | {math.fmod, math.log, math.log2, math.log10, math.log1p}
"""Functions that Python's numbers raise in themselves where the derivative is infinite."""


class RuleInlining(Emitter):
    """Knows which rule an expression asks for, with which operands, and writes the rule's formula out."""

    activity: Activity

    def application_of(self, value: n.expr) -> Application:
        """The function with a rule that an expression applies. Refuses what has none."""
        applied = application(value, self.scope)
        if applied is None or applied.rule is None:
            found = applied.function if applied is not None else None
            raise missing_rule(found, self.pointer(self.moment.at, ""))
        return applied

    def operands_of(self, rule: Rule, applied: Application, varied: Set[str]) -> dict[str, n.expr]:
        """The operands by NumPy's parameter names, defaults filled in. Refuses what the rule does not know."""
        try:
            bound: dict[str, Any] = rule.bind(applied.args, dict(applied.kwargs))
        except MissingRuleError as error:
            raise self._placed(error) from None
        operands = {name: argument if isinstance(argument, n.AST) else literal_value(argument) for name, argument in bound.items()}
        if rule.kind == "reduction":  # one of one's own may have no axis
            operands = {"axis": literal_value(None), "keepdims": literal_value(False)} | operands
            operands = {name: operands[name] for name in [*rule.parameters, *operands]}
            if type(kept := constant(operands["keepdims"])) is int:
                operands["keepdims"] = literal_value(bool(kept))
        self._checked_values(rule, operands)
        self._checked_static(rule, operands, varied)
        return operands

    def checked_operator(self, known: Mapping[str, Abstract]) -> None:
        """Refuse an operator on a list that was not seen to be one when lists were written out; with an array, it is one on arrays."""
        kinds = {value.kind for value in known.values()}
        if kinds & {"sequence", "mapping"} and not kinds & {"array", "unknown"}:
            raise UnsupportedSyntaxError("an operator on what is not always a list cannot be compiled", places=[self.pointer(
                self.moment.at, "this is a list here, and None or something else before", "an operator means something else on each",
                "give the list a name of its own")])

    def known_operands(self, rule: Rule, operands: dict[str, n.expr]) -> dict[str, Abstract]:
        """The abstract values of operands. Refuses one that is a container on one path and something else on another."""
        known = {name: self.value_of(operand) for name, operand in operands.items()}
        if any(value.kind == "mixed" for value in known.values()):
            raise UnsupportedSyntaxError("a value of two kinds cannot be compiled", places=[self.pointer(
                self.moment.at, "this is a list, tuple or dict on one path, and something else on another",
                f"{rule.name} means something else on each", "give the two values names of their own")])
        if any(is_overloaded(value) for name, value in known.items() if name not in rule.of_objects):
            raise MissingRuleError(f"{rule.name} is applied to an object that is no plain array", places=[self.pointer(
                self.moment.at, "this computes with an object whose class says itself what operators mean",
                f"its own {rule.name} is called, which has no derivative rule",
                "make it a plain array, for example by its toarray(), or write out what it computes")])
        return known

    def over_complex(self, rule: Rule, operands: dict[str, n.expr], value: n.expr, result: Abstract) -> Rule:
        """The rule for complex numbers, where these may go through an application. Refuses what has none."""
        if not self.complexes.names:
            return rule
        parts = [operands[name] for name in rule.differentiable]
        if not (self.may_be_complex(value, result) or any(map(self.may_be_complex, parts))):
            return rule
        try:
            return rule.over_complex()
        except NonDifferentiableError as error:
            place = self.pointer(self.moment.at, error.problem, error.why, error.remedy)
            raise complex_refused(f"what {rule.name} is applied to", place) from None

    def _checked_values(self, rule: Rule, operands: dict[str, n.expr]) -> None:
        """Refuse a keyword value that the formula is not right for (or one that is not known before the program runs)."""
        for name in rule.only or ():
            value = constant(operands[name])
            try:
                if value is MISSING:
                    problem = f"{rule.name} has a derivative rule for some values of {name}= only"
                    raise MissingRuleError(problem, remedy=f"write {name}= as a literal")
                rule.check(name, value)
            except MissingRuleError as error:
                raise self._placed(error) from None

    def _placed(self, error: MissingRuleError) -> MissingRuleError:
        """The error with the place of the statement at hand."""
        return MissingRuleError(error.problem, why=error.why, remedy=error.remedy, places=[self.pointer(self.moment.at, "here")])

    def _checked_static(self, rule: Rule, operands: dict[str, n.expr], varied: Set[str]) -> None:
        """Refuse a differentiated value where the rule has no derivative; a zero would be silently wrong."""
        for name, operand in operands.items():
            if name not in rule.differentiable and name not in rule.flat and carries(operand, varied, self.scope):
                raise MissingRuleError(
                    f"{rule.name} has no derivative with respect to {name}",
                    places=[self.pointer(self.moment.at, f"a differentiated value is given for {name}")],
                    why="only " + ", ".join(rule.differentiable) + " can be differentiated",
                    remedy=f"keep {name} independent of the inputs",
                )

    def steep(self, rule: Rule, known: dict[str, Abstract], shown: dict[str, n.expr]) -> dict[str, n.expr]:
        """What is shown to a formula, with Python's floats as NumPy's where it may become infinite: ``0.0 ** -0.5`` would raise."""
        if not rule.singular or rule.function in RAISING or rule.kind != "elementwise":
            return shown
        exponent = constant(shown["y"]) if rule.formula is RULES[np.power].formula else None
        if isinstance(exponent, (int, float)) and exponent >= 1:
            return shown
        return {
            name: self.numpy("np.float64($x)", x=node) if known.get(name) == FLOAT and not isinstance(node, n.Constant) else node
            for name, node in shown.items()
        }

    @cached_property
    def infinite(self) -> frozenset[str]:
        """The names of the program that may be infinite."""
        return may_be_infinite(self.values)

    @cached_property
    def holding(self) -> frozenset[str]:
        """The names of the program that may hold an infinity that is written in it."""
        return holds_infinities(self.values)

    def overflows(self, rule: Rule, part: Slice, expr: n.expr, target: str, shown: Mapping[str, n.AST]) -> bool:
        """Whether a contribution (or a term of a tangent) may be infinite where what it is of is large, or infinite itself."""
        if rule.kind != "elementwise" or isinstance(expr, n.Name) or rule.function is np.where or is_selection(expr):
            return False  # a condition multiplies nothing
        if rule.overflows:
            return self.value_of(shown["z"]).kind != "python" if isinstance(shown.get("z"), n.expr) else True
        if not part.values or not self.infinite:
            return False
        read = names([shown[name] for name in part.values if isinstance(shown.get(name), n.AST)])
        return not self.infinite.isdisjoint(read if part.assignments else read & names(expr)) or (
            "z" in part.values and target in self.infinite)

    # -- text -----------------------------------------------------------------------------------------------------------

    def inlined(self, formula: Callable[..., Any], part: Slice, shown: dict[str, n.expr]) -> list[n.expr]:
        """What a slice of a formula returns, over the program's names; its assignments are emitted."""
        replaced = self.assigned(formula, part, shown)
        return [self.unsummed(self.folded(expr, replaced, formula)) for expr in part.contributions]

    def unsummed(self, node: n.expr) -> n.expr:
        """A contribution without a ``sum_to`` that sums nothing."""
        if not isinstance(node, n.Call) or self.scope.helpers.get(getattr(node.func, "id", "")) is not sum_to:
            return node
        known, shape = (self.value_of(part) for part in node.args)
        dims = dims_said(shape) if shape.kind == "sequence" else None
        return node.args[0] if known.kind == "array" and known.dims == dims and None not in known.dims else node

    def assigned(self, formula: Callable[..., Any], part: Slice, shown: dict[str, n.expr]) -> dict[str, n.AST]:
        """What stands for each name of a slice, once its assignments are emitted (folded away where they are names)."""
        replaced: dict[str, n.AST] = dict(shown)
        self._import(formula, part, replaced)
        for assignment in part.assignments:
            target = assignment.targets[0]
            value = self.folded(assignment.value, replaced, formula)
            if isinstance(target, n.Name) and isinstance(value, (n.Name, n.Constant)):
                replaced[target.id] = value
                continue
            new_target = clone(target)
            for node in n.walk(new_target):
                if isinstance(node, n.Name):
                    fresh = self.scope.fresh("adjoint" if node.id.endswith("_bar") else "t" if len(node.id) == 1 else node.id)
                    replaced[node.id] = expression(fresh)
                    node.id = fresh
            self.emit(n.Assign(targets=[new_target], value=value, type_comment=None))
            if isinstance(new_target, n.Name):
                self.moment.environment = extended(self.moment.environment, {new_target.id: self.value_of(value)})
        return replaced

    def folded(self, node: n.expr, replaced: dict[str, n.AST], formula: Callable[..., Any]) -> n.expr:
        """An expression of a formula over the program's names, with what is known of these folded in."""
        written = clone(node, replaced)
        if formula.__globals__.get("inexact") is inexact:  # type: ignore[attr-defined]
            written = self.converted(written)
        return fold(written, self.value_of)

    def converted(self, node: Any) -> Any:
        """An expression of a formula with ``inexact`` left out where it changes nothing, imported where it does."""
        node = remade(node, self.converted)
        if not isinstance(node, n.Call) or not isinstance(node.func, n.Name) or node.func.id != "inexact":
            return node
        known = self.value_of(fold(clone(node.args[0]), self.value_of))
        return node.args[0] if known.inexact or known.kind == "python" else self.helper("inexact", *node.args)

    def _import(self, formula: Callable[..., Any], part: Slice, replaced: dict[str, n.AST]) -> None:
        """Import the helpers (and modules) that a formula's text calls, and note under which names."""
        found = formula.__globals__  # type: ignore[attr-defined]
        own = found.get("__name__", "").partition(".")[0] != "sourcediff"
        for name in called_names(formula, part):
            if not own and name not in found or found.get(name) is inexact:  # which is imported where it is needed
                continue
            spelled = self.scope.outside(name, formula) if own else self.scope.imported(name, found[name])
            if spelled != name:
                replaced[name] = expression(spelled)


@lru_cache(4096)
def called_names(formula: Any, part: Slice) -> list[str]:
    """The names of what a slice of a formula reads from outside, in the order of its text."""
    local = {*formula.__code__.co_varnames, *part.local}
    read = (name for tree in (*part.assignments, *part.contributions) for name in n.names_in(tree) if isinstance(name.ctx, n.Load))
    return list(dict.fromkeys(name.id for name in read if name.id not in local))


def literal_value(value: Any) -> n.expr:
    """The tree of a Python value that a rule's signature has as its default, or of an axis."""
    if isinstance(value, tuple):
        return n.Tuple(elts=[literal_value(item) for item in value], ctx=n.Load())
    return n.Constant(value=value, kind=None)


def is_all_of(node: n.Subscript, known: Abstract) -> bool:
    """Whether an index is ``[()]`` or ``[...]`` of a value of this kind that has no dimensions."""
    return (known.scalar or known.kind == "array" and known.dims == ()) and constant(node.slice) in ((), ...)


def is_selection(node: n.expr) -> bool:
    """Whether an expression is a value where a condition holds, and 0 elsewhere.

    >>> is_selection(expression("np.where(x <= y, g, 0)")), is_selection(expression("np.where(x == 0, 0, g / x)"))
    (True, False)
    """
    called = isinstance(node, n.Call) and getattr(node.func, "attr", "") == "where" and len(node.args) == 3
    return called and all(isinstance(part, n.Name) or constant(part) == 0 for part in node.args[1:])  # type: ignore[attr-defined]
