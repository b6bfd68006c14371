"""Fold tests of optional parameters at a call: whether one is None, which function it is, or which word or number.

>>> from sourcediff.api.explain import text_after
>>> def steps(step, x, stop=None):
...     for k in range(3):
...         x = step(x)
...         if stop is not None and stop(x):
...             break
...     return x
>>> def grown(x):
...     return steps(lambda y: 2 * y, x)
>>> print(text_after("unbound_names", grown))
x1 = x
for k in range(3):
    x1 = 2 * x1
"""

from __future__ import annotations

import builtins
import operator
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ...analysis.literals import constant
from ...analysis.scope import MISSING, bound_names
from ...rules.library_objects import Record
from ...runtime.sparse import is_one_number
from ...syntax import nodes as n
from ...syntax.quote import altered, names, place, remade

Block = list[n.stmt]

SOMETHING = object()
"""Stands for what a parameter is that is certainly not None, though it is not known what it is."""

LITERAL = (str, bool, int, float)
"""What parameters are, beside None and functions, of which tests are decided."""

DISPATCHED = type(np.sum)
"""What NumPy's functions are that are no ufuncs."""


class Kind(NamedTuple):
    """The class that a value is certainly of, and how long it is, if that is known; ``record``: of a constant object of a library's."""

    kind: type
    length: int | None = None
    record: Record | None = None

    def has(self, name: str) -> bool:
        """Whether the value has an attribute of its class."""
        return hasattr(self.kind, name) if self.record is None else self.record.method(name) is not None


def decided(
    tree: n.FunctionDef, given: Mapping[str, Any], resolve: Callable[[n.expr], Any] = lambda _: MISSING,
    kinds: Mapping[str, Kind] = MappingProxyType({}),
) -> n.FunctionDef:
    """A function of which these parameters are certainly None, these functions, words or numbers, up to where it binds them anew.

    ``resolve`` tells what an expression stands for outside of the function; ``kinds`` of what classes other parameters are.
    """
    bound = bound_names(n.Module(body=tree.body, type_ignores=[]))
    while True:
        tree = altered(tree, body=Decided(given, resolve, bound, bound_names(tree), kinds).block(tree.body))
        left = bound_names(n.Module(body=tree.body, type_ignores=[]))
        if left == bound:  # else more is known: what bound a name is gone
            return tree
        bound = left


COMPARED: dict[type, Callable[[Any, Any], Any]] = {
    n.Is: operator.is_, n.IsNot: operator.is_not, n.Eq: operator.eq, n.NotEq: operator.ne, n.In: lambda part, whole: part in whole,
    n.NotIn: lambda part, whole: part not in whole,
}
"""What is asked of literals, of which the answer is known."""


