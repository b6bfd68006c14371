"""Expand stars in calls and displays, ``f(*a)``, ``f(**k)``, ``[*a, b]``, ``{**d, "k": v}``, whose lengths are known.

>>> from sourcediff.api.explain import text_after
>>> def plane(x, y, slope):
...     return slope * x + y
>>> def line(p, *rest):
...     at = (p, rest[0])
...     return plane(*at, **{"slope": rest[1]}) * sum([*at, 1.0])
>>> print(text_after("unbound_names", line, args=(1.0, 2.0, 3.0)))
t = rest[0]
t1 = rest[1]
t3 = t1 * p
t2 = t3 + t
total = 0 + p
total = total + t
total = total + 1.0
value = t2 * total
"""

from __future__ import annotations

from typing import Any

from ...analysis.abstract import Abstract
from ...analysis.literals import constant
from ...analysis.statements import altered_container, base, binds, grown, mutates, shrunk, within
from ...core.facts.liveness import Liveness
from ...syntax import nodes as n
from ...syntax.container_methods import mutating
from ...syntax.quote import expression, place, remade
from ..room import Block, Room


class StarArguments(Room):
    """Knows how many values a star stands for."""

    def spread(self, node: Any) -> Any:
        """An expression (or a statement's own expressions) with stars written out, as far as what they stand for is known."""
        if isinstance(node, (n.Lambda, n.FunctionDef)) or not any(map(starred, n.walk(node))):
            return node
        node = remade(node, self.spread)
        if isinstance(node, n.Call):
            return place(n.Call(func=node.func, args=self.written_out(node.args), keywords=self.keywords(node.keywords)), node)
        if isinstance(node, (n.Tuple, n.List)) and isinstance(node.ctx, n.Load):
            return place(type(node)(elts=self.written_out(node.elts), ctx=n.Load()), node)
        if isinstance(node, n.Dict) and None in node.keys:
            pairs = self.merged(node)
            return node if pairs is None else place(n.Dict(keys=list(pairs), values=list(pairs.values())), node)
        return node

    def written_out(self, parts: list[n.expr]) -> list[n.expr]:
        """The parts of a display or a call, each star replaced by the values that it stands for."""
        done: list[n.expr] = []
        for part in parts:
            found = self.items(part.value) if isinstance(part, n.Starred) else None
            done += [part] if found is None else found
        return done

    def keywords(self, given: list[n.keyword]) -> list[n.keyword]:
        """The keywords of a call, those of a dict that is known written out."""
        done = []
        for keyword in given:
            found = self.fields(keyword.value) if keyword.arg is None else None
            if found is None or not all(isinstance(key.value, str) for key in found):
                done.append(keyword)
            else:
                done += [n.keyword(arg=key.value, value=value) for key, value in found.items()]
        return done

    def merged(self, node: n.Dict) -> dict[n.Constant, n.expr] | None:
        """The entries of ``{**d, "k": v}``, a later one in place of an earlier one; None if they are not known."""
        pairs: dict[Any, tuple[n.Constant, n.expr]] = {}
        for key, value in zip(node.keys, node.values):
            found = self.fields(value) if key is None else {key: value} if isinstance(key, n.Constant) else None
            if found is None:
                return None
            pairs.update({key.value: (key, part) for key, part in found.items()})
        return dict(pairs.values())

    def items(self, node: n.expr) -> list[n.expr] | None:
        """The items of a list or tuple, None if it is not known how many there are."""
        if isinstance(node, (n.Tuple, n.List)):
            return None if any(map(starred, node.elts)) else node.elts
        known = self.known(node)
        if known.kind != "sequence" or type(known.items) is not tuple or not self.lasting(node):
            return None
        return [place(expression(f"$s[{position}]", s=node), node) for position in range(len(known.items))]

    def fields(self, node: n.expr) -> dict[n.Constant, n.expr] | None:
        """The entries of a dict, None if it is not known which there are."""
        node = self.lower.kinds.displayed(node)
        if isinstance(node, n.Dict):
            return dict(zip(node.keys, node.values)) if all(isinstance(key, n.Constant) for key in node.keys) else None
        known = self.known(node)
        if known.kind != "mapping" or type(known.items) is not tuple or not self.lasting(node):
            return None
        keys = [n.Constant(value=key, kind=None) for key, _ in known.items]
        return {key: place(expression("$d[$k]", d=node, k=key), node) for key in keys}

    def lasting(self, node: n.expr) -> bool:
        """Whether a name always stands for a list or dict of the same entries, as far as the program has been written."""
        name = base(node)
        if name is None or self.lower.bindings.sharing(name) & (self.state.often | self.state.changing | self.state.unsettled):
            return False
        self.state.stars.append((node, self.known(node), self.state.sources[-1]))
        return True

    def stars_in_loop(self, written: Block, start: int) -> None:
        """Refuse the stars, from ``start`` on, of what stands for other entries in a later trip of a loop that has been written."""
        for node, known, source in self.state.stars[start:]:
            name = base(node) or ""
            names = self.lower.bindings.sharing(name)
            for loop in written:
                if not isinstance(loop, (n.For, n.While)):
                    continue
                resized = any(resizes(part, names, known) for part in within(loop.body))
                bound = names & binds(loop.body)
                if not resized and not bound:
                    continue
                early = Liveness(loop.body, set()).entry
                unread = not known.items and name in bound and name in self.state.locals.values()
                if early & (names if resized else bound) or unread:
                    self.refused(node, "a star of what changes in the loop around it",
                                 "how many values it stands for in a later trip is not known", "write out what it stands for", source)


def starred(node: n.AST) -> bool:
    """Whether a node has stars of its own."""
    if isinstance(node, n.Dict):
        return None in node.keys
    return isinstance(node, n.Starred) and isinstance(node.ctx, n.Load) or isinstance(node, n.keyword) and node.arg is None


def resizes(node: n.stmt, names: set[str], known: Abstract) -> bool:
    """Whether a statement gives a list or dict, by one of its names, other places or keys than the known ones."""
    if grown(node) in names or shrunk(node) in names or altered_container(node) in names:
        return True
    if isinstance(node, n.AugAssign):
        return isinstance(node.target, n.Name) and node.target.id in names
    stored = [part for part in node.targets if isinstance(part, n.Subscript)] if isinstance(node, n.Assign) else []
    keys = [key for key, _ in known.items] if known.kind == "mapping" else None
    return any(base(part.value) in names and (isinstance(part.slice, n.Slice) if keys is None else constant(part.slice) not in keys)
               for part in stored)


def changing(body: Block) -> set[str]:
    """The names of lists and dicts whose entries may become others somewhere in a body."""
    found = mutates(body)
    for part in (part for node in body for part in n.walk(node)):
        if isinstance(part, n.Call) and isinstance(part.func, n.Attribute) and part.func.attr in mutating("list", "dict"):
            found.add(base(part.func) or "")
    return found
