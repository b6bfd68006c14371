"""What every formula promises: pure text in few words, of which each has a derivative again, under NumPy's own names."""

from __future__ import annotations

import builtins
import inspect
import textwrap
import types
import warnings

import numpy as np
import pytest

from sourcediff import grad, runtime
from sourcediff.analysis.source.sharing import VIEWS
from sourcediff.errors import MissingRuleError, NonDifferentiableError
from sourcediff.rules import RULES, rule_for
from sourcediff.syntax import nodes as n

from . import samples
from .checker import on_each


def formulas_of(rule):
    """The rule, its variants for fixed ranks, and the one for complex numbers."""
    return [rule, *rule.variants.values(), *([rule.for_complex] if rule.for_complex not in (None, rule) else [])]


FORMULAS = [
    formula for table_rule in RULES.values() for rule in formulas_of(table_rule)
    for formula in (rule.formula, rule.tangent) if formula is not None
]
RULES_WITH_FORMULA = [rule for rule in RULES.values() if rule.formula is not None]


def tree_of(formula):
    (function,) = n.parse(textwrap.dedent(inspect.getsource(formula))).body
    return function


def test_text():
    assert len(FORMULAS) > 400
    on_each(check_text, FORMULAS)


def check_text(formula):
    """Assignments to plain names, then one return; names are parameters, locals, np or helpers; every call has a rule."""
    function = tree_of(formula)
    *assignments, last = function.body
    assert isinstance(last, n.Return)
    assert all(isinstance(s, n.Assign) and all(isinstance(target, n.Name) for target in s.targets) for s in assignments)
    own = {p.id for p in (*function.args.args, *function.args.kwonlyargs)} | {t.id for s in assignments for t in s.targets}
    for node in (part for statement in function.body for part in n.walk(statement)):
        assert not isinstance(node, (n.NamedExpr, n.Lambda, n.ListComp, n.GeneratorExp, n.Starred)), n.dump(node)
        if isinstance(node, n.Name) and node.id not in own:
            known = formula.__globals__.get(node.id, getattr(builtins, node.id, None))
            helper = getattr(runtime, node.id, None)
            scipys = isinstance(known, types.ModuleType) and known.__name__.startswith("scipy.")
            helped = helper is known or isinstance(known, types.FunctionType) and rule_for(known) is not None
            assert known is np or known is bool or scipys or helped or node.id == "itself", node.id
        called_of = getattr(node.func, "value", node.func) if isinstance(node, n.Call) else None
        if isinstance(node, n.Call) and getattr(called_of, "id", "") != "self":  # a method of an object of a library's
            called = resolved(node.func, formula.__globals__)
            assert called is not None and rule_for(called) is not None, f"{n.dump(node.func)} is called, but has no rule"
            helper = getattr(runtime, getattr(called, "__name__", ""), None) is called
            assert not helper or not node.keywords, "helpers are called by position"


def resolved(node, scope):
    """The function that a name or a path such as ``np.linalg.inv`` means, or None."""
    if isinstance(node, n.Name):
        return scope.get(node.id)
    if isinstance(node, n.Attribute):
        return getattr(resolved(node.value, scope), node.attr, None)
    return None


def test_parameters_are_numpys():
    on_each(check_parameters, RULES_WITH_FORMULA)


def check_parameters(rule):
    """A parameter that can be given by position stands where NumPy has it; one that can be given by keyword has NumPy's name."""
    if rule.of_method:
        return
    try:
        theirs = inspect.signature(rule.function).parameters
    except ValueError:
        theirs = {}
    if not theirs or any(p.kind is p.VAR_POSITIONAL for p in theirs.values()):
        assert isinstance(rule.function, np.ufunc) or rule.name in WITHOUT_SIGNATURE, "a signature that cannot be compared"
        return
    positional = [p for p in theirs.values() if p.kind is not p.KEYWORD_ONLY]
    for i, (name, mine) in enumerate(rule.parameters.items()):
        if mine.kind is mine.KEYWORD_ONLY:
            assert name in theirs or "kwargs" in theirs  # np.pad takes what its mode does
        else:
            same = positional[i]
            ours = getattr(runtime, rule.function.__name__, None) is rule.function or getattr(rule.function, "__module__", "") == "builtins"
            free = same.kind is same.POSITIONAL_ONLY or ours
            known = (("shape", "newshape"), ("x", "z"), *((own, called) for called, own in rule.keywords.items()))
            assert free or same.name == name or (name, same.name) in known
            assert (mine.default is mine.empty) >= (same.default is same.empty), "a default that NumPy does not have"


WITHOUT_SIGNATURE = {
    "np.einsum", "np.where", "np.dot", "np.inner", "np.vdot", "np.array", "np.asarray", "np.arange", "np.concatenate",
    "np.gradient", "np.add.outer", "np.subtract.outer", "np.multiply.outer",
    "np.ascontiguousarray", "np.atleast_1d", "np.atleast_2d", "np.atleast_3d", "math.log", "math.hypot", "float",
    "scipy.special.sph_harm_y", "scipy.special.MultiUFunc",
    "np.bincount", "np.maximum.accumulate", "np.minimum.accumulate", "np.logaddexp.accumulate",  # before NumPy 2.4
}


