"""Samples of SciPy's signal processing."""

import numpy as np
from scipy import signal

from sourcediff.rules.scipy import loaded

from ..calls import call, x

loaded("signal")

PAIRS = [
    *(call(x(*one), x(*other, seed=1), mode) for mode in ("full", "same", "valid") for one, other in (((6,), (3,)), ((5, 4), (2, 3)))),
    call(x(3), x(6, seed=1)), call(x(3), x(5, seed=1), "valid"), call(x(4), x(2, seed=1), "same"), call(x(1), x(1, seed=1)),
]
DIRECT = [*PAIRS, call(x(6), x(3, seed=1), method="direct")]
ALONG = [
    *PAIRS, call(x(2, 6), x(1, 3, seed=1), axes=1), call(x(2, 6), x(2, 3, seed=1), "same", axes=-1),
    call(x(1, 6), x(4, 3, seed=1), "valid", axes=(1,)),
]
FIR = np.array([0.5, 0.3, 0.2])
IIR = np.array([1.2, -0.5, 0.3])
SAMPLES = {
    signal.convolve: DIRECT, signal.correlate: [*DIRECT, call(x(3), x(6, seed=1), "same")],
    signal.fftconvolve: ALONG, signal.oaconvolve: ALONG,
    signal.upfirdn: [
        call(x(4), x(6, seed=1)), call(x(5), x(6, seed=1), 3, 2), call(x(3), x(4, seed=1), 2, 5), call(x(2), x(2, 5, seed=1), 1, 2),
        call(x(3), x(5, 2, seed=1), 2, axis=0), call(x(1), x(1, seed=1), 2, 3),
    ],
    signal.lfilter: [
        call(FIR, IIR, x(6)), call(FIR[:2], IIR, x(2, 5)), call(FIR, IIR[:2], x(5, 2), axis=0), call(FIR, 1.5, x(4)),
        call(0.7, IIR, x(4)), call(FIR, IIR, x(2, 3, 2), 1),
    ],
    signal.detrend: [
        call(x(6)), call(x(2, 5), type="constant"), call(x(6, 2), 0), call(x(7), bp=3), call(x(6), -1, "linear", np.array([2, 4])),
    ],
    signal.resample: [call(x(n), num) for n in (5, 6) for num in (3, 4, 5, 6, 7, 8)] + [call(x(2, 6), 4, axis=1), call(x(1), 3)],
    signal.resample_poly: [
        call(x(7), 3, 2, weak=True), call(x(2, 6), 1, 4, axis=1, weak=True), call(x(3, 2), 4, 6, weak=True),
        call(x(5), 2, 1, window="hamming", weak=True), call(x(6), 3, 2, window=[0.1, 0.5, 0.3, 0.2], weak=True), call(x(5), 2, 2),
    ],
    signal.medfilt: [call(x(6)), call(x(6, 5), 5), call(x(3, 4), [1, 3])], signal.medfilt2d: [call(x(4, 5)), call(x(5, 6), 5)],
}
COMPLEX = {signal.hilbert: [call(x(6)), call(x(2, 5)), call(x(4, 2), axis=0), call(x(4), 6), call(x(6), 3)]}
SOS = signal.butter(3, 0.3, output="sos").tolist()
SPREAD = [
    call(x(4, 5), x(2, 3, seed=1)), call(x(4, 5), x(2, 3, seed=1), "same"), call(x(3, 3), x(2, 2, seed=1), "full", "symm"),
    call(x(3, 4), x(2, 3, seed=1), "same", "wrap"), call(x(3, 4), x(3, 2, seed=1), "same", "fill", 2),
    call(x(3, 4), x(2, 2, seed=1), "valid"),
]
COMPOSITES = {
    signal.convolve2d: SPREAD, signal.correlate2d: SPREAD[1:4],
    signal.welch: [
        call(x(20), 2, nperseg=8), call(x(2, 9), window="hamming", noverlap=2, nperseg=5, nfft=8, detrend=False, scaling="spectrum"),
    ],
    signal.periodogram: [call(x(8)), call(x(7), 3, detrend="linear")],
    signal.lfilter: [call(FIR, IIR, x(5), zi=x(2, seed=1)), call(FIR, IIR[:2], x(2, 3), axis=0, zi=x(2, 1, seed=1))],
    signal.lfilter_zi: [call(FIR, IIR), call(FIR[:2], IIR), call(FIR, IIR[:2])],
    signal.filtfilt: [
        call(FIR, IIR, x(12)), call(FIR, IIR, x(12, 2), 0, "even"), call(FIR, IIR, x(2, 9), padtype="constant", padlen=4),
        call(FIR, IIR, x(5), padtype=None), call(FIR, 1.0, x(12)),
    ],
    signal.sosfilt: [call(SOS, x(6)), call(SOS, x(2, 4), zi=x(2, 2, 2, seed=1)), call(SOS[:1], x(5, 2), axis=0)],
    signal.sosfiltfilt: [call(SOS, x(15)), call(SOS, x(5, 2), 0, "even", 3), call(SOS[1:], x(4), padtype=None)],
    signal.freqz: [
        call(FIR, IIR, worN=5), call(x(3), worN=4, whole=True), call(FIR, IIR, np.array([0.1, 0.4, 1.0]), fs=3.0),
        call(0.7, IIR, worN=4, include_nyquist=True),
    ],
    signal.decimate: [
        call(x(30), 2), call(x(2, 30), 3, zero_phase=False), call(x(30), 4, ftype="fir"),
        call(x(9, 2), 2, 4, "fir", 0, False),
    ],
    signal.savgol_filter: [
        call(x(9), 5, 2), call(x(2, 7), 5, 3, 1, 2), call(x(7, 2), 4, 2, axis=0), call(x(5), 5, 2, mode="nearest"),
        call(x(6), 3, 1, mode="wrap"), call(x(6), 3, 1, 1, mode="mirror"),
    ],
}
