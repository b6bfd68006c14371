"""Abstract interpretation: the abstract value of every name before every statement, and of every expression there."""

from __future__ import annotations

import builtins
import itertools
import math
import operator
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...analysis.abstract import (
    ANY_KEY,
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    NEVER,
    SET,
    STATIC,
    UNKNOWN,
    Abstract,
    item_of,
    joined,
    joined_all,
    of_entries,
    same_dtype,
    with_entry_changed,
    with_entry_known,
    without_an_entry,
)
from ...analysis.abstraction import abstract, sampled
from ...analysis.applications import OPERATORS, Application, application
from ...analysis.bindings import is_method
from ...analysis.class_data import class_data
from ...analysis.lengths import (
    NOT_ONE,
    Computed,
    Dim,
    Equalities,
    broadcast,
    can_be_one,
    least,
    number_of,
    of_symbol,
    plus,
    quotient,
    times,
)
from ...analysis.lengths_within import forgotten
from ...analysis.literals import POWERS, PYTHON, constant, folded
from ...analysis.scope import MISSING, Scope
from ...analysis.source.may_be_active import COUNTING
from ...analysis.source.out_arguments import among
from ...analysis.statements import altered_container, base, entry_put_in, grown, popped, shrunk, simple
from ...analysis.states import Environment, extended, joined_environments
from ...rules import Rule
from ...rules.facts import FACTS
from ...runtime import linked_calls as calls
from ...runtime.checks import check_length
from ...runtime.structures import recorded
from ...syntax import nodes as n
from ...syntax.quote import as_read, expression, names
from .attributes import attribute_of
from .derivative_results import Taken
from .indices import indexed, joined_row, list_of, longer
from .keys import keys_of
from .narrowed import narrowed
from .operator_overloads import foreign
from .samples import by_samples, drawn
from .shapes import NUMBERS, SHAPES, grid, transformed
from .user_calls import generated, linked_call, user_call

EMPTY = Abstract("sequence", items=())


