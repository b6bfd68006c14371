"""Compiled forward mode: every function of the corpus against the eager engine, against compiled reverse mode, and in single precision."""

from __future__ import annotations

import inspect
import itertools
import warnings
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff.checks.numeric import check_jvp, compare, in_structure_of, vector
from sourcediff.errors import AliasingError, FallbackWarning, MissingRuleError, NonDifferentiableError, UnsupportedSyntaxError
from sourcediff.runtime.arrays import has_complex

from .corpus import CASES
from .corpus.case import Case
from .corpus.judge import copied, differing_bits, without_output
from .sampling import name_of, sampled


def by_name(case: Case, args: Any, kwargs: Any) -> dict[str, Any]:
    """All arguments of a case, by the function's parameters and in their order."""
    bound = inspect.signature(case.function).bind(*args, **kwargs)
    bound.apply_defaults()
    return dict(bound.arguments)


def differentiated(case: Case) -> list[str]:
    """The names of the parameters that a case asks for."""
    names = list(inspect.signature(case.function).parameters)
    return [names[which] if isinstance(which, int) else which for which in (case.wrt if isinstance(case.wrt, tuple) else (case.wrt,))]


def direction(value: Any, seed: int) -> Any:
    """A random tangent, no entry of which is zero."""
    random = np.random.default_rng(seed)
    size = vector(value).size
    return in_structure_of(value, random.uniform(0.5, 1.5, size) * random.choice([-1.0, 1.0], size))


def positional(case: Case) -> list[str]:
    """The parameters that can be given by position: to those a tangent can belong."""
    parameters = inspect.signature(case.function).parameters
    return [name for name, parameter in parameters.items() if parameter.kind is not parameter.KEYWORD_ONLY]


def keywords(case: Case, given: dict[str, Any]) -> dict[str, Any]:
    """The other arguments."""
    return {name: value for name, value in given.items() if name not in positional(case)}


def pushed(case: Case, given: dict[str, Any], tangents: dict[str, Any], mode: str) -> tuple[Any, Any]:
    """Value and tangent of a case's function."""
    primals, moved = [given[name] for name in positional(case)], [tangents.get(name) for name in positional(case)]
    return sourcediff.jvp(case.function, primals, moved, mode=mode, **keywords(case, given))


OF_REAL = [case for case in CASES if not has_complex(list(by_name(case, *case.make()).values()))]
"""A derivative with respect to a complex argument is no complex number, but four real ones: there is no tangent."""


@sampled(24, "case", OF_REAL, ids=name_of)
def test_tangents_of_the_corpus(case: Case) -> None:
    try:
        for sizes in (*case.sizes, case.sizes[0]):
            judged(case, *case.make(sizes))
    except AliasingError:
        if not case.may_refuse:
            raise


def judged(case: Case, args: Any, kwargs: Any) -> None:
    """Hold the compiled tangent against the eager one and against the compiled gradient; the arguments against a plain call's."""
    given = by_name(case, args, kwargs)
    tangents = {name: direction(given[name], seed) for seed, name in enumerate(differentiated(case)) if name in positional(case)}
    plain, once, before = copied(given), copied(given), copied(tangents)
    expected, _ = without_output(case.function, *[plain[name] for name in positional(case)], **keywords(case, plain))
    (value, tangent), _ = without_output(pushed, case, once, tangents, "compiled")
    assert not differing_bits(once, plain), "the arguments are not as after one plain call"
    assert not differing_bits(tangents, before), "the tangents that were given have changed"
    assert np.array_equal(value, expected) or np.isclose(value, expected, rtol=1e-15)
    (_, by_the_graph), _ = without_output(pushed, case, copied(given), tangents, "eager")
    compare(tangent, by_the_graph, rtol=1e-10, atol=1e-11)
    gradient, _ = without_output(sourcediff.grad(case.function, tuple(tangents), mode="compiled"), *copied(args), **copied(kwargs))
    pulled = sum(vector(part) @ vector(moved) for part, moved in zip(gradient, tangents.values()))
    np.testing.assert_allclose(tangent, pulled, rtol=1e-9, atol=1e-9, err_msg="u · (J v) is not (Jᵀ u) · v")


# Results that are arrays and structures of them.

