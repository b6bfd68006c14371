"""A graph as a table of text."""

from __future__ import annotations

from collections.abc import Sequence

from .facts import GraphEdge, GraphNode, times, weight

ROWS = 40


def table(nodes: Sequence[GraphNode], edges: Sequence[GraphEdge], summary: str) -> str:
    """One row for each node: its number, what it is, what it is made of, its result, what it saved. Of a long one both ends."""
    inputs: dict[int, list[str]] = {node.number: [] for node in nodes}
    for edge in edges:
        several = f".{edge.result}" if len(edge.source.results) > 1 else ""
        inputs[edge.target.number].append(f"{edge.source.number}{several}")
    shown = nodes if len(nodes) <= ROWS else [*nodes[:ROWS // 2], *nodes[-ROWS // 2:]]
    rows = [row(node, inputs[node.number]) for node in shown]
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip() for cells in rows]
    if len(shown) < len(nodes):
        lines.insert(ROWS // 2, f"… {times(len(nodes) - len(shown), 'more node')}")
    return "\n".join([f"graph of {summary}", *lines])


def row(node: GraphNode, inputs: list[str]) -> list[str]:
    """The cells of a node. An operation is named by itself, all else by its kind and its label."""
    what = node.title if node.kind == "operation" else f"{node.kind} {node.label}".rstrip()
    results = ", ".join(str(result) or "?" for result in node.results)
    saved = ", ".join(saved.name for saved in node.saved if saved.bytes)
    remarks = [f"saved {saved} ({weight(node.saved_bytes)})"] * bool(saved) + node.remarks
    return [f"{node.number:>4}", what, f"({some(inputs)})" if inputs else "", results, "; ".join(remarks)]


def some(words: list[str]) -> str:
    """The words in a line, of many the first ones and how many there are.

    >>> some(["0", "1"]), some(list("abcdefghij"))
    ('0, 1', 'a, b, c, d, e, f … 10 in all')
    """
    return ", ".join(words) if len(words) <= 8 else f"{', '.join(words[:6])} … {len(words)} in all"
