"""Stars: in calls, displays and parameters; keyword-only parameters; dicts of keywords."""

import dataclasses

import numpy as np

from .case import array, case, number


def line(x, slope, offset=0.5):
    return slope * x + offset


def scaled(x, *, by=2.0, shift=0.1):
    return x * by + shift


def product_of(x, *factors):
    for factor in factors:
        x = x * factor
    return x + len(factors)


def with_options(x, **options):
    return np.sum(x) * options["p"] + options["q"] ** 2


def both_kinds(x, *more, by=1.0, **options):
    return sum(more) * by * x + len(options)


def starred_call(x):
    pair = x[1], x[2]
    triple = [x[0], x[1] ** 2, x[3]]
    return line(x[0], *pair) * line(*triple) + line(*(x[1], x[0]))


case(starred_call, array("n"))


def starred_call_in_a_loop(x):
    total = 0.0
    for i in range(len(x) - 1):
        pair = x[i], x[i + 1]
        total += line(*pair) * product_of(*pair, total)
    return total


case(starred_call_in_a_loop, array("n"))


def starred_keywords(x, s):
    options = {"by": x[1], "shift": s}
    others = dict(slope=s, offset=x[0] ** 2)
    return np.sum(scaled(x, **options)) + line(x[2], **others) + scaled(s, **{"by": x[3]})


case(starred_keywords, array("n"), number(0.6))


def gathered_arguments(x, s):
    return product_of(x[0], x[1], s) * product_of(x[2]) + with_options(x, p=s, q=x[1]) + both_kinds(s, x[0], x[1], by=s, z=1)


case(gathered_arguments, array("n"), number(0.6))


def own_stars(x, *, s=0.5):
    return np.sum(x ** 2) * s


case(own_stars, array("n"), s=number(0.7))


def starred_displays(x):
    pair = [x[0], x[1]]
    triple = [*pair, x[2] ** 2]
    wide = (x[3], *triple, *pair)
    return triple[0] * triple[2] + wide[0] * wide[4] * sum(wide)


case(starred_displays, array("n"))


def star_of_an_array(x):
    parts = [*x, 1.0]
    return np.sum(np.array([0.5, *x, *parts]) ** 2) * parts[1] + max(*x, 0.1)


case(star_of_an_array, array("n"))


def starred_dicts(x, p):
    start = {"w": x * 2, "b": x[0]}
    merged = {**start, "b": x[1] ** 2, "c": 3.0}
    whole = {**p, "s": x[2]}
    return np.sum(merged["w"]) * merged["b"] * merged["c"] + np.sum(whole["w"] * x) * whole["s"] * whole["b"]


case(starred_dicts, array("n"), {"w": array("n"), "b": number(0.7)})


def keywords_by_dict_call(x):
    p = dict(w=x * 2, b=x[0])
    return np.sum(p["w"] ** 2) * p["b"]


case(keywords_by_dict_call, array("n"))


ROOT = np.sqrt(0.5)


def curve(t, a, b, c):
    return a * np.exp(-b * t) + c


@dataclasses.dataclass
class Gains:
    p: float
    i: float
    d: float


def as_many_as_there_are_parameters(x):
    t = np.linspace(0.0, 1.0, 5)
    residual = curve(t, *(x * 2)) - 1.0
    gains = Gains(*x)
    return np.sum(residual**2) + curve(0.3, *x[:2], c=x[2]) + gains.p * gains.i**2 + gains.d


case(as_many_as_there_are_parameters, array("3"))


def shrunk(x, rate=ROOT, betas=(0.9, (0.99, 2))):
    first, (second, times) = betas
    return np.sum(x * rate) * first - second * times * x[0]


def defaults_that_are_tuples(x):
    return shrunk(x) + shrunk(x, 0.3, (x[0], (0.1, 1)))


case(defaults_that_are_tuples, array("n"))


# What a helper makes longer only after a star, or in another trip of a loop that makes it anew


def _grown(parts, v):
    parts.append(v)


def _weighed(*v):
    return sum(v) * len(v)


class _Growing:
    def __init__(self, x):
        self.parts = [x[0], x[1]]

    def grow(self, v):
        self.parts.append(v)

    def put(self, v):
        self.parts[0] = v


def star_of_a_list_that_each_trip_makes(x):
    total = 0.0
    for i in range(2):
        parts = [x[i], x[1]]
        growing = _Growing(x)
        total = total + _weighed(*parts) * _weighed(*growing.parts)
        _grown(parts, x[i])
        growing.grow(x[1])
        for v in list(parts):
            total = total + v * v
            _grown(parts, v)
    return total


case(star_of_a_list_that_each_trip_makes, array("3"))


def star_of_a_list_with_other_values_in_each_trip(x):
    growing = _Growing(x)
    total = 0.0
    for i in range(3):
        total = total + _weighed(*growing.parts)
        growing.put(x[i] * x[i])
    return total


case(star_of_a_list_with_other_values_in_each_trip, array("3"))


def levels_of_a_search(x):
    level, total = [0], 1.0
    while level:
        deeper = []
        for i in level:
            total = total * x[i]
            if i < 2:
                _grown(deeper, i + 1)
        level = deeper
    return total


case(levels_of_a_search, array("3"))


def shapes_with_stars(a):
    h = np.sin(a).reshape(*a.shape[:1], -1, 1)
    rows = h.reshape(*h.shape[:2]) * a
    return np.sum(rows.transpose(*range(1, rows.ndim), 0)[0] ** 2) + np.sum(h.reshape(*a.shape) * rows)


case(shapes_with_stars, array("m n"))
