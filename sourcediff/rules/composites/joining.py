"""Functions that add to arrays, leave out of them, and choose among them."""

import numpy as np

from ...runtime.arrays import edge, found_at, zeros_at
from ..frames import named
from ..library_functions import composite


@composite(np.ediff1d)
def ediff1d(ary, to_end=None, to_begin=None):
    steps = np.diff(np.ravel(ary))
    if to_begin is not None:
        steps = np.append(to_begin, steps)
    return steps if to_end is None else np.append(steps, to_end)


@composite(np.diff)
def diff(a, n=1, axis=-1, prepend=None, append=None):
    begun = a if prepend is None else np.concatenate((edge(prepend, np.shape(a), axis), a), axis)
    whole = begun if append is None else np.concatenate((begun, edge(append, np.shape(a), axis)), axis)
    return np.diff(whole, n, axis)


@composite(np.array)
def array(object, dtype=None, *, copy=True, order="K", ndmin=0):
    whole = np.array(object) if dtype is None else np.array(object, dtype)
    return np.reshape(whole, (1,) * (ndmin - np.ndim(whole)) + np.shape(whole))


@composite(np.take)
def take(a, indices, axis=None, out=None, mode="raise"):
    length = np.size(a) if axis is None else np.shape(a)[axis]
    places = np.remainder(indices, length) if mode == "wrap" else np.clip(indices, 0, length - 1)
    return np.take(a, places, axis)


@composite(np.trim_zeros)
def trim_zeros(filt, trim="fb"):
    front, back = zeros_at(filt, trim)
    return filt[front:len(filt) - back]


@composite(np.unique, *named(np, "unique_values"))
def unique(ar):
    return np.ravel(ar)[found_at(np.unique, ar)]


@composite(np.intersect1d)
def intersect1d(ar1, ar2):
    return np.append(ar1, ar2)[found_at(np.intersect1d, ar1, ar2)]


@composite(np.setdiff1d)
def setdiff1d(ar1, ar2):
    return np.append(ar1, ar2)[found_at(np.setdiff1d, ar1, ar2)]


@composite(np.union1d)
def union1d(ar1, ar2):
    return np.append(ar1, ar2)[found_at(np.union1d, ar1, ar2)]


@composite(np.setxor1d)
def setxor1d(ar1, ar2):
    return np.append(ar1, ar2)[found_at(np.setxor1d, ar1, ar2)]


@composite(*named(np, "vecdot"))
def vecdot(x1, x2, /, *, axis=-1):
    return np.vecdot(np.moveaxis(x1, axis, -1), np.moveaxis(x2, axis, -1))
