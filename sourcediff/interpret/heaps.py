"""Interpret heaps: where an entry carries a derivative, a heap is a list without an order, of which the least item is looked for."""

from __future__ import annotations

from typing import Any

from ..rules.composites.heaps import ON_HEAPS
from ..runtime.user_objects import is_users
from ..syntax import nodes as n
from ..syntax.container_methods import MUTATING
from ..syntax.quote import expression
from .known_now import KnownNow
from .state import Block
from .values import NotInterpreted, Run, Structure, Unordered, Value


class Heaps(KnownNow):
    """The values of calls of the functions of ``heapq``."""

    def holds_varying(self, value: Value) -> bool:
        """Whether a value carries a derivative, or is no expression (``calls.py``)."""
        raise NotImplementedError

    def on_heap(self, of: Any, args: list[Value], node: n.expr) -> Value | None:
        """What a function of ``heapq`` gives, if a heap has an entry that carries a derivative; None of any other call. Raises Unordered
        where such an entry is met first: what was read before asked for the order.
        """
        stand_in = next((function for known, function in ON_HEAPS.items() if known is of), None)
        if stand_in is None or not args or self.heaps is None and not any(map(self.holds_varying, args)):
            return None
        if self.heaps is None:
            raise Unordered
        kinds = [self.state.held[part.identity] for part in args[1:] if isinstance(part, Structure) and is_users(part.kind)]
        if kinds:
            raise NotInterpreted("an object is given to a function that is not known")
        heap = self.become_text(args[0]) if isinstance(args[0], Structure) else args[0]
        if not isinstance(heap, Run) or not isinstance(heap.node, n.Name):
            raise NotInterpreted("which part of a list is meant")
        self.heaps.add(heap.node.id)
        return self.function(self.outside.function(stand_in), [heap, *args[1:]], {}, node)

    def check_heaps(self, body: Block) -> None:
        """Raise NotInterpreted where a text asks for the order of a heap, and Unordered where it asks for the first item of a list that
        was found to be one later.
        """
        heaps = self.heaps or set()
        around = {child: node for whole in body for node in n.walk(whole) for child in n.iter_child_nodes(node)}
        renamed = [node for node in around.values() if isinstance(node, n.Assign) and isinstance(node.value, n.Name)]
        while others := {node.targets[0].id for node in renamed if node.value.id in heaps and isinstance(node.targets[0], n.Name)} - heaps:
            heaps |= others
        for part in (part for whole in body for part in n.walk(whole)):
            if not isinstance(part, n.Name) or part.id not in heaps or not isinstance(part.ctx, n.Load):
                continue
            use: Any = around[part]
            if use in renamed and isinstance(use.targets[0], n.Name):
                continue
            if isinstance(use, n.Subscript) and isinstance(use.slice, n.Constant) and use.slice.value == 0 and isinstance(use.ctx, n.Load):
                raise Unordered
            if not (self._asks(use, part, around) or isinstance(use, n.Subscript) and self._is_least(use.slice, part.id)):
                self.state.at = next((whole for whole in body if any(part is inner for inner in n.walk(whole))), self.state.at)
                raise NotInterpreted("the order of the items in a heap")

    def _asks(self, use: Any, part: n.Name, around: dict[Any, Any]) -> bool:
        """Whether what stands around the name of a heap asks for nothing but its least item, its length, and whether there is one."""
        if isinstance(use, n.Attribute):
            call = around[use]
            called = isinstance(call, n.Call) and call.func is use and (use.attr in MUTATING["list"] or use.attr == "index")
            return called and (use.attr != "pop" or len(call.args) == 1 and not isinstance(call.args[0], n.Constant))
        if isinstance(use, n.Call):
            return use.args == [part] and getattr(use.func, "id", "") in ("len", "min", "bool")
        if isinstance(use, n.BoolOp) or isinstance(use, n.UnaryOp) and isinstance(use.op, n.Not):
            return self._asks(around[use], part, around) if isinstance(use, n.BoolOp) else True
        return isinstance(use, (n.If, n.While, n.IfExp)) and any(part is inner for inner in n.walk(use.test))

    def _is_least(self, node: n.expr, name: str) -> bool:
        """Whether an index is that of the least item."""
        return isinstance(node, n.Call) and n.dump(node) == n.dump(expression(f"{name}.index(min({name}))"))
