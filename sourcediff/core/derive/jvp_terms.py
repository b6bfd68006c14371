"""The tangent of what an expression gives: rules, inlined in the frame of their kind."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...analysis.abstract import UNKNOWN, Abstract, item_of
from ...analysis.applications import Application
from ...analysis.lengths import broadcast, unbroadcast
from ...analysis.literals import constant
from ...analysis.scope import MISSING
from ...analysis.source.may_be_active import carries
from ...analysis.statements import base, popped
from ...analysis.states import extended
from ...errors import MissingRuleError
from ...rules import RULES, Rule
from ...rules.facts import FACTS
from ...rules.formula import reads
from ...syntax import nodes as n
from ...syntax.quote import Filling, clone, expression, names, negated, rebased, remade, sum_of, taken_out
from ...syntax.text import to_source
from ..facts.infinities import may_diverge
from .emit import Moment
from .rule_inlining import RuleInlining, is_all_of, literal_value

COPYING = FACTS["converts"] | {np.full}
"""Linear functions that are their own pushforward as long as no dtype is asked for."""

GROWING = frozenset(RULES[function].formula for function in FACTS["grows"])
"""The formulas of functions that are infinite where their argument is."""


@dataclass(frozen=True)
class Tangent:
    """``expr`` is where it is, or how it is computed. ``selected``: it has passed a selection, so its zeros stay zero."""

    expr: n.expr
    value: Abstract = UNKNOWN
    selected: bool = False


class JvpTerms(RuleInlining):
    """Knows every form of expression in the normal form. ``tangents`` are those of the variables at the moment: others have none."""

    def __init__(self, moment: Moment):
        super().__init__(moment)
        self.tangents: dict[str, Tangent] = {}
        self.new = self.scope.fresh("new")  # stands for a statement's result until it is known which is computed first
        self.missing: dict[str, MissingRuleError] = {}  # by the name that stands for the tangent that cannot be had

    def pushed(self, value: n.expr, result: Abstract, new: n.expr) -> Tangent | None:
        """The tangent of an expression, None if it is zero. ``result`` is what the expression gives, ``new`` how that is written."""
        if isinstance(value, n.Name):
            return self.tangents.get(value.id)
        if isinstance(value, (n.Tuple, n.List, n.Dict)):
            return self._display(value)
        if not carries(value, self.tangents.keys(), self.scope):
            return None
        if (parts := popped(value)) is not None:
            held = self.tangents[parts]
            return Tangent(taken_out(held.expr, value.args), item_of(held.value), held.selected)
        try:
            applied = self.application_of(value)
            assert applied.rule is not None
            if applied.rule.kind == "constant":
                return None
            if applied.function is operator.getitem and isinstance(value, n.Subscript):
                return self._entry(value)
            return self.in_kind(value, self._applied(value, applied.rule, applied, result, new), applied.rule)
        except MissingRuleError as error:  # it counts only if the output depends on it
            unknown = self.scope.fresh("unknown")
            self.missing[unknown] = error
            return Tangent(expression(unknown))

    def in_kind(self, value: n.expr, found: Tangent | None, rule: Rule) -> Tangent | None:
        """The tangent of what is real, though it is made of complex numbers: the real part of what the formula says."""
        if found is None or not self.complexes.names or rule.kind in ("linear", "multilinear") or self.may_be_complex(value):
            return found
        dtype = found.value.dtype
        if dtype is not None and dtype.kind != "c" or not any(map(self.complexes.may_be, n.iter_child_nodes(value))):
            return found
        return self._made(self.numpy("np.real($t)", t=found.expr), found.selected)

    def zero(self, node: n.expr) -> n.expr:
        """The zero tangent of a value."""
        known = self.value_of(node)
        if known.scalar:
            return expression("0.0")
        return self.numpy("np.zeros_like($x)", x=node) if known.kind == "array" else self.helper("zeros_like", node)

    def tangent_of(self, node: n.expr) -> n.expr:
        """The tangent of an operand, written out where it is zero."""
        found = self.pushed(node, UNKNOWN, node)
        return self.zero(node) if found is None else found.expr

    def _display(self, value: Any) -> Tangent | None:
        """A tuple, list or dict: so is its tangent."""
        parts = value.values if isinstance(value, n.Dict) else value.elts
        if not any(isinstance(part, n.Name) and part.id in self.tangents for part in parts):
            return None
        made = {part: self.tangent_of(part) for part in parts}
        return Tangent(remade(value, lambda part: made.get(part, part)), selected=True)

    def _entry(self, node: n.Subscript) -> Tangent:
        """``a[i]``: the same entry of the tangent, a view where the entry is one."""
        name = base(node)
        assert name is not None
        whole = self.value_of(node.value)
        if whole.scalar and is_all_of(node, whole):
            if isinstance(node.value, n.Subscript):
                return self._entry(node.value)
            if isinstance(node.value, n.Name):
                return self.tangents[name]

        made = self._made(rebased(node, self.tangents[name].expr), self.tangents[name].selected)
        known = self.value_of(node)
        number = known.scalar and self.value_of(node.value).kind in ("sequence", "mapping")
        return replace(made, value=known) if number and not made.value.scalar else made

    def _made(self, expr: n.expr, selected: bool) -> Tangent:
        return Tangent(expr, self.value_of(expr), selected)

    def _applied(self, value: n.expr, rule: Rule, applied: Application, result: Abstract, new: n.expr) -> Tangent | None:
        """A function with a rule."""
        operands = self.operands_of(rule, applied, self.tangents.keys())
        moving = tuple(name for name in rule.differentiable if carries(operands[name], self.tangents.keys(), self.scope))
        if not moving:
            return None
        known = self.known_operands(rule, operands)
        rule = self.over_complex(rule, operands, value, result if result.kind != "unknown" else self.value_of(value))
        tangents = {name: self._moving(operands[name]) for name in moving}
        selected = any(tangent.selected for tangent in tangents.values())
        asked_dtype = constant(operands["dtype"]) is not None if "dtype" in operands else False
        if rule.tangent is not None and (rule.function not in COPYING or asked_dtype):
            self.moment.environment = extended(self.moment.environment, {self.new: result})
            return self._made(self._by_formula(rule, operands, tangents, result, new), selected)
        if rule.kind == "elementwise":
            found = self._elementwise(rule, operands, known, tangents, result, new)
            return self._made(found, selected or rule.selects)
        if rule.kind == "reduction":
            return self._made(self._reduced(value, rule, operands, known, tangents, result, new), selected)
        if rule.kind == "linear":
            parts = {operands[name]: tangents[name].expr if name in tangents else self.zero(operands[name])
                     for name in rule.differentiable if name in tangents or not _is_no_number(operands[name])}
            makes_zeros = rule.selects and rule.function not in FACTS["picks"] or rule.sequence or rule.function is np.pad
            makes_zeros = makes_zeros or len(moving) < len(parts)
            return self._made(self._of_tangents(value, parts, known), selected or makes_zeros)
        if rule.kind == "general":
            raise MissingRuleError(
                f"the rule of {rule.name} has no forward formula", places=[self.pointer(self.moment.at, "a tangent arrives here")],
                why="of a general rule both directions have to be written", remedy="write the other one below it: @….pushforward",
            )
        terms = [self._of_tangents(value, {operands[name]: tangents[name].expr}, known) for name in moving]
        return self._made(sum_of_tangents(terms), selected)

    def _moving(self, operand: n.expr) -> Tangent:
        """The tangent of an operand that is known to have one."""
        found = self.pushed(operand, UNKNOWN, operand)
        assert found is not None
        return found

    def _of_tangents(self, value: n.expr, parts: dict[n.expr, n.expr], known: dict[str, Abstract]) -> n.expr:
        """The application with some operands replaced; a method of a number needs an array, since a tangent may be a Python float."""
        owner = value.func.value if isinstance(value, n.Call) and isinstance(value.func, n.Attribute) else None
        if owner in parts and next(iter(known.values())).scalar:
            parts = {**parts, owner: self.numpy("np.asarray($x)", x=parts[owner])}

        def replaced(node: Any) -> Any:
            return clone(parts[node]) if node in parts else remade(node, replaced)

        made: n.expr = replaced(value)
        return made

    # -- the frames of the kinds ----------------------------------------------------------------------------------------

    def _elementwise(
        self, rule: Rule, operands: dict[str, n.expr], known: dict[str, Abstract], tangents: dict[str, Tangent], result: Abstract,
        new: n.expr,
    ) -> n.expr:
        """The sum of the contributions, each computed from the tangent of its own operand, in the shape of the result."""
        wanted = tuple(tangents)
        part = rule.text.slice(wanted)
        assert rule.formula is not None
        self.moment.environment = extended(self.moment.environment, {self.new: result})
        replaced = self.assigned(rule.formula, part, self.steep(rule, {**known, "z": result}, {**operands, "z": new}))
        terms = []
        for name, formula in zip(wanted, part.contributions):
            tangent = tangents[name]
            term = terms_in_order(self.folded(formula, {**replaced, "g": tangent.expr}, rule.formula), tangent.expr)
            steep = self.overflows(rule, part, term, new.id if isinstance(new, n.Name) else "", replaced)
            slope = self.folded(formula, {**replaced, "g": literal_value(1.0)}, rule.formula)
            terms.append(self.unmoved(rule, self.guarded(rule, term, tangent, steep), slope, operands[name], new))
        total = sum_of_tangents(terms)
        if result.scalar:
            if isinstance(total, n.Name) and not self.value_of(total).scalar:  # float(x) of an array without dimensions
                if result.kind == "python":
                    return expression("float($t)", t=total)
                array = self.value_of(total).kind == "array"
                return expression("$t[()]", t=total) if array else self.numpy("np.asarray($t)[()]", t=total)
            return total
        read = {*part.values, *wanted}
        unread = [name for name, value in known.items() if name not in read and not value.scalar and value.kind != "static"]
        if "z" in read or not unread:
            return total
        shapes = [known[name].dims for name in read if known[name].kind == "array" or known[name].scalar]
        if result.kind == "array" and len(shapes) == len(read) and unbroadcast(broadcast(*shapes), result.dims) == ((), ()):
            return total
        return self.numpy("np.full_like($z, $t)", z=new, t=total) if result.kind == "array" else self.helper("spread", total, new)

    def _reduced(
        self, value: n.expr, rule: Rule, operands: dict[str, n.expr], known: dict[str, Abstract], tangents: dict[str, Tangent],
        result: Abstract, new: n.expr,
    ) -> n.expr:
        """The contribution in the space of the array, summed; of a sum or a mean that is the same call."""
        ((array, tangent),) = tangents.items()
        part = rule.text.slice((array,))
        assert rule.formula is not None
        axis, keepdims = operands["axis"], operands["keepdims"]
        self.moment.environment = extended(self.moment.environment, {self.new: result})
        z = new
        if constant(keepdims) is not True and constant(axis) is not None and known[array].rank not in (0, 1):
            known_form = constant(axis) is not MISSING and constant(keepdims) is False
            z = self.numpy("np.expand_dims($z, $a)", z=new, a=axis) if known_form else self.helper("expanded", new, axis, keepdims)
        outer, self.moment.code = self.moment.code, []
        shown: dict[str, n.expr] = {**operands, "g": tangent.expr, "z": z}
        replaced = self.assigned(rule.formula, part, shown)
        term, slope = (self.folded(part.contributions[0], {**replaced, "g": g}, rule.formula) for g in (tangent.expr, literal_value(1.0)))
        alone = not self.moment.code and reads(term)[0] - set(self.helpers) - {"np"} <= {to_source(tangent.expr)}
        if alone and not rule.own and not asks_dtype(operands):
            self.moment.code = outer
            return self._of_tangents(value, {operands[array]: tangent.expr}, known)
        self.moment.code = [*outer, *self.moment.code]
        term = terms_in_order(term, tangent.expr)
        term = self.unmoved(rule, self.guarded(rule, term, tangent), slope, operands[array], new)
        asked = (name for name, default in (("axis", None), ("keepdims", False)) if constant(operands[name]) is not default)
        how = "".join(f", {name}=${name}" for name in asked)
        holes: dict[str, Filling] = {name: operands[name] for name in ("axis", "keepdims")}
        return self.numpy(f"np.sum($t{how})", t=term, **holes)

    def guarded(self, rule: Rule, term: n.expr, tangent: Tangent, steep: bool = False) -> n.expr:
        """A contribution in which the zeros that a selection has left stay zero. ``steep``: it is infinite where an operand is."""
        infinite = steep or rule.singular and may_diverge(term)
        return self.helper("keep_zeros", term, tangent.expr) if infinite and tangent.selected else term

    def unmoved(self, rule: Rule, term: n.expr, slope: n.expr, operand: n.expr, new: n.expr) -> n.expr:
        """A contribution in which the zeros of the slope stay zero: an infinity that the program stores has an infinite tangent."""
        if rule.selects or rule.formula in GROWING or self.holding.isdisjoint(names(operand)):
            return term
        if names(slope).isdisjoint(names(operand) | names(new)):  # linear: an infinity stays one
            return term
        if isinstance(slope, n.BinOp) and isinstance(slope.op, n.Mult) and constant(slope.left) == 1.0:
            slope = slope.right
        return self.helper("keep_zeros", term, slope)

    def _by_formula(
        self, rule: Rule, operands: dict[str, n.expr], tangents: dict[str, Tangent], result: Abstract, new: n.expr,
    ) -> n.expr:
        """The rule's own forward formula, without the terms of tangents that are zero."""
        text = rule.forward_text
        assert rule.tangent is not None
        names_of = dict(zip(text.tangents, rule.differentiable))
        zero = {parameter for parameter, name in names_of.items() if name not in tangents}
        part = text.without(frozenset(zero if rule.kind == "general" else ()))
        read = names([*part.assignments, *part.contributions])
        shown = {**operands, text.new: new}
        for parameter, name in names_of.items():
            if parameter not in zero:
                shown[parameter] = tangents[name].expr
            elif parameter in read:
                shown[parameter] = self.zero(operands[name])
        (found,) = self.inlined(rule.tangent, part, shown)
        known = self.value_of(found)
        whole = result.kind == known.kind == "array" and unbroadcast(known.dims, result.dims) == ((), ())
        return self.helper("spread", found, new) if part.short and not (result.scalar or whole) else found


