"""Every rule of the table, called by NumPy's protocols on Variables: in each spelling NumPy's value and the gradient of numbers."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

from sourcediff.checks.numeric import compare, numeric_jvp, vector
from sourcediff.eager import Variable, grad
from sourcediff.errors import SourcediffError
from sourcediff.rules import RULES
from sourcediff.runtime.trees import leaves, mapped

from ..rules.checker import Trial, on_each
from ..rules.samples import SAMPLES, Sample
from ..sampling import chosen

NOT_DISPATCHED = (np.array, np.asarray, np.ascontiguousarray, np.full, np.full_like, np.arange, np.float64)
"""These make arrays of what they are given without asking it: ``Variable.__array__`` refuses."""

FUNCTIONS = [
    function for function in SAMPLES
    if function in RULES and (isinstance(function, np.ufunc) or (getattr(function, "__module__", "") or "").startswith("numpy"))
]


class Call:
    """One call of a function in one spelling: of the trial's arguments, with those that are asked for replaced."""

    def __init__(self, trial: Trial, by_keyword: bool):
        self.function, self.names = trial.rule.function, list(trial.rule.parameters)
        self.by_keyword = by_keyword
        self.given = {name: value for name, value in trial.bound.items() if self.is_given(trial, name)}

    def is_given(self, trial: Trial, name: str) -> bool:
        default = trial.rule.parameters[name].default
        return default is inspect.Parameter.empty or trial.bound[name] is not default

    def __call__(self, replaced: dict[str, Any]) -> Any:
        values = {**self.given, **replaced}
        if self.by_keyword:
            return self.function(**values)
        args = []
        for name in self.names:
            if name not in values or self.is_keyword_only(name):
                break
            args.append(values.pop(name))
        return self.function(*args, **values)

    def is_keyword_only(self, name: str) -> bool:
        return RULES[self.function].parameters[name].kind is inspect.Parameter.KEYWORD_ONLY


def as_variables(value: Any) -> Any:
    return mapped(lambda part: Variable(part, requires_grad=True), value)


def variables_of(values: dict[str, Any]) -> list[Variable]:
    return [part for value in values.values() for part in (value if isinstance(value, (list, tuple)) else [value])]


def parts_of(z: Any) -> list[Any]:
    return list(z) if isinstance(z, (tuple, list)) else [z]


def check(trial: Trial, call: Call) -> dict[str, Any] | None:
    """The gradients by argument; None where NumPy itself does not take the call."""
    try:
        expected = call({})
    except (TypeError, ValueError) as error:  # a parameter without a name
        with pytest.raises((TypeError, ValueError, SourcediffError)):
            call({name: as_variables(trial.bound[name]) for name in trial.wanted})
        assert call.by_keyword, error
        return None
    given = {name: as_variables(trial.bound[name]) for name in trial.wanted}
    z = call(given)
    for part, plain in zip(parts_of(z), parts_of(expected), strict=True):
        value = part.data if isinstance(part, Variable) else part
        assert np.shape(value) == np.shape(plain) and np.asarray(value).dtype == np.asarray(plain).dtype
        np.testing.assert_array_equal(value, plain, strict=False)
    outputs = [(part, seed) for part, seed in zip(parts_of(z), parts_of(trial.g)) if isinstance(part, Variable) and part.requires_grad]
    variables = variables_of(given)
    if not outputs:
        assert all(np.asarray(part).dtype.kind != "f" for part in parts_of(z)), "a float result without a gradient"
        return None
    found = iter(grad([part for part, _ in outputs], variables, [seed for _, seed in outputs], allow_unused=True))
    gradients = {}
    for name, value in given.items():
        got = [next(found) for _ in (value if isinstance(value, (list, tuple)) else [value])]
        for part, gradient in zip(value if isinstance(value, (list, tuple)) else [value], got):
            assert gradient is None or (gradient.shape, gradient.dtype) == (part.shape, part.dtype)
        arrays = [0.0 * part.data if gradient is None else gradient.data for part, gradient in zip(variables_of({name: value}), got)]
        gradients[name] = arrays if isinstance(value, (list, tuple)) else arrays[0]
    return gradients


@pytest.mark.parametrize("function", [f for f in FUNCTIONS if f not in NOT_DISPATCHED], ids=lambda function: RULES[function].name)
def test_rule(function: Any) -> None:
    """In each spelling some of its samples; with --long all."""
    for by_keyword in (False, True):
        calls = chosen(6, range(len(SAMPLES[function])), salt=f"{RULES[function].name} {by_keyword}")
        on_each(lambda call: check_call(function, *call), [(SAMPLES[function][i], by_keyword) for i in calls])


def check_call(function: Any, sample: Sample, by_keyword: bool) -> None:
    trial = Trial(RULES[function], sample)
    gradients = check(trial, Call(trial, by_keyword))
    if gradients is None:
        return
    names = list(trial.bound)
    args = [trial.bound[name] for name in names]
    for name, tangent in trial.tangents.items():
        numbers, error = numeric_jvp(
            lambda *args: trial.value(dict(zip(names, args))), args, [tangent if other == name else None for other in names],
        )
        want = vector(trial.g) @ vector(numbers)
        compare(vector(gradients[name]) @ vector(tangent), want, rtol=1e-6, atol=1e-6 + error, what=f"{name}: gradient · tangent")
    if not any(isinstance(part, (np.ndarray, np.generic)) for _, part in leaves([trial.bound[name] for name in trial.wanted])):
        return
    single = Trial(RULES[function], sample, np.float32)
    found = check(single, Call(single, by_keyword))
    assert found is not None
    for name, gradient in found.items():
        compare(gradient, gradients[name], rtol=2e-3, atol=2e-3, what=f"in float32: the gradient of {name}")


@pytest.mark.parametrize("function", NOT_DISPATCHED, ids=lambda function: function.__name__)
def test_functions_that_do_not_ask_are_refused_by_conversion(function: Any) -> None:
    x = Variable(1.5, requires_grad=True)
    args = (2, x) if function is np.full else (np.zeros(2), x) if function is np.full_like else (x,)
    with pytest.raises((SourcediffError, ValueError)) as raised:
        function(*args)
    assert isinstance(raised.value, SourcediffError) or isinstance(raised.value.__cause__, SourcediffError)
