"""Every rule of the table, on some of its first samples, through compiled forward mode: functions that make one call each."""

from __future__ import annotations

import importlib.util
import itertools
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff.checks.numeric import compare
from sourcediff.rules import RULES
from sourcediff.rules.modes import pushforward
from sourcediff.runtime.trees import leaves

from ..sampling import chosen, name_of, sampled
from .checker import Trial, is_active, on_each
from .samples import SAMPLES, Sample

HEAD = """
import math, operator
import numpy as np
import scipy.linalg, scipy.special
from numpy import array, inf, nan
from sourcediff.runtime.arrays import *
from sourcediff.runtime.zero_lengths import of_length, of_tangent, uncrossed, unmoved
from sourcediff.runtime.equal_spectra import *
from sourcediff.runtime.structures import *
"""


def written(name: str, spelled: str, sample: Sample) -> tuple[str, list[Any]]:
    """A function of the sample's arrays and floats that makes its call, as text, and these arguments."""
    given: list[Any] = []

    def operand(value: Any) -> str:
        if isinstance(value, (float, np.ndarray, np.generic)) or is_active(value):
            given.append(value)
            return f"a{len(given) - 1}"
        return value.__name__ if isinstance(value, type) and value.__module__ == "builtins" else repr(value)

    parts = [operand(value) for value in sample.args] + [f"{key}={operand(value)}" for key, value in sample.kwargs.items()]
    called = f"{parts[0]}[{parts[1]}]" if spelled == "operator.getitem" else f"{spelled}({', '.join(parts)})"
    return f"\n\ndef {name}({', '.join(f'a{i}' for i in range(len(given)))}):\n    return {called}\n", given


def literal(sample: Sample) -> bool:
    """Whether what is not differentiated can be written into a program."""
    return all(is_active(value) or not isinstance(value, np.dtype) and not re.search(r"<|\[slice", repr(value))
               for value in (*sample.args, *sample.kwargs.values()))


UNNAMED = "sourcediff.runtime.sparse", "sourcediff.runtime.incomplete", "sourcediff.rules"

CALLS = {
    rule: calls
    for function, samples in SAMPLES.items() if (rule := RULES[function]).kind != "constant" and rule.name != "complex"
    and not str(getattr(function, "__module__", "")).startswith(UNNAMED)  # which no program names
    if (calls := chosen(4, [
        (f"{re.sub(r'[^a-z0-9]', '_', rule.name.lower())}_{i}", sample)
        for i, sample in enumerate(samples[:5]) if literal(sample) and not sample.symmetric
    ], name=lambda call: call[0]))
}


@pytest.fixture(scope="module")
def functions(tmp_path_factory: pytest.TempPathFactory) -> Any:
    pytest.importorskip("scipy", reason="scipy is not installed: its functions are called here")
    path = tmp_path_factory.mktemp("forward") / "one_call_each.py"
    path.write_text(HEAD + "".join(written(name, rule.name, sample)[0] for rule, calls in CALLS.items() for name, sample in calls))
    spec = importlib.util.spec_from_file_location("one_call_each", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@sampled(2, "rule", CALLS, ids=name_of)
def test_the_compiled_tangent_is_the_pushforward(functions: Any, rule: Any) -> None:
    on_each(lambda call: check(functions, rule, *call), CALLS[rule])


def check(functions: Any, rule: Any, name: str, sample: Sample) -> None:
    function: Callable[..., Any] = getattr(functions, name)
    _, given = written(name, rule.name, sample)
    trial = Trial(rule, sample)
    if getattr(trial.z, "dtype", np.dtype(float)).kind in "iub":
        return  # an integer has no tangent
    places: dict[str, int] = {}
    for key in trial.wanted:
        places[key] = next(i for i, value in enumerate(given) if i not in places.values() and same(value, trial.bound[key]))
    for count in {1, len(places)}:
        for moving in itertools.combinations(places, count):
            tangents: list[Any] = [None] * len(given)
            for key in moving:
                tangents[places[key]] = trial.tangents[key]
            with np.errstate(all="ignore"):
                value, tangent = sourcediff.jvp(function, given, tangents, mode="compiled")
                expected = pushforward(rule, trial.z, trial.bound, {key: trial.tangents[key] for key in moving})
            if isinstance(trial.z, tuple):  # the rank that np.linalg.lstsq gives beside the solution
                expected = tuple(None if np.asarray(z).dtype.kind == "i" else dz for z, dz in zip(trial.z, expected))
            compare(tangent, expected, rtol=1e-11, atol=1e-11, what=f"the tangent for {', '.join(moving)}:")
            compare(value, trial.z, rtol=1e-13, what="the value")


def same(one: Any, other: Any) -> bool:
    """Whether two arguments are one and the same, in every number."""
    mine, theirs = list(leaves(one)), list(leaves(other))
    return len(mine) == len(theirs) and all(a is b or np.array_equal(a, b, equal_nan=True) for (_, a), (_, b) in zip(mine, theirs))