def asks_dtype(operands: dict[str, n.expr]) -> bool:
    """Whether a call names a dtype."""
    return "dtype" in operands and constant(operands["dtype"]) is not None


def sum_of_tangents(terms: Sequence[n.expr]) -> n.expr:
    """The sum of terms; twice the same one is written as twice that."""
    total = terms[0]
    for term in terms[1:]:
        total = expression("2 * $t", t=term) if to_source(term) == to_source(total) else sum_of(total, term)
    return total


def terms_in_order(term: n.expr, tangent: n.expr) -> n.expr:
    """``x_dot * np.cos(x)`` as one writes it: the derivative first."""
    if not (isinstance(term, n.BinOp) and isinstance(term.op, n.Mult) and isinstance(tangent, n.Name)):
        return term
    factor = negated(term.left)
    if isinstance(term.left, n.Name) and term.left.id == tangent.id:
        return expression("$c * $t", c=term.right, t=tangent)
    if isinstance(factor, n.Name) and factor.id == tangent.id:
        return expression("-$c * $t", c=term.right, t=tangent)
    return term


def _is_no_number(node: n.expr) -> bool:
    """Whether an operand is a constant like None, for which no zero can stand."""
    return isinstance(node, n.Constant) and not isinstance(node.value, (int, float, complex))
