"""Objects that do not change, from outside on one way and made on another: what is read of them is known by attributes."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

import sourcediff

from ..differences import assert_compiled, assert_refused


@dataclass(frozen=True)
class Line:
    name: str
    r: float
    shape: object = None

    def drop(self, flow):
        return self.r * flow + (0 if self.shape is None else self.shape.sum())


@dataclass
class Load:
    r: float


LINES = [Line("p", 2.0), Line("q", 0.5, np.array([1.0, 2.0])), Line("p", 1.5)]
ONE = Line("z", 3.0)
LOAD = Load(1.5)


def some_of_a_list_replaced(x):
    lines = [replace(line, r=x[0]) if line.r > 1 else line for line in LINES]
    return sum(line.drop(x[1]) * (k + 1) for k, line in enumerate(lines))


def replaced_by_a_test(x):
    line = ONE
    if x[0] > 0:
        line = replace(line, r=x[1] * line.r)
    return line.drop(x[2]) + (1 if line.name == "z" else 5)


def replaced_and_back_again(x):
    line = ONE
    for k in range(3):
        if x[k] > 0:
            line = replace(line, r=line.r * x[k])
        else:
            line = ONE
    return line.drop(x[4])


def entries_of_a_dict_replaced(x):
    lines = {line.name: line for line in LINES}
    for name in list(lines):
        if lines[name].r > 1:
            lines[name] = Line(name, lines[name].r * x[0])
    return sum(line.drop(x[1]) for line in lines.values())


def compared_with_the_one_given(x):
    line = ONE if x[0] > 0 else Line("y", x[1])
    return line.drop(x[2]) if line == ONE else -line.drop(x[3])


def one_that_changes(x):
    load = LOAD if x[0] > 0 else Load(x[1])
    return load.r * x[2]


@pytest.mark.parametrize("program", [
    some_of_a_list_replaced, replaced_by_a_test, replaced_and_back_again, entries_of_a_dict_replaced, compared_with_the_one_given,
])
def test_what_is_read_of_either_is_right(program):
    assert_compiled(program)


def test_objects_that_may_change_are_left_to_the_eager_engine():
    assert_refused(one_that_changes, "what stands for values of several kinds")


def total(lines, flow):
    lines = [replace(line, r=flow * line.r) if line.r > 1 else line for line in lines]
    return sum(line.drop(flow) * (k + 1) * line.r for k, line in enumerate(lines))


def test_objects_that_are_given_have_their_gradient():
    lines = [Line("a", 0.5, np.array([1.0, 2.0])), Line("b", 2.0, np.array([3.0, 4.0]))]
    found = sourcediff.grad(total, wrt=(0, 1), mode="compiled")(lines, 1.3)
    eager = sourcediff.grad(total, wrt=(0, 1), mode="eager")(lines, 1.3)
    for mine, theirs in zip(found[0], eager[0]):
        assert mine.r == pytest.approx(theirs.r, rel=1e-12)
        np.testing.assert_allclose(mine.shape, theirs.shape, rtol=1e-12)
    assert found[1] == pytest.approx(eager[1], rel=1e-12)
