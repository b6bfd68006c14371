"""Value and several tangents of waves with respect to u. Written by sourcediff 0.1.0."""

# source: test_derivatives_again.py = tests/test_derivatives_again.py

import numpy as np


def waves_jvps(u, c, u_dot, count):  # test_derivatives_again.py:288
    u_dot = u_dot.copy()  # test_derivatives_again.py:289
    u = u.copy()
    for _ in range(3):  # test_derivatives_again.py:290
        t4 = u[2:] - u[:-2]  # test_derivatives_again.py:291
        u_dot[:, 1:-1] += c * (np.cos(t4) * (u_dot[:, 2:] - u_dot[:, :-2]))
        u[1:-1] += c * np.sin(t4)
    return np.stack((u, u ** 2))[:, 1:], np.stack((u_dot, 2 * u * u_dot), axis=1)[:, :, 1:]  # test_derivatives_again.py:292
