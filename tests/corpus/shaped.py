"""Shapes and kinds that are other than they look: stores that drop axes, lists of two kinds, options by position, arrays of one entry."""

import numpy as np

from .case import array, case, number, positive


def rows_kept_of_a_recurrence(x, w):
    states = np.zeros((4, 3))
    h = np.zeros((1, 3))
    for t in range(4):
        h = np.tanh(x[t:t + 1] + h @ w)
        states[t] = h
    return np.sum(states**2)


case(rows_kept_of_a_recurrence, array("4 3"), array("3 3"), wrt=(0, 1))


def stores_that_drop_axes(x, a):
    out = np.zeros((3, 3))
    out[0] = a[:1] * 2
    out[1] = np.mean(a, axis=0, keepdims=True)
    out[2, :] = x[None, None, :] * x[0]
    row = np.zeros(3)
    row[:] = np.atleast_2d(x * 2)
    np.copyto(row, x[None] * row)
    row[1:2] = x[2:][None]
    out[0] += row
    return np.sum(out**3) + np.sum(row * x[0] * np.ones((1, 1)))


case(stores_that_drop_axes, array("3"), array("3 3"), wrt=(0, 1))


def argument_that_gets_a_row(x, y):
    x[:] = y[None] * 2
    x[:1] = y[:1][None] * x[1]
    return np.sum(x**2)


case(argument_that_gets_a_row, array("3"), array("3"), wrt=1)


def filled_with_a_row(x):
    return np.sum(np.full((2, 3), x[None]) ** 2) + np.sum(np.full_like(x, x[None] ** 2) ** 2)


case(filled_with_a_row, array("3"))


def entries_of_nested_lists_that_become_arrays(x, w):
    g = [[0.0] * 2 for _ in range(2)]
    g[0][0] = w * 2
    h = [[0.0] * 2 for _ in range(2)]
    for i in range(2):
        for j in range(2):
            h[i][j] += w * (i + j)
    return np.sum(g[0][0] * np.sum(x**2)) + np.sum(h[1][1] * x[0])


case(entries_of_nested_lists_that_become_arrays, array("3"), array("3"), wrt=(0, 1))


class Constants:
    size = np.array([1.0, 2.0, 3.0])
    shape = 2.5
    ndim = np.array([0.5, 0.25])

    @classmethod
    def spread(cls, x):
        return np.sum(np.sum(x**2) * cls.size)


def data_of_a_class_by_the_names_of_metadata(x):
    scaled = np.sum(x * Constants.shape) ** 2
    return np.sum(np.sum(x**2) * Constants.size) + scaled * np.sum(scaled * Constants.ndim) + Constants.spread(x)


case(data_of_a_class_by_the_names_of_metadata, array("3"))


def data_of_a_class_and_a_number(x):
    return np.sum(x**2 * Constants.size) * np.sum(x * Constants.ndim)


case(data_of_a_class_and_a_number, number(1.5))


DATA = np.array([0.3, 1.7, 0.9, 2.2, 1.1])
MATRIX = np.array([[2.0, 0.5, 0.1], [0.5, 3.0, 0.7], [0.1, 0.7, 1.5]])


def several_quantiles_of_data(x):
    q = np.quantile(DATA, [0.1, 0.5, 0.9])
    p = np.percentile(DATA, np.array([10.0, 50.0]), axis=0)
    return np.sum(np.sum(x**2) * q) + np.sum(x[0] * p)


case(several_quantiles_of_data, array("3"))


def joined_and_summed_along_no_axis(a, w, x):
    joined = np.concatenate([a, a], axis=None)
    return np.sum(joined.T * w) + np.sum(a.T.cumsum(axis=None) * x) + np.cumsum(a, axis=None) @ x


case(joined_and_summed_along_no_axis, array("2 3"), array("12"), array("6"), wrt=(0, 1, 2))


def only_entries(x, w):
    return (x[None] @ w[:, None]).item() ** 2 + np.sum(x, keepdims=True).item() ** 3 + (x.reshape(1, 3) @ w).item()


case(only_entries, array("3"), array("3"), wrt=(0, 1))


def only_entry_of_a_vector(x):
    return x.item() ** 2 * np.sum(x)


case(only_entry_of_a_vector, array("1"))


def only_entry_of_a_matrix(x):
    return np.sum(x) * x.item() ** 2


case(only_entry_of_a_matrix, array("1 1"))


def only_entry_without_dimensions(x):
    return x * x.item() ** 2


