"""Natural Python/NumPy idioms. REGISTRY: name -> (function, args, options)."""

import functools
import itertools
import math
import operator
import time
import warnings
from collections import OrderedDict, defaultdict, deque, namedtuple
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

REGISTRY = {}


def case(f, *args, x2=None, reset=None):
    REGISTRY[f.__name__[2:]] = (f, args, {"x2": x2, "reset": reset})


A3 = np.array([0.7, -0.4, 1.2])
A4 = np.array([0.5, 1.3, -0.8, 0.9])
A6 = np.array([0.3, -0.6, 0.9, 1.1, -0.2, 0.4])
P3 = np.array([0.7, 1.4, 2.2])
W33 = np.array([[0.2, -0.5, 0.3], [0.7, 0.1, -0.4], [0.6, 0.8, -0.9]])
M34 = np.arange(12.0).reshape(3, 4) / 10 - 0.4


# ---------------------------------------------------------------- functions as values


def f_lambda_named(x, k):
    energy = lambda r: 0.5 * k * r**2
    damp = lambda r, c=0.3: np.exp(-c * np.abs(r) ** 2)
    total = 0.0
    for r in x:
        total = total + energy(r) * damp(r)
    return total


case(f_lambda_named, A3, 1.7)


def f_inner_function(x, dt):
    def rhs(y, t):
        return -0.5 * y + np.sin(t) * y[::-1]

    y, t = x, 0.0
    for _ in range(4):
        k1 = rhs(y, t)
        k2 = rhs(y + dt * k1 / 2, t + dt / 2)
        y = y + dt * k2
        t += dt
    return np.sum(y**2)


case(f_inner_function, A3, 0.1)


def f_funcs_tuple(x):
    basis = (np.sin, np.cos, np.tanh, lambda z: z**3)
    coef = (0.5, -1.0, 2.0, 0.1)
    out = np.zeros_like(x)
    for c, phi in zip(coef, basis):
        out = out + c * phi(x)
    return float(np.dot(out, out))


case(f_funcs_tuple, A4)


def f_funcs_list_append(x, n):
    maps = []
    for i in range(n):
        maps.append(lambda z, i=i: np.tanh(z * (i + 1)))
    y = x
    for g in maps:
        y = g(y) + 0.1 * x
    return np.sum(y)


case(f_funcs_list_append, A3, 3)


ACT = {
    "tanh": np.tanh,
    "relu": lambda z: np.maximum(z, 0.0),
    "softplus": lambda z: np.log1p(np.exp(z)),
    "linear": lambda z: z,
}


def f_table_string(x, name):
    h = ACT[name](W33 @ x)
    return np.sum(h**2)


case(f_table_string, A3, "softplus")


def f_table_get(x, name):
    act = ACT.get(name, np.tanh)
    g = ACT.get("nope", np.sin)
    h = act(W33 @ x) * g(x)
    return np.sum(h)


case(f_table_get, A3, "gelu")


def f_table_loop_layers(x, names):
    h = x
    for i, name in enumerate(names):
        h = ACT[name](W33 @ h + 0.1 * i)
    return h.sum()


case(f_table_loop_layers, A3, ["tanh", "softplus", "linear"])


def f_getattr_np(x, name):
    f = getattr(np, name)
    total = 0.0
    for other in ("sin", "exp"):
        total = total + np.sum(f(x) * getattr(np, other)(x))
    return total


case(f_getattr_np, A3, "cos")


def _dense(x, w, act=None):
    if act is None:
        act = np.tanh
    return act(w @ x)


def f_default_act_none(x):
    h = _dense(x, W33)
    h = _dense(h, W33.T, act=np.sin)
    return np.sum(h * h)


case(f_default_act_none, A3)


def f_partial(x, k):
    def lj(r, eps, sigma):
        s6 = (sigma / r) ** 6
        return 4 * eps * (s6**2 - s6)

    pot = functools.partial(lj, eps=0.5, sigma=1.1)
    spring = functools.partial(lambda k, r: k * r**2, k)
    return np.sum(pot(x)) + np.sum(spring(x))


case(f_partial, np.array([1.2, 1.5, 1.9]), 0.3)


def f_map(x, n):
    rows = list(map(lambda i: x ** (i + 1), range(n)))
    scaled = map(operator.mul, [0.5, 1.5, -0.25], rows)
    return np.sum(sum(scaled))


case(f_map, A3, 3)


def f_reduce(x, n):
    fs = [np.sin, lambda z: z * z, np.exp]
    composed = functools.reduce(lambda f, g: lambda z: g(f(z)), fs)
    mats = [W33] * n
    prod = functools.reduce(np.matmul, mats)
    return np.sum(composed(prod @ x))


case(f_reduce, A3, 3)


def f_return_function(x, degree):
    def make_poly(c):
        def poly(z):
            out = 0.0
            for a in reversed(c):
                out = out * z + a
            return out

        return poly

    p = make_poly([0.1 * (i + 1) for i in range(degree)])
    q = make_poly([x[0], x[1] ** 2])
    return np.sum(p(x) * q(x))


