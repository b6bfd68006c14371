"""A regression of scikit-learn's with a loss, and a model, of one's own: ``sourcediff.interop.sklearn.LossRegressor``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from .scipy import minimize


def squared(prediction: Any, y: Any) -> Any:
    """Half the mean squared error.

    >>> squared(np.array([1.0, 3.0]), np.array([1.0, 1.0]))
    np.float64(1.0)
    """
    return 0.5 * np.mean((prediction - y) ** 2)


def linear(parameters: Any, X: Any) -> Any:
    """A linear model.

    >>> linear({"coef": np.array([2.0]), "intercept": 1.0}, np.array([[3.0]]))
    array([7.])
    """
    return X @ parameters["coef"] + parameters["intercept"]


def zeros(X: Any, y: Any) -> dict[str, Any]:
    """The parameters from which the fit of a linear model begins: no slope, and the mean.

    >>> zeros(np.ones((2, 3)), np.array([1.0, 3.0]))
    {'coef': array([0., 0., 0.]), 'intercept': 2.0}
    """
    return {"coef": np.zeros(X.shape[1]), "intercept": float(np.mean(y))}


class LossRegressor(RegressorMixin, BaseEstimator):
    """A regression that minimises a loss written in NumPy, by SciPy's optimisers with the gradient that is generated for it.

    ``loss(prediction, y)`` is a number (the squared error, if left out). ``model(parameters, X)`` is the prediction, of shape
    ``(n_samples,)``, and ``start(X, y)`` gives the parameters to begin with, a structure as :func:`sourcediff.ravel` takes it; they go
    together, and are those of a linear model, if left out. ``penalty(parameters)`` is added to the loss. ``method``, ``tol`` and
    ``max_iter`` are the optimiser's.

    Fitted, it has ``parameters_`` in the structure of ``start``, ``coef_`` and ``intercept_`` of a linear model, ``loss_``, ``n_iter_`` and
    ``result_``, which is SciPy's. ``X`` and ``y`` are what scikit-learn takes, made float64 (float32 stays).

    ``fit`` raises ValueError as scikit-learn's do for wrong data, NonDifferentiableError and others as :func:`sourcediff.grad` does.

    >>> def huber(prediction, y):
    ...     r = np.abs(prediction - y)
    ...     return np.mean(np.where(r < 1, 0.5 * r ** 2, r - 0.5))
    >>> X = np.arange(10.0).reshape(-1, 1)
    >>> y = 3 * X[:, 0] + 1
    >>> y[9] = 1000.0  # an outlier
    >>> fitted = LossRegressor(huber).fit(X, y)
    >>> fitted.predict([[20.0]]).round(1)
    array([62.4])
    """

    def __init__(
        self, loss: Callable[..., Any] | None = None, *, model: Callable[..., Any] | None = None, start: Callable[..., Any] | None = None,
        penalty: Callable[..., Any] | None = None, method: str = "L-BFGS-B", tol: float = 1e-8, max_iter: int = 1000,
    ):
        self.loss = loss
        self.model = model
        self.start = start
        self.penalty = penalty
        self.method = method
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any) -> LossRegressor:
        """Find the parameters."""
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32], y_numeric=True)
        y = y.astype(X.dtype, copy=False)
        if self.model is not None and self.start is None:
            raise ValueError("a model of one's own needs start=, which gives its parameters to begin with")
        start, model, loss, penalty = self.start or zeros, self.model or linear, self.loss or squared, self.penalty or nothing
        options = {"maxiter": self.max_iter}
        self.result_ = minimize(
            objective, start(X, y), (X, y, model, loss, penalty), method=self.method, tol=self.tol, options=options)
        self.parameters_ = self.result_.x
        self.loss_, self.n_iter_ = self.result_.fun, max(1, int(self.result_.get("nit", 1)))
        if self.model is None and self.start is None:
            self.coef_, self.intercept_ = self.parameters_["coef"], self.parameters_["intercept"]
        return self

    def predict(self, X: Any) -> Any:
        """The predictions of the model, of shape ``(n_samples,)``."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        return (self.model or linear)(self.parameters_, X)


def objective(parameters: Any, X: Any, y: Any, model: Callable[..., Any], loss: Callable[..., Any], penalty: Callable[..., Any]) -> Any:
    """What is minimised."""
    return loss(model(parameters, X), y) + penalty(parameters)


def nothing(parameters: Any) -> float:
    """No penalty."""
    return 0.0
