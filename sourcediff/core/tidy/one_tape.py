"""Keep what a block saves in one list of tuples, not in a list for each name.

>>> from sourcediff.syntax.quote import statements
>>> from sourcediff.syntax.text import block_lines
>>> body = statements('''
... x_saved = []
... y_saved = []
... for k in range(3):
...     x_saved.append(x)
...     x = y * x
...     y_saved.append(y)
...     y = np.sin(y)
... for k in reversed(range(3)):
...     y = y_saved.pop()
...     x = x_saved.pop()
...     x_bar = y * x_bar
... ''')
>>> (made,) = one_tape([body], {"x_saved", "y_saved"}, lambda name: name)
>>> print("\\n".join(block_lines(made, 0, [""])))
saved = []
for k in range(3):
    saved.append((x, y))
    x = y * x
    y = np.sin(y)
for k in reversed(range(3)):
    x, y = saved.pop()
    x_bar = y * x_bar
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from ...analysis.statements import base, binds, breaks, entry_put_in, grown, mutates, position, shrunk
from ...rules.formula import metadata_read
from ...syntax import nodes as n
from ...syntax.quote import altered, as_target, clone, expression, names, place, statement

Block = list[n.stmt]


@dataclass
class Tape:
    """A list that one sweep fills and the other empties: the statements that make it, fill it, empty it, and hand it on or copy it."""

    made: Block = field(default_factory=list)
    pushes: Block = field(default_factory=list)
    pops: Block = field(default_factory=list)
    handed: Block = field(default_factory=list)


@dataclass
class Group:
    """Tapes that become one, and the one of their pushes, or pops, in place of which all of them are done."""

    tapes: list[Tape]
    moments: Block


def one_tape(bodies: Sequence[Block], tapes: Collection[str], fresh: Callable[[str], str]) -> list[Block]:
    """The bodies of a program's functions, with one list in place of those of ``tapes`` that have the same length at all times."""
    found = OneTape(tapes, fresh)
    for body in bodies:
        found.look(body)
    found.join()
    return [found.rewritten(body) for body in bodies]


