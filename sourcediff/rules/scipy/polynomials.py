"""Orthogonal polynomials, spherical harmonics and hypergeometric functions by their argument (DLMF 18.9, 14.10, 15.5, 13.3, 16.3)."""

import numpy as np
from scipy import special

from ..frames import elementwise, named
from ..slopes import slopes

slopes({
    special.eval_jacobi: lambda n, a, b, x: 0.5 * (n + a + b + 1) * special.eval_jacobi(n - 1, a + 1.0, b + 1.0, x),
    special.eval_gegenbauer: lambda n, a, x: 2 * a * special.eval_gegenbauer(n - 1, a + 1.0, x),
    special.eval_genlaguerre: lambda n, a, x: -special.eval_genlaguerre(n - 1, a + 1.0, x),
    special.eval_legendre: lambda n, x: 0.5 * (n + 1) * special.eval_jacobi(n - 1, 1.0, 1.0, x),
    special.eval_chebyt: lambda n, x: n * special.eval_chebyu(n - 1, x),
    special.eval_chebyu: lambda n, x: 2 * special.eval_gegenbauer(n - 1, 2.0, x),
    special.eval_chebyc: lambda n, x: n * special.eval_chebyu(n - 1, 0.5 * x),
    special.eval_chebys: lambda n, x: special.eval_gegenbauer(n - 1, 2.0, 0.5 * x),
    special.eval_laguerre: lambda n, x: -special.eval_genlaguerre(n - 1, 1.0, x),
    special.eval_hermite: lambda n, x: 2 * n * special.eval_hermite(np.maximum(n - 1, 0), x),
    special.eval_hermitenorm: lambda n, x: n * special.eval_hermitenorm(np.maximum(n - 1, 0), x),
    special.eval_sh_jacobi: lambda n, p, q, x: n * special.eval_sh_jacobi(np.maximum(n - 1, 0), p + 2.0, q + 1.0, x),
    special.eval_sh_legendre: lambda n, x: (n + 1) * special.eval_jacobi(n - 1, 1.0, 1.0, 2 * x - 1),
    special.eval_sh_chebyt: lambda n, x: 2 * n * special.eval_chebyu(n - 1, 2 * x - 1),
    special.eval_sh_chebyu: lambda n, x: 4 * special.eval_gegenbauer(n - 1, 2.0, 2 * x - 1),
})

slopes({
    special.hyp0f1: lambda v, x: special.hyp0f1(v + 1.0, x) / v,
    special.hyp1f1: lambda a, b, x: a * special.hyp1f1(a + 1.0, b + 1.0, x) / b,
    special.hyp2f1: lambda a, b, c, x: a * b * special.hyp2f1(a + 1.0, b + 1.0, c + 1.0, x) / c,
}, holomorphic=True)

slopes({
    special.hyperu: lambda a, b, x: -a * special.hyperu(a + 1.0, b + 1.0, x),
    special.lpmv: lambda z, m, v, x: (v * x * z - (v + m) * special.lpmv(m, v - 1, x)) / (x**2 - 1),
    special.wright_bessel: lambda a, b, x: special.wright_bessel(a, a + b, x),
}, singular=True)


@elementwise(*named(special, "sph_harm_y"), singular=True, holomorphic=True)
def sph_harm_y(g, z, n, m, theta, phi):
    higher = np.sqrt((n - m) * (n + m + 1.0)) * special.sph_harm_y(n, np.minimum(m + 1, n), theta, phi)
    return None, None, g * (m * z / np.tan(theta) + higher * np.exp(-1j * phi)), 1j * g * m * z
