"""Broadcasting, and the shape of the gradient."""

import numpy as np

from tests.corpus.case import array, number

from .exhibit import exhibit, given


def ranks_that_differ(v1, v2):
    """The gradient of the smaller one had the shape of the result."""
    return np.sum((v1 + v2) ** 2)


exhibit(ranks_that_differ, "pytorch/pytorch#913", array("5 2 1"), array("2 1"))


def row_times_column(a, b):
    """Neither of the two shapes came back."""
    return np.sum(np.sin(a * b))


exhibit(row_times_column, "pytorch/pytorch#1787 deeplearning4j/nd4j#2424", array("4 1"), array("1 4"))


def one_entry_for_all(a, b):
    """An array of one entry."""
    return np.sum(a * b)


exhibit(one_entry_for_all, "pytorch/pytorch#1787", array("1"), array("5 4"))


def scalar_for_all(v):
    """A 0-d array times an array: a gradient of shape (2,)."""
    return np.sum(np.ones(2) * v)


exhibit(scalar_for_all, "raskr/rust-autograd#38 rsokl/MyGrad#373", array(""))


def sum_of_products_with_one_entry(x, y):
    """``einsum`` broadcasts a length of 1, its gradient did not: shape (1,) for (2,)."""
    return np.einsum("i,i", x, y)


exhibit(sum_of_products_with_one_entry, "HIPS/autograd#376", given([2.0, 2.0]), given([2.0]))


def explicitly_broadcast(x):
    """KeyError."""
    return np.sum(np.broadcast_to(x, (4, 3)) ** 2)


exhibit(explicitly_broadcast, "HIPS/autograd#384", array("3"))


def arrays_in_an_array(xy, measured):
    """``np.array([a0, a1])`` of two arrays: wrong numbers; of one it was right."""
    re0, im0 = xy[0::2], xy[1::2]
    re1, im1 = measured[0] - re0, measured[1] - im0
    angles = np.array([np.arctan2(im0, re0), np.arctan2(im1, re1)])
    lengths = np.array([np.sqrt(re0**2 + im0**2), np.sqrt(re1**2 + im1**2)])
    real = np.sum(lengths * np.cos(0.7 * angles), axis=0)
    imaginary = np.sum(lengths * np.sin(0.7 * angles), axis=0)
    return np.sum(real**2 + imaginary**2)


exhibit(arrays_in_an_array, "HIPS/autograd#394", given([0.8, 0.3, 0.5, 1.1]), given([[1.5, 1.9], [0.2, 0.6]]))


def normalised_rows(p, o):
    """``Failed to resolve name``: ``keepdims`` by ``reshape``."""
    pscale = 1.0 / np.sqrt(np.sum(p * p, axis=1))
    oscale = 1.0 / np.sqrt(np.sum(o * o, axis=1))
    residual = p * pscale.reshape((-1, 1)) - o * oscale.reshape((-1, 1))
    return 0.5 * np.sum(residual * residual)


exhibit(normalised_rows, "google/tangent#70", array("3 4"), array("3 4"))


def running_sum(x):
    """A segmentation fault."""
    return np.sum(np.cumsum(x) ** 2)


exhibit(running_sum, "FluxML/Zygote.jl#15", array("4"))


def outer_of_numbers(a, b):
    """Numbers that are broadcast without a word."""
    return np.sum(np.outer(a, b))


exhibit(outer_of_numbers, "pytorch/pytorch#4968", number(2.0), number(3.0))
