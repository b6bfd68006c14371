"""Every rule of the table, on every sample."""

from __future__ import annotations

import pytest

from sourcediff.rules import RULES, Rule

from .checker import check_rule, on_each
from .samples import COMPLEX, SAMPLES


@pytest.mark.parametrize("rule", [RULES[function] for function in SAMPLES], ids=lambda rule: rule.name)
def test_rule(rule: Rule) -> None:
    on_each(lambda sample: check_rule(rule, sample), SAMPLES[rule.function])


def test_every_rule_has_a_sample() -> None:
    tried = {*SAMPLES, *COMPLEX}  # methods of objects of libraries are tried in tests/test_records.py
    without = [rule.name for function, rule in RULES.items() if rule.differentiable and function not in tried and not rule.of_method]
    assert not without, "these have a rule, but no sample in samples.py"
