"""Lists in dicts that grow and shrink, and dicts that are asked in an order."""

import numpy as np

from .case import array, case


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


def weights_that_change(x):
    w = {"k": [2.0, 3.0]}
    total = 1.0
    for v in x:
        total = total * v * w["k"][-1] + w["k"][0]
        w["k"].append(w["k"][0] + 1)
        w["k"][0] *= 1.5
    return total


case(weights_that_change, array("n"))


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


def in_order(x):
    d = {"b": x[0], "a": x[1] ** 2, "c": x[2]}
    total = 1.0
    for key, v in sorted(d.items()):
        total = total * v + (key == "a")
    return total


case(in_order, array("n"))


def numbers_taken_while_another_is_updated(x):
    numbers = {"a": 1.0, "b": 2.0}
    counts = {"k": [1.0, 2.0, 3.0]}
    numbers["a"] *= numbers.pop("b") + numbers.get("z", 1.0)
    numbers["a"] += numbers.pop("a") * len(numbers)
    counts["k"][-1] += counts["k"].pop() * len(counts["k"])
    return x[0] * numbers["a"] + x[1] * counts["k"][-1] * len(counts["k"])


case(numbers_taken_while_another_is_updated, array("n"), may_refuse=True)
