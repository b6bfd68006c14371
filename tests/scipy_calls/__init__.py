"""Calls of SciPy as people write them: small plain functions in the manner of its tutorials and docstrings, by package.

They are the measure of how much of SciPy has a derivative, listed before its rules were written, when 80 of these 312 were right under
``auto`` and 24 compiled. ``python -m tests.scipy_calls`` prints where they stand today; the bar is 94 % under ``auto``, 86 % compiled.
"""

from __future__ import annotations

from importlib import import_module

from .call import CALLS

__all__ = ["CALLS", "HELD", "PACKAGES"]

PACKAGES = ("sparse", "linalg", "integrate", "optimize", "interpolate", "signal", "ndimage", "fft", "special", "stats", "spatial")

HELD = ("auto", "compiled")
"""The modes in which what is right has to stay right."""

for _package in PACKAGES:
    import_module(f"{__name__}.{_package}")
