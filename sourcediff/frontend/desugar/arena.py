"""Keep the values of containers that change in arbitrary ways in one list, an arena; the containers themselves hold indices into it.

>>> from sourcediff.api.explain import text_after
>>> def grouped(x):
...     groups = {}
...     for i in range(4):
...         groups.setdefault(i % 2, []).append(x[i])
...     return groups[0][-1] * sum(groups[1])
>>> print(text_after("unbound_names", grouped))
pool = []
groups = {}
for i in range(4):
    key = i % 2
    if key not in groups:
        groups[key] = []
    t = x[i]
    pool.append(t)
    groups[key].append(len(pool) - 1)
place = int(groups[0][-1])
t1 = pool[place]
total = 0.0
for place1 in groups[1]:
    t2 = pool[place1]
    total = total + t2
value = t1 * total

A container of places is a *directory*. It holds nothing that is differentiated, so it may be changed by all that Python has: nothing is
undone in it, and what is asked of it has a name. A value that replaces another gets a place of its own, so a copy of a directory stays as
it is. Containers that hold nothing differentiated anyway are directories as they are.
"""

from __future__ import annotations

from collections import defaultdict, deque
from typing import Any

from ...analysis.scope import Scope
from ...analysis.source.may_be_active import carrying
from ...analysis.source.out_arguments import among
from ...syntax import nodes as n
from ...syntax.quote import altered, as_read, as_target, expression, place, placed, statement, statements
from .arena_classes import CHANGING, ORDERING, AliasClass, Containers, escapes, method_of
from .arena_loops import ArenaLoops
from .arena_makers import ArenaMakers
from .arena_reads import Asker, fresh
from .plain_containers import CannotRewrite

Block = list[n.stmt]
HEADS = {n.If: "test", n.While: "test", n.For: "iter"}


def pool(body: Block, scope: Scope, given: set[str], start: set[str], wide: set[str], new: set[str]) -> Block:
    """A body in which containers that change in other ways than those that are undone are directories; ``start`` are names that carry.

    What other bodies use too, by a name in ``wide``, is no directory of places, since they ask for the values. What is bound here for the
    first time, by a name in ``new``, holds what is put into it here.
    """
    if not any(may_seed(part, scope) for part in escapes(body)):
        return body
    containers = Containers(body, scope, given)
    groups = groups_in(containers)
    parts = [part for node in body for part in n.walk(node)] if groups else []
    rebound = {name for part in parts if isinstance(part, (n.Nonlocal, n.Global)) for name in part.names}
    rebound |= {part.target.id for part in parts if isinstance(part, n.NamedExpr)}
    for group in groups:
        active = bool(group & carrying(body, start - (group & new), scope))
        if group & wide and (active or any(containers.cells[name].makes for name in group)):
            scope.directories |= set() if active else group
            continue
        kept = set(scope.directories)
        try:
            body = Pooling(containers, rebound, group, active).whole(body)
        except CannotRewrite:
            scope.directories = kept
    return body


def groups_in(containers: Containers) -> list[set[str]]:
    """The groups of names to be directories, but for those that have been written as such for others."""
    return [group for group in containers.groups() if not group <= containers.scope.directories]


def may_seed(node: n.AST, scope: Scope) -> bool:
    """Whether a part of a program can be what :class:`Containers` takes for a change that is not followed otherwise."""
    if isinstance(node, n.Subscript):
        return isinstance(node.ctx, n.Del) or isinstance(node.slice, n.Slice) and isinstance(node.ctx, n.Store)
    if isinstance(node, n.AugAssign):
        return isinstance(node.op, n.Mult) and not isinstance(node.value, n.BinOp) or isinstance(node.target, n.Subscript)
    if not isinstance(node, n.Call):
        return False
    if isinstance(node.func, n.Attribute) and node.func.attr in CHANGING:
        return node.func.attr not in ("clear", "remove", "update", "setdefault") or not isinstance(node.func.value, n.Name)
    function = scope.resolve(node.func)
    return among(function, (defaultdict, deque)) or among(function, ORDERING) and bool(node.keywords)


