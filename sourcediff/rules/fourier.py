"""Fourier transforms. Their matrices are symmetric, so the adjoint (not conjugated) is the same transform again.

``n`` and ``s`` cut their argument or fill it up with zeros; so does the adjoint, back to the argument's shape. Half a spectrum (``rfft``)
is read as one that goes on with zeros; where half a spectrum stands for all of it (``irfft``), most of its entries count twice.
"""

import numpy as np

from ..runtime.arrays import fitted, halves, lengths, reduced
from .frames import general, linear


@linear(np.fft.fft)
def fft(g, z, a, n=None, axis=-1, norm=None):
    return fitted(np.fft.fft(g, None, axis, norm), np.shape(a))


@linear(np.fft.ifft)
def ifft(g, z, a, n=None, axis=-1, norm=None):
    return fitted(np.fft.ifft(g, None, axis, norm), np.shape(a))


@linear(np.fft.rfft)
def rfft(g, z, a, n=None, axis=-1, norm=None):
    return fitted(np.fft.fft(g, np.shape(a)[axis] if n is None else n, axis, norm), np.shape(a))


@linear(np.fft.ihfft)
def ihfft(g, z, a, n=None, axis=-1, norm=None):
    return fitted(np.fft.ifft(g, np.shape(a)[axis] if n is None else n, axis, norm), np.shape(a))


@linear(np.fft.irfft)
def irfft(g, z, a, n=None, axis=-1, norm=None):
    return np.real(fitted(np.fft.ifft(g, None, axis, norm) * halves(np.shape(z), axis), np.shape(a)))


@irfft.of_complex
def irfft_of_complex(g, z, a, n=None, axis=-1, norm=None):
    return fitted(np.fft.ifft(g, None, axis, norm) * halves(np.shape(z), axis), np.shape(a))


@linear(np.fft.hfft)
def hfft(g, z, a, n=None, axis=-1, norm=None):
    return np.real(fitted(np.fft.fft(g, None, axis, norm) * halves(np.shape(z), axis), np.shape(a)))


@hfft.of_complex
def hfft_of_complex(g, z, a, n=None, axis=-1, norm=None):
    return fitted(np.fft.fft(g, None, axis, norm) * halves(np.shape(z), axis), np.shape(a))


@linear(np.fft.fftn)
def fftn(g, z, a, s=None, axes=None, norm=None):
    return fitted(np.fft.fftn(g, s, axes, norm), np.shape(a))


@linear(np.fft.ifftn)
def ifftn(g, z, a, s=None, axes=None, norm=None):
    return fitted(np.fft.ifftn(g, s, axes, norm), np.shape(a))


@linear(np.fft.fft2)
def fft2(g, z, a, s=None, axes=(-2, -1), norm=None):
    return fitted(np.fft.fft2(g, s, axes, norm), np.shape(a))


@linear(np.fft.ifft2)
def ifft2(g, z, a, s=None, axes=(-2, -1), norm=None):
    return fitted(np.fft.ifft2(g, s, axes, norm), np.shape(a))


@linear(np.fft.rfftn)
def rfftn(g, z, a, s=None, axes=None, norm=None):
    over = reduced(np.ndim(a), axes)
    return fitted(np.fft.fftn(g, lengths(np.shape(a), over, s), over, norm), np.shape(a))


@linear(np.fft.rfft2)
def rfft2(g, z, a, s=None, axes=(-2, -1), norm=None):
    over = reduced(np.ndim(a), axes)
    return fitted(np.fft.fftn(g, lengths(np.shape(a), over, s), over, norm), np.shape(a))


@linear(np.fft.irfftn)
def irfftn(g, z, a, s=None, axes=None, norm=None):
    often = halves(np.shape(z), -1 if axes is None else axes[-1])
    return np.real(fitted(np.fft.ifftn(g, s, axes, norm) * often, np.shape(a)))


@irfftn.of_complex
def irfftn_of_complex(g, z, a, s=None, axes=None, norm=None):
    often = halves(np.shape(z), -1 if axes is None else axes[-1])
    return fitted(np.fft.ifftn(g, s, axes, norm) * often, np.shape(a))


@linear(np.fft.irfft2)
def irfft2(g, z, a, s=None, axes=(-2, -1), norm=None):
    often = halves(np.shape(z), axes[-1])
    return np.real(fitted(np.fft.ifft2(g, s, axes, norm) * often, np.shape(a)))


@irfft2.of_complex
def irfft2_of_complex(g, z, a, s=None, axes=(-2, -1), norm=None):
    often = halves(np.shape(z), axes[-1])
    return fitted(np.fft.ifft2(g, s, axes, norm) * often, np.shape(a))


@linear(np.fft.fftshift)
def fftshift(g, z, x, axes=None):
    return np.fft.ifftshift(g, axes)


@linear(np.fft.ifftshift)
def ifftshift(g, z, x, axes=None):
    return np.fft.fftshift(g, axes)


@general(np.fft.fftfreq, np.fft.rfftfreq, refuses=("n",))
def fftfreq(g, z, n, d=1.0):
    return None, -np.sum(g * z) / d


@fftfreq.pushforward
def fftfreq_forward(z, dd, n, d=1.0):
    return -dd * z / d
