"""Samples of SciPy's distributions."""

from scipy import stats

from sourcediff.rules.scipy import loaded

from ..calls import call, positive, x

loaded("stats")

COMPOSITES = {
    stats.norm.logpdf: [call(x(2, 3)), call(x(3), x(2, 1), positive(3)), call(0.3, loc=0.1, scale=1.5)],
}
