"""Alias classes of containers: which expressions of a function may be one list, dict or set, what it holds, and how it changes."""

from __future__ import annotations

import builtins
from collections import OrderedDict, defaultdict, deque
from typing import Any

from ...analysis.literals import constant
from ...analysis.scope import MISSING, Scope
from ...analysis.source.out_arguments import among
from ...syntax import nodes as n
from ...syntax.container_methods import MUTATING, kinds_with, mutating
from ...syntax.quote import expression
from ..lower.list_repetition import multiplies

KINDS: dict[Any, str] = {list: "list", dict: "dict", set: "set", OrderedDict: "dict", deque: "deque"}
COMPREHENDED = {n.ListComp: "list", n.DictComp: "dict", n.SetComp: "set"}
CHANGING = mutating("list", "dict", "set", "deque") - {"sort"} - {name for name in MUTATING["set"] if name.endswith("_update")}
"""Methods that change an index container, of those that there are instructions for."""

OF_KIND = {name: kinds[0] for name in CHANGING if len(kinds := kinds_with(name)) == 1} | {"update": "dict"}
"""Methods that tell what they are called on, if it is one of several."""

IN_A_ROW = ("list", "deque")
ORDERING = (builtins.sorted, builtins.max, builtins.min)
ALIKE = (builtins.list, builtins.tuple, builtins.sorted, builtins.reversed)
"""Functions of which the result has the items of the argument."""

EMPTY: dict[str, n.expr] = {"list": expression("[]"), "dict": expression("{}"), "set": expression("set()")}


class AliasClass:
    """What is known of a container, or of what may be one: two expressions that may be the same container have one cell."""

    def __init__(self, kind: str = "", item: AliasClass | None = None):
        self.to: AliasClass | None = None
        self.kind, self._item = kind, item
        self.leaf = False  # something else than a container may stand here
        self.changes = False
        self.seed = False  # it changes in a way that is not followed otherwise
        self.makes: n.expr | None = None  # what makes an entry that is asked for, and is not there

    def root(self) -> AliasClass:
        return self if self.to is None else self.to.root()

    @property
    def item(self) -> AliasClass:
        """The cell of its entries."""
        root = self.root()
        if root._item is None:
            root._item = AliasClass()
        return root._item.root()

    def unify(self, other: AliasClass) -> None:
        one, other = self.root(), other.root()
        if one is other:
            return
        other.to = one
        one.leaf |= other.leaf or bool(one.kind and other.kind and one.kind != other.kind)
        one.kind = one.kind or other.kind
        one.changes, one.seed, one.makes = one.changes or other.changes, one.seed or other.seed, one.makes or other.makes
        if other._item is not None:
            one.item.unify(other._item) if one._item is not None else setattr(one, "_item", other._item)

    def chain(self) -> list[AliasClass]:
        """The cell, that of its entries, that of theirs …"""
        found, at = [], self.root()
        while at not in found:
            found.append(at)
            if at._item is None:
                return found
            at = at._item.root()
        at.leaf = True  # it holds itself
        return found

    @property
    def held(self) -> bool:
        """Whether it is a container that changes, or holds one."""
        return any(cell.changes for cell in self.chain())


