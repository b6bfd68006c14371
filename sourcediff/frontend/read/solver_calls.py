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
solution = brentq_solved(a, b)
return solution + b
>>> print(to_source(read(source.given["brentq_solved"][0]).tree).replace("\\n\\n", "\\n").strip())
def brentq_solved(a, b):
    def equation(x):
        return x ** 3 - a * x - b
    return brentq(equation, 0, 4)

The eager engine has the derivative of such a function (``rules/scipy/optimize.py``): a solver looks for its answer in a way that no text
of ours would follow. Of an answer with parts (``found.x``) the parts that are read are what is returned.
"""

from __future__ import annotations

import types
from collections import Counter
from collections.abc import Callable
from typing import Any

from ...analysis.scope import bound_names, loaded_names
from ...rules.frames import FUNCTIONALS, composite_for
from ...syntax import nodes as n
from ...syntax.making import made
from ...syntax.quote import altered, as_target, clone, expression, place, remade
from ...syntax.source import Source
from ..function_trees import headed, resolving

HOLDING = (n.Assign, n.AugAssign, n.Return, n.Expr)
"""The statements of which a call is taken out."""


def solver_calls(source: Source) -> Source:
    """A function with its calls of solvers outlined, as far as they can be."""
    resolve = resolving(source.function, source.tree)

    def solves(node: n.AST) -> bool:
        return isinstance(node, n.Call) and composite_for(found := resolve(node.func)) is not None and found in FUNCTIONALS

    if source.own is not None or not any(map(solves, n.walk(source.tree))):
        return source
    outliner = Outliner(source, solves)
    tree = altered(source.tree, body=outliner.block(outliner.source.tree.body))
    if not outliner.outlined:
        return source
    tree = altered(tree, body=[node for node in tree.body if not outliner.unused(node, tree)])
    holder = types.FunctionType((lambda: None).__code__, dict(outliner.outlined))
    holder.__dict__["__holds__"] = source.function
    return source._replace(tree=tree, given={**source.given, **{
        name: (function, holder, name) for name, function in outliner.outlined.items()}})


class Outliner:
    """Walks a function's blocks; ``outlined`` are the functions that it has made, by name."""

    def __init__(self, source: Source, solves: Callable[[n.AST], bool]):
        self.source = source
        self.solves = solves
        self.taken = bound_names(source.tree) | loaded_names(source.tree)
        self.outlined: dict[str, types.FunctionType] = {}
        nodes = n.walk(source.tree)
        counts = Counter(part.id for part in nodes if isinstance(part, n.Name) and isinstance(part.ctx, n.Store))
        counts.update(part.name for part in nodes if isinstance(part, n.FunctionDef) and part is not source.tree)
        self.once = {name for name, count in counts.items() if count == 1}
        self.parts = {part.targets[0].id: read for part in nodes if isinstance(part, n.Assign) and len(part.targets) == 1
                      and isinstance(part.targets[0], n.Name) and solves(part.value) and (read := self.parts_read(part.targets[0].id))}

        def parted(node: Any) -> Any:
            held = isinstance(node, n.Attribute) and isinstance(node.value, n.Name) and node.value.id in self.parts
            return place(expression(f"{node.value.id}_{node.attr}"), node) if held else remade(node, parted)

        self.source = source._replace(tree=parted(source.tree))
        self.local = bound_names(source.tree) | {f"{name}_{part}" for name, read in self.parts.items() for part in read}
        nodes = n.walk(self.source.tree)
        self.inner = {part.name: part for part in nodes if isinstance(part, n.FunctionDef) and part is not self.source.tree}
        self.inner |= {part.targets[0].id: part for part in nodes if isinstance(part, n.Assign) and isinstance(part.value, n.Lambda)
                       and len(part.targets) == 1 and isinstance(part.targets[0], n.Name)}

    def block(self, body: list[n.stmt]) -> list[n.stmt]:
        """A block with the calls in its statements, and in the blocks within, outlined."""
        done: list[n.stmt] = []
        for node in body:
            if isinstance(node, HOLDING):
                done += self.statement(node)
            elif isinstance(node, (n.If, n.For, n.While)):
                done.append(altered(node, body=self.block(node.body), orelse=self.block(node.orelse)))
            else:
                done.append(node)
        return done

    def statement(self, node: Any) -> list[n.stmt]:
        """A statement, after those that name the answers of the solvers called in it."""
        before: list[n.stmt] = []

        def visit(part: Any) -> Any:
            if isinstance(part, (n.Lambda, *n.COMPREHENSIONS, n.IfExp, n.BoolOp)):
                return part  # which may not be run, or more than once
            if isinstance(part, n.Attribute) and self.solves(part.value) and (made_ := self.call(part.value, [part.attr])) is not None:
                before.append(made_[0])
                return place(expression(made_[1]), part)
            if self.solves(part) and (made_ := self.call(part, None)) is not None:
                before.append(made_[0])
                return place(expression(made_[1]), part)
            return remade(part, visit)

        if isinstance(node, n.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], n.Name) and self.solves(node.value):
            read = self.parts.get(node.targets[0].id)
            if read and (made_ := self.call(node.value, read, node.targets[0].id)) is not None:
                return [made_[0]]
        changed = altered(node, value=visit(node.value)) if node.value is not None else node
        if isinstance(changed, n.Assign) and before and isinstance(changed.value, n.Name) and len(before) == 1:
            return [altered(before[0], targets=changed.targets)]
        return [*before, changed]

    def parts_read(self, name: str) -> list[str]:
        """The attributes that are read of a name, if nothing else is done with it and it is bound once; they get names of their own."""
        uses = [part for part in n.walk(self.source.tree) if isinstance(part, n.Name) and part.id == name and isinstance(part.ctx, n.Load)]
        read = [part for part in n.walk(self.source.tree) if isinstance(part, n.Attribute) and part.value in uses]
        if name not in self.once or len(read) != len(uses):
            return []
        names = sorted({part.attr for part in read})
        if any(f"{name}_{attribute}" in self.taken for attribute in names):
            return []
        return names

    def call(self, call: Any, parts: list[str] | None, target: str = "") -> tuple[n.stmt, str] | None:
        """``target = name_solved(…)`` for a call, or a name for each of the parts of its answer; and the name. None where it cannot be."""
        needed, read = self.needed(call)
        if read is None:
            return None
        solver = getattr(call.func, "attr", getattr(call.func, "id", "call"))
        name = self.fresh(f"{solver}_solved")
        tree = place(headed(name, sorted(read)), call)
        value: Any = clone(call)
        if parts is None or not target:
            result = value if parts is None else n.Attribute(value=value, attr=parts[0], ctx=n.Load())
            body = [n.Return(value=result)]
            bound = [self.fresh("solution")]
        else:
            found = self.fresh("found")
            answer = [n.Attribute(value=expression(found), attr=part, ctx=n.Load()) for part in parts]
            body = [n.Assign(targets=[as_target(expression(found))], value=value, type_comment=None),
                    n.Return(value=n.Tuple(elts=answer, ctx=n.Load()) if len(parts) > 1 else answer[0])]
            bound = [f"{target}_{part}" for part in parts]
        tree.body = [*map(clone, needed), *body]
        for node in n.walk(tree):
            if getattr(node, "lineno", None) is None:
                place(node, call)
        function = made(tree, self.source.function)
        function.__qualname__ = f"{self.source.function.__qualname__}.<locals>.{name}"
        function.__dict__.update(__island__=None, __tree__=self.source._replace(tree=tree))
        self.outlined[name] = function
        again = place(n.Call(func=expression(name), args=[expression(part) for part in sorted(read)], keywords=[]), call)
        targets = [as_target(expression(part)) for part in bound]
        whole = n.Tuple(elts=targets, ctx=n.Store()) if len(targets) > 1 else targets[0]
        statement = place(n.Assign(targets=[whole], value=again, type_comment=None), call)
        for node in n.walk(statement):
            if getattr(node, "lineno", None) is None:
                place(node, call)
        return statement, bound[0]

    def needed(self, call: n.Call) -> tuple[list[n.stmt], set[str] | None]:
        """The inner functions that a call speaks of, first those that are spoken of last, and what all of them read from around them."""
        found: dict[str, n.stmt] = {}
        read: set[str] = set()
        pending = [free_of(call) & self.local]
        while pending:
            for name in sorted(pending.pop()):
                if name not in self.inner:
                    read.add(name)
                elif name not in self.once or any(isinstance(part, (n.Nonlocal, n.Global)) for part in n.walk(self.inner[name])):
                    return [], None
                elif name not in found:
                    found[name] = self.inner[name]
                    pending.append(free_of(self.inner[name]) & self.local)
        return list(reversed(found.values())), read

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
        name = next((name for name, known in self.inner.items() if known is node), None)
        others = [part for other in tree.body if other is not node for part in n.walk(other)]
        return name is not None and not any(isinstance(part, n.Name) and part.id == name for part in others)


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
