"""Lists that change where they must not, or where somebody else sees it."""

from collections import defaultdict

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import AliasingError

from .corpus.asserts import assert_right

X = np.array([0.7, -0.3, 1.1, 0.4])


def grows_in_a_loop_over_it(x):
    order = [0]
    total = 1.0
    for i in order:
        total = total * x[i] + x[i] ** 2
        if len(order) < 4:
            order.append(i + 1)
    return total


def shrinks_in_a_loop_over_it(x):
    parts = [v ** 2 for v in x]
    total = 1.0
    for i, v in enumerate(parts):
        total = total * v
        if i == 1:
            parts.pop()
    return total


def rows_are_one_row(x):
    table = [[0.0] * 4] * 3
    for i in range(3):
        for j in range(4):
            table[i][j] = x[j] ** (i + 1)
    return table[0][0] * table[2][2]


def entries_are_one_array(x):
    parts = [np.zeros(4)] * 3
    for i in range(6):
        parts[i % 3] += x ** (i + 1)
    return np.sum(parts[0] * parts[1])


def test_a_list_that_grows_in_a_loop_over_it():
    assert_right(grows_in_a_loop_over_it, X)


@pytest.mark.parametrize("function", [rows_are_one_row, entries_are_one_array])
def test_a_list_that_holds_one_thing_several_times(function):
    assert_right(function, X)


@pytest.mark.parametrize("function", [shrinks_in_a_loop_over_it])
@pytest.mark.parametrize("transform", ["grad", "jvp"])
def test_what_cannot_be_followed_is_refused(function, transform):
    with pytest.raises((sourcediff.UnsupportedSyntaxError, sourcediff.AliasingError)) as caught:
        if transform == "grad":
            sourcediff.grad(function, mode="compiled")(X)
        else:
            sourcediff.jvp(function, (X,), (X,), mode="compiled")
    assert caught.value.places[0].file == __file__


def squares_in_place(p):
    for k in ["w", "b"]:
        p[k] = p[k] ** 2
    p["z"] = np.sum(p["w"])
    return p["z"] * np.sum(p["b"])


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_the_callers_dict_changes_as_in_a_plain_call(mode):
    gradient = sourcediff.grad(squares_in_place, mode=mode)
    for _ in range(2):  # the second call finds the code of the first
        given, plain = {"w": X.copy(), "b": X + 1}, {"w": X.copy(), "b": X + 1}
        found = gradient(given)
        squares_in_place(plain)
        assert list(given) == list(plain) and all(np.array_equal(given[k], plain[k]) for k in plain)
        assert list(found) == ["w", "b"]
        np.testing.assert_allclose(found["w"], 2 * X * np.sum((X + 1) ** 2))


STATE = {"calls": 0}


def counts_its_calls(x):
    STATE["calls"] += 1
    return np.sum(x ** 2)


def test_a_store_into_a_global_dict_is_kept():
    STATE["calls"] = 0
    sourcediff.grad(counts_its_calls, mode="compiled")(X)
    assert STATE["calls"] == 1


def takes_one_or_asks_for_one_while_it_grows(x):
    queue = [x[0], x[1] ** 2]
    for e in x:
        queue.append(queue.pop(0) * e if e > 0.5 else queue[-1] + e)
    return sum(queue[:2]) * len(queue)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_an_item_is_taken_on_one_path_of_what_is_appended(mode):
    assert_right(takes_one_or_asks_for_one_while_it_grows, X, mode=mode)


def test_a_default_dict_makes_the_entries_that_are_asked_for() -> None:
    def handed_on(x):
        sums = defaultdict(float)
        sums[0] += x[0] ** 2
        return sums

    def asked_perhaps(x):
        sums = defaultdict(float)
        sums[0] += x[0] ** 2
        total = x[1] if x[0] > 100 else sums[3]
        return total + sums[0] * len(sums)

    np.testing.assert_array_equal(sourcediff.grad(lambda x: handed_on(x)[0], mode="compiled")(np.ones(3)), [2.0, 0.0, 0.0])
    for mode in ("compiled", "eager"):
        np.testing.assert_array_equal(sourcediff.grad(asked_perhaps, mode=mode)(np.ones(3)), [4.0, 0.0, 0.0])


