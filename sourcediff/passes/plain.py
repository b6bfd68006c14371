"""Write deques as lists, and default dicts as dicts, where nobody can tell the difference.

>>> from sourcediff.explaining import text_after
>>> def recent(x):
...     last = deque(maxlen=2)
...     sums = defaultdict(float)
...     for k in range(4):
...         last.append(x[k])
...         sums[k % 2] += last[0]
...     return sum(v for v in sums.values())
>>> from collections import defaultdict, deque
>>> print(text_after("normalise", recent))
last = []
sums = {}
for k in range(4):
    t = x[k]
    last.append(t)
    if len(last) > 2:
        popped = last.pop(0)
    key = k % 2
    if key not in sums:
        sums[key] = 0.0
    t1 = last[0]
    sums[key] += t1
total = 0.0
for key1 in list(sums.keys()):
    v = sums[key1]
    total = total + v
value = total

What is asked of a name must be known: its entries, its length, what it goes over, and the methods that lists and dicts have in some form.
"""

from __future__ import annotations

import builtins
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from typing import Any

from ..analysis.literals import constant
from ..analysis.scope import MISSING, Scope
from ..structures import longest_of
from ..syntax import nodes as n
from ..syntax.quote import altered, expression, names, place, remade, statement, statements
from .unify import within

Block = list[n.stmt]

KINDS = (deque, defaultdict, Counter)
EMPTY: dict[Any, n.expr] = {
    float: n.Constant(value=0.0, kind=None), int: n.Constant(value=0, kind=None), complex: n.Constant(value=0j, kind=None),
}
METHODS = {deque: {"append", "appendleft", "popleft", "pop", "rotate", "clear", "extend"}, dict: {"items", "keys", "values", "get"}}
SEEING = ("numpy", "builtins", "math")
"""Modules whose functions make no difference between a list and a deque."""

DIFFERING = (print, repr, str, type, isinstance, id, format)


class Told(Exception):
    """Something is asked that a list or a dict would answer in another way."""


def plain(body: Block, scope: Scope, given: set[str], refused: Callable[[n.AST, str, str, str], Any]) -> Block:
    """A body with deques and default dicts as lists and dicts. ``refused`` is told of default dicts that cannot be written so."""
    parts = [part for node in body for part in n.walk(node)]
    made: dict[str, list[Any]] = {}
    for part in within(body):
        if isinstance(part, n.Assign) and len(part.targets) == 1 and isinstance(part.targets[0], n.Name) and isinstance(part.value, n.Call):
            if scope.resolve(part.value.func) in KINDS and part.targets[0].id not in scope.directories:
                made.setdefault(part.targets[0].id, []).append(part.value)
    for name, calls in made.items():
        kinds = {scope.resolve(call.func) for call in calls}
        stores = [part for part in parts if isinstance(part, n.Name) and part.id == name and isinstance(part.ctx, n.Store)]
        try:
            if len(kinds) > 1 or len(stores) > len(calls) or name in given:
                raise Told
            (kind,) = kinds
            body = (Queue if kind is deque else Defaulting)(name, kind, calls, scope, body).block(body)
        except Told:
            if kinds == {defaultdict}:
                refused(calls[0], "this defaultdict", "that asking makes an entry is not followed in all that is done with it",
                        "use a dict, and get")
    return body


