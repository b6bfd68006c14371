"""What can be read once (iterators, files, queues) is read once: where generated code breaks off, nothing begins again on what is left."""

from __future__ import annotations

import collections
import io
import queue
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import FallbackWarning, SourcediffError, UnsupportedSyntaxError
from sourcediff.runtime.parts import used_up

X = np.array([1.0, 2.0, 3.0])
OF_X = np.ones_like(X)
DOORS: dict[str, Callable[..., Any]] = {
    "grad": lambda f, args, mode: sourcediff.value_and_grad(f, mode=mode)(*args),
    "jvp": lambda f, args, mode: sourcediff.jvp(f, args, (OF_X, *[None] * (len(args) - 1)), mode=mode),
    "vjp": lambda f, args, mode: (lambda value, pull: (value, pull(1.0)))(*sourcediff.vjp(f, *args, wrt=0, mode=mode)),
}


class Box:
    """What holds something."""

    def __init__(self, inside):
        self.inside = inside




def taken(x, source):
    total = np.sum(x) * next(source)
    try:
        total += x[5]
    except IndexError:
        total += 1.0
    return total


def gone_over(x, source):
    total = 0.0
    for value in source:
        total += np.sum(x) * value
    try:
        total += x[5]
    except IndexError:
        total += 1.0
    return total


def of_a_box(x, box):
    total = np.sum(x) * next(box.inside)
    try:
        total += x[5]
    except IndexError:
        total += 1.0
    return total


def of_a_list(x, sources):
    total = np.sum(x) * next(sources[0])
    try:
        total += x[5]
    except IndexError:
        total += 1.0
    return total


def of_a_file(x, file):
    total = np.sum(x) * float(file.readline())
    try:
        total += x[5]
    except IndexError:
        total += 1.0
    return total


def of_a_queue(x, waiting):
    total = np.sum(x) * waiting.get()
    try:
        total += x[5]
    except IndexError:
        total += 1.0
    return total


def of_equal_eigenvalues(x, source):
    w, _ = np.linalg.eigh(np.diag(x) @ np.diag(x) + 0.0 * x[0])
    return np.sum(np.log(w)) + np.sum(x) * next(source)


def of_other_lengths(x, w, source):
    k = next(source)
    try:
        q = np.sum(x * w)
    except ValueError:
        q = 1.0
    return np.sum(x) * k + 0.0 * q


SOURCE = iter([2.0, 3.0])


def of_a_global(x):
    total = np.sum(x) * next(SOURCE)
    try:
        total += x[5]
    except IndexError:
        total += 1.0
    return total


def filled(*values: float) -> queue.Queue[float]:
    made: queue.Queue[float] = queue.Queue()
    for value in values:
        made.put(value)
    return made


READ: dict[str, tuple[Callable[..., Any], Callable[[], tuple[Any, ...]], np.ndarray, float]] = {
    "an iterator": (taken, lambda: (iter([2.0, 3.0]),), X, 2.0),
    "a generator": (taken, lambda: ((value for value in (2.0, 3.0)),), X, 2.0),
    "a loop over an iterator": (gone_over, lambda: (iter([2.0, 3.0]),), X, 5.0),
    "a loop over a zip": (lambda x, pairs: gone_over(x, (a * b for a, b in pairs)), lambda: (zip([1.0, 2.0], [2.0, 1.5]),), X, 5.0),
    "an attribute": (of_a_box, lambda: (Box(iter([2.0, 3.0])),), X, 2.0),
    "an entry": (of_a_list, lambda: ([iter([2.0, 3.0])],), X, 2.0),
    "a file": (of_a_file, lambda: (io.StringIO("2.0\n3.0\n"),), X, 2.0),
    "a queue": (of_a_queue, lambda: (filled(2.0, 3.0),), X, 2.0),
    "lengths": (of_other_lengths, lambda: (np.ones(2), iter([2.0, 3.0])), X, 2.0),
}


@pytest.mark.filterwarnings("ignore::sourcediff.errors.FallbackWarning")
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("case", READ)
def test_a_call_that_has_read_is_not_begun_again(case: str, door: str) -> None:
    function, given, x, slope = READ[case]
    value, found = DOORS[door](function, (x, *given()), "eager")
    assert value == function(x, *given())
    np.testing.assert_allclose(found, 3.0 * slope if door == "jvp" else [slope] * 3)
    for mode in ("compiled", "auto"):
        try:
            found_value, found = DOORS[door](function, (x, *given()), mode)
        except SourcediffError:
            continue
        assert found_value == value
        np.testing.assert_allclose(found, 3.0 * slope if door == "jvp" else [slope] * 3)


@pytest.mark.parametrize("door", DOORS)
def test_the_refusal_says_so(door: str) -> None:
    with pytest.raises(UnsupportedSyntaxError, match=r"(?s)IndexError was raised in a try.*begin again.*is used up.*pass a list"):
        DOORS[door](taken, (X, iter([2.0, 3.0])), "auto")
    with pytest.raises(UnsupportedSyntaxError, match="begin again"):
        DOORS[door](of_equal_eigenvalues, (np.ones(3), iter([2.0, 3.0])), "auto")


@pytest.mark.parametrize("door", DOORS)
def test_an_iterator_from_outside(door: str) -> None:
    global SOURCE
    SOURCE = iter([2.0, 3.0])
    with pytest.raises(UnsupportedSyntaxError, match="is used up"):
        DOORS[door](of_a_global, (X,), "auto")


def popped_from_a_set(x, values):
    total = np.sum(x) * values.pop()
    try:
        total += x[5]
    except IndexError:
        total += 1.0
    return total + len(values)


