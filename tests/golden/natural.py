"""Programs as scientists write them, and gradients that an expert writes by hand: a filter, an ODE fit, a net, a stencil, attention."""

from typing import Any

import numpy as np

# 1. A Kalman filter of a local linear trend: the negative log-likelihood by three log-variances.


def transition(dt):
    return np.array([[1.0, dt], [0.0, 1.0]])


def kalman(params, y, dt):
    q_level, q_slope, r = np.exp(params)
    F = transition(dt)
    Q = np.diag(np.array([q_level, q_slope]))
    H = np.array([1.0, 0.0])
    m = np.zeros(2)
    P = np.eye(2)
    nll = 0.0
    for obs in y:
        m = F @ m
        P = F @ P @ F.T + Q
        S = H @ P @ H + r
        K = P @ H / S
        innovation = obs - H @ m
        m = m + K * innovation
        P = P - np.outer(K, H @ P)
        nll += 0.5 * (np.log(2 * np.pi * S) + innovation**2 / S)
    return nll


def kalman_value_and_grad(params, y, dt):
    variances = np.exp(params)
    F = np.array([[1.0, dt], [0.0, 1.0]])
    Q = np.diag(variances[:2])
    H = np.array([1.0, 0.0])
    m = np.zeros(2)
    P = np.eye(2)
    nll = 0.0
    tape = []
    for obs in y:
        m = F @ m
        P = F @ P @ F.T + Q
        S = H @ P @ H + variances[2]
        PH = P @ H
        K = PH / S
        innovation = obs - H @ m
        tape.append((P, PH, S, K, innovation))
        m = m + K * innovation
        P = P - np.outer(K, H @ P)
        nll += 0.5 * (np.log(2 * np.pi * S) + innovation**2 / S)

    m_bar = np.zeros(2)
    P_bar = np.zeros((2, 2))
    Q_bar = np.zeros((2, 2))
    r_bar = 0.0
    while tape:
        P, PH, S, K, innovation = tape.pop()
        K_bar = m_bar * innovation - P_bar @ (H @ P)
        innovation_bar = m_bar @ K + innovation / S
        S_bar = 0.5 * (1 / S - innovation**2 / S**2) - K_bar @ PH / S**2
        HP_bar = -(K @ P_bar)
        P_bar = P_bar + np.outer(H, HP_bar) + np.outer(K_bar / S, H) + S_bar * np.outer(H, H)
        m_bar = F.T @ (m_bar - innovation_bar * H)
        r_bar += S_bar
        Q_bar += P_bar
        P_bar = F.T @ P_bar @ F
    return nll, np.append(np.diag(Q_bar), r_bar) * variances


# 2. Lotka-Volterra by Runge-Kutta steps, fitted to observations: four rates and the initial state.


def rates(state, theta):
    prey, predator = state
    alpha, beta, gamma, delta = theta
    return np.array([alpha * prey - beta * prey * predator, delta * prey * predator - gamma * predator])


def lotka(theta, start, observed, dt):
    state = start
    misfit = 0.0
    for row in observed:
        k1 = rates(state, theta)
        k2 = rates(state + 0.5 * dt * k1, theta)
        k3 = rates(state + 0.5 * dt * k2, theta)
        k4 = rates(state + dt * k3, theta)
        state = state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        misfit += np.sum((np.log(state) - np.log(row)) ** 2)
    return misfit


def rates_back(state, theta, k_bar):
    prey, predator = state
    alpha, beta, gamma, delta = theta
    up, down = k_bar
    both = prey * predator
    theta_bar = np.array([up * prey, -up * both, -down * predator, down * both])
    return np.array([up * (alpha - beta * predator) + down * delta * predator,
                     down * (delta * prey - gamma) - up * beta * prey]), theta_bar


def lotka_value_and_grad(theta, start, observed, dt):
    state = start
    misfit = 0.0
    tape = []
    for row in observed:
        k1 = rates(state, theta)
        s2 = state + 0.5 * dt * k1
        k2 = rates(s2, theta)
        s3 = state + 0.5 * dt * k2
        k3 = rates(s3, theta)
        s4 = state + dt * k3
        k4 = rates(s4, theta)
        new = state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        residual = np.log(new) - np.log(row)
        tape.append((state, s2, s3, s4, new, residual))
        state = new
        misfit += np.sum(residual**2)

    theta_bar = np.zeros(4)
    state_bar = np.zeros(2)
    while tape:
        state, s2, s3, s4, new, residual = tape.pop()
        state_bar = state_bar + 2 * residual / new
        step_bar = dt / 6 * state_bar
        s4_bar, part4 = rates_back(s4, theta, step_bar)
        s3_bar, part3 = rates_back(s3, theta, 2 * step_bar + dt * s4_bar)
        s2_bar, part2 = rates_back(s2, theta, 2 * step_bar + 0.5 * dt * s3_bar)
        s1_bar, part1 = rates_back(state, theta, step_bar + 0.5 * dt * s2_bar)
        state_bar = state_bar + s1_bar + s2_bar + s3_bar + s4_bar
        theta_bar += part1 + part2 + part3 + part4
    return misfit, (theta_bar, state_bar)


# 3. A net of objects: two dense layers, the gradient is a net.


class Dense:
    def __init__(self, weights, bias):
        self.weights, self.bias = weights, bias

    def __call__(self, x):
        return x @ self.weights + self.bias


class Net:
    def __init__(self, hidden, out):
        self.hidden, self.out = hidden, out

    def logits(self, x):
        return self.out(np.tanh(self.hidden(x)))


