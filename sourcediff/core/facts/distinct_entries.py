"""Distinctness of entries: whether those of a list, tuple or dict are certainly different objects."""

from __future__ import annotations

from ...analysis.abstract import item_of
from ...analysis.fresh import is_fresh
from ...analysis.source.sharing import holders
from ...analysis.statements import base, entry_put_in, grown, mutates, popped, simple, target_names, targets
from ...analysis.states import everything
from ...runtime.structures import added, copied, zeros_like
from ...syntax import nodes as n
from ...syntax.quote import as_read
from .sources import Sources
from .values import Values

CONTAINERS = ("sequence", "mapping")


def containers(values: Values) -> set[str]:
    """The names that stand for a list, tuple or dict somewhere in a program."""
    return {name for name, value in everything((*values.before.values(), *values.after.values())) if value.kind in CONTAINERS}


def depth_of(node: n.Assign | n.AugAssign, values: Values) -> int:
    """How deep in a list or dict the object lies that a store changes: 0 is itself, of which an entry is replaced, 1 an entry."""
    slot, environment = targets(node)[0], values.before[node]
    chain: list[n.expr] = [slot]
    while isinstance(chain[0], (n.Subscript, n.Attribute)):
        chain.insert(0, chain[0].value)
    depth = next((level for level, part in enumerate(chain) if values.of(part, environment).kind not in CONTAINERS), len(chain) - 1)
    replaced = isinstance(node, n.Assign) or values.of(as_read(slot), environment).scalar
    return depth - 1 if depth == len(chain) - 1 and replaced else depth


def replaces_entry(node: n.stmt, values: Values) -> bool:
    """Whether a statement replaces an entry of a list or dict that a name stands for, and changes nothing else."""
    slot = targets(node)[0] if isinstance(node, (n.Assign, n.AugAssign)) else None
    if not isinstance(slot, n.Subscript) or not isinstance(slot.value, n.Name):
        return False
    return values.of(slot.value, values.before[node]).kind in CONTAINERS and depth_of(node, values) == 0


def changed_inside(body: list[n.stmt], values: Values) -> tuple[set[str], list[set[str]]]:
    """The names of what changes in place, but for lists and dicts of which entries are only replaced; and what each of these holds."""
    found: set[str] = set()
    held: list[set[str]] = []
    for node in simple(body):
        if isinstance(node, (n.Assign, n.AugAssign)):
            found |= set() if replaces_entry(node, values) else mutates([node], growth=False)
            slot = node.targets[0] if isinstance(node, n.Assign) else None
            if isinstance(slot, n.Subscript) and values.of(slot.value, values.before[node]).kind != "array":
                held.append({base(slot) or ""} | holders(node.value, values.scope))
        elif (name := grown(node)) is not None:
            held.append({name} | holders(entry_put_in(node), values.scope))
    return found, held


