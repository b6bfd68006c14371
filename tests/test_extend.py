"""Rules of one's own: in both engines, to higher order, kept apart in the cache, saved, and refused where they are no rules."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from typing import Any, NamedTuple

import numpy as np
import pytest

import sourcediff
from sourcediff import extend
from sourcediff.checks.numeric import check_gradient, numeric_gradient
from sourcediff.errors import MissingRuleError, RuleError
from tests import opaque
from tests.edited import edit
from tests.opaque import conditioned, drag, energy, erf, simulated

X = np.array([0.3, -0.7, 1.2])


def loss(x, k):
    for _ in range(2):
        x = x - 0.1 * drag(x, k)
    return np.sum(erf(x)) * energy(x)


def test_second_order_by_the_rules_of_what_formulas_call():
    gradient = sourcediff.grad(loss, mode="compiled")
    expected = np.array([numeric_gradient(lambda x, i=i: gradient(x, 0.3)[i], [X]).value for i in range(3)])
    np.testing.assert_allclose(sourcediff.hessian(loss)(X, 0.3), expected, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(sourcediff.hvp(loss)(X, 0.3, np.ones(3)), expected @ np.ones(3), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(sourcediff.jacobian(sourcediff.grad(loss))(X, 0.3), expected, rtol=1e-6, atol=1e-8)


def test_second_order_without_such_a_rule_names_the_function():
    def slope(x):
        opaque.plainly(x)
        return 3 * x ** 2

    def cube(x):
        opaque.plainly(x)
        return x ** 3

    @extend.elementwise(cube)
    def cube_rule(g, z, x):
        return g * slope(x)

    def f(x):
        return np.sum(cube(x))

    np.testing.assert_allclose(sourcediff.grad(f, mode="compiled")(X), 3 * X ** 2)
    np.testing.assert_allclose(sourcediff.hessian(f, mode="compiled")(X), np.diag(6 * X))  # the compiler reads the source of slope
    for run in (sourcediff.hessian(f, mode="eager"), lambda x: sourcediff.jvp(f, (x,), (x,), mode="eager")):
        with pytest.raises(MissingRuleError, match=r"slope, which the rule cube_rule \(test_extend.py:\d+\) calls, has no derivative rule"):
            run(X)
    np.testing.assert_allclose(sourcediff.jvp(f, (X,), (X,), mode="compiled")[1], np.sum(3 * X ** 3))


def test_a_graph_of_ones_own():
    step = extend.recorded(drag)
    x = sourcediff.Variable(X, requires_grad=True)
    y = x
    for _ in range(3):
        y = y - 0.1 * step(y, k=0.3)
    assert type(step(X)) is np.ndarray
    (g,) = sourcediff.autograd.grad([y.sum()], [x], create_graph=True)
    (second,) = sourcediff.autograd.grad([g.sum()], [x])

    def f(x):
        for _ in range(3):
            x = x - 0.1 * drag(x, 0.3)
        return np.sum(x)

    np.testing.assert_allclose(g.data, sourcediff.grad(f, mode="compiled")(X))
    np.testing.assert_allclose(second.data, np.diag(sourcediff.hessian(f)(X)))


def test_recorded_functions_are_compiled():
    step = extend.recorded(drag)

    def f(x):
        return np.sum(step(x, 0.3))

    np.testing.assert_allclose(sourcediff.grad(f, mode="compiled")(X), opaque.drag_slope(X, 0.3, 2))


def test_a_derivative_where_the_rule_has_none_is_refused():
    def table(x, temperature):
        opaque.plainly(x, temperature)
        return x * np.round(temperature)

    @extend.elementwise(table)
    def table_rule(g, z, x, temperature):
        return g * np.round(temperature), None

    def f(x):
        return np.sum(simulated(table(x, x[2]), 2.0))

    for mode in ("compiled", "eager"):
        with pytest.raises(MissingRuleError, match=r"table has no derivative with respect to .*temperature"):
            sourcediff.grad(f, mode=mode)(X)


def test_a_general_rule_without_a_forward_formula():
    def solved(a, b):
        opaque.plainly(a, b)
        return np.linalg.solve(a, b)

    @extend.general(solved)
    def solved_rule(g, z, a, b):
        b_bar = np.linalg.solve(a.T, g)
        return -np.outer(b_bar, z), b_bar

    def f(b):
        return np.sum(solved(np.eye(3), b))

    with pytest.raises(MissingRuleError, match=r"solved has no forward formula(.|\n)*pushforward"):
        sourcediff.jvp(f, (X,), (X,), mode="compiled")
    np.testing.assert_allclose(sourcediff.jvp(f, (X,), (X,), mode="eager")[1], np.sum(X))

    @solved_rule.pushforward
    def solved_forward(z, da, db, a, b):
        return np.linalg.solve(a, db - da @ z)

    np.testing.assert_allclose(sourcediff.jvp(f, (X,), (X,), mode="compiled")[1], np.sum(X))


def test_what_a_formula_reads_is_read_when_it_runs():
    factor, other = 2.0, 1.0

    def scaled(x):
        opaque.plainly(x)
        return factor * x

    @extend.linear(scaled)
    def scaled_rule(g, z, x):
        return factor * g * twice(other)

    def unchanged(value):
        return value

    def doubled(value):
        return 2 * value

    def f(x):
        return np.sum(scaled(x))

    twice = unchanged
    compiled, eager = sourcediff.grad(f, mode="compiled"), sourcediff.grad(f, mode="eager")
    for run in (compiled, eager):
        np.testing.assert_array_equal(run(X), 2.0)
    factor = 3.0
    twice = doubled
    for run in (compiled, eager):
        np.testing.assert_array_equal(run(X), 6.0)


def test_a_rule_that_is_replaced_is_compiled_again():
    def f(x):
        return np.sum(tripled(x))

    def tripled(x):
        return 3 * x

    gradient = sourcediff.grad(f, mode="compiled")
    np.testing.assert_array_equal(gradient(X), 3.0)  # its own text is read

    @extend.linear(tripled)
    def wrong_rule(g, z, x):
        return 2 * g

    np.testing.assert_array_equal(gradient(X), 2.0)

    @extend.linear(tripled)
    def right_rule(g, z, x):
        return 3 * g

    np.testing.assert_array_equal(gradient(X), 3.0)
    np.testing.assert_array_equal(sourcediff.grad(f, mode="eager")(X), 3.0)


def test_a_function_that_gets_a_rule_is_no_longer_inlined():
    def halved(x):
        return x / 2

    def f(x):
        return np.sum(halved(x))

    gradient = sourcediff.grad(f, mode="compiled")
    np.testing.assert_array_equal(gradient(X), 0.5)

    @extend.linear(halved)
    def halved_rule(g, z, x):
        return 7 * g  # so that one sees it

    np.testing.assert_array_equal(gradient(X), 7.0)


def test_two_functions_of_one_maker_are_told_apart():
    def make(rate):
        def grown(x):
            return rate * x

        def grown_in_c(x):
            opaque.plainly(x)
            return rate * x

        @extend.linear(grown_in_c)
        def grown_rule(g, z, x):
            return rate * g

        return grown, grown_in_c

    (slow, slow_in_c), (fast, fast_in_c) = make(2.0), make(3.0)

    def f(x):
        return slow(x) * fast(x)

    def g(x):
        return np.sum(slow_in_c(x)) + 10 * np.sum(fast_in_c(x))

    assert sourcediff.grad(f, mode="compiled")(1.0) == 12.0
    np.testing.assert_array_equal(sourcediff.grad(g, mode="compiled")(X), 32.0)
    np.testing.assert_array_equal(sourcediff.jvp(g, (X,), (np.ones(3),), mode="compiled")[1], 96.0)


def test_what_is_read_within_comprehensions_and_lambdas_is_read_when_it_runs():
    rate = 2.0

    def once(x):
        return rate * x

    def twice(x):
        return 2 * rate * x

    scaled = once

    def f(x):
        return np.sum([np.sum(erf(k * x)) for k in range(3)]) + (lambda v: np.sum(scaled(v) * rate))(x)

    gradient = sourcediff.grad(f, mode="compiled")
    check_gradient(f, gradient(X), [X])
    rate = np.array([1.0, 2.0, 3.0])
    check_gradient(f, gradient(X), [X])

    scaled = twice
    check_gradient(f, gradient(X), [X])


def test_the_generated_text_calls_the_rule():
    text = sourcediff.gradient_source(loss, args=(X, 0.3))
    assert "drag_slope(x, k, 2)" in text and "'drag_rule (opaque.py:" in text
    assert "drag_slope" in sourcediff.explain(loss, args=(X, 0.3))


def test_saved_gradients_import_what_they_call(tmp_path):
    path = tmp_path / "saved.py"
    sourcediff.save_gradient(loss, path, args=(X, 0.3))
    text = path.read_text(encoding="utf-8")
    assert "from tests.opaque import drag\n" in text and "import sourcediff" not in text and "from sourcediff" not in text
    assert "def loss_grad(x, k):" in text
    program = "import saved, numpy as np; print(saved.loss_grad(np.array([0.3, -0.7, 1.2]), 0.3).tolist())"
    path_of_python = os.pathsep.join([str(tmp_path), os.getcwd(), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": path_of_python},
    )
    np.testing.assert_allclose(eval(run.stdout), sourcediff.grad(loss)(X, 0.3), rtol=1e-14)


MODULE = """
import numpy as np
from sourcediff import extend

