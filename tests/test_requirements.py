"""What a saved gradient was made for is asked of its arguments: no gradient of other kinds, shapes or lengths comes out of it."""

from __future__ import annotations

import collections

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import UnsupportedSyntaxError

X = np.array([0.5, -2.0, 1.5])


def saved(function, tmp_path, args, **options):
    """The gradient that is saved of a function for such arguments, and the text."""
    sourcediff.save_gradient(function, tmp_path / "saved.py", args=args, **options)
    text = (tmp_path / "saved.py").read_text(encoding="utf-8")
    assert "import sourcediff" not in text and "from sourcediff" not in text
    namespace: dict = {}
    exec(compile(text, "saved.py", "exec"), namespace)
    return namespace[f"{function.__name__}_grad"], text


def weighted(x, y):
    return np.sum(x * y)


def test_lengths_that_are_not_one_and_those_that_are(tmp_path):
    gradient, _ = saved(weighted, tmp_path, (X, X))
    np.testing.assert_array_equal(gradient(np.ones(5), np.arange(5.0)), np.arange(5.0))  # any length but 0 and 1
    with pytest.raises(ValueError, match=r"y has shape \(1,\), and this gradient was made for \(n\)"):
        gradient(X, np.ones(1))  # a gradient of shape (3,) came out of that, for x of shape (1,) too
    with pytest.raises(ValueError, match=r"x has shape \(1,\)"):
        gradient(np.ones(1), X)
    with pytest.raises(ValueError, match=r"len\(x\) is not len\(y\) \(3 and 4\)"):
        gradient(X, np.ones(4))
    with pytest.raises(ValueError, match=r"x has shape \(3, 1\)"):
        gradient(np.ones((3, 1)), X)
    one, _ = saved(weighted, tmp_path, (np.ones(1), X))
    np.testing.assert_array_equal(one(np.ones(1), X), [0.0])
    with pytest.raises(ValueError, match=r"x has shape \(3,\), and this gradient was made for \(1\)"):
        one(X, X)
    table, _ = saved(weighted, tmp_path, (np.ones((2, 3)), np.ones((1, 3))))
    np.testing.assert_array_equal(table(np.ones((4, 3)), X[None]), np.tile(X, (4, 1)))
    with pytest.raises(ValueError, match=r"y has shape \(4, 3\), and this gradient was made for \(1, n\)"):
        table(np.ones((4, 3)), np.ones((4, 3)))


def test_kinds_of_numbers(tmp_path):
    def f(x, c, n):
        return np.sum(x**n) * c

    gradient, _ = saved(f, tmp_path, (X, 2.0, 3))
    for c in (2.0, 2, np.float64(2.0), np.float32(2.0)):
        np.testing.assert_allclose(gradient(X, c, np.int32(3)), 6 * X**2)
    np.testing.assert_allclose(gradient(X.astype(np.float32), 2.0, 3), 6 * X**2, rtol=1e-6)
    for given, said in [((np.arange(3), 2.0, 3), "x is a ndarray int64"), ((X + 1j, 2.0, 3), "x is a ndarray complex128"),
                        (([1.0, 2.0, 3.0], 2.0, 3), "x is a list"), ((X, X, 3), "c is a ndarray"), ((X, "2", 3), "c is a str"),
                        ((X, 2.0, 3.0), "n is a float"), ((np.ma.array(X), 2.0, 3), "x is a MaskedArray"), ((X, 2j, 3), "c is a complex")]:
        with pytest.raises(TypeError, match=said):
            gradient(*given)


