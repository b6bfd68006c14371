"""Derivatives that are taken inside: in place of a call of ``grad(f)`` stands what the compiler writes for it.

>>> import numpy as np
>>> import sourcediff
>>> from sourcediff.explaining import text_after
>>> def steepness(x, k):
...     slope = sourcediff.grad(lambda y: k * y ** 3)(x)
...     return slope ** 2
>>> print(text_after("normalise", steepness, args=(2.0, 3.0)))
t = x ** 2
t1 = 3 * t
y_bar = k * t1
slope = y_bar
value = slope ** 2

What a derivative is specialised for is known only once the statements before it are in normal form. So the program is brought into
that form twice: first with calls of derivatives that are not looked into (``arguments`` is None), then with their texts.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ..analysis.abstract import FLOAT, Abstract
from ..analysis.literals import constant
from ..analysis.scope import MISSING, bound_names, loaded_names
from ..analysis.surroundings import is_derivative
from ..analysis.taken import Taken
from ..syntax import nodes as n
from ..syntax.function import TRANSFORMS
from ..syntax.quote import clone, expression, place
from ..syntax.source import Source
from .inline import Inliner, Inner, defaults_of

Key = tuple[tuple[int, int], ...]
Arguments = tuple[tuple[str, Abstract], ...]


class Derivative(NamedTuple):
    """A derivative of a function that is defined inside, or of another such derivative."""

    of: Any
    parameters: tuple[str, ...]
    wrt: tuple[str, ...]
    single: bool
    value: bool


class Deriving(NamedTuple):
    """How derivatives are written: ``write(function or source, derivative or None, arguments)`` gives the source of one.

    ``arguments`` are the abstract values that each call gives, by its place; None where they are not known yet.
    """

    write: Callable[[Any, Derivative | None, Arguments], Source]
    arguments: Mapping[Key, Sequence[Abstract]] | None = None


class Differentiator(Inliner):
    """Knows calls of derivatives. ``pending`` are those that have not been looked into: the place of each, and how it is called."""

    deriving: Deriving | None = None

    def called(self, node: n.Call) -> Any:
        """The function of the user's, or the derivative of one, that a call is of, or None."""
        if isinstance(node.func, n.Call) and (made := self.transformed(node.func)) is not None:
            return self.for_call(made, node)
        function = super().called(node)
        if function is None and is_derivative(found := self.scope.resolve(node.func)):
            return self.for_call(found, node)
        return function

    def for_call(self, derivative: Any, node: n.Call) -> Any:
        """The derivative for a call: of a wrapper that takes anything there is one for each way of calling it."""
        at = None if isinstance(derivative, Derivative) else getattr(derivative.sourcediff, "at", None)
        return derivative if at is None else at(len(node.args), tuple(keyword.arg for keyword in node.keywords))

    def inlined(self, function: Any, node: n.Call) -> n.expr:
        """The body of a function, or what is written for a derivative, in place of its call; the expression it returns."""
        if isinstance(function, Derivative) or is_derivative(function):
            return self.derivative(function, node)
        return super().inlined(function, node)

    def transformed(self, node: n.expr) -> Any:
        """The derivative that a call like ``grad(f, 1)`` makes, or None if it is another call."""
        door = self.scope.resolve(node.func) if isinstance(node, n.Call) else MISSING
        if door is MISSING or not inspect.isfunction(door) or door not in TRANSFORMS:
            return None
        assert isinstance(node, n.Call)
        bound = inspect.signature(door).bind(*node.args, **{keyword.arg: keyword.value for keyword in node.keywords})
        asked = {name: constant(part) for name, part in bound.arguments.items() if name != "function"}
        of = self.function_of(bound.arguments.get("function"))
        if of is None or MISSING in asked.values() or asked.get("mode") == "eager" or asked.get("has_aux") or asked.get("check"):
            self.refused(node, "this derivative inside a differentiated function", "its function is not known, or it has no source",
                         "name the function, and give wrt alone, as a literal")
            return None
        if not isinstance(of, (Inner, Derivative)):
            return door(of, **asked)
        parameters = of.parameters if isinstance(of, Derivative) else tuple(map(name_of, (*of.tree.args.args, *of.tree.args.kwonlyargs)))
        wrt = asked.get("wrt", 0)
        single = not isinstance(wrt, tuple)
        names = tuple(parameters[part] if isinstance(part, int) else part for part in ((wrt,) if single else wrt))
        return Derivative(of, parameters, names, single, door.__name__ == "value_and_grad")

    def function_of(self, node: Any) -> Any:
        """The function that the argument of a transform names, or None."""
        if isinstance(node, n.Lambda):
            return self.functions[self.lambda_(node).id]
        if isinstance(node, n.Call):
            return self.transformed(node)
        if isinstance(node, n.Name) and node.id in self.functions:
            return self.functions[node.id]
        found = self.scope.resolve(node) if isinstance(node, (n.Name, n.Attribute)) else MISSING
        return found if inspect.isfunction(found) else None

    def derivative(self, function: Any, node: n.Call) -> n.expr:
        """What is written for a derivative, in place of its call; a call that is not looked into, where its arguments are not known yet."""
        assert self.deriving is not None
        taken = function if isinstance(function, Derivative) else Derivative(
            function, tuple(inspect.signature(function).parameters), function.sourcediff.wrt, function.sourcediff.single,
            getattr(function.sourcediff, "value", False))
        inner = taken
        while isinstance(inner.of, Derivative):
            inner = inner.of
        lifted = self.closed(inner.of, node) if isinstance(inner.of, Inner) else None
        given = self._given(headed(getattr(function, "__name__", "a derivative"), taken.parameters), node)
        if given is None:
            return expression("None")
        defaults = inner.of.defaults if isinstance(inner.of, Inner) else defaults_of(function.sourcediff.function)
        outer = [] if lifted is None else [name_of(part) for part in lifted.tree.args.args[len(taken.parameters):]]
        given = {parameter: floating(part) if parameter in taken.wrt else part for parameter, part in given.items()}
        operands = {parameter: self.operand(part, always=True) for parameter, part in given.items()}
        operands |= {name: expression(name) for name in outer}
        parameters = [*taken.parameters, *outer]
        key = tuple((part.lineno, part.col_offset) for part in (*self.calls, node))
        if self.deriving.arguments is None:
            return self.opaque(taken, parameters, operands, defaults, key, node)
        known = self.deriving.arguments.get(key, ())
        arguments = tuple(zip(parameters, known))
        source = self.written(taken, lifted, arguments)
        renamed = self.scope.adopt(source.tree, source.function, False, source.given)
        start = self._passed(source, node, operands, renamed, defaults)
        return expression("None") if start is None else self._called(source, node, start, renamed)

    def written(self, taken: Derivative, lifted: Source | None, arguments: Arguments) -> Source:
        """The source of a derivative, for these arguments."""
        assert self.deriving is not None
        if lifted is None:
            return self.deriving.write(taken.of, None, arguments)
        of = self.written(taken.of, lifted, arguments) if isinstance(taken.of, Derivative) else lifted
        return self.deriving.write(of, taken, arguments)

    def opaque(
        self, taken: Derivative, parameters: list[str], operands: dict[str, n.expr], defaults: dict[str, Any], key: Key, node: n.Call,
    ) -> n.expr:
        """A call of a derivative that is not looked into."""
        name = self.scope.fresh("derivative")
        self.scope.functions[name] = Taken(tuple(map(parameters.index, taken.wrt)), taken.single, taken.value)
        self.pending[key] = name
        values = [operands.get(parameter, defaulted(defaults.get(parameter))) for parameter in parameters]
        call = place(n.Call(func=expression(name), args=values, keywords=[]), node)
        self.names |= {name}
        return self.bound(self.scope.fresh("value"), call, node)

    def closed(self, inner: Inner, node: n.Call) -> Source:
        """A function that is defined inside as one of its own: what it reads from around it are further parameters."""
        trees, names = [inner.tree], loaded_names(inner.tree) - bound_names(inner.tree)
        for tree in trees:
            for name in sorted(loaded_names(tree) - bound_names(tree)):
                other = self.functions.get(name)
                if isinstance(other, Inner) and not any(other.tree is known for known in trees):
                    trees.append(other.tree)
                    names |= loaded_names(other.tree) - bound_names(other.tree)
        if any(isinstance(part, n.Nonlocal) for tree in trees for part in n.walk(tree)):
            self.refused(node, "the derivative of a function with nonlocal", "it changes what is around it", "return the value")
        own = {tree.name for tree in trees}
        free = {*self.scope.free, *self.scope.helpers, *own}
        outer = sorted(name for name in names if name not in free and not self.scope.is_builtin(name))
        tree = clone(inner.tree)
        tree.args = headed(tree.name, [*map(name_of, (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs)), *outer]).args
        tree.body = [*map(clone, trees[1:]), *tree.body]
        given = {name: tuple(known) for name, known in self.scope.free.items()}
        given |= {name: (value, None, name) for name, value in self.scope.helpers.items()}
        return inner.source._replace(tree=tree, given=given)