def test_variants_share_the_parameters():
    for rule in RULES_WITH_FORMULA:
        assert all(list(variant.parameters) == list(rule.parameters) for variant in formulas_of(rule)), rule
        assert all(variant.differentiable == rule.differentiable for variant in formulas_of(rule)), rule


def test_general_rules_have_a_pushforward():
    assert not [rule for rule in RULES_WITH_FORMULA if rule.kind == "general" and rule.differentiable and rule.tangent is None]


@pytest.mark.parametrize("function, args, kwargs", [
    (np.sum, (np.ones(3),), {"where": [True, False, True]}),  # an unknown keyword
    (np.sum, (np.ones(3), None, None, None), {}),  # an unknown position
    (np.mean, (np.ones(3), 0, np.float32), {}),
    (np.linalg.norm, (np.ones((2, 2)), 2), {}),  # a known keyword with a value for which the formula is wrong
    (np.linalg.norm, (np.ones(3),), {"ord": 1}),
    (np.reshape, (np.ones(4), (2, 2)), {"order": "A"}),
    (np.ravel, (np.ones(4), "K"), {}),
    (np.einsum, ("i,i,i", np.ones(2), np.ones(2), np.ones(2)), {}),
    (np.exp, (np.ones(2),), {"where": True}),
    (np.add, (np.ones(2), 1.0, np.ones(2)), {}),
])
def test_what_a_rule_does_not_know_is_refused(function, args, kwargs):
    with pytest.raises(MissingRuleError, match="rule"):
        RULES[function].bind(args, kwargs)


def test_gradients_along_several_axes_are_refused_where_they_are_not_told_apart():
    def first_of_all(f):
        return np.sum(np.gradient(f)[0] ** 2)

    for mode in ("compiled", "auto"):
        with pytest.raises(MissingRuleError, match=r"np.gradient along 2 axes(.|\n)*axis=0"):
            grad(first_of_all, mode=mode)(np.ones((2, 3)))
    np.testing.assert_allclose(grad(first_of_all, mode="eager")(np.outer([1.0, 3.0], np.ones(3))), np.outer([-8.0, 8.0], np.ones(3)))


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_least_squares_without_full_rank_are_refused(mode):
    x, y = np.array([1.0, 1.0, 2.0, 2.0]), np.array([1.0, -1.0, 2.0, 0.3])
    for f in (
        lambda x: np.sum(np.linalg.lstsq(np.outer(x, y[:2]), y, rcond=None)[0]), lambda x: np.sum(np.polyfit(x, y, 2)),
        lambda x: np.sum(np.linalg.lstsq(np.stack([x, y], axis=1), y, rcond=0.9)[0]),
    ):
        with warnings.catch_warnings(), pytest.raises(NonDifferentiableError, match="rank"):
            warnings.simplefilter("ignore")
            grad(f, mode=mode)(x)
    with pytest.raises(MissingRuleError, match="full=True"):
        grad(lambda x: np.sum(np.polyfit(x, y, 1, full=True)[0]), mode=mode)(np.arange(4.0))


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_a_choice_of_what_is_not_there_is_numpys_error(mode):
    for which in ([0, 2], [-1, 0]):
        with pytest.raises(ValueError, match="invalid entry"):
            grad(lambda x, which=which: np.sum(np.choose(which, [x, x**2])), mode=mode)(np.ones(2))


def test_missing_and_doubled_arguments_are_type_errors():
    with pytest.raises(TypeError, match="missing the argument 'b'"):
        RULES[np.dot].bind((1.0,), {})
    with pytest.raises(TypeError, match="multiple values for argument 'a'"):
        RULES[np.sum].bind((np.ones(2),), {"a": np.ones(2)})


def test_unhashable_things_have_no_rule():
    assert rule_for([]) is None
    assert rule_for(np.unique) is None


NUMPYS = [function for function in samples.SAMPLES if not (getattr(function, "__module__", None) or "").startswith("sourcediff")]


def test_what_may_be_a_view_is_known_as_such():
    """The analysis of aliases knows every function of NumPy's whose result shares memory with an argument."""
    on_each(check_views, NUMPYS)


def check_views(function):
    for sample in samples.SAMPLES[function]:
        results = arrays_in(function(*sample.args, **sample.kwargs))
        given = arrays_in((sample.args, sample.kwargs))
        if any(np.may_share_memory(result, array) for result in results for array in given):
            assert function in VIEWS


def arrays_in(value):
    """The arrays in a structure."""
    if isinstance(value, (list, tuple, dict)):
        return [found for part in (value.values() if isinstance(value, dict) else value) for found in arrays_in(part)]
    return [value] if isinstance(value, np.ndarray) else []
