"""Iterations that return, or leave their loop with, what they change in place, which the caller keeps."""

import numpy as np

from .case import array, case, positive


def newton(y_old, k, dt):
    y = y_old.copy()
    for _ in range(20):
        r = y - y_old - dt * (-k * y**2 + 1.0)
        dy = np.linalg.solve(np.eye(len(y)) + dt * np.diag(2 * k * y), -r)
        y += dy
        if np.max(np.abs(dy)) < 1e-12:
            return y
    return y


def implicit_steps(k):
    y = np.linspace(0.5, 1.5, len(k))
    kept = []
    for _ in range(3):
        y = newton(y, k, 0.1)
        kept.append(y)
    return np.sum(np.array(kept) ** 2)


case(implicit_steps, positive("m"))


def two_newtons(k):
    y = newton(np.linspace(0.5, 1.5, len(k)), k, 0.1)
    z = newton(y, k, 0.2)
    return np.sum(y * z)


case(two_newtons, positive("m"))


def counted_newton(y_old, k, dt):
    y = y_old.copy()
    for it in range(20):
        dy = np.linalg.solve(np.eye(len(y)) + dt * np.diag(2 * k * y), -(y - y_old - dt * (-k * y**2 + 1.0)))
        y += dy
        if np.max(np.abs(dy)) < 1e-12:
            return y, it
    return y, -1


def counted_steps(k):
    y, kept, count = np.linspace(0.5, 1.5, len(k)), [], 0
    for _ in range(3):
        y, it = counted_newton(y, k, 0.1)
        kept.append(y)
        count += it > 0
    return np.sum(np.array(kept) ** 2) * count


case(counted_steps, positive("m"))


def picard(u, f, a):
    u = u.copy()
    while True:
        new = a * np.cos(u) + f
        if np.max(np.abs(new - u)) < 1e-13:
            return new
        u[:] = new


def fixed_points(a):
    u, kept = np.zeros(len(a)), []
    for n in range(3):
        u = picard(u, 0.1 * n, 0.1 * a)
        kept.append(u)
    return np.sum(np.array(kept) ** 2)


case(fixed_points, positive("m"))


def best_kept(x):
    v = np.abs(x) + 0.5
    best = v * 2
    for _ in range(2):
        for _ in range(6):
            v *= 1.5
            if np.sum(v) > 40:
                best = v
                break
            v += x
        v = v * 0.5
    return np.sum(best**2)


case(best_kept, array("n"))
