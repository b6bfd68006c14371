"""Vortex panel method over a NACA four-digit airfoil with the Kutta condition; lift, moment and a thickness constraint."""
import numpy as np


def naca(m, p, t, n=20):
    beta = np.linspace(0, np.pi, n + 1)
    x = 0.5 * (1 - np.cos(beta))
    coeffs = [0.2969, -0.1260, -0.3516, 0.2843, -0.1036]
    powers = [0.5, 1, 2, 3, 4]
    yt = 5 * t * sum(c * (x + (1e-12 if q < 1 else 0)) ** q for c, q in zip(coeffs, powers))
    front = x < p
    yc = np.where(front, m / p**2 * (2 * p * x - x**2), m / (1 - p) ** 2 * ((1 - 2 * p) + 2 * p * x - x**2))
    slope = np.where(front, 2 * m / p**2 * (p - x), 2 * m / (1 - p) ** 2 * (p - x))
    theta = np.arctan(slope)
    xu, yu = x - yt * np.sin(theta), yc + yt * np.cos(theta)
    xl, yl = x + yt * np.sin(theta), yc - yt * np.cos(theta)
    return np.concatenate([xl[::-1], xu[1:]]), np.concatenate([yl[::-1], yu[1:]])


class Panels:
    def __init__(self, x, y):
        self.x, self.y = x, y
        self.dx, self.dy = np.diff(x), np.diff(y)
        self.length = np.hypot(self.dx, self.dy)
        self.angle = np.arctan2(self.dy, self.dx)
        self.xm, self.ym = 0.5 * (x[1:] + x[:-1]), 0.5 * (y[1:] + y[:-1])

    def __len__(self):
        return self.dx.size

    def influence(self):
        c, s = np.cos(self.angle), np.sin(self.angle)
        rx = self.xm[:, None] - self.x[None, :-1]
        ry = self.ym[:, None] - self.y[None, :-1]
        xi = rx * c + ry * s
        eta = -rx * s + ry * c
        L = self.length
        logs = 0.5 * np.log((xi**2 + eta**2) / ((xi - L) ** 2 + eta**2))
        ang = np.arctan2(eta * L, eta**2 + xi * (xi - L))
        np.fill_diagonal(ang, np.pi)
        np.fill_diagonal(logs, 0.0)
        rel = self.angle[:, None] - self.angle
        normal = (np.sin(rel) * ang + np.cos(rel) * logs) / (2 * np.pi)
        tangent = (np.cos(rel) * ang - np.sin(rel) * logs) / (2 * np.pi)
        return normal, tangent


def lift(panels, alpha):
    N, T = panels.influence()
    n = len(panels)
    A = np.zeros((n + 1, n + 1))
    A[:n, :n] = T
    A[:n, n] = -N.sum(axis=1)
    A[n, :n] = -(N[0] + N[-1])
    A[n, n] = -(T[0] + T[-1]).sum()
    A[np.arange(n), np.arange(n)] += 1e-3
    rhs = np.append(np.sin(panels.angle - alpha), -(np.cos(panels.angle[0] - alpha) + np.cos(panels.angle[-1] - alpha)))
    sol = np.linalg.solve(A, rhs)
    q, gamma = sol[:-1], sol[-1]
    v = np.cos(panels.angle - alpha) - N @ q + gamma * T.sum(axis=1)
    cp = 1 - v**2
    cl = -np.sum(cp * panels.dx) * np.cos(alpha)
    cm = np.sum(cp * (panels.dx * (panels.xm - 0.25) + panels.dy * panels.ym))
    return cl, cm, cp


def f(shape, alphas, target=0.6):
    m, p, t = shape
    panels = Panels(*naca(m, p, t))
    cost = 0.0
    for alpha in np.atleast_1d(np.deg2rad(alphas)):
        cl, cm, cp = lift(panels, alpha)
        cost += (cl - target) ** 2 + 0.5 * cm**2 + 0.01 * np.log(np.sum(np.exp(-2 * cp)))
    area = 0.5 * abs(np.dot(panels.x, np.roll(panels.y, 1)) - np.dot(panels.y, np.roll(panels.x, 1)))
    return cost + 10 * max(0.0, 0.09 - area) ** 2


WRT = (0, 1)


def args():
    return (0.03, 0.42, 0.12), np.array([1.0, 4.0])
