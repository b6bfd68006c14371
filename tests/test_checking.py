"""``check_grads``, ``check_rule``, ``cross_check`` of tangents: right where they judge, loud where something is wrong, kinks named."""

from __future__ import annotations

import dataclasses
import types
import typing
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff import check_grads, check_rule, cross_check, extend, jvp
from sourcediff.checks.cross.tangents import check_tangents
from sourcediff.checks.numeric import numeric_jvp
from sourcediff.dispatch.cache import load_file
from sourcediff.dispatch.dispatcher import Dispatcher
from sourcediff.errors import AliasingError, CrossCheckError, MissingRuleError, NonDifferentiableError
from tests import opaque
from tests.corpus import CASES
from tests.sampling import name_of, sampled

X = np.array([0.3, 1.7, -2.0])
SMOOTH = [case for case in CASES if case.name.partition(".")[0] in ("straight", "sciences", "opaque", "products") and not case.keywords]


@pytest.mark.parametrize("case", SMOOTH[::4], ids=lambda case: case.name)
def test_functions_of_the_corpus(case):
    args, _ = case.make()
    try:
        report = check_grads(case.function, *args, wrt=case.wrt, order=1)
    except NonDifferentiableError as error:
        assert "numbers cannot judge" in str(error)
        return
    assert report.entries == report.size or report.entries == 40


def damped(x, k, n):
    for _ in range(n):
        x = x - k * np.sin(x)
    return np.sum(x ** 2)


def test_the_report():
    report = check_grads(damped, X, 0.1, 3)
    assert report.passed == ("gradient", "tangent", "dot products", "Taylor slope", "second order")
    assert report.wrt == ("x", "k") and report.entries == report.size == 4 and report.largest < 1e-10 and 1.8 < report.slope < 2.2
    assert check_grads(damped, X, 0.1, 3, order=1, wrt="k").entries == 1
    assert "40 of 101 entries" in str(check_grads(damped, np.arange(100.0) / 50 + 0.1, 0.1, 2, order=1))


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_of_either_engine(mode):
    assert check_grads(damped, X, 0.1, 2, mode=mode).slope > 1.8


def test_arguments_stay_as_they_are():
    def f(x, log):
        x[0] = x[1] ** 2
        log.append(1)
        return np.sum(x ** 3)

    x, log = X.copy(), []
    check_grads(f, x, log, mode="eager")
    np.testing.assert_array_equal(x, X)
    assert not log


def test_results_that_are_structures():
    def f(x, s):
        return {"a": x * s, "count": 3, "b": [np.sum(x)]}

    assert "second order" not in check_grads(f, X, 2.0).passed


def test_functions_that_take_no_complex_numbers():
    def f(x):
        return np.sum(opaque.erf(x) ** 2)

    assert check_grads(f, X).slope > 1.8


def test_what_was_made_a_constant_is_seen_by_numbers():
    def f(x):
        return np.sum(x * sourcediff.stop_gradient(x))

    with pytest.raises(CrossCheckError, match=r"is wrong: .*x\[2\]: -2, but should be -4"):
        check_grads(f, X)


def test_the_worst_entry_is_named_with_both_numbers():
    def cubed(x):
        opaque.plainly(x)
        return x ** 3

    @extend.elementwise(cubed)
    def cubed_rule(g, z, x):
        return 3 * g * x ** 2 * np.where(x > 1, 1.01, 1.0)

    def f(x):
        return np.sum(cubed(x))

    with pytest.raises(CrossCheckError, match=r"the most with respect to x\[1\]: 8.7567\d*, but should be 8.67"):
        check_grads(f, X)


def test_a_wrong_second_derivative_is_found():
    def cubed(x):
        opaque.plainly(x)
        return x ** 3

    def slope(x):
        opaque.plainly(x)
        return 3 * x ** 2

    @extend.elementwise(cubed)
    def cubed_rule(g, z, x):
        return g * slope(x)

    @extend.elementwise(slope)
    def slope_rule(g, z, x):
        return 5 * g * x

    def f(x):
        return np.sum(cubed(x))

    assert check_grads(f, X, order=1).passed
    with pytest.raises(CrossCheckError, match="entry 0 of the Hessian times a vector is"):
        check_grads(f, X)


