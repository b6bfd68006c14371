"""Value and gradient of logistic with respect to w, b. Written by sourcediff 0.1.0."""

# source: experts.py = tests/golden/experts.py

import numpy as np


def logistic_value_and_grad(w, b, x, y):  # experts.py:129
    z = x @ w + b  # experts.py:130
    t1 = np.logaddexp(0, z)  # experts.py:131
    t3 = t1 - y * z
    t3_bar = 1 / t3.size
    z_bar = -t3_bar * y + t3_bar * np.exp(z - t1)
    b_bar = np.sum(z_bar)  # experts.py:130
    w_bar = x.T @ z_bar
    return np.mean(t3), (w_bar, float(b_bar))
