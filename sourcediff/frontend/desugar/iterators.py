"""Write a named iterator as a list of its items and the position of the next one.

>>> from sourcediff.syntax.source import read
>>> from sourcediff.syntax.text import to_source
>>> def layered(x, parts):
...     taken = iter(parts)
...     y = next(taken) * x
...     for w in taken:
...         y = y * w + next(taken, 1)
...     return y
>>> for node in iterated(read(layered)).tree.body:
...     print(to_source(node))
taken = list(parts)
at = 0
if at >= len(taken):
    raise StopIteration
t = taken[at]
at += 1
y = t * x
while at < len(taken):
    w = taken[at]
    at += 1
    t1 = taken[at] if at < len(taken) else 1
    at += 1
    y = y * w + t1
return y

Only where that is the same: nothing that the items are taken from changes, no item is taken that is not asked for in turn.
"""

from __future__ import annotations

import builtins
import itertools
import types
from collections import Counter
from collections.abc import Iterator
from typing import Any

from ...analysis.source.effects import Effective
from ...analysis.source.made_here import made_here
from ...analysis.source.out_arguments import among
from ...analysis.source.sharing import VIEWS
from ...analysis.statements import base, breaks, target_names
from ...rules.frames import rule_for
from ...syntax import nodes as n
from ...syntax.quote import altered, expression, names, place, remade, statement, statements, unused
from ...syntax.source import Source
from ..order.effects_first import LAZY, WHOLE

Block = list[n.stmt]

MAKING = {builtins.iter, builtins.zip, builtins.enumerate, builtins.reversed}
"""What makes iterators of which every item is known when they are made, if nothing changes afterwards."""

UNKNOWN = {builtins.map, builtins.filter, *(value for value in vars(itertools).values() if isinstance(value, type))}
"""What makes iterators of items that are not known yet, or that has no end."""

NAMES = ("iter", "zip", "enumerate", "reversed")

NUMBERS = (n.BinOp, n.UnaryOp, n.Compare, n.Constant, n.JoinedStr)
"""Expressions whose value shares memory with nothing."""


def iterated(source: Source) -> Source:
    """The source of a function in which names for iterators stand for lists and positions."""
    made = [node for node in n.walk(source.tree) if _binding(node) and getattr(node.value.func, "id", "") in NAMES]
    if not made:
        return source
    known = Effective(source.function, source.tree)
    if any(known.resolve(expression(used.__name__)) is not used for used in (list, len, StopIteration)):
        return source
    written = Iterators(source.tree, made, known)
    if not written.sound:
        return source
    body = written.block(source.tree.body)
    return source._replace(tree=altered(source.tree, body=body), own=frozenset(names(source.tree)) if source.own is None else source.own)


def _binding(node: Any) -> bool:
    """Whether a statement binds one name to what a call gives."""
    return isinstance(node, n.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], n.Name) and isinstance(node.value, n.Call)


