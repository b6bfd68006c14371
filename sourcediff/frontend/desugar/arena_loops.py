"""Loop over containers whose values are in an arena: by the indices that they hold, or by keys."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable
from typing import Any

from ...analysis.scope import MISSING
from ...syntax import nodes as n
from ...syntax.quote import altered, as_read, as_target, expression, names, place, remade
from .arena_classes import ALIKE, CHANGING, AliasClass, method_of
from .arena_state import ArenaState, Loop, is_stored
from .plain_containers import CannotRewrite


class ArenaLoops(ArenaState):
    """What is asked of containers by loops."""

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
            raise CannotRewrite
        if not body or isinstance(directory, n.Name) and not anew:
            return directory
        return self.part_named(directory)

    def part_named(self, directory: n.expr) -> n.expr:
        """A name for a directory."""
        name = self.named(directory, "part")
        self.scope.directories.add(name.id)
        return name

    def by_keys(self, target: Any, iterated: Any, whole: AliasClass, body: Any, copied: bool) -> Loop:
        """A loop over the values or items of a dict as one over its keys."""
        method, directory = iterated.func.attr, self.steady(iterated.func.value, target, body)
        key: Any = expression(self.scope.fresh("key"))
        if method == "items":
            if not isinstance(target, n.Tuple) or len(target.elts) != 2 or not isinstance(target.elts[0], n.Name):
                raise CannotRewrite
            key, target = target.elts
        try:
            self.unchanged(whole, body, False, key.id)
        except CannotRewrite:
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
            raise CannotRewrite
        keyed = any(keyword.arg == "key" for keyword in iterated.keywords)
        if not keyed:
            target, keys, first = self.by_keys(target, iterated.args[0], owner, body, True)
            return target, altered(iterated, args=[keys], keywords=[self.read(keyword) for keyword in iterated.keywords]), first
        if owner.item.held or not isinstance(target, n.Tuple) or len(target.elts) != 2:
            raise CannotRewrite
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
            raise CannotRewrite
        given = key.args
        if len(given.args) != 1 or given.posonlyargs or given.kwonlyargs or given.vararg or given.kwarg or self.concerns(key):
            raise CannotRewrite
        (parameter,) = given.args
        if any(isinstance(part, n.Name) and part.id == parameter.id and is_stored(part) for part in n.walk(key.body)):
            raise CannotRewrite
        asked: list[int] = []

        def over(part: Any) -> Any:
            if isinstance(part, n.Subscript) and getattr(part.value, "id", "") == parameter.id and isinstance(part.slice, n.Constant):
                asked.append(1)
                return expression("$p[$v]", p=self.values, v=part) if part.slice.value in (1, -1) else part
            return remade(part, over)

        body = over(key.body)
        if len([part for part in n.walk(key.body) if getattr(part, "id", "") == parameter.id]) != len(asked):
            raise CannotRewrite
        return altered(key, body=body)

    def unchanged(self, whole: AliasClass, body: Any, keyed: bool, own: str) -> None:
        """Raise Told where what a loop goes over changes in it: a directory is held as it was before the loop."""
        if own in self.bound(body):
            raise CannotRewrite
        for part in (part for node in body for part in n.walk(node)):
            if isinstance(part, n.Subscript) and not isinstance(part.ctx, n.Load) and self.owner(part) is whole:
                at_own = bool(own) and isinstance(part.slice, n.Name) and part.slice.id == own
                if isinstance(part.ctx, n.Del) or whole.kind == "list" or not keyed and not at_own:
                    raise CannotRewrite
            if method_of(part) in CHANGING and self.owner(part) is whole:
                raise CannotRewrite
            if isinstance(part, n.AugAssign) and self.cell(part.target) is whole:
                raise CannotRewrite

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

    def comprehended(self, node: Any, element: Callable[[Any], Any]) -> Any:
        """A comprehension, with values for the names that are bound to places."""
        outer, self.alone = self.alone, False
        taking, self.taking = self.taking, False
        present = set(self.present)
        if self.takes(node):
            raise CannotRewrite
        made: list[n.comprehension] = []
        spelled: dict[str, n.expr] = {}
        for loop in node.generators:
            target, iterated, first = self.loop(loop.target, self.said(loop.iter, spelled), [])
            self.apart(loop.target, spelled)
            for name, value in first:
                if not isinstance(name, n.Name):
                    raise CannotRewrite
                if not names(value).isdisjoint(self.rebound):
                    raise CannotRewrite
                spelled[name.id] = value
            made.append(altered(loop, target=target, iter=iterated, ifs=[self.said(self.read(part), spelled) for part in loop.ifs]))
        fields = ("key", "value") if isinstance(node, n.DictComp) else ("elt",)
        parts = {field: self.said((self.read if field == "key" else element)(getattr(node, field)), spelled) for field in fields}
        self.alone, self.present, self.taking = outer, present, taking
        return altered(node, generators=made, **parts)