case(f_return_function, A3, 4)


def f_dict_of_lambdas(x, kind):
    kernels = dict(
        rbf=lambda r2, s: np.exp(-r2 / (2 * s**2)),
        rq=lambda r2, s: 1 / (1 + r2 / s**2),
    )
    kernel = kernels[kind]
    total = 0.0
    for i in range(len(x)):
        for j in range(i):
            total += kernel((x[i] - x[j]) ** 2, 0.8)
    return total


case(f_dict_of_lambdas, A4, "rq")


def _compose(*fs):
    def h(z):
        for f in fs:
            z = f(z)
        return z

    return h


def f_compose_varargs(x):
    net = _compose(np.sin, lambda z: W33 @ z, functools.partial(np.multiply, 0.5), np.tanh)
    return np.sum(net(x) ** 2)


case(f_compose_varargs, A3)


def f_callback(x, n):
    def fixed_point(g, z, n, callback=None):
        for i in range(n):
            z = g(z)
            if callback is not None:
                callback(i, z)
        return z

    history = []
    z = fixed_point(lambda z: 0.5 * np.cos(z) + 0.2 * x, x, n, callback=lambda i, z: history.append(z))
    return np.sum(z) + 0.1 * sum(np.sum(h**2) for h in history)


case(f_callback, A3, 4)


def f_sorted_key_operators(x, ops):
    table = {"+": operator.add, "*": operator.mul, "-": operator.sub}
    acc = x
    for op in ops:
        acc = table[op](acc, 0.5 * x + 1.0)
    return np.sum(np.sin(acc))


case(f_sorted_key_operators, A3, "+*-")


# ---------------------------------------------------------------- classes


class Layer:
    scale = 1.0

    def forward(self, x):
        raise NotImplementedError

    def __call__(self, x):
        return self.scale * self.forward(x)


class Linear(Layer):
    def __init__(self, W, b=None):
        self.W = W
        self.b = np.zeros(W.shape[0]) if b is None else b

    def forward(self, x):
        return self.W @ x + self.b


class Act(Layer):
    def __init__(self, fn=np.tanh):
        self.fn = fn

    def forward(self, x):
        return self.fn(x)


class Scaled(Linear):
    scale = 0.5

    def __init__(self, W, gain):
        super().__init__(W)
        self.gain = gain

    def forward(self, x):
        return self.gain * super().forward(x)


class Net:
    def __init__(self, *layers):
        self.layers = list(layers)
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        for layer in self.layers:
            x = layer.forward(x)
        return x

    def __iter__(self):
        return iter(self.layers)

    def __len__(self):
        return len(self.layers)

    def __getitem__(self, i):
        return self.layers[i]


def f_net_forward(x):
    net = Net(Linear(W33), Act(), Scaled(W33, 0.7), Act(np.sin))
    y = net.forward(x)
    return np.sum(y**2) / net.calls


case(f_net_forward, A3)


def f_net_params_from_x(x):
    W1 = x[:9].reshape(3, 3)
    b1 = x[9:]
    net = Net(Linear(W1, b1), Act(), Linear(W1.T))
    out = net.forward(np.array([0.1, 0.5, -0.2]))
    reg = sum(np.sum(l.W**2) for l in net if isinstance(l, Linear))
    return np.sum(out**2) + 0.01 * reg


case(f_net_params_from_x, np.linspace(-1, 1, 12) ** 2 + 0.1)


def f_net_call_getitem(x):
    net = Net(Linear(W33), Act(np.tanh), Scaled(W33, 2.0))
    h = net[0](x)
    for i in range(1, len(net)):
        h = net[i](h)
    return np.sum(h) + np.sum(net[-1](x) ** 2)


case(f_net_call_getitem, A3)


def f_layers_dict(x):
    layers = OrderedDict()
    layers["in"] = Linear(W33)
    layers["act"] = Act()
    layers["out"] = Scaled(W33.T, 0.3)
    trace = {}
    h = x
    for name, layer in layers.items():
        h = layer(h)
        trace[name] = h
    return np.sum(h) + np.sum(trace["act"] ** 2)


case(f_layers_dict, A3)


class Body:
    def __init__(self, m, r, v):
        self.m, self.r, self.v = m, r, v

    @property
    def momentum(self):
        return self.m * self.v

    @property
    def kinetic(self):
        return 0.5 * np.sum(self.momentum * self.v)

    def kick(self, f, dt):
        self.v = self.v + dt * f / self.m
        return self

    def drift(self, dt):
        self.r = self.r + dt * self.v
        return self


def f_bodies_property(x, dt):
    a = Body(1.0, x[:2], np.array([0.0, 0.3]))
    b = Body(2.0, x[2:], np.array([0.1, 0.0]))
    for _ in range(3):
        d = b.r - a.r
        force = d / (np.sum(d**2) + 0.1) ** 1.5
        a.kick(force, dt).drift(dt)
        b.kick(-force, dt).drift(dt)
    return a.kinetic + b.kinetic


