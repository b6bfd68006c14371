"""What is known before the program runs: words that are taken apart, iterators that are drawn from, exceptions, what functions remember."""

import functools
import itertools
import operator
import re

import numpy as np
import scipy.sparse as sparse

from .case import array, case, positive


class Branch:
    def __init__(self, name=None, children=()):
        self.name, self.children, self.parent = name, list(children), None
        for child in self.children:
            child.parent = self

    def up(self):
        return 1.0 if self.parent is None else 0.5 * self.parent.up()


NETLIST = "R1 1 2 a; R2 2 0 b"
CORRECTIONS = {"M2": lambda n: 1.0 - 0.037 * np.cos(n), "K1": lambda n: 1.006 + 0.115 * np.cos(n)}
SIZES = (1, 2, 1)
STEPS = np.array([(0, 0), (1, 0), (0, 1)])
FILLED, TABULATED = {}, {}


def words_taken_apart(x):
    given = {"a": x[0], "b": x[1]}
    total = 0.0
    for line in NETLIST.split(";"):
        name, start, end, value = line.split()
        total += given[value.lower()] ** 2 * int(start) * (1 if name[0] == "R" else 2) + int(end) * x[2]
    for token in re.findall(r"\w+", "a+b-a"):
        total *= given[token] + 1
    return total


case(words_taken_apart, array("3"))


def parsed(text):
    tokens, counter = iter(re.findall(r"[(),;]|\w+", text)), itertools.count()

    def node():
        token = next(tokens)
        if token != "(":
            return (token, next(counter), ()), next(tokens)
        children, separator = [], ","
        while separator == ",":
            child, separator = node()
            children.append(child)
        return (None, next(counter), tuple(children)), next(tokens)

    return node()[0]


def a_tree_of_words(x):
    tips = {"a": x, "b": x**2, "c": np.sin(x)}

    @functools.cache
    def weight(number, kind):
        return x[number % 3] * (number + kind)

    def partial(node, kind):
        name, _, children = node
        if not children:
            return tips[name]
        return functools.reduce(np.multiply, (partial(child, kind) * weight(child[1], kind) for child in children))

    tree = parsed("((a,b),c);")
    return sum(np.sum(partial(tree, kind)) for kind in range(2))


case(a_tree_of_words, array("3"))


def grown_tree(text):
    stack, current, last = [], [], None
    for token in re.findall(r"[(),;]|\w+", text):
        if token == "(":
            stack.append(current)
            current = []
        elif token == ")":
            last = Branch(children=current)
            current = stack.pop()
            current.append(last)
        elif token not in ",;":
            current.append(Branch(token))
    return current[0]


def a_tree_that_knows_its_parents(x):
    tips, total, pending = {"a": x[0], "b": x[1] ** 2, "c": np.sin(x[2])}, 0.0, [grown_tree("((a,b),c);")]
    while pending:
        branch = pending.pop()
        pending.extend(branch.children)
        total += branch.up() * (tips[branch.name] if branch.name else x[0])
    return total


case(a_tree_that_knows_its_parents, array("3"))

STATE = ("s", "i", "r")


def flow(state, beta, gamma):
    new = beta * state["s"] * state["i"]
    return {"s": -new, "i": new - gamma * state["i"], "r": gamma * state["i"]}


def moved(state, h, change):
    out = dict(state)
    for name in STATE:
        out[name] += h * change[name]
    return out


def a_state_until_each_day(x, start, seen):
    state, t, cost, pending = dict(start), 0.0, 0.0, sorted(seen)
    while pending:
        day, value = pending[0]
        if t >= day - 1e-9:
            pending.pop(0)
            cost += (state["i"] - value) ** 2
            continue
        half = moved(state, 0.25, flow(state, x[0], x[1]))
        state, t = moved(state, 0.5, flow(half, x[0], x[1])), t + 0.5
    return cost + x[2] * state["r"]


case(a_state_until_each_day, array("3"), {"s": 0.9, "i": 0.1, "r": 0.0}, [(2.0, 0.3), (1.0, 0.2), (3.0, 0.1)], wrt=(0, 1))


