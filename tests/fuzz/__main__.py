"""``python -m tests.fuzz FIRST COUNT``: run the programs of these seeds, and print what is wrong.

With ``--record`` the run is written into the ledger; with ``--second`` second derivatives are judged instead. Without anything: what the
ledger says of the library as it is.
"""

from __future__ import annotations

import gc
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from . import ledger
from .generator import generate
from .judge import Verdict, counterexample, judge
from .second import judge_twice


def run(first: int, number: int, judge: Callable[..., Verdict | None] = judge) -> ledger.Entry:
    """Judge the programs of these seeds."""
    commit, account = ledger.commit(), ledger.account()
    counted: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    gc.collect()
    gc.freeze()  # what is imported is no garbage: looking through it takes a tenth of the time
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SOURCEDIFF_CACHE_DIR"] = folder
        for seed in range(first, first + number):
            program = generate(seed)
            verdict = judge(program, Path(folder))
            if verdict is None:
                counted["not judged"] += 1
            else:
                counted["right" if not verdict.wrong else "wrong"] += 1
                counted.update(f"refused by {engine}" for engine in verdict.refused)
                refused.update(verdict.reasons)
                if verdict.wrong:
                    print(counterexample(program, Path(folder), judged=judge), flush=True)
            if sys.stderr.isatty() or seed % 100 == 99:
                print(f"\r{seed + 1 - first} of {number}: {dict(counted)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return ledger.Entry(
        first, number, commit, account, counted["right"], counted["wrong"], counted["not judged"], dict(refused.most_common()),
    )


def main(words: list[str]) -> int:
    """The exit status: 1 where a program is wrong."""
    numbers = [int(word) for word in words if not word.startswith("--")]
    if not words:
        print(ledger.told(ledger.balance(ledger.entries(), ledger.account())))
        return 0
    if len(numbers) != 2:
        raise SystemExit(__doc__)
    if "--second" in words:
        entry = run(*numbers, judge=judge_twice)
        print(dict(entry.refused))
        return 1 if entry.wrong else 0
    entry = run(*numbers)
    if "--record" in words:
        ledger.append(entry)
    return 1 if entry.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
