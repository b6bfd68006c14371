"""Arrays as indices, with repeats."""

import numpy as np

from tests.corpus.case import array, number

from .exhibit import exhibit


def taken_twice(y):
    """Of an entry that is taken twice the last copy alone had a gradient."""
    twice = y[[0, 0]]
    return twice[0] * 3.0 + twice[1] ** 2


exhibit(taken_twice, "pytorch/pytorch#1528", array("1"))


def rows_stored_at_one_place(x, y):
    """Five rows are stored at one place and the last one stays; every one of them got a gradient."""
    x[[0, 0, 0]] = y
    return np.sum(x**2)


exhibit(rows_stored_at_one_place, "pytorch/pytorch#473 pytorch/pytorch#146299", array("4 2"), array("3 2"))


def number_stored_twice(t, v):
    """A number stored at one place twice: counted twice."""
    t[[2, 2]] = v
    return np.sum(t**2)


exhibit(number_stored_twice, "pytorch/pytorch#57006", array("4"), number(-2.5))


def added_to_itself_twice(x):
    """``x[[0, 0]] += x[[0, 0]]`` adds once."""
    x[[0, 0]] += x[[0, 0]]
    return np.sum(x**2)


exhibit(added_to_itself_twice, "pytorch/pytorch#174074", array("2"))


def scattered_sum(x, y):
    """Increments with repeats: the later ones replaced the earlier ones, in the gradient of every embedding."""
    np.add.at(x, [1, 1, 0], y)
    return np.sum(x**2)


exhibit(scattered_sum, "pymc-devs/pytensor#2242", array("3"), array("3"))


def embedding(table, w):
    """Rows of a table, one of them twice."""
    return np.sum(np.tanh(table[np.array([2, 0, 2])] @ w))


exhibit(embedding, "pymc-devs/pytensor#2242", array("4 2"), array("2"))


def weighted_samples(values, weights):
    """An array seen through indices: the gradient was zero, or the process died."""
    ids = np.array([1, 3, 5])
    total = 0.0
    for i in range(3):
        total += values[ids[i]] * weights[i]
    return total


exhibit(weighted_samples, "NVIDIA/warp#1479", array("6"), array("3"))


def outputs_written_twice(x, w):
    """Two arrays of indices, one for reading, one for writing: ``y[rows] = …``, ``y[rows] += …``."""
    rows = np.array([0, 2, 3])
    y = np.zeros(4)
    y[rows] = x[rows] * w
    y[rows] += x[rows[::-1]]
    return np.sum(y**3)


exhibit(outputs_written_twice, "pymc-devs/pytensor#267", array("4"), array("3"))
