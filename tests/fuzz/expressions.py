"""Random expressions over the names in scope: of the shape asked for, smooth nearly everywhere, their numbers tame."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

Shape = tuple[int, ...]
SHAPES: dict[str, Shape] = {"x": (4,), "y": (4,), "a": (3, 4), "b": (3,), "s": (), "t": ()}
UPDATES = ("{} += {}", "{} -= {}", "{} *= {}", "{} /= 1.5 + ({}) ** 2")
UNARY = (
    "np.sin({})", "np.cos({})", "np.tanh({})", "np.arctan({})", "np.exp(-({}) ** 2)", "np.sqrt(1.0 + ({}) ** 2)", "np.log1p(({}) ** 2)",
    "-({})",
)
BINARY = (
    "{} + {}", "{} - {}", "0.5 * ({}) * ({})", "({}) * ({})", "({}) / (1.5 + ({}) ** 2)", "np.maximum({}, {})",
    "np.hypot({}, 0.3 + ({}) ** 2)",
)


FOUND = ("np.argmax({})", "np.argmin({})", "int(np.argmax({}))", "int(np.argmin({} ** 2))", "-1 - np.argmax({})", "np.argsort({})[0]",
         "int(np.sum({0} > {0}[0]))")
"""The position of an entry of a vector, by what is in it."""


class Index(NamedTuple):
    """A loop's index and the values it takes: ``low`` to ``high``, both included."""

    name: str
    low: int
    high: int


def rows(name: str) -> tuple[str, str]:
    """Vectors as long as a matrix is wide."""
    return f"{name}[0]", f"{name}[1]"


def columns(name: str) -> tuple[str, str]:
    """Vectors as long as a matrix is high."""
    return f"{name}[:, 0]", f"{name}[:, 2]"