case(only_entry_without_dimensions, array(""))


def triangles_of_vectors(x, c):
    return np.sum(np.tril(c) * x) + np.sum((np.triu(np.ones(3)) * x) ** 2) + np.sum((np.tril(x * 2) @ c) ** 2)


case(triangles_of_vectors, array("3"), array("3"), wrt=(0, 1))


def one_part_of_a_decomposition(x):
    s = np.linalg.svd(MATRIX, compute_uv=False)
    s = s + s
    return np.sum(x * s[0]) + np.sum((2 * np.linalg.qr(MATRIX, mode="r"))[0] * x**2)


case(one_part_of_a_decomposition, array("3"))


def options_by_position(x):
    return np.sum(x * np.max(MATRIX, 1, None, True)) + np.sum(np.sin(x) * np.sum(MATRIX, 0, None, None, True))


case(options_by_position, array("3"))


def ranks_by_option(x):
    return np.sum(np.sin(x) * np.array([1.0, 2.0, 3.0], ndmin=2)) + np.sum((np.ones_like(x, shape=(3, 3)) * x) ** 2)


case(ranks_by_option, array("3"))


def kept_dimensions_as_a_number(a):
    shares = a / np.sum(a, axis=1, keepdims=1)
    spread = np.linalg.norm(a, axis=1, keepdims=1) * np.var(a, axis=0, keepdims=1) * np.max(a, axis=0, keepdims=1)
    return np.sum(shares**2) + np.sum(spread) + np.sum(a, keepdims=0) ** 2


case(kept_dimensions_as_a_number, positive("3 3"))


def transposed_vector(x):
    return np.sum(np.transpose(x, 0) ** 2) + np.sum(x.transpose(0) * x.transpose((0,)) ** 2)


case(transposed_vector, array("n"))


def shape_that_is_found_out(x, y, shape, size):
    product = np.reshape(x, shape) * np.reshape(y, shape)
    return np.sum(product**2) + np.sum((x.reshape(size, 2) * y.reshape(size, 2)) ** 3)


case(shape_that_is_found_out, array("2"), array("4"), (-1, 2), -1, wrt=(0, 1))


def shorter_and_longer(x, y):
    short, long = (x, y) if len(x) < len(y) else (y, x)
    return np.sum(np.sin(short[1:]) * np.cos(long[1:])) + np.sum(short[-1:] * long)


case(shorter_and_longer, array("2"), array("4"), wrt=(0, 1))


def longer_than_what_is_left(x):
    w = np.zeros(len(x[3:]) + 2) + 1.0
    return np.sum((np.sin(x[1:]) * w) ** 2)


case(longer_than_what_is_left, array("2"))


def tuple_for_an_index(m, x):
    at, rows, where = (0, 1), [0, 1], (slice(0, 2), 1)
    return np.sum(m[at] * x) + np.sum(m[rows] * x) + np.sum(m[where] ** 2)


case(tuple_for_an_index, array("3 3"), array("3"), wrt=(0, 1))


def result_without_dimensions(x):
    w = np.zeros(1)
    for i in range(4):
        w[:] = w * x[i] + x[i] ** 2
    return w.squeeze()


case(result_without_dimensions, array("4"))


def changed_without_dimensions(x):
    z = np.ones(())
    for v in x:
        z[...] = z * v
    np.multiply(z, x[0], out=z)
    return z


case(changed_without_dimensions, array("4"))


def stored_without_dimensions(x):
    z = np.zeros(())
    z[...] = x[0] ** 2
    for v in x:
        z[()] += v**2
    if x[0] ** 2 >= 0:
        z[...] = z * x[1]
    return z


case(stored_without_dimensions, array("4"))


def argument_without_dimensions(x):
    z = x[()] ** 2
    x[...] = x * x * z
    return x + 1


case(argument_without_dimensions, array(""))


def values_repeated_or_cut_off(x):
    a = np.outer(x, x)
    np.put(a, np.array([[0, 1], [2, 3]]), x[:2].reshape(2, 1))
    np.put(a, [1, -1, 5], x[0] * 3)
    np.put(a, [6, 9, 7], x[:2])
    np.fill_diagonal(a, x[1:3])
    b = x * 1.0
    np.place(b, np.array([True, False, True, False]), x**2)
    np.place(b, np.array([True, True, True, False]), x[2:] * b[0])
    b.put(-1, x[1] ** 2)
    return np.sum(a**2 * np.arange(16.0).reshape(4, 4)) + np.sum(b**3)


