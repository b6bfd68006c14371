"""Samples of what splines are made of; the splines are tried in tests/test_interpolants.py."""

import numpy as np

from sourcediff.rules.scipy import loaded
from sourcediff.rules.scipy.interpolants import b_splines
from sourcediff.rules.scipy.pieces import powers

from ..calls import call, positive, x

loaded("interpolate")

KNOTS = np.concatenate([np.zeros(3), np.linspace(0.0, 3.0, 5), np.full(3, 3.0)])

SAMPLES = {
    b_splines: [call(2 * positive(4), KNOTS, 3), call(positive(2, 3), KNOTS, 3, 1), call(np.array(0.4), KNOTS, 3)],
    powers: [call(x(4), 3), call(x(2, 3), 2, 1), call(x(3), 3, -1), call(np.array(0.4), 2)],
}
