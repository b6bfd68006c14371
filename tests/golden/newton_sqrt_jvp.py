"""Value and tangent of newton_sqrt with respect to a. Written by sourcediff 0.1.0."""

# source: experts.py = tests/golden/experts.py


def newton_sqrt_jvp(a, a_dot):  # experts.py:80
    x_dot = 0.5 * a_dot  # experts.py:81
    x = 0.5 * (1.0 + a)
    while abs(x * x - a) > 1e-12:  # experts.py:82
        t1 = a / x  # experts.py:83
        x_dot = 0.5 * (x_dot + (a_dot / x - x_dot * t1 / x))
        x = 0.5 * (x + t1)
    return x, x_dot
