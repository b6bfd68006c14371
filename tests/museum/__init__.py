"""A museum: programs whose gradient another tool got wrong, as its users reported, one small plain function each.

The docstring of a function tells what went wrong there, the reference beside it where. They know nothing of sourcediff.
"""

from __future__ import annotations

from importlib import import_module

from .exhibit import EXHIBITS, Exhibit

__all__ = ["EXHIBITS", "ROOMS", "Exhibit"]

ROOMS = (
    "overwriting", "views", "leaving", "loops", "branches", "kinks", "powers", "selections", "indexing", "shapes", "calls", "complexes",
)

for _room in ROOMS:
    import_module(f"{__name__}.{_room}")
