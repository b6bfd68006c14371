"""Programs of other kinds: dynamic programming, many bodies, geometry, histograms, checksums."""

import numpy as np

from tests.corpus.case import array, integers, number, positive

from .kernel import kernel, scaled


def floyd_warshall(path):
    for k in range(path.shape[0]):
        path[:] = np.minimum(path[:], np.add.outer(path[:, k], path[k, :]))


kernel(floyd_warshall, path=positive("m m"))


def nussinov(n, score):
    """The best nesting of pairs, each pair worth ``score[i, j]``."""
    table = np.zeros((n, n))
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            if j - 1 >= 0:
                table[i, j] = np.maximum(table[i, j], table[i, j - 1])
            if i + 1 < n:
                table[i, j] = np.maximum(table[i, j], table[i + 1, j])
            if j - 1 >= 0 and i + 1 < n:
                if i < j - 1:
                    table[i, j] = np.maximum(table[i, j], table[i + 1, j - 1] + score[i, j])
                else:
                    table[i, j] = np.maximum(table[i, j], table[i + 1, j - 1])
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k + 1, j])
    return table


kernel(nussinov, n=6, score=positive("6 6"))


def go_fast(a):
    trace = 0.0
    for i in range(a.shape[0]):
        trace += np.tanh(a[i, i])
    return a + trace


kernel(go_fast, a=array("m m"))


def compute(array_1, array_2, a, b, c):
    return np.clip(array_1, -0.9, 0.9) * a + array_2 * b + c


kernel(compute, array_1=array("n m"), array_2=array("n m"), a=number(4.0), b=number(3.0), c=number(9.0))


def arc_distance(theta_1, phi_1, theta_2, phi_2):
    """Of points on the sphere, by the haversine."""
    temp = np.sin((theta_2 - theta_1) / 2) ** 2 + np.cos(theta_1) * np.cos(theta_2) * np.sin((phi_2 - phi_1) / 2) ** 2
    return 2 * np.arctan2(np.sqrt(temp), np.sqrt(1 - temp))


kernel(arc_distance, theta_1=positive("n"), phi_1=positive("n"), theta_2=positive("n"), phi_2=positive("n"))


def azimint_naive(data, radius, npt):
    """The mean of the data over rings: data[mask].mean() for each of them."""
    rmax = radius.max()
    res = np.zeros(npt, dtype=np.float64)
    for i in range(npt):
        r1 = rmax * i / npt
        r2 = rmax * (i + 1) / npt
        mask_r12 = np.logical_and(r1 <= radius, radius < r2)
        values_r12 = data[mask_r12]
        res[i] = values_r12.mean()
    return res


kernel(azimint_naive, data=positive("12"), radius=np.array([0.1, 0.2, 0.3, 0.45, 0.5, 0.6, 0.72, 0.75, 0.8, 0.9, 0.95, 1.0]), npt=3)


def bin_edges(radius, npt):
    """Of equal width, from the smallest to the largest."""
    edges = np.zeros(npt + 1, dtype=np.float64)
    low = radius.min()
    delta = (radius.max() - low) / npt
    for i in range(npt):
        edges[i] = low + i * delta
    edges[npt] = radius.max()
    return edges


def weighted_histogram(radius, npt, weights):
    """The weights of each bin, added up where its entries are met."""
    edges = bin_edges(radius, npt)
    hist = np.zeros(npt)
    low, high = edges[0], edges[-1]
    for i in range(radius.size):
        at = min(int(npt * (radius[i] - low) / (high - low)), npt - 1)
        if at >= 0:
            hist[at] += weights[i]
    return hist


def azimint_hist(data, radius, npt):
    return weighted_histogram(radius, npt, data) / weighted_histogram(radius, npt, np.ones(data.size))


kernel(azimint_hist, data=positive("12"), radius=np.array([0.1, 0.2, 0.3, 0.45, 0.5, 0.6, 0.72, 0.75, 0.8, 0.9, 0.95, 1.0]), npt=3)


def accelerations(pos, mass, gravity, softening):
    """Of every body by every other one, as matrices of pairs."""
    x, y, z = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
    dx, dy, dz = x.T - x, y.T - y, z.T - z
    inverse = dx**2 + dy**2 + dz**2 + softening**2
    inverse[inverse > 0] = inverse[inverse > 0] ** (-1.5)
    ax = gravity * (dx * inverse) @ mass
    ay = gravity * (dy * inverse) @ mass
    az = gravity * (dz * inverse) @ mass
    return np.hstack((ax, ay, az))


def energies(pos, vel, mass, gravity):
    """Kinetic and potential."""
    kinetic = 0.5 * np.sum(mass * vel**2)
    x, y, z = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
    inverse = np.sqrt((x.T - x) ** 2 + (y.T - y) ** 2 + (z.T - z) ** 2)
    inverse[inverse > 0] = 1.0 / inverse[inverse > 0]
    potential = gravity * np.sum(np.triu(-(mass * mass.T) * inverse, 1))
    return kinetic, potential


def nbody(mass, pos, vel, steps, dt, gravity, softening):
    """Leapfrog: kick, drift, kick."""
    vel -= np.mean(mass * vel, axis=0) / np.mean(mass)
    acc = accelerations(pos, mass, gravity, softening)
    kinetic = np.ndarray(steps + 1, dtype=np.float64)
    potential = np.ndarray(steps + 1, dtype=np.float64)
    kinetic[0], potential[0] = energies(pos, vel, mass, gravity)
    for i in range(steps):
        vel += acc * dt / 2.0
        pos += vel * dt
        acc[:] = accelerations(pos, mass, gravity, softening)
        vel += acc * dt / 2.0
        kinetic[i + 1], potential[i + 1] = energies(pos, vel, mass, gravity)
    return kinetic, potential


kernel(
    nbody, mass=positive("3 1"), pos=array("3 3"), vel=array("3 3"), steps=2, dt=number(0.05), gravity=number(1.0), softening=number(0.3),
)


def crc16(data, poly=0x8408):
    """A checksum of bytes: integers, and nothing to differentiate."""
    crc = 0xFFFF
    for b in data:
        cur_byte = 0xFF & b
        for _ in range(8):
            if (crc & 0x0001) ^ (cur_byte & 0x0001):
                crc = (crc >> 1) ^ poly
            else:
                crc >>= 1
            cur_byte >>= 1
    return crc & 0xFFFF


kernel(crc16, data=integers("n", 256))


def banded_product(A, B, C, band):
    """Of matrices of which only diagonals close to the main one are kept."""
    n = A.shape[0]
    for i in range(n):
        for j in range(max(0, i - band), min(n, i + band + 1)):
            C[i, j] = 0.0
            for k in range(max(0, i - band), min(n, i + band + 1)):
                C[i, j] += A[i, k] * B[k, j]


kernel(banded_product, A=array("m m"), B=array("m m"), C=scaled(array("m m"), 0.5), band=1)
