"""Reading parts of arrays."""

import numpy as np

from .case import array, case, count, integers, mask


def elements(x):
    return x[0] * x[1] + x[-1] ** 2


case(elements, array("n"), float32=True)


def matrix_elements(a):
    return a[0, 1] * a[-1, -2] + a[1][2]


case(matrix_elements, array("m n"))


def neighbours(x):
    return np.sum((x[1:] - x[:-1]) ** 2) + np.sum(x[2:] * x[:-2])


case(neighbours, array("n"), float32=True)


def steps(x):
    return np.sum(x[::2] ** 2) + np.sum(x[1::2] ** 3) + np.sum(x[::-1] * x) + np.sum(x[-2:0:-2] ** 2)


case(steps, array("n"))


def overlapping_slices(x):
    return np.sum(np.sin(x[:-1]) * x[1:]) + np.sum(x[1:-1])


case(overlapping_slices, array("n"))


def empty_slice(x):
    return np.sum(x[3:3] ** 2) + np.sum(x[10:]) + np.sum(x ** 2)


case(empty_slice, array("n"))


def rows_and_columns(a):
    return np.sum(a[0] * a[1]) + np.sum(a[:, 1] ** 2) + np.sum(a[1:, :-1] * a[:-1, 1:]) + np.sum(a[-1, ::2])


case(rows_and_columns, array("m n"))


def ellipsis(t):
    return np.sum(t[..., 0] ** 2) + np.sum(t[0, ...] ** 3) + np.sum(t[..., 1:] * t[..., :-1]) + t[..., 1, 2].sum()


case(ellipsis, array("k m n"))


def new_axes(x, y):
    return np.sum(x[:, None] * y[None, :]) + np.sum((x[None] - x[:, np.newaxis]) ** 2)


case(new_axes, array("n"), array("m"))


def computed_bounds(x, k):
    h = len(x) // 2
    return np.sum(x[:h] ** 2) + np.sum(x[h:] ** 3) + np.sum(x[k:]) + x[k - 1]


case(computed_bounds, array("n"), count("k"))


def gather(x, i):
    return np.sum(x[i] ** 2) + np.sum(x[[0, 0, 2]] * 3)


case(gather, array("n"), integers("7", 5), float32=True)


def gather_rows(a, i):
    return np.sum(np.sin(a[i]) * 2) + np.sum(a[:, [1, 1, 0]] ** 2)


case(gather_rows, array("m n"), integers("6", 3))


def gather_pairs(a, i, j):
    return np.sum(a[i, j] ** 2)


case(gather_pairs, array("m n"), integers("6", 3), integers("6", 5))


def gather_two_dimensional(x, i):
    return np.sum(x[i] @ np.ones(3))


case(gather_two_dimensional, array("n"), integers("2 3", 5))


def picked_per_row(z, y):
    return -np.mean(z[np.arange(len(y)), y])


case(picked_per_row, array("m n"), integers("m", 5))


def masked(x, keep):
    return np.sum(x[keep] ** 2) + np.sum(x[~keep] * 3)


case(masked, array("n"), mask("n"), float32=True)


def masked_by_value(x):
    return np.sum(np.sqrt(x[x > 0] + 0.1)) + np.sum(x[x < -0.5] ** 2)


case(masked_by_value, array("n"))


def masked_matrix(a, keep):
    return np.sum(a[keep] ** 3)


case(masked_matrix, array("m n"), mask("m n"))


def mixed_basic_and_integer(t, i):
    return np.sum(t[0, :, i] ** 2) + np.sum(t[:, i] * 2)


case(mixed_basic_and_integer, array("k m n"), integers("4", 3))


def slice_of_a_slice(x):
    y = x[1:]
    z = y[:-1]
    return np.sum(z ** 2) + y[0] * z[-1]


case(slice_of_a_slice, array("n"))


def argument_of_the_maximum(x):
    i = np.argmax(x)
    return x[i] ** 2 + np.sum(x)


case(argument_of_the_maximum, array("n"))


def element_of_a_zero_d(z):
    return z[()] * 2 + z * z


case(element_of_a_zero_d, array(""))


def unpacked_vector(x):
    a, b, c = x
    return a * b + c ** 2


case(unpacked_vector, array("3"))


def transposed_then_indexed(a):
    return np.sum(a.T[1] ** 2) + a.T[0, 1] * a[1, 0]


case(transposed_then_indexed, array("m n"))


def all_pairs(a):
    i, j = np.triu_indices(len(a), 1)
    return np.sum(a[i, j] ** 2) + np.sum(a[j, i] * a[i, i]) + np.sum(np.sin(a[i]) * a[j])


case(all_pairs, array("n n"))


def labelled(a, labels):
    rows = np.arange(len(labels))
    return np.sum(a[rows, labels] ** 2) + np.sum(a[0, rows % 2] * a[rows, 0]) + np.sum(a[rows, rows % 2] * a[rows, labels])


case(labelled, array("n n"), integers("n", 2))


def triangle(a, x):
    total = 0.0
    for k in range(2):
        lower = np.zeros((3, 3))
        below, on = np.tril_indices(3), np.diag_indices(3)
        lower[below] = x * (k + 1)
        lower[on] *= np.exp(lower[on])
        total += np.sum(lower @ a)
    return total


case(triangle, array("3 3"), array("6"))


def positions_that_change(x):
    first = np.arange(5)
    other = first
    other[1] = 0
    second = np.arange(5)
    part = second[2:4]
    part[:] = 4
    y = np.zeros(5)
    y[second] = x[first] ** 2
    third = np.arange(3)
    early = np.sum(x[third] ** 2)
    third = third // 2
    return np.sum(y ** 2) + early + np.sum(x[third] * y[third])


case(positions_that_change, array("5"))
