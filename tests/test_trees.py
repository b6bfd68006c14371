"""k-d trees of points that are differentiated: who is near is constant, how far is not. The judge is differences."""

import numpy as np
import pytest

import sourcediff

from .eager.numbers import differences

spatial = pytest.importorskip("scipy.spatial", reason="SciPy is not installed")

POINTS = np.random.default_rng(0).normal(size=(7, 2))


def pairs(points):
    near = spatial.cKDTree(points).query_pairs(1.4, output_type="ndarray")
    return np.sum(np.exp(-np.linalg.norm(points[near[:, 0]] - points[near[:, 1]], axis=1)))


def pairs_one_by_one(points):
    tree = spatial.KDTree(points, leafsize=5)
    return sum(np.sum((points[i] - points[j]) ** 2) for i, j in tree.query_pairs(1.4)) / tree.n


def balls(points):
    total = 0.0
    for i, near in enumerate(spatial.KDTree(points).query_ball_point(points, 1.2)):
        for j in near:
            total += np.sum(np.cos(points[i] - points[j]))
    return total


def neighbours(points):
    tree = spatial.cKDTree(points)
    away, near = tree.query(points, k=3, distance_upper_bound=1.5)
    return np.sum(away[np.isfinite(away)] ** 2) + np.sum(points[near[:, 1] % len(points)]) + tree.query([0.1, 0.2])[0]


def periodic(points):
    tree = spatial.cKDTree(points % 2.5, boxsize=2.5)
    away, _ = tree.query(points[:4] * 1.1 % 2.5, k=2, p=1)
    return np.sum(away**3) + len(tree.query_pairs(0.8))


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("f", [pairs, pairs_one_by_one, balls, neighbours, periodic])
def test_trees_of_differentiated_points(f, mode):
    value, gradient = sourcediff.value_and_grad(f, mode=mode)(POINTS.copy())
    np.testing.assert_allclose(value, f(POINTS), rtol=1e-13)
    np.testing.assert_allclose(gradient, differences(f, POINTS)[0], rtol=1e-6, atol=1e-7)
