"""Bessel functions and their relatives, by their argument; by their order they have no derivative in closed form.

DLMF 10.6 and 10.29 (recurrences), 10.51 (spherical), 11.4 (Struve), 9.2 (Airy), 10.61 (Kelvin).
"""

import numpy as np
from scipy import special

from ..families import itself
from ..frames import elementwise, general
from ..slopes import slopes

slopes({
    special.jv: lambda v, x: 0.5 * (special.jv(v - 1.0, x) - special.jv(v + 1.0, x)),
    special.iv: lambda v, x: 0.5 * (special.iv(v - 1.0, x) + special.iv(v + 1.0, x)),
}, holomorphic=True)

slopes({
    (special.yv, special.hankel1, special.hankel2): lambda v, x: 0.5 * (itself(v - 1.0, x) - itself(v + 1.0, x)),
    special.kv: lambda v, x: -0.5 * (special.kv(v - 1.0, x) + special.kv(v + 1.0, x)),
    special.kve: lambda z, v, x: z - 0.5 * (special.kve(v - 1.0, x) + special.kve(v + 1.0, x)),
    special.hankel1e: lambda z, v, x: 0.5 * (special.hankel1e(v - 1.0, x) - special.hankel1e(v + 1.0, x)) - 1j * z,
    special.hankel2e: lambda z, v, x: 0.5 * (special.hankel2e(v - 1.0, x) - special.hankel2e(v + 1.0, x)) + 1j * z,
    (special.jvp, special.yvp, special.ivp, special.kvp, special.h1vp, special.h2vp): lambda v, x, n=1: itself(v, x, n + 1),
}, singular=True, holomorphic=True)

slopes({
    (special.jve, special.yve): lambda v, x: 0.5 * (itself(v - 1.0, x) - itself(v + 1.0, x)),
    special.ive: lambda z, v, x: 0.5 * (special.ive(v - 1.0, x) + special.ive(v + 1.0, x)) - np.sign(x) * z,
    special.yn: lambda n, x: 0.5 * (special.yv(n - 1.0, x) - special.yv(n + 1.0, x)),
    special.kn: lambda n, x: -0.5 * (special.kv(n - 1.0, x) + special.kv(n + 1.0, x)),
    special.j0: lambda x: -special.j1(x),
    special.j1: lambda x: 0.5 * (special.j0(x) - special.jv(2.0, x)),
    special.y0: lambda x: -special.y1(x),
    special.y1: lambda z, x: special.y0(x) - z / x,
    special.i0: lambda x: special.i1(x),
    special.i1: lambda x: 0.5 * (special.i0(x) + special.iv(2.0, x)),
    special.i0e: lambda z, x: special.i1e(x) - np.sign(x) * z,
    special.i1e: lambda z, x: 0.5 * (special.i0e(x) + special.ive(2.0, x)) - np.sign(x) * z,
    special.k0: lambda x: -special.k1(x),
    special.k1: lambda z, x: -(special.k0(x) + z / x),
    special.k0e: lambda z, x: z - special.k1e(x),
    special.k1e: lambda z, x: z - special.k0e(x) - z / x,
    special.ber: lambda x: special.berp(x),
    special.bei: lambda x: special.beip(x),
    special.ker: lambda x: special.kerp(x),
    special.kei: lambda x: special.keip(x),
    special.berp: lambda z, x: -z / x - special.bei(x),
    special.beip: lambda z, x: special.ber(x) - z / x,
    special.kerp: lambda z, x: -z / x - special.kei(x),
    special.keip: lambda z, x: special.ker(x) - z / x,
}, singular=True)


@elementwise(special.spherical_jn, special.spherical_yn, singular=True, holomorphic=True)
def spherical(g, z, n, x, derivative=False):
    return None, g * (n * itself(np.abs(n - 1), x, derivative) - (n + 1) * itself(n + 1, x, derivative)) / (2 * n + 1)


@elementwise(special.spherical_in, holomorphic=True)
def spherical_in(g, z, n, x, derivative=False):
    return None, g * (n * itself(np.abs(n - 1), x, derivative) + (n + 1) * itself(n + 1, x, derivative)) / (2 * n + 1)


@elementwise(special.spherical_kn, singular=True, holomorphic=True)
def spherical_kn(g, z, n, x, derivative=False):
    return None, -g * (n * itself(np.abs(n - 1), x, derivative) + (n + 1) * itself(n + 1, x, derivative)) / (2 * n + 1)


@elementwise(special.struve, singular=True, refuses=("v",))
def struve(g, z, v, x):
    first = (0.5 * x) ** v * special.rgamma(v + 1.5) / 1.7724538509055159
    return None, g * 0.5 * (special.struve(v - 1.0, x) - special.struve(v + 1.0, x) + first)


@elementwise(special.modstruve, singular=True, refuses=("v",))
def modstruve(g, z, v, x):
    first = (0.5 * x) ** v * special.rgamma(v + 1.5) / 1.7724538509055159
    return None, g * 0.5 * (special.modstruve(v - 1.0, x) + special.modstruve(v + 1.0, x) + first)


@general(special.airy, outputs=4, holomorphic=True)
def airy(g, z, x):
    return g[0] * z[1] + g[1] * x * z[0] + g[2] * z[3] + g[3] * x * z[2]


@airy.pushforward
def airy_forward(z, dx, x):
    return z[1] * dx, x * z[0] * dx, z[3] * dx, x * z[2] * dx