def test_entries_of_lists_and_dicts(tmp_path):
    def f(p, q, d):
        (a, b), total = p, 0.0
        for each in q:
            total = total + np.sum(each**2)
        return np.sum(a) * b * total * d["u"] + np.sum(d["v"])

    given = (X, 2.0), [np.ones(2), np.ones(3)], {"u": 2.0, "v": X}
    gradient, text = saved(f, tmp_path, given, wrt="d")
    found = gradient(*given)
    assert found["u"] == pytest.approx(0.0) and list(found) == ["u", "v"]
    np.testing.assert_array_equal(found["v"], np.ones(3))
    assert "for entry in q:\n        _require_array('entry', entry, 'f', ('n',))" in text
    gradient(given[0], [np.ones(4)], given[2])  # of any number of entries
    for wrong, said in [
        (((X,), given[1], given[2]), "p has 1 entries, and this gradient was made for 2"), ((X[:2], given[1], given[2]), "p is a ndarray"),
        (((X, X), given[1], given[2]), r"p\[1\] is a ndarray"), ((given[0], [np.ones((2, 2))], given[2]), r"entry has shape \(2, 2\)"),
        ((given[0], given[1], {"u": 2.0}), "d has the keys"), ((given[0], given[1], {"u": X, "v": X}), r"d\['u'\] is a ndarray"),
    ]:
        with pytest.raises((TypeError, ValueError), match=said):
            gradient(*wrong)


class Spring:
    def __init__(self, stiffness, label="a"):
        self.stiffness, self.label = stiffness, label

    def energy(self, x):
        return 0.5 * np.sum(self.stiffness * x**2)


def test_attributes_that_are_read(tmp_path):
    gradient, _ = saved(Spring(X).energy, tmp_path, (X,), wrt="x")
    np.testing.assert_allclose(gradient(Spring(2 * X, 3), X), 2 * X * X)  # label is not read, and may be anything
    with pytest.raises(ValueError, match=r"self.stiffness has shape \(1,\)"):
        gradient(Spring(np.ones(1)), X)
    with pytest.raises(ValueError, match=r"len\(self.stiffness\) is not len\(x\)|len\(x\) is not len\(self.stiffness\)"):
        gradient(Spring(np.ones(4)), X)


Pair = collections.namedtuple("Pair", "left right")


def test_named_tuples(tmp_path):
    def f(pair):
        return np.sum(pair.left * pair.right)

    try:
        gradient, _ = saved(f, tmp_path, (Pair(X, X),))
    except (sourcediff.SourcediffError, UnsupportedSyntaxError) as refusal:
        pytest.skip(f"not saved: {refusal.problem}")
    np.testing.assert_array_equal(gradient(Pair(X, 2 * X)).left, 2 * X)
    with pytest.raises(ValueError, match=r"pair.right has shape \(1,\)"):
        gradient(Pair(X, np.ones(1)))


def test_an_int_that_is_a_length(tmp_path):
    def f(x, n):
        y = np.zeros(n)
        return np.sum((x - y) ** 2)

    gradient, _ = saved(f, tmp_path, (X, 3))
    np.testing.assert_allclose(gradient(X, 3), 2 * X)
    np.testing.assert_allclose(gradient(np.ones(5), 5), 2 * np.ones(5))
    with pytest.raises(ValueError):
        gradient(X, 5)


def test_names_of_the_functions_own_that_are_those_of_the_checks(tmp_path):
    def f(require_array, entry, _require_array):
        return np.sum(require_array) * entry[0] + np.sum(_require_array)

    gradient, _ = saved(f, tmp_path, (X, [2.0, 3.0], X))
    np.testing.assert_array_equal(gradient(X, [2.0], X), [2.0, 2.0, 2.0])
    with pytest.raises(TypeError, match="require_array is a list"):
        gradient([1.0], [2.0], X)


def test_the_general_text_asks_nothing(tmp_path):
    sourcediff.save_gradient(weighted, tmp_path / "saved.py")
    text = (tmp_path / "saved.py").read_text(encoding="utf-8")
    assert "require_" not in text.replace("test_requirements.py", "") and "Made for" not in text
    namespace: dict = {}
    exec(text, namespace)
    np.testing.assert_array_equal(namespace["weighted_grad"](np.ones(1), X), [np.sum(X)])
