"""What lies outside the compiler's language is refused with every place at once, or it is right. It is never half right.

Each construct is a piece of source in which ``$`` stands before the place that a refusal has to point at.
"""

from __future__ import annotations

import sys
import textwrap
import warnings
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import FallbackWarning, SourcediffError, UnsupportedSyntaxError
from tests.corpus.judge import copied, reference, without_output, wrong_gradient

# Nobody can differentiate these: they have to be refused.
HOPELESS = {
    "yield": """
        def f(x):
            $yield np.sum(x)
    """,
    "yield_as_a_value": """
        def f(x):
            y = $yield np.sum(x)
            return y
    """,
    "yield_from": """
        def f(x):
            $yield from x
    """,
    "async_function": """
        $async def f(x):
            return np.sum(x)
    """,
    "await": """
        $async def f(x):
            y = $await x
            return np.sum(y)
    """,
    "async_for": """
        $async def f(x):
            total = 0.0
            $async for v in x:
                total += v
            return total
    """,
}

# The compiler cannot see through these, though the eager engine may.
OPAQUE = {
    "eval": """
        def f(x):
            return $eval("np.sum(x ** 2)")
    """,
    "exec": """
        def f(x):
            $exec("pass")
            return np.sum(x ** 2)
    """,
    "locals": """
        def f(x):
            y = $locals()["x"]
            return np.sum(y ** 2)
    """,
    "globals": """
        def f(x):
            y = $globals()["np"]
            return y.sum(x ** 2)
    """,
    "global_store": """
        def f(x):
            $global counter
            counter = 1
            return np.sum(x ** 2)
    """,
}

