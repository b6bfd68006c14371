"""Gradient of newton_sqrt with respect to a. Written by sourcediff 0.1.0."""

# source: experts.py = tests/golden/experts.py


def newton_sqrt_grad(a):  # experts.py:80
    x = 0.5 * (1.0 + a)  # experts.py:81
    x_saved = []  # experts.py:82
    while abs(x * x - a) > 1e-12:
        x_saved.append(x)  # experts.py:83
        x = 0.5 * (x + a / x)
    a_bar = 0.0  # experts.py:82
    x_bar = 1.0
    while x_saved:
        t2_bar = 0.5 * x_bar  # experts.py:83
        x = x_saved.pop()
        a_bar += t2_bar / x
        x_bar = t2_bar - t2_bar * (a / x) / x
    a_bar += 0.5 * x_bar  # experts.py:81
    return a_bar
