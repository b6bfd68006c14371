"""Statements around statements, and stars: ``match``, ``try``, ``f(*a)``, lists that are extended, sorted or summed up as they go."""

from __future__ import annotations

from abc import abstractmethod

from .expressions import Expressions
from .program import Body, Compound, Statement


class Blocks(Expressions):
    """One method per construct, each gives a few statements."""

    @abstractmethod
    def body(self, depth: int) -> Body:
        """A few statements."""

    def matched(self, depth: int) -> list[Statement]:
        """A number or a pair against patterns."""
        result = self.name("s")
        if self.indices and self.chance(0.5):
            subject = f"{self.random.choice(self.indices).name} % 3"
            patterns = ["case 0", f"case {self.name('c')} if {self.condition()}", "case 1 | 2"]
        else:
            one, other = self.name("c"), self.name("c")
            subject = f"({self.expression((), 1)}, {self.expression((), 1)})"
            patterns = [f"case ({one}, {other}) if {one} > {self.constant()}", f"case [{self.name('c')}, *_]"]
        cases: list[Statement] = []
        for pattern in (*patterns, "case _"):
            with self.inside():
                inner = (*self.body(depth + 2), f"{result} = {self.expression((), 1)}")
            cases.append(Compound(((pattern, inner),)))
        self.scopes[-1][result] = ()
        return [Compound(((f"match {subject}", tuple(cases)),))]

    def tried(self, depth: int) -> list[Statement]:
        """A try in which nothing is raised."""
        result = self.name("s")
        arms: list[tuple[str, Body]] = [("try", (*self.body(depth + 1), f"{result} = {self.expression((), 1)}"))]
        handler = self.random.choice(["except ValueError", "except (KeyError, ZeroDivisionError)", "except Exception", ""])
        if handler:
            arms.append((handler, (f"{result} = 0.0",)))
        if handler and self.chance(0.3):
            arms.append(("else", (f"{result} = {result} * {self.constant()}",)))
        leaves = "return" in str(arms) or "break" in str(arms) or "continue" in str(arms)
        if not handler or self.chance(0.3) and not leaves:
            arms.append(("finally", (f"{result} += 0.1",) if handler else ("pass",)))
        self.scopes[-1][result] = ()
        return [] if not handler and leaves else [Compound(tuple(arms))]

    def starred(self) -> list[Statement]:
        """Arguments and displays with stars."""
        pair, result = self.name("p"), self.name("s")
        one, other = self.expression((), 1), self.expression((), 0)
        use = self.random.choice([
            f"combine(*{pair})", f"combine({self.expression((), 0)}, *{pair}, k={self.constant()})", f"sum([*{pair}, {other}])",
            f"combine({one}, **{{'k': {other}}})", f"np.sum(np.array([*{pair}, *{pair}]) ** 2)", f"sorted({pair})[-1]",
        ])
        display = f"[{one}, {other}]" if self.chance(0.5) else f"({one}, {other})"
        self.scopes[-1][result] = ()
        return [f"{pair} = {display}", f"{result} = {use}"]

    def extended(self, depth: int) -> list[Statement]:
        """A list that is extended, and looped over in one order or another."""
        vectors = [name for name in self.known(rank=1) if self.shape(name)[0] > 1]
        if not vectors:
            return []
        parts, v = self.name("p"), self.name("e")
        more = self.random.choice([f"{parts}.extend({self.random.choice(vectors)})", f"{parts} += [{self.expression((), 1)}]"])
        order = self.random.choice(["sorted({})", "sorted({}, reverse=True)", "itertools.accumulate({})", "reversed({})", "list({})"])
        with self.inside(*vectors, names={v: ()}):
            inner = self.body(depth + 1)
        names = self.free(self.known(()))
        total = (f"{self.random.choice(names)} += 0.1 * {v}",) if names else ()
        return [f"{parts} = [{self.expression((), 1)}]", more, Compound(((f"for {v} in {order.format(parts)}", (*inner, *total)),))]
