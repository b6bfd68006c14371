"""Two names for one memory. Refusing is allowed here, where ``may_refuse`` says so; a wrong number never is."""

import numpy as np

from .case import array, case, number


def another_name_updated(x):
    y = x
    y += 1
    return np.sum(x * y)


case(another_name_updated, array("n"))


def another_name_of_a_scalar_updated(s):
    t = s
    t += 1
    return s * t


case(another_name_of_a_scalar_updated, number(1.4))


def another_name_stored_into(x):
    b = x * 2
    c = b
    c[0] = 5.0 * c[1]
    return np.sum(b ** 2)


case(another_name_stored_into, array("n"))


def view_changed_through_its_base(x):
    b = x * 2
    v = b[1:3]
    b[1] = b[0] * 3
    return np.sum(v ** 2)


case(view_changed_through_its_base, array("n"))


def base_changed_through_a_view(x):
    b = x * 2
    v = b[1:3]
    v[0] = x[0] ** 2
    v *= 3
    return np.sum(b ** 2)


case(base_changed_through_a_view, array("n"))


def view_of_a_view(x):
    b = x * 1.0
    v = b[1:]
    w = v[::2]
    w *= x[0]
    b += v[0]
    return np.sum(w * v[:len(w)]) + np.sum(b)


case(view_of_a_view, array("n"))


def row_view(a):
    b = a * 1.0
    row = b[1]
    row[0] = 7.0
    row += b[0]
    return np.sum(b ** 2)


case(row_view, array("m n"))


def transposed_view(a):
    b = a * 1.0
    t = b.T
    t[0] *= 2
    b[0] *= t[1, 0]
    return np.sum(t ** 2)


case(transposed_view, array("m n"))


def reshaped_view(a):
    b = a * 1.0
    flat = b.reshape(-1)
    flat[1] = flat[0] * flat[2]
    return np.sum(b ** 2)


case(reshaped_view, array("m n"))


def rows_changed_while_iterated(a):
    b = a * 1.0
    for row in b:
        row *= row[0]
    return np.sum(b ** 2)


case(rows_changed_while_iterated, array("m n"))


def row_iterated_and_base_changed(a):
    b = a * 1.0
    total = 0.0
    for i, row in enumerate(b):
        b[i] = row * row
        total = total + np.sum(row)
    return total


case(row_iterated_and_base_changed, array("m n"))


def accumulator_that_is_a_row(a):
    total = a[0]
    for i in range(1, len(a)):
        total += a[i] ** 2
    return np.sum(total * a[0])


case(accumulator_that_is_a_row, array("m n"))


def accumulator_that_is_an_element(x):
    total = x[0]
    for i in range(1, len(x)):
        total += x[i] ** 2
    return total * x[0]


case(accumulator_that_is_an_element, array("n"))


def argument_or_copy(x, s):
    if s > 0:
        y = x
    else:
        y = x.copy()
    y *= s
    return np.sum(x * y)


case(argument_or_copy, array("n"), number(0.6))


def argument_or_the_copy(x, s):
    if s > 0:
        y = x
    else:
        y = x.copy()
    y *= s
    return np.sum(x * y)


case(argument_or_the_copy, array("n"), number(-0.6))


def asarray_is_the_argument(x):
    y = np.asarray(x)
    y[0] = y[1] ** 2
    return np.sum(x * y)


case(asarray_is_the_argument, array("n"))


def name_rebound_before_the_store(x):
    y = x
    y = y * 2
    y[0] = x[1] ** 2
    return np.sum(x * y)


case(name_rebound_before_the_store, array("n"))


def list_entry_updated(x):
    parts = [x * 1.0, x * 2.0]
    first = parts[0]
    first += parts[1] ** 2
    return np.sum(parts[0] * parts[1])


case(list_entry_updated, array("n"))
