"""In-place code: the patterns in which other tools have been silently wrong."""

import numpy as np

from .case import array, case, count, number, positive


def read_then_overwritten(x, b):
    y = x[1] * b[0]
    b[0] += 100
    return y * np.sum(b)


case(read_then_overwritten, array("n"), array("n"))


def read_then_replaced(x):
    b = x * 2
    y = b[0] * b[1]
    b[0] = y
    return np.sum(b ** 2)


case(read_then_replaced, array("n"))


def self_alias(x):
    a = x.copy()
    for i in range(len(a)):
        a[i] = a[i] ** 2
    return np.sum(a * x)


case(self_alias, array("n"), float32=True)


def self_alias_on_the_argument(a):
    for i in range(len(a)):
        a[i] = a[i] ** 2
    return np.sum(a)


case(self_alias_on_the_argument, array("n"))


def recurrence_under_a_branch(x):
    e = np.zeros(len(x) + 1)
    e[0] = x[0]
    for i in range(len(x)):
        if x[i] > 0:
            e[i + 1] = e[i] + np.sin(e[i]) * x[i]
        else:
            e[i + 1] = e[i] * x[i]
    return e[-1] + np.sum(e)


case(recurrence_under_a_branch, array("n"))


def recurrence_in_the_argument(e):
    for i in range(len(e) - 1):
        if i != 1:
            e[i + 1] = e[i] + np.sin(e[i])
    return np.sum(e ** 2)


case(recurrence_in_the_argument, array("n"))


def third_assignment_to_one_buffer(x):
    b = np.zeros(3)
    b[0] = x[0] * x[1]
    y = b[0] ** 2
    b[0] = np.sin(x[2])
    y = y + b[0] ** 2
    b[0] = y
    return y * b[0]


case(third_assignment_to_one_buffer, array("n"))


def whole_buffer_three_times(x):
    b = np.empty_like(x)
    b[:] = x ** 2
    total = np.sum(b * x)
    b[:] = np.sin(b)
    total = total + np.sum(b * x)
    b[:] = 1.0
    return total + np.sum(b * x)


case(whole_buffer_three_times, array("n"))


def swap(x):
    a = x * 1.0
    a[0], a[2] = a[2], a[0]
    return np.sum(a * np.arange(len(a)) ** 2 * x)


case(swap, array("n"))


def swap_in_the_argument(a, w):
    a[0], a[1] = a[1], a[0]
    return np.sum(a ** 2 * w)


case(swap_in_the_argument, array("n"), array("n"))


def rotation_of_three(x):
    a = x.copy()
    a[0], a[1], a[2] = a[2], a[0] * a[1], a[0]
    return a[0] + 2 * a[1] * a[2]


case(rotation_of_three, array("n"))


def swapped_rows(a, x):
    b = a.copy()
    b[[0, 1]] = b[[1, 0]]
    return np.sum((b @ x) ** 2 * np.arange(len(b)))


case(swapped_rows, array("m n"), array("n"))


def augmented_slices(x, y):
    a = x.copy()
    a[1:] += y[:-1]
    a[:-1] *= y[1:]
    a[::2] -= y[::2] ** 2
    a[1:-1] /= 2 + y[1:-1] ** 2
    return np.sum(a ** 2)


case(augmented_slices, array("n"), array("n"), float32=True)


def augmented_by_itself(x):
    a = x.copy()
    a[1:] += a[:-1]
    a[:-1] *= a[1:]
    a += a
    a *= a
    return np.sum(a * np.arange(1.0, len(a) + 1))


case(augmented_by_itself, array("n"))


def overlapping_store(x):
    a = x.copy()
    a[1:] = a[:-1] * 2
    a[:2] = a[1:3]
    return np.sum(a ** 2)


case(overlapping_store, array("n"))


def power_update(x, s):
    a = x.copy()
    a **= 2
    a -= s
    a /= s
    return np.sum(a ** 2)


case(power_update, array("n"), number(1.5))


def division_by_a_scalar_element(x):
    a = x.copy()
    a /= a[0]
    return np.sum(np.sin(a))


case(division_by_a_scalar_element, positive("n"))


def update_of_a_scalar(s, t):
    u = s
    u += t
    u *= s
    u -= t * u
    u /= 2
    return u * s


case(update_of_a_scalar, number(0.7), number(-0.4))


def update_of_a_zero_d_array(z):
    y = z * 1
    y += z
    y *= y
    return y


case(update_of_a_zero_d_array, array(""))


def update_of_the_argument(x, y):
    x += y
    x *= x
    return np.sum(x * y)


case(update_of_the_argument, array("n"), array("n"))


