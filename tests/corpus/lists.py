"""Lists: grown by ``extend`` and ``+=``, copied, sorted, and running totals."""

import itertools

import numpy as np

from .case import array, case, number, positive


def extended(x):
    parts = [x[0]]
    parts.extend([x[1] ** 2, x[2]])
    parts += [x[0] * x[3]]
    return parts[0] * parts[1] + sum(parts)


case(extended, array("n"))


def extended_by_the_argument_itself(x):
    parts = [0.4]
    parts.extend(x)
    last, total = 0.0, 0.0
    for part in sorted(parts, reverse=True):
        total = total * 0.5 + part * last
        part, last = last, part * -0.2
    return total + last + max(parts)


case(extended_by_the_argument_itself, array("n"))


def extended_by_a_sum(x):
    parts = [0.4]
    parts += list(x)
    total = 0.0
    for part in parts:
        total = total + part * part
    return total


case(extended_by_a_sum, array("n"))


def extended_in_a_loop(x):
    parts = []
    for i in range(len(x)):
        parts += [x[i] ** 2, 1.0]
        if x[i] > 0:
            parts.extend(x[:i])
    return np.sum(np.array(parts) ** 2) * x[1]


case(extended_in_a_loop, array("n"))


def extended_by_itself(x):
    parts = [x[0], x[1] ** 2]
    parts += parts
    parts.extend(v * parts[1] for v in x)
    return sum(parts) * parts[2]


case(extended_by_itself, array("n"))


def extended_by_nothing(x):
    parts = [x[0]]
    parts.extend([])
    parts.extend(x[:0])
    parts += ()
    return parts[-1] * np.sum(x)


case(extended_by_nothing, array("n"))


def copied_list(x):
    first = [x[0], x[1]]
    second = list(first)
    second.append(x[2] * first[0])
    return len(first) * second[2] * second[0] + sum(list(x)[1:])


case(copied_list, array("n"))


def accumulated(x, s):
    total = 0.0
    for v in itertools.accumulate(x):
        total += v ** 2
    products = list(itertools.accumulate(x, np.multiply))
    return total * s + products[-1] + products[1]


case(accumulated, array("n"), number(0.6))


def accumulated_by_a_rule_of_ones_own(x, s):
    smooth = [v ** 2 for v in itertools.accumulate(x, lambda old, new: old * s + new)]
    return sum(smooth) + max(itertools.accumulate(x, func=lambda old, new: old * new)) + sum(itertools.accumulate([s, x[0]]))


case(accumulated_by_a_rule_of_ones_own, array("n"), number(0.6))


def accumulated_under_a_branch(x):
    total = x[0]
    for k in range(3):
        if k > 0:
            for position, (v, w) in enumerate(zip(itertools.accumulate(x[k:]), x)):
                total = total + position * v * w
    return total


case(accumulated_under_a_branch, array("n"))


def in_order(x, s):
    total = 0.0
    for rank, v in enumerate(sorted(x)):
        total += rank * v ** 2
    highest = sorted([x[0], s, x[1] * 2], reverse=True)
    low, *others = sorted((x[2], s))
    return total + highest[0] * highest[1] + low * sum(others)


case(in_order, array("n"), number(0.6))


def trimmed(x):
    total = 0.0
    for i in range(2, len(x)):
        inner = sorted(x[:i + 1])[1:-1]
        total += sum(inner) * x[i]
    return total


case(trimmed, positive("n"))


def stored_in_a_dict(x, s):
    state = {"h": np.sin(x), "steps": 0}
    for k in range(3):
        state["h"] = state["h"] * s + x
        state["h"][0] += 0.5
        if k > 0:
            state["steps"] += 1
            state["h"] *= 0.5
    state["loss"] = np.sum(state["h"] ** 2)
    state["loss"] *= s
    return state["loss"] * state["steps"]


case(stored_in_a_dict, array("n"), number(0.6))


def swapped_in_a_list(x):
    pair = [x[0], x[1]]
    for v in x:
        pair[0], pair[1] = pair[1] + v, pair[0] * v
    return pair[0] * pair[1]


case(swapped_in_a_list, array("n"))


def stored_on_one_path(x, s):
    found = {}
    if s > 0:
        found["best"] = np.max(x) * s
    else:
        found["best"] = np.min(x)
    for v in x:
        kept = {"low": v, "high": v * 2}
        if v > 0:
            kept["low"] = v ** 2
        found["best"] = found["best"] + kept["low"] * kept["high"]
    return found["best"]


case(stored_on_one_path, array("n"), number(0.6))


def stored_array_that_has_another_name(x, s):
    y = x * s
    held = {"a": 1.0}
    held["a"] = y
    held["a"] = held["a"] * 2
    return np.sum(held["a"] * y)


case(stored_array_that_has_another_name, array("n"), number(0.6))


def clipped_numbers_of_which_none_is_moved(x):
    v = np.array([np.maximum(entry, 9.0) for entry in x])
    v[0] /= 1.5 + np.cos(x[1]) ** 2
    return np.sum(np.sin(v))


case(clipped_numbers_of_which_none_is_moved, array("n"))
