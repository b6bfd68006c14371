"""Value and pullback of waves with respect to u. Written by sourcediff 0.1.0."""

# source: test_derivatives_again.py = tests/test_derivatives_again.py

import numpy as np

from sourcediff.runtime import keep_zeros, like


@np.errstate(divide='ignore', invalid='ignore')
def waves_forward(u, c):  # test_derivatives_again.py:288
    u_saved = u.copy()  # test_derivatives_again.py:289
    u = u.copy()
    t4_saved = []  # test_derivatives_again.py:290
    for _ in range(3):
        t4 = u[2:] - u[:-2]  # test_derivatives_again.py:291
        u[1:-1] += c * np.sin(t4)
        t4_saved.append(t4)  # test_derivatives_again.py:290
    t7 = np.stack((u, u ** 2))  # test_derivatives_again.py:292
    return t7[:, 1:], (c, t4_saved, t7.copy(), u, u_saved)


@np.errstate(divide='ignore', invalid='ignore')
def waves_pullback(tape, value_bar):  # test_derivatives_again.py:288
    c, t4_saved, t7, u, u_saved = tape
    t4_saved = list(t4_saved)
    t7_bar = np.zeros_like(t7)  # test_derivatives_again.py:292
    t7_bar[:, 1:] = value_bar
    t_bar, t1_bar = t7_bar
    u_bar = keep_zeros(t1_bar * (2 * u), t1_bar) + t_bar
    for _ in reversed(range(3)):  # test_derivatives_again.py:290
        t4 = t4_saved.pop()
        t4_bar = u_bar[1:-1] * c * np.cos(t4)  # test_derivatives_again.py:291
        u_bar[:-2] -= t4_bar
        u_bar[2:] += t4_bar
    return like(u_bar, u_saved),
