"""Gradient of heat with respect to u. Written by sourcediff 0.1.0."""

# source: experts.py = tests/golden/experts.py


def heat_grad(u, c, steps):  # experts.py:57
    u = u.copy()  # experts.py:58
    for k in range(steps):  # experts.py:59
        u[1:-1] += c * (u[2:] - 2 * u[1:-1] + u[:-2])  # experts.py:60
    u_bar = 2 * u  # experts.py:61
    for k in reversed(range(steps)):  # experts.py:59
        t5_bar = u_bar[1:-1] * c  # experts.py:60
        u_bar[:-2] += t5_bar
        u_bar[1:-1] -= 2 * t5_bar
        u_bar[2:] += t5_bar
    return u_bar