class Plain:
    """Rewrites what is done with one name."""

    def __init__(self, name: str, kind: Any, calls: list[Any], scope: Scope, body: Block):
        self.name, self.kind, self.scope = name, kind, scope
        self.calls = set(map(id, calls))
        self.alone = False  # the statement at hand evaluates its expressions once, all of them
        self.before: Block = []
        self.prepare(calls)

    def prepare(self, calls: list[Any]) -> None:
        """Look at how the name is bound. Raises Told where that is not plain."""
        raise NotImplementedError

    def is_it(self, node: Any) -> bool:
        return isinstance(node, n.Name) and node.id == self.name

    def block(self, body: Block) -> Block:
        done: Block = []
        for node in body:
            if self.name in names(node):
                found = self.statement(node)
                for part in (part for made in found for part in n.walk(made)):
                    if getattr(part, "lineno", None) is None:
                        place(part, node)
                done += found
            else:
                done.append(node)
        return done

    def statement(self, node: Any) -> Block:
        """The statements that one becomes."""
        if isinstance(node, n.FunctionDef):
            raise Told
        self.before, outer = [], self.before
        if isinstance(node, (n.If, n.For, n.While)):
            field = "iter" if isinstance(node, n.For) else "test"
            head = getattr(node, field)
            self.alone = not isinstance(node, n.While)
            head = self.head(head) if isinstance(node, n.For) else self.tested(head)
            before, self.before = self.before, outer
            if isinstance(node, n.For) and self.name in names(node.target):
                raise Told
            return [*before, altered(node, **{field: head}, body=self.block(node.body), orelse=self.block(node.orelse))]
        self.alone = True
        made = self.simple(node)
        before, self.before = self.before, outer
        return [*before, *made]

    def head(self, node: n.expr) -> n.expr:
        """What a loop goes over."""
        return node if self.is_it(node) else self.read(node)

    def tested(self, node: n.expr) -> n.expr:
        """A test: of the name alone, whether there is anything in it."""
        if isinstance(node, n.UnaryOp) and isinstance(node.op, n.Not):
            return altered(node, operand=self.tested(node.operand))
        if isinstance(node, n.BoolOp):
            return altered(node, values=[self.tested(part) for part in node.values])
        return node if self.is_it(node) else self.read(node)

    def simple(self, node: Any) -> Block:
        """A statement without blocks."""
        if isinstance(node, n.Assign) and id(node.value) in self.calls:
            return [altered(node, value=self.created(node.value))]
        return [self.read(node)]

    def created(self, call: Any) -> n.expr:
        raise NotImplementedError

    def read(self, node: Any) -> Any:
        """A node in which the name stands only where that is known to make no difference."""
        if self.is_it(node):
            raise Told
        if isinstance(node, n.Call) and not self.is_it(getattr(node.func, "value", None)):
            function = self.scope.resolve(node.func)
            known = function is not MISSING and (getattr(function, "__module__", None) or "").split(".")[0] in SEEING
            if known and not any(function is other for other in DIFFERING):
                return altered(node, args=[part if self.is_it(part) else self.read(part) for part in node.args],
                               keywords=[self.read(part) for part in node.keywords])
        if isinstance(node, n.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], (n.In, n.NotIn)):
            if self.is_it(node.comparators[0]):
                return altered(node, left=self.read(node.left))
        if isinstance(node, (n.ListComp, n.GeneratorExp, n.SetComp, n.DictComp, n.Lambda, n.IfExp, n.BoolOp)):
            return self.within(node)
        if isinstance(node, n.comprehension):
            return altered(node, iter=self.head(node.iter), target=self.read(node.target), ifs=[self.read(part) for part in node.ifs])
        if isinstance(node, n.Starred) and self.is_it(node.value):
            return node
        return remade(node, self.read)

    def within(self, node: Any) -> Any:
        """What may be evaluated never, or several times."""
        if isinstance(node, n.Lambda):
            raise Told
        outer, self.alone = self.alone, False
        made = remade(node, self.read)
        self.alone = outer
        return made


class Queue(Plain):
    """A deque as a list."""

    def prepare(self, calls: list[Any]) -> None:
        most = set()
        for call in calls:
            given = {keyword.arg: keyword.value for keyword in call.keywords}
            given |= dict(zip(("maxlen",), call.args[1:]))
            if len(call.args) > 2 or given.keys() - {"maxlen"}:
                raise Told
            longest = constant(given.get("maxlen"), None)
            if longest is not None and longest is not MISSING and type(longest) is not int or longest == 0:
                raise Told
            first = call.args[0] if call.args else n.List(elts=[], ctx=n.Load())
            room = 0 if longest is MISSING else longest
            if room is not None and not (isinstance(first, (n.List, n.Tuple)) and len(first.elts) <= room):
                raise Told
            most.add(longest)
        if len(most) > 1:
            raise Told
        (self.most,) = most
        self.counted = self.most is MISSING  # when it is made
        if self.counted:
            self.most = self.scope.fresh("longest")

    def created(self, call: Any) -> n.expr:
        if self.counted:
            most = call.args[1] if len(call.args) > 1 else call.keywords[0].value
            asked = self.scope.imported("longest_of", longest_of)
            self.before.append(statement("$m = $l($n)", m=self.most, l=asked, n=self.read(most)))
        first = call.args[0] if call.args else n.List(elts=[], ctx=n.Load())
        if isinstance(first, (n.List, n.Tuple)):
            return n.List(elts=[self.read(part) for part in first.elts], ctx=n.Load())
        item = self.scope.fresh("item")
        return expression(f"[{item} for {item} in $w]", w=self.read(first))

    def method(self, node: Any) -> str:
        called = isinstance(node, n.Call) and isinstance(node.func, n.Attribute) and self.is_it(node.func.value) and not node.keywords
        return node.func.attr if called else ""

    def simple(self, node: Any) -> Block:
        method = self.method(node.value) if isinstance(node, n.Expr) else ""
        if method in ("append", "appendleft") and len(node.value.args) == 1:
            value = self.read(node.value.args[0])
            text = "$q.append($v)" if method == "append" else "$q.insert(0, $v)"
            done = statements(text, q=self.name, v=value)
            if self.most is not None:
                last = "0" if method == "append" else ""
                done += statements(f"if len($q) > $m:\n    $q.pop({last})", q=self.name, m=self.most)
            return done
        if method == "rotate":
            times = constant(node.value.args[0]) if node.value.args else 1
            if times not in (1, -1):
                raise Told
            text = "$t = $q.pop()\n    $q.insert(0, $t)" if times == 1 else "$t = $q.pop(0)\n    $q.append($t)"
            return statements(f"if len($q) > 1:\n    {text}", q=self.name, t=self.scope.fresh("item"))
        if method == "clear" or method == "extend" and self.most is None and len(node.value.args) == 1:
            return [altered(node, value=altered(node.value, args=[self.read(part) for part in node.value.args]))]
        return super().simple(node)

    def read(self, node: Any) -> Any:
        method = self.method(node)
        if method == "popleft" and not node.args:
            return expression("$q.pop(0)", q=self.name)
        if method == "pop" and not node.args:
            return node
        if isinstance(node, n.Subscript) and self.is_it(node.value):
            if isinstance(node.slice, n.Slice) or isinstance(node.ctx, n.Del):
                raise Told
            return altered(node, slice=self.read(node.slice))
        return super().read(node)


