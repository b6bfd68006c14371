"""Arrange what a statement does in Python's order, where some of it comes to stand before the statement: what comes earlier has a name.

>>> from sourcediff.explaining import text_after
>>> def last_of_both(x):
...     stack = [x, 2 * x]
...     entries = {1: x * x}
...     return stack.pop() * entries.pop(len(stack))
>>> print(text_after("normalise", last_of_both))
pool = []
t = 2 * x
stack = [x, t]
first = len(pool)
t1 = x * x
pool.append(t1)
entries = {(1): first}
earlier = stack.pop()
key = len(stack)
place = int(entries[key])
del entries[key]
t2 = pool[place]
value = earlier * t2

Only where a statement asks containers that are to be directories (``pool.py``), and does something else.
"""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from ..analysis.containers import CHANGING, COMPREHENDED, Cell, Containers, method_of
from ..analysis.scope import MISSING, Scope
from ..syntax import nodes as n
from ..syntax.quote import altered, as_read, expression, names, place, remade, statement
from .plain import SEEING

Block = list[n.stmt]

HEADS = {n.If: "test", n.For: "iter"}
DOING = (builtins.next, builtins.setattr, builtins.delattr, builtins.input, np.copyto, np.put, np.place, np.putmask)
LATER = (n.Lambda, n.GeneratorExp, *COMPREHENDED)
WHOLE = (n.Starred, n.keyword, n.Slice, n.Tuple, n.List, n.Set, n.Dict, n.FormattedValue)
"""What is not named itself, but what it is made of."""


class Effects:
    """Knows what expressions do; ``groups``: the names of containers that are to be directories."""

    def __init__(self, body: Block, containers: Containers, groups: list[set[str]], scope: Scope, given: set[str]):
        self.containers, self.scope = containers, scope
        self.directories = set().union(*groups)
        self.groups = {part: number for number, group in enumerate(groups)
                       for name in group for part in containers.cells[name].chain() if part.held}
        parts = [part for node in body for part in n.walk(node)]
        self.own = given | {part.id for part in parts if isinstance(part, n.Name) and not isinstance(part.ctx, n.Load)}
        self.inner = {part.name for part in parts if isinstance(part, n.FunctionDef)}
        self.rebound = {name for part in parts if isinstance(part, (n.Nonlocal, n.Global)) for name in part.names}
        self.rebound |= {part.target.id for part in parts if isinstance(part, n.NamedExpr)}

    def held(self, node: Any) -> Cell | None:
        """The cell of a container that is to be a directory."""
        found = self.containers.of(node)
        return found if found in self.groups else None

    def does(self, node: Any) -> Any:
        """What a node changes when its parts have been evaluated: the number of a group, "" for anything else, None for nothing."""
        if isinstance(node, n.Subscript) and isinstance(node.ctx, n.Load):
            whole = self.held(node.value)
            return None if whole is None or whole.makes is None else self.groups[whole]
        if isinstance(node, n.NamedExpr):
            return ""
        if not isinstance(node, n.Call):
            return None
        method = method_of(node)
        if method and (whole := self.held(node.func.value)) is not None:
            return self.groups[whole] if method in CHANGING else None
        function = self.scope.resolve(node.func)
        seen = (getattr(function, "__module__", None) or "").split(".")[0] in SEEING or isinstance(function, np.ufunc)
        told = any(function is other for other in DOING) or any(keyword.arg == "out" for keyword in node.keywords)
        return None if seen and not told and self.inner.isdisjoint(names([*node.args, *node.keywords])) else ""

    def of(self, *nodes: Any) -> set[Any]:
        """All that the evaluation of some nodes may change; a default that may not go unevaluated counts."""
        parts = [part for node in nodes for part in n.walk(node)]
        return {self.does(part) for part in parts} - {None} | {"" for part in parts if self.default(part)}

    def default(self, node: Any) -> list[n.expr]:
        """What a default is made of that is evaluated in any case, and is seen to be."""
        if method_of(node) not in ("get", "pop", "setdefault") or len(node.args) < 2 or self.held(node.func.value) is None:
            return []
        parts = self.parts(node.args[1]) if isinstance(node.args[1], WHOLE) else [node.args[1]]
        return [part for part in parts if any(isinstance(inner, (n.Call, n.Subscript, n.NamedExpr)) for inner in n.walk(part))]

    def steady(self, node: Any) -> bool:
        """Whether a node is the same whenever it is evaluated."""
        if isinstance(node, n.Name) and node.id in self.own:
            return node.id not in self.rebound
        return isinstance(node, (n.Constant, n.Lambda)) or self.scope.resolve(node) is not MISSING

    def asks(self, node: Any) -> bool:
        """Whether a directory is asked for a node, maybe before its statement."""
        return not isinstance(node, n.Name) and not self.directories.isdisjoint(names(node))

    def parts(self, node: Any) -> list[n.expr]:
        """What is evaluated for a node in any case, in order; of what cannot have a name, or need not, its parts."""
        if isinstance(node, LATER) or isinstance(node, n.Name):
            return []
        below = n.below(node)
        if isinstance(node, (n.Assign, n.AnnAssign)):
            below = [part for part in (node.value, *getattr(node, "targets", [getattr(node, "target", None)])) if part is not None]
        elif isinstance(node, n.Call):
            owner = node.func.value if isinstance(node.func, n.Attribute) else node.func
            below = [owner, *node.args, *node.keywords]
        elif isinstance(node, (n.IfExp, n.BoolOp)):
            below = [node.test] if isinstance(node, n.IfExp) else node.values[:1]
        elif isinstance(node, n.Compare):
            below = [node.left, node.comparators[0]]
        elif isinstance(node, n.Dict):
            below = [part for pair in zip(node.keys, node.values) for part in pair if part is not None]
        elif isinstance(node, n.FormattedValue):
            below = [node.value]
        found: list[n.expr] = []
        for position, part in enumerate(below):
            stored = not isinstance(getattr(part, "ctx", n.Load()), n.Load)
            path = isinstance(node, (n.Call, n.Subscript)) and position == 0 and self.walked(part, below[1:], node)
            found += self.parts(part) if stored or path or isinstance(part, WHOLE) else [part]
        return found

    def walked(self, node: Any, later: list[n.AST], at: Any) -> bool:
        """Whether a path to a container, or to a function, has no name: nothing that is evaluated after it changes where it leads."""
        if isinstance(at, n.Call) and self.held(node) is None:
            return isinstance(node, (n.Name, n.Attribute))
        method = isinstance(at, n.Call) or not isinstance(at.ctx, n.Load)
        return method and isinstance(node, (n.Subscript, n.Call)) and self.held(node) is not None and self.of(*later) <= {""}