class OneTape:
    """Finds the tapes that are filled together and emptied together, and makes one of them."""

    def __init__(self, tapes: Collection[str], fresh: Callable[[str], str]):
        self.fresh = fresh
        self.tapes = {name: Tape() for name in tapes}
        self.where: dict[int, tuple[Block, int]] = {}  # of a statement that has to do with a tape: its block, and which it is there
        self.instead: dict[int, Block] = {}
        self.renamed: dict[str, n.Name] = {}
        self.given_back: Counter[tuple[int, str | None]] = Counter()
        self.facts: dict[int, tuple[set[str], set[str], bool | None, bool]] = {}
        self.said: set[tuple[str, n.stmt | None]] = set()

    def look(self, block: Block) -> None:
        """Note which statements have to do with tapes. What anything else is done with is none of them."""
        for at, node in enumerate(block):
            part: n.AST = node.iter if isinstance(node, n.For) else node.test if isinstance(node, (n.If, n.While)) else node
            while_any = isinstance(node, n.While) and isinstance(part, n.Name)
            for name in set() if while_any else names(part) & self.tapes.keys():
                self.where[id(node)] = block, at
                if (site := self._site(name, node)) is None:
                    del self.tapes[name]
                else:
                    site.append(node)
            for inner in (getattr(node, "body", []), getattr(node, "orelse", [])):
                self.look(inner)

    def _site(self, name: str, node: n.stmt) -> Block | None:
        """What a statement does with a tape, as a field of it."""
        tape = self.tapes[name]
        if grown(node) == name and not position(node):
            return None if name in names(entry_put_in(node)) else tape.pushes
        if isinstance(node, n.Assign) and shrunk(node) == name and not position(node):
            return None if name in names(node.targets[0]) or isinstance(node.targets[0], n.Tuple) else tape.pops
        if isinstance(node, n.Assign) and isinstance(node.value, n.List) and not node.value.elts and isinstance(node.targets[0], n.Name):
            return tape.made
        handed = [part for part in handed_on(node) if name in names(part)]
        alone = len(handed) == 1 and [part.id for part in n.names_in(handed[0])].count(name) == 1
        everywhere = [part.id for part in n.names_in(node)].count(name)
        return tape.handed if alone and everywhere == 1 + (own_copy(node) == name) else None

    def join(self) -> None:
        """Decide which tapes become one, and what is written in their places."""
        alike: dict[object, list[Group]] = {}
        self.given_back.update((id(self._block(node)), name_of(node)) for tape in self.tapes.values() for node in tape.pops)
        found = [(name, tape) for name, tape in self.tapes.items() if len(tape.made) == 1 and tape.pushes and tape.pops]
        for name, tape in sorted(found, key=lambda each: (self._at(each[1].made[0]), self._at(each[1].pushes[0]))):
            groups = alike.setdefault(self._kind(name, tape), [])
            if not any(self._fits(group, tape) for group in groups):
                groups.append(Group([tape], [*tape.pushes, *tape.pops]))
        names_of = {id(tape): name for name, tape in found}
        for group in (group for groups in alike.values() for group in groups if len(group.tapes) > 1):
            one = expression(self.fresh("saved"))
            self._write(group, one)
            self.renamed.update((names_of[id(tape)], one) for tape in group.tapes)

    def _at(self, node: n.stmt) -> int:
        return self.where[id(node)][1]

    def _block(self, node: n.stmt) -> Block:
        return self.where[id(node)][0]

    def _kind(self, name: str, tape: Tape) -> object:
        """What tapes have in common that become longer, and shorter, together."""
        sites = tuple(tuple(id(self._block(node)) for node in part) for part in (tape.made, tape.pushes, tape.pops))
        handed = tuple((id(self._block(node)), type(part), *sorted(names(part) - {name}))
                       for node in tape.handed for part in handed_on(node) if name in names(part))
        return sites, handed

    def _fits(self, group: Group, tape: Tape) -> bool:
        """Add a tape to a group, if what they hold can be saved, and be given back, at one moment."""
        made = sorted(self._at(each.made[0]) for each in (group.tapes[0], tape))
        if any(isinstance(node, (n.If, n.For, n.While)) for node in self._block(tape.made[0])[made[0]: made[1]]):
            return False
        moments = []
        for node, at, *others in zip([*tape.pushes, *tape.pops], group.moments, *([*each.pushes, *each.pops] for each in group.tapes)):
            if shrunk(node) is not None and any(name_of(node) == name_of(other) for other in others):
                return False
            fitting = at if self._moves(node, at) else node if all(self._moves(other, node) for other in others) else None
            if fitting is None:
                return False
            moments.append(fitting)
        group.tapes.append(tape)
        group.moments = moments
        return True

    def _moves(self, node: n.stmt, to: n.stmt) -> bool:
        """Whether a push, or a pop, can be done where another one is: nothing between changes what it saves, or reads what it gives back.

        Pushes do not pass pops, nor pops of one name each other: where either goes is not known here.
        """
        if node is to:
            return True
        pushed = grown(node) is not None
        part = entry_put_in(node) if pushed else node.targets[0]
        own, alone = names(part), isinstance(part, n.Name) or metadata_read(part) is not None
        block = self._block(node)
        if not pushed and self.given_back[id(block), name_of(node)] > 1:
            return False
        first, last = sorted((self._at(node), self._at(to)))
        for other in block[first: last + 1]:
            if other is node:
                continue
            if id(other) not in self.facts:
                self.facts[id(other)] = names(other), binds(other) | mutates(other), self._saves(other), breaks([other])
            read, changed, saves, leaves = self.facts[id(other)]
            if leaves or saves is (not pushed) or not alone and saves is None or own & (changed if pushed else read):
                return False
        return True

    def _saves(self, node: n.stmt) -> bool | None:
        """Whether a statement pushes, False if it pops, None if it does neither."""
        return True if grown(node) in self.tapes else False if shrunk(node) in self.tapes else None

    def _write(self, group: Group, one: n.expr) -> None:
        made = [tape.made[0] for tape in group.tapes]
        self._replace(made, min(made, key=self._at), statement("$s = []", s=one))
        for at, *nodes in zip(group.moments, *([*tape.pushes, *tape.pops] for tape in group.tapes)):
            if grown(at) is not None:
                kept = n.Tuple(elts=[clone(entry_put_in(node)) for node in nodes], ctx=n.Load())
                self._replace(nodes, at, statement("$s.append($t)", s=one, t=kept))
            else:
                given = n.Tuple(elts=[as_target(node.targets[0]) for node in nodes], ctx=n.Store())
                self._replace(nodes, at, statement("$t = $s.pop()", t=given, s=one))

    def _replace(self, nodes: Block, at: n.stmt, by: n.stmt) -> None:
        for node in nodes:
            self.instead[id(node)] = [place(by, node)] if node is at else []

    def rewritten(self, block: Block) -> Block:
        """A block with what was decided."""
        done: Block = []
        for node in block if self.renamed else ():
            if id(node) in self.instead:
                done += self.instead[id(node)]
            elif isinstance(node, (n.If, n.For, n.While)):
                test = {"test": clone(node.test, self.renamed)} if isinstance(node, n.While) else {}
                done.append(altered(node, body=self.rewritten(node.body), orelse=self.rewritten(node.orelse), **test))
            elif self.renamed.keys().isdisjoint(names(node)):
                done.append(node)
            elif (name := own_copy(node)) is None or self._once(name):
                made = clone(node, self.renamed)
                if name is None:
                    handed_on(made)[:] = [clone(part, self.renamed) for part in handed_on(node) if self._once(*names(part), of=node)]
                done.append(made)
        return done if self.renamed else block

    def _once(self, *read: str, of: n.stmt | None = None) -> bool:
        """Whether what reads these names is the first that stands for the one tape that they became."""
        found = {(self.renamed[name].id, of) for name in read if name in self.renamed}
        new = found - self.said
        self.said |= found
        return new == found


def handed_on(node: n.stmt) -> list[n.expr]:
    """The expressions by which a statement hands tapes on: at the end of the forward sweep, where the reverse one begins, in a copy."""
    if isinstance(node, n.Return) and isinstance(node.value, n.Tuple) and isinstance(node.value.elts[-1], n.Tuple):
        return node.value.elts[-1].elts  # type: ignore[no-any-return]
    if isinstance(node, n.Assign) and isinstance(node.targets[0], n.Tuple) and isinstance(node.value, n.Name):
        return node.targets[0].elts  # type: ignore[no-any-return]
    return [node.value] if own_copy(node) is not None else []


def name_of(node: n.Assign) -> str | None:
    """The name that a pop binds, or of the array into which it stores."""
    target = node.targets[0]
    return target.id if isinstance(target, n.Name) else base(target)


def own_copy(node: n.stmt) -> str | None:
    """``saved`` for ``saved = [*saved]`` and ``saved = copied(saved)``, else None."""
    name = node.targets[0].id if isinstance(node, n.Assign) and isinstance(node.targets[0], n.Name) else None
    return name if name is not None and isinstance(node.value, (n.Call, n.List)) and name in names(node.value) else None
