"""Arrays of dtype object: a derivative never gets lost in one. The compiler refuses them; the eager engine does, or knows better."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sourcediff import FallbackWarning, SourcediffError, UnsupportedSyntaxError, grad, hvp, jvp, value_and_grad, vjp
from tests.sampling import name_of, sampled

X = np.array([0.5, 1.0, 2.0, 3.0])
OBJECTS = np.array([1.0, 2.0, 3.0, 4.0], dtype=object)
PARTS = np.empty(2, dtype=object)
PARTS[0], PARTS[1] = np.ones(2), np.ones(3)


class Holder:
    def __init__(self) -> None:
        self.objects = OBJECTS


HOLDER = Holder()


def of_parts(x: Any) -> Any:
    a = np.empty(2, dtype=object)
    a[0] = x[:2]
    a[1] = x[2:]
    return np.sum(a[0] ** 2) + np.sum(a[1])


def of_numbers(x: Any) -> Any:
    a = np.empty(4, dtype=object)
    for i in range(4):
        a[i] = x[i]
    return np.sum(a * a)


def whole(x: Any) -> Any:
    a = np.zeros(4, object)
    a[:] = x
    return np.sum(a ** 2)


def made(x: Any) -> Any:
    a = np.array([x[:2], x[1:3]], dtype=object)
    return np.sum(a[0]) + np.sum(a * 2)


def ragged(x: Any) -> Any:
    a = np.array([x[:2], x[1:]], dtype=object)
    return np.sum(a[0]) + np.sum(a[1])


def converted(x: Any) -> Any:
    return np.sum(x.astype(object) ** 2)


def converted_by_letter(x: Any) -> Any:
    return np.sum(x.astype("O") * 2.0)


def viewed(x: Any) -> Any:
    return np.sum(np.asarray(x, dtype=object) * 2.0)


def filled(x: Any) -> Any:
    return np.sum(np.full(3, x[0], dtype=object))


def of_a_global(x: Any) -> Any:
    return np.sum(OBJECTS * x)


def dotted(x: Any) -> Any:
    return np.dot(OBJECTS, x)


def of_an_attribute(x: Any) -> Any:
    return np.sum(HOLDER.objects * x)


def of_a_part(x: Any) -> Any:
    return np.sum(PARTS[0] * x[:2]) + np.sum(PARTS[1] * x[1:])


def joined(x: Any) -> Any:
    return np.sum(np.concatenate([x, OBJECTS]))


def selected(x: Any) -> Any:
    return np.sum(np.where(x > 1, x, OBJECTS))


def copied(x: Any) -> Any:
    a = OBJECTS.copy()
    a[0] = x[0]
    return a[0] * a[1] * x[1]


def of_dicts(x: Any) -> Any:
    a = np.array([{"w": x[0]}, {"w": x[1]}])
    return a[0]["w"] * a[1]["w"]


PROGRAMS = [
    of_parts, of_numbers, whole, made, ragged, converted, converted_by_letter, viewed, filled, of_a_global, dotted, of_an_attribute,
    of_a_part, joined, selected, copied, of_dicts,
]
DOORS: dict[str, Callable[..., Any]] = {
    "grad": lambda f, mode: grad(f, mode=mode)(X.copy()),
    "value_and_grad": lambda f, mode: value_and_grad(f, mode=mode)(X.copy())[1],
    "vjp": lambda f, mode: vjp(f, X.copy(), wrt=0, mode=mode)[1](1.0),
    "jvp": lambda f, mode: [jvp(f, (X.copy(),), (unit,), mode=mode)[1] for unit in np.eye(4)],
}


def slopes(f: Callable[..., Any]) -> Any:
    return [float(f(X + step) - f(X - step)) / 2e-6 for step in 1e-6 * np.eye(4)]


@sampled(3, "f, door, mode", PROGRAMS, DOORS, ["compiled", "auto", "eager"], ids=name_of)
def test_an_array_of_objects_is_right_or_refused(f: Callable[..., Any], door: str, mode: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        try:
            found = DOORS[door](f, mode)
        except SourcediffError:
            return
    np.testing.assert_allclose(np.asarray(found, float), slopes(f), rtol=1e-5)


@pytest.mark.parametrize("f", [of_parts, of_numbers, converted, filled, of_a_global, of_an_attribute, dotted, copied])
def test_the_compiler_says_where(f: Callable[..., Any]) -> None:
    for derivative in (grad(f, mode="compiled"), lambda x: jvp(f, (x,), (np.ones(4),), mode="compiled"),
                       lambda x: hvp(f, mode="compiled")(x, np.ones(4))):
        with pytest.raises(UnsupportedSyntaxError, match="array of objects meets what is") as caught:
            derivative(X)
        assert "test_object_arrays.py" in str(caught.value)
        assert "use a list, or an array of floats" in str(caught.value)


def labelled(x: Any, labels: Any) -> Any:
    kinds = np.array(["a", "b", "a", "b"], dtype=object)
    return np.sum(x[labels == "a"] ** 2) + np.sum(np.where(kinds == "b", x, 0.0))


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_labels_may_be_objects(mode: str) -> None:
    labels = np.array(["a", "b", "a", "c"], dtype=object)
    np.testing.assert_allclose(grad(labelled, mode=mode)(X, labels), [2 * X[0], 1, 2 * X[2], 1])


def scaled(x: Any, scale: Any) -> Any:
    return np.sum(x * scale)


@pytest.mark.parametrize("mode", ["compiled", "eager", "auto"])
@pytest.mark.parametrize("wrt", [0, 1])
def test_an_argument_of_objects_is_refused(wrt: int, mode: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        with pytest.raises(SourcediffError, match="of object"):
            grad(scaled, wrt=wrt, mode=mode)(X, OBJECTS)
