"""J2 plasticity with mixed hardening: radial return with local Newton, strain-driven cyclic test; calibration to a stress record."""
import numpy as np

I6 = np.array([1.0, 1, 1, 0, 0, 0])
SHEAR = np.array([1.0, 1, 1, 2, 2, 2])


class MaterialPoint:
    __slots__ = ("eps_p", "alpha", "back", "n_plastic")

    def __init__(self):
        self.eps_p = np.zeros(6)
        self.back = np.zeros(6)
        self.alpha = 0.0
        self.n_plastic = 0


class J2:
    def __init__(self, props):
        E, nu = props["E"], props["nu"]
        self.G = E / (2 * (1 + nu))
        self.K = E / (3 * (1 - 2 * nu))
        self.props = props

    def yield_stress(self, alpha):
        p = self.props
        return p["sy"] + p["H"] * alpha + p["Qinf"] * (1 - np.exp(-p["b"] * alpha))

    def hardening_slope(self, alpha):
        return self.props["H"] + self.props["Qinf"] * self.props["b"] * np.exp(-self.props["b"] * alpha)

    def update(self, eps, state):
        vol = eps[:3].sum()
        dev = (eps - state.eps_p) - vol / 3 * I6
        dev[3:] /= 2
        s_trial = 2 * self.G * dev
        xi = s_trial - state.back
        norm = np.sqrt(np.sum(SHEAR * xi**2))
        root = np.sqrt(2 / 3)
        phi = norm - root * self.yield_stress(state.alpha)
        if phi <= 0:
            return s_trial + self.K * vol * I6
        n = xi / norm
        C = self.props["C"]
        dgamma = 0.0
        residual = phi
        while abs(residual) > 1e-10 * self.props["sy"]:
            slope = -(2 * self.G + 2 / 3 * C) - 2 / 3 * self.hardening_slope(state.alpha + root * dgamma)
            dgamma -= residual / slope
            residual = norm - (2 * self.G + 2 / 3 * C) * dgamma - root * self.yield_stress(state.alpha + root * dgamma)
        state.alpha += root * dgamma
        state.back = state.back + 2 / 3 * C * dgamma * n
        flow = dgamma * n
        flow[3:] *= 2
        state.eps_p += flow
        state.n_plastic += 1
        return s_trial - 2 * self.G * dgamma * n + self.K * vol * I6


def strain_path(n, amplitude):
    for k in range(n):
        e = amplitude * np.sin(2 * np.pi * k / 20)
        yield np.array([e, -0.4 * e, -0.4 * e, 0.3 * e, 0.0, 0.0])


def f(props, record, amplitude=0.006):
    model, point = J2(props), MaterialPoint()
    error, energy, previous = 0.0, 0.0, None
    for eps, measured in zip(strain_path(len(record), amplitude), record):
        sigma = model.update(eps, point)
        error += (sigma[0] - measured) ** 2 / 1e4
        if previous is not None:
            energy += 0.5 * np.dot(sigma + previous[0], eps - previous[1])
        previous = sigma, eps
    if point.n_plastic == 0:
        raise ValueError("test stayed elastic")
    return error / len(record) + 0.01 * energy


WRT = (0,)


def args():
    props = {"E": 2.0e5, "nu": 0.3, "sy": 220.0, "H": 800.0, "Qinf": 90.0, "b": 25.0, "C": 9000.0}
    m, p = J2({**props, "sy": 240.0}), MaterialPoint()
    return props, np.array([m.update(e, p)[0] for e in strain_path(40, 0.006)])
