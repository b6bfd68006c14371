"""Stores and updates in place, with their tangents: what happens to a slot happens to the same slot of the tangent."""

from __future__ import annotations

from ...analysis.abstract import UNKNOWN, Abstract
from ...analysis.statements import base, entry_put_in, position
from ...analysis.states import extended
from ...errors import NonDifferentiableError
from ...syntax import nodes as n
from ...syntax.quote import as_read, as_target, clone, expression, names, place, put_in, rebased, statement
from ..facts.indices import longer
from .emit import Emitter, Moment
from .jvp_terms import JvpTerms, Tangent
from .tangent_state import TangentState


class TangentStores(Emitter):
    """One method per form of a change in place."""

    def __init__(self, moment: Moment, terms: JvpTerms, state: TangentState):
        super().__init__(moment)
        self.terms, self.state = terms, state

    def store(self, node: n.Assign, target: n.Subscript) -> None:
        """``a[i] = v``: the tangent of ``v`` goes to the slot of the tangent, or zero."""
        array = base(target)
        assert array is not None
        tangent = self.terms.pushed(node.value, UNKNOWN, node.value)
        if self.state.aliases.may_overlap(node):
            self.emit(n.Expr(value=self.helper("check_overlap", as_read(target), node.value)))
        if tangent is not None or array in self.terms.tangents:
            holder = self.value_of(target.value)
            self._holds_floats(target, holder, tangent)
            if array not in self.terms.tangents:
                self.state.zeros(array)
            self.state.settle()
            tangent = self.terms.pushed(node.value, UNKNOWN, node.value)  # it may have been in the variable that has zeros now
            moved = tangent.expr if tangent is not None else expression("0") if holder.kind == "array" else self.terms.zero(node.value)
            self.emit(statement("$s = $v", s=self.slot(target, array), v=moved))
            self.terms.tangents[array] = Tangent(expression(self.state.dot(array)), self.terms.tangents[array].value, selected=True)
        self.moment.code.append(node)

    def delete(self, node: n.Delete, target: n.Subscript) -> None:
        """``del d[k]``: the tangent loses the entry, too."""
        array = base(target)
        if array in self.terms.tangents:
            self.state.settle()
            slot = rebased(as_read(target), expression(self.state.dot(array)))
            slot.ctx = n.Del()
            self.emit(n.Delete(targets=[slot]))
        self.moment.code.append(node)

    def append(self, node: n.stmt, name: str) -> None:
        """``parts.append(v)``, ``parts.insert(i, v)``: the tangent of ``v``, or zero, goes to the same place of the list of tangents."""
        value = entry_put_in(node)
        tangent = self.terms.pushed(value, UNKNOWN, value)
        if tangent is not None or name in self.terms.tangents:
            if name not in self.terms.tangents:
                self.state.zeros(name)
            self.state.settle()
            tangent = self.terms.pushed(value, UNKNOWN, value)
            entry = Tangent(self.terms.zero(value), self.value_of(self.terms.zero(value)), selected=True) if tangent is None else tangent
            held = self.terms.tangents[name]
            self.emit(n.Expr(value=put_in(self.state.dot(name), position(node), entry.expr)))
            self.state.bind(name, Tangent(held.expr, longer(held.value, entry.value), held.selected or entry.selected))
        self.moment.code.append(node)

    def slot(self, target: n.Subscript, array: str) -> n.expr:
        """The slot of the tangent that belongs to a slot."""
        return as_target(rebased(target, expression(self.state.dot(array))))

    def _holds_floats(self, target: n.expr, known: Abstract, tangent: Tangent | None) -> None:
        """Refuse a store of what moves among integers; where the dtype is not known, it is asked when the program runs."""
        if isinstance(target, n.Subscript) and known.kind in ("sequence", "mapping", "mixed"):
            self.check_entry(target, known)
        elif tangent is not None and known.dtype is None:
            self.emit(n.Expr(value=self.helper("check_floating", target.value if isinstance(target, n.Subscript) else as_read(target))))
        elif tangent is not None and known.dtype.kind in "iub":
            name = base(target)
            raise NonDifferentiableError(
                f"a differentiated value is stored into an array of {known.dtype}",
                places=[self.pointer(self.moment.at, f"{name} is an array of {known.dtype}")],
                why="the store rounds it, so its derivative would be lost", remedy="make the array of floats, for example np.zeros(n)",
            )

    def update(self, node: n.AugAssign, target: str) -> None:
        """``x op= v``: of a number as ``x = x op v``, of an array in place."""
        known = self.moment.environment.get(target, UNKNOWN)
        moves = self.terms.pushed(node.value, UNKNOWN, node.value)
        number = known.scalar and self.values.after[node].get(target, UNKNOWN).scalar
        if not known.scalar and (moves is not None or target in self.terms.tangents):
            self._holds_floats(expression(target), known, moves)
        if target in self.terms.tangents and (number or not known.scalar):
            self._update_in_place(node, target, known, moves, expression(target))
        else:
            value = place(n.BinOp(left=expression(target), op=node.op, right=node.value), node)
            self.state.assign(node, target, value)

    def update_slot(self, node: n.AugAssign) -> None:
        """``a[i] op= v``: the slot of the tangent changes as the slot does."""
        target, array = node.target, base(node.target)
        assert isinstance(target, n.Subscript) and array is not None
        moves = self.terms.pushed(node.value, UNKNOWN, node.value)
        if moves is None and array not in self.terms.tangents:
            self.moment.code.append(node)
            return
        self._holds_floats(target, self.value_of(target.value), moves)
        if array not in self.terms.tangents:
            self.state.zeros(array)
            moves = self.terms.pushed(node.value, UNKNOWN, node.value)  # it may have been in the variable that has zeros now
        self._update_in_place(node, array, self.value_of(as_read(target)), moves, as_read(target))

    def _update_in_place(self, node: n.AugAssign, array: str, known: Abstract, moves: Tangent | None, old: n.expr) -> None:
        """An update of what has a tangent already: a variable, or a slot of one, which is read as ``old``."""
        self.state.settle(array)
        self.state.settle()
        tangent = self.terms.tangents[array]
        place_ = clone(old, {array: tangent.expr}) if isinstance(old, n.Name) else as_read(self.slot(old, array))
        after = Tangent(tangent.expr, tangent.value, True)
        if isinstance(node.op, (n.Add, n.Sub)) or moves is None and isinstance(node.op, (n.Mult, n.Div)):
            change = node.value if isinstance(node.op, (n.Mult, n.Div)) else None if moves is None else moves.expr
            if change is not None:
                self.emit(n.AugAssign(target=as_target(place_), op=node.op, value=change))
            if known.scalar and isinstance(old, n.Name) and isinstance(node.op, (n.Mult, n.Div)):
                after = Tangent(tangent.expr, self.value_of(n.BinOp(left=tangent.expr, op=node.op, right=node.value)), True)
            if isinstance(node.op, (n.Add, n.Sub)):
                value = self.value_of(expression("$a + $b", a=tangent.expr, b=moves.expr)) if moves and known.scalar else tangent.value
                whole = array if isinstance(old, n.Name) else None
                after = Tangent(tangent.expr, value if whole else tangent.value, tangent.selected or moves is not None and moves.selected)
            self.moment.code.append(node)
            self.state.bind(array, after)
            return
        held = self.scope.fresh("t")
        self.moment.environment = extended(self.moment.environment, {held: known})
        self.terms.tangents[held] = Tangent(place_, known, tangent.selected)
        self.state.lent.add(held)
        value = place(n.BinOp(left=expression(held), op=node.op, right=node.value), node)
        outer, self.moment.code = self.moment.code, []
        found = self.terms.pushed(value, known, expression(self.terms.new))
        parts, self.moment.code = self.moment.code, outer
        del self.terms.tangents[held]
        expr = expression("0.0") if found is None else found.expr
        if isinstance(place_, n.Subscript) or known.kind == "array":
            whole = place_ if isinstance(place_, n.Subscript) else expression("$t[...]", t=place_)
            parts.append(place(statement("$s = $e", s=whole, e=expr), node))
        elif known.scalar:
            after = Tangent(tangent.expr, UNKNOWN if found is None else found.value, True)
            parts.append(place(statement("$t = $e", t=place_, e=expr), node))
        else:
            parts.append(place(statement("$t = $e", t=place_, e=self.helper("updated", place_, expr)), node))
        if self.terms.new in names(list(parts)) and held not in names(list(parts)) and not self.state.sees(node, array):
            self.moment.code += [node, *(clone(part, {self.terms.new: old}) for part in parts)]
        else:
            self.moment.code += [*(clone(part, {self.terms.new: clone(value, {held: old}), held: old}) for part in parts), node]
        self.state.bind(array, after)
