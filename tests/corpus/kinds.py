"""Types that change: a number here and an array there, arrays without dimensions, ints that become floats, None; sizes made of data."""

import math

import numpy as np

from .case import array, case, count, integers, number, numpy_number, positive

# A number at first, an array later


def accumulator_becomes_an_array(x, steps):
    total = 0.0
    for _ in range(steps):
        total = total + np.sin(x)
    return np.sum(total**2)


case(accumulator_becomes_an_array, array("n"), 3, float32=True)


def accumulator_without_a_trip(x, s, steps):
    total = s
    for _ in range(steps):
        total = total + x
    return np.sum(total * np.cos(total)) + np.sum(x)


case(accumulator_without_a_trip, array("n"), number(0.4), 0)


def accumulator_updated_in_place_from_a_number(x, rows):
    total = 0.0
    for i in range(rows):
        total += x[i]
    return np.sum(total * total)


case(accumulator_updated_in_place_from_a_number, array("n m"), count("n"))


def number_then_array_then_number(x, s):
    y = s
    y = y * x
    y = np.sum(y**2)
    y = y * s
    return y


case(number_then_array_then_number, array("n"), number(0.7))


def factor_grows_a_dimension(x, y):
    z = x[0]
    for row in range(2):
        z = z * y + x
    return np.sum(np.sin(z))


case(factor_grows_a_dimension, array("n"), array("n"))


def rank_grows_under_a_branch(x, flag):
    y = x
    if flag:
        y = np.outer(x, x)
    return np.sum(y * x)


case(rank_grows_under_a_branch, array("n"), True)


def rank_stays_under_a_branch(x, flag):
    y = x
    if flag:
        y = np.outer(x, x)
    return np.sum(y * x)


case(rank_stays_under_a_branch, array("n"), False)


# A number or an array, as a branch decides


def number_or_array(x, s):
    if s > 0:
        y = x * s
    else:
        y = s
    return np.sum(y * x)


case(number_or_array, array("n"), number(0.6))


def array_or_number(x, s):
    if s > 0:
        y = s
    else:
        y = x * s
    return np.sum(y * x) + np.sum(y)


case(array_or_number, array("n"), number(0.6))


def number_or_array_in_a_loop(x):
    total = 0.0
    for i in range(len(x)):
        part = x[i] if i % 2 else x
        total = total + np.sum(part * part) * x[i]
    return total


case(number_or_array_in_a_loop, array("n"))


def ternary_of_a_number_and_an_array(x, s, flag):
    scale = s if flag else x
    return np.sum(scale * np.exp(x)) + np.sum(scale)


case(ternary_of_a_number_and_an_array, array("n"), number(0.3), True)


def entry_or_slice(x, several):
    part = x[1:] if several else x[1]
    return np.sum(part**2) + np.max(x)


case(entry_or_slice, array("n"), False)


def updated_number_or_array(x, s, flag):
    y = x.copy() if flag else s
    y *= 2.0
    y += x
    return np.sum(y**2)


case(updated_number_or_array, array("n"), number(0.8), True)


def updated_number_that_becomes_an_array(x, s, flag):
    y = x.copy() if flag else s
    y *= 2.0
    y += x
    return np.sum(y**2)


case(updated_number_that_becomes_an_array, array("n"), number(0.8), False)


def number_of_either_kind(x, s, flag):
    if flag:
        c = s
    else:
        c = np.sum(x)
    for _ in range(3):
        c = c * 0.5 + x[0]
    return c * c


case(number_of_either_kind, array("n"), number(0.8), False)


# Arrays without dimensions


def zero_dimensional(x, y):
    z = np.array(x * y)
    z += 1.0
    w = np.asarray(z) ** 2
    return w * np.sum(x) + z


case(zero_dimensional, array(""), number(0.7))


def zero_dimensional_in_a_loop(x, y):
    z = np.zeros(())
    for v in y:
        z += v * x
        z[...] = np.sin(z)
    return z * 1.0


case(zero_dimensional_in_a_loop, array(""), array("n"))


def zero_dimensional_under_a_branch(x, y):
    z = x.copy()
    if z > -10.0:
        z[()] = y * z
    else:
        z -= y
    return np.sum(z * x) + z[()] ** 2


case(zero_dimensional_under_a_branch, array(""), number(0.7))


def broadcast_from_no_dimensions(x, y):
    return np.sum(np.broadcast_to(x, y.shape) * y) + np.sum(np.reshape(x, (1, 1)) * y) + np.mean(x + y) * float(x)


case(broadcast_from_no_dimensions, array(""), array("n"))


def squeezed_to_a_number(x):
    y = np.squeeze(np.sum(x, axis=1, keepdims=True)[:1])
    z = float(x[0, 0]) * float(x[0, 1])
    return y * z


case(squeezed_to_a_number, array("n m"))


def numpy_and_python_numbers(a, b):
    c = a
    for _ in range(3):
        c = c * b + math.sin(c)
    return c * np.float64(2.0)


case(numpy_and_python_numbers, number(0.4), numpy_number(0.9))


# Ints that become floats


def counted_from_zero(x):
    total = 0
    for v in x:
        total += v * v
    return total


case(counted_from_zero, array("n"))


def counted_from_zero_over_rows(x):
    total = 0
    for row in x:
        total = total + row
    return np.sum(total**2)


