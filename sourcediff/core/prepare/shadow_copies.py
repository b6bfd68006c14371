"""Keep a shadow copy of what may be a view or a copy, or of one array or another, in step with its original."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...analysis.abstract import UNKNOWN
from ...analysis.scope import MISSING, Scope
from ...analysis.statements import base, binds, mutates, simple
from ...rules.formula import reads
from ...syntax import nodes as n
from ...syntax.quote import altered, clone, expression, names, place, statement
from ..before_exit import ended
from ..facts.aliases import Aliases, touched_names
from ..facts.values import Values
from .view_inverse import Site, followers, sites

Block = list[n.stmt]
AHEAD, BEHIND = "ahead", "behind"
"""What a mirror may be of its array: changed since it was the same, or not changed as the array was."""


class MirrorState(NamedTuple):
    """How a mirror may stand to its array at some point of the program, and whether it is ``bound`` there whatever the path."""

    due: str = ""
    bound: bool = False


def mirror(body: Block, aliases: Aliases, output: str, chosen: set[str], may_be: set[str]) -> Block | None:
    """The program with one of the ``chosen`` names a mirror, a copy of what it is a view of; None where none of them can be one.

    ``may_be``: the names that are no mirrors yet.

    >>> import numpy as np
    >>> from sourcediff.api.explain import text_after
    >>> def filled(x):
    ...     a = x * 2
    ...     flat = a.ravel()
    ...     for i in range(3):
    ...         flat[i] = x[0, i] ** 2
    ...     return np.sum(a)
    >>> print(text_after("rewrite_views", filled, args=(np.ones((3, 3)),)))
    a = x * 2
    t2 = a.ravel()
    flat_shared = np.may_share_memory(a, t2)
    flat = np.copy(t2)
    for i in range(3):
        t = x[0, i]
        t1 = t ** 2
        flat[i] = t1
    if flat_shared:
        t3 = np.reshape(flat, np.shape(a))
        a[...] = t3
    value = np.sum(a)

    Before a statement reads the array, what was stored into the mirror is stored into the array too; before one reads the mirror, it is
    taken anew if the array has changed. So nothing shares memory, and where ``ravel`` gave a copy, nothing is stored.
    """
    changed = mutates(body)
    order = {name: number for number, node in enumerate(simple(body)) if isinstance(node, n.Assign) for name in binds([node])}
    for name in sorted(chosen & may_be & order.keys(), key=order.__getitem__, reverse=True):
        found = sites(name, body, aliases, changed)
        after = followers(name, aliases) if found is not None else None
        if found is None or after is None or (after - {name}) & (chosen | changed | {site.array for site in found.values()}):
            continue
        made = Mirror(name, found, aliases, body, output).whole(body)
        if made is not None:
            may_be.remove(name)
            aliases.scope.mirrors.add(name)
            return made
    return None


class Unmirrored(Exception):
    """A statement goes through the entries of the array, or of the mirror, one by one."""


class Mirror:
    """Walks the program with how a mirror may stand to its array."""

    def __init__(self, name: str, found: dict[n.stmt, Site], aliases: Aliases, body: Block, output: str):
        self.name = name
        self.aliases = aliases
        self.scope: Scope = aliases.values.scope
        self.output = output
        self.taken = found
        views = [site for site in found.values() if site.array]
        self.number = {id(site): number for number, site in enumerate(views, start=1)}
        self.views = views
        steady = unbound_again(body, aliases.values)
        self.kept = {id(site): self.keeping(site, steady) for site in views}
        several = len(views) > 1
        self.flag = self.scope.fresh(f"{name}_of" if several else f"{name}_shared")
        self.several = several
        self.asked = several or len(found) > 1 or not views[0].certain
        self.unsure = False
        self.last = ""  # the name of the view that has been taken
        self.derived = {name}  # the mirror, and what is a view of it
        for node in aliases.before:
            if isinstance(node, n.Assign) and aliases.sources(node.value, node) & self.derived and node not in found:
                self.derived |= binds([node])

    def keeping(self, site: Site, steady: set[str]) -> dict[str, str]:
        """The names in a view that may be bound again, and what their values are kept under."""
        assert site.view is not None
        moving = sorted(name for name in reads(site.view)[0] - steady if self.scope.lookup(name) is MISSING)
        return {name: self.scope.fresh(name + "_kept") for name in moving}

    def whole(self, body: Block) -> Block | None:
        """The program; None if it cannot be written."""
        before = set(self.scope.taken)
        try:
            made = self.walked(body)
            if self.unsure and not self.asked:
                self.asked, self.scope.taken = True, before
                made = self.walked(body)
        except Unmirrored:
            return None
        if self.asked and self.unsure:
            made.insert(0, place(statement("$f = $z", f=self.flag, z=expression("0" if self.several else "False")), body[0]))
        return made

    def walked(self, body: Block) -> Block:
        made, state = self.block(body, MirrorState())
        others = self.aliases.final.get(self.name, frozenset()) - {self.name}
        seen = self.output in others or any(other.startswith(("@", "*")) for other in others)
        if state.due == AHEAD and seen or state.due == BEHIND and self.name == self.output:
            made += self.settled(state, body[-1])
        return made

    def block(self, body: Block, state: MirrorState) -> tuple[Block, MirrorState]:
        done: Block = []
        for node in body:
            made, state = self.statement(node, state)
            late: Block = []
            if state.due and self.name not in self.aliases.live.after[node]:  # nobody will ask for the mirror again
                late = self.settled(state, node) if state.due == AHEAD else []
                state = state._replace(due="")
            done += [*late, *made] if isinstance(node, (n.Break, n.Continue)) else [*made, *late]
        return done, state

    def statement(self, node: n.stmt, state: MirrorState) -> tuple[Block, MirrorState]:
        if isinstance(node, n.If):
            return self._if(node, state)
        if isinstance(node, (n.For, n.While)):
            return self._loop(node, state)
        if (site := self.taken.get(node)) is not None:
            before, state = self.ready(node.value, node, state)
            before += self.settled(state, node) if state.due == AHEAD else []
            return [*before, *(place(part, node) for part in self.bound(node, site))], MirrorState(bound=True)
        before, state = self.ready(node, node, state)
        node = self.asked_of_view(node)
        changed = mutates([node])
        if self.name in changed:
            state = state._replace(due=AHEAD)
        elif changed & self.aliases.of(self.name, node):
            state = state._replace(due=BEHIND)
        return [*before, node], state

    def asked_of_view(self, node: n.stmt) -> n.stmt:
        """A statement that asks whether the mirror shares memory, asking so of the view that it is a copy of."""
        changes = {}
        for part in n.walk(node):
            if not isinstance(part, n.Call) or self.scope.resolve(part.func) not in (np.may_share_memory, np.shares_memory):
                continue
            asked = names(list(part.args))
            if asked <= self.derived or not asked & self.derived:
                continue
            if not asked & self.derived <= {self.name} or len(self.taken) > 1 or not self.last:
                raise Unmirrored
            changes[self.name] = expression(self.last)
        return altered(node, value=clone(node.value, changes)) if changes and isinstance(node, n.Assign) else node

    def ready(self, read: n.AST, node: n.stmt, state: MirrorState) -> tuple[Block, MirrorState]:
        """What has to be done before a statement that reads the array, or the mirror."""
        names = touched_names(read, self.scope)
        if state.due == AHEAD and names & self.aliases.of(self.name, node) or state.due == BEHIND and self.name in names:
            return self.settled(state, node), state._replace(due="")
        return [], state

    def bound(self, node: n.Assign, site: Site) -> Block:
        """The statement that binds the mirror, to a copy if that is a view."""
        if not site.array:
            return [node, statement("$f = $z", f=self.flag, z=expression("0" if self.several else "False"))] if self.asked else [node]
        made = [statement("$k = $v", k=kept, v=name) for name, kept in self.kept[id(site)].items()]
        numpy = self.scope.imported("np", np)
        assert site.view is not None
        view = self.viewed(clone(site.view), made)
        if self.asked:
            number = expression(str(self.number[id(site)]))
            shares = expression("$np.may_share_memory($a, $v)", np=numpy, a=site.array, v=view)
            if site.certain:
                shares = number if self.several else expression("True")
            elif self.several:
                shares = expression("$k * $s", k=number, s=shares)
            made.append(statement("$f = $s", f=self.flag, s=shares))
        self.last = view.id
        return [*made, statement("$m = $np.copy($v)", m=self.name, np=numpy, v=view)]

    # -- making both the same -------------------------------------------------------------------------------------------

    def settled(self, state: MirrorState, at: n.stmt) -> Block:
        """What makes the mirror and its array the same again."""
        if not state.bound:
            self.unsure = True
        done: Block = []
        for site in reversed(self.views):
            code = self.stored(site) if state.due == AHEAD else self.renewed(site)
            if self.asked:
                test = expression("$f == $k", f=self.flag, k=self.number[id(site)]) if self.several else expression(self.flag)
                code = [n.If(test=test, body=code, orelse=done)]
            done = code
        for part in done:
            for made in n.walk(part):
                place(made, at)
        return done

    def stored(self, site: Site) -> Block:
        """The mirror's entries go to their places in the array."""
        assert site.back is not None
        kept = {name: expression(other) for name, other in self.kept[id(site)].items()}
        array = self.kept[id(site)].get(site.array, site.array)
        return [clone(part, kept) for part in site.back(self.name, array, self.scope)]

    def renewed(self, site: Site) -> Block:
        """The mirror is taken anew."""
        assert site.view is not None
        view = clone(site.view, {name: expression(other) for name, other in self.kept[id(site)].items()})
        made: Block = []
        view = self.viewed(view, made)
        return [*made, statement("$m = $np.copy($v)", m=self.name, np=self.scope.imported("np", np), v=view)]

    def viewed(self, view: n.expr, made: Block) -> n.expr:
        """The name of a view, and before it the statements that take it."""
        if isinstance(view, n.Name):
            return view
        if isinstance(view, n.Subscript) and isinstance(view.value, n.Call):
            view.value = self.viewed(view.value, made)
        taken = expression(self.scope.fresh("t"))
        made.append(statement("$t = $v", t=taken, v=view))
        return taken

    # -- branches and loops ---------------------------------------------------------------------------------------------

    def _if(self, node: n.If, state: MirrorState) -> tuple[Block, MirrorState]:
        before, state = self.ready(node.test, node, state)
        ends = []
        for body in (node.body, node.orelse):
            made, end = self.block(body, state)
            ends.append((made, end))
        both = joined_mirrors(ends[0][1], ends[1][1])
        if both is None:
            ends = [(ended(made, self.settled(end, node)), end._replace(due="")) if end.due == AHEAD else (made, end) for made, end in ends]
            both = joined_mirrors(ends[0][1], ends[1][1])
            assert both is not None
        return [*before, altered(node, body=ends[0][0], orelse=ends[1][0])], both

    def _loop(self, node: n.For | n.While, state: MirrorState) -> tuple[Block, MirrorState]:
        header = node.iter if isinstance(node, n.For) else node.test
        if isinstance(node, n.For) and touched_names(header, self.scope) & {self.name, *self.aliases.of(self.name, node)}:
            raise Unmirrored
        before, state = self.ready(header, node, state)
        head, same = state, False
        while True:
            taken = set(self.scope.taken)
            _, end = self.block(node.body, head)
            if isinstance(node, n.While):
                _, end = self.ready(header, node, end)
            self.scope.taken = taken  # that was a trial
            new = joined_mirrors(head, end._replace(due="") if same else end)
            if new == head:
                break
            head, same = (MirrorState(bound=head.bound), True) if new is None else (new, same)
        if same and state.due:
            before += self.settled(state, node)
        body, end = self.block(node.body, head)
        last: Block = []
        if isinstance(node, n.While):
            last, end = self.ready(header, node, end)
        if same and end.due:
            last = [*last, *self.settled(end, node)]
        return [*before, altered(node, body=ended(body, last))], head


def joined_mirrors(one: MirrorState, other: MirrorState) -> MirrorState | None:
    """How a mirror may stand where two paths meet; None if it may be ahead on the one and behind on the other."""
    if one.due and other.due and one.due != other.due:
        return None
    return MirrorState(one.due or other.due, one.bound and other.bound)


def unbound_again(body: Block, values: Values) -> set[str]:
    """The names that mean the same wherever they are bound: once at most, and not in a loop; parameters, nowhere."""
    bound: dict[str, int] = dict.fromkeys(values.before[body[0]], 1)
    looped = binds([node for node in simple(body) if isinstance(node, (n.For, n.While))])
    for node in simple(body):
        if isinstance(node, n.AugAssign) and values.before[node].get(base(node.target) or "", UNKNOWN).kind == "array":
            continue  # it stays the array that it is
        for name in binds([node]) if isinstance(node, (n.Assign, n.AugAssign)) else ():
            bound[name] = bound.get(name, 0) + 1
    everything = {part.id for node in body for part in n.walk(node) if isinstance(part, n.Name)}
    return {name for name in everything if name not in looped and bound.get(name, 0) <= 1}
