"""Value and gradient of attention with respect to weights. Written by sourcediff 0.1.0."""

# source: natural.py = tests/golden/natural.py

import numpy as np


def attention_value_and_grad(weights, x, target):  # natural.py:235
    weights_q = weights['q']
    weights_k = weights['k']
    weights_v = weights['v']
    q = x @ weights_q  # natural.py:236
    k = x @ weights_k  # natural.py:237
    v = x @ weights_v  # natural.py:238
    t = k.T  # natural.py:239
    t2 = np.sqrt(q.shape[-1])
    scores = q @ t / t2
    e = np.exp(scores - np.max(scores, axis=-1, keepdims=True))  # natural.py:231
    t5 = np.sum(e, axis=-1, keepdims=True)  # natural.py:232
    t6 = e / t5
    t8 = t6 @ v - target  # natural.py:240
    t9 = t8 ** 2
    value = np.mean(t9)
    t8_bar = 2 * (1 / t9.size) * t8
    t6_bar = t8_bar @ v.T
    v_bar = t6.T @ t8_bar
    t1_bar = (t6_bar / t5 - np.sum(t6_bar * t6 / t5, axis=1, keepdims=True)) * e / t2  # natural.py:239
    q_bar = t1_bar @ t.T
    weights_v_bar = x.T @ v_bar  # natural.py:238
    weights_k_bar = x.T @ (t1_bar.T @ q)  # natural.py:237
    weights_q_bar = x.T @ q_bar  # natural.py:236
    return value, {'q': weights_q_bar, 'k': weights_k_bar, 'v': weights_v_bar}
