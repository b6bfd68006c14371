"""What the tests of bad and unusual input assert."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import SourcediffError

from .judge import copied, differing_bits, reference, wrong_gradient

MODES = ("compiled", "eager", "auto")
every_mode = pytest.mark.parametrize("mode", MODES)


def line_of(function: Callable[..., Any], snippet: str) -> str:
    """``file:line`` of the line of a function that says ``snippet``."""
    lines, first = inspect.getsourcelines(function)
    line = next(first + i for i, line in enumerate(lines) if snippet in line)
    return f"{inspect.getsourcefile(function)}:{line}"


def assert_as_eager(function: Callable[..., Any], x: np.ndarray) -> np.ndarray:
    """Gradient and tangent in mode ``"auto"`` are those of the eager engine, whatever parts fall back; the gradient."""
    expected = sourcediff.grad(function, mode="eager")(x)
    np.testing.assert_allclose(sourcediff.grad(function)(x), expected, rtol=1e-12)
    assert sourcediff.jvp(function, (x,), (np.cos(x),))[1] == pytest.approx(expected @ np.cos(x), rel=1e-12)
    return expected


def assert_clear(error: SourcediffError, *said: str, at: str | None = None) -> None:
    """What, where, why and the remedy are all in the message."""
    text = str(error)
    for word in said:
        assert word in text, f"{word!r} is not in:\n{text}"
    assert error.why or any(place.why for place in error.places), f"no reason in:\n{text}"
    assert error.remedy or any(place.remedy for place in error.places), f"no remedy in:\n{text}"
    if at is not None:
        assert at in text, f"{at} is not in:\n{text}"


def assert_right(function: Callable[..., Any], *args: Any, wrt: Any = 0, mode: str = "compiled", given: Any = None) -> None:
    """The gradient is right, and the arguments (or ``given``, the same again) end up as a plain call leaves them."""
    truth = reference(function, args, {}, wrt)
    given = copied(args) if given is None else given
    value, gradient = sourcediff.value_and_grad(function, wrt, mode=mode)(*given)
    wrong = wrong_gradient(gradient, function, given, {}, wrt, truth)
    assert not wrong, "\n".join(wrong)
    assert not differing_bits(given, truth.after[0])
    np.testing.assert_allclose(value, truth.value, rtol=1e-13)
