"""Functions that make functions: closures that are returned, decorators, defaults that are functions, what has some arguments already."""

import functools

import numpy as np

import sourcediff

from .case import array, case, number


def twice(function):
    @functools.wraps(function)
    def doubled(*args):
        return 2 * function(*args)
    return doubled


def scaled(k):
    def decorator(function):
        def product(v):
            return k * function(v)
        return product
    return decorator


def square(t):
    return t * t


def returned_functions(x, s):
    cube = twice(lambda t: t ** 3)
    return cube(x[0]) + scaled(s)(square)(x[1]) * scaled(2.0)(cube)(x[2])


case(returned_functions, array("n"), number(0.7))


def decorated_inside(x, s):
    @twice
    def cube(t):
        return t ** 3

    @scaled(s)
    @scaled(x[1])
    def wave(t, k=2.0):
        return np.sin(k * t)

    return cube(x[0]) * wave(x[2])


case(decorated_inside, array("n"), number(0.7))


def made_in_each_trip(x):
    total = 0.0
    for k in range(3):
        product = scaled(x[k])(square)
        total += product(x[k + 1])
    return total


case(made_in_each_trip, array("n"))


def composed(*functions):
    def run(v):
        for function in functions:
            v = function(v)
        return v
    return run


def chains(x, s):
    chain = composed(np.tanh, lambda t: t * s, square)
    return np.sum(chain(x))


case(chains, array("n"), number(0.7))


def counting(start):
    value = start

    def step(v):
        nonlocal value
        value = value * v
        return value

    start = start + 1  # nobody reads it any more
    return step


def states(x):
    step = counting(x[0])
    step(x[1])
    return step(x[2]) * step(2.0)


case(states, array("n"))


def read_when_called(x):
    def scaling(k):
        def product(v):
            return k * v
        k = k + x[3]
        return product

    return scaling(x[0])(x[1]) * scaling(x[2])(2.0)


case(read_when_called, array("n"))


def activated(v, function=np.tanh, after=square, *, last=lambda t: t + 1):
    return last(after(function(v)))


def functions_by_default(x, s):
    def inner(t, function=np.exp, other=square):
        return function(t) * other(s)

    return np.sum(activated(x)) + np.sum(activated(x, np.sin, last=np.cos)) + inner(x[0]) * inner(x[1], other=np.sqrt)


case(functions_by_default, array("n"), number(0.7))


def weighted(k, y, power=3):
    return np.sum(k * y ** power)


def derivatives_of_partials(x):
    slope = sourcediff.grad(functools.partial(weighted, x[0]))(x)
    return np.sum(slope) + sourcediff.grad(functools.partial(weighted, y=x))(x[1]) * sourcediff.vjp(functools.partial(weighted, 2.0), x)[0]


case(derivatives_of_partials, array("n"))


def derivatives_of_what_is_made(x):
    @sourcediff.grad
    def slope(y):
        return np.sum(x[0] * y ** 3)

    @functools.partial(sourcediff.grad, wrt=1)
    def other(k, y):
        return np.sum(k * y ** 2)

    return np.sum(slope(x) * other(x[1], x)) + sourcediff.grad(scaled(x[2])(square))(x[3])


case(derivatives_of_what_is_made, array("n"))


def states_twice_in_one_expression(x):
    value = x[0]

    def step(v):
        nonlocal value
        value = value * v
        return value

    return step(x[2]) * step(x[1]) + value


case(states_twice_in_one_expression, array("n"))


class Counter:
    def __init__(self, k):
        self.k = k

    def step(self, v):
        self.k = self.k * v
        return self.k

    def now(self):
        return self.k, 2 * self.k


def difference(a, b):
    return a - b * b


def objects_twice_in_one_expression(x):
    counter = Counter(x[0])
    first = difference(counter.step(x[1]), counter.step(x[2])) + difference(b=counter.step(x[1]), a=counter.step(x[3]))
    both = [counter.now(), counter.step(x[1]), counter.now()]
    return first + both[0][0] * both[2][0] + both[1] * both[0][1]


case(objects_twice_in_one_expression, array("n"))


def times(k):
    def product(v):
        return k * v
    return product


def captured_as_they_were(x):
    total = x[0]
    first = times(total)
    total = total * 2
    whole = x * 1.0
    rows = times(whole)
    whole = whole * 3
    shared = x * 1.0
    same = times(shared)
    shared[0] = 5 * x[1]
    return first(x[1]) + total + np.sum(rows(x) * whole) + np.sum(same(x))


case(captured_as_they_were, array("n"))


def captured_in_each_trip(x):
    total, counter = x[0], Counter(x[0])
    for i in range(3):
        product, other = times(total), times(counter.k)
        total = total * x[i]
        counter.k = counter.k * 2
        total = total + product(x[1]) * other(x[2])
    return total * counter.k


case(captured_in_each_trip, array("n"))
