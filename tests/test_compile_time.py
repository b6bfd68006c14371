"""Compiling takes time in proportion to the program, and memory too: what is gone through again for each statement would show here."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sourcediff import grad, jvp
from sourcediff.compiler.pipeline import compile_gradient
from sourcediff.dispatch.internal_errors import attempted
from sourcediff.dispatch.request import requested
from tests import sampling
from tests.sampling import sampled


def scalars(n: int) -> str:
    lines = [f"    a{i} = a{i - 1} * 0.5 + math.sin(x)\n" if i % 2 else f"    a{i} = a{i - 1} * y\n" for i in range(1, n)]
    return "def f(x, y):\n    a0 = x * y\n" + "".join(lines) + f"    return a{n - 1}\n"


def one_name(n: int) -> str:
    lines = [f"    a = a * 0.99 + math.sin(x * {i}.0)\n" if i % 2 else "    a = a * y\n" for i in range(n)]
    return "def f(x, y):\n    a = x * y\n" + "".join(lines) + "    return a\n"


def stores(n: int) -> str:
    lines = [f"    a[{i % 4}] = a[{(i + 1) % 4}] * y + x\n" for i in range(n)]
    return "def f(x, y):\n    a = np.ones(5) * x\n" + "".join(lines) + "    return np.sum(a)\n"


def long_sum(n: int) -> str:
    return "def f(x, y):\n    return " + " + ".join(f"math.sin({i}.0 * x) * y" for i in range(n)) + "\n"


def list_display(n: int) -> str:
    return "def f(x, y):\n    return sum([" + ", ".join(f"{i}.0 * x * y" for i in range(n)) + "])\n"


def growing_list(n: int) -> str:
    return "def f(x, y):\n    parts = []\n" + "".join(f"    parts.append(x * {i}.0 * y)\n" for i in range(n)) + "    return sum(parts)\n"


def branches(n: int) -> str:
    lines = [f"    if a > {i}.0:\n        a = a * y\n    else:\n        a = a + x * y\n" for i in range(n // 4)]
    return "def f(x, y):\n    a = x\n" + "".join(lines) + "    return a\n"


def elifs(n: int) -> str:
    lines = [f"    elif x < {i}.5:\n        a = {i}.0 * x * y\n" for i in range(n // 2)]
    return "def f(x, y):\n    if x < 0:\n        a = y\n" + "".join(lines) + "    else:\n        a = x\n    return a\n"


def helpers(n: int) -> str:
    calls = "    a = h(a, y) * 0.5\n" * (n // 2)
    return "def h(a, b):\n    c = a * b\n    return c + a\n\n\ndef f(x, y):\n    a = x\n" + calls + "    return a\n"


def early_returns(n: int) -> str:
    lines = [f"    if x < {i}.0:\n        return x * y * {i}.0\n" for i in range(n // 2)]
    return "def f(x, y):\n" + "".join(lines) + "    return x\n"


ONE_AFTER_ANOTHER = [scalars, one_name, stores, long_sum, list_display, growing_list, branches, helpers]
NESTED = [elifs, early_returns]


def seconds(made: str, folder: Path, mode: str) -> float:
    """The processor time that compiling takes."""
    path = folder / "long_program.py"
    path.write_text("import math\nimport numpy as np\n\n\n" + made)
    space = {"__name__": "long_program"}
    exec(compile(path.read_text(), str(path), "exec"), space)
    function, request = requested(space["f"], (0, 1), (1.0, 2.0), mode=mode)
    begin = time.process_time()
    attempted(function, lambda: compile_gradient(function, request))
    return time.process_time() - begin


def check_ratio(written: Callable[[int], str], few: int, many: int, bound: float, mode: str, folder: Path) -> None:
    """The longer of two programs takes less than ``bound`` times as long.

    What else the machine does only adds to a measurement: of the shorter one the lowest of two counts, at least, of the longer one
    a single one is enough where it is below the bound, and else there are up to four more.
    """
    seconds(written(few), folder, mode)  # what is imported, and cached
    longer, shorter = [], []
    for _ in range(5):
        shorter.append(seconds(written(few), folder, mode))
        longer.append(seconds(written(many), folder, mode))
        shorter.append(seconds(written(few), folder, mode))
        if min(longer) / min(shorter) < bound:
            return
    pytest.fail(f"{min(longer) / min(shorter):.3g} times as long, not {bound}: {longer} and {shorter} seconds")


MODES = pytest.mark.parametrize("mode", ["reverse", "forward"] if sampling.everything else ["reverse"])
"""Forward mode, which goes through the same front end, takes its turn with ``--long``."""


@MODES
@sampled(6, "written", ONE_AFTER_ANOTHER)
def test_eight_times_the_program_takes_about_eight_times_as_long(written: Callable[[int], str], mode: str, tmp_path: Path) -> None:
    """What is quadratic takes up to sixty-four times as long; the margin is for a busy machine."""
    check_ratio(written, 40, 320, 20, mode, tmp_path)


@MODES
@pytest.mark.parametrize("written", NESTED)
def test_what_is_nested_takes_no_more_than_its_levels(written: Callable[[int], str], mode: str, tmp_path: Path) -> None:
    """Each level is gone through with all that is below it, so these are quadratic, but by a small part."""
    check_ratio(written, 40, 320, 40, mode, tmp_path)


@MODES
def test_a_thousand_statements(mode: str, tmp_path: Path) -> None:
    check_ratio(scalars, 100, 1000, 18, mode, tmp_path)


def calls_twice(levels: int) -> str:
    """Helpers that call each other twice: the last is called 2 ** levels times."""
    lines = [f"def h{i}(x):\n    return h{i - 1}(x) + math.sin(h{i - 1}(0.5 * x))\n\n\n" for i in range(1, levels + 1)]
    return "def h0(x):\n    return x * x\n\n\n" + "".join(lines) + f"def f(x, y):\n    return h{levels}(x) * y\n"


@MODES
def test_helpers_that_call_each_other_twice_do_not_double_it_with_each_level(mode: str, tmp_path: Path) -> None:
    check_ratio(calls_twice, 5, 10, 24, mode, tmp_path)  # calls grow 32 times


def test_helpers_that_call_each_other_twice_are_right(tmp_path: Path) -> None:
    path = tmp_path / "calls_twice.py"
    path.write_text("import math\n\n\n" + calls_twice(5))
    space = {"__name__": "calls_twice"}
    exec(compile(path.read_text(), str(path), "exec"), space)
    f, step = space["f"], 1e-6
    expected = (f(0.7 + step, 1.5) - f(0.7 - step, 1.5)) / (2 * step)
    assert grad(f, mode="compiled")(0.7, 1.5) == pytest.approx(expected, rel=1e-7)
    assert jvp(f, (0.7, 1.5), (1.0, None), mode="compiled")[1] == pytest.approx(expected, rel=1e-7)
