"""SciPy's rotations, by their quaternions (J. B. Kuipers, "Quaternions and Rotation Sequences", 1999)."""

import numpy as np
from scipy.spatial.transform import Rotation, Slerp

from ...errors import MissingRuleError, NonDifferentiableError
from ...runtime.arrays import sum_to
from ..frames import constant, multilinear, named
from ..library_functions import composite
from ..library_objects import record


class Turn:
    """A rotation, or an array of them, by quaternions of length 1: (x, y, z, w) along the last axis."""

    def __init__(self, quat):
        self.quat = quat

    def as_quat(self, canonical=False, *, scalar_first=False):
        quat = upper(self.quat) if canonical else self.quat
        return np.roll(quat, 1, axis=-1) if scalar_first else quat

    def as_matrix(self):
        return matrix(self.quat)

    def as_rotvec(self, degrees=False):
        v = vector(upper(self.quat))
        return np.degrees(v) if degrees else v

    def as_euler(self, seq, degrees=False, *, suppress_warnings=False):
        angles = euler_angles(self.quat, seq)
        return np.degrees(angles) if degrees else angles

    def magnitude(self):
        return 2 * np.arctan2(np.linalg.norm(self.quat[..., :3], axis=-1), np.abs(self.quat[..., 3]))

    def apply(self, vectors, inverse=False):
        m = matrix(self.quat)
        return np.einsum("...ji,...j->...i" if inverse else "...ij,...j->...i", m, np.asarray(vectors))

    def inv(self):
        return Turn(conjugate(self.quat))

    def __mul__(self, other):
        return Turn(product(self.quat, other.as_quat()))

    def __rmul__(self, other):
        return Turn(product(other.as_quat(), self.quat))

    def __pow__(self, n):
        return Turn(turned_by(n * vector(upper(self.quat))))

    def __getitem__(self, indexer):
        return Turn(self.quat[indexer])

    def mean(self, weights=None):
        w = np.ones(len(self.quat)) if weights is None else np.asarray(weights)
        return Turn(np.linalg.eigh((self.quat.T * w) @ self.quat)[1][:, -1])


@composite(Rotation.concatenate)
def concatenate(rotations: list):
    return Turn(np.concatenate([np.reshape(rotation.as_quat(), (-1, 4)) for rotation in rotations]))


@composite(Slerp)
class Between:
    """Rotations between others at given times, about a vector at a constant rate (K. Shoemake, SIGGRAPH 1985)."""

    def __init__(self, times, rotations):
        q = rotations.as_quat()
        self.times, self.start = np.asarray(times), q[:-1]
        self.vectors = vector(upper(product(conjugate(q[:-1]), q[1:])))

    def __call__(self, times):
        return turned_between(np.asarray(times), self.times, self.start, self.vectors)


@composite(Slerp.__call__)
def between_constants(self, times):
    return turned_between(np.asarray(times), self.times, self.rotations.as_quat(), self.rotvecs)


def turned_between(t, times, start, vectors):
    i = step(times, t)
    return Turn(product(start[i], turned_by(np.expand_dims((t - times[i]) / np.diff(times)[i], -1) * vectors[i])))


def step(times, t):
    """The number of the time before each. ValueError if there is none, or none after it."""
    if np.any((t < times[0]) | (t > times[-1])):
        raise ValueError("Interpolation times must be within the range [t_min, t_max], both inclusive.")
    return np.clip(np.searchsorted(times, t, "right") - 1, 0, len(times) - 2)


@composite(Rotation.from_quat)
def from_quat(quat, *, scalar_first=False):
    q = np.asarray(quat)
    q = np.roll(q, -1, axis=-1) if scalar_first else q
    return Turn(q / np.linalg.norm(q, axis=-1, keepdims=True))


@composite(Rotation.from_rotvec)
def from_rotvec(rotvec, degrees=False):
    return Turn(turned_by(np.radians(rotvec) if degrees else np.asarray(rotvec)))


@composite(Rotation.from_euler)
def from_euler(seq, angles, degrees=False):
    about = axes(seq)
    half = 0.5 * (np.radians(angles) if degrees else np.asarray(angles))
    half = half if len(about) > 1 or np.ndim(half) > 1 else half[..., None]
    quats = np.concatenate([np.sin(half)[..., None] * about, np.cos(half)[..., None]], axis=-1)[..., turning(seq), :]
    if len(about) == 1:
        return Turn(quats[..., 0, :])
    if len(about) == 2:
        return Turn(product(quats[..., 0, :], quats[..., 1, :]))
    return Turn(product(product(quats[..., 0, :], quats[..., 1, :]), quats[..., 2, :]))


@composite(Rotation.from_matrix)
def from_matrix(matrix):
    m = np.asarray(matrix)
    m = orthogonal(orthogonal(m))
    x, y, z = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    xy, xz, yz = m[..., 0, 1] + m[..., 1, 0], m[..., 0, 2] + m[..., 2, 0], m[..., 1, 2] + m[..., 2, 1]
    xw, yw, zw = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    squares = np.stack([
        np.stack([1 + x - y - z, xy, xz, xw], axis=-1), np.stack([xy, 1 - x + y - z, yz, yw], axis=-1),
        np.stack([xz, yz, 1 - x - y + z, zw], axis=-1), np.stack([xw, yw, zw, 1 + x + y + z], axis=-1),
    ], axis=-1)
    return from_quat(np.einsum("...ij,...j->...i", squares, of_matrix(matrix)))


def orthogonal(m):
    """One of Newton's steps to the nearest orthogonal matrix (N. J. Higham, 1986), which of an orthogonal one has its derivative."""
    return 0.5 * (m + np.swapaxes(np.linalg.inv(m), -1, -2))


