"""Samples of SciPy's special functions."""

import math
from typing import Any

import numpy as np
from scipy import special

from sourcediff.rules.scipy import loaded

from ..calls import Sample, binary, call, positive, reduced, unary, weakly, x

loaded("special")

ORDER = np.array([0.5, 2.0, 1.3])
SAMPLES: dict[Any, list[Sample]] = {function: unary(x) for function in (
    special.expit, special.log_expit, special.ndtr, special.log_ndtr, special.erf, special.erfc, special.erfcx, special.dawsn,
    special.i0, special.i1, special.i0e, special.i1e, special.j0, special.j1, special.exp2, special.exp10, special.cosm1,
    special.expm1, special.cbrt,
)}
SAMPLES |= {function: unary(positive) for function in (
    special.entr, special.gamma, special.gammaln, special.loggamma, special.rgamma, special.psi, special.expi, special.exp1,
    special.y0, special.y1, special.k0, special.k1, special.log1p,
)}
SAMPLES |= {function: unary(lambda *shape, seed=0: x(*shape, seed=seed, low=0.1, high=0.9)) for function in (
    special.logit, special.ndtri, special.erfinv, special.erfcinv,
)}
SAMPLES |= {function: weakly(binary(positive)) for function in (special.rel_entr, special.kl_div, special.beta, special.betaln)}
SAMPLES |= {function: [call(ORDER, positive(3)), call(1.5, positive(2, 3)), call(2.0, float(positive()))] for function in (
    special.jv, special.yv, special.iv, special.ive, special.kv,
)}
SAMPLES |= {function: weakly([call(ORDER, positive(3)), call(1.5, positive(2, 3)), call(2.0, float(positive()))]) for function in (
    special.gammainc, special.gammaincc,
)}
SAMPLES |= {
    special.xlogy: [*weakly(binary(x, positive)), call(np.array([0.0, 1.5]), positive(2))],
    special.xlog1py: [*weakly(binary(x, positive)), call(np.array([0.0, 1.5]), positive(2))],
    special.boxcox: [call(positive(3), 0.5), call(positive(3), 0.0), call(positive(2, 3), ORDER)],
    special.huber: [call(1.1, x(2, 3)), call(ORDER, x(3))],
    special.zeta: [call(2.5, positive(2, 3)), call(1.0 + ORDER, positive(3))],
    special.polygamma: [call(1, positive(2, 3), weak=True), call(np.array([0, 2]), positive(2), weak=True)],
    special.betainc: [call(1.5, 2.0, x(2, 3, low=0.1, high=0.9), weak=True), call(ORDER, 0.7, 0.4)],
    special.logsumexp: reduced(x, empty=False),
    special.softmax: [call(x(3)), call(x(2, 3)), call(x(2, 3), axis=1), call(x(2, 3), axis=0)],
    special.log_softmax: [call(x(3)), call(x(2, 3)), call(x(2, 3), axis=1), call(x(2, 3), axis=0)],
    math.erf: [call(0.4)], math.erfc: [call(0.4)], math.gamma: [call(1.4)], math.lgamma: [call(1.4)],
    special.chdtr: [call(3.0, positive(2, 3), weak=True), call(ORDER + 1.0, positive(3))],
    special.chdtrc: [call(3.0, positive(2, 3), weak=True)],
    special.stdtr: [call(3.0, x(2, 3), weak=True), call(ORDER + 1.0, x(3))],
    special.pdtr: [call(2, positive(2, 3), weak=True), call(np.array([0, 1, 2]), positive(3), weak=True)],
    special.yn: [call(2, positive(2, 3), weak=True), call(np.array([0, 1, 2]), positive(3), weak=True)],
}
