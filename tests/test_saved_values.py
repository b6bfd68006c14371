"""What is saved between the sweeps: shapes alone, arrays as they are where they change no more, tuples where lists go together."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import sourcediff

X = np.array([0.3, -0.7, 1.1, 0.4])


def rotated(x, n):
    """Two arrays take turns, and the older one is changed in place."""
    old = np.zeros_like(x)
    new = x * 1.0
    for _ in range(n):
        old *= 0.5
        old[1:] += np.sin(new[:-1])
        old, new = new, old
    return np.sum(new * old)


def kept_in_a_list(x, n):
    """What a trip makes is changed in a later one, through the list that holds it."""
    rows = []
    total = 0.0
    for k in range(n):
        row = np.zeros_like(x)
        row[:] = np.cos(x * (k + 1))
        rows.append(row)
        total = total + np.sum(np.exp(row) * x)
        if k > 0:
            first = rows[0]
            first *= x
            total = total + np.sum(first ** 2)
    return total


def a_view_changes_it(x, n):
    """A view that was taken before changes what was read."""
    total = 0.0
    for k in range(n):
        row = x * (k + 1.0)
        tail = row[1:]
        total = total + np.sum(np.sin(row) * x)
        tail *= 2.0
        total = total + np.sum(np.sin(row) ** 2)
    return total


def filled_afresh(x, n):
    """An array is made in each trip, filled, and left alone."""
    u = x.copy()
    for _ in range(n):
        lap = np.zeros_like(u)
        lap[1:-1] = u[2:] - 2 * u[1:-1] + u[:-2]
        u = u + 0.1 * lap * u
    return np.sum(u ** 3)


def growing(x, n):
    """The shape that is summed to is another in each trip."""
    y = x
    total = 0.0
    for k in range(n):
        y = np.concatenate((y * 0.5, np.sin(x)))
        total = total + np.sum(y + k) * 0.1
        total = total + np.sum((y[:, None] + x) ** 2)
    return total


def broadcast(x, rows):
    """Sums over rows of different lengths, in a loop and in a branch of it."""
    total = 0.0
    scale = 1.0
    for k, row in enumerate(rows):
        t = x[:, None] * row
        if k % 2:
            scale = scale * np.sum(t + x[0]) * 0.1
        total = total + np.sum(t + 1.0) + scale
    return total


def parts_stacked(x, n):
    """A list that grows in each trip, and is stacked."""
    total = 0.0
    for k in range(n):
        parts = []
        for j in range(k + 1):
            parts.append(np.sin(x * (j + 1)))
        total = total + np.sum(np.stack(parts) ** 2) + np.sum(np.concatenate(parts))
    return total


def no_trip(x, n):
    """A loop that need not be run at all."""
    s = 1.0
    for k in range(n):
        y = x * s
        s = s + np.sum(y + k)
    return s * np.sum(x)


def left_early(x, n):
    """A loop that is left, before and after what it saves."""
    u = x.copy()
    total = 0.0
    for k in range(n):
        v = np.zeros_like(u)
        v[:] = np.sin(u)
        total = total + np.sum(v * u)
        if total > 1.5:
            total = total + np.sum(v ** 2)
            break
        w = v * u
        u = u + np.exp(w) * 0.1
        if k > 3:
            break
    return total + np.sum(u)


def entries_replaced(x, n):
    """Entries of a list are replaced, of which an array was a part."""
    means = [x[0] * 1.0, x[1:] * 1.0]
    total = 0.0
    for k in range(n):
        total = total + np.sum(means[1] * means[0]) + np.sum(np.sin(x))
        means[k % 2] = means[k % 2] * np.cos(means[k % 2])
    return total


def in_both_branches(x, n):
    """One name is saved in either branch, and after it."""
    y = x * 1.0
    for k in range(n):
        if k % 2:
            y = np.sin(y) * x
        else:
            z = y * y
            y = z + x
        y = np.exp(-y) * y
    return np.sum(y)


def accumulated(x, n):
    """A sum that is updated in place, first a number, then perhaps an array."""
    total = 0.0
    for k in range(n):
        total += np.sum(np.sin(x) * k) if k != 2 else np.max(x)
    return total ** 2


def nested(x, n):
    """Loops in loops, each with values of its own."""
    total = 0.0
    for i in range(n):
        a = np.sin(x * (i + 1))
        for j in range(i):
            b = np.exp(a * 0.1) * j
            total = total + np.sum(b * a)
            a = a * b
        total = total + np.sum(a ** 2)
    return total


def recurrence(x, n):
    """Each entry is made of those before it, and written once."""
    y = np.zeros(n + 2)
    y[0] = x[0]
    y[1] = x[1] * x[2]
    for k in range(2, n + 2):
        y[k] = np.sin(y[k - 1] * y[k - 2]) + x[3] * y[k - 1]
    return np.sum(y ** 2)


def around(x, n):
    """The entry before the first one is the last one, which is written later."""
    y = x * 1.0
    for k in range(len(y)):
        y[k] = np.sin(y[k - 1]) * y[k] + x[k] ** 2
    for k in range(n):
        y[k] = y[k - 1] * y[k - 2]
    return np.sum(y ** 2)


def backwards(x, n):
    """A recurrence from the end, and one in which it meets what is written later."""
    y = np.zeros(n + 1)
    y[n] = x[0] * x[1]
    for k in range(n - 1, -1, -1):
        y[k] = np.cos(y[k + 1] * x[2]) + y[k + 1] ** 2 * x[3]
    z = y * x[0]
    for k in range(n, 0, -1):
        z[k] = z[k - 1] * z[k] + np.exp(z[k - 1])
    return np.sum(z * y)


def seidel(x, n):
    """Every sweep writes every entry once more."""
    u = x * 1.0
    for _ in range(n):
        for i in range(1, len(u) - 1):
            u[i] = np.sin(u[i - 1]) * u[i + 1] + u[i] ** 2
    return np.sum(u ** 3)


def rows_of_steps(x, n):
    """A row for each step: those before it stay as they are, but for one that is changed twice."""
    u = np.zeros((n + 1, len(x)))
    u[0] = x
    for k in range(n):
        u[k + 1] = np.sin(u[k]) * u[k, 0]
        u[k + 1, 1:] += u[k, :-1] * u[k, 1:]
    return np.sum(u ** 2)


def alignment(x, n):
    """A table filled entry by entry, from three neighbours."""
    table = np.zeros((n + 1, n + 1))
    for i in range(1, n + 1):
        for j in range(max(1, i - 2), n + 1):
            table[i, j] = x[j % 4] * table[i - 1, j] + np.sin(table[i, j - 1]) + np.exp(table[i - 1, j - 1] * x[i % 4])
    return np.sum(table ** 2)


def read_before_written(x, n):
    """An entry is read, then written, then read again, in one trip; another sweep reads it all before."""
    y = x * 1.0
    total = np.sum(np.sin(y))
    for k in range(n):
        a = y[k] ** 2
        y[k] = a * x[0]
        total = total + y[k] ** 2 * a
        if k > 0 and y[k - 1] > 0.0:
            y[k - 1] = np.exp(y[k - 1])
    return total + np.sum(y * y)


def masked(x, n):
    """An index that stands for two dimensions comes before the loop's variable."""
    u = np.ones((2, 2, n + 1)) * x[0]
    some = np.array([[True, False], [True, True]])
    total = 0.0
    for k in range(n):
        total = total + np.sum(u[some, k] ** 2 * x[1])
        u[1, 0, k] = np.sin(u[1, 1, k + 1] * x[2])
        u[..., k + 1] = u[..., k] * x[3]
    return total + np.sum(u)


