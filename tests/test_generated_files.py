"""Generated code is real files: errors in the reverse sweep name the user's line, and Python's tools see the lines."""

from __future__ import annotations

import fnmatch
import inspect
import linecache
import os
import pdb
import subprocess
import sys
import traceback
from pathlib import Path

import numpy as np
import pytest

import sourcediff


def volume(a, x):
    b = a * x
    size = np.linalg.slogdet(b)[1]  # -inf for a singular matrix; the gradient needs its inverse
    return size


def heat(u, c, steps):
    u = u.copy()
    for k in range(steps):
        u[1:-1] += c * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u ** 2)


LINE = "size = np.linalg.slogdet(b)[1]"
NUMBER = inspect.getsourcelines(volume)[1] + 2
SINGULAR = np.ones((2, 2)), 2.0


def failure() -> BaseException:
    """What a gradient raises whose function does not."""
    with np.errstate(divide="ignore"):
        assert volume(*SINGULAR) == -np.inf
    with np.errstate(divide="ignore"), pytest.raises(np.linalg.LinAlgError) as caught:
        sourcediff.grad(volume, mode="compiled")(*SINGULAR)
    return caught.value


def test_an_error_in_the_reverse_sweep_names_the_users_line():
    printed = "".join(traceback.format_exception(failure()))
    assert f"while differentiating test_generated_files.py:{NUMBER}: {LINE}" in printed
    assert printed.count("while differentiating") == 1


def test_the_traceback_shows_the_generated_line():
    entries = traceback.extract_tb(failure().__traceback__)
    (generated,) = [entry for entry in entries if entry.name == "volume_grad"]
    assert os.path.exists(generated.filename) and "np.linalg.inv" in generated.line
    assert generated.line == Path(generated.filename).read_text().splitlines()[generated.lineno - 1].strip()


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 has no notes: there the message itself grows")
def test_the_note_is_a_note():
    error = failure()
    (note,) = error.__notes__
    assert note.startswith(f"while differentiating test_generated_files.py:{NUMBER}: {LINE}")
    assert str(error) == "Singular matrix"


def test_the_users_own_error_in_the_forward_sweep_is_named_too():
    with pytest.raises(ValueError, match="broadcast") as caught:
        sourcediff.value_and_grad(added, mode="compiled")(np.ones((2, 3)), np.ones((2, 4)))
    assert "return np.sum(x * y)" in "".join(traceback.format_exception(caught.value))


def added(x, y):
    return np.sum(x * y)


def entry(function, *args):
    """The generated function that a call with these arguments uses."""
    dispatcher = sourcediff.grad(function, mode="compiled").sourcediff.dispatcher
    return dispatcher.entry(dispatcher.bound(args, {}))


def test_inspect_and_linecache_see_the_text():
    found = entry(heat, np.ones(5), 0.1, 2)
    source = inspect.getsource(found.call)
    assert source.startswith("def heat_grad(u, c, steps):") and source in found.loaded.text
    assert inspect.getsourcefile(found.call) == found.loaded.path
    assert linecache.getline(found.loaded.path, 1).startswith('"""Gradient of heat')


def test_the_debugger_stops_at_a_generated_line():
    found = entry(heat, np.ones(5), 0.1, 2)
    number = next(n for n, line in enumerate(found.loaded.text.splitlines(), 1) if "u_bar[2:] +=" in line)
    stops = []

    class Debugger(pdb.Pdb):
        def user_line(self, frame):
            if self.break_here(frame):
                stops.append((frame.f_lineno, "u_bar" in frame.f_locals))
            self.set_continue()

    others = sys.gettrace()
    debugger = Debugger(readrc=False)
    assert debugger.set_break(found.loaded.path, number) is None
    try:
        debugger.runcall(found.call, np.ones(5), 0.1, 2)
    finally:
        debugger.clear_all_breaks()
        sys.settrace(others)
    assert (number, True) in stops


COVERED = """
import sys
import numpy as np
from tests.test_generated_files import entry, heat
found = entry(heat, np.ones(5), 0.1, 2)
seen = set()
def trace(frame, event, arg):
    if frame.f_code.co_filename == found.loaded.path:
        seen.add(frame.f_lineno)
        return trace
sys.settrace(trace)
found.call(np.ones(5), 0.1, 2)
sys.settrace(None)
print(found.loaded.path)
print(*sorted(seen))
"""


def test_every_line_is_counted_by_a_tracer_as_coverage_counts_it():
    root = Path(__file__).parents[1]
    run = subprocess.run(
        [sys.executable, "-c", COVERED], capture_output=True, text=True, cwd=root, env={**os.environ, "PYTHONPATH": str(root)}, timeout=60,
    )
    assert run.returncode == 0, run.stderr
    path, numbers = run.stdout.splitlines()
    lines = Path(path).read_text().splitlines()
    start = next(n for n, line in enumerate(lines, 1) if line.startswith("def heat_grad"))
    body = {n for n, line in enumerate(lines, 1) if n > start and line.startswith("    ")}
    assert body <= set(map(int, numbers.split()))


def test_a_debugger_can_leave_out_all_but_the_generated_code():
    """``skip=["sourcediff.[!g]*"]`` of pdb goes by the names of modules."""
    gradient = sourcediff.grad(doubled)
    gradient(np.ones(2))
    seen: list[str] = []

    def trace(frame, event, argument):
        seen.append(str(frame.f_globals.get("__name__")))

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        gradient(np.ones(2))
    finally:
        sys.settrace(before)
    strangers = {name for name in seen if not fnmatch.fnmatch(name, "sourcediff.[!g]*") and name.split(".")[0] != "numpy"}
    assert {name.rsplit(".", 1)[0] for name in strangers} == {"sourcediff.generated"}, strangers


def doubled(x):
    return np.sum(x**2) * 2.0
