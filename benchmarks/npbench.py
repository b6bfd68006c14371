"""``python -m benchmarks.npbench PATH [NAMES]``: the kernels of a checkout of github.com/spcl/npbench, as they lie there.

Each is wrapped in the sum of all that it writes or returns. Printed for each that compiles: the time of the gradient with respect to all
floating-point arguments against that of the sum (processor time, in turn).
"""

from __future__ import annotations

import argparse
import contextlib
import io
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import sourcediff
from sourcediff.errors import SourcediffError
from tests.corpus.judge import copied
from tests.kernels.checkout import npbench
from tests.kernels.judge import folder
from tests.kernels.loss import NoDerivative, loss_around

from .measure import medians


def measured(function: Callable[..., Any], arguments: dict[str, Any], texts: Path | None) -> float:
    """The ratio of one kernel. Raises SourcediffError where it is refused, NoDerivative where there is none."""
    case = loss_around(function, arguments, folder(), "np.sum({})")
    args, kwargs = case.make()
    gradient = sourcediff.value_and_grad(case.function, wrt=case.wrt, mode="compiled")

    def fresh(of: Callable[..., Any]) -> Any:
        return of(*copied(args), **kwargs)

    assert np.isclose(fresh(gradient)[0], fresh(case.function), rtol=1e-8, equal_nan=True), "the value differs"
    if texts:
        (texts / f"{case.function.__name__}.py").write_text(gradient.source)
    ours, theirs, nothing = medians(
        partial(fresh, gradient), partial(fresh, case.function), partial(fresh, lambda *args: None), rounds=7, clock=time.process_time)
    return (ours - nothing) / max(theirs - nothing, 1e-9)


def main() -> int:
    parser = argparse.ArgumentParser(
        "python -m benchmarks.npbench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--preset", default="S")
    parser.add_argument("--texts", type=Path, help="a folder for the generated texts")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    ratios: dict[str, float] = {}
    for name, function, make in npbench(given.path, given.preset):
        if given.names and name not in given.names:
            continue
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                ratios[name] = measured(function, make(), given.texts)
        except (SourcediffError, NoDerivative, TypeError, ValueError, AssertionError) as reason:
            print(f"{name:28s} refused: {str(reason).splitlines()[0][:90]}")
            continue
        print(f"{name:28s} {ratios[name]:7.2f}", flush=True)
    if ratios:
        print(f"{len(ratios)} kernels: {statistics.geometric_mean(ratios.values()):.2f} in the geometric mean, "
              f"{max(ratios.values()):.1f} at most")
    return 0


if __name__ == "__main__":
    sys.exit(main())
