"""Complex numbers on the eager engine: g = ∂u/∂x − i ∂u/∂y, by central differences along both axes; what has no rule is refused."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import sourcediff
from sourcediff import Function, NonDifferentiableError, Variable
from sourcediff import autograd as ag
from sourcediff.errors import FallbackWarning

Z = np.array([[1.2 - 0.7j, -0.4 + 1.1j, 0.3 + 0.2j], [-0.9 - 0.5j, 0.8 + 1.6j, -1.1 + 0.4j]])
X = np.array([[0.7, -1.3, 0.4], [1.9, 0.6, -0.8]])
W = np.array([[0.3 + 1j, 2.0, -1j], [1 - 1j, 0.5j, -0.7]])


def differences(f, at):
    """∂u/∂x − i ∂u/∂y of a real function at an array, entry by entry; real for a real array."""
    slopes = np.zeros_like(at)
    for index in np.ndindex(at.shape):
        for axis, factor in ((1.0, 1.0), (1j, -1j)) if np.iscomplexobj(at) else ((1.0, 1.0),):
            step = np.zeros_like(at)
            step[index] = 1e-3 * axis
            first, second = ((f(at + k * step) - f(at - k * step)) / (2e-3 * k) for k in (1, 2))
            slopes[index] += factor * (4 * first - second) / 3
    return slopes


def stored(z):
    out = np.zeros(4, complex)
    out[:3] = z[0]
    out[1:3] *= z[1, 1:]
    out[3] = np.sum(z)
    out += out[::-1] * 1j
    return np.sum(np.abs(out) ** 2)


def looped(z):
    total = 0.0
    w = z[0, 0]
    for k in range(4):
        w = w * z[1, 1] / 2 + z[k % 2, 2]
        total = total + abs(w) if np.abs(w) > 1 else total + w.imag
    return total


def by_list(z):
    return np.linalg.norm(np.array([z[0, 0] * z[0, 1], z[1, 2], 2.5]))


PROGRAMS = {
    "abs": lambda z: np.sum(np.abs(z)), "power of abs": lambda z: np.sum(abs(z) ** 3), "real": lambda z: np.sum((z * z).real ** 2),
    "imag": lambda z: np.sum(np.imag(z) * np.real(z * 1j)), "conj": lambda z: np.sum((z.conj() * W * np.conj(z * z)).real),
    "angle": lambda z: np.sum(np.angle(z * (1 + 0.2j), deg=False) * X), "quotient": lambda z: np.real(np.sum(W / z - 2j / z)),
    "integer power": lambda z: np.sum((z ** 3 + z ** -1).imag), "real power": lambda z: np.sum(np.abs(z ** 0.7)),
    "complex power": lambda z: np.sum(np.real((z + 3) ** W)), "of a number": lambda z: np.sum(np.real(2.0 ** z)),
    "exponential": lambda z: np.sum(np.abs(np.exp(1j * z) + np.log(z + 3))),
    "trigonometry": lambda z: np.sum(np.real(np.sin(z) * np.tanh(z))),
    "root": lambda z: np.sum(np.sqrt(z * z + 4).imag), "where": lambda z: np.sum(np.where(z.real > 0, z, z.conj() * 2j).imag),
    "product of matrices": lambda z: np.sum(np.abs(z @ z.T @ W)), "einsum": lambda z: np.real(np.einsum("ij,kj->", z, W * z)),
    "vdot": lambda z: np.real(np.vdot(z, z[::-1]) * 1j), "inverse": lambda z: np.abs(np.linalg.det(np.linalg.inv(z[:, :2] + np.eye(2)))),
    "solve": lambda z: np.sum(np.abs(np.linalg.solve(z[:, 1:], z[:, 0])) ** 2), "variance": lambda z: np.var(z) + np.std(z, axis=1).sum(),
    "norm": lambda z: np.linalg.norm(z) * np.linalg.norm(z, axis=0)[1], "product": lambda z: np.abs(np.prod(z, axis=1)).sum(),
    "running": lambda z: np.sum(np.abs(np.cumsum(z) * np.cumprod(z, axis=1).ravel())), "mean": lambda z: abs(z.mean() * z[0].mean()),
    "joined": lambda z: np.sum(np.abs(np.concatenate([z, X * z]))), "stacked": lambda z: np.sum(np.abs(np.stack([z, W]).sum(0))),
    "taken twice": lambda z: np.sum(np.abs(z[:, [0, 0, 2]] * W)), "transform": lambda z: np.sum(np.abs(np.fft.fft(z, 4)) ** 2),
    "inverse transform": lambda z: np.sum(np.abs(np.fft.ifft2(z) * W)), "half a spectrum": lambda z: np.sum(np.fft.irfft(z) ** 3),
    "shifted": lambda z: np.sum(np.abs(np.fft.fftshift(z, 1) * z)), "stored": stored, "looped": looped, "by list": by_list,
    "item": lambda z: abs((z * z).sum().item()), "tolist": lambda z: sum(abs(v) ** 2 for row in (z * 2).tolist() for v in row),
    "squared by hand": lambda z: np.sum(z.real ** 2 + z.imag ** 2), "dtype": lambda z: np.sum(np.abs(z.astype(np.complex128) * 2)),
}
OF_REAL = {
    "spectrum": lambda x: np.sum(np.abs(np.fft.rfft(x)) ** 2), "times a constant": lambda x: np.sum(np.abs(x * W)),
    "from the left": lambda x: np.sum(np.imag(1j * x + W - x / (2 - 1j)) ** 2), "phase": lambda x: np.sum(np.real(np.exp(1j * x) * W)),
    "polar": lambda x: np.sum(np.abs(x[0] * np.exp(1j * x[1]) - W[0])), "converted": lambda x: np.sum(np.real(np.sqrt(x.astype(complex)))),
    "buffer": lambda x: buffered(x), "there and back": lambda x: np.sum(np.fft.irfft(np.fft.rfft(x) ** 2) ** 2),
    "matrix": lambda x: np.abs(np.linalg.det((x @ W.T) + 1j * np.eye(2))), "power": lambda x: np.sum(np.abs((x + 0j) ** 1.5)),
    "filter": lambda x: np.sum(np.fft.ifft(np.fft.fft(x) * W).real ** 2), "tiny": lambda x: np.sum((x + 1e-3j).imag + x.real),
    "own real part": lambda x: np.sum(np.real(x) * np.conj(x) + np.imag(x) + np.angle(x)),
}


def buffered(x):
    z = np.zeros(3, dtype=complex)
    z[0] = x[0, 0]
    z[1:] = 1j * x[1, 1:]
    z[2] += x[0, 1] * (1 + 1j)
    return np.sum(np.abs(z * z)) + np.sum(z.imag)


CASES = [(f, Z) for f in PROGRAMS.values()] + [(f, X) for f in OF_REAL.values()]
NAMES = [*PROGRAMS, *OF_REAL]
LIBRARY_ALONE = [stored, by_list, OF_REAL["buffer"], PROGRAMS["item"], PROGRAMS["tolist"]]
"""Of Variables that a user makes, these need another text: buffers, lists, and item(), which is the way out of the graph."""


@pytest.mark.parametrize("f, at", CASES, ids=NAMES)
def test_programs_in_library_runs(f, at):
    before = at.copy()
    found = sourcediff.grad(f, mode="eager")(at)
    assert found.dtype == at.dtype and np.array_equal(at, before)
    np.testing.assert_allclose(found, differences(f, at), rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("f, at", [(f, at) for f, at in CASES if f not in LIBRARY_ALONE],
                         ids=[name for name, (f, _) in zip(NAMES, CASES) if f not in LIBRARY_ALONE])
def test_programs_of_variables(f, at):
    v = Variable(at, requires_grad=True)
    f(v).backward()
    assert v.grad.data.dtype == at.dtype
    np.testing.assert_allclose(v.grad.data, differences(f, at), rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("name", ["abs", "angle", "quotient", "real power", "solve", "variance", "vdot", "transform", "spectrum", "polar",
                                  "filter", "running", "half a spectrum", "integer power", "norm"])
def test_second_order(name):
    """The gradient of the gradient's dot product with a direction, against differences of the gradient."""
    f, at = PROGRAMS.get(name) or OF_REAL[name], Z if name in PROGRAMS else X
    direction = W if name in PROGRAMS else X[::-1].copy()

    def slope(point):
        v = Variable(point, requires_grad=True)
        f(v).backward()
        return float(np.real(np.sum(v.grad.data * direction)))

    v = Variable(at, requires_grad=True)
    first, = ag.grad(f(v), v, create_graph=True)
    second, = ag.grad(np.real(np.sum(first * direction)), v)
    np.testing.assert_allclose(second.data, differences(slope, at), rtol=1e-6, atol=1e-7)


