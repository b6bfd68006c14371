"""The methods and attributes of arrays, and the NumPy functions that they are."""

from __future__ import annotations

import numpy as np

from ..runtime import arrays

METHODS = {
    name: getattr(np, name)
    for name in (
        "all any argmax argmin argsort clip copy cumprod cumsum diagonal dot max mean min nonzero prod ptp ravel repeat reshape "
        "round squeeze std sum swapaxes take trace transpose var"
    ).split()
} | {"flatten": np.ravel, "conj": np.conjugate, "conjugate": np.conjugate, "astype": arrays.astype, "item": arrays.number_of,
     "tolist": arrays.listed}
"""Array method → the NumPy function that it is."""

ATTRIBUTES = {"T": np.transpose, "mT": np.matrix_transpose, "real": np.real, "imag": np.imag}
"""Attribute of an array that is another array → the NumPy function that it is."""

VARIADIC = ("reshape", "transpose")  # x.reshape(2, 3) is np.reshape(x, (2, 3))
