"""Programs as scientists write them, by somebody who had not seen the compiler: each compiles by the interpreter, and is right."""

from __future__ import annotations

import copy
import importlib
import pkgutil
import warnings

import numpy as np
import pytest

import sourcediff

from . import natural

PROGRAMS = sorted(module.name for module in pkgutil.iter_modules(natural.__path__))
STEP = 1e-5


def leaves(value, path=()):
    """The places of the floats in an argument, and what puts a number there."""
    if isinstance(value, dict):
        return [leaf for key, part in value.items() for leaf in leaves(part, (*path, key))]
    if isinstance(value, (list, tuple)):
        return [leaf for key, part in enumerate(value) for leaf in leaves(part, (*path, key))]
    if isinstance(value, np.ndarray):
        return [(*path, index) for index in np.ndindex(value.shape)] if value.dtype.kind == "f" else []
    return [path] if isinstance(value, float) else []


def at(value, path):
    for key in path:
        value = value[key]
    return value


def moved(value, path, by):
    """A copy of an argument, of which one number is larger."""
    if not path:
        return value + by
    key, *rest = path
    if isinstance(value, tuple):
        return (*value[:key], moved(value[key], rest, by), *value[key + 1:])
    found = copy.copy(value)
    found[key] = moved(found[key], rest, by)
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_is_compiled_and_right(name: str) -> None:
    program = importlib.import_module(f"{natural.__name__}.{name}")
    wrt = getattr(program, "WRT", (0,))
    args = program.args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value, gradients = sourcediff.value_and_grad(program.f, wrt, mode="compiled")(*copy.deepcopy(args))
        np.testing.assert_allclose(value, program.f(*copy.deepcopy(args)), rtol=1e-10)
        rng = np.random.default_rng(0)
        for position, gradient in zip(wrt, gradients):
            paths = leaves(args[position])
            for path in [paths[k] for k in rng.permutation(len(paths))[:6]]:
                step = STEP * max(1.0, abs(at(args[position], path)))
                ends = [program.f(*copy.deepcopy(
                    [moved(arg, path, by) if k == position else arg for k, arg in enumerate(args)])) for by in (step, -step)]
                np.testing.assert_allclose(at(gradient, path), (ends[0] - ends[1]) / (2 * step), rtol=2e-4, atol=2e-6)
