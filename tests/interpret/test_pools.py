"""Objects that several lists hold one after the other, and that refer to one another: the text has their keys (``interpret/pools.py``)."""

from __future__ import annotations

import copy
import functools
from collections import defaultdict, deque
from dataclasses import dataclass, field

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError

X = np.array([0.7, -1.3, 0.95, 0.2, -0.4])
OTHERS = np.array([-0.31, 1.27, 0.53, -0.84, 0.66]), np.array([1.9, 0.45, -0.77, -0.12, 0.58])


class Particle:
    def __init__(self, x, v):
        self.x, self.v, self.n, self.log = x, v, 0, []

    def step(self, dt):
        self.x = self.x + dt * self.v
        self.n += 1
        self.log.append(self.x)


class Spring:
    def __init__(self, p, q, k):
        self.p, self.q, self.k = p, q, k

    def pull(self):
        d = self.k * (self.q.x - self.p.x)
        self.p.v += d
        self.q.v -= d


class Cell:
    def __init__(self, b):
        self.b, self.ins, self.v, self.tag = b, [], 0.0, None

    def add(self, s):
        self.ins.append(s)

    def step(self):
        self.v = self.b + 0.5 * np.tanh(self.v) + sum(s.w * s.pre.v for s in self.ins)


class Synapse:
    def __init__(self, pre, w):
        self.pre, self.w = pre, w


@dataclass
class Household:
    age: int
    m: float
    hist: list = field(default_factory=list)


def total(ps):
    return sum((k + 1) * p.x * 0.3 + p.v**2 + 0.1 * p.n * p.x + sum(p.log) for k, p in enumerate(ps))


def particles(a):
    return [Particle(v, a[(i + 1) % 5]) for i, v in enumerate(a)]


def springs_between_particles(a):
    ps = particles(a)
    ss = []
    for i in range(len(ps) - 1):
        ss.append(Spring(ps[i], ps[i + 1], 0.1 * (i + 1)))
    for _ in range(3):
        for s in ss:
            s.pull()
        for p in ps:
            p.step(0.1)
    return total(ps)


def cells_and_synapses(a):
    cs = [Cell(v) for v in a]
    for i in range(12):
        cs[(i * 3) % 5].add(Synapse(cs[(i * 2 + 1) % 5], 0.1 * a[i % 5]))
    for _ in range(3):
        for c in cs:
            c.step()
    return sum(c.v * (k + 1) + len(c.ins) * c.v for k, c in enumerate(cs))


def cohorts(a):
    pop = [Household(i, v) for i, v in enumerate(a)]
    tot = 0.0
    for t in range(6):
        for h in pop:
            h.m *= 1.1
            h.hist.append(h.m)
            h.age += 1
        dead = [h for h in pop if h.age > 4]
        pop = [h for h in pop if h.age <= 4]
        tot += sum(h.m + sum(h.hist) for h in dead)
        for k in range(2):
            pop.append(Household(0, tot * 0.1 + a[k]))
    return tot + sum(h.m * h.age for h in pop)


def served_in_turn(a):
    q = particles(a)
    served = []
    s = 0.0
    while q:
        p = q.pop(0)
        p.step(0.2)
        if p.n < 3 and p.x > 0:
            q.append(p)
        else:
            served.append(p)
        s += p.x * len(q)
    return s + total(served)


def sorted_into_two_lists(a):
    ps = particles(a)
    left, right = [], []
    for p in ps:
        if p.x > 0.5:
            left.append(p)
        else:
            right.append(p)
    left, right = right, left
    for p in left + right:
        p.step(0.2)
    both = left + right
    both[0].x = a[3]
    return total(both) + total(ps)


def removed_and_added_while_copied(a):
    ps = particles(a)
    for p in list(ps):
        if p.x < 0:
            ps.remove(p)
        elif p.v > 0:
            ps.append(Particle(p.v, p.x))
    return total(ps) + len(ps)


def put_in_order(a):
    ps = particles(a)
    ps.sort(key=lambda p: -p.x)
    for i, p in enumerate(ps):
        p.x *= i + 1
    ps.reverse()
    ps.insert(1, Particle(a[0], a[1]))
    p = ps[2]
    p.v = 3 * a[2]
    i = ps.index(p)
    return total(ps) + i * p.x


