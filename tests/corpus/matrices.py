"""Decompositions of matrices, covariances, tables of all pairs, other orders of entries."""

import numpy as np

from .case import array, case, count, definite, number, positive


def entropy_of_eigenvalues(a):
    w = np.linalg.eigvalsh(a @ a.T + np.eye(len(a)))
    return np.sum(w * np.log(w))


case(entropy_of_eigenvalues, array("m n"))


def lower_triangle_alone(a):
    """NumPy reads the lower triangle of a matrix that it takes for symmetric; so does the derivative."""
    w, v = np.linalg.eigh(a)
    return np.sum(np.linalg.cholesky(a) ** 3) + w[0] * w[-1] + np.sum(v[0] ** 2 * v[1] ** 2) + np.linalg.eigvalsh(a)[0]


case(lower_triangle_alone, definite("m"))


def principal_axis(x):
    w, v = np.linalg.eigh(np.cov(x, rowvar=False))
    return np.sum((x @ v[:, -1]) ** 2) + w[-1]


case(principal_axis, array("n m"))


def powers_of_a_matrix(a, steps):
    total = 0.0
    for _ in range(steps):
        q, r = np.linalg.qr(a)
        a = r @ q + 0.1 * a
        total += r[0, 0] * r[1, 1]
    return total + np.sum(a**2)


case(powers_of_a_matrix, definite("m"), 2)


def low_rank_part(a):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    part = (u[:, :1] * s[:1]) @ vt[:1]
    return np.sum(part**3) + np.sum(s)


case(low_rank_part, array("n m"))


def least_squares(a, b, ridge):
    x = np.linalg.pinv(a) @ b
    if ridge > 0:
        x = x + np.linalg.solve(a.T @ a + ridge * np.eye(a.shape[1]), a.T @ b)
    return np.sum((a @ x - b) ** 2) + np.sum(x)


case(least_squares, array("n m"), array("n"), number(0.3))


def correlations(x, y):
    c = np.corrcoef(x, rowvar=False)
    d = np.cov(y, ddof=0)
    return np.sum(np.tril(c, -1) ** 2) + np.sum(d[0] * d[-1]) + np.cov(y[0]) * 2.0


case(correlations, array("n m"), array("m n"))


def pairs(x, y):
    apart = np.subtract.outer(x, y)
    nearest = np.minimum(np.add.outer(x, y), 0.7)
    return np.sum(np.exp(-(apart**2))) + np.sum(nearest * np.multiply.outer(x, y))


case(pairs, array("n"), array("m"))


def other_orders(x):
    columns = np.ravel(x, order="F")
    table = np.reshape(columns, (x.shape[1], x.shape[0]))
    again = x.reshape((x.shape[1], x.shape[0]), order="F")
    return np.sum(columns * np.arange(x.size)) + np.sum(table * again) + np.sum(x.ravel("F")[:2] ** 2)


case(other_orders, array("n m"))


def entries_put_between(x, s):
    longer = np.insert(x, 1, s)
    framed = np.insert(longer, [0, len(longer)], x[:2])
    return np.sum(framed**2 * np.arange(len(framed)))


case(entries_put_between, array("n"), number(0.8))


def areas(y, x):
    return np.sum(np.trapezoid(y, axis=0) ** 2) + np.trapezoid(np.trapezoid(y, x, axis=0)) + np.trapezoid(x)


case(areas, array("n m"), array("n"))


def grids(a, b, n):
    rates = np.logspace(a, b, n)
    steps = np.geomspace(b, 2.0 * b, n)
    return np.sum(np.exp(-rates) * steps)


case(grids, number(-0.5), number(0.4), count("n"))


def phases_unwrapped(x, t):
    phase = np.arctan2(np.sin(4.0 * x), np.cos(4.0 * x))
    return np.sum(np.unwrap(phase) * t)


case(phases_unwrapped, positive("n"), array("n"))


def selected_by_conditions(x, y):
    z = np.select([x > 1.0, x > 0.0, y > 0.5], [x**2, x * y, -y], default=0.3 * x)
    for _ in range(2):
        z = np.select([z > 2.0, z < -2.0], [np.log(np.abs(z)), z[::-1]], z)
    return np.sum(z * y) + np.sum(np.select([x > 0], [np.sqrt(np.abs(x))]))


case(selected_by_conditions, array("n"), array("n"))


def blocks(a, b, x):
    whole = np.block([[a, b], [2.0 * a, np.ones(b.shape)]])
    row = np.block([x, 1.0, x[:2] ** 2])
    column = np.block([[x, 0.5], [x[0], x]])
    return np.sum(whole**3) + np.sum(row * np.arange(len(row))) + np.sum(np.sin(column) * column[::-1])


case(blocks, array("m m"), array("m n"), array("n"))


def points_of_a_grid(x, y):
    xx, yy = np.meshgrid(x, y)
    i, j = np.meshgrid(x, y, indexing="ij")
    return np.sum(np.sin(xx * yy)) + np.sum(i**2 * j) + np.sum(xx - yy)


case(points_of_a_grid, array("n"), array("m"))


def eigenvalues_of_a_bidiagonal_matrix(x):
    a = np.diag(x) + np.diag([0.5, 0.3], 1)
    found = []
    for m in range(3):
        a[m] = a[m] * 2.0
        found.append(a[m, m])
    return found[0] * found[1] * found[2] + np.sum(a)


case(eigenvalues_of_a_bidiagonal_matrix, array("3"))
