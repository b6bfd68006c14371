"""What a function reads from outside is seen however it is reached, and every change of it: of names, and of functions themselves."""

from __future__ import annotations

import functools
import importlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import FallbackWarning, UnknownParameterError, UnsupportedSyntaxError

X = np.array([1.1, 0.7, 1.9])

LAYERS = '''
import contextlib, functools, sys
import sourcediff

HERE = sys.modules[__name__]
SQUARE = False
K = 2.0


def power(x):
    if SQUARE:
        return x ** 2
    return x ** 3


def scaled(x):
    return K * x


def chain(x):
    return scaled(power(x))


def twice(function):
    @functools.wraps(function)
    def doubled(*args):
        return K * function(*args)
    return doubled


@twice
def decorated(x):
    return power(x)


def weighted(k, x):
    return k * power(x)


class Dense:
    def __init__(self, w):
        self.w = w

    @staticmethod
    def forward(x):
        return K * power(x)

    @classmethod
    def plain(cls, x):
        return K * power(x)

    def run(self, x):
        return self.w * K * power(x)

    class Inner:
        @staticmethod
        def deep(x):
            return K * power(x)


slope = sourcediff.grad(power)
partly = functools.partial(weighted, 3.0)
bound = Dense(2.0).run
'''

MAIN = '''
import numpy as np
import pack.layers, sourcediff
from pack import layers
from pack.layers import bound, partly


class Web:
    net = pack.layers

    class Inner:
        net = pack.layers


class Entered:
    def __enter__(self):
        return pack.layers.K

    def __exit__(self, *error):
        return None


def by_two_names(x):
    return pack.layers.power(x)


def by_three_names(x):
    return pack.layers.HERE.HERE.power(x)


def chain(x):
    return pack.layers.chain(x)


def decorated(x):
    return pack.layers.decorated(x)


def static_method(x):
    return pack.layers.Dense.forward(x)


def class_method(x):
    return pack.layers.Dense.plain(x)


def method(x):
    return pack.layers.Dense(1.5).run(x)


def class_in_a_class(x):
    return pack.layers.Dense.Inner.deep(x)


def class_by_another_name(x):
    kind = pack.layers.Dense
    return kind.Inner.deep(x)


def module_in_a_class(x):
    return Web.net.power(x) + Web.Inner.net.scaled(x)


def derivative_inside(x):
    return sourcediff.grad(pack.layers.power)(x)


def derivative_from_outside(x):
    return pack.layers.slope(x)


def tangent_inside(x):
    return sourcediff.jvp(pack.layers.chain, (x,), (1.0,))[1]


def applied(function, x):
    return function(x)


def handed_on(x):
    return applied(pack.layers.chain, x)


def static_method_of(kind, x):
    return kind.forward(x)


def class_handed_on(x):
    return static_method_of(pack.layers.Dense, x)


def partial_function(x):
    return partly(x)


def bound_method(x):
    return bound(x)


def manager(x):
    with Entered() as k:
        y = k * x
    return y * x


def inner_recursion(x):
    def power(n):
        return layers.K if n == 0 else x * power(n - 1)
    return power(2)


def by_default(x, function=pack.layers.chain):
    return function(x)
'''

WAYS = [line.split("(")[0][4:] for line in MAIN.splitlines() if line.startswith("def ") and line.split("(")[1].startswith("x")]