ROWS = [np.ones(2), np.arange(3.0), np.ones(1), np.arange(2.0)]
PROGRAMS = [
    (rotated, (X, 3)), (kept_in_a_list, (X, 3)), (a_view_changes_it, (X, 3)), (filled_afresh, (X, 4)), (growing, (X, 3)),
    (broadcast, (X, ROWS)), (parts_stacked, (X, 3)), (no_trip, (X, 0)), (no_trip, (X, 2)), (left_early, (X, 6)), (left_early, (0.1 * X, 9)),
    (entries_replaced, (X, 4)), (in_both_branches, (X, 4)), (accumulated, (X, 4)), (nested, (X, 4)), (recurrence, (X, 5)),
    (around, (X, 3)), (backwards, (X, 4)), (seidel, (X, 3)), (rows_of_steps, (X, 3)), (alignment, (X, 4)), (read_before_written, (X, 4)),
    (masked, (X, 3)),
]


def slope(f: Any, args: tuple[Any, ...], direction: Any, h: float = 1e-6) -> Any:
    x, *rest = args
    return (f(x + h * direction, *copy.deepcopy(rest)) - f(x - h * direction, *copy.deepcopy(rest))) / (2 * h)


@pytest.mark.parametrize(("program", "args"), PROGRAMS, ids=[f"{program.__name__}-{k}" for k, (program, _) in enumerate(PROGRAMS)])
def test_gradient_pullback_and_second_derivative_are_right(program, args):
    direction = np.array([0.4, -0.2, 0.7, 0.5])
    value, gradient = sourcediff.value_and_grad(program, mode="compiled")(*copy.deepcopy(args))
    assert np.isclose(value, program(*copy.deepcopy(args)), rtol=1e-12)
    assert np.isclose(gradient @ direction, slope(program, args, direction), rtol=1e-6)
    again, pull = sourcediff.vjp(program, *copy.deepcopy(args), wrt=0, mode="compiled")
    assert np.isclose(again, value)
    for seed in (1.0, 2.0, 1.0):  # what is on the tape stays as it is
        np.testing.assert_allclose(pull(seed), seed * gradient, rtol=1e-12)
    gradients = sourcediff.grad(program, mode="compiled")
    numeric = slope(gradients, args, direction, 1e-5)
    product = sourcediff.hvp(program, mode="compiled")(*copy.deepcopy(args), direction)
    np.testing.assert_allclose(product, numeric, rtol=2e-5, atol=1e-7)
    second = sourcediff.grad(lambda x, *rest: np.sum(gradients(x, *rest) * direction), mode="compiled")(*copy.deepcopy(args))
    np.testing.assert_allclose(second, numeric, rtol=2e-5, atol=1e-7)


