"""``python -m sourcediff``: what it prints, where, and its exit status."""

from __future__ import annotations

import io
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import sourcediff
from sourcediff.api.colour import coloured, wanted
from sourcediff.api.command import main

HEAT = '''\
"""A program that reads its arguments and runs when it is run."""
import sys

import numpy as np

START = np.array([0.0, 1.0, 4.0, 9.0, 16.0])
COUNT = len(sys.argv)


def heat(u, c, steps):
    u = u.copy()
    for k in range(steps):
        u[1:-1] += c * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u ** 2)


def refused(x):
    async def inner():
        return x
    return inner()


class Model:
    @staticmethod
    def loss(w):
        return np.sum(np.sin(w))


if __name__ == "__main__":
    raise SystemExit("this part is not to be run")
'''


@pytest.fixture(autouse=True)
def process(monkeypatch):
    """What a command does to its own process is undone."""
    monkeypatch.setattr(sys, "argv", ["pytest"])
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield
    for name in {"heat_program", "_random_", "leaves_at_once"} - before:
        sys.modules.pop(name, None)


@pytest.fixture
def heat(tmp_path) -> str:
    path = tmp_path / "heat_program.py"
    path.write_text(HEAT)
    return str(path)


def run(*arguments: str, **options) -> subprocess.CompletedProcess:
    """A process of its own."""
    here = str(Path(sourcediff.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": here, **options.pop("env", {})}
    command = [sys.executable, "-m", "sourcediff", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, **options)


def printed(capsys, *arguments: str) -> str:
    """What a successful command prints, in this process."""
    status = main(arguments)
    output = capsys.readouterr()
    assert (status, output.err) == (0, "")
    return output.out


def complaint(capsys, status: int, *arguments: str) -> str:
    """What a command that fails with this status says; nothing goes to standard output."""
    assert main(arguments) == status
    output = capsys.readouterr()
    assert output.out == ""
    return output.err


# show


def test_show_prints_the_source_of_the_gradient(heat, capsys):
    text = printed(capsys, "show", f"{heat}:heat")
    assert "u_bar" in text
    namespace: dict = {}
    exec(compile(text, "shown", "exec"), namespace)  # it is a module that can be run
    assert text == sourcediff.gradient_source(sys.modules["heat_program"].heat, wrt=0).rstrip("\n") + "\n"


def test_show_takes_names_and_positions(heat, capsys):
    named = printed(capsys, "show", f"{heat}:heat", "--wrt", "u,c")
    assert "c_bar" in named and "u_bar" in named
    assert printed(capsys, "show", f"{heat}:heat", "--wrt", "0,1") == named
    assert "c_bar" not in printed(capsys, "show", f"{heat}:heat", "--wrt", "u")


def test_show_with_the_value(heat, capsys):
    assert printed(capsys, "show", f"{heat}:heat", "--value") != printed(capsys, "show", f"{heat}:heat")


def test_show_specialises_for_arguments(heat, capsys):
    text = printed(capsys, "show", f"{heat}:heat", "--args", "np.ones(5), 0.1, 3")
    function = sys.modules["heat_program"].heat
    assert text == sourcediff.gradient_source(function, wrt=0, args=(np.ones(5), 0.1, 3)).rstrip("\n") + "\n"


def test_arguments_may_use_the_files_own_names(heat, capsys):
    assert printed(capsys, "show", f"{heat}:heat", "--args", "START, 0.1, 3")


def test_show_explains(heat, capsys):
    text = printed(capsys, "show", f"{heat}:heat", "--explain")
    assert len(text) > len(printed(capsys, "show", f"{heat}:heat"))
    assert "# -- store, of heat" not in text
    assert set(text.splitlines()) <= set(printed(capsys, "show", f"{heat}:heat", "--passes").splitlines())


def test_a_dotted_function(heat, capsys):
    assert "np.cos(w)" in printed(capsys, "show", f"{heat}:Model.loss")


def test_a_module_by_its_name(heat, capsys, monkeypatch):
    monkeypatch.chdir(Path(heat).parent)
    assert "u_bar" in printed(capsys, "show", "heat_program:heat")


def test_a_file_named_like_a_module_of_the_standard_library(tmp_path, heat, capsys):
    path = tmp_path / "random.py"
    path.write_text(HEAT)
    assert "u_bar" in printed(capsys, "show", f"{path}:heat")
    assert sys.modules["random"] is random


# save and check


def test_save_writes_a_module(heat, tmp_path, capsys):
    out = tmp_path / "saved.py"
    assert str(out) in printed(capsys, "save", f"{heat}:heat", str(out))
    namespace: dict = {}
    exec(compile(out.read_text(), str(out), "exec"), namespace)
    u = np.array([0.0, 1.0, 4.0, 9.0])
    expected = sourcediff.grad(sys.modules["heat_program"].heat)(u, 0.1, 2)
    (gradient,) = [value for name, value in namespace.items() if name.startswith("heat") and callable(value)]
    np.testing.assert_allclose(gradient(u, 0.1, 2), expected, rtol=1e-14)


def test_save_to_a_place_that_is_none(heat, tmp_path, capsys):
    assert "cannot be written" in complaint(capsys, 2, "save", f"{heat}:heat", str(tmp_path / "none" / "saved.py"))


def test_check_agrees(heat, capsys):
    assert printed(capsys, "check", f"{heat}:heat", "--args", "START, 0.1, 3")


def test_check_needs_arguments(heat):
    with pytest.raises(SystemExit) as caught:
        main(["check", f"{heat}:heat"])
    assert caught.value.code == 2


# the cache


def test_cache_says_where_it_is(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("SOURCEDIFF_CACHE_DIR", str(tmp_path / "cache"))
    assert f"folder: {tmp_path / 'cache'}\nfiles:  0 (0.0 KiB" in printed(capsys, "cache")


def test_cache_clears(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("SOURCEDIFF_CACHE_DIR", str(tmp_path / "cache"))
    sourcediff.cache.fetch("ab" * 32, lambda: "a = 1\n", "f")
    assert "files:  1 " in printed(capsys, "cache")
    assert "cleared 1 files" in printed(capsys, "cache", "--clear")
    assert "files:  0 " in printed(capsys, "cache")


# errors


def test_a_refusal_is_printed_with_status_1(heat, capsys):
    text = complaint(capsys, 1, "show", f"{heat}:refused")
    assert re.search(r"heat_program\.py:\d+", text) and "Traceback" not in text


def test_an_unknown_parameter_is_status_1(heat, capsys):
    assert "velocity" in complaint(capsys, 1, "show", f"{heat}:heat", "--wrt", "velocity")


@pytest.mark.parametrize(
    ("subject", "says"),
    [
        ("heat", "is not FILE:FUNCTION"),
        (":heat", "is not FILE:FUNCTION"),
        ("nowhere.py:heat", "there is no file nowhere.py"),
        ("no_such_module:heat", "no file and no module no_such_module"),
        ("{file}:hear", "did you mean heat?"),
        ("{file}:Model.los", "did you mean loss?"),
        ("{file}:START", "is no function but ndarray"),
    ],
)
def test_a_subject_that_is_not_there_is_status_2(subject, says, heat, capsys):
    assert says in complaint(capsys, 2, "show", subject.format(file=heat))


@pytest.mark.parametrize("expression", ["np.ones(", "nothing", "1 / 0", "steps=3"])
def test_arguments_that_are_none(expression, heat, capsys):
    assert f"--args {expression}: " in complaint(capsys, 2, "show", f"{heat}:heat", "--args", expression)


def test_a_file_that_exits_at_import(tmp_path, capsys):
    path = tmp_path / "leaves_at_once.py"
    path.write_text("import sys\nsys.exit(0)\n")
    assert "__main__" in complaint(capsys, 2, "show", f"{path}:f")


@pytest.mark.parametrize("line", ["", "draw", "show", "show f.py:f --wrt a-b", "show f.py:f --value --explain", "save f.py:f"])
def test_wrong_usage_is_status_2(line, capsys):
    with pytest.raises(SystemExit) as caught:
        main(line.split())
    assert caught.value.code == 2
    assert "usage:" in capsys.readouterr().err


# as a process


def test_help_and_version():
    text = run("--help").stdout
    assert "examples:" in text and all(command in text for command in ("show", "save", "check", "cache"))
    assert run("--version").stdout == f"sourcediff {sourcediff.__version__}\n"


def test_a_pipe_gets_plain_text_and_a_terminal_colours(heat):
    plain = run("show", f"{heat}:heat")
    assert (plain.returncode, plain.stderr) == (0, "")
    assert "\x1b" not in plain.stdout
    always = run("show", f"{heat}:heat", "--color", "always").stdout
    assert "\x1b[1;34mdef\x1b[0m" in always
    assert re.sub(r"\x1b\[[\d;]*m", "", always) == plain.stdout


def test_a_reader_that_goes_away_is_no_traceback(heat):
    here = str(Path(sourcediff.__file__).parents[1])
    command = [sys.executable, "-m", "sourcediff", "show", f"{heat}:heat"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": here})
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=120) == 141


# colours


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_when_to_colour(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert wanted("auto", Terminal()) and not wanted("auto", io.StringIO())
    assert wanted("always", io.StringIO()) and not wanted("never", Terminal())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wanted("auto", Terminal()) and wanted("always", Terminal())
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not wanted("auto", Terminal())


@pytest.mark.parametrize("path", sorted(Path(sourcediff.__file__).parent.glob("*.py")), ids=lambda path: path.name)
def test_colours_change_no_character(path):
    text = path.read_text(encoding="utf-8")
    painted = coloured(text)
    assert re.sub(r"\x1b\[[\d;]*m", "", painted) == text.replace("\x1b", "")
    assert painted != text or not text


@pytest.mark.parametrize("text", ["", "x = (", "  x\n y", "a ? b", "── read ──\nx = 1", "def f(:\n\t'''"])
def test_what_is_no_python_stays_readable(text):
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured(text)) == text


def test_strings_of_several_lines_and_of_several_tokens():
    text = 'x = """one\n\ntwo"""\ny = f"{x!r:>{10}} tail"\n'
    painted = coloured(text)
    assert re.sub(r"\x1b\[[\d;]*m", "", painted) == text
    assert all(line.count("\x1b[") % 2 == 0 for line in painted.splitlines())


def test_check_says_all_there_is_to_say(heat, capsys):
    text = printed(capsys, "check", f"{heat}:heat", "--args", "START, 0.1, 3")
    for part in ("the compiled gradient and the eager graph agree", "the compiled tangent", "its derivatives agree with numbers"):
        assert part in text


def test_check_names_a_kink_and_goes_on(tmp_path, capsys):
    path = tmp_path / "kink.py"
    path.write_text("import numpy as np\n\ndef f(x):\n    return np.sum(np.abs(x))\n")
    assert "x[0] lies at a kink of np.abs" in printed(capsys, "check", f"{path}:f", "--args", "np.arange(3.0)")


def test_check_of_a_function_that_raises_is_short(tmp_path, capsys):
    path = tmp_path / "raising.py"
    path.write_text("def f(x):\n    return helper(x)\n\ndef helper(x):\n    return x[7]\n")
    assert main(["check", f"{path}:f", "--args", "np.ones(2)"]) == 1
    said = capsys.readouterr().err.strip().splitlines()
    assert said[0].startswith("f raised IndexError: index 7 is out of bounds") and said[1] == f"{path}:5: return x[7]" and len(said) == 2


def test_a_file_that_raises_when_it_is_imported(tmp_path, capsys):
    path = tmp_path / "broken.py"
    path.write_text("1 / 0\n")
    assert main(["show", f"{path}:f"]) == 2
    assert "raised ZeroDivisionError" in capsys.readouterr().err
