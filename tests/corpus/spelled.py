"""Loops inside expressions, functions inside functions, assignments inside expressions: what desugars."""

import itertools

import numpy as np

from .case import array, case, count, number, positive


def list_comprehension(x):
    parts = [np.sin(v) ** 2 for v in x]
    return parts[0] * parts[-1] + sum(parts)


case(list_comprehension, array("n"))


def filtered_comprehension(x, level):
    return sum([v ** 2 * level for v in x if v > 0.1 if v < 1.5])


case(filtered_comprehension, array("n"), number(0.4))


def comprehension_without_items(x):
    parts = [v * 2 for v in x if v > 1e6]
    return np.sum(np.array(parts)) + len(parts) + np.sum(x)


case(comprehension_without_items, array("n"))


def nested_comprehension(x, y):
    table = np.array([[v * w + i for w in y] for i, v in enumerate(x)])
    return np.sum(table ** 2 @ y)


case(nested_comprehension, array("n"), array("m"))


def comprehension_over_two_loops(x):
    products = np.array([x[i] * x[j] for i in range(len(x)) for j in range(i)])
    return np.sum(products ** 2)


case(comprehension_over_two_loops, array("n"))


def comprehension_of_arrays(w, x):
    hidden = [np.tanh(row * x) for row in w]
    return np.sum(np.stack(hidden)[1:] * hidden[0]) + np.max(np.concatenate(hidden))


case(comprehension_of_arrays, array("m n"), array("n"))


def comprehension_in_a_loop(x, k):
    total = 0.0
    for i in range(k):
        parts = [v * (i + 1) for v in x if v * i < 1.0]
        total = total + np.sum(np.array(parts) ** 2) * 0.1
    return total


case(comprehension_in_a_loop, array("n"), count("k"))


def comprehension_under_a_branch(x, s):
    if s > 0:
        y = np.array([v * s for v in x])
    else:
        y = x
    return np.sum(y * x)


case(comprehension_under_a_branch, array("n"), number(0.6))


def comprehension_of_one_name(x):
    v = x[0] * 3
    x = [v * 2 for v in x]
    return v * sum(x) + sum(sum(v for v in x) * v for v in x)


case(comprehension_of_one_name, array("n"))


def generators(x, y):
    return sum(v * w for v, w in zip(x, y)) + max(v ** 2 for v in x) * min(np.exp(w) for w in y)


case(generators, array("n"), array("n"))


def generators_of_truth(x):
    if any(v > 0.5 for v in x) and not all(v < 0 for v in x):
        return np.sum(x ** 2)
    return np.sum(x)


case(generators_of_truth, array("n"))


def generator_with_a_start(x, s):
    return sum((v ** 2 for v in x), s) * s


case(generator_with_a_start, array("n"), number(0.6))


def dict_comprehension(p, rate):
    stepped = {name: value - rate * value ** 2 for name, value in p.items()}
    return np.sum(stepped["w"] ** 2) * stepped["b"]


case(dict_comprehension, {"w": array("n"), "b": number(0.7)}, number(0.1))


def dict_comprehension_over_literals(x):
    powers = {k: np.sum(x ** k) for k in (1, 2, 3)}
    return powers[1] * powers[2] + powers[3]


case(dict_comprehension_over_literals, array("n"))


def appended_in_branches(x):
    parts = []
    for i in range(len(x)):
        if x[i] > 0:
            parts.append(np.sin(x[i]))
        elif len(parts) > 1:
            parts.append(parts[-1] * x[i])
    return np.sum(np.array(parts) ** 2) + sum(parts) + x[0]


case(appended_in_branches, array("n"))


def appended_until_a_break(x):
    parts = [x[0]]
    for v in x:
        if len(parts) > 3:
            break
        parts.append(parts[-1] * v + np.cos(v))
    total = 0.0
    for p in parts:
        total = total * 0.5 + p
    return total * max(parts)


case(appended_until_a_break, array("n"))


