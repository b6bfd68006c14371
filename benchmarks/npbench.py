"""``python -m benchmarks.npbench PATH [NAMES]``: the kernels of a checkout of github.com/spcl/npbench, as they lie there.

Each is wrapped in the sum of all that it writes or returns. Printed for each that compiles: the time of the value and the gradient with
respect to all floating-point arguments against that of the sum, and, where JAX is installed and the checkout has a version for it that
gives the same numbers, against JAX, compiled, with its arguments on the device (in turn; equal results are seen first).
"""

from __future__ import annotations

import argparse
import contextlib
import inspect
import io
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import sourcediff
from sourcediff.errors import SourcediffError
from tests.corpus.judge import copied
from tests.kernels.checkout import npbench
from tests.kernels.judge import folder
from tests.kernels.loss import NoDerivative, loss_around

from .measure import Thunk, medians, same


class Found(NamedTuple):
    """What is measured of one kernel: ours against the plain run, and against JAX (NaN where there is none)."""

    plain: float
    jax: float


def by_jax(function: Callable[..., Any], arguments: Mapping[str, Any]) -> Thunk:
    """JAX's value and gradient of the sum of what the kernel's version for it returns. Raises what JAX raises, ImportError without it."""
    import jax  # type: ignore[import-not-found, unused-ignore]
    import jax.numpy as jnp  # type: ignore[import-not-found, unused-ignore]

    jax.config.update("jax_enable_x64", True)
    module = import_module(function.__module__.removesuffix("numpy") + "jax")
    kernel = getattr(module, function.__name__)
    order = list(inspect.signature(kernel).parameters)
    moving = [name for name in arguments if is_float(arguments[name])]

    def loss(*values: Any) -> Any:
        given = {**arguments, **dict(zip(moving, values))}
        return sum(jnp.sum(part) for part in jax.tree_util.tree_leaves(kernel(*(given[name] for name in order))))

    step = jax.jit(jax.value_and_grad(loss, argnums=tuple(range(len(moving)))))
    values = [jnp.asarray(arguments[name]) for name in moving]
    return lambda: jax.block_until_ready(step(*values))


def is_float(value: Any) -> bool:
    """Whether an argument is differentiated."""
    return isinstance(value, float) or isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind == "f"


def measured(name: str, function: Callable[..., Any], arguments: dict[str, Any], texts: Path | None) -> Found:
    """What one kernel takes. Raises SourcediffError where it is refused, NoDerivative where there is none."""
    case = loss_around(function, arguments, folder(), "np.sum({})")
    args, kwargs = case.make()
    gradient = sourcediff.value_and_grad(case.function, wrt=case.wrt, mode="compiled")

    def fresh(of: Callable[..., Any]) -> Any:
        return of(*copied(args), **kwargs)

    value, slopes = fresh(gradient)
    same(value, fresh(case.function), tolerance=1e-8)
    if texts:
        (texts / f"{name}.py").write_text(gradient.source)
    thunks: list[Thunk] = [partial(fresh, gradient), partial(fresh, case.function), partial(fresh, lambda *args: None)]
    ours, plain, nothing = medians(*thunks, rounds=7, clock=time.process_time)
    return Found((ours - nothing) / max(plain - nothing, 1e-9), against_jax(function, arguments, value, slopes, thunks))


def against_jax(function: Callable[..., Any], arguments: Mapping[str, Any], value: Any, slopes: Any, thunks: list[Thunk]) -> float:
    """The ratio to JAX, NaN where there is none that gives the same."""
    try:
        theirs = by_jax(function, arguments)
        found = theirs()
        same(float(found[0]), value, tolerance=1e-8)
        same([np.asarray(part) for part in found[1]], list(slopes) if isinstance(slopes, tuple) else [slopes], tolerance=1e-6)
    except Exception:  # whatever it is, there is nothing to compare with
        return float("nan")
    ours, nothing, jax = medians(thunks[0], thunks[2], theirs, rounds=7)
    return (ours - nothing) / jax


def main() -> int:
    parser = argparse.ArgumentParser(
        "python -m benchmarks.npbench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--preset", default="S", help="the sizes: S, M, L or paper")
    parser.add_argument("--texts", type=Path, help="a folder for the generated texts")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    found: dict[str, Found] = {}
    print(f"{'kernel':28s} {'ratio':>7s} {'to JAX':>7s}")
    for name, function, make in npbench(given.path, given.preset):
        if given.names and name not in given.names:
            continue
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                row = found[name] = measured(name, function, make(), given.texts)
        except (SourcediffError, NoDerivative, TypeError, ValueError, AssertionError) as reason:
            print(f"{name:28s} refused: {str(reason).splitlines()[0][:90]}")
            continue
        print(f"{name:28s} {row.plain:7.2f} {row.jax:7.2f}".replace("nan", "  –"), flush=True)
    for what in Found._fields:
        if ratios := [ratio for row in found.values() if (ratio := getattr(row, what)) == ratio]:
            mean = statistics.geometric_mean(ratios)
            print(f"{len(ratios)} kernels against {what}: {mean:.2f} in the geometric mean, {max(ratios):.1f} at most")
    return 0


if __name__ == "__main__":
    sys.exit(main())
