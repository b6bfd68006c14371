"""Dicts of numbers beside objects in a dict that is differentiated: the patch of a synthesiser."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError

X = np.array([1.2, 0.8, 2.5, 0.4, 0.6, 1.5, 0.9, 1.1])
T = np.linspace(0, 1, 5)


@dataclass
class Envelope:
    amplitude: float
    decay: float

    def at(self, t):
        return self.amplitude * np.exp(-t / self.decay)


class Voice:
    def __init__(self, vibrato, envelope):
        self.vibrato, self.envelope = vibrato, envelope

    def render(self, t):
        rate, depth = self.vibrato["rate"], self.vibrato["depth"]
        return self.envelope.at(t) * np.sin(rate * t) * depth


def patch_of(x):
    return {
        "envelope": Envelope(x[0], x[1]), "vibrato": {"rate": x[2], "depth": x[3]}, "mix": np.array([x[4], 1.0]),
        "fm": {"index": x[5], "envelope": Envelope(x[6], 1.2)}, "gain": x[7],
    }


def numbers_of(patch):
    return [
        patch["envelope"].amplitude, patch["envelope"].decay, patch["vibrato"]["rate"], patch["vibrato"]["depth"], patch["mix"][0],
        patch["fm"]["index"], patch["fm"]["envelope"].amplitude, patch["gain"],
    ]


def two_voices(patch):
    first, second = Voice(patch["vibrato"], patch["envelope"]), Voice(patch["vibrato"], patch["fm"]["envelope"])
    return np.sum(patch["mix"][0] * first.render(T) + patch["mix"][1] * second.render(T * patch["fm"]["index"])) * patch["gain"]


def all_entries(patch):
    vibrato = patch["vibrato"]
    total = sum(vibrato[key] * (i + 1) for i, key in enumerate(sorted(vibrato)))
    return total * patch["envelope"].amplitude + sum(value ** 2 for value in patch["vibrato"].values())


def a_copy_that_changes(patch):
    other = dict(patch["vibrato"])
    other["rate"] = other["rate"] + patch["gain"]
    return other["rate"] * patch["vibrato"]["rate"] * patch["envelope"].amplitude


def what_is_in_it(patch):
    rate = patch["vibrato"]["rate"] if "rate" in patch["vibrato"] else 0.0
    return rate * patch["envelope"].decay + len(patch["vibrato"]) * patch["gain"] + patch["vibrato"].get("depth", 0.0)


def an_entry_that_changes(patch):
    patch["vibrato"]["rate"] = patch["vibrato"]["rate"] * 2
    return np.sum(Voice(patch["vibrato"], patch["envelope"]).render(T)) * patch["fm"]["index"]


def another_dict(patch):
    patch["vibrato"] = {"rate": patch["gain"], "depth": 2.0}
    return Voice(patch["vibrato"], patch["envelope"]).render(0.3)


def another_name(patch):
    first = patch["vibrato"]
    first["depth"] = first["depth"] ** 2
    second = patch["vibrato"]
    return second["depth"] * first["rate"] * patch["envelope"].decay


LEFT = [an_entry_that_changes, another_dict, another_name]


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("program", [two_voices, all_entries, a_copy_that_changes, what_is_in_it, *LEFT])
def test_gradients(program, mode):
    slope = sourcediff.grad(program, mode=mode)
    if program in LEFT and mode == "compiled":
        with pytest.raises(SourcediffError):
            slope(patch_of(X))
        return
    expected = [(program(patch_of(X + e)) - program(patch_of(X - e))) / 2e-6 for e in 1e-6 * np.eye(len(X))]
    np.testing.assert_allclose(np.array(numbers_of(slope(patch_of(X))), float), expected, rtol=1e-6, atol=1e-8)
