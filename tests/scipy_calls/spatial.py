"""scipy.spatial, its distances and its rotations."""

import numpy as np
from scipy.spatial import ConvexHull, KDTree, distance, distance_matrix
from scipy.spatial.distance import cdist, pdist, squareform
from scipy.spatial.transform import Rotation, Slerp
from scipy.spatial.transform import Rotation as R

from tests.corpus.case import array, definite, number

from .call import call, near, probabilities


@call(array("4 3"), array("5 3"))
def distances_between(x, y):
    return np.sum(cdist(x, y))


@call(array("4 3"), array("5 3"), number(1.2))
def kernel_matrix(x, y, length):
    K = np.exp(-0.5 * cdist(x, y, "sqeuclidean") / length**2)
    return np.sum(K**2)


@call(array("4 3"), array("5 3"))
def cosine_distances(x, y):
    return np.sum(cdist(x, y, "cosine"))


@call(array("4 3"), array("5 3"))
def cityblock_and_chebyshev(x, y):
    return np.sum(cdist(x, y, "cityblock")) + np.sum(cdist(x, y, metric="chebyshev"))


@call(array("4 3"), array("5 3"))
def minkowski_distances(x, y):
    return np.sum(cdist(x, y, "minkowski", p=3))


@call(array("4 3"), array("5 3"), definite("3"))
def mahalanobis_distances(x, y, VI):
    return np.sum(cdist(x, y, "mahalanobis", VI=VI))


@call(array("5 3"))
def pairwise_potential(x):
    r = pdist(x)
    return np.sum(1 / r**2 - 1 / r)


@call(array("5 3"))
def square_of_pairs(x):
    D = squareform(pdist(x, "sqeuclidean"))
    return np.sum(np.exp(-D))


@call(array("5"), array("5"))
def between_two_vectors(u, v):
    return distance.euclidean(u, v) + distance.cosine(u, v) + distance.correlation(u, v)


@call(probabilities("5"), probabilities("5"))
def jensen_shannon(p, q):
    return distance.jensenshannon(p, q)


@call(array("4 3"), array("5 3"))
def matrix_of_distances(x, y):
    return np.sum(distance_matrix(x, y))


@call(array("3 2"), np.random.default_rng(3).standard_normal((9, 2)))
def nearest_neighbours(x, points):
    tree = KDTree(points)
    _, i = tree.query(x)
    return np.sum((x - points[i]) ** 2)


@call(array("3 2"), np.random.default_rng(3).standard_normal((9, 2)))
def distances_to_neighbours(x, points):
    d, _ = KDTree(points).query(x, k=2)
    return np.sum(d)


@call(array("8 2"))
def volume_of_a_hull(points):
    return ConvexHull(points).volume


@call(array("3"), array("4 3"))
def rotated_by_a_vector(v, p):
    return np.sum(Rotation.from_rotvec(v).apply(p) * np.arange(3.0))


@call(near(30.0, -20.0, 65.0), array("3"))
def rotated_by_euler_angles(angles, p):
    r = R.from_euler("zyx", angles, degrees=True)
    return np.sum(r.apply(p) * np.array([1.0, 2.0, 3.0]))


@call(number(0.6), array("3"))
def rotated_about_an_axis(angle, p):
    return R.from_euler("z", angle).apply(p)[0]


@call(array("4"))
def matrix_of_a_quaternion(q):
    return np.sum(R.from_quat(q).as_matrix() * np.arange(9.0).reshape(3, 3))


@call(array("3"))
def through_a_matrix_and_back(v):
    M = R.from_rotvec(0.4 * v).as_matrix()
    return np.sum(R.from_matrix(M).as_rotvec() * np.array([1.0, -2.0, 0.5]))


@call(array("3"), array("3"), array("3"))
def composed_rotations(a, b, p):
    r = R.from_rotvec(a) * R.from_rotvec(b).inv()
    return np.sum(r.apply(p) ** 3)


@call(array("3"))
def angles_of_a_rotation(v):
    r = R.from_rotvec(0.5 * v)
    return np.sum(r.as_euler("xyz") ** 2) + r.magnitude()


@call(array("3"), number(0.3))
def interpolated_rotation(v, t):
    slerp = Slerp([0, 1], R.from_rotvec(np.stack([np.zeros(3), v])))
    return np.sum(slerp(t).as_rotvec() ** 2)
