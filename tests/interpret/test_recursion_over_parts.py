"""Functions that call themselves with the parts of an argument: nested dicts and lists of parameters, trees of objects, expressions."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import FallbackWarning, SourcediffError

RNG = np.random.default_rng(3)
X = 0.8


class Node:
    def __init__(self, name, w, left=None, right=None):
        self.name, self.w, self.left, self.right = name, w, left, right


class Tree:
    def __init__(self, w, kids=()):
        self.w, self.kids = w, list(kids)


class Expression:
    def __init__(self, op, *args):
        self.op, self.args = op, args

    def __call__(self, env):
        if self.op == "variable":
            return env[self.args[0]]
        if self.op == "constant":
            return self.args[0]
        values = [arg(env) for arg in self.args]
        return {"add": lambda u, v: u + v, "multiply": lambda u, v: u * v, "sin": np.sin}[self.op](*values)


def squares(tree):
    if isinstance(tree, dict):
        return sum(squares(v) for v in tree.values())
    if isinstance(tree, (list, tuple)):
        return sum(map(squares, tree))
    return np.sum(np.square(tree))


def mapped(function, tree):
    if isinstance(tree, dict):
        return {k: mapped(function, v) for k, v in tree.items()}
    return function(tree)


def stepped(tree, slope, rate):
    if isinstance(tree, dict):
        return {k: stepped(tree[k], slope[k], rate) for k in tree}
    return tree - rate * slope


def leaves(tree):
    if isinstance(tree, dict):
        for key in sorted(tree):
            yield from leaves(tree[key])
    else:
        yield tree


def scaled_in_place(tree, s):
    for v in tree.values():
        if isinstance(v, dict):
            scaled_in_place(v, s)
        else:
            v *= s


def decay(p, x):
    return squares(p) * x


def step(p, x):
    return squares(stepped(p, mapped(np.sin, p), x))


def weighted(p, x):
    return sum(np.sum(leaf) * x ** i for i, leaf in enumerate(leaves(p)))


def in_place(p, x):
    scaled_in_place(p, x)
    return squares(p)


def value_of(node, x):
    if node is None:
        return 1.0
    return np.tanh(node.w * x + value_of(node.left, x) * value_of(node.right, x))


def up(tree, x):
    if not tree.kids:
        return tree.w * x
    return np.sin(tree.w + sum(up(kid, x) for kid in tree.kids))


def grow(tree, x):
    tree.w = tree.w * x
    for kid in tree.kids:
        grow(kid, x)


def grown(tree, x):
    tree = copy.deepcopy(tree)
    grow(tree, x)
    return up(tree, x)


def named(node, x):
    found = {}

    def visit(at, x):
        found[at.name] = at.w * x
        for below in (at.left, at.right):
            if below is not None:
                visit(below, x * 0.9)

    visit(node, x)
    return sum(v ** 2 for v in found.values())


def expression(tree, x):
    return tree({"x": x, "y": x ** 2})


NESTED = {"a": RNG.normal(size=3), "l": {"W": RNG.normal(size=(2, 3)), "b": RNG.normal(size=2)}}
LAYERS = {"a": RNG.normal(size=3), "t": (RNG.normal(size=2),),
          "l": [{"W": RNG.normal(size=(2, 3)), "b": RNG.normal(size=2)} for _ in range(3)]}
BINARY = Node("r", 0.5, Node("a", 0.3), Node("b", 0.2, Node("c", 0.7, Node("d", 0.4)), None))
KIDS = Tree(0.5, [Tree(0.2), Tree(0.3, [Tree(0.4), Tree(0.6)]), Tree(0.1)])
SUM = Expression("add", Expression("multiply", Expression("variable", "x"), Expression("constant", 2.5)),
                 Expression("sin", Expression("multiply", Expression("variable", "y"), Expression("variable", "x"))))


def along(function, argument, x, step=1e-6):
    """The value, and the derivative by x, of the plain function; of the argument all numbers are moved at once."""

    def moved(part, by):
        if isinstance(part, np.ndarray):
            part += by
        elif isinstance(part, (dict, list, tuple)):
            for key in part if isinstance(part, dict) else range(len(part)):
                if not isinstance(part[key], float):
                    moved(part[key], by)
        elif hasattr(part, "__dict__"):
            for key in vars(part):
                if isinstance(vars(part)[key], float):
                    setattr(part, key, vars(part)[key] + by)
                else:
                    moved(vars(part)[key], by)

    def at(by, x):
        there = copy.deepcopy(argument)
        moved(there, by)
        return function(there, x)

    return at(0, x), (at(step, x) - at(-step, x)) / 2 / step, (at(0, x + step) - at(0, x - step)) / 2 / step


def total(gradient):
    """The sum of all numbers of a gradient."""
    if isinstance(gradient, (dict, list, tuple)):
        return sum(map(total, gradient.values() if isinstance(gradient, dict) else gradient))
    if isinstance(gradient, (float, np.ndarray)):
        return np.sum(gradient)
    return sum(map(total, vars(gradient).values())) if hasattr(gradient, "__dict__") else 0.0


@pytest.mark.parametrize("function, argument", [
    (decay, NESTED), (decay, LAYERS), (step, NESTED), (weighted, NESTED), (in_place, NESTED), (value_of, BINARY), (named, BINARY),
    (up, KIDS), (grown, KIDS),
], ids=lambda part: getattr(part, "__name__", ""))
def test_parts_of_an_argument(function, argument):
    value, slope, by_x = along(function, argument, X)
    got, (gradient, g) = sourcediff.value_and_grad(function, wrt=(0, 1), mode="compiled")(copy.deepcopy(argument), X)
    np.testing.assert_allclose([got, total(gradient), g], [value, slope, by_x], rtol=1e-6)


def test_an_expression_of_objects():
    value, g = sourcediff.value_and_grad(expression, wrt=1, mode="compiled")(SUM, X)
    np.testing.assert_allclose([value, g], [2.5 * X + np.sin(X ** 3), 2.5 + 3 * X ** 2 * np.cos(X ** 3)])


def test_each_form_has_a_text_of_its_own():
    along_x = sourcediff.grad(value_of, wrt=1, mode="compiled")
    for tree in (BINARY, Node("r", 0.5), BINARY, Node("r", 0.5, None, Node("c", 0.7)), BINARY.right, Node("r", 0.2, BINARY)):
        np.testing.assert_allclose(along_x(tree, X), along(value_of, tree, X)[2], rtol=1e-6)
    by_name = sourcediff.grad(named, wrt=1, mode="compiled")
    for name in ("b", "c"):  # two nodes of one name: the last one counts
        tree = Node("r", 0.5, Node(name, 0.3), Node("b", 0.2))
        np.testing.assert_allclose(by_name(tree, X), along(named, tree, X)[2], rtol=1e-6)


def test_a_chain_that_is_too_deep_is_right_or_refused():
    chain = None
    for k in range(9):
        chain = Node(str(k), 0.1 * k, chain)
    try:
        got = sourcediff.grad(value_of, wrt=1, mode="compiled")(chain, X)
    except SourcediffError:
        with pytest.warns(FallbackWarning):
            got = sourcediff.grad(value_of, wrt=1)(chain, X)
    np.testing.assert_allclose(got, along(value_of, chain, X)[2], rtol=1e-6)
