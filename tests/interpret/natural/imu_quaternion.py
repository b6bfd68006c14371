"""Attitude from gyro, accelerometer and magnetometer: a Quaternion class with operators, complementary filter, bias calibration."""
import numpy as np


class Quaternion:
    __slots__ = ("w", "v")

    def __init__(self, w, v):
        self.w = w
        self.v = v

    @classmethod
    def from_rotvec(cls, r):
        angle = np.sqrt(r @ r + 1e-24)
        return cls(np.cos(angle / 2), np.sin(angle / 2) * r / angle)

    @classmethod
    def identity(cls):
        return cls(1.0, np.zeros(3))

    def __mul__(self, other):
        w = self.w * other.w - self.v @ other.v
        v = self.w * other.v + other.w * self.v + np.cross(self.v, other.v)
        return Quaternion(w, v)

    def conj(self):
        return Quaternion(self.w, -self.v)

    def __abs__(self):
        return np.sqrt(self.w**2 + self.v @ self.v)

    def normalized(self):
        n = abs(self)
        return Quaternion(self.w / n, self.v / n)

    def rotate(self, x):
        return (self * Quaternion(0.0, x) * self.conj()).v

    def to_matrix(self):
        x, y, z = self.v
        K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        return np.eye(3) + 2 * self.w * K + 2 * K @ K


class Filter:
    def __init__(self, bias, gain, north=(1.0, 0.0, 0.3)):
        self.bias, self.gain = bias, gain
        self.north = np.array(north) / np.linalg.norm(north)
        self.down = np.array([0.0, 0.0, 1.0])
        self.q = Quaternion.identity()

    def step(self, gyro, acc, mag, dt):
        inv = self.q.conj()
        error = np.cross(acc / np.linalg.norm(acc), inv.rotate(self.down))
        if mag is not None:
            error = error + 0.5 * np.cross(mag, inv.rotate(self.north))
        omega = gyro - self.bias + self.gain * error
        self.q = (self.q * Quaternion.from_rotvec(omega * dt)).normalized()
        return self.q


def f(bias, log_gain, gyros, accs, mags, reference, dt=0.1):
    filt = Filter(bias, np.exp(log_gain))
    loss = 0.0
    for n, (g, a) in enumerate(zip(gyros, accs)):
        q = filt.step(g, a, mags.get(n), dt)
        loss += 1 - np.trace(q.to_matrix().T @ reference[n]) / 3
    tilt = np.arccos(np.clip(q.rotate(filt.down)[2], -1.0, 1.0))
    return loss / len(gyros) + 0.1 * tilt


WRT = (0, 1)


def args():
    rng = np.random.default_rng(28)
    n = 20
    rates = np.column_stack([0.5 * np.sin(np.arange(n) / 4), 0.3 * np.ones(n), 0.2 * np.cos(np.arange(n) / 5)])
    q, refs, accs, mags = Quaternion.identity(), [], [], {}
    north = np.array([1, 0, 0.3]) / np.linalg.norm([1, 0, 0.3])
    for k, r in enumerate(rates):
        q = q * Quaternion.from_rotvec(r * 0.1)
        refs.append(q.to_matrix())
        accs.append(q.conj().rotate(np.array([0, 0, 9.81])) + 0.2 * rng.normal(size=3))
        if k % 3 == 0:
            mags[k] = q.conj().rotate(north)
    return np.array([0.02, -0.01, 0.03]), 0.1, rates + [0.05, -0.03, 0.02], np.array(accs), mags, np.array(refs)
