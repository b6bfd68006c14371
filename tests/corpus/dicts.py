"""Dicts that are filled in loops, and sets."""

import numpy as np

from .case import array, case, number


def squares(d):
    return np.sum(d["w"] ** 2) + np.sum(d["b"]) * d["c"]


def descended(p, lr):
    new = {}
    for k in p:
        new[k] = p[k] - lr * p[k] ** 2
    return new


def sgd(p):
    g = {"w": np.ones_like(p["b"]), "b": p["w"] * 2, "c": 1.0}
    new = {}
    for k in p:
        new[k] = p[k] - 0.1 * g[k] * p[k]
    return np.sum(new["w"] * new["b"]) * new["c"]


case(sgd, {"w": array("n"), "b": array("n"), "c": number(0.7)})


def sgd_items(p):
    new = {}
    for k, v in p.items():
        new[k] = v * 2 + 1
    return np.sum(new["w"] * new["b"]) * new["c"]


case(sgd_items, {"w": array("n"), "b": array("n"), "c": number(0.7)})


def sgd_helper(p):
    new = {}
    for k in p:
        new[k] = p[k] * 2
    return squares(new)


case(sgd_helper, {"w": array("n"), "b": array("n"), "c": number(0.7)})


def dict_memo(x):
    memo = {0: x[0], 1: x[1]}
    for i in range(2, 6):
        memo[i] = memo[i - 1] * x[2] + memo[i - 2] * x[3]
    return memo[5]


case(dict_memo, array("n"))


def dict_int_keys(x):
    d = {}
    for i in range(4):
        d[i] = x[i] ** 2
    return d[0] * d[1] + d[3]


case(dict_int_keys, array("n"))


def dict_in(x):
    d = {}
    for i in range(4):
        k = i % 2
        if k in d:
            d[k] = d[k] + x[i]
        else:
            d[k] = x[i] ** 2
    return d[0] * d[1]


case(dict_in, array("n"))


def dict_tuple_keys(x):
    d = {}
    for i in range(2):
        for j in range(2):
            d[i, j] = x[i] * x[2 + j]
    return d[0, 0] * d[1, 1] + d[0, 1] ** 2


case(dict_tuple_keys, array("n"))


def dict_accumulate(x):
    d = {"a": 0.0, "b": 0.0}
    for i in range(4):
        k = "a" if i % 2 else "b"
        d[k] += x[i] ** 2
    return d["a"] * d["b"]


case(dict_accumulate, array("n"))


def param_loop_store(p):
    for k in ["w", "b"]:
        p[k] = p[k] ** 2
    return np.sum(p["w"] * p["b"])


case(param_loop_store, {"w": array("n"), "b": array("n"), "c": number(0.7)})


def rebuilt(p):
    state = p
    for _ in range(3):
        state = {k: v * 0.9 + 0.1 * v ** 2 for k, v in state.items()}
    return np.sum(state["w"] * state["b"]) * state["c"]


case(rebuilt, {"w": array("n"), "b": array("n"), "c": number(0.7)})


def helper_updates(p):
    for _ in range(3):
        p = descended(p, 0.1)
    return np.sum(p["w"] * p["b"]) * p["c"]


case(helper_updates, {"w": array("n"), "b": array("n"), "c": number(0.7)})


def keys_sorted(p):
    out = []
    for k in sorted(p):
        out.append(np.sum(p[k] ** 2))
    return out[0] * out[1] + out[2]


case(keys_sorted, {"w": array("n"), "b": array("n"), "c": number(0.7)})


def len_dict(p):
    new = {}
    t = 0.0
    for k in p:
        new[k] = p[k] * 2
        t = t + np.sum(new[k]) * len(new) * t + np.sum(new[k] ** 2)
    return t


case(len_dict, {"w": array("n"), "b": array("n"), "c": number(0.7)})


def items_of_new(p):
    new = {}
    for k in p:
        new[k] = p[k] * 2
    t = 0.0
    for k, v in new.items():
        t += np.sum(v ** 2)
    for v in new.values():
        t += np.sum(v ** 3)
    return t + sum(np.sum(v) for v in new.values())


case(items_of_new, {"w": array("n"), "b": array("n"), "c": number(0.7)})


def overwrite_shape(p):
    new = {"a": p["w"]}
    k = "a"
    t = np.sum(new[k] ** 2)
    new[k] = p["c"] * 2
    t = t * new[k]
    new[k] = np.outer(p["w"], p["b"])
    return t * np.sum(new[k])


case(overwrite_shape, {"w": array("n"), "b": array("n"), "c": number(0.7)})


def in_test(p):
    new = {}
    t = 1.0
    for k in ["w", "b", "w", "c"]:
        if k in new:
            t = t * np.sum(new[k])
        new[k] = p[k] ** 2
        if len(new) > 1:
            t = t + np.sum(new[k])
    return t


case(in_test, {"w": array("n"), "b": array("n"), "c": number(0.7)})


def alias_dict(p):
    new = {}
    other = new
    for k in p:
        new[k] = p[k] * 2
    return np.sum(other["w"] * other["b"])


