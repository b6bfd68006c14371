"""Value and tangent of loss with respect to w1, w2. Written by sourcediff 0.1.0."""

# source: experts.py = tests/golden/experts.py

import numpy as np


def loss_jvp(w1, w2, x, y, w1_dot, w2_dot):  # experts.py:8
    t = x @ w1  # experts.py:9
    h_dot = np.where(t >= 0, x @ w1_dot, 0)
    h = np.maximum(t, 0)
    residual = h @ w2 - y  # experts.py:10
    return np.sum(residual ** 2), np.sum(2 * residual * (h_dot @ w2 + h @ w2_dot))  # experts.py:11
