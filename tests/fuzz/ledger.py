"""The ledger of fuzzing: which programs were judged, by which library, and what came out.

``ledger.jsonl`` has one line for each run. A change to ``core`` or ``analysis`` starts a new account: what was found right before it
proves nothing any more. The account is known by a fingerprint of those files, the library by the commit that they were in. Programs that
are judged again in an account, since something else was mended (the judge, say), count as they were judged last; both lines stay.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path

import sourcediff

LEDGER = Path(__file__).with_name("ledger.jsonl")
PACKAGE = Path(sourcediff.__file__).parent
JUDGED = ("core", "analysis")
GOAL = 200_000


@dataclass(frozen=True)
class Entry:
    """One run: the seeds ``first`` … ``first + count - 1``.

    ``commit`` is the library's; ``account`` the fingerprint of its ``core`` and ``analysis``. ``right`` and ``wrong`` (crashes too) are
    programs, ``unjudged`` those that differences cannot judge; ``refused`` counts refusals by engine and reason, of programs that are
    right otherwise.
    """

    first: int
    count: int
    commit: str
    account: str
    right: int
    wrong: int
    unjudged: int
    refused: dict[str, int] = field(default_factory=dict)

    @property
    def seeds(self) -> range:
        """The seeds of the run."""
        return range(self.first, self.first + self.count)

    def faults(self) -> list[str]:
        """What is wrong with the entry itself."""
        return [problem for problem, holds in {
            "no program": self.count <= 0 or self.first < 0,
            "the counts are no partition of the seeds": self.right + self.wrong + self.unjudged != self.count,
            "negative counts": min(self.right, self.wrong, self.unjudged, *self.refused.values()) < 0,
            "more refusals than programs": max(Counter(_by_engine(self.refused)).values(), default=0) > self.count,
            "no commit": not self.commit,
            "no account": not self.account,
        }.items() if holds]


def _by_engine(refused: dict[str, int]) -> Counter[str]:
    counted: Counter[str] = Counter()
    for reason, number in refused.items():
        counted[reason.split(":")[0]] += number
    return counted


def account(package: Path = PACKAGE) -> str:
    """The fingerprint of the sources whose correctness the fuzzer judges above all.

    >>> len(account())
    12
    """
    digest = hashlib.sha256()
    for folder in JUDGED:
        for path in sorted((package / folder).rglob("*.py")):
            digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def commit() -> str:
    """The last commit that changed the library, with a + where it has been changed since."""

    def git(*words: str) -> str:
        return subprocess.run(("git", *words), cwd=PACKAGE, check=True, capture_output=True, text=True).stdout.strip()

    return git("log", "-1", "--format=%h", "--abbrev=12", "--", ".") + ("+" if git("status", "--porcelain", "--", ".") else "")


def entries(path: Path = LEDGER) -> list[Entry]:
    """All runs, in the order in which they were made."""
    return [Entry(**json.loads(line)) for line in path.read_text().splitlines()] if path.exists() else []


def append(entry: Entry, path: Path = LEDGER) -> None:
    """Write a run at the end."""
    with path.open("a") as ledger:
        ledger.write(json.dumps(asdict(entry)) + "\n")


def standing(runs: Iterable[Entry]) -> list[Entry]:
    """The runs that count: of those of the same seeds in the same account, the last one."""
    return list({(entry.account, entry.seeds): entry for entry in runs}.values())


def overlapping(runs: Sequence[Entry]) -> list[tuple[Entry, Entry]]:
    """Runs of one account that judged some of the same programs: these would count twice."""
    ordered = sorted(standing(runs), key=lambda entry: (entry.account, entry.first))
    return [
        (one, other) for one, other in pairwise(ordered) if one.account == other.account and other.first < one.seeds.stop
    ]


def balance(runs: Iterable[Entry], of: str) -> Entry:
    """All the runs of an account as one."""
    own = [entry for entry in standing(runs) if entry.account == of]
    refused: Counter[str] = Counter()
    for entry in own:
        refused.update(entry.refused)
    commits = ", ".join(dict.fromkeys(entry.commit for entry in own))
    return Entry(
        min((entry.first for entry in own), default=0), sum(entry.count for entry in own), commits, of,
        sum(entry.right for entry in own), sum(entry.wrong for entry in own), sum(entry.unjudged for entry in own),
        dict(refused.most_common()),
    )


def told(total: Entry) -> str:
    """A balance in words.

    >>> print(told(Entry(0, 1000, "c0ffee", "feed", 980, 0, 20, {"compiled: AliasingError: shared": 49})))
    account feed (c0ffee): 1000 of 200000 programs, WRONG 0, not judged 20
      49 (5.0 %) compiled: AliasingError: shared
    """
    judged = max(1, total.right + total.wrong)
    title = f"account {total.account} ({total.commit})"
    lines = [f"{title}: {total.count} of {GOAL} programs, WRONG {total.wrong}, not judged {total.unjudged}"]
    lines += [f"  {number} ({100 * number / judged:.1f} %) {reason}" for reason, number in total.refused.items()]
    return "\n".join(lines)
