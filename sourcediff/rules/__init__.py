"""Layer 2: the one table of derivative rules, by topic. Both engines read it; nothing else holds mathematics."""

from __future__ import annotations

from . import (  # noqa: F401  (filling the table)
    containers,
    creation,
    curves,
    elementwise,
    fourier,
    helpers,
    indexing,
    linalg,
    ordering,
    products,
    reductions,
    structure,
)
from .frames import RULES, Rule, rule_for

__all__ = ["RULES", "Rule", "rule_for"]