def those_that_were_seen(a):
    ps = particles(a)
    cur = ps[0]
    seen = []
    for _ in range(5):
        if cur in seen:
            break
        seen.append(cur)
        cur = min([p for p in ps if p is not cur], key=lambda p: abs(p.x - cur.x))
        cur.x *= 0.9
    return total(seen) + cur.v


def links_of_cells(a):
    cs = [Cell(v) for v in a]
    for i, c in enumerate(cs):
        c.tag = cs[i - 1]
    x = cs[0]
    for _ in range(7):
        x.v += 0.3
        x = x.tag
    cs[2].tag = None
    n = 0
    y = cs[4]
    while y is not None and n < 20:
        y.v += y.b
        y = y.tag
        n += 1
    return sum(c.v * (k + 1) for k, c in enumerate(cs))


def linked_list(a):
    root = None
    for v in a:
        c = Cell(v)
        c.tag = root
        root = c
    s, d = 0.0, 1
    while root is not None:
        s += root.b * d
        d += 1
        root = root.tag
    return s


def rows_of_particles(a):
    ps = particles(a)
    grid = [ps[:2], ps[2:]]
    for row in grid:
        for p in row:
            p.step(0.1)
    grid[0][1].x = 2 * a[0]
    return total(ps)


def by_numbers(a):
    d = {}
    for i, v in enumerate(a):
        d[i % 3] = Particle(v, 1.0)
    for k in d:
        d[k].step(0.1)
    d[0] = d[1]
    d[0].x = a[4]
    return sum(p.x * (k + 1) for k, p in d.items()) + total(d.values())


def copied_ones(a):
    ps = particles(a)
    q = copy.copy(ps[1])
    q.x = 5 * a[0]
    ps.append(q)
    for p in ps:
        p.step(0.1)
    return total(ps)


def one_list_under_two_names(a):
    ps = particles(a)
    ps2 = ps
    ps2.append(Particle(a[0], 2.0))
    ps = ps + [Particle(a[1], 1.0)]
    ps[-1].x += ps2[-1].x
    ps2[0].v = 0.0
    return total(ps) + total(ps2)


def refers_to_itself(a):
    def build(n, x):
        c = Cell(x)
        for k in range(n):
            c.add(Synapse(c, 0.1 * x * k))
        return c

    cs = []
    for i, v in enumerate(a):
        cs.append(build(i, v))
    for _ in range(2):
        for c in cs:
            c.step()
    return sum(c.v for c in cs)


def best_and_second(a):
    ps = particles(a)
    best = None
    second = None
    for p in ps:
        if best is None or p.x > best.x:
            second = best
            best = p
    hall = [best]
    if second is not None:
        hall.append(second)
    for h in hall:
        h.step(0.3)
    return total(ps) + len(hall)


def pairs_of_a_generator(a):
    ps = particles(a)

    def pairs():
        for i, p in enumerate(ps):
            for q in ps[i + 1 :]:
                yield p, q

    for p, q in pairs():
        d = p.x - q.x
        p.v -= 0.1 * d
        q.v += 0.1 * d
    return total(ps)


def some_of_some(a):
    ps = particles(a)
    s = [p for p in ps if p.x > 0]
    u = [p for p in s if p.v > 0.1]
    for p in u:
        p.x = p.x + 1
        s.remove(p)
    for p in s:
        p.x = -p.x
    return total(ps) + len(s) + 10 * len(u)


def snapshots(a):
    ps = particles(a)
    snap = []
    for t in range(3):
        for p in ps:
            p.step(0.1)
        snap.append([p.x for p in ps])
    return total(ps) + sum(sum(r) * (k + 1) for k, r in enumerate(snap))


def neighbours(a):
    ps = particles(a)
    w = [Particle(0.5, 0.5)] + ps + [Particle(a[0], a[1])]
    for l, m, r in zip(w, w[1:], w[2:]):
        m.x = m.x + 0.1 * (l.x - 2 * m.x + r.x)
    return total(w)


def twice_in_a_list(a):
    ps = []
    for v in a:
        p = Particle(v, 1.0)
        ps.append(p)
        ps.append(p)
    for p in ps:
        p.step(0.1)
    return total(ps)


def popped_and_deleted(a):
    ps = particles(a)
    x = ps.pop()
    y = ps.pop(1)
    ps += [x]
    del ps[0]
    x.x = 2 * a[0]
    y.v = a[1]
    return total(ps) + y.x * y.v


