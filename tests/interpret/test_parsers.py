"""Programs that are told by words: formulas that a regular expression takes apart, layers by their kinds, as many as an option says."""

from __future__ import annotations

import re
from collections import Counter, OrderedDict
from functools import partial
from typing import ClassVar

import numpy as np
import pytest

import sourcediff

X = np.array([0.7, -1.3, 0.95, 0.2, -0.4])
OTHERS = np.array([-0.31, 1.27, 0.53, -0.84, 0.66]), np.array([1.9, 0.45, -0.77, -0.12, 0.58])
TERM = re.compile(r"^(?:(\d+)\s*\*?\s*)?([A-Za-z_]\w*)$")
MODEL = """
A + E <-> C ; kf, kr
C -> P + E ; kc
2 P <-> D ; kd, ke
"""


def side(text):
    out = Counter()
    for part in text.split("+"):
        if (found := TERM.match(part.strip())) is None:
            raise ValueError(f"cannot read {part!r}")
        out[found.group(2)] += int(found.group(1) or 1)
    return out


class Reaction:
    def __init__(self, left, right, rate):
        self.left, self.right, self.rate = left, right, rate

    def flux(self, amounts, rates):
        flux = rates[self.rate]
        for name, count in self.left.items():
            flux = flux * amounts[name] ** count
        return flux


def reactions_of(line):
    body, names = (part.strip() for part in line.split(";"))
    left, right = (side(text) for text in re.split("<->|->", body))
    first, *others = (name.strip() for name in names.split(","))
    yield Reaction(left, right, first)
    if re.search("<->", body):
        yield Reaction(right, left, others[0])


def a_reaction_network(x):
    reactions = [reaction for line in MODEL.strip().splitlines() for reaction in reactions_of(line)]
    names = sorted({name for reaction in reactions for name in (*reaction.left, *reaction.right)})
    rates = {name: x[k] ** 2 for k, name in enumerate(("kf", "kr", "kc", "kd", "ke"))}
    amounts = {name: 1.0 + 0.1 * k for k, name in enumerate(names)}
    for _ in range(3):
        change = dict.fromkeys(names, 0.0)
        for reaction in reactions:
            flux = 0.05 * reaction.flux(amounts, rates)
            for name, count in reaction.left.items():
                change[name] -= count * flux
            for name, count in reaction.right.items():
                change[name] += count * flux
        amounts = {name: amounts[name] + change[name] for name in names}
    return sum(amounts[name] * (k + 1) for k, name in enumerate(names))


class Module:
    kinds: ClassVar = {}

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        Module.kinds[cls.__name__.lower()] = cls

    def __init__(self, store, prefix):
        self.store, self.prefix, self.parts = store, prefix, OrderedDict()

    def add(self, name, kind):
        self.parts[name] = Module.kinds[kind](self.store, f"{self.prefix}.{name}")

    def __call__(self, x):
        return self.forward(x)


class Scale(Module):
    def forward(self, x):
        return x * self.store[f"{self.prefix}.w"]


class Shift(Module):
    def forward(self, x):
        return np.tanh(x + self.store[f"{self.prefix}.b"])


class Block(Module):
    def __init__(self, store, prefix):
        super().__init__(store, prefix)
        self.add("scale", "scale")
        self.add("shift", "shift")

    def forward(self, x):
        for part in self.parts.values():
            x = part(x)
        return x


def as_many_blocks_as_an_option_says(x, options):
    store = {"block0.scale.w": x[0], "block0.shift.b": x[1], "block1.scale.w": x[2], "block1.shift.b": x[3]}
    out = x
    for block in [Block(store, f"block{k}") for k in range(options["depth"])]:
        out = block(out)
    return np.sum(out * x)


def response(a, b, power=1.0):
    return a * b ** power


def ratio(a, b):
    return a / (1.0 + b)


RESPONSES = {"first": response, "second": partial(response, power=2.0), "ratio": ratio}
LINKS = [("first", 0), ("ratio", 1), ("second", 2), ("first", 3), ("second", 1)] * 4
TERMS = (lambda x, form: np.sum(x) * form.scale, lambda x, form: np.sum(x ** 2) + form.scale)


