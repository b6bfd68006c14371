"""SciPy's rotations: values and derivatives against SciPy's own, of one and of several, in both engines."""

import numpy as np
import pytest

import sourcediff
from sourcediff.checks.numeric import numeric_jvp
from tests.sampling import sampled

transform = pytest.importorskip("scipy.spatial.transform")
Rotation, Slerp = transform.Rotation, transform.Slerp

V = np.array([0.3, -0.5, 0.8])
MANY = np.arange(12.0).reshape(4, 3) / 7 - 0.5
FIXED = Rotation.from_rotvec([0.1, 0.5, -0.3])
WEIGHTS = np.array([1.0, -2.0, 0.5])


def applied(v):
    return np.sum(Rotation.from_rotvec(v).apply(np.array([1.0, -2.0, 0.5])) * WEIGHTS)


def through_a_matrix(v):
    return np.sum(Rotation.from_matrix(Rotation.from_rotvec(v).as_matrix()).as_rotvec() * WEIGHTS)


def of_a_matrix(m):
    return np.sum(Rotation.from_matrix(m).as_quat() * np.arange(4.0))


def intrinsic(angles):
    return np.sum(Rotation.from_euler("XYZ", angles, degrees=True).as_rotvec(degrees=True) * WEIGHTS)


def euler_angles(q):
    r = Rotation.from_quat(q)
    return np.sum(r.as_euler("ZXZ", degrees=True) * WEIGHTS) + np.sum(r.as_euler("yzx") * WEIGHTS) + np.sum(r.magnitude())


def products(v):
    return np.sum((Rotation.from_rotvec(v) * FIXED.inv() * Rotation.from_rotvec(2 * v).inv()).as_quat() * np.arange(4.0))


def of_vectors(p):
    return np.sum(FIXED.apply(p) ** 3) + np.sum(FIXED.inv().apply(p, inverse=True) ** 2 * WEIGHTS)


def between(v):
    turning = Slerp([0.0, 1.0, 3.0], Rotation.from_rotvec(v[:3]))
    return np.sum(turning(np.array([0.2, 0.9, 2.4])).as_matrix() ** 3) + np.sum(turning(1 + v[0, 1] ** 2).as_rotvec() * WEIGHTS)


BETWEEN = Slerp([0.0, 1.0, 3.0], Rotation.from_rotvec(MANY[:3]))


def between_constants(v):
    return np.sum(BETWEEN(v**2).as_matrix() ** 3)


def mean_and_power(v):
    r = Rotation.from_rotvec(v)
    return np.sum((r.mean().apply(WEIGHTS) + r.mean(np.arange(1.0, 5.0)).apply(WEIGHTS)) ** 3) + np.sum((r ** v[0, 0]).as_matrix() ** 3)


def joined(v):
    return np.sum(Rotation.concatenate([FIXED, Rotation.from_rotvec(v), Rotation.from_rotvec(2 * v)]).as_matrix() ** 3)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@sampled(2, "program, x", [
    (applied, V), (applied, MANY), (applied, np.zeros(3)), (through_a_matrix, V), (through_a_matrix, np.zeros(3)),
    (of_a_matrix, np.array(FIXED.as_matrix())),
    (intrinsic, np.array([20.0, 30.0, -40.0])), (euler_angles, np.array([0.3, 0.4, -0.2, 0.7])),
    (products, MANY), (of_vectors, V), (of_vectors, MANY), (between, MANY), (between_constants, V), (mean_and_power, MANY),
])
def test_rotation(program, x, mode):
    along = np.cos(np.arange(x.size)).reshape(x.shape)
    value, gradient = sourcediff.value_and_grad(program, mode=mode)(x)
    np.testing.assert_allclose(value, program(x), rtol=1e-10)
    slope = numeric_jvp(program, [x], [along], complex_step=False)
    np.testing.assert_allclose(np.vdot(gradient, along), slope.value, rtol=2e-6, atol=1e-7)


def test_several_joined():
    slope = numeric_jvp(joined, [V], [WEIGHTS], complex_step=False)
    np.testing.assert_allclose(sourcediff.grad(joined, mode="eager")(V) @ WEIGHTS, slope.value, rtol=2e-6)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_no_angles_at_gimbal_lock(mode):
    def locked(angles):
        return np.sum(Rotation.from_euler("xyz", angles).as_euler("xyz"))

    with pytest.raises(sourcediff.NonDifferentiableError, match="gimbal lock"):
        sourcediff.grad(locked, mode=mode)(np.array([0.3, np.pi / 2, 0.2]))