def kinked(x, y):
    z = y * x
    for _ in range(2):
        z = np.abs(z - 1.0) + z
    return np.sum(z)


def at_a_branch(x):
    if x[0] * x[1] > 2.0:
        return np.sum(x)
    return np.sum(x ** 2)


def clipped(x):
    return np.sum(np.clip(x, 0.0, 1.0))


def tied(x):
    return np.max(x)


def rectified(w, x):
    h = w @ x
    return np.sum(np.maximum(h, 0))


def helped(x):
    return np.sum(shrunk(x))


def shrunk(v):
    return np.sign(v) * np.maximum(np.abs(v) - 0.5, 0)


@pytest.mark.parametrize("f, args, said, line", [
    (kinked, (X, np.array([2.0, 1.0, -0.5000001])), r"t\[2\] lies within 2e-07 of a kink of np.abs", "z = np.abs(z - 1.0) + z"),
    (at_a_branch, (np.array([1.0, 2.0]),), r"it lies at the edge of x\[0\] \* x\[1\] > 2.0", "if x[0] * x[1] > 2.0:"),
    (clipped, (np.array([0.5, 1.0, 2.0]),), r"x lies at a kink of np.clip", "np.clip(x, 0.0, 1.0)"),
    (tied, (np.array([1.0, 2.0, 2.0]),), r"lies at a kink of np.max", "return np.max(x)"),
    (rectified, (np.eye(3), np.array([1.0, 0.0, -1.0])), r"h\[1\] lies at a kink of np.maximum", "np.sum(np.maximum(h, 0))"),
    (helped, (np.array([0.5, 2.0]),), r"\[0\] lies at a kink of np.maximum", "np.maximum(np.abs(v) - 0.5, 0)"),
])
def test_a_kink_is_named(f, args, said, line):
    with pytest.raises(NonDifferentiableError, match=said) as caught:
        check_grads(f, *args)
    assert line in str(caught.value) and "test_checking.py" in str(caught.value)


def test_a_kink_in_what_cannot_be_read():
    with pytest.raises(NonDifferentiableError, match=r"cannot judge the derivative of abs_in_c .*: a kink: the derivative is -0\.5"):
        check_grads(abs_in_c, np.array([0.0, 1.0]))


def hidden(x):
    opaque.plainly(x)
    return 0.5 * np.abs(x)


@extend.elementwise(hidden)
def hidden_rule(g, z, x):
    return 0.5 * g * np.sign(x)


def abs_in_c(x):
    return np.sum(hidden(x))


# Tangents


def test_cross_check_of_tangents():
    report = cross_check(damped, X, 0.1, 3, wrt=("k", "x"), mode="forward")
    assert report.wrt == ("k", "x") and report.largest < 1e-12
    assert "the compiled tangent and the eager graph agree" in str(report)
    with pytest.raises(ValueError, match="mode is reverse or forward"):
        cross_check(damped, X, 0.1, 3, mode="sideways")


@sampled(48, "case", CASES, ids=name_of)
def test_cross_checks_of_tangents_of_the_corpus(case):
    args, kwargs = case.make()
    try:
        assert cross_check(case.function, *args, wrt=case.wrt, mode="forward", **kwargs).largest < 1e-9
    except AliasingError:
        assert case.may_refuse
    except NonDifferentiableError as refusal:  # jvp takes real arguments
        assert "is complex" in str(refusal) and any(map(np.iscomplexobj, args))


