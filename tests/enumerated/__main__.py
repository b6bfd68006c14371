"""``python -m tests.enumerated [N] [KIND ...]``: judge every program, or every N-th one, of all or some kinds of state; print those that
are wrong, and how many are refused.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests import sampling

from .programs import CASES, judge, text
from .states import KINDS


def main(words: list[str]) -> int:
    """The exit status: 1 where a program is wrong."""
    every = int(words.pop(0)) if words and words[0].isdigit() else 1
    cases = sampling.chosen(every, [case for case in CASES if case.kind in (words or KINDS)])
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
