"""What programs ask of containers that are known part by part: the place of an object, the key of the least, the item before the last."""

from __future__ import annotations

import abc
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import sparse

import sourcediff

X = np.array([0.7, -1.3, 0.95, 0.2, -0.4])
OTHERS = np.array([-0.31, 1.27, 0.53, -0.84, 0.66]), np.array([1.9, 0.45, -0.77, -0.12, 0.58])


@dataclass
class Reservoir:
    name: str
    storage: float
    levels: object = None


class Part:
    def __init__(self, v):
        self.v = v


def the_next_one(x):
    """``==`` of dataclasses: their names tell them apart before anything is compared that the run tells."""
    chain = [Reservoir("upper", x[0], x), Reservoir("middle", x[1], x), Reservoir("lower", x[2], x)]
    total = 0.0
    for each in chain:
        place = chain.index(each)
        total += each.storage ** 2 * (place + 1)
        if place + 1 < len(chain):
            chain[place + 1].storage += each.storage * 0.3
    return total


def one_that_equals_another(x):
    chain = [Reservoir("a", x[0]), Reservoir("a", x[1]), Reservoir("a", x[0])]
    return chain[chain.index(Reservoir("a", x[1]))].storage ** 2 + chain.index(chain[2]) * x[2]


def one_is_removed(x):
    parts = [Part(v) for v in x[:3]]
    one = parts[1]
    parts.remove(one)
    return sum(part.v ** 2 for part in parts) * one.v + parts.index(parts[1])


def removed_while_gone_through(x):
    parts = [Part(v) for v in x[:3]]
    for part in list(parts):
        if part.v < 0.5:
            parts.remove(part)
    return sum(part.v ** 2 for part in parts)


def one_of_these(x):
    parts = [Part(v) for v in x[:3]]
    first, total = parts[0], 0.0
    for part in parts:
        total += part.v ** 2 if part in (first, parts[2]) else part.v
    return total


def places_of_words(x):
    names = ["u", "v", "w"]
    return sum(x[names.index(name)] ** 2 * (2 if name in ["u", "w"] else 3) for name in names)


def governing(x):
    factors = {}
    for i, key in enumerate(("positive", "negative", "shear")):
        factors[key] = x[i] ** 2 + 0.3 * x[i + 1]
    least = min(factors, key=factors.get)
    log = [f"{factors[least]:.3f} ({least})"]
    return factors[least] * 2 + factors[sorted(factors, key=lambda key: factors[key])[1]] * len(log)


def governing_in_a_loop(x):
    total = 0.0
    for i in range(3):
        factors = {"a": x[i], "b": x[i + 1] ** 2}
        most = max(factors, key=factors.get)
        total += factors[most] * x[0]
        if most == "a":
            total += x[2]
    return total


def the_item_before_the_last(x):
    """Where nothing is in the list as yet, the way that reads it is not taken."""
    squares, factors = [], []
    for j in range(4):
        rows = [i for i in range(4 - j) if i != 7]
        column = np.array([x[i] * (i + 1) for i in rows])
        factors.append(column.sum())
        if len(rows) > 1:
            squares.append(np.sum((column - factors[-1]) ** 2) / (len(rows) - 1))
        else:
            squares.append(min(squares[-1] ** 2 / squares[-2], min(squares[-2], squares[-1])))
    return np.array(squares).sum() + sum(factors)


def assembled(x):
    values, rows, columns = [], [], []
    for i in range(4):
        for j in range(i + 1):
            values.append(x[i] * x[j])
            rows.append(i)
            columns.append(j)
    matrix = sparse.coo_matrix((values, (rows, columns)), shape=(4, 4)).tocsc()
    return (matrix @ x[:4]) @ x[:4] + len(values) * x[0]


def imported_inside(width, at):
    from scipy.special import erf

    return np.diff(0.5 * (1 + erf((np.arange(4.0) - at) / (1 + width ** 2))))


LINES = [Reservoir("a", 0.0, [(0.5, 1.0), (1.5, 2.0)]), Reservoir("b", 0.0, [(0.7, 1.0)]), Reservoir("c", 0.0, [])]


def an_import_in_a_helper(x):
    return sum((imported_inside(x[0], at) ** 2).sum() * weight for line in LINES for at, weight in line.levels)


class Kernel(abc.ABC):
    @abc.abstractmethod
    def __call__(self, a): ...

    def __add__(self, other):
        return Sum(self, wrapped(other))

    def __mul__(self, other):
        return Scaled(self, wrapped(other))

    __rmul__ = __mul__


def wrapped(k):
    return k if isinstance(k, Kernel) else Constant(k)


class Constant(Kernel):
    def __init__(self, c):
        self.c = c

    def __call__(self, a):
        return a * 0 + self.c


class Decay(Kernel):
    def __init__(self, rate):
        self.rate = rate

    def __call__(self, a):
        return np.exp(-a ** 2 * self.rate)


class Sum(Kernel):
    def __init__(self, left, right):
        self.left, self.right = left, right

    def __call__(self, a):
        return self.left(a) + self.right(a)


class Scaled(Sum):
    def __call__(self, a):
        return self.left(a) * self.right(a)


def kernels(x):
    k = x[0] ** 2 * Decay(x[1]) + Decay(x[2]) * x[3] + 0.1
    return k(np.linspace(0, 1, 5)).sum() * x[4]


def by_differences(program, x):
    return np.array([(program(x + 1e-6 * e) - program(x - 1e-6 * e)) / 2e-6 for e in np.eye(len(x))])


@pytest.mark.parametrize(
    "program",
    [
        the_next_one, one_that_equals_another, one_is_removed, removed_while_gone_through, one_of_these, places_of_words, governing,
        governing_in_a_loop, the_item_before_the_last, assembled, an_import_in_a_helper, kernels,
    ],
)
def test_it_is_compiled(program):
    slope = sourcediff.value_and_grad(program, mode="compiled")
    for x in (X, *OTHERS):
        value, slopes = slope(x)
        assert value == pytest.approx(program(x), rel=1e-12)
        np.testing.assert_allclose(slopes, by_differences(program, x), rtol=1e-5, atol=1e-6)


class Arm:
    def __init__(self, links):
        self.links = links

    def __len__(self):
        return len(self.links)


def torque(arm, q):
    total = 0.0
    for i in reversed(range(len(arm))):
        total = total * 0.5 + arm.links[i].v * q[i]
    return total ** 2


def test_the_length_of_an_object_that_is_given():
    arm = Arm([Part(1.5), Part(0.5), Part(-2.0)])
    found, slopes = sourcediff.grad(torque, ("arm", "q"), mode="compiled")(arm, X)
    expected, others = sourcediff.grad(torque, ("arm", "q"), mode="eager")(arm, X)
    np.testing.assert_allclose([link.v for link in found.links], [link.v for link in expected.links], rtol=1e-13)
    np.testing.assert_allclose(slopes, others, rtol=1e-13)
    np.testing.assert_allclose(slopes, by_differences(lambda q: torque(arm, q), X), rtol=1e-6, atol=1e-7)