case(f_bodies_property, A4, 0.1)


def f_bodies_list(x, n):
    bodies = [Body(1.0 + i, x[2 * i : 2 * i + 2], np.zeros(2)) for i in range(n)]
    for i, p in enumerate(bodies):
        for q in bodies[i + 1 :]:
            d = q.r - p.r
            f = d / (d @ d + 0.2)
            p.kick(f, 0.2)
            q.kick(-f, 0.2)
    return sum(p.kinetic for p in bodies) + np.sum(bodies[-1].momentum * 0.1)


case(f_bodies_list, A6, 3)


class Op:
    def __init__(self, m):
        self.m = m

    def __matmul__(self, other):
        if isinstance(other, Op):
            return Op(self.m @ other.m)
        return self.m @ other

    def __add__(self, other):
        return Op(self.m + other.m)

    def __mul__(self, c):
        return Op(self.m * c)

    __rmul__ = __mul__

    @property
    def T(self):
        return Op(self.m.T)


def f_operator_class(x):
    H = Op(W33) + 0.5 * Op(np.outer(x, x))
    S = H @ H.T
    v = np.array([1.0, -0.5, 0.25])
    return float(v @ (S @ v))


case(f_operator_class, A3)


class Dual:
    def __init__(self, v, d=0.0):
        self.v, self.d = v, d

    def __add__(self, o):
        o = o if isinstance(o, Dual) else Dual(o)
        return Dual(self.v + o.v, self.d + o.d)

    def __mul__(self, o):
        o = o if isinstance(o, Dual) else Dual(o)
        return Dual(self.v * o.v, self.v * o.d + self.d * o.v)

    __radd__, __rmul__ = __add__, __mul__


def f_dual_numbers(x):
    z = Dual(x, 1.0)
    p = 3.0 * z * z + z * 2 + 1.0
    for _ in range(2):
        p = p * 0.5 + z * z
    return np.sum(p.d * p.v)


case(f_dual_numbers, A3)


class Grid:
    def __init__(self, u, dx):
        self._u = u
        self.dx = dx

    def __getitem__(self, k):
        return self._u[k]

    def __setitem__(self, k, v):
        self._u[k] = v

    def __len__(self):
        return len(self._u)


def f_getitem_setitem(x):
    g = Grid(x.copy(), 0.5)
    for _ in range(3):
        g[1:-1] = g[1:-1] + 0.1 * (g[2:] - 2 * g[1:-1] + g[:-2]) / g.dx**2
        g[0] = 0.5 * g[1]
    total = 0.0
    for i in range(len(g)):
        total += g[i] ** 2
    return total


case(f_getitem_setitem, A6)


class Walk:
    def __init__(self, x0, n):
        self.x0, self.n = x0, n

    def __iter__(self):
        x = self.x0
        for i in range(self.n):
            yield x
            x = np.sin(x) + 0.1 * i

    def __contains__(self, k):
        return k < self.n


def f_iter_protocol(x):
    w = Walk(x, 4)
    total = 0.0
    for step in w:
        total += np.sum(step**2)
    if 3 in w:
        total *= 2
    return total


case(f_iter_protocol, A3)


@dataclass(frozen=True)
class State:
    q: np.ndarray
    p: np.ndarray
    t: float = 0.0

    def energy(self):
        return 0.5 * np.sum(self.p**2) + np.sum(1 - np.cos(self.q))


def f_dataclass_replace(x, dt, n):
    s = State(q=x, p=0.5 * x[::-1])
    for _ in range(n):
        s = replace(s, p=s.p - dt * np.sin(s.q))
        s = replace(s, q=s.q + dt * s.p, t=s.t + dt)
    return s.energy() + np.sum(s.q) * s.t


case(f_dataclass_replace, A3, 0.1, 4)


@dataclass
class Params:
    W: np.ndarray
    b: np.ndarray
    lam: float = 0.01
    log: list = field(default_factory=list)

    def __post_init__(self):
        self.n = self.W.shape[0]

    def penalty(self):
        return self.lam * np.sum(self.W**2) / self.n


def f_dataclass_fields(x):
    p = Params(np.outer(x, x), x[::-1] * 2)
    h = np.tanh(p.W @ x + p.b)
    p.log.append(np.sum(h))
    p.log.append(np.sum(h**2))
    return sum(p.log) + p.penalty() + vars(p)["lam"] * np.sum(vars(p)["b"])


case(f_dataclass_fields, A3)


class Cell:
    def __init__(self, Wx, Wh, b):
        self.Wx, self.Wh, self.b = Wx, Wh, b

    def __call__(self, h, x):
        return np.tanh(self.Wx * x + self.Wh @ h + self.b)