def of_matrix(matrix):
    """The quaternions of matrices, by SciPy: times the products of their parts, they are themselves, whichever sign they have."""
    m = np.asarray(matrix)
    if not np.all(np.abs(m @ np.swapaxes(m, -1, -2) - np.eye(3)) < 1e-6):
        raise MissingRuleError("Rotation.from_matrix has a derivative rule, but of orthogonal matrices only")
    return Rotation.from_matrix(m).as_quat()


def upper(q):
    """The quaternions of the same rotations that have no negative real part."""
    return np.where(q[..., 3:] < 0, -q, q)


def conjugate(q):
    """The quaternions of the rotations back."""
    return np.concatenate([-q[..., :3], q[..., 3:]], axis=-1)


def product(p, q):
    """The products of quaternions."""
    a, b, s, t = p[..., :3], q[..., :3], p[..., 3:], q[..., 3:]
    return np.concatenate([s * b + t * a + np.cross(a, b), s * t - np.sum(a * b, axis=-1, keepdims=True)], axis=-1)


def turned_by(v):
    """The quaternions of rotations about vectors, by their lengths; by series near 0, where a length has no derivative."""
    s = np.sum(v * v, axis=-1, keepdims=True)
    small = s < 1e-6
    angle = np.sqrt(np.where(small, 1.0, s))
    scale = np.where(small, 0.5 - s / 48 + s**2 / 3840, np.sin(0.5 * angle) / angle)
    return np.concatenate([scale * v, np.where(small, 1 - s / 8 + s**2 / 384, np.cos(0.5 * angle))], axis=-1)


def vector(q):
    """The vectors about which, and by whose lengths, quaternions with no negative real part turn."""
    s = np.sum(q[..., :3] ** 2, axis=-1, keepdims=True)
    small = s < 2.5e-7
    n = np.sqrt(np.where(small, 1.0, s))
    return np.where(small, 2 + s / 3 + 3 * s**2 / 20, 2 * np.arctan2(n, q[..., 3:]) / n) * q[..., :3]


def matrix(q):
    """The matrices of quaternions."""
    x, y, z, w = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    return np.stack([
        np.stack([x * x - y * y - z * z + w * w, 2 * (x * y - z * w), 2 * (x * z + y * w)], axis=-1),
        np.stack([2 * (x * y + z * w), y * y - x * x - z * z + w * w, 2 * (y * z - x * w)], axis=-1),
        np.stack([2 * (x * z - y * w), 2 * (y * z + x * w), z * z - x * x - y * y + w * w], axis=-1),
    ], axis=-2)


def axes(seq):
    """The axes that letters name. ValueError if they name none, or one twice in a row."""
    Rotation.from_euler(seq, np.zeros(len(seq)))
    return np.eye(3)[["xyz".index(letter) for letter in seq.lower()]]


def euler_angles(q, seq):
    """The angles about three axes (E. Bernardes, S. Viollet, PLOS ONE 17, 2022)."""
    parts = q @ euler_parts(seq)
    a, b, c, d = parts[..., 0], parts[..., 1], parts[..., 2], parts[..., 3]
    second, half_sum, half_difference = 2 * np.arctan2(np.hypot(c, d), np.hypot(a, b)), np.arctan2(b, a), np.arctan2(d, c)
    angles = np.stack([half_sum - half_difference, second, handed(seq) * (half_sum + half_difference)], axis=-1)
    return (angles - beyond(angles, seq))[..., turning(seq)[::-1]]


def turning(seq):
    """In which order the quaternions of turns are multiplied: about axes that stand still (small letters), the last one comes first."""
    return np.arange(len(seq))[:: -1 if seq.islower() else 1]


def order(seq):
    """The numbers of the first two axes and of another one, the sign of their order, and whether the last one is the first again."""
    i, j, last = ["xyz".index(letter) for letter in (seq if seq.islower() else seq.lower()[::-1])]
    k = 3 - i - j
    return i, j, k, (i - j) * (j - k) * (k - i) // 2, i == last


def euler_parts(seq):
    """By what a quaternion is multiplied for the four numbers of which the angles are made."""
    i, j, k, sign, again = order(seq)
    w, x, y, z = (np.eye(4)[[3, i, j, k]].T * [1, 1, 1, sign]).T
    return np.stack([w, x, y, z] if again else [w - y, x + z, y + w, z - x], axis=-1)


def handed(seq):
    """The sign of the third angle."""
    return 1 if order(seq)[4] else order(seq)[3]


def beyond(angles, seq):
    """What is to be taken off the angles. NonDifferentiableError where only the sum of the first and the last one is determined."""
    if np.any(np.abs(np.sin(angles[..., 1])) < 1e-7):
        raise NonDifferentiableError(
            "Rotation.as_euler has no derivative at gimbal lock", why="the first and the last angle turn about the same axis there",
            remedy="use as_rotvec, as_quat or as_matrix, or another order of the axes",
        )
    start = angles - np.array([0.0, 0.0 if order(seq)[4] else 0.5 * np.pi, 0.0])
    return angles - ((start + np.pi) % (2 * np.pi) - np.pi)


constant(axes, turning, of_matrix, handed, euler_parts, beyond, step)
record(Slerp)


@multilinear(Rotation.apply)
def apply(g, z, self, vectors, inverse=False):
    return None, sum_to(self.apply(g, not inverse), np.shape(vectors))


MAKERS = "from_quat from_rotvec from_matrix from_euler from_mrp identity random concatenate"
record(Rotation, *named(Rotation, MAKERS), alike="inv operators")