# Outside the language as it stands: refused now, perhaps right one day.
OUTSIDE = {
    "break": """
        def f(x):
            total = 0.0
            for v in x:
                if v > 1.0:
                    $break
                total += v ** 2
            return total
    """,
    "continue": """
        def f(x):
            total = 0.0
            for v in x:
                if v > 1.0:
                    $continue
                total += v ** 2
            return total
    """,
    "break_out_of_while": """
        def f(x):
            s = x[0]
            while True:
                s = s * 1.5 + x[1]
                if s > 10:
                    $break
            return s
    """,
    "return_inside_a_for": """
        def f(x):
            for v in x:
                if v > 1.0:
                    $return v ** 2
            return np.sum(x)
    """,
    "return_inside_a_while": """
        def f(x):
            s = x[0]
            while s < 100:
                s = s * 2
                if s > 4:
                    $return s * x[1]
            return s
    """,
    "early_return": """
        def f(x):
            if np.sum(x) > 0:
                $return np.sum(x ** 2)
            y = x * 2
            return np.sum(y ** 3)
    """,
    "code_after_return": """
        def f(x):
            return np.sum(x ** 2)
            $return np.sum(x ** 3)
    """,
    "missing_return_in_a_branch": """
        def f(x):
            $if np.sum(x) > 0:
                return np.sum(x ** 2)
    """,
    "for_else": """
        def f(x):
            total = 0.0
            $for v in x:
                total += v ** 2
            else:
                total *= 2
            return total
    """,
    "while_else": """
        def f(x):
            s = x[0]
            $while s < 5:
                s = s * 2
            else:
                s = s + x[1]
            return s
    """,
    "try": """
        def f(x):
            $try:
                y = x ** 2
            except ValueError:
                y = x
            return np.sum(y)
    """,
    "try_finally": """
        def f(x):
            $try:
                y = x ** 2
            finally:
                z = x * 3
            return np.sum(y * z)
    """,
    "with": """
        def f(x):
            $with np.errstate(all="ignore"):
                y = x ** 2
            return np.sum(y)
    """,
    "raise": """
        def f(x):
            if x[0] > 100:
                $raise ValueError("too large")
            return np.sum(x ** 2)
    """,
    "lambda": """
        def f(x):
            g = $lambda v: v ** 2
            return np.sum(g(x))
    """,
    "nested_function": """
        def f(x):
            $def g(v):
                return v ** 2
            return np.sum(g(x))
    """,
    "nested_class": """
        def f(x):
            $class Box:
                value = 2.0
            return np.sum(x ** 2) * Box.value
    """,
    "list_comprehension": """
        def f(x):
            parts = $[v ** 2 for v in x]
            return parts[0] + parts[1] * parts[0]
    """,
    "conditional_comprehension": """
        def f(x):
            return sum($[v ** 2 for v in x if v > 0.8])
    """,
    "dict_comprehension": """
        def f(x):
            d = ${k: v * 2 for k, v in enumerate(x)}
            return d[0] * d[1]
    """,
    "set_comprehension": """
        def f(x):
            s = ${k for k in range(3)}
            return np.sum(x ** 2) * len(s)
    """,
    "generator_expression": """
        def f(x):
            return sum($(v ** 2 for v in x))
    """,
    "del_name": """
        def f(x):
            y = x ** 2
            $del x
            return np.sum(y)
    """,
    "del_item": """
        def f(x):
            d = {"a": x, "b": x * 2}
            $del d["b"]
            return np.sum(d["a"] ** 2)
    """,
    "starred_target": """
        def f(x):
            a, $*b = x
            return a * b[0]
    """,
    "starred_argument": """
        def f(x):
            return np.hypot($*x)
    """,
    "double_starred_argument": """
        def f(x):
            options = {"axis": 0}
            return np.sum(x ** 2, $**options)
    """,
    "variable_parameters": """
        def f(x, $*rest):
            return np.sum(x ** 2)
    """,
    "variable_keywords": """
        def f(x, $**rest):
            return np.sum(x ** 2)
    """,
    "walrus": """
        def f(x):
            y = ($z := x * 2) * x
            return np.sum(y * z)
    """,
    "walrus_in_a_condition": """
        def f(x):
            if ($s := np.sum(x)) > 0:
                return s ** 2
            else:
                return s
    """,
    "match": """
        def f(x):
            $match len(x):
                case 2:
                    return np.sum(x ** 2)
                case _:
                    return np.sum(x)
    """,
    "import_inside": """
        def f(x):
            $import math
            return math.sin(x[0]) * x[1]
    """,
    "import_from_inside": """
        def f(x):
            $from math import sin
            return sin(x[0]) * x[1]
    """,
    "nonlocal": """
        def maker():
            count = 0

            def f(x):
                $nonlocal count
                count = count + 1
                return np.sum(x ** 2)

            return f

        f = maker()
    """,
    "attribute_store": """
        class Box:
            value = 0.0

        box = Box()

        def f(x):
            $box.value = x[0] * x[1]
            return box.value ** 2
    """,
    "global_item_store": """
        memory = {}

        def f(x):
            $memory["y"] = x * 2
            return np.sum(memory["y"] ** 2)
    """,
    "recursion": """
        def f(x, depth=3):
            if depth == 0:
                return np.sum(x ** 2)
            else:
                return $f(np.sin(x), depth - 1)
    """,
    "mutual_recursion": """
        def f(x, depth=3):
            return np.sum(x) if depth == 0 else $g(x * x, depth - 1)

        def g(x, depth):
            return np.sum(x) if depth == 0 else f(np.sin(x), depth - 1)
    """,
    "iteration_over_a_dict": """
        def f(x):
            d = {"a": x, "b": x * 2}
            total = 0.0
            for k in $d:
                total += np.sum(d[k] ** 2)
            return total
    """,
    "iteration_over_items": """
        def f(x):
            d = {"a": x, "b": x * 2}
            total = 0.0
            for k, v in $d.items():
                total += np.sum(v ** 2)
            return total
    """,
    "iteration_over_a_set": """
        def f(x):
            total = 0.0
            for k in ${1, 2, 3}:
                total += np.sum(x) ** k
            return total
    """,
    "reversed": """
        def f(x):
            total = 0.0
            for v in $reversed(x):
                total = total * 0.5 + v
            return total
    """,
    "list_append": """
        def f(x):
            parts = []
            for v in x:
                $parts.append(v ** 2)
            return parts[0] * parts[1]
    """,
    "list_multiplication": """
        def f(x):
            parts = [x] * 2
            return np.sum(parts[0] * parts[1])
    """,
    "string_formatting_as_a_value": """
        def f(x):
            name = f"{len(x)}"
            return np.sum(x) ** int(name)
    """,
    "matrix_class_operator": """
        def f(x):
            y = x
            y @= np.eye(2)
            return np.sum(y ** 2)
    """,
    "bit_operators": """
        def f(x):
            keep = (x > 0) & ~(x > 100) | (x < -100)
            return np.sum(x[keep] ** 2) * (3 ^ 1) * (1 << 2)
    """,
    "loop_over_a_string": """
        def f(x):
            total = 0.0
            for letter in "ab":
                total += np.sum(x ** 2) * len(letter)
            return total
    """,
    "loop_target_is_an_element": """
        def f(x):
            b = np.zeros(2)
            for $b[0] in x:
                pass
            return np.sum(b ** 2)
    """,
    "store_into_a_list": """
        def f(x):
            parts = [x, x]
            $parts[0] = x * 3
            return np.sum(parts[0] * parts[1])
    """,
    "decorated_helper": """
        def twice(g):
            def doubled(x):
                return 2 * g(x)
            return doubled

        @twice
        def helper(x):
            return np.sum(x ** 2)

        def f(x):
            return helper(x) * x[0]
    """,
    "method_of_an_object": """
        class Model:
            scale = 3.0

            def loss(self, x):
                return np.sum(x ** 2) * self.scale

        model = Model()

        def f(x):
            return $model.loss(x)
    """,
    "callable_object": """
        class Model:
            def __call__(self, x):
                return np.sum(x ** 2)

        model = Model()

        def f(x):
            return $model(x)
    """,
    "function_from_a_container": """
        activations = {"square": np.square}

        def f(x):
            return np.sum($activations["square"](x))
    """,
    "partial": """
        import functools
        cubed = functools.partial(np.power, x2=3)

        def power(x, p):
            return np.sum(x ** p)

        cube = functools.partial(power, p=3)

        def f(x):
            return $cube(x)
    """,
    "conditional_function": """
        def f(x):
            g = np.sin if x[0] > 0 else np.cos
            return np.sum(g(x))
    """,
    "short_circuit_value": """
        def f(x):
            y = None
            z = y or x
            return np.sum(z ** 2)
    """,
    "type_switch": """
        def f(x):
            if isinstance(x, np.ndarray):
                return np.sum(x ** 2)
            else:
                return x
    """,
}

