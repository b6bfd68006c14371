"""Give programs on arrays of a device NumPy's numbers.

In NumPy an entry that is read is a number. On a device it is a view of its array, and an array without dimensions, which ``+=`` changes
in place. So an entry that is kept by a name, in a container or on a tape is copied where its array may change, and a number is never
changed in place: ``s += v`` is written ``s = s + v``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ...analysis.abstract import Abstract
from ...analysis.scope import MISSING, Scope
from ...analysis.source.sharing import connected
from ...analysis.statements import base, loads, mutates, simple
from ...runtime.arrays.library import as_number, as_numbers
from ...runtime.structures import copied, updated
from ...syntax import nodes as n
from ...syntax.quote import altered, as_read, expression, place, remade, statement

Block = list[n.stmt]

VIEWING = frozenset((
    "asanyarray", "asarray", "ascontiguousarray", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_to", "expand_dims", "moveaxis",
    "ravel", "real", "imag", "reshape", "rollaxis", "squeeze", "swapaxes", "transpose", "view", "T", "flat",
))
"""Functions and methods that may give a view of what they are given."""


class DeviceNumbers:
    """Writes the statements of one program; ``known`` says what is known of a name wherever it is bound."""

    def __init__(self, body: Block, scope: Scope, known: Callable[[str], Abstract | None], changed: set[str]):
        self.body = body
        self.scope = scope
        self.known = known
        self.changed = changed
        self.views = {node.targets[0].id for node in simple(body) if isinstance(node, n.Assign) and isinstance(node.targets[0], n.Name)
                      and isinstance(node.value, (n.Name, n.Subscript, n.Attribute))}

    def block(self, body: Block) -> Block:
        """The statements with NumPy's numbers."""
        return [self.statement(node) for node in body]

    def statement(self, node: n.stmt) -> n.stmt:
        """A statement with NumPy's numbers."""
        if isinstance(node, n.Assign):
            return altered(node, value=self.bound(node))
        if isinstance(node, n.AugAssign):
            return self.update(node)
        if isinstance(node, n.Return):
            return altered(node, value=None if node.value is None else self.returned(node.value))
        if isinstance(node, n.For):
            iterated = self.inside(node.iter)
            if self.may_change(node.iter) and not self.counts(node.iter):
                iterated = self.call(as_numbers, iterated)
            return altered(node, iter=iterated, body=self.block(node.body), orelse=self.block(node.orelse))
        if isinstance(node, (n.If, n.While)):
            return altered(node, test=self.inside(node.test), body=self.block(node.body), orelse=self.block(node.orelse))
        if isinstance(node, (n.With, n.Try)):
            return remade(node, lambda part: self.statement(part) if isinstance(part, n.stmt) else part)
        return remade(node, self.inside)

    def bound(self, node: n.Assign) -> n.expr:
        """What is assigned: a number by itself, unless it is put into an array, which copies it."""
        (target,) = node.targets
        if isinstance(target, n.Subscript) and self.is_array(base(target)):
            value = self.inside(node.value)
            return self.call(copied, value) if self.overlaps(target, node.value) else value
        if isinstance(target, (n.Tuple, n.List)) and not isinstance(node.value, (n.Tuple, n.List)):
            value = self.inside(node.value)
            return self.call(as_numbers, value) if self.may_change(node.value) and isinstance(node.value, n.Name) else value
        return self.kept(node.value)

    def overlaps(self, target: n.Subscript, value: n.expr) -> bool:
        """Whether what is stored may be a view of what it is stored into: a device copies overlapping memory in any order."""
        if isinstance(value, n.Name) and value.id not in self.views or not isinstance(value, (n.Name, n.Subscript, n.Attribute)):
            return False
        one, other = base(target), base(value)
        return one is not None and other is not None and other in connected(self.body, {one}, self.scope)

    def update(self, node: n.AugAssign) -> n.stmt:
        """``s += v``: of an array in place, of a number another one."""
        value = self.inside(node.value)
        name = base(node.target)
        if self.is_array(name) or isinstance(node.target, n.Subscript) and isinstance(node.target.slice, (n.Tuple, n.Slice)):
            return altered(node, value=value)
        new = place(n.BinOp(left=as_read(node.target), op=node.op, right=value), node)
        known = self.known(name) if name is not None and isinstance(node.target, n.Name) else None
        if known is None or not known.scalar:
            new = self.call(updated, as_read(node.target), new)
        return place(statement("$t = $v", t=node.target, v=new), node)

    def is_array(self, name: str | None) -> bool:
        """Whether a name certainly stands for an array, which is changed in place."""
        known = None if name is None else self.known(name)
        return known is not None and known.kind == "array"

    def may_change(self, node: n.expr) -> bool:
        """Whether an expression reads something whose entries may change."""
        return not self.changed.isdisjoint(loads(node))

    def counts(self, node: n.expr) -> bool:
        """Whether what a loop goes over is a range."""
        while isinstance(node, n.Call) and node.args and self.scope.resolve(node.func) is reversed:
            node = node.args[0]
        return isinstance(node, n.Call) and self.scope.resolve(node.func) is range

    def returned(self, node: n.expr) -> n.expr:
        """What is returned: the caller may change what it was read from. A derivative stays on the device."""
        if isinstance(node, (n.Tuple, n.List)):
            return altered(node, elts=[self.returned(part) for part in node.elts])
        if isinstance(node, n.Call) and self.scope.resolve(node.func) is float and isinstance(node.args[0], n.Name):
            (name,) = node.args
            if name.id in self.scope.adjoints or name.id in self.scope.dots.values():
                return name
        return self.kept(node, always=True)

    def kept(self, node: n.expr, always: bool = False) -> n.expr:
        """An expression whose value is kept: a number by itself."""
        value = self.inside(node)
        return self.call(as_number, value) if self.may_be_entry(node, always) else value

    def may_be_entry(self, node: n.expr, always: bool) -> bool:
        """Whether the value of an expression may be an entry of an array that changes, and no number by itself."""
        if isinstance(node, n.Subscript):
            parts = node.slice.elts if isinstance(node.slice, n.Tuple) else [node.slice]
            if any(isinstance(part, n.Slice) or isinstance(part, n.Constant) and part.value in (None, ...) for part in parts):
                return False
            return always or self.may_change(node.value)
        if isinstance(node, n.Name):
            return always and node.id in self.views and not self.is_array(node.id)
        if isinstance(node, n.Attribute):
            return node.attr in VIEWING and self.may_be_entry(node.value, always)
        if isinstance(node, n.Call):
            name = node.func.attr if isinstance(node.func, n.Attribute) else node.func.id if isinstance(node.func, n.Name) else ""
            if name not in VIEWING:
                return False
            owner = [node.func.value] if isinstance(node.func, n.Attribute) else []
            return any(self.may_be_entry(part, always) for part in [*owner, *node.args])
        return False

    def inside(self, node: Any) -> Any:
        """An expression in which what is kept by a container or handed to a function is a number by itself."""
        if isinstance(node, (n.Tuple, n.List, n.Set)) and not isinstance(getattr(node, "ctx", None), n.Store):
            return altered(node, elts=[self.kept(part) for part in node.elts])
        if isinstance(node, n.Dict):
            return altered(node, keys=[part and self.inside(part) for part in node.keys], values=[self.kept(part) for part in node.values])
        if isinstance(node, n.IfExp):
            return altered(node, test=self.inside(node.test), body=self.kept(node.body), orelse=self.kept(node.orelse))
        if isinstance(node, n.BoolOp):
            return altered(node, values=[self.kept(part) for part in node.values])
        if isinstance(node, n.Subscript):
            return altered(node, value=self.inside(node.value), slice=remade(node.slice, self.inside) if isinstance(
                node.slice, (n.Tuple, n.Slice)) else self.inside(node.slice))
        if isinstance(node, n.Call) and not self.computes(node):
            keywords = [altered(part, value=self.kept(part.value)) for part in node.keywords]
            return altered(node, func=self.inside(node.func), args=[self.kept(part) for part in node.args], keywords=keywords)
        return remade(node, self.inside)

    def computes(self, node: n.Call) -> bool:
        """Whether a call gives something new of what it is given: NumPy's functions do, and arithmetic."""
        found = self.scope.resolve(node.func)
        if found is MISSING:
            return isinstance(node.func, n.Attribute) and node.func.attr not in ("append", "add", "extend", "insert", "appendleft")
        module = str(getattr(found, "__module__", None) or "numpy")
        return module.split(".")[0] in ("numpy", "scipy", "math", "builtins") or type(found).__name__ == "ufunc"

    def call(self, helper: Any, *args: n.expr) -> n.expr:
        """A call of a helper."""
        made = expression(f"$f({', '.join(f'$a{k}' for k in range(len(args)))})", f=self.scope.imported(helper.__name__, helper),
                          **{f"a{k}": part for k, part in enumerate(args)})
        return place(made, args[0])


def device_numbers(
    body: Block, back: Block, scope: Scope, known: Callable[[str], Abstract | None], given: Iterable[str],
) -> tuple[Block, Block]:
    """The two sweeps of a program (or one, and nothing) with NumPy's numbers. What is ``given`` may change between two sweeps."""
    whole = [*body, *back]
    write = DeviceNumbers(whole, scope, known, connected(whole, mutates(whole).union(given if back else ()), scope))
    return write.block(body), write.block(back)
