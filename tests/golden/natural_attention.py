"""Value and gradient of attention with respect to weights. Written by sourcediff 0.1.0."""

# source: natural.py = tests/golden/natural.py

import numpy as np

from sourcediff.runtime import zeros_like


def attention_value_and_grad(weights, x, target):  # natural.py:235
    q = x @ weights['q']  # natural.py:236
    k = x @ weights['k']  # natural.py:237
    v = x @ weights['v']  # natural.py:238
    t3 = k.T  # natural.py:239
    t5 = np.sqrt(q.shape[-1])
    scores = q @ t3 / t5
    e = np.exp(scores - np.max(scores, axis=-1, keepdims=True))  # natural.py:231
    t8 = np.sum(e, axis=-1, keepdims=True)  # natural.py:232
    t9 = e / t8
    t11 = t9 @ v - target  # natural.py:240
    t12 = t11 ** 2
    value = np.mean(t12)
    t11_bar = 2 * (1 / t12.size) * t11
    t9_bar = t11_bar @ v.T
    v_bar = t9.T @ t11_bar
    t4_bar = (t9_bar / t8 - np.sum(t9_bar * t9 / t8, axis=1, keepdims=True)) * e / t5  # natural.py:239
    q_bar = t4_bar @ t3.T
    weights_bar = zeros_like(weights)  # natural.py:238
    weights_bar['v'] += x.T @ v_bar
    weights_bar['k'] += x.T @ np.transpose(q.T @ t4_bar)  # natural.py:237
    weights_bar['q'] += x.T @ q_bar  # natural.py:236
    return value, weights_bar