if sys.version_info >= (3, 11):
    OUTSIDE["except_star"] = """
        def f(x):
            $try:
                y = x ** 2
            except* ValueError:
                y = x
            return np.sum(y)
    """
if sys.version_info >= (3, 12):
    OUTSIDE["type_alias_and_parameters"] = """
        $def f[T](x: T):
            return np.sum(x ** 2)
    """

MAY_NEED_NO_PLACE = ("missing_return_in_a_branch", "type_alias_and_parameters", "code_after_return")


class Loaded(NamedTuple):
    """A function in a file of its own, and the places in it (line, column, the line) that a refusal has to name."""

    function: Callable[..., Any]
    file: str
    places: list[tuple[int, int, str]]


def load(source: str, folder: Path, name: str) -> Loaded:
    text = "import numpy as np\n\n\n" + textwrap.dedent(source).strip() + "\n"
    places = []
    for number, line in enumerate(text.splitlines(), 1):
        while "$" in line:
            column = line.index("$")
            line = line.replace("$", "", 1)
            places.append((number, column, line.replace("$", "")))
    path = folder / f"{name}.py"
    path.write_text(text.replace("$", ""))
    spec = spec_from_file_location(f"refused_{name}", path)
    assert spec and spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return Loaded(module.f, str(path), places)


