"""Kernels with complex numbers in them."""

import numpy as np

from tests.corpus.case import array, complex_array, number

from .kernel import kernel, scaled


def grid(xmin, xmax, ymin, ymax, xn, yn):
    """The points of a rectangle in the plane."""
    x = np.linspace(xmin, xmax, xn)
    y = np.linspace(ymin, ymax, yn)
    return x + y[:, None] * 1j


def mandelbrot_by_masks(xmin, xmax, ymin, ymax, xn, yn, steps, horizon):
    """z ← z² + c for all points at once, those that have not escaped."""
    c = grid(xmin, xmax, ymin, ymax, xn, yn)
    n = np.zeros(c.shape, dtype=int)
    z = np.zeros(c.shape, dtype=np.complex128)
    for step in range(steps):
        inside = np.abs(z) < horizon
        n[inside] = step
        z[inside] = z[inside] ** 2 + c[inside]
    n[n == steps - 1] = 0
    return z, n


kernel(
    mandelbrot_by_masks, xmin=number(-1.1), xmax=number(0.4), ymin=number(-0.9), ymax=number(1.0), xn=3, yn=3, steps=3, horizon=2.0,
)


def mandelbrot_by_removal(xmin, xmax, ymin, ymax, xn, yn, steps, horizon):
    """The same, but what has escaped is taken out of the arrays."""
    c = grid(xmin, xmax, ymin, ymax, xn, yn).reshape(-1)
    left = np.arange(c.size)
    z = np.zeros(c.size, dtype=np.complex128)
    out = np.zeros(c.size, dtype=np.complex128)
    for step in range(steps):
        if not len(z):
            break
        np.multiply(z, z, z)
        np.add(z, c, z)
        gone = np.abs(z) > horizon
        out[left[gone]] = z[gone]
        left, z, c = left[~gone], z[~gone], c[~gone]
    out[left] = z
    return out


kernel(
    mandelbrot_by_removal, xmin=number(-1.1), xmax=number(0.4), ymin=number(-0.9), ymax=number(1.0), xn=3, yn=3, steps=3, horizon=2.0,
)


def stockham_fft(n, r, k, x, y):
    """The fast Fourier transform of rᵏ points without a permutation at the end (Stockham's autosort)."""
    exponents = np.arange(r)[:, None] * np.arange(r)
    kernel_matrix = np.exp(-2.0j * np.pi * exponents / r)
    y[:] = x[:]
    for i in range(k):
        y_view = np.reshape(y, (r**i, r, r ** (k - i - 1)))
        angles = np.zeros((r**i, r, r ** (k - i - 1)), dtype=np.complex128)
        steps = np.arange(r**i)
        for j in range(r):
            angles[:, j, :] = np.exp(-2.0j * np.pi * steps * j / r ** (i + 1))[:, None]
        twiddled = y_view * angles
        turned = np.transpose(twiddled, (1, 0, 2))
        y[:] = np.reshape(kernel_matrix @ np.reshape(turned, (r, r ** (k - 1))), (n,))


kernel(stockham_fft, n=8, r=2, k=3, x=complex_array("8"), y=complex_array("8"))


def contour_integral(lead, ham, interaction, y, points):
    """Moments of a resolvent on a circle: solves with a matrix that depends on the point."""
    order = lead.shape[0]
    p0 = np.zeros((order, order), dtype=np.complex128)
    p1 = np.zeros((order, order), dtype=np.complex128)
    for z in points:
        t = np.zeros((order, order), dtype=np.complex128)
        for n in range(ham.shape[0]):
            t += np.power(z, 1 - n) * ham[n]
        x = np.linalg.solve(t - interaction * lead, y)
        if abs(z) < 1.0:
            x = -x
        p0 += x
        p1 += z * x
    return p0, p1


kernel(
    contour_integral, lead=scaled(array("2 2"), 0.1), ham=complex_array("3 2 2"), interaction=number(0.3), y=array("2 2"),
    points=np.array([1.5 + 0.5j, -1.2 + 1.0j, 0.3 - 0.4j]),
)


def scattering_self_energies(neighbours, dh, g, d, sigma):
    """Green's functions of electrons and phonons, coupled over neighbours, energies and momenta."""
    nk, ne, nq, nw, n3, na, nb = g.shape[0], g.shape[1], d.shape[0], d.shape[1], d.shape[4], g.shape[2], neighbours.shape[1]
    for k in range(nk):
        for e in range(ne):
            for q in range(nq):
                for w in range(nw):
                    for i in range(n3):
                        for a in range(na):
                            for b in range(nb):
                                if e - w >= 0:
                                    dhg = g[k, e - w, neighbours[a, b]] @ dh[a, b, i]
                                    dhd = dh[a, b, i] * d[q, w, a, b, i]
                                    sigma[k, e, a] += dhg @ dhd


kernel(
    scattering_self_energies, neighbours=np.array([[1], [0]]), dh=scaled(complex_array("2 1 2 2 2"), 0.5),
    g=scaled(complex_array("1 2 2 2 2"), 0.5), d=scaled(complex_array("1 1 2 1 2"), 0.5), sigma=complex_array("1 2 2 2 2"),
)


def power_spectrum(x, window):
    """NumPy's own transform, of a windowed signal."""
    return np.abs(np.fft.rfft(x * window)) ** 2


kernel(power_spectrum, x=array("8"), window=array("8"))
