"""Write deques as lists, where the interpreter leaves some (in what a batched derivative reads), and nobody can tell the difference.

>>> from sourcediff.api.explain import text_after
>>> def recent(x):
...     last = deque(maxlen=2)
...     total = 0.0
...     for k in range(4):
...         last.append(x[k])
...         total += last[0]
...     return total
>>> from collections import deque
>>> print(text_after("unbound_names", recent))
items = []
total = 0.0
for k in range(4):
    item = x[k]
    items.append(item)
    if len(items) > 2:
        popped = items.pop(0)
    t = items[0]
    total += t

What is asked of a name must be known: its entries, its length, what it goes over, and the methods that lists have in some form. Default
dicts, and counters that are made empty, are refused: what is asked of them makes an entry.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable
from typing import Any

from ...analysis.literals import constant
from ...analysis.scope import Scope
from ...analysis.statements import nested
from ...runtime.structures import longest_of
from ...syntax import nodes as n
from ...syntax.function import MISSING
from ...syntax.quote import altered, expression, names, placed, remade, statement, statements

Block = list[n.stmt]

SEEING = ("numpy", "builtins", "math")
"""Modules whose functions make no difference between a list and a deque."""

DIFFERING = (print, repr, str, type, isinstance, id, format, hasattr, getattr, dir, vars, hash)


class CannotRewrite(Exception):
    """Something is asked that a list would answer in another way."""


def plain_body(
    body: Block, scope: Scope, given: set[str], refused: Callable[[n.AST, str, str, str], Any], wide: set[str], known: dict[str, Queue],
    lists: set[str],
) -> Block:
    """A body with deques as lists. ``refused`` is told of what cannot be written so.

    Of names in ``wide``, which other bodies use too, it is written how they are made; ``known`` is where to find what writes the rest.
    ``lists`` are the names of lists in bodies before.
    """
    parts = [part for node in body for part in n.walk(node)]
    for name, calls in makers(body, scope).items():
        kinds = {scope.resolve(call.func) for call in calls}
        if kinds != {deque}:
            (kind, *_) = kinds - {deque}
            refused(calls[0], f"this {kind.__name__}", "that asking makes an entry is not followed", "use a dict, and get")
            continue
        stores = [part for part in parts if isinstance(part, n.Name) and part.id == name and isinstance(part.ctx, n.Store)]
        try:
            if len(stores) > len(calls) or name in given:
                raise CannotRewrite
            written = Queue(name, calls, scope)
            if name in wide:
                if name in lists and name not in known:  # it was a list in what is written already
                    raise CannotRewrite
                body, known[name] = written.wide(body, known.get(name)), written
            else:
                body = written.block(body)
        except CannotRewrite:
            if name in wide:
                refused(calls[0], "this deque", "what other functions do with it is not followed", "use a list")
    return body


def makers(body: Block, scope: Scope) -> dict[str, list[Any]]:
    """The names that are bound to new deques, default dicts and empty counters, with the calls that make these."""
    made: dict[str, list[Any]] = {}
    for part in nested(body):
        if isinstance(part, n.Assign) and len(part.targets) == 1 and isinstance(part.targets[0], n.Name) and isinstance(part.value, n.Call):
            function = scope.resolve(part.value.func)
            if function in (deque, defaultdict) or function is Counter and not part.value.args:
                made.setdefault(part.targets[0].id, []).append(part.value)
    return made


def fits(first: Any, longest: n.expr) -> bool:
    """Whether what a deque begins with is no longer than it may be: ``[0.0] * n`` of one that may be ``n`` long."""
    if any(isinstance(part, n.Starred) for part in n.walk(first)):
        return False
    if isinstance(first, (n.List, n.Tuple)):
        room = constant(longest)
        return len(first.elts) <= (room if type(room) is int else 0)
    if isinstance(first, n.BinOp) and isinstance(first.op, n.Mult):
        sides = [first.left, first.right]
        one = [side for side in sides if isinstance(side, n.List) and len(side.elts) == 1]
        times = [side for side in sides if isinstance(side, (n.Name, n.Constant))]
        return bool(one) and any(n.dump(side) == n.dump(longest) for side in times)
    return False


class Queue:
    """Rewrites what is done with one name, of a deque."""

    def __init__(self, name: str, calls: list[Any], scope: Scope):
        self.name, self.scope = name, scope
        self.calls = set(calls)
        self.before: Block = []
        most = set()
        for call in calls:
            given = {keyword.arg: keyword.value for keyword in call.keywords}
            given |= dict(zip(("maxlen",), call.args[1:]))
            if len(call.args) > 2 or given.keys() - {"maxlen"}:
                raise CannotRewrite
            longest = constant(given.get("maxlen"), None)
            if longest is not None and longest is not MISSING and type(longest) is not int or longest == 0:
                raise CannotRewrite
            first = call.args[0] if call.args else n.List(elts=[], ctx=n.Load())
            if longest is not None and not fits(first, given["maxlen"]):
                raise CannotRewrite
            most.add(longest)
        if len(most) > 1:
            raise CannotRewrite
        (self.most,) = most
        self.counted = self.most is MISSING  # when it is made
        if self.counted:
            self.most = self.scope.fresh("longest")

    def created(self, call: Any) -> n.expr:
        """The list."""
        if self.counted:
            most = call.args[1] if len(call.args) > 1 else call.keywords[0].value
            asked = self.scope.imported("longest_of", longest_of)
            self.before.append(statement("$m = $l($n)", m=self.most, l=asked, n=self.read(most)))
        first = call.args[0] if call.args else n.List(elts=[], ctx=n.Load())
        if isinstance(first, (n.List, n.Tuple)):
            return n.List(elts=[self.read(part) for part in first.elts], ctx=n.Load())
        if isinstance(first, n.BinOp) and any(isinstance(side, n.List) for side in (first.left, first.right)):
            return self.read(first)  # type: ignore[no-any-return]
        item = self.scope.fresh("item")
        return expression(f"[{item} for {item} in $w]", w=self.read(first))

    def is_it(self, node: Any) -> bool:
        return isinstance(node, n.Name) and node.id == self.name

    def block(self, body: Block) -> Block:
        done: Block = []
        for node in body:
            if self.name in names(node):
                done += [placed(made, node) for made in self.statement(node)]
            else:
                done.append(node)
        return done

    def wide(self, body: Block, before: Queue | None) -> Block:
        """The body with the name bound to a list. Raises CannotRewrite where it was bound to something else before, elsewhere."""
        if before is not None and before.most != self.most:
            raise CannotRewrite
        done: Block = []
        for node in body:
            self.before = []
            if getattr(node, "value", None) in self.calls:
                (node,) = settled([altered(node, value=self.created(node.value))])
            blocks = {field: self.wide(block, before) for field in n.BLOCKS if type(block := getattr(node, field, None)) is list}
            done += [*self.before, altered(node, **blocks) if blocks else node]
        return done

    def statement(self, node: Any, deep: bool = True) -> Block:
        """The statements that one becomes; ``deep``: with the blocks in it."""
        if isinstance(node, n.FunctionDef):
            if deep:
                raise CannotRewrite
            return [node]
        if isinstance(node, (n.If, n.For, n.While)):
            if isinstance(node, n.For) and self.name in names(node.target):
                raise CannotRewrite
            head = {"iter": self.gone_over(node.iter)} if isinstance(node, n.For) else {"test": self.tested(node.test)}
            blocks = {"body": self.block(node.body), "orelse": self.block(node.orelse)} if deep else {}
            return [altered(node, **head, **blocks)]
        outer, self.before = self.before, []
        made = self.simple(node)
        before, self.before = self.before, outer
        return [*before, *made]

    def gone_over(self, node: n.expr) -> n.expr:
        """What a loop goes over."""
        return node if self.is_it(node) else self.read(node)

    def tested(self, node: n.expr) -> n.expr:
        """A test: of the name alone, whether there is anything in it."""
        if isinstance(node, n.UnaryOp) and isinstance(node.op, n.Not):
            return altered(node, operand=self.tested(node.operand))
        if isinstance(node, n.BoolOp):
            return remade(node, self.tested)
        return self.gone_over(node)

    def method(self, node: Any) -> str:
        called = isinstance(node, n.Call) and isinstance(node.func, n.Attribute) and self.is_it(node.func.value) and not node.keywords
        return node.func.attr if called else ""

    def simple(self, node: Any) -> Block:
        """A statement without blocks."""
        method = self.method(node.value) if isinstance(node, n.Expr) else ""
        if method in ("append", "appendleft") and len(node.value.args) == 1:
            value = self.read(node.value.args[0])
            text = "$q.append($v)" if method == "append" else "$q.insert(0, $v)"
            done = statements(text, q=self.name, v=value)
            if self.most is not None:
                last = "0" if method == "append" else ""
                done += settled(statements(f"if len($q) > $m:\n    $q.pop({last})", q=self.name, m=self.most))
            return done
        if method == "rotate":
            times = constant(node.value.args[0]) if node.value.args else 1
            if times not in (1, -1):
                raise CannotRewrite
            text = "$t = $q.pop()\n    $q.insert(0, $t)" if times == 1 else "$t = $q.pop(0)\n    $q.append($t)"
            return settled(statements(f"if len($q) > 1:\n    {text}", q=self.name, t=self.scope.fresh("item")))
        if method == "clear" or method == "extend" and self.most is None and len(node.value.args) == 1:
            return [altered(node, value=altered(node.value, args=[self.read(part) for part in node.value.args]))]
        if isinstance(node, n.Assign) and node.value in self.calls:
            return [altered(node, value=self.created(node.value))]
        if isinstance(node, n.Assert) and node.msg is not None and self.name in names(node.msg):
            raise CannotRewrite
        return [self.read(node)]

    def read(self, node: Any) -> Any:
        """A node in which the name stands only where that is known to make no difference."""
        method = self.method(node)
        if method == "popleft" and not node.args:
            return expression("$q.pop(0)", q=self.name)
        if method == "pop" and (not node.args or constant(node.args[0]) == 0):  # or that is written already
            return node
        if isinstance(node, n.Subscript) and self.is_it(node.value):
            if isinstance(node.slice, n.Slice) or isinstance(node.ctx, n.Del):
                raise CannotRewrite
            return altered(node, slice=self.read(node.slice))
        if self.is_it(node) or isinstance(node, n.Lambda):
            raise CannotRewrite
        if isinstance(node, n.Call) and not self.is_it(getattr(node.func, "value", None)):
            function = self.scope.resolve(node.func)
            known = function is not MISSING and (getattr(function, "__module__", None) or "").split(".")[0] in SEEING
            if known and not any(function is other for other in DIFFERING):
                return altered(node, args=list(map(self.gone_over, node.args)), keywords=list(map(self.read, node.keywords)))
        if isinstance(node, n.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], (n.In, n.NotIn)):
            if self.is_it(node.comparators[0]):
                return altered(node, left=self.read(node.left))
        if isinstance(node, n.Compare) and self.is_it(node.left) and isinstance(node.comparators[0], n.Constant) and len(node.ops) == 1:
            return node  # is it None?
        if isinstance(node, n.comprehension):
            return altered(node, iter=self.gone_over(node.iter), target=self.read(node.target), ifs=list(map(self.read, node.ifs)))
        if isinstance(node, n.Starred) and self.is_it(node.value):
            return node
        return remade(node, self.read)


def settled(body: Block) -> Block:
    """Statements that are not to be written once more."""
    for part in (part for node in body for part in n.walk(node)):
        part.settled = True  # type: ignore[attr-defined]
    return body