X = np.array([0.3, 0.5, -0.7, 1.2])
Y = np.array([1.1, -0.4, 0.9, 0.2])
M = np.array([[2.0, 0.3, -0.4, 0.1], [0.1, 1.5, 0.2, 0.7], [-0.3, 0.6, 1.8, -0.2], [0.4, -0.1, 0.5, 1.6]])
Both = namedtuple("Both", "one other")


def several(x, y):
    return x * y, [np.sum(x * x), {"y": y[0] ** 3}], 4.0


def named(p):
    return p[0] * p[1], p[1]


def nothing_moves(x, y):
    return np.ones(3) * 2, len(x), x > 0, "text", None


def a_buffer(x, y):
    out = np.zeros((3, 4))
    out[0] = x
    out[1, 1:] = y[:-1] * x[1:]
    out[2, ::2] += 2.0
    out[:, 0] *= x[3]
    return out


def broadcast_over_rows(m, x):
    return m + x, x + m * 0, m * x, np.zeros((4, 1)) + x, x[0] + m


def one_moves(m, x):
    return m * 1.0 + np.ones((2, 4, 4)) + x


def filled_on_one_path(x, y):
    if x[0] > 0:
        z = x * y
    else:
        z = np.ones(4)
    return z


def filled_on_the_other(x, y):
    if x[0] < 0:
        z = x * y
        w = x[0]
    else:
        z = np.ones(4)
        w = 3.0
    return z * w


def defined_in_a_branch(x, y):
    if x[0] < 0:
        z = x * y
    total = x[1]
    for k in range(2):
        if k > 5:
            total = total * z[k]
        total = total * x[k]
    return total


def carried_round(x, y):
    old, older = 0.0, 1.0
    for k in range(len(x)):
        new = old * x[k] + older
        older = old
        old = new
    return old, older


def overwritten(x, y):
    for k in range(3):
        x = x * y
        y = np.ones(4) * k
    return x, y


def no_trips(x, y):
    total = 1.0
    for k in range(0):
        total = total * x[k]
    while total > 2:
        total = total * x[0]
    return total


def in_place_with_both(x, y):
    z = np.abs(x) + 1
    z **= y
    w = np.abs(y) + 1
    w /= z
    w[1:] **= z[:-1]
    w[0] -= z[1] * w[1]
    return z, w


def in_place_by_its_own_view(x, y):
    z = np.abs(x) + 1
    w = z[::-1]
    z /= w
    v = y + 3
    u = v[1:]
    v[:-1] **= u
    t = v[:2]
    v[2:] /= t
    return z, v


def in_place_from_nothing(x, y):
    z = np.ones(4)
    z *= y
    w = np.zeros(4)
    w += x
    v = np.ones(4)
    v /= x
    return z, w, v


def changes_its_argument(x, y):
    x[1:] *= y[:-1]
    y += x
    x **= 2
    return x


def shifted(x, y):
    z = x + 1
    z[0] = 5.0
    w = x - 2.0
    return z, w, x


def swapped(x, y):
    x, y = y * 2, x
    x[0], x[1] = x[1], x[0]
    return x - y


def its_own_square(x, y):
    x = x * x
    x = np.exp(x)
    x = x / np.sqrt(x)
    y = y ** x[0]
    return np.tanh(x) ** 3, y


def through_a_list(x, y):
    parts = [x, y * 2, x[0]]
    total = parts[0] * parts[2]
    for part in (x, y):
        total = total + part ** 2
    return total, parts


def rows(m, x):
    total = 0.0
    for row in m:
        total = total + np.tanh(row @ x)
    return total, m.T @ x, m[1], m[:, 2:].sum(axis=1)


def fancy(m, x):
    i = np.array([0, 2, 2])
    y = np.zeros(4)
    y[i] = x[i] * x[i[::-1]]
    m[i, 1] += x[:3]
    m[m > 1.0] *= x[2]
    return y, m, m[i]


def linear_algebra(m, x):
    sign, logdet = np.linalg.slogdet(m)
    return np.linalg.solve(m, x), np.linalg.inv(m), logdet * sign, np.linalg.det(m), np.linalg.cholesky(m @ m.T)


