"""What a gradient was made from is looked at, at each call of every door: doors × kinds of change × where the old text may come from."""

from __future__ import annotations

import builtins
import importlib.util
import linecache
import math
import types
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import FallbackWarning
from tests.changes import doors
from tests.changes.programs import PROGRAMS, text_of

X, LONGER = np.array([1.3, 0.7]), np.array([0.9, 1.1])


def cell(module: types.ModuleType, text: str, number: int) -> None:
    """Run a text in a module as a session does, which keeps its lines."""
    name = f"<{module.__name__} {number}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    exec(compile(text, name, "exec"), vars(module))


def loaded(path: Path, text: str) -> types.ModuleType:
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def libraries() -> Iterator[None]:
    """What a program exchanges in the libraries is put back."""
    kept = [(owner, dict(vars(owner))) for owner in (builtins, math, np, np.linalg)]
    yield
    for owner, names in kept:
        for name, value in names.items():
            if vars(owner).get(name) is not value:
                setattr(owner, name, value)


@pytest.mark.parametrize("kind", PROGRAMS)
def test_every_door_sees_it(kind: str, tmp_path: Path) -> None:
    program = PROGRAMS[kind]
    module = loaded(tmp_path / "program.py", text_of(program))
    total, late = module.total, doors.made(module.total, doors.FEW)
    problems: list[str] = []
    refused: Counter[str] = Counter()
    asked = 0
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        for number, change in enumerate(("", *program.changes)):
            cell(module, change, number)
            for when, found in (("made above", module.EARLY), ("made below", late), ("from disk", None)):
                if found is None:
                    sourcediff.cache.forget()
                    found = doors.made(total, doors.FEW)
                problems += [f"after {change!r}, {when}, {said}" for said in doors.wrong(found, total, X, refused)]
                asked += len(found)
    assert not problems, "\n".join(problems)
    assert refused.total() <= program.refused * asked, refused