class Arranger(Effects):
    """Writes statements in which nothing is asked of directories after an effect of another kind."""

    out: Block

    def block(self, body: Block) -> Block:
        """The statements of a block."""
        done: Block = []
        for node in body:
            if self.directories.isdisjoint(names(node)) or isinstance(node, n.FunctionDef):
                done.append(node)
                continue
            self.out = []
            made = self.statement(node)
            for part in (part for new in made for part in n.walk(new)):
                if getattr(part, "lineno", None) is None:
                    place(part, node)
            done += made
        return done

    def statement(self, node: Any) -> Block:
        """The statements that one becomes."""
        if isinstance(node, (n.If, n.For, n.While)):
            head = HEADS.get(type(node), "")
            fields = {head: self.arranged(getattr(node, head))} if head else {}
            before = self.out
            return [*before, altered(node, **fields, body=self.block(node.body), orelse=self.block(node.orelse))]
        if isinstance(node, n.Delete) and len(node.targets) > 1:
            return self.block([altered(node, targets=[target]) for target in node.targets])
        if isinstance(node, n.AugAssign) and self.parted(node):
            return self.updated(node)
        made = self.arranged(node)
        return [*self.out, made]

    def arranged(self, node: Any) -> Any:
        """A statement, or its head: with names for what comes before its last effect, if it has others than its own, or several."""
        call = node.value if isinstance(node, n.Expr) and isinstance(node.value, n.Call) else None
        given = [] if call is None else [*call.args, *call.keywords]
        effects = self.of(node if call is None else call.func)
        return self.settled(node) if self.of(*given) or "" in effects or len(effects) > 1 or call and self.default(call) else node

    def parted(self, node: n.AugAssign) -> bool:
        """Whether what is updated may change between being read and being stored."""
        effects = self.of(node.value)
        if isinstance(node.target, n.Name):
            return bool(effects) and node.target.id in self.rebound
        whole = self.held(node.target.value) if isinstance(node.target, n.Subscript) else None
        return ("" if whole is None else self.groups[whole]) in effects

    def updated(self, node: Any) -> Block:
        """``d[k] += v``: what was there before ``v`` is there again when it is updated."""
        target = node.target
        if isinstance(target, n.Subscript):
            whole = self.kept(target.value)
            target = altered(target, value=whole, slice=self.kept(target.slice))
        earlier, value = self.named(as_read(target)), self.named(self.settled(node.value))
        return [*self.out, statement("$t = $v", t=target, v=earlier), altered(node, target=target, value=value)]

    def settled(self, node: Any) -> Any:
        """A node with names for what is evaluated before its last effect, and for that one too if directories are asked after it."""
        parts = self.parts(node)
        must = set(map(id, self.default(node)))
        doing = [position for position, part in enumerate(parts) if id(part) in must or self.of(part)]
        if not doing:
            return node
        last = doing[-1]
        named = any(map(self.asks, parts[last + 1:]))
        new: dict[int, n.AST] = {}
        for position, part in enumerate(parts[:last + 1]):
            if position == last or not self.steady(part):
                made = self.settled(part)
                new[id(part)] = self.named(made) if position < last or named or id(part) in must else made

        def other(part: Any) -> Any:
            return new.get(id(part)) or remade(part, other)

        return remade(node, other)

    def kept(self, node: Any) -> Any:
        """An expression that can be evaluated again, and is the same then."""
        if isinstance(node, WHOLE):
            return remade(node, self.kept)
        return node if self.steady(node) else self.named(self.settled(node))

    def named(self, value: n.expr) -> n.expr:
        """A name for a value, as it is now."""
        name = self.scope.fresh("earlier")
        self.out.append(statement("$t = $v", t=name, v=value))
        return expression(name)
