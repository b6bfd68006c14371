"""Merit function of an optical coating by the characteristic-matrix method."""
import numpy as np

# Dispersion: Cauchy coefficients (A, B [um^2], C [um^4]) and extinction k0
MATERIALS = {
    "SiO2":  dict(cauchy=(1.4480, 0.00352, 0.0), k0=0.0),
    "TiO2":  dict(cauchy=(2.2200, 0.02850, 0.0021), k0=4e-4),
    "Ta2O5": dict(cauchy=(2.0600, 0.01680, 0.0), k0=1e-4),
    "MgF2":  dict(cauchy=(1.3720, 0.00180, 0.0), k0=0.0),
    "BK7":   dict(cauchy=(1.5046, 0.00420, 0.0), k0=0.0),
}


def index(name, wl):
    """Complex refractive index n - ik at wavelength wl [um]."""
    if name == "air":
        return 1.0 + 0j
    m = MATERIALS[name]
    a, b, c = m["cauchy"]
    return a + b / wl ** 2 + c / wl ** 4 - 1j * m["k0"] * np.exp(1.2 * (0.55 - wl))


class Stack:
    def __init__(self, layers, substrate="BK7", incident="air"):
        self.layers = layers            # list of (material, thickness in um)
        self.substrate = substrate
        self.incident = incident

    @staticmethod
    def admittance(n, cos, pol):
        return n * cos if pol == "s" else n / cos

    def characteristic(self, wl, angle, pol):
        sin0 = index(self.incident, wl) * np.sin(angle)
        M = np.eye(2, dtype=complex)
        for material, d in self.layers:
            n = index(material, wl)
            cos = np.sqrt(1 - (sin0 / n) ** 2)
            delta = 2 * np.pi * n * d * cos / wl
            eta = self.admittance(n, cos, pol)
            M = M @ np.array([[np.cos(delta), 1j * np.sin(delta) / eta],
                              [1j * eta * np.sin(delta), np.cos(delta)]])
        n_sub = index(self.substrate, wl)
        eta_sub = self.admittance(n_sub, np.sqrt(1 - (sin0 / n_sub) ** 2), pol)
        eta_inc = self.admittance(index(self.incident, wl), np.cos(angle), pol)
        B, C = M @ np.array([1.0, eta_sub])
        return B, C, eta_inc, eta_sub

    def reflectance(self, wl, angle=0.0, pol="s"):
        if pol == "mean":
            return 0.5 * (self.reflectance(wl, angle, "s") + self.reflectance(wl, angle, "p"))
        B, C, eta0, _ = self.characteristic(wl, angle, pol)
        r = (eta0 * B - C) / (eta0 * B + C)
        return np.abs(r) ** 2

    def transmittance(self, wl, angle=0.0, pol="s"):
        B, C, eta0, eta_s = self.characteristic(wl, angle, pol)
        return 4 * np.real(eta0) * np.real(eta_s) / np.abs(eta0 * B + C) ** 2

    def phase(self, wl):
        B, C, eta0, _ = self.characteristic(wl, 0.0, "s")
        return np.angle((eta0 * B - C) / (eta0 * B + C))


TARGETS = (
    # quantity, wavelengths, angle [deg], polarisation, goal, weight
    [("R", wl, 0.0, "s", 0.003, 1.0) for wl in np.linspace(0.45, 0.65, 9)]
    + [("R", wl, 30.0, "mean", 0.010, 0.5) for wl in np.linspace(0.48, 0.62, 5)]
    + [("T", wl, 0.0, "s", 0.10, 0.3) for wl in (0.36, 0.80, 0.85, 0.90)]
)


def f(thickness, sigma_nm, recipe="MgF2 TiO2 SiO2 Ta2O5 SiO2 TiO2 SiO2"):
    stack = Stack(list(zip(recipe.split(), thickness)))
    merit = 0.0
    for quantity, wl, deg, pol, goal, weight in TARGETS:
        angle = np.deg2rad(deg)
        if quantity == "R":
            value = stack.reflectance(wl, angle, pol)
            # roughness scatter of the outer surface lowers the specular part
            value *= np.exp(-(4 * np.pi * sigma_nm * 1e-3 * np.cos(angle) / wl) ** 2)
        else:
            value = stack.transmittance(wl, angle, pol)
        merit += weight * ((value - goal) / 0.02) ** 2
    merit = np.sqrt(merit / sum(t[-1] for t in TARGETS))
    group_delay = (stack.phase(0.551) - stack.phase(0.549)) / 0.002
    return merit + 1e-3 * group_delay ** 2 + 0.05 * sum(thickness)


def args():
    thickness = np.array([0.098, 0.018, 0.034, 0.062, 0.021, 0.030, 0.110])
    return thickness, 2.5


WRT = (0, 1)
