"""Twins of the NumPy kernels by which compilers are measured (NPBench: Ziogas et al., ICS 2021), written anew from the mathematics.

They write into their arguments, as such kernels do; ``loss.py`` wraps each in a loss. Beside them stand twins of the small
functions of Tangent's tests (``small.py``). ``checkout.py`` does the same with a checkout of the originals.
"""

from __future__ import annotations

from importlib import import_module

from .kernel import KERNELS, Kernel

__all__ = ["GROUPS", "KERNELS", "Kernel"]

GROUPS = ("products", "solvers", "stencils", "flows", "learning", "programs", "spectra", "small")

for _group in GROUPS:
    import_module(f"{__name__}.{_group}")
