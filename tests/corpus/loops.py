"""Loops: counted, over arrays and lists, data-dependent, nested, carried values."""

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


def while_counted(s, k):
    i = 0
    while i < k:
        s = np.sin(s) + 0.1 * i
        i += 1
    return s


case(while_counted, number(0.9), count("n"))


def while_on_the_value(s):
    while s < 10:
        s = s * s + 0.5
    return s


case(while_on_the_value, number(1.1))


def while_never(s):
    y = s * 2
    while y > 1000:
        y = y / 2
    return y * s


case(while_never, number(1.1))


def newton_square_root(a):
    x = 0.5 * (1.0 + a)
    while abs(x * x - a) > 1e-12:
        x = 0.5 * (x + a / x)
    return x


case(newton_square_root, number(3.0))


def while_in_for(x):
    total = 0.0
    for i in range(len(x)):
        s = x[i] ** 2 + 0.5
        while s < 4:
            s = s * 1.7 + x[i]
        total = total + s
    return total


case(while_in_for, positive("n"))


def for_in_while(x):
    k = 0
    s = 0.5
    while k < 3:
        for value in x:
            s = np.sin(s + value * k)
        k = k + 1
    return s


case(for_in_while, array("n"))


def while_with_array(x):
    y = x
    while np.sum(y ** 2) > 0.01:
        y = y * 0.5
    return np.sum(y * x)


case(while_with_array, array("n"))


def carried_array(x, a, k):
    for _ in range(k):
        x = np.tanh(a @ x)
    return np.sum(x ** 2)


case(carried_array, array("n"), array("n n"), count("m"))


def carried_scalar_and_array(x, s):
    for i in range(3):
        s = s + np.sum(x * s) * 0.1
        x = np.sin(x) * s
    return np.sum(x) + s


case(carried_scalar_and_array, array("n"), number(0.7))


def two_carried_swapped(s, t, k):
    for _ in range(k):
        s, t = t, s + np.sin(t)
    return s * t


case(two_carried_swapped, number(0.3), number(0.8), count("n"))


def pendulum(theta, omega, dt, steps):
    for k in range(steps):
        omega = omega - dt * np.sin(theta)
        theta = theta + dt * omega
    return theta ** 2


case(pendulum, number(0.8), number(0.1), number(0.05), count("n"))


def loop_variable_read_after(x):
    for i in range(len(x) - 1):
        y = x[i] * x[i + 1]
    return y * i + x[i]


case(loop_variable_read_after, array("n"))


def loop_variable_changed_inside(x):
    total = 0.0
    for i in range(3):
        total += x[i]
        i = i + 1
        total = total * x[i]
    return total


case(loop_variable_changed_inside, array("n"))


def element_variable_changed_inside(x):
    total = 0.0
    for v in x:
        v = v * v
        v = np.sin(v) * total + v
        total = total + v
    return total


case(element_variable_changed_inside, array("n"))


def branch_in_loop(x):
    total = 0.5
    for i in range(len(x)):
        if x[i] > 0:
            total = total * (1 + x[i])
        else:
            total = total - x[i] ** 2
    return total


case(branch_in_loop, array("n"), float32=True)


def branch_on_the_carried_value(x):
    s = 0.0
    for v in x:
        if s > 0.3:
            s = s * 0.5 - v
        elif s > -0.3:
            s = np.sin(v) + s * s
        else:
            s = v * v
    return s


case(branch_on_the_carried_value, array("n"))


def branch_on_the_index(x):
    total = 1.0
    for i in range(len(x)):
        if i % 2 == 0:
            total = total * x[i]
        elif i > 2:
            total = total + x[i] ** 2
    return total


case(branch_on_the_index, array("n"))


def defined_in_the_first_trip_only(x):
    for i in range(len(x)):
        if i == 0:
            first = x[0] * 2
            total = first
        else:
            total = total + first * x[i]
    return total


case(defined_in_the_first_trip_only, array("n"))


def horner(c, s):
    p = 0.0
    for k in range(len(c)):
        p = p * s + c[len(c) - 1 - k]
    return p


case(horner, array("n"), number(0.7), float32=True)


def dynamic_program(c):
    best = c[0]
    for i in range(1, len(c)):
        best = np.minimum(best + c[i], 2 * c[i])
    return best


case(dynamic_program, array("n"))


def range_end_rebound_in_the_body(x):
    n = len(x)
    total = 0.0
    for i in range(n):
        n = 2
        total += x[i] * n * total + x[i]
    return total


case(range_end_rebound_in_the_body, array("n"))


def iterated_array_rebound_in_the_body(x):
    total = 0.0
    for v in x:
        x = x * 0.5
        total = total + v * np.sum(x)
    return total


case(iterated_array_rebound_in_the_body, array("n"))


def two_loops_in_a_row(x):
    a = 1.0
    for v in x:
        a = a * v
    for v in x:
        a = np.sin(a) + v
    return a


case(two_loops_in_a_row, array("n"))


def last_value_wins(x):
    y = 0.0
    for v in x:
        y = v * v
    return y


case(last_value_wins, array("n"))
