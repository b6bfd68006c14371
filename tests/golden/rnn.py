"""Gradient of rnn with respect to params. Written by sourcediff 0.1.0."""

# source: experts.py = tests/golden/experts.py

import numpy as np


def rnn_grad(params, xs, h, target):  # experts.py:145
    params_wx = params['wx']
    params_wh = params['wh']
    params_b = params['b']
    h_saved = []  # experts.py:146
    for x in xs:
        h_saved.append(h)  # experts.py:147
        h = np.tanh(params_wx @ x + params_wh @ h + params_b)
    h_bar = 2 * (h - target)  # experts.py:146
    params_b_bar = np.zeros_like(params_b)
    t3_bar_all, h_all, x_all = [], [], []
    for x in reversed(xs):
        t3_bar = h_bar * (1 - h ** 2)  # experts.py:147
        h = h_saved.pop()
        params_b_bar += t3_bar
        t3_bar_all.append(t3_bar)
        h_all.append(h)
        h_bar = params_wh.T @ t3_bar
        x_all.append(x)
    t3_bar_all = np.array(t3_bar_all)  # experts.py:146
    params_wh_bar = np.zeros_like(params_wh) + t3_bar_all.T @ np.array(h_all)
    params_wx_bar = np.zeros_like(params_wx) + t3_bar_all.T @ np.array(x_all)
    return {'wx': params_wx_bar, 'wh': params_wh_bar, 'b': params_b_bar}


EQUAL = (
    ('h.0', "params['wh'].1"),
    ("params['b'].0", "params['wx'].0"),
    ("params['wh'].0", "params['wx'].0"),
    ("params['wx'].0", 'target.0'),
    ("params['wx'].1", 'xs.1'),
)
