"""Write flat indices, ``a.flat[k]`` and ``np.ndenumerate``, as indices for each axis.

>>> import numpy as np
>>> from sourcediff.api.explain import text_after
>>> def filled(x):
...     a = np.zeros((2, 2))
...     a.flat[:] = x
...     a.flat[-1] *= 3
...     total = a.flat[0]
...     for v in a.T.flat:
...         total = total * v
...     return total
>>> print(text_after("unbound_names", filled))
a = np.zeros((2, 2))
places = flat_index(np.s_[:], np.shape(a))
t = np.resize(x, np.shape(places[0]))
check_overlap(a, x, True)
a[places] = t
t1 = a[flat_index(-1, np.shape(a))]
t2 = t1 * 3
a[flat_index(-1, np.shape(a))] = t2
t3 = a.ravel()
total = t3[0]
t4 = a.T
for k in range(np.size(t4)):
    v = t4[np.unravel_index(k, np.shape(t4))]
    total = total * v
"""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from ...analysis.applications import Application, application
from ...analysis.literals import constant
from ...analysis.scope import MISSING
from ...analysis.statements import mutates, target_names
from ...runtime.arrays import flat_index, memory_order
from ...runtime.checks import check_overlap
from ...syntax import nodes as n
from ...syntax.quote import as_read, clone, expression, place, remade, statement
from ..room import Room
from .forms import bound_anew


