"""2-D frame with Euler-Bernoulli members: compliance and peak-stress measure."""
import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import spsolve
from scipy.special import logsumexp


class Member:
    def __init__(self, i, j, width, depth, E=210e3, load=0.0):
        self.i, self.j = i, j
        self.width, self.depth = width, depth
        self.E = E
        self.load = load           # transverse, force per length

    @property
    def area(self):
        return self.width * self.depth

    @property
    def inertia(self):
        return self.width * self.depth ** 3 / 12.0

    @property
    def dofs(self):
        return [3 * self.i + k for k in range(3)] + [3 * self.j + k for k in range(3)]

    def geometry(self, nodes):
        d = nodes[self.j] - nodes[self.i]
        L = np.hypot(d[0], d[1])
        c, s = d / L
        T = np.zeros((6, 6))
        for o in (0, 3):
            T[o:o + 2, o:o + 2] = [[c, s], [-s, c]]
            T[o + 2, o + 2] = 1.0
        return L, T

    def local_stiffness(self, L):
        EA, EI = self.E * self.area / L, self.E * self.inertia / L ** 3
        k = np.zeros((6, 6))
        k[0, 0] = k[3, 3] = EA
        k[0, 3] = k[3, 0] = -EA
        b = EI * np.array([[12, 6 * L, -12, 6 * L],
                           [6 * L, 4 * L ** 2, -6 * L, 2 * L ** 2],
                           [-12, -6 * L, 12, -6 * L],
                           [6 * L, 2 * L ** 2, -6 * L, 4 * L ** 2]])
        idx = [1, 2, 4, 5]
        k[np.ix_(idx, idx)] = b
        return k

    def equivalent_load(self, L):
        q = self.load
        return np.array([0, q * L / 2, q * L ** 2 / 12, 0, q * L / 2, -q * L ** 2 / 12])


def assemble(nodes, members):
    n = 3 * len(nodes)
    rows, cols, vals = [], [], []
    F = np.zeros(n)
    for m in members:
        L, T = m.geometry(nodes)
        ke = T.T @ m.local_stiffness(L) @ T
        dofs = m.dofs
        for a in range(6):
            for b in range(6):
                rows.append(dofs[a])
                cols.append(dofs[b])
                vals.append(ke[a, b])
        F[dofs] += T.T @ m.equivalent_load(L)
    return coo_matrix((vals, (rows, cols)), shape=(n, n)).tocsc(), F


def f(nodes, members, point_loads, supports):
    K, F = assemble(nodes, members)
    for (node, comp), value in point_loads.items():
        F[3 * node + comp] += value
    fixed = {3 * n + c for n, comps in supports.items() for c in comps}
    free = [d for d in range(len(F)) if d not in fixed]
    u = np.zeros(len(F))
    u[free] = spsolve(K[free][:, free], F[free])
    stresses = []
    for m in members:
        L, T = m.geometry(nodes)
        p = m.local_stiffness(L) @ (T @ u[m.dofs]) - m.equivalent_load(L)
        for end in (0, 3):
            bending = p[end + 2] * (m.depth / 2) / m.inertia
            stresses.append(np.sqrt((p[end] / m.area) ** 2 + bending ** 2))
    peak = logsumexp(0.1 * np.array(stresses)) / 0.1
    volume = sum(m.area * m.geometry(nodes)[0] for m in members)
    return 1e-4 * (F @ u) + 0.01 * peak + 1e-8 * volume


def args():
    nodes = np.array([[0, 0], [0, 3000], [2500, 3400], [5000, 3000], [5000, 0]], float)
    members = [Member(0, 1, 120.0, 200.0), Member(1, 2, 110.0, 220.0, load=-8.0),
               Member(2, 3, 110.0, 220.0, load=-8.0), Member(4, 3, 120.0, 200.0),
               Member(1, 3, 60.0, 80.0)]
    loads = {(1, 0): 12e3, (2, 1): -15e3}
    return nodes, members, loads, {0: (0, 1, 2), 4: (0, 1)}


WRT = (0, 1, 2)
