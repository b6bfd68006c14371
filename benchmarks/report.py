"""The table: in the terminal, as markdown, as JSON, as a picture."""

from __future__ import annotations

import json
import platform
import statistics
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from . import THREADS
from .measure import Row

RESULTS = Path(__file__).parent / "results"
HISTORY = RESULTS / "history.jsonl"
"""The means of every run that was saved, a line for each commit."""

PACKAGES = {"NumPy": "numpy", "PyTorch": "torch", "JAX": "jax", "HIPS autograd": "autograd"}
HEADINGS = ("what", "case", "ours", "against", "theirs", "ratio", "bar")


def time_of(seconds: float) -> str:
    """
    >>> time_of(2.5e-6), time_of(0.0173), time_of(float("nan"))
    ('2.5 µs', '17 ms', '–')
    """
    if seconds != seconds:
        return "–"
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if abs(seconds) >= size:
            return f"{seconds / size:.3g} {unit}" if seconds / size < 10 else f"{seconds / size:.0f} {unit}"
    return f"{seconds * 1e6:.2g} µs" if seconds < 1e-5 else f"{seconds * 1e6:.0f} µs"


def cells(row: Row) -> tuple[str, ...]:
    """A row of the table as text."""
    ratio = "–" if row.ratio != row.ratio else f"{row.ratio:.2f}"
    bar = "" if row.bar is None else f"≤ {row.bar:g}"
    if row.kept is False:
        bar += " missed"
    return row.section, row.case, time_of(row.ours), row.peer, time_of(row.theirs), ratio, bar


def text(rows: Iterable[Row]) -> str:
    """The table with aligned columns."""
    table = [HEADINGS, *map(cells, rows)]
    widths = [max(map(len, column)) for column in zip(*table)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in table]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:]])


def markdown(rows: Iterable[Row]) -> str:
    """The table for the documents."""
    lines = [HEADINGS, ("---",) * len(HEADINGS), *map(cells, rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def summary(rows: Sequence[Row]) -> str:
    """One line for each section: the best, the median and the worst ratio. For the README."""
    lines = [("what", "against", "ratio: best, median, worst", "bar"), ("---",) * 4]
    for section in dict.fromkeys(row.section for row in rows):
        own = [row for row in rows if row.section == section and row.ratio == row.ratio]
        for peer in dict.fromkeys(row.peer for row in own):
            ratios = sorted(row.ratio for row in own if row.peer == peer)
            bar = next(row.bar for row in own if row.peer == peer)
            shown = [ratios[0]] if len(ratios) == 1 else [ratios[0], ratios[len(ratios) // 2], ratios[-1]]
            lines.append((section, peer, ", ".join(f"{ratio:.2f}" for ratio in shown), "" if bar is None else f"≤ {bar:g}"))
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def notes(rows: Iterable[Row]) -> str:
    """What has to be said about some of the rows, each thing once."""
    return "\n".join(f"- {note}" for note in dict.fromkeys(f"{row.section}: {row.note}" for row in rows if row.note))


def circumstances() -> dict[str, Any]:
    """Where the numbers come from: versions, the processor, the threads."""

    def known(package: str) -> str | None:
        try:
            return version(package)
        except PackageNotFoundError:
            return None

    versions = {package: known(package) for package in PACKAGES.values()}
    return {"python": platform.python_version(), "machine": platform.machine(), "system": platform.system(), **versions, "threads": THREADS}


def said(facts: dict[str, Any]) -> str:
    """The circumstances as one sentence."""
    peers = ", ".join(f"{name} {facts[package]}" for name, package in PACKAGES.items() if facts.get(package))
    threads = ", ".join(f"{name}={value}" for name, value in facts["threads"].items())
    return f"Python {facts['python']} on {facts['system']} {facts['machine']}, {peers}; {threads}."


def save(rows: Sequence[Row], folder: Path = RESULTS) -> None:
    """Write ``table.json`` and ``table.png``."""
    folder.mkdir(parents=True, exist_ok=True)
    whole = {"circumstances": circumstances(), "rows": [encoded(row) for row in rows]}
    (folder / "table.json").write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    draw(rows, folder / "table.png")


def means(rows: Sequence[Row]) -> dict[str, float]:
    """The geometric mean of the ratios of each section against each peer.

    >>> means([Row("chain", "small", 2.0, "by hand", 1.0), Row("chain", "large", 8.0, "by hand", 1.0)])
    {'chain / by hand': 4.0}
    """
    found: dict[str, list[float]] = {}
    for row in rows:
        if row.ratio == row.ratio:
            found.setdefault(f"{row.section} / {row.peer}", []).append(row.ratio)
    return {name: round(statistics.geometric_mean(ratios), 3) for name, ratios in found.items()}


def remember(rows: Sequence[Row], commit: str, path: Path = HISTORY) -> None:
    """Add a line of means to the history, by the commit; what the commit had before is replaced."""
    lines = [line for line in history(path) if line["commit"] != commit]
    lines.append({"commit": commit, **means(rows)})
    path.write_text("".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines), encoding="utf-8")


def history(path: Path = HISTORY) -> list[dict[str, Any]]:
    """The lines of the history, the latest last."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def slower(rows: Sequence[Row], before: Mapping[str, Any]) -> str:
    """What has become slower by more than a tenth since an earlier line.

    >>> slower([Row("chain", "small", 3.0, "by hand", 2.0)], {"commit": "a1", "chain / by hand": 1.2})
    'chain / by hand: 1.50, 1.20 at a1'
    """
    return "\n".join(f"{name}: {mean:.2f}, {before[name]:.2f} at {before['commit']}"
                     for name, mean in means(rows).items() if name in before and mean > 1.1 * before[name])


def encoded(row: Row) -> dict[str, Any]:
    """A row for JSON, which has no NaN."""
    return {name: None if value != value else value for name, value in row._asdict().items()}


def load(folder: Path = RESULTS) -> tuple[dict[str, Any], list[Row]]:
    """The circumstances and the rows of ``table.json``."""
    whole = json.loads((folder / "table.json").read_text(encoding="utf-8"))
    nan = float("nan")
    rows = [Row(**{**row, "ours": nan if row["ours"] is None else row["ours"], "theirs": nan if row["theirs"] is None else row["theirs"]})
            for row in whole["rows"]]
    return whole["circumstances"], rows


def draw(rows: Sequence[Row], path: Path) -> None:
    """The ratios as bars, each with its bar to keep."""
    from matplotlib.figure import Figure

    shown = [row for row in rows if row.ratio == row.ratio][::-1]
    figure = Figure(figsize=(9.5, 1.2 + 0.21 * len(shown)), layout="constrained")
    axes = figure.subplots()
    colours = ["tab:gray" if row.kept is None else "tab:green" if row.kept else "tab:red" for row in shown]
    axes.barh(range(len(shown)), [row.ratio for row in shown], color=colours, height=0.7)
    for height, row in enumerate(shown):
        if row.bar is not None:
            axes.plot([row.bar] * 2, [height - 0.45, height + 0.45], color="black", linewidth=1.5)
    axes.set_yticks(range(len(shown)), [f"{row.section}: {row.case} / {row.peer}" for row in shown], fontsize="x-small")
    axes.set(xlabel="our time divided by what it is compared with (a black line is the bar)", xscale="log", ylim=(-0.7, len(shown) - 0.3))
    axes.axvline(1, color="black", linewidth=0.5, linestyle=":")
    figure.savefig(path, dpi=110)
