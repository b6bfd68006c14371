"""Functions of NumPy's, of ``math`` and of ``cmath``, said by others that have rules, in plain NumPy Python: the compiler inlines their
text, the eager engine runs it.

A function that has a rule of its own is said so where the rule does not take the call: ``np.sum(x, where=mask)``.
"""

from __future__ import annotations

from . import (  # noqa: F401  (filling the table)
    complex_numbers,
    interpolation,
    joining,
    linalg,
    polynomial_objects,
    polynomials,
    reductions,
    splitting,
    standard_math,
    ufunc_methods,
    weighted,
)
