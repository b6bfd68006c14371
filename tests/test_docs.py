"""The examples of the pages in docs/ give what the pages say."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

PAGES = sorted(page for page in (Path(__file__).parent.parent / "docs").rglob("*.md") if ">>>" in page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = re.sub(r"^```.*$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    examples = doctest.DocTestParser().get_doctest(text, {"__name__": "__main__"}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    assert runner.run(examples).failed == 0 < len(examples.examples)
