"""The passes over the source of a function, the outermost one or a callee, before any other pass looks at it."""

from __future__ import annotations

from ..syntax.source import Source
from .order.effects_first import sequenced
from .passes import ENTERED, Pass, look

SOURCE = (Pass("order", "effects_first", sequenced, "source"),)
"""The passes over the source of a function, the outermost one or a callee, in the order in which they run."""


def reworded(source: Source) -> Source:
    """The source with calls that change something in statements of their own.

    >>> from sourcediff.syntax.source import read
    >>> from sourcediff.syntax.text import to_source
    >>> def handed_out(x, parts):
    ...     return x[0] * parts.pop() + len(parts)
    >>> print("; ".join(to_source(node) for node in reworded(read(handed_out)).tree.body))
    t = x[0]; t1 = parts.pop(); return t * t1 + len(parts)
    """
    look(ENTERED, source.tree.body, source)
    for row in SOURCE:
        source = row.run(source)
        look(row, source.tree.body, source)
    return source
