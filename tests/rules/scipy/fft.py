"""Samples of SciPy's Fourier, cosine and sine transforms."""

import numpy as np
from scipy import fft

from sourcediff.rules.scipy import loaded

from ..calls import call, x

loaded("fft")

LINES = [call(x(4)), call(x(5), n=3), call(x(2, 4), 6, 0, "ortho")]
PLANES = [call(x(2, 3)), call(x(2, 3, 4), axes=(0, 2)), call(x(2, 3), s=(1, 5), axes=(0, 1))]
TYPED = [
    *(call(x(2, 5), type) for type in (1, 2, 3, 4)), *(call(x(5, 2), type, axis=0, norm="ortho") for type in (1, 2, 3, 4)),
    *(call(x(4), type, n, norm=norm) for type, n, norm in ((2, 6, "forward"), (3, 3, "backward"))),
    *(call(x(4), type, orthogonalize=True) for type in (1, 2, 3)), call(x(4), 3, norm="ortho", orthogonalize=False),
]
WHOLE = [
    *(call(x(3, 4), type) for type in (1, 2, 3, 4)), *(call(x(3, 2), type, norm="ortho") for type in (2, 3)),
    call(x(2, 3, 4), 2, axes=(0, 2)), call(x(2, 3, 4), 3, s=(2, 5), norm="forward"), call(x(2, 3), axes=-1),
]
SHIFTS = [call(x(4)), call(x(2, 3)), call(x(2, 3), axes=1)]
SAMPLES = {
    fft.irfft: [*LINES, call(x(5), workers=1)], fft.hfft: LINES, fft.irfftn: PLANES, fft.irfft2: PLANES,
    **dict.fromkeys((fft.dct, fft.dst, fft.idct, fft.idst), TYPED), **dict.fromkeys((fft.dctn, fft.dstn, fft.idctn, fft.idstn), WHOLE),
    **({} if fft.fftfreq.__module__.startswith("numpy") else {key: [call(5, np.array(0.4))] for key in (fft.fftfreq, fft.rfftfreq)}),
    **({} if fft.fftshift.__module__.startswith("numpy") else {fft.fftshift: SHIFTS, fft.ifftshift: SHIFTS}),
}
COMPLEX = {
    **dict.fromkeys((fft.fft, fft.ifft, fft.rfft, fft.ihfft), LINES),
    **dict.fromkeys((fft.fftn, fft.ifftn, fft.fft2, fft.ifft2, fft.rfftn, fft.rfft2), PLANES),
}
