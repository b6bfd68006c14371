"""Reading functions: what is theirs and what is not, and the calls that find generated code again."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff.dispatch import fallback
from sourcediff.dispatch.shapes import shape
from sourcediff.errors import AliasingError, FallbackWarning, SourceUnavailableError
from sourcediff.syntax.source import read

X = np.array([3.0, 1.0])


def loaded(path: Path, text: str) -> Callable[..., Any]:
    path.write_text(text)
    spec = spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


# Source that is no longer the function's own.

PLAIN = "import numpy as np\n\ndef f(x):\n    return np.sum(x ** 2 - x)\n"
ASSERTING = PLAIN.replace("    return", "    assert x[0] > 0\n    return")
EDITS = {
    "a constant": lambda text: text.replace("2", "3"),
    "an operator": lambda text: text.replace("- x", "+ x"),
    "a function": lambda text: text.replace("np.sum", "np.mean"),
    "a line more": lambda text: text.replace("return", "x = 2 * x\n    return"),
    "moved": lambda text: "\n" + text,
    "emptied": lambda text: "# nothing\n" * 6,
}


@pytest.mark.parametrize("text", [PLAIN, ASSERTING], ids=["plain", "with an assert"])
@pytest.mark.parametrize("edit", EDITS)
def test_a_file_edited_since_it_was_imported_is_not_believed(tmp_path: Path, text: str, edit: str) -> None:
    f = loaded(tmp_path / "edited.py", text)
    (tmp_path / "edited.py").write_text(EDITS[edit](text))
    with pytest.raises(SourceUnavailableError):
        sourcediff.grad(f, mode="compiled")(X)
    with pytest.warns(FallbackWarning):
        np.testing.assert_array_equal(sourcediff.grad(f)(X), 2 * X - 1)


def maker() -> Callable[..., Any]:
    scale = 2.0

    def inner(x):
        """A docstring
      that is indented less.
        """
        text = """two
  lines"""
        assert len(text) > 3, f"too short: {text}"
        return np.sum((x *
    scale) ** 2) * len(text)

    return inner


class Model:
    __rate = 3.0

    def loss(self, x):
        return np.sum(x ** 2) * self.__rate

    @staticmethod
    def plain(x):
        return np.sum(x ** 2)

    @classmethod
    def of_the_class(cls, x):
        return np.sum(x ** 3)

    @sourcediff.grad
    def slope(self, x):
        return np.sum(x ** 2)


def test_functions_wherever_they_stand() -> None:
    np.testing.assert_array_equal(sourcediff.grad(maker(), mode="compiled")(X), 8 * len("two\n  lines") * X)
    np.testing.assert_array_equal(sourcediff.grad(Model().loss, mode="compiled")(X), 6 * X)
    np.testing.assert_array_equal(sourcediff.grad(Model.plain, mode="compiled")(X), 2 * X)
    np.testing.assert_array_equal(sourcediff.grad(Model.of_the_class, mode="compiled")(X), 3 * X ** 2)
    np.testing.assert_array_equal(Model().slope(X), 2 * X)


# Wrappers are functions of their own.


def doubled(function):
    @functools.wraps(function)
    def wrapper(x):
        return 2 * function(x)

    return wrapper


def doubled_anyhow(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return 2 * function(*args, **kwargs)

    return wrapper


@doubled
def squares(x):
    return np.sum(x ** 2)


@doubled_anyhow
def more_squares(x):
    return np.sum(x ** 2)


def uses_squares(x):
    return squares(x) * x[0]


def cube(x):
    return x ** 3


def slope_of_squares(x):
    return np.sum(sourcediff.grad(Model.plain)(x) ** 2)


def test_what_a_decorator_does_is_differentiated_too() -> None:
    np.testing.assert_array_equal(sourcediff.grad(squares, mode="compiled")(X), 4 * X)
    np.testing.assert_array_equal(sourcediff.grad(uses_squares, mode="compiled")(X), 4 * X * X[0] + [2 * np.sum(X ** 2), 0])
    np.testing.assert_array_equal(sourcediff.grad(more_squares, mode="compiled")(X), 4 * X)


def test_a_gradient_of_a_gradient_is_the_second_derivative() -> None:
    assert sourcediff.grad(sourcediff.grad(cube), mode="compiled")(2.0) == 12.0
    assert sourcediff.grad(sourcediff.grad(sourcediff.grad(cube)), mode="compiled")(2.0) == 6.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        assert sourcediff.grad(sourcediff.grad(cube))(2.0) == 12.0
        np.testing.assert_array_equal(sourcediff.grad(slope_of_squares)(X), 8 * X)


def test_a_compiled_gradient_of_variables_is_on_their_graph() -> None:
    x = sourcediff.Variable(X, requires_grad=True)
    slope = sourcediff.grad(Model.of_the_class, mode="compiled")(x)
    assert isinstance(slope, sourcediff.Variable)
    np.testing.assert_array_equal(slope.data, 3 * X ** 2)


# Warm calls: what is found again is what belongs to the call.

WEIGHT: Any = np.ones(2)


class Settings:
    rate: Any = 2.0


def weighted(x, *, power=2):
    return np.sum(WEIGHT * x ** power) * np.sum(Settings.rate * np.ones(2))


def test_keywords_globals_and_class_attributes_are_those_of_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = sourcediff.grad(weighted, mode="compiled")
    np.testing.assert_array_equal(gradient(X), 8 * X)
    np.testing.assert_array_equal(gradient(X, power=3), 12 * X ** 2)
    np.testing.assert_array_equal(gradient(x=X), 8 * X)
    for weight, total in ((np.array([2.0, 5.0]), [2, 5]), (np.ones((3, 2)), [3, 3]), (np.ones((3, 1)), [3, 3]), (4.0, [4, 4])):
        monkeypatch.setitem(globals(), "WEIGHT", weight)
        for _ in range(2):
            np.testing.assert_array_equal(gradient(X), 8 * X * total)
    monkeypatch.setattr(Settings, "rate", np.ones((3, 2)))
    np.testing.assert_array_equal(gradient(X), 2 * 6 * X * 4)


def shadowed(x):
    return sum(x)


def test_a_global_that_hides_a_builtin_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = sourcediff.grad(shadowed, mode="compiled")
    np.testing.assert_array_equal(gradient(X), [1, 1])
    monkeypatch.setitem(globals(), "sum", Model.plain)
    np.testing.assert_array_equal(gradient(X), 2 * X)


def first_times_second(p):
    return p[0] * p[1] ** 2


def test_ints_and_numpy_scalars_in_a_list_have_specialisations_of_their_own() -> None:
    gradient = sourcediff.grad(first_times_second, mode="compiled")
    for _ in range(2):
        for p in ([1, 2], [1.0, 2.0], (1, 2.0), [np.float64(1), 2.0], [np.float32(1), 2.0]):
            found = gradient(p)
            assert type(found) is type(p) and found[0] == 4 and found[1] == 4
            assert [type(part) for part in found] == [float if isinstance(part, int) else type(part) for part in p]


def store_from_a_dict(x, p):
    x[0] = p["a"][0] * 2
    return np.sum(x * p["a"])


def test_sharing_inside_a_structure_is_seen() -> None:
    gradient = sourcediff.grad(store_from_a_dict)
    x = X.copy()
    for _ in range(2):
        np.testing.assert_array_equal(gradient(x, {"a": X}), [0, 1])
        with pytest.raises(AliasingError, match="shares its memory"):
            gradient(x, {"a": x})


def test_the_shape_of_a_call() -> None:
    assert shape([1.0, X]) == shape([2.0, -X]) != shape((1.0, X))
    assert shape({"a": X, "b": 1}) == shape({"a": X, "b": 2}) != shape({"b": 1, "a": X})
    assert shape({"a": object()}) is None and shape(Model()) is None
    assert shape(X.astype(">f8")) != shape(X)


# Loops over dicts.


def over_a_dict(p):
    total = 0.0
    for name in p:
        if name != "b":
            total = total + np.sum(p[name]["w"] ** 2) * len(name)
    for name, layer in p.items():
        total = total * np.sum(layer["w"]) * len(name)
    for layer in p.values():
        total = np.sum(layer["w"] * total)
    return total


def test_loops_over_keys_items_and_values() -> None:
    p = {"aa": {"w": X}, "b": {"w": 2 * X}}
    compiled = sourcediff.grad(over_a_dict, mode="compiled")(p)
    eager = sourcediff.grad(over_a_dict, mode="eager")(p)
    for name in p:
        np.testing.assert_allclose(compiled[name]["w"], eager[name]["w"], rtol=1e-14)


def repeats_a_list(p):
    twice = p * 2
    return np.sum(twice[0] * twice[1])


def joins_lists(p, q):
    both = p + q
    return np.sum(both[0] * both[1])


def reads_text(x):
    return float(str(x[0])) * x[1]


def test_arithmetic_of_lists_is_not_arithmetic_of_arrays() -> None:
    (repeated,) = sourcediff.grad(repeats_a_list, mode="compiled")([X])
    np.testing.assert_allclose(repeated, 2 * X)
    (joined,) = sourcediff.grad(joins_lists, mode="compiled")([X], [X ** 2])
    np.testing.assert_allclose(joined, X ** 2)
    with pytest.raises(sourcediff.SourcediffError, match="str"):
        sourcediff.grad(reads_text, mode="compiled")(X)


def test_the_tree_has_no_decorators() -> None:
    assert read(Model.plain).tree.decorator_list == []


LISTED = [lambda x, k=k: np.sum(x ** k) for k in range(1, 4)]
BY_NUMBER = {k: lambda x, k=k: np.sum(x ** k) for k in range(1, 4)}
IN_A_SET = {lambda x: np.sum(x ** 2) for _ in range(1)}
GENERATED = tuple((lambda x, k=k: np.sum(x ** k)) for k in range(1, 4))


class Kept:
    __power = 2

    listed = tuple([lambda self, x: np.sum(x ** self.__power) for _ in range(2)])

    def made(self):
        def inner(x):
            return np.sum(x ** self.__power)
        return inner

    def made_in_a_list(self):
        return [lambda x: np.sum(x ** self.__power) for _ in range(2)]


def nested():
    powers = [lambda x, k=k: x ** k for k in range(1, 4)]
    return [[lambda x, power=power: np.sum(power(x)) for _ in range(2)] for power in powers]


@pytest.mark.parametrize("function", [
    LISTED[1], BY_NUMBER[2], *IN_A_SET, GENERATED[1], Kept().made(), Kept().made_in_a_list()[1], nested()[1][1],
    functools.partial(Kept.listed[1], Kept()),
], ids=["list", "dict", "set", "generator", "method", "list in a method", "list in a list", "list in a class"])
def test_functions_in_comprehensions_and_in_methods_are_found(function: Callable[..., Any]) -> None:
    wrt = "x" if isinstance(function, functools.partial) else 0
    np.testing.assert_allclose(sourcediff.grad(function, wrt, mode="compiled")(X), 2 * X)


def at_the_prompt(name: str) -> Any:
    space: dict[str, Any] = {"np": np}
    exec(compile(f"def {name}(x):\n    return np.sum(x ** 2)\n", "<stdin>", "exec"), space)
    return space[name]


def test_functions_typed_at_the_prompt_say_it_once_for_all(monkeypatch):
    monkeypatch.setattr(fallback, "AT_THE_PROMPT", set())
    with pytest.warns(FallbackWarning, match="keeps its source from Python") as said:
        for name in ("first", "second"):
            np.testing.assert_allclose(sourcediff.grad(at_the_prompt(name))(np.ones(2)), 2.0)
    assert len(said) == 1


def test_a_refusal_does_not_show_where_the_compiler_was():
    with pytest.raises(SourceUnavailableError) as caught:
        sourcediff.gradient_source(at_the_prompt("third"))
    modules = [entry.path.name for entry in caught.traceback]
    assert modules[-1] == "internal_errors.py" and caught.value.__cause__ is None and caught.value.__suppress_context__


def test_the_general_text_says_so_in_its_last_line():
    assert sourcediff.gradient_source(documented).splitlines()[-1].startswith("# The general text. ")
    assert "The general text" not in sourcediff.gradient_source(documented, args=(2.0,))


def documented(x):
    return x ** 2
