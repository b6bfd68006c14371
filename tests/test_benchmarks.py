"""``python -m benchmarks``: the table says what was measured. How fast it is, no test judges."""

from __future__ import annotations

import doctest
import subprocess
import sys
from importlib import import_module

import pytest

from benchmarks import compiling, generated, measure, overhead, report
from benchmarks.__main__ import SECTIONS
from benchmarks.measure import Row
from tests.test_readme import ROOT

NAN = float("nan")
ROWS = [
    Row("chain", "small", 2e-6, "by hand", 1e-6, 1.3),
    Row("chain", "large", 1.2e-3, "by hand", 1e-3, 1.3),
    Row("eager", "all", NAN, "PyTorch", NAN, 1.0, "PyTorch is not installed"),
]


@pytest.fixture
def quick(monkeypatch):
    """Every thunk is called once, and takes a second."""

    def medians(*thunks, **_):
        for thunk in thunks:
            thunk()
        return [1.0] * len(thunks)

    for module in generated, overhead:
        monkeypatch.setattr(module, "medians", medians)


@pytest.mark.parametrize("module", [measure, report])
def test_its_examples_run(module):
    outcome = doctest.testmod(module)
    assert outcome.attempted and not outcome.failed


def test_a_row_knows_whether_its_bar_is_kept():
    assert [row.kept for row in ROWS] == [False, True, None]
    assert report.cells(ROWS[0])[-2:] == ("2.00", "≤ 1.3 missed")
    assert report.cells(ROWS[2])[-2:] == ("–", "≤ 1")


def test_the_table_survives_being_saved(tmp_path):
    report.save(ROWS, tmp_path)
    _, rows = report.load(tmp_path)
    assert report.text(rows) == report.text(ROWS) and report.markdown(rows) == report.markdown(ROWS)
    assert (tmp_path / "table.png").read_bytes().startswith(b"\x89PNG")


def test_the_history_has_a_line_for_each_commit_and_shows_what_became_slower(tmp_path):
    path = tmp_path / "history.jsonl"
    report.remember(ROWS, "a1", path)
    report.remember(ROWS, "a1", path)
    report.remember([ROWS[0]._replace(ours=4e-6)], "b2", path)
    assert [line["commit"] for line in report.history(path)] == ["a1", "b2"]
    assert report.slower([ROWS[0]._replace(ours=4e-6)], report.history(path)[0]) == "chain / by hand: 4.00, 1.55 at a1"
    assert report.slower(ROWS, report.history(path)[1]) == ""


def test_the_summary_gives_the_best_the_median_and_the_worst():
    assert "| chain | by hand | 1.20, 2.00, 2.00 | ≤ 1.3 |" in report.summary(ROWS)
    assert "PyTorch is not installed" in report.notes(ROWS)


def test_different_results_are_not_compared(quick, monkeypatch):
    rows = generated.rows()
    assert len(rows) == 2 * len(generated.SIZES) + 2 and {row.ratio for row in rows} == {1.0}
    program, _, wrt, value = generated.EXPERTS["loss"]
    monkeypatch.setitem(generated.EXPERTS, "loss", (program, lambda *args: (0.0, args[:2]), wrt, value))
    with pytest.raises(AssertionError, match="differ"):
        generated.rows()


def test_the_overhead_is_that_of_the_call_alone(quick):
    assert {row.ours for row in overhead.rows()} == {0.0}


def test_a_cold_compile_misses_the_cache_and_a_warm_one_does_not():
    import sourcediff

    with compiling.scratch():
        before = sourcediff.cache.info()
        compiling.first_call("loss", sourcediff.cache.clear, 3)
        cold = sourcediff.cache.info()
        compiling.first_call("loss", sourcediff.cache.forget, 3)
        disk = sourcediff.cache.info()
    assert (cold.misses - before.misses, disk.misses - cold.misses, disk.disk_hits - cold.disk_hits) == (3, 0, 3)


def test_a_section_can_be_run_alone_and_an_unknown_one_is_refused():
    done = subprocess.run([sys.executable, "-m", "benchmarks", "nonsense"], capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert done.returncode == 2 and "no such section: nonsense" in done.stderr


@pytest.mark.parametrize("section", SECTIONS)
def test_each_section_is_there(section):
    assert callable(import_module(f"benchmarks.{section}").rows)


def test_the_saved_table_has_every_section():
    sections = {row.section for row in report.load()[1]}
    assert {"generated gradient", "overhead of a warm call", "cold compile", "from the disk cache", "import", "other tools"} <= sections
    assert any(section.startswith("eager") for section in sections)
