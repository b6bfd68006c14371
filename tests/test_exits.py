"""Ways out of loops and functions: the pass that moves them to the ends of trips, what is emitted for them, and exceptions."""

from __future__ import annotations

import random

import numpy as np
import pytest

import sourcediff
from sourcediff.core.single_exit import unify
from sourcediff.syntax import nodes as n
from sourcediff.syntax.quote import statements
from sourcediff.syntax.text import to_source
from tests.corpus.judge import copied


class Writer:
    """Random functions of nothing but control flow: ``log`` tells which statements ran, ``ask`` decides the branches."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.count = 0

    def block(self, depth: int, loops: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self.random.randint(1, 4)):
            lines += self.statement(depth, loops)
        return lines

    def statement(self, depth: int, loops: int) -> list[str]:
        self.count += 1
        kind = self.random.choice(["log", "log", "if", "if", "for", "while", "exit"] if depth else ["log", "exit"])
        if kind == "log":
            return [f"log.append({self.count})"]
        if kind == "exit":
            ways = [f"return {self.count}", "return"] + ["break", "continue"] * 2 * bool(loops)
            return ["if ask():", "    " + self.random.choice(ways)] if self.random.random() < 0.7 else [self.random.choice(ways)]
        inner = [f"    {line}" for line in self.block(depth - 1, loops + (kind != "if"))]
        head = {"if": "if ask():", "for": f"for i{self.count} in range(3):", "while": "while ask():"}[kind]
        other = [f"    {line}" for line in self.block(depth - 1, loops)] if self.random.random() < 0.4 else []
        return [head, *inner, *(["else:", *other] if other else [])]


def run(lines: list[str], seed: int) -> tuple[object, list[int]]:
    """What a body returns and logs."""
    chance = random.Random(seed)
    log: list[int] = []
    asked = iter(range(200))  # a loop that never ends is no program

    def ask() -> bool:
        next(asked)
        return chance.random() < 0.5

    namespace = {"log": log, "ask": ask}
    exec("def f():\n" + "\n".join(f"    {line}" for line in lines), namespace)
    try:
        return namespace["f"](), log
    except StopIteration:
        return "endless", log


@pytest.mark.parametrize("first", range(0, 120, 40))
def test_unified_ways_out_do_the_same(first: int) -> None:
    names = iter(range(10 ** 6))
    for seed in range(first, first + 40):
        lines = Writer(seed).block(3, 0)
        body = unify(statements("\n".join(lines)), "value", lambda base: f"{base}{next(names)}")
        text = "\n".join(map(to_source, body)).split("\n") if body else ["pass"]
        for answers in range(6):
            assert run(text, answers) == run(lines, answers), "\n".join([*lines, "", *text])


def tail_only(body: list[n.stmt], tail: bool) -> bool:
    """Whether every break is the last thing that its trip does."""
    for position, node in enumerate(body):
        last = tail and position == len(body) - 1
        if isinstance(node, n.Break) and not last:
            return False
        if isinstance(node, (n.Continue, n.Return)) and not (isinstance(node, n.Return) and position == len(body) - 1):
            return False
        if isinstance(node, n.If) and not (tail_only(node.body, last) and tail_only(node.orelse, last)):
            return False
        if isinstance(node, (n.For, n.While)) and (node.orelse or not tail_only(node.body, True)):
            return False
    return True


def test_a_break_is_the_last_thing_that_its_trip_does() -> None:
    for seed in range(200):
        assert tail_only(unify(statements("\n".join(Writer(seed).block(3, 0))), "value", lambda base: base), False), seed


def until_large(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i] ** 2
        if total > 3:
            break
    return total


def test_trips_are_counted_and_nothing_is_saved() -> None:
    text = sourcediff.gradient_source(until_large, args=(np.ones(9),))
    assert "_saved" not in text and "reversed(range(trips))" in text




def test_what_a_loop_did_without_effect_is_not_run() -> None:
    def f(x):
        for v in x:
            if v > 3:
                break
        return np.sum(x ** 2)

    assert "for " not in sourcediff.gradient_source(f, args=(np.ones(3),)).split("return x_bar")[0].split('"""')[2]


def stores_then_raises(x, limit):
    x[0] = 0.5
    for i in range(1, len(x)):
        x[i] = x[i] * x[i - 1]
        if x[i] > limit:
            raise ArithmeticError(f"entry {i} is {x[i]}")
    return np.sum(x)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_an_exception_of_the_function_comes_through_as_it_is(mode: str) -> None:
    x = np.array([1.0, 2.0, 3.0, 4.0])
    plain = x.copy()
    with pytest.raises(ArithmeticError) as expected:
        stores_then_raises(plain, 2.0)
    with pytest.raises(ArithmeticError) as caught:
        sourcediff.grad(stores_then_raises, mode=mode)(x, 2.0)
    assert str(caught.value).splitlines()[0] == str(expected.value)  # Python 3.10 has no notes: the line is told below
    np.testing.assert_array_equal(x, plain)
    given = copied((np.array([1.0, 0.5]),))
    assert sourcediff.grad(stores_then_raises, mode=mode)(*given, 2.0)[1] == 0.5


def test_cells_of_inner_functions_are_read_when_they_are_called() -> None:
    def f(x):
        def scaled():
            return x * k
        k = 2.0
        first = scaled()
        k = 3.0
        return np.sum(first * scaled())

    np.testing.assert_allclose(sourcediff.grad(f, mode="compiled")(np.array([1.0, 2.0])), [12.0, 24.0])
