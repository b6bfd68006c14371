"""Reverse mode: the adjoint code of each statement of the normal form, one method per form.

This stage decides *what* the reverse sweep computes. Which primal values it has to be given back, and how, is decided after it
(``to_be_recorded.py``), from what the code written here reads.
"""

from __future__ import annotations

from dataclasses import replace

from ...analysis.abstract import UNKNOWN, Abstract, joined
from ...analysis.fresh import is_fresh
from ...analysis.statements import base, binds, entered, grown, loads, popped, position, simple
from ...analysis.states import extended
from ...errors import NonDifferentiableError
from ...rules.formula import reads
from ...syntax import nodes as n
from ...syntax.quote import as_read, clone, expression, names, place, put_in, rebased, statement, sum_of, taken_out
from ..facts.distinct_entries import CONTAINERS
from .adjoint_state import adjoint_value, entries, replace_contribution, same_expression, shaped_like, sum_value
from .adjoints import Adjoint, Contribution
from .steps import Step
from .vjp_terms import Contributions

Block = list[n.stmt]


class Reverse(Contributions):
    """Walks a block backwards, holding the adjoints; gives the steps in forward order."""

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
        step.checks += self.checks_of_powers(node)
        outer, self.code = self.code, step.code
        read = loads(node)  # a name that is read as well as bound means its old value here
        made = {name: value for name, value in self._made(node).items() if name not in read}
        self.environment = extended(self.values.before[node], made)
        if isinstance(node, n.Assign):
            target = node.targets[0]
            if isinstance(target, n.Name) and (parts := popped(node.value)) is not None:
                self._pop(target.id, parts, step)
            elif isinstance(target, n.Name):
                self._assign(target.id, node.value, step)
            elif isinstance(target, n.Subscript):
                self._store(target, node.value)
        elif isinstance(node, n.AugAssign):
            if isinstance(node.target, n.Name):
                left = expression(node.target.id)
                self._assign(node.target.id, place(n.BinOp(left=left, op=node.op, right=node.value), node), step)
            else:
                self._update(node, step)
        elif (name := grown(node)) is not None:
            self._append(name, node)
        self.code = outer
        step.reads_old = step.reads_old or self.reads_what_was(node, step.code)
        self.forget(node)
        return [step]

    def reads_what_was(self, node: n.stmt, code: Block) -> bool:
        """Whether adjoint code reads what its statement binds anew: such a name means its old value there, in an index and a shape too."""
        old = binds(node) & loads(node)
        if not old or old.isdisjoint(names(code)):
            return False
        if isinstance(node, n.AugAssign):  # an array keeps its shape in place
            (name,) = old
            known = self.values.before[node].get(name, UNKNOWN)
            return known.kind != "array" or any(name in reads(part)[0] for part in code)
        return True

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
        assert step.node is not None
        varied = self.activity.varied[step.node]
        contributions = self._contributions(target, value, adjoint, varied, step)
        contributions = [(name, self.in_kind(name, found)) for name, found in contributions]
        self.mend_view(adjoint, contributions)
        handed = [found for _, found in contributions if same_expression(found.expr, adjoint.expr)]
        others = [found for _, found in contributions if not handed or found is not handed[0]]
        shared = not all(is_fresh(found.expr) or found.value.scalar for found in others)
        written = getattr(adjoint.expr, "id", "")
        shared = shared or any(held.borrows(written) or held.view_of == target for held in self.adjoints.values())
        if len(handed) == 1 and adjoint.owned and not shared:  # the array goes on, to one variable alone
            contributions = [(name, replace(found, owned=True) if found is handed[0] else found) for name, found in contributions]
        self.add_all(contributions, adjoint, target)

    def mend_view(self, adjoint: Adjoint, contributions: list[tuple[str, Contribution]]) -> None:
        """An adjoint that is a view of a buffer becomes a copy if it lives on in what it contributes."""
        lives_on = any(not is_fresh(found.expr) and not found.value.scalar for _, found in contributions)
        if adjoint.view_of is not None and adjoint.made_by is not None and (lives_on or len(contributions) > 1):
            self.mend(adjoint.made_by)

    def add_all(self, contributions: list[tuple[str, Contribution]], adjoint: Adjoint, target: str) -> None:
        """Add what a statement contributes. The variable whose adjoint they are all computed from comes last, in one sum."""
        sources = {self.bar(target), adjoint.expr.id if isinstance(adjoint.expr, n.Name) else ""}
        own = [(name, found) for name, found in contributions if self.bar(name) in sources]
        goes_on = len(own) == 1 and own[0][0] == target and same_expression(own[0][1].expr, adjoint.expr)
        goes_on = goes_on and not self.is_grown(target, self.environment.get(target, UNKNOWN))
        if goes_on:
            others = [found for name, found in contributions if self.bar(name) not in sources]
            alone = adjoint.borrows(self.bar(target)) or all(is_fresh(found.expr) or found.value.scalar for found in others)
            selected = adjoint.selected or own[0][1].selected  # another name's array is not its own if others have it too
            spread = own[0][1].narrow and not adjoint.narrow  # the adjoint of a sum stands for that of each entry
            self.adjoints[target] = replace(adjoint, selected=selected, owned=adjoint.owned and alone and not spread,
                                            narrow=own[0][1].narrow, value=own[0][1].value if spread else adjoint.value)
        for name, found in contributions:
            if self.bar(name) not in sources:
                self.add(name, found)
        totals: dict[str, Contribution] = {}
        for name, found in () if goes_on else own:
            total = totals.get(name)
            totals[name] = found if total is None else replace_contribution(
                total, sum_of(total.expr, found.expr), sum_value(total.value, found.value), total.narrow and found.narrow
            )
        if len(totals) > 1:  # each reads what another one changes
            totals = {name: self.held(self.detached(total)) for name, total in totals.items()}
        for name, total in totals.items():
            self.add(name, total)

    def slot(self, target: n.Subscript, array: str) -> n.Subscript:
        """The slot of an array's adjoint that belongs to a slot of the array."""
        return rebased(as_read(target), expression(self.bar(array)))

    def _store(self, target: n.Subscript, value: n.expr) -> None:
        """``a[i] = v``: the adjoint of the slot goes to ``v``, and the slot's becomes zero."""
        assert self.at is not None
        array, index = base(target), target.slice
        assert array is not None
        if array not in self.adjoints:
            return
        repeats = self._repeats(target)
        if isinstance(value, n.Name) and value.id in self.activity.varied[self.at]:
            self._takes_floats(target)
        self.buffer(array)
        slot = self.slot(target, array)
        known = self.value_of(as_read(target))
        varied = self.activity.varied[self.at]
        own: Contribution | None = None
        if isinstance(value, n.Name) and value.id in varied:
            given = self.environment.get(value.id, UNKNOWN)
            there = given if self.value_of(target.value).kind in CONTAINERS else known  # an entry is replaced, whatever it was
            whole = expression("$s.copy()", s=entries(slot)) if there.kind == "array" else self.helper("copied", slot)
            kept = slot if there.scalar else whole
            if repeats:
                kept = self.helper("last_stored", slot.value, self.as_index(index))
            found = self.summed(Contribution(kept, there, selected=True), given, there, value, stored=True)
            if value.id == array:
                own = self.held(found)
            else:
                self.add(value.id, found)
        if array in varied:
            self.settle(array, in_place=True)
            self.emit(statement("$s = $z", s=clone(slot), z=self.emptied(target, known)))
            self.adjoints[array] = replace(self.adjoints[array], selected=True)
        if own is not None:
            self.add(array, own)

    def emptied(self, target: n.Subscript, known: Abstract) -> n.expr:
        """The adjoint of a slot before a store into it; of an entry that is no number, in the shape of what was there."""
        if known.scalar or self.value_of(target.value).kind not in ("sequence", "mapping"):
            return expression("0")
        assert self.step is not None
        self.step.reads_old = True
        old = expression("$d.get($k)", d=target.value, k=target.slice) if self.value_of(target.value).kind == "mapping" else as_read(target)
        return self.helper("zeros_like", old)

    def _append(self, name: str, node: n.Expr) -> None:
        """``parts.append(v)``, ``parts.insert(i, v)``: the adjoint of the new entry, which there is not yet before, goes to ``v``."""
        assert self.at is not None
        value = entered(node)
        if name not in self.adjoints:
            return
        self.buffer(name)
        self.settle(name, in_place=True)
        last = taken_out(self.bar(name), position(node))
        if not isinstance(value, n.Name) or value.id not in self.activity.varied[self.at]:
            self.emit(n.Expr(value=last))
            return
        known = self.environment.get(value.id, UNKNOWN)
        entry = Abstract("numpy") if known.scalar else shaped_like(known)
        if value.id in self.adjoints or self.is_grown(value.id, known):
            self.add(value.id, self.held(Contribution(last, entry, selected=True)))
        else:
            self.settle(value.id, in_place=False)
            self.emit(statement("$v = $g", v=self.bar(value.id), g=last))
            self.adjoints[value.id] = Adjoint(expression(self.bar(value.id)), entry, selected=True)

    def _pop(self, target: str, name: str, step: Step) -> None:
        """``x = parts.pop()``, ``x = parts.pop(i)``: the adjoint of ``x`` becomes that of the entry, which there is again before."""
        assert self.at is not None
        if name not in self.activity.varied[self.at] or target not in self.adjoints and name not in self.adjoints:
            self.adjoints.pop(target, None)
            self.passed.add(name)
            return
        step.reads_new, read_old = True, step.reads_old
        adjoint = self.canonical(target, owned=False, narrow=False)
        step.reads_old = read_old  # a zero has the shape of the entry, which is the new value
        if adjoint.made_by is not None:
            self.mend(adjoint.made_by)
        del self.adjoints[target]
        self.buffer(name)
        self.settle(name, in_place=True)
        assert step.node is not None
        written = getattr(adjoint.expr, "id", "")
        lent = any(held.borrows(written) or held.view_of == target for held in self.adjoints.values())
        alone = adjoint.owned and not lent or adjoint.value.scalar or is_fresh(adjoint.expr)
        entry = adjoint.expr if alone else self.copied(adjoint.expr, adjoint.value)
        self.emit(n.Expr(value=put_in(self.bar(name), position(step.node), entry)))

    def _takes_floats(self, target: n.Subscript) -> None:
        """Refuse a store of a differentiated value among integers; where the dtype is not known, it is asked when the program runs."""
        known = self.value_of(target.value)
        if known.kind in ("sequence", "mapping"):  # an entry that is a number is replaced, not cut off
            return
        if known.dtype is None:
            assert self.step is not None
            self.step.checks.append(self.helper("check_floating", target.value))
        elif known.dtype.kind in "iub":
            raise NonDifferentiableError(
                f"a differentiated value is stored into an array of {known.dtype}",
                places=[self.pointer(self.at, f"{base(target)} is an array of {known.dtype}")],
                why="the store rounds it, so its derivative would be lost", remedy="make the array of floats, for example np.zeros(n)",
            )

    def _update(self, node: n.AugAssign, step: Step) -> None:
        """``a[i] op= v``: as ``a[i] = a[i] op v``."""
        assert isinstance(node.target, n.Subscript)
        array, index = base(node.target), node.target.slice
        assert array is not None
        if array not in self.adjoints:
            return
        repeats = self._repeats(node.target)
        if isinstance(node.value, n.Name) and node.value.id in self.activity.varied[node]:
            self._takes_floats(node.target)
        self.buffer(array)
        varied = self.activity.varied[node]
        known = self.value_of(as_read(node.target))
        slot = self.slot(node.target, array)
        taken = self.helper("last_stored", slot.value, self.as_index(index)) if repeats else slot
        operand = node.value
        if isinstance(node.op, (n.Add, n.Sub)):  # linear in the slot, whose adjoint stays
            if isinstance(operand, n.Name) and operand.id in varied:
                found = Contribution(taken if isinstance(node.op, n.Add) else expression("-$s", s=taken), known, selected=True,
                                     view_of=None if known.scalar or isinstance(node.op, n.Sub) or repeats else array)
                self.add(operand.id, self.summed(found, self.environment.get(operand.id, UNKNOWN), known, operand, stored=True))
            return
        if repeats:
            t_bar = self.scope.fresh("adjoint")
            self.emit(statement("$t = $g", t=t_bar, g=taken))
            taken = expression(t_bar)
        adjoint = Adjoint(taken, known, selected=True)
        old = self.scope.fresh("t")
        new = self.scope.fresh("t")
        self.environment = extended(self.environment, {old: known, new: known})
        read = as_read(node.target)
        written = place(n.BinOp(left=expression(old), op=node.op, right=operand), node)
        spelled = {old: read, new: place(n.BinOp(left=read, op=node.op, right=operand), node)}
        contributions = self._contributions(new, written, adjoint, varied | {old}, step, spelled)
        step.reads_old = True
        later = []
        for name, found in contributions:
            if name == array:
                later.append(self.held(self.detached(found)))
            elif name != old:
                self.add(name, self.detached(found))
        kept = next((found for name, found in contributions if name == old), None)  # None: a constant of the old value (//=)
        self.settle(array, in_place=True)
        self.emit(statement("$s = $c", s=clone(slot), c=expression("0") if repeats or kept is None else kept.expr))
        if repeats and kept is not None:
            self.emit(n.Expr(value=self.numpy("np.add.at($a, $i, $c)", a=slot.value, i=self.as_index(index), c=kept.expr)))
        for found in later:
            self.add(array, found)

    def detached(self, found: Contribution) -> Contribution:
        """A contribution that is not a view of an adjoint buffer about to be written."""
        fresh = is_fresh(found.expr) or found.value.scalar
        return found if fresh else replace_contribution(found, self.copied(found.expr, found.value))

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
        leads: list[Step] = [Step(None), Step(None)]
        met = [name for name in {**ends[0], **ends[1]} if name in self.activity.varied[node]]
        written = True
        while written:  # giving one its form may take another's array from it, or give it a form of its own
            written = False
            for name in met:
                one, other = ends[0].get(name), ends[1].get(name)
                if one is not None and one == other:
                    continue
                narrow = one is not None and one.narrow and other is not None and other.narrow
                for end, lead in zip(ends, leads):
                    before = len(lead.code)
                    self.adjoints, self.code = end, lead.code
                    self.environment = self.values.before[node]
                    self.settle(name, in_place=False)
                    self.canonical(name, owned=False, narrow=narrow)
                    self.apart(name)
                    written = written or len(lead.code) > before
        merged = {name: ends[0][name] for name in met}
        for name, one in merged.items():
            merged[name] = one if one == ends[1][name] else self._joined(name, one, ends[1][name])
        self.adjoints, self.code = merged, []
        return [Step(node, body=[leads[0], *bodies[0]], orelse=[leads[1], *bodies[1]])]

    def _joined(self, name: str, one: Adjoint, other: Adjoint) -> Adjoint:
        return Adjoint(expression(self.bar(name)), joined(one.value, other.value), narrow=one.narrow, owned=one.owned and other.owned,
                       selected=one.selected or other.selected)

    def _loop(self, node: n.For | n.While) -> list[Step]:
        """A loop: its body's adjoint code in a loop backwards. An adjoint that lives across trips has one form throughout."""
        start = dict(self.adjoints)
        varied = self.activity.varied[node.body[0]] if node.body else frozenset()
        stores = [part for part in simple(node.body) if isinstance(part, n.Assign) and isinstance(part.targets[0], n.Subscript)]
        stored = {base(store.targets[0]) for store in stores} & varied  # of these it is clear what the first trip would show
        shape = {name: replace(self._shape(name, node), selected=True) for name in start if name in stored}
        while True:
            self.adjoints = dict(start)
            lead = Step(None)  # run first in the reverse sweep, so it stands after the loop
            self.code, self.environment, self.at = lead.code, self.values.after[node], node
            for name in [name for name in start if name not in shape]:
                self._independent(name)
            borrowing_first = sorted(shape, key=lambda name: shape[name].owned)  # before what they borrow has to be owned
            entry = {name: self.canonical(name, owned=shape[name].owned, narrow=shape[name].narrow) for name in borrowing_first}
            for name in shape:
                self.apart(name)
            before = dict(self.adjoints)
            for name, adjoint in entry.items():
                before[name] = replace(adjoint, owned=shape[name].owned, selected=adjoint.selected or shape[name].selected,
                                       value=shape[name].value, made_by=None, view_of=None)
            self.adjoints = dict(before)
            steps = self.block(node.body)
            self.at = node
            touched = {name for name in {**before, **self.adjoints} if before.get(name) != self.adjoints.get(name) and name in varied}
            tail = Step(None)
            self.code, self.environment = tail.code, self.values.before[node.body[0]] if node.body else self.environment
            new = dict(shape)
            for name in shape:
                self.canonical(name, owned=False, narrow=shape[name].narrow)
                self.apart(name)
            for name in sorted(touched | set(shape)):
                if name not in shape:
                    new[name] = self._shape(name, node)
                    continue
                wanted, end = shape[name], self.adjoints[name]
                owned = wanted.owned and (end.owned or end.value.scalar)
                value = joined(joined(wanted.value, of_dtype(wanted.value, entry[name].value)), end.value)
                new[name] = replace(wanted, owned=owned, selected=wanted.selected or end.selected, value=value)
            if new == shape:
                break
            shape = new
        for name in shape:
            self.adjoints[name] = before[name]
        self.forget(node)
        return [Step(node, body=[tail, *steps]), lead]

    def _shape(self, name: str, node: n.For | n.While) -> Adjoint:
        """The form of an adjoint that lives across the trips of a loop, as far as is known before the first."""
        known = self.values.after[node].get(name, UNKNOWN)
        return Adjoint(expression(self.bar(name)), adjoint_value(known), owned=not known.scalar)

    def _independent(self, name: str) -> None:
        """Write out an adjoint that is known by another's name, before a loop may change that one."""
        adjoint = self.adjoints[name]
        if isinstance(adjoint.expr, n.Name) and not adjoint.borrows(self.bar(name)):
            self.canonical(name, owned=False, narrow=adjoint.narrow)


def of_dtype(value: Abstract, like: Abstract) -> Abstract:
    """The abstract value with another's dtype."""
    return value._replace(dtype=like.dtype) if value.kind == like.kind == "array" else value
