"""``python -m tests.enumerated [N]``: judge every program, or every N-th one; print those that are wrong, and how many are refused."""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests import sampling

from .programs import CASES, judge, text


def main(words: list[str]) -> int:
    """The exit status: 1 where a program is wrong."""
    cases = sampling.chosen(int(words[0]), CASES) if words else CASES
    counted: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SOURCEDIFF_CACHE_DIR"] = folder
        for case in cases:
            verdict = judge(case, Path(folder))
            known = verdict in ("right", "refused", "raises")
            counted[verdict if known else "wrong"] += 1
            refused[case.kind] += verdict == "refused"
            if not known:
                print(case, verdict, text(case).split("\n\n\n")[-1], sep="\n", flush=True)
    print(dict(counted), {kind: number for kind, number in refused.most_common() if number}, sep="\n")
    return 1 if counted["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
