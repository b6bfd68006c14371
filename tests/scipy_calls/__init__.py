"""Calls of SciPy as people write them: small plain functions in the manner of its tutorials and docstrings, by package.

They are the measure of how much of SciPy has a derivative, listed before there were rules. ``python -m tests.scipy_calls`` prints it.
"""

from __future__ import annotations

from importlib import import_module

from .call import CALLS

__all__ = ["CALLS", "PACKAGES"]

PACKAGES = ("sparse", "linalg", "integrate", "optimize", "interpolate", "signal", "ndimage", "fft", "special", "stats", "spatial")

for _package in PACKAGES:
    import_module(f"{__name__}.{_package}")
