"""scikit-learn's regressor with a loss of one's own."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed: pip install 'sourcediff[sklearn]'")

from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from sourcediff.interop.sklearn import LossRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = X @ [1.0, -2.0, 0.5] + 3.0 + 0.1 * RNG.normal(size=60)


def huber(prediction, y):
    r = np.abs(prediction - y)
    return np.mean(np.where(r < 0.5, r ** 2, r - 0.25))


def ridge(parameters):
    return 0.5 / 60 * np.sum(parameters["coef"] ** 2)


def bump(p, X):
    return p["size"] * np.exp(-np.sum((X - p["centre"]) ** 2, axis=1) / p["width"] ** 2)


def start(X, y):
    return {"size": 1.0, "centre": np.zeros(X.shape[1]), "width": 2.0}


@pytest.mark.parametrize("loss", [None, huber])
def test_it_is_an_estimator(loss):
    for check in check_estimator(LossRegressor(loss), on_fail=None, on_skip=None):
        skipped = check["check_name"] == "check_array_api_input" and check["status"] == "skipped"  # asked for by SCIPY_ARRAY_API
        assert skipped or check["status"] == "passed", (check["check_name"], check["exception"])


def test_it_finds_what_others_find():
    ours, theirs = LossRegressor().fit(X, Y), LinearRegression().fit(X, Y)
    np.testing.assert_allclose([*ours.coef_, ours.intercept_], [*theirs.coef_, theirs.intercept_], rtol=1e-5)
    shrunk = LossRegressor(penalty=ridge).fit(X, Y)
    np.testing.assert_allclose(shrunk.coef_, Ridge(alpha=1.0).fit(X, Y).coef_, rtol=1e-5)
    assert shrunk.loss_ > ours.loss_ and ours.n_iter_ > 1 and ours.result_.success
    outlying = np.where(np.arange(60) == 7, 1000.0, Y)
    np.testing.assert_allclose(LossRegressor(huber).fit(X, outlying).coef_, theirs.coef_, atol=0.1)


def test_a_model_of_ones_own():
    y = bump({"size": 2.0, "centre": np.array([0.5, 0.0, -0.5]), "width": 1.5}, X)
    fitted = LossRegressor(model=bump, start=start).fit(X, y)
    np.testing.assert_allclose(fitted.parameters_["centre"], [0.5, 0.0, -0.5], atol=1e-3)
    assert fitted.score(X, y) > 0.9999 and not hasattr(fitted, "coef_")
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict(X), fitted.predict(X))
    with pytest.raises(ValueError, match="start="):
        LossRegressor(model=bump).fit(X, y)


def test_among_others():
    pipeline = make_pipeline(StandardScaler(), LossRegressor(huber))
    assert cross_val_score(pipeline, X, Y, cv=3).min() > 0.98
    search = GridSearchCV(LossRegressor(), {"loss": [None, huber], "penalty": [None, ridge]}, cv=3).fit(X, Y)
    assert search.best_score_ > 0.98