def sorts_and_updates(x):
    parts = [x[0], x[1] * 2, x[2]]
    total = 0.0
    for e in sorted(parts, reverse=True):
        e *= 0.5
        total += e ** 2
    return total


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_a_sorted_number_is_updated(mode):
    assert_right(sorts_and_updates, X, mode=mode)


def sorted_pairs_of_lists(x):
    pairs = sorted([[3.0, x[0]], [1.0, x[1]]])
    return pairs[0][1] * 3 + pairs[1][1] ** 2


def sorted_pairs_of_a_generator(x):
    pairs = sorted((v, k) for k, v in enumerate(x))
    return pairs[0][0] * 3 + pairs[1][0] ** 2


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("function", [sorted_pairs_of_lists, sorted_pairs_of_a_generator])
def test_pairs_are_sorted_as_python_compares_them(function, mode):
    assert_right(function, X, mode=mode)


def changes_one(one, other):
    one[0] = other[0] ** 2
    return other[0] * one[0]


def changes_rows(rows):
    for row in rows:
        row[0] = row[0] * row[1]
    return rows[0][0] * rows[1][0]


def changes_an_entry(one, other):
    one["w"] = other["v"] * 2
    return one["w"] * other["w"]


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("function, make", [
    (changes_one, lambda: [[1.5, 2.5]] * 2), (changes_rows, lambda: [[[1.5, 0.7]] * 2]),
    (changes_an_entry, lambda: [{"w": 1.0, "v": 2.0}] * 2),
])
def test_one_list_given_twice_is_not_changed(function, make, mode):
    args, wrt = make(), tuple(range(len(make())))
    with pytest.raises(AliasingError, match="in place"):
        sourcediff.value_and_grad(function, wrt, mode=mode)(*args)
    assert args == make()


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_one_list_given_twice_may_be_read(mode):
    given = [1.5, 0.7]
    assert sourcediff.grad(lambda one, other: one[0] * other[1], (0, 1), mode=mode)(given, given) == ([0.7, 0.0], [0.0, 1.5])


def grows_when_a_dict_holds_it(x):
    parts = [x * 0.5, x * 2]
    held = {"h": parts}
    value = held["h"][-1] * 1.0
    parts.append(x)
    return np.sum(value ** 2) + np.sum(parts[0])


def grows_when_a_list_holds_it_twice(x):
    parts = [x * 0.5, x * x]
    parts.insert(0, sum(parts))
    held = [parts, parts]
    value = held[1][-1] * 1.0
    parts.insert(1, x)
    return np.sum(value ** 2)


def grows_in_a_branch_when_a_tuple_holds_it(x):
    parts = [x * 0.5, x * 2]
    held = (parts, 3)
    value = held[0][-1] * 1.0
    if x[0] > 0:
        parts.append(x)
    return np.sum(value ** 2) + np.sum(parts[-1] ** 3)


def shrinks_when_a_dict_holds_it(x):
    parts = [x * 0.5, x * 2]
    held = {"a": parts}
    value = held["a"][0] * 1.0
    parts.pop()
    return np.sum(value ** 2)


@pytest.mark.parametrize("function", [
    grows_when_a_dict_holds_it, grows_when_a_list_holds_it_twice, grows_in_a_branch_when_a_tuple_holds_it, shrinks_when_a_dict_holds_it,
], ids=lambda function: function.__name__)
def test_a_list_that_another_container_holds_changes_its_length(function):
    expected = sourcediff.grad(function, mode="eager")(X)
    np.testing.assert_allclose(sourcediff.grad(function, mode="compiled")(X), expected, rtol=1e-12)
    pullback = sourcediff.vjp(function, X, mode="compiled")[1]
    for _ in range(2):
        np.testing.assert_allclose(pullback(1.0)[0], expected, rtol=1e-12)
