"""The ledger of fuzzing: every line can be read and adds up, nothing counts twice, and the newest account has nothing wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.fuzz import ledger
from tests.fuzz.__main__ import main
from tests.fuzz.ledger import Entry

RUN = Entry(100, 50, "c0ffee", "feed", 45, 0, 5, {"compiled: AliasingError: shared": 2})


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ledger of the test's own."""
    path = tmp_path / "ledger.jsonl"
    monkeypatch.setattr(ledger.append, "__defaults__", (path,))
    monkeypatch.setattr(ledger.entries, "__defaults__", (path,))
    return path


def test_every_entry_adds_up() -> None:
    runs = ledger.entries()
    assert runs and not [(entry, entry.faults()) for entry in runs if entry.faults()]


def test_no_program_counts_twice() -> None:
    assert not ledger.overlapping(ledger.entries())


def test_nothing_is_wrong_in_the_newest_account() -> None:
    newest = ledger.balance(ledger.entries(), ledger.entries()[-1].account)
    assert newest.wrong == 0, ledger.told(newest)


def test_entries_come_back_as_they_were_written(scratch: Path) -> None:
    ledger.append(RUN)
    ledger.append(replace(RUN, first=150))
    assert ledger.entries() == [RUN, replace(RUN, first=150)]
    assert len(scratch.read_text().splitlines()) == 2


@pytest.mark.parametrize("changed", [
    {"count": 0}, {"right": 46}, {"first": -1}, {"wrong": -1, "right": 46}, {"refused": {"compiled: a": 30, "compiled: b": 30}},
    {"commit": ""}, {"account": ""},
])
def test_a_wrong_entry_is_seen(changed: dict[str, object]) -> None:
    assert not RUN.faults() and replace(RUN, **changed).faults()  # type: ignore[arg-type]


def test_overlaps_are_seen_within_an_account() -> None:
    beside, within = replace(RUN, first=150), replace(RUN, first=149)
    assert not ledger.overlapping([beside, RUN]) and ledger.overlapping([within, RUN]) == [(RUN, within)]
    assert not ledger.overlapping([replace(within, account="other"), RUN])


def test_programs_that_are_judged_again_count_once() -> None:
    first, other = replace(RUN, wrong=1, right=44), replace(RUN, account="other")
    assert ledger.standing([first, other, RUN]) == [RUN, other] and not ledger.overlapping([first, RUN])
    assert ledger.balance([first, other, RUN], "feed") == RUN


def test_a_balance_is_that_of_one_account() -> None:
    total = ledger.balance([RUN, replace(RUN, first=150, wrong=1, right=44), replace(RUN, account="other", wrong=45, right=0)], "feed")
    assert (total.count, total.right, total.wrong, total.unjudged) == (100, 89, 1, 10)
    assert total.refused == {"compiled: AliasingError: shared": 4} and "WRONG 1" in ledger.told(total)


def test_an_account_goes_by_what_is_judged(tmp_path: Path) -> None:
    for name in ("core/derive/reverse.py", "analysis/scope.py", "frontend/passes.py"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("a = 1\n")
    before = ledger.account(tmp_path)
    (tmp_path / "frontend/passes.py").write_text("a = 2\n")
    assert ledger.account(tmp_path) == before
    (tmp_path / "analysis/scope.py").write_text("a = 2\n")
    assert ledger.account(tmp_path) != before


def test_a_run_is_recorded_where_it_is_asked_for(
    scratch: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(ledger, "commit", lambda: "c0ffee")
    assert main(["3", "2"]) == 0 and not scratch.exists()
    assert main(["3", "2", "--record"]) == 0
    (entry,) = ledger.entries()
    assert list(entry.seeds) == [3, 4] and not entry.faults() and entry.account == ledger.account()
    assert main([]) == 0 and "2 of 200000 programs, WRONG 0" in capsys.readouterr().out
