"""``python -m tests.texts [NAME ...]``: which generated texts are not those of which the hashes are kept. All programs without names.

With ``--write`` the hashes are stored as they are now, if the values of the programs of which a text has changed are right. With
``--diff`` the changed texts are shown beside those of the last commit, or of ``--against REVISION``; a name may be the beginning of one
(``corpus/loops.``).
"""

from __future__ import annotations

import argparse
import difflib
import io
import json
import multiprocessing
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path

from .programs import NAMES
from .proven import wrong
from .texts import HASHES, forms, line, stored, texts

ROOT = Path(__file__).parents[2]

SHOW = "import json, sys\nfrom tests.texts.texts import texts\nprint(json.dumps({name: texts(name) for name in sys.argv[1:]}))"
"""Prints the texts of the programs that are named."""

FEW = 16
"""Programs for which no other process is worth its while."""


def lines(names: list[str]) -> dict[str, list[str]]:
    """The hashes of programs."""
    return {name: hashes for name, *hashes in map(str.split, of_each(line, names))}


def of_each(asked: Callable[[str], str], names: list[str]) -> list[str]:
    """What a function says of each program, on all cores."""
    if len(names) <= FEW:
        return list(map(asked, names))
    with multiprocessing.get_context("spawn").Pool() as pool:
        found = []
        for said in pool.imap(asked, names, chunksize=8):
            found.append(said)
            if sys.stderr.isatty():
                print(f"\r{len(found)} of {len(names)}", end="", file=sys.stderr, flush=True)
    return found


def changed(names: list[str], now: dict[str, list[str]], before: dict[str, list[str]]) -> list[tuple[str, str]]:
    """The programs and forms of which the texts are others than before, or of which there were none."""
    return [
        (name, form) for name in names for form, *hashes in zip(forms(name), now[name], before.get(name, [""] * len(now[name])))
        if hashes[0] != hashes[1]
    ]


def as_of(revision: str, names: list[str]) -> dict[str, dict[str, str]]:
    """The texts that the package of another revision generates for programs of these tests."""
    archive = subprocess.run(("git", "archive", revision, "sourcediff"), cwd=ROOT, check=True, capture_output=True).stdout
    with tempfile.TemporaryDirectory(prefix="sourcediff-texts-") as folder:
        with tarfile.open(fileobj=io.BytesIO(archive)) as found:
            found.extractall(folder)  # of our own making
        (Path(folder) / "tests").symlink_to(ROOT / "tests")
        done = subprocess.run((sys.executable, "-c", SHOW, *names), cwd=folder, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def differences(found: list[tuple[str, str]], revision: str) -> str:
    """The texts that changed, each beside the one of a revision."""
    before = as_of(revision, list(dict.fromkeys(name for name, _ in found)))
    parts = []
    for name, form in found:
        one, other = before[name].get(form, ""), texts(name)[form]
        parts.append("".join(difflib.unified_diff(
            one.splitlines(True), other.splitlines(True), f"{name} {form} at {revision}", f"{name} {form}", n=2)))
    return "\n".join(parts)


def main(words: list[str]) -> int:
    """The exit status: 1 where a text has changed."""
    parser = argparse.ArgumentParser(prog="python -m tests.texts", description=__doc__)
    parser.add_argument("names", nargs="*", help="programs, or beginnings of their names")
    parser.add_argument("--write", action="store_true", help="store the hashes as they are now")
    parser.add_argument("--diff", action="store_true", help="show the texts that changed")
    parser.add_argument("--against", default="HEAD", metavar="REVISION", help="whose texts the others are (HEAD)")
    given = parser.parse_args(words)
    names = [name for name in NAMES if not given.names or name.startswith(tuple(given.names))]
    before, now = stored(), lines(names)
    found = changed(names, now, before)
    gone = [] if given.names else [name for name in before if name not in now]
    for name, form in found:
        print(name, form)
    for name in gone:
        print(name, "is gone")
    if given.diff and found:
        print(differences(found, given.against))
    if given.write and (mistakes := list(filter(None, of_each(wrong, list(dict.fromkeys(name for name, _ in found)))))):
        print("not stored, since values are wrong:", *mistakes, sep="\n")
        return 1
    if given.write:
        kept = {name: hashes for name, hashes in {**before, **now}.items() if name not in gone}
        HASHES.write_text("".join(f"{' '.join((name, *kept[name]))}\n" for name in NAMES if name in kept))
    print(f"{len(found)} of {sum(map(len, now.values()))} texts have changed, of {len(names)} programs")
    return 1 if (found or gone) and not given.write else 0


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["SOURCEDIFF_CACHE_DIR"] = scratch
        sys.exit(main(sys.argv[1:]))