@pytest.fixture
def main(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A module that reads another one, which is in a package."""
    written(tmp_path, LAYERS)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    yield importlib.import_module("main_of_pack")
    for name in ("main_of_pack", "pack", "pack.layers"):
        sys.modules.pop(name, None)


def written(folder: Path, layers: str) -> None:
    (folder / "pack").mkdir(exist_ok=True)
    (folder / "pack" / "__init__.py").write_text("")
    (folder / "pack" / "layers.py").write_text(layers)
    (folder / "main_of_pack.py").write_text(MAIN)


def assert_right(gradient: Callable[..., Any], function: Callable[..., Any], x: Any = 1.3) -> None:
    """Compare a value and a gradient with differences of a function as it is now."""
    step = 1e-6
    value, slope = gradient(x)
    steps = step * np.eye(np.size(x)) if np.ndim(x) else [step]
    expected = [(function(x + e) - function(x - e)) / (2 * step) for e in steps]
    np.testing.assert_allclose(value, function(x), rtol=1e-12)
    np.testing.assert_allclose(slope, expected if np.ndim(x) else expected[0], rtol=1e-6)


@pytest.mark.parametrize("way", WAYS)
def test_what_a_function_reads_is_seen_however_it_is_reached(way: str, main: Any) -> None:
    function, layers = getattr(main, way), sys.modules["pack.layers"]
    gradient = sourcediff.value_and_grad(function, mode="compiled")
    assert_right(gradient, function)
    layers.K, layers.SQUARE = 5.0, True
    assert_right(gradient, function)


@pytest.mark.parametrize("way", ["by_two_names", "by_three_names", "chain", "module_in_a_class", "derivative_inside", "handed_on"])
def test_a_function_that_is_exchanged_is_seen_however_it_is_reached(way: str, main: Any) -> None:
    function, layers = getattr(main, way), sys.modules["pack.layers"]
    gradient = sourcediff.value_and_grad(function, mode="compiled")
    assert_right(gradient, function)
    layers.power = lambda x: x ** 4
    assert_right(gradient, function)


def test_files_of_another_version_of_what_is_read_are_not_taken(tmp_path: Path) -> None:
    program = "\n".join([
        "import main_of_pack as main, sourcediff", f"for way in {WAYS}:", "    function = getattr(main, way)",
        "    value, slope = sourcediff.value_and_grad(function, mode='compiled')(1.3)",
        "    expected = (function(1.3 + 1e-6) - function(1.3 - 1e-6)) / 2e-6",
        "    assert value == function(1.3) and abs(slope - expected) < 1e-6, way",
    ])
    paths = os.pathsep.join([str(tmp_path), str(Path(sourcediff.__file__).parents[1])])
    around = {**os.environ, "SOURCEDIFF_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
    for layers in (LAYERS, LAYERS.replace("x ** 3", "x ** 5").replace("K *", "K * 2 *")):
        written(tmp_path, layers)
        subprocess.run([sys.executable, "-c", program], check=True, env=around)


def test_a_module_that_is_handed_on_is_refused_or_runs_eagerly(main: Any, tmp_path: Path) -> None:
    path = tmp_path / "handing.py"
    path.write_text("from pack import layers\n\ndef scaled_by(module, x):\n    return module.scaled(x)\n\n"
                    "def f(x):\n    return scaled_by(layers, x)\n")
    function = importlib.import_module("handing").f
    sys.modules.pop("handing")
    with pytest.raises(UnsupportedSyntaxError, match="scaled, as it is reached here") as refusal:
        sourcediff.grad(function, mode="compiled")(2.0)
    assert refusal.value.places[0].file.endswith("layers.py") and refusal.value.places[0].remedy
    with pytest.warns(FallbackWarning):
        assert sourcediff.grad(function)(2.0) == 2.0


def test_a_name_that_is_gone_is_an_error(main: Any) -> None:
    gradient = sourcediff.grad(main.by_two_names, mode="compiled")
    assert gradient(2.0) == pytest.approx(12.0)
    del sys.modules["pack.layers"].SQUARE
    with pytest.raises(NameError, match="SQUARE"):
        main.by_two_names(2.0)
    with pytest.raises(NameError, match="SQUARE"):
        gradient(2.0)


# Functions that become other ones, as a notebook that loads its modules again makes them.


def other(v, k=2):
    return np.sum(v ** k)


def functions() -> tuple[Any, Any, Any]:
    """A function with a default of each kind, one that calls it, and a wrapper of it."""

    def own(v, k=2, *, s=1.0):
        return s * np.sum(v ** k)

    def calling(v):
        return own(v) * 2

    @functools.wraps(own)
    def wrapper(*args, **kwargs):
        return 3 * own(*args, **kwargs)

    return own, calling, wrapper


def code(own: Any) -> None:
    own.__kwdefaults__ = None
    own.__code__ = other.__code__


def defaults(own: Any) -> None:
    own.__defaults__ = (4,)


def kwdefaults(own: Any) -> None:
    own.__kwdefaults__ = {"s": 5.0}


def kwdefaults_in_place(own: Any) -> None:
    own.__kwdefaults__["s"] = 5.0


@pytest.mark.parametrize("mode", ["compiled", "eager"])
@pytest.mark.parametrize("change", [code, defaults, kwdefaults, kwdefaults_in_place], ids=lambda change: change.__name__)
def test_a_function_that_becomes_another_one_is_seen(change: Callable[[Any], None], mode: str) -> None:
    own, *around = functions()
    gradients = [(sourcediff.value_and_grad(function, mode=mode), function) for function in (own, *around)]
    for gradient, function in gradients:
        assert_right(gradient, function, X)
    change(own)
    for gradient, function in gradients:
        assert_right(gradient, function, X)


@pytest.mark.parametrize("transform", [
    lambda f: lambda x: (f(x), sourcediff.vjp(f, x)[1](1.0)[0]),
    lambda f: lambda x: (f(x), [sourcediff.jvp(f, (x,), (e,))[1] for e in np.eye(3)]),
    lambda f: functools.partial(lambda jacobian, x: (f(x), jacobian(x)), sourcediff.jacobian(f)),
    lambda f: sourcediff.value_and_grad(f, check=True),
], ids=["vjp", "jvp", "jacobian", "check"])
def test_all_transforms_see_it(transform: Callable[[Any], Any]) -> None:
    own, calling, _ = functions()
    gradients = [(transform(function), function) for function in (own, calling)]
    for change in (None, defaults, code):
        if change is not None:
            change(own)
        for gradient, function in gradients:
            assert_right(gradient, function, X)


def test_a_function_that_gets_more_parameters_is_seen() -> None:
    def own(v):
        return np.sum(v ** 2)

    gradient = sourcediff.grad(own)
    gradient(X)
    own.__code__, own.__defaults__ = other.__code__, (3,)
    np.testing.assert_allclose(gradient(X), 3 * X ** 2)
    np.testing.assert_allclose(gradient(X, k=4), 4 * X ** 3)


@pytest.mark.parametrize("mode", ["compiled", "eager"])
def test_a_function_whose_parameters_change_places_is_refused(mode: str) -> None:
    def own(a, b):
        return np.sum(a * b ** 2)

    def exchanged(b, a):
        return np.sum(a * b ** 2)

    gradient = sourcediff.grad(own, mode=mode)
    np.testing.assert_allclose(gradient(X, 2 * X), 4 * X ** 2)
    own.__code__ = exchanged.__code__
    for _ in range(2):
        with pytest.raises(UnknownParameterError, match="'a' is not the parameter that it was"):
            gradient(X, 2 * X)


# Functions that objects, lists and dicts hold.


class Node:
    pass


def one_deep(x):
    return OBJECT.a(x)


def four_deep(x):
    return OBJECT.b.c.d.a(x)


def in_a_dict(x):
    return TABLE["f"](x) * 2


OBJECT: Any = Node()
OBJECT.b = Node()
OBJECT.b.c = Node()
OBJECT.b.c.d = Node()
TABLE: Any = {}


def put(function: Any) -> None:
    OBJECT.a = OBJECT.b.c.d.a = TABLE["f"] = function


@pytest.mark.parametrize("function", [one_deep, four_deep, in_a_dict], ids=lambda function: function.__name__)
def test_functions_of_one_name_that_objects_hold_are_told_apart(function: Callable[..., Any]) -> None:
    put(lambda v: np.sum(v * 7))
    gradient = sourcediff.value_and_grad(function, mode="compiled")
    assert_right(gradient, function, X)
    put(lambda v: np.sum(v * 8))
    assert_right(gradient, function, X)
    put(lambda v: np.sum(v ** 2))
    assert_right(gradient, function, X)


class Scaling:
    def __init__(self, w):
        self.w = w

    def run(self, x):
        return np.sum(self.w * x ** 2)


SCALING = Scaling(2.0)
RUN = SCALING.run


def by_a_bound_method(x):
    return RUN(x)


def test_what_a_bound_method_reads_of_its_object_may_change_its_kind() -> None:
    gradient = sourcediff.value_and_grad(by_a_bound_method, mode="compiled")
    for w in (2.0, np.ones((3, 1)), np.array([1.0, 2.0, 3.0])):
        SCALING.w = w
        assert_right(gradient, by_a_bound_method, X)
