"""Every exhibit, in every mode, first and second order: right, or refused as the table says. What begins to work has to leave the table."""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np
import pytest

from tests.museum import EXHIBITS, Exhibit
from tests.museum.judge import standing_of_second, truth
from tests.museum.refused import FAULTS, REFUSED
from tests.rules.checker import on_each
from tests.sampling import chosen
from tests.standing import MODES, RIGHT, standing

ORDERS = (*MODES, "second")
NAMES = {exhibit.case.name: exhibit for exhibit in EXHIBITS}


def marked(exhibit: Exhibit, order: str) -> Any:
    """An exhibit in one mode as a parameter; a fault that is known is expected to fail, until it is mended."""
    fault = FAULTS.get(exhibit.case.name, {}).get(order)
    marks = [pytest.mark.xfail(reason=fault, strict=True)] if fault else []
    return pytest.param(exhibit, order, marks=marks, id=f"{exhibit.case.name}-{order}")


@pytest.mark.parametrize(("exhibit", "order"), [
    *(marked(exhibit, "compiled") for exhibit in EXHIBITS),
    *chosen(4, [marked(exhibit, order) for exhibit in EXHIBITS for order in ORDERS[1:] if exhibit.second or order != "second"]),
])
def test_exhibit(exhibit: Exhibit, order: str) -> None:
    stands = standing_of_second(exhibit) if order == "second" else standing(exhibit.case, order, truth(exhibit), exhibit.answer)
    expected = REFUSED.get(exhibit.case.name, {}).get(order, RIGHT)
    assert stands == expected, f"the table says {expected or 'right'!r}, found {stands or 'right'!r}: tests/museum/refused.py"


def test_every_exhibit_tells_its_story() -> None:
    on_each(check_story, EXHIBITS)


def check_story(exhibit: Exhibit) -> None:
    """A docstring that says what went wrong, a reference, and a derivative that can be judged."""
    assert inspect.getdoc(exhibit.case.function)
    assert exhibit.references and all(re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", reference) for reference in exhibit.references)
    found = truth(exhibit)
    assert np.ndim(found.value) == 0
    if exhibit.answer is None:
        assert found.slopes and all(np.all(found.smooth(path)) for path in found.slopes), "the differences do not settle"


def test_the_tables_speak_of_exhibits() -> None:
    assert len(NAMES) == len(EXHIBITS) >= 130
    assert REFUSED.keys() | FAULTS.keys() <= NAMES.keys()
    assert all(set(standings) <= set(ORDERS) for table in (REFUSED, FAULTS) for standings in table.values())


def test_many_tools_are_in_the_museum() -> None:
    assert len({reference.split("#")[0] for exhibit in EXHIBITS for reference in exhibit.references}) >= 20


def test_the_links_lead_to_the_reports() -> None:
    assert NAMES["overwriting.read_then_overwritten"].links == ["https://github.com/NVIDIA/warp/issues/947"]
