"""Arrays of a module, or around a function, that it changes: the reverse sweep has to know what was in them."""

import numpy as np

from .case import array, case

BUFFER = np.zeros(3)
WEIGHTS = np.array([1.0, 2.0, 3.0])
MATRIX = np.array([[1.0, 2.0, 0.5], [0.3, -1.0, 2.0], [0.7, 0.2, 1.5]])
PLACES = np.array([2, 0, 1])


def counter_of_a_module(x):
    WEIGHTS[0] = 7.0
    y = np.sum(WEIGHTS * x)
    WEIGHTS[0] = 1.0
    return y


case(counter_of_a_module, array("3"))


def scratch_refilled_in_a_loop(x):
    y = x * 1.0
    for i in range(3):
        BUFFER[:] = np.cos(BUFFER * 0.0 + i) * (i + 1)
        y = y * BUFFER + x
    for j in range(2):
        for i in range(3):
            BUFFER[i] = i * j + 1.0
        y = y * np.dot(BUFFER, x)
    return np.sum(y)


case(scratch_refilled_in_a_loop, array("3"))


def filled(values):
    BUFFER.fill(0.5)
    np.multiply(values, 2.0, out=BUFFER)
    return BUFFER


def scratch_filled_by_a_helper(x):
    total = np.sum(filled(WEIGHTS) * x)
    total = total * np.sum(filled(WEIGHTS * 2.0) * np.sin(x))
    row = MATRIX[0]
    row[0] = 4.0
    y = MATRIX @ x
    row[0] = 1.0
    return total + np.sum(y**2) * MATRIX[0, 1]


case(scratch_filled_by_a_helper, array("3"))


def places_that_move(x):
    PLACES[:] = [2, 0, 1]
    y = x[PLACES] * WEIGHTS
    PLACES[0] = 1
    y = y[PLACES] * x
    PLACES[:] = [2, 0, 1]
    return np.sum(y**2)


case(places_that_move, array("3"))


def remembers():
    kept = np.ones(3)

    def scaled_by_what_is_kept(x):
        kept[:] = 2.0
        y = x * kept
        kept[1] = 5.0
        y = y * np.sum(kept * x)
        kept[:] = 0.0
        return np.sum(y)

    return scaled_by_what_is_kept


case(remembers(), array("3"))
