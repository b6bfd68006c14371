"""Value and pullback of waves with respect to u. Written by sourcediff 0.1.0."""

# source: test_derivatives_again.py = tests/test_derivatives_again.py

import numpy as np

from sourcediff.runtime import keep_zeros, like


@np.errstate(divide='ignore', invalid='ignore')
def waves_forward(u, c):  # test_derivatives_again.py:288
    u_saved = u.copy()  # test_derivatives_again.py:289
    u = u.copy()
    t2_saved = []  # test_derivatives_again.py:290
    for _ in range(3):
        t2 = u[2:] - u[:-2]  # test_derivatives_again.py:291
        u[1:-1] += c * np.sin(t2)
        t2_saved.append(t2)  # test_derivatives_again.py:290
    t6 = np.stack((u, u ** 2))  # test_derivatives_again.py:292
    return t6[:, 1:], (c, t2_saved, t6.copy(), u, u_saved)


@np.errstate(divide='ignore', invalid='ignore')
def waves_pullback(tape, value_bar):  # test_derivatives_again.py:288
    c, t2_saved, t6, u, u_saved = tape
    t2_saved = list(t2_saved)
    t6_bar = np.zeros_like(t6)  # test_derivatives_again.py:292
    t6_bar[:, 1:] = value_bar
    u_bar, t5_bar = t6_bar
    u_bar = u_bar + keep_zeros(t5_bar * (2 * u), t5_bar)
    for _ in reversed(range(3)):  # test_derivatives_again.py:290
        t2 = t2_saved.pop()
        t2_bar = u_bar[1:-1] * c * np.cos(t2)  # test_derivatives_again.py:291
        u_bar[:-2] -= t2_bar
        u_bar[2:] += t2_bar
    return like(u_bar, u_saved),