class Defaulting(Plain):
    """A default dict, or a counter, as a dict."""

    def prepare(self, calls: list[Any]) -> None:
        for call in calls:
            if call.keywords or len(call.args) != (1 if self.kind is defaultdict else 0):
                raise Told
        factories = [self.default_of(call.args[0]) for call in calls if call.args] or [EMPTY[int]]
        if any(type(part.value) is not type(factories[0].value) or part.value != factories[0].value for part in factories):
            raise Told
        self.default = factories[0]

    def default_of(self, node: n.expr) -> Any:
        """The default of each entry, from what makes it."""
        if isinstance(node, n.Lambda) and not names(node.args) and isinstance(node.body, n.Constant):
            return node.body
        made = self.scope.resolve(node)
        if made not in (builtins.float, builtins.int, builtins.complex):
            raise Told
        return EMPTY[made]

    def created(self, call: Any) -> n.expr:
        return n.Dict(keys=[], values=[])

    def simple(self, node: Any) -> Block:
        if isinstance(node, n.AugAssign) and isinstance(node.target, n.Subscript) and self.is_it(node.target.value):
            key = self.key(node.target.slice, node.value)
            self.filled(key)
            target = altered(node.target, slice=key)
            return [altered(node, target=target, value=self.read(node.value))]
        return super().simple(node)

    def key(self, node: n.expr, beside: n.AST) -> n.expr:
        """A key that can be asked again: it has a name."""
        if any(isinstance(part, (n.Call, n.NamedExpr)) for part in n.walk(beside)) and not isinstance(node, (n.Name, n.Constant)):
            if any(isinstance(part, (n.Call, n.NamedExpr)) for part in n.walk(node)):
                raise Told
        node = self.read(node)
        if isinstance(node, (n.Name, n.Constant)):
            return node
        name = self.scope.fresh("key")
        self.before.append(statement("$k = $v", k=name, v=node))
        return expression(name)

    def filled(self, key: n.expr) -> None:
        """Make an entry before the statement, if there is none."""
        self.before += statements("if $k not in $d:\n    $d[$k] = $v", d=self.name, k=key, v=self.default)

    def read(self, node: Any) -> Any:
        if isinstance(node, n.Subscript) and self.is_it(node.value):
            if isinstance(node.ctx, n.Store):
                return altered(node, slice=self.read(node.slice))
            if isinstance(node.ctx, n.Del):
                raise Told
            if self.kind is Counter:  # which makes no entry when it is asked
                return expression("$d.get($k, $v)", d=self.name, k=self.read(node.slice), v=self.default)
            if not self.alone or any(isinstance(part, (n.Call, n.NamedExpr)) for part in n.walk(node.slice)):
                raise Told
            key = self.key(node.slice, node.slice)
            self.filled(key)
            return altered(node, slice=key)
        if isinstance(node, n.Call) and isinstance(node.func, n.Attribute) and self.is_it(node.func.value):
            if node.func.attr not in METHODS[dict] or node.keywords:
                raise Told
            return altered(node, args=[self.read(part) for part in node.args])
        return super().read(node)
