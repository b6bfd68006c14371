"""Programs of the sort that scientists write, unmodified on the eager engine: right by central differences, or refused by name."""

import abc
import bisect
import collections
import copy
import functools
import heapq
import itertools
import logging
import math
import operator
import random
import types
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import AliasingError, MissingRuleError, NonDifferentiableError, SourcediffError

from .numbers import differences

X = np.array([0.3, 0.5, -0.7, 1.2])


def check(f, x=X):
    """Assert that the value is that of a plain call, and the gradient that of central differences."""
    value, gradient = sourcediff.value_and_grad(f, mode="eager")(np.array(x))
    assert value == f(np.array(x))
    np.testing.assert_allclose(gradient, differences(f, x)[0], rtol=1e-5, atol=1e-6)


# Whole programs


@dataclass
class Body:
    position: np.ndarray
    velocity: np.ndarray
    mass: float = 1.0
    path: list = field(default_factory=list)

    def __post_init__(self):
        self.force = np.zeros(2)

    def kick(self, dt):
        self.velocity = self.velocity + dt * self.force / self.mass
        self.position = self.position + dt * self.velocity
        self.path.append(self.position[0])


class System:
    """Bodies that attract each other: objects that hold objects, a dictionary of state, an accumulated buffer."""

    softening = 0.1

    def __init__(self, bodies):
        self.bodies = bodies
        self.log = {"energy": [], "steps": 0}

    @property
    def kinetic(self):
        return sum(0.5 * body.mass * np.sum(body.velocity ** 2) for body in self.bodies)

    @classmethod
    def pair(cls, x):
        return cls([Body(x[:2] * 1.0, np.zeros(2)), Body(np.array([1.0, 0.0]), x[2:] * 1.0, mass=2.0)])

    @staticmethod
    def attraction(d, softening):
        return d / (np.sum(d ** 2) + softening) ** 1.5

    def step(self, dt):
        for body in self.bodies:
            body.force[:] = 0.0
        for a, b in itertools.combinations(self.bodies, 2):
            f = self.attraction(b.position - a.position, self.softening) * a.mass * b.mass
            a.force += f
            b.force -= f
        for body in self.bodies:
            body.kick(dt)
        self.log["energy"].append(self.kinetic)
        self.log["steps"] += 1

    def __call__(self, n):
        for _ in range(n):
            self.step(0.05)
        return self


def n_bodies(x):
    system = System.pair(x)(5)
    return system.log["energy"][-1] + sum(system.bodies[0].path) / system.log["steps"]


def runge_kutta_with_a_state_dict(x):
    def rhs(state, t):
        return {"u": state["v"], "v": -x[3] * np.sin(state["u"]) + math.cos(t)}

    def moved(state, k, h):
        return {name: state[name] + h * k[name] for name in state}

    state = {"u": x[0], "v": x[1]}
    t, h = 0.0, 0.1
    for _ in range(4):
        k1 = rhs(state, t)
        k2 = rhs(moved(state, k1, h / 2), t + h / 2)
        k3 = rhs(moved(state, k2, h / 2), t + h / 2)
        k4 = rhs(moved(state, k3, h), t + h)
        state = {name: state[name] + h / 6 * (k1[name] + 2 * k2[name] + 2 * k3[name] + k4[name]) for name in state}
        t += h
    return state["u"] ** 2 + state["v"] * x[2]


OBSERVED = [np.array([0.1]), np.array([0.4]), np.array([0.2])]


def kalman_filter(x):
    transition = np.array([[1.0, x[0]], [0.0, 1.0]])
    noise = np.diag([x[1] ** 2, 0.01])
    measured = np.array([[1.0, 0.0]])
    mean, covariance = np.zeros(2), np.eye(2)
    likelihood = 0.0
    for y in OBSERVED:
        mean = transition @ mean
        covariance = transition @ covariance @ transition.T + noise
        s = measured @ covariance @ measured.T + x[3] ** 2
        innovation = y - measured @ mean
        gain = np.linalg.solve(s, measured @ covariance).T
        likelihood -= 0.5 * (innovation @ np.linalg.inv(s) @ innovation + np.log(np.linalg.det(s)))
        mean += gain @ innovation
        covariance -= gain @ measured @ covariance
    return likelihood + x[2] * mean[1]


