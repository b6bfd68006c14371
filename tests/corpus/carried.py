"""What a loop carries from trip to trip, and what happens to its own names."""

import numpy as np

from .case import array, case, count, number


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


def scalar_that_becomes_an_array(a):
    total = 0.0
    for row in a:
        total = total * 0.5 + row
    return np.sum(total ** 2)


case(scalar_that_becomes_an_array, array("m n"))


def number_updated_by_arrays(a):
    total = 0
    for row in a:
        total += row ** 2
    return np.sum(total * a[0])


case(number_updated_by_arrays, array("m n"))


def none_that_becomes_an_array(xs):
    h = None
    for x in xs:
        if h is None:
            h = x * 2
        else:
            h = np.tanh(h + x)
    return np.sum(h)


case(none_that_becomes_an_array, array("m n"))


def array_that_grows(x):
    y = np.zeros(0)
    for i in range(3):
        y = np.concatenate((y, x * i, y ** 2))
    return np.sum(np.sin(y))


case(array_that_grows, array("m"))


def array_that_shrinks(x):
    y = x
    while len(y) > 1:
        y = y[1:] * y[:-1] + 1
    return y[0]


case(array_that_shrinks, array("n"))


def empty_vector(x, s):
    total = s
    for v in x:
        total = total * v
    for i in range(len(x)):
        total = total + x[i] * s
    return total


case(empty_vector, array("0"), number(0.7))


def empty_matrix(a, h):
    for row in a:
        h = np.tanh(row * h)
    for row in a.T:
        h = h + np.sum(row)
    return np.sum(h ** 2)


case(empty_matrix, array("0 n"), array("n"))


def only_zero_trips_see_the_input(x, s, k):
    total = s * 2
    while k > 100:
        total = total * np.sum(x)
        k = k - 1
    return total


case(only_zero_trips_see_the_input, array("n"), number(0.7), count("n"))


def index_from_the_data(x):
    total = 0.0
    i = 0
    for _ in range(4):
        total = total + x[i] ** 2 * (i + 1)
        i = int(np.argmax(x[1:])) if i == 0 else (i + 1) % len(x)
    return total


case(index_from_the_data, array("n"))


def added_whole_after_a_loop(x):
    b = 2 * x
    y = x * 1
    for q in range(2):
        y[q] = y[q] * x[q]
    y += b
    return np.sum((y * x) ** 2)


case(added_whole_after_a_loop, array("n"))


def added_whole_between_loops(x):
    b, c = 2 * x, x ** 2
    y = np.full_like(x, 1.0)
    for q in reversed(range(2)):
        y[q] = y[q] * x[q]
    y += b
    if x[0] > -10:
        y += c
    for q in range(2):
        c[q] *= b[q]
        y[q] = y[q] * c[q]
    y += c
    v = y * x
    v += y
    return np.sum(v * b)


case(added_whole_between_loops, array("n"))
