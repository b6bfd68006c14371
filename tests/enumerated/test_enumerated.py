"""Every so many of the programs in which a state of each kind is changed in a block within a block."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sampling import sampled

from . import objects
from .programs import CASES, Case, judge, text
from .states import KINDS

FOUND = [
    Case("a pair of literals", "for", "one trip at most", "break"), Case("a pair around a pair", "for", "while", "continue"),
    Case("the best pair", "range", "for that is left", "break"), Case("a named pair", "while", "for that is left", "read"),
    Case("a sum of pairs by default", "for", "nothing", ""), Case("a named pair replaced", "range", "one trip at most", "read"),
    Case("a pair with an array", "for", "if in for", ""),
]
"""Programs of which the gradient was wrong: the inner loop gave the parts of a tuple names, and the outer one did not look at them; of a
key that is a pair the first part was taken.
"""


@sampled(110, "case", CASES)
def test_right_or_refused(case: Case, tmp_path: Path) -> None:
    assert judge(case, tmp_path) in ("right", "refused", "raises"), text(case)


@pytest.mark.parametrize("case", FOUND, ids=" in ".join)
def test_what_was_wrong(case: Case, tmp_path: Path) -> None:
    assert judge(case, tmp_path) == "right", text(case)


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_taken_where_no_way_decides(kind: str, tmp_path: Path) -> None:
    """But for what is refused everywhere."""
    refused = kind in ("a function", "a slice", "rows in a list")
    assert judge(Case(kind, "for", "nothing", ""), tmp_path) == ("refused" if refused else "right")


@pytest.mark.parametrize("seed", range(30))
def test_random_programs_of_objects(seed: int, tmp_path: Path) -> None:
    assert objects.judge(seed, tmp_path) in ("right", "refused", "raises"), objects.generate(seed)
