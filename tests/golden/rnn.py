"""Gradient of rnn with respect to params. Written by sourcediff 0.1.0."""

# source: experts.py = tests/golden/experts.py

import numpy as np

from sourcediff.runtime import zeros_like


def rnn_grad(params, xs, h, target):  # experts.py:145
    h_saved = []  # experts.py:146
    for x in xs:
        h_saved.append(h)  # experts.py:147
        h = np.tanh(params['wx'] @ x + params['wh'] @ h + params['b'])
    h_bar = 2 * (h - target)  # experts.py:146
    params_bar = zeros_like(params)
    for x in reversed(xs):
        t6_bar = h_bar * (1 - h ** 2)  # experts.py:147
        h = h_saved.pop()
        params_bar['b'] += t6_bar
        h_bar = params['wh'].T @ t6_bar
        params_bar['wh'] += np.outer(t6_bar, h)
        params_bar['wx'] += np.outer(t6_bar, x)
    return params_bar


EQUAL = (('h.0', "params['wh'].1"), ("params['b'].0", "params['wx'].0"), ("params['wh'].0", "params['wx'].0"), ("params['wx'].1", 'xs.1'))