ELEMENTS = np.array([[0, 1], [1, 2], [2, 3], [3, 4]])


def finite_elements(x):
    stiffness = np.zeros((5, 5))
    load = np.zeros(5)
    for k, (i, j) in enumerate(ELEMENTS):
        local = (1.0 + x[k] ** 2) * np.array([[1.0, -1.0], [-1.0, 1.0]])
        stiffness[np.ix_([i, j], [i, j])] += local
    np.add.at(load, ELEMENTS.ravel(), np.repeat(x, 2))
    stiffness[0, :] = 0.0
    stiffness[0, 0] = 1.0
    load[0] = 0.0
    np.fill_diagonal(stiffness, np.diagonal(stiffness) + 0.1)
    return load @ np.linalg.solve(stiffness, load)


def natural_spline(x):
    n = len(x)
    h = 0.5
    a = np.zeros((n, n))
    r = np.zeros(n)
    a[0, 0] = a[-1, -1] = 1.0
    for i in range(1, n - 1):
        a[i, i - 1], a[i, i], a[i, i + 1] = h / 6, 2 * h / 3, h / 6
        r[i] = (x[i + 1] - 2 * x[i] + x[i - 1]) / h
    m = np.linalg.solve(a, r)
    total = 0.0
    for t in (0.1, 0.7, 1.3):
        i = bisect.bisect([0.0, h, 2 * h, 3 * h], t) - 1
        s = t - i * h
        slope = (x[i + 1] - x[i]) / h - h * (2 * m[i] + m[i + 1]) / 6
        total += x[i] + s * slope + s ** 2 * m[i] / 2 + s ** 3 * (m[i + 1] - m[i]) / (6 * h)
    return total


def edit_distance_with_a_table(x):
    a, b = "kitten", "sitting"
    table = np.zeros((len(a) + 1, len(b) + 1))
    table[1:, 0] = np.arange(1, len(a) + 1) * abs(x[0])
    table[0, 1:] = np.cumsum(np.full(len(b), x[1]))
    for i, p in enumerate(a, 1):
        for j, q in enumerate(b, 1):
            table[i, j] = min(table[i - 1, j] + abs(x[0]), table[i, j - 1] + x[1], table[i - 1, j - 1] + (0.0 if p == q else x[3]))
    return table[-1, -1]


def shortest_path(x):
    graph = {"a": {"b": x[0], "c": x[3]}, "b": {"c": x[1], "d": 2.0}, "c": {"d": x[0] * x[1]}, "d": {}}
    best, queue = {}, [(0.0, "a")]
    while queue:
        cost, node = heapq.heappop(queue)
        if node in best:
            continue
        best[node] = cost
        for other, weight in graph[node].items():
            heapq.heappush(queue, (cost + weight, other))
    return best["d"] ** 2


class Layer(abc.ABC):
    registry = {}  # noqa: RUF012  (of all layers)

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        Layer.registry[cls.__name__.lower()] = cls

    @abc.abstractmethod
    def forward(self, x): ...

    def __call__(self, x):
        self.seen = x
        return self.forward(x)


class Dense(Layer):
    def __init__(self, weight, bias):
        self.weight, self.bias = weight, bias

    def forward(self, x):
        out = np.empty(len(self.bias))
        np.matmul(self.weight, x, out=out)
        out += self.bias
        return out


class Activation(Layer):
    def __init__(self, function):
        self.function = function

    def forward(self, x):
        return self.function(x)


def leaky(x, slope=0.1):
    out = x.copy()
    out[x < 0] *= slope
    return out


class Network:
    def __init__(self, *layers):
        self.layers = list(layers)

    def __len__(self):
        return len(self.layers)

    def __iter__(self):
        return iter(self.layers)

    def __call__(self, x):
        return functools.reduce(lambda value, layer: layer(value), self, x)


def network_of_layers(x):
    network = Network(
        Layer.registry["dense"](np.outer(x, x)[:3], x[:3]), Activation(np.tanh),
        Dense(np.ones((2, 3)) * x[0], np.zeros(2)), Activation(leaky),
    )
    return np.sum(network(x) ** 2) + np.sum(network.layers[1].seen) / len(network)


FIXED = Network(Dense(np.arange(8.0).reshape(2, 4), np.ones(2)), Activation(leaky), Activation(lambda v: v ** 2))


def network_that_exists_already(x):
    return np.sum(FIXED(x))