class Entries:
    """Asks the aliases which objects can be in a container twice."""

    def __init__(self, aliases: Sources):
        self.aliases = aliases
        self.values = aliases.values

    def entangled(self, node: n.stmt) -> str | None:
        """The list, tuple or dict of which a statement changes an entry in place, if that may be in it under another key too."""
        slot = targets(node)[0] if isinstance(node, (n.Assign, n.AugAssign)) else None
        if not isinstance(slot, n.Subscript) or (name := base(slot)) is None:
            return None
        depth = depth_of(node, self.values)
        return name if depth > 0 and not self.distinct(name, depth) else None

    def distinct(self, name: str, depth: int) -> bool:
        """Whether the entries of a container, and those of its entries down to ``depth`` levels, are different objects."""
        for node in self.aliases.before:
            if isinstance(node, n.Assign) and name in target_names(node.targets[0]) and not self.made(node.value, node, depth):
                return False
            if grown(node) == name and not self.own(entry_put_in(node), node, depth - 1) and not self.put_back(name, node):
                return False
            slot = node.targets[0] if isinstance(node, n.Assign) else None
            if isinstance(slot, n.Subscript) and base(slot) == name and not self.copies(slot, node):
                if not self.own(node.value, node, depth - 1) and not self.exchanged(name, node):
                    return False
        return True

    def put_back(self, name: str, node: n.stmt) -> bool:
        """Whether a statement puts into a list what was taken out of it just before: ``rows.insert(0, rows.pop())``."""
        value = entry_put_in(node)
        bound = self.bound_by(value)
        return bound is not None and popped(bound.value) == name and self.aliases.together(bound, node) and self.keeping(value) == [node]

    def exchanged(self, name: str, node: n.Assign) -> bool:
        """Whether a store is half of ``rows[i], rows[j] = rows[j], rows[i]``: two entries are taken and stored, in four statements."""
        block = self.aliases.block_of(node)
        here = block.index(node)
        for start in (here - 3, here - 2):
            four = block[max(start, 0):start + 4]
            if len(four) < 4 or not all(isinstance(each, n.Assign) and len(each.targets) == 1 for each in four):
                continue
            taken = {n.dump(each.value): each.targets[0] for each in four[:2]}
            stored = {n.dump(as_read(each.targets[0])): each.value for each in four[2:]}
            values = [value.id for value in stored.values() if isinstance(value, n.Name)]
            if taken.keys() == stored.keys() and sorted(values) == sorted(getattr(target, "id", "") for target in taken.values()):
                slots = [each.value for each in four[:2]]
                whole = all(isinstance(slot, n.Subscript) and isinstance(slot.value, n.Name) and slot.value.id == name for slot in slots)
                return whole and all(self.bound_by(value) in four[:2] and len(self.keeping(value)) == 1 for value in stored.values())
        return False

    def bound_by(self, value: n.expr) -> n.Assign | None:
        """The only statement that binds a name; None if there are several, or it is something else."""
        if not isinstance(value, n.Name):
            return None
        bound = [node for node in self.aliases.before if any(value.id in target_names(target) for target in targets(node))]
        return bound[0] if len(bound) == 1 and isinstance(bound[0], n.Assign) else None

    def keeping(self, value: n.Name) -> list[n.stmt]:
        """The statements that bind, store or append what may share memory with a name."""
        return [node for node in self.aliases.before if value.id in self.kept(node)]

    def made(self, value: n.expr, at: n.stmt, depth: int) -> bool:
        """Whether an expression gives something new, in which no two entries down to ``depth`` levels are the same object."""
        known = self.values.of(value, self.values.before[at])
        if known.scalar or isinstance(value, n.Constant):
            return True
        if isinstance(value, n.ITEM_BY_ITEM):
            return not depth or self.made(value.elt, at, depth - 1)
        if isinstance(value, (n.List, n.Tuple, n.Dict)):
            return not depth or self.different(value.values if isinstance(value, n.Dict) else value.elts, at, depth - 1)
        if isinstance(value, n.BinOp) and known.kind == "sequence":
            return not depth or item_of(known).scalar or item_of(known).kind == "static"
        function = self.values.scope.resolve(value.func) if isinstance(value, n.Call) else None
        if function is list and len(value.args) == 1:  # the rows of an array do not overlap
            rows = is_fresh(value.args[0]) or self.values.of(value.args[0], self.values.before[at]).kind == "array"
            return not depth or depth == 1 and rows
        fresh = not depth and not isinstance(value, n.Name) and not self.aliases.sources(value, at)
        return fresh or function in (added, copied, zeros_like)

    def different(self, parts: list[n.expr], at: n.stmt, depth: int) -> bool:
        """Whether the parts of a display are different objects."""
        known = self.values.before[at]
        others = [part for part in parts if not self.values.of(part, known).scalar and not isinstance(part, n.Constant)]
        names = [part.id for part in others if isinstance(part, n.Name)]
        if len(names) != len(set(names)) or any(self.aliases.of(name, at) & set(names) for name in names):
            return False
        if not all(isinstance(part, n.Name) or self.made(part, at, depth) for part in others):
            return False
        return not depth or all(self.distinct(name, depth) for name in names)

    def own(self, value: n.expr, at: n.stmt, depth: int) -> bool:
        """Whether what is put into a container, and what is in it down to ``depth`` levels, is new each time and put into nothing else."""
        if self.values.of(value, self.values.before[at]).scalar:
            return True
        if isinstance(value, (n.List, n.Tuple, n.Dict)):
            return not depth or all(self.own(part, at, depth - 1) for part in (value.values if isinstance(value, n.Dict) else value.elts))
        if isinstance(value, n.ITEM_BY_ITEM):
            return not depth or self.own(value.elt, at, depth - 1)
        if not isinstance(value, n.Name):
            return self.made(value, at, depth)
        bound = self.bound_by(value)
        if bound is None or not self.aliases.together(bound, at):
            return False
        if not self.own(bound.value, bound, depth) or depth and not self.distinct(value.id, depth):
            return False
        return self.keeping(value) == [at]

    def copies(self, slot: n.Subscript, at: n.stmt) -> bool:
        """Whether a store goes into an array, which copies what it is given."""
        return self.values.of(slot.value, self.values.before[at]).kind == "array"

    def kept(self, node: n.stmt) -> set[str]:
        """The names that what a statement binds, stores or appends may share memory with."""
        if grown(node) is not None:
            return self.aliases.sources(entry_put_in(node), node)
        if isinstance(node, (n.Assign, n.For)):
            return self.aliases.sources(node.iter if isinstance(node, n.For) else node.value, node)
        return set()
