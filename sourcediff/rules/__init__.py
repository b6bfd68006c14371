"""Layer 2: the one table of derivative rules, by topic. Both engines read it; nothing else holds mathematics."""

from __future__ import annotations

from . import creation, elementwise, helpers, indexing, linalg, products, reductions, structure  # noqa: F401  (filling the table)
from .frames import RULES, Rule, rule_for

__all__ = ["RULES", "Rule", "rule_for"]