def popped_by_index(a):
    ps = particles(a)
    k = 0
    while k < len(ps):
        if ps[k].x < 0:
            ps.pop(k)
        else:
            ps[k].step(0.1)
            k += 1
    return total(ps)


def exchanged(a):
    ps = particles(a)
    ps[0], ps[-1] = ps[-1], ps[0]
    for i in range(4):
        ps[i], ps[i + 1] = ps[i + 1], ps[i]
        ps[i].step(0.1 * i)
    return total(ps)


def with_numbers(a):
    ps = particles(a)
    acts = [(p, 0.1 * i) for i, p in enumerate(ps)]
    for p, dt in acts:
        p.step(dt)
    for p, dt in sorted(acts, key=lambda t: -t[1])[:2]:
        p.v = dt
    return total(ps)


class Neuron:
    def __init__(self, b):
        self.b, self.v, self.incoming = b, 0.0, []

    def step(self):
        self.v = 0.5 * self.v + self.b + sum(s.w * s.pre.v for s in self.incoming)


class Plastic:
    def __init__(self, pre, post, w):
        self.pre, self.post, self.w = pre, post, w
        post.incoming.append(self)
        self.use = 0

    def tick(self):
        self.w += 0.01 * self.pre.v * self.post.v
        self.use += 1


def given_away_while_made(a):
    ns = [Neuron(v) for v in a]
    ss = [Plastic(ns[i], ns[(i * 2 + 1) % 5], 0.1 * a[i]) for i in range(5)]
    for _ in range(3):
        for n in ns:
            n.step()
        for s in ss:
            s.tick()
    return sum(n.v for n in ns) + sum(s.w * s.use for s in ss)


class Node:
    def __init__(self, v, parent=None):
        self.v, self.parent, self.kids = v, parent, []
        if parent is not None:
            parent.kids.append(self)

    def total(self):
        return self.v + 0.5 * sum(k.total() for k in self.kids)

    def depth(self):
        d, p = 0, self.parent
        while p is not None:
            d += 1
            p = p.parent
        return d


