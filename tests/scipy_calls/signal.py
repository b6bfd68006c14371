"""scipy.signal."""

import numpy as np
from scipy import signal
from scipy.signal import (
    butter,
    convolve,
    convolve2d,
    correlate,
    detrend,
    fftconvolve,
    filtfilt,
    find_peaks,
    freqz,
    hilbert,
    lfilter,
    lfilter_zi,
    medfilt,
    oaconvolve,
    resample,
    resample_poly,
    savgol_filter,
    sosfilt,
    sosfiltfilt,
    upfirdn,
    welch,
)

from tests.corpus.case import array, number

from .call import call, near


@call(array("9"), array("3"))
def convolved_to_the_same_length(x, kernel):
    return np.sum(convolve(x, kernel, mode="same") ** 2)


@call(array("9"))
def smoothed_by_a_window(x):
    win = signal.windows.hann(5)
    filtered = signal.convolve(x, win, mode="same") / sum(win)
    return np.sum(filtered**2)


@call(array("9"), array("4"))
def convolved_by_fft(x, h):
    return np.sum(fftconvolve(x, h)[:9] ** 2)


@call(array("12"), array("3"))
def overlap_add(x, h):
    return np.sum(oaconvolve(x, h, mode="valid") ** 2)


@call(array("8"), array("5"))
def cross_correlation(x, y):
    return np.max(correlate(x, y, mode="full"))


@call(array("6 5"), array("3 3"))
def convolved_image(image, kernel):
    return np.sum(convolve2d(image, kernel, mode="same", boundary="symm") ** 2)


@call(number(0.7), number(0.4), array("10"))
def first_order_recursion(g, a, x):
    y = lfilter([g], [1, -a], x)
    return np.sum(y**2)


@call(array("12"))
def butterworth(x):
    b, a = butter(3, 0.2)
    return np.sum(lfilter(b, a, x) ** 2)


@call(array("10"))
def filter_with_a_state(x):
    b, a = butter(2, 0.3)
    y, zf = lfilter(b, a, x, zi=lfilter_zi(b, a) * x[0])
    return np.sum(y**2) + np.sum(zf)


@call(array("16"))
def forward_and_backward(x):
    b, a = signal.butter(2, 0.25)
    return np.sum(filtfilt(b, a, x) ** 2)


@call(array("12"))
def second_order_sections(x):
    sos = signal.butter(4, 0.3, output="sos")
    return np.sum(sosfilt(sos, x) ** 2)


@call(array("24"))
def sections_forward_and_backward(x):
    sos = signal.butter(4, 0.3, output="sos")
    return np.sum(sosfiltfilt(sos, x) ** 2)


@call(array("11"))
def savitzky_golay(x):
    return np.sum(savgol_filter(x, 5, 2) ** 2)


@call(array("11"))
def savitzky_golay_slope(x):
    return np.sum(savgol_filter(x, window_length=7, polyorder=3, deriv=1, delta=0.5, mode="nearest") ** 2)


@call(array("10"))
def envelope(x):
    analytic_signal = hilbert(x)
    return np.sum(np.abs(analytic_signal))


@call(array("9"))
def detrended(x):
    return np.sum(detrend(x) ** 2)


@call(array("4 9"))
def mean_removed(x):
    return np.sum(signal.detrend(x, type="constant", axis=1) ** 3)


@call(array("10"))
def resampled(x):
    return np.sum(resample(x, 15) ** 2)


@call(array("12"))
def resampled_by_polyphase(x):
    return np.sum(resample_poly(x, 3, 2) ** 2)


@call(array("8"), array("4"))
def upsampled(x, h):
    return np.sum(upfirdn(h, x, up=2) ** 2)


@call(array("16"))
def power_spectrum(x):
    f, Pxx = welch(x, fs=10.0, nperseg=8)
    return np.sum(np.log(Pxx[1:]))


@call(array("12"))
def periodogram_of_a_signal(x):
    f, Pxx = signal.periodogram(x, 2.0)
    return np.sum(f * Pxx)


@call(near(0.2, 0.5, 0.2))
def frequency_response(b):
    w, h = freqz(b, [1.0, -0.3], worN=16)
    return np.sum(20 * np.log10(np.abs(h[:10])))


@call(array("9"))
def median_of_neighbours(x):
    return np.sum(medfilt(x, 3) ** 2)


@call(array("12"))
def height_of_the_peaks(x):
    peaks, _ = find_peaks(x)
    return np.sum(x[peaks] ** 2)


@call(array("9"), np.linspace(0, 2, 9))
def response_of_a_system(u, t):
    tout, y, x = signal.lsim(([1.0], [1.0, 0.5, 2.0]), u, t)
    return np.sum(y**2)
