"""SciPy's distributions: densities and distribution functions, said by special functions."""

import numpy as np
from scipy import stats

from ..frames import composite


@composite(stats.norm.logpdf)
def norm_logpdf(x, loc=0, scale=1):
    z = (x - loc) / scale
    return -0.5 * z**2 - 0.9189385332046727 - np.log(scale)
