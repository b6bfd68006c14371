"""``iter`` and ``next`` where only the run tells how far an iterator has come, and what else the newest programs of others asked for."""

from __future__ import annotations

import heapq
import itertools

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError

W = np.array([1.1, 0.5, 0.7, 1.3, 0.4, 0.9, 1.2, 0.8])
N = 3


def filled_one_by_one(w):
    a, it = np.zeros((3, 3)), iter(w[1:])
    for i in range(len(w) // N):
        for j in range(N):
            if j != i:
                a[i, j] = next(it)
    return np.sum(a ** 2 * np.arange(9.0).reshape(3, 3))


def first_and_the_rest(w):
    it = iter(w[1:])
    first = next(it)
    t = first ** 2
    for x in it:
        t += first * x ** 3
    return t


def some_and_the_rest(w):
    it, t = iter(w), 0.0
    for i in range(N):
        t += next(it) ** (i + 1)
    for k, x in enumerate(it):
        t += x * k
    return t


def counted(w):
    c, t, s = itertools.count(), 0.0, 1.0
    while s < 20:
        k = next(c)
        s = s + w[k % 3] ** 2
        t += k * s
    return t + next(c) * w[0]


def another_array_under_the_name(w):
    it, t = iter(w), 0.0
    w = w * 2
    for k in range(N):
        t += next(it) * w[k]
    return t


def until_it_ends(w):
    it, t = iter(w), 0.0
    n = N * len(w)
    try:
        for _ in range(n):
            t += next(it) ** 2
    except StopIteration:
        t += 3 * w[0]
    return t


def with_a_default(w):
    it, t = iter(w * 2), 0.0
    for _ in range(N * 3):
        x = next(it, None)
        if x is None:
            break
        t += x * x
    return t


ARCS = {("a", "b"): 2.0, ("b", "c"): 1.5, ("a", "c"): 3.0, ("c", "d"): 1.0}
PATHS = {}


def shortest(origin, target):
    tie = itertools.count()
    heap = [(0.0, next(tie), (origin,))]
    while heap:
        length, _, path = heapq.heappop(heap)
        if path[-1] == target:
            return list(itertools.pairwise(path))
        for (i, j), more in ARCS.items():
            if i == path[-1]:
                heapq.heappush(heap, (length + more, next(tie), (*path, j)))
    return []


def path_for(pair):
    if pair not in PATHS:
        PATHS[pair] = shortest(*pair)
    return PATHS[pair]


def loads_of_arcs(demand):
    loads = dict.fromkeys(ARCS, 0.0)
    for pair, q in demand.items():
        for arc in path_for(pair):
            loads[arc] += q ** 2
    return sum(x * (1 + x * ARCS[arc]) for arc, x in loads.items())


def by_differences(program, x):
    return [(program(x + d) - program(x - d)) / 2e-6 for d in 1e-6 * np.eye(len(x))]


@pytest.mark.parametrize("program", [filled_one_by_one, first_and_the_rest, some_and_the_rest, counted, another_array_under_the_name])
def test_it_is_compiled(program):
    value, slopes = sourcediff.value_and_grad(program, mode="compiled")(W)
    assert value == pytest.approx(program(W), rel=1e-12)
    np.testing.assert_allclose(slopes, by_differences(program, W), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("program", [until_it_ends, with_a_default])
def test_whether_there_is_a_next_item_is_left_to_the_eager_engine(program):
    with pytest.raises(SourcediffError, match="whether an iterator has a next item"):
        sourcediff.grad(program, mode="compiled")(W)


def test_a_function_that_fills_a_table_is_called_with_known_words():
    PATHS.clear()
    demand = {("a", "d"): 0.7, ("b", "d"): 1.2}
    slopes = sourcediff.grad(loads_of_arcs, mode="compiled")(demand)
    assert list(PATHS) == list(demand)
    for pair in demand:
        up, down = ({**demand, pair: demand[pair] + step} for step in (1e-6, -1e-6))
        assert slopes[pair] == pytest.approx((loads_of_arcs(up) - loads_of_arcs(down)) / 2e-6, rel=1e-7)


CAMERAS = {f"c{k}": {"r": np.array([1.0 + k, 2.0])} for k in range(13)}
CAMERAS["c3"]["distortion"] = np.array([0.1, 0.2])
SEEN = [(f"c{k % 13}", k) for k in range(80)]


def optional_entries(cameras, common, seen):
    total = 0.0
    for name, k in seen:
        camera = cameras[name]
        total += np.sum(camera.get("distortion", common) * camera["r"] ** 2) * k
    return total


def test_an_entry_that_only_some_dicts_have_is_asked_for_by_a_name_that_the_run_tells():
    common = np.array([0.5, 0.7])
    cameras, shared = sourcediff.grad(optional_entries, wrt=(0, 1), mode="compiled")(CAMERAS, common, SEEN)
    others = sum(CAMERAS[name]["r"] ** 2 * k for name, k in SEEN if name != "c3")
    own = sum(CAMERAS[name]["r"] ** 2 * k for name, k in SEEN if name == "c3")
    np.testing.assert_allclose(shared, others, rtol=1e-13)
    np.testing.assert_allclose(cameras["c3"]["distortion"], own, rtol=1e-13)
    assert "distortion" not in cameras["c4"]


def heads_in_columns(x, weights):
    parts = [np.split(part, 3, axis=-1) for part in np.split(x @ weights, 3, axis=-1)]
    found = [np.tanh(q @ k.T) @ v for q, k, v in zip(*parts)]
    return np.sum(np.hstack(found) ** 2)


def test_columns_of_lists_that_a_comprehension_goes_over():
    rng = np.random.default_rng(3)
    x, weights = rng.normal(size=(4, 5)), rng.normal(size=(5, 18)) * 0.3
    slopes = sourcediff.grad(heads_in_columns, wrt=1, mode="compiled")(x, weights)
    for place in ((0, 0), (2, 7), (4, 17)):
        step = np.zeros_like(weights)
        step[place] = 1e-6
        slope = (heads_in_columns(x, weights + step) - heads_in_columns(x, weights - step)) / 2e-6
        assert slopes[place] == pytest.approx(slope, rel=1e-5)


MARKET = {"shop": (22, 6.0), "kiosk": (14, 3.0)}


def words_that_a_table_has(x):
    total = 0.0
    for name in ("shop", "plant", "kiosk"):
        if name in MARKET:
            total = total + MARKET[name][1] * x * x
        else:
            total = total + 10 * x
    return total


def test_whether_a_table_has_a_word_is_asked_again_when_it_changes():
    slope = sourcediff.grad(words_that_a_table_has, mode="compiled")
    assert slope(2.0) == 2 * 9.0 * 2.0 + 10
    kiosk = MARKET.pop("kiosk")
    try:
        assert slope(2.0) == 2 * 6.0 * 2.0 + 20
    finally:
        MARKET["kiosk"] = kiosk
    assert slope(2.0) == 2 * 9.0 * 2.0 + 10


class Kernel:
    def __init__(self, scale):
        self.theta = np.array([scale])

    def __add__(self, other):
        return Both(self, other)

    def __call__(self, x):
        return np.exp(self.theta[0]) * x


class Both(Kernel):
    def __init__(self, one, other):
        self.one, self.other = one, other

    @property
    def theta(self):
        return np.append(self.one.theta, self.other.theta)

    @theta.setter
    def theta(self, value):
        self.one.theta, self.other.theta = value[:1], value[1:]

    def __call__(self, x):
        return self.one(x) * self.other(x) ** 2


def stored_to_a_property(theta, x):
    kernel = Kernel(1.0) + Kernel(2.0)
    kernel.theta = theta
    return np.sum(kernel(x))


def test_a_property_of_a_derived_class_that_is_stored_to():
    theta, x = np.array([0.3, -0.2]), np.array([1.0, 2.0])
    value, slopes = sourcediff.value_and_grad(stored_to_a_property, mode="compiled")(theta, x)
    np.testing.assert_allclose(slopes, [value, 2 * value], rtol=1e-12)
