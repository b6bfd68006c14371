"""A graph as SVG: boxes for leaves, operations and outputs, the arrays that are saved marked in them, edges in the direction of the data.

The boxes have grounds of their own and the edges a grey between black and white, so that a notebook may be light or dark.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from html import escape
from itertools import pairwise
from typing import NamedTuple

from .facts import GraphEdge, GraphNode, times
from .layout import Box, EdgeRoute, layout

FONT = "DejaVu Sans Mono, Menlo, Consolas, Liberation Mono, monospace"
ADVANCE = 0.63
"""The width of a letter of these fonts, in parts of its size, and a little more."""

COLOURS = {
    "leaf": ("#dbeafe", "#3b82f6"), "operation": ("#f8fafc", "#64748b"), "output": ("#dcfce7", "#16a34a"), "apart": ("#f1f5f9", "#94a3b8"),
}
"""The ground and the frame of each kind of box."""

SAVED = ("#fde68a", "#78350f")
INK, FAINT, WARNING, LINE = "#0f172a", "#475569", "#b91c1c", "#808a98"
MARGIN, PADDING, STRIP, LONGEST = 14.0, 12.0, 4.0, 64


Point = tuple[float, float]
Piece = tuple[Point, Point]


class Text(NamedTuple):
    """One line in a box."""

    text: str
    size: int
    colour: str
    saved: bool = False

    @property
    def width(self) -> float:
        """How wide it is, more or less; letters of East Asian scripts count twice."""
        return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in self.text) * self.size * ADVANCE

    @property
    def height(self) -> float:
        """Of the line."""
        return self.size + 4.0


class Drawn(NamedTuple):
    """A box: what stands in it, how it looks, and what is said where one points at it."""

    key: str
    lines: list[Text]
    kind: str
    dashed: bool
    said: str
    exits: int = 1

    @property
    def size(self) -> Box:
        """Its size."""
        strip = STRIP * any(line.saved for line in self.lines)
        return Box(max(line.width for line in self.lines) + 2 * PADDING, sum(line.height for line in self.lines) + 12 + strip, self.exits)


def picture(nodes: Sequence[GraphNode], edges: Sequence[GraphEdge], summary: str, most: int) -> str:
    """The SVG; beyond ``most`` nodes that of the latest ones."""
    nodes, edges, left_out = abridged(nodes, edges, most)
    boxes = [_drawn(node) for node in nodes]
    place = {node.number: i for i, node in enumerate(nodes)}
    links = [EdgeRoute(place[edge.source.number], place[edge.target.number], edge.result) for edge in edges if edge.source.number in place]
    said = [_flow(edge) for edge in edges if edge.source.number in place]
    if left_out:
        boxes.insert(0, _rest(left_out))
        cut = dict.fromkeys(place[edge.target.number] for edge in edges if edge.source.number not in place)
        links = [EdgeRoute(source + 1, target + 1, exit_) for source, target, exit_ in links] + [EdgeRoute(0, target + 1) for target in cut]
        said += ["what is left out" for _ in cut]
    plan = layout([box.size for box in boxes], links)
    foot = Text(summary, 11, LINE)
    width, height = max(plan.width, foot.width) + 2 * MARGIN, plan.height + 2 * MARGIN + 24
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    drawn: set[Piece] = set()
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FONT}" role="img">',
        _title(f"graph of {summary}"),
        f'<g transform="translate({(width - plan.width) / 2:.1f},{MARGIN:.1f})">',
        f'<g fill="none" stroke="{LINE}" stroke-width="1.4">',
        *(
            f'<path data-edge="{boxes[link.source].key}-{boxes[link.target].key}" d="{_path(route, drawn)}">{_title(words)}</path>'
            for link, route, words in zip(links, plan.routes, said)
        ),
        "</g>",
        *(f'<path fill="{LINE}" d="M{_at(*route[-1])}l-3.5,-7h7z"/>' for route in plan.routes),
        *(_box(box, corner) for box, corner in zip(boxes, plan.corners)),
        "</g>",
        f'<text x="{width / 2:.1f}" y="{height - MARGIN:.1f}" font-size="11" text-anchor="middle" fill="{LINE}">{xml(foot.text)}</text>',
        "</svg>", "",
    ])


def abridged(
    nodes: Sequence[GraphNode], edges: Sequence[GraphEdge], most: int,
) -> tuple[Sequence[GraphNode], Sequence[GraphEdge], int]:
    """The nodes to draw, the edges that end at them, and how many nodes are left out: all earlier ones but leaves that are read."""
    if len(nodes) <= most:
        return nodes, edges, 0
    kept = {node.number for node in nodes[-max(1, most * 2 // 3):]}
    edges = [edge for edge in edges if edge.target.number in kept]
    leaves = {edge.source.number for edge in edges if edge.source.kind == "leaf"} - kept
    kept.update(sorted(leaves)[:max(0, most - len(kept))])
    return [node for node in nodes if node.number in kept], edges, len(nodes) - len(kept)


def _rest(left_out: int) -> Drawn:
    said = f"… {times(left_out, 'earlier node')} left out"
    return Drawn("rest", [Text(said, 13, INK), Text("nodes and dot() have them all", 11, FAINT)], "apart", True, said)


def _drawn(node: GraphNode) -> Drawn:
    """What is drawn of a node."""
    lines = [Text(shortened(node.title), 13, INK)]
    several = len(node.results) > 1
    lines += [Text(f"{i}: {result}" if several else str(result), 11, FAINT) for i, result in enumerate(node.results) if str(result)]
    lines += [Text(shortened(remark), 11, WARNING if remark == "freed" else FAINT) for remark in node.remarks]
    saved = [saved for saved in node.saved if saved.bytes]
    lines += [Text(shortened(f"saved {saved}"), 11, SAVED[1], True) for saved in saved[:6]]
    if len(saved) > 6:
        lines.append(Text(f"and {len(saved) - 6} more", 11, SAVED[1], True))
    return Drawn(str(node.number), lines, node.kind, node.freed or node.kind == "apart", node.description, len(node.results))


def _box(drawn: Drawn, corner: tuple[float, float]) -> str:
    """A box with its text; at its foot the strip of what is saved."""
    (width, height, _), (x, y) = drawn.size, corner
    ground, frame = COLOURS[drawn.kind]
    bend = 4 if drawn.kind == "operation" else min(16, height / 2)
    dashes = ' stroke-dasharray="5 3"' if drawn.dashed else ""
    strip = sum(line.height for line in drawn.lines if line.saved)
    parts = [f'<g data-node="{drawn.key}">', _title(drawn.said)]
    parts.append(_rect(x, y, width, height, f'rx="{bend:g}" fill="{ground}" stroke="{frame}"{dashes}'))
    if strip:
        parts.append(_rect(x + 3, y + height - strip - 7, width - 6, strip + 4, f'rx="2" fill="{SAVED[0]}"'))
    base = y + 2.5
    for i, line in enumerate(drawn.lines):
        base += line.height + STRIP * (line.saved and not drawn.lines[i - 1].saved)
        look = f'font-size="{line.size}" text-anchor="middle" fill="{line.colour}"' + ' font-weight="bold"' * (i == 0)
        parts.append(f'<text x="{x + width / 2:.1f}" y="{base:.1f}" {look}>{xml(line.text)}</text>')
    return "".join([*parts, "</g>"])


def _rect(x: float, y: float, width: float, height: float, look: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" {look}/>'


def _title(text: str) -> str:
    """What is shown where one points."""
    return f"<title>{xml(text)}</title>"


def _path(route: list[Point], drawn: set[Piece]) -> str:
    """The way of an edge, without the pieces of its trunk that another edge has drawn already; it ends in its arrow's head."""
    commands: list[str] = []
    for start, end in pairwise([*route[:-1], (route[-1][0], route[-1][1] - 4.0)]):
        if (start, end) in drawn:
            continue
        drawn.add((start, end))
        if not commands:
            commands.append(f"M{_at(*start)}")
        middle = (start[1] + end[1]) / 2
        straight = abs(start[0] - end[0]) < 0.05
        commands.append(f"L{_at(*end)}" if straight else f"C{_at(start[0], middle)} {_at(end[0], middle)} {_at(*end)}")
    return "".join(commands)


def _at(x: float, y: float) -> str:
    return f"{x:.1f},{y:.1f}"


def _flow(edge: GraphEdge) -> str:
    """What an edge is, in words."""
    which = f", result {edge.result}," if len(edge.source.results) > 1 else ""
    return f"{edge.source.title}{which} → {edge.target.title}" + (f" as {edge.argument}" if edge.argument else "")


def shortened(text: str) -> str:
    """The text, or its beginning if it is too long for a box.

    >>> shortened("x" * 100) == "x" * 63 + "…"
    True
    """
    return text if len(text) <= LONGEST else text[:LONGEST - 1] + "…"


def xml(text: str) -> str:
    r"""The text in XML: its signs escaped, what XML cannot hold replaced.

    >>> print(xml('a < b & "c"'), xml("\x00") == "\ufffd")
    a &lt; b &amp; &quot;c&quot; True
    """
    return escape(re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text))
