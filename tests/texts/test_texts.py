"""The net holds: of a sample of the programs the texts are those of which the hashes are kept; and it sees what changes.

All of them: ``python -m tests.texts``.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import sourcediff
from sourcediff.compiler import pipeline as compiler
from tests.texts import __main__ as command
from tests.texts import texts
from tests.texts.__main__ import changed, main
from tests.texts.programs import NAMES, program
from tests.texts.proven import wrong
from tests.texts.texts import HASHES, forms, line, stored, text

SAMPLE = NAMES[::240]


@pytest.mark.parametrize("name", SAMPLE)
def test_the_texts_are_those_of_which_the_hashes_are_kept(name: str) -> None:
    _, *hashes = line(name).split()
    now = {name: hashes}
    assert not changed([name], now, stored()), f"python -m tests.texts {name} --diff"


def test_every_program_has_its_hashes() -> None:
    kept = stored()
    assert list(kept) == list(NAMES)
    assert all(len(hashes) in (0, len(forms(name))) for name, hashes in kept.items())
    assert sum(map(len, kept.values())) > 10_000


def test_a_change_of_the_compiler_is_seen_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "golden/heat"
    before = text(program(name), "gradient")
    monkeypatch.setattr(compiler, "PIPELINE", tuple(each for each in compiler.PIPELINE if each.phase != "tidy"))
    after = text(program(name), "gradient")
    assert after != before and len(after) > len(before)
    _, *hashes = line(name).split()
    assert (name, "gradient") in changed([name], {name: hashes}, stored())


@pytest.mark.parametrize("name", ["golden/heat", "corpus/loops.power_by_loop", "museum/overwriting.read_then_overwritten", "random/7"])
def test_wrong_values_are_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert wrong(name) == ""
    monkeypatch.setattr(sourcediff, "value_and_grad", lambda *args, **how: lambda *values, **more: (7.0, 7.0))
    assert wrong(name).startswith(name)


def test_the_command_says_that_nothing_has_changed_and_shows_what_has(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["golden/huber"]) == 0
    assert capsys.readouterr().out == "0 of 6 texts have changed, of 1 programs\n"
    lines = HASHES.read_text().splitlines(keepends=True)
    monkeypatch.setattr(texts, "HASHES", tmp_path / "hashes.txt")
    monkeypatch.setattr(command, "HASHES", tmp_path / "hashes.txt")
    texts.HASHES.write_text("".join(re.sub(r"(?<=golden/huber )\w+", "0", found) for found in lines))
    assert main(["golden/huber"]) == 1
    assert capsys.readouterr().out.splitlines()[0] == "golden/huber gradient"
    with monkeypatch.context() as planted:
        planted.setattr(command, "wrong", lambda name: f"{name}: 2, not 1")
        assert main(["golden/huber", "--write"]) == 1
        assert "golden/huber: 2, not 1" in capsys.readouterr().out and texts.HASHES.read_text() != "".join(lines)
    assert main(["golden/huber", "--write"]) == 0
    assert texts.HASHES.read_text() == "".join(lines)
