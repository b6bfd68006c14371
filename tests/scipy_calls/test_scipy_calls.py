"""Every call is right or refused; what ``right.txt`` lists stays right. ``python -m tests.scipy_calls --right`` writes the list."""

from __future__ import annotations

from pathlib import Path

from tests.corpus.case import Case
from tests.sampling import name_of, sampled
from tests.scipy_calls import CALLS, HELD
from tests.scipy_calls.judge import differences, judged, truth

RIGHT = {name: modes for name, *modes in map(str.split, (Path(__file__).parent / "right.txt").read_text().splitlines())}


@sampled(20, "case, mode", CALLS, HELD, ids=name_of)
def test_call(case: Case, mode: str) -> None:
    verdict = judged(case, mode)
    allowed = ["right"] if mode in RIGHT.get(case.name, ()) else ["right", "refused"]
    assert verdict.word in allowed, f"{verdict.word}: {verdict.reason}"


@sampled(10, "case", CALLS, ids=name_of)
def test_the_differences_can_be_trusted(case: Case) -> None:
    assert truth(case).trusted


def test_a_wrong_gradient_is_seen() -> None:
    (case,) = (case for case in CALLS if case.name == "special.softmax_by_rows")
    value, slopes, _ = truth(case)
    assert not list(differences(case, value, slopes))
    assert len(list(differences(case, value, [slopes[0], slopes[1] * (1 + 1e-4)]))) == 1
    assert len(list(differences(case, value + 1e-6, slopes))) == 1


def test_the_list_speaks_of_calls() -> None:
    names = [case.name for case in CALLS]
    assert len(set(names)) == len(names) >= 250
    assert RIGHT.keys() <= set(names) and all(set(modes) <= set(HELD) for modes in RIGHT.values())
