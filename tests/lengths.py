"""A program run in its core form, statement by statement: every length that the compiler takes for known is held against the array's."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from sourcediff.analysis.abstract import Abstract
from sourcediff.analysis.lengths import Length, can_be_one, length_at, symbols_of
from sourcediff.analysis.lengths_within import symbolic_lengths
from sourcediff.analysis.scope import MISSING
from sourcediff.compiler.unit import Unit
from sourcediff.syntax import nodes as n
from sourcediff.syntax.quote import names
from sourcediff.syntax.text import block_lines, to_source


class Watched:
    """Runs the body of a unit. Raises AssertionError where what is known of a length is not so; ``held`` counts what is."""

    def __init__(self, unit: Unit, arguments: dict[str, Any]):
        assert unit.values is not None
        self.values = unit.values
        self.scope = unit.scope
        self.held = 0
        self.sizes: dict[Any, int] = {}
        self.bound = {name: found for name in names(unit.body) if (found := self.scope.lookup(name)) is not MISSING}
        self.bound |= arguments
        for name, value in {**self.bound, **{name: free.value for name, free in self.scope.free.items()}}.items():
            self.sizes |= symbolic_lengths(value, name)
        self.bound |= {local: eval(path, {**vars(builtins), **self.bound}) for local, (path, _) in unit.opened.items()}
        self.block(unit.body)

    def block(self, body: list[n.stmt]) -> bool:
        """Run statements; whether a loop is left."""
        for node in body:
            self.look(self.values.before[node], node)
            if isinstance(node, n.Break):
                return True
            if isinstance(node, n.If):
                if self.block(node.body if self.of(node.test) else node.orelse):
                    return True
            elif isinstance(node, (n.For, n.While)):
                self.loop(node)
            else:
                exec("\n".join(block_lines([node], 0, [""])), self.bound)
            self.made(node, node, self.values.after[node])
        return False

    def loop(self, node: n.For | n.While) -> None:
        items = iter(self.of(node.iter)) if isinstance(node, n.For) else iter(lambda: self.of(node.test), False)
        self.made(node, node, self.values.after[node])
        for item in items:
            if isinstance(node, n.For):
                self.bound["an item"] = item
                exec(f"{to_source(node.target)} = globals()['an item']", self.bound)
                if node.body:
                    self.made(node.target, node, self.values.before[node.body[0]])
            elif not item:
                break
            if self.block(node.body):
                break
            self.made(node, node, self.values.after[node])

    def of(self, node: n.expr) -> Any:
        """The value of an expression."""
        return eval(to_source(node), self.bound)

    def made(self, maker: n.AST, node: n.stmt, known: Any) -> None:
        """Measure what a statement has made, and look at what is known after it."""
        number = self.values.order.get(maker)
        for name, value in dict(known.items()).items() if number is not None else ():
            for axis, dim in enumerate(value.dims):
                for symbol in symbols_of(dim):
                    if symbol[:2] == (number, name) and isinstance(self.bound.get(name), np.ndarray):
                        self.sizes[symbol] = self.bound[name].shape[symbol.axis]
        self.look(known, node)

    def look(self, known: Any, node: n.stmt) -> None:
        for name, value in dict(known.items()).items():
            if name in self.bound:
                assert self.holds(value, self.bound[name]), (
                    f"{name} has shape {np.shape(self.bound[name])}, and {value} was said at {block_lines([node], 0, [''])[0]}: "
                    f"{[str(dim) for dim in value.dims]}, {self.sizes}"
                )

    def holds(self, known: Abstract, value: Any) -> bool:
        if known.kind == "array":
            return isinstance(value, np.ndarray) and value.ndim == len(known.dims) and all(map(self.is_long, known.dims, value.shape))
        if known.kind == "python" and isinstance(known.length, Length):
            return self.exact(known.length) in (None, value)
        if known.kind == "python" and known.length is not None:
            return known.length == value
        if known.kind == "sequence" and isinstance(value, (list, tuple)):
            items = known.items if type(known.items) is tuple else (known.items,) * len(value)
            return len(items) == len(value) and all(map(self.holds, items, value))
        return True

    def is_long(self, dim: Any, length: int) -> bool:
        said = length_at(dim, self.sizes)
        self.held += said is not None
        return said in (None, length) and (length != 1 or can_be_one(dim))

    def exact(self, number: Length) -> int | None:
        if not symbols_of(number) <= self.sizes.keys():
            return None
        parts = [times * (length_at(symbol, self.sizes) or 0 if isinstance(symbol, Length) else self.sizes[symbol])
                 for symbol, times in number.terms]
        assert number.step == 1
        return sum(parts) + number.constant
