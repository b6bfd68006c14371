"""Lower ``for`` loops: over indices, over functions, as ``while`` where there is no end, over lists of what is gone over once."""

from __future__ import annotations

import builtins
import itertools
import types
from typing import Any

from ...analysis.source.out_arguments import among
from ...analysis.statements import binds, breaks, mutates, target_names
from ...runtime.user_objects import member
from ...syntax import nodes as n
from ...syntax.quote import altered, clone, expression, place
from ..room import Block, Room


class ForLoops(Room):
    """What a loop runs over, and what its trips are."""

    def functions_in(self, node: n.For) -> list[n.expr] | None:
        """The functions that a loop runs over, if that is what it does."""
        known = self.known(node.iter)
        if not isinstance(node.target, n.Name) or breaks(node.body) or node.target.id in binds(node.body):
            return None
        items = known.items if known.kind == "sequence" and type(known.items) is tuple and isinstance(node.iter, n.Name) else ()
        if not items or not all(item.kind in ("function", "bound", "object") for item in items):
            return None
        return [expression(f"{node.iter.id}[{position}]") for position in range(len(items))]

    def looped(self, node: n.For) -> None:
        self.lower.expressions.checked(node.iter)
        if (functions := self.functions_in(node)) is not None:
            assert isinstance(node.target, n.Name)
            self.state.often |= {name for part in node.body for name in named_so(part, node.target.id)}
            for function in functions:
                for part in node.body:
                    self.statement(self.lower.attributes.open(clone(part, {node.target.id: function})))
            if read_outside_loops(self.state.sources[-1].tree, node.target.id):  # it stands for the last one then
                self.state.often.add(node.target.id)
                last = n.Assign(targets=[node.target], value=functions[-1], type_comment=None)
                self.statement(self.lower.attributes.open(place(last, node)))
            return
        if any(map(self.calls_until, n.walk(node.iter))) or self.is_endless(node.iter):
            self.refused(node.iter, "a loop over what has no end of its own", "how often it runs is told by what is taken", "use while")
            return
        self.comes(node.target, list(map(type, self.items_held(node.iter))))
        node = self.taken_once(node)
        if any(isinstance(part, n.GeneratorExp) for part in n.walk(node.iter)):  # the interpreter writes it as a loop
            self.refused(node.iter, "a loop over a generator", "that and the loop take turns", "make a list")
            return
        stores: Block = []
        target = self.lower.assignments.names_for(node.target, stores)
        if stores:
            node = place(n.For(target=target, iter=node.iter, body=[*stores, *node.body], orelse=[], type_comment=None), node)
        rows = self.known(node.iter).kind == "array" and mutates(node.body) & target_names(node.target)  # they are views
        lists, start = self.lower.list_methods.gone_over(node.iter), len(self.state.out)
        if not (changing := self.lower.list_methods.resized_in(node.body, lists)):
            if self.carries(node.iter) or rows or self.lower.flat_indices.is_flat(node.iter):
                self.lower.indexed(node)
            else:
                self.lower.index_loops.repeat(node.target, node.iter, self.lower.statements.block(node.body), node)
            changing = self.lower.list_methods.resized_in(self.state.out[start:], lists)  # by what it calls
        if changing:
            self.refused(node, f"{changing}, which becomes longer or shorter in a loop over it,", "how many trips that are is not known",
                         "loop over list(...) of it, or use while")

    def is_endless(self, node: n.expr) -> bool:
        """Whether an expression is ``itertools.count()`` or its like."""
        function = self.scope.resolve(node.func) if isinstance(node, n.Call) else None
        return function in (itertools.count, itertools.cycle) or function is itertools.repeat and len(node.args) + len(node.keywords) == 1

    def calls_until(self, node: n.AST) -> bool:
        """Whether an expression is ``iter(function, last)``, which calls the function at each trip."""
        return isinstance(node, n.Call) and len(node.args) == 2 and self.scope.resolve(node.func) is builtins.iter

    def taken_once(self, node: n.For) -> n.For:
        """A loop over an object whose class says in Python what its items are, or that gives them once, as one over a list of them."""
        walking = isinstance(node.iter, n.Call) and among(self.scope.resolve(node.iter.func), WALKING)
        if not walking:
            return altered(node, iter=self.items_of(node.iter, not breaks(node.body)))
        if not self.carries(node.iter):  # it is asked for what it goes over as in Python
            once = any(hasattr(kind, "__next__") for part in node.iter.args for kind in self.kinds_of(part))
            return altered(node, iter=self.items_of(node.iter, not breaks(node.body))) if once else node
        whole = not breaks(node.body) and (self.scope.resolve(node.iter.func) is not builtins.zip or len(node.iter.args) == 1)
        return altered(node, iter=altered(node.iter, args=[self.items_of(part, whole) for part in node.iter.args]))

    def items_of(self, node: n.expr, whole: bool) -> n.expr:
        """A name for a list of what such an object gives; anything else as it is. ``whole``: all of it is asked for."""
        given = node.args if isinstance(node, n.Call) else [node]
        kinds = [kind for part in given for kind in self.kinds_of(part) if iterates(kind)]
        if self.carries(node) or not kinds:
            return node
        if not whole and not all(hasattr(kind, "__len__") for kind in kinds):
            return self.refused(node, "a loop over a part of what an object gives", "whether that ends is not known", "loop over a list")
        return self.bound(self.scope.fresh("items"), place(expression("list($i)", i=node), node), node)

    def kinds_of(self, node: n.expr) -> list[type]:
        """The classes that a value may have which comes from outside, as far as they are known."""
        if isinstance(node, (n.IfExp, n.BoolOp)):
            parts = [node.body, node.orelse] if isinstance(node, n.IfExp) else node.values
            return [kind for part in parts for kind in self.kinds_of(part)]
        if isinstance(node, n.Subscript):
            return list(map(type, self.items_held(node.value)))
        if isinstance(node, n.Name) and node.id in self.state.come:
            return self.state.come[node.id]
        instance = self.lower.attributes.instance(node)
        return [type(self.lower.outer_state.held(node))] if instance is None else [instance.kind]

    def items_held(self, node: n.expr) -> list[Any]:
        """What a container from outside holds."""
        held = self.lower.outer_state.held(node)
        return list(held.values()) if isinstance(held, dict) else list(held) if isinstance(held, (list, tuple)) else []

    def comes(self, target: n.expr, kinds: list[type]) -> None:
        """Note which objects with items of their own a name may stand for."""
        if isinstance(target, n.Name) and (found := [kind for kind in kinds if iterates(kind)]):
            self.state.come[target.id] = [*self.state.come.get(target.id, ()), *found]

