"""The adjoint code of stores, updates in place, and lists that grow or shrink: one method for each."""

from __future__ import annotations

from dataclasses import replace

from ...analysis.abstract import UNKNOWN, Abstract
from ...analysis.statements import base, entry_put_in, position
from ...analysis.states import extended
from ...errors import NonDifferentiableError
from ...syntax import nodes as n
from ...syntax.quote import as_read, clone, expression, place, put_in, rebased, statement, taken_out
from ..facts.distinct_entries import CONTAINERS
from .adjoint_state import AdjointState, entries_of_bar, replace_contribution, shaped_like
from .adjoints import Adjoint, Contribution
from .emit import Emitter, Moment
from .steps import Step
from .vjp_terms import VjpTerms

Block = list[n.stmt]


class AdjointStores(Emitter):
    """What happened to a slot happens, the other way round, to the same slot of the adjoint."""

    def __init__(self, moment: Moment, ledger: AdjointState, terms: VjpTerms):
        super().__init__(moment)
        self.ledger, self.terms = ledger, terms

    def slot(self, target: n.Subscript, array: str) -> n.Subscript:
        """The slot of an array's adjoint that belongs to a slot of the array."""
        return rebased(as_read(target), expression(self.ledger.bar(array)))

    def store(self, target: n.Subscript, value: n.expr) -> None:
        """``a[i] = v``: the adjoint of the slot goes to ``v``, and the slot's becomes zero."""
        assert self.moment.at is not None
        array, index = base(target), target.slice
        assert array is not None
        if array not in self.ledger.adjoints:
            return
        repeats = self.terms.repeats(target)
        if isinstance(value, n.Name) and value.id in self.activity.varied[self.moment.at]:
            self.takes_floats(target)
        self.ledger.buffer(array)
        slot = self.slot(target, array)
        known = self.value_of(as_read(target))
        varied = self.activity.varied[self.moment.at]
        own: Contribution | None = None
        if isinstance(value, n.Name) and value.id in varied:
            given = self.moment.environment.get(value.id, UNKNOWN)
            there = given if self.value_of(target.value).kind in CONTAINERS else known  # an entry is replaced, whatever it was
            whole = expression("$s.copy()", s=entries_of_bar(slot)) if there.kind == "array" else self.helper("copied", slot)
            kept = slot if there.scalar or self.terms.is_distinct(index) else whole  # NumPy copies what stands at several positions
            if repeats:
                kept = self.helper("last_stored", slot.value, self.as_index(index))
            found = self.terms.summed(Contribution(kept, there, selected=True), given, there, value, stored=True)
            if value.id == array:
                own = self.ledger.held(found)
            else:
                self.ledger.add(value.id, found)
        if array in varied:
            self.ledger.settle(array, in_place=True)
            self.emit(statement("$s = $z", s=clone(slot), z=self.emptied(target, known)))
            self.ledger.adjoints[array] = replace(self.ledger.adjoints[array], selected=True)
        if own is not None:
            self.ledger.add(array, own)

    def emptied(self, target: n.Subscript, known: Abstract) -> n.expr:
        """The adjoint of a slot before a store into it; of an entry that is no number, in the shape of what was there."""
        if known.scalar or self.value_of(target.value).kind not in ("sequence", "mapping"):
            return expression("0")
        assert self.ledger.step is not None
        self.ledger.step.reads_old = True
        if self.value_of(target.value).kind == "mapping":  # there need not be such an entry yet
            return self.helper("zeros_like", expression("$d.get($k)", d=target.value, k=target.slice))
        old = as_read(target)
        return self.numpy("np.zeros_like($x)", x=old) if known.kind == "array" else self.helper("zeros_like", old)

    def delete(self, target: n.Subscript) -> None:
        """``del d[k]``: before, there is an entry again, and nothing has asked for it."""
        array = base(target)
        assert self.ledger.step is not None
        assert array is not None
        if array not in self.ledger.adjoints:
            return
        self.ledger.buffer(array)
        self.ledger.settle(array, in_place=True)
        entry = as_read(target)
        zero = expression("0.0")
        if not self.value_of(entry).scalar:
            self.ledger.step.reads_old = True
            zero = self.helper("zeros_like", entry)
        self.emit(statement("$s = $z", s=self.slot(target, array), z=zero))
        self.ledger.adjoints[array] = replace(self.ledger.adjoints[array], selected=True)

    def append(self, name: str, node: n.Expr) -> None:
        """``parts.append(v)``, ``parts.insert(i, v)``: the adjoint of the new entry, which there is not yet before, goes to ``v``."""
        assert self.moment.at is not None
        value = entry_put_in(node)
        if name not in self.ledger.adjoints:
            return
        self.ledger.buffer(name)
        self.ledger.settle(name, in_place=True)
        last = taken_out(self.ledger.bar(name), position(node))
        if not isinstance(value, n.Name) or value.id not in self.activity.varied[self.moment.at]:
            self.emit(n.Expr(value=last))
            return
        known = self.moment.environment.get(value.id, UNKNOWN)
        entry = Abstract("numpy") if known.scalar else shaped_like(known)
        if value.id in self.ledger.adjoints or self.ledger.is_grown(value.id, known):
            self.ledger.add(value.id, self.ledger.held(Contribution(last, entry, selected=True)))
        else:
            self.ledger.settle(value.id, in_place=False)
            self.emit(statement("$v = $g", v=self.ledger.bar(value.id), g=last))
            self.ledger.adjoints[value.id] = Adjoint(expression(self.ledger.bar(value.id)), entry, selected=True)

    def pop(self, target: str, name: str, step: Step) -> None:
        """``x = parts.pop()``, ``x = parts.pop(i)``: the adjoint of ``x`` becomes that of the entry, which there is again before."""
        assert self.moment.at is not None
        if name not in self.activity.varied[self.moment.at] or target not in self.ledger.adjoints and name not in self.ledger.adjoints:
            self.ledger.adjoints.pop(target, None)
            self.ledger.passed.add(name)
            return
        step.reads_new, read_old = True, step.reads_old
        adjoint = self.ledger.canonical(target, owned=False, narrow=False)
        step.reads_old = read_old  # a zero has the shape of the entry, which is the new value
        if adjoint.made_by is not None:
            self.ledger.mend(adjoint.made_by)
        del self.ledger.adjoints[target]
        self.ledger.buffer(name)
        self.ledger.settle(name, in_place=True)
        assert step.node is not None
        written = getattr(adjoint.expr, "id", "")
        lent = any(held.borrows(written) or held.view_of == target for held in self.ledger.adjoints.values())
        alone = adjoint.owned and not lent or adjoint.value.scalar or self.is_new(adjoint.expr)
        entry = adjoint.expr if alone else self.copied(adjoint.expr, adjoint.value)
        self.emit(n.Expr(value=put_in(self.ledger.bar(name), position(step.node), entry)))

    def takes_floats(self, target: n.Subscript) -> None:
        """Refuse a store of a differentiated value among integers; where the dtype is not known, it is asked when the program runs."""
        known = self.value_of(target.value)
        if known.kind in ("sequence", "mapping"):  # an entry that is a number is replaced, not cut off
            return
        if known.dtype is None:
            assert self.ledger.step is not None
            self.ledger.step.checks.append(self.helper("check_floating", target.value))
        elif known.dtype.kind in "iub":
            raise NonDifferentiableError(
                f"a differentiated value is stored into an array of {known.dtype}",
                places=[self.pointer(self.moment.at, f"{base(target)} is an array of {known.dtype}")],
                why="the store rounds it, so its derivative would be lost", remedy="make the array of floats, for example np.zeros(n)",
            )

    def update(self, node: n.AugAssign, step: Step) -> None:
        """``a[i] op= v``: as ``a[i] = a[i] op v``."""
        assert isinstance(node.target, n.Subscript)
        array, index = base(node.target), node.target.slice
        assert array is not None
        if array not in self.ledger.adjoints:
            return
        repeats = self.terms.repeats(node.target)
        if isinstance(node.value, n.Name) and node.value.id in self.activity.varied[node]:
            self.takes_floats(node.target)
        self.ledger.buffer(array)
        varied = self.activity.varied[node]
        known = self.value_of(as_read(node.target))
        slot = self.slot(node.target, array)
        taken = self.helper("last_stored", slot.value, self.as_index(index)) if repeats else slot
        operand = node.value
        if isinstance(node.op, (n.Add, n.Sub)):  # linear in the slot, whose adjoint stays
            if isinstance(operand, n.Name) and operand.id in varied:
                found = Contribution(taken if isinstance(node.op, n.Add) else expression("-$s", s=taken), known, selected=True,
                                     view_of=None if known.scalar or isinstance(node.op, n.Sub) or repeats else array)
                own = self.moment.environment.get(operand.id, UNKNOWN)
                self.ledger.add(operand.id, self.terms.summed(found, own, known, operand, stored=True))
            return
        if repeats:
            t_bar = self.scope.fresh("adjoint")
            self.emit(statement("$t = $g", t=t_bar, g=taken))
            taken = expression(t_bar)
        adjoint = Adjoint(taken, known, selected=True)
        old = self.scope.fresh("t")
        new = self.scope.fresh("t")
        self.moment.environment = extended(self.moment.environment, {old: known, new: known})
        read = as_read(node.target)
        written = place(n.BinOp(left=expression(old), op=node.op, right=operand), node)
        spelled = {old: read, new: place(n.BinOp(left=read, op=node.op, right=operand), node)}
        contributions = self.terms.contributions(new, written, adjoint, varied | {old}, step, spelled)
        step.reads_old = True
        later = []
        for name, found in contributions:
            if name == array:
                later.append(self.ledger.held(self.detached(found)))
            elif name != old:
                self.ledger.add(name, self.detached(found))
        kept = next((found for name, found in contributions if name == old), None)  # None: a constant of the old value (//=)
        self.ledger.settle(array, in_place=True)
        self.emit(statement("$s = $c", s=clone(slot), c=expression("0") if repeats or kept is None else kept.expr))
        if repeats and kept is not None:
            self.emit(n.Expr(value=self.numpy("np.add.at($a, $i, $c)", a=slot.value, i=self.as_index(index), c=kept.expr)))
        for found in later:
            self.ledger.add(array, found)

    def detached(self, found: Contribution) -> Contribution:
        """A contribution that is not a view of an adjoint buffer about to be written."""
        fresh = self.is_new(found.expr) or found.value.scalar
        return found if fresh else replace_contribution(found, self.copied(found.expr, found.value))
