"""Complex numbers where nobody looks: in containers of any kind, records, objects, and the methods of classes that a registry holds."""

from __future__ import annotations

import collections
import functools
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

import sourcediff

POINTS = np.array([1j, 2.0 + 1j])
LENGTHS = np.linspace(1.0, 2.0, 4)
X = 1.3


def size(z: Any) -> float:
    return float(np.sum((z * z.conj()).real + z.real * z.imag))


def check(program: Callable[..., float], *given: Any) -> None:
    value, gradient = sourcediff.value_and_grad(program, 0, mode="compiled")(X, *given)
    assert value == pytest.approx(program(X, *given), rel=1e-12)
    assert gradient == pytest.approx((program(X + 1e-6, *given) - program(X - 1e-6, *given)) / 2e-6, rel=1e-6)


class Holder:
    def __init__(self, z):
        self.z = z

    def __getitem__(self, _):
        return self.z


@dataclass
class Record:
    z: Any
    k: float = 2.0


def by_key(x, held):
    return size(np.sqrt(x * held["z"]))


def by_index(x, held):
    return size(np.sqrt(x * held[0]))


def by_items(x, held):
    return sum(size(np.sqrt(x * value)) for _, value in held.items())


def one_by_one(x, held):
    total = 0.0
    for z in held:
        total = total + size(np.sqrt(x * z))
    return total


def of_objects(x, held):
    total = 0.0
    for part in held:
        total = total + size(np.sqrt(x * part.z))
    return total


@pytest.mark.parametrize("held", [
    {"z": POINTS}, collections.OrderedDict(z=POINTS), types.MappingProxyType({"z": POINTS}), collections.ChainMap({"z": POINTS}, {}),
    collections.UserDict(z=POINTS), collections.defaultdict(int, z=POINTS), np.array([(1j,)], [("z", complex)]), Holder(POINTS),
], ids=lambda held: type(held).__name__)
def test_entries(held: Any) -> None:
    check(by_key, held)


@pytest.mark.parametrize("held", [
    collections.OrderedDict(z=POINTS), types.MappingProxyType({"z": POINTS}), collections.ChainMap({"z": POINTS}, {}),
], ids=lambda held: type(held).__name__)
def test_items_of_a_mapping(held: Any) -> None:
    check(by_items, held)


@pytest.mark.parametrize("held", [
    collections.deque([POINTS, POINTS]), collections.UserList([POINTS]), (POINTS,),
], ids=lambda held: type(held).__name__)
def test_items(held: Any) -> None:
    check(by_index, held)
    check(one_by_one, held)


@pytest.mark.parametrize("held", [{1j, 2j}, frozenset({1j}), {"a": POINTS}.values()], ids=lambda held: type(held).__name__)
def test_what_has_no_index(held: Any) -> None:
    check(one_by_one, held)


@pytest.mark.parametrize("part", [Holder(POINTS), Record(POINTS), types.SimpleNamespace(z=POINTS)], ids=lambda part: type(part).__name__)
def test_objects_in_a_deque(part: Any) -> None:
    check(of_objects, collections.deque([part, part]))


class Material:
    registry: ClassVar[dict[str, type]] = {}

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        Material.registry[cls.__name__] = cls

    def index(self, lengths):
        raise NotImplementedError


class Cauchy(Material):
    def index(self, lengths):
        return 1.5 + 0.3j / lengths


class Plain(Material):
    def index(self, lengths):
        return 1.5 + 0.3 / lengths


KINDS = {"absorbing": Cauchy, "plain": Plain}


@functools.lru_cache
def by_its_name(name):
    return Material.registry[name]()


@functools.lru_cache
def out_of_a_table(name):
    return KINDS[name](), 1.0


class Stack:
    def __init__(self, *names):
        self.layers = [KINDS[name]() for name in names]

    def whole(self, lengths):
        return sum(layer.index(lengths) for layer in self.layers)


@functools.lru_cache
def stacked(*names):
    return Stack(*names)


def of_a_registry(x):
    return size(np.sqrt(x * by_its_name("Cauchy").index(LENGTHS)))


def of_a_table(x):
    material, weight = out_of_a_table("absorbing")
    return size(np.sqrt(x * material.index(LENGTHS) * weight))


def of_parts(x):
    return size(np.sqrt(x * stacked("absorbing", "plain").whole(LENGTHS)))


def in_a_loop(x):
    total = 0.0
    for name in ["Cauchy", "Plain", "Cauchy"][: int(x) + 1]:
        index = by_its_name(name).index(LENGTHS)
        total = total + size(np.sqrt(1 - (x / index) ** 2) * (index + 0j))
    return total


@pytest.mark.parametrize("program", [of_a_registry, of_a_table, of_parts, in_a_loop])
def test_methods_of_classes_that_are_registered(program: Callable[[float], float]) -> None:
    check(program)
