"""Reductions, over everything, one axis, several axes, kept or dropped."""

import numpy as np

from .case import array, case, positive


def sum_of_squares(x):
    return np.sum(x ** 2)


case(sum_of_squares, array("n"), float32=True)


def sum_along_axis(a):
    return np.sum(np.sum(a, axis=0) ** 2) + np.sum(np.sum(a, axis=-1) ** 3)


case(sum_along_axis, array("m n"), units=True)


def sum_over_two_axes(a):
    return np.sum(np.sum(a, axis=(0, 2)) ** 2)


case(sum_over_two_axes, array("k m n"), units=True)


def sum_kept(a):
    return np.sum(a / np.sum(a, axis=1, keepdims=True))


case(sum_kept, positive("m n"), units=True)


def mean_variance(a):
    return np.mean(a) * np.sum(np.mean(a, axis=0) ** 2) + np.sum(np.var(a, axis=1))


case(mean_variance, array("m n"), float32=True)


def standard_deviation(a):
    return np.std(a) + np.sum(np.std(a, axis=0, ddof=1))


case(standard_deviation, array("m n"))


def standardise(a):
    centred = a - np.mean(a, axis=0, keepdims=True)
    return np.sum(np.sin(centred / np.std(a, axis=0, keepdims=True)))


case(standardise, array("m n"))


def product(x, a):
    return np.prod(x) + np.sum(np.prod(a, axis=1))


case(product, positive("n"), array("m n"))


def product_with_a_zero(x):
    y = x * np.arange(len(x))
    return np.prod(y + 0.0) + np.prod(y + 1.0)


case(product_with_a_zero, array("n"))


def extrema(a):
    return np.max(a) * np.min(a) + np.sum(np.max(a, axis=0) ** 2) - np.sum(np.min(a, axis=1, keepdims=True) * a)


case(extrema, array("m n"), units=True)


def cumulative(x, a):
    return np.sum(np.cumsum(x) ** 2) + np.sum(np.cumsum(a, axis=1) * a)


case(cumulative, array("n"), array("m n"))


def euclidean_norm(x, a):
    return np.linalg.norm(x) + np.linalg.norm(a) ** 2


case(euclidean_norm, array("n"), array("m n"))


def norm_by_axis(a):
    return np.sum(np.linalg.norm(a, axis=1) ** 3)


case(norm_by_axis, array("m n"))


def log_sum_exp(x):
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))


case(log_sum_exp, array("n"), float32=True)


def softmax_cross_entropy(z, y):
    shifted = z - z.max(axis=1, keepdims=True)
    log_p = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.mean(np.sum(y * log_p, axis=1))


case(softmax_cross_entropy, array("m n"), positive("m n"), wrt=0)


def methods(a):
    return a.sum() * a.mean() + a.sum(0).prod() + a.max() - a.min(axis=1).sum() + (a.std(0) * a.var(0)).sum() + a.cumsum().sum()


case(methods, array("m n"))


def sum_of_a_scalar(s):
    return np.sum(s) + np.sum(s * s) + np.mean(s)


case(sum_of_a_scalar, array(""))


def reduction_of_an_empty_array(x, y):
    return np.sum(x) + np.prod(x) * np.sum(y)


case(reduction_of_an_empty_array, array("0"), array("n"))


def sizes_in_the_formula(x):
    return np.sum(x) / x.size + np.sum(x ** 2) / x.shape[0] + x.ndim * np.sum(x) + len(x) * np.sum(x)


case(sizes_in_the_formula, array("n"))
