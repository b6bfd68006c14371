"""Reading entries by index. What was not read gets a zero; what was read twice gets both contributions."""

import operator

import numpy as np

from ..arrays import along, scatter
from .frames import constant, linear


@linear(operator.getitem, selects=True)
def getitem(g, z, a, index):
    return scatter(g, np.shape(a), index)


@linear(np.take, selects=True)
def take(g, z, a, indices, axis=None):
    shape = (np.size(a),) if axis is None else np.shape(a)
    return np.reshape(scatter(g, shape, along(shape, indices, axis)), np.shape(a))


constant(np.unravel_index, np.ravel_multi_index, np.ix_, np.indices, np.ndindex, np.tril_indices, np.triu_indices, np.diag_indices, range)
