"""Gradient of huber with respect to r. Written by sourcediff 0.1.0."""

# source: experts.py = tests/golden/experts.py

import numpy as np


def huber_grad(r, delta):  # experts.py:106
    r_bar = np.zeros_like(r)  # experts.py:108
    for i in reversed(range(len(r))):
        if abs(r[i]) <= delta:  # experts.py:109
            r_bar[i] += r[i]  # experts.py:110
        else:
            r_bar[i] += delta * np.sign(r[i])  # experts.py:112
    return r_bar