def f_cell_star_params(x, xs):
    params = (x, W33, 0.1 * x**2)
    cell = Cell(*params)
    h = np.zeros(3)
    for t in range(len(xs)):
        h = cell(h, xs[t])
    return np.sum(h**2)


case(f_cell_star_params, A3, np.array([0.5, -0.3, 0.8]))


def f_namespace_kwargs(x, cfg):
    p = SimpleNamespace(**cfg)
    p.theta = x * p.scale
    p.count = 0
    while p.count < p.steps:
        p.theta = p.theta - p.lr * np.sin(p.theta)
        p.count += 1
    return np.sum(p.theta**2)


case(f_namespace_kwargs, A3, {"scale": 1.5, "lr": 0.1, "steps": 3})


def f_vars_items(x):
    p = SimpleNamespace(a=x, b=x**2, c=np.sin(x))
    reg = 0.0
    for name, v in vars(p).items():
        weight = 2.0 if name == "b" else 0.5
        reg = reg + weight * np.sum(v**2)
    return reg


case(f_vars_items, A3)


def f_dict_union(x, defaults):
    params = {"w": x, "b": np.sum(x)}
    params = defaults | params
    params |= {"scale": 2.0}
    merged = {**params, "extra": x[0] * x[1]}
    y = np.tanh(merged["w"] * merged["scale"] + merged["b"] * merged["lam"])
    return np.sum(y) + merged["extra"]


case(f_dict_union, A3, {"w": 0.0, "lam": 0.3, "scale": 1.0})


Phase = namedtuple("Phase", "q p")


def _leap(ph, dt):
    p = ph.p - dt * ph.q**3
    q = ph.q + dt * p
    return Phase(q, p)


def f_namedtuple_helper(x, dt):
    ph = Phase(q=x, p=np.zeros(3))
    for _ in range(4):
        ph = _leap(ph, dt)
        ph = ph._replace(p=0.99 * ph.p)
    q, p = ph
    return np.sum(q * q) + np.sum(p * ph[0])


case(f_namedtuple_helper, A3, 0.1)


class Stats(NamedTuple):
    mean: float
    var: float
    n: int = 0

    @property
    def cv(self):
        return self.var / (1 + self.mean**2)


def _stats(x):
    m = np.mean(x)
    return Stats(m, np.mean((x - m) ** 2), len(x))


def f_typed_namedtuple(x):
    s = _stats(x)
    t = _stats(np.exp(x) + s.mean)
    return s.cv + t.cv * s.n + t.mean


case(f_typed_namedtuple, A4)


class Counter:
    calls = 0

    def __init__(self, f):
        self.f = f
        self.cache = {}

    def __call__(self, *a):
        self.calls += 1
        return self.f(*a)

    def const(self, n):
        if n not in self.cache:
            self.cache[n] = np.linspace(0.0, 1.0, n)
        return self.cache[n]


def f_counting_wrapper(x):
    g = Counter(lambda z: np.sin(z) * z)
    y = x
    for _ in range(3):
        y = g(y) + 0.3 * g.const(len(x))
    return np.sum(y) + 0.0 * g.calls


case(f_counting_wrapper, A3)


class Model:
    kinds = {"lin": "linear_rule", "quad": "quad_rule"}

    def __init__(self, kind):
        self.rule = getattr(self, self.kinds[kind])
        self.coef = 0.3

    def linear_rule(self, x):
        return self.coef * x

    def quad_rule(self, x):
        return self.coef * x**2

    @staticmethod
    def squash(x):
        return x / (1 + x * x)

    @classmethod
    def default(cls):
        return cls("quad")


def f_bound_methods(x):
    m = Model.default()
    other = Model("lin")
    rules = [m.rule, other.rule, Model.squash]
    return sum(np.sum(r(x)) * (i + 1) for i, r in enumerate(rules))


case(f_bound_methods, A3)


class Sequential(list):
    def __call__(self, x):
        for f in self:
            x = f(x)
        return x


def f_list_subclass(x):
    net = Sequential([np.tanh, lambda z: W33 @ z])
    net.append(np.sin)
    return np.sum(net(x))


case(f_list_subclass, A3)


class ParamVector:
    def __init__(self, theta, shapes):
        self.parts = {}
        k = 0
        for name, shape in shapes.items():
            n = int(np.prod(shape))
            self.parts[name] = theta[k : k + n].reshape(shape)
            k += n

    def __getattr__(self, name):
        try:
            return self.__dict__["parts"][name]
        except KeyError:
            raise AttributeError(name)


def f_unpack_theta(x, shapes):
    p = ParamVector(x, shapes)
    h = np.tanh(p.W1 @ np.array([0.3, -0.7]) + p.b1)
    return np.sum(h**2) + np.sum(p.b1)


case(f_unpack_theta, A6, {"W1": (2, 2), "b1": (2,)})


