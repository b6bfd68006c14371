"""Trees that are given: a method that goes through the nodes stays a call, and the nodes are asked as the text asks them."""

from __future__ import annotations

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError

X = np.arange(1.0, 6.0) / 3


class Node:
    def __init__(self, name=None, children=(), index=None):
        self.name, self.children, self.index, self.w = name, list(children), index, 1.0

    def is_tip(self):
        return not self.children

    @property
    def degree(self):
        return len(self.children)

    def postorder(self):
        for child in self.children:
            yield from child.postorder()
        yield self

    def counted(self):
        self.w += 1
        for child in self.children:
            yield from child.counted()
        yield self

    def mark(self):
        self.index = 0


def tree():
    a, b, c = (Node(name, index=k) for k, name in enumerate("abc"))
    return Node(None, [Node(None, [a, b], 3), c], 4)


def pruned(x, root):
    part, tips = {}, {"a": 1.0, "b": 2.0, "c": 3.0}
    for node in root.postorder():
        if node.is_tip():
            part[node.index] = tips[node.name] * x[node.index]
            continue
        acc = 1.0
        for child in node.children:
            acc = acc * (part[child.index] + x[child.index] * node.degree)
        part[node.index] = acc
    return part[root.index]


def in_order(root):
    return list(root.postorder())


def pruned_in_a_list(x, root):
    total = 0.0
    for k, node in enumerate(in_order(root)):
        total = total + x[node.index] ** k
    for node in in_order(root):
        total = total * x[node.index]
    return total


def by_next(x, root):
    walk = root.postorder()
    total = x[next(walk).index]
    for node in walk:
        total = total * x[node.index]
    return total


def used_up(x, root):
    walk, total = root.postorder(), 0.0
    for node in walk:
        total = total + x[node.index]
    for node in walk:
        total = total * x[node.index]
    return total


def counted_and_summed(x, root):
    return x[0] * sum(1 for _ in root.postorder()) + sum(x[node.index] for node in root.postorder() if node.is_tip())


def sorted_nodes(x, root):
    return sum(x[node.index] * k for k, node in enumerate(sorted(root.postorder(), key=lambda node: -node.index)))


def values_by_node(x, root):
    values = {}
    for node in root.postorder():
        values[node] = x[node.index] + sum(values[child] for child in node.children) * x[0]
    return values[root]


def nodes_change(x, root):
    total = 0.0
    for node in root.postorder():
        node.index = 4 - node.index
        total = total + x[node.index] * node.index
    return total * x[root.index]


def nodes_are_marked(x, root):
    total = 0.0
    for node in root.postorder():
        node.mark()
        total = total + x[node.index]
    return total * x[root.index]


def nodes_hold_what_is_differentiated(x, root):
    for node in root.postorder():
        node.w = x[node.index] ** 2
    return root.w * root.children[0].w


def a_walk_that_counts(x, root):
    total = 0.0
    for node in root.counted():
        total = total + x[node.index] * node.w
    return total * root.w


def the_root_loses_a_child(x, root):
    total = 0.0
    for node in root.postorder():
        total = total + x[node.index] * len(root.children)
        if node.index == 3:
            root.children.pop()
    return total


def by_differences(program):
    return np.array([(program(X + d, tree()) - program(X - d, tree())) / 2e-6 for d in 1e-6 * np.eye(len(X))])


@pytest.mark.parametrize("program", [
    pruned, pruned_in_a_list, by_next, used_up, counted_and_summed, sorted_nodes, values_by_node,
])
def test_it_is_compiled(program):
    root = tree()
    value, slopes = sourcediff.value_and_grad(program, mode="compiled")(X, root)
    assert value == pytest.approx(program(X, tree()), rel=1e-12)
    np.testing.assert_allclose(slopes, by_differences(program), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("program", [pruned_in_a_list, by_next, used_up, counted_and_summed, sorted_nodes, values_by_node])
def test_another_tree_has_its_own_gradient(program):
    gradient, other = sourcediff.grad(program, mode="compiled"), tree()
    gradient(X, tree())
    other.children.append(Node("d", index=1))
    del other.children[0].children[0]
    expected = [(program(X + d, other) - program(X - d, other)) / 2e-6 for d in 1e-6 * np.eye(len(X))]
    np.testing.assert_allclose(gradient(X, other), expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("program", [
    nodes_change, nodes_are_marked, nodes_hold_what_is_differentiated, a_walk_that_counts, the_root_loses_a_child,
])
def test_it_is_refused(program):
    with pytest.raises(SourcediffError):
        sourcediff.grad(program, mode="compiled")(X, tree())
