"""Inverse dynamics (recursive Newton-Euler) of a serial arm and torque cost of a trajectory."""
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline


@dataclass
class Link:
    mass: float
    com: np.ndarray
    inertia: np.ndarray       # Ixx, Iyy, Izz, Ixy, Ixz, Iyz about the com
    a: float
    alpha: float
    d: float
    joint: str = "revolute"
    damping: float = 0.0
    coulomb: float = 0.0

    def inertia_matrix(self):
        xx, yy, zz, xy, xz, yz = self.inertia
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    def transform(self, q):
        """Rotation and offset of this frame in its parent (modified DH)."""
        theta, d = (q, self.d) if self.joint == "revolute" else (0.0, self.d + q)
        ct, st = np.cos(theta), np.sin(theta)
        ca, sa = np.cos(self.alpha), np.sin(self.alpha)
        R = np.array([[ct, -st, 0.0],
                      [st * ca, ct * ca, -sa],
                      [st * sa, ct * sa, ca]])
        p = np.array([self.a, -sa * d, ca * d])
        return R, p


class Arm:
    z = np.array([0.0, 0.0, 1.0])

    def __init__(self, links, gravity=(0.0, 0.0, -9.81)):
        self.links = links
        self.gravity = np.asarray(gravity)

    def rnea(self, q, qd, qdd, f_tip=None):
        n = len(self.links)
        w, wd, vd = np.zeros(3), np.zeros(3), -self.gravity
        forces, moments, frames = [], [], []
        for i, link in enumerate(self.links):
            R, p = link.transform(q[i])
            frames.append((R, p))
            acc = vd + np.cross(wd, p) + np.cross(w, np.cross(w, p))
            w_par = R.T @ w
            if link.joint == "revolute":
                wd = R.T @ wd + np.cross(w_par, qd[i] * self.z) + qdd[i] * self.z
                w = w_par + qd[i] * self.z
                vd = R.T @ acc
            else:
                wd = R.T @ wd
                w = w_par
                vd = R.T @ acc + 2 * np.cross(w, qd[i] * self.z) + qdd[i] * self.z
            ac = vd + np.cross(wd, link.com) + np.cross(w, np.cross(w, link.com))
            I = link.inertia_matrix()
            forces.append(link.mass * ac)
            moments.append(I @ wd + np.cross(w, I @ w))
        tau = np.zeros(n)
        f = np.zeros(3) if f_tip is None else f_tip
        m = np.zeros(3)
        for i in reversed(range(n)):
            link = self.links[i]
            if i + 1 < n:
                R, p = frames[i + 1]
                f_child = R @ f
                m = R @ m + np.cross(p, f_child)
                f = f_child
            m = m + moments[i] + np.cross(link.com, forces[i])
            f = f + forces[i]
            tau[i] = m[2] if link.joint == "revolute" else f[2]
            tau[i] += link.damping * qd[i] + link.coulomb * np.tanh(qd[i] / 0.05)
        return tau


def f(arm, knots_t, knots_q, f_tip, tau_max, n_eval=17):
    spline = CubicSpline(knots_t, knots_q, bc_type="clamped")
    ts = np.linspace(knots_t[0], knots_t[-1], n_eval)
    Q, QD, QDD = spline(ts), spline(ts, 1), spline(ts, 2)
    tau = np.array([arm.rnea(*row, f_tip=f_tip) for row in zip(Q, QD, QDD)])
    power = np.einsum("ij,ij->i", tau, QD)
    effort = np.trapezoid(np.sum((tau / tau_max) ** 2, axis=1), ts)
    barrier = np.sum(np.logaddexp(0, 10 * (np.abs(tau) / tau_max - 1)))
    return effort + 0.01 * barrier + 1e-3 * np.trapezoid(np.sqrt(power**2 + 1.0), ts)


def args():
    rng = np.random.default_rng(5)
    geom = [(0.0, 0.0, 0.3, "revolute"), (0.0, -np.pi / 2, 0.0, "revolute"),
            (0.4, 0.0, 0.0, "revolute"), (0.05, -np.pi / 2, 0.2, "prismatic")]
    links = []
    for k, (a, alpha, d, joint) in enumerate(geom):
        inertia = np.concatenate([0.02 + 0.05 * rng.random(3), 0.002 * rng.standard_normal(3)])
        links.append(Link(4.0 - 0.8 * k, 0.1 * rng.standard_normal(3), inertia, a, alpha, d, joint, 0.1, 0.3))
    knots_q = 0.5 * rng.standard_normal((5, 4))
    return Arm(links), np.linspace(0, 2, 5), knots_q, np.array([0.0, 2.0, -5.0]), np.array([60.0, 80.0, 40.0, 50.0])


WRT = (0, 2, 3)
