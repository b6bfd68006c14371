"""``docs/how-it-works.md``: the drawing shows every part in its layer, and what the text claims is so."""

from __future__ import annotations

import re

import numpy as np
import pytest

import sourcediff
from sourcediff.checks.numeric import check_gradient
from sourcediff.compiler.pipeline import program_passes
from tests.test_layers import LAYER, LAYERS, ROOT
from tests.test_readme import update

TEXT = (ROOT.parent / "docs" / "how-it-works.md").read_text(encoding="utf-8")
HOUSE = re.search(r"```text\n(┌─ .*?)```", TEXT, re.DOTALL)[1]
FLOORS = re.split(r"^[┌├]─ \d+ .*\n", HOUSE, flags=re.MULTILINE)[1:][::-1]  # from the ground up


def test_the_drawing_has_a_floor_for_each_layer():
    assert len(FLOORS) == len(LAYERS)
    assert len({len(line) for line in HOUSE.splitlines()}) == 1, "the right wall is crooked"


def drawn(name: str) -> str:
    """``core.facts`` → ``core/facts/``, ``core.form`` → ``core/form.py``."""
    path = name.replace(".", "/")
    return f"{path}.py" if (ROOT / f"{path}.py").exists() else f"{path}/"


@pytest.mark.parametrize("name", LAYER)
def test_every_part_of_the_package_stands_on_its_floor(name):
    found = [number for number, floor in enumerate(FLOORS) if re.search(rf"(?:^│|\s){re.escape(drawn(name))}(?=\s)", floor, re.MULTILINE)]
    assert found == [LAYER[name]]


def test_every_stage_of_the_pipeline_is_shown():
    shown = re.findall(r"^### \d+\. \w+/(\w+)$", TEXT, re.MULTILINE)
    assert shown == [each.name for each in program_passes()]


waves = update.load("docs/waves.py").waves


def test_the_function_carried_through_has_the_right_gradient():
    args = np.random.default_rng(0).standard_normal(9), 0.2, 3
    check_gradient(waves, sourcediff.grad(waves, mode="compiled")(*args), args)


def linear(u, c, steps):
    u = u.copy()
    for k in range(steps):
        u[1:-1] += c * (u[2:] + u[:-2])
    return np.sum(u)


def test_a_loop_that_is_linear_in_its_arrays_saves_nothing():
    text = sourcediff.gradient_source(linear, args=(np.ones(9), 0.1, 3))
    assert "append" not in text and "saved" not in text


def test_of_the_function_carried_through_the_argument_of_the_sine_is_saved_and_nothing_else():
    text = sourcediff.gradient_source(waves, args=(np.ones(9), 0.2, 3))
    assert set(re.findall(r"(\w+)_saved", text)) == {"t2"}
    assert re.search(r"t2 = u\[2:\] - u\[:-2\]", text) and "sum_to" not in text


def test_arrays_of_another_length_use_the_same_text():
    before = sourcediff.cache.info().misses
    gradient = sourcediff.grad(linear, mode="compiled")
    for length in (7, 8, 9):
        gradient(np.ones(length), 0.1, 3)
    assert sourcediff.cache.info().misses <= before + 1


def added(x, b):
    return np.sum(np.exp(x + b))


def test_a_sum_is_written_only_where_something_may_have_been_broadcast():
    general = sourcediff.gradient_source(added)
    same = sourcediff.gradient_source(added, args=(np.ones((2, 3)), np.ones((2, 3))))
    assert "sum_to" in general and "sum" not in same.replace("np.sum(np.exp", "")
