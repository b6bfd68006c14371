"""Transpose a literal table, ``[(0, 1, x[0]), (1, 2, x[1])]``, that is only iterated, into one list for each column.

So the numbers and words in it are not taken for what is differentiated, which stands beside them.

>>> from sourcediff.syntax.source import read
>>> from sourcediff.syntax.text import to_source
>>> def network(k, x):
...     springs = [(0, 1, k), (1, 2, 2 * k)]
...     energy = 0.0
...     for i, j, stiffness in springs:
...         energy = energy + stiffness * (x[i] - x[j]) ** 2
...     return energy
>>> for node in columned(read(network)).tree.body[:5]:
...     print(to_source(node))
springs = [0, 1]
springs1 = [1, 2]
springs2 = [k, 2 * k]
energy = 0.0
for i, j, stiffness in zip(springs, springs1, springs2):
    energy = energy + stiffness * (x[i] - x[j]) ** 2
"""

from __future__ import annotations

import builtins
from collections import Counter
from typing import Any

from ...analysis.source.effects import Effective
from ...syntax import nodes as n
from ...syntax.quote import altered, as_target, expression, names, place, remade, unused
from ...syntax.source import Source

Table = list[list[n.expr]]
"""The columns."""


def columned(source: Source) -> Source:
    """The source of a function in which tables of numbers beside other values are lists, one for each column."""
    if not any(_columns(part) for part in n.walk(source.tree)):
        return source
    writer = Writer(source)
    if any(writer.known.resolve(expression(used.__name__)) is not used for used in (zip, range)):
        return source
    body = [new for node in source.tree.body for new in writer.statement(node)]
    own = frozenset(names(source.tree)) if source.own is None else source.own
    return source._replace(tree=altered(source.tree, body=body), own=own)


def _columns(node: Any) -> Table:
    """The columns of a display of tuples, if some hold nothing but literals and some do not; none of any other expression."""
    rows = node.elts if isinstance(node, (n.List, n.Tuple)) else []
    if not rows or not all(isinstance(row, n.Tuple) and len(row.elts) == len(getattr(rows[0], "elts", ())) for row in rows):
        return []
    columns = [list(column) for column in zip(*(row.elts for row in rows))]
    if any(isinstance(part, (n.Starred, n.Tuple, n.List)) for column in columns for part in column):
        return []
    return columns if len({all(isinstance(part, n.Constant) for part in column) for column in columns}) == 2 else []


def zipped(columns: list[n.expr]) -> n.expr:
    """``zip(a, b)``."""
    return n.Call(func=expression("zip"), args=columns, keywords=[])


class Writer:
    """Writes the statements of one function anew."""

    def __init__(self, source: Source):
        self.known = Effective(source.function, source.tree)
        self.taken = names(source.tree) | self.known.bound
        nodes = n.walk(source.tree)
        bound = Counter(part.id for part in nodes if isinstance(part, n.Name) and not isinstance(part.ctx, n.Load))
        read = Counter(part.id for part in nodes if isinstance(part, n.Name) and isinstance(part.ctx, n.Load))
        over = Counter(over.id for part in nodes if isinstance(over := self.gone_over(part), n.Name))
        over.update(part.args[0].id for part in nodes if self.is_length(part))
        assigned = [part for part in nodes if isinstance(part, n.Assign) and len(part.targets) == 1 and isinstance(part.targets[0], n.Name)]
        self.tables: dict[str, list[str]] = {}  # their columns
        self.counts: dict[str, int] = {}  # their rows
        for node in assigned:
            name, columns = node.targets[0].id, self.columns(node.value)
            loops = [part for part in nodes if isinstance(over_ := self.gone_over(part), n.Name) and over_.id == name]
            if columns and bound[name] == 1 and read[name] == over[name] and all(self.unpacks(part, len(columns)) for part in loops):
                self.tables[name] = [name, *(unused(name, self.taken) for _ in columns[1:])]
                self.counts[name] = len(columns[0])

    def columns(self, node: n.expr) -> Table:
        """The columns of a table whose entries may be computed in any order."""
        columns = _columns(node)
        parts = [part for column in columns for entry in column for part in n.walk(entry)]
        return [] if any(self.known.counts(part) or isinstance(part, n.NamedExpr) for part in parts) else columns

    def gone_over(self, node: Any) -> n.expr | None:
        """What a loop goes over, or what it numbers as it goes."""
        if not isinstance(node, (n.For, n.comprehension)):
            return None
        given = node.iter
        counted = isinstance(given, n.Call) and self.known.resolve(given.func) is builtins.enumerate and given.args
        return given.args[0] if counted else given  # type: ignore[no-any-return]

    def is_length(self, node: Any) -> bool:
        """Whether an expression is ``len(name)``."""
        called = isinstance(node, n.Call) and self.known.resolve(node.func) is builtins.len and len(node.args) == 1
        return called and isinstance(node.args[0], n.Name)

    def unpacks(self, loop: Any, width: int) -> bool:
        """Whether a loop takes the rows apart."""
        target = loop.target
        if self.gone_over(loop) is not loop.iter:
            target = target.elts[1] if isinstance(target, n.Tuple) and len(target.elts) == 2 else None
        return isinstance(target, (n.Tuple, n.List)) and len(target.elts) == width and not any(
            isinstance(part, n.Starred) for part in target.elts)

    def statement(self, node: Any) -> list[n.stmt]:
        """One statement as one or several."""
        if isinstance(node, n.Assign) and isinstance(node.targets[0], n.Name) and node.targets[0].id in self.tables:
            new = self.tables[node.targets[0].id]
            return [altered(node, targets=[place(as_target(expression(name)), node)], value=place(n.List(elts=column, ctx=n.Load()), node))
                    for name, column in zip(new, _columns(node.value))]
        fields = {field: getattr(node, field, None) for field in ("body", "orelse", "finalbody", "handlers")}
        blocks = {field: [new for part in block for new in self.statement(part)] for field, block in fields.items() if type(block) is list}
        node = altered(node, **blocks) if blocks else node
        inner = {part for block in blocks.values() for part in block}

        def one(part: Any) -> Any:
            return part if part in inner else self.loop(remade(part, one))

        return [one(node)]

    def loop(self, node: Any) -> Any:
        """A loop over a table as one over its columns, side by side."""
        if self.is_length(node) and node.args[0].id in self.tables:
            return altered(node, args=[expression(self.tables[node.args[0].id][0])])
        over = self.gone_over(node)
        if isinstance(over, n.Name) and over.id in self.tables:
            columns: list[n.expr] = [expression(name) for name in self.tables[over.id]]
            count = self.counts[over.id]
        elif over is not None and (shown := self.columns(over)) and self.unpacks(node, len(shown)):
            columns = [n.List(elts=column, ctx=n.Load()) for column in shown]
            count = len(shown[0])
        else:
            return node
        if over is node.iter:
            return altered(node, iter=place(zipped(columns), over))
        if len(node.iter.args) > 1 or node.iter.keywords:
            return altered(node, iter=altered(node.iter, args=[place(zipped(columns), over), *node.iter.args[1:]]))
        position, target = node.target.elts  # for i, (u, v) in enumerate(rows)
        numbers = expression(f"range({count})")
        return altered(node, target=altered(node.target, elts=[position, *target.elts]),
                       iter=place(zipped([numbers, *columns]), over))
