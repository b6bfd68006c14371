"""What has to be recorded: the primal values that the adjoint code reads and the forward sweep overwrites.

A forward walk carries the set of names whose present value the reverse sweep will need (Hascoët and Pascual, "TBR analysis",
2005). Where a statement overwrites such a value it is saved first; what is cheap to compute again is computed again instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from ...analysis.abstract import UNKNOWN
from ...analysis.applications import application
from ...analysis.fresh import is_fresh
from ...analysis.scope import Scope
from ...analysis.source.sharing import VIEWS
from ...analysis.statements import altered_container, base, binds, grown, loads, mutates, position, shrunk, simple, target_names
from ...runtime.linked_calls import RUNNING
from ...syntax import nodes as n
from ...syntax.quote import names
from ..facts.aliases import Aliases
from ..facts.distinct_entries import replaces_entry
from ..facts.liveness import Liveness
from ..facts.unfollowed_changes import holds, seen_through, written_by_calls
from ..facts.values import Values
from .steps import Step, asked_again
from .written_once import WrittenOnce

Need = frozenset


@dataclass
class Saves:
    """What is saved around one step.

    ``bind``: names whose binding the statement replaces; ``slice_``: the part of an array that a store overwrites;
    ``copies``: names that would see the change through shared memory. ``at_end``: names saved at the end of each trip of a loop
    (or of a branch: ``at_end`` of the body, ``at_end_else`` of the other); ``again``: names computed again for the adjoint code;
    ``grown``: a list that is made shorter again; ``shrunk``: one that is made longer again.
    """

    bind: list[str] = field(default_factory=list)
    slice_: n.Subscript | None = None
    copies: list[str] = field(default_factory=list)
    at_end: list[str] = field(default_factory=list)
    at_end_else: list[str] = field(default_factory=list)
    again: list[str] = field(default_factory=list)
    grown: str | None = None
    shrunk: str | None = None


class Record:
    """``saves[id(step)]`` for every step, and ``cheap``: name → the definition by which it is computed again.

    ``measures`` are names of shapes, with the expressions by which they are saved; ``left`` those of them that the reverse sweep reads
    as they are at the end.
    """

    def __init__(
        self, body: list[n.stmt], steps: list[Step], values: Values, aliases: Aliases, live: Liveness, mutable: set[str],
        measures: Mapping[str, n.expr] = MappingProxyType({}),
    ):
        self.measures = measures
        self.values = values
        self.aliases = aliases
        self.live = live
        self.given = set(values.before[body[0]] if body else ())
        self.primal = binds(body) | self.given
        self.saves: dict[int, Saves] = {}
        self.rewound: set[str] = set()
        self.order = {node: number for number, node in enumerate(simple(body))}
        self.parents = parents(body)
        self.mutable = mutable
        self.found_mutated: dict[n.stmt, set[str]] = {}
        self.cheap = self._cheap(body)
        self.found_again: dict[tuple[str, n.stmt, bool], bool] = {}
        self.resized = {name for node in simple(body) if (name := grown(node) or shrunk(node))}
        self.resized |= {name for node in simple(body) for name, alone in written_by_calls(node, aliases).items() if alone}
        self.lost: list[n.stmt] = []  # changes that are not undone, where the reverse sweep would have to know what was there before
        self.steps = steps
        self.outermost: Step | None = None  # the loop at hand that is in no other, and what is needed before it
        self.needed_before: Need[str] = frozenset()
        self.once: WrittenOnce | None = None
        left = self.block(steps, frozenset(), 0)
        self.unbound = sorted(self._unbound(steps, self.given))
        always = definite(body) | self.given
        self.left = [name for name in sorted(left & measures.keys()) if names(measures[name]) & self.primal <= always]

    def saved(self) -> set[str]:
        """The names of all that is saved, whole or in part."""
        whole = {name for saves in self.saves.values() for name in (*saves.bind, *saves.copies, *saves.at_end, *saves.at_end_else)}
        return whole | {base(saves.slice_) or "" for saves in self.saves.values() if saves.slice_ is not None}

    def _unbound(self, steps: list[Step], bound: set[str]) -> set[str]:
        """The names that are saved somewhere where they need not have been bound, if ``bound`` are before these steps."""
        found: set[str] = set()
        bound = set(bound)
        for step in steps:
            saves, node = self.saves[id(step)], step.node
            if node is None:
                continue
            found |= {*saves.bind, *saves.copies} - bound
            if saves.at_end:
                found |= set(saves.at_end) - definite(node.body) - bound
            if not step.idle and (step.body or step.orelse):
                inner = bound | target_names(node.target) if isinstance(node, n.For) else bound
                found |= self._unbound(step.body, inner) | self._unbound(step.orelse, inner)
            bound |= definite([node])
        return found

    # -- computing again ------------------------------------------------------------------------------------------------

    def _cheap(self, body: list[n.stmt]) -> dict[str, n.Assign]:
        """Names bound once, by something that costs next to nothing: scalar arithmetic, an index, a view."""
        defined: dict[str, list[n.stmt]] = {}
        for node in simple(body):
            for name in binds([node]) if not isinstance(node, (n.If, n.For, n.While)) else target_names(getattr(node, "target", n.Pass())):
                defined.setdefault(name, []).append(node)
        self.bound_again = {name for name, nodes in defined.items() if len(nodes) > 1 or name in self.given or self.in_loop(nodes[0])}
        places = {name for node in simple(body) if grown(node) or shrunk(node) for name in loads(position(node))}  # of lists as they were
        changed = mutates(body)
        excluded = changed | self.given | places | self.measures.keys()  # a parameter has a value before its first binding
        outside = changed - self.primal  # what is changed there is not changed back
        for node in simple(body):
            outside |= self.unfollowed(node)
        found: dict[str, n.Assign] = {}
        for name, nodes in defined.items():
            (node, *others) = nodes
            if others or not isinstance(node, n.Assign) or not isinstance(node.targets[0], n.Name) or name in excluded:
                continue
            if loads(node.value) & {name, *outside}:
                continue
            view = self._view(node)
            shared = view and self._shares_with_changed(name, node)
            if shared or self.in_loop(node) and (view and not self._runs(node) or self._scalar_arithmetic(node) or self._range(node)):
                found[name] = node
        return found

    def in_loop(self, node: n.stmt) -> bool:
        """Whether a statement may run more than once."""
        return any(isinstance(parent, (n.For, n.While)) for parent in self.parents[node])

    def _view(self, node: n.Assign) -> bool:
        if isinstance(node.value, n.Name):
            return True
        applied = application(node.value, self.values.scope)
        if applied is None or not isinstance(node.value, (n.Subscript, n.Attribute, n.Call)) or applied.function not in VIEWS:
            return False
        if is_fresh(node.value):  # a product by np.einsum
            return False
        return isinstance(node.value, (n.Subscript, n.Attribute)) or all(isinstance(a, (n.Name, n.Constant, n.Tuple)) for a in applied.args)

    def _runs(self, node: n.Assign) -> bool:
        """Whether a definition runs a function that is not written out: that costs what the function costs."""
        applied = application(node.value, self.values.scope)
        return applied is not None and applied.function in RUNNING

    def _shares_with_changed(self, name: str, node: n.Assign) -> bool:
        known = self.values.after[node].get(name, UNKNOWN)
        changed = loads(node.value) & self.mutable
        if known.scalar or not changed or not self._runs(node) or self.in_loop(node):
            return not known.scalar and bool(changed)
        later = [part for part, number in self.order.items() if number > self.order[node]]  # a call sees no more than what it was given
        return any(changed & {other, *self.aliases.of(other, part)} for part in later for other in self.mutated_in(part))

    def _scalar_arithmetic(self, node: n.Assign) -> bool:
        if not self.values.after[node].get(node.targets[0].id, UNKNOWN).scalar:
            return False
        if isinstance(node.value, n.Constant):
            return True
        if isinstance(node.value, (n.BinOp, n.UnaryOp, n.Compare)):
            cheap = (n.Add, n.Sub, n.Mult, n.Div, n.FloorDiv, n.USub)
            ops = [part.op for part in n.walk(node.value) if isinstance(part, (n.BinOp, n.UnaryOp))]
            calls = any(isinstance(part, n.Call) for part in n.walk(node.value))
            asked = [op for part in n.walk(node.value) if isinstance(part, n.Compare) for op in part.ops]
            return not calls and all(isinstance(op, cheap) for op in ops) and not any(isinstance(op, (n.In, n.NotIn)) for op in asked)
        return isinstance(node.value, n.Call) and self.values.scope.resolve(node.value.func) in (abs, float)

    def _range(self, node: n.Assign) -> bool:
        """Whether a definition is a range over numbers."""
        function = self.values.scope.resolve(node.value.func) if isinstance(node.value, n.Call) else None
        known = self.values.before[node]
        return function is range and all(known.get(name, UNKNOWN).scalar for part in node.value.args for name in loads(part))

    def again(self, name: str, at: n.stmt | None, undone: bool = True) -> bool:
        """Whether ``name`` can be computed again where a statement is reversed, ``undone`` or not: its operands are as they were."""
        node = self.cheap.get(name)
        if node is None or at is None or self.order[at] < self.order[node]:
            return False
        if (name, at, undone) not in self.found_again:
            self.found_again[name, at, undone] = self._again(node, at, undone)
        return self.found_again[name, at, undone]

    def _again(self, node: n.Assign, at: n.stmt, undone: bool) -> bool:
        path, chain = self.parents[node], [*self.parents[at], at]
        if chain[: len(path)] != path:
            return False
        block = self._block_of(node)
        last = chain[len(path)]
        between = block[block.index(node) + 1: block.index(last) + 1] if last in block else []
        if undone and last is at and between and not isinstance(at, n.If):
            between = between[:-1]  # the statement itself is undone by then
        operands = loads(node.value)
        if (binds(between) | mutates(between)) & operands:
            return False
        parts = simple(between) if mutates(between) else []
        return not any(operands & self.aliases.of(other, part) for part in parts for other in self.mutated_in(part))

    def mutated_in(self, node: n.stmt) -> set[str]:
        """The names whose contents a statement may change, with all within."""
        if node not in self.found_mutated:
            self.found_mutated[node] = mutates([node])
        return self.found_mutated[node]

    def _block_of(self, node: n.stmt) -> list[n.stmt]:
        if not self.parents[node]:
            return [other for other, path in self.parents.items() if not path]
        parent = self.parents[node][-1]
        return parent.body if node in parent.body else parent.orelse

    def wanted(self, code: Sequence[n.AST], at: n.stmt | None, saves: Saves, undone: bool = True) -> set[str]:
        """The primal names that adjoint code reads, those that are computed again replaced by what their definitions read."""
        found: set[str] = set()
        pending = [name for name in _reads(code) if name in self.primal]
        seen: set[str] = set()
        while pending:
            name = pending.pop()
            if name in seen:
                continue
            seen.add(name)
            if self.again(name, at, undone):
                saves.again.append(name)
                pending.extend(part for part in loads(self.cheap[name].value) if part in self.primal)
            else:
                found.add(name)
        saves.again.sort(key=lambda name: self.order[self.cheap[name]])
        return found

    # -- the walk -------------------------------------------------------------------------------------------------------

    def block(self, steps: list[Step], need: Need[str], depth: int) -> Need[str]:
        for step in steps:
            need = self.step(step, need, depth)
        return need

    def step(self, step: Step, need: Need[str], depth: int) -> Need[str]:
        saves = self.saves[id(step)] = Saves()
        node = step.node
        if node is None:
            return need | self.wanted([*step.code, *step.also], step.at, saves, undone=False)
        if isinstance(node, (n.If, n.For, n.While)) and step.idle:
            return self._idle(node, need, saves)
        if isinstance(node, n.If):
            return self._if(step, node, need, depth, saves)
        if isinstance(node, (n.For, n.While)):
            return self._loop(step, node, need, depth, saves)
        read = self.wanted(step.code, node, saves)
        return self._simple(step, node, need, read, saves)

    def _idle(self, node: n.stmt, need: Need[str], saves: Saves) -> Need[str]:
        """A compound statement without adjoint code is undone as a whole."""
        saves.bind = sorted(binds([node]) & need)
        self.note_lost(simple([node]), need)
        seen = {other for part in simple([node]) for name in mutates([part]) for other in {name, *self.aliases.of(name, part)}}
        saves.copies = sorted(seen & need - set(saves.bind))
        return need - set(saves.bind) - set(saves.copies)

    def note_lost(self, body: list[n.stmt], need: Need[str]) -> None:
        """Note what changes a container that is asked again, where the reverse sweep cannot undo it."""
        self.lost += [node for node in body if self.is_asked(self.unfollowed(node), need)]

    @cached_property
    def asked(self) -> set[str]:
        """The names that the reverse sweep reads anywhere: asked of few programs."""
        return names(asked_again(self.steps))

    def is_asked(self, changed: set[str], need: Need[str]) -> bool:
        """Whether the reverse sweep asks what one of these stands for before it changes. What is outside is not put back, whoever asks."""
        return not need.isdisjoint(changed) or not self.asked.isdisjoint(changed - self.primal)

    def unfollowed(self, node: n.stmt) -> set[str]:
        """The names through which a change is seen that is not undone: by a call, or of what is outside."""
        if not isinstance(node, (n.Assign, n.AugAssign)):
            return set()
        target = node.targets[0] if isinstance(node, n.Assign) else node.target
        outside = {base(target) or ""} - self.primal if isinstance(target, n.Subscript) else set()
        return outside | seen_through(written_by_calls(node, self.aliases), node, self.aliases)

    def _simple(self, step: Step, node: n.stmt, need: Need[str], read: set[str], saves: Saves) -> Need[str]:
        self.note_lost([node], need)
        bound = binds([node])
        target = (node.targets[0] if isinstance(node, n.Assign) else node.target) if isinstance(node, (n.Assign, n.AugAssign)) else None
        others = frozenset(name for name in read if name not in bound)
        again = {part for name in saves.again for part in loads(self.cheap[name].value)}  # of the values before the statement
        if isinstance(target, n.Subscript):
            array = base(target)
            assert array is not None
            saves.copies = self._seeing(array, node, need, read)
            if (array in need or array in again) and not step.reads_old and self._leaves_what_is_read(array, target, node):
                pass
            elif array in need or step.reads_old or array in again:
                if isinstance(target.slice, n.Slice) and self.values.of(target.value, self.values.before[node]).kind == "sequence":
                    saves.copies = sorted({array, *saves.copies})  # it may get another length
                else:
                    saves.slice_ = target
                    others |= (loads(target) - {array}) & self.primal  # to put it back
                    self.put_back(array, node)
                    need = need | {array}
            return need | others | ({array} if array in read else frozenset())
        if (name := grown(node)) is not None:
            saves.grown = name if name in need else None
            self.put_back(saves.grown, node)
            saves.copies = self._holding(name, node, need)
            where = loads(position(node)) & self.primal if saves.grown else set()
            return need | others | where
        if (name := altered_container(node)) is not None:
            saves.copies = [name] if name in need or step.reads_old else []
            return need | others
        if (name := shrunk(node)) is not None:
            saves.shrunk = name if name in need else None
            self.put_back(saves.shrunk, node)
            saves.copies = self._holding(name, node, need)
            others |= loads(position(node)) & self.primal if saves.shrunk else set()
        saves.bind = sorted(name for name in bound if name in need or step.reads_old or name in again)
        if isinstance(node, n.AugAssign) and isinstance(target, n.Name):
            known = self.values.before[node].get(target.id, UNKNOWN)
            if not known.scalar:  # it is bound to a copy again, which undoes no change that another name sees
                saves.copies = sorted({*self._seeing(target.id, node, need, read), *read & self.aliases.of(target.id, node)} - {target.id})
        reads_new = saves.shrunk or step.reads_new or not step.reads_old and bound & _reads(step.code)
        new = frozenset(bound - set(saves.again)) if reads_new else frozenset()
        return (need - bound) | others | new

    def _leaves_what_is_read(self, array: str, target: n.Subscript, node: n.stmt) -> bool:
        """Whether a store in a loop overwrites no entry that is read before it."""
        known = self.values.before[node].get(array, UNKNOWN)
        if self.outermost is None or array in self.needed_before or known.kind != "array" or not isinstance(target.value, n.Name):
            return False
        if any(other.isidentifier() for other in self.aliases.of(array, node)):
            return False
        if self.once is None:
            self.once = WrittenOnce(self.outermost, self.order, self.cheap, self.values.scope)
        return self.once.holds(target, node)

    def put_back(self, name: str | None, node: n.stmt) -> None:
        """Note that the reverse sweep gives a container back what a statement takes from it: a copy, if it is the caller's."""
        if name is not None and any(other.startswith("@") for other in self.aliases.of(name, node)):
            self.rewound.add(name)

    def _holding(self, name: str, node: n.stmt, need: Need[str]) -> list[str]:
        """The names of what holds a list that becomes longer or shorter, and has to be as it was before."""
        return sorted(other for other in need & self.aliases.of(name, node) - {name} if holds(other, name, node, self.aliases))

    def _seeing(self, array: str, node: n.stmt, need: Need[str], read: set[str]) -> list[str]:
        """The names through which a change would be seen that have to be as they were before it.

        What the statement itself reads is so once the change is undone, unless it stands for something else by then.
        """
        seeing = (need | read & self.bound_again) & self.aliases.of(array, node) - {array}
        if replaces_entry(node, self.values):  # what was in the list, or in the dict, is left alone
            seeing = frozenset(other for other in seeing if holds(other, array, node, self.aliases))
        return sorted(seeing)

    def _if(self, step: Step, node: n.If, need: Need[str], depth: int, saves: Saves) -> Need[str]:
        ends = []
        for body, steps, kept in ((node.body, step.body, saves.at_end), (node.orelse, step.orelse, saves.at_end_else)):
            end = self.block(steps, need, depth)
            if depth:
                local = {name for name in end & binds(body) if name not in self.live.after[node] and name not in need}
                kept.extend(sorted(local & definite(body)))
                end = end - set(kept)
            ends.append(end)
        return ends[0] | ends[1] | self.wanted([node.test], node, saves)

    def _loop(self, step: Step, node: n.For | n.While, need: Need[str], depth: int, saves: Saves) -> Need[str]:
        targets = target_names(node.target) if isinstance(node, n.For) else set()
        bound = binds(node.body)
        header = frozenset(self.wanted([node.iter], node, saves, undone=False)) if isinstance(node, n.For) else frozenset()
        header |= trips(node, self.values.scope)
        saves.bind = sorted(targets & need)
        local = bound - Liveness(node.body, set()).entry - targets | targets & bound
        entry = need - targets
        head = entry
        if not depth:
            self.outermost, self.needed_before, self.once = step, entry, None
        while True:
            end = self.block(step.body, head - (targets - bound), depth + 1)
            saves.at_end = sorted(end & local)
            new = head | (end - set(saves.at_end) - (targets - bound))
            if new == head:
                break
            head = new
        if not depth:
            self.outermost = None
        early = sorted(set(saves.at_end) & entry)  # a value from before the loop that is still needed under this name
        saves.bind = sorted({*saves.bind, *early})
        return (head | end | header) - set(saves.at_end) - (targets - bound) | header


def _reads(code: Sequence[n.AST]) -> set[str]:
    """The names that adjoint code reads, metadata included."""
    return {name.id for node in code for name in n.names_in(node) if type(name.ctx) is n.Load}


def trips(node: n.For | n.While, scope: Scope) -> set[str]:
    """The counter that the hold pass gave a loop, if any."""
    return set().union(*(binds([part]) for part in node.body if isinstance(part, n.AugAssign))) & scope.counters


def definite(body: list[n.stmt]) -> set[str]:
    """The names that a block binds on every path through it."""
    found: set[str] = set()
    for node in body:
        if isinstance(node, n.If):
            found |= definite(node.body) & definite(node.orelse)
        elif not isinstance(node, (n.For, n.While)):
            found |= binds([node])
    return found


def parents(body: list[n.stmt], above: tuple[n.stmt, ...] = ()) -> dict[n.stmt, list[n.stmt]]:
    """The compound statements around each statement, outermost first."""
    found: dict[n.stmt, list[n.stmt]] = {}
    for node in body:
        found[node] = list(above)
        for inner in (getattr(node, "body", []), getattr(node, "orelse", [])):
            found.update(parents(inner, (*above, node)))
    return found
