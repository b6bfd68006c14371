"""Reverse mode: the adjoint code of each statement of the normal form, one method per form.

This stage decides *what* the reverse sweep computes. Which primal values it has to be given back, and how, is decided after it
(``record.py``), from what the code written here reads.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import arrays, structures
from ..analysis.abstract import FLOAT, UNKNOWN, Abstract, joined, sampled, unbroadcast
from ..analysis.activity import Activity
from ..analysis.applications import Application, application
from ..analysis.carrying import carries
from ..analysis.effects import base, binds, loads
from ..analysis.fresh import is_fresh
from ..analysis.scope import MISSING
from ..analysis.values import Values, constant, indexed
from ..errors import AliasingError, MissingRuleError, UnsupportedSyntaxError
from ..rules import Rule
from ..syntax import nodes as n
from ..syntax.quote import Filling, clone, expression, negated, place, statement, sum_of
from .adjoints import Adjoint, Contribution, replace
from .fold import fold

Block = list[n.stmt]


@dataclass
class Step:
    """A statement of the primal with its adjoint code; ``node`` None: adjoint code alone, run at this point of the reverse sweep.

    ``reads_old``: the code reads the value that the statement overwrites; ``new``: the name under which it reads the value that
    the statement made, where it reads both. ``also`` are expressions that are read at this point though they are written elsewhere.
    """

    node: n.stmt | None
    code: Block = field(default_factory=list)
    body: list[Step] = field(default_factory=list)
    orelse: list[Step] = field(default_factory=list)
    also: list[n.expr] = field(default_factory=list)
    reads_old: bool = False
    reads_new: bool = False
    new: str | None = None

    @property
    def idle(self) -> bool:
        """Whether the reverse sweep has nothing to do here."""
        return not self.code and all(step.idle for step in self.body) and all(step.idle for step in self.orelse)


class Reverse:
    """Walks a block backwards, holding the adjoints; gives the steps in forward order."""

    def __init__(self, values: Values, activity: Activity, mutable: set[str], unbound: set[str], pointer: Any):
        self.values = values
        self.activity = activity
        self.mutable = mutable
        self.unbound = unbound  # names that some path reads before it binds them
        self.to_bind: set[str] = set()  # those of them of which a zero adjoint is made
        self.scope = values.scope
        self.helpers = values.scope.helpers
        self.bar = values.scope.bar
        self.pointer = pointer  # statement, problem, why, remedy → Place
        self.adjoints: dict[str, Adjoint] = {}
        self.code: Block = []
        self.at: n.stmt | None = None
        self.step: Step | None = None
        self.environment: dict[str, Abstract] = {}
        self.changed: set[str] = set()

    # -- blocks ---------------------------------------------------------------------------------------------------------

    def block(self, body: Block) -> list[Step]:
        """The steps of a block, in forward order."""
        steps: list[Step] = []
        for node in reversed(body):
            steps.extend(reversed(self.statement(node)))
        steps.reverse()
        return steps

    def statement(self, node: n.stmt) -> list[Step]:
        """The steps of one statement, in forward order (code that comes first in the reverse sweep comes last)."""
        self.at = node
        if isinstance(node, n.If):
            return self._if(node)
        if isinstance(node, (n.For, n.While)):
            return self._loop(node) if node.body else [Step(node)]
        step = self.step = Step(node)
        outer, self.code = self.code, step.code
        read = loads(node)  # a name that is read as well as bound means its old value here
        self.environment = {**self.values.before[node], **{name: value for name, value in self._made(node).items() if name not in read}}
        if isinstance(node, n.Assign):
            target = node.targets[0]
            if isinstance(target, n.Name):
                self._assign(target.id, node.value, step)
            elif isinstance(target, n.Subscript):
                self._store(target, node.value)
        elif isinstance(node, n.AugAssign):
            if isinstance(node.target, n.Name):
                left = expression(node.target.id)
                self._assign(node.target.id, place(n.BinOp(left=left, op=node.op, right=node.value), node), step)
            else:
                self._update(node, step)
        self.code = outer
        self.forget(node)
        return [step]

    def forget(self, node: n.stmt) -> None:
        """Drop adjoints of names that depend on no input before a statement: nothing will ask for them."""
        varied = self.activity.varied[node]
        for name in [name for name in self.adjoints if name not in varied]:
            del self.adjoints[name]

    def _made(self, node: n.stmt) -> dict[str, Abstract]:
        """The abstract values of what a statement binds, after it."""
        return {name: self.values.after[node].get(name, UNKNOWN) for name in binds(node)}

    # -- statements -----------------------------------------------------------------------------------------------------

    def _assign(self, target: str, value: n.expr, step: Step) -> None:
        """``x = f(y)``: the adjoint of ``x`` goes to ``y``; that of the old ``x`` is zero."""
        adjoint = self.adjoints.pop(target, None)
        if adjoint is None:
            return
        self.changed.add(target)
        assert step.node is not None
        varied = self.activity.varied[step.node]
        contributions = self._contributions(target, value, adjoint, varied, step)
        self.mend_view(adjoint, contributions)
        handed = [found for _, found in contributions if _same_expression(found.expr, adjoint.expr)]
        if len(handed) == 1 and adjoint.owned:  # the array goes on, to one variable alone
            contributions = [(name, replace(found, owned=True) if found is handed[0] else found) for name, found in contributions]
        self.add_all(contributions, adjoint, target)

    def mend_view(self, adjoint: Adjoint, contributions: list[tuple[str, Contribution]]) -> None:
        """An adjoint that is a view of a buffer becomes a copy if it lives on in what it contributes."""
        lives_on = any(not is_fresh(found.expr) and not found.value.scalar for _, found in contributions)
        if adjoint.view_of is not None and adjoint.made_by is not None and (lives_on or len(contributions) > 1):
            adjoint.made_by.value = expression("$v.copy()", v=adjoint.made_by.value)

    def add_all(self, contributions: list[tuple[str, Contribution]], adjoint: Adjoint, target: str) -> None:
        """Add what a statement contributes. The variable whose adjoint they are all computed from comes last, in one sum."""
        source = adjoint.expr.id if isinstance(adjoint.expr, n.Name) else self.bar(target)
        own = [(name, found) for name, found in contributions if self.bar(name) == source]
        goes_on = len(own) == 1 and own[0][0] == target and _same_expression(own[0][1].expr, adjoint.expr)
        if goes_on:
            self.adjoints[target] = adjoint if adjoint.selected == own[0][1].selected else replace(adjoint, selected=True)
        for name, found in contributions:
            if self.bar(name) != source:
                self.add(name, found)
        if goes_on or not own:
            return
        name, total = own[0]
        for _, other in own[1:]:
            total = replace_contribution(total, sum_of(total.expr, other.expr), _sum_value(total.value, other.value), total.narrow and other.narrow)
        self.add(name, total)

    def _store(self, target: n.Subscript, value: n.expr) -> None:
        """``a[i] = v``: the adjoint of the slot goes to ``v``, and the slot's becomes zero."""
        assert self.at is not None
        array, index = base(target), target.slice
        assert array is not None
        if array not in self.adjoints:
            return
        repeats = self._repeats(array, index)
        self.buffer(array)
        slot = expression("$a[$i]", a=self.bar(array), i=index)
        known = indexed(self.environment.get(array, UNKNOWN), index, self.values, self.environment)
        varied = self.activity.varied[self.at]
        own: Contribution | None = None
        if isinstance(value, n.Name) and value.id in varied:
            kept = slot if known.scalar else expression("$s.copy()", s=slot)
            if repeats:
                kept = self.helper("last_stored", self.bar(array), as_index(index))
            elif known.kind == "unknown":
                kept = self.helper("copied", slot)
            found = self.summed(Contribution(kept, known, selected=True), self.environment.get(value.id, UNKNOWN), known, value)
            if value.id == array:
                own = self.held(found)
            else:
                self.add(value.id, found)
        if array in varied:
            self.settle(array, in_place=True)
            self.emit(statement("$s = 0", s=clone(slot)))
            self.adjoints[array] = replace(self.adjoints[array], selected=True)
        if own is not None:
            self.add(array, own)

    def held(self, found: Contribution) -> Contribution:
        """A contribution computed now, for use after what it is computed from has changed."""
        name = self.scope.fresh("adjoint")
        self.emit(statement("$t = $c", t=name, c=found.expr))
        self.environment = {**self.environment, name: found.value}
        return replace_contribution(found, expression(name), view=False)

    def _update(self, node: n.AugAssign, step: Step) -> None:
        """``a[i] op= v``: as ``a[i] = a[i] op v``."""
        assert isinstance(node.target, n.Subscript)
        array, index = base(node.target), node.target.slice
        assert array is not None
        if array not in self.adjoints:
            return
        repeats = self._repeats(array, index)
        self.buffer(array)
        varied = self.activity.varied[node]
        known = indexed(self.environment.get(array, UNKNOWN), index, self.values, self.environment)
        slot = expression("$a[$i]", a=self.bar(array), i=index)
        taken = self.helper("last_stored", self.bar(array), as_index(index)) if repeats else slot
        operand = node.value
        if isinstance(node.op, (n.Add, n.Sub)):  # linear in the slot, whose adjoint stays
            if isinstance(operand, n.Name) and operand.id in varied:
                found = Contribution(taken if isinstance(node.op, n.Add) else expression("-$s", s=taken), known, selected=True,
                                     view_of=None if known.scalar or isinstance(node.op, n.Sub) or repeats else array)
                self.add(operand.id, self.summed(found, self.environment.get(operand.id, UNKNOWN), known, operand))
            return
        if repeats:
            t_bar = self.scope.fresh("adjoint")
            self.emit(statement("$t = $g", t=t_bar, g=taken))
            taken = expression(t_bar)
        adjoint = Adjoint(taken, known, selected=True)
        old = self.scope.fresh("t")
        new = self.scope.fresh("t")
        self.environment = {**self.environment, old: known, new: known}
        read = expression("$a[$i]", a=array, i=index)
        written = place(n.BinOp(left=expression(old), op=node.op, right=operand), node)
        contributions = self._contributions(new, written, adjoint, varied | {old}, step, {old: read, new: place(n.BinOp(left=read, op=node.op, right=operand), node)})
        step.reads_old = True
        later = []
        for name, found in contributions:
            if name == array:
                later.append(self.held(self._detached(found, array)))
            elif name != old:
                self.add(name, self._detached(found, array))
        slots = [found for name, found in contributions if name == old]
        for found in slots:
            if len(slots) == 1:
                self.settle(array, in_place=True)
                self.emit(statement("$s = $c", s=clone(slot), c=expression("0") if repeats else found.expr))
                if repeats:
                    self.emit(n.Expr(value=self.numpy("np.add.at($a, $i, $c)", a=self.bar(array), i=as_index(index), c=found.expr)))
        for found in later:
            self.add(array, found)

    def _detached(self, found: Contribution, array: str) -> Contribution:
        """A contribution that is not a view of an adjoint buffer about to be written."""
        return found if is_fresh(found.expr) or found.value.scalar else replace_contribution(found, expression("$c.copy()", c=found.expr))

    def _if(self, node: n.If) -> list[Step]:
        """A branch: the adjoint code of the branch that was taken. Where the branches meet, their adjoints must look alike."""
        start = dict(self.adjoints)
        ends: list[dict[str, Adjoint]] = []
        bodies: list[list[Step]] = []
        for body in (node.body, node.orelse):
            self.adjoints = dict(start)
            bodies.append(self.block(body))
            ends.append(self.adjoints)
        self.at = node
        merged: dict[str, Adjoint] = {}
        leads: list[Step] = [Step(None), Step(None)]
        for name in {**ends[0], **ends[1]}:
            if name not in self.activity.varied[node]:
                continue
            one, other = ends[0].get(name), ends[1].get(name)
            if one is not None and one == other:
                merged[name] = one
                continue
            made = []
            narrow = (one is None or one.narrow) and (other is None or other.narrow) and one is not None and other is not None
            for adjoint, end, lead in zip((one, other), ends, leads):
                self.adjoints, self.code = end, lead.code
                self.environment = self.values.before[node]
                self.settle(name, in_place=False)
                made.append(self.canonical(name, owned=False, narrow=narrow))
            merged[name] = self._joined(name, made[0], made[1])
        self.adjoints, self.code = merged, []
        self._settle_borrowed(leads, ends, merged)
        self.changed |= {name for name in {**start, **merged} if start.get(name) != merged.get(name)}
        step = Step(node, body=[leads[0], *bodies[0]], orelse=[leads[1], *bodies[1]])
        return [step]

    def _settle_borrowed(self, leads: list[Step], ends: list[dict[str, Adjoint]], merged: dict[str, Adjoint]) -> None:
        """An adjoint that borrows another's name must not outlive a branch that writes that name."""

    def _joined(self, name: str, one: Adjoint, other: Adjoint) -> Adjoint:
        return Adjoint(expression(self.bar(name)), joined(one.value, other.value), narrow=one.narrow, owned=one.owned and other.owned,
                       selected=one.selected or other.selected)

    def _loop(self, node: n.For | n.While) -> list[Step]:
        """A loop: its body's adjoint code in a loop backwards. An adjoint that lives across trips has one form throughout."""
        start = dict(self.adjoints)
        shape: dict[str, Adjoint] = {}
        while True:
            self.adjoints = {name: adjoint for name, adjoint in start.items() if name not in shape}
            lead = Step(None)  # run first in the reverse sweep, so it stands after the loop
            self.code, self.environment, self.at = lead.code, self.values.after[node], node
            for name in [*start]:
                if name not in shape and name in self.adjoints:
                    self._independent(name)
            entry = {}
            for name, wanted in shape.items():
                if name in start:
                    self.adjoints[name] = start[name]
                entry[name] = self.canonical(name, owned=wanted.owned, narrow=wanted.narrow)
            before = dict(self.adjoints)
            for name, adjoint in entry.items():
                before[name] = replace(adjoint, owned=shape[name].owned, selected=adjoint.selected or shape[name].selected,
                                       value=shape[name].value, made_by=None, view_of=None)
            self.adjoints = dict(before)
            outer_changed, self.changed = self.changed, set()
            steps = self.block(node.body)
            self.at = node
            varied = self.activity.varied[node.body[0]] if node.body else frozenset()
            touched = {name for name in {**before, **self.adjoints} if before.get(name) != self.adjoints.get(name) and name in varied}
            self.changed = outer_changed | touched | self.changed
            tail = Step(None)
            self.code, self.environment = tail.code, self.values.before[node.body[0]] if node.body else self.environment
            new = dict(shape)
            for name in sorted(touched | set(shape)):
                wanted = shape.get(name)
                if wanted is None:
                    known = self.values.after[node].get(name, UNKNOWN)
                    new[name] = Adjoint(expression(self.bar(name)), _adjoint_value(known), owned=not known.scalar)
                    continue
                end = self.canonical(name, owned=False, narrow=wanted.narrow)
                value = wanted.value if wanted.value == end.value else joined(wanted.value, end.value)
                new[name] = replace(wanted, owned=wanted.owned and (end.owned or end.value.scalar), selected=wanted.selected or end.selected, value=value)
            if new == shape:
                break
            shape = new
        for name in shape:
            self.adjoints[name] = before[name]
        self.forget(node)
        return [Step(node, body=[tail, *steps]), lead]

    def _independent(self, name: str) -> None:
        """Write out an adjoint that is known by another's name, before a loop may change that one."""
        adjoint = self.adjoints[name]
        if isinstance(adjoint.expr, n.Name) and not adjoint.borrows(self.bar(name)):
            self.canonical(name, owned=False, narrow=adjoint.narrow)

    # -- the adjoints ---------------------------------------------------------------------------------------------------

    def emit(self, node: n.stmt) -> n.stmt:
        if self.at is not None:
            place(node, self.at)
        self.code.append(node)
        return node

    def helper(self, name: str, *args: Filling) -> n.expr:
        """A call of a helper of arrays.py."""
        spelled = self.scope.imported(name, getattr(structures, name, None) or getattr(arrays, name))
        return n.Call(func=expression(spelled), args=[clone(expression("$a", a=argument)) for argument in args], keywords=[])

    def numpy(self, text: str, **holes: Filling) -> n.expr:
        """An expression that calls NumPy."""
        spelled = self.scope.imported("np", np)
        return clone(expression(text, **holes), {"np": expression(spelled)} if spelled != "np" else None)

    def settle(self, name: str, in_place: bool) -> None:
        """Before ``name``'s adjoint is written: give those that borrow it a form of their own."""
        written = self.bar(name)
        for other, adjoint in list(self.adjoints.items()):
            if other != name and adjoint.borrows(written):
                self.emit(statement("$o = $e", o=self.bar(other), e=adjoint.expr))
                self.adjoints[other] = replace(adjoint, expr=expression(self.bar(other)), owned=False)
                if name in self.adjoints:
                    self.adjoints[name] = replace(self.adjoints[name], owned=False)
            elif other != name and adjoint.view_of == name and in_place and adjoint.made_by is not None:
                made = adjoint.made_by
                made.value = expression("$v.copy()", v=made.value)
                self.adjoints[other] = replace(adjoint, view_of=None, made_by=None, owned=True)

    def canonical(self, name: str, owned: bool, narrow: bool) -> Adjoint:
        """Bring an adjoint into the form of its own name: ``x_bar``, full unless ``narrow``, its own array if ``owned``."""
        adjoint = self.adjoints.get(name)
        known = self.environment.get(name, UNKNOWN)
        target = self.bar(name)
        if adjoint is None:
            self.settle(name, in_place=False)  # another may still be written as this name
            value = _adjoint_value(known)
            if self.step is not None and self.step.node is not None and name in binds(self.step.node) and self.code is self.step.code:
                self.step.reads_old = True  # made in the shape of the old value
            if known.scalar:
                self.emit(statement("$t = 0.0", t=target))
                value = FLOAT
            elif name in self.unbound:
                self.to_bind.add(name)
                self.emit(statement("$t = $z", t=target, z=self.helper("zeros_like", name)))
            elif known.kind == "array":
                self.emit(statement("$t = $z", t=target, z=self.numpy("np.zeros_like($x)", x=name)))
            else:
                self.emit(statement("$t = $z", t=target, z=self.helper("zeros_like", name)))
            made = Adjoint(expression(target), value, owned=True, selected=True)
        elif adjoint.narrow and not narrow and not known.scalar:
            made = self.widened(name, adjoint)
        elif not adjoint.borrows(target):
            self.settle(name, in_place=False)
            borrowed = isinstance(adjoint.expr, n.Name) and not adjoint.owned and not known.scalar
            copied = owned and borrowed
            self.emit(statement("$t = $e.copy()" if copied else "$t = $e", t=target, e=adjoint.expr))
            shared = borrowed and not copied
            made = replace(adjoint, expr=expression(target), owned=not shared, view_of=None, made_by=None)
            if shared:  # both names now hold one array
                for other, held in list(self.adjoints.items()):
                    if other != name and held.borrows(adjoint.expr.id):
                        self.adjoints[other] = replace(held, owned=False)
        elif owned and known.kind == "array" and not known.dims and not adjoint.owned:  # arithmetic on 0-d arrays gives numbers
            self.settle(name, in_place=False)
            self.emit(statement("$t = $a", t=target, a=self.numpy("np.array($t)", t=target)))
            made = replace(adjoint, owned=True, view_of=None, made_by=None)
        elif owned and not adjoint.owned and not known.scalar:
            self.settle(name, in_place=False)
            self.emit(statement("$t = $c", t=target, c=expression("$t.copy()", t=target) if known.kind == "array" else self.helper("copied", target)))
            made = replace(adjoint, owned=True, view_of=None, made_by=None)
        else:
            made = adjoint
        self.adjoints[name] = made
        return made

    def widened(self, name: str, adjoint: Adjoint) -> Adjoint:
        """A narrow adjoint written out as a full array."""
        known = self.environment.get(name, UNKNOWN)
        self.settle(name, in_place=False)
        if self.step is not None and self.step.node is not None and name in binds(self.step.node) and self.code is self.step.code:
            self.step.reads_old = True
        self.emit(statement("$t = $f", t=self.bar(name), f=self.numpy("np.full_like($x, $e)", x=name, e=adjoint.expr)))
        made = Adjoint(expression(self.bar(name)), _adjoint_value(known), owned=True, selected=adjoint.selected)
        self.adjoints[name] = made
        return made

    def buffer(self, name: str) -> None:
        """Make ``name``'s adjoint an array of its own, in the full shape, that may be written in place."""
        adjoint = self.adjoints.get(name)
        if adjoint is None or not adjoint.owned or adjoint.narrow or not adjoint.borrows(self.bar(name)):
            self.canonical(name, owned=True, narrow=False)

    def add(self, name: str, found: Contribution) -> None:
        """Add a contribution to ``name``'s adjoint: the first binds, later ones add, in place only where that is safe."""
        self.changed.add(name)
        adjoint = self.adjoints.get(name)
        known = self.environment.get(name, UNKNOWN)
        target = self.bar(name)
        fresh = is_fresh(found.expr)
        full = known.kind == "array" and bool(known.dims) and not found.narrow
        if adjoint is None:
            self.settle(name, in_place=False)
            bars = {part.id for part in n.walk(found.expr) if isinstance(part, n.Name)} if not fresh and not isinstance(found.expr, n.Name) and found.view_of is None else set()
            if any(self.is_live(expression(part)) for part in bars) and not known.scalar:
                kept = expression("$c.copy()", c=found.expr) if known.kind == "array" else self.helper("copied", found.expr)
                found, fresh = replace_contribution(found, kept, view=False), True
            elif self.may_change(found.expr) and not known.scalar:
                found, fresh = replace_contribution(found, expression("$c.copy()", c=found.expr), view=False), True
            borrowed = isinstance(found.expr, n.Constant) or isinstance(found.expr, n.Name) and found.expr.id.endswith("_bar")
            made_by = None if borrowed else self.emit(statement("$t = $c", t=target, c=found.expr))
            expr = found.expr if borrowed else expression(target)
            self.adjoints[name] = Adjoint(expr, found.value, found.narrow, (fresh or found.owned) and full, found.selected, found.view_of, made_by if found.view_of else None)
            return
        if known.kind in ("sequence", "mapping", "unknown") and known.kind != "unknown":
            value = self.helper("added", adjoint.expr, found.expr)
            self.settle(name, in_place=False)
            self.emit(statement("$t = $v", t=target, v=value))
            self.adjoints[name] = Adjoint(expression(target), found.value, selected=True)
            return
        own = adjoint.borrows(target)
        narrow = adjoint.narrow and found.narrow
        same = found.value == adjoint.value or found.value.scalar and (found.narrow or found.value.kind == "python")
        in_place = own and (known.scalar or adjoint.owned and not adjoint.narrow and full_in_place(adjoint.value, found, same))
        self.settle(name, in_place=in_place and not known.scalar)
        in_place = in_place and (known.scalar or self.adjoints[name].owned)
        negative = negated(found.expr)
        term, sign = (negative, "-") if negative is not None else (found.expr, "+")
        value = _sum_value(adjoint.value, found.value)
        if in_place:
            self.emit(statement(f"$t {sign}= $c", t=target, c=term))
        else:
            self.emit(statement(f"$t = $e {sign} $c", t=target, e=adjoint.expr, c=term))
        self.adjoints[name] = Adjoint(expression(target), value, narrow, full or not adjoint.narrow and known.kind == "array" and bool(known.dims),
                                      adjoint.selected or found.selected)

    def may_change(self, node: n.expr) -> bool:
        """Whether an expression is (a view of) a primal array that the reverse sweep may change as it is rewound."""
        while isinstance(node, (n.Subscript, n.Attribute)):
            node = node.value
        return isinstance(node, n.Name) and node.id in self.mutable

    def is_live(self, g: n.expr) -> bool:
        """Whether an expression is the adjoint of a variable that goes on collecting."""
        return isinstance(g, n.Name) and any(adjoint.borrows(g.id) and self.bar(name) == g.id for name, adjoint in self.adjoints.items())

    # -- applications ---------------------------------------------------------------------------------------------------

    def _contributions(
        self, target: str, value: n.expr, adjoint: Adjoint, varied: frozenset[str], step: Step, spelled: dict[str, n.expr] | None = None
    ) -> list[tuple[str, Contribution]]:
        """What the adjoint of ``target = value`` contributes to each varied operand, in order."""
        if isinstance(value, n.Name):
            return [(value.id, Contribution(adjoint.expr, adjoint.value, adjoint.narrow, adjoint.selected))] if value.id in varied else []
        if isinstance(value, (n.Tuple, n.List, n.Dict)):
            return self._display(value, adjoint, varied)
        if not any(isinstance(part, n.Name) and part.id in varied for part in n.walk(value)):
            return []
        applied = application(value, self.scope)
        if applied is not None and hasattr(applied.function, "sourcediff"):
            raise UnsupportedSyntaxError("a derivative inside a differentiated function is not taken by the compiler yet", places=[
                self.pointer(self.at, f"{applied.function.__name__} is itself a gradient", "the compiler does not differentiate its own output yet",
                             "use mode='eager', which does")])
        if applied is None or applied.rule is None:
            found = applied.function if applied is not None else None
            what = getattr(found, "__qualname__", None) or getattr(found, "__name__", None) or "this expression"
            raise MissingRuleError(
                f"no derivative rule for {what}", places=[self.pointer(self.at, f"{what} is applied to a differentiated value")],
                why="its derivative is not in the table, and it has no Python source to read",
                remedy="use a function that has a rule, or keep it off the path from the inputs to the output",
            )
        if applied.rule.kind == "constant":
            return []
        if applied.function is operator.getitem:
            assert isinstance(value, n.Subscript)
            return self._getitem(value, adjoint, varied)
        return self._applied(target, applied, adjoint, varied, step, spelled or {})

    def _display(self, value: Any, adjoint: Adjoint, varied: frozenset[str]) -> list[tuple[str, Contribution]]:
        """A tuple, list or dict: each element gets its own entry of the adjoint."""
        keys = [key for key in value.keys] if isinstance(value, n.Dict) else [expression("$k", k=k) for k in range(len(value.elts))]
        parts = value.values if isinstance(value, n.Dict) else value.elts
        return [
            (part.id, Contribution(expression("$g[$k]", g=adjoint.expr, k=key), UNKNOWN, selected=True))
            for key, part in zip(keys, parts) if isinstance(part, n.Name) and part.id in varied
        ]

    def _getitem(self, node: n.Subscript, adjoint: Adjoint, varied: frozenset[str]) -> list[tuple[str, Contribution]]:
        """``y = a[i]``: into the slot of the array's adjoint, in place (``a[i][j]`` too: a basic slot is a view)."""
        name = base(node)
        if name is None or name not in varied:
            return []
        known = self.environment.get(name, UNKNOWN)
        whole = self.values.of(node.value, self.environment)
        self.changed.add(name)
        first = name not in self.adjoints and known.kind == "array"
        if isinstance(adjoint.expr, n.Name) and adjoint.expr.id == self.bar(name):
            adjoint = replace(adjoint, expr=self.held(Contribution(adjoint.expr, adjoint.value)).expr)
        self.buffer(name)
        self.settle(name, in_place=True)
        slot = clone(node, {name: expression(self.bar(name))})
        holes: dict[str, Filling] = {"s": slot, "g": adjoint.expr}
        negative = negated(adjoint.expr)
        entry = self.values.of(node, self.environment)
        if self._index_kind(node.slice, whole) == "repeats":
            self.emit(n.Expr(value=self.numpy("np.add.at($a, $i, $g)", a=slot.value, i=as_index(node.slice), g=adjoint.expr)))
        elif first and not adjoint.narrow:
            self.emit(statement("$s = $g", **holes))
        elif known.kind != "array" and entry.kind not in ("array", "python", "numpy"):  # a list or dict within: not Python's +=
            self.emit(statement("$s = $v", s=slot.value, v=self.helper("added_at", slot.value, as_index(node.slice), adjoint.expr)))
        elif negative is not None:
            self.emit(statement("$s -= $g", **{**holes, "g": negative}))
        else:
            self.emit(statement("$s += $g", **holes))
        self.adjoints[name] = replace(self.adjoints[name], selected=True)
        return []

    def _index_kind(self, index: n.expr, array: Abstract) -> str:
        """``basic`` (or boolean: no entry twice) or ``repeats`` (an integer array may name an entry twice)."""
        parts = index.elts if isinstance(index, n.Tuple) else [index]
        for part in parts:
            if isinstance(part, (n.Slice, n.Constant)):
                continue
            value = self.values.of(part, self.environment)
            if value.scalar or isinstance(part, n.Attribute) and part.attr == "newaxis" or value.kind == "static":
                continue
            if value.kind == "array" and value.dtype is not None and value.dtype.kind == "b":
                continue
            if array.kind != "array" and value.kind == "unknown":
                continue
            return "repeats"
        return "basic"

    def _repeats(self, array: str, index: n.expr) -> bool:
        """Whether a store's index may name an entry twice (then the last one wins). A list or dict is refused."""
        known = self.environment.get(array, UNKNOWN)
        if known.kind in ("sequence", "mapping"):
            raise AliasingError("a store into a list or dict is not taken by the compiler", places=[
                self.pointer(self.at, "this list or dict holds differentiated values", "other names may hold its entries",
                             "use an array, or local names")])
        return known.kind != "unknown" and self._index_kind(index, known) == "repeats"

    def _applied(
        self, target: str, applied: Application, adjoint: Adjoint, varied: frozenset[str], step: Step, spelled: dict[str, n.expr]
    ) -> list[tuple[str, Contribution]]:
        """A function with a rule: inline the slice of its formula, in the frame of its kind."""
        rule = applied.rule
        assert rule is not None
        try:
            bound: dict[str, Any] = rule.bind(applied.args, dict(applied.kwargs))
        except MissingRuleError as error:
            raise MissingRuleError(error.problem, why=error.why, remedy=error.remedy, places=[self.pointer(self.at, "here")]) from None
        operands = {name: argument if isinstance(argument, n.AST) else _literal(argument) for name, argument in bound.items()}
        self._checked_values(rule, operands)
        self._checked_static(rule, operands, varied)
        wanted = tuple(name for name in rule.differentiable if carries(operands[name], set(varied), self.scope))
        if not wanted:
            return []
        known = {name: self.values.of(operand, self.environment) for name, operand in operands.items()}
        rule = rule.variant(tuple(known[name].rank for name in rule.differentiable)) if rule.variants else rule
        result = self.environment.get(target, UNKNOWN)
        if step.node is not None and target in binds(step.node):
            result = self.values.after[step.node].get(target, UNKNOWN)
        part = rule.text.slice(wanted)
        g: n.expr = adjoint.expr
        z: n.expr = spelled.get(target, expression(target))
        if "z" in part.values | part.metadata:
            step.reads_new = True
            if any(isinstance(operand, n.Name) and operand.id == target for operand in operands.values()):
                step.new = step.new or self.scope.fresh(target + "_new")
                z = expression(step.new)
                self.environment = {**self.environment, step.new: result}
        reading = [operands[name] for name in part.values | part.metadata if name in operands]
        if any(isinstance(node, n.Name) and node.id == target for operand in reading for node in n.walk(operand)):
            step.reads_old = True
        narrow_out = False
        if rule.kind in ("linear", "reduction") and not adjoint.narrow and not adjoint.value.scalar and self.is_live(g):
            kept = expression("$g.copy()", g=g) if adjoint.value.kind == "array" else self.helper("copied", g)
            g = self.held(Contribution(kept, adjoint.value)).expr  # what follows may be views of it
        if rule.kind == "reduction":
            g, z, narrow_out = self._spread(rule, operands, known, adjoint, part, g, z, target, result)
        elif adjoint.narrow and not self._carries_narrow(rule, part, wanted, known, result):
            g = self._wide(target, adjoint, result)
        else:
            narrow_out = adjoint.narrow
        alone = len({getattr(operands[name], "id", name) for name, value in known.items() if not value.scalar}) == 1  # shaped like the result
        shown = {"g": g, "z": z, **{name: spelled.get(operand.id, operand) if isinstance(operand, n.Name) else operand for name, operand in operands.items()}}
        g_value = adjoint.value if narrow_out or g is adjoint.expr else result
        contributions = self._inlined(rule, part, shown, {"g": g_value})
        found: list[tuple[str, Contribution]] = []
        selected = rule.selects or adjoint.selected
        for name, expr in zip(wanted, contributions):
            operand = operands[name]
            if rule.singular and adjoint.selected:
                expr = self.helper("keep_zeros", expr, g)
            if rule.sequence or isinstance(operand, (n.Tuple, n.List)):
                found += self._parts(operand, expr, varied, selected)
                continue
            assert isinstance(operand, n.Name)
            own = self.environment.get(operand.id, known[name])
            value = self.values.of(expr, self.environment)
            narrow = narrow_out and own.kind == "array" and (value.scalar or _same_expression(expr, g))
            item = Contribution(expr, value if value.kind != "unknown" else _shaped_like(own), narrow, selected)
            if rule.kind == "elementwise" and not narrow and own.kind == "array" and alone:
                item = replace_contribution(item, item.expr, value=Abstract("array", item.value.dtype, own.dims))
            elif rule.kind == "elementwise" and not narrow and operand.id not in spelled:
                item = self.summed(item, own, result, operand)
            elif rule.kind == "reduction" and not narrow and not part.values & {name}:
                if own.kind == "array":
                    item = Contribution(self.numpy("np.broadcast_to($c, np.shape($x))", c=expr, x=operand), _adjoint_value(own), selected=selected)
                    item = replace_contribution(item, fold(item.expr, lambda node: self.values.of(node, self.environment)))
                elif not own.scalar:
                    item = Contribution(self.numpy("np.broadcast_to($c, np.shape($x))", c=expr, x=operand), UNKNOWN, selected=selected)
            elif rule.kind in ("linear", "multilinear", "general"):
                dtype = value.dtype if value.dtype is not None else None
                item = Contribution(expr, own._replace(dtype=dtype, length=None) if own.kind == "array" else value, False, selected)
            found.append((operand.id, item))
        return found

    def _checked_values(self, rule: Rule, operands: dict[str, n.expr]) -> None:
        """Refuse a keyword value that the formula is not right for (or one that is not known before the program runs)."""
        for name in rule.only or ():
            value = constant(operands[name])
            try:
                if value is MISSING:
                    raise MissingRuleError(f"{rule.name} has a derivative rule for some values of {name}= only", remedy=f"write {name}= as a literal")
                rule.check(name, value)
            except MissingRuleError as error:
                raise MissingRuleError(error.problem, why=error.why, remedy=error.remedy, places=[self.pointer(self.at, "here")]) from None

    def _checked_static(self, rule: Rule, operands: dict[str, n.expr], varied: frozenset[str]) -> None:
        """Refuse a differentiated value where the rule has no derivative; a zero would be silently wrong."""
        for name, operand in operands.items():
            if name not in rule.differentiable and carries(operand, set(varied), self.scope):
                raise MissingRuleError(
                    f"{rule.name} has no derivative with respect to {name}",
                    places=[self.pointer(self.at, f"a differentiated value is given for {name}")],
                    why="only " + ", ".join(rule.differentiable) + " can be differentiated",
                    remedy=f"keep {name} independent of the inputs",
                )

    def _carries_narrow(self, rule: Rule, part: Any, wanted: Sequence[str], known: dict[str, Abstract], result: Abstract) -> bool:
        """Whether a scalar may stand for the result's adjoint: elementwise, and every array that is read or wanted has the result's shape."""
        if rule.kind != "elementwise" or result.kind != "array":
            return False
        names = [name for name in {*wanted, *part.values} if name != "z"]
        if sum(not value.scalar for value in known.values()) == 1 and not any(known[name].scalar for name in wanted):
            return True
        return all(
            known[name].kind == "array" and unbroadcast(known[name].dims, result.dims) == ((), ()) or known[name].scalar and name not in wanted
            for name in names
        )

    def _wide(self, target: str, adjoint: Adjoint, result: Abstract) -> n.expr:
        """A full array for a narrow adjoint whose variable is done with."""
        assert self.step is not None
        self.step.reads_new = True
        mentioned = {part.id for part in n.walk(self.step.node) if isinstance(part, n.Name) and isinstance(part.ctx, n.Load)}
        if target in mentioned:  # the old value has this name in the reverse sweep
            self.step.new = self.step.new or self.scope.fresh(target + "_new")
        full = self.numpy("np.full_like($x, $g)", x=self.step.new or target, g=adjoint.expr)
        name = self.bar(target)
        self.settle(target, in_place=False)
        self.emit(statement("$t = $f", t=name, f=full))
        self.environment = {**self.environment, name: _adjoint_value(result)}
        return expression(name)

    def _spread(
        self, rule: Rule, operands: dict[str, n.expr], known: dict[str, Abstract], adjoint: Adjoint, part: Any, g: n.expr, z: n.expr,
        target: str, result: Abstract,
    ) -> tuple[n.expr, n.expr, bool]:
        """A reduction's adjoint and result in the rank of its array, and whether the adjoint stays a scalar."""
        array = next(iter(operands))
        axis = constant(operands["axis"])
        keepdims = constant(operands["keepdims"])
        one_number = axis is None and keepdims is False or known[array].rank == 1 and keepdims is False
        if one_number or adjoint.narrow and not part.values:
            return g, z, True
        if adjoint.narrow:
            g = self._wide(target, adjoint, result)
        if keepdims is True:
            return g, z, False
        if keepdims is MISSING or axis is MISSING:
            g, z = (self.helper("expanded", part_, operands["axis"], operands["keepdims"]) for part_ in (g, z))
            return g, z, False
        return (*(self.numpy("np.expand_dims($p, $a)", p=part_, a=operands["axis"]) for part_ in (g, z)), False)  # type: ignore[return-value]

    def _inlined(self, rule: Rule, part: Any, shown: dict[str, n.expr], values: dict[str, Abstract]) -> list[n.expr]:
        """The slice's contributions over the program's names; its assignments are emitted (folded away where they are names)."""
        replaced: dict[str, n.AST] = dict(shown)

        def known(node: n.expr) -> Abstract:
            return self.values.of(node, self.environment)

        if isinstance(shown["g"], n.Name):
            self.environment = {**self.environment, shown["g"].id: values["g"]}
        self._import(rule, part, replaced)
        for assignment in part.assignments:
            target = assignment.targets[0]
            value = fold(clone(assignment.value, replaced), known)
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
                self.environment = {**self.environment, new_target.id: self.values.of(value, self.environment)}
        return [fold(clone(expr, replaced), known) for expr in part.contributions]

    def _import(self, rule: Rule, part: Any, replaced: dict[str, n.AST]) -> None:
        """Import the helpers (and modules) that a formula's text calls, and note under which names."""
        assert rule.formula is not None
        found = rule.formula.__globals__
        for tree in (*part.assignments, *part.contributions):
            for node in n.walk(tree):
                if isinstance(node, n.Name) and isinstance(node.ctx, n.Load) and node.id in found and node.id not in {*rule.text.parameters, *part.local}:
                    spelled = self.scope.imported(node.id, found[node.id])
                    if spelled != node.id:
                        replaced[node.id] = expression(spelled)

    def _parts(self, operand: n.expr, expr: n.expr, varied: frozenset[str], selected: bool) -> list[tuple[str, Contribution]]:
        """The contribution to a sequence, handed to its elements."""
        if isinstance(operand, n.Name):
            return [(operand.id, Contribution(expr, UNKNOWN, selected=selected))]
        parts = self.scope.fresh("parts")
        self.emit(statement("$p = $e", p=parts, e=expr))
        found = []
        for position, element in enumerate(operand.elts):
            if isinstance(element, n.Name) and element.id in varied:
                own = self.environment.get(element.id, UNKNOWN)
                found.append((element.id, Contribution(expression("$p[$k]", p=parts, k=position), _shaped_like(own), selected=selected)))
        return found

    def summed(self, found: Contribution, own: Abstract, result: Abstract, operand: n.expr) -> Contribution:
        """Undo broadcasting: nothing where it is proven that there was none, the axes where they are known, else ask at run time."""
        if own.scalar:
            if result.scalar:
                return found
            if result.kind == "array":
                return replace_contribution(found, self.numpy("np.sum($c)", c=found.expr), value=Abstract("numpy", found.value.dtype), view=False)
        if own.kind == "array" and result.kind == "array":
            plan = unbroadcast(own.dims, result.dims)
            value = Abstract("array", found.value.dtype, own.dims)
            if plan == ((), ()):
                return replace_contribution(found, found.expr, value=value)
            if plan is not None and not (plan[0] and plan[1]):
                axes, keep = plan[0] or plan[1], not plan[0]
                axis = _literal(axes[0] if len(axes) == 1 else axes)
                text = "np.sum($c, axis=$a, keepdims=True)" if keep else "np.sum($c, axis=$a)"
                return replace_contribution(found, self.numpy(text, c=found.expr, a=axis), value=value, view=False)
        shape = fold(self.numpy("np.shape($x)", x=operand), lambda node: self.values.of(node, self.environment))
        value = Abstract("array", found.value.dtype, own.dims) if own.kind == "array" else UNKNOWN
        return replace_contribution(found, self.helper("sum_to", found.expr, shape), value=value)


