"""Twins of the kinds of functions that source transformation was first tested on (Tangent: van Merriënboer et al., NeurIPS 2018)."""

import numpy as np

from tests.corpus.case import array, number

from .kernel import kernel

A, B, C = number(1.3), number(0.7), number(-0.4)
ROWS = {"x": array("3"), "h": array("3"), "w": array("3 3"), "u": array("3 3"), "b": array("3")}


# Numbers


def overwritten(a, b):
    a = a * b
    b = a + b
    a = b * a
    return a


kernel(overwritten, a=A, b=B)


def swapped(a, b):
    a, b = b, a
    return a * a * b, b


kernel(swapped, a=A, b=B)


def saved_before_it_changes(a):
    before = a
    a = a * a
    a = a * before
    return a + before


kernel(saved_before_it_changes, a=A)


def unused_result(a):
    b = np.exp(a)
    b = np.sin(a)
    return b * a


kernel(unused_result, a=A)


def used_many_times(a):
    return a * a * a + a / (a + 2.0) - a**3


kernel(used_many_times, a=A)


def unary_operators(a, b):
    return -a * +b - -(a - b)


kernel(unary_operators, a=A, b=B)


def tuple_given(abc):
    a, b, c = abc
    return a * b - c**2


kernel(tuple_given, abc=(A, B, C))


def tuple_packed_and_unpacked(a, b):
    pair = a * b, a + b
    first, (second, third) = pair[1], (pair[0], b)
    return first * second + third


kernel(tuple_packed_and_unpacked, a=A, b=B)


def dictionary_given(values):
    return values["a"] * values["b"] + np.tanh(values["c"])


kernel(dictionary_given, values={"a": A, "b": B, "c": C})


def dictionary_in_a_dictionary(p):
    return p["outer"]["one"] * p["outer"]["other"] ** 2


kernel(dictionary_in_a_dictionary, p={"outer": {"one": A, "other": B}})


# Calls


def squared(value):
    return value * value


def called_twice(a):
    return squared(squared(a)) + squared(a)


kernel(called_twice, a=A)


def inner_function(a, n):
    def step(y):
        return a * y

    y = a
    for _ in range(n):
        y = step(y)
    return y


kernel(inner_function, a=B, n=3)


def several_results(a, b):
    def both(one, other):
        return one * other, one + other

    product, total = both(a, b)
    return product * total


kernel(several_results, a=A, b=B)


# Branches


def branch_on_a_value(a, b):
    if a > b:
        c = a * b
    else:
        c = a + b
    return c * a


kernel(branch_on_a_value, a=A, b=B)


def chain_of_branches(a):
    if a < 0.0:
        b = -a
    elif a < 1.0:
        b = a * a
    elif a < 2.0:
        b = a**3
    else:
        b = 1.0
    return b * a


kernel(chain_of_branches, a=A)


def returned_from_a_branch(a, b):
    if a * b > 0.5:
        return a / b
    return a * b


kernel(returned_from_a_branch, a=A, b=B)


def conditional_expression(a, b):
    return (a if a > b else b) * (b if b > 0 else 2.0)


kernel(conditional_expression, a=A, b=B)


def both_conditions(a, b):
    if a > 0.0 and b > 0.0 or a < -2.0:
        a = a * b
    if not a > 10.0:
        a = a + b**2
    return a


kernel(both_conditions, a=A, b=B)


# Loops


def power_by_products(a, n):
    result = 1.0
    for _ in range(n):
        result = result * a
    return result


kernel(power_by_products, a=A, n=4)


def nested_loops(a, n):
    for i in range(n):
        for j in range(i + 1):
            a = a + 0.1 * a * np.sin(a) / (j + 1)
    return a


kernel(nested_loops, a=A, n=3)


def loops_in_a_row(a, n):
    for _ in range(n):
        a = a * 0.9
    for i in range(n):
        a = a + i * a
    return a


kernel(loops_in_a_row, a=B, n=3)


def while_it_is_small(a):
    trips = 0
    while a < 3.0:
        a = a * a + 0.5
        trips += 1
    return a / trips


kernel(while_it_is_small, a=A)


def branch_in_a_loop(a, b, n):
    for i in range(n):
        if i % 2 == 0:
            a = a * b
        else:
            b = a + b
    return a * b


kernel(branch_in_a_loop, a=A, b=B, n=3)


def loop_in_a_branch(a, n):
    if n > 2:
        for _ in range(n):
            a = np.cos(a)
    else:
        a = 2.0 * a
    return a


kernel(loop_in_a_branch, a=A, n=4)


def dead_loop(a, n):
    b = a
    for _ in range(n):
        b = b * a
    return a + 1.0


kernel(dead_loop, a=A, n=3)


def list_comprehension(a):
    return sum([v * v for v in a]) + np.sum(np.array([np.exp(v) for v in a]))


kernel(list_comprehension, a=array("3"))


# Arrays


def entries(x, i):
    return x[i] * x[0] + x[-1] ** 2


kernel(entries, x=array("4"), i=1)


def entries_stored(x):
    y = np.zeros_like(x)
    for i in range(len(x)):
        y[i] = x[i] * x[len(x) - 1 - i]
    y[0] = y[1]
    return y


kernel(entries_stored, x=array("4"))


def augmented(x, a):
    x = x * 1.0
    x[1:] += a * x[:-1]
    x *= a
    x[0] -= np.sum(x)
    return x


kernel(augmented, x=array("4"), a=A)


def reductions(x):
    return np.mean(x, axis=0) * np.sum(x, axis=0) + np.max(x, axis=0) - np.min(x), np.sum(x, axis=(0, 1), keepdims=True)


kernel(reductions, x=array("3 3"))


def broadcast(x, b):
    return np.add(x, b) * np.multiply(b, 2.0) / (1.0 + np.square(x)), np.tile(b, 2), np.reshape(x, (-1,))


kernel(broadcast, x=array("2 3"), b=array("3"))


def logistic_regression(input, label, w, b):
    prediction = 1.0 / (1.0 + np.exp(-np.dot(input, w) - b))
    return -np.sum(label * np.log(prediction) + (1.0 - label) * np.log(1.0 - prediction))


kernel(logistic_regression, input=array("1 3"), label=np.array([[1.0, 0.0, 1.0]]), w=array("3 3"), b=array("3"))


def bilinear(x, h, u, w, b):
    return np.tanh(np.dot(u, x) * np.dot(w, h) + b)


kernel(bilinear, **ROWS)


def recurrent(inputs, w, u, b):
    state = np.zeros(3)
    for i in range(len(inputs)):
        state = np.tanh(np.dot(w, state) + np.dot(u, inputs[i]) + b)
    return state


kernel(recurrent, inputs=array("3 3"), w=array("3 3"), u=array("3 3"), b=array("3"))
