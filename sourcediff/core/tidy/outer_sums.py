"""Make one product of the outer products that a loop adds up.

>>> from sourcediff.syntax.quote import statements
>>> from sourcediff.syntax.text import block_lines
>>> body = statements('''
... for x in reversed(xs):
...     t_bar = h_bar * (1 - h ** 2)
...     w_bar += np.outer(t_bar, x)
...     h_bar = w.T @ t_bar
... ''')
>>> print("\\n".join(block_lines(outer_sums(body, {"t_bar", "w_bar", "h_bar"}, lambda name: name, "np"), 0, [""])))
t_bar_all = []
x_all = []
for x in reversed(xs):
    t_bar = h_bar * (1 - h ** 2)
    t_bar_all.append(t_bar)
    x_all.append(x)
    h_bar = w.T @ t_bar
w_bar += np.array(t_bar_all).T @ np.array(x_all)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Set

from ...analysis.statements import base, mutates, target_names, targets
from ...syntax import nodes as n
from ...syntax.quote import as_read, names, place, statement
from .inline_temporaries import sharing

Block = list[n.stmt]


def outer_sums(body: Block, bars: Set[str], fresh: Callable[[str], str], numpy: str) -> Block:
    """The block with ``w_bar += np.outer(a, b)`` in loops that do nothing else with ``w_bar`` as a product of all such rows."""
    return OuterSums(bars, fresh, numpy, sharing(body)).block(body)


class OuterSums:
    """Rewrites the outermost loops first; ``shared`` are the names that may share memory with a name."""

    def __init__(self, bars: Set[str], fresh: Callable[[str], str], numpy: str, shared: dict[str, set[str]]):
        self.bars, self.fresh, self.numpy, self.shared = bars, fresh, numpy, shared
        self.instead: dict[n.stmt, Block] = {}

    def block(self, body: Block) -> Block:
        """The block, with lists before its loops and products after them."""
        done: Block = []
        for node in body:
            lists, products = self.taken_out(node) if isinstance(node, (n.For, n.While)) else ([], [])
            for field in ("body", "orelse"):
                if getattr(node, field, None):
                    setattr(node, field, self.block(getattr(node, field)))
            done += [*(place(part, node) for part in lists), *self.instead.get(node, [node]), *(place(part, node) for part in products)]
        return done

    def taken_out(self, loop: n.For | n.While) -> tuple[Block, Block]:
        """What comes before a loop, and after it, if the sums in it are taken out."""
        terms: dict[str, list[tuple[n.AugAssign, list[n.expr], int]]] = {}
        for block in blocks(loop.body):
            for node in block:
                if node not in self.instead and (operands := self.outer(node)) is not None:
                    terms.setdefault(n.dump(as_read(node.target)), []).append((node, operands, id(block)))
        if not terms:
            return [], []
        parts = list(n.walk(loop))
        said = Counter(part.id for part in parts if isinstance(part, n.Name))
        entries = Counter(n.dump(as_read(part)) for part in parts if isinstance(part, n.Subscript) and is_entry(part))
        by_key = Counter(part.value.id for part in parts if isinstance(part, n.Subscript) and is_entry(part))
        bound = Counter(name for block in blocks(loop.body) for node in block for target in targets(node) for name in target_names(target))
        changed = mutates(loop.body, growth=False)
        lists: dict[tuple[n.expr | str, int], str] = {}
        products: list[tuple[n.expr, list[str]]] = []
        for written, found in terms.items():
            target = found[0][0].target
            name = base(target)
            whole = isinstance(target, n.Name)
            apart = said[name] == len(found) if whole else said[name] == by_key[name] and entries[written] == len(found)
            read = names([operands for _, operands, _ in found])
            if not apart or any(not self.shared.get(part, {part}).isdisjoint(changed) for part in read):
                continue
            rows = []
            for side in (0, 1):
                first = found[0][1][side]
                alone = isinstance(first, n.Name) and len(found) == 1 and bound[first.id] < 2
                key = (first.id if alone else first, found[0][2])
                if key not in lists:  # one for all products of a name
                    lists[key] = self.fresh(f"{first.id if isinstance(first, n.Name) else 'part'}_all")
                    for node, operands, _ in found:
                        self.instead.setdefault(node, []).append(place(statement("$l.append($v)", l=lists[key], v=operands[side]), node))
                rows.append(lists[key])
            for node, _, _ in found:
                self.instead.setdefault(node, [])
            products.append((target, rows))
        said = Counter(row for _, rows in products for row in rows)
        shared = [statement(f"$l = {self.numpy}.array($l)", l=row) for row, times in said.items() if times > 1]
        shown = {row: row if times > 1 else f"{self.numpy}.array({row})" for row, times in said.items()}
        after = [statement(f"$w += {shown[one]}.T @ {shown[other]}", w=target) for target, (one, other) in products]
        return [statement("$l = []", l=made) for made in lists.values()], [*shared, *after]

    def outer(self, node: n.stmt) -> list[n.expr] | None:
        """The operands of an outer product that a statement adds to an adjoint, or to an entry of one; None of any other statement."""
        if not (isinstance(node, n.AugAssign) and isinstance(node.op, n.Add) and base(node.target) in self.bars):
            return None
        call = node.value
        name = call.func if isinstance(call, n.Call) and not call.keywords and len(call.args) == 2 else None
        known = isinstance(name, n.Attribute) and name.attr == "outer" and isinstance(name.value, n.Name) and name.value.id == self.numpy
        return call.args if known and (isinstance(node.target, n.Name) or is_entry(node.target)) else None


def is_entry(node: n.expr) -> bool:
    """Whether an expression is ``x["key"]``."""
    return isinstance(node, n.Subscript) and isinstance(node.value, n.Name) and isinstance(node.slice, n.Constant) and (
        type(node.slice.value) is str)


def blocks(body: Block) -> Iterator[Block]:
    """A block, and all blocks within."""
    yield body
    for node in body:
        for field in ("body", "orelse"):
            if getattr(node, field, None):
                yield from blocks(getattr(node, field))
