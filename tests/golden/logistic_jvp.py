"""Value and tangent of logistic with respect to w, b. Written by sourcediff 0.1.0."""

# source: experts.py = tests/golden/experts.py

import numpy as np


def logistic_jvp(w, b, x, y, w_dot, b_dot):  # experts.py:129
    z_dot = x @ w_dot + b_dot  # experts.py:130
    z = x @ w + b
    t1 = np.logaddexp(0, z)  # experts.py:131
    return np.mean(t1 - y * z), np.mean(np.exp(z - t1) * z_dot - y * z_dot)
