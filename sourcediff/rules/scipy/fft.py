"""SciPy's Fourier transforms: NumPy's rules, and those of the cosine and sine transforms.

G. Strang, "The discrete cosine transform", SIAM Review 41, 1999: types 1 and 4 are symmetric, 2 and 3 transposes of each other, but for
the entries at an end, which count twice where the transform is not orthogonal.
"""

import numpy as np
from scipy import fft

from ...runtime.arrays import doubled, fitted, transformed
from ..frames import alias, composite, constant, linear, named

for _function in named(fft, "fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn"):
    alias(_function, getattr(np.fft, _function.__name__), x="a", workers=None, plan=None)
for _function in named(fft, "fftshift ifftshift"):  # they are NumPy's own in older versions
    alias(_function, getattr(np.fft, _function.__name__))
constant(*named(fft, "next_fast_len prev_fast_len fftfreq rfftfreq"))


@linear(fft.dct, only={"overwrite_x": (False,)})
def dct(g, z, x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    ends = doubled(np.shape(z), axis, type, norm, orthogonalize)
    back = fft.dct(g if type == 3 else g * ends, (1, 3, 2, 4)[type - 1], None, axis, norm, orthogonalize=orthogonalize)
    return fitted(back / ends if type in (1, 3) else back, np.shape(x))


@linear(fft.dst, only={"overwrite_x": (False,)})
def dst(g, z, x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    ends = doubled(np.shape(z), axis, type, norm, orthogonalize, True)
    back = fft.dst(g if type == 3 else g * ends, (1, 3, 2, 4)[type - 1], None, axis, norm, orthogonalize=orthogonalize)
    return fitted(back / ends if type in (1, 3) else back, np.shape(x))


@linear(fft.dctn, only={"overwrite_x": (False,)})
def dctn(g, z, x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, orthogonalize=None):
    over = transformed(np.ndim(x), s, axes)
    ends = doubled(np.shape(z), over, type, norm, orthogonalize)
    back = fft.dctn(g if type == 3 else g * ends, (1, 3, 2, 4)[type - 1], None, over, norm, orthogonalize=orthogonalize)
    return fitted(back / ends if type in (1, 3) else back, np.shape(x))


@linear(fft.dstn, only={"overwrite_x": (False,)})
def dstn(g, z, x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, orthogonalize=None):
    over = transformed(np.ndim(x), s, axes)
    ends = doubled(np.shape(z), over, type, norm, orthogonalize, True)
    back = fft.dstn(g if type == 3 else g * ends, (1, 3, 2, 4)[type - 1], None, over, norm, orthogonalize=orthogonalize)
    return fitted(back / ends if type in (1, 3) else back, np.shape(x))


# The inverse of a type is the transposed one with the inverse norm


@composite(fft.idct)
def idct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    back = {"ortho": "ortho", "forward": "backward"}.get(norm, "forward")
    return fft.dct(x, (1, 3, 2, 4)[type - 1], n, axis, back, orthogonalize=orthogonalize)


@composite(fft.idst)
def idst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    back = {"ortho": "ortho", "forward": "backward"}.get(norm, "forward")
    return fft.dst(x, (1, 3, 2, 4)[type - 1], n, axis, back, orthogonalize=orthogonalize)


@composite(fft.idctn)
def idctn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, orthogonalize=None):
    back = {"ortho": "ortho", "forward": "backward"}.get(norm, "forward")
    return fft.dctn(x, (1, 3, 2, 4)[type - 1], s, axes, back, orthogonalize=orthogonalize)


@composite(fft.idstn)
def idstn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, orthogonalize=None):
    back = {"ortho": "ortho", "forward": "backward"}.get(norm, "forward")
    return fft.dstn(x, (1, 3, 2, 4)[type - 1], s, axes, back, orthogonalize=orthogonalize)