class Values:
    """The facts: ``before[statement]`` is the environment that a statement starts in."""

    def __init__(self, scope: Scope, within: tuple[Any, ...] = ()):
        self.scope = scope
        self.within = within  # the functions whose calls led to this one
        self.before: dict[n.stmt, dict[str, Abstract]] = {}
        self.after: dict[n.stmt, dict[str, Abstract]] = {}
        self.growing: frozenset[str] = frozenset()  # the lists that get longer in the loops at hand
        self.at_head: dict[n.stmt, Environment] = {}  # of a loop: what is known before each trip, whatever is known around it
        self.within_memory: Any = None  # the environment in which expressions are asked for, and what they are there
        self.remembered: dict[n.expr, Abstract] = {}
        self.linked: dict[str, n.Call | None] = {}  # by name the one call that it is the link of
        self.equal = Equalities()
        self.within_block: list[n.stmt] = []  # the block of the statement at hand
        self.order: dict[n.AST, int] = {}  # the numbers of statements that make lengths, those in a loop after its own

    def block(self, body: list[n.stmt], environment: Mapping[str, Abstract]) -> Environment:
        """Interpret a block; the environment after it."""
        now = extended(environment)
        for statement in body:
            self.before[statement], self.within_block = now, body
            now = self._statement(statement, extended(now))
            self.after[statement] = now
        return now

    def _statement(self, node: n.stmt, environment: Environment) -> Environment:
        if isinstance(node, n.Assign):
            name = getattr(node.targets[0], "id", "")
            if name and isinstance(node.value, n.Call) and self.scope.resolve(node.value.func) in calls.RUNNING:
                self.linked[name] = node.value if self.linked.get(name, node.value) is node.value else None
            if isinstance(node.targets[0], n.Subscript):
                broadcast(*(self.of(part, environment).dims for part in (as_read(node.targets[0]), node.value)), equal=self.equal)
            self._bind(node.targets[0], self.of(node.value, environment), environment, node)
            if (name := shrunk(node)) is not None and name in environment:  # which item stands where is not known any more
                held = environment[name]
                environment[name] = held._replace(items=item_of(held) if held.kind == "sequence" else None)
            self._exchanged(node.value, environment)
        elif isinstance(node, n.AugAssign) and isinstance(node.target, n.Subscript):
            old = self.of(as_read(node.target), environment)
            new = self.of(n.BinOp(left=as_read(node.target), op=node.op, right=node.value), environment)
            self._entry(node.target, old if old.kind == "array" else new, environment)
        elif isinstance(node, n.AugAssign) and isinstance(node.target, n.Name):
            old = environment.get(node.target.id, UNKNOWN)
            new = self.of(n.BinOp(left=expression(node.target.id), op=node.op, right=node.value), environment)
            whole = old if old.kind == "array" else new if old.scalar else joined(old, new)
            environment[node.target.id] = self.measured(node.target.id, whole, node)
        elif isinstance(node, n.Expr) and isinstance(node.value, n.Call) and self.scope.resolve(node.value.func) is check_length:
            self._of_length(*node.value.args, environment=environment)
        elif (name := grown(node)) is not None:
            environment[name] = longer(environment.get(name, UNKNOWN), self.of(entry_put_in(node), environment))
        elif isinstance(node, n.Expr) and (name := altered_container(node)) in environment:
            self._entry_altered(node.value, environment)
        elif isinstance(node, n.Delete) and (name := base(node.targets[0])) is not None:
            environment[name] = without_an_entry(environment.get(name, UNKNOWN))
        elif isinstance(node, n.If):
            first, second = narrowed(node, self.within_block, self, environment)
            then, other = self.block(node.body, first), self.block(node.orelse, second)
            decided = self.decided(node.test, self.before[node])
            if decided is not None:
                environment = then if decided else other
            else:
                never, nor = self._raises(node.body), self._raises(node.orelse)
                environment = then if nor else other if never else self._met(node, then, other)
        elif isinstance(node, (n.For, n.While)):
            environment = self._loop(node, environment)
        return environment

    def _exchanged(self, node: n.expr, environment: Environment) -> None:
        """What is known of a heap after a call that orders it, and may put something in."""
        if not isinstance(node, n.Call) or not among(self.scope.resolve(node.func), FACTS["exchanges"]) or not node.args:
            return
        heap, *put_in = node.args
        if isinstance(heap, n.Name) and (held := environment.get(heap.id, UNKNOWN)).kind == "sequence":
            for item in put_in:
                held = longer(held, self.of(item, environment))
            environment[heap.id] = held._replace(items=item_of(held))

    def _raises(self, body: list[n.stmt]) -> bool:
        """Whether a block ends with an exception, or takes an entry of a list that gets its first one later in the loop at hand."""
        taken = {node.value.value.id for node in body if isinstance(node, n.Assign) and isinstance(node.value, n.Subscript)
                 and isinstance(node.value.value, n.Name) and self.before[node].get(node.value.value.id, UNKNOWN) == EMPTY}
        return bool(body) and isinstance(body[-1], n.Raise) or not taken.isdisjoint(self.growing)

    def _loop(self, node: n.For | n.While, environment: Environment) -> Environment:
        outside, self.growing = self.growing, self.growing | {name for part in simple(node.body) if (name := grown(part)) is not None}
        found = self._fixpoint(node, environment)
        self.growing = outside
        return found

    def _fixpoint(self, node: n.For | n.While, environment: Environment) -> Environment:
        first = self.order.setdefault(node, len(self.order))

        def at_head(name: str, value: Abstract) -> Abstract:
            return self.measured(name, forgotten(value, first), node)

        def join(name: str, one: Abstract, other: Abstract) -> Abstract:
            return at_head(name, joined(one, other))

        entered = environment  # where what is gone over is asked for, once
        if node in self.at_head:  # in a loop around it, which only ever forgets
            environment = joined_environments(environment, self.at_head[node], join)
        while True:  # to a fixpoint: joining only ever forgets, so it ends
            start = extended(environment)
            if isinstance(node, n.For):
                one, other = (self.iterated(self.of(node.iter, known), node.iter, known) for known in (entered, start))
                self._bind(node.target, joined(one, other), start, node.target)
            end = self.block(node.body, start)
            new = joined_environments(environment, end, join)
            new.update({name: at_head(name, value) for name, value in new.own().items() if name not in environment})
            if new == environment:
                self.at_head[node] = environment
                if not self.makes_trips(node, entered):
                    return environment
                after = {name: value for name in environment for value in (end[name],) if value != environment[name]}
                return extended(environment, {name: at_head(name, value) for name, value in after.items()})
            environment = new

    def makes_trips(self, node: n.For | n.While, environment: Mapping[str, Abstract]) -> bool:
        """Whether a loop makes a trip at least, and no trip ends before its body does: what is known then is so after the loop."""
        if not isinstance(node, n.For) or any(isinstance(part, (n.Break, n.Continue)) for part in n.walk(node)):
            return False
        over = node.iter.args[0] if isinstance(node.iter, n.Call) and self.scope.resolve(node.iter.func) is builtins.enumerate and (
            node.iter.args) else node.iter
        if isinstance(over, n.Call) and self.scope.resolve(over.func) is builtins.range:
            numbers = [self.of(part, environment).length for part in over.args]
            return all(isinstance(number, int) for number in numbers) and len(numbers) < 4 and bool(range(*numbers))  # type: ignore[arg-type]
        known = self.of(over, environment)
        if known.kind == "array" and known.dims:
            return least(known.dims[0]) >= 1
        return known.kind == "sequence" and type(known.items) is tuple and bool(known.items)

    def _met(self, node: n.If, then: Environment, other: Environment) -> Environment:
        """What is known where two branches meet. Lengths that are equal in each of them are equal afterwards."""
        made: dict[tuple[Dim, Dim], Dim] = {}

        def join(name: str, one: Abstract, two: Abstract) -> Abstract:
            value = self.measured(name, joined(one, two), node)
            if value.kind != "array":
                return value
            pairs = zip(one.dims, two.dims, value.dims)
            return value._replace(dims=tuple(p if p == q else made.setdefault((p, q), dim) for p, q, dim in pairs))

        return joined_environments(then, other, join)

    def measured(self, name: str, value: Abstract, at: n.AST | None) -> Abstract:
        """What is bound to a name, each length of an array that is not known being a symbol: one for a run of the statement."""
        if at is None or value.kind != "array" or not {None, NOT_ONE}.intersection(value.dims):
            return value
        number = self.order.setdefault(at, len(self.order))
        made = (Computed(number, name, axis, can_be_one(dim)) for axis, dim in enumerate(value.dims))
        return value._replace(dims=tuple(of_symbol(own) if dim in (None, NOT_ONE) else dim for own, dim in zip(made, value.dims)))

    def _of_length(self, checked: n.expr, number: n.expr, *more: n.expr, environment: Environment) -> None:
        """What is known of an array once it has been seen to have a number of entries."""
        known = self.of(checked, environment)
        if isinstance(checked, n.Name) and known.kind == "array" and known.dims and not more:
            environment[checked.id] = known._replace(dims=(constant(number), *known.dims[1:]))

    def _entry(self, target: n.expr, value: Abstract, environment: Environment) -> None:
        """``d["k"] = value``: what is known of the entries of a list or dict. With a key that is not known it may be any of them."""
        self._entry_changed(target, lambda entry: value, environment)

    def _entry_altered(self, call: Any, environment: Environment) -> None:
        """``d["k"].append(value)``: what is known of the entries of a list or dict of lists, sets, dicts."""
        item = self.of(call.args[0], environment) if call.func.attr == "append" and len(call.args) == 1 else None

        def changed(entry: Abstract) -> Abstract:
            if entry.kind == "sequence" and item is not None:
                return longer(entry, item)
            return Abstract(entry.kind) if entry.kind in ("sequence", "mapping") else entry

        self._entry_changed(call.func.value, changed, environment)

    def _entry_changed(self, target: n.expr, change: Callable[[Abstract], Abstract], environment: Environment) -> None:
        path: list[Any] = []
        holder = target
        while isinstance(holder, n.Subscript):
            path.insert(0, constant(holder.slice))
            holder = holder.value
        if isinstance(holder, n.Name) and holder.id in environment and path:
            environment[holder.id] = with_entry_changed(environment[holder.id], path, change)

    def _bind(self, target: n.expr, value: Abstract, environment: Environment, at: n.AST | None = None) -> None:
        if isinstance(target, n.Name):
            number = value.kind == "unknown" and target.id in self.scope.numbers
            environment[target.id] = Abstract("numpy") if number else self.measured(target.id, value, at)
        elif isinstance(target, n.Subscript):
            self._entry(target, value, environment)
        elif isinstance(target, (n.Tuple, n.List)):
            row = self.iterated(value, target, environment) if value.kind in ("array", "mapping") else None
            for position, part in enumerate(target.elts):
                self._bind(part, item_of(value, position) if row is None else row, environment, at)

    def iterated(self, value: Abstract, node: n.expr, environment: Mapping[str, Abstract]) -> Abstract:
        """The abstract value of what a loop over an expression binds its target to."""
        if isinstance(node, n.Call):
            function = self.scope.resolve(node.func)
            if function is builtins.range:
                return INT
            if function is builtins.enumerate and node.args:
                inner = self.iterated(self.of(node.args[0], environment), node.args[0], environment)
                return Abstract("sequence", items=(INT, inner))
            if function is builtins.zip:
                return Abstract("sequence", items=tuple(self.iterated(self.of(part, environment), part, environment) for part in node.args))
            if function is MISSING and any(is_method(node, name) for name in ("keys", "values", "items")):
                owner = self.of(node.func.value, environment)
                keys, held = (keys_of(owner), item_of(owner)) if owner.kind == "mapping" else (STATIC, UNKNOWN)
                return {"keys": keys, "values": held, "items": Abstract("sequence", items=(keys, held))}[node.func.attr]
            if function is itertools.accumulate and len(node.args) == 1 and not node.keywords:
                summed = self.iterated(self.of(node.args[0], environment), node.args[0], environment)
                return summed if summed.floating and summed.scalar else Abstract("numpy") if summed.scalar else UNKNOWN
            if function in (builtins.reversed, builtins.list, builtins.sorted, recorded) and node.args:
                return self.iterated(self.of(node.args[0], environment), node.args[0], environment)
        value = value.certain
        if value == UNKNOWN:
            return generated(node, self, environment)
        if value.kind == "array" and value.dims:
            return Abstract("array", value.dtype, value.dims[1:]) if len(value.dims) > 1 else Abstract("numpy", value.dtype)
        return keys_of(value) if value.kind == "mapping" else item_of(value)

    # -- expressions ----------------------------------------------------------------------------------------------------

    def of(self, node: n.expr, environment: Mapping[str, Abstract]) -> Abstract:
        """The abstract value of an expression in an environment."""
        if isinstance(node, n.Name):
            return self._of(node, environment)
        if environment is not self.within_memory:  # its parts are asked for more than once
            kept = self.within_memory, self.remembered
            try:
                return self.remembering(node, environment)
            finally:
                self.within_memory, self.remembered = kept
        if node in self.remembered:
            return self.remembered[node]
        if self.scope.unsettled and any(environment.get(name) == NEVER for name in names(node)):
            return NEVER
        found = self._of(node, environment)
        found = self.remembered[node] = found if found != UNKNOWN else foreign(node, self, environment)
        return found

    def remembering(self, node: n.expr, environment: Mapping[str, Abstract]) -> Abstract:
        """The abstract value of an expression in an environment that does not change any more, where it is asked again and again."""
        if environment is not self.within_memory:
            self.within_memory, self.remembered = environment, {}
        return self.of(node, environment)

    def _of(self, node: n.expr, environment: Mapping[str, Abstract]) -> Abstract:
        if isinstance(node, n.Name):
            if node.id in environment:
                return environment[node.id]
            found = self.scope.lookup(node.id)
            return UNKNOWN if found is MISSING else abstract(found, node.id)
        if isinstance(node, n.Constant):
            if isinstance(node.value, int):
                return (BOOL if isinstance(node.value, bool) else INT)._replace(length=node.value)
            return abstract(node.value, "")
        if isinstance(node, (n.Compare, n.BoolOp)) and (decided := self.decided(node, environment)) is not None:
            return BOOL._replace(length=decided)
        if isinstance(node, n.Compare) and len(node.ops) == 1 and not isinstance(node.ops[0], (n.In, n.NotIn, n.Is, n.IsNot)):
            return self._elementwise(np.less, [node.left, node.comparators[0]], environment, BOOL, node)
        if isinstance(node, (n.Compare, n.BoolOp)):
            return BOOL if isinstance(node, n.Compare) else UNKNOWN
        if isinstance(node, n.IfExp):
            if (decided := self.decided(node.test, environment)) is not None:
                return self.of(node.body if decided else node.orelse, environment)
            return joined(self.of(node.body, environment), self.of(node.orelse, environment))
        if isinstance(node, (n.Tuple, n.List)) and any(isinstance(part, n.Starred) for part in node.elts):
            parts = [self.starred(part.value, environment) if isinstance(part, n.Starred) else (self.of(part, environment),)
                     for part in node.elts]
            return Abstract("sequence", items=UNKNOWN if None in parts else sum(parts, ()))
        if isinstance(node, (n.Tuple, n.List)):
            return Abstract("sequence", items=tuple(self.of(part, environment) for part in node.elts))
        if isinstance(node, n.ITEM_BY_ITEM):
            inner = extended(environment)
            for part in node.generators:
                self._bind(part.target, self.iterated(self.of(part.iter, inner), part.iter, inner), inner)
            return Abstract("sequence", items=self.of(node.elt, inner))
        if isinstance(node, n.Dict):
            if None in node.keys:
                return Abstract("mapping")
            entries: dict[Any, Abstract] = {}
            for key, value in zip(node.keys, node.values):
                entries = dict(with_entry_known(of_entries(entries), [constant(key)], self.of(value, environment)).items)
            return of_entries(entries, ANY_KEY not in entries)
        if isinstance(node, n.DictComp):
            inner = extended(environment)
            for part in node.generators:
                self._bind(part.target, self.iterated(self.of(part.iter, inner), part.iter, inner), inner)
            return of_entries({ANY_KEY: self.of(node.value, inner)}, complete=False)
        if (name := popped(node)) is not None:
            return item_of(environment.get(name, UNKNOWN))
        if isinstance(node, n.Call) and node.args and among(self.scope.resolve(node.func), FACTS["takes out"]):
            heap, *put_in = (self.of(part, environment) for part in node.args)
            return joined_all((item_of(heap), *put_in)) if heap.kind == "sequence" else UNKNOWN
        if isinstance(node, n.BinOp):
            return self._binary(node, self.of(node.left, environment).certain, self.of(node.right, environment).certain, environment)
        if isinstance(node, n.Call) and isinstance(node.func, n.Attribute) and node.func.attr in COUNTING and (
                self.of(node.func.value, environment).kind == "sequence"):
            return INT
        if isinstance(node, n.Set) or isinstance(node, n.Call) and self.scope.resolve(node.func) is set:
            return SET
        if is_method(node, "bit_length") and self.of(node.func.value, environment).dtype == int:
            return INT
        if is_method(node, "copy") and (owner := self.of(node.func.value, environment)).kind == "mapping":
            return owner
        if (is_method(node, "get", 2) or is_method(node, "get", 1)) and (owner := self.of(node.func.value, environment)).kind == "mapping":
            key = constant(node.args[0])
            other = self.of(node.args[1], environment) if len(node.args) > 1 else STATIC
            return other if owner.items == () and owner.length == 0 else joined(item_of(owner, None if key is MISSING else key), other)
        if self.of_none(node.func if isinstance(node, n.Call) else node, environment):
            self.scope.unsettled = True
            return NEVER  # until there is something else
        if isinstance(node, n.Attribute) and node.attr in ("shape", "ndim", "size"):
            owner = self.of(node.value, environment).certain
            outside = self.scope.resolve(node.value) if owner.rank is None else MISSING
            return UNKNOWN if isinstance(outside, (type, types.ModuleType)) else self.metadata(node.attr, owner)
        if isinstance(node, n.Attribute) and type(self.scope.resolve(node)) is float and self.scope.resolve(node.value) in (np, math):
            return FLOAT  # np.pi
        if isinstance(node, n.Attribute) and (found := class_data(self.scope.resolve(node.value), node.attr)).kind != "unknown":
            return found
        if isinstance(node, n.Attribute) and (held := attribute_of(self.of(node.value, environment), node.attr, self.scope)) != UNKNOWN:
            return held
        if (applied := application(node, self.scope)) is not None:
            return self._applied(node, applied, environment)
        return drawn(self, node, environment) if isinstance(node, n.Call) else UNKNOWN

    def decided(self, test: n.expr, environment: Mapping[str, Abstract]) -> bool | None:
        """The answer to a question about ints that are known: numbers of dimensions, lengths; None where it is not known."""
        if isinstance(test, n.BoolOp):
            parts = [self.decided(part, environment) for part in test.values]
            stop = isinstance(test.op, n.Or)
            return stop if stop in parts else None if None in parts else not stop
        if isinstance(test, n.UnaryOp) and isinstance(test.op, n.Not):
            inner = self.decided(test.operand, environment)
            return None if inner is None else not inner
        if isinstance(test, n.Name):
            known = environment.get(test.id, UNKNOWN)
            return bool(known.length) if known.kind == "python" and known.dtype == bool and isinstance(known.length, int) else None
        if not isinstance(test, n.Compare) or len(test.ops) > 1:
            return None
        if isinstance(test.ops[0], (n.Is, n.IsNot)) and constant(test.comparators[0]) is None:
            return isinstance(test.ops[0], n.IsNot) if self.of(test.left, environment).kind == "array" else None
        if type(test.ops[0]) not in ASKED:
            return None
        one, other = (self.of(part, environment).length for part in (test.left, test.comparators[0]))
        return ASKED[type(test.ops[0])](one, other) if isinstance(one, int) and isinstance(other, int) else None

    def of_none(self, node: n.expr, environment: Mapping[str, Abstract]) -> bool:
        """Whether a node is an attribute that None does not have, and words neither, of one of them."""
        words = isinstance(node, n.Attribute) and (hasattr(str, node.attr) or hasattr(bytes, node.attr))
        return isinstance(node, n.Attribute) and not words and self.of(node.value, environment) == STATIC

    def starred(self, node: n.expr, environment: Mapping[str, Abstract]) -> Any:
        """The abstract values that a star stands for, None if they are not known one by one."""
        value = self.of(node, environment)
        return value.items if value.kind == "sequence" and type(value.items) is tuple else None

    def _binary(self, node: n.BinOp, left: Abstract, right: Abstract, environment: Mapping[str, Abstract]) -> Abstract:
        """The abstract value of ``left op right``."""
        if (whole := list_of(node, left, right)) is not None:
            return whole
        if STATIC in (left, right) and isinstance(node.op, (n.Add, n.Sub, n.Div, n.Pow)):  # None until there is a number, or an array
            number = right if left == STATIC else left
            return Abstract("numpy", number.dtype) if number.scalar else number if number.kind == "array" else UNKNOWN
        if isinstance(node.op, n.BitOr) and left.kind == right.kind == "mapping":
            return Abstract("mapping")
        if isinstance(node.op, n.MatMult) or left.kind == "foreign" or right.kind == "foreign":
            applied = application(node, self.scope)
            assert applied is not None
            if isinstance(node.op, n.MatMult) or applied.rule is not None and applied.rule.of_method:
                return self._applied(node, applied, environment)
        if left.kind == right.kind == "python" and left.dtype == right.dtype == int and type(node.op) in COUNTED:
            return INT._replace(length=COUNTED[type(node.op)](left.length, right.length))
        if isinstance(node.op, n.Pow) and left.kind == right.kind == "python":  # of which the type depends on the numbers
            power = folded(node, self.scope.once)
            if isinstance(power, (float, complex)):
                return COMPLEX if isinstance(power, complex) else FLOAT
            if power is MISSING and left.dtype == right.dtype == int and isinstance(node.right, n.UnaryOp):
                return joined(INT, FLOAT)
        return self.combined(PYTHON.get(type(node.op), OPERATORS[type(node.op)]), [left, right])

    def metadata(self, attribute: str, value: Abstract) -> Abstract:
        """The abstract value of an array's ``shape``, ``ndim`` or ``size``."""
        if attribute == "shape" and value.rank is not None:
            return Abstract("sequence", items=tuple(INT._replace(length=number_of(dim)) for dim in value.dims))
        if attribute == "shape" or value.rank is None:
            return UNKNOWN if attribute == "shape" else INT
        return INT._replace(length=value.rank if attribute == "ndim" else number_of(value.dims[0]) if value.rank == 1 else None)

    def _applied(self, node: n.expr, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
        found = self._by_table(node, applied, environment)
        if found.either is not None:
            return found
        if found.kind == "unknown" and isinstance(node, n.Call) and among(function := self.scope.resolve(node.func), NUMBERS):
            return FLOAT
        if found.kind == "unknown" and isinstance(node, n.Call):
            found = user_call(node, function, self, environment)
        if found.kind == "unknown":
            found = by_samples(self, applied, environment)
            return transformed(self, applied, environment) if found.kind == "unknown" and applied.args else found
        if found.kind == "array" and found.dtype is None and (other := by_samples(self, applied, environment)).rank == found.rank:
            return found._replace(dtype=other.dtype)
        return found

    def _by_table(self, node: n.expr, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
        function = applied.function
        if function is operator.getitem and isinstance(node, n.Subscript) and among(self.scope.resolve(node.value), (np.ogrid, np.mgrid)):
            return grid(node, self.scope.resolve(node.value), self, environment)
        if function is operator.getitem and isinstance(node, n.Subscript) and self.scope.resolve(node.value) is np.r_:
            return joined_row(list(node.slice.elts) if isinstance(node.slice, n.Tuple) else [node.slice], self, environment)
        if function is operator.getitem:
            return indexed(self.of(applied.args[0], environment).certain, applied.args[1], self, environment)
        if function in (builtins.list, builtins.tuple, builtins.sorted, recorded) and len(applied.args) == 1:
            return Abstract("sequence", items=self.iterated(self.of(applied.args[0], environment), applied.args[0], environment))
        if function in (builtins.max, builtins.min) and len(applied.args) == 1:
            found = self.iterated(self.of(applied.args[0], environment), applied.args[0], environment)
            return found if found.scalar else UNKNOWN
        if function in (builtins.max, builtins.min) and not applied.kwargs:
            parts = [self.of(part, environment) for part in applied.args]
            return joined_all(tuple(parts)) if all(part.scalar for part in parts) else UNKNOWN
        if isinstance(node, n.Call) and (made := self._dict(node, function, environment)) is not None:
            return made
        if isinstance(node, n.Call) and self.scope.resolve(node.func) in (max, min) and function in (np.maximum, np.minimum):
            found, other = (self.of(part, environment) for part in applied.args)
            if found.scalar and other.scalar and not same_dtype(found, other):  # one of them as it is
                return joined(found, other)
        if isinstance(function, Taken):
            return function.result([self.of(part, environment) for part in applied.args])
        shape = SHAPES.get(function) if applied.args else None
        if shape is not None:
            return shape(self, applied, environment)
        if function in (*calls.RUNNING, calls.pulled):  # an entry for each argument
            return self.of(applied.args[0], environment)
        if function is calls.result and self.scope.returned is not None and isinstance(applied.args[0], n.Name):
            return linked_call(self.linked.get(applied.args[0].id), self.of(applied.args[0], environment), self)
        rule = applied.rule
        if rule is not None and rule.own:
            return self._of_own(rule, applied, environment)
        if rule is not None and rule.of_method:
            return self._of_method(rule, applied, environment)
        ufunc = isinstance(function, np.ufunc) and function.signature is None
        if (ufunc or rule is not None and rule.kind == "elementwise") and not applied.kwargs:
            return self._elementwise(function, list(applied.args), environment, None, node)
        return UNKNOWN

    def _dict(self, node: n.Call, function: Any, environment: Mapping[str, Abstract]) -> Abstract | None:
        """The abstract value of a call that makes a dict; None of any other."""
        if getattr(function, "__name__", "") == "fromkeys" and isinstance(getattr(function, "__self__", None), type):
            alone = function.__self__ is dict and len(node.args) == 2 and not node.keywords
            return of_entries({ANY_KEY: self.of(node.args[1], environment)}, complete=False) if alone else Abstract("mapping")
        if not isinstance(function, type) or not issubclass(function, dict):
            return None
        if node.args or any(keyword.arg is None for keyword in node.keywords) or function is not dict:
            return Abstract("mapping")
        return of_entries({keyword.arg: self.of(keyword.value, environment) for keyword in node.keywords})

    def _of_own(self, rule: Rule, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
        """What a function with a rule of one's own gives: it cannot be tried on samples, and may take its time."""
        if rule.kind != "elementwise" or applied.kwargs:
            return UNKNOWN
        values = [self.of(operand, environment) for operand in applied.args]
        if all(value.scalar for value in values) or any(value.kind not in ("array", "python", "numpy") for value in values):
            return UNKNOWN
        return Abstract("array", None, broadcast(*(value.dims for value in values), equal=self.equal))

    def _of_method(self, rule: Rule, applied: Application, environment: Mapping[str, Abstract]) -> Abstract:
        """What a method of a library's object gives: of a product with a matrix the number of dimensions is known."""
        if among(applied.function, FACTS["evaluates a polynomial"]):
            of, x = (self.of(part, environment) for part in applied.args[:2])
            real = of.kind == "foreign" and of.dtype is None and x.floating
            return Abstract("array" if x.dims else "numpy", FLOAT.dtype if real else None, x.dims) if x.rank is not None else UNKNOWN
        other = self.of(applied.args[1], environment) if rule.kind == "multilinear" and len(applied.args) == 2 else UNKNOWN
        if other.kind != "array" or not other.dims:
            return UNKNOWN
        right = applied.function.__name__ == "__rmatmul__"
        return Abstract("array", None, (*other.dims[:-1], None) if right else (None, *other.dims[1:]))

    def _elementwise(
        self, function: Any, operands: list[n.expr], environment: Mapping[str, Abstract], scalar: Abstract | None, node: Any = None
    ) -> Abstract:
        if function in POWERS and isinstance(node, n.Call):
            return self.of(n.BinOp(left=operands[0], op=n.Pow(), right=operands[1]), environment)
        called = PYTHON.get(type(node.op), function) if isinstance(node, n.UnaryOp) else function
        values = [self.of(operand, environment) for operand in operands]
        raising = isinstance(node, n.UnaryOp) or isinstance(node, n.Compare) and not isinstance(node.ops[0], (n.Eq, n.NotEq))  # of None
        return self.combined(called, [value.certain for value in values] if raising else values, scalar)

    def combined(self, called: Any, values: list[Abstract], scalar: Abstract | None = None) -> Abstract:
        """The abstract value of a function of arrays and numbers, entry by entry; ``scalar``: what it is of Python's own numbers."""
        unsure = [position for position, value in enumerate(values) if value.either is not None]
        if unsure:
            before, (value, *after) = values[:unsure[0]], values[unsure[0]:]
            outside, self.equal = self.equal, Equalities()  # nobody insists on what is so of one of the two
            ways = tuple(self.combined(called, [*before, part, *after], scalar) for part in value.either or ())
            self.equal = outside
            return joined_all(ways) if len(unsure) < 4 else UNKNOWN
        if any(value.rank is None or value.dtype is None for value in values):
            if any(value.kind not in ("array", "python", "numpy") for value in values):
                return UNKNOWN
            gives_numbers = isinstance(called, np.ufunc) or called in PYTHON.values()  # of arrays without dimensions, too
            if not all(value.scalar or value.dims == () and gives_numbers for value in values):
                return Abstract("array", None, broadcast(*(value.dims for value in values), equal=self.equal))
            return Abstract("numpy")
        result = sampled(called, tuple((value.kind, value.dtype, len(value.dims)) for value in values))
        if scalar is not None and all(value.kind == "python" for value in values):
            return scalar
        return result._replace(dims=broadcast(*(value.dims for value in values), equal=self.equal)) if result.kind == "array" else result


ASKED = {n.Eq: operator.eq, n.NotEq: operator.ne, n.Lt: operator.lt, n.LtE: operator.le, n.Gt: operator.gt, n.GtE: operator.ge}


COUNTED: dict[type, Any] = {n.Add: plus, n.Sub: lambda a, b: plus(a, b, -1), n.Mult: times, n.FloorDiv: quotient}
"""The operators of ints that lengths are computed with."""