def test_in_place_on_variables():
    z = Variable(Z[0], requires_grad=True)
    out = Variable(np.zeros(3, complex))
    out[:2] = z[1:]
    out *= z
    np.abs(out).sum().backward()
    np.testing.assert_allclose(z.grad.data, differences(lambda z: np.abs(z[1] * z[0]) + np.abs(z[2] * z[1]), Z[0]), rtol=1e-7)


def test_a_constant_that_was_complex_by_chance_and_becomes_active():
    """The quick operators of real Variables must not be taken for complex ones, however these came about."""
    x = Variable(X[0], requires_grad=True)
    buffer = Variable(X[0]) * W[0]
    buffer[0] = x[0] * 1j
    np.abs(buffer).sum().backward()
    np.testing.assert_allclose(x.grad.data, [1, 0, 0])
    later = Variable(np.zeros(3))
    later.data = Z[0]
    later.requires_grad = True
    np.abs(later).sum().backward()
    np.testing.assert_allclose(later.grad.data, np.conj(Z[0]) / np.abs(Z[0]))
    turned = Variable(X[0], requires_grad=True)
    turned.data = Z[0].copy()
    np.abs(turned).sum().backward()
    np.testing.assert_allclose(turned.grad.data, np.conj(Z[0]) / np.abs(Z[0]))


