"""Calls that change something, in the middle of what others read: everything is asked when Python asks it."""

from __future__ import annotations

import numpy as np

from .case import array, case


def draws(x):
    rng = np.random.default_rng(7)
    y = x * 1.0
    for _ in range(3):
        y[rng.integers(3)] *= x[rng.integers(3)] * rng.normal()
    y[rng.random(len(x)) > 0.5] *= x[0]
    kept = np.where(rng.random(len(x)) > 0.3, x**2, x)
    return x[rng.integers(3)] ** 2 * x[rng.integers(3)] + np.sum(kept * y) * rng.uniform(0.5, 1.0)


case(draws, array("n"))


def shuffled_rows(x):
    rng = np.random.default_rng(3)
    total = 0.0
    for v in x[rng.permutation(len(x))]:
        total = total * v + x[rng.integers(2)] * rng.choice([1.0, 2.0])
    return total + np.sum(np.roll(x, rng.integers(3)) * x)


case(shuffled_rows, array("n"))


def taken_from_an_iterator(x):
    turns = iter([2, 0, 1, 1])
    y = x * 1.0
    y[next(turns)] *= x[next(turns)]
    return y[next(turns)] ** 2 * y[next(turns)]


case(taken_from_an_iterator, array("n"))


def two_counters(x):
    def counter(start):
        total = start

        def add(v):
            nonlocal total
            total = total * v + 1.0
            return total

        return add

    one, other = counter(x[0]), counter(x[1])
    return one(x[2]) * other(x[0]) * one(x[1]) + other(x[2])


case(two_counters, array("n"))


def name_of_its_own(x):
    c = x[0]

    def doubled():
        c = x[1]

        def up():
            nonlocal c
            c = c * 2

        up()
        return c

    return c * doubled() * c


case(name_of_its_own, array("n"))


def updated_beside_a_call(x):
    y = x * 1.0

    def squared(i):
        y[i] = y[i] ** 2
        return y[i]

    def moved(i):
        y[:] = y * 2
        return i

    y[0] += squared(0)
    y[1] *= 2.0 * squared(1) - y[1]
    y[moved(2)] *= y[0]
    return np.sum(y) + y[0] * squared(0) * y[0]


case(updated_beside_a_call, array("n"))


def square_in_place(y, i):
    y[i] = y[i] ** 2
    return y[i]


def helper_in_an_expression(x):
    y = x * 1.0
    y[0] += square_in_place(y, 0)
    table = {"a": y[1], "b": square_in_place(y, 1), "c": y[1]}
    return y[0] * square_in_place(y, 0) * y[0] + table["a"] * table["b"] + table["c"]


case(helper_in_an_expression, array("n"))


def grown(items):
    items.append(items[-1] * 2)
    return items


def noted(table, value):
    table["k"] = value
    return 3


def grown_in_a_condition(x):
    y, table = [x[0]], {}
    if len(grown(y)) > 1:
        y[0] = y[0] * x[1]
    total = y[-1] * len(grown(y)) * y[-1] + y[len(grown(y)) - 1]
    assert noted(table, x[1] ** 2) == 3
    return total * table["k"] + (y + [grown(y)[-1]])[-1]


case(grown_in_a_condition, array("n"))


def given_a_function(x):
    t = x[0]

    def inc():
        nonlocal t
        t = t * x[2]
        return t

    def apply(f, v, w=inc):
        f()
        return v * w()

    return apply(inc, t) * t


case(given_a_function, array("n"))


def read_before_in_a_loop(x):
    t = x[0]

    def inc():
        nonlocal t
        t = t * x[2]
        return t

    parts = [t * inc() for _ in range(2)]
    total = sum(t + inc() * v for v in x[:2])
    while t * inc() < 20 and total < 1e6 and len(parts) < 5:
        parts.append(t * total)
    return parts[0] * parts[1] * t + parts[-1] + total


case(read_before_in_a_loop, array("n"))


class Spring:
    def __init__(self, v):
        self.v = v

    def up(self, k):
        self.v = self.v * k
        return self.v

    def itself(self):
        return self


def attributes_between_calls(x):
    s = Spring(x[0])
    total = s.up(x[1]) * s.v * s.up(x[2]) + s.itself().v * s.up(x[1]) * s.itself().v
    up = s.up
    return total + s.v * up(x[0]) * s.v


case(attributes_between_calls, array("n"))


def attribute_bound_in_its_loop(x):
    s = Spring(x * 1.0)
    total = 0.0
    for i, v in enumerate(s.v):
        s.v = s.v * x[1]
        total = total + v * (i + 1) * s.v[0]
    for v in s.v:
        s.up(v)
    return total + np.sum(s.v)


