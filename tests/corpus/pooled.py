"""Containers that change in ways that are not undone: lists in dicts that grow, entries that are taken out, slices stored into lists."""

from collections import OrderedDict, defaultdict, deque

import numpy as np

from .case import array, case


def groups_by_setdefault(x):
    groups = {}
    for i, v in enumerate(x):
        groups.setdefault(i % 2, []).append(v ** 2)
        if i > 1:
            groups[i % 2].append(groups[i % 2][0] * x[0])
    total = 0.0
    for key, values in groups.items():
        for v in values:
            total = total * 0.5 + v * (key + 1)
    return total * groups[1][-1] + sum(groups[0]) * len(groups)


case(groups_by_setdefault, array("n"))


def groups_of_a_default_dict(x):
    groups = defaultdict(list)
    for i in range(len(x)):
        for k in range(i):
            groups[k].append(x[i] * x[k])
    sums = sum(v for values in groups.values() for v in values)
    return sums * np.mean(np.array(groups[0])) + sum(sum(groups[k]) * k for k in groups) + len(groups[99]) + len(groups) * x[0]


case(groups_of_a_default_dict, array("n"))


def history_of_a_descent(x):
    history = {"loss": [], "weights": []}
    w = x * 1.0
    for _ in range(3):
        loss = np.sum(w ** 2)
        history["loss"].append(loss)
        history["weights"].append(w)
        w = w - 0.1 * w * loss
    return history["loss"][-1] + np.mean(history["loss"]) + np.sum(np.array(history["weights"])[1] * x)


case(history_of_a_descent, array("n"))


def signs_apart(x):
    found = {"positive": [x[0] ** 2], "negative": [1.0]}
    for v in x:
        found["positive" if v > 0 else "negative"].append(v ** 3)
    return max(found["positive"]) * min(found["negative"]) + np.sum(np.array(found["negative"]))


case(signs_apart, array("n"))


def other_names_of_a_list(x):
    d = {"a": [x[0]]}
    e, f = d["a"], d
    n = len(e)
    e.append(x[1])
    f["a"].append(x[2] * n)
    m = len(d["a"]) * x[3]
    e.append(m)
    return sum(d["a"]) * len(e) + d["a"][-1] * e[1]


case(other_names_of_a_list, array("n"))


def one_list_in_two_containers(x):
    by_key, rows = {}, []
    for i in range(3):
        row = []
        rows.append(row)
        by_key[i] = row
        row.append(x[i])
        rows[0].append(x[i] * x[0])
    by_key[1].append(x[3])
    return sum(sum(row) * (k + 1) for k, row in enumerate(rows)) * by_key[0][-1]


case(one_list_in_two_containers, array("n"))


def names_that_were_put_in(x):
    a, b = [], []
    buckets = {"a": a, "b": b}
    for i in range(4):
        buckets["ab"[i % 2]].append(x[i] * (i + 1))
    return sum(a) * b[0] + b[1]


case(names_that_were_put_in, array("n"))


def triangle_of_lists(x):
    rows = []
    for i in range(3):
        rows.append([])
        for j in range(i + 1):
            rows[-1].append(x[i] * x[j])
    return sum(sum(row) for row in rows) * rows[2][1] + max(rows[1])


case(triangle_of_lists, array("n"))


def buckets_by_value(x):
    buckets = [[] for _ in range(3)]
    for i, v in enumerate(x):
        buckets[i * i % 3].append(v * v)
    out = []
    for bucket in buckets:
        for v in bucket:
            out.append(v * len(bucket))
    return sum(v * (i + 1) for i, v in enumerate(out))


case(buckets_by_value, array("n"))


def lists_that_shrink_again(x):
    total = 0.0
    for t in range(2):
        stacks = {"u": [x[0]]}
        for i in range(3):
            stacks.setdefault("v", []).append(x[i] * (t + 1))
            if stacks["v"][-1] > 0.5:
                total += stacks["v"].pop()
            else:
                stacks["u"].append(stacks["u"][-1] * x[3])
        total = total * 0.7 + sum(stacks.get("v", [])) + len(stacks["u"]) * stacks["u"].pop()
    return total


