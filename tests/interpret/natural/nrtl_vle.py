"""Regress NRTL binary parameters on isobaric vapour-liquid equilibrium data: bubble-point temperatures and vapour fractions."""
import itertools
import numpy as np
from scipy.optimize import newton

R = 8.314
ANTOINE = {   # log10 P[mmHg], T[C]
    "ethanol": (8.20417, 1642.89, 230.300),
    "water": (8.07131, 1730.63, 233.426),
    "acetone": (7.11714, 1210.595, 229.664),
}


def p_sat(name, T):
    A, B, C = ANTOINE[name]
    return 133.322 * 10 ** (A - B / (C + T - 273.15))


class NRTL:
    def __init__(self, species, energies, alphas):
        self.species = list(species)
        n = len(self.species)
        self.g = np.zeros((n, n))
        self.alpha = np.zeros((n, n))
        for k, (i, j) in enumerate(itertools.combinations(range(n), 2)):
            self.g[i, j] = energies[2 * k]
            self.g[j, i] = energies[2 * k + 1]
            self.alpha[i, j] = self.alpha[j, i] = alphas[k]

    def ln_gamma(self, x, T):
        tau = self.g / (R * T)
        G = np.exp(-self.alpha * tau)
        S = x @ G
        C = x @ (tau * G)
        first = C / S
        second = np.zeros_like(x)
        for j in range(len(x)):
            second += x[j] * G[:, j] / S[j] * (tau[:, j] - C[j] / S[j])
        return first + second

    def partial_pressures(self, x, T):
        psat = np.array([p_sat(s, T) for s in self.species])
        return x * np.exp(self.ln_gamma(x, T)) * psat

    def bubble_point(self, x, P):
        guess = sum(xi * self.boiling(s, P) for xi, s in zip(x, self.species))
        T = newton(lambda T: np.log(self.partial_pressures(x, T).sum() / P), guess, tol=1e-11)
        y = self.partial_pressures(x, T) / P
        return T, y

    @staticmethod
    def boiling(name, P):
        A, B, C = ANTOINE[name]
        return B / (A - np.log10(P / 133.322)) - C + 273.15


def objective(model, data, P, sigma_T=0.3, sigma_y=0.01):
    total = 0.0
    for x, T_obs, y_obs in data:
        T, y = model.bubble_point(x, P)
        total += ((T - T_obs) / sigma_T) ** 2 + np.sum(((y - y_obs) / sigma_y) ** 2)
    return total / len(data)


def f(energies, alphas, data, P=101325.0):
    model = NRTL(("ethanol", "water", "acetone"), energies, alphas)
    ridge = 1e-9 * np.sum(np.asarray(energies) ** 2)
    return objective(model, data, P) + ridge


def args():
    rng = np.random.default_rng(7)
    truth = NRTL(("ethanol", "water", "acetone"), [-458.0, 5607.0, 150.0, 1490.0, 4900.0, 2640.0], [0.3, 0.3, 0.53])
    data = []
    for x in rng.dirichlet([1.5, 1.5, 1.5], size=6):
        T, y = truth.bubble_point(x, 101325.0)
        data.append((x, T + 0.2 * rng.normal(), y + 0.004 * rng.normal(size=3)))
    return np.array([-400.0, 5500.0, 200.0, 1400.0, 4800.0, 2700.0]), np.array([0.3, 0.3, 0.5]), data


WRT = (0, 1)
