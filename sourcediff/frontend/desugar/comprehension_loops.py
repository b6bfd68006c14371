"""A comprehension as the nested loops that it stands for.

>>> from sourcediff.syntax.quote import expression, statements
>>> from sourcediff.syntax.text import to_source
>>> node = expression("[v * w for v in xs if v > 0 for w in v.parts]")
>>> print(to_source(loops(node, statements("parts.append(v * w)"), {})))
for v in xs:
    if v > 0:
        for w in v.parts:
            parts.append(v * w)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...syntax import nodes as n
from ...syntax.quote import clone, place


def bound_by(node: Any) -> list[str]:
    """The names that the loops of a comprehension bind, in order."""
    return sorted({part.id for loop in node.generators for part in n.walk(loop.target) if isinstance(part, n.Name)})


def loops(node: Any, body: list[n.stmt], renamed: Mapping[str, n.AST]) -> n.stmt:
    """The loops of a comprehension around what is done for each element; ``renamed``: other names for what they bind."""
    for position, loop in reversed(list(enumerate(node.generators))):
        for test in reversed(loop.ifs):
            body = [place(n.If(test=clone(test, renamed), body=body, orelse=[]), node)]
        iterated = clone(loop.iter, renamed) if position else loop.iter  # the first is looked at from outside
        made = n.For(target=clone(loop.target, renamed), iter=iterated, body=body, orelse=[], type_comment=None)
        body = [place(made, node)]
    return body[0]