def popped_from_a_deque(x, values):
    total = np.sum(x) * values.popleft()
    try:
        total += x[5]
    except IndexError:
        total += 1.0
    return total + len(values)


def popped_from_a_dict(x, values):
    total = np.sum(x) * values.popitem()[1]
    try:
        total += x[5]
    except IndexError:
        total += 1.0
    return total + len(values)


def a_missing_key(x, values):
    total = np.sum(x) * len(values) + values["b"]
    try:
        total += x[5]
    except IndexError:
        total += 1.0
    return total + len(values)


def drawn(x, box):
    total = np.sum(x) * box.inside.normal()
    try:
        total += x[5]
    except IndexError:
        total += 1.0
    return total


def drawn_for_equal_eigenvalues(x, rng):
    scale = rng.normal()
    w, _ = np.linalg.eigh(np.diag(x) @ np.diag(x) + 0.0 * x[0])
    return scale * np.sum(np.log(w))


class Buffer(list):
    """A list of one's own."""


class Settings(collections.OrderedDict):
    """A dict of one's own."""

    def __init__(self, **entries):
        super().__init__(entries)


RESTORED: dict[str, tuple[Callable[..., Any], Callable[[], Any]]] = {
    "a set": (popped_from_a_set, lambda: {2.0, 3.0, 4.0}),
    "a deque": (popped_from_a_deque, lambda: collections.deque([2.0, 3.0])),
    "an ordered dict": (popped_from_a_dict, lambda: collections.OrderedDict(a=2.0, b=3.0)),
    "a dict with a default": (a_missing_key, lambda: collections.defaultdict(float, a=2.0)),
    "an ordered dict of one's own": (popped_from_a_dict, lambda: Settings(a=2.0, b=3.0)),
    "a list of one's own": (popped_from_a_set, lambda: Buffer([2.0, 3.0])),
    "a generator of random numbers in an object": (drawn, lambda: Box(np.random.default_rng(0))),
    "a generator of random numbers": (drawn_for_equal_eigenvalues, lambda: np.random.default_rng(0)),
}


@pytest.mark.filterwarnings("ignore::sourcediff.errors.FallbackWarning")
@pytest.mark.parametrize("door", ["grad", "jvp"])
@pytest.mark.parametrize("case", RESTORED)
def test_what_can_be_brought_back_is(case: str, door: str) -> None:
    function, make = RESTORED[case]
    ones = np.ones(3)
    given, left = make(), make()
    expected = function(ones, left)
    value, found = DOORS[door](function, (ones, given), "auto")
    assert value == expected
    np.testing.assert_allclose(found, DOORS[door](function, (ones, make()), "eager")[1])
    if not isinstance(given, (Box, np.random.Generator)):
        assert given == left


def cubes(x, source):
    return np.sum(x ** 3) * next(source)


def test_a_check_runs_a_function_several_times() -> None:
    for check in (
        lambda: sourcediff.grad(cubes, check=True)(X, iter([1.0, 2.0])),
        lambda: sourcediff.jvp(cubes, (X, iter([1.0, 2.0])), (OF_X, None), check=True),
        lambda: sourcediff.check_grads(cubes, X, iter([1.0, 2.0])),
        lambda: sourcediff.cross_check(cubes, X, iter([1.0, 2.0])),
    ):
        with pytest.raises(UnsupportedSyntaxError, match=r"cubes cannot be checked(?s:.*)can be read once(?s:.*)give a list"):
            check()


def raises(x, waiting):
    scale = waiting.get()
    if scale > 0:
        raise ValueError("of the function's own")
    return np.sum(x) * scale


@pytest.mark.parametrize("mode", ["compiled", "auto", "eager"])
def test_no_plain_call_is_made_to_judge_an_error(mode: str) -> None:
    """It would wait for ever on the queue."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        with pytest.raises(ValueError, match="of the function's own"):
            sourcediff.grad(raises, mode=mode)(X, filled(2.0))


class Table:
    """What is like an array, and only read."""

    def __init__(self, columns):
        self.columns = columns

    def __getitem__(self, name):
        return self.columns[name]

    def __array__(self, dtype=None, copy=None):
        return np.array(list(self.columns.values()))


class Reader(Table):
    """What is like an array, and gives the next number."""

    place = 0

    def following(self):
        self.place += 1
        return self.columns["ab"[self.place - 1]]


def test_objects_of_which_nothing_is_known() -> None:
    known = [Table({"a": 1.0}), Table({"a": np.ones(2)}), np.array([None]), "a".join, np.poly1d([1.0, 2.0]), queue.Queue, Buffer(),
             Settings(a=2.0)]
    assert not [value for value in known if used_up(value)]
    taken = [Reader({"a": 1.0}), Table({"a": iter([1.0])}), Buffer([iter([1.0])]), iter([1.0]).__next__,
             io.StringIO(), queue.Queue(), iter(()), input]
    assert all(map(used_up, taken))
    itself = Table({})
    itself.columns["me"] = itself
    assert not used_up(itself)


def of_a_reader(x, reader):
    total = np.sum(x) * reader.following()
    try:
        total += x[5]
    except IndexError:
        total += 1.0
    return total


@pytest.mark.filterwarnings("ignore::sourcediff.errors.FallbackWarning")
@pytest.mark.parametrize("door", DOORS)
def test_a_reader_is_read_once(door: str) -> None:
    wanted = DOORS[door](of_a_reader, (X, Reader({"a": 2.0, "b": 3.0})), "eager")
    try:
        found = DOORS[door](of_a_reader, (X, Reader({"a": 2.0, "b": 3.0})), "auto")
    except SourcediffError:
        return
    assert found[0] == wanted[0]
    np.testing.assert_array_equal(found[1], wanted[1])
