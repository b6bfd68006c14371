"""``python -m tests.used [PATH ...]``: what share of each file of the package runs for programs that others wrote.

The programs are the kernels, the museum, the examples and the pages of docs/, and those in the folders PATH, in files with ``f``,
``args()`` and, where it is not the first argument, ``WRT``. A line counts that stands in a function; what runs at an import does not.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import inspect
import io
import os
import runpy
import sys
import tempfile
import types
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import sourcediff
from tests.test_docs import DOCS, PAGES, run
from tests.texts.programs import NAMES, Program, program

PACKAGE = Path(sourcediff.__file__).parent
SHORTER = {"autoencoder": ["--epochs=1"], "digits": ["--epochs=1"], "sequences": ["--samples=50"], "two_layer_net": ["--steps=3"]}
"""How examples take a few seconds."""

Line = tuple[str, int]


@contextlib.contextmanager
def running() -> Iterator[set[Line]]:
    """The lines of the package that run meanwhile."""
    lines: set[Line] = set()
    missing: dict[types.CodeType, set[Line]] = {}

    def called(frame: types.FrameType, event: str, arg: Any) -> Any:
        code = frame.f_code
        if code not in missing:
            missing[code] = {(code.co_filename, line) for line in lines_of(code)} if code.co_filename.startswith(str(PACKAGE)) else set()
        left = missing[code]

        def stepped(frame: types.FrameType, event: str, arg: Any) -> Any:
            if (line := (code.co_filename, frame.f_lineno)) in left:
                left.remove(line)
                lines.add(line)
            return stepped if left else None  # nothing looks at a call of which all lines have run

        return stepped if left else None

    sys.settrace(called)
    try:
        yield lines
    finally:
        sys.settrace(None)


def lines_of(code: types.CodeType) -> Iterator[int]:
    """The lines of a function itself, but its head."""
    return (line for _, _, line in code.co_lines() if line and line != code.co_firstlineno)


def countable(path: Path) -> set[Line]:
    """The lines of a file that stand in functions."""
    found: set[Line] = set()
    codes = [compile(path.read_text(encoding="utf-8"), str(path), "exec")]
    for code in codes:
        codes += [part for part in code.co_consts if isinstance(part, types.CodeType)]
        if code.co_flags & inspect.CO_OPTIMIZED:  # of a function: neither of a module nor of a class
            found |= {(str(path), line) for line in lines_of(code)}
    return found


def gradient(make: Callable[[], Program | None]) -> None:
    """The gradient of a program, if it has one."""
    if (found := make()) is not None:
        sourcediff.value_and_grad(found.function, found.wrt)(*found.args, **found.kwargs)


def in_file(path: Path) -> Program | None:
    module = importlib.import_module(path.stem)
    return Program(module.f, tuple(getattr(module, "WRT", (0,))), module.args(), {}) if hasattr(module, "args") else None


def example(path: Path) -> None:
    with patch.object(sys, "argv", [str(path), *SHORTER.get(path.stem, ())]):
        runpy.run_path(str(path), run_name="__main__")


def programs(folders: list[Path]) -> dict[str, Callable[[], None]]:
    """What runs each program, by its name."""
    sys.path[:0] = map(str, folders)
    found = {path.stem: partial(gradient, partial(in_file, path)) for folder in folders for path in sorted(folder.glob("*.py"))}
    found |= {name: partial(gradient, partial(program, name)) for name in NAMES if name.startswith(("kernels/", "museum/"))}
    examples = sorted((PACKAGE.parent / "examples").glob("*.py"))
    found |= {f"examples/{path.stem}": partial(example, path) for path in examples if path.stem != "many_rows"}  # in other processes
    pages = [page for page in PAGES if page.parent == DOCS]
    return found | {f"docs/{page.stem}": partial(run, page.read_text(encoding="utf-8"), page.name) for page in pages}


def ran(named: dict[str, Callable[[], None]]) -> dict[Line, list[str]]:
    """The lines that run, with the programs that run them."""
    found: dict[Line, list[str]] = defaultdict(list)
    for name, runs in named.items():
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), running() as lines:
            warnings.simplefilter("ignore")
            try:
                runs()
            except Exception as error:  # a program that is refused runs lines too
                print(f"{name}: {type(error).__name__}", file=sys.stderr)
        for line in lines:
            found[line].append(name)
    return found


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.used", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    parser.add_argument("--of", default="", metavar="FILE[:FIRST[-LAST]]", help="which programs run these lines")
    parser.add_argument("--only", default="", metavar="NAME", help="the programs whose names begin so")
    given = parser.parse_args(words)
    named = {name: runs for name, runs in programs([path.resolve() for path in given.paths]).items() if name.startswith(given.only)}
    os.chdir(os.environ["SOURCEDIFF_CACHE_DIR"])
    found = ran(named)
    file, first, last = (*given.of.replace("-", ":").split(":"), "", "")[:3]
    asked = range(int(first or 1), int(last or first or sys.maxsize) + 1)
    every: set[Line] = set()
    for path in sorted(PACKAGE.rglob("*.py")):
        name, lines = path.relative_to(PACKAGE).as_posix(), countable(path)
        every |= lines
        if given.of and name.endswith(file):
            for line in sorted(number for _, number in lines if number in asked):
                print(f"{name}:{line}: {' '.join(found.get((str(path), line), []))}")
        elif lines and not given.of:
            print(f"{len(lines & found.keys()) / len(lines):5.0%} {len(lines):5d}  {name}")
    print(f"{len(every & found.keys()) / len(every):5.0%} {len(every):5d}  of {len(named)} programs")


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["SOURCEDIFF_CACHE_DIR"] = scratch
        main(sys.argv[1:])
