"""Reading entries by index. What was not read gets a zero; what was read twice gets both contributions."""

import operator

import numpy as np

from ..runtime.arrays import along, numbers, put_back, scatter
from .frames import constant, linear


@linear(operator.getitem, selects=True)
def getitem(g, z, a, index):
    return scatter(g, np.shape(a), index)


@linear(np.take, selects=True)
def take(g, z, a, indices, axis=None):
    shape = (np.size(a),) if axis is None else np.shape(a)
    return np.reshape(scatter(g, shape, along(shape, indices, axis)), np.shape(a))


@linear(np.take_along_axis, selects=True)
def take_along_axis(g, z, arr, indices, axis):
    return put_back(g, np.shape(arr), np.take_along_axis(numbers(np.shape(arr)), indices, axis))


@linear(np.compress, selects=True)
def compress(g, z, condition, a, axis=None):
    return None, put_back(g, np.shape(a), np.compress(condition, numbers(np.shape(a)), axis))


@linear(np.extract, selects=True)
def extract(g, z, condition, arr):
    return None, put_back(g, np.shape(arr), np.extract(condition, numbers(np.shape(arr))))


@linear(np.delete, selects=True)
def delete(g, z, arr, obj, axis=None):
    return put_back(g, np.shape(arr), np.delete(numbers(np.shape(arr)), obj, axis))


@linear(np.choose, selects=True)
def choose(g, z, a, choices, *, mode="raise"):
    return None, put_back(g, np.shape(choices), np.choose(a, numbers(np.shape(choices)), mode=mode))


constant(np.unravel_index, np.ravel_multi_index, np.indices, np.ndindex, range)
constant(np.tril_indices, np.triu_indices, np.diag_indices, np.tril_indices_from, np.triu_indices_from, np.diag_indices_from)