POINT = (np.array([0.75, 1.625]),)


def assert_refused_well(error: UnsupportedSyntaxError, loaded: Loaded) -> None:
    """Every place, in reading order, with the line, a caret under the construct, a reason and a remedy."""
    text = str(error)
    assert error.places, text
    assert [place.line for place in error.places] == sorted(place.line for place in error.places), text
    named = {(place.line, place.column) for place in error.places}
    for line, column, source in loaded.places:
        assert line in {at for at, _ in named}, f"line {line}, {source.strip()!r}, is not named in:\n{text}"
        assert (line, column) in named, f"the caret is not under column {column} of {source.strip()!r} in:\n{text}"
    lines = Path(loaded.file).read_text().splitlines()
    for place in error.places:
        assert place.file == loaded.file and place.text == lines[place.line - 1], place
        assert f"{loaded.file}:{place.line}" in text and place.text.strip() in text
        assert place.problem and place.why and place.remedy, place
        assert place.column is None or 0 <= place.column < len(place.text)


def assert_right(gradient: Any, loaded: Loaded) -> None:
    wrong = wrong_gradient(gradient, loaded.function, POINT, {}, 0, reference(loaded.function, POINT, {}, 0))
    assert not wrong, "not refused, and wrong:\n" + "\n".join((Path(loaded.file).read_text(), *wrong))


def table(*tables: dict[str, str]) -> Any:
    return pytest.mark.parametrize("name, source", [pair for part in tables for pair in part.items()], ids=lambda value: value.split("\n")[0])


@table(HOPELESS, OPAQUE)
def test_what_cannot_be_compiled_is_refused(name: str, source: str, tmp_path: Path) -> None:
    loaded = load(source, tmp_path, name)
    with pytest.raises(UnsupportedSyntaxError) as caught:
        sourcediff.grad(loaded.function, mode="compiled")(*copied(POINT))
    assert_refused_well(caught.value, loaded)


@table(OUTSIDE)
def test_what_is_outside_the_language_is_refused_or_right(name: str, source: str, tmp_path: Path) -> None:
    loaded = load(source, tmp_path, name)
    try:
        gradient = sourcediff.grad(loaded.function, mode="compiled")(*copied(POINT))
    except UnsupportedSyntaxError as refusal:
        if name not in MAY_NEED_NO_PLACE:
            assert_refused_well(refusal, loaded)
        assert refusal.places and all(place.why and place.remedy for place in refusal.places), refusal
    else:
        assert_right(gradient, loaded)


@table(OPAQUE, OUTSIDE)
def test_auto_warns_with_the_same_list_and_answers_rightly(name: str, source: str, tmp_path: Path) -> None:
    """Either compiled after all, or run eagerly with a warning that lists the very places; a refusal by both is allowed."""
    loaded = load(source, tmp_path, name)
    try:
        sourcediff.grad(loaded.function, mode="compiled")(*copied(POINT))
        listed: tuple[Any, ...] = ()
    except UnsupportedSyntaxError as refusal:
        listed = refusal.places
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            gradient = sourcediff.grad(loaded.function)(*copied(POINT))
        except SourcediffError as refusal:
            assert refusal.why or any(place.why for place in refusal.places), refusal
            gradient = None
    fallbacks = [w for w in caught if issubclass(w.category, FallbackWarning)]
    assert len(fallbacks) == (1 if listed else 0), [str(w.message) for w in caught]
    for place in listed:
        assert f"{place.file}:{place.line}" in str(fallbacks[0].message)
        assert place.problem in str(fallbacks[0].message)
    if listed:
        assert fallbacks[0].filename == __file__, "the warning has to point at the caller's line"
    if gradient is not None:
        assert_right(gradient, loaded)