case(lists_that_shrink_again, array("n"))


def all_that_lists_do(x):
    d = {k: [] for k in "ab"}
    d["a"].extend(x[:2])
    d["b"].extend([x[2] * x[3], x[0]])
    d["b"].insert(0, x[1])
    d["a"].reverse()
    d["b"] += [x[0] * d["a"][0]]
    d["a"], d["b"] = d["b"], d["a"]
    d["a"][1] *= x[4]
    del d["a"][0]
    q = d.pop("a")
    return q[0] * d["b"][0] * d["b"][1] + len(q) * q[-1]


case(all_that_lists_do, array("n"))


def dicts_in_a_dict(x):
    table = defaultdict(dict)
    for i in range(4):
        table[i % 2][i] = x[i] ** 2
    table[0][0] += x[1]
    return sum(table[0].values()) * table[1][3] + len(table[5])


case(dicts_in_a_dict, array("n"))


def edges_both_ways(x):
    neighbours = defaultdict(list)
    for i, j in [(0, 1), (1, 2), (0, 3)]:
        neighbours[i].append(j)
        neighbours[j].append(i)
    total = 0.0
    for i in range(4):
        for j in neighbours[i]:
            total += x[i] * x[j] ** 2 * len(neighbours[i])
    return total


case(edges_both_ways, array("n"))


def places_that_change(x):
    places = {"a": [0], "b": [1]}
    e = places["a"]
    total = x[0] * x[e[-1]]
    for i in range(3):
        total = total * x[places["a"][-1]] + x[places["b"][0]] * places["a"][0]
        e.append(i + 1)
        places["a"][0] = i
        if places["b"][0] == 1 and i == 1:
            places["b"][0] = 3
    return total * len(e)


case(places_that_change, array("n"))


def weights_that_change(x):
    w = {"k": [2.0, 3.0]}
    total = 1.0
    for v in x:
        total = total * v * w["k"][-1] + w["k"][0]
        w["k"].append(w["k"][0] + 1)
        w["k"][0] *= 1.5
    return total


case(weights_that_change, array("n"))


def grouped(x, n):
    groups = {}
    for i, v in enumerate(x):
        groups.setdefault(i % n, []).append(v * v)
    return groups


def last_of_each(x, n):
    groups = {k: [] for k in range(n)}
    for i, v in enumerate(x):
        groups[i % n].append(v * v)
    return [groups[k][-1] for k in range(n)]


def made_in_helpers(x):
    first, second = last_of_each(x, 2)
    groups = grouped(x, 2)
    return first * second + sum(groups[0]) * groups[1][1]


case(made_in_helpers, array("n"))


def made_in_an_inner_function(x):
    def by_parity(values):
        groups = defaultdict(list)
        for i, v in enumerate(values):
            groups[i % 2].append(v * v)
        return dict(groups)

    h = by_parity(x * 2)
    return sum(h[0]) * h[1][1]


case(made_in_an_inner_function, array("n"))


def arrays_in_lists(x):
    d = {"a": [x * 1.0]}
    for i in range(3):
        d["a"].append(np.sin(d["a"][-1]) * x[i])
    return np.sum(d["a"][-1] * d["a"][1]) + np.sum(np.stack(d["a"]))


case(arrays_in_lists, array("n"))


def array_changed_through_its_name(x):
    d = {"w": [x * 2.0]}
    y = d["w"][0]
    y += x
    y[0] = 3 * x[1]
    d["w"].append(y * x[0])
    return np.sum(d["w"][0] ** 2) + np.sum(d["w"][1])


case(array_changed_through_its_name, array("n"), may_refuse=True)


def array_changed_in_two_lists(x):
    d = {"w": [x * 2.0]}
    d["w"].append(d["w"][0])
    d["w"][0] += x
    return np.sum(d["w"][1] ** 2)