case(counted_from_zero_over_rows, array("n m"))


def product_from_one(x):
    p = 1
    for i in range(len(x)):
        if x[i] > 0:
            p *= x[i]
        else:
            p = p - 1
    return p * 1.0


case(product_from_one, array("n"))


def integers_times_floats(x, k):
    w = k
    for _ in range(2):
        w = w * x + k
    return np.sum(w**2) * len(k)


case(integers_times_floats, array("n"), integers("n", 4))


def integer_matrix_products(x, k):
    return np.sum((k @ x) ** 2) + np.dot(k[0], x) + np.sum(np.outer(k[:, 0], x))


case(integer_matrix_products, array("n"), integers("m n", 4))


def integer_scale(x, n):
    scale = n
    scale = scale / 2 if n % 2 else scale * x[0]
    return np.sum(x * scale) ** 2 / n


case(integer_scale, array("n"), count("m"))


def booleans_as_numbers(x):
    mask = x > 0
    return np.sum(mask * x**2) + np.sum(x * (x < 0.5)) + np.sum(np.where(mask, x, 0)) * mask.sum() + np.sum(mask - 0.5 * x)


case(booleans_as_numbers, array("n"))


def mixed_precision(x, y):
    z = x.astype(np.float32).astype(np.float64) if x.dtype == np.float32 else x
    return np.sum(z * y) + np.float32(2.0) * np.sum(z)


case(mixed_precision, array("n"), number(0.3), float32=True)


# None, and flags that are text


def optional_bias(x, w, b=None):
    y = w @ x
    if b is not None:
        y = y + b
    return np.sum(np.tanh(y))


case(optional_bias, array("n"), array("m n"))


def optional_bias_given(x, w, b=None):
    y = w @ x
    if b is not None:
        y = y + b
    return np.sum(np.tanh(y))


case(optional_bias_given, array("n"), array("m n"), array("m"))


def default_made_inside(x, start=None):
    if start is None:
        start = np.zeros(len(x))
    state = start
    for _ in range(2):
        state = np.sin(state + x)
    return np.sum(state)


case(default_made_inside, array("n"))


def none_until_the_first_trip(x):
    best = None
    for v in x:
        value = v * v - v
        if best is None or value > best:
            best = value
    return best


case(none_until_the_first_trip, array("n"))


def previous_row(x):
    previous = None
    total = 0.0
    for row in x:
        if previous is not None:
            total += np.sum((row - previous) ** 2)
        previous = row
    return total


case(previous_row, array("n m"))


def activation_by_name(x, kind="relu"):
    if kind == "relu":
        y = np.maximum(x, 0)
    elif kind == "tanh":
        y = np.tanh(x)
    else:
        y = x
    return np.sum(y**2)


case(activation_by_name, array("n"), "tanh")


# Sizes, indices and bounds that are made of data


def as_many_trips_as_the_data_say(x):
    trips = int(np.sum(x > 0)) + 1
    y = x
    for _ in range(trips):
        y = np.sin(y)
    return np.sum(y)


case(as_many_trips_as_the_data_say, array("n"))


def rounded_to_an_index(x):
    i = int(abs(x[0]) * 10) % len(x)
    j = np.argmax(x)
    return x[i] * x[j] + x[round(float(x[1])) % 2]


case(rounded_to_an_index, array("n"))


def buffer_as_long_as_the_positive_ones(x):
    chosen = x[x > 0]
    out = np.zeros(chosen.shape[0] + 1)
    out[1:] = chosen**2
    out[0] = chosen.size
    return np.sum(out * out) / max(len(chosen), 1)


case(buffer_as_long_as_the_positive_ones, array("n"))


def lengths_as_numbers(x, y):
    n, m = x.shape
    scale = n / m + y.ndim - x.size // 2
    return np.sum(x @ y) * scale + np.sum(y) / len(x)


case(lengths_as_numbers, array("n m"), array("m"))


def half_of_the_rows(x):
    half = len(x) // 2
    upper, lower = x[:half], x[half : 2 * half]
    return np.sum(upper * lower) + np.sum(x[-1])


case(half_of_the_rows, array("n m"))


def floor_and_remainder(x):
    k = np.floor(x)
    return np.sum((x - k) ** 2 * k) + float(np.round(x[0])) * x[1]


case(floor_and_remainder, positive("n"))


def bins(x, w):
    where = np.digitize(x, [-1.0, 0.0, 1.0])
    out = np.zeros(4)
    for i in range(len(x)):
        out[where[i]] += w[i] * x[i]
    return np.sum(out**2)


case(bins, array("n"), array("n"))


def sum_of_a_part_by_one_name(x):
    z = x[x > 0.1] + x[0]
    z = np.sum(z)
    w = np.squeeze(x[None]) + x[1]
    w = np.sum(w)
    return z**2 + w**3


case(sum_of_a_part_by_one_name, array("n"))


def number_that_becomes_an_array(x):
    z, w = np.sum(x), x[0]
    for i in range(2):
        z = z + x * (i + 1)
        w = np.add(w, x)
    return np.sum(z**2) + np.sum(w**3)


case(number_that_becomes_an_array, array("n"))


def fewer_dimensions_each_time(x):
    z = np.outer(x, x) + x[0]
    while np.ndim(z):
        z = np.sum(z, axis=0)
    return z**2


case(fewer_dimensions_each_time, array("n"))
