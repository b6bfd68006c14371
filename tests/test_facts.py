"""What is known of functions and of methods stands in one table each, and is true."""

import ast
import collections
import warnings
from pathlib import Path

import numpy as np
import pytest

import sourcediff
from sourcediff.analysis.source.effects import CHANGING_METHODS, READING_METHODS
from sourcediff.rules import rule_for
from sourcediff.rules.facts import FACTS, having
from sourcediff.syntax.container_methods import MUTATING

from .rules.samples import COMPLEX, SAMPLES

ROOT = Path(sourcediff.__file__).parent
SHARING = having("view", "may share")
METHODS = {"list": list, "dict": dict, "set": set, "deque": collections.deque, "array": np.ndarray}
MADE = {
    "list": lambda: [3, 1, 2], "dict": lambda: {"a": 1, "b": 2}, "set": lambda: {1, 2, 3}, "deque": lambda: collections.deque([3, 1, 2]),
}
GIVEN = [(), (1,), ("a",), ([7],), ([1],), (0, 9), ({"z": 1},), ("z", 5)]


def arrays(value):
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, (list, tuple, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from arrays(part)


def applied():
    """Each function of NumPy's with a rule, with each of its samples, and what it gives of these."""
    for table in (SAMPLES, COMPLEX):
        for function, samples in table.items():
            if (rule := rule_for(function)) is None or not rule.name.startswith("np."):
                continue
            for sample in samples:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    yield function, sample, function(*sample.args, **sample.kwargs)


def test_a_result_shares_memory_only_where_the_table_says_so():
    seen = set()
    for function, sample, result in applied():
        shared = [np.may_share_memory(new, old) for new in arrays(result) for old in arrays([sample.args, sample.kwargs])]
        assert function in SHARING or not any(shared), (function, sample)
        seen |= {function} if any(shared) else set()
    assert len(seen) > 25  # the samples do show it


def test_what_is_certainly_a_view_is_one():
    for function, sample, result in applied():
        given = [*arrays(sample.args[:1])]
        if function in FACTS["view"] and given and not any(part.size < 2 for part in (*given, *arrays(result))):
            if function is np.imag and not np.iscomplexobj(sample.args[0]):
                continue  # zeros
            assert all(np.may_share_memory(new, sample.args[0]) for new in arrays(result)), (function, sample)


@pytest.mark.parametrize("kind", MADE)
def test_the_methods_that_change_a_container(kind):
    """Every public method is tried with several arguments: it changes what it is called on if and only if the table says so."""
    changing = set()
    for name in dir(METHODS[kind]):
        for given in GIVEN if not name.startswith("_") else ():
            container = MADE[kind]()
            before = repr(container)
            try:
                getattr(container, name)(*given)
            except (TypeError, ValueError, KeyError, IndexError):
                continue
            changing |= {name} if repr(container) != before else set()
    assert changing == MUTATING[kind]


ELSEWHERE = {
    "core/derive/vectorise_rules.py": "the batch form of functions, one table, beside what it is made of",
    "eager/library_run/live_joins.py": "joins of which the parts are Variables of a run, the short way",
    "eager/library_run/replacements.py": "functions that take any number of arrays",
    "eager/library_run/watch.py": "methods that hash what they are given",
    "rules/facts.py": "the table", "syntax/container_methods.py": "the table",
}


def listed(tree):
    """The module-level displays of a file that list three or more functions of NumPy's, or names of container methods."""
    methods = {name for names in MUTATING.values() for name in names}
    for node in tree.body:
        if not isinstance(node, (ast.Assign, ast.AnnAssign)) or node.value is None or isinstance(node.value, ast.Dict):
            continue
        inside = [part for part in ast.walk(node.value) if not isinstance(part, ast.Dict)]
        functions = {part.attr for part in inside if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name)
                     and part.value.id == "np" and callable(getattr(np, part.attr, None)) and not isinstance(getattr(np, part.attr), type)}
        words = {word for part in inside if isinstance(part, ast.Constant) and isinstance(part.value, str) for word in part.value.split()}
        if len(functions) > 2 or len(words & methods) > 2:
            yield ast.unparse(node)[:120]


def test_nothing_is_listed_a_second_time():
    found = {str(path.relative_to(ROOT)): [*listed(ast.parse(path.read_text()))] for path in ROOT.rglob("*.py")}
    assert {name: lists for name, lists in found.items() if lists and name not in ELSEWHERE} == {}
    assert [*listed(ast.parse("X = (np.put, np.place, np.copyto)"))] and [*listed(ast.parse("X = 'append pop sort'.split()"))]


@pytest.mark.parametrize("mode", ["eager", "compiled"])
@pytest.mark.parametrize("view", [
    np.asarray, np.asanyarray, np.ascontiguousarray, np.transpose, np.matrix_transpose, np.ravel, np.squeeze, np.atleast_2d, np.flip,
    np.real,
], ids=lambda view: view.__name__)
def test_what_is_stored_into_a_view_reaches_the_array(view, mode):
    def f(x):
        a = x * 1.0
        b = view(a)
        b *= 3.0
        return (a ** 2).sum()

    x = np.arange(6.0).reshape(2, 3)
    assert np.array_equal(sourcediff.grad(f, mode=mode)(x), 18 * x)


def test_a_view_made_by_einsum_is_one_on_variables():
    def f(x):
        a = x * 1.0
        b = np.einsum("ij->ji", a)
        b[0] *= 3.0
        return (a ** 2).sum()

    x = np.arange(6.0).reshape(2, 3)
    assert np.array_equal(sourcediff.grad(f, mode="eager")(x), 2 * x * [[9, 1, 1]])


@pytest.mark.parametrize("axis", [1, 0, -1, None])
def test_put_along_axis_is_a_store(axis):
    indices = {1: [[2], [0]], 0: [[1, 0, 0]], -1: [[1], [1]], None: [4, 0]}[axis]

    def f(x):
        a = x * 2.0
        np.put_along_axis(a, np.array(indices), np.sin(x[0, 0]), axis=axis)
        return (a ** 3).sum()

    x = np.arange(6.0).reshape(2, 3) + 0.5
    moved = [np.where(np.arange(6).reshape(2, 3) == k, 1e-6, 0.0) for k in range(6)]
    differences = np.reshape([(f(x + step) - f(x - step)) / 2e-6 for step in moved], (2, 3))
    assert np.allclose(sourcediff.grad(f, mode="eager")(x), differences, atol=1e-6)


@pytest.mark.parametrize("method", ["difference_update", "intersection_update", "symmetric_difference_update"])
def test_a_method_that_changes_a_set_is_no_reading(method):
    assert method in CHANGING_METHODS - READING_METHODS


def steps_of_floats(p):
    z = np.arange(0.0, 0.95 * 1200.0, 5.0)  # of which no number may stand for the end
    scale = np.exp(np.interp(z, np.linspace(0, z[-1], len(p)), p))[0]
    b = np.exp(p[1] * (z - 2.0 * p[0]) / scale / 1000)
    w = np.where(z < 2.0 * p[0], 1.0, b)
    return np.sum(w / (1 + w))


def test_the_length_of_a_range_of_floats_depends_on_them():
    p = np.array([1.5, 0.7, 0.2])
    found = sourcediff.grad(steps_of_floats, mode="compiled")(p)
    numbers = [(steps_of_floats(p + d) - steps_of_floats(p - d)) / 2e-6 for d in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(found, numbers, rtol=1e-5)
