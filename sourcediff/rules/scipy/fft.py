"""SciPy's Fourier transforms: NumPy's rules, and those of the cosine and sine transforms.

G. Strang, "The discrete cosine transform", SIAM Review 41, 1999: types 1 and 4 are symmetric, 2 and 3 transposes of each other, but for
the entries at an end, which count twice where the transform is not orthogonal.
"""

import numpy as np
from scipy import fft

from ...runtime.arrays import doubled, fitted, transformed
from ..families import itself
from ..frames import alias, constant, linear, named

for _function in named(fft, "fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn"):
    alias(_function, getattr(np.fft, _function.__name__), x="a", workers=None, plan=None)
for _function in named(fft, "fftshift ifftshift fftfreq rfftfreq"):  # they are NumPy's own in older versions
    alias(_function, getattr(np.fft, _function.__name__))
constant(*named(fft, "next_fast_len prev_fast_len"))


# Of complex numbers SciPy forgets orthogonalize=, so the cosine and sine transforms are those of real ones


@linear(fft.dct, fft.dst, fft.idct, fft.idst, only={"overwrite_x": (False,)}, holomorphic=False)
def dct(g, z, x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    ends = doubled(itself, np.shape(z), axis, type, norm, orthogonalize)
    back = itself(g * ends[0], (1, 3, 2, 4)[type - 1], None, axis, norm, orthogonalize=orthogonalize)
    return fitted(back / ends[1], np.shape(x))


@linear(fft.dctn, fft.dstn, fft.idctn, fft.idstn, only={"overwrite_x": (False,)}, holomorphic=False)
def dctn(g, z, x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, orthogonalize=None):
    over = transformed(np.ndim(x), s, axes)
    ends = doubled(itself, np.shape(z), over, type, norm, orthogonalize)
    back = itself(g * ends[0], (1, 3, 2, 4)[type - 1], None, over, norm, orthogonalize=orthogonalize)
    return fitted(back / ends[1], np.shape(x))
