"""Satellite attitude: quaternion class with operators, PD control with reaction wheels, magnetic momentum dumping."""
import numpy as np


class Quaternion:
    def __init__(self, w, x, y, z):
        self.w, self.x, self.y, self.z = w, x, y, z

    @classmethod
    def from_axis_angle(cls, axis, angle):
        a = np.asarray(axis) / np.linalg.norm(axis)
        s = np.sin(angle / 2)
        return cls(np.cos(angle / 2), *(s * a))

    @property
    def vec(self):
        return np.array([self.x, self.y, self.z])

    def __mul__(self, o):
        if isinstance(o, Quaternion):
            w = self.w * o.w - self.vec @ o.vec
            v = self.w * o.vec + o.w * self.vec + np.cross(self.vec, o.vec)
            return Quaternion(w, *v)
        return Quaternion(self.w * o, self.x * o, self.y * o, self.z * o)

    __rmul__ = __mul__

    def __add__(self, o):
        return Quaternion(self.w + o.w, self.x + o.x, self.y + o.y, self.z + o.z)

    def __invert__(self):
        return Quaternion(self.w, -self.x, -self.y, -self.z)

    def __abs__(self):
        return np.sqrt(self.w ** 2 + self.vec @ self.vec)

    def normalized(self):
        return self * (1.0 / abs(self))

    def rotate(self, v):
        return (self * Quaternion(0.0, *v) * ~self).vec

    def __iter__(self):
        yield from (self.w, self.x, self.y, self.z)

    def __repr__(self):
        return f"Quaternion({self.w:.3f}, {self.x:.3f}, {self.y:.3f}, {self.z:.3f})"


class Spacecraft:
    def __init__(self, inertia, q, omega):
        self.J = np.diag(inertia)
        self.Jinv = np.linalg.inv(self.J)
        self.q, self.omega = q, omega
        self.wheels = np.zeros(3)

    def propagate(self, torque, external, dt):
        H = self.J @ self.omega + self.wheels
        domega = self.Jinv @ (external + torque - np.cross(self.omega, H))
        dq = 0.5 * self.q * Quaternion(0.0, *self.omega)
        self.q = (self.q + dt * dq).normalized()
        self.omega = self.omega + dt * domega
        self.wheels = self.wheels - dt * torque


def f(gains, inertia, omega0, target_angle):
    kp, kd, km = gains
    sat = Spacecraft(inertia, Quaternion.from_axis_angle([1, 2, -1], 0.8), np.array(omega0))
    target = Quaternion.from_axis_angle((0.0, 0.0, 1.0), target_angle)
    cost, field0 = 0.0, np.array([2e-5, 1e-5, -4e-5])
    for n in range(80):
        err = ~target * sat.q
        sign = 1.0 if err.w >= 0 else -1.0
        u = -kp * sign * err.vec - kd * sat.omega
        u = np.clip(u, -0.05, 0.05)
        b = sat.q.rotate(field0)
        dipole = np.cross(b, km * sat.wheels) / (b @ b)
        sat.propagate(u, np.cross(dipole, b), 0.5)
        cost += err.vec @ err.vec + 10 * u @ u
    w, *_ = sat.q
    return cost + sat.wheels @ sat.wheels + 0.1 * w


WRT = (0, 1, 2, 3)


def args():
    return np.array([0.02, 0.15, 0.003]), np.array([0.9, 1.1, 0.7]), [0.02, -0.03, 0.01], 0.3
