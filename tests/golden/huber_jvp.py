"""Value and tangent of huber with respect to r. Written by sourcediff 0.1.0."""

# source: experts.py = tests/golden/experts.py

import numpy as np


def huber_jvp(r, delta, r_dot):  # experts.py:106
    total = 0.0  # experts.py:107
    total_dot = 0.0  # experts.py:108
    for i in range(len(r)):
        if abs(r[i]) <= delta:  # experts.py:109
            t_dot = r_dot[i]  # experts.py:110
            t = r[i]
            total_dot += t * t_dot
            total += 0.5 * t ** 2
        else:
            t3_dot = r_dot[i]  # experts.py:112
            t3 = r[i]
            total_dot += delta * (np.sign(t3) * t3_dot)
            total += delta * (abs(t3) - 0.5 * delta)
    return total, total_dot
