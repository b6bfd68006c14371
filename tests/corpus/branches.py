"""Branches: the gradient is the one of the branch taken."""

import numpy as np

from .case import array, case, count, number


def either_way(x, s):
    if s > 0:
        y = x * s
    else:
        y = x / s
    return np.sum(y ** 2)


case(either_way, array("n"), number(0.7))


def the_other_way(x, s):
    if s > 0:
        y = x * s
    else:
        y = x / s
    return np.sum(y ** 2)


case(the_other_way, array("n"), number(-0.7))


def ladder(s):
    if s < -1:
        t = s ** 2
    elif s < 0:
        t = np.sin(s)
    elif s < 1:
        t = np.exp(s)
    else:
        t = 3 * s
    return t * s


case(ladder, number(0.4))


def no_else(x):
    y = x * 2
    if np.sum(x) > -100:
        y = y * x
    return np.sum(y)


case(no_else, array("n"))


def branch_not_taken(x):
    y = x * 2
    if np.sum(x) > 100:
        y = y * x
        z = y  # noqa: F841
    return np.sum(y * y)


case(branch_not_taken, array("n"))


def defined_in_one_branch_only(x, s):
    if s > 0:
        extra = np.sin(x)
    total = np.sum(x ** 2)
    if s > 0:
        total = total + np.sum(extra * x)
    return total


case(defined_in_one_branch_only, array("n"), number(1.2))


def defined_in_one_branch_only_and_missing(x, s):
    if s > 0:
        extra = np.sin(x)
    total = np.sum(x ** 2) * s
    if s > 0:
        total = total + np.sum(extra * x)
    return total


case(defined_in_one_branch_only_and_missing, array("n"), number(-1.2))


def other_shape_in_each_branch(x, flag):
    if flag:
        y = x[1:]
    else:
        y = np.concatenate((x, x))
    return np.sum(y ** 2) * y[0]


case(other_shape_in_each_branch, array("n"), False)


def scalar_or_array(x, flag):
    if flag:
        y = 2.0
    else:
        y = x * x
    return np.sum(y * x)


case(scalar_or_array, array("n"), True)


def nested(x, s, t):
    if s > 0:
        if t > 0:
            y = x * s
        else:
            y = x * t
        z = y * 2
    else:
        y = x
        if t > 0:
            z = y * s * t
        else:
            z = y - t
    return np.sum(y * z)


case(nested, array("n"), number(0.6), number(-0.8))


def ternary(x, s):
    y = x * s if s > 1 else x - s
    return np.sum(y * y) + (s if s < 0 else s ** 3)


case(ternary, array("n"), number(0.4))


def nested_ternary(s):
    return s ** 2 if s > 1 else np.sin(s) if s > 0 else -s


case(nested_ternary, number(0.4))


def return_per_branch(x):
    if np.sum(x) > 0:
        return np.sum(x ** 2)
    else:
        return np.sum(x ** 3)


case(return_per_branch, array("n"))


def return_per_branch_with_work_before(x, s):
    y = np.sin(x) * s
    if s > 1:
        z = y * y
        return np.sum(z)
    elif s > 0:
        return np.sum(y) * s
    else:
        return s


case(return_per_branch_with_work_before, array("n"), number(0.5))


def and_or_not(x, s):
    y = x
    if s > 0 and not s > 5:
        y = y * s
    if s < 0 or np.sum(x ** 2) > 0:
        y = y + s
    return np.sum(y * y)


case(and_or_not, array("n"), number(0.5))


def chained_comparison(x, s):
    if -1 < s <= 0.5 < 2:
        y = x * s
    else:
        y = x
    return np.sum(y ** 2)


case(chained_comparison, array("n"), number(0.3))


def option_string(x, kind):
    if kind == "l1":
        loss = np.sum(np.abs(x))
    elif kind in ("l2", "ridge"):
        loss = np.sum(x ** 2)
    else:
        loss = np.max(x)
    return loss


case(option_string, array("n"), "ridge")


def option_none(x, weights):
    if weights is None:
        return np.sum(x ** 2)
    else:
        return np.sum(weights * x ** 2)


case(option_none, array("n"), None)


def truth_of_an_int(x, k):
    y = x * x
    if k:
        y = y * k
    if not k:
        y = y + x
    return np.sum(y)


case(truth_of_an_int, array("n"), count("k"))


def condition_overwritten_afterwards(x, s):
    if s > 0:
        y = x * s
        s = -1.0
    else:
        y = x
        s = s * 2
    return np.sum(y * s)


case(condition_overwritten_afterwards, array("n"), number(0.8))


def condition_on_a_mutated_array(x):
    y = x.copy()
    if y[0] > -100:
        y[0] = -200.0
        z = y * 2
    else:
        z = y * 3
    return np.sum(z * y)


case(condition_on_a_mutated_array, array("n"))


def empty_branch(x, s):
    if s > 0:
        pass
    else:
        x = x * 2
    return np.sum(x * s)


case(empty_branch, array("n"), number(1.5))


def one_sum_or_the_other_grows(x):
    u, w = x * 2, x ** 2
    y = np.cos(x)
    for k in range(2):
        u[...] = y * u
        if x[k] > 0:
            w[:] += y
        else:
            u[:] += y
        y = np.sin(u)
    return np.sum(u * x) + np.sum(w ** 2)


case(one_sum_or_the_other_grows, array("n"))
