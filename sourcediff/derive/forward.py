"""Forward mode: each statement of the normal form with its tangent beside it, one method per form.

A variable ``x`` that moves with the inputs has its tangent in ``x_dot``; one that does not has none, and where two paths meet of which
one gave it a tangent, the other gives it zero. What a statement changes in place it changes in place in the tangent too: a view of the
primal is the same view of the tangent, so nothing has to be saved or brought back.
"""

from __future__ import annotations

from typing import Any

from ..analysis.abstract import FLOAT, UNKNOWN, Abstract, joined
from ..analysis.activity import Activity
from ..analysis.aliases import VIEWS, Aliases
from ..analysis.applications import application
from ..analysis.effects import base, loads, target_names
from ..analysis.fresh import always_copies, is_fresh, may_not_copy
from ..analysis.liveness import Liveness
from ..analysis.values import Values, indexed
from ..errors import AliasingError, NonDifferentiableError
from ..syntax import nodes as n
from ..syntax.quote import clone, expression, names, place, statement
from .pushforwards import Pushforwards, Tangent

Block = list[n.stmt]


class Forward(Pushforwards):
    """Walks a block in order, holding the tangents; gives the block with tangents."""

    def __init__(
        self, values: Values, activity: Activity, aliases: Aliases, live: Liveness, mutable: set[str], unbound: set[str], pointer: Any,
    ):
        super().__init__(values, pointer)
        self.activity = activity
        self.aliases = aliases
        self.live = live
        self.mutable = mutable
        self.unbound = unbound  # names that some path reads before it binds them
        self.to_bind: set[str] = set()  # those of them of which a zero tangent is made
        self.dot = values.scope.dot
        self.dots: dict[str, Abstract] = {}

    # -- blocks ---------------------------------------------------------------------------------------------------------

    def block(self, body: Block) -> Block:
        """The statements of a block, each with its tangent."""
        outer, self.code = self.code, []
        for node in body:
            self.statement(node)
        done, self.code = self.code, outer
        return done

    def statement(self, node: n.stmt) -> None:
        """Append a statement and its tangent."""
        self.at = node
        self.environment = {**self.values.before.get(node, {}), **self.dots}
        if isinstance(node, n.If):
            self._if(node)
        elif isinstance(node, (n.For, n.While)):
            self._loop(node)
        elif isinstance(node, n.Assign) and isinstance(node.targets[0], n.Name):
            self._assign(node, node.targets[0].id, node.value)
        elif isinstance(node, n.Assign) and isinstance(node.targets[0], n.Subscript):
            self._store(node, node.targets[0])
        elif isinstance(node, n.AugAssign) and isinstance(node.target, n.Name):
            self._update(node, node.target.id)
        elif isinstance(node, n.AugAssign):
            self._update_slot(node)
        else:
            for name in target_names(node.targets[0]) if isinstance(node, n.Assign) else ():
                self.tangents.pop(name, None)
            self.code.append(node)

    def bind(self, name: str, tangent: Tangent) -> None:
        """Note that the tangent of ``name`` is in its own variable now."""
        self.dots[self.dot(name)] = self.environment[self.dot(name)] = tangent.value
        self.tangents[name] = Tangent(expression(self.dot(name)), tangent.value, tangent.selected)

    def is_own(self, name: str) -> bool:
        """Whether a tangent is in its own variable, and not in that of another one which it equals."""
        found = self.tangents[name].expr
        return isinstance(found, n.Name) and found.id == self.dot(name)

    def settle(self, changing: str | None = None) -> None:
        """Give tangents a variable of their own: those that are in the one about to be ``changing``, or all of them."""
        for name, tangent in list(self.tangents.items()):
            if not self.is_own(name) and (changing is None or self.dot(changing) in names(tangent.expr)):
                self.emit(statement("$t = $e", t=self.dot(name), e=tangent.expr))
                self.bind(name, tangent)

    def zeros(self, name: str) -> None:
        """Give a variable a tangent of zeros, an array of its own."""
        known = self.environment.get(name, UNKNOWN)
        zero = self.helper("zeros_like", name) if name in self.unbound else self.zero(expression(name))
        if name in self.unbound:
            self.to_bind.add(name)
        self.settle(name)
        self.emit(statement("$t = $z", t=self.dot(name), z=zero))
        value = known if known.kind == "array" and known.floating else FLOAT if known.scalar else UNKNOWN
        self.bind(name, Tangent(zero, value, selected=True))

    # -- statements -----------------------------------------------------------------------------------------------------

    def _assign(self, node: n.stmt, target: str, value: n.expr) -> None:
        """``x = f(y)``: ``x_dot = f'(y) y_dot``."""
        result = self.values.after[node].get(target, UNKNOWN)
        counted = result.dtype is not None and result.dtype.kind in "iub"
        outer, self.code = self.code, []
        tangent = None if counted else self.pushed(value, result, expression(self.new))
        parts, self.code = self.code, outer
        if tangent is None:
            self.tangents.pop(target, None)
            self.code.append(node)
            return
        expr = self.own(target, value, tangent, result)
        self.settle(target)
        if isinstance(expr, n.Name) and expr.id in self.dots and expr.id != self.dot(target):
            self.beside(node, parts, target, value)
            self.tangents[target] = Tangent(expr, tangent.value, tangent.selected)
            return
        parts.append(place(statement("$t = $e", t=self.dot(target), e=expr), node))
        self.beside(node, parts, target, value)
        self.bind(target, Tangent(expr, tangent.value if expr is tangent.expr else self.value_of(expr), tangent.selected))

    def beside(self, node: n.stmt, parts: Block, target: str, value: n.expr) -> None:
        """Append a statement and the code of its tangent: first what reads the old value, then what reads the new one."""
        if self.new not in names(list(parts)):
            self.code += [*parts, node]
        elif target not in loads(list(parts)) and not (isinstance(node, n.AugAssign) and self.sees(node, target)):
            self.code += [node, *(clone(part, {self.new: expression(target)}) for part in parts)]
        elif isinstance(node, n.AugAssign):  # it may change an array in place, so it stays as it is
            self.code += [*(clone(part, {self.new: value}) for part in parts), node]
        else:
            new = self.scope.fresh(f"{target}_new")
            self.emit(statement("$t = $v", t=new, v=value))
            self.code += [clone(part, {self.new: expression(new)}) for part in parts]
            self.emit(statement("$x = $t", x=target, t=new))

    def sees(self, node: n.AugAssign, changed: str) -> bool:
        """Whether what an update reads may be a view of what it changes, so that it is another value afterwards."""
        return bool(self.aliases.of(changed, node) & loads(node.value))

    def own(self, target: str, value: n.expr, tangent: Tangent, result: Abstract) -> n.expr:
        """The tangent in memory of its own, where the value has some of its own and one of the two is changed in place."""
        if result.scalar or is_fresh(tangent.expr) or self.views(value):
            return tangent.expr
        if target not in self.mutable and not names(tangent.expr) & {self.dot(name) for name in self.mutable}:
            return tangent.expr
        return self.copied(tangent.expr, tangent.value)

    def views(self, value: n.expr) -> bool:
        """Whether an expression may be a view of its operand; then its tangent is the same view."""
        if isinstance(value, (n.Name, n.Subscript, n.Tuple, n.List, n.Dict)):
            return True
        applied = application(value, self.scope)
        return applied is not None and (applied.function in VIEWS or may_not_copy(value)) and not always_copies(value)

    def _store(self, node: n.Assign, target: n.Subscript) -> None:
        """``a[i] = v``: the tangent of ``v`` goes to the slot of the tangent, or zero."""
        array = base(target)
        assert array is not None
        known = self.environment.get(array, UNKNOWN)
        tangent = self.pushed(node.value, UNKNOWN, node.value)
        if self.aliases.may_overlap(node):
            self.emit(n.Expr(value=self.helper("check_overlap", read(target), node.value)))
        if tangent is not None or array in self.tangents:
            self._holds_floats(array, known, tangent)
            if array not in self.tangents:
                self.zeros(array)
            self.settle()
            self.emit(statement("$s = $v", s=self.slot(target, array), v=expression("0") if tangent is None else tangent.expr))
            self.tangents[array] = Tangent(expression(self.dot(array)), self.tangents[array].value, selected=True)
        self.code.append(node)

    def slot(self, target: n.Subscript, array: str) -> n.expr:
        """The slot of the tangent that belongs to a slot."""
        return n.Subscript(value=clone(target.value, {array: expression(self.dot(array))}), slice=clone(target.slice), ctx=n.Store())

    def _holds_floats(self, array: str, known: Abstract, tangent: Tangent | None) -> None:
        """Refuse a store of what moves into a list or among integers; where the dtype is not known, it is asked when the program runs."""
        if known.kind in ("sequence", "mapping", "mixed"):
            place_ = self.pointer(
                self.at, "this list or dict holds differentiated values", "other names may hold its entries",
                "use an array, or local names",
            )
            raise AliasingError("a store into a list or dict is not taken by the compiler", places=[place_])
        if tangent is None:
            return
        if known.dtype is None:
            self.emit(n.Expr(value=self.helper("check_floating", array)))
        elif known.dtype.kind in "iub":
            raise NonDifferentiableError(
                f"a differentiated value is stored into an array of {known.dtype}",
                places=[self.pointer(self.at, f"{array} is an array of {known.dtype}")],
                why="the store rounds it, so its derivative would be lost", remedy="make the array of floats, for example np.zeros(n)",
            )

    def _update(self, node: n.AugAssign, target: str) -> None:
        """``x op= v``: of a number as ``x = x op v``, of an array in place."""
        known = self.environment.get(target, UNKNOWN)
        moves = self.pushed(node.value, UNKNOWN, node.value)
        number = known.scalar and self.values.after[node].get(target, UNKNOWN).scalar
        if not known.scalar and (moves is not None or target in self.tangents):
            self._holds_floats(target, known, moves)
        if target in self.tangents and (number or not known.scalar):
            self._update_in_place(node, target, known, moves, expression(target))
        else:
            value = place(n.BinOp(left=expression(target), op=node.op, right=node.value), node)
            self._assign(node, target, value)

    def _update_slot(self, node: n.AugAssign) -> None:
        """``a[i] op= v``: the slot of the tangent changes as the slot does."""
        target, array = node.target, base(node.target)
        assert isinstance(target, n.Subscript) and array is not None
        known = self.environment.get(array, UNKNOWN)
        moves = self.pushed(node.value, UNKNOWN, node.value)
        if moves is None and array not in self.tangents:
            self.code.append(node)
            return
        self._holds_floats(array, known, moves)
        if array not in self.tangents:
            self.zeros(array)
        self._update_in_place(node, array, indexed(known, target.slice, self.values, self.environment), moves, read(target))

    def _update_in_place(self, node: n.AugAssign, array: str, known: Abstract, moves: Tangent | None, old: n.expr) -> None:
        """An update of what has a tangent already: a variable, or a slot of one, which is read as ``old``."""
        self.settle(array)
        self.settle()
        tangent = self.tangents[array]
        place_ = clone(old, {array: tangent.expr}) if isinstance(old, n.Name) else read(self.slot(old, array))
        after = Tangent(tangent.expr, tangent.value, True)
        if isinstance(node.op, (n.Add, n.Sub)) or moves is None and isinstance(node.op, (n.Mult, n.Div)):
            change = node.value if isinstance(node.op, (n.Mult, n.Div)) else None if moves is None else moves.expr
            if change is not None:
                self.emit(n.AugAssign(target=stored(place_), op=node.op, value=change))
            if isinstance(node.op, (n.Add, n.Sub)):
                value = self.value_of(expression("$a + $b", a=tangent.expr, b=moves.expr)) if moves and known.scalar else tangent.value
                whole = array if isinstance(old, n.Name) else None
                after = Tangent(tangent.expr, value if whole else tangent.value, tangent.selected or moves is not None and moves.selected)
            self.code.append(node)
            self.bind(array, after)
            return
        held = self.scope.fresh("t")
        self.environment = {**self.environment, held: known}
        self.tangents[held] = Tangent(place_, known, tangent.selected)
        value = place(n.BinOp(left=expression(held), op=node.op, right=node.value), node)
        outer, self.code = self.code, []
        found = self.pushed(value, known, expression(self.new))
        parts, self.code = self.code, outer
        del self.tangents[held]
        expr = expression("0.0") if found is None else found.expr
        if isinstance(place_, n.Subscript) or known.kind == "array":
            whole = place_ if isinstance(place_, n.Subscript) else expression("$t[...]", t=place_)
            parts.append(place(statement("$s = $e", s=whole, e=expr), node))
        elif known.scalar:
            parts.append(place(statement("$t = $e", t=place_, e=expr), node))
        else:
            parts.append(place(statement("$t = $e", t=place_, e=self.helper("updated", place_, expr)), node))
        if self.new in names(list(parts)) and held not in names(list(parts)) and not self.sees(node, array):
            self.code += [node, *(clone(part, {self.new: old}) for part in parts)]
        else:
            self.code += [*(clone(part, {self.new: clone(value, {held: old}), held: old}) for part in parts), node]
        self.bind(array, after)

    def _if(self, node: n.If) -> None:
        """A branch. What one side has given a tangent and is read later gets one on the other side too."""
        self.settle()
        start = dict(self.tangents)
        bodies: list[Block] = []
        ends: list[dict[str, Tangent]] = []
        for body in (node.body, node.orelse):
            self.tangents = dict(start)
            bodies.append(self.block(body))
            ends.append(self.tangents)
        self.at = node
        met = {name for end in ends for name in end if name in self.live.after[node]}
        for source, made, end in zip((node.body, node.orelse), bodies, ends):
            self.tangents = end
            self.filled(met, made, self.values.after[source[-1]] if source else self.values.before[node])
        self.tangents = {}
        for name in sorted(met):
            one, other = ends[0][name], ends[1][name]
            self.bind(name, Tangent(one.expr, joined(one.value, other.value), one.selected or other.selected))
        self.code.append(place(n.If(test=node.test, body=bodies[0], orelse=bodies[1]), node))

    def filled(self, wanted: set[str], code: Block, environment: dict[str, Abstract]) -> None:
        """Append zeros to ``code`` for those of the wanted names that have no tangent here."""
        outer, self.code = self.code, code
        self.environment = {**environment, **self.dots}
        self.settle()
        for name in sorted(wanted - set(self.tangents)):
            self.zeros(name)
        self.code = outer

    def _loop(self, node: n.For | n.While) -> None:
        """A loop. What moves in any trip, and is read in a later one or after the loop, has a tangent from before the first."""
        if not node.body:
            self.code.append(node)
            return
        self.settle()
        bound = target_names(node.target) if isinstance(node, n.For) else set()
        again = self.live.at_head[node]
        carried = {name for name in self.activity.varied[node.body[0]] & again if name not in bound or name in self.tangents}
        self.filled(carried, self.code, self.values.before[node])
        self.tangents = {name: tangent for name, tangent in self.tangents.items() if name in carried}
        entry = dict(self.tangents)
        while True:
            self.tangents = dict(entry)
            self.at = node
            head: Block = []
            for name in sorted(bound & carried):
                del self.tangents[name]
            self.filled(bound & carried, head, self.values.before[node.body[0]])
            body = [*head, *self.block(node.body)]
            self.at = node
            self.filled(carried, body, self.values.after[node.body[-1]])
            new = {name: Tangent(was.expr, joined(was.value, self.tangents[name].value), was.selected or self.tangents[name].selected)
                   for name, was in entry.items()}
            if [(t.value, t.selected) for t in new.values()] == [(t.value, t.selected) for t in entry.values()]:
                break
            entry = new
            for name, tangent in entry.items():
                self.bind(name, tangent)
        self.tangents = entry
        for name, tangent in entry.items():
            self.bind(name, tangent)
        if isinstance(node, n.For):
            made: n.stmt = n.For(target=node.target, iter=node.iter, body=body, orelse=[], type_comment=None)
        else:
            made = n.While(test=node.test, body=body, orelse=[])
        self.code.append(place(made, node))


def read(target: n.expr) -> n.expr:
    """What an assignment's target holds, as an expression."""
    node = clone(target)
    node.ctx = n.Load()
    return node


def stored(node: n.expr) -> n.expr:
    """An expression as the target of an assignment."""
    target = clone(node)
    target.ctx = n.Store()
    return target
