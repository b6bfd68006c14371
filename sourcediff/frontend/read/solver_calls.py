"""Outline the calls of solvers: the call, with the functions that it is given, becomes a function of its own, and stays a call.

>>> from scipy.optimize import brentq
>>> from sourcediff.syntax.source import read
>>> from sourcediff.syntax.text import to_source
>>> def root(a, b):
...     def equation(x):
...         return x ** 3 - a * x - b
...     return brentq(equation, 0, 4) + b
>>> source = solver_calls(read(root))
>>> print("\\n".join(map(to_source, source.tree.body)))
return brentq_solved(a, b) + b
>>> print(to_source(read(source.given["brentq_solved"][0]).tree).replace("\\n\\n", "\\n").strip())
def brentq_solved(a, b):
    def equation(x):
        return x ** 3 - a * x - b
    return brentq(equation, 0, 4)

A solver looks for its answer in a way that no text of ours would follow. What is derived is the equation that holds at the answer, or the
nodes or steps that were settled on (``REPEATED``), by a function of its own; where the compiler does not take it, by the eager engine
(``rules/scipy/optimize.py``). Of an answer with parts (``found.x``) the parts that are read are what is returned.
"""

from __future__ import annotations

import types
from collections import Counter
from collections.abc import Callable
from typing import Any

from ...analysis.scope import bound_names, loaded_names
from ...analysis.source.mutated_names import touched
from ...rules.library_functions import FUNCTIONALS, REPEATED, composite_for
from ...syntax import nodes as n
from ...syntax.making import made
from ...syntax.quote import altered, as_target, clone, expression, names, place, placed, remade
from ...syntax.source import Source
from ..function_trees import headed, resolving
from .lambda_lifting import own_body

UNMOVED = ("success", "status", "message", "converged", "flag", "nfev", "njev", "nlu", "nit", "iterations", "function_calls")
"""Parts of answers that are no numbers with a derivative."""

LEFT = "fun"
"""The part of the answer of what solves an equation that vanishes, whatever the equation's parameters are."""


UNUSUAL = {"full_output", "complex_func", None}
USUAL = 4
"""Keywords, and a number of arguments, with which a solver may give something else."""


def solver_calls(source: Source) -> Source:
    """A function with its calls of solvers outlined, as far as they can be."""
    outside = resolving(source.function, source.tree)

    def resolve(node: n.expr) -> Any:
        given = source.given.get(node.id) if isinstance(node, n.Name) else None
        return outside(node) if given is None else given[0]

    def solves(node: n.AST) -> bool:
        return isinstance(node, n.Call) and composite_for(found := resolve(node.func)) is not None and found in FUNCTIONALS

    if not any(map(solves, n.walk(source.tree))):
        return source
    outliner = Outliner(source, solves, resolve)
    tree = altered(source.tree, body=[*map(outliner.rewritten, outliner.source.tree.body)])
    if not outliner.outlined or outliner.parts.keys() & {part.id for part in n.walk(tree) if isinstance(part, n.Name)}:
        return source
    tree = altered(tree, body=[node for node in tree.body if not outliner.unused(node, tree)])
    holder = types.FunctionType((lambda: None).__code__, dict(outliner.outlined))
    holder.__dict__["__holds__"] = source.function
    return source._replace(tree=tree, given={**source.given, **{
        name: (function, holder, name) for name, function in outliner.outlined.items()}})


