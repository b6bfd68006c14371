"""What the adjoint of a result contributes to the operands: rules, inlined in the frame of their kind."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ...analysis.abstract import UNKNOWN, Abstract, item_of
from ...analysis.applications import Application
from ...analysis.lengths import unbroadcast
from ...analysis.literals import constant
from ...analysis.scope import MISSING
from ...analysis.source.may_be_active import carries
from ...analysis.statements import base, binds, target_names, targets
from ...analysis.states import extended
from ...errors import AliasingError
from ...rules import Rule
from ...rules.formula import Slice, reads
from ...rules.frames import OWN
from ...runtime.arrays import split_like
from ...runtime.linked_calls import RUNNING
from ...syntax import nodes as n
from ...syntax.quote import Filling, expression, names, negated, rebased, statement
from ..facts.distinct_entries import CONTAINERS
from ..facts.infinities import may_diverge
from .adjoint_state import AdjointState, adjoint_value, replace_contribution, shaped_like
from .adjoints import Adjoint, Contribution
from .emit import Moment
from .fold import fold
from .joined_parts import parts_of
from .rule_inlining import RuleInlining, is_all_of, literal_value
from .steps import Step

Block = list[n.stmt]


class VjpTerms(RuleInlining):
    """Knows every form of expression in the normal form."""

    def __init__(self, moment: Moment, ledger: AdjointState):
        super().__init__(moment)
        self.ledger = ledger

    def contributions(
        self, target: str, value: n.expr, adjoint: Adjoint, varied: frozenset[str], step: Step, spelled: dict[str, n.expr] | None = None
    ) -> list[tuple[str, Contribution]]:
        """What the adjoint of ``target = value`` contributes to each varied operand, in order."""
        if isinstance(value, n.Name):
            return [(value.id, Contribution(adjoint.expr, adjoint.value, adjoint.narrow, adjoint.selected))] if value.id in varied else []
        if isinstance(value, (n.Tuple, n.List, n.Dict)):
            return self._display(value, adjoint, varied)
        if not carries(value, varied, self.scope):
            return []
        applied = self.application_of(value)
        if applied.rule is None or applied.rule.kind == "constant":
            return []
        if applied.function is operator.getitem:
            assert isinstance(value, n.Subscript)
            return self._getitem(value, adjoint, varied)
        return self._applied(target, value, applied, adjoint, varied, step, spelled or {})

    def _display(self, value: Any, adjoint: Adjoint, varied: frozenset[str]) -> list[tuple[str, Contribution]]:
        """A tuple, list or dict: each element gets its own entry of the adjoint."""
        keys = list(value.keys) if isinstance(value, n.Dict) else [expression("$k", k=k) for k in range(len(value.elts))]
        parts = value.values if isinstance(value, n.Dict) else value.elts
        last = {constant(key): place for place, key in enumerate(keys)}  # of a key that is there twice, the last one counts
        return [
            (part.id, Contribution(expression("$g[$k]", g=adjoint.expr, k=key), UNKNOWN, selected=True))
            for place, (key, part) in enumerate(zip(keys, parts)) if isinstance(part, n.Name) and part.id in varied
            and (constant(key) is MISSING or last[constant(key)] == place)
        ]

    def _getitem(self, node: n.Subscript, adjoint: Adjoint, varied: frozenset[str]) -> list[tuple[str, Contribution]]:
        """``y = a[i]``: into the slot of the array's adjoint, in place (``a[i][j]`` too: a basic slot is a view)."""
        name = base(node)
        if name is None or name not in varied:
            return []
        known = self.moment.environment.get(name, UNKNOWN)
        whole = self.value_of(node.value)
        if is_all_of(node, whole):
            if isinstance(node.value, n.Subscript):
                return self._getitem(node.value, adjoint, varied)
            if isinstance(node.value, n.Name):
                return [(name, Contribution(adjoint.expr, adjoint.value, adjoint.narrow, selected=True))]
        first = name not in self.ledger.adjoints and known.kind == "array"
        if isinstance(adjoint.expr, n.Name) and adjoint.expr.id == self.ledger.bar(name):
            adjoint = replace(adjoint, expr=self.ledger.held(Contribution(adjoint.expr, adjoint.value)).expr)
        adjoint = replace(adjoint, expr=self.ledger.in_kind(name, Contribution(adjoint.expr, adjoint.value)).expr)
        self.ledger.buffer(name)
        self.ledger.settle(name, in_place=True)
        slot = rebased(node, expression(self.ledger.bar(name)))
        holes: dict[str, Filling] = {"s": slot, "g": adjoint.expr}
        negative = negated(adjoint.expr)
        entry = self.value_of(node)
        if self._index_kind(node.slice, whole) == "repeats":
            self.emit(n.Expr(value=self.numpy("np.add.at($a, $i, $g)", a=slot.value, i=self.as_index(node.slice), g=adjoint.expr)))
        elif first and not adjoint.narrow:
            self.emit(statement("$s = $g", **holes))
        elif known.kind != "array" and (  # a list or dict within: not Python's +=; nor where only the run tells what is complex
                entry.kind not in ("array", "python", "numpy") or entry.dtype is None and self.may_be_complex(node, entry)):
            self.emit(statement("$s = $v", s=slot.value, v=self.helper("added_at", slot.value, self.as_index(node.slice), adjoint.expr)))
        elif negative is not None:
            self.emit(statement("$s -= $g", **{**holes, "g": negative}))
        else:
            self.emit(statement("$s += $g", **holes))
        self.ledger.adjoints[name] = replace(self.ledger.adjoints[name], selected=True)
        return []

    def _index_kind(self, index: n.expr, array: Abstract) -> str:
        """``basic`` (or no entry twice) or ``repeats`` (an integer array may name an entry twice)."""
        parts = index.elts if isinstance(index, n.Tuple) else [index]
        if self.is_distinct(index):
            return "basic"
        for part in parts if array.kind not in CONTAINERS else ():
            if isinstance(part, (n.Slice, n.Constant)):
                continue
            value = self.value_of(part)
            if value.scalar or isinstance(part, n.Attribute) and part.attr == "newaxis" or value.kind == "static":
                continue
            if value.kind == "array" and value.dtype is not None and value.dtype.kind == "b":
                continue
            if array.kind != "array" and value.kind == "unknown":
                continue
            return "repeats"
        return "basic"

    @cached_property
    def distinct(self) -> list[set[str]]:
        """The names of positions of which no two are the same, each bound once: those of the axes together."""
        calls = [(node, node.value) for node in self.values.before if isinstance(node, n.Assign) and isinstance(node.value, n.Call)]
        found = [target_names(node.targets[0]) for node, call in calls
                 if not call.keywords and len(call.args) <= DISTINCT.get(self.scope.resolve(call.func), -1)]
        bound = Counter(next(iter(self.values.before.values()), {}).keys()) if found else Counter()  # arguments
        bound.update(name for node in self.values.before if found for target in targets(node) for name in target_names(target))
        return [group for group in found if group.isdisjoint(self.ledger.mutable) and all(bound[name] == 1 for name in group)]

    def is_distinct(self, index: n.expr) -> bool:
        """Whether an index names no entry twice: all positions of a call, or those along an axis beside others of their number."""
        parts = index.elts if isinstance(index, n.Tuple) else [index]
        named = {part.id for part in parts if isinstance(part, n.Name)}
        if len(named) == len(parts) and named in self.distinct:
            return True
        known = [self.value_of(part) for part in parts]
        shapes = {value.dims for value in known if not value.scalar}
        alike = all(value.scalar or value.kind == "array" and value.dtype is not None and value.dtype.kind in "iu" for value in known)
        return alike and len(shapes) == 1 and None not in shapes.pop() and any({name} in self.distinct for name in named)

    def repeats(self, target: n.Subscript) -> bool:
        """Whether a store's index may name an entry twice (then the last one wins)."""
        known, index = self.value_of(target.value), target.slice
        if known.kind in ("sequence", "mapping", "mixed"):
            self.check_entry(target, known)
            return False
        if known.kind == "unknown":
            parts = index.elts if isinstance(index, n.Tuple) else [index]
            return not all(isinstance(part, (n.Slice, n.Constant)) or self.value_of(part).scalar for part in parts)
        return self._index_kind(index, known) == "repeats"

    def _applied(
        self, target: str, value: n.expr, applied: Application, adjoint: Adjoint, varied: frozenset[str], step: Step,
        spelled: dict[str, n.expr],
    ) -> list[tuple[str, Contribution]]:
        """A function with a rule: inline the slice of its formula, in the frame of its kind."""
        rule = applied.rule
        assert rule is not None
        operands = self.operands_of(rule, applied, varied)
        wanted = tuple(name for name in rule.differentiable if carries(operands[name], varied, self.scope))
        if not wanted:
            return []
        known = self.known_operands(rule, operands)
        if isinstance(value, n.BinOp):
            self.checked_operator(known)
        result = self.moment.environment.get(target, UNKNOWN)
        if step.node is not None and target in binds(step.node):
            result = self.values.after[step.node].get(target, UNKNOWN)
        rule = self.over_complex(rule, operands, value, result)
        rule = rule.variant(tuple(known[name].rank for name in rule.differentiable)) if rule.variants else rule
        part = rule.text.slice(wanted)
        g: n.expr = adjoint.expr
        z: n.expr = spelled.get(target, expression(target))
        if "z" in part.values | part.metadata:
            step.reads_new = True
            if any(target in names(operand) for operand in operands.values()):
                step.new = step.new or self.scope.fresh(target + "_new")
                z = expression(step.new)
                self.moment.environment = extended(self.moment.environment, {step.new: result})
        narrow_out = False
        if rule.kind in ("linear", "reduction") and not adjoint.narrow and not adjoint.value.scalar and self.ledger.is_live(g):
            g = self.ledger.held(Contribution(self.copied(g, adjoint.value), adjoint.value)).expr  # what follows may be views of it
        if rule.kind == "reduction":
            g, z, narrow_out = self._spread(operands, known, adjoint, part, g, z, target, result, rule.own)
        elif adjoint.narrow and not self._carries_narrow(rule, part, wanted, known, result):
            g = self._wide(target, adjoint, result)
        else:
            narrow_out = adjoint.narrow
        arrays = {getattr(operands[name], "id", "." + name) for name, value in known.items() if not value.scalar}
        alone = len(arrays) == 1  # then it is shaped like the result
        shown = {"g": g, "z": z}
        for name, operand in operands.items():
            shown[name] = spelled.get(operand.id, operand) if isinstance(operand, n.Name) else operand
        if isinstance(g, n.Name):
            known_g = adjoint.value if narrow_out or g is adjoint.expr else result
            self.moment.environment = extended(self.moment.environment, {g.id: known_g})
        assert rule.formula is not None
        contributions = self.inlined(rule.formula, part, self.steep(rule, {**known, "z": result}, shown))
        if rule.own:
            contributions = [self._verified(rule, expr, g, operands[name]) for name, expr in zip(wanted, contributions)]
        found: list[tuple[str, Contribution]] = []
        selected = rule.selects or adjoint.selected
        for name, expr in zip(wanted, contributions):
            operand = operands[name]
            steep = rule.singular and (not names(expr) <= names(g) or may_diverge(expr))
            steep = adjoint.selected and (steep or self.overflows(rule, part, expr, step.new or target, shown))
            if steep and not isinstance(expr, n.Name):
                expr = self.guarded(expr, g)
            if rule.sequence or isinstance(operand, (n.Tuple, n.List)):
                found += self._parts(operand, expr, varied, selected, result)
                continue
            if not isinstance(operand, n.Name):
                raise AliasingError("a change in place of what has several names", places=[self.pointer(
                    self.moment.at, "what is read here may be another name for what changes", "their adjoints would have to share memory",
                    "take a copy")])
            own = self.moment.environment.get(operand.id, known[name])
            found_value = self.value_of(expr)
            narrow = narrow_out and own.kind == "array" and not self.reads_array(expr, g)
            item = Contribution(expr, found_value if found_value.kind != "unknown" else shaped_like(own), narrow, selected)
            if rule.kind == "elementwise" and not narrow and own.kind == "array" and alone:
                item = replace_contribution(item, item.expr, value=Abstract("array", item.value.dtype, own.dims))
            elif rule.kind == "elementwise" and not narrow and operand.id not in spelled:
                item = self.summed(item, own, result, operand)
            elif rule.kind == "reduction" and not narrow and name not in part.values and not own.scalar:
                spread = fold(self.numpy("np.broadcast_to($c, np.shape($x))", c=expr, x=operand), self.value_of)
                whole = adjoint_value(own)._replace(dtype=found_value.dtype) if own.kind == "array" else UNKNOWN
                item = Contribution(spread, whole, selected=selected)
            elif rule.kind in ("linear", "multilinear", "general"):
                whole = own._replace(dtype=found_value.dtype, length=None) if own.kind == "array" else found_value
                item = Contribution(expr, whole, selected=selected)
            found.append((operand.id, item))
        return found

    def guarded(self, expr: n.expr, g: n.expr) -> n.expr:
        """A contribution in which the zeros of ``g`` stay zero; as it is, where that is left to a look at the finished gradient."""
        self.scope.unguarded = self.scope.unguarded or self.is_looked_at
        return expr if self.scope.unguarded else self.helper("keep_zeros", expr, g)

    @cached_property
    def is_looked_at(self) -> bool:
        """Whether NaN shows in the finished gradient where a guard is left out: a formula of the user's might hide it."""
        calls = [part for node in self.values.before for part in n.walk(node) if isinstance(part, n.Call)] if OWN else []
        hiding = any(rule.own for call in calls if (rule := self.scope.rule(call.func)) is not None)
        return not hiding and not (OWN and any(helper in RUNNING for helper in self.helpers.values())) and self.moment.runs_again()

    def _verified(self, rule: Any, expr: n.expr, g: n.expr, operand: n.expr) -> n.expr:
        """A contribution of a rule of one's own, looked at when it comes."""
        due = fold(self.numpy("np.shape($x)", x=g if rule.kind == "elementwise" else operand), self.value_of)
        spreads = [n.Constant(value=True, kind=None)] if rule.kind == "reduction" else []
        return self.helper("contribution", expr, due, n.Constant(value=rule.label, kind=None), *spreads)

    def reads_array(self, expr: n.expr, g: n.expr) -> bool:
        """Whether an expression reads, besides ``g``, something that is (or may be) an array."""
        own = g.id if isinstance(g, n.Name) else None
        for name in reads(expr)[0] - {own, *self.helpers}:
            known = self.value_of(expression(name))
            if known.kind == "array" or known.kind == "unknown" and name in self.moment.environment:
                return True
        return False

    def _carries_narrow(self, rule: Rule, part: Slice, wanted: Sequence[str], known: dict[str, Abstract], result: Abstract) -> bool:
        """Whether a scalar may stand for the adjoint: elementwise, and every array that is read or wanted has the result's shape."""
        if rule.kind != "elementwise" or result.kind != "array" or rule.own:
            return False
        read = [name for name in {*wanted, *part.values} if name != "z"]
        if sum(not value.scalar for value in known.values()) == 1 and not any(known[name].scalar for name in wanted):
            return True

        def shaped_like_result(value: Abstract) -> bool:
            return value.kind == "array" and unbroadcast(value.dims, result.dims) == ((), ())

        return all(shaped_like_result(known[name]) or known[name].scalar and name not in wanted for name in read)

    def _wide(self, target: str, adjoint: Adjoint, result: Abstract) -> n.expr:
        """A full array for a narrow adjoint whose variable is done with."""
        assert self.ledger.step is not None
        self.ledger.step.reads_new = True
        mentioned = {part.id for part in n.walk(self.ledger.step.node) if isinstance(part, n.Name) and isinstance(part.ctx, n.Load)}
        if target in mentioned:  # the old value has this name in the reverse sweep
            self.ledger.step.new = self.ledger.step.new or self.scope.fresh(target + "_new")
        full = self.numpy("np.full_like($x, $g)", x=self.ledger.step.new or target, g=adjoint.expr)
        name = self.ledger.bar(target)
        self.ledger.settle(target, in_place=False)
        self.emit(statement("$t = $f", t=name, f=full))
        self.moment.environment = extended(self.moment.environment, {name: adjoint_value(result)})
        return expression(name)

    def _spread(
        self, operands: dict[str, n.expr], known: dict[str, Abstract], adjoint: Adjoint, part: Slice, g: n.expr, z: n.expr,
        target: str, result: Abstract, own: bool,
    ) -> tuple[n.expr, n.expr, bool]:
        """A reduction's adjoint and result in the rank of its array, and whether the adjoint stays a scalar."""
        array = next(iter(operands))
        axis = constant(operands["axis"])
        keepdims = constant(operands["keepdims"])
        one_number = axis is None and keepdims is False or known[array].rank in (0, 1) and keepdims is False
        if one_number or adjoint.narrow and not part.values:
            return g, z, True
        narrow = adjoint.narrow and not own and array in part.values and MISSING not in (axis, keepdims)  # the array gives its shape
        if adjoint.narrow and not narrow:
            g = self._wide(target, adjoint, result)
        if keepdims is True:
            return g, z, False
        if keepdims is MISSING or axis is MISSING:
            g, z = (self.helper("expanded", part_, operands["axis"], operands["keepdims"]) for part_ in (g, z))
            return g, z, False
        plain = type(axis) is int and bool(result.dims) and (adjoint.narrow or adjoint.value.kind == "array")
        text = f"$p[{':, ' * (axis % (len(result.dims) + 1))}None]" if plain else "np.expand_dims($p, $a)"
        spread = [self.numpy(text, p=part_) if plain else self.numpy(text, p=part_, a=operands["axis"]) for part_ in (g, z)]
        return g if narrow else spread[0], spread[1], False

    def _parts(
        self, operand: n.expr, expr: n.expr, varied: frozenset[str], selected: bool, result: Abstract,
    ) -> list[tuple[str, Contribution]]:
        """The contribution to a sequence, handed to its elements; to an array that was taken as one, the parts stacked."""
        if isinstance(operand, n.Name):
            own = self.moment.environment.get(operand.id, UNKNOWN)
            if own.kind == "array":
                return [(operand.id, Contribution(self.numpy("np.stack($e)", e=expr), shaped_like(own), selected=selected))]
            if own.kind == "unknown":  # it may be an array
                self.ledger.shaped_after(operand.id)
                expr = self.helper("matched", expr, operand)
            elif result.rank and item_of(own).rank == result.rank - 1 and (axis := self._joined_axis(expr)) is not MISSING:
                expr = self.numpy("np.moveaxis($g, $a, 0)", g=expr.args[0], a=literal_value(axis)) if axis else expr.args[0]
            return [(operand.id, Contribution(expr, UNKNOWN, selected=selected))]
        wanted = [position for position, element in enumerate(operand.elts) if isinstance(element, n.Name) and element.id in varied]
        taken = self._taken(operand, expr, result, len(wanted))
        if taken is None:
            parts = self.scope.fresh("parts")
            self.emit(statement("$p = $e", p=parts, e=expr))
            taken = [expression("$p[$k]", p=parts, k=position) for position in range(len(operand.elts))]
        found = []
        for position in wanted:
            name = operand.elts[position].id
            own = self.moment.environment.get(name, UNKNOWN)
            found.append((name, Contribution(taken[position], shaped_like(own), selected=selected)))
        return found

    def _joined_axis(self, expr: n.expr) -> Any:
        """The axis along which arrays are joined of which an expression splits the adjoint; MISSING of any other expression."""
        joined = isinstance(expr, n.Call) and self.scope.helpers.get(getattr(expr.func, "id", "")) is split_like
        axis = constant(expr.args[2]) if joined else MISSING
        return axis if type(axis) is int else MISSING

    def _taken(self, operand: Any, expr: n.expr, result: Abstract, uses: int) -> list[n.expr] | None:
        """The parts of the adjoint of arrays that are joined, where they are known to be entries and slices of it."""
        axis, known = self._joined_axis(expr), [self.value_of(element) for element in operand.elts]
        if axis is MISSING or not result.rank or any(isinstance(element, n.Starred) for element in operand.elts):
            return None
        whole = expr.args[0]
        if parts_of(whole, result.rank, axis, operand.elts, known) is None:
            return None
        if uses > 1 and not isinstance(whole, n.Name):
            held = self.scope.fresh("parts")
            self.emit(statement("$p = $e", p=held, e=whole))
            whole = expression(held)
        taken = parts_of(whole, result.rank, axis, operand.elts, known)
        return taken and [fold(part, self.value_of) for part in taken]

    def summed(self, found: Contribution, own: Abstract, result: Abstract, operand: n.expr, stored: bool = False) -> Contribution:
        """Undo broadcasting: nothing where it is proven that there was none, the axes where they are known, else ask at run time.

        ``stored``: what was stored may have more axes than the place that it went to.
        """
        if own.kind in ("sequence", "mapping"):
            return replace_contribution(found, found.expr, value=shaped_like(own))
        if own.scalar:
            if result.scalar:
                return found
            if result.kind == "array":
                return replace_contribution(found, self.total(found.expr), value=Abstract("numpy", found.value.dtype), view=False)
        if own.kind == "array" and result.kind == "array":
            plan = unbroadcast(own.dims, result.dims)
            value = Abstract("array", found.value.dtype, own.dims)
            if plan == ((), ()):
                return replace_contribution(found, found.expr, value=value)
            if plan is not None and not (plan[0] and plan[1]):
                axes, keep = plan[0] or plan[1], not plan[0]
                axis = literal_value(axes[0] if len(axes) == 1 else axes)
                text = "np.sum($c, axis=$a, keepdims=True)" if keep else "np.sum($c, axis=$a)"
                return replace_contribution(found, self.numpy(text, c=found.expr, a=axis), value=value, view=False)
        shape = fold(self.numpy("np.shape($x)", x=operand), self.value_of)
        value = Abstract("array", found.value.dtype, own.dims) if own.kind == "array" else UNKNOWN
        stored = stored and (own.rank is None or result.rank is None or own.rank > result.rank)
        return replace_contribution(found, self.helper("sum_to_stored" if stored else "sum_to", found.expr, shape), value=value)

    def total(self, node: n.expr) -> n.expr:
        """The sum of all entries: of a product of two arrays their scalar product, with signs and numbers before it."""
        if isinstance(node, n.UnaryOp) and isinstance(node.op, n.USub):
            return expression("-$s", s=self.total(node.operand))
        if self.moment.last and isinstance(node, n.BinOp) and isinstance(node.op, (n.Mult, n.Div)):
            one, other = self.value_of(node.left), self.value_of(node.right)
            if other.scalar and other.floating:
                return n.BinOp(left=self.total(node.left), op=node.op, right=node.right)
            sign = negated(node.left)
            if isinstance(node.op, n.Mult) and not self.complexes.names and is_pair(one, other):
                text = "$a @ $b" if len(one.dims) == 1 else "np.vdot($a, $b)"
                made = self.numpy(text, a=node.left if sign is None else sign, b=node.right)
                return made if sign is None else expression("-($s)", s=made)
        return self.numpy("np.sum($c)", c=node)


def is_pair(one: Abstract, other: Abstract) -> bool:
    """Whether two values are arrays of real numbers, in double precision, of one shape."""
    dtypes = {one.dtype, other.dtype} - {None}
    return one.kind == other.kind == "array" and bool(one.dims) and None not in one.dims and one.dims == other.dims and dtypes == DOUBLE


DOUBLE = {np.dtype(float)}
DISTINCT: dict[Any, int] = {
    np.arange: 1, np.nonzero: 1, np.where: 1, np.flatnonzero: 1, **dict.fromkeys((np.tril_indices, np.triu_indices, np.diag_indices), 3),
    **dict.fromkeys((np.tril_indices_from, np.triu_indices_from, np.diag_indices_from), 2), np.random.permutation: 1,
}
"""Functions that give positions of which no two are the same, with at most so many arguments."""
