"""Where complex numbers become real ones: nothing of the adjoint may get lost on the way back. The judge is differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.fft

from sourcediff import grad, hvp, jvp, vjp

R = np.array([0.7, -1.2, 2.0])
Z = np.array([0.7 + 0.3j, -1.2 + 2j, 2.0 - 1j])
W = np.array([1.0 + 2j, -0.5j, 3.0 - 1j])


def close(x: Any) -> Any:
    return np.sum(np.real(np.real_if_close(x * (1 + 2j)) * W))


def close_argument(z: Any) -> Any:
    return np.real(np.sum(np.real_if_close(z) * W))


def close_product(z: Any) -> Any:
    return np.sum(np.abs(np.real_if_close(z * np.conj(z))) ** 2)


def close_transform(x: Any) -> Any:
    return np.sum(np.real(np.real_if_close(np.fft.ifft(np.fft.fft(x)), tol=1000) * W))


def close_one(z: Any) -> Any:
    return np.real(np.real_if_close(z[0]) * W[0] * z[1])


def parts(z: Any) -> Any:
    return np.sum(np.real(z) * np.imag(z * W)) + np.sum(z.real ** 2 * z.imag)


def stored_parts(x: Any) -> Any:
    z = np.zeros(3, complex)
    z.real = x ** 2
    z.imag = np.sin(x)
    return np.sum(np.abs(z * W) ** 2)


def updated_parts(x: Any) -> Any:
    z = x * W
    z.real *= 2.0
    z.imag[0] = x[1] * x[2]
    return np.sum(np.abs(z) ** 2 + z.real * z.imag)


def magnitudes(z: Any) -> Any:
    return np.sum(np.abs(z - 1) ** 3) + np.sum(np.angle(z) * np.abs(z))


def stored_among_floats(z: Any) -> Any:
    out = np.zeros(3)
    out[:] = z.real
    out[1] = np.abs(z[0])
    return np.sum(out ** 2)


def cut_by_a_store(z: Any) -> Any:
    out = np.zeros(3)
    out[:] = z * W
    return np.sum(out ** 2)


def cut_by_stores(z: Any) -> Any:
    out = np.zeros(3)
    for i in range(3):
        out[i] = z[i] * W[i]
    return np.sum(out ** 2)


def cut_by_asarray(z: Any) -> Any:
    return np.sum(np.asarray(z * W, dtype=float) ** 2)


def cut_by_astype(z: Any) -> Any:
    return np.sum((z * W).astype(float) ** 2)


def selected(x: Any) -> Any:
    return np.sum(np.real(np.where(x > 0, x, 1j * x) * W))


def joined(x: Any) -> Any:
    return np.sum(np.real(np.concatenate([x, 1j * x]) * np.concatenate([W, W])))


def partly(x: Any) -> Any:
    z = np.empty(3, complex)
    z[0] = x[0]
    z[1:] = x[1:] * W[1:]
    return np.sum(np.real(z * W * z))


def back_from_half_a_spectrum(x: Any) -> Any:
    s = scipy.fft.irfft(np.abs(x) * W, n=3)
    return np.sum(np.abs(s * W + scipy.fft.fft(s ** 2)) ** 2)


def real_on_one_path(x: Any) -> Any:
    z = x * W
    s = z.real if x[0] > 0 else z
    return np.sum(np.abs(s * W + s ** 2) ** 2)


def magnitude_on_one_path(x: Any) -> Any:
    s = x * W / 3
    for i in range(3):
        if i == 1:
            s = np.abs(s)
        s = s * W if i == 2 else s ** 2 / 3
    return np.sum(np.abs(s + np.sum(s)) ** 2)


PROGRAMS: list[tuple[Callable[..., Any], Any]] = [
    (close, R), (close, Z), (close_argument, Z), (close_product, Z), (close_transform, R), (close_one, Z), (parts, Z), (stored_parts, R),
    (updated_parts, R), (magnitudes, Z), (stored_among_floats, Z), (cut_by_a_store, Z), (cut_by_stores, Z), (cut_by_asarray, Z),
    (cut_by_astype, Z), (selected, R), (joined, R), (partly, R),
    (back_from_half_a_spectrum, R), (real_on_one_path, R), (magnitude_on_one_path, R),
]


def slopes(f: Callable[..., Any], at: Any) -> Any:
    found = np.zeros_like(at)
    for i in range(3):
        for way in ((1, 1j) if np.iscomplexobj(at) else (1,)):
            step = np.zeros_like(at)
            step[i] = 1e-6 * way
            found[i] += np.conj(way) * (f(at + step) - f(at - step)) / 2e-6
    return found


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize(("f", "at"), PROGRAMS)
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_nothing_of_the_adjoint_gets_lost(f: Callable[..., Any], at: Any, mode: str) -> None:
    expected = slopes(f, at)
    np.testing.assert_allclose(grad(f, mode=mode)(at.copy()), expected, rtol=1e-6, atol=1e-8)
    if not np.iscomplexobj(at):
        np.testing.assert_allclose(vjp(f, at.copy(), wrt=0, mode=mode)[1](1.0), expected, rtol=1e-6, atol=1e-8)
        v = np.array([1.0, 0.5, -2.0])
        np.testing.assert_allclose(jvp(f, (at.copy(),), (v,), mode=mode)[1], expected @ v, rtol=1e-6, atol=1e-8)
        second = (slopes(f, at + 1e-4 * v) - slopes(f, at - 1e-4 * v)) / 2e-4
        np.testing.assert_allclose(hvp(f, mode=mode)(at.copy(), v), second, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_an_imaginary_part_that_is_rounding_has_no_adjoint(mode: str) -> None:
    at = np.array([0.7 + 1e-17j, -1.2, 2.0])
    assert not np.iscomplexobj(np.real_if_close(at))
    np.testing.assert_allclose(grad(close_argument, mode=mode)(at), W.real)