def named_so(node: n.stmt, name: str) -> set[str]:
    """The names that are bound in a statement to just what ``name`` stands for."""
    same = [part for part in n.walk(node) if isinstance(part, n.Assign) and getattr(part.value, "id", "") == name]
    return {target.id for part in same for target in part.targets if isinstance(target, n.Name)}


def read_outside_loops(tree: n.AST, name: str) -> bool:
    """Whether a name is read outside of the loops and comprehensions that bind it."""
    if isinstance(tree, n.Name):
        return tree.id == name and isinstance(tree.ctx, n.Load)
    if isinstance(tree, n.For) and name in target_names(tree.target):
        return any(read_outside_loops(part, name) for part in (tree.iter, *tree.orelse))
    loops = getattr(tree, "generators", [])
    if any(name in target_names(loop.target) for loop in loops):
        return any(read_outside_loops(loop.iter, name) for loop in loops)
    return any(read_outside_loops(part, name) for part in n.iter_child_nodes(tree))


def iterates(kind: type) -> bool:
    """Whether the items of an object of a class are what its ``__iter__`` says, written in Python, or can be had once."""
    return isinstance(member(kind, "__iter__"), types.FunctionType) or hasattr(kind, "__next__")


WALKING = (builtins.enumerate, builtins.zip, builtins.map, builtins.filter)
"""What asks for the items of its arguments as a loop does."""