def test_the_seed():
    z = Variable(Z, requires_grad=True)
    with pytest.raises(NonDifferentiableError, match="real scalar outputs"):
        (z * z).sum().backward()
    with pytest.raises(NonDifferentiableError, match="complex seed was given for a real output"):
        np.abs(z).backward(W)
    (z * z).backward(W)
    np.testing.assert_allclose(z.grad.data, 2 * Z * W)
    z.grad = None
    (z * z).sum().backward(1j)
    np.testing.assert_allclose(z.grad.data, 2j * Z)


def test_numbers():
    z = Variable(1 + 2j, requires_grad=True)
    abs(z).backward()
    assert type(z.grad.data) is complex
    np.testing.assert_allclose(z.grad.data, (1 - 2j) / np.sqrt(5))
    x = Variable(3.0, requires_grad=True)
    np.real(x * 1j * x * 2j).backward()
    assert x.grad.data == -12.0 and type(x.grad.data) is float
    assert sourcediff.grad(lambda z: (z * z.conjugate()).real, mode="eager")(1 + 2j) == 2 - 4j
    single = Variable(Z.astype(np.complex64), requires_grad=True)
    np.abs(np.fft.fft(single * 2)).sum().backward()
    assert single.grad.dtype == np.complex64


def test_parts():
    z = Variable(Z, requires_grad=True)
    for part, expected in ((z.real, Z.real), (z.imag, Z.imag), (z.conj(), Z.conj()), (z.conjugate(), Z.conj()), (np.angle(z), np.angle(Z))):
        assert part.requires_grad
        np.testing.assert_array_equal(part.data, expected)
    x = Variable(X, requires_grad=True)
    np.testing.assert_array_equal(x.imag.data, np.zeros_like(X))
    assert x.conj().dtype == X.dtype


