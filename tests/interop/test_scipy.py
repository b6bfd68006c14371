"""SciPy's optimisers and solvers with parameters and states of any structure."""

from __future__ import annotations

import collections
import dataclasses
from typing import Any

import numpy as np
import pytest

scipy_optimize = pytest.importorskip("scipy.optimize", reason="SciPy is not installed: pip install 'sourcediff[scipy]'")

from scipy.integrate import solve_ivp as plain_solve_ivp  # noqa: E402

import sourcediff  # noqa: E402
from sourcediff.api.prepared import Prepared  # noqa: E402
from sourcediff.interop.scipy import least_squares, minimize, solve_ivp  # noqa: E402

RNG = np.random.default_rng(0)
DATA = RNG.normal(size=(40, 3))
TRUE = np.array([1.0, -2.0, 3.0])
Y = DATA @ TRUE + 0.5
Tuple = collections.namedtuple("Tuple", "w b")


@dataclasses.dataclass
class Plane:
    w: np.ndarray
    b: float
    power: int = 2
    name: str = "plane"


def of_object(p, data, y):
    return np.mean((data @ p.w + p.b - y) ** p.power)


def of_dict(p, data, y):
    return np.mean((data @ p["w"] + p["b"] - y) ** p["power"])


def of_tuple(p, data, y):
    return np.mean((data @ p[0] + p[1] - y) ** 2)


def of_vector(p, data, y):
    return np.mean((data @ p[:3] + p[3] - y) ** 2)


STARTS: dict[str, Any] = {
    "dataclass": (of_object, Plane(np.zeros(3), 0.0)),
    "dict": (of_dict, {"w": np.zeros(3), "b": 0.0, "power": 2}),
    "named tuple": (of_tuple, Tuple(np.zeros(3), 0.0)),
    "list": (of_tuple, [np.zeros(3), 0.0]),
    "vector": (of_vector, np.zeros(4)),
}
METHODS = ["BFGS", "L-BFGS-B", "CG", "Newton-CG", "trust-ncg", "trust-krylov", "trust-constr", "trust-exact", "SLSQP", "Powell", None]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", STARTS)
def test_minimize(name: str, method: str | None) -> None:
    f, start = STARTS[name]
    result = minimize(f, start, (DATA, Y), method=method, tol=1e-8)
    assert type(result.x) is type(start)
    np.testing.assert_allclose(result.vector, [*TRUE, 0.5], rtol=1e-3)
    np.testing.assert_array_equal(sourcediff.ravel(result.x)[0], result.vector)
    assert result.fun == pytest.approx(f(result.x, DATA, Y))
    if name == "dataclass":
        assert result.x.name == "plane" and result.x.power == 2
        if "jac" in result and method != "trust-constr":
            assert isinstance(result.jac, Plane)


def test_the_gradient_is_exact_and_the_problem_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    f, start = STARTS["dict"]
    exact = minimize(f, start, (DATA, Y), method="BFGS")
    rough = scipy_optimize.minimize(lambda v: of_vector(v, DATA, Y), np.zeros(4), method="BFGS")
    assert exact.nfev < rough.nfev / 3

    def refused(*_: Any) -> None:
        raise AssertionError("nothing is compiled for a start of the same layout")

    monkeypatch.setattr("sourcediff.compiler.pipeline.compile_gradient", refused)
    monkeypatch.setattr("sourcediff.dispatch.dispatcher.Dispatcher.entry", refused)
    minimize(f, {**start, "b": 2.0}, (DATA, Y), method="BFGS")


def test_products_with_the_hessian_come_from_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    def quartic(p):
        return np.sum((p["a"] - 1) ** 4) + np.sum(p["a"] * p["b"]) ** 2 + (p["b"] + 2) ** 2

    calls: list[Any] = []
    forward = Prepared.forward
    monkeypatch.setattr(Prepared, "forward", lambda self, *args: calls.append(1) or forward(self, *args))
    result = minimize(quartic, {"a": np.arange(4.0), "b": 1.0}, method="trust-ncg", tol=1e-6)
    assert result.success and result.nhev > len(calls) > 0  # several products at a point
    same = scipy_optimize.minimize(lambda v: quartic({"a": v[:4], "b": v[4]}), [*np.arange(4.0), 1.0], method="BFGS")
    assert result.fun == pytest.approx(same.fun, rel=1e-5)


def test_bounds() -> None:
    f, start = STARTS["dict"]
    for bounds, low, high in (
        (({"w": 0.0, "b": None}, None), 0.0, np.inf), ((None, {"w": np.array([0.5, 5.0, 5.0]), "b": 0.1}), -np.inf, 0.5),
        ((-0.25, 0.25), -0.25, 0.25), (scipy_optimize.Bounds(-1.0, 1.0), -1.0, 1.0),
    ):
        result = minimize(f, start, (DATA, Y), bounds=bounds)
        assert result.success and np.all(result.vector[0] >= low) and np.all(result.vector[0] <= high)
    with pytest.raises(KeyError, match="bounds for 'c'"):
        minimize(f, start, (DATA, Y), bounds=({"c": 0.0}, None))
    planes = Plane(np.zeros(3), 0.0), Plane(2.0, 1.0)  # type: ignore[arg-type]
    result = minimize(of_object, Plane(np.ones(3), 0.5), (DATA, Y), bounds=planes)
    assert result.x.w[1] == 0.0 and result.x.w[2] <= 2.0