class Iterators:
    """Writes statements anew; ``sound``: the names for which that is right."""

    def __init__(self, tree: n.FunctionDef, made: list[Any], known: Effective):
        self.known = known
        self.taken = names(tree) | known.bound
        self.at: dict[str, str] = {}
        self.sound: set[str] = set()
        bound = Counter(part.id for part in n.walk(tree) if isinstance(part, n.Name) and not isinstance(part.ctx, n.Load))
        used = Counter(part.id for part in n.walk(tree) if isinstance(part, n.Name) and isinstance(part.ctx, n.Load))
        taken = Counter(name for node in _statements(tree.body) for name in self.uses(node))
        self.whole = {name for name in self.exhausted(tree.body) if used[name] == 1}  # gone over once, from its beginning
        nonlocals = {name for part in n.walk(tree) if isinstance(part, (n.Global, n.Nonlocal)) for name in part.names}
        self.lists = {part.targets[0].id for part in n.walk(tree) if isinstance(part, n.Assign) and isinstance(part.targets[0], n.Name)
                      and isinstance(part.value, (n.List, n.ListComp, n.Call))}
        inner = {name for part in n.walk(tree) if isinstance(part, (n.FunctionDef, n.Lambda, n.GeneratorExp)) and part is not tree
                 for name in names(part)}
        self.own = made_here(tree, known) - inner - nonlocals
        links = list(self.links(tree))
        for node in made:
            name = node.targets[0].id
            right = name in self.whole or used[name] == taken[name]
            if right and bound[name] == 1 and name not in nonlocals and self.finite(node.value) and not names(node.value) & known.iterators:
                changed = self.changed(_from_to(tree.body, node, name), links)
                if "*" not in changed and not changed & names(node.value):
                    self.sound.add(name)

    def exhausted(self, body: Block) -> Iterator[str]:
        """The names that a block binds to iterators and goes over itself, by a loop or by what takes all items."""
        bound: set[str] = set()
        for node in body:
            if isinstance(node, n.For):
                made = isinstance(node.iter, n.Call) and among(self.known.resolve(node.iter.func), MAKING)
                given = node.iter.args if made else [node.iter]
                yield from (part.id for part in given if isinstance(part, n.Name) and part.id in bound)
            for part in _evaluated_parts(node):
                yield from (name.id for name in self.all_of(part) if isinstance(name, n.Name) and name.id in bound)
            if _binding(node):
                bound.add(node.targets[0].id)
            for block in _blocks(node):
                yield from self.exhausted(block)

    def all_of(self, node: Any) -> list[n.expr]:
        """What an expression takes every item of."""
        if isinstance(node, (n.ListComp, n.SetComp, n.DictComp)):
            return [node.generators[0].iter]
        if not isinstance(node, n.Call) or not among(self.known.resolve(node.func), WHOLE):
            return []
        return [part.generators[0].iter if isinstance(part, n.GeneratorExp) else part for part in node.args[:1]]

    def uses(self, node: Any) -> Iterator[str]:
        """The iterators that a statement itself takes from, as often as it does, where it is known when."""
        if isinstance(node, n.For) and isinstance(node.iter, n.Name):
            yield node.iter.id
        for part in _evaluated_parts(node):
            if self.is_next(part):
                yield part.args[0].id
            yield from (given.id for given in self.all_of(part) if isinstance(given, n.Name))

    def is_next(self, node: Any) -> bool:
        """Whether an expression is ``next(it)`` or ``next(it, default)``."""
        called = isinstance(node, n.Call) and self.known.resolve(node.func) is builtins.next and not node.keywords
        return called and len(node.args) in (1, 2) and isinstance(node.args[0], n.Name)

    def finite(self, call: n.Call) -> bool:
        """Whether a call makes an iterator that ends, of items that are known by then."""
        if any(isinstance(part, (n.GeneratorExp, n.Lambda)) for part in n.walk(call)):
            return False  # what an item is, is asked when it is taken
        calls = [part for part in n.walk(call) if isinstance(part, n.Call)]
        found = self.known.resolve(call.func)
        inner = all(not self.known.counts(part) and not among(self.known.resolve(part.func), UNKNOWN) for part in calls[1:])
        return among(found, MAKING) and inner and not call.keywords and (found is not builtins.iter or len(call.args) == 1)

    def changed(self, body: Block, links: list[set[str]]) -> set[str]:
        """The names of which statements may change the contents, and of what may share memory with them; "*" for all names."""
        found: set[str] = set()
        for part in [part for node in body for part in n.walk(node)]:
            if isinstance(part, n.AugAssign) or isinstance(part, (n.Subscript, n.Attribute)) and not isinstance(part.ctx, n.Load):
                found.add(base(part.target if isinstance(part, n.AugAssign) else part) or "*")
            elif self.known.counts(part) and not self.known.draws(part):
                grown = getattr(part, "func", None)
                found.add(base(grown.value) or "*" if isinstance(grown, n.Attribute) and grown.attr in ("append", "insert") else "*")
        if not found <= self.own:
            return {"*"}  # who else knows a parameter, or what comes from outside, is not known
        while more := [link for link in links if link & found and not link <= found]:
            found.update(*more)
        return found

    def links(self, tree: n.AST) -> Iterator[set[str]]:
        """Pairs of names that may share memory, as statements tell."""
        for part in n.walk(tree):
            if isinstance(part, (n.Assign, n.NamedExpr)):
                targets = part.targets if isinstance(part, n.Assign) else [part.target]
                given = self.shared(part.value)
            elif isinstance(part, (n.For, n.comprehension)):
                targets, given = [part.target], names(part.iter)
            elif isinstance(part, n.AugAssign):
                targets, given = [part.target], self.shared(part.value) if base(part.target) in self.lists else set()
            elif isinstance(part, n.Call) and self.known.counts(part) and not isinstance(part.func, n.Attribute):
                targets, given = part.args[:1], names(part)
            elif isinstance(part, n.Call) and isinstance(part.func, n.Attribute):  # whatever the method, it may keep what it is given
                targets, given = [part.func.value], set().union(*map(self.shared, part.args)) if part.args else set()
            else:
                continue
            bound = {name for target in targets for name in (target_names(target) or {base(target) or ""})}
            yield from ({one, other} for one in bound for other in given if not self.is_code(other))

    def is_code(self, name: str) -> bool:
        """Whether a name stands for a module, a function or a class."""
        found = self.known.resolve(expression(name))
        return isinstance(found, types.ModuleType) or callable(found)

    def is_list(self, node: n.expr) -> bool:
        """Whether an expression may be a list."""
        return isinstance(node, (n.List, n.ListComp, n.Call)) or isinstance(node, n.Name) and node.id in self.lists or (
            isinstance(node, n.BinOp) and (self.is_list(node.left) or self.is_list(node.right)))

    def shared(self, node: Any) -> set[str]:
        """The names of which an expression may give what they stand for, or a part of it."""
        if isinstance(node, n.BinOp) and self.is_list(node):
            return self.shared(node.left) | self.shared(node.right)
        if isinstance(node, NUMBERS):
            return set()
        if isinstance(node, (n.Subscript, n.Attribute, n.Starred, n.NamedExpr)):
            return self.shared(node.value)
        if isinstance(node, (n.Tuple, n.List, n.IfExp)):
            parts = [node.body, node.orelse] if isinstance(node, n.IfExp) else node.elts
            return set().union(*map(self.shared, parts)) if parts else set()
        found = self.known.resolve(node.func) if isinstance(node, n.Call) else None
        new = rule_for(found) is not None and found not in VIEWS or among(found, {builtins.sum, builtins.abs, builtins.float, builtins.len})
        return set() if new else names(node)

    def block(self, body: Block) -> Block:
        """The statements of a block."""
        return [new for node in body for new in self.statement(node)]

    def statement(self, node: Any) -> Block:
        """One statement as several."""
        if _binding(node) and node.targets[0].id in self.sound:
            return self.made(node)
        before: Block = []
        if not isinstance(node, (n.FunctionDef, n.While)):
            node = self.read(node, before)
        fields: dict[str, Any] = {field: getattr(node, field, None) for field in n.BLOCKS}
        blocks = {field: self.block(part) for field, part in fields.items() if part} if not isinstance(node, n.FunctionDef) else {}
        if handlers := getattr(node, "handlers", None):
            blocks["handlers"] = [altered(handler, body=self.block(handler.body)) for handler in handlers]
        node = altered(node, **blocks) if blocks else node
        if isinstance(node, n.For) and isinstance(node.iter, n.Name) and node.iter.id in self.sound - self.whole:
            return self.loop(node)
        return [*before, node]

    def made(self, node: Any) -> Block:
        """The list, and the position."""
        name, call = node.targets[0].id, node.value
        items = call.args[0] if self.known.resolve(call.func) is builtins.iter else call
        shown = isinstance(items, (n.List, n.Tuple, n.ListComp))
        written = [altered(node, value=items if shown else place(expression("list($i)", i=items), node))]
        if name not in self.whole:
            written.append(place(statement("$a = 0", a=self.position(name)), node))
        return written

    def loop(self, node: n.For) -> Block:
        """A loop over what has not been taken: all of it, if nothing ends the loop early or takes from it too."""
        name = node.iter.id
        at, items = self.position(name), expression(name)
        if breaks(node.body) or node.orelse or at in {word for inner in node.body for word in names(inner)}:
            first = [place(n.Assign(targets=[node.target], value=expression("$i[$a]", i=items, a=at), type_comment=None), node),
                     place(statement("$a += 1", a=at), node)]
            test = place(expression("$a < len($i)", a=at, i=items), node)
            return [place(n.While(test=test, body=[*first, *node.body], orelse=node.orelse), node)]
        rest = place(expression("$i[$a:]", i=items, a=at), node)
        return [altered(node, iter=rest), place(statement("$a = len($i)", a=at, i=items), node)]

    def read(self, node: Any, before: Block) -> Any:
        """A statement with names for the items that it takes, and in ``before`` how they are taken."""
        evaluated = set(_evaluated_parts(node))

        def one(part: Any) -> Any:
            if part not in evaluated:
                return remade(part, one) if part is node else part
            rest = next((name for name in self.all_of(part) if isinstance(name, n.Name) and name.id in self.sound - self.whole), None)

            def other(inner: Any) -> Any:
                if inner is rest:
                    return self.rest(inner, before)
                return remade(inner, other) if isinstance(inner, (n.GeneratorExp, n.comprehension)) else one(inner)

            part = remade(part, other)
            if not self.is_next(part) or part.args[0].id not in self.sound:
                return part
            at, items, new = self.position(part.args[0].id), part.args[0], self.fresh("t")
            if len(part.args) == 1:
                taken = statements("if $a >= len($i):\n    raise StopIteration\n$t = $i[$a]\n$a += 1", a=at, i=items, t=new)
            else:
                taken = statements("$t = $i[$a] if $a < len($i) else $d\n$a += 1", a=at, i=items, t=new, d=part.args[1])
            before.extend(place(line, node) for line in taken)
            return place(expression(new), part)

        return one(node) if evaluated else node

    def rest(self, node: n.Name, before: Block) -> n.expr:
        """A name for what has not been taken, all of which is taken then."""
        new = expression(self.fresh("rest"))
        taken = statements("$r = $i[$a:]\n$a = len($i)", r=new, i=node, a=self.position(node.id))
        before.extend(place(line, node) for line in taken)
        return place(new, node)

    def position(self, name: str) -> str:
        """The name for how many items of an iterator have been taken."""
        if name not in self.at:
            self.at[name] = self.fresh("at")
        return self.at[name]

    def fresh(self, stem: str) -> str:
        """A name that the function does not use."""
        return unused(stem, self.taken)


