"""``ravel``: a structure as a vector, and back, with gradients through both."""

from __future__ import annotations

import collections
import dataclasses
import inspect
import types
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff import NonDifferentiableError, grad, ravel
from sourcediff.runtime.trees import leaves

Line = collections.namedtuple("Line", "w b")


@dataclasses.dataclass
class Layer:
    w: np.ndarray
    b: float
    name: str = "layer"


@dataclasses.dataclass
class Checked(Layer):
    size: int = dataclasses.field(default=3, init=False)

    def __post_init__(self) -> None:
        assert self.name, "it is made once"


class Slots:
    __slots__ = ("b", "more", "w")

    def __init__(self) -> None:
        self.w, self.b, self.more = np.ones(2), 2.0, [3]


class Records(collections.OrderedDict):  # type: ignore[type-arg]
    pass


W = np.arange(1.0, 5.0).reshape(2, 2)
STRUCTURES: dict[str, tuple[Any, Any, bool]] = {  # with a loss, and whether the compiler takes it
    "array": (W, lambda p: np.sum(p**2), True),
    "transposed": (W.T, lambda p: np.sum(p**2 * W), True),
    "number": (2.0, lambda p: p**2, True),
    "without dimensions": (np.array(3.0), lambda p: p * p, True),
    "dict": ({"w": W, "b": 0.5, 3: np.float64(2.0)}, lambda p: np.sum(p["w"]**2) * p["b"] * p[3], True),
    "named tuple": (Line(W, np.float64(2.0)), lambda p: np.sum(p.w**2) * p.b, True),
    "nested": ([0.5, [2.0, np.ones(3, np.float32)], ()], lambda p: p[0] * p[1][0] * np.sum(p[1][1]**2), True),
    "floats": ([float(k) for k in range(20)], lambda p: sum([x * x for x in p]), True),
    "tuple of floats": (tuple(float(k) for k in range(20)), lambda p: p[3] * p[4], True),
    "dataclass": (Layer(W, 0.5), lambda p: np.sum(p.w**2) * p.b, True),
    "with what is done at the start": (Checked(W, 0.5), lambda p: np.sum(p.w**2) * p.b, False),
    "dict of dataclasses": ({"a": Layer(W, 0.5), "b": Layer(W[0], 2.0, "second")}, lambda p: np.sum(p["a"].w @ p["b"].w) * p["a"].b, True),
    "list of objects": ([Layer(W, 0.5), Layer(W, 2.0)], lambda p: np.sum(p[0].w * p[1].w) * p[0].b, True),
    "namespace": (types.SimpleNamespace(w=W, b=0.5, what="x"), lambda p: np.sum(p.w**2) * p.b, False),
    "slots": (Slots(), lambda p: np.sum(p.w**2) * p.b, False),
    "ordered": (collections.OrderedDict(a=1.0, b=W), lambda p: np.sum(p["b"]) * p["a"]**2, False),
    "a dict of one's own": (Records(a=1.0, b=W), lambda p: np.sum(p["b"]) * p["a"]**2, False),
}


def same(one: Any, other: Any) -> None:
    for (path, a), (there, b) in zip(leaves(one), leaves(other), strict=True):
        assert path == there and type(a) is type(b) and getattr(a, "dtype", None) == getattr(b, "dtype", None), (path, a, b)
        np.testing.assert_allclose(a, b, rtol=1e-12)


@pytest.mark.parametrize("name", STRUCTURES)
def test_there_and_back(name: str) -> None:
    tree, loss, _ = STRUCTURES[name]
    vector, restore = ravel(tree)
    assert vector.ndim == 1 and vector.dtype == float
    again = restore(vector)
    assert type(again) is type(tree)
    same(again, tree)
    assert loss(again) == loss(tree)
    np.testing.assert_array_equal(ravel(restore(2 * vector))[0], 2 * vector)
    for (_, leaf), (_, given) in zip(leaves(again), leaves(tree)):
        if isinstance(leaf, np.ndarray):
            assert leaf.flags.writeable and not np.shares_memory(leaf, vector) and not np.shares_memory(leaf, given)
    for wrong in (vector[:-1], vector.reshape(1, -1), 2.0):
        with pytest.raises(ValueError, match="restore takes a vector of"):
            restore(wrong)
    assert inspect.getsource(restore).startswith("def restore(vector):")


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("name", STRUCTURES)
def test_gradients_through_restore(name: str, mode: str) -> None:
    tree, loss, compiled = STRUCTURES[name]
    vector, restore = ravel(tree)
    if mode == "compiled" and not compiled:
        with pytest.raises(sourcediff.SourcediffError):
            grad(lambda v: loss(restore(v)), mode="compiled")(vector)
        return
    found = grad(lambda v: loss(restore(v)), mode=mode)(vector)
    np.testing.assert_allclose(found, ravel(grad(loss, mode="eager")(tree))[0], rtol=1e-6 if name == "nested" else 1e-12)


@pytest.mark.filterwarnings("ignore::sourcediff.FallbackWarning")
@pytest.mark.parametrize("name", STRUCTURES)
def test_gradients_through_the_vector(name: str) -> None:
    tree, _, _ = STRUCTURES[name]
    found = grad(lambda p: np.sum(ravel(p)[0] ** 2))(tree)
    np.testing.assert_allclose(ravel(found)[0], 2 * ravel(tree)[0])


def test_what_is_no_float_stays_what_it_is() -> None:
    kept = np.arange(3)
    vector, restore = ravel({"n": 3, "k": kept, "s": "name", "none": None, "flag": True, "x": 1.0, (1, 2): {"inner": [4, 5.0]}})
    np.testing.assert_array_equal(vector, [1.0, 5.0])
    again = restore(vector + 1)
    assert again == {"n": 3, "k": kept, "s": "name", "none": None, "flag": True, "x": 2.0, (1, 2): {"inner": [4, 6.0]}}
    assert again["k"] is kept and again["flag"] is True
    assert ravel({})[0].shape == (0,) and ravel({})[1](np.zeros(0)) == {}
    vector, restore = ravel([np.ones(2, np.float32), np.ones(1, np.float32)])
    assert vector.dtype == np.float32 and restore(vector)[0].dtype == restore(vector.astype(float))[0].dtype == np.float32


def test_what_is_refused() -> None:
    for tree, said in (({"z": 1j}, r"tree\['z'\] is complex"), ([np.ones(2, complex)], r"tree\[0\] is complex"),
                       (np.ma.array([1.0]), "MaskedArray"), (3, "an int holds no floats"), ("text", "a str holds no floats")):
        with pytest.raises(NonDifferentiableError, match=said):
            ravel(tree)
