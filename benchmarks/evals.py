"""The evaluations of GradBench (github.com/gradbench/gradbench) in plain NumPy: the gradient against the function itself."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.special import gammaln

import sourcediff

from .measure import Row, medians

BAR = 3.5


def gmm(alphas, means, icf, x, gamma, m):
    """The log likelihood of a Gaussian mixture with a Wishart prior (ADBench)."""
    n, d = x.shape
    k = len(alphas)
    diagonals, lower = icf[:, :d], icf[:, d:]
    sums = np.sum(diagonals, axis=1)
    terms = []
    for i in range(k):
        Q = np.diag(np.exp(diagonals[i]))
        Q[np.tril_indices(d, -1)] = lower[i]
        y = (x - means[i]) @ Q.T
        terms.append(alphas[i] + sums[i] - 0.5 * np.sum(y**2, axis=1))
    terms = np.array(terms)
    largest = np.max(terms, axis=0)
    likelihood = np.sum(largest + np.log(np.sum(np.exp(terms - largest), axis=0)))
    top = np.max(alphas)
    normal = n * (top + np.log(np.sum(np.exp(alphas - top))))
    p = d + m + 1
    prior = 0.5 * gamma**2 * (np.sum(np.exp(diagonals) ** 2) + np.sum(lower**2)) - m * np.sum(sums)
    constant = p * d * (np.log(gamma) - 0.5 * np.log(2)) - np.sum(gammaln(0.5 * (p - np.arange(d))))
    return likelihood - normal + prior - k * constant


def rotated(r, x):
    theta = np.sqrt(np.sum(r**2))
    if theta == 0:
        return x + np.cross(r, x)
    axis = r / theta
    return x * np.cos(theta) + np.cross(axis, x) * np.sin(theta) + axis * (axis @ x) * (1 - np.cos(theta))


def bundle(cams, points, weights, obs, feats):
    """The sum of squares of a bundle adjustment."""
    total = 0.0
    for i in range(len(obs)):
        cam, point = cams[obs[i, 0]], points[obs[i, 1]]
        local = rotated(cam[:3], point - cam[3:6])
        flat = local[:2] / local[2]
        r2 = flat @ flat
        projected = flat * (1 + cam[9] * r2 + cam[10] * r2**2) * cam[6] + cam[7:9]
        total += np.sum((weights[i] * (projected - feats[i])) ** 2) + (1 - weights[i] ** 2) ** 2
    return total


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(main, extra, state, sequence):
    """The loss of a layered LSTM that predicts the next symbol (ADBench)."""
    state = [s.copy() for s in state]
    loss = 0.0
    for t in range(len(sequence) - 1):
        x = sequence[t] * extra[0]
        for layer in range(len(main) // 2):
            weight, bias = main[2 * layer], main[2 * layer + 1]
            hidden, cell = state[2 * layer], state[2 * layer + 1]
            forget = sigmoid(x * weight[0] + bias[0])
            ingate = sigmoid(hidden * weight[1] + bias[1])
            outgate = sigmoid(x * weight[2] + bias[2])
            change = np.tanh(hidden * weight[3] + bias[3])
            cell = cell * forget + ingate * change
            state[2 * layer + 1] = cell
            state[2 * layer] = outgate * np.tanh(cell)
            x = state[2 * layer]
        predicted = x * extra[1] + extra[2]
        normed = predicted - np.log(np.sum(np.exp(predicted)) + 2)
        loss += sequence[t + 1] @ normed
    return -loss / (len(sequence) - 1)


def hand(theta, bones, parents, base, weights, targets):
    """The squared distances of a skinned hand to points (ADBench)."""
    transforms = []
    for i in range(len(parents)):
        a, b, c = theta[3 * i:3 * i + 3]
        rx = np.array([[1.0, 0.0, 0.0], [0.0, np.cos(a), -np.sin(a)], [0.0, np.sin(a), np.cos(a)]])
        ry = np.array([[np.cos(b), 0.0, np.sin(b)], [0.0, 1.0, 0.0], [-np.sin(b), 0.0, np.cos(b)]])
        rz = np.array([[np.cos(c), -np.sin(c), 0.0], [np.sin(c), np.cos(c), 0.0], [0.0, 0.0, 1.0]])
        local = np.eye(4)
        local[:3, :3] = bones[i, :3, :3] @ (rz @ ry @ rx)
        local[:3, 3] = bones[i, :3, 3]
        transforms.append(local if parents[i] < 0 else transforms[parents[i]] @ local)
    points = np.zeros((3, len(base)))
    homogeneous = np.concatenate((base.T, np.ones((1, len(base)))))
    for i in range(len(parents)):
        points += (transforms[i] @ homogeneous)[:3] * weights[i]
    return np.sum((points.T - targets) ** 2)


def kmeans(centroids, points):
    """The cost of a clustering: the squared distance of each point to the nearest centroid."""
    distances = np.sum((points[:, None, :] - centroids[None, :, :]) ** 2, axis=2)
    return np.sum(np.min(distances, axis=1))


def llsq(x, n):
    """A least squares fit of a polynomial to the sign function."""
    t = -1 + np.arange(n) * 2 / (n - 1)
    fitted = np.zeros(n)
    for j in range(len(x)):
        fitted = fitted + x[j] * t**j
    return 0.5 * np.sum((np.sign(t) - fitted) ** 2)


def lse(x):
    """The logarithm of a sum of exponentials."""
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))


def ode(x, steps):
    """Runge and Kutta's method for y_i' = x_i y_{i-1}."""
    def slope(y):
        return np.concatenate((x[:1], x[1:] * y[:-1]))

    y = np.zeros(len(x))
    h = 2.0 / steps
    for _ in range(steps):
        k1 = slope(y)
        k2 = slope(y + 0.5 * h * k1)
        k3 = slope(y + 0.5 * h * k2)
        k4 = slope(y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y[-1]


def det(A):
    """A determinant by minors."""
    n = len(A)
    if n == 1:
        return A[0, 0]
    total = 0.0
    for j in range(n):
        minor = np.concatenate((A[1:, :j], A[1:, j + 1:]), axis=1)
        total += (-1) ** j * A[0, j] * det(minor)
    return total


def particle(w, steps):
    """Where a charged particle hits the ground, between charges, by Euler's method."""
    charges = np.array([[10.0, 10.0 - w], [10.0, 0.0]])
    x, v = np.array([0.0, 8.0]), np.array([0.75, 0.0])
    h = 0.1
    for _ in range(steps):
        push = np.zeros(2)
        for p in charges:
            r = x - p
            push = push + r / np.sum(r**2) ** 1.5
        v = v + h * push
        x = x + h * v
    return x[1] ** 2