class Decided:
    """Writes anew what asks for these names. ``known`` is what they are at the statement at hand.

    ``bound`` is bound in the body, ``own`` are these and the parameters.
    """

    def __init__(
        self, known: Mapping[str, Any], resolve: Callable[[n.expr], Any], bound: set[str], own: set[str], kinds: Mapping[str, Kind],
    ):
        self.known = dict(known)
        self.kinds = {name: kind for name, kind in kinds.items() if name not in bound}
        self.resolve = resolve
        self.bound = bound
        self.own = own

    def block(self, body: Block) -> Block:
        """The statements one after another: what one of them binds is not known after it."""
        done: Block = []
        for node in body:
            made = self.statement(node)
            done += made
            if made and isinstance(made[-1], n.Return):
                break
            self.forget(set().union(*map(bound_names, made)))
        return done

    def forget(self, changed: set[str]) -> None:
        """These names may be anything from here on."""
        self.known = {name: value for name, value in self.known.items() if name not in changed}

    @contextmanager
    def without(self, changed: set[str]) -> Iterator[None]:
        """Meanwhile nothing is known of these names; afterwards what was known before."""
        known = self.known
        self.forget(changed)
        try:
            yield
        finally:
            self.known = known

    def statement(self, node: Any) -> Block:
        if isinstance(node, n.If):
            test = self.test(node.test)
            if isinstance(test, n.Constant):
                return self.block(node.body if test.value else node.orelse)
            with self.without(set()):
                body = self.block(node.body)
            with self.without(set()):
                orelse = self.block(node.orelse)
            return [altered(node, test=test, body=body, orelse=orelse)]
        if not any(type(getattr(node, field, None)) is list for field in n.BLOCKS):
            with self.without(self.shadowed(node)):
                plain = remade(node, self.value)
            return [] if is_itself(plain) else [plain]
        inside = isinstance(node, n.FunctionDef)
        if not inside:  # if what is known at its beginning leaves nothing that binds these names, it is known in every trip
            with self.without(bound_names(node.target) if isinstance(node, n.For) else set()):
                made = self.with_blocks(node)
            if bound_names(made).isdisjoint(self.known):
                return [made]
        with self.without(bound_names(node) | (self.bound if inside else set())):
            return [self.with_blocks(node)]

    def with_blocks(self, node: Any) -> n.stmt:
        """A statement that holds others."""
        made = {field: self.block(block) for field in n.BLOCKS if type(block := getattr(node, field, None)) is list}
        if isinstance(node, n.While):
            made["test"] = self.test(node.test)
            return altered(node, **made)
        parts = {part for block in made.values() for part in block}
        return remade(altered(node, **made), lambda part: part if part in parts else self.value(part))

    def shadowed(self, node: n.AST) -> set[str]:
        """The names that mean something else in a part of a statement: of a comprehension, a lambda, or bound in its midst."""
        own = (n.comprehension, n.NamedExpr)
        inside = {name for part in n.walk(node) if isinstance(part, own) for name in bound_names(part.target)}
        lambdas = [part for part in n.walk(node) if isinstance(part, n.Lambda)]
        return inside.union(*map(bound_names, lambdas), self.bound if lambdas else ())

    def value(self, node: Any) -> Any:
        """An expression, or another part of a statement."""
        if isinstance(node, (n.Compare, n.Call)) and (answer := self.answer(node)) is not None:
            return place(n.Constant(value=answer, kind=None), node)
        if isinstance(node, n.IfExp):
            test = self.test(node.test)
            if isinstance(test, n.Constant):
                return self.value(node.body if test.value else node.orelse)
            return altered(node, test=test, body=self.value(node.body), orelse=self.value(node.orelse))
        if isinstance(node, n.BoolOp):
            return self.joined(node, self.value)
        if isinstance(node, n.UnaryOp) and isinstance(node.op, n.Not):
            operand = self.test(node.operand)
            answer = not operand.value if isinstance(operand, n.Constant) else None
            return altered(node, operand=operand) if answer is None else place(n.Constant(value=answer, kind=None), node)
        return remade(node, self.value)

    def test(self, node: Any) -> Any:
        """An expression of which only counts whether it is true."""
        if isinstance(node, n.Name) and node.id in self.known:
            known = self.known[node.id]
            return place(n.Constant(value=bool(known) if isinstance(known, LITERAL) else known is not None, kind=None), node)
        return self.joined(node, self.test) if isinstance(node, n.BoolOp) else self.value(node)

    def joined(self, node: n.BoolOp, inner: Callable[[Any], Any]) -> n.expr:
        """``a and b`` without the parts that decide nothing, and those that are not asked any more."""
        neutral = isinstance(node.op, n.And)
        parts: list[n.expr] = []
        for part in node.values:
            answer = self.test(part)
            known = bool(answer.value) if isinstance(answer, n.Constant) else None
            if known is not neutral or part is node.values[-1] and inner != self.test:
                parts.append(inner(part))
            if known is not None and known is not neutral:
                break
        if not parts:
            return place(n.Constant(value=neutral, kind=None), node)
        return altered(node, values=parts) if len(parts) > 1 else parts[0]

    def answer(self, node: n.Compare | n.Call) -> bool | None:
        """The answer to ``p is None``, ``p is not np.tanh``, ``p == q`` or ``callable(p)``; None if that is something else."""
        if isinstance(node, n.Call):
            if self.kinds and len(node.args) == 2 and (kind := self.kind_of(node.args[0])) is not None:
                return self.of_kind(kind, node)
            if self.kinds and len(node.args) == 1 and self.resolve(node.func) is is_one_number:
                return (kind := self.kind_of(node.args[0])) is not None and issubclass(kind.kind, (int, float))
            asked = isinstance(node.func, n.Name) and node.func.id == "callable" and self.resolve(node.func) is builtins.callable
            return self.is_called(node.args[0]) if asked and len(node.args) == 1 and not node.keywords else None
        if len(node.ops) > 1:
            return None
        literals = self.literal(node.left), self.literal(node.comparators[0])
        looked_in = isinstance(node.ops[0], (n.In, n.NotIn)) and not isinstance(literals[1], tuple)
        if MISSING not in literals and type(node.ops[0]) in COMPARED and (not looked_in or {*map(type, literals)} == {str}):
            return bool(COMPARED[type(node.ops[0])](*literals))
        if not isinstance(node.ops[0], (n.Is, n.IsNot, n.Eq, n.NotEq)):
            return None
        sides = self.stands(node.left), self.stands(node.comparators[0])
        if MISSING in sides:
            return None
        return (sides[0] is sides[1]) == isinstance(node.ops[0], (n.Is, n.Eq))

    def kind_of(self, node: n.expr) -> Kind | None:
        """The class that the value of an expression is certainly of."""
        if isinstance(node, n.Constant):
            return Kind(type(node.value))
        if isinstance(node, n.Tuple):
            return Kind(tuple, len(node.elts))
        return self.kinds.get(node.id) if isinstance(node, n.Name) else None

    def of_kind(self, known: Kind, node: n.Call) -> bool | None:
        """The answer to ``isinstance(p, tuple)`` or ``hasattr(p, "name")``; None if that is something else."""
        asked, other = self.resolve(node.func), node.args[1]
        if asked is builtins.hasattr and isinstance(other, n.Constant):
            return known.has(other.value)
        found = self.resolve(other) if asked is builtins.isinstance else MISSING
        return issubclass(known.kind, found) if isinstance(found, type) else None

    def literal(self, node: n.expr) -> Any:
        """The number or word that an expression is, ``np.inf`` included, MISSING of any other."""
        if isinstance(node, n.Call) and len(node.args) == 1 and (kind := self.kind_of(node.args[0])) is not None:
            return kind.length if kind.length is not None and self.resolve(node.func) is builtins.len else MISSING
        if isinstance(node, n.UnaryOp) and self.literal(node.operand) == np.inf:
            return -np.inf
        if isinstance(node, n.Attribute) and node.attr == "inf" and self.resolve(node.value) is np:
            return np.inf
        if isinstance(node, n.Call) and len(node.args) == 1 and not node.keywords and self.resolve(node.func) in (np.ndim, np.size):
            inner = self.literal(node.args[0])
            return inner if inner is MISSING else self.resolve(node.func)(inner)
        if isinstance(node, n.Name) and isinstance(known := self.known.get(node.id), LITERAL):
            return known
        return constant(node)

    def is_called(self, node: n.expr) -> bool | None:
        """Whether what an expression stands for can be called, None if that is not known."""
        if (known := self.stands(node)) is not MISSING:
            return known is not None and not isinstance(known, LITERAL)
        found = self.resolve(node) if isinstance(node, n.Name) and node.id not in self.own else MISSING
        return None if found is MISSING else callable(found)

    def stands(self, node: n.expr) -> Any:
        """The function (or None) that an expression stands for, MISSING if that is not known."""
        if isinstance(node, n.Constant) and node.value is None:
            return None
        if isinstance(node, n.Name) and node.id in self.known:
            return self.known[node.id]
        found = self.resolve(node) if isinstance(node, n.Attribute) or isinstance(node, n.Name) and node.id not in self.own else MISSING
        return found if is_plain_function(found) else MISSING


def is_itself(node: n.stmt) -> bool:
    """Whether a statement binds a name to what it is."""
    target = node.targets[0] if isinstance(node, n.Assign) and len(node.targets) == 1 else None
    return isinstance(target, n.Name) and isinstance(node.value, n.Name) and target.id == node.value.id


def bound_first(body: Block, parameters: set[str]) -> set[str]:
    """Those parameters that a body binds anew before it reads them, whatever happens: what they were given is nothing to it."""
    found: set[str] = set()
    seen: set[str] = set()
    for node in body:
        target = node.targets[0] if isinstance(node, n.Assign) and len(node.targets) == 1 else None
        if isinstance(target, n.Name) and target.id in parameters - seen - names(node.value):
            found.add(target.id)
        seen |= names(node)
    return found


def asks(tree: n.FunctionDef) -> bool:
    """Whether a function asks whether something can be called, which may be known without its arguments, too."""
    return any(isinstance(part, n.Name) and part.id == "callable" for part in n.walk(tree))


def is_plain_function(value: Any) -> bool:
    """Whether a value is a function or a class as such: true, called, and the same as nothing but itself."""
    return isinstance(value, (types.FunctionType, types.BuiltinFunctionType, np.ufunc, type)) or type(value) is DISPATCHED
