"""``Graph``: what can be done with the facts of a graph, which is to walk, to write and to draw it."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from ...errors import SourcediffError
from .facts import GraphEdge, GraphNode, times, weight


class Graph:
    """What :func:`graph` returns: ``nodes``, each after those that it was made of, and ``edges`` in the direction of the data.

    ``saved_bytes``: what all saved arrays keep in memory, an array that several nodes saved (or views of it) counted once.
    """

    def __init__(self, nodes: tuple[GraphNode, ...], edges: tuple[GraphEdge, ...], saved_bytes: int):
        self.nodes = nodes
        self.edges = edges
        self.saved_bytes = saved_bytes

    @property
    def summary(self) -> str:
        """One line: how many nodes and edges, what is saved, how much of it was freed."""
        leaves, operations, freed = (
            sum(map(test, self.nodes)) for test in
            (lambda node: node.kind == "leaf", lambda node: node.kind == "operation", lambda node: node.freed)
        )
        counted = f"{times(leaves, 'leaf', 'leaves')}, {times(operations, 'operation')}, {times(len(self.edges), 'edge')}"
        return f"{counted}, {weight(self.saved_bytes)} saved" + (f", {freed:,} freed" if freed else "")

    def dot(self) -> str:
        """The graph in the DOT language, for graphviz and its relatives; the same text each time."""
        from .dot import dot_text

        return dot_text(self.nodes, self.edges)

    def svg(self, most: int = 300) -> str:
        """The picture as SVG, drawn without graphviz; readable on light and on dark ground, and the same each time.

        It needs grandalf (``pip install 'sourcediff[graph]'``): raises SourcediffError without it.

        Of a graph with more than ``most`` nodes the latest are drawn, and one box says how much is left out: a picture of
        more than some hundred boxes is read by nobody. :attr:`nodes` and :meth:`dot` are always complete.
        """
        from .picture import picture

        return picture(self.nodes, self.edges, self.summary, most)

    def save(self, path: str | Path) -> None:
        """Write the picture to a file that ends in ``.svg``, or the text for graphviz to one that ends in ``.dot`` or ``.gv``.

        Raises SourcediffError for another ending.
        """
        path = Path(path)
        if path.suffix not in (".svg", ".dot", ".gv"):
            raise SourcediffError(
                f"a graph cannot be saved as {path.name!r}", why="the ending says how it is written",
                remedy="give a name that ends in .svg (a picture) or .dot (text for graphviz, which can make the other formats)",
            )
        path.write_text(self.svg() if path.suffix == ".svg" else self.dot(), encoding="utf-8")

    def _repr_svg_(self) -> str | None:
        return self.svg() if find_spec("grandalf") else None  # a notebook then shows the table

    def __repr__(self) -> str:
        from .table import table

        return table(self.nodes, self.edges, self.summary)
