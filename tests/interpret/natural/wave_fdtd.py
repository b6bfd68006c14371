"""TM-mode FDTD with a lossy absorbing rim and a lens of unknown permittivity; focusing objective from a generator of fields."""
import numpy as np
from math import pi


def ricker(t, freq, delay=1.0):
    a = (pi * freq * (t - delay)) ** 2
    return (1 - 2 * a) * np.exp(-a)


SOURCES = {"ricker": ricker, "cw": lambda t, freq, delay=1.0: np.sin(2 * pi * freq * t) * np.tanh(t)}


def rim(n, width=5, strength=2.0):
    ramp = np.zeros(n)
    edge = strength * ((width - np.arange(width)) / width) ** 2
    ramp[:width] = edge
    ramp[-width:] = edge[::-1]
    return np.maximum.outer(ramp, ramp)


def lens(shape, center, radii, eps, soft=1.0):
    i, j = np.ogrid[: shape[0], : shape[1]]
    r = np.hypot((i - center[0]) / radii[0], (j - center[1]) / radii[1])
    return 1 + (eps - 1) / (1 + np.exp((r - 1) * 6 / soft))


class Yee:
    def __init__(self, eps, dt=0.5):
        self.eps, self.dt = eps, dt
        n, m = eps.shape
        self.Ez = np.zeros((n, m))
        self.Hx = np.zeros((n, m - 1))
        self.Hy = np.zeros((n - 1, m))
        loss = rim(n) * dt / 2
        self.decay = (1 - loss) / (1 + loss)
        self.gain = dt / eps / (1 + loss)

    def update(self):
        self.Hx -= self.dt * (self.Ez[:, 1:] - self.Ez[:, :-1])
        self.Hy += self.dt * (self.Ez[1:, :] - self.Ez[:-1, :])
        curl = (self.Hy[1:, 1:-1] - self.Hy[:-1, 1:-1]) - (self.Hx[1:-1, 1:] - self.Hx[1:-1, :-1])
        inner = np.s_[1:-1, 1:-1]
        self.Ez[inner] = self.decay[inner] * self.Ez[inner] + self.gain[inner] * curl

    def run(self, steps, source, at):
        for k in range(steps):
            self.update()
            self.Ez[at] += source(k * self.dt)
            yield k, self.Ez


def f(params, kind="ricker", n=24, steps=60):
    eps = lens((n, n), (n / 2, params["position"]), params["radii"], params["eps"])
    sim = Yee(eps)
    pulse = lambda t: SOURCES[kind](t, params["freq"], delay=4.0)
    focus = np.zeros((n, n))
    for k, E in sim.run(steps, pulse, at=(slice(8, 16), 6)):
        if k < 20:
            continue
        focus += E**2
    window = focus[n // 2 - 1 : n // 2 + 2, 17:20].sum()
    return -np.log(window / focus[:, 17:20].sum()) + 0.01 * np.sum(np.square(params["radii"]))


def args():
    return ({"eps": 2.2, "position": 11.7, "radii": [6.3, 2.4], "freq": 0.12},)
