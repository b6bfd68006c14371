"""Objects as dicts of their attributes, as copies, and as words in a message."""

import copy
import logging
from dataclasses import asdict, dataclass

import numpy as np

from .case import array, case

log = logging.getLogger(__name__)


class Held:
    def __init__(self, a):
        self.a = a


class Worded(Held):
    def __repr__(self):
        return f"Worded by {self.a:.2f}"


@dataclass
class State:
    a: float
    b: float = 2.0


@dataclass(frozen=True)
class Material:
    stiffness: float
    name: str = "steel"


class Refused(RuntimeError):
    pass


def stored_by_vars(x):
    held = Held(x[0])
    seen = vars(held)
    seen["a"] += x[1]
    first = held.a
    seen.update(a=x[1])
    second = held.a
    held.a = x[2]
    return first * x[0] + second * x[2] + seen["a"]


case(stored_by_vars, array("3"))


def stored_by_vars_in_blocks(x):
    held = Held(x[0])
    held.b = 2.0
    seen = held.__dict__
    for name in seen:
        seen[name] = seen[name] * x[1]
    if x[1] > 0:
        seen["a"] = seen["a"] * x[2]
    else:
        held.a = x[2]
    for i in range(3):
        seen["a"] = seen["a"] * x[i]
        seen[f"c{i}"] = x[i]
    first = seen.pop("b")
    held.b = x[1]
    return held.a * seen["b"] * first + held.c1 + seen.setdefault("d", 3.0) * held.d


case(stored_by_vars_in_blocks, array("3"))


def copies_of_objects(x):
    state = State(x[0], State(x[1], 1.0))
    whole, shallow = copy.deepcopy(state), copy.copy(state)
    whole.b.a = x[2]
    shallow.b.a = x[0] * 2
    parts = {"a": x, "b": [x[0], 2]}
    others = copy.deepcopy(parts)
    others["a"][0] = 3.0
    others["b"].append(1)
    return state.a * state.b.a * whole.b.a + shallow.a + np.sum(parts["a"] ** 2) + np.sum(others["a"] * x) + len(parts["b"])


case(copies_of_objects, array("3"))


def fields_as_a_dict(x):
    state = State(x, 2.0 * x)
    shown = asdict(state)
    shown["a"][0] = 5.0
    return np.sum(state.a) + np.sum(shown["a"] * shown["b"]) + sum(asdict(State(x[0])).values())


case(fields_as_a_dict, array("3"))


def objects_in_messages(x):
    state, worded = State(x[0]), Worded(x[1])
    print(worded, [worded], f"{worded} {state.a:.3f}", State(x, (x[0],)))
    log.debug("%s %s", state, worded)
    assert state.a < 100, state
    if state.a > 50:
        raise ValueError(f"too large: {state}")
    if state.a > 40:
        raise Refused(f"{state.a:.3e}")
    return state.a ** 2 * worded.a


case(objects_in_messages, array("3"))

STEEL = Material(3.0)


class Truss:
    def __init__(self):
        self.members = []

    def add(self, area, material=STEEL):
        self.members.append((area, material))


def objects_by_default(x):
    truss = Truss()
    for i in range(3):
        truss.add(x[i])
    truss.add(x[0], Material(2.0, "wood"))
    same = truss.members[0][1] is truss.members[1][1]
    return sum(area * material.stiffness for area, material in truss.members if material.name == "steel") * (2.0 if same else 1.0)


case(objects_by_default, array("3"))


def constants_that_are_updated(x):
    angle = np.pi
    angle -= x[1]
    other = x[0] if x[1] < 0.1 else np.pi
    for _ in range(3):
        other -= (other - 0.3 * np.sin(other) - x[1]) / (1 - 0.3 * np.cos(other))
    return angle ** 2 + other


case(constants_that_are_updated, array("3"))


class Point:
    many = 2

    def __init__(self, a, b):
        self.a, self.b = a, b

    @classmethod
    def of(cls, row):
        return cls(*row)

    def row(self):
        return np.array([self.a, self.b])


POINTS = {"plane": Point}


def stars_of_as_many_as_a_class_takes(x, rows):
    kind = POINTS["plane"]
    point = kind(*x[:kind.many])
    moved = Point.of(point.row() + np.ones(2))
    points = {i: Point.of(row) for i, row in enumerate(rows)}
    return point.a * moved.b + sum(each.a * each.b for each in points.values())


case(stars_of_as_many_as_a_class_takes, array("3"), array("4 2"))
