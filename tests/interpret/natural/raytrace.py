"""Sequential ray tracing: RMS spot size of a doublet followed by a fold mirror."""
import numpy as np


normalize = lambda v: v / np.linalg.norm(v)


class Surface:
    def __init__(self, origin, axis=(0.0, 0.0, 1.0), aperture=np.inf):
        self.origin = np.asarray(origin)
        self.axis = normalize(np.asarray(axis))
        self.aperture = aperture

    def clipped(self, p):
        r = p - self.origin
        perp = r - np.dot(r, self.axis) * self.axis
        return np.dot(perp, perp) > self.aperture ** 2


class Plane(Surface):
    def hit(self, p, d):
        t = np.dot(self.origin - p, self.axis) / np.dot(d, self.axis)
        return t, self.axis


class Sphere(Surface):
    """Spherical cap through `origin` with signed curvature along the axis."""

    def __init__(self, origin, curvature, **kw):
        super().__init__(origin, **kw)
        self.c = curvature

    def hit(self, p, d):
        q = p - self.origin
        F = self.c * np.dot(q, q) - 2.0 * np.dot(q, self.axis)
        G = np.dot(d, self.axis) - self.c * np.dot(q, d)
        disc = G * G - self.c * F
        if disc < 0:
            return None, None
        t = F / (G + np.sign(G) * np.sqrt(disc))
        n = self.axis - self.c * (q + t * d)
        return t, normalize(n)


def refract(d, n, n1, n2):
    cosi = np.dot(d, n)
    if cosi < 0:
        n, cosi = -n, -cosi
    mu = n1 / n2
    k = 1.0 - mu ** 2 * (1.0 - cosi ** 2)
    if k < 0:
        return None           # total internal reflection
    return mu * d + (np.sqrt(k) - mu * cosi) * n


def reflect(d, n):
    return d - 2.0 * np.dot(d, n) * n


def build(curv, thick, tilt):
    z = np.concatenate([[0.0], np.cumsum(thick)])
    elements = [("refract", Sphere([0.0, 0.0, zi], ci, aperture=12.0), g)
                for zi, ci, g in zip(z, curv, ["crown", "flint", "air"])]
    a = np.pi / 4 + tilt
    fold = Plane(np.array([0.0, 0.0, z[3]]), axis=np.array([0.0, np.sin(a), np.cos(a)]))
    elements.append(("reflect", fold, None))
    return elements


def trace(p, d, elements, glasses, lam):
    n1, opl = 1.0, 0.0
    for kind, surf, glass in elements:
        t, n = surf.hit(p, d)
        if t is None:
            return None
        p = p + t * d
        opl += n1 * t
        if surf.clipped(p):
            return None
        if kind == "reflect":
            d = reflect(d, n)
            continue
        n2 = 1.0 if glass == "air" else glasses[glass][0] + glasses[glass][1] / lam ** 2
        d = refract(d, n, n1, n2)
        if d is None:
            return None
        n1 = n2
    return p, d, opl


def f(curv, thick, glasses, tilt, back, fields, lams, pupil):
    elements = build(curv, thick, tilt)
    screen = Plane(elements[-1][1].origin + np.array([0.0, -back, 0.0]), axis=[0.0, -1.0, 0.0])
    merit = 0.0
    for ang in fields:
        d0 = np.array([np.sin(ang), 0.0, np.cos(ang)])
        spots = []
        for lam in lams:
            for x, y in pupil:
                out = trace(np.array([x, y, -5.0]), d0, elements, glasses, lam)
                if out is not None:
                    p, d, _ = out
                    spots.append((p + screen.hit(p, d)[0] * d)[[0, 2]])
        spots = np.array(spots)
        merit += np.mean(np.sum((spots - spots.mean(axis=0)) ** 2, axis=1))
    return np.sqrt(merit / len(fields))


def args():
    curv = np.array([1 / 61.0, -1 / 43.0, -1 / 125.0])
    thick = np.array([6.0, 2.5, 40.0])
    glasses = {"crown": np.array([1.5046, 0.0042]), "flint": np.array([1.6032, 0.0133])}
    pupil = [(r * np.cos(a), r * np.sin(a)) for r in (3.0, 7.0) for a in np.arange(5) * 2 * np.pi / 5]
    pupil.append((13.0, 0.0))                 # vignetted on purpose
    return curv, thick, glasses, 0.005, 55.0, (0.0, 0.03), (0.486, 0.588, 0.656), pupil


WRT = (0, 1, 2, 3, 4)