def test_a_tangent_that_the_graph_cannot_push_is_held_to_the_dot_products():
    def slope(x):
        opaque.plainly(x)
        return 3 * x ** 2

    def cubed(x):
        opaque.plainly(x)
        return x ** 3

    @extend.elementwise(cubed)
    def cubed_rule(g, z, x):
        return g * slope(x)

    def f(x):
        return np.sum(cubed(x) * x)

    report = cross_check(f, X, mode="forward")
    assert "slope, which the rule cubed_rule" in report.remark and report.remark in str(report)


def test_tangents_that_are_not_finite_are_compared():
    def f(x):
        return np.sum(np.sqrt(x)) + 1.0

    with np.errstate(divide="ignore"):
        assert cross_check(f, np.array([0.0, 1.0]), mode="forward").largest == 0.0


class Pair(typing.NamedTuple):
    a: Any
    b: float
    n: int = 2


@dataclasses.dataclass
class Record:
    a: Any
    b: float
    n: int = 2


def of_parts(p, x):
    return np.sum(np.sin(p.a * x)) ** p.n * p.b


@pytest.mark.parametrize("kind", [Pair, Record, types.SimpleNamespace])
def test_objects_and_named_tuples(kind):
    p, v = (kind(a=X * scale, b=scale, n=2) for scale in (1.0, 0.3))
    assert cross_check(of_parts, p, X, wrt=(0, 1), mode="forward").largest < 1e-12
    if kind is Pair:
        with pytest.raises(NonDifferentiableError, match=r"p\[2\] of of_parts is an int"):
            check_grads(of_parts, p, X, wrt=0)
        v = v._replace(n=None)
    else:
        report = check_grads(of_parts, p, X)
        assert report.wrt == ("p", "x") and report.size == 7 and "second order" not in report.passed
        with pytest.raises(NonDifferentiableError, match="are taken by grad, value_and_grad, vjp and jvp alone"):
            sourcediff.hvp(of_parts)(p, X, v)
        with pytest.raises(NonDifferentiableError, match="the tangent of the argument p of of_parts is a float"):
            jvp(of_parts, (p, X), (1.0, None))
    expected = numeric_jvp(lambda a, b: of_parts(kind(a=a, b=b, n=2), X), [p.a, p.b], [v.a, v.b]).value
    for mode in ("compiled", "eager"):
        np.testing.assert_allclose(jvp(of_parts, (p, X), (v, None), mode=mode)[1], expected)
    np.testing.assert_allclose(jvp(of_parts, (p, X), (v, None), check=True)[1], expected)


def test_a_wrong_tangent_of_an_object_is_found(tmp_path):
    dispatcher = Dispatcher(of_parts, ("p",), False, True, mode="forward")
    values, tangents = [Record(X, 1.0), X], [Record(X, 0.3)]
    text = dispatcher.entry(values).loaded.text
    path = tmp_path / "edited.py"
    path.write_text(text.replace("np.cos(", "1.01 * np.cos(", 1), encoding="utf-8")
    with pytest.raises(CrossCheckError, match="the compiled tangent of of_parts is wrong"):
        check_tangents(dispatcher, dispatcher.entry_of(load_file(path)), values, tangents)


def test_jvp_with_check():
    def f(x):
        return {"a": np.sin(x), "n": 3}

    _, tangent = jvp(f, (X,), (np.ones(3),), check=True)
    np.testing.assert_allclose(tangent["a"], np.cos(X))


def test_a_wrong_tangent_is_found(tmp_path):
    dispatcher = Dispatcher(damped, ("x",), False, True, mode="forward")
    values = [X, 0.1, 3]
    text = dispatcher.entry(values).loaded.text
    assert "np.cos(x)" in text
    path = tmp_path / "edited.py"
    for old, new in (("np.cos(x)", "np.cos(x + 1e-2)"), ("return ", "return 1.0 * ")):
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        entry = dispatcher.entry_of(load_file(path))
        if old == "np.cos(x)":
            with pytest.raises(CrossCheckError, match="the compiled tangent of damped is wrong: the tangent is") as caught:
                check_tangents(dispatcher, entry, values, [np.ones(3)])
            generated, user = caught.value.places
            assert "x_dot" in generated.problem and "np.cos(x + 1e-2)" in generated.text and user.text.strip() == "x = x - k * np.sin(x)"
        else:
            assert check_tangents(dispatcher, entry, values, [np.ones(3)]).largest < 1e-12


