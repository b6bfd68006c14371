"""Lower applications: a function with a rule, applied to operands."""

from __future__ import annotations

import builtins
import operator
from typing import Any

import numpy as np

from ...analysis.applications import METHODS, Application
from ...analysis.scope import MISSING
from ...analysis.source.out_arguments import among
from ...rules.facts import FACTS
from ...rules.frames import rule_for
from ...runtime.arrays import entry_at, is_array
from ...runtime.checks import check_numbers
from ...syntax import nodes as n
from ...syntax.quote import altered, clone, expression, place, remade
from ..desugar.index_tricks import Beside, Unwritten
from ..desugar.numpy_functions import Writing, substituted
from ..room import Room
from .forms import clone_with, entry
from .kinds import certainly_array, has_stars


class Applications(Room):
    """One application, its arguments named."""

    def lacking(self, node: n.Attribute) -> str:
        """What the owner of an attribute is, if it is one of Python's own numbers or containers, which have none of this name."""
        if self.scope.resolve(node) is not MISSING:
            return ""
        what, kinds = OWN.get(self.known(node.value).kind, ("", ()))
        return "" if any(hasattr(kind, node.attr) for kind in kinds) else what

    def substituted(self, node: n.Call) -> n.expr | None:
        """A call of a function that is others in disguise, by means of these."""
        return substituted(self.scope.resolve(node.func), node, Writing(
            lambda: self.scope.known(np, "np", self.state.sources[0].function), self.scope.imported,
            lambda part: self.operand(part, always=True),
            self.carries, self.known,
        ))

    def as_function(self, node: n.Call) -> n.Call:
        """A call of a method of an array's, or a ufunc's, as that of a function: ``x.sum(where=m)`` as ``np.sum(x, where=m)``,
        ``x.item(2)`` as ``x[entry_at((2,), np.shape(x))].item()``, ``np.hypot.outer(x, y)`` as ``np.hypot`` of all pairs; and
        ``np.divide(x, y, out=np.zeros(3), where=m)`` as ``np.where(m, np.divide(x, y), np.zeros(3))``."""
        if not isinstance(node.func, n.Attribute) or has_stars(node) or not self.carries(node):
            return node
        function, owner = self.scope.resolve(node.func), node.func.value
        ufunc = getattr(function, "__self__", None)
        if isinstance(ufunc, np.ufunc) and node.func.attr == "outer" and rule_for(function) is None and len(node.args) == 2:
            one, other = (self.operand(part, always=True) for part in node.args)
            column = self.numpy("$np.reshape($a, $np.shape($a) + (1,) * $np.ndim($b))", node, a=one, b=other)
            return place(n.Call(func=owner, args=[column, other], keywords=node.keywords), node)
        named = {keyword.arg: keyword.value for keyword in node.keywords}
        fresh = isinstance(named.get("out"), n.Call) and among(self.scope.resolve(named["out"].func), FACTS["creates"])  # type: ignore
        if isinstance(function, np.ufunc) and fresh and "where" in named:
            call = altered(node, keywords=[keyword for keyword in node.keywords if keyword.arg not in ("out", "where")])
            return self.numpy("$np.where($m, $c, $o)", node, m=named["where"], c=call, o=named["out"])
        if function is not MISSING or self.known(owner).kind in ("sequence", "mapping"):
            return node
        name = node.func.attr
        if name == "item" and node.args:
            array, index = self.operand(owner, always=True), n.Tuple(elts=node.args, ctx=n.Load())
            find = self.scope.imported("entry_at", entry_at)
            return self.numpy(f"$a[{find}($i, $np.shape($a))].item()", node, a=array, i=index)
        if name == "view" and not node.args and not node.keywords:
            return self.numpy("$a[...]", node, a=owner)
        whole = name in ("choose", "searchsorted", "compress")
        if whole or name in METHODS and self.lower.expressions.composite(METHODS[name], node, (owner,)) is not None:
            callee = self.numpy(f"$np.{name if whole else METHODS[name].__name__}", node)
            args = [*node.args[:1], owner, *node.args[1:]] if name == "compress" else [owner, *node.args]
            return place(n.Call(func=callee, args=args, keywords=node.keywords), node)
        return node

    def several(self, node: n.Call) -> n.expr | None:
        """``sum([a, b, c])``, ``max(a, b, c)``: Python's functions of several numbers, two at a time."""
        function = self.scope.resolve(node.func)
        parts = list(node.args)
        shown = len(parts) == 1 and isinstance(parts[0], (n.Tuple, n.List))
        if shown:
            parts = list(parts[0].elts)
        elif len(parts) == 1 and among(function, EXTREMES) and not node.keywords and self.known(parts[0]).kind == "sequence":
            return self.extreme_of_list(self.operand(parts[0], always=True), node)
        if among(function, EXTREMES) and any(isinstance(part, (n.Tuple, n.List)) or self.lower.kinds.is_sequence(part) for part in parts):
            return self.refused(node, "the largest or smallest of lists or tuples", "Python compares them entry by entry", "give key=")
        if not shown and (function is builtins.sum or len(parts) < 3):
            return None
        if node.keywords or function not in (builtins.sum, builtins.max, builtins.min) or not parts:
            return None
        total = parts[0]
        for part in parts[1:]:
            if function is builtins.sum:
                total = place(n.BinOp(left=total, op=n.Add(), right=part), node)
            else:
                total = place(n.Call(func=clone(node.func), args=[total, part], keywords=[]), node)
        return total

    def extreme_of_list(self, values: n.expr, at: n.Call) -> n.expr:
        """The largest or smallest of a list of numbers. (That it is one may show when it runs.) Of zeros and nans the one Python takes."""
        items = self.known(values).items
        if type(items) is not tuple or not all(item.scalar for item in items):
            check = expression("$c($p)", c=self.scope.imported("check_numbers", check_numbers), p=values)
            self.state.out.append(place(n.Expr(value=place(check, at)), at))
        numpy = self.scope.known(np, "np", self.state.sources[0].function)
        return place(expression("$m($np.array($p))", m=at.func, np=numpy, p=values), at)

    def takes_integers(self, node: n.expr) -> bool:
        """Whether what has an index is an array, a list or a tuple: with anything but integers, which have no derivative, Python raises."""
        found = self.scope.resolve(node)
        if found is not MISSING:
            return isinstance(found, (list, tuple)) or is_array(found)
        once = self.scope.once.get(getattr(node, "id", ""))
        return self.known(node).kind in ("array", "sequence") or once is not None and certainly_array(once, self.scope)

    def is_integer(self, node: n.expr) -> bool:
        """Whether an index is certainly one of integers: converted ones, and what is made of them."""
        if isinstance(node, n.Name) and node.id in self.scope.once:
            return self.is_integer(self.scope.once[node.id])
        if isinstance(node, n.Tuple):
            return all(map(self.is_integer, node.elts))
        if isinstance(node, n.BinOp):
            return not isinstance(node.op, (n.Div, n.Pow)) and self.is_integer(node.left) and self.is_integer(node.right)
        if isinstance(node, n.Call) and isinstance(node.func, n.Attribute) and node.func.attr == "astype" and len(node.args) == 1:
            return self.scope.resolve(node.args[0]) in (int, np.int64, np.intp, np.int32)
        return isinstance(node, n.Constant) and type(node.value) is int or (
            isinstance(node, n.Call) and self.scope.resolve(node.func) is int) or not self.carries(node)

    def applied(self, node: n.expr, applied: Application) -> n.expr:
        """The same application on operands; what the rule treats as static stays as written."""
        stars = {part: self.lower.comprehensions.collected(part) for part in (*applied.args, *applied.kwargs.values())
                 if has_stars(part) and self.carries(part)}
        if stars:
            return self.value(_rebuilt(node, stars))
        if applied.function is np.array and applied.args and isinstance(applied.args[0], (n.Tuple, n.List)):
            if not applied.kwargs.keys() == {"dtype"} or len(applied.args) > 1:
                return self.stacked(applied.args[0], node)
            whole = self.bound(self.scope.fresh("t"), self.stacked(applied.args[0], node, False), node)
            return _rebuilt(node, {applied.args[0]: whole})
        if applied.function is operator.getitem and not isinstance(node, n.Subscript):
            node = place(n.Subscript(value=applied.args[0], slice=applied.args[1], ctx=n.Load()), node)
        if applied.function is operator.getitem:
            assert isinstance(node, n.Subscript)
            self.lower.expressions.checked(node.slice)
            if (function := self.scope.resolve(node.value)) is np.r_ or function is np.c_:
                return self.beside(function, node)
            if self.carries(node.slice) and not self.takes_integers(node.value) and not self.is_integer(node.slice):
                return self.refused(node.slice, "an index that is differentiated", "where something is found has no derivative",
                                    "use int(...)")
            inner = node.value if entry(node.value, self.state.counters) else self.operand(node.value)
            return place(n.Subscript(value=inner, slice=self.lower.expressions.steady(node.slice), ctx=n.Load()), node)
        replaced: dict[n.expr, n.expr] = {}
        for argument in (*applied.args, *applied.kwargs.values()):
            if isinstance(argument, n.Name) and argument.id in self.state.instances:
                return self.lower.construction.refused_object(argument)
            if self.carries(argument) or not _static(argument, applied):
                of_arrays = applied.rule is not None and not applied.rule.sequence and not _static(argument, applied)
                if isinstance(argument, (n.Tuple, n.List)) and of_arrays:
                    replaced[argument] = self.bound(self.scope.fresh("t"), self.stacked(argument, node, False), node)
                elif isinstance(argument, (n.Tuple, n.List)):
                    replaced[argument] = clone_with(argument, [self.operand(part) for part in argument.elts])
                elif self.is_array_like(argument, node, applied):
                    whole = self.numpy("$np.array($a)", node, a=self.operand(argument, always=True))
                    replaced[argument] = self.bound(self.scope.fresh("t"), whole, node)
                else:
                    replaced[argument] = self.operand(argument)
        return _rebuilt(node, replaced)

    def beside(self, function: Any, node: n.Subscript) -> n.expr:
        """``np.r_[a, b]`` and ``np.c_[a, b]`` as concatenations."""
        numpy = self.scope.known(np, "np", self.state.sources[0].function)
        try:
            made = Beside(self.known, self.carries, lambda part: self.operand(part, always=True), numpy).written(function, node.slice)
        except Unwritten as error:
            name = "np.r_" if function is np.r_ else "np.c_"
            return self.refused(error.node, f"this part of {name}", error.why, "use np.concatenate or np.stack")
        return self.value(place(made, node))

    def numpy(self, text: str, at: n.AST, **holes: Any) -> n.expr:
        """An expression that calls NumPy, under the name that it has in the program."""
        return place(expression(text, np=self.scope.known(np, "np", self.state.sources[0].function), **holes), at)

    def is_array_like(self, argument: n.expr, node: n.expr, applied: Application) -> bool:
        """Whether a list is given to one of NumPy's functions for an array: to it ``+`` and ``*`` mean something else."""
        rule, function = applied.rule, self.scope.resolve(node.func) if isinstance(node, n.Call) else MISSING
        if rule is None or rule.sequence or rule.own or function in (MISSING, np.array, np.asarray):
            return False
        if not (getattr(function, "__module__", None) or "numpy").startswith(("numpy", "scipy")):
            return False
        given = {**dict(zip(rule.parameters, applied.args)), **applied.kwargs}
        meant = any(part is argument and name in rule.differentiable for name, part in given.items())
        return meant and self.lower.kinds.is_sequence(argument)

    def stacked(self, display: n.expr, at: n.expr, applied_array: bool = True) -> n.expr:
        """``np.array([a, b])`` of differentiated values, and a list where an array is meant, is ``np.stack``."""
        if applied_array and (len(at.args) > 1 or at.keywords):
            return self.refused(at, "np.array of differentiated values with a keyword", "their dtype would not be theirs",
                                "leave the keyword out, or use np.stack(...).astype(dtype)")
        numpy = self.scope.known(np, "np", self.state.sources[0].function)
        parts = []
        for part in display.elts:
            if isinstance(part, n.Dict) or self.known(part).kind == "mapping":
                return self.refused(at, "an array of dicts", "its entries are objects, which NumPy does not compute with", "use a list")
            if isinstance(part, (n.Tuple, n.List)):
                parts.append(self.bound(self.scope.fresh("t"), self.stacked(part, at, applied_array), at))
            else:
                parts.append(self.operand(part))
        return place(expression("$np.stack($parts)", np=numpy, parts=n.Tuple(elts=parts, ctx=n.Load())), at)


