"""Every public callable of NumPy's, applied to a Variable that requires grad: right, a true constant, or an error that says so.

What may come out: a result with the gradient that numbers give; a result without one whose numbers do not depend on the Variable (or
are no floats); an error of this package's (also wrapped by NumPy); the error that NumPy raises on the plain array. Nothing else.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import itertools
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

from sourcediff.eager import Variable, grad
from sourcediff.errors import InPlaceError, SourcediffError
from tests.sampling import chosen

NAMESPACES = {"np": np, "np.linalg": np.linalg, "np.fft": np.fft, "np.random": np.random}
SETTINGS = frozenset(
    "test set_printoptions seterr seterrcall setbufsize set_state set_bit_generator seed show_config show_runtime info get_include "
    "fromfile fromregex genfromtxt loadtxt memmap open_memmap save savetxt savez savez_compressed load".split()
)
"""Of the process (or of files), not of arrays."""

RAISED_BY_NUMPY = {
    "np.nditer": "Iterator operand is flagged as writeable", "np.ndarray": "", "np.broadcast": "", "np.frombuffer": "bytes-like",
    "np.fromstring": "bytes-like",
    "np.from_dlpack": "__dlpack__", "np.bmat": "",
}
"""What looks at memory, or asks isinstance(x, np.ndarray), without asking the object: an error of its own, or no numbers."""

UNUSUAL = {
    "np.average(x, [0, 1])": "a list as axis", "np.polyval(x, x)": "coefficients of two dimensions", "np.polyval(x, 1)": "the same",
    "np.polyval(x, 0.5)": "the same", "np.trapezoid(shape, x)": "two points for the heights and three for the places, which broadcast",
    "np.trapz(shape, x)": "its former name",
}
"""Calls whose backward pass fails, loudly, with NumPy's error of shapes: what the rule does not expect."""

VECTOR = np.array([0.12, 0.31, 0.57, 0.84])
MATRIX = np.array([[2.31, 0.84, 0.12], [0.84, 1.93, 0.44], [0.12, 0.44, 2.78]])  # symmetric: some functions read one triangle
DIRECTIONS = {
    VECTOR.shape: np.array([0.7, -1.1, 0.4, 0.9]), MATRIX.shape: np.array([[0.7, -1.1, 0.4], [-1.1, 0.3, -0.8], [0.4, -0.8, 0.6]]),
}
ARGUMENTS: dict[str, Callable[[Any], tuple[Any, ...]]] = {
    "x": lambda x: (x,), "x, x": lambda x: (x, x), "x, 1": lambda x: (x, 1), "1, x": lambda x: (1, x), "x, 0.5": lambda x: (x, 0.5),
    "[x, x]": lambda x: ([x, x],), "x, x, x": lambda x: (x, x, x), "x, [0, 1]": lambda x: (x, [0, 1]), "x, 0, 1": lambda x: (x, 0, 1),
    "x > 0.5, x": lambda x: (np.array([True, False] * 8)[:x.shape[0]], x), "x, 0.2, 0.7": lambda x: (x, 0.2, 0.7),
    "shape, x": lambda x: (x.shape, x), "[x[0], x[1]]": lambda x: ([x[0], x[1]],), "x[0], 2.5, 4": lambda x: (x[0], 2.5, 4),
    "len, x": lambda x: (x.shape[0], x), "condition, x, 0": lambda x: (np.array([True, False] * 8)[:x.shape[0]], x, 0.0),
}
FORMULAS = {"ij->j": lambda x: ("i...->...", x), "ii,ij": lambda x: ("i,i...->...", x if x.ndim == 1 else x[0], x)}


class Outcome(NamedTuple):
    call: str
    said: str
    fine: bool


def callables() -> Iterator[tuple[str, Any]]:
    for space, module in NAMESPACES.items():
        for name in sorted(dir(module)):
            function = getattr(module, name)
            is_exception = isinstance(function, type) and issubclass(function, (BaseException, Warning))
            if not name.startswith("_") and name not in SETTINGS and callable(function) and not is_exception:
                yield f"{space}.{name}", function


def quiet(function: Any, args: tuple[Any, ...]) -> Any:
    """Call it with the same random numbers, without its prints and warnings."""
    legacy = np.random.mtrand._rand  # what the functions of np.random draw from
    state = legacy.get_state()
    legacy.seed(7)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            return function(*args)
    finally:
        legacy.set_state(state)


def floats(value: Any) -> list[Any]:
    """The floating-point arrays and numbers in a result; of what is no array, number or sequence: none."""
    if isinstance(value, (list, tuple)):
        return [part for item in value for part in floats(item)]
    data = value._value if isinstance(value, Variable) else value
    return [value] if isinstance(data, (np.ndarray, np.generic, float)) and np.asarray(data).dtype.kind in "fc" else []


def weighted(parts: list[Any]) -> float:
    with np.errstate(invalid="ignore"):  # inf - inf, of np.gradient(x, 0)
        return sum(float(np.sum(np.real(np.asarray(part)) * weights(i, part))) for i, part in enumerate(parts))


def weights(i: int, part: Any) -> Any:
    """Those of the i-th result."""
    return (i + 1) * np.cos(np.arange(np.size(part)).reshape(np.shape(part)))