case(array_changed_in_two_lists, array("n"), may_refuse=True)


def one_list_twice(x):
    rows = [[x[0]]] * 2
    rows[0].append(x[1] * x[0])
    return rows[1][1] * rows[0][0]


case(one_list_twice, array("n"), may_refuse=True)


def asked_before_and_after(x):
    d = {"u": [x[0], x[1] * x[2]]}
    e = {"v": x[3], "w": x[0]}
    total = len(d["u"]) * d["u"].pop() + len(d["u"]) * sum(d["u"])
    total += len(e) * e.pop("v") * ("v" in e) + sum(e.values()) * e.pop("w", 2.0)
    kept = defaultdict(list)
    for i in range(3):
        kept[i % 2].append(x[i] * len(kept))
        total = total + len(kept) * sum(kept[i]) * len(kept)
    return total * len(d)


case(asked_before_and_after, array("n"))


def copies_of_containers(x):
    d = {"a": [x[0]]}
    c = dict(d)
    c["a"].append(x[1])
    c["z"] = [x[2]]
    del c["z"]
    e = {"b": x[3], "c": x[4]}
    f = e.copy()
    del e["b"]
    return sum(d["a"]) * len(c) + f["b"] * e["c"] * len(e)


case(copies_of_containers, array("n"))


def taken_one_by_one(x):
    d = {"a": x[0], "b": x[1], "c": x[2] * x[0]}
    total = 0.0
    while d:
        key, v = d.popitem()
        total = total * v + len(d) + v * v * (key == "a")
    return total


case(taken_one_by_one, array("n"))


def taken_by_key(x):
    d = {}
    for i in range(4):
        d[i] = x[i] ** 2
    total = d.pop(1) * d.pop(2, 0.0) + d.pop(9, x[0])
    del d[0]
    d[7] = total
    d[3] += total
    return sum(d.values()) + d[3] * len(d) * x[0]


case(taken_by_key, array("n"))


def taken_in_a_loop(x):
    d = {"a": x[0]}
    total = 0.0
    for i in range(4):
        v = d.pop("a")
        d["a"] = v * x[i]
        total += v
        if i % 2:
            d["b"] = v
        else:
            total = total * d.pop("b", 1.0)
    return total + d["a"]


case(taken_in_a_loop, array("n"))


def smallest_key_into_largest_value(x):
    d = {k: x[k] for k in range(4)}
    total = 0.0
    while len(d) > 1:
        v = d.pop(min(d))
        j = max(d, key=d.get)
        d[j] = d[j] * v
        total += v
    return total + sum(d.values())


case(smallest_key_into_largest_value, array("n"))


def deleted_while_its_keys_are_held(x):
    d = OrderedDict()
    for i in range(3):
        d[i] = x[i]
    for k in list(d):
        if k == 1:
            del d[k]
        else:
            d[k] = d[k] * x[3]
    d[0], d[2] = d[2], d[0] * x[1]
    return d[0] * 2 + d[2]


case(deleted_while_its_keys_are_held, array("n"))


def in_order(x):
    d = {"b": x[0], "a": x[1] ** 2, "c": x[2]}
    total = 1.0
    for key, v in sorted(d.items()):
        total = total * v + (key == "a")
    return total


case(in_order, array("n"))


def in_orders(x):
    d = {"b": x[0], "a": x[1] ** 2, "c": x[2]}
    total = 1.0
    for key, v in sorted(d.items(), key=lambda kv: kv[0], reverse=True):
        total = total * v + (key == "a")
    for _, v in sorted(d.items(), key=lambda kv: -kv[1]):
        total = total * 0.3 + v * v
    for key in sorted(d, key=d.get)[:2]:
        total = total * 2 + d[key]
    return total * d[max(d, key=d.get)] * d[min(d, key=lambda key: d[key] ** 2)]


case(in_orders, array("n"))


