"""The short ways of library runs: stores, selections, joins, products, and numbers among arrays, against differences, twice."""

import numpy as np
import pytest

import sourcediff

from .numbers import differences

X = np.array([0.31, 0.17, 0.43, 0.26])
WEIGHTS = np.array([1.0, 2.0, -1.0, 0.5])


def a_mask_that_is_overwritten(x):
    m = x > 0.2
    y = np.where(m, x, 2 * x * x)
    m[:] = False
    return np.sum(y * y)


def a_factor_that_is_overwritten(x):
    m = x > 0.2
    y = m * x
    m[:] = False
    return np.sum(y * x)


def a_mask_times_a_number(x):
    m = x > 0.2
    s = x[0] * x[1]
    y = m * s
    m[:] = False
    return np.sum(y * x)


def stores_through_views(x):
    u = np.zeros(6)
    v = u[1:4]
    u[0] = x[0]
    u[1] = x[1] * u[0]
    w = v * x[2]
    v[:] = w * 2
    u[2] = u[1] * u[3] + x[3]
    u[1:3] *= x[0]
    u[::2] = u[1::2] * x[1]
    u[4] = 2
    u[-1] = u[4] * x[2]
    return np.sum(u * u) + np.sum(v)


def stores_of_what_was_read(x):
    u = x * 1.0
    a = u * u
    u[1] = a[0]
    b = u * a
    u[0] = 0.0
    u[2:] = b[:2]
    a[1:] = u[:3]
    c = np.dot(a, u)
    u[3] = c
    return np.sum(u) + np.sum(a) + np.sum(b)


def stores_into_itself(x):
    u = x.copy()
    u[1:] = u[:-1]
    u[0] = u[3] * u[1]
    u[:] = u[::-1]
    return np.sum(u * x)


def stores_of_rows(x):
    u = np.zeros((3, 4))
    u[0] = x
    u[1, :2] = u[0, 2:] * x[0]
    u[2] = u[1] + u[0, 1]
    u[:, 3] = u[2, 0]
    u[1:, 1:] = u[:2, :3] * x[1]
    return np.sum(u**2)


def arrays_of_lists(x):
    y = np.array([x[0], 1, x[1] * 2.0])
    z = np.asarray((x[2], y[0]))
    q = np.array([[x[0], x[1]], [x[2], 1.0]])
    y[0] = 5.0
    return np.sum(y) * np.prod(z) + np.linalg.det(q)


def products(x):
    A = np.outer(x, x) + np.eye(4)
    y = np.dot(A, x)
    z = np.dot(x, A)
    s = np.dot(y, z)
    x2 = x * 1.0
    t = np.dot(x2, x2)
    x2 *= 0.0
    A[0] = 0.0
    return s + np.matmul(A, y).sum() + t + np.sum(np.dot(A, A))


def joins(x):
    a = x * 2
    b = x[:2]
    c = np.concatenate([a, b, a])
    a[0] = 0.0
    d = np.concatenate((c, np.ones(2)))
    e = np.stack([a, x])
    f = np.vstack([x, a])
    g = np.hstack([a, b])
    h = np.hstack([e, f])
    return np.sum(c**2) + np.sum(d) * x[0] + np.sum(e * f) + np.sum(g**3) + np.sum(h**2) + np.sum(np.stack([x, a], axis=1)[:, 0] ** 2)


def numbers_with_arrays(x):
    s = x[0] * x[1]
    t = 3.0 - x * s
    u = s - x
    v = s / x
    w = np.float64(2) - s
    k = 2**s
    r = s**2 + s**-1.5
    return (
        np.sum(t * u * v) * w
        + k * r
        - (-s)
        + abs(s)
        + s // 1
        + s % 0.3
        + np.maximum(s, 0.1)
        + np.maximum(0.1, s)
        + np.minimum(s, x[0])
        + np.maximum(x, s).sum()
        + np.maximum(s, x).sum()
        + np.arctan2(s, x[2])
        + np.hypot(1.0, s)
    )


def selections(x):
    y = x - 0.4
    z = np.where(y >= 0, np.sqrt(np.abs(y) + 1e-3), 0.0)
    n = np.where(x[0] > 0, x[0] ** 1.5, 0.0)
    m = max(x[0], 0.05) * min(x[1], 5.0)
    return np.sum(z) + n + m


