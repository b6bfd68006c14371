"""Maxima that a program subtracts against overflow: no derivative is written for one on which nothing depends, and for every other is."""

from __future__ import annotations

import importlib.util
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff.compiler.stages import derive
from sourcediff.core.facts.idle_shifts import idle_shifts


def softmax(z):
    e = np.exp(z - np.max(z, axis=-1, keepdims=True))
    return np.sum((e / np.sum(e, axis=-1, keepdims=True)) ** 2 * np.arange(3.0))


def by_dropped_axis(z):
    m = z.max(axis=1)
    return np.sum(np.sin(m + np.log(np.sum(np.exp(z - m[:, None]), axis=1))))


def by_ellipsis(z):
    m = z.max(axis=-1)
    return np.sum(np.sin(np.log(np.exp(z - m[..., None]).sum(-1)) + m))


def by_columns(z):
    m = z.max(axis=0)
    return np.sum(np.sin(m + np.log(np.sum(np.exp(z - m), axis=0))))


def of_all(z):
    z = z - z.max()
    p = np.exp(z)
    p = p / p.sum()
    return -np.sum(p * np.log(p)) + p[0, 1]


def weighted(z):
    m = np.max(z, axis=1, keepdims=True)
    e = 3.0 * np.exp(z - m) * np.arange(3.0)
    return np.sum((e @ z) / e.sum(axis=1, keepdims=True))


def halves(z):
    m = np.max(z, axis=1, keepdims=True)
    e = np.exp((z - m) / 2)
    return np.sum(np.sqrt(np.sum(e**2, axis=1, keepdims=True)) / np.mean(e, axis=1, keepdims=True))


def in_a_loop(z):
    total = 0.0
    for row in z:
        m = row.max()
        e = np.exp(row - m)
        total = total + np.sum(e / e.sum() * row)
    return total


def in_place(z):
    w = z * 1.0
    w -= w.max(axis=1, keepdims=True)
    e = np.exp(w)
    e /= e.sum(axis=1, keepdims=True)
    return np.sum(e * z)


def taken_twice(z):
    rows = np.exp(z - z.max(axis=1, keepdims=True)) / np.exp(z - z.max(axis=1, keepdims=True)).sum(axis=1, keepdims=True)
    return np.sum(rows**2) + np.log(np.sum(np.exp(z - z.max()))) + z.max()


IDLE = [taken_twice, softmax, by_dropped_axis, by_ellipsis, by_columns, of_all, weighted, halves, in_a_loop, in_place]


def not_divided(z):
    return np.sum(np.exp(z - np.max(z, axis=1, keepdims=True)))


def other_axis(z):
    e = np.exp(z - np.max(z, axis=1, keepdims=True))
    return np.sum((e / np.sum(e, axis=0, keepdims=True)) ** 2)


def of_columns_by_rows(z):
    m = np.max(z, axis=1)  # a square matrix hides that it lies along the other axis
    e = np.exp(z - m)
    return np.sum((e / np.sum(e, axis=1, keepdims=True)) ** 2)


def added_without(z):
    m = np.max(z, axis=1, keepdims=True)
    return np.sum(np.log(np.sum(np.exp(z - m), axis=1, keepdims=True)) + 2 * m)


def read_elsewhere(z):
    m = np.max(z, axis=1, keepdims=True)
    e = np.exp(z - m)
    return np.sum((e / np.sum(e, axis=1, keepdims=True)) ** 2 * m)


def over_a_shift(z):
    m = np.max(z, axis=1, keepdims=True)
    return np.sum(2.0 / (z - m - 1.0))


def kept_in_a_loop(z):
    total, e = 0.0, np.ones(3)
    for row in z:
        total = total + np.sum(e * row)
        m = row.max()
        e = np.exp(row - m)
        p = e / e.sum()
        total = total + np.sum(p * p)
    return total


def left_early(z):
    e = np.ones(3)
    for row in z:
        e = np.exp(row - row.max())
        if row[0] < 0.0:
            break
        e = e / e.sum()
    return np.sum(e * z)


def by_another_name(z):
    w = z * 1.0
    v = w[::-1]
    w -= w.max(axis=1, keepdims=True)
    e = np.exp(w)
    return np.sum(e / e.sum(axis=1, keepdims=True) * v)


def squared(z):
    e = np.exp(z - np.max(z, axis=1, keepdims=True))
    return np.sum(e**2 / np.sum(e, axis=1, keepdims=True))


