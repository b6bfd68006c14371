"""What lies outside the compiler's language is refused with every place at once, or it is right. It is never half right.

Each construct is a piece of source in which ``$`` stands before the place that a refusal has to point at.
"""

from __future__ import annotations

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
from tests.corpus.constructs import HOPELESS, OPAQUE, OUTSIDE
from tests.corpus.judge import copied, reference, without_output, wrong_gradient

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
    constructs = {name: source for part in tables for name, source in part.items()}
    return pytest.mark.parametrize("name, source", constructs.items(), ids=constructs)


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
    """Either compiled after all, or run eagerly with a warning of three lines: the first place; where both refuse there is one error."""
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
    assert len(fallbacks) == (1 if listed and gradient is not None else 0), [str(w.message) for w in caught]
    if fallbacks:
        what, where, cost = str(fallbacks[0].message).splitlines()
        assert listed[0].problem in what and (len(listed) == 1 or f"{len(listed) - 1} other reason" in what)
        assert f"{listed[0].file}:{listed[0].line}" in where and "cost: this call took" in cost
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
        $with open("data"):
            y = x ** 2
        $class Kept:
            z = ${1}
            w = ${2}
        z = y
        $global memory
        memory = 1
        total = 0.0
        for v in z:
            total += $eval("v")
        $del memory[0]
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
            $class Kept:
                pass
            return v ** 2

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