def of_numbers(a, b):
    c = a
    while c < 4.0:
        c = c * b
    return c if a > b else -c, float(a), max(a, b, 1.0), abs(b)


def zero_dimensions(x, y):
    z = np.array(x[0])
    z *= y[0]
    return np.sin(z), z


def methods_of_numbers(x, y):
    total = 0.0
    for k in range(2):
        total = total * y[k]
    a = x[1] * y[0]
    return a.repeat(3), a.sum() + total, a.reshape(1, 1), a.item(), a.copy()


RESULTS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (several, (X, Y)), (named, (Both(X, 2.5),)), (nothing_moves, (X, Y)), (a_buffer, (X, Y)), (broadcast_over_rows, (M, X)),
    (one_moves, (M, X)), (filled_on_one_path, (X, Y)), (filled_on_the_other, (X, Y)), (defined_in_a_branch, (X, Y)),
    (carried_round, (X, Y)), (overwritten, (X, Y)), (no_trips, (X, Y)), (in_place_with_both, (X, Y)),
    (in_place_by_its_own_view, (X, Y)), (in_place_from_nothing, (X, Y)),
    (changes_its_argument, (X, Y)), (shifted, (X, Y)), (swapped, (X, Y)), (its_own_square, (X, np.abs(Y))), (through_a_list, (X, Y)),
    (rows, (M, X)), (fancy, (M, X)), (linear_algebra, (M, X)),
    (of_numbers, (0.7, 1.5)), (methods_of_numbers, (X, Y)), (zero_dimensions, (X, Y)),
]
every_result = pytest.mark.parametrize("f, args", RESULTS, ids=[f.__name__ for f, _ in RESULTS])


@sampled(6, "result, moving, dtype", RESULTS, ["all", "first", "last", "with zeros"], [np.float64, np.float32], ids=name_of)
def test_results_of_every_shape(result: Any, moving: str, dtype: Any) -> None:
    f, args = result
    args = tuple(arg.astype(dtype) if isinstance(arg, np.ndarray) else arg for arg in args)
    tangents: list[Any] = [in_structure_of(arg, np.linspace(0.5, 1.5, vector(arg).size)) for arg in args]
    if moving == "with zeros":
        tangents = [in_structure_of(arg, np.arange(vector(arg).size) % 2.0) for arg in args]
    elif moving != "all":
        tangents = [tangent if i == (0 if moving == "first" else len(args) - 1) else None for i, tangent in enumerate(tangents)]
    if isinstance(args[0], Both):
        tangents = [Both(*tangents[0])]
        args = (Both(args[0].one.copy(), args[0].other),)
    once, plain, before = copied_of(args), copied_of(args), copied_of(tangents)
    expected = f(*plain)
    value, tangent = sourcediff.jvp(f, once, tangents, mode="compiled")
    _, by_the_graph = sourcediff.jvp(f, copied_of(args), tangents, mode="eager")
    assert not differing_bits(once, plain) and not differing_bits(tangents, before)
    close = {"rtol": 1e-4, "atol": 1e-5} if dtype is np.float32 else {"rtol": 1e-12, "atol": 1e-12}
    compare(numbers(value), numbers(expected), **close)
    same_kinds(tangent, value)
    compare(numbers(tangent), numbers(by_the_graph), **close)
    arrays = [part for part in parts_of([tangent, tangents, args]) if isinstance(part, np.ndarray)]
    for part in parts_of(tangent):
        if isinstance(part, np.ndarray):
            assert part.flags.writeable
            assert sum(np.shares_memory(part, other) for other in arrays) == (part.size > 0)


