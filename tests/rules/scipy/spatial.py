"""Samples of SciPy's distances."""

import numpy as np
from scipy import spatial
from scipy.spatial import distance

from sourcediff.rules.scipy import loaded

from ..calls import call, definite, positive, x

loaded("spatial")

TREE = spatial.KDTree(x(9, 2, seed=5))
SCATTERED = np.random.default_rng(1).normal(size=(4, 3))
U, V = x(4), np.array([0.3, -1.1, 0.8, 2.1])

SAMPLES = {
    spatial.KDTree.query: [call(TREE, x(3, 2)), call(TREE, x(2), k=3), call(TREE, x(2, 2, 2), 2)],
    spatial.cKDTree.query: [call(spatial.cKDTree(x(9, 2, seed=5)), x(3, 2))],
}
COMPOSITES = {
    distance.cdist: [
        call(x(3, 2), x(4, 2, seed=1)), call(x(3, 2), x(4, 2, seed=1), "mahalanobis", VI=definite(2, 2)),
        *(call(x(3, 2), x(4, 2, seed=1), name) for name in (
            "sqeuclidean", "cityblock", "chebyshev", "cosine", "canberra", "braycurtis", "minkowski")),
        call(x(3, 4), x(2, 4, seed=1), metric="correlation"), call(x(3, 2), x(4, 2, seed=1), "minkowski", p=3),
        call(x(3, 2), x(4, 2, seed=1), "seuclidean", V=positive(2)), call(x(3, 2), x(1, 2, seed=1), w=np.array([1.0, 3.0])),
    ],
    distance.pdist: [call(x(4, 2)), call(x(4, 2), "minkowski", p=1.5), call(x(1, 2)), call(SCATTERED, "chebyshev")],
    distance.squareform: [call(x(6)), call(x(1))],
    spatial.distance_matrix: [call(x(3, 2), x(4, 2, seed=1)), call(x(3, 2), x(4, 2, seed=1), p=3), call(x(3, 2), x(4, 2, seed=1), p=1)],
    distance.minkowski: [call(U, V, 3), call(U, V), call(U, V, p=1)], distance.mahalanobis: [call(U, V, definite(4, 4))],
    distance.seuclidean: [call(U, V, positive(4))], distance.correlation: [call(U, V)],
    distance.jensenshannon: [call(positive(4), positive(4, seed=1)), call(positive(4), positive(4, seed=1), 2.0)],
} | {getattr(distance, name): [call(U, V)] for name in "euclidean sqeuclidean cityblock chebyshev cosine canberra braycurtis".split()}
