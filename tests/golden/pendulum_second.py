"""Gradient of pendulum with respect to theta. Written by sourcediff 0.1.0."""

# source: experts.py = tests/golden/experts.py

import numpy as np


def pendulum_grad(theta, omega, dt, steps):  # experts.py:31
    theta_saved, theta_saved1 = [], []  # experts.py:32
    for k in range(steps):
        omega = omega - dt * np.sin(theta)  # experts.py:33
        theta_saved.append(theta)  # experts.py:34
        theta_saved1.append(theta)
        theta = theta + dt * omega
    theta_bar = 2 * theta  # experts.py:35
    omega_bar = 0.0  # experts.py:32
    omega_bar_saved, saved = [], []
    for k in reversed(range(steps)):
        theta = theta_saved.pop()  # experts.py:34
        omega_bar_saved.append(omega_bar)
        omega_bar += theta_bar * dt
        t5 = np.cos(theta)
        theta_bar -= omega_bar * dt * t5  # experts.py:33
        saved.append((t5, theta))  # experts.py:32
    omega_bar_bar = 0.0
    theta_bar_bar = 1.0
    theta_saved_bar = []
    for k in range(steps):
        t5, theta = saved.pop()
        t6_bar = -theta_bar_bar  # experts.py:33
        theta_bar1 = -(t6_bar * (omega_bar * dt)) * np.sin(theta)
        omega_bar_bar += t6_bar * t5 * dt
        omega_bar = omega_bar_saved.pop()  # experts.py:34
        theta_bar_bar += omega_bar_bar * dt
        theta_saved_bar.append(theta_bar1)
    theta_bar11 = 2 * theta_bar_bar  # experts.py:35
    omega_bar1 = 0.0  # experts.py:32
    for k in reversed(range(steps)):
        theta = theta_saved1.pop()  # experts.py:34
        omega_bar1 += theta_bar11 * dt
        theta_bar11 += theta_saved_bar.pop()
        theta_bar11 -= omega_bar1 * dt * np.cos(theta)  # experts.py:33
    return float(theta_bar11)