@every_result
def test_tangents_are_derivatives(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    if f is nothing_moves or isinstance(args[0], Both):
        pytest.skip("judged by the eager engine above")
    tangents = [in_structure_of(arg, np.linspace(0.5, 1.5, vector(arg).size)) for arg in args]
    _, tangent = sourcediff.jvp(f, copied_of(args), tangents, mode="compiled")
    check_jvp(lambda *given: numbers(f(*copied_of(given))), numbers(tangent), args, tangents)


def copied_of(tree: Any) -> Any:
    if isinstance(tree, Both):
        return Both(*map(copied_of, tree))
    return type(tree)(map(copied_of, tree)) if isinstance(tree, (list, tuple)) else np.array(tree) if isinstance(tree, np.ndarray) else tree


def parts_of(tree: Any) -> list[Any]:
    """The leaves of a structure."""
    if isinstance(tree, (dict, list, tuple)):
        return [leaf for part in (tree.values() if isinstance(tree, dict) else tree) for leaf in parts_of(part)]
    return [tree]


def numbers(tree: Any) -> list[Any]:
    """The leaves that are floats or arrays of them."""
    return [leaf for leaf in parts_of(tree) if isinstance(leaf, float) or getattr(leaf, "dtype", np.dtype(int)).kind == "f"]


def same_kinds(tangent: Any, value: Any) -> None:
    """A tangent has the structure of the value, and the dtypes and shapes; what is no float has None."""
    mine, theirs = parts_of(tangent), parts_of(value)
    assert len(mine) == len(theirs) and (isinstance(tangent, (tuple, list, dict)) == isinstance(value, (tuple, list, dict)))
    for one, other in zip(mine, theirs):
        if not numbers(other):
            assert one is None
            continue
        assert isinstance(one, np.ndarray) == isinstance(other, np.ndarray) and np.shape(one) == np.shape(other)
        assert getattr(one, "dtype", np.dtype(float)) == getattr(other, "dtype", np.dtype(float))


# What may be relied on.


def test_zeros_of_a_tangent_stay_zero_however_steep_the_function_is() -> None:
    def steep(x):
        return np.sqrt(x), x ** 0.5, np.exp(0.5 * np.log(x)), np.sqrt(np.where(x > 0, x, 0.0))

    with np.errstate(all="ignore"):
        for part in sourcediff.jvp(steep, (np.array([0.0, 4.0]),), (np.array([0.0, 1.0]),), mode="compiled")[1]:
            np.testing.assert_allclose(part, [0.0, 0.25])
        assert sourcediff.jvp(steep, (np.array([0.0, 4.0]),), (np.ones(2),), mode="compiled")[1][0].tolist() == [np.inf, 0.25]


def test_what_has_no_rule_is_refused_only_on_the_way_to_the_output() -> None:
    def aside(x):
        if np.apply_over_axes(np.sum, x, [0])[0] > 100:
            x = x * 2
        shown = np.apply_over_axes(np.sum, np.stack((x, x, x)), [1])
        return np.sum(x * len(shown))

    def on_the_way(x):
        return np.sum(np.apply_over_axes(np.sum, x, [0]))

    assert sourcediff.jvp(aside, (X,), (np.ones(4),), mode="compiled")[1] == 12.0
    with pytest.raises(MissingRuleError, match="apply_over_axes") as caught:
        sourcediff.jvp(on_the_way, (X,), (np.ones(4),), mode="compiled")
    assert caught.value.places[0].text.strip() == "return np.sum(np.apply_over_axes(np.sum, x, [0]))"


def test_a_store_among_integers_is_refused() -> None:
    def counts(x):
        whole = np.zeros(4, dtype=int)
        whole[:] = x
        return whole

    with pytest.raises(NonDifferentiableError, match="int64"):
        sourcediff.jvp(counts, (X,), (X,), mode="compiled")


def test_what_the_compiler_refuses_runs_eagerly_with_one_warning() -> None:
    def at_last(x):
        try:
            x = x * 1
        finally:
            return x * 2  # noqa: B012

    with pytest.warns(FallbackWarning, match="leaving a finally") as caught:
        assert sourcediff.jvp(at_last, (3.0,), (1.0,)) == (6.0, 2.0)
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sourcediff.jvp(at_last, (3.0,), (1.0,)) == (6.0, 2.0)
        assert sourcediff.jvp(at_last, (3.0,), (1.0,), mode="eager") == (6.0, 2.0)
    with pytest.raises(UnsupportedSyntaxError, match="try"):
        sourcediff.jvp(at_last, (3.0,), (1.0,), mode="compiled")


def test_an_aux_is_handed_on() -> None:
    def with_aux(x):
        return x * 2, {"label": "x", "sum": np.sum(x)}

    value, tangent, aux = sourcediff.jvp(with_aux, (X,), (Y,), mode="compiled", has_aux=True)
    assert tangent.tolist() == (2 * Y).tolist() and value.tolist() == (2 * X).tolist() and aux["label"] == "x"
    with pytest.raises(NonDifferentiableError, match="pair"):
        sourcediff.jvp(a_buffer, (X, Y), (Y, X), mode="compiled", has_aux=True)


def test_memory_and_disk_keep_tangents_apart_from_gradients(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCEDIFF_CACHE_DIR", str(tmp_path / "cache"))
    sourcediff.cache.forget()

    def squared(x):
        return x * x

    assert sourcediff.value_and_grad(squared)(3.0) == (9.0, 6.0)
    assert sourcediff.jvp(squared, (3.0,), (1.0,)) == (9.0, 6.0) == sourcediff.jvp(squared, (3.0,), (1.0,))
    assert sourcediff.jvp(squared, (3.0,), (0.0,)) == (9.0, 0.0)
    assert sourcediff.cache.info().files == 3
    sourcediff.cache.forget()
    before = sourcediff.cache.info().disk_hits
    from sourcediff.dispatch.tangents import Pusher

    assert Pusher(squared, ("x",))({"x": 3.0}, {"x": 1.0}, "compiled", "jvp") == (9.0, 6.0)
    assert sourcediff.cache.info().disk_hits == before + 1


def test_a_line_that_fails_is_named() -> None:
    def divides(x, k):
        y = x * 2
        return y[k]

    with pytest.raises(IndexError) as caught:
        sourcediff.jvp(divides, (X, 9), (X, None), mode="compiled")
    assert "return y[k]" in "".join([*getattr(caught.value, "__notes__", []), *map(str, caught.value.args)])


def test_the_general_text_runs_on_other_kinds() -> None:
    text = sourcediff.gradient_source(several, (0, 1), mode="forward")
    namespace: dict[str, Any] = {}
    exec(text, namespace)
    for x, y in ((X, Y), (X[:1], Y[:1])):
        _, tangent = namespace["several_jvp"](x, y, y, x)
        compare(numbers(tangent), numbers(sourcediff.jvp(several, (x, y), (y, x), mode="eager")[1]), rtol=1e-13)
    with pytest.raises(ValueError, match="reverse, forward, pullback, batched or vectorised"):
        sourcediff.gradient_source(several, mode="sideways")


def test_tangents_that_nobody_asks_for_are_not_computed() -> None:
    def steps(s, y, m):  # a fuzzed program: the tangent of what is stored into y and m overflows long before their values do
        for row in m:
            for _ in range(40):
                y[::-1] = np.hypot(s, 0.3 + y ** 2)
                y /= 1 + y / 4
                row[1:] += y[:2] ** 2
        return s ** 2

    def views(s, m):
        kept = m[1:]
        for row in kept:
            row *= s
        return s * np.sum(m)

    text = sourcediff.gradient_source(steps, (0, 1, 2), args=(0.5, Y.copy(), np.ones((2, 3))), mode="forward")
    assert "return s ** 2, 2 * s * s_dot" in text and "y_dot[" not in text and "row_dot" not in text
    found, expected = (sourcediff.jvp(views, (0.5, np.outer(Y, Y)), (1.0, np.outer(X, Y)), mode=mode)[1] for mode in ("compiled", "eager"))
    compare(found, expected, rtol=1e-13)  # what is stored is read, by another name


def test_a_view_of_a_name_that_no_path_has_bound_yet() -> None:
    def passes(a, y):  # of a fuzzed program: what the view is of is bound again in each trip, and a flag says of which
        for factor in itertools.accumulate([y[3], a[0, -4]]):
            halves = np.reshape(a, (2, 6))
            halves[1:] *= 2.0
            a[1:, ::2] = np.sum(y)
            a = np.sum(np.sin(halves)) * y * factor * a
        return np.sum(a ** 2)

    random = np.random.default_rng(0)
    args, moved = ([random.random((3, 4)), random.random(4)] for _ in range(2))
    found, expected = (sourcediff.jvp(passes, (args[0].copy(), args[1]), tuple(moved), mode=mode)[1] for mode in ("compiled", "eager"))
    compare(found, expected, rtol=1e-12)
