"""What CuPy lacks of NumPy and SciPy, by path, written with what it has."""

from __future__ import annotations

import sys
from typing import Any

from .arrays.library import DEVICE


def svdvals(x: Any) -> Any:
    """The singular values of matrices, of shape (…, k)."""
    return sys.modules[DEVICE].linalg.svd(x, compute_uv=False)


def running(name: str) -> Any:
    """``accumulate`` of an elementwise function: in log2(n) steps each entry takes in one twice as far away (W. D. Hillis, G. L. Steele,
    Comm. ACM 29, 1986)."""

    def accumulate(array: Any, axis: int = 0) -> Any:
        device = sys.modules[DEVICE]
        rows, step = device.moveaxis(array, axis, 0), 1
        while step < len(rows):
            rows = device.concatenate([rows[:step], getattr(device, name)(rows[step:], rows[:-step])])
            step *= 2
        return device.moveaxis(rows, 0, axis)

    accumulate.__name__ = accumulate.__qualname__ = f"{name}_accumulate"
    return accumulate


maximum_accumulate = running("maximum")
minimum_accumulate = running("minimum")


def solve_banded(l_and_u: tuple[int, int], ab: Any, b: Any, overwrite_ab: bool = False, overwrite_b: bool = False,
                 check_finite: bool = True) -> Any:
    """The solution of a system whose matrix is given by its diagonals, solved as one with all entries."""
    device = sys.modules[DEVICE]
    below, above = l_and_u
    count = ab.shape[1]
    whole = device.zeros((count, count), ab.dtype)
    for k, row in zip(range(above, -below - 1, -1), ab):
        whole += device.diag(row[k:] if k >= 0 else row[:k], k)
    return device.linalg.solve(whole, b)


WRITTEN = {
    "linalg.svdvals": svdvals, "maximum.accumulate": maximum_accumulate, "minimum.accumulate": minimum_accumulate,
    "scipy.linalg.solve_banded": solve_banded,
}