def updates(x):
    a = x * x
    b = np.exp(a)
    a *= x
    a += 1.0
    a -= x[0]
    b /= a
    b **= 2
    a += np.float64(2)
    s = x[0]
    s += x[1]
    s *= 2
    return np.sum(a * b) * s


def without_dimensions(x):
    y = np.sum(x, keepdims=True)[0]
    z = np.array(y * x[0])
    z += x[1]
    u = np.zeros(())
    u[()] = y * z
    return u * y + z


def broadcast_selections(x):
    A = x[:, None] * x
    return (
        np.sum(np.where(A > 0.05, A, x[1]))
        + np.sum(np.where(A > 0.05, 1.0, x))
        + np.sum(np.where(x > 0.2, x[0], 0))
        + np.sum(A * x[0] + x[:, None] - x)
    )


def stores_by_arrays(x):
    i = np.array([0, 0, 2])
    u = np.zeros(4)
    u[i] += x[:3]
    u[i] = u[i] * x[1:]
    y = x[i] * x[[1, 2, 1]]
    u[x > 0.25] = 7.0
    np.add.at(u, i, y)
    return np.sum(u * u)


def a_recurrence(x):
    t = np.zeros(50)
    t[0] = x[0]
    for i in range(1, 50):
        t[i] = t[i - 1] * x[1] + x[2] * t[i // 2]
    return np.sum(t * t) + t[-1] * x[3]


def views_of_matrices(x):
    A = x[:, None] * x + np.eye(4)
    B = A.T
    B[0, 1] = x[2]
    A[2] += B[:, 0]
    C = A @ B
    A[:] = 0
    return np.sum(C * C) + B.sum()


PROGRAMS = (
    a_mask_that_is_overwritten,
    a_factor_that_is_overwritten,
    a_mask_times_a_number,
    stores_through_views,
    stores_of_what_was_read,
    stores_into_itself,
    stores_of_rows,
    arrays_of_lists,
    products,
    joins,
    numbers_with_arrays,
    selections,
    updates,
    without_dimensions,
    broadcast_selections,
    stores_by_arrays,
    a_recurrence,
    views_of_matrices,
)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_first_and_second_order(program):
    def slope(x):
        return np.sum(sourcediff.grad(program, mode="eager")(x) * WEIGHTS)

    value, gradient = sourcediff.value_and_grad(program, mode="eager")(X.copy())
    assert np.isclose(value, program(X.copy()), rtol=1e-14)
    (expected,) = differences(program, X)
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-7)
    (expected,) = differences(slope, X)
    np.testing.assert_allclose(sourcediff.grad(slope, mode="eager")(X.copy()), expected, rtol=1e-5, atol=1e-6)


def test_long_columns_of_stores_cost_what_the_stores_cost():
    def filled(x):
        column = np.zeros(100_000)
        for i in range(300):
            column[i] = x * i
        return np.sum(column)

    value, gradient = sourcediff.value_and_grad(filled, mode="eager")(2.0)
    assert value == 2.0 * 44850 and gradient == 44850.0


def test_where_nothing_is_recorded():
    def partly(x):
        with sourcediff.no_grad():
            constant = np.sin(x * 2) + x[0] * 3
            constant[0] = 1.0
        return np.sum(x * constant)

    (gradient,) = sourcediff.grad(partly, wrt=(0,), mode="eager")(X.copy())
    np.testing.assert_allclose(gradient, np.concatenate([[1.0], np.sin(X[1:] * 2) + X[0] * 3]))


def test_single_precision_stays_single():
    def mixed(x):
        u = np.zeros(4, x.dtype)
        u[0] = x[0] * x[1]
        z = x * np.float64(2.0) * x[0]
        u[1:] = z[:3]
        return np.sum(u) + np.sum(np.concatenate([x, z])) + np.sum(np.where(x > 0.2, x, np.float64(2.0))) * x[0]

    gradient = sourcediff.grad(mixed, mode="eager")(X.astype(np.float32))
    (expected,) = differences(lambda x: mixed(x.astype(np.float64)), X)
    assert gradient.dtype == np.float32
    np.testing.assert_allclose(gradient, expected, rtol=1e-5)
