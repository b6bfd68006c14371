"""Slices with bounds that are written: arrays are taken to be as long as these ask for, and a call is asked whether they are."""

from __future__ import annotations

import numpy as np
import pytest

import sourcediff


def differences(f, at, position):
    """The gradient of a function with respect to one of its arrays, by differences."""
    found = np.zeros_like(at[position])
    for k in range(found.size):
        h = np.zeros_like(found)
        h[k] = 1e-6
        moved = [[*at[:position], at[position] + step, *at[position + 1:]] for step in (h, -h)]
        found[k] = (f(*moved[0]) - f(*moved[1])) / 2e-6
    return found


def beginning(p, q):
    return np.sum(p[:3] ** 2) * np.sum(p[:3] * q)


def end(p, q):
    return np.sum(p[-3:] * q) + np.sum(np.sin(p[-3:]))


def middle(p, q):
    head, tail = p[:2], p[2:4]
    return np.sum(np.outer(head, tail)) + np.sum(q * p[1:4])


def stored(p, q):
    u = p * 1.0
    u[:3] *= q
    return np.sum(u ** 3)


def of_rows(p, q):
    rows = np.stack([p, 2 * p])
    return np.sum(rows[:, :3] @ np.ones(rows[:, :3].shape[1]) * q[0])


@pytest.mark.parametrize("f", [beginning, end, middle, stored, of_rows], ids=lambda f: f.__name__)
@pytest.mark.parametrize("lengths", [(7, 3), (5, 3), (3, 3), (2, 2), (4, 1), (1, 1), (3, 1), (4, 3), (2, 1)], ids=str)
def test_arrays_that_are_longer_and_shorter(f, lengths):
    rng = np.random.default_rng(0)
    p, q = (rng.uniform(0.5, 2.0, length) for length in lengths)
    gradient = sourcediff.value_and_grad(f, wrt=(0, 1), mode="compiled")
    try:
        expected = f(p, q)
    except ValueError:
        with pytest.raises(ValueError):
            gradient(p, q)
        return
    for _ in range(2):
        gradient(rng.uniform(0.5, 2.0, 7), rng.uniform(0.5, 2.0, 3)) if f is not middle else None
        value, found = gradient(p, q)
        np.testing.assert_allclose(value, expected)
        for position, ours in enumerate(found):
            np.testing.assert_allclose(ours, differences(f, (p, q), position), rtol=1e-5, atol=1e-7)


def test_a_length_that_is_asked_for_is_assumed():
    gradient = sourcediff.grad(beginning, mode="compiled")
    gradient(np.ones(5), np.ones(3))
    assert "sum_to" not in gradient.source and "ASSUMED" in gradient.source
