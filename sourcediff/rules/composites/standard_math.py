"""Functions of the standard library's ``math`` that take several numbers, or give several."""

import math

import numpy as np

from ..library_functions import composite


@composite(math.fsum)
def fsum(seq):
    return np.sum(np.array(list(seq)))


@composite(math.prod)
def prod(iterable, *, start=1):
    product = start
    for factor in iterable:
        product = product * factor
    return product


@composite(math.dist)
def dist(p, q):
    return np.linalg.norm(np.array(p) - np.array(q))


@composite(math.hypot)
def hypot(*coordinates):
    return np.linalg.norm(np.array(coordinates))


@composite(math.modf)
def modf(x):
    whole = float(math.trunc(x))
    return x - whole, whole
