"""Arrays by other names: in another shape, the parts of a split one, a view or a copy by the way that was taken."""

from __future__ import annotations

from abc import abstractmethod

from .calls import Calls
from .expressions import UPDATES, Shape
from .program import Compound, Statement

SQUARE = "np.sum(np.sin({}))"


class Views(Calls):
    """One method per way in which a name comes by an array's memory, each gives a few statements."""

    @abstractmethod
    def store(self) -> list[Statement]:
        """A store into some array."""

    def viewing(self, depth: int) -> list[Statement]:
        """A name for an array's memory, or for a copy; a change by it; between the two, whatever comes."""
        name, made, shape = self.random.choice([self.reshaped, self.parts, self.chosen])()
        if not name:
            return []
        between = self.store() if self.chance(0.5) else []
        changed = self.changed(name, shape)
        if depth < 2 and self.chance(0.3):
            changed = Compound(((f"for _ in range({self.random.randint(0, 2)})", (changed,)),))
        elif self.chance(0.2):
            changed = Compound(((f"if {self.condition()}", (changed,)),))
        result = self.name("s")
        after = self.store() if self.chance(0.3) else []
        self.scopes[-1][result] = ()
        return [*made, *between, changed, *after, f"{result} = {SQUARE.format(name)}"]

    def changed(self, name: str, shape: Shape) -> Statement:
        """A change of some entries of an array of this shape."""
        first = ", ".join(self.index(length) for length in shape)
        part = self.random.choice([f"{name}[{first}]", f"{name}[1:]", f"{name}[...]", f"{name}[::2]"])
        value = self.expression((), 1)
        return f"{part} = {value}" if self.chance(0.4) else self.random.choice(UPDATES).format(part, value)

    def reshaped(self) -> tuple[str, list[Statement], Shape]:
        """An array in another shape: NumPy gives a view of it where it can, and a copy where it cannot."""
        matrices, vectors = self.free(self.known((3, 4))), self.free(self.known((4,)))
        forms = [(form.format(name), shape) for name in matrices for form, shape in (
            ("{}.reshape(-1)", (12,)), ("{}.ravel()", (12,)), ("np.ravel({})", (12,)), ("{}.T.ravel()", (12,)), ("{}.T.reshape(12)", (12,)),
            ("{}.reshape(4, 3)", (4, 3)), ("np.reshape({}, (2, 6))", (2, 6)), ("np.swapaxes({}, 0, 1)", (4, 3)), ("{}.T", (4, 3)),
            ("{}[:, 1:3].reshape(-1)", (6,)), ("{}[1:].ravel()", (8,)), ("np.moveaxis({}, 0, -1)", (4, 3)), ("{}.flatten()", (12,)),
        )]
        forms += [(form.format(name), shape) for name in vectors for form, shape in (
            ("{}.reshape(2, 2)", (2, 2)), ("{}[::-1].reshape(2, 2)", (2, 2)), ("{}[:, None]", (4, 1)), ("np.expand_dims({}, 0)[0]", (4,)),
            ("{}.reshape(4, 1).squeeze()", (4,)), ("np.atleast_2d({}).T", (4, 1)), ("{}.ravel()", (4,)), ("{}[1:].reshape(3, 1)", (3, 1)),
        )]
        if not forms:
            return "", [], ()
        form, shape = self.random.choice(forms)
        name = self.name("w")
        return name, [f"{name} = {form}"], shape

    def parts(self) -> tuple[str, list[Statement], Shape]:
        """The parts of a vector or of a matrix."""
        one, other = self.name("w"), self.name("w")
        forms = [(f"np.split({name}, 2)", (2,)) for name in self.free(self.known((4,)))]
        forms += [(f"np.hsplit({name}, 2)", (3, 2)) for name in self.free(self.known((3, 4)))]
        forms += [(f"np.array_split({name}, 2)", (2,)) for name in self.free(self.known((3,)))]
        if not forms:
            return "", [], ()
        form, shape = self.random.choice(forms)
        made: list[Statement] = [f"{one}, {other} = {form}"]
        if self.chance(0.5):
            made.append(f"{other} *= {self.expression((), 0)}")
        return one, made, shape

    def chosen(self) -> tuple[str, list[Statement], Shape]:
        """One array or another, the array itself or a copy of it, by a branch."""
        vectors = self.free(self.known((4,)))
        if not vectors:
            return "", [], ()
        name = self.name("w")
        one, other = self.random.choice(vectors), self.random.choice(vectors)
        second = self.random.choice([f"{one}.copy()", f"{one} * 0.5", other, f"{other}[::-1]"])
        if self.chance(0.5):
            return name, [f"{name} = {one} if {self.condition()} else {second}"], (4,)
        return name, [Compound(((f"if {self.condition()}", (f"{name} = {one}",)), ("else", (f"{name} = {second}",))))], (4,)
