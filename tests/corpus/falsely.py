"""Places, labels and keys beside what is differentiated: in one tuple, one helper, one dict, one pair of a zip."""

import numpy as np

from .case import array, case, integers, positive


def assemble(k, rows, cols):
    stiffness = np.zeros((3, 3))
    np.add.at(stiffness, (rows, cols), k)
    return stiffness


def clamped(k, rows, cols):
    stiffness = assemble(k, rows, cols)
    stiffness[0, 0] = 1.0
    return np.sum(stiffness**2)


case(clamped, array("k"), integers("k", 3), integers("k", 3))


def stiffened(k, rows, cols):
    stiffness = assemble(k, rows, cols)
    stiffness[0, 0] += k[0]
    return np.sum(stiffness**3)


case(stiffened, array("k"), integers("k", 3), integers("k", 3))


def assemble_both(k, rows, cols):
    stiffness, load = np.zeros((3, 3)), np.zeros(3)
    np.add.at(stiffness, (rows, cols), k)
    np.add.at(load, rows, k)
    return stiffness, load


def loaded(k, rows, cols):
    stiffness, load = assemble_both(k, rows, cols)
    stiffness[0, 0] = 1.0
    load[0] = 0.5
    return np.sum(stiffness**2) + np.sum(load**3)


case(loaded, array("k"), integers("k", 3), integers("k", 3))


class Mesh:
    def __init__(self, rows, cols):
        self.rows, self.cols = rows, cols

    def assemble(self, k):
        stiffness = np.zeros((3, 3, 4))
        np.add.at(stiffness, (self.rows, self.cols, slice(1, 3)), k)
        return stiffness, np.sum(k)


def on_a_mesh(k, rows, cols):
    mesh = Mesh(rows, cols)
    stiffness, total = mesh.assemble(k)
    stiffness[0, 0] = 1.0
    return np.sum(stiffness**2) + np.sum(stiffness[rows, rows] ** 3) * total


case(on_a_mesh, array("k 2"), integers("k", 3), integers("k", 3))


def classified(w, images, labels):
    total = 0.0
    for image, label in zip(images, labels):
        image = image.copy()
        image[0] = w[0]
        image *= w[1]
        scores = {0: image[0], 1: image[1], 2: image[2]}
        total += scores[label] * image[label]
    return total


case(classified, array("3"), array("n 3"), integers("n", 3), wrt=0)


def smoothed(u, places):
    u[places] = 0.5 * (u[places - 1] + u[places + 1])
    return u


def smoothed_thrice(x, places):
    u = x * x
    for _ in range(3):
        u = smoothed(u, places)
    parts = [u[:3], u[3:]]
    return np.sum(parts[places[1] % 2] ** 2) + np.sum(np.take(u, places))


case(smoothed_thrice, array("n"), integers("2", 4))


def doubled_at(u, places):
    u = u * 1.0
    u[places] *= 2
    return u, places


def handed_back(x, places):
    y, j = doubled_at(x, places)
    y, j = doubled_at(y, j)
    parts = [y[:3], y[3:]]
    return np.sum(parts[j[0] % 2] ** 2) + np.sum(y[j] ** 3)


case(handed_back, array("n"), integers("2", 4))


def best_of(x):
    best, where = x[0], 0
    for k in range(1, 4):
        if x[k] > best:
            best, where = x[k], k
    return best, where


def two_best(x):
    best, where = best_of(x)
    y = [v * 1.0 for v in x]
    y[where] = -9.0 * x[0] ** 0
    second, there = best_of(y)
    return best**2 * y[there] + second


case(two_best, array("n"))


def found(x, limit):
    for k in range(len(x)):
        if x[k] > limit:
            return x[k] ** 2, k
    return x[0], -1


def first_above(x):
    value, k = found(x, 0.1)
    parts = [x[0], x[1] * x[2], x[3], 1.0, 2.0, 3.0]
    return value * parts[k]


case(first_above, array("n"))


# The keys of dicts.


def evolved(x):
    state = {0: x[0], 2: x[1]}
    copied = state.copy()
    total = 0.0
    for q in sorted(copied):
        new = {q: copied[q] * 2, q + 1: copied[q] ** 2}
        total += new[q] * new[q + 1] * (q + 1)
    for k, q in enumerate(copied):
        total += copied[q] ** (k + 2) * x[q]
    return total


case(evolved, array("n"))


def spread(x):
    state = dict(zip((0, 2), x))
    for _ in range(2):
        new = {}
        for q in list(state):
            new[q] = new.get(q, 0.0) + state[q] * x[2]
            new[q + 1] = new.get(q + 1, 0.0) + state[q] * x[3]
        state = new
    return sum(v**2 for v in state.values())


case(spread, array("n"))


def keys_in_pairs(x):
    d = {k: x[k] ** 2 for k in (2, 0, 3)}
    e = dict(d)
    total = 0.0
    for q, weight in zip(sorted(e), x):
        total += e[q] * weight * x[q]
    for q, weight in zip(e, x):
        total += e[q] * weight**2 * x[q]
    for place, (q, v) in enumerate(e.items()):
        total += v * x[q] * place
    for q, v in list(e.items()):
        total += v * x[q] ** 2
    for v, weight in zip(e.values(), x):
        total += v * weight
    return total + x[max(e)] * x[min(e.keys())]


case(keys_in_pairs, array("n"))


def edges(x):
    pairs = [(0, 1), (1, 2), (0, 2)]
    nodes = [x[0], x[1] * x[2], x[3]]
    energy = 0.0
    for k, ((i, j), w) in enumerate(zip(pairs, x)):
        energy += k * w * (nodes[i] - nodes[j]) ** 2
    return energy


case(edges, positive("n"))
