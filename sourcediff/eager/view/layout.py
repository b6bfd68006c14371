"""The layered layout of a graph (Sugiyama, Tagawa and Toda 1981): where its boxes stand and how its edges run, top to bottom.

Layers by longest paths, a bend for each layer that an edge crosses, an order with few crossings, then straight lines where they can be.
The edges from one result share their bends, so a parameter that every step of a loop reads is one trunk with a branch to each.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import isqrt
from typing import NamedTuple

from .alignment import aligned
from .crossings import ordered

GAP = 26.0
"""Between two boxes of a layer; beside a bend half of it."""

DROP = 34.0
"""Between two layers; more where edges have far to go sideways."""


class Box(NamedTuple):
    """The size of a box, and how many results its edges start from."""

    width: float
    height: float
    exits: int = 1


class Link(NamedTuple):
    """An edge from a box's result to a later box."""

    source: int
    target: int
    exit: int = 0


class Layout(NamedTuple):
    """``corners``: left and top of each box. ``routes``: the points of each edge, on the upper and lower border of each layer by turns.

    A route starts on the lower border of its source and ends on the upper one of its target. ``width`` and ``height`` hold all of it.
    """

    corners: list[tuple[float, float]]
    routes: list[list[tuple[float, float]]]
    width: float
    height: float


def layout(boxes: Sequence[Box], links: Sequence[Link]) -> Layout:
    """Place the boxes. Every link leads to a box with a higher number.

    >>> layout([Box(20, 10), Box(40, 10)], [Link(0, 1)])
    Layout(corners=[(10.0, 0.0), (0.0, 44.0)], routes=[[(20.0, 10.0), (20.0, 44.0)]], width=40.0, height=54.0)
    """
    depth, paths = layers_of(len(boxes), links)
    rows: list[list[int]] = [[] for _ in range(max(depth, default=-1) + 1)]
    alone = set(range(len(boxes))) - {end for link in links for end in link[:2]}
    for box, row in enumerate(depth):
        if box not in alone:
            rows[row].append(box)
    widths = [box.width for box in boxes]
    above: list[list[int]] = [[] for _ in boxes]
    ways = _bends(links, depth, rows, widths, above)
    rows = ordered(rows, above)
    for box in sorted(alone):
        rows[depth[box]].append(box)  # on the right, where it is in nobody's way
    halves = [width / 2 + (GAP / 2 if v < len(boxes) else GAP / 4) for v, width in enumerate(widths)]
    centres = aligned(rows, above, halves, paths)
    left = min((x - width / 2 for x, width in zip(centres, widths)), default=0.0)
    centres = [x - left for x in centres]

    ends = _ends(boxes, links, ways, centres)
    tracks = [[start, *(centres[bend] for bend in way), end] for way, (start, end) in zip(ways, ends)]
    tops, bottoms = _borders(boxes, links, rows, depth, tracks)
    corners = [
        (centres[v] - box.width / 2, tops[depth[v]] + (bottoms[depth[v]] - tops[depth[v]] - box.height) / 2) for v, box in enumerate(boxes)
    ]
    routes = []
    for link, track in zip(links, tracks):
        first = depth[link.source]
        points = [(track[0], corners[link.source][1] + boxes[link.source].height), (track[0], bottoms[first])]
        for row, x in enumerate(track[1:-1], first + 1):
            points += [(x, tops[row]), (x, bottoms[row])]
        points += [(track[-1], tops[depth[link.target]]), (track[-1], corners[link.target][1])]
        routes.append(list(dict.fromkeys((round(x, 3), round(y, 3)) for x, y in points)))  # the highest box reaches the border
    width = max((x + width / 2 for x, width in zip(centres, widths)), default=0.0)
    return Layout(corners, routes, width, bottoms[-1] if bottoms else 0.0)