def _from_to(body: Block, first: n.stmt, name: str) -> Block:
    """The statements from the one that binds a name to the last that reads it: those of its block, if nothing else does."""

    def mentions(block: Block) -> list[n.stmt]:
        return [node for node in block for part in n.walk(node) if isinstance(part, n.Name) and part.id == name]

    blocks = [body, *(block for node in _statements(body) for block in _blocks(node))]
    own = next((block for block in blocks if first in block), body)
    mentioned = mentions(own)
    alone = len(mentioned) == len(mentions(body)) and mentioned[0] is first
    return own[own.index(first):own.index(mentioned[-1]) + 1] if alone else body


def _blocks(node: Any) -> list[Block]:
    """The blocks within a statement that belong to the same function."""
    if isinstance(node, n.FunctionDef):
        return []
    inner = [getattr(node, field, None) or [] for field in n.BLOCKS]
    return [*inner, *(handler.body for handler in getattr(node, "handlers", None) or [])]


def _statements(body: Block) -> Iterator[Any]:
    """Every statement of a function's own, those of blocks within included."""
    for node in body:
        yield node
        for block in _blocks(node):
            yield from _statements(block)


def _evaluated_parts(node: Any) -> list[Any]:
    """The expressions that a statement itself evaluates, once, when it is reached."""
    if isinstance(node, (n.FunctionDef, n.While)):
        return []
    blocks = {inner for field in ("body", "orelse", "finalbody", "handlers", "cases") for inner in getattr(node, field, None) or []}
    pending = [part for part in n.below(node) if part not in blocks]
    found = []
    for part in pending:
        found.append(part)
        if not isinstance(part, LAZY):
            pending += n.below(part)
    return found
