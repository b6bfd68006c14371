"""Put the two sweeps together: the forward sweep with what it saves, the reverse sweep with what it takes back."""

from __future__ import annotations

import builtins
from functools import cached_property

from ... import runtime
from ...analysis.abstract import UNKNOWN
from ...analysis.literals import constant
from ...analysis.scope import Scope
from ...analysis.statements import base, binds, loads, position
from ...syntax import nodes as n
from ...syntax.quote import as_read, as_target, clone, expression, names, place, put_in, statement, taken_out
from ..before_exit import ended
from ..facts.later_changes import LaterChanges
from ..facts.unfollowed_changes import holds
from .adjoint_state import entries_of_bar
from .steps import Step, asked_again
from .to_be_recorded import Record, Saves, trips

Block = list[n.stmt]


class Assembly:
    """Writes both sweeps from the steps and the record of what is saved."""

    def __init__(self, record: Record, scope: Scope, later: LaterChanges):
        self.record = record
        self.scope = scope
        self.later = later
        self.stores: dict[tuple[int, str], tuple[str, bool]] = {}
        self.lists: dict[str, str] = {}
        self.created: list[str] = []
        self.taken_back: set[str] = set()
        self.steps: list[Step] = []

    # -- where values are kept ------------------------------------------------------------------------------------------

    def store(self, step: Step, name: str, depth: int) -> tuple[str, bool]:
        """The name under which a step keeps a value, and whether that is a list."""
        key = (id(step), name)
        if key not in self.stores:
            if not depth:
                self.stores[key] = self.scope.fresh(f"{name.split()[-1]}_saved"), False
            else:
                plain = name.split()[-1]
                site = plain if plain == name else f"{name} {id(step)}"  # what is saved at the end of one block is saved together
                if site not in self.lists:
                    self.lists[site] = self.scope.fresh(f"{plain}_saved")
                    self.created.append(self.lists[site])
                    self.scope.tapes.add(self.lists[site])
                self.stores[key] = self.lists[site], True
        return self.stores[key]

    def push(self, step: Step, name: str, value: n.expr, depth: int) -> n.stmt:
        kept, is_list = self.store(step, name, depth)
        return statement("$s.append($v)" if is_list else "$s = $v", s=kept, v=value)

    def pop(self, step: Step, name: str, target: n.expr, depth: int) -> n.stmt:
        kept, is_list = self.store(step, name, depth)
        if isinstance(target, n.Name):
            self.taken_back.add(target.id)
        return statement("$t = $s.pop()" if is_list else "$t = $s", t=target, s=kept)

    def copy_of(self, name: str, at: n.stmt, end: bool = False) -> n.expr:
        """A value to keep, before a statement or at the end of its block: the array itself, or a copy if it may change in place later."""
        later = self.record.values.after.get(at, {}).get(name, UNKNOWN)
        known = self.record.values.before.get(at, {}).get(name, later)
        resized = any(holds(name, other, at, self.record.aliases) for other in self.record.resized - {name})
        if known.scalar and later.scalar or not resized and (name not in self.record.mutable or self.stays(name, at, end)):
            return expression(name)
        if known.kind == "array" and name not in self.record.unbound:
            return expression("$x.copy()", x=name)
        return self.helper("copied", expression(name))

    def stays(self, name: str, at: n.stmt, end: bool) -> bool:
        """Whether what a name stands for changes no more, in neither sweep."""
        return self.undone.isdisjoint({name, *self.later.anywhere.get(name, ())}) and not self.later.may_change(name, at, end)

    @cached_property
    def undone(self) -> set[str | None]:
        """The names of what the reverse sweep changes back in place."""
        found = ((base(saves.slice_) if saves.slice_ else None, saves.grown, saves.shrunk) for saves in self.record.saves.values())
        return set().union(*found) - {None}

    def helper(self, name: str, argument: n.expr) -> n.expr:
        spelled = self.scope.imported(name, getattr(runtime, name))
        return n.Call(func=expression(spelled), args=[argument], keywords=[])

    # -- forward --------------------------------------------------------------------------------------------------------

    def forward(self, steps: list[Step]) -> Block:
        """The forward sweep. The lists in which a statement's loops keep values are made before it."""
        done: Block = []
        self.steps = steps
        begun = 0
        for step in steps:
            if step.node is not None:
                made = self._forward(step, step.node, 0)
                lists = [place(statement("$s = []", s=name), step.node) for name in self.created]
                begun = self._add(done, [*lists, *made], step, begun)
                self.lists, self.created = {}, []
        return [*done, *(statement("$m = $e", m=name, e=clone(self.record.measures[name])) for name in self.record.left)]

    def _forward(self, step: Step, node: n.stmt, depth: int) -> Block:
        saves = self.record.saves[id(step)]
        done = [self.push(step, name, self.copy_of(name, node), depth) for name in saves.copies]
        for name in saves.bind:
            whole = isinstance(node, n.AugAssign) and not self.record.values.before[node].get(name, UNKNOWN).scalar
            kept = self.record.measures[name] if step.measures else self.copied(name, node) if whole else self.copy_of(name, node)
            done.append(self.push(step, name, clone(kept), depth))
        if saves.slice_ is not None:
            if (entry := self._new_entry(saves, node)) is not None:
                done.append(self.push(step, self._had(saves), expression("$k in $d", k=entry.slice, d=entry.value), depth))
            done.append(self.push(step, self._array(saves), self._slice_kept(saves, node), depth))
        done += [n.Expr(value=check) for check in step.checks]
        if self.record.aliases.may_overlap(node):
            check = self.helper("check_overlap", as_read(node.targets[0]))
            check.args.append(clone(node.value))
            done.append(n.Expr(value=check))
        for part in done:
            place(part, node)
        compound = isinstance(node, (n.If, n.For, n.While))
        if not compound or step.idle:
            return [*done, node]
        if isinstance(node, n.If):
            then = ended(self.forward_inner(step.body, depth), self._ends(step, "end ", saves.at_end, node, depth))
            other = ended(self.forward_inner(step.orelse, depth), self._ends(step, "else ", saves.at_end_else, node, depth))
            return [*done, place(n.If(test=node.test, body=then or [n.Pass()], orelse=other), node)]
        body = ended(self.forward_inner(step.body, depth + 1), self._ends(step, "end ", saves.at_end, node, depth + 1))
        if isinstance(node, n.For):
            return [*done, place(n.For(target=node.target, iter=node.iter, body=body, orelse=[], type_comment=None), node)]
        return [*done, place(n.While(test=node.test, body=body, orelse=[]), node)]

    def forward_inner(self, steps: list[Step], depth: int) -> Block:
        """The forward sweep of a block within a branch or a loop."""
        done: Block = []
        begun = 0
        for step in steps:
            if step.node is not None:
                begun = self._add(done, self._forward(step, step.node, depth), step, begun)
        return done

    def _add(self, done: Block, made: Block, step: Step, begun: int) -> int:
        """Add what is made of a step, and say where it begins. A shape that changes is saved before the value does."""
        if step.measures:
            done[begun:begun] = made[:-1]
            done.append(made[-1])
            return begun
        done += made
        return len(done) - len(made)

    def _ends(self, step: Step, prefix: str, names: list[str], node: n.stmt, depth: int) -> Block:
        """Save what is needed of a block's own names at its end; ``_pops`` gives it back."""
        kept = ((name, self.record.measures.get(name) or self.copy_of(name, node, end=True)) for name in names)
        return [place(self.push(step, prefix + name, clone(value), depth), node) for name, value in kept]

    def copied(self, name: str, node: n.stmt) -> n.expr:
        """A copy of what an update in place is about to change."""
        known = self.record.values.before[node].get(name, UNKNOWN)
        return expression("$x.copy()", x=name) if known.kind == "array" else self.helper("copied", expression(name))

    def _array(self, saves: Saves) -> str:
        assert saves.slice_ is not None
        return base(saves.slice_) or ""

    @cached_property
    def whole(self) -> set[str]:
        """The containers that the reverse sweep asks for more than an entry: asked of few programs."""
        return asked_whole([*asked_again(self.steps), *(cheap.value for cheap in self.record.cheap.values())])

    def _had(self, saves: Saves) -> str:
        """Where it is kept whether a dict had an entry."""
        return f"had {self._array(saves)}_had"

    def _new_entry(self, saves: Saves, node: n.stmt) -> n.Subscript | None:
        """The entry of a dict that a store may add to it, where the reverse sweep would see it among the others; None if there is none."""
        assert saves.slice_ is not None
        entry = as_read(saves.slice_)
        holder = self.record.values.of(entry.value, self.record.values.before[node])
        there = holder.kind != "mapping" or constant(entry.slice) in dict(holder.items or ())
        return None if there or self._array(saves) not in self.whole else entry

    def _slice_kept(self, saves: Saves, node: n.stmt) -> n.expr:
        """The part of an array that a store is about to overwrite, as a value of its own."""
        assert saves.slice_ is not None
        values = self.record.values
        part = as_read(saves.slice_)
        known = values.of(part, values.before[node])
        holder = values.of(part.value, values.before[node])
        if holder.kind == "mapping":  # there need not be such an entry yet
            known = known if constant(part.slice) in dict(holder.items or ()) else UNKNOWN
            part = expression("$d.get($k)", d=part.value, k=part.slice)
        if known.scalar:
            return part
        return expression("$p.copy()", p=entries_of_bar(part)) if known.kind == "array" else self.helper("copied", part)

    # -- reverse --------------------------------------------------------------------------------------------------------

    def reverse(self, steps: list[Step], depth: int = 0, again: frozenset[str] = frozenset()) -> Block:
        """The reverse sweep of a block; ``again``: what was already computed again around it."""
        done: Block = []
        known = set(again)
        for step in reversed(steps):
            done += self._reverse(step, depth, known)
        return done

    def _reverse(self, step: Step, depth: int, again: set[str]) -> Block:
        saves = self.record.saves[id(step)]
        node = step.node
        if isinstance(node, n.If) and not step.idle:
            known = set(again)
            before = self._again(saves, node, known)
            then = [*self._pops(step, "end ", saves.at_end, depth), *self.reverse(step.body, depth, frozenset(known))]
            other = [*self._pops(step, "else ", saves.at_end_else, depth), *self.reverse(step.orelse, depth, frozenset(known))]
            if not then and not other:
                return self._undone(step, saves, depth)
            again |= known
            if then:
                made = n.If(test=clone(node.test), body=then, orelse=other)
            else:
                made = n.If(test=expression("not $t", t=node.test), body=other, orelse=[])
            return [*before, place(made, node), *self._undone(step, saves, depth)]
        if isinstance(node, (n.For, n.While)) and not step.idle:
            known = set(again)
            before = self._again(saves, node, known)
            body = [*self._pops(step, "end ", saves.at_end, depth + 1), *self.reverse(step.body, depth + 1, frozenset(known))]
            if not body:
                return self._undone(step, saves, depth)
            again |= known
            return [*before, place(self._loop(step, node, body, depth), node), *self._undone(step, saves, depth)]
        undone = self._undone(step, saves, depth)
        code = self._again(saves, node, again)
        own = step.code
        changed = {*saves.bind, *saves.copies, *([self._array(saves)] if saves.slice_ is not None else [])}
        first = step.reads_old or bool({name for part in saves.again for name in loads(self.record.cheap[part].value)} & changed)
        if node is not None and binds([node]) & set(saves.again) or names(list(own)) & set(saves.copies):
            first = True
        if undone and first and step.reads_new and step.new is None and not step.reads_old and saves.bind:
            (name,) = saves.bind  # what is computed again needs the old value, the code the new one
            step.new = self.scope.fresh(name + "_new")
            own = [clone(part, {name: expression(step.new)}) for part in own]
        code += own
        if undone and first:
            if step.new is not None and code:
                assert node is not None
                (name,) = binds([node])
                undone = [place(statement("$new = $x", new=step.new, x=name), node), *undone]
            return [*undone, *code]
        if step.new is not None:
            assert node is not None
            (name,) = binds([node])
            code = [place(statement("$new = $x", new=step.new, x=name), node), *code]
        return [*code, *undone]

    def _again(self, saves: Saves, node: n.stmt | None, again: set[str]) -> Block:
        """Compute again what is cheap and has not been computed again yet."""
        code: Block = []
        for name in saves.again:
            if name not in again:
                again.add(name)
                code.append(place(clone(self.record.cheap[name]), node or self.record.cheap[name]))
                self.taken_back.add(name)
        return code

    def _undone(self, step: Step, saves: Saves, depth: int) -> Block:
        """Give back what the statement overwrote."""
        done: Block = []
        if saves.grown is not None:
            assert step.node is not None
            done.append(n.Expr(value=taken_out(saves.grown, position(step.node))))
            self.taken_back.add(saves.grown)
        if saves.shrunk is not None:
            assert step.node is not None
            done.append(n.Expr(value=put_in(saves.shrunk, position(step.node), step.node.targets[0].id)))
        if saves.slice_ is not None:
            done.append(self.pop(step, self._array(saves), saves.slice_, depth))
            assert step.node is not None
            if (entry := self._new_entry(saves, step.node)) is not None:
                had = self.pop(step, self._had(saves), expression("_"), depth).value
                gone = n.Delete(targets=[n.Subscript(value=clone(entry.value), slice=clone(entry.slice), ctx=n.Del())])
                done.append(n.If(test=expression("not $h", h=had), body=[gone], orelse=[]))
        done += [self.pop(step, name, expression(name), depth) for name in reversed(saves.bind)]
        done += [self.pop(step, name, expression(name), depth) for name in reversed(saves.copies)]
        for part in done:
            if step.node is not None:
                place(part, step.node)
        return done

    def _pops(self, step: Step, prefix: str, names: list[str], depth: int) -> Block:
        assert step.node is not None
        return [place(self.pop(step, prefix + name, expression(name), depth), step.node) for name in reversed(names)]

    def _loop(self, step: Step, node: n.For | n.While, body: Block, depth: int) -> n.stmt:
        """The loop of the reverse sweep: the same trips, backwards."""
        counters = trips(node, self.scope)
        if isinstance(node, n.While):
            (count,) = counters
            if not depth and (stack := self._once_a_trip(step)):
                return n.While(test=expression(stack), body=body, orelse=[])
            return n.For(target=as_target(expression("_")), iter=expression("range($n)", n=count), body=body, orelse=[], type_comment=None)
        function = self.scope.resolve(node.iter.func) if isinstance(node.iter, n.Call) else None
        if function is builtins.reversed and not counters:
            return n.For(target=clone(node.target), iter=clone(node.iter.args[0]), body=body, orelse=[], type_comment=None)
        listed = function in (builtins.enumerate, builtins.zip, builtins.map, builtins.filter, builtins.reversed)
        iterable = expression("list($i)", i=node.iter) if listed else node.iter
        if counters and function is builtins.range and len(node.iter.args) == 1:
            iterable = expression("range($n)", n=counters.pop())
        elif counters:
            iterable = expression("$i[:$n]", i=iterable, n=counters.pop())
        iterable = expression("reversed($i)", i=iterable)
        return n.For(target=clone(node.target), iter=iterable, body=body, orelse=[], type_comment=None)

    def _once_a_trip(self, step: Step) -> str | None:
        """A list that gets exactly one value in each trip of a loop: while it has any, there is a trip to undo."""
        inner = {id(part): part for part in step.body}
        for (owner, name), (kept, is_list) in self.stores.items():
            sites = [key for key, (other, _) in self.stores.items() if other == kept]
            whole_trip = owner in inner and inner[owner].node is not None and not isinstance(inner[owner].node, (n.If, n.For, n.While))
            if is_list and len(sites) == 1 and (whole_trip or owner == id(step) and name.startswith("end ")):
                return kept
        return None


def asked_whole(trees: list[n.AST]) -> set[str]:
    """The names that stand in some trees for more than a place to find an entry in, and for more than the kind of their zeros."""
    parts = [part for tree in trees for part in n.walk(tree)]
    entries = {part.value for part in parts if isinstance(part, n.Subscript)}
    made = [part for part in parts if isinstance(part, n.Call) and getattr(part.func, "id", "") == "zeros_like"]
    entries |= {inner for call in made for part in call.args for inner in n.walk(part)}
    return {part.id for part in parts if isinstance(part, n.Name) and part not in entries}
