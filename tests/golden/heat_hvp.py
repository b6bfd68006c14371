"""Value and tangent of heat with respect to u. Written by sourcediff 0.1.0."""

# source: experts.py = tests/golden/experts.py


def heat_jvp(u, c, steps, u_dot):  # experts.py:57
    u_dot = u_dot.copy()  # experts.py:58
    u = u.copy()
    for k in range(steps):  # experts.py:59
        u_dot[1:-1] += c * (u_dot[2:] - 2 * u_dot[1:-1] + u_dot[:-2])  # experts.py:60
        u[1:-1] += c * (u[2:] - 2 * u[1:-1] + u[:-2])
    u_bar_dot = 2 * u_dot  # experts.py:61
    u_bar = 2 * u
    for k in reversed(range(steps)):  # experts.py:59
        t5_bar_dot = c * u_bar_dot[1:-1]  # experts.py:60
        t5_bar = u_bar[1:-1] * c
        u_bar_dot[:-2] += t5_bar_dot
        u_bar[:-2] += t5_bar
        u_bar_dot[1:-1] -= 2 * t5_bar_dot
        u_bar[1:-1] -= 2 * t5_bar
        u_bar_dot[2:] += t5_bar_dot
        u_bar[2:] += t5_bar
    return u_bar, u_bar_dot
