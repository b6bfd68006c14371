"""Numbers as two parts, and functions applied line by line."""

import numpy as np

from ...runtime.arrays import exponent
from ..library_functions import composite


@composite(np.modf)
def modf(x):
    whole = np.trunc(x)
    return x - whole, whole


@composite(np.frexp)
def frexp(x):
    power = exponent(x)
    return np.ldexp(x, -power), power


@composite(np.apply_along_axis)
def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    lines = np.moveaxis(arr, axis, -1)
    around = np.shape(lines)[:-1]
    found = np.stack([func1d(line, *args, **kwargs) for line in np.reshape(lines, (-1, np.shape(lines)[-1]))])
    made = np.reshape(found, around + np.shape(found)[1:])
    inner = np.ndim(found) - 1
    first = axis % np.ndim(lines)
    return np.moveaxis(made, range(len(around), len(around) + inner), range(first, first + inner))
