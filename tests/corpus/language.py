"""The rest of the language: targets, docstrings, print, assert, logic, annotations."""

from __future__ import annotations

import numpy as np

from .case import array, case, number


def tuple_targets(s, t):
    a, b = s * t, s - t
    a, b = b, a * b
    (c, d), e = (a, b), a * b
    return a * b + c * d * e


case(tuple_targets, number(0.7), number(1.8))


def chained_targets(x):
    a = b = x * 2
    c = d = np.sum(a)
    return np.sum(a * b) + c * d


case(chained_targets, array("n"))


def augmented_targets(s):
    a = s
    a += s * a
    a -= 1
    a *= s
    a /= 2 + s
    a **= 2
    return a


case(augmented_targets, number(0.9))


def documented(x):
    """The sum of squares.

    A docstring over several lines, with "quotes" and a back\\slash.
    """
    "a string that stands alone"
    return np.sum(x ** 2)


case(documented, array("n"))


def printing(x):
    y = np.sum(x)
    print("the sum is", y)
    print(f"and its square {y ** 2:.3f} {len(x)!r}", end="\n", flush=True)
    return y ** 2


case(printing, array("n"))


def printing_in_a_loop(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i] ** 2
        if i % 2 == 0:
            print(i, total)
    return total


case(printing_in_a_loop, array("n"))


def asserting(x, s):
    assert s > 0, f"s must be positive, not {s}"
    assert x.ndim == 1
    return np.sum(x * s)


case(asserting, array("n"), number(0.5))


def annotated(x: np.ndarray, s: float = 2.0) -> float:
    y: np.ndarray = x * s
    total: float = 0.0
    total += np.sum(y)
    return total * s


case(annotated, array("n"), number(0.5))


def logic(x, s):
    if s and not (s < 0 or s > 10) and x.shape[0] != 0:
        return np.sum(x) * s
    else:
        return np.sum(x)


case(logic, array("n"), number(0.5))


def comparisons(x, s):
    y = x * (x > 0) + x ** 2 * (x <= -0.1)
    if s == 1 or s != 2 or s is None or not s is not None:
        y = y * s
    return np.sum(y)


case(comparisons, array("n"), number(0.5))


def long_chain_of_comparisons(a, b):
    y = a * b
    if 0 < a < b < 3 > a:
        y = y * a
    return y


case(long_chain_of_comparisons, number(0.5), number(0.8))


def parentheses_and_precedence(x, y):
    return -x ** 2 * y - (x - (y - x)) / (y / (x * y)) + 2 ** -y ** 2 - -(+x)


case(parentheses_and_precedence, number(0.7), number(1.3))


def names_like_generated_ones(x_bar, x):
    t_bar = x_bar * x
    x_saved = np.sin(t_bar)
    x_saved[0] = x_saved[0] ** 2
    t = x_saved * t_bar
    value = np.sum(t)
    return value


case(names_like_generated_ones, array("n"), array("n"))


def names_of_builtins_and_helpers(sum, list, sum_to):
    len = np.sum(sum * list)
    np_zeros = len * sum_to
    return np_zeros ** 2


case(names_of_builtins_and_helpers, array("n"), array("n"), number(0.7))


def keyword_like_names(lambda_, class_):
    return lambda_ * class_ ** 2


case(keyword_like_names, number(0.7), number(1.2))


def unicode_names(α, β_1):
    Δ = α - β_1
    return np.sum(Δ ** 2)


case(unicode_names, array("n"), array("n"))


def semicolons_and_long_lines(x, y):
    a = x * y; b = a + x  # noqa: E702
    c = (
        a
        * b
    ) \
        + y
    return np.sum(
        c,
    )


case(semicolons_and_long_lines, array("n"), array("n"))


def none_and_booleans(x, flag=True, nothing=None):
    if flag is True and nothing is None:
        y = x * 2
    else:
        y = x
    return np.sum(y * y)


case(none_and_booleans, array("n"))


def integer_arithmetic(x):
    half, rest = len(x) // 2, len(x) % 2
    k = 2 ** half - rest
    return np.sum(x[:half]) * k + np.sum(x[half:] ** 2) / (k + 1)


case(integer_arithmetic, array("n"))


def constant_result(x):
    y = x * 0 + 1
    return np.sum(y) + 3


case(constant_result, array("n"))
