"""What is chosen or ordered by keys."""


from .case import array, case


def sorted_key(x):
    s = sorted(x, key=lambda v: -v)
    return s[0] + 2 * s[1] ** 2 + 3 * s[3]


case(sorted_key, array("n"))


def sorted_key_abs(x):
    s = sorted(x, key=abs)
    return s[0] + 2 * s[1] ** 2 + 3 * s[3]


case(sorted_key_abs, array("n"))


def sorted_pairs(x):
    pairs = [(x[i] ** 2, x[i]) for i in range(4)]
    s = sorted(pairs, key=lambda p: p[0])
    return s[0][1] + 2 * s[1][0] + 3 * s[3][1]


case(sorted_pairs, array("n"))


def list_sort(x):
    q = [v ** 2 for v in x]
    q.sort()
    return q[0] + 2 * q[1] + 3 * q[2] ** 2


case(list_sort, array("n"))


def max_key(x):
    m = max(x, key=abs)
    return m ** 2


case(max_key, array("n"))


def max_key_lambda(x):
    m = max([v ** 3 for v in x], key=lambda v: -v)
    return m ** 2


case(max_key_lambda, array("n"))


def max_key_range(x):
    i = max(range(4), key=lambda i: x[i])
    return x[i] ** 2


case(max_key_range, array("n"))


def min_default(x):
    return min([v ** 2 for v in x], default=0.0)


case(min_default, array("n"))
