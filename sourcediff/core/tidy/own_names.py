"""Give what is saved a name of its own, where its name is bound anew to something that has nothing to do with it.

>>> from sourcediff.syntax.quote import statements
>>> from sourcediff.syntax.text import block_lines
>>> body = statements('''
... y = np.sin(x)
... y_saved = y
... y = np.exp(y)
... y_bar = y * y_bar
... y = y_saved
... x_bar = y * y_bar
... ''')
>>> print("\\n".join(block_lines(own_names(body, set(), lambda name, more=iter("12"): name + next(more)), 0, [""])))
y = np.sin(x)
y_saved = y
y1 = np.exp(y)
y_bar = y1 * y_bar
y2 = y_saved
x_bar = y2 * y_bar

What is copied from name to name then gets one name (``one_name.py``), and what is saved in a loop is saved at its end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping

from ...analysis.statements import entry_put_in, grown, loads, shrunk, simple, target_names, targets
from ...syntax import nodes as n
from ...syntax.quote import altered, clone, expression, names
from .one_name import SCOPED, is_copy

Block = list[n.stmt]
Definition = tuple[int, str]
"""A statement that binds a name (0: whatever did so before the body), and the name."""
State = dict[str, frozenset[Definition]]


def own_names(body: Block, tapes: Collection[str], fresh: Callable[[str], str]) -> Block:
    """A body in which names that are copied, or saved on ``tapes``, stand for one variable each; ``fresh`` makes new ones."""
    every = simple(body)
    bound = Counter(name for node in every if shrunk(node) is None for target in targets(node) for name in target_names(target))
    kept = {part.id for node in every if grown(node) in tapes and isinstance(part := entry_put_in(node), n.Name)}
    kept |= {name for node in every if is_copy(node) for name in names(node)}
    scoped = {name for node in every if isinstance(node, n.For) for name in target_names(node.target)}
    scoped |= {part.id for node in every for inner in n.walk(node) if isinstance(inner, SCOPED) for part in n.names_in(inner)}
    watched = {name for name in kept - scoped - set(tapes) if bound[name] > 1}
    return OwnNames(watched, fresh).renamed(body) if watched else body


class OwnNames:
    """Joins the definitions that reach one use, and gives each class of them a name."""

    def __init__(self, watched: set[str], fresh: Callable[[str], str]):
        self.watched = watched
        self.fresh = fresh
        self.one: dict[Definition, Definition] = {}
        self.uses: dict[Definition, Definition] = {}  # by statement and name, one of the definitions that reach it
        self.left: list[list[State]] = []  # of the loops around, what is known where they are left
        self.spelled: dict[Definition, str] = {}

    def renamed(self, body: Block) -> Block:
        """The body with these names."""
        self._block(body, {name: frozenset({(0, name)}) for name in self.watched})
        for name in sorted(self.watched):
            self.spelled[self._root((0, name))] = name if (0, name) in self.uses.values() else ""
        return self._written(body)

    def _root(self, definition: Definition) -> Definition:
        while (other := self.one.get(definition, definition)) != definition:
            definition = other
        return definition

    def _block(self, body: Block, state: State) -> State:
        for node in body:
            header = node.iter if isinstance(node, n.For) else node.test if isinstance(node, (n.If, n.While)) else node
            for name in loads(header) & self.watched:
                self._use((id(node), name), state[name])
            if isinstance(node, n.If):
                state = merged(self._block(node.body, state), self._block(node.orelse, state))
            elif isinstance(node, (n.For, n.While)):
                state = self._loop(node, state)
            elif isinstance(node, n.Break):
                self.left[-1].append(state)
            else:
                found = {name for target in targets(node) for name in target_names(target)} & self.watched
                if isinstance(node, n.AugAssign):
                    for name in found:
                        self._use((id(node), name), state[name] | {(id(node), name)})
                state = state | {name: frozenset({(id(node), name)}) for name in found}
        return state

    def _loop(self, node: n.For | n.While, state: State) -> State:
        bound = target_names(node.target) & self.watched if isinstance(node, n.For) else set()
        self.left.append([])
        while True:
            inner = self._block(node.body, state | {name: frozenset({(id(node), name)}) for name in bound})
            if isinstance(node, n.While):
                for name in loads(node.test) & self.watched:
                    self._use((id(node), name), inner[name])
            if (around := merged(state, inner)) == state:
                break
            state = around
        for left in self.left.pop():
            state = merged(state, left)
        return state

    def _use(self, use: Definition, reaching: frozenset[Definition]) -> None:
        first, *others = sorted(self._root(definition) for definition in {*reaching, *([self.uses[use]] if use in self.uses else ())})
        self.uses[use] = first
        self.one |= dict.fromkeys(others, first)

    def _name(self, definition: Definition) -> str:
        """What a class of definitions is called: the first that is met keeps its name."""
        root, name = self._root(definition), definition[1]
        if not self.spelled.get(root):
            taken = name in self.spelled.values()
            self.spelled[root] = self.fresh(name) if taken else name
        return self.spelled[root]

    def _written(self, body: Block) -> Block:
        done: Block = []
        for node in body:
            if isinstance(node, (n.If, n.For, n.While)):
                part = "iter" if isinstance(node, n.For) else "test"
                fields = {part: clone(getattr(node, part), self._read(node))}
                if isinstance(node, n.For):
                    fields["target"] = clone(node.target, self._bound(node))
                done.append(altered(node, **fields, body=self._written(node.body), orelse=self._written(node.orelse)))
            elif self.watched.isdisjoint(names(node)):
                done.append(node)
            elif isinstance(node, n.Assign):
                read, bound = self._read(node), self._bound(node)
                left = [clone(target, read if isinstance(target, n.Subscript) else bound) for target in node.targets]
                done.append(altered(node, targets=left, value=clone(node.value, read)))
            else:
                done.append(clone(node, self._read(node)))
        return done

    def _read(self, node: n.stmt) -> Mapping[str, n.expr]:
        return {name: expression(self._name(self.uses[id(node), name])) for name in self.watched if (id(node), name) in self.uses}

    def _bound(self, node: n.stmt) -> Mapping[str, n.expr]:
        found = {name for target in targets(node) for name in target_names(target)} & self.watched
        return {name: expression(self._name((id(node), name))) for name in found}


def merged(one: State, other: State) -> State:
    """What may reach a place that is reached in two ways."""
    return {name: one[name] | other[name] for name in one}
