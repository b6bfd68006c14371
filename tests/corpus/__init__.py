"""A corpus of tiny plain functions, each with a maker of its arguments, grouped by subject.

The functions know nothing of sourcediff: they are NumPy as people write it. Every one returns a scalar. ``CASES`` lists them all.
"""

from __future__ import annotations

from importlib import import_module

from .case import REGISTERED, Case

GROUPS = (
    "straight", "broadcasting", "reductions", "products", "structure", "indexing", "branches", "loops", "carried", "whiles",
    "inplace", "algorithms", "aliases", "calls", "containers", "language", "found", "sciences", "exits", "spelled", "opaque",
    "objects", "shared", "handled", "stars", "lists", "stores", "views", "complexes", "kinds", "matrices", "recursion", "tuples",
    "entries", "shrinking", "dicts", "ordered", "walking", "queues", "tables", "mirrors", "differences", "reached",
    "factories", "assigned", "positions", "numbered", "parts", "pooled", "sequenced", "buffers", "iterators", "shaped", "asked",
    "falsely", "beside", "solvers", "chosen", "grouped", "seen", "taken",
)

for _group in GROUPS:
    import_module(f"{__name__}.{_group}")

CASES: tuple[Case, ...] = tuple(REGISTERED)
