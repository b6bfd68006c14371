"""The passes over the source of a function, the outermost one or a callee, before any other pass looks at it."""

from __future__ import annotations

from ..syntax.source import Source
from .desugar.iterators import iterated
from .desugar.tables import columned
from .order.effects_first import sequenced
from .passes import ENTERED, Pass, look

SOURCE = (
    Pass("order", "effects_first", sequenced, "source"),
    Pass("desugar", "iterators", iterated, "source"),
    Pass("desugar", "tables", columned, "source"),
)
"""The passes over the source of a function, the outermost one or a callee, in the order in which they run."""


def reworded(source: Source) -> Source:
    """The source with calls that change something in statements of their own, and with lists for iterators and for columns of tables.

    >>> from sourcediff.syntax.source import read
    >>> from sourcediff.syntax.text import to_source
    >>> def handed_out(x, parts):
    ...     items = iter(parts)
    ...     return x * next(items)
    >>> print("; ".join(to_source(node) for node in reworded(read(handed_out)).tree.body[:2]))
    items = list(parts); at = 0
    """
    look(ENTERED, source.tree.body, source)
    for row in SOURCE:
        source = row.run(source)
        look(row, source.tree.body, source)
    return source