def optimiser_inside(x):
    w = np.zeros(2)
    momentum = {"w": np.zeros(2)}
    for step in range(6):
        residual = w - x[:2] * x[2]
        gradient = 2 * residual + 0.1 * w ** 3
        momentum["w"] *= 0.9
        momentum["w"] -= 0.05 * gradient
        w += momentum["w"]
        if np.linalg.norm(gradient) < 1e-3:
            break
    return np.sum(w ** 2) * x[3]


def newton_to_convergence(x):
    y, steps = 1.0, 0
    while abs(y * y - abs(x[3])) > 1e-12 and steps < 50:
        y, steps = 0.5 * (y + abs(x[3]) / y), steps + 1
    return y * x[0]


def sparse_product_by_index_arrays(x):
    rows, columns = np.array([0, 0, 1, 2, 3, 3]), np.array([0, 2, 1, 3, 0, 3])
    values = np.outer(x, x).ravel()[: len(rows)]
    y = np.zeros(4)
    np.add.at(y, rows, values * x[columns])
    z = np.bincount(rows, minlength=4) * y
    return np.sum(z ** 2)


def image_convolution(x):
    image = np.outer(x, x)
    kernel = np.array([[0.0, 1.0], [1.0, x[0]]])
    out = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            for di, dj in np.ndindex(kernel.shape):
                out[i, j] += image[i + di, j + dj] * kernel[di, dj]
    for index, value in np.ndenumerate(out):
        out[index] = value * (sum(index) + 1)
    return np.sum(np.maximum(out, 0.0) ** 2)


def game_of_matrices(x):
    class Board:
        moves = {  # noqa: RUF012  (functions in a class)
            "flip": lambda m: m[::-1], "turn": np.transpose, "scale": functools.partial(operator.mul, 2.0),
        }

        def __init__(self, grid):
            self.grid = grid
            self.history = collections.deque(maxlen=2)

        def play(self, move):
            self.history.append(np.trace(self.grid))
            self.grid = self.moves[move](self.grid)
            self.grid[0, 0] += 1.0
            return self

    board = Board(np.outer(x, x))
    for move in ("flip", "turn", "scale", "flip"):
        board.play(move)
    return np.sum(board.grid[0] ** 2) + sum(board.history)


def metropolis_log_density(x):
    rng = np.random.default_rng(7)
    position, total = x * 1.0, 0.0

    def log_density(p):
        return -0.5 * np.sum(p ** 2) - np.logaddexp(p[0], p[1])

    for _ in range(5):
        proposal = position + 0.3 * rng.standard_normal(4)
        if math.log(rng.random()) < log_density(proposal) - log_density(position):
            position = proposal
        total += log_density(position)
    order = rng.permutation(4)
    return total + position[order][0]


def gram_schmidt_with_a_list(x):
    basis = []
    for row in np.outer(x, x) + np.diag(np.arange(1.0, 5.0)):
        for b in basis:
            row = row - (row @ b) * b
        basis.append(row / np.linalg.norm(row))
    return np.sum(np.array(basis)[:, 0] * x)


WHOLE = [
    n_bodies, runge_kutta_with_a_state_dict, kalman_filter, finite_elements, natural_spline, edit_distance_with_a_table, shortest_path,
    network_of_layers, network_that_exists_already, optimiser_inside, newton_to_convergence, sparse_product_by_index_arrays,
    image_convolution, game_of_matrices, metropolis_log_density, gram_schmidt_with_a_list,
]


@pytest.mark.parametrize("f", WHOLE, ids=lambda f: f.__name__)
def test_whole_programs(f):
    check(f)


# Where functions are found


def squares(u):
    out = np.zeros(len(u))
    for i, value in enumerate(u):
        out[i] = value * value
    return out


def cubes(u):
    out = np.zeros(len(u))
    out[:] = u ** 3
    return out


STAGES = [squares, (cubes, [np.sin])]
TABLE = {"squares": squares, squares: "squares", "zeros": np.zeros, "inner": {"exp": math.exp}}
SPACE = types.SimpleNamespace(stage=squares, more=[cubes])
LATER = functools.partial(np.multiply, np.array([1.0, 2.0, 3.0, 4.0]))


