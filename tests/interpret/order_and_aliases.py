"""Adversarial functions: a partial evaluator that keeps structures as text variables goes silently wrong on these."""

import copy
import functools
import itertools
from collections import OrderedDict, deque, namedtuple
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import SimpleNamespace

import numpy as np

REGISTRY = {}


def case(f, *args, x2=None, reset=None):
    REGISTRY[f.__name__[2:]] = (f, args, {"x2": x2, "reset": reset})


A3 = np.array([0.7, -0.4, 1.2])
A4 = np.array([0.5, 1.3, -0.8, 0.9])
A6 = np.array([0.3, -0.6, 0.9, 1.1, -0.2, 0.4])


class Box:
    def __init__(self, x):
        self.x = x

    def bump(self):
        self.x = self.x * 2.0
        return self.x

    def add(self, d):
        self.x = self.x + d
        return self

    def grow(self, d):
        self.x += d
        return self


# ---------------------------------------------------------------- evaluation order


def f_order_attr_then_bump(x):
    b = Box(x)
    y = b.x * b.bump()
    return np.sum(y * b.x)


case(f_order_attr_then_bump, A3)


def f_order_bump_then_attr(x):
    b = Box(np.sum(x**2))
    return b.bump() * b.x + b.x * b.bump() - b.bump()


case(f_order_bump_then_attr, A3)


def f_order_inplace_operand(x):
    b = Box(x.copy())

    def inc():
        b.x *= 3.0
        return 1.0

    y = b.x * inc()
    return np.sum(y**2)


case(f_order_inplace_operand, A3)


def f_order_walrus(x):
    y = x[0]
    z = y * (y := y**2 + 1) + y
    w = (t := x[1] * z) + (t := t * t) * t
    return w + t


case(f_order_walrus, A3)


def f_order_aug_target(x):
    b = Box(x)

    def swap():
        b.x = b.x * 10.0
        return x**2

    b.x += swap()
    return np.sum(b.x)


case(f_order_aug_target, A3)


def f_order_aug_index(x):
    xs = [x[0], x[1], x[2]]
    i = 0

    def nxt():
        nonlocal i
        i += 1
        xs[0] = xs[0] * 5.0
        return x[i] ** 2

    xs[i] += nxt()
    xs[i] *= nxt()
    return xs[0] + 2 * xs[1] + 3 * xs[2]


case(f_order_aug_index, A3)


def f_order_tuple_of_calls(x):
    b = Box(x)
    t = (b.x, b.bump(), b.x, b.bump())
    return np.sum(t[0] * t[1]) + np.sum(t[2] ** 2) + np.sum(t[3] * b.x)


case(f_order_tuple_of_calls, A3)


def f_order_kwargs(x):
    b = Box(x[0])

    def combine(p, q, r=0.0):
        return p * 1.0 + q * 10.0 + r * 100.0

    return combine(r=b.bump(), q=b.bump(), p=b.x**2)


case(f_order_kwargs, A3)


def f_order_assign_targets(x):
    xs = [x[0], x[1], x[2]]
    i = 0
    i, xs[i] = 2, x[0] * x[1]
    xs[i] = i = 1
    return xs[0] ** 2 + xs[1] + xs[2] * 3 + xs[i] * x[2]


case(f_order_assign_targets, A3)


def f_order_dict_display(x):
    b = Box(x)
    d = {"a": b.x, "b": b.bump(), "c": b.x, "a2": (b.add(x**2)).x}
    return np.sum(d["a"] * d["b"]) + np.sum(d["c"] * d["a2"])


case(f_order_dict_display, A3)


def f_order_compare_chain(x):
    b = Box(x[2])
    if 0.0 < b.x < b.bump() < 4 * b.bump():
        return b.x * x[0]
    return b.x**3


case(f_order_compare_chain, A3)


# ---------------------------------------------------------------- aliasing


def f_alias_list(x):
    a = [x, x**2]
    b = a
    b[0] = b[1] * 3.0
    b.append(x)
    return np.sum(a[0] * a[-1]) + len(a)


case(f_alias_list, A3)


def f_alias_list_plus(x):
    a = [x]
    b = a
    a = a + [x**2]
    c = a
    a += [x**3]
    return np.sum(b[-1]) + 2 * np.sum(c[-1]) + len(b) * np.sum(a[1])


case(f_alias_list_plus, A3)


def f_alias_object_two_places(x):
    b = Box(x)
    store = {"p": b, "q": [b, Box(x**2)]}
    store["q"][0].x = np.sin(b.x)
    store["p"].add(x)
    return np.sum(b.x**2) + np.sum(store["q"][1].x * store["q"][0].x)


case(f_alias_object_two_places, A3)


def f_alias_rows_times(x, n):
    rows = [[0.0] * 2] * n
    for i in range(n):
        rows[i][0] = rows[i][0] + x[i] ** 2
    other = [[0.0] * 2 for _ in range(n)]
    for i in range(n):
        other[i][1] += x[i]
    return rows[0][0] * rows[n - 1][0] + other[0][1] * 2


case(f_alias_rows_times, A3, 3)


def f_alias_list_append_self(x):
    a = [x[0], x[1]]
    b = a
    for v in a[:]:
        b.append(v * a[-1])
    a.extend(b)
    return sum(a) + a[3] ** 2 * len(b)


case(f_alias_list_append_self, A3)


def f_alias_swap_in_loop(x, n):
    a, b = Box(x), Box(x**2)
    first = a
    for _ in range(n):
        a, b = b, a
        a.x = a.x * 2.0 + b.x
    return np.sum(a.x) + 3 * np.sum(first.x * b.x)


case(f_alias_swap_in_loop, A3, 3)


def f_alias_swap_arrays(x, n):
    u, v = x.copy(), x * 0.5
    w = u
    for _ in range(n):
        u[1:] += v[:-1] * u[:-1]
        u, v = v, u
    return np.sum(u) + 2 * np.sum(v) + np.sum(w**2)


case(f_alias_swap_arrays, A3, 3)


def f_alias_prev_state_object(x, n):
    state = Box(x)
    prev = state
    total = 0.0
    for i in range(n):
        prev = state
        state = Box(np.sin(state.x) + 0.1 * i)
        prev.x = prev.x * 1.5
        total += np.sum(state.x * prev.x)
    return total + np.sum(prev.x)


case(f_alias_prev_state_object, A3, 3)


def f_alias_prev_same_object(x, n):
    state = Box(x)
    total = 0.0
    for i in range(n):
        prev = state
        state.x = np.sin(state.x)
        total += np.sum((prev.x - state.x + 1) * x)
    return total + np.sum(prev.x)


case(f_alias_prev_same_object, A3, 3)


def f_alias_prev_dict(x, n):
    s = {"u": x, "e": 0.0}
    hist = []
    for _ in range(n):
        prev = s
        s = dict(s)
        s["u"] = np.tanh(prev["u"]) + x
        prev["e"] = np.sum(s["u"] ** 2)
        hist.append(prev)
    return sum(h["e"] for h in hist) + np.sum(hist[0]["u"] * s["u"]) + s["e"]


case(f_alias_prev_dict, A3, 3)


def f_alias_hist_same_dict(x, n):
    s = {"u": x}
    hist = []
    for _ in range(n):
        s["u"] = np.tanh(s["u"]) + x
        hist.append(s)
    return sum(np.sum(h["u"] ** 2) for h in hist)


case(f_alias_hist_same_dict, A3, 3)


def f_alias_hist_same_array(x, n):
    u = x.copy()
    hist, copies = [], []
    for _ in range(n):
        u *= x
        u += 0.5
        hist.append(u)
        copies.append(u.copy())
    return sum(np.sum(h**2) for h in hist) + sum(np.sum(c) for c in copies)


case(f_alias_hist_same_array, A3, 3)


def f_alias_tuple_captures(x):
    y = x
    t = (y, [y])
    y = y**2
    t[1][0] = t[1][0] + y
    t2 = (y,) + t
    y = np.zeros(3)
    return np.sum(t[0] * t2[0]) + np.sum(t2[2][0]) + np.sum(y)


case(f_alias_tuple_captures, A3)


def f_alias_tuple_inplace(x):
    y = x.copy()
    t = (y, y * 1.0)
    y += x**2
    y = y * 7.0
    return np.sum(t[0] ** 2) + np.sum(t[1] * y)


case(f_alias_tuple_inplace, A3)


def f_alias_view_in_list(x):
    u = x.copy()
    parts = [u[:2], u[1:]]
    parts[0] *= 2.0
    parts[1] += parts[0]
    u[0] = u[1] * u[2]
    return np.sum(parts[0] * np.array([1.0, 2.0])) + np.sum(parts[1] ** 2)


case(f_alias_view_in_list, A3)