def unflatten(flat, sizes=SIZES):
    params, place = {}, 0
    for i, (m, n) in enumerate(zip(sizes[:-1], sizes[1:]), start=1):  # noqa: RUF007
        params[f"W{i:02d}"] = flat[place:place + m * n].reshape(m, n)
        place += m * n
    assert place <= flat.size, (place, flat.size)
    return params


class Momentum:
    def __init__(self, rate):
        self.rate, self.state = rate, {}

    def step(self, params, grads):
        for key, grad in grads.items():
            velocity = self.state.setdefault(key, np.zeros_like(grad))
            self.state[key] = velocity = 0.5 * velocity + grad
            params[key] = params[key] - self.rate[key[0]] * velocity
        return params


def a_state_by_word(x):
    params, optimiser = dict(unflatten(x)), Momentum({"W": 0.1, "b": 0.2})
    for _ in range(3):
        grads = {key: 2 * value * x[0] for key, value in params.items()}
        params = optimiser.step(params, grads)
    return sum(np.sum(value**2) for value in params.values()) + np.sum(params[f"W{1:02d}"] @ params["W02"])


case(a_state_by_word, array("4"))


def corrected(name, n):
    try:
        return CORRECTIONS[name](n)
    except KeyError:
        return 1.0


class Refused(Exception):
    pass


def checked(n):
    if n > 2:
        raise Refused(n)
    return n * 2.0


def exceptions_that_are_certain(x):
    total = sum(corrected(name, x[0]) ** 2 for name in ["M2", "S2", "K1"])
    given, log = {"a": x[1]}, []
    try:
        log.append(1)
        value = given["b"] * 2
        log.append(2)
    except (KeyError, IndexError):
        value = x[1] * x[2]
    finally:
        log.append(3)
    for n in (1, 2, 3):
        try:
            total += checked(n) * x[2]
        except Refused:
            total = total * x[0]
            continue
        total += 1.0
    return total * value + len(log)


case(exceptions_that_are_certain, array("3"))


class Curve:
    def __init__(self, rates):
        self.rates = rates

    @functools.cached_property
    def discount(self):
        return list(itertools.accumulate((1 / (1 + rate**2) for rate in self.rates), operator.mul))

    def survival(self, q):
        return list(itertools.accumulate((1 - 0.1 * q * i for i in range(3)), operator.mul, initial=1.0))


def accumulated_and_remembered(x):
    curve = Curve(x)
    total = curve.discount[-1]
    total += sum(curve.discount[t] * curve.survival(x[0])[t + 1] for t in range(3))
    for value in itertools.accumulate([x[0], 2 * x[1], x[2]]):
        total += value * value
    for value in itertools.chain.from_iterable([(x[0], x[1]), (total * x[2],)]):
        total = total + value**2
    for step in list(itertools.chain.from_iterable((Curve(x).survival, lambda v: [v * x[1]]) for _ in range(2))):
        total = total + step(total)[-1]
    return total


case(accumulated_and_remembered, array("3"))


def attributes_of_functions(x):
    def step(t):
        step.calls += 1
        step.last = t * x[1]
        return np.sin(t) * x[0]

    step.calls, step.last = 0, 0.0
    total = 0.0
    for k in range(4):
        if x[0] > 0.1 * k:
            total += step(k * x[2])
    return total + step.last * step.calls


case(attributes_of_functions, positive("3"))


class Net:
    def __init__(self):
        self.nodes, self.links = {}, []

    def __setitem__(self, name, value):
        self.nodes[name] = value

    def __iadd__(self, link):
        self.links.append(link)
        return self

    def solve(self, y):
        for _ in range(30):
            new = np.cos(y) * sum(self.nodes.values()) * 0.1
            change, y = np.abs(new - y).max(), new
            if change < 1e-12:
                return dict(value=y, links=self.links)
        raise Refused("no convergence")


def built_and_solved(x):
    net = Net()
    for name, value in zip("abc", x):
        net[name] = value
    net += x[0] * x[1]
    net += x[2]
    found = net.solve(np.zeros(2))
    return np.sum(found["value"]) * found["links"][0] + found["links"][1]


case(built_and_solved, array("3"))