def from_containers(x):
    a = STAGES[0](x) * STAGES[1][0](x) + STAGES[1][1][0](x)
    b = TABLE["zeros"](4)
    b[1] = TABLE["inner"]["exp"](x[0])
    c = TABLE[TABLE[squares]](x) if squares in TABLE else 0.0
    return np.sum(a + b + c + SPACE.stage(x) + SPACE.more[0](x) + LATER(x))


def from_local_containers(x):
    functions = {name: functools.partial(f) for name, f in zip("ab", (squares, cubes))}
    pipeline = collections.OrderedDict(first=functions["a"], second=np.zeros_like)
    buffer = pipeline["second"](x)
    buffer[:] = pipeline["first"](x)
    return sum(np.sum(f(buffer)) for f in functions.values())


def decorated(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        wrapper.calls += 1
        out = np.zeros(4)
        out[:] = function(*args, **kwargs)
        return out

    wrapper.calls = 0
    return wrapper


@decorated
def doubled(x, *, by=2.0):
    return by * x


WEIGHTS = np.array([1.0, 2.0, 3.0, 4.0])


def from_decorators_and_defaults(x, weights=WEIGHTS, stages=(squares, cubes)):
    return np.sum(doubled(x, by=x[0]) * weights) + sum(np.sum(stage(x)) for stage in stages)


class Vector:
    __slots__ = ("a", "b")

    def __init__(self, a, b):
        self.a, self.b = a, b

    def __add__(self, other):
        return type(self)(self.a + other.a, self.b + other.b)

    def __mul__(self, scale):
        return Vector(self.a * scale, self.b * scale)

    __rmul__ = __mul__

    def __matmul__(self, other):
        products = np.zeros(2)
        products[:] = self.a * other.a, self.b * other.b
        return np.sum(products)

    def __eq__(self, other):
        return isinstance(other, Vector) and self.a == other.a

    __hash__ = None


UNIT = Vector(1.0, 0.5)


def operators_of_user_classes(x):
    u, v = Vector(x[0], x[1]), Vector(x[2], x[3])
    w = 2.0 * u + v * x[0] + x[1] * UNIT
    return w @ u + (UNIT @ v if u == Vector(x[0], 0.0) and UNIT == UNIT else 0.0)


class Pair(NamedTuple):
    position: Any
    velocity: Any = 0.0

    def energy(self):
        e = np.zeros(1)
        e[0] = np.sum(self.position ** 2) + np.sum(self.velocity ** 2)
        return e[0]


@dataclass(frozen=True)
class Frozen:
    values: np.ndarray
    act: Any = squares

    def moved(self):
        return replace(self, values=self.act(self.values))

    @functools.cached_property
    def total(self):
        out = np.zeros(2)
        out[0] = np.sum(self.values)
        return out[0]


HELD = Pair(np.array([1.0, 2.0]), np.array([0.5]))
THAWED = Frozen(np.array([0.5, 2.0]))


def tuples_and_frozen_objects(x):
    pair = Pair(x[:2])._replace(velocity=x[2:] * 3)
    frozen = Frozen(x).moved().moved()
    return pair.energy() * HELD.energy() + frozen.total ** 2 + THAWED.moved().total * x[0]


class Reader(dict):
    def __missing__(self, key):
        self[key] = np.zeros(2)
        return self[key]

    def total(self):
        return sum(np.sum(value) for value in self.values())


class Scope:
    def __enter__(self):
        self.buffer = np.zeros(3)
        return self.buffer

    def __exit__(self, *args):
        self.buffer[2] = self.buffer[0] * self.buffer[1]


class Proxy:
    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        return getattr(self.inner, name)


READER = Reader()


def special_methods(x):
    reader = Reader()
    reader["a"][0] = x[0] ** 2
    reader["b"] += x[:2]
    scope = Scope()
    with scope as buffer:
        buffer[:2] = x[:2]
    return reader.total() + np.sum(scope.buffer) + Proxy(Pair(x)).energy() + (0.0 if READER else x[3])


FOUND = [
    from_containers, from_local_containers, from_decorators_and_defaults, operators_of_user_classes, tuples_and_frozen_objects,
    special_methods,
]


@pytest.mark.parametrize("f", FOUND, ids=lambda f: f.__name__)
def test_functions_and_methods_are_found(f):
    check(lambda x: f(x))
    assert not READER


# Types


def matches(x):
    total = 0.0
    for case in [("add", x[0]), ("mul", x[1], x[2]), {"k": x[3]}, 3, x]:
        match case:
            case ("add", value):
                total += value
            case ("mul", a, b):
                total += a * b
            case {"k": float(value)}:
                total += value ** 2
            case int():
                total += 1.0
            case np.ndarray():
                total += np.sum(case ** 2)
            case _:
                total += 100.0
    match x[0]:
        case np.float32() | int():
            return 100.0
        case float():
            return total


def asks_for_types(x):
    class Own(float):
        pass

    entry, own = x[0], Own(2.0)
    assert issubclass(type(entry), float) and issubclass(Own, float) and type(own) is Own and isinstance(own, float)
    assert type(x) is np.ndarray and type(x) in (list, np.ndarray)
    assert isinstance(entry, (int, np.floating)) and not isinstance(x, (list, float))
    assert np.zeros(2, dtype=float).dtype == float and np.issubdtype(x.dtype, np.floating) and x.astype(float).dtype.type == np.float64
    assert type("Made", (Own,), {"n": 1}).n == 1 and collections.defaultdict(float)["a"] == 0.0
    assert callable(squares) and not callable(entry)
    kinds = {float: 2.0, np.float64: 3.0, int: 5.0}
    return kinds[type(float(entry))] * entry + kinds[type(entry)] * x[1] + own * x[2]


def asks_for_attributes(x):
    y = x * 2.0
    view = y[1:]
    assert y.base is None and view.base is y and view[1:].base is y and y.flags.writeable and y.strides == (8,) and y.itemsize == 8
    assert np.may_share_memory(view, y) and np.shares_memory(y, view) and not np.shares_memory(x, y)
    assert np.all(x == list(x)) and (x != [9.0] * 4).sum() == 4 and x[1] in x and x[0] in [x[0]]
    view.flat[0] = x[0] ** 3
    y.flat[[0, 3]] = x[1], x[2]
    return np.sum(y ** 2) + sum(y.flat) + y.flat[2] * len(y.flat)


@pytest.mark.parametrize("f", [matches, asks_for_types, asks_for_attributes], ids=lambda f: f.__name__)
def test_types(f):
    check(f)


# What NumPy's protocols do not see


@np.vectorize
def stepped(v, w):
    return v * math.sin(v) if v > w else -v ** 2


def loops_of_numpys(x):
    a = np.vectorize(lambda v: v ** 2 if v > 0 else 0.0)(x) + stepped(x, 0.4)
    b = np.apply_along_axis(lambda row: row[:2] * row[-1], 1, np.outer(x, x))
    c = np.fromiter((v * v for v in x), dtype=float, count=3)
    d = np.piecewise(x, [x < 0, x > 1], [lambda v: v ** 2, np.exp, 0.5])
    e = np.fromfunction(lambda i, j: x[i.astype(int)] * (j + 1), (4, 2))
    return np.sum(a) + np.sum(b ** 2) + np.sum(c) + np.sum(d * x) + np.sum(e)


def joining_and_blocks(x):
    a = np.c_[x, x ** 2]
    b = np.r_[x[0], 1:3, x[1:3], 0.5]
    c = np.r_["0,2", x, x * 2]
    d = np.block([[np.outer(x, x), x[:, None]], [x[None], np.ones((1, 1))]])
    e, f = np.meshgrid(x, x[:2], indexing="ij")
    g, h = np.broadcast_arrays(x, np.outer(x, x))
    return np.sum(a ** 3) + np.sum(b ** 2) + np.sum(c @ c.T) + np.sum(d @ d) + np.sum(e * f ** 2) + np.sum(g * h)


def arrays_of_lists(x):
    a = np.array([[x[0], 1.0], [2, x[1]]])
    b = np.asarray(collections.deque([x, x ** 2]))
    c = np.array(x, copy=True, ndmin=2)
    c[0, 0] = 5.0
    d = np.ascontiguousarray(x.reshape(2, 2).T)
    d[0] = 0.0
    e = np.require(x, float, "C")
    e[1] = x[0] ** 2
    f = np.stack([v * x for v in x]) + np.array([v * v for v in x])
    lists = np.sum(x * [1, 2, 3, 4]) + np.sum([1.0, 2.0] * x[:2])
    return np.sum(a @ a) + np.sum(b) + np.sum(c) + np.sum(d) + np.sum(x ** 2) + np.sum(f) + lists


def functions_that_write(x):
    a = np.zeros(4)
    np.copyto(a, x, where=x > 0)
    np.put(a, [0, -1], x[1] * x[2])
    b = np.ones((2, 3))
    np.putmask(b, b > 0, x)
    np.place(b, [[True, False, False], [False, True, True]], [x[3], 2.0])
    c = np.ones(3)
    np.add.at(c, [0, 0, 1], x[:3])
    np.subtract.at(c, [2, 2], x[0])
    np.multiply.at(c, [1, 1], x[:2])
    np.maximum.at(c, [0, 2], [x[3], x[0]])
    d = np.zeros((4, 4))
    np.fill_diagonal(d[1:, 1:], x[:3])
    np.einsum("ii->i", d)[:2] += x[:2]
    e = np.full((2, 2), x[0])
    np.put_along_axis(e, np.array([[0], [1]]), x[:2, None], 1)
    return np.sum(a ** 2) + np.sum(b ** 2) + np.sum(c ** 2) + np.sum(d @ d) + np.sum(e @ e)


def writing_with_out(x):
    a, b, c = np.empty(4), np.empty(()), np.empty((2, 4))
    np.sin(x, out=a)
    np.add(a, x, a)
    np.sqrt(x, out=a, where=x > 0)
    np.sum(a, out=b)
    np.stack([a, x], out=c)
    d = np.empty(8)
    np.concatenate([a, x], out=d)
    np.cumsum(d, out=d)
    e = np.zeros(2)
    np.max(c, axis=1, out=e)
    return b * np.sum(c ** 2) + np.sum(d) + np.sum(e ** 2)


def methods_in_place(x):
    a = np.outer(x, x)
    a.sort(axis=0)
    b = x * 2
    b.partition(1)
    c = x.copy("F")
    c.put([1], x[0] ** 2)
    a.T[...] *= 2.0
    np.reshape(a, 16)[3] = x[3]
    return np.sum(a * np.arange(16.0).reshape(4, 4)) + b[1] * c[1] + np.sum(c.compress([True, False, True, True])) + c.searchsorted(0.4)


def draws_in_the_order_of_values(x):
    rng = np.random.default_rng(3)
    local = random.Random(5)
    y = x * 1.0
    rng.shuffle(y)
    shuffled = list(x)
    local.shuffle(shuffled)
    z = rng.standard_normal(3)
    z[0] = x[0]
    chosen = rng.choice(x) * np.sum(rng.permutation(x)[:2])
    return y[0] * y[1] ** 2 + shuffled[0] ** 3 + chosen + np.sum(z) + local.choice(x) * local.uniform(0, x[3])


def python_on_numbers(x):
    a = math.fsum(v * v for v in x) + math.hypot(*x) + math.dist(x[:2], x[2:]) + math.prod(x, start=2.0) + math.log(x[3], 2)
    a += math.copysign(x[0], -1.0) + math.modf(x[3])[0] + math.ldexp(x[1], 2)
    b = sorted(x, key=abs)[1] + max(x, key=lambda v: -v) + sum(itertools.accumulate(x, operator.mul)) + functools.reduce(operator.add, x)
    c = operator.itemgetter(1)(x) * operator.methodcaller("sum")(x) + heapq.nlargest(2, x)[1] + divmod(x[3], 0.5)[1]
    d = copy.copy(x)
    operator.iadd(d, x)
    operator.setitem(d, 0, x[3])
    e = copy.deepcopy({"a": [x, (x[0],)]})
    e["a"][0][1] = 7.0
    return a + b + c + np.sum(d ** 2) + np.sum(e["a"][0]) + e["a"][1][0] + int(x[3] * 3) * x[0] + pow(x[3], 3)


PROTOCOLS = [
    loops_of_numpys, joining_and_blocks, arrays_of_lists, functions_that_write, writing_with_out, methods_in_place,
    draws_in_the_order_of_values, python_on_numbers,
]


@pytest.mark.parametrize("f", PROTOCOLS, ids=lambda f: f.__name__)
def test_what_numpys_protocols_do_not_see(f):
    check(f)


def reports(x):
    loss = np.sum(x ** 2)
    print("%.3f %e %g %5d" % (loss, x[0], x[1], x[3]), "%s" % loss)  # noqa: UP031
    print("{:5.1f}|{:.2e}".format(*x[:2]), f"{x[1]:8.3f} {x!r}", str(x), np.array2string(x))
    logging.getLogger("quiet").info("loss %.3f of %s", loss, x)
    with np.printoptions(precision=2), np.errstate(all="ignore"):
        print(x, [loss], {"loss": loss}, np.round(x, 2), sep="\n")
    assert np.isfinite(loss), "no loss: %.3f" % loss  # noqa: UP031
    return loss * float("2.5")


def test_reporting_is_free(capsys, caplog):
    caplog.set_level("INFO")
    reports(X)
    printed, logged = capsys.readouterr().out, caplog.text
    caplog.clear()
    sourcediff.grad(reports, mode="eager")(X)
    assert capsys.readouterr().out == printed and caplog.text == logged
    check(reports)


def read_from_scientific_text(x):
    return float("%.4e" % x[0]) ** 2  # noqa: UP031


def read_from_general_text(x):
    return sum(map(float, ("%g %g" % (x[0], x[1])).split()))  # noqa: UP031


def read_from_integer_text(x):
    return x[0] * int("%d" % x[3])  # noqa: UP031


@pytest.mark.parametrize("f", [read_from_scientific_text, read_from_general_text], ids=lambda f: f.__name__)
def test_a_number_read_from_formatted_text_is_refused(f):
    with pytest.raises(NonDifferentiableError, match="text"):
        sourcediff.grad(f, mode="eager")(X.copy())
    check(read_from_integer_text)  # as int(x[3]) is: piecewise constant


# Errors of the program's own are NumPy's, and refusals name the line


def out_of_bounds(x):
    try:
        x[7] = 1.0
    except IndexError as error:
        assert "out of bounds" in str(error)
        return x[0] ** 2


def ragged(x):
    try:
        return np.sum(np.array([x, x[:2]]))
    except ValueError:
        return x[0] ** 2


def read_only(x):
    a = np.outer(x, x)
    d = np.diagonal(a)
    try:
        d[0] = x[0]
    except ValueError:
        a[0, 0] = 5.0 * x[1]
        return np.sum(d ** 2)


def shapes_do_not_fit(x):
    try:
        x += np.ones((2, 4))
    except ValueError:
        return np.sum(x ** 2)


def raises_its_own(x):
    class Found(Exception):
        pass

    try:
        raise Found(x[0] ** 2)
    except Found as found:
        return found.args[0] * x[1]


@pytest.mark.parametrize("f", [out_of_bounds, ragged, read_only, shapes_do_not_fit, raises_its_own], ids=lambda f: f.__name__)
def test_errors_are_those_of_a_plain_call(f):
    check(f)


def into_integers(x):
    a = np.zeros(4, dtype=int)
    a[0] = x[3] * 3
    return np.sum(a * x)


def into_a_list_of_integers(x):
    a = np.arange(4)
    np.copyto(a, x, casting="unsafe")
    return np.sum(a * x)


def vectorized_to_integers(x):
    return np.sum(np.vectorize(lambda v: v if v > 0.4 else 0)(x) * 1.0)


def random_parameters(x):
    return np.sum(np.random.default_rng(0).poisson(x ** 2) * x)


def iterating_in_c(x):
    return sum(float(v) for v, _ in np.nditer([x, x]))


def percent_formatting(x):
    return float("%.3f" % x[0]) ** 2  # noqa: UP031


WORK = np.zeros(4)


def into_a_default(x, buffer=WORK):
    buffer[:] = x
    return np.sum(buffer ** 2)


def into_an_attribute(x):
    FIXED.layers[0].bias[:] = x[:2]
    return np.sum(FIXED(x))


REFUSED = [
    into_integers, into_a_list_of_integers, vectorized_to_integers, random_parameters, iterating_in_c, percent_formatting, into_a_default,
    into_an_attribute,
]


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_refused_with_the_line(f):
    with pytest.raises((NonDifferentiableError, MissingRuleError, AliasingError)) as caught:
        sourcediff.grad(f, mode="eager")(X.copy())
    assert isinstance(caught.value, SourcediffError) and caught.value.places[0].file == __file__ and caught.value.remedy
    assert not WORK.any() and FIXED.layers[0].bias.tolist() == [1.0, 1.0]