class Outliner:
    """Walks a function; ``outlined`` are the functions that it has made, by name."""

    def __init__(self, source: Source, solves: Callable[[n.AST], bool], resolve: Callable[[n.expr], Any]):
        self.source = source
        self.solves = solves
        self.resolve = resolve
        self.taken = bound_names(source.tree) | loaded_names(source.tree)
        self.outlined: dict[str, types.FunctionType] = {}
        nodes = n.walk(source.tree)
        counts = Counter(part.id for part in nodes if isinstance(part, n.Name) and isinstance(part.ctx, n.Store))
        counts.update(part.name for part in nodes if isinstance(part, n.FunctionDef) and part is not source.tree)
        self.once = {name for name, count in counts.items() if count == 1}
        given = {part.id for part in n.walk(source.tree.args) if isinstance(part, n.Name)}
        self.steady = (self.once - given) | (given - counts.keys())
        self.parts = {part.targets[0].id: read for part in nodes if isinstance(part, n.Assign) and len(part.targets) == 1
                      and isinstance(part.targets[0], n.Name) and solves(part.value) and (read := self.parts_read(part.targets[0].id))}

        def parted(node: Any) -> Any:
            held = isinstance(node, n.Attribute) and isinstance(node.value, n.Name) and node.value.id in self.parts
            return place(expression(f"{node.value.id}_{node.attr}"), node) if held else remade(node, parted)

        self.source = source._replace(tree=parted(source.tree))
        self.local = bound_names(source.tree) | {f"{name}_{part}" for name, read in self.parts.items() for part in read}
        nodes = n.walk(self.source.tree)
        self.inner = {part.name: part for part in nodes if isinstance(part, n.FunctionDef) and part is not self.source.tree}
        values = {part.targets[0].id: part for part in nodes if isinstance(part, n.Assign) and len(part.targets) == 1
                  and isinstance(part.targets[0], n.Name)}
        self.inner |= {name: part for name, part in values.items() if isinstance(part.value, n.Lambda)}
        self.called_for = {name for name, part in values.items() if isinstance(part.value, n.Call)}  # functions that a call gives, perhaps

    def rewritten(self, node: Any) -> Any:
        """A node with the calls in it outlined."""
        if isinstance(node, n.Assign) and len(node.targets) == 1 and (read := self.parts.get(getattr(node.targets[0], "id", ""))):
            if (call := self.call(node.value, read)) is not None:
                targets = [as_target(expression(f"{node.targets[0].id}_{part}")) for part in read]
                whole = n.Tuple(elts=targets, ctx=n.Store()) if len(targets) > 1 else targets[0]
                return placed(altered(node, targets=[whole], value=call), node)
        if isinstance(node, n.Attribute) and self.solves(node.value) and (call := self.call(node.value, [node.attr])) is not None:
            return call
        return self.solves(node) and self.call(node, []) or remade(node, self.rewritten)

    def parts_read(self, name: str) -> list[str]:
        """The attributes that are read of a name, if nothing else is done with it, and it is bound to answers alone; they get names."""
        named = [part for part in n.walk(self.source.tree) if isinstance(part, n.Name) and part.id == name]
        uses = [part for part in named if isinstance(part.ctx, n.Load)]
        read = [part for part in n.walk(self.source.tree) if isinstance(part, n.Attribute) and part.value in uses]
        stored = [part for part in named if not isinstance(part.ctx, n.Load)]
        solved = [part.targets[0] for part in n.walk(self.source.tree)
                  if isinstance(part, n.Assign) and len(part.targets) == 1 and self.solves(part.value)]
        if len(read) != len(uses) or not all(part in solved for part in stored):
            return []
        names = sorted({part.attr for part in read})
        if any(f"{name}_{attribute}" in self.taken for attribute in names):
            return []
        return names

    def call(self, call: Any, parts: list[str]) -> n.expr | None:
        """The call of a function that is made of a call, and gives some ``parts`` of its answer, or all of it; None where it cannot be."""
        needed, read = self.needed(call)
        if read is None or call.args and getattr(call.args[0], "id", "") in self.called_for:
            return None
        name = self.fresh(f"{getattr(call.func, 'attr', getattr(call.func, 'id', 'call'))}_solved")
        found = self.fresh("found")
        value: Any = clone(call)
        body: list[n.stmt] = [*map(clone, needed)]
        if len(parts) > 1:
            body.append(n.Assign(targets=[as_target(expression(found))], value=value, type_comment=None))
            value = expression(found)
        answer = [n.Attribute(value=clone(value), attr=part, ctx=n.Load()) for part in parts] or [value]
        body.append(n.Return(value=answer[0] if len(answer) == 1 else n.Tuple(elts=answer, ctx=n.Load())))
        self.outlined[name] = function = self.function(name, sorted(read), body, call)
        again = self.repeated(call, parts, needed, sorted(read))
        vars(function).update(__island__=None, __repeated__=again, __ranks__=self.ranks(call, parts))
        return placed(n.Call(func=expression(name), args=[expression(part) for part in sorted(read)], keywords=[]), call)

    def function(self, name: str, parameters: list[str], body: list[n.stmt], call: Any, **more: Any) -> types.FunctionType:
        """A function of the parts of a call; ``more`` are functions of ours that it speaks of."""
        tree = place(headed(name, parameters), call)
        tree.body = body
        more |= {key: value for key, (value, *_) in self.source.given.items() if key in names(tree)}
        function = made(placed(tree, call), self.source.function, {key: types.CellType(value) for key, value in more.items()})
        function.__qualname__ = f"{self.source.function.__qualname__}.<locals>.{name}"
        function.__dict__["__tree__"] = self.source._replace(tree=tree, own=None)
        return function

    def repeated(self, call: Any, parts: list[str], needed: list[n.stmt], read: list[str]) -> tuple[Any, ...] | None:
        """How generated code derives the answer, or its ``parts``: what settles it, and what computes it again from that; None where the
        eager engine does."""
        known = REPEATED.get(self.resolve(call.func))
        if known is None or known.parts and not parts or not {*parts} <= {*known.parts, *UNMOVED, *([LEFT] if known.equation else [])}:
            return None
        settle, again, found = (self.fresh(name) for name in ("settle", known.again.__name__, "settled"))
        value = altered(clone(call), func=expression(settle))
        settling = self.function(settle, read, [*map(clone, needed), n.Return(value=value)], call, **{settle: known.settle})
        value = altered(clone(call), func=expression(again), args=[expression(found), *map(clone, call.args)])
        body = [*map(clone, needed), n.Return(value=value)]
        computed = self.function(f"{again}_of", [found, *read], body, call, **{again: known.again})
        computed.__dict__["__again__"] = True
        return known, settling, computed, tuple(parts)

    def ranks(self, call: Any, parts: list[str]) -> Any:
        """The numbers of dimensions of what a call gives, None for what is not known."""
        known = REPEATED.get(self.resolve(call.func))
        if known is None or known.ranks is None or {keyword.arg for keyword in call.keywords} & UNUSUAL or len(call.args) > USUAL:
            return None
        found = [dict(zip(known.parts, known.ranks)).get(part) for part in parts]
        return known.ranks if not parts else found[0] if len(found) == 1 else tuple(found)

    def needed(self, call: n.Call) -> tuple[list[n.stmt], set[str] | None]:
        """The inner functions that a call speaks of, first those that are spoken of last, and what all of them read from around them."""
        found: dict[str, n.stmt] = {}
        read: set[str] = set()
        pending = [free_of(call) & self.local]
        while pending:
            for name in sorted(pending.pop()):
                if name not in self.inner:
                    read.add(name)
                elif name not in self.once or not self.movable(self.inner[name]):
                    return [], None
                elif name not in found:
                    found[name] = self.inner[name]
                    pending.append(free_of(self.inner[name]) & self.local)
        parts = [part for node in [call, *found.values()] for part in n.walk(node)]
        return list(reversed(found.values())), None if touched(self.source, parts) & read else read

    def movable(self, node: Any) -> bool:
        """Whether an inner function is the same where a solver is called: what its defaults read has not been bound anew meanwhile."""
        if getattr(node, "decorator_list", ()) or any(isinstance(part, (n.Nonlocal, n.Global)) for part in n.walk(node)):
            return False
        args = own_body(node).args
        read = set().union(*(free_of(part) for part in (*args.defaults, *args.kw_defaults) if part is not None)) & self.local
        return read <= self.steady

    def fresh(self, base: str) -> str:
        """A name that the function does not use."""
        name, count = base, 0
        while name in self.taken:
            count += 1
            name = f"{base}{count}"
        self.taken.add(name)
        return name

    def unused(self, node: n.stmt, tree: n.FunctionDef) -> bool:
        """Whether a statement defines an inner function that nothing speaks of any more."""
        name = node.name if isinstance(node, n.FunctionDef) else getattr(node.targets[0], "id", "") if isinstance(node, n.Assign) else ""
        others = [part for other in tree.body if other is not node for part in n.walk(other)]
        return name in self.inner and not any(isinstance(part, n.Name) and part.id == name for part in others)


def free_of(node: Any) -> set[str]:
    """The names that an expression, or a function, reads and does not bind."""
    if isinstance(node, n.Assign):
        return free_of(node.value)
    if isinstance(node, n.Name):
        return {node.id} if isinstance(node.ctx, n.Load) else set()
    if isinstance(node, (n.Lambda, n.FunctionDef)):
        defaults = [*node.args.defaults, *(part for part in node.args.kw_defaults if part is not None)]
        body = node.body if isinstance(node, n.FunctionDef) else [node.body]
        own = bound_names(node) | {part.id for part in n.walk(node.args) if isinstance(part, n.Name) and not isinstance(part.ctx, n.Load)}
        return set().union(*map(free_of, defaults)) | set().union(*map(free_of, body)) - own
    own = bound_names(node) if isinstance(node, n.COMPREHENSIONS) else set()
    return set().union(*map(free_of, n.below(node))) - own
