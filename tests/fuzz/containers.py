"""Containers that grow, and functions within functions."""

from __future__ import annotations

from .expressions import SHAPES
from .program import Compound, Statement
from .views import Views


class Containers(Views):
    """One method per construct, each gives a few statements."""

    def containing(self, depth: int) -> list[Statement]:
        """One of these."""
        return self.random.choice([self.grouped, self.queue, self.rows, self.wrapped, lambda: self.inner(depth)])()  # type: ignore[no-any-return]

    def grouped(self) -> list[Statement]:
        """The entries of a vector in groups, by a dict of what they make together."""
        groups, v, result = self.name("d"), self.name("e"), self.name("s")
        over = self.random.choice(self.vectors_or_none())
        key = f"{self.random.choice(['up', 'left'])!r} if {v} > {self.constant()} else 'down'"
        made, step = self.random.choice([
            ("{}", f"{groups}[{key}] = {groups}.get({key}, 0.3) * {v}"),
            ("{'up': 0.0, 'left': 0.2, 'down': 0.1}", f"{groups}[{key}] += np.sin({v})"),
            ("{}", f"{groups}.setdefault({key}, {self.expression((), 0)})"), ("{}", f"{groups}[{key}] = {v} - {self.expression((), 0)}"),
        ])
        total = self.random.choice(["sum({}.values())", "sum(c ** 2 for c in {}.values())", "sum(c * len(k) for k, c in {}.items())"])
        self.scopes[-1][result] = ()
        return [f"{groups} = {made}", Compound(((f"for {v} in {over}", (step,)),)), f"{result} = {total.format(groups)} + 0.1"]

    def queue(self) -> list[Statement]:
        """A list that is used as a queue."""
        parts, v, result = self.name("p"), self.name("e"), self.name("s")
        over = self.random.choice(self.vectors_or_none())
        step = self.random.choice([f"{parts}.append({parts}.pop(0) * {v} + {self.constant()})", f"{parts}.insert(0, {v} * {parts}[-1])"])
        self.scopes[-1][result] = ()
        return [
            f"{parts} = [{self.expression((), 1)}, {self.expression((), 0)}]", Compound(((f"for {v} in {over}", (step,)),)),
            f"{result} = {parts}[0] * {parts}[-1]",
        ]

    def rows(self) -> list[Statement]:
        """A list of lists, or of vectors, of which some get other entries, places or names."""
        rows, row, result, (i, j) = self.name("p"), self.name("r"), self.name("s"), self.random.sample(range(3), 2)
        listed = self.chance(0.6)

        def made() -> str:
            return f"[{self.expression((), 1)}, {self.expression((), 0)}]" if listed else f"0.5 * {self.leaf((3,))}"

        steps = [
            f"{rows}[{i}][0] = {rows}[{j}][1] * {self.expression((), 0)}", f"{rows}[{i}][1] *= {self.expression((), 1)}",
            f"{rows}[{i}] = {made()}", f"{rows}[{i}], {rows}[{j}] = {rows}[{j}], {rows}[{i}]", f"{rows}.append({made()})",
            f"{rows}.insert({i}, {rows}.pop())", f"{rows}[-1] = {made()}",
        ]
        if self.aliasing:
            named = f"{row} = {rows}[{i}]\n{row}[0] = {self.expression((), 1)}"
            steps += [named, f"{rows}.append({rows}[{i}])", f"{rows}[{i}] = {rows}[{j}]"]
        chosen = [line for step in self.random.choices(steps, k=self.random.randint(1, 4)) for line in step.split("\n")]
        changes: list[Statement] = [Compound(((f"for {self.name('i')} in range(2)", tuple(chosen)),))] if self.chance(0.3) else [*chosen]
        use = self.random.choice(["sum({0}[0] * {0}[1] for {0} in {1})", "{1}[0][1] * {1}[-1][0]", "sum(sum({0}) for {0} in {1})"])
        start = f"{rows} = [{made()}, {made()}, {made()}]"
        self.scopes[-1][result] = ()
        return [start, *changes, f"{result} = {use.format(self.name('c'), rows)}"]

    def inner(self, depth: int) -> list[Statement]:
        """A function within the function, which reads what is around it, and, outside of blocks, may call itself."""
        walk, result = self.name("walk"), self.name("s")
        around = self.random.choice(self.known(()) or ["0.4"])
        again = f"np.tanh(u) * k + {around}"
        if depth == 0 and self.chance(0.6):
            around = self.random.choice([name for name, shape in self.scopes[0].items() if name in SHAPES and not shape] or ["0.4"])
            again = f"u if k == 0 else 0.5 * {walk}(np.sin(u) + {around}, k - 1)"
        given = self.expression((), 1)
        self.scopes[-1][result] = ()
        return [Compound(((f"def {walk}(u, k)", (f"return {again}",)),)), f"{result} = {walk}({given}, {self.random.randint(0, 3)})"]

    def wrapped(self) -> list[Statement]:
        """A decorated function."""
        result = self.name("s")
        call = self.random.choice(["damped({})", "damped({}, k=0.7)", "damped(s={})"]).format(self.expression((), 1))
        self.scopes[-1][result] = ()
        return [f"{result} = {call}"]

    def vectors_or_none(self) -> list[str]:
        """The vectors in scope, or one that is written out."""
        return self.known(rank=1) or ["np.linspace(-0.8, 0.9, 3)"]
