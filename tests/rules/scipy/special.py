"""Samples of SciPy's special functions."""

import math
from typing import Any

import numpy as np
from scipy import special

from sourcediff.rules.frames import named
from sourcediff.rules.scipy import loaded
from sourcediff.runtime.incomplete import beta_score, beta_slope, gamma_slope, student_slope

from ..calls import Sample, binary, call, positive, reduced, unary, weakly, x

loaded("special")

DEGREE = np.array([0, 1, 3])
PROBABILITY = x(2, 3, low=0.1, high=0.9)
ORDER = np.array([0.5, 2.0, 1.3])
SAMPLES: dict[Any, list[Sample]] = {function: unary(x) for function in (
    special.expit, special.log_expit, special.ndtr, special.log_ndtr, special.erf, special.erfc, special.erfcx, special.dawsn,
    special.i0, special.i1, special.i0e, special.i1e, special.j0, special.j1, special.exp2, special.exp10, special.cosm1,
    special.expm1, special.cbrt, special.erfi, special.exprel, special.sindg, special.cosdg, special.tandg, special.cotdg, special.fresnel,
)}
SAMPLES |= {function: unary(positive) for function in (
    special.entr, special.gamma, special.gammaln, special.loggamma, special.rgamma, special.psi, special.expi, special.exp1,
    special.y0, special.y1, special.k0, special.k1, special.log1p, special.k0e, special.k1e, special.ber, special.bei, special.ker,
    special.kei, special.berp, special.beip, special.kerp, special.keip, special.spence, special.sici, special.shichi,
    special.airy, *named(special, "softplus"),
)}
SAMPLES |= {function: unary(lambda *shape, seed=0: x(*shape, seed=seed, low=0.1, high=0.9)) for function in (
    special.logit, special.ndtri, special.erfinv, special.erfcinv, special.ellipkm1,
)}
SAMPLES |= {function: weakly(binary(positive)) for function in (special.rel_entr, special.kl_div, special.beta, special.betaln)}
SAMPLES |= {function: [call(ORDER, positive(3)), call(1.5, positive(2, 3)), call(2.0, float(positive()))] for function in (
    special.jv, special.yv, special.iv, special.ive, special.kv, special.jve, special.yve, special.kve,
    special.jvp, special.yvp, special.ivp, special.kvp,
)}
SAMPLES |= {function: weakly([call(ORDER, positive(3)), call(1.5, positive(2, 3)), call(2.0, float(positive()))]) for function in (
    special.gammainc, special.gammaincc, special.hyp0f1, special.struve, special.modstruve,
)}
SAMPLES |= {
    gamma_slope: [call(ORDER, positive(3)), call(1.5, positive(2, 3), weak=True)],
    beta_slope: [call(1.5, 2.0, x(2, 3, low=0.1, high=0.9), weak=True), call(ORDER, 0.7, 0.4, 0, 1, weak=True)],
    beta_score: [call(ORDER, positive(3), -positive(2, 3), -positive(3, seed=1), 1, 0), call(1.5, 2.0, -0.4, -1.1, 0, 1)],
    student_slope: [call(3.0, x(2, 3), weak=True), call(ORDER + 1.0, x(3), weak=True)],
    special.xlogy: [*weakly(binary(x, positive)), call(np.array([0.0, 1.5]), positive(2))],
    special.xlog1py: [*weakly(binary(x, positive)), call(np.array([0.0, 1.5]), positive(2))],
    special.boxcox: [call(positive(3), 0.5), call(positive(3), 0.0), call(positive(2, 3), ORDER)],
    special.huber: [call(1.1, x(2, 3)), call(ORDER, x(3))],
    special.polygamma: [call(1, positive(2, 3), weak=True), call(np.array([0, 2]), positive(2), weak=True)],
    special.betainc: [call(1.5, 2.0, x(2, 3, low=0.1, high=0.9), weak=True), call(ORDER, 0.7, 0.4, weak=True)],
    special.logsumexp: reduced(x, empty=False),
    special.softmax: [call(x(3)), call(x(2, 3)), call(x(2, 3), axis=1), call(x(2, 3), axis=0)],
    special.log_softmax: [call(x(3)), call(x(2, 3)), call(x(2, 3), axis=1), call(x(2, 3), axis=0)],
    math.erf: [call(0.4)], math.erfc: [call(0.4)], math.gamma: [call(1.4)], math.lgamma: [call(1.4)],
    special.chdtr: [call(3.0, positive(2, 3), weak=True), call(ORDER + 1.0, positive(3))],
    special.chdtrc: [call(3.0, positive(2, 3), weak=True)],
    special.stdtr: [call(3.0, x(2, 3), weak=True), call(ORDER + 1.0, x(3), weak=True)],
    special.pdtr: [call(2, positive(2, 3), weak=True), call(np.array([0, 1, 2]), positive(3), weak=True)],
    special.yn: [call(2, positive(2, 3), weak=True), call(np.array([0, 1, 2]), positive(3), weak=True)],
    special.ellipk: [call(PROBABILITY, weak=True), call(-x(3, low=0.1), weak=True), call(0.0)],
    special.ellipe: [call(PROBABILITY, weak=True), call(-x(3, low=0.1), weak=True), call(0.0)],
    special.gammaincinv: [call(ORDER, PROBABILITY, weak=True), call(1.5, 0.4)], special.wrightomega: [call(x(2, 3)), call(0.7)],
    special.gammainccinv: [call(ORDER, PROBABILITY, weak=True), call(1.5, 0.4)],
    special.stdtrit: [call(3.0, PROBABILITY, weak=True), call(ORDER + 1.0, PROBABILITY[0], weak=True)],
    special.chdtri: [call(3.0, PROBABILITY, weak=True), call(ORDER + 1.0, PROBABILITY[0])],
    special.ndtri_exp: [call(-positive(2, 3)), call(-0.7)],
    special.diric: [call(positive(2, 3), 3), call(0.7, 4)],
    special.owens_t: weakly(binary(x)), special.pseudo_huber: weakly(binary(positive, x)), special.powm1: weakly(binary(positive, x)),
    special.binom: [call(6.0, positive(2, 3), weak=True), call(5.5 + positive(3), 2.0, weak=True), call(4.5, 1.5)],
    special.comb: [call(6.0, positive(2, 3), weak=True), call(5.5 + positive(3), 2.0, weak=True), call(4.5, 1.5)],
    special.perm: [call(6.0, positive(2, 3), weak=True), call(5.5 + positive(3), 2.0, weak=True), call(4.5, 1.5)],
    special.poch: weakly(binary(positive)), special.factorial: [call(positive(2, 3)), call(2.5)],
    special.multigammaln: [call(2.0 + positive(2, 3), 2), call(3.4, 3)],
    special.zeta: [call(2.5, positive(2, 3)), call(1.0 + ORDER, positive(3))],
    special.boxcox1p: [call(positive(3), 0.5), call(positive(3), 0.0), call(positive(2, 3), ORDER)],
    special.inv_boxcox: [call(positive(3), 0.5), call(positive(3), 0.0), call(positive(2, 3), ORDER)],
    special.inv_boxcox1p: [call(positive(3), 0.5), call(positive(3), 0.0), call(positive(2, 3), ORDER)],
    special.ellipkinc: [call(x(3), PROBABILITY[0]), call(0.4, 0.3)], special.ellipeinc: [call(x(3), PROBABILITY[0]), call(0.4, 0.3)],
    special.ellipj: [call(x(2, 3), 0.3, weak=True), call(0.4, PROBABILITY[0], weak=True)],
    special.expn: [call(2, positive(2, 3), weak=True), call(np.array([0, 1, 3]), positive(3), weak=True)],
    special.kn: [call(2, positive(2, 3), weak=True), call(np.array([0, 1, 2]), positive(3), weak=True)],
    special.fdtr: [call(3.0, 4.0, positive(2, 3), weak=True), call(ORDER, 2.5, positive(3), weak=True)],
    special.fdtrc: [call(3.0, 4.0, positive(2, 3), weak=True), call(ORDER, 2.5, positive(3), weak=True)],
    special.bdtr: [call(2.0, 5, 0.4), call(3.7, 5, 0.3)],
    special.pdtrc: [call(2, positive(2, 3), weak=True), call(np.array([0, 1, 2]), positive(3), weak=True)],
    special.gdtr: [call(1.3, 2.0, positive(2, 3), weak=True), call(positive(3), ORDER, 0.7)],
    special.gdtrc: [call(1.3, 2.0, positive(2, 3), weak=True), call(positive(3), ORDER, 0.7)],
    special.betaincc: [call(1.5, 2.0, PROBABILITY, weak=True), call(ORDER, 0.7, 0.4, weak=True)],
    special.betaincinv: [call(1.5, 2.0, PROBABILITY, weak=True), call(ORDER, 0.7, 0.4, weak=True)],
    special.betainccinv: [call(1.5, 2.0, PROBABILITY, weak=True), call(ORDER, 0.7, 0.4, weak=True)],
    special.voigt_profile: [call(x(2, 3), positive(3), positive(2, 1)), call(0.3, 0.8, 0.5)],
    special.hyp1f1: [call(1.5, 2.5, x(2, 3), weak=True), call(ORDER, 1.2, x(3))],
    special.hyp2f1: [call(1.5, 0.5, 2.5, 0.4 * x(2, 3), weak=True), call(ORDER, 1.2, 3.1, 0.3)],
    special.hyperu: [call(1.5, 2.5, positive(2, 3), weak=True)], special.wright_bessel: [call(0.5, 1.5, positive(2, 3), weak=True)],
    special.lpmv: [call(1, 3, 0.4 * x(2, 3), weak=True), call(2.0, 4.0, 0.3)],
    special.eval_jacobi: [call(DEGREE, 0.5, 1.5, x(3), weak=True), call(2.5, 0.5, ORDER, 0.4 * x(2, 3), weak=True)],
    special.eval_sh_jacobi: [call(DEGREE, 2.5, 1.5, x(3), weak=True)],
    special.eval_gegenbauer: [call(DEGREE, 0.5, x(3), weak=True), call(3, ORDER, 0.3, weak=True)],
    special.eval_genlaguerre: [call(DEGREE, 0.5, x(3), weak=True), call(3, ORDER, 0.3, weak=True)],
}
SAMPLES |= {function: [call(3, x(2, 3), weak=True), call(DEGREE, x(3), weak=True), call(4, 0.3)] for function in (
    special.eval_legendre, special.eval_chebyt, special.eval_chebyu, special.eval_chebyc, special.eval_chebys, special.eval_laguerre,
    special.eval_hermite, special.eval_hermitenorm, special.eval_sh_legendre, special.eval_sh_chebyt, special.eval_sh_chebyu,
)}
SPHERICAL = [call(2, positive(2, 3)), call(DEGREE, positive(3), weak=True), call(2, positive(3), True), call(0, 0.4)]
SAMPLES |= dict.fromkeys((special.spherical_jn, special.spherical_yn, special.spherical_in, special.spherical_kn), SPHERICAL)
COMPLEX = {
    special.wofz: unary(x), special.lambertw: [call(positive(2, 3)), call(0.7), call(x(2, 3), 1)],
    **{function: [call(ORDER, positive(3)), call(1.5, positive(2, 3))] for function in (
        special.hankel1, special.hankel2, special.hankel1e, special.hankel2e, special.h1vp, special.h2vp,
    )},
    **{function: [call(2, 1, positive(2, 3), x(3)), call(2, -1, 0.4, 0.7), call(3, 3, 0.4, 0.7)]
       for function in named(special, "sph_harm_y")},
}
COMPOSITES = {
    special.logsumexp: [
        call(x(2, 3), b=positive(3)), call(x(2, 3), 1, positive(2, 3), True), call(x(3), return_sign=True),
        call(x(2, 3), axis=1, b=x(2, 3, seed=1), return_sign=True),
    ],
}
