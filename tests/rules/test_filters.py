"""SciPy's filters in programs: states that go in and come out, designs that are constant, and what is refused by name."""

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError

from ..eager.numbers import differences

ndimage = pytest.importorskip("scipy.ndimage", reason="SciPy is not installed")
fft = pytest.importorskip("scipy.fft", reason="SciPy is not installed")
signal = pytest.importorskip("scipy.signal", reason="SciPy is not installed")

X = np.array([0.3, -0.5, 0.7, 1.2, -0.9, 0.4, 0.1, 0.8, -0.2, 0.6])
IMAGE = np.outer(X, X[:6]) + np.arange(6) % 4
B, A = signal.butter(2, 0.3)
SOS = signal.butter(4, 0.3, output="sos")


def in_blocks(x):
    state = signal.lfilter_zi(B, A) * x[0]
    first, state = signal.lfilter(B, A, x[:4], zi=state)
    rest, state = signal.lfilter(B, A, x[4:], zi=state)
    return np.sum(np.concatenate([first, rest]) ** 3) + np.sum(state)


def sections_in_blocks(x):
    first, state = signal.sosfilt(SOS, x[:4], zi=np.zeros((2, 2)))
    rest, state = signal.sosfilt(SOS, x[4:], zi=state)
    return np.sum(np.concatenate([first, rest]) ** 3) + np.sum(state)


def coefficients(x):
    return np.sum(signal.lfilter([x[0], x[1]], [1.0, x[2] * 0.3], X) ** 2)


def envelope(x):
    smooth = signal.convolve(x, signal.windows.hann(5), mode="same")
    return np.sum(np.abs(signal.hilbert(smooth)) ** 3) + np.sum(signal.lfilter(signal.firwin(3, 0.4), 1.0, x) ** 2)


def spectrum(x):
    n = fft.next_fast_len(19)
    return np.sum(fft.irfft(fft.rfft(x, n, workers=1) * fft.rfft(x[::-1], n), n) ** 2) + np.sum(np.abs(fft.fftshift(fft.fft(x=x))) ** 3)


def largest_blob(x):
    image = IMAGE * x[:6]
    labels, _ = ndimage.label(IMAGE > 1)
    return np.sum(ndimage.gaussian_filter(image, sigma=0.8, mode="wrap")[labels == 1] ** 2)


def registration(x):
    moved = ndimage.shift(IMAGE, (x[0], x[1]), mode="nearest")
    turned = ndimage.affine_transform(IMAGE, np.array([[1.0, x[2]], [x[3], 1.0]]), offset=[x[4], 0.3], order=3, mode="mirror")
    return np.sum((moved - turned) ** 2)


@pytest.mark.parametrize("mode", ["eager", "compiled"])
@pytest.mark.parametrize(
    "f", [in_blocks, sections_in_blocks, coefficients, envelope, spectrum, largest_blob, registration], ids=lambda f: f.__name__,
)
def test_programs(f, mode):
    value, gradient = sourcediff.value_and_grad(f, mode=mode)(X.copy())
    np.testing.assert_allclose(value, f(X), rtol=1e-12)
    np.testing.assert_allclose(gradient, differences(f, X)[0], rtol=1e-5, atol=1e-6)


def test_of_equal_entries_the_first_in_the_window_is_selected():
    for mode in ("eager", "compiled"):
        gradient = sourcediff.grad(lambda x: np.sum(ndimage.maximum_filter(x, 3) * X[:4]), mode=mode)
        np.testing.assert_allclose(gradient(np.array([1.0, 2.0, 2.0, 0.0])), [0, X[0] + X[1] + X[2], X[3], 0])


@pytest.mark.parametrize("name, call", [
    ("gust", lambda x: np.sum(signal.filtfilt(B, A, x, method="gust"))),
    ("sigma", lambda x: np.sum(ndimage.gaussian_filter1d(X, x[3]))),
    ("cval", lambda x: np.sum(ndimage.uniform_filter1d(x, 3, mode="constant", cval=1.0))),
    ("output", lambda x: np.sum(ndimage.laplace(x, output=np.zeros(10)))),
    ("overwrite_x", lambda x: np.sum(fft.dct(x, overwrite_x=True))),
    ("overwrite_x", lambda x: np.sum(np.abs(fft.fft(x, overwrite_x=True)))),
    ("modes", lambda x: np.sum(ndimage.gaussian_filter(np.outer(x, x), 1.0, mode=["wrap"], axes=(0,)))),
])
def test_what_is_refused_by_name(name, call):
    with pytest.raises((SourcediffError, ValueError), match=name):
        sourcediff.grad(call, mode="eager")(X.copy())
