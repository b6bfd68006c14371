"""Polynomials as arrays of their coefficients, the highest first (``np.poly…``), or the lowest first (``np.polynomial``)."""

import numpy as np

from ...runtime.arrays import zeros_at
from ..library_functions import composite


@composite(np.polyadd)
def polyadd(a1, a2):
    p, q = np.atleast_1d(a1), np.atleast_1d(a2)
    length = max(len(p), len(q))
    return np.pad(p, (length - len(p), 0)) + np.pad(q, (length - len(q), 0))


@composite(np.polysub)
def polysub(a1, a2):
    p, q = np.atleast_1d(a1), np.atleast_1d(a2)
    length = max(len(p), len(q))
    return np.pad(p, (length - len(p), 0)) - np.pad(q, (length - len(q), 0))


@composite(np.polymul)
def polymul(a1, a2):
    p, q = np.atleast_1d(a1), np.atleast_1d(a2)
    return np.convolve(p[zeros_at(p[:-1], "f")[0]:], q[zeros_at(q[:-1], "f")[0]:])


@composite(np.polydiv)
def polydiv(u, v):
    rest, divisor = np.atleast_1d(u) * 1.0, np.atleast_1d(v) * 1.0
    steps = len(rest) - len(divisor) + 1
    quotient = []
    for k in range(steps):
        quotient.append(rest[k] / divisor[0])
        rest = rest - np.pad(quotient[k] * divisor, (k, steps - 1 - k))
    rest = rest[zeros_at(np.where(np.abs(rest[:-1]) <= 1e-8, 0.0, rest[:-1]), "f")[0]:]
    return np.reshape(np.stack(quotient), (steps,)) if steps > 0 else np.zeros(1), rest


@composite(np.polyder)
def polyder(p, m=1):
    m = int(m)
    length = max(np.size(p) - m, 0)
    powers = np.prod(np.expand_dims(np.arange(length + m - 1, m - 1, -1), 1) - np.arange(m), axis=1)
    return np.atleast_1d(p)[:length] * powers


@composite(np.polyint)
def polyint(p, m=1, k=None):
    m = int(m)
    constants = np.zeros(m) if k is None else np.broadcast_to(k, (m,))
    found = np.atleast_1d(p)
    for step in range(m):
        found = np.concatenate((found / np.arange(len(found), 0, -1), [constants[step]]))
    return found


@composite(np.poly)
def poly(seq_of_zeros):
    if np.ndim(seq_of_zeros) != 2:
        return with_zeros(np.atleast_1d(seq_of_zeros))
    found = with_zeros(np.linalg.eigvals(seq_of_zeros))
    return found if np.iscomplexobj(seq_of_zeros) else np.real(found)


def with_zeros(zeros):
    """The polynomial that has these zeros."""
    found = np.ones(1)
    for zero in zeros:
        found = np.append(found, 0.0) - zero * np.append(0.0, found)
    return found


@composite(np.polyfit)
def polyfit(x, y, deg, *, w=None, cov=False):
    p = np.polyfit(x, y, deg, w=w)
    columns = np.expand_dims(np.ones(len(x)) if w is None else w, 1) * np.vander(x, len(p))
    spread = np.linalg.inv(columns.T @ columns)
    if cov == "unscaled":
        return p, spread
    apart = (y if w is None else w * y) - columns @ p
    return p, spread * (np.sum(apart**2) / (len(x) - len(p)))


@composite(np.polynomial.polynomial.polyval)
def polynomial_polyval(x, c, tensor=True):
    c = np.reshape(c, np.shape(c) + (1,) * np.ndim(x)) if tensor else np.atleast_1d(c)
    found = c[-1] + x * 0
    for k in range(len(c) - 2, -1, -1):
        found = c[k] + found * x
    return found


@composite(np.polynomial.chebyshev.chebval)
def chebval(x, c, tensor=True):
    c = np.reshape(c, np.shape(c) + (1,) * np.ndim(x)) if tensor else np.atleast_1d(c)
    found = after = c[0] * 0 + x * 0
    for k in range(len(c) - 1, 0, -1):
        found, after = c[k] + 2 * x * found - after, found
    return c[0] + x * found - after


@composite(np.polynomial.legendre.legval)
def legval(x, c, tensor=True):
    c = np.reshape(c, np.shape(c) + (1,) * np.ndim(x)) if tensor else np.atleast_1d(c)
    found = after = c[0] * 0 + x * 0
    for k in range(len(c) - 1, -1, -1):
        found, after = c[k] + (2 * k + 1) / (k + 1) * x * found - (k + 1) / (k + 2) * after, found
    return found


@composite(np.polynomial.polynomial.polyder)
def polynomial_polyder(c, m=1, scl=1, axis=0):
    return of_basis(np.polynomial.polynomial.polyder(np.eye(np.shape(c)[axis]), m), c, axis) * scl**m


@composite(np.polynomial.chebyshev.chebder)
def chebder(c, m=1, scl=1, axis=0):
    return of_basis(np.polynomial.chebyshev.chebder(np.eye(np.shape(c)[axis]), m), c, axis) * scl**m


@composite(np.polynomial.legendre.legder)
def legder(c, m=1, scl=1, axis=0):
    return of_basis(np.polynomial.legendre.legder(np.eye(np.shape(c)[axis]), m), c, axis) * scl**m


def of_basis(results, c, axis):
    """What is linear in coefficients, by its results for each polynomial of the basis."""
    return np.moveaxis(np.tensordot(results, c, (1, axis)), 0, axis)