class FlatIndices(Room):
    """Knows what is meant by ``a.flat``, which is neither an array nor a copy, and by loops over the entries of arrays."""

    def is_flat(self, node: n.AST) -> bool:
        """Whether an expression is the ``a.flat`` of an array."""
        if not isinstance(node, n.Attribute) or node.attr != "flat" or self.lower.attributes.instance(node.value) is not None:
            return False
        return self.scope.resolve(node) is MISSING

    def applied(self, node: n.expr, applied: Application) -> n.expr:
        """The same application on operands, of arrays in place of what is flat."""
        if isinstance(node, n.Subscript) and self.is_flat(node.value):
            whole = isinstance(node.slice, n.Slice) or constant(node.slice) is Ellipsis  # of which NumPy gives a copy
            array = expression("$a.flatten()" if whole else "$a.ravel()", a=node.value.value)
            node = place(n.Subscript(value=place(array, node), slice=node.slice, ctx=n.Load()), node)
        elif isinstance(node, n.Call) and self.takes_flat(node):
            node = remade(node, self.as_copy)
        else:
            return self.lower.applications.applied(node, applied)
        applied = application(node, self.scope)  # type: ignore[assignment]
        return self.lower.applications.applied(node, applied)

    def takes_flat(self, node: n.Call) -> bool:
        """Whether a call of NumPy's, or of ``sum``, ``max`` or ``min``, is given what is flat, or is ``a.flat.copy()``."""
        if isinstance(node.func, n.Attribute) and self.is_flat(node.func.value):
            return node.func.attr == "copy"
        function = self.scope.resolve(node.func)
        module = (getattr(function, "__module__", None) or type(function).__module__).split(".")[0]
        return any(map(self.is_flat, node.args)) and (module == "numpy" or function in (builtins.sum, builtins.max, builtins.min))

    def as_copy(self, node: Any) -> Any:
        """``a.flat`` as the copy that NumPy makes of it."""
        if isinstance(node, n.Attribute) and not self.is_flat(node):
            return remade(node, self.as_copy)
        return place(expression("$a.flatten()", a=node.value), node) if self.is_flat(node) else node

    def element(self, iterated: n.expr, position: n.expr, at: n.For) -> tuple[n.expr, n.expr]:
        """What an iterable gives at a position, and its length."""
        if not self.is_flat(iterated):
            return self.lower.itertools_calls.element(iterated, position, at)
        array = self.operand(iterated.value, always=True)
        index = self.lower.applications.numpy("$np.unravel_index($k, $np.shape($a))", iterated, k=as_read(position), a=array)
        return expression("$a[$i]", a=array, i=index), self.lower.applications.numpy("$np.size($a)", iterated, a=array)

    def indexed(self, node: n.For) -> None:
        """A loop over values that carry; one over ``np.ndenumerate(a)`` or ``np.nditer(a)`` goes over the indices."""
        function = self.lower.itertools_calls.function_in(node.iter)
        if function not in (np.ndenumerate, np.nditer) or len(node.iter.args) != 1 or node.iter.keywords:
            return self.lower.itertools_calls.indexed(node)
        array = self.operand(node.iter.args[0], always=True)
        if function is np.ndenumerate:
            if not isinstance(node.target, n.Tuple) or len(node.target.elts) != 2:
                return self.lower.itertools_calls.indexed(node)
            index, target = node.target.elts
            places = self.lower.applications.numpy("$np.ndindex($np.shape($a))", node.iter, a=array)
        else:
            index, target = expression(self.scope.fresh("place")), node.target
            if target_names(target) & mutates(node.body):
                return self.lower.itertools_calls.indexed(node)
            places = expression("$f($a)", f=self.scope.imported("memory_order", memory_order), a=array)
        if array.id in bound_anew(node.body):  # the loop keeps what it began with
            array = self.bound(self.scope.fresh("t"), array, node)
        self.state.names -= target_names(index)
        body = [place(statement("$v = $a[$i]", v=target, a=array, i=as_read(index)), node), *node.body]
        index = clone(index)
        index.ctx = n.Store()
        self.statement(place(n.For(target=index, iter=place(places, node), body=body, orelse=[], type_comment=None), node))
        return None

    def slot(self, target: n.expr) -> n.expr | None:
        """``z.real``, ``z.imag`` or ``a.flat``, which are assigned to by storing into them, as what is stored into."""
        viewed = isinstance(target, n.Attribute) and target.attr in ("real", "imag", "flat")
        if not viewed or self.lower.attributes.instance(target.value) is not None:
            return None
        index = self.lower.applications.numpy("$np.s_[:]", target).slice if target.attr == "flat" else n.Constant(value=Ellipsis, kind=None)
        return place(n.Subscript(value=as_read(target), slice=index, ctx=n.Store()), target)

    def store_flat(self, target: n.Subscript, value: n.expr, at: n.stmt, update: Any = None) -> None:
        """``a.flat[index] = value``: as many of the values as there are places, again from the first if they are too few."""
        value = self.operand(value, always=True) if update is None else self.operand(value)
        array = self.operand(target.value.value, always=True)
        key = self.lower.expressions.steady(target.slice, array)
        if isinstance(key, n.Slice):
            key = self.lower.applications.numpy("$np.s_[$k]", at, k=key)
        elif any(isinstance(part, n.Call) for part in n.walk(key)):
            key = self.bound(self.scope.fresh("k"), key, at)
        helper = self.scope.imported("flat_index", flat_index)
        places: n.expr = self.lower.applications.numpy("$f($k, $np.shape($a))", at, f=helper, k=key, a=array)
        if update is not None:
            old = place(expression("$a[$i]", a=array, i=places), at)
            value = self.operand(place(n.BinOp(left=old, op=update, right=value), at), always=True)
        elif not isinstance(value, n.Constant) and type(constant(key)) is not int:
            places, given = self.bound(self.scope.fresh("places"), places, at), value
            value = self.operand(self.lower.applications.numpy("$np.resize($v, $np.shape($p[0]))", at, v=given, p=places), always=True)
            check = expression("$c($a, $v, True)", c=self.scope.imported("check_overlap", check_overlap), a=array, v=given)
            self.state.out.append(place(n.Expr(value=place(check, at)), at))
        self.state.out.append(place(statement("$a[$i] = $v", a=array, i=places, v=value), at))