case(attribute_bound_in_its_loop, array("n"))


def name_bound_in_its_loop(x):
    t = x * 1.0

    def double():
        nonlocal t
        t = t * 2

    for v in t:
        double()
        t[0] += v
    for v, w in zip(reversed(t), x):
        t = t * w
        t[0] += v
    return np.sum(t)


case(name_bound_in_its_loop, array("n"))


class Base:
    def __init__(self, a):
        self.a = a
        self.setup()

    def setup(self):
        self.k = self.a * 2


class Derived(Base):
    def setup(self):
        super().setup()
        self.a = self.a * self.k


def made_by_a_base(x):
    b = Derived(x[0])
    return b.a * b.k * x[1]


case(made_by_a_base, array("n"))


def owner_of_an_adjoint(x):
    z = x.copy()
    z[1] = 3.0
    y = z.copy()
    y += x
    u = x * 2
    w = u + 0.0
    w[0] = x[1]
    v = w.copy()
    v[:] += u
    return np.sum(y**2) + np.sum(v**3)


case(owner_of_an_adjoint, array("n"))


def two_names_then_a_store(x):
    y = x * 1.0
    z = y
    y = x * 2.0
    z[0] = x[1] * x[2]
    return np.sum(y * x) + np.sum(z * y)


case(two_names_then_a_store, array("n"))


def rotated(x, a):
    c, s = np.cos(x[0]), np.sin(x[0])
    r = x[0] * x[1]
    v = r
    turned = np.sum(np.array([[c, -s], [s, c]]) * a[:2, :2])
    return turned + v * v + np.sum(np.expand_dims(r, 0) * a[0]) + np.sum(np.reshape(r, (1,)) * a[1])


case(rotated, array("n"), array("n n"))


def transposed_parts(x):
    y = np.outer(x, x)
    w = y[1:].T
    v = w[0]
    y[1] = x * 2
    v[1] = x[0]
    pair = [x * 1.0, y]
    z = pair[0].T
    pair[0][1] = x[0]
    z[0] = x[2]
    return np.sum(w * w) + np.sum(v * y[0, : len(v)]) + np.sum(pair[0] * z)


case(transposed_parts, array("n"))


def matched_by_its_own_name(x):
    a = [x * 1.0, x * 2.0]
    match a:
        case [a, b]:
            total = np.sum(a * b**2)
        case _:
            total = 0.0
    return total


case(matched_by_its_own_name, array("n"))

COUNTS = {"n": 0}


def counted_outside(x):
    COUNTS["n"] = 0
    total = 1.0
    for i in range(3):
        COUNTS["n"] += 1
        total = total * x[i] * COUNTS["n"]
    return total


case(counted_outside, array("n"))


class Source:
    def __init__(self, v):
        self.v = v

    def sample(self, k):
        self.v = self.v * k
        return self.v


def named_as_a_draw(x):
    s = Source(x[0])
    t = Source(x * 1.0)
    return s.v * s.sample(x[1]) * s.v + np.sum(t.v.dot(t.sample(x[2])))


case(named_as_a_draw, array("n"))


def targets_in_turn(x):
    count = [0]
    y, z = x * 1.0, x * 2.0

    def turn():
        count[0] += 1
        z[0] = z[0] * y[0]
        return count[0]

    i = 0
    i, y[turn()] = 2, x[0] * x[1]
    y[0] = z[turn()] = x[1]
    a, *z[turn() - 2 :] = y[0] * i, x[1], x[2]
    return np.sum(y * i) + np.sum(z) * a


case(targets_in_turn, array("3"))


def bound_beside_a_call(x):
    y = x * 1.0

    def scaled(v):
        y[:] = y * v
        return y[1]

    a = x[0]
    total = a * (a := scaled(x[1])) * a
    rng = np.random.default_rng(2)
    b = x[2]
    return total + b * (b := b * rng.uniform(1.0, 2.0)) * b


case(bound_beside_a_call, array("n"))


def defaults_of_a_lambda(x):
    y = x * 1.0

    def scaled(v):
        y[:] = y * v
        return y[1]

    def apply(f, v):
        return f(v)

    return apply(lambda v, k=y[0]: v * k, scaled(x[2])) + y[0]


case(defaults_of_a_lambda, array("n"))


def draws_in_comprehensions(x):
    rng = np.random.default_rng(5)
    picked = np.array([x[rng.integers(3)] for _ in range(3)])
    weights = {k: x[rng.integers(3)] * rng.normal() for k in ("a", "b")}
    kept = np.where([rng.random() > 0.5 for _ in range(len(x))], x, x**2)
    means = np.mean([x[rng.integers(3, size=3)].mean() for _ in range(4)])
    return np.sum(picked**2) * means + weights["a"] * weights["b"] + np.sum(kept * x)


