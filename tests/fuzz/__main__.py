"""``python -m tests.fuzz FIRST COUNT``: run the programs of these seeds, and print what is wrong."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path

from .generator import generate
from .judge import counterexample, judge


def main(first: int, number: int) -> int:
    """The number of wrong programs."""
    counted: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + number):
            program = generate(seed)
            verdict = judge(program, Path(folder))
            if verdict is None:
                counted["not judged"] += 1
            else:
                counted["right" if not verdict.wrong else "wrong"] += 1
                counted.update(f"refused by {engine}" for engine in verdict.refused)
                if verdict.wrong:
                    print(counterexample(program, Path(folder)), flush=True)
            if sys.stderr.isatty() or seed % 100 == 99:
                print(f"\r{seed + 1 - first} of {number}: {dict(counted)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return counted["wrong"]


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(1 if main(int(sys.argv[1]), int(sys.argv[2])) else 0)
