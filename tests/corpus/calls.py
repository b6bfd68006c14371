"""Calls of other plain functions, keyword and default arguments, ``math`` and the builtins."""

import math

import numpy as np

from .case import array, case, number, positive

SCALE = 1.5
WEIGHTS = np.linspace(0.5, 1.5, 3)


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def layer(x, w, b=0.0, activation="tanh"):
    z = w @ x + b
    if activation == "tanh":
        return np.tanh(z)
    else:
        return sigmoid(z)


def scale_first(a, s):
    a[0] *= s


def accumulate_into(a, x):
    a += x
    a[0] = np.sin(a[0])
    return a[0] * 2


def sum_and_product(x, y):
    return x + y, x * y


def call(x):
    return np.sum(sigmoid(x) * x)


case(call, array("n"), float32=True)


def helper_called_twice(x, y):
    return np.sum(sigmoid(x) * sigmoid(y) + sigmoid(sigmoid(x)))


case(helper_called_twice, array("n"), array("n"))


def nested_calls(x, w, v):
    return np.sum(layer(layer(x, w, b=0.1), v, activation="sigmoid"))


case(nested_calls, array("n"), array("m n"), array("k m"))


def default_arguments(x, w):
    return np.sum(layer(x, w)) + np.sum(layer(x, w, 1.0)) + np.sum(layer(x, b=x[0], w=w))


case(default_arguments, array("n"), array("m n"))


def own_default(x, power=3, shift=0.5):
    return np.sum((x + shift) ** power)


case(own_default, array("n"))


def own_keyword(x, power=3, shift=0.5):
    return np.sum((x + shift) ** power)


case(own_keyword, array("n"), power=2)


def differentiated_keyword(x, *, shift=0.5):
    return np.sum((x + shift) ** 3)


case(differentiated_keyword, array("n"), shift=number(0.3))


def helper_mutates(x, s):
    a = x.copy()
    scale_first(a, s)
    return np.sum(a ** 2)


case(helper_mutates, array("n"), number(0.7))


def helper_mutates_in_a_loop(x, s):
    a = x.copy()
    for i in range(3):
        scale_first(a, s)
        a[1] += a[0]
    return np.sum(a ** 2)


case(helper_mutates_in_a_loop, array("n"), number(0.7))


def helper_mutates_the_argument(x, s):
    scale_first(x, s)
    return np.sum(x ** 2)


case(helper_mutates_the_argument, array("n"), number(0.7))


def helper_mutates_and_returns(x, y):
    a = x * 1.0
    first = accumulate_into(a, y)
    second = accumulate_into(a, y * first)
    return second * np.sum(a ** 2)


case(helper_mutates_and_returns, array("n"), array("n"))


def helper_mutates_a_slice(a, s):
    b = a * 1.0
    scale_first(b[1], s)
    return np.sum(b ** 2)


case(helper_mutates_a_slice, array("m n"), number(0.7))


def helper_returns_a_tuple(x, y):
    s, p = sum_and_product(x, y)
    both = sum_and_product(s, p)
    return np.sum(s * p) + np.sum(both[1])


case(helper_returns_a_tuple, array("n"), array("n"))


def helper_in_a_loop(xs, w):
    h = np.zeros(w.shape[0])
    for x in xs:
        h = layer(h + x, w)
    return np.sum(h)


case(helper_in_a_loop, array("n m"), array("m m"))


def name_of_the_caller(z):
    z = z * 2
    x = sigmoid(z)
    return np.sum(x * z)


case(name_of_the_caller, array("n"))


def helper_with_a_loop(c, s):
    p = 0.0
    for k in range(len(c)):
        p = p * s + c[k]
    return p


def calls_a_helper_with_a_loop(c, s):
    return helper_with_a_loop(c, s) * helper_with_a_loop(c[1:], s * s)


case(calls_a_helper_with_a_loop, array("n"), number(0.7))


def helper_with_branches(v):
    if v > 0:
        return v ** 2
    else:
        return -3 * v


def calls_a_helper_with_branches(x):
    total = 0.0
    for i in range(len(x)):
        total += helper_with_branches(x[i]) * x[0]
    return total


case(calls_a_helper_with_branches, array("n"))


def global_data(x):
    return np.sum(x * WEIGHTS) * SCALE


case(global_data, array("3"))


def closure_over(scale, weights):
    def weighted(x):
        return np.sum(x * weights) * scale

    return weighted


weighted = closure_over(0.5, np.array([1.0, -2.0, 3.0]))
case(weighted, array("3"))


def function_as_a_value(x):
    activation = np.tanh
    return np.sum(activation(x) * x)


case(function_as_a_value, array("n"))


def unused_helper_result(x):
    s, p = sum_and_product(x, x)  # noqa: RUF059
    return np.sum(p)


case(unused_helper_result, array("n"))


def builtins_of_numbers(s, t):
    return abs(s) * max(s, t) + min(s, t, 0.1) ** 2 + pow(s, 3) + sum([s, t, s * t])


case(builtins_of_numbers, number(-1.2), number(0.4))


def builtins_of_arrays(x):
    return sum(x) * max(x) + min(x) ** 2 + np.sum(abs(x)) + np.sum(pow(x, 2)) + float(x[0]) * len(x)


case(builtins_of_arrays, array("n"))


def math_of_elements(x):
    total = 0.0
    for v in x:
        total += math.exp(v) * math.cos(v) + math.atan2(v, 2.0) + math.hypot(v, 1.0)
    return total / math.tau


case(math_of_elements, array("n"))


def keywords_of_numpy(a, x):
    return np.sum(np.sum(a=a, axis=1) ** 2) + np.sum(np.concatenate([x, x], axis=0) ** 2) + np.sum(np.clip(x, a_min=-0.5, a_max=0.5) * x)


case(keywords_of_numpy, array("m n"), array("n"))


def recursive_looking_name(x):
    recursive = sigmoid(x)
    return np.sum(recursive ** 2)


case(recursive_looking_name, array("n"))


def black_scholes(spot, strike, rate, vol, years):
    spread = vol * math.sqrt(years)
    d1 = (math.log(spot / strike) + (rate + 0.5 * vol ** 2) * years) / spread
    d2 = d1 - spread
    return spot * logistic_cdf(d1) - strike * math.exp(-rate * years) * logistic_cdf(d2)


def logistic_cdf(z):
    return 1 / (1 + math.exp(-1.702 * z))


case(black_scholes, number(1.1), number(1.0), number(0.03), number(0.25), number(2.0))


def mixture_energy(x, centres, widths):
    energy = 0.0
    for c, w in zip(centres, widths):
        energy = energy - np.log(gaussian(x, c, w))
    return energy


def gaussian(x, centre, width=1.0):
    distance = np.sum((x - centre) ** 2)
    return np.exp(-distance / (2 * width ** 2)) / width + 0.01


case(mixture_energy, array("m"), array("k m"), positive("k"))
