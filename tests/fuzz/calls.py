"""Calls of all sorts: functions that call themselves, objects and their methods, named tuples, functions as arguments."""

from __future__ import annotations

from .blocks import Blocks
from .program import Compound, Statement


class Calls(Blocks):
    """One method per kind of call, each gives a few statements."""

    def calling(self, depth: int) -> list[Statement]:
        """A call of one of these kinds."""
        return self.random.choice([self.recursion, self.spring, self.pair, self.applied])(depth)  # type: ignore[no-any-return]

    def recursion(self, depth: int) -> list[Statement]:
        """A function that calls itself, on numbers or arrays."""
        names = self.known((4,)) + self.known((3,))
        if names and self.chance(0.5):
            result = self.name("s")
            self.scopes[-1][result] = ()
            name = self.random.choice(names)
            return [f"{result} = halved({self.random.choice([name, f'{name}[1:]', f'{name} * {self.constant()}'])})"]
        shape = self.random.choice([(), (4,)])
        result = self.name("s" if shape == () else "v")
        value = self.expression(shape, 1)
        self.scopes[-1][result] = shape
        return [f"{result} = falling({value}, {self.random.randint(0, 3)})"]

    def spring(self, depth: int) -> list[Statement]:
        """An object: made, changed, asked."""
        spring, result = self.name("o"), self.name("s")
        steps: list[Statement] = [f"{spring} = Spring({self.expression((), 1)})"]
        if self.chance(0.6):
            steps.append(f"{spring}.stretch({self.expression((), 0)})")
        if depth < 2 and self.chance(0.4):
            steps.append(Compound(((f"for _ in range({self.random.randint(0, 3)})", (f"{spring}.stretch({self.constant()})",)),)))
        if self.chance(0.4):
            steps.append(f"{spring}.k = {spring}.k * {self.expression((), 0)}")
        asked = f"{result} = {spring}.energy({self.expression((), 0)}) + {spring}.softness"
        self.scopes[-1][result] = ()
        return [*steps, asked]

    def pair(self, depth: int) -> list[Statement]:
        """A named tuple: made, made anew, taken apart."""
        pair, one, result = self.name("q"), self.name("s"), self.name("s")
        steps: list[Statement] = [f"{pair} = Pair({self.expression((), 1)}, {self.expression((), 0)})"]
        anew = self.random.choice([
            f"{pair} = Pair({pair}.other, 0.5 * {pair}.one)", f"{pair} = {pair}._replace(one={self.expression((), 0)})",
            f"{pair} = {pair}.turned()",
        ])
        steps.append(Compound(((f"for _ in range({self.random.randint(0, 3)})", (anew,)),)) if depth < 2 and self.chance(0.5) else anew)
        self.scopes[-1][one] = self.scopes[-1][result] = ()
        return [*steps, f"{one}, {result} = {pair}", f"{result} += {pair}.one * {pair}[1]"]

    def applied(self, depth: int) -> list[Statement]:
        """A function as an argument: a helper, a lambda, a partial."""
        result = self.name("s")
        function = self.random.choice([
            "np.tanh", f"lambda t: t * {self.constant()} + np.tanh(t)", f"partial(decay, trips={self.random.randint(0, 2)})",
            "Spring(0.7).energy",
        ])
        value = self.expression((), 1)
        self.scopes[-1][result] = ()
        return [f"{result} = twice({function}, {value})"]