def log_softmax(z):
    z = z - np.max(z, axis=1, keepdims=True)
    return z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))


def classify(net, x, labels):
    logp = log_softmax(net.logits(x))
    return -np.mean(logp[np.arange(len(labels)), labels])


def classify_value_and_grad(net, x, labels):
    h = np.tanh(x @ net.hidden.weights + net.hidden.bias)
    z = h @ net.out.weights + net.out.bias
    z = z - np.max(z, axis=1, keepdims=True)
    e = np.exp(z)
    total = np.sum(e, axis=1, keepdims=True)
    rows = np.arange(len(labels))
    value = -np.mean((z - np.log(total))[rows, labels])

    z_bar = e / total
    z_bar[rows, labels] -= 1.0
    z_bar /= len(labels)
    a_bar = z_bar @ net.out.weights.T * (1 - h**2)
    return value, Net(Dense(x.T @ a_bar, np.sum(a_bar, axis=0)), Dense(h.T @ z_bar, np.sum(z_bar, axis=0)))


# 4. Gray and Scott's reaction and diffusion on a torus: the final concentrations by the feed and the kill rate.


def laplacian(a):
    return np.roll(a, 1, 0) + np.roll(a, -1, 0) + np.roll(a, 1, 1) + np.roll(a, -1, 1) - 4 * a


def reaction(params, u, v, steps, dt=0.5):
    feed, kill = params
    for _ in range(steps):
        uvv = u * v**2
        du = 0.16 * laplacian(u) - uvv + feed * (1 - u)
        dv = 0.08 * laplacian(v) + uvv - (feed + kill) * v
        u = u + dt * du
        v = v + dt * dv
    return np.sum(v**2) / v.size


def reaction_grad(params, u, v, steps, dt=0.5):
    feed, kill = params
    tape = []
    for _ in range(steps):
        tape.append((u, v))
        uvv = u * v**2
        du = 0.16 * laplacian(u) - uvv + feed * (1 - u)
        dv = 0.08 * laplacian(v) + uvv - (feed + kill) * v
        u = u + dt * du
        v = v + dt * dv

    v_bar = 2 * v / v.size
    u_bar = np.zeros_like(u)
    feed_bar = kill_bar = 0.0
    while tape:
        u, v = tape.pop()
        du_bar, dv_bar = dt * u_bar, dt * v_bar
        killed = np.sum(dv_bar * v)
        feed_bar += np.sum(du_bar * (1 - u)) - killed
        kill_bar -= killed
        uvv_bar = dv_bar - du_bar
        u_bar = u_bar + 0.16 * laplacian(du_bar) - feed * du_bar + uvv_bar * v**2
        v_bar = v_bar + 0.08 * laplacian(dv_bar) - (feed + kill) * dv_bar + uvv_bar * (2 * u * v)
    return np.array([feed_bar, kill_bar])


# 5. Attention of one head: the loss by the three projections.


def softmax(z):
    e = np.exp(z - np.max(z, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def attention(weights, x, target):
    q = x @ weights["q"]
    k = x @ weights["k"]
    v = x @ weights["v"]
    scores = q @ k.T / np.sqrt(q.shape[-1])
    return np.mean((softmax(scores) @ v - target) ** 2)


def attention_value_and_grad(weights, x, target):
    q = x @ weights["q"]
    k = x @ weights["k"]
    v = x @ weights["v"]
    scale = 1 / np.sqrt(q.shape[-1])
    a = softmax(q @ k.T * scale)
    residual = a @ v - target
    value = np.mean(residual**2)

    out_bar = residual * (2 / residual.size)
    v_bar = a.T @ out_bar
    a_bar = out_bar @ v.T
    scores_bar = a * (a_bar - np.sum(a_bar * a, axis=-1, keepdims=True)) * scale
    return value, {"q": x.T @ (scores_bar @ k), "k": x.T @ (scores_bar.T @ q), "v": x.T @ v_bar}


def arguments(name: str, size: int = 6) -> tuple[Any, ...]:
    """Arguments of a program."""
    rng = np.random.default_rng(7)
    if name == "kalman":
        return np.array([-1.0, -2.0, -0.5]), np.cumsum(rng.normal(size=size)), 0.7
    if name == "lotka":
        return np.array([0.7, 0.5, 0.6, 0.4]), np.array([1.2, 0.8]), np.exp(0.3 * rng.normal(size=(size, 2))), 0.1
    if name == "classify":
        net = Net(Dense(rng.normal(size=(4, 5)), rng.normal(size=5)), Dense(rng.normal(size=(5, 3)), rng.normal(size=3)))
        return net, rng.normal(size=(size, 4)), rng.integers(0, 3, size)
    if name == "attention":
        weights = {part: rng.normal(size=(5, 4)) for part in "qkv"}
        return weights, rng.normal(size=(size, 5)), rng.normal(size=(size, 4))
    u = 1 - 0.4 * rng.random((size, size))
    return np.array([0.05, 0.06]), u, 0.5 * (1 - u), 4


NATURAL = {
    # name: (program, what the expert wrote, wrt, whether that returns the value too)
    "kalman": (kalman, kalman_value_and_grad, 0, True),
    "lotka": (lotka, lotka_value_and_grad, (0, 1), True),
    "classify": (classify, classify_value_and_grad, 0, True),
    "reaction": (reaction, reaction_grad, 0, False),
    "attention": (attention, attention_value_and_grad, 0, True),
}
