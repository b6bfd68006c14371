"""Straight-line code: arithmetic, elementwise functions, operators from both sides."""

import math

import numpy as np

from .case import array, case, number, numpy_number, positive


def affine(x, a, b):
    return np.sum(a * x + b)


case(affine, array("n"), number(0.7), number(-1.3), float32=True)


def scalar_polynomial(x):
    return 3 * x ** 3 - 2 * x ** 2 + x - 7


case(scalar_polynomial, number(1.3))


def numpy_scalar_product(x, y):
    z = x * y
    return z * x - y / z


case(numpy_scalar_product, numpy_number(1.3), numpy_number(-0.6))


def constant_on_the_left(x):
    return np.sum(2 - x) + np.sum(3 / x) + np.sum(2 ** x) + np.sum(1 + x) + np.sum(4 * x)


case(constant_on_the_left, positive("n"))


def constant_on_the_right(x):
    return np.sum(x - 2) + np.sum(x / 3) + np.sum(x ** 2.5) + np.sum(x + 1) + np.sum(x * 4)


case(constant_on_the_right, positive("n"), float32=True)


def signs(x, y):
    return np.sum(-x * +y - (-(y * y)))


case(signs, array("n"), array("n"))


def power_of_two_arrays(x, y):
    return np.sum(x ** y)


case(power_of_two_arrays, positive("n"), array("n"))


def negative_base_integer_power(x):
    return np.sum(x ** 3 + (-2.0 * x) ** 2)


case(negative_base_integer_power, array("n"))


def remainder(x, y):
    return np.sum(x % y) + np.sum(x // y)


case(remainder, positive("n"), positive("n"))


def exponentials(x):
    return np.sum(np.exp(x) + np.expm1(-x) + np.log1p(x * x) + np.log(1 + x ** 2))


case(exponentials, array("n"))


def logarithms(x):
    return np.sum(np.log(x) * np.log2(x) - np.log10(x) / np.sqrt(x))


case(logarithms, positive("n"))


def trigonometry(x):
    return np.sum(np.sin(x) * np.cos(x) + np.tan(0.3 * x))


case(trigonometry, array("n"), float32=True)


def inverse_trigonometry(x):
    y = 0.3 * np.tanh(x)
    return np.sum(np.arcsin(y) + np.arccos(y) * np.arctan(x))


case(inverse_trigonometry, array("n"))


def hyperbolics(x):
    return np.sum(np.sinh(x) + np.cosh(x) * np.tanh(x))


case(hyperbolics, array("n"))


def two_argument_functions(x, y):
    return np.sum(np.arctan2(x, y) + np.hypot(x, y) + np.logaddexp(x, y))


case(two_argument_functions, array("n"), array("n"))


def selections(x, y):
    return np.sum(np.maximum(x, y) * np.minimum(x, 0.2) + np.clip(y, -0.5, 0.5) + np.where(x > y, x * y, y))


case(selections, array("n"), array("n"), float32=True)


def kinked_away_from_the_kink(x):
    return np.sum(abs(x)) + np.sum(np.abs(x) * np.sign(x)) + np.sum(np.floor(x) * x)


case(kinked_away_from_the_kink, array("n"))


def square_and_reciprocal(x):
    return np.sum(np.square(x) + np.reciprocal(x) + np.sqrt(x))


case(square_and_reciprocal, positive("n"))


def reused_intermediate(x):
    y = np.sin(x)
    z = y * x
    return np.sum(y * z + y)


case(reused_intermediate, array("n"))


def rebound_name(x):
    x = x * x
    x = np.sin(x)
    x = x + 1
    return np.sum(x)


case(rebound_name, array("n"))


def deep_expression(x, y):
    return np.sum(np.exp(-((x - np.sin(y * x)) ** 2) / (2 * (1 + y ** 2))) * (x + y))


case(deep_expression, array("n"), array("n"))


def input_twice_in_one_call(x):
    return np.sum(x * x) + np.sum(np.maximum(x, x)) + np.sum(x / x)


case(input_twice_in_one_call, positive("n"))


def identity(x):
    return x


case(identity, number(2.5))


def unused_argument(x, y):
    return np.sum(y * 2)


case(unused_argument, array("n"), array("m"))


def result_of_a_dead_line(x):
    waste = np.exp(x) * 100
    waste = x
    return np.sum(waste * 3)


case(result_of_a_dead_line, array("n"))


def python_math_functions(s, t):
    return math.sin(s) * math.exp(t) + math.sqrt(s) - math.log(s) / math.pi + math.pow(s, t)


case(python_math_functions, number(1.7), number(0.4))


def second_argument_only(x, scale):
    return np.sum(np.sin(x) * scale ** 2)


case(second_argument_only, array("n"), number(1.5), wrt=1)


def by_name(x, scale):
    return np.sum(np.sin(x) * scale ** 2)


case(by_name, array("n"), number(1.5), wrt=("scale", "x"))


def tuple_of_one(x):
    return np.sum(x ** 2)


case(tuple_of_one, array("n"), wrt=(0,))


def saturated(x):
    p = 1 / (1 + np.exp(-x))
    return -np.sum(np.log(p) + np.log(1 - p))


case(saturated, array("n"))
