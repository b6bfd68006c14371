"""The examples of the pages in docs/ give what the pages say."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
BRIDGES = DOCS / "interop.md"
PAGES = sorted(page for page in DOCS.rglob("*.md") if ">>>" in page.read_text(encoding="utf-8") and page != BRIDGES)
SECTIONS = {
    section.partition("\n")[0].rpartition("`")[0].rpartition(".")[2]: section
    for section in re.split(r"^## ", BRIDGES.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
}


def run(text, name):
    text = re.sub(r"^```.*$", "", text, flags=re.MULTILINE)
    examples = doctest.DocTestParser().get_doctest(text, {"__name__": "__main__"}, name, name, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    assert runner.run(examples).failed == 0 < len(examples.examples)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run(page.read_text(encoding="utf-8"), page.name)


@pytest.mark.parametrize("library", SECTIONS)
def test_the_bridge_to_a_library_that_is_installed(library):
    pytest.importorskip(library, reason=f"{library} is not installed: pip install 'sourcediff[{library}]'")
    run(SECTIONS[library], f"{BRIDGES.name}, {library}")