def slices_stored(x):
    xs = [v * v for v in x]
    ys = xs
    before = xs[:]
    ys[1:3] = [xs[2] * 2, xs[1], x[0]]
    del xs[0:1]
    xs[::2] = [x[3]] * len(xs[::2])
    xs[:] = xs + [xs[1]]
    xs *= 2
    xs[0] = x[2]
    return sum(v * (k + 1) for k, v in enumerate(xs)) * before[0] + len(ys)


case(slices_stored, array("n"))


def every_second_gone(x):
    xs = [x[0], x[1], x[2], x[3]]
    del xs[::2]
    xs[0], xs[1] = xs[1], xs[0]
    return xs[0] * xs[1] ** 2


case(every_second_gone, array("n"))


def ring(x):
    q = deque(x, maxlen=3)
    q.extend([x[0] * x[1], x[2]])
    q.rotate(2)
    q.reverse()
    q.extendleft([x[3] * q[0]])
    r = deque([v * v for v in x])
    r.rotate(-3)
    r.insert(1, x[0] * x[3])
    del r[0]
    r += [x[1]]
    return q[0] + q[1] * q[2] + r.popleft() * r[-1] - sum(r)


case(ring, array("n"))


def queues_in_a_dict(x):
    d = {"all": deque(), "last": deque(maxlen=2)}
    for v in x:
        d["all"].append(v)
        d["last"].append(v * v)
    return d["all"].popleft() * d["last"][0] + len(d["all"]) * d["all"][0]


case(queues_in_a_dict, array("n"))


def entries_replaced_under_a_copy(x):
    d = {1: x[0], 2: x[1], 3: x[2]}
    total = 0.0
    for k, v in list(d.items()):
        d[3] = v * x[3]
        d[k + 10] = v
        total = total * 0.5 + v * v
    for k, v in sorted(d.items()):
        if k < 3:
            d[k + 1] += v * x[3]
        total = total * 0.5 + v * v
    for (_, v), w in zip(sorted(d.items(), reverse=True), x):
        d[1] = v * w
        total = total * 0.5 + v
    for i, v in enumerate(tuple(d.values())):
        d[2] = v * x[i % 2]
        total = total * 0.5 + v * i
    del d[1]
    return total + sum(d.values())


case(entries_replaced_under_a_copy, array("n"))


def lists_replaced_under_a_copy(x):
    d = {0: [x[0]], 1: [x[1]], 2: [x[2], x[3]]}
    total = 0.0
    for k, row in list(d.items()):
        d[2] = [x[0] * 2]
        total += sum(row) * len(row)
        if k == 0:
            del d[k]
    return total + len(d) * sum(d[2])


case(lists_replaced_under_a_copy, array("n"))


def one_effect_after_another(x):
    def after():
        nonlocal i, total
        i += 1
        total = total * 2
        w[0] = x[3] * i
        return x[i]

    i, total, w = 0, x[2], x * 1.0
    d = {0: x[0], 1: x[1], 2: x[3], 3: x[0] * x[1], 4: x[4]}
    total += i + after() * d[i] + i
    total += after() * d.pop(i)
    w[i] += after() * d.pop(i)
    y = (k := 1) * d.pop(k)
    i = -1
    if after() * d.pop(i) > 100:
        total = total * y
    i = 2
    for v in [after(), d.pop(i + 1), x[i]]:
        total = total + v
    return total * y + np.sum(w) * (len(d) + 1)


case(one_effect_after_another, array("n"))


def one_stack_after_another(x):
    stack, counts = [x[0], x[1], x[2], x[3]], [4, 3, 2, 1]
    d = {2: x[3], 3: x[1], 1: x[0]}
    groups = {0: [x[0]], 1: [x[1], x[2]], 2: [x[3]]}
    y = stack.pop() * d.pop(len(stack))
    z = x[0] * counts.pop() * groups[len(counts) - 1].pop()
    a, b = stack.pop() * d.pop(len(stack)), len(stack) * d.pop(counts.pop() - 1)
    return y * z + a * b * stack[-1] + sum(groups[1])


