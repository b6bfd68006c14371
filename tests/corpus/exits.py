"""Ways out: break, continue, return and raise, wherever they stand, and the else of a loop."""

import numpy as np

from .case import array, case, count, number, positive


def break_at_the_end(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i] ** 2
        if total > 1.0:
            break
    return total * x[0]


case(break_at_the_end, array("n"))


def break_at_the_start(s, k):
    for i in range(100):
        if i == k:
            break
        s = np.sin(s) + 0.1 * i * s
    return s


case(break_at_the_start, number(0.7), count("n"))


def break_in_the_middle(x):
    total = 0.0
    for v in x:
        y = np.exp(v)
        if y * total > 2.5:
            total = total * v
            break
        total = total + y * v ** 2
    return total


case(break_in_the_middle, array("n"))


def break_before_anything(x):
    total = np.sum(x)
    for v in x:
        if len(x) > 0:
            break
        total = total * v
    return total


case(break_before_anything, array("n"))


def break_from_a_while(s):
    while True:
        s = s * 1.3 + 0.1
        if s > 5:
            break
        s = s + np.sin(s)
    return s ** 2


case(break_from_a_while, number(1.1))


def converged(a):
    x = 1.0
    for _ in range(50):
        step = (x * x - a) / (2 * x)
        if abs(step) < 1e-12:
            break
        x = x - step
    else:
        x = 0.0 * a
    return x


case(converged, number(2.5))


def break_on_either_branch(x, s):
    for i, v in enumerate(x):
        if v > 0.5:
            s = s * v
            if s > 2:
                break
        elif s < 0.1:
            s = s + v ** 2
            break
        s = s * 1.1 + 0.1 * v
    return s


case(break_on_either_branch, array("n"), number(0.9))


def break_over_zip_backwards(x, y):
    total = 0.0
    for v, w in zip(reversed(x), y):
        total += v * w
        if total > 0.5:
            break
    return total ** 2


case(break_over_zip_backwards, positive("n"), positive("n"))


def break_over_a_stepped_range(x):
    total = 1.0
    for i in range(len(x) - 1, -1, -2):
        total = total * (1 + x[i] ** 2)
        if total > 3:
            break
    return total


case(break_over_a_stepped_range, array("n"))


def break_after_stores(x):
    y = np.zeros(len(x))
    for i in range(1, len(x)):
        y[i] = np.sin(x[i]) + y[i - 1] ** 2
        if y[i] > 0.4:
            break
        x[i - 1] *= y[i]
    return np.sum(x * y)


case(break_after_stores, array("n"))


def continue_skips(x):
    total = 0.0
    for v in x:
        if v < 0.0:
            continue
        total += np.sqrt(v)
    return total


case(continue_skips, array("n"))


def continue_after_work(x):
    total = 0.0
    scale = 1.0
    for v in x:
        scale = scale * (1 + v ** 2)
        if v < 0.0:
            total = total - v * scale
            continue
        scale = np.log(scale)
        if scale > 0.5:
            continue
        total = total + scale * v
    return total * scale


case(continue_after_work, array("n"))


def continue_in_a_while(s, k):
    i = 0
    while i < k:
        i += 1
        if i % 2 == 0:
            continue
        s = np.sin(s) * i
    return s


case(continue_in_a_while, number(0.8), count("n"))


def continue_deep_inside(x):
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0:
            if i % 2 == 0:
                total = total + x[i]
                continue
            total = total * x[i]
        y = np.sin(x[i]) * total
        y = y + x[i] ** 2
        total = total + y
        total = total * 0.9
    return total


case(continue_deep_inside, array("n"))


def break_deep_inside(x):
    total = 1.0
    for i in range(len(x)):
        if x[i] > 0:
            if total > 1.5:
                total = total * x[i]
                break
            total = total + x[i]
        y = np.sin(x[i]) * total
        y = y + x[i] ** 2
        total = total + y
        total = total * 0.9
    return total


case(break_deep_inside, array("n"))


def both_ways_deep_inside(x):
    total = 1.0
    for i in range(len(x)):
        if x[i] > 0:
            if total > 2.0:
                total = total * x[i]
                break
            if i == 1:
                continue
            total = total + x[i]
        y = np.sin(x[i]) * total
        y = y + x[i] ** 2
        total = total + y
        total = total * 0.9
    return total


case(both_ways_deep_inside, array("n"))


def return_from_a_loop(x):
    for v in x:
        if v > 0.3:
            return v ** 2
    return np.sum(x)


case(return_from_a_loop, array("n"))