def replace_contribution(found: Contribution, expr: n.expr, value: Abstract | None = None, narrow: bool | None = None, view: bool = True) -> Contribution:
    """The contribution with another expression."""
    return replace(found, expr=expr, value=found.value if value is None else value, narrow=found.narrow if narrow is None else narrow,
                   view_of=found.view_of if view else None)


def as_index(index: n.expr) -> n.expr:
    """An index as an argument of a call: ``1:3`` is not an expression outside of brackets."""
    return expression("np.s_[$i]", i=index) if any(isinstance(part, n.Slice) for part in n.walk(index)) else index


def full_in_place(own: Abstract, found: Contribution, same: bool) -> bool:
    """Whether ``x_bar += c`` keeps shape and dtype: both arrays alike, or ``c`` a number."""
    return same and own.kind == "array" and own.dtype is not None and None not in own.dims or found.narrow and found.value.kind == "python"


def _shaped_like(known: Abstract) -> Abstract:
    """The abstract value of a contribution in its variable's shape, of unknown dtype."""
    return Abstract("array", None, known.dims) if known.kind == "array" else UNKNOWN


def _adjoint_value(known: Abstract) -> Abstract:
    """The abstract value of a full adjoint made like its variable."""
    return known._replace(length=None) if known.kind == "array" else Abstract(known.kind, known.dtype) if known.scalar else UNKNOWN


def _sum_value(a: Abstract, b: Abstract) -> Abstract:
    """The abstract value of a sum of two adjoints of one variable."""
    if a.kind == "array" or b.kind == "array":
        array = a if a.kind == "array" else b
        dtype = array.dtype if a.dtype == b.dtype or (b if array is a else a).kind == "python" else None
        return Abstract("array", dtype, array.dims)
    if a.scalar and b.scalar and a.dtype is not None and b.dtype is not None:
        return sampled(operator.add, ((a.kind, a.dtype, 0), (b.kind, b.dtype, 0)))
    return UNKNOWN


def _same_expression(a: n.expr, b: n.expr) -> bool:
    """Whether two expressions are the same name or the same number."""
    if isinstance(a, n.Name) and isinstance(b, n.Name):
        return a.id == b.id
    return isinstance(a, n.Constant) and isinstance(b, n.Constant) and a.value == b.value


def _literal(value: Any) -> n.expr:
    """The tree of a Python value that a rule's signature has as its default, or of an axis."""
    if isinstance(value, tuple):
        return n.Tuple(elts=[_literal(item) for item in value], ctx=n.Load())
    return n.Constant(value=value, kind=None)