def slope(function: Any, make: Any, at: Any) -> float | None:
    """The derivative of a weighted sum of the results along a direction; None where numbers do not tell."""
    direction = DIRECTIONS[at.shape]
    try:
        if weighted(floats(quiet(function, make(at.copy())))) != weighted(floats(quiet(function, make(at.copy())))):
            return None  # uninitialised memory
        found = []
        for step in (1e-5, 1e-6):
            above, below = (floats(quiet(function, make(at + sign * step * direction))) for sign in (1, -1))
            found.append((weighted(above) - weighted(below)) / (2 * step))
    except (ValueError, TypeError, IndexError, np.linalg.LinAlgError):
        return None
    known = np.isfinite(found).all() and np.isclose(*found, rtol=1e-3, atol=1e-3)
    return found[1] if known else None


def outcome(name: str, function: Any, spelling: str, make: Any, at: Any) -> Outcome | None:
    """What a call comes to; None where NumPy does not take it on the plain array."""
    try:
        plain, refused = quiet(function, make(at.copy())), None
    except Exception as error:  # NumPy's own: which one decides below
        plain, refused = None, error
    call = f"{name}({spelling})"
    x = Variable(at.copy(), requires_grad=True)
    try:
        result = quiet(function, make(x))
    except SourcediffError as error:
        return Outcome(call, f"{type(error).__name__}: {error.problem}", bool(error.why and error.remedy) or refused is not None)
    except Exception as error:
        if isinstance(error.__cause__, SourcediffError):
            return Outcome(call, f"wrapped {error.__cause__}", True)
        if refused is not None:
            alike = isinstance(error, (type(refused), TypeError, ValueError, LookupError))
            return Outcome(call, f"{type(error).__name__}: {error}", alike)
        known = name in RAISED_BY_NUMPY and RAISED_BY_NUMPY[name] in str(error)
        return Outcome(call, f"{type(error).__name__}: {error}", known)
    if refused is not None:  # a Variable has a dtype, and may stand for it, which an array may not
        stands = any(word in str(refused) for word in ("dtype", "data type"))
        return Outcome(call, f"a result, where NumPy raises {type(refused).__name__}: {refused}", stands)
    parts = floats(result)
    expected = slope(function, make, at)
    active = [(i, part) for i, part in enumerate(parts) if isinstance(part, Variable) and part.requires_grad]
    if not active:
        same = expected is None or abs(expected) < 1e-6 or not floats(plain) or result is None
        return Outcome(call, "constant" if same else f"constant, but its slope is {expected}", same)
    seeds = [weights(i, part._value).astype(part.dtype) for i, part in active]
    try:
        (gradient,) = quiet(lambda parts: grad(parts, x, seeds, allow_unused=True), ([part for _, part in active],))
    except SourcediffError as error:
        fine = bool(error.remedy) and not isinstance(error, InPlaceError) or call in UNUSUAL
        return Outcome(call, f"in its backward pass {type(error).__name__}: {error.problem}", fine)
    except Exception as error:
        return Outcome(call, f"in its backward pass {type(error).__name__}: {error}", call in UNUSUAL)
    got = 0.0 if gradient is None else float(np.sum(gradient.data * DIRECTIONS[at.shape]))
    right = expected is None or np.isclose(got, expected, rtol=1e-4, atol=1e-5)
    for part, value in zip(parts, floats(plain)):
        right = right and np.array_equal(part._value if isinstance(part, Variable) else part, value, equal_nan=True)
    return Outcome(call, f"gradient {got}, numbers {expected}", bool(right))


def outcomes(name: str, function: Any) -> list[Outcome]:
    made = {**ARGUMENTS, **FORMULAS} if "einsum" in name else ARGUMENTS
    calls = chosen(4, itertools.product((VECTOR, MATRIX), made.items()), name, name=lambda call: f"{call[0].ndim} {call[1][0]}")
    found = (outcome(name, function, spelling, make, at) for at, (spelling, make) in calls)
    return [each for each in found if each is not None]


@pytest.mark.parametrize("space", NAMESPACES)
def test_nothing_is_silently_lost(space: str) -> None:
    found = [each for name, function in callables() if name.rpartition(".")[0] == space for each in outcomes(name, function)]
    assert len(found) > 50
    wrong = [each for each in found if not each.fine]
    table = "\n".join(f"{each.call:40} {each.said}" for each in wrong)
    assert not wrong, f"of {len(found)} calls\n{table}"


def test_the_check_sees_a_lost_gradient() -> None:
    def loses(x: Any) -> Any:
        return np.sin(x.data if isinstance(x, Variable) else x)

    def wrong(x: Any) -> Any:
        return np.sin(x.detach()) * 1.0 + 0.5 * x - 0.5 * x.detach() if isinstance(x, Variable) else np.sin(x)

    def crashes(x: Any) -> Any:
        if isinstance(x, Variable):
            raise AttributeError("something inside")
        return x

    for function in (loses, wrong, crashes):
        assert any(not each.fine for each in outcomes(function.__name__, function))
    assert all(each.fine for each in outcomes("sin", np.sin)) and inspect.isfunction(loses)
