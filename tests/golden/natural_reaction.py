"""Gradient of reaction with respect to params. Written by sourcediff 0.1.0."""

# source: natural.py = tests/golden/natural.py

import numpy as np


def reaction_grad(params, u, v, steps, dt):  # natural.py:190
    feed, kill = params  # natural.py:191
    saved = []  # natural.py:192
    for _ in range(steps):
        t = v ** 2  # natural.py:193
        uvv = u * t
        t7 = np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1)  # natural.py:187
        t12 = 1 - u  # natural.py:194
        du = 0.16 * (t7 - 4 * u) - uvv + feed * t12
        t20 = np.roll(v, 1, 0) + np.roll(v, -1, 0) + np.roll(v, 1, 1) + np.roll(v, -1, 1)  # natural.py:187
        dv = 0.08 * (t20 - 4 * v) + uvv - (feed + kill) * v  # natural.py:195
        saved.append((u, v, t, t12))  # natural.py:196
        u = u + dt * du
        v = v + dt * dv  # natural.py:197
    v_bar = 2 * (1.0 / v.size) * v  # natural.py:198
    feed_bar = kill_bar = 0.0  # natural.py:192
    u_bar = np.zeros_like(u)
    for _ in reversed(range(steps)):
        dv_bar = v_bar * dt  # natural.py:197
        u, v, t, t12 = saved.pop()  # natural.py:196
        du_bar = u_bar * dt
        t26_bar = -dv_bar  # natural.py:195
        t25_bar = np.vdot(t26_bar, v)
        v_bar += t26_bar * (feed + kill)
        feed_bar += t25_bar
        kill_bar += t25_bar
        t22_bar = 0.08 * dv_bar
        v_bar -= 4 * t22_bar  # natural.py:187
        v_bar += np.roll(t22_bar, 1, 1)
        v_bar += np.roll(t22_bar, -1, 1)
        v_bar += np.roll(t22_bar, 1, 0)
        v_bar += np.roll(t22_bar, -1, 0)
        feed_bar += np.vdot(du_bar, t12)  # natural.py:194
        u_bar -= du_bar * feed
        uvv_bar = dv_bar - du_bar
        t9_bar = 0.16 * du_bar
        u_bar -= 4 * t9_bar  # natural.py:187
        u_bar += np.roll(t9_bar, 1, 1)
        u_bar += np.roll(t9_bar, -1, 1)
        u_bar += np.roll(t9_bar, 1, 0)
        u_bar += np.roll(t9_bar, -1, 0)
        u_bar += uvv_bar * t  # natural.py:193
        v_bar += uvv_bar * u * (2 * v)
    params_bar = np.array([feed_bar, kill_bar])  # natural.py:191
    return params_bar


EQUAL = (('2', 'params.0'), ('u.0', 'v.0'), ('u.1', 'v.1'))

UNGUARDED = True  # 0 * inf is NaN here, and where that is in the gradient, a text that keeps zeros is run