OWN: dict[str, tuple[str, tuple[type, ...]]] = {
    "python": ("a Python number", (float, complex)), "sequence": ("a list or tuple", (list,)), "mapping": ("a dict", (dict,)),
}
"""What the kinds of values are that are Python's own, and the classes of which they have the attributes."""


EXTREMES = (builtins.max, builtins.min)


def opaque(function: Any) -> str:
    """The kind of a callable that is neither a function of a known library nor a gradient, so nobody knows what it does; else ""."""
    module = getattr(function, "__module__", None) or type(function).__module__
    known = module.split(".")[0] in ("numpy", "scipy", "math", "cmath", "builtins", "operator", "_operator", "sourcediff")
    return "" if known or hasattr(function, "sourcediff") else type(function).__name__


def _rebuilt(node: n.expr, replaced: dict[n.expr, n.expr]) -> n.expr:
    """A copy of an application's expression with some of its arguments replaced (its spelling kept)."""
    return replaced.get(node) or remade(node, lambda part: _rebuilt(part, replaced))


def _static(argument: n.expr, applied: Application) -> bool:
    """Whether an argument that carries nothing sits where the rule has no derivative either (axis, shape, subscripts)."""
    rule = applied.rule
    if rule is None or rule.kind == "constant":
        return True
    for name, given in zip(rule.parameters, applied.args):
        if given is argument:
            return name not in rule.differentiable
    return not any(value is argument and name in rule.differentiable for name, value in applied.kwargs.items())
