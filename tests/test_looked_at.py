"""Gradients without guards are looked at: they are what the guarded text gives, which is run where there is NaN, and nowhere else."""

from __future__ import annotations

import contextlib
import io
import math
import pickle
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse.linalg

import sourcediff
from sourcediff import detect_anomaly, extend
from sourcediff.dispatch.dispatcher import Dispatcher
from sourcediff.dispatch.looked_at import has_no_nan
from sourcediff.errors import AnomalyError

PLAIN = np.array([1.0, 2.0, 3.0])
ZERO = np.array([1.0, 0.0, 3.0])


@dataclass
class Layer:
    """An object that is differentiated."""

    weights: Any
    scale: float


def logarithms(x: Any) -> Any:
    return np.sum(np.where(x > 0, np.log(x), 0.0))


def roots(x: Any) -> Any:
    return np.sum(np.where(x > 0, np.sqrt(x), x**2)) + np.sum(np.sqrt(np.maximum(x, 0.5)) * x)


def quotients(x: Any) -> Any:
    return np.where(x != 0, np.sin(x) / x, 1.0) @ x


def unit_rows(x: Any) -> Any:
    rows = np.stack([x, x - x[0], 2 * x])
    units = rows / np.sqrt(np.sum(rows**2, axis=1, keepdims=True))
    some = np.array([True, False, True]) if x[1] == 0 else np.array([True, True, True])
    return np.sum(units[some] ** 3) + np.sum(np.where((x == 0)[:, None], 0.0, rows / x[:, None]))


def table(x: Any) -> Any:
    best = np.full((4, 4), np.inf)
    best[0, 0] = 0.0
    for i in range(3):
        for j in range(3):
            step = np.sqrt((x[i] - x[j]) ** 2) if x[i] != x[j] else x[i] * x[j]
            best[i + 1, j + 1] = step + min(best[i, j + 1], best[i + 1, j], best[i, j])
    return best[3, 3]


def chains(x: Any) -> Any:
    found = x
    for k in range(3):
        found = np.maximum(found, np.log(x + k)) + np.minimum(1 / x, 5.0 + found)
    return np.sum(found[np.isfinite(found)])


def loops(x: Any) -> Any:
    total = 0.0
    for k in range(len(x)):
        root = np.sqrt(x)
        total = total + (root[k] * k if x[k] > 0 else x[k])
    return total


def numbers(x: Any) -> Any:
    a, b = x[0], x[1]
    return a * np.where(b > 0, b**0.5, b) + np.where(b > 0, a / np.float64(b), a)


def complexes(x: Any) -> Any:
    z = x + 0j
    return np.sum(np.real(np.where(x > 0, np.log(z) * (1 + 2j) / z, z)))


def solved(x: Any) -> Any:
    logs = np.where(x > 0, np.log(x), 0.0)
    return np.sum(scipy.linalg.solve(np.diag(x + 1.0), logs) ** 2) + np.sum(np.linalg.solve(np.eye(3) + 0.1, np.sqrt(x))[x > 0] * 0.0)


def solved_inside(x: Any) -> Any:
    y = scipy.linalg.solve(np.eye(3) + 0.1, x)
    return np.sum(np.where(x > 0, np.log(np.where(x > 0, y + 10.0, 0.0)), 0.0))


def of_eigenvalues(x: Any) -> Any:
    a = np.diag(np.array([1.0, 2.0, 3.0])) + 0.1 * np.outer(x, x)
    w = np.linalg.eigvalsh(a) - (5.0 if x[1] > 0 else 0.0)
    return np.sum(np.where(x > 0, np.sqrt(np.abs(w * x)), w))


PROGRAMS = [logarithms, roots, quotients, unit_rows, table, chains, loops, numbers, complexes, solved, solved_inside, of_eigenvalues]


