import numpy as np
from dataclasses import dataclass, field
from scipy.interpolate import CubicSpline

R_GAS = 8.314
T_REF = 298.15

SOC_GRID = np.array([0.0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 1.0])


@dataclass
class CellParams:
    capacity_ah: float
    r0: np.ndarray           # ohmic resistance at SOC knots [ohm]
    r1: float
    tau1: float
    r2: float
    tau2: float
    ea_r: float              # activation energy for resistance [J/mol]
    ocv: np.ndarray          # OCV at SOC_GRID [V]
    hyst_max: float = 0.015
    hyst_rate: float = 40.0


@dataclass
class ThermalParams:
    mass_cp: float = 42.0
    h_a: float = 0.09
    t_amb: float = 293.15


@dataclass
class CellState:
    soc: float
    v1: float = 0.0
    v2: float = 0.0
    hyst: float = 0.0
    temp: float = 293.15
    history: list = field(default_factory=list)


class ECMSimulator:
    """2-RC equivalent circuit with one-state hysteresis and lumped thermal node."""

    R0_KNOTS = np.array([0.0, 0.25, 0.5, 0.75, 1.0])

    def __init__(self, cell, thermal):
        self.cell = cell
        self.thermal = thermal

    def _arrhenius(self, temp):
        return np.exp(self.cell.ea_r / R_GAS * (1 / temp - 1 / T_REF))

    def step(self, st, current, dt):
        c, th = self.cell, self.thermal
        k = self._arrhenius(st.temp)
        r0 = np.interp(st.soc, self.R0_KNOTS, c.r0) * k
        a1, a2 = np.exp(-dt / c.tau1), np.exp(-dt / c.tau2)
        st.v1 = a1 * st.v1 + c.r1 * k * (1 - a1) * current
        st.v2 = a2 * st.v2 + c.r2 * k * (1 - a2) * current
        eta = 1.0 if current > 0 else 0.995
        dsoc = eta * current * dt / (3600 * c.capacity_ah)
        st.soc -= dsoc
        if not 0.0 <= st.soc <= 1.0:
            raise ValueError(f"SOC out of range: {st.soc:.4f}")
        if current != 0:
            g = np.exp(-abs(c.hyst_rate * dsoc))
            st.hyst = g * st.hyst - (1 - g) * np.sign(current) * c.hyst_max
        ocv = np.interp(st.soc, SOC_GRID, c.ocv)
        v = ocv + st.hyst - st.v1 - st.v2 - r0 * current
        heat = current * (ocv - v)
        st.temp += dt * (heat - th.h_a * (st.temp - th.t_amb)) / th.mass_cp
        st.history.append((v, st.temp))
        return v

    def run(self, current, dt, soc0):
        st = CellState(soc=soc0, temp=self.thermal.t_amb)
        for i in current:
            self.step(st, i, dt)
        v, temp = map(np.array, zip(*st.history))
        return v, temp


def f(cell: CellParams, thermal: ThermalParams, data: dict):
    sim = ECMSimulator(cell, thermal)
    v, temp = sim.run(data["current"], data["dt"], data["soc0"])
    ev = (v - data["voltage"]) / 5e-3
    et = (temp - data["temp"]) / 0.5
    # keep OCV monotone and r0 smooth
    slope = np.diff(cell.ocv) / np.diff(SOC_GRID)
    mono = np.sum(np.minimum(slope - 0.1, 0.0) ** 2)
    rough = np.sum(np.diff(cell.r0, 2) ** 2) * 1e4
    return 0.5 * np.mean(ev ** 2) + 0.5 * np.mean(et ** 2) + mono + rough


def args():
    ocv = np.array([2.9, 3.25, 3.42, 3.55, 3.64, 3.72, 3.85, 4.0, 4.08, 4.19])
    cell = CellParams(4.8, np.array([0.041, 0.03, 0.027, 0.026, 0.029]), 0.012, 22.0, 0.018, 310.0, 19e3, ocv)
    cur = np.tile(np.repeat([4.8, 0.0, 9.6, -2.4, 0.0], 10), 3)
    t = np.arange(len(cur)) * 12.0
    smooth = CubicSpline(SOC_GRID, ocv - 0.01)
    soc = 0.93 - np.cumsum(cur) * 12.0 / 3600 / 5.0
    data = dict(current=cur, dt=12.0, soc0=0.931, voltage=smooth(soc) - 0.05 * cur,
                temp=293.15 + 4.0 * (1 - np.exp(-t / 700)))
    return cell, ThermalParams(), data


WRT = (0, 1)
