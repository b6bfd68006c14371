"""Calls of functions that cannot be read, which have rules of their own (``tests/opaque.py``)."""

import numpy as np

from tests import opaque
from tests.opaque import bilinear, conditioned, drag, energy, erf, root_mean_square, simulated, smoothed

from .case import array, case, count, definite, number, numpy_number, positive


def in_c(x):
    return np.sum(erf(x) * x)


case(in_c, array("n"), units=True)


def in_c_of_a_matrix(x):
    return in_c(x)


case(in_c_of_a_matrix, array("n m"))


def in_c_of_an_array_without_dimensions(x):
    return in_c(x)


case(in_c_of_an_array_without_dimensions, array(""))


def of_a_number(x):
    return erf(erf(x) + x)


case(of_a_number, number(0.4))


def of_a_numpy_number(x):
    return of_a_number(x)


case(of_a_numpy_number, numpy_number(-0.7))


def by_its_module(x):
    return np.sum(opaque.erf(2.0 * x))


case(by_its_module, array("n"), float32=True)


def broadcast(v, k):
    return np.sum(drag(v, k) * v)


case(broadcast, positive("n m"), number(0.3), float32=True)


def broadcast_rows(v, k):
    return broadcast(v, k)


case(broadcast_rows, positive("n m"), positive("m"), units=True)


def broadcast_both(v, k):
    return broadcast(v, k)


case(broadcast_both, positive("n 1"), positive("1 m"), float32=True)


def numbers_alone(v, k):
    return broadcast(v, k)


case(numbers_alone, number(2.0), number(0.4))


def by_keyword(v, k):
    return np.sum(drag(v, k=k, power=3)) + np.sum(drag(v, power=2))


case(by_keyword, positive("n"), number(0.3))


def falling(v, k, steps):
    distance = np.sum(v)
    for _ in range(steps):
        v = v - 0.1 * drag(v, k)
        distance = distance + np.sum(v)
    return distance


case(falling, positive("n"), number(0.3), count("n"))


def not_falling(v, k, steps):
    return falling(v, k, steps)


case(not_falling, positive("n"), number(0.3), 0)


def falling_in_place(v, k, steps):
    v = v.copy()
    for i in range(steps):
        v[1:] -= 0.1 * drag(v[1:], k)
        v[0] = drag(v[0] + v[1], k, power=1)
    return np.sum(v ** 2)


case(falling_in_place, positive("n"), number(0.3), count("n"))


def not_falling_in_place(v, k, steps):
    return falling_in_place(v, k, steps)


case(not_falling_in_place, positive("n"), number(0.3), 0)


def stored_row_by_row(x, k):
    out = np.zeros_like(x)
    for i in range(len(x)):
        if x[i, 0] > 0:
            out[i] = smoothed(x[i], 1)
        else:
            out[i] = drag(x[i], k)
    return np.sum(out * x)


case(stored_row_by_row, array("n 4"), number(0.6))


def under_a_branch(x, k):
    if k > 0:
        y = erf(x)
    else:
        y = x
    return np.sum(y * y)


case(under_a_branch, array("n"), number(0.5))


def under_the_other_branch(x, k):
    return under_a_branch(x, k)


case(under_the_other_branch, array("n"), number(-0.5))


def while_it_falls(v):
    trips = 1
    while v > 0.5:
        v = v - drag(v, 0.3)
        trips += 1
    return v * trips


case(while_it_falls, number(2.0))


def while_it_does_not_fall(v):
    return while_it_falls(v)


case(while_it_does_not_fall, number(0.4))


def whole_reduction(x, y):
    return energy(x) * energy(x * y)


case(whole_reduction, array("n"), array("n"))


def reduction_by_axes(x):
    return root_mean_square(x) + np.sum(root_mean_square(x, axis=0) ** 3) + np.sum(root_mean_square(x, axis=1))


case(reduction_by_axes, array("n m"), float32=True)


def linear(x, w):
    return np.sum(smoothed(w * x, 2) * smoothed(x, 1))


case(linear, array("7"), array("7"))


def linear_scaled(x, w):
    return linear(x, w)


case(linear_scaled, array("7"), number(0.5))


def products(a, m, b):
    return bilinear(a, m, b) * bilinear(b, m, b)


case(products, array("n"), array("n n"), array("n"))


def several_results(a, b):
    x, length, steps = conditioned(a, b)
    return np.sum(x ** 3) * length + steps


case(several_results, definite("n"), array("n"))


def one_of_several(a, b):
    solution = conditioned(a, b)
    return np.sum(solution[0])


case(one_of_several, definite("n"), array("n"))


def unused_results(a, b):
    _, length, _ = conditioned(a, b)
    for _ in range(2):
        b = b / length
        length = conditioned(a, b)[1]
    return length


case(unused_results, definite("n"), array("n"))


def another_program(x, k):
    for _ in range(2):
        x = simulated(x, k)
    return np.sum(x)


case(another_program, positive("n"), number(0.4))


def constants(x):
    sign = opaque.label(x)
    return np.sum(x * x) * sign if sign else np.sum(x)


case(constants, array("n"))


def changed_after(x):
    y = erf(x)
    y += x
    y[0] = 2.0 * y[1]
    return np.sum(y * y)


case(changed_after, array("n"), may_refuse=True)
