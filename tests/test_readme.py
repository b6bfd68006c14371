"""README.md and docs/: the generated parts are what the code makes today, and the commands are fit to be pasted."""

from __future__ import annotations

import inspect
import re
import shlex
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import sourcediff

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def load_update() -> ModuleType:
    spec = spec_from_file_location("update", ROOT / "docs" / "update.py")
    assert spec and spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


update = load_update()
COMMANDS = re.findall(r"^```(?:sh|bash)\n(python3 -m venv .*?)\n```", README, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("path", update.DOCUMENTS, ids=lambda path: path.name)
def test_the_generated_parts_are_up_to_date(path):
    text = path.read_text(encoding="utf-8")
    if (versions := re.search(r"^As of (NumPy \S+ and SciPy [\d.]+):", text, re.MULTILINE)) and versions[1] != update.versions():
        pytest.skip(f"the page is made with {versions[1]}, not with {update.versions()}")
    if path.name == "api.md" and sys.version_info < (3, 11):
        pytest.skip("Python 3.10 shows other signatures of context managers")
    assert update.updated(text) == text, "run: python docs/update.py"


def test_every_part_is_used_and_every_marker_is_closed():
    texts = [path.read_text(encoding="utf-8") for path in update.DOCUMENTS]
    opened = [name for text in texts for name in re.findall(r"<!-- made: ([\w-]+) -->", text)]
    assert sorted(name for name in opened if not name.startswith("files-")) == sorted(update.PARTS)
    assert sum(text.count("<!-- end -->") for text in texts) == len(opened)


@pytest.mark.parametrize("owner, made", [(sourcediff, update.api), (sourcediff.extend, update.api_of_extend)], ids=["sourcediff", "extend"])
def test_every_public_name_is_described_with_an_example(owner, made):
    text = made()
    entries = dict(re.findall(r"^### `[\w.]+\.(\w+)`\n(.*?)(?=^### |\Z)", text, re.MULTILINE | re.DOTALL))
    listed = set(re.findall(r"^\| `(\w+)` \| \S", text, re.MULTILINE))
    assert entries.keys() | listed == set(owner.__all__) - {"__version__"}
    assert not [name for name, part in entries.items() if ">>>" not in part and not inspect.ismodule(getattr(owner, name))]


def test_an_outdated_part_is_replaced_and_nothing_else():
    before = "a\n<!-- made: function -->\nold\n<!-- end -->\nb\n"
    after = update.updated(before)
    assert after == f"a\n<!-- made: function -->\n{update.function()}\n<!-- end -->\nb\n"
    assert "def heat(u, c, steps):" in after and "old" not in after


def test_the_gradient_shown_is_right_and_names_no_folder_of_this_machine():
    shown = update.gradient()
    assert str(ROOT) not in shown
    namespace: dict = {}
    exec(shown.removeprefix("```python\n").removesuffix("\n```"), namespace)
    tour = update.load("examples/tour.py")
    u = np.random.default_rng(0).standard_normal(12)
    np.testing.assert_allclose(namespace["heat_grad"](u, 0.25, 7), tour.heat_by_hand(u, 0.25, 7), rtol=1e-12)


def test_there_are_two_commands_of_one_line_each():
    assert len(COMMANDS) == 2
    for command in COMMANDS:
        assert "\n" not in command
        assert shlex.split(command)
    marked = re.search(r"<!-- test-command -->\n+```sh\n(.*?)\n```", README, re.DOTALL)
    assert marked and marked[1] == COMMANDS[1] and "pytest" in COMMANDS[1]
    assert "examples/tour.py" in COMMANDS[0] and "examples/digits.py" in COMMANDS[0]


@pytest.mark.parametrize("command", COMMANDS, ids=["try it", "test it"])
def test_what_the_commands_name_is_there(command):
    extras = set(re.findall(r"\.\[([\w,]+)\]", command)[0].split(","))
    pyproject = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert all(re.search(rf"^{extra} = ", pyproject, re.MULTILINE) for extra in extras)
    for path in re.findall(r"examples/\w+\.py", command):
        assert (ROOT / path).is_file()


@pytest.mark.parametrize("path", update.DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path):
    targets = re.findall(r"\]\((?!https?://)([^)#]+)", path.read_text(encoding="utf-8"))
    assert not [target for target in targets if not (path.parent / target).exists()]