case(draws_in_comprehensions, array("n"))


def iterators_by_name(x):
    turns, k = iter([0, 1, 2, 0, 1, 2]), 1
    total = x[sum([next(turns), next(turns)])] * x[next(turns)] ** 2 * k
    pairs = zip([0, 1, 2], [2.0, 3.0, 4.0])
    for i, w in pairs:
        total = total * w + x[i]
    a, b, *rest = turns
    return total + x[a] * x[b] + sum(x[i] * w for i, w in zip(rest, rest))


case(iterators_by_name, array("n"))


def perhaps_a_view_before_a_break(x):
    y = x * 1.0
    for i in range(2):
        z = y.ravel()
        z *= 2.0
        if i == 1:
            break
        z[1] += 1.0
    return np.sum(y**2)


case(perhaps_a_view_before_a_break, array("n"))


def queue_of_what_is_still_read(x):
    rows = [x * (i + 1.0) for i in range(3)]
    rows[-1][0] = 3.0
    s = rows[-1]
    v = rows.pop()
    m = rows[1] * x
    total = (v + x) * s
    while rows:
        total = total + rows.pop(0)
    return np.sum((total + m) ** 2)


case(queue_of_what_is_still_read, array("n"))


def two_rows_of_one_adjoint(x):
    rows = [x * 1.0, x * 2.0, x * 3.0]
    for k in range(3):
        rows[k][k] *= x[0]
    a = rows.pop()
    b = rows.pop()
    total = a + b
    return np.sum(total**2) + np.sum(rows[0])


case(two_rows_of_one_adjoint, array("n"))


def list_then_an_array_by_one_name(x):
    means = []
    for b in range(3):
        means.append(x[b] ** 2)
    means = np.array(means)
    rows = []
    for b in range(3):
        rows.append(x * b)
    rows = np.stack(rows)
    rows = rows / np.sum(rows)
    return np.sum(means**2) + np.max(means) + np.sum(rows**2) * np.std(means)


case(list_then_an_array_by_one_name, array("n"))


def lists_given_for_arrays(x):
    chain = []
    for v in x:
        chain.append(v * 2.0)
    one = [x[0]]
    return np.var(chain) + np.add(chain, chain)[0] + np.sum(np.square(one)) + np.linalg.norm(chain) + np.sum(np.multiply(2, chain) * x)


case(lists_given_for_arrays, array("n"))


def multiplied_by_itself_under_another_name(x):
    y = x + 0.0
    z = y[:]
    z *= y
    w = x
    u = w.T
    u *= w
    return np.sum(np.sin(z)) + np.sum(np.cos(u))


case(multiplied_by_itself_under_another_name, array("n"))


class Tuned:
    k = 2.0

    def __init__(self, v):
        self.v = v

    def up(self, k):
        self.k = k
        return k


def attribute_of_the_class_until_it_is_stored(x):
    s, t = Tuned(x[0]), Tuned(x[1])
    y = 1.0
    for i in range(3):
        y = y * s.k
        s.k = x[i]
    if x[0] > 100.0:
        t.k = x[1]
    return y * s.k * t.k * t.v + t.up(x[2]) * t.k


case(attribute_of_the_class_until_it_is_stored, array("n"))


def in_order(v):
    return v.sort()


def one_more(v):
    return np.add(v, 1.0, out=v)


def kept(found, v):
    return found.append(v)


def burnt(rng):
    return rng.random()


def doubled_in_place(v):
    v *= 2.0
    return v


def called_for_what_they_change(x):
    weights = np.array([3.0, 1.0, 2.0])
    in_order(weights)
    y = x * 1.0
    one_more(y)
    found = [1.0, 2.0]
    kept(found, 3.0)
    rng = np.random.default_rng(0)
    burnt(rng)
    turned = lambda v: np.negative(v, v)  # noqa: E731
    turned(weights)
    weights[0] = np.nan
    cleaned = np.nan_to_num(weights, copy=False)
    return np.sum(weights * y) * found[2] * rng.random() + np.sum(cleaned)


case(called_for_what_they_change, array("3"))


def mapped_over_what_it_changes(x):
    parts = [x * 1.0, x * 2.0]
    for part in map(doubled_in_place, parts):
        part += 0.5
    return np.sum(parts[0] * parts[1])


case(mapped_over_what_it_changes, array("n"))


def counted_as_it_is_changed(x):
    parts = [x * 1.0, x * 2.0]
    n = len(list(map(doubled_in_place, parts)))
    return np.sum(parts[0] * parts[1]) * n


case(counted_as_it_is_changed, array("n"), may_refuse=True)
