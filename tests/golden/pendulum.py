"""Gradient of pendulum with respect to theta, omega. Written by sourcediff 0.1.0."""

# source: experts.py = tests/golden/experts.py

import numpy as np


def pendulum_grad(theta, omega, dt, steps):  # experts.py:31
    theta_saved = []  # experts.py:32
    for k in range(steps):
        omega = omega - dt * np.sin(theta)  # experts.py:33
        theta_saved.append(theta)  # experts.py:34
        theta = theta + dt * omega
    theta_bar = 2 * theta  # experts.py:35
    omega_bar = 0.0  # experts.py:32
    for k in reversed(range(steps)):
        theta = theta_saved.pop()  # experts.py:34
        omega_bar += theta_bar * dt
        theta_bar -= omega_bar * dt * np.cos(theta)  # experts.py:33
    return float(theta_bar), float(omega_bar)
