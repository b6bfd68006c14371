"""Name the conditions and loop ranges that the reverse sweep cannot recompute, and count the trips of ``while``."""

from __future__ import annotations

import builtins
import itertools
from collections import Counter
from collections.abc import Callable, Collection, Iterable

from ...analysis.abstract import Abstract
from ...analysis.bindings import is_method
from ...analysis.scope import Scope
from ...analysis.source.sharing import connected
from ...analysis.statements import binds, breaks, grown, loads, mutates, shrunk, simple, target_names, targets
from ...rules.formula import reads
from ...runtime.structures import copied, recorded
from ...syntax import nodes as n
from ...syntax.quote import expression, place, statement
from ..facts.iterables import Iterables

Block = list[n.stmt]

KNOWN_LOOPS = (builtins.range, builtins.list, builtins.tuple, builtins.enumerate, builtins.zip, builtins.reversed)
"""Iterables that the reverse sweep knows how to walk backwards."""

TAKING = (builtins.list, builtins.tuple, builtins.sorted, copied, recorded)
"""What gives a list of its own of what there is at the time."""


def hold(
    body: Block, names: set[str], parameters: list[str], scope: Scope, kinds: Callable[[n.expr, n.stmt], Abstract],
    dicts: Iterable[str] = (), sets: Iterable[str] = (), undescribed: Collection[str] = (),
) -> Block:
    """Give names to conditions and iterables that read what changes later, and count the trips of ``while`` loops, and of loops
    that are left by a ``break``.

    ``names`` are those that carry a derivative: where a block binds none of them, nothing is held. ``kinds`` says what is known of an
    expression in a statement. ``dicts`` are parameters that are dicts, ``sets`` those that may be sets, ``undescribed`` those of which
    nothing is told.

    >>> from sourcediff.api.explain import text_after
    >>> def shrink(x):
    ...     while x > 1:
    ...         if x > 9:
    ...             x = x / 2
    ...     return x
    >>> print(text_after("record_control_flow", shrink))
    trips = 0
    while x > 1:
        taken = x > 9
        if taken:
            x = x / 2
        trips += 1
    """
    holder = Holder(body, names, parameters, scope, Iterables(scope, undescribed, kinds), dicts, sets)
    held = holder.whole(body)
    if holder.moving:
        raise Moving(holder.moving)
    return held


class Moving(Exception):
    """Loops over what changes while they go over it."""

    def __init__(self, loops: list[n.stmt]):
        super().__init__()
        self.loops = loops


