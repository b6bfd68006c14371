"""Lower expressions: what may carry a derivative becomes one application to names, the rest stays as the user wrote it.

>>> import numpy as np
>>> from sourcediff.api.explain import text_after
>>> def loss(x, y, k):
...     return np.sum((x[k + 1] if k else x[0]) * max(x[1], x[2], y))
>>> print(text_after("unbound_names", loss))
if k:
    t = x[k + 1]
else:
    t = x[0]
t1 = x[1]
t2 = x[2]
t3 = max(t1, t2)
t4 = max(t3, y)
t5 = t * t4
value = np.sum(t5)
"""

from __future__ import annotations

import math
import types
from typing import Any

import numpy as np

from ...analysis.applications import application, is_user_function
from ...analysis.literals import constant
from ...analysis.scope import MISSING
from ...analysis.source.effects import Effective
from ...analysis.statements import base
from ...errors import OF_A_DRAW
from ...rules.facts import FACTS
from ...rules.frames import spelling
from ...rules.library_functions import FUNCTIONALS, composite_for, composite_of_call
from ...runtime.arrays import flat_index
from ...syntax import nodes as n
from ...syntax.quote import altered, clone, expression, place
from ..room import Room
from .applications import opaque
from .forms import clone_with
from .kinds import has_stars, star_of


