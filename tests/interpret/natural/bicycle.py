"""Lane-change manoeuvre of a dynamic bicycle model with Pacejka tyres and a preview driver; ISO-style cost."""
from dataclasses import dataclass, field, asdict
from enum import Enum, auto
import numpy as np

class Axle(Enum):
    FRONT = auto()
    REAR = auto()

@dataclass
class Tyre:
    B: float = 10.0
    C: float = 1.35
    D: float = 0.95
    E: float = -0.4

    def lateral_force(self, alpha, Fz):
        x = self.B * alpha
        return -self.D * Fz * np.sin(self.C * np.arctan(x - self.E * (x - np.arctan(x))))

@dataclass
class Vehicle:
    m: float = 1450.0
    Iz: float = 2400.0
    lf: float = 1.15
    lr: float = 1.55
    h: float = 0.5
    tyres: dict = field(default_factory=lambda: {Axle.FRONT: Tyre(), Axle.REAR: Tyre(B=12.0, D=1.0)})

    @property
    def wheelbase(self):
        return self.lf + self.lr

    def axle_loads(self, ax):
        g = 9.81
        transfer = self.m * ax * self.h / self.wheelbase
        return {
            Axle.FRONT: self.m * g * self.lr / self.wheelbase - transfer,
            Axle.REAR: self.m * g * self.lf / self.wheelbase + transfer,
        }

    def derivatives(self, s, delta, ax):
        x, y, psi, vx, vy, r = s
        slip = {
            Axle.FRONT: np.arctan2(vy + self.lf * r, vx) - delta,
            Axle.REAR: np.arctan2(vy - self.lr * r, vx),
        }
        loads = self.axle_loads(ax)
        Fyf, Fyr = (self.tyres[a].lateral_force(slip[a], loads[a]) for a in Axle)
        drag = 0.4 * vx**2 / self.m
        return np.array([
            vx * np.cos(psi) - vy * np.sin(psi),
            vx * np.sin(psi) + vy * np.cos(psi),
            r,
            ax - drag - Fyf * np.sin(delta) / self.m + vy * r,
            (Fyf * np.cos(delta) + Fyr) / self.m - vx * r,
            (self.lf * Fyf * np.cos(delta) - self.lr * Fyr) / self.Iz,
        ])

def reference(x, width=3.5):
    up, down = np.tanh((x - 25) / 6), np.tanh((x - 70) / 6)
    return 0.5 * width * (up - down)

class Driver:
    def __init__(self, preview, k_lat, k_yaw, lag):
        self.preview, self.k_lat, self.k_yaw, self.lag = preview, k_lat, k_yaw, lag
        self.delta = 0.0

    def steer(self, s, dt):
        ahead = s[0] + self.preview * s[3]
        err = reference(ahead) - (s[1] + self.preview * s[3] * np.sin(s[2]))
        command = np.clip(self.k_lat * err - self.k_yaw * s[5], -0.5, 0.5)
        self.delta += dt / self.lag * (command - self.delta)
        return self.delta

def f(driver_params, tyre_front, m, dt=0.03, steps=150):
    car = Vehicle(m=m)
    car.tyres[Axle.FRONT] = Tyre(**{**asdict(Tyre()), **tyre_front})
    driver = Driver(*driver_params)
    s = np.array([0.0, 0.0, 0.0, 22.0, 0.0, 0.0])
    cost = 0.0
    for _ in range(steps):
        delta = driver.steer(s, dt)
        ax = 0.5 * (22.0 - s[3])
        mid = s + 0.5 * dt * car.derivatives(s, delta, ax)
        s = s + dt * car.derivatives(mid, delta, ax)
        cost += dt * ((s[1] - reference(s[0])) ** 2 + 2.0 * delta**2 + 0.5 * s[5] ** 2)
    return cost

def args():
    return [0.6, 0.06, 0.08, 0.12], {"B": 10.5, "D": 0.93}, 1480.0

WRT = (0, 1, 2)
