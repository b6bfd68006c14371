"""Faults that are known and not mended yet, each as small as it got. Whoever mends one takes its mark off: it is strict."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sourcediff import grad


def through_a_double_buffer(x: Any) -> Any:
    p = np.zeros((3, 2))
    for i in range(2):
        p[:, i] = x[:, i]
    return np.sum(np.sin(p + x))


@pytest.mark.parametrize("mode", [
    pytest.param("compiled", marks=pytest.mark.xfail(reason="the gradient takes the dtype of the buffer, float64", strict=True)), "eager",
])
def test_the_gradient_has_the_dtype_of_its_argument(mode: str) -> None:
    """A float64 buffer that is filled from a float32 argument in a loop, and added to it."""
    found = grad(through_a_double_buffer, mode=mode)(np.ones((3, 2), dtype=np.float32))
    np.testing.assert_allclose(found, 2 * np.cos(2.0) * np.ones((3, 2)), rtol=1e-6)
    assert found.dtype == np.float32