class Pooling(Asker, ArenaLoops, ArenaMakers):
    """Rewrites what is done with the containers of one group."""

    def whole(self, body: Block) -> Block:
        """The statements of a function."""
        if self.active and any(cell.kind == "set" for cell in self.cells):
            raise CannotRewrite
        self.scope.directories |= self.group
        done = self.block(body)
        if self.handed and self.returned:
            raise CannotRewrite
        if not self.active:
            return done
        return [place(statement("$p = []", p=self.values), body[0]), *done]

    def block(self, body: Block) -> Block:
        done: Block = []
        for node in body:
            for made in self.statement(node) if self.concerns(node) else [node]:
                done.append(placed(made, node))
        return done

    def statement(self, node: Any) -> Block:
        """The statements that one becomes."""
        if isinstance(node, n.FunctionDef):
            raise CannotRewrite
        outer, self.before = self.before, []
        present = set(self.present)
        self.alone = not isinstance(node, n.While)
        head = getattr(node, HEADS.get(type(node), ""), node)
        taking, self.taking = self.taking, self.changes(head)
        if isinstance(node, (n.If, n.While)):
            test = self.tested(node.test)
            made: Block = [altered(node, test=test, body=self.inner(node.body), orelse=self.inner(node.orelse))]
        elif isinstance(node, n.For):
            target, iterated, first = self.loop(node.target, node.iter, node.body)
            body = [*(statement("$t = $v", t=name, v=value) for name, value in first), *self.inner(node.body)]
            made = [altered(node, target=target, iter=iterated, body=body, orelse=self.inner(node.orelse))]
        else:
            made = self.simple(node)
        made = [*self.before, *made]
        self.before, self.present, self.taking = outer, present, taking
        return made

    def inner(self, body: Block) -> Block:
        """The statements of a block in a statement."""
        before, self.before = self.before, []
        done = self.block(body)
        self.before = before
        return done

    def simple(self, node: Any) -> Block:
        """A statement without blocks."""
        if isinstance(node, n.Assign):
            first, *others = node.targets
            if others and not isinstance(first, n.Name):
                raise CannotRewrite
            for target, value in [(first, node.value), *((target, as_read(first)) for target in others)]:
                self.before += self.assigned(target, value, node)
            return []
        if isinstance(node, n.AugAssign) and (self.owner(node.target) is not None or self.cell(node.target) is not None):
            return self.updated(node)
        if isinstance(node, n.Delete):
            return [self.taken(target.value, target.slice) if self.owner(target) is not None else altered(node, targets=[target])
                    for target in node.targets]
        if isinstance(node, n.Expr) and (owner := self.owner(node.value)) is not None:
            return self.called(node.value, owner)
        if isinstance(node, n.Return) and node.value is not None and (given := self.whole_of(node.value)) is not None:
            directory, cell = given
            self.returned |= cell.item.held
            return [altered(node, value=self.copied(directory, cell) if self.active else directory)]
        return [self.read(node)]

    def whole_of(self, node: Any) -> tuple[n.expr, AliasClass] | None:
        """The directory for a container that is returned, or a copy of which is."""
        cell = self.cell(node)
        if cell is not None and cell.makes is None and cell.kind != "deque":  # nobody makes what is not in it any more
            return self.path(node), cell
        if isinstance(node, n.Call) and self.scope.resolve(node.func) is dict and len(node.args) == 1 and not node.keywords:
            cell = self.cell(node.args[0])
            if cell is not None and cell.kind == "dict":
                return self.path(node.args[0]), cell
        return None

    def assigned(self, target: Any, value: Any, at: Any) -> Block:
        """``target = value``."""
        if isinstance(target, n.Subscript) and (owner := self.owner(target)) is not None:
            return self.stored(owner, target, value)
        if isinstance(target, n.Name) and self.cell(target) is not None:
            self.handed |= isinstance(value, n.Name)
            return [statement("$t = $v", t=target, v=self.path(value))]
        if isinstance(target, (n.Tuple, n.List)) and method_of(value) == "popitem" and self.owner(value) is not None and self.alone:
            return self.item_taken(target.elts, value)
        if isinstance(target, (n.Tuple, n.List)) and self.concerns(target):
            if not isinstance(value, (n.Tuple, n.List)) or len(value.elts) != len(target.elts):
                value = n.Tuple(elts=self.taken_apart(value, len(target.elts)), ctx=n.Load())
            if any(isinstance(part, n.Starred) for part in (*target.elts, *value.elts)):
                raise CannotRewrite
            return self.pairs(target.elts, value.elts, at)
        given = self.value(value)
        return [statement("$t = $v", t=self.read(target), v=given)]

    def taken_apart(self, value: Any, count: int) -> list[n.expr]:
        """Names for the items of a value."""
        items = [expression(self.scope.fresh("item")) for _ in range(count)]
        target = n.Tuple(elts=list(map(as_target, items)), ctx=n.Store())
        self.before.append(statement("$t = $v", t=target, v=self.value(value)))
        return items

    def pairs(self, targets: list[Any], values: list[Any], at: Any) -> Block:
        """``a, b = v, w``: all values first."""
        held = []
        for value in values:
            cell = self.cell(value)
            name = self.scope.fresh("item")
            if cell is not None:
                self.handed |= not fresh(value)
                self.scope.directories.add(name)
            self.before.append(statement("$t = $v", t=name, v=self.value(value) if cell is None else self.path(value)))
            held.append((expression(name), cell))
        for target, (name_, cell) in zip(targets, held):
            if cell is not None:
                self.containers.cells[name_.id] = cell
                self.containers.local.add(name_.id)
            self.before += self.assigned(target, name_, at)
        return []

    def stored(self, owner: AliasClass, target: Any, value: Any) -> Block:
        """``d[k] = v``, ``xs[i:j] = vs``."""
        if isinstance(target.slice, n.Slice):
            given = self.places(value)
            return [statement("$d[$k] = $v", d=self.path(target.value, made=True), k=self.read(target.slice), v=given)]
        if owner.item.held:
            self.handed |= not fresh(value)
            given = self.path(value)
        else:
            given = self.put(self.value(value))
        return [statement("$d[$k] = $v", d=self.path(target.value, made=True), k=self.read(target.slice), v=given)]

    def updated(self, node: Any) -> Block:
        """``d[k] += v``, ``xs += vs``, ``xs *= n``."""
        cell = self.cell(node.target)
        if cell is not None:
            directory = self.path(as_read(node.target))
            if isinstance(node.op, n.Mult):
                if cell.kind == "deque":  # which has no slices
                    raise CannotRewrite
                return [statement("$d[:] = $d * $n", d=directory, n=self.read(node.value))]
            return [n.Expr(value=expression("$d.extend($v)", d=directory, v=self.places(node.value)))]
        directory, key = self.path(node.target.value), self.again(node.target.slice)
        if not self.active:
            return [altered(node, target=n.Subscript(value=directory, slice=key, ctx=n.Store()), value=self.read(node.value))]
        item = self.scope.fresh("item")
        at = self.placed(expression("$d[$k]", d=directory, k=key))
        value = self.value(node.value)
        self.before += [statement("$t = $p[$k]", t=item, p=self.values, k=at),
                        n.AugAssign(target=as_target(expression(item)), op=node.op, value=value)]
        return [statement("$d[$k] = $v", d=directory, k=key, v=self.put(expression(item)))]

    def taken(self, owner: Any, key: Any) -> n.stmt:
        """``del d[k]``."""
        target = n.Subscript(value=self.path(owner, made=True), slice=self.read(key), ctx=n.Del())
        return n.Delete(targets=[target])

    def item_taken(self, targets: list[Any], value: Any) -> Block:
        """``k, v = d.popitem()``."""
        key = self.scope.fresh("key")
        directory = self.path(value.func.value)
        self.before.append(statement("$k = next(reversed($d))", k=key, d=directory))
        entry = expression("$d[$k]", d=directory, k=key)
        owner = self.owner(value)
        if owner is not None and owner.item.held or not isinstance(targets[0], n.Name) or self.concerns(targets[1]):
            raise CannotRewrite
        item = self.valued(entry)
        if not self.active:
            item = self.named(item)
        self.before.append(n.Delete(targets=[n.Subscript(value=directory, slice=expression(key), ctx=n.Del())]))
        return [statement("$k = $v", k=targets[0], v=key), statement("$t = $v", t=targets[1], v=item)]

    def called(self, call: Any, owner: AliasClass) -> Block:
        """A call of a container's method of which the result is thrown away."""
        method, args = call.func.attr, call.args
        if method == "setdefault" and len(args) == 2:
            directory, key = self.path(call.func.value), self.again(args[0])
            return self.filled(directory, key, args[1], owner)
        if method == "popleft" and not args:
            return [self.taken(call.func.value, expression("0"))]
        if method in ("pop", "popitem"):
            if method == "popitem":
                directory = self.path(call.func.value)
                return [n.Delete(targets=[n.Subscript(value=directory, slice=expression("next(reversed($d))", d=directory), ctx=n.Del())])]
            if len(args) == 2:
                directory, key = self.path(call.func.value), self.again(args[0])
                return statements("if $k in $d:\n    del $d[$k]", d=directory, k=key)
            return [self.taken(call.func.value, args[0] if args else expression("-1"))]
        if call.keywords and method != "update":
            raise CannotRewrite
        function = altered(call.func, value=self.path(call.func.value))
        if method in ("append", "appendleft", "insert") and len(args) == 1 + (method == "insert"):
            if owner.item.held:
                self.handed |= not fresh(args[-1])
                value = self.path(args[-1])
            else:
                value = self.put(self.value(args[-1]))
            given = [self.read(part) for part in args[:-1]] + [value]
        elif method in ("extend", "extendleft") and len(args) == 1:
            given = [self.places(args[0])]
        elif method in ("clear", "reverse") and not args or method == "rotate":
            given = [self.read(part) for part in args]
        elif method in ("add", "discard", "remove") and len(args) == 1 and not self.active:
            given = [self.read(args[0])]
        elif method == "update":
            return self.updates(call, owner)
        else:
            raise CannotRewrite
        return [n.Expr(value=altered(call, func=function, args=given))]

    def updates(self, call: Any, owner: AliasClass) -> Block:
        """``d.update(e, k=v)``."""
        made: Block = []
        for given in call.args:
            if self.cell(given) is None:
                raise CannotRewrite
            self.handed |= owner.item.held
            directory, value = self.path(call.func.value), self.path(given)
            made.append(n.Expr(value=expression("$d.update($v)", d=directory, v=value)))
        for keyword in call.keywords:
            key = n.Constant(value=keyword.arg, kind=None)
            made += self.stored(owner, n.Subscript(value=call.func.value, slice=key, ctx=n.Store()), keyword.value)
        if len(made) > 1:
            raise CannotRewrite
        return made

    def filled(self, directory: n.expr, key: n.expr, value: Any, owner: AliasClass) -> Block:
        """``d.setdefault(k, v)``."""
        before, self.before = self.before, []
        given = self.path(value) if owner.item.held else self.put(self.value(value))
        made, self.before = self.before, before
        store = statement("$d[$k] = $v", d=directory, k=key, v=given)
        return [n.If(test=expression("$k not in $d", k=key, d=directory), body=[*made, store], orelse=[])]
