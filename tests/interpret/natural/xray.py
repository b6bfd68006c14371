"""X-ray reflectivity of a multilayer by characteristic matrices with Nevot-Croce roughness."""
from collections import namedtuple
from functools import reduce
import numpy as np

Layer = namedtuple("Layer", "thickness sld absorption roughness")


def wavevectors(q, layers):
    k0 = q / 2
    return [np.sqrt(k0 ** 2 - 4 * np.pi * 1e-6 * (lay.sld - layers[0].sld + 1j * lay.absorption) + 0j) for lay in layers]


def interface(ka, kb, sigma):
    r = (ka - kb) / (ka + kb)
    return r * np.exp(-2 * ka * kb * sigma ** 2)


def reflectivity(q, layers):
    k = wavevectors(q, layers)
    matrices = []
    for n in range(len(layers) - 1):
        r = interface(k[n], k[n + 1], layers[n + 1].roughness)
        beta = k[n] * layers[n].thickness if n > 0 else 0j
        e = np.exp(1j * beta)
        matrices.append(np.array([[1 / e, r / e], [r * e, e]]))
    M = reduce(np.dot, matrices)
    return abs(M[1, 0] / M[0, 0]) ** 2


def resolution_smear(q, R, width):
    out = []
    for qi in q:
        w = np.exp(-0.5 * ((q - qi) / (width * qi)) ** 2)
        out.append((w * R).sum() / w.sum())
    return np.array(out)


def stack(x):
    d, rho, rough = x[:3], x[3:6], x[6:10]
    film = [Layer(di, ri, 0.01 * ri, si) for di, ri, si in zip(d, rho, rough)]
    return [Layer(0.0, 0.0, 0.0, 0.0), *film, Layer(0.0, 20.07, 0.46, rough[-1])]


def f(x, q, logR, scale=1.0, background=1e-8):
    layers = stack(x)
    R = np.array([reflectivity(qi, layers) for qi in q])
    R = scale * resolution_smear(q, R, 0.03) + background
    chi = np.log10(R) - logR
    penalty = sum(max(0.0, lay.roughness - 0.4 * lay.thickness) ** 2 for lay in layers[1:-1])
    return np.mean(chi ** 2) + 1e-3 * penalty


WRT = (0, 3)


def args():
    q = np.linspace(0.02, 0.3, 24)
    x = np.array([50.0, 30.0, 12.0, 60.0, 30.0, 18.0, 3.0, 6.0, 5.0, 3.0])
    return x, q, -4 * np.log10(q / 0.02) - 0.3, 1.02
