"""Ask directories: what expressions and loops ask of containers, said of the places that these hold (see ``arena.py``)."""

from __future__ import annotations

import builtins
import operator
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from ...analysis.scope import MISSING
from ...syntax import nodes as n
from ...syntax.quote import altered, as_read, as_target, clone, expression, names, place, remade, statement, statements
from .arena_classes import ALIKE, CHANGING, COMPREHENDED, IN_A_ROW, ORDERING, Cell, Containers, method_of
from .deques_and_defaults import DIFFERING, SEEING, Told

Block = list[n.stmt]
Loop = tuple[Any, Any, list[tuple[Any, n.expr]]]

KEYS = (builtins.list, builtins.tuple, builtins.sorted, builtins.set, builtins.max, builtins.min, builtins.len, builtins.bool,
        builtins.enumerate, builtins.zip, builtins.reversed, builtins.iter, builtins.next)
"""What may be given a dict for its keys."""


class Asker:
    """Knows the containers of one group; ``active``: they hold what is differentiated, and their directories the places of it."""

    def __init__(self, containers: Containers, rebound: set[str], group: set[str], active: bool):
        self.containers, self.scope = containers, containers.scope
        self.rebound = rebound  # the names that calls and ``:=`` bind anew
        self.group, self.active = group, active
        self.values = self.scope.fresh("pool") if active else ""
        self.alone = False  # the statement at hand evaluates its expressions once, all of them
        self.taking = False  # it changes containers meanwhile, so all that is asked of them has a name
        self.before: Block = []
        self.cells = {part for name in group for part in self.containers.cells[name].chain() if part.held}
        self.present: set[tuple[str, str]] = set()  # dicts as they are said, and the names that stand for a key of theirs
        self.handed = False  # a container is held by two, or has two names
        self.returned = False  # one that holds others was

    def cell(self, node: Any) -> Cell | None:
        """The cell of a container of the group, None of anything else."""
        found = self.containers.of(node)
        part = isinstance(node, n.Subscript) and isinstance(node.slice, n.Slice) and self.cell(node.value) is not None
        return found if part or found in self.cells else None

    def owner(self, node: Any) -> Cell | None:
        """The cell of the container of which ``d[k]`` or ``d.method(…)`` asks something."""
        if isinstance(node, n.Subscript):
            return self.cell(node.value)
        return self.cell(node.func.value) if method_of(node) else None

    def concerns(self, node: Any) -> bool:
        return not self.group.isdisjoint(names(node))

    # -- loops ----------------------------------------------------------------------------------------------------------

    def loop(self, target: Any, iterated: Any, body: Any, copied: bool = False) -> Loop:
        """The target and the iterable of a loop over places, and what is bound to values first.

        ``body`` may change what it goes over, or a copy that is made first if ``copied``.
        """
        function = self.scope.resolve(iterated.func) if isinstance(iterated, n.Call) else MISSING
        method = method_of(iterated)
        self.present -= {(whole, name) for whole, name in self.present if name in names(target)}
        if not self.concerns(iterated):
            return target, iterated, []
        if self.cell(iterated) is not None or method in ("items", "values", "keys") and self.owner(iterated) is not None:
            return self.entries(target, iterated, body, copied)
        if isinstance(iterated, n.Call) and not iterated.keywords and function in (*ALIKE[:2], ALIKE[3]) and len(iterated.args) == 1:
            target, inner, first = self.loop(target, iterated.args[0], body, copied or function is not builtins.reversed)
            return target, altered(iterated, args=[inner]), first
        if function is builtins.sorted and len(iterated.args) == 1 and method_of(iterated.args[0]) == "items":
            return self.in_order(target, iterated, body)
        if function is builtins.zip and isinstance(target, n.Tuple) and len(target.elts) == len(iterated.args) and not iterated.keywords:
            made = [self.loop(one, other, body, copied) for one, other in zip(target.elts, iterated.args)]
            target = altered(target, elts=[one for one, _, _ in made])
            return target, altered(iterated, args=[other for _, other, _ in made]), [pair for _, _, first in made for pair in first]
        if function is builtins.enumerate and isinstance(target, n.Tuple) and len(target.elts) == 2 and iterated.args:
            whole, counter = self.cell(iterated.args[0]), target.elts[0]
            held = whole is not None and whole.item.held and whole.kind == "list"
            if whole is not None and held and isinstance(counter, n.Name) and len(iterated.args) == 1:
                self.unchanged(whole, body, False, "")
                directory = self.steady(iterated.args[0], target, body)
                part = expression("$d[$k]", d=directory, k=as_read(counter))
                return counter, expression("range(len($d))", d=directory), [(target.elts[1], part)]
            inner_target, inner, first = self.loop(target.elts[1], iterated.args[0], body, copied)
            args = [inner, *(self.read(part) for part in iterated.args[1:])]
            return altered(target, elts=[target.elts[0], inner_target]), altered(iterated, args=args), first
        for part in n.walk(iterated):
            if (cell := self.cell(part)) is not None and not copied:
                self.unchanged(cell, body, cell.kind == "dict", "")
        return target, self.value(iterated), []

    def entries(self, target: Any, iterated: Any, body: Any, copied: bool) -> Loop:
        """A loop over a list, or over the keys, values or items of a dict."""
        method = method_of(iterated) if self.cell(iterated) is None else ""
        whole = self.cell(iterated.func.value if method else iterated)
        assert whole is not None
        if method in ("items", "values"):
            return self.by_keys(target, iterated, whole, body, copied)
        keyed = whole.kind == "dict"
        if not copied:
            self.unchanged(whole, body, keyed, "")
        given = iterated.func.value if method else iterated
        if keyed and isinstance(target, n.Name) and (not self.alone or not copied and isinstance(given, n.Name)):
            self.present |= {(n.dump(given), target.id)} if self.bound(body).isdisjoint({target.id, *names(given)}) else set()
        owner = self.path(given)
        iterated = altered(iterated, func=altered(iterated.func, value=owner)) if method else owner
        if keyed or not self.active or whole.item.held:
            return target, iterated, []
        name = self.scope.fresh("place")
        return as_target(expression(name)), iterated, [(target, expression("$p[$k]", p=self.values, k=name))]

    def steady(self, whole: Any, target: Any, body: Any) -> n.expr:
        """A directory that is asked in the body of a loop, and is the one that it was before."""
        directory = self.path(whole)
        anew = not names(directory).isdisjoint(self.bound(body) | names(target))
        if not body and anew:
            raise Told
        if not body or isinstance(directory, n.Name) and not anew:
            return directory
        return self.part_named(directory)

    def part_named(self, directory: n.expr) -> n.expr:
        """A name for a directory."""
        name = self.named(directory, "part")
        self.scope.directories.add(name.id)
        return name

    def bound(self, body: Any) -> set[str]:
        """The names that a body may bind."""
        return self.rebound | {part.id for node in body for part in n.walk(node) if isinstance(part, n.Name) and stored(part)}

    def by_keys(self, target: Any, iterated: Any, whole: Cell, body: Any, copied: bool) -> Loop:
        """A loop over the values or items of a dict as one over its keys."""
        method, directory = iterated.func.attr, self.steady(iterated.func.value, target, body)
        key: Any = expression(self.scope.fresh("key"))
        if method == "items":
            if not isinstance(target, n.Tuple) or len(target.elts) != 2 or not isinstance(target.elts[0], n.Name):
                raise Told
            key, target = target.elts
        try:
            self.unchanged(whole, body, False, key.id)
        except Told:
            if not copied:
                raise
            directory = self.part_named(expression("$d.copy()", d=directory))
        entry = expression("$d[$k]", d=directory, k=as_read(key))
        self.present |= set() if self.alone else {(n.dump(iterated.func.value), key.id)}
        if self.active and not whole.item.held:
            entry = expression("$p[int($e)]", p=self.values, e=entry)
        return as_target(key), expression("list($d)", d=directory), [(target, entry)]

    def in_order(self, target: Any, iterated: Any, body: Any) -> Loop:
        """A loop over ``sorted(d.items())``, which are in the order of their keys."""
        owner = self.owner(iterated.args[0])
        if owner is None:
            raise Told
        keyed = any(keyword.arg == "key" for keyword in iterated.keywords)
        if not keyed:
            target, keys, first = self.by_keys(target, iterated.args[0], owner, body, True)
            return target, altered(iterated, args=[keys], keywords=[self.read(keyword) for keyword in iterated.keywords]), first
        if owner.item.held or not isinstance(target, n.Tuple) or len(target.elts) != 2:
            raise Told
        keywords = [altered(keyword, value=self.by_place(keyword.value)) if keyword.arg == "key" and self.active else self.read(keyword)
                    for keyword in iterated.keywords]
        items = expression("$d.items()", d=self.path(iterated.args[0].func.value))
        if not self.active:
            return target, altered(iterated, args=[items], keywords=keywords), []
        at = self.scope.fresh("place")
        key, value = target.elts
        return (altered(target, elts=[key, as_target(expression(at))]), altered(iterated, args=[items], keywords=keywords),
                [(value, expression("$p[$k]", p=self.values, k=at))])

    def by_place(self, key: Any) -> n.expr:
        """``lambda kv: kv[1]`` of a key and a value, as a function of a key and a place."""
        if not isinstance(key, n.Lambda):
            if isinstance(key, n.Call) and self.scope.resolve(key.func) is operator.itemgetter and len(key.args) == 1:
                if getattr(key.args[0], "value", None) == 0:
                    return key
            raise Told
        given = key.args
        if len(given.args) != 1 or given.posonlyargs or given.kwonlyargs or given.vararg or given.kwarg or self.concerns(key):
            raise Told
        (parameter,) = given.args
        if any(isinstance(part, n.Name) and part.id == parameter.id and stored(part) for part in n.walk(key.body)):
            raise Told
        asked: list[int] = []

        def over(part: Any) -> Any:
            if isinstance(part, n.Subscript) and getattr(part.value, "id", "") == parameter.id and isinstance(part.slice, n.Constant):
                asked.append(1)
                return expression("$p[$v]", p=self.values, v=part) if part.slice.value in (1, -1) else part
            return remade(part, over)

        body = over(key.body)
        if len([part for part in n.walk(key.body) if getattr(part, "id", "") == parameter.id]) != len(asked):
            raise Told
        return altered(key, body=body)

    def unchanged(self, whole: Cell, body: Any, keyed: bool, own: str) -> None:
        """Raise Told where what a loop goes over changes in it: a directory is held as it was before the loop."""
        if own in self.bound(body):
            raise Told
        for part in (part for node in body for part in n.walk(node)):
            if isinstance(part, n.Subscript) and not isinstance(part.ctx, n.Load) and self.owner(part) is whole:
                at_own = bool(own) and isinstance(part.slice, n.Name) and part.slice.id == own
                if isinstance(part.ctx, n.Del) or whole.kind == "list" or not keyed and not at_own:
                    raise Told
            if method_of(part) in CHANGING and self.owner(part) is whole:
                raise Told
            if isinstance(part, n.AugAssign) and self.cell(part.target) is whole:
                raise Told

    def now(self, value: n.expr) -> n.expr:
        """What a directory is asked: with a name, if the statement changes containers."""
        if isinstance(value, n.GeneratorExp) and self.taking:
            value = place(n.ListComp(elt=value.elt, generators=value.generators), value)
        return self.named(value, "asked") if self.taking else value

    def changes(self, node: Any) -> bool:
        """Whether evaluating an expression changes a container: by a method, or by asking for an entry that is made then."""
        for part in n.walk(node):
            owner = self.owner(part)
            if owner is not None and (method_of(part) in CHANGING or owner.makes is not None and not isinstance(part, n.Call)):
                return True
        return False

    # -- expressions ----------------------------------------------------------------------------------------------------

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
            raise Told
        name = self.scope.fresh(stem)
        self.before.append(statement("$t = $v", t=name, v=value))
        return expression(name)

    def placed(self, entry: n.expr) -> n.expr:
        """The place in an entry of a directory."""
        entry = expression("int($e)", e=entry)
        if self.taking and not self.alone:
            raise Told
        return self.named(entry) if self.alone else entry

    def valued(self, entry: n.expr) -> n.expr:
        """The value that an entry of a directory stands for."""
        return expression("$p[$k]", p=self.values, k=self.placed(entry)) if self.active else self.now(entry)

    def copied(self, directory: n.expr, cell: Cell) -> n.expr:
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
            raise Told
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
            raise Told
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
        if isinstance(node, (n.ListComp, n.GeneratorExp, n.SetComp, n.DictComp)):
            return self.now(self.comprehended(node, self.read))
        if isinstance(node, n.Starred):
            return altered(node, value=self.value(node.value))
        if isinstance(node, n.Dict) and self.takes(node) or isinstance(node, (n.NamedExpr, n.FunctionDef)):
            raise Told
        return remade(node, self.read)

    def takes(self, node: Any) -> bool:
        """Whether something is taken out of a container in an expression."""
        return any(method_of(part) in CHANGING and self.owner(part) is not None for part in n.walk(node))

    def comprehended(self, node: Any, element: Callable[[Any], Any]) -> Any:
        """A comprehension, with values for the names that are bound to places."""
        outer, self.alone = self.alone, False
        taking, self.taking = self.taking, False
        present = set(self.present)
        if self.takes(node):
            raise Told
        made: list[n.comprehension] = []
        spelled: dict[str, n.expr] = {}
        for loop in node.generators:
            target, iterated, first = self.loop(loop.target, self.said(loop.iter, spelled), [])
            self.apart(loop.target, spelled)
            for name, value in first:
                if not isinstance(name, n.Name):
                    raise Told
                if not names(value).isdisjoint(self.rebound):
                    raise Told
                spelled[name.id] = value
            made.append(altered(loop, target=target, iter=iterated, ifs=[self.said(self.read(part), spelled) for part in loop.ifs]))
        fields = ("key", "value") if isinstance(node, n.DictComp) else ("elt",)
        parts = {field: self.said((self.read if field == "key" else element)(getattr(node, field)), spelled) for field in fields}
        self.alone, self.present, self.taking = outer, present, taking
        return altered(node, generators=made, **parts)

    def said(self, node: Any, spelled: dict[str, n.expr]) -> Any:
        """A node with what names of a comprehension are spelled as. Raises Told where another name of these is bound in it."""
        if names(node).isdisjoint(spelled):
            return node
        self.apart(node, spelled)
        return clone(node, spelled)

    def apart(self, node: Any, spelled: dict[str, n.expr]) -> None:
        """Raise Told where a name that is spelled otherwise, or is said in a spelling, is bound anew."""
        bound = {part.id for part in n.walk(node) if isinstance(part, n.Name) and stored(part)}
        if any(not bound.isdisjoint({name, *names(value)}) for name, value in spelled.items()):
            raise Told

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
                raise Told
            elif function is builtins.sorted and cell.kind == "dict":
                args.append(expression("list($d)", d=self.path(part)))
            elif function in (builtins.len, builtins.bool) or cell.kind == "dict" and function in KEYS:
                args.append(self.path(part))
            elif cell.item.held or cell.kind == "dict":
                raise Told
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

    def asked(self, node: Any, method: str, owner: Cell) -> Any:
        """What a container's method gives, if that is no container."""
        args = node.args
        if len(args) == 2 and not self.alone and self.does(args[1]):  # which is evaluated in any case
            raise Told
        if node.keywords or self.taking and method in ("get", "copy"):
            raise Told
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
                raise Told
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
        raise Told

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

    # -- directories ----------------------------------------------------------------------------------------------------

    def path(self, node: Any, made: bool = False) -> Any:
        """A directory for a container; ``made``: an entry of a default dict is stored into, so it need not be there."""
        cell = self.cell(node)
        if isinstance(node, n.Name):
            if cell is None or not (isinstance(node.ctx, n.Load)):
                raise Told
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
            raise Told
        self.before += statements("if $k not in $d:\n    $d[$k] = $v", d=directory, k=key, v=value)
        return expression("$d[$k]", d=directory, k=key)

    def part(self, node: Any, owner: Cell) -> n.expr:
        """What a container's method gives, if that is a container."""
        method, args, directory = node.func.attr, node.args, self.path(node.func.value)
        if node.keywords or len(args) == 2 and not self.alone and self.does(args[1]):
            raise Told
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
        raise Told

    def created(self, node: Any) -> Any:
        """A new directory for a new container."""
        cell = self.containers.of(node)
        if cell is None:
            raise Told
        if isinstance(node, n.Call):
            if self.scope.resolve(node.func) is defaultdict:
                return n.Dict(keys=[], values=[])
            if not node.args:
                return node
            if cell.kind == "deque":
                longest = [self.read(part) for part in node.args[1:]]
                return altered(node, args=[self.places(node.args[0]), *longest], keywords=[self.read(part) for part in node.keywords])
            given = self.cell(node.args[0])
            if given is None:
                return self.listed(node, node.args[0], cell)
            self.handed |= cell.item.held
            return altered(node, args=[self.path(node.args[0])])
        if isinstance(node, n.Subscript):  # a slice
            self.handed |= cell.item.held
            return altered(node, value=self.path(node.value), slice=self.read(node.slice))
        if isinstance(node, n.BinOp):
            self.handed |= cell.item.held
            right = self.path(node.right) if isinstance(node.op, n.Add) else self.read(node.right)
            return altered(node, left=self.path(node.left), right=right)
        if type(node) in COMPREHENDED:
            if cell.item.held and self.taking or self.taking and not self.active:
                raise Told
            if cell.item.held:
                return self.comprehended(node, self.path)
            return self.listed(node, node, cell) if self.active else self.comprehended(node, self.read)
        parts = node.values if isinstance(node, n.Dict) else node.elts
        if cell.item.held:
            self.handed |= not all(map(fresh, parts))
            made = [self.path(part) for part in parts]
        elif not self.active:
            made = [self.value(part) for part in parts]
        elif isinstance(node, n.Dict) or not any(isinstance(part, n.Starred) for part in parts):
            made = self.put_each([self.value(part) for part in parts])
        elif len(parts) == 1:
            return self.places(parts[0].value)
        else:
            raise Told
        if isinstance(node, n.Dict):
            return altered(node, keys=[self.read(key) for key in node.keys], values=made)
        return altered(node, elts=made)

    def put(self, value: n.expr) -> n.expr:
        """The place of a value, once it is in the pool."""
        if not self.active:
            return value
        self.before.append(statement("$p.append($v)", p=self.values, v=value))
        return expression("len($p) - 1", p=self.values)

    def put_each(self, values: list[n.expr]) -> list[n.expr]:
        """The places of some values, once they are in the pool."""
        if not values:
            return []
        if not self.alone:
            raise Told
        first = self.scope.fresh("first")
        self.before.append(statement("$f = len($p)", f=first, p=self.values))
        self.before += [statement("$p.append($v)", p=self.values, v=value) for value in values]
        return [expression("$f + $k", f=first, k=k) if k else expression(first) for k in range(len(values))]

    def places(self, value: Any) -> n.expr:
        """The places of the items of a sequence, once these are in the pool."""
        cell = self.cell(value) or (None if isinstance(value, (n.Name, n.Subscript)) else self.containers.of(value))
        if cell is not None and cell.kind in IN_A_ROW and (self.concerns(value) or not isinstance(value, n.BinOp)):
            self.handed |= cell.item.held
            return self.path(value)
        if cell is not None and (cell in self.cells or cell.item.held):
            raise Told
        given = self.value(value)
        if not self.active:
            return given
        if not self.alone:
            raise Told
        first = self.scope.fresh("first")
        self.before += statements("$f = len($p)\n$p.extend($v)", f=first, p=self.values, v=given)
        return expression("list(range($f, len($p)))", f=first, p=self.values)

    def listed(self, node: Any, given: Any, cell: Cell) -> n.expr:
        """A directory for ``list(xs)`` or a comprehension."""
        if cell.item.held:
            raise Told
        if not self.active:
            return self.read(node)
        if not self.alone:
            raise Told
        if isinstance(node, n.DictComp):
            return self.written_out(node)
        if cell.kind != "list":
            raise Told
        first = self.scope.fresh("first")
        value = self.read(given) if given is not node else self.comprehended(node, self.read) if self.concerns(node) else node
        self.before += statements("$f = len($p)\n$p.extend($v)", f=first, p=self.values, v=value)
        return expression("list(range($f, len($p)))", f=first, p=self.values)

    def written_out(self, node: n.DictComp) -> n.expr:
        """A directory for a dict comprehension, as a loop."""
        if self.concerns(node):
            raise Told
        bound = sorted(set().union(*(names(loop.target) for loop in node.generators)))
        new = {name: expression(self.scope.fresh(name)) for name in bound}
        target = self.scope.fresh("entries")
        self.scope.directories.add(target)
        body = statements("$p.append($v)\n$d[$k] = len($p) - 1", p=self.values, v=clone(node.value, new), d=target, k=clone(node.key, new))
        for position, loop in reversed(list(enumerate(node.generators))):
            for test in reversed(loop.ifs):
                body = [n.If(test=clone(test, new), body=body, orelse=[])]
            over = clone(loop.iter, new) if position else loop.iter
            body = [n.For(target=clone(loop.target, new), iter=over, body=body, orelse=[], type_comment=None)]
        self.before += [statement("$d = {}", d=target), *body]
        return expression(target)


def stored(name: n.Name) -> bool:
    """Whether a name is bound where it stands: as a target, or as a parameter."""
    return not isinstance(name.ctx, (n.Load, n.Del))


def fresh(node: Any) -> bool:
    """Whether an expression makes a container that nobody else has."""
    if isinstance(node, n.Call):
        return not isinstance(node.func, n.Attribute) and not node.args
    return isinstance(node, (n.List, n.Dict, n.Set, *COMPREHENDED))
