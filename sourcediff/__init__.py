"""sourcediff: gradients of plain NumPy functions, as source that you can read.

>>> import numpy as np, sourcediff
>>> @sourcediff.grad
... def energy(x):
...     return np.sum(x ** 2)
>>> energy(np.array([1.0, 2.0]))
array([2., 4.])
"""

from . import autograd, checks, extend  # noqa: F401  (the checks tell the calls of themselves)
from .api.batched import batched
from .api.checking import check_grads, check_rule, cross_check
from .api.gradients import explain, grad, gradient_source, save_gradient, value_and_grad
from .api.implicit import implicit
from .api.prepared import prepared
from .api.ravel import ravel
from .api.supported import supported
from .api.transforms import elementwise_grad, hessian, hvp, jacobian, jvp, vjp
from .dispatch import cache
from .eager import Function, Variable, cat, detect_anomaly, enable_grad, graph, no_grad, stack
from .eager.engine.stop_gradient import stop_gradient
from .errors import (
    AliasingError,
    AnomalyError,
    ComplexError,
    CrossCheckError,
    DeviceWarning,
    FallbackWarning,
    GraphFreedError,
    InPlaceError,
    InternalError,
    MissingRuleError,
    NonDifferentiableError,
    RuleError,
    SourcediffError,
    SourceUnavailableError,
    UnknownParameterError,
    UnsupportedSyntaxError,
)
from .version import __version__

__all__ = [
    "AliasingError", "AnomalyError", "ComplexError", "CrossCheckError", "DeviceWarning", "FallbackWarning", "Function", "GraphFreedError",
    "InPlaceError", "InternalError", "MissingRuleError", "NonDifferentiableError", "RuleError", "SourceUnavailableError", "SourcediffError",
    "UnknownParameterError", "UnsupportedSyntaxError", "Variable", "__version__", "autograd", "batched", "cache", "cat", "check_grads",
    "check_rule", "cross_check", "detect_anomaly", "elementwise_grad", "enable_grad", "explain", "extend", "grad", "gradient_source",
    "graph", "hessian", "hvp", "implicit", "jacobian", "jvp", "no_grad", "prepared", "ravel", "save_gradient", "stack",
    "stop_gradient", "supported", "value_and_grad", "vjp",
]


def __dir__() -> list[str]:
    return __all__
