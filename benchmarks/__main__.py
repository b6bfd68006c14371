"""Measure, print the table, save it, and bring the documents up to date.

    python -m benchmarks                  everything (some minutes)
    python -m benchmarks generated eager  some sections alone: printed, not saved
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from importlib import import_module

from . import report
from .fresh import ROOT
from .measure import Row

SECTIONS = ("generated", "evals", "overhead", "compiling", "growing", "importing", "eager", "peers", "bridges", "device")


def main() -> int:
    parser = argparse.ArgumentParser("python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    wanted = parser.parse_args().sections or SECTIONS
    if unknown := set(wanted) - set(SECTIONS):
        parser.error(f"no such section: {', '.join(sorted(unknown))}")

    print(report.said(report.circumstances()))
    rows = []
    for name in wanted:
        start = time.perf_counter()
        print(f"{name} …", end=" ", flush=True)
        try:
            rows += import_module(f"benchmarks.{name}").rows()
        except ModuleNotFoundError as missing:
            rows.append(Row(name, "all", float("nan"), str(missing.name), float("nan"), note=f"{missing.name} is not installed"))
        print(f"{time.perf_counter() - start:.0f} s", flush=True)
    print(f"\n{report.text(rows)}\n")
    if notes := report.notes(rows):
        print(f"{notes}\n")
    if (before := report.history()) and (found := report.slower(rows, before[-1])):
        print(f"slower by more than a tenth:\n{found}\n")
    if wanted == SECTIONS:
        report.save(rows)
        commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=ROOT).stdout.strip()
        report.remember(rows, commit or "unknown")
        print(f"saved in {report.RESULTS}")
        subprocess.run([sys.executable, str(ROOT / "docs" / "update.py")], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
