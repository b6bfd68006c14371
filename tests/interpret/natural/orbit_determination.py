"""Orbit determination: J2 propagation with RK4, range and range-rate from ground stations; Kepler's equation for the start."""
import numpy as np

MU = 398600.4418  # km^3/s^2
RE = 6378.137
J2 = 1.08262668e-3
OMEGA_EARTH = 7.2921159e-5


def rot3(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def rot1(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def eccentric_anomaly(M, e, tol=1e-13):
    E = M if e < 0.8 else np.pi
    for _ in range(50):
        delta = (E - e * np.sin(E) - M) / (1 - e * np.cos(E))
        E -= delta
        if abs(delta) < tol:
            break
    else:
        raise RuntimeError("Kepler did not converge")
    return E


def elements_to_state(a, e, i, raan, argp, M):
    E = eccentric_anomaly(M, e)
    n = np.sqrt(MU / a**3)
    r_pf = np.array([a * (np.cos(E) - e), a * np.sqrt(1 - e**2) * np.sin(E), 0.0])
    v_pf = n * a / (1 - e * np.cos(E)) * np.array([-np.sin(E), np.sqrt(1 - e**2) * np.cos(E), 0])
    Q = rot3(raan) @ rot1(i) @ rot3(argp)
    return np.hstack([Q @ r_pf, Q @ v_pf])


def derivative(state):
    r, v = np.split(state, 2)
    x, y, z = r
    d = np.linalg.norm(r)
    k = 1.5 * J2 * MU * RE**2 / d**5
    acc = -MU * r / d**3
    acc += k * np.array([x * (5 * z**2 / d**2 - 1), y * (5 * z**2 / d**2 - 1), z * (5 * z**2 / d**2 - 3)])
    return np.concatenate((v, acc))


def propagate(state, t0, times, max_step=60.0):
    t = t0
    for target in times:
        while t < target - 1e-9:
            h = min(max_step, target - t)
            k1 = derivative(state)
            k2 = derivative(state + h / 2 * k1)
            k3 = derivative(state + h / 2 * k2)
            k4 = derivative(state + h * k3)
            state = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            t += h
        yield t, state


def f(elements, bias, stations, times, measured, sigmas=(0.01, 1e-5)):
    chi2 = 0
    for k, (t, state) in enumerate(propagate(elements_to_state(*elements), 0.0, times)):
        for name, site in stations.items():
            site_eci = rot3(OMEGA_EARTH * t) @ site
            site_vel = np.cross([0, 0, OMEGA_EARTH], site_eci)
            rho = state[:3] - site_eci
            rng = np.linalg.norm(rho)
            rate = np.dot(rho, state[3:] - site_vel) / rng
            obs = measured[name][k]
            chi2 += ((rng + bias[name] - obs[0]) / sigmas[0]) ** 2 * 1e-6 + ((rate - obs[1]) / sigmas[1]) ** 2 * 1e-9
    return chi2


WRT = (0, 1)


def args():
    stations = {"kiruna": np.array([2256.0, 856.0, 5880.0]), "perth": np.array([-2368.0, 4881.0, -3342.0])}
    times = np.array([0.0, 130.0, 260.0, 400.0])
    rng = np.random.default_rng(0)
    measured = {k: [(3000 + 500 * rng.normal(), 2 * rng.normal()) for _ in times] for k in stations}
    return np.array([7000.0, 0.02, 1.2, 0.4, 0.9, 0.3]), {"kiruna": 0.1, "perth": -0.2}, stations, times, measured
