"""What writing a deque or a default dict plainly has in common: where it is asked for what, and in what order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from ...analysis.scope import Scope
from ...syntax import nodes as n
from ...syntax.function import MISSING
from ...syntax.quote import altered, names, placed, remade
from ..room import Block

DEFAULTS: dict[Any, n.expr] = {
    float: n.Constant(value=0.0, kind=None), int: n.Constant(value=0, kind=None), complex: n.Constant(value=0j, kind=None),
}


FOLLOWED = {deque: {"append", "appendleft", "popleft", "pop", "rotate", "clear", "extend"}, dict: {"items", "keys", "values", "get"}}


SEEING = ("numpy", "builtins", "math")
"""Modules whose functions make no difference between a list and a deque."""


LAZY = (n.Lambda, n.IfExp, n.BoolOp, *n.COMPREHENSIONS)
"""Expressions of which a part may be evaluated never, or several times."""


DIFFERING = (print, repr, str, type, isinstance, id, format, hasattr, getattr, dir, vars, hash)


class CannotRewrite(Exception):
    """Something is asked that a list or a dict would answer in another way."""


class Plain:
    """Rewrites what is done with one name."""

    def __init__(self, name: str, kind: Any, calls: list[Any], scope: Scope, body: Block):
        self.name, self.kind, self.scope = name, kind, scope
        self.calls = set(calls)
        self.alone = False  # the statement at hand evaluates its expressions once, all of them
        self.asked = False  # it has asked something else of the name than for an entry
        self.whole = any(map(self.is_asked, body))
        self.before: Block = []
        self.prepare(calls)

    def prepare(self, calls: list[Any]) -> None:
        """Look at how the name is bound. Raises Told where that is not plain."""
        raise NotImplementedError

    def is_it(self, node: Any) -> bool:
        return isinstance(node, n.Name) and node.id == self.name

    def is_asked(self, node: n.AST) -> bool:
        """Whether something is asked of the name but for its entries: its length, its keys, whether one is there."""
        parts = n.walk(node)
        entries = {part.value for part in parts if isinstance(part, n.Subscript)}
        return any(self.is_it(part) and isinstance(part.ctx, n.Load) and part not in entries for part in parts)

    def asks(self, node: Any) -> bool:
        """Whether this is the name, of which something else is asked here than for an entry."""
        self.asked = self.asked or self.is_it(node)
        return self.is_it(node)

    def block(self, body: Block) -> Block:
        done: Block = []
        for node in body:
            if self.name in names(node):
                done += [placed(made, node) for made in self.statement(node)]
            else:
                done.append(node)
        return done

    def wide(self, body: Block, before: Plain | None) -> Block:
        """The body with the name bound to a list or dict. Raises Told where it was bound to something else before, elsewhere."""
        if before is not None and (type(before), before.form) != (type(self), self.form):
            raise CannotRewrite
        self.whole = True
        done: Block = []
        for node in body:
            self.before = []
            if getattr(node, "value", None) in self.calls:
                (node,) = settled([altered(node, value=self.created(node.value))])
            blocks = {field: self.wide(block, before) for field in n.BLOCKS if type(block := getattr(node, field, None)) is list}
            done += [*self.before, altered(node, **blocks) if blocks else node]
        return done

    @property
    def form(self) -> Any:
        """What makes a difference between two of a kind."""
        raise NotImplementedError

    def statement(self, node: Any, deep: bool = True) -> Block:
        """The statements that one becomes; ``deep``: with the blocks in it."""
        if isinstance(node, n.FunctionDef):
            if deep:
                raise CannotRewrite
            return [node]
        self.before, outer = [], self.before
        self.asked = False
        binding = any(isinstance(part, n.NamedExpr) for part in n.walk(node))
        if isinstance(node, (n.If, n.For, n.While)):
            field = "iter" if isinstance(node, n.For) else "test"
            head = getattr(node, field)
            self.alone = not isinstance(node, n.While) and not binding
            head = self.head(head) if isinstance(node, n.For) else self.tested(head)
            before, self.before = self.before, outer
            if isinstance(node, n.For) and self.name in names(node.target):
                raise CannotRewrite
            blocks = {"body": self.block(node.body), "orelse": self.block(node.orelse)} if deep else {}
            return [*before, altered(node, **{field: head}, **blocks)]
        self.alone = not binding
        made = self.simple(node)
        before, self.before = self.before, outer
        return [*before, *made]

    def head(self, node: n.expr) -> n.expr:
        """What a loop goes over."""
        return node if self.asks(node) else self.read(node)

    def tested(self, node: n.expr) -> n.expr:
        """A test: of the name alone, whether there is anything in it."""
        if isinstance(node, n.UnaryOp) and isinstance(node.op, n.Not):
            return altered(node, operand=self.tested(node.operand))
        if isinstance(node, n.BoolOp):
            return self.nested(node, self.tested)
        return node if self.asks(node) else self.read(node)

    def simple(self, node: Any) -> Block:
        """A statement without blocks."""
        if isinstance(node, n.Assign) and node.value in self.calls:
            return [altered(node, value=self.created(node.value))]
        if isinstance(node, n.Assert) and node.msg is not None and self.name in names(node.msg):
            raise CannotRewrite
        return [self.read(node)]

    def created(self, call: Any) -> n.expr:
        raise NotImplementedError

    def read(self, node: Any) -> Any:
        """A node in which the name stands only where that is known to make no difference."""
        if self.is_it(node):
            raise CannotRewrite
        if isinstance(node, n.Call) and not self.is_it(getattr(node.func, "value", None)):
            function = self.scope.resolve(node.func)
            known = function is not MISSING and (getattr(function, "__module__", None) or "").split(".")[0] in SEEING
            if known and not any(function is other for other in DIFFERING):
                return altered(node, args=[part if self.asks(part) else self.read(part) for part in node.args],
                               keywords=[self.read(part) for part in node.keywords])
        if isinstance(node, n.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], (n.In, n.NotIn)):
            if self.is_it(node.comparators[0]):
                made = altered(node, left=self.read(node.left))
                self.asked = True
                return made
        if isinstance(node, n.Compare) and self.is_it(node.left) and isinstance(node.comparators[0], n.Constant) and len(node.ops) == 1:
            return node  # is it None?
        if isinstance(node, LAZY) or isinstance(node, n.Compare) and len(node.ops) > 1:
            return self.nested(node, self.read)
        if isinstance(node, n.comprehension):
            return altered(node, iter=self.head(node.iter), target=self.read(node.target), ifs=[self.read(part) for part in node.ifs])
        if isinstance(node, n.Starred) and self.asks(node.value):
            return node
        return remade(node, self.read)

    def nested(self, node: Any, read: Callable[[Any], Any]) -> Any:
        """What may be evaluated never, or several times."""
        if isinstance(node, n.Lambda):
            raise CannotRewrite
        outer, self.alone = self.alone, False
        made = remade(node, read)
        self.alone = outer
        return made


def settled(body: Block) -> Block:
    """Statements that are not to be written once more."""
    for part in (part for node in body for part in n.walk(node)):
        part.settled = True  # type: ignore[attr-defined]
    return body
