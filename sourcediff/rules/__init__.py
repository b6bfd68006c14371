"""Layer 2: the one table of derivative rules, by topic. Both engines read it; nothing else holds mathematics."""

from __future__ import annotations

from typing import Any

from . import (  # noqa: F401  (filling the table)
    composites,
    containers,
    creation,
    curves,
    elementwise,
    fourier,
    helpers,
    histograms,
    indexing,
    linalg,
    ordering,
    products,
    reductions,
    singular_values,
    spectra_helpers,
    structure,
)
from .frames import PARSERS, RULES, Rule, rule_for


def _formula(rule: Rule) -> Any:
    from .formula import Formula

    return Formula(rule)


def _pushforward(rule: Rule) -> Any:
    from .formula import Pushforward

    return Pushforward(rule)


def _scipy(package: str) -> bool:
    from .scipy import loaded

    return loaded(package)


PARSERS.update(formula=_formula, pushforward=_pushforward, scipy=_scipy)

__all__ = ["RULES", "Rule", "rule_for"]
