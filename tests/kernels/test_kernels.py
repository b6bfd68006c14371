"""Every kernel, in every mode: right against differences, or refused as the table says. What begins to work has to leave the table."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.kernels import KERNELS, Kernel
from tests.kernels.judge import of_kernel
from tests.kernels.loss import NoDerivative
from tests.kernels.refused import NONE, REFUSED
from tests.sampling import chosen, name_of, sampled
from tests.standing import MODES, RIGHT, standing

DIFFERENTIABLE = [kernel for kernel in KERNELS if kernel.name not in NONE]


@pytest.mark.parametrize(
    "kernel, mode", [*itertools.product(DIFFERENTIABLE, MODES[:1]), *chosen(8, itertools.product(DIFFERENTIABLE, MODES[1:]))], ids=name_of,
)
def test_kernel(kernel: Kernel, mode: str) -> None:
    stands = standing(of_kernel(kernel).case, mode, of_kernel(kernel).truth)
    expected = REFUSED.get(kernel.name, {}).get(mode, RIGHT)
    assert stands == expected, f"the table says {expected or 'right'!r}, found {stands or 'right'!r}: tests/kernels/refused.py"


@sampled(4, "kernel", DIFFERENTIABLE, ids=name_of)
def test_the_differences_can_be_trusted(kernel: Kernel) -> None:
    truth = of_kernel(kernel).truth
    assert np.isfinite(truth.value) and all(np.all(truth.smooth(path)) for path in truth.slopes)
    assert any(np.any(slopes) for slopes in truth.slopes.values())


@pytest.mark.parametrize("name", NONE)
def test_some_have_no_derivative(name: str) -> None:
    (kernel,) = (kernel for kernel in KERNELS if kernel.name == name)
    with pytest.raises(NoDerivative):
        of_kernel(kernel)


def test_the_tables_speak_of_kernels() -> None:
    names = {kernel.name for kernel in KERNELS}
    assert len(names) == len(KERNELS) >= 55
    assert REFUSED.keys() | set(NONE) <= names


def test_the_bar() -> None:
    """Fifty of NPBench's kernels have a derivative; of our twins at least as many have to come out right without being asked twice."""
    refused = [name for name, standings in REFUSED.items() if "auto" in standings]
    assert len(DIFFERENTIABLE) - len(refused) >= 50, refused
