"""Objects and splines out of a list or a dict that is given, taken by an index that only the run tells."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import sourcediff

from ..differences import by_differences

TIMES = np.linspace(0.0, 3.0, 9)
SPLINES = [CubicSpline(TIMES, np.sin(TIMES * k + 0.2)) for k in (1, 2, 3)]


@dataclass
class Reaction:
    slope: float
    weights: np.ndarray
    curve: CubicSpline
    kind: str = "linear"

    def __call__(self, x):
        return self.slope * x

    def rate(self, x):
        return self.slope * x ** 2 + np.sum(self.weights) * x + self.curve(x)

    @property
    def doubled(self):
        return 2 * self.slope

    def by_kind(self, x):
        return x * self.slope if self.kind == "linear" else x ** 2 * self.slope

    def together(self, x):
        return self.rate(x) * self.doubled


class Reversed(Reaction):
    def rate(self, x):
        return super().rate(x) + self.slope

    @property
    def doubled(self):
        return 3 * self.slope


ALIKE = [Reaction(0.5, np.ones(2), SPLINES[0]), Reaction(0.7, np.array([0.2, 0.4]), SPLINES[1], "square"),
         Reaction(0.9, np.zeros(3), SPLINES[2])]
SEVERAL = [ALIKE[0], Reversed(0.3, np.ones(2), SPLINES[1], "square"), ALIKE[1], Reversed(0.1, np.ones(1), SPLINES[0])]
X = np.array([0.3, 1.2, 0.7, 0.9])


def by_rank(x, given):
    total = 0.0
    for i in np.argsort(x)[:3]:
        total += given[i % 3].rate(x[i])
    return total


def from_the_end(x, given):
    total = 0.0
    for i in range(3):
        total += given[i].by_kind(x[i]) * given[-1 - i].doubled
    return total


def under_a_name(x, given):
    chosen = given[int(x[0] > 0.5)]
    return chosen.rate(x[1]) * chosen.slope + chosen.together(x[2])


def two_at_once(x, given):
    total = 0.0
    for i, j in [(0, 1), (1, 2), (2, 0)]:
        one, other = given[i], given[j]
        total += (one.rate(x[i]) - other.rate(x[j])) ** 2 if one.slope < other.slope else one.doubled * other.by_kind(x[j])
    return total


def called(x, given):
    return sum(given[i](x[i]) for i in range(3))


def handed_on(x, given):
    def chosen(i):
        return given[i]

    return sum(chosen(i).rate(x[i]) for i in range(3))


def by_class(x, given):
    total = 0.0
    for i in range(3):
        total += given[i].slope * x[i] if isinstance(given[i], Reversed) else given[i].rate(x[i])
    return total


def lengths(x, given):
    total = 0.0
    for i in range(3):
        total += np.sum(given[i].weights * x[i]) + len(given[i].weights) * x[0]
    return total


def assert_right(program, given):
    found = sourcediff.grad(program, mode="compiled")(X.copy(), given)
    np.testing.assert_allclose(found, by_differences(lambda x: program(x, given), X), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("given", [ALIKE, SEVERAL], ids=["of one class", "of two classes"])
@pytest.mark.parametrize("program", [by_rank, from_the_end, under_a_name, two_at_once, called, handed_on, by_class, lengths])
def test_objects_by_number(program, given):
    assert_right(program, given)


def by_words(x, table, words):
    return sum(table[word].rate(part) for word, part in zip(words, x))


@pytest.mark.parametrize("given", [ALIKE, SEVERAL], ids=["of one class", "of two classes"])
def test_objects_by_word(given):
    table, words = dict(zip("abc", given)), list("bacb")
    assert_right(lambda x, table: by_words(x, table, words), table)
    found = sourcediff.grad(by_words, mode="compiled")(X.copy(), table, words)
    np.testing.assert_allclose(found, by_differences(lambda x: by_words(x, table, words), X), rtol=1e-5, atol=1e-6)


def splines_by_number(x, splines):
    total = 0.0
    for i in range(len(splines)):
        total += splines[i](x[0]) * splines[i](x[1], 1)
    return total


def test_splines_by_number():
    assert_right(splines_by_number, SPLINES)
