"""``python -m benchmarks.natural PATH``: programs as they lie in a folder, each with ``f``, ``args()`` and, if need be, ``WRT``.

Printed for each that compiles: the gradient's time against that of ``f`` (processor time, in turn), generated lines for a line of the
function and of the helpers in its file, how many ``sum_to`` it has, and how many values are kept for their shape alone.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib
import statistics
import sys
import time
import warnings
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

import sourcediff
from sourcediff.errors import SourcediffError

from .measure import medians


class Found(NamedTuple):
    """What is measured of one program."""

    ratio: float
    lines: float
    sums: int
    shapes: int


def lines_of(module: ModuleType) -> int:
    """The lines of the functions and classes of a file, but ``args`` and documentation."""
    tree = ast.parse(Path(str(module.__file__)).read_text())
    kept: set[int] = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name != "args":
            for part in ast.walk(node):
                said = isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant) and isinstance(part.value.value, str)
                if isinstance(part, (ast.stmt, ast.expr)) and not said:
                    kept |= {part.lineno, getattr(part, "end_lineno", part.lineno) or part.lineno}
    return len(kept)


def body_of(source: str) -> list[str]:
    """The lines of a generated text, but its head and what follows the function."""
    lines = source.splitlines()
    first = next(k for k, line in enumerate(lines) if line.startswith("def "))
    return [line for line in lines[first:] if line.startswith((" ", "def ")) and line.strip()]


def measured(module: Any) -> Found:
    """What one program takes. Raises SourcediffError where it is refused."""
    args = module.args()
    gradient = sourcediff.value_and_grad(module.f, wrt=tuple(getattr(module, "WRT", (0,))), mode="compiled")
    assert np.isclose(gradient(*copy.deepcopy(args))[0], module.f(*copy.deepcopy(args)), rtol=1e-9)

    def fresh(function: Any) -> Any:
        return function(*copy.deepcopy(args))

    ours, theirs, copied = medians(
        partial(fresh, gradient), partial(fresh, module.f), partial(fresh, lambda *args: None), rounds=11, clock=time.process_time)
    text = body_of(gradient.source)
    kept = sum(line.count(".shape") + line.count("np.shape(") for line in text if ".append((" in line)
    sums = sum(line.count("sum_to(") for line in text)
    return Found((ours - copied) / max(theirs - copied, 1e-9), len(text) / max(1, lines_of(module)), sums, kept)


def main() -> int:
    parser = argparse.ArgumentParser(
        "python -m benchmarks.natural", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    sys.path.insert(0, str(given.path))
    warnings.simplefilter("ignore")
    found: dict[str, Found] = {}
    print(f"{'program':22s} {'ratio':>7s} {'lines':>6s} {'sum_to':>6s} {'shapes':>6s}")
    for path in sorted(given.path.glob("*.py")):
        if (given.names and path.stem not in given.names) or not hasattr(module := importlib.import_module(path.stem), "args"):
            continue
        try:
            row = found[path.stem] = measured(module)
        except SourcediffError as error:
            print(f"{path.stem:22s} refused: {str(error).splitlines()[0][:80]}")
            continue
        print(f"{path.stem:22s} {row.ratio:7.2f} {row.lines:6.2f} {row.sums:6d} {row.shapes:6d}", flush=True)
    if found:
        ratios, lines = ([getattr(row, field) for row in found.values()] for field in ("ratio", "lines"))
        print(f"{len(found)} programs: ratio {statistics.geometric_mean(ratios):.2f} in the geometric mean, {max(ratios):.1f} at most; "
              f"lines {statistics.median(lines):.2f} in the median, {max(lines):.1f} at most; "
              f"sum_to {sum(row.sums for row in found.values())}, shapes {sum(row.shapes for row in found.values())}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
