"""SciPy's distributions: densities and distribution functions, said by special functions."""

import numpy as np
from scipy import stats

from ..frames import composite


@composite(stats.norm.logpdf)
def norm_logpdf(x, loc=0, scale=1):
    z = (x - loc) / scale
    return -0.5 * z**2 - 0.9189385332046727 - np.log(scale)


@composite(stats.norm)
class Norm:
    def __init__(self, loc=0, scale=1):
        self.loc = loc
        self.scale = scale

    def logpdf(self, x):
        return norm_logpdf(x, self.loc, self.scale)