def trajectory(x, dt, k):
    states = [x]
    for _ in range(k):
        x = x + dt * np.sin(x)
        states.append(x)
    path = np.stack(states)
    return np.sum((path[1:] - path[:-1]) ** 2) + np.sum(states[1] * states[0])


case(trajectory, array("n"), number(0.1), count("k"))


def rows_of_rows(x):
    rows = []
    for i in range(3):
        row = []
        for v in x:
            row.append(v * (i + 1) * x[i % len(x)])
        rows.append(row)
    return np.sum(np.array(rows) @ x)


case(rows_of_rows, array("n"))


def lambdas(x, s):
    square = lambda v, scale=s: scale * v ** 2  # noqa: E731
    return np.sum(square(x)) + square(x[0], scale=x[1]) + (lambda v: v * s)(x[2])


case(lambdas, array("n"), number(0.6))


def applied(f, v, times=2):
    for _ in range(times):
        v = f(v)
    return v


def lambda_as_an_argument(x, s):
    return np.sum(applied(lambda v: np.sin(v) * s, x)) + applied(lambda v: v * v, s, times=3)


case(lambda_as_an_argument, array("n"), number(0.6))


def inner_function(x, s):
    scale = x[0]

    def layer(v, power=2, *, shift=s):
        w = v ** power * scale
        if np.sum(w) > 3:
            return w * shift
        return w

    scale = scale * x[1]
    return np.sum(layer(x)) + np.sum(layer(x * 2, power=3))


case(inner_function, array("n"), number(0.6))


def inner_function_reads_what_is_there_now(x):
    y = 1.0
    total = 0.0

    def scaled():
        return y * total + y

    for v in x:
        z = y * 2
        y = scaled() * v + 0.1 * z
        total = total + y
    return total


case(inner_function_reads_what_is_there_now, array("n"))


def inner_function_with_nonlocal(x):
    total = 0.0
    calls = 0

    def add(v):
        nonlocal total, calls
        calls += 1
        total = total + v * total + v * calls

    for v in x:
        add(v)
    add(x[0])
    return total


case(inner_function_with_nonlocal, positive("n"))


def inner_function_with_a_loop(x):
    def first(level):
        for v in x:
            if v > level:
                return v * level
        return level

    total = 0.0
    for k in range(3):
        total = total + first(0.3 * k) * first(0.1)
    return total


case(inner_function_with_a_loop, array("n"))


def inner_functions_of_inner_functions(x):
    def outer(v):
        def inner(w):
            return w * v + x[0]
        return inner(v) * inner(2.0)

    return outer(x[1]) + outer(x[2])


case(inner_functions_of_inner_functions, array("n"))


def walrus(x):
    y = (z := x * 2) * x
    if (s := np.sum(y)) > 0:
        z = z * s
    return np.sum(y * z) * s


case(walrus, array("n"))


def walrus_in_conditions(x):
    total = 0.1
    if (m := x[0] * x[1]) > -100 and (q := m * x[2]) > -50:
        total = total + q
    while (y := x[1] ** 2 + total) < 3 and len(x) > 0:
        total = total + y * 0.3 + 0.4
    return total * y * m


case(walrus_in_conditions, array("n"))


def walrus_in_a_comprehension(x):
    return sum([y * v for v in x if (y := v ** 2) > 0.1])


case(walrus_in_a_comprehension, array("n"))


def short_circuit_values(x, s, scale=None):
    scale = scale or s
    y = x[0] and x[1] or x[2]
    return np.sum(x) * scale * y


case(short_circuit_values, array("n"), number(0.6))


def starred_targets(x):
    first, *rest = x
    *start, last = x * 2
    (a, *b), c = (first, x[1], x[2]), last
    return first * sum(rest) + last * np.sum(np.array(start) ** 2) + a * b[1] * c


case(starred_targets, array("n"))


def deleted_names(x):
    y = x ** 2
    del x
    return np.sum(y)


case(deleted_names, array("n"))


SCALE = 3.0


def global_reads(x):
    global SCALE
    return np.sum(x ** 2) * SCALE


