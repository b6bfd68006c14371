"""Broadcasting: scalars with arrays, missing and unit dimensions on either side, 0-d, empty."""

import numpy as np

from .case import array, case, number, numpy_number, positive


def scalar_with_array(s, x):
    return np.sum(s * x + s)


case(scalar_with_array, number(0.7), array("n"), units=True)


def numpy_scalar_with_matrix(s, a):
    return np.sum(np.sin(s * a) - a / s)


case(numpy_scalar_with_matrix, numpy_number(0.7), array("m n"), units=True, float32=True)


def zero_d_with_array(z, x):
    return np.sum(z * x + z)


case(zero_d_with_array, array(""), array("n"), units=True)


def zero_d_alone(z):
    return np.sin(z) * z


case(zero_d_alone, array(""))


def zero_d_with_zero_d(y, z):
    return np.sum(y * z + np.exp(y))


case(zero_d_with_zero_d, array(""), array(""))


def vector_with_matrix(b, a):
    return np.sum(np.tanh(a + b))


case(vector_with_matrix, array("n"), array("m n"), units=True)


def matrix_with_vector(a, b):
    return np.sum(a * b - b)


case(matrix_with_vector, array("m n"), array("n"), units=True, float32=True)


def row_with_matrix(r, a):
    return np.sum((r - a) ** 2)


case(row_with_matrix, array("1 n"), array("m n"), units=True)


def column_with_matrix(a, c):
    return np.sum((a / c) ** 2)


case(column_with_matrix, array("m n"), positive("m 1"), units=True)


def row_with_column(r, c):
    return np.sum(np.sin(r * c))


case(row_with_column, array("1 n"), array("m 1"), units=True)


def vector_with_column(x, c):
    return np.sum(np.exp(x - c))


case(vector_with_column, array("n"), array("m 1"), units=True)


def three_dimensions(x, y, z):
    return np.sum(x * y + y * z)


case(three_dimensions, array("n"), array("k 1 n"), array("m 1"), units=True)


def length_one_vector(x, y):
    return np.sum(x * y)


case(length_one_vector, array("1"), array("n"), units=True)


def empty_array(x, s):
    return np.sum(x * s) + s


case(empty_array, array("0"), number(1.5))


def empty_matrix_with_vector(a, x):
    return np.sum(a * x) + np.sum(x ** 2)


case(empty_matrix_with_vector, array("0 n"), array("n"))


def broadcast_function(x, s, y):
    return np.sum(np.maximum(x, s) + np.where(x > 0, s, y) + np.arctan2(x, s) + np.hypot(s, x))


case(broadcast_function, array("m n"), number(0.3), array("n"), units=True)


def broadcast_power(x, p):
    return np.sum(x ** p)


case(broadcast_power, positive("m n"), array("n"), units=True)


def broadcast_selection(x, low, high):
    return np.sum(np.clip(x, low, high) ** 2)


case(broadcast_selection, array("m n"), number(-0.61), number(0.83))


def sum_of_parts(x, b):
    total = np.sum(x + b)
    return total * np.mean(b) + np.sum(total * x)


case(sum_of_parts, array("m n"), array("n"), units=True)


def scalar_adjoint_meets_shapes(x, y):
    return np.sum(np.sum(x, axis=0) + y) + np.sum(x)


case(scalar_adjoint_meets_shapes, array("m n"), array("1"), units=True)


def explicit_broadcast(x):
    return np.sum(np.broadcast_to(x, (3, x.shape[0])) * 2.0) + np.sum(np.expand_dims(x, 0) * np.expand_dims(x, 1))


case(explicit_broadcast, array("n"), units=True)
