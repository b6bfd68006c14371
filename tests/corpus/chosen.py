"""Objects and functions of which the run tells which one is meant: by an index, a key, an order, a branch."""

import numpy as np

from .case import array, case

PAIRS, EDGES = [(0, 1, 0.2), (1, 2, 0.3)], [("a", "b"), ("b", "c")]


class Node:
    def __init__(self, a, b=1.0):
        self.a, self.b = a, b

    def distance(self, other):
        return np.sqrt((self.a - other.a) ** 2 + (self.b - other.b) ** 2 + 1)

    @property
    def total(self):
        return self.a + self.b


def nodes(x):
    return [Node(x[i], x[i] ** 2) for i in range(3)]


def objects_by_index(x):
    given = nodes(x)
    total = 0.0
    for i, j, weight in PAIRS:
        total += given[i].a * given[j].b * weight
    for i, j in np.array([[0, 1], [1, 2], [0, 2]]):
        total += given[i].distance(given[j]) ** 2 + given[j].total
    return total


case(objects_by_index, array("3"))


def objects_by_key(x):
    given = dict(zip("abc", nodes(x)))
    return sum(given[edge[0]].a * given[edge[1]].b for edge in EDGES)


case(objects_by_key, array("3"))


def largest_of_objects(x):
    given = nodes(x)
    best = max(given, key=lambda node: node.a)
    return best.b * given[int(np.argmin([node.a for node in given]))].a + min(given, key=lambda node: node.b).a


case(largest_of_objects, array("3"))


def objects_in_order(x):
    total = 0.0
    for weight, node in enumerate(sorted(nodes(x), key=lambda node: -node.a), start=1):
        total += weight * node.b
    return total


case(objects_in_order, array("3"))


def best_so_far(x):
    given = nodes(x)
    best = given[0]
    for node in given:
        if node.a > best.a:
            best = node
    return best.b


case(best_so_far, array("3"))


def chosen_before_it_is_chosen_again(x):
    one, other = Node(x[0]), Node(x[1])
    chosen = one
    if x[0] < x[1] + 1:
        chosen = other
    before, held = chosen, [chosen, 1]
    if x[2] > 0:
        chosen = one
    return before.a ** 2 + chosen.a * 3 + held[0].a * 5


case(chosen_before_it_is_chosen_again, array("3"))


def chosen_function_before_it_is_chosen_again(x):
    function = np.sin
    if x[0] > 0:
        function = np.cos
    before = function
    if x[1] > 0:
        function = np.tanh
    return np.sum(before(x)) + np.sum(function(x)) * 2


case(chosen_function_before_it_is_chosen_again, array("3"))


def rebound_by_a_later_argument(x):
    one, other = Node(x[0]), Node(x[1])
    chosen = one
    if x[0] < x[1] + 1:
        chosen = other

    def exchange():
        nonlocal chosen
        if x[2] > -100 * x[1]:
            chosen = one
        return 2.0

    def product(node, factor):
        return node.a * factor

    return product(chosen, exchange()) + chosen.a


case(rebound_by_a_later_argument, array("3"))


def changed_after_it_was_chosen(x):
    one, other = Node(x[0]), Node(x[1])
    chosen = one
    if x[0] < x[1] + 1:
        chosen = other
    one.a, other.a = x[2] * 7, x[2] ** 2
    given = [one, other]
    picked = given[int(x[0] * 0)]
    given[0] = Node(x[2])
    return chosen.a ** 2 + picked.a


case(changed_after_it_was_chosen, array("3"))


class Kernel:
    def __add__(self, other):
        return Sum(self, other)

    def __mul__(self, other):
        return Product(self, other) if isinstance(other, Kernel) else Scaled(self, other)

    __rmul__ = __mul__


class Sum(Kernel):
    def __init__(self, *terms):
        self.terms = terms

    def __call__(self, x):
        return sum(term(x) for term in self.terms)


class Product(Kernel):
    def __init__(self, one, other):
        self.one, self.other = one, other

    def __call__(self, x):
        return self.one(x) * self.other(x)


class Scaled(Kernel):
    def __init__(self, kernel, by):
        self.kernel, self.by = kernel, by

    def __call__(self, x):
        return self.by * self.kernel(x)


class Waves(Kernel):
    def __init__(self, length):
        self.length = length

    def __call__(self, x):
        return np.sin(x / self.length)


def class_by_what_is_given(x):
    parts = {"amp": np.exp(x[0]), "len": np.exp(x[1])}
    kernel = parts["amp"] * Waves(parts["len"]) * Waves(2.0) + 0.3 * Waves(10 * parts["len"])
    return np.sum(kernel(x))


case(class_by_what_is_given, array("3"))


class Row:
    def __init__(self, weights):
        self.weights = weights

    def __mul__(self, other):
        return self.weights * other

    def __rmul__(self, other):
        return self.weights * other * 3


def object_beside_a_number(x):
    row = Row(x[1:])
    return np.sum(2.0 * row) + np.sum(x[0] * row) + np.sum(row * x[0])


case(object_beside_a_number, array("3"))