class Adam:
    def __init__(self, lr=0.1, b1=0.9, b2=0.99):
        self.lr, self.b1, self.b2 = lr, b1, b2
        self.m = self.v = 0.0
        self.t = 0

    def step(self, w, g):
        self.t += 1
        self.m = self.b1 * self.m + (1 - self.b1) * g
        self.v = self.b2 * self.v + (1 - self.b2) * g**2
        mh = self.m / (1 - self.b1**self.t)
        vh = self.v / (1 - self.b2**self.t)
        return w - self.lr * mh / (np.sqrt(vh) + 0.1)


def f_adam_unrolled(x):
    opt = Adam(lr=0.05)
    w = x
    for _ in range(4):
        g = 2 * w + np.cos(w)
        w = opt.step(w, g)
    return np.sum(w**2)


case(f_adam_unrolled, A3)


class Potential:
    def __add__(self, other):
        return SumPotential(self, other)


class Harmonic(Potential):
    def __init__(self, k):
        self.k = k

    def __call__(self, r):
        return 0.5 * self.k * np.sum(r**2)


class Morse(Potential):
    def __init__(self, d, a):
        self.d, self.a = d, a

    def __call__(self, r):
        return self.d * np.sum((1 - np.exp(-self.a * r)) ** 2)


class SumPotential(Potential):
    def __init__(self, *terms):
        self.terms = terms

    def __call__(self, r):
        return sum(t(r) for t in self.terms)


def f_potential_sum(x):
    V = Harmonic(0.5) + Morse(1.2, 0.8) + Harmonic(x[0] ** 2)
    return V(x)


case(f_potential_sum, A3)


# ---------------------------------------------------------------- states carried


def f_state_dict(x, n):
    state = {"u": x, "v": np.zeros_like(x), "t": 0}
    for _ in range(n):
        state = {
            "u": state["u"] + 0.1 * state["v"],
            "v": state["v"] - 0.1 * np.sin(state["u"]),
            "t": state["t"] + 1,
        }
    return np.sum(state["u"] ** 2) * state["t"]


case(f_state_dict, A3, 4)


def f_state_dict_update(x, n):
    s = dict(pos=x, vel=0.2 * x**2)
    for k in range(n):
        acc = -s["pos"] / (1 + s["pos"] ** 2)
        s["vel"] += 0.1 * acc
        s.update(pos=s["pos"] + 0.1 * s["vel"])
    return sum(np.sum(v) for v in s.values())


case(f_state_dict_update, A3, 3)


def f_state_tuple(x, n):
    def body(i, carry):
        a, b = carry
        return b, a + 0.5 * np.tanh(b) * i

    carry = (x, x**2)
    for i in range(n):
        carry = body(i, carry)
    return np.sum(carry[0] * carry[1])


case(f_state_tuple, A3, 4)


def f_scan(x, n):
    def scan(f, init, xs):
        carry, ys = init, []
        for z in xs:
            carry, y = f(carry, z)
            ys.append(y)
        return carry, np.stack(ys)

    last, ys = scan(lambda c, z: (0.9 * c + np.sin(z), c * z), 0.1, x)
    return last + np.sum(ys**2)


case(f_scan, A4, 4)


def f_params_nested(x):
    params = [
        {"W": x[:4].reshape(2, 2), "b": x[4:]},
        {"W": np.array([[0.5, -0.3]]), "b": np.zeros(1)},
    ]
    h = np.array([0.4, -0.9])
    *hidden, last = params
    for layer in hidden:
        h = np.tanh(layer["W"] @ h + layer["b"])
    out = last["W"] @ h + last["b"]
    return float(out[0] ** 2)


case(f_params_nested, A6)


def f_tree_map(x):
    def tree_map(f, t):
        if isinstance(t, dict):
            return {k: tree_map(f, v) for k, v in t.items()}
        if isinstance(t, (list, tuple)):
            return type(t)(tree_map(f, v) for v in t)
        return f(t)

    tree = {"a": x, "b": [x**2, (x[0], 3.0)]}
    t2 = tree_map(lambda v: np.sum(np.sin(v)), tree)
    return t2["a"] + 2 * t2["b"][0] + t2["b"][1][0] * t2["b"][1][1]


case(f_tree_map, A3)


def f_list_append_stack(x, n):
    traj = [x]
    for i in range(n):
        traj.append(traj[-1] + 0.1 * np.cos(traj[-1]))
    traj = np.array(traj)
    return np.sum((traj[1:] - traj[:-1]) ** 2) + np.mean(traj)


case(f_list_append_stack, A3, 4)


def f_deque_lags(x):
    lags = deque([x[0], x[1]], maxlen=2)
    total = 0.0
    for z in x[2:]:
        pred = 0.6 * lags[-1] - 0.3 * lags[0]
        total += (z - pred) ** 2
        lags.append(z * pred)
    return total


case(f_deque_lags, A6)


def f_memo_dict(x, n):
    memo = {0: np.ones_like(x), 1: x}

    def cheb(k):
        if k not in memo:
            memo[k] = 2 * x * cheb(k - 1) - cheb(k - 2)
        return memo[k]

    return sum(np.sum(cheb(k)) / (k + 1) for k in range(n))