case(alias_dict, {"w": array("n"), "b": array("n"), "c": number(0.7)})


def swap_dicts(p):
    a = {k: p[k] * 1.0 for k in p}
    b = {k: p[k] * 2.0 for k in p}
    for _ in range(3):
        for k in p:
            b[k] = a[k] ** 2 * 0.5 + b[k]
        a, b = b, a
    return np.sum(a["w"] * b["b"]) * a["c"]


case(swap_dicts, {"w": array("n"), "b": array("n"), "c": number(0.7)})


def nested_dict(x):
    d = {"l0": {"w": x * 1.0}, "l1": {"w": x * 2.0}}
    for name in ["l0", "l1"]:
        d[name]["w"] = d[name]["w"] ** 2
    return np.sum(d["l0"]["w"] * d["l1"]["w"])


case(nested_dict, array("n"))


def new_nested(x):
    d = {}
    for i in range(3):
        d[i] = {"a": x[i] ** 2, "b": x[i + 1]}
    return d[0]["a"] * d[1]["b"] + d[2]["a"]


case(new_nested, array("n"))


def list_of_dicts(x):
    ps = [{"w": x * 1.0, "b": x[0]}, {"w": x ** 2, "b": x[1]}]
    new = []
    for q in ps:
        e = {}
        for k in q:
            e[k] = q[k] * 2
        new.append(e)
    return np.sum(new[0]["w"] * new[1]["w"]) * new[0]["b"] * new[1]["b"]


case(list_of_dicts, array("n"))


def counters(x):
    count = {}
    t = 0.0
    for i in [0, 1, 0, 2, 0]:
        count[i] = count.get(i, 0) + 1
        t += x[i] ** count[i]
    return t


case(counters, array("n"))


def len_index(x):
    seen = set()
    t = 1.0
    for i in [0, 1, 1, 2]:
        seen.add(i)
        t = t * x[len(seen)] ** 2 + x[0]
    return t


case(len_index, array("n"))


def set_ops(x):
    s = set()
    t = 1.0
    for i in range(4):
        if i % 2 == 0:
            s.add(i)
        else:
            s.discard(i - 1)
        if len(s) > 0:
            t = t * x[i]
        else:
            t = t + x[i] ** 2
    s.clear()
    return t


case(set_ops, array("n"))


def set_literal_ops(x):
    s = {0, 1} | {3}
    t = 1.0
    for i in sorted(s):
        t = t * x[i] + x[i]
    return t


case(set_literal_ops, array("n"))


def set_comp(x):
    s = {i % 3 for i in range(5)}
    t = 1.0
    for i in sorted(s):
        t = t * x[i] + x[i]
    return t


case(set_comp, array("n"))


def sets_update(x):
    s = set()
    t = 1.0
    for i in range(3):
        s.update([i, i + 1])
        if 2 in s:
            t = t * x[i]
        t = t + x[len(s) - 1] ** 2
    return t


case(sets_update, array("n"))


def set_visited(x):
    seen = set()
    t = 0.0
    for i in [0, 1, 0, 2]:
        if i not in seen:
            t += x[i] ** 2
            seen.add(i)
    return t


case(set_visited, array("n"))


def dict_get(p):
    return np.sum(p.get("w")) * p.get("c", 0.0) + p.get("zz", 1.0) * np.sum(p["b"])


case(dict_get, {"w": array("n"), "b": array("n"), "c": number(0.7)})


def dict_setdefault(p):
    d = {}
    d.setdefault("a", np.sum(p["w"]))
    d.setdefault("a", p["c"])
    return d["a"] ** 2


case(dict_setdefault, {"w": array("n"), "b": array("n"), "c": number(0.7)})


def dict_update(p):
    d = {"w": p["w"] * 2}
    d.update({"b": p["b"], "w": p["w"] ** 2})
    return np.sum(d["w"] * d["b"])


case(dict_update, {"w": array("n"), "b": array("n"), "c": number(0.7)})


def dict_sums(x):
    sums = {}
    for k in range(4):
        sums[k % 2] = sums.get(k % 2, 0.0) + x[k] ** 2
    return sums[0] * sums[1]


case(dict_sums, array("n"))


def sum_of_values(x):
    sums = {}
    for e in x:
        key = "large" if e > 0.5 else "small"
        sums[key] = sums.get(key, 0.3) * e
    return sum(sums.values())


case(sum_of_values, array("n"))


def sum_of_arrays(x):
    parts = {"a": x * 2, "b": x ** 2}
    return np.sum(sum(parts.values()) ** 2)


case(sum_of_arrays, array("n"))


def largest_of_values(x):
    parts = {"a": x[0] * 2, "b": x[1] ** 2 - 3}
    return max(parts.values()) * min(parts.values())


case(largest_of_values, array("n"))


def keys_that_are_tuples(x):
    m, key = {}, (0, 1)
    m[key] = x[0] ** 2
    m[key] += x[1] ** 3
    table = {(i, j): x[i] * x[j] for i in range(3) for j in range(3)}
    table[0, 1] = table[1, 0] ** 2
    return m[key] ** 2 + sum(table.values())


case(keys_that_are_tuples, array("n"))