case(global_reads, array("n"))


def imports_inside(x):
    import math

    from numpy import cos as cosine
    return math.sin(x[0]) * np.sum(cosine(x))


case(imports_inside, array("n"))


def silenced(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.where(x > 0, np.log(np.abs(x)), x)
        if np.sum(y) > 1e3:
            return np.sum(y)
    return np.sum(y * x)


case(silenced, array("n"))


def crossed(x, y):
    total = 0.0
    for v, w in itertools.product(x, y):
        total = total + v * w ** 2
    for i, j in itertools.product(range(2), range(3)):
        total = total * x[i] + y[j]
        if total > 2:
            break
    for v, w in itertools.product(x, repeat=2):
        total = total + np.sin(v * w)
    return total


case(crossed, array("n"), array("m"))


def chained(x, s):
    total = 1.0
    for v in itertools.chain(x, x[:2] ** 2, [s, 2.0]):
        total = total * np.cos(v)
    return total


case(chained, array("n"), number(0.6))


def sorted_keys(p):
    total = 0.0
    for key in sorted(p):
        total = total * 0.5 + np.sum(p[key] ** 2)
    for name in sorted(p.keys(), reverse=True):
        total = total * np.sum(p[name])
    return total


case(sorted_keys, {"b": number(0.7), "a": array("n")})


def numbered_pairs(x, y):
    total = 0.0
    for i, (v, w) in enumerate(zip(x, reversed(y)), start=1):
        if i == 4:
            break
        total += v * w * i
    return total


case(numbered_pairs, array("n"), array("n"))


def running_sums(x):
    sums = [0.0]
    for v in x:
        sums.append(sums[-1] + v ** 2)
    sums = sums[1:]
    return np.sum(np.array(sums) * x)


case(running_sums, array("n"))


def constants_among_items(x):
    parts = []
    for v in x:
        parts.append(v)
        if v > 0.5:
            parts.append(2.0)
    parts.append(1.5)
    same = parts
    return np.sum(np.exp(np.array(same))) * parts[0]


case(constants_among_items, array("n"))


def filled_and_kept(x):
    parts = []
    for i in range(len(x) - 1):
        y = np.zeros(3)
        y[0] = x[i]
        y[1] += x[i + 1] ** 2
        parts.append(y)
    return np.sum(np.array(parts) ** 3) + np.sum(parts[0])


case(filled_and_kept, array("n"))


def inner_function_that_stores(x):
    def fill(a, b=x[0]):
        a[0] = b
        return a

    y = x * 1.0
    fill(y)
    return np.sum(y ** 2)


case(inner_function_that_stores, array("n"))


def function_of_the_trip(x):
    for i in range(2):
        scaled = lambda v: v * (i + 1)  # noqa: B023, E731
        x = scaled(x) + np.sin(x)
    return np.sum(x)


case(function_of_the_trip, array("n"))


def inner_function_in_conditions(x, s):
    def size(v):
        w = v ** 2
        return np.sum(w) + s

    while size(x) < 9 and len(x) > 0:
        x = x * 1.3
    if x[0] > 1e3 or size(x) > 2:
        return size(x) * s
    return s


case(inner_function_in_conditions, array("n"), number(0.7))


def a_loop_variable_that_carried_something_before(x, s):
    """The second loop binds ``v`` anew: nothing of what it does goes to the last item of ``x``."""
    total = 1.0
    for v in x:
        total = total + v ** 2
    for v in [s, 2.0]:
        total = total * v
    for i, v in enumerate(x):
        total = total - v * i
    i = s * 2
    for i in range(2, 4):
        total = total * i
    return total * v * i


case(a_loop_variable_that_carried_something_before, array("n"), number(0.7), wrt=0)


def a_loop_over_nothing_keeps_its_variable(x):
    v = x[0] ** 2
    for v in range(0):
        x = x * v
    return np.sum(x) * v


case(a_loop_over_nothing_keeps_its_variable, array("n"))
