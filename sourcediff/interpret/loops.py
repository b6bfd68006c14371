"""Interpret iteration: a loop is kept in the text, or written out where its items are known one by one.

Comprehensions, generators, ``sum`` and ``map`` are the same: what drives the items gives each to what consumes it, where it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..analysis.abstract import Abstract
from ..syntax import nodes as n
from ..syntax.quote import expression, names, place
from .calls import Calls
from .join import Match
from .loop_state import TRIPS, Begin, Consume, Loop, may_be_none
from .places import assign, is_own, left_structure, split, variable_after, widened
from .record_forms import Form, Record
from .state import Place
from .text_containers import once
from .trees import leaves
from .values import LOST, Frame, Items, Kept, Known, NotInterpreted, Replaced, Row, Run, Structure, TooLong, Unsettled, Value


class Loops(Calls):
    """The values of what is iterated over."""

    loops: list[Loop | None]  # those around, None where one is written out
    one_by_one: int  # how many of what is at hand ask for each item
    deep: int = 0  # how many branches and loops of the text are around

    @contextmanager
    def within(self) -> Iterator[None]:
        """A branch of the text, or a loop."""
        self.deep += 1
        try:
            yield
        finally:
            self.deep -= 1

    @contextmanager
    def as_they_run(self) -> Iterator[None]:
        """What gives no item to those who ask for each: its loops may be loops of the text."""
        outer, self.one_by_one = self.one_by_one, 0
        try:
            yield
        finally:
            self.one_by_one = outer

    def unbroken(self, consume: Consume) -> Consume:
        """What takes the items of one iterable out of several: it may not leave the loop over all of them."""
        def consumed(item: Value) -> Any:
            loop, before = self.loops[-1] if self.loops else None, len(self.state.out)
            ended = consume(item)
            if ended == "break" or loop is not None and loop.broken or loop is None and leaves(self.state.out[before:]):
                raise NotInterpreted("a break out of loops within one another")
            return ended

        return consumed

    def given(self, item: Callable[[], Value]) -> Value:
        """An item, whatever has to run for it."""
        with self.as_they_run():
            return item()

    odd = False
    """Whether the loops at hand are written out, on demand."""

    consumers: dict[int, tuple[Consume, Frame, str]]  # by the frames of generators that run, what takes their items, for whom, and its flag

    def block(self, body: list[n.stmt]) -> Any:
        """Interpret statements one after the other (``statements.py``)."""
        raise NotImplementedError

    def generate(self, value: Items, consume: Consume, stops: bool = False, begin: Begin | None = None) -> Any:
        """Run a generator, what consumes its items in place of each ``yield``, and ``stops`` it (``statements.py``)."""
        raise NotImplementedError

    def branch(self, test: Value, first: Callable[[], Any], second: Callable[[], Any], at: n.AST) -> Any:
        """What two blocks do, by a test; what ends them early is returned (``statements.py``)."""
        raise NotImplementedError

    def written_out(self, items: list[Value], consume: Consume) -> Any:
        """Each item after the other."""
        if len(items) > TRIPS:
            raise TooLong
        waiting = [self.state.pinned(item) for item in items]
        self.state.waiting.append(waiting)
        self.loops.append(None)
        try:
            for item in waiting[:]:
                ended = consume(item)
                if ended in ("break", "return", "left"):
                    return None if ended == "break" else ended
            return None
        finally:
            self.loops.pop()
            self.state.waiting.pop()

    flags: tuple[tuple[int, int, str], ...] = ()
    """Of the loops at hand that a flag ends: how many loops are around, what holds the flag, and its name there."""

    def stop(self) -> Any:
        """The end of a loop that a flag ends, which is set here."""
        _, holder, name = self.flags[-1]
        self.state.held[holder][name] = Known(True)
        return "continue"

    def written_out_flagged(self, items: list[Value], consume: Consume, at: n.AST) -> Any:
        """Each item after the other, as long as no ``break`` has set a flag."""
        if len(items) > TRIPS:
            raise TooLong
        holder, outer = self.state.new({"stopped": Known(False)}), self.flags
        frame = Frame(holder, frozenset({"stopped"}), None, None, None)
        self.state.frames = [frame, *self.state.frames]
        waiting = [self.state.pinned(item) for item in items]
        self.state.waiting.append(waiting)
        self.loops.append(None)
        self.flags = *outer, (len(self.loops), holder, "stopped")
        try:
            for item in waiting[:]:
                runs = self.negated(self.state.held[holder]["stopped"])
                ended = self.branch(runs, lambda item=item: consume(item), lambda: None, at)  # type: ignore[misc]
                if ended in ("return", "left"):
                    return ended
            return None
        finally:
            self.loops.pop()
            self.state.waiting.pop()
            self.flags = outer
            self.state.frames = [each for each in self.state.frames if each is not frame]

    def kept(self, node: n.expr, consume: Consume, at: n.AST, target: n.expr | None, kinds: Any = None) -> Any:
        """A loop of the text over an expression of it; ``kinds`` is what is known of the objects that it gives."""
        if self.one_by_one and (self.wanting or isinstance(node, n.Call) or self.outside.holds_unlike(node)):
            items = self.items_of(Run(node))
            if items is not None and (self.wanting or len(items) <= TRIPS):
                return self.written_out(items, consume)
        if self.one_by_one:
            raise Kept
        carried = self.state.carries(node)
        shown: Any = None
        record = self.state.records.of_items(node)
        rows = target is None or isinstance(target, n.Name)
        pairs = rows and isinstance(node, n.Call) and self.outside.meant(node.func) is zip and not any(
            isinstance(part, n.Starred) for part in node.args)
        if record is None and pairs and isinstance(node, n.Call):
            record = Record(tuple, tuple((position, None) for position in range(len(node.args))))
        plain = record is None and target is not None and all(isinstance(part, (n.Name, n.Tuple)) for part in n.walk(target))

        def header(block: list[n.stmt]) -> n.stmt:
            return place(n.For(target=shown, iter=node, body=block or [n.Pass()], orelse=[], type_comment=None), at)

        def begin() -> Any:
            nonlocal shown
            if plain and target is not None:
                shown = self.text_target(target, carried, node)
                self.note_kinds(shown, kinds)
                return consume(None)  # type: ignore[arg-type]
            names_, shown, value = self.item_of(record)
            self.state.final.update(names_)
            parts = zip(shown.elts, node.args) if pairs and isinstance(shown, n.Tuple) and isinstance(node, n.Call) else [(shown, node)]
            if isinstance(node, n.Call) and self.outside.meant(node.func) is enumerate and isinstance(shown, n.Tuple):
                parts = [(shown.elts[1], node)]  # and not the number
            self.state.active.update(name for part, of in parts if self.state.carries(of) for name in names(part))
            if record is None and not pairs:
                self.note_kinds(shown, kinds)
            return consume(value)

        return self.looped(begin, header)

    def item_of(self, record: Form | None) -> tuple[set[str], n.expr, Value]:
        """An item of a loop of the text, which may be an object: its names, the target of the loop, and what it is."""
        if not isinstance(record, Record) or record.kind is not tuple:
            name = self.state.fresh("item")
            value = Run(expression(name)) if record is None else self.shown_record(expression(name), record)
            return {name}, n.Name(id=name, ctx=n.Store()), value
        found = [self.item_of(form) for _, form in record.parts]
        names_ = {name for inner, _, _ in found for name in inner}
        whole = self.structure(tuple, [value for *_, value in found])
        return names_, n.Tuple(elts=[target for _, target, _ in found], ctx=n.Store()), whole

    def note_kinds(self, target: n.expr, kinds: Any) -> None:
        """Note what is known of the objects that the variables of a loop stand for."""
        if isinstance(target, n.Tuple) and isinstance(kinds, list):
            for part, known in zip(target.elts, kinds):
                self.note_kinds(part, known)
        elif isinstance(target, n.Name) and isinstance(kinds, Abstract):
            self.state.kinds[target.id] = kinds
        elif kinds is not None:
            raise NotInterpreted("what the items of a loop are")

    def text_target(self, target: n.expr, carried: bool, over: n.expr) -> n.expr:
        """The target of a loop of the text ``over`` something, its variables bound."""
        function = self.outside.meant(over.func) if isinstance(over, n.Call) else None
        counts = function is range
        if isinstance(target, n.Tuple):
            of: list[n.expr] = [over] * len(target.elts)
            if function is enumerate and len(target.elts) == 2 and isinstance(over, n.Call):
                of = [expression("range(0)"), over.args[0]]
            if function is zip and isinstance(over, n.Call) and len(over.args) == len(target.elts):
                of = list(over.args)
            inner: Any = over
            while isinstance(inner, n.Call) and self.outside.meant(inner.func) in (sorted, list, tuple, reversed) and inner.args:
                inner = inner.args[0]
            if len(target.elts) == 2 and isinstance(inner, n.Call) and getattr(inner.func, "attr", "") == "items" and not inner.args:
                of = [expression("range(0)"), over]  # no key is differentiated
            carry = [carried and (each is over or self.state.carries(each)) for each in of]
            return n.Tuple(elts=[self.text_target(part, *each) for part, *each in zip(target.elts, carry, of)], ctx=n.Store())
        if isinstance(target, n.Starred):
            rest: Any = self.text_target(target.value, carried, over)
            self.state.lists.add(rest.id)
            return n.Starred(value=rest, ctx=n.Store())
        assert isinstance(target, n.Name)
        frame = self.state.frames[-1]
        name = self.state.name_of((frame.identity, target.id), target.id)
        self.state.kinds.pop(name, None)
        self.state.note_bound(name, counts, counts)
        if not self.state.shared.isdisjoint(names(over)):
            self.state.shared.add(name)
        if frame.tree is not None and once(frame.tree, target.id) and None not in self.loops[self.base:]:  # else each trip binds it
            self.state.final.add(name)
        if carried:
            self.state.active.add(name)
        self.state.held[frame.identity][target.id] = Run(expression(name))
        return n.Name(id=name, ctx=n.Store())

    def looped(self, body: Callable[[], Any], header: Callable[[list[n.stmt]], n.stmt]) -> Any:
        """A loop of the text, its body interpreted until what it begins with is what it ends with."""
        if self.now:
            raise NotInterpreted("a loop that runs")
        at = self.state.at
        return self.rerun(lambda: self.looped_with(body, header, at))

    def looped_with(self, body: Callable[[], Any], header: Callable[[list[n.stmt]], n.stmt], at: Any) -> Any:
        """The same, if the containers that it knows may be known in it."""
        state = self.state
        saved = state.saved()
        wide: dict[Place, Row | None] = {}
        apart: dict[Place, int] = {}
        for _ in range(40):
            state.abandon(saved)
            split(state, apart)
            widened(state, wide)
            before = {identity: dict(parts) for identity, parts in state.held.items()}
            loop = Loop(before, state.roots(), state.frames[-1], state.count, at)
            marks, named, before_it = state.marks(), dict(state.named), state.final.union(state.named.values())
            self.loops.append(loop)
            count, depth, known = len(self.loops), len(state.waiting), len(state.records.of)
            try:
                with state.block() as block, self.within():
                    ended = body()
                    assert ended in (None, "continue", "break", "left", "return")
                    if ended in (None, "continue"):
                        self.settle(loop)
                        self.show_new(loop)
            except NotInterpreted:  # of what was not known to be an object
                del state.waiting[depth:]
                if len(state.records.of) == known:
                    raise
                continue
            finally:
                del self.loops[count - 1:]
            if ended == "return":
                raise NotInterpreted("a return in a loop")
            if loop.wide or loop.split:
                settled = all(where in wide and may_be_none(row) <= may_be_none(wide[where]) for where, row in loop.wide.items())
                if settled and loop.split <= apart.keys():
                    raise Unsettled
                wide |= loop.wide
                apart = dict.fromkeys(loop.split, 0) | apart
                continue
            if not {name for _, name in state.marks() - marks}.isdisjoint(before_it):
                continue
            after = state.held
            state.held = {**{identity: dict(parts) for identity, parts in after.items()},
                          **{identity: dict(parts) for identity, parts in before.items()}}
            for identity, parts in before.items():
                for key, value in after.get(identity, {}).items():
                    if parts.get(key) is LOST and (identity, key) not in named and is_own(state, (identity, key), value):
                        state.held[identity][key] = value  # an attribute that the loop stores first
                        state.doubtful.add(state.named[identity, key])
                    elif key not in parts:
                        found = value if is_own(state, (identity, key), value) else self.left_by(loop, value)
                        state.held[identity][key] = found or LOST
            state.held |= loop.copies
            state.frozen |= loop.frozen
            for (identity, name), value in loop.bound.items():
                ended_with = after.get(identity, {}).get(name, value)
                whole = isinstance(value, Structure) and isinstance(ended_with, Structure) and ended_with.identity == value.identity
                known = is_own(state, (identity, name), ended_with) or whole
                state.held[identity][name] = value if known else LOST
            state.emit(header(block))
            return None
        raise Unsettled

    def left_by(self, loop: Loop, value: Value) -> Structure | None:
        """A structure that the last trip of a loop has bound, as the loop leaves it; None for what the text does not have then."""
        if loop.left or not isinstance(value, Structure):
            return None
        if value.identity in loop.match.back:
            return Structure(loop.match.back[value.identity], value.kind)
        return value if self.is_left(loop, value) else None

    def is_left(self, loop: Loop, value: Structure) -> bool:
        """Whether all that a structure holds was made in the last trip, and stands under names that nothing binds anew."""
        if value.identity in loop.held or value.identity in loop.match.back:
            return False
        nodes = [part.node for part in self.state.held[value.identity].values() if isinstance(part, Run)]
        bound = {node.id for node in nodes if isinstance(node, n.Name)}
        self.state.doubtful |= bound
        self.state.of_trips |= bound
        return all(
            isinstance(part, Known) or isinstance(part, Structure) and self.is_left(loop, part)
            or isinstance(part, Run) and (isinstance(part.node, n.Constant) or is_own(self.state, (value.identity, key), part)
                                          or isinstance(part.node, n.Name) and part.node.id in self.state.final)
            for key, part in self.state.held[value.identity].items())

    def show_new(self, loop: Loop, leaving: bool = False) -> dict[Place, Value]:
        """The variables that a loop binds first, as it ends or is left: literals are bound in the text, too, and tuples where it is
        left.
        """
        found: dict[Place, Value] = {}
        for (identity, name), value in self.state.roots().items():
            if name not in loop.held.get(identity, {name}):
                unread = isinstance(value, Row) and not self.is_read_after(loop, identity, name)
                shown = LOST if unread else variable_after(self.state, (identity, name), value, leaving)
                if shown is LOST and (leaving or loop.broken) and self.is_read_after(loop, identity, name):
                    former = loop.bound.get((identity, name))
                    shown = left_structure(self.state, loop.copies, loop.frozen, value, former) or LOST
                found[identity, name] = shown
                self.state.held[identity][name] = value if shown is LOST else shown
        return found

    def is_read_after(self, loop: Loop, identity: int, name: str) -> bool:
        """Whether a variable is read further on than the loop in its function."""
        tree = next((frame.tree for frame in self.state.frames if frame.identity == identity), None)
        end = getattr(loop.node, "end_lineno", None)
        if not isinstance(tree, n.FunctionDef) or end is None:
            return False
        if isinstance(tree.body[-1], n.Return) and isinstance(tree.body[-1].value, n.Name) and tree.body[-1].value.id == name:
            return True  # of a return that stood in the loop
        reads = (part for part in n.walk(tree) if isinstance(part, n.Name) and part.id == name and isinstance(part.ctx, n.Load))
        return any(getattr(part, "lineno", 0) > end for part in reads)

    def with_replacement(self, run: Callable[[], Any]) -> Any:
        """What a loop gives; where another list takes the place of one, and its trips are not known, with that as one of the text."""
        saved, depth, count, frames = self.state.saved(), len(self.state.waiting), len(self.loops), self.state.frames
        try:
            return run()
        except Replaced:
            if self.state.replaces:
                raise
        del self.state.waiting[depth:]
        del self.loops[count:]
        self.state.abandon(saved)
        self.state.frames, self.state.replaces = frames, True
        try:
            return run()
        finally:
            self.state.replaces = False

    def settle(self, loop: Loop) -> None:
        """Assign what the loop begins with, where a trip ends."""
        match = Match(self.state, loop.held, self.state.held)
        match.roots(loop.roots, self.state.roots())
        loop.match = match
        loop.wide |= match.wide
        loop.split |= match.split
        if not match.wide and not match.split:
            assign(self.state, match.copies)

    # what takes the items

    wanting = False
    """Whether lengths of arguments are asked for where items are."""

    def is_row(self, value: Run) -> bool:
        """Whether what the text has is certainly a list or an array."""
        known = self.outside.known(value.node)
        made = self.state.makers.get(value.node.id, []) if isinstance(value.node, n.Name) else []
        own = isinstance(value.node, n.Name) and value.node.id in self.state.lists
        lists = (list, tuple, sorted)
        own = own or bool(made) and all(isinstance(each, n.Call) and self.outside.meant(each.func) in lists for each in made)
        return own or known is not None and known.kind in ("array", "sequence")