def depths_in_a_tree(a):
    root = Node(a[0])
    ns = [root]
    for i, v in enumerate(a[1:]):
        ns.append(Node(v, ns[i // 2]))
    return sum(n.v * n.depth() for n in ns)


def totals_from_the_leaves(a):
    root = Node(a[0])
    ns = [root]
    for i, v in enumerate(a[1:]):
        ns.append(Node(v, ns[i // 2]))
    for n in reversed(ns):
        n.v = n.v + sum(k.v for k in n.kids)
    return root.v * ns[1].v


def read_before_it_is_filled(a):
    q = []
    s = 0.0
    for v in a:
        for p in q:
            p.step(0.1)
            s += p.x
        q.append(Particle(v, 1.0))
    return s + total(q)


def last_ones(a):
    q = []
    s = 0.0
    for i, v in enumerate(a):
        if q and q[-1].x > 0.1:
            s += q[-1].x
            q.pop()
        q.append(Particle(v, s))
        if len(q) > 2:
            q = q[1:]
    return s + total(q)


def slots(a):
    slots = [None] * 4
    s = 0.0
    for i, v in enumerate(a):
        k = i % 4
        if slots[k] is None:
            slots[k] = Particle(v, 1.0)
        else:
            slots[k].step(v)
        if i == 2:
            slots[0] = None
    for p in slots:
        if p is not None:
            s += p.x * (p.n + 1)
    return s


def by_a_function(a):
    ps = particles(a)
    x = ps[0]

    def g(p, q=x):
        q.v += p.x
        return q

    for p in ps:
        x = g(p)
    return total(ps) + x.v


def by_lambdas(a):
    ps = particles(a)
    fs = [lambda z, p=p: p.x * z for p in ps]
    ps[1].x = 2 * a[0]
    return sum(f(i) for i, f in enumerate(fs)) + total(ps)


def queue(a):
    q = deque(particles(a))
    s = 0.0
    for _ in range(8):
        p = q.popleft()
        p.step(0.1)
        s += p.x
        if p.n < 3:
            q.append(p)
        if not q:
            break
    return s + len(q)


def window(a):
    q = deque(maxlen=3)
    s = 0.0
    for v in a:
        q.append(Particle(v, 1.0))
        q[0].step(0.1)
        s += sum(p.x for p in q)
    return s


def moved_to_the_front(a):
    ps = particles(a)
    s = 0.0
    for t in range(3):
        moved = []
        for p in ps:
            if p.x + t > 1.0:
                moved.append(p)
        for m in moved:
            ps.remove(m)
        for m in moved:
            m.x *= 0.5
            ps.insert(0, m)
        s += ps[0].x
    return s + total(ps)


@dataclass(eq=False)
class Link:
    x: float
    nxt: Link = None
    prv: Link = None


def doubly_linked_list(a):
    head = tail = None
    for v in a:
        q = Link(v)
        if head is None:
            head = tail = q
        else:
            tail.nxt = q
            q.prv = tail
            tail = q
    mid = head.nxt.nxt
    mid.prv.nxt = mid.nxt
    mid.nxt.prv = mid.prv
    s, k, q = 0.0, 1, tail
    while q:
        s += q.x * k
        k += 1
        q = q.prv
    return s * mid.x


def merged(a):
    ps = particles(a)
    tot = 0.0
    while len(ps) > 1:
        ps.sort(key=lambda p: p.x)
        l, r = ps.pop(0), ps.pop(0)
        m = Particle(l.x + r.x * 2, l.v * r.v)
        m.log = [l.x, r.x]
        tot += m.x**2
        ps.append(m)
    return tot + ps[0].x + sum(ps[0].log)


def pairs_that_are_near(a):
    ps = particles(a)
    pairs = []
    for i, p in enumerate(ps):
        for q in ps[:i]:
            if abs(p.x - q.x) < 1.0:
                pairs.append((p, q, 0.1 * i))
    for p, q, w in pairs:
        p.v += w * q.x
        q.v -= w * p.x
    return total(ps) + len(pairs)


def groups(a):
    ps = particles(a)
    groups = [[] for _ in range(3)]
    for i, p in enumerate(ps):
        groups[i % 3].append(p)
    for g in groups:
        c = sum(p.x for p in g) / len(g)
        for p in g:
            p.x = c
    return total(ps)


class Actor:
    def __init__(self, x):
        self.x = x
        self.on = True

    def kind(self):
        return 1.0

    def act(self, z):
        return self.x * z * self.kind()


class Twice(Actor):
    def kind(self):
        return 2.0


def asked_what_they_are(a):
    ps = particles(a)
    q = []
    for p in ps:
        if isinstance(p, Particle) and hasattr(p, "x") and type(p) is Particle:
            q.append(p)
    q[0].x = getattr(q[1], "zz", a[0])
    return total(ps) + len(q)


class Number:
    def __init__(self, v):
        self.v = v

    def __add__(self, o):
        return Number(self.v + (o.v if isinstance(o, Number) else o))

    __radd__ = __add__

    def __mul__(self, k):
        return Number(self.v * k)

    def __neg__(self):
        return Number(-self.v)

    def __lt__(self, o):
        return self.v < o.v

    def __float__(self):
        return self.v


def operators(a):
    xs = []
    for v in a:
        xs.append(Number(v))
    tot = Number(0.0)
    for x in xs:
        tot = tot + x * 2
    for i in range(4):
        xs[i] = xs[i + 1] + (-xs[i])
    return tot.v + xs[0].v * xs[3].v


def reduced(a):
    xs = []
    for v in a:
        xs.append(Number(v))
    return functools.reduce(lambda p, q: p + q * 2, xs).v + max(xs).v


def finally_counted(a):
    ps = particles(a)
    s = 0.0
    for p in ps:
        try:
            if p.x < 0:
                continue
            p.step(0.1)
            if p.n > 5:
                break
        finally:
            s += p.x
    return s + total(ps)


def generator_over_a_variable(a):
    ps = particles(a)
    live = list(ps)

    def gen():
        for p in live:
            if p.x > 0:
                yield p

    for p in gen():
        p.step(0.2)
    live = live[1:]
    for p in gen():
        p.step(0.3)
    return total(ps)


def taken_out_while_held(a):
    ps = particles(a)
    k = 0
    for t in range(6):
        p = ps[k]
        p.step(0.1)
        k = (k + 2) % len(ps) if p.x > 0 else (k + 1) % len(ps)
        if t == 3:
            ps = [q for q in ps if q is not p]
            k = 0
    return total(ps) + p.x


def stack(a):
    ps = particles(a)
    stack = [ps[0]]
    s = 0.0
    d = 1.0
    ps[0].nx = [ps[1], ps[2]]
    while stack:
        p = stack.pop()
        s += p.x * d
        d += 1.0
        if p is ps[0]:
            stack.extend([ps[1], ps[2]])
        elif p is ps[2]:
            stack.append(ps[4])
    return s


def under_words(a):
    ps = particles(a)
    m = {}
    for i, p in enumerate(ps):
        m["abcde"[i]] = p
    for k, p in m.items():
        if k in "ace":
            p.x *= 2
    m["a"], m["b"] = m["b"], m["a"]
    m["a"].v = 7 * a[0]
    return total(ps) + m["b"].x


def taken_out_of_a_dict(a):
    ps = particles(a)
    m = {}
    for i, p in enumerate(ps):
        m[i % 2] = p
    q = m.pop(0)
    q.x = 3 * a[1]
    for p in m.values():
        p.v = 0.0
    return total(ps) + len(m)


def exchanged_names(a):
    ps = particles(a)
    x = ps[0]
    y = ps[1]
    for i in range(3):
        x, y = y, (x if i == 1 else ps[i + 2])
        x.v += y.x
        y.x *= 0.5
    return total(ps) + x.x


def break_and_else(a):
    ps = particles(a)
    for p in ps:
        for q in ps:
            if q is p:
                continue
            if abs(q.x - p.x) < 0.8:
                break
        else:
            p.v = 0.0
            continue
        p.v += 0.1 * q.x
    return total(ps)


def leaders(a):
    ps = particles(a)
    hist = []
    for t in range(3):
        lead = max(ps, key=lambda p: p.x)
        hist.append((t, lead))
        lead.x -= 1.0
    return total(ps) + sum(l.x * (t + 1) for t, l in hist)


def index_of_the_least(a):
    ps = particles(a)
    c = [0, 0, 0, 0, 0]
    for t in range(4):
        i = min(range(5), key=lambda k: ps[k].x + c[k])
        c[i] += 1
        ps[i].step(0.1)
    return total(ps) + sum(k * v for k, v in enumerate(c))


def from_before_the_loop(a):
    first = Particle(a[0], a[1])
    ps = [first]
    for v in a[1:]:
        ps.append(Particle(v, first.x))
        first.v += v
    first.x = 2 * a[2]
    return total(ps)


def one_again_and_again(a):
    p = Particle(a[0], a[1])
    acc = []
    for v in a:
        acc.append(p)
        p.x += v
    return sum(q.x for q in acc) + p.v


def one_after_the_other(a):
    p = Particle(a[0], a[1])
    acc = []
    for v in a:
        acc.append(p)
        p = Particle(p.x + v, p.v)
    return sum(q.x for q in acc) + p.v


def begun_anew(a):
    acc = []
    p = Particle(a[0], a[1])
    for v in a:
        if v > 0:
            acc.append(p)
            p = Particle(v, p.x)
        else:
            p.x += v
    return total(acc) + p.x


def begun_by_a_test(a):
    acc = []
    p = None
    for v in a:
        if p is None or v > 0.5:
            p = Particle(v, 1.0)
            acc.append(p)
        else:
            p.step(v)
    return total(acc)


@dataclass
class Basket:
    x: float
    items: list = field(default_factory=list)
    best: object = None

    def put(self, p):
        self.items.append(p)
        if self.best is None or p.x > self.best.x:
            self.best = p


def records_of_particles(a):
    rs = [Basket(0.0), Basket(1.0)]
    ps = particles(a)
    for i, p in enumerate(ps):
        rs[i % 2].put(p)
    for r in rs:
        r.best.x *= 2
        r.x = sum(q.x for q in r.items)
    return total(ps) + rs[0].x * rs[1].x


def side_by_side(a):
    ps = particles(a)
    s = 0.0
    for p, q in zip(ps, reversed(ps)):
        s += p.x * q.v
        if p is q:
            p.x += 1
    for i, (p, w) in enumerate(zip(ps[1:], a)):
        p.v = w * i
    return s + total(ps)


def extended(a):
    ps = particles(a)
    ps.extend(Particle(v, 0.0) for v in a if v > 0)
    ps += particles(a[::-1])
    ps[7].x = 9 * a[0]
    return total(ps)


def clusters(a):
    ps = particles(a)
    tot = 0.0
    while len(ps) > 2:
        i, j = 0, 1
        for m in range(len(ps)):
            for n in range(m):
                if abs(ps[m].x - ps[n].x) < abs(ps[i].x - ps[j].x):
                    i, j = n, m
        p, q = ps[i], ps[j]
        new = Particle(0.5 * (p.x + q.x), p.v + q.v)
        tot += abs(p.x - q.x)
        ps = [r for r in ps if r is not p and r is not q] + [new]
    return tot + total(ps)


def lists_exchanged(a):
    b1, b2 = [], []
    for v in a:
        p = Particle(v, 1.0)
        b1.append(p)
        if v > 0:
            b2.append(p)
    b1, b2 = b2, b1
    for p in b1:
        p.x = -p.x
    return total(b2) + len(b1)


def slots_that_are_read_first(a):
    slots = [None] * 3
    s = 0.0
    for i, v in enumerate(a):
        if slots[i % 3] is not None:
            p = slots[i % 3]
            p.step(0.2)
            s += p.x
        slots[i % 3] = Particle(v, s)
    return s + total([p for p in slots if p is not None])


def logs_that_are_read_first(a):
    q = []
    s = 0.0
    for v in a:
        for p in q:
            p.step(v)
            for r in p.log:
                s += r
        if len(q) < 3:
            q.append(Particle(v, 1.0))
    return s


class Centre:
    def __init__(self, x, k):
        self.x, self.k, self.ps = x, k, []


def in_groups(a):
    ps = particles(a)
    g = {}
    for p in ps:
        g.setdefault(p.x > 0.5, []).append(p)
    for k in g:
        for p in g[k]:
            p.x += 1.0 if k else 2.0 * a[0]
    return total(ps)


def in_groups_by_number(a):
    ps = particles(a)
    g = defaultdict(list)
    for i, p in enumerate(ps):
        g[i % 3].append(p)
    for k, l in g.items():
        c = sum(p.x for p in l) / len(l)
        for p in l:
            p.v = c * (k + 1)
    return total(ps)


def in_a_grid(a):
    grid = [[None] * 3 for _ in range(2)]
    for i in range(2):
        for j in range(3):
            grid[i][j] = Particle(a[(i + j) % 5], a[j])
    ss = []
    for i in range(2):
        for j in range(2):
            ss.append(Spring(grid[i][j], grid[i][j + 1], 0.1))
    for s in ss:
        s.pull()
    flat = [p for row in grid for p in row]
    for p in flat:
        p.step(0.1)
    return total(flat)


def in_cells(a):
    cells = [[] for _ in range(4)]
    ps = particles(a)
    for p in ps:
        cells[int(abs(p.x) * 2) % 4].append(p)
    for c in cells:
        for p in c:
            for q in c:
                if p is not q:
                    p.v += 0.1 * q.x
    return total(ps)


def nearest_centres(a):
    ps = particles(a)
    cs = [Centre(v, i) for i, v in enumerate(a[:2])]
    for p in ps:
        c = min(cs, key=lambda c: abs(c.x - p.x))
        c.ps.append(p)
    for c in cs:
        if c.ps:
            c.x = sum(p.x for p in c.ps) / len(c.ps)
        for p in c.ps:
            p.x = c.x
    return total(ps) + sum(c.x * len(c.ps) for c in cs)


def weighted_in_groups(a):
    g = defaultdict(list)
    ps = particles(a)
    for i, p in enumerate(ps):
        g[i % 2].append((p, a[i]))
    return sum(p.x * w * (k + 1) for k in g for p, w in g[k])


def first_and_last_of_groups(a):
    g = {}
    ps = particles(a)
    for i, p in enumerate(ps):
        if i % 2 not in g:
            g[i % 2] = []
        g[i % 2].append(p)
    for k, l in g.items():
        l[0].x *= 2
        l[-1].v = 3 * a[0]
    return total(ps) + len(g[0])


def by_differences(program, x):
    return [(program(x + step) - program(x - step)) / 2e-6 for step in 1e-6 * np.eye(len(x))]


@dataclass
class Equal:
    a: float


def equal_by_value(x):
    """Which one is taken out is the first that is equal."""
    found = [Equal(v) for v in x]
    found.append(Equal(found[0].a))
    found.remove(found[5])
    return sum((k + 1) * each.a for k, each in enumerate(found))


@dataclass
class Car:
    x: float
    v: float
    lane: int
    note: str = field(default="", compare=False)


def lanes_changed(x):
    """Cars that their class compares by value go from one lane to the other."""
    cars = [Car(x[i % 5] * (1 + 0.1 * i), x[(i + 2) % 5], i % 2) for i in range(7)]
    lanes = [[car for car in cars if car.lane == i] for i in (0, 1)]
    for _ in range(3):
        for i, lane in enumerate(lanes):
            for car in list(lane):
                if car.v > 0.6:
                    lane.remove(car)
                    lanes[1 - i].append(car)
                    car.lane, car.v = 1 - i, car.v * 0.8 + 0.1 * car.x
    return sum((i + 1) * (j + 1) * car.x * car.v for i, lane in enumerate(lanes) for j, car in enumerate(lane))


def the_first_of_two(x):
    found = [Car(x[0], x[1], 0), Car(x[0], x[1], 0), Car(x[2], x[3], 1)]
    second = found[1]
    second.note = "second"
    found.remove(second)
    second.x = second.x * 2
    return sum((k + 1) * car.x for k, car in enumerate(found)) + (3 * x[4] if found[0].note else x[4]) * (second in found)


def equal_or_not(x):
    a, b = Car(x[0], x[1], 0), Car(x[0], x[1], 0, "other")
    found = x[2] if a == b else x[3]
    b.x = x[4]
    return found * a.x + (x[2] if a != b else x[3]) * b.x


@pytest.mark.parametrize(
    "program",
    [
        springs_between_particles,
        cells_and_synapses,
        cohorts,
        served_in_turn,
        sorted_into_two_lists,
        removed_and_added_while_copied,
        put_in_order,
        those_that_were_seen,
        links_of_cells,
        linked_list,
        rows_of_particles,
        by_numbers,
        copied_ones,
        one_list_under_two_names,
        refers_to_itself,
        best_and_second,
        pairs_of_a_generator,
        some_of_some,
        snapshots,
        neighbours,
        twice_in_a_list,
        popped_and_deleted,
        popped_by_index,
        exchanged,
        with_numbers,
        given_away_while_made,
        depths_in_a_tree,
        totals_from_the_leaves,
        read_before_it_is_filled,
        last_ones,
        slots,
        by_a_function,
        by_lambdas,
        queue,
        window,
        moved_to_the_front,
        doubly_linked_list,
        merged,
        pairs_that_are_near,
        groups,
        asked_what_they_are,
        operators,
        reduced,
        finally_counted,
        generator_over_a_variable,
        taken_out_while_held,
        stack,
        under_words,
        taken_out_of_a_dict,
        exchanged_names,
        break_and_else,
        leaders,
        index_of_the_least,
        from_before_the_loop,
        one_again_and_again,
        one_after_the_other,
        begun_anew,
        begun_by_a_test,
        records_of_particles,
        side_by_side,
        extended,
        clusters,
        lists_exchanged,
        slots_that_are_read_first,
        logs_that_are_read_first,
        in_groups,
        in_groups_by_number,
        in_a_grid,
        in_cells,
        nearest_centres,
        weighted_in_groups,
        first_and_last_of_groups,
        equal_by_value,
        lanes_changed,
        the_first_of_two,
        equal_or_not,
    ],
)
def test_it_is_compiled(program):
    slope = sourcediff.value_and_grad(program, mode="compiled")
    for x in (X, *OTHERS):
        value, slopes = slope(x)
        assert value == pytest.approx(program(x), rel=1e-12)
        np.testing.assert_allclose(slopes, by_differences(program, x), rtol=1e-5, atol=1e-5)


def lists_of_one_of_two(x):
    """A program of which the gradient was wrong: what is stored into a list of one object out of several went into a copy of it."""
    found = [Particle(x[0], x[1]), Particle(x[1], x[2])]
    number = 0 if x[0] > 0.5 else 1
    found[number].log.append(x[2])
    found[number].log[0] *= 2
    return sum(found[0].log) * 3 + sum(found[1].log)


def test_what_was_wrong():
    try:
        slopes = sourcediff.grad(lists_of_one_of_two, mode="compiled")(X)
    except SourcediffError:
        slopes = sourcediff.grad(lists_of_one_of_two, mode="eager")(X)
    np.testing.assert_allclose(slopes, by_differences(lists_of_one_of_two, X), rtol=1e-5, atol=1e-6)
