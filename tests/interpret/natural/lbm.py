"""Lattice Boltzmann D2Q9 channel with an obstacle: streaming by np.roll into swapped buffers, bounce-back, drag."""
import numpy as np

C = np.array([(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)])
W = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)
OPPOSITE = [list(map(tuple, C)).index((-x, -y)) for x, y in C]


def equilibrium(rho, ux, uy, out=None):
    if out is None:
        out = np.empty((9,) + rho.shape)
    usq = 1.5 * (ux ** 2 + uy ** 2)
    for i, (cx, cy) in enumerate(C):
        cu = 3 * (cx * ux + cy * uy)
        out[i] = W[i] * rho * (1 + cu + 0.5 * cu ** 2 - usq)
    return out


def obstacle(nx, ny, cx, cy, r):
    x, y = np.ogrid[:nx, :ny]
    return (x - cx) ** 2 + (y - cy) ** 2 < r ** 2


def stream(src, dst):
    for i in range(9):
        dst[i] = np.roll(src[i], C[i], axis=(0, 1))


def run(u_in, tau, permeability, nx=12, ny=8, steps=20):
    solid = obstacle(nx, ny, 4, 4, 1.7)
    solid[:, 0] = solid[:, -1] = True
    rho, ux, uy = np.ones((nx, ny)), np.full((nx, ny), u_in), np.zeros((nx, ny))
    fin = equilibrium(rho, ux, uy)
    buf, feq = np.empty_like(fin), np.empty_like(fin)
    drag = np.zeros(2)
    for t in range(steps):
        rho = fin.sum(axis=0)
        ux = np.tensordot(C[:, 0], fin, axes=1) / rho
        uy = np.tensordot(C[:, 1], fin, axes=1) / rho
        ux[0, 1:-1] = u_in * (1 + 0.01 * np.sin(0.3 * t))
        ux *= 1 - permeability * (np.arange(nx)[:, None] > 9)
        equilibrium(rho, ux, uy, out=feq)
        post = fin - (fin - feq) / tau
        bounced = fin[OPPOSITE]
        post[:, solid] = bounced[:, solid]
        drag += np.einsum("id,i->d", C, fin[:, solid].sum(axis=1))
        stream(post, buf)
        fin, buf = buf, fin
    return fin, drag / steps


def f(u_in, tau, permeability, target):
    fin, drag = run(u_in, tau, permeability)
    rho = fin.sum(0)
    ux = (C[:, 0, None, None] * fin).sum(0) / rho
    profile = ux[-2, 1:-1]
    return 1e3 * np.sum((profile - target) ** 2) + 10 * drag[0] + np.std(rho)


WRT = (0, 1, 2)


def args():
    return 0.08, 0.7, 0.05, 0.1 * np.array([0.4, 0.8, 1.0, 1.0, 0.8, 0.4])
