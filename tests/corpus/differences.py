"""Slopes, differences with ends, choices, and the functions of ``np.linalg`` that are others by another name."""

import numpy as np

from .case import array, case, definite, number, positive


def slopes(x, h):
    return np.sum(np.gradient(x) ** 2) + np.sum(np.gradient(x**2, h) * x) + np.sum(np.gradient(x, h, edge_order=2) ** 3)


case(slopes, array("n"), number(0.7))


def slopes_between_points(y, steps):
    t = np.cumsum(steps)
    return np.sum(np.gradient(y, t) ** 2) + np.sum(np.gradient(y, t, edge_order=2) ** 3) + np.sum(np.gradient(y * t, np.arange(len(y))))


case(slopes_between_points, array("n"), positive("n"))


def slopes_of_a_field(f, h):
    down, across = np.gradient(f)
    fy, fx = np.gradient(f**2, h, 2 * h)
    both = np.gradient(f, h, axis=(0, 1))
    curl = np.gradient(fx, h, axis=0) - np.gradient(fy, h, axis=1)
    return np.sum(down * across) + np.sum(fy**2 + fx) + np.sum(both[0] * both[1] ** 2) + np.sum(curl**2)


case(slopes_of_a_field, array("m m"), number(0.7))


def smoothed_in_place(u, h):
    u = u.copy()
    for _ in range(3):
        u += h * np.gradient(np.gradient(u, h), h)
        u[0] = u[-1] = 0.0
    return np.sum(u**2)


case(smoothed_in_place, array("n"), number(0.7))


def differences_with_ends(x, a):
    total = np.sum(np.diff(x, prepend=0) ** 2) + np.sum(np.diff(x, 2, append=a, prepend=x[:2]) ** 3)
    table = np.diff(np.outer(x, x), axis=0, prepend=a) + np.diff(np.outer(x, x), n=1, axis=0, append=np.ones((1, len(x))) * a)
    return total + np.sum(table**2) + np.sum(np.diff([1, 2, 4], prepend=a) ** 2)


case(differences_with_ends, array("n"), number(0.4))


def choices(x, y):
    which = np.arange(len(x)) % 3
    chosen = np.choose(which, [x, y**2, 0.5])
    rows = np.choose(which + 2, np.stack([x, x * y, y]), mode="wrap")
    return np.sum(chosen**2) + np.sum(rows * x) + np.sum(np.choose(which - 1, (np.sqrt(np.abs(x)), y), mode="clip"))


case(choices, array("n"), array("n"))


def arrays_broadcast(x, a):
    rows, numbers = np.broadcast_arrays(np.outer(x, x), x * a)
    whole, part = np.divmod(x, 0.3)
    return np.sum(rows * numbers**2) + np.sum(np.i0(x) * part) + np.sum(whole)


case(arrays_broadcast, array("n"), number(0.4))


def by_other_names(a, x):
    third = np.linalg.matrix_power(a, 3) + np.linalg.matrix_power(a, 6) / 50.0
    product = np.linalg.multi_dot([a, third, np.linalg.matrix_transpose(a)])
    spread = np.linalg.trace(product) + np.linalg.diagonal(a, offset=1).sum() + np.linalg.matrix_norm(a)
    return spread + np.sum(np.linalg.matmul(a, x) ** 2) + np.sum(np.linalg.outer(x, x) ** 3) + np.sum(np.diagflat(x, 1) ** 2)


case(by_other_names, array("m m"), array("m"))


def clamped(x, values, low):
    points = np.linspace(-1.0, 1.0, len(values))
    return np.sum(np.interp(x, points, values, left=low) ** 2) + np.sum(np.interp(2 * x, points, values, left=0.0, right=low**2))


case(clamped, array("n"), array("n"), number(0.4))


def least_squares(a, b):
    x = np.linalg.lstsq(a, b, rcond=None)[0]
    more, left, rank, sizes = np.linalg.lstsq(np.vstack([a, 2.0 * a[::-1] ** 2]), np.concatenate([b, b * b]), rcond=None)
    return np.sum(x**2) + np.sum(more * left) + rank * np.sum(sizes)


case(least_squares, array("n m"), array("n"))


def least_norm(a, b):
    return np.sum(np.linalg.lstsq(a.T, np.outer(b, b), None)[0] ** 2)


case(least_norm, array("n m"), array("m"))


def line_through_points(x, y):
    slope, start = np.polyfit(x, y, 1)
    bend = np.polyfit(x, np.stack([y, y**2], axis=1), 2)[0]
    return slope * start + np.sum((y - np.polyval(np.polyfit(x, y, deg=2), x)) ** 2) + np.sum(bend**2)


case(line_through_points, array("n"), array("n"))


def roots_of_a_polynomial(p):
    z = np.roots(p)
    return np.sum(np.abs(z) ** 2) + np.sum(np.real(z * z * z))


case(roots_of_a_polynomial, positive("n"))


def by_singular_values(a, x):
    sizes = np.linalg.svdvals(a)
    return np.sum(sizes**3) + sizes[0] / sizes[-1] + np.sum(np.linalg.vecdot(a, x) ** 2)


case(by_singular_values, definite("m"), array("m"))


def conditions(a, x):
    y = np.where(np.arange(len(x)) == 1, np.nan, x)
    whole, part = divmod(2.5 * x[0], x[1])
    sizes = np.linalg.svd(a, compute_uv=False)
    total = np.linalg.cond(a) + sizes[0] * sizes[1] + part**2 + whole
    return total + np.sum(np.nancumsum(y) ** 2) + np.sum(np.nancumprod(np.stack([y, x]), axis=1))


case(conditions, definite("m"), positive("n"))


def numbers_put_beside(x):
    return np.sum(np.append(x, 4.0) ** 2) + np.prod(np.insert(x, 1, 2.5))


case(numbers_put_beside, array("n"))


def correlations(x, y):
    together = np.corrcoef(x, y)[0, 1] + np.cov(x, y=y)[0, 1] * np.cov(x, y, ddof=0)[1, 1]
    columns = np.stack((x, y * x), axis=1)
    return together + np.sum(np.cov(columns, np.stack((y,), axis=1), rowvar=False) ** 2) + np.sum(np.corrcoef(columns, rowvar=False))


case(correlations, array("n"), array("n"))


def products_in_space(a, b):
    return np.sum(np.cross(a, b) * b) + np.sum(np.cross(a[0], np.array([1.0, 0.5, -2.0])) ** 2)


case(products_in_space, array("3 3"), array("3 3"))


def spaced_from_arrays(x, s):
    rows, one = np.linspace(x, 2.0, 4), np.linspace(s, 1, 5)
    return np.sum(rows ** 2) + np.sum(rows[1:] @ x) + np.sum(np.linspace(s, x, 3) * np.linspace(x, x ** 2, 3)) + one @ one


case(spaced_from_arrays, array("n"), number(0.7))
