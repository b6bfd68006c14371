"""SciPy's distances and k-d trees. The derivative of a distance is zero where it is zero."""

import numpy as np
from scipy import spatial
from scipy.spatial import distance

from ...errors import MissingRuleError
from ..frames import constant, general
from ..library_functions import composite
from ..library_objects import record
from . import rotation as rotation


def length(square):
    """The root of a sum of squares, with derivative zero where that is zero."""
    zero = square == 0
    return np.where(zero, 0.0, np.sqrt(np.where(zero, 1.0, square)))


def between(u, v, metric, p=2, V=None, VI=None, w=None):
    """The distances of vectors along the last axis."""
    d = u - v
    if metric == "euclidean":
        return length(np.sum(d**2 if w is None else w * d**2, axis=-1))
    if metric == "sqeuclidean":
        return np.sum(d**2 if w is None else w * d**2, axis=-1)
    if metric == "cityblock":
        return np.sum(np.abs(d) if w is None else w * np.abs(d), axis=-1)
    if metric == "minkowski":
        if p == 1:
            return between(u, v, "cityblock", w=w)
        if p == 2:
            return between(u, v, "euclidean", w=w)
        if p == np.inf:
            return between(u, v, "chebyshev", w=w)
        total = np.sum(np.abs(d) ** p if w is None else w * np.abs(d) ** p, axis=-1)
        zero = total == 0
        return np.where(zero, 0.0, np.where(zero, 1.0, total) ** (1 / p))
    if w is not None:
        raise MissingRuleError(f"the distance {metric} has no derivative with the keyword w=", remedy="write it out with NumPy")
    if metric == "chebyshev":
        return np.max(np.abs(d), axis=-1)
    if metric == "cosine":
        return 1 - np.sum(u * v, axis=-1) / np.sqrt(np.sum(u**2, axis=-1) * np.sum(v**2, axis=-1))
    if metric == "correlation":
        return between(u - np.mean(u, axis=-1, keepdims=True), v - np.mean(v, axis=-1, keepdims=True), "cosine")
    if metric == "canberra":
        size = np.abs(u) + np.abs(v)
        return np.sum(np.abs(d) / np.where(size == 0, 1.0, size), axis=-1)
    if metric == "braycurtis":
        return np.sum(np.abs(d), axis=-1) / np.sum(np.abs(u + v), axis=-1)
    if metric == "seuclidean" and V is not None:
        return length(np.sum(d**2 / V, axis=-1))
    if metric == "mahalanobis" and VI is not None:
        return length(np.sum(d @ VI * d, axis=-1))
    raise MissingRuleError(f"the distance {metric} has no derivative rule", remedy="write it out with NumPy (or give V= or VI=)")


@composite(distance.cdist)
def cdist(XA, XB, metric="euclidean", *, out=None, p=2, V=None, VI=None, w=None):
    return between(np.expand_dims(XA, 1), np.expand_dims(XB, 0), metric, p, V, VI, w)


@composite(distance.pdist)
def pdist(X, metric="euclidean", *, out=None, p=2, V=None, VI=None, w=None):
    first, second = np.triu_indices(len(X), 1)
    return between(X[first], X[second], metric, p, V, VI, w)


@composite(spatial.distance_matrix)
def distance_matrix(x, y, p=2, threshold=1000000):
    return between(np.expand_dims(x, 1), np.expand_dims(y, 0), "minkowski", p)


@composite(distance.squareform)
def squareform(X, force="no", checks=True):
    if np.ndim(X) == 1:
        size = round(np.sqrt(2 * np.size(X) + 0.25) + 0.5)
        half = np.zeros((size, size))
        half[np.triu_indices(size, 1)] = X
        return half + np.transpose(half)
    return X[np.triu_indices(len(X), 1)]


@composite(distance.euclidean)
def euclidean(u, v, w=None):
    return between(u, v, "euclidean", w=w)


@composite(distance.sqeuclidean)
def sqeuclidean(u, v, w=None):
    return between(u, v, "sqeuclidean", w=w)


@composite(distance.cityblock)
def cityblock(u, v, w=None):
    return between(u, v, "cityblock", w=w)


@composite(distance.minkowski)
def minkowski(u, v, p=2, w=None):
    return between(u, v, "minkowski", p, w=w)


@composite(distance.chebyshev)
def chebyshev(u, v, w=None):
    return between(u, v, "chebyshev", w=w)


@composite(distance.cosine)
def cosine(u, v, w=None):
    return between(u, v, "cosine", w=w)


@composite(distance.correlation)
def correlation(u, v, w=None, centered=True):
    return between(u, v, "correlation" if centered else "cosine", w=w)