def scalars_stored(s, t, k):
    a = np.zeros(k)
    a[0] = s
    a[1:] = t
    a[k - 1] = s * t
    return np.sum(a ** 2)


case(scalars_stored, number(0.8), number(-1.2), count("n"))


def broadcast_store(x, s):
    a = np.zeros((3, len(x)))
    a[:] = x
    a[1] = s
    a[:, 0] = s ** 2
    a[2, 1:] += x[1:]
    a += x
    return np.sum(a ** 2)


case(broadcast_store, array("n"), number(0.9))


def constant_store(x):
    a = x * 2
    a[1] = 3.0
    a[2:] = 0.0
    return np.sum(a * x)


case(constant_store, array("n"))


def overwritten_completely(x):
    a = np.sin(x)
    a[:] = 2.0
    a[0] = 1.0
    return np.sum(a)


case(overwritten_completely, array("n"))


def gather_update(x, y):
    a = x.copy()
    a[[0, 2]] *= y[:2]
    a[[1, 1, 3]] += y[0]
    a[a > 10.0] = 0.0
    return np.sum(a ** 2)


case(gather_update, array("n"), array("n"))


def repeated_indices_last_wins(x, y):
    a = x.copy()
    a[[1, 1]] = y[:2] ** 2
    return np.sum(a ** 3)


case(repeated_indices_last_wins, array("n"), array("n"))


def masked_store(x, s):
    a = x.copy()
    a[x > 0] = s
    a[x < 0] *= s
    return np.sum(a ** 3)


case(masked_store, array("n"), number(0.6))


def mask_made_from_the_buffer(x):
    a = x.copy()
    a[a < 0] = 0.0
    a[a > 0.5] **= 2
    return np.sum(a * x)


case(mask_made_from_the_buffer, array("n"))


def store_in_two_dimensions(a, x):
    b = a.copy()
    b[0, 1] = x[0] * b[1, 0]
    b[:, 2] *= x[0]
    b[1, ::2] = x[::2]
    b[-1] += x
    b[..., 0] -= 1
    return np.sum(b ** 2)


case(store_in_two_dimensions, array("m n"), array("n"), float32=True)


def store_under_a_branch(x, s):
    a = x.copy()
    for i in range(len(a)):
        if a[i] > 0:
            a[i] = a[i] * s
        elif i > 0:
            a[i] = a[i - 1]
        else:
            a[i] += s
    return np.sum(a ** 2)


case(store_under_a_branch, array("n"), number(0.6))


def while_with_stores(x):
    a = x.copy()
    k = 0
    while a[0] < 3 and k < 20:
        a[0] = a[0] * 1.5 + a[1] ** 2 + 0.1
        a[1] *= 0.9
        k += 1
    return np.sum(a ** 2)


case(while_with_stores, positive("n"))


def stored_scalar_then_changed(x):
    a = x.copy()
    s = a[1]
    a[1] = 0.0
    a[0] = s * a[0]
    s = s * 2
    a[2] = s
    return np.sum(a ** 2) + s


case(stored_scalar_then_changed, array("n"))


def expression_saved_before_an_update(x):
    a = x.copy()
    y = np.exp(a)
    y *= a
    a += y
    z = a * y
    y[0] = 3.0
    return np.sum(z) + np.sum(y * a)


case(expression_saved_before_an_update, array("n"))


def index_changed_after_a_store(x):
    a = x.copy()
    i = 0
    a[i] = a[i + 1] ** 2
    i = 2
    a[i] = a[0] * a[i]
    i += 1
    a[i] *= a[i - 1]
    return np.sum(a)


case(index_changed_after_a_store, array("n"))


def index_changed_in_a_loop(x):
    a = x.copy()
    i = len(a) - 1
    while i > 0:
        a[i] *= a[i - 1]
        i -= 1
        a[i] += 1
    return np.sum(a ** 2)


case(index_changed_in_a_loop, array("n"))


def returned_element_of_the_mutated_argument(x):
    x[0] = x[0] ** 2 * x[1]
    return x[0]


case(returned_element_of_the_mutated_argument, array("n"))


def zero_d_argument_mutated_and_returned(z):
    z *= 3.0
    return z


case(zero_d_argument_mutated_and_returned, array(""))


def slice_of_the_argument_updated(x, y):
    x[1:] *= y[1:]
    y[0] = x[1]
    return np.sum(x) * np.sum(y)


case(slice_of_the_argument_updated, array("n"), array("n"))


def not_differentiated_argument_mutated(x, work):
    work[:] = x * 2
    work += 1
    return np.sum(work * x)


case(not_differentiated_argument_mutated, array("n"), array("n"), wrt=0)
