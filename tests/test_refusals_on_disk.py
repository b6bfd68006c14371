"""What the compiler has refused is refused again from the cache's folder, in words and places; what a rule of one's own takes is not."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff import extend
from sourcediff.compiler import pipeline
from sourcediff.dispatch import cache
from sourcediff.errors import MissingRuleError, SourcediffError, UnsupportedSyntaxError
from sourcediff.rules.frames import OWN

X = np.array([0.5, 1.0, 3.0])

COUNTER = """
def f(x, counter):
    counter.calls *= 2
    return (x * x).sum()
"""

STRANGE = """
import numpy as np

def total(x):
    return np.apply_over_axes(np.sum, x, 0)

def f(x):
    return np.sum(total(x))
"""


def loaded(path: Path, text: str) -> Any:
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


class Counter:
    calls = 0


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the compiler is asked for."""
    asked: list[Any] = []
    compile_gradient = pipeline.compile_gradient

    def noted(function: Any, request: Any) -> Any:
        asked.append(request)
        return compile_gradient(function, request)

    monkeypatch.setattr(pipeline, "compile_gradient", noted)
    return asked


def refused(f: Any, *args: Any) -> SourcediffError:
    with pytest.raises(SourcediffError) as caught:
        sourcediff.grad(f, mode="compiled")(*args)
    return caught.value


def test_the_compiler_is_asked_once(tmp_path: Path, requests: list[Any]) -> None:
    first = refused(loaded(tmp_path / "counted.py", COUNTER), X, Counter())
    assert len(requests) == 1
    cache.forget()
    second = refused(loaded(tmp_path / "counted.py", COUNTER), X, Counter())
    assert len(requests) == 1
    assert type(second) is type(first) is UnsupportedSyntaxError
    assert str(second) == str(first) and second.places == first.places


def test_lines_and_files_are_those_of_now(tmp_path: Path) -> None:
    for path, text in ((tmp_path / "a.py", COUNTER), (tmp_path / "a.py", "\n" + COUNTER), (tmp_path / "b.py", COUNTER)):
        cache.forget()
        (place,) = refused(loaded(path, text), X, Counter()).places
        assert (place.file, place.text.strip()) == (str(path), text.splitlines()[place.line - 1].strip())


def test_what_has_a_rule_since_is_compiled(tmp_path: Path) -> None:
    f = loaded(tmp_path / "strange.py", STRANGE)
    assert isinstance(refused(f, X), MissingRuleError)
    cache.forget()
    extend.external(np.apply_over_axes, vjp=lambda g, z, func, a, axes: [None, np.broadcast_to(g, np.shape(a)), None])
    try:
        np.testing.assert_array_equal(sourcediff.grad(loaded(tmp_path / "strange.py", STRANGE), mode="compiled")(X), np.ones(3))
    finally:
        OWN.pop(np.apply_over_axes)