@pytest.mark.parametrize("f", [np.max, np.sort, np.median, lambda z: np.maximum(z, 0), lambda z: np.clip(z, 0, 1), np.sign, np.nan_to_num,
                               np.ptp, np.linalg.slogdet], ids=lambda f: f.__name__)
def test_what_has_no_complex_derivative_is_refused_by_name(f):
    at = Z[:, :2] @ Z[:, :2].conj().T
    for attempt in (lambda: f(Variable(at, requires_grad=True)), lambda: sourcediff.grad(lambda z: np.abs(f(z))[0, 0], mode="eager")(at)):
        with pytest.raises(NonDifferentiableError, match="not for complex numbers"):
            attempt()


def test_complex_functions():
    with pytest.raises(NonDifferentiableError, match=r"complex number(.|\n)*np\.abs"):
        sourcediff.grad(lambda z: np.sum(z), mode="eager")(Z)
    with pytest.raises(NonDifferentiableError, match=r"complex number(.|\n)*np\.abs"):
        sourcediff.grad(np_sum, mode="compiled")(Z)


def np_sum(z):
    return np.sum(z)


def largest(z):
    return np.abs(np.sort(z)[0])


def test_what_compiled_code_refuses_runs_on_the_eager_engine_or_is_refused_by_name():
    with pytest.raises(sourcediff.NonDifferentiableError, match="not for complex numbers"):
        sourcediff.grad(largest, mode="compiled")(Z[0])
    with pytest.raises(NonDifferentiableError, match="not for complex numbers"):  # one error, and no warning beside it
        sourcediff.grad(largest)(Z[0])


@pytest.mark.parametrize("f", OF_REAL.values(), ids=OF_REAL)
def test_complex_values_inside_compiled_code_are_right_or_refused(f):
    try:
        found = sourcediff.grad(f, mode="compiled")(X)
    except (sourcediff.NonDifferentiableError, sourcediff.UnsupportedSyntaxError):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FallbackWarning)
            found = sourcediff.grad(f)(X)
    np.testing.assert_allclose(found, differences(f, X), rtol=1e-7, atol=1e-8)


def written_to_the_real_part(z):
    w = z * 2j
    w.real[0] = z.imag[0] * 3
    w.real[1, 1:] += 1
    return np.sum(np.abs(w))


def written_to_the_imaginary_part(z):
    w = z * (1 + 1j)
    part = np.imag(w)[:, :2]
    part *= z.real[:, :2]
    return np.sum(np.abs(w) ** 2) + np.sum(part)


def read_before_and_after(z):
    w = z * 1j
    part = w.real
    total = np.sum(part ** 2)
    w[0] = z[1] * z[0]
    return total + np.sum(part ** 3)


@pytest.mark.parametrize("f", [written_to_the_real_part, written_to_the_imaginary_part, read_before_and_after])
def test_parts_are_views(f):
    np.testing.assert_allclose(sourcediff.grad(f, mode="eager")(Z), differences(f, Z), rtol=1e-7, atol=1e-8)
    with pytest.raises(sourcediff.InPlaceError, match="shares memory"):
        f(Variable(Z, requires_grad=True)).backward()


def test_a_part_of_a_leaf_is_the_leaf():
    z = Variable(Z, requires_grad=True)
    with pytest.raises(sourcediff.InPlaceError, match="leaf"):
        z.real[0] = 1.0


def test_a_function_of_its_own():
    class Rotate(Function):
        @staticmethod
        def forward(ctx, z):
            return z * 1j

        @staticmethod
        def backward(ctx, g):
            return g * 1j

    z = Variable(Z, requires_grad=True)
    np.sum(np.abs(Rotate.apply(z) + 1)).backward()
    np.testing.assert_allclose(z.grad.data, differences(lambda z: np.sum(np.abs(z * 1j + 1)), Z), rtol=1e-7)
    x = Variable(X, requires_grad=True)
    np.sum(np.abs(Rotate.apply(x) + 1)).backward()
    np.testing.assert_allclose(x.grad.data, differences(lambda x: np.sum(np.abs(x * 1j + 1)), X), rtol=1e-7)
