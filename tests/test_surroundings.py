"""What a function reads from outside is seen however it is reached, and every change of it: of names, and of functions themselves."""

from __future__ import annotations

import enum
import functools
import importlib
import operator
import os
import subprocess
import sys
from collections import namedtuple
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import sourcediff
from sourcediff.analysis.environment.fingerprint import Description
from sourcediff.errors import FallbackWarning, UnknownParameterError, UnsupportedSyntaxError
from tests.edited import edit

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
    edit(folder / "pack" / "layers.py", layers)
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
    around = {**os.environ, "SOURCEDIFF_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": paths}
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
    with pytest.raises(UnsupportedSyntaxError, match="SQUARE is not defined"):
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


# Programs that differ in what stands where: a file of the cache, or a text in memory, that was written for one is not taken for the other.


def scaling(k: float) -> Any:
    def scaled(x):
        return k * x * x

    return scaled


def state(k: float) -> Any:
    class State(NamedTuple):
        q: float
        k: float = 1.0

    State.__new__.__defaults__ = (k,)
    return State


def fields(order: str) -> Any:
    return namedtuple("Fields", order)


def inherited(base: type) -> Any:
    class Inherited(base):  # type: ignore[misc]
        def power(self, x):
            return super().power(x) * x

    return Inherited


class Square:
    def power(self, x):
        return x ** 2

    def first(self, k=3.0):
        return k

    def second(self, k=5.0):
        return k


class Cube:
    def power(self, x):
        return x ** 3


class Held:
    def __init__(self, function: Any):
        self.function = function

    def run(self, x):
        return self.function(x) * x


LOW, HIGH, CURRENT = scaling(1.0), scaling(10.0), scaling(1.0)
STATE = FIELDS = INHERITED = MEMBER = PARTLY = METHOD = DERIVATIVE = None


def three(x, f, g, h):
    return f(x) + 2 * g(x) + 5 * h(x)


def by_globals(x):
    return LOW(x) + 2 * HIGH(x) + 3 * CURRENT(x)


def by_defaults(x):
    s = STATE(x)
    return s.k * s.q ** 2


def by_fields(x):
    s = FIELDS(x, 3.0)
    return s.k * s.a ** 2


def by_bases(x):
    return INHERITED().power(x) + Square().power(x) * Cube().power(x)


def by_members(x):
    return Square().which() * Square().first() * Square().second() * x


def by_a_partial(x):
    return PARTLY(x) * LOW(x) * HIGH(x)


def by_a_method(x):
    return METHOD(x) * LOW(x) * HIGH(x)


def by_a_derivative(x):
    return DERIVATIVE(x) * LOW(x) * HIGH(x)


def member(function: Any) -> type:
    Square.which = function  # type: ignore[attr-defined]
    return Square


def method(function: Any) -> Any:
    return Held(function).run


TOLD_APART: dict[str, tuple[Any, str, list[Callable[[], Any]]]] = {
    "globals": (by_globals, "CURRENT", [lambda: LOW, lambda: HIGH, lambda: scaling(2.0)]),
    "defaults": (by_defaults, "STATE", [lambda: state(2.0), lambda: state(5.0)]),
    "fields": (by_fields, "FIELDS", [lambda: fields("a k"), lambda: fields("k a")]),
    "bases": (by_bases, "INHERITED", [lambda: inherited(Square), lambda: inherited(Cube)]),
    "members": (by_members, "MEMBER", [lambda: member(Square.first), lambda: member(Square.second)]),
    "partials": (by_a_partial, "PARTLY", [lambda: functools.partial(weigh, LOW), lambda: functools.partial(weigh, HIGH)]),
    "methods": (by_a_method, "METHOD", [lambda: method(LOW), lambda: method(HIGH)]),
    "derivatives": (by_a_derivative, "DERIVATIVE", [lambda: sourcediff.grad(LOW), lambda: sourcediff.grad(HIGH)]),
}


def weigh(function: Any, x: Any) -> Any:
    return function(x) * x