class Expressions(Room):
    """Appends to a block what an expression needs first, and gives back what is left of the expression."""

    def called(self, node: n.Call) -> Any:
        """The function of the user's that a call is of, an inner one included, or None."""
        if isinstance(node.func, n.Lambda):
            return self.state.functions[self.lower.calls.lambda_(node.func).id]
        if isinstance(node.func, n.Name) and node.func.id in self.state.functions:
            return self.state.functions[node.func.id]
        if isinstance(node.func, n.Name) and node.func.id in self.state.partly:
            return self.state.partly[node.func.id]
        function = self.scope.resolve(node.func)
        function = getattr(function, "py_func", function)  # of a function that Numba compiles
        if is_user_function(function):
            return function
        plain = self.composite(function, node)
        inlined = isinstance(plain, types.FunctionType) and function not in FUNCTIONALS and self.carries(node)
        return plain if inlined else None

    def composite(self, function: Any, node: n.Call, owner: tuple[n.expr, ...] = ()) -> Any:
        """What says a call of a function of a library's by others, None if nothing does; ``owner``: the array of which it is a method."""
        if any(isinstance(part, n.Starred) for part in node.args) or any(keyword.arg is None for keyword in node.keywords):
            return composite_for(function)
        args = [*map(self.literal, (*owner, *node.args))]
        return composite_of_call(function, args, {keyword.arg: self.literal(keyword.value) for keyword in node.keywords})

    def literal(self, node: n.expr) -> Any:
        """The value that an argument is in every call, a number or a word; else its tree. Of what is read from outside these are options
        (:data:`WORDS`) and NumPy's constants: other numbers may be others at the next call."""
        if (value := constant(node, None)) is MISSING and isinstance(node, (n.Name, n.Attribute)):
            value = self.scope.resolve(node)
            lasting = isinstance(node, n.Attribute) and any(self.scope.resolve(node.value) is module for module in (np, math))
            return value if isinstance(value, (bool, str, type(None))) or lasting and type(value) is float else node
        return value if value is None or isinstance(value, (bool, int, float, str, tuple)) else node

    def operand(self, node: n.expr, always: bool = False) -> n.expr:
        """A name or a constant for the value of ``node``; without ``always`` a simple expression that carries nothing may stay."""
        if isinstance(node, (n.Name, n.Constant)):
            return node
        if not always and _simple(node) and not self.carries(node):
            return node
        node = self.chosen(node)
        if isinstance(node, n.IfExp) and self.carries(node):
            target = self.scope.fresh("t")
            self.branch(target, node, node)
            return expression(target)
        value = self.lower.value(node)
        if isinstance(value, (n.Name, n.Constant)):
            return value
        return self.bound(self.scope.fresh("t"), value, node)

    def value(self, node: n.expr) -> n.expr:
        """The right-hand side of an assignment: one application to operands."""
        if isinstance(node, (n.Call, n.Attribute, n.Subscript)):
            node = self.lower.construction.owned(node)
        if isinstance(node, n.Call):
            node = self.lower.applications.as_function(node)
        node = self.lower.operators.written(node)
        if isinstance(node, n.Call) and (callee := self.state.callees.get(getattr(node.func, "id", ""))) is not None:
            node = altered(node, func=clone(callee))
        if isinstance(node, n.Call) and (function := self.lower.called(node)) is not None:
            return self.inlined(function, node)
        if isinstance(node, n.Call) and self.lower.construction.made(node) is not None:
            return self.lower.construction.constructed(node)
        if isinstance(node, n.Lambda):
            return self.lower.calls.lambda_(node)
        node = self.lower.kinds.displayed(node) if self.carries(node) else node
        if has_stars(node) and self.carries(node):
            return self.lower.comprehensions.collected(node)
        if isinstance(node, n.Dict) and None in node.keys and self.carries(node):
            return self.refused(node, "** in a dict", "which entries it stands for is not known", "write the entries out")
        if not self.carries(node):
            self.checked(node)
            return node
        if isinstance(node, n.Set):
            return self.refused(node, "a set of differentiated values", "its order is not defined", "use a list or a tuple")
        if isinstance(node, n.COMPREHENSIONS):
            return self.lower.comprehended(node)
        if isinstance(node, n.Call) and (value := self.lower.consumed(node)) is not None:
            return value if isinstance(value, n.Name) else self.lower.value(value)
        if isinstance(node, n.Call):
            spelled = self.lower.applications.several(node) or self.lower.applications.substituted(node)
            if spelled is not None:
                return self.lower.value(spelled)
        if isinstance(node, (n.Tuple, n.List)):
            return clone_with(node, [self.operand(part) for part in node.elts])
        if isinstance(node, n.Dict):
            pairs = [(self.shown_key(key), self.operand(part)) for key, part in zip(node.keys, node.values)]
            return place(n.Dict(keys=[key for key, _ in pairs], values=[part for _, part in pairs]), node)
        if isinstance(node, (n.IfExp, n.BoolOp)):
            return self.operand(node)
        if (made := self.lower.listed(node)) is not None:
            return made
        if isinstance(node, (n.Name, n.JoinedStr)):
            return node
        applied = application(node, self.scope)
        if applied is None and isinstance(node, n.Call) and (star := star_of(node)) is not None:
            return self.refused(star, "this star", "how many values it stands for is not known", "write the arguments out")
        if applied is None:
            drawn = isinstance(node, n.Call) and isinstance(node.func, n.Attribute) and node.func.attr in DRAWS
            return self.refused(node, "this expression", "the compiler cannot tell what function it applies to a differentiated value",
                                OF_A_DRAW if drawn else "use NumPy functions, operators, and functions with Python source")
        asked = node.func if isinstance(node, n.Call) else node
        if isinstance(asked, n.Attribute) and (owner := self.lower.applications.lacking(asked)):
            return self.refused(node, f".{asked.attr} of {owner}", f"{owner} has none: Python raises AttributeError",
                                "make an array of it, or use NumPy's function")
        if applied.rule is None and isinstance(applied.function, types.FunctionType) and opaque(applied.function):
            return self.refused(node, f"{applied.function.__module__}.{spelling(applied.function)} of a differentiated value",
                                "it is code of Python's library, or of a package that is called as it is", "use NumPy's functions")
        if applied.rule is None and (kind := opaque(applied.function)):
            return self.refused(node, f"a call of a {kind}", "objects with state are not followed yet",
                                "call a function written in Python")
        if isinstance(node, n.BinOp):
            sides = [self.known(side).kind for side in (node.left, node.right)]
            if sides == ["unknown", "sequence"] and self.calls_function(node.left):
                return self.value(altered(node, left=self.operand(node.left, always=True)))  # then it is known what that gives
            joins = isinstance(node.op, (n.Add, n.Mult)) or "mapping" in sides or "unknown" not in sides  # else one of them is an array
            joins = joins and not {"sequence", "mapping"}.isdisjoint(sides)
            if joins and not any(map(self.lower.kinds.multiplies, (node.left, node.right))):
                return self.refused(node, *next(ON_CONTAINERS[kind] for kind in ("mapping", "unknown", "sequence") if kind in sides))
            if _is_text(node.left) or _is_text(node.right):
                return self.refused(node, "a number turned into text", "text has no derivative", "keep the number itself")
        return self.lower.applied(node, applied)

    def calls_function(self, node: n.expr) -> bool:
        """Whether an expression calls a function of the user's whose body is written out."""
        return any(isinstance(part, n.Call) and self.lower.called(part) is not None for part in n.walk(node))

    def chosen(self, node: n.expr) -> n.expr:
        """``a or b`` of differentiated values as ``a if a else b``; anything else as it is."""
        if not isinstance(node, n.BoolOp) or not self.carries(node):
            return node
        (first, *others) = node.values
        rest = others[0] if len(others) == 1 else place(n.BoolOp(op=node.op, values=others), node)
        given = self.operand(first, always=True)
        then, other = (given, rest) if isinstance(node.op, n.Or) else (rest, given)
        return place(n.IfExp(test=given, body=then, orelse=other), node)

    def branch(self, target: str, node: n.IfExp, at: n.AST) -> None:
        """``target = a if test else b`` as an ``if``."""
        self.checked(node.test)
        bodies = []
        for value in (node.body, node.orelse):
            with self.state.apart() as body:
                if isinstance(value, n.IfExp):
                    self.branch(target, value, at)
                else:
                    self.bound(target, self.lower.value(value), at)
            bodies.append(body)
        self.state.names.add(target)
        self.state.out.append(place(n.If(test=node.test, body=bodies[0], orelse=bodies[1]), at))

    def shown_key(self, node: n.expr) -> n.expr:
        """A key of a dict display, which is computed before its value."""
        self.checked_key(node)
        return self.operand(node, always=any(isinstance(part, (n.Subscript, n.Attribute, n.Call)) for part in n.walk(node)))

    def checked_key(self, node: n.expr) -> None:
        """Refuse a key of a dict that is differentiated."""
        if self.carries(node):
            self.refused(node, "a key that is differentiated", "what is read of it would have no derivative", "use a list of pairs")

    def steady(self, node: n.expr, stored_into: n.expr | None = None) -> n.expr:
        """An index whose parts mean the same when they are asked again: masks and calls get names, and what reads the array stored into."""
        self.checked(node)
        if isinstance(node, n.Tuple):
            return place(n.Tuple(elts=[self.steady(part, stored_into) for part in node.elts], ctx=n.Load()), node)
        if isinstance(node, (n.Slice, n.Name, n.Constant)) and stored_into is None:
            return node
        own = stored_into.id if isinstance(stored_into, n.Name) else None
        reads_own = any(isinstance(part, n.Subscript) and base(part) == own for part in n.walk(node))
        mask = any(isinstance(part, n.Compare) for part in n.walk(node))
        called = isinstance(node, n.Call) and self.scope.resolve(node.func) not in (*FACTS["measures"], int, np.unravel_index, flat_index)
        if not (mask or reads_own or called):
            return node
        if isinstance(node, n.Slice):
            ends = {field: None if part is None else self.steady(part, stored_into) for field, part in n.iter_fields(node)}
            return place(n.Slice(**ends), node)
        return self.bound(self.scope.fresh("t"), node, node)

    @property
    def effective(self) -> Effective:
        """What is known of the calls in the source at hand."""
        source = self.state.sources[-1]
        if source.tree not in self.state.known_effects:
            self.state.known_effects[source.tree] = Effective(source.function, source.tree)
        return self.state.known_effects[source.tree]

    def checked(self, node: n.AST) -> None:
        """Refuse an expression that stays nested but calls a user function which changes something."""
        for part in n.walk(node):
            if isinstance(part, n.Call) and isinstance(part.func, n.Name) and part.func.id in self.state.functions:
                self.refused(part, f"a call of {part.func.id} inside an expression", "it is only looked into where its result is named",
                             "give the result a name first")
            called = self.scope.resolve(part.func) if isinstance(part, n.Call) else MISSING
            if is_user_function(called) and not self.effective.object_is_pure(called):
                self.refused(part, f"a call of {called.__name__} inside an expression", "it changes its arguments or other state",
                             "call it in a statement of its own")


