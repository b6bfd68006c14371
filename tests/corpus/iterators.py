"""Names for iterators: items that are taken one by one, and the rest of them later."""

import itertools

import numpy as np

from .case import array, case


def numbers_used_up(x):
    places = iter([1, 0, 2, 1])
    if any(place > 0 for place in places):
        total = x[next(places)] ** 2
    else:
        total = x[0]
    turns = itertools.count(1)
    found = 2.0 in turns
    return total * x[next(turns) - 3] * found + x[next(places)]


case(numbers_used_up, array("3"), left=True)


def over_a_generator(x):
    t = x[0]
    for v in (i * 2.0 for i in range(1, 3)):
        t = np.sin(t) * v
    return t


case(over_a_generator, array("2"))


def over_a_generator_that_leaves_out(x, weights=(0.5, 1.5, 2.5)):
    t = x[0]
    for v in (float(w) for w in weights if w > 1):
        for u in (v + j for j in range(2)):
            t = np.sin(t * u) + x[1]
    return t


case(over_a_generator_that_leaves_out, array("2"))


def over_a_generator_without_end(x):
    t = x[0]
    for v in (i * 2.0 for i in itertools.count()):
        if v > 6:
            break
        t = np.sin(t) * (v + 1)
    return t


case(over_a_generator_without_end, array("2"), left=True)


class Doubled:
    """What it gives is not what its places say."""

    def __init__(self):
        self.items = [1.0, 2.0, 3.0]
        self.scale = 0.5

    def __iter__(self):
        return iter([2 * item for item in self.items])

    def __len__(self):
        return 3

    def __getitem__(self, i):
        return self.items[i]


class Given:
    """It has no length, and no places."""

    def __iter__(self):
        yield from (0.5, 1.5)


class Places:
    """It has no ``__iter__``: its places say what it gives."""

    def __len__(self):
        return 3

    def __getitem__(self, i):
        return [0.5, 1.5, 2.5][i]


DOUBLED, GIVEN, PLACES = Doubled(), Given(), Places()
SOME = [DOUBLED, PLACES]


def beside_what_an_object_gives(x):
    return sum(k * v ** 2 for k, v in zip(DOUBLED, x)) * DOUBLED.scale


case(beside_what_an_object_gives, array("3"))


def beside_what_the_places_of_an_object_hold(x):
    return sum(k * v ** 2 for k, v in zip(PLACES, x)) + sum(k * v ** 2 for k, v in zip(reversed(DOUBLED), x))


case(beside_what_the_places_of_an_object_hold, array("3"))


def over_one_object_or_another(x, source=None):
    t = x[0]
    for v in source or DOUBLED:
        t = np.sin(t) * v
    for v in GIVEN:
        t = np.cos(t) * v + x[1]
    for a, b in zip(DOUBLED, GIVEN):
        t = t * a + b
    return t


case(over_one_object_or_another, array("2"))


def over_objects_by_other_names(x):
    same, total = DOUBLED, 0.0
    for some in SOME:
        for v in some:
            total = total + v * x[0] ** 2
    return total + sum(v * x[1] ** 2 for v in same) + sum(v * u for v, u in zip(SOME[0], x))


case(over_objects_by_other_names, array("3"))


# What a generator reads changes after the last item


def _doubled(values):
    return (v * 2 for v in values)


def _double(values):
    values *= 2


def generators_taken_before_what_they_read_changes(x):
    y, total = x * 1.0, 0.0
    for _ in range(2):
        each = (v * v for v in y)
        total = total + sum(each) + sum(_doubled(y))
        _double(y)
    scale = 3.0
    last = (v * scale for v in y)
    total = total + sum(last)
    scale = total
    return total * scale


case(generators_taken_before_what_they_read_changes, array("3"))
