"""Read containers whose values are in an arena: expressions become uses of the indices that the containers hold."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from ...analysis.scope import MISSING
from ...syntax import nodes as n
from ...syntax.quote import altered, clone, expression, names, remade, statement, statements
from .arena_classes import CHANGING, ORDERING, AliasClass, method_of
from .arena_state import ArenaState, fresh, is_stored
from .plain_containers import DIFFERING, SEEING, CannotRewrite

KEYS = (builtins.list, builtins.tuple, builtins.sorted, builtins.set, builtins.max, builtins.min, builtins.len, builtins.bool,
        builtins.enumerate, builtins.zip, builtins.reversed, builtins.iter, builtins.next)
"""What may be given a dict for its keys."""


class Asker(ArenaState):
    """Knows the containers of one group; ``active``: they hold what is differentiated, and their directories the places of it."""

    def tested(self, node: Any) -> Any:
        """A test: of a container alone, whether there is anything in it."""
        if isinstance(node, n.UnaryOp) and isinstance(node.op, n.Not):
            return altered(node, operand=self.tested(node.operand))
        if isinstance(node, n.BoolOp):
            first = self.tested(node.values[0])
            with_ = self.maybe(node.values[1:], self.tested)
            return altered(node, values=[first, *with_])
        if self.cell(node) is None:
            return self.read(node)
        directory = self.path(node)
        return self.now(expression("len($d) > 0", d=directory)) if self.taking else directory

    def maybe(self, nodes: list[Any], read: Callable[[Any], Any]) -> list[Any]:
        """What may be evaluated never, or several times."""
        outer, self.alone = self.alone, False
        made = [read(node) for node in nodes]
        self.alone = outer
        return made

    def again(self, node: Any) -> n.expr:
        """A key that can be asked twice."""
        node = self.read(node)
        return node if isinstance(node, (n.Name, n.Constant)) else self.named(node, "key")

    def named(self, value: n.expr, stem: str = "place") -> n.expr:
        """A name for what a directory is asked now."""
        if not self.alone:
            raise CannotRewrite
        name = self.scope.fresh(stem)
        self.before.append(statement("$t = $v", t=name, v=value))
        return expression(name)

    def placed(self, entry: n.expr) -> n.expr:
        """The place in an entry of a directory."""
        entry = expression("int($e)", e=entry)
        if self.taking and not self.alone:
            raise CannotRewrite
        return self.named(entry) if self.alone else entry

    def valued(self, entry: n.expr) -> n.expr:
        """The value that an entry of a directory stands for."""
        return expression("$p[$k]", p=self.values, k=self.placed(entry)) if self.active else self.now(entry)

    def copied(self, directory: n.expr, cell: AliasClass) -> n.expr:
        """A container as it was before the pass: the values in place of their places."""
        item = self.scope.fresh("key" if cell.kind == "dict" else "part" if cell.item.held else "place")
        part = expression("$d[$k]", d=directory, k=item) if cell.kind == "dict" else expression(item)
        at = expression("int($e)", e=part) if cell.kind == "dict" else part
        value = self.copied(part, cell.item) if cell.item.held else expression("$p[$k]", p=self.values, k=at)
        return expression(f"{{{item}: $v for {item} in $d}}" if cell.kind == "dict" else f"[$v for {item} in $d]", v=value, d=directory)

    def value(self, node: Any) -> Any:
        """An expression of which the value goes on: of a container that is a copy."""
        cell = self.cell(node)
        if cell is None:
            return self.read(node)
        if cell.makes is not None or not self.active:
            raise CannotRewrite
        return self.now(self.copied(self.path(node), cell))

    def read(self, node: Any) -> Any:
        """A node in which the containers stand only where that is known to make no difference."""
        if not self.concerns(node):
            return node
        whole = isinstance(node, n.expr) and not isinstance(node, (n.Slice, n.Starred, n.Lambda))
        if whole and self.taking and self.alone and isinstance(getattr(node, "ctx", n.Load()), n.Load) and not self.changes(node):
            self.taking = False
            made = self.read(node)
            self.taking = True
            return self.now(made)
        if isinstance(node, n.Lambda) and not self.active and not self.takes(node):
            return node
        if self.cell(node) is not None or isinstance(node, n.Lambda):
            raise CannotRewrite
        if isinstance(node, n.Subscript) and self.owner(node) is not None and isinstance(node.ctx, n.Load):
            return self.valued(expression("$d[$k]", d=self.path(node.value), k=self.read(node.slice)))
        if isinstance(node, n.Call):
            return self.call(node)
        if isinstance(node, n.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], (n.In, n.NotIn)):
            cell = self.cell(node.comparators[0])
            if cell is not None:
                left, directory = self.read(node.left), self.path(node.comparators[0])
                if self.active and cell.kind != "dict":
                    directory = self.copied(directory, cell)
                return self.now(altered(node, left=left, comparators=[directory]))
        if isinstance(node, n.Compare):
            return altered(node, left=self.read(node.left), comparators=[
                self.read(node.comparators[0]), *self.maybe(node.comparators[1:], self.read)])
        if isinstance(node, n.IfExp):
            test = self.tested(node.test)
            body, orelse = self.maybe([node.body, node.orelse], self.read)
            return altered(node, test=test, body=body, orelse=orelse)
        if isinstance(node, n.BoolOp):
            return altered(node, values=[self.read(node.values[0]), *self.maybe(node.values[1:], self.read)])
        if isinstance(node, n.COMPREHENSIONS):
            return self.now(self.comprehended(node, self.read))
        if isinstance(node, n.Starred):
            return altered(node, value=self.value(node.value))
        if isinstance(node, n.Dict) and self.takes(node) or isinstance(node, (n.NamedExpr, n.FunctionDef)):
            raise CannotRewrite
        return remade(node, self.read)

    def takes(self, node: Any) -> bool:
        """Whether something is taken out of a container in an expression."""
        return any(method_of(part) in CHANGING and self.owner(part) is not None for part in n.walk(node))

    def said(self, node: Any, spelled: dict[str, n.expr]) -> Any:
        """A node with what names of a comprehension are spelled as. Raises Told where another name of these is bound in it."""
        if names(node).isdisjoint(spelled):
            return node
        self.apart(node, spelled)
        return clone(node, spelled)

    def apart(self, node: Any, spelled: dict[str, n.expr]) -> None:
        """Raise Told where a name that is spelled otherwise, or is said in a spelling, is bound anew."""
        bound = {part.id for part in n.walk(node) if isinstance(part, n.Name) and is_stored(part)}
        if any(not bound.isdisjoint({name, *names(value)}) for name, value in spelled.items()):
            raise CannotRewrite

    def call(self, node: Any) -> Any:
        """A call in an expression."""
        method, owner = method_of(node), self.owner(node)
        if owner is not None:
            return self.asked(node, method, owner)
        function = self.scope.resolve(node.func)
        known = function is not MISSING and (getattr(function, "__module__", None) or "").split(".")[0] in SEEING
        known = known and not any(function is other for other in DIFFERING)
        args = []
        asks = False
        for part in node.args:
            cell = self.cell(part)
            asks |= cell is not None
            if cell is None:
                args.append(self.read(part))
            elif not known:
                raise CannotRewrite
            elif function is builtins.sorted and cell.kind == "dict":
                args.append(expression("list($d)", d=self.path(part)))
            elif function in (builtins.len, builtins.bool) or cell.kind == "dict" and function in KEYS:
                args.append(self.path(part))
            elif cell.item.held or cell.kind == "dict":
                raise CannotRewrite
            elif not self.active:
                args.append(self.path(part))
            else:
                args.append(self.now(self.copied(self.path(part), cell)))
        keywords = []
        for keyword in node.keywords:
            got = keyword.value
            if isinstance(got, n.Attribute) and got.attr == "get" and (cell := self.cell(got.value)) is not None and not cell.item.held:
                if self.active:
                    key = self.scope.fresh("key")
                    directory = self.path(got.value)
                    got = expression(f"lambda {key}: $p[$d[{key}]]", p=self.values, d=directory)
                else:
                    got = altered(got, value=self.path(got.value))
                keywords.append(altered(keyword, value=got))
            elif isinstance(got, n.Lambda) and function in ORDERING and self.group.isdisjoint(names(got.args)):
                keywords.append(altered(keyword, value=altered(got, body=self.maybe([got.body], self.read)[0])))
            else:
                keywords.append(self.read(keyword))
        made = altered(node, func=self.read(node.func), args=args, keywords=keywords)
        return self.now(made) if asks else made

    def does(self, node: n.expr) -> bool:
        """Whether the evaluation of an expression may change something."""
        calls = [self.scope.resolve(part.func) for part in n.walk(node) if isinstance(part, n.Call)]
        known = all((getattr(function, "__module__", None) or "").split(".")[0] in SEEING for function in calls)
        return not known or any(isinstance(part, n.NamedExpr) for part in n.walk(node))

    def asked(self, node: Any, method: str, owner: AliasClass) -> Any:
        """What a container's method gives, if that is no container."""
        args = node.args
        if len(args) == 2 and not self.alone and self.does(args[1]):  # which is evaluated in any case
            raise CannotRewrite
        if node.keywords or self.taking and method in ("get", "copy"):
            raise CannotRewrite
        if method == "get" and owner.kind == "dict" and len(args) in (1, 2):
            directory, key = self.path(node.func.value), self.read(args[0])
            if not isinstance(key, (n.Name, n.Constant)):
                key = self.named(key, "key")
            (default,) = self.maybe([args[1] if len(args) == 2 else n.Constant(value=None, kind=None)], self.read)
            entry = expression("$d[$k]", d=directory, k=key)
            (entry,) = self.maybe([entry], self.valued)
            return expression("$e if $k in $d else $v", e=entry, k=key, d=directory, v=default)
        if method in ("pop", "popleft") and len(args) < 3:
            if not self.alone:
                raise CannotRewrite
            last = expression("0" if method == "popleft" else "-1")
            directory, key = self.path(node.func.value), self.again(args[0]) if args else last
            if len(args) == 2:
                return self.taken_or(directory, key, args[1])
            entry = expression("$d[$k]", d=directory, k=key)
            found = self.valued(entry) if self.active else self.named(entry)
            self.before.append(n.Delete(targets=[n.Subscript(value=directory, slice=key, ctx=n.Del())]))
            return found
        if method == "copy" and not args and self.active:
            return self.copied(self.path(node.func.value), owner)
        if method == "keys" and not args:
            return self.all_of(altered(node, func=altered(node.func, value=self.path(node.func.value))))
        if method == "items" and not args and not owner.item.held and not self.active:
            return self.all_of(altered(node, func=altered(node.func, value=self.path(node.func.value))))
        if method == "values" and not args and not owner.item.held:
            directory = expression("$d.values()", d=self.path(node.func.value))
            if not self.active:
                return self.all_of(directory)
            item = self.scope.fresh("place")
            return self.now(expression(f"[$p[{item}] for {item} in $d]", p=self.values, d=directory))
        raise CannotRewrite

    def all_of(self, view: n.expr) -> n.expr:
        """The keys, values or items of a dict, as they are now."""
        return self.now(expression("list($v)", v=view)) if self.taking else view

    def taken_or(self, directory: n.expr, key: n.expr, default: Any) -> n.expr:
        """``d.pop(k, default)``."""
        name = expression(self.scope.fresh("item"))
        before, self.before = self.before, []
        entry = self.valued(expression("$d[$k]", d=directory, k=key))
        then = [*self.before, statement("$t = $v", t=name, v=entry),
                n.Delete(targets=[n.Subscript(value=directory, slice=key, ctx=n.Del())])]
        self.before = before
        default = self.read(default)
        other = statement("$t = $v", t=name, v=default)
        self.before.append(n.If(test=expression("$k in $d", k=key, d=directory), body=then, orelse=[other]))
        return name

    def path(self, node: Any, made: bool = False) -> Any:
        """A directory for a container; ``made``: an entry of a default dict is stored into, so it need not be there."""
        cell = self.cell(node)
        if isinstance(node, n.Name):
            if cell is None or not (isinstance(node.ctx, n.Load)):
                raise CannotRewrite
            return node
        if isinstance(node, n.Subscript) and isinstance(node.slice, n.Slice) and cell is not None:
            return altered(node, value=self.path(node.value), slice=self.read(node.slice))
        owner = self.owner(node)
        if owner is not None and isinstance(node, n.Subscript):
            directory = self.path(node.value)
            if owner.makes is None or isinstance(node.slice, n.Name) and (n.dump(node.value), node.slice.id) in self.present:
                return expression("$d[$k]", d=directory, k=self.read(node.slice))
            return self.entry(directory, self.again(node.slice), owner.makes)
        if owner is not None:
            return self.part(node, owner)
        if isinstance(node, n.IfExp):
            test = self.tested(node.test)
            body, orelse = self.maybe([node.body, node.orelse], self.path)
            return altered(node, test=test, body=body, orelse=orelse)
        return self.created(node)

    def entry(self, directory: n.expr, key: n.expr, value: n.expr) -> n.expr:
        """``d[k]``, which is made first where it is not there."""
        if not self.alone:
            raise CannotRewrite
        self.before += statements("if $k not in $d:\n    $d[$k] = $v", d=directory, k=key, v=value)
        return expression("$d[$k]", d=directory, k=key)

    def part(self, node: Any, owner: AliasClass) -> n.expr:
        """What a container's method gives, if that is a container."""
        method, args, directory = node.func.attr, node.args, self.path(node.func.value)
        if node.keywords or len(args) == 2 and not self.alone and self.does(args[1]):
            raise CannotRewrite
        if method == "setdefault" and len(args) == 2 and fresh(args[1]):
            return self.entry(directory, self.again(args[0]), self.path(args[1]))
        if method == "get" and len(args) == 2 and fresh(args[1]):
            return altered(node, func=altered(node.func, value=directory), args=[self.read(args[0]), *self.maybe(args[1:], self.path)])
        if method == "pop" and len(args) < 2:
            key = self.again(args[0]) if args else expression("-1")
            found = self.part_named(expression("$d[$k]", d=directory, k=key))
            self.before.append(n.Delete(targets=[n.Subscript(value=directory, slice=key, ctx=n.Del())]))
            return found
        if method == "copy" and not args:
            self.handed |= owner.item.held
            return expression("$d.copy()", d=directory)
        raise CannotRewrite
