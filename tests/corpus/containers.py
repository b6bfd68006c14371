"""Parameters that are dicts, lists and tuples: the gradient has the structure of the argument."""

import numpy as np

from .case import array, case, number


def dict_of_arrays(p, x):
    return np.sum(np.tanh(p["w"] @ x + p["b"]))


case(dict_of_arrays, {"w": array("m n"), "b": array("m")}, array("n"), float32=True)


def dict_with_an_unused_entry(p):
    return np.sum(p["used"] ** 2)


case(dict_with_an_unused_entry, {"used": array("n"), "unused": array("m"), "number": number(2.0)})


def dict_of_numbers(p):
    return p["a"] * np.sin(p["b"]) + p["a"] ** 2


case(dict_of_numbers, {"a": number(0.7), "b": number(1.1)})


def list_of_arrays(p):
    return np.sum(p[0] * p[1]) + np.sum(p[-1] ** 3)


case(list_of_arrays, [array("n"), array("n"), array("m")])


def tuple_of_arrays(p, x):
    return np.sum(np.maximum(x @ p[0], 0) @ p[1])


case(tuple_of_arrays, (array("n m"), array("m")), array("n"))


def unpacked_parameters(p, x):
    w, b = p
    return np.sum((w @ x + b) ** 2)


case(unpacked_parameters, (array("m n"), array("m")), array("n"), wrt=0)


def nested_unpacking(p):
    (w, b), s = p
    return np.sum((w + b) ** 2) * s


case(nested_unpacking, ((array("n"), array("n")), number(0.8)))


def nested_structure(p):
    return np.sum(p["layers"][0]["w"] * p["layers"][1]["w"]) * p["scale"] + np.sum(p["pair"][1] ** 2)


case(nested_structure, {"layers": [{"w": array("n")}, {"w": array("n")}], "scale": number(1.5), "pair": (array("m"), array("m"))})


def layers_in_a_loop(layers, x):
    for layer in layers:
        x = np.tanh(layer["w"] @ x + layer["b"])
    return np.sum(x ** 2)


case(layers_in_a_loop, [{"w": array("m n"), "b": array("m")}, {"w": array("n m"), "b": array("n")}], array("n"))


def layers_as_pairs(layers, x):
    for w, b in layers:
        x = np.tanh(w @ x + b)
    return np.sum(x ** 2)


case(layers_as_pairs, [(array("m n"), array("m")), (array("n m"), array("n"))], array("n"))


def recurrent_net(params, xs, h, target):
    for x in xs:
        h = np.tanh(params["wx"] @ x + params["wh"] @ h + params["b"])
    return np.sum((h - target) ** 2)


case(recurrent_net, {"wx": array("m k"), "wh": array("m m"), "b": array("m")}, array("4 k"), array("m"), array("m"), float32=True)


def aliases_of_an_entry(p):
    w = p["w"]
    u = p["w"]
    return np.sum(w * u) + np.sum(p["w"])


case(aliases_of_an_entry, {"w": array("n")})


def array_in_a_mutated_dict(p, s):
    p["w"] += s
    return np.sum(p["w"] ** 2)


case(array_in_a_mutated_dict, {"w": array("n")}, number(0.3))


def element_of_an_entry_stored(p, s):
    p["w"][0] = s * p["w"][1]
    return np.sum(p["w"] ** 2)


case(element_of_an_entry_stored, {"w": array("n")}, number(0.3))


def list_of_numbers(p, x):
    total = 0.0
    for k in range(len(p)):
        total += p[k] * x ** k
    return total


case(list_of_numbers, [number(0.5), number(-1.0), number(2.0)], number(0.9))


def tuple_made_inside(x, y):
    pair = (x * y, x + y)
    return np.sum(pair[0] * pair[1])


case(tuple_made_inside, array("n"), array("n"))


def length_of_a_container(p):
    return np.sum(p[0] + p[1]) / len(p)


case(length_of_a_container, [array("n"), array("n")])


def zipped_lists(ws, bs, x):
    for w, b in zip(ws, bs):
        x = np.sin(w * x + b)
    return np.sum(x)


case(zipped_lists, [array("n"), array("n")], (array("n"), number(0.3)), array("n"))
