"""The doors to the checks of derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .gradients import Wrt


def cross_check(function: Callable[..., Any], *args: Any, wrt: Wrt = 0, **kwargs: Any) -> Any:
    """Compare the compiled gradient with the eager graph, intermediate by intermediate; see :mod:`sourcediff.checks.cross`.

    >>> import numpy as np
    >>> _ = cross_check(lambda x: np.sum(np.sin(x) * x), np.array([0.5, 1.0]))  # silent: they agree
    """
    from ..checks import cross

    return cross.cross_check(function, *args, wrt=wrt, **kwargs)


def check_rule(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Try the derivative rule of a function on one call, against numbers; see :mod:`sourcediff.checks.rule`.

    >>> import numpy as np
    >>> print(check_rule(np.tanh, np.array([0.5, -1.0])))
    the rule of np.tanh is right on this call: purity, shapes, linearity, both modes, numbers, Taylor slope, second order, float32
    """
    from ..checks import rule

    return rule.check_rule(function, *args, **kwargs)


def check_grads(function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Check a function's derivatives at these arguments against numbers, to second order; see :mod:`sourcediff.checks.gradients`.

    >>> import numpy as np
    >>> _ = check_grads(lambda x: np.sum(np.sin(x) * x), np.array([0.5, 1.0]))  # silent: they are right
    """
    from ..checks import gradients

    return gradients.check_grads(function, *args, **options)
