"""Callees, closures, and what a name means."""

import numpy
import numpy as np

from tests.corpus.case import array, number

from .exhibit import exhibit, given


def modify(arr, index, value):
    arr[index] = value


def elements_modified_by_a_callee(i):
    """An element is changed by a function that is called in a loop: 1 for 5."""
    arr = np.zeros(5)
    for index in range(5):
        modify(arr, index, i)
    return arr[0] + arr[1] + arr[2] + arr[3] + arr[4]


exhibit(elements_modified_by_a_callee, "vgvassilev/clad#441", number(3.0))


def numpy_by_its_full_name(w, x):
    """``name 'np' is not defined``: the generated code had its own idea of what NumPy is called."""
    h1 = numpy.dot(x, w)
    return numpy.sum(numpy.tanh(h1))


exhibit(numpy_by_its_full_name, "google/tangent#23", array("3 3"), array("3"))


def squared_by_a_function_inside(x):
    """A function inside of the function: ``Failed to resolve name``."""

    def square(y):
        return y * y

    return square(x)


exhibit(squared_by_a_function_inside, "google/tangent#77", number(1.5))


def result_returned_twice(x):
    """The same array in two places of the result."""
    y = x**2
    pair = (y, y)
    return np.sum(pair[0] * pair[1])


exhibit(result_returned_twice, "FluxML/Zygote.jl#1025", array("3"))


def parts_of_a_carried_dict(param):
    """A dict that is carried through a loop, of which one entry is not used afterwards: TypeError."""
    carry = {"a": param, "b": np.zeros(())}
    for _ in range(2):
        carry = {"a": carry["a"] + carry["a"], "b": carry["b"] + carry["a"]}
    return carry["a"] * param


exhibit(parts_of_a_carried_dict, "jax-ml/jax#1082", number(1.5))


def argument_handed_through(x):
    """What a function returns as it was given: no gradient of its own, no memory of its own."""
    return x


exhibit(argument_handed_through, "pytorch/pytorch#5871", number(1.5))


def changed_slice_returned(a, b):
    """A callee that changes its argument and returns it: no gradient for b."""
    a[1:2] += b
    return a


def caller_of_a_callee_that_returns_its_argument(a, b):
    """The caller."""
    c = changed_slice_returned(a + 1.0, b)
    return np.sum(c**2)


exhibit(caller_of_a_callee_that_returns_its_argument, "pytorch/pytorch#5871", array("2"), array("1"))


def half_then_product(x):
    """A function and its derivative written out, both called: the other tool did not come back."""

    def half(y):
        return y / 2

    return half(x[1]) * 0.5


exhibit(half_then_product, "JuliaDiff/ForwardDiff.jl#59", given([1.0, 2.0]))
