"""Changing shape and putting arrays together."""

import numpy as np

from .case import array, case


def reshape_and_weigh(x, a):
    return np.sum(np.reshape(x, (2, 3)) * a) + np.sum(x.reshape(3, 2) @ a) + np.sum(x.reshape(-1) ** 2)


case(reshape_and_weigh, array("6"), array("2 3"))


def flatten_matrix(a):
    return np.sum(np.cumsum(a.ravel()) ** 2) + np.sum(np.ravel(a)[1:] * a.flatten()[:-1])


case(flatten_matrix, array("m n"))


def transposes(a):
    return np.sum(a.T @ a) + np.sum(np.transpose(a) ** 3) + np.sum(a.transpose()[0] * 2)


case(transposes, array("m n"))


def permuted_axes(t):
    u = np.transpose(t, (2, 0, 1))
    return np.sum(u[1] ** 2) + np.sum(np.swapaxes(t, 0, 2)[0] ** 3) + np.sum(np.moveaxis(t, -1, 0)[1] * 2) + np.sum(t.swapaxes(0, 1)[0])


case(permuted_axes, array("k m n"))


def joined(x, y):
    z = np.concatenate((x, y, x))
    return np.sum(z[1:] * z[:-1])


case(joined, array("n"), array("m"), float32=True)


def joined_along_columns(a, b):
    return np.sum(np.concatenate([a, b], axis=1) ** 2 @ np.arange(7.0))


case(joined_along_columns, array("m 5"), array("m 2"))


def stacked(x, y):
    s = np.stack((x, y), axis=1)
    return np.sum(s @ s.T)


case(stacked, array("n"), array("n"), units=True)


def stacked_rows(x, y):
    v = np.vstack((x, y))
    h = np.hstack((x, y))
    return np.sum(v[0] * v[1]) + np.sum(h ** 3)


case(stacked_rows, array("n"), array("n"))


def repeated(x, a):
    return np.sum(np.tile(x, 3) ** 2 * np.arange(3 * len(x))) + np.sum(np.repeat(a, 2, axis=0) ** 3) + np.sum(np.repeat(x, 2) ** 2)


case(repeated, array("n"), array("m n"))


def diagonals(x, a):
    return np.sum(np.diag(x) @ a) + np.sum(np.diag(a) ** 2) + np.trace(a @ a)


case(diagonals, array("n"), array("n n"))


def extra_axes(x):
    c = x[:, np.newaxis]
    r = np.expand_dims(x, axis=0)
    return np.sum((c - r) ** 4) + np.sum(np.squeeze(c, axis=1) ** 2) + np.sum(r.squeeze())


case(extra_axes, array("n"))


def copies(x):
    y = x.copy()
    z = np.copy(y) * np.array(x)
    return np.sum(z + np.asarray(x) * x.astype(np.float64))


case(copies, array("n"))


def array_of_scalars(s, t):
    v = np.array([s, t * s, 1.0, t])
    return np.sum(v ** 2 * np.arange(4.0))


case(array_of_scalars, array(""), array(""))


def constants_of_the_same_shape(x):
    return np.sum((x + np.ones_like(x)) * np.full(x.shape, 2.0) + np.zeros(len(x)) + np.linspace(0.0, 1.0, len(x)) * x)


case(constants_of_the_same_shape, array("n"))


def round_trip(a):
    b = a.T.reshape(a.shape).T.ravel()
    return np.sum(b[::2] ** 2) + np.sum(b[1] * b)


case(round_trip, array("m n"))


def identity_added(a):
    return np.sum((a + 0.1 * np.eye(len(a))) @ a)


case(identity_added, array("n n"))
