"""scipy.fft."""

import numpy as np
import scipy.fft
from scipy.fft import dct, dctn, dst, fft, fft2, fftfreq, fftshift, idct, ifft, ifft2, irfft, rfft, rfftfreq

from tests.corpus.case import array, number

from .call import call


@call(array("8"))
def magnitudes(x):
    yf = fft(x)
    return np.sum(2.0 / 8 * np.abs(yf[0:4]))


@call(array("8"))
def round_trip_with_a_filter(x):
    return np.sum(ifft(fft(x) * np.exp(-(fftfreq(8) ** 2))).real ** 2)


@call(array("9"))
def power_of_a_real_signal(x):
    return np.sum(rfftfreq(9, d=0.1) * np.abs(rfft(x)) ** 2)


@call(array("8"))
def spectral_derivative(u):
    k = 2 * np.pi * rfftfreq(8, 1 / 8)
    return np.sum(irfft(1j * k * rfft(u), n=8) ** 4)


@call(array("6 5"))
def two_dimensional(image):
    F = fftshift(fft2(image))
    return np.sum(np.log1p(np.abs(F) ** 2))


@call(array("6 5"), array("3 3"))
def convolution_theorem(image, kernel):
    return np.sum(ifft2(fft2(image) * fft2(kernel, s=image.shape)).real ** 2)


@call(array("4 4 4"), number(0.3))
def poisson_in_three_dimensions(rho, eps):
    k = 2 * np.pi * scipy.fft.fftfreq(4)
    k2 = k[:, None, None] ** 2 + k[None, :, None] ** 2 + k[None, None, :] ** 2 + eps
    return np.sum(scipy.fft.ifftn(scipy.fft.fftn(rho) / k2).real ** 2)


@call(array("8"))
def cosine_transform(x):
    return np.sum(dct(x, norm="ortho")[:4] ** 2)


@call(array("8"))
def truncated_cosine_series(x):
    y = dct(x, type=2)
    return np.sum(idct(np.where(np.arange(8) < 5, y, 0.0)) ** 2)


@call(array("8"))
def sine_transform(x):
    return np.sum(dst(x, type=1) ** 3)


@call(array("4 6"))
def cosine_transform_of_an_image(x):
    return np.sum(np.abs(dctn(x, norm="ortho")))


@call(array("6"))
def padded_to_a_fast_length(x):
    n = scipy.fft.next_fast_len(11)
    return np.sum(scipy.fft.irfft(scipy.fft.rfft(x, n) ** 2, n) ** 2)
