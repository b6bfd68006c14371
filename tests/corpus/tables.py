"""Tables of functions, of which one is called by a key that is known when the program runs."""

import numpy as np

from .case import array, case


def squared(v):
    return v ** 2


def weighted(v, by=0.8):
    return v * by


TABLE = {"sin": np.sin, "squared": squared, "weighted": weighted, "cubed": lambda v: v ** 3}
LAYERS = [np.tanh, squared, np.cos]


def functions_by_name(x):
    for name in ("sin", "weighted", "squared", "sin"):
        x = TABLE[name](x) * 1.1
    return np.sum(x)


case(functions_by_name, array("n"))


def functions_by_number(x):
    total = 0.0
    k = 0
    while LAYERS[k % 2](x[0]) > -5 and k < 4:
        x = LAYERS[k % 3](LAYERS[k - 1](x)) + x
        total = total + np.sum(x) * TABLE["weighted" if k > 1 else "cubed"](x[0])
        k += 1
    return total


case(functions_by_number, array("n"))


class Chain:
    def __init__(self, names, functions):
        self.names = names
        self.functions = functions

    def apply(self, x):
        for name in self.names:
            x = self.functions[name](x)
        return x


CHAIN = Chain(["b", "a", "b"], {"a": squared, "b": np.sin})


def functions_of_an_object(x):
    return np.sum(CHAIN.apply(x) * x)


case(functions_of_an_object, array("n"))