def f_alias_nested_dict_copy(x):
    a = {"w": [x, x * 2], "b": x}
    b = dict(a)
    c = copy.deepcopy(a)
    b["w"][0] = x**2
    b["b"] = x**3
    c["w"][1] = np.zeros(3)
    return np.sum(a["w"][0]) + np.sum(a["b"] * b["b"]) + np.sum(a["w"][1] * c["w"][0])


case(f_alias_nested_dict_copy, A3)


def f_alias_self_reference(x):
    a = Box(x)
    b = Box(x**2)
    a.peer, b.peer = b, a
    a.peer.x = a.x + a.peer.x
    b.peer.peer.peer.x = np.sin(b.x)
    return np.sum(a.x * b.x)


case(f_alias_self_reference, A3)


def f_alias_in_function_arg(x):
    def scale(items, c):
        for k in range(len(items)):
            items[k] = items[k] * c
        items = [0.0]
        return items

    xs = [x[0], x[1] ** 2, x[2]]
    ys = scale(xs, x[0])
    ys.append(xs[2])
    return sum(xs) * 2 + ys[1] + len(xs)


case(f_alias_in_function_arg, A3)


def f_alias_function_returns_arg(x):
    def same(b, c):
        return b if c > 0 else Box(b.x)

    p = Box(x)
    q = same(p, 1)
    r = same(p, -1)
    q.bump()
    r.x = r.x + q.x
    return np.sum(p.x * r.x)


case(f_alias_function_returns_arg, A3)


def f_alias_linked_list(x):
    head = None
    for v in x:
        head = SimpleNamespace(v=v, next=head)
    node = head
    while node.next is not None:
        node.next.v = node.next.v + node.v**2
        node = node.next
    return node.v * head.v


case(f_alias_linked_list, A4)


# ---------------------------------------------------------------- closures, defaults, partials


def f_closure_late_loop(x, n):
    fs = []
    for i in range(n):
        fs.append(lambda z: z * (i + 1))
    late = sum(np.sum(f(x) * x) for f in fs)
    fs = [lambda z, i=i: z * (i + 1) for i in range(n)]
    return late + sum(np.sum(f(x**3)) for f in fs)


case(f_closure_late_loop, A3, 3)


def f_closure_late_rebinding(x):
    c = x[0]
    f = lambda z: c * z
    a = f(x[1])
    c = x[2] ** 2
    b = f(x[1])
    c = 5.0
    return a * 2 + b * 3 + f(x[0])


case(f_closure_late_rebinding, A3)


def f_closure_comprehension_late(x):
    fs = [lambda z: z * k for k in (x[0], x[1], x[2])]
    gs = {k: (lambda z: z**k) for k in (1, 2, 3)}
    return fs[0](x[0]) + fs[1](x[1] ** 2) + gs[1](x[0]) + gs[2](x[2])


case(f_closure_comprehension_late, A3)


def f_default_early(x):
    c = x

    def f(z, c=c, acc=[0.0]):
        acc[0] = acc[0] + np.sum(z)
        return z * c + acc[0]

    c = x**2
    a = f(x)
    b = f(x, c)
    return np.sum(a) + 2 * np.sum(b)


case(f_default_early, A3)


def f_default_mutated_array(x):
    w = x.copy()

    def f(z, w=w):
        return np.sum(w * z)

    w *= 2.0
    a = f(x)
    w = w * 10.0
    return a + f(x**2)


case(f_default_mutated_array, A3)


def f_partial_early(x):
    k = x[0]
    p = functools.partial(lambda a, b: a * b + b, k)
    k = x[1] ** 2
    q = functools.partial(p, k)
    k = 100.0
    return p(x[2]) + q() * 3


case(f_partial_early, A3)


def f_partial_list_alias(x):
    buf = [x[0]]

    def last(b, z):
        b.append(b[-1] * z)
        return b[-1]

    p = functools.partial(last, buf)
    a = p(x[1])
    buf.append(x[2] ** 2)
    return a + p(x[0]) + sum(buf)


case(f_partial_list_alias, A3)


def f_nonlocal_counter(x, n):
    total, k = 0.0, 0

    def step(z):
        nonlocal total, k
        k += 1
        total = total + k * np.sum(z**2)
        return z * np.tanh(total)

    z = x
    for _ in range(n):
        z = step(z)
    return total + np.sum(z)


case(f_nonlocal_counter, A3, 3)


def f_nonlocal_order(x):
    s = x[0]

    def g():
        nonlocal s
        s = s * x[1] + 1
        return s

    return s * g() + g() * s - g()


case(f_nonlocal_order, A3)


def f_two_closures_share(x):
    def make(v):
        def get():
            return v

        def put(w):
            nonlocal v
            v = v * w

        return get, put

    g1, p1 = make(x[0])
    g2, p2 = make(x[1])
    p1(x[2])
    p2(3.0)
    p1(g2())
    return g1() * 2 + g2()


case(f_two_closures_share, A3)


def f_closure_over_object(x):
    b = Box(x)
    f = lambda: np.sum(b.x)
    m = b.bump
    b = Box(x**3)
    m()
    return f() + np.sum(m() * b.x)


case(f_closure_over_object, A3)


def f_bound_method_of_rebound_attr(x):
    b = Box(x)
    add = b.add
    b.add = lambda d: Box(d * 100.0)
    add(x**2)
    return np.sum(b.x) + np.sum(b.add(x).x) * 0.01


case(f_bound_method_of_rebound_attr, A3)


def f_function_redefined(x):
    def g(z):
        return z**2

    h = g
    a = h(x)

    def g(z):
        return h(z) * 3 + z

    h2 = g
    return np.sum(a + h2(x) * g(x))


case(f_function_redefined, A3)


def f_function_attribute_state(x):
    def g(z):
        g.last = z * g.last
        return g.last

    g.last = x[0]
    a = g(x[1])
    g.last = g.last + 1
    return a + g(x[2]) * 2


case(f_function_attribute_state, A3)


def f_composition_rebinds(x):
    f = lambda z: np.sin(z)
    for k in (1.0, 2.0):
        f = lambda z, f=f, k=k: f(z) * k + z
    return np.sum(f(x))


case(f_composition_rebinds, A3)


# ---------------------------------------------------------------- in-place through attributes and entries


def f_inplace_attr(x):
    b = Box(x.copy())
    a = b.x
    b.x *= 2
    a += x
    c = b.x
    b.x = b.x * 3
    a += 1.0
    return np.sum(c**2) + np.sum(a * b.x)


case(f_inplace_attr, A3)


def f_inplace_attr_shared_input(x):
    w = x * 1.0
    b, c = Box(w), Box(w)
    b.grow(x)
    c.add(x)
    b.grow(c.x)
    return np.sum(w**2) + np.sum(c.x)


case(f_inplace_attr_shared_input, A3)


def f_inplace_list_entry_array(x):
    xs = [x.copy(), x**2]
    y = xs[0]
    xs[0] += 1
    xs[1] = xs[0]
    xs[1] *= x
    return np.sum(y * xs[0]) + np.sum(xs[1])


case(f_inplace_list_entry_array, A3)


def f_inplace_list_entry_number(x):
    xs = [x[0], x[1]]
    y = xs[0]
    xs[0] += x[2]
    xs[1] = xs[0]
    xs[1] *= x[1]
    return y * xs[0] + xs[1] ** 2


case(f_inplace_list_entry_number, A3)


def f_inplace_dict_entry(x):
    d = {"u": x.copy(), "v": x[0]}
    u, v = d["u"], d["v"]
    d["u"] -= 0.5 * x**2
    d["v"] -= 0.5
    return np.sum(u**2) * v + d["v"]


case(f_inplace_dict_entry, A3)


def f_number_or_array_plus(x, flag):
    acc = 0.0 if flag else np.zeros(3)
    first = acc
    for k in range(3):
        acc += x * (k + 1)
    return np.sum(acc * x) + np.sum(first) * 2


case(f_number_or_array_plus, A3, False)


def f_number_or_array_plus_number(x, flag):
    acc = 0.0 if flag else np.zeros(3)
    first = acc
    for k in range(3):
        acc += x * (k + 1)
    return np.sum(acc * x) + np.sum(first) * 2


case(f_number_or_array_plus_number, A3, True)


def f_acc_starts_as_number(x):
    acc = 0.0
    snaps = []
    for k in range(4):
        acc += x**k
        snaps.append(acc)
    return sum(np.sum(s * x) for s in snaps)


case(f_acc_starts_as_number, A3)


def f_inplace_argument(x, y):
    x[1:] *= x[:-1]
    z = x
    y += x
    x = x * 2
    z -= 0.5
    return np.sum(x * z) + np.sum(y**2)


