"""Loops whose trips depend on data."""

import numpy as np

from .case import array, case, count, number, positive


def while_counted(s, k):
    i = 0
    while i < k:
        s = np.sin(s) + 0.1 * i
        i += 1
    return s


case(while_counted, number(0.9), count("n"))


def while_on_the_value(s):
    while s < 10:
        s = s * s + 0.5
    return s


case(while_on_the_value, number(1.1))


def while_never(s):
    y = s * 2
    while y > 1000:
        y = y / 2
    return y * s


case(while_never, number(1.1))


def newton_square_root(a):
    x = 0.5 * (1.0 + a)
    while abs(x * x - a) > 1e-12:
        x = 0.5 * (x + a / x)
    return x


case(newton_square_root, number(3.0))


def while_in_for(x):
    total = 0.0
    for i in range(len(x)):
        s = x[i] ** 2 + 0.5
        while s < 4:
            s = s * 1.7 + x[i]
        total = total + s
    return total


case(while_in_for, positive("n"))


def for_in_while(x):
    k = 0
    s = 0.5
    while k < 3:
        for value in x:
            s = np.sin(s + value * k)
        k = k + 1
    return s


case(for_in_while, array("n"))


def while_with_array(x):
    y = x
    while np.sum(y ** 2) > 0.01:
        y = y * 0.5
    return np.sum(y * x)


case(while_with_array, array("n"))
