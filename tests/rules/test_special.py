"""SciPy's functions: loaded when they are met, in both engines, and absent without SciPy."""

import math
import os
import subprocess
import sys

import numpy as np
import pytest

import sourcediff

from ..eager.numbers import differences

special = pytest.importorskip("scipy.special", reason="SciPy is not installed")
linalg = pytest.importorskip("scipy.linalg", reason="SciPy is not installed")

X = np.array([0.3, 0.5, 0.7, 1.2])


def logistic_density(x):
    return np.sum(special.xlogy(X, special.expit(x)) + special.log_ndtr(x) - special.logsumexp(x))


def gamma_density(x):
    return np.sum((x - 1) * np.log(X) - special.gammaln(x)) + special.betaln(x[0], x[1]) + math.erf(x[2]) * math.lgamma(x[3])


def attention(x):
    weights = special.softmax(np.outer(x, x), axis=1)
    return np.sum(weights @ x) + np.sum(special.log_softmax(x) * X)


def normal_equations(x):
    a = np.outer(x, x) + 3.0 * np.eye(4)
    return np.sum(linalg.solve(a, x)) + linalg.det(a) * linalg.norm(linalg.inv(a)) + np.sum(special.j0(x) * special.i1(x))


@pytest.mark.parametrize("mode", ["eager", "compiled"])
@pytest.mark.parametrize("f", [logistic_density, gamma_density, attention, normal_equations], ids=lambda f: f.__name__)
def test_programs(f, mode):
    value, gradient = sourcediff.value_and_grad(f, mode=mode)(X.copy())
    assert value == f(X)
    np.testing.assert_allclose(gradient, differences(f, X)[0], rtol=1e-6, atol=1e-7)


def test_a_saved_gradient_imports_scipy_and_nothing_of_ours(tmp_path):
    path = tmp_path / "saved.py"
    sourcediff.save_gradient(attention, str(path), args=(X,))
    text = path.read_text()
    assert "scipy" in text and "import sourcediff" not in text and "from sourcediff" not in text
    code = f"import sys, numpy as np; sys.path.insert(0, {str(tmp_path)!r}); import saved; print(saved.__dict__.keys())"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_scipy_is_not_imported_before_it_is_met():
    code = (
        "import sys, numpy as np, sourcediff\n"
        "sourcediff.grad(lambda x: np.sum(np.sin(x)), mode='eager')(np.ones(2))\n"
        "print('scipy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=os.environ)
    assert done.stdout.strip() == "False"


def test_its_ufuncs_are_met_which_do_not_say_where_they_are_from():
    code = "import scipy.special; from sourcediff.rules import rule_for; print(rule_for(scipy.special.gammaln).kind)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=os.environ)
    assert done.stdout.strip() == "elementwise"


@pytest.mark.parametrize("call", [
    lambda x: np.sum(special.jv(x, 1.0)),  # no derivative by the order
    lambda x: np.sum(special.airye(x)[0]),
    lambda x: np.sum(linalg.null_space(np.outer(x, x))),
])
def test_the_rest_is_refused_by_name(call):
    with pytest.raises(sourcediff.errors.SourcediffError) as caught:
        sourcediff.grad(call, mode="eager")(X.copy())
    assert any(name in str(caught.value) for name in ("jv", "airye", "null_space"))