case(f_inplace_argument, A3, np.ones(3))


def f_inplace_argument_helper(x):
    def normalise(v):
        v /= 2.0 + v[0] ** 2
        return v

    y = normalise(x)
    return np.sum(x * y) + y[0]


case(f_inplace_argument_helper, A3)


def f_inplace_param_dict_arg(x, p):
    p["w"] += x
    w = p["w"]
    p["w"] = w * x
    w *= 2
    p.setdefault("w", x)
    return np.sum(p["w"] * w)


case(f_inplace_param_dict_arg, A3, {"w": np.ones(3)})


def f_inplace_through_iteration(x):
    xs = [x.copy(), x**2]
    for v in xs:
        v *= 2.0
        v = v + 100.0
    ns = [x[0], x[1]]
    for n in ns:
        n *= 50.0
    return np.sum(xs[0] * xs[1]) + ns[0] * ns[1] + n


case(f_inplace_through_iteration, A3)


def f_inplace_rows_iteration(x):
    m = np.outer(x, x)
    for k, row in enumerate(m):
        row += x * k
    first = m[0]
    first[0] = x[2] ** 3
    s = m.sum(axis=0)
    m[:] = 0.0
    return np.sum(s**2) + np.sum(first)


case(f_inplace_rows_iteration, A3)


def f_inplace_out_arg(x):
    b = Box(np.empty(3))
    y = b.x
    np.multiply(x, x, out=b.x)
    np.add(y, 1.0, out=y)
    return np.sum(b.x * x) + np.sum(y)


case(f_inplace_out_arg, A3)


def f_asarray_alias(x):
    y = np.asarray(x)
    z = np.array(x)
    y *= 2.0
    z += x
    return np.sum(x * z) + np.sum(y)


case(f_asarray_alias, A3)


def f_reshape_ravel_alias(x):
    m = x.copy().reshape(2, 2)
    flat = m.ravel()
    fl2 = m.flatten()
    t = m.T
    flat[1] = x[0] * 10
    t[1, 1] += x[3] ** 2
    return np.sum(m**2) + np.sum(fl2 * flat)


case(f_reshape_ravel_alias, A4)


# ---------------------------------------------------------------- branches that leave different things


def f_branch_objects(x, k):
    if k > 2:
        s = Box(x)
    else:
        s = Box(x**2)
        s.x = s.x + 1
    t = s if k % 2 else Box(np.cos(x))
    t.bump()
    return np.sum(s.x * t.x)


case(f_branch_objects, A3, 3)


def f_branch_data_functions(x):
    if np.sum(x) > 1.0:
        act, scale = np.tanh, 2.0
    else:
        act, scale = (lambda z: z * z), x[0]
    return np.sum(act(x)) * scale


case(f_branch_data_functions, A3, x2=A3 - 0.5)


def f_branch_data_lengths(x):
    hist = [x[0]]
    if x[1] > 0:
        hist.append(x[1] ** 2)
    if x[2] > 0:
        hist.append(x[2] * hist[-1])
    return hist[-1] * len(hist) + sum(hist)


case(f_branch_data_lengths, A3, x2=np.array([0.6, 0.5, -1.1]))


def f_branch_data_alias(x):
    a, b = Box(x), Box(x**2)
    c = a if x[0] > x[1] else b
    c.x = c.x * 3.0
    return np.sum(a.x * b.x) + np.sum(a.x)


case(f_branch_data_alias, A3, x2=np.array([-0.7, 0.4, 1.2]))


def f_branch_data_array_alias(x):
    u, v = x.copy(), x**2
    w = u if x[0] > 0 else v
    w += x
    w[0] *= 2
    return np.sum(u * v) + np.sum(u)


case(f_branch_data_array_alias, A3, x2=np.array([-0.7, 0.4, 1.2]))


def f_branch_data_in_loop(x):
    best, arg = None, -1
    for i, v in enumerate(x):
        s = np.sin(v) * v
        if best is None or s > best:
            best, arg = s, i
    return best * (arg + 1) + x[arg] ** 2


case(f_branch_data_in_loop, A4, x2=np.array([1.5, 0.2, -0.8, 0.4]))


def f_branch_none_becomes_array(x, n):
    h = None
    c = None
    for t in range(n):
        if h is None:
            h = np.zeros(3) + x
        elif c is None:
            c = h * x
        else:
            h, c = np.tanh(h + c), None
    return np.sum(h**2) + (0.0 if c is None else np.sum(c))


case(f_branch_none_becomes_array, A3, 5)


def f_short_circuit_values(x, cfg):
    scale = cfg.get("scale") or 2.0
    shift = cfg.get("shift") and x[0]
    gain = (x[1] > 0 and x[1]) or x[2] ** 2
    zero = 0.0 or x[0] * 3
    return np.sum(x**2) * scale + (shift or 1.0) * gain + zero


case(f_short_circuit_values, A3, {"scale": 0, "shift": 3}, x2=np.array([0.6, 0.5, 1.1]))


def f_short_circuit_side_effect(x, on):
    b = Box(x[0])
    hit = on and b.bump()
    skip = on or b.bump()
    val = (not on) or b.add(x[1]).x
    return b.x**2 + hit * 3 + val * skip


case(f_short_circuit_side_effect, A3, True)


def f_cond_expr_objects(x, n):
    a, b = Box(x), Box(x * 2)
    for i in range(n):
        (a if i % 2 == 0 else b).add(x**2)
        a, b = (b, a) if i == 1 else (a, b)
    return np.sum(a.x * 3) + np.sum(b.x * x)


case(f_cond_expr_objects, A3, 4)


def f_data_dependent_key(x):
    d = {"pos": x[0], "neg": x[1] ** 2}
    for v in x:
        key = "pos" if v > 0 else "neg"
        d[key] = d[key] * v + 1
    return d["pos"] * 2 + d["neg"]


case(f_data_dependent_key, A4, x2=np.array([-0.5, 1.3, 0.8, -0.9]))


def f_data_dependent_index(x):
    xs = [x[0], x[1], x[2]]
    k = int(np.argmax(x))
    xs[k] = xs[k] ** 2
    xs[k - 1] += x[0]
    return sum(v * (i + 1) for i, v in enumerate(xs))


case(f_data_dependent_index, A3, x2=np.array([1.7, -0.4, 0.2]))


def f_data_dependent_while(x):
    s = Box(x)
    n = 0
    while np.sum(s.x**2) < 20.0:
        s = Box(s.x * 1.5)
        n += 1
    return np.sum(s.x) * n


case(f_data_dependent_while, A3, x2=A3 * 2)


