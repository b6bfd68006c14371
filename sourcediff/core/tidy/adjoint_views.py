"""Collect the adjoint of a part of an array where it belongs.

>>> from sourcediff.syntax.quote import statements
>>> from sourcediff.syntax.text import block_lines
>>> body = statements('''
... cam_bar = np.zeros_like(cam)
... cam_bar[6] = g
... cam_bar[:3] += h
... cams_bar[i] += cam_bar
... ''')
>>> made, shared = adjoint_views(body, {"cam_bar", "cams_bar"}, lambda index: True)
>>> print("\\n".join(block_lines(made, 0, [""])))
cam_bar = cams_bar[i]
cam_bar[6] += g
cam_bar[:3] += h
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Set

from ...analysis.literals import constant
from ...analysis.statements import base, binds, mutates, simple
from ...syntax import nodes as n
from ...syntax.quote import as_read, names, place, statement

Block = list[n.stmt]


def adjoint_views(body: Block, bars: Set[str], is_basic: Callable[[n.expr], bool]) -> tuple[Block, list[set[str]]]:
    """The block, in which what begins as zeros and is added to a slot of an adjoint is that slot, and which names are views of which.

    ``is_basic`` says whether an index takes a view.
    """
    said = Counter(part.id for node in body for part in n.walk(node) if isinstance(part, n.Name))
    made = AdjointViews(bars, is_basic, said)
    return made.block(body), made.shared


class AdjointViews:
    """Rewrites blocks; ``said`` is how often each name stands in the program."""

    def __init__(self, bars: Set[str], is_basic: Callable[[n.expr], bool], said: Counter[str]):
        self.bars, self.is_basic, self.said = bars, is_basic, said
        self.shared: list[set[str]] = []

    def block(self, body: Block) -> Block:
        """The block, and those within."""
        done = list(body)
        for node in body:
            for field in ("body", "orelse"):
                if getattr(node, field, None):
                    setattr(node, field, self.block(getattr(node, field)))
            if isinstance(node, n.Assign) and isinstance(node.targets[0], n.Name) and is_zeros(node.value):
                self.view(done, done.index(node), node.targets[0].id)
        return done

    def view(self, block: Block, start: int, name: str) -> None:
        """Make an adjoint a view of the slot to which it is added later in its block, if nothing else is done with either."""
        ends = [place for place in range(start + 1, len(block)) if self.is_end(block[place], name)]
        if not ends or name not in self.bars:
            return
        window, end = block[start + 1:ends[0]], block[ends[0]]
        target = end.target
        whole = target.value.id
        fixed = names(target.slice)
        if whole not in self.bars or not fixed.isdisjoint(binds(window) | mutates(window)) or not self.is_basic(target.slice):
            return
        parts = simple(window)
        found = [part for part in parts if not isinstance(part, (n.If, n.For, n.While)) and not {name, whole}.isdisjoint(names(part))]
        if any(not {name, whole}.isdisjoint(names(header(part))) for part in parts if isinstance(part, (n.If, n.For, n.While))):
            return
        mine = [part for part in found if name in names(part)]
        first = mine[0] if mine and isinstance(mine[0], n.Assign) and mine[0] in window else None
        if len(mine) + 2 != self.said[name] or any(not self.is_sum(part, name, whole, part is first) for part in found):
            return
        if first is not None:
            added = n.AugAssign(target=first.targets[0], op=n.Add(), value=first.value)
            block[block.index(first)] = place(added, first)
        block[start] = place(statement("$x = $s", x=name, s=as_read(target)), block[start])
        block.remove(end)
        self.shared.append({name, whole})

    def is_end(self, node: n.stmt, name: str) -> bool:
        """Whether a statement adds an adjoint to a slot."""
        added = isinstance(node, n.AugAssign) and isinstance(node.op, n.Add) and isinstance(node.target, n.Subscript)
        return added and isinstance(node.target.value, n.Name) and isinstance(node.value, n.Name) and node.value.id == name

    def is_sum(self, node: n.stmt, name: str, whole: str, first: bool) -> bool:
        """Whether a statement only adds to one of two adjoints, and reads neither; the ``first`` one may store."""
        if first:
            read = [node.value, node.targets[0].slice] if isinstance(node.targets[0], n.Subscript) else [node]
            return names(read).isdisjoint({name, whole}) and base(node.targets[0]) == name and constant(node.value) != 0
        if not isinstance(node, n.AugAssign) or not isinstance(node.op, (n.Add, n.Sub)) or base(node.target) not in (name, whole):
            return False
        read = [node.value, *([node.target.slice] if isinstance(node.target, n.Subscript) else [])]
        plain = isinstance(node.target, n.Name) or isinstance(node.target.value, n.Name)
        return plain and names(read).isdisjoint({name, whole})


def is_zeros(node: n.expr) -> bool:
    """Whether an expression makes an array of zeros."""
    return isinstance(node, n.Call) and isinstance(node.func, n.Attribute) and node.func.attr in ("zeros_like", "zeros")


def header(node: n.stmt) -> n.expr:
    """What a branch or a loop asks."""
    return node.iter if isinstance(node, n.For) else node.test