class Quaternion:
    def __init__(self, w, x, y, z):
        self.w, self.x, self.y, self.z = w, x, y, z

    @property
    def vec(self):
        return np.array([self.x, self.y, self.z])

    def __mul__(self, other):
        if isinstance(other, Quaternion):
            w = self.w * other.w - self.vec @ other.vec
            return Quaternion(w, *(self.w * other.vec + other.w * self.vec + np.cross(self.vec, other.vec)))
        return Quaternion(self.w * other, self.x * other, self.y * other, self.z * other)

    __rmul__ = __mul__

    def __abs__(self):
        return np.sqrt(self.w**2 + self.vec @ self.vec)

    def unit(self):
        return self * (1.0 / abs(self))


def numbers_beside_objects(x):
    q, total = Quaternion(1.0, *x), 0.0
    for n in range(3):
        q = (q + 0.0 if False else q * Quaternion(0.3, x[1], x[2], 0.1)).unit()
        total += q.vec @ q.vec * (n + 1)
    return total


case(numbers_beside_objects, array("3"))


def equilibrium(rho, u, out=None):
    if out is None:
        out = np.empty((3, *rho.shape))
    for i, (cx, cy) in enumerate(STEPS):
        out[i] = 0.3 * rho * (np.tanh(cx * u + cy) + 0.5)
    return out


def buffers_that_are_exchanged(x):
    rho = np.outer(x, x)
    fin = equilibrium(rho, rho)
    buffer, equal = np.empty_like(fin), np.empty_like(fin)
    drag = np.zeros(2)
    for _ in range(3):
        rho = fin.sum(axis=0)
        equilibrium(rho, np.tensordot(STEPS[:, 0], fin, axes=1) / (rho**2 + 1), out=equal)
        post = fin - (fin - equal) / 2
        drag += np.einsum("id,i->d", STEPS, fin.sum(axis=(1, 2)))
        for i in range(3):
            buffer[i] = np.roll(post[i], STEPS[i], axis=(0, 1))
        fin, buffer = buffer, fin
    return np.sum(np.sin(fin)) + drag[0]


case(buffers_that_are_exchanged, array("n"))


def laplacian(n, h):
    if (n, h) not in FILLED:
        L = sparse.diags([np.ones(n - 1), -2 * np.ones(n), np.ones(n - 1)], [-1, 0, 1]).tolil()
        L[0, n - 1] = L[n - 1, 0] = 1
        FILLED[n, h] = (L + sparse.identity(n)).tocsr() / h**2
    return FILLED[n, h]


def table(n):
    if n in TABULATED:
        return TABULATED[n]
    made = np.arange(n) * 2.0
    TABULATED[n] = made
    return made


def caches_of_constants(x):
    L, v = laplacian(x.shape[0], 2.0), x * 1.0
    for _ in range(2):
        v = v + 0.1 * (L @ (v**3 - L @ v)) + table(len(x)) * x
    return np.sum(v**2)


case(caches_of_constants, array("n"))


def interpolated(image, y):
    place = y.astype(int)
    return image[place, place // 9] * (1 - (y - place)) + image[place + 1, 0] * (y - place)


def places_in_images_of_a_pyramid(x):
    levels = [np.outer(x, x)]
    for _ in range(1):
        levels.append(levels[-1][:, :2] * 2)
    total = 0.0
    for image in levels:
        height, _ = image.shape
        y = np.clip(np.arange(height - 1.0) + 0.3 * np.tanh(x[0]) ** 2 + 0.1, 0, height - 1.001)
        total += np.sum(interpolated(image, y))
    return total


case(places_in_images_of_a_pyramid, array("n"))


def least_and_largest_by_other_names(x):
    least, total = min, 0.0
    for pick in (least, max):
        total += pick(x[0], 2 * x[1]) + pick([x[0], 3 * x[2]], key=lambda v: -v)
    return total + sorted([3 * x[0], x[1]], key=lambda v: v)[0] * least(2, 3)


case(least_and_largest_by_other_names, array("3"))


def steps_of_a_schedule(x, horizon):
    calls, total = [0.5, 1.0, 1.6], 0.0
    for k in range(4):
        t = 0.5 * k
        if any(t - 0.25 < s <= t + 0.25 for s in calls) and not all(s > t + x[0] for s in calls):
            total += x[1] ** k * x[2]
        total += horizon * x[0]
    return total


case(steps_of_a_schedule, array("3"), 1.5, wrt=0)