def layers_of(size: int, links: Sequence[Link]) -> tuple[list[int], list[int]]:
    """The layer of each box, and the length of the longest path through it.

    A box is right below its last input; but what can sink without drawing out more edges than it shortens does. So do boxes without
    inputs, and those with one input at most that has inputs itself: the branch into a loop's late step starts late. Boxes without edges
    are dealt out over the layers.

    >>> layers_of(4, [Link(0, 1), Link(1, 3), Link(2, 3)])
    ([0, 1, 1, 2], [2, 2, 1, 2])
    """
    depth, height = [0] * size, [0] * size
    inputs: list[set[int]] = [set() for _ in depth]
    targets: list[set[int]] = [set() for _ in depth]
    for link in sorted(links, key=lambda link: link.target):
        depth[link.target] = max(depth[link.target], depth[link.source] + 1)
        inputs[link.target].add(link.source)
        targets[link.source].add(link.target)
    for box in reversed(range(size)):
        height[box] = max((height[target] + 1 for target in targets[box]), default=0)
    paths = [above + below for above, below in zip(depth, height)]
    for box in reversed(range(size)):
        if targets[box] and sum(bool(inputs[source]) for source in inputs[box]) <= 1:
            depth[box] = min(depth[target] for target in targets[box]) - 1
    alone = [box for box in range(size) if not inputs[box] and not targets[box]]
    layers = max(max(depth, default=0) + 1, isqrt(len(alone)))
    for place, box in enumerate(alone):
        depth[box] = place % layers
    return depth, paths


def _bends(
    links: Sequence[Link], depth: list[int], rows: list[list[int]], widths: list[float], above: list[list[int]],
) -> list[list[int]]:
    """Put bends into the ``rows`` that edges cross, and say what stands ``above`` each box and bend. Returns the bends of each edge."""
    trunks: dict[tuple[int, int], list[int]] = {}
    ways = []
    for link in links:
        trunk = trunks.setdefault((link.source, link.exit), [])
        needed = depth[link.target] - depth[link.source] - 1
        while len(trunk) < needed:
            bend = len(widths)
            widths.append(0.0)
            above.append([trunk[-1] if trunk else link.source])
            rows[depth[link.source] + len(trunk) + 1].append(bend)
            trunk.append(bend)
        way = trunk[:needed]
        last = way[-1] if way else link.source
        if last not in above[link.target]:
            above[link.target].append(last)
        ways.append(way)
    return ways


def _ends(
    boxes: Sequence[Box], links: Sequence[Link], ways: list[list[int]], centres: list[float],
) -> list[tuple[float, float]]:
    """Where each edge leaves its source and enters its target, sideways: those that enter stand in the order that they come from."""
    starts = [centres[link.source] + boxes[link.source].width * ((link.exit + 1) / (boxes[link.source].exits + 1) - 0.5) for link in links]
    entering: dict[int, list[int]] = {}
    for i, link in enumerate(links):
        entering.setdefault(link.target, []).append(i)
    ends = [0.0] * len(links)
    for target, arriving in entering.items():
        arriving.sort(key=lambda i: centres[ways[i][-1]] if ways[i] else starts[i])
        step = min(18.0, boxes[target].width / (len(arriving) + 1))
        for place, i in enumerate(arriving):
            ends[i] = centres[target] + step * (place - (len(arriving) - 1) / 2)
    return list(zip(starts, ends))


def _borders(
    boxes: Sequence[Box], links: Sequence[Link], rows: list[list[int]], depth: list[int], tracks: list[list[float]],
) -> tuple[list[float], list[float]]:
    """The upper and the lower border of each layer. ``tracks``: where each edge is, sideways, from its source's layer on."""
    reach = [0.0] * len(rows)
    for link, track in zip(links, tracks):
        for layer, (x, further) in enumerate(pairwise(track), depth[link.source]):
            reach[layer] = max(reach[layer], abs(x - further))
    tops, bottoms, y = [], [], 0.0
    for row, far in zip(rows, reach):
        height = max((boxes[v].height for v in row if v < len(boxes)), default=0.0)
        tops.append(y)
        bottoms.append(y + height)
        y += height + DROP + min(far / 10, DROP)
    return tops, bottoms