class Form:
    def __init__(self, scale):
        self.scale = scale


def a_table_with_partials(x):
    total = 0.0
    for kind, k in LINKS:
        total += RESPONSES[kind](x[k], x[k + 1] ** 2)
    return total


def weighted_terms(x, weights):
    form = Form(x[0])
    return sum(weight * term(x, form) for weight, term in zip(weights, TERMS))


def a_star_of_a_shape(x, grid):
    at = np.stack(np.meshgrid(*map(np.arange, grid.shape), indexing="ij"), axis=-1).reshape(-1, 2).astype(float)
    return np.sum(np.sin(at @ x[:2])) * x[2]


def by_differences(program, x):
    return np.array([(program(x + 1e-6 * e) - program(x - 1e-6 * e)) / 2e-6 for e in np.eye(len(x))])


@pytest.mark.parametrize(
    "program, given",
    [
        (a_reaction_network, ()), (as_many_blocks_as_an_option_says, ({"depth": 2},)), (a_table_with_partials, ()),
        (weighted_terms, ((0.3, 1.2),)), (weighted_terms, (np.array([0.3, 1.2]),)), (a_star_of_a_shape, (np.zeros((3, 4)),)),
    ],
)
def test_gradients(program, given):
    slope = sourcediff.value_and_grad(program, mode="compiled")
    for x in (X, *OTHERS):
        value, slopes = slope(x, *given)
        assert value == pytest.approx(program(x, *given), rel=1e-12)
        np.testing.assert_allclose(slopes, by_differences(lambda at: program(at, *given), x), rtol=1e-6, atol=1e-7)


def test_another_number_of_blocks_is_another_text():
    slope = sourcediff.grad(as_many_blocks_as_an_option_says, mode="compiled")
    for depth in (1, 2, 1):
        of = partial(as_many_blocks_as_an_option_says, options={"depth": depth})
        np.testing.assert_allclose(slope(X, {"depth": depth}), by_differences(of, X), rtol=1e-6, atol=1e-8)


def test_another_expression_is_another_text(monkeypatch):
    slope = sourcediff.grad(a_reaction_network, mode="compiled")
    slope(X)
    monkeypatch.setitem(globals(), "TERM", re.compile(r"^(?:(\d+)\s*\*?\s*)?([A-Z])$"))
    np.testing.assert_allclose(slope(X), by_differences(a_reaction_network, X), rtol=1e-6, atol=1e-8)
    twice = by_differences(a_reaction_network, X)
    monkeypatch.setitem(globals(), "TERM", re.compile(r"^(?:\d+\s*)?()([A-Z])$"))
    np.testing.assert_allclose(slope(X), by_differences(a_reaction_network, X), rtol=1e-6, atol=1e-8)
    assert np.abs(slope(X) - twice).max() > 0.01


class Kernel:
    def __init__(self, width):
        self.width = width

    def __add__(self, other):
        return Pair(np.add, self, other)

    __radd__ = __add__

    def __call__(self, x):
        return np.exp(-x ** 2 / self.width ** 2)

    def prior(self):
        return self.width ** 2


class Pair(Kernel):
    def __init__(self, op, *parts):
        self.op, self.parts = op, parts

    def __call__(self, x):
        return self.op(*(part(x) if callable(part) else part for part in self.parts))

    def prior(self):
        return sum(part.prior() for part in self.parts if isinstance(part, Kernel))


def a_sum_of_seven(x):
    kernel = Kernel(x[0]) + Kernel(x[1]) + x[2] + Kernel(x[3]) + 0.1 + Kernel(x[4]) + Kernel(x[0] * x[1])
    return np.sum(kernel(np.arange(3.0))) + kernel.prior()


def test_what_can_be_called_and_what_is_a_number():
    slope = sourcediff.grad(a_sum_of_seven, mode="compiled")
    for x in (X, *OTHERS):
        np.testing.assert_allclose(slope(x), by_differences(a_sum_of_seven, x), rtol=1e-6, atol=1e-6)