class Containers:
    """The cells of the names of a body, and of the expressions in it."""

    def __init__(self, body: list[n.stmt], scope: Scope, given: set[str]):
        self.scope = scope
        self.cells: dict[str, AliasClass] = {}
        self.made: dict[n.AST, AliasClass] = {}
        self.entries: set[str] = set()  # names that are bound to what is in another container
        self.parts = escapes(body)
        self.local = {part.id for part in self.parts if isinstance(part, n.Name) and isinstance(part.ctx, n.Store)} - given
        self.local -= {name for part in self.parts if isinstance(part, (n.Nonlocal, n.Global)) for name in part.names}
        for self.last in (False, False, True):  # what a loop goes over may be known later than the loop
            for part in self.parts:
                self.note(part)

    def groups(self) -> list[set[str]]:
        """The names of containers that may be, or hold, the same ones, of those groups in which something is not followed otherwise."""
        groups: list[tuple[set[str], set[AliasClass]]] = []
        for name, cell in self.cells.items():
            if not cell.held:
                continue
            chain = {part for part in cell.chain() if part.held}
            found, rest = {name}, []
            for names_, cells in groups:
                if cells & chain:
                    found |= names_
                    chain |= cells
                else:
                    rest.append((names_, cells))
            groups = [*rest, (found, chain)]
        return [found for found, cells in groups if any(cell.seed for cell in cells) and all(cell.kind and not cell.leaf for cell in cells)]

    def of(self, node: Any) -> AliasClass | None:
        """The cell of an expression; None of what is certainly none of the containers made here."""
        if isinstance(node, n.Name):
            return self.cells.setdefault(node.id, AliasClass()).root() if node.id in self.local else None
        if (found := self.entry(node)) is not None or node in self.made:
            return found or self.made[node].root()
        if (found := self.new(node)) is not None:
            self.made[node] = found
        return found

    def entry(self, node: Any) -> AliasClass | None:
        """The cell of ``d[k]``, ``d.get(k)`` and their like."""
        owner = node.func.value if method_of(node) in ("get", "setdefault", "pop") else None
        if isinstance(node, n.Subscript) and not isinstance(node.slice, (n.Slice, n.Tuple)):
            owner = node.value
        whole = None if owner is None else self.of(owner)
        return None if whole is None else whole.item

    def new(self, node: Any) -> AliasClass | None:
        """The cell of an expression that makes a container."""
        if isinstance(node, n.Subscript):
            whole = self.of(node.value) if isinstance(node.slice, n.Slice) else None
            return None if whole is None or whole.kind != "list" else AliasClass("list", whole.item)
        if isinstance(node, n.BinOp) and isinstance(node.op, n.Add):
            one, other = self.of(node.left), self.of(node.right)
            if one is None or other is None or not one.kind == other.kind == "list":
                return None
            one.item.unify(other.item)
            return AliasClass("list", one.item)
        if isinstance(node, n.BinOp) and isinstance(node.op, n.Mult):
            whole = self.of(node.left)
            return None if whole is None or whole.kind != "list" or multiplies(node.right, self.scope) else AliasClass("list", whole.item)
        if isinstance(node, n.IfExp):
            one, other = self.of(node.body), self.of(node.orelse)
            if one is None or other is None:
                return None
            one.unify(other)
            return one.root()
        if isinstance(node, (n.List, n.Set)):
            return self.holding(AliasClass("list" if isinstance(node, n.List) else "set"), node.elts)
        if isinstance(node, n.Dict) and None not in node.keys:
            return self.holding(AliasClass("dict"), node.values)
        if type(node) in COMPREHENDED:
            return self.holding(AliasClass(COMPREHENDED[type(node)]), [node.value if isinstance(node, n.DictComp) else node.elt])
        if not isinstance(node, n.Call):
            return None
        if method_of(node) == "copy" and not node.args and (whole := self.of(node.func.value)) is not None:
            return AliasClass(whole.kind, whole.item)
        function = self.scope.resolve(node.func)
        if function is defaultdict and len(node.args) == 1 and not node.keywords:
            made = self.scope.resolve(node.args[0])
            if not among(made, KINDS):
                return None
            made = KINDS[made]
            found = AliasClass("dict", AliasClass(made))
            found.makes, found.seed, found.changes, found.item.changes = EMPTY[made], True, True, True
            return found
        kind = KINDS[function] if among(function, KINDS) else ""
        if kind == "deque":
            return self.row(node)
        if not kind or node.keywords or len(node.args) > 1:
            return None
        whole = self.of(node.args[0]) if node.args else AliasClass()
        if kind == "dict" and node.args and (whole is None or whole.kind != "dict"):
            return None
        found = AliasClass(kind)
        if whole is not None and node.args:
            found._item = whole.item if whole.kind == kind else AliasClass()
        return found

    def row(self, node: Any) -> AliasClass | None:
        """The cell of a new deque."""
        if len(node.args) > 2 or any(keyword.arg != "maxlen" for keyword in node.keywords):
            return None
        found = AliasClass("deque")
        if node.args:
            self.spread(node.args[0], found)
        longest = [*node.args[1:], *(keyword.value for keyword in node.keywords)]
        found.seed = found.changes = bool(longest and node.args) and not isinstance(node.args[0], (n.List, n.Tuple))
        return found

    def holding(self, cell: AliasClass, values: list[n.expr]) -> AliasClass:
        for value in values:
            self.flow(value, cell.item)
        return cell

    def flow(self, value: Any, into: AliasClass) -> None:
        """Note that a value may come to stand somewhere."""
        if isinstance(value, n.Constant) and value.value is None:
            return
        found = self.of(value.value if isinstance(value, n.Starred) else value)
        if found is None or isinstance(value, n.Starred):
            into.root().leaf = True
        else:
            into.unify(found)

    def change(self, cell: AliasClass, kind: str = "", seed: bool = False) -> None:
        cell = cell.root()
        cell.leaf |= bool(kind and cell.kind and cell.kind != kind)
        cell.kind = cell.kind or kind
        cell.changes, cell.seed = True, cell.seed or seed

    def note(self, node: Any) -> None:
        """Note what a part of the program says of the cells."""
        if isinstance(node, n.Assign):
            for target in node.targets:
                self.bound(target, node.value)
        elif isinstance(node, n.NamedExpr):
            self.flow(n.Constant(value=0, kind=None), self.of(node.target) or AliasClass())
        elif isinstance(node, (n.For, n.comprehension)):
            self.looped(node.target, node.iter)
        elif isinstance(node, n.AugAssign):
            self.updated(node)
        elif isinstance(node, n.Delete):
            for target in node.targets:
                whole = self.of(target.value) if isinstance(target, n.Subscript) else None
                if whole is not None and whole.kind:
                    nested = not isinstance(target.value, n.Name)
                    self.change(whole, seed=nested or whole.kind != "list" or isinstance(target.slice, n.Slice))
        elif isinstance(node, n.Call) and self.scope.resolve(node.func) in ORDERING and node.args:
            self.ordered(node)
        elif (method := method_of(node)) and (whole := self.of(node.func.value)) is not None:
            self.called(node, method, whole)

    def bound(self, target: Any, value: Any) -> None:
        if isinstance(target, n.Name):
            self.flow(value, self.of(target) or AliasClass())
            self.entries |= {target.id} if self.entry(value) is not None else set()
        elif isinstance(target, (n.Tuple, n.List)):
            if isinstance(value, (n.Tuple, n.List)) and len(value.elts) == len(target.elts):
                for one, other in zip(target.elts, value.elts):
                    self.bound(one, other)
            elif method_of(value) == "popitem" and len(target.elts) == 2 and (whole := self.of(value.func.value)) is not None:
                self.leaves(target.elts[0])
                self.goes_to(target.elts[1], whole.item)
            else:
                self.leaves(target)
                whole = self.of(value)
                if whole is not None and whole.kind:
                    whole.item.leaf = True
        elif isinstance(target, n.Subscript) and (whole := self.of(target.value)) is not None and not isinstance(target.slice, n.Tuple):
            if isinstance(target.slice, n.Slice):
                if whole.kind == "list":
                    self.change(whole, seed=True)
                    self.spread(value, whole)
                return
            if whole.kind:
                self.change(whole)
            self.flow(value, whole.item)
        elif isinstance(target, n.Starred):
            self.leaves(target.value)

    def spread(self, value: Any, into: AliasClass) -> None:
        """Note that the items of a sequence may come to stand in a container."""
        found = self.of(value)
        if isinstance(value, n.GeneratorExp):
            self.flow(value.elt, into.item)
        elif found is None or found.kind not in IN_A_ROW:
            into.item.leaf = True
        else:
            into.item.unify(found.item)

    def leaves(self, target: Any) -> None:
        """Note that names stand for something else."""
        for part in n.walk(target):
            if isinstance(part, n.Name) and isinstance(part.ctx, n.Store) and (cell := self.of(part)) is not None:
                cell.leaf = True

    def goes_to(self, target: Any, cell: AliasClass) -> None:
        """Note that a target is bound to what has a cell."""
        if isinstance(target, n.Name):
            (self.of(target) or AliasClass()).unify(cell)
            self.entries.add(target.id)
        else:
            self.leaves(target)
            cell.root().leaf = True

    def looped(self, target: Any, iterated: Any) -> None:
        """Note what a loop binds its target to."""
        function = self.scope.resolve(iterated.func) if isinstance(iterated, n.Call) else MISSING
        pair = isinstance(target, n.Tuple) and len(target.elts) == 2
        if function in ALIKE and iterated.args:
            self.looped(target, iterated.args[0])
        elif function is builtins.enumerate and pair and iterated.args:
            self.leaves(target.elts[0])
            self.looped(target.elts[1], iterated.args[0])
        elif function is builtins.zip and isinstance(target, n.Tuple) and len(target.elts) == len(iterated.args):
            for one, other in zip(target.elts, iterated.args):
                self.looped(one, other)
        elif (method := method_of(iterated)) in ("items", "values") and (whole := self.of(iterated.func.value)) is not None:
            if method == "values":
                self.goes_to(target, whole.item)
            elif pair:
                self.leaves(target.elts[0])
                self.goes_to(target.elts[1], whole.item)
            else:
                self.leaves(target)
        elif (whole := self.of(iterated)) is not None and whole.kind in IN_A_ROW:
            self.goes_to(target, whole.item)
        elif whole is None or whole.kind or self.last:
            self.leaves(target)

    def updated(self, node: n.AugAssign) -> None:
        cell = self.of(node.target)
        if cell is None:
            return
        if cell.kind in IN_A_ROW and isinstance(node.op, (n.Add, n.Mult)):
            self.change(cell, seed=isinstance(node.op, n.Mult) or cell.kind == "deque" or not isinstance(node.target, n.Name))
            if isinstance(node.op, n.Add):
                self.spread(node.value, cell)
        elif isinstance(node.target, n.Name):
            cell.leaf = True
        else:
            whole = self.of(node.target.value)
            cell.leaf = True
            if whole is not None and whole.kind:
                self.change(whole)

    def ordered(self, node: Any) -> None:
        """Note an order of a dict by its values: that is found by asking a directory."""
        given = node.args[0].func.value if method_of(node.args[0]) == "items" else node.args[0]
        keyed = any(keyword.arg == "key" for keyword in node.keywords)
        if keyed and isinstance(given, n.Name) and (whole := self.of(given)) is not None and whole.kind == "dict":
            self.change(whole, seed=True)

    def called(self, node: Any, method: str, whole: AliasClass) -> None:
        if method in ("get", "setdefault", "pop") and len(node.args) == 2:
            self.flow(node.args[1], whole.item)
        if method not in CHANGING:
            return
        nested = not isinstance(node.func.value, n.Name) or node.func.value.id in self.entries
        if not nested and not whole.kind and method in ("pop", "clear", "remove", "update", "add", "discard"):
            return
        seed = nested or method in ("popitem", "extendleft") or method == "pop" and whole.kind == "dict"
        seed |= whole.kind == "deque" and method in ("insert", "reverse", "remove")
        seed |= method == "rotate" and bool(node.args) and constant(node.args[0]) not in (1, -1)
        self.change(whole, OF_KIND.get(method, ""), seed)
        if method in ("append", "appendleft", "add", "insert") and node.args:
            self.flow(node.args[-1], whole.item)
        elif method in ("extend", "extendleft") and node.args:
            self.spread(node.args[0], whole)
        elif method == "update":
            for given in (*node.args, *(keyword.value for keyword in node.keywords)):
                found = self.of(given)
                if given not in node.args:
                    self.flow(given, whole.item)
                elif found is not None and found.kind == whole.kind:
                    whole.item.unify(found.item)
                else:
                    whole.item.leaf = True


def method_of(node: Any) -> str:
    """``pop`` of the call ``owner.pop(…)``, else empty."""
    return node.func.attr if isinstance(node, n.Call) and isinstance(node.func, n.Attribute) else ""


def escapes(body: list[n.stmt]) -> list[n.AST]:
    """All that stands in a body, outside of the functions that are defined in it."""
    found: list[n.AST] = [*body]
    for part in found:
        if not isinstance(part, (n.FunctionDef, n.Lambda)):
            found += n.below(part)
    return found
