"""A graph in the DOT language of graphviz."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .facts import GraphEdge, GraphNode

STYLES = {
    "leaf": 'shape=box, style="rounded,filled", fillcolor="#dbeafe", color="#3b82f6"',
    "operation": 'shape=box, style=filled, fillcolor="#f8fafc", color="#64748b"',
    "output": 'shape=box, style="rounded,filled", fillcolor="#dcfce7", color="#16a34a"',
    "apart": 'shape=box, style="rounded,filled,dashed", fillcolor="#f1f5f9", color="#94a3b8"',
}


def dot_text(nodes: Iterable[GraphNode], edges: Iterable[GraphEdge]) -> str:
    """The text: one line for each node and each edge, in their order."""
    lines = ["digraph {", "  graph [bgcolor=transparent]", "  node [fontname=monospace, fontsize=10]", '  edge [color="#808a98"]']
    for node in nodes:
        style = STYLES[node.kind].replace("style=filled", 'style="filled,dashed"') if node.freed else STYLES[node.kind]
        lines.append(f"  n{node.number} [label={quoted(node.description)}, {style}]")
    for edge in edges:
        which = f"result {edge.result} → " if len(edge.source.results) > 1 else ""
        tooltip = f" [tooltip={quoted(which + edge.argument)}]" if which or edge.argument else ""
        lines.append(f"  n{edge.source.number} -> n{edge.target.number}{tooltip}")
    return "\n".join([*lines, "}", ""])


def quoted(text: str) -> str:
    r"""A string of the DOT language that stands for just this text.

    A backslash is doubled, for graphviz has escapes of its own (``\N`` is the node's name), and so is the ampersand spelled out,
    for it reads entities; the control characters that no text should have become the sign for what cannot be shown.

    >>> print(quoted('a "b" \\N & c'))
    "a \"b\" \\N &amp; c"
    """
    text = re.sub(r"[\x00-\x09\x0b-\x1f\x7f\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", text)
    text = text.replace("&", "&amp;").replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
    return f'"{text}"'
