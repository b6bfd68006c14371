"""Loops over ranges, arrays and lists, alone and nested."""

import numpy as np

from .case import array, case, count, number, positive


def accumulate(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i] ** 2
    return total


case(accumulate, array("n"), float32=True)


def accumulator_that_starts_with_the_input(x, s):
    total = s
    for i in range(len(x)):
        total = total + total * x[i]
    return total


case(accumulator_that_starts_with_the_input, array("n"), number(0.8))


def accumulator_that_starts_non_zero(x):
    total = np.sum(x)
    for i in range(len(x)):
        total *= x[i]
    return total


case(accumulator_that_starts_non_zero, positive("n"))


def power_by_loop(s, k):
    p = 1.0
    for _ in range(k):
        p = p * s
    return p


case(power_by_loop, number(1.3), count("n"))


def zero_trips(x, k):
    total = np.sum(x)
    for i in range(k):
        total = total * x[i]
    return total


case(zero_trips, array("n"), 0)


def zero_trips_of_a_gradient(x):
    total = 0.0
    for i in range(0):
        total += x[i]
    return total


case(zero_trips_of_a_gradient, array("n"))


def range_with_start_and_step(x):
    total = 0.0
    for i in range(1, len(x), 2):
        total += x[i] * x[i - 1]
    return total


case(range_with_start_and_step, array("n"))


def range_downwards(x):
    y = 0.0
    for i in range(len(x) - 1, -1, -1):
        y = y * 0.5 + x[i] ** 2
    return y


case(range_downwards, array("n"))


def range_downwards_by_two(x):
    y = 1.0
    for i in range(len(x) - 1, 0, -2):
        y = y * x[i] + np.sin(y)
    return y


case(range_downwards_by_two, array("n"))


def nested_loops(a):
    total = 0.0
    for i in range(a.shape[0]):
        row = 1.0
        for j in range(a.shape[1]):
            row = row * a[i, j]
        total = total + row
    return total


case(nested_loops, array("m n"))


def inner_bound_depends_on_outer(x):
    total = 0.0
    for i in range(len(x)):
        for j in range(i):
            total += x[i] * x[j] ** 2
    return total


case(inner_bound_depends_on_outer, array("n"))


def inner_bound_changes_in_the_loop(x):
    total = 0.0
    k = 1
    for i in range(3):
        for j in range(k):
            total = total + total * x[j] + x[i]
        k = k + 1
    return total


case(inner_bound_changes_in_the_loop, array("n"))


def triple_nest(x):
    s = 0.5
    for i in range(2):
        for j in range(i, 3):
            for k in range(j):
                s = np.sin(s * x[k] + x[i] * x[j])
    return s


case(triple_nest, array("n"))


def enumerated(x):
    total = 0.0
    for i, value in enumerate(x):
        total += i * value ** 2
    return total


case(enumerated, array("n"))


def enumerated_from_one(x):
    total = 1.0
    for i, value in enumerate(x, 1):
        total = total * np.sin(i * value)
    return total


case(enumerated_from_one, array("n"))


def zipped(x, y):
    total = 0.0
    for u, v in zip(x, y):
        total = total + u * v + total * u
    return total


case(zipped, array("n"), array("n"), float32=True)


def zipped_unequal(x, y):
    total = 0.0
    for u, v in zip(x, y):
        total += u * v ** 2
    return total


case(zipped_unequal, array("n"), array("m"))


def enumerated_zip(x, y):
    total = 0.0
    for i, (u, v) in enumerate(zip(x, y)):
        total += (i + 1) * u * np.sin(v)
    return total


case(enumerated_zip, array("n"), array("n"))


def rows(a, h):
    for row in a:
        h = np.tanh(row * h + row)
    return np.sum(h)


case(rows, array("m n"), array("n"), float32=True)


def elements(x):
    p = 1.0
    for value in x:
        p *= value + 2
    return p


case(elements, array("n"))


def list_of_arrays(layers, x):
    for w in layers:
        x = np.tanh(w @ x)
    return np.sum(x)


case(list_of_arrays, [array("3 n"), array("4 3"), array("2 4")], array("n"))


def list_of_constants(x):
    y = 0.0
    for power in [1, 2, 3]:
        y = y + np.sum(x ** power) * power
    return y


case(list_of_constants, array("n"))


def rows_in_two_levels(a):
    total = 0.0
    for row in a:
        for value in row:
            total = total * 0.5 + value ** 2
    return total


case(rows_in_two_levels, array("m n"))