def of_another_array(z):
    w = z * 1.0
    a = np.exp(w - w.max())
    w[0] = w[0] * 2.0
    return np.sum(a / np.sum(np.exp(w - w.max())))


MOVING = [of_another_array, not_divided, other_axis, of_columns_by_rows, added_without, read_elsewhere, over_a_shift, kept_in_a_loop,
          left_early, by_another_name, squared]


@pytest.mark.parametrize("function", [*IDLE, *MOVING])
def test_gradients_are_those_of_the_eager_engine(function):
    z = np.random.default_rng(3).normal(size=(3, 3))
    for _ in range(3):
        _value, gradient = sourcediff.value_and_grad(function, mode="compiled")(z)
        np.testing.assert_allclose(gradient, sourcediff.grad(function, mode="eager")(z), rtol=1e-10, atol=1e-12)
        tangent = sourcediff.jvp(function, [z], [z**2], mode="compiled")[1]
        np.testing.assert_allclose(tangent, np.sum(gradient * z**2), rtol=1e-10, atol=1e-12)
        z = z * 1.5 - 0.2


@pytest.mark.parametrize("function", IDLE)
def test_of_an_idle_shift_there_is_no_derivative(function):
    text = sourcediff.gradient_source(function, args=(np.ones((3, 3)),))
    assert "==" not in text.replace("'=='", ""), text
    z = np.random.default_rng(3).normal(size=(3, 3))
    second = sourcediff.hvp(function, mode="compiled")(z, z**2)
    np.testing.assert_allclose(second, sourcediff.hvp(function, mode="eager")(z, z**2), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("function", MOVING)
def test_of_a_shift_that_matters_there_is_one(function):
    assert "==" in sourcediff.gradient_source(function, args=(np.ones((3, 3)),)).replace("'=='", "")


def random_program(rng: random.Random) -> str:
    """Statements that shift, take exponentials, sum and divide, along either axis of a square matrix."""
    rows, lines = ["z"], []
    for k in range(rng.randint(4, 9)):
        a, b = rng.choice(rows[-3:]), rng.choice(rows)
        axis = rng.choice(["axis=0", "axis=1", "axis=-1", "axis=-2", "axis=None"])
        lines.append(f"    t{k} = " + rng.choice([
            f"np.max({a}, {axis}, keepdims=True)", f"{a} - np.max({a}, {axis}, keepdims=True)", f"np.exp(0.3 * {a})", f"np.exp({a} - {b})",
            f"np.sum({a}, {axis}, keepdims=True)", f"{a} / np.sum({a} * {a}, {axis}, keepdims=True)", f"{a} - {b}", f"{a} * {b}",
            f"{a} / (4.0 + {b} * {b})", f"np.log(np.sum(np.exp({a}), {axis}, keepdims=True))",
            f"{a} / np.mean(np.exp({a}), {axis}, keepdims=True)", f"np.exp({a} - np.max({a}, {axis}, keepdims=True))", f"{a} + {b}",
            f"np.log(1.0 + {a} * {a}) * 2.0", f"{a} @ {b}" if k < 3 else f"-{a}",
            f"np.exp({b}) / np.sum(np.exp({b}), {axis}, keepdims=True)",
        ]))
        rows.append(f"t{k}")
    last = f"    return np.sum(np.tanh({rows[-1]})) + 0.1 * np.sum({rows[-2]})"
    return "\n".join(["import numpy as np", "def program(z):", *lines, last]) + "\n"


def test_random_programs_of_shifts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    idle: list[Any] = []

    def noted(*given: Any) -> set[Any]:
        idle.extend(found := idle_shifts(*given))
        return found

    monkeypatch.setattr(derive, "idle_shifts", noted)
    z = np.random.default_rng(5).normal(size=(3, 3))
    met = 0
    for seed in range(60):
        path = tmp_path / f"shifts{seed}.py"
        path.write_text(random_program(random.Random(seed)))
        spec: Any = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module
        spec.loader.exec_module(module)
        with np.errstate(all="ignore"):
            try:
                value = module.program(z)
            except ValueError:  # matrices of other shapes
                continue
            if not np.isfinite(value) or abs(value) > 1e6:
                continue
            found = sourcediff.grad(module.program, mode="compiled")(z)
            wanted = sourcediff.grad(module.program, mode="eager")(z)
        met += 1
        np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-8 * max(1.0, np.abs(wanted).max()), err_msg=path.read_text())
    assert met > 20 and len(idle) > 4
