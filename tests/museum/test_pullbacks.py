"""What went wrong around the derivative: between the forward run and the pullback, in what is handed out, in what was handed in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sourcediff import grad, value_and_grad, vjp
from sourcediff.errors import NonDifferentiableError, SourcediffError

MODES = ("compiled", "auto", "eager")


def squares(x: Any) -> Any:
    return x * x


def weighted(x: Any, y: Any) -> Any:
    return np.sum(x * y) + np.sum(x**2)


def largest_by_a_loop(a: Any) -> Any:
    largest = a[0]
    for i in range(1, len(a)):
        if a[i] > largest:
            largest = a[i]
    return largest * 2.0


def sum_only(x: Any) -> Any:
    return np.sum(x)


def test_arrays_that_change_between_the_run_and_the_pullback() -> None:
    """NVIDIA/warp#1350, pytorch/pytorch#197887: backward read the arrays as they were by then."""
    x = np.array([3.0])
    value, pullback = vjp(squares, x)
    x[:] = 100.0
    assert value == [9.0] and np.array_equal(pullback(np.ones(1))[0], [6.0])


def test_a_result_that_is_changed_by_its_owner() -> None:
    """pytorch/pytorch#9391: a value that backward needs, overwritten by who got it."""
    value, pullback = vjp(lambda x: np.exp(x), np.array([0.5]))
    value[:] = 7.0
    np.testing.assert_allclose(pullback(np.ones(1))[0], np.exp([0.5]))


def test_a_pullback_called_twice() -> None:
    """EnzymeAD/Enzyme.jl#1610: the seed was consumed, or added to: (12, 4) for (6, 2)."""
    seed = np.ones(2)
    _, pullback = vjp(lambda x: np.array([x[0] * x[0], x[1] * x[0]]), np.array([2.0, 2.0]))
    first = pullback(seed)[0].copy()
    assert np.array_equal(first, [6.0, 2.0]) and np.array_equal(pullback(seed)[0], first) and np.array_equal(seed, np.ones(2))


@pytest.mark.parametrize("mode", MODES)
def test_one_array_given_twice(mode: str) -> None:
    """mila-iqia/myia#255: each argument has its own gradient, whoever else shares its memory."""
    a = np.array([1.0, 2.0])
    found = grad(weighted, (0, 1), mode=mode)(a, a)
    assert np.array_equal(found[0], 3 * a) and np.array_equal(found[1], a)
    assert not np.shares_memory(found[0], found[1]) and not np.shares_memory(found[1], a)


@pytest.mark.parametrize("mode", MODES)
def test_integers_are_no_place_for_a_gradient(mode: str) -> None:
    """google/tangent#66: a gradient with the argument's dtype, all zeros, because the argument held integers."""
    with pytest.raises(NonDifferentiableError):
        grad(largest_by_a_loop, mode=mode)(np.array([1, 2, 3, 4]))
    assert np.array_equal(grad(largest_by_a_loop, mode=mode)(np.array([1.0, 2.0, 3.0, 4.0])), [0, 0, 0, 2])


@pytest.mark.parametrize("mode", MODES)
def test_the_gradient_of_a_sum_can_be_written_to(mode: str) -> None:
    """pytorch/pytorch#1787, FluxML/Zygote.jl#905: a lazy array of ones, of which all entries are one place in memory."""
    found = grad(sum_only, mode=mode)(np.zeros((2, 3)))
    found[0, 0] = 5.0
    assert found.shape == (2, 3) and np.sum(found) == 10.0


@pytest.mark.parametrize("mode", MODES)
def test_a_second_call_adds_nothing(mode: str) -> None:
    """NVIDIA/warp#1062: adjoints that are kept from one backward pass to the next."""
    gradient = value_and_grad(weighted, (0, 1), mode=mode)
    a, b = np.array([1.0, 2.0]), np.array([-1.0, 0.5])
    first, second = gradient(a, b), gradient(a, b)
    assert all(np.array_equal(one, other) for one, other in zip(first[1], second[1])) and first[0] == second[0]


@pytest.mark.parametrize("mode", MODES)
def test_what_cannot_be_done_is_said(mode: str) -> None:
    """HIPS/autograd#384: a KeyError from the depths. Here it is one family of errors, with the name in it."""
    with pytest.raises(SourcediffError, match="x"):
        grad(weighted, mode=mode)("no array", np.ones(2))