def headed(name: str, parameters: Sequence[str]) -> n.FunctionDef:
    """The head of a function with these parameters, all of them by position or by name."""
    args = n.arguments(
        args=[*map(target, parameters)], posonlyargs=[], vararg=None, kwonlyargs=[], kw_defaults=[], kwarg=None, defaults=[],
    )
    return n.FunctionDef(name=name, args=args, body=[], decorator_list=[], returns=None, type_comment=None, type_params=[])


def floating(node: n.expr) -> n.expr:
    """A whole number that is differentiated, as a float."""
    value = constant(node)
    return n.Constant(value=float(value), kind=None) if type(value) is int else node


def defaulted(value: Any) -> n.expr:
    """The tree of a default."""
    return value if isinstance(value, n.AST) else n.Constant(value=value, kind=None)


def target(name: str) -> n.expr:
    """A name as a parameter."""
    node = expression(name)
    node.ctx = n.Param()
    return node


def name_of(parameter: n.expr) -> str:
    """The name of a parameter."""
    name: str = parameter.id
    return name


def known_arguments(body: Sequence[n.stmt], pending: Mapping[Key, str], values: Any) -> dict[Key, list[Abstract]]:
    """The abstract values that the calls of derivatives are given, by their places."""
    places = {name: key for key, name in pending.items()}
    found: dict[Key, list[Abstract]] = {}
    for node, environment in values.before.items():
        call = node.value if isinstance(node, n.Assign) else None
        if isinstance(call, n.Call) and isinstance(call.func, n.Name) and call.func.id in places:
            taken = values.scope.functions[call.func.id]
            given = [values.of(part, environment) for part in call.args]
            found[places[call.func.id]] = [
                FLOAT if position in taken.positions and part.kind == "python" else part for position, part in enumerate(given)
            ]
    return found