class Holder:
    """Knows how often each name is bound, and which names' contents change."""

    def __init__(
        self, body: Block, names: set[str], parameters: list[str], scope: Scope, iterables: Iterables,
        dicts: Iterable[str] = (), sets: Iterable[str] = (),
    ):
        self.iterables = iterables
        self.names = names
        self.scope = scope
        self.count: dict[str, int] = dict.fromkeys(parameters, 1)
        self.headers: dict[str, int] = {}
        statements = simple(body)
        self.in_loops = {name for node in statements if isinstance(node, (n.For, n.While)) for name in binds(node.body)}
        for node in statements:
            for target in targets(node):
                for name in target_names(target):
                    self.count[name] = self.count.get(name, 0) + 1
                    if isinstance(node, n.For):
                        self.headers[name] = self.headers.get(name, 0) + 1
        self.grown = {changed for node in statements if (changed := grown(node) or shrunk(node))}
        self.changed = connected(body, mutates(body, growth=False), scope) | self.grown
        displays = {name for node in statements if isinstance(node, n.Assign) and self.is_dict(node.value) for name in binds(node)}
        self.dicts = connected(body, {*dicts, *displays}, scope)
        self.sized = self.grown | self.dicts  # of which the length may change
        made = [node for node in statements if isinstance(node, n.Assign) and isinstance(node.value, (n.Set, n.SetComp, n.Call, n.BinOp))]
        found = {*sets, *(name for node in made if self.is_set(node.value) for name in binds(node))}
        self.sets = connected(body, found, scope) if found else found
        self.taken: dict[str, bool] = {}  # names, and whether each is bound to nothing but a list that was taken of something
        for node in statements:
            taken = isinstance(node, n.Assign) and self.is_taken(node.value)
            self.taken.update({name: taken and self.taken.get(name, True) for name in binds(node) | mutates(node)})
        self.body = body
        self.moving: list[n.stmt] = []
        self.later: Counter[str] = Counter()  # what is bound in the outermost statement at hand, and after it

    def stable(self, node: n.AST, loops: tuple[n.stmt, ...]) -> bool:
        """Whether an expression means the same when the reverse sweep comes back to this place."""
        if any(isinstance(part, n.Call) and not self.pure(part) for part in n.walk(node)) or loads(node) & self.scope.iterators:
            return False
        values, metadata = reads(node)
        return all(self.fixed(name, loops, name not in values) for name in (values | metadata) & loads(node))

    def is_flag(self, test: n.expr, node: n.If) -> bool:
        """Whether a condition is a flag, which is saved itself where it has to be."""
        name = test.operand if isinstance(test, n.UnaryOp) and isinstance(test.op, n.Not) else test
        return isinstance(name, n.Name) and name.id in self.scope.flags and name.id not in binds(node)

    def is_dict(self, node: n.expr) -> bool:
        """Whether an expression gives a dict."""
        return isinstance(node, (n.Dict, n.DictComp)) or isinstance(node, n.Call) and self.scope.resolve(node.func) is dict

    def is_set(self, node: n.expr) -> bool:
        """Whether an expression may be a set, which has no end to begin at."""
        if isinstance(node, n.Call):
            return self.scope.resolve(node.func) in (set, frozenset)
        if isinstance(self.scope.resolve(node), (set, frozenset)):
            return True
        return isinstance(node, (n.Set, n.SetComp)) or isinstance(node, n.BinOp) and (self.is_set(node.left) or self.is_set(node.right))

    def answer(self, test: n.expr) -> n.expr:
        """A condition as a value that stays what it is: ``bool(parts)`` for a list, of which another answer may come later."""
        if not self.is_object(test):
            return test
        return expression("not not $t", t=test) if "bool" in self.scope.taken else expression("bool($t)", t=test)

    def is_object(self, test: n.expr) -> bool:
        """Whether the value of a condition may be a list or an array whose contents change."""
        if isinstance(test, n.BoolOp):
            return any(map(self.is_object, test.values))
        whole = isinstance(test, (n.Name, n.Subscript, n.Attribute, n.IfExp, n.NamedExpr))
        return whole and bool(loads(test) & self.changed)

    def pure(self, call: n.Call) -> bool:
        if is_method(call, "keys"):
            return True
        function = self.scope.resolve(call.func)
        if function in (abs, len, range, min, max, enumerate, zip, reversed, float, int, isinstance, list):
            return True
        return self.scope.rule(call.func) is not None or type(function).__name__ == "ufunc"

    def fixed(self, name: str, loops: tuple[n.stmt, ...], only_metadata: bool) -> bool:
        """Whether a name has one value wherever this place is passed; of an array changed in place that is still its shape."""
        if name in self.changed and (not only_metadata or name in self.sized):
            return False
        count = self.count.get(name, 0)
        if not loops and not self.later[name]:
            return True
        if count == 0 or count == 1 and name not in self.in_loops and not self.headers.get(name):
            return True
        if count != self.headers.get(name):
            return False
        for loop in loops:  # a loop's own variable is what the reverse loop's header gives back
            if isinstance(loop, n.For) and name in target_names(loop.target):
                return name not in binds(loop.body)
        return False

    def whole(self, body: Block) -> Block:
        """The statements of the program."""
        held: Block = []
        bound = [binds(node) for node in body]
        remaining = Counter(name for names in bound for name in names)
        for node, names in zip(body, bound):
            self.later = remaining
            held.extend(self.statement(node, ()))
            remaining.subtract(names)
        return held

    def block(self, body: Block, loops: tuple[n.stmt, ...]) -> Block:
        held: Block = []
        for node in body:
            held.extend(self.statement(node, loops))
        return held

    def statement(self, node: n.stmt, loops: tuple[n.stmt, ...]) -> Block:
        if not isinstance(node, (n.If, n.For, n.While)) or not (binds(node) | mutates(node)) & self.names:
            return [node]
        if isinstance(node, n.If):
            before: Block = []
            test = node.test
            if not self.is_flag(test, node) and not self.stable(test, loops):
                name = self.scope.fresh("taken")
                before = [place(statement("$t = $e", t=name, e=self.answer(test)), node)]
                test = expression(name)
            return [*before, place(n.If(test=test, body=self.block(node.body, loops), orelse=self.block(node.orelse, loops)), node)]
        inner = self.block(node.body, (*loops, node))
        before = []
        if isinstance(node, n.While) or breaks(node.body):
            trips = self.scope.fresh("trips")
            self.scope.counters.add(trips)
            counted = place(statement("$t += 1", t=trips), node)
            inner = [counted, *inner] if breaks(node.body) else [*inner, counted]
            before.append(place(statement("$t = 0", t=trips), node))
        if isinstance(node, n.While):
            return [*before, place(n.While(test=node.test, body=inner, orelse=[]), node)]
        iterable = node.iter
        if self.moves(node):
            self.moving.append(node)
        lasts = self.iterables.lasts(iterable, node)
        again = lasts and self.iterables.repeats(iterable, node) and self.stable(iterable, loops)
        if not again or not self.walks_back(iterable):
            name = self.scope.fresh("items")
            items = self.reversible(iterable) if lasts or self.whole_at_once(node) else self.noted(iterable)
            before.append(place(statement("$t = $e", t=name, e=items), node))
            iterable = expression(name)
        return [*before, place(n.For(target=node.target, iter=iterable, body=inner, orelse=[], type_comment=None), node)]

    def moves(self, node: n.For) -> bool:
        """Whether a loop changes what it goes over: a copy from before it would be another thing."""
        if self.is_taken(node.iter):
            return False
        given = {name for name in loads(node.iter) & reads(node.iter)[0] if not self.taken.get(name)}  # a length is known before
        if not any(is_method(part, "items") or is_method(part, "values") for part in n.walk(node.iter)):
            given -= self.dicts  # their keys stay
        if taken := given & self.scope.iterators:
            elsewhere = [part for part in self.body for part in n.walk(part) if isinstance(part, n.Name) and part.id in taken]
            return bool(taken & loads(node.body)) or breaks(node.body) and len(elsewhere) > 2 * len(taken)
        if not given & self.changed or not connected(self.body, given, self.scope) & mutates(node.body, growth=False):
            return False
        changed = connected(self.body, self.changed_arrays(self.body), self.scope) | self.grown
        return bool(given & changed) and bool(connected(self.body, given, self.scope) & self.changed_arrays(node.body))

    def changed_arrays(self, body: Block) -> set[str]:
        """What is changed in place, but for numbers, which are others then."""
        return {name for node in simple(body) if not isinstance(node, (n.If, n.For, n.While)) for name in mutates([node], growth=False)
                if not isinstance(node, n.AugAssign) or not isinstance(node.target, n.Name)
                or not self.iterables.kinds(expression(name), node).scalar}

    def is_taken(self, node: n.expr) -> bool:
        """Whether an expression is a list of its own of what there is now."""
        if isinstance(node, n.Name):
            return self.taken.get(node.id, False)
        return isinstance(node, n.Call) and self.scope.resolve(node.func) in TAKING

    def walks_back(self, iterable: n.expr) -> bool:
        """Whether an iterable can be reversed, as far as that can be told from a call."""
        if isinstance(iterable, n.GeneratorExp):
            return False
        if self.is_set(iterable) or isinstance(iterable, n.Name) and iterable.id in self.sets or loads(iterable) & self.scope.iterators:
            return False
        if not isinstance(iterable, n.Call) or is_method(iterable, "keys"):
            return True
        function = self.scope.resolve(iterable.func)
        return function in KNOWN_LOOPS or not isinstance(function, type)

    def whole_at_once(self, node: n.For) -> bool:
        """Whether nothing tells that a loop's items have all been taken before its first trip."""
        parts = [part for inner in node.body for part in n.walk(inner)]
        if isinstance(node.iter, n.Call) and self.scope.resolve(node.iter.func) is itertools.groupby:  # the next group ends the one before
            return False
        if breaks(node.body) or mutates(node.body, growth=False) or any(isinstance(part, n.Call) and not self.pure(part) for part in parts):
            return False
        inner = [part for part in simple(node.body) if isinstance(part, n.For)]
        return all(self.iterables.lasts(part.iter, part) for part in inner)

    def noted(self, iterable: n.expr) -> n.expr:
        """The iterable as something that notes its items as they are taken."""
        return expression("$r($i)", r=self.scope.imported("recorded", recorded), i=iterable)

    def reversible(self, iterable: n.expr) -> n.expr:
        """The iterable as something that can be walked twice, and backwards."""
        if isinstance(iterable, n.Call) and self.scope.resolve(iterable.func) in (builtins.range, builtins.list):
            return iterable
        return expression("list($i)", i=iterable)
