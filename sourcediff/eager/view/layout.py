"""Where the boxes of a graph stand and how its edges run, top to bottom: the layered layout of grandalf (Sugiyama, Tagawa and Toda 1981).

The edges from one result share their bends, so a parameter that every step of a loop reads is one trunk with a branch to each.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isqrt
from types import SimpleNamespace
from typing import Any, NamedTuple

from ...errors import SourcediffError

try:
    from grandalf.graphs import Edge, Vertex
    from grandalf.layouts import DummyVertex, Layer, SugiyamaLayout, VertexViewer
except ImportError as error:
    raise SourcediffError(
        "the picture of a graph needs grandalf, which is not installed", why="it says where the boxes of the picture stand",
        remedy="pip install 'sourcediff[graph]', or take graph(v).dot(), the text for graphviz, or print(graph(v))",
    ) from error

GAP, DROP = 26.0, 34.0
"""Between two boxes of a layer, and between two layers."""


class Box(NamedTuple):
    """The size of a box, and how many results its edges start from."""

    width: float
    height: float
    exits: int = 1


class EdgeRoute(NamedTuple):
    """An edge from a box's result to a later box."""

    source: int
    target: int
    exit: int = 0


class Layout(NamedTuple):
    """``corners``: left and top of each box. ``routes``: the points of each edge, from a lower border to an upper one."""

    corners: list[tuple[float, float]]
    routes: list[list[tuple[float, float]]]
    width: float
    height: float


class Bend(DummyVertex):
    """Where a trunk crosses a layer."""

    def __init__(self, rank: int, above: Any):
        super().__init__(rank)
        self.view = VertexViewer(0.0, 0.0)
        self.near: dict[int, list[Any]] = {-1: [above], 1: []}

    def N(self, dir: int) -> list[Any]:
        return self.near[dir]


class Trunks(SugiyamaLayout):
    """The layout, with bends that the edges from one result share."""

    def __init__(self, vertices: list[Any], edges: list[Any]):
        whole = SimpleNamespace(sV=vertices, sE=edges, V=lambda: vertices, E=lambda: edges, degenerated_edges=())
        super().__init__(whole)  # what it asks of a graph; this one need not hang together
        self.xspace, self.yspace = GAP / 2, DROP
        self.trunks: dict[Any, Bend] = {}
        self.init_all(inverted_edges=[], optimize=True)
        self.draw(4)

    def rank_all(self, roots: Any, optimize: bool = False) -> None:
        super().rank_all(roots, optimize)
        alone = [vertex for vertex in self.g.sV if not vertex.e]
        self.layers += [Layer() for _ in range(len(self.layers), isqrt(len(alone)))]
        for place, vertex in enumerate(alone):  # these are dealt out
            self.layers[0].remove(vertex)
            self.grx[vertex].rank = place % len(self.layers)
            self.layers[self.grx[vertex].rank].append(vertex)

    def setdummies(self, edge: Any) -> None:
        source, target = edge.v
        first, last = self.grx[source].rank, self.grx[target].rank
        self.ctrls[edge] = way = {first: source, last: target}
        for rank in range(first + 1, last):
            key = source, edge.data.exit, rank
            if key not in self.trunks:
                self.trunks[key] = bend = Bend(rank, way[rank - 1])
                self.grx[bend] = bend
                self.layers[rank].append(bend)
            way[rank] = self.trunks[key]
        for rank in range(first + 1, last):
            if way[rank + 1] not in way[rank].near[1]:
                way[rank].near[1].append(way[rank + 1])

    def setxy(self) -> None:
        super().setxy()  # which takes the mean of four alignments: here those as narrow as the narrowest alone
        of = self.grx
        drawn = [v for layer in self.layers for v in layer]
        sides = [[of[v].x[k] + side * v.view.w / 2 for v in drawn for side in (-1, 1)] for k in range(4)]
        widths = [max(side) - min(side) for side in sides]
        chosen = [k for k in range(4) if widths[k] <= min(widths) * 1.05]
        for layer in self.layers:
            reached = -inf
            for v in layer:
                x = sum(of[v].x[k] - min(sides[k]) for k in chosen) / len(chosen)
                x = max(x, reached + v.view.w / 2)  # an alignment may bring two too near to each other
                v.view.xy = x, v.view.xy[1]
                reached = x + v.view.w / 2 + self.xspace


def layout(boxes: Sequence[Box], links: Sequence[EdgeRoute]) -> Layout:
    """Place the boxes. Every link leads to a box with a higher number.

    >>> layout([Box(20, 10), Box(40, 10)], [EdgeRoute(0, 1)])
    Layout(corners=[(10.0, 0.0), (0.0, 44.0)], routes=[[(20.0, 10.0), (20.0, 44.0)]], width=40.0, height=54.0)
    """
    vertices = [Vertex(box) for box in boxes]
    for vertex in vertices:
        vertex.view = VertexViewer(vertex.data.width + GAP / 2, vertex.data.height)
    edges = [Edge(vertices[link.source], vertices[link.target], data=link) for link in links]
    for edge in edges:
        edge.attach()
    found = Trunks(vertices, edges)
    left = min(vertex.view.xy[0] - vertex.data.width / 2 for vertex in vertices)
    centres = [(vertex.view.xy[0] - left, vertex.view.xy[1]) for vertex in vertices]
    corners = [(x - box.width / 2, y - box.height / 2) for (x, y), box in zip(centres, boxes)]
    borders = []
    for layer in found.layers:
        half = max(vertex.view.h for vertex in layer) / 2
        borders.append((layer[0].view.xy[1] - half, layer[0].view.xy[1] + half))
    routes = []
    for edge, (start, end) in zip(edges, _ends(boxes, links, centres)):
        way = found.ctrls[edge]
        (first, _), *bends, (last, _) = sorted(way.items())
        points = [(start, corners[edge.data.source][1] + boxes[edge.data.source].height), (start, borders[first][1])]
        points += [(bend.view.xy[0] - left, y) for rank, bend in bends for y in borders[rank]]
        points += [(end, borders[last][0]), (end, corners[edge.data.target][1])]
        routes.append(list(dict.fromkeys((round(x, 3), round(y, 3)) for x, y in points)))  # the highest box reaches the border
    points = [*((x + box.width, 0.0) for (x, _), box in zip(corners, boxes)), *(point for route in routes for point in route)]
    return Layout(corners, routes, max(x for x, _ in points), borders[-1][1])


def _ends(boxes: Sequence[Box], links: Sequence[EdgeRoute], centres: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Where each edge leaves its source and enters its target, sideways: those that enter stand in the order that they come from."""
    starts = [
        centres[link.source][0] + boxes[link.source].width * ((link.exit + 1) / (boxes[link.source].exits + 1) - 0.5) for link in links
    ]
    entering: dict[int, list[int]] = {}
    for i, link in enumerate(links):
        entering.setdefault(link.target, []).append(i)
    ends = [0.0] * len(links)
    for target, arriving in entering.items():
        arriving.sort(key=starts.__getitem__)
        step = min(18.0, boxes[target].width / (len(arriving) + 1))
        for place, i in enumerate(arriving):
            ends[i] = centres[target][0] + step * (place - (len(arriving) - 1) / 2)
    return list(zip(starts, ends))
