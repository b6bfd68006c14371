"""Functions that call themselves, or one another: their calls stay calls, each with a pullback (a tangent) of its own."""

import numpy as np

from .case import array, case, number, positive


def power(x, k=5):
    return x if k == 1 else x * power(x, k - 1)


case(power, number(1.3))


def fibonacci(x, n=6):
    return x if n < 2 else 0.9 * fibonacci(x, n - 1) + np.sin(fibonacci(x, n - 2))


case(fibonacci, number(0.7))


def halves(xs):
    n = len(xs)
    if n == 1:
        return np.sin(xs[0])
    return 2 * halves(xs[:n // 2]) + halves(xs[n // 2:]) ** 2


case(halves, array("n"))


def transform(x):
    n = len(x)
    if n == 1:
        return x
    even, odd = transform(x[::2]), transform(x[1::2])
    turned = np.exp(-0.3 * np.arange(n // 2)) * odd
    return np.concatenate([even + turned, even - turned])


def fast_transform(x):
    padded = np.zeros(8)
    padded[:len(x)] = x
    return np.sum(transform(padded) ** 3)


case(fast_transform, array("n"))


def in_a_loop(x, depth=2):
    out = np.zeros(3)
    for i in range(3):
        if depth > 0:
            out[i] = in_a_loop(x * (i + 1.0), depth - 1)
        else:
            out[i] = x[i] ** 2
    out *= 0.3
    return np.sum(np.sin(out))


case(in_a_loop, array("n"))


def up(x, n):
    return x if n == 0 else down(0.5 * x * x, n - 1)


def down(x, n):
    return -x if n == 0 else up(np.sin(x) + 1, n - 1)


def by_turns(x, n=5):
    return np.sum(up(x, n) * down(x, n))


case(by_turns, array("n"))


def counted(x, n):
    if n == 0:
        return x, 1
    inner, count = counted(1.1 * x, n - 1)
    return inner * x, count + 1


def with_a_count(x):
    product, count = counted(x, 3)
    return np.sum(product) * count


case(with_a_count, positive("n"))


def dict_of_parameters(p, n=2):
    if n == 0:
        return np.sum(p["w"] * p["b"])
    return dict_of_parameters({"w": p["w"] * 2, "b": np.cos(p["b"])}, n - 1)


case(dict_of_parameters, {"w": array("n"), "b": array("n")})


def adaptive(x, a=0.0, b=1.0, depth=0):
    middle = 0.5 * (a + b)
    whole = (b - a) * np.exp(-x * middle ** 2)
    if depth == 3:
        return whole
    return 0.1 * whole + adaptive(x, a, middle, depth + 1) + adaptive(x, middle, b, depth + 1)


case(adaptive, number(1.5))


def argument_given_back(x, n):
    return x if n == 0 else argument_given_back(x, n - 1)


def changed_after_it_came_back(x):
    y = x * 2
    z = argument_given_back(y, 2)
    z *= x
    return np.sum(z ** 2) + np.sum(y)


case(changed_after_it_came_back, array("n"), may_refuse=True)


def changed_between(x):
    y = 0.3 * np.sin(x)
    before = halves(y)
    y[0] = 0.1 * before
    return before + halves(y)


case(changed_between, array("n"))


def inner_walk(x):
    def walk(i):
        if i >= len(x):
            return 0.0
        return x[i] ** 2 + 0.5 * walk(i + 1)

    return walk(0)


case(inner_walk, array("n"))


def inner_accumulator(x, s):
    scale = np.sin(s)

    def walk(i, total, step=2.0):
        return total if i >= len(x) else walk(i + 1, total * x[i] * scale + step, step=step + 1)

    return walk(0, s)


case(inner_accumulator, array("n"), number(0.6), wrt=(0, 1))


def inner_by_turns(x):
    def even(i, total):
        return total if i >= 4 else odd(i + 1, total * x[i])

    def odd(i, total):
        return total if i >= 4 else even(i + 1, total + x[i] ** 2)

    return even(0, x[0])


case(inner_by_turns, array("n"))


def evaluated_tree(x):
    tree = (0, (1, None, None), (2, (3, None, None), None))

    def value(node):
        if node is None:
            return 1.0
        i, left, right = node
        return x[i] * value(left) + np.sin(value(right))

    return value(tree)


case(evaluated_tree, array("n"))


def inner_adaptive(x):
    def f(t):
        return np.exp(-x[0] * t ** 2) * x[1]

    def adapt(a, b, depth):
        middle = (a + b) / 2
        if depth == 0:
            return (b - a) * f(middle)
        return adapt(a, middle, depth - 1) + adapt(middle, b, depth - 1)

    return adapt(0.0, x[2], 3) + f(x[3])


case(inner_adaptive, array("n"))


def what_is_around_changes(x):
    scale = x[0]
    y = np.zeros(len(x))

    def power(n):
        return scale if n == 0 else y[n] * power(n - 1) + scale

    y[:] = x * 2
    first = power(3)
    scale = x[1] * first
    y[1] = x[2] ** 2
    return first + power(2)


case(what_is_around_changes, array("n"))


def inner_transform(x):
    def transform(v):
        if len(v) == 1:
            return v
        even, odd = transform(v[::2]), transform(v[1::2])
        return np.concatenate([even + 0.5 * odd, even - 0.5 * odd])

    return np.sum(transform(x[:4]) ** 3)


case(inner_transform, array("n"))


def with_inner_recursion(x, s):
    def power(n):
        return s if n == 0 else x * power(n - 1)

    return power(3)


def uses_one_with_inner_recursion(x):
    return with_inner_recursion(x[0], x[1]) + np.sum(with_inner_recursion(x, x[0]))


case(uses_one_with_inner_recursion, array("n"))
