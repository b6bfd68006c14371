"""Every rule of the table, on every sample."""

from __future__ import annotations

import pytest

from sourcediff.rules import RULES

from .checker import check_rule
from .samples import COMPLEX, SAMPLES

DIFFERENTIABLE = [rule for rule in RULES.values() if rule.kind != "constant"]
CASES = [
    pytest.param(RULES[function], sample, id=f"{RULES[function].name}-{i}")
    for function, samples in SAMPLES.items() for i, sample in enumerate(samples)
]


@pytest.mark.parametrize("rule, sample", CASES)
def test_rule(rule, sample):
    check_rule(rule, sample)


@pytest.mark.parametrize("rule", DIFFERENTIABLE, ids=lambda rule: rule.name)
def test_every_rule_has_a_sample(rule):
    assert SAMPLES.get(rule.function) or COMPLEX.get(rule.function), f"{rule.name} has a rule, but no sample in samples.py"
