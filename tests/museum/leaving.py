"""``break``, ``continue``, and conditions that do something."""

import numpy as np

from tests.corpus.case import array, number

from .exhibit import exhibit, given


def rest_of_the_body_skipped(u):
    """The counter was stepped back at the wrong place: 20 for 14."""
    res = 11 * u
    for i in range(3):
        res += u * i
        continue
    return res


exhibit(rest_of_the_body_skipped, "vgvassilev/clad#710", number(3.0))


def left_in_the_first_trip(u):
    """After a break the counter was stepped all the same: 0 for 3."""
    res = 0.0
    for i in range(1, 3):
        res += i * u
        if i == 1:
            break
    return res


exhibit(left_in_the_first_trip, "vgvassilev/clad#851", number(3.0))


def one_of_three_ways(i, j):
    """A body with three ways to its next trip: which one was taken has to be known on the way back."""
    res = 0.0
    choice = 6
    while choice > 0:
        choice -= 1
        if choice > 3:
            res += i
            continue
        if choice > 1:
            res += j * res
            continue
        if choice > 0:
            res += i * j
            continue
    return res


exhibit(one_of_three_ways, "vgvassilev/clad#320 vgvassilev/clad#293", number(3.0), number(0.5))


def assigned_in_the_condition(i, j):
    """An assignment in a loop's condition had no adjoint: 0 and 0 for 5 and 3."""
    c = 0
    res = 0.0
    while (res := i * j) > 0:
        if c == 1:
            break
        c += 1
    return res


exhibit(assigned_in_the_condition, "vgvassilev/clad#746 vgvassilev/clad#818", number(3.0), number(5.0))


def largest_of_those_not_skipped(c, x):
    """The gradient went to the place that the last trip had looked at, whichever had won."""
    best = -1e20
    for p in range(3):
        for q in range(3):
            if c[p, q] < 0.2:
                continue
            d = c[p, q] * ((p + 1) + (q + 1))
            if x * d > best:
                best = x * d
    return best


exhibit(largest_of_those_not_skipped, "NVIDIA/warp#1552", array("3 3"), number(0.8))


def nothing_to_leave(x):
    """A break under a condition that is never true: an error."""
    total = 0.0
    for value in [x, 2 * x]:
        if value > 1e9:
            break
        total = total + value * value
    return total


exhibit(nothing_to_leave, "vgvassilev/clad#1019", number(3.0))


def returned_from_a_solver(a, b):
    """Conjugate gradients that return out of their loop."""
    x = np.zeros(2)
    r = b - a @ x
    p = r
    for _ in range(5):
        alpha = (p @ r) / (p @ (a @ p))
        x = x + alpha * p
        remainder = r - alpha * (a @ p)
        if np.linalg.norm(remainder) < 1e-9:
            return np.sum(x**2)
        p = remainder + (remainder @ remainder) / (r @ r) * p
        r = remainder
    return np.sum(x**2)


exhibit(returned_from_a_solver, "HIPS/autograd#556", given([[4.0, 1.0], [1.0, 3.0]]), given([1.0, 2.0]), wrt=1)
