"""SciPy's signal processing: convolutions, recursive filters, resampling.

A filter is a product of its signal with a matrix that says the same of each place, so its adjoint is the filter run backwards; A. V.
Oppenheim and R. W. Schafer, "Discrete-Time Signal Processing", 3rd ed., section 6.3, has the structures.
"""

import numpy as np
from scipy import ndimage, signal

from ...runtime.arrays import beyond, centred, chosen, fitted, halves, mirrored, padded, put_back, segment, settling, sum_to, turned
from ..frames import alias, general, linear, multilinear
from ..library_functions import composite

# Convolutions: the adjoint is a correlation with the other factor


@multilinear(signal.convolve)
def convolve(g, z, in1, in2, mode="full", method="auto"):
    full = np.pad(g, centred(np.shape(in1), np.shape(in2), np.shape(z)))
    return signal.convolve(full, np.flip(in2), "valid", method), signal.convolve(full, np.flip(in1), "valid", method)


@multilinear(signal.fftconvolve, signal.oaconvolve)
def fftconvolve(g, z, in1, in2, mode="full", axes=None):
    full = np.pad(g, centred(np.shape(in1), np.shape(in2), np.shape(z), axes))
    in1_bar = signal.fftconvolve(full, np.flip(in2, axes), "valid", axes)
    return sum_to(in1_bar, np.shape(in1)), sum_to(signal.fftconvolve(full, np.flip(in1, axes), "valid", axes), np.shape(in2))


@multilinear(signal.correlate)
def correlate(g, z, in1, in2, mode="full", method="auto"):
    full = np.pad(g, centred(np.shape(in1), np.shape(in2), np.shape(z)))
    return signal.convolve(full, in2, "valid", method), np.flip(signal.convolve(full, np.flip(in1), "valid", method))


@correlate.of_complex
def correlate_of_complex(g, z, in1, in2, mode="full", method="auto"):
    full = np.pad(g, centred(np.shape(in1), np.shape(in2), np.shape(z)))
    in1_bar = signal.convolve(full, np.conjugate(in2), "valid", method)
    return in1_bar, np.conjugate(np.flip(signal.convolve(full, np.flip(in1), "valid", method)))


@multilinear(signal.upfirdn, only={"mode": ("constant",), "cval": (0,)})
def upfirdn(g, z, h, x, up=1, down=1, axis=-1, mode="constant", cval=0):
    one = np.ones(1, z.dtype)
    stuffed = signal.upfirdn(one, x, up, 1, axis)  # zeros between the entries
    whole = np.shape(np.pad(stuffed, beyond(np.ndim(x), axis, np.size(h) - 1)))
    h_bar = signal.convolve(fitted(signal.upfirdn(one, g, down, 1, axis), whole), np.flip(stuffed), "valid")
    late = (np.size(h) + up - 2) // up
    x_bar = signal.upfirdn(np.pad(np.flip(h), (late * up + 1 - np.size(h), 0)), g, down, up, axis)
    return np.reshape(h_bar, np.shape(h)), fitted(np.delete(x_bar, np.s_[:late], axis), np.shape(x))


