"""What a gradient was made from is looked at, at each call of every door: doors × kinds of change × where the old text may come from."""

from __future__ import annotations

import builtins
import importlib.util
import linecache
import math
import os
import subprocess
import sys
import threading
import types
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sourcediff
from sourcediff.errors import FallbackWarning
from tests.changes import doors
from tests.changes.programs import PROGRAMS, text_of
from tests.sampling import sampled

X = np.array([1.3, 0.7])


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


@sampled(8, "kind", PROGRAMS)
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


OTHERS = ("a helper is defined later", "a method that super reaches", "a data class", "a number")
"""Programs that a second process runs with changes that the first one has not made."""

ASKED = """
import sys, warnings, importlib.util, numpy as np
sys.path.insert(0, {root!r})
from pathlib import Path
from typing import Any
from tests.test_changes import X, PROGRAMS, cell, doors, loaded
from collections import Counter
warnings.simplefilter("ignore")
for number, kind in enumerate({kinds!r}):
    path = Path({folder!r}) / f"program_{{number}}.py"
    module = loaded(path, path.read_text())
    for change in PROGRAMS[kind].changes[:{changes}]:
        cell(module, change, 0)
    with np.errstate(all="ignore"):
        assert not (said := doors.wrong(module.EARLY, module.total, X, Counter())), (kind, said)
"""


def test_no_process_takes_what_another_one_wrote_before_a_change(tmp_path: Path) -> None:
    for number, kind in enumerate(OTHERS):
        (tmp_path / f"program_{number}.py").write_text(text_of(PROGRAMS[kind], doors.FEW))
    root = str(Path(sourcediff.__file__).parents[1])
    around = {**os.environ, "SOURCEDIFF_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": root}
    for changes in (0, 1, 0):
        program = ASKED.format(root=root, kinds=OTHERS, folder=str(tmp_path), changes=changes)
        subprocess.run([sys.executable, "-c", program], check=True, env=around)


RACING = """
def f(x):
    return helper(x) * 2 + helper(x * x)

def one(x):
    return x ** 2

def two(x):
    return x ** 3

helper = one
"""


def test_a_helper_that_another_thread_exchanges_meanwhile_leaves_nothing_wrong(tmp_path: Path) -> None:
    module = loaded(tmp_path / "racing.py", RACING)
    slopes = {name: (lambda helper: (2 * helper(1.3 + 1e-6) + helper((1.3 + 1e-6) ** 2) - 2 * helper(1.3 - 1e-6)
                                     - helper((1.3 - 1e-6) ** 2)) / 2e-6)(getattr(module, name)) for name in ("one", "two")}
    stop = threading.Event()

    def exchange() -> None:
        while not stop.is_set():
            module.helper = module.two
            module.helper = module.one

    thread = threading.Thread(target=exchange)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    thread.start()
    try:
        for _ in range(8):
            sourcediff.cache.clear()
            try:
                found = [sourcediff.grad(module.f, mode="compiled")(1.3), sourcediff.jvp(module.f, (1.3,), (1.0,), mode="compiled")[1]]
            except sourcediff.SourcediffError as error:
                assert error.at_run_time, error
                continue
            assert all(any(abs(slope - known) < 1e-5 for known in slopes.values()) for slope in found), (found, slopes)
    finally:
        stop.set()
        thread.join()
        sys.setswitchinterval(interval)
    for name in ("one", "two"):
        module.helper = getattr(module, name)
        for _ in range(2):
            assert sourcediff.grad(module.f, mode="compiled")(1.3) == pytest.approx(slopes[name], rel=1e-6)
            assert sourcediff.jvp(module.f, (1.3,), (1.0,), mode="compiled")[1] == pytest.approx(slopes[name], rel=1e-6)
            sourcediff.cache.forget()


KIND: Any = "i8"


def rounded(x):
    return np.sum(np.array(x * x, dtype=KIND) * x)


@pytest.mark.parametrize(
    "kinds", [("i8", "f8", "i8"), (np.dtype("i8"), np.dtype("f8")), (int, float, int)], ids=["words", "dtypes", "types"])
def test_an_option_that_names_a_type_is_read_at_each_call(kinds: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    x, along = np.array([1.3, 1.7]), np.array([1.0, 2.0])
    for kind in kinds:
        monkeypatch.setitem(globals(), "KIND", kind)
        slope = (rounded(x + 1e-6 * along) - rounded(x - 1e-6 * along)) / 2e-6
        assert sourcediff.jvp(rounded, (x,), (along,))[1] == pytest.approx(slope, rel=1e-6)
        assert sourcediff.vjp(rounded, x)[1](1.0)[0] @ along == pytest.approx(slope, rel=1e-6)
        assert sourcediff.jacobian(rounded, direction="forward")(x) @ along == pytest.approx(slope, rel=1e-6)


class Base:
    def power(self, x):
        return x ** 2


class Given(Base):
    def power(self, x):
        return super().power(x) * x


def of_an_object(x, o):
    return np.sum(o.power(x))


def multiplied(x, o):
    return np.sum(o * x)


@pytest.mark.filterwarnings("ignore::sourcediff.errors.FallbackWarning")
def test_what_the_classes_of_arguments_come_to_hold_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    x, along, o = np.array([1.3, 0.7]), np.array([1.0, 2.0]), Given()

    def assert_right(function: Any) -> None:
        slope = (function(x + 1e-6 * along, o) - function(x - 1e-6 * along, o)) / 2e-6
        assert sourcediff.grad(function)(x, o) @ along == pytest.approx(slope, rel=1e-6)
        assert sourcediff.jvp(function, (x, o), (along, None))[1] == pytest.approx(slope, rel=1e-6)
        assert sourcediff.vjp(function, x, o, wrt=0)[1](1.0) @ along == pytest.approx(slope, rel=1e-6)

    assert_right(of_an_object)
    monkeypatch.setattr(Base, "power", lambda self, x: x ** 4)
    assert_right(of_an_object)
    for power in (3, 2):
        monkeypatch.setattr(Base, "__mul__", lambda self, x, power=power: x ** power, raising=False)
        assert_right(multiplied)


def of_sines(x):
    return np.sum(np.sin(x))


@pytest.mark.parametrize("door", [
    sourcediff.grad, sourcediff.jacobian, sourcediff.hessian,
    lambda f: lambda x: sourcediff.vjp(f, x)[1](1.0), lambda f: lambda x: sourcediff.jvp(f, (x,), (x,)),
])
def test_no_derivative_is_written_with_a_function_that_was_exchanged(door, monkeypatch):
    x = np.array([0.5, 1.5])
    door(of_sines)(x)
    monkeypatch.setattr(np, "sin", np.cos)
    with pytest.raises(sourcediff.SourcediffError, match=r"numpy\.(sin|cos) is not what it was"):
        door(of_sines)(x)
