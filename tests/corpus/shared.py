"""Attributes of objects and variables of outer functions, which several functions bind, change and read."""

import numpy as np

from .case import array, case


def squared(v):
    return v ** 2


def cubed(v):
    return v ** 3


class Record:
    def __init__(self, x):
        self.items, self.sums = [], []
        for v in x:
            self.items.append(v * v)
            self.sums.append(v + self.items[0])
        self.items = np.cumsum(self.items)
        self.sums = np.array(self.sums)

    def total(self):
        return np.sum(self.items) * self.sums


def lists_that_become_arrays(x):
    record = Record(x)
    return record.total()[1] * record.items.sum()


case(lists_that_become_arrays, array("3"))


def variable_that_becomes_an_array_in_an_inner_function(x):
    found = []

    def run():
        nonlocal found
        for v in x:
            found.append(v * v)
        found = np.cumsum(found)

    run()
    return found[-1] * found[1]


case(variable_that_becomes_an_array_in_an_inner_function, array("3"))


class State:
    def __init__(self, x):
        self.now = {"a": x[0], "b": x[1]}
        self.pair = [x[0], x[1]]

    def reset(self, v):
        self.now = {"a": v}
        self.now["b"] = v * v
        self.pair = [v, v]
        self.pair[1] = v * v

    def product(self):
        return self.now["a"] * self.now["b"] + self.pair[0] * self.pair[1]


def entries_that_are_bound_anew(x):
    state = State(x)
    y = state.product()
    state.reset(x[2])
    return y + state.product()


case(entries_that_are_bound_anew, array("3"))


class Layer:
    def __init__(self, x):
        self.weights = {"w": x[:2]}
        self.weights["w"] = self.weights["w"] * 2.0
        self.weights["b"] = x[1] ** 2

    def step(self):
        self.weights["w"] = self.weights["w"] * self.weights["b"]


def entries_that_are_stored_where_the_object_is_made(x):
    layer = Layer(x)
    for _ in range(3):
        layer.step()
    return np.sum(layer.weights["w"])


case(entries_that_are_stored_where_the_object_is_made, array("3"))


def variable_of_entries_that_is_bound_anew(x):
    state = {"a": x[0], "b": x[1]}

    def reset(v):
        nonlocal state
        state = {"a": v}
        state["b"] = v * v

    reset(x[2])
    return state["a"] * state["b"]


case(variable_of_entries_that_is_bound_anew, array("3"))


class Halves:
    def __init__(self, x):
        self.whole = np.sin(x)
        self.parts = [self.whole[:2], self.whole[2:]]

    def grow(self):
        self.whole = self.whole * 3.0

    def run(self):
        parts = [self.whole[:2], self.whole[2:]]
        self.grow()
        return parts[0][1] * parts[1][0] + np.sum(self.whole) * self.parts[0][0]


def views_of_what_is_bound_anew(x):
    return Halves(x).run()


case(views_of_what_is_bound_anew, array("3"))


def list_of_views_that_is_bound_anew(x):
    parts = [x[:1], x[1:]]

    def reset():
        nonlocal parts
        w = np.sin(x)
        parts = [w[:2], w[2:]]

    reset()
    return parts[0][0] * parts[1][0]


case(list_of_views_that_is_bound_anew, array("3"))


def views_of_a_variable_that_is_bound_anew(x):
    u = x

    def grow():
        nonlocal u
        u = u * 3.0

    def run():
        parts = [u[:2], u[2:]]
        grow()
        return parts[0][1] * parts[1][0] + np.sum(u)

    return run()


case(views_of_a_variable_that_is_bound_anew, array("3"))


class Ordered:
    def __init__(self):
        self.items = []

    def add(self, v):
        self.items.append(v)

    def order(self):
        self.items.sort()


def list_that_a_method_sorts(x):
    ordered = Ordered()
    for v in x:
        ordered.add(np.sin(3.0 * v))
    ordered.order()
    return ordered.items[0] * ordered.items[2] ** 2


case(list_that_a_method_sorts, array("3"))


def list_that_an_inner_function_sorts(x):
    items = []

    def add(v):
        items.append(v)

    def order():
        items.sort()

    for v in x:
        add(np.sin(3.0 * v))
    order()
    return items[0] * items[2] ** 2


case(list_that_an_inner_function_sorts, array("3"))


def lists_and_arrays_that_an_inner_function_sorts(x):
    def order(items):
        items.sort()

    items = [2.0 * v for v in x]
    order(items)
    sines = np.sin(3.0 * x)
    order(sines)
    return items[0] * items[2] ** 2 * sines[0]


case(lists_and_arrays_that_an_inner_function_sorts, array("3"))


class Switch:
    def __init__(self):
        self.act, self.own = np.sin, squared

    def turn(self, v):
        y = self.act(v) * self.own(v)
        self.act, self.own = np.cos, cubed
        return y


def functions_that_are_exchanged(x):
    switch = Switch()
    kept = switch.act
    y = switch.turn(x[0]) * kept(x[2])
    for v in x:
        y = y * switch.act(switch.own(v))
    return y


case(functions_that_are_exchanged, array("3"))


class Lazy:
    def __init__(self):
        self.act = None
        self.rows = None

    def __call__(self, v, x):
        if self.act is None:
            self.act = np.tanh
            self.rows = [x[0], x[1]]
        return self.act(v) * sum(self.rows + [v])


def attributes_that_come_later(x):
    lazy = Lazy()
    return lazy(x[0], x) * lazy(x[1], x)


case(attributes_that_come_later, array("3"))
