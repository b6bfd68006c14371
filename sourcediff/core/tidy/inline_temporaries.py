"""Inline temporaries of the compiler's that are used once.

>>> import numpy as np
>>> from sourcediff.api.explain import text_after
>>> def energy(x, k):
...     return np.sum(k * np.sin(x))
>>> print(text_after("derive", energy, args=(np.ones(2), 3.0)))
t = np.sin(x)
t1 = k * t
value = np.sum(t1)
t_bar = k
x_bar = t_bar * np.cos(x)
return x_bar
>>> print(text_after("inline_temporaries", energy, args=(np.ones(2), 3.0)))
x_bar = k * np.cos(x)
return x_bar
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from ...analysis.fresh import is_fresh
from ...analysis.source.sharing import grouped
from ...analysis.statements import base, grown, is_add_at, loads, popped, shrunk, simple, target_names, targets
from ...rules.formula import metadata_read
from ...syntax import nodes as n
from ...syntax.quote import clone, names, negated, place, position_of
from .fold_factors import Factors

Block = list[n.stmt]

LONGEST = 26  # nodes of an expression that still reads well on one line
SHORT = 14  # nodes of an adjoint of the user's that needs no name
NEAR = 7  # statements between which one still sees what goes where


class Inline:
    """Put the value of a name that was made here and is used once, a little later, where it is used."""

    def __init__(
        self, made: set[str], bars: set[str], floating: Callable[[n.expr], bool], tried: Collection[tuple[str, int]] = (),
        adjoints: Collection[str] = (), alike: Callable[[str], bool] = bool, functions: Collection[str] = (), last: bool = False,
    ):
        self.made = made  # the names that the compiler made: only these may vanish before the first of the ``adjoints``
        self.adjoints = adjoints
        self.alike = alike  # whether a sum of what a name holds is of its own dtype and shape
        self.bars = bars  # the names of adjoints: a store into one changes no primal value
        self.functions = functions  # names of modules and functions
        self.last = last  # nothing is derived of the program again
        self.factors = Factors(floating)
        self.tried = tried  # the lines in a try: what they raise is told by the line

    def block(self, body: Block) -> Block:
        """The block with such values in their places; ``t1 = x @ w`` and ``y = t1 + b`` become ``y = x @ w + b``."""
        self.shared = sharing(body, self.functions)
        self.once = ReadOnce(body).found
        self.resized = set() if self.last else {name for node in simple(body) if (name := grown(node) or shrunk(node)) is not None}
        self.fit: set[n.stmt] = set()  # of these the definitions that were met, and may vanish
        self.backwards = False
        return self._block(body)

    def _block(self, body: Block) -> Block:
        done: Block = []
        for node in body:
            self.backwards = self.backwards or _defines(node) in self.adjoints
            for field in ("body", "orelse"):
                if getattr(node, field, None):
                    setattr(node, field, self._block(getattr(node, field)))
            self._pull(node, done)
            if (sum_ := self._begun(node, done)) is not node:
                if node in self.once:
                    self.once.add(sum_)
                node = sum_
            if isinstance(node, (n.Assign, n.AugAssign)):
                node.value = self.factors.multiplied(node.value, isinstance(node, n.AugAssign))
            signed(node)
            if node in self.once and _defines(node) and (_defines(node) in self.made or self.backwards and self._needs_no_name(node)):
                self.fit.add(node)
            done.append(node)
        return done

    def _needs_no_name(self, node: n.Assign) -> bool:
        """Whether a value of the reverse sweep, which the user has named, may do without: what is computed again, or a short adjoint."""
        product = isinstance(node.value, n.BinOp) and isinstance(node.value.op, n.MatMult)
        name = _defines(node)
        return name not in self.bars or _size(node.value) <= SHORT and not product and name not in self.resized

    def _begun(self, node: n.stmt, done: Block) -> n.stmt:
        """``x_bar = a + b`` for the second one of ``x_bar = a`` and ``x_bar += b``, where that gives the same."""
        name = _updates(node)
        if not self.backwards or name is None or not isinstance(node.op, (n.Add, n.Sub)) or not self.alike(name):
            return node
        for position in range(len(done) - 1, max(len(done) - NEAR, 0) - 1, -1):
            definition = done[position]
            if name in (_defines(definition), _updates(definition)):
                value = definition.value
                once = isinstance(definition, n.Assign) and definition in self.once and not _is_view(value)
                if once and self._fits(definition, done[position + 1:], node, name):
                    del done[position]
                    made = n.BinOp(left=value, op=node.op, right=node.value)
                    return place(n.Assign(targets=[node.target], value=made, type_comment=None), node)
                break
        return node

    def _pull(self, node: n.stmt, done: Block) -> None:
        """Pull definitions from the statements just before into ``node``, as long as one fits."""
        while not self.fit.isdisjoint(done[-NEAR:]):
            parts = _places(node)
            read = _names_read(parts)
            later: set[str | None] = set()  # an earlier definition of these is not the one that is read
            for position in range(len(done) - 1, max(len(done) - NEAR, 0) - 1, -1):
                definition = done[position]
                name = _defines(definition)
                fresh = name in read and name not in later
                later |= {name, _updates(definition)}
                if not fresh or name is None or definition not in self.fit or read.count(name) > 1:
                    continue
                if self._fits(definition, done[position + 1:], node, name):
                    for tree, setter in zip(parts, _setters(node)):
                        setter(clone(tree, {name: definition.value}))
                    del done[position]
                    break
            else:
                return

    def _fits(self, definition: n.Assign, between: Block, node: n.stmt, name: str) -> bool:
        value = definition.value
        if self.tried and position_of(definition) in self.tried and position_of(node) != position_of(definition):
            return False
        if _asks_linalg(value) and position_of(node) != position_of(definition):  # what it raises is told by the user's line
            return False
        size = _size(value)
        if isinstance(value, n.IfExp) and size > 12 or isinstance(value, (n.Tuple, n.List, n.Dict)):
            return False
        if _effectful(value) and (between or not self.last or not self._popped_into(value, node)):
            return False
        if sum(map(_size, _places(node))) + size > LONGEST or isinstance(node, n.Return) and name not in self.made:
            return False
        updating = isinstance(node, n.AugAssign) and isinstance(node.target, n.Name) and _is_view(value)
        if between or updating:
            named = loads(value)
            read = set().union(*(self.shared.get(part, {part}) for part in named))
            if any(_disturbs(other, read, self.bars) or grown(other) in named for other in between):
                return False
            if updating and base(node.target) in read:
                return False
        return not any(isinstance(target, n.Subscript) and name in loads(target) for target in targets(node))


    def _popped_into(self, value: n.expr, node: n.stmt) -> bool:
        """Whether the last entry of a list of adjoints may be taken where it is read: once, and whatever else is the case."""
        taken = popped(value) if isinstance(value, n.Call) else None
        parts = n.walk(node.value) if isinstance(node, (n.Assign, n.AugAssign)) else []
        at_times = (n.IfExp, n.BoolOp, n.Lambda, n.comprehension)
        return taken in self.bars and bool(parts) and taken not in loads(node) and not _effectful(node.value) and not any(
            isinstance(part, at_times) for part in parts)


def sharing(body: Block, functions: Collection[str] = ()) -> dict[str, set[str]]:
    """For each name, the names that may share memory with it: views and plain copies of names, in any order. ``functions`` hold none."""
    return grouped(
        set().union(*map(target_names, node.targets)) | loads(node.value).difference(functions)
        for node in simple(body) if isinstance(node, n.Assign) and not is_fresh(node.value) and metadata_read(node.value) is None)


def _disturbs(node: n.stmt, read: set[str], bars: set[str]) -> bool:
    """Whether a statement may change what an expression over the names ``read`` gives, or must come after it."""
    if isinstance(node, (n.If, n.For, n.While)):
        bound = target_names(node.target) if isinstance(node, n.For) else set()
        return bool(bound & read) or any(_disturbs(inner, read, bars) or grown(inner) in read for inner in (*node.body, *node.orelse))
    if isinstance(node, n.Expr):  # saved.append(x) changes no entry; np.add.at(x_bar, i, g) changes x_bar
        if not isinstance(node.value, n.Call) or not isinstance(node.value.func, n.Attribute):
            return True
        return base(node.value.args[0]) in read if is_add_at(node.value) else grown(node) is None
    if isinstance(node, (n.Assign, n.AugAssign)):
        target = node.targets[0] if isinstance(node, n.Assign) else node.target
        if target_names(target) & read or base(target) in read or shrunk(node) in read:
            return True
        if _effectful(node.value) and loads(node.value) & read:
            return True
        stored = isinstance(target, n.Subscript) or isinstance(node, n.AugAssign)
        return stored and base(target) not in bars  # a primal array may be seen through another name
    return not isinstance(node, n.Break)


def signed(node: n.stmt) -> None:
    """``x += -y`` reads better as ``x -= y``."""
    if isinstance(node, n.AugAssign) and isinstance(node.op, n.Add) and (term := negated(node.value)) is not None:
        node.op, node.value = n.Sub(), term
    elif isinstance(node, n.Assign) and isinstance(node.value, n.BinOp) and isinstance(node.value.op, n.Add):
        if (term := negated(node.value.right)) is not None:
            node.value = n.BinOp(left=node.value.left, op=n.Sub(), right=term)


def _is_view(value: n.expr) -> bool:
    return isinstance(value, (n.Subscript, n.Attribute, n.Name))


def _effectful(value: n.expr) -> bool:
    """Whether an expression does more than give a value: a stack is popped, a function run that leaves its value in a link."""
    parts = n.walk(value)
    calls = [part.func for part in parts if isinstance(part, n.Call)]
    changing = any(isinstance(function, n.Attribute) and function.attr in ("pop", "append") for function in calls)
    linked = any(isinstance(function, n.Name) and function.id.startswith("pushed") for function in calls)
    return changing or linked or any(isinstance(part, n.NamedExpr) for part in parts)


def _defines(node: n.stmt) -> str | None:
    if isinstance(node, n.Assign) and isinstance(node.targets[0], n.Name):
        return node.targets[0].id
    return None


def _updates(node: n.stmt) -> str | None:
    return node.target.id if isinstance(node, n.AugAssign) and isinstance(node.target, n.Name) else None


def _places(node: n.stmt) -> list[n.expr]:
    """The expressions of a statement into which a value may be put."""
    if isinstance(node, (n.Assign, n.AugAssign)):
        return [node.value]
    if isinstance(node, n.Return) and node.value is not None:
        return [node.value]
    if isinstance(node, n.Expr) and isinstance(node.value, n.Call):
        return [node.value]
    if isinstance(node, n.If):
        return [node.test]
    return [node.iter] if isinstance(node, n.For) else []


def _names_read(trees: list[n.expr]) -> list[str]:
    """The names that expressions read, each as often as it is read."""
    return [name.id for tree in trees for name in n.names_in(tree) if type(name.ctx) is n.Load]


def _setters(node: n.stmt) -> list[Callable[[n.expr], None]]:
    field = "test" if isinstance(node, n.If) else "iter" if isinstance(node, n.For) else "value"
    return [lambda tree: setattr(node, field, tree)] if _places(node) else []


def _asks_linalg(value: n.expr) -> bool:
    """Whether a function of ``np.linalg`` is called."""
    owners = [part.value for part in n.walk(value) if isinstance(part, n.Attribute)]
    return any(getattr(owner, "attr", getattr(owner, "id", "")) == "linalg" for owner in owners)


def _size(node: n.AST) -> int:
    return sum(type(part) in _COUNTED for part in n.walk(node))


_COUNTED = frozenset({n.Name, n.Constant, n.BinOp, n.UnaryOp, n.Call, n.Subscript, n.Compare, n.IfExp})


class ReadOnce:
    """The definitions of names that are read once, by a statement of their own block, and not bound anew before.

    ``live[statement]``: of the names that are ``watched``, those that are read after a statement which binds some.
    """

    def __init__(self, body: Block, watched: Collection[str] = ()):
        self.found: set[n.stmt] = set()
        self.watched = watched
        self.live: dict[n.stmt, set[str]] = {}
        self._before(body, {}, {})

    def _before(self, block: Block, after: Mapping[str, bool], left: Mapping[str, bool]) -> dict[str, bool]:
        """The names that are read after a block begins, ``left`` after a break: whether one statement of the block reads them, once."""
        live = dict.fromkeys(after, False)
        for node in reversed(block):
            if self.watched and isinstance(node, (n.Assign, n.AugAssign)):
                self.live[node] = {name for name in self.watched if name in live}
            if isinstance(node, (n.If, n.For, n.While)):
                untouched = {name for name, once in live.items() if once} - names(node)
                if isinstance(node, n.If):
                    live = self._before(node.body, live, left) | self._before(node.orelse, live, left)
                else:
                    live = self._loop(node, live)
                live = {name: name in untouched for name in live}
            elif isinstance(node, n.Break):
                live |= dict.fromkeys(left, False)
            bound = set().union(*map(target_names, node.targets)) if isinstance(node, n.Assign) else ()
            if (name := _defines(node) or _updates(node)) is not None and not self.watched:
                (self.found.add if live.get(name) else self.found.discard)(node)
            for name in bound:
                live.pop(name, None)
            header = node.iter if isinstance(node, n.For) else node.test if isinstance(node, (n.If, n.While)) else node
            if read := loads(header):
                counted = _names_read(_places(node))
                for name in read:
                    live[name] = name not in live and counted.count(name) == 1
            if (name := _updates(node)) is not None:
                live[name] = name not in loads(node.value)
        return live

    def _loop(self, node: n.For | n.While, after: dict[str, bool]) -> dict[str, bool]:
        bound = target_names(node.target) if isinstance(node, n.For) else set()
        around = after if isinstance(node, n.For) else {**after, **dict.fromkeys(loads(node.test), False)}
        for _ in range(2):  # what a trip reads of the trip before is known once it has been gone through
            inner = self._before(node.body, around, after)
            self.live[node] = {name for name in self.watched if name in inner}
            around = dict.fromkeys(around.keys() | inner.keys() - bound, False)
        return around