@pytest.mark.parametrize("again", [True, False], ids=["made_again", "kept"])
@pytest.mark.parametrize("case", TOLD_APART)
def test_what_stands_elsewhere_is_told_apart(case: str, again: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    function, name, values = TOLD_APART[case]
    gradient = sourcediff.value_and_grad(function, mode="compiled")
    for value in values:
        monkeypatch.setitem(globals(), name, value())
        assert_right(sourcediff.value_and_grad(function, mode="compiled") if again else gradient, function)


@pytest.mark.parametrize("same", ["ppp", "ppq", "pqp", "pqq"])
def test_functions_of_one_name_that_are_handed_over_are_told_apart(same: str) -> None:
    pair = {"p": scaling(2.0), "q": scaling(3.0)}
    given = [pair[letter] for letter in same]
    gradient = sourcediff.value_and_grad(three, mode="compiled")
    assert_right(lambda x: gradient(x, *given), lambda x: three(x, *given))


def test_a_class_that_gets_another_base_is_seen() -> None:
    class Child(Square):
        pass

    def function(x):
        return Child().power(x)

    gradient = sourcediff.value_and_grad(function, mode="compiled")
    assert_right(gradient, function)
    Child.__bases__ = (Cube,)
    assert_right(gradient, function)


EDITS = {
    "named_default": ("class {0}(NamedTuple):\n    q: float\n    k: float = @2.0@3.0@\n", "s = {0}(x)\n    return s.k * s.q ** 2"),
    "named_fields": ("class {0}(NamedTuple):\n    @a: float; k: float@k: float; a: float@\n", "s = {0}(x, 3.0)\n    return s.k * s.a ** 2"),
    "tuple_fields": ("{0} = namedtuple('P', '@a k@k a@')\n", "s = {0}(x, 3.0)\n    return s.k * s.a ** 2"),
    "outer_fields": ("{0} = namedtuple('P', '@a k@k a@')(2.0, 3.0)\n", "a, b = {0}\n    return a * x + b * x ** 2"),
    "data_default": ("@@dataclass\nclass {0}:\n    q: float\n    k: float = @2.0@3.0@\n", "s = {0}(x)\n    return s.k * s.q ** 2"),
    "base": ("class {0}(@A@B@):\n    def f(self, x): return super().g(x) * x\n", "return {0}().f(x) * A().g(x) * B().g(x)"),
    "order": ("class {0}(@A, B@B, A@): pass\n{0}_1 = {0}()\n", "return {0}_1.g(x) * A().g(x) * B().g(x)"),
    "alias": ("class {0}:\n    g = @p@q@\n", "return {0}().g(x) * p(0, x) * q(0, x)"),
    "property": ("class {0}(A):\n    h = property(@A.two@A.three@)\n", "return {0}().h * A().two() * A().three() * x"),
    "lambdas": ("def {0}_1(a, b): return lambda x: a(0, x) + 2 * b(0, x)\n{0} = {0}_1(@p, q@q, p@)\n", "return {0}(x) * p(0, x) * q(0, x)"),
    "closures": ("{0} = @low@high@\n", "return {0}(x) * low(x) * high(x)"),
    "table": ("{0} = dict(a=low, b=high, c=@low@high@)\n", "return {0}['a'](x) + 2 * {0}['b'](x) + 3 * {0}['c'](x)"),
    "default": ("def {0}(x, k=@p@q@): return k(0, x)\n", "return {0}(x) * p(0, x) * q(0, x)"),
    "number": ("def {0}(x, k=np.float64(@2.0@3.0@)): return k * x\n", "return {0}(x)"),
    "keyword": ("def {0}(x, @k@*, k@=2.0): return k * x\n", "return {0}(x)"),
    "partial": ("def {0}_1(act, x): return act(x) * 2\n{0} = partial({0}_1, @np.sin@np.cos@)\n", "return {0}(x)"),
    "method": ("{0} = Held(@np.sin@np.cos@).run\n", "return {0}(x)"),
    "derivative": ("{0} = @by_a@by_b@\n", "return {0}(x, 2.0) * by_a(x, 2.0) * by_b(x, 2.0)"),
}
"""Programs with one place in them, ``@before@after@``, that is edited; each has its own name, ``{0}``."""

EDITED = '''
from collections import namedtuple
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple
import numpy as np
import sourcediff

def make(k):
    def f(x): return k * x * x
    return f

low, high = make(1.0), make(10.0)
p, q = (lambda self, x: x * x), (lambda self, x: 5 * x ** 3)

class A:
    def g(self, x): return 2 * x
    def two(self): return 2.0
    def three(self): return 3.0

class B:
    def g(self, x): return 3 * x ** 2

class Held:
    def __init__(self, act): self.act = act
    def run(self, x): return self.act(x) * x

def product(a, b): return a ** 2 * b ** 3

by_a, by_b = sourcediff.grad(product, 0), sourcediff.grad(product, 1)

'''

ASKED = '''
import sys, sourcediff, edited
for name in sys.argv[1:]:
    f = getattr(edited, "f_" + name)
    expected = (f(1.3 + 1e-6) - f(1.3 - 1e-6)) / 2e-6
    found = [sourcediff.grad(f, mode="compiled")(1.3), sourcediff.jvp(f, (1.3,), (1.0,), mode="compiled")[1],
             sourcediff.vjp(f, 1.3, mode="compiled")[1](1.0)[0]]
    assert all(abs(slope - expected) < 1e-6 * abs(expected) for slope in found), (name, found, expected)
print(sourcediff.cache.info().misses)
'''


def test_a_file_of_the_cache_is_not_taken_after_a_small_edit_and_is_where_nothing_changed(tmp_path: Path) -> None:
    paths = os.pathsep.join([str(tmp_path), str(Path(sourcediff.__file__).parents[1])])
    around = {**os.environ, "SOURCEDIFF_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": paths}
    misses = []
    for version in (1, 1, 2):
        text = EDITED
        for name, (head, body) in EDITS.items():
            parts = head.format(name).replace("@@", "\0").split("@")
            text += (parts[0] + parts[version] + parts[3] + f"\ndef f_{name}(x):\n    {body.format(name)}\n\n").replace("\0", "@")
        edit(tmp_path / "edited.py", text)
        seeded = {**around, "PYTHONHASHSEED": str(len(misses))}
        run = subprocess.run([sys.executable, "-c", ASKED, *EDITS], check=True, env=seeded, capture_output=True, text=True)
        misses.append(int(run.stdout))
    assert misses[0] > 0 and misses[1] == 0 and misses[2] > 0


def test_a_class_that_is_told_later_how_it_is_made_is_seen() -> None:
    class Plain:
        k = 2.0

    def function(x):
        return Plain().k * x ** 2

    def begin(self: Any) -> None:
        self.k = 5.0

    gradient = sourcediff.value_and_grad(function, mode="compiled")
    assert_right(gradient, function)
    Plain.__init__ = begin  # type: ignore[method-assign]
    assert_right(gradient, function)


class Metered:
    unit: Any = 2.0

    @classmethod
    def rate(cls):
        return cls.unit * 10

    def read(self, x):
        return self.rate() * self.__class__.unit * np.ndim(type(self).unit) + self.rate() * x ** 2


METER = Metered()


def class_of_an_object_outside(x):
    return np.sum(METER.read(x))


def class_of_an_object_inside(x):
    return np.sum(Metered().read(x))


@pytest.mark.parametrize("function", [
    class_of_an_object_outside, class_of_an_object_inside, lambda x, meter=METER: np.sum(meter.read(x)),
], ids=["outside", "inside", "given"])
def test_what_a_class_holds_is_read_at_each_call(function: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = sourcediff.value_and_grad(function, mode="compiled")
    assert_right(gradient, function)
    for unit in (3.0, np.float64(4.0), np.array([1.0, 2.0]), np.ones((2, 1)), 1):
        monkeypatch.setattr(Metered, "unit", unit)
        assert_right(gradient, function)
    monkeypatch.setattr(Metered, "rate", classmethod(lambda cls: cls.unit ** 2 * 3))
    assert_right(gradient, function)


def super_in_a_function(x):
    def inner(self):
        return super().power(3.0)

    return inner(METER) * x


def test_a_super_that_is_not_followed_is_refused() -> None:
    with pytest.raises(UnsupportedSyntaxError, match=r"super\(\)"):
        sourcediff.grad(super_in_a_function, mode="compiled")(2.0)


def test_functions_without_a_module_are_told_apart() -> None:
    special = pytest.importorskip("scipy.special")
    found = [np.add.reduce, np.multiply.reduce, np.log1p, special.log1p, operator.itemgetter(0), operator.itemgetter(1)]
    assert len({Description().of(value) for value in found}) == len(found)
    assert "0x" not in Description().of(np.vectorize(scaling(2.0)))


# Inner functions that call themselves, partials and bound methods: what they read from outside is read at the first call and at each.

SQUARED: Any = False
RULES: Any = {"k": 2.0}


def chosen(x, p):
    return p * x * x if SQUARED else p * x


def with_an_inner_function_that_calls_itself(x):
    def power(n):
        return 1.0 if n == 0 else (x * x if SQUARED else x) * RULES["k"] * power(n - 1)

    return power(3)


CHOSEN, CHOSEN_METHOD = functools.partial(chosen, p=2.0), Held(functools.partial(chosen, p=2.0)).run


@pytest.mark.parametrize("function", [
    with_an_inner_function_that_calls_itself, lambda x: CHOSEN(x), lambda x: CHOSEN_METHOD(x),
], ids=["recursive", "partial", "method"])
@pytest.mark.parametrize("transform", [
    sourcediff.value_and_grad,
    lambda f, mode: lambda x: (f(x), sourcediff.vjp(f, x, mode=mode)[1](1.0)[0]),
    lambda f, mode: lambda x: sourcediff.jvp(f, (x,), (1.0,), mode=mode),
], ids=["grad", "vjp", "jvp"])
def test_flags_from_outside_are_read_at_each_call(transform: Any, function: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = transform(function, mode="compiled")
    for squared in (False, True, None, "yes"):
        monkeypatch.setitem(globals(), "SQUARED", squared)
        assert_right(gradient, function)
    monkeypatch.setitem(RULES, "k", np.float64(3.0))
    assert_right(gradient, function)


def test_a_name_of_a_class_that_becomes_a_method_is_seen() -> None:
    class Rated:
        rate = 2.0

    held = Rated()

    def weighed(x):
        return held.rate * x * x

    def applied(x):
        return held.fitted(x)

    gradient, other = sourcediff.grad(weighed), sourcediff.grad(applied, mode="compiled")
    assert gradient(1.0) == 4.0
    with pytest.raises(sourcediff.SourcediffError):
        other(0.5)
    for factor in (3.0, 4.0):
        Rated.rate = property(lambda self, factor=factor: factor)  # type: ignore[assignment]
        Rated.fitted = lambda self, x, factor=factor: factor * x * x  # type: ignore[attr-defined]
        assert gradient(1.0) == 2 * factor
        assert other(0.5) == factor
    Rated.rate = 5.0
    assert gradient(1.0) == 10.0


def test_a_default_is_not_what_its_name_has_come_to_stand_for() -> None:
    class Kind(enum.Enum):
        LINEAR = 1

    def shaped(x, kind=Kind.LINEAR):
        return x if kind is Kind.LINEAR else x * x

    def function(x):
        return shaped(x) * 3.0

    gradient = sourcediff.grad(function, mode="compiled")
    assert gradient(2.0) == 3.0

    class Other(enum.Enum):
        LINEAR = 1

    Kind = Other  # type: ignore[misc]
    assert gradient(2.0) == 12.0


def scaled_by(x: Any, by: float, power: int = 1) -> Any:
    return by * x ** power


def bound_by(by: float) -> Any:
    return functools.partial(scaled_by, by=by, power=2)


def calling(function: Any) -> Any:
    return lambda x: function(x)


BOUND, BOUND_IN_A_TABLE, BOUND_WITHIN = bound_by(3.0), {"one": bound_by(2.0)}, calling(bound_by(4.0))


def through_a_partial(x: Any) -> Any:
    return BOUND(x)


def through_a_table(x: Any) -> Any:
    return BOUND_IN_A_TABLE["one"](x)


def through_a_function(x: Any) -> Any:
    return BOUND_WITHIN(x)


@pytest.mark.filterwarnings("ignore::sourcediff.errors.FallbackWarning")
@pytest.mark.parametrize("function", [through_a_partial, through_a_table, through_a_function])
def test_the_numbers_of_a_partial_are_those_of_the_call(function: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = sourcediff.value_and_grad(function)
    assert_right(gradient, function)
    monkeypatch.setitem(globals(), "BOUND", bound_by(5.0))
    monkeypatch.setitem(BOUND_IN_A_TABLE, "one", bound_by(7.0))
    monkeypatch.setitem(globals(), "BOUND_WITHIN", calling(bound_by(9.0)))
    assert_right(gradient, function)