class Expressions:
    """Writes expressions of a wanted shape.

    ``scopes`` holds what may be read where we are, innermost last: names and their shapes. ``frozen`` are names that a
    statement may not change just now (what a loop runs over, counters, and, without ``aliasing``, bases of views).
    """

    def __init__(self, seed: int):
        self.seed = seed
        self.random = random.Random(seed)
        self.aliasing = self.random.random() < 0.15
        self.scopes: list[dict[str, Shape]] = []
        self.indices: list[Index] = []
        self.frozen: set[str] = set()
        self.fresh = 0

    # Choices and names.

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def constant(self) -> str:
        return f"{self.random.choice((-1.3, -0.7, -0.2, 0.15, 0.4, 0.9, 1.6))}"

    def name(self, prefix: str) -> str:
        self.fresh += 1
        return f"{prefix}{self.fresh}"

    def known(self, shape: Shape | None = None, rank: int | None = None) -> list[str]:
        """The names in scope of this shape, or of this number of dimensions."""
        everything = {name: found for scope in self.scopes for name, found in scope.items()}
        return [n for n, found in everything.items() if (shape is None or found == shape) and (rank is None or len(found) == rank)]

    def shape(self, name: str) -> Shape:
        return next(scope[name] for scope in reversed(self.scopes) if name in scope)

    def free(self, names: list[str]) -> list[str]:
        return [name for name in names if name not in self.frozen]

    @contextmanager
    def inside(self, *frozen: str, names: dict[str, Shape] | None = None, index: Index | None = None) -> Iterator[None]:
        """A block: what is defined in it is forgotten after it."""
        self.scopes.append(dict(names or {}))
        before = set(self.frozen)
        self.frozen |= set(frozen)
        if index:
            self.indices.append(index)
        yield
        if index:
            self.indices.pop()
        self.frozen = before
        self.scopes.pop()

    # Expressions.

    def index(self, length: int, *reading: str) -> str:
        """An index that is valid for an axis of this length; now and then found in one of some vectors that are as long."""
        if reading and self.chance(0.12):
            return self.random.choice(FOUND).format(self.random.choice(reading))
        fitting = [i for i in self.indices if 0 <= i.low and i.high < length]
        shifted = [i for i in self.indices if 0 <= i.low + 1 and i.high + 1 < length]
        if fitting and self.chance(0.7):
            chosen = self.random.choice(fitting)
            return self.random.choice([chosen.name] * 3 + [f"{chosen.name} - 1"])  # -1 is the last one
        if shifted and self.chance(0.5):
            return f"{self.random.choice(shifted).name} + 1"
        return str(self.random.randint(-length, length - 1))

    def expression(self, shape: Shape, depth: int) -> str:
        if depth <= 0:
            return self.leaf(shape)
        choice = self.random.random()
        if choice < 0.3:
            return self.random.choice(UNARY).format(self.expression(shape, depth - 1))
        if choice < 0.75:
            parts = [self.expression(shape, depth - 1), self.expression(self.broadcast(shape), depth - 1)]
            self.random.shuffle(parts)
            return self.random.choice(BINARY).format(*(f"({part})" if " " in part else part for part in parts))
        return self.special(shape, depth - 1)

    def generator(self, shape: Shape, depth: int) -> str:
        """What stands in a comprehension that gives an array of this shape, or numbers (of a vector's items) where that is ()."""
        length = shape[0] if shape else self.random.choice((3, 4))
        vectors = [name for name in self.known(rank=1) if self.shape(name)[0] == length]
        name, other = self.name("c"), self.name("c")
        over = self.random.choice(vectors) if vectors else f"np.linspace(-0.8, 0.9, {length})"
        loops = [(f"{name} in {over}", {name: ()}), (f"{name} in range({length})", {})]
        if vectors:
            second = self.random.choice(vectors)
            loops += [(f"{name}, {other} in zip({over}, {second})", {name: (), other: ()}),
                      (f"{name}, {other} in enumerate({over})", {other: ()}), (f"{name} in reversed({over})", {name: ()})]
        if length == 3 and not shape:
            loops += [(f"{name} in {row}", {name: (4,)}) for row in self.known((3, 4))]
        header, names = self.random.choice(loops)
        self.scopes.append(names)  # type: ignore[arg-type]
        text = self.expression(shape[1:], max(0, min(depth, 1)))
        self.scopes.pop()
        return f"{text} for {header}"

    def broadcast(self, shape: Shape) -> Shape:
        """A shape that broadcasts to this one."""
        return self.random.choice([shape, shape, shape[1:], ()])

    def special(self, shape: Shape, depth: int) -> str:
        e = self.expression
        if not shape:
            return self.random.choice([
                lambda: f"np.sum({e((4,), depth)})", lambda: f"np.mean({e((3, 4), depth)})", lambda: f"np.max({e((3,), depth)})",
                lambda: f"0.3 * np.dot({e((4,), 0)}, {e((4,), depth)})", lambda: f"np.sum({self.masked()})",
                lambda: f"cube({e((), depth)})", lambda: f"cube({e((), depth)}, scale=0.3)",
                lambda: f"decay({e((), depth)}, {self.random.randint(0, 3)})",
                lambda: f"({e((), 0)} if {self.condition()} else {e((), depth)})",
                lambda: f"sum({self.generator((), depth)})", lambda: f"max({self.generator((), 0)})",
            ])()
        options = [
            lambda: f"np.where({e(shape, 0)} > {self.constant()}, {e(shape, depth)}, {e(self.broadcast(shape), 0)})",
            lambda: f"blend({e(shape, depth)}, {e(shape, 0)})", lambda: f"np.cumsum({e(shape, depth)}, axis=0)",
            lambda: f"({e(shape, depth)})[::-1]",
        ]
        if shape[0] > 1:
            options += [lambda: f"np.array([{self.generator(shape, depth)}])"]
        if len(shape) == 1:
            if shape == (3,):
                options += [lambda: f"0.4 * (({e((3, 4), 0)}) @ ({e((4,), depth)}))", lambda: f"np.sum({e((3, 4), depth)}, axis=1)"]
            if shape == (4,):
                options += [lambda: f"0.4 * (({e((3,), depth)}) @ ({e((3, 4), 0)}))", lambda: f"np.sum({e((3, 4), depth)}, axis=0)"]
            if shape[0] > 1:
                options += [lambda: f"np.concatenate(({e((1,), 0)}, {e((shape[0] - 1,), depth)}))"]
        else:
            options += [lambda: f"0.5 * np.outer({e(shape[:1], depth)}, {e(shape[1:], 0)})"]
            axis = self.random.choice([0, 1, -1])
            options += [lambda: f"({e(shape, 0)}) - np.mean({e(shape, depth)}, axis={axis}, keepdims=True)"]
            if self.chance(0.5) and self.known(shape[::-1]):
                options += [lambda: f"np.reshape({e(shape[::-1], 0)}, (-1, {shape[1]}))"]
            options += [lambda: f"({e(shape[:1], depth)})[:, None] * ({e(shape, 0)})"]
        return self.random.choice(options)()

    def leaf(self, shape: Shape) -> str:
        """A name, or a part of one, of this shape."""
        options: list[str] = self.known(shape) * 2
        if not shape:
            options += [self.constant()]
            options += [f"{name}[{self.index(self.shape(name)[0], name)}]" for name in self.known(rank=1) if self.shape(name)[0]]
            options += [f"{name}[{self.index(3, *columns(name))}, {self.index(4, *rows(name))}]" for name in self.known((3, 4))]
        elif len(shape) == 1:
            options += [part for name in self.known(rank=1) for part in self.slices(name, self.shape(name)[0], shape[0])]
            options += [f"{name}[{self.index(3, *columns(name))}]" for name in self.known((3, 4)) if shape == (4,)]
            options += [f"{name}[:, {self.index(4, *rows(name))}]" for name in self.known((3, 4)) if shape == (3,)]
            if not options:
                options = [f"np.full({shape[0]}, {self.leaf(())})", f"np.linspace(-0.8, 0.9, {shape[0]})"]
        elif not options:
            options = [f"np.outer({self.leaf(shape[:1])}, {self.leaf(shape[1:])})"]
        return self.random.choice(options)

    def slices(self, name: str, length: int, wanted: int) -> list[str]:
        """Slices of a vector that have ``wanted`` elements."""
        found = []
        if 0 < wanted < length:
            start = self.random.randint(0, length - wanted)
            found += [f"{name}[{start}:{start + wanted}]", f"{name}[{start - length}:][:{wanted}]" if start else f"{name}[:{wanted}]"]
            found += [f"{name}[min(int(np.argmax({name})), {length - wanted}):][:{wanted}]"] if self.chance(0.15) else []
        if wanted == (length + 1) // 2 and length > 1:
            found += [f"{name}[::2]", f"{name}[::-2]"]
        if wanted == length and length > 1:
            found += [f"{name}[::-1]"]
        if wanted == 3 and length > 1:
            found += [f"{name}[[0, -1, 0]]"]
        return found

    def masked(self) -> str:
        """Those elements of an array that are large enough."""
        names = self.known(rank=1) + self.known(rank=2)
        name = self.random.choice(names) if names else "np.ones(2)"
        return f"{name}[{name} > {self.constant()}]"

    def condition(self) -> str:
        options = [
            lambda: f"{self.expression((), 0)} > {self.constant()}", lambda: f"np.sum({self.leaf((4,))}) < {self.constant()}",
            lambda: f"{self.leaf(())} < {self.leaf(())}",
        ]
        if self.indices:
            i = self.random.choice(self.indices).name
            options += [lambda: f"{i} % 2 == 0", lambda: f"{i} > 1", lambda: f"0 < {i} < 3"]
        if self.chance(0.15):
            return f"{self.random.choice(options)()} {self.random.choice(['and', 'or'])} not {self.random.choice(options)()}"
        return self.random.choice(options)()

    def fresh_value(self, shape: Shape) -> str:
        """An expression whose array is nobody else's: no bare name, no bare view (unless this program is about them)."""
        if self.aliasing and shape and self.chance(0.6):
            return self.leaf(shape)
        text = self.expression(shape, self.random.randint(1, 2))
        return f"1.0 * {text}" if shape and text.endswith("]") else text