def tripled(x):
    return np.asarray(memoryview(x)) * 3

@extend.linear(tripled)
def tripled_rule(g, z, x):
    return {factor} * g

def f(x):
    return np.sum(tripled(x))
"""


def test_the_cache_knows_the_text_of_rules(tmp_path):
    program = textwrap.dedent("""
        import numpy as np, sourcediff, flow
        print(sourcediff.grad(flow.f, mode="compiled")(np.ones(2)).tolist(), sourcediff.cache.info().disk_hits)
    """)

    def run(factor):
        edit(tmp_path / "flow.py", MODULE.format(factor=factor))
        env = {**os.environ, "SOURCEDIFF_CACHE_DIR": str(tmp_path / "cache")}
        env["PYTHONPATH"] = os.pathsep.join([str(tmp_path), os.getcwd()])
        return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=env).stdout.strip()

    assert run(3) == "[3.0, 3.0] 0"
    assert run(3) == "[3.0, 3.0] 1"
    assert run(5) == "[5.0, 5.0] 0"


def shaped(kind, formula, function=None):
    def opaque_function(x):
        opaque.plainly(x)
        return np.sum(x) if kind == "reduction" else 2 * x

    getattr(extend, kind)(opaque_function)(formula)

    def f(x):
        return np.sum(opaque_function(x) * x)

    return f


def wrong_rank(g, z, x):
    return np.outer(g, x)


def a_number(g, z, x):
    return np.sum(g)


def a_word(g, z, x):
    return str(g)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("kind, formula, due", [
    ("elementwise", wrong_rank, "(3, 3), and (3,)"), ("linear", wrong_rank, "(3, 3), and (3,)"), ("linear", a_number, "(), and (3,)"),
    ("general", a_number, "(), and (3,)"), ("reduction", wrong_rank, "(1, 3), and (3,)|(3, 3), and (3,)"), ("linear", a_word, "no numbers"),
])
def test_a_contribution_of_another_shape_is_an_error_with_the_line(mode, kind, formula, due):
    line = formula.__code__.co_firstlineno
    with pytest.raises(RuleError, match=rf"{formula.__name__} \(test_extend.py:{line}\)") as caught:
        sourcediff.grad(shaped(kind, formula), mode=mode)(X)
    assert any(part in str(caught.value) for part in due.split("|"))


def test_formulas_that_are_no_rules():
    def f(x, n=2, *, name=""):
        return x ** n

    def loops(g, z, x):
        for _ in range(3):
            g = g * x
        return g

    def returns_nothing(g, z, x):
        t = g * x  # noqa: F841

    def other_names(g, z, y):
        return g * y

    def other_order(g, z, n, x):
        return g * n, g * x

    def too_many(g, z, x):
        return g, g

    def without_z(g, x):
        return g * x

    def constant(g, z, x):
        return None

    def of_the_second(g, z, x, n):
        return None, g

    for formula, said in (
        (loops, r"not assignments and then one return(.|\n)*for _ in range"),
        (returns_nothing, "not assignments and then one return"),
        (other_names, r"knows y(.|\n)*f takes \(x, n, name\)"),
        (other_order, "in its order"),
        (too_many, "returns 2 contributions"),
        (without_z, r"takes \(g, x\)(.|\n)*def without_z\(g, z, …\)"),
        (constant, r"nothing but None(.|\n)*constant\(f\)"),
    ):
        with pytest.raises(RuleError, match=said) as caught:
            extend.elementwise(f)(formula)
        assert "test_extend.py" in str(caught.value)
    with pytest.raises(RuleError, match="a reduction is of one array"):
        extend.reduction(f)(of_the_second)
    with pytest.raises(RuleError, match="cannot be read"):
        extend.elementwise(f)(lambda g, z, x: g)
    with pytest.raises(RuleError, match="has a rule already"):
        extend.elementwise(np.sin)(other_names)
    with pytest.raises(RuleError, match=r"cannot be the key of a table(.|\n)*def f\(x\): return library.f\(x\)"):
        extend.elementwise(opaque.LIBM.cbrt)
    with pytest.raises(RuleError, match="takes functions, not 'f'"):
        extend.elementwise("f")
    with pytest.raises(RuleError, match=r"takes \(z, x\)(.|\n)*def forward\(z, dx, x\)"):
        @extend.general(f)
        def general(g, z, x):
            return g

        @general.pushforward
        def forward(z, x):
            return x


def test_several_results_of_other_shapes():
    def f(a, b):
        x, length, _ = conditioned(a, b)
        return np.sum(x) / length

    a = np.diag([1.0, 2.0, 3.0]) + 0.1
    for mode in ("compiled", "eager"):
        check_gradient(f, sourcediff.grad(f, mode=mode)(a, X), [a, X])


def test_stop_gradient_around_what_has_no_derivative():
    def f(x):
        return np.sum(opaque.smoothed(x, int(sourcediff.stop_gradient(x[2]))))

    for mode in ("compiled", "eager"):
        np.testing.assert_allclose(sourcediff.grad(f, mode=mode)(X), 1.0)


def added_in_a_call(z, da, db, a, b):
    return z * 0 + np.add(da * b, a * db)


def added_in_locals(z, da, db, a, b):
    t = da
    u = t * b + db * a
    return np.add(t * b, db * a) * 0.5 + u / 2


def chosen(z, da, db, a, b):
    return np.where(a > 0, da * b + a * db, da * b) + np.where(a > 0, 0, a * db)


def summed(z, da, db, a, b):
    return sum((da * b, a * db))


def stacked(z, da, db, a, b):
    return np.dot(np.ones(2), [da * b, a * db])


def tangent_of_product(da, db, a, b):
    return da * b + a * db


def in_a_helper(z, da, db, a, b):
    return tangent_of_product(da, a=a, b=b, db=db)


def by_methods(z, da, db, a, b):
    return np.reshape(db, da.shape) * a + da.dot(np.diag(b))


def by_an_outer_product(z, da, db, a, b):
    return np.diag(np.add(np.outer(da, b), np.outer(a, db)))


@pytest.mark.parametrize("forward", [
    added_in_a_call, added_in_locals, chosen, summed, stacked, in_a_helper, by_methods, by_an_outer_product,
], ids=lambda forward: forward.__name__)
def test_a_forward_formula_where_some_arguments_do_not_move(forward):
    def product(a, b):
        opaque.plainly(a, b)
        return a * b

    @extend.general(product)
    def product_rule(g, z, a, b):
        return g * b, g * a

    product_rule.pushforward(forward)

    def f(a, b):
        return np.sum(product(a, b) ** 2)

    def scaled(b):
        return np.sum(sourcediff.grad(lambda a: np.sum(product(a, b) ** 2))(b) * b)

    def columns(a, b):
        return product(a, b) * a

    b, v = X + 2, np.array([1.0, -2.0, 0.5])
    for mode in ("compiled", "eager"):
        np.testing.assert_allclose(sourcediff.jvp(f, (X, b), (v, None), mode=mode)[1], 2 * X * b ** 2 @ v)
        np.testing.assert_allclose(sourcediff.jvp(f, (X, b), (None, v), mode=mode)[1], 2 * X ** 2 * b @ v)
    np.testing.assert_allclose(sourcediff.hvp(f)(X, b, v), 2 * b ** 2 * v)
    np.testing.assert_allclose(sourcediff.hessian(f, 1)(X, b), np.diag(2 * X ** 2))
    np.testing.assert_allclose(sourcediff.jvp(scaled, (X,), (v,))[1], 8 * X ** 3 @ v)
    for wrt, expected in ((0, 2 * X * b), (1, X * X)):
        np.testing.assert_allclose(sourcediff.jacobian(columns, wrt, direction="forward")(X, b), np.diag(expected))
    assert "both modes" in sourcediff.check_rule(product, X, b).passed


def test_a_forward_formula_of_several_results_where_one_argument_moves():
    def polar(x, y):
        opaque.plainly(x, y)
        return np.hypot(x, y), np.arctan2(y, x)

    @extend.general(polar, outputs=2)
    def polar_rule(g, z, x, y):
        return (g[0] * x - g[1] * y / z[0]) / z[0], (g[0] * y + g[1] * x / z[0]) / z[0]

    @polar_rule.pushforward
    def polar_forward(z, dx, dy, x, y):
        return (x * dx + y * dy) / z[0], (x * dy - y * dx) / z[0] ** 2

    def f(x, y):
        r, angle = polar(x, y)
        return np.sum(r * angle)

    def plain(x, y):
        return np.sum(np.hypot(x, y) * np.arctan2(y, x))

    for x, y, v in ((0.6, 0.8, 1.0), (X, X + 2, np.ones(3)), (X, 0.8, np.ones(3)), (0.6, X, 1.0)):
        np.testing.assert_allclose(sourcediff.jvp(f, (x, y), (v, None))[1], sourcediff.jvp(plain, (x, y), (v, None))[1])
        if np.shape(x) == np.shape(y):
            np.testing.assert_allclose(sourcediff.hvp(f)(x, y, v), sourcediff.hvp(plain)(x, y, v))


def test_a_forward_formula_whose_terms_are_broadcast():
    def shifted(x, s):
        opaque.plainly(x, s)
        return x + s ** 2

    @extend.general(shifted)
    def shifted_rule(g, z, x, s):
        return g, 2 * s * np.sum(g)

    @shifted_rule.pushforward
    def shifted_forward(z, dx, ds, x, s):
        return dx + 2 * s * ds

    def f(x, s):
        return np.sum(shifted(x, s)) + np.sum(np.exp(shifted(x, s)))

    for mode in ("compiled", "eager"):
        np.testing.assert_allclose(sourcediff.jvp(f, (X, 0.3), (None, 1.0), mode=mode)[1], np.sum(0.6 * (1 + np.exp(X + 0.09))))
    np.testing.assert_allclose(sourcediff.jacobian(shifted, 1, direction="forward")(X, 0.3), np.full(3, 0.6))


def test_terms_of_arguments_that_do_not_move_are_left_out():
    def powered(x, p):
        opaque.plainly(x, p)
        return x ** p

    @extend.general(powered)
    def powered_rule(g, z, x, p):
        return g * p * x ** (p - 1), np.sum(g * z * np.log(x))

    @powered_rule.pushforward
    def powered_forward(z, dx, dp, x, p):
        slope = p * x ** (p - 1)
        return slope * dx + z * np.log(x) * np.reshape(dp, ())

    def f(x):
        return np.sum(powered(x, 2.0))

    x = np.array([0.0, 1.0])  # the logarithm is not asked for
    assert sourcediff.jvp(f, (x,), (np.ones(2),), mode="compiled")[1] == 2.0


def test_a_system_of_equations_by_its_transpose():
    def solved(a, b):
        opaque.plainly(a, b)
        return np.linalg.solve(a.T, b)

    @extend.general(solved)
    def solved_rule(g, z, a, b):
        b_bar = np.linalg.solve(a, g)
        return -np.outer(z, b_bar), b_bar

    @solved_rule.pushforward
    def solved_forward(z, da, db, a, b):
        return np.linalg.solve(a.T, db - da.T @ z)

    def f(a, b):
        return np.sum(solved(a, b) ** 2)

    def plain(a, b):
        return np.sum(np.linalg.solve(a.T, b) ** 2)

    a = np.diag([1.0, 2.0, 3.0]) + 0.1
    for tangents in ((a * a, None), (None, X + 1), (a * a, X + 1)):
        np.testing.assert_allclose(sourcediff.jvp(f, (a, X), tangents)[1], sourcediff.jvp(plain, (a, X), tangents)[1])
    np.testing.assert_allclose(sourcediff.hvp(f)(a, X, a * a), sourcediff.hvp(plain)(a, X, a * a))
    np.testing.assert_allclose(sourcediff.hessian(f, 1)(a, X), sourcediff.hessian(plain, 1)(a, X), atol=1e-12)


def joined(a, c):
    opaque.plainly(a, c)
    return np.concatenate([a, c])


@extend.general(joined)
def joined_rule(g, z, a, c):
    return g[:len(a)], g[len(a):]


def averaged(a):
    opaque.plainly(a)
    return a.sum(0) / len(a)


@extend.general(averaged)
def averaged_rule(g, z, a):
    n = len(a)
    return np.ones((n, 1)) * g / len(a)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_a_formula_that_asks_how_long_an_array_is(mode):
    def of_parts(a):
        return np.sum(joined(a, X) ** 3) + joined(X, a)[3]

    def of_columns(a):
        return np.sum(averaged(a) ** 3)

    def plain(a):
        return np.sum((np.sum(a, 0) / 3) ** 3)

    a, m = X + 2, np.arange(6.0).reshape(3, 2)
    np.testing.assert_allclose(sourcediff.grad(of_parts, mode=mode)(a), 3 * a ** 2 + [1, 0, 0])
    np.testing.assert_allclose(sourcediff.hessian(of_parts, mode=mode)(a), np.diag(6 * a))
    np.testing.assert_allclose(sourcediff.grad(of_columns, mode=mode)(m), sourcediff.grad(plain)(m))
    np.testing.assert_allclose(sourcediff.hessian(of_columns, mode=mode)(m), sourcediff.hessian(plain)(m))


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_the_shape_of_a_parameter_that_a_formula_assigns_to(mode):
    def column_sums(a):
        opaque.plainly(a)
        return np.atleast_2d(a).sum(0)

    @extend.general(column_sums)
    def column_sums_rule(g, z, a):
        a = np.expand_dims(g, 0)
        return np.reshape(g, a.shape[1:])

    def f(a):
        return np.sum(column_sums(a) ** 3)

    np.testing.assert_allclose(sourcediff.grad(f, mode=mode)(X), 3 * X ** 2)


def by_method(g, z, a, b):
    return g * (b.sum() + b), g * (a.reshape(1, 3).T.sum() + a.copy())


def by_builtin(g, z, a, b):
    return g * sum((b.sum(), b)), g * (a.mean() * len(a) + a.clip(-9, 9))


def by_sequences(g, z, a, b):
    return g * np.stack([b, np.ones(3) * np.sum(b)]).sum(axis=0), g * np.add(*np.broadcast_arrays(a.real, np.sum(a)))


def by_entries(g, z, a, b):
    return g * (np.concatenate((b[:1], b[1:])) + b.sum()), g * (np.array([a[0], a[1], a[2]]) + a.sum() if not 0 < len(a) < 2 else 0 * a)


@pytest.mark.parametrize("formula, tried", [(by_method, True), (by_builtin, True), (by_sequences, False), (by_entries, True)])
def test_the_second_derivative_of_a_formula_in_other_words(formula, tried):
    def paired(a, b):
        return float(np.sum(a) * np.sum(b) + a @ b)

    rule = extend.general(paired)(formula)

    @rule.pushforward
    def paired_forward(z, da, db, a, b):
        return da.sum() * b.sum() + a.sum() * db.sum() + da @ b + a @ db

    found = sourcediff.check_rule(paired, X, X + 2)
    assert ("second order" in found.passed) is tried, found


class Pair(NamedTuple):
    total: Any
    product: Any


def test_results_in_a_named_tuple_whose_terms_are_broadcast():
    def paired(x, s):
        opaque.plainly(x, s)
        return Pair(x + s, x * s)

    @extend.general(paired, outputs=2)
    def paired_rule(g, z, x, s):
        return g[0] + g[1] * s, np.sum(g[0]) + np.sum(g[1] * x)

    @paired_rule.pushforward
    def paired_forward(z, dx, ds, x, s):
        return dx + ds, dx * s + x * ds

    def f(x, s):
        total, product = paired(x, s)
        return np.sum(total * product)

    def plain(x, s):
        return np.sum((x + s) * x * s)

    for tangents in ((np.ones(3), None), (None, 1.0), (np.ones(3), 1.0)):
        np.testing.assert_allclose(sourcediff.jvp(f, (X, 0.3), tangents)[1], sourcediff.jvp(plain, (X, 0.3), tangents)[1])
    for wrt, v in ((0, np.ones(3)), (1, 1.0)):
        np.testing.assert_allclose(sourcediff.hvp(f, wrt)(X, 0.3, v), sourcediff.hvp(plain, wrt)(X, 0.3, v))


def shapes(a):
    return 2 * a


def squared(a):
    opaque.plainly(a)
    return a ** 2


@extend.general(squared)
def squared_rule(g, z, a):
    return g * shapes(a)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_a_formula_with_a_function_that_is_called_like_a_helper(mode):
    def f(x):
        y = x * 1
        total = np.sum(squared(y))
        y[0] = 100.0
        return total + y[1]

    np.testing.assert_allclose(sourcediff.grad(f, mode=mode)(X), 2 * X + [0, 1, 0])


@pytest.mark.parametrize("mode", ["eager", "compiled"])
def test_a_function_with_a_rule_that_is_differentiated_itself(mode):
    def floored(x, k=2.0):
        return np.floor(x) * k

    @extend.elementwise(floored)
    def straight_through(g, z, x, k):
        return g * k, None

    x = np.array([0.3, 1.7])
    assert sourcediff.grad(floored, mode=mode)(1.2) == 2.0
    assert sourcediff.grad(floored, mode=mode)(1.2, k=3.0) == 3.0
    assert sourcediff.jvp(floored, (1.2, 2.0), (1.0, None), mode=mode) == (2.0, 2.0)
    np.testing.assert_array_equal(sourcediff.vjp(floored, x, wrt="x", mode=mode)[1](x), 2.0 * x)
    np.testing.assert_array_equal(sourcediff.jacobian(extend.recorded(floored), mode=mode)(x), 2.0 * np.eye(2))


def floored(x):
    return np.floor(x)


@extend.elementwise(floored)
def straight_through(g, z, x):
    return g


def doubled(g):
    return 2.0 * floored(g)


def test_what_a_vjp_calls_goes_by_its_rule_too():
    def made():
        calls = 0

        def counted(g):
            nonlocal calls
            calls += 1
            return 2.0 * floored(g)

        return counted

    for adjoint in (lambda g: 2.0 * floored(g), doubled, made(), lambda g: (lambda h: 2.0 * floored(h))(g)):
        def simulated(x):
            return np.floor(2.0 * x)

        extend.external(simulated, vjp=lambda g, z, x, adjoint=adjoint: [adjoint(g)])
        pulled = sourcediff.grad(lambda v: sourcediff.vjp(lambda x: simulated(x), 0.7, mode="eager")[1](v)[0], mode="eager")
        assert pulled(1.2) == sourcediff.jvp(lambda x: simulated(x), (0.7,), (1.0,), mode="eager")[1] == 2.0