@composite(signal.convolve2d)
def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    return in_plane(in1, in2, mode, boundary, fillvalue, (np.shape(in2)[0] - 1) // 2, (np.shape(in2)[1] - 1) // 2)


@composite(signal.correlate2d)
def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    return in_plane(in1, np.conjugate(np.flip(in2)), mode, boundary, fillvalue, np.shape(in2)[0] // 2, np.shape(in2)[1] // 2)


def in_plane(in1, in2, mode, boundary, fillvalue, top, left):
    """The convolution with what goes on beyond the edges; of the ``same`` shape it begins at ``top`` and ``left`` of the full one."""
    if mode == "valid":
        return signal.convolve(in1, in2, "valid", "direct")
    rows, columns = np.shape(in2)
    rim = {"fill": "constant", "symm": "reflect"}.get(boundary, boundary)
    whole = padded(in1 - fillvalue, [(rows - 1, rows - 1), (columns - 1, columns - 1)], rim) + fillvalue
    full = signal.convolve(whole, in2, "valid", "direct")
    return full if mode == "full" else full[top:top + np.shape(in1)[0], left:left + np.shape(in1)[1]]


# Recursive filters


@general(signal.lfilter, holomorphic=True)
def lfilter(g, z, b, a, x, axis=-1):
    x_bar = np.flip(signal.lfilter(b, a, np.flip(g, axis), axis), axis)
    back = np.flip(signal.lfilter(np.ones(1, z.dtype), a, np.flip(g, axis), axis), axis)
    b_bar = signal.convolve(np.pad(back, beyond(np.ndim(x), axis, np.size(b) - 1)), np.flip(x), "valid")
    a_bar = signal.convolve(np.pad(back, beyond(np.ndim(x), axis, np.size(a) - 1)), np.flip(z), "valid")
    return np.reshape(b_bar, np.shape(b)), -np.reshape(a_bar, np.shape(a)), x_bar


@lfilter.pushforward
def lfilter_forward(z, db, da, dx, b, a, x, axis=-1):
    return signal.lfilter(db, a, x, axis) + signal.lfilter(b, a, dx, axis) - signal.lfilter(da, a, z, axis)


@composite(signal.lfilter)
def lfilter_from_state(b, a, x, axis=-1, zi=None):
    if zi is None:
        return signal.lfilter(b, a, x, axis)
    n, order = np.shape(x)[axis], np.shape(zi)[axis]
    unit = np.ravel(a) / np.ravel(a)[0]
    state = signal.lfilter([1.0], unit, np.pad(zi, beyond(np.ndim(zi), axis, n)), axis)  # it comes in as further input, place by place
    y = signal.lfilter(b, a, np.pad(x, beyond(np.ndim(x), axis, order)), axis) + state
    parts = np.split(y, [n], axis)
    return parts[0], signal.lfilter(unit, [1.0], parts[1], axis)


@composite(signal.lfilter_zi)
def lfilter_zi(b, a):
    unit = np.ravel(a) / np.ravel(a)[0]
    taps = np.ravel(b) / np.ravel(a)[0]
    order = max(np.size(a), np.size(b))
    longer = fitted(unit, (order,))
    change = fitted(taps, (order,))[1:] - longer[1:] * taps[0]
    first = np.sum(change) / np.sum(unit)
    return first * np.cumsum(longer)[:-1] - np.cumsum(np.concatenate([np.zeros(1), change]))[:-1]  # below the last sum


@composite(signal.filtfilt)
def filtfilt(b, a, x, axis=-1, padtype="odd", padlen=None, method="pad", irlen=None):
    rim = settling(max(np.size(a), np.size(b)), padtype, padlen, method)
    forth = settled(b, a, extended(np.moveaxis(x, axis, -1), rim, padtype))
    back = settled(b, a, forth[..., ::-1])[..., ::-1]
    return np.moveaxis(back[..., rim:rim + np.shape(x)[axis]], -1, axis)


def settled(b, a, x):
    """What a filter makes of a signal that has always been what it is at first."""
    first = x[..., :1]
    return signal.lfilter(b, a, x - first) + first * (np.sum(b) / np.sum(a))


def extended(x, rim, padtype):
    """A signal continued at both ends of its last axis, for a filter to settle."""
    if rim == 0:
        return x
    sides = beyond(np.ndim(x), -1, rim, rim)
    if padtype == "odd":
        return 2 * padded(x, sides, "nearest") - padded(x, sides, "mirror")
    return padded(x, sides, "mirror" if padtype == "even" else "nearest")


@composite(signal.sosfilt)
def sosfilt(sos, x, axis=-1, zi=None):
    sections = np.asarray(sos)
    y = x
    if zi is None:
        for k in range(len(sections)):
            y = signal.lfilter(sections[k, :3], sections[k, 3:], y, axis)
        return y
    ends = []
    for k in range(len(sections)):
        y, end = signal.lfilter(sections[k, :3], sections[k, 3:], y, axis, zi[k])
        ends.append(end)
    return y, np.stack(ends)


@composite(signal.sosfiltfilt)
def sosfiltfilt(sos, x, axis=-1, padtype="odd", padlen=None):
    sections = np.asarray(sos)
    unused = min(np.count_nonzero(sections[:, 2] == 0), np.count_nonzero(sections[:, 5] == 0))
    rim = settling(2 * len(sections) + 1 - unused, padtype, padlen)
    y = extended(np.moveaxis(x, axis, -1), rim, padtype)
    for _ in range(2):
        for k in range(len(sections)):
            y = settled(sections[k, :3], sections[k, 3:], y)
        y = y[..., ::-1]
    return np.moveaxis(y[..., rim:rim + np.shape(x)[axis]], -1, axis)


# The frequency response: the polynomials of a filter on the unit circle


@composite(signal.freqz)
def freqz(b, a=1, worN=512, whole=False, *, fs=2 * np.pi, include_nyquist=False):
    if np.ndim(worN) == 0:
        w = np.linspace(0, 2 * np.pi if whole else np.pi, 512 if worN is None else worN, endpoint=include_nyquist and not whole)
    else:
        w = 2 * np.pi * np.asarray(worN) / fs
    return w * fs / (2 * np.pi), on_the_circle(np.atleast_1d(b), w) / on_the_circle(np.atleast_1d(a), w)


def on_the_circle(coefficients, w):
    """A polynomial in ``exp(-1j * w)``, its coefficients by rising powers."""
    return np.exp(-1j * np.outer(w, np.arange(len(coefficients)))) @ coefficients


@composite(signal.decimate)
def decimate(x, q, n=None, ftype="iir", axis=-1, zero_phase=True):
    if ftype == "fir":
        taps = signal.firwin((20 * q if n is None else n) + 1, 1.0 / q, window="hamming")
        if zero_phase:
            return signal.resample_poly(x, 1, q, axis, taps)
        y = np.moveaxis(signal.upfirdn(taps, x, 1, q, axis), axis, -1)
        return np.moveaxis(y[..., :-(-np.shape(x)[axis] // q)], -1, axis)
    sos = signal.cheby1(8 if n is None else n, 0.05, 0.8 / q, output="sos")
    y = signal.sosfiltfilt(sos, x, axis) if zero_phase else signal.sosfilt(sos, x, axis)
    return np.moveaxis(np.moveaxis(y, axis, -1)[..., ::q], -1, axis)


@composite(signal.savgol_filter)
def savgol_filter(x, window_length, polyorder, deriv=0, delta=1.0, axis=-1, mode="interp", cval=0.0):
    taps = signal.savgol_coeffs(window_length, polyorder, deriv, delta)[::-1]
    if mode != "interp":
        return ndimage.correlate1d(x, taps, axis, None, mode, cval, turned(window_length))
    half = window_length // 2
    fits = [signal.savgol_coeffs(window_length, polyorder, deriv, delta, k, "dot") for k in range(window_length)]
    rows = np.moveaxis(x, axis, -1)
    inside = np.moveaxis(ndimage.correlate1d(x, taps, axis, None, "constant", 0.0, turned(window_length)), axis, -1)
    first = rows[..., :window_length] @ np.stack(fits[:half], -1)
    last = rows[..., -window_length:] @ np.stack(fits[-half:], -1)
    return np.moveaxis(np.concatenate([first, inside[..., half:-half], last], -1), -1, axis)


@composite(signal.welch)
def welch(
    x, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, detrend="constant", return_onesided=True, scaling="density", axis=-1,
    average="mean",
):
    size = segment(np.shape(x)[axis], nperseg, window, return_onesided, average)
    step = size - (size // 2 if noverlap is None else noverlap)
    length = size if nfft is None else nfft
    taper = signal.get_window(window, size)
    rows = np.lib.stride_tricks.sliding_window_view(np.moveaxis(x, axis, -1), size, -1)[..., ::step, :]
    level = signal.detrend(rows, -1, detrend) if detrend else rows
    unit = 1.0 / (fs * np.sum(taper**2)) if scaling == "density" else 1.0 / np.sum(taper) ** 2
    power = np.abs(np.fft.rfft(level * taper, length)) ** 2 * (unit * halves((length,), 0)[:length // 2 + 1])
    return np.fft.rfftfreq(length, 1 / fs), np.moveaxis(np.mean(power, -2), -1, axis)


@composite(signal.periodogram)
def periodogram(x, fs=1.0, window="boxcar", nfft=None, detrend="constant", return_onesided=True, scaling="density", axis=-1):
    return signal.welch(x, fs, window, np.shape(x)[axis], 0, nfft, detrend, return_onesided, scaling, axis)


# What is linear in the signal and constant otherwise


@linear(signal.hilbert)
def hilbert(g, z, x, N=None, axis=-1):
    return fitted(np.fft.fft(np.fft.ifft(g, None, axis) * halves(np.shape(z), axis), None, axis), np.shape(x))


@linear(signal.detrend, only={"overwrite_data": (False,)}, refuses=("bp",))
def detrend(g, z, data, axis=-1, type="linear", bp=0, overwrite_data=False):
    return signal.detrend(g, axis, type, bp)  # it is a projection


@linear(signal.resample, only={"t": (None,), "window": (None,), "domain": ("time",)}, holomorphic=False)
def resample(g, z, x, num, t=None, axis=0, window=None, domain="time"):
    return np.fft.irfft(np.fft.rfft(g, None, axis), np.shape(x)[axis], axis)


@linear(signal.resample_poly, only={"padtype": ("constant",), "cval": (None, 0)})
def resample_poly(g, z, x, up, down, axis=0, window=("kaiser", 5.0), padtype="constant", cval=None):
    return fitted(signal.resample_poly(g, down, up, axis, mirrored(window)) * (up / down), np.shape(x))


# Selections: of equal entries the first one in the window


@general(signal.medfilt, selects=True)
def medfilt(g, z, volume, kernel_size=3):
    return put_back(g, np.shape(volume), chosen(z, volume, kernel_size, None, "constant"))


@medfilt.pushforward
def medfilt_forward(z, dvolume, volume, kernel_size=3):
    return np.take(np.append(dvolume, np.zeros(1, z.dtype)), chosen(z, volume, kernel_size, None, "constant"))


alias(signal.medfilt2d, signal.medfilt, input="volume")