def returned_and_changed(x, n):
    """What is returned is what was saved, and changed before."""
    kept = x
    for k in range(n):
        u = np.zeros_like(x)
        u[:] = np.sin(x * (k + 1))
        u[1:] = u[1:] * u[:-1]
        if k == 1:
            kept = u
        x = x + u
    return kept * np.sum(x)


def given_and_changed(x, n):
    """The caller's array is changed, then read by what follows."""
    total = 0.0
    for k in range(n):
        x[1:] = x[1:] * x[:-1]
        y = x
        total = total + np.sum(np.exp(y))
        x = np.sin(y) + k
    return total * x


@pytest.mark.parametrize("program", [returned_and_changed, given_and_changed])
def test_arrays_of_the_caller_and_returned_ones_are_left_as_they_are(program):
    mine, theirs = X.copy(), X.copy()
    plain = program(mine, 3)
    value, pull = sourcediff.vjp(program, theirs, 3, wrt=0, mode="compiled")
    np.testing.assert_array_equal(theirs, mine)
    np.testing.assert_array_equal(value, plain)
    seed = np.array([1.0, -0.5, 0.25, 2.0])
    first = pull(seed)
    theirs[:] = 7.0
    value[:] = 7.0
    np.testing.assert_array_equal(pull(seed), first)
    direction = np.array([0.4, -0.2, 0.7, 0.5])
    numeric = [program(X + h * direction, 3) @ seed for h in (1e-6, -1e-6)]
    assert np.isclose(first @ direction, (numeric[0] - numeric[1]) / 2e-6, rtol=1e-6)


def test_a_recurrence_saves_no_entry():
    text = sourcediff.gradient_source(recurrence, args=(X, 5))
    assert "y_saved" not in text and "y[k], " not in text
    assert "y[k]" in sourcediff.gradient_source(around, args=(X, 3)).partition("reversed(")[2]


def test_what_a_quotient_reads_of_itself_is_put_back():
    def f(x, y):
        for _ in range(3):
            x /= 1.5 + y ** 2
            x[1:] -= y[2]
        return np.sum(np.sin(x))

    x, y = np.array([0.2, -1.1, -1.2, 0.5]), np.array([0.3, -0.8, -0.9, -0.8])
    gradient = sourcediff.grad(f, wrt=1, mode="compiled")(x.copy(), y)
    differences = [(f(x.copy(), y + h) - f(x.copy(), y - h)) / 2e-6 for h in 1e-6 * np.eye(4)]
    np.testing.assert_allclose(gradient, differences, rtol=1e-6)