# Rules


def test_rules_of_the_table_can_be_checked():
    assert check_rule(np.arctan2, X, X + 5.0).passed[-2:] == ("broadcasting", "float32")
    assert "forward" not in str(check_rule(np.sum, np.ones((2, 3)) * [1.0, 2.0, 3.0], axis=1))
    with pytest.raises(MissingRuleError, match="has no rule to check"):
        check_rule(np.busday_count, X)


@pytest.mark.parametrize("call", [
    (opaque.erf, X), (opaque.drag, np.abs(X), 0.3), (opaque.drag, X, np.array([0.1, 0.2, 0.3])), (opaque.energy, X),
    (opaque.root_mean_square, np.outer(X, X) + np.eye(3), 0), (opaque.smoothed, np.arange(7.0) ** 0.5, 2),
    (opaque.bilinear, X, np.outer(X, X) + np.eye(3), X[::-1].copy()), (opaque.conditioned, np.outer(X, X) + np.eye(3), X),
    (opaque.simulated, X, 0.4),
], ids=lambda call: call[0].__name__)
def test_rules_of_the_opaque_functions(call):
    function, *args = call
    report = check_rule(function, *args)
    assert {"purity", "shapes", "linearity", "both modes", "numbers", "Taylor slope"} <= set(report.passed)


def planted(kind, function, formula):
    getattr(extend, kind)(function)(formula)
    return function


def fresh(compute):
    """A function that computes so, without a rule yet."""
    def function(x):
        opaque.plainly(x)
        return compute(x)

    return function


def one_too_small(g, z, x):
    return g * 1.99 * x


def not_linear(g, z, x):
    return 2 * np.abs(g) * x


def affine(g, z, x):
    return 2 * g * x + 1e-3


def right(g, z, x):
    return 2 * g * x


def destructive(g, z, x):
    return np.multiply(2 * g, x, out=x)


def unequal(g, z, x):
    return np.ravel(2 * g * x)[:1]


BUFFER = np.zeros(3)


@pytest.mark.parametrize("kind, compute, formula, said", [
    ("elementwise", np.square, one_too_small, "is wrong"),
    ("elementwise", np.square, not_linear, "2.5 g - h"),
    ("elementwise", np.square, affine, "2.5 g - h"),
    ("elementwise", np.square, unequal, "shape"),
    ("elementwise", np.square, destructive, "afterwards, what the rule was given"),
    ("elementwise", lambda x: np.multiply(x, x, out=BUFFER[:x.size].reshape(x.shape)), right, "after another call, the first result"),
    ("elementwise", lambda x: np.multiply(x, x, out=x), right, "afterwards, the function's argument"),
    ("elementwise", lambda x: x ** 2 + np.random.default_rng().random(), right, "once more, the result"),
    ("linear", lambda x: x[...], None, "shares memory with x"),
])
def test_wrong_rules_and_impure_functions_are_found(kind, compute, formula, said):
    def identity(g, z, x):
        return g

    function = planted(kind, fresh(compute), formula or identity)
    with pytest.raises(CrossCheckError, match=said) as caught:
        check_rule(function, X.copy())
    assert "test_checking.py" in str(caught.value)


def test_what_is_not_tried_is_said():
    def solved(a, b):
        opaque.plainly(a, b)
        return np.linalg.solve(a, b)

    @extend.general(solved)
    def solved_rule(g, z, a, b):
        b_bar = np.linalg.solve(a.T, g)
        return -np.outer(b_bar, z), b_bar

    report = check_rule(solved, np.eye(3) + 0.1, X)
    assert len(report.remarks) == 2 and all("no forward formula" in remark for remark in report.remarks)
    assert "numbers" in report.passed and "both modes" not in report.passed
