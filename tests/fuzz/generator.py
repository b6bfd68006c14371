"""A seed gives a program: always the same one, always one that runs, smooth nearly everywhere, its numbers tame."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from .program import Body, Compound, Program, Statement

Shape = tuple[int, ...]
SHAPES: dict[str, Shape] = {"x": (4,), "y": (4,), "a": (3, 4), "b": (3,), "s": (), "t": ()}
UNARY = ("np.sin({})", "np.cos({})", "np.tanh({})", "np.arctan({})", "np.exp(-({}) ** 2)", "np.sqrt(1.0 + ({}) ** 2)", "np.log1p(({}) ** 2)", "-({})")
BINARY = ("{} + {}", "{} - {}", "0.5 * ({}) * ({})", "({}) / (1.5 + ({}) ** 2)", "np.maximum({}, {})", "np.hypot({}, 0.3 + ({}) ** 2)", "({}) * ({})")
UPDATES = ("{} += {}", "{} -= {}", "{} *= {}", "{} /= 1.5 + ({}) ** 2")


class Index(NamedTuple):
    """A loop's index and the values it takes: ``low`` to ``high``, both included."""

    name: str
    low: int
    high: int


class Generator:
    """Writes one program.

    ``scopes`` holds what may be read where we are, innermost last: names and their shapes. ``frozen`` are names that a
    statement may not change just now (what a loop runs over, counters, and, without ``aliasing``, bases of views).
    """

    def __init__(self, seed: int):
        self.seed = seed
        self.random = random.Random(seed)
        self.aliasing = self.random.random() < 0.25
        self.scopes: list[dict[str, Shape]] = []
        self.indices: list[Index] = []
        self.frozen: set[str] = set()
        self.fresh = 0
        self.budget = self.random.randint(4, 16)

    def program(self) -> Program:
        chosen = ["x", *self.random.sample(sorted(set(SHAPES) - {"x"}), self.random.randint(1, 4))]
        self.scopes = [{name: SHAPES[name] for name in chosen}]
        body = self.body(0)
        condition = self.condition() if self.chance(0.2) else ""
        return Program(
            self.seed, tuple(chosen), body, self.terms(), condition, self.terms() if condition else (), self.aliasing,
        )

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

    def index(self, length: int) -> str:
        """An index that is valid for an axis of this length."""
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

    def broadcast(self, shape: Shape) -> Shape:
        """A shape that broadcasts to this one."""
        return self.random.choice([shape, shape, shape[1:], ()])

    def special(self, shape: Shape, depth: int) -> str:
        e = self.expression
        if not shape:
            return self.random.choice([
                lambda: f"np.sum({e((4,), depth)})", lambda: f"np.mean({e((3, 4), depth)})", lambda: f"0.3 * np.dot({e((4,), 0)}, {e((4,), depth)})",
                lambda: f"np.max({e((3,), depth)})", lambda: f"cube({e((), depth)})", lambda: f"decay({e((), depth)}, {self.random.randint(0, 3)})",
                lambda: f"({e((), 0)} if {self.condition()} else {e((), depth)})", lambda: f"cube({e((), depth)}, scale=0.3)",
                lambda: f"np.sum({self.masked()})",
            ])()
        options = [
            lambda: f"np.where({e(shape, 0)} > {self.constant()}, {e(shape, depth)}, {e(self.broadcast(shape), 0)})",
            lambda: f"blend({e(shape, depth)}, {e(shape, 0)})", lambda: f"np.cumsum({e(shape, depth)}, axis=0)", lambda: f"({e(shape, depth)})[::-1]",
        ]
        if len(shape) == 1:
            other = 7 - shape[0]  # 3 ↔ 4
            if other in (3, 4):
                matrix = e((3, 4), 0)
                options += [lambda: f"0.4 * (({matrix}) @ ({e((4,), depth)}))" if shape == (3,) else f"0.4 * (({e((3,), depth)}) @ ({matrix}))"]
                options += [lambda: f"np.sum({e((3, 4), depth)}, axis={1 if shape == (3,) else 0})"]
            if shape[0] > 1:
                options += [lambda: f"np.concatenate(({e((1,), 0)}, {e((shape[0] - 1,), depth)}))"]
        else:
            options += [lambda: f"0.5 * np.outer({e(shape[:1], depth)}, {e(shape[1:], 0)})", lambda: f"({e(shape[:1], depth)})[:, None] * ({e(shape, 0)})"]
        return self.random.choice(options)()

    def leaf(self, shape: Shape) -> str:
        """A name, or a part of one, of this shape."""
        options: list[str] = self.known(shape) * 2
        if not shape:
            options += [self.constant()]
            options += [f"{name}[{self.index(self.shape(name)[0])}]" for name in self.known(rank=1) if self.shape(name)[0]]
            options += [f"{name}[{self.index(3)}, {self.index(4)}]" for name in self.known((3, 4))]
        elif len(shape) == 1:
            options += [part for name in self.known(rank=1) for part in self.slices(name, self.shape(name)[0], shape[0])]
            options += [f"{name}[{self.index(3)}]" for name in self.known((3, 4)) if shape == (4,)]
            options += [f"{name}[:, {self.index(4)}]" for name in self.known((3, 4)) if shape == (3,)]
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

    # Statements.

    def body(self, depth: int) -> Body:
        statements: list[Statement] = []
        for _ in range(self.random.randint(2, 7 if depth == 0 else 4)):
            if self.budget > 0:
                self.budget -= 1
                statements += self.statements(depth)
        return tuple(statements)

    def statements(self, depth: int) -> list[Statement]:
        choices = [
            (self.assignment, 3), (self.scalar_update, 2), (self.array_update, 2), (self.store, 5), (self.store_update, 5), (self.swap, 1),
            (self.helper_call, 1), (self.rebinding, 2),
        ]
        if depth < 3:
            choices += [(lambda: self.branch(depth), 3), (lambda: self.counted_loop(depth), 4), (lambda: self.loop_over(depth), 2),
                        (lambda: self.while_loop(depth), 1)]
        made, weights = zip(*choices)
        return self.random.choices(made, weights)[0]()  # type: ignore[no-any-return]

    def assignment(self) -> list[Statement]:
        shape = self.random.choice([(), (), (4,), (4,), (3,), (3, 4), (2,)])
        name = self.name({0: "s", 1: "v", 2: "m"}[len(shape)])
        value = self.fresh_value(shape)
        if len(shape) == 1 and self.chance(0.2):
            value = self.random.choice([f"np.zeros({shape[0]})", f"np.ones({shape[0]})", f"np.array({value})"])
        self.scopes[-1][name] = shape
        return [f"{name} = {value}"]

    def rebinding(self) -> list[Statement]:
        names = self.free(self.known())
        if not names:
            return []
        name = self.random.choice(names)
        return [f"{name} = {self.fresh_value(self.shape(name))}"]

    def scalar_update(self) -> list[Statement]:
        names = self.free(self.known(()))
        if not names:
            return self.assignment()
        return [self.random.choice(UPDATES).format(self.random.choice(names), self.expression((), 1))]

    def array_update(self) -> list[Statement]:
        names = self.free(self.known(rank=1) + self.known(rank=2))
        if not names:
            return []
        name = self.random.choice(names)
        return [self.random.choice(UPDATES).format(name, self.expression(self.broadcast(self.shape(name)), 1))]

    def target(self) -> tuple[str, Shape] | None:
        """A part of an array that may be stored into, and the part's shape."""
        names = self.free(self.known(rank=1) + self.known(rank=2))
        names = [name for name in names if self.shape(name)[0] > 1]
        if not names:
            return None
        name = self.random.choice(names)
        shape = self.shape(name)
        if len(shape) == 2:
            return self.random.choice([
                (f"{name}[{self.index(3)}, {self.index(4)}]", ()), (f"{name}[{self.index(3)}]", (4,)), (f"{name}[:, {self.index(4)}]", (3,)),
                (f"{name}[1:, ::2]", (2, 2)), (f"{name}[{self.index(3)}, 1:]", (3,)), (f"{name}[...]", shape),
            ])
        n = shape[0]
        options = [(f"{name}[{self.index(n)}]", ())] * 3
        options += [(f"{name}[1:]", (n - 1,)), (f"{name}[:-1]", (n - 1,)), (f"{name}[::2]", ((n + 1) // 2,)), (f"{name}[:]", shape), (f"{name}[::-1]", shape)]
        options += [(f"{name}[[1, 0]]", (2,)), (f"{name}[{name} > {self.constant()}]", ())]
        return self.random.choice(options)

    def store(self) -> list[Statement]:
        found = self.target()
        if not found:
            return self.assignment()
        part, shape = found
        return [f"{part} = {self.expression(self.broadcast(shape), self.random.randint(0, 2))}"]

    def store_update(self) -> list[Statement]:
        found = self.target()
        if not found:
            return self.assignment()
        part, shape = found
        return [self.random.choice(UPDATES).format(part, self.expression(self.broadcast(shape), self.random.randint(0, 1)))]

    def swap(self) -> list[Statement]:
        names = self.free([name for name in self.known(rank=1) if self.shape(name)[0] > 1])
        if names and self.chance(0.7):
            name = self.random.choice(names)
            one, other = self.index(self.shape(name)[0]), self.index(self.shape(name)[0])
            return [f"{name}[{one}], {name}[{other}] = {name}[{other}], {name}[{one}]"]
        scalars = self.free(self.known(()))
        if len(scalars) < 2:
            return []
        one, other = self.random.sample(scalars, 2)
        return [f"{one}, {other} = {other}, {one} * {self.constant()}"]

    def helper_call(self) -> list[Statement]:
        names = self.free([name for name in self.known(rank=1) if self.shape(name)[0] > 1])
        if not names:
            return []
        name = self.random.choice(names)
        if self.chance(0.5):
            return [f"bump({name}, {self.expression((), 0)})"]
        result = self.name("s")
        self.scopes[-1][result] = ()
        return [f"{result} = drain({name})"]

    def branch(self, depth: int) -> list[Statement]:
        shape = self.random.choice([(), (4,)])
        name = self.name("v" if shape else "s") if self.chance(0.4) else ""
        headers = [f"if {self.condition()}"]
        if self.chance(0.25):
            headers.append(f"elif {self.condition()}")
        if name or self.chance(0.5):
            headers.append("else")
        arms = []
        for header in headers:
            with self.inside():
                inner = self.body(depth + 1)
                if name:
                    inner += (f"{name} = {self.fresh_value(shape)}",)
            arms.append((header, inner))
        if name:
            self.scopes[-1][name] = shape
        return [Compound(tuple(arms))]

    def counted_loop(self, depth: int) -> list[Statement]:
        i = "ijkl"[depth] if depth < 4 else self.name("i")
        if any(index.name == i for index in self.indices):
            i = self.name("i")
        outer = self.random.choice(self.indices) if self.indices else None
        options = [
            (f"range({n})", 0, n - 1) for n in (2, 3, 4)
        ] + [("range(1, 4)", 1, 3), ("range(3, -1, -1)", 0, 3), ("range(0, 4, 2)", 0, 2), ("range(0)", 0, 0), ("range(2, 0, -1)", 1, 2)]
        if outer and outer.low >= 0:
            options += [(f"range({outer.name})", 0, max(0, outer.high - 1)), (f"range({outer.name}, 4)", outer.low, 3)] * 2
        text, low, high = self.random.choice(options)
        with self.inside(index=Index(i, low, high)):
            inner = self.body(depth + 1)
        return [Compound(((f"for {i} in {text}", inner),))]

    def loop_over(self, depth: int) -> list[Statement]:
        vectors, matrices = self.known(rank=1), self.known((3, 4))
        v = self.name("e")
        if matrices and self.chance(0.5):
            name = self.random.choice(matrices)
            with self.inside(*(() if self.aliasing else (name, v)), names={v: (4,)}):
                inner = self.body(depth + 1)
            return [Compound(((f"for {v} in {name}", inner),))]
        if not vectors:
            return []
        name = self.random.choice(vectors)
        if self.chance(0.5):
            i = self.name("i")
            with self.inside(name, names={v: ()}, index=Index(i, 0, self.shape(name)[0] - 1)):
                inner = self.body(depth + 1)
            return [Compound(((f"for {i}, {v} in enumerate({name})", inner),))]
        other, w = self.random.choice(vectors), self.name("e")
        with self.inside(name, other, names={v: (), w: ()}):
            inner = self.body(depth + 1)
        return [Compound(((f"for {v}, {w} in zip({name}, {other})", inner),))]

    def while_loop(self, depth: int) -> list[Statement]:
        if self.chance(0.5):
            k = self.name("k")
            with self.inside(k, index=Index(k, 0, 2)):
                inner = self.body(depth + 1)
            return [f"{k} = 0", Compound(((f"while {k} < 3", (*inner, f"{k} += 1")),))]
        s = self.name("s")
        start = f"np.sin({self.expression((), 1)})"
        self.scopes[-1][s] = ()
        with self.inside(s):
            inner = self.body(depth + 1)
            step = f"{s} = {s} + 0.6 + 0.2 * np.sin({self.expression((), 1)})"
        return [f"{s} = {start}", Compound(((f"while {s} < 1.2", (*inner, step)),))]

    def terms(self) -> tuple[str, ...]:
        """What is returned: every parameter that is an array, and some of the rest."""
        names = self.known()
        kept = [name for name in names if name in self.scopes[0] and self.chance(0.7)][-5:] or ["x"]
        return tuple(
            name if not self.shape(name) else self.random.choice([f"np.sum({name})", f"np.sum({name} ** 2)", f"np.sum(np.sin({name}))"])
            for name in kept
        )


def generate(seed: int) -> Program:
    """The program of a seed."""
    return Generator(seed).program()