def guarded(f: Any, *args: Any, wrt: tuple[str, ...] = ("x",), value: bool = False) -> Any:
    """What the text with guards gives."""
    return Dispatcher(f, wrt, True, value)(args, {})


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The functions of which a text with guards has been asked for, one for each run."""
    found: list[Any] = []
    with_guards = Dispatcher.with_guards

    def noted(self: Dispatcher) -> Dispatcher:
        found.append(self.function)
        return with_guards(self)

    monkeypatch.setattr(Dispatcher, "with_guards", noted)
    return found


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_it_is_what_the_guarded_text_gives(f: Any, asked: list[Any]) -> None:
    gradient = sourcediff.grad(f, mode="compiled")
    for x in (PLAIN, ZERO, PLAIN[::-1], ZERO):
        due, given = guarded(f, x), x.copy()
        np.testing.assert_array_equal(gradient(given), due)
        np.testing.assert_array_equal(given, x)
        assert sourcediff.value_and_grad(f, mode="compiled")(x)[0] == f(x)
        assert not np.isnan(due).any()


@pytest.mark.parametrize("f", [logarithms, quotients, numbers, complexes])
def test_the_guarded_text_is_asked_where_there_is_nan_and_from_then_on(f: Any, asked: list[Any]) -> None:
    gradient = sourcediff.grad(f, mode="compiled")
    plain, zero = PLAIN.astype(np.float32), ZERO.astype(np.float32)  # of which no other test asks
    gradient(plain)
    gradient(plain + 1)
    first = gradient.source
    assert "UNGUARDED" in first and "keep_zeros" not in first and "errstate" not in first and asked == []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gradient(zero)
    assert len(asked) == 1 and "keep_zeros" in gradient.source and "UNGUARDED" not in gradient.source
    for x in (plain, zero, plain):
        np.testing.assert_array_equal(gradient(x), guarded(f, x))
    assert len(asked) == 1


def test_of_no_guard_there_is_no_look(asked: list[Any]) -> None:
    def f(x: Any) -> Any:
        return np.sum(np.where(x > 0, np.sin(x), x * x))

    gradient = sourcediff.grad(f)
    assert np.isnan(gradient(PLAIN * np.nan)).all() and "UNGUARDED" not in gradient.source and asked == []


def test_nan_that_is_due(asked: list[Any]) -> None:
    gradient = sourcediff.grad(logarithms)
    x = np.array([1.0, np.nan, 0.0])
    for _ in range(3):
        np.testing.assert_array_equal(gradient(x), [1.0, 0.0, 0.0])
    assert len(asked) == 1


# -- what cannot be run twice, and what is brought back ------------------------------------------------------------------


def source(f: Any, *args: Any, wrt: Any = "x") -> str:
    """The text that is run of a call."""
    gradient = sourcediff.grad(f, wrt, mode="compiled")
    gradient(*args)
    text: str = gradient.source
    return text


def told(x: Any) -> Any:
    print("told")
    return logarithms(x)


def drawn(x: Any, generator: Any) -> Any:
    return logarithms(x * generator.normal())


def drawn_from_numpy(x: Any) -> Any:
    return logarithms(x * np.random.rand())  # noqa: NPY002


def taken(x: Any, numbers: Any) -> Any:
    return logarithms(x * next(numbers[0]))


NOTES: list[float] = []


def noted(x: float) -> float:
    NOTES.append(x)
    return 1.0


def with_a_note(x: Any) -> Any:
    return logarithms(x) * noted(2.0)


@pytest.mark.parametrize("f, given", [
    (told, ()), (drawn, (np.random.default_rng(0),)), (drawn_from_numpy, ()), (taken, ([iter([1.0, 2.0, 3.0])],)), (with_a_note, ()),
])
def test_what_leaves_something_behind_is_guarded(f: Any, given: Any, asked: list[Any]) -> None:
    out = io.StringIO()
    gradient = sourcediff.grad(f)
    NOTES.clear()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert not np.isnan(gradient(ZERO, *given)).any()
    assert asked == [] and out.getvalue().count("told") <= 1 and len(NOTES) <= 1
    assert f is with_a_note or "UNGUARDED" not in gradient.source


def test_arguments_that_change_are_brought_back_before_the_second_run(asked: list[Any]) -> None:
    def f(x: Any, table: Any, rest: Any) -> Any:
        table[1:] += 1.0
        rest["n"][0] = rest["n"][0] * 2
        return np.sum(np.where(x > 0, np.log(x), 0.0) * table) * rest["n"][0]

    def state() -> Any:
        return np.zeros(3), {"n": np.array([3.0, 4.0])}

    gradient = sourcediff.grad(f, mode="compiled")
    for x in (PLAIN, ZERO, ZERO):
        ours, plain = state(), state()
        f(np.maximum(x, 1.0), *plain)
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(gradient(x, *ours), guarded(f, x, *state()))
        np.testing.assert_array_equal(ours[0], plain[0])
        np.testing.assert_array_equal(ours[1]["n"], plain[1]["n"])
        assert ("UNGUARDED" in gradient.source) == (x is PLAIN)
    assert len(asked) == 1


def test_structures_and_objects(asked: list[Any]) -> None:
    def of_dict(x: Any) -> Any:
        return np.sum(np.where(x["w"] > 0, np.log(x["w"]), 0.0)) * x["s"]

    def of_list(x: Any) -> Any:
        return np.sum(np.where(x[0] > 0, np.log(x[0]), 0.0)) * np.sum(x[1])

    def of_object(x: Any) -> Any:
        return np.sum(np.where(x.weights > 0, np.log(x.weights), 0.0)) * x.scale

    def of_two(x: Any, y: Any) -> Any:
        return np.sum(y) * np.sum(np.where(x > 0, np.sqrt(x), 0.0))

    for f, made, parts in (
        (of_dict, lambda w: {"w": w, "s": 2.0}, lambda g: [*g["w"], g["s"]]), (of_list, lambda w: [w, 2 * w], np.ravel),
        (of_object, lambda w: Layer(w, 3.0), lambda g: [*g.weights, g.scale]),
    ):
        gradient, before = sourcediff.grad(f, mode="compiled"), len(asked)
        for w in (PLAIN, ZERO, PLAIN):
            np.testing.assert_array_equal(parts(gradient(made(w))), parts(guarded(f, made(w))))
            assert ("UNGUARDED" in gradient.source) == (len(asked) == before)
        assert len(asked) == before + 1
    both = sourcediff.value_and_grad(of_two, ("x", "y"), mode="compiled")
    _, (x_bar, y_bar) = both(ZERO, PLAIN)
    np.testing.assert_array_equal(x_bar, [3.0, 0.0, 3 / math.sqrt(3.0)])
    np.testing.assert_array_equal(y_bar, np.full(3, 1 + math.sqrt(3.0)))


def test_aux() -> None:
    def f(x: Any) -> Any:
        return logarithms(x), np.log(np.abs(x) - 2.0)

    with np.errstate(all="ignore"):
        for x in (PLAIN, ZERO):
            gradient, aux = sourcediff.grad(f, has_aux=True, mode="compiled")(x)
            np.testing.assert_array_equal(gradient, guarded(logarithms, x))
            assert np.isnan(aux).any()
            (_, aux), gradient = sourcediff.value_and_grad(f, has_aux=True, mode="compiled")(x)
            np.testing.assert_array_equal(gradient, guarded(logarithms, x))


def test_data_from_outside_that_changes() -> None:
    table = np.zeros(3)

    def f(x: Any) -> Any:
        table[:] = table + 1.0
        return np.sum(np.where(x > 0, np.log(x), 0.0) * table)

    gradient = sourcediff.grad(f, mode="compiled")
    for k, x in enumerate((PLAIN, ZERO)):
        np.testing.assert_array_equal(gradient(x), (k + 1) * guarded(logarithms, x))
    np.testing.assert_array_equal(table, 2.0)


# -- where NaN might not show ---------------------------------------------------------------------------------------------


def test_a_rule_of_ones_own_may_hide_it() -> None:
    def held(x: Any) -> Any:
        return 2.0 * x

    @extend.elementwise(held)
    def held_rule(g: Any, z: Any, x: Any) -> Any:
        return np.nan_to_num(g) * 2.0

    def f(x: Any) -> Any:
        y = held(x)
        return np.sum(np.where(x > 0, np.log(y), 0.0)) + np.sum(y)

    gradient = sourcediff.grad(f, mode="compiled")
    np.testing.assert_array_equal(gradient(ZERO), guarded(f, ZERO))
    assert "UNGUARDED" not in gradient.source

    def doubled(x: Any) -> Any:
        return 2.0 * x

    hidden = extend.external(doubled, vjp=lambda g, z, x: [np.where(g == g, 2.0 * g, 0.0)], jvp=lambda z, dx, x: 2 * dx)

    def h(x: Any) -> Any:
        y = hidden(x)
        return np.sum(np.where(x > 0, np.log(y), 0.0)) + np.sum(y)

    def deep(x: Any, k: int) -> Any:
        return held(x) if k == 0 else deep(x, k - 1)

    def linked(x: Any) -> Any:
        y = deep(x, 2)
        return np.sum(np.where(x > 0, np.log(y), 0.0)) + np.sum(y)

    for of_it in (h, linked):
        np.testing.assert_array_equal(sourcediff.grad(of_it)(ZERO), [3.0, 2.0, 2.0 + 1 / 3])


def test_functions_that_refuse_nan() -> None:
    mask, matrix = np.array([1.0, 0.0, 1.0]), scipy.sparse.csr_array(np.eye(3) + 0.1)

    def roots_of(y: Any) -> Any:
        return np.sum(np.where(mask > 0, np.sqrt(y * mask), y))

    def of_solve(x: Any) -> Any:
        return roots_of(scipy.linalg.solve(np.eye(3) + 0.1, x))

    def of_cg(x: Any) -> Any:
        return roots_of(scipy.sparse.linalg.cg(matrix, x, rtol=1e-10)[0])

    for f in (of_solve, of_cg):
        found = sourcediff.grad(f, mode="compiled")(PLAIN)
        np.testing.assert_array_equal(found, guarded(f, PLAIN))
        assert not np.isnan(found).any()


def test_an_error_of_the_functions_own_is_raised(asked: list[Any]) -> None:
    def f(x: Any) -> Any:
        if x[0] < 0:
            raise ValueError("below zero")
        return logarithms(x)

    gradient = sourcediff.grad(f, mode="compiled")
    for _ in range(2):
        gradient(PLAIN)
        with pytest.raises(ValueError, match="below zero"):
            gradient(-PLAIN)
    assert "UNGUARDED" in gradient.source


# -- doors ----------------------------------------------------------------------------------------------------------------


def test_texts_that_stand_alone_have_guards(tmp_path: Any) -> None:
    sourcediff.save_gradient(logarithms, tmp_path / "logarithms.py", args=(PLAIN,))
    space: dict[str, Any] = {}
    exec((tmp_path / "logarithms.py").read_text(), space)
    np.testing.assert_array_equal(space["logarithms_grad"](ZERO), guarded(logarithms, ZERO))
    assert "UNGUARDED" in sourcediff.gradient_source(logarithms, args=(PLAIN,))
    for text in (sourcediff.gradient_source(logarithms), sourcediff.gradient_source(logarithms, args=(PLAIN,), mode="pullback")):
        assert "keep_zeros" in text and "UNGUARDED" not in text


def test_a_gradient_within_a_function_has_guards() -> None:
    slope = sourcediff.grad(logarithms)

    def f(x: Any) -> Any:
        return np.sum(slope(x) ** 2)

    np.testing.assert_array_equal(sourcediff.grad(f, mode="compiled")(ZERO), [-2.0, 0.0, -2 / 27])


def test_anomalies_are_those_of_the_guarded_text() -> None:
    gradient = sourcediff.grad(logarithms, mode="compiled")
    with detect_anomaly(), np.errstate(all="ignore"):
        np.testing.assert_array_equal(gradient(ZERO + 1), 1 / (ZERO + 1))
        np.testing.assert_array_equal(gradient(ZERO), guarded(logarithms, ZERO))
        with pytest.raises(AnomalyError):
            sourcediff.grad(lambda x: np.sum(np.where(x > 0, np.log(x), 0.0)) / x[1], mode="compiled")(ZERO)


def test_check_and_travel() -> None:
    gradient = sourcediff.grad(logarithms, check=True)
    for x in (PLAIN, ZERO):
        np.testing.assert_array_equal(gradient(x), guarded(logarithms, x))
    again = pickle.loads(pickle.dumps(sourcediff.grad(logarithms)))
    np.testing.assert_array_equal(again(ZERO), guarded(logarithms, ZERO))


def test_has_no_nan() -> None:
    nan = np.nan
    assert has_no_nan([1.0, None, {"a": (np.float32(2), np.zeros((2, 3)).T)}, np.array(1 + 2j), np.array([])])
    assert has_no_nan(np.array([np.inf, -np.inf, 1e300])) and has_no_nan(Layer(np.ones(2), 1.0))
    for found in (nan, np.float32(nan), [1.0, (nan,)], {"a": np.array([0, nan])}, np.array(nan), complex(0, nan), Layer(np.ones(2), nan)):
        assert not has_no_nan(found)
    assert not has_no_nan(object())