def return_from_a_loop_never(x):
    total = 0.0
    for v in x:
        total += v ** 2
        if total > 1e6:
            return total * v
    return total


case(return_from_a_loop_never, array("n"))


def return_from_nested_loops(a, s):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            s = s + a[i, j] ** 2
            if s > 2.0:
                return s * a[i, j]
            if a[i, j] < -1.0:
                break
        s = s * 0.9 + a[i, 0]
    return s


case(return_from_nested_loops, array("m k"), number(0.4))


def return_from_an_endless_loop(s):
    while True:
        s = s + 0.3 * np.cos(s) + 0.4
        if s > 2:
            return s ** 2


case(return_from_an_endless_loop, number(0.4))


def return_from_a_loop_in_an_endless_loop(s, x):
    while True:
        for v in x:
            s = s + v ** 2
            if s > 3:
                return s * v
        s = s * 1.5


case(return_from_a_loop_in_an_endless_loop, number(0.4), array("n"))


def first_above(x, level):
    for v in x:
        if v > level:
            return v
    return 0.0


def helper_that_returns_early(x):
    return first_above(x, 0.2) * np.sum(x ** 2) + first_above(x, 50.0)


case(helper_that_returns_early, array("n"))


def helper_in_a_loop_that_breaks(x):
    total = 0.0
    for i in range(len(x)):
        found = first_above(x[i:], 0.1)
        total += found * x[i]
        if total > 2.5:
            break
    return total


case(helper_in_a_loop_that_breaks, array("n"))


def else_without_break(x):
    total = 0.0
    for v in x:
        total += v ** 2
    else:
        total *= total
    return total


case(else_without_break, array("n"))


def else_after_no_break(x):
    total = 1.0
    for v in x:
        if v > 1e6:
            break
        total *= np.cos(v)
    else:
        total = total * x[0]
    return total


case(else_after_no_break, array("n"))


def else_skipped(s):
    k = 0
    while k < 10:
        s = s * 1.2
        if s > 2:
            break
        k += 1
    else:
        s = s ** 3
    return s + 0.1 * s ** 2


case(else_skipped, number(1.1))


def else_that_leaves_the_outer_loop(x):
    total = 1.0
    for i in range(len(x)):
        for j in range(i):
            if x[j] * total > 0.8:
                total = total * 0.5
                break
        else:
            total = total + x[i] ** 2
            if total > 4:
                break
            continue
        total = total * 1.1 + x[i]
    return total


case(else_that_leaves_the_outer_loop, array("n"))


def inner_break_keeps_the_outer_going(a):
    total = 0.0
    for row in a:
        partial = 1.0
        for v in row:
            partial = partial * (1 + v)
            if partial < 0.5:
                break
            partial = partial + v ** 2
        total = total + partial ** 2
    return total


case(inner_break_keeps_the_outer_going, array("m n"))


def raising_on_a_branch_not_taken(x, s):
    if s < 0:
        raise ValueError(f"s must not be negative, and is {s}")
    total = 0.0
    for v in x:
        if v > 1e3:
            raise ArithmeticError("too large")
        total += v * s
    return total


case(raising_on_a_branch_not_taken, array("n"), number(0.8))


def raising_at_the_end(x, kind="sum"):
    if kind == "sum":
        return np.sum(x ** 2)
    elif kind == "mean":
        return np.mean(x ** 2)
    raise ValueError(kind)


case(raising_at_the_end, array("n"))


def raising_in_else(x, p=2):
    if p == 2:
        y = x ** 2
    else:
        raise NotImplementedError
    return np.sum(y * x)


case(raising_in_else, array("n"))


def arrays_until_small(x):
    y = x
    for _ in range(20):
        y = 0.5 * np.sin(y)
        if np.sum(y ** 2) < 0.01:
            break
        y = y * x
    return np.sum(y * x)


case(arrays_until_small, array("n"))


def local_to_the_last_trip(x):
    for i in range(len(x)):
        y = x[i] ** 2
        if y > 0.3:
            z = np.exp(y)
            break
        z = np.sin(y)
    return z * y


case(local_to_the_last_trip, array("n"))


def return_of_one_kind_or_another(x, y):
    s = np.sin(y[1] * x[2])
    while s < 1.2:
        if y[0] < x[1]:
            return np.hypot(y[1], 0.3 + s ** 2)
        s = s + 0.6 + 0.2 * np.sin(sum(0.15 for _ in range(4)))
    return s


case(return_of_one_kind_or_another, array("n"), array("n"))
