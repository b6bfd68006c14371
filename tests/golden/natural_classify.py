"""Value and gradient of classify with respect to net. Written by sourcediff 0.1.0."""

# source: natural.py = tests/golden/natural.py

import numpy as np

from sourcediff.runtime.user_objects import object_alike as alike


def classify_value_and_grad(net, x, labels):  # natural.py:162
    net_hidden_weights = net.hidden.weights
    net_hidden_bias = net.hidden.bias
    net_out_weights = net.out.weights
    net_out_bias = net.out.bias
    x1 = np.tanh(x @ net_hidden_weights + net_hidden_bias)  # natural.py:154
    z = x1 @ net_out_weights + net_out_bias  # natural.py:163
    z = z - np.max(z, axis=1, keepdims=True)  # natural.py:158
    t4 = np.exp(z)  # natural.py:159
    t5 = np.sum(t4, axis=1, keepdims=True)
    logp = z - np.log(t5)  # natural.py:163
    t7 = np.arange(len(labels))  # natural.py:164
    t8 = logp[t7, labels]
    value = -np.mean(t8)
    logp_bar = np.zeros_like(logp)
    logp_bar[t7, labels] -= 1 / t8.size
    z_bar = logp_bar - np.sum(logp_bar, axis=1, keepdims=True) / t5 * t4  # natural.py:159
    net_out_bias_bar = np.sum(z_bar, axis=0)  # natural.py:163
    x1_bar = z_bar @ net_out_weights.T  # natural.py:146
    net_out_weights_bar = x1.T @ z_bar
    t1_bar = x1_bar * (1 - x1 ** 2)  # natural.py:154
    net_hidden_bias_bar = np.sum(t1_bar, axis=0)  # natural.py:146
    net_hidden_weights_bar = x.T @ t1_bar
    return value, alike(net, hidden=alike(net.hidden, weights=net_hidden_weights_bar, bias=net_hidden_bias_bar), out=alike(net.out, weights=net_out_weights_bar, bias=net_out_bias_bar))


UNGUARDED = True  # 0 * inf is NaN here, and where that is in the gradient, a text that keeps zeros is run
