"""Value and tangent of rnn with respect to params. Written by sourcediff 0.1.0."""

# source: experts.py = tests/golden/experts.py

import numpy as np


def rnn_jvp(params, xs, h, target, params_dot):  # experts.py:145
    h_dot = np.zeros_like(h)  # experts.py:146
    for x in xs:
        t1 = params['wx'] @ x  # experts.py:147
        t4_dot = params_dot['wx'] @ x + (params_dot['wh'] @ h + params['wh'] @ h_dot)
        h = np.tanh(t1 + params['wh'] @ h + params['b'])
        h_dot = (1 - h ** 2) * (t4_dot + params_dot['b'])
    t7 = h - target  # experts.py:148
    return np.sum(t7 ** 2), np.sum(2 * t7 * h_dot)
