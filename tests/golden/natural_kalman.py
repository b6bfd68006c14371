"""Value and gradient of kalman with respect to params. Written by sourcediff 0.1.0."""

# source: natural.py = tests/golden/natural.py

import numpy as np


def kalman_value_and_grad(params, y, dt):  # natural.py:14
    t = np.exp(params)  # natural.py:15
    q_level, q_slope, r = t
    F = np.array([[1.0, dt], [0.0, 1.0]])  # natural.py:16
    Q = np.diag(np.array([q_level, q_slope]))  # natural.py:17
    H = np.array([1.0, 0.0])  # natural.py:18
    m = np.zeros(2)  # natural.py:19
    P = np.eye(2)  # natural.py:20
    nll = 0.0  # natural.py:21
    saved = []  # natural.py:22
    for obs in y:
        m = F @ m  # natural.py:23
        P = F @ P @ F.T + Q  # natural.py:24
        t5 = H @ P @ H  # natural.py:25
        S = t5 + r
        K = P @ H / S  # natural.py:26
        t7 = H @ m  # natural.py:27
        innovation = obs - t7
        m = m + K * innovation  # natural.py:28
        t9 = H @ P  # natural.py:29
        P = P - np.outer(K, t9)
        t14 = innovation ** 2  # natural.py:30
        nll += 0.5 * (np.log(2 * np.pi * S) + t14 / S)
        saved.append((K, t14, t5, t7, t9))  # natural.py:22
    r_bar = 0.0
    P_bar = np.zeros_like(P)
    Q_bar = np.zeros_like(Q)
    m_bar = np.zeros_like(m)
    for obs in reversed(y):
        K, t14, t5, t7, t9 = saved.pop()
        S = t5 + r  # natural.py:30
        innovation = obs - t7
        t11 = 2 * np.pi
        t10_bar = -P_bar  # natural.py:29
        P_bar += np.outer(H, K @ t10_bar)
        K_bar = t10_bar @ t9 + m_bar * innovation  # natural.py:28
        m_bar -= (0.5 / S * (2 * innovation) + m_bar @ K) * H  # natural.py:27
        S_bar = -0.5 * (t14 / S) / S + 0.5 / (t11 * S) * t11 - K_bar @ K / S  # natural.py:26
        P_bar += np.outer(K_bar / S, H)
        r_bar += S_bar  # natural.py:25
        P_bar += np.outer(H, S_bar * H)
        Q_bar += P_bar  # natural.py:24
        P_bar = F.T @ (P_bar @ F.T.T)
        m_bar = F.T @ m_bar  # natural.py:23
    t1_bar = np.diag(Q_bar, 0)  # natural.py:17
    t_bar = np.zeros_like(t)  # natural.py:15
    t_bar[2] = r_bar
    t_bar[1] += t1_bar[1]
    t_bar[0] += t1_bar[0]
    params_bar = t_bar * t
    return nll, params_bar


UNGUARDED = True  # 0 * inf is NaN here, and where that is in the gradient, a text that keeps zeros is run
