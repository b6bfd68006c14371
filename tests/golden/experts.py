"""Seven programs and the gradients that an expert writes by hand for them. They are the bar for generated code."""

import numpy as np

# 1. A two-layer net, both weights: the adjoint of the sum never becomes an array of ones.


def loss(w1, w2, x, y):
    h = np.maximum(x @ w1, 0)
    residual = h @ w2 - y
    return np.sum(residual ** 2)


def loss_value_and_grad(w1, w2, x, y):
    t = x @ w1
    h = np.maximum(t, 0)
    residual = h @ w2 - y
    value = np.sum(residual ** 2)

    residual_bar = 2 * residual
    h_bar = residual_bar @ w2.T
    w2_bar = h.T @ residual_bar
    t_bar = h_bar * (t >= 0)
    w1_bar = x.T @ t_bar
    return value, (w1_bar, w2_bar)


# 2. A scalar time loop: only theta is saved, the loop index is not.


def pendulum(theta, omega, dt, steps):
    for k in range(steps):
        omega = omega - dt * np.sin(theta)
        theta = theta + dt * omega
    return theta ** 2


def pendulum_grad(theta, omega, dt, steps):
    theta_saved = []
    for k in range(steps):
        theta_saved.append(theta)
        omega = omega - dt * np.sin(theta)
        theta = theta + dt * omega

    theta_bar = 2 * theta
    omega_bar = 0.0
    for k in reversed(range(steps)):
        theta = theta_saved.pop()
        omega_bar += dt * theta_bar
        theta_bar -= omega_bar * dt * np.cos(theta)
    return theta_bar, omega_bar


# 3. In-place stencil: linear in u, so nothing is saved.


def heat(u, c, steps):
    u = u.copy()
    for k in range(steps):
        u[1:-1] += c * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u ** 2)


def heat_grad(u, c, steps):
    u = u.copy()
    for k in range(steps):
        u[1:-1] += c * (u[2:] - 2 * u[1:-1] + u[:-2])
    u_bar = 2 * u
    for k in reversed(range(steps)):
        t_bar = c * u_bar[1:-1]
        u_bar[2:] += t_bar
        u_bar[1:-1] -= 2 * t_bar
        u_bar[:-2] += t_bar
    return u_bar


# 4. A data-dependent while: the tape's length is the trip count.


def newton_sqrt(a):
    x = 0.5 * (1.0 + a)
    while abs(x * x - a) > 1e-12:
        x = 0.5 * (x + a / x)
    return x


def newton_sqrt_grad(a):
    x = 0.5 * (1.0 + a)
    x_saved = []
    while abs(x * x - a) > 1e-12:
        x_saved.append(x)
        x = 0.5 * (x + a / x)
    x_bar = 1.0
    a_bar = 0.0
    while x_saved:
        x = x_saved.pop()
        t_bar = 0.5 * x_bar
        a_bar += t_bar / x
        x_bar = t_bar - t_bar * a / x ** 2
    return a_bar + 0.5 * x_bar


# 5. A branch in a loop: the condition is recomputed, nothing is saved, the forward sweep is not run.


def huber(r, delta):
    total = 0.0
    for i in range(len(r)):
        if abs(r[i]) <= delta:
            total += 0.5 * r[i] ** 2
        else:
            total += delta * (abs(r[i]) - 0.5 * delta)
    return total


def huber_grad(r, delta):
    r_bar = np.zeros_like(r)
    for i in reversed(range(len(r))):
        if abs(r[i]) <= delta:
            r_bar[i] += r[i]
        else:
            r_bar[i] += delta * np.sign(r[i])
    return r_bar


# 6. Broadcasting: b gets its sum, the primal's logaddexp gets its closed form.


def logistic(w, b, x, y):
    z = x @ w + b
    return np.mean(np.logaddexp(0, z) - y * z)


def logistic_value_and_grad(w, b, x, y):
    z = x @ w + b
    t = np.logaddexp(0, z)
    value = np.mean(t - y * z)
    z_bar = (np.exp(z - t) - y) / z.size
    return value, (x.T @ z_bar, np.sum(z_bar))


# 7. A recurrent net over a dict of parameters: one saved array per step, gradients accumulated in place.


def rnn(params, xs, h, target):
    for x in xs:
        h = np.tanh(params["wx"] @ x + params["wh"] @ h + params["b"])
    return np.sum((h - target) ** 2)


def rnn_grad(params, xs, h, target):
    h_saved = []
    for x in xs:
        h_saved.append(h)
        h = np.tanh(params["wx"] @ x + params["wh"] @ h + params["b"])
    h_bar = 2 * (h - target)
    wx_bar = np.zeros_like(params["wx"])
    wh_bar = np.zeros_like(params["wh"])
    b_bar = np.zeros_like(params["b"])
    for x in reversed(xs):
        t_bar = h_bar * (1 - h ** 2)
        h = h_saved.pop()
        wx_bar += np.outer(t_bar, x)
        wh_bar += np.outer(t_bar, h)
        b_bar += t_bar
        h_bar = params["wh"].T @ t_bar
    return {"wx": wx_bar, "wh": wh_bar, "b": b_bar}


def arguments(name: str, size: int = 6) -> tuple:
    """Fresh arguments for the program of that name; ``size`` is the length of its longest axis."""
    rng = np.random.default_rng(3)
    normal = rng.standard_normal
    return {
        "loss": lambda: (normal((4, size)), normal((size, 3)), normal((5, 4)), normal((5, 3))),
        "pendulum": lambda: (0.8, 0.1, 0.05, size),
        "heat": lambda: (normal(size + 2), 0.2, 5),
        "newton_sqrt": lambda: (3.0,),
        "huber": lambda: (normal(size), 0.7),
        "logistic": lambda: (normal(4), 0.3, normal((size, 4)), rng.integers(0, 2, size).astype(float)),
        "rnn": lambda: (
            {"wx": normal((size, 3)), "wh": normal((size, size)), "b": normal(size)}, normal((4, 3)), normal(size), normal(size),
        ),
    }[name]()


EXPERTS = {
    # name: (program, what the expert wrote, wrt, whether that returns the value too)
    "loss": (loss, loss_value_and_grad, (0, 1), True),
    "pendulum": (pendulum, pendulum_grad, (0, 1), False),
    "heat": (heat, heat_grad, 0, False),
    "newton_sqrt": (newton_sqrt, newton_sqrt_grad, 0, False),
    "huber": (huber, huber_grad, 0, False),
    "logistic": (logistic, logistic_value_and_grad, (0, 1), True),
    "rnn": (rnn, rnn_grad, 0, False),
}
