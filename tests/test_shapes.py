"""What the compiler takes for known of a function's result, before it runs: held against the results themselves."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from sourcediff.analysis.abstract import Abstract
from sourcediff.analysis.abstraction import abstract
from sourcediff.analysis.lengths import length_at
from sourcediff.analysis.scope import Scope
from sourcediff.core.facts.values import Values
from sourcediff.rules import RULES
from sourcediff.syntax import nodes as n
from sourcediff.syntax.quote import clone, expression

from .rules.checker import on_each
from .rules.samples import SAMPLES


def claimed(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Abstract:
    """What is known of a call whose arguments are known."""
    scope = Scope()
    scope.functions["function"] = function
    given = {f"a{i}": value for i, value in enumerate(args)} | kwargs
    call = n.Call(func=expression("function"), args=[expression(f"a{i}") for i in range(len(args))],
                  keywords=[n.keyword(arg=name, value=expression(name)) for name in kwargs])
    environment = {name: abstract(value, name) for name, value in given.items()}
    parts = {name: expression(repr(value)) for name, value in given.items() if isinstance(value, (bool, int, str, type(None), tuple))}
    return Values(scope).of(clone(call, parts), environment)


def holds(found: Abstract, value: Any, lengths: dict[str, int]) -> bool:
    """Whether a value is as it was said to be; nothing may have been said. ``lengths`` are those of the arguments, by symbol."""
    if found.kind == "array":
        said = [length_at(dim, lengths) for dim in found.dims]
        right = isinstance(value, np.ndarray) and value.ndim == len(said)
        right = right and all(dim in (None, length) for dim, length in zip(said, value.shape))
    elif found.kind == "numpy":
        right = isinstance(value, (np.generic, float))  # SciPy's norm is a number of Python's
    elif found.kind == "python":
        right = type(value) in (float, int, bool, complex)
    elif found.kind == "sequence":
        items = found.items if type(found.items) is tuple else None
        right = isinstance(value, (list, tuple)) and (items is None or len(items) == len(value))
        right = right and all(holds(item, part, lengths) for item, part in zip(items or (), value))
    else:
        return True
    return right and (found.dtype is None or np.asarray(value).dtype == found.dtype)


def variants(sample: Any) -> list[tuple[Any, ...]]:
    """A sample's arguments as they are, in single precision, and each array with a length of 1 where it can have one."""
    def single(value: Any) -> Any:
        return value.astype(np.float32) if isinstance(value, np.ndarray) and value.dtype == np.float64 else value

    return [tuple(sample.args), tuple(map(single, sample.args)), *(
        tuple(single(value) if i == k else value for i, value in enumerate(sample.args)) for k in range(len(sample.args))
    )]


@pytest.mark.parametrize("function", SAMPLES, ids=lambda function: RULES[function].name)
def test_what_is_known_of_a_result_is_so(function):
    on_each(lambda sample: check(function, sample), SAMPLES[function])


def check(function, sample):
    for args in variants(sample):
        found = claimed(function, args, sample.kwargs)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value = function(*args, **sample.kwargs)
        except (TypeError, ValueError, np.linalg.LinAlgError):  # not of single precision, or not of two precisions at once
            assert args is not sample.args
            continue
        arrays = [(i, arg.shape) for i, arg in enumerate(args) if isinstance(arg, np.ndarray)]
        lengths = {f"a{i}.{axis}": length for i, shape in arrays for axis, length in enumerate(shape)}
        assert holds(found, value, lengths), f"{found} was said of {value!r} of {args}"


def test_most_functions_are_known():
    said = {
        function for function, samples in SAMPLES.items() for sample in samples
        if claimed(function, tuple(sample.args), sample.kwargs).kind != "unknown"
    }
    assert len(said) > 150