@composite(distance.canberra)
def canberra(u, v, w=None):
    return between(u, v, "canberra", w=w)


@composite(distance.braycurtis)
def braycurtis(u, v, w=None):
    return between(u, v, "braycurtis", w=w)


@composite(distance.seuclidean)
def seuclidean(u, v, V):
    return between(u, v, "seuclidean", V=V)


@composite(distance.mahalanobis)
def mahalanobis(u, v, VI):
    return between(u, v, "mahalanobis", VI=VI)


@composite(distance.jensenshannon)
def jensenshannon(p, q, base=None, *, axis=0, keepdims=False):
    p = p / np.sum(p, axis=axis, keepdims=True)
    q = q / np.sum(q, axis=axis, keepdims=True)
    m = (p + q) / 2
    p_zero = p == 0
    q_zero = q == 0
    left = np.where(p_zero, 0.0, p * np.log(np.where(p_zero, 1.0, p) / np.where(p_zero, 1.0, m)))
    right = np.where(q_zero, 0.0, q * np.log(np.where(q_zero, 1.0, q) / np.where(q_zero, 1.0, m)))
    total = np.sum(left + right, axis=axis, keepdims=keepdims)
    return length(total / 2 if base is None else total / (2 * np.log(base)))


def query(g, z, self, x, k=1, eps=0, p=2):
    distances = z[0]
    offset = np.expand_dims(x, -2) - np.reshape(self.data[z[1]], np.shape(x)[:-1] + (-1, np.shape(x)[-1]))
    slope = g[0] / np.where(distances == 0, 1.0, distances)
    return None, np.sum(np.reshape(slope, np.shape(x)[:-1] + (-1, 1)) * offset, axis=-2)


def query_forward(z, dx, self, x, k=1, eps=0, p=2):
    distances = z[0]
    offset = np.expand_dims(x, -2) - np.reshape(self.data[z[1]], np.shape(x)[:-1] + (-1, np.shape(x)[-1]))
    slope = np.reshape(np.sum(offset * np.expand_dims(dx, -2), axis=-1), np.shape(distances))
    return slope / np.where(distances == 0, 1.0, distances), np.zeros(np.shape(z[1]))


def nearest(data, box, x, k, eps, p, bound):
    """The numbers of the points of a tree that are nearest to places."""
    return spatial.cKDTree(data, boxsize=box).query(x, k, eps, p, bound)[1]


def pairs_within(data, box, r, p, eps, output_type):
    """The pairs of points of a tree that are not further apart than r; of a set the list, which a loop goes over in the same order."""
    found = spatial.cKDTree(data, boxsize=box).query_pairs(r, p, eps, output_type=output_type)
    return list(found) if isinstance(found, set) else found


def near(data, box, x, r, p, eps, ordered, counted):
    """The numbers of the points of a tree (or how many there are) that are not further than r from places."""
    return spatial.cKDTree(data, boxsize=box).query_ball_point(x, r, p, eps, return_sorted=ordered, return_length=counted)


class Tree:
    """A tree of differentiated points: which of them are near is constant, how far they are is not."""

    def __init__(self, data, leafsize=10, compact_nodes=True, copy_data=False, balanced_tree=True, boxsize=None):
        self.data = data
        self.boxsize = boxsize
        self.n, self.m = np.shape(data)

    def query(self, x, k=1, eps=0, p=2.0, distance_upper_bound=np.inf):
        number = nearest(self.data, self.boxsize, x, k, eps, p, distance_upper_bound)
        missing = number == len(self.data)  # nothing within the bound
        points = np.reshape(self.data[np.where(missing, 0, number)], np.shape(x)[:-1] + (-1, np.shape(x)[-1]))
        away = np.expand_dims(x, -2) - points
        if self.boxsize is not None:
            away = away - self.boxsize * np.round(away / self.boxsize)
        return np.where(missing, np.inf, np.reshape(between(away, 0.0, "minkowski", p), np.shape(number))), number

    def query_pairs(self, r, p=2.0, eps=0, output_type="set"):
        return pairs_within(self.data, self.boxsize, r, p, eps, output_type)

    def query_ball_point(self, x, r, p=2.0, eps=0, workers=1, return_sorted=None, return_length=False):
        return near(self.data, self.boxsize, x, r, p, eps, return_sorted, return_length)


constant(nearest, pairs_within, near)
for _tree in (spatial.KDTree, spatial.cKDTree):
    composite(_tree)(Tree)
    general(_tree.query, outputs=2, only={"p": (2,)})(query).pushforward(query_forward)
    record(_tree)
