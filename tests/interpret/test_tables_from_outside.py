"""Tables of rows in the module: of numbers they stay loops, with words where writing them out is long or refused."""

from __future__ import annotations

import numpy as np
import pytest

import sourcediff

DIVIDENDS = [(0.12, 0.85), (0.37, 0.85), (0.62, 0.90), (0.87, 0.95)]
MEASURES = (("mask", 1.0, "*"), ("school", 2.0, ("north",)), ("travel", 3.0, "*"))
TARGETS = [("R", wave, "s") for wave in (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)]
TARGETS += [("T", wave, "p") for wave in (0.45, 0.55, 0.65, 0.75, 0.85, 0.95)]
SEASONS = {"winter": (90, 4.0), "summer": (92, 17.0)}
X = np.array([0.3, 0.2, 0.7])


def present_value(t, expiry, rate):
    total = 0.0
    for time, amount in DIVIDENDS:
        if time < t:
            continue
        if time > expiry:
            break
        total += amount * np.exp(-rate * time)
    return total


def of_dividends(x):
    return sum(present_value(step * x[1], 0.9, x[0]) for step in range(4)) * x[2]


def of_measures(x):
    total, done = np.zeros(2), set()
    for day in range(5):
        for kind, start, where in MEASURES:
            if day < start * x[1] * 4:
                break
            for i, region in enumerate(("north", "south")):
                if region not in where and where != "*" or (region, kind) in done:
                    continue
                done.add((region, kind))
                total[i] -= x[0] * np.exp(-day * x[2])
    return np.sum(total * np.array([1.0, 2.0]))


def reflectance(wave, polarisation, x):
    if polarisation == "mean":
        return 0.5 * (reflectance(wave, "s", x) + reflectance(wave, "p", x))
    return x[0] * wave if polarisation == "s" else np.sin(x[1] * wave)


def of_targets(x):
    merit = 0.0
    for quantity, wave, polarisation in TARGETS:
        value = reflectance(wave, polarisation, x)
        value = value * x[2] if quantity == "R" else value + np.cos(wave * x[0])
        merit += (value - 0.1) ** 2
    return merit


def weather(season):
    hours = np.arange(0.0, 24.0, 4.0)
    return hours, SEASONS[season][1] + np.sin(hours)


def of_columns(x):
    total = 0.0
    for season, (days, *_) in SEASONS.items():
        inside = x[0]
        for hour, outside in zip(*weather(season)):
            inside = inside + x[1] * (outside - inside) * (1.0 if hour < 12 else 0.5)
        total += days * inside * x[2]
    return total


@pytest.mark.parametrize("f", [of_dividends, of_measures, of_targets, of_columns], ids=lambda f: f.__name__)
def test_rows_of_a_table(f):
    gradient = sourcediff.value_and_grad(f, mode="compiled")
    value, found = gradient(X)
    assert value == pytest.approx(f(X))
    np.testing.assert_allclose(found, [(f(X + d) - f(X - d)) / 2e-6 for d in 1e-6 * np.eye(3)], rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("f, loop", [(of_dividends, "in DIVIDENDS"), (of_targets, "in TARGETS")])
def test_the_table_is_a_loop_of_the_text(f, loop):
    gradient = sourcediff.grad(f, mode="compiled")
    gradient(X)
    assert loop in gradient.source


def test_other_rows_are_seen(monkeypatch):
    gradient = sourcediff.grad(of_dividends, mode="compiled")
    gradient(X)
    for rows in ([(0.1, 2.0)], [], [(0.5, 1.0), (0.7, 3.0)] * 5):
        monkeypatch.setattr(f"{__name__}.DIVIDENDS", rows)
        expected = [(of_dividends(X + d) - of_dividends(X - d)) / 2e-6 for d in 1e-6 * np.eye(3)]
        np.testing.assert_allclose(gradient(X), expected, rtol=1e-6, atol=1e-7)
