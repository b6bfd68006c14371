"""A seed gives a program: always the same one, always one that runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .effects import Effects
from .expressions import SHAPES, UPDATES, Index, Shape, columns, rows
from .program import Body, Compound, Program, Statement


class Generator(Effects):
    """Writes one program of at most ``budget`` statements (and what these need)."""

    def __init__(self, seed: int):
        super().__init__(seed)
        self.budget = self.random.randint(4, 16)
        self.loops: list[str] = []

    def program(self) -> Program:
        chosen = ["x", *self.random.sample(sorted(set(SHAPES) - {"x"}), self.random.randint(1, 4))]
        self.scopes = [{name: SHAPES[name] for name in chosen}]
        body = self.body(0)
        condition = self.condition() if self.chance(0.2) else ""
        return Program(
            self.seed, tuple(chosen), body, self.terms(), condition, self.terms() if condition else (), self.aliasing,
        )

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
            (self.helper_call, 1), (self.rebinding, 2), (self.in_place_call, 2), (self.buffers_swapped, 1), (self.state, 1),
            (self.buffers, 1),
        ]
        if depth < 3:
            choices += [(lambda: self.grown_list(depth), 1), (lambda: self.extended(depth), 0.5), (self.starred, 0.7)]
            choices += [(lambda: self.matched(depth), 0.7), (lambda: self.tried(depth), 0.7)]
            choices += [(lambda: self.calling(depth), 1), (lambda: self.viewing(depth), 0.4)]
            choices += [(lambda: self.containing(depth), 0.7), (self.effect, 3)]
            choices += [
                (lambda: self.branch(depth), 3), (lambda: self.counted_loop(depth), 4), (lambda: self.loop_over(depth), 2),
                (lambda: self.while_loop(depth), 1),
            ]
        if self.loops:
            choices += [(self.way_out, 2)]
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
        alike = [other for other in self.known(self.shape(name)) if other != name]
        whole = self.random.choice(alike) if alike and self.chance(0.4) else self.expression(self.broadcast(self.shape(name)), 1)
        return [self.random.choice(UPDATES).format(name, whole)]

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
                (f"{name}[{self.index(3, *columns(name))}, {self.index(4, *rows(name))}]", ()),
                (f"{name}[{self.index(3, *columns(name))}]", (4,)), (f"{name}[:, {self.index(4, *rows(name))}]", (3,)),
                (f"{name}[1:, ::2]", (2, 2)), (f"{name}[{self.index(3, *columns(name))}, 1:]", (3,)),
                (f"{name}[...]", shape),
            ])
        n = shape[0]
        options = [(f"{name}[{self.index(n, name)}]", ())] * 3
        options += [(f"{name}[1:]", (n - 1,)), (f"{name}[:-1]", (n - 1,)), (f"{name}[::2]", ((n + 1) // 2,))]
        options += [(f"{name}[:]", shape), (f"{name}[::-1]", shape)]
        options += [(f"{name}[[1, 0]]", (2,)), (f"{name}[{name} > {self.constant()}]", ())]
        return self.random.choice(options)

    def store(self) -> list[Statement]:
        found = self.target()
        if not found:
            return self.assignment()
        part, shape = found
        if shape and self.chance(0.1):  # more axes than there are places for
            value = self.expression(shape, 1)
            return [f"{part} = {self.random.choice(['({})[None]', 'np.atleast_2d({})[None]', 'np.array([{}])']).format(value)}"]
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
        names = self.vectors()
        if not names:
            return []
        name = self.random.choice(names)
        if self.chance(0.5):
            return [f"bump({name}, {self.expression((), 0)})"]
        result = self.name("s")
        self.scopes[-1][result] = ()
        return [f"{result} = drain({name})"]

    def vectors(self) -> list[str]:
        """The vectors that may be changed and have several entries."""
        return self.free([name for name in self.known(rank=1) if self.shape(name)[0] > 1])

    def in_place_call(self) -> list[Statement]:
        """A call that changes an array."""
        names = self.vectors()
        if not names:
            return []
        name = self.random.choice(names)
        n = self.shape(name)[0]
        given = self.expression(self.broadcast((n,)), 1)
        places = self.random.choice(["[1, 0, 1]", "[-1, 0]", "[[0], [1]]"])
        return [self.random.choice([
            f"np.copyto({name}, {given})", f"np.copyto({name}[1:], {self.expression((n - 1,), 0)})",
            f"{name}.fill({self.expression((), 1)})",
            f"np.multiply({name}, {given}, out={name})", f"np.add({name}[:-1], {self.expression((), 0)}, out={name}[1:])", f"{name}.sort()",
            f"np.add.at({name}, [0, 1, 0], {self.expression(self.random.choice([(), (3,)]), 1)})",
            f"np.put({name}, {places}, {self.expression((3,), 0)})", f"np.copyto({name}, {given}, where={name} > {self.constant()})",
        ])]

    def buffers_swapped(self) -> list[Statement]:
        names = self.vectors()
        alike = [(one, other) for one in names for other in names if one < other and self.shape(one) == self.shape(other)]
        if not alike:
            return []
        one, other = self.random.choice(alike)
        return [f"{one}, {other} = {other}, {one}"]

    def state(self) -> list[Statement]:
        """Arrays in a dict, one of them changed there."""
        state, result = self.name("d"), self.name("s")
        first = self.random.choice(self.known((4,)) or ["np.ones(4)"])
        made = f"{state} = {{'u': {first if self.aliasing else f'{first} * 1.0'}, 'v': 0.5 * {self.leaf((3,))}}}"
        changed = self.random.choice([f"{state}['u'][1:]", f"{state}['v']", f"{state}['u'][:3]"])
        update = self.random.choice(UPDATES).format(changed, f"{state}['v'][0] + {self.expression((), 1)}")
        self.scopes[-1][result] = ()
        return [made, update, f"{result} = np.sum({state}['u'][1:] * {state}['v'])"]

    def buffers(self) -> list[Statement]:
        """Several arrays changed one after another."""
        names = self.vectors()
        if len(names) < 2:
            return []
        one, other = self.random.sample(names, 2)
        v = self.name("u")
        update = self.random.choice(UPDATES).format(self.random.choice([v, f"{v}[1:]", f"{v}[0]"]), self.expression((), 1))
        return [Compound(((f"for {v} in {self.random.choice(['[{}, {}]', '({}, {})']).format(one, other)}", (update,)),))]

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

    def way_out(self) -> list[Statement]:
        """A break, a continue (where that does not skip what ends a ``while``) or a return, under a condition."""
        ways = ["break", "break", f"return {self.expression((), 1)}"] + ["continue"] * 2 * (self.loops[-1] == "for")
        way: list[Statement] = [self.random.choice(ways)]
        if self.chance(0.3):
            way = [*self.scalar_update(), *way] if self.free(self.known(())) else way
        return [Compound(((f"if {self.condition()}", tuple(way)),))]

    def loop(self, header: str, inner: Body) -> Compound:
        """A loop, sometimes with an else."""
        if not self.chance(0.1):
            return Compound(((header, inner),))
        with self.inside():
            return Compound(((header, inner), ("else", tuple(self.scalar_update()))))

    @contextmanager
    def around(self, kind: str) -> Iterator[None]:
        """The body of a loop."""
        self.loops.append(kind)
        yield
        self.loops.pop()

    def counted_loop(self, depth: int) -> list[Statement]:
        i = "ijkl"[depth] if depth < 4 else self.name("i")
        if any(index.name == i for index in self.indices):
            i = self.name("i")
        outer = self.random.choice(self.indices) if self.indices else None
        options = [(f"range({n})", 0, n - 1) for n in (2, 3, 4)]
        options += [("range(1, 4)", 1, 3), ("range(0, 4, 2)", 0, 2), ("range(0)", 0, 0)]
        options += [("range(3, -1, -1)", 0, 3), ("range(2, 0, -1)", 1, 2)]
        if outer and outer.low >= 0:
            options += [(f"range({outer.name})", 0, max(0, outer.high - 1)), (f"range({outer.name}, 4)", outer.low, 3)] * 2
        text, low, high = self.random.choice(options)
        with self.inside(index=Index(i, low, high)), self.around("for"):
            inner = self.body(depth + 1)
        return [self.loop(f"for {i} in {text}", inner)]

    def loop_over(self, depth: int) -> list[Statement]:
        vectors, matrices = self.known(rank=1), self.known((3, 4))
        v = self.name("e")
        if matrices and self.chance(0.5):
            name = self.random.choice(matrices)
            with self.inside(*(() if self.aliasing else (name, v)), names={v: (4,)}), self.around("for"):
                inner = self.body(depth + 1)
            return [self.loop(f"for {v} in {name}", inner)]
        if not vectors:
            return []
        name = self.random.choice(vectors)
        if self.chance(0.5):
            i = self.name("i")
            with self.inside(name, names={v: ()}, index=Index(i, 0, self.shape(name)[0] - 1)), self.around("for"):
                inner = self.body(depth + 1)
            return [self.loop(f"for {i}, {v} in enumerate({name})", inner)]
        other, w = self.random.choice(vectors), self.name("e")
        with self.inside(name, other, names={v: (), w: ()}), self.around("for"):
            inner = self.body(depth + 1)
        return [self.loop(f"for {v}, {w} in zip({name}, {other})", inner)]

    def grown_list(self, depth: int) -> list[Statement]:
        """A list that a loop grows, and what becomes of it."""
        parts, v, result = self.name("p"), self.name("e"), self.name("s")
        vectors = [name for name in self.known(rank=1) if self.shape(name)[0] > 1]
        if not vectors:
            return []
        name = self.random.choice(vectors)
        with self.inside(name, names={v: ()}), self.around("for"):
            inner = self.body(depth + 2)
            grow: Statement = f"{parts}.append({self.expression((), 1)})"
            if self.chance(0.4):
                grow = Compound(((f"if {self.condition()}", (grow,)), ("else", (f"{parts}.append({parts}[-1] * {self.constant()})",))))
        use = self.random.choice(["sum({})", "max({})", "np.sum(np.array({}) ** 2)", "{0}[-1] * {0}[0]", "np.mean({})"]).format(parts)
        start = self.expression((), 0)
        self.scopes[-1][result] = ()
        return [f"{parts} = [{start}]", Compound(((f"for {v} in {name}", (*inner, grow)),)), f"{result} = {use}"]

    def while_loop(self, depth: int) -> list[Statement]:
        if self.chance(0.5):
            k = self.name("k")
            with self.inside(k, index=Index(k, 0, 2)), self.around("while"):
                inner = self.body(depth + 1)
            return [f"{k} = 0", self.loop(f"while {k} < 3", (*inner, f"{k} += 1"))]
        s = self.name("s")
        start = f"np.sin({self.expression((), 1)})"
        self.scopes[-1][s] = ()
        with self.inside(s), self.around("while"):
            inner = self.body(depth + 1)
            step = f"{s} = {s} + 0.6 + 0.2 * np.sin({self.expression((), 1)})"
        return [f"{s} = {start}", self.loop(f"while {s} < 1.2", (*inner, step))]

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