case(values_repeated_or_cut_off, array("4"))


def names_of_builtins(x):
    len, min, list = 2.0, 3.0, []
    total = 0.0
    for v, w in zip(x[1:], x):
        total += v * min * w
        list.append(v * len)
    return total * list[-1]


case(names_of_builtins, array("4"))


def rebound_in_a_branch_not_taken(x):
    items = [x[0], x[1] * 2]
    if np.sum(x**2) < 0:
        items = sorted(items)
    items.append(items[-1] * x[2])
    return sum(v**2 for v in items)


case(rebound_in_a_branch_not_taken, array("4"))


def entries_under_keys_that_are_not_known(x, k, names):
    d = {}
    d[k] = x
    d["c"] = 1.0
    scaled = {name: x * len(name) for name in names}
    scaled["bias"] = 2.0
    total = np.sum(d[k] * x)
    for name in scaled:
        total = total + np.sum(scaled[name] ** 2)
    kept = {}
    for i in range(3):
        kept[f"h{i}"] = x[i] * i
    kept["loss"] = 0.0
    return total + sum(kept[f"h{i}"] * x[i] for i in range(3))


case(entries_under_keys_that_are_not_known, array("3"), "a", ["p", "q"])


def entry_of_one_path(x, k):
    d = {"a": 1.0}
    if k == "b":
        d["b"] = x
    env = {"x": x}
    env[k] = env["x"] * 2
    return np.sum(d[k] * x) + np.sum(env[k] * x)


case(entry_of_one_path, array("3"), "b")


def shape_of_another_rank_on_one_path(x, b):
    shape = () if b == 0 else (b, 3)
    longer = ()
    if b > 0:
        longer = (b,)
    return np.sum((np.ones(shape) + x) ** 2) + np.sum((np.zeros(longer + (3,)) + x) ** 3)


case(shape_of_another_rank_on_one_path, array("3"), 0)


def shape_of_another_rank_on_the_other_path(x, b):
    shape = () if b == 0 else (b, 3)
    rest = x.shape
    for _ in range(b):
        rest = rest[1:]
    return np.sum((np.ones(shape) + x) ** 2) + np.sum(np.ones(rest) * np.sum(x) * x)


case(shape_of_another_rank_on_the_other_path, array("3"), 1)


def assigned_in_a_comprehension_of_counts(x, b):
    total, n = 0, 1
    parts = [total := total + k for k in [1, 2, 3]]
    y = x * n
    widths = [n := k + 1 for k in range(b + 1)]
    return np.sum(x) * total * parts[1] + np.sum((np.ones((n, 3)) * y) ** 2) * widths[0]


case(assigned_in_a_comprehension_of_counts, array("3"), 1)


def keys_that_are_equal(x):
    d = {"a": x, "a": x * x}  # noqa: F601
    e = {1: x, 1.0: x * x, 2: 3.0}  # noqa: F601
    return np.sum(d["a"]) + np.sum(e[True] * x) * e[2]


case(keys_that_are_equal, array("3"))


def changed_by_half_a_sentence(x, b):
    shape, kept = [3], []
    b and shape.insert(0, b)
    b or kept.append(x[0])
    kept.append(x[1]) if b else None
    kept.append(x[2])
    return np.sum((np.ones(shape) * x) ** 2) * kept[0]


case(changed_by_half_a_sentence, array("3"), 2)


def options_of_products(x):
    return np.sum(np.outer(x, b=x * x) ** 2) + np.sum(np.ascontiguousarray(x[0] * x[1]) ** 2)


case(options_of_products, array("3"))


def parts_that_become_arrays(x):
    h = [1.0, 2.0]
    h[-1] = x
    h[-2] = h[-1] * x
    return np.sum(h[0] * h[1])


case(parts_that_become_arrays, array("3"))


def the_larger_of_two_kinds(x, k):
    a = np.full(3, max(k, 0.5))
    return a.sum() * x + np.sum(a * min(k, 2.5)) * x**2


case(the_larger_of_two_kinds, number(1.5), 3)


def chosen_by_a_part(x, a, y):
    y[...] = np.where(y > 0.9, np.log1p(x[0] ** 2), y)
    for k in range(2):
        a[:, k] = np.where(y[:3] > 0.1, x[1:4], 0.5)[None]
        a[:, k + 1] *= a[:, k]
    return np.sum(np.sin(a))


case(chosen_by_a_part, array("4"), array("3 3"), array("5"))