@pytest.mark.filterwarnings("ignore:delta_grad == 0.0:UserWarning")  # SciPy, of the constraint that is linear
@pytest.mark.parametrize("method", ["SLSQP", "trust-constr", "COBYLA"])
def test_constraints(method: str) -> None:
    f, start = STARTS["dataclass"]
    kinds: list[Any] = [{"type": "ineq" if method == "COBYLA" else "eq", "fun": lambda p, s: s - np.sum(p.w) - p.b, "args": (1.0,)}]
    if method != "COBYLA":
        kinds.append(scipy_optimize.NonlinearConstraint(lambda p: np.sum(p.w ** 2) + p.b, -np.inf, 4.0))
    result = minimize(f, start, (DATA, Y), method=method, constraints=kinds, options={"maxiter": 2000})
    assert np.sum(result.x.w) + result.x.b == pytest.approx(1.0, abs=1e-3)
    if method != "COBYLA":
        assert np.sum(result.x.w ** 2) + result.x.b == pytest.approx(4.0, abs=1e-3)


def test_callbacks_get_parameters() -> None:
    f, start = STARTS["dataclass"]
    seen: list[Any] = []
    minimize(f, start, (DATA, Y), method="BFGS", callback=seen.append)
    assert len(seen) > 1 and all(isinstance(one, Plane) for one in seen)


def test_least_squares() -> None:
    def misfit(p, y):
        return {"data": DATA @ p.w + p.b - y, "prior": np.array([[0.0 * p.b]])}["data"].reshape(8, 5)

    result = least_squares(misfit, Plane(np.zeros(3), 0.0), (Y,))
    np.testing.assert_allclose(result.x.w, TRUE)
    assert result.nfev < 5 and result.x.name == "plane"
    bounded = least_squares(misfit, Plane(np.zeros(3), 0.0), (Y,), bounds=(Plane(0.0, -1.0), None))  # type: ignore[arg-type]
    assert bounded.x.w[1] == pytest.approx(0.0, abs=1e-6)

    def chain(v):
        return np.concatenate([v[1:] - 0.5 * v[:-1] ** 2, v[:1] - 1.5])

    dense, sparse = least_squares(chain, np.full(30, 0.5)), least_squares(chain, np.full(30, 0.5), sparsity="detect")
    np.testing.assert_allclose(dense.x, sparse.x, atol=1e-6)
    assert scipy_optimize.OptimizeResult and hasattr(sparse.jac, "toarray") and not hasattr(dense.jac, "toarray")


@dataclasses.dataclass
class Rates:
    fast: float
    slow: float


@dataclasses.dataclass
class State:
    a: np.ndarray
    b: float


def of_states(t, s, k):
    rate = k.fast * s.a * s.b
    return State(-rate, np.sum(rate) - k.slow * s.b)


def of_dicts(t, s, k):
    rate = k["fast"] * s["a"] * s["b"]
    return {"a": -rate, "b": np.sum(rate) - k["slow"] * s["b"]}


def of_vectors(t, s, k):
    rate = k["fast"] * s[:2] * s[2]
    return np.append(-rate, np.sum(rate) - k["slow"] * s[2])


A = np.array([1.0, 0.5])
SYSTEMS: dict[str, Any] = {
    "dataclass": (of_states, State(A, 0.1), Rates(100.0, 1.0), lambda s: s.b),
    "dict": (of_dicts, {"a": A, "b": 0.1}, {"fast": 100.0, "slow": 1.0}, lambda s: s["b"]),
    "vector": (of_vectors, np.append(A, 0.1), {"fast": 100.0, "slow": 1.0}, lambda s: s[2]),
}


@pytest.mark.parametrize("method", ["Radau", "BDF", "LSODA", "RK45"])
@pytest.mark.parametrize("name", SYSTEMS)
def test_solve_ivp(name: str, method: str) -> None:
    f, start, k, b_of = SYSTEMS[name]

    def half(t, s, k):
        return b_of(s) - 0.5

    half.terminal = 2  # type: ignore[attr-defined]
    found = solve_ivp(f, (0, 2), start, method, (k,), events=half, dense_output=True, rtol=1e-6, atol=1e-9)
    wanted = plain_solve_ivp(of_vectors, (0, 2), np.append(A, 0.1), method, args=({"fast": 100.0, "slow": 1.0},),
                             events=lambda t, s, k: s[2] - 0.5, rtol=1e-6, atol=1e-9)
    assert found.status == 1 and len(found.t_events[0]) == 2
    np.testing.assert_allclose(found.t_events[0], wanted.t_events[0], rtol=1e-4)
    at = found.t[-1]
    last, dense, event = (found.y[:, -1], found.sol(at), found.y_events[0][1]) if name == "vector" else (
        found.y[-1], found.sol(at), found.y_events[0][1])
    for state in (last, dense, event):
        assert type(state) is type(start)
        assert b_of(state) == pytest.approx(0.5, abs=1e-5)
    if method in ("Radau", "BDF"):
        assert found.njev > 0 and found.nfev < wanted.nfev  # no differences