case(f_memo_dict, A3, 5)


def f_setdefault_groups(x, labels):
    groups = {}
    for i, lab in enumerate(labels):
        groups.setdefault(lab, []).append(x[i])
    total = 0.0
    for lab, vals in groups.items():
        mean = sum(vals) / len(vals)
        total += sum((v - mean) ** 2 for v in vals) * len(lab)
    return total


case(f_setdefault_groups, A6, ["a", "bb", "a", "bb", "bb", "a"])


def f_defaultdict_sum(x, edges):
    force = defaultdict(float)
    for i, j in edges:
        f = np.sin(x[i] - x[j])
        force[i] += f
        force[j] -= 0.5 * f
    return sum(v**2 for v in force.values())


case(f_defaultdict_sum, A4, [(0, 1), (1, 2), (2, 3), (3, 0)])


def f_pairs_data(x, pairs):
    e = 0.0
    for i, j in pairs:
        r = x[i] - x[j]
        e += 1.0 / (r * r + 0.3)
    return e


case(f_pairs_data, A4, np.array([[0, 1], [0, 2], [1, 3]]))


# ---------------------------------------------------------------- generators, itertools


def _euler(x, dt, n):
    for i in range(n):
        x = x + dt * np.cos(x)
        yield x


def f_generator(x):
    total = 0.0
    for i, y in enumerate(_euler(x, 0.1, 4), start=1):
        total += np.sum(y) * i
    return total


case(f_generator, A3)


def _powers(x, n):
    p = x
    for _ in range(n):
        yield p
        p = p * x


def _both(x):
    yield np.ones_like(x)
    yield from _powers(x, 2)
    yield from (np.sin(x) * k for k in range(1, 3))


def f_yield_from(x):
    terms = list(_both(x))
    return sum(np.sum(t) * (k + 1) for k, t in enumerate(terms))


case(f_yield_from, A3)


def f_enumerate_zip_gens(x):
    total = 0.0
    for i, (a, b) in enumerate(zip(_powers(x, 5), _euler(x, 0.2, 3))):
        total += (i + 1) * np.dot(a, b)
    return total


case(f_enumerate_zip_gens, A3)


def f_pairwise_combinations(x):
    d = sum((b - a) ** 2 for a, b in itertools.pairwise(x))
    e = 0.0
    for i, j in itertools.combinations(range(len(x)), 2):
        e += np.cos(x[i] * x[j])
    return d + e


case(f_pairwise_combinations, A4)


def f_accumulate_chain(x):
    run = list(itertools.accumulate(x, lambda a, b: 0.8 * a + b**2))
    total = 0.0
    for v in itertools.chain(run[:2], run[-1:]):
        total += np.sin(v)
    return total


case(f_accumulate_chain, A4)


def f_product_grid(x):
    total = 0.0
    for (i, a), b in itertools.product(enumerate(x), (0.5, 1.5)):
        total += np.tanh(a * b) * (i + 1)
    for w, v in zip(itertools.cycle([1.0, -1.0]), x):
        total += w * v**2
    return total


case(f_product_grid, A4)


def f_islice_count(x):
    total = 0.0
    for k, t in zip(itertools.count(1), itertools.islice(_powers(x, 100), 4)):
        total += np.sum(t) / math.factorial(k)
    return total


case(f_islice_count, A3)


def f_any_all_max(x):
    cols = [x * k for k in (1, 2, 3)]
    best = max(cols, key=lambda c: float(np.sum(c)))
    order = sorted(range(len(cols)), key=lambda i: -i)
    total = np.sum(best**2)
    for rank, i in enumerate(order):
        total += rank * np.sum(np.sin(cols[i]))
    return total


case(f_any_all_max, A3)


def f_next_iter(x):
    it = iter(x)
    prev = next(it)
    total = prev**2
    for cur in it:
        total += cur * prev
        prev = cur
    return total + next(it, 0.5)


case(f_next_iter, A4)


# ---------------------------------------------------------------- match, try, with


def f_match_string(x, kind):
    match kind:
        case "l1":
            r = np.sum(np.abs(x))
        case "l2" | "ridge":
            r = np.sum(x**2)
        case _:
            raise ValueError(kind)
    return 0.5 * r + np.sum(np.sin(x))


case(f_match_string, A3, "ridge")


def _eval_expr(e, x):
    match e:
        case ("add", a, b):
            return _eval_expr(a, x) + _eval_expr(b, x)
        case ("mul", a, b):
            return _eval_expr(a, x) * _eval_expr(b, x)
        case ("sin", a):
            return np.sin(_eval_expr(a, x))
        case int(i):
            return x[i]
        case float(c):
            return c


def f_match_tree(x, expr):
    return _eval_expr(expr, x)


case(f_match_tree, A3, ("add", ("mul", 0, ("sin", 1)), ("mul", 2, ("add", 2, 1.5))))


