"""Write deques as lists, and default dicts as dicts, where nobody can tell the difference.

>>> from sourcediff.api.explain import text_after
>>> def recent(x):
...     last = deque(maxlen=2)
...     sums = defaultdict(float)
...     for k in range(4):
...         last.append(x[k])
...         sums[k % 2] += last[0]
...     return sum(v for v in sums.values())
>>> from collections import defaultdict, deque
>>> print(text_after("unbound_names", recent))
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

from ...analysis.literals import constant
from ...analysis.scope import MISSING, Scope
from ...analysis.statements import nested
from ...runtime.structures import longest_of
from ...syntax import nodes as n
from ...syntax.quote import altered, expression, names, placed, remade, statement, statements

Block = list[n.stmt]

KINDS = (deque, defaultdict, Counter)
EMPTY: dict[Any, n.expr] = {
    float: n.Constant(value=0.0, kind=None), int: n.Constant(value=0, kind=None), complex: n.Constant(value=0j, kind=None),
}
METHODS = {deque: {"append", "appendleft", "popleft", "pop", "rotate", "clear", "extend"}, dict: {"items", "keys", "values", "get"}}
SEEING = ("numpy", "builtins", "math")
"""Modules whose functions make no difference between a list and a deque."""

LAZY = (n.ListComp, n.GeneratorExp, n.SetComp, n.DictComp, n.Lambda, n.IfExp, n.BoolOp)
"""Expressions of which a part may be evaluated never, or several times."""

DIFFERING = (print, repr, str, type, isinstance, id, format, hasattr, getattr, dir, vars, hash)


class Told(Exception):
    """Something is asked that a list or a dict would answer in another way."""


def plain(
    body: Block, scope: Scope, given: set[str], refused: Callable[[n.AST, str, str, str], Any], wide: set[str], known: dict[str, Plain],
    lists: set[str],
) -> Block:
    """A body with deques and default dicts as lists and dicts. ``refused`` is told of default dicts that cannot be written so.

    Of names in ``wide``, which other bodies use too, it is written how they are made; ``known`` is where to find what writes the rest.
    ``lists`` are the names of lists in bodies before.
    """
    parts = [part for node in body for part in n.walk(node)]
    made = {name: calls for name, calls in makers(body, scope).items() if name not in scope.directories}
    for name, calls in made.items():
        kinds = {scope.resolve(call.func) for call in calls}
        stores = [part for part in parts if isinstance(part, n.Name) and part.id == name and isinstance(part.ctx, n.Store)]
        try:
            if len(kinds) > 1 or len(stores) > len(calls) or name in given:
                raise Told
            (kind,) = kinds
            written = (Queue if kind is deque else Defaulting)(name, kind, calls, scope, body)
            if name in wide:
                if name in lists and name not in known:  # it was a list in what is written already
                    raise Told
                body, known[name] = written.wide(body, known.get(name)), written
            else:
                body = written.block(body)
        except Told:
            if name in wide:
                refused(calls[0], f"this {calls[0].func.id if isinstance(calls[0].func, n.Name) else 'container'}",
                        "what other functions do with it is not followed", "use a list or a dict")
            elif kinds == {defaultdict}:
                refused(calls[0], "this defaultdict", "that asking makes an entry is not followed in all that is done with it",
                        "use a dict, and get")
    return body


def makers(body: Block, scope: Scope) -> dict[str, list[Any]]:
    """The names that are bound to new deques and default dicts, with the calls that make these."""
    made: dict[str, list[Any]] = {}
    for part in nested(body):
        if isinstance(part, n.Assign) and len(part.targets) == 1 and isinstance(part.targets[0], n.Name) and isinstance(part.value, n.Call):
            if scope.resolve(part.value.func) in KINDS:
                made.setdefault(part.targets[0].id, []).append(part.value)
    return made


def of_numbers(calls: list[Any], scope: Scope) -> bool:
    """Whether such calls make no default dict of containers."""
    return not any(scope.resolve(part) in (list, dict, set) for call in calls for part in call.args)


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
            raise Told
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
                raise Told
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
                raise Told
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
            raise Told
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
            raise Told
        outer, self.alone = self.alone, False
        made = remade(node, read)
        self.alone = outer
        return made


def settled(body: Block) -> Block:
    """Statements that are not to be written once more."""
    for part in (part for node in body for part in n.walk(node)):
        part.settled = True  # type: ignore[attr-defined]
    return body


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
            if longest is not None and not fits(first, given["maxlen"]):
                raise Told
            most.add(longest)
        if len(most) > 1:
            raise Told
        (self.most,) = most
        self.counted = self.most is MISSING  # when it is made
        if self.counted:
            self.most = self.scope.fresh("longest")

    @property
    def form(self) -> Any:
        return self.most

    def created(self, call: Any) -> n.expr:
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
                done += settled(statements(f"if len($q) > $m:\n    $q.pop({last})", q=self.name, m=self.most))
            return done
        if method == "rotate":
            times = constant(node.value.args[0]) if node.value.args else 1
            if times not in (1, -1):
                raise Told
            text = "$t = $q.pop()\n    $q.insert(0, $t)" if times == 1 else "$t = $q.pop(0)\n    $q.append($t)"
            return settled(statements(f"if len($q) > 1:\n    {text}", q=self.name, t=self.scope.fresh("item")))
        if method == "clear" or method == "extend" and self.most is None and len(node.value.args) == 1:
            return [altered(node, value=altered(node.value, args=[self.read(part) for part in node.value.args]))]
        return super().simple(node)

    def read(self, node: Any) -> Any:
        method = self.method(node)
        if method == "popleft" and not node.args:
            return expression("$q.pop(0)", q=self.name)
        if method == "pop" and (not node.args or constant(node.args[0]) == 0):  # or that is written already
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

    @property
    def form(self) -> Any:
        return self.kind, type(self.default.value), self.default.value

    def created(self, call: Any) -> n.expr:
        return n.Dict(keys=[], values=[])

    def simple(self, node: Any) -> Block:
        if isinstance(node, n.AugAssign) and isinstance(node.target, n.Subscript) and self.is_it(node.target.value):
            key = self.key(node.target.slice, node.value)
            if self.kind is Counter and self.name in names(node.value):
                value = expression("$d.get($k, $v)", d=self.name, k=key, v=self.default)
                added = n.BinOp(left=value, op=node.op, right=self.read(node.value))
                return [n.Assign(targets=[altered(node.target, slice=key)], value=added, type_comment=None)]
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
        self.before += settled(statements("if $k not in $d:\n    $d[$k] = $v", d=self.name, k=key, v=self.default))

    def read(self, node: Any) -> Any:
        if isinstance(node, n.Subscript) and self.is_it(node.value):
            if isinstance(node.ctx, n.Store):
                return altered(node, slice=self.read(node.slice))
            if isinstance(node.ctx, n.Del):
                raise Told
            if self.kind is Counter or not self.alone and not self.whole:  # which makes no entry when it is asked, or none that is seen
                return expression("$d.get($k, $v)", d=self.name, k=self.read(node.slice), v=self.default)
            if not self.alone or self.asked or any(isinstance(part, (n.Call, n.NamedExpr)) for part in n.walk(node.slice)):
                raise Told
            key = self.key(node.slice, node.slice)
            self.filled(key)
            return altered(node, slice=key)
        if isinstance(node, n.Call) and isinstance(node.func, n.Attribute) and self.is_it(node.func.value):
            if node.func.attr not in METHODS[dict] or node.keywords:
                raise Told
            self.asked = True
            return altered(node, args=[self.read(part) for part in node.args])
        return super().read(node)
