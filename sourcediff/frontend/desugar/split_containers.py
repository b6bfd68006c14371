"""Scalar replacement: a dict or list that is only indexed by constants becomes one name for each entry.

>>> import numpy as np
>>> from sourcediff.api.explain import text_after
>>> def layers(x, w):
...     state = {"h": np.sin(x)}
...     for k in range(2):
...         state["h"] = np.tanh(w @ state["h"])
...     state["loss"] = np.sum(state["h"] ** 2)
...     return state["loss"]
>>> print(text_after("unbound_names", layers))
state_h = np.sin(x)
for k in range(2):
    t = w @ state_h
    state_h = np.tanh(t)
t1 = state_h ** 2
state_loss = np.sum(t1)

That is done where nothing else is asked of it than its entries by literal keys, so that nobody can tell the difference; one whose entries
are lists that grow (``d["t"].append(x)``) may also be returned, or be what a comprehension goes over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from ...analysis.statements import binds, simple
from ...naming import is_name
from ...syntax import nodes as n
from ...syntax.container_methods import mutating
from ...syntax.quote import as_target, expression, place, remade

Block = list[n.stmt]

Key = str | int

VIEWS = ("items", "values", "keys")
"""Methods of dicts that a comprehension goes over."""


def split_containers(body: Block, fresh: Callable[[str], str], parameters: set[str]) -> Block:
    """The body with such dicts and lists taken apart; ``fresh`` makes names."""
    made = {name: display for name, display in displays(body).items() if name not in parameters}
    if not made:
        return body
    keys: dict[str, dict[Key, str]] = {name: {} for name in made}
    parts = [part for node in body for part in n.walk(node)]
    seen = Counter(part.id for part in parts if isinstance(part, n.Name))
    stored: set[str] = set()
    grown: set[str] = set()
    wholes = Counter(name for part in parts for name in whole_uses(part))
    inner = {name.id for part in parts if isinstance(part, (n.FunctionDef, n.Lambda)) for name in n.walk(part) if isinstance(name, n.Name)}
    for part in parts:
        if (found := entry_of(part, made)) is not None:
            name, key = found
            seen[name] -= 1
            keys[name].setdefault(key, "")
            stored |= {name} if isinstance(part.ctx, n.Store) else set()
        elif isinstance(part, n.Attribute) and part.attr in mutating("list") and (found := entry_of(part.value, made)) is not None:
            grown.add(found[0])
    again = {name for node in simple(body) if isinstance(node, (n.For, n.While)) for name in binds(node.body)}
    chosen = {name for name in made if seen[name] == 1 and name in stored}
    chosen |= {name for name in grown if seen[name] == 1 + wholes[name] and set(keys[name]) <= set(dict(made[name]))}
    chosen -= inner
    chosen -= {name for name in chosen & again if set(keys[name]) - set(dict(made[name]))}  # there an entry may be gone again
    if not chosen:
        return body
    for name in sorted(chosen):
        for key in (*dict(made[name]), *keys[name]):
            spelled = key if isinstance(key, int) or is_name(key) else "entry"
            keys[name][key] = keys[name].get(key) or fresh(f"{name}_{spelled}")
    return Splitter({name: keys[name] for name in chosen}, made).block(body)


def displays(body: Block) -> dict[str, list[tuple[Key, n.expr]]]:
    """The names that are bound to a display, and to nothing else: the keys and values in it."""
    found: dict[str, list[tuple[Key, n.expr]]] = {}
    for part in (part for node in body for part in n.walk(node)):
        if isinstance(part, n.Assign) and len(part.targets) == 1 and isinstance(part.targets[0], n.Name):
            entries = constant_entries(part.value)
            if entries is not None:
                found[part.targets[0].id] = entries
    return found


def constant_entries(node: n.expr) -> list[tuple[Key, n.expr]] | None:
    """The entries of a dict whose keys are words, or of a list; None of anything else."""
    if isinstance(node, n.Dict) and all(isinstance(key, n.Constant) and isinstance(key.value, str) for key in node.keys):
        keys = [key.value for key in node.keys]
        return list(zip(keys, node.values)) if len(set(keys)) == len(keys) else None
    if isinstance(node, n.List) and not any(isinstance(part, n.Starred) for part in node.elts):
        return list(enumerate(node.elts))
    return None


def entry_of(node: Any, made: dict[str, list[tuple[Key, n.expr]]]) -> tuple[str, Key] | None:
    """``d`` and ``"k"`` for ``d["k"]``, if ``d`` is one of those that were found, and the entry can be there."""
    if not isinstance(node, n.Subscript) or not isinstance(node.value, n.Name) or node.value.id not in made or isinstance(node.ctx, n.Del):
        return None
    name, key = node.value.id, node.slice.value if isinstance(node.slice, n.Constant) else None
    listed = bool(made[name]) and isinstance(made[name][0][0], int)
    if listed and type(key) is int and 0 <= key < len(made[name]):
        return name, key
    return (name, key) if not listed and isinstance(key, str) else None


def whole_uses(node: Any) -> list[str]:
    """``d`` of ``return d``, and of a list, set or dict comprehension over ``d`` or ``d.items()``."""
    given = [node.value] if isinstance(node, n.Return) else []
    if isinstance(node, (n.ListComp, n.SetComp, n.DictComp)):
        given = [part.iter for part in node.generators]
        given = [part.func.value if isinstance(part, n.Call) and isinstance(part.func, n.Attribute) and part.func.attr in VIEWS else part
                 for part in given]
    return [part.id for part in given if isinstance(part, n.Name)]


class Splitter:
    """Writes names for entries."""

    def __init__(self, names: dict[str, dict[Key, str]], made: dict[str, list[tuple[Key, n.expr]]]):
        self.names = names
        self.made = {name: made[name] for name in names}

    def block(self, body: Block) -> Block:
        """The statements of a block."""
        done: Block = []
        for node in body:
            target = node.targets[0] if isinstance(node, n.Assign) and len(node.targets) == 1 else None
            if isinstance(target, n.Name) and target.id in self.names:
                done += self.bound(target.id, node)
            else:
                done.append(self.renamed(node))
        return done

    def bound(self, name: str, node: Any) -> Block:
        """One assignment for each entry of a display; together, since a later one may read what an earlier one binds."""
        entries = self.made[name]
        targets: list[n.expr] = [as_target(expression(self.names[name][key])) for key, _ in entries]
        values = [self.renamed(value) for _, value in entries]
        if not entries:
            return []
        if len(entries) == 1:
            return [place(n.Assign(targets=targets, value=values[0], type_comment=None), node)]
        whole = n.Tuple(elts=targets, ctx=n.Store())
        return [place(n.Assign(targets=[whole], value=n.Tuple(elts=values, ctx=n.Load()), type_comment=None), node)]

    def renamed(self, node: Any) -> Any:
        """A tree with the entries under their names."""
        if (found := entry_of(node, self.made)) is not None:
            made = expression(self.names[found[0]][found[1]])
            made.ctx = type(node.ctx)()
            return place(made, node)
        if isinstance(node, n.Name) and node.id in self.names and isinstance(node.ctx, n.Load):
            keys = [key for key, _ in self.made[node.id]]
            values = [expression(self.names[node.id][key]) for key in keys]
            shown = n.Dict(keys=[n.Constant(value=key, kind=None) for key in keys], values=values)
            return place(n.List(elts=values, ctx=n.Load()) if isinstance(keys[0], int) else shown, node)
        if isinstance(node, (n.If, n.For, n.While)):
            copied = remade(node, lambda part: part if isinstance(part, n.stmt) else self.renamed(part))
            copied.body, copied.orelse = self.block(node.body), self.block(node.orelse)
            return copied
        return remade(node, self.renamed)
