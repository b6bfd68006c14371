"""Value and tangent of pendulum with respect to theta, omega. Written by sourcediff 0.1.0."""

# source: experts.py = tests/golden/experts.py

import numpy as np


def pendulum_jvp(theta, omega, dt, steps, theta_dot, omega_dot):  # experts.py:31
    for k in range(steps):  # experts.py:32
        omega_dot = omega_dot - dt * (np.cos(theta) * theta_dot)  # experts.py:33
        omega = omega - dt * np.sin(theta)
        theta_dot = theta_dot + dt * omega_dot  # experts.py:34
        theta = theta + dt * omega
    return theta ** 2, 2 * theta * theta_dot  # experts.py:35