DRAWS = frozenset("normal uniform exponential laplace logistic gumbel lognormal rayleigh gamma multivariate_normal".split())
"""Methods of generators of random numbers whose parameters are often differentiated."""


ON_CONTAINERS = {
    "mapping": ("an operator on a dict", "which entries the new dict has is not known", "write the entries out"),
    "sequence": ("arithmetic with a list or tuple", "it joins or repeats the list", "use an array, or write the entries out"),
    "unknown": ("arithmetic with a list or tuple", "whether it computes with an array, or joins or repeats the list, is not known here",
                "make an array of the list: np.array([...])"),
}
"""Why an operator is refused that has a container on one side, by what is on both of them."""


def _is_text(node: n.expr) -> bool:
    return isinstance(node, n.JoinedStr) or isinstance(node, n.Constant) and isinstance(node.value, str)


def _simple(node: n.expr) -> bool:
    """A literal, a signed literal, a tuple of these, or metadata such as ``x.shape[0]``: not worth a name."""
    if isinstance(node, (n.Constant, n.Name)):
        return True
    if isinstance(node, n.UnaryOp):
        return isinstance(node.operand, n.Constant)
    if isinstance(node, n.Attribute):
        return isinstance(node.value, n.Name)
    if isinstance(node, n.Subscript):
        return isinstance(node.value, n.Attribute) and _simple(node.value)
    return False
