"""Assignments inside expressions: names that are bound anew while others wait for their old values, and ways that are not passed."""

import numpy as np

from .case import array, case, number


def counted_in_a_condition(x):
    i = 0
    s = x[0]
    while (i := i + 1) < 4 and s < 5:
        s = s + x[i] ** 2
    return s * i


case(counted_in_a_condition, array("6"))


def read_before_it_is_bound(x):
    k = x[0]
    y = k + (k := x[1] * k) * k
    i = 0
    z = x[(i := i + 1)] * x[(i := i + 1)] + x[i]
    a = x * 1.0
    t = a[0] * (a := a * 2)[1] + a[2]
    a[i] += (i := 1) * t
    return y * k + z * i + np.sum(a)


case(read_before_it_is_bound, array("4"))


def bound_twice_in_a_condition(x, s):
    j = 0
    while (s := s * s + x[1] ** 2) > 0.1 and (s := s * 0.5) > 0.01 and (j := j + 1) < 5:
        s = s + x[2] * 0.1
    return s * j


case(bound_twice_in_a_condition, array("4"), number(0.7))


def bound_in_chained_comparisons(x):
    c = x[1]
    if 50 < (b := x[0] * 2) < (c := x[2]):
        b = b * c
    if -50 < (d := x[0] * x[1]) < (e := x[2] + 50) < 200:
        d = d * e
    return b * c + d


case(bound_in_chained_comparisons, array("4"), left=True)


def condition_that_calls(x):
    calls = 0

    def count():
        nonlocal calls
        calls += 1
        return calls

    s = x[0]
    if 0 < count() < (k := count() + 1) < 9:
        s = s * k
    if 5 < count() < (k := count()):
        s = s * 7
    return s * calls * k


case(condition_that_calls, array("4"), left=True)


def bound_on_some_trips(x):
    total = 0.0
    for i in range(4):
        if (a := x[i]) > 0.5 or (b := a * 2) < -9:
            total += a
        else:
            total += b * b
    return total


case(bound_on_some_trips, array("4"))


def searched_with_any(x):
    found = 1.0
    if any((hit := v) > 0.5 for v in x):
        found = hit * hit
    if not all((last := v) < 1e6 for v in x if v > -1e6):
        found = found * 2
    return found * last


case(searched_with_any, array("5"), left=True)


def bound_in_a_count(x):
    count = len([1 for v in x if (y := v * 2) > -1e6])
    return y * y * count


case(bound_in_a_count, array("4"))


def running_total(x):
    total = 0.0
    parts = [total := total + v * v for v in x]
    first = total + sum((total := total * v) for v in x)
    return total * parts[1] + first


case(running_total, array("4"))


def bound_in_lambdas(x):
    f = lambda v: (w := v * 2) * w + (w := w * v) * w  # noqa: E731
    w = x[3]
    return f(x[0]) + f(x[1]) * w


case(bound_in_lambdas, array("4"))


def emptied_in_a_condition(x):
    xs = list(x)
    s = 0.1
    while xs and (v := xs.pop()) > -1e6:
        s = s * v + v
    ys = list(x)
    if ys and ys.pop() > -1e6:
        s = s * ys.pop()
    while ys and ys.pop(0) > -1e6 and len(ys) > 0:
        s = s * 2 + ys[0]
    return s


case(emptied_in_a_condition, array("5"))
