"""``python -m tests.scipy_calls [NAME ...] [--modes auto,compiled,eager] [--verbose]``: how many calls have a gradient, by package.

A name is that of a package or of a call (``stats``, ``stats.frozen_normal``). ``--right`` prints what is right, as the list that the test
holds (``right.txt``); ``--check`` says which differences cannot be trusted.
"""

from __future__ import annotations

import argparse
from collections import Counter

from tests.corpus.case import Case
from tests.scipy_calls import CALLS, HELD, PACKAGES
from tests.scipy_calls.judge import VERDICTS, Verdict, judged, truth


def package(case: Case) -> str:
    return case.name.partition(".")[0]


def check(calls: list[Case]) -> None:
    """Print the calls whose differences cannot be trusted."""
    for case in calls:
        try:
            known = truth(case)
        except Exception as fault:
            print(f"{case.name}: {type(fault).__name__}: {fault}")
        else:
            worst = max(float(unsure.max()) for unsure in known.unsure) / known.scale
            if not known.trusted:
                print(f"{case.name}: value {known.value}, slopes up to {known.scale:.3g}, unsure by {worst:.1e} of it")


def report(found: dict[tuple[str, str], Verdict], calls: list[Case], modes: list[str]) -> None:
    """Print how many of each package stand where, and the totals."""
    print(f"{'':12s} {'calls':>5s}" + "".join(f" | {mode:>8s} " + " ".join(f"{word:>7s}" for word in VERDICTS[1:]) for mode in modes))
    for name in [*PACKAGES, "all"]:
        chosen = [case for case in calls if name in (package(case), "all")]
        if not chosen:
            continue
        row = f"{name:12s} {len(chosen):5d}"
        for mode in modes:
            count = Counter(found[case.name, mode].word for case in chosen)
            row += f" | {count['right']:8d} " + " ".join(f"{count[word]:7d}" for word in VERDICTS[1:])
        print(row)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.scipy_calls")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--modes", default="auto,compiled,eager")
    parser.add_argument("--verbose", action="store_true", help="why each call is not right")
    parser.add_argument("--right", action="store_true", help="print the list of what is right, and nothing else")
    parser.add_argument("--check", action="store_true", help="print which differences cannot be trusted, and nothing else")
    wanted = parser.parse_args()
    calls = [case for case in CALLS if not wanted.names or {case.name, package(case)} & set(wanted.names)]
    if wanted.check:
        check(calls)
        return
    modes = list(HELD) if wanted.right else wanted.modes.split(",")
    found: dict[tuple[str, str], Verdict] = {}
    for case in calls:
        for mode in modes:
            verdict = found[case.name, mode] = judged(case, mode)
            if wanted.verbose and verdict.reason:
                print(f"{case.name}, {mode}: {verdict.word}\n    " + verdict.reason.replace("\n", "\n    "))
    if wanted.right:
        for case in calls:
            right = [mode for mode in modes if found[case.name, mode].word == "right"]
            if right:
                print(case.name, *right)
    else:
        report(found, calls, modes)


if __name__ == "__main__":
    main()
