"""Value and gradient of loss with respect to w1, w2. Written by sourcediff 0.1.0."""

# source: experts.py = tests/golden/experts.py

import numpy as np


def loss_value_and_grad(w1, w2, x, y):  # experts.py:8
    t = x @ w1  # experts.py:9
    h = np.maximum(t, 0)
    residual = h @ w2 - y  # experts.py:10
    residual_bar = 2 * residual  # experts.py:11
    h_bar = residual_bar @ w2.T  # experts.py:10
    w2_bar = h.T @ residual_bar
    w1_bar = x.T @ np.where(t >= 0, h_bar, 0)  # experts.py:9
    return np.sum(residual ** 2), (w1_bar, w2_bar)