def saddle(start, steps):
    """The value that descent in two coordinates and ascent in the two others come to."""
    x, y = start[:2], start[2:4]
    for _ in range(steps):
        far = x @ x + y @ y
        gx = 2 * x - 4 * x * far * 0.01
        gy = -2 * y
        x = x - 0.01 * gx
        y = y + 0.01 * gy
    return (x @ x - y @ y) - 0.01 * (x @ x + y @ y) ** 2


def arguments() -> list[tuple[Callable[..., Any], tuple[Any, ...], tuple[int, ...]]]:
    """Each function, its arguments, and the positions of those that are differentiated."""
    rng = np.random.default_rng(0)
    normal = rng.standard_normal
    k, d, n = 5, 10, 1000
    mixture = (normal(k), normal((k, d)), normal((k, d * (d + 1) // 2)), normal((n, d)), 1.0, 0)
    cams, points, count = normal((5, 11)) * 0.1, normal((50, 3)) + np.array([0.0, 0.0, 4.0]), 200
    obs = np.stack((rng.integers(0, 5, count), rng.integers(0, 50, count)), axis=1)
    bundles = (cams, points, np.ones(count) * 0.9, obs, normal((count, 2)))
    width, layers, length = 14, 2, 40
    letters = np.eye(width)[rng.integers(0, width, length)]
    recurrent = (normal((2 * layers, 4, width)) * 0.3, normal((3, width)) * 0.3, normal((2 * layers, width)), letters)
    parents = np.array([-1, 0, 1, 2, 0, 4, 5, 0, 7, 8, 0, 10, 11, 0, 13, 14])
    bones = np.tile(np.eye(4), (16, 1, 1))
    bones[:, :3, 3] = normal((16, 3))
    skinned = (normal(48) * 0.1, bones, parents, normal((500, 3)), rng.random((16, 500)) / 16, normal((500, 3)))
    return [
        (gmm, mixture, (0, 1, 2)), (bundle, bundles, (0, 1, 2)), (lstm, recurrent, (0, 1)), (hand, skinned, (0,)),
        (kmeans, (normal((10, 8)), normal((1000, 8))), (0,)), (llsq, (normal(8), 500), (0,)), (lse, (normal(1000),), (0,)),
        (ode, (normal(100), 50), (0,)), (det, (normal((5, 5)),), (0,)), (particle, (3.0, 100), (0,)), (saddle, (normal(4), 100), (0,)),
    ]


def rows() -> list[Row]:
    """A row for each function."""
    found = []
    for function, args, wrt in arguments():
        gradient = sourcediff.value_and_grad(function, wrt=wrt, mode="compiled")
        assert np.isclose(gradient(*args)[0], function(*args))
        ours, theirs = medians(partial(gradient, *args), partial(function, *args), rounds=15, clock=time.process_time)
        found.append(Row("evaluations", function.__name__, ours, "the function", theirs, 10.0 if function is det else BAR))
    logs = [np.log(row.ratio) for row in found]
    found.append(Row("evaluations", "geometric mean", float(np.exp(np.mean(logs))), "the function", 1.0, BAR))
    return found


