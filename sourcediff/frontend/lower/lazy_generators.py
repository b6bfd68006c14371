"""Refuse generators whose inputs change before they are consumed: they are evaluated at once, as lists."""

from __future__ import annotations

from ...analysis.source.sharing import groups
from ...analysis.statements import binds, loads, mutates, simple, target_names
from ...core.facts.liveness import Liveness
from ...syntax import nodes as n
from ...syntax.quote import names
from ..inline.bodies import Named
from ..inline.calls import Inner
from ..order.named_expressions import HEADS
from ..room import Awaited, Block, Room


class LazyGenerators(Room):
    """Refuses generators that give something else than the lists in place of them."""

    def comprehended(self, node: n.expr, target: str = "") -> n.expr:
        """A comprehension as a list (called ``target``, if that is given) or a dict."""
        start = len(self.state.out)
        made = self.lower.comprehensions.comprehended(node, target)
        if isinstance(node, n.GeneratorExp) and isinstance(made, n.Name):
            late, read = self.read_late(node), self.reached_from(names(node))
            self.state.awaited.append(Awaited(made.id, late, read, self.state.out[start:], node, self.state.sources[-1]))
        return made

    def read_late(self, node: n.GeneratorExp) -> set[str]:
        """The names that a generator asks for what they stand for with each item: all but what its first loop runs over."""
        first = node.generators[0]
        parts = [node.elt, first.target, *first.ifs, *node.generators[1:]]
        return self.reached_from(set().union(*map(names, parts)))

    def reached_from(self, read: set[str]) -> set[str]:
        """Names, and what the functions and objects read that they stand for."""
        found: set[str] = set()
        pending = sorted(read)
        while pending:
            name = pending.pop()
            if name in found:
                continue
            found.add(name)
            if isinstance(function := self.state.functions.get(name), Inner):
                pending += names(function.tree)
            if (given := self.state.partly.get(name)) is not None:
                pending += set().union(*map(names, (given.callee, *given.first, *given.named.values())))
            pending += [local for (owner, _), local in self.state.locals.items() if owner == name]
        return found

    def asked_in_time(self, named: Named) -> None:
        """Refuse a generator if what it reads changes, or what it changes is read, before the last item is taken."""
        if not self.state.awaited:
            return
        live = Liveness(list(named), names(named.result) if named.result is not None else set())
        together = groups(named, self.scope)
        for target, late, read, built, node, source in self.state.awaited:
            waiting = called_too(named, target)
            own = set(simple(built))
            done = (binds(built) | mutates(built)) - waiting
            for part in simple(named):
                if part in own or not waiting & live.after[part]:
                    continue
                head = HEADS.get(type(part))  # of what stands in its blocks, each statement has its turn
                bound = target_names(part.target) if isinstance(part, n.For) else set() if head else binds([part])
                changed = set() if head else mutates([part])
                read_now = loads(getattr(part, head) if head else part)
                if bound & late or done & read_now or any(together.get(name, {name}) & read for name in changed):
                    self.refused(node, "a generator of what changes", "its items are computed when they are asked for", "make a list",
                                 source)
                    break


def called_too(body: Block, name: str) -> set[str]:
    """A name, and those that are given what it stands for, alone or in a tuple or list."""
    found = {name}
    bound = [(node.value, target_names(node.targets[0])) for node in simple(body) if isinstance(node, n.Assign)]
    bound = [(value, targets) for value, targets in bound if isinstance(value, (n.Name, n.Tuple, n.List)) and targets]
    while more := [targets for value, targets in bound if names(value) & found and not targets <= found]:
        found.update(*more)
    return found
