"""Reverse mode: the adjoint code of each statement of the normal form, one method per form.

This stage decides *what* the reverse sweep computes. Which primal values it has to be given back, and how, is decided after it
(``to_be_recorded.py``), from what the code written here reads.
"""

from __future__ import annotations

from dataclasses import replace

from ...analysis.abstract import UNKNOWN, Abstract, joined
from ...analysis.statements import base, binds, grown, loads, popped, simple
from ...analysis.states import extended
from ...rules.formula import reads
from ...syntax import nodes as n
from ...syntax.quote import expression, names, place, sum_of
from .adjoint_state import AdjointState, adjoint_value, replace_contribution, same_expression, sum_value
from .adjoint_stores import AdjointStores
from .adjoints import Adjoint, Contribution
from .emit import Emitter, Moment
from .steps import Step
from .vjp_terms import VjpTerms

Block = list[n.stmt]


class Reverse(Emitter):
    """Walks a block backwards, holding the adjoints; gives the steps in forward order."""

    def __init__(self, moment: Moment, mutable: set[str], unbound: set[str]):
        super().__init__(moment)
        self.ledger = AdjointState(moment, mutable, unbound)
        self.terms = VjpTerms(moment, self.ledger)
        self.stores = AdjointStores(moment, self.ledger, self.terms)
        self.shapes: dict[n.stmt, dict[str, Adjoint]] = {}  # of the adjoints that live across the trips of each loop, as found last

    def block(self, body: Block) -> list[Step]:
        """The steps of a block, in forward order."""
        steps: list[Step] = []
        for node in reversed(body):
            steps.extend(reversed(self.statement(node)))
        steps.reverse()
        return steps

    def statement(self, node: n.stmt) -> list[Step]:
        """The steps of one statement, in forward order (code that comes first in the reverse sweep comes last)."""
        self.moment.at = node
        if isinstance(node, n.If):
            return self._if(node)
        if isinstance(node, (n.For, n.While)):
            return self._loop(node) if node.body else [Step(node)]
        step = self.ledger.step = Step(node)
        step.checks += self.checks_of_powers(node)
        outer, self.moment.code = self.moment.code, step.code
        read = loads(node)  # a name that is read as well as bound means its old value here
        made = {name: value for name, value in self._made(node).items() if name not in read}
        self.moment.environment = extended(self.values.before[node], made)
        if isinstance(node, n.Assign):
            target = node.targets[0]
            if isinstance(target, n.Name) and (parts := popped(node.value)) is not None:
                self.stores.pop(target.id, parts, step)
            elif isinstance(target, n.Name):
                self._assign(target.id, node.value, step)
            elif isinstance(target, n.Subscript):
                self.stores.store(target, node.value)
        elif isinstance(node, n.AugAssign):
            if isinstance(node.target, n.Name):
                left = expression(node.target.id)
                self._assign(node.target.id, place(n.BinOp(left=left, op=node.op, right=node.value), node), step)
            else:
                self.stores.update(node, step)
        elif isinstance(node, n.Delete):
            self.stores.delete(node.targets[0])
        elif (name := grown(node)) is not None:
            self.stores.append(name, node)
        self.moment.code = outer
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
        for name in [name for name in self.ledger.adjoints if name not in varied]:
            del self.ledger.adjoints[name]

    def _made(self, node: n.stmt) -> dict[str, Abstract]:
        """The abstract values of what a statement binds, after it."""
        return {name: self.values.after[node].get(name, UNKNOWN) for name in binds(node)}

    def _assign(self, target: str, value: n.expr, step: Step) -> None:
        """``x = f(y)``: the adjoint of ``x`` goes to ``y``; that of the old ``x`` is zero."""
        adjoint = self.ledger.adjoints.pop(target, None)
        if adjoint is None:
            return
        assert step.node is not None
        varied = self.activity.varied[step.node]
        adjoint = self.ledger.of_real(target, value, self.values.after[step.node].get(target, UNKNOWN), adjoint)
        contributions = self.terms.contributions(target, value, adjoint, varied, step)
        contributions = doubled([(name, self.ledger.in_kind(name, found)) for name, found in contributions])
        self.mend_view(adjoint, contributions)
        handed = [found for _, found in contributions if is_whole(found.expr, adjoint.expr)]
        others = [found for _, found in contributions if not handed or found is not handed[0]]
        shared = not all(self.is_new(found.expr) or found.value.scalar for found in others)
        written = getattr(adjoint.expr, "id", "")
        shared = shared or any(held.borrows(written) or held.view_of == target for held in self.ledger.adjoints.values())
        if len(handed) == 1 and adjoint.owned and not shared:  # the array goes on, to one variable alone
            contributions = [(name, replace(found, owned=True) if found is handed[0] else found) for name, found in contributions]
        self.add_all(contributions, adjoint, target)

    def mend_view(self, adjoint: Adjoint, contributions: list[tuple[str, Contribution]]) -> None:
        """An adjoint that is a view of a buffer becomes a copy if it lives on in what it contributes."""
        lives_on = any(not self.is_new(found.expr) and not found.value.scalar for _, found in contributions)
        if adjoint.view_of is not None and adjoint.made_by is not None and (lives_on or len(contributions) > 1):
            self.ledger.mend(adjoint.made_by)

    def add_all(self, contributions: list[tuple[str, Contribution]], adjoint: Adjoint, target: str) -> None:
        """Add what a statement contributes. The variable whose adjoint they are all computed from comes last, in one sum."""
        sources = {self.ledger.bar(target), adjoint.expr.id if isinstance(adjoint.expr, n.Name) else ""}
        own = [(name, found) for name, found in contributions if self.ledger.bar(name) in sources]
        goes_on = len(own) == 1 and own[0][0] == target and same_expression(own[0][1].expr, adjoint.expr)
        goes_on = goes_on and not self.ledger.is_grown(target, self.moment.environment.get(target, UNKNOWN))
        if goes_on:
            others = [found for name, found in contributions if self.ledger.bar(name) not in sources]
            alone = adjoint.borrows(self.ledger.bar(target)) or all(self.is_new(found.expr) or found.value.scalar for found in others)
            selected = adjoint.selected or own[0][1].selected  # another name's array is not its own if others have it too
            spread = own[0][1].narrow and not adjoint.narrow  # the adjoint of a sum stands for that of each entry
            self.ledger.adjoints[target] = replace(adjoint, selected=selected, owned=adjoint.owned and alone and not spread,
                                            narrow=own[0][1].narrow, value=own[0][1].value if spread else adjoint.value)
        for name, found in contributions:
            if self.ledger.bar(name) not in sources:
                self.ledger.add(name, found)
        totals: dict[str, Contribution] = {}
        for name, found in () if goes_on else own:
            total = totals.get(name)
            totals[name] = found if total is None else replace_contribution(
                total, sum_of(total.expr, found.expr), sum_value(total.value, found.value), total.narrow and found.narrow
            )
        if len(totals) > 1:  # each reads what another one changes
            totals = {name: self.ledger.held(self.stores.detached(total)) for name, total in totals.items()}
        for name, total in totals.items():
            self.ledger.add(name, total)

    def _if(self, node: n.If) -> list[Step]:
        """A branch: the adjoint code of the branch that was taken. Where the branches meet, their adjoints must look alike."""
        start = dict(self.ledger.adjoints)
        ends: list[dict[str, Adjoint]] = []
        bodies: list[list[Step]] = []
        for body in (node.body, node.orelse):
            self.ledger.adjoints = dict(start)
            bodies.append(self.block(body))
            ends.append(self.ledger.adjoints)
        self.moment.at = node
        leads: list[Step] = [Step(None, at=node), Step(None, at=node)]
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
                    self.ledger.adjoints, self.moment.code = end, lead.code
                    self.moment.environment = self.values.before[node]
                    self.ledger.settle(name, in_place=False)
                    self.ledger.canonical(name, owned=False, narrow=narrow)
                    self.ledger.apart(name)
                    written = written or len(lead.code) > before
        merged = {name: ends[0][name] for name in met}
        for name, one in merged.items():
            merged[name] = one if one == ends[1][name] else self._joined(name, one, ends[1][name])
        self.ledger.adjoints, self.moment.code = merged, []
        return [Step(node, body=[leads[0], *bodies[0]], orelse=[leads[1], *bodies[1]])]

    def _joined(self, name: str, one: Adjoint, other: Adjoint) -> Adjoint:
        value, owned = joined(one.value, other.value), one.owned and other.owned
        return Adjoint(expression(self.ledger.bar(name)), value, narrow=one.narrow, owned=owned, selected=one.selected or other.selected)

    def _loop(self, node: n.For | n.While) -> list[Step]:
        """A loop: its body's adjoint code in a loop backwards. An adjoint that lives across trips has one form throughout."""
        start = dict(self.ledger.adjoints)
        varied = self.activity.varied[node.body[0]] if node.body else frozenset()
        stores = [part for part in simple(node.body) if isinstance(part, n.Assign) and isinstance(part.targets[0], n.Subscript)]
        stored = {base(store.targets[0]) for store in stores} & varied  # of these it is clear what the first trip would show
        shape = {name: replace(self._shape(name, node), selected=True) for name in start if name in stored}
        shape |= self.shapes.get(node, {})  # a loop around this one only ever makes them wider
        while True:
            self.ledger.adjoints = dict(start)
            lead = Step(None, at=node)  # run first in the reverse sweep, so it stands after the loop
            self.moment.code, self.moment.environment, self.moment.at = lead.code, self.values.after[node], node
            for name in [name for name in start if name not in shape]:
                self._independent(name)
            borrowing_first = sorted(shape, key=lambda name: shape[name].owned)  # before what they borrow has to be owned
            entry = {name: self.ledger.canonical(name, owned=shape[name].owned, narrow=shape[name].narrow) for name in borrowing_first}
            for name in shape:
                self.ledger.apart(name)
            before = dict(self.ledger.adjoints)
            for name, adjoint in entry.items():
                before[name] = replace(adjoint, owned=shape[name].owned, selected=adjoint.selected or shape[name].selected,
                                       value=shape[name].value, made_by=None, view_of=None)
            self.ledger.adjoints = dict(before)
            steps = self.block(node.body)
            self.moment.at = node
            after = self.ledger.adjoints
            touched = {name for name in {**before, **after} if before.get(name) != after.get(name) and name in varied}
            tail = Step(None, at=node)
            self.moment.code = tail.code
            self.moment.environment = self.values.before[node.body[0]] if node.body else self.moment.environment
            new = dict(shape)
            for name in shape:
                self.ledger.canonical(name, owned=False, narrow=shape[name].narrow)
                self.ledger.apart(name)
            for name in sorted(touched | set(shape)):
                if name not in shape:
                    new[name] = self._shape(name, node)
                    continue
                wanted, end = shape[name], self.ledger.adjoints[name]
                owned = wanted.owned and (end.owned or end.value.scalar)
                value = joined(joined(wanted.value, of_dtype(wanted.value, entry[name].value)), end.value)
                new[name] = replace(wanted, owned=owned, selected=wanted.selected or end.selected, value=value)
            if new == shape:
                break
            shape = new
        self.shapes[node] = shape
        for name in shape:
            self.ledger.adjoints[name] = before[name]
        self.forget(node)
        return [Step(node, body=[tail, *steps]), lead]

    def _shape(self, name: str, node: n.For | n.While) -> Adjoint:
        """The form of an adjoint that lives across the trips of a loop, as far as is known before the first."""
        known = self.values.after[node].get(name, UNKNOWN)
        return Adjoint(expression(self.ledger.bar(name)), adjoint_value(known), owned=not known.scalar)

    def _independent(self, name: str) -> None:
        """Write out an adjoint that is known by another's name, before a loop may change that one."""
        adjoint = self.ledger.adjoints[name]
        if isinstance(adjoint.expr, n.Name) and not adjoint.borrows(self.ledger.bar(name)):
            self.ledger.canonical(name, owned=False, narrow=adjoint.narrow)


def of_dtype(value: Abstract, like: Abstract) -> Abstract:
    """The abstract value with another's dtype."""
    return value._replace(dtype=like.dtype) if value.kind == like.kind == "array" else value


def doubled(contributions: list[tuple[str, Contribution]]) -> list[tuple[str, Contribution]]:
    """Contributions without those that come twice, as of ``x * x``: twice such a product is one."""
    if len(contributions) != 2:
        return contributions
    (name, found), (other, again) = contributions
    product = found.expr
    if name != other or not isinstance(product, n.BinOp) or not isinstance(product.op, n.Mult) or n.dump(product) != n.dump(again.expr):
        return contributions
    return [(name, replace_contribution(found, expression("2 * $a * $b", a=product.left, b=product.right)))]


VIEWING = ("transpose", "reshape", "ravel", "expand_dims", "squeeze", "moveaxis", "swapaxes")


def is_whole(node: n.expr, g: n.expr) -> bool:
    """Whether an expression is an adjoint, or all of it with its entries in other places."""
    while isinstance(node, n.Call) and isinstance(node.func, n.Attribute) and node.func.attr in VIEWING and node.args:
        node = node.args[0]
    return same_expression(node, g)