def f_int_float_division(x, n):
    half = n // 2
    q, r = divmod(n, 3)
    k = n / 2
    return np.sum(x[:half] ** 2) * k + x[-1] ** q * r + (-n // 2) * x[0] + int(-k) * x[1] * x[0]


case(f_int_float_division, A4, 5)


# ---------------------------------------------------------------- loops


def f_loop_zero_times(x, n):
    y = x**2
    last = Box(x)
    for k in range(n):
        y = np.zeros(3)
        last = Box(y)
    while n > 0:
        y = y * 2
    return np.sum(y) + np.sum(last.x)


case(f_loop_zero_times, A3, 0)


def f_loop_else_break(x, limit):
    acc = 0.0
    for i, v in enumerate(x):
        if i == limit:
            break
        if v < 0:
            continue
        acc += v**2
    else:
        acc = acc * 10.0
    for i in range(2):
        acc += x[i]
    else:
        acc *= x[0]
    return acc * (i + 1)


case(f_loop_else_break, A4, 10)


def f_loop_else_data_break(x):
    a = Box(1.0)
    for v in x:
        if v > 1.25:
            a.x = a.x * v
            break
        a = Box(a.x + v**2)
    else:
        a = Box(x[0])
    return a.x * v


case(f_loop_else_data_break, A4, x2=np.array([0.5, 0.3, -0.8, 0.9]))


def f_early_return(x, n):
    s = Box(x)
    for i in range(n):
        s = s.add(x**2) if i % 2 else Box(s.x * 2)
        if np.sum(s.x**2) > 30.0:
            return np.sum(s.x) * (i + 1)
    return np.sum(s.x**3)


case(f_early_return, A3, 6, x2=A3 * 0.2)


def f_early_return_nested(x):
    def search(xs, c):
        for i, a in enumerate(xs):
            for j, b in enumerate(xs[i + 1 :]):
                if a * b < c:
                    return a * b, (i, j)
            c = c + 0.01
        return xs[0], None

    v, where = search(x, -0.3)
    w, nowhere = search(x, -10.0)
    return v * (where[0] + 2) + w**2 * (nowhere is None)


case(f_early_return_nested, A4)


def f_leaking_loop_variables(x):
    for i, v in enumerate(x):
        w = v * (i + 1)
    k = 10
    ys = [k * v for k in range(3)]
    return v * w + i * x[0] + k * ys[-1]


case(f_leaking_loop_variables, A3)


def f_loop_var_rebound(x):
    total = 0.0
    for i in range(3):
        v = x[i]
        i = i * 2
        total += v * i
    for z in [x[0], x[1]]:
        z = z**2
        total += z
    return total * z + i


case(f_loop_var_rebound, A3)


def f_list_grows_while_iterating(x):
    xs = [x[0], x[1]]
    for v in xs:
        if len(xs) < 6:
            xs.append(v * xs[-1] + 1)
    n = len(xs)
    for k in range(len(xs)):
        xs.append(xs[k])
    return sum(xs[2:n]) + xs[-1] * n


case(f_list_grows_while_iterating, A3)


def f_list_replaced_while_iterating(x):
    xs = [x[0], x[1], x[2]]
    total = 0.0
    for i, v in enumerate(xs):
        if i == 0:
            xs[1] = x[0] ** 2
        if i == 1:
            xs = [100.0]
        total += v * (i + 1)
    return total + xs[0]


case(f_list_replaced_while_iterating, A3)


def f_list_remove_while_iterating(x):
    xs = [x[0], x[1], x[2], x[3]]
    seen = 0.0
    for k, v in enumerate(xs):
        if k == 0:
            xs.pop(0)
        seen = seen * 2 + v**2
    return seen + xs.pop() * len(xs)


case(f_list_remove_while_iterating, A4)


def f_range_bound_changes(x):
    n = 3
    total = 0.0
    for i in range(n):
        n = 1
        total += x[i] * n
        n += i
    return total * n + x[0] ** 2


case(f_range_bound_changes, A3)


def f_nested_break_flag(x):
    found = False
    for i in range(3):
        for j in range(3):
            if x[i] * x[j] > 1.0 and i != j:
                found = True
                break
            y = x[i] + x[j] ** 2
        if found:
            break
    return y * (i + 1) + x[j] * j


case(f_nested_break_flag, np.array([0.7, -0.4, 1.7]))


def f_carry_shift_register(x, n):
    a, b, c = x[0], x[1], x[2]
    for _ in range(n):
        a, b, c = b, c, a * b + c
        hist = [a, b, c]
        hist[0], hist[-1] = hist[-1], hist[0]
        a, *rest = hist
    return a + 2 * rest[0] + 3 * rest[1] * c


case(f_carry_shift_register, A3, 4)


# ---------------------------------------------------------------- generators


def _walk(x):
    step = 0.1
    while True:
        x = x + step * np.cos(x)
        yield x
        step = step * 1.5


def f_gen_early_break(x):
    total = 0.0
    for k, y in enumerate(_walk(x)):
        total += np.sum(y) * (k + 1)
        if k == 3:
            break
    return total


case(f_gen_early_break, A3)


def f_gen_break_data(x):
    for k, y in enumerate(_walk(x)):
        if np.sum(y) > 3.0:
            break
    return np.sum(y**2) * k


case(f_gen_break_data, A3, x2=A3 * 0.5)


def f_gen_resumed(x):
    g = _walk(x)
    a = next(g)
    b = next(g)
    for c in g:
        break
    d = next(iter(g))
    return np.sum(a * b) + np.sum(c * d)


case(f_gen_resumed, A3)


def f_gen_shared_zip(x):
    it = iter([v**2 for v in x])
    total = 0.0
    for a, b in zip(it, it):
        total = total * 2 + a * b
    return total


case(f_gen_shared_zip, A4)


def f_gen_sees_changes(x):
    b = Box(x)

    def gen():
        for k in range(3):
            yield b.x * (k + 1)
            b.x = b.x + x**2

    total = 0.0
    for y in gen():
        total += np.sum(y)
        b.x = b.x * 0.5
    return total + np.sum(b.x)


case(f_gen_sees_changes, A3)


def f_gen_yields_same_buffer(x):
    def gen(u):
        for _ in range(3):
            u *= x
            u += 1.0
            yield u

    kept = list(gen(x.copy()))
    live = sum(np.sum(u) for u in gen(x.copy()))
    return np.sum(kept[0] * kept[1]) + live


case(f_gen_yields_same_buffer, A3)


def f_gen_lazy_expression(x):
    c = x[0]
    g = (c * v for v in [x[1], x[2]])
    c = x[2] ** 2
    xs = [x[0], x[1]]
    h = (v * 2 for v in xs)
    xs.append(x[2])
    xs = []
    return sum(g) + sum(h)


case(f_gen_lazy_expression, A3)


def f_gen_exhausted(x):
    g = (v**2 for v in x)
    a = sum(g)
    b = sum(g)
    m = map(lambda v: v * 3, x)
    first = next(m)
    return a + b * 10 + first * len(list(m)) + len(list(m))


case(f_gen_exhausted, A3)


def f_gen_interleaved(x):
    log = []

    def gen(name, v):
        for k in range(2):
            log.append((name, v))
            v = v * (len(log) + 1)
            yield v

    total = 0.0
    for a, b in zip(gen("a", x[0]), gen("b", x[1])):
        total += a * b
    return total + log[-1][1] * x[2]


case(f_gen_interleaved, A3)


def f_gen_send_return(x):
    def acc():
        total = 0.0
        while True:
            v = yield total
            if v is None:
                return total * 2
            total = total + v**2

    def outer():
        r = yield from acc()
        yield r

    g = outer()
    next(g)
    a = g.send(x[0])
    b = g.send(x[1])
    return a * b + g.send(None)


case(f_gen_send_return, A3)


def f_gen_finally(x):
    b = Box(1.0)

    def gen():
        try:
            for v in x:
                yield v * b.x
        finally:
            b.x = x[2] ** 2

    g = gen()
    s = next(g) + next(g)
    g.close()
    return s * b.x


case(f_gen_finally, A3)


# ---------------------------------------------------------------- dicts


def f_dict_order_after_delete(x):
    d = {"a": x[0], "b": x[1], "c": x[2]}
    v = d.pop("a")
    d["a"] = v * 2
    d["b"] = d["b"] ** 2
    total = 0.0
    for k, w in enumerate(d.values()):
        total += w * (k + 1)
    return total + len(d)


case(f_dict_order_after_delete, A3)


def f_dict_overwrite_keeps_order(x):
    d = {"a": x[0], "b": x[1], "a": x[2]}
    d.update(c=x[0] ** 2, a=x[1] * x[2])
    e = {"c": 1.0} | d | {"b": x[0]}
    keys = list(e)
    last = e.popitem()[1]
    return sum(d[k] * (i + 1) for i, k in enumerate(d)) + e[keys[0]] * 5 + last * 7


case(f_dict_overwrite_keeps_order, A3)


def f_dict_equal_keys(x):
    d = {1: x[0], 1.0: x[1], True: x[2]}
    d[0] = x[0]
    d[False] = d[0] * x[1]
    return d[1] ** 2 + d[0] * len(d)


case(f_dict_equal_keys, A3)


def f_dict_view_live(x):
    d = {"a": x[0]}
    vals = d.values()
    snap = list(d.values())
    d["b"] = x[1] ** 2
    d["a"] = x[2]
    return sum(vals) + sum(snap) * 3


case(f_dict_view_live, A3)


def f_dict_setdefault_alias(x):
    d = {}
    a = d.setdefault("k", [x[0]])
    b = d.setdefault("k", [x[1]])
    b.append(x[2] ** 2)
    d["k"] = d["k"] + [1.0]
    a.append(x[1])
    return sum(d["k"]) + sum(a) * 2 + len(b)


case(f_dict_setdefault_alias, A3)


def f_ordered_move_to_end(x):
    d = OrderedDict(a=x[0], b=x[1], c=x[2])
    d.move_to_end("a")
    first = d.popitem(last=False)[1]
    return first**2 + sum(v * (k + 1) for k, v in enumerate(d.values()))


case(f_ordered_move_to_end, A3)


def f_dict_fromkeys_shared(x):
    d = dict.fromkeys(["a", "b"], [x[0]])
    d["a"].append(x[1])
    d["b"][0] = d["b"][0] * 2
    return d["a"][0] * d["b"][1] + len(d["b"]) * x[2] ** 2


case(f_dict_fromkeys_shared, A3)


# ---------------------------------------------------------------- defaults, classes, properties


def _push(v, acc=[]):
    acc.append(v)
    return acc


def f_mutable_default(x):
    a = _push(x[0])
    b = _push(x[1] ** 2)
    c = _push(x[2], [x[0]])
    return sum(a) * len(b) + sum(c)


case(f_mutable_default, A3, reset=lambda: _push.__defaults__[0].clear())


class Shared:
    items = []
    gain = 2.0
    count = 0

    def __init__(self, x):
        self.x = x
        Shared.count += 1

    def out(self):
        return self.gain * self.x


def _reset_shared():
    Shared.items.clear()
    Shared.gain = 2.0
    Shared.count = 0


def f_class_vs_instance(x):
    a, b = Shared(x), Shared(x**2)
    a.gain = x[0]
    s = np.sum(a.out()) + np.sum(b.out())
    Shared.gain = 5.0
    s += np.sum(a.out()) + np.sum(b.out())
    del a.gain
    return s + np.sum(a.out())


case(f_class_vs_instance, A3, reset=_reset_shared)


def f_class_aug_makes_instance(x):
    a, b = Shared(x), Shared(x)
    a.gain += x[0]
    a.count += 10
    return np.sum(a.out() * b.out()) + (a.count - b.count) * x[1] + Shared.gain * x[2] ** 2


case(f_class_aug_makes_instance, A3, reset=_reset_shared)


def f_class_list_shared(x):
    a, b = Shared(x), Shared(x)
    a.items.append(x[0])
    b.items.append(x[1] ** 2)
    b.items = b.items + [x[2]]
    return sum(a.items) * 2 + sum(b.items) * len(Shared.items)


case(f_class_list_shared, A3, reset=_reset_shared)


class Ticker:
    def __init__(self, x):
        self._x = x
        self.reads = 0

    @property
    def x(self):
        self.reads += 1
        self._x = self._x * 1.5
        return self._x

    @x.setter
    def x(self, v):
        self._x = v * 10.0


def f_property_side_effect(x):
    t = Ticker(x[0])
    a = t.x * t.x
    b = t.x - t.x
    return a + b * x[1] + t.reads * x[2]


case(f_property_side_effect, A3)


def f_property_setter(x):
    t = Ticker(x[0])
    t.x = x[1]
    t.x += x[2]
    return t.x**2 + t._x * t.reads


case(f_property_setter, A3)


class Lazy:
    def __init__(self, x):
        self.x = x

    @functools.cached_property
    def norm(self):
        return np.sum(self.x**2)

    def __getattr__(self, name):
        if name.startswith("pow"):
            return self.x ** int(name[3:])
        raise AttributeError(name)


def f_cached_property_stale(x):
    o = Lazy(x)
    a = o.norm
    o.x = x * 3
    b = o.norm
    del o.norm
    return a + 2 * b + o.norm * np.sum(o.pow3)


case(f_cached_property_stale, A3)


class Base:
    k = 1.0

    def __init__(self, x):
        self.x = x
        self.setup()

    def setup(self):
        self.y = self.x

    def value(self):
        return self.k * self.y


class Left(Base):
    k = 2.0

    def setup(self):
        super().setup()
        self.y = self.y * self.x

    def value(self):
        return super().value() + 1.0 * self.x


class Right(Base):
    k = 3.0

    def setup(self):
        super().setup()
        self.y = self.y + self.x


class Diamond(Left, Right):
    def value(self):
        return super().value() * self.k


def f_mro_diamond(x):
    d = Diamond(x)
    r = Right(x)
    Base.setup(r)
    return np.sum(d.value()) + np.sum(Left.value(d)) * 0.5 + np.sum(r.value() ** 2)


case(f_mro_diamond, A3)


class IAdd:
    def __init__(self, x):
        self.x = x

    def __iadd__(self, o):
        self.x = self.x + 10 * o
        return self

    def __add__(self, o):
        return IAdd(self.x + o)

    def __radd__(self, o):
        return IAdd(self.x - o)

    def __bool__(self):
        return False

    def __eq__(self, o):
        return True


def f_operator_iadd_alias(x):
    a = IAdd(x)
    b = a
    a += x**2
    c = b + 1.0
    d = 1.0 + b
    e = a or IAdd(x * 100)
    return np.sum(b.x * c.x) + np.sum(d.x) + np.sum(e.x) * (c == d)


case(f_operator_iadd_alias, A3)


class Pos:
    def __init__(self, x):
        self.x = x

    def __mul__(self, o):
        return NotImplemented if not isinstance(o, Pos) else self.x * o.x

    def __getitem__(self, k):
        if k >= 3:
            raise IndexError
        self.x = self.x * 2
        return self.x[k]


class RPos(Pos):
    def __rmul__(self, o):
        return 100 * self.x * (o.x if isinstance(o, Pos) else o)


def f_operator_reflected_subclass(x):
    a, b = Pos(x), RPos(x**2)
    return np.sum(a * b) + np.sum(2.0 * b)


case(f_operator_reflected_subclass, A3)


def f_getitem_iteration(x):
    p = Pos(x)
    total = 0.0
    for v in p:
        total += v**2
    first, *_ = p
    return total + first


case(f_getitem_iteration, A3)


@dataclass
class Part:
    q: np.ndarray
    tags: list = field(default_factory=list)


def f_dataclass_replace_shares(x):
    a = Part(x.copy(), [x[0]])
    b = replace(a, q=a.q)
    b.tags.append(x[1] ** 2)
    b.q *= 2
    c = replace(a, tags=[])
    c.q = c.q + 1
    c.tags.append(3.0)
    return sum(a.tags) + np.sum(a.q**2) + np.sum(c.q * x) + Part(x).tags.__len__()


case(f_dataclass_replace_shares, A3)


NT = namedtuple("NT", "a b")


def f_namedtuple_shares(x):
    t = NT(x.copy(), [x[0]])
    u = t._replace(b=t.b)
    u.b.append(x[2] ** 2)
    a, b = t
    a += 1.0
    b += [x[1]]
    return np.sum(u.a**2) + sum(t.b) * len(u.b)


case(f_namedtuple_shares, A3)


def f_object_copy_shallow(x):
    a = Box(x.copy())
    a.hist = [x[0]]
    b = copy.copy(a)
    c = copy.deepcopy(a)
    b.x += 1.0
    b.hist.append(x[1] ** 2)
    b.x = b.x * 3
    c.x *= 2.0
    return np.sum(a.x**2) + sum(a.hist) + np.sum(c.x * b.x) + sum(c.hist)


case(f_object_copy_shallow, A3)


def f_vars_is_live(x):
    a = Box(x)
    d = vars(a)
    d["x"] = x**2
    a.y = x
    e = dict(d)
    e["x"] = 0.0
    return np.sum(a.x * d["y"]) + len(e)


case(f_vars_is_live, A3)


def f_class_changed_at_run_time(x):
    class Local:
        k = 3.0

        def f(self, z):
            return self.k * z

    o = Local()
    a = o.f(x)
    Local.f = lambda self, z: self.k * z**2
    o.k = x[0]
    o.__class__.k = 9.0
    return np.sum(a) + np.sum(o.f(x)) + np.sum(Local().f(x))


case(f_class_changed_at_run_time, A3)


# ---------------------------------------------------------------- exceptions, with


def f_exception_partial_effects(x):
    b = Box(x)

    def risky(k):
        b.x = b.x * 2
        if k == 1:
            raise ValueError("no")
        return b.x

    total = 0.0
    for k in range(3):
        try:
            total += np.sum(risky(k))
            b.x = b.x + 1
        except ValueError:
            total += np.sum(b.x**2)
        else:
            total *= 1.5
        finally:
            b.x = b.x * 0.9
    return total + np.sum(b.x)


case(f_exception_partial_effects, A3)


def f_exception_from_key(x, order):
    d = {"a": x[0]}
    total = 0.0
    for k in order:
        try:
            total += d[k] ** 2
            d[k] = d[k] + x[1]
        except KeyError:
            d[k] = x[2] * (len(d) + 1)
    return total + sum(d.values())


case(f_exception_from_key, A3, ["a", "b", "b", "a", "c"])


def f_finally_overrides(x):
    b = Box(x[0])

    def g():
        try:
            return b.x
        finally:
            b.x = x[1] ** 2

    def h():
        for v in (x[0], x[1]):
            try:
                continue
            finally:
                b.x = b.x + v
        return b.x

    return g() * 3 + b.x + h()


case(f_finally_overrides, A3)


def f_stop_iteration_value(x):
    it = iter([x[0], x[1] ** 2])
    total = 0.0
    while True:
        try:
            v = next(it)
        except StopIteration:
            break
        total = total * 2 + v
    return total + v


case(f_stop_iteration_value, A3)


class Swallow:
    def __init__(self, b):
        self.b = b

    def __enter__(self):
        self.old = self.b.x
        self.b.x = self.b.x * 2
        return self.b

    def __exit__(self, t, v, tb):
        self.b.x = self.old + (1.0 if t is None else self.b.x)
        return t is KeyError


def f_with_swallow(x):
    b = Box(x)
    with Swallow(b) as c:
        y = c.x**2
        c.x = c.x + 1
    with Swallow(b):
        b.x = b.x * x
        {}["nope"]
        y = y * 100
    return np.sum(y * b.x)


case(f_with_swallow, A3)


def f_with_return_inside(x):
    b = Box(x[0])

    def g():
        with Swallow(b) as c:
            return c.x

    return g() * 2 + b.x**2 * x[1]


case(f_with_return_inside, A3)


# ---------------------------------------------------------------- names, indices, unpacking


def f_shadowed_builtins(x):
    sum = lambda v: np.prod(v)
    len = 2.5
    max = np.min
    list = [x[0], x[1]]
    range = (0, 2)
    total = 0.0
    for i in range:
        total += x[i] ** 2
    abs = lambda v: v * 3
    return sum(list) * len + max(x) + total + abs(x[1])


case(f_shadowed_builtins, A3)


def f_shadowed_module(x):
    def inner(np):
        return np.sin(x[0]) * np.k

    fake = SimpleNamespace(sin=lambda v: v**2, k=x[1])
    float = lambda v: v * 2
    return float(inner(fake)) + np.sin(x[2])


case(f_shadowed_module, A3)


def f_negative_indices(x):
    xs = [x * k for k in range(1, 5)]
    xs[-1], xs[0] = xs[0], xs[-2]
    del xs[1]
    xs.insert(-1, x**2)
    xs.insert(100, x**3)
    mid = xs[-3:-1]
    mid.reverse()
    rev = xs[::-2]
    return sum(np.sum(m) * (i + 1) for i, m in enumerate(mid)) + np.sum(rev[0] * rev[-1]) + len(xs)


case(f_negative_indices, A3)


def f_slice_assignment(x):
    xs = [x[0], x[1], x[2], x[3]]
    ys = xs[:]
    xs[1:3] = [x[0] ** 2]
    xs[:0] = [x[3], x[3] * 2]
    ys[::2] = [1.0, x[1]]
    del xs[-1:]
    return sum(v * (i + 1) for i, v in enumerate(xs)) + sum(ys) * len(xs)


case(f_slice_assignment, A4)


def f_star_unpack(x):
    a, *mid, b = [v**2 for v in x]
    *head, (c, d) = mid, (a, b)
    e, f = f, e = [x[0], x[1]]
    [p, q], r = (x[2], a), b
    return a * 2 + sum(mid) * 3 + b * c + sum(head[0]) * d + e * 5 + f + p * q * r


case(f_star_unpack, A4)


def f_star_call_mutation(x):
    def g(*args, **kw):
        args = args[::-1]
        kw["c"] = kw["c"] * 2
        return args[0] * 3 + args[1] + kw["c"]

    opts = {"c": x[2]}
    ab = [x[0], x[1] ** 2]
    v = g(*ab, **opts)
    ab[0] = 5.0
    return v + opts["c"] * 10 + g(*ab, **opts)


case(f_star_call_mutation, A3)


def f_sort_and_reverse(x):
    xs = [x[0], x[1], x[2]]
    ys = sorted(xs)
    alias = xs
    xs.sort(reverse=True)
    r = list(reversed(alias))
    return sum(v * (i + 1) for i, v in enumerate(xs)) + ys[0] * 10 * r[-1] + alias[0] ** 2


case(f_sort_and_reverse, A3, x2=np.array([1.7, -0.4, 0.2]))


def f_identity_tests(x):
    a = Box(x)
    b = Box(x)
    pool = [a, b, a]
    same = sum(p is a for p in pool)
    pool[1] = pool[0]
    more = sum(p is a for p in pool)
    y = x
    z = y if y is x else y * 2
    y = y + 0
    w = y if y is x else y * 3
    return np.sum(z**2) * same + np.sum(w**2) * more


case(f_identity_tests, A3)


def f_type_changes_in_loop(x, n):
    v = 2
    for k in range(n):
        v = v / 4 if isinstance(v, int) else (v * x if np.ndim(v) == 0 else np.sum(v**2))
    return np.sum(v)


case(f_type_changes_in_loop, A3, 4)


def f_int_array_truncation(x):
    k = np.array([1, 2, 3])
    k[0] = 7.9
    u = np.zeros(3)
    u[:] = k
    u[1] = x[0] ** 2
    m = k * x
    k //= 2
    return np.sum(u * x) + np.sum(m * k)


case(f_int_array_truncation, A3)


def f_del_and_rebind(x):
    y = x**2
    z = y
    del y
    y = z[0]
    xs = [z, y]
    del z
    z = xs.pop(0)
    return y * np.sum(z) + xs[0] * len(xs)


case(f_del_and_rebind, A3)


def f_deque_rotate(x):
    q = deque([x[0], x[1], x[2]], maxlen=3)
    q.rotate(1)
    q.append(q[0] * q[-1])
    q.appendleft(x[1] ** 2)
    return sum(v * (i + 1) for i, v in enumerate(q)) + q.pop() * len(q)


case(f_deque_rotate, A3)


def f_global_state(x):
    global _G
    a = _G * np.sum(x)
    _G = np.sum(x**2)
    b = _G * a
    _G = _G + 1
    return a + b + _read_global()


_G = 2.0


def _read_global():
    return _G * 3


def _reset_global():
    global _G
    _G = 2.0


case(f_global_state, A3, reset=_reset_global)


_TABLE = {"scale": 2.0, "hist": []}


def f_module_dict_state(x):
    _TABLE["hist"].append(x[0])
    s = _TABLE["scale"]
    _TABLE["scale"] = x[1] ** 2
    return s * x[2] + _TABLE["scale"] * len(_TABLE["hist"]) + sum(_TABLE["hist"])


def _reset_table():
    _TABLE["scale"] = 2.0
    _TABLE["hist"].clear()


case(f_module_dict_state, A3, reset=_reset_table)


def f_memo_wrong_key(x):
    memo = {}

    def sq(i, v):
        if i not in memo:
            memo[i] = v**2
        return memo[i]

    a = sq(0, x[0])
    b = sq(0, x[1])
    c = sq(1, x[1])
    memo.clear()
    return a + 2 * b + 3 * c + sq(0, x[2])


case(f_memo_wrong_key, A3)


def f_recursion_mutates(x):
    log = []

    def rec(k, v):
        log.append(v)
        if k == 0:
            return v
        left = rec(k - 1, v * x[1])
        return left + rec(k - 1, v + len(log) * x[2]) * log[-1]

    return rec(2, x[0]) + sum(log)


case(f_recursion_mutates, A3)


def f_tee_and_map_lazy(x):
    scale = Box(1.0)

    def g(v):
        scale.x = scale.x + 1
        return v * scale.x

    m = map(g, [x[0], x[1], x[2]])
    a, b = itertools.tee(m)
    p = next(a)
    scale.x = x[0] * 5
    return p + sum(b) * 2 + sum(a) * scale.x


case(f_tee_and_map_lazy, A3)


def f_match_captures_rebind(x):
    cmds = [("set", x[0]), ("mul", x[1], 2.0), ("set", x[2]), ("pow", 2)]
    v = 1.0
    acc = []
    for c in cmds:
        match c:
            case ("set", v) if len(acc) < 2:
                acc.append(v)
            case (_, a, *rest) if rest:
                v = v * a * rest[0]
            case (_, n):
                v = v * n
        acc.append(v)
    return sum(u * (i + 1) for i, u in enumerate(acc))


case(f_match_captures_rebind, A3)


# ---------------------------------------------------------------- single traps (so that one refusal does not hide another)


def f_one_row_swap_views(x):
    m = np.outer(x, np.array([1.0, 2.0, 3.0]))
    m[0], m[1] = m[1], m[0]
    return np.sum(m * np.arange(9.0).reshape(3, 3))


case(f_one_row_swap_views, A3)


def f_one_row_swap_fancy(x):
    m = np.outer(x, x)
    m[[0, 1]] = m[[1, 0]]
    m[:, [0, 2]] = m[:, [2, 0]] * x[0]
    return np.sum(m * np.arange(9.0).reshape(3, 3))


case(f_one_row_swap_fancy, A3)


def f_one_scalar_swap(x):
    u = x.copy()
    for i in range(len(u) - 1):
        u[i], u[i + 1] = u[i + 1], u[i] * u[i + 1]
    return np.sum(u * np.array([1.0, 2.0, 3.0, 4.0]))


case(f_one_scalar_swap, A4)


def f_one_overlap(x):
    u = x.copy()
    u[1:] = u[:-1] * 2
    u[:-1] += u[1:]
    u += u[::-1]
    u *= u[0]
    return np.sum(u * np.array([1.0, 2.0, 3.0, 4.0]))


case(f_one_overlap, A4)


def f_one_duplicate_index(x):
    u = np.zeros(3)
    idx = np.array([0, 1, 0, 2])
    u[idx] += x
    v = np.zeros(3)
    np.add.at(v, idx, x**2)
    u[[0, 0]] = x[:2]
    return np.sum(u * v)


case(f_one_duplicate_index, A4)


def f_one_chained_assign_arrays(x):
    u = v = np.zeros(3)
    u += x
    v += x**2
    u = u * 2
    return np.sum(u * v)


case(f_one_chained_assign_arrays, A3)


def f_one_chained_assign_lists(x):
    a = b = [x[0]]
    a.append(x[1])
    b = b + [x[2]]
    a.append(x[2] ** 2)
    return sum(a) * len(a) + sum(b) * len(b)


case(f_one_chained_assign_lists, A3)


def f_one_shallow_slice(x):
    xs = [x.copy(), x**2]
    ys = xs[:]
    ys[0] += 1.0
    ys[1] = x
    zs = list(xs)
    zs.append(x)
    return np.sum(xs[0] ** 2) + np.sum(xs[1]) * len(xs) + len(zs)


case(f_one_shallow_slice, A3)


def f_one_list_times(x):
    xs = [x.copy()] * 2
    xs[0] *= 2.0
    xs[1] += x
    return np.sum(xs[0] * xs[1])


case(f_one_list_times, A3)


def f_one_tuple_iadd(x):
    t = (x[0],)
    s = t
    t += (x[1],)
    t *= 2
    return sum(t) * len(t) + sum(s) * x[2]


case(f_one_tuple_iadd, A3)


def f_one_list_imul(x):
    a = [x[0], x[1]]
    b = a
    a *= 2
    b[3] = x[2] ** 2
    return sum(v * (i + 1) for i, v in enumerate(a)) * len(b)


case(f_one_list_imul, A3)


def f_one_swap_objects(x):
    a, b = Box(x), Box(x**2)
    a, b = b, a
    a.bump()
    return np.sum(a.x) + 3 * np.sum(b.x)


case(f_one_swap_objects, A3)


def f_one_object_in_attr_replaced(x):
    outer = Box(Box(x))
    inner = outer.x
    outer.x = Box(x**2)
    inner.bump()
    outer.x.bump()
    return np.sum(inner.x * outer.x.x)


case(f_one_object_in_attr_replaced, A3)


def f_one_helper_mutates_then_rebinds(x):
    def helper(b):
        b.bump()
        b = Box(b.x * 100)
        b.bump()
        return b.x

    p = Box(x)
    big = helper(p)
    return np.sum(p.x**2) + np.sum(big) * 0.01


case(f_one_helper_mutates_then_rebinds, A3)


def f_one_method_returns_self_or_new(x):
    a = Box(x)
    b = a.add(x)
    b.add(x**2)
    return np.sum(a.x * b.x)


case(f_one_method_returns_self_or_new, A3)


def f_one_grow_number_attr(x):
    a = Box(x[0])
    v = a.x
    a.grow(x[1])
    w = a.x
    a.grow(x[2] ** 2)
    return v * w + a.x


case(f_one_grow_number_attr, A3)


def f_one_grow_array_attr(x):
    a = Box(x.copy())
    v = a.x
    a.grow(x)
    w = a.x + 0
    a.grow(x**2)
    return np.sum(v * w) + np.sum(a.x)


case(f_one_grow_array_attr, A3)


def f_one_constructor_keeps_reference(x):
    u = x.copy()
    a = Box(u)
    u *= 3.0
    b = Box(u * 1.0)
    u += 1.0
    return np.sum(a.x * b.x)


case(f_one_constructor_keeps_reference, A3)


def f_one_object_in_list_loop(x):
    cells = [Box(x[i]) for i in range(3)]
    for i, c in enumerate(cells):
        c.x = c.x * cells[i - 1].x
    cells.reverse()
    return sum(c.x * (k + 1) for k, c in enumerate(cells))


case(f_one_object_in_list_loop, A3)


def f_one_empty_truth(x):
    xs = []
    if not xs:
        xs.append(x[0])
    out = 0.0
    stack = [x[0], x[1], x[2]]
    while stack:
        v = stack.pop()
        out = out * v + v
        if len(stack) == 1 and out < 50 and len(xs) < 2:
            stack.append(out)
            xs.append(v)
    return out * len(xs)


case(f_one_empty_truth, A3)


def f_one_float_counter(x, dt):
    t, n = 0.0, 0
    y = x
    while t < 1.0 - 1e-9:
        y = y + dt * np.sin(y) * t
        t += dt
        n += 1
        if n % 3 == 0:
            continue
        y = y * 1.1
    return np.sum(y) * n


case(f_one_float_counter, A3, 0.1)


def f_one_late_defined(x):
    def a(v):
        return b(v) * scale

    def b(v):
        return v**2

    scale = x[0]
    r = a(x)
    scale = x[1] ** 2
    return np.sum(r) + np.sum(a(x))


case(f_one_late_defined, A3)


def f_one_inner_shadows(x):
    y = x[0]

    def g(y, x=x[1]):
        x = x * 2
        y = y + x
        return y

    z = g(y)
    return z * y + g(x[2], 3.0) * x[0]


case(f_one_inner_shadows, A3)


def f_one_comprehension_scope(x):
    i = 5
    v = x[0]
    ys = [v * i for i, v in enumerate(x)]
    zs = [(w := w2 * i) for w2 in x]
    return sum(ys) * i + v * w + sum(zs)


case(f_one_comprehension_scope, A3)


def f_one_nested_comprehension(x):
    m = [[x[i] * x[j] for j in range(i + 1)] for i in range(3)]
    t = [v for row in m[::-1] for k, v in enumerate(row) if (k + len(row)) % 2]
    return sum(v * (k + 1) for k, v in enumerate(t)) + m[-1][-2]


case(f_one_nested_comprehension, A3)


def f_one_return_lengths(x):
    def g(v):
        if v > 0:
            return v, v**2
        return (v,)

    total = 0.0
    for v in x:
        r = g(v)
        total += r[-1] * len(r)
    return total


case(f_one_return_lengths, A3, x2=-A3)


def f_one_branch_rebinds_list(x):
    xs = [x[0], x[1]]
    ys = xs
    if x[2] > 0:
        ys = [x[2], x[0] ** 2]
    ys[0] = ys[0] * ys[1]
    return xs[0] * 3 + ys[0]


case(f_one_branch_rebinds_list, A3, x2=-A3)


def f_one_branch_none(x):
    extra = None
    if x[0] > 0:
        extra = x**2
    y = x if extra is None else x * extra
    if extra is not None and np.sum(extra) > 1:
        y = y + 1
    return np.sum(y * y)


case(f_one_branch_none, A3, x2=-A3)


def f_one_branch_int_float(x):
    n = 1
    if x[0] > 0:
        n = x[1]
    m = n // 1 if isinstance(n, int) else n * 2
    return np.sum(x**2) * m


case(f_one_branch_int_float, A3, x2=-A3)


def f_one_branch_partial_inplace(x):
    u = x.copy()
    v = u
    if np.sum(x) > 1:
        v = u * 2
    v *= x
    u += 1
    return np.sum(u * v)


case(f_one_branch_partial_inplace, A3, x2=-A3)


def f_one_loop_alias_conditional_copy(x):
    u = x.copy()
    best = u
    for k in range(4):
        u = u * 0.9 + 0.1
        if k == 1:
            best = u
        u[0] += x[1]
    return np.sum(best**2) + np.sum(u)


case(f_one_loop_alias_conditional_copy, A3)


def f_one_history_inplace_after(x):
    u = x.copy()
    hist = []
    for k in range(3):
        u = u * x
        hist.append(u)
        u += 1.0
    return sum(np.sum(h) * (k + 1) for k, h in enumerate(hist))


case(f_one_history_inplace_after, A3)


def f_one_history_of_views(x):
    u = x.copy()
    hist = []
    for k in range(3):
        u[k] = u[k] * u[k - 1]
        hist.append(u[: k + 1])
    return sum(np.sum(h) for h in hist)


case(f_one_history_of_views, A3)


def f_one_history_of_scalars(x):
    u = x.copy()
    hist = []
    for k in range(3):
        u[k] = u[k] * u[k - 1]
        hist.append(u[0])
        u[0] += x[1]
    return sum(h * (k + 1) for k, h in enumerate(hist)) + u[2]


case(f_one_history_of_scalars, A3)


def f_one_dict_swap(x):
    d = {"a": x.copy(), "b": x**2}
    d["a"], d["b"] = d["b"], d["a"]
    d["a"] += x
    return np.sum(d["a"] * 2) + np.sum(d["b"] * x)


case(f_one_dict_swap, A3)


def f_one_dict_of_dict_alias(x):
    d = {"p": {"w": x}, "q": {"w": x**2}}
    p = d["p"]
    d["p"] = d["q"]
    d["p"]["w"] = d["q"]["w"] * 2
    p["w"] = p["w"] + 1
    return np.sum(d["q"]["w"] * p["w"])


case(f_one_dict_of_dict_alias, A3)


def f_one_dict_items_mutation(x):
    d = {"a": x[0], "b": x[1], "c": x[2]}
    for k, v in d.items():
        d[k] = v * d["a"]
    return sum(v * (i + 1) for i, v in enumerate(d.values()))


case(f_one_dict_items_mutation, A3)


def f_one_params_loop_update(x, n):
    params = {"w": x, "b": x**2}
    for _ in range(n):
        grads = {k: np.cos(v) for k, v in params.items()}
        old = params
        params = {k: params[k] - 0.1 * grads[k] for k in params}
    return np.sum(params["w"] * old["b"])


case(f_one_params_loop_update, A3, 3)


def f_one_list_entry_rebound_in_loop(x):
    hs = [x, x**2]
    for t in range(3):
        y = x
        for i, h in enumerate(hs):
            y = hs[i] = np.tanh(h + y)
    return np.sum(hs[0] * hs[1]) + np.sum(y)


case(f_one_list_entry_rebound_in_loop, A3)


def f_one_property_caches(x):
    o = Ticker(x[0])
    first = o.x
    second = o._x
    o._x = x[1]
    return first * second + o.x * o.reads


case(f_one_property_caches, A3)


def f_one_finally_value(x):
    y = x[0]
    try:
        y = y * x[1]
        z = y
    finally:
        y = y + x[2]
    return y * z


case(f_one_finally_value, A3)


def f_one_with_restores(x):
    b = Box(x)
    with Swallow(b) as c:
        y = c.x * x
        b.x = b.x * 5
    return np.sum(y * b.x)


case(f_one_with_restores, A3)


def f_one_deque_maxlen(x):
    q = deque(maxlen=2)
    for v in x:
        q.append(v)
        if len(q) == 2:
            q[0] = q[0] * q[1]
    a, b = q
    return a * 2 + b * len(q)


case(f_one_deque_maxlen, A4)


def f_one_pop_insert(x):
    xs = [x[0], x[1], x[2]]
    v = xs.pop(-2)
    xs.insert(0, v * xs[-1])
    w = xs.pop(0)
    return w * 2 + xs[0] * 3 + xs[1] * len(xs)


case(f_one_pop_insert, A3)


def f_one_extend_self(x):
    xs = [x[0], x[1]]
    xs.extend(xs)
    xs += [v**2 for v in xs]
    return sum(v * (i + 1) for i, v in enumerate(xs)) + len(xs) * x[2]


case(f_one_extend_self, A3)


def f_one_bool_arith(x):
    n = (x[0] > 0) + (x[1] > 0) * 2
    k = not x[2] > 0
    return np.sum(x ** (n + 1)) * (3 - k) + x[n] ** 2


case(f_one_bool_arith, A3, x2=np.array([-0.3, -0.7, 0.9]))


def f_one_chained_compare_values(x):
    total = 0.0
    for v in x:
        if -0.5 < v <= 1.0 != 2.0:
            total += v**2
        elif not -1.0 < v:
            total -= v
        else:
            total *= v
    return total


case(f_one_chained_compare_values, A3, x2=np.array([0.2, 1.4, -1.3]))


def f_one_or_array_none(x, w):
    w = x if w is None else w
    v = (w is x and x[0]) or 2.0
    return np.sum(w * x) * v


case(f_one_or_array_none, A3, None)


def f_one_min_of_tuple(x):
    cand = [(x[0] ** 2, 0), (x[1] ** 2, 1), (x[2] ** 2, 2)]
    val, k = min(cand)
    val2, k2 = max(cand, key=lambda t: t[0] * (1 if t[1] else 10))
    return val * (k + 1) + val2 * (k2 + 1) + x[k2]


case(f_one_min_of_tuple, A3, x2=np.array([0.1, 1.4, -1.3]))


def f_one_sum_start_list(x):
    parts = sum([[x[0], x[1]], [x[2]]], [])
    parts[0] = parts[0] * parts[2]
    return sum(parts, x[1]) * len(parts)


case(f_one_sum_start_list, A3)


def f_one_power_int_neg(x, n):
    y = x.copy()
    while n:
        if n & 1:
            y = y * x
        x = x * x
        n >>= 1
    return np.sum(y) + np.sum(x) * 0.1


case(f_one_power_int_neg, A3, 6)


def f_one_integer_assign_truncates(x):
    k = np.zeros(3, dtype=int)
    k[:] = np.round(x * 10)
    k = k / 4
    k[0] += x[0] ** 2
    return np.sum(k * x)


case(f_one_integer_assign_truncates, A3 + 0.01)


def f_one_zeros_like_int(x, idx):
    acc = np.zeros_like(idx, dtype=float)[:3]
    for i in idx:
        acc[i] += x[i] * x[i - 1]
        x = x * 1.1
    return np.sum(acc * x)


case(f_one_zeros_like_int, A3, np.array([2, 0, 1, 2]))


def f_one_argument_alias_of_default(x, y=np.ones(3)):
    z = y
    z = z + x
    y = z
    y += x
    return np.sum(z * x)


case(f_one_argument_alias_of_default, A3)


def f_one_transposed_buffer(x):
    m = np.zeros((3, 3))
    mt = m.T
    d = np.einsum("ii->i", m)
    m[0] = x
    mt[0] += x**2
    d += x
    return np.sum(m * m)


case(f_one_transposed_buffer, A3)


def f_one_diag_indices(x):
    m = np.outer(x, x)
    r = m[1]
    np.fill_diagonal(m, x**3)
    c = m[:, 0].copy()
    m[1] = 0.0
    return np.sum(r) + np.sum(c * x) + np.sum(m)


case(f_one_diag_indices, A3)


def f_one_masked_assign(x):
    u = x.copy()
    mask = u > 0
    u[mask] *= u[mask]
    u[~mask] = u[mask][0]
    w = u[mask]
    w *= 5.0
    return np.sum(u**2) + np.sum(w)


case(f_one_masked_assign, A3, x2=np.array([0.3, 0.4, -0.9]))


def f_one_two_buffers(x, n):
    old, new = x.copy(), np.empty_like(x)
    for _ in range(n):
        new[1:-1] = old[:-2] * 0.5 + old[2:]
        new[0] = new[-1] = old[0] ** 2
        old, new = new, old
    return np.sum(old**2) + np.sum(new)


case(f_one_two_buffers, A6, 3)


def f_one_object_two_buffers(x, n):
    b = Box(x.copy())
    b.y = np.zeros_like(x)
    for _ in range(n):
        b.y[1:] = b.x[:-1] * b.x[1:]
        b.y[0] = b.x[-1]
        b.x, b.y = b.y, b.x
    return np.sum(b.x * 2) + np.sum(b.y**2)


case(f_one_object_two_buffers, A4, 3)


def f_one_list_rotating_buffers(x, n):
    bufs = [x.copy(), x**2, np.ones_like(x)]
    for k in range(n):
        bufs[k % 3] += bufs[(k + 1) % 3] * bufs[(k + 2) % 3]
        bufs = bufs[1:] + bufs[:1]
    return np.sum(bufs[0]) + 2 * np.sum(bufs[1]) + 3 * np.sum(bufs[2])


case(f_one_list_rotating_buffers, A3, 4)


# third calls of the same gradient with other arguments after the first (specialisation); name -> the other arguments
THEN = {
    "alias_rows_times": (2,),
    "alias_swap_in_loop": (2,),
    "alias_swap_arrays": (4,),
    "closure_late_loop": (1,),
    "number_or_array_plus": (True,),
    "number_or_array_plus_number": (False,),
    "branch_objects": (4,),
    "branch_none_becomes_array": (2,),
    "short_circuit_values": ({"scale": 3.0, "shift": 0},),
    "short_circuit_side_effect": (False,),
    "cond_expr_objects": (1,),
    "int_float_division": (7,),
    "loop_else_break": (2,),
    "carry_shift_register": (1,),
    "exception_from_key": (["a", "a"],),
    "type_changes_in_loop": (3,),
    "one_or_array_none": (np.array([1.0, -2.0, 0.5]),),
    "one_power_int_neg": (5,),
    "one_two_buffers": (4,),
    "one_object_two_buffers": (2,),
    "one_list_rotating_buffers": (2,),
    "inplace_param_dict_arg": ({"w": np.zeros(3), "v": 1.0},),
    "early_return": (2,),
}