@table(HOPELESS)
def test_auto_cannot_help_where_nobody_can(name: str, source: str, tmp_path: Path) -> None:
    loaded = load(source, tmp_path, name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the fallback's, and Python's own of a coroutine that was never awaited
        with pytest.raises((SourcediffError, TypeError)):
            sourcediff.grad(loaded.function)(*copied(POINT))


EVERYTHING_AT_ONCE = """
    def f(x):
        $with np.errstate(all="ignore"):
            y = x ** 2
        $try:
            z = $[v for v in y]
        except ValueError:
            z = $(lambda v: v)(y)
        $global memory
        total = 0.0
        for v in z:
            total += $eval("v")
        $del y
        return total
"""


def test_all_places_come_at_once_and_in_order(tmp_path: Path) -> None:
    """One run tells everything; a place inside a refused block may be left to the block, the blocks may not."""
    loaded = load(EVERYTHING_AT_ONCE, tmp_path, "everything")
    with pytest.raises(UnsupportedSyntaxError) as caught:
        sourcediff.grad(loaded.function, mode="compiled")(*copied(POINT))
    named = {(place.line, place.column) for place in caught.value.places}
    outer = [place for place in loaded.places if place[2].startswith("    ") and not place[2].startswith(" " * 8)]
    assert len(outer) == 4
    assert {(line, column) for line, column, _ in outer} <= named, str(caught.value)
    assert any(line == loaded.places[5][0] for line, _ in named), f"eval in the loop is not named:\n{caught.value}"
    assert [place.line for place in caught.value.places] == sorted(place.line for place in caught.value.places)
    assert len({(place.line, place.column, place.problem) for place in caught.value.places}) == len(caught.value.places), "told twice"


def test_a_refused_helper_is_named_in_its_own_file_and_line(tmp_path: Path) -> None:
    loaded = load("""
        def helper(v):
            $with np.errstate(all="ignore"):
                w = v ** 2
            return w

        def f(x):
            return np.sum(helper(x))
    """, tmp_path, "helper")
    with pytest.raises(UnsupportedSyntaxError) as caught:
        sourcediff.grad(loaded.function, mode="compiled")(*copied(POINT))
    assert_refused_well(caught.value, loaded)
    with pytest.warns(FallbackWarning, match=f"helper.py:{loaded.places[0][0]}"):
        gradient = sourcediff.grad(loaded.function)(*copied(POINT))
    assert_right(gradient, loaded)


def test_nothing_ran_before_a_refusal(tmp_path: Path) -> None:
    loaded = load("""
        def f(x):
            print("side effect")
            x[0] = 100.0
            $del x
            return eval("1.0")
    """, tmp_path, "untouched")
    x = POINT[0].copy()

    def attempt() -> None:
        with pytest.raises(UnsupportedSyntaxError):
            sourcediff.grad(loaded.function, mode="compiled")(x)

    _, printed = without_output(attempt)
    assert printed == "" and x.tolist() == POINT[0].tolist()


def test_columns_count_characters_and_survive_tabs_and_wide_letters(tmp_path: Path) -> None:
    """Python counts columns in UTF-8 bytes; a caret has to stand under the character."""
    loaded = load("""
        def f(x):
            größe, ν = "äöü", 2.0; y = $eval("x")
            return np.sum(y ** 2) * ν
    """, tmp_path, "wide")
    with pytest.raises(UnsupportedSyntaxError) as caught:
        sourcediff.grad(loaded.function, mode="compiled")(*copied(POINT))
    assert_refused_well(caught.value, loaded)


def test_the_table_is_about_what_runs(tmp_path: Path) -> None:
    """Every construct that could be right one day is a function with a derivative today."""
    for name, source in {**OPAQUE, **OUTSIDE}.items():
        loaded = load(source, tmp_path, name)
        truth = reference(loaded.function, POINT, {}, 0)
        assert np.all(truth.smooth((0, 0))) and np.any(truth.slopes[0, 0]), name
