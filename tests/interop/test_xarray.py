"""Labels in, labels out."""

from __future__ import annotations

import numpy as np
import pytest

xarray = pytest.importorskip("xarray", reason="xarray is not installed: pip install 'sourcediff[xarray]'")

import sourcediff  # noqa: E402
from sourcediff import NonDifferentiableError  # noqa: E402
from sourcediff.interop.xarray import function, grad, jacobian, value_and_grad  # noqa: E402

U = xarray.DataArray(
    np.arange(6.0).reshape(2, 3), dims=("time", "x"), name="u", attrs={"units": "K"},
    coords={"time": np.array(["2024-01-01", "2024-01-02"], "datetime64[ns]"), "x": [10, 20, 30], "depth": ("x", [1.0, 2.0, 4.0]), "run": 7},
)
W = xarray.DataArray([1.0, 2.0, 3.0], dims="x", coords={"x": [10, 20, 30]})


def energy(u, w):
    return np.sum((u * w) ** 2)


def weighted(u, w, scale=1.0):
    return scale * (u @ w)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_a_gradient_has_the_labels_of_its_argument(mode):
    found = grad(energy, mode=mode)(U, W)
    xarray.testing.assert_equal(found, (2 * U * W ** 2).transpose("time", "x"))
    assert found.name == "u" and not found.attrs and found.coords.keys() == U.coords.keys()
    value, (of_u, of_w) = value_and_grad(energy, ("u", 1))(U, w=W)
    assert value == energy(U.values, W.values)
    xarray.testing.assert_identical(of_u, found)
    xarray.testing.assert_allclose(of_w, (2 * U ** 2 * W).sum("time").drop_vars(["run", "depth"]))
    np.testing.assert_array_equal(grad(energy, mode=mode)(U.values, W), found.values)  # no labels, none


def test_datasets_are_dicts():
    data = xarray.Dataset({"u": U, "w": W})
    found = grad(lambda d: np.sum((d["u"] * d["w"]) ** 2))(data)
    assert isinstance(found, xarray.Dataset)
    xarray.testing.assert_equal(found["u"], grad(energy)(U, W))
    xarray.testing.assert_equal(found["w"].drop_vars(["depth", "run"]), grad(energy, 1)(U, W))
    with pytest.raises(NonDifferentiableError, match="an array of int"):
        grad(lambda d: np.sum(d["u"] * d["k"]))(data.assign(k=("x", [1, 2, 3])))
    nested = grad(lambda p: np.sum(p["a"] * p["rest"][0]) * p["b"])({"a": U, "rest": (W,), "b": 2.0})
    assert isinstance(nested["b"], float) and nested["rest"][0].dims == ("x",) and nested["a"].name == "u"


def test_jacobians():
    found = jacobian(weighted, 0, ["time"])(U, W)
    assert found.dims == ("time", "time_wrt", "x") and found.name == "u"
    np.testing.assert_array_equal(found.sel(time="2024-01-02", time_wrt="2024-01-02"), W)
    np.testing.assert_array_equal(found.values, sourcediff.jacobian(weighted)(U.values, W.values))
    of_w = jacobian(weighted, "w", ["time"])(U, W, scale=2.0)
    xarray.testing.assert_equal(of_w.drop_vars("depth", errors="ignore"), (2 * U).drop_vars(["depth", "run"]))
    of_data = jacobian(lambda d: d["u"] @ d["w"], 0, ["time"])(xarray.Dataset({"u": U, "w": W}))
    assert of_data["u"].dims == ("time", "time_wrt", "x") and of_data["w"].dims == ("time", "x")
    assert jacobian(energy)(U, W).dims == ("time", "x")


def test_values():
    found = function(weighted, ["time"])(U, W)
    xarray.testing.assert_equal(found, U.dot(W, "x").drop_vars("run"))
    assert isinstance(function(energy)(U, W), float)
    for out in (["x"], [], ["time", "x"]):
        with pytest.raises(ValueError, match=r"out names|has the length 2 along x"):
            function(weighted, out)(U, W)


def test_nothing_is_mixed_up():
    other = W.assign_coords(x=[30, 20, 10])
    for made in (grad(energy), function(weighted, ["time"]), jacobian(weighted, 0, ["time"])):
        with pytest.raises(ValueError, match="cannot align"):
            made(U, other)
    turned = grad(energy, dims={"u": ("time", "x")})(U.transpose("x", "time"), W)
    assert turned.dims == ("x", "time")
    xarray.testing.assert_equal(turned.transpose("time", "x"), grad(energy)(U, W))
    xarray.testing.assert_equal(function(weighted, ["time"], {"u": ("time", "x")})(U.T, W), function(weighted, ["time"])(U, W))
    with pytest.raises(ValueError, match="Dimensions"):
        grad(energy, dims={"u": ("time", "z")})(U, W)
