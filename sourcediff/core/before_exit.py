"""What is done at the end of a block is done before a ``break`` too, which is the last thing in it."""

from __future__ import annotations

from ..analysis.statements import binds, breaks, mutates
from ..syntax import nodes as n
from ..syntax.quote import clone, names, place

Block = list[n.stmt]


def ended(body: Block, ends: Block) -> Block:
    """A block with what has to be done at its end, before it is left by a ``break`` too."""
    if not ends or not body or not breaks(body[-1:]):
        return [*body, *ends]
    *before, last = body
    if isinstance(last, n.Break):
        return [*before, *ends, last]
    changed = binds([last]) | mutates([last])
    if not any(names(part) & changed or binds([part]) & names(last) for part in ends):
        return [*before, *ends, last]
    copies = [clone(part) for part in ends]
    return [*before, place(n.If(test=last.test, body=ended(last.body, ends), orelse=ended(last.orelse, copies)), last)]
