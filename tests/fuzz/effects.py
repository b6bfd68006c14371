"""Calls that change something while they are asked for a number, random draws, copies handed on, lists that become arrays, mixed dtypes."""

from __future__ import annotations

from .containers import Containers
from .expressions import UPDATES
from .program import Compound, Statement


class Effects(Containers):
    """One method per construct, each gives a few statements."""

    def effect(self) -> list[Statement]:
        """One of these."""
        return self.random.choice([  # type: ignore[no-any-return]
            self.changing_calls, self.counting, self.drawing, self.handed_on, self.gathered, self.stateful, self.taken, self.named_inside,
            self.stack, self.numbers, self.masks, self.complex_numbers, self.matrix_of_numbers, self.without_dimensions, self.nested,
            self.shortened,
        ])()

    def total(self, value: str, *before: Statement) -> list[Statement]:
        """Statements, and a new scalar with this value."""
        result = self.name("s")
        self.scopes[-1][result] = ()
        return [*before, f"{result} = {value}"]

    def changing_calls(self) -> list[Statement]:
        """Calls that change an array, within an expression that reads it before and after."""
        names = self.vectors()
        if not names:
            return []
        name = self.random.choice(names)
        call = self.random.choice([
            f"drain({name})", f"drain({name}[::-1])", f"np.sum(pushed({name}, {self.expression((), 0)}))",
            f"pushed({name}, {name}[1])[0]",
        ])
        form = self.random.choice([
            "{n}[0] * {c} + {n}[0]", "np.sin({n}[1]) * {c} * {n}[1]", "({c} if {q} else {n}[0]) + {n}[0]",
            "{n}[0] - cube({c}, scale={n}[0])", "sum([{n}[1], {c}, {n}[1]])", "np.sum(np.array([{n}[0], {c}, {n}[0]]) ** 2)",
            "np.sum({n} * {c})", "np.sum(np.tanh({c}) * {n})", "{n}[0] if {c} > {k} and {n}[0] > {k} else {n}[1]",
            "combine({n}[0], {c}, k={n}[1])", "np.sum({n} - {c} * {n}[::-1])",
        ])
        return self.total(form.format(n=name, c=call, q=self.condition(), k=self.constant()))

    def counting(self) -> list[Statement]:
        """An inner function that counts by a name of the function around it."""
        names = [name for name in self.free(self.known(())) if name in self.scopes[0]]
        if len(self.scopes) > 1 or not names:
            return []
        name, step = self.random.choice(names), self.name("step")
        body = (f"nonlocal {name}", f"{name} = {name} * 0.5 + {self.expression((), 0)}", f"return {name} * {self.constant()}")
        form = self.random.choice([
            "{n} * {c} * {n}", "{c} + {n} * {c}", "{n} + 0.5 * {c} if {c} > {k} else {n}", "np.sum(np.array([{c}, {n}, {c}]) ** 2)",
            "sum({c} * {n} for _ in range(3))",
        ])
        return self.total(form.format(n=name, c=f"{step}()", k=self.constant()), Compound(((f"def {step}()", body),)))

    def drawing(self) -> list[Statement]:
        """Random numbers, always the same ones."""
        rng, shape = self.name("rng"), self.random.choice([(3,), (4,)])
        made = f"{rng} = np.random.default_rng({self.random.randint(0, 9)})"
        v, w = self.expression(shape, 1), self.expression(shape, 0)
        form = self.random.choice([
            "np.sum(({v}) * {g}.normal(size={n}))", "np.sum(np.where({g}.random({n}) > 0.4, {v}, {w}))", "({v})[{g}.integers({n})]",
            "np.sum(({v})[{g}.permutation({n})] * {w})", "sum(c * {g}.random() for c in {w})",
            "{g}.random() * ({v})[0] + {g}.random() * ({v})[1]",
            "np.sum(({w} + 0.1 * {g}.standard_normal({n})) * ({v}))",
        ])
        return self.total(form.format(v=v, w=w, g=rng, n=shape[0]), made)

    def handed_on(self) -> list[Statement]:
        """An array that is copied, changed, copied again, changed again."""
        one, other = self.name("v"), self.name("v")
        first = self.random.choice([f"1.0 * {self.leaf((4,))}", self.expression((4,), 1) + " + 0.0", "np.zeros(4)"])
        changes = [self.random.choice(UPDATES).format(self.random.choice([one, f"{one}[1:]"]), self.expression((), 0)) for _ in range(2)]
        change = self.random.choice([f"{one}[1] = {self.expression((), 1)}", f"{one}[:2] = {self.expression((2,), 0)}", changes[0]])
        copied = self.random.choice(["{}.copy()", "np.array({})", "np.copy({})", "1.0 * {}", "{} + 0.5", "np.sin({})", "-{}"]).format(one)
        after = self.random.choice([
            f"{other} += {self.leaf((4,))}", f"{other} *= {one}", f"{one} *= {other}", f"{other}[0] = {one}[1]",
            f"{other} -= {one}[::-1]", changes[1],
        ])
        for name in (one, other):
            self.scopes[-1][name] = (4,)
        return [f"{one} = {first}", change, f"{other} = {copied}", after]

    def gathered(self) -> list[Statement]:
        """A list that becomes an array by the same name, or is given to NumPy as it is."""
        parts, v = self.name("p"), self.name("e")
        over = self.random.choice(self.vectors_or_none())
        vectors = self.chance(0.4)
        with self.inside(over, names={v: ()}):
            item = f"{v} * ({self.expression((3,), 1)})" if vectors else self.expression((), 1)
        grown: list[Statement] = [f"{parts} = []", Compound(((f"for {v} in {over}", (f"{parts}.append({item})",)),))]
        if vectors:
            use = self.random.choice([
                "np.sum(np.stack({}) ** 2)", "np.sum(np.concatenate({}))", "np.sum(np.array({}) * 0.5)", "np.sum({}[0] * {}[-1])",
                "np.sum(np.mean({}, axis=0) ** 2)", "np.sum(np.vstack({})[1:])",
            ])
            return self.total(use.replace("{}", parts), *grown)
        if self.chance(0.5):
            change = self.random.choice([f"{parts}[1:] *= {self.expression((), 0)}", f"{parts} = {parts} * {parts}"])
            use = self.random.choice(["np.sum({} ** 2)", "{}[0] * {}[-1]", "np.sum({}[1:] * {}[:-1])"])
            return self.total(use.replace("{}", parts), *grown, f"{parts} = np.array({parts})", change)
        use = self.random.choice([
            "np.sum({})", "np.var({})", "np.sum(np.add({}, {}))", "np.sum(np.multiply({}, {}[::-1]))", "np.dot({}, {})",
            "np.sum(np.tanh({}))", "np.sum(np.cumsum({}) * {}[0])", "np.sum({} * np.array({}))", "{}[1] + len({}) * {}.pop()",
        ])
        return self.total(use.replace("{}", parts), *grown)

    def stateful(self) -> list[Statement]:
        """An object with an array that its methods change."""
        state = self.name("o")
        made = f"{state} = State({self.expression((3,), 1)})"
        steps = [
            f"{state}.push({self.expression((), 1)})", f"{state}.v[1:] += {self.expression((), 0)}", f"{state}.v = {state}.v[::-1] * 0.7",
            f"{state}.v = {state}.v * {state}.push(0.2)",
        ]
        asked = self.random.choice([
            "{o}.v[0] * {o}.push({e}) * {o}.v[0]", "{o}.total * {o}.push({e}) + {o}.total", "np.sum({o}.v * {o}.push({e}))",
            "sum({o}.push(c) * {o}.n for c in {w})", "{o}.push({o}.push({e})) + {o}.total / {o}.n",
        ])
        asked = asked.format(o=state, e=self.expression((), 0), w=self.random.choice(self.vectors_or_none()))
        return self.total(asked, made, *self.random.sample(steps, self.random.randint(0, 2)))

    def taken(self) -> list[Statement]:
        """Positions taken from an iterator, items off a list, or a loop over one."""
        items, v = self.name("it"), self.name("e")
        over = self.random.choice([*self.known((4,)), "np.linspace(-0.8, 0.9, 4)"])
        if self.chance(0.6):
            made = f"{items} = iter({self.random.choice(['range(4)', '[2, 0, 1]', 'np.arange(4)', 'itertools.count(1)'])})"
            one = f"{over}[next({items})]"
            forms = [f"{one} * {one} - {over}[0]", f"{one} + {self.constant()} * {one}", f"np.sum(np.array([{one}, {one}]) ** 2)"]
            return self.total(self.random.choice(forms), made)
        if self.chance(0.4):
            one = f"{items}.pop(0)"
            forms = [f"{one} * {one} - {one}", f"{one} + {self.constant()} * {items}.pop(0)", f"np.sin({one}) * {one} + sum({items})"]
            return self.total(self.random.choice(forms), f"{items} = list({self.expression((4,), 1)})")
        made, item = self.random.choice([
            (f"list({over})", v), (f"list(zip({over}, range(4)))", f"{v}[0] * {v}[1]"), (f"list(enumerate({over}))", f"{v}[1] * {v}[0]"),
        ])
        names = self.free(self.known(()))
        if not names or self.loops:
            return []
        return [f"{items} = {made}", Compound(((f"for {v} in {items}", (f"{self.random.choice(names)} += 0.3 * {item}",)),))]

    def named_inside(self) -> list[Statement]:
        """Names that are bound within expressions."""
        inner = self.name("s")
        value = self.random.choice([
            f"({inner} := {self.expression((), 1)}) * {inner} + {self.expression((), 0)}",
            f"np.sum(({inner} := {self.expression((3,), 1)}) * {inner}[::-1])",
            f"({inner} if ({inner} := {self.expression((), 1)}) > {self.constant()} else {inner} * 0.5)",
            f"sum([({inner} := {self.expression((), 0)}), ({inner} := {inner} * 0.5), {inner}])",
        ])
        return self.total(value)

    def stack(self) -> list[Statement]:
        """A list that is emptied from its end while it may still grow."""
        items, v, result = self.name("p"), self.name("e"), self.name("s")
        grown = Compound(((f"if len({items}) < 4 and {v} > {self.constant()}", (f"{items}.append({v} * 0.5 - 1.0)",)),))
        step = self.random.choice([(f"{result} = {result} * {self.constant()} + {v}",), (f"{result} += np.sin({v})", grown)])
        given = [f"{items} = [{self.expression((), 1)}, {self.expression((), 0)}, {self.expression((), 0)}]", f"{result} = 0.1"]
        self.scopes[-1][result] = ()
        return [*given, Compound(((f"while {items}", (f"{v} = {items}.pop({self.random.choice(['', '', '0'])})", *step)),))]

    def numbers(self) -> list[Statement]:
        """Integer arrays beside floats: counters, weights, positions."""
        n = self.name("n")
        made, change = self.random.choice([
            (f"{n} = np.arange(4)", f"{n}[{self.index(4)}] += 2"),
            (f"{n} = np.zeros(4, dtype=int)", f"{n}[{self.leaf((4,))} > {self.constant()}] = 3"),
            (f"{n} = np.ones(4, dtype=np.int32)", f"{n}[1:] *= 2"), (f"{n} = np.argsort({self.leaf((4,))})", f"{n} = {n}[::-1]"),
        ])
        change = change if self.chance(0.7) else "pass"
        v = self.expression((4,), 1)
        forms = [f"np.sum({n} * ({v}))", f"np.sum(({v}) / (1 + {n}))", f"np.sum(({v})[{n} % 4] * {self.leaf((4,))})"]
        return self.total(self.random.choice(forms), made, change)

    def masks(self) -> list[Statement]:
        """Arrays of truth values."""
        names = self.free(self.known((4,)))
        if not names:
            return []
        name, mask = self.random.choice(names), self.name("b")
        change = self.random.choice([
            f"{name}[{mask}] = {self.expression((), 1)}", f"{name}[~{mask}] *= {self.expression((), 0)}", f"{mask}[0] = not {mask}[0]",
        ])
        use = self.random.choice([
            f"np.sum({name} * {mask})", f"np.sum({name}[{mask}]) / (1 + np.sum({mask}))", f"np.sum(np.where({mask}, {name}, 0.5))",
        ])
        return self.total(use, f"{mask} = {self.expression((4,), 1)} > {self.constant()}", change)

    def complex_numbers(self) -> list[Statement]:
        """Numbers that are complex in between."""
        z = self.name("z")
        shape = self.random.choice([(), (3,)])
        made = f"{z} = ({self.expression(shape, 1)}) + 1j * ({self.expression(shape, 0)})"
        change = self.random.choice([
            f"{z} = {z} * {z}", f"{z} *= 0.5 - 0.3j", f"{z} = np.exp(0.3j * {z}.real)", f"{z} = np.conj({z}) / 2",
            f"{z} += {self.expression((), 0)}",
        ])
        use = self.random.choice([
            "np.sum(np.real({z} * np.conj({z})))", "np.sum(np.abs({z} + 3))", "np.sum({z}.real * {z}.imag)", "np.real(np.sum({z} ** 2))",
        ])
        return self.total(use.format(z=z), made, change)

    def without_dimensions(self) -> list[Statement]:
        """A buffer that holds one number."""
        z, v = self.name("z"), self.name("e")
        update = self.random.choice([
            f"{z}[...] = {z} * {v} + {self.expression((), 0)}", f"{z}[()] += {v} * {self.expression((), 0)}", f"np.add({z}, {v}, out={z})",
            f"{z}[...] = np.hypot({z}, {v})", f"{z}.fill({v} * 0.5)",
        ])
        start = self.random.choice([f"{z} = np.zeros(())", f"{z} = np.array({self.expression((), 0)})"])
        use = self.random.choice(["{z} * 0.7", "{z}.item() * 0.7", "np.squeeze({z}) ** 2", "np.sum({z})"]).format(z=z)
        return self.total(use, start, Compound(((f"for {v} in {self.leaf((3,))}", (update,)),)))

    def nested(self) -> list[Statement]:
        """Lists in lists and dicts in dicts, of which entries become arrays; an index that has a name."""
        h, k = self.name("h"), self.name("k")
        value, number = self.expression((3,), 1), self.expression((), 1)
        made, change, use = self.random.choice([
            (f"{h} = [[0.0] * 2 for _ in range(2)]", f"{h}[1][0] = {value}", f"np.sum({h}[1][0] * {self.leaf((3,))}) + {h}[0][1]"),
            (f"{h} = {{'p': {{'q': 1.0}}}}", f"{h}['p']['q'] = {h}['p']['q'] * ({value})", f"np.sum({h}['p']['q'] ** 2)"),
            (f"{h} = [[0.5, 1.5], [2.5, {number}]]", f"{h}[0][1] += {h}[1][1] * ({number})", f"{h}[0][1] * {h}[0][0]"),
            (f"{h} = 1.0 * np.outer({self.leaf((3,))}, {self.leaf((4,))})", f"{k} = ({self.index(3)}, {self.index(4)})",
             f"{h}[{k}] * ({number}) + np.sum({h}[{k}] * {self.leaf((3,))})"),
            (f"{h} = 1.0 * {self.leaf((4,))}", f"{k} = [{self.index(4)}, {self.index(4)}]", f"np.sum({h}[{k}] ** 2) * ({number})"),
        ])
        return self.total(use, made, change)

    def shortened(self) -> list[Statement]:
        """A name bound to a part of what it stands for, found by its contents, length or dimensions; a list's entries."""
        h, k = self.name("h"), self.name("k")
        vector, matrix = f"{h} = 1.0 * {self.leaf((4,))}", f"{h} = 1.0 * {self.expression((3, 4), 0)}"
        numbers = f"{h} = [{self.expression((), 1)}, {self.expression((), 0)}, {self.leaf(())}]"
        made, change, use = self.random.choice([
            (vector, f"{h} = {h}[len({h}) - 3:len({h}) - 1]", f"np.sum({h} ** 2)"),
            (vector, f"{h} = {h}[np.argmax({h}):]", f"np.sum({h} ** 2)"), (vector, f"{h} = {h}[{h} > {h}[1]]", f"np.sum(np.sin({h}))"),
            (vector, f"{h} = {h}[np.argsort({h})]", f"np.sum({h}[:2] * {h}[2:])"),
            (vector, f"{h} = np.roll({h}, np.argmax({h}))", f"{h}[1] * {h}[0]"),
            (matrix, f"{h} = {h}[{h}.shape[0] // 2]", f"np.sum({h} * {self.leaf((4,))})"),
            (matrix, f"{h} = {h}[int(np.argmax({h}[:, 0]))]", f"np.sum({h} * {self.leaf((4,))})"),
            (matrix, f"{h} = np.sum({h} ** 2, axis={h}.ndim - 1)", f"np.sum({h} * {self.leaf((3,))})"),
            (matrix, f"{h} = {h}[np.arange(len({h})), np.argmax({h}, axis=1)]", f"np.sum({h} ** 2)"),
            (numbers, f"{k} = {h}[int(np.argmax({h}))]", f"{k} ** 2 + {h}[1]"),
            (numbers, f"{h}[int(np.argmin({h}))] = {h}[int(np.argmax({h}))] ** 2", f"{h}[0] * {h}[1] + {h}[2]"),
        ])
        return self.total(use, made, change)

    def matrix_of_numbers(self) -> list[Statement]:
        """A matrix made of numbers, turned or changed afterwards."""
        m, c, s = self.name("m"), self.expression((), 1), self.expression((), 0)
        made = f"{m} = np.array([[np.cos({s}), -np.sin({s})], [{c}, {self.constant()}]])"
        changes = [f"{m} = {m} @ {m}.T", f"{m}[0, 1] = {self.expression((), 0)}", f"{m} *= {m}[1, 0]", f"{m} = {m} * 0.5"]
        use = self.random.choice([f"np.sum({m} @ {self.leaf((2,))})", f"np.sum({m}[0] * {m}[1])", f"np.trace({m})", f"np.sum({m} ** 2)"])
        return self.total(use, made, self.random.choice(changes))