case(one_stack_after_another, array("n"))


def defaults_that_are_not_asked_for(x):
    stack, counts = [x[0], x[1], x[2], x[3], x[4]], [3.0, 4.0, 5.0]
    d = {"a": x[3], "b": x[0]}
    groups = {"c": [x[1]]}
    numbers = {0: 1.0, 1: 2.0}
    y = d.get("a", stack.pop()) * d.pop("a", stack.pop())
    d.setdefault("b", stack.pop())
    groups.setdefault("c", [stack.pop()]).append(stack[-1])
    numbers.pop(0, counts.pop())
    z = numbers.get(1, counts.pop()) * counts[-1]
    return y * z * stack[-1] + d["b"] * sum(groups["c"])


case(defaults_that_are_not_asked_for, array("n"))


def bound_anew_under_its_loop(x):
    total = 0.0
    d = {"a": x[0], "b": x[1]}
    rows = [[x[0]], [x[1]]]
    tables = {0: [[x[0]], [x[1]]], 1: [[x[2]], [x[3]]]}
    d["c"] = d.pop("a")
    for _, v in d.items():
        total = total * 0.5 + v * v
        d = {"b": x[3], "c": x[3]}
    rows[0].append(x[2])
    for i, row in enumerate(rows):
        total += row[0] * (i + 1)
        rows = [[x[3]], [x[3]]]
    k = 0
    for _, row in enumerate(tables[k]):
        k = 1
        row.append(x[3])
        total += row[0] ** 2 * sum(row)
    return total


case(bound_anew_under_its_loop, array("n"))


def key_before_value(x):
    def after():
        nonlocal i
        i += 1
        return x[i] * 2

    i, stack = 0, [x[2], x[3], x[0], x[1]]
    groups = {0: [x[0]], 1: [x[1]], 2: [x[2]], 3: [x[3]], 4: [x[4], x[0]]}
    groups[len(stack)].append(stack.pop())
    groups[i].append(after())
    groups[4].insert(len(stack), stack.pop())
    groups[len(stack) - 2][i - 1] += stack.pop() * after()
    groups[i][0] *= after()
    return sum(sum(group) * (k + 1) for k, group in groups.items())


case(key_before_value, array("n"))


def gone_when_it_grows(x):
    rows = [[x[0]], [x[1], x[2]]]
    rows[-1].append(rows.pop().pop())
    return rows[0][0] * len(rows[0]) + sum(rows[-1])


case(gone_when_it_grows, array("n"))


def taken_apart_once(x):
    def both(v):
        return v * 2, v * v

    d = {0: x[0], 1: x[1], 2: x[2]}
    a, b = both(d.pop(0))
    d[5], d[6] = both(d.pop(1))
    del d[2]
    return a * b * d[5] * sum(d.values())


case(taken_apart_once, array("n"))


def numbers_taken_while_another_is_updated(x):
    numbers = {"a": 1.0, "b": 2.0}
    counts = {"k": [1.0, 2.0, 3.0]}
    numbers["a"] *= numbers.pop("b") + numbers.get("z", 1.0)
    numbers["a"] += numbers.pop("a") * len(numbers)
    counts["k"][-1] += counts["k"].pop() * len(counts["k"])
    return x[0] * numbers["a"] + x[1] * counts["k"][-1] * len(counts["k"])


case(numbers_taken_while_another_is_updated, array("n"), may_refuse=True)


def states_after_states(x):
    now = defaultdict(list)
    now[0].append(x[0])
    now[1].append(x[1])
    for i in range(2):
        after = defaultdict(list)
        for k in now:
            after[k].append(now[k][0] * x[2])
            after[k + 1].append(x[3] * (i + 1))
        now = after
    for k in now:
        now[k].append(x[0])
        x = x * 2
    return sum(now[0]) + sum(now[1]) * 2 + sum(now[2]) * now[3][-1]


case(states_after_states, array("n"))
