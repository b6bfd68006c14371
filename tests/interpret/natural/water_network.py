"""Water distribution network: Todini's global gradient algorithm with Hazen-Williams friction, pump and leakage."""
from dataclasses import dataclass
import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import spsolve

LENGTHS = np.array([600, 500, 400, 700, 350, 800])


@dataclass
class Node:
    elevation: float
    demand: float = 0.0          # l/s


@dataclass
class Reservoir:
    head: float


@dataclass
class Pipe:
    start: str
    end: str
    length: float
    diameter: float
    roughness: float

    def __post_init__(self):
        self.resistance = 10.67 * self.length / (self.roughness**1.852 * self.diameter**4.871)

    def headloss(self, q):
        slope = self.resistance * abs(q) ** 0.852
        return q * slope, 1.852 * slope + 1e-8


@dataclass
class Pump:
    start: str
    end: str
    shutoff: float
    curve: float

    def headloss(self, q):
        return -(self.shutoff - self.curve * q**2), 2 * self.curve * abs(q) + 1e-8


class Network:
    def __init__(self):
        self.nodes = {}
        self.links = []

    def __setitem__(self, name, node):
        self.nodes[name] = node

    def __iadd__(self, link):
        self.links.append(link)
        return self

    def incidence(self, names):
        col = {n: j for j, n in enumerate(names)}
        A = sp.lil_matrix((len(self.links), len(names)))
        for k, link in enumerate(self.links):
            for end, sign in ((link.start, -1.0), (link.end, 1.0)):
                if end in col:
                    A[k, col[end]] = sign
        return A.tocsr()

    def solve(self, leak, tol=1e-10, maxiter=60):
        free = [n for n, v in self.nodes.items() if isinstance(v, Node)]
        fixed = [n for n, v in self.nodes.items() if isinstance(v, Reservoir)]
        A = self.incidence(free)
        source = self.incidence(fixed) @ np.array([self.nodes[n].head for n in fixed])
        z = np.array([self.nodes[n].elevation for n in free])
        demand = np.array([self.nodes[n].demand for n in free]) / 1000.0
        q, H = np.full(len(self.links), 0.02), z + 30.0
        for _ in range(maxiter):
            h, dh = map(np.array, zip(*(link.headloss(x) for link, x in zip(self.links, q))))
            out = demand + leak * np.sqrt(np.maximum(H - z, 0.1))
            S = (A.T @ sp.diags(1.0 / dh) @ A).tocsc()
            H_new = spsolve(S, A.T @ (q - (h + source) / dh) - out)
            dq = -(h + A @ H_new + source) / dh
            q, H = q + dq, H_new
            if np.linalg.norm(dq) < tol:
                return dict(zip(free, H - z)), q
        raise RuntimeError("no convergence")


def build(diameters, roughness, demands, shutoff):
    net = Network()
    net["source"] = Reservoir(20.0)
    for name, elev, d in zip("ABCDE", (12.0, 15.0, 10.0, 18.0, 14.0), demands):
        net[name] = Node(elev, d)
    net += Pump("source", "A", shutoff, 1500.0)
    for (a, b), length, dia in zip(("AB", "AC", "BD", "CD", "CE", "DE"), LENGTHS, diameters):
        net += Pipe(a, b, length, dia, roughness)
    return net


def f(diameters, roughness, demands, shutoff, leak, required=32.0):
    pressure, q = build(diameters, roughness, demands, shutoff).solve(leak)
    deficit = sum(np.logaddexp(0, required - p) for p in pressure.values())
    return 1e-3 * np.sum(diameters**1.5 * LENGTHS) + 0.1 * deficit + 0.05 * 9.81 * q[0] * (shutoff - 1500.0 * q[0] ** 2)


WRT = (0, 1, 2, 3, 4)


def args():
    return np.array([0.3, 0.25, 0.2, 0.2, 0.2, 0.15]), 120.0, np.array([10.0, 15.0, 12.0, 20.0, 18.0]), 45.0, 2e-4