def f_match_class(x):
    total = 0.0
    for term in [Harmonic(0.4), Morse(1.0, 0.5)]:
        match term:
            case Harmonic(k=k):
                total += k * np.sum(x**2)
            case Morse(d=d, a=a):
                total += d * np.sum(np.exp(-a * x))
    return total


case(f_match_class, A3)


def f_try_plain(x, d):
    try:
        k = d["stiff"]
    except KeyError:
        k = 1.0
    try:
        y = np.sqrt(k + x**2)
    except FloatingPointError:
        y = x
    else:
        y = y * 2
    finally:
        scale = 0.5
    return np.sum(y) * scale


case(f_try_plain, A3, {"stiff": 2.0})


class Timer:
    def __enter__(self):
        self.t0 = time.perf_counter()
        return self

    def __exit__(self, *exc):
        self.dt = time.perf_counter() - self.t0
        return False


def f_with_timer(x):
    with Timer() as t:
        y = np.sin(x)
        for _ in range(3):
            y = y * x + 0.1
    assert t.dt >= 0
    return np.sum(y)


case(f_with_timer, A3)


def f_with_numpy_warnings(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        r = x / (x**2 + 0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        r = r * np.log(1 + x**2)
    return np.sum(r)


case(f_with_numpy_warnings, A3)


@contextmanager
def scaled(box, s):
    old = box["s"]
    box["s"] = s
    try:
        yield box
    finally:
        box["s"] = old


def f_with_contextmanager(x, quiet):
    box = {"s": 1.0}
    total = np.sum(x * box["s"])
    with scaled(box, 3.0) as b:
        total += np.sum(x**2 * b["s"])
    with nullcontext() if quiet else Timer():
        total += np.sum(np.sin(x) * box["s"])
    return total


case(f_with_contextmanager, A3, True)


# ---------------------------------------------------------------- recursion and others


def _fft_like(x):
    n = len(x)
    if n == 1:
        return x
    even, odd = _fft_like(x[::2]), _fft_like(x[1::2])
    w = np.cos(np.arange(n // 2) / n)
    return np.concatenate([even + w * odd, even - w * odd])


def f_recursion_split(x):
    return np.sum(np.sin(_fft_like(x)))


case(f_recursion_split, A4)


def _simpson(f, a, b, depth):
    m = 0.5 * (a + b)
    if depth == 0:
        return (b - a) / 6 * (f(a) + 4 * f(m) + f(b))
    return _simpson(f, a, m, depth - 1) + _simpson(f, m, b, depth - 1)


def f_recursion_quadrature(x):
    return _simpson(lambda t: np.exp(-x[0] * t) * np.cos(x[1] * t) + x[2] ** 2 * t, 0.0, 1.0, 2)


case(f_recursion_quadrature, A3)


class Node:
    def __init__(self, value, left=None, right=None):
        self.value, self.left, self.right = value, left, right

    def total(self, depth=0):
        t = np.sin(self.value) / (1 + depth)
        for child in (self.left, self.right):
            if child is not None:
                t = t + child.total(depth + 1) * self.value
        return t


def f_tree_nodes(x):
    root = Node(x[0], Node(x[1], Node(x[3])), Node(x[2]))
    return root.total()


case(f_tree_nodes, A4)


def f_kwargs_forwarding(x, opts):
    def inner(x, *, a=1.0, b=0.0, **rest):
        return np.sum(a * x**2 + b * x) * rest.get("scale", 1.0)

    def outer(x, *args, **kw):
        return inner(x, **kw) + sum(args) * np.sum(x)

    return outer(x, 0.5, 0.25, **opts)


case(f_kwargs_forwarding, A3, {"a": 0.7, "scale": 2.0})


_GRID_CACHE = {}


def _nodes(n):
    if n not in _GRID_CACHE:
        _GRID_CACHE[n] = np.linspace(-1, 1, n)
    return _GRID_CACHE[n]


def f_module_cache(x, n):
    t = _nodes(n)
    basis = np.stack([t**k for k in range(len(x))])
    y = x @ basis
    return np.sum(np.exp(y)) / len(_nodes(n))


case(f_module_cache, A3, 5, reset=_GRID_CACHE.clear)


@functools.lru_cache(maxsize=None)
def _binom(n, k):
    return 1 if k in (0, n) else _binom(n - 1, k - 1) + _binom(n - 1, k)


def f_lru_cache_bernstein(x, t):
    n = len(x) - 1
    out = 0.0
    for k, c in enumerate(x):
        out = out + c**2 * _binom(n, k) * t**k * (1 - t) ** (n - k)
    return out


case(f_lru_cache_bernstein, A4, 0.3)


def _logged(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        wrapper.calls += 1
        return f(*args, **kwargs)

    wrapper.calls = 0
    return wrapper


@_logged
def _soft(x, beta=1.0):
    return np.log1p(np.exp(beta * x)) / beta


def f_decorated_helper(x):
    return np.sum(_soft(x) + _soft(x, beta=2.0) * x)


case(f_decorated_helper, A3)


def f_comprehension_dict(x):
    feats = {f"p{k}": x**k for k in range(1, 4)}
    feats["s"] = np.sin(x)
    w = {"p1": 0.5, "p2": -1.0, "p3": 0.2, "s": 2.0}
    keys = [k for k in feats if k != "p2"]
    return sum(w[k] * np.sum(feats[k]) for k in keys) + len(feats) * feats["p2"].sum()


case(f_comprehension_dict, A3)


def f_zip_star(x):
    pts = [(x[0], x[1]), (x[2], x[3]), (x[4], x[5])]
    xs, ys = zip(*pts)
    xs, ys = np.array(xs), np.array(ys)
    area = np.sum(xs * np.roll(ys, -1) - ys * np.roll(xs, -1)) / 2
    return area**2


case(f_zip_star, A6)


def f_attr_loop_setattr(x, names):
    p = SimpleNamespace()
    for k, name in enumerate(names):
        setattr(p, name, x * (k + 1))
    total = 0.0
    for name in names:
        total += np.sum(getattr(p, name) ** 2)
    return total + np.sum(p.a * p.b)


case(f_attr_loop_setattr, A3, ("a", "b"))


def f_is_none_state(x):
    h = None
    outs = []
    for z in x:
        h = z if h is None else np.tanh(h + z)
        outs.append(h)
    return sum(outs) + outs[-1] ** 2


case(f_is_none_state, A4)


def f_format_history(x, verbose):
    hist = {"loss": [], "norm": []}
    w = x
    for it in range(3):
        loss = np.sum((w - 1) ** 2)
        hist["loss"].append(loss)
        hist["norm"].append(np.sqrt(np.sum(w**2)))
        if verbose:
            print(f"{it}: {loss:.3f}")
        w = w - 0.1 * 2 * (w - 1)
    return hist["loss"][-1] + np.mean(hist["norm"])


case(f_format_history, A3, False)


def f_sorted_dict_ravel(x):
    grads = {"b": x[:2], "a": x[2:] ** 2}
    flat = np.concatenate([grads[k].ravel() for k in sorted(grads)])
    return np.sum(flat * np.arange(1.0, len(flat) + 1))


case(f_sorted_dict_ravel, A4)


def f_scalar_bisect_newton(x, tol):
    f = lambda z: z**3 + x * z - 2.0
    df = lambda z: 3 * z**2 + x
    z = 1.0
    for it in range(20):
        step = f(z) / df(z)
        z = z - step
        if abs(step) < tol:
            break
    return z * z


case(f_scalar_bisect_newton, 1.3, 1e-10)


def f_registry_decorator(x, name):
    rules = {}

    def register(key):
        def deco(fn):
            rules[key] = fn
            return fn

        return deco

    @register("sq")
    def _(z):
        return z**2

    @register("cu")
    def _(z):
        return z**3

    return np.sum(rules[name](x)) + np.sum(rules["cu"](x))


case(f_registry_decorator, A3, "sq")


def f_einsum_lists(x):
    ops = [np.outer(x, x), W33, np.diag(x)]
    env = np.eye(3)
    for M in ops:
        env = np.einsum("ij,jk->ik", env, M)
    return np.trace(env)


case(f_einsum_lists, A3)


# third calls of the same gradient with other arguments after the first (specialisation); name -> the other arguments
THEN = {
    "funcs_list_append": (1,),
    "table_string": ("tanh",),
    "table_get": ("linear",),
    "table_loop_layers": (["linear", "softplus", "tanh", "tanh"],),
    "getattr_np": ("tanh",),
    "reduce": (1,),
    "return_function": (2,),
    "dict_of_lambdas": ("rbf",),
    "callback": (1,),
    "sorted_key_operators": ("--*+*",),
    "bodies_list": (2,),
    "dataclass_replace": (0.2, 2),
    "cell_star_params": (np.array([0.2, 0.9]),),
    "namespace_kwargs": ({"scale": 1.5, "lr": 0.3, "steps": 1},),
    "dict_union": ({"w": 0.0, "lam": -0.3, "scale": 1.0, "other": 5},),
    "state_dict": (1,),
    "state_tuple": (3,),
    "memo_dict": (3,),
    "setdefault_groups": (["a", "ccc", "a", "a", "ccc", "dd"],),
    "defaultdict_sum": ([(1, 3), (0, 2)],),
    "pairs_data": (np.array([[2, 1], [0, 3]]),),
    "match_string": ("l2",),
    "match_tree": (("mul", ("sin", ("mul", 0, 1)), ("add", 2, 2)),),
    "try_plain": ({},),
    "with_contextmanager": (False,),
    "kwargs_forwarding": ({"b": 0.7},),
    "module_cache": (4,),
    "format_history": (False,),
    "attr_loop_setattr": (("b", "c", "a"),),
    "registry_decorator": ("cu",),
}
